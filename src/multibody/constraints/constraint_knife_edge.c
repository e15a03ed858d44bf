// Constraint `knife-edge`: a blade, skate or thin wheel that moves along itself only. The surface is
// across the z axis of the end on the other body; the blade has no velocity across its direction in
// that surface, at its point: lateral = z x along.
#include "constraint.h"

static const rh_param param[] = {
    {"along", "1", 0, -1e6, 1e6,
     "direction of the blade in the axes of its end; any length but zero", RH_VECTOR, 3, NULL,
     false},
};

static const char *check_blade(const double *par)
{
  return rh_norm(rh_v3(par[0], par[1], par[2])) > 1e-9
             ? NULL
             : "must be given and must not be the zero vector";
}

static void blade_row(const rh_constraint_at *at, const double *par, rh_constraint_rows *row,
                      rh_constraint_rows *rate)
{
  static const double up[3] = {0, 0, 1};
  rh_dual3 along = rh_constraint_direction(at, 0, par);
  rh_dual3 lateral = rh_dual3_unit(rh_dual3_cross(rh_constraint_direction(at, 1, up), along));
  rh_constraint_set_point(rh_constraint_place(at, 0), row, rate);
  rh_constraint_set_push(0, lateral, (rh_dual){0, 0}, row, rate);
}

extern const rh_constraint_kind rh_constraint_kind_knife_edge;

const rh_constraint_kind rh_constraint_kind_knife_edge = {
    .row = {.name = "knife-edge",
            .cite = "[NF] II",
            .doc = "a blade moves along itself only",
            .param = param,
            .nparam = RH_COUNT(param)},
    .nrow = 1,
    .bodies = true,
    .check = check_blade,
    .rows = blade_row,
};
