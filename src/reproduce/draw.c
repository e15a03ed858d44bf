// draw.c: the picture of a figure: its panels one above the other, one curve per run. Long
// curves are thinned so that every peak stays. Expected numbers that are points of a curve are
// drawn as circles.
#include "figure.h"
#include "plots/plot.h"

#include <string.h>

#define BUCKETS 500 // a thinned curve has the first, minimum and maximum point of each
#define POINTS  (3 * BUCKETS)

typedef struct points {
  double x[POINTS], y[POINTS];
  long n;
} points;

static void add_point(points *p, double x, double y)
{
  if (p->n < POINTS) {
    p->x[p->n] = x;
    p->y[p->n++] = y;
  }
}

typedef struct drawn { // one trace of one run
  const rh_trial *trial;
  int x, y; // columns
  double x_scale, y_scale, t0;
} drawn;

static double x_of(const drawn *d, long frame)
{
  double x = rh_trial_value(d->trial, frame, d->x);
  return d->x_scale * (d->x == 0 ? x - d->t0 : x);
}

static double y_of(const drawn *d, long frame)
{
  return d->y_scale * rh_trial_value(d->trial, frame, d->y);
}

// The points of a bucket that keep its shape: first, then minimum and maximum in their order.
static void take_bucket(points *p, const drawn *d, long from, long to)
{
  long lo = from;
  long hi = from;
  for (long i = from; i < to; i++) {
    lo = y_of(d, i) < y_of(d, lo) ? i : lo;
    hi = y_of(d, i) > y_of(d, hi) ? i : hi;
  }
  long next[] = {from, lo < hi ? lo : hi, lo < hi ? hi : lo};
  for (int i = 0; i < 3; i++) {
    if (i == 0 || next[i] != next[i - 1]) {
      add_point(p, x_of(d, next[i]), y_of(d, next[i]));
    }
  }
}

static void trace_points(const rh_redone *redone, const rh_trace *trace, int run, points *p)
{
  const rh_figure *figure = redone->figure;
  drawn d = {.trial = &redone->trial[run],
             .x = rh_figure_column(figure, trace->x),
             .y = rh_figure_column(figure, trace->y),
             .x_scale = trace->x_scale != 0 ? trace->x_scale : 1,
             .y_scale = trace->y_scale != 0 ? trace->y_scale : 1};
  long from = 0;
  long to = d.trial->frames;
  const rh_event *touch = rh_trial_event(d.trial, RH_EVENT_TOUCH, trace->impact);
  if (trace->impact > 0 &&
      (touch == NULL || !rh_trial_contact(d.trial, trace->impact, &from, &to))) {
    return;
  }
  d.t0 = touch != NULL ? touch->t : 0;
  from -= trace->impact > 0 && from > 0; // the frames next to the contact, with zero force
  to += trace->impact > 0 && to < d.trial->frames;
  while (trace->until > trace->from && from < to &&
         rh_trial_value(d.trial, from, 0) < trace->from) {
    from++;
  }
  while (trace->until > trace->from && from < to &&
         rh_trial_value(d.trial, to - 1, 0) > trace->until) {
    to--;
  }
  long n = to - from;
  if (n <= BUCKETS) {
    for (long i = from; i < to; i++) {
      add_point(p, x_of(&d, i), y_of(&d, i));
    }
    return;
  }
  for (int b = 0; b < BUCKETS; b++) {
    take_bucket(p, &d, from + n * b / BUCKETS, from + n * (b + 1) / BUCKETS);
  }
}

static void curve_points(const rh_redone *redone, const rh_trace *trace, int run, points *p)
{
  p->n = 0;
  if (redone->figure->sweep.set == NULL) {
    trace_points(redone, trace, run, p);
    return;
  }
  for (int i = 0; i < redone->sweep[run].n; i++) {
    add_point(p, redone->sweep[run].x[i], redone->sweep[run].y[i]);
  }
}

static void put_range(FILE *to, const char *axis, double lo, double hi)
{
  if (isinf(hi)) {
    fprintf(to, "set %srange [%.17g:*]\n", axis, lo);
  } else if (hi > lo) {
    fprintf(to, "set %srange [%.17g:%.17g]\n", axis, lo, hi);
  } else {
    fprintf(to, "set autoscale %s\n", axis);
  }
}

