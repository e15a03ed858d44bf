// mjcf_value.c: values of attributes with the defaults that apply; poses. A list of numbers may be
// shorter than the one of a default: the rest then stays as in the default.
#include "mjcf_part.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void rh_mjcf_refuse(rh_mjcf *m, rh_place place, const char *format, ...)
{
  char text[600];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  rh_diag_add(m->diag, RH_ERROR, place, "%s", text);
  m->refused = true;
}

void *rh_mjcf_grow(rh_mjcf *m, void **array, int *count, size_t size)
{
  int n = *count;
  if (n >= RH_MJCF_MAX) {
    if (m->nodes.status == RH_OK) {
      rh_mjcf_refuse(m, rh_mjcf_place(m, m->root), "the model is too big: it may have %d of a sort",
                     RH_MJCF_MAX);
      m->nodes.status = RH_INPUT_REFUSED;
    }
    return NULL;
  }
  if ((n & (n - 1)) == 0) { // the capacity is the next power of two
    void *grown = rh_realloc(*array, (size_t)(n > 0 ? 2 * n : 1) * size);
    if (!grown) {
      m->nodes.status = RH_OUT_OF_MEMORY;
      return NULL;
    }
    *array = grown;
  }
  *count = n + 1;
  return memset((char *)*array + (size_t)n * size, 0, size);
}

rh_robot_word rh_mjcf_word(const char *text, rh_place place)
{
  rh_robot_word word = {.name = rh_name_of(text), .place = place};
  bool letter = false;
  for (char *t = word.name.text; *t; t++) {
    bool one = (*t >= 'a' && *t <= 'z') || (*t >= 'A' && *t <= 'Z');
    letter = letter || one;
    if (!one && !(*t >= '0' && *t <= '9') && *t != '-') {
      *t = '_';
    }
  }
  if (!letter) { // a name has a letter
    char made[RH_NAME_MAX + 2];
    snprintf(made, sizeof made, "n%s", word.name.text);
    word.name = rh_name_of(made);
  }
  return word;
}

const char *rh_mjcf_tag(const rh_mjcf *m, int element)
{
  return m->xml.element[element].name;
}

rh_place rh_mjcf_place(const rh_mjcf *m, int element)
{
  return m->xml.element[element].place;
}

// ---- Defaults

static bool is_actuator(const char *tag)
{
  static const char *const tags[] = {"general",     "motor",  "position", "velocity",
                                     "intvelocity", "damper", "cylinder", "muscle",
                                     "adhesion",    "plugin", "dcmotor"};
  for (int i = 0; i < RH_COUNT(tags); i++) {
    if (strcmp(tag, tags[i]) == 0) {
      return true;
    }
  }
  return false;
}

static void add_to_scope(rh_mjcf *m, rh_mjcf_scope *scope, int element)
{
  if (scope->count < RH_MJCF_SCOPE) {
    scope->element[scope->count++] = element;
  } else if (m->nodes.status == RH_OK) {
    rh_mjcf_refuse(m, rh_mjcf_place(m, element), "too many defaults apply here: %d are allowed",
                   RH_MJCF_SCOPE);
    m->nodes.status = RH_INPUT_REFUSED;
  }
}

static void add_defaults(rh_mjcf *m, int holder, const char *tag, rh_mjcf_scope *scope)
{
  bool actuators = strcmp(tag, "actuator") == 0;
  for (int e = m->xml.element[holder].first; e != RH_NONE; e = m->xml.element[e].next) {
    const char *name = rh_mjcf_tag(m, e);
    if (actuators ? is_actuator(name) : strcmp(name, tag) == 0) {
      add_to_scope(m, scope, e);
    }
  }
}

void rh_mjcf_scope_of(rh_mjcf *m, int element, const char *tag, int class, rh_mjcf_scope *scope)
{
  int chain[RH_XML_DEPTH + 1];
  int n = 0;
  scope->count = 0;
  scope->own = element;
  for (int c = rh_mjcf_class_of(m, element, "class", class); c > 0; c = m->class[c].parent) {
    chain[n++] = c;
  }
  for (int e = m->xml.element[m->root].first; e != RH_NONE; e = m->xml.element[e].next) {
    if (strcmp(rh_mjcf_tag(m, e), "default") == 0) {
      add_defaults(m, e, tag, scope);
    }
  }
  while (n > 0) {
    add_defaults(m, m->class[chain[--n]].element, tag, scope);
  }
  add_to_scope(m, scope, element);
}

