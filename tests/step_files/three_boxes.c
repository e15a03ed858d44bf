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
  rh_run_def run = rh_run_default("stepping", NULL);
  rh_model *model = NULL;
  rh_sim *sim = NULL;
  bool set = true;
  rh_record_def record = rh_record_default();
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
    set = set && rh_shape_set_vector(&cube, "size", (const double[]){0.2, 0.2, 0.2}) == RH_OK;
    rh_scene_add_body(scene, &box);
    rh_scene_add_joint(scene, &fly);
    rh_scene_add_shape(scene, &cube);
  }
  touch.body = rh_name_of("all");
  touch.against = rh_name_of("all");
  set = set && rh_contact_set(&touch, "mu_s", 0.5) == RH_OK &&
        rh_contact_set(&touch, "mu_k", 0.5) == RH_OK && rh_contact_set(&touch, "e", 0) == RH_OK &&
        rh_run_set(&run, "dt", 1e-3) == RH_OK;
  rh_scene_add_contact(scene, &touch);
  rh_scene_set_run(scene, &run);
  run.until = 1;
  record.every = 1;
  rh_scene_set_record(scene, &record);
  if (!set || rh_scene_compile(scene, NULL, &model) != RH_OK ||
      rh_sim_create(model, NULL, &sim) != RH_OK || rh_sim_run(sim, 0.0105) != RH_OK) {
    fprintf(stderr, "three_boxes: the scene is refused\n");
    return 1;
  }
  __gcov_reset();
  rh_status status = rh_sim_run(sim, 0.0115); // one step, between two frames
  __gcov_dump();
  rh_sim_destroy(sim);
  rh_model_destroy(model);
  rh_scene_destroy(scene);
  return status == RH_OK ? 0 : 1;
}
