// contact_speed.h: restitution and friction of a rigid contact as functions of a speed.
#ifndef ROUTH_MODEL_CONTACT_SPEED_H
#define ROUTH_MODEL_CONTACT_SPEED_H

#include <routh/model.h>

#include <math.h>

// Restitution at the normal speed of an impact [m/s]: e min(1, (v / v0)^(-1/4)) (Johnson 1985,
// plastic contact), or a table, linear between its points and constant outside; else e.
static inline double rh_contact_restitution(const rh_model_contact *c, double speed)
{
  const double *t = c->e_table.x;
  int n = c->e_table.n;
  double power = c->e_speed > 0 && speed > c->e_speed ? pow(speed / c->e_speed, -0.25) : 1;
  if (n == 0) {
    return c->e * power;
  }
  int k = 2;
  while (k < n && t[k] < speed) {
    k += 2;
  }
  if (k >= n || speed <= t[0]) {
    return speed <= t[0] ? t[1] : t[n - 1];
  }
  double part = (speed - t[k - 2]) / (t[k] - t[k - 2]);
  return t[k - 1] + part * (t[k + 1] - t[k - 1]);
}

// Friction of a contact that slips with this speed [m/s]: mu_k, or Stribeck's mu_k + (mu_s - mu_k)
// exp(-(v / v_stribeck)^2).
static inline double rh_contact_sliding(const rh_model_contact *c, double speed)
{
  double part = c->v_stribeck > 0 ? speed / c->v_stribeck : 0;
  return c->v_stribeck > 0 ? c->mu_k + (c->mu_s - c->mu_k) * exp(-part * part) : c->mu_k;
}

#endif
