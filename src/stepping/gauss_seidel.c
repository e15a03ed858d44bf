// Stage 5: Gauss-Seidel over the contacts of an island, in velocities: each contact in turn gets
// the impulse that satisfies its own law exactly while the others keep theirs. With u the
// velocities at the contact, W its own inertia and q = u - W p the part of the others,
//   open   q_n >= 0: p = 0
//   stick  W p = -q, if that lies in the cone
//   slide  p_t = -mu p_n u_t/|u_t|, u_n = 0: with a = |u_t|/(mu p_n) this is
//          (W + a diag(1, 1, 0)) p = -q, and |p_t| = mu p_n is an equation in a > 0 alone: p_t too
//          long at a = 0, too short as a grows. In the axes of contact_frame.c p_t = -s/(l + a),
//          s = q_t - c q_n/w, so that mu p_n/|p_t| is nearly linear in a, and Newton's method takes
//          two or three steps.
// At a round contact tangents and normal are not coupled: the slide is the stick's impulse made
// shorter.
// Sweeps alternate forward and backward and end when no contact velocity changed by more than the
// tolerance.
#include "base/wide.h"
#include "contact_kernels.h"

#include "complement/complement.h"

#include <float.h>

// A round contact without friction
KERNEL_INLINE double visit_smooth(rh_step_velocity *hot, rh_step_row *c)
{
  rh_step_velocity *a = &hot[c->a];
  rh_step_velocity *b = &hot[c->b];
  const double *n = c->n;
  double un = n[0] * (a->v[0] - b->v[0]) + n[1] * (a->v[1] - b->v[1]) + n[2] * (a->v[2] - b->v[2]);
  double off = un + c->bias;
  double p = c->p[3];
  double next = p - c->iw * off;
  next = next > 0 ? next : 0;
  double d = next - p;
  if (d == 0) {
    return 0;
  }
  c->p[3] = next;
  if (c->a) {
    double da = d * a->im;
    a->v[0] += da * n[0];
    a->v[1] += da * n[1];
    a->v[2] += da * n[2];
  }
  if (c->b) {
    double db = d * b->im;
    b->v[0] -= db * n[0];
    b->v[1] -= db * n[1];
    b->v[2] -= db * n[2];
  }
  return next > 0 ? fabs(off) : p / c->iw;
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
KERNEL_INLINE double visit_rows(rh_step_worker *worker, const rh_step_world *w, rh_step_row *c)
{
  if (!c->round) {
    return c->jointed ? rh_step_visit_tree(worker, c)
                      : rh_step_visit_free(w->velocity, c, &w->general[c->any]);
  }
  return c->mu == 0 ? visit_smooth(w->velocity, c) : visit_round(w->velocity, c);
}

// The largest change of a velocity so far, `change` of it before
KERNEL_INLINE double visit_contact(rh_step_worker *worker, const rh_step_world *w, rh_step_row *c,
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
  bool may_jump = hard && s->nloop == 0 && !(w->trees.n > 0 && rh_step_island_trees(w, s));
  int most_sweeps = small && limit < SLOW ? SLOW : limit;
  int from = 0; // the sweep after the last jump
  for (int k = 0; k < most_sweeps; k++) {
    double now = sweep_island(worker, s, k % 2 == 1);
    if (now == 0) {
      return 0;
    }
    double before = change[k % 2];
    double square = k - from > 1 && now < before ? now / before : 1; // of r
    double r = sqrt(square);
    change[k % 2] = now;
    left = k - from < 2 ? 20 * now : r < 1 ? now * rh_greater(1, r / (1 - r)) : 1e3 * now;
    bool circles = k >= CIRCLE && now <= tolerance;
    if (!(left > tolerance) || circles) {
      if (fine || left <= FINE * tolerance || !small || !island_still(w, s)) {
        return 0;
      }
      fine = true;
      tolerance *= FINE;
    }
    bool slow = circles || k + 1 == most_sweeps ||
                (k - from >= TRIED && !is_fast(square, now / tolerance) &&
                 now * rh_pow(square, 0.5 * SLOW) > tolerance);
    if (hard && slow) {
      if (rh_step_solve_newton(worker, s, tolerance) <= tolerance) {
        return 0;
      }
      small = hard = may_jump = false;
      most_sweeps = k + 1 > limit ? k + 1 : limit;
    }
    if (may_jump && rh_step_hurry_sweeps(worker, s, k - from)) {
      from = k + 1;
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
  double gap = 0;
  (void)user;
  for (int k = s->con; k < end; k++) {
    const rh_step_row *c = &w->row[k];
    if (many) {
      rh_step_prefetch_bodies(w, k + AHEAD, end);
    }
    if (c->p[3] > 0) {
      gap = rh_greater(gap, fabs(c->bias));
      rh_step_push(worker, c, rh_step_impulse(w, c, c->p));
    }
  }
  for (int k = s->con; w->laws.turn && k < end; k++) { // torques that go with them
    if (rh_step_turns(w, &w->row[k])) {
      rh_step_turn_start(worker, &w->row[k]);
    }
  }
  s->largest = gap;
}

double rh_step_warm_start(rh_step_worker *worker, const rh_step_island *s)
{
  return rh_step_for_each_slice(worker, s, start_slice, NULL, RH_STEP_APART).largest;
}

// Are there several contacts with a load, too few to be a heap, that all slide? Then their loads may not be determined, nor the motion.
static bool load_slides(const rh_step_world *w, const rh_step_island *s)
{
  enum { FEWEST = 3, MOST = RH_EXAMINE_MAX };

  int loaded = 0;
  if (s->ncon < FEWEST) {
    return false;
  }
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

// Impulses so large that their rounding hides what they leave: no solution, whatever Newton's method finds of them.
static bool hides_residual(const rh_step_worker *worker, const rh_step_island *s)
{
  const rh_step_world *w = worker->world;
  double most = 0; // [m/s] that an impulse alone would give
  for (int k = s->con; s->ncon <= worker->newton.contacts && k < s->con + s->ncon; k++) {
    most = rh_greater(most,
                      w->row[k].p[3] > 0 && w->row[k].iw > 0 ? w->row[k].p[3] / w->row[k].iw : 0);
  }
  return most * DBL_EPSILON > w->par.tolerance;
}

// Sweeps that end far beyond any speed of the step: in a jam, as of a corner on the floor under a hinge, friction asks of every
// impulse a larger one of the others, and overlaps on both sides of a hinge ask for motion both ways.
static bool diverges(const rh_step_worker *worker, const rh_step_island *s, double left)
{
  static const double FAR = 1e3;

  const rh_step_world *w = worker->world;
  double fast = w->slow;
  for (int k = s->con; left > w->par.tolerance && k < s->con + s->ncon; k++) {
    fast = rh_greater(fast, rh_norm(w->info[k].u0));
  }
  return !(left <= FAR * fast) || hides_residual(worker, s);
}

void rh_step_sweep_smooth(rh_step_worker *worker, const rh_step_island *s)
{
  enum { SWEEPS = 50 };

  const rh_step_world *w = worker->world;
  for (int k = s->con; k < s->con + s->ncon; k++) {
    rh_step_row *c = &w->row[k];
    c->mu = 0;
    c->bias = c->bias > 0 ? c->bias : 0;
  }
  for (int k = 0; k < SWEEPS && sweep_island(worker, s, k % 2 == 1) > w->par.tolerance; k++) {}
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
  worker->diverged = diverges(worker, s, left);
  if (left > w->par.tolerance || worker->diverged) {
    worker->tally.unsolved++;
    worker->tally.residual = rh_greater(worker->tally.residual, left);
  }
}

double rh_step_solve_fully(rh_step_worker *worker, const rh_step_island *s)
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
  double left = sweep_to_tolerance(worker, s, rh_greater(1e-13 * fast, 2e-15 * speed), 1000);
  if (w->checks.on) {
    rh_step_check_solution(worker, s, NULL);
  }
  return hides_residual(worker, s) ? HUGE_VAL : left;
}
