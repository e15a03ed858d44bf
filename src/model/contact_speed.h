// contact_speed.h: restitution and friction of a rigid contact as functions of a speed.
#ifndef ROUTH_MODEL_CONTACT_SPEED_H
#define ROUTH_MODEL_CONTACT_SPEED_H

#include <routh/model.h>

#include <math.h>

// Of a property that falls above the speed v0 [m/s]: min(1, (v / v0)^-power); v0 = 0: 1.
static inline double rh_speed_part(double speed, double v0, double power)
{
  return v0 > 0 && speed > v0 ? rh_pow(speed / v0, -power) : 1;
}

// A table v1, x1, v2, x2, ... at a speed: linear between its points and constant outside.
static inline double rh_speed_table(const rh_list *table, double speed)
{
  const double *t = table->x;
  int n = table->n;
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

// Restitution at the normal speed of an impact [m/s]: e min(1, (v / v0)^(-1/4)) (Johnson 1985,
// plastic contact), or a table; else e.
static inline double rh_contact_restitution(const rh_model_contact *c, double speed)
{
  return c->e_table.n > 0 ? rh_speed_table(&c->e_table, speed)
                          : c->e * rh_speed_part(speed, c->e_speed, 0.25);
}

// Friction of an impact at the normal speed [m/s]: mu min(1, (v / v0)^-p), or a table; else mu, at
// rest (`sticks`) or in motion.
static inline double rh_contact_impact_friction(const rh_model_contact *c, double speed, bool sticks)
{
  return c->mu_impact_table.n > 0 ? rh_speed_table(&c->mu_impact_table, speed)
                                  : c->mu_impact[sticks ? 0 : 1] *
                                        rh_speed_part(speed, c->mu_impact_speed, c->mu_impact_power);
}

// Friction of a contact that slips with this speed [m/s]: mu_k, or Stribeck's mu_k + (mu_s - mu_k)
// exp(-(v / v_stribeck)^2).
static inline double rh_contact_sliding(const rh_model_contact *c, double speed)
{
  double part = c->v_stribeck > 0 ? speed / c->v_stribeck : 0;
  return c->v_stribeck > 0 ? c->mu_k + (c->mu_s - c->mu_k) * rh_exp(-part * part) : c->mu_k;
}

#endif
