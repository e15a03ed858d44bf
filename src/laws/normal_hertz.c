// Hertz: the elastic contact of two spheres, or of a sphere and a plane; no energy is lost. [AF]
// eq. 8-10.
#include "material.h"

#include <routh/kind.h>

#include <math.h>

enum { K, E, NU, E2, NU2 };

static const rh_param param[] = {
    RH_HERTZ_STIFFNESS_PARAM("K"),
    RH_MATERIAL_PARAMS,
};

static void normal_force(const rh_normal_in *in, rh_normal_out *out)
{
  const double *p = in->par;
  double stiffness = rh_hertz_stiffness_of(p[K], p + E, in->radius);
  out->spring = stiffness * in->depth * sqrt(in->depth); // [AF] eq. 10
  out->damper = 0;
  out->stored = 0.4 * out->spring * in->depth; // [AF] eq. 17
}

extern const rh_normal_law rh_normal_law_hertz;

const rh_normal_law rh_normal_law_hertz = {
    .row = {.name = "hertz",
            .cite = "[AF] eq. 8-10",
            .doc = "elastic spheres; no energy is lost",
            .param = param,
            .nparam = RH_COUNT(param)},
    .pulls = false,
    .continuous = true,
    .check = NULL,
    .force = normal_force,
    .fit = NULL,
};
