// mjcf_inertia.c: inertias of bodies: from <inertial> or from the geoms of the groups chosen by the
// compiler, then its bounds, then the total mass.
#include "mjcf_part.h"

#include <math.h>

static const double TINY = 1e-15; // [kg] a geom with less has no part in the inertia

static rh_sym3 scale_inertia(rh_sym3 I, double factor)
{
  return (rh_sym3){I.xx * factor, I.yy * factor, I.zz * factor,
                   I.xy * factor, I.xz * factor, I.yz * factor};
}

// About a point at the distance d from the centre of mass
static rh_sym3 shift_inertia(rh_sym3 I, double mass, rh_vec3 d)
{
  rh_sym3 more = {mass * (d.y * d.y + d.z * d.z),
                  mass * (d.x * d.x + d.z * d.z),
                  mass * (d.x * d.x + d.y * d.y),
                  -mass * d.x * d.y,
                  -mass * d.x * d.z,
                  -mass * d.y * d.z};
  return rh_sym3_add(&I, &more);
}

static bool has_mass(const rh_mjcf *m, const rh_mjcf_geom *g)
{
  return g->mass >= TINY && g->group >= m->set.group[0] && g->group <= m->set.group[1];
}

static rh_vec3 centre_of_geom(const rh_mjcf_geom *g)
{
  return rh_add(g->pose.pos, rh_mjcf_turn(g->pose.quat, g->com));
}

static void compose_inertia(const rh_mjcf *m, rh_mjcf_body *b)
{
  rh_vec3 sum = rh_v3(0, 0, 0);
  b->mass = 0;
  b->com = sum;
  b->inertia = (rh_sym3){0};
  for (int k = b->first_geom; k != RH_NONE; k = m->geom[k].next) {
    const rh_mjcf_geom *g = &m->geom[k];
    if (has_mass(m, g)) {
      b->mass += g->mass;
      sum = rh_addscaled(sum, g->mass, centre_of_geom(g));
    }
  }
  if (!(b->mass > 0)) {
    return;
  }
  b->com = rh_scale(1 / b->mass, sum);
  for (int k = b->first_geom; k != RH_NONE; k = m->geom[k].next) {
    const rh_mjcf_geom *g = &m->geom[k];
    if (has_mass(m, g)) {
      rh_mat3 R = rh_quat_matrix(g->pose.quat);
      rh_sym3 I = rh_sym3_rotate(&R, &g->inertia);
      I = shift_inertia(I, g->mass, rh_sub(centre_of_geom(g), b->com));
      b->inertia = rh_sym3_add(&b->inertia, &I);
    }
  }
}

// Principal moments that are too small or do not fit together are changed as the compiler asks.
static void bound_inertia(const rh_mjcf *m, rh_mjcf_body *b)
{
  double e[3];
  rh_mat3 R;
  rh_sym3_eigen(&b->inertia, e, &R);
  b->mass = fmax(b->mass, m->set.bound_mass);
  bool changed = e[0] < m->set.bound_inertia;
  for (int i = 0; i < 3; i++) {
    e[i] = fmax(e[i], m->set.bound_inertia);
  }
  if (m->set.balance && e[0] + e[1] < e[2]) {
    e[0] = e[1] = e[2] = (e[0] + e[1] + e[2]) / 3;
    changed = true;
  }
  if (changed) {
    rh_sym3 I = {e[0], e[1], e[2], 0, 0, 0};
    b->inertia = rh_sym3_rotate(&R, &I);
  }
}

void rh_mjcf_make_inertias(rh_mjcf *m)
{
  double total = 0;
  for (int i = 1; i < m->nbody; i++) {
    rh_mjcf_body *b = &m->body[i];
    int how = m->set.inertiafromgeom;
    if (how == RH_MJCF_TRUE || (how == RH_MJCF_AUTO && !b->inertial)) {
      compose_inertia(m, b);
    }
    bound_inertia(m, b);
    total += b->mass;
  }
  for (int i = 1; i < m->nbody && m->set.total_mass > 0 && total > 0; i++) {
    double factor = m->set.total_mass / total;
    m->body[i].mass *= factor;
    m->body[i].inertia = scale_inertia(m->body[i].inertia, factor);
  }
}