rh_mjcf_scope rh_mjcf_alone(int element)
{
  rh_mjcf_scope scope;
  scope.element[0] = element;
  scope.count = 1;
  scope.own = element;
  return scope;
}

int rh_mjcf_class_of(rh_mjcf *m, int element, const char *attribute, int otherwise)
{
  const rh_xml_attribute *a = rh_xml_find(&m->xml, element, attribute);
  if (!a) {
    return otherwise;
  }
  for (int i = 0; i < m->nclass; i++) {
    if (strcmp(m->class[i].name, a->value) == 0) {
      return i;
    }
  }
  rh_mjcf_refuse(m, a->place, "there is no class '%.60s' of defaults", a->value);
  return otherwise;
}

// ---- Values

const rh_xml_attribute *rh_mjcf_find(const rh_mjcf *m, const rh_mjcf_scope *s, const char *name)
{
  for (int i = s->count - 1; i >= 0; i--) {
    const rh_xml_attribute *a = rh_xml_find(&m->xml, s->element[i], name);
    if (a) {
      return a;
    }
  }
  return NULL;
}

const char *rh_mjcf_text(const rh_mjcf *m, const rh_mjcf_scope *s, const char *name)
{
  const rh_xml_attribute *a = rh_mjcf_find(m, s, name);
  return a ? a->value : NULL;
}

int rh_mjcf_numbers(rh_mjcf *m, const rh_mjcf_scope *s, const char *name, int least, int most,
                    double *x)
{
  int given = 0;
  for (int i = 0; i < s->count; i++) {
    const rh_xml_attribute *a = rh_xml_find(&m->xml, s->element[i], name);
    if (!a) {
      continue;
    }
    int n = rh_xml_numbers(a->value, most, x);
    if (n < least || n > most) { // RH_NONE too
      char count[32];
      snprintf(count, sizeof count, least == most ? "%d" : "%d to %d", least, most);
      rh_mjcf_refuse(m, a->place, "%s of <%.40s> must be %s finite number%s, got '%.60s'", name,
                     rh_mjcf_tag(m, s->element[i]), count, most == 1 ? "" : "s", a->value);
      return 0;
    }
    given = n;
  }
  return given;
}

double rh_mjcf_number(rh_mjcf *m, const rh_mjcf_scope *s, const char *name, double otherwise)
{
  double x = otherwise;
  (void)rh_mjcf_numbers(m, s, name, 1, 1, &x);
  return x;
}

int rh_mjcf_choice(rh_mjcf *m, const rh_mjcf_scope *s, const char *name, const char *words,
                   int otherwise)
{
  const rh_xml_attribute *a = rh_mjcf_find(m, s, name);
  if (!a) {
    return otherwise;
  }
  int index = 0;
  for (const char *word = words; word; index++) {
    const char *end = strchr(word, '|');
    size_t length = end ? (size_t)(end - word) : strlen(word);
    if (strlen(a->value) == length && memcmp(a->value, word, length) == 0) {
      return index;
    }
    word = end ? end + 1 : NULL;
  }
  rh_mjcf_refuse(m, a->place, "%s of <%.40s> must be one of %s, got '%.60s'", name,
                 rh_mjcf_tag(m, s->own), words, a->value);
  return otherwise;
}

rh_vec3 rh_mjcf_vector(rh_mjcf *m, const rh_mjcf_scope *s, const char *name)
{
  double x[3] = {0, 0, 0};
  (void)rh_mjcf_numbers(m, s, name, 3, 3, x);
  return rh_v3(x[0], x[1], x[2]);
}

double rh_mjcf_angle(const rh_mjcf *m, double angle)
{
  static const double PI = 3.14159265358979323846;
  return m->set.radian ? angle : angle / 180 * PI;
}

// ---- Poses

rh_vec3 rh_mjcf_turn(rh_quat q, rh_vec3 a)
{
  rh_mat3 R = rh_quat_matrix(q);
  return rh_rotate(&R, a);
}

rh_mjcf_pose rh_mjcf_compose(rh_mjcf_pose a, rh_mjcf_pose b)
{
  return (rh_mjcf_pose){rh_add(a.pos, rh_mjcf_turn(a.quat, b.pos)),
                        rh_quat_unit(rh_quat_mul(a.quat, b.quat))};
}

static rh_quat turn_about(rh_vec3 axis, double angle)
{
  double s = rh_sin(angle / 2);
  return (rh_quat){rh_cos(angle / 2), s * axis.x, s * axis.y, s * axis.z};
}

