// Compile: a checked scene becomes a model. Bodies keep the order of the scene where parents come
// before their children; coordinates follow the bodies.
#include "check.h"
#include "contact_rules.h"
#include "inertia.h"
#include "kinds.h"
#include "layout.h"
#include "servo.h"

#include "impact/impact.h"
#include "multibody/multibody.h"

#include <math.h>
#include <string.h>

#define BODIES_MAX  1000000
#define INERTIA_MAX 1e8    // stored entries of H
#define SLOTS_MAX   200000 // contact points, or more: a heap of balls has three per ball
#define SLOTS_MANY  4      // per bounded shape
#define RIGID_MAX   256    // rigid contact points at a time: their matrix is dense
#define SLOTS_ANY   16     // minimum capacity for contact points,
#define SLOTS_EACH  12     // and per bounded shape: twelve balls touch one, two points each

// Distance at which shapes are examined, as a fraction of their mean reach: a closing gap is seen,
// second neighbours are not.
static const double NEAR = 0.25;

typedef struct compiler {
  rh_check check;
  int nbody;   // bodies of the scene, without the world
  int *joint;  // joint entry that carries a body entry
  int *place;  // body index in the model of a body entry
  int *order;  // body entry at a place, from 1
  int *parent; // place of the parent of the body at a place
  rh_rules rules;
  rh_model n; // counts and scalar values
  rh_layout_sizes sizes;
  rh_model_parts p;
  rh_model *model;
} compiler;

static const rh_joint_def *joint_def(const compiler *c, int entry)
{
  return rh_scene_item(c->check.scene, RH_SECTION_JOINTS, entry);
}

static int body_entry(compiler *c, const char *name)
{
  return rh_check_find(&c->check, RH_SECTION_BODIES, name); // RH_NONE for the world
}

static int body_place(compiler *c, const char *name)
{
  int entry = body_entry(c, name);
  return entry == RH_NONE ? 0 : c->place[entry];
}

static int joint_place(compiler *c, const char *name) // the body it carries
{
  int entry = rh_check_find(&c->check, RH_SECTION_JOINTS, name);
  return entry == RH_NONE ? RH_NONE : body_place(c, joint_def(c, entry)->child.text);
}

// ---- Order: in the order of the scene, but ancestors first. `order` is the stack of waiting bodies until all places are known.

static void order_bodies(compiler *c)
{
  int njoint = rh_scene_count(c->check.scene, RH_SECTION_JOINTS);
  for (int i = 0; i < njoint; i++) {
    c->joint[body_entry(c, joint_def(c, i)->child.text)] = i;
  }
  int placed = 0;
  for (int i = 0; i < c->nbody; i++) {
    int waiting = c->nbody;
    int at = i;
    while (at != RH_NONE && c->place[at] == 0) { // up to an ancestor that has its place
      c->order[waiting--] = at;
      at = body_entry(c, joint_def(c, c->joint[at])->parent.text);
    }
    for (int k = waiting + 1; k <= c->nbody; k++) { // the last pushed is the oldest ancestor
      int entry = c->order[k];
      c->place[entry] = ++placed;
    }
  }
  for (int i = 0; i < c->nbody; i++) {
    c->order[c->place[i]] = i;
    c->parent[c->place[i]] = body_place(c, joint_def(c, c->joint[i])->parent.text);
  }
  c->parent[0] = RH_NONE;
}

// ---- Count

static void count_names(compiler *c)
{
  c->sizes.names = sizeof "world";
  for (int id = 0; id < RH_SECTION_COUNT; id++) {
    for (int i = 0; rh_sections[id].list && i < rh_scene_count(c->check.scene, (rh_section_id)id);
         i++) {
      char label[RH_NAME_MAX];
      rh_scene_label(c->check.scene, (rh_section_id)id, i, label);
      c->sizes.names += strlen(label) + 1;
    }
  }
}

