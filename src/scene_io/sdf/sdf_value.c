// sdf_value.c: values of elements of SDF, which are their texts, and poses.
#include "sdf_part.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void rh_sdf_refuse(rh_sdf *s, rh_place place, const char *format, ...)
{
  char text[600];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  rh_diag_add(s->diag, s->showing ? RH_WARNING : RH_ERROR, place, "%s%s", text,
              s->showing ? "; this visual is not shown" : "");
  s->spoiled = s->spoiled || s->showing;
  s->refused = s->refused || !s->showing;
}

// ---- Elements

const char *rh_sdf_tag(const rh_sdf *s, int element)
{
  return s->xml.element[element].name;
}

rh_place rh_sdf_place(const rh_sdf *s, int element)
{
  return s->xml.element[element].place;
}

static int first_of_tag(const rh_sdf *s, int element, const char *tag)
{
  while (element != RH_NONE && strcmp(rh_sdf_tag(s, element), tag) != 0) {
    element = s->xml.element[element].next;
  }
  return element;
}

int rh_sdf_child(const rh_sdf *s, int element, const char *tag)
{
  return element == RH_NONE ? RH_NONE : first_of_tag(s, s->xml.element[element].first, tag);
}

int rh_sdf_next(const rh_sdf *s, int element)
{
  return first_of_tag(s, s->xml.element[element].next, rh_sdf_tag(s, element));
}

const char *rh_sdf_text(const rh_sdf *s, int element, const char *tag)
{
  int child = rh_sdf_child(s, element, tag);
  return child == RH_NONE ? NULL : s->xml.element[child].text;
}

const char *rh_sdf_attribute(const rh_sdf *s, int element, const char *name)
{
  const rh_xml_attribute *a = rh_xml_find(&s->xml, element, name);
  return a && a->value[0] ? a->value : NULL;
}

// ---- Numbers

bool rh_sdf_numbers(rh_sdf *s, int element, int n, double *x)
{
  double got[8] = {0};
  RH_ASSERT(n <= RH_COUNT(got));
  if (element == RH_NONE) {
    return false;
  }
  const rh_xml_element *e = &s->xml.element[element];
  if (!e->text || rh_xml_numbers(e->text, n, got) != n) {
    rh_sdf_refuse(s, e->text ? e->text_place : e->place,
                  "<%.40s> must be %d finite number%s, got '%.60s'", e->name, n, n > 1 ? "s" : "",
                  e->text ? e->text : "");
    return false;
  }
  memcpy(x, got, (size_t)n * sizeof *x);
  return true;
}

double rh_sdf_number(rh_sdf *s, int element, const char *tag, double otherwise)
{
  double x = otherwise;
  int child = rh_sdf_child(s, element, tag);
  const char *text = child == RH_NONE ? NULL : s->xml.element[child].text;
  static const char *const infinite[] = {"inf", "+inf", "-inf", "Inf", "-Inf"};
  for (int i = 0; text && i < RH_COUNT(infinite); i++) {
    size_t length = strlen(infinite[i]);
    if (strncmp(text, infinite[i], length) == 0 &&
        strspn(text + length, " \t\r\n") == strlen(text + length)) {
      return infinite[i][0] == '-' ? -HUGE_VAL : HUGE_VAL;
    }
  }
  (void)rh_sdf_numbers(s, child, 1, &x);
  return x;
}

bool rh_sdf_flag(rh_sdf *s, int element, const char *tag, bool otherwise)
{
  static const char *const words[] = {"0", "1", "false", "true", "False", "True"};
  int child = rh_sdf_child(s, element, tag);
  if (child == RH_NONE) {
    return otherwise;
  }
  const rh_xml_element *e = &s->xml.element[child];
  for (int i = 0; e->text && i < RH_COUNT(words); i++) {
    size_t length = strlen(words[i]);
    if (strncmp(e->text, words[i], length) == 0 &&
        strspn(e->text + length, " \t\r\n") == strlen(e->text + length)) {
      return i % 2 == 1;
    }
  }
  rh_sdf_refuse(s, e->text ? e->text_place : e->place, "<%.40s> must be true or false, got '%.40s'",
                e->name, e->text ? e->text : "");
  return otherwise;
}

