// Stages 2 and 3: which shapes meet and where, within their reach in the step; a contact that was
// there a step ago, by shapes and feature, keeps its force. Pairs come in the order of their shapes
// (geometry/broad.c), points in the order of their features, independent of the past: the pair
// cache saves time only, and so does it that two shapes which are to the bit where they were a step ago, with the same reach, keep
// their points.
#include "stepping.h"

#include "geometry/pair.h"

#include <string.h>

// ---- Poses of shapes

// Maximum travel of a point of a shape in h: by its velocity, its spin and its acceleration.
KERNEL_INLINE double reach_in(const rh_step_world *w, int shape, double h)
{
  int mobile = w->shapes.of[shape].mobile;
  double arm = w->shapes.of[shape].arm;
  if (mobile > w->nfree) {
    const rh_kin_body *k = &w->d->kin[w->m->shape[shape].body];
    return h * (rh_norm(k->v.lin) + rh_norm(k->v.ang) * arm) + 2 * h * h * w->weight;
  }
  const rh_step_velocity *b = &w->velocity[mobile];
  const rh_step_body *c = &w->body[mobile];
  double v = sqrt(b->v[0] * b->v[0] + b->v[1] * b->v[1] + b->v[2] * b->v[2]);
  double s = sqrt(b->w[0] * b->w[0] + b->w[1] * b->w[1] + b->w[2] * b->w[2]);
  return h * (v + s * arm) + h * h * (c->forced ? rh_norm(c->a) : w->weight);
}

KERNEL_INLINE void place_into(const rh_step_world *w, int i, rh_geom *g)
{
  const rh_model_shape *s = &w->m->shape[i];
  const rh_step_shape *x = &w->shapes.of[i];
  if (x->mobile == 0) {
    return;
  }
  bool tree = x->mobile > w->nfree;
  const rh_step_body *c = &w->body[x->mobile];
  const rh_kin_body *k = &w->d->kin[s->body];
  const rh_mat3 *R = tree ? &k->R : &c->R;
  if (x->straight) {
    g->R = *R;
  } else {
    g->R = rh_mat3_mul(R, &s->place.R);
  }
  if (x->central) {
    g->p = c->x;
  } else {
    g->p = tree ? rh_add(k->p, rh_rotate(R, s->place.p))
                : rh_add(c->x, rh_rotate(R, rh_sub(s->place.p, c->com)));
  }
}

KERNEL_INLINE void place_shape(const rh_step_world *w, int i)
{
  place_into(w, i, &w->search->geom[i]);
}

rh_geom rh_step_placed(const rh_step_world *w, int i)
{
  rh_geom g = w->search->geom[i];
  place_into(w, i, &g);
  return g;
}

void rh_step_place(const rh_step_world *w, int i)
{
  rh_step_shape *x = &w->shapes.of[i];
  if (x->mobile != 0) {
    x->placed = x->still = false;
    place_shape(w, i);
  }
}

static rh_bounds shape_bounds(const rh_step_world *w, const rh_geom *g, double reach)
{
  if (g->kind == w->shapes.sphere) {
    double r = g->par[0] + reach;
    return (rh_bounds){rh_v3(g->p.x - r, g->p.y - r, g->p.z - r),
                       rh_v3(g->p.x + r, g->p.y + r, g->p.z + r)};
  }
  return rh_geom_bounds(g, reach);
}

// The moving body that a body belongs to: fixed joints move with it.
static int moving_ancestor(const rh_model *m, int body)
{
  while (body != 0 && m->body[body].nv == 0) {
    body = m->body[body].parent;
  }
  return body;
}

// Shapes of one body never collide, however they overlap.
bool rh_step_may_collide(const void *user, rh_shape_pair *pair)
{
  const rh_step_world *w = user;
  const int a = pair->a;
  const int b = pair->b;
  const rh_model_shape *shape = w->m->shape;
  bool moves = (w->shapes.of[a].mobile != 0 || w->shapes.of[b].mobile != 0) &&
               moving_ancestor(w->m, shape[a].body) != moving_ancestor(w->m, shape[b].body);
  return moves && rh_shapes_meet(w->m, pair);
}

// ---- Pairs

