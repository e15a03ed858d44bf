// run_header.c: constant data: bodies, shapes, meshes, contacts, channels, events, as JSON and
// blocks.
#include "base/json.h"
#include "geometry/heightfield.h"
#include "geometry/hull/hull.h"
#include "impact/impact.h"
#include "viewer.h"

#include <math.h>
#include <string.h>

// ---- Bodies and shapes

// The centre of mass: the page draws a body without shapes there.
static void put_centre(rh_json *json, const rh_inertia *inertia)
{
  double m = inertia->mass;
  const double at[3] = {inertia->h.x / m, inertia->h.y / m, inertia->h.z / m};
  if (m > 0) {
    rh_json_numbers(json, "com", at, 3);
  }
}

static bool is_kept(const rh_viewer_crowd *crowd, int body)
{
  return crowd->n == 0 || crowd->kept[body] != RH_NONE;
}

static int number_of(const rh_viewer_crowd *crowd, int body)
{
  return crowd->n == 0 || body < 0 ? body : crowd->kept[body];
}

static void put_bodies(rh_json *json, const rh_model *m, const rh_viewer_crowd *crowd)
{
  rh_json_open_array(json, "bodies");
  for (int i = 0; i < m->nbody; i++) {
    const rh_model_body *b = &m->body[i];
    if (!is_kept(crowd, i)) {
      continue;
    }
    rh_json_open_object(json, NULL);
    rh_json_string(json, "name", i == 0 ? "world" : rh_model_name(m, RH_OBJECT_BODY, i));
    rh_json_integer(json, "parent", number_of(crowd, b->parent));
    rh_json_bool(json, "moves", b->tree != 0);
    rh_json_number(json, "mass", b->inertia.mass);
    put_centre(json, &b->inertia);
    if (i > 0) {
      rh_json_string(json, "joint", rh_model_name(m, RH_OBJECT_JOINT, i));
      rh_json_string(json, "kind", ((const rh_row *)b->joint)->name);
    }
    rh_json_close(json);
  }
  rh_json_close(json);
}

static int mesh_index(const rh_model *m, const void *mesh)
{
  for (int i = 0; i < m->meshes.n; i++) {
    if (m->meshes.of[i] == mesh) {
      return i;
    }
  }
  return RH_NONE;
}

static void put_shapes(rh_json *json, const rh_model *m, const rh_viewer_crowd *crowd)
{
  rh_json_open_array(json, "shapes");
  for (int i = 0; i < m->nshape; i++) {
    const rh_model_shape *s = &m->shape[i];
    const rh_row *row = &s->kind->row;
    const double p[3] = {s->place.p.x, s->place.p.y, s->place.p.z};
    if (!is_kept(crowd, s->body)) {
      continue;
    }
    rh_json_open_object(json, NULL);
    rh_json_string(json, "name", rh_model_name(m, RH_OBJECT_SHAPE, i));
    rh_json_string(json, "kind", row->name);
    rh_json_integer(json, "body", number_of(crowd, s->body));
    rh_json_numbers(json, "at", p, 3);
    rh_json_numbers(json, "turn", s->place.R.m, 9);
    for (int k = 0; k < row->nparam; k++) {
      rh_json_numbers(json, row->param[k].name, s->par + rh_row_offset(row, k),
                      rh_param_size(&row->param[k]));
    }
    if (s->mesh != NULL) {
      rh_json_integer(json, "mesh", mesh_index(m, s->mesh));
    }
    rh_json_close(json);
  }
  rh_json_close(json);
}

// ---- Contacts: laws, and data of the friction cone

static double find_parameter(const rh_row *row, const double *par, const char *name,
                             double otherwise)
{
  int k = rh_row_find(row, name);
  return k == RH_NONE ? otherwise : par[rh_row_offset(row, k)];
}

static void put_contact(rh_json *json, const rh_model *m, int i)
{
  const rh_model_contact *c = &m->contact[i];
  double mu_s = c->mu_s;
  double mu_k = c->mu_k;
  const rh_row *friction = c->friction != NULL ? (const rh_row *)c->friction : NULL;
  const rh_row *law = c->impact != NULL ? &c->impact->row : c->law != NULL ? &c->law->row : NULL;
  if (c->impact == NULL && friction != NULL) {
    double mu = find_parameter(friction, c->friction_par, "mu", 0);
    mu_s = find_parameter(friction, c->friction_par, "mu_s", mu);
    mu_k = find_parameter(friction, c->friction_par, "mu_k", mu);
  }
  rh_json_open_object(json, NULL);
  rh_json_string(json, "name", rh_model_name(m, RH_OBJECT_CONTACT, i));
  rh_json_bool(json, "rigid", c->impact != NULL);
  rh_json_string(json, "law", law != NULL ? law->name : NULL);
  rh_json_string(json, "friction", friction != NULL ? friction->name : NULL);
  rh_json_number(json, "mu_s", mu_s);
  rh_json_number(json, "mu_k", mu_k);
  if (c->impact != NULL) {
    rh_json_number(json, "e", c->e);
  }
  rh_json_close(json);
}

