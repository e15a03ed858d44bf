// The path of a tendon about a sphere or a cylinder, by the definitions of MuJoCo: in the plane of
// the two points and the centre of the sphere, or seen along the axis of the cylinder, the path is two
// tangents of a circle and the arc between them. It is straight where the straight line misses the
// circle, unless a side is given that the line does not pass on. With a side inside the circle the path
// passes inside: it touches the circle in one point, where the angles of both lines are equal.
#include "tendons.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
static const double TINY = 1e-15;

typedef struct flat { // a point of the plane
  double x, y;
} flat;

static double dot_flat(flat a, flat b)
{
  return a.x * b.x + a.y * b.y;
}

static double cross_flat(flat a, flat b)
{
  return a.x * b.y - a.y * b.x;
}

static flat add_flat(flat a, double s, flat b) // a + s b
{
  return (flat){a.x + s * b.x, a.y + s * b.y};
}

static flat unit_flat(flat a)
{
  double size = rh_hypot(a.x, a.y);
  return size < TINY ? (flat){1, 0} : (flat){a.x / size, a.y / size};
}

// Do the segments a b and c d meet?
static bool segments_meet(flat a, flat b, flat c, flat d)
{
  flat u = add_flat(b, -1, a);
  flat v = add_flat(d, -1, c);
  flat w = add_flat(a, -1, c);
  double det = cross_flat(u, v);
  if (fabs(det) < TINY) {
    return false;
  }
  double s = cross_flat(v, w) / det;
  double t = cross_flat(u, w) / det;
  return s >= 0 && s <= 1 && t >= 0 && t <= 1;
}

// The point of the segment nearest to the origin
static flat nearest_point(flat a, flat b)
{
  flat way = add_flat(b, -1, a);
  double size = dot_flat(way, way);
  double s = size > 0 ? -dot_flat(a, way) / size : 0;
  return add_flat(a, fmin(fmax(s, 0), 1), way);
}

// ---- Outside

// Where the tangent from d touches the circle; `turn`: 1 or -1
static flat tangent_point(flat d, double radius, double turn)
{
  double size = dot_flat(d, d);
  double root = sqrt(fmax(size - radius * radius, 0));
  double along = radius * radius / size;
  double across = turn * radius * root / size;
  return (flat){along * d.x + across * d.y, along * d.y - across * d.x};
}

// [m] length of the arc, < 0: the path is straight
static double wrap_outside(const flat d[2], const flat *side, double radius, flat at[2])
{
  double square = radius * radius;
  flat way = add_flat(d[1], -1, d[0]);
  if (dot_flat(d[0], d[0]) < square || dot_flat(d[1], d[1]) < square || radius < TINY ||
      dot_flat(way, way) < TINY) {
    return -1;
  }
  flat near = nearest_point(d[0], d[1]);
  if (dot_flat(near, near) > square && !(side && dot_flat(*side, near) < 0)) {
    return -1;
  }
  double good[2];
  flat sol[2][2];
  for (int i = 0; i < 2; i++) {
    double turn = i == 0 ? 1 : -1;
    sol[i][0] = tangent_point(d[0], radius, turn);
    sol[i][1] = tangent_point(d[1], radius, -turn);
    flat apart = add_flat(sol[i][0], -1, sol[i][1]);
    good[i] = side ? dot_flat(unit_flat(add_flat(sol[i][0], 1, sol[i][1])), *side)
                   : -dot_flat(apart, apart);
    if (segments_meet(d[0], sol[i][0], d[1], sol[i][1])) {
      good[i] = -HUGE_VAL;
    }
  }
  int best = good[0] > good[1] ? 0 : 1;
  if (good[best] == -HUGE_VAL) {
    return -1;
  }
  memcpy(at, sol[best], sizeof sol[best]);
  double angle = rh_atan2((best == 0 ? -1 : 1) * cross_flat(at[0], at[1]), dot_flat(at[0], at[1]));
  return radius * (angle < 0 ? angle + 2 * PI : angle);
}

// ---- Inside

enum { NEWTON_MAX = 60 };

static const double START = 1 - 1e-7; // of Newton's method, near the singular end

// asin(A z) + asin(B z) - 2 asin(z) + G, zero where both lines have the same angle
static double angle_error(double A, double B, double G, double z)
{
  return rh_asin(A * z) + rh_asin(B * z) - 2 * rh_asin(z) + G;
}

// False: there is no such point within reach of the method.
static bool find_inside(double A, double B, double G, double *z)
{
  double f = angle_error(A, B, G, *z = START);
  if (f > 0) {
    return false;
  }
  for (int k = 0; k < NEWTON_MAX && f < 0; k++) {
    double slope = A / sqrt(1 - A * A * *z * *z) + B / sqrt(1 - B * B * *z * *z) -
                   2 / sqrt(fmax(1 - *z * *z, TINY * TINY));
    double next = *z - f / slope;
    if (!(slope < 0) || !(next < *z)) {
      break;
    }
    *z = next;
    f = angle_error(A, B, G, *z);
  }
  return fabs(f) < 1e-6;
}

