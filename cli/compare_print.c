// compare_print.c: results of one scene under several laws: one row per law, the same as JSON, and
// one picture with a panel per channel and the loop of force against depth of the first contact.
#include "compare.h"

#include "base/json.h"
#include "plot.h"

#include <math.h>

#define PANEL  420  // [pixel] height
#define POINTS 4000 // of a drawn curve

static void add_number(rh_table *table, double x)
{
  if (isnan(x)) {
    rh_table_add(table, "-");
  } else {
    rh_table_add(table, "%.5g", x);
  }
}

rh_status rh_compare_print(const rh_compare_job *job)
{
  static const char *const head[] = {"laws",     "touches",     "in [m/s]",    "out [m/s]",
                                     "e",        "contact [s]", "deepest [m]", "peak [N]",
                                     "lost [J]", "end [m]"};
  rh_table *table = rh_table_create(RH_COUNT(head), 0x3FE);
  for (int i = 0; i < RH_COUNT(head); i++) {
    rh_table_add(table, "%s", head[i]);
  }
  for (int i = 0; i < job->nvariant; i++) {
    const rh_variant *v = &job->variant[i];
    rh_table_add(table, "%s", v->label);
    rh_table_add(table, "%d", v->touches);
    add_number(table, v->speed);
    add_number(table, v->rebound);
    add_number(table, v->rebound / v->speed);
    add_number(table, v->contact_time);
    add_number(table, v->trial.deepest);
    add_number(table, v->trial.peak);
    add_number(table, v->dissipated);
    add_number(table, v->distance);
  }
  rh_status status = rh_table_print(table, stdout, 0, rh_color_allowed(job->args, stdout));
  rh_table_destroy(table);
  if (!job->args->quiet) {
    puts("in, out, e, contact: of the first contact that ended; lost: by all contacts; end: "
         "greatest distance of\na body at the end from its position under the first laws");
  }
  return status;
}

rh_status rh_compare_json(const rh_compare_job *job)
{
  rh_text text = {0};
  rh_json json = rh_json_start(&text, true);
  rh_json_open_object(&json, NULL);
  rh_json_string(&json, "routh", RH_VERSION);
  rh_json_string(&json, "scene", rh_file_label(job->args->file[0]));
  rh_json_open_array(&json, "variants");
  for (int i = 0; i < job->nvariant; i++) {
    const rh_variant *v = &job->variant[i];
    rh_json_open_object(&json, NULL);
    rh_json_string(&json, "law", v->law);
    rh_json_string(&json, "friction", v->friction);
    rh_json_string(&json, "status", rh_status_name(v->trial.ended));
    rh_json_number(&json, "t", v->trial.t_end);
    rh_json_integer(&json, "touches", v->touches);
    rh_json_number(&json, "touch_speed", v->speed);
    rh_json_number(&json, "rebound_speed", v->rebound);
    rh_json_number(&json, "e", v->rebound / v->speed);
    rh_json_number(&json, "contact_time", v->contact_time);
    rh_json_number(&json, "max_penetration", v->trial.deepest);
    rh_json_number(&json, "peak_force", v->trial.peak);
    rh_json_number(&json, "energy_loss", v->dissipated);
    rh_json_number(&json, "residue", v->trial.ledger.residue);
    rh_json_number(&json, "distance", v->distance);
    rh_json_integer(&json, "evaluations", v->trial.stats.step.evaluations);
    rh_json_close(&json);
  }
  rh_json_close(&json);
  rh_json_string(&json, "output", job->output);
  rh_json_end(&json);
  return rh_text_print(&text, NULL);
}

// ---- The picture

static void put_curves(FILE *to, const rh_compare_job *job, const char *name)
{
  fputs("plot ", to);
  for (int i = 0; i < job->nvariant; i++) {
    fprintf(to, "%s$%s%d using 1:2 with lines title ", i > 0 ? ", " : "", name, i);
    rh_gnuplot_quote(to, job->variant[i].label);
  }
  fputc('\n', to);
}

// Every n-th frame, so that the picture stays small.
static void put_channel(FILE *to, const rh_compare_job *job, int channel)
{
  rh_channels *channels = rh_channels_create(job->variant[0].trial.model);
  const char *name = job->channels.word[channel];
  int index = channels != NULL ? rh_channel_find(channels, name) : RH_NONE;
  for (int i = 0; i < job->nvariant; i++) {
    const rh_trial *trial = &job->variant[i].trial;
    long step = trial->frames / POINTS + 1;
    fprintf(to, "$c%dv%d << end_of_curve\n", channel, i);
    for (long k = 0; k < trial->frames; k += step) {
      fprintf(to, "%.17g %.17g\n", rh_trial_value(trial, k, 0),
              rh_trial_value(trial, k, channel + 1));
    }
    fputs("end_of_curve\n", to);
  }
  rh_gnuplot_axis(to, "xlabel", "time", "s");
  rh_gnuplot_axis(to, "ylabel", name, index != RH_NONE ? rh_channel_unit(channels, index) : "");
  fputs("set autoscale xfix\n", to);
  char block[16];
  snprintf(block, sizeof block, "c%dv", channel);
  put_curves(to, job, block);
  rh_channels_destroy(channels);
}

// Lengths in a unit that keeps the numbers along the axis short.
static double length_scale(const rh_compare_job *job, const char **unit)
{
  double deepest = 0;
  for (int i = 0; i < job->nvariant; i++) {
    deepest = fmax(deepest, job->variant[i].trial.deepest);
  }
  bool small = deepest < 1e-3;
  bool middle = !small && deepest < 1;
  *unit = small ? "um" : middle ? "mm" : "m";
  return small ? 1e6 : middle ? 1e3 : 1;
}

static void put_loops(FILE *to, const rh_compare_job *job)
{
  const char *unit = NULL;
  double scale = length_scale(job, &unit);
  for (int i = 0; i < job->nvariant; i++) {
    const rh_trial *trial = &job->variant[i].trial;
    fprintf(to, "$loop%d << end_of_curve\n", i);
    for (int k = 0; k < trial->nloop; k++) {
      fprintf(to, "%.17g %.17g\n", scale * trial->loop[k].depth, trial->loop[k].normal);
    }
    fputs(trial->nloop > 0 ? "end_of_curve\n" : "0 0\nend_of_curve\n", to);
  }
  rh_gnuplot_axis(to, "xlabel", "depth of the first contact", unit);
  rh_gnuplot_axis(to, "ylabel", "normal force", "N");
  fputs("unset key\nset xzeroaxis lt 1 lw 0.6 dt solid lc rgb '#808080'\n", to);
  put_curves(to, job, "loop");
}

static void put_picture(FILE *to, const void *user)
{
  const rh_compare_job *job = user;
  fprintf(to, "set format x '%%g'\nset multiplot layout %d,1\n", job->channels.n + 1);
  for (int i = 0; i < job->channels.n; i++) {
    put_channel(to, job, i);
    fputs("unset key\n", to);
  }
  put_loops(to, job);
  fputs("unset multiplot\n", to);
}

rh_status rh_compare_draw(const rh_compare_job *job)
{
  rh_picture picture = {
      .width = 1000, .height = PANEL * (job->channels.n + 1), .program = put_picture, .user = job};
  return rh_picture_draw(&picture, job->output);
}
