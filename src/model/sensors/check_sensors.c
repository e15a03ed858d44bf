// Sensors: what they are on, their samples, and the sensors of a model.
#include "model/check.h"
#include "model/kinds.h"

#include <math.h>
#include <string.h>

enum { SENSORS_MAX = 1024, DEPTH_MAX = 4096 };

static const rh_sensor_def *def_of(const rh_scene *scene, int i)
{
  return rh_scene_item(scene, RH_SECTION_SENSORS, i);
}

static void refuse_key(rh_check *c, int i, const char *key, const rh_name *name, const char *why)
{
  if (name->text[0] != 0) {
    rh_complain(c, RH_SECTION_SENSORS, i, key, "is not for this kind: %s", why);
  }
}

static void check_body(rh_check *c, int i, const rh_sensor_def *def)
{
  if (strcmp(def->body.text, "world") != 0) {
    (void)rh_check_reference(c, RH_SECTION_SENSORS, i, "body", RH_SECTION_BODIES);
  }
}

static void check_owner(rh_check *c, int i, const rh_sensor_def *def, const rh_sensor_kind *kind)
{
  if (kind->of == RH_SENSOR_OF_JOINT) {
    refuse_key(c, i, "body", &def->body, "it is at a joint");
    refuse_key(c, i, "shape", &def->shape, "it is at a joint");
    const rh_joint *joint = rh_check_joint(c, RH_SECTION_SENSORS, i, "joint", def->dof);
    if (joint && kind->scalar && !joint->scalar) {
      rh_complain(c, RH_SECTION_SENSORS, i, "joint",
                  "must be a joint with one coordinate per degree of freedom");
    }
    return;
  }
  refuse_key(c, i, "joint", &def->joint, "it is on a body");
  if (kind->of == RH_SENSOR_OF_CONTACTS && def->shape.text[0] != 0) {
    refuse_key(c, i, "body", &def->body, "it is on a shape");
    (void)rh_check_reference(c, RH_SECTION_SENSORS, i, "shape", RH_SECTION_SHAPES);
    return;
  }
  refuse_key(c, i, "shape", &def->shape, "it is at a point of a body");
  check_body(c, i, def);
}

// Forces that a kind reads must be known.
static void check_forces(rh_check *c, int i, const rh_sensor_kind *kind)
{
  const rh_engine *engine = rh_engine_of(rh_scene_item(c->scene, RH_SECTION_RUN, 0));
  if (engine && engine->haptic && kind->forces) {
    rh_complain(c, RH_SECTION_SENSORS, i, "kind",
                "reads forces of contacts, which the engine %s does not keep: expected another "
                "kind, or engine event or stepping",
                engine->row.name);
  }
  for (int k = 0;
       kind->forces && kind->motion && k < rh_scene_count(c->scene, RH_SECTION_CONSTRAINTS); k++) {
    const rh_constraint_def *def = rh_scene_item(c->scene, RH_SECTION_CONSTRAINTS, k);
    const rh_constraint_kind *of = rh_constraint_kind_find(def->kind.text);
    if (of && of->bodies) {
      rh_complain(c, RH_SECTION_SENSORS, i, "kind",
                  "does not know the forces of the constraint '%s' on bodies: expected a scene "
                  "without constraints of this kind",
                  def->name.text);
      return;
    }
  }
}

static double depth_of(const rh_sensor_def *def)
{
  return def->rate > 0 ? ceil(def->delay * def->rate) + 2 : 0;
}

static void check_sensor(rh_check *c, int i)
{
  const rh_sensor_def *def = def_of(c->scene, i);
  const rh_sensor_kind *kind = rh_kinds_get()->sensor_find(def->kind.text);
  if (!kind) {
    return; // reported with the kinds of all sections
  }
  check_owner(c, i, def, kind);
  check_forces(c, i, kind);
  bool noisy = def->noise.n > 0;
  if (noisy && kind->exact) {
    rh_complain(c, RH_SECTION_SENSORS, i, "noise", "is not for this kind: it reads whole numbers");
  }
  if (def->noise.n > 1 && kind->width <= 3) {
    rh_complain(c, RH_SECTION_SENSORS, i, "noise", "takes one number for this kind, got %d",
                def->noise.n);
  }
  if ((noisy || def->delay > 0) && def->rate == 0) {
    rh_complain(c, RH_SECTION_SENSORS, i, noisy ? "noise" : "delay",
                "needs a `rate`: it is of samples");
  }
  if (depth_of(def) > DEPTH_MAX) {
    rh_complain(c, RH_SECTION_SENSORS, i, "delay", "is %.0f samples long: the limit is %d",
                def->delay * def->rate, DEPTH_MAX - 2);
  }
}

