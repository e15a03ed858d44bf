// The section haptic: its checks, and its part of the model.
#include "check.h"

#include "kinds.h"

#include <math.h>
#include <string.h>

static const rh_joint_def *joint_of(const rh_scene *scene, const char *body)
{
  for (int i = 0; i < rh_scene_count(scene, RH_SECTION_JOINTS); i++) {
    const rh_joint_def *def = rh_scene_item(scene, RH_SECTION_JOINTS, i);
    if (strcmp(def->child.text, body) == 0) {
      return def;
    }
  }
  return NULL;
}

static bool same_numbers(const double *x, const double *y, int n)
{
  return memcmp(x, y, (size_t)n * sizeof *x) == 0;
}

// A twin moves as the tool does: free or in a plane, on the world, in the same frame.
static bool is_twin(const rh_scene *scene, const rh_haptic_def *def)
{
  const rh_joint_def *tool = joint_of(scene, def->tool.text);
  const rh_joint_def *device = joint_of(scene, def->device.text);
  if (!tool || !device) {
    return false;
  }
  bool kind = strcmp(tool->kind.text, "free") == 0 || strcmp(tool->kind.text, "planar") == 0;
  bool world = strcmp(tool->parent.text, "world") == 0 && strcmp(device->parent.text, "world") == 0;
  return kind && world && strcmp(tool->kind.text, device->kind.text) == 0 &&
         same_numbers(tool->at, device->at, 3) && same_numbers(tool->rpy, device->rpy, 3) &&
         same_numbers(tool->par, device->par, RH_PAR_MAX);
}

// The joint nearest to the world that moves, on the way to a body; NULL: none, or no way
static const rh_joint_def *root_of(const rh_scene *scene, const char *body)
{
  const rh_joint_def *root = NULL;
  for (int i = 0; i < rh_scene_count(scene, RH_SECTION_JOINTS); i++) { // no way is longer
    const rh_joint_def *def = joint_of(scene, body);
    if (!def) {
      return root;
    }
    const rh_joint *kind = rh_joint_find(def->kind.text);
    root = kind && kind->nv > 0 ? def : root;
    body = def->parent.text;
  }
  return root;
}

static void check_device(rh_check *c, const rh_haptic_def *def)
{
  const rh_joint_def *tool = root_of(c->scene, def->tool.text);
  const rh_joint_def *device = root_of(c->scene, def->device.text);
  if (strcmp(def->tool.text, def->device.text) == 0) {
    rh_complain(c, RH_SECTION_HAPTIC, 0, "device", "must be another body than the tool");
  } else if (!tool || !device) {
    rh_complain(c, RH_SECTION_HAPTIC, 0, tool ? "device" : "tool",
                "does not move: the coupling of device and tool needs two bodies on joints");
  } else if (tool == device) {
    rh_complain(c, RH_SECTION_HAPTIC, 0, "device",
                "hangs on the tool by joints: it must be a body of another tree, free or a linkage "
                "of its own");
  }
}

static void check_four(rh_check *c, const char *key, const rh_list *list, bool wanted)
{
  if (list->n != 4 && (wanted || list->n != 0)) {
    rh_complain(c, RH_SECTION_HAPTIC, 0, key,
                "takes 4 numbers: stiffness and damping along, stiffness and damping about");
  }
}

static void check_two(rh_check *c, const char *key, const rh_list *list, bool wanted)
{
  if (list->n != 2 && (wanted || list->n != 0)) {
    rh_complain(c, RH_SECTION_HAPTIC, 0, key, "takes 2 numbers: of force and of torque");
  }
}

static double quaternion_length(const double *row) // of a pose: t x y z qw qx qy qz
{
  return rh_quat_norm((rh_quat){row[4], row[5], row[6], row[7]});
}

// As for quaternions of joints (check_tree.c); one note covers all rows.
static void check_trace_quaternions(rh_check *c, const rh_haptic_def *def)
{
  bool noted = false;
  for (int i = 0; i < def->trace.n; i += RH_TRACE_POSE) {
    double length = quaternion_length(def->trace.x + i);
    if (!(fabs(length - 1) <= RH_QUAT_NEARLY)) {
      rh_complain(c, RH_SECTION_HAPTIC, 0, "trace",
                  "must hold quaternions of unit length (qw qx qy qz, not rpy): that of row %d has "
                  "length %.6g",
                  i / RH_TRACE_POSE + 1, length);
      return;
    }
    if (!noted && !(fabs(length - 1) <= RH_QUAT_WRITTEN)) {
      noted = true;
      rh_diag_add(
          c->diag, RH_NOTE, rh_check_place(c, RH_SECTION_HAPTIC, 0, "trace"),
          "haptic.trace: the quaternion of row %d has length %.9g; such quaternions are normalised",
          i / RH_TRACE_POSE + 1, length);
    }
  }
}

