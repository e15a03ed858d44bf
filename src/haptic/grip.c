// grip.c: how the device holds the tool. Twins (the same joint on the world) have one frame. Any
// other device holds the tool where it is at the start: `held` is its frame, seen from the tool.
// What it feels of the contacts of the tool's whole tree is the wrench at the grip that
// accelerates the grip as they do, the dynamically consistent one ([CSC] 33: Khatib 1995):
//   w = S J H^-1 tau,   S = (J H^-1 J')^+,
// J the Jacobian of the grip, tau the generalised force of the contacts. For a single free body it
// is their resultant. Where the tree leaves the grip less than six freedoms, w is the least of all
// such wrenches, a torque counted by the radius of gyration of the device.
#include "step.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

enum { GRIP = 6, PLACE_STEPS = 20 };

// Pivots of J H^-1 J' below this part of the largest are joints that block: rounding leaves 1e-15,
// a grip that a posture blocks to a thousandth counts as blocked.
static const double BLOCKED = 1e-6;
static const double BENT =
    1e-2; // the same for bodies that are put: joints are not to race near a stretched posture
static const double PLACED = 1e-12; // [m] nearer is there
static const double LONGEST = 0.3;  // [m, rad] of a joint in one step towards a place
static const double REACHED = 1e-6; // [m] farther is out of reach

static const rh_xform same_frame = {{{1, 0, 0, 0, 1, 0, 0, 0, 1}}, {0, 0, 0}};

size_t rh_grip_size(const rh_model *m)
{
  return 2 * GRIP * (size_t)m->nv + 3 * (size_t)m->nv + (size_t)m->nq;
}

void rh_grip_carve(const rh_model *m, double *memory, rh_grip *g)
{
  size_t nv = (size_t)m->nv;
  g->J = memory;
  g->X = g->J + GRIP * nv;
  g->tau = g->X + GRIP * nv;
  g->way = g->tau + nv;
  g->kept_v = g->way + nv;
  g->kept_q = g->kept_v + nv;
}

static rh_frame_motion frame_on(const rh_data *d, int body, const rh_xform *at)
{
  const rh_kin_body *b = &d->kin[body];
  rh_vec3 arm = rh_rotate(&b->R, at->p);
  return (rh_frame_motion){{rh_mat3_mul(&b->R, &at->R), rh_add(b->p, arm)},
                           {b->v.ang, rh_add(b->v.lin, rh_cross(b->v.ang, arm))}};
}

rh_frame_motion rh_grip_frame(const rh_tick *t)
{
  return frame_on(t->d, t->h->m->haptic.tool, &t->h->grip.held);
}

rh_force rh_grip_on_tool(const rh_tick *t, const double wrench[6])
{
  int tool = t->h->m->haptic.tool;
  return rh_force_shift_back(rh_force_of(wrench), rh_rotate(&t->d->kin[tool].R, t->h->grip.held.p));
}

// ---- Jacobians and responses

// J'w of a wrench about `point` on a body, added to tau (nv)
static void add_joint_load(const rh_data *d, int body, rh_vec3 point, rh_force w, double *tau)
{
  const rh_model_body *b = d->model->body;
  for (int i = body; i > 0; i = b[i].parent) {
    rh_vec3 arm = rh_sub(point, d->kin[i].p);
    for (int j = b[i].vadr; j < b[i].vadr + b[i].nv; j++) {
      const rh_motion *S = &d->dyn.S[j];
      tau[j] += rh_dot(w.lin, rh_add(S->lin, rh_cross(S->ang, arm))) + rh_dot(w.ang, S->ang);
    }
  }
}

static double dot_joints(const rh_model *m, const double *x, const double *y)
{
  double sum = 0;
  for (int k = 0; k < m->nv; k++) {
    sum += x[k] * y[k];
  }
  return sum;
}

// J, X = J H^-1 and A = J H^-1 J' of a point of a body [aba]
static void fill_mobility(rh_data *d, rh_grip *g, int body, rh_vec3 point, double A[36])
{
  size_t nv = (size_t)d->model->nv;
  memset(g->J, 0, GRIP * nv * sizeof *g->J);
  for (size_t i = 0; i < GRIP; i++) {
    double unit[6] = {0};
    unit[i] = 1;
    add_joint_load(d, body, point, rh_force_of(unit), g->J + i * nv);
    rh_impulse_response(d, g->J + i * nv, g->X + i * nv);
  }
  for (size_t i = 0; i < GRIP; i++) {
    for (size_t j = 0; j < GRIP; j++) {
      A[i * GRIP + j] = dot_joints(d->model, g->J + i * nv, g->X + j * nv);
    }
  }
}

