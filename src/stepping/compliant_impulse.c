// A compliant law over a step. The depth goes from z0 = -phi to z1 = z0 - h u_s, u_s = (1 - s) u0 +
// s u1 the velocity that moves the bodies, with s [1] the share of the end, the same for a whole
// island. With b = 2 s - 1 the impulse is
//   p = h (1 - b) mean F(z, -u_s) over z0 .. z1  +  h b F(z1, -u_s - max(phi, 0)/h)  >= 0.
// The mean of the spring is the difference of its stored energy over z1 - z0. Since T1 - T0 = sum
// of impulses times (v0 + v1)/2, energy changes by
//   -(s - 1/2) |v1 - v0|_H^2 - b (F_spring(z1) (z1 - z0) - (U1 - U0)) - loss of dampers:
// no term is positive where the spring hardens with depth. s = 1/2 is of the second order and loses
// only the loss of dampers; s = 1 is implicit Euler's method, which damps what it cannot resolve.
// For a linear law it is the method of that name with parameter s: with X = h (d + h k) w, w [1/kg]
// the inverse mass that it pushes, no velocity changes its sign by itself where (1 - s) X <= 1. So
// s = 1/2 where X <= 2, then 1 - 1/X. X is the sum over the contacts of a body, the largest of the
// island.
// Rigid contacts separate bodies that move by u1: s < 1 requires that they last or stay open. Loops,
// and trees at a limit or with stiff joints, have s = 1.
#include "contact_kernels.h"

#include "geometry/pair.h"

static const double STIFF = 100; // X above which s = 1
static const double ALIKE =
    1e-2; // depths that differ by less have the same mean by Gauss's rule, to rounding

// ---- The law

rh_normal_out rh_step_law(const rh_step_world *w, const rh_step_row_info *s, double depth,
                          double rate)
{
  rh_normal_in in = {fmax(depth, 0), rate, s->radius, w->m->contact[s->rule].par, NULL};
  rh_normal_out out = {0};
  w->laws.rule[s->rule].law->force(&in, &out);
  out.damper = fmax(out.damper, -out.spring); // no contact pulls
  return out;
}

// Mean of spring and damper over the part of z0 .. z1 that is below the surface
static rh_normal_out mean_force(const rh_step_world *w, const rh_step_row_info *s, double z0,
                                double z1)
{
  static const double at[3] = {0.5 - 0.38729833462074168852, 0.5, 0.5 + 0.38729833462074168852};
  static const double weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
  double a = fmax(z0, 0);
  double b = fmax(z1, 0);
  double rate = (z1 - z0) / s->h;
  rh_normal_out sum = {0};
  for (int i = 0; i < 3; i++) {
    rh_normal_out out = rh_step_law(w, s, a + at[i] * (b - a), rate);
    sum.spring += weight[i] * out.spring;
    sum.damper += weight[i] * out.damper;
  }
  if (fabs(b - a) > ALIKE * (a + b)) {
    double stored = b > 0 ? rh_step_law(w, s, b, 0).stored : 0;
    stored -= a > 0 ? rh_step_law(w, s, a, 0).stored : 0;
    sum.spring = stored / (b - a);
    sum.damper = fmax(sum.damper, -sum.spring);
  }
  double part = z0 > 0 && z1 > 0 ? 1 : (b - a) / (z1 - z0);
  sum.spring *= part;
  sum.damper *= part;
  return sum;
}

rh_step_mean_impulse rh_step_mean_impulse_at(const rh_step_worker *worker,
                                             const rh_step_row_info *s, double u)
{
  const rh_step_world *w = worker->world;
  double back = 2 * worker->lean - 1;
  double moved = (1 - worker->lean) * s->un + worker->lean * u;
  rh_step_mean_impulse x = {.z = -s->phi - s->h * moved};
  if (x.z <= 0 && s->phi >= 0) {
    return x;
  }
  rh_normal_out out = {0};
  if (back < 1) {
    rh_normal_out part = mean_force(w, s, -s->phi, x.z);
    out.spring += (1 - back) * part.spring;
    out.damper += (1 - back) * part.damper;
  }
  if (back > 0 && x.z > 0) {
    rh_normal_out last = rh_step_law(w, s, x.z, -moved - fmax(s->phi, 0) / s->h);
    out.spring += back * last.spring;
    out.damper += back * last.damper;
  }
  x.p = s->h * fmax(out.spring + out.damper, 0);
  x.took = -s->h * moved * out.damper;
  return x;
}

// A pressed contact that ends separated has pushed on the way.
double rh_step_mean_impulse_parts(const rh_step_worker *worker, const rh_step_row_info *s)
{
  if (s->phi < 0 && worker->lean < 1) {
    return HUGE_VAL;
  }
  return (-s->phi / s->h - (1 - worker->lean) * s->un) / worker->lean;
}

