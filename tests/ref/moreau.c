// ref_moreau.c: the engine `stepping` against closed forms: bounces, slides, a pushed slab under rolling balls.
#include "moreau.h"

// ---- Bounces

typedef struct bounce {
  double e;            // restitution
  double e0;           // [J] energy at the start
  double square, most; // [m^2] of the distance to the exact path, [J] largest gain
  double least;        // [J] least energy
  double top;          // [m] of the gap, after the first impact
  int n;
} bounce;

// Gap under a body that was let go 1 m above ground.
static double exact_gap(double t, double e)
{
  double at = sqrt(2 / G);
  double v = G * at;
  if (t < at) {
    return 1 - 0.5 * G * t * t;
  }
  for (int k = 0; k < 60; k++) {
    v *= e;
    double s = t - at;
    if (s < 2 * v / G) {
      return v * s - 0.5 * G * s * s;
    }
    at += 2 * v / G;
  }
  return 0;
}

static void look_at_bounce(void *user, const rh_sim *sim)
{
  bounce *b = user;
  const rh_data *d = rh_sim_view(sim);
  double gap = d->q[2] - 0.1;
  double energy = 0.5 * d->v[2] * d->v[2] + G * gap;
  double off = gap - exact_gap(*d->t, b->e);
  b->square += off * off;
  b->most = fmax(b->most, energy - b->e0);
  b->least = fmin(b->least, energy);
  b->top = *d->t > 0.5 ? fmax(b->top, gap) : 0;
  b->n++;
}

static bounce bounce_of(const char *shape, double e, double dt, double until)
{
  bounce b = {.e = e, .e0 = G, .least = G};
  watch_scene(look_at_bounce, &b,
              DOWN "bodies: [{name: b, mass: 1}]\n"
                   "joints: [{kind: free, child: b, q: [0, 0, 1.1, 1, 0, 0, 0]}]\n"
                   "shapes: [" FLOOR ", {body: b, %s}]\n"
                   "contacts: [{body: b, against: world, law: newton, e: %.17g, friction: dry, "
                   "mu_s: 0.5, mu_k: 0.5}]\n"
                   "run: {until: %.17g, engine: stepping, dt: %.17g}\nrecord: {every: %.17g}\n",
              shape, e, until, dt, dt);
  return b;
}

#define BALL "kind: sphere, radius: 0.1"
#define CUBE "kind: box, size: [0.2, 0.2, 0.2]"

// The harness's S1. 0.1 mm is what is asked for; a step moves the body by 4 mm when it strikes.
START_TEST(path_of_a_bounce)
{
  const char *shape[] = {BALL, CUBE};
  for (int i = 0; i < 2; i++) {
    bounce b = bounce_of(shape[i], 0.5, 1e-3, 5);
    ck_assert_int_eq(b.n, 5001);
    ck_assert_double_lt(sqrt(b.square / b.n), 1e-4);
    ck_assert_double_le(b.most, 1e-12 * G); // rounding
  }
}

END_TEST

// Without loss it comes back to where it was, whatever the step: 1e-6 of the height is asked for, at any time of 10 s
// and eleven bounces.
START_TEST(lossless_bounce)
{
  const double dt[] = {1e-4, 1e-3, 1e-2};
  const char *shape[] = {BALL, CUBE};
  for (int i = 0; i < 6; i++) {
    double h = dt[i % 3];
    bounce b = bounce_of(shape[i / 3], 1, h, h < 5e-4 && RH_TEST_SLOW ? 2 : 10);
    ck_assert_double_lt(b.most, 1e-6 * G);
    ck_assert_double_gt(b.least, (1 - 1e-6) * G);
    // a frame misses the apex by half a step at most: g (h/2)^2 / 2
    ck_assert_double_gt(b.top, 1 - 1e-6 - G * h * h / 8);
    ck_assert_double_lt(b.top, 1 + 1e-6);
  }
}

END_TEST

static void keep_most(void *user, const rh_sim *sim)
{
  double *most = user;
  *most = fmax(*most, energy_of(sim));
}

