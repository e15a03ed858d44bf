// pulses.c: the time course of an impulse at the device: the rows, and their table. [CSC] II: force
// signals that "dissipate the same amount of energy as the computed impulses" may let users
// distinguish materials ([CSC] 26: Hwang, Williams and Niemeyer 2004). A row gives the duration, by
// the material and the collision, and the part of the impulse that is given up to a time, so that
// the shares of the ticks sum to one.
#include "base/table.h"
#include "step.h"

#include <math.h>

#define PI 3.14159265358979323846

static const rh_param duration_param[] = {
    {"duration", "s", 0.01, 1e-6, 10, "of the pulse", RH_NUMBER, 0, NULL, false},
};

static double given_duration(const rh_pulse_in *in)
{
  return in->par[0];
}

// ---- `flat`, `half-sine`, `triangle`: shapes of a given duration.

static double flat_part(const rh_pulse_in *in, double t, double T)
{
  (void)in;
  return t / T;
}

static const rh_haptic_pulse rh_haptic_pulse_flat = {
    .row = {"flat", "", "a constant force", duration_param, RH_COUNT(duration_param)},
    .duration = given_duration,
    .part = flat_part,
};

static double half_sine_part(const rh_pulse_in *in, double t, double T)
{
  (void)in;
  return 0.5 * (1 - rh_cos(PI * t / T));
}

static const rh_haptic_pulse rh_haptic_pulse_half_sine = {
    .row = {"half-sine", "", "half a sine: a linear spring", duration_param,
            RH_COUNT(duration_param)},
    .duration = given_duration,
    .part = half_sine_part,
};

static double triangle_part(const rh_pulse_in *in, double t, double T)
{
  double y = t / T;
  (void)in;
  return y < 0.5 ? 2 * y * y : 1 - 2 * (1 - y) * (1 - y);
}

static const rh_haptic_pulse rh_haptic_pulse_triangle = {
    .row = {"triangle", "", "rises and falls in straight lines", duration_param,
            RH_COUNT(duration_param)},
    .duration = given_duration,
    .part = triangle_part,
};

// ---- `hertz`: Elastic round bodies: the duration T = 2.943 (m^2/(k^2 v))^(1/5), k = 16/15 E* R^1/2 in
// F = 5/4 k d^3/2 (Hertz 1881; K. L. Johnson, Contact Mechanics, 11.24), 2.943 = 2 int_0^1 dx/(1 - x^5/2)^1/2; the
// course is near sin(pi t/T)^3/2, the indentation being near half a sine.

static const rh_param hertz_param[] = {
    {"modulus", "Pa", 1e7, 1, 1e15,
     "E* of the two materials: 1/E* = (1 - nu1^2)/E1 + (1 - nu2^2)/E2", RH_NUMBER, 0, NULL, false},
    {"tip", "m", 0.01, 1e-9, 1e6, "R of the two surfaces: 1/R = 1/R1 + 1/R2", RH_NUMBER, 0, NULL,
     false},
};

static double hertz_duration(const rh_pulse_in *in)
{
  double k = 16.0 / 15 * in->par[0] * sqrt(in->par[1]);
  return 2.943 * rh_pow(in->mass * in->mass / (k * k * in->speed), 0.2);
}

// The integral of sin(pi y)^3/2 by Simpson's rule; of no use beyond its proportions
static double hertz_part(const rh_pulse_in *in, double t, double T)
{
  enum { PANELS = 32 };

  double y = t / T;
  double sum = 0;
  (void)in;
  for (int i = 0; i <= PANELS; i++) {
    double weight = i == 0 || i == PANELS ? 1 : i % 2 ? 4 : 2;
    double sine = fmax(0, rh_sin(PI * y * i / PANELS));
    sum += weight * sine * sqrt(sine);
  }
  return sum * y / (3 * PANELS);
}

static const rh_haptic_pulse rh_haptic_pulse_hertz = {
    .row = {"hertz", "Hertz 1881", "elastic round bodies: stiff is short and hard", hertz_param,
            RH_COUNT(hertz_param)},
    .duration = hertz_duration,
    .part = hertz_part,
};

// ---- `ring`: A decaying vibration, exp(-decay t) sin(2 pi frequency t), as measured on taps by Okamura,
// Cutkosky and Dennerlein (2001): metal rings high and long, rubber low and short. The impulse, and
// so the amplitude, grows with the speed of the impact.

static const rh_param ring_param[] = {
    {"frequency", "1/s", 100, 1e-3, 1e6, "of the vibration, in cycles", RH_NUMBER, 0, NULL, false},
    {"decay", "1/s", 90, 1e-3, 1e9, "rate at which it dies out", RH_NUMBER, 0, NULL, false},
};

static double ring_duration(const rh_pulse_in *in)
{
  return 5 / in->par[1]; // 0.7 % are left
}

static double ring_part(const rh_pulse_in *in, double t, double T)
{
  double w = 2 * PI * in->par[0];
  double b = in->par[1];
  (void)T;
  return (w - rh_exp(-b * t) * (b * rh_sin(w * t) + w * rh_cos(w * t))) / (b * b + w * w);
}

static const rh_haptic_pulse rh_haptic_pulse_ring = {
    .row = {"ring", "Okamura et al. 2001", "a decaying vibration: metal, wood, rubber by its pitch",
            ring_param, RH_COUNT(ring_param)},
    .duration = ring_duration,
    .part = ring_part,
};

// ---- Shares of the ticks

// The first `n` ticks share it; what would come later comes in proportion.
int rh_haptic_pulse_shares(const rh_haptic_pulse *row, const rh_pulse_in *in, double T, double dt,
                           double share[RH_PULSE_MAX])
{
  int n = T > dt * (1 + 1e-9) ? (int)fmin(ceil(T / dt - 1e-9), RH_PULSE_MAX) : 1;
  double last = row->part(in, fmin(T, n * dt), T);
  double before = 0;
  for (int k = 0; k < n; k++) {
    double now = row->part(in, fmin(T, (k + 1) * dt), T);
    share[k] = (now - before) / last;
    before = now;
  }
  if (n == 1 || !(fabs(last) > 0)) {
    share[0] = 1;
    return 1;
  }
  return n;
}

// ---- The table, from pulses.def

static const rh_haptic_pulse *const table[] = {
#define RH_HAPTIC_PULSE(name) &rh_haptic_pulse_##name,
#include "pulses.def"
#undef RH_HAPTIC_PULSE
};

RH_ROW_TABLE(haptic_pulse)
