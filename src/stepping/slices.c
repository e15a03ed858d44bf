// Slices of a large island let many threads work on it. Its free bodies are sorted along one or two axes, upright to
// gravity where it is long enough there, into cells no narrower than any contact is long, from centre to centre. So a
// contact joins bodies of one cell, or of neighbours, and belongs to the lowest of them along each axis: contacts of
// every other cell along each axis share no body. Those are the four colours, by even and odd columns and rows. A pass
// that writes to the bodies of contacts visits the cells of one colour, all at once, and then those of the next; within
// a cell it keeps the order in which contacts were found, which is mostly from the ground up.
// Four cells, one of each colour, are a block, and lie together in memory: a thread has the same blocks in every pass,
// its contacts and bodies stay in its cache, and no line of them is shared. Cells depend on the positions of bodies, never on
// the number of threads, and sums are added in the order of cells: no bit depends on threads.
// An island with trees or loops is one piece, as is one that a large body holds together.
#include "stepping.h"

#include "math/extremes.h"

#include <string.h>

enum {
  LARGE = 4096, // contacts from which on slices pay
  LEAST = 4,    // minimum number of slices
  COLOURS = 4,
  PART = 1024, // bodies, or contacts, of a task
};

static double component_along(rh_vec3 x, int axis)
{
  return axis == 0 ? x.x : axis == 1 ? x.y : x.z;
}

// ---- Cells

typedef struct cut { // cells along two axes
  int axis[2], n[2];
  double lo[2], width[2]; // [m]
} cut;

typedef struct sorting { // of an island into its cells
  rh_step_world *w;
  rh_step_island *s;
  cut cut;
  int slots;   // places of cells: four a block
  int sorters; // parts of the list that is sorted,
  int n;       // its length,
  int *to;     // and where it goes
} sorting;

static int least_of(int a, int b)
{
  return a < b ? a : b;
}

static void add_extent(rh_step_extent *e, const rh_step_extent *of)
{
  for (int axis = 0; axis < 3; axis++) {
    e->lo[axis] = rh_lesser(e->lo[axis], of->lo[axis]);
    e->hi[axis] = rh_greater(e->hi[axis], of->hi[axis]);
  }
  for (int k = 0; k < 2; k++) {
    double lesser = rh_lesser(of->large[k], e->large[0]);
    e->large[0] = rh_greater(of->large[k], e->large[0]);
    e->large[1] = rh_greater(lesser, e->large[1]);
  }
}

static void measure_part(void *user, int task, int worker)
{
  const sorting *j = user;
  const rh_step_world *w = j->w;
  rh_step_extent e = w->parts.extent[worker];
  int end = j->s->mob + least_of(j->s->nmob, (task + 1) * PART);
  for (int k = j->s->mob + task * PART; k < end; k++) {
    const rh_step_body *c = &w->body[w->member[k]];
    const rh_step_extent one = {{c->x.x, c->x.y, c->x.z}, {c->x.x, c->x.y, c->x.z}, {c->size, 0}};
    add_extent(&e, &one);
  }
  w->parts.extent[worker] = e;
}

