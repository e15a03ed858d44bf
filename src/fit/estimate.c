// estimate.c: the search for the free values and what it says of them: intervals by the linear model, correlations, and
// whether the residuals are those of the measurements' noise.
#include "fit.h"

#include "fit_belief.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TOLERANCE 1e-9 // relative, of the sum of squares and of the values; or
#define SMALL                                                                                      \
  3e-3 // of the square of a residual of usual size: a twentieth of a deviation of the values, and less
#define COARSE 1e-3 // the tolerance of a first search by coarse differences

enum { AGAIN = 5 }; // searches from a lower sum that profiles have met

// ---- Deviations of the channels

// Where no noise is given: the spread of each channel, then its residuals, but no less than what is known of it.
static void guess_noise(const rh_fit_data *d, const rh_fit_problem *problem, double *noise)
{
  double least[RH_FIT_CHANNELS];
  rh_fit_least_noise(problem, least);
  for (int c = 0; c < d->nchannel; c++) {
    double sum = 0;
    double squares = 0;
    int n = 0;
    for (int k = 0; k < d->nrow; k++) {
      double x = d->value[(size_t)k * (size_t)d->nchannel + (size_t)c];
      if (isfinite(x)) {
        sum += x;
        squares += x * x;
        n++;
      }
    }
    double spread = n > 1 ? sqrt(fmax(squares - sum * sum / n, 0) / (n - 1)) : 0;
    spread = fmax(spread, least[c]);
    noise[c] = d->noise[c] > 0 ? d->noise[c] : spread > 0 ? spread : 1;
  }
}

// Root mean squares of the residuals of each channel, in its unit.
static void channel_residuals(const rh_fit_data *d, const rh_fit_problem *problem,
                              const double *noise, const double *r, double *rms)
{
  int count[RH_FIT_CHANNELS] = {0};
  memset(rms, 0, RH_FIT_CHANNELS * sizeof *rms);
  for (int i = 0; i < d->ntrial; i++) {
    rh_fit_walk walk = rh_fit_walk_begin(d, problem, i);
    while (rh_fit_walk_next(&walk)) {
      rms[walk.channel] += r[walk.residual] * r[walk.residual];
      count[walk.channel]++;
    }
  }
  for (int c = 0; c < d->nchannel; c++) {
    rms[c] = count[c] > 0 ? noise[c] * sqrt(rms[c] / count[c]) : 0;
  }
}

// ---- The search

void rh_fit_tell(rh_fit_work *k, const char *what)
{
  const rh_fit_job *job = k->job;
  int first = k->answer->noise_given ? 1 : 3;
  int all = first + (job->profile ? 2 * k->n : 0) + job->folds + job->bootstrap;
  rh_progress_count(&k->progress, k->done < all ? k->done : all - 1, all, what);
  k->done++;
}

// By coarse differences to one side first where contacts make the sum rough, by fine ones where slopes are differences, then, unless
// only the end matters, by the usual slopes.
static rh_status search_by_stages(rh_fit_work *k, rh_fit_least *least, bool quiet,
                                  rh_fit_found *found)
{
  const double step[] = {RH_FIT_ROUGH, RH_FIT_FINE, 0};
  const bool wanted[] = {k->job->robust || k->job->at_contacts, k->job->differences,
                         !quiet || !k->job->differences};
  const double usual = least->tolerance;
  int before = 0;
  for (int stage = 0; stage < 3; stage++) {
    if (!wanted[stage]) {
      continue;
    }
    least->bare = stage < 2 || quiet;
    least->slope_runs = stage < 2 ? k->n : 0;
    least->held = (uint64_t)(2 - stage);
    least->tolerance = stage == 0 ? fmax(usual, COARSE) : usual;
    rh_fit_set_one_sided(k->problem, step[stage]);
    rh_status status = rh_fit_minimise(least, k->w, k->r, k->J, found);
    rh_fit_set_one_sided(k->problem, 0);
    RH_TRY(status);
    found->evaluations += before;
    before = found->evaluations;
  }
  return RH_OK;
}

rh_status rh_fit_search(rh_fit_work *k, const double *noise, bool quiet)
{
  const double *lo;
  const double *hi;
  rh_fit_bounds(k->problem, &lo, &hi);
  rh_fit_set_noise(k->problem, noise);
  const rh_fit_recall recall = {k->problem, rh_fit_take_search, rh_fit_put_search};
  rh_fit_least least = {.m = k->m,
                        .n = k->n,
                        .user = k->problem,
                        .residual = rh_fit_evaluate,
                        .slopes = rh_fit_slopes,
                        .lo = lo,
                        .hi = hi,
                        .most = k->job->iterations,
                        .tolerance = fmax(TOLERANCE, SMALL / fmax(k->m - k->n, 1)),
                        .recall = &recall};
  rh_fit_found found = {.converged = true};
  if (k->n > 0) {
    RH_TRY(search_by_stages(k, &least, quiet, &found));
  } else if (rh_fit_evaluate(k->problem, k->w, k->r)) {
    for (int i = 0; i < k->m; i++) {
      found.sum += k->r[i] * k->r[i];
    }
  } else {
    return RH_NOT_FINITE;
  }
  k->answer->evaluations += found.evaluations;
  if (!quiet) {
    k->answer->converged = found.converged;
    k->answer->sum = found.sum;
  }
  return RH_OK;
}

