// slides.c: windows of rows in which a body stays in contact and slides: friction over the speed of slip. The contact force follows
// from the acceleration of the centre of mass by a parabola through the rows of a window, F / m = a - g, for any kind of contact and
// any rotation; friction is its part against the slip of the contact over its normal part.
#include "phases.h"

#include "math/dense.h"
#include "math/least_squares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ODD                                                                                        \
  2.0 // times the variance of the noise: an impact in the window; 21 degrees of freedom, 3 deviations
#define QUIET                                                                                      \
  0.2 // [1] of the windows: if fewer have the noise of flights, sliding has another one, their median
#define FAR       4.0  // times the median distance from the line: rocking and rolling in the window
#define SLIP_SURE 5.0  // deviations of the slip
#define ON        1.3  // the slip at the middle is that many times what it loses until the end
#define SPIN      0.3  // [1] of the slip, by the spin about the normal at the edge of the shape
#define LOAD      0.25 // [1] of the weight: least normal force

enum { WINDOW = 10, WORTH = 4 }; // rows; windows

typedef struct window {
  double square; // [m^2] variance of the residuals
  double mu, deviation, speed;
  double unit; // deviation of mu with noise 1
  int rule;
  bool good;
} window;

typedef struct slider {
  const rh_fit_rows *rows;
  rh_data *world;
  window *at;
  int n, room;
} slider;

typedef struct fitted {       // a parabola about the middle of a window
  rh_vec3 value, slope, bend; // c0 + c1 t + c2 t^2 / 2
  double square;              // of the residuals, over the degrees of freedom
  double of_slope, of_bend;   // variances over that
} fitted;

static bool fit_parabola(const double *t, const rh_vec3 *y, double middle, fitted *f)
{
  double A[9] = {0};
  double b[3][3] = {{0}};
  for (int i = 0; i < WINDOW; i++) {
    double x = t[i] - middle;
    const double basis[3] = {1, x, 0.5 * x * x};
    const double c[3] = {y[i].x, y[i].y, y[i].z};
    for (int j = 0; j < 3; j++) {
      for (int k = 0; k < 3; k++) {
        A[3 * j + k] += basis[j] * basis[k];
        b[k][j] += basis[j] * c[k];
      }
    }
  }
  if (!rh_cholesky(3, A)) {
    return false;
  }
  for (int k = 0; k < 3; k++) {
    rh_cholesky_solve(3, A, b[k]);
  }
  f->value = rh_v3(b[0][0], b[1][0], b[2][0]);
  f->slope = rh_v3(b[0][1], b[1][1], b[2][1]);
  f->bend = rh_v3(b[0][2], b[1][2], b[2][2]);
  double e1[3] = {0, 1, 0};
  double e2[3] = {0, 0, 1};
  rh_cholesky_solve(3, A, e1);
  rh_cholesky_solve(3, A, e2);
  f->of_slope = e1[1];
  f->of_bend = e2[2];
  f->square = 0;
  for (int i = 0; i < WINDOW; i++) {
    double x = t[i] - middle;
    rh_vec3 want = rh_addscaled(rh_addscaled(f->value, x, f->slope), 0.5 * x * x, f->bend);
    rh_vec3 off = rh_sub(y[i], want);
    f->square += rh_dot(off, off) / (3 * WINDOW - 9);
  }
  return true;
}

// Mean angular velocity of a window, world axes
static rh_vec3 mean_spin(const rh_fit_rows *r, int first)
{
  rh_vec3 all = {0, 0, 0};
  for (int i = 1; i < WINDOW; i++) {
    rh_quat q = rh_quat_mul(r->q[first + i], rh_quat_conj(r->q[first + i - 1]));
    all = rh_addscaled(all, q.w < 0 ? -2 : 2, rh_v3(q.x, q.y, q.z));
  }
  return rh_scale(1 / (r->data->t[first + WINDOW - 1] - r->data->t[first]), all);
}

