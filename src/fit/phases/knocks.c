// knocks.c: impacts that stand alone: two flights meet in place and attitude at one instant, and one point of the body is nearest
// there. Of trials of single rows, two rows with measured velocities and a pose in the first. What happens more than once between
// two flights, or at an edge or a face, is counted and left out.
#include "phases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ODD 3.0 // times the usual residual: a flight that is none
// Two flights meet up to this part of the jump of the velocity times the time between them: contacts last a while.
#define MEET      0.01
#define MEET_SURE 4.0   // deviations
#define GAP       0.08  // [1] of the reach of the shapes: overlap or gap in an impact
#define LONE      0.025 // [1] of the reach: the next point is higher by that
#define LINGER    1.2   // [1] of the time that it takes to pass the margin
#define NUDGE     1e-3  // [1] of the size of a body's value, for differences to both sides
#define APART     0.1   // [s] between two flights at most

enum { GRID = 16, HALVINGS = 50 };

typedef struct meeting { // two flights with an impact between
  int trial, row;
  rh_fit_arc arc[2];
} meeting;

typedef struct finder {
  rh_fit_rows *rows;
  rh_data *world;
  rh_fit_knocks *to;
  meeting *pair;
  int n, room;
} finder;

static rh_vec3 turn_between(rh_quat a, rh_quat b) // small turns
{
  rh_quat q = rh_quat_mul(a, rh_quat_conj(b));
  return rh_scale(q.w < 0 ? -2 : 2, rh_v3(q.x, q.y, q.z));
}

// ---- Flights

static bool add_pair(finder *f, const meeting *pair)
{
  if (f->n == f->room) {
    int room = f->room == 0 ? 64 : 2 * f->room;
    meeting *larger = rh_realloc(f->pair, (size_t)room * sizeof *larger);
    if (larger == NULL) {
      return false;
    }
    f->pair = larger;
    f->room = room;
  }
  f->pair[f->n++] = *pair;
  return true;
}

// Rows [first, end) of one series
static bool pair_flights(finder *f, int trial, int first, int end)
{
  const rh_fit_rows *r = f->rows;
  const rh_fit_gaps gaps = {r->gap, r->data->t, r->margin};
  int last[2] = {0, 0}; // the flight before: first row, end
  for (int row = first; row < end;) {
    int stop = rh_fit_end_of_flight(&gaps, row, end);
    if (stop == row) {
      row++;
      continue;
    }
    int before = last[1] - last[0] < RH_FIT_ARC_MOST ? last[1] - last[0] : RH_FIT_ARC_MOST;
    int after = stop - row < RH_FIT_ARC_MOST ? stop - row : RH_FIT_ARC_MOST;
    meeting pair = {.trial = trial, .row = last[1] - 1};
    if (before >= RH_FIT_ARC_LEAST && after >= RH_FIT_ARC_LEAST &&
        r->data->t[row] - r->data->t[last[1] - 1] < APART &&
        rh_fit_arc_of(r, last[1] - before, before, r->data->t[last[1] - 1], &pair.arc[0]) &&
        rh_fit_arc_of(r, row, after, r->data->t[row], &pair.arc[1]) && !add_pair(f, &pair)) {
      return false;
    }
    last[0] = row;
    last[1] = stop;
    row = stop;
  }
  return true;
}

// ---- Noise

static int compare_numbers(const void *a, const void *b)
{
  double x = *(const double *)a;
  double y = *(const double *)b;
  return (x > y) - (x < y);
}

static double variance_of(const rh_fit_arc *arc, int k)
{
  return arc->square[k] / (3 * arc->rows - 6);
}

static bool find_noise(finder *f)
{
  double *list = rh_alloc((size_t)(2 * f->n + 1) * sizeof *list);
  for (int k = 0; k < 2 && list != NULL && f->n > 0; k++) {
    for (int i = 0; i < 2 * f->n; i++) {
      list[i] = variance_of(&f->pair[i / 2].arc[i % 2], k);
    }
    qsort(list, (size_t)(2 * f->n), sizeof *list, compare_numbers);
    f->rows->noise[k] = sqrt(fmax(list[f->n], 1e-24));
  }
  bool good = list != NULL;
  rh_free(list);
  return good;
}

