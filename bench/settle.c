// Balls that settle in a bin, from a thousand to a million: `settle [COUNT [SECONDS [THREADS]]]` prints what each stage of a world takes (scene, model,
// state, steps: bytes of memory for each ball, seconds), and then for each tenth of the simulated time the seconds by the clock for a simulated second, the
// contacts, the deepest overlap and the kinetic energy. The bin is as wide as for a heap about as high; the balls begin as a loose lattice, each off its
// place by a hundredth of its radius, so that no column stands. bench/settle_lammps has the same balls by LAMMPS.
#include "scene_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double RADIUS = 0.005;   // [m]
static const double DENSITY = 2500;   // [kg/m3], of glass
static const double SPACING = 0.0105; // [m], of the lattice
static const double STEP = 5e-4;      // [s]

static double clock_now(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// [byte] that the process holds now
static double resident_bytes(void)
{
  FILE *f = fopen("/proc/self/statm", "r");
  long all = 0, held = 0;
  if (f) {
    if (fscanf(f, "%ld %ld", &all, &held) != 2) {
      held = 0;
    }
    (void)fclose(f);
  }
  return 4096.0 * (double)held;
}

// A number in [-1, 1) by a linear congruence (Knuth's MMIX)
static double draw_number(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-52 - 1;
}

static void add_ball(rh_scene *s, int i, const double at[3])
{
  rh_body_def body = rh_body_default();
  rh_joint_def j = rh_joint_default("free");
  rh_shape_def shape = rh_shape_default("sphere");
  char name[RH_NAME_MAX];
  (void)snprintf(name, sizeof name, "ball%d", i);
  body.name = rh_name_of(name);
  body.mass = DENSITY * 4 / 3 * acos(-1.0) * RADIUS * RADIUS * RADIUS;
  check_added(rh_scene_add_body(s, &body));
  j.name = j.child = shape.body = body.name;
  j.parent = rh_name_of("world");
  j.q = (rh_list){7, {at[0], at[1], at[2], 1, 0, 0, 0}};
  check_added(rh_scene_add_joint(s, &j));
  set_parameter(&rh_shape_find("sphere")->row, shape.par, "radius", RADIUS);
  check_added(rh_scene_add_shape(s, &shape));
}

static rh_scene *build_heap(int n, int threads)
{
  rh_scene *s = rh_scene_create();
  rh_world_def world = rh_world_default();
  rh_run_def run = rh_run_default("stepping", NULL);
  rh_record_def record = rh_record_default();
  rh_contact_def c = rh_contact_default("newton", "dry");
  int side = (int)ceil(cbrt(n));
  double half = 0.5 * SPACING * side + 2 * 0.01 * RADIUS;
  uint64_t seed = 1;
  world.gravity[2] = -9.81;
  rh_scene_set_world(s, &world);
  add_fixed_plane(s, (double[]){0, 0, 0}, 0, 0);
  for (int k = 0; k < 4; k++) {
    double turn = 0.5 * acos(-1.0) * k;
    add_fixed_plane(s, (double[]){-half * cos(turn), -half * sin(turn), 0}, 0.5 * acos(-1.0), turn);
  }
  for (int i = 0; i < n; i++) {
    double off = 0.01 * RADIUS;
    int layer = i / (side * side);
    add_ball(s, i,
             (double[]){SPACING * (i % side + 0.5) - half + off + off * draw_number(&seed),
                        SPACING * (i / side % side + 0.5) - half + off + off * draw_number(&seed),
                        SPACING * (layer + 0.5) + off * draw_number(&seed)});
  }
  c.body = rh_name_of("all");
  c.against = rh_name_of("all");
  set_parameter(&rh_impact_law_find("newton")->row, c.par, "e", 0.2);
  set_parameter(&rh_friction_law_find("dry")->row, c.friction_par, "mu_s", 0.5);
  set_parameter(&rh_friction_law_find("dry")->row, c.friction_par, "mu_k", 0.5);
  check_added(rh_scene_add_contact(s, &c));
  run.until = 1e6;
  set_parameter(&rh_engine_find("stepping")->row, run.par, "dt", STEP);
  set_parameter(&rh_engine_find("stepping")->row, run.par, "threads", threads);
  record.every = 1e5;
  rh_scene_set_run(s, &run);
  rh_scene_set_record(s, &record);
  return s;
}

// ---- What is wrong with a state: found here, by cells as wide as a ball, not by the engine

typedef struct grid {
  int *first, *next; // of each cell, of each ball; -1 ends a cell
  int side, height;
} grid;

static int cell_of(double x, double origin, int n)
{
  int i = (int)floor((x - origin) / (2 * RADIUS));
  return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static void measure_overlap(const rh_data *d, int n, grid *g, double *overlap, long *touching)
{
  double half = g->side * RADIUS; // the cells may be wider than the bin
  int cells = g->side * g->side * g->height;
  *overlap = 0;
  *touching = 0;
  for (int c = 0; c < cells; c++) {
    g->first[c] = -1;
  }
  for (int i = 0; i < n; i++) {
    const double *p = d->q + 7 * (size_t)i;
    int x = cell_of(p[0], -half, g->side);
    int y = cell_of(p[1], -half, g->side);
    int z = cell_of(p[2], 0, g->height);
    *overlap = fmax(*overlap, RADIUS - p[2]);
    for (int k = 0; k < 27; k++) {
      int a = x + k % 3 - 1;
      int b = y + k / 3 % 3 - 1;
      int c = z + k / 9 - 1;
      if (a < 0 || b < 0 || c < 0 || a >= g->side || b >= g->side || c >= g->height) {
        continue;
      }
      for (int j = g->first[(c * g->side + b) * g->side + a]; j >= 0; j = g->next[j]) {
        const double *o = d->q + 7 * (size_t)j;
        double gap = sqrt((p[0] - o[0]) * (p[0] - o[0]) + (p[1] - o[1]) * (p[1] - o[1]) +
                          (p[2] - o[2]) * (p[2] - o[2])) -
                     2 * RADIUS;
        *touching += gap < 1e-6;
        *overlap = fmax(*overlap, -gap);
      }
    }
    int cell = (z * g->side + y) * g->side + x;
    g->next[i] = g->first[cell];
    g->first[cell] = i;
  }
}

typedef struct stage {
  double seconds, bytes;
} stage;

static void print_stage(const char *what, stage *from, int n)
{
  stage to = {clock_now(), resident_bytes()};
  printf("%s\t%.2f s\t%.0f bytes a ball\n", what, to.seconds - from->seconds,
         (to.bytes - from->bytes) / n);
  (void)fflush(stdout);
  *from = to;
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 10000;
  double until = argc > 2 ? atof(argv[2]) : 0.5;
  int threads = argc > 3 ? atoi(argv[3]) : 1;
  rh_diag *diag = rh_diag_create();
  rh_model *model = NULL;
  rh_sim *sim = NULL;
  if (n < 1 || !(until > 0) || threads < 1) {
    stop_with("settle [COUNT [SECONDS [THREADS]]]", NULL);
  }
  stage at = {clock_now(), resident_bytes()};
  rh_scene *s = build_heap(n, threads);
  print_stage("scene", &at, n);
  if (rh_scene_compile(s, diag, &model) != RH_OK) {
    stop_with("the scene does not compile", diag);
  }
  print_stage("model", &at, n);
  rh_scene_destroy(s);
  print_stage("scene freed", &at, n);
  if (rh_sim_create(model, diag, &sim) != RH_OK) {
    stop_with("no world", diag);
  }
  print_stage("world", &at, n);
  if (rh_sim_run(sim, STEP) != RH_OK) {
    stop_with(rh_sim_reason(sim), NULL);
  }
  print_stage("first step", &at, n);
  int side = (int)ceil(cbrt(n));
  grid g = {.side = side + 3, .height = side + 3};
  g.first = malloc((size_t)g.side * g.side * g.height * sizeof *g.first);
  g.next = malloc((size_t)n * sizeof *g.next);
  if (!g.first || !g.next) {
    stop_with("out of memory", NULL);
  }
  printf("t [s]\ts/s\ttouching\toverlap [m]\tenergy [J]\n");
  for (int k = 1; k <= 10; k++) {
    double begin = clock_now();
    double from = *rh_sim_view(sim)->t;
    double to = STEP * ceil(until * k / 10 / STEP);
    if (rh_sim_run(sim, to) != RH_OK) {
      stop_with(rh_sim_reason(sim), NULL);
    }
    double took = clock_now() - begin;
    double overlap;
    long touching;
    measure_overlap(rh_sim_view(sim), n, &g, &overlap, &touching);
    printf("%.4f\t%.1f\t%ld\t%.2e\t%.4e\n", to, took / (to - from), touching, overlap,
           rh_sim_ledger(sim).kinetic);
    (void)fflush(stdout);
  }
  print_stage("steps", &at, n);
  free(g.first);
  free(g.next);
  rh_sim_destroy(sim);
  rh_model_destroy(model);
  rh_diag_destroy(diag);
  return 0;
}
