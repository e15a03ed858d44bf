// caller.h: verbs inside another program. While a thread has a caller, what a verb would print on
// standard output is added to the caller's text, its messages are kept there and nothing goes to
// standard error, and the caller is asked whether to stop instead of the signals.
#ifndef ROUTH_CONSOLE_CALLER_H
#define ROUTH_CONSOLE_CALLER_H

#include "console.h"

#include <routh/fit.h>

typedef struct rh_caller { // all zero but for the functions and the given file
  rh_text out;
  rh_message *message; // kept ones; their texts are copies
  int nmessage;
  bool (*stop)(void *user); // is the verb to end? NULL: never
  void *user;
  const char *name, *text; // a file that exists in memory only; NULL: none
  size_t bytes;
  const rh_measured *measured; // series in memory; as data `@0` is the first (nmeasured)
  int nmeasured;
  rh_fit_progress *progress; // of counted work, with `user`; NULL: none
  bool ended;                // by it
} rh_caller;

void rh_caller_set(rh_caller *caller); // of this thread; NULL: none
rh_caller *rh_caller_get(void);
void rh_caller_leave(void); // in a child of a fork: its functions are the parent's, and are not called
void rh_caller_keep(rh_caller *caller, const rh_message *message);
void rh_caller_pass(const rh_caller *caller, rh_diag *diag); // its messages
void rh_caller_free(rh_caller *caller); // what it has kept

#endif
