// arcs.c: the state of a body in flight. Its centre of mass moves on a parabola, its attitude by Euler's equations without torque:
//   p(t) = a + b t + g t^2 / 2 - R(t) d,     I w' = I w x w  (body axes)
// a, b, the attitude and w at one time are least squares of the rows; their covariance is that of a straight line, once for
// places and once for turns. Noise is that of all arcs together.
#include "phases.h"

#include <math.h>
#include <string.h>

#define TURN_STEP 0.05 // [rad] of a step of the torque-free motion: error 1e-8 by its order 4
#define SURE      0.02 // gravity of the flights counts if its error is below this part of it
#define COM_SURE  0.03 // and the centre of mass if its error is below this part of the shape

#define TURN_END 1e-10 // [rad] of a correction

enum { TURN_STEPS_MOST = 400, TURN_PASSES = 30 };

static rh_quat quat_of_turn(rh_vec3 turn)
{
  double angle = rh_norm(turn);
  double half = angle > 1e-8 ? rh_sin(0.5 * angle) / angle : 0.5;
  return rh_quat_unit((rh_quat){rh_cos(0.5 * angle), half * turn.x, half * turn.y, half * turn.z});
}

static rh_vec3 turn_of_quat(rh_quat q)
{
  rh_vec3 v = rh_v3(q.x, q.y, q.z);
  double s = rh_norm(v);
  double angle = 2 * rh_atan2(s, fabs(q.w));
  return rh_scale((q.w < 0 ? -1 : 1) * (s > 1e-12 ? angle / s : 2), v);
}

// ---- Torque-free motion

typedef struct spinning { // inertia about the centre of mass, body axes
  rh_mat3 I, inverse;
} spinning;

static spinning spinning_of(const rh_inertia *about)
{
  spinning s;
  rh_vec3 c = rh_scale(about->mass > 0 ? 1 / about->mass : 0, about->h);
  rh_vec3 column[3];
  for (int k = 0; k < 3; k++) {
    rh_vec3 e = rh_v3(k == 0, k == 1, k == 2);
    // I e = I_O e - m c x (e x c) (Steiner)
    column[k] =
        rh_sub(rh_sym3_mul(&about->I, e), rh_scale(about->mass, rh_cross(c, rh_cross(e, c))));
  }
  double det = rh_dot(column[0], rh_cross(column[1], column[2]));
  for (int k = 0; k < 3; k++) {
    rh_vec3 row =
        rh_scale(det != 0 ? 1 / det : 0, rh_cross(column[(k + 1) % 3], column[(k + 2) % 3]));
    const double x[3] = {row.x, row.y, row.z};
    const double y[3] = {column[k].x, column[k].y, column[k].z};
    for (int i = 0; i < 3; i++) {
      s.inverse.m[3 * k + i] = x[i];
      s.I.m[3 * i + k] = y[i];
    }
  }
  return s;
}

static rh_vec3 spin_rate(const spinning *s, rh_vec3 w)
{
  return rh_rotate(&s->inverse, rh_cross(rh_rotate(&s->I, w), w));
}

// Moves attitude and angular velocity (world axes) over dt: the rate by Runge and Kutta's method, the attitude by the mean rate of
// the step, with the term of the commutator (Magnus).
static void spin_on(const spinning *s, double dt, rh_quat *q, rh_vec3 *w)
{
  rh_mat3 R = rh_quat_matrix(*q);
  rh_vec3 b = rh_unrotate(&R, *w);
  int n = 1 + (int)fmin(fabs(dt) * rh_norm(b) / TURN_STEP, TURN_STEPS_MOST);
  double h = dt / n;
  for (int i = 0; i < n; i++) {
    rh_vec3 k1 = spin_rate(s, b);
    rh_vec3 k2 = spin_rate(s, rh_addscaled(b, 0.5 * h, k1));
    rh_vec3 k3 = spin_rate(s, rh_addscaled(b, 0.5 * h, k2));
    rh_vec3 k4 = spin_rate(s, rh_addscaled(b, h, k3));
    rh_vec3 mean = rh_scale(1.0 / 6, rh_add(rh_add(k1, k4), rh_scale(2, rh_add(k2, k3))));
    rh_vec3 end = rh_addscaled(b, h, mean);
    rh_vec3 middle = rh_addscaled(b, 0.5 * h, rh_scale(0.5, rh_add(k1, k2)));
    rh_vec3 turn = rh_scale(h / 6, rh_add(rh_add(b, end), rh_scale(4, middle)));
    turn = rh_addscaled(turn, h * h / 12, rh_cross(b, end));
    *q = rh_quat_unit(rh_quat_mul(*q, quat_of_turn(turn)));
    b = end;
  }
  R = rh_quat_matrix(*q);
  *w = rh_rotate(&R, b);
}

