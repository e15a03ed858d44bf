// Verdicts on rigid contact: no answer, more than one, or no unique answer was found, or a law
// gained energy. Each is an event with the reason in words and the remedy; a strict run ends there.
#include "contact_decision.h"

#include "complement/cone.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void rh_diagnosis_report(rh_sim *sim, rh_event_kind kind, int slot, double number, const char *text)
{
  rh_event e = rh_contact_event(sim, kind, slot);
  e.after = number;
  snprintf(e.note, sizeof e.note, "%s", text);
  rh_sim_emit_diagnosis(sim, &e);
}

void rh_diagnosis_gain(rh_sim *sim, int slot, double loss)
{
  char text[RH_NOTE_MAX];
  const rh_model_contact *c = &sim->model->contact[sim->data->contact[slot].rule];
  snprintf(text, sizeof text, "%s with e = %g created %.3g J; its result was kept",
           c->impact->row.name, c->e, -loss);
  rh_diagnosis_report(sim, RH_EVENT_GAIN, slot, -loss, text);
}

// Sliding friction makes the rows unsymmetric: then there may be none or several answers, though
// each is well behaved (Painleve). A contact that chooses its direction is not checked:
// docs/limits.md.
void rh_diagnosis_several(rh_sim *sim, const rh_cone *problem, int slot, double *scratch)
{
  bool rubs = false;
  int n = problem->n;
  for (int i = 0; i < n; i++) {
    rubs = rubs || (rh_cone_slides(problem, i) && problem->mu[i] > 0);
  }
  if (!rubs || n > RH_COUNT_MAX || !rh_cone_is_lcp(problem)) {
    return;
  }
  double *A = scratch;
  double *b = A + (size_t)n * (size_t)n;
  rh_lcp normals = rh_cone_normals(problem, A, b);
  int count = rh_lcp_count(&normals, b + n);
  if (count > 1 && sim->several_at != *sim->data->t) {
    char text[RH_NOTE_MAX];
    snprintf(text, sizeof text,
             "%d%s sets of forces fit %d sliding contact%s (Painleve); the first found was taken",
             count, count == RH_COUNT_MOST ? " or more" : "", n, n == 1 ? "" : "s");
    sim->several_at = *sim->data->t;
    rh_diagnosis_report(sim, RH_EVENT_NOT_UNIQUE, slot, count, text);
  }
}

// Rows of the contacts [first, end) along which nothing moves, as across the plane of a planar
// joint: their force is zero, and determined. [inertia]
static int inert_rows(const rh_data *d, int first, int end)
{
  size_t rows = 3 * (size_t)rh_rigid(d)->n;
  double maximum = 0;
  int n = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = first; i < end; i++) {
      bool sticks = rh_slot_mode(d, rh_rigid(d)->slot[i]) == RH_CLOSED_STICK;
      for (int axis = sticks ? 0 : 2; axis < 3; axis++) {
        double w = rh_rigid(d)->W[(3 * (size_t)i + (size_t)axis) * (rows + 1)];
        maximum = pass == 0 ? fmax(maximum, w) : maximum;
        n += pass == 1 && w <= RH_TOL_RANK * maximum;
      }
    }
  }
  return n;
}

static int open_directions(rh_data *d)
{
  int open = rh_rigid(d)->undetermined;
  if (rh_rigid(d)->n == 0 || open == 0) {
    return 0;
  }
  rh_rigid_inertia(d);
  for (int first = 0, end; first < rh_rigid(d)->n; first = end) {
    end = rh_rigid_island(d, first);
    open -= inert_rows(d, first, end);
  }
  return open;
}

// ---- Other motions

// A contact that may choose its friction: then more than one motion may fit.
static bool chooses_friction(const rh_decision *x, int i)
{
  const rh_contact *c = &x->d->contact[rh_decision_slot(x, i)];
  return rh_decision_law(x, i)->mu_s > 0 && rh_hypot(c->slip[0], c->slip[1]) <= RH_TOL_SLIP;
}

// Forces that contacts can put on each other at will: rh_rigid(d)->p of the island. They are those
// of the cones before anything begins to slide.
static bool find_wedge(const rh_decision *x)
{
  rh_decision fresh = *x;
  double *force = rh_rigid(x->d)->p + 3 * (size_t)x->first;
  rh_decision_open(x->d, x->first, x->end, true, &fresh);
  const rh_cone problem = {rh_decision_size(x), fresh.W, fresh.b, fresh.mu, fresh.slide};
  return rh_cone_wedge(&problem, fresh.scratch, force);
}

