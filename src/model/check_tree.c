// Checks of joints, one by one, and that together they connect every body to the world: one joint
// per body, no cycles, and no joint that carries nothing.
#include "check.h"

#include <math.h>
#include <string.h>

// ---- One joint

// A list may be empty, hold one number for all, or one per degree of freedom (or coordinate).
static void check_length(rh_check *c, int i, const char *key, const rh_list *list, int full,
                         bool one_for_all)
{
  if (list->n == 0 || list->n == full || (one_for_all && list->n == 1 && full > 0)) {
    return;
  }
  rh_complain(c, RH_SECTION_JOINTS, i, key, "takes %d number%s for this kind of joint, got %d",
              full, full == 1 ? "" : "s", list->n);
}

static void check_lengths(rh_check *c, int i, const rh_joint_def *j, const rh_joint *kind)
{
  check_length(c, i, "q", &j->q, kind->nq, false);
  check_length(c, i, "v", &j->v, kind->nv, false);
  check_length(c, i, "rest", &j->rest, kind->nq, false);
  check_length(c, i, "spring", &j->spring, kind->nv, true);
  check_length(c, i, "damper", &j->damper, kind->nv, true);
  check_length(c, i, "friction", &j->friction, kind->nv, true);
  check_length(c, i, "stiction", &j->stiction, kind->nv, true);
  check_length(c, i, "armature", &j->armature, kind->nv, true);
  const rh_list *efforts = &j->effort_limits;
  if (efforts->n != 0 && (efforts->n != 2 || !(efforts->x[0] <= efforts->x[1]))) {
    rh_complain(c, RH_SECTION_JOINTS, i, "effort_limits",
                "must be two numbers, the least effort first");
  }
}

// Quaternions (the last four coordinates, where the row has one) are normalized: silently at the
// rounding of six digits, with a note at a small deviation, and not at all at a larger one.
static void check_unit(rh_check *c, int i, const char *key, const rh_list *q, const rh_joint *kind)
{
  if (q->n != kind->nq || !kind->unit_length) {
    return;
  }
  const double *x = q->x + kind->nq - 4;
  double length = rh_quat_norm((rh_quat){x[0], x[1], x[2], x[3]});
  if (!(fabs(length - 1) <= RH_QUAT_NEARLY)) {
    rh_complain(c, RH_SECTION_JOINTS, i, key,
                "must hold a quaternion of unit length (qw qx qy qz), its length is %.6g; angles "
                "are given by rpy",
                length);
  } else if (!(fabs(length - 1) <= RH_QUAT_WRITTEN)) {
    char label[RH_NAME_MAX];
    rh_scene_label(c->scene, RH_SECTION_JOINTS, i, label);
    rh_diag_add(c->diag, RH_NOTE, rh_check_place(c, RH_SECTION_JOINTS, i, key),
                "%s.%s: the quaternion has length %.9g and is normalised", label, key, length);
  }
}

// The torque of a spring about a point is defined only for equal stiffness about all axes.
static void check_spring(rh_check *c, int i, const rh_joint_def *j, const rh_joint *kind)
{
  if (kind->scalar || j->spring.n != kind->nv) {
    return;
  }
  const double *k = j->spring.x + kind->nv - 3;
  if (k[0] != k[1] || k[1] != k[2]) {
    rh_complain(c, RH_SECTION_JOINTS, i, "spring",
                "must be equal about the three axes of a %s joint", kind->row.name);
  }
}

static void check_limits(rh_check *c, int i, const rh_joint_def *j, const rh_joint *kind)
{
  const rh_list *l = &j->limits;
  if (l->n == 0) {
    return;
  }
  if (!kind->scalar) {
    rh_complain(c, RH_SECTION_JOINTS, i, "limits",
                "cannot be set on a %s joint: it has no scalar coordinates", kind->row.name);
    return;
  }
  if (l->n != 2 * kind->nv && l->n != 2) {
    rh_complain(c, RH_SECTION_JOINTS, i, "limits",
                "takes %d numbers, lower and upper for each degree of freedom, got %d",
                2 * kind->nv, l->n);
    return;
  }
  for (int k = 0; k < kind->nv; k++) {
    double lo = l->x[l->n == 2 ? 0 : 2 * k];
    double hi = l->x[l->n == 2 ? 1 : 2 * k + 1];
    double q = j->q.n == kind->nq ? j->q.x[k] : 0;
    if (!(lo < hi)) {
      rh_complain(c, RH_SECTION_JOINTS, i, "limits", "must be in order: %g is not below %g", lo,
                  hi);
    } else if (!(q >= lo && q <= hi)) {
      rh_complain(c, RH_SECTION_JOINTS, i, "q", "must start within the limits [%g, %g], got %g", lo,
                  hi, q);
    }
  }
}

