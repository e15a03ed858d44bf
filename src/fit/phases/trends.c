// trends.c: on what restitution and friction of the impacts depend: speed of approach, slip, or place. The values are divided into
// parts of equal number along each, and the variance between the parts is compared with that within them (F test). The
// strongest one is taken out before the next is looked for, since speed, slip and place of thrown bodies go together.
#include "phases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define F_LEAST 5.0  // of 4 and many degrees of freedom: 1 in 2000 by chance
#define SHARE   0.02 // of the variance: less is of no use
#define SPREAD  1e-6 // [m, m/s] of a variable that does not change
#define FACING  0.9  // component of the normal along an axis: a place along it is the gap

enum { EACH_LEAST = 8 }; // values in a part

typedef enum variable { BY_SPEED, BY_SLIP, BY_X, BY_Y, BY_Z, VARIABLES } variable;

static const char *const variable_name[VARIABLES] = {"speed of approach", "slip before", "place x",
                                                     "place y", "place z"};
static const char *const variable_unit[VARIABLES] = {"m/s", "m/s", "m", "m", "m"};

static double variable_of(const rh_fit_jump *jump, variable v)
{
  const double x[VARIABLES] = {jump->speed, jump->slip[0], jump->point.x, jump->point.y,
                               jump->point.z};
  return x[v];
}

// Is it no place on the surface?
static bool is_gap(const rh_fit_jump *jump, int n, variable v)
{
  double mean = 0;
  for (int i = 0; i < n; i++) {
    const double x[VARIABLES] = {0, 0, jump[i].n.x, jump[i].n.y, jump[i].n.z};
    mean += fabs(x[v]) / n;
  }
  return mean > FACING;
}

typedef struct sample {
  double x, y;
  int index;
} sample;

static int compare_samples(const void *a, const void *b)
{
  const sample *p = a;
  const sample *q = b;
  return p->x != q->x ? (p->x > q->x) - (p->x < q->x) : p->index - q->index;
}

// Parts of equal number along a variable; F of their means, and the share of the variance
static void divide_into_parts(sample *s, int n, rh_fit_trend *trend)
{
  double mean = 0;
  double all = 0;
  double within = 0;
  qsort(s, (size_t)n, sizeof *s, compare_samples);
  for (int i = 0; i < n; i++) {
    mean += s[i].y / n;
  }
  for (int b = 0; b < RH_FIT_BINS; b++) {
    int from = (int)((long)n * b / RH_FIT_BINS);
    int to = (int)((long)n * (b + 1) / RH_FIT_BINS);
    double sum = 0;
    double square = 0;
    for (int i = from; i < to; i++) {
      sum += s[i].y / (to - from);
    }
    for (int i = from; i < to; i++) {
      square += (s[i].y - sum) * (s[i].y - sum);
    }
    trend->from[b] = s[from].x;
    trend->to[b] = s[to - 1].x;
    trend->mean[b] = sum;
    trend->deviation[b] = sqrt(square / (to - from - 1) / (to - from));
    within += square;
    all += square + (to - from) * (sum - mean) * (sum - mean);
  }
  trend->share = all > 0 ? 1 - within / all : 0;
  trend->F = within > 0 ? (all - within) / (RH_FIT_BINS - 1) / (within / (n - RH_FIT_BINS)) : 0;
}

static void list_samples(const rh_fit_jump *jump, const double *y, int n, variable v, sample *s)
{
  for (int i = 0; i < n; i++) {
    s[i] = (sample){.x = variable_of(&jump[i], v), .y = y[i], .index = i};
  }
}

// The strongest of the variables that are left; false: none matters.
static bool find_strongest(const rh_fit_jump *jump, const double *y, int n, sample *s, bool *done,
                           rh_fit_trend *best)
{
  variable which = VARIABLES;
  for (variable v = 0; v < VARIABLES; v++) {
    rh_fit_trend trend = {.name = variable_name[v], .unit = variable_unit[v]};
    list_samples(jump, y, n, v, s);
    divide_into_parts(s, n, &trend);
    if (done[v] || is_gap(jump, n, v) || !(trend.to[RH_FIT_BINS - 1] - trend.from[0] > SPREAD)) {
      continue;
    }
    if (trend.F > F_LEAST && trend.share > SHARE && (which == VARIABLES || trend.F > best->F)) {
      *best = trend;
      which = v;
    }
  }
  if (which != VARIABLES) {
    done[which] = true;
    list_samples(jump, y, n, which, s); // in order along it again
    rh_fit_trend again = {0};
    divide_into_parts(s, n, &again);
  }
  return which != VARIABLES;
}

// `y` loses the means of the parts that are in order in `s`, not the mean of all.
static void take_out(const rh_fit_trend *trend, const sample *s, double *y, int n)
{
  double mean = 0;
  for (int b = 0; b < RH_FIT_BINS; b++) {
    mean += trend->mean[b] / RH_FIT_BINS;
  }
  for (int i = 0; i < n; i++) {
    int b = 0;
    while (b + 1 < RH_FIT_BINS && i >= (int)((long)n * (b + 1) / RH_FIT_BINS)) {
      b++;
    }
    y[s[i].index] -= trend->mean[b] - mean;
  }
}

static void find_trends_of(const rh_fit_jump *jump, double *y, int n, const char *of,
                           rh_fit_jumps *out)
{
  bool done[VARIABLES] = {false};
  sample *s = n >= EACH_LEAST * RH_FIT_BINS ? rh_alloc((size_t)n * sizeof *s) : NULL;
  while (s != NULL && out->ntrend < RH_FIT_TRENDS &&
         find_strongest(jump, y, n, s, done, &out->trend[out->ntrend])) {
    rh_fit_trend *trend = &out->trend[out->ntrend++];
    trend->of = of;
    take_out(trend, s, y, n);
  }
  rh_free(s);
}

void rh_fit_find_trends(const rh_fit_jump *jump, int n, rh_fit_jumps *out)
{
  double *y = rh_alloc((size_t)(n + 1) * sizeof *y);
  rh_fit_jump *sliding = rh_alloc((size_t)(n + 1) * sizeof *sliding);
  if (y != NULL && sliding != NULL) {
    for (int i = 0; i < n; i++) {
      y[i] = jump[i].e;
    }
    find_trends_of(jump, y, n, "restitution", out);
    int used = 0;
    for (int i = 0; i < n; i++) {
      if (rh_fit_slides_straight(&jump[i])) {
        y[used] = jump[i].mu;
        sliding[used++] = jump[i];
      }
    }
    find_trends_of(sliding, y, used, "friction", out);
  } else {
    rh_memory_fail();
  }
  rh_free(y);
  rh_free(sliding);
}
