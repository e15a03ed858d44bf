// unit_stiff_limit.c: compliant contact that grows ever stiffer becomes rigid contact under Stronge's law. A rod strikes the ground with
// its tip, inclined, with friction; the stiffness goes over four decades, and the velocities after go to those of the impulse path
// for the rod's W.
// Order: an impact lasts T = O(k^(-1 / (n + 1))), 1 / sqrt(k) for n = 1. Within it the rod turns and sinks by O(T), which changes W by as much, and friction
// that is smoothed below v_slip errs by O(v_slip); v_slip is made to go with T. So velocities are off by O(T), and
// what two stiffnesses extrapolate to by O(T^2). If the tip sticks, by more: smoothed friction brings slip down at the rate mu W_tt F / v_slip,
// which just before the end no longer suffices, for a time of O(T^((n + 2) / (n + 1))) since there F grows like k t^n; in that time
// the tip's own acceleration (the rod turns) makes it slip by as much.
// Energetic e: with F = k z^n (1 + b s), s = dz/dt, and ds = -c dp on each piece of the path (c > 0 from W, mu and the sense of slip),
// s ds / (1 + b s) = -c k z^n dz, so that from touch to loss, whatever k and n, sum of (G(s_begin) - G(s_end)) / c = 0 over the
// pieces, G(s) = s / b - ln(1 + b s) / b^2; without damping G = s^2 / 2, and e = 1. The works of the two phases, and e with them,
// follow from the s at the ends: it is that e, not the law's nominal one, for which Stronge's law has the same answer.
#include "contact_scenes.h"
#include "impact/impact.h"

#include <stdlib.h>

static const double MASS = 1.2;
static const double LENGTH = 0.8;
static const double TIP = 0.01; // radius of its round end

typedef struct strike {
  rh_planar_case kind; // [WK] Table 3.1
  double angle;        // [rad] of the rod above the ground
  double vx, w;        // [m/s], [rad/s] w about y; it falls with 1 m/s
  double mu;
  double n, alpha; // of hunt-crossley
} strike;

static const double DOWN = 1;

static const strike table[] = {
    {RH_CASE_E, 1.0, 2.0, 0.3, 0.2, 1, 0},   // slides all along
    {RH_CASE_C, 1.0, 0.25, 0.2, 0.8, 1, 0},  // stops in compression and sticks
    {RH_CASE_D, 1.0, 1.8, 0.2, 0.8, 1, 0},   // stops in restitution and sticks
    {RH_CASE_A, 0.9, 0.1, 0.1, 0.15, 1, 0},  // turns round in compression
    {RH_CASE_B, 0.9, 1.1, 0.1, 0.15, 1, 0},  // turns round in restitution
    {RH_CASE_E, 1.0, 2.0, 0.3, 0.2, 1, 0.3}, // the same, damped
    {RH_CASE_C, 1.0, 0.25, 0.2, 0.8, 1, 0.3},   {RH_CASE_D, 1.0, 1.8, 0.2, 0.8, 1, 0.3},
    {RH_CASE_A, 0.9, 0.1, 0.1, 0.15, 1, 0.3},   {RH_CASE_B, 0.9, 1.1, 0.1, 0.15, 1, 0.3},
    {RH_CASE_C, 1.0, 0.25, 0.2, 0.8, 1.5, 0}, // after Hertz
    {RH_CASE_A, 0.9, 0.1, 0.1, 0.15, 1.5, 0.3},
};

static double inertia(void)
{
  return MASS * LENGTH * LENGTH / 12;
}

// From the centre of mass to where the tip touches.
static rh_vec3 arm_of(const strike *s)
{
  double half = LENGTH / 2;
  return rh_v3(-half * cos(s->angle), 0, -half * sin(s->angle) - TIP);
}

// The point's velocity is v + w x arm, about y: (vx + w z, vz - w x).
static rh_planar_in rigid_of(const strike *s, double e)
{
  rh_vec3 r = arm_of(s);
  return (rh_planar_in){.Ktt = 1 / MASS + r.z * r.z / inertia(),
                        .Knn = 1 / MASS + r.x * r.x / inertia(),
                        .Ktn = -r.x * r.z / inertia(),
                        .S0 = s->vx + s->w * r.z,
                        .C0 = -DOWN - s->w * r.x,
                        .mu_s = s->mu,
                        .mu_k = s->mu,
                        .e = e};
}

// ---- The e that the compliant law realises in the limit

static double potential(double b, double s)
{
  return b == 0 ? s * s / 2 : s / b - log1p(b * s) / (b * b);
}

