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

enum { PART = 1024 }; // mobiles, or contacts, of a task

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

static void begin_part(rh_step_worker *worker, int task)
{
  const rh_step_world *w = worker->world;
  for (int i = task * PART; i < end_of_part(task, w->nfree + w->trees.n + 1); i++) {
    atomic_store_explicit(&w->parts.joined[i], i, memory_order_relaxed);
  }
}

static void join_part(rh_step_worker *worker, int task)
{
  const rh_step_world *w = worker->world;
  for (int k = task * PART; k < end_of_part(task, w->contacts.n); k++) {
    const rh_found_contact *t = &w->contacts.now[k];
    if (t->ma != 0 && t->mb != 0) {
      join_mobiles(w->parts.joined, t->ma, t->mb);
    }
  }
}

// Each mobile gets its root, by a thread that writes to no other one: a way that another thread shortens
// now might end below the root.
static void find_roots(rh_step_worker *worker, int task)
{
  const rh_step_world *w = worker->world;
  for (int i = task * PART; i < end_of_part(task, w->nfree + w->trees.n + 1); i++) {
    int root = i;
    int up = atomic_load_explicit(&w->parts.joined[root], memory_order_relaxed);
    while (up != root) {
      root = up;
      up = atomic_load_explicit(&w->parts.joined[root], memory_order_relaxed);
    }
    atomic_store_explicit(&w->parts.joined[i], root, memory_order_relaxed);
  }
}

static int island_of(const rh_step_world *w, int mobile)
{
  return w->parts.label[atomic_load_explicit(&w->parts.joined[mobile], memory_order_relaxed)];
}

static void label_contacts(rh_step_worker *worker, int task)
{
  const rh_step_world *w = worker->world;
  for (int k = task * PART; k < end_of_part(task, w->contacts.n); k++) {
    const rh_found_contact *t = &w->contacts.now[k];
    w->parts.cell[k] = island_of(w, t->ma ? t->ma : t->mb);
  }
}

// All mobiles of an island have its root, the lowest one.
static void number_islands(rh_step_world *w)
{
  int n = 0;
  for (int i = 1; i <= w->nfree + w->trees.n; i++) {
    if (atomic_load_explicit(&w->parts.joined[i], memory_order_relaxed) == i) {
      w->parts.label[i] = n;
      w->island[n++] = (rh_step_island){0};
    }
    w->island[island_of(w, i)].nmob++;
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
    rh_step_island *s = &w->island[island_of(w, i)];
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
  return &w->island[island_of(w, first_mobile(w, &w->m->loop[loop]))];
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
  const int parts = (contacts + PART - 1) / PART;
  const int mobile_parts = (mobiles + PART) / PART; // and the world
  _Atomic int *joined = w->parts.joined;
  rh_step_parallel_for(w, begin_part, mobile_parts);
  rh_step_parallel_for(w, join_part, parts);
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
  rh_step_parallel_for(w, find_roots, mobile_parts);
  number_islands(w);
  rh_step_parallel_for(w, label_contacts, parts);
  const int *island = w->parts.cell; // of each contact
  for (int k = 0; k < contacts; k++) {
    w->island[island[k]].ncon++;
  }
  for (int k = 0; k < w->m->nloop; k++) {
    island_of_loop(w, k)->nloop++;
  }
  place_islands(w);
  for (int k = 0; k < w->m->nloop; k++) {
    rh_step_island *s = island_of_loop(w, k);
    w->trees.loop_order[s->loop + s->nloop++] = k;
  }
  for (int k = 0; k < contacts; k++) {
    rh_step_island *s = &w->island[island[k]];
    w->order[s->con + s->ncon++] = k;
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
