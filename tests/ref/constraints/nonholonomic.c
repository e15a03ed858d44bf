// ref_nonholonomic.c: constraints on velocities in whole runs: Chaplygin's sleigh, a knife edge on a
// slope, a disk that rolls in a circle, balls on a turntable and in a bore. Independent reference
// numbers, in closed form (Neimark and Fufaev). The engine event holds them to 1e-9: the tolerance of
// the integrator is far below. Time stepping converges to the same with its order, 1.
#include "rigid.h"

#include "contacts/simulation.h"
#include "multibody/multibody.h"

static const double PART = 1e-9;
static const double SMALL = 1e-11;
static const double PI = 3.14159265358979323846;

#define EVENT_FINE "rtol: 1e-12, atol: 1e-14"

static void near_value(double x, double expected)
{
  near_abs(x, expected, SMALL + PART * fabs(expected));
}

// Error of a run at two steps: it must fall with the first power of the step.
static void check_order(const char *what, double coarse, double fine)
{
  double order = log2(coarse / fine);
  (void)printf("%s: time stepping, error %.3g and %.3g at half the step, order %.2f\n", what,
               coarse, fine, order);
  ck_assert_msg(order > 0.9, "%s: order %g", what, order);
}

// ---- Chaplygin's sleigh

typedef struct sleigh {
  double m, I, a, v0, w0, t;
} sleigh;

static void run_sleigh(const sleigh *s, const char *engine)
{
  play("world: {gravity: [0, 0, 0]}\n"
       "bodies: [{name: s, mass: %.17g, com: [%.17g, 0, 0], inertia: [%.17g, %.17g, %.17g, 0, 0, "
       "0]}]\n"
       "joints: [{kind: planar, normal: [0, 0, 1], child: s, v: [%.17g, 0, %.17g]}]\n"
       "constraints: [{name: blade, kind: knife-edge, body: s, along: [1, 0, 0]}]\n"
       "run: {until: %.17g, %s}\nrecord: {every: 1}\n",
       s->m, s->a, s->I, s->I, s->I, s->v0, s->w0, s->t, engine);
}

static const struct {
  sleigh s;
  double v, w, heading, x, y, energy, side_force;
} sleighs[] = {
    {{2.0, 0.3, 0.25, 0.4, 1.5, 2.0},
     0.7865369493465476,
     0.3028074698948558,
     1.605505688465544,
     0.5742994871761198,
     1.0987536340895607,
     0.638125,
     0.33623896039121853},
    {{2.0, 0.3, 0.25, -0.6, 0.2, 4.0},
     0.16827457809436483,
     1.2652526673815248,
     3.133193551691568,
     -1.1576654149694736,
     -0.7645071705209909,
     0.36849999999999994,
     0.30057862416902936},
    {{1.0, 0.1, 0.2, 0.0, -2.0, 8.0},
     0.7483314215542091,
     -0.0007723556578266185,
     -2.937968367053711,
     -4.55291720625889,
     -2.0276797874815276,
     0.28,
     -0.0004128414338334498},
};

// Along the blade, and across it
static double speed_along(void)
{
  return told.v[0] * cos(told.q[2]) + told.v[1] * sin(told.q[2]);
}

static double speed_across(void)
{
  return told.v[1] * cos(told.q[2]) - told.v[0] * sin(told.q[2]);
}

static double force_at_the_end(rh_model *model, int row)
{
  rh_sim *sim = sim_of(model);
  ck_assert_int_eq(rh_sim_run(sim, model->run.until), RH_OK);
  rh_channels *c = rh_channels_create(model);
  int index = rh_channel_find(c, row == 0 ? "blade.force1" : "blade.slip1");
  ck_assert_int_ne(index, RH_NONE);
  double value;
  rh_channels_read(c, rh_sim_data(sim), &index, 1, &value);
  rh_channels_destroy(c);
  rh_sim_destroy(sim);
  return value;
}

__attribute__((format(printf, 2, 3))) static double force_of(int row, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  rh_model *model = model_text(format, list);
  va_end(list);
  double force = force_at_the_end(model, row);
  rh_model_destroy(model);
  return force;
}

