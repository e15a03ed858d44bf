// footfalls.c: contacts of a walking robot's feet with the ground. A footfall begins with the first
// touch of a foot that was in the air, and its landing ends when the controller considers the foot
// standing, 30 ms later at the earliest. On rigid ground a landing's impulse, work and centre of
// pressure are those of the impacts at that foot, from the events, without the ground forces
// between them. On compliant ground they are integrals of the forces, sampled at the controller's
// decisions and at events (with the force at the end of each interval), so they include the weight
// on the foot; the work is the dissipation of all contacts meanwhile. The mean centre of pressure
// is of the forces while the foot stood.
#include "footfalls.h"

#include "console/console.h"

#include "control/legs.h"
#include "control/walker.h"

#include <math.h>
#include <string.h>

#define QUIET   0.05 // [s] minimum time in the air
#define LANDING 0.03 // [s] minimum duration of a landing

void rh_footfalls_begin(rh_footfalls *f, const rh_model *m)
{
  *f = (rh_footfalls){0};
  for (int i = 0; i < m->ncontroller && f->nfoot == 0; i++) {
    const rh_model_controller *c = &m->controller[i];
    f->memory = c->memory;
    if (c->kind->walks) {
      f->nfoot = 2;
      f->foot[0] = c->left;
      f->foot[1] = c->right;
      (void)snprintf(f->name[0], sizeof f->name[0], "left");
      (void)snprintf(f->name[1], sizeof f->name[1], "right");
    } else if (c->kind->legs) {
      f->nfoot = c->nfoot;
      f->legs = true;
      for (int k = 0; k < c->nfoot; k++) {
        f->foot[k] = c->foot[k];
        (void)snprintf(f->name[k], sizeof f->name[k], "%s",
                       rh_model_name(m, RH_OBJECT_BODY, c->foot[k]));
      }
    }
  }
}

void rh_footfalls_end(rh_footfalls *f)
{
  rh_free(f->fall);
}

static int foot_of(const rh_footfalls *f, const rh_data *d, int slot)
{
  const rh_slot *s = &d->slot[slot];
  int a = d->model->shape[(int)s->a].body;
  int b = d->model->shape[(int)s->b].body;
  for (int foot = 0; foot < f->nfoot; foot++) {
    if (a == f->foot[foot] || b == f->foot[foot]) {
      return foot;
    }
  }
  return RH_NONE;
}

// The last footfall of a foot, NULL
static rh_footfall *latest_footfall(const rh_footfalls *f, int foot)
{
  for (long i = f->count - 1; i >= 0; i--) {
    if (f->fall[i].foot == foot) {
      return &f->fall[i];
    }
  }
  return NULL;
}

static double dissipated_energy(const rh_sim *sim)
{
  rh_ledger l = rh_sim_ledger(sim);
  return l.contact_damper + l.sliding;
}

static rh_vec3 in_foot(const rh_data *d, int body, const double at[3])
{
  const rh_kin_body *k = &d->kin[body];
  return rh_unrotate(&k->R, rh_sub(rh_v3(at[0], at[1], at[2]), k->p));
}

static rh_status begin_fall(rh_footfalls *f, const rh_sim *sim, const rh_event *event, int foot)
{
  const rh_data *d = rh_sim_view(sim);
  if (f->count == f->room) {
    long room = f->room == 0 ? 32 : 2 * f->room;
    rh_footfall *larger = rh_realloc(f->fall, (size_t)room * sizeof *larger);
    if (larger == NULL) {
      return RH_OUT_OF_MEMORY;
    }
    f->fall = larger;
    f->room = room;
  }
  const rh_slot *s = &d->slot[event->slot];
  const rh_kin_body *home = &d->kin[d->model->shape[(int)s->b].body];
  rh_vec3 n = rh_rotate(&home->R, rh_v3(s->n[0], s->n[1], s->n[2]));
  rh_vec3 v = rh_point_velocity(d, f->foot[foot], in_foot(d, f->foot[foot], event->point));
  f->fall[f->count++] = (rh_footfall){.t = event->t,
                                      .foot = foot,
                                      .slip = rh_norm(rh_addscaled(v, -rh_dot(v, n), n)),
                                      .landing = true};
  f->dissipated = dissipated_energy(sim);
  return RH_OK;
}

static void add_cop(double cop[2], rh_vec3 at, double weight)
{
  cop[0] += weight * at.x;
  cop[1] += weight * at.y;
}

