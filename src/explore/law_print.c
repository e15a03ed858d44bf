// law_print.c: output of `routh law`: the parameters in force, one row per speed, the friction; the
// same as JSON with the names of the problem kind law_impact.
#include "law.h"

#include <math.h>

static void print_head(const rh_row *row, bool color)
{
  printf("%s%s%s - %s", color ? "\033[1m" : "", row->name, color ? "\033[0m" : "", row->doc);
  if (row->cite != NULL && row->cite[0] != '\0') {
    printf(" (%s)", row->cite);
  }
  putchar('\n');
}

static void print_fit(const rh_law_job *job)
{
  const rh_law_values *v = &job->normal;
  if (isnan(job->wanted)) {
    return;
  }
  printf("  fitted for e = %g at %g m/s:", job->wanted, job->wanted_at);
  int changed = 0;
  for (int i = 0; i < v->row->nparam; i++) {
    int at = rh_row_offset(v->row, i);
    if (v->par[at] == job->before[at]) {
      continue;
    }
    char now[RH_NAME_MAX];
    rh_law_value_text(v, i, now, sizeof now);
    const char *unit = rh_law_unit(&v->row->param[i]);
    printf("%s %s = %s%s%s (was %g)", changed++ > 0 ? "," : "", v->row->param[i].name, now,
           unit[0] != '\0' ? " " : "", unit, job->before[at]);
  }
  puts(changed > 0 ? "" : " no change was needed");
}

static rh_status print_shots(const rh_law_job *job, bool color)
{
  static const char *const head[] = {"speed [m/s]",    "e",        "contact [s]", "depth [m]",
                                     "peak force [N]", "lost [J]", "lost [%]"};
  rh_table *table = rh_table_headed(head, RH_COUNT(head), 0x7F);
  for (int i = 0; i < job->nspeed; i++) {
    const rh_impact1_out *out = &job->shot[i].out;
    double v = job->speed[i];
    rh_table_add(table, "%.5g", v);
    rh_table_add(table, out->leaves ? "%.6f" : "stays", out->e);
    rh_table_add(table, "%.5g", out->contact_time);
    rh_table_add(table, "%.5g", out->max_penetration);
    rh_table_add(table, "%.5g", out->peak_force);
    rh_table_add(table, "%.5g", out->energy_loss);
    rh_table_add(table, "%.2f", 100 * out->energy_loss / (0.5 * job->mass * v * v));
  }
  rh_status status = rh_table_print(table, stdout, 2, color);
  rh_table_destroy(table);
  return status;
}

static rh_status print_slip(const rh_law_job *job, bool color)
{
  const rh_law_slip *slip = job->slip;
  putchar('\n');
  print_head(&job->friction->row, color);
  RH_TRY(rh_law_values_print(&job->tangential, color));
  printf("\nto and fro by %.4g m, up to %g m/s, under %.5g N (the weight of the mass)\n",
         slip->amplitude, slip->speed, slip->normal);
  if (isfinite(slip->breakaway)) {
    printf("  slips after   %.4g m\n", slip->breakaway);
  }
  printf("  peak friction %.5g N, %.4g of the normal force\n", slip->peak,
         slip->peak / slip->normal);
  printf("  lost          %.5g J a turn\n", slip->lost);
  return RH_OK;
}

rh_status rh_law_print(const rh_law_job *job, bool color)
{
  print_head(&job->law->row, color);
  RH_TRY(rh_law_values_print(&job->normal, color));
  print_fit(job);
  printf("\nfree impact of %g kg, radius of curvature %g m, no gravity%s\n", job->mass, job->radius,
         rh_law_may_pull(job->law, job->normal.par) ? "; the force may pull" : "");
  RH_TRY(print_shots(job, color));
  return job->slip != NULL ? print_slip(job, color) : RH_OK;
}

// ---- JSON

