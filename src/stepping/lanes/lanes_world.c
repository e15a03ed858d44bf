// Worlds brought into lanes and back: the state of each tree of a world, and what a step leaves beside it.
#include "lanes.h"

#include <math.h>
#include <string.h>

bool rh_lanes_world_fits(const rh_lanes *lanes, const rh_sim *sim)
{
  const rh_step_world *w = sim->engine;
  bool runs = sim->started && !sim->resumed && !sim->stop && !sim->failed && !sim->refused &&
              !sim->check_due && !sim->view && !sim->observer.poll;
  bool zero = runs && sim->model == lanes->model && !w->full;
  const double *f = (const double *)(const void *)sim->data->fext;
  for (int i = 0; zero && i < 6 * sim->model->nbody; i++) {
    zero = f[i] == 0;
  }
  for (int k = 0; zero && k < sim->model->nv; k++) {
    zero = sim->data->hold[k] != RH_HOLD_LOCK;
  }
  for (int i = 0; zero && i < sim->model->nforce; i++) {
    zero = sim->data->acting[i] == 0;
  }
  return zero;
}

static void write_lane(lane_place to, int at, const double *from, int n)
{
  for (int i = 0; i < n; i++) {
    to.x[(size_t)(at + i) * (size_t)to.width] = from[i];
  }
}

static void read_lane(lane_place from, int at, double *to, int n)
{
  for (int i = 0; i < n; i++) {
    to[i] = from.x[(size_t)(at + i) * (size_t)from.width];
  }
}

static double number_at(lane_place from, int at)
{
  return from.x[(size_t)at * (size_t)from.width];
}

lane_place rh_lanes_tree_place(const rh_lanes *lanes, lane_place at, int tree)
{
  size_t skip = (size_t)tree * LANE_STATE * (size_t)at.width;
  return (lane_place){rh_lanes_table(lanes, tree), at.x + skip, at.width};
}

int rh_lanes_find_slot(const rh_data *d, int k, int used, const lane_pair *pair)
{
  while (k < used &&
         (d->slot[k].a != pair->a || d->slot[k].b != pair->b || d->slot[k].id != pair->id)) {
    k++;
  }
  return k;
}

static void load_slots(const rh_data *d, lane_place to)
{
  static const double none[3 * LANE_PAIRS] = {0};
  const lane_table *t = to.t;
  int used = rh_slots_used(d);
  int k = 0;
  write_lane(to, LANE_FORCE, none, 3 * t->npair);
  write_lane(to, LANE_SINCE, none, t->npair);
  for (int i = 0; i < t->npair && k < used; i++) {
    int at = rh_lanes_find_slot(d, k, used, &t->pair[i]);
    if (at < used) {
      const rh_slot *s = &d->slot[at];
      write_lane(to, LANE_FORCE + 3 * i, d->s + (size_t)at * RH_SLOT_STATES, 3);
      write_lane(to, LANE_SINCE + i, &s->since, 1);
      write_lane(to, LANE_POINT + 3 * i, s->at, 3);
      k = at + 1;
    }
  }
}

// What controllers ask of an actuator until they decide again (loads.c, ask_controllers)
static double effort_asked(const rh_data *d, int actuator)
{
  double sum = 0;
  for (int i = 0; i < d->model->ncontroller; i++) {
    sum += d->drive[(size_t)i * (size_t)d->model->nactuator + (size_t)actuator];
  }
  return sum;
}

// [s] the next frame or moment, about: a step that ends there is the world's own
static double time_due(const rh_sim *sim)
{
  double frame = (double)sim->frame * sim->model->run.every;
  double moment = sim->next < sim->nqueue ? sim->queue[sim->next].t : HUGE_VAL;
  double decision = sim->model->ncontroller > 0 ? rh_control_next(sim->data) : HUGE_VAL;
  return fmin(frame, fmin(moment, decision));
}

// The energies of a world of several trees are with the first one.
static void load_energies(const rh_lanes *lanes, const rh_data *d, lane_place to)
{
  if (to.t->tree == 0) {
    write_lane(to, lanes->trees > 1 ? LANE_ALL : LANE_BASE, &d->energy_base[1], 1);
    write_lane(to, LANE_WORK, d->work, to.t->nwork);
  }
}

