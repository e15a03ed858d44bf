// Friction of two elastic bodies, one of them round, cell by cell: the contact of Hertz in 52 cells
// with memory, as it slides, spins and rolls (halfspace/round_patch.c). Where cells are not
// available (`routh law`, the engine haptic) the whole contact is one spring and one slider, with
// Mindlin's stiffness.
//
// A cell above its limit follows it at the rate
//   sharpness (|z'| + |slip| + a |spin|) / (z + 1e-6 r),
// as the slider of `mindlin`: a part 1 / sharpness of the motion late.
#include "halfspace/round_patch.h"

#include "laws/parameters.h"

#include <math.h>

enum { MU, ESTAR, SHEAR, BETA, RHO, SHARPNESS };

static const rh_param param[] = {
    RH_PARAM_MU,
    {.name = "Estar",
     .unit = "Pa",
     .def = 0,
     .lo = 0,
     .hi = 1e18,
     .doc =
         "1/E* = sum (1 - nu^2)/E; 0: this, shear and beta from E, nu, E2, nu2 of the normal law"},
    {.name = "shear",
     .unit = "1",
     .def = 0.42857142857142855,
     .lo = -0.5,
     .hi = 1,
     .doc = "E* sum nu (1 + nu)/E; nu / (1 - nu) of like bodies"},
    {.name = "beta",
     .unit = "1",
     .def = 0,
     .lo = -0.5,
     .hi = 0.5,
     .doc = "Dundurs' second constant: pressure moves the surface along"},
    {.name = "rho",
     .unit = "m",
     .def = 0,
     .lo = 0,
     .hi = 1e9,
     .doc = "radius over which friction averages the pressure (Oden and Pires); 0: local"},
    RH_PARAM_SHARPNESS(100, "a cell"),
};

// One spring and one slider
static void friction_force(const rh_friction_in *in, rh_friction_out *out)
{
  extern const rh_friction_law rh_friction_law_mindlin;
  const rh_friction_law *like = &rh_friction_law_mindlin;
  double its[RH_PAR_MAX];
  rh_row_defaults(&like->row, its);
  its[rh_row_offset(&like->row, rh_row_find(&like->row, "mu"))] = in->par[MU];
  its[rh_row_offset(&like->row, rh_row_find(&like->row, "Gstar"))] =
      in->par[ESTAR] / (2 * (2 + in->par[SHEAR]));
  its[rh_row_offset(&like->row, rh_row_find(&like->row, "sharpness"))] = in->par[SHARPNESS];
  rh_friction_in one = *in;
  one.par = its;
  like->force(&one, out);
}

static void patch_forces(const rh_friction_patch *in, rh_friction_out *out, double *torque,
                         double *rate)
{
  const rh_friction_in *p = &in->point;
  double a = sqrt(p->radius * p->depth);
  double speed = fabs(p->rate) + rh_hypot(p->slip[0], p->slip[1]) + a * fabs(in->spin);
  rh_round_motion motion = {
      .pair = {p->par[ESTAR], p->par[SHEAR], p->par[BETA]},
      .mu = p->par[MU],
      .rho = p->par[RHO],
      .normal = p->normal,
      .a = a,
      .growth = 0.5 * a * p->rate / p->depth,
      .slip = {p->slip[0], p->slip[1]},
      .spin = in->spin,
      .roll = {in->roll[0], in->roll[1]},
      .relax = p->par[SHARPNESS] * speed / (p->depth + 1e-6 * p->radius),
      .w = in->cell,
  };
  rh_round_forces f;
  (void)rh_round_friction(&motion, &f); // what is not finite stops the run
  *out = (rh_friction_out){.force = {f.force[0], f.force[1]},
                           .stored = f.stored,
                           .p_spring = f.p_spring,
                           .p_damper = f.p_lost,
                           .p_slide = f.p_slide,
                           .margin = f.margin};
  *torque = f.torque;
  for (int i = 0; i < 2 * RH_ROUND_CELLS; i++) {
    rate[i] = f.rate[i];
  }
}

extern const rh_friction_law rh_friction_law_elastic_patch;

const rh_friction_law rh_friction_law_elastic_patch = {
    .row = {.name = "elastic-patch",
            .cite = "[WK] 4.4-4.5",
            .doc = "friction in the cells of an elastic contact that slides, spins and rolls",
            .param = param,
            .nparam = RH_COUNT(param)},
    .nstate = 2,
    .passive = false,
    .curved = true,
    .check = NULL,
    .force = friction_force,
    .ncell = 2 * RH_ROUND_CELLS,
    .patch = patch_forces,
};
