// unit_tree.c: dynamics of small trees against closed forms, and of joints against the simpler joints they are made of.
// Random trees are in unit_random.c.
//
// Numbers here are of size 1 to 100 and go through some hundred operations: 1e-12 is ten thousand roundings.
#include "world.h"

#define CLOSED_FORM 1e-12
#define G           9.81

static rh_data *data_of(rh_scene *scene)
{
  rh_model *model = model_of(scene);
  rh_data *d = rh_data_create(model);
  ck_assert_ptr_nonnull(d);
  rh_data_reset(d);
  rh_kinematics(d);
  return d;
}

static void free_data(rh_data *d)
{
  rh_model *model = (rh_model *)d->model;
  rh_data_destroy(d);
  rh_model_destroy(model);
}

// H and bias as wanted, and every route to the acceleration agrees with them.
static void check_dynamics(rh_data *d, const double *H, const double *bias)
{
  int nv = d->model->nv;
  double got[36];
  double b[6];
  double a[6];
  double tau[6];
  double back[6];
  ck_assert_int_le(nv, 6);
  rh_mass_matrix(d);
  rh_mass_dense(d, got);
  near_array(got, H, nv * nv, CLOSED_FORM, CLOSED_FORM);
  rh_bias(d, b);
  near_array(b, bias, nv, CLOSED_FORM, CLOSED_FORM);
  for (int i = 0; i < nv; i++) {
    tau[i] = 1.5 - i;
  }
  rh_aba(d, tau, a);
  for (int i = 0; i < nv; i++) {
    back[i] = bias[i];
    for (int j = 0; j < nv; j++) {
      back[i] += H[i * nv + j] * a[j];
    }
  }
  near_array(back, tau, nv, 100 * CLOSED_FORM, 0); // H times a: sums of numbers up to 100
  rh_inverse_dynamics(d, a, back);
  near_array(back, tau, nv, 100 * CLOSED_FORM, 0);
}

START_TEST(pendulum)
{
  rh_scene *scene = rh_scene_create();
  set_gravity(scene, rh_v3(0, 0, -G));
  rh_body_def rod = body_of("rod", 2, rh_v3(0.7, 0, 0), rh_v3(0.1, 0.3, 0.25));
  rh_joint_def j =
      joint_of("revolute", "world", "rod", rh_v3(0, 2, 0)); // the length of an axis does not matter
  j.q = list_of(1, 0.4, 0);
  j.v = list_of(1, -1.3, 0);
  j.armature = list_of(1, 0.05, 0);
  add(scene, &rod, &j);
  rh_data *d = data_of(scene);
  // Turning x about +y by q takes it to (cos q, 0, -sin q): V = -m g l sin q.
  double H = 0.3 + 2 * 0.7 * 0.7 + 0.05;
  double bias = -2 * G * 0.7 * cos(0.4);
  check_dynamics(d, &H, &bias);
  near_abs(rh_potential_energy(d), -2 * G * 0.7 * sin(0.4), CLOSED_FORM);
  near_abs(rh_kinetic_energy(d), 0.5 * H * 1.3 * 1.3, CLOSED_FORM);
  near_abs(rh_total_mass(d->model), 2, 0);
  rh_vec3 c = rh_centre_of_mass(d);
  near_array(&c.x, ((double[3]){0.7 * cos(0.4), 0, -0.7 * sin(0.4)}), 3, CLOSED_FORM, 0);
  rh_vec3 v = rh_point_velocity(d, 1, rh_v3(1, 0, 0));
  near_array(&v.x, ((double[3]){1.3 * sin(0.4), 0, 1.3 * cos(0.4)}), 3, CLOSED_FORM, 0);
  rh_vec3 b = rh_point_bias(d, 1, rh_v3(1, 0, 0)); // centripetal: towards the hinge
  near_array(&b.x, ((double[3]){-1.69 * cos(0.4), 0, 1.69 * sin(0.4)}), 3, CLOSED_FORM, 0);
  free_data(d);
}

END_TEST

