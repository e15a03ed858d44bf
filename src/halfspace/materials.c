// Constants of two elastic bodies in contact: the combined modulus E*, the constant of the
// tangential influence, and Dundurs' second constant beta, which couples normal and tangential
// directions (Johnson, Contact Mechanics, 5.1). beta is zero for equal bodies, and for a rigid one
// on an incompressible one.
#include "tractions.h"

#include <math.h>

rh_elastic_pair rh_elastic_pair_of(const double E[2], const double nu[2])
{
  double normal = 0;
  double shear = 0;
  double cross = 0;
  for (int i = 0; i < 2; i++) {
    double sign = i == 0 ? 1 : -1;
    normal += (1 - nu[i] * nu[i]) / E[i];
    shear += nu[i] * (1 + nu[i]) / E[i];
    cross += sign * 0.5 * (1 - 2 * nu[i]) * (1 + nu[i]) / E[i]; // (1 - 2 nu) / (4 G)
  }
  return (rh_elastic_pair){1 / normal, shear / normal, cross / normal};
}
