// unit_moreau_tree.c: trees of joints under the engine stepping: factors and rows against dense ones, order of a free motion, contacts of trees with free
// bodies by closed forms, and the event-driven steppers as the limit of short steps.
#include "random_trees.h"

#include "stepping/stepping.h"

// ---- Two routes to one matrix

static rh_step_world *engine_of(rh_sim *sim)
{
  rh_step_world *w = sim->engine;
  rh_step_load_state(w);
  rh_step_trees_place(w);
  return w;
}

static void check_factor(const rh_step_world *w, double h, int seed)
{
  const rh_step_trees *t = &w->trees;
  const rh_model *m = w->m;
  size_t nv = (size_t)m->nv;
  double *H = doubles(nv * nv);
  double *LL = doubles(nv * nv);
  rh_kinematics(w->d);
  rh_mass_matrix(w->d);
  rh_mass_dense(w->d, H);
  double off = 0;
  double most = 0;
  for (int z = 0; z < t->nz; z++) { // L' L = sum of the products of each row with itself
    for (int a = z; t->dof[z] != RH_NONE && a != RH_NONE; a = t->parent[a]) {
      for (int b = z; b != RH_NONE; b = t->parent[b]) {
        const double *row = t->L + t->row[z];
        LL[(size_t)t->dof[a] * nv + (size_t)t->dof[b]] += row[t->pos[a]] * row[t->pos[b]];
      }
    }
  }
  for (int i = 0; i < m->nv; i++) {
    const rh_model_dof *f = &m->dof[i];
    H[(size_t)i * nv + (size_t)i] += h * (f->damper + h * f->spring);
    for (int j = 0; w->mobile[f->body] > w->nfree && j < m->nv; j++) {
      if (w->mobile[m->dof[j].body] > w->nfree) {
        double want = H[(size_t)i * nv + (size_t)j];
        off = fmax(off, fabs(want - LL[(size_t)i * nv + (size_t)j]));
        most = fmax(most, fabs(want));
      }
    }
  }
  within("factor", seed, off, 1e-13 * m->nv * most); // a sum of nv products
  free(H);
  free(LL);
}

// W of a point by the rows of a branch, and by the general function
static void check_rows(rh_step_world *w, rng *r, int seed)
{
  const rh_model *m = w->m;
  int body = 1 + rng_int(r, m->nbody - 1);
  rh_vec3 at = rng_vec3(r, 0.5);
  if (w->trees.way[body].tip == RH_NONE) {
    return;
  }
  double want[9];
  double *work = doubles(3 * (size_t)m->nv);
  rh_model_point point = {body, at};
  rh_mass_factor(w->d);
  rh_contact_inertia(w->d, 1, &point, work, want);
  w->worker[0].rows.nbranch = 0;
  w->worker[0].rows.nY = 0;
  rh_vec3 place = rh_point_position(w->d, body, at);
  int a = rh_step_branch_make(&w->worker[0], body, &place, 1);
  ck_assert_int_eq(a, 0);
  rh_sym3 W = rh_step_branch_inertia(&w->worker[0], a, RH_NONE);
  const double got[9] = {W.xx, W.xy, W.xz, W.xy, W.yy, W.yz, W.xz, W.yz, W.zz};
  double most = largest(want, 9);
  within("W", seed, distance(got, want, 9), 1e-11 * most); // random trees are conditioned to 1e4
  double u[3] = {0, 0, 0};
  rh_step_branch_velocity(&w->worker[0].rows.branch[a], w->trees.z, u);
  rh_vec3 v = rh_point_velocity(w->d, body, at);
  const double speed[3] = {v.x, v.y, v.z};
  within("u", seed, distance(u, speed, 3), 1e-11 * fmax(1, rh_norm(v)));
  free(work);
}