START_TEST(chaplygin)
{
  for (int i = 0; i < RH_COUNT(sleighs); i++) {
    const sleigh *s = &sleighs[i].s;
    run_sleigh(s, EVENT_FINE);
    near_value(speed_along(), sleighs[i].v);
    near_abs(speed_across(), 0, SMALL);
    near_value(told.v[2], sleighs[i].w);
    near_value(told.q[2], sleighs[i].heading);
    near_value(told.q[0], sleighs[i].x);
    near_value(told.q[1], sleighs[i].y);
    near_value(told.energy, sleighs[i].energy);
    near_abs(told.residue, 0, PART * sleighs[i].energy);
    double force = force_of(0,
                            "world: {gravity: [0, 0, 0]}\n"
                            "bodies: [{name: s, mass: %.17g, com: [%.17g, 0, 0], inertia: [1, 1, "
                            "%.17g, 0, 0, 0]}]\n"
                            "joints: [{kind: planar, normal: [0, 0, 1], child: s, v: [%.17g, 0, "
                            "%.17g]}]\n"
                            "constraints: [{name: blade, kind: knife-edge, body: s, along: [1, 0, "
                            "0]}]\nrun: {until: %.17g, " EVENT_FINE "}\n",
                            s->m, s->a, s->I, s->v0, s->w0, s->t);
    near_value(force, sleighs[i].side_force);
  }
}

END_TEST

START_TEST(chaplygin_stepped)
{
  double error[2];
  for (int k = 0; k < 2; k++) {
    run_sleigh(&sleighs[0].s, k == 0 ? "engine: stepping, dt: 1e-3" : "engine: stepping, dt: 5e-4");
    error[k] = hypot(told.q[0] - sleighs[0].x, told.q[1] - sleighs[0].y);
  }
  check_order("sleigh", error[0], error[1]);
}

END_TEST

// The tool of the engine haptic, which no hand touches
START_TEST(chaplygin_haptic)
{
  double error[2];
  for (int k = 0; k < 2; k++) {
    play("world: {gravity: [0, 0, 0]}\n"
         "bodies: [{name: s, mass: 2, com: [0.25, 0, 0], inertia: [0.3, 0.3, 0.3, 0, 0, 0]}]\n"
         "joints: [{kind: planar, normal: [0, 0, 1], child: s, v: [0.4, 0, 1.5]}]\n"
         "constraints: [{name: blade, kind: knife-edge, body: s, along: [1, 0, 0]}]\n"
         "haptic: {tool: s, hand: force}\nrun: {engine: haptic, until: 2, dt: %g}\n"
         "record: {every: 1}\n",
         k == 0 ? 1e-3 : 5e-4);
    error[k] = hypot(told.q[0] - sleighs[0].x, told.q[1] - sleighs[0].y);
    near_abs(speed_across(), 0, 1e-5); // of the last tick: second order in it
  }
  check_order("sleigh, haptic", error[0], error[1]);
}

END_TEST

// ---- A knife edge under the centre of mass, on a slope that falls along x

typedef struct knife {
  double w0, v0, slope, t;
} knife;

static void run_skate(const knife *k, const char *engine)
{
  play("world: {gravity: [%.17g, 0, 0]}\n"
       "bodies: [{name: s, mass: 3, inertia: [0.2, 0.2, 0.2, 0, 0, 0]}]\n"
       "joints: [{kind: planar, normal: [0, 0, 1], child: s, v: [%.17g, 0, %.17g]}]\n"
       "constraints: [{kind: knife-edge, body: s, along: [2, 0, 0]}]\n"
       "run: {until: %.17g, %s}\nrecord: {every: 0.01}\n",
       G * sin(k->slope), k->v0, k->w0, k->t, engine);
}

static const struct {
  knife k;
  double v, x, y, heading;
} knives[] = {
    {{2.0, 0.0, 0.3, 3.0}, -0.40502020091228647, 0.028292230304633893, 2.2715120111130904, 6.0},
    {{1.5, 0.7, 0.2, 2.0}, 0.8833568628623304, 0.07448111108292604, 2.288467894624543, 3.0},
};

START_TEST(knife_on_slope)
{
  for (int i = 0; i < RH_COUNT(knives); i++) {
    run_skate(&knives[i].k, EVENT_FINE);
    near_value(speed_along(), knives[i].v);
    near_value(told.q[0], knives[i].x);
    near_value(told.q[1], knives[i].y);
    near_value(told.q[2], knives[i].heading);
    near_abs(told.residue, 0, PART * 10);
    double error[2];
    for (int k = 0; k < 2; k++) {
      run_skate(&knives[i].k, k == 0 ? "engine: stepping, dt: 1e-3" : "engine: stepping, dt: 5e-4");
      error[k] = hypot(told.q[0] - knives[i].x, told.q[1] - knives[i].y);
    }
    check_order("knife edge", error[0], error[1]);
  }
}