// The contact points that the scene requests, or a reasonable maximum at a time.
static void count_slots(compiler *c)
{
  const rh_run_def *run = rh_scene_item(c->check.scene, RH_SECTION_RUN, 0);
  rh_rule_count k = {&c->check, &c->rules, c->place, c->order, c->parent};
  rh_model *n = &c->n;
  for (int i = 0; i < n->nshape; i++) {
    const rh_shape_def *def = rh_scene_item(c->check.scene, RH_SECTION_SHAPES, i);
    n->nbounded += rh_shape_bounded(rh_shape_find(def->kind.text));
  }
  int limit = n->nbounded < SLOTS_MAX / SLOTS_MANY ? SLOTS_MAX : SLOTS_MANY * n->nbounded;
  int most = n->nbounded < limit / SLOTS_EACH ? SLOTS_ANY + SLOTS_EACH * n->nbounded : limit;
  most += rh_rules_samples(&c->check, limit - most);
  int points = 0;
  for (int i = 0; i < n->ncontact && points < most; i++) {
    rh_rule_points p = rh_rules_points(&k, i, most - points);
    points += p.points;
    n->thin = n->thin || p.thin || points >= most;
  }
  n->nslot = n->ncontact == 0    ? 0
             : run->contacts > 0 ? run->contacts
             : points < most     ? points
                                 : most;
}

static int count_states(compiler *c)
{
  for (int i = 0; i < c->n.nactuator; i++) {
    const rh_actuator_def *def = rh_scene_item(c->check.scene, RH_SECTION_ACTUATORS, i);
    c->n.layout.nact += def->dynamics != RH_DYNAMICS_NONE;
  }
  return c->n.layout.nact;
}

static int count_memory(compiler *c)
{
  for (int i = 0; i < c->n.ncontroller; i++) {
    const rh_controller_def *def = rh_scene_item(c->check.scene, RH_SECTION_CONTROLLERS, i);
    c->n.layout.nmemory += rh_kinds_get()->controller_find(def->kind.text)->nmemory;
  }
  return c->n.layout.nmemory;
}

// Has the engine a sleep time for resting bodies, and is it set?
static bool may_sleep(const rh_scene *s)
{
  const rh_run_def *run = rh_scene_item(s, RH_SECTION_RUN, 0);
  const rh_row *row = &rh_engine_of(run)->row;
  int k = rh_row_find(row, "sleep");
  return k != RH_NONE && run->par[rh_row_offset(row, k)] > 0;
}

