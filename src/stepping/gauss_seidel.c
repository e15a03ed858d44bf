// Stage 5: Gauss-Seidel over the contacts of an island, in velocities: each contact in turn gets
// the impulse that satisfies its own law exactly while the others keep theirs. With u the
// velocities at the contact, W its own inertia and q = u - W p the part of the others,
//   open   q_n >= 0: p = 0
//   stick  W p = -q, if that lies in the cone
//   slide  p_t = -mu p_n u_t/|u_t|, u_n = 0: with a = |u_t|/(mu p_n) this is
//          (W + a diag(1, 1, 0)) p = -q, and |p_t| = mu p_n is an equation in a > 0 alone: p_t too
//          long at a = 0, too short as a grows. In the axes of contact_rows.c p_t = -s/(l + a),
//          s = q_t - c q_n/w, so that mu p_n/|p_t| is nearly linear in a, and Newton's method takes
//          two or three steps.
// At a round contact tangents and normal are not coupled: the slide is the stick's impulse made
// shorter.
// Sweeps alternate forward and backward and end when no contact velocity changed by more than the
// tolerance.
#include "base/wide.h"
#include "contact_kernels.h"

#include "complement/complement.h"
#include "stepping/articulated/branch_kernels.h"

typedef struct slip { // data of the search for a slip
  double s[2], pn0;
} slip;

// p of a slip: the root in a, kept between bounds.
static void find_slip_impulse(const rh_step_row *c, const rh_step_row_general *x, const slip *q,
                              double p[4])
{
  double mu = c->mu;
  double lo = 0;
  double hi = HUGE_VAL;
  double size = sqrt(q->s[0] * q->s[0] + q->s[1] * q->s[1]);
  double a = size / (mu * q->pn0) - 0.5 * (x->l[0] + x->l[1]);
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
    find_slip_impulse(c, x, &q, p);
  }
}

void rh_step_local(const rh_step_row *c, const rh_step_row_general *x, const double u[3],
                   double p[4])
{
  find_impulse(c, x, u, p);
}

RH_WIDE
static __attribute__((noinline)) double visit_any(rh_step_velocity *hot, rh_step_row *c,
                                                  const rh_step_row_general *any)
{
  rh_step_velocity *a = &hot[c->a];
  rh_step_velocity *b = &hot[c->b];
  const double *n = c->n;
  const double *s = any->t1;
  const double *t = any->t2;
  const double *ra = any->ra;
  const double *rb = any->rb;
  double x =
      a->v[0] - b->v[0] + (a->w[1] * ra[2] - a->w[2] * ra[1]) - (b->w[1] * rb[2] - b->w[2] * rb[1]);
  double y =
      a->v[1] - b->v[1] + (a->w[2] * ra[0] - a->w[0] * ra[2]) - (b->w[2] * rb[0] - b->w[0] * rb[2]);
  double z =
      a->v[2] - b->v[2] + (a->w[0] * ra[1] - a->w[1] * ra[0]) - (b->w[0] * rb[1] - b->w[1] * rb[0]);
  double u[3] = {s[0] * x + s[1] * y + s[2] * z, t[0] * x + t[1] * y + t[2] * z,
                 n[0] * x + n[1] * y + n[2] * z};
  double p[4];
  find_impulse(c, any, u, p);
  double d0 = p[0] - c->p[0];
  double d1 = p[1] - c->p[1];
  double d3 = p[3] - c->p[3];
  double change = rh_greater((any->w - any->give) * fabs(d3),
                             rh_greater(any->l[0] * fabs(d0), any->l[1] * fabs(d1)));
  if (change == 0) {
    return 0;
  }
  c->p[0] = p[0];
  c->p[1] = p[1];
  c->p[3] = p[3];
  x = n[0] * d3 + s[0] * d0 + t[0] * d1;
  y = n[1] * d3 + s[1] * d0 + t[1] * d1;
  z = n[2] * d3 + s[2] * d0 + t[2] * d1;
  if (c->a) {
    double mx = ra[1] * z - ra[2] * y;
    double my = ra[2] * x - ra[0] * z;
    double mz = ra[0] * y - ra[1] * x;
    a->v[0] += a->im * x;
    a->v[1] += a->im * y;
    a->v[2] += a->im * z;
    a->w[0] += a->J[0] * mx + a->J[3] * my + a->J[4] * mz;
    a->w[1] += a->J[3] * mx + a->J[1] * my + a->J[5] * mz;
    a->w[2] += a->J[4] * mx + a->J[5] * my + a->J[2] * mz;
  }
  if (c->b) {
    double mx = rb[1] * z - rb[2] * y;
    double my = rb[2] * x - rb[0] * z;
    double mz = rb[0] * y - rb[1] * x;
    b->v[0] -= b->im * x;
    b->v[1] -= b->im * y;
    b->v[2] -= b->im * z;
    b->w[0] -= b->J[0] * mx + b->J[3] * my + b->J[4] * mz;
    b->w[1] -= b->J[3] * mx + b->J[1] * my + b->J[5] * mz;
    b->w[2] -= b->J[4] * mx + b->J[5] * my + b->J[2] * mz;
  }
  return change;
}

