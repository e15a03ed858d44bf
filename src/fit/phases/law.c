// law.c: the values of the scene's impact law from single impacts: each is solved by the law with the measured velocity before it and
// the inertia at its contact, and compared with the velocity after it; residuals are over the errors of both velocities.
#include "phases.h"

#include "impact/impact.h"
#include "math/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEP   1e-3 // of a logarithm
#define TETHER 0.05
#define NUDGE  1e-3 // of the velocity before, for its effect on the one after
#define ODD    4.0  // times the usual residual
#define SURE   0.5  // deviation of a logarithm above which a value is not determined

enum { USED_MOST = 240, SPRINGS_MOST = 100, WORTH = 5, WORTH_POWERS = 20, SEARCHES = 40 };

enum { LAW_E, LAW_MU, LAW_ETA2, LAW_E_POWER, LAW_MU_POWER, LAW_VALUES };

typedef struct law_fit {
  const rh_impact_law *law;
  const rh_fit_jump *jump;
  int n, stride;
  double speed; // [m/s] of which e and mu are
  int free[LAW_VALUES], nfree;
  double at[LAW_VALUES], begin[LAW_VALUES]; // logarithms; powers as they are
  double L[USED_MOST][9];                   // factors of the covariances
  bool odd[USED_MOST];
  bool scaled; // the errors are known up to a factor only
} law_fit;

static bool solve_impact(const law_fit *f, const rh_fit_jump *jump, const double u[3],
                         double end[3])
{
  double ratio = jump->speed / f->speed;
  rh_point_in in = {.u = {u[0], u[1], u[2]}};
  rh_point_out out;
  memcpy(in.W, jump->W, sizeof in.W);
  in.e = fmin(rh_exp(f->at[LAW_E]) * rh_pow(ratio, -f->at[LAW_E_POWER]), 1);
  in.mu_s = in.mu_k = rh_exp(f->at[LAW_MU]) * rh_pow(ratio, -f->at[LAW_MU_POWER]);
  in.eta2 = f->law->tangential_spring ? rh_exp(f->at[LAW_ETA2]) : 0;
  if (!(u[2] < 0)) {
    memcpy(end, u, 3 * sizeof *u);
    return true;
  }
  bool good = rh_point_impact(f->law, &in, &out);
  memcpy(end, out.u, sizeof out.u);
  return good && isfinite(end[0] + end[1] + end[2]);
}

// Covariance of end - law(u) at the present values, factored
static bool find_factor(const law_fit *f, const rh_fit_jump *jump, double L[9])
{
  double F[9];
  double end[2][3];
  double size = fabs(jump->u[0]) + fabs(jump->u[1]) + fabs(jump->u[2]);
  for (int k = 0; k < 3; k++) {
    for (int side = 0; side < 2; side++) {
      double u[3] = {jump->u[0], jump->u[1], jump->u[2]};
      u[k] += (side == 0 ? 1 : -1) * NUDGE * size;
      if (!solve_impact(f, jump, u, end[side])) {
        return false;
      }
    }
    for (int i = 0; i < 3; i++) {
      F[3 * i + k] = (end[0][i] - end[1][i]) / (2 * NUDGE * size);
    }
  }
  double trace = 0;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      double sum = jump->Cend[3 * i + k];
      for (int s = 0; s < 3; s++) {
        sum -= F[3 * i + s] * jump->Cross[3 * k + s] + F[3 * k + s] * jump->Cross[3 * i + s];
        for (int q = 0; q < 3; q++) {
          sum += F[3 * i + s] * jump->Cu[3 * s + q] * F[3 * k + q];
        }
      }
      L[3 * i + k] = sum;
    }
    trace += L[4 * i];
  }
  for (int i = 0; i < 3; i++) {
    L[4 * i] += 1e-6 * trace;
  }
  return rh_cholesky(3, L);
}

static void set_values(law_fit *f, const double *w)
{
  for (int i = 0; i < f->nfree; i++) {
    f->at[f->free[i]] = w[i];
  }
}

