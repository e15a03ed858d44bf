// mjcf_tendon.c: tendons. Fixed ones are sums of joint coordinates, spatial ones paths through sites,
// past spheres and cylinders, with pulleys. Rest lengths that are not given are those as drawn, which
// the trial (mjcf_trial.c) measures.
#include "mjcf_part.h"

#include <stdio.h>
#include <string.h>

static const rh_mjcf_site *find_site(rh_mjcf *m, const rh_xml_attribute *a)
{
  for (int i = 0; a && i < m->nsite; i++) {
    if (m->site[i].file_name && strcmp(m->site[i].file_name, a->value) == 0) {
      return &m->site[i];
    }
  }
  return NULL;
}

static const rh_mjcf_geom *find_geom(rh_mjcf *m, const rh_xml_attribute *a)
{
  for (int i = 0; a && i < m->ngeom; i++) {
    if (m->geom[i].file_name && strcmp(m->geom[i].file_name, a->value) == 0) {
      return &m->geom[i];
    }
  }
  return NULL;
}

static const rh_mjcf_joint *find_joint(rh_mjcf *m, const rh_xml_attribute *a)
{
  for (int i = 0; a && i < m->njoint; i++) {
    if (m->joint[i].file_name && strcmp(m->joint[i].file_name, a->value) == 0) {
      return &m->joint[i];
    }
  }
  return NULL;
}

// ---- Parts

static void put_body(rh_mjcf *m, rh_node_list *part, const char *key, int body, rh_place place)
{
  if (body == 0) {
    rh_nodes_put_text(&m->nodes, part, key, "world", place);
  } else {
    rh_nodes_put_name(&m->nodes, part, key, &m->body[body].name);
  }
}

static void put_at(rh_mjcf *m, rh_node_list *part, const char *key, rh_vec3 at, rh_place place)
{
  const double x[3] = {at.x, at.y, at.z};
  rh_nodes_put_numbers(&m->nodes, part, key, x, 3, place);
}

static void emit_site(rh_mjcf *m, int element, rh_node_list *part)
{
  rh_place place = rh_mjcf_place(m, element);
  const rh_mjcf_site *s = find_site(m, rh_xml_find(&m->xml, element, "site"));
  if (!s) {
    rh_mjcf_refuse(m, place, "<site> of a tendon must name a site");
    return;
  }
  rh_nodes_put_text(&m->nodes, part, "kind", "point", place);
  put_body(m, part, "body", s->body, place);
  put_at(m, part, "at", s->pose.pos, place);
}

static void emit_round(rh_mjcf *m, int element, rh_node_list *part)
{
  rh_place place = rh_mjcf_place(m, element);
  const rh_mjcf_geom *g = find_geom(m, rh_xml_find(&m->xml, element, "geom"));
  const rh_xml_attribute *side = rh_xml_find(&m->xml, element, "sidesite");
  const rh_mjcf_site *s = find_site(m, side);
  if (!g || (g->type != RH_MJCF_SPHERE && g->type != RH_MJCF_CYLINDER)) {
    rh_mjcf_refuse(m, place, "<geom> of a tendon must name a sphere or a cylinder");
    return;
  }
  if (side && !s) {
    rh_mjcf_refuse(m, side->place, "there is no site '%.60s'", side->value);
    return;
  }
  double rpy[3];
  rh_mjcf_rpy(g->pose.quat, rpy);
  rh_nodes_put_text(&m->nodes, part, "kind", g->type == RH_MJCF_SPHERE ? "sphere" : "cylinder",
                    place);
  put_body(m, part, "body", g->body, place);
  put_at(m, part, "at", g->pose.pos, place);
  rh_nodes_put_numbers(&m->nodes, part, "rpy", rpy, 3, place);
  rh_nodes_put_number(&m->nodes, part, "radius", g->size[0], place);
  if (s) {
    put_at(m, part, "side", s->pose.pos, place);
    put_body(m, part, "side_body", s->body, place);
  }
}

static void emit_joint(rh_mjcf *m, int element, rh_node_list *part)
{
  rh_place place = rh_mjcf_place(m, element);
  rh_mjcf_scope own = rh_mjcf_alone(element);
  const rh_mjcf_joint *j = find_joint(m, rh_xml_find(&m->xml, element, "joint"));
  double coef = 0;
  if (!j || j->type < RH_MJCF_SLIDE || rh_mjcf_numbers(m, &own, "coef", 1, 1, &coef) == 0) {
    rh_mjcf_refuse(m, place, "<joint> of a tendon needs coef and a hinge or slide joint");
    return;
  }
  rh_nodes_put_text(&m->nodes, part, "kind", "joint", place);
  rh_nodes_put_name(&m->nodes, part, "joint", &j->name);
  rh_nodes_put_number(&m->nodes, part, "coefficient", coef, place);
}

