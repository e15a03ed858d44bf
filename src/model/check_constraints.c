// Constraints on velocities: bodies and joints that exist, the kinds' own conditions, and rows that
// hold at the start. A row that depends on the joints or on other rows is reported: its force has no
// value of its own; where it contradicts them the scene is refused.
#include "check.h"

#include "multibody/multibody.h"

#include <math.h>
#include <string.h>

enum { CONSTRAINTS_MAX = 256 };

// [m/s, rad/s] of a row at the start, for each unit of speed: values written with seven digits
// count as none. The engines remove the rest.
static const double START_MAX = 1e-6;

static const rh_constraint_def *def_of(const rh_scene *scene, int i)
{
  return rh_scene_item(scene, RH_SECTION_CONSTRAINTS, i);
}

static const rh_name *joint_of(const rh_constraint_def *def, int i)
{
  const rh_name *const joint[] = {&def->joint, &def->joint2, &def->joint3, &def->joint4};
  return joint[i];
}

static int count_joints(const rh_constraint_def *def)
{
  int n = 0;
  while (n < RH_CONSTRAINT_TERMS && joint_of(def, n)->text[0] != 0) {
    n++;
  }
  return n;
}

static void check_joint(rh_check *c, int i, int term)
{
  static const char *const key[] = {"joint", "joint2", "joint3", "joint4"};
  const rh_constraint_def *def = def_of(c->scene, i);
  int joint = rh_check_reference(c, RH_SECTION_CONSTRAINTS, i, key[term], RH_SECTION_JOINTS);
  if (joint == RH_NONE) {
    return;
  }
  const rh_joint_def *of = rh_scene_item(c->scene, RH_SECTION_JOINTS, joint);
  const rh_joint *kind = rh_joint_find(of->kind.text);
  double dof = term < def->dofs.n ? def->dofs.x[term] : 0;
  if (kind && (dof >= kind->nv || dof != (int)dof)) {
    rh_complain(c, RH_SECTION_CONSTRAINTS, i, term < def->dofs.n ? "dofs" : key[term],
                "takes a whole number below %d for %s, got %g", kind->nv, joint_of(def, term)->text,
                dof);
  }
  const rh_constraint_kind *row = rh_constraint_kind_find(def->kind.text);
  if (kind && row && term >= row->speeds && !kind->scalar) {
    rh_complain(c, RH_SECTION_CONSTRAINTS, i, key[term],
                "must be a joint with one coordinate per degree of freedom");
  }
}

static void check_joints(rh_check *c, int i, const rh_constraint_kind *kind)
{
  const rh_constraint_def *def = def_of(c->scene, i);
  int n = count_joints(def);
  for (int k = n; k < RH_CONSTRAINT_TERMS; k++) {
    if (joint_of(def, k)->text[0] != 0) {
      rh_complain(c, RH_SECTION_CONSTRAINTS, i, NULL, "names joint%d but not the one before",
                  k + 1);
    }
  }
  for (int k = 0; k < n; k++) {
    check_joint(c, i, k);
  }
  if (n < kind->joints[0] || n > kind->joints[1]) {
    rh_complain(c, RH_SECTION_CONSTRAINTS, i, NULL, "takes %d to %d joints, got %d",
                kind->joints[0], kind->joints[1], n);
  }
  if (def->coefficients.n != (kind->given ? n : 0)) {
    rh_complain(c, RH_SECTION_CONSTRAINTS, i, "coefficients", "takes %d numbers, got %d",
                kind->given ? n : 0, def->coefficients.n);
  }
  if (def->dofs.n > n) {
    rh_complain(c, RH_SECTION_CONSTRAINTS, i, "dofs", "takes %d numbers, got %d", n, def->dofs.n);
  }
}

static int check_body(rh_check *c, int i, const char *key, const rh_name *name)
{
  return strcmp(name->text, "world") == 0
             ? RH_NONE
             : rh_check_reference(c, RH_SECTION_CONSTRAINTS, i, key, RH_SECTION_BODIES);
}

static void check_constraint(rh_check *c, int i)
{
  const rh_constraint_def *def = def_of(c->scene, i);
  const rh_constraint_kind *kind = rh_constraint_kind_find(def->kind.text);
  if (!kind) {
    return; // reported with the kinds of all sections
  }
  check_joints(c, i, kind);
  bool between = def->body.text[0] != 0;
  if (between && !kind->bodies) {
    rh_complain(c, RH_SECTION_CONSTRAINTS, i, "body", "is not for a %s: it is between joints",
                kind->row.name);
  } else if (between || (kind->bodies && count_joints(def) == 0)) {
    int body = check_body(c, i, "body", &def->body);
    int to = check_body(c, i, "to", &def->to);
    if (body == to && strcmp(def->body.text, def->to.text) == 0) {
      rh_complain(c, RH_SECTION_CONSTRAINTS, i, "to", "must be another body");
    }
  }
  const char *why = kind->check ? kind->check(def->par) : NULL;
  if (why) {
    rh_complain(c, RH_SECTION_CONSTRAINTS, i, kind->row.param[0].name, "%s", why);
  }
}

void rh_check_constraints(rh_check *c)
{
  int n = rh_scene_count(c->scene, RH_SECTION_CONSTRAINTS);
  for (int i = 0; i < n && n <= CONSTRAINTS_MAX; i++) {
    check_constraint(c, i);
  }
  if (n > CONSTRAINTS_MAX) {
    rh_complain(c, RH_SECTION_CONSTRAINTS, 0, NULL, "is one of %d: the limit is %d", n,
                CONSTRAINTS_MAX);
  }
}

