// mjcf_tree.c: bodies with what they hold. A frame keeps nothing of itself: its pose and its class go
// into what it holds.
#include "mjcf_part.h"

#include "model/names.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct level { // an open body or frame
  int child;           // next element
  int body;
  rh_mjcf_pose frame; // in the body
  int class;          // for elements without one
} level;

static const rh_mjcf_pose identity = {{0, 0, 0}, {1, 0, 0, 0}};

static const char *name_of(const rh_mjcf *m, int element)
{
  const rh_xml_attribute *a = rh_xml_find(&m->xml, element, "name");
  return a && *a->value ? a->value : NULL;
}

// ---- Bodies

static void read_inertial(rh_mjcf *m, int element, int body)
{
  rh_mjcf_body *b = &m->body[body];
  rh_mjcf_scope s = rh_mjcf_alone(element);
  double mass = rh_mjcf_number(m, &s, "mass", -1);
  double full[6] = {0};
  double diagonal[3] = {0};
  if (body == 0 || b->inertial) {
    rh_mjcf_refuse(m, rh_mjcf_place(m, element), "%s",
                   body == 0 ? "the world has no <inertial>" : "<inertial> appears twice");
    return;
  }
  if (!(mass >= 0)) {
    const rh_xml_attribute *a = rh_xml_find(&m->xml, element, "mass");
    rh_mjcf_refuse(m, a ? a->place : rh_mjcf_place(m, element),
                   "<inertial> needs a mass that is not negative");
    return;
  }
  rh_mjcf_pose pose = rh_mjcf_pose_of(m, &s);
  b->inertial = true;
  b->mass = mass;
  b->com = pose.pos;
  int nfull = rh_mjcf_numbers(m, &s, "fullinertia", 6, 6, full);
  int ndiagonal = rh_mjcf_numbers(m, &s, "diaginertia", 3, 3, diagonal);
  if (nfull > 0 && ndiagonal > 0) {
    rh_mjcf_refuse(m, rh_mjcf_place(m, element), "fullinertia and diaginertia exclude each other");
  }
  rh_sym3 I = {full[0], full[1], full[2], full[3], full[4], full[5]};
  if (nfull == 0) {
    rh_mat3 R = rh_quat_matrix(pose.quat);
    I = (rh_sym3){diagonal[0], diagonal[1], diagonal[2], 0, 0, 0};
    I = rh_sym3_rotate(&R, &I);
  }
  b->inertia = I;
}

static int add_body(rh_mjcf *m, int element, const level *in)
{
  rh_mjcf_body *b = rh_mjcf_grow(m, (void **)&m->body, &m->nbody, sizeof *b);
  if (!b) {
    return RH_NONE;
  }
  rh_mjcf_scope s = rh_mjcf_alone(element);
  char made[RH_NAME_MAX];
  snprintf(made, sizeof made, "body%d", m->nbody - 1);
  const rh_xml_attribute *name = rh_xml_find(&m->xml, element, "name");
  b->file_name = name_of(m, element);
  b->name = rh_mjcf_word(b->file_name ? b->file_name : made,
                         name ? name->place : rh_mjcf_place(m, element));
  b->element = element;
  b->parent = in->body;
  b->pose = rh_mjcf_compose(in->frame, rh_mjcf_pose_of(m, &s));
  b->gravcomp = rh_mjcf_number(m, &s, "gravcomp", 0);
  b->first_joint = b->last_joint = b->first_geom = b->last_geom = RH_NONE;
  for (int e = m->xml.element[element].first; e != RH_NONE; e = m->xml.element[e].next) {
    b->given = b->given || strcmp(rh_mjcf_tag(m, e), "inertial") == 0;
  }
  bool mocap = rh_mjcf_choice(m, &s, "mocap", "false|true", 0) == 1;
  if (mocap) {
    rh_ignored_add(&m->ignored, RH_WARNING, rh_mjcf_place(m, element),
                   "a mocap body stays where it is drawn");
  }
  return m->nbody - 1;
}

// ---- Joints

