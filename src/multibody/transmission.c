// transmission.c: between an actuator and the joints. An actuator acts on one degree of freedom, on all
// of a ball or free joint along a vector, or on a body as a force and torque in axes fixed in it or in
// another body. Each has a length l, its rate w, and a moment: the effort at each degree of freedom for
// the force 1, so that w = moment . v and the power is force times w. The activation of an actuator with
// a state, and how it moves on, are here too.
#include "multibody.h"

#include <routh/scene.h>

// Force and torque for the force 1, about the origin of the body, world axes; `back`: those on the
// other body.
static rh_force wrench_on(const rh_data *d, const rh_model_transmission *via, bool back)
{
  const rh_kin_body *of = &d->kin[back ? via->to : via->body];
  const rh_xform *end = back ? &via->to_end : &via->end;
  const rh_kin_body *axes = &d->kin[via->to > 0 ? via->to : via->body];
  rh_mat3 R = rh_mat3_mul(&axes->R, via->to > 0 ? &via->to_end.R : &via->end.R);
  const double *x = via->axis;
  rh_force w = {rh_rotate(&R, rh_v3(x[3], x[4], x[5])), rh_rotate(&R, rh_v3(x[0], x[1], x[2]))};
  w = rh_force_shift_back(w, rh_rotate(&of->R, end->p));
  return back ? (rh_force){rh_neg(w.ang), rh_neg(w.lin)} : w;
}

// The nearest body that both hang on.
static int common_ancestor(const rh_model *m, int a, int b)
{
  while (a != b) {
    if (a > b) {
      a = m->body[a].parent;
    } else {
      b = m->body[b].parent;
    }
  }
  return a;
}

// Moment along the joints from `body` down to `end`: times `force` into `load` (NULL: nowhere). Returns
// its product with the velocities.
static double act_along_path(const rh_data *d, int body, int end, rh_force w, double force,
                             double *load)
{
  const rh_model *m = d->model;
  double speed = 0;
  for (int i = body; i > 0 && i != end; i = m->body[i].parent) {
    for (int k = m->body[i].vadr; k < m->body[i].vadr + m->body[i].nv; k++) {
      double moment = rh_power(d->dyn.S[k], w);
      speed += moment * d->v[k];
      if (load) {
        load[k] += moment * force;
      }
    }
    w = rh_force_shift_back(w, d->kin[i].r);
  }
  return speed;
}

static double act_on_bodies(const rh_data *d, const rh_model_transmission *via, double force,
                            double *load)
{
  int end = via->to > 0 ? common_ancestor(d->model, via->body, via->to) : 0;
  double speed = act_along_path(d, via->body, end, wrench_on(d, via, false), force, load);
  if (via->to > 0) {
    speed += act_along_path(d, via->to, end, wrench_on(d, via, true), force, load);
  }
  return speed;
}

// Of a ball or free joint: turns are in the axes of the joint, or of the body that it carries.
static double act_on_joint(const rh_data *d, const rh_model_transmission *via, double force,
                           double *load)
{
  const rh_model_body *b = &d->model->body[via->body];
  const double *x = via->axis;
  int turn = b->nv == 6 ? 3 : 0;
  double moment[6] = {x[0], x[1], x[2], x[3], x[4], x[5]};
  if (via->carried) {
    const double *q = d->q + b->qadr + turn;
    rh_mat3 R = rh_quat_matrix((rh_quat){q[0], q[1], q[2], q[3]});
    rh_vec3 w = rh_rotate(&R, rh_v3(x[turn], x[turn + 1], x[turn + 2]));
    moment[turn] = w.x;
    moment[turn + 1] = w.y;
    moment[turn + 2] = w.z;
  }
  double speed = 0;
  for (int j = 0; j < b->nv; j++) {
    speed += moment[j] * d->v[b->vadr + j];
    if (load) {
      load[b->vadr + j] += moment[j] * force;
    }
  }
  return speed;
}

double rh_transmission_act(const rh_data *d, int index, double force, double *load)
{
  const rh_model_transmission *via = &d->model->actuator[index].via;
  return via->kind == RH_VIA_BODY ? act_on_bodies(d, via, force, load)
                                  : act_on_joint(d, via, force, load);
}

static double length_between(const rh_data *d, const rh_model_transmission *via)
{
  const rh_kin_body *a = &d->kin[via->body];
  const rh_kin_body *b = &d->kin[via->to];
  const double *x = via->axis;
  rh_mat3 Ra = rh_mat3_mul(&a->R, &via->end.R);
  rh_mat3 Rb = rh_mat3_mul(&b->R, &via->to_end.R);
  rh_vec3 away = rh_sub(rh_add(a->p, rh_rotate(&a->R, via->end.p)),
                        rh_add(b->p, rh_rotate(&b->R, via->to_end.p)));
  rh_mat3 back = rh_mat3_transpose(&Rb);
  rh_mat3 turn = rh_mat3_mul(&back, &Ra);
  rh_vec3 angle = rh_quat_log(rh_quat_of_matrix(&turn));
  return rh_dot(rh_unrotate(&Rb, away), rh_v3(x[0], x[1], x[2])) +
         rh_dot(angle, rh_v3(x[3], x[4], x[5]));
}

double rh_transmission_length(const rh_data *d, int index)
{
  const rh_model_transmission *via = &d->model->actuator[index].via;
  const rh_model_body *b = &d->model->body[via->body];
  if (via->kind == RH_VIA_BODY) {
    return via->to > 0 ? length_between(d, via) : 0;
  }
  if (b->nv == 6) {
    return 0;
  }
  const double *q = d->q + b->qadr;
  rh_vec3 angle = rh_quat_log(rh_quat_unit((rh_quat){q[0], q[1], q[2], q[3]}));
  return rh_dot(angle, rh_v3(via->axis[0], via->axis[1], via->axis[2]));
}

// ---- Activation

double rh_activation(const rh_data *d, int index)
{
  const rh_model_actuator *a = &d->model->actuator[index];
  return fmin(fmax(d->control.act[a->state], a->state_lo), a->state_hi);
}

double rh_activation_rate(const rh_data *d, int index)
{
  const rh_model_actuator *a = &d->model->actuator[index];
  double u = rh_actuator_control(d, index);
  double x = d->control.act[a->state];
  double rate = u;
  if (a->dynamics == RH_DYNAMICS_FILTER) {
    rate = (u - x) / a->time_constant;
  } else if (a->dynamics == RH_DYNAMICS_INTEGRAL && a->servo) {
    rate = u - a->gear * rh_actuator_length(d, index);
  } else if (a->dynamics == RH_DYNAMICS_INTEGRAL) {
    rate = rh_actuator_target(d, index) - rh_actuator_length(d, index);
  }
  bool out = (x >= a->state_hi && rate > 0) || (x <= a->state_lo && rate < 0);
  return out ? 0 : rate;
}

void rh_activations_advance(rh_data *d, double h)
{
  for (int i = 0; d->model->layout.nact > 0 && i < d->model->nactuator; i++) {
    const rh_model_actuator *a = &d->model->actuator[i];
    if (a->state == RH_NONE) {
      continue;
    }
    bool filter = a->dynamics == RH_DYNAMICS_FILTER; // exact for a constant control
    double span = filter ? -a->time_constant * rh_expm1(-h / a->time_constant) : h;
    double x = d->control.act[a->state] + span * rh_activation_rate(d, i);
    d->control.act[a->state] = fmin(fmax(x, a->state_lo), a->state_hi);
  }
}
