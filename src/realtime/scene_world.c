// scene_world.c: a scene as the loop's world. rh_sim_run runs it, tick by tick, so that frames,
// events, moments and controllers are those of `routh run`, bit for bit; only the hand is inserted.
#include "live.h"

#include <math.h>
#include <string.h>

struct rh_scene_world {
  const rh_model *model;
  rh_sim *sim;
  rh_haptic_link *link;
  rh_keeper *keeper;
  double dt, until;
  long ticks; // done
  bool over;  // an event of the scene ended the run
};

static rh_status on_frame(void *user, const rh_sim *sim, long index)
{
  (void)index;
  rh_scene_world *w = user;
  if (w->keeper != NULL) {
    rh_keeper_frame(w->keeper, rh_sim_view(sim)->state);
  }
  return RH_OK;
}

static rh_status on_event(void *user, const rh_sim *sim, const rh_event *event)
{
  (void)sim;
  rh_scene_world *w = user;
  if (w->keeper != NULL) {
    rh_keeper_event(w->keeper, event);
  }
  w->over = w->over || event->kind == RH_EVENT_STOP;
  return RH_OK;
}

rh_status rh_scene_world_open(const rh_model *model, double until, rh_diag *diag,
                              rh_scene_world **world)
{
  rh_scene_world *w = rh_alloc(sizeof *w);
  *world = w;
  if (w == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  w->model = model;
  w->until = until;
  rh_status status = rh_sim_create(model, diag, &w->sim);
  w->link = status == RH_OK ? rh_haptic_link_of(w->sim) : NULL;
  if (status == RH_OK && w->link == NULL) {
    rh_diag_add(diag, RH_ERROR, RH_NOWHERE,
                "the real-time loop needs run.engine: haptic, and a section haptic");
    status = RH_INPUT_REFUSED;
  }
  if (status != RH_OK) {
    rh_scene_world_close(w);
    *world = NULL;
    return status;
  }
  w->dt = rh_haptic_dt(w->link->h);
  rh_observer observer = {.user = w, .frame = on_frame, .event = on_event};
  rh_sim_observe(w->sim, &observer);
  return RH_OK;
}

void rh_scene_world_keep(rh_scene_world *w, rh_keeper *keeper)
{
  w->keeper = keeper;
  (void)rh_sim_run(w->sim, 0);
}

long rh_scene_world_ticks(const rh_scene_world *w)
{
  return isfinite(w->until) ? (long)ceil(w->until / w->dt * (1 - 1e-12) - 1e-9) : -1;
}

// ---- In the loop's thread

static rh_status tick_scene_world(void *user, const rh_hand_in *hand, rh_haptic_out *out,
                                  bool *over)
{
  rh_scene_world *w = user;
  w->link->in = hand;
  w->ticks++;
  rh_status status = rh_sim_run(w->sim, (double)w->ticks * w->dt);
  w->link->in = NULL;
  *out = w->link->out;
  *over = w->over;
  return status;
}

static void read_device_pose(void *user, double pose[7], double twist[6])
{
  const rh_scene_world *w = user;
  rh_data *d = rh_sim_data(w->sim);
  const rh_model_haptic *k = &w->model->haptic;
  rh_kinematics(d);
  const rh_kin_body *b = &d->kin[k->device != RH_NONE ? k->device : k->tool];
  rh_quat q = rh_quat_of_matrix(&b->R);
  const double place[7] = {b->p.x, b->p.y, b->p.z, q.w, q.x, q.y, q.z};
  const double rate[6] = {b->v.lin.x, b->v.lin.y, b->v.lin.z, b->v.ang.x, b->v.ang.y, b->v.ang.z};
  memcpy(pose, place, sizeof place);
  memcpy(twist, rate, sizeof rate);
}

// Force of a contact: that of its law, or its impulse over the tick
static rh_vec3 force_of(const rh_haptic_contact *c, double dt)
{
  const rh_contact *con = &c->contact;
  rh_vec3 f = rh_scale(c->struck ? c->p / dt : 0, con->n);
  if (con->on) {
    f = rh_addscaled(f, con->normal, con->n);
    f = rh_addscaled(f, con->friction[0], con->t1);
    f = rh_addscaled(f, con->friction[1], con->t2);
  }
  return f;
}

static void fill_view(void *user, rh_view *v)
{
  const rh_scene_world *w = user;
  int n = 0;
  const rh_haptic_contact *c = rh_haptic_contacts(w->link->h, &n);
  v->ncontact = n < RH_VIEW_CONTACTS ? n : RH_VIEW_CONTACTS;
  for (int i = 0; i < v->ncontact; i++) {
    rh_vec3 at = c[i].contact.point;
    rh_vec3 f = force_of(&c[i], w->dt);
    const double entry[6] = {at.x, at.y, at.z, f.x, f.y, f.z};
    memcpy(v->contact[i], entry, sizeof entry);
  }
  memcpy(v->state, rh_sim_view(w->sim)->state, (size_t)w->model->layout.nstate * sizeof(double));
}

rh_live_world rh_scene_world_steps(rh_scene_world *w)
{
  return (rh_live_world){.user = w,
                         .nstate = w->model->layout.nstate,
                         .dt = w->dt,
                         .tick = tick_scene_world,
                         .device = read_device_pose,
                         .view = fill_view};
}

// ---- After the loop

rh_status rh_scene_world_end(rh_scene_world *w)
{
  return rh_sim_run(w->sim, w->until);
}

rh_sim *rh_scene_world_sim(rh_scene_world *w)
{
  return w->sim;
}

void rh_scene_world_close(rh_scene_world *w)
{
  if (w != NULL) {
    rh_sim_destroy(w->sim);
    rh_free(w);
  }
}