static void check_trace(rh_check *c, const rh_haptic_def *def)
{
  const rh_haptic_hand *hand = rh_kinds_get()->haptic_hand_find(def->hand.text);
  if (def->trace_file.text[0] && def->trace.n > 0) {
    rh_complain(c, RH_SECTION_HAPTIC, 0, "trace", "is given twice: here and by trace_file");
  } else if (def->trace_file.text[0]) {
    rh_complain(c, RH_SECTION_HAPTIC, 0, "trace_file", "was not read: give the rows as `trace`");
  }
  if (!hand) {
    return; // reported elsewhere
  }
  int width = hand->width;
  if (width == 0 && def->trace.n > 0) {
    rh_complain(c, RH_SECTION_HAPTIC, 0, "trace", "is not used by this hand");
    return;
  }
  if (hand->needs_trace && def->trace.n == 0) {
    rh_complain(c, RH_SECTION_HAPTIC, 0, "hand", "is a trace: name its trace_file");
  }
  if (width > 0 && def->trace.n % width != 0) {
    rh_complain(c, RH_SECTION_HAPTIC, 0, "trace", "must have rows of %d numbers", width);
    return;
  }
  if (width == RH_TRACE_POSE) {
    check_trace_quaternions(c, def);
  }
  for (int i = width; i < def->trace.n; i += width) {
    if (!(def->trace.x[i] > def->trace.x[i - width])) {
      rh_complain(c, RH_SECTION_HAPTIC, 0, "trace", "must have increasing times: row %d has not",
                  i / width + 1);
      return;
    }
  }
}

static const rh_haptic_coupling *coupling_of(const rh_haptic_def *def)
{
  const rh_haptic_method *method = rh_kinds_get()->haptic_method_find(def->method.text);
  const char *usual = method ? method->coupling : "";
  return rh_kinds_get()->haptic_coupling_find(def->coupling.text[0] ? def->coupling.text : usual);
}

// Unknown row names are refused elsewhere.
static void check_rows(rh_check *c, const rh_haptic_def *def)
{
  const rh_haptic_method *method = rh_kinds_get()->haptic_method_find(def->method.text);
  const rh_haptic_coupling *coupling = coupling_of(def);
  const char *key = def->coupling.text[0] ? "coupling" : "method";
  if (!def->method.text[0] || !def->hand.text[0]) {
    rh_complain(c, RH_SECTION_HAPTIC, 0, def->hand.text[0] ? "method" : "hand", "is missing");
  }
  if (!method || !coupling) {
    return;
  }
  if (coupling->needs_device && !def->device.text[0]) {
    rh_complain(c, RH_SECTION_HAPTIC, 0, key, "%s needs a device for its coupler",
                def->coupling.text[0] ? def->coupling.text : def->method.text);
  }
}

// Restitution below 0 lets contacts through in part: formulations of impacts do not know it.
static void check_collisions(rh_check *c, const rh_haptic_def *def)
{
  if (def->collide == RH_COLLIDE_BY_MAP) {
    return;
  }
  if (def->e < 0) {
    rh_complain(c, RH_SECTION_HAPTIC, 0, "e", "must not be below 0 unless collide is map");
  }
  if (def->split) {
    rh_complain(c, RH_SECTION_HAPTIC, 0, "split", "is a law of collide: map only");
  }
  for (int i = 0; i < rh_scene_count(c->scene, RH_SECTION_CONTACTS); i++) {
    const rh_contact_def *contact = rh_scene_item(c->scene, RH_SECTION_CONTACTS, i);
    if (contact->impact_e.n == 1 && contact->impact_e.x[0] < 0) {
      rh_complain(c, RH_SECTION_CONTACTS, i, "impact_e",
                  "must not be below 0 unless haptic.collide is map");
    }
  }
}

