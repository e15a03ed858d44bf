// sdf_schema.c: the elements of SDF. What is read is known by its row; what only shows is noted, what
// would have influence on the motion is a warning, and what would change the model is refused.
#include "sdf_part.h"

#include <stdio.h>
#include <string.h>

enum { ERRORS_MAX = 50 };

typedef struct schema_row {
  const char *in;
  const char *once, *many; // elements that are read
  const char *noted, *warned, *refused;
} schema_row;

// clang-format off: one row per element
static const schema_row rows[] = {
    {"sdf", "", "model world", "light", "", "actor"},
    {"world", "gravity", "model frame joint",
     "light scene gui physics audio magnetic_field atmosphere spherical_coordinates road",
     "plugin wind", "actor state population"},
    {"model", "static self_collide pose", "link joint frame model",
     "allow_auto_disable enable_wind", "plugin gripper", "include"},
    {"link", "pose inertial gravity self_collide kinematic velocity_decay", "collision visual",
     "sensor light projector audio_source audio_sink battery particle_emitter must_be_base_link "
     "enable_wind",
     "plugin", ""},
    {"inertial", "mass pose inertia", "", "density", "", "fluid_added_mass auto_inertia_params"},
    {"inertia", "ixx iyy izz ixy ixz iyz", "", "", "", ""},
    {"velocity_decay", "linear angular", "", "", "", ""},
    {"collision", "pose geometry surface", "", "laser_retro max_contacts density", "", ""},
    {"geometry", "box sphere cylinder capsule ellipsoid plane mesh empty", "", "",
     "heightmap image polyline cone", ""},
    {"box", "size", "", "", "", ""},
    {"sphere", "radius", "", "", "", ""},
    {"cylinder", "radius length", "", "", "", ""},
    {"capsule", "radius length", "", "", "", ""},
    {"ellipsoid", "radii", "", "", "", ""},
    {"plane", "normal size", "", "", "", ""},
    {"mesh", "uri scale", "", "", "convex_decomposition", "submesh"},
    {"surface", "friction bounce contact", "", "soft_contact", "", ""},
    {"friction", "ode", "", "", "bullet torsional", ""},
    {"ode", "mu mu2", "", "fdir1 slip1 slip2 kp kd max_vel min_depth soft_cfm soft_erp", "", ""},
    {"bounce", "restitution_coefficient", "", "threshold", "", ""},
    {"contact", "collide_bitmask collide_without_contact", "",
     "ode bullet collide_without_contact_bitmask category_bitmask poissons_ratio elastic_modulus",
     "", ""},
    {"joint", "parent child pose axis axis2", "", "sensor", "physics plugin",
     "gearbox_ratio gearbox_reference_body thread_pitch screw_thread_pitch"},
    {"axis", "xyz limit dynamics mimic initial_position use_parent_model_frame", "", "", "", ""},
    {"axis2", "xyz limit dynamics mimic initial_position use_parent_model_frame", "", "", "", ""},
    {"limit", "lower upper effort velocity", "", "stiffness dissipation", "", ""},
    {"dynamics", "damping friction spring_reference spring_stiffness", "", "", "", ""},
    {"mimic", "multiplier offset reference", "", "", "", ""},
    {"frame", "pose", "", "", "", ""},
};

// clang-format on

static const char attributes[] =
    "name type version relative_to frame attached_to canonical_link degrees rotation_format "
    "expressed_in joint axis default";

static bool is_listed(const char *words, const char *word)
{
  size_t length = strlen(word);
  for (const char *at = words; *at;) {
    size_t size = strcspn(at, " ");
    if (size == length && memcmp(at, word, size) == 0) {
      return true;
    }
    at += size + (at[size] == ' ');
  }
  return false;
}

static const schema_row *find_row(const char *name)
{
  for (int i = 0; i < RH_COUNT(rows); i++) {
    if (strcmp(rows[i].in, name) == 0) {
      return &rows[i];
    }
  }
  return NULL;
}

