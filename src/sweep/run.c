// run.c: the whole of `routh sweep`: a new sweep, one that is continued, one that is only looked at.
#include "run.h"
#include "ranks.h"

#include "plots/plot.h"
#include "recording/journal/journal.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#define MANAGERS_MAX   4096
#define WORKERS_MAX    1024
#define LEASE_OF_RANKS 60 // [s]

typedef struct sweep {
  const rh_request *request;
  const rh_sweep_options *asked;
  rh_plan plan;
  rh_sweep_run run;
  const char *path; // of the journal
  char *made;       // the same, if owned here
  bool dismissed;   // the other ranks have been told to end
} sweep;

static rh_status read_workers(const char *text, int *workers)
{
  double n = 0;
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  bool rank = rh_ranks_launched(); // the other cores have ranks
  *workers = cores > 0 && cores < WORKERS_MAX && !rank ? (int)cores : 1;
  if (text == NULL) {
    return RH_OK;
  }
  size_t digits = rh_number_read(text, &n);
  if (digits == 0 || text[digits] != '\0' || !(n >= 0 && n <= WORKERS_MAX) || n != floor(n)) {
    return rh_refuse(RH_WRONG_USAGE, "sweep: --workers needs a whole number from 0 to %d, got '%s'",
                     WORKERS_MAX, text);
  }
  *workers = (int)n;
  return RH_OK;
}

static rh_status read_lease(const char *text, double *lease)
{
  char why[RH_WHY_MAX];
  *lease = rh_ranks_launched() ? LEASE_OF_RANKS : (double)INFINITY;
  if (text != NULL && (!rh_unit_parse(text, "s", lease, why) || !(*lease > 0))) {
    return rh_refuse(RH_WRONG_USAGE, "sweep: --lease needs a time > 0, got '%s'", text);
  }
  return RH_OK;
}

static rh_status read_managers(const char *text, int *managers)
{
  double n = 0;
  size_t digits = text != NULL ? rh_number_read(text, &n) : 0;
  if (text != NULL &&
      (digits == 0 || text[digits] != '\0' || !(n >= 0 && n <= MANAGERS_MAX) || n != floor(n))) {
    return rh_refuse(RH_WRONG_USAGE,
                     "sweep: --managers needs a whole number from 0 to %d, got '%s'", MANAGERS_MAX,
                     text);
  }
  *managers = (int)n;
  return RH_OK;
}

// ---- One case

static rh_status run_one(const sweep *s)
{
  double k = 0;
  size_t digits = rh_number_read(s->asked->one, &k);
  if (digits == 0 || s->asked->one[digits] != '\0' || !(k >= 0 && k < (double)s->plan.cases) ||
      k != floor(k)) {
    return rh_refuse(RH_WRONG_USAGE, "sweep: --case needs a number from 0 to %lld, got '%s'",
                     (long long)s->plan.cases - 1, s->asked->one);
  }
  return rh_sweep_show_case(s->request, &s->plan, (int64_t)k);
}

// ---- New and continued sweeps

static rh_status name_journal(sweep *s)
{
  s->path = s->asked->output;
  if (s->path == NULL) {
    s->made = rh_file_beside(s->request->nfile > 0 && strcmp(s->request->file[0], "-") != 0
                                 ? s->request->file[0]
                                 : "default.yaml",
                             ".rsw");
    s->path = s->made;
  }
  return s->path != NULL ? RH_OK : rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
}

// A sweep that is only looked at, or one that is continued and complete, is not opened for writing.
static rh_status open_journal(sweep *s, const char *path, bool adds)
{
  rh_journal *journal = NULL;
  rh_diag *diag = s->run.diag;
  s->path = path;
  RH_TRY(rh_journal_open(path, false, diag, &journal));
  bool finished = rh_journal_finished(journal);
  rh_status status = RH_OK;
  if (s->asked->one != NULL || (adds && !finished)) {
    status = rh_plan_again(journal, diag, &s->plan);
  }
  rh_journal_close(journal);
  RH_TRY(status);
  return adds && !finished && s->asked->one == NULL
             ? rh_journal_open(path, true, diag, &s->run.journal)
             : RH_OK;
}