END_TEST

// ---- A disk: its axis is z of the body, theta from the vertical, turned about y at the start

typedef struct disk {
  double m, r, A, C;
  double theta, Omega, w3;
} disk;

// v of the free joint: the centre moves as -r w3 y (the contact is at rest)
static void disk_start(const disk *d, double v[6])
{
  double s = sin(d->theta);
  double c = cos(d->theta);
  v[0] = v[2] = v[4] = 0;
  v[1] = -d->r * d->w3;
  v[3] = -d->Omega * s * c + d->w3 * s;
  v[5] = d->Omega * s * s + d->w3 * c;
}

#define DISK                                                                                       \
  "bodies: [{name: d, mass: %.17g, inertia: [%.17g, %.17g, %.17g, 0, 0, 0]}]\n"                    \
  "joints: [{kind: free, child: d, q: [%.17g, 0, %.17g, %.17g, 0, %.17g, 0], v: [%.17g, %.17g, "   \
  "%.17g, %.17g, %.17g, %.17g]}]\n"                                                                \
  "constraints: [{name: rim, kind: rolling, body: d, radius: %.17g, axis: [0, 0, 1]}]\n"           \
  "run: {until: %.17g, %s}\nrecord: {every: 1}\n"
#define DISK_VALUES(d, x, v, until, engine)                                                        \
  (d)->m, (d)->A, (d)->A, (d)->C, x, (d)->r *sin((d)->theta), cos(0.5 * (d)->theta),               \
      sin(0.5 * (d)->theta), (v)[0], (v)[1], (v)[2], (v)[3], (v)[4], (v)[5], (d)->r, until, engine

static const struct {
  disk d;
  double lean, frequency_squared, spin_axial, radius_contact, radius_centre;
} disks[] = {
    {{.m = 1, .r = 0.2, .A = 0.01, .C = 0.02, .Omega = 0.8},
     0.1,
     2.3520617427815123,
     -4.08786859927322,
     1.0419338331476706,
     1.021967149818305},
    {{.m = 1, .r = 0.2, .A = 0.01, .C = 0.02, .Omega = 2.0},
     0.3,
     31.258359490137686,
     -4.95914094556356,
     0.555018135888624,
     0.49591409455635604},
    {{.m = 1, .r = 0.2, .A = 0.01, .C = 0.02, .Omega = 5.0},
     0.6,
     50.503763483423,
     -4.003719332058805,
     0.2730772679613592,
     0.1601487732823522},
    {{.m = 1, .r = 0.2, .A = 0.01, .C = 0.02, .Omega = 12.0},
     1.2,
     258.364436240555,
     -5.145034998359765,
     0.2721584004994414,
     0.0857505833059961},
    {{.m = 0.7, .r = 0.3, .A = 0.0315, .C = 0.063, .Omega = 3.0},
     0.4,
     5.986204170527905,
     -2.0121592853914936,
     0.3180414312317445,
     0.20121592853914935},
};

static double disk_error(const disk *d, double until, const char *engine)
{
  double v[6];
  double x = -d->r * d->w3 / d->Omega;
  disk_start(d, v);
  play(DISK, DISK_VALUES(d, x, v, until, engine));
  double turned = d->Omega * until;
  return hypot(hypot(told.q[0] - x * cos(turned), told.q[1] - x * sin(turned)),
               told.q[2] - d->r * sin(d->theta));
}

START_TEST(steady_circle)
{
  for (int i = 0; i < RH_COUNT(disks); i++) {
    disk d = disks[i].d;
    d.theta = 0.5 * PI - disks[i].lean;
    d.w3 = disks[i].spin_axial;
    near_value(-d.r * d.w3 / d.Omega, disks[i].radius_centre);
    near_value(-d.r * d.w3 / d.Omega + d.r * cos(d.theta), disks[i].radius_contact);
    // half a turn of the circle: an error of the start grows if it were not steady
    near_abs(disk_error(&d, PI / d.Omega, EVENT_FINE), 0, PART);
    near_abs(told.residue, 0, PART * (told.energy + d.m * G * d.r));
  }
  disk d = disks[1].d;
  d.theta = 0.5 * PI - disks[1].lean;
  d.w3 = disks[1].spin_axial;
  check_order("disk", disk_error(&d, 0.4, "engine: stepping, dt: 1e-3"),
              disk_error(&d, 0.4, "engine: stepping, dt: 5e-4"));
}