static void check_attributes(rh_sdf *s, int element)
{
  const rh_xml_element *e = &s->xml.element[element];
  for (int i = 0; i < e->nattribute; i++) {
    const rh_xml_attribute *a = &e->attribute[i];
    bool on = strcmp(a->value, "true") == 0 || strcmp(a->value, "1") == 0;
    bool off = !a->value[0] || strcmp(a->value, "false") == 0 || strcmp(a->value, "0") == 0;
    bool flag = strcmp(a->name, "degrees") == 0 || strcmp(a->name, "auto") == 0;
    if (flag && !on && !off) {
      rh_sdf_refuse(s, a->place, "%s must be true or false, got '%.40s'", a->name, a->value);
    } else if (strcmp(a->name, "name") == 0 && strstr(a->value, "::") &&
               is_listed("world collision", e->name)) { // others are items: sdf.c
      rh_sdf_refuse(s, a->place, "'%.60s' cannot be the name of a %.20s", a->value, e->name);
    } else if (strcmp(a->name, "placement_frame") == 0 && a->value[0]) {
      rh_sdf_refuse(s, a->place, "placement_frame is not read: give the pose of the model itself");
    } else if (strcmp(a->name, "auto") == 0 && on) {
      rh_sdf_refuse(s, a->place, "inertias are not computed from shapes: give mass and inertia");
    } else if (!is_listed(attributes, a->name) && strncmp(a->name, "xmlns", 5) != 0 &&
               strcmp(a->name, "auto") != 0 && strcmp(a->name, "placement_frame") != 0) {
      rh_ignored_add(&s->ignored, strchr(a->name, ':') ? RH_NOTE : RH_WARNING, a->place,
                     "attribute %.40s of <%.20s> is not known and not used", a->name, e->name);
    }
  }
}

// Is an element of this tag among those before it?
static bool is_repeated(const rh_sdf *s, int element)
{
  int parent = s->xml.element[element].parent;
  return rh_sdf_child(s, parent, rh_sdf_tag(s, element)) != element;
}

// Collisions are no items, but their names are those of a link too.
static void check_collision_name(rh_sdf *s, int element)
{
  const char *name = rh_sdf_attribute(s, element, "name");
  if (!name) {
    rh_sdf_refuse(s, rh_sdf_place(s, element), "<collision> needs the attribute name");
    return;
  }
  int before = rh_sdf_child(s, s->xml.element[element].parent, "collision");
  for (int n = 0; before != element; before = rh_sdf_next(s, before)) {
    if (n++ == RH_SDF_TOUCH_MAX) {
      rh_sdf_refuse(s, rh_sdf_place(s, element), "a link may have %d collisions", RH_SDF_TOUCH_MAX);
      return;
    }
    const char *other = rh_sdf_attribute(s, before, "name");
    if (other && strcmp(other, name) == 0) {
      rh_sdf_refuse(s, rh_sdf_place(s, element), "the name '%.60s' is taken in this link", name);
      return;
    }
  }
}

// False: what it holds is not looked at.
static bool check_element(rh_sdf *s, int element)
{
  const rh_xml_element *e = &s->xml.element[element];
  const char *in = rh_sdf_tag(s, e->parent);
  const schema_row *row = find_row(in);
  if (!row) {
    rh_ignored_add(&s->ignored, RH_WARNING, e->place,
                   "<%.40s> is not known in <%.20s> and not used", e->name, in);
    return false;
  }
  if (is_listed(row->once, e->name) || is_listed(row->many, e->name)) {
    check_attributes(s, element);
    if (strcmp(e->name, "collision") == 0) {
      check_collision_name(s, element);
    }
    if (is_listed(row->once, e->name) && is_repeated(s, element)) {
      rh_sdf_refuse(s, e->place, "<%.40s> appears twice", e->name);
    }
    if (find_row(e->name) && e->text && strcmp(in, "dynamics") != 0) {
      rh_sdf_refuse(s, e->text_place, "<%.40s> holds elements, not text", e->name);
    }
    return strcmp(e->name, "visual") != 0; // what is wrong with one refuses nothing
  }
  if (is_listed(row->refused, e->name)) {
    rh_sdf_refuse(s, e->place, "<%.40s> in <%.20s> is not read", e->name, in);
  } else if (is_listed(row->noted, e->name) || strchr(e->name, ':')) {
    rh_ignored_add(&s->ignored, RH_NOTE, e->place, "<%.40s> is not used", e->name);
  } else if (is_listed(row->warned, e->name)) {
    rh_ignored_add(&s->ignored, RH_WARNING, e->place, "<%.40s> is not simulated", e->name);
  } else {
    rh_ignored_add(&s->ignored, RH_WARNING, e->place,
                   "<%.40s> is not known in <%.20s> and not used", e->name, in);
  }
  return false;
}

bool rh_sdf_check_schema(rh_sdf *s)
{
  check_attributes(s, s->root);
  int e = rh_xml_following(&s->xml, s->root, s->root, true);
  while (e != RH_NONE && rh_diag_count(s->diag, RH_ERROR) < ERRORS_MAX) {
    e = rh_xml_following(&s->xml, e, s->root, check_element(s, e));
  }
  return !s->refused;
}
