// mjcf_schema.c: elements and attributes of MJCF. A row lists those that are read, those without
// influence on the motion (a note lists them), and those that must have one value, as the others are
// not supported. Anything else is refused where it stands.
#include "mjcf_part.h"

#include <string.h>

typedef struct schema_row {
  const char *in;    // elements that hold it
  const char *names; // elements
  const char *read;
  const char *ignored; // "*": all others
  const char *fixed;   // NAME=VALUE
} schema_row;

#define PLACE  "pos quat axisangle xyaxes zaxis euler "
#define BODIES "worldbody body frame replicate"
#define SERVO                                                                                      \
  "name class joint jointinparent tendon site ctrllimited ctrlrange forcelimited "                 \
  "forcerange gear lengthrange refsite actlimited actrange group "
#define SERVO_NOT "user nsample interp delay"
#define TENDON_NOT                                                                                 \
  "group solreflimit solimplimit solreffriction solimpfriction margin width material rgba user"
#define SOLVER "solref solimp solmix condim priority friction margin gap contype conaffinity "

// clang-format off: one row per line or two
static const schema_row rows[] = {
    {"", "mujoco", "model", "", ""},
    {"mujoco", "compiler",
     "autolimits angle eulerseq meshdir assetdir strippath inertiafromgeom "
     "inertiagrouprange settotalmass boundmass boundinertia balanceinertia fitaabb",
     "fusestatic texturedir discardvisual usethread convexhull exactmeshinertia coordinate "
     "saveinertial "
     "conflict",
     "alignfree=false"},
    {"compiler", "lengthrange", "", "*", ""},
    {"mujoco", "option", "gravity density viscosity wind actuatorgroupdisable",
     "timestep impratio tolerance ls_tolerance noslip_tolerance "
     "ccd_tolerance sleep_tolerance integrator cone jacobian solver iterations ls_iterations "
     "noslip_iterations "
     "ccd_iterations sdf_iterations sdf_initpoints apirate mpr_tolerance mpr_iterations collision",
     "magnetic=0 0 -0.5 o_margin=0"},
    {"option", "flag",
     "constraint equality frictionloss limit contact passive spring damper gravity clampctrl "
     "filterparent actuation",
     "*", "override=disable"},
    {"mujoco", "size visual statistic custom", "", "*", ""},
    {"mujoco", "sensor", "", "", ""},
    {"mujoco", "extension", "", "", ""},
    {"extension", "plugin", "plugin", "", ""},
    {"extension", "*", "", "*", ""},
    {"plugin", "instance", "name", "", ""},
    {"instance plugin", "config", "key value", "", ""},
    {"size visual custom", "*", "", "*", ""},
    {"sensor", "accelerometer gyro rangefinder", "name site",
     "noise cutoff user nsample interp delay interval data", ""},
    {"sensor", "jointpos jointvel", "name joint", "noise cutoff user nsample interp delay interval",
     ""},
    {"sensor", "*", "", "*", ""},
    {"mujoco default", "default", "class", "", ""},
    {"mujoco", "asset contact equality tendon actuator keyframe worldbody", "", "", ""},
    {"asset", "mesh", "name class file vertex face scale refpos refquat inertia",
     "content_type normal texcoord smoothnormal maxhullvert material", "builtin=none"},
    {"default", "mesh", "scale inertia", "maxhullvert smoothnormal", ""},
    {"asset", "hfield", "name file nrow ncol size elevation", "content_type", ""},
    {"asset", "texture skin", "", "*", ""},
    {"asset default", "material", "name class rgba", "*", ""},
    {"material", "layer", "", "*", ""},
    {"skin", "bone", "", "*", ""},
    {"default", "camera light", "", "*", ""},
    {BODIES, "camera light", "", "*", ""},
    {BODIES, "body", PLACE "name childclass gravcomp mocap", "user sleep", ""},
    {BODIES, "frame", PLACE "name childclass", "", ""},
    {BODIES, "replicate", "count offset euler sep", "", ""},
    {"body", "inertial", PLACE "mass diaginertia fullinertia", "", ""},
    {BODIES, "freejoint", "name", "group", "align=false"},
    {BODIES " default", "joint",
     "name class type pos axis range limited ref springref stiffness damping armature frictionloss "
     "springdamper actuatorfrcrange actuatorfrclimited actuatorgravcomp",
     "group margin solreflimit solimplimit solreffriction solimpfriction user", ""},
    {BODIES " default", "geom",
     PLACE SOLVER
     "name class type size fromto mass density shellinertia mesh hfield group fitscale material "
     "rgba",
     "user fluidcoef", "fluidshape=none"},
    {BODIES " default", "site", PLACE "name class fromto", "type size group material rgba user",
     ""},
    {"contact", "exclude", "body1 body2", "name", ""},
    {"contact default", "pair", "geom1 geom2 class condim friction solref solimp margin gap",
     "name solreffriction", ""},
    {"keyframe", "key", "name qpos qvel ctrl", "time", "act="},
    {"actuator default", "motor", SERVO, SERVO_NOT, ""},
    {"actuator default", "position", SERVO "kp kv dampratio inheritrange timeconst", SERVO_NOT, ""},
    {"actuator default", "intvelocity", SERVO "kp kv dampratio inheritrange", SERVO_NOT, ""},
    {"actuator default", "cylinder", SERVO "timeconst area diameter bias", SERVO_NOT, ""},
    {"actuator default", "velocity", SERVO "kv", SERVO_NOT, ""},
    {"actuator default", "damper", SERVO "kv", SERVO_NOT, ""},
    {"actuator default", "general", SERVO "gaintype biastype gainprm biasprm dyntype dynprm",
     SERVO_NOT " actearly", "actdim=-1"},
    {"actuator default", "plugin", SERVO "plugin instance", SERVO_NOT " actdim actearly",
     "dyntype=none"},
    {"default", "equality", "active", "solref solimp", ""},
    {"equality", "joint", "class active joint1 joint2 polycoef", "name solref solimp", ""},
    {"equality", "connect", "class active body1 body2 anchor site1 site2", "name solref solimp",
     ""},
    {"equality", "weld", "class active body1 body2 anchor relpose site1 site2",
     "name solref solimp torquescale", ""},
    {"equality", "tendon", "class active tendon1 tendon2 polycoef", "name solref solimp", ""},
    {"default", "tendon",
     "limited range frictionloss springlength stiffness damping actuatorfrclimited "
     "actuatorfrcrange",
     TENDON_NOT, "armature=0"},
    {"tendon", "fixed spatial",
     "name class limited range frictionloss springlength stiffness damping actuatorfrclimited "
     "actuatorfrcrange",
     TENDON_NOT, "armature=0"},
    {"fixed", "joint", "joint coef", "", ""},
    {"spatial", "site", "site", "", ""},
    {"spatial", "geom", "geom sidesite", "", ""},
    {"spatial", "pulley", "divisor", "", ""},
};

