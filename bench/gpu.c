// gpu.c: `gpu [WORLDS [THREADS [CALL [HUMANOIDS]]]]`: S5 (peers/humanoid.h) on a GPU, each world with other velocities at its start, in phases of its
// fall: steps a second by the clock, with all that the processor does of it (CALL steps a call), and those of the GPU alone, while worlds
// stay there; what a step takes of what the GPU has; whether every world has the bits of the processor's. Built with -DROUTH_CUDA=ON.
#include "humanoid_scene.h"

#include "run/batch_side.h"
#include "stepping/lanes/lanes.h"
#include "stepping/lanes/lanes_cuda.h"
#include "stepping/stepping.h"

// Steps a second of the GPU alone from here; the worlds stay where they are. `share`: of all steps
static double measure_alone(rh_batch *batch, int steps, double *share)
{
  batch_side *s = &batch->side;
  rh_lanes_batch all = {s->sim, s->status, batch->n, batch->pool, s->scratch, s->each, s->alone};
  for (int i = 0; i < batch->n; i++) {
    s->sim[i] = batch->world[i].sim;
    s->status[i] = &batch->world[i].status;
  }
  rh_lanes_gpu_bring(s->gpu, &all);
  (void)rh_lanes_gpu_alone(s->gpu, batch->n, 1); // the states travel with the first one
  double begun = read_clock(CLOCK_MONOTONIC);
  double taken = (double)rh_lanes_gpu_alone(s->gpu, batch->n, steps);
  double rate = taken / (read_clock(CLOCK_MONOTONIC) - begun);
  *share = taken / batch->n / steps;
  return rate;
}

// ---- What a step takes

typedef struct step_cost { // of a world
  double contacts, sweeps, flops, bytes;
} step_cost;

// Additions, products, quotients and roots of a tree without contacts: of its bodies, and of its factor (tree.h)
static double count_tree(const lane_table *t)
{
  double n = 0;
  for (int i = 0; i < t->nbody; i++) {
    n += (t->body[i].joint == LANE_HINGE ? 162 : 78) + (t->body[i].heavy ? 275 : 0) + 27;
  }
  for (int j = 0; j < t->ndof; j++) {
    const double d = t->dof[j].depth;
    n += 74 + (d + 1) * (11 + 2 + 2 + 2) + 2 + d + d * (d + 1);
  }
  return n;
}

// Of a contact whose body has d degrees of freedom on its path: once, and in each sweep (contact.h)
static double count_contact(double d)
{
  return 250 + d * (9 + 3 * d + 18 + 15 + 6 + 7 + 6);
}

static double count_visit(double d)
{
  return 60 + d * (6 + 6);
}

static step_cost cost_of(const rh_batch *batch)
{
  const rh_lanes *lanes = batch->side.lanes;
  step_cost c = {0, 0, 0, 0};
  double depth = 0;
  double pairs = 0;
  for (int i = 0; i < batch->n; i++) {
    const rh_solver_now *now = batch->world[i].sim->data->solver;
    c.contacts += now->contacts / batch->n;
    c.sweeps += now->sweeps / batch->n / lanes->trees; // of a tree
  }
  for (int k = 0; k < lanes->trees; k++) {
    const lane_table *t = rh_lanes_table(lanes, k);
    for (int i = 0; i < t->npair; i++) {
      depth += t->body[t->pair[i].body].depth;
    }
    pairs += t->npair;
    c.flops += count_tree(t) + 40.0 * t->npair;
    c.bytes += 8.0 * (2 * t->ndof + 4 * t->npair + 2 * t->nrule + 30);
  }
  depth /= pairs;
  c.flops += c.contacts * (count_contact(depth) + c.sweeps * count_visit(depth));
  c.bytes += 8 * c.contacts * (3 + 4);
  return c;
}