// ---- Rows

static void read_pose(rh_fit_rows *r, const rh_fit_work *k, rh_data *d, int row)
{
  const rh_fit_map *map = rh_fit_map_of(k->problem);
  const double *value = k->data->value + (size_t)row * (size_t)k->data->nchannel;
  int place[3];
  double x[7];
  r->gap[row] = (double)NAN;
  if (!rh_fit_place_of(k->problem, r->turn, place)) {
    return;
  }
  for (int i = 0; i < 7; i++) {
    x[i] = value[i < 3 ? place[i] : map->turn[r->turn][i - 3]];
    if (!isfinite(x[i])) {
      return;
    }
  }
  r->p[row] = rh_v3(x[0], x[1], x[2]);
  r->q[row] = rh_quat_unit((rh_quat){x[3], x[4], x[5], x[6]});
  rh_fit_pose(d, r->body, r->p[row], r->q[row]);
  rh_fit_touch touch;
  r->gap[row] = rh_fit_find_touch(d, r->body, r->margin, &touch) ? touch.gap : HUGE_VAL;
}

static void take_flights(const rh_fit_flights *f, rh_fit_rows *r)
{
  double g[2] = {0, 0};
  double off = 0;
  for (int i = 0; i < 3 && f->flights > 0; i++) {
    g[0] = fmax(g[0], fabs(f->gravity[i]));
    g[1] = fmax(g[1], f->gravity_deviation[i]);
    off = fmax(off, f->com_deviation[i]);
  }
  if (f->flights > 0 && g[1] < SURE * g[0]) {
    r->g = rh_v3(f->gravity[0], f->gravity[1], f->gravity[2]);
  }
  if (f->flights > 0 && off < COM_SURE * r->reach) {
    r->com = rh_v3(f->com[0], f->com[1], f->com[2]);
  }
}

rh_status rh_fit_rows_open(const rh_fit_work *k, const rh_fit_world *world, int turn,
                           rh_fit_rows *r)
{
  const rh_model *m = world->model;
  const rh_fit_map *map = rh_fit_map_of(k->problem);
  size_t n = (size_t)k->data->nrow + 1;
  *r = (rh_fit_rows){.data = k->data, .body = RH_NONE, .turn = turn, .g = m->gravity};
  for (int i = 1; i < m->nbody; i++) {
    bool carries = m->body[i].qadr == map->coordinate[map->turn[turn][0]] - 3;
    r->body = carries && m->body[i].nv == 6 ? i : r->body;
  }
  if (r->body == RH_NONE) {
    return RH_OK;
  }
  r->inertia = m->body[r->body].inertia;
  r->com = rh_scale(r->inertia.mass > 0 ? 1 / r->inertia.mass : 0, r->inertia.h);
  for (int i = 0; i < m->nshape; i++) {
    bool of = m->shape[i].body == r->body && isfinite(m->shape[i].reach);
    r->reach = of ? fmax(r->reach, m->shape[i].reach) : r->reach;
  }
  r->margin = rh_fit_flight_margin(k->data, map);
  take_flights(&k->answer->flights[turn], r);
  r->gap = rh_alloc(n * sizeof *r->gap);
  r->p = rh_alloc(n * sizeof *r->p);
  r->q = rh_alloc(n * sizeof *r->q);
  rh_data *d = rh_data_create(m);
  bool room = r->gap != NULL && r->p != NULL && r->q != NULL && d != NULL;
  rh_mat3 R = rh_mat3_identity();
  if (room) { // the joint must not be turned or moved against the world
    rh_fit_pose(d, r->body, rh_v3(1, 2, 3), rh_quat_identity());
    const rh_kin_body *at = &d->kin[r->body];
    bool same = rh_norm(rh_sub(at->p, rh_v3(1, 2, 3))) < 1e-9;
    for (int i = 0; i < 9; i++) {
      same = same && fabs(at->R.m[i] - R.m[i]) < 1e-9;
    }
    r->body = same ? r->body : RH_NONE;
  }
  rh_data_destroy(d);
  return room ? RH_OK : RH_OUT_OF_MEMORY;
}

