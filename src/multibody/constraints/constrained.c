// Forward dynamics and impulse responses under the constraints of a scene, Psi v = s, and, for engines
// that do not solve them themselves (rh_engine.loop_rows), its loops, whose rows are rates of gaps.
//   H a = tau + J' f + Psi' lambda,   Psi a + dPsi/dt v - ds/dt = -2 k u - k^2 gap     [WK] 2.1
//   A lambda = b - Psi a0,   A = Psi H^-1 Psi',   u = Psi v - s
// The velocity of the rows is what index reduction leaves of them; its error and that of a gap are
// removed with the rate k. Every response is that of the constrained system: to a unit force on
// one body that of another is L - V' A^-1 V, V the velocities by unit forces of the rows. So impulses
// of contacts leave Psi v+ = s, under every formulation.
// A row that depends on the joints, or on rows before it, carries no force: rh_constraint_system has
// its pivot zero, and `lack` if it asks for something else than the others do.
#include "multibody/multibody.h"

#include <math.h>
#include <string.h>

static const double DRIFT = 10;        // k [1/s], that of rigid contacts (event/contact_forces.c)
static const double DEPENDENT = 1e-10; // a pivot below this part of the row's own inertia
static const double ZERO = 1e-12;      // a row below this part of its terms: joints keep it already
static const double LACKING = 1e-6;    // of the accelerations of a row: it contradicts the others

// ---- Rows in generalised speeds

static void add_side(const rh_data *d, int body, const rh_vec3 arm[3], double sign, double *G,
                     double *size)
{
  const rh_model *m = d->model;
  rh_vec3 r = rh_sub(arm[0], d->kin[body].p); // from the origin of the present body to the point
  for (int i = body; i > 0; i = m->body[i].parent) {
    for (int k = m->body[i].vadr; k < m->body[i].vadr + m->body[i].nv; k++) {
      rh_vec3 col = rh_add(d->dyn.S[k].lin, rh_cross(d->dyn.S[k].ang, r));
      G[k] += sign * (rh_dot(arm[1], col) + rh_dot(arm[2], d->dyn.S[k].ang));
      *size =
          fmax(*size, rh_norm(arm[1]) * rh_norm(col) + rh_norm(arm[2]) * rh_norm(d->dyn.S[k].ang));
    }
    r = rh_add(r, d->kin[i].r);
  }
}

// Acceleration of the point `arm[0]`, which moves as `rate[0]`, along the row if no joint accelerated,
// and what the row's own change adds
static double side_bias(const rh_data *d, int body, const rh_vec3 arm[3], const rh_vec3 rate[3])
{
  const rh_kin_body *k = &d->kin[body];
  rh_vec3 r = rh_sub(arm[0], k->p);
  rh_vec3 v = rh_add(k->v.lin, rh_cross(k->v.ang, r));
  rh_vec3 a = rh_add(k->c.lin,
                     rh_add(rh_cross(k->c.ang, r), rh_cross(k->v.ang, rh_sub(rate[0], k->v.lin))));
  return body == 0 ? 0
                   : rh_dot(arm[1], a) + rh_dot(arm[2], k->c.ang) + rh_dot(rate[1], v) +
                         rh_dot(rate[2], k->v.ang);
}

static double dot_rows(int n, const double *x, const double *y)
{
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += x[i] * y[i];
  }
  return sum;
}

// One row of a loop or constraint, and its rate along the motion
typedef struct system_row {
  rh_vec3 arm[2][3], rate[2][3]; // on a and on b: where it acts, push, turn
  double gap, speed, speed_rate;
  const double *coef, *coef_rate; // of speeds of joints; NULL: none
} system_row;

static void set_side(system_row *x, int side, const rh_vec3 arm[3], const rh_vec3 rate[3])
{
  memcpy(x->arm[side], arm, sizeof x->arm[side]);
  memcpy(x->rate[side], rate, sizeof x->rate[side]);
}

