// Lankarani-Nikravesh: Hertz with a damping taken from a nominal restitution e at a nominal speed v,
// chi = 3 (1 - e^2) K / (4 v). It delivers e only where e is near 1 (nominal 0.5 gives 0.725); `fit` finds the nominal
// values that deliver the wanted e. Cited by [AF] sec. 1-2.
#include "parameters.h"

#include <math.h>

enum { K, N, RESTITUTION, SPEED };

static const rh_param param[] = {
    RH_PARAM_STIFFNESS("K", 8.5e6),
    {.name = "n", .unit = "1", .def = 1.5, .lo = 0.5, .hi = 10, .doc = "exponent: 3/2 is Hertz"},
    {.name = "e", .unit = "1", .def = 0.9, .lo = 0, .hi = 1, .doc = "nominal restitution"},
    {.name = "v",
     .unit = "m/s",
     .def = 1,
     .lo = 0,
     .hi = 1e12,
     .doc = "impact speed for which e holds",
     .open = true},
};

static void normal_force(const rh_normal_in *in, rh_normal_out *out)
{
  const double *p = in->par;
  out->spring = p[K] * rh_pow(in->depth, p[N]);
  double chi = 0.75 * (1 - p[RESTITUTION] * p[RESTITUTION]) / p[SPEED]; // over K
  out->damper = fmax(chi * out->spring * in->rate, -out->spring); // never reached in a free impact
  out->stored = out->spring * in->depth / (p[N] + 1);
}

extern const rh_normal_law rh_normal_law_hunt_crossley;

// It is Hunt-Crossley with alpha = (1 - e^2) / (2 v).
static bool fit_damping(double *par, double mass, double speed, double radius, double e)
{
  double alike[RH_PAR_MAX];
  rh_row_defaults(&rh_normal_law_hunt_crossley.row, alike);
  if (!rh_normal_law_hunt_crossley.fit(alike, mass, speed, radius, e)) {
    return false;
  }
  int alpha = rh_row_offset(&rh_normal_law_hunt_crossley.row,
                            rh_row_find(&rh_normal_law_hunt_crossley.row, "alpha"));
  double loss = 2 * alike[alpha] * speed; // 1 - e^2, if v is the speed
  par[RESTITUTION] = loss < 1 ? sqrt(1 - loss) : 0;
  par[SPEED] = loss < 1 ? speed : speed / loss;
  return true;
}

extern const rh_normal_law rh_normal_law_lankarani_nikravesh;

const rh_normal_law rh_normal_law_lankarani_nikravesh = {
    .row = {.name = "lankarani-nikravesh",
            .cite = "[AF] ref. Lankarani 1990",
            .doc = "Hertz, damped for a nominal restitution; reaches it only near 1",
            .param = param,
            .nparam = RH_COUNT(param)},
    .pulls = false,
    .continuous = true,
    .check = NULL,
    .force = normal_force,
    .fit = fit_damping,
};