// A contact in which a tree takes part, alone or with a free body
RH_WIDE
static __attribute__((noinline)) double visit_tree(rh_step_worker *worker, rh_step_row *c)
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

// A round contact without friction
static double visit_smooth(rh_step_velocity *hot, rh_step_row *c)
{
  rh_step_velocity *a = &hot[c->a];
  rh_step_velocity *b = &hot[c->b];
  const double *n = c->n;
  double un = n[0] * (a->v[0] - b->v[0]) + n[1] * (a->v[1] - b->v[1]) + n[2] * (a->v[2] - b->v[2]);
  double next = c->p[3] - c->iw * (un + c->bias);
  next = next > 0 ? next : 0;
  double d = next - c->p[3];
  c->p[3] = next;
  if (d == 0) {
    return 0;
  }
  double da = d * a->im;
  double db = d * b->im;
  if (c->a) {
    a->v[0] += da * n[0];
    a->v[1] += da * n[1];
    a->v[2] += da * n[2];
  }
  if (c->b) {
    b->v[0] -= db * n[0];
    b->v[1] -= db * n[1];
    b->v[2] -= db * n[2];
  }
  return fabs(d) / c->iw;
}

// A visit reads the velocities that the one before wrote.
RH_SCALAR
static double visit_round(rh_step_velocity *hot, rh_step_row *c)
{
  rh_step_velocity *a = &hot[c->a];
  rh_step_velocity *b = &hot[c->b];
  const double *n = c->n;
  double x = a->v[0] - b->v[0];
  double y = a->v[1] - b->v[1];
  double z = a->v[2] - b->v[2];
  double un = n[0] * x + n[1] * y + n[2] * z;
  double pn = c->p[3] - c->iw * (un + c->bias);
  if (pn <= 0 && c->p[3] == 0) {
    return 0; // open, as before
  }
  double ra = c->arm[0];
  double rb = c->arm[1];
  double dn = -c->p[3];
  double tx = 0;
  double ty = 0;
  double tz = 0;
  if (pn > 0) {
    double sx = ra * a->w[0] + rb * b->w[0];
    double sy = ra * a->w[1] + rb * b->w[1];
    double sz = ra * a->w[2] + rb * b->w[2];
    double il = c->il;
    dn = pn - c->p[3];
    tx = c->p[0] - il * (x - un * n[0] - (sy * n[2] - sz * n[1]));
    ty = c->p[1] - il * (y - un * n[1] - (sz * n[0] - sx * n[2]));
    tz = c->p[2] - il * (z - un * n[2] - (sx * n[1] - sy * n[0]));
    double square = tx * tx + ty * ty + tz * tz;
    double radius = c->mu * pn;
    if (square > radius * radius) {
      double shrink = c->mu * pn / sqrt(square);
      tx *= shrink;
      ty *= shrink;
      tz *= shrink;
    }
    c->p[3] = pn;
  } else {
    c->p[3] = 0;
  }
  double dx = tx - c->p[0];
  double dy = ty - c->p[1];
  double dz = tz - c->p[2];
  double turned = fabs(dx) + fabs(dy) + fabs(dz);
  double change = rh_greater(fabs(dn) / c->iw, turned / c->il);
  if (change == 0) {
    return 0;
  }
  c->p[0] = tx;
  c->p[1] = ty;
  c->p[2] = tz;
  double mx = n[1] * dz - n[2] * dy;
  double my = n[2] * dx - n[0] * dz;
  double mz = n[0] * dy - n[1] * dx;
  dx += dn * n[0];
  dy += dn * n[1];
  dz += dn * n[2];
  if (c->a) {
    double j = ra * a->J[0];
    a->v[0] += a->im * dx;
    a->v[1] += a->im * dy;
    a->v[2] += a->im * dz;
    a->w[0] -= j * mx;
    a->w[1] -= j * my;
    a->w[2] -= j * mz;
  }
  if (c->b) {
    double j = rb * b->J[0];
    b->v[0] -= b->im * dx;
    b->v[1] -= b->im * dy;
    b->v[2] -= b->im * dz;
    b->w[0] -= j * mx;
    b->w[1] -= j * my;
    b->w[2] -= j * mz;
  }
  return change;
}

