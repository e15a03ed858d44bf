// Tendons: their parts refer to bodies and joints that exist and make a path or a sum; in the model, the
// degrees of freedom that change each; rest lengths that the start decides.
#include "model/check.h"
#include "model/servo.h"

#include "multibody/multibody.h"

#include <string.h>

enum { TENDONS_MAX = 1000, PARTS_MAX = 100000 };

static const rh_tendon_def *tendon_def(const rh_scene *scene, int i)
{
  return rh_scene_item(scene, RH_SECTION_TENDONS, i);
}

static const rh_tendon_part_def *part_def(const rh_scene *scene, int i)
{
  return rh_scene_item(scene, RH_SECTION_TENDON_PARTS, i);
}

// ---- Checks

static void check_range(rh_check *c, int i, const char *key, const rh_list *range, bool one)
{
  bool pair = range->n == 2 && range->x[0] <= range->x[1];
  if (range->n != 0 && !pair && !(one && range->n == 1)) {
    rh_complain(c, RH_SECTION_TENDONS, i, key, "must be %stwo numbers, the least first",
                one ? "one number or " : "");
  }
}

static void check_body(rh_check *c, int i, const char *key, const rh_name *name)
{
  if (strcmp(name->text, "world") != 0) {
    (void)rh_check_reference(c, RH_SECTION_TENDON_PARTS, i, key, RH_SECTION_BODIES);
  }
}

static void check_joint(rh_check *c, int i, const rh_tendon_part_def *def)
{
  int at = rh_check_reference(c, RH_SECTION_TENDON_PARTS, i, "joint", RH_SECTION_JOINTS);
  if (at == RH_NONE) {
    return;
  }
  const rh_joint_def *of = rh_scene_item(c->scene, RH_SECTION_JOINTS, at);
  const rh_joint *kind = rh_joint_find(of->kind.text);
  if (kind && !kind->scalar) {
    rh_complain(c, RH_SECTION_TENDON_PARTS, i, "joint", "must have scalar coordinates");
  } else if (kind && def->dof >= kind->nv) {
    rh_complain(c, RH_SECTION_TENDON_PARTS, i, "dof", "takes a whole number below %d, got %d",
                kind->nv, def->dof);
  }
}

static bool is_round(int kind)
{
  return kind == RH_TENDON_SPHERE || kind == RH_TENDON_CYLINDER;
}

static void check_part(rh_check *c, int i)
{
  const rh_tendon_part_def *def = part_def(c->scene, i);
  (void)rh_check_reference(c, RH_SECTION_TENDON_PARTS, i, "tendon", RH_SECTION_TENDONS);
  if (def->kind < 0 || def->kind > RH_TENDON_JOINT) {
    rh_complain(c, RH_SECTION_TENDON_PARTS, i, "kind", "must be one of the kinds of parts");
  }
  if (def->kind == RH_TENDON_JOINT) {
    check_joint(c, i, def);
    return;
  }
  if (def->kind == RH_TENDON_PULLEY) {
    return;
  }
  check_body(c, i, "body", &def->body);
  if (is_round(def->kind) && !(def->radius > 0)) {
    rh_complain(c, RH_SECTION_TENDON_PARTS, i, "radius", "must be positive");
  }
  if (def->side.n != 0 && (def->side.n != 3 || !is_round(def->kind))) {
    rh_complain(c, RH_SECTION_TENDON_PARTS, i, "side",
                "must be three numbers, of a sphere or a cylinder");
  }
  if (def->side_body.text[0] != 0) {
    check_body(c, i, "side_body", &def->side_body);
  }
}

// The next part of a tendon after entry `i`; RH_NONE: there is none.
static int next_part(const rh_scene *scene, int tendon, int i)
{
  int n = rh_scene_count(scene, RH_SECTION_TENDON_PARTS);
  const char *name = tendon_def(scene, tendon)->name.text;
  for (i++; i < n; i++) {
    if (strcmp(part_def(scene, i)->tendon.text, name) == 0) {
      return i;
    }
  }
  return RH_NONE;
}

static int kind_at(const rh_scene *scene, int part)
{
  return part == RH_NONE ? RH_TENDON_PULLEY : part_def(scene, part)->kind;
}

