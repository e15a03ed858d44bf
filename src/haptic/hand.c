// Common parts of hands: the wrench of the tick, recorded values, forces at the grip.
#include "step.h"

// ---- Recorded hands: straight lines between the rows, the first and last beyond them

static double row_at(const rh_model_haptic *k, double t, int *row)
{
  int lo = 0;
  int hi = k->ntrace - 1;
  while (lo + 1 < hi) {
    int middle = (lo + hi) / 2;
    if (k->trace[middle * k->width] <= t) {
      lo = middle;
    } else {
      hi = middle;
    }
  }
  *row = lo;
  double t0 = k->trace[lo * k->width];
  double t1 = k->trace[hi * k->width];
  double part = hi > lo ? (t - t0) / (t1 - t0) : 0;
  return part < 0 ? 0 : part > 1 ? 1 : part;
}

static double trace_at(const rh_model_haptic *k, int row, double part, int column)
{
  int next = row + 1 < k->ntrace ? row + 1 : row;
  double x0 = k->trace[row * k->width + column];
  double x1 = k->trace[next * k->width + column];
  return x0 + part * (x1 - x0);
}

// Columns 1 to n - 1 of the trace now
void rh_haptic_trace_value(const rh_tick *t, int n, double *x)
{
  const rh_model_haptic *k = &t->h->m->haptic;
  int row;
  double part = row_at(k, *t->d->t, &row);
  for (int i = 0; i + 1 < n; i++) {
    x[i] = trace_at(k, row, part, 1 + i);
  }
}

// Force and torque at the grip, about the body's origin
void rh_haptic_hand_pull(rh_tick *t, int body, const double w[6])
{
  rh_force f = rh_force_of(w);
  rh_vec3 r = rh_rotate(&t->d->kin[body].R, t->h->m->haptic.grip);
  f.ang = rh_add(f.ang, rh_cross(r, f.lin));
  rh_wrench_add(t->hand, f);
}

void rh_haptic_hand_wrench(rh_tick *t)
{
  const rh_model_haptic *k = &t->h->m->haptic;
  if (t->in && t->in->live) {
    if (t->in->has_wrench) {
      rh_wrench_add(t->hand, rh_force_of(t->in->wrench));
    }
  } else if (rh_haptic_hand_of(k)->wrench) {
    rh_haptic_hand_of(k)->wrench(t, k->device != RH_NONE ? k->device : k->tool);
  }
}
