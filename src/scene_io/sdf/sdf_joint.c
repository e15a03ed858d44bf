// sdf_joint.c: joints of SDF. The first joint of a link carries it in the tree; a further one closes a
// loop. revolute2 is a universal joint. A maximum effort gives an actuator of the joint's name, which does
// nothing without a command; mimic is the constraint `coupling`. A joint starts at 0, or at the limit
// nearest to it.
#include "sdf_part.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct joint_kind {
  const char *type, *kind, *loop; // in SDF, in the scene; loop NULL: none
  int axes;
} joint_kind;

static const joint_kind kinds[] = {
    {"revolute", "revolute", "hinge", 1}, {"continuous", "revolute", "hinge", 1},
    {"prismatic", "prismatic", NULL, 1},  {"fixed", "fixed", "weld", 0},
    {"ball", "spherical", "ball", 0},     {"universal", "universal", NULL, 2},
    {"revolute2", "universal", NULL, 2},
};

static const double NO_LIMIT = 1e15; // [joint] a limit beyond it is none

static const joint_kind *find_kind(const rh_sdf *s, const rh_sdf_item *joint)
{
  const char *type = rh_sdf_attribute(s, joint->element, "type");
  for (int i = 0; type && i < RH_COUNT(kinds); i++) {
    if (strcmp(kinds[i].type, type) == 0) {
      return &kinds[i];
    }
  }
  return NULL;
}

static void check_kind(rh_sdf *s, const rh_sdf_item *joint)
{
  const rh_xml_attribute *a = rh_xml_find(&s->xml, joint->element, "type");
  if (!find_kind(s, joint)) {
    rh_sdf_refuse(
        s, a ? a->place : joint->word.place,
        "joint '%s': type must be revolute, continuous, prismatic, fixed, ball, universal "
        "or revolute2, got '%.40s'",
        joint->word.name.text, a ? a->value : "");
  }
}

// ---- What a joint joins

// False: refused. Links of static models are the world.
static bool read_end(rh_sdf *s, const rh_sdf_item *joint, const char *tag, int *link)
{
  int e = rh_sdf_child(s, joint->element, tag);
  const char *text = e == RH_NONE ? NULL : s->xml.element[e].text;
  char name[1024];
  *link = RH_NONE;
  if (!text || strlen(text) >= sizeof name) {
    rh_sdf_refuse(s, e == RH_NONE ? joint->word.place : rh_sdf_place(s, e),
                  "joint '%s' needs <parent> and <child>", joint->word.name.text);
    return false;
  }
  memcpy(name, text, strlen(text) + 1);
  name[strcspn(name, " \t\r\n")] = '\0';
  if (strcmp(name, "world") == 0) {
    return true;
  }
  int found = rh_sdf_find(s, joint->scope, name);
  *link = found == RH_NONE ? RH_NONE : rh_sdf_link_of(s, found);
  if (*link == RH_NONE) {
    rh_sdf_refuse(s, s->xml.element[e].text_place,
                  "joint '%s': there is no link or frame '%.80s' here", joint->word.name.text,
                  name);
    return false;
  }
  *link = s->item[*link].fixed ? RH_NONE : *link;
  return true;
}

void rh_sdf_read_joints(rh_sdf *s)
{
  for (int i = 0; i < s->nitem; i++) {
    rh_sdf_item *joint = &s->item[i];
    int parent = RH_NONE;
    int child = RH_NONE;
    if (joint->sort != RH_SDF_JOINT || joint->fixed) {
      continue;
    }
    check_kind(s, joint);
    bool good = read_end(s, joint, "parent", &parent);
    good = read_end(s, joint, "child", &child) && good;
    joint->parent = parent;
    joint->child = child;
    if (good && child == RH_NONE) {
      rh_sdf_refuse(s, joint->word.place, "joint '%s' cannot carry the world",
                    joint->word.name.text);
    } else if (good && child == parent) {
      rh_sdf_refuse(s, joint->word.place, "joint '%s' joins a link with itself",
                    joint->word.name.text);
    } else if (good && s->item[child].carrier == RH_NONE) {
      s->item[child].carrier = i;
    } else if (good && s->nloop == RH_SDF_LOOPS_MAX) {
      rh_sdf_refuse(s, joint->word.place, "too many joints close loops: %d are allowed",
                    RH_SDF_LOOPS_MAX);
      return;
    } else if (good) {
      s->loop[s->nloop++] = i;
    }
  }
}

