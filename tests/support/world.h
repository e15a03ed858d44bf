// world.h: what the tests of the tree, the engines and the simulator share: a generator of random numbers, scenes
// built in a few lines, random trees, and an observer that keeps what a run tells. Nothing here is under test.
#ifndef ROUTH_TEST_WORLD_H
#define ROUTH_TEST_WORLD_H

#include "test.h"

#include <routh/routh.h>
#include <stdio.h>
#include <string.h>

// ---- Random numbers of the tests' own (splitmix64), the same on every machine.

typedef struct rng {
  uint64_t s;
} rng;

static inline uint64_t rng_next(rng *r)
{
  uint64_t z = (r->s += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static inline double rng_in(rng *r, double lo, double hi)
{
  return lo + (hi - lo) * ((double)(rng_next(r) >> 11) * 0x1p-53);
}

static inline int rng_int(rng *r, int n) // 0 .. n - 1
{
  return (int)(rng_next(r) % (uint64_t)n);
}

static inline rh_vec3 rng_vec3(rng *r, double size)
{
  double x = rng_in(r, -size, size);
  double y = rng_in(r, -size, size);
  double z = rng_in(r, -size, size);
  return rh_v3(x, y, z);
}

static inline rh_vec3 rng_unit(rng *r)
{
  rh_vec3 a = rng_vec3(r, 1);
  while (rh_norm(a) > 1 || rh_norm(a) < 0.1) {
    a = rng_vec3(r, 1);
  }
  return rh_scale(1 / rh_norm(a), a);
}

static inline rh_quat rng_quat(rng *r)
{
  rh_quat q = {rng_in(r, -1, 1), rng_in(r, -1, 1), rng_in(r, -1, 1), rng_in(r, -1, 1)};
  while (rh_quat_norm(q) > 1 || rh_quat_norm(q) < 0.1) {
    q = (rh_quat){rng_in(r, -1, 1), rng_in(r, -1, 1), rng_in(r, -1, 1), rng_in(r, -1, 1)};
  }
  return rh_quat_unit(q);
}

// ---- Scenes in a few lines.

static inline void set3(double *to, rh_vec3 a)
{
  to[0] = a.x;
  to[1] = a.y;
  to[2] = a.z;
}

static inline rh_list list_of(int n, double a, double b)
{
  rh_list l = {n, {a, b}};
  return l;
}

// A body whose inertia about its centre of mass is diagonal.
static inline rh_body_def body_of(const char *name, double mass, rh_vec3 com, rh_vec3 diagonal)
{
  rh_body_def b = rh_body_default();
  b.name = rh_name_of(name);
  b.mass = mass;
  set3(b.com, com);
  b.inertia = (rh_list){6, {diagonal.x, diagonal.y, diagonal.z, 0, 0, 0}};
  return b;
}

// A joint named as its child; the first three parameters, where there are any, are the axis.
static inline rh_joint_def joint_of(const char *kind, const char *parent, const char *child, rh_vec3 axis)
{
  rh_joint_def j = rh_joint_default(kind);
  j.name = rh_name_of(child);
  j.parent = rh_name_of(parent);
  j.child = rh_name_of(child);
  const rh_joint *row = rh_joint_find(kind);
  if (row != NULL && row->row.nparam > 0) {
    set3(j.par, axis);
  }
  return j;
}

static inline rh_haptic_def haptic_of(const char *tool)
{
  rh_haptic_def haptic = rh_haptic_default();
  haptic.tool = rh_name_of(tool);
  return haptic;
}

static inline void add_ground(rh_scene *scene)
{
  rh_shape_def ground = rh_shape_default("plane");
  ground.body = rh_name_of("world");
  ck_assert_int_ne(rh_scene_add_shape(scene, &ground), RH_NONE);
}

// A mesh: the corner of a cube.
static inline rh_mesh_def mesh_of(const char *name)
{
  static const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  rh_mesh_def mesh = rh_mesh_default();
  mesh.name = rh_name_of(name);
  mesh.vertices = (rh_numbers){RH_COUNT(x), x};
  return mesh;
}

static inline void say_messages(const rh_diag *diag)
{
  char text[1024];
  for (int i = 0; i < rh_diag_kept(diag); i++) {
    rh_message m = rh_diag_get(diag, i);
    (void)rh_message_format(&m, text, sizeof text);
    (void)fprintf(stderr, "%s\n", text);
  }
}

// Compiles a scene that must be good, and frees it.
static inline rh_model *model_of(rh_scene *scene)
{
  rh_diag *diag = rh_diag_create();
  rh_model *model = NULL;
  rh_status status = rh_scene_compile(scene, diag, &model);
  if (status != RH_OK) {
    say_messages(diag);
  }
  ck_assert_msg(status == RH_OK && model != NULL, "compile: %s", rh_status_message(status));
  rh_diag_destroy(diag);
  rh_scene_destroy(scene);
  return model;
}

static inline rh_sim *sim_of(const rh_model *model)
{
  rh_diag *diag = rh_diag_create();
  rh_sim *sim = NULL;
  rh_status status = rh_sim_create(model, diag, &sim);
  if (status != RH_OK) {
    say_messages(diag);
  }
  ck_assert_msg(status == RH_OK && sim != NULL, "sim: %s", rh_status_message(status));
  rh_diag_destroy(diag);
  return sim;
}

static inline void add(rh_scene *scene, const rh_body_def *body, const rh_joint_def *joint)
{
  ck_assert_int_ge(rh_scene_add_body(scene, body), 0);
  ck_assert_int_ge(rh_scene_add_joint(scene, joint), 0);
}

static inline void finish(rh_sim *sim, rh_model *model)
{
  rh_sim_destroy(sim);
  rh_model_destroy(model);
}

static inline void set_gravity(rh_scene *scene, rh_vec3 g)
{
  rh_world_def world = rh_world_default();
  set3(world.gravity, g);
  rh_scene_set_world(scene, &world);
}

static inline void set_frames(rh_scene *scene, double every)
{
  rh_record_def record = rh_record_default();
  record.every = every;
  rh_scene_set_record(scene, &record);
}

// Parameter `name` of a row's numbers; a row without it is left alone.
static inline void set_par(const rh_row *row, double *par, const char *name, double value)
{
  int index = rh_row_find(row, name);
  if (index != RH_NONE) {
    par[rh_row_offset(row, index)] = value;
  }
}

// `name`: an engine, or an integrator of the engine event
static inline rh_run_def run_of(const char *name, double until, double accuracy)
{
  bool engine = rh_engine_find(name) != NULL;
  rh_run_def run = rh_run_default(engine ? name : "event", engine ? NULL : name);
  const rh_row *row = rh_kind_find(engine ? "engines" : "integrators", name);
  double *par = engine ? run.par : run.integrator_par;
  run.until = until;
  set_par(row, par, "rtol", accuracy);
  set_par(row, par, "atol", accuracy * 1e-2);
  set_par(row, par, "dt", accuracy);
  return run;
}

static inline void set_run(rh_scene *scene, const char *name, double until, double accuracy)
{
  rh_run_def run = run_of(name, until, accuracy);
  rh_scene_set_run(scene, &run);
}

// ---- Random trees.

typedef struct tree_options {
  int joints;
  bool free_root;         // one free joint without spring, damper or armature carries everything
  bool bare;              // no springs, dampers or armature anywhere
  const rh_mat3 *turn;    // turn and move the whole scene, gravity too
  const rh_vec3 *move;
} tree_options;

// Moments b + c, a + c, a + b obey the triangle rule whatever a, b, c > 0 are; then turned at random.
static inline rh_body_def random_body(rng *r, const char *name)
{
  double mass = exp(rng_in(r, log(0.1), log(10.0)));
  double a = mass * rng_in(r, 0.002, 0.05);
  double b = mass * rng_in(r, 0.002, 0.05);
  double c = mass * rng_in(r, 0.002, 0.05);
  rh_sym3 I = {b + c, a + c, a + b, 0, 0, 0};
  rh_mat3 R = rh_quat_matrix(rng_quat(r));
  I = rh_sym3_rotate(&R, &I);
  rh_body_def body = body_of(name, mass, rng_vec3(r, 0.2), rh_v3(I.xx, I.yy, I.zz));
  body.inertia.x[3] = I.xy;
  body.inertia.x[4] = I.xz;
  body.inertia.x[5] = I.yz;
  return body;
}

static inline rh_list random_list(rng *r, int n, double lo, double hi)
{
  rh_list l = {n, {0}};
  for (int i = 0; i < n; i++) {
    l.x[i] = rng_in(r, lo, hi);
  }
  return l;
}

// Springs of a joint that has quaternions must be alike on its three axes of rotation.
static inline void random_fittings(rng *r, const rh_joint *row, rh_joint_def *j)
{
  j->damper = random_list(r, row->nv, 0, 2);
  j->armature = random_list(r, row->nv, 0, 0.1);
  j->spring = random_list(r, row->nv, 0, 20);
  for (int i = row->nv - 2; !row->scalar && i < row->nv; i++) {
    j->spring.x[i] = j->spring.x[row->nv - 3];
  }
  if (row->scalar) {
    j->rest = random_list(r, row->nq, -1, 1);
  }
}

static inline void random_state(rng *r, const rh_joint *row, rh_joint_def *j)
{
  j->q = random_list(r, row->nq, -1.5, 1.5);
  j->v = random_list(r, row->nv, -1, 1);
  if (!row->scalar) {
    rh_quat q = rng_quat(r);
    double *x = j->q.x + row->nq - 4;
    x[0] = q.w;
    x[1] = q.x;
    x[2] = q.y;
    x[3] = q.z;
  }
}

static inline rh_vec3 rpy_of(const rh_mat3 *R)
{
  const double *m = R->m;
  return rh_v3(atan2(m[7], m[8]), atan2(-m[6], hypot(m[7], m[8])), atan2(m[3], m[0]));
}

static inline void place_joint(rng *r, const tree_options *o, bool root, rh_joint_def *j)
{
  rh_vec3 at = rng_vec3(r, 0.5);
  rh_mat3 R = rh_quat_matrix(rng_quat(r));
  if (root && o->turn != NULL) {
    at = rh_add(rh_rotate(o->turn, at), *o->move);
    R = rh_mat3_mul(o->turn, &R);
  }
  set3(j->at, at);
  set3(j->rpy, rpy_of(&R));
}

// The same seed gives the same tree, whatever the options `turn` and `move` say.
static inline rh_scene *random_tree(uint64_t seed, const tree_options *o)
{
  rng r = {seed};
  rh_scene *scene = rh_scene_create();
  rh_vec3 g = rng_vec3(&r, 10);
  set_gravity(scene, o->turn != NULL ? rh_rotate(o->turn, g) : g);
  int kinds = 0;
  const rh_joint *const *table = rh_joint_table(&kinds);
  for (int i = 0; i < o->joints; i++) {
    char name[16];
    char parent[16] = "world";
    (void)snprintf(name, sizeof name, "b%d", i);
    bool root = i == 0 || (!o->free_root && rng_int(&r, 12) == 0);
    if (!root) { // half of them continue the chain, so that trees grow deep and branch
      (void)snprintf(parent, sizeof parent, "b%d", rng_int(&r, 2) == 0 ? i - 1 : rng_int(&r, i));
    }
    rh_body_def body = random_body(&r, name);
    (void)rh_scene_add_body(scene, &body);
    const rh_joint *row = i == 0 && o->free_root ? rh_joint_find("free") : table[(i + rng_int(&r, kinds)) % kinds];
    rh_joint_def j = joint_of(row->row.name, parent, name, rh_v3(0, 0, 0));
    for (int k = 0; k < row->row.nparam; k++) {
      set3(j.par + rh_row_offset(&row->row, k), rh_scale(rng_in(&r, 0.3, 3), rng_unit(&r)));
    }
    place_joint(&r, o, root, &j);
    random_state(&r, row, &j);
    if (!o->bare && !(o->free_root && i == 0)) {
      random_fittings(&r, row, &j);
    }
    (void)rh_scene_add_joint(scene, &j);
  }
  return scene;
}

// ---- An observer that keeps what a run tells.

#define LOG_MAX 4096

typedef struct run_log {
  int n;      // events
  int frames;
  rh_event event[LOG_MAX];
  double frame_t[LOG_MAX];
  double worst_residue; // [J] largest at any frame
  bool indices_wrong;
} run_log;

static inline rh_status log_frame(void *user, const rh_sim *sim, long index)
{
  run_log *log = user;
  if (log->frames < LOG_MAX) {
    log->frame_t[log->frames] = *rh_sim_view(sim)->t;
  }
  log->indices_wrong = log->indices_wrong || index != log->frames;
  log->frames++;
  double residue = fabs(rh_sim_ledger(sim).residue);
  if (!(residue <= log->worst_residue)) {
    log->worst_residue = residue;
  }
  return RH_OK;
}

static inline rh_status log_event(void *user, const rh_sim *sim, const rh_event *event)
{
  run_log *log = user;
  (void)sim;
  if (log->n < LOG_MAX) {
    log->event[log->n] = *event;
  }
  log->n++;
  return RH_OK;
}

static inline void log_attach(run_log *log, rh_sim *sim)
{
  memset(log, 0, sizeof *log);
  rh_observer observer = {log, log_frame, log_event, NULL};
  rh_sim_observe(sim, &observer);
}

// The k-th event (from 0) of a kind, NULL if there were not as many.
static inline const rh_event *log_find(const run_log *log, rh_event_kind kind, int k)
{
  for (int i = 0; i < log->n && i < LOG_MAX; i++) {
    if (log->event[i].kind == kind && k-- == 0) {
      return &log->event[i];
    }
  }
  return NULL;
}

static inline int log_count(const run_log *log, rh_event_kind kind)
{
  int count = 0;
  for (int i = 0; i < log->n && i < LOG_MAX; i++) {
    count += log->event[i].kind == kind;
  }
  return count;
}

static inline void log_print(const run_log *log)
{
  for (int i = 0; i < log->n && i < 40; i++) {
    const rh_event *e = &log->event[i];
    (void)fprintf(stderr, "  %.12f %s %s %g -> %g\n", e->t, rh_event_word(e->kind), e->name, e->before, e->after);
  }
}

// Runs to `until`, which must succeed.
static inline void run_to(rh_sim *sim, double until)
{
  rh_status status = rh_sim_run(sim, until);
  ck_assert_msg(status == RH_OK, "run: %s: %s", rh_status_name(status), rh_sim_reason(sim));
}

#endif
