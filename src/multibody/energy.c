// Energy, momentum and centre of mass of a world.
#include "multibody.h"

double rh_kinetic_energy(const rh_data *d)
{
  const rh_model *m = d->model;
  double sum = 0;
  for (int i = 1; i < m->nbody; i++) {
    sum += rh_power(d->kin[i].v, rh_inertia_mul(&d->kin[i].I, d->kin[i].v));
  }
  for (int k = 0; k < m->nv; k++) {
    sum += m->dof[k].armature * d->v[k] * d->v[k];
  }
  return 0.5 * sum;
}

double rh_potential_energy(const rh_data *d)
{
  const rh_model *m = d->model;
  double sum = 0;
  for (int i = 1; i < m->nbody; i++) {
    const rh_kin_body *b = &d->kin[i];
    sum -= rh_dot(m->gravity, rh_addscaled(b->I.h, b->I.mass, b->p));
  }
  return sum;
}

double rh_spring_energy(const rh_data *d)
{
  const rh_model *m = d->model;
  double sum = 0;
  for (int i = 1; i < m->nbody; i++) {
    double delta[6];
    rh_joint_deflection(d, i, delta);
    for (int j = 0; j < m->body[i].nv; j++) {
      sum += m->dof[m->body[i].vadr + j].spring * delta[j] * delta[j];
    }
  }
  return 0.5 * sum + rh_tendon_energy(d);
}

double rh_total_mass(const rh_model *m)
{
  double sum = 0;
  for (int i = 1; i < m->nbody; i++) {
    sum += m->body[i].inertia.mass;
  }
  return sum;
}

rh_vec3 rh_centre_of_mass(const rh_data *d)
{
  const rh_model *m = d->model;
  rh_vec3 sum = {0, 0, 0};
  for (int i = 1; i < m->nbody; i++) {
    sum = rh_add(sum, rh_addscaled(d->kin[i].I.h, d->kin[i].I.mass, d->kin[i].p));
  }
  double mass = rh_total_mass(m);
  return mass > 0 ? rh_scale(1 / mass, sum) : sum;
}

rh_force rh_momentum(const rh_data *d)
{
  const rh_model *m = d->model;
  rh_force sum = {{0, 0, 0}, {0, 0, 0}};
  for (int i = 1; i < m->nbody; i++) {
    rh_force h = rh_inertia_mul(&d->kin[i].I, d->kin[i].v);
    sum = rh_force_add(sum, rh_force_shift_back(h, d->kin[i].p));
  }
  return sum;
}