// S = A^+, rotations counted by the radius: E (E A E)^+ E, E = diag(1, 1, 1, r, r, r)
static void invert_mobility(const double A[36], double radius, double blocked, double S[36])
{
  double room[256];
  RH_ASSERT(rh_lstsq_room(GRIP, GRIP) <= (size_t)RH_COUNT(room));
  for (int k = 0; k < GRIP; k++) {
    double scaled[36];
    double unit[6] = {0};
    double x[6];
    unit[k] = 1;
    for (int i = 0; i < GRIP * GRIP; i++) {
      scaled[i] = A[i] * (i / GRIP < 3 ? 1 : radius) * (i % GRIP < 3 ? 1 : radius);
    }
    (void)rh_lstsq(GRIP, GRIP, scaled, unit, blocked, room, x, NULL);
    for (int i = 0; i < GRIP; i++) {
      S[i * GRIP + k] = x[i] * (i < 3 ? 1 : radius) * (k < 3 ? 1 : radius);
    }
  }
}

// The inertia at the present place, for responses [kinematics]
static void factor_inertia(rh_data *d, rh_grip *g)
{
  memset(g->tau, 0, (size_t)d->model->nv * sizeof *g->tau);
  rh_aba(d, g->tau, g->way);
}

static void fill_response(rh_data *d, rh_grip *g, int body, rh_vec3 point, double blocked,
                          double S[36])
{
  double A[36];
  factor_inertia(d, g);
  fill_mobility(d, g, body, point, A);
  invert_mobility(A, g->radius, blocked, S);
}

static void multiply_six(const double S[36], const double x[6], double y[6])
{
  for (int i = 0; i < GRIP; i++) {
    y[i] = 0;
    for (int j = 0; j < GRIP; j++) {
      y[i] += S[i * GRIP + j] * x[j];
    }
  }
}

// X'S e: the least change of the joints, measured by the inertia, that moves the grip by e
static void change_joints(const rh_model *m, const rh_grip *g, const double S[36],
                          const double e[6], double *change)
{
  double p[6];
  multiply_six(S, e, p);
  for (int k = 0; k < m->nv; k++) {
    change[k] = 0;
    for (int i = 0; i < GRIP; i++) {
      change[k] += g->X[i * m->nv + k] * p[i];
    }
  }
}

// ---- Bodies put at a place

static void add_motion(double e[6], rh_vec3 lin, rh_vec3 ang)
{
  const double x[6] = {lin.x, lin.y, lin.z, ang.x, ang.y, ang.z};
  memcpy(e, x, sizeof x);
}

static void step_joints(rh_data *d, rh_grip *g)
{
  double longest = 0;
  double *v = d->v;
  for (int k = 0; k < d->model->nv; k++) {
    longest = fmax(longest, fabs(g->way[k]));
  }
  d->v = g->way;
  rh_coordinates_advance(d, longest > LONGEST ? LONGEST / longest : 1, d->q);
  rh_coordinates_unit(d->model, d->q);
  d->v = v;
}

double rh_grip_place(rh_tick *t, int body, const rh_xform *at, const rh_frame_motion *target)
{
  rh_data *d = t->d;
  rh_grip *g = &t->h->grip;
  double S[36];
  double e[6];
  double last = HUGE_VAL;
  double size = 0;
  for (int k = 0; k < PLACE_STEPS; k++) {
    rh_kinematics(d);
    rh_frame_motion now = frame_on(d, body, at);
    rh_vec3 lin = rh_sub(target->at.p, now.at.p);
    rh_vec3 ang = rh_rotation_between(&now.at.R, &target->at.R);
    size = sqrt(rh_dot(lin, lin) + g->radius * g->radius * rh_dot(ang, ang));
    if (!(size > PLACED) || !(size < 0.999 * last)) {
      break;
    }
    last = size;
    add_motion(e, lin, ang);
    fill_response(d, g, body, now.at.p, BENT, S);
    change_joints(d->model, g, S, e, g->way);
    step_joints(d, g);
  }
  rh_frame_motion now = frame_on(d, body, at);
  add_motion(e, rh_sub(target->v.lin, now.v.lin), rh_sub(target->v.ang, now.v.ang));
  fill_response(d, g, body, now.at.p, BENT, S);
  change_joints(d->model, g, S, e, g->way);
  for (int k = 0; k < d->model->nv; k++) {
    d->v[k] += g->way[k];
  }
  return size;
}