// The problem once more from a start with these forces, much larger than the load: its
// accelerations replace them. False: nothing found.
static bool press_wedge(rh_decision *x)
{
  const int rows = 3 * rh_decision_size(x);
  double *force = rh_rigid(x->d)->p + 3 * (size_t)x->first;
  double load = rh_norm(x->d->model->gravity);
  double least = HUGE_VAL;
  rh_decision_open(x->d, x->first, x->end, true, x);
  for (int r = 0; r < rows; r++) {
    double w = x->W[(size_t)r * (size_t)(rows + 1)];
    load = fmax(load, fabs(x->b[r]));
    least = r % 3 == 2 && w > 0 ? fmin(least, w) : least;
  }
  for (int r = 0; r < rows; r++) {
    x->p[r] = 1e3 * load / least * force[r];
  }
  bool found = rh_decision_solve(x) == RH_VERDICT_SOLVED;
  memcpy(force, x->u, (size_t)rows * sizeof *force);
  return found;
}

static void report_other_motion(rh_sim *sim, const rh_decision *x)
{
  const double *other = rh_rigid(sim->data)->p + 3 * (size_t)x->first;
  double apart = 0;
  char text[RH_NOTE_MAX];
  for (int r = 0; r < 3 * rh_decision_size(x); r++) {
    apart = fmax(apart, fabs(x->u[r] - other[r]));
  }
  if (apart <= 1e3 * rh_decision_still(x) || sim->several_at == *sim->data->t) {
    return;
  }
  snprintf(
      text, sizeof text,
      "%d contacts can press against each other at will, and with friction hold what otherwise "
      "moves: accelerations differ by up to %.4g m/s^2; the motion without such pressure was "
      "taken",
      rh_decision_size(x), apart);
  sim->several_at = *sim->data->t;
  rh_diagnosis_report(sim, RH_EVENT_NOT_UNIQUE, rh_decision_slot(x, 0), apart, text);
}

void rh_diagnosis_island(rh_sim *sim, rh_decision *x, bool examined)
{
  rh_event_engine *engine = rh_event_engine_of(sim);
  const int n = rh_decision_size(x);
  bool chooses = false;
  if (n > RH_EXAMINE_MAX) {
    engine->unknown = true;
    return;
  }
  for (int i = 0; i < n; i++) {
    chooses = chooses || chooses_friction(x, i);
  }
  const rh_cone problem = {n, x->W, x->b, x->mu, x->slide};
  int free = rh_cone_free(&problem, x->p, x->u, rh_decision_still(x), x->scratch);
  int moving = rh_cone_moving(&problem, x->p, free, x->scratch);
  engine->shared += free + moving;
  engine->depends = engine->depends || moving > 0;
  if (!chooses || n < 2 || examined) {
    return;
  }
  engine->searched = true;
  bool other = find_wedge(x) && press_wedge(x);
  rh_decision_open(x->d, x->first, x->end, true, x); // as it was
  (void)rh_decision_solve(x);
  if (other) {
    report_other_motion(sim, x);
  }
}

static int touching_contacts(const rh_data *d)
{
  int n = 0;
  for (int k = 0; k < d->ncontact; k++) {
    n += rh_slot_rigid(d, k);
  }
  return n;
}

enum { VERDICT = 80 };

// Is the motion proved to be the only one? Without friction it is; where contacts may choose theirs
// none other was found, or motions were not counted, or not looked for.
static void write_verdict(const rh_sim *sim, char text[VERDICT])
{
  const rh_event_engine *engine = rh_event_engine_of(sim);
  const rh_data *d = sim->data;
  bool chooses = false;
  for (int i = 0; i < rh_rigid(d)->n; i++) {
    int slot = rh_rigid(d)->slot[i];
    chooses = chooses || d->model->contact[d->contact[slot].rule].mu_s > 0;
  }
  if (chooses && sim->several_at != *d->t && !engine->unknown && !engine->depends &&
      engine->searched && engine->uncounted) {
    snprintf(text, VERDICT, "other motions were not counted (run.examine is %d)",
             sim->model->run.examine);
    return;
  }
  snprintf(text, VERDICT, "%s",
           sim->several_at == *d->t ? "the motion is not unique"
           : !chooses               ? "the motion is unique"
           : engine->unknown        ? "other motions were not examined (more than 12 contacts)"
           : engine->depends        ? "the motion depends on how it is shared"
           : engine->searched       ? "no other motion was found"
                                    : "the motion is unique");
}

// Reported at first occurrence, and at each increase.
void rh_diagnosis_undetermined(rh_sim *sim)
{
  rh_data *d = sim->data;
  const rh_event_engine *engine = rh_event_engine_of(sim);
  int open = engine->unknown ? open_directions(d) : engine->shared;
  bool known = sim->undetermined >= 0;
  if (known && open > sim->undetermined) {
    char text[RH_NOTE_MAX];
    char verdict[VERDICT];
    write_verdict(sim, verdict);
    snprintf(text, sizeof text,
             "the load of %d rigid contacts is free in %d direction%s; that of least norm was "
             "taken, %s",
             touching_contacts(d), open, open == 1 ? "" : "s", verdict);
    rh_diagnosis_report(sim, RH_EVENT_UNDETERMINED, rh_rigid(d)->slot[0], open, text);
  }
  sim->undetermined = open == 0 || open > sim->undetermined ? open : sim->undetermined;
}
