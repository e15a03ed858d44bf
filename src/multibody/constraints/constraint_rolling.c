// Constraint `rolling`: a ball or a wheel on a surface of the other body, without slip.
// The surface is the plane z = 0 of the end on the other body, the wheel above it, or the inside of
// a cylinder about that z axis (`bore`, its radius). It may turn about z with a given rate: a
// turntable. With the centre c of the ball or wheel, its axis e, the normal n of the surface at it:
//   ball    P = c - r n
//   wheel   P = c - r (n - (n.e) e) / |n - (n.e) e|
// P is the point of contact; the rows are the velocity of the body less that of the surface at P,
// along two tangents and, where the contact is kept, along n, with the gap of P from the surface.
#include "constraint.h"

enum { RADIUS, AXIS, BORE = 4, RATE, KEEP };

static const rh_param param[] = {
    {"radius", "m", 0, 0, 1e12, "radius of the ball or wheel; its centre is the end on the body",
     RH_NUMBER, 0, NULL, true},
    {"axis", "1", 0, -1e6, 1e6, "axis of a wheel in the axes of its end; zero: a ball", RH_VECTOR,
     3, NULL, false},
    {"bore", "m", 0, 0, 1e12,
     "radius of a cylinder about z, inside which a ball rolls; 0: the plane z = 0", RH_NUMBER, 0,
     NULL, false},
    {"rate", "rad/s", 0, -1e9, 1e9, "angular velocity of the surface about its z axis", RH_NUMBER,
     0, NULL, false},
    {"keep", "1", 1, 0, 1,
     "1: the contact is kept, by a force of either sign; 0: something else keeps it", RH_INTEGER, 0,
     NULL, false},
};

static bool is_ball(const double *par)
{
  return rh_norm(rh_v3(par[AXIS], par[AXIS + 1], par[AXIS + 2])) <= 1e-9;
}

static const char *check_wheel(const double *par)
{
  if (par[BORE] > 0 && !is_ball(par)) {
    return "is of a wheel: inside a bore there are only balls (no axis)";
  }
  return par[BORE] > 0 && par[BORE] <= par[RADIUS] ? "must be below that of the bore" : NULL;
}

static int count_rows(const double *par)
{
  return par[KEEP] != 0 ? 3 : 2;
}

// Normal of the surface at the centre, out of it, two tangents, and the distance of the centre
static rh_dual surface_at(const rh_constraint_at *at, const double *par, rh_dual3 axis[3])
{
  static const double x[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  rh_dual3 from = rh_dual3_sub(rh_constraint_place(at, 0), rh_constraint_place(at, 1));
  for (int i = 0; i < 3; i++) {
    axis[i] = rh_constraint_direction(at, 1, x[i]);
  }
  rh_dual height = rh_dual3_dot(axis[2], from);
  if (par[BORE] == 0) {
    return height;
  }
  rh_dual3 z = axis[2];
  rh_dual3 out = rh_dual3_more(from, (rh_dual){-height.x, -height.dx}, z);
  rh_dual far = rh_dual3_norm(out);
  axis[2] = rh_dual3_scale((rh_dual){-1, 0}, rh_dual3_unit(out));
  axis[0] = z;
  axis[1] = rh_dual3_cross(axis[2], z);
  return (rh_dual){par[BORE] - far.x, -far.dx};
}

// From the centre to the point of contact, of unit length
static rh_dual3 down_to_contact(const rh_constraint_at *at, const double *par, rh_dual3 normal)
{
  rh_dual3 up = normal;
  if (!is_ball(par)) {
    rh_dual3 e = rh_dual3_unit(rh_constraint_direction(at, 0, par + AXIS));
    rh_dual tilt = rh_dual3_dot(normal, e);
    up = rh_dual3_unit(rh_dual3_more(normal, (rh_dual){-tilt.x, -tilt.dx}, e));
  }
  return rh_dual3_scale((rh_dual){-1, 0}, up);
}

static void wheel_rows(const rh_constraint_at *at, const double *par, rh_constraint_rows *row,
                       rh_constraint_rows *rate)
{
  static const double z[3] = {0, 0, 1};
  rh_dual3 axis[3]; // two tangents, the normal
  rh_dual height = surface_at(at, par, axis);
  rh_dual3 down = down_to_contact(at, par, axis[2]);
  rh_dual3 point = rh_dual3_more(rh_constraint_place(at, 0), (rh_dual){par[RADIUS], 0}, down);
  rh_dual3 from = rh_dual3_sub(point, rh_constraint_place(at, 1));
  rh_dual3 spin = rh_dual3_scale((rh_dual){par[RATE], 0}, rh_constraint_direction(at, 1, z));
  rh_dual3 moving = rh_dual3_cross(spin, from);
  rh_dual depth = rh_dual3_dot(down, axis[2]);
  rh_constraint_set_point(point, row, rate);
  for (int i = 0; i < 3; i++) {
    rh_constraint_set_push(i, axis[i], rh_dual3_dot(axis[i], moving), row, rate);
  }
  row->gap[2] = height.x + par[RADIUS] * depth.x;
}

extern const rh_constraint_kind rh_constraint_kind_rolling;

const rh_constraint_kind rh_constraint_kind_rolling = {
    .row = {.name = "rolling",
            .cite = "[NF] I.1",
            .doc = "a ball or a wheel rolls on a plane or in a bore without slip",
            .param = param,
            .nparam = RH_COUNT(param)},
    .nrow = 3,
    .bodies = true,
    .check = check_wheel,
    .count = count_rows,
    .rows = wheel_rows,
};
