// pieces.c: finished work of a search for suggestions in the journal of the fit: the model of a round, the one step with a change, a change
// that was fitted and evaluated. What a piece evaluates, in several problems, is in the file until the piece ends; its end takes
// the place of that. What lies between two pieces (noise, phases, the choice of the best change) is found again.
#include "suggest.h"

#include "fit/fit_problem.h"

#include <string.h>

enum { NUMBERS_OF_SCORE = 2 + 2 * RH_FIT_JOINTS + 2 * RH_FIT_PHASES };

rh_status rh_suggest_begin_journal(const rh_suggester *sg)
{
  const rh_fit_job *job = sg->job;
  const int number[] = {job->folds, job->at_contacts, job->robust};
  rh_suggest_fit fit = {0};
  if (job->journal == NULL) {
    return RH_OK;
  }
  rh_status status = rh_suggest_open(sg, RH_SUGGEST_WHOLE, NULL, job->robust, &fit);
  if (status == RH_OK) {
    uint64_t hash = rh_fit_hash(rh_fit_sum_of(fit.problem), "suggest", sizeof "suggest");
    hash = rh_fit_hash(hash, number, sizeof number);
    hash = rh_fit_hash(hash, &job->window, sizeof job->window);
    status = rh_fit_journal_begin(job->journal, hash);
  }
  rh_suggest_close(&fit);
  return status;
}

static double *copy_number(double *at, double *x, bool take)
{
  *(take ? x : at) = *(take ? at : x);
  return at + 1;
}

static double *copy_count(double *at, int *n, bool take)
{
  double x = *n;
  at = copy_number(at, &x, take);
  *n = (int)x;
  return at;
}

static double *copy_numbers(double *at, double *x, int n, bool take)
{
  for (int i = 0; i < n; i++) {
    at = copy_number(at, &x[i], take);
  }
  return at;
}

static double *copy_score(double *at, rh_fit_score *s, bool take)
{
  at = copy_count(at, &s->trials, take);
  at = copy_number(at, &s->excess, take);
  at = copy_numbers(at, s->place, RH_FIT_JOINTS, take);
  at = copy_numbers(at, s->turn, RH_FIT_JOINTS, take);
  at = copy_numbers(at, s->phase, RH_FIT_PHASES, take);
  for (int i = 0; i < RH_FIT_PHASES; i++) {
    at = copy_count(at, &s->count[i], take);
  }
  return at;
}

// Between the piece and its room
static void copy_piece(rh_suggest_piece *p, bool take)
{
  int status = (int)p->status;
  double *at = copy_count(p->room, &status, take);
  p->status = (rh_status)status;
  at = copy_number(at, &p->fit->sum, take);
  at = copy_number(at, &p->fit->few, take);
  int hopeless = p->fit->hopeless;
  at = copy_count(at, &hopeless, take);
  p->fit->hopeless = hopeless != 0;
  at = copy_numbers(at, p->fit->w, p->fit->n, take);
  if (p->loss != NULL) {
    for (int i = 0; i < RH_SUGGEST_KINDS; i++) {
      at = copy_numbers(at, p->loss->of[i], p->trials, take);
    }
    (void)copy_score(at, p->score, take);
  }
}

rh_status rh_suggest_begin_piece(rh_suggester *sg, rh_suggest_piece *p, bool slopes)
{
  rh_fit_journal *journal = sg->job->journal;
  rh_suggest_fit *fit = p->fit;
  const int few = sg->few; // other trials count then
  if (journal == NULL) {
    return RH_OK;
  }
  p->trials = sg->trials;
  const uint64_t sum = rh_fit_hash(rh_fit_sum_of(fit->problem), &few, sizeof few);
  p->entry = rh_fit_entry_of(fit->problem, RH_FIT_PIECE, sum, fit->w, fit->n);
  p->entry.n[0] =
      4 + fit->n + (p->loss != NULL ? RH_SUGGEST_KINDS * sg->trials + NUMBERS_OF_SCORE : 0);
  p->entry.part[0] = p->room = rh_alloc((size_t)p->entry.n[0] * sizeof *p->room);
  if (p->room == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  if (slopes) {
    p->entry.n[1] = fit->m;
    p->entry.part[1] = fit->r;
    p->entry.n[2] = fit->m * fit->n;
    p->entry.part[2] = fit->J;
  }
  p->done = rh_fit_journal_begin_piece(journal, &p->entry);
  if (p->done) {
    copy_piece(p, true);
    return RH_OK;
  }
  sg->in_piece = true;
  return rh_fit_keep_in(fit->problem, journal);
}

void rh_suggest_end_piece(rh_suggester *sg, rh_suggest_piece *p)
{
  bool whole = !p->done && p->room != NULL && rh_interrupt_seen() == 0 && !rh_memory_failed() &&
               p->status != RH_INTERRUPTED && p->status != RH_OUT_OF_MEMORY;
  if (whole) {
    copy_piece(p, false);
  }
  rh_fit_journal_end_piece(sg->job->journal, whole ? &p->entry : NULL);
  rh_free(p->room);
  p->room = NULL;
  sg->in_piece = false;
}
