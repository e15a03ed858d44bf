// summary.c: output at the end of a run: duration and speed, energy account, events, written files.
// The same as JSON for machines.
#include "results.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static double energy_found(const rh_ledger *l)
{
  return l->kinetic + l->potential + l->spring + l->contact;
}

static double energy_given(const rh_ledger *l)
{
  double lost = l->damper + l->contact_damper + l->sliding;
  return l->initial + l->actuator + l->external + l->hand + l->event - lost;
}

// The residue is relative to the largest energy that the run has moved.
static double relative_residue(const rh_ledger *l, const rh_residue_stats *x)
{
  return x->scale > 0 ? fabs(l->residue) / x->scale : 0;
}

static void print_title(const rh_run *run)
{
  rh_sim_stats stats = rh_sim_statistics(run->sim);
  double t = *rh_sim_view(run->sim)->t;
  double done = t - run->t_begun;
  rh_print("%s   %.3f s", run->label, done);
  if (run->t_begun > 0) {
    printf(" (%.3f to %.3f)", run->t_begun, t);
  }
  printf(" in %.3f s", run->wall);
  if (run->wall > 0 && done > 0) {
    double speed = done / run->wall;
    printf(speed < 100 ? " (%.3gx real time)" : " (%.0fx real time)", speed);
  }
  rh_print("   %ld event%s, %ld step%s, %ld rejected", run->events, rh_plural(run->events),
           stats.step.steps, rh_plural(stats.step.steps), stats.step.rejected);
  int nrested = rh_sim_view(run->sim)->model->layout.nrested;
  if (nrested > 0) {
    printf(", %ld of %d bodies asleep", stats.asleep, nrested - 1);
  }
  printf("\n");
}

static void print_energy(const rh_ledger *l, const rh_residue_stats *residue)
{
  static const char *const left[] = {"at the start",    "actuators", "forces", "events", "dampers",
                                     "contact dampers", "sliding",   "hand",   "sum"};
  static const char *const right[] = {"kinetic", "potential", "springs", "contacts", "",
                                      "",        "",          "",        "sum"};
  const double given[] = {l->initial,         l->actuator, l->external, l->event,       -l->damper,
                          -l->contact_damper, -l->sliding, l->hand,     energy_given(l)};
  const double found[] = {l->kinetic, l->potential,   l->spring, l->contact, 0, 0, 0,
                          0,          energy_found(l)};
  const int hand = 7;
  rh_table *table = rh_table_create(4, 0xA);
  rh_table_add(table, "given");
  rh_table_add(table, "J");
  rh_table_add(table, "found");
  rh_table_add(table, "J");
  for (int i = 0; i < RH_COUNT(left); i++) {
    if (i == hand && l->hand == 0) {
      continue; // of live runs only
    }
    char number[2][40];
    double x = given[i] == 0 ? 0 : given[i]; // no minus zero
    rh_format_number(x, number[0], sizeof number[0]);
    rh_format_number(found[i], number[1], sizeof number[1]);
    bool change = i > 0 && i + 1 < RH_COUNT(left);
    rh_table_add(table, "%s", left[i]);
    rh_table_add(table, "%s%s", change && x > 0 ? "+" : "", number[0]);
    rh_table_add(table, "%s", right[i]);
    rh_table_add(table, "%s", right[i][0] != '\0' ? number[1] : "");
  }
  puts("\nEnergy");
  (void)rh_table_print(table, stdout, 2, false);
  rh_table_destroy(table);
  rh_print("  residue  %.2e J, %.1e of the %.3g J moved; up to %.1e, bound %.1e (run.residue)\n",
           l->residue, relative_residue(l, residue), residue->scale, residue->worst,
           residue->bound);
}

static void add_change(rh_table *table, const rh_event *event)
{
  char number[3][40];
  rh_format_number(event->before, number[0], sizeof number[0]);
  rh_format_number(event->after, number[1], sizeof number[1]);
  rh_format_number(event->work, number[2], sizeof number[2]);
  bool change = event->before != 0 || event->after != 0;
  rh_table_add(table, "%s", change ? number[0] : "");
  rh_table_add(table, "%s", change ? number[1] : "");
  rh_table_add(table, "%s", event->work != 0 ? number[2] : "");
}

