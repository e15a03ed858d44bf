// Compliant contacts with rigid ones: any normal law F(z, dz/dt), implicit in the step. p(u) >= 0
// is the impulse of the law over the step as a function of the normal velocity u at the end
// (compliant_impulse.c). It is replaced by its tangent at some velocity a,
//   p = p(a) + g (a - u),   g = -dp/du,   so   0 <= p  _|_  u + p/g + bias >= 0,
//   bias = -(a + p(a)/g):
// a compliant row of the cone problem, with 1/g on the diagonal of W. First a is the velocity at
// the start, then the one found, until the tangent is the law itself (Newton's method; a linear law
// needs no second iteration).
// A contact never pulls. Friction is Coulomb's with the law's coefficients: omitted are tangential
// springs, slip dependence, faces with coupled points, and constants per square metre.
//
// compliant_law.c: the rule of a compliant contact, its tangent as a row, and its energy (compliant.c).
#include "contact_kernels.h"

#include "geometry/pair.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
  LOOKS = 10,  // of the law in a step, at most
  ENOUGH = 2,  // for a large island: then the tolerance of the solver suffices
  SMALL = 1,   // contacts of an island that is solved to
  CLOSELY = 8, // the last digits in this many: they cost nothing
};

static const double FINE[2] = {1e-3, 1e-6}; // of that tolerance: large islands, small ones

// ---- Iteration

// [m/s] distance of the row from its law at the present velocity
static double law_mismatch(const rh_step_worker *worker, const rh_step_row *c,
                           const rh_step_row_info *s, double u)
{
  const rh_step_world *w = worker->world;
  const rh_step_row_general *x = &w->general[c->any];
  double missing = rh_step_mean_impulse_at(worker, s, u).p - c->p[3];
  return fabs(missing) / (1 / x->give + 1 / (x->w - x->give));
}

static void take_tangents(rh_step_worker *worker, const rh_step_island *s)
{
  const rh_step_world *w = worker->world;
  for (int k = s->con; k < s->con + s->ncon; k++) {
    rh_step_row_info *side = &w->info[k];
    rh_step_row *c = &w->row[k];
    if (c->soft) {
      double g = rh_step_compliant_tangent(
          worker, side, rh_dot(rh_step_read_vec(c->n), rh_step_velocity_at(worker, c)));
      rh_step_rows_give(worker, c, 1 / g);
      rh_step_compliant_bias(w, c, side);
    }
  }
}

static bool look_again(rh_step_worker *worker, const rh_step_island *s, int look)
{
  const rh_step_world *w = worker->world;
  double most = 0;
  for (int k = s->con; k < s->con + s->ncon; k++) {
    const rh_step_row *c = &w->row[k];
    if (c->soft) {
      double u = rh_dot(rh_step_read_vec(c->n), rh_step_velocity_at(worker, c));
      most = fmax(most, law_mismatch(worker, c, &w->info[k], u));
    }
  }
  bool small = s->ncon <= SMALL;
  if (most <= (look < (small ? CLOSELY : ENOUGH) ? FINE[small] : 1) * w->par.tolerance) {
    return false;
  }
  take_tangents(worker, s);
  return true;
}

static void find_laws(rh_step_worker *worker, const rh_step_island *s)
{
  for (int look = 0; look < LOOKS && look_again(worker, s, look); look++) {
    rh_step_solve(worker, s);
  }
}

void rh_step_compliant_solve(rh_step_worker *worker, const rh_step_island *s, double h)
{
  find_laws(worker, s);
  if (worker->lean > 0 && !rh_step_mean_impulse_fits(worker, s, h)) {
    worker->lean = 1;
    take_tangents(worker, s);
    rh_step_solve(worker, s);
    find_laws(worker, s);
  }
}

// ---- Ledger

// Overlap at the start of a run stores energy.
void rh_step_compliant_begin(rh_step_world *w)
{
  for (int k = 0; k < w->contacts.n; k++) {
    const rh_found_contact *t = &w->contacts.now[k];
    if (w->laws.rule[t->rule].law && t->phi < 0) {
      w->d->energy_base[0] += rh_step_compliant_stored(w, t);
    }
  }
}
