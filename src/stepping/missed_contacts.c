// Late contacts: points that were out of reach when the step began, or were not the nearest of
// their pair, and overlap at its end, because bodies turn. A step is tried; if such points are
// found the island returns to its start and repeats the step with them, three times at most. A late
// point is a row like any other, of the pose at the end: its gap is that at the end less the motion
// of its two sides along its normal, which is >= 0 where they were separate; its arms are the means
// of start and end, by which h u is the chord that the sides follow. So it takes speed as every
// closing gap does, and adds none. Only pairs whose turning can bring in more than LATE are
// examined: balls among themselves and on planes have no features. Trees and very large islands are
// left out. The remainder of the last try is left to position_correction.c.
#include "stepping.h"

#include "geometry/pair.h"

#include <string.h>

static const double LATE = 1e-5; // [m] overlap that justifies another try

enum { NEW = 1 << 28 }; // added to a feature: no other point of the pair has it

// ---- The start of the step

void rh_step_start_keep(rh_step_worker *worker, const rh_step_island *s)
{
  const rh_step_world *w = worker->world;
  worker->kept.impact_work = worker->result.impact_work;
  worker->kept.drive_work = worker->result.drive_work;
  worker->kept.nimpact = worker->result.nimpact;
  worker->kept.largest_load = worker->tally.largest_load;
  worker->kept.largest_impact = worker->tally.largest_impact;
  for (int k = s->con; k < s->con + s->ncon; k++) {
    w->info[k].kept = w->info[k].slide;
    if (w->laws.belt) {
      w->laws.belt[k].kept = w->laws.belt[k].work;
    }
  }
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    const rh_step_velocity *b = &w->velocity[w->member[k]];
    rh_step_body *c = &w->body[w->member[k]];
    c->start = (rh_step_start){c->x,    c->q,      rh_step_read_vec(b->v), rh_step_read_vec(b->w),
                               c->work, c->pressed};
  }
}

void rh_step_start_again(rh_step_worker *worker, const rh_step_island *s)
{
  const rh_step_world *w = worker->world;
  worker->result.impact_work = worker->kept.impact_work;
  worker->result.drive_work = worker->kept.drive_work;
  worker->tally.impacts -= worker->result.nimpact - worker->kept.nimpact;
  worker->result.nimpact = worker->kept.nimpact;
  worker->tally.largest_load = worker->kept.largest_load;
  worker->tally.largest_impact = worker->kept.largest_impact;
  if (w->checks.on) { // a repeated try is not checked
    worker->result.check = (rh_step_check){0};
  }
  for (int k = s->con; k < s->con + s->ncon; k++) {
    w->info[k].slide = w->info[k].kept;
    w->info[k].damped = 0;
    if (w->laws.belt) {
      w->laws.belt[k].work = w->laws.belt[k].kept;
    }
  }
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    rh_step_velocity *b = &w->velocity[w->member[k]];
    rh_step_body *c = &w->body[w->member[k]];
    c->x = c->start.x;
    c->q = c->start.q;
    c->work = c->start.work;
    c->pressed = c->start.pressed;
    rh_step_write_vec(c->start.v, b->v);
    rh_step_write_vec(c->start.w, b->w);
    rh_step_update_rotation(b, c);
  }
}

// ---- Points

// [m] travel of the points of a shape by its turning in h
static double turning_travel(const rh_step_world *w, int shape, double h)
{
  int i = w->search->geom[shape].kind == w->shapes.sphere
              ? 0
              : w->shapes.of[shape].mobile; // balls have no features
  rh_vec3 spin = rh_step_read_vec(w->velocity[i].w);
  rh_vec3 first = w->body[i].start.w;
  return i == 0
             ? 0
             : h * w->shapes.of[shape].arm * sqrt(fmax(rh_dot(spin, spin), rh_dot(first, first)));
}

static bool looked_at(const rh_step_world *w, const rh_found_contact *t, double h)
{
  return turning_travel(w, t->a, h) + turning_travel(w, t->b, h) > LATE;
}

// A point of a body at the end of the step: its place at the start (`from`), and the mean of its
// arms there and now
static rh_vec3 mean_arm(const rh_step_world *w, int mobile, rh_vec3 point, rh_vec3 *from)
{
  const rh_step_body *c = &w->body[mobile];
  if (mobile == 0) {
    *from = point;
    return rh_sub(point, c->x);
  }
  rh_mat3 first = rh_quat_matrix(c->start.q);
  rh_vec3 now = rh_sub(point, c->x);
  rh_vec3 then = rh_rotate(&first, rh_unrotate(&c->R, now));
  *from = rh_add(c->start.x, then);
  return rh_scale(0.5, rh_add(now, then));
}