static bool find_residuals(void *user, const double *w, double *r)
{
  law_fit *f = user;
  set_values(f, w);
  for (int i = 0; i < f->n; i++) {
    const rh_fit_jump *jump = &f->jump[i * f->stride];
    double *u = r + 3 * (size_t)i;
    double end[3];
    memset(u, 0, 3 * sizeof *u);
    if (f->odd[i] || !solve_impact(f, jump, jump->u, end)) {
      continue;
    }
    for (int k = 0; k < 3; k++) {
      double sum = jump->end[k] - end[k];
      for (int s = 0; s < k; s++) {
        sum -= f->L[i][3 * k + s] * u[s];
      }
      u[k] = sum / f->L[i][4 * k];
    }
  }
  for (int i = 0; i < f->nfree; i++) {
    r[3 * f->n + i] = TETHER * (w[i] - f->begin[f->free[i]]);
  }
  return true;
}

static bool find_slopes(void *user, const double *w, const double *r, double *J)
{
  law_fit *f = user;
  size_t m = (size_t)(3 * f->n + f->nfree);
  double at[LAW_VALUES];
  double *other = rh_alloc((m + 1) * sizeof *other);
  (void)r;
  memcpy(at, w, (size_t)f->nfree * sizeof *w);
  for (int i = 0; i < f->nfree && other != NULL; i++) {
    double *column = J + (size_t)i * m;
    at[i] = w[i] + STEP;
    (void)find_residuals(f, at, column);
    at[i] = w[i] - STEP;
    (void)find_residuals(f, at, other);
    at[i] = w[i];
    for (size_t k = 0; k < m; k++) {
      column[k] = (column[k] - other[k]) / (2 * STEP);
    }
  }
  if (other == NULL) {
    rh_memory_fail();
  }
  rh_free(other);
  return other != NULL;
}

static int compare_numbers(const void *a, const void *b)
{
  double x = *(const double *)a;
  double y = *(const double *)b;
  return (x > y) - (x < y);
}

// Factors at the present values; impacts that are far off are left out.
static void prepare_pass(law_fit *f, const double *w, double *r, bool judge)
{
  double off[USED_MOST];
  double sorted[USED_MOST];
  set_values(f, w);
  for (int i = 0; i < f->n; i++) {
    f->odd[i] = !find_factor(f, &f->jump[i * f->stride], f->L[i]);
  }
  (void)find_residuals(f, w, r);
  for (int i = 0; i < f->n; i++) {
    const double *u = r + 3 * (size_t)i;
    off[i] = sorted[i] = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  }
  qsort(sorted, (size_t)f->n, sizeof *sorted, compare_numbers);
  for (int i = 0; i < f->n && judge; i++) {
    f->odd[i] = f->odd[i] || off[i] > ODD * sorted[f->n / 2];
  }
}

static rh_status search_values(law_fit *f, double *r, double *J, double *deviation)
{
  static const double low[LAW_VALUES] = {-7, -7, -9.2, -3, -3};
  static const double high[LAW_VALUES] = {0, 3, 5, 3, 3};
  double w[RH_FIT_VALUES];
  double lo[LAW_VALUES];
  double hi[LAW_VALUES];
  int m = 3 * f->n + f->nfree;
  for (int i = 0; i < f->nfree; i++) {
    w[i] = f->at[f->free[i]];
    lo[i] = low[f->free[i]];
    hi[i] = high[f->free[i]];
  }
  const rh_fit_least least = {.m = m,
                              .n = f->nfree,
                              .user = f,
                              .residual = find_residuals,
                              .slopes = find_slopes,
                              .lo = lo,
                              .hi = hi,
                              .most = SEARCHES,
                              .tolerance = 1e-6};
  rh_fit_found found = {0};
  for (int pass = 0; pass < 2; pass++) {
    prepare_pass(f, w, r, pass > 0);
    RH_TRY(rh_fit_minimise(&least, w, r, J, &found));
  }
  set_values(f, w);
  double axis[RH_FIT_VALUES * RH_FIT_VALUES];
  double curve[RH_FIT_VALUES];
  double covariance[RH_FIT_VALUES * RH_FIT_VALUES];
  int count = -f->nfree;
  double sum = 0;
  for (int i = 0; i < 3 * f->n; i++) {
    count += fabs(r[i]) > 1e-9;
    sum += r[i] * r[i];
  }
  rh_fit_covariance(m, f->nfree, J, axis, curve, covariance);
  deviation[LAW_VALUES] = sqrt(sum / fmax(count, 1));
  for (int i = 0; i < f->nfree; i++) {
    deviation[f->free[i]] =
        fmax(deviation[LAW_VALUES], f->scaled ? 0 : 1) * sqrt(covariance[i * f->nfree + i]);
  }
  return RH_OK;
}

