// Checks of a scene, whoever built it. Every check reports through `complain`, which knows the
// place of the value. Checks go on after an error. The tree itself is checked in check_tree.c.
#include "check.h"
#include "servo.h"

#include "kinds.h"

#include "inertia.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- Values: finite, in range, names well formed

static void check_numbers(rh_check *c, rh_section_id id, int index, const rh_param *p,
                          const double *x, int n)
{
  char why[RH_WHY_MAX];
  for (int i = 0; i < n; i++) {
    if (!rh_param_check(p, x[i], why)) {
      rh_complain(c, id, index, p->name, "%s", why);
      return;
    }
  }
}

static bool name_is_well_formed(const char *text)
{
  for (const char *t = text; *t; t++) {
    if (*t <= ' ' || *t > '~' || strchr(".=,:\"'[]{}#", *t)) {
      return false;
    }
  }
  return true;
}

static void check_text(rh_check *c, rh_section_id id, int index, const rh_schema_field *f,
                       const char *text)
{
  size_t length = strlen(text);
  if (f->required && length == 0) {
    rh_complain(c, id, index, f->param.name, "is missing");
  } else if (length == RH_NAME_MAX - 1 && text[length - 1] == '~') {
    rh_complain(c, id, index, f->param.name, "is too long: a name has at most %d characters",
                RH_NAME_MAX - 2);
  } else if (!name_is_well_formed(text)) {
    rh_complain(c, id, index, f->param.name,
                "must be made of letters, digits and - _ / + etc., without blanks and . = , : # "
                "and brackets");
  }
}

static void check_path(rh_check *c, rh_section_id id, int index, const rh_schema_field *f,
                       const char *text)
{
  size_t length = strlen(text);
  bool plain = true;
  for (const char *t = text; *t; t++) {
    plain = plain && (unsigned char)*t >= ' ' && *t != 0x7f;
  }
  if (length == RH_PATH_MAX - 1 && text[length - 1] == '~') {
    rh_complain(c, id, index, f->param.name, "is too long: a path has at most %d characters",
                RH_PATH_MAX - 2);
  } else if (!plain) {
    rh_complain(c, id, index, f->param.name, "must have printable characters only");
  }
}

static void check_long_list(rh_check *c, rh_section_id id, int index, const rh_param *p,
                            const rh_numbers *list)
{
  if (list->n > p->count) {
    rh_complain(c, id, index, p->name, "takes at most %d numbers, got %d", p->count, list->n);
  } else {
    check_numbers(c, id, index, p, list->x, list->n);
  }
}

static void check_field(rh_check *c, rh_section_id id, int index, const rh_schema_field *f)
{
  const char *at = (const char *)rh_scene_item(c->scene, id, index) + f->offset;
  const rh_list *list = (const rh_list *)(const void *)at;
  double number;
  switch (f->param.type) {
  case RH_NUMBER:
    check_numbers(c, id, index, &f->param, (const double *)(const void *)at, 1);
    break;
  case RH_VECTOR:
    check_numbers(c, id, index, &f->param, (const double *)(const void *)at, f->param.count);
    break;
  case RH_LIST:
    if (list->n < 0 || list->n > f->param.count) {
      rh_complain(c, id, index, f->param.name, "takes at most %d numbers, got %d", f->param.count,
                  list->n);
    } else {
      check_numbers(c, id, index, &f->param, list->x, list->n);
    }
    break;
  case RH_INTEGER:
    number = *(const int *)(const void *)at;
    check_numbers(c, id, index, &f->param, &number, 1);
    break;
  case RH_CHOICE: // made by the reader and the enum in the header
  case RH_FLAG:
    break;
  case RH_TEXT:
    check_text(c, id, index, f, at);
    break;
  case RH_NUMBERS:
    check_long_list(c, id, index, &f->param, (const rh_numbers *)(const void *)at);
    break;
  case RH_PATH:
    check_path(c, id, index, f, at);
    break;
  case RH_PACKED: // compile unpacks it
    break;
  }
}