// A path has points at its ends and at those of its parts between pulleys, two at least, and a point
// before and after each thing that it is wrapped about.
static void check_order(rh_check *c, int tendon)
{
  int before = RH_NONE;
  int first = next_part(c->scene, tendon, -1);
  if (first == RH_NONE) {
    rh_complain(c, RH_SECTION_TENDONS, tendon, NULL, "has no parts: see the section tendon_parts");
    return;
  }
  bool sum = kind_at(c->scene, first) == RH_TENDON_JOINT;
  for (int i = first; i != RH_NONE;) {
    int after = next_part(c->scene, tendon, i);
    int kind = kind_at(c->scene, i);
    bool ends = kind_at(c->scene, before) == RH_TENDON_PULLEY;
    bool begins = kind_at(c->scene, after) == RH_TENDON_PULLEY;
    if (sum != (kind == RH_TENDON_JOINT)) {
      rh_complain(c, RH_SECTION_TENDON_PARTS, i, "kind",
                  "does not fit: a tendon is either a path or a sum of joints");
    } else if (is_round(kind) && (kind_at(c->scene, before) != RH_TENDON_POINT ||
                                  kind_at(c->scene, after) != RH_TENDON_POINT)) {
      rh_complain(c, RH_SECTION_TENDON_PARTS, i, NULL, "must be between two points of its tendon");
    } else if (kind == RH_TENDON_POINT && ends && begins) {
      rh_complain(c, RH_SECTION_TENDON_PARTS, i, NULL,
                  "is alone: a path, or its part after a pulley, has two points at least");
    } else if (kind == RH_TENDON_PULLEY && begins) {
      rh_complain(c, RH_SECTION_TENDON_PARTS, i, NULL, "must be followed by a point");
    }
    before = i;
    i = after;
  }
}

void rh_check_tendons(rh_check *c)
{
  int n = rh_scene_count(c->scene, RH_SECTION_TENDONS);
  int parts = rh_scene_count(c->scene, RH_SECTION_TENDON_PARTS);
  if (n > TENDONS_MAX || parts > PARTS_MAX) {
    bool many = n > TENDONS_MAX;
    rh_complain(c, many ? RH_SECTION_TENDONS : RH_SECTION_TENDON_PARTS, 0, NULL,
                "is one of %d: the limit is %d", many ? n : parts,
                many ? (int)TENDONS_MAX : (int)PARTS_MAX);
    return;
  }
  int before = c->errors;
  for (int i = 0; i < parts; i++) {
    check_part(c, i);
  }
  for (int i = 0; i < n; i++) {
    const rh_tendon_def *def = tendon_def(c->scene, i);
    check_range(c, i, "rest", &def->rest, true);
    check_range(c, i, "limits", &def->limits, false);
    check_range(c, i, "effort_limits", &def->effort_limits, false);
    if (c->errors == before) {
      check_order(c, i);
    }
  }
}

// ---- In the model

static int place_of(rh_check *c, const int *place, const char *name)
{
  int entry = rh_check_find(c, RH_SECTION_BODIES, name);
  return entry == RH_NONE ? 0 : place[entry];
}

static int joint_child(rh_check *c, const int *place, const char *joint)
{
  int entry = rh_check_find(c, RH_SECTION_JOINTS, joint);
  const rh_joint_def *of = rh_scene_item(c->scene, RH_SECTION_JOINTS, entry);
  return place_of(c, place, of->child.text);
}

void rh_tendons_count(rh_check *c, const int *place, const int *parent, rh_model *n)
{
  n->tendons.n = rh_scene_count(c->scene, RH_SECTION_TENDONS);
  n->tendons.npart = rh_scene_count(c->scene, RH_SECTION_TENDON_PARTS);
  int ndof = 0; // at most
  for (int i = 0; i < n->tendons.npart; i++) {
    const rh_tendon_part_def *def = part_def(c->scene, i);
    int body = def->kind == RH_TENDON_JOINT ? joint_child(c, place, def->joint.text)
                                            : place_of(c, place, def->body.text);
    int depth = 0;
    for (; body > 0; body = parent[body]) {
      depth++;
    }
    int most = def->kind == RH_TENDON_JOINT ? 1 : 6 * depth;
    ndof += most < n->nv ? most : n->nv;
  }
  n->tendons.ndof = ndof;
}

static bool has_stop(const rh_tendon_def *def)
{
  return def->limits.n > 0 || def->friction > 0;
}

