// The joint table: the only place that knows how a joint moves. A row gives the pose of the body for the joint's
// coordinates q, the axes S of its velocities v, and how q changes with v. The body's origin is on
// the joint, so an axis of rotation has no linear part. Velocities of joints with quaternions, and
// of the planar joint, are measured in the joint frame that is fixed to the parent.
#include "multibody.h"

#include "base/table.h"

#include <string.h>

static rh_mat3 mat3_at(const double *k)
{
  rh_mat3 R;
  memcpy(R.m, k, sizeof R.m);
  return R;
}

static rh_vec3 vec3_at(const double *k)
{
  return rh_v3(k[0], k[1], k[2]);
}

static void put_mat3(double *k, const rh_mat3 *R)
{
  memcpy(k, R->m, sizeof R->m);
}

static void put_vec3(double *k, rh_vec3 a)
{
  k[0] = a.x;
  k[1] = a.y;
  k[2] = a.z;
}

static rh_vec3 unit_vector(const double *a)
{
  rh_vec3 u = vec3_at(a);
  return rh_scale(1 / rh_norm(u), u);
}

static rh_vec3 matrix_column(const rh_mat3 *R, int j)
{
  return rh_v3(R->m[j], R->m[3 + j], R->m[6 + j]);
}

static rh_motion rotation_axis(rh_vec3 axis)
{
  return (rh_motion){axis, {0, 0, 0}};
}

static rh_motion travel_axis(rh_vec3 axis)
{
  return (rh_motion){{0, 0, 0}, axis};
}

// ---- Constants that most rows share: the place of the joint frame in the parent.

enum { K_PLACE_R = 0, K_PLACE_P = 9, K_AXIS = 12, K_COS = 15, K_SIN = 24, K_ALONG = 33 };

static void prepare_place(const double *par, const rh_xform *place, double *k)
{
  (void)par;
  put_mat3(k + K_PLACE_R, &place->R);
  put_vec3(k + K_PLACE_P, place->p);
}

// ---- fixed

static void pose_fixed(const double *k, const double *q, const double *trig,
                       const rh_kin_body *parent, rh_kin_body *body, rh_motion *S)
{
  (void)trig;
  (void)q;
  (void)S;
  rh_mat3 P = mat3_at(k + K_PLACE_R);
  body->R = rh_mat3_mul(&parent->R, &P);
  body->r = rh_rotate(&parent->R, vec3_at(k + K_PLACE_P));
}

// ---- revolute. P Rot(axis, q) = C0 + cos(q) C1 + sin(q) C2 with constant matrices, which halves the work of Rodrigues'
// formula followed by a product; C0 is kept in place of P.

// 0, 1, 2: the axis is that axis of the parent, and the place is not turned; -1: neither.
static int axis_along(rh_vec3 a, const rh_mat3 *R)
{
  static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (int i = 0; i < 9; i++) {
    if (R->m[i] != one[i]) {
      return -1;
    }
  }
  return a.x == 1 ? 0 : a.y == 1 ? 1 : a.z == 1 ? 2 : -1;
}

static void prepare_revolute(const double *par, const rh_xform *place, double *k)
{
  rh_vec3 a = unit_vector(par);
  rh_mat3 C0 = {{a.x * a.x, a.x * a.y, a.x * a.z, a.x * a.y, a.y * a.y, a.y * a.z, a.x * a.z,
                 a.y * a.z, a.z * a.z}};
  rh_mat3 C1 = rh_mat3_identity();
  rh_mat3 C2 = {{0, -a.z, a.y, a.z, 0, -a.x, -a.y, a.x, 0}};
  for (int i = 0; i < 9; i++) {
    C1.m[i] -= C0.m[i];
  }
  C0 = rh_mat3_mul(&place->R, &C0);
  C1 = rh_mat3_mul(&place->R, &C1);
  C2 = rh_mat3_mul(&place->R, &C2);
  put_mat3(k + K_PLACE_R, &C0);
  put_vec3(k + K_PLACE_P, place->p);
  put_vec3(k + K_AXIS, rh_rotate(&place->R, a));
  put_mat3(k + K_COS, &C1);
  put_mat3(k + K_SIN, &C2);
  k[K_ALONG] = axis_along(a, &place->R);
}

// About axis j of the parent, without a turned place, only the other two columns turn; j is known when this is compiled.
static inline void turn_about(int j, const double *P, const double *trig, double *R, rh_motion *S)
{
  int a = j == 2 ? 0 : j + 1;
  int b = 3 - a - j;
  for (int i = 0; i < 9; i += 3) {
    double x = P[i + a];
    double y = P[i + b];
    R[i + j] = P[i + j];
    R[i + a] = trig[1] * x + trig[0] * y;
    R[i + b] = trig[1] * y - trig[0] * x;
  }
  S[0] = rotation_axis(rh_v3(P[j], P[3 + j], P[6 + j]));
}

