// What threads are worth to the engine stepping: `threads [SCENE [COUNT [THREADS...]]]` runs one world with each number of threads, in turns of a few steps
// in one process, and prints steps a second, the ratio to the first number, the same ratio of the processor time of the calling thread (which says something on a
// machine with other work too: its own share, and what it waits awake for others), and whether the state has the same bits at the end. Scenes:
//   humanoids  COUNT (64) of the model of bench/peers (S5) fall beside one another: as many islands, each a tree
//   heaps      COUNT (400) cups with ten balls each: many small islands
//   heap       COUNT (4000) balls in one bin: one large island
// STEPS=N (default 500, after 100 that are not counted) says how many. After each scene stand the parts of a step: microseconds of the calling thread, and for
// more threads than one those of them that all threads share (the rest is serial) and how many rounds of sharing there are. By Amdahl's law one thread over the
// serial part is the most that any number of threads can gain.
#include <routh/routh.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "peers/humanoid.h"
#include "scene_parts.h"
#include "machine.h"
#include "phases.h"

enum { SIMS_MAX = 16, TURN = 50, WARM = 100, CLOSE = 100 };

static rh_name number(const char *word, int i)
{
  char name[RH_NAME_MAX];
  (void)snprintf(name, sizeof name, "%s-%d", word, i);
  return rh_name_of(name);
}

// ---- Parts of scenes

static void add_wall(rh_scene *s, const double at[3], const double size[3])
{
  rh_shape_def b = rh_shape_default("box");
  const rh_row *row = &rh_shape_find("box")->row;
  b.body = rh_name_of("world");
  memcpy(b.at, at, sizeof b.at);
  memcpy(b.par + rh_row_offset(row, rh_row_find(row, "size")), size, 3 * sizeof *size);
  check_added(rh_scene_add_shape(s, &b));
}

static void add_ball(rh_scene *s, int i, double radius, const double at[3])
{
  rh_body_def body = rh_body_default();
  rh_joint_def j = rh_joint_default("free");
  rh_shape_def shape = rh_shape_default("sphere");
  body.name = number("ball", i);
  body.mass = 0.5;
  check_added(rh_scene_add_body(s, &body));
  j.name = j.child = shape.body = body.name;
  j.parent = rh_name_of("world");
  j.q = (rh_list){7, {at[0], at[1], at[2], 1, 0, 0, 0}};
  check_added(rh_scene_add_joint(s, &j));
  set_parameter(&rh_shape_find("sphere")->row, shape.par, "radius", radius);
  check_added(rh_scene_add_shape(s, &shape));
}

static void add_contact(rh_scene *s, const char *body, double mu)
{
  rh_contact_def c = rh_contact_default("newton", "dry");
  const rh_row *row = &rh_friction_law_find("dry")->row;
  c.body = rh_name_of(body);
  c.against = rh_name_of("all");
  set_parameter(&rh_impact_law_find("newton")->row, c.par, "e", 0);
  set_parameter(row, c.friction_par, "mu_s", mu);
  set_parameter(row, c.friction_par, "mu_k", mu);
  check_added(rh_scene_add_contact(s, &c));
}

static void add_limb(rh_scene *s, rh_name name, int index)
{
  rh_body_def body = rh_body_default();
  double com[3];
  double I[9];
  body.name = name;
  body.mass = 0; // between hinges of one place
  body.inertia = (rh_list){6, {0}};
  if (index != RH_NONE) {
    hum_inertia(index, com, I);
    body.mass = hum_body[index].m;
    memcpy(body.com, com, sizeof com);
    body.inertia = (rh_list){6, {I[0], I[4], I[8], I[1], I[2], I[5]}};
  }
  check_added(rh_scene_add_body(s, &body));
  for (int k = 0; index != RH_NONE && k < 2; k++) {
    rh_shape_def shape = rh_shape_default("sphere");
    shape.body = name;
    memcpy(shape.at, k ? hum_body[index].b : hum_body[index].a, sizeof shape.at);
    set_parameter(&rh_shape_find("sphere")->row, shape.par, "radius", hum_body[index].r);
    check_added(rh_scene_add_shape(s, &shape));
  }
}

