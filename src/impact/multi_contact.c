// multi_contact.c: impacts at many points together; impact.h defines the result. W of many points
// on few bodies is singular: velocities are determined, impulses are shared by least norm as far as
// the solvers can.
// Compression is a cone problem, u = W p + u-. Restitution is one too. Its normal impulses have a
// lower bound c_i = e_i p_n,i and friction goes with all of them: a point is "given" (p_n = c_i;
// its normal row is taken out of W, so that nothing but p_n = c_i is left of it, and its impulse is
// put into the velocities of the others) or "free" (an ordinary contact). A given point that would
// approach becomes free; a free one whose impulse falls below c_i becomes given. Friction can make
// both wrong (more impulse, more approach): then it stays free, and the difference to c_i is lost.
// A law that is not passive is a law of velocities (Newton): b_n = u_n + e min(u_n, 0) in one cone
// problem.
// The points are first sorted by their own data, so that the result does not depend on their order,
// not even in the last bit.
#include "multi_contact.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

#define GAIN                                                                                       \
  1e-9 // energy gained, relative to the works of the impulses, above the solvers' tolerance
#define APPROACH 1e-9  // of the largest velocity: slower is rounding
#define RANK     1e-10 // of the columns of W
#define ROUNDS   10    // of regrouping points; 2 are usual

typedef struct many {
  const rh_many_in *in;
  int n, rows;
  double *order; // index in the input of point i (n)
  double *W;     // in that order, as all below (rows x rows)
  double *u;     // before (rows)
  double *mu, *e;
  double *pc; // impulses of compression, or of all
  double *uc; // and the velocities after them
  double *r;  // impulses of restitution
  double *u1; // velocities after all
  double *W2; // of the cone problem of restitution (rows x rows)
  double *b2;
  double *given; // 1: p_n = c_i (n)
  double *c;     // (n)
  double *room;  // of the solvers
} many;

// ---- Scratch

static size_t max_size(size_t a, size_t b)
{
  return a > b ? a : b;
}

size_t rh_many_together_room(int n)
{
  size_t N = 3 * (size_t)n;
  size_t cone = rh_many_cone_room(n);
  size_t normal = max_size(rh_solver_active_set.room(n), rh_lcp_share_room(n));
  size_t rank = 2 * N + rh_lstsq_room((int)N, (int)N);
  return 2 * N * N + 6 * N + 5 * (size_t)n + max_size(cone, max_size(normal, rank));
}

static double *carve_array(double **room, size_t n)
{
  double *part = *room;
  *room += n;
  return part;
}

// ---- Order

static void arrange_points(many *m)
{
  rh_many_order(m->in, m->order);
  rh_many_arrange(m->in, m->order, m->W, m->u);
  for (int i = 0; i < m->n; i++) {
    m->mu[i] = m->in->mu[(int)m->order[i]];
    m->e[i] = m->in->e[(int)m->order[i]];
  }
}

static void open_many(many *m, const rh_many_in *in, double *room)
{
  const size_t n = (size_t)in->n;
  const size_t rows = 3 * n;
  m->in = in;
  m->n = in->n;
  m->rows = 3 * in->n;
  m->W = carve_array(&room, rows * rows);
  m->W2 = carve_array(&room, rows * rows);
  m->u = carve_array(&room, rows);
  m->pc = carve_array(&room, rows);
  m->uc = carve_array(&room, rows);
  m->r = carve_array(&room, rows);
  m->u1 = carve_array(&room, rows);
  m->b2 = carve_array(&room, rows);
  m->order = carve_array(&room, n);
  m->mu = carve_array(&room, n);
  m->e = carve_array(&room, n);
  m->given = carve_array(&room, n);
  m->c = carve_array(&room, n);
  m->room = room;
  arrange_points(m);
  memset(m->pc, 0, rows * sizeof(double));
  memset(m->r, 0, rows * sizeof(double));
}

// ---- Small sums

// to = u + W p
static void velocities_after(const many *m, const double *u, const double *p, double *to)
{
  for (int i = 0; i < m->rows; i++) {
    const double *row = m->W + (size_t)i * (size_t)m->rows;
    double sum = 0;
    for (int j = 0; j < m->rows; j++) {
      sum += row[j] * p[j];
    }
    to[i] = u[i] + sum;
  }
}

// Work of the impulses p along the normals, or in the tangent planes, on the straight way from velocities a to b.
static double impulse_work(const many *m, const double *p, const double *a, const double *b,
                           bool normal)
{
  double sum = 0;
  for (int i = 0; i < m->rows; i++) {
    if ((i % 3 == 2) == normal) {
      sum += 0.5 * p[i] * (a[i] + b[i]);
    }
  }
  return sum;
}

static double largest_size(const double *x, int n)
{
  double most = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(x[i]));
  }
  return most;
}

// ---- With friction

