// ref_moreau_build.c: the engine `stepping` against what is known of things that are built or hung: an arch of wedge stones, a chain between two hooks, a slider-crank, a row of
// balls; and worlds of every shape, moved as a whole.
#include "moreau.h"

static const double PI = 3.14159265358979323846;

static void put_free(text *t, int i, rh_vec3 x, rh_quat q)
{
  put(t, "  - {kind: free, child: b%d, q: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g, %.17g]}\n", i,
      x.x, x.y, x.z, q.w, q.x, q.y, q.z);
}

static rh_quat about_y(double angle)
{
  return (rh_quat){cos(angle / 2), 0, sin(angle / 2), 0};
}

// How far coordinates are from where they were
static double moved(const rh_sim *sim)
{
  const rh_data *d = rh_sim_view(sim);
  double most = 0;
  for (int i = 0; i < d->model->nq; i++) {
    most = fmax(most, fabs(d->q[i] - d->model->start.q0[i]));
  }
  return most;
}

// ---- An arch

// n stones of a half circle, from 1 to 1.25 m: a line of thrust fits into that (it needs 1.12), so it stands if friction holds its feet.
static double arch_moves(int n, double mu)
{
  static text t;
  t.n = 0;
  double half = 0.5 * PI / n;
  put(&t, DOWN "bodies:\n");
  for (int i = 0; i < n; i++) {
    put(&t, "  - {name: b%d, mass: 1}\n", i);
  }
  put(&t, "joints:\n");
  for (int i = 0; i < n; i++) {
    double a = 0.5 * PI - (2 * i + 1) * half; // from the top
    put_free(&t, i, rh_v3(1.1 * sin(a), 0, 1.1 * cos(a)), about_y(a));
  }
  put(&t, "meshes:\n  - {name: stone, vertices: [");
  for (int k = 0; k < 8; k++) {
    double radius = k & 1 ? 1.25 : 1;
    double a = k & 2 ? half : -half;
    put(&t, "%s[%.17g, %.17g, %.17g]", k > 0 ? ", " : "", radius * sin(a), k & 4 ? 0.15 : -0.15,
        radius * cos(a) - 1.1);
  }
  put(&t, "]}\nshapes:\n  - " FLOOR "\n");
  for (int i = 0; i < n; i++) {
    put(&t, "  - {body: b%d, kind: hull, mesh: stone}\n", i);
  }
  put(&t,
      "contacts:\n  - {body: all, against: all, law: newton, e: 0, friction: dry, mu_s: %.17g, "
      "mu_k: %.17g}\nrun: {until: %d, engine: stepping, "
      "dt: 0.002}\n",
      mu, mu, RH_TEST_SLOW ? 1 : 3);
  rh_model *model = model_from(t.s, NULL, 0);
  rh_sim *sim = watch(model, NULL, NULL);
  double most = moved(sim);
  finish(sim, model);
  return most;
}

// 1e-9 m is what is asked for of a stack at rest. With little friction the feet slide and it falls by its height.
START_TEST(an_arch_stands_by_friction)
{
  ck_assert_double_lt(arch_moves(7, 0.7), 1e-9);
  ck_assert_double_lt(arch_moves(15, 0.7), 1e-9);
  ck_assert_double_gt(arch_moves(7, 0.2), 0.5);
}

END_TEST

// ---- A chain

// n links of 0.1 m and 0.1 kg between two hooks, on the polygon in which the pull aside is H in every pin: tan of a link's slope is the weight from the middle to it over H. It stays there, and
// the hooks feel H and half the weight.
static void hang(int n, double H, rh_vec3 *hook, double *most)
{
  static text t;
  t.n = 0;
  double x = 0;
  double z = 0;
  put(&t, DOWN "bodies:\n");
  for (int i = 0; i < n; i++) {
    put(&t, "  - {name: b%d, mass: 0.1, inertia: [1e-5, 8e-5, 8e-5, 0, 0, 0]}\n", i);
  }
  put(&t, "joints:\n");
  for (int i = 0; i < n; i++) {
    double a = atan(0.1 * G * (i - 0.5 * (n - 1)) / H);
    put_free(&t, i, rh_v3(x + 0.05 * cos(a), 0, z + 0.05 * sin(a)), about_y(-a));
    x += 0.1 * cos(a);
    z += 0.1 * sin(a);
  }
  put(&t, "loops:\n  - {name: p0, kind: ball, body: b0, at: [-0.05, 0, 0], to_at: [0, 0, 0]}\n");
  for (int i = 1; i < n; i++) {
    put(&t,
        "  - {name: p%d, kind: ball, body: b%d, to: b%d, at: [-0.05, 0, 0], to_at: [0.05, 0, 0]}\n",
        i, i, i - 1);
  }
  put(&t,
      "  - {name: p%d, kind: ball, body: b%d, at: [0.05, 0, 0], to_at: [%.17g, 0, %.17g]}\nrun: "
      "{until: %.17g, engine: stepping, dt: "
      "0.001}\n",
      n, n - 1, x, z, RH_TEST_SLOW ? 0.05 : 0.5);
  rh_model *model = model_from(t.s, NULL, 0);
  rh_sim *sim = watch(model, NULL, NULL);
  const double *f = rh_sim_view(sim)->loop;
  *hook = rh_v3(f[0], f[1], f[2]);
  *most = moved(sim);
  finish(sim, model);
}

// A tolerance of 1e-6 m/s over a step of 1 ms is a force of 1e-4 N on a link; what rests is solved far better: 1e-6. Links move by rounding.
START_TEST(a_chain_hangs)
{
  const int links[] = {6, 21};
  for (int i = 0; i < 2; i++) {
    rh_vec3 f;
    double most;
    hang(links[i], 2, &f, &most);
    near_abs(f.x, -2, 1e-6);
    near_abs(f.y, 0, 1e-6);
    near_abs(f.z, 0.05 * G * links[i], 1e-6);
    near_abs(most, 0, 1e-12);
  }
}

