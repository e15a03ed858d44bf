// The collision map, microseconds a call: a free body (6 degrees of freedom) that meets 6, 24 and 60 contacts at once, a group of 40 with
// 60 contacts of rank 25, and rules and variants beside the default. Median and worst of many calls, cpu time; the worst has what others do to
// the caches in it. Prints TSV as the peers do: scene, engine, metric, value.
#include "impact/collision_map.h"

#include <math.h>
#include <routh/routh.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { N = 60, NV = 40, CALLS = 20000 };

typedef struct group {
  int n, nv;
  double J[N * NV], W[N * N], u[N], e[N], p[N], after[N];
} group;

static double cpu_now(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a;
  double y = *(const double *)b;
  return (x > y) - (x < y);
}

static double within(uint64_t *x, double lo, double hi)
{
  *x = *x * 6364136223846793005u + 1442695040888963407u;
  return lo + (hi - lo) * (double)(*x >> 11) * 0x1p-53;
}

// Unit masses: W = J J'. J = A B of the given rank; contacts are turned so that all of them approach.
static void fill(group *g, int n, int nv, int rank)
{
  static double A[N * NV];
  static double B[NV * NV];
  uint64_t seed = 3;
  double v[NV];
  *g = (group){.n = n, .nv = nv};
  for (int i = 0; i < n * rank; i++) {
    A[i] = within(&seed, -1, 1);
  }
  for (int i = 0; i < rank * nv; i++) {
    B[i] = within(&seed, -1, 1);
  }
  for (int k = 0; k < nv; k++) {
    v[k] = within(&seed, -1, 1);
  }
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < nv; k++) {
      for (int j = 0; j < rank; j++) {
        g->J[i * nv + k] += A[i * rank + j] * B[j * nv + k];
      }
      g->u[i] += g->J[i * nv + k] * v[k];
    }
    for (int k = 0; k < nv && g->u[i] > 0; k++) {
      g->J[i * nv + k] *= -1;
    }
    g->u[i] = -fabs(g->u[i]);
    g->e[i] = 0.5;
  }
  rh_collide_matrix(n, nv, g->J, g->J, g->W);
}

static void report(const char *label, const char *name, double *us, int n)
{
  qsort(us, (size_t)n, sizeof *us, compare);
  printf("collide\t%s\tus_%s\t%.6g\n", label, name, us[n / 2]);
  printf("collide\t%s\tus_%s_worst\t%.6g\n", label, name, us[n - 1]);
}

static void map(const char *label, const char *name, group *g, rh_collide_rule rule, bool unequal)
{
  static double us[CALLS];
  uint64_t seed = 5;
  double *room = malloc(rh_collide_room(g->n, g->nv) * sizeof *room);
  rh_collide_out out;
  for (int i = 0; i < g->n; i++) {
    g->e[i] = unequal ? within(&seed, 0, 1) : 0.5;
  }
  const rh_collide_in in = {.n = g->n, .nv = g->nv, .W = g->W, .u = g->u, .e = g->e, .rule = rule};
  for (int i = 0; i < CALLS; i++) {
    double start = cpu_now();
    if (!rh_collide_map(&in, room, g->p, g->after, &out)) {
      exit(4);
    }
    us[i] = (cpu_now() - start) * 1e6;
  }
  report(label, name, us, CALLS);
  free(room);
}

static void unilateral(const char *label, const char *name, group *g)
{
  enum { FEW = 200 };

  static double us[FEW];
  double *room = malloc(rh_collide_unilateral_room(g->n) * sizeof *room);
  rh_collide_out out;
  const rh_collide_in in = {.n = g->n, .nv = g->nv, .W = g->W, .u = g->u, .e = g->e};
  for (int i = 0; i < FEW; i++) {
    double start = cpu_now();
    if (!rh_collide_unilateral(&in, room, g->p, g->after, &out)) {
      exit(4);
    }
    us[i] = (cpu_now() - start) * 1e6;
  }
  report(label, name, us, FEW);
  free(room);
}

int main(void)
{
  static group g;
  const char *tag = getenv("TAG");
  char label[64];
  (void)snprintf(label, sizeof label, "routh-" RH_VERSION "%s", tag != NULL ? tag : "");
  fill(&g, 6, 6, 6);
  map(label, "6_contacts_6_dof", &g, RH_COLLIDE_CLAMPED, false);
  fill(&g, 24, 6, 6);
  map(label, "24_contacts_6_dof", &g, RH_COLLIDE_CLAMPED, false);
  fill(&g, N, 6, 6);
  map(label, "60_contacts_6_dof", &g, RH_COLLIDE_CLAMPED, false);
  map(label, "60_contacts_6_dof_each_its_e", &g, RH_COLLIDE_CLAMPED, true);
  map(label, "60_contacts_6_dof_sqrt", &g, RH_COLLIDE_SQRT, true);
  unilateral(label, "60_contacts_6_dof_unilateral", &g);
  fill(&g, N, NV, 25);
  map(label, "60_contacts_40_dof_rank_25", &g, RH_COLLIDE_CLAMPED, false);
  return 0;
}
