// gpu_turns.c: the batch's part of a GPU (src/stepping/lanes/lanes_gpu.c) with teams that take turns in the place of a GPU's: which
// worlds it steps, which ones the processor does, and when their states travel.
#define rh_lanes_gpu_open    open_turns
#define rh_lanes_gpu_close   close_turns
#define rh_lanes_gpu_step    step_turns
#define rh_lanes_gpu_bring   bring_turns
#define rh_lanes_gpu_alone   turns_alone
#define rh_lanes_gpu_device  turns_device
#define rh_lanes_cuda_open   turns_open
#define rh_lanes_cuda_close  turns_close
#define rh_lanes_cuda_rows   turns_rows
#define rh_lanes_cuda_orders turns_orders
#define rh_lanes_cuda_begin  turns_begin
#define rh_lanes_cuda_wait   turns_wait
#define rh_lanes_cuda_widen  turns_widen
#define rh_lanes_cuda_device turns_of_device
#include "stepping/lanes/lanes_gpu.c"

#include "team_turns.h"

struct rh_lanes_cuda {
  int n, trees;
  const lane_table *table[LANE_TREES];
  team_table team[LANE_TREES];
  double *memory[LANE_TREES];
  double *rows, *state;
  lane_order *orders;
};

gpu_turns gpu_turns_now;

void rh_lanes_cuda_close(rh_lanes_cuda *g)
{
  if (g) {
    for (int k = 0; k < g->trees; k++) {
      rh_free(g->memory[k]);
    }
    rh_free(g->rows);
    rh_free(g->state);
    rh_free(g->orders);
    rh_free(g);
  }
}

rh_lanes_cuda *rh_lanes_cuda_open(const lane_table *const *table, int trees, int n)
{
  const size_t states = (size_t)n * (size_t)trees * LANE_STATE;
  rh_lanes_cuda *g = rh_alloc(sizeof *g);
  team_table widest;
  bool fits = true;
  g->n = n;
  g->trees = trees;
  g->rows = rh_alloc(states * sizeof *g->rows);
  g->state = rh_alloc(states * sizeof *g->state);
  g->orders = rh_alloc((size_t)n * sizeof *g->orders);
  memset(g->rows, 0xff, states * sizeof *g->rows);
  for (int k = 0; k < trees; k++) {
    g->table[k] = table[k];
    fits = rh_team_fill_table(table[k], LANE_PAIRS, &widest) &&
           rh_team_fill_table(table[k], gpu_turns_now.contacts, &g->team[k]) && fits;
    g->memory[k] = rh_alloc((size_t)widest.size * sizeof(double));
  }
  if (!fits) {
    rh_lanes_cuda_close(g);
    g = NULL;
  }
  return g;
}

double *rh_lanes_cuda_rows(rh_lanes_cuda *g)
{
  return g->rows;
}

lane_order *rh_lanes_cuda_orders(rh_lanes_cuda *g)
{
  return g->orders;
}

static void follow_order(rh_lanes_cuda *g, int w)
{
  const size_t each = (size_t)g->trees * LANE_STATE;
  const size_t bytes = each * sizeof(double);
  lane_order *order = &g->orders[w];
  double *row = g->rows + (size_t)w * each;
  team_turns turns = {
      .trees = g->trees, .x = g->state + (size_t)w * each, .order = gpu_turns_now.order};
  for (int k = 0; k < g->trees; k++) {
    turns.table[k] = g->table[k];
    turns.team[k] = &g->team[k];
    turns.memory[k] = g->memory[k];
  }
  if (order->fresh) {
    memcpy(turns.x, row, bytes);
  }
  order->taken = team_turns_step(&turns, order->steps);
  order->full = turns.full;
  order->hard = turns.hard;
  order->fresh = false;
  gpu_turns_now.full += order->full;
  gpu_turns_now.order = turns.order;
  memset(row, 0xff, bytes); // what nobody asked for is not there
  if (order->back || order->taken < order->steps) {
    memcpy(row, turns.x, bytes);
  }
}

bool rh_lanes_cuda_begin(rh_lanes_cuda *g, int part, int first, int n)
{
  (void)part;
  for (int w = first; w < first + n; w++) {
    if (g->orders[w].steps > 0) {
      follow_order(g, w);
    }
  }
  return !gpu_turns_now.fails;
}

bool rh_lanes_cuda_wait(rh_lanes_cuda *g, int part)
{
  (void)g;
  (void)part;
  return true;
}

bool rh_lanes_cuda_widen(rh_lanes_cuda *g)
{
  bool wider = false;
  for (int k = 0; k < g->trees; k++) {
    wider = wider || g->team[k].rows < g->team[k].npair;
    (void)rh_team_fill_table(g->table[k], g->team[k].rows + 4, &g->team[k]);
  }
  return wider;
}

bool rh_lanes_cuda_device(rh_lanes_cuda *g, lane_device *device)
{
  memset(device, 0, sizeof *device);
  device->contacts = g->team[0].rows;
  return true;
}

rh_lanes_kind gpu_turns_kind(const rh_lanes_kind *kind)
{
  rh_lanes_kind own = *kind;
  own.open_gpu = rh_lanes_gpu_open;
  own.close_gpu = rh_lanes_gpu_close;
  own.step_gpu = rh_lanes_gpu_step;
  return own;
}