// ---- The share of the end

static rh_vec3 velocity_of(const rh_step_world *w, int shape, int mobile, rh_vec3 point)
{
  if (mobile > w->nfree) {
    const rh_kin_body *k = &w->d->kin[w->m->shape[shape].body];
    return rh_add(k->v.lin, rh_cross(k->v.ang, rh_sub(point, k->p)));
  }
  const rh_step_velocity *b = &w->velocity[mobile];
  return rh_add(rh_step_read_vec(b->v),
                rh_cross(rh_step_read_vec(b->w), rh_sub(point, w->body[mobile].x)));
}

static double approach_velocity(const rh_step_world *w, const rh_found_contact *t)
{
  rh_vec3 u = rh_sub(velocity_of(w, t->a, t->ma, t->point), velocity_of(w, t->b, t->mb, t->point));
  return rh_dot(t->n, u);
}

// [1/kg] of a free body along n
static double inverse_mass_along(const rh_step_world *w, const rh_found_contact *t, int mobile)
{
  const rh_step_velocity *b = &w->velocity[mobile];
  rh_vec3 m = rh_cross(rh_sub(t->point, w->body[mobile].x), t->n);
  const double *J = b->J;
  return b->im + J[0] * m.x * m.x + J[1] * m.y * m.y + J[2] * m.z * m.z +
         2 * (J[3] * m.x * m.y + J[4] * m.x * m.z + J[5] * m.y * m.z);
}

static double inverse_mass_at(const rh_step_world *w, const rh_found_contact *t, int shape,
                              int mobile)
{
  if (mobile == 0) {
    return 0;
  }
  return mobile > w->nfree ? rh_body_inverse_mass(w->d, w->m->shape[shape].body, t->point, t->n)
                           : inverse_mass_along(w, t, mobile);
}

// [m/s^2] acceleration by a body's spin of its centre of curvature at the contact, along n; `side`:
// 1 of a, -1 of b
static double turning_acceleration(const rh_step_world *w, const rh_found_contact *t, int mobile,
                                   double side)
{
  double k = rh_geom_curvature(&w->search->geom[side > 0 ? t->a : t->b], t->n);
  rh_vec3 r = rh_sub(t->point, w->body[mobile].x);
  rh_vec3 spin = rh_step_read_vec(w->velocity[mobile].w);
  r = k > 0 ? rh_addscaled(r, side / k, t->n) : r;
  return side * rh_dot(t->n, rh_cross(spin, rh_cross(spin, r)));
}

// [m/s^2] d/dt n . u where the normal turns with a flat face of the body, and not with its centre of
// curvature
static double face_turning(const rh_step_world *w, const rh_found_contact *t, int mobile, int shape,
                           rh_vec3 u)
{
  bool flat = !(rh_geom_curvature(&w->search->geom[shape], t->n) > 0);
  rh_vec3 spin = rh_step_read_vec(w->velocity[mobile].w);
  return flat ? 2 * rh_dot(rh_cross(spin, t->n), u) : 0;
}

// [m/s^2] at which a gap closes without any velocity. The normal turns with the face, which may be
// either's.
static double unseen_closing(const rh_step_world *w, const rh_found_contact *t)
{
  double sum = turning_acceleration(w, t, t->ma, 1) + turning_acceleration(w, t, t->mb, -1);
  if (rh_shape_bounded(w->search->geom[t->b].kind)) {
    rh_vec3 u =
        rh_sub(velocity_of(w, t->a, t->ma, t->point), velocity_of(w, t->b, t->mb, t->point));
    double with_a = face_turning(w, t, t->ma, t->a, u);
    double with_b = face_turning(w, t, t->mb, t->b, u);
    sum += fmin(fmin(with_a, with_b), 0);
  }
  return fmax(-sum, 0);
}

// X of a contact, in the future or now
static double contact_stiffness(const rh_step_world *w, const rh_found_contact *t,
                                const rh_step_row_info *s, double *turned)
{
  double rate = fmax(-s->un, 0);
  double z = s->h * rate - s->phi;
  if (z <= 0) {
    return 0;
  }
  double dz = 1e-6 * z;
  double dr = 1e-6 + 1e-4 * rate;
  rh_normal_out here = rh_step_law(w, s, z, rate);
  rh_normal_out deeper = rh_step_law(w, s, z + dz, rate);
  rh_normal_out faster = rh_step_law(w, s, z, rate + dr);
  double F = here.spring + here.damper;
  double k = fmax(deeper.spring + deeper.damper - F, 0) / dz;
  double d = fmax(faster.spring + faster.damper - F, 0) / dr;
  double light = inverse_mass_at(w, t, t->a, t->ma) + inverse_mass_at(w, t, t->b, t->mb);
  if (t->ma > w->nfree || t->mb > w->nfree) {
    return s->h * (d + s->h * k) * light;
  }
  double pushed = 0.5 * rh_step_law(w, s, z, 0).spring * light;
  *turned = fmax(*turned, fmin(0.5 * unseen_closing(w, t) / pushed, 0.5));
  return s->h * (d + s->h * k) * light;
}

