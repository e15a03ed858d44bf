// gnuplot.c: writes pictures as gnuplot programs with their data inside, and pipes them into
// gnuplot. No shell is involved; text reaches gnuplot in single quotes only, where only the quote
// itself is special.
#include "console/refusal.h"
#include "plot.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
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

// Okabe and Ito's colours in an order of falling contrast with white, each with its own dash
// pattern: a curve is identified by its dashes without colours.
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

// Time fills the width; two lengths or two angles have equal scales.
static void put_scale(FILE *to, const rh_plot *plot)
{
  if (strcmp(plot->x_name, "t") == 0) {
    fputs("set autoscale xfix\n", to);
  } else if (plot->unit[1] == NULL && strcmp(plot->x_unit, plot->unit[0]) == 0) {
    fputs("set size ratio -1\n", to);
  }
}

// Common to all pictures.
static void put_head(FILE *to, const rh_picture *picture, bool png)
{
  fprintf(to,
          png ? "set terminal pngcairo size %d,%d font 'Helvetica,11' background rgb 'white'\n"
              : "set terminal svg size %d,%d dynamic font 'Helvetica,13' background rgb 'white'\n",
          picture->width, picture->height);
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

// ---- gnuplot as a child: program on its standard input, picture on its standard output.
// So we write the picture, and detect a full disk.

typedef struct talk {
  pid_t child;
  int to, from; // ends of the pipes, -1: closed
} talk;

static void close_end(int *end)
{
  if (*end >= 0) {
    close(*end);
  }
  *end = -1;
}

static void become_gnuplot(const int in[2], const int out[2])
{
  signal(SIGPIPE, SIG_DFL); // signals ignored here would be ignored there
  dup2(in[0], STDIN_FILENO);
  dup2(out[1], STDOUT_FILENO);
  for (int i = 0; i < 2; i++) {
    close(in[i]);
    close(out[i]);
  }
  execlp("gnuplot", "gnuplot", "-d", "-",
         (char *)NULL); // -d: no settings of the user, so equal plots everywhere
  _exit(NOT_FOUND);
}

static rh_status start_gnuplot(talk *t)
{
  int in[2] = {-1, -1};
  int out[2] = {-1, -1};
  fflush(stdout);
  bool piped = pipe(in) == 0 && pipe(out) == 0;
  t->child = piped ? fork() : -1;
  if (t->child == 0) {
    become_gnuplot(in, out);
  }
  int error = errno;
  if (t->child < 0) {
    for (int i = 0; i < 2; i++) {
      close_end(&in[i]);
      close_end(&out[i]);
    }
    return rh_refuse(error == ENOMEM || error == EAGAIN ? RH_OUT_OF_MEMORY : RH_OUTPUT_NOT_WRITTEN,
                     "gnuplot: %s", strerror(error));
  }
  close_end(&in[0]);
  close_end(&out[1]);
  t->to = in[1];
  t->from = out[0];
  (void)fcntl(t->to, F_SETFL, O_NONBLOCK); // it may draw before it has read all
  return RH_OK;
}

// Writes some of the program. The exit status shows a gnuplot that ended early.
static void write_some(talk *t, const char *program, size_t size, size_t *written)
{
  ssize_t n = write(t->to, program + *written, size - *written);
  *written += n > 0 ? (size_t)n : 0;
  if (*written == size || (n < 0 && errno != EAGAIN && errno != EINTR)) {
    close_end(&t->to);
  }
}

// Returns false at the end.
static bool read_some(talk *t, rh_text *drawn)
{
  char piece[65536];
  ssize_t n = read(t->from, piece, sizeof piece);
  if (n > 0) {
    rh_text_add_bytes(drawn, piece, (size_t)n);
  }
  return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

static void talk_to_gnuplot(talk *t, const char *program, size_t size, rh_text *drawn)
{
  size_t written = 0;
  for (bool more = true; more && !drawn->failed;) {
    struct pollfd end[2] = {{.fd = t->from, .events = POLLIN}, {.fd = t->to, .events = POLLOUT}};
    if (poll(end, t->to >= 0 ? 2 : 1, -1) < 0) {
      more = errno == EINTR;
      continue;
    }
    if (t->to >= 0 && end[1].revents != 0) {
      write_some(t, program, size, &written);
    }
    if (end[0].revents != 0) {
      more = read_some(t, drawn);
    }
  }
  close_end(&t->to);
  close_end(&t->from);
}

static rh_status end_gnuplot(pid_t child)
{
  int state = 0;
  while (waitpid(child, &state, 0) < 0 && errno == EINTR) {}
  if (WIFEXITED(state) && WEXITSTATUS(state) == NOT_FOUND) {
    return rh_refuse(RH_OUTPUT_NOT_WRITTEN,
                     "gnuplot was not found; install it (Debian: apt install gnuplot-nox), or "
                     "take the numbers (routh export, --json) to another program");
  }
  if (!WIFEXITED(state) || WEXITSTATUS(state) != 0) {
    return rh_refuse(RH_OUTPUT_NOT_WRITTEN, "gnuplot failed");
  }
  return RH_OK;
}

// gnuplot ends with 0 even after an incomplete picture.
static bool picture_is_whole(const rh_text *drawn, bool png)
{
  static const char chunk[12] = "\0\0\0\0IEND\xae\x42\x60\x82";
  static const char tag[] = "</svg>";
  size_t end = drawn->size;
  if (png) {
    return end > sizeof chunk && memcmp(drawn->data + end - sizeof chunk, chunk, sizeof chunk) == 0;
  }
  while (end > 0 && strchr(" \n\r", drawn->data[end - 1]) != NULL) {
    end--;
  }
  size_t length = sizeof tag - 1;
  return end > length && memcmp(drawn->data + end - length, tag, length) == 0;
}

static rh_status write_program(const rh_picture *picture, bool png, char **program, size_t *size)
{
  FILE *to = open_memstream(program, size);
  if (to == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  put_head(to, picture, png);
  picture->program(to, picture->user);
  fputs("set output\n", to);
  bool bad = ferror(to) != 0;
  return fclose(to) != 0 || bad ? rh_refuse(RH_OUT_OF_MEMORY, "out of memory") : RH_OK;
}

rh_status rh_picture_render(const rh_picture *picture, bool png, rh_text *drawn)
{
  char *program = NULL;
  size_t size = 0;
  talk t = {.to = -1, .from = -1};
  rh_status status = write_program(picture, png, &program, &size);
  if (status == RH_OK) {
    status = start_gnuplot(&t);
  }
  if (status == RH_OK) {
    talk_to_gnuplot(&t, program, size, drawn);
    status = end_gnuplot(t.child);
  }
  free(program); // the C library's, not ours
  if (status == RH_OK && drawn->failed) {
    status = rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  } else if (status == RH_OK && !picture_is_whole(drawn, png)) {
    status = rh_refuse(RH_OUTPUT_NOT_WRITTEN, "gnuplot drew only a part of the picture");
  }
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

rh_status rh_picture_draw(const rh_picture *picture, const char *output)
{
  rh_text drawn = {0};
  rh_status status = rh_picture_render(picture, rh_file_has_ending(output, ".png"), &drawn);
  if (status == RH_OK) {
    status = rh_file_write_bytes(output, drawn.data, drawn.size);
  }
  rh_text_free(&drawn);
  return status;
}

rh_status rh_plot_draw(const rh_plot *plot, const char *output)
{
  return rh_picture_draw(
      &(rh_picture){.width = 1000, .height = 600, .program = put_plot, .user = plot}, output);
}
