// impact_panels.c: pictures of the course of impacts, as in [Ch] figs 3.5, 3.6 and 3.11 to 3.14:
// normal velocity, slip speed and direction of slip of every point, and the work of the normal
// impulses, against the sum of the normal impulses.
#include "impact.h"
#include "plots/plot.h"

#include <math.h>
#include <string.h>

#define NORMAL    "#CC79A7"
#define SPEED     "#0072B2"
#define DIRECTION "#009E73"
#define WORK      "#D55E00"
#define FAINT     "#E8C4D9" // normal velocity of points without an impact

#define NO_SLIP 1e-3 // of the fastest point: below, no direction is drawn

enum { WIDTH = 980, ROW = 260, LEGEND = 40 }; // [pixel]

static void open_panel(FILE *to, const rh_impact_panel *panel)
{
  fprintf(
      to,
      "unset arrow\nunset label\nset autoscale\nset origin %.4f,%.4f\nset size noratio %.4f,%.4f\n"
      "set xtics autofreq\nset ytics autofreq nomirror\nunset y2tics\nunset y2label\nset border 3\n"
      "set xlabel 'normal impulse [N s]'\nset offsets 0,0,graph 0.05,graph 0.05\n"
      "set xzeroaxis lt 1 lw 0.6 lc rgb '#b0b0b0'\nset title ",
      panel->frame[0], panel->frame[1], panel->frame[2], panel->frame[3]);
  rh_gnuplot_quote(to, panel->title);
  fputs(" noenhanced\nunset key\n", to);
}

void rh_impact_put_legend(FILE *to, const double frame[4])
{
  const rh_impact_panel panel = {.frame = {frame[0], frame[1], frame[2], frame[3]}, .title = ""};
  open_panel(to, &panel);
  fputs("unset border\nunset tics\nunset xzeroaxis\nset xlabel ''\nset ylabel ''\nset xrange "
        "[0:1]\nset "
        "yrange [0:1]\nset key center center horizontal inside maxrows 1 samplen 2 noenhanced\n"
        "plot NaN with lines lw 2 dt solid lc rgb '" NORMAL "' title 'normal velocity', "
        "NaN with lines lw 1.5 dt 2 lc rgb '" FAINT
        "' title 'the same, without impact', NaN with lines lw 2 dt solid lc rgb '" SPEED
        "' title 'slip speed', "
        "NaN with lines lw 2 dt 4 lc rgb '" DIRECTION "' title 'direction of slip'\n"
        "set tics\nset border 3\n",
        to);
}