static void print_events(const rh_run *run)
{
  if (run->events == 0) {
    return;
  }
  rh_table *table = rh_table_create(7, 0x71);
  static const char *const head[] = {"t [s]",  "event", "name",    "bodies",
                                     "before", "after", "work [J]"};
  for (int i = 0; i < RH_COUNT(head); i++) {
    rh_table_add(table, "%s", head[i]);
  }
  for (long i = 0; i < run->kept.count; i++) {
    const rh_event *event = &run->kept.event[i];
    rh_table_add(table, "%.9f", event->t);
    rh_table_add(table, "%s", rh_event_word(event->kind));
    rh_table_add(table, "%s", event->name);
    char bodies[RH_BODIES_MAX];
    rh_event_bodies(run->model, event, bodies);
    rh_table_add(table, "%s", bodies);
    add_change(table, event);
  }
  puts("\nEvents");
  (void)rh_table_print(table, stdout, 2, false);
  rh_table_destroy(table);
  if (run->events > run->kept.count) {
    printf("  ... and %ld more; --events prints all\n", run->events - run->kept.count);
  }
}

// Commands to copy: the viewer, and a plot of the coordinate with the largest motion.
static void print_next(const rh_run *run)
{
  char name[RH_NAME_MAX + 16];
  rh_print("next  routh view %s", run->output);
  if (rh_moving_name(&run->moving, run->model, name, sizeof name)) {
    rh_print("      routh plot %s %s", run->output, name);
  }
  putchar('\n');
}

// Restitution as realised, not as requested
static void print_contacts(const rh_run *run, long uncounted)
{
  rh_impact_stats s = rh_sim_statistics(run->sim).impact;
  if (run->model->nslot == 0) {
    return;
  }
  puts("\nContacts");
  if (s.impacts > 0 || uncounted == 0) {
    rh_print("  %ld impact%s", s.impacts, rh_plural(s.impacts));
  }
  if (uncounted > 0) {
    printf("  bounces of compliant contacts are not counted by this engine");
  }
  if (s.single > 0) {
    printf("   e realised %.4g .. %.4g", s.e_lo, s.e_hi);
  }
  if (s.single > 0 && s.single < s.impacts) {
    rh_print(" at %ld single contact%s", s.single, rh_plural(s.single));
  }
  if (s.time_hi > 0) {
    printf("   lasting %.3g .. %.3g s", s.time_lo, s.time_hi);
  }
  printf("\n  deepest %.4g m", s.deepest);
  if (s.peak > 0) {
    rh_print("   peak force %.4g N%s", s.peak,
             run->model->run.engine->checks_solution ? " (mean over a step)" : "");
  }
  if (s.impulse > 0) {
    printf("   largest impulse %.4g N s", s.impulse);
  }
  putchar('\n');
}

// Accuracy of the time steps
static void print_solver(const rh_run *run)
{
  rh_sim_stats s = rh_sim_statistics(run->sim);
  const rh_solver_stats *x = &s.solver;
  if (!run->model->run.engine->checks_solution) {
    return;
  }
  printf("\nSolver\n  %.3g sweeps per step",
         s.step.steps > 0 ? (double)s.step.evaluations / (double)s.step.steps : 0);
  if (x->judged == 0) {
    puts("   no step was checked (run.check_solution)");
    return;
  }
  rh_print("   residual up to %.2g m/s, over %.2g m/s in %ld of %ld checked step%s\n", x->residual,
           x->tolerance, x->over, x->judged, rh_plural(x->judged));
  rh_print("  impulses undetermined in %ld, by up to %.0f direction%s; several solutions in %ld; "
           "not known in %ld\n",
           x->undetermined, x->free, x->free == 1 ? "" : "s", x->several, x->unknown);
}

// Cases that the laws of rigid bodies left open, or that violated energy
static void print_verdicts(const rh_run *run)
{
  rh_event first;
  bool any = false;
  for (int kind = 0; kind < RH_EVENT_COUNT; kind++) {
    long count = rh_sim_verdicts(run->sim, (rh_event_kind)kind, &first);
    if (count > 0) {
      char bodies[RH_BODIES_MAX];
      rh_event_bodies(run->model, &first, bodies);
      rh_print("%s  %s %ld time%s, first at %.9g s%s%s%s%s%s:\n    %s\n", any ? "" : "\nVerdicts\n",
               rh_event_word((rh_event_kind)kind), count, rh_plural(count), first.t,
               first.name[0] != '\0' ? ", " : "", first.name, bodies[0] != '\0' ? " (" : "", bodies,
               bodies[0] != '\0' ? ")" : "", first.note);
      any = true;
    }
  }
  if (!any && run->model->nrigid > 0) {
    puts("\nVerdicts\n  none: forces and impulses of rigid contacts were unique and gained no "
         "energy");
  }
  rh_solver_stats checked = rh_sim_statistics(run->sim).solver;
  if (checked.unknown > 0 && !run->model->run.engine->checks_solution) {
    rh_print(
        "  not examined: whether forces are unique at %ld of %ld changes of rigid contacts (more "
        "than 12 in an island)\n",
        checked.unknown, checked.judged);
  }
  rh_impact_stats s = rh_sim_statistics(run->sim).impact;
  if (s.several > s.examined) {
    rh_print("  not examined: other formulations of %ld of %ld impacts at several contacts\n",
             s.several - s.examined, s.several);
  }
}