rh_quat rh_mjcf_along(rh_vec3 z)
{
  z = rh_scale(1 / rh_norm(z), z);
  rh_vec3 axis = rh_v3(-z.y, z.x, 0);
  double s = rh_norm(axis);
  axis = s < 1e-10 ? rh_v3(1, 0, 0) : rh_scale(1 / s, axis);
  return turn_about(axis, rh_atan2(s, z.z));
}

rh_quat rh_mjcf_euler(const rh_mjcf *m, const double *x)
{
  rh_quat q = rh_quat_identity();
  for (int i = 0; i < 3; i++) {
    char letter = m->set.eulerseq[i];
    bool fixed = letter < 'a';
    char axis = (char)(fixed ? letter - 'A' + 'a' : letter);
    rh_quat turn = turn_about(rh_v3(axis == 'x', axis == 'y', axis == 'z'), rh_mjcf_angle(m, x[i]));
    q = fixed ? rh_quat_mul(turn, q) : rh_quat_mul(q, turn);
  }
  return q;
}

// The frame whose first axes these are, the second made square to the first. False: they are parallel.
static bool read_axes(const double *x, rh_quat *q)
{
  rh_vec3 a = rh_v3(x[0], x[1], x[2]);
  rh_vec3 b = rh_v3(x[3], x[4], x[5]);
  if (!(rh_norm(a) > 1e-14)) {
    return false;
  }
  a = rh_scale(1 / rh_norm(a), a);
  b = rh_addscaled(b, -rh_dot(a, b), a);
  if (!(rh_norm(b) > 1e-14)) {
    return false;
  }
  b = rh_scale(1 / rh_norm(b), b);
  rh_vec3 c = rh_cross(a, b);
  rh_mat3 R = {{a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z}};
  *q = rh_quat_of_matrix(&R);
  return true;
}

// An orientation by one of the other attributes. False: it is degenerate.
static bool read_other(const rh_mjcf *m, const char *name, const double *x, rh_quat *q)
{
  rh_vec3 axis = rh_v3(x[0], x[1], x[2]);
  if (strcmp(name, "euler") == 0) {
    *q = rh_mjcf_euler(m, x);
    return true;
  }
  if (strcmp(name, "xyaxes") == 0) {
    return read_axes(x, q);
  }
  if (!(rh_norm(axis) > 1e-14)) {
    return false;
  }
  *q = strcmp(name, "zaxis") == 0
           ? rh_mjcf_along(axis)
           : turn_about(rh_scale(1 / rh_norm(axis), axis), rh_mjcf_angle(m, x[3]));
  return true;
}

rh_mjcf_pose rh_mjcf_pose_of(rh_mjcf *m, const rh_mjcf_scope *s)
{
  static const struct {
    const char *name;
    int count;
  } others[] = {{"axisangle", 4}, {"xyaxes", 6}, {"zaxis", 3}, {"euler", 3}};

  rh_mjcf_pose pose = {rh_mjcf_vector(m, s, "pos"), rh_quat_identity()};
  double x[6] = {1, 0, 0, 0};
  if (rh_mjcf_numbers(m, s, "quat", 4, 4, x) > 0) {
    rh_quat q = {x[0], x[1], x[2], x[3]};
    if (rh_quat_norm(q) > 1e-14) {
      pose.quat = rh_quat_unit(q);
    } else {
      rh_mjcf_refuse(m, rh_mjcf_find(m, s, "quat")->place, "the quaternion must not be zero");
    }
  }
  const char *first = NULL;
  for (int i = 0; i < RH_COUNT(others); i++) {
    const char *name = others[i].name;
    if (rh_mjcf_numbers(m, s, name, others[i].count, others[i].count, x) == 0) {
      continue;
    }
    rh_place place = rh_mjcf_find(m, s, name)->place;
    if (first) {
      rh_mjcf_refuse(m, place, "an orientation is given once, got %s and %s", first, name);
    }
    first = name;
    if (!read_other(m, name, x, &pose.quat)) {
      rh_mjcf_refuse(m, place, "%s has no direction: its vectors must not be zero or parallel",
                     name);
    }
  }
  return pose;
}

// Roll, pitch, yaw of R = Rz Ry Rx. Near a pitch of 90 degrees roll and yaw can hardly be distinguished:
// yaw is taken from what is left after the roll, so that errors of the roll are made up for.
void rh_mjcf_rpy(rh_quat q, double rpy[3])
{
  rh_mat3 R = rh_quat_matrix(q);
  rh_nodes_angles(&R, rpy);
}