// A ball strikes one that leans on a wall. With e = 1 at both contacts the one at the wall stays and the first comes back as fast:
// the only velocities that keep to the law. What adds the impulses of the contacts up one by one doubles the energy.
START_TEST(ball_on_ball_at_wall)
{
  for (int i = 0; i < 3; i++) {
    double most = 0;
    rh_model *model = NULL;
    char scene[2048];
    snprintf(
        scene, sizeof scene,
        "world: {gravity: [0, 0, 0]}\nbodies: [{name: a, mass: 1}, {name: b, mass: 1}]\n"
        "joints: [{kind: free, child: a, q: [-1, 0, 0, 1, 0, 0, 0], v: [2, 0, 0, 0, 0, 0]},\n"
        "  {kind: free, child: b, q: [-0.1, 0, 0, 1, 0, 0, 0]}]\n"
        "shapes: [{body: world, kind: plane, rpy: [0, -1.5707963267948966, 0]}, {body: a, " BALL
        "},\n"
        "  {body: b, " BALL "}]\n"
        "contacts: [{body: a, against: all, law: newton, e: 1, friction: none},\n"
        "  {body: b, against: all, law: newton, e: 1, friction: none}]\n"
        "run: {until: 1, engine: stepping, multi_impact: simultaneous, dt: %.17g}\nrecord: {every: "
        "%.17g}\n",
        pow(10, i - 4), pow(10, i - 4));
    model = model_from(scene, NULL, 0);
    rh_sim *sim = watch(model, keep_most, &most);
    ck_assert_double_le(most, 2 * (1 + 1e-12));
    near_abs(rh_sim_view(sim)->v[0], -2, 1e-9); // the tolerance of the solver and rounding
    near_abs(rh_sim_view(sim)->v[6], 0, 1e-9);
    finish(sim, model);
  }
}

END_TEST

// ---- Slides

typedef struct track {
  double t[20], x[20], v[20];
  int n;
} track;

static void look_at_slide(void *user, const rh_sim *sim)
{
  track *t = user;
  const rh_data *d = rh_sim_view(sim);
  if (t->n < 20) {
    t->t[t->n] = *d->t;
    t->x[t->n] = d->q[0];
    t->v[t->n++] = d->v[0];
  }
}

// A block on a slope whose tangent is `slope`, given a speed along it; the slope falls along x.
static track slide(double slope, double mu, double speed, double dt)
{
  track t = {.n = 0};
  double a = atan(slope);
  watch_scene(
      look_at_slide, &t,
      "world: {gravity: [%.17g, 0, %.17g]}\nbodies: [{name: b, mass: 3}]\n"
      "joints: [{kind: free, child: b, q: [0, 0, 0.05, 1, 0, 0, 0], v: [%.17g, 0, 0, 0, 0, 0]}]\n"
      "shapes: [" FLOOR ", {body: b, kind: box, size: [0.4, 0.4, 0.1]}]\n"
      "contacts: [{body: b, against: world, law: newton, e: 0, friction: dry, mu_s: %.17g, "
      "mu_k: %.17g}]\n"
      "run: {until: 2, engine: stepping, dt: %.17g}\nrecord: {every: 0.2}\n",
      G * sin(a), -G * cos(a), speed, mu, mu, dt);
  ck_assert_int_eq(t.n, 11);
  return t;
}

// Outside its cone: g (sin a - mu cos a). Velocities of a constant force are exact but for the tolerance of the
// solver; the place is that of steps along the new velocity, a h t / 2 ahead.
START_TEST(block_slides)
{
  const double dt[] = {1e-3, 4e-3};
  for (int i = 0; i < 2; i++) {
    track t = slide(0.7, 0.5, 0, dt[i]);
    double a = G * (sin(atan(0.7)) - 0.5 * cos(atan(0.7)));
    for (int k = 0; k < t.n; k++) {
      near_abs(t.v[k], a * t.t[k], 1e-8);
      near_abs(t.x[k], a * t.t[k] * t.t[k] / 2, a * dt[i] * t.t[k] / 2 * 1.01 + 1e-12);
    }
  }
}

END_TEST