static void add_impact(rh_footfall *fall, const rh_event *event, rh_vec3 at)
{
  fall->impulse += event->impulse;
  fall->friction += event->friction;
  fall->lost += event->Dn + event->Dt;
  fall->first += event->t == fall->t ? event->Dn + event->Dt : 0;
  fall->apart = fmax(fall->apart, event->after);
  add_cop(fall->cop, at, event->impulse);
}

rh_status rh_footfalls_event(rh_footfalls *f, const rh_sim *sim, const rh_event *event)
{
  const rh_data *d = rh_sim_view(sim);
  if (f->nfoot == 0 || event->slot == RH_NONE) {
    return RH_OK;
  }
  int foot = foot_of(f, d, event->slot);
  if (foot == RH_NONE) {
    return RH_OK;
  }
  if (event->kind == RH_EVENT_TOUCH) {
    if (f->stood[foot] && event->t - f->off[foot] > QUIET) {
      RH_TRY(begin_fall(f, sim, event, foot));
    }
    f->stood[foot] = true;
    f->off[foot] = event->t;
  }
  rh_footfall *fall = latest_footfall(f, foot);
  if (fall && fall->landing && event->kind == RH_EVENT_TOUCH) {
    fall->approach = fmax(fall->approach, event->before);
  }
  if (fall && fall->landing && event->kind == RH_EVENT_IMPACT) {
    add_impact(fall, event, in_foot(d, f->foot[foot], event->point));
  }
  return RH_OK;
}

// ---- Between steps

static void keep_velocity(rh_footfall *fall, const rh_kin_body *k)
{
  rh_keep(fall->v, k->v.lin);
  rh_keep(fall->w, k->v.ang);
}

// Forces since the last sample count with their present values.
static void add_force(rh_footfalls *f, const rh_data *d, const rh_contact *c, int foot, double dt)
{
  rh_footfall *fall = latest_footfall(f, foot);
  rh_vec3 at = in_foot(d, f->foot[foot], (double[3]){c->point.x, c->point.y, c->point.z});
  if (!fall) {
    return;
  }
  double push = c->normal * dt;
  fall->carried += push;
  add_cop(fall->mean, at, push);
  if (fall->landing && d->model->nrigid == 0) {
    fall->impulse += push;
    fall->friction += rh_hypot(c->friction[0], c->friction[1]) * dt;
    fall->apart = fmax(fall->apart, -c->rate);
    add_cop(fall->cop, at, push);
  }
}

typedef struct foot_state { // by the memory of the controller
  bool stands;
  const double *stand, *home; // [m] where it was put down, and at the start, ground axes
} foot_state;

static foot_state state_of_foot(const rh_footfalls *f, const rh_data *d, int foot)
{
  if (f->legs) {
    const rh_leg *leg = &((const rh_legs *)(d->memory + f->memory))->leg[foot];
    return (foot_state){leg->mode == RH_LEG_STANDS, leg->stand, leg->home};
  }
  const rh_walker_foot *x = &((const rh_walker *)(d->memory + f->memory))->foot[foot];
  return (foot_state){x->mode == RH_FOOT_STANDS, x->stand, x->home};
}

static double time_of_fall(const rh_footfalls *f, const rh_data *d)
{
  return f->legs ? ((const rh_legs *)(d->memory + f->memory))->fell
                 : ((const rh_walker *)(d->memory + f->memory))->fell;
}

static void end_landing(rh_footfalls *f, const rh_sim *sim, int foot, int points)
{
  const rh_data *d = rh_sim_view(sim);
  const foot_state now = state_of_foot(f, d, foot);
  rh_footfall *fall = latest_footfall(f, foot);
  if (!fall || !fall->landing) {
    return;
  }
  if (!fall->struck) {
    keep_velocity(fall, &d->kin[f->foot[foot]]);
    fall->struck = fall->first > 0;
  }
  if (now.stands && *d->t > fall->t + LANDING) {
    fall->landing = false;
    fall->points = points;
    for (int i = 0; i < 2; i++) {
      fall->at[i] = now.stand[i] - now.home[i];
    }
    fall->lost = d->model->nrigid == 0 ? dissipated_energy(sim) - f->dissipated : fall->lost;
  }
}

