// Which models lanes can step, and their tables.
#include "lanes.h"

#include "geometry/pair.h"
#include "math/tangents.h"

#include <routh/scene.h>

#include <string.h>

// ---- Models

// Each of these returns what lanes do not know, in words; NULL: nothing.

// A joint of one degree of freedom, by its row's name
static bool is_single(const rh_model_body *b, const char *name)
{
  return b->nv == 1 && strcmp(b->joint->row.name, name) == 0;
}

static const char *find_joint_misfit(const rh_model *m, int body)
{
  const rh_model_body *b = &m->body[body];
  bool free = b->joint->free && b->parent == 0;
  bool single = is_single(b, "revolute") || is_single(b, "prismatic");
  if (!free && !single && b->joint->nq != 0) {
    return "joints other than revolute, prismatic, fixed and one free joint on the world";
  }
  for (int k = b->vadr; k < b->vadr + b->nv; k++) {
    const rh_model_dof *f = &m->dof[k];
    bool loaded = f->spring != 0 || f->damper != 0 || f->stiction != 0 || f->friction != 0;
    if (!single && loaded) {
      return "springs, dampers or friction of a free joint";
    }
  }
  return b->gravcomp != 0 ? "gravcomp" : rh_medium_acts(m, body) ? "a medium" : NULL;
}

static const char *find_actuator_misfit(const rh_model *m)
{
  const char *why = m->nactuator > LANE_ACTUATORS ? "more than 40 actuators" : NULL;
  for (int i = 0; !why && i < m->nactuator; i++) {
    const rh_model_actuator *a = &m->actuator[i];
    why = a->tendon != RH_NONE || a->via.kind != RH_VIA_DOF || m->dof[a->dof].coord == RH_NONE
              ? "actuators of other things than revolute and prismatic joints"
          : a->state != RH_NONE || a->dynamics != RH_DYNAMICS_NONE ? "actuators with states"
          : a->track.n > 0 ? "actuators that follow a trajectory"
                           : NULL;
  }
  return why;
}

// Springs, dampers or actuators: the forces of a step are those of its start (rh_step_tree_make).
static bool has_joint_forces(const rh_step_world *w, const rh_step_tree *tree)
{
  const rh_model *m = w->m;
  bool any = tree->nact > 0;
  for (int k = 0; !any && k < tree->nbody; k++) {
    const rh_model_body *b = &m->body[w->trees.member[tree->body + k]];
    for (int j = b->vadr; j < b->vadr + b->nv; j++) {
      any = any || m->dof[j].spring != 0 || m->dof[j].damper != 0;
    }
  }
  return any;
}

static const char *find_tree_misfit(const rh_step_world *w, const rh_step_tree *tree)
{
  const rh_model *m = w->m;
  if (tree->nbody > LANE_BODIES || tree->ndof > LANE_DOFS) {
    return "more than 40 bodies or degrees of freedom";
  }
  const char *why = NULL;
  for (int k = 0; !why && k < tree->nbody; k++) {
    int i = w->trees.member[tree->body + k];
    why = find_joint_misfit(m, i);
    why = !why && (m->body[i].parent == 0) != (k == 0) ? "several bodies joined to the world" : why;
  }
  why = why ? why : find_actuator_misfit(m);
  return why;
}

static const char *find_rule_misfit(const rh_step_world *w)
{
  const rh_model *m = w->m;
  bool fits = true;
  for (int i = 0; fits && i < m->ncontact; i++) {
    fits = !m->contact[i].law && w->laws.rule[i].equal && !(m->contact[i].v_stribeck > 0);
  }
  return !fits || w->laws.compliant ? "compliant contacts, or friction or restitution by speed"
         : w->laws.belt             ? "surfaces that move"
         : w->laws.turn             ? "rolling or pivoting friction"
                                    : NULL;
}