static rh_status count_model_parts(compiler *c)
{
  const rh_scene *s = c->check.scene;
  const rh_run_def *run = rh_scene_item(s, RH_SECTION_RUN, 0);
  const rh_engine *engine = rh_engine_of(run);
  rh_model *n = &c->n;
  n->nbody = c->nbody + 1;
  n->npoint = rh_scene_count(s, RH_SECTION_POINTS);
  n->nactuator = rh_scene_count(s, RH_SECTION_ACTUATORS);
  n->layout.ntrack = rh_trajectories_count(s);
  n->nforce = rh_scene_count(s, RH_SECTION_FORCES);
  n->nevent = rh_scene_count(s, RH_SECTION_EVENTS);
  n->ncontroller = rh_scene_count(s, RH_SECTION_CONTROLLERS);
  n->nshape = rh_scene_count(s, RH_SECTION_SHAPES);
  rh_constraints_count(s, &n->layout.nconstraint, &n->layout.nrow);
  n->nloop = rh_scene_count(s, RH_SECTION_LOOPS) + n->layout.nconstraint;
  n->layout.nlooprow = engine->loop_rows ? rh_loops_count_rows(s) : 0;
  n->layout.nrow += n->layout.nlooprow;
  n->ncontact = rh_scene_count(s, RH_SECTION_CONTACTS);
  n->meshes.n = c->check.nsolid;
  rh_visuals_count(s, &n->meshes.visuals);
  for (int i = 0; i < c->nbody; i++) {
    const rh_joint *joint = rh_joint_find(joint_def(c, c->joint[i])->kind.text);
    n->nq += joint->nq;
    n->nv += joint->nv;
  }
  rh_tendons_count(&c->check, c->place, c->parent, n);
  n->layout.ntendon = engine->loop_rows ? rh_tendons_count_stops(s) : 0;
  n->rules.n = c->rules.nrule;
  count_slots(c);
  n->layout.ns = RH_SLOT_STATES * n->nslot;
  n->run.hand = run->hand;
  n->layout.nwork = n->run.hand ? RH_WORK_COUNT : RH_WORK_COUNT - 1;
  n->layout.nrested = may_sleep(s) ? n->nbody : 0;
  n->layout.nturn = engine->rigid_modes && rh_rules_turn(s) ? n->nslot : 0;
  n->layout.ncell = engine->faces & RH_FACES_LAWS ? rh_rules_cells(s) : 0;
  n->layout.nfixed = n->nq + n->nv + n->layout.nwork + n->layout.ncell * n->nslot + count_states(c);
  n->layout.nstate =
      1 + n->layout.nfixed + n->layout.ns + RH_COMMAND_SIZE * n->nactuator +
      n->ncontroller * n->nactuator + n->ncontroller + count_memory(c) + 2 * n->nv +
      2 * n->layout.ntendon + n->nevent + n->nforce + 2 + RH_CONTACT_WORK_COUNT * n->ncontact +
      RH_LOOP_ROWS * n->nloop + 1 + RH_SLOT_SIZE * n->nslot +
      rh_haptic_count(s, n->nslot, &n->haptic) + (n->run.hand ? RH_HAND_SIZE : 0) +
      (engine->checks_solution ? RH_SOLVER_NOW_SIZE : 0) + n->layout.nrested +
      RH_TURN_SIZE * n->layout.nturn + rh_sensors_count(s, engine->located, n->nv, &n->sensors);
  for (int i = 0; i < n->ncontact; i++) {
    const rh_contact_def *def = rh_scene_item(s, RH_SECTION_CONTACTS, i);
    bool struck = def->impact_law.text[0] != 0 || rh_impact_law_find(def->law.text);
    n->nrigid = struck ? n->nslot : n->nrigid;
  }
  n->nrigid = n->nrigid < RIGID_MAX ? n->nrigid : RIGID_MAX;
  n->nrigid = engine->rigid_modes ? n->nrigid : 0; // 0: the engine solves rigid contacts itself
  count_names(c);
  return RH_OK;
}

// H has one entry per degree of freedom and ancestor: known once the bodies are in order.
static rh_status count_inertia(compiler *c)
{
  double entries = 0;
  int *depth = rh_alloc((size_t)(c->nbody + 1) * sizeof *depth);
  if (!depth) {
    return RH_OUT_OF_MEMORY;
  }
  for (int i = 1; i <= c->nbody; i++) {
    const rh_joint_def *def = joint_def(c, c->joint[c->order[i]]);
    int nv = rh_joint_find(def->kind.text)->nv;
    int below = depth[body_place(c, def->parent.text)];
    depth[i] = below + nv;
    entries += nv * (double)below + 0.5 * nv * (nv + 1);
  }
  rh_free(depth);
  if (entries > INERTIA_MAX) {
    rh_diag_add(c->check.diag, RH_ERROR, RH_NOWHERE,
                "the tree is too deep: its joint-space inertia has %.3g entries, the limit is %.3g",
                entries, INERTIA_MAX);
    return RH_OVER_LIMIT;
  }
  c->n.layout.nH = (int)entries;
  return RH_OK;
}

// ---- Fill

// Entry j of a list that may be empty (0) or hold one number for all.
static double entry_of(const rh_list *list, int j)
{
  return list->n == 0 ? 0 : list->x[list->n == 1 ? 0 : j];
}

// The last degree of freedom of the nearest ancestor that has one.
static int dof_below(const compiler *c, int body)
{
  int at = c->p.body[body].parent;
  while (at > 0 && c->p.body[at].nv == 0) {
    at = c->p.body[at].parent;
  }
  return at > 0 ? c->p.body[at].vadr + c->p.body[at].nv - 1 : RH_NONE;
}

