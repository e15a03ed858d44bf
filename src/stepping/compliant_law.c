// compliant_law.c: the rule of a compliant contact, its tangent as a row, and its energy (compliant.c).
#include "compliant.h"
#include "stepping.h"

#include "geometry/pair.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
  rh_step_material *rule = &w->rule[i];
  *rule = (rh_step_material){c->law, friction_of(c, "mu_s"), friction_of(c, "mu_k")};
  w->soft = true;
  warn_of_rule(w, i, diag);
}

// ---- Rows

// The law for a contact that ends at u, no later than its separation, and g by a difference
double rh_step_compliant_tangent(const rh_step_world *w, rh_step_row_info *s, double u)
{
  s->aim = fmin(u, rh_step_mean_impulse_parts(w, s));
  rh_step_mean_impulse here = rh_step_mean_impulse_at(w, s, s->aim);
  double du = 1e-6 * (fmax(fabs(here.z), fabs(s->phi)) + RH_TOL_DEPTH) / s->h;
  s->push = here.p;
  return fmax(rh_step_mean_impulse_at(w, s, s->aim - du).p - here.p, 0) / du;
}

double rh_step_compliant_first(const rh_step_world *w, rh_step_row_info *s)
{
  return 1 / rh_step_compliant_tangent(w, s, s->un);
}

double rh_step_compliant_within(double give, double w)
{
  return fmin(give, SOFTEST * w);
}

void rh_step_compliant_bias(const rh_step_world *w, rh_step_row *c, const rh_step_row_info *s)
{
  c->bias = -(s->aim + s->push * w->any[c->any].give);
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
