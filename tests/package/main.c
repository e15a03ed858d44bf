// A program against the installed library: a ball falls for one second. Built by tests/package/check in every way.
#include <routh/routh.h>
#include <stdio.h>

int main(void)
{
  const char text[] = "bodies: [{name: ball, mass: 2, inertia: [1, 1, 1, 0, 0, 0]}]\n"
                      "joints: [{name: fall, kind: prismatic, child: ball, axis: [0, 0, 1]}]\n";
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  rh_sim *sim = NULL;
  if (rh_scene_parse(text, sizeof text - 1, "text", NULL, 0, NULL, &scene) != RH_OK ||
      rh_scene_compile(scene, NULL, &model) != RH_OK || rh_sim_create(model, NULL, &sim) != RH_OK ||
      rh_sim_run(sim, 1.0) != RH_OK) {
    return 1;
  }
  printf("fell %.6f m\n", -rh_sim_view(sim)->q[0]);
  rh_sim_destroy(sim);
  rh_model_destroy(model);
  rh_scene_destroy(scene);
  return 0;
}
