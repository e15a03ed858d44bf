// island_step.c: one island over a step: without impacts, with impacts located one by one, or in batches.
#include "stepping.h"

#include <string.h>

static bool has_rows(const rh_step_world *w, const rh_step_island *s, double h)
{
  bool any = s->ncon > 0 || s->ntie > 0;
  for (int k = s->mob; !any && k < s->mob + s->nmob; k++) {
    int tree = w->member[k] - w->nfree - 1;
    any = tree >= 0 && (w->trees.tree[tree].stiff || rh_step_limits_near(w, w->member[k], h));
  }
  return any;
}

// Impacts are not located.
static void step_plain(rh_step_worker *worker, const rh_step_island *s, double h,
                       const rh_step_missed *late)
{
  const rh_step_world *w = worker->world;
  if (!late) {
    rh_step_substep(worker, s, w->contacts.now, h);
    return;
  }
  rh_step_island view =
      rh_step_examine_again(worker, s, rh_step_collide_island(worker, s, h, false, late));
  rh_step_rows(worker, &view, worker->again, h);
  rh_step_substep(worker, &view, worker->again, h);
  rh_step_copy_forces(w, s, worker->again, view.ncon, false);
}

enum { TRIES = 3 };

// Once, or again with the late contacts. [rows]
static void step_all(rh_step_worker *worker, const rh_step_island *s, double h, bool clash)
{
  const rh_step_world *w = worker->world;
  bool edged = rh_step_may_be_missed(w, s);
  rh_step_missed late;
  late.n = 0;
  if (edged) {
    rh_step_start_keep(worker, s);
  }
  for (int k = 0;; k++) {
    const rh_step_missed *known = late.n > 0 ? &late : NULL;
    if (clash) {
      rh_step_impact_batch(worker, s, h, known);
    } else {
      step_plain(worker, s, h, known);
    }
    if (!edged || k + 1 == TRIES || !rh_step_missed_find(w, s, h, &late)) {
      return;
    }
    rh_step_start_again(worker, s);
  }
}

// The island's part of the energy ledger; added in the order of islands.
static void put_by(const rh_step_worker *worker, rh_step_island *s)
{
  const rh_step_world *w = worker->world;
  s->result.impact_work = worker->result.impact_work;
  s->result.nimpact = worker->result.nimpact;
  s->result.pierced = worker->result.pierced;
  if (w->trees.n > 0) {
    memcpy(s->result.work, worker->result.work, sizeof s->result.work);
  }
  if (w->checks.on) {
    s->result.check = worker->result.check;
  }
}

void rh_step_step_island(rh_step_worker *worker, rh_step_island *s, double h)
{
  const rh_step_world *w = worker->world;
  worker->result.impact_work = 0;
  if (w->checks.on) {
    worker->result.check = (rh_step_check){0};
  }
  worker->result.nimpact = 0;
  worker->result.pierced = s->result.pierced = RH_NONE;
  if (rh_step_asleep(w, w->member[s->mob])) {
    return;
  }
  if (w->trees.n > 0) {
    memset(worker->result.work, 0, sizeof worker->result.work);
  }
  if (!has_rows(w, s, h)) { // it is one mobile by itself
    int i = w->member[s->mob];
    if (i > w->nfree) {
      rh_step_tree_move_free(worker, i, h);
    } else {
      rh_step_move_free(worker, i, h);
    }
    put_by(worker, s);
    return;
  }
  rh_step_rows(worker, s, w->contacts.now, h);
  bool impact = w->laws.restitution && rh_step_first_impact(worker, s, h) < HUGE_VAL;
  if (impact) {
    rh_step_impact_records_begin(worker, s);
  }
  bool clash = impact && rh_step_use_batch_impacts(worker, s);
  if (impact && !clash) {
    rh_step_impacts_located(worker, s, h);
  } else {
    step_all(worker, s, h, clash);
  }
  put_by(worker, s);
}
