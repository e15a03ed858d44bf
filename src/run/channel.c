// Channels: every quantity of a world that has a name. All are derived from the state, so a recording keeps only states
// and anything can be plotted afterwards.
//   CONTACT.depth normal ... (CONTACT.2.depth where it has several points), CONTACT.damper sliding ...
//   drag.x y z [N], drag.target_x ... (where a hand can pull: run.hand)
//   haptic.wrench_fx ... haptic.returned (under the engine haptic)
//   solver.residual sweeps contacts ... (under the engine stepping)
//   LOOP.fx fy fz tx ty tz (on its body), LOOP.gap turn
//   CONSTRAINT.force1 slip1 force2 ... (force of a row, error of its velocity)
//   SENSOR.ax ay ... (names by its kind), TENDON.length speed force (of its spring, damper and actuators)
//   t | JOINT.COORD JOINT.v... | BODY.px py pz | POINT.x y z vx vy vz | ACTUATOR.effort target | energy.* | com.* momentum.* spin.*
#include "run.h"

#include "channel_words.h"

#include "contacts/simulation.h"

#include "base/sort.h"
#include "multibody/multibody.h"
#include "sensors/sensors.h"

#include <stdio.h>
#include <string.h>

typedef enum source {
  FROM_TIME,
  FROM_Q,
  FROM_V,
  FROM_BODY,
  FROM_POINT,
  FROM_POINT_VELOCITY,
  FROM_ACTUATOR,
  FROM_ACTIVATION,
  FROM_TARGET,
  FROM_LEDGER,
  FROM_COM,
  FROM_MOMENTUM,
  FROM_SPIN,
  FROM_CONTACT,
  FROM_CONTACT_WORK,
  FROM_HAPTIC,
  FROM_HAND,
  FROM_HAND_TARGET,
  FROM_LOOP,
  FROM_LOOP_GAP,
  FROM_CONSTRAINT,
  FROM_CONSTRAINT_SLIP,
  FROM_SOLVER,
  FROM_TENDON,
  FROM_SENSOR,
} source;

typedef struct channel {
  char name[RH_NAME_MAX + 32];
  const char *unit;
  source source;
  int index, axis;
} channel;

struct rh_channels {
  channel *channel;
  int *order; // sorted by name, for look-up; then scratch to sort
  int count;
};

static const char *const xyz[] = {"x", "y", "z"};

static const struct {
  const char *name;
  size_t offset;
} ledger_row[] = {

#define ROW(name, text) {#name, offsetof(rh_ledger, name)},
    RH_LEDGER_LIST(ROW)
#undef ROW
};

// Quantities of a contact point; the rest are the integrals of rh_contact_work. The chief ones are
// the group `contacts`.
static const struct {
  const char *name, *unit;
  size_t offset;
  bool chief;
} contact_row[] = {
    {"depth", "m", offsetof(rh_contact, depth), true},
    {"rate", "m/s", offsetof(rh_contact, rate), false},
    {"normal", "N", offsetof(rh_contact, normal), true},
    {"friction1", "N", offsetof(rh_contact, friction), true},
    {"friction2", "N", offsetof(rh_contact, friction) + sizeof(double), true},
    {"slip1", "m/s", offsetof(rh_contact, slip), false},
    {"slip2", "m/s", offsetof(rh_contact, slip) + sizeof(double), false},
    {"margin", "N", offsetof(rh_contact, margin), false},
    {"stored", "J", offsetof(rh_contact, stored), false},
    {"recoverable", "J", offsetof(rh_contact, recoverable), false},
    {"shared", "1", offsetof(rh_contact, shared),
     false}, // of an engine that checks its solutions; the last
};

static const char *const work_name[RH_CONTACT_WORK_COUNT] = {"spring", "damper", "spring33", "drag",
                                                             "sliding"};

// The last tick of the engine haptic: six components each, then single numbers.
static const struct {
  const char *name;
  size_t offset;
} haptic_wrench[] = {
    {"hand", offsetof(rh_haptic_now, hand)},         {"env", offsetof(rh_haptic_now, env)},
    {"coupling", offsetof(rh_haptic_now, coupling)}, {"wrench", offsetof(rh_haptic_now, wrench)},
    {"observed", offsetof(rh_haptic_now, observed)},
};