static void fill_dof(compiler *c, int i, int j, const rh_joint_def *def)
{
  const rh_model_body *b = &c->p.body[i];
  const rh_list *limits = &def->limits;
  int k = b->vadr + j;
  int pair = limits->n == 2 ? 0 : j;
  rh_model_dof *dof = &c->p.dof[k];
  dof->body = i;
  dof->spring = entry_of(&def->spring, j);
  dof->damper = entry_of(&def->damper, j);
  dof->friction = entry_of(&def->friction, j);
  dof->stiction = fmax(dof->friction, entry_of(&def->stiction, j));
  dof->armature = entry_of(&def->armature, j);
  dof->lower = limits->n ? limits->x[2 * pair] : -HUGE_VAL;
  dof->upper = limits->n ? limits->x[2 * pair + 1] : HUGE_VAL;
  dof->coord = b->joint->scalar ? b->qadr + j : RH_NONE;
  dof->bounce = def->bounce;
  rh_fill_range(&def->effort_limits, &dof->effort_lo, &dof->effort_hi);
  dof->parent = j > 0 ? k - 1 : dof_below(c, i);
  dof->depth = dof->parent == RH_NONE ? 1 : c->p.dof[dof->parent].depth + 1;
  dof->row = k == 0 ? 0 : c->p.dof[k - 1].row + c->p.dof[k - 1].depth;
}

static void fill_coordinates(const rh_joint *kind, const rh_list *given, double *q)
{
  if (given->n == kind->nq) {
    memcpy(q, given->x, (size_t)kind->nq * sizeof *q);
    if (kind->unit_length) {
      kind->unit_length(q);
    }
  } else if (kind->zero) {
    kind->zero(q);
  }
}

static void fill_body(compiler *c, int i, int *nq, int *nv)
{
  int entry = c->order[i];
  const rh_joint_def *def = joint_def(c, c->joint[entry]);
  rh_model_body *b = &c->p.body[i];
  b->joint = rh_joint_find(def->kind.text);
  b->parent = body_place(c, def->parent.text);
  c->p.body[b->parent].nchild++;
  b->qadr = *nq;
  b->vadr = *nv;
  b->nv = b->joint->nv;
  *nq += b->joint->nq;
  *nv += b->nv;
  const char *why = NULL;
  (void)rh_body_inertia(c->check.scene, &c->check.shapes, entry, &b->inertia, &why);
  b->gravcomp =
      ((const rh_body_def *)rh_scene_item(c->check.scene, RH_SECTION_BODIES, entry))->gravcomp;
  rh_fill_drag(rh_scene_item(c->check.scene, RH_SECTION_BODIES, entry), &b->drag);
  rh_xform place = {rh_rpy_matrix(def->rpy[0], def->rpy[1], def->rpy[2]),
                    {def->at[0], def->at[1], def->at[2]}};
  b->joint->prepare(def->par, &place, b->konst);
  int below = c->p.body[b->parent].tree;
  b->tree = below ? below : b->nv > 0 ? i : 0;
  b->shifted = !b->joint->turning || place.p.x != 0 || place.p.y != 0 || place.p.z != 0;
  fill_coordinates(b->joint, &def->q, c->p.q0 + b->qadr);
  fill_coordinates(b->joint, &def->rest, c->p.rest + b->qadr);
  if (def->v.n == b->nv) {
    memcpy(c->p.v0 + b->vadr, def->v.x, (size_t)b->nv * sizeof(double));
  }
  c->p.held[i] = def->held;
  for (int j = 0; j < b->nv; j++) {
    fill_dof(c, i, j, def);
  }
}

static void fill_bodies(compiler *c)
{
  int nq = 0;
  int nv = 0;
  c->p.body[0].parent = RH_NONE;
  c->p.body[0].joint = rh_joint_find("fixed");
  for (int i = 1; i <= c->nbody; i++) {
    fill_body(c, i, &nq, &nv);
  }
  c->model->layout.first_angle = nq;
  for (int i = c->nbody; i >= 1; i--) {
    if (c->p.body[i].joint->angles) {
      c->model->layout.first_angle = c->p.body[i].qadr;
    }
  }
}

