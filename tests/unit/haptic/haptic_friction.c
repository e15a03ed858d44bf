// unit_haptic_friction.c: friction of collisions and of contacts in the haptic loop.
#include "haptic.h"

#include <routh/kind.h>

// ---- Collisions

static const rh_haptic_contact *first_collision(felt *f, int ticks)
{
  rh_haptic_out out;
  for (int k = 0; k < ticks; k++) {
    int n;
    rh_haptic_tick(f->h, f->d, NULL, &out);
    const rh_haptic_contact *c = rh_haptic_contacts(f->h, &n);
    if (n > 0 && c[0].struck) {
      return c;
    }
  }
  ck_abort_msg("no collision");
  return NULL;
}

// A ball of 2/5 m r^2 falls at v on a table, slides at s: p_n = (1 + e) m v; it slides on if mu p_n < 2/7 m s, else it rolls. Without
// gravity, in one tick; device and hand have the ball's inertia and get the same. Rounding.
START_TEST(ball_takes_spin)
{
  static const double mu[] = {0, 0.1, 0.3, 0.38, 0.385, 0.5, 2};
  double m = 0.5, r = 0.03, v = 0.5, s = 1, e = 0.5;
  char set[32];
  (void)snprintf(set, sizeof set, "table.mu=%g", mu[_i]);
  felt f = felt_scene("haptic-spin.yaml", (const char *const[]){set}, 1);
  const rh_haptic_contact *c = first_collision(&f, 100);
  double pn = (1 + e) * m * v;
  double pt = fmin(mu[_i] * pn, 2.0 / 7 * m * s);
  near_abs(c->p, pn, 1e-12);
  near_abs(c->work, 0.5 * m * (e * e - 1) * v * v - pt * s + 0.5 * pt * pt * 7 / (2 * m), 1e-12);
  for (int body = 0; body < 2; body++) {
    const double *w = f.d->v + 6 * body;
    near_abs(w[0], s - pt / m, 1e-12);
    near_abs(w[2], e * v, 1e-12);
    near_abs(w[4], 2.5 * pt / (m * r), 1e-10);
  }
  felt_end(&f);
}

END_TEST

// The same by the engine `event` with rigid bodies and Stronge's law: a box with spin falls on a corner with friction.
START_TEST(same_as_event_engine)
{
  static const char *const text =
      "world: {gravity: [0, 0, 0]}\n"
      "bodies: [{name: box, mass: 2, inertia: [0.02, 0.03, 0.04, 0, 0, 0]}]\n"
      "joints: [{kind: free, child: box, q: [0, 0, 0.2, 0.9, 0.3, 0.2, 0.24494897427831783], v: "
      "[0.4, -0.3, -1, 1, 2, 0.5]}]\n"
      "shapes: [{body: box, kind: box, size: [0.2, 0.14, 0.1]}, {name: table, body: world, kind: "
      "plane}]\n"
      "contacts: [{name: touch, body: box, against: world, %s}]\n"
      "%s\n"
      "run: {until: 0.09 s, %s}\n"
      "record: {every: 0.001}\n";
  double after[2][6];
  for (int i = 0; i < 2; i++) {
    char full[2048];
    rh_scene *scene = NULL;
    rh_model *m = NULL;
    rh_sim *sim = NULL;
    (void)snprintf(full, sizeof full, text,
                   i == 0 ? "law: stronge, e: 0.6, friction: dry, mu_s: 0.35, mu_k: 0.35"
                          : "law: kelvin-voigt, k: 1e4, b: 1, friction: threshold, mu: 0.35",
                   i == 0 ? "" : "haptic: {tool: box, e: 0.6, collide: friction}",
                   i == 0 ? "engine: event" : "engine: haptic, dt: 1e-6");
    ck_assert_int_eq(rh_scene_parse(full, strlen(full), "text", NULL, 0, NULL, &scene), RH_OK);
    ck_assert_int_eq(rh_scene_compile(scene, NULL, &m), RH_OK);
    ck_assert_int_eq(rh_sim_create(m, NULL, &sim), RH_OK);
    ck_assert_int_eq(rh_sim_run(sim, 0.09), RH_OK);
    memcpy(after[i], rh_sim_data(sim)->v, sizeof after[i]);
    rh_sim_destroy(sim);
    rh_model_destroy(m);
    rh_scene_destroy(scene);
  }
  ck_assert(after[0][2] > -0.5); // it was hit
  for (int k = 0; k < 6; k++) {
    near_abs(after[1][k], after[0][k],
             1e-4); // the tick: 1e-6 s of a motion of 5 rad/s, and its Coriolis terms
  }
}