static void emit_part(rh_mjcf *m, int element, const rh_mjcf_tendon *t)
{
  const char *tag = rh_mjcf_tag(m, element);
  rh_place place = rh_mjcf_place(m, element);
  rh_mjcf_scope own = rh_mjcf_alone(element);
  rh_node_list part = rh_nodes_entry(&m->nodes, RH_NODE_TENDON_PARTS, place);
  rh_nodes_put_name(&m->nodes, &part, "tendon", &t->name);
  if (strcmp(tag, "site") == 0) {
    emit_site(m, element, &part);
  } else if (strcmp(tag, "geom") == 0) {
    emit_round(m, element, &part);
  } else if (strcmp(tag, "joint") == 0) {
    emit_joint(m, element, &part);
  } else {
    rh_nodes_put_text(&m->nodes, &part, "kind", "pulley", place);
    rh_nodes_put_number(&m->nodes, &part, "divisor", rh_mjcf_number(m, &own, "divisor", 1), place);
  }
}

// ---- Tendons

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

// As drawn they do not matter.
static void put_stops(rh_mjcf *m, const rh_mjcf_scope *s, rh_node_list *entry, rh_place place)
{
  double range[2] = {0, 0};
  bool limited = read_range(m, s, "limited", "range", range) && !m->set.no_limit;
  double friction = m->set.no_friction ? 0 : rh_mjcf_number(m, s, "frictionloss", 0);
  if (m->trial || (!limited && friction == 0)) {
    return;
  }
  if (limited) {
    rh_nodes_put_numbers(&m->nodes, entry, "limits", range, 2, place);
  }
  rh_nodes_put_number(&m->nodes, entry, "friction", friction, place);
}

static void emit_tendon(rh_mjcf *m, int element, rh_mjcf_tendon *t)
{
  rh_mjcf_scope s;
  rh_place place = rh_mjcf_place(m, element);
  double rest[2] = {-1, -1};
  double force[2] = {0, 0};
  rh_mjcf_scope_of(m, element, "tendon", 0, &s);
  rh_node_list entry = rh_nodes_entry(&m->nodes, RH_NODE_TENDONS, place);
  rh_nodes_put_name(&m->nodes, &entry, "name", &t->name);
  double spring = m->set.no_spring ? 0 : rh_mjcf_number(m, &s, "stiffness", 0);
  double damper = m->set.no_damper ? 0 : rh_mjcf_number(m, &s, "damping", 0);
  if (spring != 0) {
    rh_nodes_put_number(&m->nodes, &entry, "spring", spring, place);
  }
  if (damper != 0) {
    rh_nodes_put_number(&m->nodes, &entry, "damper", damper, place);
  }
  int given = rh_mjcf_numbers(m, &s, "springlength", 1, 2, rest);
  rest[1] = given == 1 ? rest[0] : rest[1];
  bool drawn = rest[0] == -1 && rest[1] == -1;
  if (!m->trial || !drawn) {
    const double as_drawn[2] = {t->length, t->length};
    rh_nodes_put_numbers(&m->nodes, &entry, "rest", drawn ? as_drawn : rest, 2, place);
  }
  if (read_range(m, &s, "actuatorfrclimited", "actuatorfrcrange", force)) {
    rh_nodes_put_numbers(&m->nodes, &entry, "effort_limits", force, 2, place);
  }
  t->limited = read_range(m, &s, "limited", "range", t->range);
  put_stops(m, &s, &entry, place);
  for (int e = m->xml.element[element].first; e != RH_NONE; e = m->xml.element[e].next) {
    emit_part(m, e, t);
  }
}

static rh_mjcf_tendon *add_tendon(rh_mjcf *m, int element)
{
  rh_mjcf_tendon *t = rh_mjcf_grow(m, (void **)&m->tendon, &m->ntendon, sizeof *t);
  const rh_xml_attribute *name = rh_xml_find(&m->xml, element, "name");
  rh_place place = rh_mjcf_place(m, element);
  char made[RH_NAME_MAX];
  if (t) {
    t->element = element;
    snprintf(made, sizeof made, "tendon%d", m->ntendon - 1);
    t->file_name = name && *name->value ? name->value : NULL;
    t->name = rh_mjcf_word(t->file_name ? t->file_name : made, name ? name->place : place);
  }
  return t;
}

void rh_mjcf_emit_tendons(rh_mjcf *m)
{
  int number = 0;
  for (int e = m->xml.element[m->root].first; e != RH_NONE; e = m->xml.element[e].next) {
    bool section = strcmp(rh_mjcf_tag(m, e), "tendon") == 0;
    for (int f = m->xml.element[e].first; section && f != RH_NONE; f = m->xml.element[f].next) {
      rh_mjcf_tendon *t = number < m->ntendon ? &m->tendon[number] : add_tendon(m, f);
      if (!t) {
        return;
      }
      emit_tendon(m, f, t);
      number++;
    }
  }
}
