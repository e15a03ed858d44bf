// Verdicts on rigid contact: no answer, more than one, or no unique answer was found, or a law
// gained energy. Each is an event with the reason in words and the remedy; a strict run ends there.
#include "rigid.h"

#include "complement/cone.h"

#include <math.h>
#include <stdio.h>

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

// Reported at first occurrence, and at each increase.
void rh_diagnosis_undetermined(rh_sim *sim)
{
  rh_data *d = sim->data;
  int open = open_directions(d);
  bool known = sim->undetermined >= 0;
  if (known && open > sim->undetermined) {
    char text[RH_NOTE_MAX];
    snprintf(text, sizeof text,
             "the load of %d rigid contacts is free in %d direction%s; that of least norm was "
             "taken, the motion is "
             "unique",
             rh_rigid(d)->n, open, open == 1 ? "" : "s");
    rh_diagnosis_report(sim, RH_EVENT_UNDETERMINED, rh_rigid(d)->slot[0], open, text);
  }
  sim->undetermined = open == 0 || open > sim->undetermined ? open : sim->undetermined;
}
