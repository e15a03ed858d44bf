// observer.c: the force of the hand on a device without a force sensor, from its motion (a
// disturbance observer: Ohnishi 1987; by momentum: De Luca and Mattone 2003). Over a tick the device
// moves otherwise than its own dynamics without a hand predict:
//   F = S (v - v_predicted)/dt - u,   S = (J H^-1 J')^+,
// u the wrench that it was sent. A filter of the first order with the bandwidth w (haptic.observer)
// makes it insensitive to noise: r += (1 - exp(-w dt)) (F - r). A constant force is known after some
// 1/w; the tool gets r in place of F.
#include "step.h"

#include <math.h>
#include <string.h>

static bool is_observed(const rh_model_haptic *k)
{
  return k->observer > 0 && k->device != RH_NONE;
}

static void twist_of(const rh_kin_body *b, double v[6])
{
  const double x[6] = {b->v.lin.x, b->v.lin.y, b->v.lin.z, b->v.ang.x, b->v.ang.y, b->v.ang.z};
  memcpy(v, x, sizeof x);
}

void rh_haptic_observe_hand(rh_tick *t)
{
  const rh_model_haptic *k = &t->h->m->haptic;
  rh_haptic_now *now = t->now;
  double dt = t->h->dt;
  double v[6];
  double S[36];
  if (!is_observed(k) || now->ticks == 0) {
    return;
  }
  double share = 1 - rh_exp(-k->observer * dt);
  twist_of(&t->d->kin[k->device], v);
  rh_grip_inverse_mobility(t, k->device, S);
  for (int i = 0; i < 6; i++) {
    double force = -now->wrench[i];
    for (int j = 0; j < 6; j++) {
      force += S[6 * i + j] * (v[j] - now->predicted[j]) / dt;
    }
    now->observed[i] += share * (force - now->observed[i]);
  }
}

// The twist that the device has without hand and wrench of the tick [kinematics at the old place
// and the new velocities, forward_dynamics]
void rh_haptic_predict_device(rh_tick *t)
{
  const rh_model_haptic *k = &t->h->m->haptic;
  if (!is_observed(k)) {
    return;
  }
  twist_of(&t->d->kin[k->device], t->now->predicted);
  if (!t->measured && !rh_haptic_coupling_of(k)->at_tool) {
    double w[6];
    double v[6];
    for (int i = 0; i < 6; i++) {
      w[i] = t->hand[i] + t->wrench[i];
    }
    rh_grip_response(t, k->device, w, v);
    for (int i = 0; i < 6; i++) {
      t->now->predicted[i] -= t->h->dt * v[i];
    }
  }
}

void rh_haptic_sense_hand(rh_tick *t)
{
  memcpy(t->sensed, is_observed(&t->h->m->haptic) ? t->now->observed : t->hand, sizeof t->sensed);
}
