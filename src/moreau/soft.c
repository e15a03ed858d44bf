// Compliant contacts beside rigid ones: any normal law F(z, dz/dt), implicit in the step. With u the normal velocity at the end and phi the gap
// at the start, the depth at the end is z = -(phi + h u), and the impulse is p = h F(z, -u) >= 0. The law is taken by its tangent at some velocity a,
//   p = h F(a) + g (a - u),   g = h (dF/d(rate) + h dF/dz),   so   0 <= p  _|_  u + p/g + bias >= 0,   bias = -(a + h F(a)/g):
// a row of the cone problem that gives way, with 1/g on the diagonal of W. First a is the velocity at the start, then what was
// found, until the tangent is the law itself (Newton's method; a linear law needs no second look): the step is implicit Euler's, stable however
// stiff. A gap that closes within the step is passed first: the damper sees what is faster than phi/h, so that nothing pushes before it touches.
// A contact never pulls. Friction is Coulomb's with the law's coefficients: tangential springs and what depends on the slip are left out, as
// are faces whose points feel each other and constants a square metre.
#include "moreau/moreau.h"

#include "geom/pair.h"

#include <string.h>

static const double SOFTEST = 1e4; // of W_nn: what gives way more is a force that is known

enum {
  LOOKS = 10,
  ENOUGH = 2
}; // at the law in a step, at most; then the tolerance of the solver will do

static const double FINE = 1e-3; // of that tolerance

static rh_vec3 vec_at(const double *x)
{
  return rh_v3(x[0], x[1], x[2]);
}

// ---- Rules

static double friction_of(const rh_model_contact *c, const char *name)
{
  int i = rh_row_find(&c->friction->row, name);
  i = i == RH_NONE ? rh_row_find(&c->friction->row, "mu") : i;
  return i == RH_NONE ? 0 : c->friction_par[rh_row_offset(&c->friction->row, i)];
}

static rh_status refuse(const rh_mo *w, int i, const char *what, rh_diag *diag)
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

static bool rubs_otherwise(const rh_model_contact *c)
{
  return strcmp(c->friction->row.name, "none") != 0;
}

// What a scene says that is taken otherwise here, each once: of the first contact that says it
static void note(const rh_mo *w, int i, rh_diag *diag)
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

rh_status rh_mo_soft_rule(rh_mo *w, int i, rh_diag *diag)
{
  const rh_model_contact *c = &w->m->contact[i];
  rh_mo_rule *rule = &w->rule[i];
  if (c->law->face) {
    return refuse(w, i, "no law of whole faces is known: elastic-patch needs another", diag);
  }
  if (c->per == 1) {
    return refuse(w, i, "constants are those of a point, not per: area", diag);
  }
  if (c->impact) {
    return refuse(w, i, "a compliant contact is not struck: leave strike out", diag);
  }
  *rule = (rh_mo_rule){c->law, friction_of(c, "mu_s"), friction_of(c, "mu_k")};
  w->soft = true;
  note(w, i, diag);
  return RH_OK;
}

// ---- Rows

static double force_at(const rh_mo *w, const rh_mo_side *s, double depth, double rate,
                       rh_normal_out *out)
{
  rh_normal_in in = {fmax(depth, RH_SHALLOW), rate, s->radius, w->m->contact[s->rule].par};
  *out = (rh_normal_out){0};
  s->law->force(&in, out);
  return out->spring + out->damper;
}

// The law where the contact ends at u: the force, and g by differences. `u`: no later than where it parts.
static double tangent(const rh_mo *w, const rh_mo_side *s, double u, double *g)
{
  rh_normal_out out;
  double h = s->h;
  double z = fmax(-(s->phi + h * u), RH_SHALLOW);
  double rate = -u - fmax(s->phi, 0) / h;
  double dz = 1e-6 * z;
  double dr = 1e-6 + 1e-4 * fabs(rate);
  double k = force_at(w, s, z + dz, rate, &out) - force_at(w, s, z - dz, rate, &out);
  double d = force_at(w, s, z, rate + dr, &out) - force_at(w, s, z, rate - dr, &out);
  *g = h * (fmax(d, 0) / (2 * dr) + h * fmax(k, 0) / (2 * dz));
  return force_at(w, s, z, rate, &out);
}

static double parting(const rh_mo_side *s)
{
  return -s->phi / s->h;
}