static int meet_spheres(const rh_geom *a, const rh_geom *b, double margin, rh_found_contact *t)
{
  t->id = 0;
  return rh_spheres_touch(a, b, margin, &t->point, &t->n, &t->phi);
}

static int meet_plane(const rh_geom *a, const rh_geom *b, double margin, rh_found_contact *t)
{
  t->id = 0;
  return rh_sphere_touches_plane(a, b, margin, &t->point, &t->n, &t->phi);
}

static int meet_any(const rh_step_world *w, rh_shape_pair *pair, double margin, rh_found_contact *t)
{
  rh_manifold m;
  int n =
      rh_collide(&w->search->geom[pair->a], &w->search->geom[pair->b], margin, &pair->cache, &m);
  if (w->search->geom[pair->b].kind == w->shapes.field) {
    n = rh_step_sweep_heightfield(w, pair, margin, &m);
  }
  rh_found_put(&m, t);
  return n;
}

// Two shapes that are where they were have the points that they had, to the bit, if these are still in the list: their number.
static inline int count_former(const rh_step_world *w, const rh_shape_pair *pair,
                               const rh_found_contact *list, int n)
{
  const rh_found_contact *t = &list[n];
  bool there = list == w->contacts.now && n < w->contacts.former && t->a == pair->a &&
               t->b == pair->b && w->shapes.of[pair->a].still && w->shapes.of[pair->b].still;
  return there && n + t->points <= w->contacts.former ? t->points : 0;
}

// Appends the touches of a pair to the n present; returns their number.
static int add_pair(rh_step_worker *worker, rh_shape_pair *pair, double margin,
                    rh_found_contact *list, int n)
{
  const rh_step_world *w = worker->world;
  const rh_geom *a = &w->search->geom[pair->a];
  const rh_geom *b = &w->search->geom[pair->b];
  if (n + w->sleep.ncontact + RH_TOUCH_MAX > w->contacts.capacity) {
    worker->full = true;
    return n;
  }
  bool ball = a->kind == w->shapes.sphere;
  int count;
  int points = 0;
  if (ball && (b->kind == w->shapes.sphere || b->kind == w->shapes.plane)) {
    count = b->kind == w->shapes.sphere ? meet_spheres(a, b, margin, list + n)
                                        : meet_plane(a, b, margin, list + n);
    if (count == 0) {
      list[n].points = 0; // it was written to
    }
  } else {
    count = count_former(w, pair, list, n);
    count = count > 0 ? count : meet_any(w, pair, margin, list + n);
    points = b->kind == w->shapes.field ? 0 : count; // on a heightfield velocities count, too
  }
  for (int i = n; i < n + count; i++) {
    rh_found_contact *t = &list[i];
    t->points = (unsigned char)points;
    points = 0;
    t->a = pair->a;
    t->b = pair->b;
    t->rule = pair->rule;
    t->ma = w->shapes.of[pair->a].mobile;
    t->mb = w->shapes.of[pair->b].mobile;
    t->f = rh_v3(0, 0, 0);
    t->since = 0;
    t->shared = false;
    t->stored = 0;
  }
  return n + count;
}

void rh_step_place_plane(rh_step_world *w, int i)
{
  const rh_geom *g = &w->search->geom[w->shapes.planes[i]];
  rh_vec3 up = rh_mat3_column(&g->R, 2);
  w->shapes.half[i] = (rh_half){up, rh_dot(up, g->p) + w->shapes.reach[w->shapes.planes[i]]};
}

static inline bool same_place(const rh_geom *a, const rh_geom *b)
{
  return memcmp(&a->p, &b->p, sizeof a->p) == 0 && memcmp(&a->R, &b->R, sizeof a->R) == 0;
}

// Places a shape for the search; one that is where it was keeps its bounds. Of balls nothing is kept.
KERNEL_INLINE void place_anew(const rh_step_world *w, int i, double reach)
{
  rh_step_shape *x = &w->shapes.of[i];
  rh_geom *g = &w->search->geom[i];
  if (x->placed && reach == w->shapes.reach[i]) { // mostly at rest
    const rh_geom before = *g;
    place_shape(w, i);
    x->still = same_place(g, &before);
  } else {
    place_shape(w, i);
    x->still = false;
  }
  x->placed = g->kind != w->shapes.sphere;
  if (!x->still) {
    w->shapes.reach[i] = reach;
    w->search->box[i] = shape_bounds(w, g, reach);
  }
}

