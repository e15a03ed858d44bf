// jumps.c: the contact velocity before and after each single impact, and its impulse. The measured jumps are brought onto the
// momentum balance first (least squares with their covariance); what is left of their errors goes into every number below.
//   restitution    -u_n+ / u_n-            slides: the slip goes on in its direction; then |p_t| / p_n is the friction
//   sticks: none is left; reverses: it goes back, as a tangential spring has it
#include "phases.h"

#include "math/dense.h"
#include "math/tangents.h"

#include <math.h>
#include <string.h>

#define SURE 2.0 // deviations of the slip after, from which on it slides or reverses

#define CLEAR 0.2 // deviation of the slip over the slip before, above which nothing can be said

enum { ALL = 12 }; // numbers of an impact: velocities before, after

typedef struct cleaned { // an impact on the momentum balance
  double z[ALL];
  double K[ALL * ALL]; // covariance
} cleaned;

static bool clean_knock(const rh_fit_terms *terms, const rh_fit_knock *knock, cleaned *to)
{
  double L[9];
  double x[3];
  double G[ALL * 3]; // covariance of z with A d
  if (!rh_fit_weigh(terms, knock, L, x)) {
    return false;
  }
  memset(to, 0, sizeof *to);
  for (int i = 0; i < 6; i++) {
    to->z[i] = terms->before[i];
    to->z[6 + i] = terms->after[i];
    for (int k = 0; k < 6; k++) {
      to->K[i * ALL + k] = knock->Cb[6 * i + k];
      to->K[(6 + i) * ALL + 6 + k] = knock->Ca[6 * i + k];
    }
    for (int j = 0; j < 3; j++) {
      double before = 0;
      double after = 0;
      for (int k = 0; k < 6; k++) {
        before -= knock->Cb[6 * i + k] * terms->A[6 * j + k];
        after += knock->Ca[6 * i + k] * terms->A[6 * j + k];
      }
      double turn = i < 3 ? 0 : terms->D[3 * j + i - 3];
      G[3 * i + j] = before + knock->with_rate[0] * turn;
      G[3 * (6 + i) + j] = after + knock->with_rate[1] * turn;
    }
  }
  rh_cholesky_solve(3, L, x);
  for (int i = 0; i < ALL; i++) {
    double y[3] = {G[3 * i], G[3 * i + 1], G[3 * i + 2]};
    to->z[i] -= y[0] * x[0] + y[1] * x[1] + y[2] * x[2];
    rh_cholesky_solve(3, L, y);
    for (int k = 0; k < ALL; k++) {
      to->K[i * ALL + k] -= y[0] * G[3 * k] + y[1] * G[3 * k + 1] + y[2] * G[3 * k + 2];
    }
  }
  return true;
}

// A number f . z of an impact
typedef struct functional {
  double f[ALL];
} functional;

static double value_of(const functional *a, const cleaned *c)
{
  double sum = 0;
  for (int i = 0; i < ALL; i++) {
    sum += a->f[i] * c->z[i];
  }
  return sum;
}

static double covariance_of(const functional *a, const functional *b, const cleaned *c)
{
  double sum = 0;
  for (int i = 0; i < ALL; i++) {
    for (int k = 0; k < ALL; k++) {
      sum += a->f[i] * c->K[i * ALL + k] * b->f[k];
    }
  }
  return sum;
}

// Velocity of the contact point along an axis, before (side 0) or after
static functional velocity_along(const rh_fit_terms *terms, rh_vec3 axis, int side)
{
  functional a = {{0}};
  rh_vec3 turn = rh_cross(terms->r, axis);
  const double f[6] = {axis.x, axis.y, axis.z, turn.x, turn.y, turn.z};
  memcpy(a.f + 6 * side, f, sizeof f);
  return a;
}

static functional impulse_along(const rh_fit_terms *terms, rh_vec3 axis)
{
  functional a = {{0}};
  const double x[3] = {axis.x, axis.y, axis.z};
  for (int k = 0; k < 6; k++) {
    for (int i = 0; i < 3; i++) {
      a.f[6 + k] += x[i] * terms->P[6 * i + k];
    }
    a.f[k] = -a.f[6 + k];
  }
  return a;
}

