// worker.c: a worker of a sweep: it runs the spans it is given in their order, and looks for further
// ones between two cases, so that it never waits while the manager has work. Results go out
// together after a short time, and always at the end of a span.
#include "console/caller.h"
#include "crew.h"

#include <string.h>

#define SPANS_MAX  64
#define FLUSH_TIME 0.02 // [s] results wait at most so long for others
#define FLUSH_SIZE 32768

typedef struct worker {
  const rh_plan *plan;
  const rh_line *line;
  rh_text inbox, outbox;
  rh_case_span span[SPANS_MAX]; // the first one is at work
  int nspan;
  bool stop, together;
  double flushed;
} worker;

static bool flush_results(worker *w)
{
  bool sent =
      w->outbox.size == 0 || (!w->outbox.failed && w->line->send(w->line->self, &w->outbox));
  rh_wire_drop(&w->outbox, w->outbox.size);
  w->flushed = rh_wall_clock();
  return sent;
}

static bool take_messages(worker *w)
{
  size_t at = 0;
  rh_wire head;
  const char *body = NULL;
  bool damaged = false;
  while (rh_wire_next(&w->inbox, &at, &head, &body, &damaged)) {
    if (head.kind == RH_WIRE_SPAN && head.bytes == sizeof(rh_case_span) && w->nspan < SPANS_MAX) {
      memcpy(&w->span[w->nspan++], body, sizeof(rh_case_span));
    }
    if (head.kind == RH_WIRE_STOP) {
      w->stop = true;
      w->together = head.bytes == 1 && body[0] == 1;
    }
  }
  rh_wire_drop(&w->inbox, at);
  return !damaged && !w->inbox.failed;
}

static bool run_next(worker *w)
{
  rh_case result;
  rh_case_span *span = &w->span[0];
  rh_status (*run)(const rh_plan *, int64_t, rh_case *) =
      w->plan->run != NULL ? w->plan->run : rh_case_run;
  rh_status status = run(w->plan, span->first, &result);
  if (status != RH_OK) {
    return false; // no result: the case is another worker's
  }
  rh_wire_add_result(&w->outbox, w->plan, &result);
  span->first++;
  span->n--;
  bool over = span->n == 0;
  if (over) {
    w->nspan--;
    memmove(w->span, w->span + 1, (size_t)w->nspan * sizeof *w->span);
  }
  bool due = over || w->outbox.size > FLUSH_SIZE || rh_wall_clock() - w->flushed > FLUSH_TIME;
  return !due || flush_results(w);
}

// What a case prints and reports is dropped: its result has the reason.
bool rh_worker_work(const rh_plan *plan, const rh_line *line)
{
  worker w = {.plan = plan, .line = line, .flushed = rh_wall_clock()};
  rh_caller caller = {0};
  rh_caller_set(&caller);
  rh_wire_add(&w.outbox, RH_WIRE_HELLO, NULL, 0);
  bool good = flush_results(&w);
  while (good && !w.stop) {
    good = line->receive(line->self, w.nspan == 0, &w.inbox) && take_messages(&w);
    if (good && w.nspan > 0 && !w.stop) {
      good = run_next(&w);
      rh_caller_free(&caller);
    }
  }
  rh_caller_set(NULL);
  rh_text_free(&w.inbox);
  rh_text_free(&w.outbox);
  return good && w.together;
}
