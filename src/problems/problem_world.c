// problem_world.c: the world of a problem about dynamics: a scene, a state, points; and the outputs
// that all such problems share. Joint limits and external forces are ignored; joints held by the
// scene stay held.
#include "model/schema.h"
#include "problem.h"
#include "scene_io/scene_read.h"

#include <routh/kind.h>
#include <routh/scene.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { POINTS_MAX = 1000, PATH_BYTES = 4096 };

// ---- Scene

rh_status rh_scene_files(const char *folder, const char *name, rh_diag *diag, rh_scene **scene,
                         char *why)
{
  char path[PATH_BYTES];
  bool relative = name[0] != '/' && folder[0] != '\0';
  int length =
      snprintf(path, sizeof(path), "%s%s%s", relative ? folder : "", relative ? "/" : "", name);
  if (length < 0 || length >= (int)sizeof(path)) {
    (void)snprintf(why, RH_WHY_MAX, ": the path is too long");
    return RH_INPUT_REFUSED;
  }
  if (access(path, R_OK) != 0) {
    (void)snprintf(why, RH_WHY_MAX, " '%.200s' cannot be read: %s", path, strerror(errno));
    return RH_INPUT_REFUSED;
  }
  return rh_scene_load(path, NULL, 0, diag, scene);
}

static rh_status load_scene(const rh_inputs *in, int node, rh_scene **scene)
{
  char why[RH_WHY_MAX] = "";
  const char *name = rh_input_text(in, node, "scene");
  if (name == NULL) {
    return RH_INPUT_REFUSED;
  }
  if (in->source == NULL || strcmp(name, "-") == 0) {
    (void)rh_input_refuse(in, node, "scene: no files can be read here; write the scene itself");
    return RH_INPUT_REFUSED;
  }
  rh_status status = in->source(in->folder, name, in->diag, scene, why);
  if (why[0] != '\0') {
    (void)rh_input_refuse(in, node, "scene%s", why);
  }
  return status;
}

static bool is_driven(const rh_scene *scene, const char *joint)
{
  for (int i = 0; i < rh_scene_count(scene, RH_SECTION_ACTUATORS); i++) {
    const rh_actuator_def *def = rh_scene_item(scene, RH_SECTION_ACTUATORS, i);
    if (strcmp(def->joint.text, joint) == 0) {
      return true;
    }
  }
  return false;
}

// The input `driven`, of kinds that have it: every joint of one degree of freedom gets a motor.
static bool add_motors(const rh_inputs *in, rh_scene *scene)
{
  int node = rh_input_find(in, "driven");
  bool all = false;
  if (node == RH_NONE) {
    return true;
  }
  if (!rh_input_flag(in, node, "driven", &all)) {
    return false;
  }
  for (int i = 0; all && i < rh_scene_count(scene, RH_SECTION_JOINTS); i++) {
    const rh_joint_def *def = rh_scene_item(scene, RH_SECTION_JOINTS, i);
    const rh_joint *kind = rh_joint_find(def->kind.text);
    rh_actuator_def motor = rh_actuator_default();
    motor.name = motor.joint = def->name;
    if (kind != NULL && kind->nv == 1 && !is_driven(scene, def->name.text)) {
      (void)rh_scene_add_actuator(scene, &motor);
    }
  }
  return true;
}

static rh_status open_model(const rh_inputs *in, rh_model **model)
{
  int node = rh_input_find(in, "scene");
  if (node == RH_NONE) {
    (void)rh_input_refuse(in, in->map, "input 'scene' is missing: a path or a scene");
    return RH_INPUT_REFUSED;
  }
  rh_scene *scene = NULL;
  rh_status status;
  if (in->tree->node[node].kind == RH_NODE_MAP) {
    status =
        rh_scene_from_tree(in->tree, node, &(rh_scene_opt){NULL, 0, in->folder}, in->diag, &scene);
  } else {
    status = load_scene(in, node, &scene);
  }
  bool driven = status == RH_OK && add_motors(in, scene);
  if (status == RH_OK) {
    status = driven ? rh_scene_compile(scene, in->diag, model) : RH_INPUT_REFUSED;
  }
  rh_scene_destroy(scene);
  return status;
}

