// Stage 3: islands: mobiles joined by contacts move together and independently of all others.
// Union-find over the contacts; islands in the order of their lowest mobile, contacts within one in
// the order found, so that nothing depends on threads or on the past.
//
// Slices of a large island let many threads work on it. Its free bodies are sorted along an axis
// into slices no thinner than any contact is long, from centre to centre: so a contact
// joins bodies of one slice, or of two neighbours, and belongs to the lower of the two. Contacts of
// every other slice then share no body: two colours. A pass over the contacts visits the even
// slices, all at once, and then the odd ones; within a slice it keeps the order in which contacts
// were found. Slices depend on the positions of bodies, never on the number of threads, and sums
// are added in the order of slices: no bit depends on threads.
// An island with trees or loops is one piece, as is one that a large body holds together.
//
// Threads: islands share only the ground, so that each may be stepped by any thread. A worker, one
// per thread, has its own scratch for the island that it steps: rows of trees and loops, Newton's
// method, the contacts of an island that is examined again. Results of islands (energies, impacts)
// are kept with the islands, and added and reported in their order, so that no bit depends on the
// number of threads. Work for each body, tree, shape or pair of shapes before there are islands is
// divided in parts of a fixed size.
#include "stepping.h"

#include <limits.h>
#include <stdatomic.h>
#include <string.h>

static int find_root(int *joined, int i)
{
  while (joined[i] != i) {
    joined[i] = joined[joined[i]];
    i = joined[i];
  }
  return i;
}

// The lower root stays.
static void join_mobiles(int *joined, int a, int b)
{
  int x = find_root(joined, a);
  int y = find_root(joined, b);
  joined[x < y ? y : x] = x < y ? x : y;
}

// All mobiles of an island get its root, the lowest one.
static void number_islands(rh_step_world *w)
{
  const int mobiles = w->nfree + w->trees.n;
  int *joined = w->parts.joined;
  int *label = w->parts.label;
  int n = 0;
  for (int i = 1; i <= mobiles; i++) {
    int r = find_root(joined, i);
    joined[i] = r;
    if (r == i) {
      label[i] = n;
      w->island[n++] = (rh_step_island){0};
    }
    w->island[label[r]].nmob++;
  }
  w->nisland = n;
}

static void place_islands(rh_step_world *w)
{
  int con = 0;
  int mob = 0;
  int tie = 0;
  for (int k = 0; k < w->nisland; k++) {
    rh_step_island *s = &w->island[k];
    s->con = con;
    s->mob = mob;
    s->loop = tie;
    con += s->ncon;
    mob += s->nmob;
    tie += s->nloop;
    s->ncon = s->nmob = s->nloop = 0;
  }
  const int mobiles = w->nfree + w->trees.n;
  int *member = w->member;
  for (int i = 1; i <= mobiles; i++) {
    rh_step_island *s = &w->island[w->parts.label[w->parts.joined[i]]];
    member[s->mob + s->nmob++] = i;
  }
}

// The mobile of side `side` of a loop or constraint: its ends, then its joints; 0: it does not move
static int mobile_of_side(const rh_step_world *w, const rh_model_loop *l, int side)
{
  return w->mobile[side == 0 ? l->a : side == 1 ? l->b : w->m->dof[l->dof[side - 2]].body];
}

static int first_mobile(const rh_step_world *w, const rh_model_loop *l)
{
  int mobile = 0;
  for (int side = 0; side < 2 + l->nterm && mobile == 0; side++) {
    mobile = mobile_of_side(w, l, side);
  }
  return mobile;
}

static rh_step_island *island_of_loop(const rh_step_world *w, int loop)
{
  return &w->island[w->parts.label[w->parts.joined[first_mobile(w, &w->m->loop[loop])]]];
}

// The island of a world with one mobile: everything, in its order.
static void take_all(rh_step_world *w)
{
  w->island[0] = (rh_step_island){.ncon = w->contacts.n, .nmob = 1, .nloop = w->m->nloop};
  w->nisland = 1;
  w->member[0] = 1;
  for (int k = 0; k < w->contacts.n; k++) {
    w->order[k] = k;
  }
  for (int k = 0; k < w->m->nloop; k++) {
    w->trees.loop_order[k] = k;
  }
}

