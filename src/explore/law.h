// law.h: a law by itself: with its parameters in force, its free impacts, friction to and fro, and
// their picture.
#ifndef ROUTH_EXPLORE_LAW_H
#define ROUTH_EXPLORE_LAW_H

#include "console/console.h"
#include "laws/free_impact.h"

#define RH_LAW_SPEEDS 200 // rows of the table
#define RH_LAW_LOOP   241 // points of a loop of force against depth
#define RH_LAW_SLIP   501 // points of the curve of friction against displacement

typedef struct rh_law_values { // the parameters of one row, in force
  const rh_row *row;
  double par[RH_PAR_MAX];
  const char *from[RH_PAR_MAX]; // origin of each: "default", "-s", "--e", "--mu" (row->nparam)
} rh_law_values;

typedef struct rh_law_shot { // one free impact
  rh_impact1_out out;
  double *depth, *force, *time; // the loop (RH_LAW_LOOP); NULL: not needed
} rh_law_shot;

typedef struct rh_law_slip { // slow motion to and fro under a constant normal force
  double normal;             // [N] normal force: the weight of the mass
  double depth;              // [m] at which the normal law carries it
  double amplitude;          // [m] of the motion
  double speed;              // [m/s] maximum speed of the motion
  double breakaway;          // [m] displacement of the first slip; NaN: at once
  double peak;               // [N] maximum friction
  double lost;               // [J] by friction in one full turn to and fro
  double x[RH_LAW_SLIP];     // [m] displacement
  double f[RH_LAW_SLIP];     // [N] friction, positive against a motion forwards
} rh_law_slip;

typedef struct rh_law_measured rh_law_measured; // measured points, and the parameters that fit them

typedef struct rh_law_job {
  const rh_request *request;
  const rh_normal_law *law;
  const rh_friction_law *friction; // NULL: none requested
  rh_law_values normal, tangential;
  double mass, radius;
  double speed[RH_LAW_SPEEDS];
  int nspeed;
  double wanted, wanted_at;  // restitution to fit, at which speed; NaN: no fit
  double before[RH_PAR_MAX]; // parameters before the fit
  rh_law_shot shot[RH_LAW_SPEEDS];
  rh_law_slip *slip;  // NULL: no friction law
  const char *output; // picture; NULL: none
  rh_law_measured *measured; // NULL: no fit to measurements
} rh_law_job;

// ---- Parameters (law_values.c)

void rh_law_values_start(rh_law_values *values, const rh_row *row);
// Sets parameter `index` to a value as text; reports errors to diag, with the place `who`.
bool rh_law_values_give(rh_law_values *values, int index, const char *text, const char *who,
                        rh_diag *diag);
rh_status rh_law_values_print(const rh_law_values *values, bool color);
void rh_law_values_json(rh_json *json, const char *key, const rh_law_values *values);
// A parameter's value in words: "10000", "kept".
void rh_law_value_text(const rh_law_values *values, int index, char *buffer, size_t size);
// "N/m", or "" for a plain number.
const char *rh_law_unit(const rh_param *param);

// "k=1e6": the law's own parameter, else that of the friction law; "law.k" and "friction.k" are
// unambiguous. `late`: only those whose unit depends on others, else only the others.
void rh_law_set(rh_law_job *job, const char *word, bool late, rh_diag *diag);
// Sets all coefficients of friction: mu, or mu_s at rest and mu_k in motion.
void rh_law_set_mu(rh_law_job *job, const char *mu, rh_diag *diag);
void rh_law_check(const rh_law_job *job, rh_diag *diag); // the laws' own checks of their parameters

// ---- Measured points (law_measured.c)

// Reads depth, rate and force from a CSV file and fits the parameters that were not given.
rh_status rh_law_measure(rh_law_job *job, const char *file, rh_diag *diag);
rh_status rh_law_measured_print(const rh_law_measured *m, bool color);
void rh_law_measured_json(rh_json *json, const rh_law_measured *m);
void rh_law_measured_free(rh_law_measured *m);
// May the force be negative with these parameters?
bool rh_law_may_pull(const rh_normal_law *law, const double *par);

// ---- Answers (law_shot.c, law_slip.c)

// Sets the law's damping for the restitution wanted, if one is.
rh_status rh_law_fit(rh_law_job *job);
// One free impact at a speed, with its loop if `shot` has memory for it.
rh_status rh_law_shoot(const rh_law_job *job, double speed, rh_law_shot *shot);
bool rh_law_shot_room(rh_law_shot *shot); // allocates a loop; false: out of memory
void rh_law_shot_free(rh_law_shot *shot);
rh_status rh_law_rub(const rh_law_job *job, rh_law_slip *slip);

// ---- Picture (law_draw.c)

rh_status rh_law_draw(const rh_law_job *job);

// ---- Printing (law_print.c): for people, and as JSON

rh_status rh_law_print(const rh_law_job *job, bool color);
rh_status rh_law_print_json(const rh_law_job *job);

#endif
