// view_pictures.c: `routh view --png` and `--frames`: pictures of recordings without a window. A
// page with the runs is opened by a headless browser at the requested times.
#include "view.h"
#include "viewer/viewer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PICTURES_MAX 5000
#define RATE         25.0 // [1/s] pictures of simulated time

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
static rh_status choose_times(const rh_view_runs *runs, bool one, double *t, int *n)
{
  double at;
  double rate;
  RH_TRY(read_number(runs->args, "at", 0, (const double[2]){0, 1e9}, &at));
  RH_TRY(read_number(runs->args, "rate", RATE, (const double[2]){1e-3, 1e6}, &rate));
  if (one) {
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

// "960x600"
static rh_status read_pixels(const rh_args *args, rh_shots *shots)
{
  const char *text = rh_args_text(args, "pixels");
  int used = 0;
  if (text != NULL &&
      (sscanf(text, "%dx%d%n", &shots->width, &shots->height, &used) != 2 || // NOLINT(cert-err34-c)
       text[used] != '\0' || shots->width < 16 || shots->width > 8192 || shots->height < 16 ||
       shots->height > 8192)) {
    return rh_refuse(RH_WRONG_USAGE, "view: --pixels is WIDTHxHEIGHT, 16 to 8192 each, got '%s'",
                     text);
  }
  return RH_OK;
}

// "-60,20,1.5"
static rh_status read_look(const rh_args *args, double look[3])
{
  static const double most[3] = {720, 90, 100};
  const char *text = rh_args_text(args, "look");
  const char *at = text;
  for (int i = 0; text != NULL && i < 3; i++) {
    size_t read = rh_number_read(at, &look[i]);
    at += read;
    if (read == 0 || *at != (i < 2 ? ',' : '\0') || !(look[i] >= -most[i] && look[i] <= most[i]) ||
        (i == 2 && look[i] < 0.01)) {
      return rh_refuse(RH_WRONG_USAGE,
                       "view: --look is AZIMUTH,ELEVATION,NEARER (degrees, times), got '%s'", text);
    }
    at++;
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
  RH_TRY(read_pixels(runs->args, &shots));
  RH_TRY(read_look(runs->args, shots.look));
  RH_TRY(rh_view_bare_page(&page));
  to->film = runs->film;
  to->n = runs->n;
  to->page = &page;
  RH_TRY(rh_film_shoot(to, &shots, runs->diag));
  if (to->file == NULL || strcmp(to->file, "-") != 0) {
    rh_say(&runs->args->request, "wrote %d picture%s", n, rh_plural(n));
  }
  return RH_OK;
}

rh_status rh_view_pictures(const rh_view_runs *runs)
{
  rh_film_shots to = {.file = rh_args_text(runs->args, "png"),
                      .folder = rh_args_text(runs->args, "frames")};
  if (to.file != NULL && strcmp(to.file, "-") == 0 && isatty(STDOUT_FILENO)) {
    return rh_refuse(RH_WRONG_USAGE, "view: a picture is not written to a terminal; redirect it "
                                     "(--png - > FILE.png) or name a file");
  }
  if (to.file == NULL && strcmp(to.folder, "-") == 0) {
    return rh_refuse(
        RH_WRONG_USAGE,
        "view: --frames needs a folder; several pictures cannot go to standard output");
  }
  double *t = rh_alloc(PICTURES_MAX * sizeof *t);
  int n = 0;
  rh_status status = t != NULL ? choose_times(runs, to.file != NULL, t, &n)
                               : rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  if (status == RH_OK) {
    status = take_at(runs, &to, t, n);
  }
  rh_free(t);
  return status;
}