// [m] a contact whose gap changes by at most this in a step lasts: the solver's error
static double lasting_gap(const rh_step_world *w, double h)
{
  return 1e-10 + h * w->par.tolerance;
}

// May a rigid contact move by a mean velocity? It lasts, or stays open.
static bool contact_lasts(const rh_step_world *w, const rh_found_contact *t, double h)
{
  double u = approach_velocity(w, t);
  double fall = h * h * rh_norm(w->m->gravity);
  return fabs(0.5 * h * u) <= lasting_gap(w, h) || t->phi > 2 * (h * fabs(u) + fall);
}

static double share_of(double X)
{
  return X <= 2 ? 0.5 : X < STIFF ? 1 - 1 / X : 1;
}

// Data of compliant contacts needed before the rows, and X of each body; returns their number.
static int begin_compliant(const rh_step_world *w, const rh_step_island *s,
                           const rh_found_contact *touch, double h, double *turned)
{
  int n = 0;
  for (int k = s->con; k < s->con + s->ncon; k++) {
    const rh_found_contact *t = &touch[w->order[k]];
    rh_step_row_info *side = &w->info[k];
    if (!w->laws.rule[t->rule].law) {
      continue;
    }
    side->rule = t->rule;
    side->phi = t->phi;
    side->h = h;
    side->radius = rh_pair_radius(&w->search->geom[t->a], &w->search->geom[t->b], t->n);
    side->un = approach_velocity(w, t);
    n++;
    double X = contact_stiffness(w, t, side, turned);
    const int mobile[2] = {t->ma, t->mb};
    for (int i = 0; i < 2; i++) {
      if (mobile[i] != 0) {
        w->body[mobile[i]].held += X;
        w->body[mobile[i]].near = true;
      }
    }
  }
  return n;
}

// A tree moves by a mean velocity where no stiff joint and no limit needs that of the end.
static bool may_ease(const rh_step_world *w, int mobile, double h)
{
  int tree = mobile - w->nfree - 1;
  return tree < 0 || !(w->trees.tree[tree].stiff || rh_step_limits_near(w, mobile, h));
}

void rh_step_mean_impulse_begin(rh_step_worker *worker, const rh_step_island *s,
                                const rh_found_contact *touch, double h)
{
  const rh_step_world *w = worker->world;
  bool free = s->nloop == 0;
  double most = 0;
  double turned = 0;
  for (int i = s->mob; i < s->mob + s->nmob; i++) {
    w->body[w->member[i]].held = 0;
    w->body[w->member[i]].near = false;
    free = free && may_ease(w, w->member[i], h);
  }
  worker->lean = 0;
  if (begin_compliant(w, s, touch, h, &turned) == 0) {
    return;
  }
  for (int k = s->con; free && k < s->con + s->ncon; k++) {
    const rh_found_contact *t = &touch[w->order[k]];
    free = w->laws.rule[t->rule].law || contact_lasts(w, t, h);
  }
  for (int i = s->mob; i < s->mob + s->nmob; i++) {
    most = fmax(most, w->body[w->member[i]].held);
  }
  worker->lean = free ? fmax(share_of(most), 0.5 + turned) : 1;
}

bool rh_step_mean_impulse_fits(const rh_step_worker *worker, const rh_step_island *s, double h)
{
  const rh_step_world *w = worker->world;
  for (int k = s->con; worker->lean < 1 && k < s->con + s->ncon; k++) {
    const rh_step_row *c = &w->row[k];
    const rh_step_row_info *side = &w->info[k];
    if (!c->soft) {
      double u = rh_dot(rh_step_read_vec(c->n), rh_step_velocity_at(worker, c));
      double closing = -h * ((1 - worker->lean) * side->un + worker->lean * u);
      double room = c->p[3] == 0 && side->phi > 0 ? side->phi : 0;
      double slack = lasting_gap(w, h);
      if (closing > room + slack || (c->p[3] > 0 && closing < -slack)) {
        return false;
      }
    }
  }
  return true;
}

// ---- Steps that resolve the contacts

// X, of a contact times their number at a body, up to which a step resolves them, and to which one
// that does not is divided
static const double TOLERATED = 0.8;
static const double RESOLVED = 0.1;

enum { HALVINGS = 12 }; // of a step, at most

typedef struct vibration { // of a compliant contact that moves
  double k, d;             // [1/s^2], [1/s] stiffness and damping over the mass
} vibration;

