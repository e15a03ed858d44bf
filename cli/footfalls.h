// footfalls.h: how the feet of a robot that walks met the ground, told of a run as it goes.
#ifndef ROUTH_CLI_FOOTFALLS_H
#define ROUTH_CLI_FOOTFALLS_H

#include <routh/sim.h>

struct rh_json;

typedef struct rh_footfall {
  double t;             // [s] of the first touch
  int foot;             // 0 left, 1 right
  int points;           // that touch when the foot stands
  double impulse;       // [N s] along the normal, of the landing
  double friction;      // [N s] and in the contact plane
  double lost;          // [J]
  double approach;      // [m/s] fastest of a point that meets the ground
  double apart;         // [m/s] with which that point, or the fastest behind it, leaves again
  double slip;          // [m/s] of the first point, when it meets the ground
  double cop[2];        // [m] of the landing's impulse, foot axes
  double mean[2];       // [m] of the force while the foot stood; sums until it is printed
  double carried;       // [N s] weight of that mean
  double v[3], w[3];    // [m/s], [rad/s] of the foot behind the first impact, or when the landing is over
  double at[2];         // [m] ahead and to the left of where it stood at the start
  double first;         // [J] lost in the first impact
  bool struck;          // v and w are those behind the first impact
  bool landing;         // it is not over yet
} rh_footfall;

typedef struct rh_footfalls {
  int foot[2], trunk;   // bodies; RH_NONE: nothing walks
  int memory;           // of the controller
  double fell;          // [s] 0: it has not
  long count, room;
  rh_footfall *fall;
  bool stood[2];        // it has touched before
  double off[2];        // [s] when it was last seen to touch
  double books;         // [J] dissipated in contacts when the landing began
  double last;          // [s] when forces were last looked at
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
