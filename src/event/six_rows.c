// six_rows.c: turns the rows of contacts between the same two bodies so that six remain.
#include "six_rows.h"

#include <math.h>

void rh_six_turn(int n, rh_six *E, double *tau)
{
  for (int k = 0; k < RH_SIX; k++) {
    double below = 0;
    double alpha = E[k][k];
    for (int i = k + 1; i < n; i++) {
      below += E[i][k] * E[i][k];
    }
    tau[k] = 0;
    if (below == 0) {
      continue;
    }
    double beta = -copysign(sqrt(alpha * alpha + below), alpha);
    tau[k] = (beta - alpha) / beta;
    E[k][k] = beta;
    for (int i = k + 1; i < n; i++) {
      E[i][k] /= alpha - beta;
    }
    rh_six dot;
    for (int j = k + 1; j < RH_SIX; j++) {
      dot[j] = E[k][j];
    }
    for (int i = k + 1; i < n; i++) {
      for (int j = k + 1; j < RH_SIX; j++) {
        dot[j] += E[i][k] * E[i][j];
      }
    }
    for (int j = k + 1; j < RH_SIX; j++) {
      dot[j] *= tau[k];
      E[k][j] -= dot[j];
    }
    for (int i = k + 1; i < n; i++) {
      for (int j = k + 1; j < RH_SIX; j++) {
        E[i][j] -= E[i][k] * dot[j];
      }
    }
  }
}

void rh_six_reflect(int n, const rh_six *E, const double *tau, int k, double *x)
{
  double dot = x[k];
  for (int i = k + 1; i < n; i++) {
    dot += E[i][k] * x[i];
  }
  dot *= tau[k];
  x[k] -= dot;
  for (int i = k + 1; i < n; i++) {
    x[i] -= E[i][k] * dot;
  }
}
