// mjcf_actuator.c: actuators. All kinds are one: force = gain(l, w) u + bias(l, w), where l and w are
// length and speed of the transmission. A class of defaults has one record for all kinds, so that the
// gain of a <position> there reaches a <general> too.
#include "mjcf_part.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum servo_kind { GAIN_FIXED, GAIN_AFFINE } servo_kind;

enum { DYNAMICS_INTEGRAL = 4 }; // after the words of dyntype

typedef struct servo { // the record
  int gain_type;       // servo_kind
  int bias_type;       // 0 none, 1 affine
  double gain[3], bias[3];
  double dampratio; // 0: none
  double inherit;   // 0: none
  bool damper;      // u is the gain on the speed, and not negative
  int dynamics;     // dyntype: none, integrator, filter, filterexact
  double time;      // dynprm[0]
  bool limited;     // the state has a range by its kind
  double ki, most;  // of a PID: gain on the integral; bound of its effort, negative: none
} servo;

// ---- The record

static void apply_general(rh_mjcf *m, const rh_mjcf_scope *s, servo *v)
{
  double x[10];
  v->gain_type = rh_mjcf_choice(m, s, "gaintype", "fixed|affine", v->gain_type);
  v->bias_type = rh_mjcf_choice(m, s, "biastype", "none|affine", v->bias_type);
  v->dynamics = rh_mjcf_choice(m, s, "dyntype", "none|integrator|filter|filterexact", v->dynamics);
  double dynamics[10] = {v->time};
  (void)rh_mjcf_numbers(m, s, "dynprm", 1, 10, dynamics);
  v->time = dynamics[0];
  memset(x, 0, sizeof x);
  memcpy(x, v->gain, sizeof v->gain);
  (void)rh_mjcf_numbers(m, s, "gainprm", 1, 10, x);
  memcpy(v->gain, x, sizeof v->gain);
  memset(x, 0, sizeof x);
  memcpy(x, v->bias, sizeof v->bias);
  (void)rh_mjcf_numbers(m, s, "biasprm", 1, 10, x);
  memcpy(v->bias, x, sizeof v->bias);
}

static void apply_position(rh_mjcf *m, const rh_mjcf_scope *s, servo *v)
{
  double kv = -1;
  v->gain[0] = rh_mjcf_number(m, s, "kp", v->gain[0]);
  v->bias[1] = -v->gain[0];
  if (rh_mjcf_numbers(m, s, "kv", 1, 1, &kv) > 0) {
    v->bias[2] = -kv;
    if (kv < 0) {
      rh_mjcf_refuse(m, rh_mjcf_find(m, s, "kv")->place, "kv must not be negative");
    }
  }
  if (rh_mjcf_numbers(m, s, "dampratio", 1, 1, &v->dampratio) > 0) {
    v->bias[2] = v->dampratio;
    if (v->dampratio < 0 || kv >= 0) {
      rh_mjcf_refuse(m, rh_mjcf_find(m, s, "dampratio")->place,
                     "dampratio must not be negative, and excludes kv");
    }
  }
  v->inherit = rh_mjcf_number(m, s, "inheritrange", v->inherit);
  if (rh_mjcf_numbers(m, s, "timeconst", 1, 1, &v->time) > 0) {
    v->dynamics = v->time == 0 ? 0 : 3;
  }
  v->gain_type = GAIN_FIXED;
  v->bias_type = 1;
}

static void apply_velocity(rh_mjcf *m, const rh_mjcf_scope *s, servo *v)
{
  v->gain[0] = rh_mjcf_number(m, s, "kv", v->gain[0]);
  v->bias[0] = v->bias[1] = 0;
  v->bias[2] = -v->gain[0];
  v->gain_type = GAIN_FIXED;
  v->bias_type = 1;
}

