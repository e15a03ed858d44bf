// twin.c: common parts of couplings: the spring and damper between device and tool, one of the two
// put at the other, the device put where it was measured.
#include "step.h"

#include <string.h>

rh_vec3 rh_rotation_between(const rh_mat3 *from, const rh_mat3 *to) // log(to from')
{
  rh_mat3 back = rh_mat3_transpose(from);
  rh_mat3 turn = rh_mat3_mul(to, &back);
  return rh_quat_log(rh_quat_of_matrix(&turn));
}

// Wrench on the tool, at the grip, that pulls it to the device.
void rh_haptic_spring_damper(const rh_tick *t, const double gain[4], double wrench[6])
{
  const rh_kin_body *a = &t->d->kin[t->h->m->haptic.device];
  rh_frame_motion b = rh_grip_frame(t);
  rh_force f = {rh_scale(gain[2], rh_rotation_between(&b.at.R, &a->R)),
                rh_scale(gain[0], rh_sub(a->p, b.at.p))};
  f.ang = rh_addscaled(f.ang, gain[3], rh_sub(a->v.ang, b.v.ang));
  f.lin = rh_addscaled(f.lin, gain[1], rh_sub(a->v.lin, b.v.lin));
  rh_wrench_add(wrench, f);
}

// ---- Bodies that are put: the change of energy is an event

static void copy_twin(rh_data *d, int from, int to)
{
  const rh_model_body *a = &d->model->body[from];
  const rh_model_body *b = &d->model->body[to];
  memcpy(d->q + b->qadr, d->q + a->qadr, (size_t)a->joint->nq * sizeof *d->q);
  memcpy(d->v + b->vadr, d->v + a->vadr, (size_t)a->nv * sizeof *d->v);
}

void rh_haptic_put_tool(rh_tick *t)
{
  rh_data *d = t->d;
  const rh_model_haptic *k = &t->h->m->haptic;
  double before = rh_ledger_energy(d); // kinematics with it
  if (t->h->grip.linked) {
    const rh_kin_body *b = &d->kin[k->device];
    rh_frame_motion device = {{b->R, b->p}, b->v};
    (void)rh_grip_place(t, k->tool, &t->h->grip.held, &device);
  } else {
    copy_twin(d, k->device, k->tool);
  }
  d->energy_base[1] += rh_ledger_energy(d) - before;
  t->now->put = 1;
}

static void place_device(rh_tick *t, const rh_frame_motion *target)
{
  static const rh_xform origin = {{{1, 0, 0, 0, 1, 0, 0, 0, 1}}, {0, 0, 0}};
  (void)rh_grip_place(t, t->h->m->haptic.device, &origin, target);
}

void rh_haptic_put_device(rh_tick *t)
{
  rh_data *d = t->d;
  const rh_model_haptic *k = &t->h->m->haptic;
  double before = rh_ledger_energy(d);
  if (t->h->grip.linked) {
    rh_frame_motion grip = rh_grip_frame(t);
    place_device(t, &grip);
  } else {
    copy_twin(d, k->tool, k->device);
  }
  d->energy_base[1] += rh_ledger_energy(d) - before;
  t->now->put = 2;
}

// A free body, or one in a plane, takes its coordinates from the pose, along the joint's own axes.
static void take_pose(rh_data *d, const rh_model_body *b, const rh_hand_in *in)
{
  const double *pose = in->pose;
  const double *twist = in->twist;
  if (b->joint->nq == 7) {
    memcpy(d->q + b->qadr, pose, 7 * sizeof *pose);
    memcpy(d->v + b->vadr, twist, 6 * sizeof *twist);
    rh_coordinates_unit(d->model, d->q);
    return;
  }
  const rh_motion *S = d->dyn.S + b->vadr;
  rh_vec3 p = {pose[0], pose[1], pose[2]};
  rh_vec3 v = {twist[0], twist[1], twist[2]};
  rh_vec3 w = {twist[3], twist[4], twist[5]};
  rh_quat q = {pose[3], pose[4], pose[5], pose[6]};
  rh_vec3 turn = rh_quat_norm(q) > 0 ? rh_quat_log(rh_quat_unit(q)) : rh_v3(0, 0, 0);
  for (int i = 0; i < 2; i++) {
    d->q[b->qadr + i] = rh_dot(S[i].lin, p);
    d->v[b->vadr + i] = rh_dot(S[i].lin, v);
  }
  d->q[b->qadr + 2] = rh_dot(S[2].ang, turn);
  d->v[b->vadr + 2] = rh_dot(S[2].ang, w);
}

void rh_haptic_put_measured(rh_tick *t)
{
  rh_data *d = t->d;
  const rh_model_haptic *k = &t->h->m->haptic;
  const double *pose = t->in->pose;
  const double *twist = t->in->twist;
  double before = rh_ledger_energy(d); // kinematics with it
  rh_quat q = {pose[3], pose[4], pose[5], pose[6]};
  if (k->twin) {
    take_pose(d, &t->h->m->body[k->device], t->in);
  } else {
    rh_frame_motion target = {
        {rh_quat_norm(q) > 0 ? rh_quat_matrix(rh_quat_unit(q)) : rh_mat3_identity(),
         {pose[0], pose[1], pose[2]}},
        {{twist[3], twist[4], twist[5]}, {twist[0], twist[1], twist[2]}}};
    place_device(t, &target);
  }
  d->work[RH_WORK_EXTERNAL] += rh_ledger_energy(d) - before;
}