rh_status rh_fit_rows_read(const rh_fit_work *k, const rh_fit_world *world, rh_fit_rows *r)
{
  rh_data *d = rh_data_create(world->model);
  for (int row = 0; d != NULL && row < k->data->nrow; row++) {
    read_pose(r, k, d, row);
  }
  rh_data_destroy(d);
  return d != NULL ? RH_OK : RH_OUT_OF_MEMORY;
}

void rh_fit_rows_close(rh_fit_rows *r)
{
  rh_free(r->gap);
  rh_free(r->p);
  rh_free(r->q);
  *r = (rh_fit_rows){0};
}

// ---- Arcs

typedef struct line { // normal equations of a straight line in t
  double n, t, tt;
} line;

static void add_time(line *l, double t)
{
  l->n++;
  l->t += t;
  l->tt += t * t;
}

// Value at 0 and slope from the sums of y and t y
static bool solve_line(const line *l, rh_vec3 y, rh_vec3 ty, rh_vec3 *value, rh_vec3 *slope)
{
  double det = l->n * l->tt - l->t * l->t;
  if (!(det > 0)) {
    return false;
  }
  *value = rh_scale(1 / det, rh_addscaled(rh_scale(l->tt, y), -l->t, ty));
  *slope = rh_scale(1 / det, rh_addscaled(rh_scale(l->n, ty), -l->t, y));
  return true;
}

static void put_covariance(const line *l, double cov[3])
{
  double det = l->n * l->tt - l->t * l->t;
  cov[0] = l->tt / det;
  cov[1] = -l->t / det;
  cov[2] = l->n / det;
}

static bool fit_turns(const rh_fit_rows *r, int first, int n, rh_fit_arc *arc)
{
  spinning s = spinning_of(&r->inertia);
  const double *t = r->data->t + first;
  double span = t[n - 1] - t[0];
  rh_vec3 all = {0, 0, 0};
  for (int i = 1; i < n; i++) {
    all =
        rh_add(all, turn_of_quat(rh_quat_mul(r->q[first + i], rh_quat_conj(r->q[first + i - 1]))));
  }
  int nearest = 0;
  for (int i = 1; i < n; i++) {
    nearest = fabs(t[i] - arc->t0) < fabs(t[nearest] - arc->t0) ? i : nearest;
  }
  arc->q = r->q[first + nearest];
  arc->w = rh_scale(1 / span, all);
  spin_on(&s, arc->t0 - t[nearest], &arc->q, &arc->w);
  for (int pass = 0; pass < TURN_PASSES; pass++) {
    line l = {0, 0, 0};
    rh_vec3 y = {0, 0, 0};
    rh_vec3 ty = {0, 0, 0};
    rh_vec3 off;
    rh_vec3 rate;
    arc->square[1] = 0;
    rh_quat q = arc->q;
    rh_vec3 w = arc->w;
    for (int i = 0; i < n; i++) {
      spin_on(&s, t[i] - (i > 0 ? t[i - 1] : arc->t0), &q, &w);
      rh_vec3 turn = turn_of_quat(rh_quat_mul(r->q[first + i], rh_quat_conj(q)));
      add_time(&l, t[i] - arc->t0);
      y = rh_add(y, turn);
      ty = rh_addscaled(ty, t[i] - arc->t0, turn);
      arc->square[1] += rh_dot(turn, turn);
    }
    if (!solve_line(&l, y, ty, &off, &rate)) {
      return false;
    }
    put_covariance(&l, arc->cov[1]);
    if (rh_norm(off) + span * rh_norm(rate) < TURN_END) {
      break;
    }
    arc->q = rh_quat_unit(rh_quat_mul(quat_of_turn(off),
                                      arc->q)); // the slopes are those of a body that does not turn
    arc->w = rh_add(arc->w, rate);
  }
  return true;
}