typedef struct pieces { // of the path: s = -u_n at their ends, c on them
  int n;
  double c[2], s[3];
} pieces;

static pieces pieces_of(const rh_planar_in *in)
{
  double sense = in->S0 > 0 ? 1 : -1;
  double c1 = in->Knn - in->mu_k * sense * in->Ktn;       // du_n / dp while it slides
  double d1 = in->Ktn - in->mu_k * sense * in->Ktt;       // du_t / dp
  double stop = sense * d1 < 0 ? -in->S0 / d1 : HUGE_VAL; // impulse at which slip has ended
  bool sticks = fabs(in->Ktn) <= in->mu_s * in->Ktt;
  double c2 = sticks
                  ? in->Knn - in->Ktn * in->Ktn / in->Ktt
                  : in->Knn - in->mu_k * fabs(in->Ktn); // it begins to slip to where Ktn drives it
  return (pieces){.n = isinf(stop) ? 1 : 2, .c = {c1, c2}, .s = {-in->C0, -in->C0 - c1 * stop, 0}};
}

// Sum over the pieces of (F(begin) - F(end)) / c, for the path that ends at s = `end`; F is G, or s^2 / 2 (the work).
static double over(const pieces *p, double b, double from, double end)
{
  if (p->n == 1 || p->s[1] <= end) {
    return (potential(b, from) - potential(b, end)) / p->c[0];
  }
  if (p->s[1] >= from) {
    return (potential(b, from) - potential(b, end)) / p->c[1];
  }
  return (potential(b, from) - potential(b, p->s[1])) / p->c[0] +
         (potential(b, p->s[1]) - potential(b, end)) / p->c[1];
}

static double realised(const rh_planar_in *in, double alpha)
{
  pieces p = pieces_of(in);
  double b = 1.5 * alpha;
  double lo = b > 0 ? fmax(-10, -(1 - 1e-12) / b) : -10;
  double hi = 0;
  for (int i = 0; i < 200; i++) { // falls with the end
    double mid = 0.5 * (lo + hi);
    *(over(&p, b, p.s[0], mid) > 0 ? &hi : &lo) = mid;
  }
  double compression = over(&p, 0, p.s[0], 0);
  double restitution = -over(&p, 0, 0, lo);
  return sqrt(restitution / compression);
}

// ---- The compliant rod

typedef struct motion {
  double v[3]; // vx, vz, w
} motion;

static rh_scene *rod_scene(const strike *s)
{
  rh_scene *scene = rh_scene_create();
  set_gravity(scene, rh_v3(0, 0, 0));
  put_floor(scene);
  rh_vec3 r = arm_of(s);
  rh_body_def rod = body_of("rod", MASS, rh_v3(0, 0, 0), rh_v3(inertia(), inertia(), inertia()));
  start at = {.at = {0, 0, -r.z}, .v = {s->vx, 0, -DOWN}, .spin = {0, s->w, 0}};
  put_free(scene, &rod, &at);
  rh_shape_def tip = shape_of("rod", "sphere", 1, &(double){TIP});
  set3(tip.at, rh_v3(r.x, 0, r.z + TIP));
  ck_assert_int_ge(rh_scene_add_shape(scene, &tip), 0);
  return scene;
}

static motion motion_of(rh_scene *scene, double until)
{
  rh_model *model = model_of(scene);
  rh_sim *sim = sim_of(model);
  run_to(sim, until);
  const double *v = rh_sim_view(sim)->v;
  motion m = {{v[0], v[2], v[4]}};
  near_array(((double[3]){v[1], v[3], v[5]}), ((double[3]){0, 0, 0}), 3, 1e-9,
             0); // it stays in its plane
  look(sim);
  ck_assert(!rh_sim_view(sim)->contact[0].on); // it has left
  finish(sim, model);
  return m;
}

// What goes with the duration, for the order of convergence. [s, but for a power of 1 m/s]
static double duration(const strike *s, double k)
{
  return pow(MASS / k, 1 / (s->n + 1));
}

static motion compliant(const strike *s, double k)
{
  rh_scene *scene = rod_scene(s);
  rh_contact_def c = contact_of("rod", "world", "hunt-crossley", "coulomb");
  set_law(&c, "k", k);
  set_law(&c, "n", s->n);
  set_law(&c, "alpha", s->alpha);
  set_friction(&c, "mu", s->mu);
  set_friction(&c, "v_slip", duration(s, k)); // 3 mm/s and less
  put_contact(scene, &c);
  double until =
      8 *
      duration(
          s, k); // at 1 m/s, m_eff < m: pi for n = 1, 2.94 for n = 1.5, somewhat longer when damped
  set_stiff(scene, until, 1e-10, 1e-12);
  return motion_of(scene, until);
}

