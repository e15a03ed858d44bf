// ref_drops.c: sequences of impacts through the rigid loop, against the spatial reference numbers: a block that falls on an edge (4 points,
// two of them strike; the course of the impact counts), on a corner (one point), flat, and comes to rest; and the two scenes of it.
#include "data/drops.h"
#include "data/struck.h"
#include "rigid.h"

#include <routh/math.h>

#define BLOCK                                                                                      \
  "bodies: [{name: block, mass: 2}]\n"                                                             \
  "shapes: [{body: world, kind: plane}, {body: block, kind: box, size: [0.4, 0.3, 0.2]}]\n"        \
  "contacts: [{name: ground, body: block, against: world, law: stronge, e: %.17g, friction: dry, " \
  "mu_s: %.17g, mu_k: %.17g}]\n"

static rh_quat turned(double roll, double pitch, double yaw)
{
  rh_mat3 R = rh_rpy_matrix(roll, pitch, yaw);
  return rh_quat_of_matrix(&R);
}

typedef struct sums { // over the contacts of one instant
  double pn, pt, Dn, Dt;
  double least; // loss by friction at one of them
} sums;

// Impulses of one instant together: sums of what the contacts got, and the first of them.
static const moment *instant(int *k, sums *all)
{
  const moment *first = nth(RH_EVENT_IMPACT, *k);
  *all = (sums){.least = HUGE_VAL};
  while (*k < told.count[RH_EVENT_IMPACT] && nth(RH_EVENT_IMPACT, *k)->e.t == first->e.t) {
    const rh_event *e = &nth(RH_EVENT_IMPACT, *k)->e;
    all->pn += e->impulse;
    all->pt += e->friction;
    all->Dn += e->Dn;
    all->Dt += e->Dt;
    all->least = fmin(all->least, e->Dt);
    ck_assert(e->work == -(e->Dn + e->Dt));
    (*k)++;
  }
  return first;
}

// The error of an impact (1e-6 of the velocities a step of its course) grows from impact to impact: a tilt of 1e-6 shifts the next
// one by as much over its rate. At a finer tolerance all are met as stated.
START_TEST(edges)
{
  static const char *const form[] = {"winkler", "winkler-global", "fixed-split", "thesis"};
  for (int f = 0; f < RH_COUNT(form); f++) {
    for (int i = 0; i < RH_COUNT(edge_drops); i++) {
      const edge_drop *c = &edge_drops[i];
      rh_quat q = turned(0, c->pitch, 0);
      double z = c->clearance + 0.1 * cos(c->pitch) + 0.2 * sin(c->pitch);
      int k = 0;
      play(DOWN BLOCK "joints: [{kind: free, child: block, q: [0, 0, %.17g, %.17g, 0, %.17g, 0]}]\n"
                      "run: {until: 0.4, multi_impact: %s, impact_tolerance: 1e-9, " FINE "}\n",
           c->e, c->mu, c->mu, z, q.w, q.y, form[f]);
      for (int n = 0; n < c->n; n++) {
        sums all;
        const edge_impact *want = &c->at[n];
        const moment *m = instant(&k, &all);
        const double got[] = {m->e.t, m->e.before, m->e.after, all.pn, m->q[0], m->q[2], -all.Dn};
        const double ref[] = {want->t, want->vn_pre, want->vn_post, want->p[1],
                              want->x, want->z,      want->Wn};
        near_array(got, ref, RH_COUNT(ref), 1e-6, 1e-6); // stated
        near_abs(all.pt, fabs(want->p[0]), 1e-6 * (1 + all.pt));
        ck_assert(all.least >= 0);
      }
    }
  }
}

END_TEST