static void pose_revolute(const double *k, const double *q, const double *trig,
                          const rh_kin_body *parent, rh_kin_body *body, rh_motion *S)
{
  (void)q;
  body->r = rh_rotate(&parent->R, vec3_at(k + K_PLACE_P));
  switch ((int)k[K_ALONG]) {
  case 0:
    turn_about(0, parent->R.m, trig, body->R.m, S);
    return;
  case 1:
    turn_about(1, parent->R.m, trig, body->R.m, S);
    return;
  case 2:
    turn_about(2, parent->R.m, trig, body->R.m, S);
    return;
  default:
    break;
  }
  rh_mat3 P;
  for (int i = 0; i < 9; i++) {
    P.m[i] = k[K_PLACE_R + i] + trig[1] * k[K_COS + i] + trig[0] * k[K_SIN + i];
  }
  body->R = rh_mat3_mul(&parent->R, &P);
  S[0] = rotation_axis(rh_rotate(&parent->R, vec3_at(k + K_AXIS)));
}

// ---- prismatic

static void prepare_prismatic(const double *par, const rh_xform *place, double *k)
{
  prepare_place(par, place, k);
  put_vec3(k + K_AXIS, rh_rotate(&place->R, unit_vector(par)));
}

static void pose_prismatic(const double *k, const double *q, const double *trig,
                           const rh_kin_body *parent, rh_kin_body *body, rh_motion *S)
{
  (void)trig;
  rh_vec3 axis = vec3_at(k + K_AXIS);
  rh_mat3 P = mat3_at(k + K_PLACE_R);
  body->R = rh_mat3_mul(&parent->R, &P);
  body->r = rh_rotate(&parent->R, rh_addscaled(vec3_at(k + K_PLACE_P), q[0], axis));
  S[0] = travel_axis(rh_rotate(&parent->R, axis));
}

// ---- universal: turn about `axis` by q0, then about `axis2`, carried along, by q1

enum { K_AXIS2 = 15 };

static void prepare_universal(const double *par, const rh_xform *place, double *k)
{
  prepare_place(par, place, k);
  put_vec3(k + K_AXIS, unit_vector(par));
  put_vec3(k + K_AXIS2, unit_vector(par + 3));
}

static void pose_universal(const double *k, const double *q, const double *trig,
                           const rh_kin_body *parent, rh_kin_body *body, rh_motion *S)
{
  (void)q;
  rh_vec3 a1 = vec3_at(k + K_AXIS);
  rh_vec3 a2 = vec3_at(k + K_AXIS2);
  rh_mat3 P = mat3_at(k + K_PLACE_R);
  rh_mat3 F = rh_mat3_mul(&parent->R, &P);
  rh_mat3 R1 = rh_axis_turn(a1, trig[0], trig[1]);
  rh_mat3 R2 = rh_axis_turn(a2, trig[2], trig[3]);
  rh_mat3 F1 = rh_mat3_mul(&F, &R1);
  body->R = rh_mat3_mul(&F1, &R2);
  body->r = rh_rotate(&parent->R, vec3_at(k + K_PLACE_P));
  S[0] = rotation_axis(rh_rotate(&F, a1));
  S[1] = rotation_axis(rh_rotate(&F1, a2));
}

// The second axis turns with the first.
static rh_vec3 drift_universal(const rh_motion *S, const double *v)
{
  return rh_scale(v[0] * v[1], rh_cross(S[0].ang, S[1].ang));
}

// ---- quaternion coordinates, shared by spherical and free

static rh_quat quat_at(const double *q)
{
  return (rh_quat){q[0], q[1], q[2], q[3]};
}

static void put_quat(double *q, rh_quat a)
{
  q[0] = a.w;
  q[1] = a.x;
  q[2] = a.y;
  q[3] = a.z;
}

// qdot = 1/2 (0, w) q for w in the axes of the parent's joint frame
static void rate_spherical(const double *q, const double *v, double *qdot)
{
  rh_quat w = {0, 0.5 * v[0], 0.5 * v[1], 0.5 * v[2]};
  put_quat(qdot, rh_quat_mul(w, quat_at(q)));
}

static void advance_spherical(const double *q, const double *v, double h, double *next)
{
  rh_quat step = rh_quat_exp(rh_v3(h * v[0], h * v[1], h * v[2]));
  put_quat(next, rh_quat_unit(rh_quat_mul(step, quat_at(q))));
}

// Rotation vector from rest to q. The torque -k phi is the gradient of 1/2 k |phi|^2 for one k on all three axes.
static void delta_spherical(const double *q, const double *rest, double *delta)
{
  rh_quat turned = rh_quat_mul(rh_quat_unit(quat_at(q)), rh_quat_conj(rh_quat_unit(quat_at(rest))));
  put_vec3(delta, rh_quat_log(turned));
}