static void read_limits(rh_mjcf *m, const rh_mjcf_scope *s, const char *limited, const char *range,
                        double *x, bool *is_limited)
{
  int given = rh_mjcf_numbers(m, s, range, 2, 2, x);
  int flag = rh_mjcf_choice(m, s, limited, "false|true|auto", RH_MJCF_AUTO);
  *is_limited = flag == RH_MJCF_TRUE || (flag == RH_MJCF_AUTO && x[0] < x[1]);
  if (flag == RH_MJCF_AUTO && given > 0 && !m->set.autolimits) {
    rh_mjcf_refuse(m, rh_mjcf_find(m, s, range)->place,
                   "%s without %s: with autolimits off a limit needs both", range, limited);
  }
  if (*is_limited && !(x[0] < x[1])) {
    const rh_xml_attribute *a = rh_mjcf_find(m, s, range);
    rh_mjcf_refuse(m, a ? a->place : rh_mjcf_place(m, s->own),
                   "%s must be two numbers, the smaller one first", range);
  }
}

// A number that may be followed by coefficients of powers, which must be zero.
static double read_linear(rh_mjcf *m, const rh_mjcf_scope *s, const char *name)
{
  double x[3] = {0, 0, 0};
  (void)rh_mjcf_numbers(m, s, name, 1, 3, x);
  if (x[1] != 0 || x[2] != 0 || x[0] < 0) {
    rh_mjcf_refuse(m, rh_mjcf_find(m, s, name)->place, "%s must be one number, not negative", name);
  }
  return x[0];
}

static void read_joint_values(rh_mjcf *m, rh_mjcf_joint *j, const rh_mjcf_scope *s)
{
  double axis[3] = {0, 0, 1};
  (void)rh_mjcf_numbers(m, s, "axis", 3, 3, axis);
  j->axis = rh_v3(axis[0], axis[1], axis[2]);
  j->pos = rh_mjcf_vector(m, s, "pos");
  bool turns = j->type == RH_MJCF_HINGE;
  if ((turns || j->type == RH_MJCF_SLIDE) && !(rh_norm(j->axis) > 1e-14)) {
    rh_mjcf_refuse(m, rh_mjcf_find(m, s, "axis")->place, "axis must not be zero");
    j->axis = rh_v3(0, 0, 1);
  }
  j->axis = rh_scale(1 / rh_norm(j->axis), j->axis);
  read_limits(m, s, "limited", "range", j->range, &j->limited);
  read_limits(m, s, "actuatorfrclimited", "actuatorfrcrange", j->effort_range, &j->effort_limited);
  j->ref = rh_mjcf_number(m, s, "ref", 0);
  j->springref = rh_mjcf_number(m, s, "springref", 0);
  if (turns || j->type == RH_MJCF_BALL) {
    j->range[0] = rh_mjcf_angle(m, j->range[0]);
    j->range[1] = rh_mjcf_angle(m, j->range[1]);
  }
  if (turns) {
    j->ref = rh_mjcf_angle(m, j->ref);
    j->springref = rh_mjcf_angle(m, j->springref);
  }
  j->stiffness = read_linear(m, s, "stiffness");
  j->damping = read_linear(m, s, "damping");
  j->armature = read_linear(m, s, "armature");
  j->friction = read_linear(m, s, "frictionloss");
  (void)rh_mjcf_numbers(m, s, "springdamper", 2, 2, j->springdamper);
  if (rh_mjcf_choice(m, s, "actuatorgravcomp", "false|true", 0) == 1) {
    rh_ignored_add(&m->ignored, RH_WARNING, j->place,
                   "actuatorgravcomp: compensation acts outside actuatorfrcrange");
  }
}

static void link_joint(rh_mjcf *m, int body, int joint)
{
  rh_mjcf_body *b = &m->body[body];
  if (b->last_joint == RH_NONE) {
    b->first_joint = joint;
  } else {
    m->joint[b->last_joint].next = joint;
  }
  b->last_joint = joint;
  b->njoint++;
}

// A free joint or a ball is the last or only one of its body.
static bool joint_fits(rh_mjcf *m, const rh_mjcf_joint *j)
{
  const rh_mjcf_body *b = &m->body[j->body];
  bool follows = b->last_joint != RH_NONE;
  int before = follows ? m->joint[b->last_joint].type : RH_NONE;
  if (j->body == 0) {
    rh_mjcf_refuse(m, j->place, "the world has no joints");
    return false;
  }
  if (j->type == RH_MJCF_FREE && (b->parent != 0 || follows)) {
    rh_mjcf_refuse(m, j->place, "a free joint must be the only joint of a body in the world");
    return false;
  }
  if (follows && before == RH_MJCF_FREE) {
    rh_mjcf_refuse(m, j->place, "a body with a free joint has no other joint");
    return false;
  }
  return true;
}

