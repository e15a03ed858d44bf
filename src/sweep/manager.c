// manager.c: gives cases to workers and keeps their results. Nothing of the clock, of the workers'
// number or of their order comes into a result or into the finished journal.
#include "crew.h"
#include "ranks.h"

#include "recording/journal/journal.h"

#include <math.h>
#include <string.h>

#define SPAN_TIME   0.1  // [s] of work in one span
#define SPAN_MAX    4096 // cases
#define COMMIT_TIME 0.2  // [s] results of so long may have to be computed again
#define TICK        100  // [ms]
#define SHOW_TIME   0.5  // [s]
#define LEASE_LEAST 10   // times the mean time of a case that a lease lasts at least
#define LOOK_TIME   0.5  // [s] between two looks for silent workers
#define NOBODY_TIME 60   // [s] and the time of a lease without any worker end the sweep

typedef struct manager {
  rh_sweep_run *run;
  rh_leases *leases;
  rh_crew *crew;
  bool *here; // (crew->n) it has said hello and lives
  int nhere;
  double begun, committed, shown, looked;
  double manned; // [s] last time with a worker
  int64_t now;   // cases of this run
  rh_progress progress;
  rh_status status;
} manager;

static void show_progress(manager *m)
{
  double now = rh_wall_clock();
  int64_t cases = m->run->plan->cases;
  if (now - m->shown > SHOW_TIME && cases < INT32_MAX) {
    m->shown = now;
    rh_progress_count(&m->progress, (int)(cases - rh_leases_left(m->leases)), (int)cases, "cases");
  }
}

static rh_status refuse_journal(manager *m)
{
  m->status = rh_refuse(RH_OUTPUT_NOT_WRITTEN, "sweep: the journal could not be written: %s",
                        rh_journal_why(m->run->journal));
  return m->status;
}

static rh_status commit_due(manager *m, bool now)
{
  if (!now && rh_wall_clock() - m->committed < COMMIT_TIME) {
    return RH_OK;
  }
  m->committed = rh_wall_clock();
  return rh_journal_commit(m->run->journal) ? RH_OK : refuse_journal(m);
}

// A result that is known already (its lease had ended, and another worker was faster) is the same.
static rh_status keep_result(manager *m, const rh_case *result)
{
  if (!rh_leases_done(m->leases, result->index)) {
    return RH_OK;
  }
  m->now++;
  m->run->counts.failed += result->status != RH_OK;
  return rh_plan_keep(m->run->plan, result, m->run->journal) ? RH_OK : refuse_journal(m);
}

// ---- In this process

static rh_status run_here(manager *m)
{
  while (m->status == RH_OK && rh_leases_left(m->leases) > 0) {
    rh_case_span span = rh_leases_take(m->leases, 0, 1, 0);
    rh_case result;
    if (span.n == 0) {
      return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
    }
    m->status =
        rh_interrupt_seen() != 0 ? RH_INTERRUPTED : rh_case_run(m->run->plan, span.first, &result);
    if (m->status == RH_OUT_OF_MEMORY) {
      rh_refuse(m->status, "out of memory");
    }
    if (m->status == RH_OK && keep_result(m, &result) == RH_OK) {
      (void)commit_due(m, false);
    }
    show_progress(m);
  }
  return m->status;
}

// ---- With workers

// Cases of about SPAN_TIME; fewer at the end, so that all workers end together.
static int64_t span_size(const manager *m)
{
  int64_t workers = m->nhere > 0 ? m->nhere : 1;
  double mean = (rh_wall_clock() - m->begun) * (double)workers / (double)(m->now + 1);
  double fits = m->now < 4 * workers ? 1 : SPAN_TIME / fmax(mean, SPAN_TIME / SPAN_MAX);
  int64_t share = rh_leases_left(m->leases) / (4 * workers);
  int64_t size = (int64_t)fits < share ? (int64_t)fits : share;
  return size > 1 ? size : 1;
}

// It has always another span waiting behind the one it is at.
static bool feed_worker(manager *m, int worker)
{
  int64_t size = span_size(m);
  int64_t enough = size > 2 ? size / 2 : 1;
  rh_text bytes = {0};
  int64_t held = rh_leases_held(m->leases, worker);
  for (int spans = 0; held <= enough && spans < 4; spans++) {
    rh_case_span span = rh_leases_take(m->leases, worker, size, rh_wall_clock());
    if (span.n == 0) {
      break;
    }
    held += span.n;
    rh_wire_add(&bytes, RH_WIRE_SPAN, &span, sizeof span);
  }
  bool fed = bytes.size > 0;
  if (fed) {
    m->crew->send(m->crew->self, worker, &bytes);
  }
  rh_text_free(&bytes);
  return fed;
}

static void feed_all(manager *m)
{
  for (int i = 0; i < m->crew->n; i++) {
    if (m->here[i]) {
      (void)feed_worker(m, i);
    }
  }
}

static void greet_worker(manager *m, int worker)
{
  rh_text hello = {0};
  rh_wire_add(&hello, RH_WIRE_HELLO, NULL, 0);
  m->crew->send(m->crew->self, worker, &hello);
  rh_text_free(&hello);
}

// Whoever speaks is there, also one that was believed dead. An idle worker that asks gets an answer.
static rh_status hear_worker(manager *m, int worker, rh_text *said)
{
  size_t at = 0;
  rh_wire head;
  const char *body = NULL;
  bool damaged = false;
  bool asks = false;
  rh_case result;
  while (m->status == RH_OK && rh_wire_next(said, &at, &head, &body, &damaged)) {
    m->nhere += !m->here[worker];
    m->here[worker] = true;
    asks = asks || head.kind == RH_WIRE_HELLO;
    if (head.kind == RH_WIRE_RESULT && rh_wire_result(m->run->plan, body, head.bytes, &result)) {
      (void)keep_result(m, &result);
    }
  }
  rh_wire_drop(said, at);
  if (m->status == RH_OK && m->here[worker] && !feed_worker(m, worker) && asks) {
    greet_worker(m, worker);
  }
  return m->status;
}

