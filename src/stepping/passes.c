// Passes over the cells of a large island (slices.c), shared out to threads. Each thread has a range of the blocks, of
// about as many contacts as any other, in every pass of a step. Where a pass writes to the bodies of contacts, a cell follows its
// neighbours of lower colours, and threads wait for those only, not for one another.
#include "stepping.h"

enum { COLOURS = RH_STEP_COLOURS };

typedef struct slice_job {
  rh_step_worker *worker; // of the island; read-only in a pass
  const rh_step_island *s;
  rh_step_slice *slice;
  rh_step_pass *pass;
  const void *user;
} slice_job;

// ---- Shares

// Cuts n pieces, of `size` slots, into shares of about as many contacts each.
static void cut_shares(const rh_step_world *w, const rh_step_island *s, int size, int *share)
{
  const rh_step_slice *slice = &w->parts.slice[s->slice];
  int threads = rh_pool_threads(w->pool);
  int n = s->nslice / size;
  int at = 0;
  int64_t sum = 0; // contacts before `at`
  for (int k = 0; k < threads; k++) {
    int64_t most = (int64_t)s->ncon * (k + 1) / threads;
    share[k] = at;
    for (; at < n; at++) {
      const rh_step_slice *last = &slice[size * at + size - 1];
      int here = last->con + last->ncon - slice[size * at].con;
      if (k + 1 < threads && sum + here / 2 >= most) {
        break;
      }
      sum += here;
    }
  }
  share[threads] = n;
}

// Of cells, by their slots, and of blocks
void rh_step_slices_share(rh_step_world *w, const rh_step_island *s)
{
  int *share = w->parts.share + s->share;
  cut_shares(w, s, 1, share);
  cut_shares(w, s, COLOURS, share + rh_pool_threads(w->pool) + 1);
}

// Slots of a colour before one
static int before_slot(int slot, int colour)
{
  return (slot - colour + COLOURS - 1) / COLOURS;
}

// Tasks of a share are its cells, colour by colour.
static int task_of(const rh_step_world *w, const rh_step_island *s, int slot)
{
  const int *share = w->parts.share + s->share;
  int low = 0;
  int high = rh_pool_threads(w->pool);
  while (high - low > 1) {
    int middle = (low + high) / 2;
    *(share[middle] <= slot ? &low : &high) = middle;
  }
  int task =
      share[low] + before_slot(slot, slot % COLOURS) - before_slot(share[low], slot % COLOURS);
  for (int colour = 0; colour < slot % COLOURS; colour++) {
    task += before_slot(share[low + 1], colour) - before_slot(share[low], colour);
  }
  return task;
}

// A cell follows its neighbours of lower colours.
static void find_neighbours(const rh_step_world *w, const rh_step_island *s, int task)
{
  int slot = w->parts.visit[task];
  int blocks = (s->columns + 1) / 2;
  int column = slot / COLOURS % blocks * 2 + slot % 2;
  int row = slot / COLOURS / blocks * 2 + slot % COLOURS / 2;
  int n = 0;
  for (int y = row > 0 ? row - 1 : 0; y <= row + 1 && y < s->rows; y++) {
    for (int x = column > 0 ? column - 1 : 0; x <= column + 1 && x < s->columns; x++) {
      int beside = rh_step_slot(s, x, y);
      if (beside % COLOURS < slot % COLOURS) {
        atomic_store_explicit(&w->parts.after[task][n++], s->slice + task_of(w, s, beside),
                              memory_order_relaxed);
      }
    }
  }
  if (n < RH_POOL_AFTER) {
    atomic_store_explicit(&w->parts.after[task][n], RH_NONE, memory_order_relaxed);
  }
}

void rh_step_slices_list(const rh_step_world *w, const rh_step_island *s, int share)
{
  const int *cells = w->parts.share + s->share;
  int task = s->slice + cells[share];
  for (int colour = 0; colour < COLOURS; colour++) {
    for (int slot = cells[share]; slot < cells[share + 1]; slot++) {
      if (slot % COLOURS == colour) {
        w->parts.visit[task] = slot;
        find_neighbours(w, s, task++);
      }
    }
  }
}

// ---- Cells