static void add_joint(rh_mjcf *m, int element, const level *in)
{
  rh_mjcf_scope s;
  bool plain = strcmp(rh_mjcf_tag(m, element), "freejoint") == 0;
  const rh_xml_attribute *name = rh_xml_find(&m->xml, element, "name");
  rh_place place = rh_mjcf_place(m, element);
  rh_mjcf_joint j = {.file_name = name_of(m, element), .place = place, .next = RH_NONE};
  j.body = in->body;
  if (plain) {
    s = rh_mjcf_alone(element);
    j.type = RH_MJCF_FREE;
  } else {
    rh_mjcf_scope_of(m, element, "joint", in->class, &s);
    j.type = rh_mjcf_choice(m, &s, "type", "free|ball|slide|hinge", RH_MJCF_HINGE);
    read_joint_values(m, &j, &s);
  }
  if (!joint_fits(m, &j)) {
    return;
  }
  j.pos = rh_add(in->frame.pos, rh_mjcf_turn(in->frame.quat, j.pos));
  j.axis = rh_mjcf_turn(in->frame.quat, j.axis);
  rh_mjcf_joint *made = rh_mjcf_grow(m, (void **)&m->joint, &m->njoint, sizeof *made);
  if (!made) {
    return;
  }
  const rh_mjcf_body *b = &m->body[in->body];
  char text[RH_NAME_MAX + 16];
  if (j.file_name || b->njoint == 0) {
    snprintf(text, sizeof text, "%s", j.file_name ? j.file_name : b->name.name.text);
  } else {
    snprintf(text, sizeof text, "%s_%d", b->name.name.text, b->njoint + 1);
  }
  j.name = rh_mjcf_word(j.file_name ? j.file_name : text, name ? name->place : place);
  *made = j;
  link_joint(m, in->body, m->njoint - 1);
}

// ---- Geoms and sites

static void add_geom(rh_mjcf *m, int element, const level *in)
{
  rh_mjcf_scope s;
  rh_mjcf_geom g = {.file_name = name_of(m, element), .place = rh_mjcf_place(m, element)};
  g.body = in->body;
  g.next = RH_NONE;
  rh_mjcf_scope_of(m, element, "geom", in->class, &s);
  rh_mjcf_read_geom(m, &g, &s, in->frame);
  rh_mjcf_geom *made = rh_mjcf_grow(m, (void **)&m->geom, &m->ngeom, sizeof *made);
  if (!made) {
    return;
  }
  rh_mjcf_body *b = &m->body[in->body];
  char text[RH_NAME_MAX + 16];
  snprintf(text, sizeof text, "%.40s-geom%d", b->name.name.text, m->ngeom - 1);
  g.name = rh_mjcf_word(g.file_name ? g.file_name : text, g.place);
  *made = g;
  if (b->last_geom == RH_NONE) {
    b->first_geom = m->ngeom - 1;
  } else {
    m->geom[b->last_geom].next = m->ngeom - 1;
  }
  b->last_geom = m->ngeom - 1;
}

static void add_site(rh_mjcf *m, int element, const level *in)
{
  rh_mjcf_scope s;
  rh_mjcf_scope_of(m, element, "site", in->class, &s);
  rh_mjcf_site *site = rh_mjcf_grow(m, (void **)&m->site, &m->nsite, sizeof *site);
  if (!site) {
    return;
  }
  double x[6];
  rh_mjcf_pose pose = rh_mjcf_pose_of(m, &s);
  if (rh_mjcf_numbers(m, &s, "fromto", 6, 6, x) > 0) {
    rh_vec3 a = rh_v3(x[0], x[1], x[2]);
    rh_vec3 b = rh_v3(x[3], x[4], x[5]);
    pose.pos = rh_scale(0.5, rh_add(a, b));
    pose.quat = rh_norm(rh_sub(a, b)) > 0 ? rh_mjcf_along(rh_sub(a, b)) : pose.quat;
  }
  char text[RH_NAME_MAX];
  snprintf(text, sizeof text, "site%d", m->nsite - 1);
  site->file_name = name_of(m, element);
  site->place = rh_mjcf_place(m, element);
  site->name = rh_mjcf_word(site->file_name ? site->file_name : text, site->place);
  site->body = in->body;
  site->pose = rh_mjcf_compose(in->frame, pose);
}