static void load_tree(const rh_lanes *lanes, const rh_sim *sim, lane_place to)
{
  static const double zero[LANE_BASE] = {0};
  rh_step_world *w = sim->engine;
  const lane_table *t = to.t;
  rh_data *d = w->d;
  double v[LANE_DOFS];
  double tau[LANE_DOFS];
  double shown = time_due(sim) - 1e-9 * w->par.dt;
  double pressed = w->body[1 + t->tree].pressed;
  w->trees.tree[t->tree].stands = false;
  for (int j = 0; j < t->ndof; j++) {
    v[j] = d->v[t->dof[j].v];
    tau[j] = d->tau[t->dof[j].v];
  }
  write_lane(to, 0, zero, LANE_BASE);
  write_lane(to, LANE_BASE, zero, LANE_SLIDE - LANE_BASE);
  write_lane(to, LANE_T, d->t, 1);
  write_lane(to, LANE_UNTIL, &shown, 1);
  write_lane(to, LANE_PRESSED, &pressed, 1);
  write_lane(to, LANE_DEEPEST, &w->worker[0].tally.deepest, 1);
  write_lane(to, LANE_LOAD, &w->worker[0].tally.largest_load, 1);
  write_lane(to, LANE_IMPACT, &w->worker[0].tally.largest_impact, 1);
  load_energies(lanes, d, to);
  write_lane(to, LANE_Q, d->q + t->first_q, t->nq);
  write_lane(to, LANE_V, v, t->ndof);
  write_lane(to, LANE_TAU, tau, t->ndof);
  for (int i = 0; i < t->nrule; i++) {
    write_lane(to, LANE_SLIDE + i, &d->past[t->rule[i] * RH_CONTACT_WORK_COUNT + RH_CONTACT_SLIDE],
               1);
  }
  for (int i = 0; i < t->nact; i++) {
    const rh_command *c = &d->command[t->act[i].index];
    const double number[LANE_COMMAND_SIZE] = {
        c->effort, c->kp,    c->kd,    c->target,
        c->rate,   c->accel, c->since, effort_asked(d, t->act[i].index)};
    write_lane(to, LANE_COMMAND + LANE_COMMAND_SIZE * i, number, LANE_COMMAND_SIZE);
  }
  load_slots(d, to);
}

void rh_lanes_load(const rh_lanes *lanes, const rh_sim *sim, lane_place at)
{
  rh_step_world *w = sim->engine;
  if (w->fresh) { // as rh_step_load_state; kinematics are made in lanes
    rh_slots_pack(w->d);
    w->contacts.nrow = 0;
    for (int k = 0; k < lanes->trees; k++) {
      w->trees.tree[k].held = false;
    }
    w->fresh = false;
  }
  for (int k = 0; k < lanes->trees; k++) {
    load_tree(lanes, sim, rh_lanes_tree_place(lanes, at, k));
  }
}

static void keep_slot(rh_data *d, int k, const lane_table *t, lane_place from, int i)
{
  const lane_pair *pair = &t->pair[i];
  double *states = d->s + (size_t)k * RH_SLOT_STATES;
  rh_slot *s = &d->slot[k];
  memset(states, 0, RH_SLOT_STATES * sizeof *states);
  read_lane(from, LANE_FORCE + 3 * i, states + RH_SLOT_FRICTION, 3);
  *s = (rh_slot){.used = 1,
                 .a = pair->a,
                 .b = pair->b,
                 .id = pair->id,
                 .contact = t->rule[pair->rule],
                 .mode = RH_CLOSED_STICK,
                 .since = number_at(from, LANE_SINCE + i),
                 .n = {pair->n[0], pair->n[1], pair->n[2]}};
  read_lane(from, LANE_POINT + 3 * i, s->at, 3);
}

// The next pair of a tree that carried a force, from `i` on
static int next_loaded(lane_place from, int i)
{
  for (; i < from.t->npair; i++) {
    double f[3];
    read_lane(from, LANE_FORCE + 3 * i, f, 3);
    if (f[0] * f[0] + f[1] * f[1] + f[2] * f[2] > 0) {
      break;
    }
  }
  return i;
}

