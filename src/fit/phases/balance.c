// balance.c: the momentum balance of single impacts. The impulse of a contact acts at one point, so that the change of the moment
// of momentum about the origin of the body is that of the change of momentum, applied there: with m c = h, r from the origin
//   h x dv + I dw = r x P,     P = m dv - h x dw
// for any law of contact. It is linear in the measured jumps z = (dv, dw): A(x) z = 0, with the centre of mass, moments of inertia
// and rounded edges among x. All measured numbers have errors, so the least squares are those of the distances to the constraint,
// z' A' (A C A')^-1 A z, C the covariance of z (Gauss and Helmert's model: no bias by errors of regressors). The mass is
// that of the scene: only ratios to it act.
#include "phases.h"

#include "math/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ODD    4.0  // times the usual distance: an impact that is none, or not at one point
#define STEP   1e-3 // of w, both sides
#define TETHER 0.02 // 1 / deviation of w: what the impacts do not determine stays near the scene
#define TILT   1e-4 // [rad] for the effect of the attitude
#define FLOOR  1e-9 // of the trace, below which a covariance has no digits

enum { WORTH = 6, SEARCHES = 60 }; // impacts at least

typedef struct balance {
  rh_fit_work *work;
  const rh_fit_rows *rows;
  rh_fit_knocks *knocks;
  int n;
  rh_fit_value value[RH_FIT_MEASURES];
  double begin[RH_FIT_MEASURES];
  double sure[RH_FIT_MEASURES]; // deviation of w below which a value counts as determined
  bool pass;                    // all impacts, odd ones too
} balance;

// ---- Terms

static void put_cross(rh_vec3 a, double s, double *to, int stride) // to += s a x
{
  const double x[9] = {0, -a.z, a.y, a.z, 0, -a.x, -a.y, a.x, 0};
  for (int i = 0; i < 9; i++) {
    to[i / 3 * stride + i % 3] += s * x[i];
  }
}

// A and P at a pose
static bool put_matrices(rh_data *d, int body, rh_vec3 p, rh_quat q, rh_fit_terms *terms)
{
  memset(terms->A, 0, sizeof terms->A);
  memset(terms->P, 0, sizeof terms->P);
  rh_fit_pose(d, body, p, q);
  if (!rh_fit_find_touch(d, body, 0, &terms->touch)) {
    return false;
  }
  const rh_inertia *I = &d->kin[body].I;
  terms->r = rh_sub(terms->touch.point, p);
  for (int i = 0; i < 3; i++) {
    terms->P[6 * i + i] = I->mass;
    rh_vec3 e = rh_v3(i == 0, i == 1, i == 2);
    rh_vec3 column = rh_add(rh_sym3_mul(&I->I, e), rh_cross(terms->r, rh_cross(I->h, e)));
    terms->A[3 + i] += column.x;
    terms->A[9 + i] += column.y;
    terms->A[15 + i] += column.z;
  }
  put_cross(I->h, -1, terms->P + 3, 6);
  put_cross(I->h, 1, terms->A, 6);
  put_cross(terms->r, -I->mass, terms->A, 6);
  return true;
}

static void put_moment(const rh_fit_terms *terms, double x[3])
{
  for (int i = 0; i < 3; i++) {
    x[i] = 0;
    for (int k = 0; k < 6; k++) {
      x[i] += terms->A[6 * i + k] * (terms->after[k] - terms->before[k]);
    }
  }
}

bool rh_fit_terms_of(rh_data *d, int body, const rh_fit_knock *knock, rh_fit_terms *terms)
{
  double now[RH_FIT_BODY];
  const rh_inertia *own = &d->model->body[body].inertia;
  *terms = (rh_fit_terms){.r = {0, 0, 0}};
  rh_fit_body_numbers(own, rh_scale(own->mass > 0 ? 1 / own->mass : 0, own->h), now);
  for (int i = 0; i < 12; i++) {
    double z = i < 6 ? knock->before[i] : knock->after[i - 6];
    for (int k = 0; k < RH_FIT_BODY; k++) {
      z += knock->by_body[i][k] * (now[k] - knock->body[k]);
    }
    *(i < 6 ? &terms->before[i] : &terms->after[i - 6]) = z;
  }
  for (int k = 0; k < 3 && knock->turn > 0; k++) {
    double x[2][3];
    for (int side = 0; side < 2; side++) {
      double half = (side == 0 ? 0.5 : -0.5) * TILT;
      rh_quat turn = {1, k == 0 ? half : 0, k == 1 ? half : 0, k == 2 ? half : 0};
      if (!put_matrices(d, body, knock->p, rh_quat_unit(rh_quat_mul(turn, knock->q)), terms)) {
        return false;
      }
      put_moment(terms, x[side]);
    }
    for (int i = 0; i < 3; i++) {
      terms->D[3 * i + k] = (x[0][i] - x[1][i]) / (2 * TILT);
    }
  }
  return put_matrices(d, body, knock->p, knock->q, terms);
}

