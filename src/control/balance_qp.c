// Torques of a robot on its feet, as a quadratic programme that never requests a force the ground
// cannot give. Unknowns are the accelerations a and the sizes f >= 0 of forces along the edges of a
// pyramid inside each friction cone, F = m g G f:
//   min    sum w^2 |J a - x''|^2 + sum care^2 (a - want)^2
//          + keep^2 |J_c a + J_c' v + settle J_c v|^2 + small f^2
//   with   x'' = x_d'' + 2 sqrt(kp) (x_d' - x') + kp (x_d - x) - J' v       [Ch] 4.17-4.22*
//   and    (H a + h - B f)_u = 0 for degrees of freedom u without actuator, B = J_c' m g G,
//          lo <= (H a + h - B f)_k <= hi for one with actuators; this is its effort.
// The objective is strictly convex, and f = 0 with any efforts is feasible, so there is one answer.
// The accelerations are eliminated, with Q the Hessian of a, c its gradient at zero, E = H_u, D = E
// Q^-1 E', y >= 0 the multipliers of the active limits C a + N f >= b:
//   w = (small + B_u' D^-1 B_u) f - (B_u' D^-1 E Q^-1 C' + N') y
//       + B_u' D^-1 (E Q^-1 c - h_u) >= 0, complementary to f,
//   s = (C Q^-1 E' D^-1 B_u + N) f + C M C' y + C a_0 - b >= 0, complementary to y,
// M = Q^-1 - Q^-1 E' D^-1 E Q^-1. Without y this is a programme in f alone (src/complement), with
// it a monotone complementarity problem (Lemke). Violated limits are added. Contacts are kept by
// weight, not by equations: dependent ones are harmless then, and a foot that cannot be held slips.
// A contact may have a minimum load: it counts as an external force, f is the excess. Springs and
// dampers of joints are included (d->load); dry friction at rest is not.
#include "control.h"

#include "complement/active_set.h"
#include "complement/lemke.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

#define SMALL     1e-6 // weight of f, relative to the largest other curvature
#define TOLERANCE 1e-9 // of the programme
#define WITHIN    1e-7 // relative amount by which a limit counts as violated

enum { PASSES = 30 }; // that add limits

enum { DRIVEN = 1, LOWER = 2, UPPER = 4 }; // a degree of freedom has actuators; its active limits

typedef struct programme {
  rh_data *d;
  const rh_support *support;
  int nv, ne;        // accelerations, edges
  int nu, nc;        // equations, active limits
  double unit;       // [N] of f
  double *bias;      // h less the forces of springs and dampers (nv)
  double *H;         // (nv x nv)
  double *B;         // (nv x ne)
  double *L;         // Cholesky factor of Q (nv x nv)
  double *c;         // (nv)
  double *row_of;    // degree of freedom of each equation (nv)
  double *ZE;        // Q^-1 E' (nu x nv, one row per equation)
  double *D;         // Cholesky factor of E Q^-1 E' (nu x nu)
  double *DB;        // D^-1 B_u (ne x nu, one row per edge)
  double *a0;        // accelerations for f = 0, y = 0 (nv)
  double *limit;     // degree of freedom and sign of each limit (2 nc)
  double *MC;        // M C' (nc x nv)
  double *A, *g, *z; // the problem: f, then y (n x n), (n), (n)
  double *unit_of;   // units of the rows (n)
  double *a;         // (nv)
  double *driven; // 0: no actuator, else DRIVEN and active limits; then lower, upper limits (3 nv)
  double *work;
} programme;

typedef struct counter {
  double *base;
  size_t used;
} counter;

static double *take_doubles(counter *k, size_t n)
{
  double *at = k->base ? k->base + k->used : NULL;
  k->used += n;
  return at;
}

static size_t larger_size(size_t a, size_t b)
{
  return a > b ? a : b;
}