// Places of the tool's tree with its grip at the device; whether it is within reach. [kinematics]
static void try_device_place(rh_tick *t)
{
  rh_data *d = t->d;
  rh_grip *g = &t->h->grip;
  const rh_model *m = d->model;
  const rh_model_haptic *k = &m->haptic;
  rh_frame_motion device = frame_on(d, k->device, &same_frame);
  memcpy(g->kept_q, d->q, (size_t)m->nq * sizeof *d->q);
  memcpy(g->kept_v, d->v, (size_t)m->nv * sizeof *d->v);
  g->beyond = rh_grip_place(t, k->tool, &g->held, &device) > REACHED;
  for (int i = 0; i < m->nbody; i++) {
    g->at_device[i] = (rh_xform){d->kin[i].R, d->kin[i].p};
  }
  memcpy(d->q, g->kept_q, (size_t)m->nq * sizeof *d->q);
  memcpy(d->v, g->kept_v, (size_t)m->nv * sizeof *d->v);
  rh_kinematics(d);
}

void rh_grip_prepare(rh_tick *t)
{
  rh_grip *g = &t->h->grip;
  const rh_model_haptic *k = &t->h->m->haptic;
  g->beyond = false;
  if (k->device == RH_NONE) {
    return;
  }
  if (g->linked) {
    if (rh_haptic_coupling_of(k)->looks) {
      try_device_place(t);
    }
    fill_response(t->d, g, k->tool, rh_grip_frame(t).at.p, BLOCKED, g->S);
  } else if (rh_haptic_coupling_of(k)->looks) {
    g->at_device[k->tool] = (rh_xform){t->d->kin[k->device].R, t->d->kin[k->device].p};
  }
}

bool rh_grip_moves(const rh_tick *t, int body)
{
  const rh_model_haptic *k = &t->h->m->haptic;
  return t->h->grip.linked ? rh_tree_of(t->h->m, body) == rh_tree_of(t->h->m, k->tool)
                           : body == k->tool;
}

// ---- Wrenches

void rh_grip_feel(const rh_tick *t, int body, rh_vec3 point, rh_vec3 f, double wrench[6])
{
  const rh_haptic *h = t->h;
  const rh_grip *g = &h->grip;
  double b[6];
  double w[6];
  if (!rh_grip_moves(t, body)) {
    return;
  }
  if (!g->linked) {
    rh_wrench_add(wrench, (rh_force){rh_cross(rh_sub(point, t->d->kin[body].p), f), f});
    return;
  }
  memset(g->tau, 0, (size_t)h->m->nv * sizeof *g->tau);
  add_joint_load(t->d, body, point, (rh_force){{0, 0, 0}, f}, g->tau);
  for (int i = 0; i < GRIP; i++) {
    b[i] = dot_joints(h->m, g->X + (size_t)i * (size_t)h->m->nv, g->tau);
  }
  multiply_six(g->S, b, w);
  for (int i = 0; i < GRIP; i++) {
    wrench[i] += w[i];
  }
}

// [J] energy that an impulse (about `point`) gives to a body: I'v + I'J H^-1 J'I / 2 [aba]
static double impulse_energy(const rh_tick *t, int body, const rh_frame_motion *at, rh_force I,
                             double *square)
{
  const rh_grip *g = &t->h->grip;
  const rh_model *m = t->h->m;
  memset(g->tau, 0, (size_t)m->nv * sizeof *g->tau);
  add_joint_load(t->d, body, at->at.p, I, g->tau);
  rh_impulse_response(t->d, g->tau, g->way);
  *square = dot_joints(m, g->tau, g->way);
  return rh_power(at->v, I);
}

// The largest s <= 1 with s I'v_d + s^2 I'B I / 2 <= max(0, what it gives to the tool)
double rh_grip_passive_share(const rh_tick *t, const double wrench[6])
{
  const rh_model_haptic *k = &t->h->m->haptic;
  rh_force w = rh_force_of(wrench);
  rh_force I = {rh_scale(t->h->dt, w.ang), rh_scale(t->h->dt, w.lin)};
  rh_frame_motion tool = rh_grip_frame(t);
  rh_frame_motion device = frame_on(t->d, k->device, &same_frame);
  double square;
  double power = impulse_energy(t, k->tool, &tool, I, &square);
  double allowed = fmax(0, power + 0.5 * square);
  power = impulse_energy(t, k->device, &device, I, &square);
  if (!(square > 0)) {
    return 1;
  }
  double root = sqrt(power * power + 2 * square * allowed);
  return fmin(1, fmax(0, (root - power) / square));
}