// ---- State

// Unit of degree of freedom `i` of a joint, for a quantity. A joint's row lists the units with
// blanks.
static const char *unit_of(const rh_joint *joint, rh_quantity quantity, int i)
{
  static const char *const of_m[] = {"m", "m/s", "m/s^2", "N"};
  static const char *const of_rad[] = {"rad", "rad/s", "rad/s^2", "N m"};
  const char *unit = joint->unit;
  for (int k = 0; k < i && *unit != '\0'; k++) {
    unit += strcspn(unit, " ");
    unit += strspn(unit, " ");
  }
  bool metre = unit[0] == 'm' && (unit[1] == ' ' || unit[1] == '\0');
  if (quantity == RH_POSED_Q && joint->nq != joint->nv && !metre) {
    return "1"; // the parts of a quaternion
  }
  return metre ? of_m[quantity] : of_rad[quantity];
}

// Numbers of one joint from a scalar or a list.
static bool read_joint(const rh_inputs *in, int node, const rh_model *model, int body,
                       rh_quantity quantity, double *x)
{
  const rh_joint *joint = model->body[body].joint;
  int n = quantity == RH_POSED_Q ? joint->nq : joint->nv;
  char what[RH_NAME_MAX + 16];
  const char *name = rh_model_name(model, RH_OBJECT_JOINT, body);
  if (n == 0) {
    return rh_input_refuse(in, node, "joint '%s' has no coordinates", name);
  }
  if (in->tree->node[node].kind == RH_NODE_SCALAR && n == 1) {
    return rh_input_number(in, node, name, unit_of(joint, quantity, 0), x);
  }
  if (in->tree->node[node].kind != RH_NODE_LIST || in->tree->node[node].count != n) {
    return rh_input_refuse(in, node, "%s: joint '%s' (%s) takes %d number%s", name, name,
                           joint->row.name, n, n == 1 ? "" : "s");
  }
  bool good = true;
  int i = 0;
  for (int child = in->tree->node[node].first; child != RH_NONE;
       child = in->tree->node[child].next) {
    (void)snprintf(what, sizeof(what), "%s[%d]", name, i);
    good &= rh_input_number(in, child, what, unit_of(joint, quantity, i), &x[i]);
    i++;
  }
  return good;
}

static bool read_flat(const rh_inputs *in, int list, const rh_model *model, rh_quantity quantity,
                      double *x)
{
  const char *name = rh_yaml_text(in->tree, in->tree->node[list].key);
  int child = in->tree->node[list].first;
  int bad = 0;
  int i = 0;
  for (int body = 1; body < model->nbody; body++) {
    const rh_joint *joint = model->body[body].joint;
    int n = quantity == RH_POSED_Q ? joint->nq : joint->nv;
    for (int k = 0; k < n && bad < RH_COMPLAINTS; k++) {
      char what[RH_NAME_MAX + 16];
      (void)snprintf(what, sizeof(what), "%s[%d]", name, i++);
      int adr = quantity == RH_POSED_Q ? model->body[body].qadr : model->body[body].vadr;
      bad += !rh_input_number(in, child, what, unit_of(joint, quantity, k), &x[adr + k]);
      child = in->tree->node[child].next;
    }
  }
  return bad == 0;
}

