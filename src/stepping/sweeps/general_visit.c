// A visit of a contact that is not round: the impulse that satisfies its law (gauss_seidel.c), and its
// effect on the two bodies.
#include "base/wide.h"
#include "stepping/contact_kernels.h"

#include "stepping/articulated/branch_kernels.h"

typedef struct slip { // data of the search for a slip
  double s[2], pn0;
} slip;

// p of a slip: the root in a, kept between bounds; from `guess`, < 0: none is known.
static void find_slip_impulse(const rh_step_row *c, const rh_step_row_general *x, const slip *q,
                              double guess, double p[4])
{
  double mu = c->mu;
  double lo = 0;
  double hi = HUGE_VAL;
  double a = guess;
  if (guess < 0) {
    double size = sqrt(q->s[0] * q->s[0] + q->s[1] * q->s[1]);
    a = size / (mu * q->pn0) - 0.5 * (x->l[0] + x->l[1]);
  }
  double length = 0;
  a = a > 0 ? a : 0;
  for (int k = 0; k < 40; k++) {
    double i0 = 1 / (x->l[0] + a);
    double i1 = 1 / (x->l[1] + a);
    p[0] = -q->s[0] * i0;
    p[1] = -q->s[1] * i1;
    p[3] = q->pn0 - c->iw * (x->c[0] * p[0] + x->c[1] * p[1]);
    length = sqrt(p[0] * p[0] + p[1] * p[1]);
    double radius = mu * p[3];
    double off = radius - length;
    double next = a;
    if (p[3] > 0) {
      double d0 = -p[0] * i0;
      double d1 = -p[1] * i1;
      double radius_rate = -mu * c->iw * (x->c[0] * d0 + x->c[1] * d1);
      double length_rate = (p[0] * d0 + p[1] * d1) / length;
      next = a - off * length / (radius_rate * length - radius * length_rate);
      if (fabs(off) <= 1e-15 * radius || fabs(next - a) <= 1e-15 * (a + x->l[0])) {
        break;
      }
    }
    *(off < 0 ? &lo : &hi) = a;
    if (!(next > lo && next < hi)) {
      next = hi < HUGE_VAL ? 0.5 * (lo + hi) : 2 * a + x->l[0] + x->l[1];
    }
    if (!(next > lo && next < hi)) {
      break; // the bounds are neighbours
    }
    a = next;
  }
  p[3] = p[3] > 0 ? p[3] : 0;
  double shrink = length > 0 ? mu * p[3] / length : 0;
  p[0] *= shrink;
  p[1] *= shrink;
}

// The impulse of a contact that moves at u (t1, t2, n)
KERNEL_INLINE void find_impulse(const rh_step_row *c, const rh_step_row_general *x,
                                const double u[3], double p[4])
{
  double un = u[2] + c->bias + x->give * c->p[3];
  double qn = c->iw * (un - x->c[0] * c->p[0] - x->c[1] * c->p[1]) - c->p[3]; // over w
  p[0] = p[1] = p[2] = p[3] = 0;
  if (qn >= 0) {
    return;
  }
  if (c->mu == 0) {
    p[3] = -qn;
    return;
  }
  double e0 = u[0] + x->turn[0] - x->c[0] * c->iw * un;
  double e1 = u[1] + x->turn[1] - x->c[1] * c->iw * un;
  p[0] = c->p[0] - e0 * x->il[0];
  p[1] = c->p[1] - e1 * x->il[1];
  p[3] = -qn - c->iw * (x->c[0] * p[0] + x->c[1] * p[1]);
  double radius = c->mu * p[3];
  if (p[3] < 0 || p[0] * p[0] + p[1] * p[1] > radius * radius) {
    slip q = {{e0 - x->l[0] * c->p[0], e1 - x->l[1] * c->p[1]}, -qn};
    find_slip_impulse(c, x, &q, -1, p);
  }
}

void rh_step_local(const rh_step_row *c, const rh_step_row_general *x, const double u[3],
                   double p[4])
{
  find_impulse(c, x, u, p);
}

// ---- Between free bodies. Contacts of one body with many, one after the other, wait for its velocity: the
// way from it to the next one is kept short by W^-1 and the spins of unit impulses (contact_frame.c).

// The largest of the root, in a slip that goes on: from velocity and impulse as they are, both of which
// hardly change
static double root_before(const rh_step_row *c, const double u[2])
{
  double square = c->p[0] * c->p[0] + c->p[1] * c->p[1];
  double radius = c->mu * c->p[3];
  bool slides = square > 0.999 * radius * radius && radius > 0;
  return slides ? sqrt((u[0] * u[0] + u[1] * u[1]) / square) : -1;
}

// The change d of the impulse at velocity u (t1, t2, n)
KERNEL_INLINE void find_change(const rh_step_row *c, const rh_step_row_general *x,
                               const double u[3], double d[3])
{
  double un = u[2] + (c->bias + x->give * c->p[3]);
  double kept = x->c[0] * c->p[0] + x->c[1] * c->p[1];
  if (c->iw * (un - kept) >= c->p[3]) { // open
    d[0] = -c->p[0];
    d[1] = -c->p[1];
    d[2] = -c->p[3];
    return;
  }
  if (c->mu == 0) {
    d[0] = d[1] = 0;
    d[2] = -c->iw * un;
    return;
  }
  double u0 = u[0] + x->turn[0];
  double u1 = u[1] + x->turn[1];
  d[0] = x->h[0] * un - x->il[0] * u0;
  d[1] = x->h[1] * un - x->il[1] * u1;
  d[2] = x->h[0] * u0 + x->h[1] * u1 - x->in * un;
  double p0 = c->p[0] + d[0];
  double p1 = c->p[1] + d[1];
  double pn = c->p[3] + d[2];
  double radius = c->mu * pn;
  if (pn < 0 || p0 * p0 + p1 * p1 > radius * radius) {
    const double slips[2] = {u0, u1};
    double e0 = u0 - x->c[0] * c->iw * un;
    double e1 = u1 - x->c[1] * c->iw * un;
    slip q = {{e0 - x->l[0] * c->p[0], e1 - x->l[1] * c->p[1]}, c->p[3] - c->iw * (un - kept)};
    double p[4];
    find_slip_impulse(c, x, &q, root_before(c, slips), p);
    d[0] = p[0] - c->p[0];
    d[1] = p[1] - c->p[1];
    d[2] = p[3] - c->p[3];
  }
}

