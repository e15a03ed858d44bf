// energy_check.c: the energy ledger against run.residue; the restitution of single impacts against
// their law, and the energy of impacts that are connected. The residue is relative to the largest energy that the run has moved so far,
//   scale = max of kinetic + springs + contacts, |potential - potential at the start|, each |work|,
// and at least the work of the weights over a hundredth of the bodies' size: the zero of the
// potential has no effect, and bodies at rest are not checked against their rounding.
// The check is made at frames, where a compliant contact ends, and at the end of a run.
#include "simulation.h"

#include "model/contact_speed.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double SMALL = 0.01;   // of the reach of a body: a distance of no interest
static const double ROUNDING = 256; // of DBL_EPSILON times the largest entry of the ledger

// ---- Creation

static double smallest_scale(const rh_model *m)
{
  double sum = 0;
  for (int i = 0; i < m->nshape; i++) {
    const rh_model_shape *s = &m->shape[i];
    if (m->body[s->body].tree != 0 && rh_shape_bounded(s->kind)) {
      sum = fmax(sum, s->reach);
    }
  }
  return SMALL * sum * rh_total_mass(m) * rh_norm(m->gravity);
}

void rh_energy_check_begin(rh_sim *sim)
{
  const rh_model *m = sim->model;
  sim->residue = (rh_residue_stats){.bound = m->run.residue > 0 ? m->run.residue
                                                                : m->run.engine->energy.residue,
                                    .scale = smallest_scale(m),
                                    .start = (double)NAN};
  sim->met.contact = RH_NONE;
}

// ---- The error

// Normal springs of a law that is a function of the depth alone return what they took: what is left
// after their contacts have ended is an error, though the ledger counts it as energy of contacts.
static bool spring_closes(const rh_model_contact *c)
{
  if (c->law == NULL || c->law->face != NULL || c->law->pulls || c->per != 0) {
    return false;
  }
  static const double radius[2] = {0.01, 0.02}; // [m]
  rh_normal_out out[2] = {{0}};
  for (int i = 0; i < 2; i++) {
    rh_normal_in in = {1e-4, 0, radius[i], c->par, NULL};
    c->law->force(&in, &out[i]);
  }
  return out[0].stored == out[1].stored;
}

// [J] left in springs of contacts that have ended
static double energy_left_over(const rh_sim *sim, double allowed)
{
  const rh_data *d = sim->data;
  double sum = 0;
  for (int i = 0; sim->model->run.engine->located && i < sim->model->ncontact; i++) {
    double left = d->past[i * RH_CONTACT_WORK_COUNT + RH_CONTACT_NORMAL];
    sum += fabs(left) > 0.01 * allowed && spring_closes(&sim->model->contact[i]) ? left : 0;
  }
  return sum;
}

static double largest_entry(const rh_ledger *l)
{
#define ENTRY(name, text) l->name,
  const double entry[] = {RH_LEDGER_LIST(ENTRY)};
#undef ENTRY
  double largest = 0;
  for (int i = 0; i + 1 < RH_COUNT(entry); i++) { // the last is the residue
    largest = fmax(largest, fabs(entry[i]));
  }
  return largest;
}

static void widen_scale(rh_residue_stats *x, const rh_ledger *l)
{
  x->start = isnan(x->start) ? l->potential : x->start;
  const double moved[] = {l->kinetic + l->spring + l->contact,
                          l->potential - x->start,
                          l->damper,
                          l->contact_damper,
                          l->sliding,
                          l->actuator,
                          l->external,
                          l->hand,
                          l->event};
  for (int i = 0; i < RH_COUNT(moved); i++) {
    x->scale = fmax(x->scale, fabs(moved[i]));
  }
}

// ---- The verdict

// The contact that has the greatest power now
static int busiest_slot(const rh_data *d)
{
  int found = RH_NONE;
  double most = 0;
  for (int k = 0; k < d->ncontact; k++) {
    const rh_contact *c = &d->contact[k];
    double speed = fabs(c->rate) + rh_hypot(c->slip[0], c->slip[1]);
    if (c->on && fabs(c->normal) * speed > most) {
      most = fabs(c->normal) * speed;
      found = k;
    }
  }
  return found;
}

// The contact of the last event since the previous check, else the busiest, else the last known
static void name_contact(const rh_sim *sim, rh_event *e)
{
  const rh_data *d = sim->data;
  rh_met met = sim->met;
  int slot = met.contact != RH_NONE && met.t > sim->residue.before ? RH_NONE : busiest_slot(d);
  if (slot != RH_NONE) {
    const rh_contact *c = &d->contact[slot];
    met = (rh_met){.contact = c->rule, .body = {c->a, c->b}};
    e->slot = slot;
    e->point[0] = c->point.x;
    e->point[1] = c->point.y;
    e->point[2] = c->point.z;
  }
  if (met.contact != RH_NONE) {
    snprintf(e->name, sizeof e->name, "%s",
             rh_model_name(sim->model, RH_OBJECT_CONTACT, met.contact));
    rh_event_name_bodies(sim->model, e, met.body[0], met.body[1]);
  }
}

static double parameter_of(const rh_row *row, const double *par, const char *name)
{
  int i = row != NULL ? rh_row_find(row, name) : RH_NONE;
  return i == RH_NONE ? 0 : par[rh_row_offset(row, i)];
}