void rh_grip_inverse_mobility(rh_tick *t, int body, double S[36])
{
  fill_response(t->d, &t->h->grip, body, t->d->kin[body].p, BLOCKED, S);
}

void rh_grip_kick(rh_tick *t, int body, double dt, const double wrench[6])
{
  const rh_grip *g = &t->h->grip;
  const rh_model *m = t->h->m;
  memset(g->tau, 0, (size_t)m->nv * sizeof *g->tau);
  add_joint_load(t->d, body, t->d->kin[body].p, rh_force_of(wrench), g->tau);
  rh_impulse_response(t->d, g->tau, g->way);
  for (int k = 0; k < m->nv; k++) {
    t->d->v[k] += dt * g->way[k];
  }
}

void rh_grip_response(const rh_tick *t, int body, const double wrench[6], double twist[6])
{
  const rh_grip *g = &t->h->grip;
  const rh_model *m = t->h->m;
  rh_vec3 at = t->d->kin[body].p;
  memset(g->tau, 0, (size_t)m->nv * sizeof *g->tau);
  add_joint_load(t->d, body, at, rh_force_of(wrench), g->tau);
  rh_impulse_response(t->d, g->tau, g->way);
  for (int i = 0; i < GRIP; i++) {
    double unit[6] = {0};
    unit[i] = 1;
    memset(g->tau, 0, (size_t)m->nv * sizeof *g->tau);
    add_joint_load(t->d, body, at, rh_force_of(unit), g->tau);
    twist[i] = dot_joints(m, g->tau, g->way);
  }
}

void rh_grip_relative_mobility(rh_haptic *h, rh_data *d, bool measured, double A[36])
{
  rh_grip *g = &h->grip;
  const rh_model_haptic *k = &h->m->haptic;
  double device[36];
  factor_inertia(d, g);
  fill_mobility(d, g, k->tool, frame_on(d, k->tool, &g->held).at.p, A);
  if (!measured) {
    fill_mobility(d, g, k->device, d->kin[k->device].p, device);
    for (int i = 0; i < GRIP * GRIP; i++) {
      A[i] += device[i];
    }
  }
}

// ---- At the start

static double trace_of(const double A[36], int first)
{
  return A[7 * first] + A[7 * (first + 1)] + A[7 * (first + 2)];
}

// S M S
static void square_by(const double S[36], const double M[36], double out[36])
{
  double half[36];
  for (int i = 0; i < GRIP; i++) {
    multiply_six(M, S + (ptrdiff_t)i * GRIP, half + (ptrdiff_t)i * GRIP); // both symmetric
  }
  for (int i = 0; i < GRIP; i++) {
    multiply_six(S, half + (ptrdiff_t)i * GRIP, out + (ptrdiff_t)i * GRIP);
  }
}

// The device D is heavy enough for a tool T if D >= (1 + e)/2 T, that is T^-1 >= (1 + e)/2 D^-1:
// for the wrenches S y that can come.
static bool can_pass_impulses(const rh_grip *g, const double tool[36], const double device[36],
                              double e)
{
  double S[36];
  double a[36];
  double b[36];
  invert_mobility(tool, g->radius, BLOCKED, S);
  square_by(S, tool, a);
  square_by(S, device, b);
  return rh_haptic_passive(GRIP, a, b, e);
}

bool rh_grip_open(rh_haptic *h, rh_data *d, double e)
{
  rh_grip *g = &h->grip;
  const rh_model_haptic *k = &h->m->haptic;
  double tool[36];
  double device[36];
  g->linked = k->device != RH_NONE && !k->twin;
  g->held = same_frame;
  if (k->device == RH_NONE) {
    return true;
  }
  const rh_kin_body *a = &d->kin[k->tool];
  const rh_kin_body *b = &d->kin[k->device];
  rh_mat3 back = rh_mat3_transpose(&a->R);
  if (g->linked) {
    g->held = (rh_xform){rh_mat3_mul(&back, &b->R), rh_rotate(&back, rh_sub(b->p, a->p))};
  }
  factor_inertia(d, g);
  fill_mobility(d, g, k->device, b->p, device);
  double along = trace_of(device, 0);
  double about = trace_of(device, 3);
  g->radius = along > 0 && about > 0 ? sqrt(along / about) : 1;
  fill_mobility(d, g, k->tool, rh_add(a->p, rh_rotate(&a->R, g->held.p)), tool);
  return can_pass_impulses(g, tool, device, e);
}