// ---- In the model

static int rows_of(const rh_constraint_def *def)
{
  const rh_constraint_kind *kind = rh_constraint_kind_find(def->kind.text);
  return kind->count ? kind->count(def->par) : kind->nrow;
}

void rh_constraints_count(const rh_scene *scene, int *n, int *rows)
{
  *n = rh_scene_count(scene, RH_SECTION_CONSTRAINTS);
  *rows = 0;
  for (int i = 0; i < *n; i++) {
    *rows += rows_of(def_of(scene, i));
  }
}

static int place_of(rh_check *c, const int *place, const rh_name *name)
{
  int entry = rh_check_find(c, RH_SECTION_BODIES, name->text);
  return entry == RH_NONE ? 0 : place[entry];
}

static rh_xform frame_of(const double *at, const double *rpy)
{
  return (rh_xform){rh_rpy_matrix(rpy[0], rpy[1], rpy[2]), {at[0], at[1], at[2]}};
}

void rh_constraints_fill(rh_check *c, const int *place, const rh_model *m, rh_model_loop *loop)
{
  for (int i = 0; i < m->layout.nconstraint; i++) {
    const rh_constraint_def *def = def_of(c->scene, i);
    rh_model_loop *l = &loop[m->nloop - m->layout.nconstraint + i];
    bool between = def->body.text[0] != 0;
    *l = (rh_model_loop){.constraint = rh_constraint_kind_find(def->kind.text),
                         .nrow = rows_of(def),
                         .a = between ? place_of(c, place, &def->body) : 0,
                         .b = between ? place_of(c, place, &def->to) : 0,
                         .in_a = frame_of(def->at, def->rpy),
                         .in_b = frame_of(def->to_at, def->to_rpy),
                         .nterm = count_joints(def)};
    memcpy(l->par, def->par, sizeof l->par);
    for (int k = 0; k < l->nterm; k++) {
      int joint = rh_check_find(c, RH_SECTION_JOINTS, joint_of(def, k)->text);
      const rh_joint_def *of = rh_scene_item(c->scene, RH_SECTION_JOINTS, joint);
      int dof = k < def->dofs.n ? (int)def->dofs.x[k] : 0;
      l->dof[k] = m->body[place_of(c, place, &of->child)].vadr + dof;
      l->coef[k] = k < def->coefficients.n ? def->coefficients.x[k] : 0;
    }
  }
}

// ---- At the start

// Largest term of a row's velocity, for its scale
static double row_scale(const rh_data *d, int r)
{
  const rh_constraint_system *s = d->dyn.rows;
  double largest = fabs(s->speed[r]);
  for (int k = 0; k < d->model->nv; k++) {
    largest = fmax(largest, fabs(s->Psi[(size_t)r * (size_t)d->model->nv + (size_t)k] * d->v[k]));
  }
  return largest;
}

static void check_row(rh_check *c, const rh_data *d, int i, int row, int r)
{
  const rh_constraint_system *s = d->dyn.rows;
  if (!(fabs(s->u[r]) <= START_MAX * fmax(1, row_scale(d, r)))) {
    rh_complain(c, RH_SECTION_CONSTRAINTS, i, NULL,
                "does not hold at the start: row %d has %g in place of %g m/s (rad/s); give the "
                "joints velocities that satisfy it",
                row + 1, s->speed[r] + s->u[r], s->speed[r]);
  } else if (!(fabs(s->gap[r]) <= START_MAX)) {
    rh_complain(c, RH_SECTION_CONSTRAINTS, i, NULL, "is open at the start by %g m: it must be 0",
                s->gap[r]);
  } else if (s->A[(size_t)r * (size_t)s->n + (size_t)r] == 0) {
    rh_diag_add(c->diag, RH_WARNING, rh_check_place(c, RH_SECTION_CONSTRAINTS, i, NULL),
                "row %d depends on %s: its force is not determined and is given as 0", row + 1,
                s->kept[r] ? "the joints alone" : "the joints and the rows before it");
  }
}

// Loops whose velocities at the start do not agree: an impulse of their rows makes them agree.
static void report_loops(rh_check *c, const rh_data *d)
{
  const rh_constraint_system *s = d->dyn.rows;
  int last = RH_NONE;
  for (int r = 0; r < d->model->layout.nlooprow; r++) {
    int row;
    int i = rh_loop_of_row(d->model, r, &row);
    if (i != last && !(fabs(s->u[r]) <= START_MAX * fmax(1, row_scale(d, r)))) {
      rh_diag_add(
          c->diag, RH_WARNING, rh_check_place(c, RH_SECTION_LOOPS, i, NULL),
          "opens at the start with %.3g m/s (rad/s): an impulse of the loop closes it; give "
          "the joints velocities that agree to avoid that",
          fabs(s->u[r]));
      last = i;
    }
  }
}

rh_status rh_constraints_start(rh_check *c, rh_data *d)
{
  const rh_model *m = d->model;
  int before = c->errors;
  int r = m->layout.nlooprow;
  if (!d->dyn.rows) {
    return RH_OK;
  }
  rh_constraints_factor(d);
  report_loops(c, d);
  for (int i = 0; i < m->layout.nconstraint; i++) {
    const rh_model_loop *l = &m->loop[m->nloop - m->layout.nconstraint + i];
    for (int row = 0; row < l->nrow; row++) {
      check_row(c, d, i, row, r++);
    }
  }
  return c->errors == before ? RH_OK : RH_INPUT_REFUSED;
}