bool rh_fit_weigh(const rh_fit_terms *terms, const rh_fit_knock *knock, double L[9], double x[3])
{
  double AC[18]; // covariance of the moment with the jump
  double AT[9];  // and with the attitude
  double mixed = knock->with_rate[1] - knock->with_rate[0];
  put_moment(terms, x);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 6; k++) {
      AC[6 * i + k] = k < 3 ? 0 : mixed * terms->D[3 * i + k - 3];
      for (int s = 0; s < 6; s++) {
        AC[6 * i + k] += terms->A[6 * i + s] * (knock->Cb[6 * s + k] + knock->Ca[6 * s + k]);
      }
    }
    for (int k = 0; k < 3; k++) {
      AT[3 * i + k] = terms->A[6 * i + 3 + k] * mixed + knock->turn * terms->D[3 * i + k];
    }
  }
  double trace = 0;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      L[3 * i + j] = 0;
      for (int k = 0; k < 6; k++) {
        L[3 * i + j] += AC[6 * i + k] * terms->A[6 * j + k];
      }
      for (int k = 0; k < 3; k++) {
        L[3 * i + j] += AT[3 * i + k] * terms->D[3 * j + k];
      }
    }
    trace += L[4 * i];
  }
  for (int i = 0; i < 3; i++) {
    L[4 * i] += FLOOR * trace;
  }
  return rh_cholesky(3, L);
}

// Distances of an impact: L^-1 A z, by the lower factor
static bool find_distances(const rh_fit_terms *terms, const rh_fit_knock *knock, double u[3])
{
  double L[9];
  double x[3];
  if (!rh_fit_weigh(terms, knock, L, x)) {
    return false;
  }
  for (int i = 0; i < 3; i++) {
    double sum = x[i];
    for (int k = 0; k < i; k++) {
      sum -= L[3 * i + k] * u[k];
    }
    u[i] = sum / L[4 * i];
  }
  return true;
}

// ---- The search

static bool make_world(const balance *b, const double *w, rh_fit_world *world)
{
  double x[RH_FIT_MEASURES];
  for (int i = 0; i < b->n; i++) {
    x[i] = rh_fit_from_search(&b->value[i], w[i]);
  }
  return rh_fit_world_with(b->work->problem, b->work->w, b->value, x, b->n, world) == RH_OK;
}

static bool find_residuals(void *user, const double *w, double *r)
{
  balance *b = user;
  rh_fit_world world = {0};
  bool good = make_world(b, w, &world);
  rh_data *d = good ? rh_data_create(world.model) : NULL;
  for (int i = 0; i < b->knocks->n && d != NULL; i++) {
    rh_fit_terms terms;
    const rh_fit_knock *knock = &b->knocks->at[i];
    double *u = r + 3 * (size_t)i;
    bool counts = (b->pass || !knock->odd) && rh_fit_terms_of(d, b->rows->body, knock, &terms) &&
                  find_distances(&terms, knock, u);
    if (!counts) {
      memset(u, 0, 3 * sizeof *u);
    }
  }
  for (int i = 0; i < b->n; i++) {
    r[3 * b->knocks->n + i] = TETHER * (w[i] - b->begin[i]);
  }
  good = d != NULL;
  rh_data_destroy(d);
  rh_fit_world_free(&world);
  return good;
}

static bool find_slopes(void *user, const double *w, const double *r, double *J)
{
  balance *b = user;
  size_t m = (size_t)(3 * b->knocks->n + b->n);
  double at[RH_FIT_MEASURES];
  double *other = rh_alloc((m + 1) * sizeof *other);
  bool good = other != NULL;
  (void)r;
  memcpy(at, w, (size_t)b->n * sizeof *w);
  for (int i = 0; i < b->n && good; i++) {
    double *column = J + (size_t)i * m;
    at[i] = w[i] + STEP;
    good = find_residuals(b, at, column);
    at[i] = w[i] - STEP;
    good = good && find_residuals(b, at, other);
    at[i] = w[i];
    for (size_t k = 0; k < m && good; k++) {
      column[k] = (column[k] - other[k]) / (2 * STEP);
    }
  }
  if (other == NULL) {
    rh_memory_fail();
  }
  rh_free(other);
  return good;
}

// ---- Values