START_TEST(double_pendulum)
{
  const double m1 = 1.3;
  const double m2 = 0.8;
  const double l1 = 0.9;
  const double c1 = 0.4;
  const double c2 = 0.5;
  const double I1 = 0.11;
  const double I2 = 0.07;
  const double q1 = 0.6;
  const double q2 = -1.1;
  const double w1 = 0.7;
  const double w2 = -2.1;
  rh_scene *scene = rh_scene_create();
  set_gravity(scene, rh_v3(0, -G, 0));
  rh_body_def a = body_of("a", m1, rh_v3(c1, 0, 0), rh_v3(0.06, 0.06, I1));
  rh_body_def b = body_of("b", m2, rh_v3(c2, 0, 0), rh_v3(0.04, 0.04, I2));
  rh_joint_def ja = joint_of("revolute", "world", "a", rh_v3(0, 0, 1));
  rh_joint_def jb = joint_of("revolute", "a", "b", rh_v3(0, 0, 1));
  ja.q = list_of(1, q1, 0);
  ja.v = list_of(1, w1, 0);
  jb.q = list_of(1, q2, 0);
  jb.v = list_of(1, w2, 0);
  jb.at[0] = l1;
  add(scene, &a, &ja);
  add(scene, &b, &jb);
  rh_data *d = data_of(scene);
  double h12 = I2 + m2 * (c2 * c2 + l1 * c2 * cos(q2));
  double H[4] = {I1 + I2 + m1 * c1 * c1 + m2 * (l1 * l1 + c2 * c2 + 2 * l1 * c2 * cos(q2)), h12,
                 h12, I2 + m2 * c2 * c2};
  double h = m2 * l1 * c2 * sin(q2);
  double bias[2] = {-h * (2 * w1 * w2 + w2 * w2) + (m1 * c1 + m2 * l1) * G * cos(q1) +
                        m2 * c2 * G * cos(q1 + q2),
                    h * w1 * w1 + m2 * c2 * G * cos(q1 + q2)};
  check_dynamics(d, H, bias);
  free_data(d);
}

END_TEST

// Newton and Euler for one body about its centre of mass, the centre off the origin of the body.
START_TEST(free_body)
{
  const double m = 1.7;
  const rh_vec3 c0 = {0.3, -0.2, 0.1};
  rh_sym3 Ic = {0.5, 0.6, 0.4, 0.05, -0.02, 0.03};
  rh_scene *scene = rh_scene_create();
  set_gravity(scene, rh_v3(1, -2, -9));
  rh_body_def body = body_of("b", m, c0, rh_v3(Ic.xx, Ic.yy, Ic.zz));
  body.inertia.x[3] = Ic.xy;
  body.inertia.x[4] = Ic.xz;
  body.inertia.x[5] = Ic.yz;
  rh_joint_def j = joint_of("free", "world", "b", rh_v3(0, 0, 0));
  rh_quat att = rh_quat_unit((rh_quat){0.5, -0.3, 0.8, 0.1});
  j.q = (rh_list){7, {0.4, -1.1, 2.2, att.w, att.x, att.y, att.z}};
  j.v = (rh_list){6, {0.3, 0.2, -0.5, 1.1, -0.9, 2.3}};
  add(scene, &body, &j);
  rh_data *d = data_of(scene);
  rh_vec3 F = {3, -1, 2};
  rh_vec3 N = {0.4, 0.5, -0.7}; // about the origin
  rh_mat3 R = rh_quat_matrix(att);
  rh_vec3 c = rh_rotate(&R, c0);
  rh_vec3 w = {1.1, -0.9, 2.3};
  // The angular acceleration solves I alpha = moment about the centre - w x I w, in body axes by Cramer's rule.
  rh_vec3 wb = rh_unrotate(&R, w);
  rh_vec3 n =
      rh_sub(rh_unrotate(&R, rh_sub(N, rh_cross(c, F))), rh_cross(wb, rh_sym3_mul(&Ic, wb)));
  rh_vec3 x = {Ic.xx, Ic.xy, Ic.xz};
  rh_vec3 y = {Ic.xy, Ic.yy, Ic.yz};
  rh_vec3 z = {Ic.xz, Ic.yz, Ic.zz};
  double det = rh_dot(x, rh_cross(y, z));
  rh_vec3 alpha = rh_v3(rh_dot(n, rh_cross(y, z)) / det, rh_dot(x, rh_cross(n, z)) / det,
                        rh_dot(x, rh_cross(y, n)) / det);
  alpha = rh_rotate(&R, alpha);
  rh_vec3 ac = rh_addscaled(rh_v3(1, -2, -9), 1 / m, F);
  rh_vec3 ao = rh_sub(rh_sub(ac, rh_cross(alpha, c)), rh_cross(w, rh_cross(w, c)));
  double want[6] = {ao.x, ao.y, ao.z, alpha.x, alpha.y, alpha.z};
  double tau[6] = {F.x, F.y, F.z, N.x, N.y, N.z};
  double a[6];
  rh_aba(d, tau, a);
  near_array(a, want, 6, 10 * CLOSED_FORM, 0); // accelerations up to 30
  // The same as a force from outside instead of joint forces.
  d->fext[1] = (rh_force){N, F};
  rh_loads(d);
  rh_forward_dynamics(d);
  near_array(d->a, want, 6, 10 * CLOSED_FORM, 0);
  // Momentum about the world's origin, from the velocity of the centre.
  rh_vec3 vc = rh_add(rh_v3(0.3, 0.2, -0.5), rh_cross(w, c));
  rh_vec3 L = rh_add(rh_rotate(&R, rh_sym3_mul(&Ic, wb)),
                     rh_scale(m, rh_cross(rh_add(rh_v3(0.4, -1.1, 2.2), c), vc)));
  rh_force p = rh_momentum(d);
  near_array(&p.ang.x, &L.x, 3, 10 * CLOSED_FORM, 0);
  near_array(&p.lin.x, ((double[3]){m * vc.x, m * vc.y, m * vc.z}), 3, CLOSED_FORM, 0);
  free_data(d);
}

