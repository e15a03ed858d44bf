// suggest.c: what a scene lacks to follow measured trials. Settings that were not asked for are chosen by the data; then, round by round,
// every change is tried by one step of the search, the most promising are fitted on windows and judged on whole trials that
// were left out, and the first that is better there is taken over. The last fit is the usual one of the scene found.
#include "suggest.h"

#include <math.h>
#include <string.h>

#define NEAR 1.3 // of the loss of the model: a change that comes so near is fitted finely too

enum { TRIED = 4 }; // changes of a round that are fitted

static rh_status check_job(const rh_fit_job *job, int trials)
{
  if (trials < 2) {
    return rh_refuse(RH_WRONG_USAGE,
                     "fit: --suggest judges changes on trials left out: two or more are needed");
  }
  return job->folds <= trials
             ? RH_OK
             : rh_refuse(RH_WRONG_USAGE, "fit: --folds takes 2 to the number of trials, %d",
                         trials);
}

static rh_status read_trials(rh_sg *sg)
{
  for (int i = 0; i < RH_SG_KINDS; i++) {
    RH_TRY(rh_fit_read_data(sg->job, sg->diag, &sg->data[i]));
  }
  sg->trials = sg->data[RH_SG_WHOLE].ntrial;
  RH_TRY(check_job(sg->job, sg->trials));
  for (int i = 0; i < 2; i++) {
    sg->loss[i] = rh_alloc((size_t)sg->trials * sizeof *sg->loss[i]);
    if (sg->loss[i] == NULL) {
      return RH_OUT_OF_MEMORY;
    }
  }
  return RH_OK;
}

static bool ends_all(rh_status status)
{
  return status == RH_INTERRUPTED || status == RH_OUT_OF_MEMORY;
}

// How much of the sum of squares one step with the change leaves; 1 where it cannot be tried.
static rh_status reach_of(const rh_sg *sg, const rh_sg_fit *base, rh_fit_change *change)
{
  rh_sg_fit fit;
  rh_status status = rh_sg_open(sg, RH_SG_WINDOWS, change, sg->to->robust, &fit);
  change->reach = 1;
  change->failed = status != RH_OK;
  if (status == RH_OK) {
    (void)rh_sg_try_step(&fit, base);
    change->reach = fit.sum > 0 && base->sum > 0 ? fit.sum / base->sum : 1;
  }
  rh_sg_close(&fit);
  return ends_all(status) ? status : rh_interrupt_seen() != 0 ? RH_INTERRUPTED : RH_OK;
}

static void tell_round(const rh_sg *sg, int i, const char *name)
{
  rh_progress progress = rh_progress_begin(sg->job->request, 0, 1);
  rh_progress_count(&progress, i, sg->to->n + TRIED, name);
  rh_progress_end(&progress);
}

typedef struct candidate { // a change that was fitted
  rh_fit_change *change;
  rh_words found; // its values
  double loss;
} candidate;

static double sum_losses(const rh_sg *sg, int which)
{
  double sum = 0;
  for (int i = 0; i < sg->trials; i++) {
    sum += sg->loss[which][i];
  }
  return sum;
}

// Fits a change and judges it. It becomes the best one if it is better than the model and than the best so far; `sure`: or only
// than that.
static rh_status try_change(rh_sg *sg, rh_fit_change *change, bool sure, candidate *best)
{
  rh_sg_fit fit;
  bool better = false;
  rh_status status = rh_sg_open(sg, RH_SG_WINDOWS, change, sg->to->robust, &fit);
  for (int fine = 0; fine < 2 && status == RH_OK && !better;
       fine++) { // the model was fitted finely
    if (fine > 0 && sum_losses(sg, 1) > NEAR * sum_losses(sg, 0)) {
      break;
    }
    status = rh_sg_search(&fit, fine > 0);
    if (status == RH_OK) {
      status = rh_sg_judge(sg, &fit, change, sg->loss[1], &change->left);
    }
    better = sure || rh_sg_is_better(sg->loss[0], sg->loss[1], sg->trials);
  }
  change->tried = status == RH_OK;
  change->failed = status != RH_OK;
  double loss = sum_losses(sg, 1);
  if (status == RH_OK && better && loss < best->loss) {
    rh_words_free(&best->found);
    best->change = change;
    best->loss = loss;
    status = rh_sg_found(&fit, &best->found);
  }
  rh_sg_close(&fit);
  return ends_all(status) ? status : RH_OK;
}