static void check_row(rh_check *c, rh_section_id id, int index, int which)
{
  const rh_section *s = &rh_sections[id];
  const char *def = rh_scene_item(c->scene, id, index);
  const rh_row *row = rh_section_row(s, which, def);
  const rh_selector *select = &s->select[which];
  const rh_schema_field *selector = &s->field[select->field];
  if (!row) {
    const char *name = ((const rh_name *)(const void *)(def + selector->offset))->text;
    if (name[0] != 0) {
      rh_complain(c, id, index, selector->param.name, "names no %s: '%s'; see `routh list %ss`",
                  select->kind, name, select->kind);
    }
    return;
  }
  const double *par = (const double *)(const void *)(def + select->par_offset);
  for (int i = 0; i < row->nparam; i++) {
    check_numbers(c, id, index, &row->param[i], par + rh_row_offset(row, i),
                  rh_param_size(&row->param[i]));
  }
}

static void check_values(rh_check *c)
{
  for (int id = 0; id < RH_SECTION_COUNT; id++) {
    for (int i = 0; i < rh_scene_count(c->scene, (rh_section_id)id); i++) {
      for (int f = 0; f < rh_sections[id].nfield; f++) {
        check_field(c, (rh_section_id)id, i, &rh_sections[id].field[f]);
      }
      for (int k = 0; k < rh_sections[id].nselect; k++) {
        check_row(c, (rh_section_id)id, i, k);
      }
    }
  }
}

// ---- Names: unique within a section

static void check_unique(rh_check *c, rh_section_id id)
{
  const rh_name_index *n = &c->names[id];
  for (int i = 0; i < n->count; i++) {
    const char *name = n->name[n->order[i]];
    if (i > 0 && name[0] != 0 && strcmp(name, n->name[n->order[i - 1]]) == 0) {
      rh_place first = rh_check_place(c, id, n->order[i - 1], "name");
      rh_complain(c, id, n->order[i], "name", "is used twice: there is another %s '%s' at line %d",
                  rh_sections[id].item, name, first.line);
    }
  }
  if (id == RH_SECTION_BODIES && rh_name_index_find(n, "world") != RH_NONE) {
    rh_complain(c, id, rh_name_index_find(n, "world"), "name",
                "is reserved: 'world' is the fixed ground");
  }
}

// ---- Bodies: physically possible mass and inertia

static void check_bodies(rh_check *c)
{
  for (int i = 0; i < rh_scene_count(c->scene, RH_SECTION_BODIES); i++) {
    const rh_body_def *b = rh_scene_item(c->scene, RH_SECTION_BODIES, i);
    const char *why = NULL;
    rh_inertia inertia;
    if (b->inertia.n != 0 && b->inertia.n != 6) {
      rh_complain(c, RH_SECTION_BODIES, i, "inertia",
                  "takes 6 numbers (ixx iyy izz ixy ixz iyz), got %d", b->inertia.n);
    } else if (!rh_body_inertia(c->scene, &c->shapes, i, &inertia, &why)) {
      rh_complain(c, RH_SECTION_BODIES, i, b->inertia.n ? "inertia" : "com", "%s", why);
    }
  }
}

// ---- References to bodies and joints

const rh_joint *rh_check_joint(rh_check *c, rh_section_id id, int index, const char *key, int dof)
{
  int at = rh_check_reference(c, id, index, key, RH_SECTION_JOINTS);
  if (at == RH_NONE) {
    return NULL;
  }
  const rh_joint_def *def = rh_scene_item(c->scene, RH_SECTION_JOINTS, at);
  const rh_joint *joint = rh_joint_find(def->kind.text);
  if (joint && (dof < 0 || dof >= joint->nv)) {
    rh_complain(c, id, index, "dof",
                "must be below %d, the degrees of freedom of joint '%s', got %d", joint->nv,
                c->names[RH_SECTION_JOINTS].name[at], dof);
    return NULL;
  }
  return joint;
}

static void check_forces(rh_check *c)
{
  for (int i = 0; i < rh_scene_count(c->scene, RH_SECTION_FORCES); i++) {
    const rh_force_def *f = rh_scene_item(c->scene, RH_SECTION_FORCES, i);
    (void)rh_check_reference(c, RH_SECTION_FORCES, i, "body", RH_SECTION_BODIES);
    if (!(f->from < f->until)) {
      rh_complain(c, RH_SECTION_FORCES, i, "until", "must be later than from");
    }
    if (f->frame != 0 && f->frame != 1) {
      rh_complain(c, RH_SECTION_FORCES, i, "frame", "must be world or body");
    }
  }
}