// Two bodies of one tree that touch one another: the difference of their velocities
static void check_pair(rh_step_world *w, rng *r, int seed)
{
  const rh_model *m = w->m;
  int a = 1 + rng_int(r, m->nbody - 1);
  int b = 1 + rng_int(r, m->nbody - 1);
  if (w->trees.way[a].tip == RH_NONE || w->trees.way[b].tip == RH_NONE || a == b) {
    return;
  }
  rh_model_point point[2] = {{a, rng_vec3(r, 0.5)}, {b, rng_vec3(r, 0.5)}};
  double all[36];
  double want[9];
  double *work = doubles(6 * (size_t)m->nv);
  rh_mass_factor(w->d);
  rh_contact_inertia(w->d, 2, point, work, all);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      want[3 * i + j] =
          all[6 * i + j] + all[6 * (3 + i) + 3 + j] - all[6 * i + 3 + j] - all[6 * (3 + i) + j];
    }
  }
  w->worker[0].rows.nbranch = 0;
  w->worker[0].rows.nY = 0;
  rh_vec3 at[2] = {rh_point_position(w->d, a, point[0].at),
                   rh_point_position(w->d, b, point[1].at)};
  int one = rh_step_branch_make(&w->worker[0], a, &at[0], 1);
  int two = rh_step_branch_make(&w->worker[0], b, &at[1], -1);
  rh_sym3 W = rh_step_branch_inertia(&w->worker[0], one, two);
  const double got[9] = {W.xx, W.xy, W.xz, W.xy, W.yy, W.yz, W.xz, W.yz, W.zz};
  within("W of two", seed, distance(got, want, 9), 1e-11 * largest(all, 36));
  free(work);
}

START_TEST(factors_and_rows)
{
  FOR_TREES(seed)
  {
    tree_options o = size_of_tree(seed);
    o.bare = seed % 2 == 0;
    double h = o.bare ? 1e-3 : 0.05;
    rh_scene *scene = random_tree((uint64_t)seed + 1, &o);
    for (int i = 0; i < o.joints; i++) { // room for a branch comes with shapes
      char name[16];
      (void)snprintf(name, sizeof name, "b%d", i);
      rh_shape_def s = rh_shape_default("sphere");
      s.body = rh_name_of(name);
      s.par[0] = 0.01;
      ck_assert_int_eq(rh_scene_add_shape(scene, &s), i);
    }
    add_ground(scene);
    rh_contact_def c = rh_contact_default("newton", "coulomb");
    c.body = rh_name_of("world");
    c.against = rh_name_of("all");
    ck_assert_int_eq(rh_scene_add_contact(scene, &c), 0);
    set_run(scene, "stepping", 1, h);
    rh_model *m = model_of(scene);
    rh_sim *sim = sim_of(m);
    rh_step_world *w = engine_of(sim);
    rng r = {(uint64_t)seed};
    for (int i = 0; i < w->trees.n; i++) {
      rh_step_tree_make(&w->worker[0], w->nfree + 1 + i, h);
    }
    check_factor(w, h, seed);
    for (int k = 0; o.bare && k < 5; k++) {
      check_rows(w, &r, seed);
      check_pair(w, &r, seed);
    }
    finish(sim, m);
  }
}

END_TEST

// ---- Motion

static rh_sim *run_scene(const char *text, const char *stepper, double dt, double until,
                         rh_model **model)
{
  char set[3][64];
  const char *all[3] = {set[0], set[1], set[2]};
  rh_scene *scene = NULL;
  rh_diag *diag = rh_diag_create();
  (void)snprintf(set[0], sizeof set[0], "run.stepper=%s", stepper);
  (void)snprintf(set[1], sizeof set[1], "run.until=%.17g", until);
  (void)snprintf(set[2], sizeof set[2], "run.%s=%.17g", dt > 0 ? "dt" : "rtol",
                 dt > 0 ? dt : 1e-10);
  rh_status status = rh_scene_parse(text, strlen(text), "s", all, 3, diag, &scene);
  say_messages(diag);
  ck_assert_int_eq(status, RH_OK);
  rh_diag_destroy(diag);
  *model = model_of(scene);
  rh_sim *sim = sim_of(*model);
  status = rh_sim_run(sim, until);
  ck_assert_msg(status == RH_OK, "%s", rh_sim_reason(sim));
  return sim;
}

// Largest difference of coordinates from a run by cvode
static double difference(const char *text, double dt, double until)
{
  rh_model *a;
  rh_model *b;
  rh_sim *x = run_scene(text, "moreau", dt, until, &a);
  rh_sim *y = run_scene(text, "cvode", 0, until, &b);
  double off = distance(rh_sim_view(x)->q, rh_sim_view(y)->q, a->nq);
  finish(x, a);
  finish(y, b);
  return off;
}

#define ARM                                                                                        \
  "bodies: [{name: a, mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1, 0, 0, 0]},"             \
  " {name: b, mass: 0.5, com: [0.4, 0, 0], inertia: [0.01, 0.05, 0.05, 0, 0, 0]}]\n"

