// routh/math.h: vectors, rotations and spatial algebra as plain values. All functions are pure:
// they allocate nothing, keep no pointers, and any thread may call them. Pointers must not be NULL.
// Spatial vectors carry the angular part first [RBDA ch. 2], in world axes, about a stated point.
#ifndef ROUTH_MATH_H
#define ROUTH_MATH_H

#include <routh/base.h>
#include <routh/elementary.h>

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rh_vec3 {
  double x, y, z;
} rh_vec3;

typedef struct rh_mat3 { // row major
  double m[9];
} rh_mat3;

typedef struct rh_quat { // unit quaternion, scalar first
  double w, x, y, z;
} rh_quat;

typedef struct rh_sym3 { // symmetric 3x3
  double xx, yy, zz, xy, xz, yz;
} rh_sym3;

typedef struct rh_xform { // a frame seen from another: x_outer = R x_inner + p
  rh_mat3 R;
  rh_vec3 p;
} rh_xform;

typedef struct rh_motion { // velocity, acceleration, joint axis
  rh_vec3 ang, lin;
} rh_motion;

typedef struct rh_force { // moment and force, also momentum and impulse
  rh_vec3 ang, lin;
} rh_force;

typedef struct rh_inertia { // of a rigid body about a point O
  double mass;              // [kg]
  rh_vec3 h;                // mass * (centre of mass - O) [kg m]
  rh_sym3 I;                // rotational inertia about O [kg m^2]
} rh_inertia;

// ---- vec3

static inline rh_vec3 rh_v3(double x, double y, double z)
{
  rh_vec3 r = {x, y, z};
  return r;
}

