// compare_print.c: results of `routh compare`: tables, and the same as JSON.
#include "results.h"

#include <math.h>

#define SHOWN 10 // channels in the table

static void add_number(rh_table *table, double x)
{
  if (isnan(x)) {
    rh_table_add(table, "-");
  } else {
    rh_table_add(table, "%.5g", x);
  }
}

// ---- One scene under several laws

// Runs that are not to be trusted
static void warn_of_errors(const rh_compare_job *job)
{
  for (int i = 0; i < job->nvariant; i++) {
    const rh_trial *trial = &job->variant[i].trial;
    for (int kind = 0; kind < RH_EVENT_COUNT; kind++) {
      const rh_event *first = rh_event_is_error((rh_event_kind)kind)
                                  ? rh_trial_event(trial, (rh_event_kind)kind, 1)
                                  : NULL;
      if (first != NULL) {
        rh_say(job->request, "routh: warning: %s, at t = %.6g s: %s: %s", job->variant[i].label,
               first->t, rh_event_text(first->kind), first->note);
      }
    }
  }
}

rh_status rh_compare_print(const rh_compare_job *job)
{
  static const char *const head[] = {"laws",     "touches",     "in [m/s]",    "out [m/s]",
                                     "e",        "contact [s]", "deepest [m]", "peak [N]",
                                     "lost [J]", "end [m]",     "motion"};
  rh_table *table = rh_table_headed(head, RH_COUNT(head), 0x7FE);
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
    add_number(table, v->motion);
  }
  rh_status status = rh_table_print(table, stdout, 0, rh_color_allowed(job->request, stdout));
  rh_table_destroy(table);
  if (!job->request->quiet) {
    warn_of_errors(job);
    puts("in, out, e, contact: of the first contact that ended; lost: by all contacts; end: "
         "greatest distance of\na body at the end from its position under the first laws; motion: "
         "difference of the velocities at the end\nfrom those, by kinetic energy, over those");
  }
  return status;
}

rh_status rh_compare_json(const rh_compare_job *job)
{
  rh_text text = {0};
  rh_json json = rh_json_result(&text);
  rh_json_string(&json, "scene", rh_file_label(job->request->file[0]));
  rh_json_open_array(&json, "variants");
  for (int i = 0; i < job->nvariant; i++) {
    const rh_variant *v = &job->variant[i];
    rh_json_open_object(&json, NULL);
    rh_json_string(&json, "law", v->law);
    rh_json_string(&json, "friction", v->friction);
    rh_json_string(&json, "impacts", v->impacts);
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
    rh_json_number(&json, "worst_residue", v->trial.stats.residue.worst);
    rh_json_bool(&json, "over", v->trial.stats.residue.worst > v->trial.stats.residue.bound);
    rh_json_number(&json, "distance", v->distance);
    rh_json_number(&json, "velocity_error", v->motion);
    rh_json_integer(&json, "evaluations", v->trial.stats.step.evaluations);
    rh_json_close(&json);
  }
  rh_json_close(&json);
  rh_json_string(&json, "output", job->output);
  rh_json_end(&json);
  return rh_text_print(&text, NULL);
}

// ---- A haptic scene under several methods

rh_status rh_methods_print(const rh_request *request, const rh_compared_methods *j)
{
  static const char *const head[] = {"method",      "hand [mm]",    "tool [mm]", "bounces",
                                     "settled [s]", "turned [s]",   "peak [N]",  "peak [N m]",
                                     "collisions",  "returned [J]", "felt",      "rms [mm]"};
  rh_table *table = rh_table_headed(head, RH_COUNT(head), 0xFFE);
  for (int i = 0; i < j->specs.n; i++) {
    const rh_metrics_result *r = &j->method[i].r;
    rh_table_add(table, "%s", j->method[i].spec);
    rh_table_add(table, "%.4g", 1e3 * r->pen_hand);
    rh_table_add(table, "%.4g", 1e3 * r->pen_tool);
    rh_table_add(table, "%d", r->bounces);
    rh_table_add(table, "%.4g", r->t_pos);
    rh_table_add(table, "%.4g", r->t_ang);
    rh_table_add(table, "%.4g", fmax(fmax(r->peak[0], r->peak[1]), r->peak[2]));
    rh_table_add(table, "%.4g", fmax(fmax(r->peak[3], r->peak[4]), r->peak[5]));
    rh_table_add(table, "%g", r->collisions);
    rh_table_add(table, "%.3g", r->returned);
    rh_table_add(table, "%.3f", r->felt);
    rh_table_add(table, "%.4g", 1e3 * j->method[i].rms);
  }
  rh_status status = rh_table_print(table, stdout, 0, rh_color_allowed(request, stdout));
  rh_table_destroy(table);
  if (!request->quiet) {
    puts("hand, tool: greatest overlap; settled, turned: last time farther than 0.5 mm, 0.01 rad "
         "from the end\nof the first; peak: greatest component on the device; felt: force on "
         "the device per\nforce of the contacts; rms: of the hand's corners to the first");
  }
  return status;
}

