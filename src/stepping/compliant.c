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
#include "compliant.h"
#include "stepping.h"

#include "geometry/pair.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- Laws

static const double SOFTEST = 1e4; // of W_nn: a greater compliance is a known force

// ---- Rules

static double friction_of(const rh_model_contact *c, const char *name)
{
  int i = rh_row_find(&c->friction->row, name);
  i = i == RH_NONE ? rh_row_find(&c->friction->row, "mu") : i;
  return i == RH_NONE ? 0 : c->friction_par[rh_row_offset(&c->friction->row, i)];
}

static bool keeps_tension(const rh_model_contact *c)
{
  int tension = rh_row_find(&c->law->row, "tension");
  return tension != RH_NONE && c->par[rh_row_offset(&c->law->row, tension)] == 0;
}

// A law without a force of its own (dry) is Coulomb's anyway.
static bool rubs_otherwise(const rh_model_contact *c)
{
  return c->friction->force != NULL && !c->friction->absent;
}

// Warns once, at the first contact concerned, of settings that are treated differently here
static void warn_of_rule(const rh_step_world *w, int i, rh_diag *diag)
{
  const rh_model_contact *c = &w->m->contact[i];
  const char *name = rh_model_name(w->m, RH_OBJECT_CONTACT, i);
  bool rubs = rubs_otherwise(c);
  bool pulls = keeps_tension(c);
  for (int k = 0; k < i; k++) {
    const rh_model_contact *before = &w->m->contact[k];
    rubs = rubs && !(before->law && before->friction == c->friction);
    pulls = pulls && !(before->law && keeps_tension(before));
  }
  if (rubs) {
    rh_diag_add(diag, RH_WARNING, RH_NOWHERE,
                "contact '%s': under the engine stepping friction %s is Coulomb's law with its mu: "
                "true stick, no tangential springs, nothing that depends on slip",
                name, c->friction->row.name);
  }
  if (pulls) {
    rh_diag_add(diag, RH_WARNING, RH_NOWHERE,
                "contact '%s': under the engine stepping no contact pulls; tension is taken as cut",
                name);
  }
}

void rh_step_compliant_rule(rh_step_world *w, int i, rh_diag *diag)
{
  const rh_model_contact *c = &w->m->contact[i];
  rh_step_material *rule = &w->laws.rule[i];
  *rule = (rh_step_material){c->law, friction_of(c, "mu_s"), friction_of(c, "mu_k")};
  w->laws.compliant = true;
  warn_of_rule(w, i, diag);
}

// ---- Rows

// The law for a contact that ends at u, no later than its separation, and g by a difference
double rh_step_compliant_tangent(const rh_step_worker *worker, rh_step_row_info *s, double u)
{
  s->aim = fmin(u, rh_step_mean_impulse_parts(worker, s));
  rh_step_mean_impulse here = rh_step_mean_impulse_at(worker, s, s->aim);
  double du = 1e-6 * (fmax(fabs(here.z), fabs(s->phi)) + RH_TOL_DEPTH) / s->h;
  s->push = here.p;
  return fmax(rh_step_mean_impulse_at(worker, s, s->aim - du).p - here.p, 0) / du;
}

double rh_step_compliant_first(const rh_step_worker *worker, rh_step_row_info *s)
{
  return 1 / rh_step_compliant_tangent(worker, s, s->un);
}

double rh_step_compliant_within(double give, double w)
{
  return fmin(give, SOFTEST * w);
}

void rh_step_compliant_bias(const rh_step_world *w, rh_step_row *c, const rh_step_row_info *s)
{
  c->bias = -(s->aim + s->push * w->general[c->any].give);
}

// ---- Ledger

void rh_step_compliant_ledger(rh_step_worker *worker, int k, double u, rh_step_contact *t)
{
  const rh_step_world *w = worker->world;
  const rh_step_row_info *s = &w->info[k];
  rh_step_mean_impulse x = rh_step_mean_impulse_at(worker, s, u);
  if (x.z > rh_pair_deep(w->m, t->a, t->b) && !isinf(w->m->shape[t->b].width)) {
    worker->result.pierced = s->rule;
  }
  t->stored = x.z > 0 ? rh_step_law(w, s, x.z, 0).stored : 0;
  rh_step_home(worker, k)->damped += x.took;
}

double rh_step_compliant_stored(const rh_step_world *w, const rh_step_contact *t)
{
  rh_step_row_info s = {.law = w->laws.rule[t->rule].law, .rule = t->rule};
  s.radius = rh_pair_radius(&w->search->geom[t->a], &w->search->geom[t->b], t->n);
  return rh_step_law(w, &s, -t->phi, 0).stored;
}

// ---- Steps

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
    const rh_step_contact *t = &w->contacts.now[k];
    if (w->laws.rule[t->rule].law && t->phi < 0) {
      w->d->energy_base[0] += rh_step_compliant_stored(w, t);
    }
  }
}
