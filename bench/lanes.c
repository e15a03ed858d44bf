// lanes.c: `lanes [WORLDS [THREADS [CALL]]]`: S5 (peers/humanoid.h), each world with other velocities at its start, in phases of its fall:
// worlds one by one and side by side in lanes, in turns within one run; steps a second of processor time, their ratio, and whether every
// world has the same bits in both. CALL: steps of a call (1). LANES=4: lanes of 256 bits only. (gpu.c: the same on a GPU.)
#include "humanoid_scene.h"

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    int steps;
  } phase[] = {{"falls", 80}, {"lands", 420}, {"tumbles", 500}, {"lies", 1500}};

  int worlds = read_argument(argc, argv, 1, 1024);
  int threads = read_argument(argc, argv, 2, 1);
  int call = read_argument(argc, argv, 3, 1);
  const char *widest = getenv("LANES");
  rh_model *model = make_humanoids(1);
  rh_batch *single = make_batch(model, worlds, threads, 0);
  rh_batch *side = make_batch(model, worlds, threads, widest ? atoi(widest) : 8);
  double all[2] = {0, 0};
  int steps = 0;
  int other = 0;
  printf("%d humanoids, %d threads, %d steps a call, %d lanes\n", worlds, threads, call,
         rh_batch_lanes(side));
  for (int k = 0; k < 4; k++) {
    double lanes = rh_batch_lane_steps(side);
    double one = time_steps(single, phase[k].steps, call, CLOCK_PROCESS_CPUTIME_ID);
    double many = time_steps(side, phase[k].steps, call, CLOCK_PROCESS_CPUTIME_ID);
    double n = (double)worlds * phase[k].steps;
    all[0] += one;
    all[1] += many;
    steps += phase[k].steps;
    other += compare_worlds(single, side);
    printf("%-8s %5d steps  one by one %8.0f /s  lanes %8.0f /s  ratio %5.2f  in lanes %5.1f %%\n",
           phase[k].name, phase[k].steps, n / one, n / many, one / many,
           100 * (rh_batch_lane_steps(side) - lanes) / n);
    (void)fflush(stdout);
  }
  printf("%-8s %5d steps  one by one %8.0f /s  lanes %8.0f /s  ratio %5.2f  worlds with other "
         "bits: %d\n",
         "all", steps, (double)worlds * steps / all[0], (double)worlds * steps / all[1],
         all[0] / all[1], other);
  print_alone_steps(side, "worlds, by themselves,");
  rh_batch_destroy(single);
  rh_batch_destroy(side);
  rh_model_destroy(model);
  return other != 0;
}