static const char *find_run_misfit(const rh_step_world *w)
{
  const rh_model *m = w->m;
  bool steady = true;
  for (int i = 0; i < m->ncontroller; i++) {
    steady = steady && m->controller[i].period > 0;
  }
  const char *why = !steady                                  ? "controllers without a rate"
                    : m->sensors.n > 0                       ? "sensors"
                    : m->nloop > 0                           ? "loops or constraints"
                    : m->tendons.n > 0                       ? "tendons"
                    : m->run.hand || m->haptic.on            ? "a hand"
                    : m->layout.nrested > 0                  ? "run.sleep"
                    : m->layout.ncell > 0                    ? "patches of cells"
                    : w->par.threads > 1                     ? "run.threads"
                    : w->par.check_solution == RH_STEP_STEPS ? "check_solution: steps"
                    : w->par.impacts_per_step < 1            ? "impacts_per_step: 0"
                                                             : NULL;
  return why;
}

// ---- The table

static void copy_numbers(double *to, const double *from, int n)
{
  memcpy(to, from, (size_t)n * sizeof *to);
}

static const rh_step_tree *tree_of(const rh_step_world *w, const lane_table *t)
{
  return &w->trees.tree[t->tree];
}

static void fill_body(const rh_step_world *w, lane_table *t, int k, const int *place)
{
  enum { PLACE_R = 0, PLACE_P = 9, AXIS = 12, COS = 15, SIN = 24, ALONG = 33 }; // joint.c

  int i = w->trees.member[tree_of(w, t)->body + k];
  const rh_model_body *b = &w->m->body[i];
  const rh_inertia *in = &b->inertia;
  lane_body *x = &t->body[k];
  x->joint = b->joint->free      ? LANE_FREE
             : b->nv == 0        ? LANE_FIXED
             : b->joint->turning ? LANE_HINGE
                                 : LANE_PRISMATIC;
  x->along = x->joint == LANE_HINGE ? (int)b->konst[ALONG] : -1;
  x->parent = b->parent == 0 ? -1 : place[b->parent];
  x->q = b->qadr - t->first_q;
  x->dof = t->ndof;
  x->ndof = b->nv;
  x->heavy = in->mass > 0;
  x->mass = x->heavy ? in->mass : 0;
  const double h[3] = {in->h.x, in->h.y, in->h.z};
  const double I[6] = {in->I.xx, in->I.yy, in->I.zz, in->I.xy, in->I.xz, in->I.yz};
  copy_numbers(x->h, h, 3);
  copy_numbers(x->I, I, 6);
  copy_numbers(x->place_R, b->konst + PLACE_R, 9);
  copy_numbers(x->place_p, b->konst + PLACE_P, 3);
  copy_numbers(x->axis, b->konst + AXIS, 3);
  if (x->joint == LANE_HINGE) {
    copy_numbers(x->cosine, b->konst + COS, 9);
    copy_numbers(x->sine, b->konst + SIN, 9);
  }
  for (int j = 0; j < b->nv; j++) {
    const rh_model_dof *f = &w->m->dof[b->vadr + j];
    double near = fmax(0.01 * (f->upper - f->lower), 1e-3); // as of near_limit
    t->dof[t->ndof++] =
        (lane_dof){.body = k,
                   .v = b->vadr + j,
                   .seat = w->trees.zadr[i] + j - tree_of(w, t)->z,
                   .spring = f->spring,
                   .damper = f->damper,
                   .armature = f->armature,
                   .rest = b->nv == 1 ? w->m->start.rest[b->qadr] : 0,
                   .coord = b->nv == 1 && f->coord != RH_NONE ? f->coord - t->first_q : -1,
                   .lower = f->lower,
                   .upper = f->upper,
                   .bounce = f->bounce,
                   .near = isfinite(near) ? near : 0.1,
                   .friction = f->friction,
                   .stiction = f->stiction};
    t->nlimit += isfinite(f->lower) || isfinite(f->upper);
    t->ndry += f->stiction > 0;
  }
  t->mass += x->mass;
}

// Its path from the root: runs of degrees of freedom without a fork, as those of z
static bool fill_path(const rh_step_world *w, lane_table *t, int k, const int *number, int *used)
{
  int i = w->trees.member[tree_of(w, t)->body + k];
  const rh_root_path *way = &w->trees.way[i];
  lane_body *x = &t->body[k];
  x->run = *used;
  x->nrun = way->nrun;
  x->depth = 0;
  x->tip = way->tip == RH_NONE ? 0 : number[way->tip];
  if (*used + way->nrun > LANE_RUNS) {
    return false;
  }
  for (int r = 0; r < way->nrun; r++) {
    const rh_step_run *run = &w->trees.run[way->run + r];
    t->run[(*used)++] = (lane_run){number[run->z], run->on};
    x->depth += run->on;
  }
  return x->depth <= LANE_DEEP;
}

