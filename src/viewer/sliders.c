// sliders.c: the values of contacts that a page can change during a run, from the rows of their
// laws: unit, default, range; and the effect of a law with its present values.
#include "base/json.h"
#include "impact/impact.h"
#include "laws/free_impact.h"
#include "model/schema.h"
#include "viewer.h"

#include <routh/kind.h>
#include <routh/scene.h>

#include <math.h>
#include <string.h>

#define POINTS      121    // of a curve
#define DECADES     1000.0 // range of a logarithmic slider, either way
#define NARROW      100.0  // [1] a wider range is not linear
#define COEFFICIENT 1.5    // [1] usual maximum of a coefficient, such as friction
#define RADIUS      0.05   // [m] for shapes without curvature: that of `routh law`
#define LINGER      20.0   // factor of the time to the maximum depth, if it stays in the ground

// ---- Values

// Limits of a slider: the range of the row, or decades about the value where that is wide.
static const char *scale_of(const rh_param *param, double value, double span[2])
{
  double centre = value != 0 ? value : param->def;
  span[0] = param->lo;
  span[1] = param->hi;
  if (param->type != RH_NUMBER) {
    return param->type == RH_CHOICE ? "choice" : "number";
  }
  bool wide =
      !(param->hi - param->lo <= NARROW) || (param->lo > 0 && param->hi / param->lo > DECADES);
  if (!wide) {
    return "linear";
  }
  if (strcmp(param->unit, "1") == 0 && fabs(centre) <= NARROW) { // a coefficient
    span[1] = fmin(param->hi, fmax(COEFFICIENT, 2 * centre));
    return "linear";
  }
  if (!(centre > 0) || isinf(centre)) {
    return "number";
  }
  span[0] = fmax(param->lo, centre / DECADES);
  span[1] = fmin(param->hi, centre * DECADES);
  return "log";
}

static void put_choice(rh_json *json, const rh_param *param, double value)
{
  rh_json_string(json, "choices", param->choices);
  rh_json_integer(json, "value", (long)value);
  rh_json_integer(json, "default", (long)param->def);
}

static void put_path(rh_json *json, int contact, const char *name)
{
  char path[RH_NAME_MAX + 24];
  (void)snprintf(path, sizeof path, "contacts.%d.%s", contact, name);
  rh_json_string(json, "path", path);
}

typedef struct owner { // of a value
  const rh_row *row;
  const double *par;
  const double *fitted; // values fitted to a restitution; NULL: none
  const char *of;       // "law", "friction"
  int contact;
} owner;

static void put_value(rh_json *json, const owner *o, int i)
{
  const rh_param *param = &o->row->param[i];
  double value = o->par[rh_row_offset(o->row, i)];
  double span[2];
  char unit[RH_NAME_MAX];
  const char *scale = scale_of(param, value, span);
  if (param->type != RH_NUMBER && param->type != RH_CHOICE && param->type != RH_INTEGER) {
    return;
  }
  rh_json_open_object(json, NULL);
  rh_json_string(json, "name", param->name);
  put_path(json, o->contact, param->name);
  rh_json_string(json, "of", o->of);
  rh_json_string(json, "doc", param->doc);
  rh_json_string(json, "scale", scale);
  if (param->type == RH_CHOICE) {
    put_choice(json, param, value);
  } else {
    rh_json_string(json, "unit", rh_param_unit(o->row, i, o->par, unit));
    rh_json_number(json, "value", value);
    rh_json_number(json, "default", param->def);
    rh_json_number(json, "from", span[0]);
    rh_json_number(json, "to", span[1]);
  }
  rh_json_close(json);
}

static void put_row(rh_json *json, const owner *o)
{
  for (int i = 0; o->row != NULL && i < o->row->nparam; i++) {
    int at = rh_row_offset(o->row, i);
    if (o->fitted == NULL || o->fitted[at] == o->par[at]) { // others have no effect
      put_value(json, o, i);
    }
  }
}

