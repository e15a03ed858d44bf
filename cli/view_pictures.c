// view_pictures.c: `routh view --png`, `--frames` and `--video`: pictures of recordings without a window. A
// page with the runs is opened by a headless browser at the requested times.
#include "view.h"
#include "viewer/viewer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PICTURES_MAX 5000
#define RATE         25.0 // [1/s] pictures of simulated time, or of a video

static rh_status read_number(const rh_args *args, const char *name, double otherwise,
                             const double range[2], double *x)
{
  const char *text = rh_args_text(args, name);
  *x = otherwise;
  if (text != NULL &&
      (rh_number_read(text, x) != strlen(text) || !(*x >= range[0] && *x <= range[1]))) {
    return rh_refuse(RH_WRONG_USAGE, "view: --%s is %g to %g, got '%s'", name, range[0], range[1],
                     text);
  }
  return RH_OK;
}

// One picture at --at, or one per 1/--rate seconds of the run.
static rh_status choose_times(const rh_view_runs *runs, rh_film_shots *to, double *t, int *n)
{
  double at;
  double rate;
  double speed;
  RH_TRY(read_number(runs->args, "at", 0, (const double[2]){0, 1e9}, &at));
  RH_TRY(read_number(runs->args, "speed", 1, (const double[2]){1e-6, 1e3}, &speed));
  RH_TRY(read_number(runs->args, "rate", RATE / speed, (const double[2]){1e-3, 1e9}, &rate));
  to->rate = rate * speed;
  if (to->file != NULL) {
    t[0] = at;
    *n = 1;
    return RH_OK;
  }
  long frames = rh_viewer_frame_count(runs->film[0]);
  double end = (double)(frames - 1) * rh_viewer_model(runs->film[0])->run.every;
  if (!(end * rate < PICTURES_MAX - 1)) {
    return rh_refuse(RH_OVER_LIMIT, "view: more than %d pictures; use a lower --rate",
                     PICTURES_MAX);
  }
  for (*n = 0; *n <= end * rate; (*n)++) {
    t[*n] = *n / rate;
  }
  return RH_OK;
}

static rh_status take_at(const rh_view_runs *runs, rh_film_shots *to, const double *t, int n)
{
  rh_viewer_page page;
  rh_shots shots = {.t = t,
                    .n = n,
                    .width = 1280,
                    .height = 800,
                    .no_arrows = rh_args_flag(runs->args, "no-arrows")};
  RH_TRY(rh_film_read_size(rh_args_text(runs->args, "pixels"), &shots));
  RH_TRY(rh_film_read_look(rh_args_text(runs->args, "look"), shots.look));
  RH_TRY(rh_view_bare_page(&page));
  to->film = runs->film;
  to->n = runs->n;
  to->page = &page;
  RH_TRY(rh_film_shoot(to, &shots, runs->diag));
  if (to->file == NULL || strcmp(to->file, "-") != 0) {
    rh_say(&runs->args->request, "wrote %s%s%d picture%s", to->video != NULL ? to->video : "",
           to->video != NULL ? " of " : "", n, rh_plural(n));
  }
  return RH_OK;
}

rh_status rh_view_pictures(const rh_view_runs *runs)
{
  rh_film_shots to = {.file = rh_args_text(runs->args, "png"),
                      .folder = rh_args_text(runs->args, "frames"),
                      .video = rh_args_text(runs->args, "video")};
  if (to.file != NULL && strcmp(to.file, "-") == 0 && isatty(STDOUT_FILENO)) {
    return rh_refuse(RH_WRONG_USAGE, "view: a picture is not written to a terminal; redirect it "
                                     "(--png - > FILE.png) or name a file");
  }
  if ((to.file != NULL) + (to.folder != NULL) + (to.video != NULL) > 1) {
    return rh_refuse(RH_WRONG_USAGE, "view: one of --png, --frames and --video at a time");
  }
  if (to.folder != NULL && strcmp(to.folder, "-") == 0) {
    return rh_refuse(
        RH_WRONG_USAGE,
        "view: --frames needs a folder; several pictures cannot go to standard output");
  }
  double *t = rh_alloc(PICTURES_MAX * sizeof *t);
  int n = 0;
  rh_status status =
      t != NULL ? choose_times(runs, &to, t, &n) : rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  if (status == RH_OK) {
    status = take_at(runs, &to, t, n);
  }
  rh_free(t);
  return status;
}