static bool solve_cone(const many *m, const double *W, const double *b, double *p)
{
  const rh_cone cone = {.n = m->n, .W = W, .b = b, .mu = m->mu, .slide = NULL};
  return rh_many_cone(&cone, m->room, p);
}

// The cone problem of restitution for the present groups.
static void pose_restitution(const many *m)
{
  const size_t rows = (size_t)m->rows;
  memcpy(m->W2, m->W, rows * rows * sizeof(double));
  memcpy(m->b2, m->uc, rows * sizeof(double));
  for (int k = 0; k < m->n; k++) {
    size_t row = 3 * (size_t)k + 2;
    if (m->given[k] == 0) {
      continue;
    }
    for (size_t i = 0; i < rows; i++) {
      m->b2[i] += m->W[i * rows + row] * m->c[k];
      m->W2[i * rows + row] = 0;
      m->W2[row * rows + i] = 0;
    }
  }
  for (int k = 0; k < m->n; k++) {
    size_t row = 3 * (size_t)k + 2;
    if (m->given[k] != 0) {
      m->W2[row * rows + row] = m->W[row * rows + row];
      m->b2[row] = -m->W[row * rows + row] * m->c[k];
    }
  }
}

// Points of the wrong group change it. Returns their number. `last`: a free point stays free.
static int regroup_points(many *m, bool last, double slow)
{
  int wrong = 0;
  double small = 1e-9 * largest_size(m->c, m->n);
  for (int k = 0; k < m->n; k++) {
    bool given = m->given[k] != 0;
    bool less = m->r[3 * k + 2] < m->c[k] - small && !last;
    if (given ? m->u1[3 * k + 2] < -slow : less) {
      m->given[k] = given ? 0 : 1;
      wrong++;
    }
  }
  return wrong;
}

static bool solve_restitution(many *m)
{
  double slow = APPROACH * largest_size(m->u, m->rows);
  bool any = false;
  for (int k = 0; k < m->n; k++) {
    m->c[k] = m->e[k] * m->pc[3 * k + 2];
    m->given[k] = m->c[k] > 0;
    any = any || m->c[k] > 0;
  }
  memcpy(m->u1, m->uc, (size_t)m->rows * sizeof(double));
  if (!any) {
    return true;
  }
  for (int round = 0; round < ROUNDS + m->n; round++) {
    for (int i = 0; i < m->rows; i++) {
      m->r[i] = m->e[i / 3] * m->pc[i];
    }
    pose_restitution(m);
    bool good = solve_cone(m, m->W2, m->b2, m->r);
    velocities_after(m, m->uc, m->r, m->u1);
    if (!good) {
      return false;
    }
    if (regroup_points(m, round >= ROUNDS, slow) == 0) {
      return true;
    }
  }
  return false;
}

// u_n+ >= -e u_n- where the point approaches.
static bool solve_moreau(many *m)
{
  memcpy(m->b2, m->u, (size_t)m->rows * sizeof(double));
  for (int k = 0; k < m->n; k++) {
    m->b2[3 * k + 2] += m->e[k] * fmin(m->u[3 * k + 2], 0);
  }
  return solve_cone(m, m->W, m->b2, m->pc);
}

static bool with_friction(many *m)
{
  bool newton = !m->in->law->passive;
  bool good = newton ? solve_moreau(m) : solve_cone(m, m->W, m->u, m->pc);
  velocities_after(m, m->u, m->pc, m->uc);
  memcpy(m->u1, m->uc, (size_t)m->rows * sizeof(double));
  return good && (newton || solve_restitution(m));
}

// Directions in which the impulses of compression are not determined: those of a point that sticks are three, of one that
// slides one; those of a point that takes no part are none.
static int count_undetermined(const many *m)
{
  const size_t rows = (size_t)m->rows;
  double *none = m->room;
  double *x = none + rows;
  double most = largest_size(m->pc, m->rows);
  double slow = APPROACH * largest_size(m->u, m->rows);
  int count = 0;
  for (int k = 0; k < m->n; k++) {
    const double *p = m->pc + (ptrdiff_t)3 * k;
    const double *u = m->uc + (ptrdiff_t)3 * k;
    bool sticks = m->mu[k] > 0 && sqrt(u[0] * u[0] + u[1] * u[1]) <= slow;
    if (p[2] <= 1e-9 * most) {
      continue;
    }
    for (size_t i = 0; i < rows; i++) {
      const double *w = m->W + i * rows + (ptrdiff_t)3 * k;
      double *to = m->W2 + i * rows + count;
      if (sticks) {
        memcpy(to, w, 3 * sizeof(double));
      } else {
        to[0] = (w[0] * p[0] + w[1] * p[1]) / p[2] + w[2];
      }
    }
    count += sticks ? 3 : 1;
  }
  for (size_t i = 1; i < rows; i++) { // close up the rows
    memmove(m->W2 + i * (size_t)count, m->W2 + i * rows, (size_t)count * sizeof(double));
  }
  memset(none, 0, rows * sizeof(double));
  return count > 0 ? count - rh_lstsq((int)rows, count, m->W2, none, RANK, x + rows, x, NULL) : 0;
}

