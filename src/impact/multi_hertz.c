// The rigid limit of bodies that are elastic where they touch: a force kappa_i x_i^(3/2) at each
// point, x_i its compression, in a time of its own (impulse_path.c). Each point gives back e_i^2 of
// the work it took; a point that has parted has a gap and closes again when it has passed that.
// Without losses, for equal balls, this is the motion of the Hertz chain whatever its stiffness:
// the scale of kappa cancels. There is one event.
// e = 0 at all points: the plastic impact, all points together, to which small e tends.
#include "impact/multi_contact.h"
#include "impact/path/impulse_path.h"

#include <math.h>
#include <string.h>

static const rh_param param[] = {RH_COURSE_PARAM};

static size_t hertz_room(int n)
{
  size_t path = rh_impulse_path_room(n);
  size_t together = 8 * (size_t)n + rh_many_room(n);
  return path > together ? path : together;
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

// Where compression and restitution in one piece give the same within the error of the path, as for
// a face that lands flat, theirs are exact: they are taken.
static void refine_result(const rh_many_in *in, double tolerance, double *room, double *p,
                          double *u_after, rh_many_out *out)
{
  const size_t rows = 3 * (size_t)in->n;
  double *exact = room;
  double *after = exact + rows;
  double *lost = after + rows;
  rh_many_in own = *in;
  rh_many_out together;
  double speed = 0;
  double apart = 0;
  own.lost = lost;
  if (!rh_many_impact(&own, lost + (size_t)2 * (size_t)in->n, exact, after, &together)) {
    return;
  }
  for (size_t i = 0; i < rows; i++) {
    speed = fmax(speed, fabs(in->u[i]));
    apart = fmax(apart, fabs(after[i] - u_after[i]));
  }
  if (apart > tolerance * speed || together.gained || together.scale < 1 - 1e-9) {
    return;
  }
  memcpy(p, exact, rows * sizeof *p);
  memcpy(u_after, after, rows * sizeof *u_after);
  if (in->lost != NULL) {
    memcpy(in->lost, lost, 2 * (size_t)in->n * sizeof *lost);
  }
  *out = together;
}

static bool hertz_impact(const rh_many_in *in, const double *par, double *room, double *p,
                         double *u_after, rh_many_out *out)
{
  static const rh_impulse_path_rule rule = {.springs = true, .local = true, .hertz = true};
  if (is_plastic(in)) {
    return rh_many_impact(in, room, p, u_after, out);
  }
  bool good = rh_impulse_path_run(in, &rule, par[0], room, p, u_after, out);
  bool once =
      out->again <= 2 * in->n; // of a course that is not in one piece, none would be refined
  if (good && once && out->impacts > 0) {
    refine_result(in, par[0], room, p, u_after, out);
  }
  return good;
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