// Row r of the system
static void make_row(rh_data *d, const rh_model_loop *l, const system_row *x, int r)
{
  rh_constraint_system *s = d->dyn.rows;
  int nv = d->model->nv;
  double *G = s->Psi + (size_t)r * (size_t)nv;
  double size = 0;
  memset(G, 0, (size_t)nv * sizeof *G);
  add_side(d, l->a, x->arm[0], 1, G, &size);
  add_side(d, l->b, x->arm[1], -1, G, &size);
  double bias = side_bias(d, l->a, x->arm[0], x->rate[0]) -
                side_bias(d, l->b, x->arm[1], x->rate[1]) - x->speed_rate;
  for (int k = 0; k < l->nterm && x->coef; k++) {
    G[l->dof[k]] += x->coef[k];
    size = fmax(size, fabs(x->coef[k]));
    bias += x->coef_rate[k] * d->v[l->dof[k]];
  }
  double largest = 0;
  for (int k = 0; k < nv; k++) {
    largest = fmax(largest, d->hold[k] == RH_HOLD_NONE ? fabs(G[k]) : 0);
  }
  s->kept[r] = largest <= ZERO * size;
  s->speed[r] = x->speed;
  s->gap[r] = x->gap;
  s->u[r] = dot_rows(nv, G, d->v) - s->speed[r];
  s->b[r] = -bias - 2 * DRIFT * s->u[r] - DRIFT * DRIFT * s->gap[r];
}

static void make_constraint_rows(rh_data *d, const rh_model_loop *l, int r)
{
  rh_constraint_rows rows[2];
  rh_constraint_stand(d, l, &d->kin[l->a], &d->kin[l->b], rows);
  for (int i = 0; i < l->nrow; i++) {
    system_row x = {.gap = rows[0].gap[i],
                    .speed = rows[0].speed[i],
                    .speed_rate = rows[1].speed[i],
                    .coef = i == 0 ? rows[0].coef : NULL,
                    .coef_rate = rows[1].coef};
    for (int side = 0; side < 2; side++) {
      set_side(&x, side, (const rh_vec3[3]){rows[0].point, rows[0].push[i], rows[0].turn[i]},
               (const rh_vec3[3]){rows[1].point, rows[1].push[i], rows[1].turn[i]});
    }
    make_row(d, l, &x, r + i);
  }
}

// The ends of a loop move with their bodies, each where it is.
static void make_loop_rows(rh_data *d, const rh_model_loop *l, int r)
{
  rh_xform end[2];
  rh_motion v[2];
  rh_loop_row row[RH_LOOP_ROWS] = {0};
  rh_loop_row rate[RH_LOOP_ROWS] = {0};
  rh_loop_ends(l, &d->kin[l->a], &d->kin[l->b], end);
  for (int side = 0; side < 2; side++) {
    v[side] = rh_end_velocity(&d->kin[side == 0 ? l->a : l->b], end[side].p);
  }
  l->kind->rows(&end[0], &end[1], l->par, row);
  if (l->kind->rates) {
    l->kind->rates(&end[0], &end[1], &v[0], &v[1], l->par, rate);
  }
  for (int i = 0; i < l->nrow; i++) {
    system_row x = {.gap = row[i].gap};
    for (int side = 0; side < 2; side++) {
      set_side(&x, side, (const rh_vec3[3]){end[side].p, row[i].push, row[i].turn},
               (const rh_vec3[3]){v[side].lin, rate[i].push, rate[i].turn});
    }
    make_row(d, l, &x, r + i);
  }
}

