// Impacts, microseconds each (medians): one point in space along its path, and a robot of 34 degrees of freedom that comes down on one
// sole with 8 points, contact matrices included, by formulation. Prints TSV as the peers do: scene, engine, metric, value.
// `impact MODEL`: models/atlas.yaml.
#include "impact/impact.h"

#include <routh/routh.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 301, POINTS = 8, ROWS = 3 * POINTS, NV = 34 };

static double cpu_now(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
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

static double next_random(uint64_t *x)
{
  *x = *x * 6364136223846793005u + 1442695040888963407u;
  return (double)(*x >> 11) * 0x1p-53;
}

static double within(uint64_t *x, double lo, double hi)
{
  return lo + (hi - lo) * next_random(x);
}

// W = 1/m - [r] I^-1 [r] of a point of a free body
static void point(uint64_t *x, rh_point_in *in)
{
  rh_vec3 r = rh_v3(within(x, -0.2, 0.2), within(x, -0.2, 0.2), within(x, -0.3, -0.1));
  double I[3] = {within(x, 0.02, 0.05), within(x, 0.02, 0.05), within(x, 0.02, 0.05)};
  for (int j = 0; j < 3; j++) {
    rh_vec3 p = rh_v3(j == 0, j == 1, j == 2);
    rh_vec3 t = rh_cross(r, p);
    rh_vec3 u = rh_addscaled(rh_cross(rh_v3(t.x / I[0], t.y / I[1], t.z / I[2]), r), 0.5, p);
    in->W[j] = u.x;
    in->W[3 + j] = u.y;
    in->W[6 + j] = u.z;
  }
  in->u[0] = within(x, -1, 1);
  in->u[1] = within(x, -1, 1);
  in->u[2] = -1;
  in->mu_s = in->mu_k = within(x, 0, 1);
  in->e = next_random(x);
}

// Each by itself, many times over: they differ (straight slip, curved slip, stick).
static void one_point(const char *label)
{
  enum { EACH = 100 };

  static double us[ROUNDS];
  uint64_t x = 7;
  rh_point_in in;
  rh_point_out out;
  double sum = 0;
  for (int r = 0; r < ROUNDS; r++) {
    point(&x, &in);
    double start = cpu_now();
    for (int i = 0; i < EACH; i++) {
      (void)rh_point_impact(rh_impact_law_find("stronge"), &in, &out);
      sum += out.u[2];
    }
    us[r] = (cpu_now() - start) * 1e6 / EACH;
  }
  if (sum == 0) {
    exit(4);
  }
  printf("impact\t%s\tus_one_point\t%.6g\n", label, median(us, ROUNDS));
  printf("impact\t%s\tus_one_point_slowest\t%.6g\n", label, us[ROUNDS - 1]);
}

typedef struct robot {
  rh_model *model;
  rh_data *d;
  rh_model_point point[POINTS];
  double work[ROWS * NV], W[ROWS * ROWS], u[ROWS], mu[POINTS], e[POINTS], p[ROWS], after[ROWS];
} robot;

static void sole(robot *b)
{
  static const int edge[4][2] = {{0, 1}, {1, 3}, {3, 2}, {2, 0}};
  for (int i = 0; i < 4; i++) {
    b->point[i] = b->model->point[i];
    b->point[4 + i] = b->model->point[edge[i][0]];
    b->point[4 + i].at =
        rh_scale(0.5, rh_add(b->model->point[edge[i][0]].at, b->model->point[edge[i][1]].at));
  }
}

static void strike(robot *b, const rh_formulation *form, const double *par, double *room)
{
  rh_many_out out;
  rh_contact_inertia(b->d, POINTS, b->point, b->work, b->W);
  for (int k = 0; k < POINTS; k++) {
    rh_vec3 u = rh_point_velocity(b->d, b->point[k].body, b->point[k].at);
    b->u[3 * k] = u.x;
    b->u[3 * k + 1] = u.y;
    b->u[3 * k + 2] = u.z;
    b->mu[k] = 0.8;
    b->e[k] = 0.3;
  }
  const rh_many_in in = {.n = POINTS,
                         .W = b->W,
                         .u = b->u,
                         .mu = b->mu,
                         .e = b->e,
                         .law = rh_impact_law_find("poisson")};
  if (!form->strike(&in, par, room, b->p, b->after, &out)) {
    (void)fprintf(stderr, "impact: %s gave up\n", form->row.name);
  }
}

static void foot(const char *label, const char *path)
{
  static robot b;
  static double us[ROUNDS];
  rh_scene *scene = NULL;
  int count;
  const rh_formulation *const *table = rh_formulation_table(&count);
  if (rh_scene_load(path, NULL, 0, NULL, &scene) != RH_OK ||
      rh_scene_compile(scene, NULL, &b.model) != RH_OK || b.model->nv != NV) {
    (void)fprintf(stderr, "impact: %s is not the robot\n", path);
    exit(3);
  }
  b.d = rh_data_create(b.model);
  sole(&b);
  for (int f = 0; f < count; f++) {
    double par[RH_PAR_MAX];
    double *room = malloc(table[f]->room(POINTS) * sizeof *room);
    uint64_t x = 11;
    rh_row_defaults(&table[f]->row, par);
    for (int r = 0; r < ROUNDS; r++) {
      for (int i = 0; i < NV; i++) {
        b.d->v[i] = within(&x, -0.1, 0.1);
      }
      b.d->v[2] = -0.5;
      rh_kinematics(b.d);
      rh_mass_matrix(b.d);
      rh_mass_factor(b.d);
      double start = cpu_now();
      strike(&b, table[f], par, room);
      us[r] = (cpu_now() - start) * 1e6;
    }
    printf("impact\t%s\tus_foot_8_%s\t%.6g\n", label, table[f]->row.name, median(us, ROUNDS));
    free(room);
  }
  rh_data_destroy(b.d);
  rh_model_destroy(b.model);
  rh_scene_destroy(scene);
}

int main(int argc, char **argv)
{
  const char *tag = getenv("TAG");
  char label[64];
  if (argc != 2) {
    (void)fprintf(stderr, "usage: impact MODEL\n");
    return 2;
  }
  (void)snprintf(label, sizeof label, "routh-" RH_VERSION "%s", tag != NULL ? tag : "");
  one_point(label);
  foot(label, argv[1]);
  return 0;
}