// clang-format on

static bool word_is_listed(const char *words, const char *word)
{
  size_t length = strlen(word);
  for (const char *at = strstr(words, word); at && length > 0; at = strstr(at + 1, word)) {
    bool starts = at == words || at[-1] == ' ';
    if (starts && (at[length] == ' ' || at[length] == '\0')) {
      return true;
    }
  }
  return false;
}

static const schema_row *find_row(const rh_mjcf *m, int element)
{
  int holder = m->xml.element[element].parent;
  const char *in = holder == RH_NONE ? "" : rh_mjcf_tag(m, holder);
  const char *tag = rh_mjcf_tag(m, element);
  for (int i = 0; i < RH_COUNT(rows); i++) {
    bool here = holder == RH_NONE ? rows[i].in[0] == '\0' : word_is_listed(rows[i].in, in);
    if (here && (strcmp(rows[i].names, "*") == 0 || word_is_listed(rows[i].names, tag))) {
      return &rows[i];
    }
  }
  return NULL;
}

// An attribute that must have one value: "" is none. NULL: it is not such an attribute.
static const char *fixed_value(const schema_row *row, const char *name, char value[64])
{
  size_t length = strlen(name);
  for (const char *at = strstr(row->fixed, name); at; at = strstr(at + 1, name)) {
    if ((at == row->fixed || at[-1] == ' ') && at[length] == '=') {
      const char *from = at + length + 1;
      size_t n = strcspn(from, " ");
      n = n < 63 ? n : 63;
      memcpy(value, from, n);
      value[n] = '\0';
      return value;
    }
  }
  return NULL;
}

static void check_attributes(rh_mjcf *m, int element, const schema_row *row)
{
  const rh_xml_element *e = &m->xml.element[element];
  for (int i = 0; i < e->nattribute; i++) {
    const rh_xml_attribute *a = &e->attribute[i];
    char buffer[64];
    const char *only = fixed_value(row, a->name, buffer);
    if (word_is_listed(row->read, a->name) || strcmp(row->read, "*") == 0 ||
        (only && strcmp(a->value, only) == 0)) {
      continue;
    }
    if (only) {
      rh_mjcf_refuse(m, a->place, "%s=\"%.60s\" of <%.40s> is not supported%s%s%s", a->name,
                     a->value, e->name, *only ? "; only \"" : "", only, *only ? "\" is" : "");
    } else if (word_is_listed(row->ignored, a->name)) {
      rh_ignored_add(&m->ignored, RH_NOTE, a->place, "%.40s of <%.40s> is not used", a->name,
                     e->name);
    } else if (strcmp(row->ignored, "*") != 0) {
      rh_mjcf_refuse(m, a->place, "<%.40s> has no attribute '%.40s' that can be read", e->name,
                     a->name);
    }
  }
}

bool rh_mjcf_check_schema(rh_mjcf *m)
{
  int e = m->root;
  while (e != RH_NONE) {
    const schema_row *row = find_row(m, e);
    bool inside = true;
    if (!row) {
      rh_mjcf_refuse(m, rh_mjcf_place(m, e), "<%.40s> in <%.40s> is not supported",
                     rh_mjcf_tag(m, e),
                     e == m->root ? "the file" : rh_mjcf_tag(m, m->xml.element[e].parent));
      inside = false;
    } else {
      check_attributes(m, e, row);
      bool unread = strcmp(row->ignored, "*") == 0 && row->read[0] == '\0';
      if (unread) {
        rh_ignored_add(&m->ignored, RH_NOTE, rh_mjcf_place(m, e), "<%.40s> is not used",
                       rh_mjcf_tag(m, e));
        inside = false;
      }
    }
    e = rh_xml_following(&m->xml, e, m->root, inside);
  }
  return !m->refused;
}