// ---- Where they meet

static double measure_apart(const finder *f, const meeting *pair, double t, rh_fit_state state[2])
{
  double sum = 0;
  rh_fit_arc_at(f->rows, &pair->arc[0], t, &state[0]);
  rh_fit_arc_at(f->rows, &pair->arc[1], t, &state[1]);
  rh_vec3 off[2] = {rh_sub(state[0].p, state[1].p), turn_between(state[0].q, state[1].q)};
  for (int k = 0; k < 2; k++) {
    double a = state[0].spread[k];
    double b = state[1].spread[k];
    sum += rh_dot(off[k], off[k]) / (a * a + b * b);
  }
  return sum;
}

static double find_meeting(const finder *f, const meeting *pair, rh_fit_state state[2])
{
  double from = pair->arc[0].to;
  double step = (pair->arc[1].from - from) / GRID;
  int best = 0;
  double least = HUGE_VAL;
  for (int i = -1; i <= GRID + 1; i++) {
    double x = measure_apart(f, pair, from + i * step, state);
    best = x < least ? i : best;
    least = fmin(least, x);
  }
  double lo = from + (best - 1) * step;
  double hi = from + (best + 1) * step;
  for (int i = 0; i < HALVINGS; i++) {
    double a = lo + 0.4 * (hi - lo);
    double b = hi - 0.4 * (hi - lo);
    bool left = measure_apart(f, pair, a, state) < measure_apart(f, pair, b, state);
    *(left ? &hi : &lo) = left ? b : a;
  }
  double t = 0.5 * (lo + hi);
  (void)measure_apart(f, pair, t, state);
  return t;
}

static bool do_meet(const meeting *pair, const rh_fit_state state[2])
{
  double dt = pair->arc[1].from - pair->arc[0].to;
  rh_vec3 off[2] = {rh_sub(state[0].p, state[1].p), turn_between(state[0].q, state[1].q)};
  for (int k = 0; k < 2; k++) {
    double jump = 0;
    for (int i = 3 * k; i < 3 * k + 3; i++) {
      double dz = state[1].z[i] - state[0].z[i];
      jump += dz * dz;
    }
    double a = state[0].spread[k];
    double b = state[1].spread[k];
    if (rh_norm(off[k]) > MEET_SURE * sqrt(a * a + b * b) + MEET * sqrt(jump) * dt) {
      return false;
    }
  }
  return true;
}

static rh_fit_knock *add_knock(rh_fit_knocks *to)
{
  if (to->n == to->room) {
    int room = to->room == 0 ? 64 : 2 * to->room;
    rh_fit_knock *larger = rh_realloc(to->at, (size_t)room * sizeof *larger);
    if (larger == NULL) {
      return NULL;
    }
    to->at = larger;
    to->room = room;
  }
  rh_fit_knock *knock = &to->at[to->n++];
  *knock = (rh_fit_knock){0};
  return knock;
}

// Does one point of the body touch there?
static bool is_lone(const finder *f, rh_vec3 p, rh_quat q, double gap, rh_fit_touch *touch)
{
  rh_fit_pose(f->world, f->rows->body, p, q);
  return rh_fit_find_touch(f->world, f->rows->body, f->rows->margin, touch) &&
         fabs(touch->gap) < gap && touch->next - touch->gap > LONE * f->rows->reach;
}

// Speed of the contact point along the normal
static double normal_speed(const rh_fit_state *state, const rh_fit_touch *touch)
{
  const double *z = state->z;
  rh_vec3 arm = rh_sub(touch->point, state->p);
  rh_vec3 u = rh_add(rh_v3(z[0], z[1], z[2]), rh_cross(rh_v3(z[3], z[4], z[5]), arm));
  return rh_dot(u, touch->n);
}

