// resolution.c: the rates at which compliant contacts move by themselves, and the longest step that
// resolves them. Along the normal a contact vibrates with sqrt(k w), k [N/m] the slope of its law at
// the depth that the present motion reaches and w [1/kg] the inverse mass that it pushes, and its
// damper d [N s/m] acts at the rate d w. In the contact plane, with slip v and states s of the
// friction law, d/dt (v, s) = (w F, G): the rates are w |dF/dv|, sqrt(w |dF/ds dG/dv|) and |dG/ds|.
#include "simulation.h"

#include "multibody/multibody.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double HALF_TURN = 3.141592653589793;
static const double REL = 1e-6; // of a value: its difference for a slope
static const double FINE =
    0.5; // of the longest step that is tolerated: where one is divided, it is resolved well

// ---- The normal law

// A law with a state is stiffest while that has not moved.
static rh_normal_out law_at(const rh_model_contact *c, double depth, double rate, double radius)
{
  const double state = 0;
  rh_normal_in in = {depth, rate, radius, c->par, &state};
  rh_normal_out out = {0};
  c->law->force(&in, &out);
  return out;
}

// [1/s] at which the state of a normal law settles
static double state_rate(const rh_model_contact *c, double depth, double radius)
{
  double z = fmax(depth, RH_TOL_DEPTH);
  double state[2] = {0, REL * z};
  rh_normal_out out[2] = {{0}};
  for (int i = 0; i < 2 && c->law->nstate > 0; i++) {
    rh_normal_in in = {z, 0, radius, c->par, &state[i]};
    c->law->force(&in, &out[i]);
  }
  return fabs(out[1].ds - out[0].ds) / state[1];
}

// [m] depth at which the spring holds the energy, for which a power law is exact; at least `depth`
static double depth_of_energy(const rh_model_contact *c, double energy, double depth, double radius)
{
  double z = fmax(depth, 1e-4);
  for (int i = 0; i < 3 && energy > 0; i++) {
    rh_normal_out out = law_at(c, z, 0, radius);
    double power = out.stored > 0 ? z * out.spring / out.stored : 0;
    double next = power > 0 ? z * rh_pow(energy / out.stored, 1 / power) : 0;
    if (!(next > 0 && isfinite(next))) {
      return depth;
    }
    z = next;
  }
  return energy > 0 ? fmax(z, depth) : depth;
}

rh_law_slopes rh_law_slopes_at(const rh_model_contact *c, const rh_law_state *x)
{
  double z = fmax(x->depth, RH_TOL_DEPTH);
  double energy = 0.5 * x->rate * x->rate * x->mass + law_at(c, z, 0, x->radius).stored;
  double deep = depth_of_energy(c, energy, z, x->radius);
  const double at[2] = {z, deep};
  const double rate[2] = {x->rate, 0};
  rh_law_slopes found = {.depth = deep};
  for (int i = 0; i < 2; i++) {
    double dz = REL * at[i];
    double dr = 1e-6 + REL * fabs(rate[i]);
    rh_normal_out here = law_at(c, at[i], rate[i], x->radius);
    rh_normal_out deeper = law_at(c, at[i] + dz, rate[i], x->radius);
    rh_normal_out faster = law_at(c, at[i], rate[i] + dr, x->radius);
    double force = here.spring + here.damper;
    found.k = fmax(found.k, fabs(deeper.spring + deeper.damper - force) / dz);
    found.d = fmax(found.d, fabs(faster.spring + faster.damper - force) / dr);
  }
  found.k *= x->share;
  found.d *= x->share;
  return found;
}

// ---- Friction

typedef struct rubbing { // a friction law along the slip
  const rh_model_contact *c;
  rh_friction_in in;
  double s[RH_FRICTION_STATES];
  double dir[2];
} rubbing;

typedef struct rubbed {
  double force, ds; // along the slip
} rubbed;

static rubbed rub_at(const rubbing *r, double slip, double more)
{
  rh_friction_in in = r->in;
  double s[RH_FRICTION_STATES];
  rh_friction_out out = {0};
  for (int i = 0; i < 2; i++) {
    in.slip[i] = slip * r->dir[i];
    s[i] = r->s[i] + more * r->dir[i];
  }
  in.s = s;
  r->c->friction->force(&in, &out);
  return (rubbed){out.force[0] * r->dir[0] + out.force[1] * r->dir[1],
                  out.ds[0] * r->dir[0] + out.ds[1] * r->dir[1]};
}

