// course.h: the course of an impact at many points, in a time of its own (course.c, course_step.c).
#ifndef ROUTH_IMPACT_COURSE_H
#define ROUTH_IMPACT_COURSE_H

#include "impact/prox.h"

typedef struct rh_course_rule {
  bool springs; // normal impulse rates lam_i are those of springs; else in given proportions
  bool local;   // springs: each point gives back e_i^2 of its own work; else all together
  bool by_slip; // no springs: proportions s_i/mu_i, s_i the slip; else all alike
} rh_course_rule;

size_t rh_course_room(int n);
bool rh_course_run(const rh_many_in *in, const rh_course_rule *rule, double tolerance, double *room,
                   double *p, double *u_after, rh_many_out *out);

// Parameters of the rows that follow a course
#define RH_COURSE_PARAM                                                                            \
  {                                                                                                \
    .name = "impact_tolerance", .unit = "1", .def = 1e-6, .lo = 1e-12, .hi = 1e-2,                 \
    .doc = "error of one step along the impact, relative to the velocities"                        \
  }

// ---- What its two files share

enum { RH_COURSE_ORDER = 4 };

typedef struct rh_course {
  const rh_course_rule *rule;
  double tolerance;
  int n, r, size;      // points, rank, length of a state
  double *order;       // which point of the input comes i-th (n)
  double *W, *u0, *mu, *e;
  double *kappa;       // stiffness (n)
  double *split;       // who takes part, without springs (n)
  double *B, *sigma;   // see prox.h
  double *y;           // the state: z (r), lam (n), p (3n), W_n
  double *f;           // friction, a unit of time (3n)
  double *u;           // velocities of a state (3n)
  double *table, *ft;  // of a step: (ORDER x size), (3n)
  double *start, *radius, *p; // of a part of a step: (r), (n), (3n)
  double *room;
  double speed;        // [m/s] the largest: the measure of velocities
  double stiff;        // [1/kg^0.5] of z over impulses
  double rate;         // [1/s] of the springs: the measure of time
  bool smooth;         // there is no friction
  bool even;           // slip has ceased in this event: all alike from now on
  bool failed;         // friction was not found in the last step
} rh_course;

#define RH_COURSE_SLIP 1e-6 // of the velocities: is none

double rh_course_slip(const rh_course *c); // the largest of c->u, of those that take part
void rh_course_velocities(const rh_course *c, const double *y, double *u);
// The state after h, in c->table; the error, relative to what is allowed, is returned. c->y stays.
double rh_course_step(rh_course *c, double h);

#endif
