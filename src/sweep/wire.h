// wire.h: what manager and workers tell each other: a head and a body, as bytes. Both are the same
// program on machines of one kind.
#ifndef ROUTH_SWEEP_WIRE_H
#define ROUTH_SWEEP_WIRE_H

#include "leases.h"
#include "sweep.h"

typedef enum rh_wire_kind {
  RH_WIRE_SPAN = 1, // manager: rh_case_span
  RH_WIRE_STOP,     // manager: nothing more comes; one byte: do all end together?
  RH_WIRE_PLAN,     // manager: what the sweep is
  RH_WIRE_RESULT,   // worker: index, status, values, reason
  RH_WIRE_HELLO,    // both: it is there
} rh_wire_kind;

typedef struct rh_wire {
  uint32_t kind, bytes; // of the body
} rh_wire;

#define RH_WIRE_BODY_MAX 4096
#define RH_WIRE_PLAN_MAX (256 << 20) // only where a plan is waited for

void rh_wire_add(rh_text *to, rh_wire_kind kind, const void *body, size_t bytes);
void rh_wire_add_result(rh_text *to, const rh_plan *plan, const rh_case *result);
// The message at *at of `text`, which moves past it. False: it is not there yet, or (*damaged) is
// none, or memory for it was lacking. Plans are no messages here: rh_wire_plan.
bool rh_wire_next(const rh_text *text, size_t *at, rh_wire *head, const char **body, bool *damaged);
bool rh_wire_result(const rh_plan *plan, const char *body, size_t bytes, rh_case *result);
void rh_wire_add_stop(rh_text *to, bool together);
void rh_wire_add_plan(rh_text *to, const rh_plan *plan);
// Takes messages from `text` until the plan or a stop has come (true: neither has). A stop leaves a plan without
// cases; *status: could the plan be read?
bool rh_wire_plan(rh_text *text, rh_plan *plan, rh_status *status);
void rh_wire_drop(rh_text *text, size_t bytes); // from its start

#endif
