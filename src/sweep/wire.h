// wire.h: what manager and workers tell each other: a head and a body, as bytes. Both are the same
// program on machines of one kind.
#ifndef ROUTH_SWEEP_WIRE_H
#define ROUTH_SWEEP_WIRE_H

#include "leases.h"
#include "sweep.h"

typedef enum rh_wire_kind {
  RH_WIRE_SPAN = 1, // manager: rh_span
  RH_WIRE_STOP,     // manager: nothing more comes
  RH_WIRE_RESULT,   // worker: index, status, values, reason
  RH_WIRE_HELLO,    // worker: it is there
} rh_wire_kind;

typedef struct rh_wire {
  uint32_t kind, bytes; // of the body
} rh_wire;

#define RH_WIRE_BODY_MAX 4096

void rh_wire_add(rh_text *to, rh_wire_kind kind, const void *body, size_t bytes);
void rh_wire_add_result(rh_text *to, const rh_plan *plan, const rh_case *result);
// The message at *at of `text`, which moves behind it. False: it is not there yet, or (*damaged) is
// none.
bool rh_wire_next(const rh_text *text, size_t *at, rh_wire *head, const char **body, bool *damaged);
bool rh_wire_result(const rh_plan *plan, const char *body, size_t bytes, rh_case *result);
void rh_wire_drop(rh_text *text, size_t bytes); // from its start

#endif