static bool fill_rows(const rh_step_world *w, lane_table *t, const int *number)
{
  for (int j = 0; j < t->ndof; j++) {
    lane_dof *d = &t->dof[j];
    int z = tree_of(w, t)->z + d->seat;
    d->depth = 0;
    for (int a = w->trees.parent[z]; a != RH_NONE; a = w->trees.parent[a]) {
      d->depth++;
    }
    d->row = t->nentry;
    t->nentry += d->depth + 1;
    if (t->nentry > LANE_ENTRIES) {
      return false;
    }
    int e = d->depth;
    for (int a = z; a != RH_NONE; a = w->trees.parent[a]) {
      t->ancestor[d->row + e--] = number[a];
    }
  }
  return true;
}

// Coordinates of a tree follow each other in the model, without those of others.
static bool find_coordinates(const rh_step_world *w, lane_table *t)
{
  int end = 0;
  int n = 0;
  t->first_q = w->m->nq;
  for (int k = 0; k < t->nbody; k++) {
    const rh_model_body *b = &w->m->body[w->trees.member[tree_of(w, t)->body + k]];
    if (b->joint->nq > 0) {
      t->first_q = b->qadr < t->first_q ? b->qadr : t->first_q;
      end = b->qadr + b->joint->nq > end ? b->qadr + b->joint->nq : end;
      n += b->joint->nq;
    }
  }
  t->nq = n;
  return n > 0 && n <= LANE_COORDS && end - t->first_q == n;
}

static bool fill_tree(const rh_step_world *w, lane_table *t)
{
  int place[LANE_BODIES * 4] = {0}; // of a body of the model
  int number[LANE_DOFS * 8] = {0};  // of a place in z
  int used = 0;
  bool fits = w->m->nbody <= LANE_BODIES * 4 && w->trees.nz <= LANE_DOFS * 8;
  t->nbody = tree_of(w, t)->nbody;
  fits = fits && find_coordinates(w, t);
  for (int k = 0; fits && k < t->nbody; k++) {
    place[w->trees.member[tree_of(w, t)->body + k]] = k;
  }
  for (int k = 0; fits && k < t->nbody; k++) {
    fill_body(w, t, k, place);
  }
  for (int j = 0; fits && j < t->ndof; j++) {
    number[tree_of(w, t)->z + t->dof[j].seat] = j;
  }
  for (int k = 0; fits && k < t->nbody; k++) {
    fits = fill_path(w, t, k, number, &used);
  }
  return fits && fill_rows(w, t, number);
}

enum { BOX_CORNERS = 8, CAPSULE_ENDS = 2, RIM_POINTS = 8 };

// Features of a shape that lanes know; 0: they do not know it
static int count_features(const rh_model_shape *a)
{
  switch (rh_shape_number(a->kind)) {
  case RH_SHAPE_SPHERE:
    return 1;
  case RH_SHAPE_BOX: {
    bool plain = a->par[RH_BOX_SAMPLES] <= RH_BOX_CORNERS && !(a->par[RH_BOX_ROUND] > 0);
    return plain && a->par[0] > 0 && a->par[1] > 0 && a->par[2] > 0 ? BOX_CORNERS : 0;
  }
  case RH_SHAPE_CAPSULE:
    return CAPSULE_ENDS;
  case RH_SHAPE_CYLINDER:
    return a->par[RH_CYLINDER_SAMPLES] <= RH_RIM_CORNERS ? RIM_POINTS : 0;
  default:
    return 0;
  }
}