// Works that events have where an edge lands on 2 or 3 points: W_n as stated, both points alike by
// symmetry, and with friction all that is lost.
START_TEST(landings)
{
  static const char *const form[] = {"winkler", "winkler-global", "fixed-split", "thesis"};
  for (int i = 0; i < RH_COUNT(edge_table) * RH_COUNT(form); i++) {
    const struck_case *c = &edge_table[i / RH_COUNT(form)];
    rh_quat q = turned(0, c->pitch, 0);
    double z = 0.5 * c->dims[2] * cos(c->pitch) + 0.5 * c->dims[0] * sin(c->pitch);
    double inertia = c->mass / 12 * (c->dims[0] * c->dims[0] + c->dims[2] * c->dims[2]);
    double T = 0;
    int k = 0;
    sums all;
    play("bodies: [{name: block, mass: %.17g}]\n"
         "shapes: [{body: world, kind: plane}, {body: block, kind: box, size: [%.17g, %.17g, "
         "%.17g], samples: %d}]\n"
         "contacts: [{name: ground, body: block, against: world, law: stronge, e: %.17g, friction: "
         "dry, mu_s: %.17g, mu_k: %.17g}]\n"
         "joints: [{kind: free, child: block, q: [0, 0, %.17g, %.17g, 0, %.17g, 0], v: [%.17g, 0, "
         "%.17g, 0, %.17g, 0]}]\n"
         "run: {until: 1e-3, multi_impact: %s, impact_tolerance: 1e-9, " FINE "}\n",
         c->mass, c->dims[0], c->dims[1], c->dims[2], c->n == 3 ? 8 : 4, c->e, c->mu, c->mu, z, q.w,
         q.y, c->v[0], c->v[2], c->w[1], form[i % RH_COUNT(form)]);
    ck_assert_int_eq(told.count[RH_EVENT_IMPACT], c->n);
    (void)instant(&k, &all);
    near_abs(all.pn, c->impulse[2], 1e-6 * (1 + all.pn)); // stated
    near_abs(-all.Dn, c->Wn, 1e-6 * (1 + fabs(c->Wn)));
    ck_assert(all.least >= 0);
    for (int j = 0; j < 3; j++) {
      T += 0.5 * c->mass * (c->v_after[j] * c->v_after[j] - c->v[j] * c->v[j]);
    }
    T += 0.5 * inertia * (c->w_after[1] * c->w_after[1] - c->w[1] * c->w[1]);
    near_abs(-(all.Dn + all.Dt), T, 1e-5); // velocities are stated to 1e-6, and m v is 2
    if (c->n == 2) {
      const rh_event *a = &nth(RH_EVENT_IMPACT, 0)->e;
      const rh_event *b = &nth(RH_EVENT_IMPACT, 1)->e;
      near_abs(a->Dn, b->Dn, 1e-9);
      near_abs(a->Dt, b->Dt, 1e-9);
    }
  }
}

END_TEST

START_TEST(corners)
{
  for (int i = 0; i < RH_COUNT(corner_drops); i++) {
    const corner_drop *c = &corner_drops[i];
    rh_mat3 R = rh_rpy_matrix(c->rpy[0], c->rpy[1], c->rpy[2]);
    rh_quat q = turned(c->rpy[0], c->rpy[1], c->rpy[2]);
    double lowest = 0;
    for (int k = 0; k < 8; k++) {
      rh_vec3 at = rh_v3(k & 1 ? 0.2 : -0.2, k & 2 ? 0.15 : -0.15, k & 4 ? 0.1 : -0.1);
      lowest = fmin(lowest, rh_rotate(&R, at).z);
    }
    play(DOWN BLOCK
         "joints: [{kind: free, child: block, q: [0, 0, %.17g, %.17g, %.17g, %.17g, %.17g], v: "
         "[%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]}]\n"
         "run: {until: 0.4, " FINE "}\n",
         c->e, c->mu, c->mu, c->clearance - lowest, q.w, q.x, q.y, q.z, c->v[0], c->v[1], c->v[2],
         c->w[0], c->w[1], c->w[2]);
    for (int n = 0; n < c->n; n++) {
      const corner_impact *want = &c->at[n];
      const moment *m = nth(RH_EVENT_IMPACT, n);
      const double got[] = {m->e.t,        m->e.before, m->e.after, m->e.impulse,
                            m->e.friction, m->q[0],     m->q[1],    m->q[2]};
      const double ref[] = {
          want->t,      want->vn_pre, want->vn_post, want->p[2], hypot(want->p[0], want->p[1]),
          want->com[0], want->com[1], want->com[2]};
      near_array(got, ref, RH_COUNT(ref), 1e-5, 1e-5); // stated
    }
  }
}

