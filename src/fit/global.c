// global.c: where the search begins, if the scene's own values may be far off: NLopt's DIRECT-L (J. M. Gablonsky, C. T. Kelley,
// "A locally-biased form of the DIRECT algorithm", 2001), which divides the box of the values and is deterministic. A value
// without bounds: a factor of ten to both sides of the scene's.
#include "fit_belief.h"

#include <math.h>
#include <nlopt.h>
#include <string.h>

#define REACH 2.302585092994046 // log 10; of a linear value: sizes

typedef struct wide {
  rh_fit_work *k;
  double best[RH_FIT_VALUES];
  double least;
} wide;

// The logarithm: the sum falls by decades on the way to its place.
static double sum_at(unsigned n, const double *w, double *gradient, void *user)
{
  wide *at = user;
  rh_fit_work *k = at->k;
  double sum = 0;
  (void)gradient;
  bool good = rh_interrupt_seen() == 0 && rh_fit_evaluate(k->problem, w, k->r);
  for (int i = 0; good && i < k->m; i++) {
    sum += k->r[i] * k->r[i];
  }
  k->answer->evaluations++;
  if (good && sum < at->least) {
    at->least = sum;
    memcpy(at->best, w, n * sizeof *w);
  }
  return good && isfinite(sum) ? rh_log(sum + 1e-300) : 100;
}

rh_status rh_fit_search_widely(rh_fit_work *k)
{
  const double *lo;
  const double *hi;
  double low[RH_FIT_VALUES];
  double high[RH_FIT_VALUES];
  double w[RH_FIT_VALUES];
  wide at = {.k = k};
  rh_fit_bounds(k->problem, &lo, &hi);
  for (int i = 0; i < k->n; i++) {
    low[i] = isfinite(lo[i]) ? lo[i] : k->w[i] - REACH;
    high[i] = isfinite(hi[i]) ? hi[i] : k->w[i] + REACH;
  }
  at.least = HUGE_VAL;
  memcpy(w, k->w, sizeof w);
  // a journal has only its end: there may be a million evaluations
  uint64_t held = rh_fit_hash(1, &k->job->global, sizeof k->job->global);
  double found[3] = {0};
  if (rh_fit_take_search(k->problem, held, k->w, k->n, found)) {
    k->answer->evaluations += (int)found[1];
    return RH_OK;
  }
  rh_fit_journal_search(k->job->journal, false);
  int before = k->answer->evaluations;
  (void)sum_at((unsigned)k->n, w, NULL, &at); // the scene's own
  nlopt_opt search = nlopt_create(NLOPT_GN_DIRECT_L, (unsigned)k->n);
  if (search == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  bool good = nlopt_set_min_objective(search, sum_at, &at) >= 0 &&
              nlopt_set_lower_bounds(search, low) >= 0 &&
              nlopt_set_upper_bounds(search, high) >= 0 &&
              nlopt_set_maxeval(search, k->job->global) >= 0;
  double value = 0;
  nlopt_result end = good ? nlopt_optimize(search, w, &value) : NLOPT_OUT_OF_MEMORY;
  nlopt_destroy(search);
  if (rh_interrupt_seen() != 0) {
    return RH_INTERRUPTED;
  }
  if (end == NLOPT_OUT_OF_MEMORY) {
    return RH_OUT_OF_MEMORY;
  }
  if (isfinite(at.least)) {
    double begin[RH_FIT_VALUES];
    memcpy(begin, k->w, sizeof begin);
    memcpy(k->w, at.best, sizeof at.best);
    found[1] = k->answer->evaluations - before;
    rh_fit_put_search(k->problem, held, begin, k->w, k->n, found);
  }
  return RH_OK;
}
