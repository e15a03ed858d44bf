// mjcf_plugin.c: actuators of the plugin mujoco.pid. Its numbers are <config> of the actuator, or of
// an instance that <extension> declares. MuJoCo adds the error of the present step to the integral and
// limits the rate of the control by `slewmax`, which depends on its step: neither is so here.
#include "mjcf_part.h"

#include <string.h>

static bool attribute_is(const rh_mjcf *m, int element, const char *key, const char *value)
{
  const rh_xml_attribute *a = rh_xml_find(&m->xml, element, key);
  return a && value && strcmp(a->value, value) == 0;
}

// The element that holds <config>: the instance that the actuator names, or the actuator itself.
static int find_instance(rh_mjcf *m, int actuator)
{
  const rh_xml_attribute *a = rh_xml_find(&m->xml, actuator, "instance");
  int e = a ? rh_xml_following(&m->xml, m->root, m->root, true) : actuator;
  for (; a && e != RH_NONE; e = rh_xml_following(&m->xml, e, m->root, true)) {
    int holder = m->xml.element[e].parent;
    if (strcmp(rh_mjcf_tag(m, e), "instance") == 0 && attribute_is(m, e, "name", a->value) &&
        attribute_is(m, holder, "plugin", "mujoco.pid")) {
      break;
    }
  }
  if (e == RH_NONE) {
    rh_mjcf_refuse(m, a->place, "there is no instance '%.60s' of the plugin mujoco.pid", a->value);
  }
  return e;
}

static void read_config(rh_mjcf *m, int element, rh_mjcf_pid *pid)
{
  const struct {
    const char *key;
    double *to;
  } known[] = {{"kp", &pid->kp}, {"ki", &pid->ki}, {"kd", &pid->kd}, {"imax", &pid->most}};

  const rh_xml_attribute *key = rh_xml_find(&m->xml, element, "key");
  const rh_xml_attribute *value = rh_xml_find(&m->xml, element, "value");
  double x = 0;
  if (!key || !value || rh_xml_numbers(value->value, 1, &x) != 1 || x < 0) {
    rh_mjcf_refuse(m, value ? value->place : rh_mjcf_place(m, element),
                   "<config> of mujoco.pid needs a key and a number that is not negative");
    return;
  }
  for (int i = 0; i < RH_COUNT(known); i++) {
    if (strcmp(key->value, known[i].key) == 0) {
      *known[i].to = x;
      return;
    }
  }
  if (strcmp(key->value, "slewmax") == 0) {
    rh_ignored_add(&m->ignored, RH_WARNING, key->place,
                   "slewmax of mujoco.pid is not simulated: the control may jump");
    return;
  }
  rh_mjcf_refuse(m, key->place, "the plugin mujoco.pid has no key '%.60s'", key->value);
}

bool rh_mjcf_read_pid(rh_mjcf *m, int actuator, rh_mjcf_pid *pid)
{
  *pid = (rh_mjcf_pid){.most = -1};
  if (!attribute_is(m, actuator, "plugin", "mujoco.pid")) {
    rh_mjcf_refuse(m, rh_mjcf_place(m, actuator),
                   "of the plugins of actuators only mujoco.pid is read");
    return false;
  }
  int holder = find_instance(m, actuator);
  for (int e = holder == RH_NONE ? RH_NONE : m->xml.element[holder].first; e != RH_NONE;
       e = m->xml.element[e].next) {
    if (strcmp(rh_mjcf_tag(m, e), "config") == 0) {
      read_config(m, e, pid);
    }
  }
  return !m->refused;
}
