// The middle of a step: an island of few bodies whose contacts last and move with them is solved
// there, which is of order two. Where contacts do not move steadily the step is repeated from its
// start (step.c).
#include "contact_kernels.h"

// Of a shape's body
static rh_vec3 point_velocity(const rh_step_world *w, int shape, rh_vec3 point)
{
  int body = w->m->shape[shape].body;
  int i = w->mobile[body];
  const rh_step_velocity *b = &w->velocity[i];
  const rh_kin_body *in_tree = &w->d->kin[body];
  return i == 0 ? rh_v3(0, 0, 0)
         : i > w->nfree
             ? rh_add(in_tree->v.lin, rh_cross(in_tree->v.ang, rh_sub(point, in_tree->p)))
             : rh_add(rh_step_read_vec(b->v),
                      rh_cross(rh_step_read_vec(b->w), rh_sub(point, w->body[i].x)));
}

// Contact t in the list of its pair; a feature that has gone moves along with the bodies.
static rh_found_contact find_midway(const rh_step_world *w, const rh_found_contact *t,
                                    const rh_found_contact *list, int n, double h)
{
  rh_found_contact x = *t;
  for (int i = 0; i < n; i++) {
    if (list[i].id == t->id) {
      x.point = list[i].point;
      x.n = list[i].n;
      return x;
    }
  }
  rh_vec3 u = rh_add(point_velocity(w, t->a, t->point), point_velocity(w, t->b, t->point));
  double share = t->ma != 0 && t->mb != 0 ? 0.25 : 0.5;
  x.point = rh_addscaled(t->point, share * h, u);
  return x;
}

bool rh_step_island_trees(const rh_step_world *w, const rh_step_island *s)
{
  bool any = false;
  for (int k = s->mob; !any && k < s->mob + s->nmob; k++) {
    any = w->member[k] > w->nfree;
  }
  return any;
}

void rh_step_middle_release(const rh_step_world *w, const rh_step_island *s)
{
  for (int k = s->con; w->laws.impacts && k < s->con + s->ncon; k++) {
    const rh_step_row_info *side = &w->info[k];
    if (rh_step_may_have_impact(w, k, true) && side->phi > RH_STEP_CLOSED &&
        side->un < -side->slow) {
      w->row[k].bias = HUGE_VAL;
    }
  }
}

bool rh_step_to_middle(rh_step_worker *worker, const rh_step_island *s,
                       const rh_found_contact *touch, double h)
{
  const rh_step_world *w = worker->world;
  rh_found_contact list[RH_TOUCH_MAX];
  const rh_found_contact *pair = NULL;
  int n = 0;
  bool smooth = true;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    rh_step_body *c = &w->body[w->member[k]];
    c->start.pressed = c->pressed;
    if (w->member[k] > w->nfree) {
      continue;
    }
    c->midway = true;
    c->start.x = c->x;
    c->start.q = c->q;
    c->v0 = rh_step_read_vec(w->velocity[w->member[k]].v);
    c->w0 = rh_step_read_vec(w->velocity[w->member[k]].w);
    rh_step_half_way(&w->velocity[w->member[k]], c, h);
  }
  if (w->trees.n > 0) {
    rh_step_trees_to_middle(worker, s, h);
  }
  for (int k = s->con; k < s->con + s->ncon; k++) {
    const rh_found_contact *t = &touch[w->info[k].touch];
    if (!pair || pair->a != t->a || pair->b != t->b) {
      rh_step_place(w, t->a);
      rh_step_place(w, t->b);
      n = rh_step_collide_pair(worker, t->a, t->b, list);
      pair = t;
    }
    rh_found_contact x = find_midway(w, t, list, n, h);
    smooth = rh_step_rows_midway(worker, k, &x, h) && smooth;
  }
  return smooth;
}

// Velocities as at the start
void rh_step_middle_restart(rh_step_worker *worker, const rh_step_island *s)
{
  const rh_step_world *w = worker->world;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    int i = w->member[k];
    if (i > w->nfree) {
      rh_step_tree_restart(worker, i, true);
      continue;
    }
    rh_step_write_vec(w->body[i].v0, w->velocity[i].v);
    rh_step_write_vec(w->body[i].w0, w->velocity[i].w);
  }
}

// Have contacts given the island energy?
static bool island_gains(const rh_step_world *w, const rh_step_island *s, double h)
{
  double gain = -rh_step_island_drive(w, s);
  double energy = 0;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    int i = w->member[k];
    const rh_step_body *c = &w->body[i];
    rh_vec3 v = rh_step_read_vec(w->velocity[i].v);
    rh_vec3 spin = rh_step_read_vec(w->velocity[i].w);
    double before = rh_step_kinetic(w, i, c->v0, c->w0);
    double after = rh_step_kinetic(w, i, v, spin);
    energy += fmax(before, after);
    gain += after - before - 0.5 * h * c->mass * rh_dot(c->a, rh_add(c->v0, v)) -
            0.5 * h * rh_dot(c->torque, rh_add(c->w0, spin));
  }
  return gain > RH_STEP_GAINED * energy;
}