static rh_vec3 vec3_of(const double *x)
{
  return rh_v3(x[0], x[1], x[2]);
}

static void fill_points_and_shapes(compiler *c)
{
  for (int i = 0; i < c->n.npoint; i++) {
    const rh_point_def *def = rh_scene_item(c->check.scene, RH_SECTION_POINTS, i);
    c->p.point[i] = (rh_model_point){body_place(c, def->body.text), vec3_of(def->at)};
  }
  for (int i = 0; i < c->n.nshape; i++) {
    const rh_shape_def *def = rh_scene_item(c->check.scene, RH_SECTION_SHAPES, i);
    rh_model_shape *s = &c->p.shape[i];
    s->body = body_place(c, def->body.text);
    s->kind = rh_shape_find(def->kind.text);
    s->place = (rh_xform){rh_rpy_matrix(def->rpy[0], def->rpy[1], def->rpy[2]), vec3_of(def->at)};
    memcpy(s->par, def->par, sizeof s->par);
    const rh_solid *solid = c->check.shapes.solid[i];
    if (solid) {
      s->mesh = solid->mesh;
      s->place.p = rh_add(s->place.p, rh_rotate(&s->place.R, solid->middle));
    }
    s->surface = vec3_of(def->surface_velocity);
    c->model->belts = c->model->belts || rh_norm(s->surface) > 0;
    rh_shape_measure(s);
  }
}

static void fill_loads(compiler *c)
{
  rh_compile_actuators(&c->check, c->place, c->p.body, c->n.nactuator, c->p.actuator);
  for (int i = 0; i < c->n.nforce; i++) {
    const rh_force_def *def = rh_scene_item(c->check.scene, RH_SECTION_FORCES, i);
    c->p.force[i] = (rh_model_force){
        body_place(c, def->body.text), def->frame, vec3_of(def->at), vec3_of(def->force),
        vec3_of(def->torque),          def->from,  def->until};
  }
}

static void fill_events(compiler *c)
{
  for (int i = 0; i < c->n.nevent; i++) {
    const rh_event_def *def = rh_scene_item(c->check.scene, RH_SECTION_EVENTS, i);
    bool timed = def->time.n == 1;
    rh_model_event *e = &c->p.event[i];
    e->time = timed ? def->time.x[0] : HUGE_VAL;
    e->coord = timed ? RH_NONE : c->p.body[joint_place(c, def->joint.text)].qadr + def->dof;
    e->position = def->position;
    e->direction = def->direction;
    e->once = def->once || timed;
    e->release = joint_place(c, def->release.text);
    e->hold = joint_place(c, def->hold.text);
    e->actuator = rh_check_find(&c->check, RH_SECTION_ACTUATORS, def->actuator.text);
    e->command = (rh_command){def->effort, def->kp,    def->kd, rh_target_of(&def->target),
                              def->rate,   def->accel, 0};
    e->stop = def->stop;
  }
}

static const char *store_name(compiler *c, const char *name)
{
  char *at = c->p.text;
  size_t bytes = strlen(name) + 1;
  memcpy(at, name, bytes);
  c->p.text += bytes;
  return at;
}

static void fill_names(compiler *c)
{
  static const rh_section_id section[RH_OBJECT_COUNT] = {
      RH_SECTION_BODIES,      RH_SECTION_JOINTS, RH_SECTION_POINTS,      RH_SECTION_ACTUATORS,
      RH_SECTION_FORCES,      RH_SECTION_EVENTS, RH_SECTION_SHAPES,      RH_SECTION_CONTACTS,
      RH_SECTION_CONTROLLERS, RH_SECTION_LOOPS,  RH_SECTION_CONSTRAINTS, RH_SECTION_TENDONS,
      RH_SECTION_SENSORS};
  for (int object = 0; object < RH_OBJECT_COUNT; object++) {
    int n = rh_model_count(&c->n, (rh_object)object);
    bool of_body = object == RH_OBJECT_BODY || object == RH_OBJECT_JOINT;
    for (int i = 0; i < n; i++) {
      if (of_body && i == 0) {
        c->p.name[object][i] = "world";
        continue;
      }
      int entry = of_body ? c->order[i] : i;
      entry = object == RH_OBJECT_JOINT ? c->joint[entry] : entry;
      char label[RH_NAME_MAX];
      rh_scene_label(c->check.scene, section[object], entry, label);
      c->p.name[object][i] = store_name(c, label);
    }
    rh_sort_names(c->p.name[object], n, c->p.index[object]);
  }
}