static void check_section(rh_check *c, const rh_haptic_def *def)
{
  int tool = rh_check_reference(c, RH_SECTION_HAPTIC, 0, "tool", RH_SECTION_BODIES);
  if (def->device.text[0] &&
      rh_check_reference(c, RH_SECTION_HAPTIC, 0, "device", RH_SECTION_BODIES) != RH_NONE &&
      tool != RH_NONE) {
    check_device(c, def);
  }
  check_rows(c, def);
  check_collisions(c, def);
  check_four(c, "four_channel", &def->four_channel, false);
  check_four(c, "coupler", &def->coupler, false);
  const rh_haptic_hand *hand = rh_kinds_get()->haptic_hand_find(def->hand.text);
  check_four(c, "hand_spring", &def->hand_spring, hand && hand->needs_spring);
  check_two(c, "limit", &def->limit, def->limits != RH_LIMITS_NONE);
  check_two(c, "clamp", &def->clamp, false);
  check_trace(c, def);
}

void rh_check_haptic(rh_check *c)
{
  if (rh_scene_count(c->scene, RH_SECTION_HAPTIC) > 0) {
    check_section(c, rh_scene_item(c->scene, RH_SECTION_HAPTIC, 0));
  }
}

// ---- The part of the model

// Its record of a tick, the number of the next contact, and its part of the memory of each slot
int rh_haptic_count(const rh_scene *scene, int nslot, rh_model_haptic *h)
{
  h->device = RH_NONE;
  h->on = rh_scene_count(scene, RH_SECTION_HAPTIC) > 0;
  if (h->on) {
    const rh_haptic_def *def = rh_scene_item(scene, RH_SECTION_HAPTIC, 0);
    h->width = rh_kinds_get()->haptic_hand_find(def->hand.text)->width;
    h->ntrace = h->width > 0 ? def->trace.n / h->width : 0;
    h->twin = is_twin(scene, def);
    h->memory = RH_HAPTIC_NOW_SIZE + 1 + (RH_TRACK_NUMBERS + RH_HAPTIC_NUMBERS) * nslot;
  }
  return h->memory;
}

static void fill_gains(const rh_list *from, const double usual[4], double to[4])
{
  memcpy(to, from->n == 4 ? from->x : usual, 4 * sizeof *to);
}

static void fill_forces(const rh_haptic_def *def, rh_model_haptic *h)
{
  fill_gains(&def->four_channel, (const double[4]){100, 70, 0.5, 0.375},
             h->four_channel); // [CSC] table I*
  fill_gains(&def->coupler, (const double[4]){1000, 50, 2.5, 0.125}, h->coupler);
  fill_gains(&def->hand_spring, (const double[4]){0, 0, 0, 0}, h->hand_spring);
  for (int i = 0; i < 6; i++) {
    h->limit[i] = def->limit.n == 2 ? def->limit.x[i / 3] : HUGE_VAL;
  }
  for (int i = 0; i < 3; i++) {
    h->hand_force[i] = def->push[i];
    h->hand_force[3 + i] = def->twist[i];
  }
  for (int i = 0; i < 2; i++) {
    h->clamp[i] = def->clamp.n == 2 ? def->clamp.x[i] : HUGE_VAL;
  }
}

void rh_haptic_fill(const rh_haptic_def *def, rh_model_haptic *h, double *trace)
{
  h->method_row = &rh_kinds_get()->haptic_method_find(def->method.text)->row;
  h->coupling_row = &coupling_of(def)->row;
  h->hand_row = &rh_kinds_get()->haptic_hand_find(def->hand.text)->row;
  memcpy(h->method_par, def->method_par, sizeof h->method_par);
  memcpy(h->coupling_par, def->coupling_par, sizeof h->coupling_par);
  memcpy(h->hand_par, def->hand_par, sizeof h->hand_par);
  h->collide = def->collide;
  h->select = def->select;
  h->limits = def->limits;
  h->pulse = def->pulse;
  h->pulse_ticks = def->pulse_ticks;
  h->split = def->split;
  h->both = def->both;
  h->carry = def->carry;
  h->passive = def->passive;
  h->e = def->e;
  h->closed = def->closed;
  h->observer = def->observer;
  h->d_coh = def->d_coh;
  h->d_cluster = def->d_cluster;
  h->cos_cluster = def->cos_cluster;
  h->grip = rh_v3(def->grip[0], def->grip[1], def->grip[2]);
  fill_forces(def, h);
  if (h->ntrace > 0) {
    memcpy(trace, def->trace.x, (size_t)h->ntrace * (size_t)h->width * sizeof *trace);
  }
  for (int i = 0; h->width == RH_TRACE_POSE && i < h->ntrace; i++) {
    double *row = trace + (ptrdiff_t)i * h->width;
    double length = quaternion_length(row);
    for (int k = 4; k < RH_TRACE_POSE && fabs(length - 1) > RH_QUAT_WRITTEN; k++) {
      row[k] /= length;
    }
  }
}