// A double pendulum with springs and dampers: halving the step quarters the error.
START_TEST(free_motion_is_of_order_two)
{
  static const char text[] =
      ARM "joints: [{kind: revolute, child: a, axis: [0, 1, 0], q: [0.3], spring: 2, damper: 0.1},"
          " {kind: spherical, parent: a, child: b, at: [1, 0, 0], q: [0.8, 0.6, 0, 0], v: [1, 2, "
          "3]}]\n";
  double coarse = difference(text, 4e-3, 1);
  double fine = difference(text, 2e-3, 1);
  double finest = difference(text, 1e-3, 1);
  ck_assert_msg(coarse / fine > 3.6 && coarse / fine < 4.4, "ratio %g", coarse / fine);
  ck_assert_msg(fine / finest > 3.8 && fine / finest < 4.2, "ratio %g", fine / finest);
  ck_assert_double_lt(finest, 1e-4);
}

END_TEST

// A joint that is held, then released: locked joints do not move by a bit, and the rest is of order two.
START_TEST(held_joints_do_not_move)
{
  static const char text[] = ARM "joints: [{kind: revolute, child: a, axis: [0, 1, 0], q: [0.3]},"
                                 " {name: k, kind: revolute, parent: a, child: b, at: [1, 0, 0], "
                                 "axis: [0, 1, 0], q: [0.7], held: yes}]\n"
                                 "events: [{name: let, time: 0.3, release: k}]\n";
  rh_model *m;
  rh_sim *sim = run_scene(text, "moreau", 1e-2, 0.3, &m);
  ck_assert(rh_sim_view(sim)->q[1] == 0.7 && rh_sim_view(sim)->v[1] == 0);
  finish(sim, m);
  double coarse = difference(text, 4e-3, 0.8);
  double fine = difference(text, 2e-3, 0.8);
  ck_assert_msg(coarse / fine > 3.4 && coarse / fine < 4.6, "errors %g, %g", coarse, fine);
  ck_assert_double_lt(fine, 1e-3);
}

END_TEST

// An actuator's gains and a stiff spring: no step is too long for them, and both end where they balance.
START_TEST(stiff_joints_stay_calm)
{
  static const char text[] =
      "world: {gravity: [0, 0, 0]}\n" ARM "joints: [{name: i, kind: revolute, child: a, axis: [0, "
      "1, 0], q: [0.3], spring: 1e7, damper: 10},"
      " {name: j, kind: revolute, parent: a, child: b, axis: [0, 1, 0], at: [1, 0, 0]}]\n"
      "actuators: [{name: m, joint: j, kp: 1e6, kd: 1e4, target: 0.5}]\n";
  rh_model *m;
  rh_sim *sim = run_scene(text, "moreau", 1e-2, 5, &m);
  near_abs(rh_sim_view(sim)->q[0], 0, 1e-6); // kp and spring leave nothing after 5 s but rounding
  near_abs(rh_sim_view(sim)->q[1], 0.5, 1e-6);
  finish(sim, m);
}

END_TEST

// An arm falls on the ground and comes to lie: as the event-driven stepper has it, in the limit.
START_TEST(contacts_converge_to_events)
{
  static const char text[] = ARM
      "joints: [{kind: revolute, child: a, axis: [0, 1, 0], q: [-0.6], at: [0, 0, 0.5]},"
      " {kind: revolute, parent: a, child: b, at: [1, 0, 0], axis: [0, 1, 0], q: [0.5]}]\n"
      "shapes: [{body: world, kind: plane}, {body: b, kind: sphere, radius: 0.05, at: [0.8, 0, 0]},"
      " {body: a, kind: sphere, radius: 0.05, at: [1, 0, 0]}]\n"
      "contacts: [{body: a, against: world, law: newton, e: 0, friction: coulomb, mu: 0.3},"
      " {body: b, against: world, law: newton, e: 0, friction: coulomb, mu: 0.3}]\n";
  double coarse = difference(text, 4e-3, 0.468); // one ball lies on the ground since 0.455 s
  double fine = difference(text, 5e-4, 0.468);
  ck_assert_msg(coarse / fine > 8, "errors %g, %g", coarse, fine); // order one: 8
  ck_assert_double_lt(fine, 1e-5); // by the velocity at the end of a step it would be 5e-5
  for (int k = 0; k < 2; k++) {    // it rests: overlap that is not corrected
    ck_assert_double_lt(difference(text, 5e-4, k == 0 ? 0.5 : 0.8), 1e-6);
  }
}