static void judge_window(slider *s, int first, window *w)
{
  const rh_fit_rows *r = s->rows;
  const double *t = r->data->t + first;
  double middle = 0.5 * (t[0] + t[WINDOW - 1]);
  rh_vec3 centre[WINDOW];
  fitted f;
  rh_fit_touch touch;
  *w = (window){.rule = RH_NONE};
  for (int i = 0; i < WINDOW; i++) {
    rh_mat3 R = rh_quat_matrix(r->q[first + i]);
    centre[i] = rh_add(r->p[first + i], rh_rotate(&R, r->com));
  }
  rh_fit_pose(s->world, r->body, r->p[first + WINDOW / 2], r->q[first + WINDOW / 2]);
  if (!fit_parabola(t, centre, middle, &f) ||
      !rh_fit_find_touch(s->world, r->body, r->margin, &touch) || touch.n_near == 0) {
    return;
  }
  rh_vec3 spin = mean_spin(r, first);
  rh_vec3 n = touch.n;
  rh_vec3 arm = rh_sub(touch.centre, centre[WINDOW / 2]);
  rh_vec3 slip = rh_add(f.slope, rh_cross(spin, arm));
  slip = rh_addscaled(slip, -rh_dot(slip, n), n);
  rh_vec3 force = rh_sub(f.bend, r->g);
  double normal = rh_dot(force, n);
  double speed = rh_norm(slip);
  double half = 0.5 * (t[WINDOW - 1] - t[0]);
  double loss = rh_norm(rh_addscaled(f.bend, -rh_dot(f.bend, n), n)) * half;
  double turning = touch.n_near > 1 ? fabs(rh_dot(spin, n)) * r->reach : 0;
  w->square = f.square;
  w->rule = touch.rule;
  w->speed = speed;
  w->good = speed > SLIP_SURE * sqrt(f.square * f.of_slope) && speed > ON * loss &&
            turning < SPIN * speed && normal > LOAD * rh_norm(r->g);
  if (w->good) {
    w->mu = -rh_dot(force, slip) / speed / normal;
    w->unit = sqrt(f.of_bend * (1 + w->mu * w->mu)) / normal;
  }
}

static bool walk_rows(slider *s)
{
  const rh_fit_data *d = s->rows->data;
  const double *gap = s->rows->gap;
  int from = 0; // rows before it are done: windows of a series share their ends
  for (int i = 0; i < d->ntrial; i++) {
    int end = d->trial[i].first + d->trial[i].n;
    int row = d->trial[i].first > from ? d->trial[i].first : from;
    for (int begin = row; row < end; row++) {
      if (!(gap[row] <= s->rows->margin)) {
        begin = row + 1;
      } else if (row - begin + 1 == WINDOW) {
        if (s->n == s->room) {
          int room = s->room == 0 ? 64 : 2 * s->room;
          window *larger = rh_realloc(s->at, (size_t)room * sizeof *larger);
          if (larger == NULL) {
            return false;
          }
          s->at = larger;
          s->room = room;
        }
        judge_window(s, begin, &s->at[s->n]);
        s->n += s->at[s->n].good;
        begin = row + 1;
      }
    }
    from = i + 1 < d->ntrial && d->trial[i + 1].from == d->trial[i].from ? end : 0;
  }
  return true;
}

// ---- Means

static int compare_windows(const void *a, const void *b)
{
  const window *p = a;
  const window *q = b;
  return (p->speed > q->speed) - (p->speed < q->speed);
}

static int compare_squares(const void *a, const void *b)
{
  const window *p = a;
  const window *q = b;
  return (p->square > q->square) - (p->square < q->square);
}

// Windows with an impact go, and the noise is that of the rest.
static void drop_odd(slider *s, rh_fit_slides *out)
{
  qsort(s->at, (size_t)s->n, sizeof *s->at, compare_squares);
  double usual = s->rows->noise[0] * s->rows->noise[0];
  bool quiet = s->at[(int)(QUIET * s->n)].square <= ODD * usual;
  usual = quiet ? usual : s->at[s->n / 2].square;
  int n = 0;
  while (n < s->n && s->at[n].square <= ODD * usual) {
    n++;
  }
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += s->at[i].square / n;
  }
  out->left_out = s->n - n;
  out->windows = s->n = n;
  out->noise = sqrt(sum);
  for (int i = 0; i < n; i++) {
    s->at[i].deviation = out->noise * s->at[i].unit;
  }
  qsort(s->at, (size_t)n, sizeof *s->at, compare_windows);
}

