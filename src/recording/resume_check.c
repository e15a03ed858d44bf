// resume_check.c: can a run of a model resume from a recording? Only if the recording has the same
// model: a run that changed mass or tolerance would not be one run. The duration of the run may
// differ.
#include "recording.h"

#include <math.h>
#include <string.h>

static bool same_numbers(const double *a, const double *b, int n) // bit for bit
{
  return n == 0 || memcmp(a, b, (size_t)n * sizeof(double)) == 0;
}

static bool same_vec3(rh_vec3 a, rh_vec3 b)
{
  const double x[] = {a.x, a.y, a.z};
  const double y[] = {b.x, b.y, b.z};
  return same_numbers(x, y, 3);
}

static bool same_counts(const rh_model *a, const rh_model *b)
{
  return a->nbody == b->nbody && a->nq == b->nq && a->nv == b->nv && a->layout.ns == b->layout.ns &&
         a->npoint == b->npoint && a->nactuator == b->nactuator && a->nforce == b->nforce &&
         a->nevent == b->nevent && a->nshape == b->nshape && a->ncontact == b->ncontact &&
         a->ncontroller == b->ncontroller && a->nloop == b->nloop && a->tendons.n == b->tendons.n &&
         a->sensors.n == b->sensors.n && a->tendons.npart == b->tendons.npart &&
         a->rules.n == b->rules.n && a->nslot == b->nslot && a->layout.nstate == b->layout.nstate;
}

static bool same_names(const rh_model *a, const rh_model *b)
{
  for (int object = 0; object < RH_OBJECT_COUNT; object++) {
    for (int i = 0; i < rh_model_count(a, (rh_object)object); i++) {
      const char *x = rh_model_name(a, (rh_object)object, i);
      const char *y = rh_model_name(b, (rh_object)object, i);
      if ((x == NULL) != (y == NULL) || (x && strcmp(x, y) != 0)) {
        return false;
      }
    }
  }
  return true;
}

static bool same_bodies(const rh_model *a, const rh_model *b)
{
  for (int i = 0; i < a->nbody; i++) {
    const rh_model_body *x = &a->body[i];
    const rh_model_body *y = &b->body[i];
    if (x->parent != y->parent || x->joint != y->joint || a->start.held[i] != b->start.held[i] ||
        memcmp(&x->inertia, &y->inertia, sizeof x->inertia) != 0 || x->gravcomp != y->gravcomp ||
        memcmp(&x->drag, &y->drag, sizeof x->drag) != 0 ||
        !same_numbers(x->konst, y->konst, RH_JOINT_CONST)) {
      return false;
    }
  }
  return same_vec3(a->gravity, b->gravity);
}

static bool same_dofs(const rh_model *a, const rh_model *b)
{
  for (int i = 0; i < a->nv; i++) {
    const rh_model_dof *x = &a->dof[i];
    const rh_model_dof *y = &b->dof[i];
    const double u[] = {x->spring, x->damper, x->armature, x->friction,  x->stiction,
                        x->lower,  x->upper,  x->bounce,   x->effort_lo, x->effort_hi};
    const double v[] = {y->spring, y->damper, y->armature, y->friction,  y->stiction,
                        y->lower,  y->upper,  y->bounce,   y->effort_lo, y->effort_hi};
    if (!same_numbers(u, v, RH_COUNT(u))) {
      return false;
    }
  }
  return same_numbers(a->start.rest, b->start.rest, a->nq);
}

static bool same_command(const rh_command *a, const rh_command *b)
{
  return same_numbers(&a->effort, &b->effort, RH_COMMAND_SIZE);
}

static bool same_loads(const rh_model *a, const rh_model *b)
{
  for (int i = 0; i < a->nactuator; i++) {
    const rh_model_actuator *x = &a->actuator[i];
    const rh_model_actuator *y = &b->actuator[i];
    const double u[] = {x->lo,           x->hi,       x->gear,  x->control_lo,    x->control_hi,
                        x->state_lo,     x->state_hi, x->stall, x->no_load_speed, x->ki,
                        x->time_constant};
    const double v[] = {y->lo,           y->hi,       y->gear,  y->control_lo,    y->control_hi,
                        y->state_lo,     y->state_hi, y->stall, y->no_load_speed, y->ki,
                        y->time_constant};
    if (memcmp(&x->via, &y->via, sizeof x->via) != 0 || x->dynamics != y->dynamics ||
        x->dof != y->dof || x->tendon != y->tendon || x->servo != y->servo ||
        !same_command(&x->command, &y->command) || !same_numbers(u, v, RH_COUNT(u)) ||
        !same_numbers(x->gain, y->gain, 3) || !same_numbers(x->bias, y->bias, 3)) {
      return false;
    }
  }
  for (int i = 0; i < a->nforce; i++) {
    const rh_model_force *x = &a->force[i];
    const rh_model_force *y = &b->force[i];
    const double u[] = {x->from, x->until};
    const double v[] = {y->from, y->until};
    if (x->body != y->body || x->frame != y->frame || !same_vec3(x->at, y->at) ||
        !same_vec3(x->force, y->force) || !same_vec3(x->torque, y->torque) ||
        !same_numbers(u, v, 2)) {
      return false;
    }
  }
  return true;
}

