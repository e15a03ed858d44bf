// pair_factors.c: how the points of an impact share the normal impulse by pair factors ([Ch] 2.13-2.20*).
// Two points q, r of one body, a line L = P_r - P_q between them: the impulses have no self-stress along it,
//   lam_q g_q.L = lam_r g_r.L,  g = n - mu d  (d: direction of slip),  C_qr = g_r.L / g_q.L
// in any frame; with equal normals along z it is 2.18 with its sign of Z repaired. Impulses act on the common body:
// a contact of which that body is the second counts with the opposite sign, the same at both points.
//   coplanar points with equal normals   C_qr = (mu_r s_q)/(mu_q s_r): lam as s/mu, s the slip
//   others                               C_qr C_rp is not C_qp, and [Ch] leaves the reference point r open: the
//                                        shares are the mean over all points of the body as reference
// Between bodies there is no such condition: each body takes a share as the sum of the factors that the scene gives
// (pair_factor), 1 each where it gives none; points of a body with given factors share by them.
// A factor that would be negative, a pull, and slip that has ceased end the factors for the rest of the event: all
// points share by the given factors, or equally.
// A point between two moving bodies belongs to the one with more points in the event, to the first if equal.
#include "impulse_path.h"

#include <string.h>

#define PLANE 1e-6 // of the distance of two points: they are in one plane
#define VOID  1e-9 // of it: no condition along the line
#define ALIKE 1e-9 // of normals

enum { OUTSIDE = RH_NONE - 1 }; // group of a point that takes no part

static const rh_many_place *place_of(const rh_impulse_path *c, int i)
{
  return &c->pairs.place[(int)c->problem.order[i]];
}