END_TEST

// Whatever the contacts, impulses with friction take energy, push, and stay within the cone in the mean: peg in a corner, several contacts.
START_TEST(friction_takes_energy)
{
  const char *const set[] = {"wall.friction=threshold", "wall.mu=0.4", "haptic.collide=friction",
                             "haptic.e=0.6", "run.multi_impact=simultaneous"};
  felt f = felt_scene("haptic-peg-corner.yaml", set, 5);
  rh_haptic_out out;
  int collisions = 0;
  for (int k = 0; k < 1536; k++) {
    int n;
    rh_haptic_tick(f.h, f.d, NULL, &out);
    const rh_haptic_contact *c = rh_haptic_contacts(f.h, &n);
    for (int i = 0; i < n; i++) {
      ck_assert(c[i].p >= -1e-12);
      collisions += c[i].struck;
    }
    ck_assert(rh_haptic_gain(f.h) <= 1e-15);
  }
  ck_assert(collisions > 3);
  near_abs(f.d->haptic->pulled, 0, 0);
  ck_assert(f.d->haptic->returned <= 0);
  felt_end(&f);
}

END_TEST

// Impulses that only push: none pulls, while the equalities pull at the second corner.
START_TEST(only_push)
{
  felt glue = felt_scene("haptic-peg-corner.yaml", NULL, 0);
  felt push = felt_scene("haptic-peg-corner.yaml", (const char *const[]){"haptic.collide=push"}, 1);
  rh_haptic_out out;
  for (int k = 0; k < 1024; k++) {
    rh_haptic_tick(glue.h, glue.d, NULL, &out);
    rh_haptic_tick(push.h, push.d, NULL, &out);
  }
  ck_assert(glue.d->haptic->pulled > 0);
  near_abs(push.d->haptic->pulled, 0, 0);
  felt_end(&glue);
  felt_end(&push);
}

END_TEST

// ---- Friction with states

// A block pressed on a table by N = k depth is pulled by F < mu N: bristles hold it, at F/sigma0 from where it began to be pulled, and it
// does not creep; the force of the modified Coulomb law ([CSC] 6) lets it creep at v_threshold F/(mu N). Pulled by more it slides.
START_TEST(bristles_hold)
{
  static const char *const text =
      "world: {gravity: [0, 0, -10]}\n"
      "bodies: [{name: block, mass: 1, inertia: [0.01, 0.01, 0.01, 0, 0, 0]}]\n"
      "joints: [{kind: free, child: block, q: [0, 0, 0.0495, 1, 0, 0, 0]}]\n"
      "shapes: [{body: block, kind: box, size: [0.2, 0.2, 0.1]}, {name: top, body: world, kind: "
      "plane}]\n"
      "contacts: [{name: table, body: block, against: world, law: kelvin-voigt, k: 5000, b: 50, "
      "%s}]\n"
      "haptic: {tool: block, push: [2, 0, 0], method: pb}\n"
      "run: {until: 1 s, engine: haptic, dt: 0.001}\n"
      "record: {every: 0.001}\n";
  static const char *const law[] = {
      "friction: bristle, sigma0: 5000, sigma1: 50, mu_s: 0.5, mu_k: 0.5",
      "friction: threshold, mu: 0.5, v_threshold: 0.01"};
  for (int i = 0; i < 2; i++) {
    char full[2048];
    double x[3];
    (void)snprintf(full, sizeof full, text, law[i]);
    felt f = felt_text(full);
    rh_haptic_out out;
    for (int k = 0; k < 3; k++) {
      for (int n = 0; n < 2000; n++) {
        rh_haptic_tick(f.h, f.d, NULL, &out);
      }
      x[k] = f.d->q[0];
    }
    if (i == 0) {
      near_abs(x[2], x[1], 1e-9);
      ck_assert(x[2] > 0 && x[2] < 0.01);
    } else {
      near_rel((x[2] - x[1]) / 2, 0.01 * 2 / 5, 1e-2); // N = 10 N: mu N = 5 N
    }
    felt_end(&f);
  }
}

END_TEST

Suite *rh_suite_unit_haptic_friction(void)
{
  Suite *s = suite_create("unit_haptic_friction");
  TCase *t = tcase_create("friction");
  tcase_add_loop_test(t, ball_takes_spin, 0, 7);
  tcase_add_test(t, same_as_event_engine);
  tcase_add_test(t, friction_takes_energy);
  tcase_add_test(t, only_push);
  tcase_add_test(t, bristles_hold);
  suite_add_tcase(s, t);
  return s;
}