END_TEST

// A ball strikes a block on rails: equal masses, e = 1: they exchange velocities. Unequal: the two equations of momentum and restitution.
START_TEST(a_ball_strikes_a_slider)
{
  static const char text[] =
      "world: {gravity: [0, 0, 0]}\n"
      "bodies: [{name: a, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}, {name: b, mass: 3}]\n"
      "joints: [{name: i, kind: prismatic, child: a, axis: [1, 0, 0]},"
      " {name: j, kind: free, child: b, q: [-1, 0, 0, 1, 0, 0, 0], v: [2, 0, 0, 0, 0, 0]}]\n"
      "shapes: [{body: a, kind: box, size: [0.2, 0.2, 0.2]}, {body: b, kind: sphere, radius: "
      "0.1}]\n"
      "contacts: [{body: b, against: a, law: newton, e: 0.5, friction: coulomb, mu: 0.3}]\n";
  rh_model *m;
  rh_sim *sim = run_scene(text, "moreau", 1e-2, 2, &m);
  const double *v = rh_sim_view(sim)->v;
  // 3 * 2 = 3 vb + va, va - vb = 0.5 * 2
  near_abs(v[0], 2.25, 1e-9);
  near_abs(v[1], 1.25, 1e-9);
  double t = 0.8 / 2; // when they met
  near_abs(rh_sim_view(sim)->q[0], 2.25 * (2 - t), 1e-8);
  ck_assert_int_eq((int)rh_sim_statistics(sim).events, 1);
  finish(sim, m);
}

END_TEST

// Two pendulums side by side, equal masses, e = 1: the one that comes stops, the other goes on, and back and forth. Small inertias about their centres count in both alike.
START_TEST(pendulums_exchange_their_swing)
{
  static const char text[] =
      "bodies: [{name: a, mass: 1, com: [0, 0, -1], inertia: [1e-3, 1e-3, 1e-3, 0, 0, 0]},"
      " {name: b, mass: 1, com: [0, 0, -1], inertia: [1e-3, 1e-3, 1e-3, 0, 0, 0]}]\n"
      "joints: [{name: i, kind: revolute, child: a, axis: [0, 1, 0], q: [0.5]},"
      " {name: j, kind: revolute, child: b, axis: [0, 1, 0], at: [0.2, 0, 0]}]\n"
      "shapes: [{body: a, kind: sphere, radius: 0.1, at: [0, 0, -1]}, {body: b, kind: sphere, "
      "radius: 0.1, at: [0, 0, -1]}]\n"
      "contacts: [{body: a, against: b, law: newton, e: 1}]\nrecord: {every: 100}\n";
  rh_model *m;
  rh_sim *sim = run_scene(text, "moreau", 1e-3, 0.8, &m);
  const rh_data *d = rh_sim_view(sim);
  // H v^2/2 + m g l (1 - cos q) is what a had; a hangs still
  double energy = 0.5 * 1.001 * d->v[1] * d->v[1] + 9.81 * (1 - cos(d->q[1]));
  near_abs(energy, 9.81 * (1 - cos(0.5)), 1e-4); // the error of the midpoint rule, h^2
  near_abs(d->q[0], 0, 1e-5);
  near_abs(d->v[0], 0, 1e-5);
  ck_assert_int_eq((int)rh_sim_statistics(sim).events, 1);
  finish(sim, m);
}

END_TEST

// A block rests on a plank that rests on a spring: contact between a tree and a free body, in balance.
START_TEST(a_block_rests_on_a_sprung_plank)
{
  static const char text[] =
      "bodies: [{name: plank, mass: 2, inertia: [1, 1, 1, 0, 0, 0]}, {name: block, mass: 3}]\n"
      "joints: [{name: i, kind: prismatic, child: plank, axis: [0, 0, 1], spring: 1000, damper: "
      "50},"
      " {name: j, kind: free, child: block, q: [0.05, 0, 0.15, 1, 0, 0, 0]}]\n"
      "shapes: [{body: plank, kind: box, size: [1, 1, 0.1]}, {body: block, kind: box, size: [0.2, "
      "0.2, 0.2]}]\n"
      "contacts: [{body: block, against: plank, law: newton, e: 0, friction: coulomb, mu: 0.5}]\n";
  rh_model *m;
  rh_sim *sim = run_scene(text, "moreau", 2e-3, 4, &m);
  const rh_data *d = rh_sim_view(sim);
  near_abs(d->q[0], -5 * 9.81 / 1000, 1e-6); // the spring carries both
  near_abs(d->q[3] - d->q[0], 0.15, 2e-6);   // and the block stays on it: the slop is 1e-6
  near_abs(d->q[1], 0.05, 5e-7);             // it sticks to 1e-6 m/s in the half second of swinging
  near_abs(largest(d->v, m->nv), 0, 1e-5);
  finish(sim, m);
}