static void put_axes(FILE *to, const rh_panel *panel)
{
  rh_gnuplot_axis(to, "xlabel", panel->x, panel->x_unit);
  rh_gnuplot_axis(to, "ylabel", panel->y, panel->y_unit);
  put_range(to, "x", panel->x_lo, panel->x_hi);
  put_range(to, "y", panel->y_lo, panel->y_hi);
  if (panel->x_hi <= panel->x_lo || isinf(panel->x_hi)) {
    fputs("set autoscale xfix\n", to);
  }
  fputs("set format x '%g'\n", to);
  fputs(panel->log_x ? "set logscale x\n" : "unset logscale x\n", to);
  if (panel->y2 != NULL) {
    rh_gnuplot_axis(to, "y2label", panel->y2, panel->y2_unit);
    put_range(to, "y2", panel->y_lo, panel->y_hi);
    fputs("set border 11\nset y2tics\n", to);
  } else {
    fputs("set border 3\nunset y2tics\nunset y2label\n", to);
  }
  bool none = panel->label_ends || (panel->key != NULL && strcmp(panel->key, "off") == 0);
  fprintf(to, none ? "unset key\n" : "set key %s noenhanced\n",
          panel->key != NULL ? panel->key : "outside top center horizontal");
  fputs("unset label\nset xzeroaxis lt 1 lw 0.6 dt solid lc rgb '#808080'\n", to);
}

// The name of a curve after its last point.
static void put_end(FILE *to, const points *p, const char *name)
{
  if (p->n > 0) {
    fputs("set rmargin 12\nset label ", to);
    rh_gnuplot_quote(to, name);
    fprintf(to, " at first %.17g, first %.17g left offset 0.5,0 noenhanced\n", p->x[p->n - 1],
            p->y[p->n - 1]);
  }
}

static bool belongs_to_panel(const rh_trace *trace, int panel, int run)
{
  return trace->panel == panel && (trace->run == RH_NONE || trace->run == run);
}

static const char *label_of(const rh_figure *figure, const rh_trace *trace, int run)
{
  return trace->label != NULL ? trace->label : figure->run[run].label;
}

// The data of a panel's curves; their names too if they are at the ends.
static void put_data(FILE *to, const rh_redone *redone, int panel, points *p)
{
  const rh_figure *figure = redone->figure;
  char name[32];
  for (int i = 0; i < figure->ntrace; i++) {
    for (int run = 0; run < redone->nrun; run++) {
      if (!belongs_to_panel(&figure->trace[i], panel, run)) {
        continue;
      }
      snprintf(name, sizeof name, "p%dt%dr%d", panel, i, run);
      curve_points(redone, &figure->trace[i], run, p);
      rh_gnuplot_data(to, name, p->x, p->y, p->n);
      if (figure->panel[panel].label_ends) {
        put_end(to, p, label_of(figure, &figure->trace[i], run));
      }
    }
  }
}

// Is an expected number a point of this trace? Then its place.
static bool point_of(const rh_figure *figure, const rh_trace *trace, const rh_number *number,
                     double *x, double *y)
{
  double x_scale = trace->x_scale != 0 ? trace->x_scale : 1;
  double y_scale = trace->y_scale != 0 ? trace->y_scale : 1;
  if (figure->sweep.set != NULL) {
    *x = number->at;
    *y = number->want;
    return number->of_sweep == NULL && number->which <= 1 && number->at >= figure->sweep.from &&
           number->at <= figure->sweep.to;
  }
  *x = x_scale * number->at;
  *y = y_scale * number->want;
  if (number->what == NULL || trace->y == NULL || strcmp(number->what, trace->y) != 0) {
    return false;
  }
  bool of_time = strcmp(trace->x, "t") == 0;
  if (number->measure == rh_measure_at) {
    return of_time && trace->impact == 0 &&
           (trace->until <= trace->from ||
            (number->at >= trace->from && number->at <= trace->until));
  }
  if (number->measure == rh_measure_after) {
    return of_time && trace->impact > 0 && trace->impact == (number->which > 0 ? number->which : 1);
  }
  return (number->measure == rh_measure_rising || number->measure == rh_measure_falling) &&
         strcmp(trace->x, number->by) == 0;
}

// The expected numbers of a panel's curves on one axis that are points of them.
static long put_expected(FILE *to, const rh_redone *redone, int panel, int axis, points *p)
{
  const rh_figure *figure = redone->figure;
  char name[32];
  p->n = 0;
  for (int i = 0; i < figure->ntrace; i++) {
    for (int k = 0; k < figure->nnumber; k++) {
      double x = 0;
      double y = 0;
      const rh_trace *trace = &figure->trace[i];
      if (trace->axis == axis && belongs_to_panel(trace, panel, figure->number[k].run) &&
          point_of(figure, trace, &figure->number[k], &x, &y)) {
        add_point(p, x, y);
      }
    }
  }
  snprintf(name, sizeof name, "p%de%d", panel, axis);
  if (p->n > 0) {
    rh_gnuplot_data(to, name, p->x, p->y, p->n);
  }
  return p->n;
}

static bool is_event_marked(rh_event_kind kind) // not the obvious ones
{
  return kind != RH_EVENT_TOUCH && kind != RH_EVENT_FORCE_ON && kind != RH_EVENT_FORCE_OFF;
}

