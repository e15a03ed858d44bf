// motion_programme.c: see motion_programme.h. Columns are forces along the corners of the polygons, and
// accelerations that are at least zero; rows are the accelerations of contacts.
#include "motion_programme.h"

#include <math.h>
#include <string.h>

// ---- Polygons

bool rh_motion_chooses(const rh_polyhedral *q, int i)
{
  bool slides = q->slide != NULL && (q->slide[2 * i] != 0 || q->slide[2 * i + 1] != 0);
  return !slides && q->mu_s[i] > 0;
}

int rh_motion_corners(const rh_polyhedral *q, int i)
{
  return !rh_motion_chooses(q, i) ? 1 : q->flat[i] ? 2 : q->facets;
}

// Direction at `k` of the corners of contact i; halves are normals of the sides between.
void rh_motion_direction(const rh_polyhedral *q, int i, double k, double d[2])
{
  const double *axis = q->axis + 2 * (size_t)i;
  double angle = 2 * 3.14159265358979323846 * k / rh_motion_corners(q, i);
  double c = q->flat[i] ? (k == 0 ? 1 : -1) : rh_cos(angle);
  double s = q->flat[i] ? 0 : rh_sin(angle);
  d[0] = c * axis[0] - s * axis[1];
  d[1] = c * axis[1] + s * axis[0];
}

// ---- The programme of a combination

static void add_force(rh_motion_search *s, const double along[2], double mu)
{
  rh_motion_programme *x = &s->now;
  double size = sqrt(1 + mu * mu);
  double *push = x->push + 3 * (size_t)x->n++;
  push[0] = mu * along[0] / size;
  push[1] = mu * along[1] / size;
  push[2] = 1 / size;
}

static void add_corners(rh_motion_search *s, int i, int first, int count, double mu)
{
  for (int k = first; k < first + count; k++) {
    double d[2];
    rh_motion_direction(s->q, i, k % rh_motion_corners(s->q, i), d);
    add_force(s, d, mu);
  }
}

static void add_cone(rh_motion_search *s, int i)
{
  const rh_polyhedral *q = s->q;
  static const double none[2] = {0, 0};
  if (rh_motion_chooses(q, i)) {
    add_corners(s, i, 0, rh_motion_corners(q, i), q->mu_s[i]);
  } else if (q->slide != NULL && q->mu_k[i] > 0) {
    const double against[2] = {-q->slide[2 * i], -q->slide[2 * i + 1]};
    add_force(s, against, q->mu_k[i]);
  } else {
    add_force(s, none, 0);
  }
}

static int add_slack(rh_motion_search *s)
{
  memset(s->now.push + 3 * (size_t)s->now.n, 0, 3 * sizeof(double));
  return s->now.n++;
}

// Columns of contact i: its forces, then accelerations that are at least zero
static void set_columns(rh_motion_search *s, int i)
{
  const rh_polyhedral *q = s->q;
  rh_motion_programme *x = &s->now;
  int k = s->which[i];
  x->of[i] = x->n;
  x->strict[i][0] = x->strict[i][1] = RH_NONE;
  switch (s->state[i]) {
  case RH_STATE_OPEN:
    add_cone(s, i);
    (void)add_slack(s);
    break;
  case RH_STATE_SEPARATE:
    x->strict[i][0] = add_slack(s);
    break;
  case RH_STATE_TOUCH:
  case RH_STATE_STICK:
    add_cone(s, i);
    break;
  default:
    add_corners(s, i, k, s->state[i] == RH_STATE_SIDE ? 2 : 1, q->mu_k[i]);
    x->strict[i][0] = add_slack(s);
    x->strict[i][1] = s->state[i] == RH_STATE_CORNER && !q->flat[i] ? add_slack(s) : RH_NONE;
  }
  x->of[i + 1] = x->n;
}

// Acceleration r as a row over the columns
void rh_motion_row(const rh_motion_search *s, int r, double *row)
{
  const rh_motion_programme *x = &s->now;
  const double *A = s->A + (size_t)r * (size_t)s->rows;
  row[x->n - 1] = 0;
  for (int i = 0; i < s->q->n; i++) {
    for (int c = x->of[i]; c < x->of[i + 1]; c++) {
      row[c] = rh_motion_dot(3, A + 3 * (size_t)i, x->push + 3 * (size_t)c);
    }
  }
}

static double *next_row(rh_motion_search *s, int r)
{
  rh_motion_programme *x = &s->now;
  double *row = x->E + (size_t)x->m * (size_t)x->n;
  rh_motion_row(s, r, row);
  x->e[x->m++] = -s->a0[r];
  return row;
}

// at of contact i: zero, or minus the normals of the polygon times their columns
static void add_tangents(rh_motion_search *s, int i)
{
  const rh_polyhedral *q = s->q;
  rh_motion_programme *x = &s->now;
  double normal[2][2] = {{0, 0}, {0, 0}};
  if (s->state[i] != RH_STATE_STICK) {
    bool corner = s->state[i] == RH_STATE_CORNER;
    rh_motion_direction(q, i, s->which[i] + (q->flat[i] ? 0 : corner ? -0.5 : 0.5), normal[0]);
    rh_motion_direction(q, i, s->which[i] + (q->flat[i] ? 0 : 0.5), normal[1]);
  }
  double *first = next_row(s, 3 * i);
  double *second = next_row(s, 3 * i + 1);
  for (int k = 0; k < 2; k++) {
    int column = x->strict[i][k];
    if (column != RH_NONE) {
      first[column] += normal[k][0];
      second[column] += normal[k][1];
    }
  }
  if (q->flat[i]) { // one row, along the axis
    const double *axis = q->axis + 2 * (size_t)i;
    x->m--;
    for (int c = 0; c < x->n; c++) {
      first[c] = axis[0] * first[c] + axis[1] * second[c];
    }
    x->e[x->m - 1] = axis[0] * x->e[x->m - 1] + axis[1] * x->e[x->m];
  }
}

void rh_motion_programme_set(rh_motion_search *s)
{
  rh_motion_programme *x = &s->now;
  x->m = x->n = 0;
  for (int i = 0; i < s->q->n; i++) {
    set_columns(s, i);
  }
  int one = add_slack(s); // a row x = 1: tolerances are parts of the largest e, which is to be 1
  memset(x->E, 0, (size_t)x->n * sizeof *x->E);
  x->E[one] = 1;
  x->e[x->m++] = 1;
  for (int i = 0; i < s->q->n; i++) {
    double *row = next_row(s, 3 * i + 2);
    if (s->state[i] == RH_STATE_SEPARATE || s->state[i] == RH_STATE_OPEN) {
      row[x->of[i + 1] - 1] -= 1;
    }
    if (s->state[i] >= RH_STATE_STICK) {
      add_tangents(s, i);
    }
  }
}