// Deviation of the ratio a / b
static double ratio_deviation(const functional *a, const functional *b, const cleaned *c)
{
  double y = value_of(b, c);
  double ratio = value_of(a, c) / y;
  double square = covariance_of(a, a, c) - 2 * ratio * covariance_of(a, b, c) +
                  ratio * ratio * covariance_of(b, b, c);
  return sqrt(fmax(square, 0)) / fabs(y);
}

static void put_kind(rh_fit_jump *jump, const functional slip[2], const cleaned *c)
{
  double before = jump->slip[0];
  double unsure = sqrt(covariance_of(&slip[0], &slip[0], c));
  jump->slip_deviation = sqrt(covariance_of(&slip[1], &slip[1], c));
  double off = SURE * jump->slip_deviation;
  jump->kind = unsure > CLEAR * before || jump->slip_deviation > CLEAR * before ? RH_FIT_UNCLEAR
               : jump->after[0] > off                                           ? RH_FIT_SLIDES
               : jump->after[0] < -off                                          ? RH_FIT_REVERSES
                                                                                : RH_FIT_STICKS;
}

// The world's inertia at the contact, and velocities there with their covariances, for a law
static void put_law_terms(const rh_data *d, int body, const rh_fit_terms *terms,
                          const rh_vec3 axis[3], const cleaned *c, rh_fit_jump *jump)
{
  functional u[2][3];
  const rh_inertia *I = &d->kin[body].I;
  rh_vec3 com = rh_scale(1 / I->mass, I->h);
  rh_vec3 arm = rh_sub(terms->r, com);
  double M[9];
  for (int k = 0; k < 3; k++) { // inertia about the centre of mass, column by column
    rh_vec3 e = rh_v3(k == 0, k == 1, k == 2);
    rh_vec3 y = rh_sub(rh_sym3_mul(&I->I, e), rh_scale(-I->mass, rh_cross(com, rh_cross(com, e))));
    M[k] = y.x;
    M[3 + k] = y.y;
    M[6 + k] = y.z;
  }
  if (!rh_cholesky(3, M)) {
    return;
  }
  for (int i = 0; i < 3; i++) {
    rh_vec3 turn = rh_cross(arm, axis[i]);
    double x[3] = {turn.x, turn.y, turn.z};
    rh_cholesky_solve(3, M, x);
    rh_vec3 spin = rh_cross(rh_v3(x[0], x[1], x[2]), arm);
    for (int k = 0; k < 3; k++) {
      jump->W[3 * k + i] = rh_dot(axis[k], axis[i]) / I->mass + rh_dot(axis[k], spin);
    }
    for (int side = 0; side < 2; side++) {
      u[side][i] = velocity_along(terms, axis[i], side);
    }
    jump->u[i] = value_of(&u[0][i], c);
    jump->end[i] = value_of(&u[1][i], c);
  }
  for (int i = 0; i < 9; i++) {
    jump->Cu[i] = covariance_of(&u[0][i / 3], &u[0][i % 3], c);
    jump->Cend[i] = covariance_of(&u[1][i / 3], &u[1][i % 3], c);
    jump->Cross[i] = covariance_of(&u[1][i / 3], &u[0][i % 3], c);
  }
}

static bool read_jump(const rh_data *d, int body, const rh_fit_terms *terms, const cleaned *c,
                      rh_fit_jump *jump)
{
  rh_vec3 axis[3] = {{0, 0, 0}, {0, 0, 0}, terms->touch.n};
  rh_tangents_of(axis[2], &axis[0], &axis[1]);
  functional un[2] = {velocity_along(terms, axis[2], 0), velocity_along(terms, axis[2], 1)};
  functional ut[2] = {velocity_along(terms, axis[0], 0), velocity_along(terms, axis[1], 0)};
  double slip[2] = {value_of(&ut[0], c), value_of(&ut[1], c)};
  double size = rh_hypot(slip[0], slip[1]);
  rh_vec3 along = axis[0];
  if (size > 0) {
    along = rh_addscaled(rh_scale(slip[0] / size, axis[0]), slip[1] / size, axis[1]);
  }
  rh_vec3 across = rh_cross(axis[2], along);
  functional slide[2] = {velocity_along(terms, along, 0), velocity_along(terms, along, 1)};
  functional cross = velocity_along(terms, across, 1);
  functional pn = impulse_along(terms, axis[2]);
  functional pt = impulse_along(terms, rh_neg(along));
  *jump =
      (rh_fit_jump){.rule = terms->touch.rule, .point = terms->touch.point, .n = terms->touch.n};
  jump->speed = -value_of(&un[0], c);
  if (!(jump->speed > 0) || !(value_of(&pn, c) > 0)) {
    return false;
  }
  jump->slip[0] = size;
  jump->after[0] = value_of(&slide[1], c);
  jump->after[1] = value_of(&cross, c);
  jump->e = value_of(&un[1], c) / jump->speed;
  jump->e_deviation = ratio_deviation(&un[1], &un[0], c);
  jump->mu = value_of(&pt, c) / value_of(&pn, c);
  jump->mu_deviation = ratio_deviation(&pt, &pn, c);
  put_kind(jump, slide, c);
  put_law_terms(d, body, terms, axis, c, jump);
  return true;
}