static rh_status give_up_case(manager *m, int64_t index)
{
  rh_case result = {.index = index, .status = RH_STOPPED};
  for (int i = 0; i < m->run->plan->out.n; i++) {
    result.value[i] = (double)NAN;
  }
  (void)snprintf(result.reason, sizeof result.reason,
                 "the process that ran it died or was silent, %d times", RH_DEATHS_MAX);
  m->run->counts.lost++;
  return keep_result(m, &result);
}

static void bury_worker(manager *m, int worker)
{
  m->run->counts.deaths++;
  m->nhere -= m->here[worker];
  m->here[worker] = false;
  int64_t lost = rh_leases_died(m->leases, worker);
  if (lost != RH_NONE) {
    (void)give_up_case(m, lost);
  }
  (void)m->crew->replace(m->crew->self, worker);
}

// Workers whose oldest lease has ended are as dead.
static void look_around(manager *m)
{
  double now = rh_wall_clock();
  if (now - m->looked < LOOK_TIME) {
    return;
  }
  m->looked = now;
  m->manned = m->nhere > 0 ? now : m->manned;
  double mean = (now - m->begun) * (m->nhere + 1) / (double)(m->now + 1);
  int silent = rh_leases_silent(m->leases, now, fmax(m->run->lease, LEASE_LEAST * mean));
  if (silent != RH_NONE) {
    bury_worker(m, silent);
    feed_all(m);
  }
  double patience = NOBODY_TIME + (isfinite(m->run->lease) ? m->run->lease : 0);
  if (m->status == RH_OK && now - m->manned > patience) {
    m->status = rh_refuse(RH_STOPPED, "sweep: no worker is left");
  }
}

static void dismiss_crew(manager *m)
{
  rh_text stop = {0};
  m->run->together = m->status == RH_OK && m->run->counts.deaths == 0 && m->nhere == m->crew->n;
  rh_wire_add_stop(&stop, m->run->together);
  for (int i = 0; i < m->crew->n; i++) {
    m->crew->send(m->crew->self, i, &stop);
  }
  rh_text_free(&stop);
}

static rh_status run_with_crew(manager *m)
{
  while (m->status == RH_OK && rh_leases_left(m->leases) > 0) {
    rh_text *said = NULL;
    bool died = false;
    int worker = m->crew->wait(m->crew->self, TICK, &said, &died);
    if (worker != RH_NONE && hear_worker(m, worker, said) == RH_OK && died) {
      bury_worker(m, worker);
      feed_all(m);
    }
    look_around(m);
    if (commit_due(m, false) == RH_OK && rh_interrupt_seen() != 0) {
      m->status = RH_INTERRUPTED;
    }
    show_progress(m);
  }
  dismiss_crew(m);
  return m->status;
}

static rh_crew *gather_crew(const rh_sweep_run *run)
{
  rh_crew *local = run->workers > 0 ? rh_crew_local(run->plan, run->workers) : NULL;
  if (run->mpi == NULL) {
    return local;
  }
  rh_crew *all = rh_crew_ranks(run->mpi, run->plan, local);
  if (all == NULL && local != NULL) {
    local->end(local->self);
  }
  return all;
}

static rh_status run_crew(manager *m)
{
  m->crew = gather_crew(m->run);
  if (m->crew == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "sweep: no worker could be started");
  }
  m->here = rh_alloc((size_t)m->crew->n * sizeof *m->here);
  rh_status status =
      m->here != NULL ? run_with_crew(m) : rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  m->crew->end(m->crew->self);
  rh_free(m->here);
  return status;
}

// ---- The whole

static void mark_done(void *user, int64_t index)
{
  (void)rh_leases_done(user, index);
}

static rh_status run_missing(rh_sweep_run *run, rh_leases *leases)
{
  RH_TRY(rh_journal_indices(run->journal, mark_done, leases, run->diag));
  int64_t cases = run->plan->cases;
  run->counts.before = cases - rh_leases_left(leases);
  double now = rh_wall_clock();
  manager m = {.run = run,
               .leases = leases,
               .begun = now,
               .committed = now,
               .shown = now,
               .looked = now,
               .manned = now};
  m.progress = rh_progress_begin(run->request, 0, 0);
  rh_interrupt_catch();
  rh_status status = RH_OK;
  if (rh_leases_left(leases) > 0) {
    status = run->workers > 0 || run->mpi != NULL ? run_crew(&m) : run_here(&m);
  }
  if (rh_leases_left(leases) == 0 && run->counts.before == cases && run->mpi != NULL) {
    rh_ranks_dismiss(run->mpi);
    run->together = true;
  }
  rh_progress_end(&m.progress);
  run->counts.done = cases - rh_leases_left(leases);
  if (status != RH_OUTPUT_NOT_WRITTEN) {
    rh_status kept = commit_due(&m, true);
    status = status == RH_OK ? kept : status;
  }
  return status;
}

rh_status rh_sweep_simulate(rh_sweep_run *run)
{
  rh_leases *leases = rh_leases_create(run->plan->cases);
  rh_status status =
      leases != NULL ? run_missing(run, leases) : rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  rh_leases_destroy(leases);
  if (status == RH_OK) {
    status = rh_journal_finish(run->journal, run->diag, &run->sum);
  } else {
    rh_journal_close(run->journal);
  }
  run->journal = NULL;
  return status;
}