// One impact keeps the point within the margin while it comes and goes; with the rows beside that is the time between both flights.
// What takes longer has touched again.
static bool is_brief(const finder *f, const meeting *pair, const rh_fit_state state[2],
                     const rh_fit_touch *touch)
{
  double come = -normal_speed(&state[0], touch);
  double go = normal_speed(&state[1], touch);
  const rh_fit_arc *arc = pair->arc;
  double row = fmax((arc[0].to - arc[0].from) / (arc[0].rows - 1),
                    (arc[1].to - arc[1].from) / (arc[1].rows - 1));
  double near = f->rows->margin + fmax(-touch->gap, 0);
  return come > 0 && go > 0 &&
         arc[1].from - arc[0].to < 2 * row + LINGER * near * (1 / come + 1 / go);
}

// How the velocities on a side depend on the centre of mass and the moments of inertia, by which the flight is evaluated
static void find_dependence(finder *f, const rh_fit_arc *arc, int side, rh_fit_knock *knock)
{
  rh_fit_rows *r = f->rows;
  rh_vec3 com = r->com;
  rh_inertia inertia = r->inertia;
  for (int k = 0; k < RH_FIT_BODY; k++) {
    double step = k < 3 ? NUDGE * r->reach : NUDGE * (inertia.I.xx + inertia.I.yy + inertia.I.zz);
    rh_fit_state state[2];
    for (int s = 0; s < 2; s++) {
      double x[RH_FIT_BODY];
      rh_fit_arc other;
      rh_fit_body_numbers(&inertia, com, x);
      x[k] += s == 0 ? step : -step;
      r->com = rh_v3(x[0], x[1], x[2]);
      r->inertia.I.xx = x[3];
      r->inertia.I.yy = x[4];
      r->inertia.I.zz = x[5];
      (void)rh_fit_arc_of(r, arc->first, arc->rows, arc->t0, &other);
      rh_fit_arc_at(r, &other, knock->t, &state[s]);
    }
    for (int i = 0; i < 6; i++) {
      knock->by_body[6 * side + i][k] = (state[0].z[i] - state[1].z[i]) / (2 * step);
    }
    r->com = com;
    r->inertia = inertia;
  }
  rh_fit_body_numbers(&inertia, com, knock->body);
}

static bool take_pair(finder *f, const meeting *pair)
{
  rh_fit_state state[2];
  for (int i = 0; i < 4; i++) {
    if (sqrt(variance_of(&pair->arc[i / 2], i % 2)) > ODD * f->rows->noise[i % 2]) {
      f->to->crowded++;
      return true;
    }
  }
  double t = find_meeting(f, pair, state);
  double gap = GAP * f->rows->reach + 2 * f->rows->margin;
  rh_fit_touch touch;
  if (!do_meet(pair, state) || !is_lone(f, state[0].p, state[0].q, gap, &touch) ||
      !is_brief(f, pair, state, &touch)) {
    f->to->crowded++;
    return true;
  }
  rh_fit_knock *knock = add_knock(f->to);
  if (knock == NULL) {
    return false;
  }
  knock->trial = pair->trial;
  knock->row = pair->row;
  knock->t = t;
  knock->p = rh_scale(0.5, rh_add(state[0].p, state[1].p));
  rh_vec3 turn =
      rh_scale(0.25, turn_between(state[1].q, state[0].q)); // half of the way, half of the angle
  knock->q = rh_quat_unit(rh_quat_mul((rh_quat){1, turn.x, turn.y, turn.z}, state[0].q));
  for (int i = 0; i < 2; i++) {
    knock->turn += 0.25 * state[i].spread[1] * state[i].spread[1];
    knock->with_rate[i] = 0.5 * state[i].with_rate;
  }
  memcpy(knock->before, state[0].z, sizeof knock->before);
  memcpy(knock->after, state[1].z, sizeof knock->after);
  memcpy(knock->Cb, state[0].C, sizeof knock->Cb);
  memcpy(knock->Ca, state[1].C, sizeof knock->Ca);
  find_dependence(f, &pair->arc[0], 0, knock);
  find_dependence(f, &pair->arc[1], 1, knock);
  return true;
}

// ---- Rows with velocities