int rh_tendons_count_stops(const rh_scene *scene)
{
  int n = 0;
  for (int i = 0; i < rh_scene_count(scene, RH_SECTION_TENDONS); i++) {
    n += has_stop(tendon_def(scene, i));
  }
  return n;
}

// Adds a number to an ascending list without repetition.
static void insert_dof(int *list, int *n, int dof)
{
  int at = *n;
  while (at > 0 && list[at - 1] > dof) {
    at--;
  }
  if (at > 0 && list[at - 1] == dof) {
    return;
  }
  memmove(list + at + 1, list + at, (size_t)(*n - at) * sizeof *list);
  list[at] = dof;
  (*n)++;
}

static void fill_part(rh_check *c, const int *place, const rh_model *m,
                      const rh_tendon_part_def *def, rh_model_tendon_part *part)
{
  *part = (rh_model_tendon_part){.kind = def->kind, .side_body = RH_NONE, .dof = RH_NONE};
  if (def->kind == RH_TENDON_JOINT) {
    part->dof = m->body[joint_child(c, place, def->joint.text)].vadr + def->dof;
    part->coef = def->coefficient;
    return;
  }
  part->body = place_of(c, place, def->body.text);
  part->frame = (rh_xform){rh_rpy_matrix(def->rpy[0], def->rpy[1], def->rpy[2]),
                           {def->at[0], def->at[1], def->at[2]}};
  part->radius = def->radius;
  part->divisor = def->divisor;
  if (def->side.n == 3) {
    const char *body = def->side_body.text[0] ? def->side_body.text : def->body.text;
    part->side_body = place_of(c, place, body);
    part->side = rh_v3(def->side.x[0], def->side.x[1], def->side.x[2]);
  }
}

static void list_dofs(const rh_model *m, const rh_model_tendon_part *part, int *list, int *n)
{
  if (part->kind == RH_TENDON_JOINT) {
    insert_dof(list, n, part->dof);
    return;
  }
  for (int b = part->kind == RH_TENDON_PULLEY ? 0 : part->body; b > 0; b = m->body[b].parent) {
    for (int k = 0; k < m->body[b].nv; k++) {
      insert_dof(list, n, m->body[b].vadr + k);
    }
  }
}

void rh_tendons_fill(rh_check *c, const int *place, rh_model *m, const rh_model_parts *p)
{
  int parts = 0;
  int dofs = 0;
  int stops = 0;
  for (int i = 0; i < m->tendons.n; i++) {
    const rh_tendon_def *def = tendon_def(c->scene, i);
    rh_model_tendon *t = &p->tendon[i];
    *t = (rh_model_tendon){.part = parts,
                           .dof = dofs,
                           .spring = def->spring,
                           .damper = def->damper,
                           .friction = def->friction,
                           .stop = has_stop(def) && m->layout.ntendon > 0 ? stops++ : RH_NONE,
                           .rest = {def->rest.x[0], def->rest.x[def->rest.n == 2]}};
    rh_fill_range(&def->limits, &t->lower, &t->upper);
    rh_fill_range(&def->effort_limits, &t->effort_lo, &t->effort_hi);
    for (int k = next_part(c->scene, i, -1); k != RH_NONE; k = next_part(c->scene, i, k)) {
      fill_part(c, place, m, part_def(c->scene, k), &p->tendon_part[parts]);
      list_dofs(m, &p->tendon_part[parts], p->tendon_dof + dofs, &t->ndof);
      t->sum = p->tendon_part[parts++].kind == RH_TENDON_JOINT;
    }
    t->npart = parts - t->part;
    dofs += t->ndof;
  }
  m->tendons.ndof = dofs;
}

// ---- At the start

void rh_tendons_start(rh_check *c, rh_data *d, rh_model_tendon *tendon)
{
  for (int i = 0; i < d->model->tendons.n; i++) {
    double length = rh_tendon_length(d, i);
    if (tendon_def(c->scene, i)->rest.n == 0) {
      tendon[i].rest[0] = tendon[i].rest[1] = length;
    }
    if (!(length >= tendon[i].lower && length <= tendon[i].upper)) {
      rh_diag_add(c->diag, RH_WARNING, rh_check_place(c, RH_SECTION_TENDONS, i, "limits"),
                  "do not hold at the start: the tendon is %g m long, its limits are %g and %g",
                  length, tendon[i].lower, tendon[i].upper);
    }
  }
}