// One number per coordinate or degree of freedom. Absent ones keep their value in `x`.
bool rh_posed_read(const rh_inputs *in, const rh_model *model, const char *name,
                   rh_quantity quantity, double *x)
{
  int node = rh_input_find(in, name);
  if (node == RH_NONE) {
    return true;
  }
  const rh_node *given = &in->tree->node[node];
  int n = quantity == RH_POSED_Q ? model->nq : model->nv;
  if (given->kind == RH_NODE_SCALAR && n == 1 && model->nbody == 2) {
    return read_joint(in, node, model, 1, quantity, x);
  }
  if (given->kind == RH_NODE_SCALAR) {
    return rh_input_refuse(in, node, "%s must be a list of %d numbers or a map {joint: numbers}",
                           name, n);
  }
  if (given->kind == RH_NODE_LIST) {
    if (given->count != n) {
      return rh_input_refuse(in, node, "%s must have %d number%s, one per %s of the scene, got %d",
                             name, n, n == 1 ? "" : "s",
                             quantity == RH_POSED_Q ? "coordinate" : "degree of freedom",
                             given->count);
    }
    return read_flat(in, node, model, quantity, x);
  }
  int bad = 0;
  for (int value = given->first; value != RH_NONE && bad < RH_COMPLAINTS;
       value = in->tree->node[value].next) {
    int body = RH_NONE;
    if (!rh_input_object(in, in->tree->node[value].key, model, RH_OBJECT_JOINT, &body)) {
      bad++;
      continue;
    }
    int adr = quantity == RH_POSED_Q ? model->body[body].qadr : model->body[body].vadr;
    bad += !read_joint(in, value, model, body, quantity, x + adr);
  }
  return bad == 0;
}

// Quaternions are normalized, as those of scenes (model/check_tree.c).
static bool check_lengths(const rh_inputs *in, const rh_model *model, double *q)
{
  for (int body = 1; body < model->nbody; body++) {
    const rh_joint *joint = model->body[body].joint;
    double *given = q + model->body[body].qadr;
    if (joint->unit_length == NULL) {
      continue;
    }
    const double *x = given + joint->nq - 4;
    const char *name = rh_model_name(model, RH_OBJECT_JOINT, body);
    double length = rh_quat_norm((rh_quat){x[0], x[1], x[2], x[3]});
    if (!(fabs(length - 1) <= RH_QUAT_NEARLY)) {
      return rh_input_refuse(in, rh_input_find(in, "q"),
                             "q: the quaternion of joint '%s' must have length 1, its length is "
                             "%.6g; angles are given by rpy of the scene's joint",
                             name, length);
    }
    if (!(fabs(length - 1) <= RH_QUAT_WRITTEN)) {
      rh_diag_add(in->diag, RH_NOTE, rh_yaml_place(in->tree, rh_input_find(in, "q")),
                  "q: the quaternion of joint '%s' has length %.9g and is normalised", name,
                  length);
    }
    joint->unit_length(given);
  }
  return true;
}

// ---- Commands

// One number per actuator, in the order of the scene.
static bool read_commands(const rh_inputs *in, rh_data *d)
{
  int node = rh_input_find(in, "ctrl");
  int n = d->model->nactuator;
  if (node == RH_NONE) {
    return true;
  }
  if (in->tree->node[node].kind != RH_NODE_LIST || in->tree->node[node].count != n) {
    return rh_input_refuse(in, node, "ctrl must be a list of %d number%s, one per actuator", n,
                           n == 1 ? "" : "s");
  }
  bool good = true;
  int i = 0;
  for (int child = in->tree->node[node].first; child != RH_NONE;
       child = in->tree->node[child].next) {
    char what[32];
    (void)snprintf(what, sizeof(what), "ctrl[%d]", i);
    good &= rh_input_number(in, child, what, "1", &d->command[i++].effort);
  }
  return good;
}

// ---- Points

