// inertia.c: a free inertia that stays that of a body. `--free cube.inertia` frees the lower factor L of the second moments of mass about
// the centre of mass, S = integral r r' dm = L L' (Cholesky), with a positive diagonal: every L is a body and every body with an extent
// along each axis has one. The inertia follows, I = tr(S) 1 - S; back, S = tr(I) 1 / 2 - I, which is positive just where the moments obey
// the triangle inequalities (S. Traversaro, S. Brossette, A. Escande and F. Nori, "Identification of fully physical consistent inertial
// parameters using optimization on manifolds", IROS 2016).
#include "fit.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

// Row and column of the six numbers of L, and of those of an inertia: ixx iyy izz ixy ixz iyz
static const int factor_row[RH_FIT_FACTORS] = {0, 1, 1, 2, 2, 2};
static const int factor_column[RH_FIT_FACTORS] = {0, 0, 1, 0, 1, 2};
static const int entry_row[RH_FIT_FACTORS] = {0, 1, 2, 0, 0, 1};
static const int entry_column[RH_FIT_FACTORS] = {0, 1, 2, 1, 2, 2};

bool rh_fit_is_inertia(const rh_fit_value *value)
{
  size_t length = strlen(value->path);
  return value->index == RH_NONE && length > 8 && strcmp(value->path + length - 8, ".inertia") == 0;
}

rh_status rh_fit_split_inertia(const rh_fit_value *whole, rh_fit_value *part)
{
  static const char *const name[RH_FIT_FACTORS] = {"L11", "L21", "L22", "L31", "L32", "L33"};
  if (whole->bounded) {
    return rh_refuse(RH_WRONG_USAGE,
                     "fit: --free %s takes no bounds: it stays an inertia by its factors",
                     whole->name);
  }
  for (int k = 0; k < RH_FIT_FACTORS; k++) {
    part[k] = *whole;
    part[k].index = k;
    part[k].factor = k + 1;
    (void)snprintf(part[k].name, sizeof part[k].name, "%s %s", whole->path, name[k]);
  }
  return RH_OK;
}

void rh_fit_inertia_from(const double *factor, double *inertia)
{
  double L[9] = {0};
  double S[9] = {0};
  for (int k = 0; k < RH_FIT_FACTORS; k++) {
    L[3 * factor_row[k] + factor_column[k]] = factor[k];
  }
  for (int i = 0; i < 9; i++) {
    for (int k = 0; k < 3; k++) {
      S[i] += L[3 * (i / 3) + k] * L[3 * (i % 3) + k];
    }
  }
  double trace = S[0] + S[4] + S[8];
  for (int k = 0; k < RH_FIT_FACTORS; k++) {
    double s = S[3 * entry_row[k] + entry_column[k]];
    inertia[k] = k < 3 ? trace - s : -s;
  }
}

// The factors of the list of each value begin the search; the size of one off the diagonal is that of the two it stands between.
rh_status rh_fit_scale_inertia(rh_fit_value *v)
{
  double S[9];
  double half = 0.5 * (v->list[0] + v->list[1] + v->list[2]);
  for (int k = 0; k < RH_FIT_FACTORS; k++) {
    double s = (k < 3 ? half : 0) - v->list[k];
    S[3 * entry_row[k] + entry_column[k]] = s;
    S[3 * entry_column[k] + entry_row[k]] = s;
  }
  if (v->nlist != RH_FIT_FACTORS || !rh_cholesky(3, S)) {
    return rh_refuse(RH_INPUT_REFUSED,
                     "fit: --free %s: the scene must have six numbers here, of a body with an "
                     "extent along each axis",
                     v->path);
  }
  int row = factor_row[v->factor - 1];
  int column = factor_column[v->factor - 1];
  v->start = S[3 * row + column];
  v->scale = row == column ? RH_FIT_LOG : RH_FIT_LINEAR;
  v->size = sqrt(S[4 * row] * S[4 * column]);
  return RH_OK;
}

bool rh_fit_find_inertia(const rh_fit_answer *a, int first, double *inertia, double *deviation)
{
  if (a->value[first].factor != 1) {
    return false;
  }
  double x[RH_FIT_FACTORS];
  double slope[RH_FIT_FACTORS][RH_FIT_FACTORS]; // of each entry by each w
  for (int k = 0; k < RH_FIT_FACTORS; k++) {
    x[k] = a->result[first + k].x;
  }
  rh_fit_inertia_from(x, inertia);
  for (int k = 0; k < RH_FIT_FACTORS; k++) { // I is quadratic in L: central differences are exact
    const rh_fit_value *v = &a->value[first + k];
    double step = v->size;
    double side[2][RH_FIT_FACTORS];
    double middle = x[k];
    for (int s = 0; s < 2; s++) {
      x[k] = middle + (s == 0 ? step : -step);
      rh_fit_inertia_from(x, side[s]);
    }
    x[k] = middle;
    double along = v->scale == RH_FIT_LOG ? middle : v->size; // dx / dw
    for (int i = 0; i < RH_FIT_FACTORS; i++) {
      slope[i][k] = (side[0][i] - side[1][i]) / (2 * step) * along;
    }
  }
  for (int i = 0; i < RH_FIT_FACTORS; i++) {
    double sum = 0;
    for (int j = 0; j < RH_FIT_FACTORS; j++) {
      for (int k = 0; k < RH_FIT_FACTORS; k++) {
        double both = a->result[first + j].deviation * a->result[first + k].deviation;
        sum +=
            slope[i][j] * slope[i][k] * both * a->correlation[(first + j) * a->nvalue + first + k];
      }
    }
    deviation[i] = sqrt(fmax(sum, 0));
  }
  return true;
}
