// Friction of elastic spheres that remembers: a tangential spring of the stiffness k = 8 G* sqrt(r z)
// (Mindlin and Deresiewicz 1953) in series with a slider at mu times the normal force. `history`
// states how the force follows a change of stiffness: see mindlin.h. The state is the stretch xi of
// the spring (`spring`), or the force itself (`force`, `rescale`); it is h below.
//
// At the limit the force is the limit, and the state returns to it at the rate
//   sharpness (|z'| + |slip|) / (z + 1e-6 r):
// a part 1 / sharpness of the motion late, at any speed and size. At rest nothing creeps.
#include "laws/parameters.h"
#include "mindlin.h"

#include <routh/kind.h>

enum { MU, GSTAR, HISTORY, SHARPNESS };

static const rh_param param[] = {
    RH_PARAM_MU,
    {.name = "Gstar",
     .unit = "Pa",
     .def = 0,
     .lo = 0,
     .hi = 1e18,
     .doc = "shear modulus of the pair, 1/G* = sum (2 - nu)/G; 0: from E, nu, E2, nu2 of the "
            "normal law"},
    {.name = "history",
     .unit = "1",
     .def = RH_HISTORY_SPRING,
     .lo = RH_HISTORY_SPRING,
     .hi = RH_HISTORY_RESCALE,
     .doc = "as the stiffness changes: F = -k xi; dF/dt = -k u; the same, rescaled in unloading",
     .type = RH_CHOICE,
     .choices = "spring|force|rescale"},
    RH_PARAM_SHARPNESS(1e3, "the slider"),
};

static void friction_force(const rh_friction_in *in, rh_friction_out *out)
{
  const double *p = in->par;
  rh_history history = (rh_history)(int)p[HISTORY];
  double k = rh_mindlin_stiffness(p[GSTAR], in->radius, in->depth);
  double limit = p[MU] * in->normal;
  double length = rh_hypot(in->s[0], in->s[1]);
  bool spring = history == RH_HISTORY_SPRING;
  double trial = spring ? k * length : length; // size of the force that sticks
  bool slides = trial > limit;
  double speed = rh_hypot(in->slip[0], in->slip[1]);
  double rate = p[SHARPNESS] * (fabs(in->rate) + speed) / (in->depth + 1e-6 * in->radius);
  double lag = slides && k > 0 ? rate * (trial - limit) / k : 0; // speed of the slider
  double follow = history == RH_HISTORY_RESCALE && in->rate < 0 && in->depth > 0
                      ? 0.5 * in->rate / in->depth
                      : 0;
  for (int i = 0; i < 2; i++) {
    double along = length > 0 ? in->s[i] / length : 0;
    double toward = spring ? 1 : -1; // the stretch grows with slip, the force against it
    double slider = toward * lag * along;
    double stretch = in->slip[i] - slider;
    out->force[i] = -toward * fmin(trial, limit) * along;
    out->ds[i] = spring ? stretch : -k * stretch + follow * in->s[i];
    if (i == 0) {
      out->p_spring = 0;
      out->p_slide = 0;
    }
    out->p_spring -= out->force[i] * stretch;
    out->p_slide -= out->force[i] * slider;
  }
  out->stored = k > 0 ? 0.5 * trial * trial / k : 0;
  out->p_damper = 0;
  out->margin = limit - trial;
}

extern const rh_friction_law rh_friction_law_mindlin;

const rh_friction_law rh_friction_law_mindlin = {
    .row = {.name = "mindlin",
            .cite = "Mindlin and Deresiewicz 1953",
            .doc = "tangential stiffness of elastic spheres, with memory: true stick",
            .param = param,
            .nparam = RH_COUNT(param)},
    .nstate = 2,
    .passive = false,
    .curved = true,
    .check = NULL,
    .force = friction_force,
};