static rh_vec3 centre_at(const rh_fit_rows *r, int row)
{
  rh_mat3 R = rh_quat_matrix(r->q[row]);
  return rh_add(r->p[row], rh_rotate(&R, r->com));
}

static bool fit_places(const rh_fit_rows *r, int first, int n, rh_fit_arc *arc)
{
  line l = {0, 0, 0};
  rh_vec3 y = {0, 0, 0};
  rh_vec3 ty = {0, 0, 0};
  for (int i = 0; i < n; i++) {
    double t = r->data->t[first + i] - arc->t0;
    rh_vec3 c = rh_addscaled(centre_at(r, first + i), -0.5 * t * t, r->g);
    add_time(&l, t);
    y = rh_add(y, c);
    ty = rh_addscaled(ty, t, c);
  }
  if (!solve_line(&l, y, ty, &arc->p, &arc->v)) {
    return false;
  }
  put_covariance(&l, arc->cov[0]);
  arc->square[0] = 0;
  for (int i = 0; i < n; i++) {
    double t = r->data->t[first + i] - arc->t0;
    rh_vec3 want = rh_addscaled(rh_addscaled(arc->p, t, arc->v), 0.5 * t * t, r->g);
    rh_vec3 off = rh_sub(centre_at(r, first + i), want);
    arc->square[0] += rh_dot(off, off);
  }
  return true;
}

bool rh_fit_arc_of(const rh_fit_rows *r, int first, int n, double t0, rh_fit_arc *arc)
{
  *arc = (rh_fit_arc){.t0 = t0, .first = first, .rows = n};
  if (n < RH_FIT_ARC_LEAST) {
    return false;
  }
  arc->from = r->data->t[first];
  arc->to = r->data->t[first + n - 1];
  return fit_places(r, first, n, arc) && fit_turns(r, first, n, arc);
}

void rh_fit_arc_at(const rh_fit_rows *r, const rh_fit_arc *arc, double t, rh_fit_state *state)
{
  spinning s = spinning_of(&r->inertia);
  double dt = t - arc->t0;
  rh_quat q = arc->q;
  rh_vec3 w = arc->w;
  spin_on(&s, dt, &q, &w);
  rh_mat3 R = rh_quat_matrix(q);
  rh_vec3 d = rh_rotate(&R, r->com);
  rh_vec3 centre = rh_addscaled(rh_addscaled(arc->p, dt, arc->v), 0.5 * dt * dt, r->g);
  rh_vec3 v = rh_sub(rh_addscaled(arc->v, dt, r->g), rh_cross(w, d));
  *state = (rh_fit_state){.p = rh_sub(centre, d), .q = q, .z = {v.x, v.y, v.z, w.x, w.y, w.z}};
  for (int k = 0; k < 2; k++) {
    const double *c = arc->cov[k];
    double square = r->noise[k] * r->noise[k];
    state->spread[k] = sqrt(square * fmax(c[0] + 2 * dt * c[1] + dt * dt * c[2], 0));
    for (int i = 0; i < 3; i++) {
      state->C[(3 * k + i) * 7] = square * c[2];
    }
    state->with_rate = square * (c[1] + dt * c[2]); // of the turns, last
  }
}