// A contact that rests, or moves more slowly than gravity makes it in a step, loses nothing. A
// spring that has just been pressed in moves on, though its speed may be zero now.
static bool contact_vibrates(const rh_step_world *w, const rh_found_contact *t, double h,
                             vibration *x)
{
  const rh_model_contact *c = &w->m->contact[t->rule];
  double u = approach_velocity(w, t);
  double light = inverse_mass_at(w, t, t->a, t->ma) + inverse_mass_at(w, t, t->b, t->mb);
  if (h * fmax(-u, 0) - t->phi <= 0 || !(light > 0)) {
    return false;
  }
  double radius = rh_pair_radius(&w->search->geom[t->a], &w->search->geom[t->b], t->n);
  rh_law_state state = {fmax(-t->phi, 0), -u, radius, 1 / light, 1};
  rh_law_slopes slopes = rh_law_slopes_at(c, &state);
  *x = (vibration){slopes.k * light, slopes.d * light};
  double speed = u * u;
  bool carries = rh_dot(t->f, t->f) > 0;
  if (t->phi < 0 && x->k > 0 && (!carries || (*w->d->t - t->since) * sqrt(x->k) < 7)) {
    rh_step_row_info s = {.rule = t->rule, .radius = radius};
    double a = rh_step_law(w, &s, -t->phi, 0).spring * light;
    speed += a * a / x->k;
  }
  double slow = fmax(w->m->run.rest_speed, w->par.dt * rh_norm(w->m->gravity));
  return speed > slow * slow;
}

// Number of contacts at the bodies of this one: those of a body are in one problem.
static double contacts_together(const rh_step_world *w, int k)
{
  const rh_found_contact *t = &w->contacts.now[k];
  int n = 0;
  for (int i = k; i >= 0 && w->contacts.now[i].a == t->a && w->contacts.now[i].b == t->b; i--) {
    n++;
  }
  for (int i = k + 1;
       i < w->contacts.n && w->contacts.now[i].a == t->a && w->contacts.now[i].b == t->b; i++) {
    n++;
  }
  return n;
}

double rh_step_resolved(rh_step_world *w, double left, int *contact)
{
  double h = w->par.dt; // parts are halves of it, and halves of these
  double needed = h;
  for (int k = 0; k < w->contacts.n; k++) {
    const rh_found_contact *t = &w->contacts.now[k];
    vibration x;
    bool asleep =
        (t->ma == 0 || rh_step_asleep(w, t->ma)) && (t->mb == 0 || rh_step_asleep(w, t->mb));
    if (!w->laws.rule[t->rule].law || asleep || !contact_vibrates(w, t, left, &x)) {
      continue;
    }
    double n = contacts_together(w, k);
    if (n * h * (x.d + h * x.k) <= TOLERATED) {
      continue;
    }
    double step = h;
    for (int i = 0; i < HALVINGS && n * step * (x.d + step * x.k) > RESOLVED; i++) {
      step *= 0.5;
    }
    *contact = step < needed ? k : *contact;
    needed = fmin(needed, step);
  }
  return needed;
}

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
                "true stick, no tangential springs, no dependence on slip",
                name, c->friction->row.name);
  }
  if (pulls) {
    rh_diag_add(
        diag, RH_WARNING, RH_NOWHERE,
        "contact '%s': under the engine stepping no contact pulls; its tension is set to zero",
        name);
  }
}

void rh_step_compliant_rule(rh_step_world *w, int i, rh_diag *diag)
{
  const rh_model_contact *c = &w->m->contact[i];
  rh_step_material *rule = &w->laws.rule[i];
  *rule = (rh_step_material){
      .law = c->law, .mu_s = friction_of(c, "mu_s"), .mu = friction_of(c, "mu_k")};
  rule->steady = rule->mu_s == rule->mu; // it has no impacts
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

void rh_step_compliant_ledger(rh_step_worker *worker, int k, double u, rh_found_contact *t)
{
  const rh_step_world *w = worker->world;
  const rh_step_row_info *s = &w->info[k];
  rh_step_mean_impulse x = rh_step_mean_impulse_at(worker, s, u);
  if (x.z > rh_pair_deep(w->m, t->a, t->b) && !isinf(w->m->shape[t->b].width)) {
    worker->result.pierced = (rh_passed_pair){s->rule, {t->a, t->b}, x.z};
  }
  t->stored = x.z > 0 ? rh_step_law(w, s, x.z, 0).stored : 0;
  rh_step_home(worker, k)->damped += x.took;
}

double rh_step_compliant_stored(const rh_step_world *w, const rh_found_contact *t)
{
  rh_step_row_info s = {.rule = t->rule};
  s.radius = rh_pair_radius(&w->search->geom[t->a], &w->search->geom[t->b], t->n);
  return rh_step_law(w, &s, -t->phi, 0).stored;
}