static size_t lay_out(programme *p, const rh_model *m, int points, double *room)
{
  counter k = {room, 0};
  size_t nv = (size_t)m->nv;
  size_t ne = RH_BALANCE_EDGES * (size_t)points;
  size_t nc = 2 * (nv < (size_t)m->nactuator ? nv : (size_t)m->nactuator);
  size_t n = ne + nc;
  p->nv = (int)nv;
  p->ne = (int)ne;
  p->bias = take_doubles(&k, nv);
  p->H = take_doubles(&k, nv * nv);
  p->B = take_doubles(&k, nv * ne);
  p->L = take_doubles(&k, nv * nv);
  p->c = take_doubles(&k, nv);
  p->row_of = take_doubles(&k, nv);
  p->ZE = take_doubles(&k, nv * nv);
  p->D = take_doubles(&k, nv * nv);
  p->DB = take_doubles(&k, nv * ne);
  p->a0 = take_doubles(&k, nv);
  p->limit = take_doubles(&k, 2 * nc);
  p->MC = take_doubles(&k, nc * nv);
  p->A = take_doubles(&k, n * n);
  p->g = take_doubles(&k, n);
  p->z = take_doubles(&k, n);
  p->unit_of = take_doubles(&k, n);
  p->a = take_doubles(&k, nv);
  p->driven = take_doubles(&k, 3 * nv);
  p->work = take_doubles(
      &k, larger_size(6 * nv, larger_size(rh_active_set_room((int)n), rh_lemke_room((int)n))));
  return k.used;
}

size_t rh_balance_room(const rh_model *m, int n)
{
  programme p;
  return lay_out(&p, m, n, NULL);
}