static void fill_run(compiler *c)
{
  const rh_world_def *world = rh_scene_item(c->check.scene, RH_SECTION_WORLD, 0);
  const rh_run_def *run = rh_scene_item(c->check.scene, RH_SECTION_RUN, 0);
  const rh_record_def *record = rh_scene_item(c->check.scene, RH_SECTION_RECORD, 0);
  rh_model *m = c->model;
  m->gravity = vec3_of(world->gravity);
  m->start.medium = (rh_model_medium){world->density, world->viscosity, vec3_of(world->wind)};
  m->run.until = run->until;
  m->run.rest_speed = run->rest_speed;
  const rh_formulation *usual = rh_formulation_table(&(int){0})[0];
  const char *multi = run->multi_impact.text;
  m->run.multi_impact = multi[0] != 0 ? &rh_formulation_find(multi)->row : &usual->row;
  memcpy(m->run.multi_impact_par, run->multi_impact_par, sizeof m->run.multi_impact_par);
  m->run.residue = run->residue;
  m->run.unresolved = run->unresolved;
  m->run.select = run->select;
  m->run.facets = run->facets;
  m->run.examine = run->examine;
  m->run.strict = run->strict;
  m->sensors.seed = run->seed;
  m->run.engine = rh_engine_of(run);
  memcpy(m->run.engine_par, run->par, sizeof m->run.engine_par);
  m->run.integrator = rh_integrator_of(run);
  memcpy(m->run.integrator_par, run->integrator_par, sizeof m->run.integrator_par);
  m->run.every = record->every;
  m->run.batch = record->batch;
  m->run.sync = record->sync;
  m->run.impact_rows = record->impact_rows;
}

static rh_status fill_contacts(compiler *c)
{
  bool good = true;
  rh_rule_count k = {&c->check, &c->rules, c->place, c->order, c->parent};
  for (int i = 0; i < c->n.ncontact; i++) {
    rh_model_contact *contact = &c->p.contact[i];
    good = rh_rules_laws(&c->check, c->model, i, contact) && good;
    int points = rh_rules_points(&k, i, RH_PLACES_MAX).points;
    contact->places = points < RH_PLACES_MAX ? points : RH_PLACES_MAX;
  }
  for (int i = 0; i < c->n.rules.n; i++) {
    c->p.rule[i] = c->rules.rule[i];
  }
  memcpy(c->p.all, c->rules.all, (size_t)c->n.nbody * sizeof *c->p.all);
  double reach = 0;
  for (int i = 0; i < c->n.nshape; i++) {
    reach += rh_shape_bounded(c->p.shape[i].kind) ? c->p.shape[i].reach : 0;
  }
  c->model->near = fmax(NEAR * reach / fmax(c->n.nbounded, 1),
                        2 * rh_rules_hold(c->p.contact, c->n.ncontact, reach));
  return good ? RH_OK : RH_INPUT_REFUSED;
}

// ---- Does every joint move a mass? By trial: its inertia at the start must be positive.