// A round step that divides `width` into about four.
static double step_of(double width)
{
  double power = rh_pow(10, floor(rh_log10(width / 4)));
  double lead = width / 4 / power;
  return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

static void put_range(FILE *to, const rh_impact_course *c)
{
  double last = c->samples > 0 && c->P[c->samples - 1] > 0 ? c->P[c->samples - 1] : 1;
  fprintf(to, "set xrange [0:%.9g]\nset xtics %.9g format '%%g'\nset ytics format '%%g'\n", last,
          step_of(last));
  for (int i = 1; i < c->samples; i++) {
    if (c->event[i] != c->event[i - 1]) {
      fprintf(to,
              "set arrow from first %.9g, graph 0 to first %.9g, graph 1 nohead back lw 0.8 dt 3 "
              "lc rgb "
              "'#808080'\n",
              c->P[i], c->P[i]);
    }
  }
}

static double greatest_speed(const rh_impact_course *c)
{
  double most = 0;
  for (int i = 0; i < 3 * c->n; i++) {
    most = fmax(most, fabs(c->u[i]));
  }
  return most;
}

// The angle nearest to the last drawn one: the line does not jump by a whole turn. A new one is in
// (-pi, pi].
static double unwrap_angle(double phi, double last)
{
  const double turn = 2 * rh_acos(-1.0);
  double first = remainder(phi, turn);
  first += first < -0.5 * turn + 1e-6 ? turn : 0;
  return isnan(last) ? first : last + remainder(phi - last, turn);
}

// $i: P, u_n, slip, direction
static void put_point(FILE *to, const rh_impact_seen *seen, const rh_impact_course *c, int i)
{
  double least = NO_SLIP * greatest_speed(c);
  double last = (double)NAN;
  fprintf(to, "$i%d << end\n", i);
  for (int k = 0; k < c->samples; k++) {
    const double *u = c->u + ((ptrdiff_t)k * c->n + i) * 3;
    double s = rh_hypot(u[0], u[1]);
    fprintf(to, "%.9g %.9g %.9g ", c->P[k], u[2], s);
    double phi = i < c->struck && s > least ? rh_atan2(u[1], u[0]) + seen->turn[i] : (double)NAN;
    bool about = fabs(unwrap_angle(phi, last) - last) > 1; // it reversed: a gap
    last = isnan(phi) ? phi : unwrap_angle(phi, about ? (double)NAN : last);
    fprintf(to, about ? "NaN\n" : "%.9g\n", last);
  }
  fputs("end\n", to);
}

static bool course_slips(const rh_impact_course *c)
{
  double least = NO_SLIP * greatest_speed(c);
  bool any = false;
  for (int k = 0; k < c->samples; k++) {
    for (int i = 0; i < c->struck; i++) {
      const double *u = c->u + ((ptrdiff_t)k * c->n + i) * 3;
      any = any || rh_hypot(u[0], u[1]) > least;
    }
  }
  return any;
}

void rh_impact_put_velocities(FILE *to, const rh_impact_panel *panel, const rh_impact_seen *seen,
                              const rh_impact_course *c)
{
  bool turns = course_slips(c);
  open_panel(to, panel);
  put_range(to, c);
  fputs("set ylabel 'velocity [m/s]'\n", to);
  fputs("set border 11\nset y2tics ('-{/Symbol p}' -pi, '-{/Symbol p}/2' -pi/2, '0' 0, '{/Symbol "
        "p}/2' pi/2, "
        "'{/Symbol p}' pi) enhanced\nset y2range [-3.6:3.6]\nset y2label 'direction [rad]'\n",
        to);
  for (int i = 0; i < c->n; i++) {
    put_point(to, seen, c, i);
  }
  fputs("plot ", to);
  for (int i = c->n - 1; i >= c->struck; i--) {
    fprintf(to, "$i%d using 1:2 with lines lw 1.5 dt 2 lc rgb '" FAINT "', ", i);
  }
  for (int i = 0; i < c->struck; i++) {
    fprintf(to, "%s$i%d using 1:2 with lines lw 2 dt solid lc rgb '" NORMAL "'", i > 0 ? ", " : "",
            i);
    fprintf(to, ", $i%d using 1:3 with lines lw 2 dt solid lc rgb '" SPEED "'", i);
    if (turns) {
      fprintf(to, ", $i%d using 1:4 axes x1y2 with lines lw 2 dt 4 lc rgb '" DIRECTION "'", i);
    }
  }
  fputc('\n', to);
}

void rh_impact_put_work(FILE *to, const rh_impact_panel *panel, const rh_impact_course *c)
{
  open_panel(to, panel);
  put_range(to, c);
  fputs("set ylabel 'normal work [J]'\n$work << end\n", to);
  for (int k = 0; k < c->samples; k++) {
    fprintf(to, "%.9g %.9g\n", c->P[k], c->Wn[k]);
  }
  fputs("end\nplot $work using 1:2 with lines lw 2 dt solid lc rgb '" WORK "'\n", to);
}

// ---- Several impacts

typedef struct sheet {
  const rh_impact_seen *seen;
  const rh_impact_course *course;
  int n;
} sheet;

static void put_sheet(FILE *to, const void *user)
{
  const sheet *s = user;
  fprintf(to, "set multiplot\n");
  const double strip = (double)LEGEND / (ROW * s->n + LEGEND);
  const double legend[4] = {0, 0, 1, strip};
  for (int i = 0; i < s->n; i++) {
    double high = (1 - strip) / s->n;
    double low = 1 - (i + 1) * high;
    rh_impact_panel panel = {.frame = {0, low, 0.6, high}, .title = s->seen[i].title};
    rh_impact_put_velocities(to, &panel, &s->seen[i], &s->course[i]);
    panel = (rh_impact_panel){.frame = {0.6, low, 0.4, high}, .title = s->seen[i].form->row.name};
    rh_impact_put_work(to, &panel, &s->course[i]);
  }
  rh_impact_put_legend(to, legend);
  fputs("unset multiplot\n", to);
}

rh_status rh_impact_draw_courses(const rh_impact_seen *seen, int n, const char *output)
{
  rh_impact_course *course = rh_alloc((size_t)n * sizeof *course);
  if (course == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  rh_status status = RH_OK;
  for (int i = 0; i < n && status == RH_OK; i++) {
    status = rh_impact_follow(&seen[i], &course[i]);
  }
  const sheet s = {seen, course, n};
  rh_picture picture = {
      .width = WIDTH, .height = ROW * n + LEGEND, .program = put_sheet, .user = &s};
  status = status == RH_OK ? rh_picture_draw(&picture, output) : status;
  for (int i = 0; i < n; i++) {
    rh_impact_course_free(&course[i]);
  }
  rh_free(course);
  return status;
}