// A held tendon keeps its length; the row of one that is free is empty, and carries no force. [loads]
static void make_tendon_row(rh_data *d, int index, int r)
{
  const rh_model_tendon *t = &d->model->tendons.of[index];
  rh_constraint_system *s = d->dyn.rows;
  double *G = s->Psi + (size_t)r * (size_t)d->model->nv;
  rh_hold hold = (rh_hold)d->dyn.tendon_hold[t->stop];
  memset(G, 0, (size_t)d->model->nv * sizeof *G);
  s->kept[r] = true;
  s->speed[r] = s->gap[r] = s->u[r] = s->b[r] = 0;
  if (hold == RH_HOLD_NONE) {
    return;
  }
  double length = d->dyn.tendon[index].length;
  rh_tendon_push(d, index, 1, G);
  s->gap[r] = hold == RH_HOLD_LOWER   ? length - t->lower
              : hold == RH_HOLD_UPPER ? length - t->upper
                                      : 0;
  double largest = 0;
  double moving = 0;
  for (int k = 0; k < d->model->nv; k++) {
    largest = fmax(largest, fabs(G[k]));
    moving = fmax(moving, d->hold[k] == RH_HOLD_NONE ? fabs(G[k]) : 0);
  }
  s->kept[r] = moving <= ZERO * largest;
  s->u[r] = dot_rows(d->model->nv, G, d->v);
  s->b[r] = -rh_tendon_bias(d, index) - 2 * DRIFT * s->u[r] - DRIFT * DRIFT * s->gap[r];
}

static void make_rows(rh_data *d)
{
  const rh_model *m = d->model;
  int r = 0;
  for (int i = 0; i < m->tendons.n && m->layout.ntendon > 0; i++) {
    if (m->tendons.of[i].stop != RH_NONE) {
      make_tendon_row(d, i, m->layout.nrow + m->tendons.of[i].stop);
    }
  }
  for (int k = rh_rows_first(m); k < m->nloop; k++) {
    const rh_model_loop *l = &m->loop[k];
    if (l->kind) {
      make_loop_rows(d, l, r);
    } else {
      make_constraint_rows(d, l, r);
    }
    r += l->nrow;
  }
}

// ---- Their inertia

// X = H^-1 Psi', and the velocities of the bodies by it
static void respond_to_rows(rh_data *d)
{
  rh_constraint_system *s = d->dyn.rows;
  size_t nv = (size_t)d->model->nv;
  for (int r = 0; r < s->n; r++) {
    rh_impulse_response_free(d, s->Psi + (size_t)r * nv, s->X + (size_t)r * nv);
    for (int b = 0; b < d->model->nbody; b++) {
      double *V = s->V + 6 * ((size_t)b * (size_t)s->n + (size_t)r);
      memcpy(V, d->dyn.aba[b].w, 3 * sizeof *V);
      memcpy(V + 3, d->dyn.aba[b].a, 3 * sizeof *V);
    }
  }
}

// Cholesky's factor in the order of the rows; those that depend on earlier ones have a zero pivot.
static void factor_rows(rh_data *d)
{
  rh_constraint_system *s = d->dyn.rows;
  int n = s->n;
  int nv = d->model->nv;
  s->rank = 0;
  for (int i = 0; i < n; i++) {
    double *row = s->A + (size_t)i * (size_t)n;
    for (int j = 0; j <= i; j++) {
      const double *other = s->A + (size_t)j * (size_t)n;
      double own = dot_rows(nv, s->Psi + (size_t)i * (size_t)nv, s->X + (size_t)j * (size_t)nv);
      double sum = own - dot_rows(j, row, other);
      if (j < i) {
        row[j] = other[j] > 0 ? sum / other[j] : 0;
      } else {
        row[i] = !s->kept[i] && sum > DEPENDENT * own ? sqrt(sum) : 0;
        s->rank += row[i] > 0;
      }
    }
  }
}

void rh_constraints_solve(const rh_constraint_system *s, double *x)
{
  int n = s->n;
  for (int i = 0; i < n; i++) {
    const double *row = s->A + (size_t)i * (size_t)n;
    x[i] = row[i] > 0 ? (x[i] - dot_rows(i, row, x)) / row[i] : 0;
  }
  for (int i = n - 1; i >= 0; i--) {
    double sum = x[i];
    for (int k = i + 1; k < n; k++) {
      sum -= s->A[(size_t)k * (size_t)n + (size_t)i] * x[k];
    }
    double pivot = s->A[(size_t)i * (size_t)n + (size_t)i];
    x[i] = pivot > 0 ? sum / pivot : 0;
  }
}