// One number after the other: pairs of them written at once are read singly by the next visit.
KERNEL_INLINE void push_body(rh_step_velocity *b, const double k[3][3], double sign,
                             const double P[3], const double d[3])
{
  double im = sign * b->im;
  double d0 = sign * d[0];
  double d1 = sign * d[1];
  double d2 = sign * d[2];
  b->v[0] += im * P[0];
  b->v[1] += im * P[1];
  b->v[2] += im * P[2];
  b->w[0] += k[0][0] * d0 + k[1][0] * d1 + k[2][0] * d2;
  b->w[1] += k[0][1] * d0 + k[1][1] * d1 + k[2][1] * d2;
  b->w[2] += k[0][2] * d0 + k[1][2] * d1 + k[2][2] * d2;
}

RH_SCALAR
double rh_step_visit_free(rh_step_velocity *hot, rh_step_row *c, const rh_step_row_general *x)
{
  rh_step_velocity *a = &hot[c->a];
  rh_step_velocity *b = &hot[c->b];
  const double *n = c->n;
  const double *s = x->t1;
  const double *t = x->t2;
  const double *ra = x->ra;
  const double *rb = x->rb;
  double vx =
      a->v[0] - b->v[0] + (a->w[1] * ra[2] - a->w[2] * ra[1]) - (b->w[1] * rb[2] - b->w[2] * rb[1]);
  double vy =
      a->v[1] - b->v[1] + (a->w[2] * ra[0] - a->w[0] * ra[2]) - (b->w[2] * rb[0] - b->w[0] * rb[2]);
  double vz =
      a->v[2] - b->v[2] + (a->w[0] * ra[1] - a->w[1] * ra[0]) - (b->w[0] * rb[1] - b->w[1] * rb[0]);
  const double u[3] = {s[0] * vx + s[1] * vy + s[2] * vz, t[0] * vx + t[1] * vy + t[2] * vz,
                       n[0] * vx + n[1] * vy + n[2] * vz};
  double d[3];
  find_change(c, x, u, d);
  double change = rh_greater((x->w - x->give) * fabs(d[2]),
                             rh_greater(x->l[0] * fabs(d[0]), x->l[1] * fabs(d[1])));
  if (change == 0) {
    return 0;
  }
  c->p[0] += d[0];
  c->p[1] += d[1];
  c->p[3] += d[2];
  const double P[3] = {n[0] * d[2] + s[0] * d[0] + t[0] * d[1],
                       n[1] * d[2] + s[1] * d[0] + t[1] * d[1],
                       n[2] * d[2] + s[2] * d[0] + t[2] * d[1]};
  if (c->a) {
    push_body(a, x->ka, 1, P, d);
  }
  if (c->b) {
    push_body(b, x->kb, -1, P, d);
  }
  return change;
}

// ---- With trees

// A contact in which a tree takes part, alone or with a free body
RH_WIDE
double rh_step_visit_tree(rh_step_worker *worker, rh_step_row *c)
{
  const rh_step_world *w = worker->world;
  double u[3] = {0, 0, 0};
  double p[4];
  const rh_step_row_general *any = &w->general[c->any];
  if (c->a || c->b) {
    rh_vec3 x = rh_step_free_velocity(w, c);
    u[0] = any->t1[0] * x.x + any->t1[1] * x.y + any->t1[2] * x.z;
    u[1] = any->t2[0] * x.x + any->t2[1] * x.y + any->t2[2] * x.z;
    u[2] = c->n[0] * x.x + c->n[1] * x.y + c->n[2] * x.z;
  }
  const rh_step_branch *branch = worker->rows.branch;
  double *z = w->trees.z;
  if (any->ba != RH_NONE) {
    rh_step_add_velocity(&branch[any->ba], z, u);
  }
  if (any->bb != RH_NONE) {
    rh_step_add_velocity(&branch[any->bb], z, u);
  }
  find_impulse(c, any, u, p);
  double d[4] = {p[0] - c->p[0], p[1] - c->p[1], 0, p[3] - c->p[3]};
  double change = rh_greater((any->w - any->give) * fabs(d[3]),
                             rh_greater(any->l[0] * fabs(d[0]), any->l[1] * fabs(d[1])));
  if (change == 0) {
    return 0;
  }
  c->p[0] = p[0];
  c->p[1] = p[1];
  c->p[3] = p[3];
  if (c->a || c->b) {
    rh_step_free_push(w, c, rh_step_impulse(w, c, d));
  }
  d[2] = d[3];
  if (any->ba != RH_NONE) {
    rh_step_add_push(&branch[any->ba], z, d);
  }
  if (any->bb != RH_NONE) {
    rh_step_add_push(&branch[any->bb], z, d);
  }
  return change;
}