// ---- Axes

static bool read_axis(rh_sdf *s, const rh_sdf_item *joint, int element, double axis[3])
{
  int xyz = rh_sdf_child(s, element, "xyz");
  double x[3] = {0, 0, 1};
  if (xyz != RH_NONE && !rh_sdf_numbers(s, xyz, 3, x)) {
    return false;
  }
  const rh_xml_attribute *a = xyz == RH_NONE ? NULL : rh_xml_find(&s->xml, xyz, "expressed_in");
  bool model = s->old_axes || rh_sdf_flag(s, element, "use_parent_model_frame", false);
  int frame = model ? joint->scope : (int)(joint - s->item);
  if (a && a->value[0] && strcmp(a->value, "world") != 0) {
    frame = rh_sdf_find(s, joint->scope, a->value);
    if (frame == RH_NONE) {
      rh_sdf_refuse(s, a->place, "expressed_in='%.80s': there is no such frame here", a->value);
      return false;
    }
  } else if (a && a->value[0]) {
    frame = RH_NONE;
  }
  rh_vec3 v = rh_v3(x[0], x[1], x[2]);
  v = frame == RH_NONE ? v : rh_rotate(&s->item[frame].world.R, v);
  v = rh_unrotate(&s->item[joint->child].body.R, v);
  memcpy(axis, (const double[3]){v.x, v.y, v.z}, 3 * sizeof *axis);
  return true;
}

static const char *const axis_tags[] = {"axis", "axis2"};

static void put_axes(rh_sdf *s, const rh_sdf_item *joint, const joint_kind *kind,
                     rh_node_list *entry)
{
  for (int i = 0; i < kind->axes; i++) {
    int element = rh_sdf_child(s, joint->element, axis_tags[i]);
    rh_place place = element == RH_NONE ? joint->word.place : rh_sdf_place(s, element);
    double axis[3] = {0, 0, 1};
    if (element == RH_NONE) {
      rh_sdf_refuse(s, place, "joint '%s' needs <%s>", joint->word.name.text, axis_tags[i]);
    } else if (read_axis(s, joint, element, axis)) {
      rh_nodes_put_numbers(&s->nodes, entry, axis_tags[i], axis, 3, place);
    }
  }
}

// ---- Limits, springs, dampers

typedef struct dof_values {
  double lower, upper, damping, friction, spring, rest, start, effort;
  rh_place place;
} dof_values;

static dof_values read_dof(rh_sdf *s, const rh_sdf_item *joint, int axis)
{
  int element = rh_sdf_child(s, joint->element, axis_tags[axis]);
  int limit = rh_sdf_child(s, element, "limit");
  int dynamics = rh_sdf_child(s, element, "dynamics");
  const char *type = rh_sdf_attribute(s, joint->element, "type");
  bool turns_on = strcmp(type, "continuous") == 0;
  dof_values d = {.lower = turns_on ? -HUGE_VAL : rh_sdf_number(s, limit, "lower", -HUGE_VAL),
                  .upper = turns_on ? HUGE_VAL : rh_sdf_number(s, limit, "upper", HUGE_VAL),
                  .damping = rh_sdf_number(s, dynamics, "damping", 0),
                  .friction = rh_sdf_number(s, dynamics, "friction", 0),
                  .spring = rh_sdf_number(s, dynamics, "spring_stiffness", 0),
                  .rest = rh_sdf_number(s, dynamics, "spring_reference", 0),
                  .effort = rh_sdf_number(s, limit, "effort", -1),
                  .place = element == RH_NONE ? joint->word.place : rh_sdf_place(s, element)};
  d.lower = d.lower <= -NO_LIMIT ? -HUGE_VAL : d.lower;
  d.upper = d.upper >= NO_LIMIT ? HUGE_VAL : d.upper;
  if (d.lower > d.upper) {
    rh_sdf_refuse(s, rh_sdf_place(s, limit),
                  "joint '%s': lower must not be above upper, got %g and %g", joint->word.name.text,
                  d.lower, d.upper);
  }
  double zero = d.lower > 0 ? d.lower : d.upper < 0 ? d.upper : 0;
  d.start = rh_sdf_number(s, element, "initial_position", zero);
  if (rh_sdf_child(s, limit, "velocity") != RH_NONE) {
    rh_ignored_add(&s->ignored, RH_NOTE, rh_sdf_place(s, rh_sdf_child(s, limit, "velocity")),
                   "<velocity> of <limit> is not used");
  }
  return d;
}

