// Stage 3: islands: mobiles joined by contacts move together and independently of all others.
// Union-find over the contacts; islands in the order of their lowest mobile, contacts within one in
// the order found, so that nothing depends on threads or on the past.
//
// Threads: islands share only the ground, so that each may be stepped by any thread. A worker, one
// per thread, has its own scratch for the island that it steps: rows of trees and loops, Newton's
// method, the contacts of an island that is examined again. Results of islands (energies, impacts)
// are kept with the islands, and added and reported in their order, so that no bit depends on the
// number of threads. Work for each body, tree, shape or pair of shapes before there are islands is
// divided in parts of a fixed size.
#include "stepping.h"

#include <stdatomic.h>
#include <string.h>

enum {
  PART = 256,  // mobiles, or contacts, of a task
  MANY = 2048, // of both together, from which on threads share them
  SORTED = RH_STEP_SORTED,
};

// Threads join at the same time, and shorten one another's ways: every index leads to a lower one of its
// group, or is its root.
static int find_root(_Atomic int *joined, int i)
{
  int up = atomic_load_explicit(&joined[i], memory_order_relaxed);
  while (up != i) {
    int next = atomic_load_explicit(&joined[up], memory_order_relaxed);
    if (next != up) {
      atomic_store_explicit(&joined[i], next, memory_order_relaxed);
    }
    i = up;
    up = next;
  }
  return i;
}

// The lower root stays: in the end it is the lowest of its group, in whatever order mobiles are joined.
static void join_mobiles(_Atomic int *joined, int a, int b)
{
  for (;;) {
    int x = find_root(joined, a);
    int y = find_root(joined, b);
    int root = x < y ? y : x; // else another thread has joined it
    if (x == y ||
        atomic_compare_exchange_strong_explicit(&joined[root], &root, x < y ? x : y,
                                                memory_order_relaxed, memory_order_relaxed)) {
      return;
    }
  }
}

static int end_of_part(int task, int n)
{
  return n - task * PART < PART ? n : (task + 1) * PART;
}

void rh_step_islands_begin(const rh_step_world *w, int from, int end)
{
  for (int i = from; i < end; i++) {
    atomic_store_explicit(&w->parts.joined[i], i, memory_order_relaxed);
  }
}

void rh_step_islands_join(const rh_step_world *w, int from, int end)
{
  int a = 0; // joined just now: points of a face come together
  int b = 0;
  for (int k = from; k < end; k++) {
    const rh_found_contact *t = &w->contacts.now[k];
    w->parts.cell[k] = t->ma ? t->ma : t->mb;
    if (t->ma != 0 && t->mb != 0 && (t->ma != a || t->mb != b)) {
      a = t->ma;
      b = t->mb;
      join_mobiles(w->parts.joined, a, b);
    }
  }
}

// Each mobile gets its root, by a thread that writes to no other one: a way that another thread shortens
// now might end below the root.
static void find_roots(rh_step_worker *worker, int task)
{
  const rh_step_world *w = worker->world;
  int n = 0; // islands
  for (int i = task * PART; i < end_of_part(task, rh_step_mobiles(w) + 1); i++) {
    int root = i;
    int up = atomic_load_explicit(&w->parts.joined[root], memory_order_relaxed);
    while (up != root) {
      root = up;
      up = atomic_load_explicit(&w->parts.joined[root], memory_order_relaxed);
    }
    atomic_store_explicit(&w->parts.joined[i], root, memory_order_relaxed);
    n += i > 0 && root == i;
  }
  w->parts.chunk[task] = n;
}

static int root_of(const rh_step_world *w, int mobile)
{
  return atomic_load_explicit(&w->parts.joined[mobile], memory_order_relaxed);
}

static void number_roots(rh_step_worker *worker, int task)
{
  const rh_step_world *w = worker->world;
  int n = w->parts.chunk[task];
  for (int i = task * PART; i < end_of_part(task, rh_step_mobiles(w) + 1); i++) {
    if (i > 0 && root_of(w, i) == i) {
      w->parts.label[i] = n;
      w->island[n++] = (rh_step_island){0};
    }
  }
}

// Islands are numbered in the order of their lowest mobiles, which are their roots.
static void number_islands(rh_step_world *w, int parts)
{
  int n = 0;
  rh_step_parallel_for(w, find_roots, parts);
  for (int task = 0; task < parts; task++) {
    int here = w->parts.chunk[task];
    w->parts.chunk[task] = n;
    n += here;
  }
  rh_step_parallel_for(w, number_roots, parts);
  w->nisland = n;
}

