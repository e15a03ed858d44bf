// page_outline.c: outlines seen along z. The outline of a convex shape is its farthest point in
// each direction of the plane: its support function, evaluated on a circle. A plane is a line,
// unless seen from above. Not drawn: heightfields.
#include "page_outline.h"

#include "base/json.h"

#include <math.h>
#include <routh/kind.h>
#include <string.h>

enum { CORNERS = 32, SHAPES_MAX = 256 };

struct rh_sketch {
  const rh_model *model;
  rh_data *data;
  double rate;
  double box[4]; // x0, y0, x1, y1
  bool boxed;
};

rh_sketch *rh_sketch_open(const rh_model *model, double rate)
{
  rh_sketch *p = rh_alloc(sizeof *p);
  rh_data *data = p != NULL ? rh_data_create(model) : NULL;
  if (data == NULL) {
    rh_free(p);
    return NULL;
  }
  *p = (rh_sketch){.model = model,
                   .data = data,
                   .rate = rate,
                   .box = {HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
  return p;
}

void rh_sketch_close(rh_sketch *p)
{
  if (p != NULL) {
    rh_data_destroy(p->data);
    rh_free(p);
  }
}

// Pose of the shape: its body's pose, then its own place.
static rh_xform pose_of(const rh_sketch *p, const rh_model_shape *shape)
{
  const rh_kin_body *body = &p->data->kin[shape->body];
  rh_vec3 at = rh_add(body->p, rh_rotate(&body->R, shape->place.p));
  return (rh_xform){rh_mat3_mul(&body->R, &shape->place.R), at};
}

static rh_vec3 support_point(const rh_model_shape *shape, rh_vec3 direction)
{
  const rh_shape *kind = shape->kind;
  rh_vec3 x = kind->mesh_support ? kind->mesh_support(shape->mesh, direction)
                                 : kind->support(shape->par, direction);
  double round = rh_shape_rounding(kind, shape->par);
  return rh_add(x, rh_scale(round, direction));
}

static void widen_box(rh_sketch *p, rh_vec3 x) // of the first view
{
  if (!p->boxed) {
    p->box[0] = fmin(p->box[0], x.x);
    p->box[1] = fmin(p->box[1], x.y);
    p->box[2] = fmax(p->box[2], x.x);
    p->box[3] = fmax(p->box[3], x.y);
  }
}

static void draw_outline(rh_sketch *p, const rh_model_shape *shape, rh_json *json)
{
  rh_xform pose = pose_of(p, shape);
  double at[2 * CORNERS];
  for (int i = 0; i < CORNERS; i++) {
    // Not along the axes: there the farthest corner of a box is not unique.
    double angle = 2 * rh_acos(-1) * (i + 0.4142) / CORNERS;
    rh_vec3 direction = rh_v3(rh_cos(angle), rh_sin(angle), 0);
    rh_vec3 inner = support_point(shape, rh_unrotate(&pose.R, direction));
    rh_vec3 x = rh_add(pose.p, rh_rotate(&pose.R, inner));
    at[2 * i] = x.x;
    at[2 * i + 1] = x.y;
    widen_box(p, x);
  }
  rh_json_numbers(json, NULL, at, 2 * CORNERS);
}

static void draw_shapes(rh_sketch *p, rh_json *json)
{
  const rh_model *m = p->model;
  rh_json_open_array(json, "shapes");
  for (int i = 0; i < m->nshape && i < SHAPES_MAX; i++) {
    if (rh_shape_bounded(m->shape[i].kind)) {
      draw_outline(p, &m->shape[i], json);
    }
  }
  rh_json_close(json);
  rh_json_open_array(json, "planes");
  for (int i = 0; i < m->nshape && i < SHAPES_MAX; i++) {
    if (!rh_shape_bounded(m->shape[i].kind) && m->shape[i].kind->mesh == RH_MESH_NONE) {
      rh_xform pose = pose_of(p, &m->shape[i]);
      rh_vec3 n = rh_rotate(&pose.R, rh_v3(0, 0, 1));
      if (fabs(n.z) < 0.99) {
        widen_box(p, pose.p);
        const double line[4] = {pose.p.x, pose.p.y, n.x, n.y};
        rh_json_numbers(json, NULL, line, 4);
      }
    }
  }
  rh_json_close(json);
}

static void draw_contacts(const rh_view *view, rh_json *json)
{
  rh_json_open_array(json, "contacts");
  for (int i = 0; i < view->ncontact; i++) {
    const double *c = view->contact[i];
    const double flat[4] = {c[0], c[1], c[3], c[4]};
    rh_json_numbers(json, NULL, flat, 4);
  }
  rh_json_close(json);
}

static void put_body(const rh_sketch *p, int body, const char *key, rh_json *json)
{
  if (body != RH_NONE) {
    rh_vec3 at = p->data->kin[body].p;
    const double flat[2] = {at.x, at.y};
    rh_json_numbers(json, key, flat, 2);
  }
}

void rh_sketch_draw(rh_sketch *p, const rh_view *view, rh_text *text)
{
  memcpy(p->data->state, view->state, (size_t)p->model->layout.nstate * sizeof(double));
  rh_kinematics(p->data);
  text->size = 0;
  rh_json json = rh_json_start(text, false);
  rh_json_open_object(&json, NULL);
  rh_json_number(&json, "t", view->t);
  rh_json_number(&json, "rate", p->rate);
  rh_json_number(&json, "worst", view->worst);
  rh_json_integer(&json, "missed", view->missed);
  rh_json_number(&json, "returned", view->out.returned);
  rh_json_number(&json, "gain", view->gain);
  rh_json_integer(&json, "state", view->out.state);
  put_body(p, p->model->haptic.device, "device", &json);
  put_body(p, p->model->haptic.tool, "tool", &json);
  rh_json_numbers(&json, "force", view->out.wrench, 2);
  draw_shapes(p, &json);
  draw_contacts(view, &json);
  p->boxed = true;
  rh_json_numbers(&json, "box", p->box, 4);
  rh_json_end(&json);
}