static void add_hinge(rh_scene *s, rh_name parent, rh_name child, const double at[3], char axis)
{
  rh_joint_def j = rh_joint_default("revolute");
  j.name = j.child = child;
  j.parent = parent;
  memcpy(j.at, at, sizeof j.at);
  hum_axis(axis, j.par);
  j.spring = (rh_list){1, {HSTIFF}};
  j.damper = (rh_list){1, {HDAMP}};
  check_added(rh_scene_add_joint(s, &j));
}

static void add_humanoid(rh_scene *s, int i, double x, double y)
{
  static const double here[3] = {0, 0, 0};
  rh_joint_def j = rh_joint_default("free");
  j.name = j.child = number("torso", i);
  j.parent = rh_name_of("world");
  j.q = (rh_list){7, {x, y, hum_body[0].at[2], 1, 0, 0, 0}};
  j.v = (rh_list){6, {hum_v0[0], hum_v0[1], hum_v0[2], hum_w0[0], hum_w0[1], hum_w0[2]}};
  add_limb(s, j.child, 0);
  check_added(rh_scene_add_joint(s, &j));
  for (int b = 1; b < HNB; b++) {
    rh_name parent = number(hum_body[hum_body[b].parent].name, i);
    int n = (int)strlen(hum_body[b].axes);
    for (int k = 0; k < n; k++) {
      rh_name child = number(hum_body[b].name, k == n - 1 ? i : i + 10000 * (k + 1));
      add_limb(s, child, k == n - 1 ? b : RH_NONE);
      add_hinge(s, parent, child, k == 0 ? hum_body[b].at : here, hum_body[b].axes[k]);
      parent = child;
    }
  }
}

// ---- Scenes

static void humanoids(rh_scene *s, int n)
{
  int side = (int)ceil(sqrt(n));
  for (int i = 0; i < n; i++) {
    add_humanoid(s, i, 3.0 * (i % side), 3.0 * (i / side));
  }
  add_contact(s, "world", 0.7);
}

static void heaps(rh_scene *s, int n)
{
  int side = (int)ceil(sqrt(n));
  for (int i = 0; i < n; i++) {
    double x = 0.5 * (i % side);
    double y = 0.5 * (i / side);
    for (int k = 0; k < 4; k++) { // a cup 0.24 wide
      double along = k < 2 ? (k == 0 ? -0.13 : 0.13) : 0;
      double across = k < 2 ? 0 : (k == 2 ? -0.13 : 0.13);
      add_wall(s, (double[]){x + along, y + across, 0.15},
               (double[]){k < 2 ? 0.02 : 0.28, k < 2 ? 0.28 : 0.02, 0.3});
    }
    for (int k = 0; k < 10; k++) {
      add_ball(s, 10 * i + k, 0.05,
               (double[]){x + 0.055 * (k % 2 ? 1 : -1) + 1e-3 * k,
                          y + 0.055 * (k / 2 % 2 ? 1 : -1) - 1e-3 * (k % 3),
                          0.051 + 0.105 * (k / 4)});
    }
  }
  add_contact(s, "all", 0.5);
}

static void heap(rh_scene *s, int n)
{
  int side = (int)ceil(cbrt(n));
  double half = 0.055 * side + 0.02;
  for (int k = 0; k < 4; k++) { // walls
    double turn = 0.5 * acos(-1.0) * k;
    add_fixed_plane(s, (double[]){-half * cos(turn), -half * sin(turn), 0}, 0.5 * acos(-1.0), turn);
  }
  for (int i = 0; i < n; i++) {
    int layer = i / (side * side);
    add_ball(s, i, 0.05,
             (double[]){0.11 * (i % side) - half + 0.07 + 2e-3 * (layer % 3),
                        0.11 * (i / side % side) - half + 0.07 + 3e-3 * (layer % 2),
                        0.051 + 0.105 * layer});
  }
  add_contact(s, "all", 0.5);
}