static void apply_damper(rh_mjcf *m, const rh_mjcf_scope *s, servo *v)
{
  double kv = rh_mjcf_number(m, s, "kv", 1);
  v->gain[0] = v->gain[1] = 0;
  v->gain[2] = -kv;
  v->gain_type = GAIN_AFFINE;
  v->bias_type = 0;
  v->damper = true;
}

static void apply_intvelocity(rh_mjcf *m, const rh_mjcf_scope *s, servo *v)
{
  apply_position(m, s, v);
  v->dynamics = 1;
  v->limited = true;
}

static void apply_cylinder(rh_mjcf *m, const rh_mjcf_scope *s, servo *v)
{
  double diameter = 0;
  v->gain[0] = rh_mjcf_number(m, s, "area", v->gain[0]);
  if (rh_mjcf_numbers(m, s, "diameter", 1, 1, &diameter) > 0) {
    v->gain[0] = 0.78539816339744830962 * diameter * diameter;
  }
  (void)rh_mjcf_numbers(m, s, "bias", 3, 3, v->bias);
  v->time = rh_mjcf_number(m, s, "timeconst", v->time);
  v->dynamics = 2;
  v->gain_type = GAIN_FIXED;
  v->bias_type = 1;
}

static void apply_motor(servo *v)
{
  v->gain[0] = 1;
  v->gain[1] = v->gain[2] = 0;
  v->gain_type = GAIN_FIXED;
  v->bias_type = 0;
}

static void apply_pid(rh_mjcf *m, int element, servo *v)
{
  rh_mjcf_pid pid;
  if (!rh_mjcf_read_pid(m, element, &pid)) {
    return;
  }
  v->gain[0] = pid.kp;
  v->bias[0] = 0;
  v->bias[1] = -pid.kp;
  v->bias[2] = -pid.kd;
  v->ki = pid.ki;
  v->most = pid.most;
  v->gain_type = GAIN_FIXED;
  v->bias_type = 1;
  v->dynamics = pid.ki != 0 ? DYNAMICS_INTEGRAL : 0;
}

static servo read_record(rh_mjcf *m, const rh_mjcf_scope *all)
{
  servo v = {.gain = {1, 0, 0}, .time = 1};
  for (int i = 0; i < all->count; i++) {
    rh_mjcf_scope s = rh_mjcf_alone(all->element[i]);
    const char *tag = rh_mjcf_tag(m, all->element[i]);
    if (strcmp(tag, "general") == 0) {
      apply_general(m, &s, &v);
    } else if (strcmp(tag, "position") == 0) {
      apply_position(m, &s, &v);
    } else if (strcmp(tag, "velocity") == 0) {
      apply_velocity(m, &s, &v);
    } else if (strcmp(tag, "intvelocity") == 0) {
      apply_intvelocity(m, &s, &v);
    } else if (strcmp(tag, "cylinder") == 0) {
      apply_cylinder(m, &s, &v);
    } else if (strcmp(tag, "damper") == 0) {
      apply_damper(m, &s, &v);
    } else if (strcmp(tag, "plugin") == 0) {
      apply_pid(m, all->element[i], &v);
    } else if (strcmp(tag, "motor") == 0) {
      apply_motor(&v);
    }
  }
  return v;
}

// ---- One actuator

static int find_joint(const rh_mjcf *m, const char *name)
{
  for (int i = 0; i < m->njoint; i++) {
    if (m->joint[i].file_name && strcmp(m->joint[i].file_name, name) == 0) {
      return i;
    }
  }
  return RH_NONE;
}

typedef struct transmission {
  const rh_mjcf_joint *joint; // NULL: of a site or a tendon
  const rh_mjcf_tendon *tendon;
  const rh_mjcf_site *site, *to;
  bool in_parent;
  bool single; // one length: of a joint of one degree of freedom, or of a tendon
  // Of that length
  bool limited;
  double range[2];
  double mass; // inertia that it moves, as drawn, for gear 1
  rh_place place;
} transmission;