END_TEST

// A robot, a plank on rods and a ball: impacts of contacts and limits in one step with loops. No frame has more energy than the one before, but for what the
// first order leaves: a step's share of what moves, h g times the momenta, some 0.1 J.
START_TEST(all_rows_at_once_gain_nothing)
{
  rh_scene *scene = NULL;
  ck_assert_int_eq(
      rh_scene_load(ROUTH_SOURCE_DIR "/tests/determinism/moreau_tree.yaml", NULL, 0, NULL, &scene),
      RH_OK);
  rh_model *m = model_of(scene);
  rh_sim *sim = sim_of(m);
  double last = HUGE_VAL;
  for (int k = 0; k <= 30; k++) {
    ck_assert_int_eq(rh_sim_run(sim, 0.05 * k), RH_OK);
    rh_ledger l = rh_sim_ledger(sim);
    double now = l.kinetic + l.potential + l.spring;
    ck_assert_msg(now <= last + 0.1, "at %g s: from %g J to %g J", 0.05 * k, last, now);
    last = now;
  }
  finish(sim, m);
}

END_TEST

// A rod with a ball at its tip falls about a hinge as high as the ball is thick: it touches as it is horizontal. It may not
// pass the ground on the way to the impact, although a stiff spring hides from the engine how it speeds up; at angle a it is
// aimed at by tan a in place of a, which is L a^3/3 too far.
START_TEST(a_falling_rod_does_not_pass_the_ground)
{
  const char *text =
      "world: {gravity: [0, 0, -9.81]}\n"
      "bodies: [{name: b, mass: 1, com: [0.4, 0, 0], inertia: [0.01, 0.08, 0.08, 0, 0, 0]}, "
      "{name: c, mass: 0.01, inertia: [1e-6, 1e-6, 1e-6, 0, 0, 0]}]\n"
      "joints: [{child: b, kind: revolute, axis: [0, 1, 0], at: [0, 0, 0.05], q: -0.5}, "
      "{child: c, parent: b, kind: revolute, axis: [0, 1, 0], spring: 1000}]\n"
      "shapes: [{body: world, kind: plane}, {body: b, kind: sphere, radius: 0.05, at: [0.8, 0, "
      "0]}]\n"
      "contacts: [{body: b, against: world, law: newton, e: 0, friction: coulomb, mu: 0.3}]\n";
  const double L = 0.8;
  for (int k = 1; k <= 5; k++) {
    double dt = 1e-3 * k;
    double angle = 6 * dt; // [rad] a step's at 6 rad/s: energy gives it less than 5
    rh_model *m;
    rh_sim *sim = run_scene(text, "moreau", dt, 1, &m);
    within("overlap", k, sim->impact.deepest, L * angle * angle * angle / 3);
    finish(sim, m);
  }
}

END_TEST

// A weight hangs under the ground from an arm whose ball slides on it: at angle a of the arm the path of the ball bends towards
// the ground by L a'^2 cos a. What remains is of order h^3: the change of that and of a' in a step, and five times it, as a fifth of
// overlap is removed in a step. With a path along the tangent it was L a'^2 h^2/2, and five times it.
START_TEST(a_bent_path_stays_above_the_ground)
{
  const char *text =
      "world: {gravity: [0, 0, -9.81]}\n"
      "bodies: [{name: weight, mass: 1, inertia: [0.01, 0.01, 0.01, 0, 0, 0]}, "
      "{name: arm, mass: 0.2, inertia: [0.05, 0.05, 0.05, 0, 0, 0]}]\n"
      "joints: [{child: weight, kind: prismatic, axis: [0, 0, 1], q: -0.25}, "
      "{child: arm, parent: weight, kind: revolute, axis: [0, 1, 0], v: 3}]\n"
      "shapes: [{body: world, kind: plane}, {body: arm, kind: sphere, radius: 0.05, at: [0, 0, "
      "0.3]}]\n"
      "contacts: [{body: arm, against: world, law: newton, e: 0, friction: none}]\n"
      "run: {midpoint: never}\n";
  const double m = 1.2;
  const double L = 0.3;
  const double I = 0.05;
  const double g = 9.81;
  for (int k = 1; k <= 5; k++) {
    double h = 1e-3 * k;
    double fast = 3;
    double pull = (m * g * L + m * L * L * fast * fast) / I; // [rad/s^2] at most
    rh_model *model;
    rh_sim *sim = run_scene(text, "moreau", h, 1, &model);
    double error = h * h * h * L * (fast * fast * fast / 6 + 1.5 * fast * pull);
    within("overlap", k, sim->impact.deepest, 1e-6 + 5 * error); // 1e-6: the slop
    finish(sim, model);
  }
}

