// hash.c: the hash of a run, as `routh run` prints it, by the library alone. Usage: routh_hash SCENE [UNTIL]
#include <routh/routh.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static rh_status add_frame(void *user, const rh_sim *sim, long index)
{
  uint64_t *hash = user;
  (void)index;
  *hash = rh_data_hash(rh_sim_view(sim), *hash);
  return RH_OK;
}

int main(int argc, char **argv)
{
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  rh_sim *sim = NULL;
  uint64_t hash = 0;
  const rh_observer observer = {.user = &hash, .frame = add_frame};
  if (argc < 2 || rh_scene_load(argv[1], NULL, 0, diag, &scene) != RH_OK ||
      rh_scene_compile(scene, diag, &model) != RH_OK || rh_sim_create(model, diag, &sim) != RH_OK) {
    fprintf(stderr, "routh_hash: the scene is refused\n");
    return 3;
  }
  rh_sim_observe(sim, &observer);
  rh_status status = rh_sim_run(sim, argc > 2 ? strtod(argv[2], NULL) : model->run.until);
  printf("hash %016" PRIx64 "\n", hash);
  rh_sim_destroy(sim);
  rh_model_destroy(model);
  rh_scene_destroy(scene);
  rh_diag_destroy(diag);
  return status == RH_OK || status == RH_STOPPED ? 0 : 1;
}
