// gnuplot.c: writes pictures as gnuplot programs with their data inside, and pipes them into gnuplot. No shell is
// involved; text reaches gnuplot in single quotes only, in which nothing is special but the quote itself.
#include "plot.h"
#include "refusal.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_FOUND 127 // exit status of the child when there is no gnuplot

void rh_gnuplot_quote(FILE *to, const char *text)
{
  fputc('\'', to);
  for (const char *c = text; *c != '\0'; c++) {
    if (*c == '\'') {
      fputc('\'', to);
    }
    fputc((unsigned char)*c < 32 || *c == 127 ? ' ' : *c, to);
  }
  fputc('\'', to);
}

void rh_gnuplot_axis(FILE *to, const char *axis, const char *name, const char *unit)
{
  char label[256];
  bool bare = unit == NULL || unit[0] == '\0' || strcmp(unit, "1") == 0;
  snprintf(label, sizeof label, bare ? "%s" : "%s [%s]", name, unit);
  fprintf(to, "set %s ", axis);
  rh_gnuplot_quote(to, label);
  fputs(" noenhanced\n", to);
}

// The names of the curves on one axis, if they are few, make its label.
static void axis_name(const rh_plot *plot, int axis, char *buffer, size_t size)
{
  size_t used = 0;
  int count = 0;
  buffer[0] = '\0';
  for (int i = 0; i < plot->ncurve; i++) {
    if (plot->curve[i].axis != axis) {
      continue;
    }
    used += (size_t)snprintf(buffer + used, size - used, "%s%s", count > 0 ? ", " : "",
                             plot->curve[i].label);
    if (used >= 48) { // too long to read along an axis
      buffer[0] = '\0';
      return;
    }
    count++;
  }
}

static void put_marks(FILE *to, const rh_plot *plot)
{
  for (int i = 0; i < plot->nmark; i++) {
    fprintf(to,
            "set arrow from first %.17g, graph 0 to first %.17g, graph 1 nohead back lw 0.6 dt 3 "
            "lc rgb '#909090'\n",
            plot->mark[i].t, plot->mark[i].t);
    if (plot->nmark <= 16) {
      fprintf(to, "set label ");
      rh_gnuplot_quote(to, rh_event_word(plot->mark[i].kind));
      fprintf(to,
              " at first %.17g, graph 0.02 rotate by 90 offset char -0.5,0 noenhanced font ',9' tc "
              "rgb '#707070'\n",
              plot->mark[i].t);
    }
  }
}

// Okabe and Ito's colours in an order of falling contrast with white, each with a dash pattern of its own: a curve is
// known by its dashes where colours are not seen.
static void put_styles(FILE *to)
{
  static const char *const color[] = {"#000000", "#0072B2", "#D55E00", "#009E73",
                                      "#CC79A7", "#56B4E9", "#E69F00"};
  static const char *const dash[] = {"solid",  "(12,4)",        "(3,3)", "(12,4,3,4)",
                                     "(20,5)", "(8,3,3,3,3,3)", "(2,5)"};
  for (int i = 0; i < RH_COUNT(color); i++) {
    fprintf(to, "set linetype %d lw 1.8 dt %s lc rgb '%s'\n", i + 1, dash[i], color[i]);
  }
  fprintf(to, "set linetype cycle %d\n", RH_COUNT(color));
}

void rh_gnuplot_data(FILE *to, const char *name, const double *x, const double *y, long n)
{
  fprintf(to, "$%s << end_of_curve\n", name);
  for (long k = 0; k < n; k++) {
    if (isfinite(x[k]) && isfinite(y[k])) {
      fprintf(to, "%.17g %.17g\n", x[k], y[k]);
    } else {
      fputc('\n', to); // a gap in the line
    }
  }
  fputs("end_of_curve\n", to);
}

// Time fills the width; of two lengths or two angles one must not look longer than the other.
static void put_scale(FILE *to, const rh_plot *plot)
{
  if (strcmp(plot->x_name, "t") == 0) {
    fputs("set autoscale xfix\n", to);
  } else if (plot->unit[1] == NULL && strcmp(plot->x_unit, plot->unit[0]) == 0) {
    fputs("set size ratio -1\n", to);
  }
}

// What all pictures have in common.
static void put_head(FILE *to, const rh_picture *picture, const char *path, bool png)
{
  fprintf(to,
          png ? "set terminal pngcairo size %d,%d font 'Helvetica,11' background rgb 'white'\n"
              : "set terminal svg size %d,%d dynamic font 'Helvetica,13' background rgb 'white'\n",
          picture->width, picture->height);
  if (path != NULL) {
    fputs("set output ", to);
    rh_gnuplot_quote(to, path);
    fputc('\n', to);
  }
  put_styles(to);
  fputs("set encoding utf8\nset grid lt 1 dt solid lw 0.5 lc rgb '#e0e0e0'\nset key outside top "
        "center horizontal noenhanced\n"
        "set border 3 lw 0.8\nset tics nomirror out\nset offsets graph 0, graph 0, graph 0.04, "
        "graph 0.04\n",
        to);
}

