// pieces.c: y and S between two events: CVODE integrates both together (the simultaneous corrector of R. Serban, A. C.
// Hindmarsh, "CVODES: the sensitivity-enabled ODE solver in SUNDIALS", ASME 2005; CVODES itself defines the same names as
// CVODE and has none of its projections, so a program cannot have both). S counts in the error as y does. df/dy S + df/dw
// is one difference of the rate between two worlds.
#include "slopes_private.h"

#include <math.h>
#include <string.h>

// Slopes need fewer digits than the motion: its tolerances times this. Where the scene asks for very small ones the slopes
// are to be exact too: differences are to both sides then, and the tolerance is as small as their rounding lets it be.
static const double COARSER = 1e3;
static const double PRECISE = 1e-11; // relative tolerance of a scene below which that is so
static const double EXACT = 1e-10;
// Absolute tolerance of S over that of y: the rate of S jumps where that of y has a kink. With rigid contacts it holds
// rounding besides, of the direction of slips that are about to end; the tolerance of y sees to S there.
static const double ROUGH = 100;
static const double ROUGHER = 1e4;

static bool count_evaluations(rh_slopes *s, int n)
{
  s->evaluations += n;
  return s->precise || s->evaluations <= s->most || rh_slopes_fail(s, RH_SLOPES_LONG);
}

// A compliant contact of the world is past its end, where its law no longer holds.
static bool is_outside(const rh_slopes *s, const rh_sim *sim)
{
  const rh_data *d = sim->data;
  for (int k = 0; k < rh_slots_used(d) && s->compliant; k++) {
    const rh_contact *c = &d->contact[k];
    if (d->slot[k].used != 0 && !rh_slot_rigid(d, k) &&
        !(c->on && c->depth > fmax(RH_TOL_DEPTH, -rh_contact_hold(d, c)))) {
      return true;
    }
  }
  return false;
}

// rate(y + h S, w + h) of one world
static int side_rate(rh_slopes *s, int i, double t, const double *y, double *ydot)
{
  size_t n = (size_t)s->length;
  double h = i % 2 == 0 ? s->step[i / 2] : -s->step[i / 2];
  const double *S = y + (size_t)(i / 2 + 1) * n;
  for (size_t k = 0; k < n; k++) {
    s->side[0][k] = y[k] + h * S[k];
  }
  return rh_sim_rate(s->moved[i], t, s->side[0], ydot);
}

// One column: the difference of the rates at both sides over their distance; of one side and the middle where the other
// side's contacts have ended
static int column_rate(rh_slopes *s, int i, double t, const double *y, double *ydot)
{
  size_t n = (size_t)s->length;
  double *out = ydot + (size_t)(i + 1) * n;
  const double *low = ydot;
  const double *high = out;
  int code = side_rate(s, 2 * i, t, y, out);
  double over = s->step[i];
  bool outside = is_outside(s, s->moved[2 * i]);
  if ((s->precise || outside) && code == 0) {
    code = side_rate(s, 2 * i + 1, t, y, s->side[1]);
    bool both = !outside && !is_outside(s, s->moved[2 * i + 1]);
    low = both || outside ? s->side[1] : ydot;
    high = outside ? ydot : out;
    over = both ? 2 * over : over;
  }
  for (size_t k = 0; k < n; k++) {
    out[k] = (high[k] - low[k]) / over;
  }
  return code;
}

int rh_slopes_rate(void *user, double t, const double *y, double *ydot)
{
  rh_slopes *s = user;
  if (!count_evaluations(s, 1 + (s->precise ? 2 : 1) * s->job.n)) {
    return -1;
  }
  int code = rh_sim_rate(s->job.twin, t, y, ydot);
  for (int i = 0; i < s->job.n && code == 0; i++) {
    code = column_rate(s, i, t, y, ydot);
  }
  return code;
}

