// report.c: reports of an engine: events, diagnoses, impacts of the run's statistics.
#include "simulation.h"

#include <math.h>
#include <stdio.h>

void rh_sim_keep_answer(rh_sim *sim, rh_status answer)
{
  if (sim->observed == RH_OK) {
    sim->observed = answer;
  }
}

void rh_sim_emit_event(rh_sim *sim, const rh_event *event)
{
  sim->events++;
  sim->piled = event->t == sim->last_event ? sim->piled + 1 : 0;
  sim->last_event = event->t;
  if (event->body[0] >= 0 && event->body[1] >= 0 && !rh_event_is_verdict(event->kind)) {
    sim->met = (rh_met){event->t,
                        rh_model_find(sim->model, RH_OBJECT_CONTACT, event->name),
                        {event->body[0], event->body[1]}};
  }
  if (event->kind == RH_EVENT_IMPACT) {
    sim->impact.impulse = fmax(sim->impact.impulse, event->impulse);
  }
  if (sim->observer.event) {
    rh_sim_keep_answer(sim, sim->observer.event(sim->observer.user, sim, event));
  }
}

void rh_data_wake(rh_data *d, int body)
{
  double together = d->model->layout.nrested > 0 ? d->rested[body] : 0;
  for (int i = 1; i < d->model->layout.nrested; i++) {
    if (body == 0 || i == body || (together < 0 && d->rested[i] == together)) {
      d->rested[i] = 0;
    }
  }
}

rh_event rh_sim_event(const rh_sim *sim, rh_event_kind kind, const char *name, int dof)
{
  rh_event e = {
      .t = *sim->data->t, .kind = kind, .dof = dof, .slot = RH_NONE, .body = {RH_NONE, RH_NONE}};
  snprintf(e.name, sizeof e.name, "%s", name);
  return e;
}

void rh_event_name_bodies(const rh_model *model, rh_event *event, int a, int b)
{
  bool moves = model->body[a].tree != 0;
  event->body[0] = moves ? a : b;
  event->body[1] = moves ? b : a;
}

void rh_sim_emit_diagnosis(rh_sim *sim, const rh_event *e)
{
  if (sim->verdicts[e->kind]++ == 0) {
    sim->first_verdict[e->kind] = *e;
  }
  rh_sim_emit_event(sim, e);
  bool chosen = e->kind == RH_EVENT_NOT_UNIQUE && sim->model->run.select == RH_SELECT_STOP;
  if (sim->model->run.strict || chosen) {
    sim->stop = true;
    sim->refused = true;
    char bodies[RH_BODIES_MAX];
    rh_event_bodies(sim->model, e, bodies);
    bool named = e->name[0] != '\0';
    snprintf(sim->reason, sizeof sim->reason, "at t = %.9g s%s%s%s%s%.80s%s: %s (%s)", e->t,
             named ? ", contact '" : "", e->name, named ? "'" : "", bodies[0] != '\0' ? " (" : "",
             bodies, bodies[0] != '\0' ? ")" : "", e->note,
             sim->model->run.strict ? "the run is strict" : "run.select: stop");
  }
}

void rh_sim_note_impact(rh_sim *sim, double before, double after, bool single)
{
  // the others were at rest, and only transmit the impulse
  if (before < -fmax(sim->model->run.rest_speed, RH_TOL_SLIP)) {
    rh_impact_stats *s = &sim->impact;
    double e = fabs(after) > RH_TOL_SLIP ? -after / before : 0;
    if (single) {
      rh_widen_range(e, s->single == 0, &s->e_lo, &s->e_hi);
    }
    s->single += single;
    s->impacts++;
  }
}

rh_status rh_stop_passed(const rh_model *model, const rh_passed_pair *pair, char *reason,
                         size_t size)
{
  char what[160];
  if (pair->depth > 0) {
    snprintf(what, sizeof what,
             "is pressed in by %.3g m, more than half its thinner shape: its law is too soft for "
             "this speed; take a stiffer or a rigid one",
             pair->depth);
  } else {
    snprintf(what, sizeof what,
             "lets its shapes pass through one another within a step; run.dt is too long for this "
             "speed");
  }
  const int body[2] = {model->shape[pair->shape[0]].body, model->shape[pair->shape[1]].body};
  bool moves = model->body[body[0]].tree != 0;
  snprintf(reason, size, "contact '%.40s' (%.24s on %.24s) %s",
           rh_model_name(model, RH_OBJECT_CONTACT, pair->contact),
           rh_model_name(model, RH_OBJECT_BODY, body[moves ? 0 : 1]),
           rh_model_name(model, RH_OBJECT_BODY, body[moves ? 1 : 0]), what);
  return RH_STOPPED;
}

long rh_sim_verdicts(const rh_sim *sim, rh_event_kind kind, rh_event *first)
{
  if (first) {
    *first = sim->first_verdict[kind];
  }
  return sim->verdicts[kind];
}