static void check_trigger(rh_check *c, int i, const rh_event_def *e)
{
  bool passage = e->joint.text[0] != 0;
  if (passage == (e->time.n == 1)) {
    rh_complain(c, RH_SECTION_EVENTS, i, NULL,
                "needs one trigger: either a time, or a joint and a position");
  }
  if (e->direction < 0 || e->direction > 2) {
    rh_complain(c, RH_SECTION_EVENTS, i, "direction", "must be either, rising or falling");
  }
  if (!passage && (e->position != 0 || e->direction != 0 || e->dof != 0)) {
    rh_complain(c, RH_SECTION_EVENTS, i, NULL,
                "has a position, direction or dof, which need a joint");
  }
  const rh_joint *joint = passage ? rh_check_joint(c, RH_SECTION_EVENTS, i, "joint", e->dof) : NULL;
  if (joint && !joint->scalar) {
    rh_complain(c, RH_SECTION_EVENTS, i, "joint",
                "must have scalar coordinates; a %s joint has a quaternion", joint->row.name);
  }
}

static void check_action(rh_check *c, int i, const rh_event_def *e)
{
  int actions =
      (e->release.text[0] != 0) + (e->hold.text[0] != 0) + (e->actuator.text[0] != 0) + e->stop;
  if (actions > 1) {
    rh_complain(c, RH_SECTION_EVENTS, i, NULL,
                "may have one action: release, hold, actuator or stop");
  }
  if (e->release.text[0]) {
    (void)rh_check_reference(c, RH_SECTION_EVENTS, i, "release", RH_SECTION_JOINTS);
  }
  if (e->hold.text[0]) {
    (void)rh_check_reference(c, RH_SECTION_EVENTS, i, "hold", RH_SECTION_JOINTS);
  }
  if (e->actuator.text[0] == 0) {
    bool commands = e->effort != 0 || e->kp != 0 || e->kd != 0 || e->target.n != 0 ||
                    e->rate != 0 || e->accel != 0;
    if (commands) {
      rh_complain(c, RH_SECTION_EVENTS, i, NULL,
                  "has a command (effort, kp, kd, target, rate, accel) for no actuator");
    }
    return;
  }
  int at = rh_check_reference(c, RH_SECTION_EVENTS, i, "actuator", RH_SECTION_ACTUATORS);
  if (at != RH_NONE) {
    const rh_actuator_def *a = rh_scene_item(c->scene, RH_SECTION_ACTUATORS, at);
    const rh_joint_def *def = NULL;
    int driven = rh_check_find(c, RH_SECTION_JOINTS, a->joint.text);
    def = driven == RH_NONE ? NULL : rh_scene_item(c->scene, RH_SECTION_JOINTS, driven);
    const rh_joint *joint = def ? rh_joint_find(def->kind.text) : NULL;
    if (joint && !joint->scalar && (e->kp != 0 || e->kd != 0)) {
      rh_complain(c, RH_SECTION_EVENTS, i, "kp", "and kd need a joint with scalar coordinates");
    }
    if (!rh_is_servo(a) && rh_outside_limits(e->effort, &a->limits)) {
      rh_complain(c, RH_SECTION_EVENTS, i, "effort",
                  "must lie within the actuator's limits [%g, %g], got %g", a->limits.x[0],
                  a->limits.x[1], e->effort);
    }
  }
}

static void check_shapes(rh_check *c)
{
  for (int i = 0; i < rh_scene_count(c->scene, RH_SECTION_SHAPES); i++) {
    const rh_shape_def *s = rh_scene_item(c->scene, RH_SECTION_SHAPES, i);
    const rh_shape *kind = rh_shape_find(s->kind.text);
    int which = 0;
    const char *why = kind && kind->check ? kind->check(s->par, &which) : NULL;
    if (why) {
      rh_complain(c, RH_SECTION_SHAPES, i, kind->row.param[which].name, "%s, got %g", why,
                  s->par[rh_row_offset(&kind->row, which)]);
    }
    if (strcmp(s->body.text, "world") != 0) {
      (void)rh_check_reference(c, RH_SECTION_SHAPES, i, "body", RH_SECTION_BODIES);
    }
  }
}

enum { CONTROLLERS_MAX = 16 };

