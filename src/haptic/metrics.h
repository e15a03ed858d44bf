// metrics.h: measures of a haptic run, from its states tick by tick ([CSC] section VI): depth of
// the hand and the tool, number of times the hand left a touched shape, time of rest, maximum
// force, distance from another run. The hand is the device, or the tool where there is none, with
// the tool's shapes.
#ifndef ROUTH_HAPTIC_METRICS_H
#define ROUTH_HAPTIC_METRICS_H

#include <routh/sim.h>

typedef struct rh_metrics_opt {
  rh_vec3 goal;     // [m] rest position of the hand
  rh_mat3 goal_R;   // and its attitude there
  double near;      // [m] it is there, if nearer,
  double turned;    // [rad] and turned by less
  double left;      // [m] a shape that was touched is left when it is farther
  double window;    // [s] averaging time of forces: those given to a device at that rate; 0: a tick
} rh_metrics_opt;

rh_metrics_opt rh_metrics_default(void); // goal at the origin, 0.5 mm, 0.01 rad, 1e-5 m, a tick

typedef struct rh_metrics_result {
  double pen_hand, pen_tool;     // [m] deepest overlap
  int bounces;                   // number of times that a touched shape was left
  // [s] last time outside of goal: position, attitude, either; 0: never
  double t_pos, t_ang, t_settle;
  double peak[6];                // [N, N m] maximum |wrench| on the device, by component
  double returned;               // [J] see rh_haptic_now
  // transparency: force on the device per force of the contacts at the grip, by least squares over
  // all ticks in contact; and the rms of their difference over the rms of the latter. 0: no contact
  double felt, felt_error;
  double collisions, pulled;
} rh_metrics_result;

typedef struct rh_metrics rh_metrics;

rh_status rh_metrics_create(const rh_model *m, const rh_metrics_opt *opt,
                            rh_metrics **metrics) RH_CHECK_RESULT;
void rh_metrics_destroy(rh_metrics *metrics); // NULL is allowed
// Adds the state after a tick; kinematics are recomputed.
void rh_metrics_add(rh_metrics *metrics, rh_data *d);
rh_metrics_result rh_metrics_read(const rh_metrics *metrics);

// [m^2] mean square distance of the corners of the tool's bounds between two states of a scene, at
// the hand's place. [kinematics]
double rh_metrics_distance2(const rh_data *d, const rh_data *other);

#endif