END_TEST

// ---- A slider-crank

static void look_at_slide(void *user, const rh_sim *sim)
{
  double *worst = user;
  const double *q = rh_sim_view(sim)->q;
  double x = 0.3 * cos(q[0]) + sqrt(1 - 0.09 * sin(q[0]) * sin(q[0]));
  *worst = fmax(*worst, fabs(q[2] + 1.3 - x));
}

static double slide_off(double dt)
{
  double worst = 0;
  watch_scene(
      look_at_slide, &worst,
      "world: {gravity: [0, 0, 0]}\nbodies:\n"
      "  - {name: crank, mass: 1, com: [0.15, 0, 0], inertia: [0.01, 0.02, 0.02, 0, 0, 0]}\n"
      "  - {name: rod, mass: 0.5, com: [0.5, 0, 0], inertia: [0.01, 0.05, 0.05, 0, 0, 0]}\n"
      "  - {name: slide, mass: 0.2, inertia: [0.001, 0.001, 0.001, 0, 0, 0]}\njoints:\n"
      "  - {name: crank, kind: revolute, child: crank, axis: [0, -1, 0], v: 5}\n"
      "  - {name: rod, kind: revolute, parent: crank, child: rod, axis: [0, -1, 0], at: [0.3, 0, "
      "0], v: -6.5}\n"
      "  - {name: slide, kind: prismatic, child: slide, axis: [1, 0, 0], at: [1.3, 0, 0]}\n"
      "loops: [{name: pin, kind: ball, body: rod, to: slide, at: [1, 0, 0], to_at: [0, 0, 0]}]\n"
      "run: {until: 2, engine: stepping, dt: %.17g}\nrecord: {every: 0.01}\n",
      dt);
  return worst;
}

// The slide is where the crank's angle says but for what a step bends. The rows of the loop hold at the middle of a step, so that it is the third power of the
// step that is left of the way's curvature, less than v^2 h^2/2l with v = 1.5 m/s: half the step, an eighth of it.
START_TEST(slider_crank)
{
  double coarse = slide_off(2e-3);
  double fine = slide_off(1e-3);
  ck_assert_double_lt(
      coarse,
      1.5 * 1.5 * 4e-6 / 2 *
          10); // l is the radius of curvature of its way, a tenth of a metre at the dead centres
  near_rel(coarse / fine, 8, 0.1);
}

END_TEST

// ---- A row of balls

// k of n balls come at 1 m/s to others that touch one another, without loss. Which ball leaves how is not determined by Newton's or Poisson's law, but momentum and energy are; with gaps, however small,
// blows come one after the other and k balls leave.
static void strike_row(int n, int k, double gap, const char *law, double *v)
{
  static text t;
  t.n = 0;
  put(&t, "world: {gravity: [0, 0, 0]}\nbodies:\n");
  for (int i = 0; i < n; i++) {
    put(&t, "  - {name: b%d, mass: 1}\n", i);
  }
  put(&t, "joints:\n");
  for (int i = 0; i < n; i++) {
    put(&t, "  - {kind: free, child: b%d, q: [%.17g, 0, 0, 1, 0, 0, 0], v: [%d, 0, 0, 0, 0, 0]}\n",
        i, i * (0.1 + gap) - (i < k ? 0.05 : 0), i < k);
  }
  put(&t, "shapes:\n");
  for (int i = 0; i < n; i++) {
    put(&t, "  - {body: b%d, kind: sphere, radius: 0.05}\n", i);
  }
  put(&t,
      "contacts: [{body: all, against: all, law: %s, e: 1, friction: none}]\nrun: {until: 0.3, "
      "engine: stepping, multi_impact: simultaneous, dt: 0.001}\n",
      law);
  rh_model *model = model_from(t.s, NULL, 0);
  rh_sim *sim = watch(model, NULL, NULL);
  for (int i = 0; i < n; i++) {
    v[i] = rh_sim_view(sim)->v[6 * i];
  }
  finish(sim, model);
}

START_TEST(row_of_balls)
{
  static const struct {
    int n, k;
    double gap;
  } row[] = {{3, 1, 0}, {5, 1, 0}, {5, 2, 0}, {5, 3, 0}, {5, 1, 1e-5}, {5, 2, 1e-5}};

  for (int i = 0; i < 12; i++) {
    double v[5];
    double p = 0;
    double e = 0;
    int n = row[i / 2].n;
    int k = row[i / 2].k;
    strike_row(n, k, row[i / 2].gap, i % 2 == 0 ? "newton" : "poisson", v);
    for (int j = 0; j < n; j++) {
      p += v[j];
      e += v[j] * v[j];
      ck_assert(j == 0 || v[j] >= v[j - 1] - 1e-12); // none runs into the next
    }
    near_abs(p, k, 1e-12);
    near_abs(e, k, 1e-11); // impacts are solved to 1e-13 of their speed
    for (int j = 0; j < n && row[i / 2].gap > 0; j++) {
      near_abs(v[j], j >= n - k, 1e-12);
    }
  }
}

END_TEST

Suite *rh_suite_ref_moreau_build(void)
{
  Suite *suite = suite_create("ref_moreau_build");
  TCase *tc = tcase_create("build");
  tcase_add_test(tc, an_arch_stands_by_friction);
  tcase_add_test(tc, a_chain_hangs);
  tcase_add_test(tc, slider_crank);
  tcase_add_test(tc, row_of_balls);
  suite_add_tcase(suite, tc);
  return suite;
}