static void put_list(rh_sdf *s, rh_node_list *entry, const char *key, const double *x, int n,
                     double usual, rh_place place)
{
  bool same = true;
  for (int i = 0; i < n; i++) {
    same = same && x[i] == usual;
  }
  if (!same) {
    rh_nodes_put_numbers(&s->nodes, entry, key, x, n, place);
  }
}

static void put_motor(rh_sdf *s, const rh_sdf_item *joint, const dof_values *d, int dof)
{
  if (!(d->effort > 0)) { // -1: no limit, and no motor
    return;
  }
  double limits[2] = {-d->effort, d->effort};
  rh_robot_word name = joint->word;
  if (dof > 0) {
    char text[2 * RH_NAME_MAX];
    snprintf(text, sizeof text, "%.58s-axis2", joint->word.name.text);
    name.name = rh_name_of(text);
  }
  rh_node_list motor = rh_nodes_own_entry(&s->nodes, RH_NODE_ACTUATORS, &name);
  bool own = motor.node != RH_NONE && rh_yaml_find(s->nodes.tree, motor.node, "joint") == RH_NONE;
  if (!own) {
    motor = rh_nodes_entry(&s->nodes, RH_NODE_ACTUATORS, d->place);
    rh_nodes_put_name(&s->nodes, &motor, "name", &name);
  }
  rh_nodes_put_name(&s->nodes, &motor, "joint", &joint->word);
  if (dof > 0) {
    rh_nodes_put_number(&s->nodes, &motor, "dof", dof, d->place);
  }
  if (d->effort < NO_LIMIT &&
      (!own || rh_yaml_find(s->nodes.tree, motor.node, "limits") == RH_NONE)) {
    rh_nodes_put_numbers(&s->nodes, &motor, "limits", limits, 2, d->place);
  }
}

static void put_dofs(rh_sdf *s, const rh_sdf_item *joint, int axes, rh_node_list *entry)
{
  dof_values d[2];
  double x[8];
  for (int i = 0; i < axes; i++) {
    d[i] = read_dof(s, joint, i);
  }

  static const struct {
    const char *key;
    size_t offset;
  } rows[] = {{"damper", offsetof(dof_values, damping)},
              {"friction", offsetof(dof_values, friction)},
              {"spring", offsetof(dof_values, spring)},
              {"rest", offsetof(dof_values, rest)},
              {"q", offsetof(dof_values, start)}};

  for (int k = 0; k < RH_COUNT(rows); k++) {
    for (int i = 0; i < axes; i++) {
      memcpy(&x[i], (const char *)&d[i] + rows[k].offset, sizeof x[i]);
    }
    put_list(s, entry, rows[k].key, x, axes, 0, d[0].place);
  }
  bool limited = false;
  for (int i = 0; i < axes; i++) {
    x[2 * i] = d[i].lower;
    x[2 * i + 1] = d[i].upper;
    limited = limited || d[i].lower > -HUGE_VAL || d[i].upper < HUGE_VAL;
  }
  if (axes == 1 && d[0].lower == d[0].upper) {
    rh_nodes_put_text(&s->nodes, entry, "held", "yes", d[0].place);
  } else if (limited) {
    rh_nodes_put_numbers(&s->nodes, entry, "limits", x, 2 * axes, d[0].place);
  }
  for (int i = 0; i < axes; i++) {
    put_motor(s, joint, &d[i], i);
  }
}

// ---- Mimic

