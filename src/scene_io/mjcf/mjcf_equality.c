// mjcf_equality.c: equalities. Between joints: the constraint `coupling`; between fixed tendons: the
// constraint `sums`; between bodies: the loops `ball` and `weld`, with ends as they are where the model is drawn. MuJoCo's are soft and may begin
// broken; here they are kept, so the start is moved to where couplings hold, and a loop that is open
// at the start is left out with a warning.
#include "mjcf_part.h"

#include <math.h>
#include <routh/kind.h>
#include <stdio.h>
#include <string.h>

enum { START_PASSES = 200 };

static const double HELD = 1e-12;  // [m, rad]
static const double CLOSED = 1e-4; // [m, rad] as the check of the scene

static int find_named(const rh_mjcf *m, const rh_xml_attribute *a, bool joint)
{
  int count = joint ? m->njoint : m->nbody;
  for (int i = 0; i < count; i++) {
    const char *name = joint ? m->joint[i].file_name : m->body[i].file_name;
    if (name && strcmp(name, a->value) == 0) {
      return i;
    }
  }
  return RH_NONE;
}

// ---- Joints

typedef struct coupling {
  int joint, other; // RH_NONE: none
  double c[5];
} coupling;

static double coupled_value(const rh_mjcf *m, const coupling *k, const double *q)
{
  const rh_mjcf_joint *b = k->other == RH_NONE ? NULL : &m->joint[k->other];
  double s = b ? q[b->qadr] - b->ref : 0;
  return m->joint[k->joint].ref +
         (k->c[0] + s * (k->c[1] + s * (k->c[2] + s * (k->c[3] + s * k->c[4]))));
}

static bool read_coupling(rh_mjcf *m, int element, const rh_mjcf_scope *s, coupling *k)
{
  const char *const key[2] = {"joint1", "joint2"};
  int at[2] = {RH_NONE, RH_NONE};
  for (int i = 0; i < 2; i++) {
    const rh_xml_attribute *a = rh_mjcf_find(m, s, key[i]);
    at[i] = a ? find_named(m, a, true) : RH_NONE;
    bool scalar = at[i] != RH_NONE && m->joint[at[i]].type >= RH_MJCF_SLIDE;
    if ((a && !scalar) || (!a && i == 0)) {
      rh_mjcf_refuse(m, a ? a->place : rh_mjcf_place(m, element),
                     "%s must name a hinge or slide joint", key[i]);
      return false;
    }
  }
  const double usual[5] = {0, 1, 0, 0, 0};
  memcpy(k->c, usual, sizeof usual);
  (void)rh_mjcf_numbers(m, s, "polycoef", 1, 5, k->c);
  k->joint = at[0];
  k->other = at[1];
  return true;
}

// A change of the start, reported in the first pass
static void note_move(rh_mjcf *m, double change, rh_place place)
{
  if (change > HELD && m->start_pass == 0) {
    rh_ignored_add(&m->ignored, RH_NOTE, place, "a joint starts where its equality holds");
  }
  m->start_change = fmax(m->start_change, change);
}

static void put_coupling(rh_mjcf *m, const coupling *k, rh_place place)
{
  static const char *const key[] = {"c0", "c1", "c2", "c3", "c4"};
  const rh_mjcf_joint *a = &m->joint[k->joint];
  rh_node_list entry = rh_nodes_entry(&m->nodes, RH_NODE_CONSTRAINTS, place);
  rh_nodes_put_text(&m->nodes, &entry, "kind", "coupling", place);
  rh_nodes_put_name(&m->nodes, &entry, "joint", &a->name);
  if (k->other != RH_NONE) {
    rh_nodes_put_name(&m->nodes, &entry, "joint2", &m->joint[k->other].name);
    rh_nodes_put_number(&m->nodes, &entry, "at2", m->joint[k->other].ref, place);
  }
  rh_nodes_put_number(&m->nodes, &entry, "at1", a->ref, place);
  for (int i = 0; i < 5; i++) {
    rh_nodes_put_number(&m->nodes, &entry, key[i], k->c[i], place);
  }
}