static bool same_events(const rh_model *a, const rh_model *b)
{
  for (int i = 0; i < a->nevent; i++) {
    const rh_model_event *x = &a->event[i];
    const rh_model_event *y = &b->event[i];
    bool same_time = x->time == y->time || (x->time != x->time && y->time != y->time);
    if (!same_time || x->coord != y->coord || x->direction != y->direction || x->once != y->once ||
        x->release != y->release || x->hold != y->hold || x->actuator != y->actuator ||
        x->stop != y->stop || !same_command(&x->command, &y->command) ||
        !same_numbers(&x->position, &y->position, 1)) {
      return false;
    }
  }
  return a->run.rest_speed == b->run.rest_speed && a->run.multi_impact == b->run.multi_impact &&
         same_numbers(a->run.multi_impact_par, b->run.multi_impact_par, RH_PAR_MAX) &&
         a->run.residue == b->run.residue && a->run.unresolved == b->run.unresolved &&
         a->run.select == b->run.select && a->run.facets == b->run.facets &&
         a->run.examine == b->run.examine && a->run.strict == b->run.strict;
}

static bool same_sensors(const rh_model *a, const rh_model *b)
{
  for (int i = 0; i < a->sensors.n; i++) {
    const rh_model_sensor *x = &a->sensors.of[i];
    const rh_model_sensor *y = &b->sensors.of[i];
    if (x->kind != y->kind || x->body != y->body || x->shape != y->shape || x->dof != y->dof ||
        x->period != y->period || x->delay != y->delay || !same_numbers(x->noise, y->noise, 2) ||
        memcmp(&x->place, &y->place, sizeof x->place) != 0 ||
        !same_numbers(x->par, y->par, RH_PAR_MAX)) {
      return false;
    }
  }
  return a->sensors.n == 0 || a->sensors.seed == b->sensors.seed;
}

static bool same_controllers(const rh_model *a, const rh_model *b)
{
  for (int i = 0; i < a->ncontroller; i++) {
    const rh_model_controller *x = &a->controller[i];
    const rh_model_controller *y = &b->controller[i];
    if (x->kind != y->kind || x->period != y->period || x->left != y->left ||
        x->right != y->right || x->trunk != y->trunk || x->nfoot != y->nfoot ||
        !same_numbers(x->par, y->par, RH_PAR_MAX)) {
      return false;
    }
    for (int k = 0; k < x->nfoot; k++) {
      bool both = isnan(x->phase[k]) && isnan(y->phase[k]);
      if (x->foot[k] != y->foot[k] || !(both || x->phase[k] == y->phase[k])) {
        return false;
      }
    }
  }
  return true;
}

static bool same_loops(const rh_model *a, const rh_model *b)
{
  for (int i = 0; i < a->nloop; i++) {
    const rh_model_loop *x = &a->loop[i];
    const rh_model_loop *y = &b->loop[i];
    if (x->kind != y->kind || x->constraint != y->constraint || x->nterm != y->nterm ||
        memcmp(x->dof, y->dof, sizeof x->dof) != 0 ||
        !same_numbers(x->coef, y->coef, RH_CONSTRAINT_TERMS) || x->a != y->a || x->b != y->b ||
        memcmp(&x->in_a, &y->in_a, sizeof x->in_a) != 0 ||
        memcmp(&x->in_b, &y->in_b, sizeof x->in_b) != 0 ||
        !same_numbers(x->par, y->par, RH_PAR_MAX)) {
      return false;
    }
  }
  return true;
}

static bool same_tendons(const rh_model *a, const rh_model *b)
{
  for (int i = 0; i < a->tendons.n; i++) {
    const rh_model_tendon *x = &a->tendons.of[i];
    const rh_model_tendon *y = &b->tendons.of[i];
    if (x->npart != y->npart || x->ndof != y->ndof || x->spring != y->spring ||
        x->damper != y->damper || x->friction != y->friction ||
        !same_numbers(x->rest, y->rest, 2) || x->lower != y->lower || x->upper != y->upper ||
        x->effort_lo != y->effort_lo || x->effort_hi != y->effort_hi) {
      return false;
    }
  }
  for (int i = 0; i < a->tendons.npart; i++) {
    const rh_model_tendon_part *x = &a->tendons.part[i];
    const rh_model_tendon_part *y = &b->tendons.part[i];
    if (x->kind != y->kind || x->body != y->body || x->radius != y->radius ||
        memcmp(&x->frame, &y->frame, sizeof x->frame) != 0 || x->side_body != y->side_body ||
        !same_vec3(x->side, y->side) || x->divisor != y->divisor || x->dof != y->dof ||
        x->coef != y->coef) {
      return false;
    }
  }
  return true;
}