// The contacts that carried a force, in the order of their shapes (contact_memory.c)
static void store_slots(const rh_lanes *lanes, rh_data *d, lane_place at)
{
  double place[LANE_TREES][LANE_RULES] = {{0}};
  int next[LANE_TREES];
  int k = 0;
  for (int tree = 0; tree < lanes->trees; tree++) {
    next[tree] = next_loaded(rh_lanes_tree_place(lanes, at, tree), 0);
  }
  for (;;) {
    int first = -1; // the tree whose pair is the first one
    for (int tree = 0; tree < lanes->trees; tree++) {
      const lane_table *t = rh_lanes_table(lanes, tree);
      const lane_pair *x = first < 0 ? NULL : &rh_lanes_table(lanes, first)->pair[next[first]];
      if (next[tree] < t->npair && (!x || t->pair[next[tree]].order < x->order)) {
        first = tree;
      }
    }
    if (first < 0) {
      break;
    }
    lane_place from = rh_lanes_tree_place(lanes, at, first);
    keep_slot(d, k, from.t, from, next[first]);
    d->slot[k++].place = place[first][from.t->pair[next[first]].rule]++;
    next[first] = next_loaded(from, next[first] + 1);
  }
  rh_slots_end(d, k);
}

static void store_counts(rh_step_world *w, lane_place from)
{
  rh_step_counts *own = &w->worker[0].tally;
  own->sweeps += (long)number_at(from, LANE_SWEEPS);
  own->newton += (long)number_at(from, LANE_NEWTON);
  own->deepest = fmax(own->deepest, number_at(from, LANE_DEEPEST));
  own->largest_load = fmax(own->largest_load, number_at(from, LANE_LOAD));
  own->largest_impact = fmax(own->largest_impact, number_at(from, LANE_IMPACT));
  w->tally.steps += from.t->tree == 0 ? (long)number_at(from, LANE_STEPS) : 0;
  w->tally.contacts += (long)number_at(from, LANE_MEETINGS);
}

static void show_counts(rh_step_world *w)
{
  rh_impact_stats *seen = &w->sim->impact;
  const rh_step_counts *own = &w->worker[0].tally;
  w->tally.sweeps = own->sweeps;
  w->tally.newton = own->newton;
  w->tally.deepest = own->deepest;
  w->tally.largest_load = own->largest_load;
  w->tally.largest_impact = own->largest_impact;
  seen->deepest = fmax(seen->deepest, own->deepest);
  seen->peak = fmax(seen->peak, own->largest_load / w->par.dt);
  seen->impulse = fmax(seen->impulse, own->largest_impact);
}

static void store_tree(rh_step_world *w, lane_place from, rh_solver_now *now)
{
  const lane_table *t = from.t;
  rh_data *d = w->d;
  double v[LANE_DOFS];
  read_lane(from, LANE_Q, d->q + t->first_q, t->nq);
  read_lane(from, LANE_V, v, t->ndof);
  for (int j = 0; j < t->ndof; j++) {
    d->v[t->dof[j].v] = v[j];
  }
  for (int i = 0; i < t->nrule; i++) {
    read_lane(from, LANE_SLIDE + i, &d->past[t->rule[i] * RH_CONTACT_WORK_COUNT + RH_CONTACT_SLIDE],
              1);
  }
  store_counts(w, from);
  w->body[1 + t->tree].pressed = number_at(from, LANE_PRESSED) != 0;
  w->trees.tree[t->tree].stands = false;
  now->contacts += number_at(from, LANE_CONTACTS);
  now->islands += number_at(from, LANE_CONTACTS) > 0;
  now->sweeps += number_at(from, LANE_LAST);
  now->newton += number_at(from, LANE_LAST_NEWTON);
}

void rh_lanes_store(const rh_lanes *lanes, const rh_sim *sim, lane_place at)
{
  rh_step_world *w = sim->engine;
  rh_data *d = w->d;
  rh_solver_now now = {0};
  if (number_at(at, LANE_STEPS) == 0) {
    return;
  }
  read_lane(at, LANE_T, d->t, 1);
  read_lane(at, lanes->trees > 1 ? LANE_ALL : LANE_BASE, &d->energy_base[1], 1);
  read_lane(at, LANE_WORK, d->work, at.t->nwork);
  for (int k = 0; k < lanes->trees; k++) {
    store_tree(w, rh_lanes_tree_place(lanes, at, k), &now);
  }
  show_counts(w);
  store_slots(lanes, d, at);
  now.reported[0] = d->solver->reported[0];
  now.reported[1] = d->solver->reported[1];
  *d->solver = now;
}
