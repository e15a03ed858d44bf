// motion_choice.c: where several motions fit an island of rigid contacts. Islands of few contacts are
// examined: all motions are counted and listed, in space those of polyhedral cones
// (complement/motions/cone_motions.c), and run.select takes one of them. The problem is then solved
// from its forces, with round cones.
#include "event/contact_decision.h"

#include "complement/motions/cone_motions.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const taken[] = {"that of least load was taken",
                                    "that of largest dissipation was taken",
                                    "the limit of stiff springs was taken", "none was taken"};

static double slip_speed(const rh_decision *x, int i)
{
  const rh_contact *c = &x->d->contact[rh_decision_slot(x, i)];
  double speed = rh_hypot(c->slip[0], c->slip[1]);
  return speed > RH_TOL_SLIP ? speed : 0;
}

// One motion in words: how many contacts separate, stick and slip, and the largest acceleration
static int write_motion(const rh_cone_motions *m, int which, char *to, size_t size)
{
  int count[3] = {0, 0, 0};
  double largest = 0;
  for (int i = 0; i < m->n; i++) {
    rh_mode mode = m->motion[which].mode[i];
    count[mode == RH_MODE_SEPARATE ? 0 : mode == RH_MODE_STICK ? 1 : 2]++;
  }
  for (int r = 0; r < 3 * m->n; r++) {
    largest = fmax(largest, fabs(m->motion[which].a[r]));
  }
  static const char *const word[] = {"separate", "stick", "slip"};
  int used = snprintf(to, size, "%s(", which > 0 ? ", " : "");
  for (int k = 0; k < 3; k++) {
    used +=
        count[k] > 0 ? snprintf(to + used, size - (size_t)used, "%d %s ", count[k], word[k]) : 0;
  }
  return used + snprintf(to + used, size - (size_t)used, "%.3g m/s^2)", largest);
}

// How the motion that was taken was chosen
static const char *choice_words(const rh_sim *sim, int chosen, bool reached)
{
  return !reached            ? "the one first found was taken: from the other no solution was found"
         : chosen == RH_NONE ? "that of least load was taken: springs do not settle"
                             : taken[sim->model->run.select];
}

static void report_motions(rh_sim *sim, const rh_decision *x, const rh_cone_motions *m,
                           const char *choice)
{
  enum { WORDS = 80, SHOWN = 3 }; // of one motion; motions that the note names

  char list[SHOWN * WORDS] = "";
  char cones[32] = "";
  int used = 0;
  if (sim->several_at == *sim->data->t) {
    return;
  }
  for (int k = 0; k < m->found.count && k < SHOWN; k++) {
    used += write_motion(m, k, list + used, WORDS);
  }
  if (m->facets > 0) {
    snprintf(cones, sizeof cones, " (%d facets)", m->facets);
  }
  char text[RH_NOTE_MAX];
  snprintf(text, sizeof text, "%s%d motions%s fit %d contact%s%s: %.70s%s; %s",
           m->found.complete ? "" : "at least ", m->found.count,
           m->found.continuum ? " and those between" : "", m->n, m->n == 1 ? "" : "s", cones, list,
           m->found.count > SHOWN ? ", ..." : "", choice);
  sim->several_at = *sim->data->t;
  rh_diagnosis_report(sim, RH_EVENT_NOT_UNIQUE, rh_decision_slot(x, 0), m->found.count, text);
}

// Solves the island from the forces of the chosen motion, unless it is the one that was found before:
// to rounding in the plane; in space, where the listed motions are those of polyhedra, the nearest of
// them. False: from there no solution like it was found, and the one before is kept.
static bool take_motion(rh_decision *x, const rh_cone_motions *m, int which, const double *before)
{
  double apart;
  bool same = rh_cone_motions_nearest(m, before, &apart) == which;
  if (!same || (m->facets == 0 && apart > 1e3 * rh_decision_still(x))) {
    memcpy(x->p, m->motion[which].p, 3 * (size_t)m->n * sizeof *x->p);
    if (rh_decision_solve(x) == RH_VERDICT_SOLVED &&
        (same || rh_cone_motions_nearest(m, x->u, &apart) == which)) {
      return true;
    }
    rh_decision_open(x->d, x->first, x->end, true, x);
  }
  (void)rh_decision_solve(x);
  return same;
}

// A contact at rest sticks as long as its friction at rest allows: that it could as well slip with the
// lower friction of motion is no second motion here, and all are counted with the friction they have.
bool rh_motions_examine(rh_sim *sim, rh_decision *x)
{
  const int n = rh_decision_size(x);
  const rh_select select = (rh_select)sim->model->run.select;
  double speed[RH_EXAMINE_MAX];
  double before[3 * RH_EXAMINE_MAX];
  const rh_model_run *run = &sim->model->run;
  const rh_motion_limits limits = {run->facets, run->examine};
  rh_cone_motions m;
  bool rough = false;
  for (int i = 0; i < n && n <= RH_EXAMINE_MAX; i++) {
    speed[i] = slip_speed(x, i);
    rough = rough || rh_decision_law(x, i)->mu_s > 0;
  }
  if (n > RH_EXAMINE_MAX || !rough) {
    return false;
  }
  memcpy(before, x->u, 3 * (size_t)n * sizeof *before);
  rh_decision_open(x->d, x->first, x->end, true, x);
  const rh_cone problem = {n, x->W, x->b, x->mu, x->slide};
  bool known = rh_cone_motions_find(&problem, x->mu, limits, x->scratch, &m) && m.found.count > 0;
  if (known && m.found.count > 1) {
    int chosen = rh_cone_motions_select(&problem, &m, speed, select);
    int which = chosen != RH_NONE
                    ? chosen
                    : rh_cone_motions_select(&problem, &m, speed, RH_SELECT_LEAST_NORM);
    bool reached = take_motion(x, &m, which, before);
    report_motions(sim, x, &m, choice_words(sim, chosen, reached));
    return true;
  }
  (void)rh_decision_solve(x); // as it was
  rh_event_engine *engine = rh_event_engine_of(sim);
  engine->depends = engine->depends || (known && m.found.continuum);
  engine->uncounted = engine->uncounted || (!known && m.facets > 0 && n > run->examine);
  return known && m.found.complete;
}