static bool same_points(const rh_model *a, const rh_model *b)
{
  for (int i = 0; i < a->npoint; i++) {
    if (a->point[i].body != b->point[i].body || !same_vec3(a->point[i].at, b->point[i].at)) {
      return false;
    }
  }
  return true;
}

static bool same_contacts(const rh_model *a, const rh_model *b)
{
  for (int i = 0; i < a->nshape; i++) {
    const rh_model_shape *x = &a->shape[i];
    const rh_model_shape *y = &b->shape[i];
    if (x->body != y->body || x->kind != y->kind || !same_vec3(x->place.p, y->place.p) ||
        !same_numbers(x->place.R.m, y->place.R.m, 9) || !same_numbers(x->par, y->par, RH_PAR_MAX)) {
      return false;
    }
  }
  for (int i = 0; i < a->ncontact; i++) {
    const rh_model_contact *x = &a->contact[i];
    const rh_model_contact *y = &b->contact[i];
    if (x->law != y->law || x->impact != y->impact || x->friction != y->friction ||
        x->per != y->per || !same_numbers(x->par, y->par, RH_PAR_MAX) ||
        !same_numbers(x->friction_par, y->friction_par, RH_PAR_MAX)) {
      return false;
    }
  }
  size_t bodies = (size_t)a->nbody;
  size_t rules = (size_t)a->rules.n;
  return memcmp(a->rules.all, b->rules.all, bodies * sizeof *a->rules.all) == 0 &&
         (rules == 0 || memcmp(a->rules.of, b->rules.of, rules * sizeof *a->rules.of) == 0);
}

// The first difference of two models that affects a run, NULL if there is none. The duration may
// differ.
static const char *difference_of(const rh_model *a, const rh_model *b)
{
  if (!same_counts(a, b)) {
    return "numbers of bodies and joints";
  }
  if (!same_names(a, b)) {
    return "names";
  }
  if (!same_bodies(a, b) || !same_dofs(a, b)) {
    return "bodies or joints";
  }
  if (!same_numbers(a->start.q0, b->start.q0, a->nq) ||
      !same_numbers(a->start.v0, b->start.v0, a->nv)) {
    return "initial states";
  }
  if (!same_loads(a, b)) {
    return "actuators or forces";
  }
  if (!same_controllers(a, b)) {
    return "controllers";
  }
  if (!same_sensors(a, b)) {
    return "sensors";
  }
  if (!same_events(a, b) || !same_points(a, b) || !same_loops(a, b)) {
    return "events or points";
  }
  if (!same_tendons(a, b)) {
    return "tendons";
  }
  if (!same_contacts(a, b)) {
    return "shapes or contacts";
  }
  if (a->run.engine != b->run.engine || a->run.integrator != b->run.integrator ||
      !same_numbers(a->run.engine_par, b->run.engine_par, RH_PAR_MAX) ||
      !same_numbers(a->run.integrator_par, b->run.integrator_par, RH_PAR_MAX)) {
    return "engines, integrators or their tolerances";
  }
  return a->run.every != b->run.every || a->run.batch != b->run.batch ? "record settings" : NULL;
}

rh_status rh_rec_check_resume(const char *path, const rh_model *model, long index, uint64_t *hash,
                              rh_diag *diag)
{
  rh_recording *r = NULL;
  RH_TRY(rh_recording_open(path, diag, &r));
  rh_status verified = rh_recording_verify(r, diag);
  if (verified != RH_OK) {
    rh_recording_close(r);
    return verified;
  }
  const char *difference = difference_of(rh_recording_model(r), model);
  double *state = rh_alloc((size_t)model->layout.nstate * sizeof(double));
  rh_status status = RH_OUT_OF_MEMORY;
  if (difference) {
    rh_diag_add(diag, RH_ERROR, rh_rec_place(path), "was made with another scene: the %s differ",
                difference);
    status = RH_INPUT_REFUSED;
  } else if (state) {
    status = RH_OK;
    for (long i = 0; i < rh_recording_frames(r) && status == RH_OK; i++) {
      status = rh_recording_frame(r, i, state, NULL, diag);
    }
    status = status == RH_OK ? rh_recording_frame(r, index, state, hash, diag) : status;
  }
  rh_free(state);
  rh_recording_close(r);
  return status;
}