// 0: it touches in one point; < 0: the path is straight
static double wrap_inside(const flat d[2], double radius, flat at[2])
{
  double len[2] = {rh_hypot(d[0].x, d[0].y), rh_hypot(d[1].x, d[1].y)};
  flat near = nearest_point(d[0], d[1]);
  if (len[0] <= radius || len[1] <= radius || radius < TINY ||
      dot_flat(near, near) <= radius * radius) {
    return -1;
  }
  double G = rh_atan2(fabs(cross_flat(d[0], d[1])), dot_flat(d[0], d[1]));
  if (G > PI - TINY) {
    return -1;
  }
  double A = radius / len[0];
  double B = radius / len[1];
  double z = 0;
  flat mean = unit_flat((flat){0.5 * (d[0].x + d[1].x), 0.5 * (d[0].y + d[1].y)});
  at[0] = at[1] = (flat){radius * mean.x, radius * mean.y};
  if (G < TINY || !find_inside(A, B, G, &z)) {
    return 0;
  }
  bool left = cross_flat(d[0], d[1]) > 0;
  flat from = unit_flat(left ? d[0] : d[1]);
  double turn = rh_asin(z) - rh_asin((left ? A : B) * z);
  at[0].x = radius * (rh_cos(turn) * from.x - rh_sin(turn) * from.y);
  at[0].y = radius * (rh_sin(turn) * from.x + rh_cos(turn) * from.y);
  at[1] = at[0];
  return 0;
}

// ---- In space

// Two axes of the plane through the centre of a sphere and both points
static void plane_of_points(rh_vec3 p, rh_vec3 q, rh_vec3 axis[2])
{
  axis[0] = rh_scale(1 / rh_norm(p), p);
  rh_vec3 normal = rh_cross(p, q);
  if (rh_norm(normal) < TINY) { // any plane through the line
    rh_vec3 a = {fabs(axis[0].x), fabs(axis[0].y), fabs(axis[0].z)};
    bool x = a.x > a.y && a.x > a.z;
    bool y = !x && a.y > a.z;
    normal = rh_cross(axis[0], x ? rh_v3(0, 1, 1) : y ? rh_v3(1, 0, 1) : rh_v3(1, 1, 0));
  }
  axis[1] = rh_cross(normal, axis[0]);
  axis[1] = rh_scale(1 / rh_norm(axis[1]), axis[1]);
}

bool rh_wrap_path(const rh_wrap_round *o, rh_vec3 x, rh_vec3 y, rh_wrap_result *result)
{
  rh_vec3 p[2] = {rh_unrotate(&o->frame.R, rh_sub(x, o->frame.p)),
                  rh_unrotate(&o->frame.R, rh_sub(y, o->frame.p))};
  if (rh_norm(p[0]) < TINY || rh_norm(p[1]) < TINY) {
    return false;
  }
  rh_vec3 axis[2] = {{1, 0, 0}, {0, 1, 0}};
  if (o->sphere) {
    plane_of_points(p[0], p[1], axis);
  }
  flat d[2] = {{rh_dot(p[0], axis[0]), rh_dot(p[0], axis[1])},
               {rh_dot(p[1], axis[0]), rh_dot(p[1], axis[1])}};
  rh_vec3 s = rh_unrotate(&o->frame.R, rh_sub(o->side, o->frame.p));
  flat side = unit_flat((flat){rh_dot(s, axis[0]), rh_dot(s, axis[1])});
  flat at[2];
  bool inside = o->has_side && rh_norm(s) < o->radius;
  double arc = inside ? wrap_inside(d, o->radius, at)
                      : wrap_outside(d, o->has_side ? &side : NULL, o->radius, at);
  if (arc < 0) {
    return false;
  }
  rh_vec3 r[2];
  for (int i = 0; i < 2; i++) {
    r[i] = rh_add(rh_scale(at[i].x, axis[0]), rh_scale(at[i].y, axis[1]));
  }
  if (!o->sphere) { // on the unrolled cylinder the path is straight
    double before = rh_hypot(d[0].x - at[0].x, d[0].y - at[0].y);
    double after = rh_hypot(d[1].x - at[1].x, d[1].y - at[1].y);
    double climb = (p[1].z - p[0].z) / (before + arc + after);
    r[0].z = p[0].z + climb * before;
    r[1].z = p[0].z + climb * (before + arc);
    arc = rh_hypot(arc, r[1].z - r[0].z);
  }
  for (int i = 0; i < 2; i++) {
    result->at[i] = rh_add(o->frame.p, rh_rotate(&o->frame.R, r[i]));
  }
  result->length = arc;
  return true;
}