static rh_step_extent extent_of(sorting *j)
{
  static const rh_step_extent none = {
      {HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {0, 0}};
  rh_step_world *w = j->w;
  rh_step_extent all = none;
  for (int k = 0; k < rh_pool_threads(w->pool); k++) {
    w->parts.extent[k] = none;
  }
  rh_pool_run(w->pool, measure_part, j, (j->s->nmob + PART - 1) / PART);
  for (int k = 0; k < rh_pool_threads(w->pool); k++) {
    add_extent(&all, &w->parts.extent[k]);
  }
  return all;
}

static void cut_axis(cut *c, int which, int axis, int n, const rh_step_extent *e)
{
  c->axis[which] = axis;
  c->n[which] = n < 1 ? 1 : n;
  c->lo[which] = e->lo[axis];
  c->width[which] = (e->hi[axis] - e->lo[axis]) / c->n[which];
}

static double strength_along(const rh_step_world *w, int axis)
{
  return fabs(component_along(w->m->gravity, axis));
}

// Columns that go up with gravity: a sweep then passes the weight of a pile on from top to bottom. A
// tower is cut across.
static cut cells_of(const rh_step_world *w, const rh_step_island *s, const rh_step_extent *e)
{
  // [m] maximum length of a contact: two sizes, and the gap within which shapes are examined
  double longest = (e->large[0] + e->large[1] + 2 * w->shapes.farthest) * (1 + 1e-9);
  int most = s->ncon / RH_STEP_SLICE;
  int up = 2;
  double n[3];
  for (int axis = 0; axis < 3; axis++) {
    n[axis] = floor(rh_lesser((e->hi[axis] - e->lo[axis]) / longest, most));
    up = strength_along(w, axis) > strength_along(w, up) ? axis : up;
  }
  int x = up == 0 ? 1 : 0;
  int y = 3 - up - x;
  cut c;
  double cells = rh_greater(n[x], 1) * rh_greater(n[y], 1);
  if (cells < LEAST) {
    x = up;
    n[y] = 1;
    cells = n[x];
  }
  double share = cells > most ? sqrt(most / cells) : 1;
  double across = n[y] > 1 ? floor(share * n[y]) : 1;
  double along = rh_lesser(n[x], floor(most / rh_greater(across, 1)));
  cut_axis(&c, 0, x, (int)along, e);
  cut_axis(&c, 1, y, (int)across, e);
  return c;
}

static int cell_at(const cut *c, int which, rh_vec3 x)
{
  int i = c->n[which] > 1
              ? (int)((component_along(x, c->axis[which]) - c->lo[which]) / c->width[which])
              : 0;
  return i < c->n[which] ? i : c->n[which] - 1;
}

// The place of a cell: its block, and its colour
static int slot_of(const cut *c, int x, int y)
{
  int blocks = (c->n[0] + 1) / 2;
  return COLOURS * (y / 2 * blocks + x / 2) + x % 2 + 2 * (y % 2);
}

// ---- Sorting by cells; what is in one cell stays in order

enum { ROW = 16 }; // bits of a column in `layer`, a row above them

static void place_part(void *user, int task, int worker)
{
  const sorting *j = user;
  const rh_step_world *w = j->w;
  int end = j->s->mob + least_of(j->s->nmob, (task + 1) * PART);
  (void)worker;
  for (int k = j->s->mob + task * PART; k < end; k++) {
    rh_vec3 x = w->body[w->member[k]].x;
    w->parts.layer[w->member[k]] = cell_at(&j->cut, 0, x) | cell_at(&j->cut, 1, x) << ROW;
  }
}

static int slot_of_body(const sorting *j, int body)
{
  int layer = j->w->parts.layer[body];
  return slot_of(&j->cut, layer & ((1 << ROW) - 1), layer >> ROW);
}

// The lowest cell of its bodies along each axis
static int slot_of_contact(const sorting *j, const rh_found_contact *t)
{
  const int *layer = j->w->parts.layer;
  if (t->ma == 0 || t->mb == 0) {
    return slot_of_body(j, t->ma + t->mb);
  }
  int x = least_of(layer[t->ma] & ((1 << ROW) - 1), layer[t->mb] & ((1 << ROW) - 1));
  int y = least_of(layer[t->ma] >> ROW, layer[t->mb] >> ROW);
  return slot_of(&j->cut, x, y);
}

static int part_begin(const sorting *j, int part)
{
  return (int)((int64_t)j->n * part / j->sorters);
}

static void count_contacts(void *user, int task, int worker)
{
  const sorting *j = user;
  const rh_step_world *w = j->w;
  int *count = w->parts.count + (size_t)task * (size_t)j->slots;
  (void)worker;
  memset(count, 0, (size_t)j->slots * sizeof *count);
  for (int k = part_begin(j, task); k < part_begin(j, task + 1); k++) {
    int contact = w->order[j->s->con + k];
    int slot = slot_of_contact(j, &w->contacts.now[contact]);
    w->parts.spare[k] = contact;
    w->parts.cell[k] = slot;
    count[slot]++;
  }
}

static void count_bodies(void *user, int task, int worker)
{
  const sorting *j = user;
  const rh_step_world *w = j->w;
  int *count = w->parts.count + (size_t)task * (size_t)j->slots;
  (void)worker;
  memset(count, 0, (size_t)j->slots * sizeof *count);
  for (int k = part_begin(j, task); k < part_begin(j, task + 1); k++) {
    int body = w->member[j->s->mob + k];
    int slot = slot_of_body(j, body);
    w->parts.spare[k] = body;
    w->parts.cell[k] = slot;
    count[slot]++;
  }
}

static void sort_part(void *user, int task, int worker)
{
  const sorting *j = user;
  int *next = j->w->parts.count + (size_t)task * (size_t)j->slots;
  (void)worker;
  for (int k = part_begin(j, task); k < part_begin(j, task + 1); k++) {
    j->to[next[j->w->parts.cell[k]]++] = j->w->parts.spare[k];
  }
}

// Where each part has its place in each cell; the number in a cell
static int number_places(const sorting *j, int slot, int place)
{
  int *count = j->w->parts.count + slot;
  int n = 0;
  for (int p = 0; p < j->sorters; p++) {
    int here = count[(size_t)p * (size_t)j->slots];
    count[(size_t)p * (size_t)j->slots] = place + n;
    n += here;
  }
  return n;
}

static void sort_into_slices(sorting *j)
{
  rh_step_world *w = j->w;
  rh_step_slice *slice = &w->parts.slice[j->s->slice];
  rh_pool_run(w->pool, place_part, j, (j->s->nmob + PART - 1) / PART);
  j->to = w->order;
  j->n = j->s->ncon;
  rh_pool_run(w->pool, count_contacts, j, j->sorters);
  for (int i = 0, con = j->s->con; i < j->slots; i++) {
    slice[i] = (rh_step_slice){.con = con, .ncon = number_places(j, i, con), .cell = true};
    con += slice[i].ncon;
  }
  rh_pool_run(w->pool, sort_part, j, j->sorters);
  j->to = w->member;
  j->n = j->s->nmob;
  rh_pool_run(w->pool, count_bodies, j, j->sorters);
  for (int i = 0, mob = j->s->mob; i < j->slots; i++) {
    slice[i].mob = mob;
    slice[i].nmob = number_places(j, i, mob);
    mob += slice[i].nmob;
  }
  rh_pool_run(w->pool, sort_part, j, j->sorters);
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
    sorting j = {.w = w, .s = s, .sorters = w->pool ? RH_STEP_SORTERS : 1};
    rh_step_extent e = extent_of(&j);
    j.cut = cells_of(w, s, &e);
    if (j.cut.n[0] * j.cut.n[1] < LEAST) {
      continue;
    }
    s->columns = j.cut.n[0];
    s->rows = j.cut.n[1];
    s->slice = w->parts.nslice;
    s->nslice = j.slots = COLOURS * ((s->columns + 1) / 2) * ((s->rows + 1) / 2);
    w->parts.nslice += s->nslice;
    sort_into_slices(&j);
  }
}