static rh_status check_inertia(compiler *c)
{
  rh_data *d = rh_data_create(c->model);
  if (!d) {
    return RH_OUT_OF_MEMORY;
  }
  memset(d->hold, 0, (size_t)c->model->nv * sizeof *d->hold);
  rh_kinematics(d);
  rh_aba(d, d->tau, d->a);
  rh_status status = RH_OK;
  for (int i = 1; i < c->model->nbody; i++) {
    if (!rh_joint_feels_inertia(d, i)) {
      rh_complain(&c->check, RH_SECTION_JOINTS, c->joint[c->order[i]], NULL,
                  "moves no inertia: no mass or inertia resists this joint at the start");
      status = RH_INPUT_REFUSED;
      break; // joints nearer the root fail along with it
    }
  }
  status = status == RH_OK ? rh_loops_start(&c->check, d, c->p.loop) : status;
  rh_tendons_start(&c->check, d, c->p.tendon);
  status = status == RH_OK ? rh_constraints_start(&c->check, d) : status;
  status = status == RH_OK ? rh_check_start(&c->check, d) : status;
  rh_data_destroy(d);
  return status;
}

// From here on the model owns the meshes.
static void take_meshes(compiler *c)
{
  for (int i = 0; i < c->n.meshes.n; i++) {
    c->p.mesh[i] = c->check.solid[i].mesh;
    c->check.solid[i].mesh = NULL;
  }
}

static rh_status build_model(compiler *c)
{
  RH_TRY(rh_check_run(&c->check));
  c->nbody = rh_scene_count(c->check.scene, RH_SECTION_BODIES);
  if (c->nbody > BODIES_MAX) {
    rh_diag_add(c->check.diag, RH_ERROR, RH_NOWHERE, "too many bodies: %d, the limit is %d",
                c->nbody, BODIES_MAX);
    return RH_OVER_LIMIT;
  }
  size_t n = (size_t)c->nbody + 1;
  c->joint = rh_alloc(4 * n * sizeof *c->joint);
  if (!c->joint) {
    return RH_OUT_OF_MEMORY;
  }
  c->place = c->joint + n;
  c->order = c->joint + 2 * n;
  c->parent = c->joint + 3 * n;
  order_bodies(c);
  RH_TRY(rh_rules_create(&c->check, c->place, &c->rules));
  RH_TRY(count_model_parts(c));
  RH_TRY(count_inertia(c));
  c->model = rh_model_allocate(&c->n, &c->sizes, &c->p);
  if (!c->model) {
    return RH_OUT_OF_MEMORY;
  }
  fill_bodies(c);
  fill_points_and_shapes(c);
  rh_loops_fill(&c->check, c->place, c->p.loop);
  rh_constraints_fill(&c->check, c->place, c->model, c->p.loop);
  rh_tendons_fill(&c->check, c->place, c->model, &c->p);
  fill_loads(c);
  rh_trajectories_fill(&c->check, c->p.actuator, c->p.track);
  fill_events(c);
  rh_compile_controllers(&c->check, c->place, c->n.ncontroller, c->p.controller);
  fill_names(c);
  fill_run(c);
  rh_sensors_fill(&c->check, c->place, c->model, c->p.sensor);
  if (c->n.haptic.on) {
    const rh_haptic_def *def = rh_scene_item(c->check.scene, RH_SECTION_HAPTIC, 0);
    c->model->haptic.tool = body_place(c, def->tool.text);
    c->model->haptic.device = def->device.text[0] ? body_place(c, def->device.text) : RH_NONE;
    rh_haptic_fill(def, &c->model->haptic, c->p.trace);
  }
  RH_TRY(rh_visuals_fill(&c->check, c->place, &c->p));
  RH_TRY(fill_contacts(c));
  RH_TRY(check_inertia(c));
  take_meshes(c);
  return RH_OK;
}

rh_status rh_scene_compile(const rh_scene *scene, rh_diag *diag, rh_model **model)
{
  compiler c = {0};
  *model = NULL;
  rh_status status = rh_check_open(&c.check, scene, diag);
  status = status == RH_OK ? build_model(&c) : status;
  if (status == RH_OK) {
    *model = c.model;
  } else {
    rh_model_destroy(c.model);
    if (status == RH_OUT_OF_MEMORY) {
      rh_diag_add(diag, RH_ERROR, RH_NOWHERE, "out of memory while compiling the scene");
    }
  }
  rh_free(c.joint);
  rh_rules_destroy(&c.rules);
  rh_check_close(&c.check);
  return status;
}
