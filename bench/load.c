// Loading of large scenes: `load write KIND BODIES` writes a YAML scene to standard output (free: bodies on their own;
// trees: chains of ten; chain: one chain); `load read FILE` reads, compiles and makes a world of it, and prints the seconds
// of each part and the peak of memory as TSV.
#include <routh/routh.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double now(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double peak_mib(void)
{
  struct rusage u;
  (void)getrusage(RUSAGE_SELF, &u);
  return (double)u.ru_maxrss / 1024;
}

static int write_scene(const char *kind, int bodies)
{
  int length = strcmp(kind, "free") == 0 ? 1 : strcmp(kind, "trees") == 0 ? 10 : bodies;
  printf("bodies:\n");
  for (int i = 0; i < bodies; i++) {
    printf("  - {name: b%d, mass: 1, com: [0.05, 0, 0], inertia: [0.001, 0.002, 0.002, 0, 0, 0]}\n",
           i);
  }
  printf("joints:\n");
  for (int i = 0; i < bodies; i++) {
    if (length == 1) {
      printf("  - {name: j%d, kind: free, child: b%d, q: [%d, %d, 1, 1, 0, 0, 0]}\n", i, i, i % 100,
             i / 100);
    } else if (i % length == 0) {
      printf("  - {name: j%d, kind: revolute, child: b%d, axis: [0, 1, 0], at: [%d, 0, 0]}\n", i, i,
             i);
    } else {
      printf("  - {name: j%d, kind: revolute, parent: b%d, child: b%d, axis: [0, 0, 1], at: [0.1, "
             "0, 0], q: 0.1}\n",
             i, i - 1, i);
    }
  }
  return 0;
}

static int fail(rh_status status, const rh_diag *diag)
{
  char text[1024];
  for (int i = 0; i < rh_diag_kept(diag) && i < 5; i++) {
    rh_message m = rh_diag_get(diag, i);
    (void)rh_message_format(&m, text, sizeof text);
    (void)fprintf(stderr, "%s\n", text);
  }
  (void)fprintf(stderr, "load: %s\n", rh_status_message(status));
  return rh_status_exit_code(status);
}

static int read_scene(const char *path)
{
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  double t0 = now();
  rh_status status = rh_scene_load(path, NULL, 0, diag, &scene);
  if (status != RH_OK) {
    return fail(status, diag);
  }
  double t1 = now();
  status = rh_scene_compile(scene, diag, &model);
  if (status != RH_OK) {
    return fail(status, diag);
  }
  double t2 = now();
  rh_data *data = rh_data_create(model);
  if (data == NULL) {
    return fail(RH_OUT_OF_MEMORY, diag);
  }
  rh_kinematics(data);
  double t3 = now();
  printf("load\tparse_s\t%.4f\nload\tcompile_s\t%.4f\nload\tworld_s\t%.4f\nload\ttotal_s\t%."
         "4f\nload\tpeak_mib\t%.1f\n",
         t1 - t0, t2 - t1, t3 - t2, t3 - t0, peak_mib());
  rh_data_destroy(data);
  rh_model_destroy(model);
  rh_scene_destroy(scene);
  rh_diag_destroy(diag);
  return 0;
}

int main(int argc, char **argv)
{
  if (argc == 4 && strcmp(argv[1], "write") == 0) {
    return write_scene(argv[2], atoi(argv[3]));
  }
  if (argc == 3 && strcmp(argv[1], "read") == 0) {
    return read_scene(argv[2]);
  }
  (void)fprintf(stderr, "usage: load write free|trees|chain BODIES; load read FILE\n");
  return 2;
}
