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
#include "stepping.h"

#include "geometry/pair.h"

#include <string.h>

static const double SOFTEST = 1e4; // of W_nn: a greater compliance is a known force

enum {
  LOOKS = 10,  // of the law in a step, at most
  ENOUGH = 2,  // for a large island: then the tolerance of the solver suffices
  SMALL = 1,   // contacts of an island that is solved to
  CLOSELY = 8, // the last digits in this many: they cost nothing
};

static const double FINE[2] = {1e-3, 1e-6}; // of that tolerance: large islands, small ones

// ---- Rules

static double friction_of(const rh_model_contact *c, const char *name)
{
  int i = rh_row_find(&c->friction->row, name);
  i = i == RH_NONE ? rh_row_find(&c->friction->row, "mu") : i;
  return i == RH_NONE ? 0 : c->friction_par[rh_row_offset(&c->friction->row, i)];
}

static rh_status refuse_rule(const rh_step_world *w, int i, const char *what, rh_diag *diag)
{
  rh_diag_add(diag, RH_ERROR, RH_NOWHERE, "contact '%s': under the stepper moreau %s",
              rh_model_name(w->m, RH_OBJECT_CONTACT, i), what);
  return RH_INPUT_REFUSED;
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
                "contact '%s': under the stepper moreau friction %s is Coulomb's law with its mu: "
                "true stick, no tangential springs, nothing that depends on slip",
                name, c->friction->row.name);
  }
  if (pulls) {
    rh_diag_add(diag, RH_WARNING, RH_NOWHERE,
                "contact '%s': under the stepper moreau no contact pulls; tension is taken as cut",
                name);
  }
}

rh_status rh_step_compliant_rule(rh_step_world *w, int i, rh_diag *diag)
{
  const rh_model_contact *c = &w->m->contact[i];
  rh_step_material *rule = &w->rule[i];
  if (c->law->face) {
    return refuse_rule(w, i, "no law of whole faces is known: elastic-patch needs another", diag);
  }
  if (c->per == 1) {
    return refuse_rule(w, i, "constants are those of a point, not per: area", diag);
  }
  if (c->impact) {
    return refuse_rule(w, i, "a compliant contact is not struck: leave strike out", diag);
  }
  *rule = (rh_step_material){c->law, friction_of(c, "mu_s"), friction_of(c, "mu_k")};
  w->soft = true;
  warn_of_rule(w, i, diag);
  return RH_OK;
}

// ---- Rows

// The law for a contact that ends at u, no later than its separation, and g by a difference
static double law_tangent(const rh_step_world *w, rh_step_row_info *s, double u)
{
  s->aim = fmin(u, rh_step_mean_impulse_parts(w, s));
  rh_step_mean_impulse here = rh_step_mean_impulse_at(w, s, s->aim);
  double du = 1e-6 * (fmax(fabs(here.z), fabs(s->phi)) + RH_TOL_DEPTH) / s->h;
  s->push = here.p;
  return fmax(rh_step_mean_impulse_at(w, s, s->aim - du).p - here.p, 0) / du;
}

double rh_step_compliant_first(const rh_step_world *w, rh_step_row_info *s)
{
  return 1 / law_tangent(w, s, s->un);
}

double rh_step_compliant_within(double give, double w)
{
  return fmin(give, SOFTEST * w);
}

void rh_step_compliant_bias(const rh_step_world *w, rh_step_row *c, const rh_step_row_info *s)
{
  c->bias = -(s->aim + s->push * w->any[c->any].give);
}

// ---- Iteration

// [m/s] distance of the row from its law at the present velocity
static double law_mismatch(const rh_step_world *w, const rh_step_row *c, const rh_step_row_info *s,
                           double u)
{
  const rh_step_row_general *x = &w->any[c->any];
  double missing = rh_step_mean_impulse_at(w, s, u).p - c->p[3];
  return fabs(missing) / (1 / x->give + 1 / (x->w - x->give));
}

static void take_tangents(rh_step_world *w, const rh_step_island *s)
{
  for (int k = s->con; k < s->con + s->ncon; k++) {
    rh_step_row_info *side = &w->side[k];
    rh_step_row *c = &w->con[k];
    if (c->soft) {
      double g = law_tangent(w, side, rh_dot(rh_step_read_vec(c->n), rh_step_velocity_at(w, c)));
      rh_step_rows_give(w, c, 1 / g);
      rh_step_compliant_bias(w, c, side);
    }
  }
}

static bool look_again(rh_step_world *w, const rh_step_island *s, int look)
{
  double most = 0;
  for (int k = s->con; k < s->con + s->ncon; k++) {
    const rh_step_row *c = &w->con[k];
    if (c->soft) {
      double u = rh_dot(rh_step_read_vec(c->n), rh_step_velocity_at(w, c));
      most = fmax(most, law_mismatch(w, c, &w->side[k], u));
    }
  }
  bool small = s->ncon <= SMALL;
  if (most <= (look < (small ? CLOSELY : ENOUGH) ? FINE[small] : 1) * w->par.tolerance) {
    return false;
  }
  take_tangents(w, s);
  return true;
}

static void find_laws(rh_step_world *w, const rh_step_island *s)
{
  for (int look = 0; look < LOOKS && look_again(w, s, look); look++) {
    rh_step_solve(w, s);
  }
}

void rh_step_compliant_solve(rh_step_world *w, const rh_step_island *s, double h)
{
  find_laws(w, s);
  if (w->lean > 0 && !rh_step_mean_impulse_fits(w, s, h)) {
    w->lean = 1;
    take_tangents(w, s);
    rh_step_solve(w, s);
    find_laws(w, s);
  }
}

// ---- Ledger

void rh_step_compliant_ledger(rh_step_world *w, int k, double u, rh_step_contact *t)
{
  const rh_step_row_info *s = &w->side[k];
  rh_step_mean_impulse x = rh_step_mean_impulse_at(w, s, u);
  if (x.z > rh_pair_deep(w->m, t->a, t->b) && !isinf(w->m->shape[t->b].width)) {
    w->pierced = s->rule;
  }
  t->stored = x.z > 0 ? rh_step_law(w, s, x.z, 0).stored : 0;
  rh_step_home(w, k)->damped += x.took;
}

double rh_step_compliant_stored(const rh_step_world *w, const rh_step_contact *t)
{
  rh_step_row_info s = {.law = w->rule[t->rule].law, .rule = t->rule};
  s.radius = rh_pair_radius(&w->geom[t->a], &w->geom[t->b], t->n);
  return rh_step_law(w, &s, -t->phi, 0).stored;
}

// Overlap at the start of a run stores energy.
void rh_step_compliant_begin(rh_step_world *w)
{
  for (int k = 0; k < w->ntouch; k++) {
    const rh_step_contact *t = &w->touch[k];
    if (w->rule[t->rule].law && t->phi < 0) {
      w->d->books[0] += rh_step_compliant_stored(w, t);
    }
  }
}
