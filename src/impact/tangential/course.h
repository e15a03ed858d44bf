// course.h: shared by the files of the course of an impact with a tangential spring. Everything is
// scaled: velocities by |u_n| before, W by W_nn, impulses and forces by |u_n| / W_nn, time as tau.
// Then u' = W f, f_n' = -kappa u_n, and while it sticks f_t' = -u_t / eta2.
#ifndef ROUTH_IMPACT_TANGENTIAL_COURSE_H
#define ROUTH_IMPACT_TANGENTIAL_COURSE_H

#include "tangential.h"

typedef enum rh_course_end { // of a part of a phase
  RH_COURSE_LIMIT,           // stick: the spring reaches the limit of friction
  RH_COURSE_HOLD,            // slip: the slider stops
  RH_COURSE_TURN,            // u_n = 0: compression ends, or begins again
  RH_COURSE_OVER,            // f_n = 0: the bodies separate
  RH_COURSE_LOST             // the part did not end within its limits
} rh_course_end;

typedef struct rh_course {
  int dim, n;             // n = dim - 1: index of the normal
  double W[9];            // (dim x dim), W_nn = 1
  double mu, e, eta2;
  double u0[3];           // before
  double kappa;           // 1 in compression, 1/e^2 in restitution
  bool compressing;
  double u[3], p[3], f[3];
  double tau;
  double peak;            // greatest f_n so far
  double way[2];          // slip: unit vector along the pull of the spring, d; in the plane (sigma, 0)
  double Wn;              // work of the normal impulse
  double taken, begun;    // work taken in by compression; f_n^2 / 2 at the start of this compression
  const rh_tangential_watch *watch;
  double unit_u, unit_p;  // [m/s], [N s] scales
} rh_course;

static inline double rh_course_dot(const double *a, const double *b, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

// u = u0 + W p.
void rh_course_velocity(const rh_course *c, const double p[3], double u[3]);
// Moves to a place of this part of a phase: f, p; u follows. Work follows from the change of f_n^2.
void rh_course_move(rh_course *c, double tau, const double f[3], const double p[3]);
// Reports a place between, where `at` is wanted.
void rh_course_sample(const rh_course *c, double tau, const double f[3], const double p[3]);

// The parts: each moves the course to its end.
// `fresh`: the slider has just stopped, or the impact starts; else a phase of stick goes on.
rh_course_end rh_course_stick(rh_course *c, bool fresh);
// Slip along way[0] = 1 or -1 in the plane, along `way` in space. `holds`: it ends where the slider
// stops; else the slider is at the point of stopping and of moving on, and rounding would repeat it.
rh_course_end rh_course_slip_line(rh_course *c, bool holds);
rh_course_end rh_course_slip_turn(rh_course *c, bool holds);

#endif
