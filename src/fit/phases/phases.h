// phases.h: what trials say by their parts: states of a body beside an impact by the flights around it, single impacts, their
// momentum balance, jumps of the contact velocity, and windows in which it slides. No law of contact is integrated.
#ifndef ROUTH_FIT_PHASES_PHASES_H
#define ROUTH_FIT_PHASES_PHASES_H

#include "fit/fit_belief.h"

enum {
  RH_FIT_ARC_LEAST = 4, // rows of a flight that gives velocities
  RH_FIT_BODY = 6,      // values of a body that flights depend on: centre of mass, moments of inertia about the origin
  RH_FIT_ARC_MOST = 24, // and of which the nearest to the impact count
};

// ---- touch.c: where a body touches what does not move
typedef struct rh_fit_touch {
  int rule;        // contact of the model
  double gap;      // [m] of the nearest point; < 0: overlap
  double next;     // [m] gap of the nearest point but that one
  rh_vec3 point, n; // [m] world; into the body
  rh_vec3 centre;  // of all points within the margin above the nearest one, and
  int n_near;      // their number
} rh_fit_touch;

// A place and an attitude are given to the body on a free joint, [kinematics] follows.
void rh_fit_pose(rh_data *d, int body, rh_vec3 p, rh_quat q);
// False: nothing is near.
bool rh_fit_find_touch(const rh_data *d, int body, double margin, rh_fit_touch *touch);

// ---- arcs.c: rows of a body in flight, and its state by them
typedef struct rh_fit_rows { // a body in all rows of the data
  const rh_fit_data *data;
  int body, turn;        // of the model; number of its joint in the map
  double *gap;           // [m] (nrow); NaN: no pose
  rh_vec3 *p;            // place of the origin, world (nrow)
  rh_quat *q;            // attitude (nrow)
  double margin;         // [m] a gap below it is none
  double reach;          // [m] of its shapes
  rh_vec3 g, com;        // [m/s^2], [m] in flight: by the flights alone if they say it, else of the scene
  rh_inertia inertia;    // of the scene, body axes
  double noise[2];       // [m], [rad] of place and attitude, by the arcs
} rh_fit_rows;

typedef struct rh_fit_arc { // a flight about the time t0
  double t0, from, to;      // [s]
  rh_vec3 p, v, w;          // centre of mass, its velocity, angular velocity: world axes, at t0
  rh_quat q;
  double cov[2][3];         // of place and slope, of turn and rate, over the noise squared: aa, ab, bb
  double square[2];         // squares of the residuals [m^2], [rad^2]
  int first, rows;
} rh_fit_arc;

typedef struct rh_fit_state { // of a body at a time
  rh_vec3 p;                  // origin
  rh_quat q;
  double z[6];                // velocity of the origin, angular velocity; world axes
  double C[36];               // covariance of z
  double spread[2];           // [m], [rad] deviations of place and attitude
  double with_rate;           // [rad^2/s] covariance of a turn with the angular velocity about the same axis
} rh_fit_state;

rh_status rh_fit_rows_open(const rh_fit_work *work, const rh_fit_world *world, int turn, rh_fit_rows *rows);
// Poses and gaps, with the shapes of a world
rh_status rh_fit_rows_read(const rh_fit_work *work, const rh_fit_world *world, rh_fit_rows *rows);
void rh_fit_rows_close(rh_fit_rows *rows);
// Rows [first, first + n) are in flight; t0 is one of their times. False: they give no state.
bool rh_fit_arc_of(const rh_fit_rows *rows, int first, int n, double t0, rh_fit_arc *arc);
void rh_fit_arc_at(const rh_fit_rows *rows, const rh_fit_arc *arc, double t, rh_fit_state *state);

static inline void rh_fit_body_numbers(const rh_inertia *inertia, rh_vec3 com, double x[RH_FIT_BODY])
{
  const double y[RH_FIT_BODY] = {com.x, com.y, com.z, inertia->I.xx, inertia->I.yy, inertia->I.zz};
  for (int i = 0; i < RH_FIT_BODY; i++) {
    x[i] = y[i];
  }
}

