// Elastic ground as a patch of cells: [WK] ch. 4 as a contact law. A body of finite radius presses
// on n x n cells over a square of half-width 1.2 sqrt(r z), whose forces grow together: the whole
// is c(n) E* sqrt(r) z^(3/2), with c near Hertz's 4/3. A flat face presses with all its points at
// once, each sinking into the surface deformed by the others: row function `face`.
// Both with the damping of Hunt and Crossley. The ground has E and nu, the body E2 and nu2.
#include "halfspace/halfspace.h"
#include "material.h"

#include <routh/kind.h>

#include <math.h>

enum { E, NU, N, ALPHA, E2, NU2 };

#define N_MIN 4
#define N_MAX 32

static const rh_param param[] = {
    {.name = "E",
     .unit = "Pa",
     .def = 1e7,
     .lo = 0,
     .hi = 1e18,
     .doc = "modulus of elasticity of the ground",
     .open = true},
    {.name = "nu", .unit = "1", .def = 0.3, .lo = -0.99, .hi = 0.5, .doc = "its Poisson's ratio"},
    {.name = "n",
     .unit = "1",
     .def = 16,
     .lo = N_MIN,
     .hi = N_MAX,
     .doc = "cells across the patch under a round body",
     .type = RH_INTEGER},
    {.name = "alpha",
     .unit = "s/m",
     .def = 0.5,
     .lo = 0,
     .hi = 1e12,
     .doc = "damping: e = 1 - alpha v at low speed"},
    {.name = "E2",
     .unit = "Pa",
     .def = HUGE_VAL,
     .lo = 0,
     .hi = HUGE_VAL,
     .doc = "modulus of the body; infinite: rigid",
     .open = true},
    {.name = "nu2", .unit = "1", .def = 0.3, .lo = -0.99, .hi = 0.5, .doc = "its Poisson's ratio"},
};

// c(n): force of the patch problem over E* sqrt(r) z^1.5, n cells across a square of half-width 1.2 sqrt(r z), Love's influence,
// paraboloid gap. From rh_patch_solve; tests/unit/contact/patch.c computes them again.
static const double coefficient[N_MAX + 1] = {
    0,
    0,
    0,
    0,
    1.36562341983194,
    1.319202427493848,
    1.33483265277762,
    1.330843906811004,
    1.33185537543501,
    1.338718458536829,
    1.335513592167506,
    1.339891815991379,
    1.337002963621709,
    1.337606576252558,
    1.336801578933687,
    1.334624523973284,
    1.335540979265405,
    1.333689653279311,
    1.334069540554728,
    1.333406675159396,
    1.333692819539072,
    1.334419754314803,
    1.334078861296565,
    1.334739792230509,
    1.33417177980915,
    1.334386020712084,
    1.33424691578559,
    1.333869963971659,
    1.333943695172759,
    1.333631039618886,
    1.333696778135167,
    1.333469674174751,
    1.333531332478116,
};

static double plane_modulus(const double *par)
{
  return isinf(par[E2]) ? par[E] / (1 - par[NU] * par[NU])
                        : rh_effective_modulus(par[E], par[NU], par[E2], par[NU2]);
}

static double damper_of(const rh_normal_in *in, double spring)
{
  return fmax(1.5 * in->par[ALPHA] * spring * in->rate, -spring); // [MO] eq. 6-7; never sticky
}

static void normal_force(const rh_normal_in *in, rh_normal_out *out)
{
  int n = (int)fmin(fmax(in->par[N], N_MIN), N_MAX);
  out->spring =
      coefficient[n] * plane_modulus(in->par) * sqrt(in->radius) * in->depth * sqrt(in->depth);
  out->damper = damper_of(in, out->spring);
  out->stored = 0.4 * out->spring * in->depth;
}

static void face_forces(const rh_normal_in *in, int n, const double *at, const double *area,
                        rh_normal_out *out)
{
  double C[RH_PATCH_POINTS_MAX * RH_PATCH_POINTS_MAX];
  double depth[RH_PATCH_POINTS_MAX];
  double f[RH_PATCH_POINTS_MAX];
  for (int i = 0; i < n; i++) {
    depth[i] = in[i].depth;
  }
  rh_face_influence(n, at, area, plane_modulus(in->par), C);
  bool good = rh_face_solve(n, C, depth, f); // [WK] eq. 4.6
  for (int i = 0; i < n; i++) {
    out[i].spring = good ? f[i] : (double)NAN;
    out[i].damper = damper_of(&in[i], out[i].spring);
    out[i].stored = 0.5 * out[i].spring * depth[i]; // their sum is 1/2 f'Cf
  }
}

// As for Hunt-Crossley: e depends on alpha v alone, whatever the exponent.
static bool fit_damping(double *par, double mass, double speed, double radius, double e)
{
  extern const rh_normal_law rh_normal_law_hunt_crossley;
  const rh_normal_law *like = &rh_normal_law_hunt_crossley;
  double its[RH_PAR_MAX];
  rh_row_defaults(&like->row, its);
  if (!like->fit(its, mass, speed, radius, e)) {
    return false;
  }
  par[ALPHA] = its[rh_row_offset(&like->row, rh_row_find(&like->row, "alpha"))];
  return true;
}

extern const rh_normal_law rh_normal_law_elastic_patch;

const rh_normal_law rh_normal_law_elastic_patch = {
    .row = {.name = "elastic-patch",
            .cite = "[WK] 4.1-4.7",
            .doc = "elastic ground divided into cells that are coupled",
            .param = param,
            .nparam = RH_COUNT(param)},
    .pulls = false,
    .continuous = true,
    .check = NULL,
    .force = normal_force,
    .face = face_forces,
    .fit = fit_damping,
};