void rh_step_islands(rh_step_world *w)
{
  const int mobiles = w->nfree + w->trees.n;
  if (mobiles == 1) {
    take_all(w);
    return;
  }
  const int contacts = w->contacts.n;
  int *joined = w->parts.joined;
  for (int i = 0; i <= mobiles; i++) {
    joined[i] = i;
  }
  for (int k = 0; k < contacts; k++) {
    const rh_found_contact *t = &w->contacts.now[k];
    if (t->ma != 0 && t->mb != 0) {
      join_mobiles(joined, t->ma, t->mb);
    }
  }
  for (int k = 0; k < w->m->nloop; k++) {
    const rh_model_loop *l = &w->m->loop[k];
    int a = first_mobile(w, l);
    for (int side = 0; side < 2 + l->nterm; side++) {
      int b = mobile_of_side(w, l, side);
      if (b != 0 && b != a) {
        join_mobiles(joined, a, b);
      }
    }
  }
  for (int i = 0; i < w->m->tendons.n; i++) {
    for (int k = 1; k < w->m->tendons.of[i].ndof; k++) {
      join_mobiles(joined, rh_step_tendon_mobile(w, i, 0), rh_step_tendon_mobile(w, i, k));
    }
  }
  number_islands(w);
  for (int k = 0; k < contacts; k++) {
    const rh_found_contact *t = &w->contacts.now[k];
    w->island[w->parts.label[joined[t->ma ? t->ma : t->mb]]].ncon++;
  }
  for (int k = 0; k < w->m->nloop; k++) {
    island_of_loop(w, k)->nloop++;
  }
  place_islands(w);
  for (int k = 0; k < w->m->nloop; k++) {
    rh_step_island *s = island_of_loop(w, k);
    w->trees.loop_order[s->loop + s->nloop++] = k;
  }
  int *order = w->order;
  for (int k = 0; k < contacts; k++) {
    const rh_found_contact *t = &w->contacts.now[k];
    rh_step_island *s = &w->island[w->parts.label[joined[t->ma ? t->ma : t->mb]]];
    order[s->con + s->ncon++] = k;
  }
}

// ---- Slices

enum {
  LARGE = 4096, // contacts from which on slices pay
  LEAST = 4,    // minimum number of slices
};

static const double LONG = 0.5; // of the longest axis

static double component_along(rh_vec3 x, int axis)
{
  return axis == 0 ? x.x : axis == 1 ? x.y : x.z;
}

typedef struct cut { // the axis, and the slices along it
  int axis;
  double lo, width; // [m]
  int n;
} cut;

typedef struct extent { // of an island
  double lo[3], hi[3];  // [m]
  double way[3];        // [m] from body to body in the order of their numbers, there and back
  double large[2];      // [m] the two largest sizes
} extent;

static extent extent_of(const rh_step_world *w, const rh_step_island *s)
{
  extent e = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {0}, {0}};
  rh_vec3 last = w->body[w->member[s->mob]].x;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    const rh_step_body *c = &w->body[w->member[k]];
    for (int axis = 0; axis < 3; axis++) {
      double x = component_along(c->x, axis);
      e.lo[axis] = x < e.lo[axis] ? x : e.lo[axis];
      e.hi[axis] = x > e.hi[axis] ? x : e.hi[axis];
      e.way[axis] += fabs(x - component_along(last, axis));
    }
    last = c->x;
    e.large[1] = fmax(e.large[1], fmin(c->size, e.large[0]));
    e.large[0] = fmax(e.large[0], c->size);
  }
  return e;
}

// [m] maximum length of a contact: two sizes, and the gap within which shapes are examined
static double longest_contact(const rh_step_world *w, const extent *e)
{
  double reach = 0;
  for (int i = 0; i < w->m->nshape; i++) {
    reach = w->shapes.of[i].mobile && w->shapes.reach[i] > reach ? w->shapes.reach[i] : reach;
  }
  return (e->large[0] + e->large[1] + 2 * reach) * (1 + 1e-9);
}

// Of the long axes the one along which bodies are numbered most smoothly: those of a slice are then
// close in memory.
static cut slices_of(const rh_step_world *w, const rh_step_island *s)
{
  extent e = extent_of(w, s);
  cut best = {0, 0, 0, 0};
  double longest = 0;
  double least = HUGE_VAL;
  for (int axis = 0; axis < 3; axis++) {
    longest = fmax(longest, e.hi[axis] - e.lo[axis]);
  }
  for (int axis = 0; axis < 3; axis++) {
    double width = e.hi[axis] - e.lo[axis];
    if (width >= LONG * longest && e.way[axis] < least * width) {
      least = e.way[axis] / width;
      best = (cut){axis, e.lo[axis], width, 0};
    }
  }
  double n = floor(best.width / longest_contact(w, &e));
  best.n = n < s->ncon / RH_STEP_SLICE ? (int)n : s->ncon / RH_STEP_SLICE;
  best.width /= best.n > 0 ? best.n : 1;
  return best;
}

static int slice_at(const cut *c, rh_vec3 x)
{
  int i = (int)((component_along(x, c->axis) - c->lo) / c->width);
  return i < c->n ? i : c->n - 1;
}

// The lower slice of its bodies
static int slice_of(const rh_step_world *w, const rh_found_contact *t)
{
  int a = t->ma ? w->parts.layer[t->ma] : INT_MAX;
  int b = t->mb ? w->parts.layer[t->mb] : INT_MAX;
  return a < b ? a : b;
}

