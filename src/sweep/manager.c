// manager.c: gives cases to workers and hears their results. Nothing of the clock, of the workers'
// number or of their order comes into a result or into the finished journal.
#include "manager.h"

#include <math.h>
#include <string.h>

#define SPAN_TIME   0.1  // [s] of work in one span
#define SPAN_MAX    4096 // cases, for each worker
#define LEASE_LEAST 10   // times the mean time of a case that a lease lasts at least
#define LOOK_TIME   0.5  // [s] between two looks for silent workers
#define NOBODY_TIME 60   // [s] and the time of a lease without any worker end the sweep
#define LATE_TIME                                                                                  \
  5 // [s] or the time of a lease: workers that have not spoken yet are waited for at the end

bool rh_manager_begin(rh_manager *m)
{
  m->member = rh_alloc(((size_t)m->crew->n + 1) * sizeof *m->member);
  m->watch.looked = rh_wall_clock();
  return m->member != NULL;
}

void rh_manager_end(rh_manager *m)
{
  m->crew->end(m->crew->self);
  rh_free(m->member);
}

int64_t rh_manager_deaths(const rh_manager *m)
{
  int64_t deaths = m->deaths;
  for (int i = 0; i < m->crew->n; i++) {
    deaths += m->member[i].deaths;
  }
  return deaths;
}

// A result that is known already (its lease had ended, and another worker was faster) is the same.
static void keep_result(rh_manager *m, const rh_case *result)
{
  if (rh_leases_done(m->leases, result->index)) {
    m->results++;
    m->status = m->keep(m->sink, result);
  }
}

// Cases of about SPAN_TIME for each worker below it; fewer at the end, so that all end together.
static int64_t span_size(const rh_manager *m, int worker)
{
  double workers = m->strength > 0 ? (double)m->strength : 1;
  double mean = m->now * workers / (double)(m->results + 1);
  double fits = SPAN_TIME / fmax(mean, SPAN_TIME / SPAN_MAX);
  int64_t left = m->relays ? 2 * rh_leases_waiting(m->leases) : rh_leases_left(m->leases);
  double share = (double)left / (4 * workers);
  fits = (double)m->results < 4 * workers ? 1 : fmax(1, floor(fits));
  return (int64_t)fmax(1, fmin(fits, share) * m->member[worker].strength);
}