// The point as a contact at the start of the step; t is another of its pair
static rh_found_contact as_touch(const rh_step_world *w, const rh_found_contact *t,
                                 const rh_touch *p)
{
  rh_found_contact late = *t;
  rh_vec3 a;
  rh_vec3 b;
  rh_vec3 arm_a = mean_arm(w, t->ma, p->point, &a);
  rh_vec3 arm_b = mean_arm(w, t->mb, p->point, &b);
  rh_vec3 at_a = rh_add(t->ma ? w->body[t->ma].start.x : w->body[0].x, arm_a);
  rh_vec3 at_b = rh_add(t->mb ? w->body[t->mb].start.x : w->body[0].x, arm_b);
  late.n = p->normal;
  late.point = t->ma == 0 ? at_b : t->mb == 0 ? at_a : rh_scale(0.5, rh_add(at_a, at_b));
  late.phi = fmax(-p->depth + rh_dot(p->normal, rh_sub(a, b)), 0);
  late.id = p->id | NEW;
  late.f = rh_v3(0, 0, 0);
  late.since = 0;
  late.stored = 0;
  return late;
}

static const rh_found_contact *touch_of(const rh_step_world *w, int k)
{
  return &w->contacts.now[w->order[k]];
}

// Index after k's pair
static int end_of_pair(const rh_step_world *w, const rh_step_island *s, int k)
{
  const rh_found_contact *t = touch_of(w, k);
  int end = k + 1;
  while (end < s->con + s->ncon && touch_of(w, end)->a == t->a && touch_of(w, end)->b == t->b) {
    end++;
  }
  return end;
}

// Inserts a point by contacts; a known point is replaced.
static void add_late_point(rh_step_missed *late, const rh_found_contact *x)
{
  int at = late->n;
  for (int i = 0; i < late->n; i++) {
    if (late->at[i].home == x->home && late->at[i].id == x->id) {
      late->at[i] = *x;
      return;
    }
  }
  if (late->n == RH_STEP_LATE) {
    return;
  }
  for (; at > 0 && late->at[at - 1].home > x->home; at--) {
    late->at[at] = late->at[at - 1];
  }
  late->at[at] = *x;
  late->n++;
}

// Number of late points of the pair of contacts k ... end - 1
static int late_points(const rh_step_world *w, int k, int end, double h, rh_step_missed *late)
{
  const rh_found_contact *t = touch_of(w, k);
  rh_manifold m;
  double deep = 0; // overlap from before this step
  int found = 0;
  if (!looked_at(w, t, h)) {
    return 0;
  }
  for (int i = k; i < end; i++) {
    deep = fmin(deep, touch_of(w, i)->phi);
  }
  rh_step_place(w, t->a);
  rh_step_place(w, t->b);
  rh_collide(&w->search->geom[t->a], &w->search->geom[t->b], 0, NULL, &m);
  for (int i = 0; i < m.n; i++) {
    if (-m.at[i].depth < deep - LATE) {
      rh_found_contact x = as_touch(w, t, &m.at[i]);
      x.home = k;
      add_late_point(late, &x);
      late->first = fmin(late->first, x.phi / (x.phi + m.at[i].depth));
      found++;
    }
  }
  return found;
}

bool rh_step_missed_find(const rh_step_world *w, const rh_step_island *s, double h,
                         rh_step_missed *late)
{
  int found = 0;
  late->first = 1;
  for (int k = s->con; k < s->con + s->ncon;) {
    int end = end_of_pair(w, s, k);
    found += late_points(w, k, end, h, late);
    k = end;
  }
  return found > 0;
}

// ---- Lists of contacts that were found again

// Lists of one pair are in the order of features, and pairs in that of the island's contacts.
void rh_step_copy_forces(const rh_step_world *w, const rh_step_island *s, rh_found_contact *list,
                         int n, bool out)
{
  int i = 0;
  int first = s->con; // of the pair
  if (list == w->contacts.now) {
    return; // they are the same
  }
  for (int k = s->con; k < s->con + s->ncon; k++) {
    rh_found_contact *t = &w->contacts.now[w->order[k]];
    const rh_found_contact *f = &w->contacts.now[w->order[first]];
    first = f->a == t->a && f->b == t->b ? first : k;
    while (i < n && (list[i].home < first || (list[i].home == first && list[i].id < t->id))) {
      i++;
    }
    bool same = i < n && list[i].home == first && list[i].id == t->id;
    if (same && out) {
      list[i].f = t->f;
      list[i].since = t->since;
    } else if (!out) {
      t->f = same ? list[i].f : rh_v3(0, 0, 0);
      t->since = same ? list[i].since : 0;
      t->shared = same && list[i].shared;
      t->stored = same ? list[i].stored : 0;
      t->point = same ? list[i].point : t->point;
      t->n = same ? list[i].n : t->n;
      w->contacts.now[w->order[first]].points = 0; // no longer as found
    }
  }
}

rh_step_island rh_step_examine_again(rh_step_worker *worker, const rh_step_island *s, int n)
{
  const rh_step_world *w = worker->world;
  rh_step_island view = *s;
  view.con = worker->again_at;
  view.ncon = n;
  view.nslice = 0;
  for (int k = 0; k < n; k++) {
    w->order[view.con + k] = k;
  }
  return view;
}