// ---- Fixed tendons

typedef struct sums { // of coordinates: two tendons, or one
  int n, first;       // joints in all, and of the first tendon
  int joint[RH_CONSTRAINT_TERMS];
  double weight[RH_CONSTRAINT_TERMS];
  double drawn[2]; // lengths as drawn
  double c[5];
} sums;

static const rh_mjcf_tendon *find_tendon(const rh_mjcf *m, const rh_xml_attribute *a)
{
  for (int i = 0; a && i < m->ntendon; i++) {
    if (m->tendon[i].file_name && strcmp(m->tendon[i].file_name, a->value) == 0) {
      return &m->tendon[i];
    }
  }
  return NULL;
}

static bool add_sum(rh_mjcf *m, const rh_xml_attribute *a, const rh_mjcf_tendon *t, int which,
                    sums *k)
{
  for (int e = m->xml.element[t->element].first; e != RH_NONE; e = m->xml.element[e].next) {
    const rh_xml_attribute *joint = rh_xml_find(&m->xml, e, "joint");
    rh_mjcf_scope own = rh_mjcf_alone(e);
    int at = joint ? find_named(m, joint, true) : RH_NONE;
    if (at == RH_NONE || k->n == RH_CONSTRAINT_TERMS) {
      rh_mjcf_refuse(m, a->place,
                     "an equality of tendons is read for fixed ones of %d joints in all",
                     RH_CONSTRAINT_TERMS);
      return false;
    }
    k->joint[k->n] = at;
    k->weight[k->n] = rh_mjcf_number(m, &own, "coef", 0);
    k->drawn[which] += k->weight[k->n++] * m->joint[at].ref;
  }
  k->first = which == 0 ? k->n : k->first;
  return true;
}

static bool read_sums(rh_mjcf *m, int element, const rh_mjcf_scope *s, sums *k)
{
  static const char *const key[2] = {"tendon1", "tendon2"};
  *k = (sums){.c = {0, 1, 0, 0, 0}};
  (void)rh_mjcf_numbers(m, s, "polycoef", 1, 5, k->c);
  for (int i = 0; i < 2; i++) {
    const rh_xml_attribute *a = rh_mjcf_find(m, s, key[i]);
    const rh_mjcf_tendon *t = find_tendon(m, a);
    if ((a && !t) || (!a && i == 0)) {
      rh_mjcf_refuse(m, a ? a->place : rh_mjcf_place(m, element), "%s must name a tendon", key[i]);
      return false;
    }
    if (t && !add_sum(m, a, t, i, k)) {
      return false;
    }
  }
  return true;
}

// Moves the joints the shortest way to where the equality holds, to first order.
static void close_sums(rh_mjcf *m, const sums *k, rh_place place)
{
  double length[2] = {-k->drawn[0], -k->drawn[1]};
  for (int i = 0; i < k->n; i++) {
    length[i >= k->first] += k->weight[i] * m->start[m->joint[k->joint[i]].qadr];
  }
  double s = k->first < k->n ? length[1] : 0;
  const double *c = k->c;
  double error = length[0] - (c[0] + s * (c[1] + s * (c[2] + s * (c[3] + s * c[4]))));
  double slope = c[1] + s * (2 * c[2] + s * (3 * c[3] + s * 4 * c[4]));
  double square = 0;
  for (int i = 0; i < k->n; i++) {
    double g = k->weight[i] * (i < k->first ? 1 : -slope);
    square += g * g;
  }
  for (int i = 0; i < k->n && square > 0; i++) {
    double g = k->weight[i] * (i < k->first ? 1 : -slope);
    m->start[m->joint[k->joint[i]].qadr] -= error * g / square;
  }
  note_move(m, fabs(error), place);
}