// Velocity of the body in a row; false: it was not measured.
static bool read_velocity(const finder *f, const rh_fit_work *k, int row, double z[6], double C[36])
{
  const rh_fit_map *map = rh_fit_map_of(k->problem);
  const rh_model *m = f->world->model;
  memset(C, 0, 36 * sizeof *C);
  for (int i = 0; i < 6; i++) {
    int at = m->nq + m->body[f->rows->body].vadr + i;
    int column = RH_NONE;
    for (int c = 0; c < map->nchannel; c++) {
      column = map->coordinate[c] == at ? c : column;
    }
    if (column == RH_NONE) {
      return false;
    }
    z[i] = k->data->value[(size_t)row * (size_t)k->data->nchannel + (size_t)column];
    double noise = k->data->noise[column];
    double usual = i < 3 ? 1 : 1 / fmax(f->rows->reach, 1e-9);
    C[7 * i] = noise > 0 ? noise * noise : usual * usual;
    if (!isfinite(z[i])) {
      return false;
    }
  }
  return true;
}

// The body flies on with its velocity to where it touches.
static bool take_rows(finder *f, const rh_fit_work *k, int trial, int row)
{
  rh_fit_knock one = {.trial = trial, .row = row};
  if (isnan(f->rows->gap[row]) || !read_velocity(f, k, row, one.before, one.Cb) ||
      !read_velocity(f, k, row + 1, one.after, one.Ca)) {
    return true;
  }
  rh_fit_touch touch;
  rh_vec3 v = rh_v3(one.before[0], one.before[1], one.before[2]);
  rh_vec3 w = rh_v3(one.before[3], one.before[4], one.before[5]);
  one.p = f->rows->p[row];
  one.q = f->rows->q[row];
  double limit = k->data->t[row + 1] - k->data->t[row];
  for (int pass = 0; pass < 3; pass++) {
    rh_fit_pose(f->world, f->rows->body, one.p, one.q);
    if (!rh_fit_find_touch(f->world, f->rows->body, f->rows->margin, &touch)) {
      return true;
    }
    double close = -rh_dot(touch.n, rh_add(v, rh_cross(w, rh_sub(touch.point, one.p))));
    double dt = close > 0 ? touch.gap / close : 0;
    if (!(close > 0) || dt > limit) {
      return true; // no impact
    }
    rh_quat turn = {1, 0.5 * dt * w.x, 0.5 * dt * w.y, 0.5 * dt * w.z};
    one.p = rh_addscaled(one.p, dt, v);
    one.q = rh_quat_unit(rh_quat_mul(turn, one.q));
    one.t = k->data->t[row] + dt;
  }
  if (!is_lone(f, one.p, one.q, GAP * f->rows->reach, &touch)) {
    f->to->crowded++;
    return true;
  }
  rh_fit_knock *knock = add_knock(f->to);
  if (knock == NULL) {
    return false;
  }
  *knock = one;
  return true;
}

// ---- All

// Windows of one series of the files follow one another: its rows are all of theirs.
static bool walk_series(finder *f, const rh_fit_work *k, bool by_rows)
{
  const rh_fit_data *d = k->data;
  bool good = true;
  for (int i = 0; i < d->ntrial && good;) {
    int first = d->trial[i].first;
    int end = first + d->trial[i].n;
    int next = i + 1;
    while (next < d->ntrial && d->trial[next].from == d->trial[i].from &&
           d->trial[next].first >= first) {
      int stop = d->trial[next].first + d->trial[next].n;
      end = stop > end ? stop : end;
      next++;
    }
    good = by_rows || pair_flights(f, i, first, end);
    for (int row = first; row + 1 < end && good && by_rows; row++) {
      good = take_rows(f, k, i, row);
    }
    i = next;
  }
  return good;
}

rh_status rh_fit_find_knocks(const rh_fit_work *k, const rh_fit_world *world, rh_fit_rows *rows,
                             rh_fit_knocks *knocks)
{
  finder f = {.rows = rows, .to = knocks, .world = rh_data_create(world->model)};
  *knocks = (rh_fit_knocks){0};
  bool good = f.world != NULL && walk_series(&f, k, false) && find_noise(&f);
  for (int i = 0; i < f.n && good; i++) {
    good = take_pair(&f, &f.pair[i]);
  }
  if (good && f.n == 0) {
    knocks->by_rows = true;
    good = walk_series(&f, k, true);
  }
  rh_data_destroy(f.world);
  rh_free(f.pair);
  return good ? RH_OK : RH_OUT_OF_MEMORY;
}