static rh_status take_over(rh_sg *sg, candidate *best)
{
  rh_fit_change *change = best->change;
  if (change == NULL) {
    return RH_OK;
  }
  change->taken = ++sg->to->taken;
  rh_words_free(&sg->to->found);
  sg->to->found = best->found;
  best->found = (rh_words){0};
  for (int k = 0; k < change->nfree; k++) {
    RH_TRY(rh_words_add(&sg->to->free, change->free[k], strlen(change->free[k])));
  }
  return RH_OK;
}

// What flights contradict needs no law of contact, and what impacts and slides say of friction no run of one: of the changes that
// mend it the best one is taken over in any case.
static rh_status mend_phases(rh_sg *sg, bool *taken)
{
  rh_fit_suggestions *s = sg->to;
  for (int group = 1; group <= RH_SG_GROUPS && !*taken; group++) {
    candidate best = {.loss = HUGE_VAL};
    bool before = false;
    rh_status status = RH_OK;
    for (int i = 0; i < s->n; i++) {
      before = before || (s->change[i].sure == group && s->change[i].taken > 0);
    }
    for (int i = 0; i < s->n && !before && status == RH_OK; i++) {
      if (s->change[i].sure == group) {
        tell_round(sg, i, s->change[i].name);
        status = try_change(sg, &s->change[i], true, &best);
      }
    }
    status = status == RH_OK ? take_over(sg, &best) : status;
    *taken = best.change != NULL;
    rh_words_free(&best.found);
    RH_TRY(status);
  }
  return RH_OK;
}

static rh_fit_change *find_best(rh_fit_suggestions *s, double above)
{
  rh_fit_change *best = NULL;
  for (int i = 0; i < s->n; i++) {
    rh_fit_change *c = &s->change[i];
    bool open = c->taken == 0 && !c->failed && c->reach > above && c->reach < 1;
    best = open && (best == NULL || c->reach < best->reach) ? c : best;
  }
  return best;
}

// The model in force, fitted twice: the noise follows from its residuals
static rh_status fit_model(rh_sg *sg, rh_sg_fit *base, rh_fit_score *score)
{
  for (int turn = 0;; turn++) {
    rh_status status = rh_sg_open(sg, RH_SG_WINDOWS, NULL, sg->to->robust, base);
    if (status == RH_OK) {
      status = rh_sg_search(base, turn > 0);
    }
    if (status == RH_OK &&
        turn > 0) { // before the values are those of the scene: their sizes follow from it
      status = rh_sg_judge(sg, base, NULL, sg->loss[0], score);
    }
    if (status == RH_OK) {
      status = rh_sg_keep(sg, base);
    }
    if (status != RH_OK || turn > 0) {
      return status;
    }
    rh_sg_close(base);
    RH_TRY(rh_sg_choose_noise(sg));
  }
}