void rh_check_sensors(rh_check *c)
{
  int n = rh_scene_count(c->scene, RH_SECTION_SENSORS);
  for (int i = 0; i < n && n <= SENSORS_MAX; i++) {
    check_sensor(c, i);
  }
  if (n > SENSORS_MAX) {
    rh_complain(c, RH_SECTION_SENSORS, 0, NULL, "is one of %d: the limit is %d", n, SENSORS_MAX);
  }
}

// ---- In the model

int rh_sensors_count(const rh_scene *scene, bool located, int nv, rh_model_sensors *s)
{
  s->n = rh_scene_count(scene, RH_SECTION_SENSORS);
  for (int i = 0; i < s->n; i++) {
    s->motion = s->motion || rh_kinds_get()->sensor_find(def_of(scene, i)->kind.text)->motion;
  }
  s->nmemory = s->motion && !located ? 1 + nv : 0;
  for (int i = 0; i < s->n; i++) {
    const rh_sensor_def *def = def_of(scene, i);
    int width = rh_kinds_get()->sensor_find(def->kind.text)->width;
    s->nmemory += def->rate > 0 ? 1 + (int)depth_of(def) * width : 0;
  }
  return s->nmemory;
}

static int body_place(rh_check *c, const int *place, const char *name)
{
  int entry = rh_check_find(c, RH_SECTION_BODIES, name);
  return entry == RH_NONE ? 0 : place[entry];
}

static void find_owner(rh_check *c, const int *place, const rh_sensor_def *def, rh_model_sensor *s)
{
  const char *body = def->body.text;
  bool of_shape = def->shape.text[0] != 0; // shapes may have no name
  s->shape = of_shape ? rh_check_find(c, RH_SECTION_SHAPES, def->shape.text) : RH_NONE;
  if (s->kind->of == RH_SENSOR_OF_JOINT) {
    int joint = rh_check_find(c, RH_SECTION_JOINTS, def->joint.text);
    body = ((const rh_joint_def *)rh_scene_item(c->scene, RH_SECTION_JOINTS, joint))->child.text;
  } else if (s->shape != RH_NONE) {
    body = ((const rh_shape_def *)rh_scene_item(c->scene, RH_SECTION_SHAPES, s->shape))->body.text;
  }
  s->body = body_place(c, place, body);
}

void rh_sensors_fill(rh_check *c, const int *place, const rh_model *m, rh_model_sensor *sensor)
{
  int memory = m->sensors.motion && !m->run.engine->located ? 1 + m->nv : 0;
  for (int i = 0; i < m->sensors.n; i++) {
    const rh_sensor_def *def = def_of(c->scene, i);
    rh_model_sensor *s = &sensor[i];
    s->kind = rh_kinds_get()->sensor_find(def->kind.text);
    find_owner(c, place, def, s);
    s->dof = m->body[s->body].vadr + def->dof;
    s->place = (rh_xform){rh_rpy_matrix(def->rpy[0], def->rpy[1], def->rpy[2]),
                          {def->at[0], def->at[1], def->at[2]}};
    for (int k = 0; k < 2 && def->noise.n > 0; k++) {
      s->noise[k] = def->noise.x[def->noise.n > 1 ? k : 0];
    }
    s->period = def->rate > 0 ? 1 / def->rate : 0;
    s->delay = def->delay;
    s->depth = (int)depth_of(def);
    s->memory = memory;
    memory += s->depth > 0 ? 1 + s->depth * s->kind->width : 0;
    memcpy(s->par, def->par, sizeof s->par);
  }
}
