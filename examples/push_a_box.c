// push_a_box.c: a box on the floor is pushed until it slides: a scene built in C, stepped, its contacts read, a force applied.
// Built by ./test; by hand: cc -std=c17 push_a_box.c $(pkg-config --cflags --libs routh) -o push_a_box
#include <routh/routh.h>

#include <stdio.h>

int main(void)
{
  rh_scene *scene = rh_scene_create();
  rh_body_def box = rh_body_default();
  box.name = rh_name_of("box");
  box.mass = 2;
  rh_joint_def fly = rh_joint_default("free");
  fly.child = box.name;
  fly.q = (rh_list){7, {0, 0, 0.1, 1, 0, 0, 0}};
  rh_shape_def floor = rh_shape_default("plane");
  floor.body = rh_name_of("world");
  rh_shape_def cube = rh_shape_default("box");
  cube.body = box.name;
  rh_contact_def ground = rh_contact_default("newton", "dry");
  ground.body = box.name;
  ground.against = rh_name_of("world");
  rh_run_def run = rh_run_default("stepping", NULL);
  bool set = rh_shape_set_vector(&cube, "size", (const double[]){0.2, 0.2, 0.2}) == RH_OK &&
             rh_contact_set(&ground, "mu_s", 0.5) == RH_OK &&
             rh_contact_set(&ground, "mu_k", 0.5) == RH_OK && rh_run_set(&run, "dt", 1e-3) == RH_OK;
  rh_scene_add_body(scene, &box);
  rh_scene_add_joint(scene, &fly);
  rh_scene_add_shape(scene, &floor);
  rh_scene_add_shape(scene, &cube);
  rh_scene_add_contact(scene, &ground);
  rh_scene_set_run(scene, &run);
  rh_model *model = NULL;
  rh_sim *sim = NULL;
  if (!set || rh_scene_compile(scene, NULL, &model) != RH_OK ||
      rh_sim_create(model, NULL, &sim) != RH_OK) {
    return 1;
  }
  const rh_data *d = rh_sim_view(sim);
  for (double push = 0; d->q[0] < 0.05;
       push += 1) { // 1 N more every 10 ms, at the height of the floor
    rh_sim_clear_forces(sim);
    rh_status status = rh_sim_apply_force(sim, 1, rh_v3(d->q[0], 0, 0), rh_v3(push, 0, 0));
    for (int i = 0; i < 10 && status == RH_OK; i++) {
      status = rh_sim_step(sim);
    }
    double normal = 0;
    for (int k = 0; k < model->nslot; k++) {
      normal += d->contact[k].on ? d->contact[k].normal : 0;
    }
    if (status != RH_OK || push > 100) {
      return 1;
    }
    printf("push %2.0f N: x %.4f m, floor carries %.2f N\n", push, d->q[0], normal);
  }
  rh_sim_destroy(sim);
  rh_model_destroy(model);
  rh_scene_destroy(scene);
  return 0;
}