END_TEST

// Angular acceleration of the axis from the vertical, by the engine's accelerations at a start
static double theta_rate2(const disk *d)
{
  double v[6];
  disk_start(d, v);
  char text[TEXT_MAX];
  (void)snprintf(text, sizeof text, DISK, DISK_VALUES(d, 0.0, v, 1.0, EVENT_FINE));
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  ck_assert_int_eq(rh_scene_parse(text, strlen(text), "scene", NULL, 0, diag, &scene), RH_OK);
  rh_diag_destroy(diag);
  rh_model *model = model_of(scene);
  rh_data *data = rh_data_create(model);
  rh_evaluate_motion(data);
  rh_vec3 w = data->kin[1].v.ang;
  rh_vec3 alpha = {data->a[3], data->a[4], data->a[5]};
  rh_vec3 e = rh_rotate(&data->kin[1].R, rh_v3(0, 0, 1));
  rh_vec3 rate2 = rh_add(rh_cross(alpha, e), rh_cross(w, rh_cross(w, e)));
  rh_data_destroy(data);
  rh_model_destroy(model);
  return -rate2.z / sin(d->theta);
}

// Small changes keep the two other integrals of motion: A s dOmega = (C w3 - 2 A Omega c) dtheta,
// (C + m r^2) dw3 = m r^2 Omega s dtheta. The derivative by two central differences of 1e-4 and
// 2e-4, whose error of second order cancels; the rest is rounding, 1e-11.
static double frequency_squared(const disk *d)
{
  double slope[2];
  double s = sin(d->theta);
  double c = cos(d->theta);
  double inertia = d->m * d->r * d->r;
  double turn = (d->C * d->w3 - 2 * d->A * d->Omega * c) / (d->A * s);
  double spin = inertia * d->Omega * s / (d->C + inertia);
  for (int k = 0; k < 2; k++) {
    double h = (k + 1) * 1e-4;
    disk x = *d;
    disk y = *d;
    x.theta += h;
    x.Omega += turn * h;
    x.w3 += spin * h;
    y.theta -= h;
    y.Omega -= turn * h;
    y.w3 -= spin * h;
    slope[k] = (theta_rate2(&x) - theta_rate2(&y)) / (2 * h);
  }
  return -(4 * slope[0] - slope[1]) / 3;
}

START_TEST(small_oscillations)
{
  for (int i = 0; i < RH_COUNT(disks); i++) {
    disk d = disks[i].d;
    d.theta = 0.5 * PI - disks[i].lean;
    d.w3 = disks[i].spin_axial;
    near_abs(theta_rate2(&d), 0, 1e-10); // steady
    near_rel(frequency_squared(&d), disks[i].frequency_squared, PART);
  }
  static const double upright[][2] = {{0.6, -17.64}, {0.9, 9.360000000000007}, {2.0, 200.76}};
  for (int i = 0; i < RH_COUNT(upright); i++) {
    disk d = {1, 0.2, 0.01, 0.02, 0.5 * PI, 0, -upright[i][0] / 0.2};
    near_rel(frequency_squared(&d), upright[i][1], PART);
  }
}

END_TEST

// A lean of 1e-4 rad: above v = sqrt(g r / 3) it stays small, below it grows.
START_TEST(stability_limit)
{
  for (int k = 0; k < 2; k++) {
    double v_critical = sqrt(G * 0.2 / 3);
    disk d = {1, 0.2, 0.01, 0.02, 0.5 * PI - 1e-4, 0, -(k == 0 ? 0.95 : 1.05) * v_critical / 0.2};
    double v[6];
    disk_start(&d, v);
    play(DISK, DISK_VALUES(&d, 0.0, v, 4.0, EVENT_FINE));
    double height = told.q[2] / d.r; // sin theta
    ck_assert_msg(k == 0 ? height < 0.999 : height > 1 - 1e-6, "%d: %g", k, height);
  }
}

END_TEST

// ---- Balls