static double dot(int n, const double *a, const double *b)
{
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

// ---- The objective

// Adds w^2 |J a - x|^2 of three rows.
static void add_rows(programme *p, double w, const double *J, const double x[3])
{
  for (int r = 0; r < 3; r++) {
    const double *row = J + (size_t)r * (size_t)p->nv;
    for (int i = 0; i < p->nv; i++) {
      double wi = w * w * row[i];
      p->c[i] -= wi * x[r];
      for (int j = 0; wi != 0 && j <= i; j++) {
        p->L[(size_t)i * p->nv + j] += wi * row[j];
      }
    }
  }
}

static void add_task(programme *p, const rh_task *task)
{
  double *J = p->work;
  rh_vec3 e = rh_task_error(p->d, task);
  rh_vec3 v = rh_sub(task->v, rh_task_velocity(p->d, task));
  rh_vec3 x = rh_sub(task->a, rh_task_bias(p->d, task));
  double kd = task->kd > 0 ? task->kd : 2 * sqrt(task->kp);
  x = rh_addscaled(rh_addscaled(x, kd, v), task->kp, e);
  rh_task_jacobian(p->d, task, J + 3 * (size_t)p->nv, J);
  add_rows(p, task->weight, J, (double[3]){x.x, x.y, x.z});
}

// Edges of the pyramid at contact i: along the normal and mu either way of each tangent.
static void add_contact(programme *p, const rh_balance *want, int i)
{
  const rh_model_point *at = &p->support->point[i];
  static const rh_mat3 flat = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
  const double *f = p->support->frame ? p->support->frame[i].m : flat.m;
  double *J = p->work;
  rh_point_jacobian(p->d, at->body, at->at, J);
  rh_vec3 bias = rh_point_bias(p->d, at->body, at->at);
  rh_vec3 x = rh_neg(rh_addscaled(bias, want->settle, rh_point_velocity(p->d, at->body, at->at)));
  add_rows(p, want->keep, J, (double[3]){x.x, x.y, x.z});
  for (int e = 0; e < RH_BALANCE_EDGES; e++) {
    const double *t = f + (e < 2 ? 0 : 3);
    double side = e % 2 ? -p->support->mu : p->support->mu;
    for (int k = 0; k < p->nv; k++) {
      double sum = 0;
      for (int r = 0; r < 3; r++) {
        sum += J[(size_t)r * p->nv + k] * (f[6 + r] + side * t[r]);
      }
      p->B[(size_t)k * p->ne + RH_BALANCE_EDGES * i + e] = p->unit * sum;
    }
  }
}

// Minimum load of edge e, before the programme adds f
static double least_of(const programme *p, int e)
{
  const double *least = p->support->least;
  return least ? least[e / RH_BALANCE_EDGES] / (RH_BALANCE_EDGES * p->unit) : 0;
}

static void set_objective(programme *p, const rh_balance *want)
{
  rh_data *d = p->d;
  size_t nv = (size_t)p->nv;
  memset(p->L, 0, nv * nv * sizeof(double));
  for (int k = 0; k < p->nv; k++) {
    double w2 = want->care[k] * want->care[k];
    p->L[(size_t)k * nv + k] = w2;
    p->c[k] = -w2 * want->want[k];
  }
  for (int i = 0; i < want->ntask; i++) {
    add_task(p, &want->task[i]);
  }
  double weight = rh_total_mass(d->model) * rh_norm(d->model->gravity);
  p->unit = weight > 0 ? weight : 1;
  for (int i = 0; i < p->support->n; i++) {
    add_contact(p, want, i);
  }
  rh_mass_dense(d, p->H);
  rh_bias(d, p->bias);
  for (int k = 0; k < p->nv; k++) {
    p->bias[k] -= d->load[k];
    for (int e = 0; e < p->ne; e++) {
      p->bias[k] -= p->B[(size_t)k * p->ne + e] * least_of(p, e);
    }
  }
}

// ---- Equations and limits

static void mark_driven(programme *p)
{
  const rh_model *m = p->d->model;
  double *lo = p->driven + p->nv;
  double *hi = lo + p->nv;
  memset(p->driven, 0, 3 * (size_t)p->nv * sizeof(double));
  for (int i = 0; i < m->nactuator; i++) {
    int k = m->actuator[i].dof;
    p->driven[k] = DRIVEN;
    lo[k] += m->actuator[i].lo;
    hi[k] += m->actuator[i].hi;
  }
}

static const double *inertia_row(const programme *p, int k)
{
  return p->H + (size_t)k * (size_t)p->nv;
}

static const double *force_row(const programme *p, int k)
{
  return p->B + (size_t)k * (size_t)p->ne;
}

// Q^-1 E', D, D^-1 B_u and a0
static bool eliminate_accelerations(programme *p)
{
  int nv = p->nv;
  p->nu = 0;
  for (int k = 0; k < nv; k++) {
    if (p->driven[k] == 0) {
      double *z = p->ZE + (size_t)p->nu * (size_t)nv;
      memcpy(z, inertia_row(p, k), (size_t)nv * sizeof *z);
      rh_cholesky_solve(nv, p->L, z);
      p->row_of[p->nu++] = k;
    }
  }
  for (int i = 0; i < p->nu; i++) {
    for (int j = 0; j < p->nu; j++) {
      p->D[(size_t)i * p->nu + j] =
          dot(nv, inertia_row(p, (int)p->row_of[i]), p->ZE + (size_t)j * nv);
    }
  }
  if (!rh_cholesky(p->nu, p->D)) {
    return false;
  }
  for (int e = 0; e < p->ne; e++) {
    double *x = p->DB + (size_t)e * (size_t)p->nu;
    for (int i = 0; i < p->nu; i++) {
      x[i] = force_row(p, (int)p->row_of[i])[e];
    }
    rh_cholesky_solve(p->nu, p->D, x);
  }
  double *nu = p->work; // multipliers of the equations
  for (int k = 0; k < nv; k++) {
    p->a0[k] = -p->c[k];
  }
  rh_cholesky_solve(nv, p->L, p->a0);
  for (int i = 0; i < p->nu; i++) {
    int k = (int)p->row_of[i];
    nu[i] = -p->bias[k] - dot(nv, inertia_row(p, k), p->a0);
  }
  rh_cholesky_solve(p->nu, p->D, nu);
  for (int e = 0; e < p->ne; e++) { // B_u' D^-1 (E Q^-1 c - h_u): D^-1 is in the multipliers
    p->g[e] = 0;
    for (int i = 0; i < p->nu; i++) {
      p->g[e] += force_row(p, (int)p->row_of[i])[e] * nu[i];
    }
  }
  for (int i = 0; i < p->nu; i++) {
    for (int k = 0; k < nv; k++) {
      p->a0[k] += nu[i] * p->ZE[(size_t)i * nv + k];
    }
  }
  return true;
}

// The block of f alone; added limits change only the length of its rows.
static void fill_forces(programme *p, int n)
{
  double most = 0;
  for (int e = 0; e < p->ne; e++) {
    for (int f = 0; f < p->ne; f++) {
      double sum = 0;
      for (int i = 0; i < p->nu; i++) {
        sum += force_row(p, (int)p->row_of[i])[e] * p->DB[(size_t)f * p->nu + i];
      }
      p->A[(size_t)e * n + f] = sum;
      most = e == f ? fmax(most, sum) : most;
    }
  }
  for (int e = 0; e < p->ne; e++) {
    p->A[(size_t)e * n + e] += SMALL * (most > 0 ? most : 1);
  }
}

// Row of limit i in the columns of f: C Q^-1 E' D^-1 B_u + N
static double limit_force(const programme *p, int i, int e)
{
  int k = (int)p->limit[2 * i];
  double sum = -force_row(p, k)[e];
  for (int j = 0; j < p->nu; j++) {
    sum += dot(p->nv, inertia_row(p, k), p->ZE + (size_t)j * p->nv) * p->DB[(size_t)e * p->nu + j];
  }
  return p->limit[2 * i + 1] * sum;
}

static void fill_limits(programme *p, int n)
{
  const double *lo = p->driven + p->nv;
  const double *hi = lo + p->nv;
  for (int i = 0; i < p->nc; i++) {
    int k = (int)p->limit[2 * i];
    double sign = p->limit[2 * i + 1];
    size_t row = (size_t)(p->ne + i);
    for (int e = 0; e < p->ne; e++) {
      double x = limit_force(p, i, e);
      p->A[row * (size_t)n + (size_t)e] = x;
      p->A[(size_t)e * (size_t)n + row] = -x;
    }
    for (int j = 0; j < p->nc; j++) {
      p->A[row * (size_t)n + (size_t)(p->ne + j)] =
          sign * dot(p->nv, inertia_row(p, k), p->MC + (size_t)j * p->nv);
    }
    double b = sign > 0 ? lo[k] - p->bias[k] : p->bias[k] - hi[k];
    p->g[row] = sign * dot(p->nv, inertia_row(p, k), p->a0) - b;
  }
}

// M C' of limit i
static void fill_response(programme *p, int i)
{
  int k = (int)p->limit[2 * i];
  double *m = p->MC + (size_t)i * (size_t)p->nv;
  double *r = p->work;
  for (int j = 0; j < p->nv; j++) {
    m[j] = p->limit[2 * i + 1] * inertia_row(p, k)[j];
  }
  for (int j = 0; j < p->nu; j++) {
    r[j] = dot(p->nv, p->ZE + (size_t)j * p->nv, m);
  }
  rh_cholesky_solve(p->nu, p->D, r);
  rh_cholesky_solve(p->nv, p->L, m);
  for (int j = 0; j < p->nu; j++) {
    for (int l = 0; l < p->nv; l++) {
      m[l] -= r[j] * p->ZE[(size_t)j * p->nv + l];
    }
  }
}

// Efforts and forces differ in size: rows and unknowns of y are scaled to the size of those of f.
static void scale_effort_rows(programme *p, int n)
{
  double *unit = p->unit_of;
  double force = 0;
  for (int e = 0; e < p->ne; e++) {
    force = fmax(force, p->A[(size_t)e * n + e]);
  }
  for (int i = 0; i < n; i++) {
    double most = 0;
    for (int j = 0; j < n; j++) {
      most = fmax(most, fabs(p->A[(size_t)i * n + j]));
    }
    unit[i] = i >= p->ne && most > 0 && force > 0 ? force / most : 1;
  }
  for (int i = 0; i < n; i++) {
    p->g[i] *= unit[i];
    for (int j = 0; j < n; j++) {
      p->A[(size_t)i * n + j] *= unit[i] * unit[j];
    }
  }
}

static bool solve_programme(programme *p)
{
  int n = p->ne + p->nc;
  bool solved = true;
  fill_forces(p, n);
  fill_limits(p, n);
  if (p->nc == 0 && n > 0) {
    const rh_qp qp = {n, p->A, p->g};
    solved = rh_active_set(&qp, TOLERANCE, p->work, p->z) == RH_VERDICT_SOLVED;
  } else if (n > 0) {
    scale_effort_rows(p, n);
    const rh_lcp lcp = {n, p->A, p->g};
    solved = rh_lemke(&lcp, TOLERANCE, p->work, p->z) == RH_VERDICT_SOLVED;
    for (int i = 0; i < n; i++) {
      p->z[i] *= p->unit_of[i];
      p->g[i] /= p->unit_of[i]; // the block of f is used again
    }
  }
  memcpy(p->a, p->a0, (size_t)p->nv * sizeof(double));
  for (int e = 0; e < p->ne; e++) {
    for (int i = 0; p->z[e] != 0 && i < p->nu; i++) {
      double x = p->z[e] * p->DB[(size_t)e * p->nu + i];
      for (int k = 0; k < p->nv; k++) {
        p->a[k] += x * p->ZE[(size_t)i * p->nv + k];
      }
    }
  }
  for (int i = 0; i < p->nc; i++) {
    for (int k = 0; k < p->nv; k++) {
      p->a[k] += p->z[p->ne + i] * p->MC[(size_t)i * p->nv + k];
    }
  }
  return solved;
}

static double effort_of(const programme *p, int k)
{
  return p->bias[k] + dot(p->nv, inertia_row(p, k), p->a) - dot(p->ne, force_row(p, k), p->z);
}

// Adds the violated limits. False: none is violated.
static bool let_in(programme *p)
{
  const double *lo = p->driven + p->nv;
  const double *hi = lo + p->nv;
  bool any = false;
  for (int k = 0; k < p->nv; k++) {
    double effort = p->driven[k] > 0 ? effort_of(p, k) : 0;
    double slack = WITHIN * (1 + fabs(effort));
    bool below = p->driven[k] > 0 && effort < lo[k] - slack;
    bool above = p->driven[k] > 0 && effort > hi[k] + slack;
    int side = below ? LOWER : UPPER;
    if ((below || above) && !((int)p->driven[k] & side)) {
      p->limit[2 * p->nc] = k;
      p->limit[2 * p->nc + 1] = below ? 1 : -1;
      fill_response(p, p->nc++);
      p->driven[k] += side;
      any = true;
    }
  }
  return any;
}

// Are the efforts within the limits before they are clamped?
static bool keeps_limits(const programme *p)
{
  const double *lo = p->driven + p->nv;
  const double *hi = lo + p->nv;
  bool keeps = true;
  for (int k = 0; k < p->nv; k++) {
    double effort = p->driven[k] > 0 ? effort_of(p, k) : 0;
    double slack = 10 * WITHIN * (1 + fabs(effort));
    keeps = keeps && (p->driven[k] == 0 || (effort >= lo[k] - slack && effort <= hi[k] + slack));
  }
  return keeps;
}

// ---- The answer

static void read_answer(programme *p, double *effort, double *F)
{
  const rh_model *m = p->d->model;
  double *left = p->work; // effort of each degree of freedom that no actuator covers yet
  for (int k = 0; k < p->nv; k++) {
    left[k] = effort_of(p, k);
  }
  for (int i = 0; i < m->nactuator; i++) {
    const rh_model_actuator *a = &m->actuator[i];
    effort[i] = fmin(fmax(left[a->dof], a->lo), a->hi);
    left[a->dof] -= effort[i];
  }
  for (int i = 0; i < p->support->n; i++) {
    static const rh_mat3 flat = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const double *f = p->support->frame ? p->support->frame[i].m : flat.m;
    const double *x = p->z + (size_t)RH_BALANCE_EDGES * (size_t)i;
    double least = RH_BALANCE_EDGES * least_of(p, RH_BALANCE_EDGES * i);
    for (int r = 0; r < 3; r++) {
      double along = (least + x[0] + x[1] + x[2] + x[3]) * f[6 + r];
      double across = (x[0] - x[1]) * f[r] + (x[2] - x[3]) * f[3 + r];
      F[3 * i + r] = p->unit * (along + p->support->mu * across);
    }
  }
}

bool rh_balance_solve(rh_data *d, const rh_support *support, const rh_balance *want, double *room,
                      double *effort, double *F)
{
  programme p = {.d = d, .support = support};
  (void)lay_out(&p, d->model, support->n, room);
  set_objective(&p, want);
  mark_driven(&p);
  if (!rh_cholesky(p.nv, p.L) || !eliminate_accelerations(&p)) {
    memset(effort, 0, (size_t)d->model->nactuator * sizeof *effort);
    memset(F, 0, 3 * (size_t)support->n * sizeof *F);
    return false;
  }
  bool solved = solve_programme(&p);
  for (int i = 0; i < PASSES && solved && let_in(&p); i++) {
    solved = solve_programme(&p);
  }
  solved = solved && keeps_limits(&p);
  read_answer(&p, effort, F);
  return solved;
}
