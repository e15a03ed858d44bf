// The step of lanes on a GPU: one world a thread, from the same headers, by CUDA C. Worlds lie side by side in memory, number by
// number; a world that leaves the common way stops there, and goes on on the processor. Compile with -fmad=false.
#define LANES 1
#include "table.h"

static __constant__ lane_table lane_constants;

#define LANE_TABLE(t) (&lane_constants)
#include "step.h"

#include "lanes_cuda.h"

#include <routh/base.h>

enum { THREADS = 64 }; // of a block: two warps for each multiprocessor by 8192 worlds

struct rh_lanes_cuda {
  int n;
  double *state;      // (LANE_STATE x n)
  int *left, *taken;  // (n)
  lane_table *table;
};

// Up to left[w] steps of each world; `taken` gets their number.
static __global__ void __launch_bounds__(THREADS)
    step_worlds(const lane_table *__restrict__ table, double *state, int n, const int *left, int *taken)
{
  int w = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (w >= n || left[w] == 0) {
    return;
  }
  lane_scratch s;
  num x[LANE_STATE];
  bool stands = false;
  for (int i = 0; i < LANE_STATE; i++) {
    x[i] = state[(size_t)i * (size_t)n + (size_t)w];
  }
  int k = 0;
  while (k < left[w] && step_lanes(table, x, &s, 1, &stands)) {
    k++;
  }
  taken[w] = k;
  for (int i = 0; i < LANE_STATE; i++) {
    state[(size_t)i * (size_t)n + (size_t)w] = x[i];
  }
}

static bool succeeded(cudaError_t error)
{
  return error == cudaSuccess;
}

extern "C" void rh_lanes_cuda_close(rh_lanes_cuda *g)
{
  if (g) {
    cudaFree(g->state);
    cudaFree(g->taken);
    cudaFree(g->left);
    cudaFree(g->table);
    rh_free(g);
  }
}

extern "C" rh_lanes_cuda *rh_lanes_cuda_open(const lane_table *table, int n)
{
  int devices = 0;
  if (!succeeded(cudaGetDeviceCount(&devices)) || devices == 0) {
    return NULL;
  }
  rh_lanes_cuda *g = (rh_lanes_cuda *)rh_alloc(sizeof *g);
  if (!g) {
    return NULL;
  }
  g->n = n;
  bool made = succeeded(cudaMalloc(&g->state, (size_t)LANE_STATE * n * sizeof *g->state)) &&
              succeeded(cudaMalloc(&g->taken, n * sizeof *g->taken)) &&
              succeeded(cudaMalloc(&g->left, n * sizeof *g->left)) &&
              succeeded(cudaMalloc(&g->table, sizeof *g->table)) &&
              succeeded(cudaMemcpy(g->table, table, sizeof *table, cudaMemcpyHostToDevice)) &&
              succeeded(cudaMemcpyToSymbol(lane_constants, table, sizeof *table));
  if (!made) {
    rh_lanes_cuda_close(g);
    return NULL;
  }
  return g;
}

extern "C" bool rh_lanes_cuda_step(rh_lanes_cuda *g, double *state, const int *left, int *taken)
{
  size_t bytes = (size_t)LANE_STATE * (size_t)g->n * sizeof *state;
  size_t counts = (size_t)g->n * sizeof *taken;
  bool done = succeeded(cudaMemcpy(g->state, state, bytes, cudaMemcpyHostToDevice)) &&
              succeeded(cudaMemcpy(g->left, left, counts, cudaMemcpyHostToDevice)) &&
              succeeded(cudaMemset(g->taken, 0, counts));
  if (done) {
    step_worlds<<<(g->n + THREADS - 1) / THREADS, THREADS>>>(g->table, g->state, g->n, g->left, g->taken);
  }
  return done && succeeded(cudaGetLastError()) && succeeded(cudaDeviceSynchronize()) &&
         succeeded(cudaMemcpy(state, g->state, bytes, cudaMemcpyDeviceToHost)) &&
         succeeded(cudaMemcpy(taken, g->taken, counts, cudaMemcpyDeviceToHost));
}

extern "C" double *rh_lanes_cuda_memory(size_t bytes)
{
  void *memory = NULL;
  return succeeded(cudaHostAlloc(&memory, bytes, cudaHostAllocDefault)) ? (double *)memory : NULL;
}

extern "C" void rh_lanes_cuda_release(double *memory)
{
  cudaFreeHost(memory);
}