static void put_channels(rh_json *json, const rh_channels *channels, const double *constant)
{
  rh_json_open_array(json, "channels");
  for (int i = 0; i < rh_channels_count(channels); i++) {
    rh_json_open_object(json, NULL);
    rh_json_string(json, "name", rh_channel_name(channels, i));
    rh_json_string(json, "unit", rh_channel_unit(channels, i));
    if (constant != NULL && !isnan(constant[i])) {
      rh_json_number(json, "constant", constant[i]);
    }
    rh_json_close(json);
  }
  rh_json_close(json);
}

static void put_ledger(rh_json *json)
{
  rh_json_open_array(json, "ledger");
#define ROW(name, text)                                                                            \
  rh_json_open_object(json, NULL);                                                                 \
  rh_json_string(json, "name", #name);                                                             \
  rh_json_string(json, "doc", text);                                                               \
  rh_json_close(json);
  RH_LEDGER_LIST(ROW)
#undef ROW
  rh_json_close(json);
}

// The page has no texts of its own for the kinds of events.
static void put_event_kinds(rh_json *json)
{
  rh_json_open_array(json, "event_kinds");
  for (int i = 0; i < RH_EVENT_COUNT; i++) {
    rh_event_kind kind = (rh_event_kind)i;
    rh_json_open_object(json, NULL);
    rh_json_string(json, "name", rh_event_word(kind));
    rh_json_string(json, "doc", rh_event_text(kind));
    rh_json_bool(json, "impulse", rh_event_is_impulse(kind));
    rh_json_bool(json, "verdict", rh_event_is_verdict(kind));
    rh_json_bool(json, "error", rh_event_is_error(kind));
    rh_json_close(json);
  }
  rh_json_close(json);
}

static void put_few_channels(rh_json *json, const rh_channels *channels)
{
  int index[RH_VIEWER_LEDGER];
  rh_viewer_ledger_channels(channels, index);
  rh_json_open_array(json, "channels");
  for (int i = 0; i < RH_VIEWER_LEDGER; i++) {
    rh_json_open_object(json, NULL);
    rh_json_string(json, "name", rh_channel_name(channels, index[i]));
    rh_json_string(json, "unit", rh_channel_unit(channels, index[i]));
    rh_json_integer(json, "id", index[i]);
    rh_json_close(json);
  }
  rh_json_close(json);
}

static void put_model(rh_json *json, const rh_model *m, const rh_viewer_crowd *crowd)
{
  const double g[3] = {m->gravity.x, m->gravity.y, m->gravity.z};
  rh_json_numbers(json, "gravity", g, 3);
  rh_json_number(json, "every", m->run.every);
  rh_json_number(json, "until", m->run.until);
  rh_json_string(json, "impacts",
                 rh_formulation_of(&m->run) != NULL ? rh_formulation_of(&m->run)->row.name : NULL);
  put_bodies(json, m, crowd);
  put_shapes(json, m, crowd);
  rh_viewer_visuals_put(json, m);
  rh_viewer_devices_put(json, m);
  rh_json_integer(json, "meshes", m->meshes.n);
  rh_json_open_array(json, "contacts");
  for (int i = 0; i < m->ncontact; i++) {
    put_contact(json, m, i);
  }
  rh_json_close(json);
  if (m->haptic.on) {
    rh_json_open_object(json, "haptic");
    rh_json_integer(json, "tool", m->haptic.tool);
    rh_json_integer(json, "device",
                    m->haptic.device != RH_NONE ? m->haptic.device : m->haptic.tool);
    rh_json_close(json);
  }
  put_ledger(json);
  put_event_kinds(json);
}

void rh_viewer_model_put(rh_json *json, const rh_model *m, const rh_channels *channels,
                         const double *constant)
{
  put_model(json, m, &(rh_viewer_crowd){0});
  put_channels(json, channels, constant);
}

void rh_viewer_crowded_put(rh_json *json, const rh_model *m, const rh_channels *channels,
                           const rh_viewer_crowd *crowd)
{
  put_model(json, m, crowd);
  put_few_channels(json, channels);
}

// ---- Meshes

static void put_vec(rh_text *out, rh_vec3 v)
{
  rh_viewer_put_f32(out, v.x);
  rh_viewer_put_f32(out, v.y);
  rh_viewer_put_f32(out, v.z);
}

// Faces are convex: each is a fan around its first corner.
static void put_hull(rh_text *out, int mesh, const rh_hull *hull)
{
  uint32_t triangles = 0;
  for (int f = 0; f < hull->nface; f++) {
    triangles += (uint32_t)(hull->face[f].count - 2);
  }
  const uint32_t word[RH_VIEWER_HEAD - 1] = {RH_VIEWER_HULL,        (uint32_t)mesh, 1, 1,
                                             (uint32_t)hull->nvert, triangles};
  rh_viewer_put_head(out, word);
  for (int i = 0; i < hull->nvert; i++) {
    put_vec(out, hull->vert[i]);
  }
  for (int f = 0; f < hull->nface; f++) {
    const int *loop = hull->loop + hull->face[f].first;
    for (int k = 2; k < hull->face[f].count; k++) {
      rh_viewer_put_u32(out, (uint32_t)loop[0]);
      rh_viewer_put_u32(out, (uint32_t)loop[k - 1]);
      rh_viewer_put_u32(out, (uint32_t)loop[k]);
    }
  }
}

static int count_remaining_samples(int n,
                                   int *step) // remaining samples; the last one always remains
{
  *step = (n - 2) / (RH_VIEWER_FIELD_MAX - 1) + 1;
  return (n - 2) / *step + 2;
}

static int sample_index(int i, int step, int n)
{
  return i * step < n ? i * step : n - 1;
}

static void put_field(rh_text *out, int mesh, const rh_heightfield *field)
{
  int step[2];
  int nx = count_remaining_samples(field->nx, &step[0]);
  int ny = count_remaining_samples(field->ny, &step[1]);
  const uint32_t word[RH_VIEWER_HEAD - 1] = {RH_VIEWER_FIELD, (uint32_t)mesh, 1, 1,
                                             (uint32_t)nx,    (uint32_t)ny};
  rh_viewer_put_head(out, word);
  for (int i = 0; i < nx; i++) {
    rh_viewer_put_f32(out, field->x0 + field->dx * sample_index(i, step[0], field->nx));
  }
  for (int j = 0; j < ny; j++) {
    rh_viewer_put_f32(out, field->y0 + field->dy * sample_index(j, step[1], field->ny));
  }
  for (int j = 0; j < ny; j++) {
    const double *row =
        field->height + (size_t)sample_index(j, step[1], field->ny) * (size_t)field->nx;
    for (int i = 0; i < nx; i++) {
      rh_viewer_put_f32(out, row[sample_index(i, step[0], field->nx)]);
    }
  }
}

void rh_viewer_meshes(const rh_model *model, int mesh, rh_text *out)
{
  const void *of = model->meshes.of[mesh];
  for (int i = 0; i < model->nshape; i++) {
    if (model->shape[i].mesh == of) {
      if (model->shape[i].kind->mesh == RH_MESH_FIELD) {
        put_field(out, mesh, of);
      } else {
        put_hull(out, mesh, of);
      }
      return;
    }
  }
}

// ---- Events

static void put_event(rh_json *json, const rh_model *model, const rh_event *e)
{
  rh_json_open_object(json, NULL);
  rh_json_number(json, "t", e->t);
  rh_json_string(json, "kind", rh_event_word(e->kind));
  rh_json_string(json, "name", e->name);
  if (e->body[0] != e->body[1]) {
    rh_json_open_array(json, "bodies");
    for (int i = 0; i < 2; i++) {
      rh_json_string(json, NULL, rh_model_name(model, RH_OBJECT_BODY, e->body[i]));
    }
    rh_json_close(json);
  }
  if (e->slot != RH_NONE) {
    rh_json_integer(json, "slot", e->slot);
    rh_json_numbers(json, "at", e->point, 3);
  }

  const struct {
    const char *name;
    double value;
  } number[] = {{"before", e->before},     {"after", e->after}, {"impulse", e->impulse},
                {"friction", e->friction}, {"Dn", e->Dn},       {"Dt", e->Dt},
                {"work", e->work}};

  for (int i = 0; i < RH_COUNT(number); i++) {
    if (number[i].value != 0) {
      rh_json_number(json, number[i].name, number[i].value);
    }
  }
  if (e->note[0] != '\0') {
    rh_json_string(json, "note", e->note);
  }
  rh_json_close(json);
}

rh_status rh_viewer_events(const rh_viewer *film, long first, long count, rh_diag *diag,
                           rh_json *json)
{
  long total = rh_viewer_event_count(film);
  first = first < 0 ? 0 : first > total ? total : first;
  count = count < 0 ? 0 : count > RH_VIEWER_EVENTS_MAX ? RH_VIEWER_EVENTS_MAX : count;
  long end = count > total - first ? total : first + count;
  rh_json_open_array(json, "events");
  for (long i = first; i < end; i++) {
    rh_event event;
    RH_TRY(rh_viewer_event(film, i, diag, &event));
    put_event(json, rh_viewer_model(film), &event);
  }
  rh_json_close(json);
  return RH_OK;
}
