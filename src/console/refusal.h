// refusal.h: output of --json for a refused command: one object with the status and every
// diagnostic. Standard error has the same for people. A verb with its own object (a stopped run, a
// check) is unchanged.
#ifndef ROUTH_CONSOLE_REFUSAL_H
#define ROUTH_CONSOLE_REFUSAL_H

#include "base/json.h"
#include "console.h"

typedef struct rh_refusals {
  rh_text text;
  rh_json json;
  bool stdout_taken; // standard output has other content already
} rh_refusals;

// From here on messages are collected, until `end` prints them if the status is not RH_OK. `verb`
// may be NULL.
void rh_refusals_begin(rh_refusals *refusals, const char *verb);
void rh_refusals_drop(void); // ends the collection
rh_status rh_refusals_end(rh_status status);
// Called by all collecting and printing functions; no effect without a collection.
void rh_refusals_add(const rh_message *message);
void rh_refusals_take_stdout(void);
// One diagnostic: severity, file, line, column, message, suggestion, source; null where unknown.
void rh_json_message(rh_json *json, const rh_message *message);

#endif