void rh_run_summary(const rh_run *run)
{
  if (run->request->quiet) {
    if (run->all_events) {
      print_events(run);
    }
    return;
  }
  rh_ledger ledger = rh_sim_ledger(run->sim);
  rh_sim_stats stats = rh_sim_statistics(run->sim);
  print_title(run);
  print_contacts(run, stats.uncounted);
  rh_footfalls_print(&run->feet);
  print_solver(run);
  print_verdicts(run);
  print_energy(&ledger, &stats.residue);
  print_events(run);
  const char *reason = rh_sim_reason(run->sim);
  if (run->ended == RH_OK && reason != NULL && reason[0] != '\0') {
    rh_print("\nend   %s\n", reason);
  } else {
    putchar('\n');
  }
  printf("hash  %016" PRIx64 "\n", run->hash);
  if (run->output != NULL) {
    rh_print("wrote %s (%ld frame%s)\n", run->output, run->frames, rh_plural(run->frames));
    print_next(run);
  }
}

// ---- JSON

static void json_energy(rh_json *json, const rh_sim *sim, const rh_residue_stats *x)
{
  rh_ledger ledger = rh_sim_ledger(sim);
  const rh_ledger *l = &ledger;
  rh_json_open_object(json, "energy");
#define NUMBER(name, text) rh_json_number(json, #name, l->name);
  RH_LEDGER_LIST(NUMBER)
#undef NUMBER
  rh_json_number(json, "relative_residue", relative_residue(l, x));
  rh_json_number(json, "scale", x->scale);
  rh_json_number(json, "worst_residue", x->worst);
  rh_json_number(json, "bound", x->bound);
  char advice[RH_ADVICE_MAX];
  rh_json_string(json, "advice", rh_sim_residue_advice(sim, advice) ? advice : NULL);
  rh_json_close(json);
}

static void json_bodies(rh_json *json, const rh_model *model, const rh_event *event)
{
  rh_json_open_array(json, "bodies");
  for (int i = 0; i < 2 && event->body[0] != event->body[1]; i++) {
    rh_json_string(json, NULL, rh_model_name(model, RH_OBJECT_BODY, event->body[i]));
  }
  rh_json_close(json);
}

static void json_verdicts(rh_json *json, const rh_run *run)
{
  rh_json_open_array(json, "verdicts");
  for (int kind = 0; kind < RH_EVENT_COUNT; kind++) {
    rh_event first;
    long count = rh_sim_verdicts(run->sim, (rh_event_kind)kind, &first);
    if (count > 0) {
      rh_json_open_object(json, NULL);
      rh_json_string(json, "kind", rh_event_word((rh_event_kind)kind));
      rh_json_integer(json, "count", count);
      rh_json_number(json, "t", first.t);
      rh_json_string(json, "name", first.name);
      json_bodies(json, run->model, &first);
      rh_json_string(json, "note", first.note);
      rh_json_close(json);
    }
  }
  rh_json_close(json);
}

static void json_contacts(rh_json *json, const rh_impact_stats *s, bool complete)
{
  rh_json_open_object(json, "contacts");
  rh_json_integer(json, "impacts", s->impacts);
  rh_json_bool(json, "complete", complete);
  rh_json_integer(json, "single", s->single);
  rh_json_number(json, "e_least", s->e_lo);
  rh_json_number(json, "e_most", s->e_hi);
  rh_json_number(json, "time_least", s->time_lo);
  rh_json_number(json, "time_most", s->time_hi);
  rh_json_number(json, "deepest", s->deepest);
  rh_json_number(json, "peak_force", s->peak);
  rh_json_number(json, "largest_impulse", s->impulse);
  rh_json_integer(json, "several", s->several);
  rh_json_integer(json, "examined", s->examined);
  rh_json_close(json);
}

