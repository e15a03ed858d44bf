// mjcf_keyframe.c: <key> with a name as entries of the scene's section `keyframes`, for `run.keyframe`. The
// coordinates are moved to where limits and equalities hold, as those of the start are. Angular velocities of
// free and ball joints are in the axes of the body in MJCF, and in the fixed axes of the joint here.
#include "mjcf_part.h"

#include <string.h>

typedef struct key {
  rh_robot_word name;
  const double *q, *v, *u; // v, u: NULL where they are not given
} key;

static const double *read_list(rh_mjcf *m, int element, const char *attribute, int n)
{
  const rh_xml_attribute *a = rh_xml_find(&m->xml, element, attribute);
  if (!a) {
    return NULL;
  }
  double *x = rh_xml_keep(&m->xml, ((size_t)n + 1) * sizeof *x);
  if (!x) {
    m->nodes.status = RH_OUT_OF_MEMORY;
  } else if (rh_xml_numbers(a->value, n, x) != n) {
    rh_mjcf_refuse(m, a->place, "%s of a keyframe must be %d finite numbers", attribute, n);
    x = NULL;
  }
  return x;
}

static rh_vec3 turn_vector(const double *quat, const double *w)
{
  rh_quat q = rh_quat_unit((rh_quat){quat[0], quat[1], quat[2], quat[3]});
  return rh_mjcf_turn(q, rh_v3(w[0], w[1], w[2]));
}

static void put_joint(rh_mjcf *m, const key *k, const rh_mjcf_joint *j)
{
  int nq = j->type == RH_MJCF_FREE ? 7 : j->type == RH_MJCF_BALL ? 4 : 1;
  int nv = j->type == RH_MJCF_FREE ? 6 : j->type == RH_MJCF_BALL ? 3 : 1;
  const double *q = k->q + j->qadr;
  rh_place place = k->name.place;
  rh_node_list entry = rh_nodes_entry(&m->nodes, RH_NODE_KEYFRAMES, place);
  rh_nodes_put_name(&m->nodes, &entry, "keyframe", &k->name);
  rh_nodes_put_name(&m->nodes, &entry, "joint", &j->name);
  rh_nodes_put_numbers(&m->nodes, &entry, "q", q, nq, place);
  if (!k->v) {
    return;
  }
  double v[6];
  memcpy(v, k->v + j->vadr, (size_t)nv * sizeof *v);
  if (nv > 1) {
    double *w = v + nv - 3;
    rh_vec3 t = turn_vector(q + nq - 4, w);
    w[0] = t.x;
    w[1] = t.y;
    w[2] = t.z;
  }
  rh_nodes_put_numbers(&m->nodes, &entry, "v", v, nv, place);
}

// Where limits and equalities hold; what is moved was said of the start.
static const double *close_coordinates(rh_mjcf *m, const double *q)
{
  double *closed = rh_xml_keep(&m->xml, ((size_t)m->nq + 1) * sizeof *closed);
  rh_ignored *said = rh_alloc(sizeof *said);
  if (!closed || !said) {
    rh_free(said);
    m->nodes.status = RH_OUT_OF_MEMORY;
    return NULL;
  }
  double *start = m->start;
  memcpy(closed, q, (size_t)m->nq * sizeof *closed);
  *said = m->ignored;
  m->start = closed;
  rh_mjcf_close_start(m);
  m->start = start;
  m->ignored = *said;
  rh_free(said);
  return closed;
}

static void emit_key(rh_mjcf *m, int element)
{
  const rh_xml_attribute *name = rh_xml_find(&m->xml, element, "name");
  key k = {.q = read_list(m, element, "qpos", m->nq), .v = read_list(m, element, "qvel", m->nv)};
  if (m->nactuator > 0) {
    k.u = read_list(m, element, "ctrl", m->nactuator);
  }
  k.q = k.q || m->refused ? k.q : m->qpos;
  if (!name || !*name->value || m->refused || m->nodes.status != RH_OK) {
    return;
  }
  k.q = close_coordinates(m, k.q);
  k.name = rh_mjcf_word(name->value, name->place);
  for (int i = 0; i < m->nbody && k.q; i++) {
    for (int j = m->body[i].first_joint; j != RH_NONE; j = m->joint[j].next) {
      put_joint(m, &k, &m->joint[j]);
    }
  }
  for (int i = 0; i < m->nactuator && k.q && k.u; i++) {
    rh_node_list entry = rh_nodes_entry(&m->nodes, RH_NODE_KEYFRAMES, name->place);
    rh_nodes_put_name(&m->nodes, &entry, "keyframe", &k.name);
    rh_nodes_put_name(&m->nodes, &entry, "actuator", &m->actuator[i]);
    rh_nodes_put_number(&m->nodes, &entry, "effort", k.u[i], name->place);
  }
}

void rh_mjcf_emit_keyframes(rh_mjcf *m)
{
  for (int e = m->xml.element[m->root].first; e != RH_NONE; e = m->xml.element[e].next) {
    bool section = strcmp(rh_mjcf_tag(m, e), "keyframe") == 0;
    for (int k = section ? m->xml.element[e].first : RH_NONE; k != RH_NONE && !m->refused;
         k = m->xml.element[k].next) {
      if (m->nodes.status == RH_OK) {
        emit_key(m, k);
      }
    }
  }
}