END_TEST

START_TEST(prismatic_pair)
{
  rh_scene *scene = rh_scene_create();
  set_gravity(scene, rh_v3(0, 0, -G));
  // A cart along x, and on it a slider along a slope of angle s; the wedge problem of the textbooks.
  const double M = 3;
  const double m = 0.5;
  const double s = 0.6;
  rh_body_def cart = body_of("cart", M, rh_v3(0.1, 0.2, 0.3), rh_v3(1, 1, 1));
  rh_body_def block = body_of("block", m, rh_v3(-0.1, 0, 0.2), rh_v3(1, 1, 1));
  rh_joint_def jc = joint_of("prismatic", "world", "cart", rh_v3(1, 0, 0));
  rh_joint_def jb = joint_of("prismatic", "cart", "block", rh_v3(5 * cos(s), 0, 5 * sin(s)));
  jc.v = list_of(1, 1, 0);
  jb.v = list_of(1, -2, 0);
  jb.q = list_of(1, 0.3, 0);
  add(scene, &cart, &jc);
  add(scene, &block, &jb);
  rh_data *d = data_of(scene);
  const double H[4] = {M + m, m * cos(s), m * cos(s), m};
  const double bias[2] = {0, m * G * sin(s)};
  check_dynamics(d, H, bias);
  free_data(d);
}

END_TEST

START_TEST(planar_body)
{
  const double m = 1.2;
  const double c = 0.4;
  const double I = 0.3;
  const double phi = 0.8;
  const double w = 1.7;
  rh_scene *scene = rh_scene_create();
  set_gravity(scene, rh_v3(0, -G, 0));
  rh_body_def body = body_of("b", m, rh_v3(c, 0, 0.2), rh_v3(0.2, 0.2, I));
  rh_joint_def j = joint_of("planar", "world", "b", rh_v3(0, 0, 1));
  j.q = (rh_list){3, {0.5, -0.6, phi}};
  j.v = (rh_list){3, {0.2, 0.9, w}};
  add(scene, &body, &j);
  rh_data *d = data_of(scene);
  const double H[9] = {m,
                       0,
                       -m * c * sin(phi),
                       0,
                       m,
                       m * c * cos(phi),
                       -m * c * sin(phi),
                       m * c * cos(phi),
                       I + m * c * c};
  const double bias[3] = {-m * c * cos(phi) * w * w, -m * c * sin(phi) * w * w + m * G,
                          m * G * c * cos(phi)};
  check_dynamics(d, H, bias);
  rh_vec3 p = rh_point_position(d, 1, rh_v3(1, 0, 0));
  near_array(&p.x, ((double[3]){0.5 + cos(phi), -0.6 + sin(phi), 0}), 3, CLOSED_FORM, 0);
  free_data(d);
}

END_TEST

// ---- Joints against the simpler joints they are made of. Where bodies stand between, they weigh next to nothing:
// 1e-12 of the others, which changes accelerations by some 1e-11 of their size, so 1e-9 leaves room for both.

#define NEXT_TO_NOTHING 1e-12
#define AGREES          1e-9

static rh_body_def speck(const char *name)
{
  return body_of(name, NEXT_TO_NOTHING, rh_v3(0, 0, 0),
                 rh_v3(NEXT_TO_NOTHING, NEXT_TO_NOTHING, NEXT_TO_NOTHING));
}

