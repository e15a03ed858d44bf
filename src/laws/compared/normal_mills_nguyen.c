// Mills-Nguyen: a stiff surface in series with a compliant body, which has a state of its own. [MO]
// sec. 2 describes it and prints no equation: "a stiff surface component to model collision behavior
// and a compliant component to model overall behavior", a force that is continuous in time, and
// additional state variables. This is the least model with these properties: a spring k_s over a
// spring k_c parallel to a damper b_c,
//   F = k_s (z - s),   b_c s' = F - k_c s,   s [m] the deformation of the body, 0 at touchdown.
// It cannot pull: where z < s the surface is free and the body recovers by itself. What is left in it
// at z = 0, where the contact ends, is lost, and the next touchdown finds the ground recovered, as
// [AF] sec. 2.2 has it. Slowly it is the spring k_s k_c / (k_s + k_c), fast the spring k_s.
#include <routh/kind.h>

#include <math.h>

enum { SURFACE, BODY, DAMPING };

static const rh_param param[] = {
    {.name = "k_s",
     .unit = "N/m",
     .def = 2e5,
     .lo = 0,
     .hi = 1e18,
     .doc = "stiffness of the surface",
     .open = true},
    {.name = "k_c",
     .unit = "N/m",
     .def = 5e4,
     .lo = 0,
     .hi = 1e18,
     .doc = "stiffness of the body below",
     .open = true},
    {.name = "b_c",
     .unit = "N s/m",
     .def = 200,
     .lo = 0,
     .hi = 1e18,
     .doc = "damping of the body below",
     .open = true},
};

static void normal_force(const rh_normal_in *in, rh_normal_out *out)
{
  const double *p = in->par;
  double settled = p[SURFACE] * in->depth / (p[SURFACE] + p[BODY]); // slow motion
  double s = in->s ? *in->s : settled;
  double gap = fmax(in->depth - s, 0);
  double held = p[SURFACE] * gap - p[BODY] * s; // [N] by the damper
  out->damper = 0;
  out->spring = p[SURFACE] * gap;
  out->stored = 0.5 * (out->spring * gap + p[BODY] * s * s);
  out->ds = in->s ? held / p[DAMPING] : 0;
  out->lost = held * out->ds;
}

extern const rh_normal_law rh_normal_law_mills_nguyen;

const rh_normal_law rh_normal_law_mills_nguyen = {
    .row = {.name = "mills-nguyen",
            .cite = "[MO] sec. 2, Mills and Nguyen 1992",
            .doc = "a stiff surface on a compliant damped body: one state per contact",
            .param = param,
            .nparam = RH_COUNT(param)},
    .pulls = false,
    .continuous = true,
    .nstate = 1,
    .check = NULL,
    .force = normal_force,
    .fit = NULL,
};
