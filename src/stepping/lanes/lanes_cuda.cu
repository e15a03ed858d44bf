// The step of lanes on a GPU, from the same headers, by CUDA C. A team of threads steps a world in memory that they share
// (team_step.h); a model that is too large for that has one thread a world. A world that leaves the common way stops there, and
// goes on on the processor. Compile with -fmad=false.
#define LANES 1
#include "table.h"

static __constant__ lane_table lane_constants;

#define LANE_TABLE(t) (&lane_constants)
#include "team/team_step.h"

#include "lanes_cuda.h"

#include <routh/base.h>

#include <string.h>

enum {
  WARP = 32,
  WORLDS = WARP / TEAM, // of a block
  THREADS = 64,         // of a block with one thread a world
  CONTACTS = 12,        // that a world has memory for, at first,
  MORE = 4,             // then
};

typedef struct gpu_tables {
  team_table tree[LANE_TREES];
  int size; // doubles of the largest one
} gpu_tables;

struct rh_lanes_cuda {
  int n, trees;
  bool teams;
  gpu_tables team;
  double *rows, *state; // on the processor, on the GPU (n x trees x LANE_STATE)
  lane_order *orders;   // (n)
  lane_table *table; // on the GPU (trees)
  team_table *own;
  cudaStream_t stream[LANE_PARTS];
};

typedef struct gpu_worlds {
  const lane_table *table;
  const team_table *team;
  double *rows, *state;
  lane_order *orders;
  int first, n, trees;
} gpu_worlds;

// ---- States between the processor and the GPU, by `threads` threads

typedef struct gpu_copy {
  double *to;
  const double *from;
  int rank, threads;
} gpu_copy;

static __device__ void copy_piece(gpu_copy c, int at, int n)
{
  for (int i = c.rank; i < n; i += c.threads) {
    c.to[at + i] = c.from[at + i];
  }
}

static __device__ void copy_state(const lane_table *t, gpu_copy c)
{
  copy_piece(c, 0, LANE_SLIDE + t->nrule);
  copy_piece(c, LANE_Q, t->nq);
  copy_piece(c, LANE_V, t->ndof);
  copy_piece(c, LANE_TAU, t->ndof);
  copy_piece(c, LANE_FORCE, 3 * t->npair);
  copy_piece(c, LANE_SINCE, t->npair);
  copy_piece(c, LANE_POINT, 3 * t->npair);
  copy_piece(c, LANE_COMMAND, LANE_COMMAND_SIZE * t->nact);
}

// ---- Steps

// Worlds of one tree: WORLDS of a block; of several: one, with a team for each tree.
template <bool SEVERAL>
static __global__ void __launch_bounds__(SEVERAL ? LANE_TREES * WARP : WARP, SEVERAL ? 3 : 12)
    step_teams(const __grid_constant__ gpu_tables tables, const __grid_constant__ gpu_worlds all)
{
  extern __shared__ double memory[];
  const int place = (int)threadIdx.x / TEAM; // in the block
  const int trees = SEVERAL ? all.trees : 1;
  const int tree = SEVERAL ? place : 0;
  const int k = SEVERAL ? (int)blockIdx.x : (int)blockIdx.x * WORLDS + place;
  if (k >= all.n) {
    return;
  }
  lane_order *order = all.orders + all.first + k;
  const int steps = order->steps;
  const bool back = order->back;
  const bool fresh = order->fresh;
  if (steps == 0) {
    return;
  }
  const size_t at = ((size_t)(all.first + k) * (size_t)trees + (size_t)tree) * LANE_STATE;
  team g;
  g.t = all.table + tree;
  g.d = all.team + tree;
  g.k = &tables.tree[tree];
  g.m = memory + place * tables.size;
  g.sums = memory + trees * tables.size;
  g.x = all.state + at;
  g.tree = tree;
  g.trees = trees;
  g.rank = (int)threadIdx.x % TEAM;
  g.mask = TEAM == WARP ? 0xffffffffU
                        : ((1U << TEAM % WARP) - 1U) << ((int)threadIdx.x % WARP / TEAM * TEAM);
  if (fresh) {
    gpu_copy in = {g.x, all.rows + at, g.rank, TEAM};
    copy_state(g.t, in);
    team_wait(&g);
  }
  team_end end;
  int taken = team_run(&g, steps, &end);
  team_wait(&g);
  if (back || taken < steps) {
    gpu_copy out = {all.rows + at, g.x, g.rank, TEAM};
    copy_state(g.t, out);
  }
  if (g.rank == 0 && tree == 0) {
    order->taken = taken;
    order->fresh = false;
  }
  if (g.rank == 0 && end == TEAM_FULL) {
    order->full = true;
  }
  if (g.rank == 0 && end == TEAM_HARD) {
    order->hard = true;
  }
}