static rh_body_def lump(const char *name)
{
  rng r = {77};
  rh_body_def b = random_body(&r, name);
  return b;
}

static const double place_at[3] = {0.1, -0.4, 0.7};
static const double place_rpy[3] = {0.5, -0.3, 1.9};

static rh_joint_def placed(const char *kind, const char *parent, const char *child, rh_vec3 axis)
{
  rh_joint_def j = joint_of(kind, parent, child, axis);
  memcpy(j.at, place_at, sizeof place_at);
  memcpy(j.rpy, place_rpy, sizeof place_rpy);
  return j;
}

// Acceleration of four points of the last body under gravity alone: they tell all of its motion.
static void point_accelerations(rh_data *d, double *out)
{
  int nv = d->model->nv;
  int body = d->model->nbody - 1;
  double a[16];
  double tau[16] = {0};
  double J[48];
  rh_aba(d, tau, a);
  for (int k = 0; k < 4; k++) {
    rh_vec3 at = rh_v3(k == 1, k == 2, k == 3);
    rh_point_jacobian(d, body, at, J);
    rh_vec3 b = rh_point_bias(d, body, at);
    const double bias[3] = {b.x, b.y, b.z};
    for (int i = 0; i < 3; i++) {
      out[3 * k + i] = bias[i];
      for (int j = 0; j < nv; j++) {
        out[3 * k + i] += J[i * nv + j] * a[j];
      }
    }
  }
}

START_TEST(universal_is_two_revolutes)
{
  const rh_vec3 a1 = {0.3, 1, -0.2};
  const rh_vec3 a2 = {1, 0.1, 0.5};
  rh_scene *one = rh_scene_create();
  rh_scene *two = rh_scene_create();
  rh_body_def body = lump("b");
  rh_body_def mid = speck("mid");
  rh_joint_def u = placed("universal", "world", "b", a1);
  set3(u.par + 3, a2);
  u.q = list_of(2, 0.7, -1.2);
  u.v = list_of(2, 1.4, 2.2);
  add(one, &body, &u);
  rh_joint_def r1 = placed("revolute", "world", "mid", a1);
  rh_joint_def r2 = joint_of("revolute", "mid", "b", a2);
  r1.q = list_of(1, 0.7, 0);
  r1.v = list_of(1, 1.4, 0);
  r2.q = list_of(1, -1.2, 0);
  r2.v = list_of(1, 2.2, 0);
  add(two, &mid, &r1);
  add(two, &body, &r2);
  rh_data *d1 = data_of(one);
  rh_data *d2 = data_of(two);
  const double tau[2] = {0.3, -0.8};
  double x[2];
  double y[2];
  rh_aba(d1, tau, x);
  rh_aba(d2, tau, y);
  near_array(x, y, 2, AGREES, AGREES);
  rh_bias(d1, x);
  rh_bias(d2, y);
  near_array(x, y, 2, AGREES, AGREES);
  double p1[12];
  double p2[12];
  point_accelerations(d1, p1);
  point_accelerations(d2, p2);
  near_array(p1, p2, 12, AGREES, AGREES);
  free_data(d1);
  free_data(d2);
}

END_TEST

// Spherical joint in the attitude and with the angular velocity of three revolutes about x, y, z one behind the other.
START_TEST(spherical_is_three_revolutes)
{
  rh_scene *three = rh_scene_create();
  rh_body_def body = lump("b");
  const char *const names[4] = {"world", "m1", "m2", "b"};
  const rh_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const double q[3] = {0.4, -0.9, 2.0};
  const double v[3] = {1.5, -0.7, 0.9};
  rh_mat3 R = rh_mat3_identity();
  rh_vec3 w = {0, 0, 0}; // in the joint frame
  for (int i = 0; i < 3; i++) {
    rh_body_def link = i < 2 ? speck(names[i + 1]) : body;
    rh_joint_def j = i == 0 ? placed("revolute", "world", "m1", axes[i])
                            : joint_of("revolute", names[i], names[i + 1], axes[i]);
    j.q = list_of(1, q[i], 0);
    j.v = list_of(1, v[i], 0);
    add(three, &link, &j);
    w = rh_addscaled(w, v[i], rh_rotate(&R, axes[i]));
    rh_mat3 turn = rh_axis_matrix(axes[i], q[i]);
    R = rh_mat3_mul(&R, &turn);
  }
  rh_scene *one = rh_scene_create();
  rh_joint_def s = placed("spherical", "world", "b", rh_v3(0, 0, 0));
  rh_quat att = rh_quat_of_matrix(&R);
  s.q = (rh_list){4, {att.w, att.x, att.y, att.z}};
  s.v = (rh_list){3, {w.x, w.y, w.z}};
  add(one, &body, &s);
  rh_data *d1 = data_of(one);
  rh_data *d3 = data_of(three);
  double p1[12];
  double p3[12];
  point_accelerations(d1, p1);
  point_accelerations(d3, p3);
  near_array(p1, p3, 12, AGREES, AGREES);
  near_rel(rh_kinetic_energy(d1), rh_kinetic_energy(d3), AGREES);
  free_data(d1);
  free_data(d3);
}