static void json_solver(rh_json *json, const rh_run *run, const rh_solver_stats *x)
{
  if (run->model->run.engine->checks_solution) {
    rh_json_open_object(json, "solver");
    rh_json_integer(json, "judged", x->judged);
    rh_json_number(json, "tolerance", x->tolerance);
    rh_json_number(json, "residual", x->residual);
    rh_json_integer(json, "over", x->over);
    rh_json_integer(json, "undetermined", x->undetermined);
    rh_json_number(json, "free", x->free);
    rh_json_integer(json, "several", x->several);
    rh_json_integer(json, "unknown", x->unknown);
    rh_json_close(json);
  }
}

static void json_event(rh_json *json, const rh_model *model, const rh_event *event)
{
  rh_json_open_object(json, NULL);
  rh_json_number(json, "t", event->t);
  rh_json_string(json, "kind", rh_event_word(event->kind));
  rh_json_string(json, "name", event->name);
  json_bodies(json, model, event);
  rh_json_integer(json, "dof", event->dof);
  rh_json_integer(json, "slot", event->slot);
  rh_json_number(json, "before", event->before);
  rh_json_number(json, "after", event->after);
  rh_json_number(json, "impulse", event->impulse);
  rh_json_number(json, "friction", event->friction);
  rh_json_number(json, "dn", event->Dn);
  rh_json_number(json, "dt", event->Dt);
  rh_json_number(json, "work", event->work);
  rh_json_string(json, "note", event->note);
  rh_json_close(json);
}

// Of a repeated recording: frames with the same hash, the first with another one.
static void json_again(rh_json *json, const rh_run *run)
{
  if (run->again) {
    rh_json_open_object(json, "again");
    rh_json_integer(json, "frames", rh_recording_frames(run->recording));
    rh_json_integer(json, "same", run->same);
    rh_json_integer(json, "inputs", rh_recording_inputs(run->recording));
    if (run->differs != RH_NONE) {
      rh_json_integer(json, "differs", run->differs);
    } else {
      rh_json_string(json, "differs", NULL);
    }
    rh_json_close(json);
  }
}

// Warnings about the scene, without their places: those of a resumed run are in its recording.
static void json_warnings(rh_json *json, const rh_run *run)
{
  char line[RH_WHY_MAX];
  const char *text = run->warned.data != NULL ? run->warned.data : "";
  rh_json_open_array(json, "warnings");
  while (*text != '\0') {
    int length = (int)strcspn(text, "\n");
    (void)snprintf(line, sizeof line, "%.*s", length, text);
    rh_json_string(json, NULL, line);
    text += length + (text[length] == '\n');
  }
  rh_json_close(json);
}

rh_status rh_run_json(const rh_run *run)
{
  rh_sim_stats stats = rh_sim_statistics(run->sim);
  char hash[17];
  snprintf(hash, sizeof hash, "%016" PRIx64, run->hash);
  rh_text text = {0};
  rh_json json = rh_json_result(&text);
  rh_json_string(&json, "scene", run->label);
  rh_json_string(&json, "status", rh_status_name(run->ended));
  rh_json_string(&json, "reason", rh_sim_reason(run->sim));
  rh_json_number(&json, "t_begun", run->t_begun);
  rh_run_json_from(run, &json);
  rh_json_number(&json, "t", *rh_sim_view(run->sim)->t);
  rh_json_number(&json, "wall", run->wall);
  rh_json_integer(&json, "frames", run->frames);
  rh_json_integer(&json, "steps", stats.step.steps);
  rh_json_integer(&json, "rejected", stats.step.rejected);
  rh_json_integer(&json, "evaluations", stats.step.evaluations);
  rh_json_integer(&json, "restarts", stats.step.restarts);
  if (rh_sim_view(run->sim)->model->layout.nrested > 0) {
    rh_json_integer(&json, "asleep", stats.asleep);
  }
  json_warnings(&json, run);
  json_contacts(&json, &stats.impact, stats.uncounted == 0);
  json_solver(&json, run, &stats.solver);
  json_verdicts(&json, run);
  rh_footfalls_json(&run->feet, &json);
  json_energy(&json, run->sim, &stats.residue);
  rh_json_integer(&json, "event_count", run->events);
  rh_json_open_array(&json, "events");
  for (long i = 0; i < run->kept.count; i++) {
    json_event(&json, run->model, &run->kept.event[i]);
  }
  rh_json_close(&json);
  rh_json_string(&json, "hash", hash);
  rh_json_string(&json, "recording", run->output);
  json_again(&json, run);
  rh_json_end(&json);
  return rh_text_print(&text, NULL);
}