rh_status rh_methods_json(const rh_request *request, const rh_compared_methods *j)
{
  rh_text text = {0};
  rh_json json = rh_json_result(&text);
  rh_json_string(&json, "scene", rh_file_label(request->file[0]));
  rh_json_open_array(&json, "methods");
  for (int i = 0; i < j->specs.n; i++) {
    const rh_metrics_result *r = &j->method[i].r;
    rh_json_open_object(&json, NULL);
    rh_json_string(&json, "method", j->method[i].spec);
    rh_json_number(&json, "pen_hand", r->pen_hand);
    rh_json_number(&json, "pen_tool", r->pen_tool);
    rh_json_integer(&json, "bounces", r->bounces);
    rh_json_number(&json, "t_pos", r->t_pos);
    rh_json_number(&json, "t_ang", r->t_ang);
    rh_json_numbers(&json, "peak", r->peak, 6);
    rh_json_number(&json, "collisions", r->collisions);
    rh_json_number(&json, "negative", r->pulled);
    rh_json_number(&json, "returned", r->returned);
    rh_json_number(&json, "felt", r->felt);
    rh_json_number(&json, "felt_error", r->felt_error);
    rh_json_number(&json, "rms", j->method[i].rms);
    rh_json_close(&json);
  }
  rh_json_close(&json);
  rh_json_end(&json);
  return rh_text_print(&text, NULL);
}

// ---- Two recordings

static rh_status print_gaps(const rh_request *request, const rh_run_pair *p)
{
  static const char *const head[] = {"channel", "unit", "differs from [s]", "greatest", "at [s]"};
  rh_table *table = rh_table_headed(head, RH_COUNT(head), 0x1C);
  int shown = 0;
  int all = 0;
  for (int k = 0; k < p->ngap; k++) {
    all += p->gap[k].frame != RH_NONE;
  }
  for (const rh_run_gap *g = NULL; shown < SHOWN && (g = rh_run_pair_next(p, g)) != NULL; shown++) {
    rh_table_add(table, "%s", rh_channel_name(p->channels[0], g->a));
    rh_table_add(table, "%s", rh_channel_unit(p->channels[0], g->a));
    rh_table_add(table, "%.9g", g->t);
    rh_table_add(table, "%.3e", g->most);
    rh_table_add(table, "%.9g", g->most_t);
  }
  putchar('\n');
  rh_status status = rh_table_print(table, stdout, 2, rh_color_allowed(request, stdout));
  rh_table_destroy(table);
  if (all > shown) {
    printf("  ... and %d more channels; --json has all\n", all - shown);
  }
  return status;
}

static void print_event(const rh_run_pair *p)
{
  if (p->event == RH_NONE) {
    return;
  }
  printf("first event that differs: number %ld:", p->event + 1);
  for (int i = 0; i < 2; i++) {
    const rh_event *e = &p->events[i];
    bool none = p->event >= rh_recording_events(p->run[i]);
    printf(i > 0 ? " and " : " ");
    printf(none ? "none" : "%s of %s at t = %.12g s", rh_event_word(e->kind), e->name, e->t);
  }
  putchar('\n');
}

rh_status rh_runs_print(const rh_request *request, const rh_run_pair *p)
{
  long n[2] = {rh_recording_frames(p->run[0]), rh_recording_frames(p->run[1])};
  if (rh_run_pair_alike(p)) {
    if (p->bits == RH_NONE) {
      printf("the same: %ld frames, bit for bit\n", n[0]);
    } else {
      printf("the same within %g: %ld frames; the first bit differs in frame %ld\n", p->tolerance,
             n[0], p->bits);
    }
    return RH_OK;
  }
  if (n[0] != n[1]) {
    rh_print("%s has %ld frames, %s %ld\n", p->path[0], n[0], p->path[1], n[1]);
  }
  if (p->worst != NULL) {
    const rh_run_gap *g = p->worst;
    rh_print("first frame that differs: %ld, t = %.9g s: %s is %.17g and %.17g, %.3e %s apart\n",
             g->frame, g->t, rh_channel_name(p->channels[0], g->a), g->first[0], g->first[1],
             rh_value_distance(g->first[0], g->first[1]), rh_channel_unit(p->channels[0], g->a));
  }
  print_event(p);
  return p->worst != NULL ? print_gaps(request, p) : RH_OK;
}

static void json_gap(rh_json *json, const rh_run_pair *p, const char *key, const rh_run_gap *g)
{
  rh_json_open_object(json, key);
  rh_json_string(json, "channel", rh_channel_name(p->channels[0], g->a));
  rh_json_string(json, "unit", rh_channel_unit(p->channels[0], g->a));
  rh_json_integer(json, "frame", g->frame);
  rh_json_number(json, "t", g->t);
  rh_json_numbers(json, "values", g->first, 2);
  rh_json_number(json, "greatest", g->most);
  rh_json_number(json, "greatest_t", g->most_t);
  rh_json_close(json);
}

rh_status rh_runs_json(const rh_run_pair *p)
{
  rh_text text = {0};
  rh_json json = rh_json_result(&text);
  rh_json_open_array(&json, "runs");
  rh_json_string(&json, NULL, p->path[0]);
  rh_json_string(&json, NULL, p->path[1]);
  rh_json_close(&json);
  rh_json_bool(&json, "same", rh_run_pair_alike(p));
  rh_json_number(&json, "tolerance", p->tolerance);
  rh_json_numbers(&json, "frames",
                  (const double[]){(double)rh_recording_frames(p->run[0]),
                                   (double)rh_recording_frames(p->run[1])},
                  2);
  rh_json_integer(&json, "first_bit", p->bits);
  rh_json_integer(&json, "first_event", p->event);
  if (p->worst != NULL) {
    json_gap(&json, p, "first", p->worst);
  } else {
    rh_json_null(&json, "first");
  }
  rh_json_open_array(&json, "channels");
  for (const rh_run_gap *g = rh_run_pair_next(p, NULL); g != NULL; g = rh_run_pair_next(p, g)) {
    json_gap(&json, p, NULL, g);
  }
  rh_json_end(&json);
  return rh_text_print(&text, NULL);
}