static rh_status search_with_noise(rh_fit_work *k, const char *what)
{
  rh_fit_answer *a = k->answer;
  const rh_fit_data *d = k->data;
  double least[RH_FIT_CHANNELS];
  rh_fit_least_noise(k->problem, least);
  rh_fit_tell(k, what);
  RH_TRY(rh_fit_search(k, a->noise, false));
  for (int pass = 0; pass < 2 && !a->noise_given; pass++) {
    channel_residuals(d, k->problem, a->noise, k->r, a->channel_rms);
    for (int c = 0; c < d->nchannel; c++) {
      double found = fmax(a->channel_rms[c], least[c]);
      a->noise[c] = !(d->noise[c] > 0) && found > 0 ? found : a->noise[c];
    }
    rh_fit_tell(k, "search with the noise found");
    RH_TRY(rh_fit_search(k, a->noise, false));
  }
  channel_residuals(d, k->problem, a->noise, k->r, a->channel_rms);
  return RH_OK;
}

static rh_status search_all(rh_fit_work *k)
{
  rh_fit_answer *a = k->answer;
  a->noise_given = true;
  for (int c = 0; c < k->data->nchannel; c++) {
    a->noise_given = a->noise_given && k->data->noise[c] > 0;
  }
  guess_noise(k->data, k->problem, a->noise);
  return search_with_noise(k, "search");
}

// ---- What the result is worth

static void judge_linear(rh_fit_work *k)
{
  rh_fit_answer *a = k->answer;
  double covariance[RH_FIT_VALUES * RH_FIT_VALUES];
  rh_fit_covariance(k->m, k->n, k->J, k->axis, k->curve, covariance);
  double variance = rh_fit_variance(k);
  for (int i = 0; i < k->n; i++) {
    rh_fit_result *result = &a->result[i];
    result->deviation = sqrt(variance * covariance[i * k->n + i]);
    result->x = rh_fit_from_search(&a->value[i], k->w[i]);
    double half = k->factor * result->deviation;
    result->low = rh_fit_from_search(&a->value[i], k->w[i] - half);
    result->high = rh_fit_from_search(&a->value[i], k->w[i] + half);
    for (int j = 0; j < k->n; j++) {
      a->correlation[i * k->n + j] =
          covariance[i * k->n + j] / sqrt(covariance[i * k->n + i] * covariance[j * k->n + j]);
    }
  }
}

// What the data do not determine is left as the scene has it: the search wanders along a flat axis.
static rh_status return_along_flat(rh_fit_work *k)
{
  double back[RH_FIT_VALUES];
  double off = 0;
  memcpy(back, k->w, sizeof back);
  for (int a = 0; a < k->n; a++) {
    double along = 0;
    for (int i = 0; i < k->n; i++) {
      const rh_fit_value *v = &k->answer->value[i];
      along += k->axis[i * k->n + a] * (k->w[i] - rh_fit_to_search(v, v->start));
    }
    for (int i = 0; i < k->n && rh_fit_is_flat(k, a); i++) {
      back[i] -= along * k->axis[i * k->n + a];
      off = fmax(off, fabs(along));
    }
  }
  if (off == 0) {
    return RH_OK;
  }
  double here[RH_FIT_VALUES];
  double sum = k->answer->sum;
  memcpy(here, k->w, sizeof here);
  memcpy(k->w, back, sizeof back);
  RH_TRY(rh_fit_search(k, k->answer->noise, false));
  if (k->answer->sum > sum + 0.1 * rh_fit_variance(k)) { // the valley is not straight
    memcpy(k->w, here, sizeof here);
    RH_TRY(rh_fit_search(k, k->answer->noise, false));
  }
  judge_linear(k);
  return RH_OK;
}

static rh_status judge_result(rh_fit_work *k)
{
  rh_fit_answer *a = k->answer;
  memset(a->result, 0, sizeof a->result);
  judge_linear(k);
  RH_TRY(return_along_flat(k));
  a->failed = rh_fit_failures(k->problem);
  (void)snprintf(a->refused, sizeof a->refused, "%s", rh_fit_refusal(k->problem));
  a->integrated = rh_fit_integrated(k->problem, &a->not_integrated);
  a->excess = a->sum / a->freedom;
  a->bar = rh_fit_chi_bar(a->freedom);
  rh_fit_score_of(k->problem, k->data, k->r, NULL, &a->fit);
  return rh_fit_judge(k);
}