static rh_status do_round(rh_sg *sg, const rh_sg_fit *base, bool *taken)
{
  rh_fit_suggestions *s = sg->to;
  candidate best = {.loss = HUGE_VAL};
  RH_TRY(rh_sg_find_phases(sg));
  RH_TRY(rh_sg_propose(sg));
  RH_TRY(mend_phases(sg, taken));
  for (int i = 0; i < s->n && !*taken; i++) {
    if (s->change[i].taken == 0) {
      tell_round(sg, i, s->change[i].name);
      RH_TRY(reach_of(sg, base, &s->change[i]));
    }
  }
  double above = -1;
  rh_status status = RH_OK;
  for (int k = 0; k < TRIED && !*taken && best.change == NULL && status == RH_OK; k++) {
    rh_fit_change *next = find_best(s, above);
    if (next == NULL) {
      break;
    }
    above = next->reach;
    tell_round(sg, s->n + k, next->name);
    status = try_change(sg, next, false, &best);
  }
  *taken = *taken || best.change != NULL;
  status = status == RH_OK ? take_over(sg, &best) : status;
  rh_words_free(&best.found);
  return status;
}

static rh_status search_model(rh_sg *sg)
{
  rh_fit_suggestions *s = sg->to;
  bool taken = true;
  RH_TRY(rh_sg_propose(sg));
  RH_TRY(rh_sg_choose(sg));
  sg->chosen = true;
  for (int round = 0; round <= sg->job->suggest && taken; round++) {
    rh_sg_fit base;
    rh_status status = fit_model(sg, &base, &s->after);
    s->before = round == 0 ? s->after : s->before;
    taken = false;
    if (status == RH_OK && round < sg->job->suggest) {
      status = do_round(sg, &base, &taken);
    }
    rh_sg_close(&base);
    RH_TRY(status);
  }
  return RH_OK;
}

// The scene found, by the usual fit
static rh_status fit_last(rh_sg *sg, rh_fit_answer *answer)
{
  rh_fit_suggestions *s = sg->to;
  const rh_fit_data *d = &sg->data[RH_SG_WHOLE];
  rh_sg_fit last = {0};
  rh_words noise = {0};
  rh_status status = rh_sg_ask(sg, NULL, &last);
  for (int c = 0; c < d->nchannel && status == RH_OK && s->chose_noise; c++) {
    char text[RH_NAME_MAX + 64];
    int n = snprintf(text, sizeof text, "%s=%.6g", d->channel[c], s->noise[c]);
    status = rh_words_add(&noise, text, (size_t)n);
  }
  if (status == RH_OK) {
    last.job.journal = sg->job->journal;
    last.job.noise = s->chose_noise ? noise : sg->job->noise;
    last.job.robust = s->robust;
    last.job.at_contacts = s->at_contacts;
    last.job.window = s->window;
    last.job.profile = false;
    status = rh_fit_estimate(&last.job, sg->diag, answer);
  }
  rh_words_free(&noise);
  if (status == RH_OK) {
    double x[RH_FIT_VALUES];
    for (int i = 0; i < answer->nvalue; i++) {
      x[i] = answer->result[i].x;
    }
    rh_words_free(&s->found);
    status = rh_fit_overrides(answer->value, x, answer->nvalue, &s->found);
  }
  rh_sg_close(&last);
  return status;
}

rh_status rh_fit_suggest(const rh_fit_job *job, rh_diag *diag, rh_fit_suggestions *s,
                         rh_fit_answer *answer)
{
  rh_sg *sg = rh_alloc(sizeof *sg);
  rh_fit_suggestions_free(s);
  if (sg == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  *sg = (rh_sg){.job = job, .diag = diag, .to = s};
  rh_interrupt_catch();
  rh_status status = read_trials(sg);
  if (status == RH_OK) {
    status = search_model(sg);
  }
  if (status == RH_OK) {
    status = fit_last(sg, answer);
  }
  if (status == RH_OK) {
    status = rh_sg_write(sg);
  }
  for (int i = 0; i < RH_SG_KINDS; i++) {
    rh_fit_free_data(&sg->data[i]);
  }
  rh_free(sg->loss[0]);
  rh_free(sg->loss[1]);
  rh_free(sg);
  return status;
}

void rh_fit_suggestions_free(rh_fit_suggestions *s)
{
  rh_words_free(&s->found);
  rh_words_free(&s->free);
  rh_free(s->scene);
  *s = (rh_fit_suggestions){0};
}