// ---- Poses

rh_sdf_pose rh_sdf_identity(void)
{
  return (rh_sdf_pose){rh_mat3_identity(), rh_v3(0, 0, 0)};
}

rh_sdf_pose rh_sdf_compose(const rh_sdf_pose *a, const rh_sdf_pose *b)
{
  return (rh_sdf_pose){rh_mat3_mul(&a->R, &b->R), rh_add(a->p, rh_rotate(&a->R, b->p))};
}

rh_sdf_pose rh_sdf_within(const rh_sdf_pose *a, const rh_sdf_pose *b)
{
  rh_mat3 back = rh_mat3_transpose(&a->R);
  return (rh_sdf_pose){rh_mat3_mul(&back, &b->R), rh_unrotate(&a->R, rh_sub(b->p, a->p))};
}

static bool read_quaternion(rh_sdf *s, int element, rh_sdf_pose *pose)
{
  double x[7];
  if (!rh_sdf_numbers(s, element, 7, x)) {
    return false;
  }
  rh_quat q = {x[6], x[3], x[4], x[5]};
  if (!(rh_quat_norm(q) > 1e-6)) {
    rh_sdf_refuse(s, s->xml.element[element].text_place, "the quaternion must not be zero");
    return false;
  }
  *pose = (rh_sdf_pose){rh_quat_matrix(rh_quat_unit(q)), rh_v3(x[0], x[1], x[2])};
  return true;
}

rh_sdf_pose rh_sdf_read_pose(rh_sdf *s, int element)
{
  rh_sdf_pose pose = rh_sdf_identity();
  int child = rh_sdf_child(s, element, "pose");
  if (child == RH_NONE || !s->xml.element[child].text) { // <pose/> is the identity
    return pose;
  }
  const char *format = rh_sdf_attribute(s, child, "rotation_format");
  const char *degrees = rh_sdf_attribute(s, child, "degrees");
  if (format && strcmp(format, "quat_xyzw") == 0) {
    (void)read_quaternion(s, child, &pose);
    return pose;
  }
  if (format && strcmp(format, "euler_rpy") != 0) {
    rh_sdf_refuse(s, rh_xml_find(&s->xml, child, "rotation_format")->place,
                  "rotation_format must be euler_rpy or quat_xyzw, got '%.40s'", format);
    return pose;
  }
  double x[6];
  bool turn = degrees && (strcmp(degrees, "true") == 0 || strcmp(degrees, "1") == 0);
  double unit = turn ? 3.14159265358979323846 / 180 : 1;
  if (rh_sdf_numbers(s, child, 6, x)) {
    pose.R = rh_rpy_matrix(unit * x[3], unit * x[4], unit * x[5]);
    pose.p = rh_v3(x[0], x[1], x[2]);
  }
  return pose;
}

void rh_sdf_put_pose(rh_sdf *s, rh_node_list *map, const rh_sdf_pose *pose, rh_place place)
{
  const double at[3] = {pose->p.x, pose->p.y, pose->p.z};
  double rpy[3];
  rh_nodes_angles(&pose->R, rpy);
  for (int i = 0; i < 3; i++) {
    rpy[i] += 0.0; // no -0
  }
  if (at[0] != 0 || at[1] != 0 || at[2] != 0) {
    rh_nodes_put_numbers(&s->nodes, map, "at", at, 3, place);
  }
  if (rpy[0] != 0 || rpy[1] != 0 || rpy[2] != 0) {
    rh_nodes_put_numbers(&s->nodes, map, "rpy", rpy, 3, place);
  }
}
