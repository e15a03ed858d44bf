// Loop `distance`: a rod without mass between two ends, on a ball joint at each: gap = |a - b| - length.
#include "loop_rows.h"
#include "multibody/constraints/dual.h"

static const rh_param param[] = {
    {"length", "m", 0, 0, 1e12, "length of the rod; 0: the distance at the start", RH_NUMBER, 0,
     NULL, false},
};

static void set_rod_length(const rh_xform *a, const rh_xform *b, double *par)
{
  if (par[0] == 0) {
    par[0] = rh_norm(rh_sub(a->p, b->p));
  }
}

// For coincident ends the direction is arbitrary; they were apart before.
static void distance_rows(const rh_xform *a, const rh_xform *b, const double *par, rh_loop_row *row)
{
  rh_vec3 way = rh_sub(a->p, b->p);
  double far = rh_norm(way);
  rh_vec3 along = far > 0 ? rh_scale(1 / far, way) : rh_v3(0, 0, 1);
  row[0] = (rh_loop_row){along, {0, 0, 0}, far - par[0]};
}

static void distance_rates(const rh_xform *a, const rh_xform *b, const rh_motion *va,
                           const rh_motion *vb, const double *par, rh_loop_row *rate)
{
  (void)par;
  rh_dual3 way = rh_dual3_sub((rh_dual3){a->p, va->lin}, (rh_dual3){b->p, vb->lin});
  if (rh_norm(way.x) > 0) {
    rate[0].push = rh_dual3_unit(way).dx;
  }
}

extern const rh_loop_kind rh_loop_kind_distance;

const rh_loop_kind rh_loop_kind_distance = {
    .row = {.name = "distance",
            .cite = "[RBDA] 8",
            .doc = "a rod without mass keeps the distance of the ends",
            .param = param,
            .nparam = RH_COUNT(param)},
    .nrow = 1,
    .nplace = 1,
    .apart = true,
    .start = set_rod_length,
    .rows = distance_rows,
    .rates = distance_rates,
};