// mu = a + b (v - mean v), weighted; what the errors do not explain widens the intervals.
static void fit_line(const window *at, int n, rh_fit_slides *out)
{
  double w = 0;
  double wv = 0;
  for (int i = 0; i < n; i++) {
    double weight = 1 / (at[i].deviation * at[i].deviation);
    w += weight;
    wv += weight * at[i].speed;
  }
  double middle = wv / w;
  double vv = 0;
  double vm = 0;
  double m = 0;
  for (int i = 0; i < n; i++) {
    double weight = 1 / (at[i].deviation * at[i].deviation);
    double v = at[i].speed - middle;
    vv += weight * v * v;
    vm += weight * v * at[i].mu;
    m += weight * at[i].mu / w;
  }
  double slope = vv > 0 ? vm / vv : 0;
  double square = 0;
  for (int i = 0; i < n; i++) {
    double off = (at[i].mu - m - slope * (at[i].speed - middle)) / at[i].deviation;
    square += off * off / fmax(n - 2, 1);
  }
  double factor = rh_fit_student(n - 2) * sqrt(fmax(square, 1));
  out->middle = middle;
  out->level = (rh_fit_measure){"mu", m, m - factor / sqrt(w), m + factor / sqrt(w), true, false};
  double half = vv > 0 ? factor / sqrt(vv) : HUGE_VAL;
  out->slope = (rh_fit_measure){"mu over speed", slope, slope - half, slope + half, vv > 0, false};
}

static int compare_numbers(const void *a, const void *b)
{
  double x = *(const double *)a;
  double y = *(const double *)b;
  return (x > y) - (x < y);
}

// Windows far off the line go; those that are left stay in order.
static bool drop_far(slider *s, rh_fit_slides *out)
{
  double *off = rh_alloc((size_t)(s->n + 1) * 2 * sizeof *off);
  if (off == NULL) {
    return false;
  }
  for (int i = 0; i < s->n; i++) {
    const window *w = &s->at[i];
    off[i] = fabs(w->mu - out->level.x - out->slope.x * (w->speed - out->middle)) / w->deviation;
    off[s->n + i] = off[i];
  }
  qsort(off + s->n, (size_t)s->n, sizeof *off, compare_numbers);
  double limit = FAR * fmax(off[s->n + s->n / 2], 0.6745); // the median of one deviation
  int n = 0;
  for (int i = 0; i < s->n; i++) {
    if (off[i] <= limit) {
      s->at[n++] = s->at[i];
    }
  }
  out->left_out += s->n - n;
  out->windows = s->n = n;
  rh_free(off);
  return true;
}

static bool put_bins(const window *at, int n, rh_fit_slides *out)
{
  double *x = rh_alloc((size_t)(2 * n + 1) * sizeof *x);
  int bins = n / WORTH < RH_FIT_BINS ? n / WORTH : RH_FIT_BINS;
  for (int b = 0; b < bins && x != NULL; b++) {
    int from = (int)((long)n * b / bins);
    int to = (int)((long)n * (b + 1) / bins);
    for (int i = from; i < to; i++) {
      x[i] = at[i].mu;
      x[n + i] = at[i].deviation;
    }
    rh_fit_mean(x + from, x + n + from, to - from, &out->bin[b]);
    out->from[b] = at[from].speed;
    out->to[b] = at[to - 1].speed;
  }
  out->bins = bins;
  bool good = x != NULL;
  rh_free(x);
  return good;
}

rh_status rh_fit_find_slides(const rh_fit_world *world, const rh_fit_rows *rows, rh_fit_slides *out)
{
  slider s = {.rows = rows, .world = rh_data_create(world->model)};
  bool good = s.world != NULL && walk_rows(&s);
  if (good && s.n >= WORTH) {
    drop_odd(&s, out);
    if (s.n >= WORTH) {
      out->rule = s.at[s.n / 2].rule;
      fit_line(s.at, s.n, out);
      good = drop_far(&s, out);
      fit_line(s.at, s.n, out);
      good = good && put_bins(s.at, s.n, out);
    }
  }
  rh_data_destroy(s.world);
  rh_free(s.at);
  return good ? RH_OK : RH_OUT_OF_MEMORY;
}