static void set_limits(transmission *t, bool limited, const double range[2], double mass,
                       rh_place place)
{
  t->limited = limited;
  memcpy(t->range, range, sizeof t->range);
  t->mass = mass;
  t->place = place;
}

static const rh_mjcf_site *find_site(rh_mjcf *m, const rh_mjcf_scope *s, const char *key)
{
  const rh_xml_attribute *a = rh_mjcf_find(m, s, key);
  for (int i = 0; a && i < m->nsite; i++) {
    if (m->site[i].file_name && strcmp(m->site[i].file_name, a->value) == 0) {
      return &m->site[i];
    }
  }
  if (a) {
    rh_mjcf_refuse(m, a->place, "there is no site '%.60s'", a->value);
  }
  return NULL;
}

static bool read_tendon(rh_mjcf *m, const rh_xml_attribute *a, transmission *t)
{
  for (int i = 0; i < m->ntendon; i++) {
    const rh_mjcf_tendon *x = &m->tendon[i];
    if (x->file_name && strcmp(x->file_name, a->value) == 0) {
      t->tendon = x;
      t->single = true;
      set_limits(t, x->limited, x->range, x->mass, a->place);
      return true;
    }
  }
  rh_mjcf_refuse(m, a->place, "there is no tendon '%.60s'", a->value);
  return false;
}

static bool read_transmission(rh_mjcf *m, const rh_mjcf_scope *s, transmission *t)
{
  const rh_xml_attribute *a = rh_mjcf_find(m, s, "tendon");
  if (a) {
    return read_tendon(m, a, t);
  }
  a = rh_mjcf_find(m, s, "joint");
  const rh_xml_attribute *inside = rh_mjcf_find(m, s, "jointinparent");
  t->in_parent = !a && inside;
  a = a ? a : inside;
  if (!a && rh_mjcf_find(m, s, "site")) {
    t->site = find_site(m, s, "site");
    t->to = find_site(m, s, "refsite");
    if (t->site && (t->site->body == 0 || (t->to && t->to->body == 0))) {
      rh_mjcf_refuse(m, rh_mjcf_place(m, s->own),
                     "an actuator on a site of the world is not supported");
    }
    return t->site && !m->refused;
  }
  if (!a) {
    rh_mjcf_refuse(m, rh_mjcf_place(m, s->own),
                   "the transmission of this actuator is not supported: joint and site are");
    return false;
  }
  int at = find_joint(m, a->value);
  if (at == RH_NONE) {
    rh_mjcf_refuse(m, a->place, "there is no joint '%.60s'", a->value);
    return false;
  }
  t->joint = &m->joint[at];
  t->single = t->joint->type != RH_MJCF_FREE && t->joint->type != RH_MJCF_BALL;
  set_limits(t, t->joint->limited, t->joint->range, t->joint->mass, t->joint->place);
  return true;
}

static void put_site(rh_mjcf *m, rh_node_list *entry, const rh_mjcf_site *s,
                     const char *const key[3], rh_place place)
{
  const double at[3] = {s->pose.pos.x, s->pose.pos.y, s->pose.pos.z};
  double rpy[3];
  rh_mjcf_rpy(s->pose.quat, rpy);
  rh_nodes_put_name(&m->nodes, entry, key[0], &m->body[s->body].name);
  rh_nodes_put_numbers(&m->nodes, entry, key[1], at, 3, place);
  rh_nodes_put_numbers(&m->nodes, entry, key[2], rpy, 3, place);
}

