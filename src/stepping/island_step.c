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
static void step_plain(rh_step_world *w, const rh_step_island *s, double h,
                       const rh_step_missed *late)
{
  if (!late) {
    rh_step_substep(w, s, w->touch, h);
    return;
  }
  rh_step_island view = rh_step_examine_again(w, s, rh_step_collide_island(w, s, h, false, late));
  rh_step_rows(w, &view, w->again, h);
  rh_step_substep(w, &view, w->again, h);
  rh_step_copy_forces(w, s, w->again, view.ncon, false);
}

enum { TRIES = 3 };

// Once, or again with the late contacts. [rows]
static void step_all(rh_step_world *w, const rh_step_island *s, double h, bool clash)
{
  bool edged = rh_step_may_be_missed(w, s);
  rh_step_missed late;
  late.n = 0;
  if (edged) {
    rh_step_start_keep(w, s);
  }
  for (int k = 0;; k++) {
    const rh_step_missed *known = late.n > 0 ? &late : NULL;
    if (clash) {
      rh_step_impact_batch(w, s, h, known);
    } else {
      step_plain(w, s, h, known);
    }
    if (!edged || k + 1 == TRIES || !rh_step_missed_find(w, s, h, &late)) {
      return;
    }
    rh_step_start_again(w, s);
  }
}

// The island's part of the energy ledger; added in the order of islands.
static void put_by(const rh_step_world *w, rh_step_island *s)
{
  s->struck = w->struck;
  s->nnote = w->nnote;
  s->pierced = w->pierced;
  if (w->trees.n > 0) {
    memcpy(s->work, w->work, sizeof s->work);
  }
  if (w->judging) {
    s->judged = w->judged;
  }
}

void rh_step_step_island(rh_step_world *w, rh_step_island *s, double h)
{
  w->struck = 0;
  if (w->judging) {
    w->judged = (rh_step_check){0};
  }
  w->nnote = 0;
  w->pierced = s->pierced = RH_NONE;
  if (rh_step_asleep(w, w->member[s->mob])) {
    return;
  }
  if (w->trees.n > 0) {
    memset(w->work, 0, sizeof w->work);
  }
  if (!has_rows(w, s, h)) { // it is one mobile by itself
    int i = w->member[s->mob];
    if (i > w->nfree) {
      rh_step_tree_move_free(w, i, h);
    } else {
      rh_step_move_free(w, i, h);
    }
    put_by(w, s);
    return;
  }
  rh_step_rows(w, s, w->touch, h);
  bool impact = w->lively && rh_step_first_impact(w, s, h) < HUGE_VAL;
  if (impact) {
    rh_step_impact_records_begin(w, s);
  }
  bool clash = impact && rh_step_use_batch_impacts(w, s);
  if (impact && !clash) {
    rh_step_impacts_located(w, s, h);
  } else {
    step_all(w, s, h, clash);
  }
  put_by(w, s);
}
