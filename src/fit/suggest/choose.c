// choose.c: what a user need not give: how the measured numbers are weighed against each other, the windows that trials are cut
// into, and whether odd residuals are to count less. All by the data and the residuals of the scene.
#include "suggest.h"

#include "fit/fit_trial.h"

#include <math.h>
#include <string.h>

#define SOFT 2.0  // deviations, as of --robust (trial.c)
#define ODD  0.07 // part beyond two deviations; of the normal distribution 0.046
#define PART 0.5  // of the length of a trial: windows

// ---- Phases

// With the model in force, by whole trials: `find` is rh_fit_of_flights or rh_fit_of_phases.
static rh_status find_by_themselves(rh_suggester *sg, const rh_fit_change *extra,
                                    rh_status (*find)(rh_fit_work *work))
{
  rh_suggest_fit fit;
  rh_fit_answer *answer = rh_alloc(sizeof *answer);
  rh_status status =
      answer != NULL ? rh_suggest_open(sg, RH_SUGGEST_WHOLE, extra, false, &fit) : RH_OUT_OF_MEMORY;
  if (status == RH_OK) {
    fit.job.centre_held = sg->centre_held;
    rh_fit_work work = {.job = &fit.job,
                        .data = &sg->data[RH_SUGGEST_WHOLE],
                        .problem = fit.problem,
                        .answer = answer,
                        .diag = sg->diag};
    memcpy(work.w, fit.w, sizeof work.w);
    memcpy(answer->channel, sg->data[RH_SUGGEST_WHOLE].channel, sizeof answer->channel);
    rh_fit_name_joints(fit.problem, answer);
    memcpy(sg->joint, answer->joint, sizeof sg->joint);
    status = find(&work);
    memcpy(sg->flights, answer->flights, sizeof sg->flights);
    memcpy(sg->impacts, answer->impacts, sizeof sg->impacts);
    memcpy(sg->slides, answer->slides, sizeof sg->slides);
    sg->njoint = rh_fit_map_of(fit.problem)->nturn;
    sg->njoint = sg->njoint < RH_FIT_JOINTS ? sg->njoint : RH_FIT_JOINTS;
    for (int i = 0; i < sg->njoint; i++) {
      sg->to->measured[i] = sg->flights[i].flights > 0 ? sg->flights[i].rms : 0;
    }
  }
  if (answer != NULL) {
    rh_suggest_close(&fit);
  }
  rh_free(answer);
  return status;
}

rh_status rh_suggest_find_phases(rh_suggester *sg)
{
  memcpy(sg->data[RH_SUGGEST_WHOLE].noise, sg->noise, sizeof sg->noise); // as the last fit has it
  rh_fit_change *edges = rh_alloc(sizeof *edges);
  rh_status status = edges != NULL ? rh_suggest_round_edges(sg, edges) : RH_OUT_OF_MEMORY;
  if (status == RH_OK) {
    status = find_by_themselves(sg, edges, rh_fit_of_phases);
  }
  rh_free(edges);
  return status;
}

// ---- Noise

typedef struct sorted { // the residuals of channels that share a noise
  double *x;
  int n;
} sorted;

// Channels of one kind: the place of a joint, its attitude; others alone. Returns the first channel of the group.
static int group_of(const rh_fit_problem *problem, int channel)
{
  const rh_fit_map *map = rh_fit_map_of(problem);
  for (int i = 0; i < map->nturn; i++) {
    int place[3];
    bool placed = rh_fit_place_of(problem, i, place);
    for (int k = 0; k < 4; k++) {
      if (map->turn[i][k] == channel) {
        return map->turn[i][0];
      }
      if (placed && k < 3 && place[k] == channel) {
        return place[0];
      }
    }
  }
  return channel;
}

// The deviation over which the mean of the softened squares is 1; `odd` counts those beyond two of it.
static double find_scale(const sorted *s, bool robust, int *odd)
{
  double scale = 0;
  for (int k = 0; k < s->n; k++) {
    scale += s->x[k] * s->x[k];
  }
  scale = sqrt(scale / s->n);
  for (int turn = 0; turn < 60 && robust && scale > 0; turn++) {
    double mean = 0;
    for (int k = 0; k < s->n; k++) {
      double x = s->x[k] / scale;
      mean += 2 * SOFT * SOFT * (sqrt(1 + x * x / (SOFT * SOFT)) - 1) / s->n;
    }
    scale *= sqrt(mean);
  }
  for (int k = 0; k < s->n; k++) {
    *odd += fabs(s->x[k]) > 2 * scale;
  }
  return scale;
}

static void gather_group(const rh_suggester *sg, const rh_suggest_fit *fit, int group, sorted *s)
{
  s->n = 0;
  for (int i = 0; i < sg->data[RH_SUGGEST_WINDOWS].ntrial; i++) {
    rh_fit_walk walk = rh_fit_walk_begin(&sg->data[RH_SUGGEST_WINDOWS], fit->problem, i);
    while (rh_fit_walk_next(&walk)) {
      double x = fit->r[walk.residual] * sg->noise[walk.channel];
      if (group_of(fit->problem, walk.channel) == group && x != 0) { // that of qw is always 0
        s->x[s->n++] = x;
      }
    }
  }
}