static void put_transmission(rh_mjcf *m, rh_node_list *entry, const transmission *t,
                             const double gear[6], rh_place place)
{
  static const char *const here[3] = {"body", "at", "rpy"};
  static const char *const there[3] = {"to", "to_at", "to_rpy"};
  if (t->joint) {
    rh_nodes_put_name(&m->nodes, entry, "joint", &t->joint->name);
  } else if (t->tendon) {
    rh_nodes_put_name(&m->nodes, entry, "tendon", &t->tendon->name);
  } else {
    put_site(m, entry, t->site, here, place);
  }
  if (t->to) {
    put_site(m, entry, t->to, there, place);
  }
  if (!t->single) {
    bool ball = t->joint && t->joint->type == RH_MJCF_BALL;
    rh_nodes_put_numbers(&m->nodes, entry, "axis", gear, ball ? 3 : 6, place);
    rh_nodes_put_text(&m->nodes, entry, "axes", t->in_parent ? "joint" : "body", place);
  } else if (gear[0] != 1) {
    rh_nodes_put_number(&m->nodes, entry, "gear", gear[0], place);
  }
}

static bool read_range(rh_mjcf *m, const rh_mjcf_scope *s, const char *limited, const char *range,
                       double x[2])
{
  int given = rh_mjcf_numbers(m, s, range, 2, 2, x);
  int flag = rh_mjcf_choice(m, s, limited, "false|true|auto", RH_MJCF_AUTO);
  if (flag == RH_MJCF_AUTO && given > 0 && !m->set.autolimits) {
    rh_mjcf_refuse(m, rh_mjcf_find(m, s, range)->place,
                   "%s without %s: with autolimits off a limit needs both", range, limited);
  }
  return flag == RH_MJCF_TRUE || (flag == RH_MJCF_AUTO && x[0] < x[1]);
}

// dampratio r becomes the damping 2 r sqrt(kp m), m the inertia that the actuator moves.
static void set_damping(servo *v, const transmission *j, double gear)
{
  bool servo_like = v->bias_type == 1 && v->gain_type == GAIN_FIXED && v->gain[0] == -v->bias[1];
  if (servo_like && v->bias[2] > 0) {
    v->bias[2] = -2 * v->bias[2] * sqrt(fmax(0, v->gain[0] * j->mass / (gear * gear)));
  }
}

static void put_servo(rh_mjcf *m, rh_node_list *entry, const servo *v, rh_place place)
{
  const double none[3] = {0, 0, 0};
  bool affine = v->gain_type == GAIN_AFFINE;
  rh_nodes_put_numbers(&m->nodes, entry, "gain", v->gain, affine ? 3 : 1, place);
  if (v->bias_type == 1 && memcmp(v->bias, none, sizeof none) != 0) {
    rh_nodes_put_numbers(&m->nodes, entry, "bias", v->bias, 3, place);
  }
}

static void inherit_range(rh_mjcf *m, const servo *v, const transmission *j, double range[2],
                          bool *limited)
{
  if (v->inherit == 0 || *limited) {
    return;
  }
  double mean = (j->range[0] + j->range[1]) / 2;
  double radius = v->inherit * (j->range[1] - j->range[0]) / 2;
  if (!j->limited) {
    rh_mjcf_refuse(m, j->place, "inheritrange needs a joint or tendon with a range");
  }
  range[0] = mean - radius;
  range[1] = mean + radius;
  *limited = true;
}

static void put_dynamics(rh_mjcf *m, rh_node_list *entry, const servo *v, const rh_mjcf_scope *s,
                         const double inherited[2])
{
  rh_place place = rh_mjcf_place(m, s->own);
  double range[2] = {inherited[0], inherited[1]};
  bool limited = read_range(m, s, "actlimited", "actrange", range);
  if (v->dynamics == 0) {
    return;
  }
  if (v->limited && !limited) {
    rh_mjcf_refuse(m, place, "intvelocity needs an actrange");
    return;
  }
  if (v->dynamics == DYNAMICS_INTEGRAL) {
    rh_nodes_put_text(&m->nodes, entry, "dynamics", "integral", place);
    rh_nodes_put_number(&m->nodes, entry, "ki", v->ki, place);
    if (v->most >= 0) {
      const double bound[2] = {-v->most / fabs(v->ki), v->most / fabs(v->ki)};
      rh_nodes_put_numbers(&m->nodes, entry, "state_range", bound, 2, place);
    }
    return;
  }
  rh_nodes_put_text(&m->nodes, entry, "dynamics", v->dynamics == 1 ? "integrator" : "filter",
                    place);
  if (v->dynamics > 1) {
    rh_nodes_put_number(&m->nodes, entry, "time_constant", fmax(v->time, 1e-15), place);
  }
  if (limited) {
    rh_nodes_put_numbers(&m->nodes, entry, "state_range", range, 2, place);
  }
}