// ---- Means

static bool find_means(const rh_fit_jump *jump, int n, rh_fit_jumps *out)
{
  double *x = rh_alloc((size_t)(2 * n + 1) * sizeof *x);
  if (x == NULL) {
    return false;
  }
  double *off = x + n;
  for (int i = 0; i < n; i++) {
    x[i] = jump[i].e;
    off[i] = jump[i].e_deviation;
    out->speed[0] = i == 0 ? jump[i].speed : fmin(out->speed[0], jump[i].speed);
    out->speed[1] = fmax(out->speed[1], jump[i].speed);
    out->count[jump[i].kind]++;
  }
  rh_fit_mean(x, off, n, &out->bounce);
  int used = 0;
  for (int i = 0; i < n; i++) {
    if (rh_fit_slides_straight(&jump[i])) {
      x[used] = jump[i].mu;
      off[used++] = jump[i].mu_deviation;
    }
  }
  rh_fit_mean(x, off, used, &out->ratio);
  used = 0;
  for (int i = 0; i < n; i++) {
    if (jump[i].kind == RH_FIT_STICKS || jump[i].kind == RH_FIT_REVERSES) {
      x[used] = -jump[i].after[0] / jump[i].slip[0];
      off[used++] = jump[i].slip_deviation / jump[i].slip[0];
    }
  }
  rh_fit_mean(x, off, used, &out->back);
  rh_free(x);
  return true;
}

// ---- All

// Jumps of one contact of the scene
static rh_status judge_rule(const rh_model *m, rh_fit_jump *jump, int n, int rule,
                            rh_fit_impacts *out)
{
  int used = 0;
  for (int i = 0; i < n; i++) { // those of the rule first, in their order
    if (jump[i].rule == rule) {
      rh_fit_jump swap = jump[i];
      jump[i] = jump[used];
      jump[used++] = swap;
    }
  }
  if (used == 0 || out->njumps == RH_FIT_RULES) {
    return RH_OK;
  }
  rh_fit_jumps *to = &out->jumps[out->njumps++];
  to->rule = rule;
  to->n = used;
  const char *name = rh_model_name(m, RH_OBJECT_CONTACT, rule);
  (void)snprintf(to->name, sizeof to->name, name[0] != '\0' ? "%s" : "contact %.0s%d", name, rule);
  if (!find_means(jump, used, to)) {
    return RH_OUT_OF_MEMORY;
  }
  rh_fit_find_trends(jump, used, to);
  return rh_fit_law_of_jumps(&m->contact[rule], jump, used, out->by_rows, to);
}

rh_status rh_fit_find_jumps(const rh_fit_world *best, const rh_fit_rows *rows,
                            const rh_fit_knocks *knocks, rh_fit_impacts *out)
{
  const rh_model *m = best->model;
  rh_data *d = rh_data_create(m);
  rh_fit_jump *jump = rh_alloc((size_t)(knocks->n + 1) * sizeof *jump);
  rh_status status = d != NULL && jump != NULL ? RH_OK : RH_OUT_OF_MEMORY;
  int n = 0;
  for (int i = 0; i < knocks->n && status == RH_OK; i++) {
    const rh_fit_knock *knock = &knocks->at[i];
    rh_fit_terms terms;
    cleaned c;
    if (!knock->odd && rh_fit_terms_of(d, rows->body, knock, &terms) &&
        clean_knock(&terms, knock, &c) && read_jump(d, rows->body, &terms, &c, &jump[n])) {
      n++;
    }
  }
  for (int rule = 0; rule < m->ncontact && status == RH_OK; rule++) {
    status = judge_rule(m, jump, n, rule, out);
  }
  rh_data_destroy(d);
  rh_free(jump);
  return status;
}
