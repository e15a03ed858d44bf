// progress.c: progress of a run (one line, only for long runs on a terminal). Poll functions call in
// here about every hundredth of a second of computing. Also the stored events of a run.
#include "caller.h"
#include "console.h"

#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE    0.5 // [s] a run shorter than this shows nothing
#define PERIOD      0.1 // [s] between two lines on a terminal
#define PERIOD_JSON 0.5

double rh_wall_clock(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

rh_progress rh_progress_begin(const rh_request *request, double t_begun, double t_end)
{
  const char *how = request->progress;
  rh_progress progress = {.t_begun = t_begun, .t_end = t_end};
  if (how != NULL && strcmp(how, "json") == 0) {
    progress.mode = 2;
  } else if (how == NULL && rh_caller_get() != NULL && rh_caller_get()->progress != NULL) {
    progress.mode = 3;
  } else if ((how == NULL || strcmp(how, "auto") == 0) && !request->quiet &&
             rh_caller_get() == NULL && isatty(STDERR_FILENO)) {
    progress.mode = 1;
  }
  progress.begun = rh_wall_clock();
  progress.last = progress.begun;
  return progress;
}

void rh_progress_tick(rh_progress *progress, const rh_sim *sim)
{
  double now = rh_wall_clock();
  double period = progress->mode == 2 ? PERIOD_JSON : PERIOD;
  if (progress->mode % 3 == 0 || now - progress->begun < PATIENCE ||
      now - progress->last < period) {
    return;
  }
  progress->last = now;
  double t = *rh_sim_view(sim)->t;
  double wall = now - progress->begun;
  double done = t - progress->t_begun;
  double speed = done / wall;
  double left = speed > 0 ? (progress->t_end - t) / speed : HUGE_VAL;
  long events = rh_sim_statistics(sim).events;
  double residue = rh_sim_ledger(sim).residue;
  if (progress->mode == 2) {
    fprintf(stderr, "{\"t\": %.17g, \"until\": %.17g, \"wall\": %.3f, \"events\": %ld", t,
            progress->t_end, wall, events);
    fprintf(stderr, isfinite(residue) ? ", \"residue\": %.17g}\n" : ", \"residue\": null}\n",
            residue);
    return;
  }
  char line[160];
  char rest[32] = "";
  if (isfinite(left)) {
    snprintf(rest, sizeof rest, "   %.0f s left", ceil(left));
  }
  snprintf(line, sizeof line, "%.3f of %.9g s   %.3gx   %ld event%s   residue %.1e J%s", t,
           progress->t_end, speed, events, rh_plural(events), residue, rest);
  int width = rh_terminal_width(stderr); // a line that wraps cannot be overwritten
  fprintf(stderr, "\r\033[K%.*s", width > 1 ? width - 1 : 0, line);
  fflush(stderr);
  progress->shown = true;
}

void rh_progress_count(rh_progress *progress, int done, int of, const char *what)
{
  double wall = rh_wall_clock() - progress->begun;
  rh_caller *caller = rh_caller_get();
  if (progress->mode == 3 && caller != NULL) {
    caller->ended = !caller->progress(caller->user, done, of, what) || caller->ended;
  } else if (progress->mode == 2) {
    fprintf(stderr, "{\"done\": %d, \"of\": %d, \"next\": \"%s\", \"wall\": %.3f}\n", done, of,
            what, wall);
  } else if (progress->mode == 1) {
    char line[160];
    snprintf(line, sizeof line, "%d of %d   %s   %.0f s", done + 1, of, what, wall);
    int width = rh_terminal_width(stderr);
    fprintf(stderr, "\r\033[K%.*s", width > 1 ? width - 1 : 0, line);
    fflush(stderr);
    progress->shown = true;
  }
}

void rh_progress_end(rh_progress *progress)
{
  if (progress->shown) {
    fputs("\r\033[K", stderr);
    fflush(stderr);
  }
}

// ---- Events

rh_status rh_events_keep(rh_events *events, const rh_event *event)
{
  if (events->count == events->room) {
    long room = events->room == 0 ? 64 : 2 * events->room;
    rh_event *larger = rh_realloc(events->event, (size_t)room * sizeof *larger);
    if (larger == NULL) {
      return RH_OUT_OF_MEMORY;
    }
    events->event = larger;
    events->room = room;
  }
  events->event[events->count++] = *event;
  return RH_OK;
}
