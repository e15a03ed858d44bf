// One step of a world: collisions, islands, and each island by itself over the step.
#include "compliant.h"
#include "passing_check.h"
#include "stepping.h"

#include <string.h>

static void note_most(rh_step_world *w, double h)
{
  rh_impact_stats *seen = &w->sim->impact;
  seen->deepest = fmax(seen->deepest, w->tally.deepest);
  seen->peak = fmax(seen->peak, w->tally.most / h);
  seen->impulse = fmax(seen->impulse, w->tally.struck);
}

void rh_step_advance(rh_step_world *w)
{
  double h = w->par.dt;
  w->begun = w->tally;
  rh_step_ledger_begin(w);
  rh_step_apply_loads(w);
  if (rh_step_sleep_begin(w)) {
    w->tally.steps++;
    w->nisland = 0;
    return;
  }
  rh_step_trees_place(w);
  rh_step_collide(w);
  rh_step_pass_begin(w);
  if (w->laws.compliant && *w->d->t == 0) {
    rh_step_compliant_begin(w);
  }
  if (w->laws.restitution) {
    rh_step_pressed(w);
  }
  rh_step_islands(w);
  rh_step_slices(w);
  rh_step_parallel_step(w);
  if (rh_step_ledger_end(w) > 0) {
    rh_step_impact_records_report(w);
  }
  w->tally.steps++;
  w->tally.contacts += w->contacts.n;
  if (w->tally.deepest > w->begun.deepest || w->tally.most > w->begun.most ||
      w->tally.struck > w->begun.struck) {
    note_most(w, h);
  }
  rh_step_sleep_end(w, h);
  rh_step_contact *last = w->contacts.last;
  w->contacts.last = w->contacts.now;
  w->contacts.nlast = w->contacts.n;
  w->contacts.now = last;
}