static void put_sums(rh_mjcf *m, const sums *k, rh_place place)
{
  static const char *const joint[] = {"joint", "joint2", "joint3", "joint4"};
  static const char *const key[] = {"c0", "c1", "c2", "c3", "c4"};
  rh_node_list entry = rh_nodes_entry(&m->nodes, RH_NODE_CONSTRAINTS, place);
  rh_nodes_put_text(&m->nodes, &entry, "kind", "sums", place);
  for (int i = 0; i < k->n; i++) {
    rh_nodes_put_name(&m->nodes, &entry, joint[i], &m->joint[k->joint[i]].name);
  }
  rh_nodes_put_numbers(&m->nodes, &entry, "coefficients", k->weight, k->n, place);
  rh_nodes_put_number(&m->nodes, &entry, "first", k->first, place);
  rh_nodes_put_number(&m->nodes, &entry, "at1", k->drawn[0], place);
  rh_nodes_put_number(&m->nodes, &entry, "at2", k->drawn[1], place);
  for (int i = 0; i < 5; i++) {
    rh_nodes_put_number(&m->nodes, &entry, key[i], k->c[i], place);
  }
}

static void emit_sums(rh_mjcf *m, int element, const rh_mjcf_scope *s, bool start)
{
  sums k;
  if (!read_sums(m, element, s, &k)) {
    return;
  }
  if (start) {
    close_sums(m, &k, rh_mjcf_place(m, element));
  } else {
    put_sums(m, &k, rh_mjcf_place(m, element));
  }
}

// ---- Bodies

static rh_mjcf_pose pose_in_world(const rh_mjcf *m, int body)
{
  rh_mjcf_pose pose = {{0, 0, 0}, {1, 0, 0, 0}};
  for (int i = body; i > 0; i = m->body[i].parent) {
    pose = rh_mjcf_compose(m->body[i].pose, pose);
  }
  return pose;
}

// What the joints of a body have done at the start, in the body's frame as drawn
static rh_mjcf_pose moved_by_joints(const rh_mjcf *m, const rh_mjcf_body *b)
{
  rh_mjcf_pose pose = {{0, 0, 0}, {1, 0, 0, 0}};
  for (int k = b->first_joint; k != RH_NONE; k = m->joint[k].next) {
    const rh_mjcf_joint *j = &m->joint[k];
    const double *q = m->start + j->qadr;
    rh_mjcf_pose step = {{0, 0, 0}, {1, 0, 0, 0}};
    if (j->type == RH_MJCF_SLIDE) {
      step.pos = rh_scale(q[0] - j->ref, j->axis);
    } else {
      step.quat = j->type == RH_MJCF_HINGE ? rh_quat_exp(rh_scale(q[0] - j->ref, j->axis))
                                           : rh_quat_unit((rh_quat){q[0], q[1], q[2], q[3]});
      step.pos = rh_sub(j->pos, rh_mjcf_turn(step.quat, j->pos));
    }
    pose = rh_mjcf_compose(pose, step);
  }
  return pose;
}

static rh_mjcf_pose pose_at_start(const rh_mjcf *m, int body)
{
  rh_mjcf_pose pose = {{0, 0, 0}, {1, 0, 0, 0}};
  for (int i = body; i > 0; i = m->body[i].parent) {
    const rh_mjcf_body *b = &m->body[i];
    if (b->njoint > 0 && m->joint[b->first_joint].type == RH_MJCF_FREE) {
      const double *q = m->start + m->joint[b->first_joint].qadr;
      rh_quat turn = rh_quat_unit((rh_quat){q[3], q[4], q[5], q[6]});
      return rh_mjcf_compose((rh_mjcf_pose){rh_v3(q[0], q[1], q[2]), turn}, pose);
    }
    pose = rh_mjcf_compose(moved_by_joints(m, b), pose);
    pose = rh_mjcf_compose(b->pose, pose);
  }
  return pose;
}

static rh_mjcf_pose invert_pose(rh_mjcf_pose p)
{
  rh_quat back = rh_quat_conj(p.quat);
  return (rh_mjcf_pose){rh_scale(-1, rh_mjcf_turn(back, p.pos)), back};
}

typedef struct ends {
  int body[2];
  rh_mjcf_pose at[2];
} ends;

