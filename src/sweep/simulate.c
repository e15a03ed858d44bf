// simulate.c: a whole sweep: what its journal lacks is run, here or by a crew, and kept.
#include "manager.h"
#include "ranks.h"

#include "recording/journal/journal.h"

#define COMMIT_TIME 0.2 // [s] results of so long may have to be computed again
#define SHOW_TIME   0.5 // [s]
#define TICK        100 // [ms]

typedef struct simulation {
  rh_sweep_run *run;
  rh_leases *leases;
  double committed, shown;
  rh_progress progress;
} simulation;

static void show_progress(simulation *s)
{
  double now = rh_wall_clock();
  int64_t cases = s->run->plan->cases;
  if (now - s->shown > SHOW_TIME && cases < INT32_MAX) {
    s->shown = now;
    rh_progress_count(&s->progress, (int)(cases - rh_leases_left(s->leases)), (int)cases, "cases");
  }
}

static rh_status refuse_journal(const simulation *s)
{
  return rh_refuse(RH_OUTPUT_NOT_WRITTEN, "sweep: the journal could not be written: %s",
                   rh_journal_why(s->run->journal));
}

static rh_status commit_due(simulation *s, bool now)
{
  if (!now && rh_wall_clock() - s->committed < COMMIT_TIME) {
    return RH_OK;
  }
  s->committed = rh_wall_clock();
  return rh_journal_commit(s->run->journal) ? RH_OK : refuse_journal(s);
}

static rh_status keep_row(void *sink, const rh_case *result)
{
  const simulation *s = sink;
  s->run->counts.failed += result->status != RH_OK;
  return rh_plan_keep(s->run->plan, result, s->run->journal) ? RH_OK : refuse_journal(s);
}

// ---- In this process

static rh_status run_here(simulation *s)
{
  rh_status status = RH_OK;
  while (status == RH_OK && rh_leases_left(s->leases) > 0) {
    rh_case_span span = rh_leases_take(s->leases, 0, 1, 0);
    rh_case result;
    if (span.n == 0) {
      return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
    }
    status =
        rh_interrupt_seen() != 0 ? RH_INTERRUPTED : rh_case_run(s->run->plan, span.first, &result);
    if (status == RH_OUT_OF_MEMORY) {
      rh_refuse(status, "out of memory");
    }
    if (status == RH_OK) {
      (void)rh_leases_done(s->leases, result.index);
      status = keep_row(s, &result);
    }
    if (status == RH_OK) {
      status = commit_due(s, false);
    }
    show_progress(s);
  }
  return status;
}

// ---- With workers

static rh_crew *gather_crew(const rh_sweep_run *run)
{
  rh_crew *local = run->workers > 0 ? rh_crew_local(run->plan, run->workers) : NULL;
  if (run->mpi == NULL) {
    return local;
  }
  rh_crew *all = rh_crew_ranks(run->mpi, run->plan, local, run->managers);
  if (all == NULL && local != NULL) {
    local->end(local->self);
  }
  return all;
}

static void run_crew(simulation *s, rh_manager *m)
{
  while (m->status == RH_OK && rh_leases_left(s->leases) > 0) {
    rh_manager_turn(m, TICK);
    if (m->status == RH_OK) {
      m->status = commit_due(s, false);
    }
    if (m->status == RH_OK && rh_interrupt_seen() != 0) {
      m->status = RH_INTERRUPTED;
    }
    show_progress(s);
  }
  s->run->counts.deaths = rh_manager_deaths(m);
  s->run->counts.lost = m->lost;
  s->run->together = rh_manager_dismiss(m, s->run->mpi != NULL);
}

// The ranks have not got the plan yet, and wait for it.
static rh_status dismiss_ranks(rh_sweep_run *run, rh_status status)
{
  if (run->mpi != NULL) {
    rh_ranks_dismiss(run->mpi);
    run->together = true;
  }
  return status;
}

static rh_status run_with_crew(simulation *s)
{
  rh_manager m = {.plan = s->run->plan,
                  .leases = s->leases,
                  .crew = gather_crew(s->run),
                  .keep = keep_row,
                  .sink = s,
                  .lease = s->run->lease};
  if (m.crew == NULL) {
    return dismiss_ranks(s->run, rh_refuse(RH_OUT_OF_MEMORY, "sweep: no worker could be started"));
  }
  if (rh_manager_begin(&m)) {
    run_crew(s, &m);
  } else {
    m.status = rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  rh_manager_end(&m);
  return m.status;
}

// ---- The whole

typedef struct marks {
  rh_leases *leases;
  bool all; // all rows are of cases of the plan
} marks;

static void mark_done(void *user, int64_t index)
{
  marks *m = user;
  m->all = rh_leases_done(m->leases, index) && m->all;
}

static rh_status run_missing(rh_sweep_run *run, rh_leases *leases)
{
  marks m = {leases, true};
  rh_status status = rh_journal_indices(run->journal, mark_done, &m, run->diag);
  if (status == RH_OK && !m.all) {
    status = rh_refuse(RH_INPUT_REFUSED,
                       "sweep: the journal is damaged: it has rows of cases that its plan has not");
  }
  if (status != RH_OK) {
    return dismiss_ranks(run, status);
  }
  int64_t cases = run->plan->cases;
  run->counts.before = cases - rh_leases_left(leases);
  double now = rh_wall_clock();
  simulation s = {.run = run, .leases = leases, .committed = now, .shown = now};
  s.progress = rh_progress_begin(run->request, 0, 0);
  s.shown = s.progress.mode == 3 ? 0 : now; // a program is told at once
  rh_interrupt_catch();
  if (rh_leases_left(leases) > 0) {
    status = run->workers > 0 || run->mpi != NULL ? run_with_crew(&s) : run_here(&s);
  } else {
    status = dismiss_ranks(run, RH_OK);
  }
  rh_progress_end(&s.progress);
  run->counts.done = cases - rh_leases_left(leases);
  if (status != RH_OUTPUT_NOT_WRITTEN) {
    rh_status kept = commit_due(&s, true);
    status = status == RH_OK ? kept : status;
  }
  return status;
}

rh_status rh_sweep_simulate(rh_sweep_run *run)
{
  rh_leases *leases = rh_leases_create(run->plan->cases);
  rh_status status = leases != NULL
                         ? run_missing(run, leases)
                         : dismiss_ranks(run, rh_refuse(RH_OUT_OF_MEMORY, "out of memory"));
  rh_leases_destroy(leases);
  if (status == RH_OK) {
    status = rh_journal_finish(run->journal, run->diag, &run->sum);
  } else {
    rh_journal_close(run->journal);
  }
  run->journal = NULL;
  return status;
}