static double dot3(const double *a, const double *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static bool same_group(const rh_impulse_path *c, int i, int j)
{
  return c->pairs.group[i] == c->pairs.group[j];
}

static bool leads_group(const rh_impulse_path *c, int i)
{
  for (int j = 0; j < i; j++) {
    if (same_group(c, i, j)) {
      return false;
    }
  }
  return c->pairs.group[i] != OUTSIDE;
}

// ---- Groups

static int count_on(const rh_impulse_path *c, int body)
{
  int count = 0;
  for (int j = 0; j < c->n; j++) {
    const rh_many_place *p = place_of(c, j);
    count += c->problem.split[j] > 0 && (p->body[0] == body || p->body[1] == body);
  }
  return count;
}

static void assign_group(rh_impulse_path *c, int i)
{
  const int *body = place_of(c, i)->body;
  bool second =
      body[0] == RH_NONE || (body[1] != RH_NONE && count_on(c, body[1]) > count_on(c, body[0]));
  bool takes = c->problem.split[i] > 0;
  c->pairs.group[i] = takes ? body[second] : OUTSIDE;
  c->pairs.side[i] = second ? -1 : 1;
}

// Equal normals, on one side of the body, and no distance along them
static bool pair_is_coplanar(const rh_impulse_path *c, int i, int j)
{
  const rh_many_place *p = place_of(c, i);
  const rh_many_place *q = place_of(c, j);
  double L[3];
  for (int k = 0; k < 3; k++) {
    L[k] = p->at[k] - q->at[k];
  }
  return c->pairs.side[i] * c->pairs.side[j] * dot3(p->axis + 6, q->axis + 6) > 1 - ALIKE &&
         fabs(dot3(p->axis + 6, L)) <= PLANE * sqrt(dot3(L, L));
}

// Form of the group that i leads, and its share; the first share of the points is in `split`.
static void form_group(rh_impulse_path *c, int i)
{
  double total = 0;
  int count = 0;
  int rough = 0;
  bool given = false;
  bool plane = true;
  for (int j = 0; j < c->n; j++) {
    if (same_group(c, i, j)) {
      count++;
      rough += c->problem.mu[j] > 0;
      given = given || place_of(c, j)->factor > 0;
      plane = plane && pair_is_coplanar(c, i, j);
      total += c->problem.split[j];
    }
  }
  // smooth points in one plane: 0/0; some of them rough: an infinite factor
  bool none = plane && rough < count;
  int form = given || none ? RH_SHARE_GIVEN : plane ? RH_SHARE_SLIP : RH_SHARE_PAIR;
  c->pairs.lost = c->pairs.lost || (!given && count > 1 && none && rough > 0);
  for (int j = 0; j < c->n; j++) {
    if (same_group(c, i, j)) {
      c->pairs.form[j] = form;
      c->pairs.total[j] = total;
    }
  }
  c->pairs.several = c->pairs.several || form != RH_SHARE_SLIP;
  c->pairs.given = c->pairs.given && form == RH_SHARE_GIVEN;
}

void rh_impulse_path_share_out(rh_impulse_path *c)
{
  int groups = 0;
  double sum = 0;
  for (int i = 0; i < c->n; i++) {
    double factor = c->pairs.place != NULL ? place_of(c, i)->factor : 0;
    c->problem.split[i] *= factor > 0 ? factor : 1;
    sum += c->problem.split[i];
  }
  for (int i = 0; i < c->n; i++) {
    c->problem.split[i] /= sum;
    c->pairs.group[i] = c->problem.split[i] > 0 ? 0 : OUTSIDE;
    c->pairs.side[i] = 1;
    c->pairs.form[i] = RH_SHARE_SLIP;
    c->pairs.total[i] = 1;
  }
  c->pairs.several = c->pairs.lost = false;
  c->pairs.given = c->pairs.place != NULL;
  for (int i = 0; i < c->n && c->pairs.place != NULL; i++) {
    assign_group(c, i);
  }
  for (int i = 0; i < c->n && c->pairs.place != NULL; i++) {
    if (leads_group(c, i)) {
      form_group(c, i);
      groups++;
    }
  }
  c->pairs.several = c->pairs.several || groups > 1;
  for (int i = 0; i < c->n && groups == 1; i++) {
    c->pairs.total[i] = 1; // exactly
  }
}

// ---- Shares

static double slip_of(const double *u)
{
  return sqrt(u[0] * u[0] + u[1] * u[1]);
}

// g.L of point i at its velocity u; `whole`: its terms without their signs.
static double force_along(const rh_impulse_path *c, int i, const double *u, const double L[3],
                          double *whole)
{
  const double *axis = place_of(c, i)->axis;
  double s = slip_of(u);
  double drag = s > 0 ? c->problem.mu[i] / s : 0;
  double normal = dot3(axis + 6, L);
  double friction = drag * (u[0] * dot3(axis, L) + u[1] * dot3(axis + 3, L));
  *whole = fabs(normal) + fabs(friction);
  return c->pairs.side[i] * (normal - friction);
}

// C_qr; 0: it would be a pull, or infinite.
static double pair_factor(const rh_impulse_path *c, int q, int r, const double *u)
{
  double L[3];
  double size[2];
  if (q == r) {
    return 1;
  }
  for (int k = 0; k < 3; k++) {
    L[k] = place_of(c, r)->at[k] - place_of(c, q)->at[k];
  }
  double length = sqrt(dot3(L, L));
  if (c->problem.mu[q] > 0 && c->problem.mu[r] > 0 && pair_is_coplanar(c, q, r)) {
    return c->problem.mu[r] * slip_of(u + (ptrdiff_t)3 * q) /
           (c->problem.mu[q] * slip_of(u + (ptrdiff_t)3 * r));
  }
  double at_q = force_along(c, q, u + (ptrdiff_t)3 * q, L, &size[0]);
  double at_r = force_along(c, r, u + (ptrdiff_t)3 * r, L, &size[1]);
  if (size[0] <= VOID * length && size[1] <= VOID * length) {
    return 1; // nothing acts along the line
  }
  double factor = at_q != 0 ? at_r / at_q : 0;
  return isfinite(factor) && factor > VOID && factor * VOID < 1 ? factor : 0;
}

// The mean over all points of the group as reference
static bool share_by_pairs(rh_impulse_path *c, int leader, const double *u, double *lam)
{
  double *one = c->pairs.part; // factors to one reference
  int count = 0;
  for (int r = leader; r < c->n; r++) {
    double sum = 0;
    if (!same_group(c, leader, r)) {
      continue;
    }
    count++;
    for (int q = leader; q < c->n; q++) {
      one[q] = same_group(c, leader, q) ? pair_factor(c, q, r, u) : 0;
      sum += one[q];
      if (same_group(c, leader, q) && !(one[q] > 0)) {
        return false;
      }
    }
    for (int q = leader; q < c->n; q++) {
      lam[q] += same_group(c, leader, q) ? c->pairs.total[q] * one[q] / sum : 0;
    }
  }
  for (int q = leader; q < c->n; q++) {
    lam[q] /= same_group(c, leader, q) ? count : 1;
  }
  return true;
}

// As s/mu; friction is -u_t over the sum, smooth until all of it stops.
static void share_by_slip(rh_impulse_path *c, int leader, const double *u, double *lam)
{
  double sum = 0;
  for (int i = leader; i < c->n; i++) {
    if (same_group(c, leader, i)) {
      lam[i] = c->problem.mu[i] > 0 ? slip_of(u + (ptrdiff_t)3 * i) / c->problem.mu[i] : 0;
      sum += lam[i];
    }
  }
  for (int i = leader; i < c->n; i++) {
    if (same_group(c, leader, i)) {
      lam[i] = sum > 0 ? c->pairs.total[i] * (lam[i] / sum) : 0;
      c->pairs.part[i] = lam[i] > 0 ? c->pairs.total[i] / sum : 0;
    }
  }
}

static bool share_group(rh_impulse_path *c, int leader, const double *u, double *lam)
{
  int form = (int)c->pairs.form[leader];
  if (form == RH_SHARE_SLIP) {
    share_by_slip(c, leader, u, lam);
    return true;
  }
  bool good = form == RH_SHARE_PAIR && share_by_pairs(c, leader, u, lam);
  for (int i = leader; i < c->n; i++) {
    if (same_group(c, leader, i)) {
      double s = slip_of(u + (ptrdiff_t)3 * i);
      lam[i] = good ? lam[i] : c->problem.split[i];
      c->pairs.part[i] = s > 0 ? c->problem.mu[i] * lam[i] / s : 0;
    }
  }
  return good || form == RH_SHARE_GIVEN;
}

bool rh_impulse_path_shares(rh_impulse_path *c, const double *u, double *lam)
{
  bool good = true;
  memset(lam, 0, (size_t)c->n * sizeof(double));
  memset(c->pairs.part, 0, (size_t)c->n * sizeof(double));
  for (int i = 0; i < c->n; i++) {
    good = (!leads_group(c, i) || share_group(c, i, u, lam)) && good;
  }
  return good;
}

// ---- Their end

// Slip of the group that i leads has ceased: of all its points if they share as s/mu, else of one.
static bool group_ceased(const rh_impulse_path *c, int i)
{
  double largest = 0;
  double least = HUGE_VAL;
  for (int j = i; j < c->n; j++) {
    double s = slip_of(c->v + (ptrdiff_t)3 * j);
    bool rough = same_group(c, i, j) && c->problem.mu[j] > 0;
    largest = rough ? fmax(largest, s) : largest;
    least = rough ? fmin(least, s) : least;
  }
  return (c->pairs.form[i] == RH_SHARE_SLIP ? largest : least) <= RH_COURSE_SLOW * c->speed;
}

bool rh_impulse_path_unfactored(const rh_impulse_path *c)
{
  bool ceased = c->pairs.given;
  for (int i = 0; i < c->n && !ceased; i++) {
    ceased = leads_group(c, i) && group_ceased(c, i);
  }
  return ceased;
}

double rh_impulse_path_factors_end(const rh_impulse_path *c)
{
  const double *a = c->scratch.k;
  double longest = HUGE_VAL;
  for (int i = 0; i < c->n; i++) {
    double sum = 0;
    double less = 0;
    for (int j = i; j < c->n && leads_group(c, i); j++) {
      const double *b = c->problem.B + (size_t)(3 * j) * (size_t)c->r;
      const double *u = c->v + (ptrdiff_t)3 * j;
      double slope[2] = {0};
      double square = u[0] * u[0] + u[1] * u[1];
      if (!same_group(c, i, j) || c->problem.mu[j] == 0 || !(square > 0)) {
        continue;
      }
      for (int k = 0; k < c->r; k++) {
        slope[0] += b[k] * a[k];
        slope[1] += b[c->r + k] * a[k];
      }
      double slower = -(u[0] * slope[0] + u[1] * slope[1]);
      sum += sqrt(square) / c->problem.mu[j];
      less += slower / (sqrt(square) * c->problem.mu[j]);
      if (c->pairs.form[i] != RH_SHARE_SLIP && slower > 0) {
        longest = fmin(longest, square / slower);
      }
    }
    if (c->pairs.form[i] == RH_SHARE_SLIP && less > 0) {
      longest = fmin(longest, sum / less);
    }
  }
  return longest;
}
