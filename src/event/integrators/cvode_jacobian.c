// cvode_jacobian.c: the rate as CVODE calls it, and its Jacobian for the implicit steps, with those columns that matter.
#include "cvode_resizable.h"

#include <cvode/cvode.h>
#include <math.h>
#include <string.h>

int rh_cvode_rate(realtype t, N_Vector y, N_Vector ydot, void *self)
{
  const rh_cvode *s = self;
  const rh_ode *flow = s->flow;
  double *rate = N_VGetArrayPointer(ydot);
  double *full = rh_arc_full(&s->arc, flow->n, t, N_VGetArrayPointer(y));
  int result = flow->rate(flow->user, t, full, rate);
  rh_arc_rate(&s->arc, flow->n, t, rate);
  return result;
}

// Coordinates change by the step times velocities: their columns act in Newton's iterations by the square of the step.
// They are left out, half of all, until the iterations fail.
static void choose_columns(rh_cvode *s)
{
  long failed = 0;
  (void)CVodeGetNumNonlinSolvConvFails(s->memory, &failed);
  s->jacobian.whole = s->jacobian.whole || failed > s->jacobian.failed;
  s->jacobian.failed = failed;
}

// The Jacobian by differences, one column at a time. CVODE's own does the same but allocates at every call.
// NOLINTNEXTLINE(readability-function-size): the parameters are CVODE's
int rh_cvode_jacobian(realtype t, N_Vector y, N_Vector ydot, SUNMatrix J, void *self, N_Vector a,
                      N_Vector b, N_Vector c)
{
  const rh_ode *flow = ((rh_cvode *)self)->flow;
  (void)b;
  (void)c;
  double *x = N_VGetArrayPointer(y);
  const double *f0 = N_VGetArrayPointer(ydot);
  double *f1 = N_VGetArrayPointer(a);
  choose_columns(self);
  for (int j = 0; j < flow->n; j++) {
    double *column = SUNDenseMatrix_Column(J, j);
    double kept = x[j];
    if (rh_cvode_leaves_out(self, j)) {
      memset(column, 0, (size_t)flow->n * sizeof *column);
      continue;
    }
    x[j] += 1.5e-8 * fmax(fabs(kept), 1e-3); // square root of rounding
    double step = x[j] - kept;
    int result = rh_cvode_rate(t, y, a, self);
    ((rh_cvode *)self)->jacobian.columns++;
    x[j] = kept;
    if (result != 0) {
      return result;
    }
    for (int i = 0; i < flow->n; i++) {
      column[i] = (f1[i] - f0[i]) / step;
    }
  }
  return 0;
}
