// gaps.c: which rows of the data are in flight: how far the shapes of the scene are apart at the measured poses. By the geometry alone, so
// that it is the same under every engine. Only pairs count of which a body was measured, since others do not move here.
#include "fit_belief.h"

#include "geometry/geometry.h"
#include "model/layout.h"

#include <math.h>

#define MARGIN      1e-3 // [m] or three deviations of the place, up to
#define MARGIN_MOST 3e-3
#define NEAR        1.0 // [m] shapes further apart have no gap: it is infinite

// ---- Gaps

typedef struct gauge {
  const rh_fit_map *map;
  rh_data *world;
  bool *moves; // bodies whose pose the data change (nbody)
  rh_shape_pair *pair;
  int n, room;
} gauge;

static void mark_bodies(const gauge *g)
{
  const rh_model *m = g->world->model;
  g->moves[0] = false;
  for (int i = 1; i < m->nbody; i++) {
    const rh_model_body *b = &m->body[i];
    g->moves[i] = g->moves[b->parent];
    for (int c = 0; c < g->map->nchannel; c++) {
      int at = g->map->coordinate[c];
      bool own = at != RH_NONE && at >= b->qadr && at < b->qadr + b->joint->nq;
      g->moves[i] = g->moves[i] || own;
    }
  }
}

static bool add_pair(gauge *g, rh_shape_pair pair)
{
  if (g->n == g->room) {
    int room = g->room == 0 ? 16 : 2 * g->room;
    rh_shape_pair *larger = rh_realloc(g->pair, (size_t)room * sizeof *larger);
    if (larger == NULL) {
      return false;
    }
    g->pair = larger;
    g->room = room;
  }
  g->pair[g->n++] = pair;
  return true;
}

static bool gather_pairs(gauge *g)
{
  const rh_model *m = g->world->model;
  for (int i = 0; i < m->nshape; i++) {
    for (int k = 0; k < i; k++) {
      bool counts = g->moves[m->shape[i].body] || g->moves[m->shape[k].body];
      rh_shape_pair pair = counts ? rh_shape_pair_of(m, k, i) : (rh_shape_pair){.rule = RH_NONE};
      if (pair.rule != RH_NONE && !add_pair(g, pair)) {
        return false;
      }
    }
  }
  return true;
}

// Is the pair closer than `gap`, by spheres about its shapes?
static bool may_be_closer(const rh_model *m, const rh_shape_pair *pair, const rh_geom *a,
                          const rh_geom *b, double gap)
{
  double reach = m->shape[pair->a].reach + m->shape[pair->b].reach;
  return !isfinite(reach) || rh_norm(rh_sub(a->p, b->p)) - reach < fmin(gap, NEAR);
}

static double measure_gap(const gauge *g)
{
  double gap = HUGE_VAL;
  for (int i = 0; i < g->n; i++) {
    const rh_shape_pair *pair = &g->pair[i];
    rh_geom a = rh_shape_placed(g->world, pair->a);
    rh_geom b = rh_shape_placed(g->world, pair->b);
    if (!may_be_closer(g->world->model, pair, &a, &b, gap)) {
      continue;
    }
    rh_manifold found;
    int n = rh_collide(&a, &b, NEAR, NULL, &found);
    for (int k = 0; k < n; k++) {
      gap = fmin(gap, -found.at[k].depth);
    }
  }
  return gap;
}

// [m] at the pose of a row; NaN: not all is measured
static double gap_of_row(const gauge *g, const double *value)
{
  bool placed = false;
  for (int c = 0; c < g->map->nchannel; c++) {
    int at = g->map->coordinate[c];
    if (at == RH_NONE || at >= g->world->model->nq) {
      continue;
    }
    if (!isfinite(value[c])) {
      return (double)NAN;
    }
    g->world->q[at] = value[c];
    placed = true;
  }
  if (!placed) {
    return (double)NAN;
  }
  rh_coordinates_unit(g->world->model, g->world->q);
  rh_kinematics(g->world);
  return measure_gap(g);
}

rh_status rh_fit_find_gaps(const rh_fit_data *data, const rh_fit_map *map,
                           const rh_fit_world *world, double *gap)
{
  gauge g = {.map = map,
             .world = rh_data_create(world->model),
             .moves = rh_alloc((size_t)world->model->nbody * sizeof *g.moves)};
  bool good = g.world != NULL && g.moves != NULL;
  if (good) {
    mark_bodies(&g);
    good = gather_pairs(&g);
  }
  for (int row = 0; row < data->nrow && good; row++) {
    gap[row] = gap_of_row(&g, data->value + (size_t)row * (size_t)data->nchannel);
  }
  rh_data_destroy(g.world);
  rh_free(g.moves);
  rh_free(g.pair);
  return good ? RH_OK : RH_OUT_OF_MEMORY;
}

// ---- Flights

// Gap at the time t by the line through two rows
static double extend_gap(const rh_fit_gaps *g, int a, int b, double t)
{
  if (!isfinite(g->gap[a])) { // it was too far off to be measured
    return g->gap[b];
  }
  return g->gap[b] + (g->gap[b] - g->gap[a]) * (t - g->t[b]) / (g->t[b] - g->t[a]);
}

static bool is_free(const rh_fit_gaps *g, int row)
{
  return g->gap[row] > g->margin;
}

// Would what goes on from row `a` to `b` run into the ground at row `to`, and all three are free?
static bool runs_into_ground(const rh_fit_gaps *g, int a, int b, int to)
{
  return is_free(g, a) && is_free(g, b) && is_free(g, to) && extend_gap(g, a, b, g->t[to]) < 0;
}

// Is there an impact between a row of the flight that began at `begin` and the next one? This flight would run into the ground there, or
// the next one would when it is followed back, unless an impact between its own first rows says so.
static bool is_struck(const rh_fit_gaps *g, int row, int begin, int end)
{
  bool down = row > begin && row + 1 < end && runs_into_ground(g, row - 1, row, row + 1);
  bool up = row + 2 < end && runs_into_ground(g, row + 2, row + 1, row) &&
            !runs_into_ground(g, row, row + 1, row + 2);
  return down || up;
}

int rh_fit_end_of_flight(const rh_fit_gaps *g, int begin, int end)
{
  int row = begin;
  while (row < end && is_free(g, row)) {
    bool struck = is_struck(g, row, begin, end);
    row++;
    if (struck) {
      break;
    }
  }
  return row;
}

double rh_fit_flight_margin(const rh_fit_data *data, const rh_fit_map *map)
{
  double margin = MARGIN;
  for (int i = 0; i < map->nturn; i++) {
    for (int c = 0; c < map->nchannel; c++) {
      bool place = map->coordinate[c] != RH_NONE &&
                   map->coordinate[c] == map->coordinate[map->turn[i][0]] - 3;
      margin = place ? fmax(margin, fmin(3 * data->noise[c], MARGIN_MOST)) : margin;
    }
  }
  return margin;
}