static int find_site(const rh_mjcf *m, const char *name)
{
  for (int i = 0; i < m->nsite; i++) {
    if (m->site[i].file_name && strcmp(m->site[i].file_name, name) == 0) {
      return i;
    }
  }
  return RH_NONE;
}

// Ends at two sites. False: none are given, or they are refused.
static bool read_sites(rh_mjcf *m, const rh_mjcf_scope *s, ends *e)
{
  const char *const key[2] = {"site1", "site2"};
  for (int i = 0; i < 2; i++) {
    const rh_xml_attribute *a = rh_mjcf_find(m, s, key[i]);
    int at = a ? find_site(m, a->value) : RH_NONE;
    if (at == RH_NONE) {
      rh_mjcf_refuse(m, a ? a->place : rh_mjcf_place(m, s->own), "%s must name a site", key[i]);
      return false;
    }
    e->body[i] = m->site[at].body;
    e->at[i] = m->site[at].pose;
  }
  return true;
}

// Ends at two bodies; the second one defaults to the world.
static bool read_ends(rh_mjcf *m, const rh_mjcf_scope *s, bool weld, ends *e)
{
  const char *const key[2] = {"body1", "body2"};
  double pose[7] = {0, 0, 0, 0, 0, 0, 0};
  e->body[1] = 0;
  for (int i = 0; i < 2; i++) {
    const rh_xml_attribute *a = rh_mjcf_find(m, s, key[i]);
    e->body[i] = a ? find_named(m, a, false) : i == 1 ? 0 : RH_NONE;
    if (e->body[i] == RH_NONE) {
      rh_mjcf_refuse(m, a ? a->place : rh_mjcf_place(m, s->own), "%s must name a body", key[i]);
      return false;
    }
  }
  rh_vec3 anchor = rh_mjcf_vector(m, s, "anchor");
  rh_mjcf_pose one = pose_in_world(m, e->body[0]);
  rh_mjcf_pose two = pose_in_world(m, e->body[1]);
  rh_mjcf_pose relative = rh_mjcf_compose(invert_pose(one), two); // of the second in the first
  (void)rh_mjcf_numbers(m, s, "relpose", 7, 7, pose);
  rh_quat turn = {pose[3], pose[4], pose[5], pose[6]};
  if (weld && rh_quat_norm(turn) > 0) {
    relative = (rh_mjcf_pose){rh_v3(pose[0], pose[1], pose[2]), rh_quat_unit(turn)};
  }
  // the anchor is in the frame of the first body, for a weld in that of the second
  if (weld) {
    e->at[1] = (rh_mjcf_pose){anchor, rh_quat_identity()};
    e->at[0] = rh_mjcf_compose(relative, e->at[1]);
  } else {
    e->at[0] = (rh_mjcf_pose){anchor, rh_quat_identity()};
    e->at[1] = rh_mjcf_compose(invert_pose(relative), e->at[0]);
  }
  return true;
}

static bool is_open(const rh_mjcf *m, const ends *e, bool weld)
{
  rh_mjcf_pose a = rh_mjcf_compose(pose_at_start(m, e->body[0]), e->at[0]);
  rh_mjcf_pose b = rh_mjcf_compose(pose_at_start(m, e->body[1]), e->at[1]);
  double turn = rh_norm(rh_quat_log(rh_quat_mul(rh_quat_conj(a.quat), b.quat)));
  return rh_norm(rh_sub(a.pos, b.pos)) > CLOSED || (weld && turn > CLOSED);
}

static void put_end(rh_mjcf *m, rh_node_list *entry, const char *const key[3], int body,
                    rh_mjcf_pose pose)
{
  rh_place place = m->body[body].name.place;
  const double at[3] = {pose.pos.x, pose.pos.y, pose.pos.z};
  double rpy[3];
  rh_mjcf_rpy(pose.quat, rpy);
  if (body == 0) {
    rh_nodes_put_text(&m->nodes, entry, key[0], "world", place);
  } else {
    rh_nodes_put_name(&m->nodes, entry, key[0], &m->body[body].name);
  }
  rh_nodes_put_numbers(&m->nodes, entry, key[1], at, 3, place);
  rh_nodes_put_numbers(&m->nodes, entry, key[2], rpy, 3, place);
}

