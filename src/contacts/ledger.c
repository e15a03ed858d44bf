// Stage 10: the energy ledger. Energy now, energy in and out since the start, and the residue.
#include "simulation.h"

static double contact_sum(const rh_data *d, rh_contact_work work)
{
  double sum = 0;
  for (int i = 0; i < d->model->ncontact; i++) {
    sum += d->past[i * RH_CONTACT_WORK_COUNT + (int)work];
  }
  for (int k = 0; k < rh_slots_used(d); k++) {
    sum += d->s[k * RH_SLOT_STATES + RH_SLOT_WORK + (int)work];
  }
  return sum;
}

// Energy in the springs of contacts, by the work done on them. Where a spring is no state function
// ([AF] eq. 33; a face whose area changes as it tilts) this is not the recoverable energy, and does
// not return to zero.
static double contact_energy(const rh_data *d)
{
  return contact_sum(d, RH_CONTACT_NORMAL) + contact_sum(d, RH_CONTACT_SPRING);
}

double rh_ledger_energy(rh_data *d)
{
  rh_kinematics(d);
  return rh_kinetic_energy(d) + rh_potential_energy(d) + rh_spring_energy(d) + contact_energy(d);
}

rh_ledger rh_ledger_read(rh_data *d)
{
  rh_ledger l;
  rh_kinematics(d);
  l.kinetic = rh_kinetic_energy(d);
  l.potential = rh_potential_energy(d);
  l.spring = rh_spring_energy(d);
  l.contact = contact_energy(d);
  l.damper = d->work[RH_WORK_DAMPER];
  l.contact_damper = contact_sum(d, RH_CONTACT_DAMPER) + contact_sum(d, RH_CONTACT_DRAG);
  l.sliding = contact_sum(d, RH_CONTACT_SLIDE);
  l.actuator = d->work[RH_WORK_ACTUATOR];
  l.external = d->work[RH_WORK_EXTERNAL];
  l.hand = d->model->run.hand ? d->work[RH_WORK_HAND] : 0;
  l.initial = d->energy_base[0];
  l.event = d->energy_base[1];
  double now = l.kinetic + l.potential + l.spring + l.contact;
  double lost = l.damper + l.contact_damper + l.sliding;
  l.residue = now - (l.initial + l.actuator + l.external + l.hand + l.event - lost);
  return l;
}

rh_ledger rh_sim_ledger(const rh_sim *sim)
{
  return rh_ledger_read(sim->data);
}

double rh_ledger_open(rh_sim *sim)
{
  return rh_ledger_energy(sim->data);
}

double rh_ledger_close(rh_sim *sim, double before)
{
  double work = rh_ledger_energy(sim->data) - before;
  sim->data->energy_base[1] += work;
  return work;
}