static __global__ void __launch_bounds__(THREADS) step_worlds(const __grid_constant__ gpu_worlds all)
{
  const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  const int w = all.first + k;
  if (k >= all.n || all.orders[w].steps == 0) {
    return;
  }
  lane_order *order = all.orders + w;
  lane_scratch s;
  num x[LANE_STATE];
  bool stands = false;
  double *state = all.state + (size_t)w * LANE_STATE;
  double *row = all.rows + (size_t)w * LANE_STATE;
  gpu_copy in = {x, order->fresh ? row : state, 0, 1};
  copy_state(all.table, in);
  int taken = 0;
  while (taken < order->steps && step_lanes(all.table, x, &s, 1, &stands)) {
    taken++;
  }
  gpu_copy out = {order->back || taken < order->steps ? row : state, x, 0, 1};
  copy_state(all.table, out);
  order->taken = taken;
  order->full = false;
  order->fresh = false;
}

typedef void gpu_kernel(gpu_tables tables, gpu_worlds all);

// ---- Worlds of a GPU

static bool succeeded(cudaError_t error)
{
  return error == cudaSuccess;
}

extern "C" void rh_lanes_cuda_close(rh_lanes_cuda *g)
{
  if (g) {
    (void)cudaDeviceSynchronize();
    for (int i = 0; i < LANE_PARTS; i++) {
      if (g->stream[i]) {
        cudaStreamDestroy(g->stream[i]);
      }
    }
    cudaFree(g->state);
    cudaFree(g->table);
    cudaFree(g->own);
    cudaFreeHost(g->rows);
    cudaFreeHost(g->orders);
    rh_free(g);
  }
}

static gpu_kernel *kernel_of(const rh_lanes_cuda *g)
{
  return g->trees > 1 ? step_teams<true> : step_teams<false>;
}

static int shared_bytes(const rh_lanes_cuda *g)
{
  int teams = g->trees > 1 ? g->trees : WORLDS;
  return (teams * g->team.size + 3 * g->trees) * (int)sizeof(double);
}

static int threads_of_block(const rh_lanes_cuda *g)
{
  return g->trees > 1 ? g->trees * TEAM : WARP;
}

static bool set_contacts(rh_lanes_cuda *g, const lane_table *const *table, int contacts)
{
  bool fits = true;
  g->team.size = 0;
  for (int k = 0; k < g->trees; k++) {
    team_table *team = &g->team.tree[k];
    fits = fits && rh_team_fill_table(table[k], contacts, team);
    g->team.size = team->size > g->team.size ? team->size : g->team.size;
  }
  return fits &&
         succeeded(cudaFuncSetAttribute(kernel_of(g), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        shared_bytes(g))) &&
         succeeded(cudaMemcpy(g->own, g->team.tree, (size_t)g->trees * sizeof *g->own,
                              cudaMemcpyHostToDevice));
}

static bool make_worlds(rh_lanes_cuda *g, const lane_table *const *table)
{
  size_t trees = (size_t)g->trees;
  size_t bytes = (size_t)LANE_STATE * (size_t)g->n * trees * sizeof(double);
  size_t orders = (size_t)g->n * sizeof *g->orders;
  bool made = succeeded(cudaMalloc(&g->state, bytes)) &&
              succeeded(cudaMalloc(&g->table, trees * sizeof *g->table)) &&
              succeeded(cudaMalloc(&g->own, trees * sizeof *g->own)) &&
              succeeded(cudaHostAlloc(&g->rows, bytes, cudaHostAllocMapped)) &&
              succeeded(cudaHostAlloc(&g->orders, orders, cudaHostAllocMapped)) &&
              succeeded(cudaMemset(g->state, 0, bytes));
  for (int k = 0; made && k < g->trees; k++) {
    made = succeeded(
        cudaMemcpy(g->table + k, table[k], sizeof *g->table, cudaMemcpyHostToDevice));
  }
  for (int i = 0; made && i < LANE_PARTS; i++) {
    made = succeeded(cudaStreamCreateWithFlags(&g->stream[i], cudaStreamNonBlocking));
  }
  if (made) {
    memset(g->rows, 0, bytes);
    memset(g->orders, 0, orders);
    g->teams = set_contacts(g, table, CONTACTS);
    (void)cudaGetLastError(); // of memory that a block cannot have
  }
  return made && (g->teams || g->trees == 1);
}