// The events of the first run as marks with their names.
static void put_story(FILE *to, const rh_redone *redone)
{
  const rh_events *events = &redone->trial[0].events;
  double last = -HUGE_VAL;
  fputs(redone->figure->story ? "unset arrow\n" : "", to);
  for (long i = 0; redone->figure->story && i < events->count; i++) {
    const rh_event *e = &events->event[i];
    fprintf(to,
            "set arrow from first %.17g, graph 0 to first %.17g, graph 1 nohead back lw 0.6 dt 3 "
            "lc rgb '#909090'\n",
            e->t, e->t);
    if (e->t - last > 0.02 * redone->trial[0].t_end && is_event_marked(e->kind)) {
      fputs("set label ", to);
      rh_gnuplot_quote(to, rh_event_word(e->kind));
      fprintf(to,
              " at first %.17g, graph 0.02 rotate by 90 offset char -0.5,0 noenhanced font ',9' tc "
              "rgb '#707070'\n",
              e->t);
      last = e->t;
    }
  }
}

// A curve without a name continues the line style of the previous one.
static void put_panel(FILE *to, const rh_redone *redone, int panel, points *p)
{
  const rh_figure *figure = redone->figure;
  const rh_panel *axes = &figure->panel[panel];
  int curves = 0;
  put_axes(to, axes);
  put_story(to, redone);
  put_data(to, redone, panel, p);
  long expected[] = {put_expected(to, redone, panel, 0, p), put_expected(to, redone, panel, 1, p)};
  fputs(figure->ntrace == 1 && redone->nrun == 1 && expected[0] == 0 ? "unset key\n" : "", to);
  fputs("plot ", to);
  for (int i = 0; i < figure->ntrace; i++) {
    for (int run = 0; run < redone->nrun; run++) {
      if (!belongs_to_panel(&figure->trace[i], panel, run)) {
        continue;
      }
      const char *label = label_of(figure, &figure->trace[i], run);
      const char *comma = curves > 0 ? ", " : "";
      curves += label[0] != '\0';
      fprintf(to, "%s$p%dt%dr%d using 1:2 axes x1y%d with lines lt %d title ", comma, panel, i, run,
              figure->trace[i].axis + 1, curves);
      rh_gnuplot_quote(to, label);
    }
  }
  for (int axis = 0; axis < 2; axis++) {
    if (expected[axis] > 0) {
      fprintf(to,
              ", $p%de%d using 1:2 axes x1y%d with points pt 6 ps 0.7 lw 1 lc rgb '#404040' title "
              "'%s'",
              panel, axis, axis + 1, axis == 0 || expected[0] == 0 ? "expected" : "");
    }
  }
  if (axes->line_name != NULL) {
    fprintf(to, ", %.17g with lines lw 1 dt 2 lc rgb '#707070' title ", axes->line);
    rh_gnuplot_quote(to, axes->line_name);
  }
  fputc('\n', to);
}

static int panels_of(const rh_figure *figure)
{
  int n = 0;
  while (n < RH_FIGURE_PANELS && figure->panel[n].x != NULL) {
    n++;
  }
  return n;
}

typedef struct canvas {
  const rh_redone *redone;
  points *points;
} canvas;

static void put_title_text(const rh_figure *figure, char *title, size_t size)
{
  char place[RH_NAME_MAX];
  rh_figure_place(figure, place, sizeof place);
  snprintf(title, size, "%s %s: %s", rh_paper_cite(figure->paper), place, figure->title);
}

static void put_figure(FILE *to, const void *user)
{
  const canvas *c = user;
  const rh_figure *figure = c->redone->figure;
  int n = panels_of(figure);
  char title[256];
  put_title_text(figure, title, sizeof title);
  if (figure->program != NULL) {
    fputs("set multiplot title ", to);
    rh_gnuplot_quote(to, title);
    fputs(" noenhanced\n", to);
    figure->program(to, c->redone);
    fputs("unset multiplot\n", to);
    return;
  }
  if (n > 1) {
    fprintf(to, "set multiplot layout %d,1 title ", n);
  } else {
    fputs("set title ", to);
  }
  rh_gnuplot_quote(to, title);
  fputs(" noenhanced\n", to);
  for (int i = 0; i < n; i++) {
    put_panel(to, c->redone, i, c->points);
  }
  fputs(n > 1 ? "unset multiplot\n" : "", to);
}

// To a file; without a path, into memory.
static rh_status draw_redone(const rh_redone *redone, const char *path, rh_text *svg)
{
  canvas c = {redone, rh_alloc(sizeof *c.points)};
  if (c.points == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  int n = panels_of(redone->figure);
  rh_picture picture = {
      .width = 900, .height = n > 1 ? 60 + 320 * n : 600, .program = put_figure, .user = &c};
  picture.height = redone->figure->height > 0 ? redone->figure->height : picture.height;
  rh_status status =
      path != NULL ? rh_picture_draw(&picture, path) : rh_picture_render(&picture, false, svg);
  rh_free(c.points);
  return status;
}

rh_status rh_redone_draw(const rh_redone *redone, const char *path)
{
  return draw_redone(redone, path, NULL);
}

rh_status rh_redone_render(const rh_redone *redone, rh_text *svg)
{
  return draw_redone(redone, NULL, svg);
}
