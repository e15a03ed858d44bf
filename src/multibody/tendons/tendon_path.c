// tendon_path.c: the path of a tendon as points, to draw it.
#include "tendons.h"

#include <math.h>

static bool is_round(const rh_model_tendon_part *part)
{
  return part->kind == RH_TENDON_SPHERE || part->kind == RH_TENDON_CYLINDER;
}

int rh_tendon_path_size(const rh_model *m, int index)
{
  const rh_model_tendon *t = &m->tendons.of[index];
  const rh_model_tendon_part *part = m->tendons.part + t->part;
  int n = 0;
  for (int i = 0; i < t->npart; i++) {
    n += part[i].kind == RH_TENDON_POINT ? 1 : is_round(&part[i]) ? RH_TENDON_ARC : 0;
  }
  return n;
}

int rh_tendon_pieces(const rh_model *m, int index, int *piece)
{
  const rh_model_tendon *t = &m->tendons.of[index];
  const rh_model_tendon_part *part = m->tendons.part + t->part;
  int pieces = 0;
  int n = 0;
  for (int i = 0; i <= t->npart; i++) {
    bool end = i == t->npart || part[i].kind == RH_TENDON_PULLEY;
    if (!end) {
      n += part[i].kind == RH_TENDON_POINT ? 1 : is_round(&part[i]) ? RH_TENDON_ARC : 0;
    } else if (n > 0) {
      if (piece) {
        piece[pieces] = n;
      }
      pieces++;
      n = 0;
    }
  }
  return pieces;
}

// Points from where the path meets the surface to where it leaves it: the radius turns by the angle that
// belongs to the length, which may be the longer way round.
static void follow_arc(const rh_wrap_round *o, const rh_wrap_result *wrap, rh_vec3 *point)
{
  rh_vec3 r[2];
  for (int i = 0; i < 2; i++) {
    r[i] = rh_unrotate(&o->frame.R, rh_sub(wrap->at[i], o->frame.p));
  }
  double climb = o->sphere ? 0 : r[1].z - r[0].z;
  double base = o->sphere ? 0 : r[0].z;
  double flat = sqrt(fmax(0, wrap->length * wrap->length - climb * climb));
  double angle = flat / o->radius;
  if (!o->sphere) {
    r[0].z = r[1].z = 0;
  }
  rh_vec3 normal = rh_cross(r[0], r[1]);
  double direct = rh_atan2(rh_norm(normal), rh_dot(r[0], r[1]));
  bool known = rh_norm(normal) > 1e-12 * o->radius * o->radius;
  normal = known ? rh_scale(1 / rh_norm(normal), normal) : rh_v3(0, 0, 1);
  if (fabs(angle - direct) > fabs(2 * 3.14159265358979323846 - angle - direct)) {
    normal = rh_neg(normal); // the longer way
  }
  for (int i = 0; i < RH_TENDON_ARC; i++) {
    double share = i / (RH_TENDON_ARC - 1.0);
    rh_mat3 R = rh_axis_turn(normal, rh_sin(share * angle), rh_cos(share * angle));
    rh_vec3 p = rh_rotate(&R, r[0]);
    p.z += base + share * climb;
    point[i] = rh_add(o->frame.p, rh_rotate(&o->frame.R, p));
  }
}

// From a point to the next one: on what is between them, or where it is not touched along the straight line.
static void follow_round(const rh_data *d, const rh_model_tendon_part *part, rh_vec3 *point)
{
  rh_vec3 from = rh_tendon_point(d, part - 1);
  rh_vec3 to = rh_tendon_point(d, part + 1);
  rh_wrap_round o = rh_tendon_round(d, part);
  rh_wrap_result wrap;
  if (rh_wrap_path(&o, from, to, &wrap)) {
    follow_arc(&o, &wrap, point);
    return;
  }
  for (int k = 0; k < RH_TENDON_ARC; k++) {
    double share = (k + 1) / (RH_TENDON_ARC + 1.0);
    point[k] = rh_addscaled(from, share, rh_sub(to, from));
  }
}

void rh_tendon_path(const rh_data *d, int index, rh_vec3 *point)
{
  const rh_model_tendon *t = &d->model->tendons.of[index];
  const rh_model_tendon_part *part = d->model->tendons.part + t->part;
  int n = 0;
  for (int i = 0; i < t->npart; i++) {
    if (part[i].kind == RH_TENDON_POINT) {
      point[n++] = rh_tendon_point(d, &part[i]);
    } else if (is_round(&part[i])) { // between two points, by the checks of the scene
      follow_round(d, &part[i], point + n);
      n += RH_TENDON_ARC;
    }
  }
}