// Where contacts come in another order the sum has several valleys; a profile that meets a lower one shows where to search again.
static rh_status judge_the_least(rh_fit_work *k)
{
  k->moves = true;
  RH_TRY(judge_result(k));
  for (int again = 1; rh_fit_met_lower(k); again++) {
    if (again > AGAIN) {
      k->answer->converged = false;
      return RH_OK;
    }
    memcpy(k->w, k->least_w, sizeof k->w);
    RH_TRY(search_with_noise(k, "search from a lower sum"));
    k->moves = again < AGAIN;
    RH_TRY(judge_result(k));
  }
  return RH_OK;
}

static rh_status estimate_values(rh_fit_work *k)
{
  rh_fit_answer *a = k->answer;
  const rh_fit_value *value;
  a->nvalue = k->n = rh_fit_count(k->problem, &value);
  memcpy(a->value, value, sizeof a->value);
  a->trials = k->data->ntrial;
  a->nchannel = k->data->nchannel;
  memcpy(a->channel, k->data->channel, sizeof a->channel);
  for (int c = 0; c < a->nchannel; c++) {
    a->given[c] = k->data->noise[c] > 0;
  }
  k->m = rh_fit_residuals(k->problem);
  a->local = rh_fit_starts_found(k->problem);
  a->residuals = k->m - k->n - a->local; // without the tethers and the priors of starts
  a->freedom = a->residuals - k->n;      // a start that is found takes as many as its priors give
  if (a->freedom < 1) {
    return rh_refuse(RH_INPUT_REFUSED, "fit: %d measured numbers do not give %d values",
                     a->residuals, k->n);
  }
  k->r = rh_alloc((size_t)k->m * (size_t)(k->n + 1) * sizeof *k->r);
  if (k->r == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  k->J = k->r + k->m;
  for (int i = 0; i < k->n; i++) {
    k->w[i] = rh_fit_to_search(&a->value[i], a->value[i].start);
  }
  if (k->job->phases || k->job->global > 0) {
    guess_noise(k->data, k->problem, a->noise);
    rh_fit_set_noise(k->problem, a->noise);
  }
  if (k->job->phases) {
    RH_TRY(rh_fit_begin_by_phases(k));
  }
  if (k->job->global > 0 && k->n > 0) {
    RH_TRY(rh_fit_search_widely(k));
  }
  RH_TRY(search_all(k));
  k->factor = rh_fit_quantile(a->noise_given ? 0 : a->freedom);
  rh_fit_name_joints(k->problem, a);
  RH_TRY(judge_the_least(k));
  RH_TRY(rh_fit_of_flights(k));
  RH_TRY(rh_fit_resample(k));
  if (k->job->report == NULL) {
    return RH_OK;
  }
  RH_TRY(rh_fit_trace_profiles(k));
  return rh_fit_report(k);
}

rh_status rh_fit_estimate(const rh_fit_job *job, rh_diag *diag, rh_fit_answer *answer)
{
  rh_fit_data data = {0};
  rh_fit_work work = {.job = job, .data = &data, .answer = answer, .diag = diag};
  *answer = (rh_fit_answer){0};
  rh_status status = rh_fit_read_data(job, diag, &data);
  if (status == RH_OK && job->window > 0 && !job->at_contacts) {
    status = rh_fit_cut(&data, job->window);
  }
  if (status == RH_OK) {
    status = rh_fit_open(job, &data, diag, &work.problem);
  }
  if (status == RH_OK && job->at_contacts) { // the problem knows where the shapes are
    status = rh_fit_cut_at_contacts(&data, work.problem, job->window);
    rh_fit_close(work.problem);
    work.problem = NULL;
    status = status == RH_OK ? rh_fit_open(job, &data, diag, &work.problem) : status;
  }
  if (status == RH_OK) {
    rh_interrupt_catch();
    work.progress = rh_progress_begin(job->request, 0, 1);
    status = estimate_values(&work);
    rh_progress_end(&work.progress);
    // A run that had no memory is no run that is not finite.
    status = status == RH_NOT_FINITE && rh_memory_failed() ? RH_OUT_OF_MEMORY : status;
    if (status == RH_NOT_FINITE) {
      (void)rh_refuse(
          status, "fit: the scene has no finite run at the values it begins with, or near them");
    }
  }
  rh_fit_close(work.problem);
  rh_fit_free_data(&data);
  rh_free(work.r);
  return status;
}
