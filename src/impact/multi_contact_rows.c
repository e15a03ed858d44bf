// The table of formulations of impacts at many points, from multi_contact.def; one impact under all
// of them.
#include "base/table.h"
#include "impact.h"

#include <math.h>

#define RH_FORMULATION(name) extern const rh_formulation rh_formulation_##name;
#include "multi_contact.def"
#undef RH_FORMULATION

static const rh_formulation *const table[] = {
#define RH_FORMULATION(name) &rh_formulation_##name,
#include "multi_contact.def"
#undef RH_FORMULATION
};

RH_ROW_TABLE(formulation)

// ---- One impact under all of them

size_t rh_many_compare_room(int n)
{
  size_t most = rh_many_determined_room(n);
  for (int i = 0; i < RH_COUNT(table); i++) {
    size_t own = table[i]->room(n);
    most = own > most ? own : most;
  }
  return 15 * (size_t)n + most;
}

static bool is_plastic(const rh_many_in *in)
{
  bool plastic = true;
  for (int i = 0; i < in->n; i++) {
    plastic = plastic && in->e[i] == 0;
  }
  return plastic;
}

// Widens the ranges of the points by the result of one row, normals p (3n).
static void widen_ranges(int n, const double *p, bool first, double row, double *range)
{
  for (int i = 0; i < n; i++) {
    double *to = range + (ptrdiff_t)4 * i; // least, its row, largest, its row
    double x = p[3 * i + 2];
    if (first || x < to[0]) {
      to[0] = x;
      to[1] = row;
    }
    if (first || x > to[2]) {
      to[2] = x;
      to[3] = row;
    }
  }
}

// ---- The point that depends most on the rows

static double size_of(const double *at)
{
  return fmax(fabs(at[0]), fabs(at[2]));
}

static double largest_impulse(int n, const double *range)
{
  double largest = 0;
  for (int i = 0; i < n; i++) {
    largest = fmax(largest, size_of(range + (ptrdiff_t)4 * i));
  }
  return largest;
}

static void choose_point(int i, const double *at, double part, rh_many_spread *spread)
{
  spread->contact = i;
  spread->least = at[0];
  spread->largest = at[2];
  spread->least_row = table[(int)at[1]];
  spread->largest_row = table[(int)at[3]];
  spread->part = part;
}

static void choose_widest(int n, const double *range, double largest, rh_many_spread *spread)
{
  int widest = 0;
  for (int i = 1; i < n; i++) {
    const double *at = range + (ptrdiff_t)4 * i;
    const double *best = range + (ptrdiff_t)4 * widest;
    widest = at[2] - at[0] > best[2] - best[0] ? i : widest;
  }
  const double *at = range + (ptrdiff_t)4 * widest;
  choose_point(widest, at, largest > 0 ? (at[2] - at[0]) / largest : 0, spread);
}

// A light body among heavy ones: impulses that are small, and differ, may make all of its motion. The difference over the
// point's own largest impulse, or, where that is less, its effect there over the fastest approach.
static void choose_lightest(const rh_many_in *in, const double *range, rh_many_spread *spread)
{
  const size_t rows = 3 * (size_t)in->n;
  double speed = 0;
  for (int i = 0; i < in->n; i++) {
    speed = fmax(speed, -in->u[3 * i + 2]);
  }
  for (int i = 0; i < in->n && speed > 0; i++) {
    const double *at = range + (ptrdiff_t)4 * i;
    double effect = in->W[(3 * (size_t)i + 2) * (rows + 1)] * (at[2] - at[0]) / speed;
    double part = size_of(at) > 0 ? fmin((at[2] - at[0]) / size_of(at), effect) : 0;
    if (part > RH_COMPARE_PART && part > spread->part) {
      choose_point(i, at, part, spread);
    }
  }
}

void rh_many_compare(const rh_many_in *in, double *room, rh_many_spread *spread)
{
  const size_t n = (size_t)in->n;
  const bool plastic = is_plastic(in);
  double *p = room;
  double *after = p + 3 * n;
  double *range = after + 3 * n;
  double *rest = range + 4 * n;
  rh_many_in own = *in;
  own.lost = NULL;
  own.trace = NULL;
  *spread = (rh_many_spread){.contact = RH_NONE};
  for (int row = 0; row < RH_COUNT(table); row++) {
    double par[RH_PAR_MAX];
    rh_many_out out;
    rh_row_defaults(&table[row]->row, par);
    par[0] = 1e-4; // of a course: enough for a difference of per cents
    if ((table[row]->plastic && !plastic) || !table[row]->strike(&own, par, rest, p, after, &out)) {
      continue;
    }
    rh_many_determined(&own, rest, p, p);
    widen_ranges(in->n, p, spread->rows == 0, row, range);
    spread->rows++;
  }
  if (spread->rows > 0) {
    choose_widest(in->n, range, largest_impulse(in->n, range), spread);
    if (spread->part <= RH_COMPARE_PART) {
      choose_lightest(in, range, spread);
    }
  }
}