static void emit_loop(rh_mjcf *m, int element, const rh_mjcf_scope *s, bool weld)
{
  static const char *const keys[2][3] = {{"body", "at", "rpy"}, {"to", "to_at", "to_rpy"}};
  ends e;
  rh_place place = rh_mjcf_place(m, element);
  bool sites = rh_mjcf_find(m, s, "site1") != NULL;
  if (!(sites ? read_sites(m, s, &e) : read_ends(m, s, weld, &e))) {
    return;
  }
  bool still = m->body[e.body[0]].weld == m->body[e.body[1]].weld;
  if (still || is_open(m, &e, weld)) {
    rh_ignored_add(&m->ignored, RH_WARNING, place,
                   still ? "an equality of bodies that do not move against each other is left out"
                         : "an equality that is open at the start is left out");
    return;
  }
  int first = e.body[0] == 0 ? 1 : 0; // the world comes second
  rh_node_list entry = rh_nodes_entry(&m->nodes, RH_NODE_LOOPS, place);
  rh_nodes_put_text(&m->nodes, &entry, "kind", weld ? "weld" : "ball", place);
  put_end(m, &entry, keys[0], e.body[first], e.at[first]);
  put_end(m, &entry, keys[1], e.body[1 - first], e.at[1 - first]);
  m->nloop++;
}

// ---- All

static void emit_equality(rh_mjcf *m, int element, bool start)
{
  rh_mjcf_scope s;
  const char *tag = rh_mjcf_tag(m, element);
  rh_mjcf_scope_of(m, element, "equality", 0, &s);
  if (rh_mjcf_choice(m, &s, "active", "false|true", 1) == 0) {
    return;
  }
  if (strcmp(tag, "tendon") == 0) {
    emit_sums(m, element, &s, start);
    return;
  }
  if (strcmp(tag, "joint") != 0) {
    if (!start) {
      emit_loop(m, element, &s, strcmp(tag, "weld") == 0);
    }
    return;
  }
  coupling k;
  if (!read_coupling(m, element, &s, &k)) {
    return;
  }
  double *q = &m->start[m->joint[k.joint].qadr];
  double wanted = coupled_value(m, &k, m->start);
  if (!start) {
    put_coupling(m, &k, rh_mjcf_place(m, element));
  } else {
    note_move(m, fabs(*q - wanted), rh_mjcf_place(m, element));
    *q = wanted;
  }
}

static void walk_equalities(rh_mjcf *m, bool start)
{
  for (int e = m->xml.element[m->root].first; e != RH_NONE; e = m->xml.element[e].next) {
    bool section = strcmp(rh_mjcf_tag(m, e), "equality") == 0;
    for (int f = m->xml.element[e].first; section && f != RH_NONE; f = m->xml.element[f].next) {
      emit_equality(m, f, start);
    }
  }
}

void rh_mjcf_close_start(rh_mjcf *m)
{
  for (int i = 0; i < m->njoint && !m->set.no_limit; i++) {
    const rh_mjcf_joint *j = &m->joint[i];
    double *q = &m->start[j->qadr];
    if (j->type >= RH_MJCF_SLIDE && j->limited && (*q < j->range[0] || *q > j->range[1])) {
      *q = fmin(fmax(*q, j->range[0]), j->range[1]);
      rh_ignored_add(&m->ignored, RH_NOTE, j->place,
                     "a joint that begins outside its range starts at its limit");
    }
  }
  // each equality in turn, until all hold
  m->start_change = HUGE_VAL;
  for (m->start_pass = 0;
       m->start_change > HELD && m->start_pass < START_PASSES && !m->set.no_equality && !m->refused;
       m->start_pass++) {
    m->start_change = 0;
    walk_equalities(m, true);
  }
}

void rh_mjcf_emit_equalities(rh_mjcf *m)
{
  if (m->set.no_equality) {
    return;
  }
  walk_equalities(m, false);
}