static int island_of(const rh_step_world *w, int mobile)
{
  return w->parts.label[root_of(w, mobile)];
}

// Tasks are parts of the mobiles, then of the contacts
static void label_part(rh_step_worker *worker, int task)
{
  const rh_step_world *w = worker->world;
  const int mobiles = rh_step_mobiles(w) + 1;
  const int parts = (mobiles + PART - 1) / PART;
  for (int i = task * PART; task < parts && i < end_of_part(task, mobiles); i++) {
    w->parts.layer[i] = i > 0 ? island_of(w, i) : RH_NONE;
  }
  for (int k = (task - parts) * PART; task >= parts && k < end_of_part(task - parts, w->contacts.n);
       k++) {
    w->parts.cell[k] = island_of(w, w->parts.cell[k]);
  }
}

// The same by one thread, with the numbers of mobiles and contacts of each island
static void label_all(rh_step_world *w)
{
  const int mobiles = rh_step_mobiles(w);
  int n = 0;
  for (int i = 1; i <= mobiles; i++) {
    int root = find_root(w->parts.joined, i);
    if (root == i) {
      w->parts.label[i] = n;
      w->island[n++] = (rh_step_island){0};
    }
    w->parts.layer[i] = w->parts.label[root];
    w->island[w->parts.layer[i]].nmob++;
  }
  for (int k = 0; k < w->contacts.n; k++) {
    w->parts.cell[k] = w->parts.layer[w->parts.cell[k]];
    w->island[w->parts.cell[k]].ncon++;
  }
  w->nisland = n;
}

static void fill_all(rh_step_world *w)
{
  const int mobiles = rh_step_mobiles(w);
  for (int i = 1; i <= mobiles; i++) {
    rh_step_island *s = &w->island[w->parts.layer[i]];
    w->member[s->mob + s->nmob++] = i;
  }
  for (int k = 0; k < w->contacts.n; k++) {
    rh_step_island *s = &w->island[w->parts.cell[k]];
    w->order[s->con + s->ncon++] = k;
  }
}

// A thread has a range of islands, and looks through all labels for them: so each island gets its mobiles
// and contacts in order.
static bool is_shared(const rh_step_world *w)
{
  return w->pool && rh_step_mobiles(w) + w->contacts.n > MANY;
}

static void range_of(const rh_step_world *w, int task, int *first, unsigned *n)
{
  int ranges = rh_pool_threads(w->pool);
  *first = (int)((int64_t)w->nisland * task / ranges);
  *n = (unsigned)((int64_t)w->nisland * (task + 1) / ranges - *first);
}

static void count_range(rh_step_worker *worker, int task)
{
  const rh_step_world *w = worker->world;
  int first = 0;
  unsigned n = 0;
  range_of(w, task, &first, &n);
  for (int i = 1; i <= rh_step_mobiles(w); i++) {
    if ((unsigned)(w->parts.layer[i] - first) < n) {
      w->island[w->parts.layer[i]].nmob++;
    }
  }
  for (int k = 0; k < w->contacts.n; k++) {
    if ((unsigned)(w->parts.cell[k] - first) < n) {
      w->island[w->parts.cell[k]].ncon++;
    }
  }
}

static void fill_range(rh_step_worker *worker, int task)
{
  const rh_step_world *w = worker->world;
  int first = 0;
  unsigned n = 0;
  range_of(w, task, &first, &n);
  for (int i = 1; i <= rh_step_mobiles(w); i++) {
    if ((unsigned)(w->parts.layer[i] - first) < n) {
      rh_step_island *s = &w->island[w->parts.layer[i]];
      w->member[s->mob + s->nmob++] = i;
    }
  }
  for (int k = 0; k < w->contacts.n; k++) {
    if ((unsigned)(w->parts.cell[k] - first) < n) {
      rh_step_island *s = &w->island[w->parts.cell[k]];
      w->order[s->con + s->ncon++] = k;
    }
  }
}

// If islands are not very many: parts of the lists are counted and sorted, in order.
static int *counts_of(const rh_step_world *w, int part)
{
  return w->parts.count + (size_t)part * 2 * (size_t)w->nisland; // mobiles, then contacts, of each
}