static void zero_spherical(double *q)
{
  put_quat(q, rh_quat_identity());
}

static void unit_spherical(double *q)
{
  put_quat(q, rh_quat_unit(quat_at(q)));
}

static void pose_spherical(const double *k, const double *q, const double *trig,
                           const rh_kin_body *parent, rh_kin_body *body, rh_motion *S)
{
  (void)trig;
  rh_mat3 P = mat3_at(k + K_PLACE_R);
  rh_mat3 F = rh_mat3_mul(&parent->R, &P);
  rh_mat3 Q = rh_quat_matrix(quat_at(q));
  body->R = rh_mat3_mul(&F, &Q);
  body->r = rh_rotate(&parent->R, vec3_at(k + K_PLACE_P));
  for (int j = 0; j < 3; j++) {
    S[j] = rotation_axis(matrix_column(&F, j));
  }
}

// ---- free: position of the body's origin, then a quaternion

static void pose_free(const double *k, const double *q, const double *trig,
                      const rh_kin_body *parent, rh_kin_body *body, rh_motion *S)
{
  (void)trig;
  rh_mat3 P = mat3_at(k + K_PLACE_R);
  rh_mat3 F = rh_mat3_mul(&parent->R, &P);
  rh_mat3 Q = rh_quat_matrix(quat_at(q + 3));
  body->R = rh_mat3_mul(&F, &Q);
  body->r = rh_add(rh_rotate(&parent->R, vec3_at(k + K_PLACE_P)), rh_rotate(&F, vec3_at(q)));
  for (int j = 0; j < 3; j++) {
    S[j] = travel_axis(matrix_column(&F, j));
    S[3 + j] = rotation_axis(matrix_column(&F, j));
  }
}

static void rate_free(const double *q, const double *v, double *qdot)
{
  memcpy(qdot, v, 3 * sizeof *v);
  rate_spherical(q + 3, v + 3, qdot + 3);
}

static void advance_free(const double *q, const double *v, double h, double *next)
{
  for (int i = 0; i < 3; i++) {
    next[i] = q[i] + h * v[i];
  }
  advance_spherical(q + 3, v + 3, h, next + 3);
}

static void delta_free(const double *q, const double *rest, double *delta)
{
  for (int i = 0; i < 3; i++) {
    delta[i] = q[i] - rest[i];
  }
  delta_spherical(q + 3, rest + 3, delta + 3);
}

static void zero_free(double *q)
{
  q[0] = q[1] = q[2] = 0;
  zero_spherical(q + 3);
}

static void unit_free(double *q)
{
  unit_spherical(q + 3);
}

// ---- planar: x, y along the joint frame's first two axes, turn about its third; `normal` names the third

static void prepare_planar(const double *par, const rh_xform *place, double *k)
{
  rh_vec3 n = unit_vector(par);
  // A frame whose z is n: x is the axis of the joint frame that leans least towards n, made square to it, so that
  // n = z leaves the joint frame as it is.
  rh_vec3 seed = fabs(n.x) <= 0.9 ? rh_v3(1, 0, 0) : rh_v3(0, 1, 0);
  rh_vec3 x = rh_addscaled(seed, -rh_dot(seed, n), n);
  x = rh_scale(1 / rh_norm(x), x);
  rh_vec3 y = rh_cross(n, x);
  rh_mat3 N = {{x.x, y.x, n.x, x.y, y.y, n.y, x.z, y.z, n.z}};
  rh_mat3 F = rh_mat3_mul(&place->R, &N);
  put_mat3(k + K_PLACE_R, &F);
  put_vec3(k + K_PLACE_P, place->p);
  put_mat3(k + K_COS, &N);
}

static void pose_planar(const double *k, const double *q, const double *trig,
                        const rh_kin_body *parent, rh_kin_body *body, rh_motion *S)
{
  rh_mat3 P = mat3_at(k + K_PLACE_R);
  rh_mat3 F = rh_mat3_mul(&parent->R, &P);
  rh_mat3 N = mat3_at(k + K_COS);
  rh_mat3 Nt = rh_mat3_transpose(&N);
  rh_mat3 Q = rh_axis_turn(rh_v3(0, 0, 1), trig[4], trig[5]);
  rh_mat3 FQ = rh_mat3_mul(&F, &Q);
  body->R = rh_mat3_mul(&FQ, &Nt); // at q = 0 the body has the attitude of the joint frame
  body->r =
      rh_add(rh_rotate(&parent->R, vec3_at(k + K_PLACE_P)), rh_rotate(&F, rh_v3(q[0], q[1], 0)));
  S[0] = travel_axis(matrix_column(&F, 0));
  S[1] = travel_axis(matrix_column(&F, 1));
  S[2] = rotation_axis(matrix_column(&F, 2));
}