enum { SHAPES = 64 }; // per task

static void place_some(rh_step_worker *worker, int task)
{
  const rh_step_world *w = worker->world;
  double h = w->par.dt;
  int end = (task + 1) * SHAPES < w->m->nshape ? (task + 1) * SHAPES : w->m->nshape;
  double farthest = worker->farthest;
  for (int i = task * SHAPES; i < end; i++) {
    int mobile = w->shapes.of[i].mobile;
    if (mobile == 0) {
      continue; // as placed by rh_step_create
    }
    if (!rh_step_asleep(w, mobile) || w->sleep.fresh) { // else as placed when it was awake
      place_anew(w, i, reach_in(w, i, h) + w->shapes.skin);
    } else {
      w->shapes.of[i].still = false;
    }
    farthest = rh_greater(farthest, w->shapes.reach[i]);
  }
  worker->farthest = farthest;
}

static void place_all(rh_step_world *w)
{
  w->weight = rh_norm(w->m->gravity);
  for (int k = 0; k < (int)w->par.threads; k++) {
    w->worker[k].farthest = 0;
  }
  rh_step_parallel_for(w, place_some, (w->m->nshape + SHAPES - 1) / SHAPES);
  w->shapes.farthest = w->worker[0].farthest;
  for (int k = 1; k < (int)w->par.threads; k++) {
    w->shapes.farthest = rh_greater(w->shapes.farthest, w->worker[k].farthest);
  }
  for (int i = 0; i < w->shapes.nplane; i++) {
    if (w->shapes.of[w->shapes.planes[i]].mobile != 0) {
      rh_step_place_plane(w, i);
    }
  }
}

int rh_step_collide_pair(rh_step_worker *worker, int a, int b, rh_found_contact *list)
{
  const rh_step_world *w = worker->world;
  rh_shape_pair pair = rh_shape_pair_of(w->m, a, b);
  return add_pair(worker, &pair, w->shapes.reach[a] + w->shapes.reach[b], list, 0);
}

// Wakes sleepers that an awake mobile comes near; true: there were some.
static bool wake_near_sleepers(rh_step_world *w)
{
  bool any = false;
  for (int i = 0; i < w->pairs.near.count; i++) {
    const rh_shape_pair *p = w->pairs.near.pair[i];
    int a = w->shapes.of[p->a].mobile;
    int b = w->shapes.of[p->b].mobile;
    bool differ = a != 0 && b != 0 && w->sleep.asleep[a] != w->sleep.asleep[b];
    if (differ && rh_step_collide_pair(&w->worker[0], p->a, p->b, w->worker[0].again) > 0) {
      rh_step_wake(w, w->sleep.asleep[a] ? a : b);
      any = true;
    }
  }
  return any;
}

// Pairs of shapes that may meet, except pairs that both sleep or do not move
static void find_pairs(rh_step_world *w, bool listed)
{
  w->pairs.near = listed ? rh_broad_find(w->search->broad, w->search->box, w->shapes.half)
                         : rh_broad_search(w->search->broad, w->search->box, w->shapes.half);
  if (w->sleep.fresh) {
    rh_step_sleep_weigh(w);
  }
  while (w->sleep.n > 0 && wake_near_sleepers(w)) {
    w->pairs.near = rh_broad_find(w->search->broad, w->search->box, w->shapes.half);
  }
}

// Prefetches a shape, for many bodies.
static inline void ask_for(const rh_geom *g)
{
  __builtin_prefetch(&g->p);
  __builtin_prefetch(&g->kind);
}

enum { AHEAD = 6 }; // pairs