static const struct {
  const char *name, *unit;
  size_t offset;
} haptic_row[] = {
    {"state", "1", offsetof(rh_haptic_now, state)},
    {"contacts", "1", offsetof(rh_haptic_now, contacts)},
    {"groups", "1", offsetof(rh_haptic_now, groups)},
    {"depth", "m", offsetof(rh_haptic_now, depth)},
    {"e_eff", "1", offsetof(rh_haptic_now, e_eff)},
    {"loss", "J", offsetof(rh_haptic_now, loss)},
    {"negative", "1", offsetof(rh_haptic_now, negative)},
    {"active", "1", offsetof(rh_haptic_now, active)},
    {"hand_work", "J", offsetof(rh_haptic_now, hand_work)},
    {"given", "J", offsetof(rh_haptic_now, given)},
    {"returned", "J", offsetof(rh_haptic_now, returned)},
    {"collisions", "1", offsetof(rh_haptic_now, collisions)},
    {"pulled", "1", offsetof(rh_haptic_now, pulled)},
};

// Quantities of the engine stepping of its last step, and of checked ones
static const struct {
  const char *name, *unit;
  size_t offset;
} solver_row[] = {
    {"residual", "m/s", offsetof(rh_solver_now, residual)},
    {"undetermined", "1", offsetof(rh_solver_now, undetermined)},
    {"several", "1", offsetof(rh_solver_now, several)},
    {"unknown", "1", offsetof(rh_solver_now, unknown)},
    {"judged", "1", offsetof(rh_solver_now, checked)},
    {"sweeps", "1", offsetof(rh_solver_now, sweeps)},
    {"newton", "1", offsetof(rh_solver_now, newton)},
    {"contacts", "1", offsetof(rh_solver_now, contacts)},
    {"islands", "1", offsetof(rh_solver_now, islands)},
};

// Without memory it only counts.
// NOLINTNEXTLINE(readability-function-size): one call a channel, all it has
static void add_channel(rh_channels *c, source from, int index, int axis, const char *unit,
                        const char *owner, const char *what)
{
  if (c->channel) {
    channel *x = &c->channel[c->count];
    snprintf(x->name, sizeof x->name, "%s%s%s", owner, owner[0] ? "." : "", what);
    x->unit = unit;
    x->source = from;
    x->index = index;
    x->axis = axis;
  }
  c->count++;
}

static void add_joint(rh_channels *c, const rh_model *m, int i)
{
  const rh_model_body *b = &m->body[i];
  const char *owner = rh_model_name(m, RH_OBJECT_JOINT, i);
  char coord[8];
  char name[12];
  for (int j = 0; j < b->joint->nq; j++) {
    rh_channel_word(b->joint->coord, j, coord, sizeof coord);
    bool quaternion = !b->joint->scalar && coord[0] == 'q';
    add_channel(c, FROM_Q, b->qadr + j, 0,
                quaternion ? "1" : rh_channel_joint_unit(b->joint, j, false), owner, coord);
  }
  for (int j = 0; j < b->nv; j++) {
    const char *unit = rh_channel_joint_unit(b->joint, j, true);
    rh_channel_word(b->joint->coord, j, coord, sizeof coord);
    if (!b->joint->scalar) { // vx vy vz, wx wy wz
      snprintf(name, sizeof name, "%c%s", unit[0] == 'm' ? 'v' : 'w', xyz[j % 3]);
    } else {
      snprintf(name, sizeof name, "v%s", strcmp(coord, "q") == 0 ? "" : coord);
    }
    add_channel(c, FROM_V, b->vadr + j, 0, unit, owner, name);
  }
}

static void add_axes(rh_channels *c, source from, int index, const char *unit, const char *owner,
                     const char *prefix)
{
  for (int axis = 0; axis < 3; axis++) {
    char name[12];
    snprintf(name, sizeof name, "%s%s", prefix, xyz[axis]);
    add_channel(c, from, index, axis, unit, owner, name);
  }
}