static void json_fit(rh_json *json, const rh_law_job *job)
{
  const rh_law_values *v = &job->normal;
  rh_json_open_object(json, "fit");
  rh_json_number(json, "e", job->wanted);
  rh_json_number(json, "speed", job->wanted_at);
  rh_json_open_array(json, "changed");
  for (int i = 0; i < v->row->nparam; i++) {
    int at = rh_row_offset(v->row, i);
    if (v->par[at] != job->before[at]) {
      rh_json_open_object(json, NULL);
      rh_json_string(json, "name", v->row->param[i].name);
      rh_json_number(json, "before", job->before[at]);
      rh_json_number(json, "after", v->par[at]);
      rh_json_close(json);
    }
  }
  rh_json_close(json);
  rh_json_close(json);
}

static void json_shot(rh_json *json, double speed, const rh_law_shot *shot)
{
  const rh_impact1_out *out = &shot->out;
  rh_json_open_object(json, NULL);
  rh_json_number(json, "speed", speed);
  rh_json_bool(json, "leaves", out->leaves);
  rh_json_number(json, "e", out->e);
  rh_json_number(json, "rebound_speed", out->rebound_speed);
  rh_json_number(json, "max_penetration", out->max_penetration);
  rh_json_number(json, "time_of_max_penetration", out->time_of_max_penetration);
  rh_json_number(json, "peak_force", out->peak_force);
  rh_json_number(json, "time_of_peak_force", out->time_of_peak_force);
  rh_json_number(json, "penetration_at_peak", out->penetration_at_peak);
  rh_json_number(json, "contact_time", out->contact_time);
  rh_json_number(json, "penetration_left", out->penetration_left);
  rh_json_number(json, "time_of_return", out->time_of_return);
  rh_json_number(json, "energy_loss", out->energy_loss);
  if (shot->time != NULL) {
    rh_json_open_object(json, "loop");
    rh_json_numbers(json, "time", shot->time, RH_LAW_LOOP);
    rh_json_numbers(json, "depth", shot->depth, RH_LAW_LOOP);
    rh_json_numbers(json, "force", shot->force, RH_LAW_LOOP);
    rh_json_close(json);
  }
  rh_json_close(json);
}

static void json_slip(rh_json *json, const rh_law_job *job)
{
  const rh_law_slip *slip = job->slip;
  rh_json_open_object(json, "friction");
  rh_json_string(json, "law", job->friction->row.name);
  rh_law_values_json(json, "parameters", &job->tangential);
  rh_json_number(json, "normal_force", slip->normal);
  rh_json_number(json, "depth", slip->depth);
  rh_json_number(json, "amplitude", slip->amplitude);
  rh_json_number(json, "speed", slip->speed);
  rh_json_number(json, "breakaway", slip->breakaway);
  rh_json_number(json, "peak_friction", slip->peak);
  rh_json_number(json, "energy_loss_a_turn", slip->lost);
  rh_json_numbers(json, "displacement", slip->x, RH_LAW_SLIP);
  rh_json_numbers(json, "force", slip->f, RH_LAW_SLIP);
  rh_json_close(json);
}

rh_status rh_law_print_json(const rh_law_job *job)
{
  rh_text text = {0};
  rh_json json = rh_json_result(&text);
  rh_json_string(&json, "law", job->law->row.name);
  rh_json_string(&json, "cite", job->law->row.cite);
  rh_law_values_json(&json, "parameters", &job->normal);
  if (!isnan(job->wanted)) {
    json_fit(&json, job);
  }
  if (job->measured != NULL) {
    rh_law_measured_json(&json, job->measured);
  }
  rh_json_number(&json, "mass", job->mass);
  rh_json_number(&json, "radius", job->radius);
  rh_json_open_array(&json, "impacts");
  for (int i = 0; i < job->nspeed; i++) {
    json_shot(&json, job->speed[i], &job->shot[i]);
  }
  rh_json_close(&json);
  if (job->slip != NULL) {
    json_slip(&json, job);
  }
  if (job->output != NULL) {
    rh_json_string(&json, "output", job->output);
  }
  rh_json_end(&json);
  return rh_text_print(&text, NULL);
}
