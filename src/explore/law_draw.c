// law_draw.c: the picture of a law: loops of force against depth, restitution against speed, and
// friction against displacement with a friction law.
#include "law.h"
#include "plots/plot.h"

#include <math.h>
#include <string.h>

#define LOOPS      5
#define CURVE      61
#define PANEL      560 // [pixel] width of a panel
#define ONE_DECADE 10.0

typedef struct drawing {
  const rh_law_job *job;
  double loop_speed[LOOPS];
  rh_law_shot loop[LOOPS];
  double v[CURVE], e[CURVE];    // restitution against speed
  double mark_e[RH_LAW_SPEEDS]; // the rows of the table
} drawing;

// Loops shrink with the square of the speed: evenly spaced speeds up to the maximum are all
// visible.
static rh_status shoot_loops(drawing *d)
{
  double top = d->job->speed[d->job->nspeed - 1];
  for (int i = 0; i < LOOPS; i++) {
    d->loop_speed[i] = top * (double)(LOOPS - i) / LOOPS;
    if (!rh_law_shot_room(&d->loop[i])) {
      return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
    }
    RH_TRY(rh_law_shoot(d->job, d->loop_speed[i], &d->loop[i]));
  }
  return RH_OK;
}

// Over the speeds of the table; around a single one, a decade to each side.
static rh_status shoot_curve(drawing *d)
{
  const rh_law_job *job = d->job;
  bool single = job->nspeed == 1;
  double from = single ? job->speed[0] / ONE_DECADE : job->speed[0];
  double to = single ? job->speed[0] * ONE_DECADE : job->speed[job->nspeed - 1];
  for (int i = 0; i < CURVE; i++) {
    rh_law_shot shot = {0};
    d->v[i] = from * rh_pow(to / from, (double)i / (CURVE - 1));
    RH_TRY(rh_law_shoot(job, d->v[i], &shot));
    d->e[i] = shot.out.e;
  }
  for (int i = 0; i < job->nspeed; i++) {
    d->mark_e[i] = job->shot[i].out.e;
  }
  return RH_OK;
}

// Lengths in a unit that keeps the numbers along an axis short. Returns this unit per metre.
static double length_unit(double greatest, const char **unit)
{
  bool small = greatest < 1e-3;
  bool middle = !small && greatest < 1;
  *unit = small ? "um" : middle ? "mm" : "m";
  return small ? 1e6 : middle ? 1e3 : 1;
}

static void put_title(FILE *to, const char *text)
{
  fputs("set title ", to);
  rh_gnuplot_quote(to, text);
  fputs(" noenhanced\n", to);
}

static void put_loops(FILE *to, const drawing *d)
{
  char text[RH_NAME_MAX];
  const char *unit = NULL;
  double scale = length_unit(d->loop[0].out.max_penetration, &unit);
  double least = 0;
  for (int i = 0; i < LOOPS; i++) {
    snprintf(text, sizeof text, "loop%d", i);
    rh_gnuplot_data(to, text, d->loop[i].depth, d->loop[i].force, RH_LAW_LOOP);
    for (int k = 0; k < RH_LAW_LOOP; k++) {
      least = fmin(least, d->loop[i].force[k]);
    }
  }
  put_title(to, "force over one impact");
  rh_gnuplot_axis(to, "xlabel", "depth", unit);
  rh_gnuplot_axis(to, "ylabel", "force", "N");
  fputs(least < 0 ? "set xzeroaxis lt 1 lw 0.8 dt solid\n" : "set yrange [0:]\n", to);
  fputs("set key outside right top vertical noenhanced\nplot ", to);
  for (int i = 0; i < LOOPS; i++) {
    snprintf(text, sizeof text, "%.4g m/s", d->loop_speed[i]);
    fprintf(to, "%s$loop%d using (%g*$1):2 with lines title ", i > 0 ? ", " : "", i, scale);
    rh_gnuplot_quote(to, text);
  }
  fputc('\n', to);
}