// Contacts of balls are the most of a heap, and have no time for other registers.
static inline double visit_rows(rh_step_worker *worker, const rh_step_world *w, rh_step_row *c)
{
  if (!c->round) {
    return c->jointed ? visit_tree(worker, c) : visit_any(w->velocity, c, &w->general[c->any]);
  }
  return c->mu == 0 ? visit_smooth(w->velocity, c) : visit_round(w->velocity, c);
}

// The largest change of a velocity so far, `change` of it before
static inline double visit_contact(rh_step_worker *worker, const rh_step_world *w, rh_step_row *c,
                                   double change)
{
  change = rh_greater(change, visit_rows(worker, w, c));
  return rh_step_turns(w, c) ? rh_greater(change, rh_step_turn_visit(worker, c)) : change;
}

// Prefetches a contact of a large island, a few ahead.
static inline void ask_for(const rh_step_world *w, int i, int end)
{
  enum { LINE = 64 };

  if (i >= 0 && i < end) {
    const char *c = (const char *)&w->row[i];
    __builtin_prefetch(c);
    __builtin_prefetch(c + LINE);
  }
}

static void sweep_slice(rh_step_worker *worker, rh_step_slice *s, const void *user)
{
  const rh_step_world *w = worker->world;
  bool back = *(const bool *)user;
  bool many = rh_step_is_large(s);
  int end = s->con + s->ncon;
  double change = 0;
  if (back) {
    for (int i = end - 1; i >= s->con; i--) {
      if (many) {
        ask_for(w, i - 6, end);
        rh_step_prefetch_bodies(w, i - 3, end);
      }
      change = visit_contact(worker, w, &w->row[i], change);
    }
  } else {
    for (int i = s->con; i < end; i++) {
      if (many) {
        ask_for(w, i + 6, end);
        rh_step_prefetch_bodies(w, i + 3, end);
      }
      change = visit_contact(worker, w, &w->row[i], change);
    }
  }
  s->largest = change;
}

// One sweep, forward or backward; the largest change of a contact velocity.
static double sweep_island(rh_step_worker *worker, const rh_step_island *s, bool back)
{
  double change = 0;
  if (worker->rows.nloop > 0) {
    change = rh_step_loops_visit(worker);
  }
  if (worker->rows.njoint > 0) {
    change = rh_greater(change, rh_step_joint_rows_visit(worker));
  }
  worker->tally.sweeps++;
  return rh_greater(change,
                    rh_step_for_each_slice(worker, s, sweep_slice, &back, RH_STEP_APART).largest);
}

enum {
  CIRCLE = 24, // sweeps until the tolerance suffices: impulses of dependent slides may circulate
  TRIED = 8,   // sweeps after which their rate is known,
  SLOW = 400,  // and this many more would be slower than Newton's method
};

static const double FINE = 1e-5; // of the tolerance

// Does the island hardly move? Then its rest is solved to the last digits, once.
static bool island_still(const rh_step_world *w, const rh_step_island *s)
{
  double slow = 100 * w->par.tolerance;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    const rh_step_velocity *b = &w->velocity[w->member[k]];
    double v = fabs(b->v[0]) + fabs(b->v[1]) + fabs(b->v[2]);
    double spin = fabs(b->w[0]) + fabs(b->w[1]) + fabs(b->w[2]);
    if (w->member[k] > w->nfree || v + w->body[w->member[k]].size * spin > slow) {
      return false;
    }
  }
  return true;
}

// Surely within the tolerance after SLOW more sweeps: 0.8^(SLOW/2) is 4e-20. It saves a power.
static bool is_fast(double square, double far)
{
  return square < 0.8 && far < 1e15;
}