static rh_vec3 velocity_of(const rh_mo *w, int shape, int mobile, rh_vec3 point)
{
  if (mobile > w->nfree) {
    const rh_kin_body *k = &w->d->kin[w->m->shape[shape].body];
    return rh_add(k->v.lin, rh_cross(k->v.ang, rh_sub(point, k->p)));
  }
  const rh_mo_hot *b = &w->hot[mobile];
  return rh_add(vec_at(b->v), rh_cross(vec_at(b->w), rh_sub(point, w->cold[mobile].x)));
}

double rh_mo_soft_first(const rh_mo *w, const rh_mo_touch *t, rh_mo_side *s, double h)
{
  rh_vec3 u = rh_sub(velocity_of(w, t->a, t->ma, t->point), velocity_of(w, t->b, t->mb, t->point));
  double g = 0;
  s->h = h;
  s->radius = rh_pair_radius(&w->geom[t->a], &w->geom[t->b], t->n);
  s->aim = fmin(rh_dot(t->n, u), parting(s));
  s->push = h * tangent(w, s, s->aim, &g);
  return 1 / g;
}

double rh_mo_soft_within(double give, double w)
{
  return fmin(give, SOFTEST * w);
}

void rh_mo_soft_bias(rh_mo_con *c, const rh_mo_side *s)
{
  c->bias = -(s->aim + s->push * c->give);
}

// ---- Looking again

// [m/s] how far the row is from its law at the velocity it has
static double off(const rh_mo *w, const rh_mo_con *c, const rh_mo_side *s, double u)
{
  rh_normal_out out;
  bool shut = u < parting(s);
  double F = shut ? force_at(w, s, -(s->phi + s->h * u), -u - fmax(s->phi, 0) / s->h, &out) : 0;
  return fabs(fmax(s->h * F, 0) - c->p[3]) / (1 / c->give + 1 / (c->w - c->give));
}

static bool look_again(rh_mo *w, const rh_mo_island *s, int look)
{
  double most = 0;
  for (int k = s->con; k < s->con + s->ncon; k++) {
    if (w->side[k].law) {
      const rh_mo_con *c = &w->con[k];
      double u = rh_dot(vec_at(c->n), rh_mo_velocity(w, c));
      most = fmax(most, off(w, c, &w->side[k], u));
    }
  }
  if (most <= (look < ENOUGH ? FINE : 1) * w->par.tolerance) {
    return false;
  }
  for (int k = s->con; k < s->con + s->ncon; k++) {
    rh_mo_side *side = &w->side[k];
    rh_mo_con *c = &w->con[k];
    double g = 0;
    if (side->law) {
      side->aim = fmin(rh_dot(vec_at(c->n), rh_mo_velocity(w, c)), parting(side));
      side->push = side->h * tangent(w, side, side->aim, &g);
      rh_mo_rows_give(w, c, 1 / g);
      rh_mo_soft_bias(c, side);
    }
  }
  return true;
}

void rh_mo_soft_solve(rh_mo *w, const rh_mo_island *s)
{
  for (int look = 0; look < LOOKS && look_again(w, s, look); look++) {
    rh_mo_solve(w, s);
  }
}

// ---- Books

// At the end the spring holds what the law says; a spring that would have to pull gives what it holds to the damper.
void rh_mo_soft_book(rh_mo *w, int k, double u, rh_mo_touch *t)
{
  const rh_mo_side *s = &w->side[k];
  rh_normal_out out;
  double z = -(s->phi + s->h * u);
  t->stored = 0;
  if (z > 0) {
    double F = force_at(w, s, z, -u, &out);
    double took = -s->h * u * (F > 0 ? out.damper : -out.spring);
    t->stored = out.stored;
    *(k < w->room ? &w->side[k].damped : &w->damped[s->rule]) += took;
  }
}

// What overlaps at the start of a run stands for energy.
void rh_mo_soft_begin(rh_mo *w)
{
  for (int k = 0; k < w->ntouch; k++) {
    const rh_mo_touch *t = &w->touch[k];
    if (w->rule[t->rule].law && t->phi < 0) {
      rh_mo_side s = {.law = w->rule[t->rule].law, .rule = t->rule};
      rh_normal_out out;
      s.radius = rh_pair_radius(&w->geom[t->a], &w->geom[t->b], t->n);
      (void)force_at(w, &s, -t->phi, 0, &out);
      w->d->books[0] += out.stored;
    }
  }
}
