// library.c: routh/sweep.h: a sweep as a call of a program, whose messages and progress go by a caller (console/caller.h).
#include "sweep.h"

#include "console/caller.h"
#include "recording/journal/journal.h"
#include "scene_io/yaml_doc.h"

#include <inttypes.h>
#include <math.h>
#include <routh/sweep.h>
#include <stdlib.h>
#include <string.h>

// ---- A new one, one that is continued

static bool tell_cases(void *user, int done, int of, const char *next)
{
  const rh_sweep_work *work = user;
  (void)next;
  return work->progress(work->user, done, of);
}

// One axis per line
static rh_status join_axes(const rh_sweep_setup *setup, rh_text *vary)
{
  for (int i = 0; i < setup->nvary; i++) {
    rh_text_add(vary, i > 0 ? "\n" : "");
    rh_text_add(vary, setup->vary[i]);
  }
  return vary->failed ? rh_refuse(RH_OUT_OF_MEMORY, "out of memory") : RH_OK;
}

static rh_status plan_cases(const rh_sweep_setup *setup, rh_diag *diag, rh_plan *plan)
{
  rh_plan_scene scene = {.name = setup->scene, .set = setup->set, .nset = setup->nset};
  rh_plan_asked words = {.out = setup->out, .design = setup->design};
  char cases[32];
  char seed[32];
  char *read = NULL;
  rh_text vary = {0};
  *plan = (rh_plan){0};
  if (setup->cases != 0) {
    (void)snprintf(cases, sizeof cases, "%" PRId64, setup->cases);
    words.cases = cases;
  }
  if (setup->seed != 0) {
    (void)snprintf(seed, sizeof seed, "%" PRIu64, setup->seed);
    words.seed = seed;
  }
  rh_status status = join_axes(setup, &vary);
  if (status == RH_OK && setup->text == NULL) {
    status = rh_file_read(setup->scene, diag, &read, &scene.bytes, &scene.name);
  } else {
    scene.bytes = setup->text != NULL ? strlen(setup->text) : 0;
  }
  if (status == RH_OK) {
    scene.text = setup->text != NULL ? setup->text : read;
    words.vary = vary.data;
    status = rh_plan_read(&scene, &words, diag, plan);
  }
  rh_free(read);
  rh_text_free(&vary);
  return status;
}

// A journal that is complete is not opened for writing.
static rh_status plan_again(const char *path, rh_diag *diag, rh_plan *plan, rh_journal **journal,
                            int64_t *rows)
{
  rh_journal *old = NULL;
  *plan = (rh_plan){0};
  RH_TRY(rh_journal_open(path, false, diag, &old));
  bool finished = rh_journal_finished(old);
  const char *cases = rh_journal_meta(old, "cases");
  *rows = finished && cases != NULL ? strtoll(cases, NULL, 10) : 0;
  rh_status status = finished ? RH_OK : rh_plan_again(old, diag, plan);
  rh_journal_close(old);
  RH_TRY(status);
  return finished ? RH_OK : rh_journal_open(path, true, diag, journal);
}

static rh_status run_cases(const rh_sweep_work *work, const rh_plan *plan, rh_journal *journal,
                           rh_sweep_done *done, rh_diag *diag)
{
  const rh_request request = {.quiet = true};
  rh_sweep_run run = {.request = &request,
                      .diag = diag,
                      .plan = plan,
                      .journal = journal,
                      .workers = work->workers > 0 ? work->workers : 0,
                      .lease = (double)INFINITY};
  rh_status status = rh_sweep_simulate(&run);
  *done = (rh_sweep_done){plan->cases, run.counts.done, run.counts.before, run.counts.failed};
  return status;
}

static rh_status sweep_for(const rh_sweep_setup *setup, const char *journal,
                           const rh_sweep_work *work, rh_sweep_done *done, rh_diag *diag)
{
  rh_plan plan = {0};
  rh_journal *open = NULL;
  rh_status status;
  if (setup != NULL) {
    status = plan_cases(setup, diag, &plan);
    status = status == RH_OK ? rh_plan_journal(&plan, journal, diag, &open) : status;
  } else {
    int64_t rows = 0;
    status = plan_again(journal, diag, &plan, &open, &rows);
    *done = (rh_sweep_done){rows, rows, rows, 0};
  }
  if (status == RH_OK && open != NULL) {
    status = run_cases(work, &plan, open, done, diag);
  }
  rh_plan_free(&plan);
  return status;
}

static rh_status sweep_called(const rh_sweep_setup *setup, const char *journal,
                              const rh_sweep_work *work, rh_sweep_done *done, rh_diag *diag)
{
  rh_sweep_work own = *work;
  rh_caller *outer = rh_caller_get();
  rh_caller caller = {.progress = work->progress != NULL ? tell_cases : NULL, .user = &own};
  *done = (rh_sweep_done){0};
  rh_caller_set(&caller);
  rh_status status = sweep_for(setup, journal, work, done, diag);
  rh_caller_set(outer);
  rh_caller_pass(&caller, diag);
  rh_caller_free(&caller);
  return status;
}

rh_status rh_sweep_make(const rh_sweep_setup *setup, const rh_sweep_work *work, rh_sweep_done *done,
                        rh_diag *diag)
{
  return sweep_called(setup, setup->journal, work, done, diag);
}

rh_status rh_sweep_continue(const char *journal, const rh_sweep_work *work, rh_sweep_done *done,
                            rh_diag *diag)
{
  return sweep_called(NULL, journal, work, done, diag);
}

// ---- What is in a journal

enum { COLUMNS_MAX = RH_AXES_MAX + RH_OUTCOMES_MAX };

typedef struct reading {
  bool (*take)(void *user, const rh_swept *row);
  void *user;
  int columns;
  const char *name[COLUMNS_MAX];
  bool text[COLUMNS_MAX];
  bool ended; // by `take`
} reading;

static rh_status give_row(void *user, const rh_journal_row *from)
{
  reading *r = user;
  double number[COLUMNS_MAX];
  const char *word[COLUMNS_MAX];
  for (int i = 0; i < r->columns; i++) {
    number[i] = r->text[i] ? (double)NAN : from->number[i];
    word[i] = r->text[i] && from->text[i] != NULL ? from->text[i] : "";
  }
  const rh_swept row = {from->index, from->status, from->reason, r->columns, r->name, number, word};
  r->ended = !r->take(r->user, &row);
  return r->ended ? RH_INTERRUPTED : RH_OK;
}

rh_status rh_sweep_read(const char *path, bool (*take)(void *user, const rh_swept *row), void *user,
                        rh_diag *diag)
{
  rh_journal *journal = NULL;
  reading r = {.take = take, .user = user};
  RH_TRY(rh_journal_open(path, false, diag, &journal));
  r.columns = rh_journal_columns(journal);
  if (r.columns > COLUMNS_MAX) {
    rh_journal_close(journal);
    rh_diag_add(diag, RH_ERROR, (rh_place){.file = path}, "more than %d columns", COLUMNS_MAX);
    return RH_OVER_LIMIT;
  }
  for (int i = 0; i < r.columns; i++) {
    rh_journal_column column = rh_journal_column_at(journal, i);
    r.name[i] = column.name;
    r.text[i] = column.text;
  }
  rh_status status = rh_journal_read(journal, give_row, &r, diag);
  rh_journal_close(journal);
  return r.ended ? RH_OK : status;
}