static void put_mimic(rh_sdf *s, const rh_sdf_item *joint)
{
  int mimic = rh_sdf_child(s, rh_sdf_child(s, joint->element, "axis"), "mimic");
  const rh_xml_attribute *a = mimic == RH_NONE ? NULL : rh_xml_find(&s->xml, mimic, "joint");
  if (mimic == RH_NONE) {
    return;
  }
  int other = a ? rh_sdf_find(s, joint->scope, a->value) : RH_NONE;
  rh_place place = a ? a->place : rh_sdf_place(s, mimic);
  const joint_kind *kind = other == RH_NONE || s->item[other].sort != RH_SDF_JOINT
                               ? NULL
                               : find_kind(s, &s->item[other]);
  const char *axis = rh_sdf_attribute(s, mimic, "axis");
  if (!kind || kind->axes != 1 || &s->item[other] == joint || (axis && strcmp(axis, "axis") != 0)) {
    rh_sdf_refuse(s, place, "joint '%s' must mimic another joint with one axis, got '%.60s'",
                  joint->word.name.text, a ? a->value : "");
    return;
  }
  char text[2 * RH_NAME_MAX];
  snprintf(text, sizeof text, "%.56s-mimic", joint->word.name.text);
  rh_robot_word name = {rh_name_of(text), place};
  rh_node_list entry = rh_nodes_entry(&s->nodes, RH_NODE_CONSTRAINTS, place);
  rh_nodes_put_name(&s->nodes, &entry, "name", &name);
  rh_nodes_put_text(&s->nodes, &entry, "kind", "coupling", place);
  rh_nodes_put_name(&s->nodes, &entry, "joint", &joint->word);
  rh_nodes_put_name(&s->nodes, &entry, "joint2", &s->item[other].word);
  rh_nodes_put_number(&s->nodes, &entry, "c0", rh_sdf_number(s, mimic, "offset", 0), place);
  rh_nodes_put_number(&s->nodes, &entry, "c1", rh_sdf_number(s, mimic, "multiplier", 1), place);
  rh_nodes_put_number(&s->nodes, &entry, "at2", rh_sdf_number(s, mimic, "reference", 0), place);
}

// ---- Entries

static void put_end(rh_sdf *s, rh_node_list *entry, const char *key, int link, rh_place place)
{
  if (link == RH_NONE) {
    rh_nodes_put_text(&s->nodes, entry, key, "world", place);
  } else {
    rh_nodes_put_name(&s->nodes, entry, key, &s->item[link].word);
  }
}

static void put_tree_joint(rh_sdf *s, const rh_sdf_item *joint, const joint_kind *kind)
{
  rh_place place = joint->word.place;
  rh_node_list entry = rh_nodes_entry(&s->nodes, RH_NODE_JOINTS, place);
  rh_nodes_put_name(&s->nodes, &entry, "name", &joint->word);
  rh_nodes_put_text(&s->nodes, &entry, "kind", kind->kind, place);
  put_end(s, &entry, "parent", joint->parent, place);
  put_end(s, &entry, "child", joint->child, place);
  const rh_sdf_pose *child = &s->item[joint->child].body;
  rh_sdf_pose at =
      joint->parent == RH_NONE ? *child : rh_sdf_within(&s->item[joint->parent].body, child);
  rh_sdf_put_pose(s, &entry, &at, place);
  put_axes(s, joint, kind, &entry);
  if (kind->axes > 0) {
    put_dofs(s, joint, kind->axes, &entry);
  }
  if (kind->axes == 1) {
    put_mimic(s, joint);
  }
}

static void put_loop(rh_sdf *s, const rh_sdf_item *joint, const joint_kind *kind)
{
  rh_place place = joint->word.place;
  if (!kind->loop) {
    rh_sdf_refuse(s, place, "joint '%s' closes a loop: revolute, ball and fixed joints may do so",
                  joint->word.name.text);
    return;
  }
  rh_sdf_pose at = rh_sdf_within(&s->item[joint->child].body, &joint->world);
  const double p[3] = {at.p.x, at.p.y, at.p.z};
  rh_node_list entry = rh_nodes_entry(&s->nodes, RH_NODE_LOOPS, place);
  rh_nodes_put_name(&s->nodes, &entry, "name", &joint->word);
  rh_nodes_put_text(&s->nodes, &entry, "kind", kind->loop, place);
  put_end(s, &entry, "body", joint->child, place);
  put_end(s, &entry, "to", joint->parent, place);
  rh_nodes_put_numbers(&s->nodes, &entry, "at", p, 3, place);
  put_axes(s, joint, kind, &entry);
  if (kind->axes > 0) {
    rh_ignored_add(&s->ignored, RH_WARNING, place,
                   "limits and dynamics of a joint that closes a loop are not used");
  }
}

void rh_sdf_emit_joints(rh_sdf *s)
{
  for (int i = 0; i < s->nitem && s->nodes.status == RH_OK; i++) {
    const rh_sdf_item *joint = &s->item[i];
    if (joint->sort != RH_SDF_JOINT || joint->fixed) {
      continue;
    }
    const joint_kind *kind = find_kind(s, joint);
    if (s->item[joint->child].carrier == i) {
      put_tree_joint(s, joint, kind);
    } else {
      put_loop(s, joint, kind);
    }
  }
}
