// The frame of a contact and its inertia W = J H^-1 J' [1/kg] in it. The tangents are turned so that the
// rest of W along them when the normal yields, W_tt - W_tn W_nt/W_nn, is diagonal: then sticking is two
// divisions, and the slip a root in one variable (general_visit.c). Between free bodies the spins that unit
// impulses give are kept: a visit needs them.
#include "stepping/contact_kernels.h"

#include "math/tangents.h"

static const double SLIGHT = 1e-13; // rounding of a product of a few numbers
// Of W_nn: joints let the point move along a tangent only as it moves along the normal, as of an arm on the world. What is closed
// stands then, and friction, which could share its load in many ways, has no part in it.
static const double TIED = 1e-9;

// ---- With trees

// W y for a direction y: both bodies, and the part of trees
KERNEL_INLINE rh_vec3 velocity_response(const rh_step_world *w, const rh_step_row *c,
                                        const rh_sym3 *tree, rh_vec3 y)
{
  if (c->a == 0 && c->b == 0) {
    return rh_sym3_mul(tree, y);
  }
  const rh_step_velocity *a = &w->velocity[c->a];
  const rh_step_velocity *b = &w->velocity[c->b];
  rh_vec3 ra = rh_step_read_vec(w->general[c->any].ra);
  rh_vec3 rb = rh_step_read_vec(w->general[c->any].rb);
  rh_vec3 x = rh_scale(a->im + b->im, y);
  x = rh_add(x, rh_cross(rh_step_apply_inverse_inertia(a, rh_cross(ra, y)), ra));
  x = rh_add(x, rh_cross(rh_step_apply_inverse_inertia(b, rh_cross(rb, y)), rb));
  return rh_add(x, rh_sym3_mul(tree, y));
}

void rh_step_frame_tree(const rh_step_world *w, rh_step_row *c, const rh_sym3 *tree, rh_vec3 n)
{
  rh_step_row_general *any = &w->general[c->any];
  rh_vec3 t1;
  rh_vec3 t2;
  rh_tangents_of(n, &t1, &t2);
  rh_vec3 Wn = velocity_response(w, c, tree, n);
  rh_vec3 W1 = velocity_response(w, c, tree, t1);
  rh_vec3 W2 = velocity_response(w, c, tree, t2);
  double wn = rh_dot(n, Wn);
  double across = rh_dot(t1, W1) + rh_dot(t2, W2);
  bool held = !(wn > SLIGHT * across); // joints let nothing move along the normal: no impulse
  wn = !held ? wn : across > 0 ? across : 1;
  if (any->give > 0) {
    any->give = rh_step_compliant_within(any->give, wn);
    wn += any->give;
  }
  double c1 = rh_dot(t1, Wn);
  double c2 = rh_dot(t2, Wn);
  double s11 = rh_dot(t1, W1) - c1 * c1 / wn;
  double s22 = rh_dot(t2, W2) - c2 * c2 / wn;
  double s12 = rh_dot(t1, W2) - c1 * c2 / wn;
  double most = s11 > s22 ? s11 : s22;
  most = most > 0 ? most : 0; // where tangents are tied to the normal both are rounding
  if (fabs(s12) >
      SLIGHT * most) { // a turn of the tangents: tan 2a = 2 s12/(s11 - s22), Jacobi's smaller angle
    double k = 0.5 * (s22 - s11) / s12;
    double tangent = (k >= 0 ? 1 : -1) / (fabs(k) + sqrt(1 + k * k));
    double cosine = 1 / sqrt(1 + tangent * tangent);
    double sine = tangent * cosine;
    rh_vec3 x = rh_addscaled(rh_scale(cosine, t1), -sine, t2);
    t2 = rh_addscaled(rh_scale(cosine, t2), sine, t1);
    t1 = x;
    s11 -= tangent * s12;
    s22 += tangent * s12;
    c1 = rh_dot(t1, Wn);
    c2 = rh_dot(t2, Wn);
  }
  double slight = SLIGHT * wn;
  if (fabs(s11 - s22) <= SLIGHT * most) {
    s22 = s11;
  }
  c->iw = held ? 0 : 1 / wn;
  any->w = wn;
  any->c[0] = fabs(c1) <= slight ? 0 : c1;
  any->c[1] = fabs(c2) <= slight ? 0 : c2;
  any->l[0] = s11 > slight ? s11 : slight;
  any->l[1] = s22 > slight ? s22 : slight;
  any->il[0] = s11 > TIED * wn ? 1 / any->l[0] : 0;
  any->il[1] = s22 > TIED * wn ? 1 / any->l[1] : 0;
  rh_step_write_vec(n, c->n);
  rh_step_write_vec(t1, any->t1);
  rh_step_write_vec(t2, any->t2);
  if (w->laws.belt) {
    any->turn[0] = rh_dot(t1, w->laws.belt[c->any].v);
    any->turn[1] = rh_dot(t2, w->laws.belt[c->any].v);
  }
}

// ---- Between free bodies

typedef struct inertia { // of a contact: W along t1, t2, n
  rh_vec3 t1, t2;
  double w, c[2];       // nn, 1n, 2n
  double s11, s22, s12; // of the tangents, when the normal yields
} inertia;

