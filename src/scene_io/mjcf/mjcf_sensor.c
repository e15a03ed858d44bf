// mjcf_sensor.c: sensors. An accelerometer and a gyro are each an `imu` at their site, jointpos and
// jointvel are those of a joint, a rangefinder looks along the z axis of its site. MuJoCo's noise is a
// remark for programs, and acts on nothing. Other sensors are named once as not used.
#include "mjcf_part.h"

#include <stdio.h>
#include <string.h>

static bool name_is(const char *name, const rh_xml_attribute *a)
{
  return name && a && strcmp(name, a->value) == 0;
}

static void put_site(rh_mjcf *m, rh_node_list *entry, const rh_xml_attribute *a, rh_place place)
{
  const rh_mjcf_site *s = NULL;
  for (int i = 0; i < m->nsite; i++) {
    s = name_is(m->site[i].file_name, a) ? &m->site[i] : s;
  }
  if (!s) {
    rh_mjcf_refuse(m, a ? a->place : place, "a sensor must name a site");
    return;
  }
  const double at[3] = {s->pose.pos.x, s->pose.pos.y, s->pose.pos.z};
  double rpy[3];
  rh_mjcf_rpy(s->pose.quat, rpy);
  if (s->body == 0) {
    rh_nodes_put_text(&m->nodes, entry, "body", "world", place);
  } else {
    rh_nodes_put_name(&m->nodes, entry, "body", &m->body[s->body].name);
  }
  rh_nodes_put_numbers(&m->nodes, entry, "at", at, 3, place);
  rh_nodes_put_numbers(&m->nodes, entry, "rpy", rpy, 3, place);
}

static void put_joint(rh_mjcf *m, rh_node_list *entry, const rh_xml_attribute *a, rh_place place)
{
  const rh_mjcf_joint *j = NULL;
  for (int i = 0; i < m->njoint; i++) {
    j = name_is(m->joint[i].file_name, a) ? &m->joint[i] : j;
  }
  if (!j || j->type < RH_MJCF_SLIDE) {
    rh_mjcf_refuse(m, a ? a->place : place, "a sensor of a joint must name a hinge or slide joint");
    return;
  }
  rh_nodes_put_name(&m->nodes, entry, "joint", &j->name);
}

static void emit_sensor(rh_mjcf *m, int element, int number)
{
  static const struct {
    const char *tag, *kind;
    bool joint;
  } kinds[] = {{"accelerometer", "imu", false},
               {"gyro", "imu", false},
               {"rangefinder", "range", false},
               {"jointpos", "joint_position", true},
               {"jointvel", "joint_velocity", true}};

  rh_place place = rh_mjcf_place(m, element);
  const rh_xml_attribute *name = rh_xml_find(&m->xml, element, "name");
  char made[RH_NAME_MAX];
  for (int i = 0; i < RH_COUNT(kinds); i++) {
    if (strcmp(rh_mjcf_tag(m, element), kinds[i].tag) != 0) {
      continue;
    }
    (void)snprintf(made, sizeof made, "sensor%d", number);
    rh_robot_word word =
        rh_mjcf_word(name && *name->value ? name->value : made, name ? name->place : place);
    rh_node_list entry = rh_nodes_entry(&m->nodes, RH_NODE_SENSORS, place);
    rh_nodes_put_name(&m->nodes, &entry, "name", &word);
    rh_nodes_put_text(&m->nodes, &entry, "kind", kinds[i].kind, place);
    if (kinds[i].joint) {
      put_joint(m, &entry, rh_xml_find(&m->xml, element, "joint"), place);
    } else {
      put_site(m, &entry, rh_xml_find(&m->xml, element, "site"), place);
    }
  }
}

void rh_mjcf_emit_sensors(rh_mjcf *m)
{
  int number = 0;
  for (int e = m->xml.element[m->root].first; e != RH_NONE; e = m->xml.element[e].next) {
    bool section = strcmp(rh_mjcf_tag(m, e), "sensor") == 0;
    for (int f = m->xml.element[e].first; section && f != RH_NONE; f = m->xml.element[f].next) {
      emit_sensor(m, f, number++);
    }
  }
}