#define BALL                                                                                       \
  "world: {gravity: [0, 0, -9.81]}\n"                                                              \
  "bodies: [{name: b, mass: 0.4, inertia: [%.17g, %.17g, %.17g, 0, 0, 0]}]\n"                      \
  "joints: [{kind: free, child: b, q: [%.17g, %.17g, %.17g, 1, 0, 0, 0], v: [%.17g, %.17g, "       \
  "%.17g, %.17g, %.17g, %.17g]}]\n"                                                                \
  "constraints: [{kind: rolling, body: b, radius: %.17g, %s: %.17g}]\n"                            \
  "run: {until: %.17g, %s}\nrecord: {every: 1}\n"

static const struct {
  double beta, Om, r0[2], v0[2], t;
  double position[2], velocity[2];
} tables[] = {
    {0.4,
     3.0,
     {0.2, 0.1},
     {0.1, -0.3},
     2.5,
     {0.8375698956404802, -0.014449464817992613},
     {0.19809954127256515, 0.24648848197755455}},
    {2.0 / 3,
     -2.0,
     {0.3, 0.0},
     {0.0, 0.2},
     4.0,
     {0.7995736939486884, -0.014593535856895025},
     {-0.011674828685516017, -0.19965895515895063}},
};

static void roll_on_table(int i, const char *engine)
{
  double a = 0.05;
  double I = tables[i].beta * 0.4 * a * a;
  double slip[2] = {tables[i].v0[0] + tables[i].Om * tables[i].r0[1],
                    tables[i].v0[1] - tables[i].Om * tables[i].r0[0]};
  play(BALL, I, I, I, tables[i].r0[0], tables[i].r0[1], a, tables[i].v0[0], tables[i].v0[1], 0.0,
       -slip[1] / a, slip[0] / a, 0.7, a, "rate", tables[i].Om, tables[i].t, engine);
}

START_TEST(turntable)
{
  for (int i = 0; i < RH_COUNT(tables); i++) {
    roll_on_table(i, EVENT_FINE);
    for (int k = 0; k < 2; k++) {
      near_value(told.q[k], tables[i].position[k]);
      near_value(told.v[k], tables[i].velocity[k]);
    }
    near_abs(told.v[5], 0.7, SMALL); // nothing turns it about the normal
    near_abs(told.residue, 0, PART); // the drive's work is in the ledger
    double error[2];
    for (int k = 0; k < 2; k++) {
      roll_on_table(i, k == 0 ? "engine: stepping, dt: 2e-3" : "engine: stepping, dt: 1e-3");
      error[k] = hypot(told.q[0] - tables[i].position[0], told.q[1] - tables[i].position[1]);
    }
    check_order("turntable", error[0], error[1]);
  }
}

END_TEST

// It rises and falls inside the bore: z with sqrt(2/7) of its rate
static void roll_in_bore(double until, const char *engine)
{
  double a = 0.02;
  double rho = 0.3;
  double Om = 8;
  double I = 0.4 * 0.4 * a * a;
  play(BALL, I, I, I, rho, 0.0, 0.0, 0.0, rho * Om, 0.5, 3.0, 0.5 / a, -rho * Om / a, a, "bore",
       rho + a, until, engine);
}

START_TEST(bore)
{
  roll_in_bore(1.7, EVENT_FINE);
  near_value(told.q[2], -0.07761075260922957);
  near_value(told.v[2], -1.1174990299862873);
  near_value(hypot(told.q[0], told.q[1]), 0.3);
  near_abs(told.residue, 0, PART * 10);
  double error[2];
  for (int k = 0; k < 2; k++) {
    roll_in_bore(0.5, k == 0 ? "engine: stepping, dt: 5e-4" : "engine: stepping, dt: 2.5e-4");
    double rate = 4.27617987059879;
    double z = -0.390703125 * (1 - cos(rate * 0.5)) + 0.5 / rate * sin(rate * 0.5);
    error[k] = fabs(told.q[2] - z);
  }
  check_order("bore", error[0], error[1]);
}

END_TEST

Suite *rh_suite_ref_nonholonomic(void)
{
  Suite *suite = suite_create("ref_nonholonomic");
  TCase *tests = tcase_create("nonholonomic");
  tcase_add_test(tests, chaplygin);
  tcase_add_test(tests, chaplygin_stepped);
  tcase_add_test(tests, chaplygin_haptic);
  tcase_add_test(tests, knife_on_slope);
  tcase_add_test(tests, steady_circle);
  tcase_add_test(tests, small_oscillations);
  tcase_add_test(tests, stability_limit);
  tcase_add_test(tests, turntable);
  tcase_add_test(tests, bore);
  suite_add_tcase(suite, tests);
  return suite;
}
