// suggest.c: what a scene lacks to follow measured trials. Settings that were not asked for are chosen by the data; what flights, impacts
// and slides contradict is mended; then, round by round, every change is tried by one step of the search, the most promising are fitted
// on windows and evaluated on trials that were left out, and the first that is better there is taken over. The last fit is the usual
// one of the scene found.
#include "suggest.h"

#include <math.h>
#include <string.h>

// Of the sum of squares of some trials, as is asked for of trials left out: a change that leaves more is fitted no further.
#define WORTH   0.98
#define NOTHING 0.999 // of it: a change of which one step leaves more is not fitted

enum { TRIED = 3, BY_FLIGHTS = 2 }; // changes that a round fits; groups that flights ask for

static rh_status check_job(const rh_fit_job *job, int trials)
{
  if (trials < 2) {
    return rh_refuse(RH_WRONG_USAGE,
                     "fit: --suggest evaluates changes on trials left out: two or more are needed");
  }
  return job->folds <= trials
             ? RH_OK
             : rh_refuse(RH_WRONG_USAGE, "fit: --folds takes 2 to the number of trials, %d",
                         trials);
}

static rh_status read_trials(rh_suggester *sg)
{
  for (int i = 0; i < RH_SUGGEST_KINDS; i++) {
    RH_TRY(rh_fit_read_data(sg->job, sg->diag, &sg->data[i]));
  }
  sg->trials = sg->data[RH_SUGGEST_WHOLE].ntrial;
  RH_TRY(check_job(sg->job, sg->trials));
  for (int i = 0; i < 2 * RH_SUGGEST_KINDS; i++) {
    double **loss = &sg->loss[i / RH_SUGGEST_KINDS].of[i % RH_SUGGEST_KINDS];
    *loss = rh_alloc((size_t)sg->trials * sizeof **loss);
    if (*loss == NULL) {
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
static rh_status reach_of(rh_suggester *sg, const rh_suggest_fit *base, rh_fit_change *change)
{
  rh_suggest_fit fit;
  rh_status status = rh_suggest_open(sg, RH_SUGGEST_WINDOWS, change, sg->to->robust, &fit);
  change->reach = 1;
  change->failed = status != RH_OK;
  if (status == RH_OK) {
    rh_suggest_piece piece = {.fit = &fit};
    status = rh_suggest_begin_piece(sg, &piece, false);
    if (status == RH_OK && !piece.done) {
      (void)rh_suggest_try_step(sg, &fit, base);
    }
    rh_suggest_end_piece(sg, &piece);
    change->reach = fit.sum > 0 && base->few > 0 ? fit.sum / base->few : 1;
  }
  rh_suggest_close(&fit);
  return ends_all(status) ? status : rh_interrupt_seen() != 0 ? RH_INTERRUPTED : RH_OK;
}

static void tell_round(const rh_suggester *sg, int i, const char *name)
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

static double sum_losses(const rh_suggester *sg, int which)
{
  double sum = 0;
  for (int i = 0; i < sg->trials; i++) {
    sum += sg->loss[which].of[RH_SUGGEST_WINDOWS][i];
  }
  return sum;
}

// Fits a change and evaluates it, unless it is hopeless.
static rh_status fit_change(rh_suggester *sg, rh_suggest_fit *fit, rh_fit_change *change,
                            double bar)
{
  RH_TRY(rh_suggest_search(sg, fit, bar));
  return fit->hopeless ? RH_OK : rh_suggest_evaluate(sg, fit, change, &sg->loss[1], &change->left);
}

// It becomes the best one if it is better than the model and than the best so far. `sure`: phases ask for it: then it is not to be worse
// than the model, and what flights say need not even be that.
static rh_status try_change(rh_suggester *sg, const rh_suggest_fit *base, rh_fit_change *change,
                            bool sure, candidate *best)
{
  rh_suggest_fit fit;
  const bool by_flights = sure && change->sure <= BY_FLIGHTS;
  bool hopeless = false;
  rh_status status = rh_suggest_open(sg, RH_SUGGEST_WINDOWS, change, sg->to->robust, &fit);
  if (status == RH_OK) {
    rh_suggest_piece piece = {.fit = &fit, .loss = &sg->loss[1], .score = &change->left};
    status = rh_suggest_begin_piece(sg, &piece, false);
    if (status == RH_OK && !piece.done) {
      piece.status = fit_change(sg, &fit, change, sure ? HUGE_VAL : WORTH * base->few);
    }
    rh_suggest_end_piece(sg, &piece);
    status = status == RH_OK ? piece.status : status;
    hopeless = fit.hopeless;
  }
  if (status == RH_OK && hopeless) {
    rh_suggest_close(&fit);
    return RH_OK;
  }
  bool better = by_flights || (sure ? !rh_suggest_is_worse(sg, &sg->loss[0], &sg->loss[1])
                                    : rh_suggest_is_better(sg, &sg->loss[0], &sg->loss[1]));
  change->tried = status == RH_OK;
  change->failed = status != RH_OK;
  double loss = sum_losses(sg, 1);
  if (status == RH_OK && better && loss < best->loss) {
    rh_words_free(&best->found);
    best->change = change;
    best->loss = loss;
    status = rh_suggest_found(&fit, &best->found);
  }
  rh_suggest_close(&fit);
  return ends_all(status) ? status : RH_OK;
}

static rh_status take_over(rh_suggester *sg, candidate *best)
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
static rh_status mend_phases(rh_suggester *sg, const rh_suggest_fit *base, bool *taken)
{
  rh_fit_suggestions *s = sg->to;
  for (int group = 1; group <= RH_SUGGEST_GROUPS && !*taken; group++) {
    candidate best = {.loss = HUGE_VAL};
    bool before = false;
    rh_status status = RH_OK;
    for (int i = 0; i < s->n; i++) {
      before = before || (s->change[i].sure == group && s->change[i].taken > 0);
    }
    for (int i = 0; i < s->n && !before && status == RH_OK; i++) {
      if (s->change[i].offered && s->change[i].sure == group) {
        tell_round(sg, i, s->change[i].name);
        status = try_change(sg, base, &s->change[i], true, &best);
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
    bool open = c->offered && c->taken == 0 && !c->failed && c->reach > above && c->reach < NOTHING;
    best = open && (best == NULL || c->reach < best->reach) ? c : best;
  }
  return best;
}

static rh_status search_base(rh_suggester *sg, rh_suggest_fit *base, bool last, rh_fit_score *score)
{
  rh_suggest_piece piece = {.fit = base, .loss = last ? &sg->loss[0] : NULL, .score = score};
  rh_status status = rh_suggest_begin_piece(sg, &piece, last);
  if (status == RH_OK && !piece.done) {
    piece.status = rh_suggest_search(sg, base, HUGE_VAL);
    if (piece.status == RH_OK &&
        last) { // before, the values are those of the scene: their sizes follow from it
      piece.status = rh_suggest_evaluate(sg, base, NULL, &sg->loss[0], score);
    }
  }
  rh_suggest_end_piece(sg, &piece);
  return status == RH_OK ? piece.status : status;
}

// The scene before its changes, by all trials
static rh_status score_first(rh_suggester *sg, const rh_suggest_fit *base)
{
  bool few = sg->few;
  sg->to->before = sg->to->after;
  if (!few) {
    return RH_OK;
  }
  sg->few = false;
  rh_status status = rh_suggest_evaluate(sg, base, NULL, &sg->loss[1], &sg->to->before);
  sg->few = few;
  return status;
}

// The model in force, fitted twice to begin with: the noise follows from its residuals
static rh_status fit_model(rh_suggester *sg, rh_suggest_fit *base, rh_fit_score *score)
{
  for (int turn = sg->to->found.n > 0; turn < 2; turn++) {
    if (turn > 0) {
      RH_TRY(rh_suggest_choose_noise(sg));
    }
    rh_status status = rh_suggest_open(sg, RH_SUGGEST_WINDOWS, NULL, sg->to->robust, base);
    if (status == RH_OK) {
      status = search_base(sg, base, turn > 0, score);
    }
    if (status == RH_OK && turn > 0 && sg->to->before.trials == 0) {
      status = score_first(sg, base);
    }
    if (status == RH_OK) {
      status = rh_suggest_keep(sg, base);
    }
    if (status != RH_OK) {
      return status;
    }
    if (turn == 0) {
      rh_suggest_close(base);
    }
  }
  return RH_OK;
}

static rh_status do_round(rh_suggester *sg, const rh_suggest_fit *base, bool *taken)
{
  rh_fit_suggestions *s = sg->to;
  candidate best = {.loss = HUGE_VAL};
  for (bool held = false, again = true; again; again = sg->centre_held != held) {
    held = sg->centre_held;
    RH_TRY(rh_suggest_find_phases(sg));
    RH_TRY(rh_suggest_propose(sg));
  }
  RH_TRY(mend_phases(sg, base, taken));
  if (sg->few && !*taken) { // it is mended: from here on all trials count
    return RH_OK;
  }
  for (int i = 0; i < s->n && !*taken; i++) {
    if (s->change[i].offered && s->change[i].taken == 0) {
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
    status = try_change(sg, base, next, false, &best);
  }
  *taken = *taken || best.change != NULL;
  status = status == RH_OK ? take_over(sg, &best) : status;
  rh_words_free(&best.found);
  return status;
}

static rh_status search_model(rh_suggester *sg)
{
  rh_fit_suggestions *s = sg->to;
  bool taken = true;
  RH_TRY(rh_suggest_propose(sg));
  RH_TRY(rh_suggest_choose(sg));
  sg->chosen = true;
  RH_TRY(rh_suggest_begin_journal(sg));
  sg->few = sg->trials > RH_SUGGEST_FEW;
  for (int round = 0; round <= sg->job->suggest && taken; round++) {
    rh_suggest_fit base = {0};
    bool few = sg->few;
    rh_status status = fit_model(sg, &base, &s->after);
    taken = false;
    if (status == RH_OK && round < sg->job->suggest) {
      status = do_round(sg, &base, &taken);
    }
    rh_suggest_close(&base);
    RH_TRY(status);
    if (few && (!taken || round + 1 == sg->job->suggest)) {
      sg->few = false;
      round -= !taken;
      taken = true;
    }
  }
  return RH_OK;
}

// The scene found, by the usual fit
static rh_status fit_last(rh_suggester *sg, rh_fit_answer *answer)
{
  rh_fit_suggestions *s = sg->to;
  const rh_fit_data *d = &sg->data[RH_SUGGEST_WHOLE];
  rh_suggest_fit last = {0};
  rh_words noise = {0};
  rh_status status = rh_suggest_ask(sg, NULL, &last);
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
  rh_suggest_close(&last);
  return status;
}

rh_status rh_fit_suggest(const rh_fit_job *job, rh_diag *diag, rh_fit_suggestions *s,
                         rh_fit_answer *answer)
{
  rh_suggester *sg = rh_alloc(sizeof *sg);
  rh_fit_suggestions_free(s);
  if (sg == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  *sg = (rh_suggester){.job = job, .diag = diag, .to = s};
  rh_interrupt_catch();
  rh_status status = read_trials(sg);
  if (status == RH_OK) {
    status = search_model(sg);
  }
  if (status == RH_OK) {
    status = fit_last(sg, answer);
  }
  if (status == RH_OK) {
    status = rh_suggest_write(sg);
  }
  for (int i = 0; i < RH_SUGGEST_KINDS; i++) {
    rh_fit_free_data(&sg->data[i]);
  }
  for (int i = 0; i < 2 * RH_SUGGEST_KINDS; i++) {
    rh_free(sg->loss[i / RH_SUGGEST_KINDS].of[i % RH_SUGGEST_KINDS]);
  }
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