// Points by their place, the integrals for all points of the contact together.
static void add_contacts(rh_channels *c, const rh_model *m)
{
  for (int k = 0; k < m->ncontact; k++) {
    const char *name = rh_model_name(m, RH_OBJECT_CONTACT, k);
    int places = m->contact[k].places;
    int rows = RH_COUNT(contact_row) - (m->run.engine->checks_solution ? 0 : 1);
    for (int p = 0; p < places; p++) {
      char owner[RH_NAME_MAX + 12];
      snprintf(owner, sizeof owner, places > 1 ? "%s.%d" : "%s", name, p);
      for (int i = 0; i < rows; i++) {
        add_channel(c, FROM_CONTACT, k * RH_PLACES_MAX + p, i, contact_row[i].unit, owner,
                    contact_row[i].name);
      }
    }
    for (int i = 0; places > 0 && i < RH_CONTACT_WORK_COUNT; i++) {
      add_channel(c, FROM_CONTACT_WORK, k, i, "J", name, work_name[i]);
    }
  }
}

static void add_haptic(rh_channels *c)
{
  static const char *const axis[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
  for (int k = 0; k < RH_COUNT(haptic_wrench); k++) {
    for (int i = 0; i < RH_COUNT(axis); i++) {
      char name[24];
      snprintf(name, sizeof name, "%s_%s", haptic_wrench[k].name, axis[i]);
      add_channel(c, FROM_HAPTIC, (int)(haptic_wrench[k].offset / sizeof(double)) + i, 0,
                  i < 3 ? "N" : "N m", "haptic", name);
    }
  }
  for (int k = 0; k < RH_COUNT(haptic_row); k++) {
    add_channel(c, FROM_HAPTIC, (int)(haptic_row[k].offset / sizeof(double)), 0, haptic_row[k].unit,
                "haptic", haptic_row[k].name);
  }
}

static void add_loops(rh_channels *c, const rh_model *m)
{
  for (int i = 0; i < m->nloop - m->layout.nconstraint; i++) {
    const char *owner = rh_model_name(m, RH_OBJECT_LOOP, i);
    const rh_loop_kind *kind = m->loop[i].kind;
    add_axes(c, FROM_LOOP, RH_LOOP_ROWS * i, "N", owner, "f");
    add_channel(c, FROM_LOOP_GAP, i, 0, "m", owner, "gap");
    if (kind->nrow > kind->nplace) {
      add_axes(c, FROM_LOOP, RH_LOOP_ROWS * i + 3, "N m", owner, "t");
      add_channel(c, FROM_LOOP_GAP, i, 1, "rad", owner, "turn");
    }
  }
}

// Rows of constraints: force and error of the velocity
static void add_constraints(rh_channels *c, const rh_model *m)
{
  int first = m->nloop - m->layout.nconstraint;
  for (int r = m->layout.nlooprow; r < m->layout.nrow; r++) {
    int row;
    int i = rh_loop_of_row(m, r, &row);
    const rh_model_loop *l = &m->loop[i];
    const char *owner = rh_model_name(m, RH_OBJECT_CONSTRAINT, i - first);
    bool turns = false;
    if (l->a == 0 && l->b == 0) { // between joints: in the unit of the first
      const rh_model_body *b = &m->body[m->dof[l->dof[0]].body];
      turns = strcmp(rh_channel_joint_unit(b->joint, l->dof[0] - b->vadr, false), "rad") == 0;
    }
    char text[2][32];
    snprintf(text[0], sizeof text[0], "force%d", row + 1);
    snprintf(text[1], sizeof text[1], "slip%d", row + 1);
    add_channel(c, FROM_CONSTRAINT, r, RH_LOOP_ROWS * (int)(l - m->loop) + row, turns ? "N m" : "N",
                owner, text[0]);
    add_channel(c, FROM_CONSTRAINT_SLIP, r, 0, turns ? "rad/s" : "m/s", owner, text[1]);
  }
}

static void add_actuator(rh_channels *c, const rh_model *m, int i)
{
  const rh_model_actuator *a = &m->actuator[i];
  const char *owner = rh_model_name(m, RH_OBJECT_ACTUATOR, i);
  bool turns = false;
  bool scalar = true;
  if (a->tendon == RH_NONE) {
    const rh_model_body *b = &m->body[m->dof[a->dof].body];
    turns = strcmp(rh_channel_joint_unit(b->joint, a->dof - b->vadr, false), "rad") == 0;
    scalar = m->dof[a->dof].coord != RH_NONE;
  }
  add_channel(c, FROM_ACTUATOR, i, 0, turns ? "N m" : "N", owner, "effort");
  if (a->state != RH_NONE) {
    add_channel(c, FROM_ACTIVATION, i, 0, "1", owner, "state");
  }
  if (scalar) {
    add_channel(c, FROM_TARGET, i, 0, turns ? "rad" : "m", owner, "target");
  }
}

static void add_tendons(rh_channels *c, const rh_model *m)
{
  for (int i = 0; i < m->tendons.n; i++) {
    const char *owner = rh_model_name(m, RH_OBJECT_TENDON, i);
    add_channel(c, FROM_TENDON, i, 0, "m", owner, "length");
    add_channel(c, FROM_TENDON, i, 1, "m/s", owner, "speed");
    add_channel(c, FROM_TENDON, i, 2, "N", owner, "force");
  }
}

static void add_sensors(rh_channels *c, const rh_model *m)
{
  for (int i = 0; i < m->sensors.n; i++) {
    const rh_model_sensor *s = &m->sensors.of[i];
    const rh_model_body *b = &m->body[s->body];
    for (int k = 0; k < s->kind->width; k++) {
      const char *unit = s->kind->unit[k];
      bool of_joint = strncmp(unit, "joint", 5) == 0;
      unit = of_joint ? rh_channel_joint_unit(b->joint, s->dof - b->vadr, unit[5] != 0) : unit;
      add_channel(c, FROM_SENSOR, i, k, unit, rh_model_name(m, RH_OBJECT_SENSOR, i),
                  s->kind->part[k]);
    }
  }
}

static void add_all(rh_channels *c, const rh_model *m)
{
  add_channel(c, FROM_TIME, 0, 0, "s", "", "t");
  for (int i = 1; i < m->nbody; i++) {
    add_joint(c, m, i);
  }
  for (int i = 1; i < m->nbody; i++) {
    add_axes(c, FROM_BODY, i, "m", rh_model_name(m, RH_OBJECT_BODY, i), "p");
  }
  for (int i = 0; i < m->npoint; i++) {
    add_axes(c, FROM_POINT, i, "m", rh_model_name(m, RH_OBJECT_POINT, i), "");
    add_axes(c, FROM_POINT_VELOCITY, i, "m/s", rh_model_name(m, RH_OBJECT_POINT, i), "v");
  }
  for (int i = 0; i < m->nactuator; i++) {
    add_actuator(c, m, i);
  }
  for (int i = 0; i < RH_COUNT(ledger_row); i++) {
    add_channel(c, FROM_LEDGER, i, 0, "J", "energy", ledger_row[i].name);
  }
  add_contacts(c, m);
  add_loops(c, m);
  add_constraints(c, m);
  add_tendons(c, m);
  add_sensors(c, m);
  if (m->haptic.on) {
    add_haptic(c);
  }
  for (int i = 0; m->run.engine->checks_solution && i < RH_COUNT(solver_row); i++) {
    add_channel(c, FROM_SOLVER, (int)(solver_row[i].offset / sizeof(double)), 0, solver_row[i].unit,
                "solver", solver_row[i].name);
  }
  if (m->run.hand) {
    add_axes(c, FROM_HAND, 0, "N", "drag", "");
    add_axes(c, FROM_HAND_TARGET, 0, "m", "drag", "target_");
  }
  add_axes(c, FROM_COM, 0, "m", "com", "");
  add_axes(c, FROM_MOMENTUM, 0, "N s", "momentum", "");
  add_axes(c, FROM_SPIN, 0, "N m s", "spin", "");
}

static bool name_before(const void *items, int i, int j)
{
  const channel *x = items;
  return strcmp(x[i].name, x[j].name) < 0;
}

rh_channels *rh_channels_create(const rh_model *model)
{
  rh_channels counted = {0};
  add_all(&counted, model);
  size_t n = (size_t)counted.count;
  rh_channels *c = rh_alloc(sizeof *c + n * (sizeof(channel) + 2 * sizeof(int)));
  if (!c) {
    return NULL;
  }
  c->channel = (channel *)(c + 1);
  c->order = (int *)(c->channel + n);
  add_all(c, model);
  for (int i = 0; i < c->count; i++) {
    c->order[i] = i;
  }
  rh_sort_order(c->order, c->count, c->order + n, name_before, c->channel);
  return c;
}

void rh_channels_destroy(rh_channels *channels)
{
  rh_free(channels);
}

int rh_channels_count(const rh_channels *c)
{
  return c->count;
}

const char *rh_channel_name(const rh_channels *c, int index)
{
  RH_ASSERT(index >= 0 && index < c->count);
  return c->channel[index].name;
}

const char *rh_channel_unit(const rh_channels *c, int index)
{
  RH_ASSERT(index >= 0 && index < c->count);
  return c->channel[index].unit;
}

rh_channel_group_id rh_channel_group(const rh_channels *c, int index)
{
  static const rh_channel_group_id group[] = {
      [FROM_TIME] = RH_CHANNEL_GROUP_COUNT,
      [FROM_Q] = RH_CHANNEL_GROUP_JOINTS,
      [FROM_V] = RH_CHANNEL_GROUP_JOINTS,
      [FROM_BODY] = RH_CHANNEL_GROUP_BODIES,
      [FROM_POINT] = RH_CHANNEL_GROUP_POINTS,
      [FROM_POINT_VELOCITY] = RH_CHANNEL_GROUP_POINTS,
      [FROM_ACTUATOR] = RH_CHANNEL_GROUP_ACTUATORS,
      [FROM_TARGET] = RH_CHANNEL_GROUP_ACTUATORS,
      [FROM_ACTIVATION] = RH_CHANNEL_GROUP_ACTUATORS,
      [FROM_LEDGER] = RH_CHANNEL_GROUP_ENERGY,
      [FROM_COM] = RH_CHANNEL_GROUP_TOTALS,
      [FROM_MOMENTUM] = RH_CHANNEL_GROUP_TOTALS,
      [FROM_SPIN] = RH_CHANNEL_GROUP_TOTALS,
      [FROM_CONTACT] = RH_CHANNEL_GROUP_DETAILS,
      [FROM_CONTACT_WORK] = RH_CHANNEL_GROUP_DETAILS,
      [FROM_HAPTIC] = RH_CHANNEL_GROUP_HAPTIC,
      [FROM_HAND] = RH_CHANNEL_GROUP_HAND,
      [FROM_HAND_TARGET] = RH_CHANNEL_GROUP_HAND,
      [FROM_LOOP] = RH_CHANNEL_GROUP_LOOPS,
      [FROM_LOOP_GAP] = RH_CHANNEL_GROUP_LOOPS,
      [FROM_SOLVER] = RH_CHANNEL_GROUP_SOLVER,
      [FROM_CONSTRAINT] = RH_CHANNEL_GROUP_LOOPS,
      [FROM_CONSTRAINT_SLIP] = RH_CHANNEL_GROUP_LOOPS,
      [FROM_TENDON] = RH_CHANNEL_GROUP_ACTUATORS,
      [FROM_SENSOR] = RH_CHANNEL_GROUP_SENSORS,
  };
  RH_ASSERT(index >= 0 && index < c->count);
  const channel *x = &c->channel[index];
  bool chief = x->source == FROM_CONTACT && contact_row[x->axis].chief;
  return chief ? RH_CHANNEL_GROUP_CONTACTS : group[x->source];
}

int rh_channel_find(const rh_channels *c, const char *name)
{
  int lo = 0;
  int hi = c->count;
  while (lo < hi) {
    int middle = lo + (hi - lo) / 2;
    if (strcmp(c->channel[c->order[middle]].name, name) < 0) {
      lo = middle + 1;
    } else {
      hi = middle;
    }
  }
  return lo < c->count && strcmp(c->channel[c->order[lo]].name, name) == 0 ? c->order[lo] : RH_NONE;
}

static double component_along(rh_vec3 a, int axis)
{
  return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

// A place of a contact without a point has zeros.
static double contact_value(const channel *x, const rh_data *d)
{
  int contact = x->index / RH_PLACES_MAX;
  int place = x->index % RH_PLACES_MAX;
  for (int k = 0; k < d->ncontact; k++) {
    if (d->contact[k].on && d->contact[k].rule == contact && d->slot[k].place == place) {
      return *(const double *)(const void *)((const char *)&d->contact[k] +
                                             contact_row[x->axis].offset);
    }
  }
  return 0;
}

static double contact_work(const channel *x, const rh_data *d)
{
  double sum = d->past[x->index * RH_CONTACT_WORK_COUNT + x->axis];
  for (int k = 0; k < rh_slots_used(d); k++) {
    if (d->slot[k].used != 0 && d->slot[k].contact == x->index) {
      sum += d->s[k * RH_SLOT_STATES + RH_SLOT_WORK + x->axis];
    }
  }
  return sum;
}

// Distance of the ends of a loop from their places: of positions, or of attitudes.
static double loop_gap(const channel *x, const rh_data *d)
{
  rh_loop_row row[RH_LOOP_ROWS];
  rh_loop_stand(d, x->index, row);
  return rh_loop_open(d->model->loop[x->index].kind, row, x->axis == 1);
}

// As a step found it, or as it is now
static double loop_force(const channel *x, const rh_data *d)
{
  double f[6];
  int at = x->index + x->axis;
  if (d->model->layout.nlooprow == 0) {
    return d->loop[at];
  }
  rh_loop_force(d, at / RH_LOOP_ROWS, f);
  return f[at % RH_LOOP_ROWS];
}

static double tendon_value(const channel *x, const rh_data *d)
{
  const rh_tendon_now *now = &d->dyn.tendon[x->index];
  return x->axis == 0   ? now->length
         : x->axis == 1 ? now->speed
                        : rh_tendon_force(d, x->index) + rh_tendon_effort(d, x->index);
}

static double read_one(const channel *x, const rh_data *d, const rh_ledger *ledger)
{
  const rh_model_point *point = d->model->point;
  switch (x->source) {
  case FROM_TIME:
    return *d->t;
  case FROM_Q:
    return d->q[x->index];
  case FROM_V:
    return d->v[x->index];
  case FROM_BODY:
    return component_along(d->kin[x->index].p, x->axis);
  case FROM_POINT:
    return component_along(rh_point_position(d, point[x->index].body, point[x->index].at), x->axis);
  case FROM_POINT_VELOCITY:
    return component_along(rh_point_velocity(d, point[x->index].body, point[x->index].at), x->axis);
  case FROM_ACTUATOR:
    return rh_actuator_effort(d, x->index);
  case FROM_ACTIVATION:
    return rh_activation(d, x->index);
  case FROM_TARGET:
    return rh_actuator_target(d, x->index);
  case FROM_LEDGER:
    return *(const double *)(const void *)((const char *)ledger + ledger_row[x->index].offset);
  case FROM_CONTACT:
    return contact_value(x, d);
  case FROM_CONTACT_WORK:
    return contact_work(x, d);
  case FROM_HAPTIC:
    return ((const double *)(const void *)d->haptic)[x->index];
  case FROM_SOLVER:
    return ((const double *)(const void *)d->solver)[x->index];
  case FROM_HAND:
    return component_along(rh_hand_force(d), x->axis);
  case FROM_HAND_TARGET:
    return d->hand->target[x->axis];
  case FROM_LOOP:
    return loop_force(x, d);
  case FROM_LOOP_GAP:
    return loop_gap(x, d);
  case FROM_CONSTRAINT: // as a step found it, or as it is now
    return d->model->run.engine->keeps_contacts ? d->loop[x->axis] : d->dyn.rows->force[x->index];
  case FROM_CONSTRAINT_SLIP:
    return d->dyn.rows->u[x->index];
  case FROM_TENDON:
    return tendon_value(x, d);
  case FROM_SENSOR:
    return rh_sensor_value(d, x->index, x->axis);
  case FROM_COM:
    return component_along(rh_centre_of_mass(d), x->axis);
  case FROM_MOMENTUM:
    return component_along(rh_momentum(d).lin, x->axis);
  case FROM_SPIN:
    return component_along(rh_momentum(d).ang, x->axis);
  }
  return 0;
}

void rh_channels_read(const rh_channels *c, rh_data *data, const int *index, int n, double *value)
{
  rh_ledger ledger = rh_ledger_read(data); // kinematics come with it
  if (data->model->nrigid > 0 || data->dyn.rows || data->model->sensors.motion) {
    data->model->run.engine->evaluate(data); // forces of rigid contacts come with accelerations
  } else {
    rh_loads(data);
    rh_contacts(data);
  }
  rh_sensors_prepare(data);
  for (int i = 0; i < n; i++) {
    value[i] = read_one(&c->channel[index[i]], data, &ledger);
  }
}
