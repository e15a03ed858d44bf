// medium.c: forces of a fluid at rest, or moving with the wind, on bodies that are boxes to it: drag of
// each pair of sides with the square of the speed along its axis, and viscous drag as of a sphere of the
// mean side. The force acts at the centre of mass; the fluid is not moved. This is the inertia-box
// model of MuJoCo.
#include "multibody.h"

rh_force rh_medium_force(const rh_data *d, int body)
{
  const rh_model *m = d->model;
  const rh_model_drag *box = &m->body[body].drag;
  const rh_kin_body *b = &d->kin[body];
  const double pi = 3.14159265358979323846;
  rh_vec3 com = rh_scale(1 / m->body[body].inertia.mass, m->body[body].inertia.h);
  rh_vec3 arm = rh_rotate(&b->R, com);
  rh_mat3 R = rh_mat3_mul(&b->R, &box->R);
  rh_vec3 v = rh_sub(rh_add(b->v.lin, rh_cross(b->v.ang, arm)), m->start.medium.wind);
  v = rh_unrotate(&R, v);
  rh_vec3 w = rh_unrotate(&R, b->v.ang);
  const double lin[3] = {v.x, v.y, v.z};
  const double ang[3] = {w.x, w.y, w.z};
  double mean = (box->side[0] + box->side[1] + box->side[2]) / 3;
  double f[3];
  double n[3];
  for (int i = 0; i < 3; i++) {
    double y = box->side[(i + 1) % 3];
    double z = box->side[(i + 2) % 3];
    f[i] = -3 * pi * mean * m->start.medium.viscosity * lin[i];
    f[i] -= 0.5 * m->start.medium.density * y * z * fabs(lin[i]) * lin[i];
    n[i] = -pi * mean * mean * mean * m->start.medium.viscosity * ang[i];
    double fourth = y * y * y * y + z * z * z * z;
    n[i] -= m->start.medium.density * box->side[i] * fourth * fabs(ang[i]) * ang[i] / 64;
  }
  rh_force at = {rh_rotate(&R, rh_v3(n[0], n[1], n[2])), rh_rotate(&R, rh_v3(f[0], f[1], f[2]))};
  return rh_force_shift_back(at, arm);
}

bool rh_medium_acts(const rh_model *m, int body)
{
  bool fluid = m->start.medium.density > 0 || m->start.medium.viscosity > 0;
  return fluid && m->body[body].drag.side[0] > 0 && m->body[body].inertia.mass > 0;
}