static void check_joint(rh_check *c, int i)
{
  const rh_joint_def *j = rh_scene_item(c->scene, RH_SECTION_JOINTS, i);
  const rh_joint *kind = rh_joint_find(j->kind.text);
  if (!kind) {
    return; // reported already
  }
  const char *why = kind->check ? kind->check(j->par) : NULL;
  if (why) {
    rh_complain(c, RH_SECTION_JOINTS, i, kind->row.param[0].name, "%s", why);
  }
  check_lengths(c, i, j, kind);
  check_unit(c, i, "q", &j->q, kind);
  check_unit(c, i, "rest", &j->rest, kind);
  check_spring(c, i, j, kind);
  check_limits(c, i, j, kind);
}

// ---- All joints

typedef struct tree {
  int *joint;   // joint that carries a body, RH_NONE
  int *parent;  // body below it, RH_NONE: the world
  int *mark;    // 0 not seen, otherwise the number of the walk that saw it
  bool *loaded; // it, or a body above it, has mass
} tree;

static void attach_joint(rh_check *c, tree *t, int i)
{
  const rh_joint_def *j = rh_scene_item(c->scene, RH_SECTION_JOINTS, i);
  bool ground = strcmp(j->parent.text, "world") == 0;
  int parent =
      ground ? RH_NONE : rh_check_reference(c, RH_SECTION_JOINTS, i, "parent", RH_SECTION_BODIES);
  int child = rh_check_reference(c, RH_SECTION_JOINTS, i, "child", RH_SECTION_BODIES);
  if (child == RH_NONE) {
    return;
  }
  if (t->joint[child] != RH_NONE) {
    rh_complain(c, RH_SECTION_JOINTS, i, "child",
                "is carried already, by joint '%s': a body has one joint",
                c->names[RH_SECTION_JOINTS].name[t->joint[child]]);
    return;
  }
  t->joint[child] = i;
  t->parent[child] = parent;
  if (child == parent) {
    rh_complain(c, RH_SECTION_JOINTS, i, "parent", "must be another body than the child");
    t->parent[child] = RH_NONE;
  }
}

// Walks from each body towards the world; a body seen twice in one walk closes a cycle.
static void find_cycles(rh_check *c, tree *t, int nbody)
{
  for (int i = 0; i < nbody; i++) {
    int at = i;
    while (at != RH_NONE && t->mark[at] == 0) {
      t->mark[at] = i + 1;
      at = t->parent[at];
    }
    if (at != RH_NONE && t->mark[at] == i + 1) {
      rh_complain(c, RH_SECTION_JOINTS, t->joint[at], "parent",
                  "closes a cycle: body '%s' hangs on itself",
                  c->names[RH_SECTION_BODIES].name[at]);
      t->parent[at] = RH_NONE; // cut, so that it is reported once
    }
  }
}

static bool joint_moves(const rh_check *c, int joint)
{
  const rh_joint_def *j =
      joint == RH_NONE ? NULL : rh_scene_item(c->scene, RH_SECTION_JOINTS, joint);
  const rh_joint *kind = j ? rh_joint_find(j->kind.text) : NULL;
  return !kind || kind->nv > 0;
}

// A body without mass may belong to another (a frame on a fixed joint) or carry others; a joint
// that moves no mass has no acceleration.
static void find_unloaded(rh_check *c, tree *t, int nbody)
{
  for (int i = 0; i < nbody; i++) {
    const rh_body_def *b = rh_scene_item(c->scene, RH_SECTION_BODIES, i);
    for (int at = i; b->mass > 0 && at != RH_NONE && !t->loaded[at]; at = t->parent[at]) {
      t->loaded[at] = true;
    }
  }
  for (int i = 0; i < nbody; i++) {
    if (!t->loaded[i] && joint_moves(c, t->joint[i])) {
      rh_complain(c, RH_SECTION_BODIES, i, "mass",
                  "must be > 0 kg for a body that moves and carries no other with mass, got 0");
    }
  }
}

static void check_connections(rh_check *c, tree *t, int nbody)
{
  for (int i = 0; i < nbody; i++) {
    t->joint[i] = t->parent[i] = RH_NONE;
  }
  for (int i = 0; i < rh_scene_count(c->scene, RH_SECTION_JOINTS); i++) {
    check_joint(c, i);
    attach_joint(c, t, i);
  }
  for (int i = 0; i < nbody; i++) {
    if (t->joint[i] == RH_NONE) {
      rh_complain(c, RH_SECTION_BODIES, i, NULL,
                  "is carried by no joint; `joints: - {kind: free, child: %s}` lets it fly",
                  c->names[RH_SECTION_BODIES].name[i]);
    }
  }
  int before = c->errors;
  find_cycles(c, t, nbody);
  if (c->errors == before) {
    find_unloaded(c, t, nbody);
  }
}

rh_status rh_check_tree(rh_check *c)
{
  int nbody = rh_scene_count(c->scene, RH_SECTION_BODIES);
  size_t n = (size_t)nbody;
  int *block = rh_alloc(n * (3 * sizeof(int) + sizeof(bool)));
  if (!block) {
    return RH_OUT_OF_MEMORY;
  }
  tree t = {block, block + n, block + 2 * n, (bool *)(block + 3 * n)};
  check_connections(c, &t, nbody);
  rh_free(block);
  return RH_OK;
}