// Feature x->id of a shape, in its axes
static void fill_feature(const rh_model_shape *a, lane_pair *x)
{
  const double *par = a->par;
  switch (rh_shape_number(a->kind)) {
  case RH_SHAPE_BOX:
    x->kind = LANE_BOX;
    for (int i = 0; i < 3; i++) {
      x->side[i] = par[i] / 2;
      x->point[i] = x->id >> i & 1 ? par[i] / 2 : -(par[i] / 2);
    }
    return;
  case RH_SHAPE_CAPSULE:
    x->kind = LANE_CAPSULE;
    x->radius = par[0];
    x->side[2] = par[1];
    x->point[2] = x->id == 0 ? -par[1] / 2 : par[1] / 2;
    return;
  case RH_SHAPE_CYLINDER:
    x->kind = LANE_CYLINDER;
    x->radius = par[0];
    x->point[2] = (x->id < RIM_POINTS / 2 ? -1 : 1) * par[1] / 2;
    return;
  default:
    x->kind = LANE_SPHERE;
    x->radius = par[0];
    return;
  }
}

// Its place among the rules of the table's contacts; LANE_RULES: there are more
static int rule_of(lane_table *t, int rule)
{
  int k = 0;
  while (k < t->nrule && t->rule[k] != rule) {
    k++;
  }
  if (k == t->nrule && k < LANE_RULES) {
    t->rule[t->nrule++] = rule;
  }
  return k;
}

static int body_of(const rh_step_world *w, const lane_table *t, int body)
{
  int k = 0;
  while (k < t->nbody && w->trees.member[tree_of(w, t)->body + k] != body) {
    k++;
  }
  return k;
}

// All features of a shape and a plane; `order` among the pairs of all trees
static void fill_pair(const rh_step_world *w, lane_table *t, rh_shape_pair pair, int features,
                      long order)
{
  const rh_model *m = w->m;
  const rh_model_shape *a = &m->shape[pair.a];
  const rh_geom *plane = &w->search->geom[pair.b];
  const rh_model_contact *law = &m->contact[pair.rule];
  rh_vec3 n = rh_v3(plane->R.m[2], plane->R.m[5], plane->R.m[8]);
  rh_vec3 t1;
  rh_vec3 t2;
  rh_tangents_of(n, &t1, &t2);
  double fall = w->par.dt * fabs(rh_dot(n, m->gravity));
  lane_pair x = {.a = pair.a,
                 .b = pair.b,
                 .rule = rule_of(t, pair.rule),
                 .body = body_of(w, t, a->body),
                 .order = order,
                 .first = t->npair,
                 .straight = w->shapes.of[pair.a].straight,
                 .place = {a->place.p.x, a->place.p.y, a->place.p.z},
                 .rounding = rh_geom_rounding(&w->search->geom[pair.a]),
                 .arm = w->shapes.of[pair.a].arm,
                 .n = {n.x, n.y, n.z},
                 .at = {plane->p.x, plane->p.y, plane->p.z},
                 .d = rh_dot(n, plane->p),
                 .t1 = {t1.x, t1.y, t1.z},
                 .t2 = {t2.x, t2.y, t2.z},
                 .slow = fall > w->slow ? fall : w->slow,
                 .steady = w->laws.rule[pair.rule].steady,
                 .mu_s = w->laws.rule[pair.rule].mu_s,
                 .mu = w->laws.rule[pair.rule].mu,
                 .e = law->e};
  copy_numbers(x.turn, a->place.R.m, 9);
  for (int id = 0; id < features; id++) {
    x.id = id;
    x.features = id == 0 ? features : 0;
    fill_feature(a, &x);
    t->pair[t->npair++] = x;
  }
}

// Neither shape is on the tree.
static bool is_elsewhere(const rh_step_world *w, const lane_table *t, rh_shape_pair pair)
{
  return body_of(w, t, w->m->shape[pair.a].body) == t->nbody &&
         body_of(w, t, w->m->shape[pair.b].body) == t->nbody;
}