static const rh_name *foot_of(const rh_controller_def *def, int i)
{
  const rh_name *const foot[RH_FEET_MAX] = {&def->foot,  &def->foot2, &def->foot3,
                                            &def->foot4, &def->foot5, &def->foot6};
  return foot[i];
}

int rh_controller_feet(const rh_controller_def *def, const char *name[RH_FEET_MAX])
{
  int n = 0;
  while (n < RH_FEET_MAX && foot_of(def, n)->text[0] != 0) {
    name[n] = foot_of(def, n)->text;
    n++;
  }
  return n;
}

static void check_feet(rh_check *c, int i, const rh_controller_def *def, const rh_controller *kind)
{
  static const char *const key[RH_FEET_MAX] = {"foot", "foot2", "foot3", "foot4", "foot5", "foot6"};
  const char *name[RH_FEET_MAX];
  int n = rh_controller_feet(def, name);
  for (int k = 0; k < n; k++) {
    (void)rh_check_reference(c, RH_SECTION_CONTROLLERS, i, key[k], RH_SECTION_BODIES);
  }
  for (int k = n + 1; k < RH_FEET_MAX; k++) {
    if (foot_of(def, k)->text[0] != 0) {
      rh_complain(c, RH_SECTION_CONTROLLERS, i, key[k], "is given, but not the one before");
    }
  }
  if (n < 2) {
    rh_complain(c, RH_SECTION_CONTROLLERS, i, NULL, "needs two feet or more: foot, foot2, ...");
  }
  if (def->phases.n > 0 && def->phases.n != n) {
    rh_complain(c, RH_SECTION_CONTROLLERS, i, "phases", "takes %d numbers, one per foot, got %d", n,
                def->phases.n);
  }
  const char *why = kind->check && n >= 2 && def->phases.n == 0 ? kind->check(def->par, n) : NULL;
  if (why) {
    rh_complain(c, RH_SECTION_CONTROLLERS, i, NULL, "%s", why);
  }
}

// Bodies that a row does not use
static void check_unused_feet(rh_check *c, int i, const rh_controller_def *def,
                              const rh_controller *kind)
{
  const char *name[RH_FEET_MAX];
  bool pair = def->left.text[0] || def->right.text[0];
  bool feet = rh_controller_feet(def, name) > 0 || def->phases.n > 0;
  if (!kind->walks && (pair || (def->trunk.text[0] && !kind->legs))) {
    rh_complain(c, RH_SECTION_CONTROLLERS, i, NULL,
                "has a left, right or trunk, which the row %s does not use", kind->row.name);
  }
  if (!kind->legs && feet) {
    rh_complain(c, RH_SECTION_CONTROLLERS, i, NULL,
                "has feet or phases, which the row %s does not use", kind->row.name);
  }
}

static void check_controllers(rh_check *c)
{
  static const char *const body[] = {"trunk", "left", "right"};
  for (int i = 0; i < rh_scene_count(c->scene, RH_SECTION_CONTROLLERS); i++) {
    const rh_controller_def *def = rh_scene_item(c->scene, RH_SECTION_CONTROLLERS, i);
    const rh_controller *kind = rh_kinds_get()->controller_find(def->kind.text);
    int bodies = kind == NULL ? 0 : kind->walks ? 3 : kind->legs ? 1 : 0;
    for (int k = 0; k < bodies; k++) {
      (void)rh_check_reference(c, RH_SECTION_CONTROLLERS, i, body[k], RH_SECTION_BODIES);
    }
    if (kind && kind->legs) {
      check_feet(c, i, def, kind);
    }
    if (kind) {
      check_unused_feet(c, i, def, kind);
    }
    if (kind && kind->nmemory > 0 && def->rate == 0) {
      rh_complain(c, RH_SECTION_CONTROLLERS, i, "rate", "must be > 0 for the row %s",
                  kind->row.name);
    }
    if (i == CONTROLLERS_MAX) {
      rh_complain(c, RH_SECTION_CONTROLLERS, i, NULL,
                  "exceeds the maximum number of controllers, %d", CONTROLLERS_MAX);
    }
    for (int k = 0; k < rh_scene_count(c->scene, RH_SECTION_ACTUATORS); k++) {
      const rh_actuator_def *a = rh_scene_item(c->scene, RH_SECTION_ACTUATORS, k);
      if (a->axis.n > 0 || a->body.text[0]) {
        rh_complain(c, RH_SECTION_ACTUATORS, k, "axis",
                    "is not for a scene with controllers: they drive single degrees of freedom");
      }
    }
    if (rh_scene_count(c->scene, RH_SECTION_ACTUATORS) == 0) {
      rh_complain(c, RH_SECTION_CONTROLLERS, i, NULL, "has no actuators to drive");
    }
  }
}