// ---- Passes

typedef struct slice_job {
  rh_step_worker *worker; // of the island; read-only in a pass
  rh_step_slice *slice;
  rh_step_pass *pass;
  const void *user;
  int colour;
} slice_job;

// What a pass found, but sums; no order matters
static void add_result(rh_step_slice *sum, const rh_step_slice *s)
{
  sum->largest = rh_greater(sum->largest, s->largest);
  sum->largest_impact = rh_greater(sum->largest_impact, s->largest_impact);
  sum->deepest = rh_greater(sum->deepest, s->deepest);
  sum->pressed = rh_greater(sum->pressed, s->pressed);
  sum->smooth = sum->smooth && s->smooth;
}

static void do_cell(void *user, int task, int worker)
{
  const slice_job *j = user;
  rh_step_slice *s = &j->slice[COLOURS * task + j->colour];
  if (s->ncon > 0) {
    j->pass(j->worker, s, j->user);
    add_result(&j->worker->world->parts.sum[worker], s);
  }
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
  add_result(&j->worker->world->parts.sum[worker], &s);
}

// Cells of a row, each odd one after the even ones beside it
static void go_along_row(slice_job *j, const rh_step_island *s, int y)
{
  const cut c = {.n = {s->columns, s->rows}};
  for (int x = 0; x <= s->columns; x += 2) {
    for (int i = x; i >= 0 && i >= x - 1; i--) {
      if (i < s->columns) {
        int slot = slot_of(&c, i, y);
        j->colour = slot % COLOURS;
        do_cell(j, slot / COLOURS, 0);
      }
    }
  }
}

// One thread alone passes over the island once, each cell after its neighbours of lower colours, while
// their bodies are in the cache.
static void go_along(slice_job *j, const rh_step_island *s)
{
  for (int y = 0; y <= s->rows; y += 2) {
    for (int i = y; i >= 0 && i >= y - 1; i--) {
      if (i < s->rows) {
        go_along_row(j, s, i);
      }
    }
  }
}

static void visit_apart(slice_job *j, const rh_step_island *s)
{
  rh_pool *pool = j->worker->world->pool;
  int colours = s->rows > 1 ? COLOURS : 2;
  if (rh_pool_threads(pool) == 1) {
    go_along(j, s);
    return;
  }
  for (j->colour = 0; j->colour < colours; j->colour++) {
    rh_pool_run(pool, do_cell, j, s->nslice / COLOURS);
  }
}

rh_step_slice rh_step_over_slices(rh_step_worker *worker, const rh_step_island *s,
                                  rh_step_pass *pass, const void *user, rh_step_way way)
{
  const rh_step_world *w = worker->world;
  rh_step_slice sum = {.largest = -HUGE_VAL, .largest_impact = -HUGE_VAL, .smooth = true};
  slice_job j = {worker, &w->parts.slice[s->slice], pass, user, 0};
  int threads = rh_pool_threads(w->pool);
  for (int k = 0; k < threads; k++) {
    w->parts.sum[k] = sum;
  }
  if (way == RH_STEP_APART) {
    visit_apart(&j, s);
  } else {
    rh_pool_run(w->pool, do_block, &j, s->nslice / COLOURS);
  }
  for (int k = 0; k < threads; k++) {
    add_result(&sum, &w->parts.sum[k]);
  }
  for (int i = s->slice; way == RH_STEP_SUMMED && i < s->slice + s->nslice; i += COLOURS) {
    sum.work += w->parts.slice[i].work;
    sum.other += w->parts.slice[i].other;
  }
  return sum;
}
