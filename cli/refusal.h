// refusal.h: what --json prints where a command is refused: one object with the status and every diagnostic. Standard error
// has the same for people. A verb that has printed its own object (a run that stopped, a check) is left alone.
#ifndef ROUTH_CLI_REFUSAL_H
#define ROUTH_CLI_REFUSAL_H

#include "base/json.h"
#include "cli.h"

typedef struct rh_refusals {
  rh_text text;
  rh_json json;
  bool stdout_taken; // standard output has something else already
} rh_refusals;

// From here on messages are collected, until `end` prints them where the status is not RH_OK. `verb` may be NULL.
void rh_refusals_begin(rh_refusals *refusals, const char *verb);
void rh_refusals_drop(void); // nothing is collected any more
rh_status rh_refusals_end(rh_status status);
// Called by whatever collects or prints; all do nothing where nothing is collected.
void rh_refusals_add(const rh_message *message);
void rh_refusals_take_stdout(void);
// One diagnostic: severity, file, line, column, message, suggestion, source; null where not known.
void rh_json_message(rh_json *json, const rh_message *message);

#endif
