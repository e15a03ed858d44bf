// tendons.h: what the files of this folder share.
#ifndef ROUTH_MULTIBODY_TENDONS_TENDONS_H
#define ROUTH_MULTIBODY_TENDONS_TENDONS_H

#include "multibody/multibody.h"

typedef struct rh_wrap_round { // what a path is wrapped about, world axes
  bool sphere;                 // else a cylinder about the third axis, without ends
  rh_xform frame;
  double radius;
  bool has_side;
  rh_vec3 side; // the path passes on this side; within the radius: it passes inside
} rh_wrap_round;

typedef struct rh_wrap_result {
  rh_vec3 at[2]; // [m] where the path meets the surface, and leaves it
  double length; // [m] between these
} rh_wrap_result;

// The path from x to y. False: it is straight.
bool rh_wrap_path(const rh_wrap_round *o, rh_vec3 x, rh_vec3 y, rh_wrap_result *result);

// Where a part of a path is, and what it is wrapped about. [kinematics]
rh_vec3 rh_tendon_point(const rh_data *d, const rh_model_tendon_part *part);
rh_wrap_round rh_tendon_round(const rh_data *d, const rh_model_tendon_part *part);

#endif