static void put_restitution(FILE *to, const drawing *d)
{
  rh_gnuplot_data(to, "curve", d->v, d->e, CURVE);
  rh_gnuplot_data(to, "rows", d->job->speed, d->mark_e, d->job->nspeed);
  put_title(to, "restitution");
  rh_gnuplot_axis(to, "xlabel", "impact speed", "m/s");
  rh_gnuplot_axis(to, "ylabel", "e", "");
  fputs(
      "set logscale x\nset format x '%g'\nset yrange [0:1.02]\nset offsets 0,0,0,0\nset autoscale "
      "xfix\nunset key\n"
      "plot $curve using 1:2 with lines lt 1, $rows using 1:2 with points pt 7 ps 0.7 lc rgb "
      "'#000000'\n"
      "unset logscale x\nset format x\nset autoscale\n",
      to);
}

static void put_slip(FILE *to, const drawing *d)
{
  const rh_law_slip *slip = d->job->slip;
  char text[2 * RH_NAME_MAX];
  const char *unit = NULL;
  double scale = length_unit(slip->amplitude, &unit);
  double top = slip->peak > 0 ? slip->peak : 1;
  rh_gnuplot_data(to, "slip", slip->x, slip->f, RH_LAW_SLIP);
  snprintf(text, sizeof text, "friction: %s, under %.4g N", d->job->friction->row.name,
           slip->normal);
  put_title(to, text);
  rh_gnuplot_axis(to, "xlabel", "displacement", unit);
  rh_gnuplot_axis(to, "ylabel", "friction against the motion", "N");
  fprintf(to,
          "set xzeroaxis lt 1 lw 0.8 dt solid\n"
          "set offsets graph 0.02, graph 0.02, 0, 0\nset yrange [%.17g:%.17g]\n"
          "plot $slip using (%g*$1):2 with lines lt 1\n",
          -1.1 * top, 1.1 * top, scale);
}

static void put_picture(FILE *to, const void *user)
{
  const drawing *d = user;
  const rh_law_job *job = d->job;
  char text[4 * RH_NAME_MAX];
  size_t used = (size_t)snprintf(text, sizeof text, "%s, %g kg:", job->law->row.name, job->mass);
  for (int i = 0; i < job->normal.row->nparam && used < sizeof text; i++) {
    const rh_param *param = &job->normal.row->param[i];
    char value[RH_NAME_MAX];
    rh_law_value_text(&job->normal, i, value, sizeof value);
    if (param->type == RH_NUMBER) {
      snprintf(value, sizeof value, "%.6g", job->normal.par[rh_row_offset(job->normal.row, i)]);
    }
    const char *unit = rh_law_unit(param);
    used += (size_t)snprintf(text + used, sizeof text - used, "%s %s = %s%s%s", i > 0 ? "," : "",
                             param->name, value, unit[0] != '\0' ? " " : "", unit);
  }
  fprintf(to, "set multiplot layout 1,%d title ", job->slip != NULL ? 3 : 2);
  rh_gnuplot_quote(to, text);
  fputs(" noenhanced\n", to);
  put_loops(to, d);
  put_restitution(to, d);
  if (job->slip != NULL) {
    put_slip(to, d);
  }
  fputs("unset multiplot\n", to);
}

rh_status rh_law_draw(const rh_law_job *job)
{
  drawing *d = rh_alloc(sizeof *d);
  if (d == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  d->job = job;
  rh_status status = shoot_loops(d);
  if (status == RH_OK) {
    status = shoot_curve(d);
  }
  if (status == RH_OK) {
    rh_picture picture = {.width = PANEL * (job->slip != NULL ? 3 : 2),
                          .height = 480,
                          .program = put_picture,
                          .user = d};
    status = rh_picture_draw(&picture, job->output);
  }
  for (int i = 0; i < LOOPS; i++) {
    rh_law_shot_free(&d->loop[i]);
  }
  rh_free(d);
  return status;
}
