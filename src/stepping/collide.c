// Stages 2 and 3: which shapes meet and where, within their reach in the step; a contact that was
// there a step ago, by shapes and feature, keeps its force. Pairs come in the order of their shapes
// (geometry/broad.c), points in the order of their features, independent of the past: the pair
// cache saves time only.
//
// No shape goes through another within a step unnoticed. Rows separate shapes that were within
// reach when the step began (collide.c); shapes that pass all the same, above all by a compliant
// law too soft for the speed, are found when the step is done, by the way between its ends
// (collision/pair_passing.c), and end the run with a reason. Only shapes that went far for their
// thickness are examined: in most scenes there are none. A body with an impact in the step may have
// gone farther than the pairs of the step were searched: it is checked against all shapes.
#include "stepping.h"

#include "geometry/pair.h"

#include <limits.h>
#include <string.h>

// ---- Poses of shapes

// Maximum travel of a point of a shape in h: by its velocity, its spin and its acceleration.
static double reach_in(const rh_step_world *w, int shape, double h)
{
  int mobile = w->shapes.of[shape].mobile;
  double arm = w->shapes.of[shape].arm;
  if (mobile > w->nfree) {
    const rh_kin_body *k = &w->d->kin[w->m->shape[shape].body];
    return h * (rh_norm(k->v.lin) + rh_norm(k->v.ang) * arm) + 2 * h * h * rh_norm(w->m->gravity);
  }
  const rh_step_velocity *b = &w->velocity[mobile];
  const rh_step_body *c = &w->body[mobile];
  double v = sqrt(b->v[0] * b->v[0] + b->v[1] * b->v[1] + b->v[2] * b->v[2]);
  double s = sqrt(b->w[0] * b->w[0] + b->w[1] * b->w[1] + b->w[2] * b->w[2]);
  return h * (v + s * arm) + h * h * rh_norm(c->a);
}