static void emit_actuator(rh_mjcf *m, int element, int number)
{
  rh_mjcf_scope s;
  rh_mjcf_scope_of(m, element, "actuator", 0, &s);
  servo v = read_record(m, &s);
  rh_place place = rh_mjcf_place(m, element);
  double gear[6] = {1, 0, 0, 0, 0, 0};
  double control[2] = {0, 0};
  double force[2] = {0, 0};
  (void)rh_mjcf_numbers(m, &s, "gear", 1, 6, gear);
  transmission via = {0};
  bool known = read_transmission(m, &s, &via);
  double inherited[2] = {0, 0};
  bool limited = read_range(m, &s, "ctrllimited", "ctrlrange", control);
  bool bounded = read_range(m, &s, "forcelimited", "forcerange", force);
  if (!known || m->refused) {
    return;
  }
  bool inherits = v.limited; // the range is that of the state
  if (via.single) {
    bool none = false;
    inherit_range(m, &v, &via, inherits ? inherited : control, inherits ? &none : &limited);
    set_damping(&v, &via, gear[0]);
  }
  const rh_xml_attribute *name = rh_xml_find(&m->xml, element, "name");
  char made[RH_NAME_MAX];
  snprintf(made, sizeof made, "actuator%d", number);
  rh_robot_word word =
      rh_mjcf_word(name && *name->value ? name->value : made, name ? name->place : place);
  rh_node_list entry = rh_nodes_entry(&m->nodes, RH_NODE_ACTUATORS, place);
  rh_nodes_put_name(&m->nodes, &entry, "name", &word);
  rh_robot_word *kept = rh_mjcf_grow(m, (void **)&m->actuator, &m->nactuator, sizeof *kept);
  if (!kept) {
    return;
  }
  *kept = word;
  put_transmission(m, &entry, &via, gear, place);
  int group = (int)rh_mjcf_number(m, &s, "group", 0);
  if (group >= 0 && group <= 30 && (m->set.off_groups >> (unsigned)group & 1U) != 0) {
    v = (servo){.gain_type = GAIN_FIXED}; // it keeps its place among the controls, without effort
  }
  put_servo(m, &entry, &v, place);
  put_dynamics(m, &entry, &v, &s, inherited);
  if (limited && !m->set.no_clamp) {
    rh_nodes_put_numbers(&m->nodes, &entry, "control_range", control, 2, place);
  }
  double scale = via.single ? gear[0] : 1; // limits are those at the joint or tendon
  if (bounded && scale != 0) {
    double a = scale * force[0];
    double b = scale * force[1];
    const double limits[2] = {fmin(a, b), fmax(a, b)};
    rh_nodes_put_numbers(&m->nodes, &entry, "limits", limits, 2, place);
  }
}

void rh_mjcf_emit_actuators(rh_mjcf *m)
{
  int number = 0;
  for (int e = m->xml.element[m->root].first; e != RH_NONE; e = m->xml.element[e].next) {
    if (strcmp(rh_mjcf_tag(m, e), "actuator") != 0) {
      continue;
    }
    if (m->set.no_actuation && m->xml.element[e].first != RH_NONE) {
      rh_ignored_add(&m->ignored, RH_NOTE, rh_mjcf_place(m, e), "actuation is disabled");
      continue;
    }
    for (int f = m->xml.element[e].first; f != RH_NONE; f = m->xml.element[f].next) {
      emit_actuator(m, f, number++);
    }
  }
}
