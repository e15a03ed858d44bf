// motion_choice.c: where several motions fit an island of rigid contacts. Planar islands of few
// contacts are examined: all motions are counted and listed (complement/motions/cone_motions.c), and
// run.select takes one of them. The problem is then solved from its forces.
#include "event/contact_decision.h"

#include "complement/motions/cone_motions.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const taken[] = {"that of least load", "that of largest dissipation",
                                    "the limit of stiff springs", "none"};

static double slip_speed(const rh_decision *x, int i)
{
  const rh_contact *c = &x->d->contact[rh_decision_slot(x, i)];
  double speed = hypot(c->slip[0], c->slip[1]);
  return speed > RH_TOL_SLIP ? speed : 0;
}

// One motion in words: how many contacts separate, stick and slip, and the largest acceleration
static int write_motion(const rh_cone_motions *m, int n, int which, char *to, size_t size)
{
  int count[3] = {0, 0, 0};
  double a[2 * RH_MOTIONS_MAX];
  double largest = 0;
  for (int i = 0; i < n; i++) {
    rh_mode mode = m->answer[which].mode[m->of[i]];
    count[mode == RH_MODE_SEPARATE ? 0 : mode == RH_MODE_STICK ? 1 : 2]++;
  }
  rh_cone_motions_rates(m, which, a);
  for (int r = 0; r < 2 * m->n; r++) {
    largest = fmax(largest, fabs(a[r]));
  }
  static const char *const word[] = {"separate", "stick", "slip"};
  int used = snprintf(to, size, "%s(", which > 0 ? ", " : "");
  for (int k = 0; k < 3; k++) {
    used +=
        count[k] > 0 ? snprintf(to + used, size - (size_t)used, "%d %s ", count[k], word[k]) : 0;
  }
  return used + snprintf(to + used, size - (size_t)used, "%.3g m/s^2)", largest);
}

static void report_motions(rh_sim *sim, const rh_decision *x, const rh_cone_motions *m, int chosen)
{
  enum { WORDS = 80, SHOWN = 3 }; // of one motion; motions that the note names

  char list[SHOWN * WORDS] = "";
  int used = 0;
  if (sim->several_at == *sim->data->t) {
    return;
  }
  for (int k = 0; k < m->count && k < SHOWN; k++) {
    used += write_motion(m, rh_decision_size(x), k, list + used, WORDS);
  }
  char text[RH_NOTE_MAX];
  snprintf(text, sizeof text, "%d motions%s fit %d contact%s: %.90s%s; %s was taken%s", m->count,
           m->continuum ? " and those between" : "", rh_decision_size(x),
           rh_decision_size(x) == 1 ? "" : "s", list, m->count > SHOWN ? ", ..." : "",
           taken[chosen == RH_NONE ? RH_SELECT_LEAST_NORM : sim->model->run.select],
           chosen == RH_NONE ? ": springs do not settle" : "");
  sim->several_at = *sim->data->t;
  rh_diagnosis_report(sim, RH_EVENT_NOT_UNIQUE, rh_decision_slot(x, 0), m->count, text);
}

// Solves the island from the forces of the chosen motion, unless it is the one that was found before.
static void take_motion(rh_decision *x, const rh_cone *problem, const rh_cone_motions *m, int which,
                        const double *before)
{
  double apart;
  bool same = rh_cone_motions_nearest(m, before, &apart) == which;
  if (!same || apart > 1e3 * rh_decision_still(x)) {
    rh_cone_motions_forces(problem, m, which, x->p);
    if (rh_decision_solve(x) == RH_VERDICT_SOLVED) {
      return;
    }
    rh_decision_open(x->d, x->first, x->end, true, x);
  }
  (void)rh_decision_solve(x);
}

// A contact at rest sticks as long as its friction at rest allows: that it could as well slip with the
// lower friction of motion is no second motion here, and all are counted with the friction they have.
bool rh_motions_examine(rh_sim *sim, rh_decision *x)
{
  const int n = rh_decision_size(x);
  const rh_select select = (rh_select)sim->model->run.select;
  double speed[RH_EXAMINE_MAX];
  double before[3 * RH_EXAMINE_MAX];
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
  bool known = rh_cone_motions_find(&problem, x->mu, x->scratch, &m) && m.count > 0;
  if (known && (m.count > 1 || m.continuum)) {
    int chosen = rh_cone_motions_select(&problem, x->mu, &m, speed, select);
    int which = chosen != RH_NONE
                    ? chosen
                    : rh_cone_motions_select(&problem, x->mu, &m, speed, RH_SELECT_LEAST_NORM);
    take_motion(x, &problem, &m, which, before);
    report_motions(sim, x, &m, chosen);
  } else {
    (void)rh_decision_solve(x); // as it was
  }
  return known;
}