END_TEST

// A chain that whips and spins next to a limit of a joint and a ball: with the bias of the start of a step
// its energy grew without bound, to 6000 J at 0.35 s. What is left is the error of limits and impacts:
// 1 % of the energy allows for three times the 0.3 % that are there.
START_TEST(a_fast_chain_keeps_its_energy)
{
  static const char text[] =
      "bodies: [{name: a, mass: 1.403}, {name: b, mass: 6.954}, {name: c, mass: 0.3495}, {name: d, "
      "mass: 0.2418}, {name: e, mass: 7.964}]\n"
      "joints: [{kind: free, child: a, q: [0.63, 0.63, 0.25654, 1, 0, 0, 0], v: [2.33263, 1.21267, "
      "-0.612871, -2.47466, -5.97421, 6.50729]},"
      " {kind: revolute, axis: [1, 0, 0], parent: a, child: b, at: [0, 0, 0.22], limits: [-0.5, "
      "0.5], bounce: 0.3},"
      " {kind: spherical, parent: b, child: c, at: [0, 0, 0.22]},"
      " {kind: universal, axis: [1, 0, 0], axis2: [0, 1, 0], parent: c, child: d, at: [0, 0, "
      "0.22]},"
      " {kind: free, child: e, q: [0.84, 0.63, 0.261716, 1, 0, 0, 0], v: [1.53012, 0.368131, "
      "-0.746749, -3.13375, -12.1952, 8.59233]}]\n"
      "shapes: [{body: world, kind: plane, rpy: [0, 0.2214, 0]},"
      " {body: a, kind: box, size: [0.0572572, 0.0458496, 0.0646912]},"
      " {body: b, kind: capsule, radius: 0.0289061, length: 0.0250493},"
      " {body: c, kind: capsule, radius: 0.0199898, length: 0.0413899},"
      " {body: d, kind: capsule, radius: 0.0250984, length: 0.0379106},"
      " {body: e, kind: sphere, radius: 0.0859542}]\n"
      "contacts: [{body: all, against: all, law: newton, e: 0.9131, friction: dry, mu_s: 0.1292, "
      "mu_k: 0.1292}]\n";
  rh_model *m;
  rh_sim *sim = run_scene(text, "moreau", 2.04e-3, 0.6, &m);
  rh_ledger l = rh_sim_ledger(sim);
  ck_assert_msg(fabs(l.residue) < 0.01 * l.kinetic, "%g J of %g J", l.residue, l.kinetic);
  finish(sim, m);
}

END_TEST

// A light link between a spinning body and a heavy one that flies off on a slide: what pulls it makes it swing much faster than it
// turns. Of its 146 J, steps of 1 ms made 6000 J, and those of 4.89 ms ended without finite numbers. Bars: three times and twice
// what the first order of impacts leaves, 0.8 J and 9 J.
static const struct {
  double dt, bar;
} whip_steps[] = {{1e-3, 0.02}, {2e-3, 0.02}, {4.89e-3, 0.12}};

