// footfalls.h: contacts of a walking robot's feet with the ground, recorded during a run.
#ifndef ROUTH_EXPLORE_FOOTFALLS_H
#define ROUTH_EXPLORE_FOOTFALLS_H

#include <routh/sim.h>

struct rh_json;

typedef struct rh_footfall {
  double t;             // [s] of the first touch
  int foot;             // number of the foot; row walk: 0 left, 1 right
  int points;           // touching points of the standing foot
  double impulse;       // [N s] along the normal, of the landing
  double friction;      // [N s] and in the contact plane
  double lost;          // [J]
  double approach;      // [m/s] maximum approach of a point to the ground
  double apart;         // [m/s] separation of that point, or of the fastest after it
  double slip;          // [m/s] of the first point, at its touch
  double cop[2];        // [m] of the landing's impulse, foot axes
  double mean[2];       // [m] of the force while the foot stood; sums until it is printed
  double carried;       // [N s] weight of that mean
  double v[3], w[3];    // [m/s], [rad/s] of the foot after the first impact, or after landing
  double at[2];         // [m] ahead and to the left of its place at the start
  double first;         // [J] lost in the first impact
  bool struck;          // v and w are those after the first impact
  bool landing;         // it is not over yet
} rh_footfall;

typedef struct rh_footfalls {
  int nfoot;            // 0: no walking robot
  int foot[RH_FEET_MAX]; // bodies
  char name[RH_FEET_MAX][RH_NAME_MAX]; // left, right; row legs: of the bodies
  bool legs;            // row legs
  int memory;           // of the controller
  double fell;          // [s] 0: no fall
  long count, room;
  rh_footfall *fall;
  bool stood[RH_FEET_MAX]; // it has touched before
  double off[RH_FEET_MAX]; // [s] time of its last touch
  double dissipated;    // [J] dissipated in contacts up to the start of the landing
  double last;          // [s] time of the last force sample
} rh_footfalls;

void rh_footfalls_begin(rh_footfalls *f, const rh_model *m);
rh_status rh_footfalls_event(rh_footfalls *f, const rh_sim *sim, const rh_event *event);
void rh_footfalls_look(rh_footfalls *f, const rh_sim *sim); // between steps
void rh_footfalls_print(const rh_footfalls *f);
void rh_footfalls_json(const rh_footfalls *f, struct rh_json *json);
void rh_footfalls_end(rh_footfalls *f);
// footfalls_keep.c: as a text (rh_free; NULL: out of memory), and back after rh_footfalls_begin, if it is of that frame
char *rh_footfalls_write(const rh_footfalls *f, long frame);
rh_status rh_footfalls_read(rh_footfalls *f, const char *text, long frame);

#endif
