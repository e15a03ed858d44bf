// impact_block.c: an impact as JSON: its contacts, their inertia, the impulse path of a single contact.
#include "base/json.h"
#include "impact/impact.h"
#include "viewer.h"

#include <math.h>
#include <string.h>

#define SAMPLES 97 // of an impulse path

static void put_vec(rh_json *json, const char *key, rh_vec3 v)
{
  const double x[3] = {v.x, v.y, v.z};
  rh_json_numbers(json, key, x, 3);
}

static void put_turns(rh_json *json, const rh_point_log *log)
{
  static const char *const word[] = {"stop", "slip", "compressed", "shift"};
  rh_json_open_array(json, "turns");
  for (int i = 0; i < log->n && i < RH_POINT_TURNS; i++) {
    rh_json_open_object(json, NULL);
    rh_json_string(json, "kind", word[log->at[i].kind]);
    rh_json_number(json, "pn", log->at[i].pn);
    rh_json_close(json);
  }
  rh_json_close(json);
}

// The path of a single contact: p, u, Wn, Wt at SAMPLES normal impulses.
static void put_path(rh_json *json, const rh_impact_law *law, const rh_point_in *in)
{
  double pn[SAMPLES];
  rh_point_at at[SAMPLES];
  rh_point_out out;
  rh_point_log log = {0};
  if (!rh_point_follow(law, in, &out, &log)) {
    return;
  }
  for (int i = 0; i < SAMPLES; i++) {
    pn[i] = out.p[2] * i / (SAMPLES - 1);
  }
  const rh_point_want want = {.n = SAMPLES, .pn = pn, .at = at};
  if (!rh_point_trace(law, in, &want, &out)) {
    return;
  }
  rh_json_number(json, "Pc", out.Pc);
  put_turns(json, &log);
  rh_json_open_array(json, "path");
  for (int i = 0; i < SAMPLES; i++) {
    const double row[8] = {at[i].p[0], at[i].p[1], at[i].p[2], at[i].u[0],
                           at[i].u[1], at[i].u[2], at[i].Wn,   at[i].Wt};
    rh_json_numbers(json, NULL, row, 8);
  }
  rh_json_close(json);
}

static void put_contacts(rh_json *json, const rh_data *d, const rh_impact_contacts *hit)
{
  rh_json_open_array(json, "contacts");
  for (int i = 0; i < hit->n; i++) {
    int slot = hit->slot[hit->first + i];
    const rh_contact *c = &d->contact[slot];
    const rh_model_contact *law = &d->model->contact[c->rule];
    rh_json_open_object(json, NULL);
    rh_json_integer(json, "slot", slot);
    rh_json_integer(json, "contact", c->rule);
    rh_json_number(json, "e", law->e);
    rh_json_number(json, "mu_s", law->mu_s);
    rh_json_number(json, "mu_k", law->mu_k);
    put_vec(json, "at", c->point);
    put_vec(json, "t1", c->t1);
    put_vec(json, "t2", c->t2);
    put_vec(json, "n", c->n);
    rh_json_numbers(json, "u", hit->u + 3 * (size_t)(hit->first + i), 3);
    rh_json_numbers(json, "p", hit->p + 3 * (size_t)(hit->first + i), 3);
    rh_json_close(json);
  }
  rh_json_close(json);
}

static void put_inertia(rh_json *json, const rh_impact_contacts *hit)
{
  size_t all = 3 * (size_t)hit->all;
  rh_json_open_array(json, "W");
  for (size_t r = 0; r < 3 * (size_t)hit->n; r++) {
    rh_json_numbers(json, NULL,
                    hit->W + (3 * (size_t)hit->first + r) * all + 3 * (size_t)hit->first,
                    3 * hit->n);
  }
  rh_json_close(json);
}

static void put_alone(rh_json *json, const rh_data *d, const rh_event *event,
                      const rh_impact_contacts *hit)
{
  const rh_model_contact *law = &d->model->contact[d->contact[hit->slot[hit->first]].rule];
  rh_point_in in = {.mu_s = law->mu_s, .mu_k = law->mu_k, .e = law->e, .eta2 = law->eta2};
  size_t all = 3 * (size_t)hit->all;
  for (size_t r = 0; r < 3; r++) {
    memcpy(in.W + 3 * r, hit->W + (3 * (size_t)hit->first + r) * all + 3 * (size_t)hit->first,
           3 * sizeof in.W[0]);
  }
  memcpy(in.u, hit->u + 3 * (size_t)hit->first, sizeof in.u);
  in.u[2] = event->before < 0 ? in.u[2] : 0; // a jam: the rest of the normal velocity is rounding
  put_path(json, law->impact, &in);
}

// An impact of several contacts gives one event each; the first contact represents it.
bool rh_viewer_impact_put(rh_json *json, const rh_sim *sim, const rh_event *event)
{
  const rh_data *d = rh_sim_view(sim);
  const rh_impact_contacts hit = rh_sim_impact_contacts(sim, event);
  int leader = hit.first;
  while (leader < hit.first + hit.n - 1 && hit.p[3 * (size_t)leader + 2] == 0) {
    leader++;
  }
  if (hit.n == 0 || hit.slot[leader] != event->slot) {
    return false;
  }
  const rh_formulation *form = rh_formulation_of(&d->model->run);
  rh_json_open_object(json, NULL);
  rh_json_number(json, "t", event->t);
  rh_json_string(json, "law", d->model->contact[d->contact[event->slot].rule].impact->row.name);
  rh_json_string(json, "form", hit.n > 1 && form != NULL ? form->row.name : NULL);
  put_contacts(json, d, &hit);
  if (hit.n <= RH_VIEWER_STRUCK_MAX) {
    put_inertia(json, &hit);
  }
  if (hit.n == 1 && !(form != NULL && form->alone)) {
    put_alone(json, d, event, &hit);
  }
  rh_json_close(json);
  return true;
}