static void check_drag(rh_check *c)
{
  for (int i = 0; i < rh_scene_count(c->scene, RH_SECTION_BODIES); i++) {
    const rh_list *side =
        &((const rh_body_def *)rh_scene_item(c->scene, RH_SECTION_BODIES, i))->drag;
    bool positive = side->n == 3 && side->x[0] > 0 && side->x[1] > 0 && side->x[2] > 0;
    if (side->n != 0 && !positive) {
      rh_complain(c, RH_SECTION_BODIES, i, "drag", "must be three lengths above 0");
    }
  }
}

static void check_references(rh_check *c)
{
  check_drag(c);
  check_shapes(c);
  for (int i = 0; i < rh_scene_count(c->scene, RH_SECTION_POINTS); i++) {
    (void)rh_check_reference(c, RH_SECTION_POINTS, i, "body", RH_SECTION_BODIES);
  }
  rh_check_actuators(c);
  rh_check_trajectories(c);
  rh_check_keyframes(c);
  rh_check_tendons(c);
  check_forces(c);
  check_controllers(c);
  for (int i = 0; i < rh_scene_count(c->scene, RH_SECTION_EVENTS); i++) {
    const rh_event_def *e = rh_scene_item(c->scene, RH_SECTION_EVENTS, i);
    check_trigger(c, i, e);
    check_action(c, i, e);
  }
}

static void check_size(rh_check *c)
{
  const rh_run_def *run = rh_scene_item(c->scene, RH_SECTION_RUN, 0);
  const rh_record_def *record = rh_scene_item(c->scene, RH_SECTION_RECORD, 0);
  if (run->until / record->every > RH_FRAMES_MAX) {
    rh_complain(c, RH_SECTION_RECORD, 0, "every",
                "is too small: the run would have more than %g frames", RH_FRAMES_MAX);
  }
}

rh_status rh_check_open(rh_check *c, const rh_scene *scene, rh_diag *diag)
{
  memset(c, 0, sizeof *c);
  c->scene = scene;
  c->diag = diag;
  if (rh_scene_failed(scene)) {
    return RH_OUT_OF_MEMORY;
  }
  for (int id = 0; id < RH_SECTION_COUNT; id++) {
    if (!rh_name_index_build(&c->names[id], scene, (rh_section_id)id)) {
      return RH_OUT_OF_MEMORY;
    }
  }
  return rh_shape_map_build(&c->shapes, scene, &c->names[RH_SECTION_BODIES]) ? RH_OK
                                                                             : RH_OUT_OF_MEMORY;
}

void rh_check_close(rh_check *c)
{
  for (int id = 0; id < RH_SECTION_COUNT; id++) {
    rh_name_index_free(&c->names[id]);
  }
  rh_shape_map_free(&c->shapes);
  for (int i = 0; i < c->nsolid; i++) {
    rh_free(c->solid[i].mesh);
  }
  rh_free(c->solid);
}

rh_status rh_check_run(rh_check *c)
{
  check_values(c);
  for (int id = 0; id < RH_SECTION_COUNT; id++) {
    check_unique(c, (rh_section_id)id);
  }
  RH_TRY(rh_check_meshes(c));
  if (c->errors == 0) { // the next checks compute with the values
    check_bodies(c);
  }
  check_references(c);
  rh_check_loops(c);
  rh_check_constraints(c);
  rh_check_sensors(c);
  rh_check_visuals(c);
  rh_check_contacts(c);
  rh_check_haptic(c);
  rh_check_engine(c);
  RH_TRY(rh_check_tree(c));
  check_size(c);
  return c->errors ? RH_INPUT_REFUSED : RH_OK;
}

rh_status rh_scene_check(const rh_scene *scene, rh_diag *diag)
{
  rh_check c;
  rh_status status = rh_check_open(&c, scene, diag);
  if (status == RH_OK) {
    status = rh_check_run(&c);
  }
  rh_check_close(&c);
  return status;
}
