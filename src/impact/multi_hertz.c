// The rigid limit of bodies that are elastic where they touch: a force kappa_i x_i^(3/2) at each
// point, x_i its compression, in a time of its own (impulse_path.c). Each point gives back e_i^2 of
// the work it took; a point that has parted has a gap and closes again when it has passed that.
// Without losses, for equal balls, this is the motion of the Hertz chain whatever its stiffness:
// the scale of kappa cancels. There is one event.
// e = 0 at all points: the plastic impact, all points together, to which small e tends.
#include "impact/multi_contact.h"
#include "impact/path/impulse_path.h"

static const rh_param param[] = {RH_COURSE_PARAM};

static size_t hertz_room(int n)
{
  size_t path = rh_impulse_path_room(n);
  size_t plastic = rh_many_room(n);
  return path > plastic ? path : plastic;
}

static bool is_plastic(const rh_many_in *in)
{
  for (int i = 0; i < in->n; i++) {
    if (in->e[i] != 0) {
      return false;
    }
  }
  return true;
}

static bool hertz_impact(const rh_many_in *in, const double *par, double *room, double *p,
                         double *u_after, rh_many_out *out)
{
  static const rh_impulse_path_rule rule = {.springs = true, .local = true, .hertz = true};
  if (is_plastic(in)) {
    return rh_many_impact(in, room, p, u_after, out);
  }
  return rh_impulse_path_run(in, &rule, par[0], room, p, u_after, out);
}

extern const rh_formulation rh_formulation_hertz;

const rh_formulation rh_formulation_hertz = {
    .row = {.name = "hertz",
            .cite = "Hertz 1882; Hinch and Saint-Jean 1999",
            .doc = "elastic contacts in the rigid limit; each returns e^2 of its work",
            .param = param,
            .nparam = RH_COUNT(param)},
    .passive = true,
    .room = hertz_room,
    .strike = hertz_impact,
};
