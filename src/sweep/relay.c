// relay.c: a manager between rank 0 and some of the workers. It gets spans from above as a worker
// does, gives them out in parts as a manager does, and passes the results on, many at a time: rank 0
// has few messages then, whose number is what limits it.
#include "manager.h"
#include "ranks.h"

#include <string.h>

#define FLUSH_TIME 0.02  // [s] results wait at most so long for others
#define FLUSH_SIZE 32768 // of these
#define PING_TIME  1.0   // [s] it shows that it is there
#define TICK       5     // [ms]

typedef struct relay {
  rh_manager m;
  const rh_line *up;
  rh_text outbox;
  double patience, flushed, pinged, heard; // [s] of the manager's watch
  int64_t strength, deaths;                // as last said
  bool stop, together;
} relay;

static rh_status flush_results(relay *r)
{
  bool sent = r->outbox.size == 0 || (!r->outbox.failed && r->up->send(r->up->self, &r->outbox));
  rh_wire_drop(&r->outbox, r->outbox.size);
  r->flushed = r->m.now;
  return sent ? RH_OK : RH_STOPPED;
}

static rh_status pass_result(void *sink, const rh_case *result)
{
  relay *r = sink;
  rh_wire_add_result(&r->outbox, r->m.plan, result);
  return r->outbox.size > FLUSH_SIZE ? flush_results(r) : RH_OK;
}

static void hear_above(relay *r, rh_text *inbox)
{
  size_t at = 0;
  rh_wire head;
  const char *body = NULL;
  bool damaged = false;
  bool fed = false;
  while (rh_wire_next(inbox, &at, &head, &body, &damaged)) {
    r->heard = r->m.now;
    if (head.kind == RH_WIRE_SPAN && head.bytes == sizeof(rh_case_span)) {
      rh_case_span span;
      memcpy(&span, body, sizeof span);
      fed = rh_leases_add(r->m.leases, span) || fed;
    }
    if (head.kind == RH_WIRE_STOP) {
      r->stop = true;
      r->together = head.bytes == 1 && body[0] == 1;
    }
  }
  rh_wire_drop(inbox, at);
  if (damaged) {
    r->m.status = RH_STOPPED;
  }
  if (fed) {
    rh_manager_feed(&r->m);
  }
}

// How many workers it stands for, and how many have died, whenever that changes.
static void show_itself(relay *r)
{
  double now = r->m.now;
  int64_t deaths = rh_manager_deaths(&r->m);
  bool news = r->strength != r->m.strength || r->deaths != deaths;
  if (!news && now - r->pinged < PING_TIME) {
    return;
  }
  const uint32_t said[2] = {(uint32_t)r->m.strength, (uint32_t)deaths};
  r->strength = r->m.strength;
  r->deaths = deaths;
  r->pinged = now;
  rh_wire_add(&r->outbox, RH_WIRE_HELLO, said, sizeof said);
  if (flush_results(r) != RH_OK) {
    r->m.status = RH_STOPPED;
  }
}

static void work_between(relay *r)
{
  while (r->m.status == RH_OK && !r->stop) {
    rh_manager_turn(&r->m, TICK);
    hear_above(r, rh_ranks_above(r->m.crew));
    show_itself(r);
    double now = r->m.now;
    if (r->m.status == RH_OK && now - r->flushed > FLUSH_TIME) {
      r->m.status = flush_results(r);
    }
    if (now - r->heard > r->patience) {
      r->m.status = RH_STOPPED; // the manager is gone
    }
  }
  r->together = rh_manager_dismiss(&r->m, r->together);
}

bool rh_relay_work(const rh_plan *plan, rh_crew *crew, const rh_line *up, double patience)
{
  relay r = {
      .m = {.plan = plan, .crew = crew, .keep = pass_result, .lease = patience, .relays = true},
      .up = up,
      .patience = patience};
  r.m.sink = &r;
  r.m.leases = rh_leases_create(plan->cases);
  if (r.m.leases != NULL && rh_manager_begin(&r.m)) {
    rh_leases_clear(r.m.leases);
    work_between(&r);
  }
  rh_manager_end(&r.m);
  rh_leases_destroy(r.m.leases);
  rh_text_free(&r.outbox);
  return r.together;
}