START_TEST(a_pulled_link_keeps_its_energy)
{
  static const char text[] =
      "bodies: [{name: a, mass: 0.2236}, {name: b, mass: 0.1343}, {name: c, mass: 0.586}, {name: "
      "d, mass: 5.783}]\n"
      "joints: [{kind: free, child: a, q: [0.63, 0.63, 0.131653, 1, 0, 0, 0], v: [1.55094, "
      "0.661841, "
      "-0.667705, -2.52808, 5.28372, -7.22028]},"
      " {kind: universal, axis: [1, 0, 0], axis2: [0, 1, 0], parent: a, child: b, at: [0, 0, "
      "0.22]},"
      " {kind: prismatic, axis: [0, 0, 1], parent: b, child: c, at: [0, 0, 0.22]},"
      " {kind: universal, axis: [1, 0, 0], axis2: [0, 1, 0], parent: c, child: d, at: [0, 0, "
      "0.22]}]\n"
      "shapes: [{body: world, kind: plane},"
      " {body: a, kind: ellipsoid, semi: [0.0325395, 0.0375248, 0.0509249]},"
      " {body: b, kind: box, size: [0.0387391, 0.0298159, 0.0301612]},"
      " {body: c, kind: sphere, radius: 0.0844041},"
      " {body: d, kind: cylinder, radius: 0.0196524, length: 0.0441862}]\n"
      "contacts: [{body: all, against: all, law: newton, e: 0.8632, friction: dry, mu_s: 0.8792, "
      "mu_k: 0.8528}]\n";
  rh_model *m;
  rh_sim *sim = run_scene(text, "moreau", whip_steps[_i].dt, 1, &m);
  rh_ledger l = rh_sim_ledger(sim);
  ck_assert_msg(fabs(l.residue) < whip_steps[_i].bar * l.initial, "%g J of %g J", l.residue,
                l.initial);
  finish(sim, m);
}

END_TEST

// A run in two parts, and one that goes on from a copy of the state, have the same bits.
START_TEST(resumed_bit_for_bit)
{
  static const char text[] =
      ARM "joints: [{kind: revolute, child: a, axis: [0, 1, 0], q: [-0.6], at: [0, 0, 0.5], "
          "friction: 0.1},"
          " {kind: revolute, parent: a, child: b, at: [1, 0, 0], axis: [0, 1, 0], limits: [-1, 1], "
          "bounce: 0.5}]\n"
          "shapes: [{body: world, kind: plane}, {body: b, kind: sphere, radius: 0.05, at: [0.8, 0, "
          "0]}]\n"
          "contacts: [{body: b, against: world, law: newton, e: 0.5, friction: coulomb, mu: 0.3}]\n"
          "record: {every: 0.1, batch: 1}\n";
  rh_model *m;
  rh_sim *whole = run_scene(text, "moreau", 1e-3, 1, &m);
  rh_sim *part = sim_of(m);
  ck_assert_int_eq(rh_sim_run(part, 0.4), RH_OK);
  double *state = doubles((size_t)m->layout.nstate);
  memcpy(state, rh_sim_view(part)->state, (size_t)m->layout.nstate * sizeof *state);
  rh_sim *rest = sim_of(m);
  rh_sim_resume(rest, 4, state);
  ck_assert_int_eq(rh_sim_run(rest, 1), RH_OK);
  ck_assert(rh_data_hash(rh_sim_view(rest), 0) == rh_data_hash(rh_sim_view(whole), 0));
  free(state);
  rh_sim_destroy(part);
  rh_sim_destroy(rest);
  finish(whole, m);
}

END_TEST

Suite *rh_suite_unit_moreau_tree(void)
{
  Suite *suite = suite_create("unit_moreau_tree");
  TCase *tcase = tcase_create("tree");
  tcase_add_loop_test(tcase, factors_and_rows, 0, CHUNKS);
  tcase_add_test(tcase, free_motion_is_of_order_two);
  tcase_add_test(tcase, held_joints_do_not_move);
  tcase_add_test(tcase, stiff_joints_stay_calm);
  tcase_add_test(tcase, contacts_converge_to_events);
  tcase_add_test(tcase, a_ball_strikes_a_slider);
  tcase_add_test(tcase, pendulums_exchange_their_swing);
  tcase_add_test(tcase, a_block_rests_on_a_sprung_plank);
  tcase_add_test(tcase, all_rows_at_once_gain_nothing);
  tcase_add_test(tcase, a_falling_rod_does_not_pass_the_ground);
  tcase_add_test(tcase, a_bent_path_stays_above_the_ground);
  tcase_add_test(tcase, a_fast_chain_keeps_its_energy);
  tcase_add_loop_test(tcase, a_pulled_link_keeps_its_energy, 0, RH_COUNT(whip_steps));
  tcase_add_test(tcase, resumed_bit_for_bit);
  suite_add_tcase(suite, tcase);
  return suite;
}