// Shapes of the tree and planes that do not move. What else meets, in words; NULL: nothing
static const char *fill_pairs(const rh_step_world *w, lane_table *t)
{
  const char *why = NULL;
  for (int a = 0; !why && a < w->m->nshape; a++) {
    for (int b = a + 1; !why && b < w->m->nshape; b++) {
      rh_shape_pair pair = {.a = a, .b = b};
      if (!rh_step_may_collide(w, &pair) || is_elsewhere(w, t, pair)) {
        continue;
      }
      const rh_model_shape *plane = &w->m->shape[pair.b];
      int features = count_features(&w->m->shape[pair.a]);
      why = plane->kind != w->shapes.plane || plane->body != 0
                ? "contacts with other things than planes that do not move"
            : features == 0 ? "shapes other than spheres, capsules, and boxes and cylinders "
                              "without samples or rounded edges"
            : body_of(w, t, w->m->shape[pair.a].body) == t->nbody ? "trees that touch"
            : t->npair + features > LANE_PAIRS ? "more than 64 corners, ends and spheres"
                                               : NULL;
      if (!why) {
        fill_pair(w, t, pair, features, (long)a * w->m->nshape + b);
      }
    }
  }
  bool room = t->npair <= w->m->nslot && t->npair <= w->worker[0].newton.contacts &&
              t->npair + RH_TOUCH_MAX <= w->contacts.capacity;
  return why || t->npair == 0                ? why
         : !room || w->trees.capacity.Y == 0 ? "too few contacts (run.contacts)"
                                             : NULL;
}

// In the order of the tree's actuators
static void fill_actuators(const rh_step_world *w, lane_table *t)
{
  const rh_model *m = w->m;
  const rh_step_tree *tree = tree_of(w, t);
  for (int n = tree->act; n < tree->act + tree->nact; n++) {
    int i = w->trees.actuator[n];
    const rh_model_actuator *a = &m->actuator[i];
    lane_actuator *x = &t->act[t->nact++];
    *x = (lane_actuator){.index = i,
                         .q = m->dof[a->dof].coord - t->first_q,
                         .servo = a->servo,
                         .lo = a->lo,
                         .hi = a->hi,
                         .stall = a->stall,
                         .no_load_speed = a->no_load_speed,
                         .gear = a->gear,
                         .control_lo = a->control_lo,
                         .control_hi = a->control_hi};
    copy_numbers(x->gain, a->gain, 3);
    copy_numbers(x->bias, a->bias, 3);
    for (int j = 0; j < t->ndof; j++) {
      x->dof = t->dof[j].v == a->dof ? j : x->dof;
    }
  }
}

static bool is_middle(const rh_step_world *w, const lane_table *t)
{
  const rh_step_tree *tree = tree_of(w, t);
  int which = (int)w->par.midpoint;
  bool usual = tree->driven || tree->ndof <= RH_STEP_SMALL_TREE;
  return !tree->stiff && (which == RH_STEP_ALL_TREES || (which == RH_STEP_USUAL_TREES && usual));
}

static bool is_plain(const lane_table *t)
{
  bool plain =
      t->forced && t->nact == 0 && t->nlimit == 0 && t->ndry == 0 && !t->stiff && !t->middle;
  for (int k = 0; plain && k < t->nbody; k++) {
    plain = t->body[k].joint != LANE_PRISMATIC;
  }
  for (int k = 0; plain && k < t->npair; k++) {
    plain = t->pair[k].kind == LANE_SPHERE;
  }
  return plain;
}

const char *rh_lanes_fill_table(const rh_step_world *w, int tree, lane_table *t)
{
  const rh_model *m = w->m;
  const char *why = find_run_misfit(w);
  why = why ? why : find_tree_misfit(w, &w->trees.tree[tree]);
  why = why ? why : find_rule_misfit(w);
  if (why) {
    return why;
  }
  t->tree = tree;
  t->nwork = m->layout.nwork;
  t->dt = w->par.dt;
  t->iterations = (int)w->par.iterations;
  t->tolerance = w->par.tolerance;
  t->slop = w->par.slop;
  t->gravity[0] = m->gravity.x;
  t->gravity[1] = m->gravity.y;
  t->gravity[2] = m->gravity.z;
  t->weight = rh_norm(m->gravity);
  t->slow = w->slow;
  t->skin = w->shapes.skin;
  t->stiff = tree_of(w, t)->stiff;
  t->middle = is_middle(w, t);
  t->impacts = w->laws.impacts;
  t->forced = has_joint_forces(w, tree_of(w, t));
  if (!fill_tree(w, t)) {
    return "a tree with too many branches";
  }
  fill_actuators(w, t);
  why = fill_pairs(w, t);
  t->plain = is_plain(t);
  if (!why && t->nrule > LANE_RULES - 1) {
    why = "more than 31 entries of contacts";
  }
  return why;
}