// A given restitution determines the damping: it is the value to change.
static void put_restitution(rh_json *json, const rh_contact_def *def, int contact)
{
  if (def->restitution.n == 0) {
    return;
  }
  rh_json_open_object(json, NULL);
  rh_json_string(json, "name", "restitution");
  put_path(json, contact, "restitution");
  rh_json_string(json, "of", "law");
  rh_json_string(json, "doc", "wanted restitution; the damping follows from it");
  rh_json_string(json, "scale", "linear");
  rh_json_string(json, "unit", "1");
  rh_json_number(json, "value", def->restitution.x[0]);
  rh_json_number(json, "default", def->restitution.x[0]);
  rh_json_number(json, "from", 0);
  rh_json_number(json, "to", 1);
  rh_json_close(json);
}

static void put_contact(rh_json *json, const rh_scene *scene, const rh_model *m, int i)
{
  const rh_section *section = &rh_sections[RH_SECTION_CONTACTS];
  const rh_contact_def *def = rh_scene_item(scene, RH_SECTION_CONTACTS, i);
  const rh_row *law = rh_section_row(section, 0, def);
  const rh_row *friction = rh_section_row(section, 1, def);
  rh_json_open_object(json, NULL);
  rh_json_string(json, "name", rh_model_name(m, RH_OBJECT_CONTACT, i));
  rh_json_string(json, "body", def->body.text);
  rh_json_string(json, "against", def->against.text);
  rh_json_string(json, "law", def->law.text);
  rh_json_string(json, "friction", def->friction.text);
  rh_json_bool(json, "rigid", m->contact[i].law == NULL);
  rh_json_open_array(json, "values");
  put_restitution(json, def, i);
  const double *fitted = def->restitution.n > 0 ? m->contact[i].par : NULL;
  put_row(json, &(owner){law, def->par, fitted, "law", i});
  put_row(json, &(owner){friction, def->friction_par, NULL, "friction", i});
  rh_json_close(json);
  rh_json_close(json);
}

static const rh_model *model_now(const rh_viewer_live *live)
{
  return rh_sim_view(rh_replay_sim(rh_viewer_live_play(live)))->model;
}

rh_status rh_viewer_sliders(const rh_viewer_live *live, rh_diag *diag, rh_text *out)
{
  rh_scene *scene = NULL;
  rh_json json = rh_json_start(out, false);
  RH_TRY(rh_replay_scene(rh_viewer_live_play(live), diag, &scene));
  rh_json_open_object(&json, NULL);
  rh_json_open_array(&json, "contacts");
  for (int i = 0; i < rh_scene_count(scene, RH_SECTION_CONTACTS); i++) {
    put_contact(&json, scene, model_now(live), i);
  }
  rh_json_end(&json);
  rh_scene_destroy(scene);
  return RH_OK;
}

// ---- Curves

// The two bodies of a contact; b is the world for a contact with all.
static void bodies_of(const rh_model *m, int contact, int body[2])
{
  body[0] = body[1] = 0;
  for (int i = 0; i < m->rules.n; i++) {
    if (m->rules.of[i].contact == contact) {
      body[0] = m->rules.of[i].a;
      body[1] = m->rules.of[i].b;
      return;
    }
  }
  for (int i = 0; i < m->nbody; i++) {
    body[1] = m->rules.all[i] == contact ? i : body[1];
  }
}

static double mass_of(const rh_model *m, const int body[2])
{
  double inverse = 0;
  for (int i = 0; i < 2; i++) {
    double mass = m->body[body[i]].tree != 0 ? m->body[body[i]].inertia.mass : 0;
    inverse += mass > 0 ? 1 / mass : 0;
  }
  return inverse > 0 ? 1 / inverse : 1;
}

// Of spheres; other shapes are flat.
static double radius_of(const rh_model *m, const int body[2])
{
  double inverse = 0;
  for (int i = 0; i < m->nshape; i++) {
    const rh_model_shape *s = &m->shape[i];
    int radius = rh_row_find(&s->kind->row, "radius");
    bool mine = s->body == body[0] || s->body == body[1];
    if (mine && radius != RH_NONE && strcmp(s->kind->row.name, "sphere") == 0) {
      inverse += 1 / s->par[rh_row_offset(&s->kind->row, radius)];
    }
  }
  return inverse > 0 ? 1 / inverse : RADIUS;
}

static void put_slow(rh_json *json, const rh_impact1_in *in, const double *depth)
{
  double force[POINTS];
  for (int i = 0; i < POINTS; i++) {
    rh_normal_out out = {0};
    const rh_normal_in at = {depth[i], 0, in->radius, in->par, NULL};
    if (depth[i] > 0) {
      in->law->force(&at, &out);
    }
    force[i] = out.spring + out.damper;
  }
  rh_json_numbers(json, "slow", force, POINTS);
}