// ---- knocks.c: impacts that stand alone
typedef struct rh_fit_knock {
  int trial, row;         // the last row before it
  double t;               // [s]
  rh_vec3 p;              // pose in it
  rh_quat q;
  double before[6], after[6]; // velocity of the origin, angular velocity
  double Cb[36], Ca[36];  // their covariances
  // [rad^2] variance of the attitude about each axis; [rad^2/s] its covariance with the angular velocity before and after
  double turn, with_rate[2];
  // (12 x 6) how they depend on the values of the body by which the flights were evaluated, and these; zero: they were measured
  double by_body[12][RH_FIT_BODY], body[RH_FIT_BODY];
  bool odd;               // it does not obey the momentum balance
  double off;             // [1] how far it is off that
} rh_fit_knock;

typedef struct rh_fit_knocks {
  int n, room, crowded; // crowded: impacts that are not single, or not at one point
  bool by_rows;         // velocities are those of rows, not of flights
  rh_fit_knock *at;
} rh_fit_knocks;

rh_status rh_fit_find_knocks(const rh_fit_work *work, const rh_fit_world *world, rh_fit_rows *rows,
                             rh_fit_knocks *knocks);

// ---- balance.c: the momentum balance of the impacts
// Terms of the balance A (dv, dw) = 0 (A: 3 x 6 row major) with the contact of the body at the pose of an impact: the moment
// about the origin is that of the impulse at the point r from it.
typedef struct rh_fit_terms {
  rh_fit_touch touch;
  double A[18];
  double P[18]; // impulse = P (dv, dw)
  rh_vec3 r;
  double before[6], after[6]; // velocities, with the body of the world
  double D[9];                // how the moment that is left, A (dv, dw), changes with the attitude, world axes
} rh_fit_terms;

bool rh_fit_terms_of(rh_data *d, int body, const rh_fit_knock *knock, rh_fit_terms *terms);
// x = A (dv, dw), and its covariance, factored. False: singular.
bool rh_fit_weigh(const rh_fit_terms *terms, const rh_fit_knock *knock, double L[9], double x[3]);
typedef struct rh_fit_found_body { // what the balance determines: values at w, with the axes of their errors, one deviation long
  int n;
  rh_fit_value value[RH_FIT_MEASURES];
  double w[RH_FIT_MEASURES], axis[RH_FIT_MEASURES * RH_FIT_MEASURES]; // axis (n x n), column a is one
} rh_fit_found_body;

rh_status rh_fit_balance(rh_fit_work *work, const rh_fit_rows *rows, rh_fit_knocks *knocks, rh_fit_impacts *out,
                         rh_fit_found_body *found);
// The world of the values moved by one deviation along an axis (RH_NONE: not moved)
rh_status rh_fit_body_world(const rh_fit_work *work, const rh_fit_found_body *found, int axis, rh_fit_world *world);

// ---- jumps.c, trends.c
typedef struct rh_fit_jump { // of the contact velocity in an impact
  int rule;
  double speed;           // [m/s] of approach
  double slip[2], after[2]; // [m/s] along the slip before, and across it; after it
  double e, mu;           // ratio of normal velocities, of impulses
  double e_deviation, mu_deviation, slip_deviation; // slip_deviation [m/s] of the slip after
  rh_fit_stick kind;
  rh_vec3 point, n;       // [m] of contact, its normal
  double W[9], u[3], end[3]; // rows t1, t2, n: for the law
  double Cu[9], Cend[9], Cross[9]; // covariances of u, of end, of both
} rh_fit_jump;

rh_status rh_fit_find_jumps(const rh_fit_world *best, const rh_fit_rows *rows, const rh_fit_knocks *knocks,
                            rh_fit_impacts *out);
void rh_fit_mean(const double *x, const double *deviation, int n, rh_fit_measure *mean);
bool rh_fit_slides_straight(const rh_fit_jump *jump); // its direction does not change: p_t / p_n is the friction
void rh_fit_find_trends(const rh_fit_jump *jump, int n, rh_fit_jumps *out);
// `scaled`: the errors are known up to a factor only.
rh_status rh_fit_law_of_jumps(const rh_model_contact *contact, const rh_fit_jump *jump, int n, bool scaled,
                              rh_fit_jumps *out);

// ---- slides.c
rh_status rh_fit_find_slides(const rh_fit_world *world, const rh_fit_rows *rows, rh_fit_slides *out);

#endif
