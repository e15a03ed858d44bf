// batch.c: `batch SCENE WORLDS THREADS STEPS [BEFORE [MARK.so]]`: steps a batch of worlds and prints the processor time [s] and the hash of the
// first and the last world, after as many steps as BEFORE that do not count. bench/batch.py does the same from Python. MARK.so (mark.c) has valgrind
// count the instructions of what counts.
#include <routh/routh.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void count_fn(int on);

static void count_nothing(int on)
{
  (void)on;
}

static count_fn *find_count(const char *path)
{
  void *library = dlopen(path, RTLD_NOW);
  void *symbol = library != NULL ? dlsym(library, "bench_count") : NULL;
  count_fn *count = count_nothing;
  if (symbol != NULL) {
    memcpy(&count, &symbol, sizeof count);
  }
  return count;
}

static double processor_time(void)
{
  struct timespec now;
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  rh_batch *batch = NULL;
  if (argc < 5 || argc > 7 || rh_scene_load(argv[1], NULL, 0, NULL, &scene) != RH_OK ||
      rh_scene_compile(scene, NULL, &model) != RH_OK ||
      rh_batch_create(model, atoi(argv[2]), atoi(argv[3]), NULL, &batch) != RH_OK) {
    return 1;
  }
  count_fn *count = argc > 6 ? find_count(argv[6]) : count_nothing;
  (void)rh_batch_step(batch, argc > 5 ? atoi(argv[5]) : 0);
  double begun = processor_time();
  count(1);
  int failed = rh_batch_step(batch, atoi(argv[4]));
  count(0);
  double spent = processor_time() - begun;
  int last = rh_batch_count(batch) - 1;
  printf("%.6f %016llx %016llx %d\n", spent,
         (unsigned long long)rh_data_hash(rh_sim_view(rh_batch_sim(batch, 0)), 0),
         (unsigned long long)rh_data_hash(rh_sim_view(rh_batch_sim(batch, last)), 0), failed);
  rh_batch_destroy(batch);
  rh_model_destroy(model);
  rh_scene_destroy(scene);
  return 0;
}