static void put_loop(rh_json *json, const rh_impact1_in *in)
{
  double t[POINTS];
  double depth[POINTS];
  double force[POINTS];
  rh_impact1_point point[POINTS];
  rh_impact1_out out;
  if (rh_impact1(in, &out) != RH_OK) {
    return; // too stiff, or too strongly damped, for a curve
  }
  double end = isfinite(out.time_of_return) ? (1 - 1e-9) * out.time_of_return
                                            : LINGER * out.time_of_max_penetration;
  const int half = POINTS / 2; // for the way in, denser at touchdown, where forces rise steeply
  for (int i = 0; i < POINTS; i++) {
    double in_share = (double)i / half;
    double out_share = (double)(i - half) / (POINTS - 1 - half);
    double deepest = out.time_of_max_penetration;
    t[i] = i < half ? deepest * in_share * in_share
                    : deepest + (end - deepest) * out_share * out_share;
  }
  if (rh_impact1_at(in, POINTS, t, point) != RH_OK) {
    return;
  }
  for (int i = 0; i < POINTS; i++) {
    depth[i] = point[i].z;
    force[i] = point[i].force;
  }
  rh_json_number(json, "e", out.e);
  rh_json_number(json, "time", out.contact_time);
  rh_json_numbers(json, "depth", depth, POINTS);
  rh_json_numbers(json, "force", force, POINTS);
  put_slow(json, in, depth);
}

static void put_blow(rh_json *json, const rh_model_contact *c, double mass)
{
  double pn[POINTS];
  double normal[POINTS];
  double slip[POINTS];
  rh_point_at at[POINTS];
  rh_point_out out;
  const rh_point_in in = {.W = {1 / mass, 0, 0, 0, 1 / mass, 0, 0, 0, 1 / mass},
                          .u = {RH_VIEWER_CURVE_SPEED, 0, -RH_VIEWER_CURVE_SPEED},
                          .mu_s = c->mu_s,
                          .mu_k = c->mu_k,
                          .e = c->e,
                          .eta2 = c->eta2};
  if (!rh_point_impact(c->impact, &in, &out)) {
    return;
  }
  for (int i = 0; i < POINTS; i++) {
    pn[i] = out.p[2] * i / (POINTS - 1);
  }
  if (!rh_point_trace(c->impact, &in, &(rh_point_want){POINTS, pn, at}, &out)) {
    return;
  }
  for (int i = 0; i < POINTS; i++) {
    normal[i] = at[i].u[2];
    slip[i] = at[i].u[0];
  }
  rh_json_number(json, "e", out.e);
  rh_json_numbers(json, "impulse", pn, POINTS);
  rh_json_numbers(json, "normal", normal, POINTS);
  rh_json_numbers(json, "slip", slip, POINTS);
}

rh_status rh_viewer_law(const rh_viewer_live *live, long contact, rh_diag *diag, rh_text *out)
{
  const rh_model *m = model_now(live);
  if (contact >= m->ncontact) {
    rh_diag_add(diag, RH_ERROR, RH_NOWHERE, "there is no contact %ld", contact);
    return RH_INPUT_REFUSED;
  }
  const rh_model_contact *c = &m->contact[contact];
  int body[2];
  bodies_of(m, (int)contact, body);
  rh_json json = rh_json_start(out, false);
  rh_json_open_object(&json, NULL);
  rh_json_bool(&json, "rigid", c->law == NULL);
  rh_json_number(&json, "mass", mass_of(m, body));
  rh_json_number(&json, "radius", radius_of(m, body));
  rh_json_number(&json, "speed", RH_VIEWER_CURVE_SPEED);
  if (c->law != NULL) {
    put_loop(&json, &(rh_impact1_in){.law = c->law,
                                     .par = c->par,
                                     .mass = mass_of(m, body),
                                     .speed = RH_VIEWER_CURVE_SPEED,
                                     .radius = radius_of(m, body)});
  } else {
    put_blow(&json, c, mass_of(m, body));
  }
  rh_json_end(&json);
  return RH_OK;
}