// Sorts the contacts of an island by slices; within one they stay in order. Bodies, which are
// visited in turn only, are divided in equal parts.
static void sort_into_slices(const rh_step_world *w, const rh_step_island *s, const cut *c,
                             rh_step_slice *slice)
{
  int *contact = w->order + s->con;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    w->parts.layer[w->member[k]] = slice_at(c, w->body[w->member[k]].x);
  }
  for (int k = 0; k < s->ncon; k++) {
    slice[slice_of(w, &w->contacts.now[contact[k]])].ncon++;
  }
  for (int i = 0, con = s->con; i < c->n; i++) {
    slice[i].con = con;
    con += slice[i].ncon;
    slice[i].ncon = 0;
    slice[i].mob = s->mob + (int)((int64_t)s->nmob * i / c->n);
    slice[i].nmob = s->mob + (int)((int64_t)s->nmob * (i + 1) / c->n) - slice[i].mob;
  }
  memcpy(w->parts.spare, contact, (size_t)s->ncon * sizeof *contact);
  for (int k = 0; k < s->ncon; k++) {
    rh_step_slice *to = &slice[slice_of(w, &w->contacts.now[w->parts.spare[k]])];
    w->order[to->con + to->ncon++] = w->parts.spare[k];
  }
}

void rh_step_slices(rh_step_world *w)
{
  w->parts.nslice = 0;
  if (w->contacts.n < LARGE) {
    return;
  }
  for (int i = 0; i < w->nisland; i++) {
    rh_step_island *s = &w->island[i];
    bool free = s->nloop == 0 && w->member[s->mob + s->nmob - 1] <= w->nfree; // members ascend
    if (s->ncon < LARGE || !free) {
      continue;
    }
    cut c = slices_of(w, s);
    if (c.n < LEAST) {
      continue;
    }
    s->slice = w->parts.nslice;
    s->nslice = c.n;
    w->parts.nslice += c.n;
    memset(&w->parts.slice[s->slice], 0, (size_t)c.n * sizeof *w->parts.slice);
    sort_into_slices(w, s, &c, &w->parts.slice[s->slice]);
  }
}

// ---- Passes

typedef struct slice_job {
  rh_step_worker *worker; // of the island; read-only in a pass
  rh_step_slice *slice;
  rh_step_pass *pass;
  const void *user;
  int first, each; // slices first, first + each, ...
  int n;           // how many of them
} slice_job;

// A thread takes its own slices first, which it had in the last pass and has in its cache, then
// those that others have not taken.
static void do_slice(void *user, int task, int worker)
{
  const slice_job *j = user;
  int own = (int)((int64_t)worker * j->n / rh_pool_threads(j->worker->world->pool));
  (void)task;
  for (int k = 0; k < j->n; k++) {
    rh_step_slice *s = &j->slice[j->first + (own + k) % j->n * j->each];
    if (!atomic_exchange_explicit(&s->taken, true, memory_order_relaxed)) {
      j->pass(j->worker, s, j->user);
      return;
    }
  }
}

// One thread alone passes over the island once, each odd slice after the next even one, while their
// bodies are in the cache.
static void go_along(rh_step_worker *worker, const rh_step_island *s, rh_step_pass *pass,
                     const void *user)
{
  const rh_step_world *w = worker->world;
  rh_step_slice *slice = &w->parts.slice[s->slice];
  for (int i = 0; i < s->nslice + 1; i += 2) {
    if (i < s->nslice) {
      pass(worker, &slice[i], user);
    }
    if (i > 0) {
      pass(worker, &slice[i - 1], user);
    }
  }
}

static void share_out(rh_step_worker *worker, const rh_step_island *s, rh_step_pass *pass,
                      const void *user, bool apart)
{
  const rh_step_world *w = worker->world;
  int each = apart ? 2 : 1;
  for (int first = 0; first < each; first++) {
    slice_job j = {worker,
                   &w->parts.slice[s->slice],
                   pass,
                   user,
                   first,
                   each,
                   (s->nslice - first + each - 1) / each};
    for (int i = s->slice; i < s->slice + s->nslice; i++) {
      atomic_store_explicit(&w->parts.slice[i].taken, false, memory_order_relaxed);
    }
    rh_pool_run(w->pool, do_slice, &j, j.n);
  }
}

rh_step_slice rh_step_over_slices(rh_step_worker *worker, const rh_step_island *s,
                                  rh_step_pass *pass, const void *user, bool apart)
{
  const rh_step_world *w = worker->world;
  rh_step_slice sum = {.smooth = true};
  if (rh_pool_threads(w->pool) == 1) {
    go_along(worker, s, pass, user);
  } else {
    share_out(worker, s, pass, user, apart);
  }
  for (int i = s->slice; i < s->slice + s->nslice; i++) {
    sum.largest = fmax(sum.largest, w->parts.slice[i].largest);
    sum.largest_impact = fmax(sum.largest_impact, w->parts.slice[i].largest_impact);
    sum.work += w->parts.slice[i].work;
    sum.smooth = sum.smooth && w->parts.slice[i].smooth;
  }
  return sum;
}

// ---- Tasks

typedef struct job {
  rh_step_world *w;
  rh_step_task *task;
} job;

static void do_task(void *user, int task, int worker)
{
  const job *j = user;
  j->task(&j->w->worker[worker], task);
}

void rh_step_parallel_run(rh_step_world *w, rh_step_task *task, int n)
{
  job j = {w, task};
  rh_pool_run(w->pool, do_task, &j, n);
}