// What a pass found, but sums; no order matters
static void add_result(rh_step_slice *sum, const rh_step_slice *s)
{
  sum->largest = rh_greater(sum->largest, s->largest);
  sum->largest_impact = rh_greater(sum->largest_impact, s->largest_impact);
  sum->deepest = rh_greater(sum->deepest, s->deepest);
  sum->pressed = rh_greater(sum->pressed, s->pressed);
  sum->smooth = sum->smooth && s->smooth;
}

static void note_result(const slice_job *j, int worker, const rh_step_slice *s)
{
  const rh_step_parts *parts = &j->worker->world->parts;
  rh_step_sum *sum = &parts->sum[worker];
  if (sum->pass != *parts->passes) {
    sum->pass = *parts->passes;
    sum->of = *s;
  } else {
    add_result(&sum->of, s);
  }
}

static void visit_slot(const slice_job *j, int slot, int worker)
{
  rh_step_slice *s = &j->slice[slot];
  if (s->ncon > 0) {
    j->pass(j->worker, s, j->user);
    note_result(j, worker, s);
  }
}

static void do_cell(void *user, int task, int worker)
{
  const slice_job *j = user;
  visit_slot(j, j->worker->world->parts.visit[task], worker);
}

// The cells of a block in one: nothing is shared in this pass.
static void do_block(void *user, int task, int worker)
{
  const slice_job *j = user;
  rh_step_slice *first = &j->slice[COLOURS * task];
  const rh_step_slice *last = first + COLOURS - 1;
  rh_step_slice s = {.con = first->con,
                     .ncon = last->con + last->ncon - first->con,
                     .mob = first->mob,
                     .nmob = last->mob + last->nmob - first->mob,
                     .cell = true,
                     .smooth = true};
  j->pass(j->worker, &s, j->user);
  first->work = s.work;
  first->other = s.other;
  note_result(j, worker, &s);
}

// Cells of a row, each odd one after the even ones beside it
static void go_along_row(const slice_job *j, const rh_step_island *s, int y)
{
  for (int x = 0; x <= s->columns; x += 2) {
    for (int i = x; i >= 0 && i >= x - 1; i--) {
      if (i < s->columns) {
        visit_slot(j, rh_step_slot(s, i, y), 0);
      }
    }
  }
}

// One thread alone passes over the island once, each cell after its neighbours of lower colours, while
// their bodies are in the cache.
static void go_along(const slice_job *j, const rh_step_island *s)
{
  for (int y = 0; y <= s->rows; y += 2) {
    for (int i = y; i >= 0 && i >= y - 1; i--) {
      if (i < s->rows) {
        go_along_row(j, s, i);
      }
    }
  }
}

static void visit_all(slice_job *j, rh_step_way way)
{
  const rh_step_world *w = j->worker->world;
  int threads = rh_pool_threads(w->pool);
  bool apart = way == RH_STEP_APART;
  if (threads == 1 && apart) {
    go_along(j, j->s);
    return;
  }
  if (threads == 1) {
    rh_pool_run(NULL, do_block, j, j->s->nslice / COLOURS);
    return;
  }
  const int *share = w->parts.share + j->s->share;
  if (apart) {
    rh_pool_run_in_order(w->pool, do_cell, j, share, j->s->slice);
  } else {
    rh_pool_run_shares(w->pool, do_block, j, share + threads + 1);
  }
}

rh_step_slice rh_step_over_slices(rh_step_worker *worker, const rh_step_island *s,
                                  rh_step_pass *pass, const void *user, rh_step_way way)
{
  const rh_step_parts *parts = &worker->world->parts;
  rh_step_slice sum = {.largest = -HUGE_VAL, .largest_impact = -HUGE_VAL, .smooth = true};
  slice_job j = {worker, s, &parts->slice[s->slice], pass, user};
  ++*parts->passes;
  visit_all(&j, way);
  for (int k = 0; k < rh_pool_threads(worker->world->pool); k++) {
    if (parts->sum[k].pass == *parts->passes) {
      add_result(&sum, &parts->sum[k].of);
    }
  }
  for (int i = s->slice; way == RH_STEP_SUMMED && i < s->slice + s->nslice; i += COLOURS) {
    sum.work += parts->slice[i].work;
    sum.other += parts->slice[i].other;
  }
  return sum;
}