// ---- Names

// Names that are equal after the change of characters get a number.
static void make_unique(rh_mjcf *m, rh_robot_word *const *word, int count)
{
  const char **text = rh_alloc(((size_t)count + 1) * sizeof *text);
  int *order = rh_alloc((2 * (size_t)count + 1) * sizeof *order);
  bool again = text && order;
  for (int round = 0; again && round < 8; round++) {
    again = false;
    for (int i = 0; i < count; i++) {
      text[i] = word[i]->name.text;
    }
    rh_sort_names(text, count, order);
    int first = 0; // of those with one name
    for (int i = 1; i < count; i++) {
      if (strcmp(text[order[i]], text[order[first]]) != 0) {
        first = i;
        continue;
      }
      char made[RH_NAME_MAX];
      snprintf(made, sizeof made, "%.40s_%d", text[order[i]], i - first + 1);
      word[order[i]]->name = rh_name_of(made);
      again = true;
    }
  }
  if (!text || !order) {
    m->nodes.status = RH_OUT_OF_MEMORY;
  }
  rh_free(text);
  rh_free(order);
}

static void make_names_unique(rh_mjcf *m)
{
  int most = m->nbody + m->njoint + m->ngeom + m->nsite;
  rh_robot_word **word = rh_alloc(((size_t)most + 1) * sizeof *word);
  if (!word) {
    m->nodes.status = RH_OUT_OF_MEMORY;
    return;
  }
  for (int i = 1; i < m->nbody; i++) {
    word[i - 1] = &m->body[i].name;
  }
  make_unique(m, word, m->nbody - 1);
  for (int i = 0; i < m->njoint; i++) {
    word[i] = &m->joint[i].name;
  }
  make_unique(m, word, m->njoint);
  for (int i = 0; i < m->ngeom; i++) {
    word[i] = &m->geom[i].name;
  }
  make_unique(m, word, m->ngeom);
  for (int i = 0; i < m->nsite; i++) {
    word[i] = &m->site[i].name;
  }
  make_unique(m, word, m->nsite);
  rh_free(word);
}

// ---- The whole

static void read_element(rh_mjcf *m, int element, level *stack, int *depth)
{
  const char *tag = rh_mjcf_tag(m, element);
  const level *in = &stack[*depth];
  bool body = strcmp(tag, "body") == 0;
  if (body || strcmp(tag, "frame") == 0) {
    int made = body ? add_body(m, element, in) : in->body;
    rh_mjcf_scope s = rh_mjcf_alone(element);
    rh_mjcf_pose frame = body ? identity : rh_mjcf_compose(in->frame, rh_mjcf_pose_of(m, &s));
    int class = rh_mjcf_class_of(m, element, "childclass", in->class);
    if (made != RH_NONE) {
      stack[++*depth] = (level){m->xml.element[element].first, made, frame, class};
    }
  } else if (strcmp(tag, "joint") == 0 || strcmp(tag, "freejoint") == 0) {
    add_joint(m, element, in);
  } else if (strcmp(tag, "geom") == 0) {
    add_geom(m, element, in);
  } else if (strcmp(tag, "site") == 0) {
    add_site(m, element, in);
  } else if (strcmp(tag, "inertial") == 0) {
    read_inertial(m, element, in->body);
  }
}

static void read_world(rh_mjcf *m, int element)
{
  level stack[RH_XML_DEPTH + 2];
  int depth = 0;
  stack[0] = (level){m->xml.element[element].first, 0, identity, 0};
  while (depth >= 0 && m->nodes.status == RH_OK) {
    int child = stack[depth].child;
    if (child == RH_NONE) {
      depth--;
      continue;
    }
    stack[depth].child = m->xml.element[child].next;
    read_element(m, child, stack, &depth);
  }
}

