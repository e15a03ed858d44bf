// Forward dynamics (kinematics and articulated bodies) of chains of 10, 100 and 1000 links whose hinges turn about
// alternating axes: nanoseconds a link, and by which factor a link of the longer chain costs more (1: linear growth).
// Prints TSV as the peers do: scene, engine, metric, value. `chain LINKS CALLS` only computes, for counting
// instructions: bench/icount runs it with two numbers of calls and takes the difference.
#include <routh/routh.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 31, WORK = 20000 }; // rounds of each length; links a round

typedef struct world {
  rh_model *model;
  rh_data *data;
  double *a;
} world;

static double cpu_now(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// The peers' generator: x <- 6364136223846793005 x + 1442695040888963407 (mod 2^64), upper 53 bits.
static double next_random(uint64_t *x)
{
  *x = *x * 6364136223846793005u + 1442695040888963407u;
  return (double)(*x >> 11) * 0x1p-53;
}

static void add_link(rh_scene *scene, int i)
{
  char name[16];
  char parent[16];
  rh_body_def body = rh_body_default();
  rh_joint_def joint = rh_joint_default("revolute");
  (void)snprintf(name, sizeof name, "b%d", i);
  (void)snprintf(parent, sizeof parent, i == 0 ? "world" : "b%d", i - 1);
  body.name = rh_name_of(name);
  body.mass = 1;
  body.com[0] = 0.05;
  body.inertia = (rh_list){6, {1e-4, 1e-3, 1e-3, 0, 0, 0}};
  joint.name = rh_name_of(name);
  joint.child = rh_name_of(name);
  joint.parent = rh_name_of(parent);
  joint.at[0] = i == 0 ? 0 : 0.1;
  joint.par[0] = 0;
  joint.par[1] = i % 2 == 0 ? 1 : 0;
  joint.par[2] = i % 2 == 0 ? 0 : 1;
  if (rh_scene_add_body(scene, &body) == RH_NONE || rh_scene_add_joint(scene, &joint) == RH_NONE) {
    (void)fprintf(stderr, "chain: out of memory\n");
    exit(6);
  }
}

static world build(int links)
{
  world w = {0};
  uint64_t seed = 42;
  rh_scene *scene = rh_scene_create();
  for (int i = 0; i < links; i++) {
    add_link(scene, i);
  }
  rh_status status = rh_scene_compile(scene, NULL, &w.model);
  rh_scene_destroy(scene);
  if (status != RH_OK) {
    (void)fprintf(stderr, "chain: %s\n", rh_status_message(status));
    exit(3);
  }
  w.data = rh_data_create(w.model);
  w.a = calloc((size_t)links, sizeof *w.a);
  if (w.data == NULL || w.a == NULL) {
    (void)fprintf(stderr, "chain: out of memory\n");
    exit(6);
  }
  for (int i = 0; i < links; i++) {
    w.data->q[i] = next_random(&seed) - 0.5;
    w.data->v[i] = 2 * next_random(&seed) - 1;
  }
  return w;
}

static void destroy(world *w)
{
  free(w->a);
  rh_data_destroy(w->data);
  rh_model_destroy(w->model);
}

static void compute(world *w, int calls)
{
  for (int i = 0; i < calls; i++) {
    rh_kinematics(w->data);
    rh_aba(w->data, w->data->tau, w->a);
  }
}

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a;
  double y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *x, int n)
{
  qsort(x, (size_t)n, sizeof *x, compare);
  return x[n / 2];
}

// The lengths take turns, so that a busy moment of the machine hits them alike.
static void measure(const char *label)
{
  static const int links[3] = {10, 100, 1000};
  static double ns[3][ROUNDS];
  double middle[3];
  world w[3];
  for (int k = 0; k < 3; k++) {
    w[k] = build(links[k]);
    compute(&w[k], 10);
  }
  for (int r = 0; r < ROUNDS; r++) {
    for (int k = 0; k < 3; k++) {
      double start = cpu_now();
      compute(&w[k], WORK / links[k]);
      ns[k][r] = (cpu_now() - start) * 1e9 / WORK;
    }
  }
  for (int k = 0; k < 3; k++) {
    middle[k] = median(ns[k], ROUNDS);
    printf("chain\t%s\tns_per_link_%d\t%.6g\n", label, links[k], middle[k]);
    destroy(&w[k]);
  }
  printf("chain\t%s\tgrowth_10_to_100\t%.6g\n", label, middle[1] / middle[0]);
  printf("chain\t%s\tgrowth_100_to_1000\t%.6g\n", label, middle[2] / middle[1]);
}

int main(int argc, char **argv)
{
  const char *tag = getenv("TAG");
  char label[64];
  if (argc == 3) {
    world w = build(atoi(argv[1]));
    compute(&w, atoi(argv[2]));
    destroy(&w);
    return 0;
  }
  (void)snprintf(label, sizeof label, "routh-" RH_VERSION "%s", tag != NULL ? tag : "");
  measure(label);
  return 0;
}
