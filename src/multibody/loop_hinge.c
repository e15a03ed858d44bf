// Loop `hinge`: two ends at one place that turn about one axis. The axis n of end a stays at right angles to two axes t of end b that are
// across its own: gap = n . t, with the rate (n x t) . (wa - wb). An opposite axis is valid, too.
#include "loop_rows.h"
#include "multibody/constraints/dual.h"

static const rh_param param[] = {
    {"axis", "1", 0, -1e6, 1e6, "axis of rotation in the frames of both ends; any length but zero",
     RH_VECTOR, 3, NULL, false},
};

static const char *check_hinge_axis(const double *par)
{
  return rh_norm(rh_v3(par[0], par[1], par[2])) > 1e-9
             ? NULL
             : "must be given and must not be the zero vector";
}

// Two axes across a unit vector, at right angles.
static void axes_across(rh_vec3 n, rh_vec3 t[2])
{
  double x = fabs(n.x);
  double y = fabs(n.y);
  double z = fabs(n.z);
  rh_vec3 far = x <= y && x <= z ? rh_v3(1, 0, 0) : y <= z ? rh_v3(0, 1, 0) : rh_v3(0, 0, 1);
  t[0] = rh_cross(n, far);
  t[0] = rh_scale(1 / rh_norm(t[0]), t[0]);
  t[1] = rh_cross(n, t[0]);
}

static void hinge_rows(const rh_xform *a, const rh_xform *b, const double *par, rh_loop_row *row)
{
  rh_vec3 axis = rh_v3(par[0], par[1], par[2]);
  axis = rh_scale(1 / rh_norm(axis), axis);
  rh_vec3 n = rh_rotate(&a->R, axis);
  rh_vec3 t[2];
  axes_across(axis, t);
  rh_loop_places(a, b, row);
  for (int i = 0; i < 2; i++) {
    rh_vec3 side = rh_rotate(&b->R, t[i]);
    row[3 + i] = (rh_loop_row){{0, 0, 0}, rh_cross(n, side), rh_dot(n, side)};
  }
}

static void hinge_rates(const rh_xform *a, const rh_xform *b, const rh_motion *va,
                        const rh_motion *vb, const double *par, rh_loop_row *rate)
{
  rh_vec3 axis = rh_v3(par[0], par[1], par[2]);
  axis = rh_scale(1 / rh_norm(axis), axis);
  rh_vec3 t[2];
  axes_across(axis, t);
  rh_dual3 n = rh_dual3_fixed(rh_rotate(&a->R, axis), va->ang);
  for (int i = 0; i < 2; i++) {
    rh_dual3 side = rh_dual3_fixed(rh_rotate(&b->R, t[i]), vb->ang);
    rate[3 + i].turn = rh_dual3_cross(n, side).dx;
  }
}

extern const rh_loop_kind rh_loop_kind_hinge;

const rh_loop_kind rh_loop_kind_hinge = {
    .row = {.name = "hinge",
            .cite = "[RBDA] 8",
            .doc = "the ends coincide and turn about one axis",
            .param = param,
            .nparam = RH_COUNT(param)},
    .nrow = 5,
    .nplace = 3,
    .check = check_hinge_axis,
    .rows = hinge_rows,
    .rates = hinge_rates,
};