static void add_value(balance *b, const char *path, double lo, double hi, double sure)
{
  char text[RH_FIT_PATH + 64];
  rh_fit_value value;
  (void)snprintf(text, sizeof text, "%s=%.17g:%.17g", path, lo, hi);
  if (b->n == RH_FIT_MEASURES || !(lo < hi) || rh_fit_read_value(text, &value) != RH_OK ||
      !rh_fit_may_be_free(b->work->problem, &value) || !(value.start >= lo && value.start <= hi) ||
      rh_fit_scale_value(&value) != RH_OK) {
    return;
  }
  b->value[b->n] = value;
  b->begin[b->n] = rh_fit_to_search(&value, value.start);
  b->sure[b->n++] = value.scale == RH_FIT_LOG ? sure : sure / value.size;
}

// Bounds are not in the middle about the scene's values: MINPACK's first step is as long as the start is from there.
static void list_values(balance *b, const rh_model *m)
{
  const char *body = rh_model_name(m, RH_OBJECT_BODY, b->rows->body);
  double size = b->rows->reach;
  char path[RH_FIT_PATH];
  for (int k = 0; k < 3 && !b->work->job->centre_held; k++) {
    (void)snprintf(path, sizeof path, "bodies.%s.com[%d]", body, k);
    add_value(b, path, -0.5 * size, 0.6 * size, 0.05 * size);
  }
  for (int k = 0; k < 3; k++) {
    double now = k == 0   ? b->rows->inertia.I.xx
                 : k == 1 ? b->rows->inertia.I.yy
                          : b->rows->inertia.I.zz;
    (void)snprintf(path, sizeof path, "bodies.%s.inertia[%d]", body, k);
    add_value(b, path, 0.2 * now, 8 * now, 0.25);
  }
  for (int i = 0; i < m->nshape; i++) {
    if (m->shape[i].body == b->rows->body && rh_row_find(&m->shape[i].kind->row, "round") >= 0) {
      const char *name = rh_model_name(m, RH_OBJECT_SHAPE, i);
      bool named = strncmp(name, "shapes.", 7) != 0; // else "shapes.1", a path already
      (void)snprintf(path, sizeof path, "%s%s.round", named ? "shapes." : "", name);
      add_value(b, path, 0, 0.3 * size, 0.04 * size);
    }
  }
}

// ---- The result

static int compare_numbers(const void *a, const void *b)
{
  double x = *(const double *)a;
  double y = *(const double *)b;
  return (x > y) - (x < y);
}

// Impacts that are far off are left out: those that were not single.
static bool judge_knocks(balance *b, const double *w, double *r)
{
  int n = b->knocks->n;
  double *list = rh_alloc((size_t)(n + 1) * sizeof *list);
  b->pass = true;
  bool good = list != NULL && find_residuals(b, w, r);
  b->pass = false;
  for (int i = 0; i < n && good; i++) {
    const double *u = r + 3 * (size_t)i;
    b->knocks->at[i].off = sqrt((u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) / 3);
    list[i] = b->knocks->at[i].off;
  }
  if (good && n > 0) {
    qsort(list, (size_t)n, sizeof *list, compare_numbers);
  }
  for (int i = 0; i < n && good; i++) {
    b->knocks->at[i].odd = b->knocks->at[i].off > ODD * list[n / 2];
  }
  rh_free(list);
  return good;
}

// Measures of the values that are searched for; the least certain one that is not determined is returned, RH_NONE: all are.
static int put_measures(const balance *b, const double *w, const double *r, const double *J,
                        rh_fit_impacts *out, double *axes)
{
  double axis[RH_FIT_VALUES * RH_FIT_VALUES];
  double curve[RH_FIT_VALUES];
  double covariance[RH_FIT_VALUES * RH_FIT_VALUES];
  int m = 3 * b->knocks->n + b->n;
  int count = -b->n;
  int worst = RH_NONE;
  double most = 1;
  double sum = 0;
  for (int i = 0; i < 3 * b->knocks->n; i++) {
    count += fabs(r[i]) > 1e-9; // what is zero was not measured: bodies that move in a plane
    sum += r[i] * r[i];
  }
  out->rms = sqrt(sum / fmax(count, 1));
  rh_fit_covariance(m, b->n, J, axis, curve, covariance);
  for (int i = 0; i < b->n; i++) {
    rh_fit_measure *measure = &out->measure[i];
    double deviation = fmax(out->rms, b->knocks->by_rows ? 0 : 1) * sqrt(covariance[i * b->n + i]);
    const rh_fit_value *v = &b->value[i];
    *measure = (rh_fit_measure){.determined = true};
    (void)snprintf(measure->name, sizeof measure->name, "%s", v->name);
    measure->x = rh_fit_from_search(v, w[i]);
    measure->low = rh_fit_from_search(v, w[i] - 1.96 * deviation);
    measure->high = rh_fit_from_search(v, w[i] + 1.96 * deviation);
    if (deviation / b->sure[i] > most) {
      most = deviation / b->sure[i];
      worst = i;
    }
  }
  double scale = fmax(out->rms, b->knocks->by_rows ? 0 : 1);
  for (int i = 0; i < b->n * b->n; i++) {
    axes[i] = scale * axis[i] / sqrt(curve[i % b->n]);
  }
  out->nmeasure = b->n;
  return worst;
}