typedef struct kind {
  const char *name;
  void (*build)(rh_scene *s, int n);
  int count;
  double dt;
} kind;

static const kind kinds[] = {
    {"humanoids", humanoids, 64, 2e-3}, {"heaps", heaps, 400, 1e-3}, {"heap", heap, 4000, 1e-3}};

// ---- Running

typedef struct racer {
  int threads;
  rh_model *model;
  rh_sim *sim;
  long steps;
  double seconds, caller; // [s] on the clock, and of the calling thread
  phase_times phases, close; // of all turns; of a few more, which are watched closely
} racer;

static double now(clockid_t clock)
{
  struct timespec t;
  (void)clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static racer start(const kind *k, int count, int threads)
{
  racer r = {.threads = threads};
  rh_scene *s = rh_scene_create();
  rh_diag *diag = rh_diag_create();
  rh_world_def world = rh_world_default();
  rh_run_def run = rh_run_default("stepping", NULL);
  rh_record_def record = rh_record_default();
  const rh_row *row = &rh_engine_find("stepping")->row;
  world.gravity[2] = -9.81;
  rh_scene_set_world(s, &world);
  add_fixed_plane(s, (double[]){0, 0, 0}, 0, 0);
  k->build(s, count);
  run.until = 1e6;
  set_parameter(row, run.par, "dt", k->dt);
  set_parameter(row, run.par, "threads", threads);
  record.every = 1e5;
  rh_scene_set_run(s, &run);
  rh_scene_set_record(s, &record);
  if (rh_scene_compile(s, diag, &r.model) != RH_OK ||
      rh_sim_create(r.model, diag, &r.sim) != RH_OK) {
    stop_with("the scene does not compile", diag);
  }
  rh_diag_destroy(diag);
  rh_scene_destroy(s);
  return r;
}

static void run_in_phases(racer *r, const kind *k, int steps)
{
  r->steps += steps;
  phases_begin(&r->close);
  if (rh_sim_run(r->sim, (double)r->steps * k->dt) != RH_OK) {
    stop_with(rh_sim_reason(r->sim), NULL);
  }
  phases_end();
}

static void go_on(racer *r, const kind *k, int steps)
{
  r->steps += steps;
  double t = now(CLOCK_MONOTONIC);
  double cpu = now(CLOCK_THREAD_CPUTIME_ID);
  if (r->steps > WARM) {
    phases_begin(&r->phases);
  }
  if (rh_sim_run(r->sim, (double)r->steps * k->dt) != RH_OK) {
    stop_with(rh_sim_reason(r->sim), NULL);
  }
  phases_end();
  r->seconds += r->steps > WARM ? now(CLOCK_MONOTONIC) - t : 0;
  r->caller += r->steps > WARM ? now(CLOCK_THREAD_CPUTIME_ID) - cpu : 0;
}

// Microseconds a step, by parts
static void print_phases(const racer *r, int steps)
{
  double each = 1e6 / (double)steps;
  double serial = 0;
  for (int i = 0; i < PHASE_COUNT; i++) {
    const phase_times *p = &r->phases;
    serial += p->all[i] - p->shared[i];
    if (p->all[i] > 0 && r->threads == 1) {
      printf("  1 thread\t%-26s\t%8.1f us\n", phase_name[i], each * p->all[i]);
    } else if (p->all[i] > 0) {
      printf("  %d threads\t%-26s\t%8.1f us\tserial %8.1f\t%.1f rounds\n", r->threads, phase_name[i],
             each * p->all[i], each * (p->all[i] - p->shared[i]),
             1e-6 * each * (double)p->rounds[i]);
    }
  }
  if (r->threads > 1) {
    printf("  %d threads\t%-26s\t%8.1f us\tserial %8.1f\n", r->threads, "all", each * r->seconds,
           each * serial);
  }
}

// Where the time of the threads of b goes, a having one, in a few more steps: of the parts of a step that threads share, the work of all of them against that
// of one (contacts and bodies come from the caches of others), and how long threads have none
static void print_losses(racer *a, racer *b, const kind *k, int steps)
{
  double each = 1e6 / (double)steps;
  double sum[4] = {0};
  for (int done = 0; done < steps; done += TURN) {
    run_in_phases(a, k, TURN);
    run_in_phases(b, k, TURN);
  }
  printf("  of %d more steps\t%-26s\tone thread\tof %d: shared\tserial\twork\tidle [us of each thread]\n", steps, "", b->threads);
  for (int i = 0; i < PHASE_COUNT; i++) {
    double one = each * a->close.all[i];
    double shared = each * b->close.shared[i];
    double serial = each * (b->close.all[i] - b->close.shared[i]);
    double work = each * b->close.busy[i] / b->threads;
    printf("  \t%-26s\t%8.1f\t%8.1f\t%8.1f\t%8.1f (%.2f)\t%8.1f\n", phase_name[i], one, shared, serial, work,
           one > 0 ? (b->threads * work + serial) / one : 0, shared - work);
    sum[0] += one;
    sum[1] += shared;
    sum[2] += serial;
    sum[3] += work;
  }
  printf("  \t%-26s\t%8.1f\t%8.1f\t%8.1f\t%8.1f (%.2f)\t%8.1f\n", "all", sum[0], sum[1], sum[2], sum[3],
         (b->threads * sum[3] + sum[2]) / sum[0], sum[1] - sum[3]);
}

static void race(const kind *k, int count, const int *threads, int n)
{
  const char *text = getenv("STEPS");
  int steps = WARM + (text ? atoi(text) : 500);
  racer r[SIMS_MAX];
  for (int i = 0; i < n; i++) {
    r[i] = start(k, count, threads[i]);
  }
  for (int done = 0; done < steps; done += TURN) {
    for (int i = 0; i < n; i++) {
      go_on(&r[i], k, TURN);
    }
  }
  for (int i = 0; i < n; i++) {
    uint64_t hash = rh_data_hash(rh_sim_view(r[i].sim), 0);
    bool same = hash == rh_data_hash(rh_sim_view(r[0].sim), 0);
    double rate = (double)(r[i].steps - WARM) / r[i].seconds;
    printf("%s\t%d\t%d\t%.0f\t%.2f\t%.2f\t%s\n", k->name, count, r[i].threads, rate,
           r[0].seconds / r[i].seconds, r[0].caller / r[i].caller, same ? "same" : "DIFFERENT");
  }
  for (int i = 0; i < n; i++) {
    if (i == 0 || i == n - 1) {
      print_phases(&r[i], steps - WARM);
    }
  }
  if (r[0].threads == 1 && r[n - 1].threads > 1) {
    r[0].close.closely = r[n - 1].close.closely = true;
    print_losses(&r[0], &r[n - 1], k, CLOSE);
  }
  (void)fflush(stdout);
  for (int i = 0; i < n; i++) {
    rh_sim_destroy(r[i].sim);
    rh_model_destroy(r[i].model);
  }
}

int main(int argc, char **argv)
{
  int threads[SIMS_MAX] = {1, 2, 4, 8, 16};
  int n = 5;
  bool any = false;
  if (argc > 3) {
    n = argc - 3 < SIMS_MAX ? argc - 3 : SIMS_MAX;
    for (int i = 0; i < n; i++) {
      threads[i] = atoi(argv[3 + i]);
    }
  }
  print_machine(threads[n - 1]);
  printf("scene\tcount\tthreads\tsteps/s\tratio\tcaller\tbits\n");
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (argc < 2 || strcmp(argv[1], "all") == 0 || strcmp(argv[1], kinds[i].name) == 0) {
      race(&kinds[i], argc > 2 && atoi(argv[2]) > 0 ? atoi(argv[2]) : kinds[i].count, threads, n);
      any = true;
    }
  }
  if (!any) {
    stop_with("scenes are humanoids, heaps, heap", NULL);
  }
  return 0;
}
