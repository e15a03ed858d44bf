// Azad-Featherstone: a sphere on ground made of springs and dampers spread over the area. The force reaches zero before
// the depth does: the ground, which has no mass, follows. [AF] eq. 3-14. The contact is assumed to
// be shallow, z << 2 r, as there.
#include "free_impact.h"
#include "material.h"
#include "root1.h"

#include <routh/kind.h>

#include <math.h>

enum { KN, DN, E, NU, E2, NU2, ALPHA };

#define PI        3.14159265358979323846
#define DELTA_MAX 1e3 // e(1000) is below 1e-4

static const rh_param param[] = {
    RH_HERTZ_STIFFNESS_PARAM("Kn"),
    {.name = "Dn",
     .unit = "N s/m^1.5",
     .def = 3.1e3,
     .lo = 0,
     .hi = 1e18,
     .doc = "damping, unless E is given"},
    RH_MATERIAL_PARAMS,
    {.name = "alpha",
     .unit = "N s/m^2.5",
     .def = 0,
     .lo = 0,
     .hi = 1e18,
     .doc = "damping of the area, with E: Dn = 4 pi r alpha"},
};

static double contact_stiffness(const double *p, double radius)
{
  return rh_hertz_stiffness_of(p[KN], p + E, radius);
}

static void normal_force(const rh_normal_in *in, rh_normal_out *out)
{
  const double *p = in->par;
  double root = sqrt(in->depth);
  double damping = p[E] > 0 ? 4 * PI * in->radius * p[ALPHA] : p[DN]; // [AF] eq. 12
  out->spring = contact_stiffness(p, in->radius) * in->depth * root;  // [AF] eq. 10
  out->damper = fmax(damping * root * in->rate, -out->spring);        // [AF] eq. 14
  out->stored = 0.4 * out->spring * in->depth;                        // [AF] eq. 17
}

// e depends on delta = Dn v^(1/5) / (m^(2/5) Kn^(3/5)) alone: mass, stiffness and speed are 1 here.
static double excess_restitution(double delta, const double *e)
{
  static const rh_normal_law bare = {
      .row = {.name = "", .cite = "", .doc = "", .param = NULL, .nparam = 0},
      .pulls = false,
      .continuous = true,
      .check = NULL,
      .force = normal_force,
      .fit = NULL};
  double par[RH_PAR_MAX] = {1, delta};
  rh_impact1_in in = {.law = &bare,
                      .par = par,
                      .mass = 1,
                      .speed = 1,
                      .gravity = 0,
                      .radius = HUGE_VAL,
                      .depth = 0};
  rh_impact1_out out;
  return rh_impact1(&in, &out) == RH_OK ? out.e - *e : HUGE_VAL;
}

static bool fit_damping(double *par, double mass, double speed, double radius, double e)
{
  double K = contact_stiffness(par, radius);
  if (!(e > 0 && e <= 1 && mass > 0 && speed > 0) || !isfinite(K)) {
    return false;
  }
  double delta = 0;
  if (e < 1 && !rh_solve1(excess_restitution, &e, 0, DELTA_MAX, &delta)) {
    return false;
  }
  double damping = delta * rh_pow(mass, 0.4) * rh_pow(K, 0.6) / rh_pow(speed, 0.2);
  if (par[E] > 0) {
    par[ALPHA] = damping / (4 * PI * radius);
  } else {
    par[DN] = damping;
  }
  return isfinite(damping);
}

extern const rh_normal_law rh_normal_law_azad_featherstone;

const rh_normal_law rh_normal_law_azad_featherstone = {
    .row = {.name = "azad-featherstone",
            .cite = "[AF] eq. 3-14",
            .doc = "springs and dampers distributed over the area of contact",
            .param = param,
            .nparam = RH_COUNT(param)},
    .pulls = false,
    .continuous = true,
    .check = NULL,
    .force = normal_force,
    .fit = fit_damping,
};
