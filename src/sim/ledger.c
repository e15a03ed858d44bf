// Stage 10: the energy account. Energy now, what left or entered since the start, and what nobody explains.
#include "sim/loop.h"

double rh_ledger_energy(rh_data *d)
{
  rh_kinematics(d);
  return rh_kinetic_energy(d) + rh_potential_energy(d) + rh_spring_energy(d);
}

rh_ledger rh_ledger_read(rh_data *d)
{
  rh_ledger l;
  rh_kinematics(d);
  l.kinetic = rh_kinetic_energy(d);
  l.potential = rh_potential_energy(d);
  l.spring = rh_spring_energy(d);
  l.damper = d->work[RH_WORK_DAMPER];
  l.actuator = d->work[RH_WORK_ACTUATOR];
  l.external = d->work[RH_WORK_EXTERNAL];
  l.initial = d->books[0];
  l.event = d->books[1];
  double now = l.kinetic + l.potential + l.spring;
  l.residue = now - (l.initial + l.actuator + l.external + l.event - l.damper);
  return l;
}

rh_ledger rh_sim_ledger(const rh_sim *sim)
{
  return rh_ledger_read(sim->data);
}
