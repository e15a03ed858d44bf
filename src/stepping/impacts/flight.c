// Stage 9, places of impacts in an island of many free bodies: each flying body (nothing touches it)
// moves by itself to the place of its first impact, ahead of the others (impacts/groups.c).
#include "stepping/contact_kernels.h"

static rh_vec3 velocity_at(const rh_step_world *w, int i, rh_vec3 point)
{
  const rh_step_velocity *b = &w->velocity[i];
  return rh_add(rh_step_read_vec(b->v),
                rh_cross(rh_step_read_vec(b->w), rh_sub(point, w->body[i].x)));
}

static bool is_flying(const rh_step_world *w, int i)
{
  return i != 0 && w->body[i].flies;
}

// [s] of the step at which the gap of a touch closes; HUGE_VAL: not in the step, or slowly
static double closing_time(const rh_step_world *w, const rh_found_contact *t, double h)
{
  const rh_step_body *a = &w->body[t->ma];
  const rh_step_body *b = &w->body[t->mb];
  double now = fmax(a->ahead, b->ahead);
  rh_vec3 u = {0, 0, 0};
  double pull = 0;
  if (w->m->contact[t->rule].e == 0 || !(is_flying(w, t->ma) || is_flying(w, t->mb))) {
    return HUGE_VAL;
  }
  if (t->ma != 0) {
    u = velocity_at(w, t->ma, t->point);
    pull = a->flies ? rh_dot(t->n, a->a) : 0;
  }
  if (t->mb != 0) {
    u = rh_sub(u, velocity_at(w, t->mb, t->point));
    pull -= b->flies ? rh_dot(t->n, b->a) : 0;
  }
  return now + rh_step_closes(rh_step_slow(w, t), t->phi, rh_dot(t->n, u), pull, h - now);
}

// Is time t the next one of body i? Bodies that do not fly wait for the others.
static bool next_of(const rh_step_world *w, int i, double t)
{
  const rh_step_body *c = &w->body[i];
  return !is_flying(w, i) || (c->next == t && !c->stays);
}

// When the next gap of each flying body closes; two flying bodies must have the same impact. False:
// nothing moves any farther.
static bool find_times(rh_step_worker *worker, const rh_step_island *s, int n, double h)
{
  const rh_step_world *w = worker->world;
  bool any = false;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    rh_step_body *c = &w->body[w->member[k]];
    c->next = HUGE_VAL;
    c->strikes = false;
  }
  for (int k = 0; k < n; k++) {
    const rh_found_contact *x = &worker->again[k];
    double t = closing_time(w, x, h);
    if (is_flying(w, x->ma)) {
      w->body[x->ma].next = fmin(w->body[x->ma].next, t);
    }
    if (is_flying(w, x->mb)) {
      w->body[x->mb].next = fmin(w->body[x->mb].next, t);
    }
  }
  for (int k = 0; k < n; k++) {
    const rh_found_contact *x = &worker->again[k];
    double t = closing_time(w, x, h);
    const int body[2] = {x->ma, x->mb};
    bool meant = t < HUGE_VAL && next_of(w, x->ma, t) && next_of(w, x->mb, t);
    for (int i = 0; meant && i < 2; i++) {
      if (is_flying(w, body[i]) && t > w->body[body[i]].ahead) {
        w->body[body[i]].strikes = any = true;
      }
    }
  }
  return any;
}

static void go_there(rh_step_worker *worker, const rh_step_island *s)
{
  const rh_step_world *w = worker->world;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    rh_step_body *c = &w->body[w->member[k]];
    if (c->strikes) {
      rh_step_move_free(worker, w->member[k], c->next - c->ahead);
      c->ahead = c->next;
    }
    c->strikes = false;
  }
}

// Corrects the gap to a body that is less far ahead than the other to equal times.
static void level_gap(const rh_step_world *w, rh_found_contact *t)
{
  const rh_step_body *a = &w->body[t->ma];
  const rh_step_body *b = &w->body[t->mb];
  if (t->ma != 0 && a->ahead < b->ahead) {
    t->phi += (b->ahead - a->ahead) * rh_dot(t->n, velocity_at(w, t->ma, t->point));
  }
  if (t->mb != 0 && b->ahead < a->ahead) {
    t->phi -= (a->ahead - b->ahead) * rh_dot(t->n, velocity_at(w, t->mb, t->point));
  }
}

static int collide_again(rh_step_worker *worker, const rh_step_island *s, double h,
                         const rh_step_missed *late)
{
  const rh_step_world *w = worker->world;
  int n = rh_step_collide_island(worker, s, h, false, late);
  for (int k = 0; k < n; k++) {
    level_gap(w, &worker->again[k]);
  }
  return n;
}

static void begin_flight(const rh_step_world *w, const rh_step_island *s,
                         const rh_step_missed *late)
{
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    rh_step_body *c = &w->body[w->member[k]];
    c->flies = !c->pressed;
    c->ahead = 0;
    c->stays = false;
  }
  for (int k = 0; late && k < late->n; k++) { // late points are those of bodies at the start
    const rh_found_contact *t = &late->at[k];
    if (t->ma != 0) {
      w->body[t->ma].stays = true;
    }
    if (t->mb != 0) {
      w->body[t->mb].stays = true;
    }
  }
}

// Rounds: features turn, and an apparent obstacle may be passed.
int rh_step_fly_to_impacts(rh_step_worker *worker, const rh_step_island *s, double h,
                           const rh_step_missed *late)
{
  const rh_step_world *w = worker->world;
  begin_flight(w, s, late);
  int n = collide_again(worker, s, h, late);
  for (int k = 0; k < (int)w->par.impacts_per_step && find_times(worker, s, n, h); k++) {
    go_there(worker, s);
    n = collide_again(worker, s, h, late);
  }
  return n;
}

void rh_step_end_flight(const rh_step_world *w, const rh_step_island *s)
{
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    rh_step_body *c = &w->body[w->member[k]];
    c->ahead = 0;
    c->strikes = false;
  }
}
