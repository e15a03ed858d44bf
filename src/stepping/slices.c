// Slices of a large island let many threads work on it. Its free bodies are sorted along one or two axes, upright to
// gravity where it is long enough there, into cells no narrower than any contact is long, from centre to centre. So a
// contact joins bodies of one cell, or of neighbours, and belongs to the lowest of them along each axis: contacts of
// every other cell along each axis share no body. Those are the four colours, by even and odd columns and rows. A pass
// that writes to the bodies of contacts visits the cells of one colour, all at once, and then those of the next; within
// a cell it keeps the order in which contacts were found, which is mostly from the ground up.
// Four cells, one of each colour, are a block, and lie together in memory: a thread has the same blocks in every pass,
// its contacts and bodies stay in its cache, and no line of them is shared. Passes are in passes.c. Cells depend on the positions of bodies, never on
// the number of threads, and sums are added in the order of cells: no bit depends on threads.
// An island with trees or loops is one piece, as is one that a large body holds together.
#include "stepping.h"

#include "math/extremes.h"

#include <string.h>

enum {
  LEAST = 4,   // minimum number of slices
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
  int sorters; // parts of the lists that are sorted
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

// ---- Sorting by cells; what is in one cell stays in order

enum { ROW = 16 }; // bits of a column in `layer`, a row above them

enum { BODIES, CONTACTS, LISTS }; // what is sorted

static int begin_of(const sorting *j, int n, int part)
{
  return (int)((int64_t)n * part / j->sorters);
}

// Of a part of a list: the number in each cell, then how many come before it there
static int *counts_of(const sorting *j, int list, int part)
{
  return j->w->parts.count + (size_t)(list * j->sorters + part) * (size_t)j->slots;
}

static int slot_of_body(const sorting *j, int body)
{
  int layer = j->w->parts.layer[body];
  return rh_step_slot(j->s, layer & ((1 << ROW) - 1), layer >> ROW);
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
  return rh_step_slot(j->s, x, y);
}

static void place_bodies(void *user, int part, int worker)
{
  const sorting *j = user;
  const rh_step_world *w = j->w;
  int *count = counts_of(j, BODIES, part);
  int end = j->s->mob + begin_of(j, j->s->nmob, part + 1);
  (void)worker;
  memset(count, 0, (size_t)j->slots * sizeof *count);
  for (int k = j->s->mob + begin_of(j, j->s->nmob, part); k < end; k++) {
    int body = w->member[k];
    rh_vec3 x = w->body[body].x;
    w->parts.layer[body] = cell_at(&j->cut, 0, x) | cell_at(&j->cut, 1, x) << ROW;
    w->parts.label[k] = body;
    count[slot_of_body(j, body)]++;
  }
}

static void place_contacts(void *user, int part, int worker)
{
  const sorting *j = user;
  const rh_step_world *w = j->w;
  int *count = counts_of(j, CONTACTS, part);
  int end = j->s->con + begin_of(j, j->s->ncon, part + 1);
  (void)worker;
  memset(count, 0, (size_t)j->slots * sizeof *count);
  for (int k = j->s->con + begin_of(j, j->s->ncon, part); k < end; k++) {
    int contact = w->order[k];
    int slot = slot_of_contact(j, &w->contacts.now[contact]);
    w->parts.spare[k] = contact;
    w->parts.cell[k] = slot;
    count[slot]++;
  }
}

// How many of a list are in a cell
static int add_parts(const sorting *j, int list, int slot)
{
  int n = 0;
  for (int part = 0; part < j->sorters; part++) {
    int *count = counts_of(j, list, part) + slot;
    int here = *count;
    *count = n;
    n += here;
  }
  return n;
}

static void count_cells(void *user, int part, int worker)
{
  const sorting *j = user;
  rh_step_slice *slice = &j->w->parts.slice[j->s->slice];
  (void)worker;
  for (int i = begin_of(j, j->slots, part); i < begin_of(j, j->slots, part + 1); i++) {
    slice[i] = (rh_step_slice){
        .ncon = add_parts(j, CONTACTS, i), .nmob = add_parts(j, BODIES, i), .cell = true};
  }
}

static void place_cells(const sorting *j)
{
  rh_step_slice *slice = &j->w->parts.slice[j->s->slice];
  int con = j->s->con;
  int mob = j->s->mob;
  for (int i = 0; i < j->slots; i++) {
    slice[i].con = con;
    slice[i].mob = mob;
    con += slice[i].ncon;
    mob += slice[i].nmob;
  }
}

static void sort_part(const sorting *j, int part)
{
  const rh_step_world *w = j->w;
  const rh_step_slice *slice = &w->parts.slice[j->s->slice];
  int *mob = counts_of(j, BODIES, part);
  int *con = counts_of(j, CONTACTS, part);
  int end = j->s->mob + begin_of(j, j->s->nmob, part + 1);
  for (int k = j->s->mob + begin_of(j, j->s->nmob, part); k < end; k++) {
    int slot = slot_of_body(j, w->parts.label[k]);
    w->member[slice[slot].mob + mob[slot]++] = w->parts.label[k];
  }
  end = j->s->con + begin_of(j, j->s->ncon, part + 1);
  for (int k = j->s->con + begin_of(j, j->s->ncon, part); k < end; k++) {
    int slot = w->parts.cell[k];
    w->order[slice[slot].con + con[slot]++] = w->parts.spare[k];
  }
}

// Parts of the lists, then shares of the threads
static void sort_or_share(void *user, int task, int worker)
{
  const sorting *j = user;
  (void)worker;
  if (task < j->sorters) {
    sort_part(j, task);
  } else {
    rh_step_slices_list(j->w, j->s, task - j->sorters);
  }
}

static void sort_into_slices(sorting *j)
{
  rh_pool *pool = j->w->pool;
  rh_pool_run(pool, place_bodies, j, j->sorters);
  rh_pool_run(pool, place_contacts, j, j->sorters);
  rh_pool_run(pool, count_cells, j, j->sorters);
  place_cells(j);
  if (pool) {
    rh_step_slices_share(j->w, j->s);
  }
  rh_pool_run(pool, sort_or_share, j, j->sorters + (pool ? rh_pool_threads(pool) : 0));
}

void rh_step_slices(rh_step_world *w)
{
  w->parts.nslice = 0;
  if (w->contacts.n < RH_STEP_LARGE) {
    return;
  }
  int large = 0;
  for (int i = 0; i < w->nisland; i++) {
    rh_step_island *s = &w->island[i];
    bool free = s->nloop == 0 && w->member[s->mob + s->nmob - 1] <= w->nfree; // members ascend
    if (s->ncon < RH_STEP_LARGE || !free) {
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
    s->nslice = j.slots = RH_STEP_COLOURS * ((s->columns + 1) / 2) * ((s->rows + 1) / 2);
    w->parts.nslice += s->nslice;
    s->share = large++ * 2 * ((int)w->par.threads + 1);
    sort_into_slices(&j);
  }
}
