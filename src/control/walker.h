// walker.h: memory and parts of the row `walk`: control_walk.c decides, walker_feet.c plans the
// feet, walker_com.c the centre of mass. Plans are in ground axes: x ahead, y to the left, z along
// the ground's normal, the world's origin; G turns them into world axes.
#ifndef ROUTH_CONTROL_WALKER_H
#define ROUTH_CONTROL_WALKER_H

#include "control.h"

enum { RH_SOLE_MAX = RH_SUPPORT_MAX / 2, RH_STEPS_MAX = 400 };

typedef enum rh_foot_mode { // basis of all decisions, never the present contacts
  RH_FOOT_STANDS,
  RH_FOOT_SWINGS,
  RH_FOOT_LANDS, // it goes down until most of its sole touches the ground
} rh_foot_mode;

typedef struct rh_walker_foot { // doubles: part of the restart state
  double mode;
  double home[3];  // [m] origin of the foot at the start, ground axes
  double sole[3];  // [m] from there to the middle of the sole
  double turn[9];  // attitude at the start, world
  double from[3];  // [m] origin when it last left the ground, ground axes
  double stand[3]; // [m] origin of the standing foot
  double points;   // number of known sole points
  double point[RH_SOLE_MAX][4]; // feature, place in body axes [m]
} rh_walker_foot;

typedef struct rh_walker {
  double started; // 1: both feet have touched the ground, the rest is valid
  double since;   // [s] time of that
  double fell;    // [s] time of the fall; 0: no fall
  double G[9];
  double com[3];    // [m] centre of mass at the start, ground axes
  double trunk[9];  // attitude at the start, world
  double offset[2]; // [m] shift of the next steps
  rh_walker_foot foot[2];
} rh_walker;

enum { RH_WALKER_SIZE = (int)(sizeof(rh_walker) / sizeof(double)) };

enum { // parameters of the row
  RH_WALK_STRIDE,
  RH_WALK_STEPS,
  RH_WALK_SWING,
  RH_WALK_SHIFT,
  RH_WALK_HEIGHT,
  RH_WALK_STAND,
  RH_WALK_KP,
  RH_WALK_CAPTURE,
  RH_WALK_ADJUST,
  RH_WALK_POSTURE,
  RH_WALK_MU,
  RH_WALK_LEAST,
  RH_WALK_TURN,
};

typedef struct rh_pace { // one decision
  const rh_control *c;
  rh_walker *w;
  rh_mat3 G;
  rh_walk walk;
  double t;       // [s] since the first shift began
  double cycle;   // [s] shift and swing
  int step;       // present step, or number of completed steps
  double into;    // [s] since its swing began; < 0: weight shift
  double omega;   // [1/s] of the pendulum
  double *place;  // of the ZMP, scratch (2 (RH_STEPS_MAX + 2))
} rh_pace;

int rh_pace_foot(const rh_control *c, int foot); // body

// ---- Feet (walker_feet.c)

// Counts the touching points of each foot, and adds new ones.
void rh_feet_meet(rh_walker *w, const rh_control *c, const rh_support *support, const rh_footing *footing, int touch[2]);
void rh_feet_decide(const rh_data *d, const rh_pace *p, const int touch[2]);
// Removes unused points from the support, and sets the minimum loads of the rest.
void rh_feet_support(const rh_data *d, const rh_pace *p, rh_support *support, rh_footing *footing);
int rh_feet_tasks(const rh_data *d, const rh_pace *p, const rh_support *support, const rh_footing *footing, rh_task *task);
// Origin of a foot, ground axes, after `before` steps, by the plan alone
rh_vec3 rh_feet_planned(const rh_pace *p, int foot, int before);
// Heading of a foot, [rad] from that of the start
rh_way rh_feet_heading(const rh_pace *p, int foot);
// Turns the wanted attitude of a task about the ground's normal.
void rh_pace_turn(const rh_pace *p, rh_way heading, rh_task *task);
// Middle of the sole, ground axes, after `before` steps
rh_vec3 rh_feet_sole(const rh_pace *p, int foot, int before);
// [m] height of the standing feet above that at the start
double rh_feet_ground(const rh_data *d, const rh_pace *p);

// ---- Centre of mass (walker_com.c)

rh_task rh_com_task(const rh_data *d, const rh_pace *p);

#endif