void rh_constraints_factor(rh_data *d)
{
  make_rows(d);
  respond_to_rows(d);
  factor_rows(d);
}

// ---- Forces

// g := Psi' x
static void push_rows(const rh_data *d, const double *x, double *g)
{
  const rh_constraint_system *s = d->dyn.rows;
  int nv = d->model->nv;
  memset(g, 0, (size_t)nv * sizeof *g);
  for (int r = 0; r < s->n; r++) {
    for (int k = 0; k < nv; k++) {
      g[k] += x[r] * s->Psi[(size_t)r * (size_t)nv + (size_t)k];
    }
  }
}

// The largest part of the acceleration that a row without a force asks for and does not get
static void find_lack(rh_data *d)
{
  rh_constraint_system *s = d->dyn.rows;
  int nv = d->model->nv;
  int last = d->model->layout.nrow; // tendons follow, of which a free one carries no force
  s->lack = 0;
  double correction = 0; // [m/s^2, rad/s^2] what errors of rows add; some cannot be removed
  for (int r = 0; r < last && s->rank < s->n; r++) {
    correction = fmax(correction, 2 * DRIFT * fabs(s->u[r]) + DRIFT * DRIFT * fabs(s->gap[r]));
  }
  for (int r = 0; r < last && s->rank < s->n; r++) {
    const double *G = s->Psi + (size_t)r * (size_t)nv;
    double scale = 1 + fabs(s->b[r]);
    for (int k = 0; k < nv; k++) {
      scale += fabs(G[k] * d->a[k]);
    }
    double lack = fmax(0, fabs(s->b[r] - dot_rows(nv, G, d->a)) - correction) / scale;
    if (s->A[(size_t)r * (size_t)s->n + (size_t)r] == 0 && !(lack <= fmax(LACKING, s->lack))) {
      s->lack = lack;
      s->lacking = r;
    }
  }
}

void rh_constraints_add_forces(rh_data *d)
{
  rh_constraint_system *s = d->dyn.rows;
  int nv = d->model->nv;
  for (int r = 0; r < s->n; r++) {
    s->x[r] = s->b[r] - dot_rows(nv, s->Psi + (size_t)r * (size_t)nv, d->a);
  }
  rh_constraints_solve(s, s->x);
  for (int r = 0; r < s->n; r++) {
    s->force[r] += s->x[r];
  }
  push_rows(d, s->x, s->g);
  rh_forces_more(d, NULL, s->g);
  find_lack(d);
}

void rh_constraints_act(rh_data *d)
{
  rh_constraints_factor(d);
  memset(d->dyn.rows->force, 0, (size_t)d->dyn.rows->n * sizeof(double));
  rh_constraints_add_forces(d);
}

double rh_constraints_power(const rh_data *d)
{
  const rh_constraint_system *s = d->dyn.rows;
  double power = 0;
  for (int r = 0; s && r < s->n; r++) {
    power += s->force[r] * (s->speed[r] + s->u[r]);
  }
  return power;
}

double rh_constraints_work(const rh_data *d, double h)
{
  const rh_constraint_system *s = d->dyn.rows;
  int nv = d->model->nv;
  double work = 0;
  for (int r = 0; s && r < s->n; r++) {
    double after = dot_rows(nv, s->Psi + (size_t)r * (size_t)nv, d->v);
    work += 0.5 * h * s->force[r] * (s->speed[r] + s->u[r] + after);
  }
  return work;
}

int rh_rows_first(const rh_model *m)
{
  return m->layout.nlooprow > 0 ? 0 : m->nloop - m->layout.nconstraint;
}

int rh_loop_of_row(const rh_model *m, int r, int *row)
{
  int k = rh_rows_first(m);
  while (r >= m->loop[k].nrow) {
    r -= m->loop[k++].nrow;
  }
  *row = r;
  return k;
}