// Sweeps until the error is below the tolerance: changes shrink by a factor r per sweep, and the
// sum of all further ones is r/(1 - r) of the last. Sweeps forward and backward differ, so r is
// taken over two. The error, about; 0: within the tolerance.
static double sweep_to_tolerance(rh_step_worker *worker, const rh_step_island *s, double tolerance,
                                 int limit)
{
  const rh_step_world *w = worker->world;
  double change[2] = {0, 0}; // of the last two sweeps
  double left = 0;
  bool small = s->ncon <= worker->newton.contacts;
  bool hard = small && !(w->laws.turn &&
                         rh_step_island_turns(w, s)); // Newton's method has no rows of torques
  bool fine = false;
  int most_sweeps = small && limit < SLOW ? SLOW : limit;
  for (int k = 0; k < most_sweeps; k++) {
    double now = sweep_island(worker, s, k % 2 == 1);
    double before = change[k % 2];
    double square = k > 1 && now < before ? now / before : 1; // of r
    double r = sqrt(square);
    change[k % 2] = now;
    if (now == 0) {
      return 0;
    }
    left = k < 2 ? 20 * now : r < 1 ? now * rh_greater(1, r / (1 - r)) : 1e3 * now;
    bool circles = k >= CIRCLE && now <= tolerance;
    if (!(left > tolerance) || circles) {
      if (fine || left <= FINE * tolerance || !small || !island_still(w, s)) {
        return 0;
      }
      fine = true;
      tolerance *= FINE;
    }
    bool slow = circles || k + 1 == most_sweeps ||
                (k >= TRIED && !is_fast(square, now / tolerance) &&
                 now * rh_pow(square, 0.5 * SLOW) > tolerance);
    if (hard && slow) {
      if (rh_step_solve_newton(worker, s, tolerance) <= tolerance) {
        return 0;
      }
      small = hard = false;
      most_sweeps = k + 1 > limit ? k + 1 : limit;
    }
  }
  return fine ? 0 : left;
}

enum { AHEAD = 4 }; // contacts whose bodies are prefetched

// The impulses of the last step, in full
static void start_slice(rh_step_worker *worker, rh_step_slice *s, const void *user)
{
  const rh_step_world *w = worker->world;
  bool many = rh_step_is_large(s);
  int end = s->con + s->ncon;
  (void)user;
  for (int k = s->con; k < end; k++) {
    const rh_step_row *c = &w->row[k];
    if (many) {
      rh_step_prefetch_bodies(w, k + AHEAD, end);
    }
    if (c->p[3] > 0) {
      rh_step_push(worker, c, rh_step_impulse(w, c, c->p));
    }
  }
  for (int k = s->con; w->laws.turn && k < end; k++) { // torques that go with them
    if (rh_step_turns(w, &w->row[k])) {
      rh_step_turn_start(worker, &w->row[k]);
    }
  }
}

void rh_step_warm_start(rh_step_worker *worker, const rh_step_island *s)
{
  (void)rh_step_for_each_slice(worker, s, start_slice, NULL, RH_STEP_APART);
}

// Are there several contacts with a load, too few to be a heap, that all slide? Then their loads may not be determined, nor the motion.
static bool load_slides(const rh_step_world *w, const rh_step_island *s)
{
  enum { FEWEST = 3, MOST = RH_EXAMINE_MAX };

  int loaded = 0;
  for (int k = s->con; k < s->con + s->ncon && s->ncon <= MOST; k++) {
    const rh_step_row *c = &w->row[k];
    double most = c->mu * c->p[3] * (1 - 1e-9);
    double square = c->p[0] * c->p[0] + c->p[1] * c->p[1] + c->p[2] * c->p[2];
    if (c->p[3] > 0 && (c->mu == 0 || c->soft || square < most * most)) {
      return false;
    }
    loaded += c->p[3] > 0;
  }
  return loaded >= FEWEST && !(w->laws.turn && rh_step_island_turns(w, s));
}

enum { SHARINGS = 4 }; // of a load: it changes the directions of sliding

void rh_step_solve(rh_step_worker *worker, const rh_step_island *s)
{
  const rh_step_world *w = worker->world;
  double left = sweep_to_tolerance(worker, s, w->par.tolerance, (int)w->par.iterations);
  for (int k = 0; k < SHARINGS && left == 0 && load_slides(w, s) && rh_step_least_load(worker, s);
       k++) {
    left = sweep_to_tolerance(worker, s, w->par.tolerance, (int)w->par.iterations);
  }
  if (left > w->par.tolerance) {
    worker->tally.unsolved++;
    worker->tally.residual = rh_greater(worker->tally.residual, left);
  }
}

void rh_step_solve_fully(rh_step_worker *worker, const rh_step_island *s)
{
  const rh_step_world *w = worker->world;
  double fast = 0;
  double speed = 0;
  for (int k = s->con; k < s->con + s->ncon; k++) {
    fast = rh_greater(fast, fabs(w->info[k].un));
  }
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    const rh_step_velocity *b = &w->velocity[w->member[k]];
    double v = fabs(b->v[0]) + fabs(b->v[1]) + fabs(b->v[2]);
    double spin = fabs(b->w[0]) + fabs(b->w[1]) + fabs(b->w[2]);
    speed = rh_greater(speed, v + w->body[w->member[k]].size * spin);
  }
  (void)sweep_to_tolerance(worker, s, rh_greater(1e-13 * fast, 2e-15 * speed), 1000);
  if (w->checks.on) {
    rh_step_check_solution(worker, s, NULL);
  }
}