// The parabola on which each column begins: flights and slides of rigid bodies are nearly that.
static void find_arc(void *user, double t, const double *y, double *slope, double *bend)
{
  rh_slopes *s = user;
  size_t n = (size_t)s->length;
  rh_sim_arc(s->job.twin, t, y, slope, bend);
  for (int i = 0; i < s->job.n; i++) {
    const double *S = y + (size_t)(i + 1) * n;
    double *sl = slope + (size_t)(i + 1) * n;
    double *be = bend + (size_t)(i + 1) * n;
    double h = s->step[i];
    for (size_t k = 0; k < n; k++) {
      s->side[0][k] = y[k] + h * S[k];
    }
    rh_sim_arc(s->moved[2 * i], t, s->side[0], sl, be);
    for (size_t k = 0; k < n; k++) {
      sl[k] = (sl[k] - slope[k]) / h;
      be[k] = (be[k] - bend[k]) / h;
    }
  }
  s->evaluations += 1 + s->job.n;
}

static bool is_noisy(void *user, int i)
{
  const rh_slopes *s = user;
  return i >= s->length || rh_sim_idle(s->job.twin, i);
}

static void project_state(void *user, double *y)
{
  const rh_slopes *s = user;
  rh_sim_project(s->job.twin, y);
}

static double tolerance_of(const rh_model *m, const char *name, double usual)
{
  int k = rh_row_find(m->run.integrator, name);
  return k != RH_NONE ? m->run.integrator_par[rh_row_offset(m->run.integrator, k)] : usual;
}

rh_status rh_slopes_open_flow(rh_slopes *s)
{
  const rh_model *m = s->job.base->model;
  double rtol = tolerance_of(m, "rtol", 1e-8);
  double atol = tolerance_of(m, "atol", 1e-10);
  s->precise = rtol < PRECISE;
  rtol = s->precise ? EXACT : fmin(COARSER * rtol, 1e-4);
  atol = s->precise ? 1e-3 * EXACT : fmin(COARSER * atol, 1e-6);
  const double par[] = {0, rtol, atol, HUGE_VAL}; // method adams, rtol, atol, max_step
  int copies = 1 + s->job.n;
  s->row = &rh_integrator_cvode;
  s->flow = (rh_ode){.user = s,
                     .n = m->layout.nfixed * copies,
                     .capacity = s->capacity * copies,
                     .y = s->y,
                     .t = &s->t,
                     .first_step = HUGE_VAL,
                     .rate = rh_slopes_rate,
                     .arc = m->nrigid > 0 ? find_arc : NULL,
                     .idle = is_noisy,
                     .project = project_state};
  s->length = m->layout.nfixed;
  s->atol = atol;
  return s->row->open(&s->flow, par, NULL, &s->integrator);
}

static bool has_compliant(const rh_data *d)
{
  for (int k = 0; k < rh_slots_used(d); k++) {
    if (d->slot[k].used != 0 && !rh_slot_rigid(d, k)) {
      return true;
    }
  }
  return false;
}

void rh_slopes_prepare(rh_slopes *s)
{
  s->compliant = has_compliant(s->job.twin->data);
}

bool rh_slopes_advance(rh_slopes *s, double t)
{
  if (s->fresh) {
    s->flow.n = s->length * (1 + s->job.n);
    rh_slopes_prepare(s);
    s->flow.grain = s->precise ? EXACT : (s->compliant ? ROUGH : ROUGHER) * s->atol;
    (void)s->row->restart(s->integrator);
    s->fresh = false;
  }
  rh_status status = RH_OK;
  rh_advance end = RH_ADVANCE_YIELD;
  while (end == RH_ADVANCE_YIELD && s->why == RH_SLOPES_EXIST) {
    end = s->row->advance(s->integrator, t, HUGE_VAL, NULL, &status);
  }
  if (end != RH_ADVANCE_REACHED) {
    return s->why == RH_SLOPES_EXIST ? rh_slopes_fail(s, RH_SLOPES_FAILED) : false;
  }
  s->t = t;
  return true;
}
