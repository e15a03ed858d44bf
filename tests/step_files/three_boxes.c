// three_boxes.c: three boxes on the floor, one step by the time-stepping engine; only the functions that the step enters are counted.
#include <routh/routh.h>

#include <stdio.h>

void __gcov_reset(void);
void __gcov_dump(void);

int main(void)
{
  rh_scene *scene = rh_scene_create();
  rh_shape_def floor = rh_shape_default("plane");
  rh_contact_def touch = rh_contact_default("newton", "dry");
  rh_run_def run = rh_run_default("moreau");
  rh_model *model = NULL;
  rh_sim *sim = NULL;
  floor.body = rh_name_of("world");
  rh_scene_add_shape(scene, &floor);
  for (int i = 0; i < 3; i++) {
    char name[] = {'a', (char)('0' + i), '\0'};
    rh_body_def box = rh_body_default();
    rh_joint_def fly = rh_joint_default("free");
    rh_shape_def cube = rh_shape_default("box");
    box.name = fly.child = cube.body = rh_name_of(name);
    box.mass = 1;
    fly.q = (rh_list){7, {0, 0, 0.1 + 0.2 * i, 1, 0, 0, 0}};
    (void)rh_shape_set_vector(&cube, "size", (const double[]){0.2, 0.2, 0.2});
    rh_scene_add_body(scene, &box);
    rh_scene_add_joint(scene, &fly);
    rh_scene_add_shape(scene, &cube);
  }
  touch.body = rh_name_of("all");
  touch.against = rh_name_of("all");
  (void)rh_contact_set(&touch, "mu_s", 0.5);
  (void)rh_contact_set(&touch, "mu_k", 0.5);
  (void)rh_run_set(&run, "dt", 1e-3);
  rh_scene_add_contact(scene, &touch);
  rh_scene_set_run(scene, &run);
  rh_diag *diag = rh_diag_create();
  if (rh_scene_compile(scene, diag, &model) != RH_OK || rh_sim_create(model, diag, &sim) != RH_OK || rh_sim_step(sim) != RH_OK) {
    fprintf(stderr, "three_boxes: the scene is refused\n");
    return 1;
  }
  __gcov_reset();
  rh_status status = rh_sim_step(sim);
  __gcov_dump();
  return status == RH_OK ? 0 : 1;
}