// Appends the touches of pairs to the n present; returns their number.
static inline int add_pairs(rh_step_worker *worker, rh_shape_pair *const *pair, int count,
                            rh_found_contact *list, int n)
{
  const rh_step_world *w = worker->world;
  for (int i = 0; i < count; i++) {
    rh_shape_pair *const *p = &pair[i];
    if (i + AHEAD < count) {
      ask_for(&w->search->geom[p[AHEAD]->b]);
    }
    double margin = w->shapes.reach[p[0]->a] + w->shapes.reach[p[0]->b];
    n = add_pair(worker, p[0], margin, list, n);
  }
  return n;
}

// Pairs of a part of the list of those that are near, into the thread's own memory
static void meet_some(rh_step_worker *worker, int task)
{
  const rh_step_world *w = worker->world;
  rh_shape_pair *pair[RH_STEP_PAIRS];
  int from = task * RH_STEP_PAIRS;
  int left = w->pairs.near.candidates - from;
  int count = rh_broad_list(w->search->broad, w->search->box, from,
                            from + (left < RH_STEP_PAIRS ? left : RH_STEP_PAIRS), pair);
  int n = add_pairs(worker, pair, count, worker->again, worker->nagain);
  w->pairs.part[task] = (rh_step_share_load){worker->again + worker->nagain, n - worker->nagain, 0};
  worker->nagain = n;
}

static rh_poses poses_in(const rh_step_world *w)
{
  return (rh_poses){rh_step_pose, w};
}

// Several threads may mark a body, all alike; the world is never marked.
static inline void mark_pressed(const rh_step_world *w, int mobile)
{
  if (mobile != 0) {
    __atomic_store_n(&w->body[mobile].pressed, true, __ATOMIC_RELAXED);
  }
}

// Contacts from .. end - 1 get the forces of the last step, and the bodies that carried them are
// marked.
KERNEL_INLINE void recall_forces(const rh_step_world *w, int from, int end)
{
  rh_found_contact *t = w->contacts.now;
  rh_found_recall(w->d, poses_in(w), t + from, end - from);
  if (rh_step_marks_pressed(w)) {
    for (int k = from; k < end; k++) {
      if (fabs(t[k].f.x) + fabs(t[k].f.y) + fabs(t[k].f.z) != 0) {
        mark_pressed(w, t[k].ma);
        mark_pressed(w, t[k].mb);
      }
    }
  }
  if (rh_step_mobiles(w) > 1) {
    rh_step_islands_join(w, from, end);
  }
}

static void bring_some(rh_step_worker *worker, int task)
{
  const rh_step_world *w = worker->world;
  const rh_step_share_load *s = &w->pairs.part[task];
  if (s->n > 0) {
    memcpy(w->contacts.now + s->at, s->touch, (size_t)s->n * sizeof *s->touch);
    recall_forces(w, s->at, s->at + s->n);
  }
}

// Parts are found separately and then merged. False: no capacity.
static bool share_pairs(rh_step_world *w)
{
  int parts = (w->pairs.near.candidates + RH_STEP_PAIRS - 1) / RH_STEP_PAIRS;
  bool full = false;
  int threads = (int)w->par.threads;
  for (int k = 0; k < threads; k++) {
    w->worker[k].nagain = 0;
  }
  rh_step_parallel_for(w, meet_some, parts);
  for (int k = 0; k < threads; k++) {
    full = full || w->worker[k].full;
    w->worker[k].full = false;
  }
  for (int i = 0; i < parts; i++) {
    w->pairs.part[i].at = w->contacts.n;
    w->contacts.n += w->pairs.part[i].n;
  }
  if (full || w->contacts.n + w->sleep.ncontact + RH_TOUCH_MAX > w->contacts.capacity) {
    w->contacts.n = 0;
    return false;
  }
  rh_step_parallel_for(w, bring_some, parts);
  return true;
}

// Pairs within reach are listed where others ask for them, and for one thread.
void rh_step_find_contacts(rh_step_world *w)
{
  bool listed = !w->pool || w->sleep.n > 0;
  bool shared = false;
  w->contacts.former = w->contacts.n > 0 ? w->contacts.n : w->contacts.former;
  w->contacts.n = 0;
  find_pairs(w, listed);
  w->full = w->full || w->pairs.near.overflow;
  if (w->pool && w->pairs.near.candidates > RH_STEP_PAIRS) {
    shared = share_pairs(w);
  }
  if (!shared && !listed) {
    w->pairs.near = rh_broad_find(w->search->broad, w->search->box, w->shapes.half);
  }
  if (!shared) {
    w->contacts.n =
        add_pairs(&w->worker[0], w->pairs.near.pair, w->pairs.near.count, w->contacts.now, 0);
    recall_forces(w, 0, w->contacts.n);
  }
}