extern "C" rh_lanes_cuda *rh_lanes_cuda_open(const lane_table *const *table, int trees, int n)
{
  int devices = 0;
  if (!succeeded(cudaGetDeviceCount(&devices)) || devices == 0) {
    return NULL;
  }
  rh_lanes_cuda *g = (rh_lanes_cuda *)rh_alloc(sizeof *g);
  if (g) {
    memset(g, 0, sizeof *g);
    g->n = n;
    g->trees = trees;
    if (!make_worlds(g, table)) {
      rh_lanes_cuda_close(g);
      g = NULL;
    }
  }
  return g;
}

extern "C" double *rh_lanes_cuda_rows(rh_lanes_cuda *g)
{
  return g->rows;
}

extern "C" lane_order *rh_lanes_cuda_orders(rh_lanes_cuda *g)
{
  return g->orders;
}

extern "C" bool rh_lanes_cuda_begin(rh_lanes_cuda *g, int part, int first, int n)
{
  gpu_worlds all = {g->table, g->own, g->rows, g->state, g->orders, first, n, g->trees};
  cudaStream_t stream = g->stream[part];
  if (g->teams) {
    const int blocks = g->trees > 1 ? n : (n + WORLDS - 1) / WORLDS;
    kernel_of(g)<<<blocks, threads_of_block(g), (size_t)shared_bytes(g), stream>>>(g->team, all);
  } else if (succeeded(cudaMemcpyToSymbolAsync(lane_constants, g->table, sizeof *g->table, 0,
                                               cudaMemcpyDeviceToDevice, stream))) {
    step_worlds<<<(n + THREADS - 1) / THREADS, THREADS, 0, stream>>>(all);
  }
  return succeeded(cudaGetLastError());
}

extern "C" bool rh_lanes_cuda_wait(rh_lanes_cuda *g, int part)
{
  return succeeded(cudaStreamSynchronize(g->stream[part]));
}

extern "C" bool rh_lanes_cuda_widen(rh_lanes_cuda *g)
{
  lane_table table[LANE_TREES];
  const lane_table *all[LANE_TREES];
  size_t bytes = (size_t)g->trees * sizeof *table;
  int contacts = g->team.tree[0].rows;
  int pairs = 0;
  for (int k = 0; k < g->trees; k++) {
    all[k] = &table[k];
    pairs = g->team.tree[k].npair > pairs ? g->team.tree[k].npair : pairs;
  }
  if (!g->teams || contacts >= pairs || !succeeded(cudaDeviceSynchronize()) ||
      !succeeded(cudaMemcpy(table, g->table, bytes, cudaMemcpyDeviceToHost))) {
    return false;
  }
  if (!set_contacts(g, all, contacts + MORE)) {
    (void)cudaGetLastError(); // there is not so much memory in a block
    (void)set_contacts(g, all, contacts);
    return false;
  }
  return true;
}

extern "C" bool rh_lanes_cuda_device(rh_lanes_cuda *g, lane_device *device)
{
  cudaDeviceProp p;
  cudaFuncAttributes f;
  int kilohertz = 0;
  int memory = 0;
  int blocks = 0;
  bool read = succeeded(cudaGetDeviceProperties(&p, 0)) &&
              succeeded(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0)) &&
              succeeded(cudaDeviceGetAttribute(&memory, cudaDevAttrMemoryClockRate, 0));
  memset(device, 0, sizeof *device);
  if (g->teams) {
    read = read && succeeded(cudaFuncGetAttributes(&f, kernel_of(g))) &&
           succeeded(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
               &blocks, kernel_of(g), threads_of_block(g), (size_t)shared_bytes(g)));
    device->threads = TEAM * g->trees;
    device->shared = g->trees * g->team.size * (int)sizeof(double);
    device->contacts = g->team.tree[0].rows;
    device->worlds = g->trees > 1 ? blocks : blocks * WORLDS;
  } else {
    read = read && succeeded(cudaFuncGetAttributes(&f, step_worlds)) &&
           succeeded(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, step_worlds, THREADS, 0));
    device->threads = 1;
    device->contacts = LANE_PAIRS;
    device->worlds = blocks * THREADS;
  }
  if (read) {
    memcpy(device->name, p.name, sizeof device->name - 1);
    device->multiprocessors = p.multiProcessorCount;
    device->warps = p.maxThreadsPerMultiProcessor / WARP;
    device->clock = 1e3 * kilohertz;
    device->units = p.minor != 0 ? 2 : p.major == 9 || p.major == 10 ? 64 : 32;
    device->registers = f.numRegs;
    device->spilled = (int)f.localSizeBytes;
    device->bandwidth = 2e3 * memory * p.memoryBusWidth / 8;
  }
  return read;
}