// Pushed up a slope that would hold it, it comes to rest after v / g (mu cos a + sin a) and stays there.
START_TEST(block_stops)
{
  const double dt[] = {1e-3, 4e-3};
  for (int i = 0; i < 2; i++) {
    track t = slide(0.4, 0.5, -5, dt[i]);
    double a = G * (sin(atan(0.4)) + 0.5 * cos(atan(0.4)));
    double way = 25 / (2 * a);
    for (int k = 0; k < t.n; k++) {
      double v = t.t[k] < 5 / a ? -5 + a * t.t[k] : 0;
      near_abs(t.v[k], v, 1e-8);
    }
    near_abs(t.x[t.n - 1], -way, 5 * dt[i]); // less than a step of the first speed
    near_abs(t.x[t.n - 1], t.x[t.n - 2], 1e-12);
  }
}

END_TEST

// ---- A slab with 25 balls on it, pushed: the harness's S4 (SimBenchmark's "rolling")

typedef struct pushed {
  double way[2], square;
  int n;
} pushed;

static void look_at_pushed(void *user, const rh_sim *sim)
{
  pushed *p = user;
  const rh_data *d = rh_sim_view(sim);
  double f1 = 0.4 * 35 * G;
  double f2 = (150 - f1) / 60;
  double a = (150 - f1 - 25 * f2) / 10;
  for (int k = 0; k < 2; k++) {
    double slab = d->v[k] - a * *d->t * p->way[k];
    double ball = d->v[6 + k] - f2 * *d->t * p->way[k];
    p->square += slab * slab + ball * ball;
  }
  p->square += d->v[2] * d->v[2] + d->v[8] * d->v[8];
  p->n++;
}

static double pushed_error(double x, double y)
{
  pushed p = {.way = {x, y}};
  static text t;
  t.n = 0;
  put(&t, DOWN "bodies:\n  - {name: slab, mass: 10}\n");
  for (int i = 0; i < 25; i++) {
    put(&t, "  - {name: b%d, mass: 1}\n", i);
  }
  put(&t, "joints:\n  - {kind: free, child: slab, q: [0, 0, 0.49998, 1, 0, 0, 0]}\n");
  for (int i = 0; i < 25; i++) {
    put(&t, "  - {kind: free, child: b%d, q: [%d, %d, 1.49994, 1, 0, 0, 0]}\n", i, 2 * (i / 5) - 4,
        2 * (i % 5) - 4);
  }
  put(&t, "shapes:\n  - " FLOOR "\n  - {body: slab, kind: box, size: [20, 20, 1]}\n");
  for (int i = 0; i < 25; i++) {
    put(&t, "  - {body: b%d, kind: sphere, radius: 0.5}\n", i);
  }
  put(&t,
      "contacts:\n  - {body: slab, against: world, law: newton, e: 0, friction: dry, mu_s: 0.4, "
      "mu_k: 0.4}\n"
      "  - {body: slab, against: all, law: newton, e: 0, friction: dry, mu_s: 0.8, mu_k: 0.8}\n"
      "forces:\n  - {name: push, body: slab, force: [%.17g, %.17g, 0]}\n"
      "run: {until: %g, engine: stepping, dt: 0.001}\nrecord: {every: 0.001}\n",
      150 * x, 150 * y, RH_TEST_SLOW ? 0.5 : 4.0);
  watch_text(look_at_pushed, &p, t.s);
  return p.square / p.n;
}

// Both ways, so that a cone made of planes is found out. 1e-8 m^2/s^2 is what is asked for.
START_TEST(slab_under_balls)
{
  ck_assert_double_lt(pushed_error(0.5, sqrt(0.75)), 1e-8);
  ck_assert_double_lt(pushed_error(0, 1), 1e-8);
}

END_TEST

Suite *rh_suite_ref_moreau(void)
{
  Suite *suite = suite_create("ref_moreau");
  TCase *tc = tcase_create("moreau");
  tcase_add_test(tc, path_of_a_bounce);
  tcase_add_test(tc, lossless_bounce);
  tcase_add_test(tc, ball_on_ball_at_wall);
  tcase_add_test(tc, block_slides);
  tcase_add_test(tc, block_stops);
  tcase_add_test(tc, slab_under_balls);
  suite_add_tcase(suite, tc);
  return suite;
}