static int begin_of(int n, int part)
{
  return (int)((int64_t)n * part / RH_STEP_SORTERS);
}

static void count_some(rh_step_worker *worker, int part)
{
  const rh_step_world *w = worker->world;
  const int mobiles = rh_step_mobiles(w);
  int *mob = counts_of(w, part);
  int *con = mob + w->nisland;
  memset(mob, 0, 2 * (size_t)w->nisland * sizeof *mob);
  for (int i = 1 + begin_of(mobiles, part); i <= begin_of(mobiles, part + 1); i++) {
    w->parts.layer[i] = island_of(w, i);
    mob[w->parts.layer[i]]++;
  }
  for (int k = begin_of(w->contacts.n, part); k < begin_of(w->contacts.n, part + 1); k++) {
    w->parts.cell[k] = island_of(w, w->parts.cell[k]);
    con[w->parts.cell[k]]++;
  }
}

// Numbers of a part become places in the islands, whose sums these are.
static void number_places(rh_step_worker *worker, int task)
{
  const rh_step_world *w = worker->world;
  for (int i = begin_of(w->nisland, task); i < begin_of(w->nisland, task + 1); i++) {
    rh_step_island *s = &w->island[i];
    for (int part = 0; part < RH_STEP_SORTERS; part++) {
      int *mob = counts_of(w, part) + i;
      int *con = mob + w->nisland;
      int mobiles = *mob;
      int contacts = *con;
      *mob = s->nmob;
      *con = s->ncon;
      s->nmob += mobiles;
      s->ncon += contacts;
    }
  }
}

static void fill_some(rh_step_worker *worker, int part)
{
  const rh_step_world *w = worker->world;
  const int mobiles = rh_step_mobiles(w);
  int *next = counts_of(w, part);
  for (int i = 1 + begin_of(mobiles, part); i <= begin_of(mobiles, part + 1); i++) {
    int island = w->parts.layer[i];
    w->member[w->island[island].mob + next[island]++] = i;
  }
  for (int k = begin_of(w->contacts.n, part); k < begin_of(w->contacts.n, part + 1); k++) {
    int island = w->parts.cell[k];
    w->order[w->island[island].con + next[w->nisland + island]++] = k;
  }
}

static void count_shared(rh_step_world *w, int parts)
{
  if (w->nisland <= SORTED) {
    rh_step_parallel_for(w, count_some, RH_STEP_SORTERS);
    if (w->nisland > 2 * RH_STEP_SORTERS) {
      rh_step_parallel_for(w, number_places, RH_STEP_SORTERS);
      return;
    }
    for (int task = 0; task < RH_STEP_SORTERS; task++) {
      number_places(&w->worker[0], task);
    }
    return;
  }
  rh_step_parallel_for(w, label_part, parts);
  rh_step_parallel_for(w, count_range, rh_pool_threads(w->pool));
}

static void fill_shared(rh_step_world *w)
{
  if (w->nisland > SORTED) {
    rh_step_parallel_for(w, fill_range, rh_pool_threads(w->pool));
    return;
  }
  rh_step_parallel_for(w, fill_some, RH_STEP_SORTERS);
  for (int i = 0; i < w->nisland; i++) { // where the last part has ended
    const int *end = counts_of(w, RH_STEP_SORTERS - 1) + i;
    w->island[i].nmob = end[0];
    w->island[i].ncon = end[w->nisland];
  }
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
  return &w->island[w->parts.layer[first_mobile(w, &w->m->loop[loop])]];
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
  const int mobiles = rh_step_mobiles(w);
  if (mobiles == 1) {
    take_all(w);
    return;
  }
  const int contacts = w->contacts.n;
  const int parts = (contacts + PART - 1) / PART;
  const int mobile_parts = (mobiles + PART) / PART; // and the world
  _Atomic int *joined = w->parts.joined;
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
  const bool shared = is_shared(w);
  if (shared) {
    number_islands(w, mobile_parts);
    count_shared(w, mobile_parts + parts);
  } else {
    label_all(w);
  }
  for (int k = 0; k < w->m->nloop; k++) {
    island_of_loop(w, k)->nloop++;
  }
  place_islands(w);
  if (shared) {
    fill_shared(w);
  } else {
    fill_all(w);
  }
  for (int k = 0; k < w->m->nloop; k++) {
    rh_step_island *s = island_of_loop(w, k);
    w->trees.loop_order[s->loop + s->nloop++] = k;
  }
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