static bool read_point(const rh_inputs *in, int node, const rh_model *model, rh_model_point *point)
{
  static const char *const known[] = {"body", "at"};
  if (in->tree->node[node].kind != RH_NODE_MAP) {
    int index = RH_NONE;
    if (!rh_input_object(in, node, model, RH_OBJECT_POINT, &index)) {
      return false;
    }
    *point = model->point[index];
    return true;
  }
  bool good = rh_input_keys(in, node, "key of a point", known, RH_COUNT(known));
  int body = rh_yaml_find(in->tree, node, "body");
  int at = rh_yaml_find(in->tree, node, "at");
  double x[3] = {0};
  if (body == RH_NONE) {
    return rh_input_refuse(in, node, "a point needs its body: {body: name, at: [x, y, z]}");
  }
  good &= rh_input_object(in, body, model, RH_OBJECT_BODY, &point->body);
  good &= at == RH_NONE || rh_input_vector(in, at, "at", "m", x, 3);
  point->at = rh_v3(x[0], x[1], x[2]);
  return good;
}

static rh_status read_points(const rh_inputs *in, rh_posed *posed)
{
  int node = rh_input_find(in, "points");
  if (node == RH_NONE) {
    return RH_OK;
  }
  const rh_node *list = &in->tree->node[node];
  if (list->kind != RH_NODE_LIST || list->count > POINTS_MAX) {
    (void)rh_input_refuse(in, node, "points must be a list of at most %d names or maps {body, at}",
                          POINTS_MAX);
    return RH_INPUT_REFUSED;
  }
  posed->point = rh_alloc((size_t)(list->count + 1) * sizeof(rh_model_point));
  if (posed->point == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  int bad = 0;
  for (int child = list->first; child != RH_NONE && bad < RH_COMPLAINTS;
       child = in->tree->node[child].next) {
    bad += !read_point(in, child, posed->model, &posed->point[posed->npoint++]);
  }
  return bad == 0 ? RH_OK : RH_INPUT_REFUSED;
}

// ---- The world

static bool answer_fits(const rh_inputs *in, const rh_posed *posed)
{
  double nv = posed->model->nv;
  double rows = 3.0 * posed->npoint;
  if (nv * nv + rows * nv + rows * rows <= RH_ANSWER_NUMBERS) {
    return true;
  }
  return rh_input_refuse(
      in, rh_input_find(in, "scene"),
      "the answer would be too big: %d degrees of freedom and %d points make more than %d numbers",
      posed->model->nv, posed->npoint, RH_ANSWER_NUMBERS);
}

static void compute_world(rh_posed *posed)
{
  rh_data *d = posed->data;
  rh_kinematics(d);
  rh_mass_matrix(d);
  rh_mass_factor(d);
  if (posed->joint_forces) {
    rh_loads(d);
    memcpy(posed->load, d->load, (size_t)posed->model->nv * sizeof(double));
  }
}

rh_status rh_posed_open(const rh_inputs *in, const char *name, rh_quantity quantity,
                        rh_posed *posed)
{
  RH_TRY(open_model(in, &posed->model));
  const rh_model *model = posed->model;
  posed->data = rh_data_create(model);
  posed->load = rh_alloc((size_t)(model->nv + 1) * sizeof(double));
  posed->given = rh_alloc((size_t)(model->nv + 1) * sizeof(double));
  if (posed->data == NULL || posed->load == NULL || posed->given == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  rh_data *d = posed->data;
  bool good = rh_posed_read(in, model, "q", RH_POSED_Q, d->q);
  good = good && check_lengths(in, model, d->q);
  good &= rh_posed_read(in, model, "v", RH_POSED_V, d->v);
  good &= name == NULL || rh_posed_read(in, model, name, quantity, posed->given);
  good &= read_commands(in, d);
  int flag = rh_input_find(in, "joint_forces");
  good &= flag == RH_NONE || rh_input_flag(in, flag, "joint_forces", &posed->joint_forces);
  rh_status status = read_points(in, posed);
  if (status != RH_OK || !good || !answer_fits(in, posed)) {
    return status == RH_OK ? RH_INPUT_REFUSED : status;
  }
  compute_world(posed);
  return RH_OK;
}

void rh_posed_close(rh_posed *posed)
{
  rh_data_destroy(posed->data);
  rh_model_destroy(posed->model);
  rh_free(posed->point);
  rh_free(posed->given);
  rh_free(posed->load);
  *posed = (rh_posed){0};
}

// ---- Outputs

bool rh_posed_answer_first(const rh_posed *posed, rh_answer *answer)
{
  const rh_model *model = posed->model;
  int nv = model->nv;
  rh_name *joint = rh_answer_add_names(answer, "joints", model->nbody - 1);
  double *H = rh_answer_add(answer, "H", 2, nv, nv, 1);
  double *bias = rh_answer_add(answer, "bias", 1, nv, 1, 1);
  if (joint == NULL || H == NULL || bias == NULL) {
    return false;
  }
  for (int body = 1; body < model->nbody; body++) {
    joint[body - 1] = rh_name_of(rh_model_name(model, RH_OBJECT_JOINT, body));
  }
  rh_mass_dense(posed->data, H);
  rh_bias(posed->data, bias);
  if (posed->joint_forces) {
    double *load = rh_answer_add(answer, "load", 1, nv, 1, 1);
    if (load == NULL) {
      return false;
    }
    memcpy(load, posed->load, (size_t)nv * sizeof(double));
  }
  return true;
}

static void put_vector(double *x, rh_vec3 a)
{
  x[0] = a.x;
  x[1] = a.y;
  x[2] = a.z;
}

static bool answer_points(const rh_posed *posed, rh_answer *answer)
{
  rh_data *d = posed->data;
  int nv = posed->model->nv;
  int n = posed->npoint;
  double *position = rh_answer_add(answer, "position", 2, n, 3, 1);
  double *velocity = rh_answer_add(answer, "velocity", 2, n, 3, 1);
  double *J = rh_answer_add(answer, "J", 3, n, 3, nv);
  double *Jdot_v = rh_answer_add(answer, "Jdot_v", 2, n, 3, 1);
  double *W = rh_answer_add(answer, "W", 2, 3 * n, 3 * n, 1);
  double *work = rh_alloc((size_t)(3 * n * nv + 1) * sizeof(double));
  bool good = position != NULL && velocity != NULL && J != NULL && Jdot_v != NULL && W != NULL &&
              work != NULL;
  for (int i = 0; i < n && good; i++) {
    int body = posed->point[i].body;
    rh_vec3 at = posed->point[i].at;
    put_vector(position + (ptrdiff_t)3 * i, rh_point_position(d, body, at));
    put_vector(velocity + (ptrdiff_t)3 * i, rh_point_velocity(d, body, at));
    put_vector(Jdot_v + (ptrdiff_t)3 * i, rh_point_bias(d, body, at));
    rh_point_jacobian(d, body, at, J + (ptrdiff_t)3 * nv * i);
  }
  if (good) {
    rh_contact_inertia(d, n, posed->point, work, W);
  }
  rh_free(work);
  return good;
}

bool rh_posed_answer_last(const rh_posed *posed, rh_answer *answer)
{
  const rh_data *d = posed->data;
  if (posed->npoint > 0 && !answer_points(posed, answer)) {
    return false;
  }
  bool good = rh_answer_number(answer, "kinetic_energy", rh_kinetic_energy(d));
  good &= rh_answer_number(answer, "potential_energy", rh_potential_energy(d));
  bool heavy = rh_total_mass(posed->model) > 0;
  double *com = heavy ? rh_answer_add(answer, "com", 1, 3, 1, 1) : NULL;
  double *momentum = rh_answer_add(answer, "momentum", 1, 6, 1, 1);
  if (com != NULL) {
    put_vector(com, rh_centre_of_mass(d));
  }
  if (momentum != NULL) {
    rh_force p = rh_momentum(d);
    put_vector(momentum, p.ang);
    put_vector(momentum + 3, p.lin);
  }
  return good && (com != NULL || !heavy) && momentum != NULL;
}
