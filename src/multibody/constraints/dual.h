// dual.h: numbers and vectors with their rates: what is computed with them is differentiated along
// the motion as it is evaluated, without a second formula.
#ifndef ROUTH_MULTIBODY_CONSTRAINTS_DUAL_H
#define ROUTH_MULTIBODY_CONSTRAINTS_DUAL_H

#include <routh/math.h>

#include <math.h>

typedef struct rh_dual { // a number and its rate
  double x, dx;
} rh_dual;

typedef struct rh_dual3 {
  rh_vec3 x, dx;
} rh_dual3;

// A vector that turns with a frame of angular velocity w
static inline rh_dual3 rh_dual3_fixed(rh_vec3 x, rh_vec3 w)
{
  return (rh_dual3){x, rh_cross(w, x)};
}

static inline rh_dual3 rh_dual3_sub(rh_dual3 a, rh_dual3 b)
{
  return (rh_dual3){rh_sub(a.x, b.x), rh_sub(a.dx, b.dx)};
}

static inline rh_dual3 rh_dual3_cross(rh_dual3 a, rh_dual3 b)
{
  return (rh_dual3){rh_cross(a.x, b.x), rh_add(rh_cross(a.dx, b.x), rh_cross(a.x, b.dx))};
}

static inline rh_dual rh_dual3_dot(rh_dual3 a, rh_dual3 b)
{
  return (rh_dual){rh_dot(a.x, b.x), rh_dot(a.dx, b.x) + rh_dot(a.x, b.dx)};
}

static inline rh_dual3 rh_dual3_scale(rh_dual s, rh_dual3 a)
{
  return (rh_dual3){rh_scale(s.x, a.x), rh_add(rh_scale(s.dx, a.x), rh_scale(s.x, a.dx))};
}

// a + s b
static inline rh_dual3 rh_dual3_more(rh_dual3 a, rh_dual s, rh_dual3 b)
{
  rh_dual3 y = rh_dual3_scale(s, b);
  return (rh_dual3){rh_add(a.x, y.x), rh_add(a.dx, y.dx)};
}

static inline rh_dual rh_dual3_norm(rh_dual3 a)
{
  double size = rh_norm(a.x);
  return (rh_dual){size, rh_dot(a.x, a.dx) / size};
}

// Of unit length; not finite for the zero vector
static inline rh_dual3 rh_dual3_unit(rh_dual3 a)
{
  rh_dual size = rh_dual3_norm(a);
  return rh_dual3_scale((rh_dual){1 / size.x, -size.dx / (size.x * size.x)}, a);
}

#endif
