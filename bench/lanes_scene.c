// lanes_scene.c: `lanes_scene SCENE [WORLDS [STEPS [KEY=VALUE...]]]`: worlds of a scene of the engine stepping, each with other velocities at its start,
// one by one and side by side in lanes, in turns within one run: steps a second of processor time, their ratio, whether every world has the
// same bits in both, and which steps lanes left to the worlds, by causes; where the model has no lanes, why.
#include "batch_parts.h"

#include <math.h>

static rh_model *read_model(const char *path, const char *const *set, int nset)
{
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  rh_diag *diag = rh_diag_create();
  if (rh_scene_load(path, set, nset, diag, &scene) != RH_OK ||
      rh_scene_compile(scene, diag, &model) != RH_OK) {
    print_messages(diag);
    exit(3);
  }
  rh_scene_destroy(scene);
  rh_diag_destroy(diag);
  return model;
}

static rh_batch *make_batch(const rh_model *model, int worlds, int widest)
{
  rh_batch *batch = create_batch(model, worlds, 1, widest);
  for (int i = 0; i < worlds; i++) {
    double *v = find_velocities(batch, model, i);
    for (int k = 0; k < model->nv; k++) {
      v[k] += 0.3 * sin(1.7 * i + 2.3 * k);
    }
  }
  return batch;
}

int main(int argc, char **argv)
{
  enum { TURNS = 10 };

  if (argc < 2) {
    fprintf(stderr, "lanes_scene SCENE [WORLDS [STEPS [KEY=VALUE...]]]\n");
    return 2;
  }
  int worlds = read_argument(argc, argv, 2, 128);
  int steps = read_argument(argc, argv, 3, 1000);
  rh_model *model = read_model(argv[1], (const char *const *)argv + 4, argc > 4 ? argc - 4 : 0);
  rh_batch *single = make_batch(model, worlds, 0);
  rh_batch *side = make_batch(model, worlds, 8);
  double time[2] = {0, 0};
  if (rh_batch_lanes(side) == 0) {
    printf("%s: one by one: %s\n", argv[1], rh_batch_lanes_reason(side));
  }
  for (int k = 0; k < TURNS; k++) {
    time[0] += time_steps(single, steps / TURNS, steps, CLOCK_PROCESS_CPUTIME_ID);
    time[1] += time_steps(side, steps / TURNS, steps, CLOCK_PROCESS_CPUTIME_ID);
  }
  int other = compare_worlds(single, side);
  double n = (double)worlds * (steps / TURNS * TURNS);
  printf("%s, %d worlds: one by one %.0f /s  lanes %.0f /s  ratio %.2f  in lanes %.1f %%  worlds "
         "with other bits: %d\n",
         argv[1], worlds, n / time[0], n / time[1], time[0] / time[1],
         100 * rh_batch_lane_steps(side) / n, other);
  print_alone_steps(side, "worlds, by themselves,");
  rh_batch_destroy(single);
  rh_batch_destroy(side);
  rh_model_destroy(model);
  return other != 0;
}