static void put_plot(FILE *to, const void *user)
{
  const rh_plot *plot = user;
  put_scale(to, plot);
  if (plot->title != NULL) {
    fputs("set title ", to);
    rh_gnuplot_quote(to, plot->title);
    fputs(" noenhanced\n", to);
  }
  char name[256];
  rh_gnuplot_axis(to, "xlabel", plot->x_name, plot->x_unit);
  axis_name(plot, 0, name, sizeof name);
  rh_gnuplot_axis(to, "ylabel", name, plot->unit[0]);
  if (plot->unit[1] != NULL) {
    axis_name(plot, 1, name, sizeof name);
    rh_gnuplot_axis(to, "y2label", name, plot->unit[1]);
    fputs("set border 11\nset y2tics\n", to);
  }
  put_marks(to, plot);
  for (int i = 0; i < plot->ncurve; i++) {
    snprintf(name, sizeof name, "curve%d", i);
    rh_gnuplot_data(to, name, plot->curve[i].x, plot->curve[i].y, plot->curve[i].n);
  }
  fputs("plot ", to);
  for (int i = 0; i < plot->ncurve; i++) {
    const rh_curve *curve = &plot->curve[i];
    fprintf(to, "%s$curve%d using 1:2 axes x1y%d with lines title ", i > 0 ? ", " : "", i,
            curve->axis + 1);
    rh_gnuplot_quote(to, curve->label);
  }
  fputc('\n', to);
}

static rh_status start(pid_t *child, FILE **to)
{
  int end[2];
  if (pipe(end) != 0) {
    return rh_refuse(RH_OUTPUT_NOT_WRITTEN, "gnuplot: %s", strerror(errno));
  }
  fflush(stdout);
  *child = fork();
  if (*child < 0) {
    close(end[0]);
    close(end[1]);
    return rh_refuse(RH_OUT_OF_MEMORY, "gnuplot: %s", strerror(errno));
  }
  if (*child == 0) {
    dup2(end[0], STDIN_FILENO);
    close(end[0]);
    close(end[1]);
    execlp("gnuplot", "gnuplot", "-d", "-",
           (char *)NULL); // -d: no settings of the user, so equal plots everywhere
    _exit(NOT_FOUND);
  }
  close(end[0]);
  *to = fdopen(end[1], "w");
  if (*to == NULL) {
    close(end[1]);
    return rh_refuse(RH_OUT_OF_MEMORY, "gnuplot: %s", strerror(errno));
  }
  return RH_OK;
}

static rh_status finish(pid_t child, bool written)
{
  int state = 0;
  while (waitpid(child, &state, 0) < 0 && errno == EINTR) {}
  if (WIFEXITED(state) && WEXITSTATUS(state) == NOT_FOUND) {
    return rh_refuse(RH_OUTPUT_NOT_WRITTEN,
                     "gnuplot was not found; install it (Debian: apt install gnuplot-nox), or "
                     "take the numbers (routh export, --json) to another program");
  }
  if (!WIFEXITED(state) || WEXITSTATUS(state) != 0 || !written) {
    return rh_refuse(RH_OUTPUT_NOT_WRITTEN, "gnuplot failed");
  }
  return RH_OK;
}

static rh_status pipe_program(const rh_picture *picture, const char *path, bool png)
{
  pid_t child = 0;
  FILE *to = NULL;
  struct sigaction ignore = {.sa_handler = SIG_IGN};
  struct sigaction before;
  sigemptyset(&ignore.sa_mask);
  sigaction(SIGPIPE, &ignore,
            &before); // a gnuplot that dies is an error message, not the end of us
  rh_status status = start(&child, &to);
  if (status == RH_OK) {
    put_head(to, picture, path, png);
    picture->program(to, picture->user);
    fputs("set output\n", to);
    bool written = !ferror(to);
    written = fclose(to) == 0 && written;
    status = finish(child, written);
  }
  sigaction(SIGPIPE, &before, NULL);
  return status;
}

rh_status rh_picture_check(const char *verb, const char *output)
{
  bool known = strcmp(output, "-") == 0 || rh_file_has_ending(output, ".svg") ||
               rh_file_has_ending(output, ".png");
  return known
             ? RH_OK
             : rh_refuse(RH_WRONG_USAGE, "%s: '%s' ends neither in .svg nor in .png", verb, output);
}

// Asked for a file that it cannot open, gnuplot would draw on standard output.
static rh_status try_to_write(const char *temporary, const char *output)
{
  FILE *file = fopen(temporary, "wb");
  if (file == NULL) {
    return rh_refuse(RH_OUTPUT_NOT_WRITTEN, "%s: %s", output, strerror(errno));
  }
  fclose(file);
  return RH_OK;
}

rh_status rh_picture_draw(const rh_picture *picture, const char *output)
{
  if (strcmp(output, "-") == 0) {
    rh_refusals_take_stdout();
    return pipe_program(picture, NULL, false);
  }
  char *temporary = rh_file_temporary(output);
  if (temporary == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  rh_status status = try_to_write(temporary, output);
  if (status == RH_OK) {
    status = pipe_program(picture, temporary, rh_file_has_ending(output, ".png"));
  }
  if (status == RH_OK) {
    status = rh_file_keep(temporary, output);
  } else {
    rh_file_drop(temporary);
  }
  rh_free(temporary);
  return status;
}

rh_status rh_plot_draw(const rh_plot *plot, const char *output)
{
  return rh_picture_draw(
      &(rh_picture){.width = 1000, .height = 600, .program = put_plot, .user = plot}, output);
}