END_TEST

// Flat on four points, under every row with restitution: t_k and e^k v_0. A rebound slower than the threshold stays.
START_TEST(bounces)
{
  static const char *const form[] = {"simultaneous", "sequential", "moreau"};
  for (int f = 0; f < RH_COUNT(form); f++) {
    for (int i = 0; i < RH_COUNT(bounce_table); i++) {
      const bounce_case *c = &bounce_table[i];
      double work = 0;
      int k = 0;
      int impacts = 0;
      play(DOWN BLOCK "joints: [{kind: free, child: block, q: [0, 0, %.17g, 1, 0, 0, 0]}]\n"
                      "run: {until: 2.5, multi_impact: %s, rest_speed: %.17g, " FINE "}\n",
           c->e, 0.3, 0.3, c->height + 0.1, form[f], c->threshold);
      while (k < told.count[RH_EVENT_IMPACT]) {
        sums all;
        const moment *m = instant(&k, &all);
        if (impacts < 8) {
          near_abs(m->e.t, c->times[impacts], 1e-9 * (1 + c->times[impacts])); // stated
          near_abs(m->e.after, c->rebound[impacts], 1e-9 * (1 + c->rebound[impacts]));
        }
        work += 0.5 * all.pn * (m->e.before + m->e.after);
        near_abs(all.Dn + all.Dt, -0.5 * all.pn * (m->e.before + m->e.after), 1e-9); // no slip
        impacts++;
      }
      ck_assert_int_ge(impacts, c->impacts - 1); // thresholds: one more or less
      ck_assert_int_le(impacts, c->impacts + 1);
      near_abs(work, c->work, 2e-4); // what the last hop has left: m threshold^2
    }
  }
}

END_TEST

static void play_file(const char *name)
{
  char path[256];
  rh_scene *scene = NULL;
  (void)snprintf(path, sizeof path, "%s/scenes/%s.yaml", ROUTH_SOURCE_DIR, name);
  ck_assert_int_eq(rh_scene_load(path, NULL, 0, NULL, &scene), RH_OK);
  rh_model *model = model_of(scene);
  tell(model);
  rh_model_destroy(model);
  ck_assert_msg(told.status == RH_OK, "%s", told.reason);
}

START_TEST(scenes)
{
  play_file("block-tilted-drop");
  near_abs(nth(RH_EVENT_IMPACT, 0)->e.t, edge_drops[0].at[0].t, 1e-6);
  near_abs(told.q[2], 0.1, 1e-9); // it lies on its base
  ck_assert_int_eq(told.sticks + told.slides + told.idle, 4);
  play_file("block-central-drop");
  near_abs(nth(RH_EVENT_IMPACT, 0)->e.after, 0.6 * sqrt(2 * G * 0.2), 1e-5);
  near_abs(told.q[2], 0.1, 1e-9);
}

END_TEST

Suite *rh_suite_ref_drops(void)
{
  Suite *suite = suite_create("ref_drops");
  TCase *tests = tcase_create("drops");
  tcase_add_test(tests, edges);
  tcase_add_test(tests, landings);
  tcase_add_test(tests, corners);
  tcase_add_test(tests, bounces);
  tcase_add_test(tests, scenes);
  suite_add_tcase(suite, tests);
  return suite;
}
