// Stages 2 and 3: which shapes meet and where, within their reach in the step; a contact that was
// there a step ago, by shapes and feature, keeps its force. Pairs come in the order of their shapes
// (geometry/broad.c), points in the order of their features, independent of the past: the pair
// cache saves time only.
#include "stepping.h"

#include "geometry/pair.h"

#include <string.h>

// ---- Poses of shapes

// Maximum travel of a point of a shape in h: by its velocity, its spin and its acceleration.
static double reach_in(const rh_step_world *w, int shape, double h)
{
  int mobile = w->shape[shape].mobile;
  double arm = w->shape[shape].arm;
  if (mobile > w->nfree) {
    const rh_kin_body *k = &w->d->kin[w->m->shape[shape].body];
    return h * (rh_norm(k->v.lin) + rh_norm(k->v.ang) * arm) + 2 * h * h * rh_norm(w->m->gravity);
  }
  const rh_step_velocity *b = &w->hot[mobile];
  const rh_step_body *c = &w->cold[mobile];
  double v = sqrt(b->v[0] * b->v[0] + b->v[1] * b->v[1] + b->v[2] * b->v[2]);
  double s = sqrt(b->w[0] * b->w[0] + b->w[1] * b->w[1] + b->w[2] * b->w[2]);
  return h * (v + s * arm) + h * h * rh_norm(c->a);
}

