// Impacts of a step are reported after all islands, in the order of their times, and at one time in
// the order of islands: observers get the same sequence with any threads. Each island has its own
// capacity of impacts, in proportion to its contacts and mobiles, so that neither capacity nor
// order depends on threads; beyond it, further impacts of the island in this step are plastic
// (impacts/groups.c).
#include "stepping/stepping.h"

#include "base/sort.h"

#include <stdio.h>

enum {
  MANY =
      1 << 22, // capacity of impacts of a step: 0.5 GB, of which only those that happen take memory
  EACH = 4,    // contacts of a mobile that appear only when it is examined again
};

rh_status rh_step_impact_records_create(rh_step_world *w)
{
  int limits = 0;
  for (int i = 0; i < w->trees.n; i++) {
    limits = w->trees.tree[i].nlimit > limits ? w->trees.tree[i].nlimit : limits;
  }
  w->log.per_mobile = EACH + limits;
  size_t weight =
      (size_t)w->contacts.capacity + (size_t)w->log.per_mobile * (size_t)(w->nfree + w->trees.n);
  int most = weight < MANY ? MANY / (int)weight : 1;
  int points = w->shapes.sampled ? RH_TOUCH_MAX : RH_MANIFOLD_MAX;
  int depth = w->par.impacts_per_step > points
                  ? (int)w->par.impacts_per_step
                  : points; // one point may become as many when it is examined again
  w->log.per_contact = depth < most ? depth : most;
  size_t count = w->laws.impacts ? weight * (size_t)w->log.per_contact : 0;
  w->log.memory = rh_realloc(NULL, count * (sizeof *w->log.impact + 2 * sizeof *w->log.by_time));
  w->log.impact = w->log.memory;
  w->log.by_time = (int *)(void *)(w->log.impact + count);
  return w->log.memory ? RH_OK : RH_OUT_OF_MEMORY;
}

static int first_of(const rh_step_world *w, const rh_step_island *s)
{
  return w->log.per_contact * (s->con + w->log.per_mobile * s->mob);
}

void rh_step_impact_records_begin(rh_step_worker *worker, const rh_step_island *s)
{
  const rh_step_world *w = worker->world;
  worker->impact = w->log.impact + first_of(w, s);
  worker->impact_capacity = w->log.per_contact * (s->ncon + w->log.per_mobile * s->nmob);
}

rh_impact_record *rh_step_impact_record_add(rh_step_worker *worker, int rule, int dof)
{
  RH_ASSERT(worker->result.nimpact < worker->impact_capacity);
  rh_impact_record *e = &worker->impact[worker->result.nimpact++];
  *e = (rh_impact_record){
      .t = worker->at, .rule = rule, .dof = dof, .gained = worker->gained, .moved = worker->moved};
  worker->gained = 0; // one record has it
  return e;
}

// ---- In the order of time

static bool is_earlier(const void *items, int i, int j)
{
  const rh_impact_record *note = items;
  return note[i].t < note[j].t;
}

// An impact that did not follow the path of its law, or of the run's formulation
static void report_pathless(rh_step_world *w, const rh_event *impact, int rule)
{
  rh_event e = *impact;
  e.kind = RH_EVENT_FORMULATION;
  snprintf(
      e.note, sizeof e.note,
      "the path of an impact (%s, %s) was not followed, since loops, limits that touch or many "
      "points or bodies take part, or it would have given energy: all were one problem by %s",
      w->m->contact[rule].impact->row.name, w->m->run.multi_impact->name,
      w->laws.poisson[rule] ? "poisson" : "newton");
  rh_sim_emit_diagnosis(w->sim, &e);
}

static void report_impact(rh_step_world *w, const rh_impact_record *note)
{
  bool limit = note->rule == RH_NONE;
  const char *name = limit ? rh_model_name(w->m, RH_OBJECT_JOINT, w->m->dof[note->dof].body)
                           : rh_model_name(w->m, RH_OBJECT_CONTACT, note->rule);
  rh_event e = rh_sim_event(w->sim, limit ? RH_EVENT_BOUNCE : RH_EVENT_IMPACT, name, note->dof);
  if (!limit) {
    rh_event_name_bodies(w->m, &e, w->m->shape[note->a].body, w->m->shape[note->b].body);
  }
  e.t += note->t;
  e.point[0] = note->point.x;
  e.point[1] = note->point.y;
  e.point[2] = note->point.z;
  e.before = note->before;
  e.after = note->after;
  e.impulse = note->impulse;
  e.friction = note->friction;
  e.Dn = -note->normal;
  e.Dt = -note->slide;
  e.work = note->work;
  if (note->counts) {
    rh_sim_note_impact(w->sim, note->before, note->after, note->single);
  }
  rh_sim_emit_event(w->sim, &e);
  if (note->alone && limit) {
    rh_limit_restitution_check(w->sim, &e, w->par.tolerance);
  } else if (note->alone) {
    rh_restitution_check(w->sim, &e, note->rule, w->par.tolerance);
  }
  rh_impact_energy_check(w->sim, &e, note->gained, note->moved);
  if (note->pathless) {
    report_pathless(w, &e, note->rule);
  }
}

void rh_step_impact_records_report(rh_step_world *w)
{
  int n = 0;
  for (int k = 0; k < w->nisland; k++) {
    const rh_step_island *s = &w->island[k];
    for (int i = 0; i < w->result[k].nimpact; i++) {
      w->log.by_time[n++] = first_of(w, s) + i;
    }
  }
  rh_sort_order(w->log.by_time, n, w->log.by_time + n, is_earlier, w->log.impact);
  for (int i = 0; i < n; i++) {
    report_impact(w, &w->log.impact[w->log.by_time[i]]);
  }
}