// Joints in the order of the bodies; coordinates as drawn.
static void place_coordinates(rh_mjcf *m)
{
  m->qpos = rh_alloc((7 * (size_t)m->njoint + 1) * sizeof *m->qpos);
  if (!m->qpos) {
    m->nodes.status = RH_OUT_OF_MEMORY;
    return;
  }
  for (int i = 0; i < m->nbody; i++) {
    const rh_mjcf_pose *p = &m->body[i].pose;
    const double as_drawn[7] = {p->pos.x,  p->pos.y,  p->pos.z, p->quat.w,
                                p->quat.x, p->quat.y, p->quat.z};
    for (int k = m->body[i].first_joint; k != RH_NONE; k = m->joint[k].next) {
      rh_mjcf_joint *j = &m->joint[k];
      double *q = m->qpos + m->nq;
      j->qadr = m->nq;
      j->vadr = m->nv;
      if (j->type == RH_MJCF_FREE) {
        memcpy(q, as_drawn, sizeof as_drawn);
      } else {
        q[0] = j->type == RH_MJCF_BALL ? 1 : j->ref;
      }
      m->nq += j->type == RH_MJCF_FREE ? 7 : j->type == RH_MJCF_BALL ? 4 : 1;
      m->nv += j->type == RH_MJCF_FREE ? 6 : j->type == RH_MJCF_BALL ? 3 : 1;
    }
  }
}

// The coordinates of the keyframe that the model starts at
static void read_keyframe(rh_mjcf *m)
{
  const rh_xml *xml = &m->xml;
  bool found = !m->opt->keyframe;
  for (int e = xml->element[m->root].first; e != RH_NONE; e = xml->element[e].next) {
    for (int k = xml->element[e].first; k != RH_NONE; k = xml->element[k].next) {
      const char *name = name_of(m, k);
      if (strcmp(rh_mjcf_tag(m, e), "keyframe") != 0 || found || !name ||
          strcmp(name, m->opt->keyframe) != 0) {
        continue;
      }
      found = true;
      const rh_xml_attribute *q = rh_xml_find(xml, k, "qpos");
      double *x = rh_xml_keep(&m->xml, ((size_t)m->nq + 1) * sizeof *x);
      if (!x || !q || rh_xml_numbers(q->value, m->nq, x) != m->nq) {
        rh_mjcf_refuse(m, q ? q->place : rh_mjcf_place(m, k),
                       "qpos of the keyframe must be %d finite numbers", m->nq);
        return;
      }
      m->start = x;
      if (rh_xml_find(xml, k, "qvel") || rh_xml_find(xml, k, "ctrl")) {
        rh_ignored_add(&m->ignored, RH_WARNING, rh_mjcf_place(m, k),
                       "qvel and ctrl of the keyframe are not taken: it gives the positions; "
                       "run.keyframe takes all");
      }
    }
  }
  if (!found) {
    rh_mjcf_refuse(m, rh_mjcf_place(m, m->root), "there is no keyframe '%.60s'", m->opt->keyframe);
  }
}

void rh_mjcf_read_tree(rh_mjcf *m)
{
  rh_mjcf_body *world = rh_mjcf_grow(m, (void **)&m->body, &m->nbody, sizeof *world);
  if (!world) {
    return;
  }
  *world = (rh_mjcf_body){.name = rh_mjcf_word("world", rh_mjcf_place(m, m->root)),
                          .file_name = "world",
                          .element = RH_NONE,
                          .parent = RH_NONE,
                          .pose = identity};
  world->first_joint = world->last_joint = world->first_geom = world->last_geom = RH_NONE;
  world->last = world->name;
  for (int e = m->xml.element[m->root].first; e != RH_NONE; e = m->xml.element[e].next) {
    if (strcmp(rh_mjcf_tag(m, e), "worldbody") == 0) {
      read_world(m, e);
    }
  }
  for (int i = 1; i < m->nbody; i++) {
    rh_mjcf_body *b = &m->body[i];
    b->weld = b->njoint > 0 ? i : m->body[b->parent].weld;
  }
  place_coordinates(m);
  make_names_unique(m);
  if (m->nodes.status == RH_OK && !m->refused) {
    m->start = rh_xml_keep(&m->xml, ((size_t)m->nq + 1) * sizeof *m->start);
    if (!m->start) {
      m->nodes.status = RH_OUT_OF_MEMORY;
      return;
    }
    memcpy(m->start, m->qpos, (size_t)m->nq * sizeof *m->start);
    read_keyframe(m);
  }
}