void rh_step_place(const rh_step_world *w, int i)
{
  const rh_model_shape *s = &w->m->shape[i];
  const rh_step_shape *x = &w->shapes.of[i];
  rh_geom *g = &w->search->geom[i];
  const rh_step_body *c = &w->body[x->mobile];
  if (x->mobile == 0) {
    return;
  }
  if (x->mobile > w->nfree) {
    const rh_kin_body *k = &w->d->kin[s->body];
    g->R = rh_mat3_mul(&k->R, &s->place.R);
    g->p = rh_add(k->p, rh_rotate(&k->R, s->place.p));
    return;
  }
  if (x->central) {
    g->R = c->R;
    g->p = c->x;
    return;
  }
  g->R = rh_mat3_mul(&c->R, &s->place.R);
  g->p = rh_add(c->x, rh_rotate(&c->R, rh_sub(s->place.p, c->com)));
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
bool rh_step_may_collide(const void *user, int a, int b)
{
  const rh_step_world *w = user;
  const rh_model_shape *shape = w->m->shape;
  bool moves = (w->shapes.of[a].mobile != 0 || w->shapes.of[b].mobile != 0) &&
               moving_ancestor(w->m, shape[a].body) != moving_ancestor(w->m, shape[b].body);
  return moves && rh_shape_pair_of(w->m, a, b).rule != RH_NONE;
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

// Appends the touches of a pair to the n present; returns their number.
static int add_pair(rh_step_worker *worker, rh_shape_pair *pair, double margin,
                    rh_found_contact *list, int n)
{
  const rh_step_world *w = worker->world;
  const rh_geom *a = &w->search->geom[pair->a];
  const rh_geom *b = &w->search->geom[pair->b];
  if (n + w->sleep.ntouch + RH_MANIFOLD_MAX > w->contacts.capacity) {
    worker->full = true;
    return n;
  }
  bool ball = a->kind == w->shapes.sphere;
  int count = ball && b->kind == w->shapes.sphere  ? meet_spheres(a, b, margin, list + n)
              : ball && b->kind == w->shapes.plane ? meet_plane(a, b, margin, list + n)
                                                   : meet_any(w, pair, margin, list + n);
  for (int i = n; i < n + count; i++) {
    rh_found_contact *t = &list[i];
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

enum { SHAPES = 256 }; // per task

static void place_some(rh_step_worker *worker, int task)
{
  const rh_step_world *w = worker->world;
  double h = w->par.dt;
  for (int i = task * SHAPES; i < (task + 1) * SHAPES && i < w->m->nshape; i++) {
    int mobile = w->shapes.of[i].mobile;
    if (mobile == 0 || (rh_step_asleep(w, mobile) && !w->sleep.fresh)) {
      continue; // as placed by rh_step_create, or when it was awake
    }
    rh_step_place(w, i);
    w->shapes.reach[i] = reach_in(w, i, h) + w->shapes.skin;
    w->search->box[i] = shape_bounds(w, &w->search->geom[i], w->shapes.reach[i]);
  }
}

static void place_all(rh_step_world *w)
{
  rh_step_parallel_for(w, place_some, (w->m->nshape + SHAPES - 1) / SHAPES);
  for (int i = 0; i < w->shapes.nplane; i++) {
    const rh_geom *g = &w->search->geom[w->shapes.planes[i]];
    rh_vec3 up = rh_mat3_column(&g->R, 2);
    w->shapes.half[i] = (rh_half){up, rh_dot(up, g->p) + w->shapes.reach[w->shapes.planes[i]]};
  }
}

int rh_step_collide_pair(rh_step_worker *worker, int a, int b, rh_found_contact *list)
{
  const rh_step_world *w = worker->world;
  rh_shape_pair pair = rh_shape_pair_of(w->m, a, b);
  return add_pair(worker, &pair, w->shapes.reach[a] + w->shapes.reach[b], list, 0);
}

// Wakes sleepers that an awake mobile comes near; true: there were some.
static bool wake_near_sleepers(rh_step_world *w, const rh_broad_result *found)
{
  bool any = false;
  for (int i = 0; i < found->count; i++) {
    const rh_broad_pair *p = &found->pair[i];
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
static rh_broad_result find_pairs(rh_step_world *w)
{
  rh_broad_result found = rh_broad_find(w->search->broad, w->search->box, w->shapes.half);
  if (w->sleep.fresh) {
    rh_step_sleep_weigh(w);
  }
  while (w->sleep.n > 0 && wake_near_sleepers(w, &found)) {
    w->search->pairs_known = false; // the pair cache is lost, which costs time only
    found = rh_broad_find(w->search->broad, w->search->box, w->shapes.half);
  }
  return found;
}

// Prefetches a shape, for many bodies.
static inline void ask_for(const rh_geom *g)
{
  __builtin_prefetch(&g->p);
  __builtin_prefetch(&g->kind);
}

enum { AHEAD = 6 }; // pairs

// Appends the touches of pairs from .. end - 1 to the n present; returns their number.
static inline int add_pairs(rh_step_worker *worker, int from, int end, rh_found_contact *list,
                            int n)
{
  const rh_step_world *w = worker->world;
  for (int i = from; i < end; i++) {
    const rh_broad_pair *p = &w->pairs.near.pair[i];
    if (i + AHEAD < end) {
      ask_for(&w->search->geom[p[AHEAD].b]);
    }
    rh_shape_pair *pair = rh_pair_take(w->search, w->m, p, i);
    n = add_pair(worker, pair, w->shapes.reach[p->a] + w->shapes.reach[p->b], list, n);
  }
  return n;
}

// A part of the list of pairs, into the thread's own memory
static void meet_some(rh_step_worker *worker, int task)
{
  const rh_step_world *w = worker->world;
  int end = (task + 1) * RH_STEP_PAIRS < w->pairs.near.count ? (task + 1) * RH_STEP_PAIRS
                                                             : w->pairs.near.count;
  int n = add_pairs(worker, task * RH_STEP_PAIRS, end, worker->again, worker->nagain);
  w->pairs.part[task] = (rh_step_share_load){worker->again + worker->nagain, n - worker->nagain, 0};
  worker->nagain = n;
}

static void bring_some(rh_step_worker *worker, int task)
{
  const rh_step_world *w = worker->world;
  const rh_step_share_load *s = &w->pairs.part[task];
  if (s->n > 0) {
    memcpy(w->contacts.now + s->at, s->touch, (size_t)s->n * sizeof *s->touch);
    rh_found_contact first = *s->touch;
    first.id = INT_MIN;
    int from = rh_found_first(w->contacts.last, w->contacts.nlast, &first);
    rh_found_recall(w->m, w->contacts.now + s->at, s->n, w->contacts.last + from,
                    w->contacts.nlast - from);
  }
}

// Parts are found separately and then merged. False: no capacity, or only one thread.
static bool share_pairs(rh_step_world *w)
{
  int parts = (w->pairs.near.count + RH_STEP_PAIRS - 1) / RH_STEP_PAIRS;
  int threads = (int)w->par.threads;
  bool full = false;
  if (!w->pool || parts < 2) {
    return false;
  }
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
  if (full || w->contacts.n + w->sleep.ntouch + RH_MANIFOLD_MAX > w->contacts.capacity) {
    w->contacts.n = 0;
    return false;
  }
  rh_step_parallel_for(w, bring_some, parts);
  return true;
}

void rh_step_collide(rh_step_world *w)
{
  w->contacts.n = 0;
  if (w->m->nslot == 0) {
    return;
  }
  place_all(w);
  w->pairs.near = find_pairs(w);
  w->full = w->full || w->pairs.near.overflow;
  if (!share_pairs(w)) {
    w->contacts.n = add_pairs(&w->worker[0], 0, w->pairs.near.count, w->contacts.now, 0);
    rh_found_recall(w->m, w->contacts.now, w->contacts.n, w->contacts.last, w->contacts.nlast);
  }
  rh_pairs_end(w->search);
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

static int meet_again(rh_step_worker *worker, const rh_found_contact *t, double h, int n)
{
  const rh_step_world *w = worker->world;
  rh_shape_pair pair = {.a = t->a, .b = t->b, .rule = t->rule};
  double margin = w->shapes.skin;
  rh_step_place(w, t->a);
  rh_step_place(w, t->b);
  margin += t->ma ? reach_in(w, t->a, h) : 0;
  margin += t->mb ? reach_in(w, t->b, h) : 0;
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

void rh_step_pressed(const rh_step_world *w)
{
  if (w->m->nloop > 0) {
    return; // loops press too
  }
  for (int i = 1; i <= w->nfree; i++) {
    w->body[i].pressed = false;
  }
  for (int k = 0; k < w->contacts.n; k++) {
    const rh_found_contact *t = &w->contacts.now[k];
    if (rh_dot(t->f, t->f) > 0) {
      w->body[t->ma].pressed = t->ma != 0;
      w->body[t->mb].pressed = t->mb != 0;
    }
  }
}

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
    }
  }
}

// ---- Shapes that went through one another

static const double PART = 0.25; // of the thinner shape: a shorter way passes nothing

static bool is_thin(const rh_step_world *w, int shape)
{
  return rh_shape_bounded(w->m->shape[shape].kind);
}

double rh_step_thinnest(const rh_step_world *w)
{
  double thinnest = HUGE_VAL;
  for (int i = 0; i < w->m->nshape; i++) {
    thinnest = is_thin(w, i) ? fmin(thinnest, w->m->shape[i].width) : thinnest;
  }
  return thinnest;
}

// [m] maximum travel of a shape by its velocities at the end
static double way_at_end(const rh_step_world *w, int shape)
{
  int mobile = w->shapes.of[shape].mobile;
  double arm = w->shapes.of[shape].arm;
  if (mobile > w->nfree) {
    const rh_kin_body *k = &w->d->kin[w->m->shape[shape].body];
    return w->par.dt * (rh_norm(k->v.lin) + rh_norm(k->v.ang) * arm);
  }
  const rh_step_velocity *b = &w->velocity[mobile];
  return w->par.dt * (rh_norm(rh_step_read_vec(b->v)) + rh_norm(rh_step_read_vec(b->w)) * arm);
}

// Pairs within reach are known, nothing has moved yet.
void rh_step_pass_begin(rh_step_world *w)
{
  double longest = 0;
  for (int i = 0; i < w->m->nshape; i++) {
    longest = w->shapes.of[i].mobile ? fmax(longest, w->shapes.reach[i]) : longest;
  }
  // half of the half: a body may leave an impact at twice the speed of the other
  w->shapes.hurried = longest - w->shapes.skin > 0.25 * PART * w->shapes.thinnest;
  if (w->shapes.hurried) {
    memcpy(w->shapes.geom_start, w->search->geom, (size_t)w->m->nshape * sizeof *w->search->geom);
  }
}

// The contact of a pair that passed; RH_NONE: it did not
static int check_pair(rh_step_world *w, int a, int b)
{
  rh_step_place(w, a);
  rh_step_place(w, b);
  return rh_pair_passes(w->m, a, b, w->shapes.geom_start, w->search->geom)
             ? rh_shape_pair_of(w->m, a, b).rule
             : RH_NONE;
}

static int check_near(rh_step_world *w)
{
  const rh_model_shape *shape = w->m->shape;
  int found = RH_NONE;
  for (int i = 0; i < w->pairs.near.count && found == RH_NONE; i++) {
    int a = w->pairs.near.pair[i].a;
    int b = w->pairs.near.pair[i].b;
    double way =
        fmax(w->shapes.reach[a], way_at_end(w, a)) + fmax(w->shapes.reach[b], way_at_end(w, b));
    if (is_thin(w, a) && is_thin(w, b) && way > PART * fmin(shape[a].width, shape[b].width)) {
      found = check_pair(w, a, b);
    }
  }
  return found;
}

// Shapes that went farther than the search
static int check_flung(rh_step_world *w)
{
  int found = RH_NONE;
  for (int a = 0; a < w->m->nshape; a++) {
    bool flung = w->shapes.of[a].mobile && is_thin(w, a) && way_at_end(w, a) > w->shapes.reach[a];
    for (int b = 0; flung && b < w->m->nshape && found == RH_NONE; b++) {
      if (is_thin(w, b) && rh_step_may_collide(w, a, b)) {
        found = check_pair(w, a, b);
      }
    }
  }
  return found;
}

int rh_step_passed(rh_step_world *w)
{
  if (!w->shapes.hurried) {
    return RH_NONE;
  }
  rh_step_trees_place(w);
  int found = check_near(w);
  return found != RH_NONE ? found : check_flung(w);
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
