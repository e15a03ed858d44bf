// durable.c: runs the scene that a file holds and records it; each time more frames are durable it prints how many, which is the
// moment at which they are acknowledged. For tests that take its power away (io.c).
//   fault_durable SCENE.yaml OUT.rhr
#include <routh/routh.h>

#include <stdio.h>

typedef struct run {
  rh_recorder *recorder;
  long said;
} run;

static rh_status on_frame(void *user, const rh_sim *sim, long index)
{
  run *r = user;
  rh_status status = rh_recorder_frame(r->recorder, sim, index);
  long durable = rh_recorder_durable(r->recorder);
  if (status == RH_OK && durable > r->said) {
    r->said = durable;
    (void)printf("%ld\n", durable);
    (void)fflush(stdout);
  }
  return status;
}

static rh_status on_event(void *user, const rh_sim *sim, const rh_event *event)
{
  run *r = user;
  return rh_recorder_event(r->recorder, sim, event);
}

static rh_status record(const rh_scene *scene, const char *path, rh_diag *diag)
{
  run r = {0};
  rh_model *model = NULL;
  rh_sim *sim = NULL;
  char *text = rh_scene_write(scene, false);
  rh_status status = text != NULL ? rh_scene_compile(scene, diag, &model) : RH_OUT_OF_MEMORY;
  status = status == RH_OK ? rh_sim_create(model, diag, &sim) : status;
  status = status == RH_OK ? rh_recorder_create(path, model, "durable", text, diag, &r.recorder)
                           : status;
  if (status == RH_OK) {
    const rh_observer observer = {.user = &r, .frame = on_frame, .event = on_event};
    rh_sim_observe(sim, &observer);
    status = rh_sim_run(sim, model->run.until);
    rh_status closed = rh_recorder_close(r.recorder, status, NULL);
    status = status == RH_OK ? closed : status;
  }
  rh_sim_destroy(sim);
  rh_model_destroy(model);
  rh_free(text);
  return status;
}

int main(int argc, char **argv)
{
  rh_scene *scene = NULL;
  rh_diag *diag = rh_diag_create();
  rh_status status = argc == 3 ? rh_scene_load(argv[1], NULL, 0, diag, &scene) : RH_WRONG_USAGE;
  status = status == RH_OK ? record(scene, argv[2], diag) : status;
  rh_scene_destroy(scene);
  rh_diag_destroy(diag);
  return rh_status_exit_code(status);
}