void rh_footfalls_look(rh_footfalls *f, const rh_sim *sim)
{
  rh_data *d = rh_sim_data((rh_sim *)sim);
  int points[RH_FEET_MAX] = {0};
  if (f->nfoot == 0) {
    return;
  }
  rh_kinematics(d);
  if (d->model->nrigid == 0) { // forces of rigid contacts are those of the last settling
    rh_loads(d);
    rh_contacts(d);
  }
  double dt = *d->t - f->last;
  f->last = *d->t;
  for (int i = 0; i < d->ncontact; i++) {
    int foot = d->contact[i].on ? foot_of(f, d, i) : RH_NONE;
    if (foot != RH_NONE) {
      points[foot]++;
      f->off[foot] = *d->t;
      add_force(f, d, &d->contact[i], foot, dt);
    }
  }
  for (int foot = 0; foot < f->nfoot; foot++) {
    end_landing(f, sim, foot, points[foot]);
  }
  f->fell = time_of_fall(f, d);
}

// ---- Printing

static double restitution_of(const rh_footfall *fall)
{
  return fall->approach > 0 ? fmax(fall->apart, 0) / fall->approach : 0;
}

static void pressure_centre(const double sum[2], double weight, double at[2])
{
  at[0] = weight > 0 ? sum[0] / weight : 0;
  at[1] = weight > 0 ? sum[1] / weight : 0;
}

void rh_footfalls_print(const rh_footfalls *f)
{
  if (f->nfoot == 0) {
    return;
  }
  puts("\nFootfalls");
  static const char *const head[] = {
      "t [s]",    "foot",     "points",   "at [m]", "speed [m/s]", "slip [m/s]",
      "pn [N s]", "pt [N s]", "lost [J]", "e",      "cop [m]",     "cop of the stance [m]"};
  rh_table *table = rh_table_headed(head, RH_COUNT(head), 0x3F5);
  for (long i = 0; i < f->count; i++) {
    const rh_footfall *fall = &f->fall[i];
    double cop[2];
    double mean[2];
    pressure_centre(fall->cop, fall->impulse, cop);
    pressure_centre(fall->mean, fall->carried, mean);
    rh_table_add(table, "%.4f", fall->t);
    rh_table_add(table, "%s", f->name[fall->foot]);
    rh_table_add(table, "%d", fall->points);
    rh_table_add(table, "%.3f %.3f", fall->at[0], fall->at[1]);
    rh_table_add(table, "%.4f", fall->approach);
    rh_table_add(table, "%.4f", fall->slip);
    rh_table_add(table, "%.4f", fall->impulse);
    rh_table_add(table, "%.4f", fall->friction);
    rh_table_add(table, "%.5f", fall->lost);
    rh_table_add(table, "%.3g", restitution_of(fall));
    rh_table_add(table, "%.3f %.3f", cop[0], cop[1]);
    rh_table_add(table, "%.3f %.3f", mean[0], mean[1]);
  }
  (void)rh_table_print(table, stdout, 2, false);
  rh_table_destroy(table);
  if (f->fell > 0) {
    printf("  fell at %.3f s\n", f->fell);
  } else {
    puts("  it did not fall");
  }
}

void rh_footfalls_json(const rh_footfalls *f, rh_json *json)
{
  if (f->nfoot == 0) {
    return;
  }
  rh_json_open_object(json, "walk");
  if (f->fell > 0) {
    rh_json_number(json, "fell", f->fell);
  } else {
    rh_json_null(json, "fell");
  }
  rh_json_open_array(json, "footfalls");
  for (long i = 0; i < f->count; i++) {
    const rh_footfall *fall = &f->fall[i];
    double cop[2];
    double mean[2];
    pressure_centre(fall->cop, fall->impulse, cop);
    pressure_centre(fall->mean, fall->carried, mean);
    rh_json_open_object(json, NULL);
    rh_json_number(json, "t", fall->t);
    rh_json_string(json, "foot", f->name[fall->foot]);
    rh_json_integer(json, "points", fall->points);
    rh_json_numbers(json, "at", fall->at, 2);
    rh_json_number(json, "speed", fall->approach);
    rh_json_number(json, "slip", fall->slip);
    rh_json_number(json, "impulse", fall->impulse);
    rh_json_number(json, "friction", fall->friction);
    rh_json_number(json, "lost", fall->lost);
    rh_json_number(json, "first_lost", fall->first);
    rh_json_number(json, "e", restitution_of(fall));
    rh_json_numbers(json, "cop", cop, 2);
    rh_json_numbers(json, "mean_cop", mean, 2);
    rh_json_numbers(json, "v_after", fall->v, 3);
    rh_json_numbers(json, "w_after", fall->w, 3);
    rh_json_close(json);
  }
  rh_json_close(json);
  rh_json_close(json);
}
