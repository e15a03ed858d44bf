// view.h: the parts of `routh view`.
#ifndef ROUTH_CLI_VIEW_H
#define ROUTH_CLI_VIEW_H

#include "cli.h"

// Pictures of a page at given times, by a browser that nobody sees (view_shots.c). `page` is a file; picture i is handed to
// `take` as a PNG. No shell is involved.
typedef struct rh_shots {
  const char *page;
  const char *folder; // of the browser, for what it wants to keep
  const double *t;    // [s]
  int n;
  int width, height; // [pixel]
  void *user;
  rh_status (*take)(void *user, int i, const unsigned char *png, size_t bytes);
} rh_shots;

rh_status rh_shots_take(const rh_shots *shots);
// A folder of our own in the usual place; rh_free it. NULL: it could not be made, which has been said.
char *rh_folder_create(void);
void rh_folder_remove(const char *folder); // and all in it

#endif