static rh_status search_values(balance *b, double *w, double *r, double *J)
{
  double lo[RH_FIT_MEASURES];
  double hi[RH_FIT_MEASURES];
  for (int i = 0; i < b->n; i++) {
    lo[i] = rh_fit_to_search(&b->value[i], b->value[i].lo);
    hi[i] = rh_fit_to_search(&b->value[i], b->value[i].hi);
    w[i] = b->begin[i];
  }
  const rh_fit_least least = {.m = 3 * b->knocks->n + b->n,
                              .n = b->n,
                              .user = b,
                              .residual = find_residuals,
                              .slopes = find_slopes,
                              .lo = lo,
                              .hi = hi,
                              .most = SEARCHES,
                              .tolerance = 1e-8};
  for (int pass = 0; pass < 2; pass++) { // the second one without odd impacts
    rh_fit_found found = {0};
    if (!judge_knocks(b, w, r)) {
      return RH_OUT_OF_MEMORY;
    }
    RH_TRY(rh_fit_minimise(&least, w, r, J, &found));
  }
  return RH_OK;
}

static void remove_value(balance *b, int i)
{
  b->n--;
  for (; i < b->n; i++) {
    b->value[i] = b->value[i + 1];
    b->begin[i] = b->begin[i + 1];
    b->sure[i] = b->sure[i + 1];
  }
}

// Values that the impacts do not determine stay as the scene has them, one after the other, and the rest is searched for again.
static rh_status find_measures(balance *b, double *r, double *J, rh_fit_impacts *out,
                               rh_fit_found_body *found)
{
  char left[RH_FIT_MEASURES][RH_FIT_PATH + 8];
  int nleft = 0;
  double w[RH_FIT_VALUES] = {0};
  while (b->n > 0) {
    RH_TRY(search_values(b, w, r, J));
    int worst = put_measures(b, w, r, J, out, found->axis);
    if (worst == RH_NONE) {
      break;
    }
    memcpy(left[nleft++], b->value[worst].name, sizeof left[0]);
    remove_value(b, worst);
    out->nmeasure = 0;
  }
  for (int i = 0; i < nleft; i++) {
    rh_fit_measure *measure = &out->measure[out->nmeasure++];
    *measure = (rh_fit_measure){.determined = false};
    memcpy(measure->name, left[i], sizeof left[0]);
  }
  found->n = b->n;
  memcpy(found->value, b->value, sizeof found->value);
  memcpy(found->w, w, sizeof found->w);
  return RH_OK;
}

rh_status rh_fit_body_world(const rh_fit_work *work, const rh_fit_found_body *found, int axis,
                            rh_fit_world *world)
{
  double x[RH_FIT_MEASURES];
  for (int i = 0; i < found->n; i++) {
    const rh_fit_value *v = &found->value[i];
    double w = found->w[i] + (axis != RH_NONE ? found->axis[i * found->n + axis] : 0);
    x[i] = fmin(fmax(rh_fit_from_search(v, w), v->lo), v->hi);
  }
  return rh_fit_world_with(work->problem, work->w, found->value, x, found->n, world);
}

rh_status rh_fit_balance(rh_fit_work *work, const rh_fit_rows *rows, rh_fit_knocks *knocks,
                         rh_fit_impacts *out, rh_fit_found_body *found)
{
  balance *b = rh_alloc(sizeof *b);
  size_t m = 3 * (size_t)knocks->n + RH_FIT_MEASURES;
  double *r = rh_alloc(m * (RH_FIT_MEASURES + 1) * sizeof *r);
  rh_fit_world world = {0};
  rh_status status = b != NULL && r != NULL ? RH_OK : RH_OUT_OF_MEMORY;
  *found = (rh_fit_found_body){0};
  if (status == RH_OK) {
    *b = (balance){.work = work, .rows = rows, .knocks = knocks};
    out->impacts = knocks->n;
    out->crowded = knocks->crowded;
    out->by_rows = knocks->by_rows;
    memcpy(out->noise, rows->noise, sizeof out->noise);
    status = rh_fit_body_world(work, found, RH_NONE, &world);
  }
  if (status == RH_OK && knocks->n >= WORTH) {
    list_values(b, world.model);
  }
  rh_fit_world_free(&world);
  if (status == RH_OK) {
    status = find_measures(b, r, r + m, out, found);
  }
  for (int i = 0; i < knocks->n; i++) {
    out->left_out += knocks->at[i].odd;
  }
  rh_free(b);
  rh_free(r);
  return status;
}
