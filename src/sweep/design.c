// design.c: which values a case has. A case is a pure function of seed and index: there is no
// generator whose state would depend on the cases before, so any case can be repeated alone, on any
// machine and in any order.
#include "sobol.h"

#include <string.h>

static const char *const design_word[] = {
    [RH_GRID] = "grid", [RH_RANDOM] = "random", [RH_LATIN] = "latin", [RH_SOBOL] = "sobol"};

const char *rh_design_word(rh_design design)
{
  return design_word[design];
}

static uint64_t mix_bits(uint64_t x) // splitmix64 [Steele, Lea, Flood 2014]
{
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

static uint64_t mix_three(uint64_t seed, uint64_t axis, uint64_t index)
{
  return mix_bits(mix_bits(mix_bits(seed) ^ axis) ^ index);
}

static double unit_interval(uint64_t x) // open at both ends
{
  return ((double)(x >> 12) + 0.5) * 0x1p-52;
}

// A permutation of 0 .. n - 1 that needs no memory: a Feistel network on the next even power of two
// [Luby, Rackoff 1988], walked until it meets a number below n: fewer than four steps on average.
static uint64_t permute_index(uint64_t key, uint64_t n, uint64_t index)
{
  int half = 1;
  while (half < 31 && (UINT64_C(1) << (2 * half)) < n) {
    half++;
  }
  uint64_t mask = (UINT64_C(1) << half) - 1;
  do {
    uint64_t left = index >> half;
    uint64_t right = index & mask;
    for (uint64_t round = 0; round < 6; round++) {
      uint64_t next = left ^ (mix_three(key, round, right) & mask);
      left = right;
      right = next;
    }
    index = (left << half) | right;
  } while (index >= n);
  return index;
}

static double unit_coordinate(const rh_plan *plan, int axis, uint64_t index)
{
  uint64_t noise = mix_three(plan->seed, (uint64_t)axis, index);
  if (plan->design == RH_LATIN) {
    uint64_t n = (uint64_t)plan->cases;
    uint64_t cell = permute_index(mix_three(plan->seed, (uint64_t)axis, UINT64_MAX), n, index);
    return ((double)cell + unit_interval(noise)) / (double)n;
  }
  if (plan->design == RH_SOBOL) {
    // The same digits are flipped in all points: the net stays one, and no point is at 0.
    uint64_t shift = mix_three(plan->seed, (uint64_t)axis, 0) >> 12;
    return ((double)(rh_sobol_point(plan->sobol, axis, index) ^ shift) + 0.5) * 0x1p-52;
  }
  return unit_interval(noise);
}

// The last axis varies fastest.
void rh_plan_values(const rh_plan *plan, int64_t index, double *value)
{
  int64_t rest = index;
  for (int i = plan->naxis - 1; i >= 0; i--) {
    const rh_axis *axis = &plan->axis[i];
    if (plan->design == RH_GRID) {
      value[i] = rh_axis_point(axis, (long)(rest % axis->n));
      rest /= axis->n;
    } else {
      value[i] = rh_axis_at(axis, unit_coordinate(plan, i, (uint64_t)index));
    }
  }
}

void rh_plan_value_text(const rh_plan *plan, int axis, double value, char *text, size_t size)
{
  const rh_axis *a = &plan->axis[axis];
  char number[RH_NUMBER_MAX];
  if (!a->numbers) {
    snprintf(text, size, "%s", a->words.word[(long)value]);
    return;
  }
  rh_number_write(value, number);
  snprintf(text, size, "%s%s%s", number, a->unit[0] != '\0' ? " " : "", a->unit);
}
