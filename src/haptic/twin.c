// twin.c: common parts of couplings: springs and dampers between two bodies, twins that are put together.
#include "step.h"

#include <string.h>

rh_vec3 rh_rotation_between(const rh_mat3 *from, const rh_mat3 *to) // log(to from')
{
  rh_mat3 back = rh_mat3_transpose(from);
  rh_mat3 turn = rh_mat3_mul(to, &back);
  return rh_quat_log(rh_quat_of_matrix(&turn));
}

// Wrench on body `to` that pulls it to the pose of `from`.
void rh_haptic_spring_damper(const rh_data *d, int from, int to, const double gain[4],
                             double wrench[6])
{
  const rh_kin_body *a = &d->kin[from];
  const rh_kin_body *b = &d->kin[to];
  rh_force f = {rh_scale(gain[2], rh_rotation_between(&b->R, &a->R)),
                rh_scale(gain[0], rh_sub(a->p, b->p))};
  f.ang = rh_addscaled(f.ang, gain[3], rh_sub(a->v.ang, b->v.ang));
  f.lin = rh_addscaled(f.lin, gain[1], rh_sub(a->v.lin, b->v.lin));
  rh_wrench_add(wrench, f);
}

// Its energy change is an event.
void rh_haptic_move_to_twin(rh_tick *t, int from, int to)
{
  rh_data *d = t->d;
  const rh_model_body *a = &t->h->m->body[from];
  const rh_model_body *b = &t->h->m->body[to];
  double before = rh_ledger_energy(d);
  memcpy(d->q + b->qadr, d->q + a->qadr, (size_t)a->joint->nq * sizeof *d->q);
  memcpy(d->v + b->vadr, d->v + a->vadr, (size_t)a->nv * sizeof *d->v);
  d->energy_base[1] += rh_ledger_energy(d) - before;
  t->now->put = to == t->h->m->haptic.tool ? 1 : 2;
}
