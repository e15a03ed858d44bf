// course_place.c: a place on the course of an impact with a tangential spring: velocities, work, samples.
#include "course.h"

#include <math.h>
#include <string.h>

void rh_course_velocity(const rh_course *c, const double p[3], double u[3])
{
  for (int i = 0; i < c->dim; i++) {
    u[i] = c->u0[i] + rh_course_dot(c->W + (size_t)(i * c->dim), p, c->dim);
  }
}

void rh_course_move(rh_course *c, double tau, const double f[3], const double p[3])
{
  c->Wn += 0.5 * (c->f[c->n] * c->f[c->n] - f[c->n] * f[c->n]) / c->kappa;
  memcpy(c->f, f, sizeof c->f);
  memcpy(c->p, p, sizeof c->p);
  rh_course_velocity(c, p, c->u);
  c->tau = tau;
  c->peak = fmax(c->peak, f[c->n]);
}

void rh_course_sample(const rh_course *c, double tau, const double f[3], const double p[3])
{
  rh_tangential_at at = {.tau = tau};
  double unit = c->unit_u * c->unit_p;
  double total = 0;
  double u[3] = {0};
  rh_course_velocity(c, p, u);
  for (int i = 0; i < c->dim; i++) {
    at.p[i] = c->unit_p * p[i];
    at.u[i] = c->unit_u * u[i];
    total += 0.5 * p[i] * (c->u0[i] + u[i]);
  }
  double Wn = c->Wn + 0.5 * (c->f[c->n] * c->f[c->n] - f[c->n] * f[c->n]) / c->kappa;
  at.Wn = unit * Wn;
  at.Wt = unit * (total - Wn);
  c->watch->at(c->watch->user, &at);
}