void rh_loop_force(const rh_data *d, int loop, double f[6])
{
  rh_loop_row row[RH_LOOP_ROWS];
  rh_vec3 force = {0, 0, 0};
  rh_vec3 torque = {0, 0, 0};
  int r = 0;
  for (int k = 0; k < loop; k++) {
    r += d->model->loop[k].nrow;
  }
  rh_loop_stand(d, loop, row);
  for (int i = 0; i < d->model->loop[loop].nrow; i++) {
    force = rh_addscaled(force, d->dyn.rows->force[r + i], row[i].push);
    torque = rh_addscaled(torque, d->dyn.rows->force[r + i], row[i].turn);
  }
  memcpy(f, &force, sizeof force);
  memcpy(f + 3, &torque, sizeof torque);
}

// ---- Impulses

// The rows keep their velocities: g becomes the impulses p with those of the rows.
void rh_constraints_impulses(rh_data *d, const double *p, double *g)
{
  rh_constraint_system *s = d->dyn.rows;
  int nv = d->model->nv;
  for (int r = 0; r < s->n; r++) {
    s->x[r] = -dot_rows(nv, p, s->X + (size_t)r * (size_t)nv);
  }
  rh_constraints_solve(s, s->x);
  push_rows(d, s->x, g);
  for (int k = 0; k < nv; k++) {
    g[k] += p[k];
  }
}

void rh_constraints_respond(const rh_data *d, int body, const int *set, int n, double *v)
{
  const rh_constraint_system *s = d->dyn.rows;
  size_t rows = (size_t)s->n;
  const double *V = s->V + 6 * rows * (size_t)body;
  for (int c = 0; c < 6; c++) {
    for (size_t r = 0; r < rows; r++) {
      s->x[r] = V[6 * r + (size_t)c];
    }
    rh_constraints_solve(s, s->x);
    for (int e = 0; e < n; e++) {
      const double *at = s->V + 6 * rows * (size_t)set[e];
      double *to = v + 36 * (size_t)e + 6 * (size_t)c;
      for (size_t r = 0; r < rows; r++) {
        for (int i = 0; i < 6; i++) {
          to[i] -= s->x[r] * at[6 * r + (size_t)i];
        }
      }
    }
  }
}

bool rh_constraints_hold(rh_data *d)
{
  rh_constraint_system *s = d->dyn.rows;
  int nv = d->model->nv;
  bool any = false;
  for (int r = 0; r < s->n; r++) {
    s->x[r] = -s->u[r];
    any = any || s->u[r] != 0;
  }
  rh_constraints_solve(s, s->x);
  for (int r = 0; r < s->n; r++) {
    for (int k = 0; k < nv; k++) {
      d->v[k] += s->x[r] * s->X[(size_t)r * (size_t)nv + (size_t)k];
    }
  }
  return any;
}

double rh_constraints_gap(const rh_data *d)
{
  const rh_constraint_system *s = d->dyn.rows;
  double largest = 0;
  for (int r = 0; r < s->n; r++) {
    bool free =
        s->A[(size_t)r * (size_t)s->n + (size_t)r] > 0; // others follow, or cannot be closed
    largest = fmax(largest, free ? fabs(s->gap[r]) : 0);
  }
  return largest;
}

// One step of Newton's method along H^-1 Psi': the least displacement in the metric of H.
void rh_constraints_close(rh_data *d)
{
  rh_constraint_system *s = d->dyn.rows;
  int nv = d->model->nv;
  double *v = d->v;
  double *move = s->g;
  for (int r = 0; r < s->n; r++) {
    s->x[r] = -s->gap[r];
  }
  rh_constraints_solve(s, s->x);
  memset(move, 0, (size_t)nv * sizeof *move);
  for (int r = 0; r < s->n; r++) {
    for (int k = 0; k < nv; k++) {
      move[k] += s->x[r] * s->X[(size_t)r * (size_t)nv + (size_t)k];
    }
  }
  d->v = move;
  rh_coordinates_advance(d, 1, d->q);
  d->v = v;
}