static inline rh_vec3 rh_add(rh_vec3 a, rh_vec3 b)
{
  return rh_v3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline rh_vec3 rh_sub(rh_vec3 a, rh_vec3 b)
{
  return rh_v3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline rh_vec3 rh_neg(rh_vec3 a)
{
  return rh_v3(-a.x, -a.y, -a.z);
}

static inline rh_vec3 rh_scale(double s, rh_vec3 a)
{
  return rh_v3(s * a.x, s * a.y, s * a.z);
}

static inline rh_vec3 rh_addscaled(rh_vec3 a, double s, rh_vec3 b) // a + s b
{
  return rh_v3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

static inline double rh_dot(rh_vec3 a, rh_vec3 b)
{
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline rh_vec3 rh_cross(rh_vec3 a, rh_vec3 b)
{
  return rh_v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline double rh_norm(rh_vec3 a)
{
  return sqrt(rh_dot(a, a));
}

// ---- mat3 and sym3

static inline rh_mat3 rh_mat3_identity(void)
{
  rh_mat3 r = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
  return r;
}

static inline rh_vec3 rh_rotate(const rh_mat3 *R, rh_vec3 a) // R a
{
  const double *m = R->m;
  return rh_v3(m[0] * a.x + m[1] * a.y + m[2] * a.z, m[3] * a.x + m[4] * a.y + m[5] * a.z,
               m[6] * a.x + m[7] * a.y + m[8] * a.z);
}

static inline rh_vec3 rh_unrotate(const rh_mat3 *R, rh_vec3 a) // R' a
{
  const double *m = R->m;
  return rh_v3(m[0] * a.x + m[3] * a.y + m[6] * a.z, m[1] * a.x + m[4] * a.y + m[7] * a.z,
               m[2] * a.x + m[5] * a.y + m[8] * a.z);
}

static inline rh_mat3 rh_mat3_mul(const rh_mat3 *a, const rh_mat3 *b) // a b
{
  rh_mat3 r;
  for (int i = 0; i < 9; i += 3) {
    for (int j = 0; j < 3; j++) {
      r.m[i + j] = a->m[i] * b->m[j] + a->m[i + 1] * b->m[j + 3] + a->m[i + 2] * b->m[j + 6];
    }
  }
  return r;
}

static inline rh_mat3 rh_mat3_transpose(const rh_mat3 *a)
{
  const double *m = a->m;
  rh_mat3 r = {{m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]}};
  return r;
}

static inline rh_vec3 rh_sym3_mul(const rh_sym3 *s, rh_vec3 a)
{
  return rh_v3(s->xx * a.x + s->xy * a.y + s->xz * a.z, s->xy * a.x + s->yy * a.y + s->yz * a.z,
               s->xz * a.x + s->yz * a.y + s->zz * a.z);
}

static inline rh_sym3 rh_sym3_rotate(const rh_mat3 *R, const rh_sym3 *s) // R s R'
{
  const double *m = R->m;
  rh_vec3 a = rh_sym3_mul(s, rh_v3(m[0], m[1], m[2]));
  rh_vec3 b = rh_sym3_mul(s, rh_v3(m[3], m[4], m[5]));
  rh_vec3 c = rh_sym3_mul(s, rh_v3(m[6], m[7], m[8]));
  rh_sym3 r;
  r.xx = m[0] * a.x + m[1] * a.y + m[2] * a.z;
  r.yy = m[3] * b.x + m[4] * b.y + m[5] * b.z;
  r.zz = m[6] * c.x + m[7] * c.y + m[8] * c.z;
  r.xy = m[0] * b.x + m[1] * b.y + m[2] * b.z;
  r.xz = m[0] * c.x + m[1] * c.y + m[2] * c.z;
  r.yz = m[3] * c.x + m[4] * c.y + m[5] * c.z;
  return r;
}

static inline rh_sym3 rh_sym3_add(const rh_sym3 *a, const rh_sym3 *b)
{
  rh_sym3 r = {a->xx + b->xx, a->yy + b->yy, a->zz + b->zz,
               a->xy + b->xy, a->xz + b->xz, a->yz + b->yz};
  return r;
}

// ---- quaternions

static inline rh_quat rh_quat_identity(void)
{
  rh_quat q = {1, 0, 0, 0};
  return q;
}

static inline rh_quat rh_quat_mul(rh_quat a, rh_quat b)
{
  rh_quat r = {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
               a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
               a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
               a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
  return r;
}

static inline rh_quat rh_quat_conj(rh_quat a)
{
  rh_quat r = {a.w, -a.x, -a.y, -a.z};
  return r;
}

#define RH_QUAT_WRITTEN 1e-6 // a quaternion written with six digits has unit length but for this
#define RH_QUAT_NEARLY  1e-3 // and one that is off by more is not meant to have it

static inline double rh_quat_norm(rh_quat q)
{
  return sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
}

static inline rh_quat rh_quat_unit(rh_quat q)
{
  double n = rh_quat_norm(q);
  rh_quat r = {q.w / n, q.x / n, q.y / n, q.z / n};
  return r;
}

// Of a quaternion of any length but zero
static inline rh_mat3 rh_quat_matrix(rh_quat q)
{
  double s = 2 / (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  double xs = q.x * s;
  double ys = q.y * s;
  double zs = q.z * s;
  rh_mat3 R = {{1 - (q.y * ys + q.z * zs), q.x * ys - q.w * zs, q.x * zs + q.w * ys,
                q.x * ys + q.w * zs, 1 - (q.x * xs + q.z * zs), q.y * zs - q.w * xs,
                q.x * zs - q.w * ys, q.y * zs + q.w * xs, 1 - (q.x * xs + q.y * ys)}};
  return R;
}

RH_API rh_quat rh_quat_of_matrix(const rh_mat3 *R);   // scalar part >= 0
RH_API rh_quat rh_quat_exp(rh_vec3 phi);              // rotation by the vector phi [rad]
RH_API rh_vec3 rh_quat_log(rh_quat q);                // rotation vector, |phi| <= pi
RH_API rh_mat3 rh_rpy_matrix(double r, double p, double y); // R = Rz(y) Ry(p) Rx(r)
RH_API rh_mat3 rh_axis_matrix(rh_vec3 unit_axis, double angle);
RH_API rh_mat3 rh_axis_turn(rh_vec3 unit_axis, double sine, double cosine); // of an angle
RH_API void rh_sym3_eigenvalues(const rh_sym3 *s, double ascending[3]); // cyclic Jacobi
// The same with its axes, the columns of a rotation: s = R diag(ascending) R'.
RH_API void rh_sym3_eigen(const rh_sym3 *s, double ascending[3], rh_mat3 *R);

// ---- spatial algebra: all about one point unless the name has shift

static inline rh_motion rh_motion_add(rh_motion a, rh_motion b)
{
  rh_motion r = {rh_add(a.ang, b.ang), rh_add(a.lin, b.lin)};
  return r;
}

static inline rh_motion rh_motion_addscaled(rh_motion a, double s, rh_motion b)
{
  rh_motion r = {rh_addscaled(a.ang, s, b.ang), rh_addscaled(a.lin, s, b.lin)};
  return r;
}

static inline rh_force rh_force_add(rh_force a, rh_force b)
{
  rh_force r = {rh_add(a.ang, b.ang), rh_add(a.lin, b.lin)};
  return r;
}

static inline double rh_power(rh_motion v, rh_force f)
{
  return rh_dot(v.ang, f.ang) + rh_dot(v.lin, f.lin);
}

// The same motion about the point O + r [RBDA eq. 2.21]
static inline rh_motion rh_motion_shift(rh_motion v, rh_vec3 r)
{
  rh_motion s = {v.ang, rh_add(v.lin, rh_cross(v.ang, r))};
  return s;
}

// The same force, given about O + r, now about O
static inline rh_force rh_force_shift_back(rh_force f, rh_vec3 r)
{
  rh_force s = {rh_add(f.ang, rh_cross(r, f.lin)), f.lin};
  return s;
}

// I v: momentum of a rigid body [RBDA eq. 2.63]
static inline rh_force rh_inertia_mul(const rh_inertia *I, rh_motion v)
{
  rh_force f;
  f.ang = rh_add(rh_sym3_mul(&I->I, v.ang), rh_cross(I->h, v.lin));
  f.lin = rh_sub(rh_scale(I->mass, v.lin), rh_cross(I->h, v.ang));
  return f;
}

#ifdef __cplusplus
}
#endif
#endif