static void put_measures(const law_fit *f, const double *deviation, rh_fit_jumps *out)
{
  static const char *const name[LAW_VALUES] = {"e", "mu", "eta2", "e_power", "mu_power"};
  for (int i = 0; i < f->nfree; i++) {
    int k = f->free[i];
    bool power = k >= LAW_E_POWER;
    double half = 1.96 * deviation[k];
    rh_fit_measure *measure = &out->value[out->nvalue++];
    *measure = (rh_fit_measure){.determined = deviation[k] < SURE};
    (void)snprintf(measure->name, sizeof measure->name, "%s", name[k]);
    measure->x = power ? f->at[k] : rh_exp(f->at[k]);
    measure->low = power ? f->at[k] - half : rh_exp(f->at[k] - half);
    measure->high = power ? f->at[k] + half : rh_exp(f->at[k] + half);
  }
}

rh_status rh_fit_law_of_jumps(const rh_model_contact *contact, const rh_fit_jump *jump, int n,
                              bool scaled, rh_fit_jumps *out)
{
  if (contact->impact == NULL || contact->law != NULL || contact->impact->impulse_ratio ||
      n < WORTH) {
    return RH_OK;
  }
  law_fit *f = rh_alloc(sizeof *f);
  double *r = rh_alloc((3 * (size_t)USED_MOST + LAW_VALUES) * (LAW_VALUES + 1) * sizeof *r);
  double deviation[LAW_VALUES + 1] = {0};
  rh_status status = f != NULL && r != NULL ? RH_OK : RH_OUT_OF_MEMORY;
  if (status == RH_OK) {
    *f = (law_fit){.law = contact->impact, .jump = jump, .scaled = scaled};
    int most = f->law->tangential_spring ? SPRINGS_MOST : USED_MOST; // a course takes longer
    f->stride = 1 + (n - 1) / most;
    f->n = (n + f->stride - 1) / f->stride;
    for (int i = 0; i < n; i++) {
      f->speed += rh_log(jump[i].speed) / n;
    }
    f->speed = rh_exp(f->speed);
    f->at[LAW_E] = f->begin[LAW_E] = rh_log(fmin(fmax(out->bounce.x, 0.02), 0.98));
    f->at[LAW_MU] = f->begin[LAW_MU] =
        rh_log(isfinite(out->ratio.x) ? fmin(fmax(out->ratio.x, 0.01), 5) : 0.3);
    f->at[LAW_ETA2] = f->begin[LAW_ETA2] = rh_log(0.3);
    f->free[f->nfree++] = LAW_E;
    f->free[f->nfree++] = LAW_MU;
    if (f->law->tangential_spring) {
      f->free[f->nfree++] = LAW_ETA2;
    }
    status = search_values(f, r, r + 3 * USED_MOST + LAW_VALUES, deviation);
  }
  if (status == RH_OK) {
    (void)snprintf(out->law, sizeof out->law, "%s", f->law->row.name);
    out->law_rms = deviation[LAW_VALUES];
    out->law_speed = f->speed;
    put_measures(f, deviation, out);
  }
  if (status == RH_OK && n >= WORTH_POWERS) { // how both change with the speed of approach
    int first = f->nfree;
    f->free[f->nfree++] = LAW_E_POWER;
    f->free[f->nfree++] = LAW_MU_POWER;
    status = search_values(f, r, r + 3 * USED_MOST + LAW_VALUES, deviation);
    if (status == RH_OK) {
      memmove(f->free, f->free + first, 2 * sizeof *f->free);
      f->nfree = 2;
      put_measures(f, deviation, out);
    }
  }
  rh_free(f);
  rh_free(r);
  return status == RH_NOT_FINITE ? RH_OK : status;
}