END_TEST

// A free joint is three sliders along the joint frame's axes and a spherical joint.
START_TEST(free_is_sliders_and_spherical)
{
  const double x[3] = {0.3, -0.8, 1.4};
  const double u[3] = {-0.6, 0.2, 0.9};
  const rh_quat att = rh_quat_unit((rh_quat){0.2, 0.9, -0.4, 0.3});
  const double w[3] = {2.1, -0.3, 0.8};
  rh_scene *one = rh_scene_create();
  rh_scene *four = rh_scene_create();
  rh_body_def body = lump("b");
  const char *const names[5] = {"world", "m1", "m2", "m3", "b"};
  for (int i = 0; i < 3; i++) {
    rh_body_def link = speck(names[i + 1]);
    rh_vec3 axis = {i == 0, i == 1, i == 2};
    rh_joint_def j = i == 0 ? placed("prismatic", "world", "m1", axis)
                            : joint_of("prismatic", names[i], names[i + 1], axis);
    j.q = list_of(1, x[i], 0);
    j.v = list_of(1, u[i], 0);
    add(four, &link, &j);
  }
  rh_joint_def s = joint_of("spherical", "m3", "b", rh_v3(0, 0, 0));
  s.q = (rh_list){4, {att.w, att.x, att.y, att.z}};
  s.v = (rh_list){3, {w[0], w[1], w[2]}};
  add(four, &body, &s);
  rh_joint_def f = placed("free", "world", "b", rh_v3(0, 0, 0));
  f.q = (rh_list){7, {x[0], x[1], x[2], att.w, att.x, att.y, att.z}};
  f.v = (rh_list){6, {u[0], u[1], u[2], w[0], w[1], w[2]}};
  add(one, &body, &f);
  rh_data *d1 = data_of(one);
  rh_data *d4 = data_of(four);
  const double tau[6] = {0.5, -0.2, 0.9, 0.1, -0.4, 0.3};
  double a1[6];
  double a4[6];
  rh_aba(d1, tau, a1);
  rh_aba(d4, tau, a4);
  near_array(a1, a4, 6, AGREES, AGREES);
  rh_bias(d1, a1);
  rh_bias(d4, a4);
  near_array(a1, a4, 6, AGREES, AGREES);
  free_data(d1);
  free_data(d4);
}

END_TEST

// Two bodies welded together move as one body with the sum of their inertias.
START_TEST(fixed_is_a_weld)
{
  rh_scene *two = rh_scene_create();
  rh_scene *one = rh_scene_create();
  rh_body_def a = body_of("a", 1.5, rh_v3(0.2, 0, 0), rh_v3(0.1, 0.2, 0.15));
  rh_body_def b = body_of("b", 0.5, rh_v3(0, 0, 0), rh_v3(0.02, 0.03, 0.04));
  rh_joint_def j = placed("revolute", "world", "a", rh_v3(1, 1, 0));
  j.q = list_of(1, 0.7, 0);
  j.v = list_of(1, 3, 0);
  rh_joint_def w = joint_of("fixed", "a", "b", rh_v3(0, 0, 0));
  w.at[0] = 1;
  w.rpy[2] = acos(-1.0) / 2; // turned a quarter about z: ixx and iyy change places
  add(two, &a, &j);
  add(two, &b, &w);
  const double cx = (1.5 * 0.2 + 0.5 * 1) / 2;
  const double spread = 1.5 * (cx - 0.2) * (cx - 0.2) + 0.5 * (1 - cx) * (1 - cx);
  rh_body_def ab = body_of("a", 2, rh_v3(cx, 0, 0),
                           rh_v3(0.1 + 0.03, 0.2 + 0.02 + spread, 0.15 + 0.04 + spread));
  add(one, &ab, &j);
  rh_data *d2 = data_of(two);
  rh_data *d1 = data_of(one);
  ck_assert_int_eq(d2->model->nv, 1);
  double tau = 0.4;
  double x = 0;
  double y = 0;
  rh_aba(d2, &tau, &x);
  rh_aba(d1, &tau, &y);
  near_rel(x, y, CLOSED_FORM);
  rh_bias(d2, &x);
  rh_bias(d1, &y);
  near_rel(x, y, CLOSED_FORM);
  near_rel(rh_kinetic_energy(d2), rh_kinetic_energy(d1), CLOSED_FORM);
  near_rel(rh_potential_energy(d2), rh_potential_energy(d1), CLOSED_FORM);
  rh_force p2 = rh_momentum(d2);
  rh_force p1 = rh_momentum(d1);
  near_array(&p2.ang.x, &p1.ang.x, 3, CLOSED_FORM, CLOSED_FORM);
  near_array(&p2.lin.x, &p1.lin.x, 3, CLOSED_FORM, CLOSED_FORM);
  free_data(d1);
  free_data(d2);
}