static void print_cost(const rh_batch *batch, double rate)
{
  lane_device d;
  if (!rh_lanes_gpu_device(batch->side.gpu, &d)) {
    return;
  }
  const step_cost c = cost_of(batch);
  const double peak = (double)d.multiprocessors * d.units * d.clock; // no fused products
  const double warps = (double)d.worlds * d.threads / 32;
  printf("| | a step of a world | a second | the GPU has | share |\n|---|---|---|---|---|\n");
  printf("| contacts, sweeps of a tree | %.1f, %.1f | | | |\n", c.contacts, c.sweeps);
  printf("| operations in double precision | %.0f k | %.2f T | %.1f T | %.1f %% |\n",
         1e-3 * c.flops, 1e-12 * rate * c.flops, 1e-12 * peak, 100 * rate * c.flops / peak);
  printf("| bytes of states in memory | %.1f k | %.3f T | %.1f T | %.1f %% |\n", 1e-3 * c.bytes,
         1e-12 * rate * c.bytes, 1e-12 * d.bandwidth, 100 * rate * c.bytes / d.bandwidth);
  printf("| warps of a multiprocessor | %.1f | | %d | %.0f %% |\n", warps, d.warps,
         100 * warps / d.warps);
}

static void print_device(const rh_batch *batch)
{
  lane_device d;
  if (rh_lanes_gpu_device(batch->side.gpu, &d)) {
    printf("%s: %d multiprocessors, %.0f MHz\n", d.name, d.multiprocessors, 1e-6 * d.clock);
    printf("%d threads a world, %d registers, %d bytes of their own; %d bytes shared by a world, "
           "for %d "
           "contacts of a tree; %d worlds of a multiprocessor at a time\n",
           d.threads, d.registers, d.spilled, d.shared, d.contacts, d.worlds);
  }
}

// [m] of contacts that press or close, since the last call
static double deepest_overlap(const rh_batch *batch)
{
  double deepest = 0;
  for (int i = 0; i < batch->n; i++) {
    rh_sim *sim = batch->world[i].sim;
    rh_step_world *w = sim->engine;
    deepest = fmax(deepest, sim->impact.deepest);
    sim->impact.deepest = w->tally.deepest = w->worker[0].tally.deepest = 0;
  }
  return deepest;
}

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    int steps;
  } phase[] = {{"falls", 96}, {"lands", 404}, {"tumbles", 500}, {"settles", 500}, {"lies", 1000}};

  int worlds = read_argument(argc, argv, 1, 8192);
  int threads = read_argument(argc, argv, 2, 16);
  int call = read_argument(argc, argv, 3, 96);
  int humanoids = read_argument(argc, argv, 4, 1); // of a world, up to 4
  rh_model *model = make_humanoids(humanoids);
  rh_batch *batch = make_batch(model, worlds, threads, 8);
  rh_batch *processor = make_batch(model, worlds, threads, 8);
  if (rh_batch_set_gpu(batch, true) != RH_OK) {
    fprintf(stderr, "no GPU\n");
    return 1;
  }
  int other = 0;
  printf("%d worlds of %d humanoids, %d threads, %d steps a call\n", worlds, humanoids, threads,
         call);
  for (int k = 0; k < 5; k++) {
    double share;
    double alone = measure_alone(batch, 40, &share);
    double lanes = rh_batch_lane_steps(batch);
    double time = time_steps(batch, phase[k].steps, call, CLOCK_MONOTONIC);
    double n = (double)worlds * phase[k].steps;
    double cpu = time_steps(processor, phase[k].steps, call, CLOCK_MONOTONIC);
    other += compare_worlds(batch, processor);
    printf("%-8s %5d steps  %9.0f /s  by the GPU %5.1f %%  GPU alone %9.0f /s (%.1f %%)  processor "
           "%9.0f /s  overlap %.2g m  other "
           "bits %d\n",
           phase[k].name, phase[k].steps, n / time, 100 * (rh_batch_lane_steps(batch) - lanes) / n,
           alone, 100 * share, n / cpu, deepest_overlap(batch), other);
    (void)fflush(stdout);
  }
  double share;
  double alone = measure_alone(batch, 200, &share);
  printf("at rest                                        GPU alone %9.0f /s (%.1f %%)\n", alone,
         100 * share);
  print_alone_steps(batch, "the processor");
  print_device(batch);
  print_cost(batch, alone);
  rh_batch_destroy(batch);
  rh_batch_destroy(processor);
  rh_model_destroy(model);
  return other != 0;
}