// Rates of the friction law at a slip
static void friction_rates(const rubbing *r, double slip, double w, rh_contact_rates *found)
{
  double dv = 1e-7 + REL * fabs(slip);
  rubbed here = rub_at(r, slip, 0);
  rubbed faster = rub_at(r, slip + dv, 0);
  found->damping = fmax(found->damping, w * fabs(faster.force - here.force) / dv);
  if (r->c->friction->nstate > 0) {
    double ds = 1e-9 + REL * rh_hypot(r->s[0], r->s[1]);
    rubbed moved = rub_at(r, slip, ds);
    double stiff = w * fabs((moved.force - here.force) * (faster.ds - here.ds)) / (ds * dv);
    found->damping = fmax(found->damping, fmax(sqrt(stiff), fabs(moved.ds - here.ds) / ds));
  }
}

// `dt` [s]: a slip that may end within it has the rates of no slip too.
static void add_friction(const rh_data *d, int slot, double w, double dt, rh_contact_rates *found)
{
  const rh_contact *c = &d->contact[slot];
  const rh_model_contact *laws = &d->model->contact[c->rule];
  double slip = rh_hypot(c->slip[0], c->slip[1]);
  double share = laws->per == 1 ? c->area : 1;
  if (laws->friction->force == NULL || laws->friction->absent || !(share > 0)) {
    return;
  }
  rubbing r = {.c = laws,
               .in = {.depth = fmax(c->depth, RH_TOL_DEPTH),
                      .rate = c->rate,
                      .normal = fmax(c->normal, 0) / share,
                      .par = laws->friction_par},
               .dir = {1, 0}};
  rh_vec3 u = rh_v3(d->s[(size_t)slot * RH_SLOT_STATES], d->s[(size_t)slot * RH_SLOT_STATES + 1],
                    d->s[(size_t)slot * RH_SLOT_STATES + 2]);
  r.s[0] = rh_dot(c->t1, u);
  r.s[1] = rh_dot(c->t2, u);
  if (slip > 0) {
    r.dir[0] = c->slip[0] / slip;
    r.dir[1] = c->slip[1] / slip;
  }
  friction_rates(&r, slip, w * share, found);
  if (slip < 2 * dt * w * rh_hypot(c->friction[0], c->friction[1])) {
    friction_rates(&r, 0, w * share, found);
  }
}

// ---- Inverse masses

// x . I^-1 x; an inertia without volume (of a point, of a rod along its axis) has no such response.
static double inverse_form(const rh_sym3 *I, rh_vec3 x)
{
  rh_vec3 c0 = {I->yy * I->zz - I->yz * I->yz, I->xz * I->yz - I->xy * I->zz,
                I->xy * I->yz - I->xz * I->yy};
  rh_vec3 c1 = {c0.y, I->xx * I->zz - I->xz * I->xz, I->xy * I->xz - I->xx * I->yz};
  rh_vec3 c2 = {c0.z, c1.z, I->xx * I->yy - I->xy * I->xy};
  double det = I->xx * c0.x + I->xy * c0.y + I->xz * c0.z;
  double sum = rh_dot(x, rh_v3(rh_dot(c0, x), rh_dot(c1, x), rh_dot(c2, x)));
  return det > 0 ? fmax(sum / det, 0) : 0;
}

double rh_body_inverse_mass(const rh_data *d, int body, rh_vec3 point, rh_vec3 n)
{
  const rh_kin_body *k = &d->kin[body];
  double m = k->I.mass;
  if (d->model->body[body].tree == 0 || !(m > 0)) {
    return 0;
  }
  rh_vec3 com = rh_scale(1 / m, k->I.h);
  rh_inertia central = rh_inertia_shift_back(&k->I, rh_neg(com));
  rh_vec3 arm = rh_cross(rh_sub(point, rh_add(k->p, com)), n);
  return 1 / m + inverse_form(&central.I, arm);
}

// [1/kg] along n at the contact, with all joints; scratch: d->dyn.scratch. [forward_dynamics]
static double inverse_mass(rh_data *d, const rh_contact *c, rh_vec3 n)
{
  int nv = d->model->nv;
  double *J = d->dyn.scratch;
  double *p = J + 3 * (size_t)nv;
  memset(p, 0, (size_t)nv * sizeof *p);
  for (int side = 0; side < 2; side++) {
    int body = side == 0 ? c->a : c->b;
    if (d->model->body[body].tree == 0) {
      continue;
    }
    const rh_kin_body *k = &d->kin[body];
    rh_point_jacobian(d, body, rh_unrotate(&k->R, rh_sub(c->point, k->p)), J);
    for (int i = 0; i < nv; i++) {
      double x = n.x * J[i] + n.y * J[nv + i] + n.z * J[2 * nv + i];
      p[i] += side == 0 ? x : -x;
    }
  }
  memcpy(J, p, (size_t)nv * sizeof *p);
  rh_impulse_response(d, p, p);
  double sum = 0;
  for (int i = 0; i < nv; i++) {
    sum += J[i] * p[i];
  }
  return sum;
}

