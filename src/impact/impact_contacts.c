// Contacts that touch at one instant, for every engine: a single one follows the path of its law, several
// take the formulation of the run.
// e < 0 at a single point, repeated: each event leaves it approaching, the next begins there. The
// slip goes on as it was, so that all of them are the compression of one impact, as with e = 0.
#include "impact.h"

#include <math.h>
#include <string.h>

enum { EVENTS = 200 }; // as in impulse_path.c

static const double SLOW = 1e-6; // of the first approach: no further event

// Each event ends in compression; the last, of what is left, is plastic. Sums in `end`.
static bool solve_events(const rh_impact_law *law, const rh_point_in *in, rh_point_out *end,
                         int *events)
{
  rh_point_in now = *in;
  rh_point_out sum = {.e = (double)NAN};
  bool good = true;
  bool last = false;
  for (*events = 0; !last && good; (*events)++) {
    last = !(now.u[2] < SLOW * in->u[2]) || *events == EVENTS;
    now.e = last ? 0 : in->e;
    good = rh_point_impact(law, &now, end);
    for (int k = 0; k < 3; k++) {
      sum.p[k] += end->p[k];
      now.u[k] = end->u[k];
    }
    sum.Dn += end->Dn;
    sum.Dt += end->Dt;
    sum.gained = sum.gained || end->gained;
  }
  memcpy(sum.u, now.u, sizeof sum.u);
  *end = sum;
  return good;
}

bool rh_impact_solve_one(const rh_many_in *in, double mu_s, double *p, double *u_after,
                         rh_many_out *out)
{
  rh_point_in point = {
      .mu_s = mu_s, .mu_k = in->mu[0], .e = in->e[0], .eta2 = in->eta2 ? in->eta2[0] : 0};
  rh_point_out end;
  memcpy(point.W, in->W, sizeof point.W);
  memcpy(point.u, in->u, sizeof point.u);
  int events = 1;
  bool good = point.e < 0 && in->repeated ? solve_events(in->law, &point, &end, &events)
                                          : rh_point_impact(in->law, &point, &end);
  memcpy(p, end.p, sizeof end.p);
  memcpy(u_after, end.u, sizeof end.u);
  *out = (rh_many_out){
      .Dn = end.Dn, .Dt = end.Dt, .gained = end.gained, .scale = 1, .impacts = events};
  if (in->lost) {
    in->lost[0] = end.Dn;
    in->lost[1] = end.Dt;
  }
  return good;
}

// No worse than none at all: numbers, nothing that still approaches fast, no energy from nowhere
static bool is_sound(const rh_many_in *in, const double *p, const double *u_after)
{
  static const double SLIGHT = 1e-3;

  double speed = 0;
  double gain = 0;
  double work = 0;
  double left = 0;
  for (int r = 0; r < 3 * in->n; r++) {
    speed = fmax(speed, fabs(in->u[r]));
    gain += 0.5 * p[r] * (in->u[r] + u_after[r]);
    work += fabs(p[r] * in->u[r]);
    left = r % 3 == 2 ? fmax(left, -u_after[r]) : left;
  }
  return isfinite(gain) && gain <= SLIGHT * work && left <= SLIGHT * speed;
}

size_t rh_impact_room(const rh_formulation *form, int n)
{
  size_t own = form->room(n);
  size_t smooth = (size_t)n + rh_many_room(n);
  return own > smooth ? own : smooth;
}

// NOLINTNEXTLINE(readability-function-size): the input of a formulation, and friction at rest
bool rh_impact_solve(const rh_model_run *run, const rh_many_in *in, double mu_s, double *scratch,
                     double *p, double *u_after, rh_many_out *out)
{
  const rh_formulation *form = rh_formulation_of(run);
  bool good = in->n == 1 && !form->alone
                  ? rh_impact_solve_one(in, mu_s, p, u_after, out)
                  : form->strike(in, run->multi_impact_par, scratch, p, u_after, out);
  if (!good && !is_sound(in, p, u_after)) { // the plastic one without friction has a solution
    rh_many_in smooth = *in;
    memset(scratch, 0, (size_t)in->n * sizeof *scratch);
    smooth.mu = smooth.e = scratch;
    (void)rh_many_impact(&smooth, scratch + in->n, p, u_after, out);
  }
  return good;
}
