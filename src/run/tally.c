// tally.c: the counts of a run, so that a resumed run counts on from there.
#include "run.h"

#include <string.h>

void rh_sim_tally_get(const rh_sim *sim, rh_sim_tally *tally)
{
  *tally = (rh_sim_tally){.step = rh_sim_statistics(sim).step,
                          .impact = sim->impact,
                          .solver = sim->judged,
                          .events = sim->events,
                          .undetermined = sim->undetermined,
                          .several_at = sim->several_at};
  memcpy(tally->verdicts, sim->verdicts, sizeof tally->verdicts);
}

void rh_sim_tally_set(rh_sim *sim, const rh_sim_tally *tally)
{
  rh_step_stats own = {0}; // the engine's, which are added
  sim->model->run.engine->stats(sim->engine, &own);
  sim->before = (rh_step_stats){tally->step.steps - own.steps, tally->step.rejected - own.rejected,
                                tally->step.evaluations - own.evaluations,
                                tally->step.restarts - own.restarts};
  sim->impact = tally->impact;
  sim->judged = tally->solver;
  sim->events = tally->events;
  sim->undetermined = (int)tally->undetermined;
  sim->several_at = tally->several_at;
  memcpy(sim->verdicts, tally->verdicts, sizeof sim->verdicts);
}

void rh_sim_first_verdict(rh_sim *sim, const rh_event *event)
{
  sim->first_verdict[event->kind] = *event;
}