static rh_status set_noise(rh_suggester *sg, const rh_suggest_fit *fit)
{
  rh_fit_suggestions *to = sg->to;
  const rh_fit_data *d = &sg->data[RH_SUGGEST_WINDOWS];
  sorted s = {.x = rh_alloc(((size_t)fit->m + 1) * sizeof *s.x)};
  int odd = 0;
  int all = 0;
  if (s.x == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  double scale[2][RH_FIT_CHANNELS];
  double least[RH_FIT_CHANNELS];
  rh_fit_least_noise(fit->problem, least);
  for (int c = 0; c < d->nchannel; c++) {
    int none = 0;
    scale[0][c] = scale[1][c] = 1;
    gather_group(sg, fit, group_of(fit->problem, c), &s);
    if (s.n > 0) {
      scale[0][c] = find_scale(&s, false, &none);
      scale[1][c] = find_scale(&s, true, &odd);
      all += s.n;
    }
  }
  to->odd = all > 0 ? (double)odd / all : 0;
  to->robust = to->chose_robust ? to->odd > ODD : sg->job->robust;
  for (int c = 0; c < d->nchannel && to->chose_noise; c++) {
    char text[32]; // as it is printed
    double x = scale[to->robust][c] > 0 ? fmax(scale[to->robust][c], least[c]) : 1;
    (void)snprintf(text, sizeof text, "%.3g", x);
    (void)rh_number_read(text, &to->noise[c]);
    sg->noise[c] = to->noise[c];
  }
  rh_free(s.x);
  return RH_OK;
}

rh_status rh_suggest_choose_noise(rh_suggester *sg)
{
  rh_suggest_fit fit;
  if (!sg->to->chose_noise && !sg->to->chose_robust) {
    return RH_OK;
  }
  rh_status status = rh_suggest_open(sg, RH_SUGGEST_WINDOWS, NULL, false, &fit);
  if (status == RH_OK) {
    status = rh_fit_evaluate(fit.problem, fit.w, fit.r) ? set_noise(sg, &fit) : RH_NOT_FINITE;
  }
  rh_suggest_close(&fit);
  return status;
}

// ---- Windows

static double median_length(const rh_fit_data *d)
{
  double low = 0;
  double high = 0;
  for (int i = 0; i < d->ntrial; i++) {
    const rh_fit_trial *t = &d->trial[i];
    high = fmax(high, d->t[t->first + t->n - 1] - d->t[t->first]);
  }
  for (int turn = 0; turn < 50; turn++) {
    double middle = 0.5 * (low + high);
    int below = 0;
    for (int i = 0; i < d->ntrial; i++) {
      const rh_fit_trial *t = &d->trial[i];
      below += d->t[t->first + t->n - 1] - d->t[t->first] <= middle;
    }
    *(2 * below >= d->ntrial ? &high : &low) = middle;
  }
  return high;
}

static rh_status cut_windows(rh_suggester *sg)
{
  rh_fit_suggestions *to = sg->to;
  rh_suggest_fit fit;
  if (!to->at_contacts) {
    return to->window > 0 ? rh_fit_cut(&sg->data[RH_SUGGEST_WINDOWS], to->window) : RH_OK;
  }
  memcpy(sg->data[RH_SUGGEST_WINDOWS].noise, sg->noise,
         sizeof sg->noise); // how far apart shapes are to be
  rh_status status = rh_suggest_open(sg, RH_SUGGEST_WHOLE, NULL, false, &fit);
  if (status == RH_OK) {
    status = rh_fit_cut_at_contacts(&sg->data[RH_SUGGEST_WINDOWS], fit.problem, to->window);
  }
  rh_suggest_close(&fit);
  return status;
}

rh_status rh_suggest_choose(rh_suggester *sg)
{
  const rh_fit_job *job = sg->job;
  rh_fit_suggestions *to = sg->to;
  to->chose_noise = job->noise.n == 0;
  to->chose_robust = !job->robust;
  to->chose_window = !job->at_contacts && !(job->window > 0) && rh_fit_starts_measured(job);
  to->robust = job->robust;
  for (int c = 0; c < sg->data[RH_SUGGEST_WHOLE].nchannel; c++) {
    double given = sg->data[RH_SUGGEST_WHOLE].noise[c];
    sg->noise[c] = to->noise[c] = given > 0 ? given : 1;
  }
  RH_TRY(find_by_themselves(sg, NULL, rh_fit_of_flights));
  RH_TRY(rh_suggest_choose_noise(sg));
  memcpy(sg->data[RH_SUGGEST_WHOLE].noise, sg->noise,
         sizeof sg->noise);                                // how far apart shapes are to be
  RH_TRY(find_by_themselves(sg, NULL, rh_fit_of_flights)); // as the last fit will have them
  to->at_contacts = job->at_contacts;
  to->window = job->window;
  for (int i = 0; i < sg->njoint && to->chose_window; i++) {
    to->at_contacts = to->at_contacts || sg->flights[i].flights > 0;
  }
  if (to->chose_window && to->at_contacts) {
    char text[32]; // as it is printed
    (void)snprintf(text, sizeof text, "%.2g", PART * median_length(&sg->data[RH_SUGGEST_WHOLE]));
    (void)rh_number_read(text, &to->window);
  }
  to->chose_window = to->chose_window && to->at_contacts;
  RH_TRY(cut_windows(sg));
  return rh_suggest_choose_noise(sg);
}