// It has always another span waiting after the one it is at. A manager between has two: its workers hold up to two of
// their own, and those that ask must find some.
static bool feed_worker(rh_manager *m, int worker)
{
  int64_t size = span_size(m, worker);
  int64_t strength = m->member[worker].strength;
  int64_t enough = strength > 1 ? 2 * (size > strength ? size : strength) : size > 2 ? size / 2 : 1;
  rh_text bytes = {0};
  int64_t held = rh_leases_held(m->leases, worker);
  for (int spans = 0; held <= enough && spans < 4; spans++) {
    rh_case_span span = rh_leases_take(m->leases, worker, size, m->now);
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

void rh_manager_feed(rh_manager *m)
{
  for (int i = 0; i < m->crew->n; i++) {
    if (m->member[i].here) {
      (void)feed_worker(m, i);
    }
  }
}

static void greet_worker(const rh_manager *m, int worker)
{
  rh_text hello = {0};
  rh_wire_add(&hello, RH_WIRE_HELLO, NULL, 0);
  m->crew->send(m->crew->self, worker, &hello);
  rh_text_free(&hello);
}

// Whoever speaks is there, also one that was believed dead.
static void note_member(rh_manager *m, int worker, const rh_wire *head, const char *body)
{
  rh_member *member = &m->member[worker];
  uint32_t said[2] = {1, 0}; // its strength, and deaths below it
  bool states = head->kind == RH_WIRE_HELLO && head->bytes == sizeof said;
  if (states) {
    memcpy(said, body, sizeof said);
  }
  m->strength -= member->here ? member->strength : 0;
  m->nhere += !member->here;
  if (states || member->strength == 0) {
    member->strength = said[0];
    member->deaths = said[1];
  }
  member->here = true;
  m->strength += member->strength;
}

// False: it says what no worker says. An idle worker that asks gets an answer.
static bool hear_worker(rh_manager *m, int worker, rh_text *said)
{
  size_t at = 0;
  rh_wire head;
  const char *body = NULL;
  bool damaged = false;
  bool asks = false;
  rh_case result;
  while (m->status == RH_OK && !damaged && rh_wire_next(said, &at, &head, &body, &damaged)) {
    bool result_known =
        head.kind == RH_WIRE_RESULT && rh_wire_result(m->plan, body, head.bytes, &result);
    damaged = head.kind != RH_WIRE_HELLO && !result_known;
    if (damaged) {
      break;
    }
    note_member(m, worker, &head, body);
    asks = asks || head.kind == RH_WIRE_HELLO;
    if (result_known) {
      keep_result(m, &result);
    }
  }
  if (damaged) {
    rh_text_free(said); // what follows has no beginning
    return false;
  }
  rh_wire_drop(said, at);
  if (m->status == RH_OK && m->member[worker].here && !feed_worker(m, worker) && asks) {
    greet_worker(m, worker);
  }
  return true;
}

static void give_up_case(rh_manager *m, int64_t index)
{
  rh_case result = {.index = index, .status = RH_STOPPED};
  for (int i = 0; i < m->plan->out.n; i++) {
    result.value[i] = (double)NAN;
  }
  (void)snprintf(result.reason, sizeof result.reason,
                 "the process that ran it died or was silent, %d times", RH_DEATHS_MAX);
  m->lost++;
  keep_result(m, &result);
}

static void bury_worker(rh_manager *m, int worker)
{
  rh_member *member = &m->member[worker];
  m->deaths++;
  m->nhere -= member->here;
  m->strength -= member->here ? member->strength : 0;
  member->here = false;
  int64_t lost = rh_leases_died(m->leases, worker);
  if (lost != RH_NONE) {
    give_up_case(m, lost);
  }
  (void)m->crew->replace(m->crew->self, worker);
  rh_manager_feed(m);
}

// Workers whose oldest lease has ended are as dead.
static void look_around(rh_manager *m)
{
  double now = m->now;
  if (now - m->looked < LOOK_TIME) {
    return;
  }
  m->looked = now;
  m->manned = m->nhere > 0 ? now : m->manned;
  double mean = now * (double)(m->strength + 1) / (double)(m->results + 1);
  int silent = rh_leases_silent(m->leases, now, fmax(m->lease, LEASE_LEAST * mean));
  if (silent != RH_NONE) {
    bury_worker(m, silent);
  }
  double patience = NOBODY_TIME + (isfinite(m->lease) ? m->lease : 0);
  if (m->status == RH_OK && now - m->manned > patience) {
    m->status = rh_refuse(RH_STOPPED, "sweep: no worker is left");
  }
}

void rh_manager_turn(rh_manager *m, int ms)
{
  rh_text *said = NULL;
  bool died = false;
  int worker = m->crew->wait(m->crew->self, ms, &said, &died);
  m->now = rh_listening_time(&m->watch, rh_wall_clock());
  bool damaged = worker != RH_NONE && !hear_worker(m, worker, said);
  if ((died || damaged) && m->status == RH_OK) {
    bury_worker(m, worker);
  }
  look_around(m);
}

bool rh_manager_dismiss(rh_manager *m, bool together)
{
  together = together && m->status == RH_OK && rh_manager_deaths(m) == 0;
  // A short sweep may be over before all have come: on a busy machine they take their time, and mpirun calls a job wrong that ends without them.
  double late = isfinite(m->lease) ? fmax(m->lease, LATE_TIME) : LATE_TIME;
  double begun = m->now;
  while (together && m->nhere < m->crew->n && m->now - begun < late) {
    rh_manager_turn(m, 10);
  }
  together = together && m->nhere == m->crew->n && rh_manager_deaths(m) == 0;
  rh_text stop = {0};
  rh_wire_add_stop(&stop, together);
  for (int i = 0; i < m->crew->n; i++) {
    m->crew->send(m->crew->self, i, &stop);
  }
  rh_text_free(&stop);
  return together;
}