// The step, or the tolerance, at which an error of this size would be within its bound: at most half the
// present one. Where a tolerance has no lower value another method is the answer.
static void write_advice(const rh_sim *sim, double ratio, char text[RH_ADVICE_MAX])
{
  static const double FACTOR_MIN = 1e-3; // below it another method is the answer
  static const double RTOL_MIN = 1e-12;
  const rh_model_run *run = &sim->model->run;
  double order = run->engine->energy.order != NULL ? run->engine->energy.order(sim->model) : 1;
  double factor = fmin(rh_pow(ratio, -1 / order), 0.5);
  double dt = parameter_of(&run->engine->row, run->engine_par, "dt");
  dt = dt > 0 ? dt : parameter_of(run->integrator, run->integrator_par, "dt");
  double rtol = parameter_of(run->integrator, run->integrator_par, "rtol");
  bool exact = run->integrator != NULL && rtol > 0;
  bool is_cvode = run->integrator != NULL && strcmp(run->integrator->name, "cvode") == 0;
  const char *other = is_cvode                  ? "integrator gbs"
                      : run->integrator != NULL ? "integrator cvode"
                                                : "engine event";
  if (exact && rtol > 2 * RTOL_MIN) {
    snprintf(text, RH_ADVICE_MAX, "rtol %.1g", rh_advised_value(fmax(rtol * factor, RTOL_MIN)));
  } else if (exact || !(factor >= FACTOR_MIN)) {
    snprintf(text, RH_ADVICE_MAX, "%s", other);
  } else {
    const char *setting =
        run->engine->energy.advice != NULL ? run->engine->energy.advice(sim->model) : NULL;
    snprintf(text, RH_ADVICE_MAX, "dt %.1g s%s%s%s%s", rh_advised_value(dt * factor),
             setting != NULL ? ", " : "", setting != NULL ? setting : "",
             run->engine->haptic ? "" : ", or ", run->engine->haptic ? "" : other);
  }
}

static void report_residue(rh_sim *sim, double error, double residue)
{
  const rh_residue_stats *x = &sim->residue;
  char advice[RH_ADVICE_MAX];
  rh_event e = rh_sim_event(sim, RH_EVENT_RESIDUE, "", RH_NONE);
  name_contact(sim, &e);
  e.work = residue;
  write_advice(sim, error / (x->bound * x->scale), advice);
  snprintf(e.note, sizeof e.note,
           "%.3g J are not explained, %.2g of %.3g J (run.residue %.2g), between %.6g and %.6g s; "
           "take %s",
           residue, error / x->scale, x->scale, x->bound, x->before, e.t, advice);
  rh_sim_emit_diagnosis(sim, &e);
}

void rh_energy_check(rh_sim *sim)
{
  rh_residue_stats *x = &sim->residue;
  rh_ledger l = rh_ledger_read(sim->data);
  widen_scale(x, &l);
  sim->check_due = false;
  double allowed = x->bound * x->scale;
  double real = l.residue - energy_left_over(sim, allowed);
  double error = fmax(fabs(l.residue), fabs(real)) - ROUNDING * DBL_EPSILON * largest_entry(&l);
  if (x->scale > 0 && error > x->worst * x->scale) {
    x->worst = error / x->scale;
  }
  if (error > allowed) {
    if (sim->verdicts[RH_EVENT_RESIDUE] == 0) {
      report_residue(sim, error, real);
    } else {
      sim->verdicts[RH_EVENT_RESIDUE]++;
    }
  }
  x->before = *sim->data->t;
}

rh_status rh_sim_check_energy(rh_sim *sim)
{
  if (sim->started && *sim->data->t > sim->residue.before) {
    rh_energy_check(sim);
  }
  return sim->refused ? RH_STOPPED : RH_OK;
}

bool rh_sim_residue_advice(const rh_sim *sim, char text[RH_ADVICE_MAX])
{
  const rh_residue_stats *x = &sim->residue;
  text[0] = '\0';
  if (x->worst > x->bound) {
    write_advice(sim, x->worst / x->bound, text);
  }
  return text[0] != '\0';
}

// ---- Restitution

static void report_rebound(rh_sim *sim, const rh_event *impact, const char *unit, double e)
{
  rh_event x = *impact;
  x.kind = RH_EVENT_RESTITUTION;
  snprintf(x.note, sizeof x.note,
           "it left with %.4g of its speed of %.4g %s; its law allows e = %g",
           -impact->after / impact->before, fabs(impact->before), unit, e);
  rh_sim_emit_diagnosis(sim, &x);
}

void rh_restitution_check(rh_sim *sim, const rh_event *impact, int contact, double slack)
{
  const rh_model_contact *c = &sim->model->contact[contact];
  bool kinematic = c->impact != NULL &&
                   (c->impact->ratio == RH_E_OF_VELOCITIES || (c->mu_s == 0 && c->mu_k == 0));
  double speed = fmax(-impact->before, 0);
  double e = fmax(rh_contact_restitution(c, speed), 0);
  if (kinematic && impact->after > e * speed * (1 + RH_TOL_RESTITUTION) + slack) {
    report_rebound(sim, impact, "m/s", e);
  }
}

void rh_limit_restitution_check(rh_sim *sim, const rh_event *bounce, double slack)
{
  const rh_model_dof *f = &sim->model->dof[bounce->dof];
  double back = bounce->before > 0 ? -bounce->after : bounce->after;
  if (back > f->bounce * fabs(bounce->before) * (1 + RH_TOL_RESTITUTION) + slack) {
    report_rebound(sim, bounce, "m/s, or rad/s", f->bounce);
  }
}

void rh_impact_energy_check(rh_sim *sim, const rh_event *impact, double gain, double moved)
{
  if (!(gain > RH_TOL_RESTITUTION * moved)) {
    return;
  }
  rh_event x = *impact;
  x.kind = RH_EVENT_RESTITUTION;
  x.work = gain;
  snprintf(x.note, sizeof x.note,
           "the impacts of this moment that are connected with it gave the bodies %.3g J, of %.3g "
           "J; no law allows that",
           gain, moved);
  rh_sim_emit_diagnosis(sim, &x);
}