static motion struck(const strike *s, double t, double n)
{
  rh_vec3 r = arm_of(s);
  double spin = (r.z * t - r.x * n) / inertia();
  return (motion){{s->vx + t / MASS, -DOWN + n / MASS, s->w + spin}};
}

static motion rigid(const strike *s, double e)
{
  rh_planar_in in = rigid_of(s, e);
  rh_planar_out out;
  rh_planar_impact(rh_impact_law_find("stronge"), &in, &out);
  ck_assert_int_eq(out.kind, s->kind);
  return struck(s, out.Pt, out.Pn);
}

// The same by the path in space, across the plane of the rod as along it.
static motion rigid_in_space(const strike *s, double e)
{
  rh_planar_in in = rigid_of(s, e);
  rh_point_in point = {.W = {in.Ktt, 0, in.Ktn, 0, in.Ktt, 0, in.Ktn, 0, in.Knn},
                       .u = {in.S0, 0, in.C0},
                       .mu_s = s->mu,
                       .mu_k = s->mu,
                       .e = e};
  rh_point_out out;
  ck_assert(rh_point_impact(rh_impact_law_find("stronge"), &point, &out));
  return struck(s, out.p[0], out.p[2]);
}

// The same in the loop: the very scene, but for the law.
static motion rigid_in_the_loop(const strike *s, double e)
{
  rh_scene *scene = rod_scene(s);
  rh_contact_def c = contact_of("rod", "world", "stronge", "dry");
  set_par(&rh_impact_law_find("stronge")->row, c.par, "e", e);
  set_friction(&c, "mu_s", s->mu);
  set_friction(&c, "mu_k", s->mu);
  put_contact(scene, &c);
  set_tolerance(scene, 1e-3, 1e-10, 1e-12);
  return motion_of(scene, 1e-3);
}

static double apart(const motion *x, const motion *y)
{
  double most = 0;
  for (int i = 0; i < 3; i++) {
    most = fmax(most, fabs(x->v[i] - y->v[i]) * (i == 2 ? LENGTH : 1)); // [m/s]
  }
  return most;
}

START_TEST(ways_to_the_rigid_answer)
{
  const strike *s = &table[_i];
  rh_planar_in in = rigid_of(s, 1);
  double e = realised(&in, s->alpha);
  ck_assert(s->alpha == 0 ? fabs(e - 1) < 1e-12 : e > 0.7 && e < 0.85);
  motion want = rigid(s, e);
  motion space = rigid_in_space(s, e);
  motion loop = rigid_in_the_loop(s, e);
  near_array(space.v, want.v, 3, 1e-12, 0);
  near_array(loop.v, want.v, 3, 1e-9, 0); // 1e-12 but for where the tip touches: to 1e-9 m
}

END_TEST

// Velocities are off by C T. Of some 1 m/s and 3 rad/s, C T is 2 % at k = 1e5 N/m.
START_TEST(stiff_limit)
{
  const strike *s = &table[_i];
  rh_planar_in in = rigid_of(s, 1);
  motion want = rigid(s, realised(&in, s->alpha));
  motion last = want;
  bool sticks = s->kind == RH_CASE_C || s->kind == RH_CASE_D;
  double next = sticks ? (s->n + 2) / (s->n + 1) : 2; // order of what is left
  double T = 0;
  double off = 0;
  for (double k = 1e5; k < 2e9; k *= 10) { // four decades
    motion got = compliant(s, k);
    double now = apart(&got, &want);
    double then = T;
    T = duration(s, k);
    if (then > 0) {
      near_abs(log(off / now) / log(then / T), 1, 5 * pow(then, next - 1)); // the order
      motion limit;
      for (int i = 0; i < 3; i++) {
        limit.v[i] = (then * got.v[i] - T * last.v[i]) / (then - T);
      }
      ck_assert_double_lt(apart(&limit, &want), 10 * pow(then, next));
    }
    last = got;
    off = now;
  }
  ck_assert_double_lt(off, 10 * T);
}

END_TEST

Suite *rh_suite_unit_stiff_limit(void)
{
  Suite *suite = suite_create("unit_stiff_limit");
  TCase *tcase = tcase_create("limit");
  tcase_add_loop_test(tcase, ways_to_the_rigid_answer, 0, RH_COUNT(table));
  tcase_add_loop_test(tcase, stiff_limit, 0, RH_COUNT(table));
  suite_add_tcase(suite, tcase);
  return suite;
}