// ---- Without friction

// Least 1/2 L'HL + L'g, L >= 0, of least norm. H is the normal part of W.
static bool without_friction(many *m, int *undetermined_normals)
{
  const rh_solver *solver = &rh_solver_active_set;
  const size_t n = (size_t)m->n;
  const size_t rows = (size_t)m->rows;
  const bool newton = !m->in->law->passive;
  double *H = m->W2;
  double *g = m->b2;
  double *L = m->given;
  double par[RH_PAR_MAX];
  rh_row_defaults(&solver->row, par);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      H[i * n + j] = m->W[(3 * i + 2) * rows + 3 * j + 2];
    }
    g[i] = m->u[3 * i + 2] * (newton ? 1 + m->e[i] : 1);
    L[i] = 0;
  }
  const rh_qp qp = {.n = m->n, .H = H, .g = g};
  const rh_lcp lcp = {.n = m->n, .A = H, .b = g};
  bool good = solver->qp(&qp, par, m->room, L) == RH_VERDICT_SOLVED; // [WK] 2.7*
  if (good) {
    memcpy(m->c, L, n * sizeof(double));
    *undetermined_normals = rh_lcp_share(&lcp, m->c, m->room, L, NULL, NULL);
  }
  for (size_t i = 0; i < n; i++) {
    m->pc[3 * i + 2] = L[i];
    m->r[3 * i + 2] = newton ? 0 : m->e[i] * L[i];
  }
  velocities_after(m, m->u, m->pc, m->uc);
  velocities_after(m, m->uc, m->r, m->u1);
  return good;
}

// ---- All

// Compression loses energy, T_c <= 0; restitution changes it by a x + b x^2 at the scale x. The largest x <= 1 that gains
// nothing in all.
static void limit_energy(many *m, rh_many_out *out)
{
  double Tc =
      impulse_work(m, m->pc, m->u, m->uc, true) + impulse_work(m, m->pc, m->u, m->uc, false);
  double a = 0;
  double b = 0;
  double moved = 0;
  for (int i = 0; i < m->rows; i++) {
    a += m->r[i] * m->uc[i];
    b += 0.5 * m->r[i] * (m->u1[i] - m->uc[i]);
    moved += fabs(m->pc[i] + m->r[i]) * (fabs(m->u[i]) + fabs(m->u1[i]));
  }
  double gain = Tc + a + b;
  out->gained = gain > GAIN * moved;
  out->scale = 1;
  if (gain <= 0 || !m->in->law->passive) {
    return;
  }
  double root = sqrt(fmax(a * a - 4 * b * Tc, 0));
  double scale = a > 0 ? -2 * Tc / (a + root) : (root - a) / (2 * b);
  out->scale = fmin(fmax(scale, 0), 1);
  for (int i = 0; i < m->rows; i++) {
    m->r[i] *= out->scale;
  }
  velocities_after(m, m->uc, m->r, m->u1);
}

static bool is_frictionless(const rh_many_in *in)
{
  return largest_size(in->mu, in->n) == 0;
}

bool rh_many_impact(const rh_many_in *in, double *room, double *p, double *u_after,
                    rh_many_out *out)
{
  many m;
  if (!rh_many_open(in, p, u_after, out)) {
    return true;
  }
  if (rh_many_early(in)) {
    return false;
  }
  open_many(&m, in, room);
  bool good = is_frictionless(in) ? without_friction(&m, &out->free) : with_friction(&m);
  limit_energy(&m, out);
  out->Dn = -impulse_work(&m, m.pc, m.u, m.uc, true) - impulse_work(&m, m.r, m.uc, m.u1, true);
  out->Dt = -impulse_work(&m, m.pc, m.u, m.uc, false) - impulse_work(&m, m.r, m.uc, m.u1, false);
  out->impacts = 1;
  out->Wn[0] = -out->Dn;
  for (int i = 0; i < m.rows; i++) {
    int to = 3 * (int)m.order[i / 3] + i % 3;
    p[to] = m.pc[i] + m.r[i];
    u_after[to] = m.u1[i];
    if (in->lost != NULL) { // two straight pieces
      double piece = m.pc[i] * (m.u[i] + m.uc[i]) + m.r[i] * (m.uc[i] + m.u1[i]);
      in->lost[2 * (to / 3) + (to % 3 != 2)] -= 0.5 * piece;
    }
  }
  if (!is_frictionless(in)) {
    out->free = count_undetermined(&m);
  }
  return good && isfinite(out->Dn + out->Dt);
}