// ---- checks

static double vector_length(const double *a)
{
  return rh_norm(vec3_at(a));
}

static const char *check_axis(const double *par)
{
  return vector_length(par) > 1e-9 ? NULL : "must be given and must not be the zero vector";
}

static const char *check_universal(const double *par)
{
  if (vector_length(par) <= 1e-9 || vector_length(par + 3) <= 1e-9) {
    return "and axis2 must be given and must not be zero vectors";
  }
  double leaning = rh_norm(rh_cross(unit_vector(par), unit_vector(par + 3)));
  return leaning > 1e-6 ? NULL : "and axis2 must not be parallel";
}

// ---- the table

// clang-format off: one row per joint
#define AXIS(key, ax, text)                                                                        \
  {                                                                                                \
    key, "1", ax, -1e6, 1e6, text, RH_VECTOR, 3, NULL, false                                       \
  }

static const rh_param revolute_param[] = {
    AXIS("axis", 0, "axis of rotation in the joint frame; any length but zero")};
static const rh_param prismatic_param[] = {
    AXIS("axis", 0, "direction of travel in the joint frame; any length but zero")};
static const rh_param universal_param[] = {
    AXIS("axis", 0, "first axis, fixed to the parent, in the joint frame"),
    AXIS("axis2", 0, "second axis, carried by the first, in the joint frame at q = 0"),
};
static const rh_param planar_param[] = {
    AXIS("normal", 0, "normal of the plane in the joint frame")};

static const rh_joint fixed = {
    .row = {"fixed", "[RBDA] 4.4", "no motion: the child is part of the parent", NULL, 0},
    .nq = 0,
    .nv = 0,
    .scalar = true,
    .coord = "",
    .unit = "",
    .prepare = prepare_place,
    .pose = pose_fixed,
};
static const rh_joint revolute = {
    .row = {"revolute", "[RBDA] 4.4", "rotation about one axis", revolute_param,
            RH_COUNT(revolute_param)},
    .nq = 1,
    .nv = 1,
    .angles = true,
    .turning = true,
    .scalar = true,
    .coord = "q",
    .unit = "rad",
    .check = check_axis,
    .prepare = prepare_revolute,
    .pose = pose_revolute,
};
static const rh_joint prismatic = {
    .row = {"prismatic", "[RBDA] 4.4", "travel along one axis", prismatic_param,
            RH_COUNT(prismatic_param)},
    .nq = 1,
    .nv = 1,
    .scalar = true,
    .coord = "q",
    .unit = "m",
    .check = check_axis,
    .prepare = prepare_prismatic,
    .pose = pose_prismatic,
};
static const rh_joint universal = {
    .row = {"universal", "", "rotation about two axes, the second carried by the first",
            universal_param, RH_COUNT(universal_param)},
    .nq = 2,
    .nv = 2,
    .angles = true,
    .turning = true,
    .scalar = true,
    .coord = "q1 q2",
    .unit = "rad rad",
    .check = check_universal,
    .prepare = prepare_universal,
    .pose = pose_universal,
    .drift = drift_universal,
};
static const rh_joint spherical = {
    .row = {"spherical", "[RBDA] 4.5",
            "rotation about a point; unit quaternion, v in the parent's joint frame", NULL, 0},
    .nq = 4,
    .nv = 3,
    .turning = true,
    .scalar = false,
    .coord = "qw qx qy qz",
    .unit = "rad rad rad",
    .prepare = prepare_place,
    .pose = pose_spherical,
    .rate = rate_spherical,
    .advance = advance_spherical,
    .delta = delta_spherical,
    .zero = zero_spherical,
    .unit_length = unit_spherical,
};
static const rh_joint planar = {
    .row = {"planar", "", "travel in a plane and rotation about its normal", planar_param,
            RH_COUNT(planar_param)},
    .nq = 3,
    .nv = 3,
    .angles = true,
    .scalar = true,
    .coord = "x y angle",
    .unit = "m m rad",
    .check = check_axis,
    .prepare = prepare_planar,
    .pose = pose_planar,
};
static const rh_joint free_joint = {
    .row = {"free", "[RBDA] 4.5",
            "no constraint: position and unit quaternion, v in the parent's joint frame", NULL, 0},
    .nq = 7,
    .nv = 6,
    .free = true,
    .scalar = false,
    .coord = "x y z qw qx qy qz",
    .unit = "m m m rad rad rad",
    .prepare = prepare_place,
    .pose = pose_free,
    .rate = rate_free,
    .advance = advance_free,
    .delta = delta_free,
    .zero = zero_free,
    .unit_length = unit_free,
};

// clang-format on

static const rh_joint *const table[] = {&fixed,     &revolute, &prismatic, &universal,
                                        &spherical, &planar,   &free_joint};

RH_ROW_TABLE(joint)