void rh_step_place(rh_step_world *w, int i)
{
  const rh_model_shape *s = &w->m->shape[i];
  const rh_step_shape *x = &w->shape[i];
  rh_geom *g = &w->geom[i];
  const rh_step_body *c = &w->cold[x->mobile];
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
  if (g->kind == w->sphere) {
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
  bool moves = (w->shape[a].mobile != 0 || w->shape[b].mobile != 0) &&
               moving_ancestor(w->m, shape[a].body) != moving_ancestor(w->m, shape[b].body);
  return moves && rh_near_pair_of(w->m, a, b).contact != RH_NONE;
}

// ---- Pairs

static void put_point(rh_step_contact *t, rh_vec3 point, rh_vec3 n, double phi)
{
  t->id = 0;
  t->point = point;
  t->n = n;
  t->phi = phi;
}

static int meet_spheres(const rh_geom *a, const rh_geom *b, double margin, rh_step_contact *t)
{
  rh_vec3 d = rh_sub(a->p, b->p);
  double far = a->par[0] + b->par[0] + margin;
  double square = rh_dot(d, d);
  if (square > far * far) {
    return 0;
  }
  double length = sqrt(square);
  rh_vec3 n = length > 0 ? rh_scale(1 / length, d) : rh_v3(0, 0, 1);
  double phi = length - a->par[0] - b->par[0];
  put_point(t, rh_addscaled(b->p, b->par[0] + 0.5 * phi, n), n, phi);
  return 1;
}

static int meet_plane(const rh_geom *a, const rh_geom *b, double margin, rh_step_contact *t)
{
  rh_vec3 up = rh_mat3_column(&b->R, 2);
  double phi = rh_dot(up, rh_sub(a->p, b->p)) - a->par[0];
  if (phi > margin) {
    return 0;
  }
  put_point(t, rh_addscaled(a->p, -a->par[0], up), up, phi);
  return 1;
}

static int meet_any(const rh_step_world *w, rh_step_pair *pair, double margin, rh_step_contact *t)
{
  rh_manifold m;
  int n = rh_geom_meet(&w->geom[pair->a], &w->geom[pair->b], margin, &pair->cache, &m);
  if (w->geom[pair->b].kind == w->field) {
    n = rh_step_sweep_heightfield(w, pair, margin, &m);
  }
  for (int i = 0; i < n; i++) { // by feature
    int k = i;
    while (k > 0 && t[k - 1].id > m.at[i].id) {
      t[k] = t[k - 1];
      k--;
    }
    put_point(&t[k], m.at[i].point, m.at[i].normal, m.at[i].gap);
    t[k].id = m.at[i].id;
  }
  return n;
}

// Appends the touches of a pair to the n present; returns their number.
static int add_pair(rh_step_world *w, rh_step_pair *pair, double margin, rh_step_contact *list,
                    int n)
{
  const rh_geom *a = &w->geom[pair->a];
  const rh_geom *b = &w->geom[pair->b];
  if (n + w->nap.ntouch + RH_MEET_MAX > w->room) {
    w->full = true;
    return n;
  }
  bool ball = a->kind == w->sphere;
  int count = ball && b->kind == w->sphere  ? meet_spheres(a, b, margin, list + n)
              : ball && b->kind == w->plane ? meet_plane(a, b, margin, list + n)
                                            : meet_any(w, pair, margin, list + n);
  for (int i = n; i < n + count; i++) {
    rh_step_contact *t = &list[i];
    t->a = pair->a;
    t->b = pair->b;
    t->rule = pair->rule;
    t->ma = w->shape[pair->a].mobile;
    t->mb = w->shape[pair->b].mobile;
    t->f = rh_v3(0, 0, 0);
    t->since = 0;
    t->shared = false;
    t->stored = 0;
  }
  return n + count;
}

// ---- Lasting contacts

static int lower_shape(const rh_step_contact *t)
{
  return t->a < t->b ? t->a : t->b;
}

static int higher_shape(const rh_step_contact *t)
{
  return t->a < t->b ? t->b : t->a;
}

int rh_step_contact_order(const rh_step_contact *x, const rh_step_contact *y)
{
  int a = lower_shape(x) - lower_shape(y);
  int b = higher_shape(x) - higher_shape(y);
  return a != 0 ? a : b != 0 ? b : x->id < y->id ? -1 : x->id > y->id;
}

// The first entry of an ordered list that is not before x
static int find_touch(const rh_step_contact *list, int n, const rh_step_contact *x)
{
  int k = 0;
  while (k < n) {
    int middle = k + (n - k) / 2;
    bool before = rh_step_contact_order(&list[middle], x) < 0;
    k = before ? middle + 1 : k;
    n = before ? n : middle;
  }
  return k;
}

// Both lists are in order.
static inline void recall_forces(rh_step_contact *touch, int n, const rh_step_contact *old,
                                 int nold)
{
  int k = 0;
  for (int i = 0; i < n; i++) {
    while (k < nold && rh_step_contact_order(&old[k], &touch[i]) < 0) {
      k++;
    }
    if (k < nold && rh_step_contact_order(&old[k], &touch[i]) == 0) {
      touch[i].f = old[k].f;
      touch[i].since = old[k].since;
    }
  }
}

enum { SHAPES = 256 }; // per task

static void place_some(rh_step_world *w, int task)
{
  double h = w->par.dt;
  for (int i = task * SHAPES; i < (task + 1) * SHAPES && i < w->m->nshape; i++) {
    int mobile = w->shape[i].mobile;
    if (mobile == 0 || (rh_step_asleep(w, mobile) && !w->nap.fresh)) {
      continue; // as placed by rh_step_create, or when it was awake
    }
    rh_step_place(w, i);
    w->reach[i] = reach_in(w, i, h) + w->skin;
    w->box[i] = shape_bounds(w, &w->geom[i], w->reach[i]);
  }
}

static void place_all(rh_step_world *w)
{
  rh_step_parallel_for(w, place_some, (w->m->nshape + SHAPES - 1) / SHAPES);
  for (int i = 0; i < w->nplane; i++) {
    const rh_geom *g = &w->geom[w->planes[i]];
    rh_vec3 up = rh_mat3_column(&g->R, 2);
    w->half[i] = (rh_half){up, rh_dot(up, g->p) + w->reach[w->planes[i]]};
  }
}

static rh_step_pair pair_of(const rh_step_world *w, const rh_broad_pair *p)
{
  rh_near_pair pair = rh_near_pair_of(w->m, p->a, p->b);
  return (rh_step_pair){.a = pair.a, .b = pair.b, .rule = pair.contact};
}

int rh_step_collide_pair(rh_step_world *w, int a, int b, rh_step_contact *list)
{
  const rh_broad_pair p = {.a = a, .b = b};
  rh_step_pair pair = pair_of(w, &p);
  return add_pair(w, &pair, w->reach[a] + w->reach[b], list, 0);
}

// Wakes sleepers that an awake mobile comes near; true: there were some.
static bool wake_near_sleepers(rh_step_world *w, const rh_broad_result *found)
{
  bool any = false;
  for (int i = 0; i < found->count; i++) {
    const rh_broad_pair *p = &found->pair[i];
    int a = w->shape[p->a].mobile;
    int b = w->shape[p->b].mobile;
    bool differ = a != 0 && b != 0 && w->nap.asleep[a] != w->nap.asleep[b];
    if (differ && rh_step_collide_pair(w, p->a, p->b, w->again) > 0) {
      rh_step_wake(w, w->nap.asleep[a] ? a : b);
      any = true;
    }
  }
  return any;
}

// Pairs of shapes that may meet, except pairs that both sleep or do not move
static rh_broad_result find_pairs(rh_step_world *w)
{
  rh_broad_result found = rh_broad_find(w->broad, w->box, w->half);
  if (w->nap.fresh) {
    rh_step_sleep_weigh(w);
  }
  while (w->nap.n > 0 && wake_near_sleepers(w, &found)) {
    w->paired = false; // the pair cache is lost, which costs time only
    found = rh_broad_find(w->broad, w->box, w->half);
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
static inline int add_pairs(rh_step_world *w, int from, int end, rh_step_contact *list, int n)
{
  for (int i = from; i < end; i++) {
    const rh_broad_pair *p = &w->near.pair[i];
    rh_step_pair *pair = &w->pair[i];
    if (i + AHEAD < end) {
      ask_for(&w->geom[p[AHEAD].b]);
    }
    *pair = p->was != RH_NONE && w->paired ? w->pair_old[p->was] : pair_of(w, p);
    n = add_pair(w, pair, w->reach[p->a] + w->reach[p->b], list, n);
  }
  return n;
}

// A part of the list of pairs, into the thread's own memory
static void meet_some(rh_step_world *w, int task)
{
  int end = (task + 1) * RH_STEP_PAIRS < w->near.count ? (task + 1) * RH_STEP_PAIRS : w->near.count;
  int n = add_pairs(w, task * RH_STEP_PAIRS, end, w->again, w->nagain);
  w->share[task] = (rh_step_share_load){w->again + w->nagain, n - w->nagain, 0};
  w->nagain = n;
}

static void bring_some(rh_step_world *w, int task)
{
  const rh_step_share_load *s = &w->share[task];
  if (s->n > 0) {
    memcpy(w->touch + s->at, s->touch, (size_t)s->n * sizeof *s->touch);
    int from = find_touch(w->old, w->nold, s->touch);
    recall_forces(w->touch + s->at, s->n, w->old + from, w->nold - from);
  }
}

// Parts are found separately and then merged. False: no capacity, or only one thread.
static bool share_pairs(rh_step_world *w)
{
  int parts = (w->near.count + RH_STEP_PAIRS - 1) / RH_STEP_PAIRS;
  bool full = w->full;
  if (!w->crew || parts < 2) {
    return false;
  }
  w->nagain = 0;
  rh_step_parallel_for(w, meet_some, parts);
  for (int i = 0; i < parts; i++) {
    w->share[i].at = w->ntouch;
    w->ntouch += w->share[i].n;
  }
  if (w->full || w->ntouch + w->nap.ntouch + RH_MEET_MAX > w->room) {
    w->full = full;
    return false;
  }
  rh_step_parallel_for(w, bring_some, parts);
  return true;
}

void rh_step_collide(rh_step_world *w)
{
  w->ntouch = 0;
  if (w->m->nslot == 0) {
    return;
  }
  place_all(w);
  w->near = find_pairs(w);
  w->full = w->full || w->near.overflow;
  if (!share_pairs(w)) {
    w->ntouch = add_pairs(w, 0, w->near.count, w->touch, 0);
    recall_forces(w->touch, w->ntouch, w->old, w->nold);
  }
  rh_step_pair *last = w->pair_old;
  w->pair_old = w->pair;
  w->pair = last;
  w->paired = true;
}

// Touches of the pair of contact k, unchanged
static int copy_pair(rh_step_world *w, const rh_step_island *s, int k, int n)
{
  const rh_step_contact *first = &w->touch[w->order[k]];
  for (int i = k; i < s->con + s->ncon && n < w->room; i++) {
    const rh_step_contact *t = &w->touch[w->order[i]];
    if (t->a != first->a || t->b != first->b) {
      break;
    }
    w->again[n++] = *t;
  }
  return n;
}

static int meet_again(rh_step_world *w, const rh_step_contact *t, double h, int n)
{
  rh_step_pair pair = {.a = t->a, .b = t->b, .rule = t->rule};
  double margin = w->skin;
  rh_step_place(w, t->a);
  rh_step_place(w, t->b);
  margin += t->ma ? reach_in(w, t->a, h) : 0;
  margin += t->mb ? reach_in(w, t->b, h) : 0;
  return add_pair(w, &pair, margin, w->again, n);
}

int rh_step_collide_island(rh_step_world *w, const rh_step_island *s, double h, bool all,
                           const rh_step_missed *late)
{
  const rh_step_contact *last = NULL;
  int n = 0;
  int used = 0;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    if (w->member[k] > w->nfree) {
      rh_step_tree_place(w, w->member[k]);
    }
  }
  for (int k = s->con; k < s->con + s->ncon; k++) {
    const rh_step_contact *t = &w->touch[w->order[k]];
    if (last && last->a == t->a && last->b == t->b) {
      continue;
    }
    last = t;
    int from = n;
    bool moved = all || w->cold[t->ma].ahead > 0 || w->cold[t->mb].ahead > 0;
    n = moved ? meet_again(w, t, h, n) : copy_pair(w, s, k, n);
    for (; late && used < late->n && late->at[used].home == k; used++) {
      if (n == w->room) {
        w->full = true;
        return n;
      }
      w->again[n++] = late->at[used];
    }
    for (int i = from; i < n; i++) {
      w->again[i].home = k;
    }
  }
  return n;
}

void rh_step_pressed(rh_step_world *w)
{
  if (w->m->nloop > 0) {
    return; // loops press too
  }
  for (int i = 1; i <= w->nfree; i++) {
    w->cold[i].pressed = false;
  }
  for (int k = 0; k < w->ntouch; k++) {
    const rh_step_contact *t = &w->touch[k];
    if (rh_dot(t->f, t->f) > 0) {
      w->cold[t->ma].pressed = t->ma != 0;
      w->cold[t->mb].pressed = t->mb != 0;
    }
  }
}

// Lists of one pair are in the order of features, and pairs in that of the island's contacts.
void rh_step_copy_forces(rh_step_world *w, const rh_step_island *s, rh_step_contact *list, int n,
                         bool out)
{
  int i = 0;
  int first = s->con; // of the pair
  if (list == w->touch) {
    return; // they are the same
  }
  for (int k = s->con; k < s->con + s->ncon; k++) {
    rh_step_contact *t = &w->touch[w->order[k]];
    const rh_step_contact *f = &w->touch[w->order[first]];
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
    }
  }
}
