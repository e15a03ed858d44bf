// legs.h: memory and parts of the row `legs`: control_legs.c goes through the stages of [Ch] ch. 4,
// legs_plan.c has the first of them. Plans are in ground axes: x ahead, y to the left, z along the
// ground's normal, the world's origin; G turns them into world axes.
#ifndef ROUTH_CONTROL_LEGS_H
#define ROUTH_CONTROL_LEGS_H

#include "control.h"

typedef enum rh_leg_mode {
  RH_LEG_STANDS,
  RH_LEG_SWINGS,
  RH_LEG_LANDS, // its swing is over and it goes down until it touches
} rh_leg_mode;

typedef struct rh_leg { // doubles: part of the restart state
  double mode;
  double flat;     // 1: its sole has three points or more, and is kept flat
  double at[3];    // [m] centre of the shape that touches, body axes
  double home[3];  // [m] that centre at the start, ground axes
  double turn[9];  // attitude at the start, world
  double from[3];  // [m] where it left the ground
  double stand[3]; // [m] where it was put down
} rh_leg;

typedef struct rh_legs {
  double started; // 1: all feet have touched the ground, the rest is valid
  double since;   // [s] time of that
  double fell;    // [s] time of the fall; 0: no fall
  double G[9];
  double com[3];   // [m] centre of mass at the start, ground axes
  double trunk[9]; // attitude at the start, world
  rh_leg leg[RH_FEET_MAX];
} rh_legs;

enum { RH_LEGS_SIZE = (int)(sizeof(rh_legs) / sizeof(double)) };

enum { // parameters of the row
  RH_LEGS_GAIT,
  RH_LEGS_STRIDE,
  RH_LEGS_TURN,
  RH_LEGS_CYCLES,
  RH_LEGS_CYCLE,
  RH_LEGS_DUTY,
  RH_LEGS_HEIGHT,
  RH_LEGS_STAND,
  RH_LEGS_KP,
  RH_LEGS_DAMPING,
  RH_LEGS_MU,
  RH_LEGS_LEAST,
};

typedef struct rh_legs_now { // one decision
  const rh_control *c;
  rh_legs *w;
  rh_mat3 G;
  rh_gait gait;
  rh_gait_at at;
  double t;                // [s] since the gait began
  bool touch[RH_FEET_MAX]; // a point of the foot touches
} rh_legs_now;

// Number of tasks of a robot with n feet
enum { RH_LEGS_TASKS = 2 + 2 * RH_FEET_MAX };

// Has the gait of the parameters a table for so many feet?
bool rh_legs_known(const double *par, int feet);
// Stores the start. [kinematics]
void rh_legs_begin(const rh_data *d, const rh_control *c, const rh_footing *footing);
// The plan at the present time; the modes of the legs follow it. [kinematics]
rh_legs_now rh_legs_plan(const rh_data *d, const rh_control *c, const bool touch[RH_FEET_MAX]);
// Tasks of the centre of mass, the trunk and the feet; returns their number.
int rh_legs_tasks(const rh_data *d, const rh_legs_now *now, rh_task *task);
// Turns and moves a place of the start (ground axes) as the body by the plan.
rh_vec3 rh_legs_moved(const rh_legs_now *now, rh_foothold to, rh_vec3 from);
// Rotation about the ground's normal, world axes
rh_mat3 rh_legs_turned(const rh_legs_now *now, double heading);

#endif