END_TEST

START_TEST(loads_add_up)
{
  rh_scene *scene = rh_scene_create();
  rh_body_def body = lump("b");
  rh_joint_def j = placed("universal", "world", "b", rh_v3(1, 0, 0));
  set3(j.par + 3, rh_v3(0, 1, 0));
  j.q = list_of(2, 0.7, -0.2);
  j.v = list_of(2, 1.4, 2.2);
  j.spring = list_of(2, 3, 5);
  j.rest = list_of(2, 0.1, 0.4);
  j.damper = list_of(2, 0.25, 0.5);
  add(scene, &body, &j);
  rh_actuator_def act = rh_actuator_default();
  act.name = rh_name_of("motor");
  act.joint = rh_name_of("b");
  act.dof = 1;
  act.effort = 1.5;
  act.limits = list_of(2, -2, 2);
  (void)rh_scene_add_actuator(scene, &act);
  rh_data *d = data_of(scene);
  d->tau[0] = 7;
  rh_loads(d);
  near_abs(d->load[0], 7 - 3 * 0.6 - 0.25 * 1.4, CLOSED_FORM);
  near_abs(d->load[1], 1.5 + 5 * 0.6 - 0.5 * 2.2, CLOSED_FORM);
  near_abs(rh_spring_energy(d), 0.5 * 3 * 0.36 + 0.5 * 5 * 0.36, CLOSED_FORM);
  d->command[0].effort = 50; // a command past the limit gives the limit
  rh_loads(d);
  near_abs(d->load[1], 2 + 5 * 0.6 - 0.5 * 2.2, CLOSED_FORM);
  d->command[0].effort = -50;
  rh_loads(d);
  near_abs(d->load[1], -2 + 5 * 0.6 - 0.5 * 2.2, CLOSED_FORM);
  free_data(d);
}

END_TEST

// A scene without bodies is a world all the same.
START_TEST(nothing_at_all)
{
  rh_data *d = data_of(rh_scene_create());
  ck_assert_int_eq(d->model->nbody, 1);
  ck_assert_int_eq(d->model->nv, 0);
  rh_loads(d);
  rh_forward_dynamics(d);
  rh_mass_matrix(d);
  rh_mass_factor(d);
  ck_assert(rh_kinetic_energy(d) == 0 && rh_potential_energy(d) == 0 &&
            rh_total_mass(d->model) == 0);
  rh_vec3 p = rh_point_position(d, 0, rh_v3(1, 2, 3));
  near_array(&p.x, ((double[3]){1, 2, 3}), 3, 0, 0);
  free_data(d);
}

END_TEST

Suite *rh_suite_unit_tree(void)
{
  Suite *suite = suite_create("unit_tree");
  TCase *tc = tcase_create("closed forms");
  tcase_add_test(tc, pendulum);
  tcase_add_test(tc, double_pendulum);
  tcase_add_test(tc, free_body);
  tcase_add_test(tc, prismatic_pair);
  tcase_add_test(tc, planar_body);
  tcase_add_test(tc, universal_is_two_revolutes);
  tcase_add_test(tc, spherical_is_three_revolutes);
  tcase_add_test(tc, free_is_sliders_and_spherical);
  tcase_add_test(tc, fixed_is_a_weld);
  tcase_add_test(tc, loads_add_up);
  tcase_add_test(tc, nothing_at_all);
  suite_add_tcase(suite, tc);
  return suite;
}