static rh_status prepare_sweep(sweep *s)
{
  const rh_sweep_options *asked = s->asked;
  const rh_request *request = s->request;
  bool journal = request->nfile > 0 && rh_file_has_ending(request->file[0], ".rsw");
  const char *again = asked->resume != NULL ? asked->resume : journal ? request->file[0] : NULL;
  bool planned = asked->plan.vary != NULL || asked->plan.out != NULL ||
                 asked->plan.design != NULL || asked->plan.cases != NULL ||
                 asked->plan.seed != NULL || request->nset > 0;
  if (again != NULL &&
      (planned || asked->output != NULL || (asked->resume != NULL && request->nfile > 0))) {
    return rh_refuse(RH_WRONG_USAGE, "sweep: %s has its scene and its plan; they cannot be changed",
                     again);
  }
  if (again != NULL) {
    return open_journal(s, again, asked->resume != NULL);
  }
  RH_TRY(rh_plan_make(request, &asked->plan, s->run.diag, &s->plan));
  if (asked->one != NULL) {
    return RH_OK;
  }
  RH_TRY(name_journal(s));
  return rh_plan_journal(&s->plan, s->path, s->run.diag, &s->run.journal);
}

static rh_status simulate_sweep(sweep *s)
{
  rh_diag_print(s->request, s->run.diag, NULL);
  rh_diag_clear(s->run.diag);
  s->dismissed = true;
  rh_status status = rh_sweep_simulate(&s->run);
  if (status == RH_INTERRUPTED) {
    rh_say(s->request, "interrupted; to continue: routh sweep --resume %s", s->path);
  }
  return status;
}

// Before hours of computing, not after.
static rh_status check_outputs(const rh_sweep_options *asked)
{
  RH_TRY(asked->exported != NULL ? rh_sweep_export_check(asked->exported) : RH_OK);
  if (asked->picture.output != NULL && strcmp(asked->picture.output, "-") == 0) {
    return rh_refuse(RH_WRONG_USAGE, "sweep: --plot needs a file");
  }
  return asked->picture.output != NULL ? rh_picture_check("sweep", asked->picture.output) : RH_OK;
}

static rh_status run_and_report(sweep *s)
{
  RH_TRY(check_outputs(s->asked));
  RH_TRY(prepare_sweep(s));
  if (s->asked->one != NULL) {
    return run_one(s);
  }
  bool ran = s->run.journal != NULL;
  RH_TRY(ran ? simulate_sweep(s) : RH_OK);
  if (s->asked->exported != NULL) {
    RH_TRY(rh_sweep_export(s->path, s->asked->exported, s->run.diag));
  }
  if (s->asked->picture.output != NULL) {
    RH_TRY(rh_sweep_draw(s->path, &s->asked->picture, s->run.diag));
  }
  return s->request->quiet && !s->request->json
             ? RH_OK
             : rh_sweep_report(s->request, s->path, ran ? &s->run : NULL, s->run.diag);
}

static rh_status check_managers(const sweep *s)
{
  int needed = s->run.managers > 0 ? 2 * s->run.managers + 1 : 1;
  if (s->run.mpi->size < needed) {
    return rh_refuse(RH_WRONG_USAGE, "sweep: --managers %d needs at least %d ranks, there are %d",
                     s->run.managers, needed, s->run.mpi->size);
  }
  return RH_OK;
}

// Rank 0 does the whole, the others work for it.
static rh_status run_ranks(sweep *s)
{
  RH_TRY(rh_ranks_begin(s->run.lease, &s->run.mpi));
  bool together = true;
  rh_status status = RH_OK;
  if (s->run.mpi->rank > 0) {
    status = rh_ranks_work(s->run.mpi, s->run.lease, s->run.managers, &together);
  } else {
    status = check_managers(s);
    status = status == RH_OK ? run_and_report(s) : status;
    together = !s->dismissed || s->run.together;
    if (!s->dismissed) {
      rh_ranks_dismiss(s->run.mpi);
    }
  }
  if (together) {
    rh_ranks_end(s->run.mpi);
  }
  return status;
}

static rh_status do_sweep(sweep *s)
{
  RH_TRY(read_workers(s->asked->workers, &s->run.workers));
  RH_TRY(read_lease(s->asked->lease, &s->run.lease));
  RH_TRY(read_managers(s->asked->managers, &s->run.managers));
  return rh_ranks_launched() ? run_ranks(s) : run_and_report(s);
}

rh_status rh_sweep_do(const rh_request *request, const rh_sweep_options *asked, rh_diag *diag)
{
  sweep *s = rh_alloc(sizeof *s);
  if (s == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  s->request = request;
  s->asked = asked;
  s->run.request = request;
  s->run.diag = diag;
  s->run.plan = &s->plan;
  rh_status status = do_sweep(s);
  rh_journal_close(s->run.journal);
  rh_plan_free(&s->plan);
  rh_free(s->made);
  rh_free(s);
  return status;
}