// An impulse along y at r gives the body b this spin
KERNEL_INLINE rh_vec3 spin_response(const rh_step_velocity *b, rh_vec3 r, rh_vec3 y, double to[3])
{
  rh_vec3 m = rh_cross(r, y);
  rh_step_write_vec(rh_step_apply_inverse_inertia(b, m), to);
  return m;
}

// Adds the part of a body that turns
KERNEL_INLINE void add_spins(const rh_step_velocity *b, rh_vec3 r, rh_vec3 n, double k[3][3],
                             inertia *x)
{
  rh_vec3 m1 = spin_response(b, r, x->t1, k[0]);
  rh_vec3 m2 = spin_response(b, r, x->t2, k[1]);
  rh_vec3 mn = spin_response(b, r, n, k[2]);
  rh_vec3 kn = rh_step_read_vec(k[2]);
  x->w += rh_dot(mn, kn);
  x->c[0] += rh_dot(m1, kn);
  x->c[1] += rh_dot(m2, kn);
  x->s11 += rh_dot(m1, rh_step_read_vec(k[0]));
  x->s22 += rh_dot(m2, rh_step_read_vec(k[1]));
  x->s12 += rh_dot(m1, rh_step_read_vec(k[1]));
}

static void find_free_inertia(const rh_step_world *w, const rh_step_row *c, rh_vec3 n, inertia *x)
{
  rh_step_row_general *any = &w->general[c->any];
  const rh_step_velocity *a = &w->velocity[c->a];
  const rh_step_velocity *b = &w->velocity[c->b];
  x->w = x->s11 = x->s22 = a->im + b->im;
  x->s12 = x->c[0] = x->c[1] = 0;
  if (c->a) {
    add_spins(a, rh_step_read_vec(any->ra), n, any->ka, x);
  }
  if (c->b) {
    add_spins(b, rh_step_read_vec(any->rb), n, any->kb, x);
  }
}

static void turn_pair(double cosine, double sine, double x[3], double y[3])
{
  for (int i = 0; i < 3; i++) {
    double z = cosine * x[i] - sine * y[i];
    y[i] = cosine * y[i] + sine * x[i];
    x[i] = z;
  }
}

// Turns the tangents to their principal axes: tan 2a = 2 s12/(s11 - s22), Jacobi's smaller angle
static void turn_tangents(const rh_step_row *c, rh_step_row_general *any, inertia *x)
{
  double k = 0.5 * (x->s22 - x->s11) / x->s12;
  double tangent = (k >= 0 ? 1 : -1) / (fabs(k) + sqrt(1 + k * k));
  double cosine = 1 / sqrt(1 + tangent * tangent);
  double sine = tangent * cosine;
  rh_vec3 t1 = rh_addscaled(rh_scale(cosine, x->t1), -sine, x->t2);
  x->t2 = rh_addscaled(rh_scale(cosine, x->t2), sine, x->t1);
  x->t1 = t1;
  x->s11 -= tangent * x->s12;
  x->s22 += tangent * x->s12;
  double c1 = cosine * x->c[0] - sine * x->c[1];
  x->c[1] = cosine * x->c[1] + sine * x->c[0];
  x->c[0] = c1;
  if (c->a) {
    turn_pair(cosine, sine, any->ka[0], any->ka[1]);
  }
  if (c->b) {
    turn_pair(cosine, sine, any->kb[0], any->kb[1]);
  }
}

void rh_step_frame_free(const rh_step_world *w, rh_step_row *c, rh_vec3 n)
{
  rh_step_row_general *any = &w->general[c->any];
  inertia x;
  rh_tangents_of(n, &x.t1, &x.t2);
  find_free_inertia(w, c, n, &x);
  if (any->give > 0) {
    any->give = rh_step_compliant_within(any->give, x.w);
    x.w += any->give;
  }
  c->iw = 1 / x.w;
  x.s11 -= x.c[0] * x.c[0] * c->iw;
  x.s22 -= x.c[1] * x.c[1] * c->iw;
  x.s12 -= x.c[0] * x.c[1] * c->iw;
  double most = x.s11 > x.s22 ? x.s11 : x.s22;
  if (fabs(x.s12) > SLIGHT * most) {
    turn_tangents(c, any, &x);
  }
  double slight = SLIGHT * x.w;
  if (fabs(x.s11 - x.s22) <= SLIGHT * most) {
    x.s22 = x.s11;
  }
  any->w = x.w;
  any->c[0] = fabs(x.c[0]) <= slight ? 0 : x.c[0];
  any->c[1] = fabs(x.c[1]) <= slight ? 0 : x.c[1];
  any->l[0] = x.s11 > slight ? x.s11 : slight;
  any->l[1] = x.s22 > slight ? x.s22 : slight;
  any->il[0] = 1 / any->l[0];
  any->il[1] = 1 / any->l[1];
  any->h[0] = any->c[0] * c->iw * any->il[0];
  any->h[1] = any->c[1] * c->iw * any->il[1];
  any->in = c->iw * (1 + any->c[0] * any->h[0] + any->c[1] * any->h[1]);
  rh_step_write_vec(n, c->n);
  rh_step_write_vec(x.t1, any->t1);
  rh_step_write_vec(x.t2, any->t2);
  if (w->laws.belt) {
    any->turn[0] = rh_dot(x.t1, w->laws.belt[c->any].v);
    any->turn[1] = rh_dot(x.t2, w->laws.belt[c->any].v);
  }
}