enum { MOBILES = 4096 }; // per task

static void begin_islands(rh_step_worker *worker, int task)
{
  const rh_step_world *w = worker->world;
  int n = rh_step_mobiles(w) + 1;
  rh_step_islands_begin(w, task * MOBILES, (task + 1) * MOBILES < n ? (task + 1) * MOBILES : n);
}

void rh_step_collide(rh_step_world *w)
{
  w->contacts.former = w->contacts.n;
  w->contacts.n = 0;
  if (rh_step_mobiles(w) > 1) {
    rh_step_parallel_for(w, begin_islands, (rh_step_mobiles(w) + MOBILES) / MOBILES);
  }
  if (w->m->nslot == 0) {
    return;
  }
  place_all(w);
  rh_step_find_contacts(w);
  rh_step_find_thrown(w);
}

void rh_step_keep_contacts(rh_step_world *w)
{
  rh_slots_stay stay = {w->parts.spare, 0, w->parts.cell, w->pool, w->sleep.stored,
                        w->laws.slide}; // slide is not in use
  stay.n = w->sleep.n > 0 ? rh_step_sleeping_slots(w, stay.slot) : 0;
  w->full = !rh_found_keep(w->d, poses_in(w), w->contacts.now, w->contacts.n, &stay) || w->full;
}

// Touches of the pair of contact k, unchanged
static int copy_pair(rh_step_worker *worker, const rh_step_island *s, int k, int n)
{
  const rh_step_world *w = worker->world;
  const rh_found_contact *first = &w->contacts.now[w->order[k]];
  for (int i = k; i < s->con + s->ncon && n < w->contacts.capacity; i++) {
    const rh_found_contact *t = &w->contacts.now[w->order[i]];
    if (t->a != first->a || t->b != first->b) {
      break;
    }
    worker->again[n++] = *t;
  }
  return n;
}

// Within a step a body may be hit by a fast one yet.
static double reach_again(const rh_step_world *w, int shape, double h)
{
  double reach = reach_in(w, shape, h);
  return w->shapes.hurried ? fmax(reach, w->shapes.reach[shape]) : reach;
}

static int meet_again(rh_step_worker *worker, const rh_found_contact *t, double h, int n)
{
  const rh_step_world *w = worker->world;
  rh_shape_pair pair = {.a = t->a, .b = t->b, .rule = t->rule};
  double margin = w->shapes.skin;
  rh_step_place(w, t->a);
  rh_step_place(w, t->b);
  margin += t->ma ? reach_again(w, t->a, h) : 0;
  margin += t->mb ? reach_again(w, t->b, h) : 0;
  return add_pair(worker, &pair, margin, worker->again, n);
}

int rh_step_collide_island(rh_step_worker *worker, const rh_step_island *s, double h, bool all,
                           const rh_step_missed *late)
{
  const rh_step_world *w = worker->world;
  const rh_found_contact *last = NULL;
  int n = 0;
  int used = 0;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    if (w->member[k] > w->nfree) {
      rh_step_tree_place(w, w->member[k]);
    }
  }
  for (int k = s->con; k < s->con + s->ncon; k++) {
    const rh_found_contact *t = &w->contacts.now[w->order[k]];
    if (last && last->a == t->a && last->b == t->b) {
      continue;
    }
    last = t;
    int from = n;
    bool moved = all || w->body[t->ma].ahead > 0 || w->body[t->mb].ahead > 0;
    n = moved ? meet_again(worker, t, h, n) : copy_pair(worker, s, k, n);
    for (; late && used < late->n && late->at[used].home == k; used++) {
      if (n == w->contacts.capacity) {
        worker->full = true;
        return n;
      }
      worker->again[n++] = late->at[used];
    }
    for (int i = from; i < n; i++) {
      worker->again[i].home = k;
    }
  }
  return n;
}
