// tally.c: the counts of a run, so that a resumed run counts on from there.
#include "run.h"

#include <string.h>

void rh_sim_tally_get(const rh_sim *sim, rh_sim_tally *tally)
{
  *tally = (rh_sim_tally){.step = rh_sim_statistics(sim).step,
                          .impact = sim->impact,
                          .solver = sim->checked,
                          .events = sim->events,
                          .undetermined = sim->undetermined,
                          .several_at = sim->several_at,
                          .residue = sim->residue,
                          .met = {sim->met.contact, sim->met.body[0], sim->met.body[1]},
                          .met_at = sim->met.t};
  memcpy(tally->verdicts, sim->verdicts, sizeof tally->verdicts);
  memcpy(tally->parted, sim->parted, sizeof tally->parted);
}

// Numbers of a recording are checked: they become indices.
static void set_last_contact(rh_sim *sim, const rh_sim_tally *tally)
{
  const rh_model *m = sim->model;
  const long *x = tally->met;
  bool good = x[0] >= 0 && x[0] < m->ncontact && x[1] >= 0 && x[1] < m->nbody && x[2] >= 0 &&
              x[2] < m->nbody;
  sim->met = good ? (rh_met){tally->met_at, (int)x[0], {(int)x[1], (int)x[2]}}
                  : (rh_met){.contact = RH_NONE};
}

void rh_sim_tally_set(rh_sim *sim, const rh_sim_tally *tally)
{
  rh_step_stats own = {0}; // the engine's, which are added
  sim->model->run.engine->stats(sim->engine, &own);
  sim->before = (rh_step_stats){tally->step.steps - own.steps, tally->step.rejected - own.rejected,
                                tally->step.evaluations - own.evaluations,
                                tally->step.restarts - own.restarts};
  sim->impact = tally->impact;
  sim->checked = tally->solver;
  sim->events = tally->events;
  sim->undetermined = (int)tally->undetermined;
  sim->several_at = tally->several_at;
  sim->residue = tally->residue;
  set_last_contact(sim, tally);
  memcpy(sim->verdicts, tally->verdicts, sizeof sim->verdicts);
  memcpy(sim->parted, tally->parted, sizeof sim->parted);
}

void rh_sim_first_verdict(rh_sim *sim, const rh_event *event)
{
  sim->first_verdict[event->kind] = *event;
}