// The same of an island with trees, by the work of friction: normal impulses end what approaches. A robot
// that stands has hardly any energy of motion: what a step of free fall takes from it counts, too.
static bool trees_gain(const rh_step_worker *worker, const rh_step_island *s, double h)
{
  const rh_step_world *w = worker->world;
  double gain = -rh_step_island_drive(w, s);
  double fall = 0;
  for (int k = s->con; k < s->con + s->ncon; k++) {
    const rh_step_row *c = &w->row[k];
    if (c->p[3] > 0) {
      rh_vec3 n = rh_step_read_vec(c->n);
      rh_vec3 P = rh_addscaled(rh_step_impulse(w, c, c->p), -c->p[3], n);
      gain += 0.5 * rh_dot(P, rh_add(w->info[k].u0, rh_step_velocity_at(worker, c)));
      fall += c->p[3] * h * w->weight;
    }
  }
  return gain > RH_STEP_GAINED * (rh_step_energy(w, s) + fall);
}

static const double OVERLAP = 0.25; // of the slop: a contact that closes has closed

bool rh_step_middle_fits(const rh_step_worker *worker, const rh_step_island *s, double h,
                         double *share)
{
  const rh_step_world *w = worker->world;
  bool trees = w->trees.n > 0 && rh_step_island_trees(w, s);
  bool gains = trees ? trees_gain(worker, s, h) : island_gains(w, s, h);
  bool fits = !gains && (!trees || rh_step_limits_last(worker, h));
  for (int k = s->con; fits && k < s->con + s->ncon; k++) {
    const rh_step_row *c = &w->row[k];
    double u = rh_dot(rh_step_read_vec(c->n), rh_step_velocity_at(worker, c));
    double closing = -0.5 * h * (w->info[k].un + u);
    double gap = c->p[3] == 0 ? fmax(w->info[k].phi, 0) : 0;
    bool lasts = w->info[k].lasts && closing >= -w->par.slop;
    if (share && c->bias == HUGE_VAL && closing > gap + w->par.slop) {
      *share = fmin(*share, (gap + OVERLAP * w->par.slop) / closing);
      continue;
    }
    fits = closing <= gap + w->par.slop && (c->p[3] == 0 || lasts);
  }
  return fits;
}

void rh_step_leave_middle(rh_step_worker *worker, const rh_step_island *s)
{
  const rh_step_world *w = worker->world;
  worker->midway = false;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    int i = w->member[k];
    rh_step_body *c = &w->body[i];
    c->pressed = c->start.pressed; // the times of impacts are by it
    if (i > w->nfree) {
      rh_step_tree_leave_middle(w, i);
      continue;
    }
    rh_step_write_vec(c->v0, w->velocity[i].v);
    rh_step_write_vec(c->w0, w->velocity[i].w);
    c->midway = false;
    c->x = c->start.x;
    c->q = c->start.q;
    rh_step_update_rotation(&w->velocity[w->member[k]], c);
  }
}

void rh_step_keep_middle(const rh_step_world *w, const rh_step_island *s, rh_found_contact *touch)
{
  for (int k = s->con; k < s->con + s->ncon; k++) {
    rh_found_contact *t = &touch[w->info[k].touch];
    t->points = 0; // no longer as found
    t->n = rh_step_read_vec(w->row[k].n);
    t->point = w->info[k].point;
  }
}

// The moments of the present impulses on the bodies; in the first round they are not known
void rh_step_middle_moments(const rh_step_world *w, const rh_step_island *s, bool known)
{
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    w->body[w->member[k]].press = rh_v3(0, 0, 0);
  }
  for (int k = s->con; known && k < s->con + s->ncon; k++) {
    const rh_step_row *c = &w->row[k];
    rh_vec3 r[2];
    rh_vec3 P = rh_step_impulse(w, c, c->p);
    rh_step_arms(w, c, r);
    const int body[2] = {c->a, c->b};
    for (int i = 0; i < 2 && c->p[3] > 0; i++) {
      if (body[i] != 0) {
        rh_vec3 *sum = &w->body[body[i]].press;
        rh_vec3 moment = rh_cross(r[i], P);
        moment = rh_step_turns(w, c) ? rh_add(moment, rh_step_turn_torque(w, c)) : moment;
        *sum = rh_addscaled(*sum, i == 0 ? 1 : -1, moment);
      }
    }
  }
}