double rh_contact_swing(rh_data *d, int slot, double speed)
{
  const rh_contact *c = &d->contact[slot];
  const rh_model_contact *laws = &d->model->contact[c->rule];
  double w = inverse_mass(d, c, c->n);
  rh_law_state x = {0, speed, c->radius, 1 / w, laws->per == 1 ? c->area : 1};
  x.depth = rh_law_slopes_at(laws, &x).depth; // dampers of some laws have no slope where they touch
  x.rate = 0;
  return w > 0 ? HALF_TURN / sqrt(rh_law_slopes_at(laws, &x).k * w) : HUGE_VAL;
}

// ---- The world

static rh_contact_rates slot_rates(rh_data *d, int slot, double dt)
{
  const rh_contact *c = &d->contact[slot];
  const rh_model_contact *laws = &d->model->contact[c->rule];
  double w = inverse_mass(d, c, c->n);
  rh_contact_rates found = {0};
  if (!(w > 0)) {
    return found;
  }
  rh_law_state x = {.depth = c->depth,
                    .rate = c->rate,
                    .radius = c->radius,
                    .mass = 1 / w,
                    .share = laws->per == 1 ? c->area : 1};
  rh_law_slopes slopes = rh_law_slopes_at(laws, &x);
  found.frequency2 = slopes.k * w;
  found.damping = fmax(slopes.d * w, state_rate(laws, c->depth, c->radius));
  rh_vec3 t = c->t1;
  double slip = rh_hypot(c->slip[0], c->slip[1]);
  if (slip > 0) {
    t = rh_addscaled(rh_scale(c->slip[0] / slip, c->t1), c->slip[1] / slip, c->t2);
  }
  add_friction(d, slot, inverse_mass(d, c, t), dt, &found);
  return found;
}

// Contacts that share a moving body are added: the sum bounds the rates of the coupled system.
static rh_contact_rates coupled_rates(const rh_data *d, int slot, const rh_contact_rates *each)
{
  const rh_contact *c = &d->contact[slot];
  rh_contact_rates sum = {0};
  for (int k = 0; k < d->ncontact; k++) {
    const rh_contact *o = &d->contact[k];
    bool shares = (d->model->body[c->a].tree != 0 && (o->a == c->a || o->b == c->a)) ||
                  (d->model->body[c->b].tree != 0 && (o->a == c->b || o->b == c->b));
    if (o->on && shares) {
      sum.frequency2 += each[k].frequency2;
      sum.damping += each[k].damping;
    }
  }
  return sum;
}

double rh_contacts_longest_step(rh_data *d, const rh_resolution *r, double dt, int *slot)
{
  double longest = HUGE_VAL;
  for (int k = 0; k < d->ncontact; k++) {
    bool soft = d->contact[k].on && !rh_slot_rigid(d, k);
    r->each[k] = soft ? slot_rates(d, k, dt) : (rh_contact_rates){0};
  }
  for (int k = 0; k < d->ncontact; k++) {
    rh_contact_rates x = coupled_rates(d, k, r->each);
    double by_spring = 2 * HALF_TURN / (r->per_period * sqrt(x.frequency2));
    double by_damper = r->stable / x.damping;
    double step = fmin(by_spring, by_damper);
    if (d->contact[k].on && step < longest) {
      longest = step;
      *slot = k;
    }
  }
  return longest >= dt ? HUGE_VAL : FINE * longest;
}

rh_event rh_unresolved_event(const rh_sim *sim, int contact, double needed, double taken)
{
  rh_event e = rh_sim_event(sim, RH_EVENT_UNRESOLVED,
                            rh_model_name(sim->model, RH_OBJECT_CONTACT, contact), RH_NONE);
  snprintf(e.note, sizeof e.note,
           "steps of %.2g s resolve it, not one of %.2g s; take dt %.1g s, run.unresolved: refine, "
           "or %s",
           needed, taken, rh_advised_value(needed),
           sim->model->run.integrator != NULL ? "integrator cvode" : "engine event");
  return e;
}
