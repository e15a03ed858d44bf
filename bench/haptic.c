// Ticks of the haptic loop, one after the other without waiting: `haptic write N` writes a scene to standard output, a free tool with N feet
// (spheres, in rows) on a floor. `haptic ticks FILE [TICKS]` runs a scene (default 1e6 ticks) with a hand that presses, pulls, twists, lifts and
// drops the tool, and prints one line of TSV: contacts in the median and at most, times of a tick in microseconds (median,
// 99 %, worst; then number, median and worst of the ticks with most contacts, and of those in which the tool collides), and whether the
// thread had real-time priority. Times are kept one by one: the median is exact.
#include "realtime/live.h"

#include <math.h>
#include <routh/routh.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- The scene

static int write_scene(int feet)
{
  int rows = (int)ceil(sqrt(feet));
  double gap = 0.02;
  printf("world: {gravity: [0, 0, -9.81]}\nbodies:\n");
  printf("  - {name: tool, mass: 2, inertia: [0.005, 0.005, 0.008, 0, 0, 0]}\n");
  printf("  - {name: device, mass: 2, inertia: [0.005, 0.005, 0.008, 0, 0, 0]}\njoints:\n");
  printf("  - {kind: free, child: tool, q: [0, 0, 0.03, 1, 0, 0, 0]}\n");
  printf("  - {kind: free, child: device, q: [0, 0, 0.03, 1, 0, 0, 0]}\nshapes:\n");
  for (int i = 0; i < feet; i++) {
    printf("  - {body: tool, kind: sphere, radius: 0.005, at: [%g, %g, 0]}\n",
           gap * (i % rows - 0.5 * (rows - 1)), gap * (i / rows - 0.5 * (rows - 1)));
  }
  printf("  - {name: floor, body: world, kind: plane}\n");
  printf("contacts: [{name: wall, body: tool, against: world, law: kelvin-voigt, k: 1000, b: 20, "
         "friction: "
         "coulomb, mu: 0.3}]\n");
  printf("haptic: {tool: tool, device: device, hand: live}\n");
  printf("run: {until: 1000, engine: haptic, dt: 0.001}\nrecord: {every: 1}\n");
  return 0;
}

// ---- The hand

enum { HOLD = 50 }; // ticks that it does the same

// Presses and pulls about for some time, then lifts, lets fall and presses again. The same in every run.
static void push(long tick, unsigned long *random, rh_hand_in *hand)
{
  if (tick % HOLD != 0) {
    return;
  }
  double f[6];
  for (int k = 0; k < 6; k++) {
    *random = (*random * 1103515245 + 12345) % 2147483648UL;
    f[k] = 2.0 * (double)*random / 2147483648.0 - 1;
  }
  bool lifts = tick / HOLD % 16 == 15;
  const double wrench[6] = {2 * f[0],    2 * f[1],    lifts ? 30 : -10,
                            0.02 * f[3], 0.02 * f[4], 0.02 * f[5]};
  memcpy(hand->wrench, wrench, sizeof wrench);
}

// ---- The ticks

enum { WORK = 20000000, PAUSE = 2000000 }; // [ns]

typedef struct sample {
  float us;
  short contacts;
  bool colliding;
} sample;

static int by_time(const void *a, const void *b)
{
  float x = ((const sample *)a)->us;
  float y = ((const sample *)b)->us;
  return x < y ? -1 : x > y;
}

static int by_contacts(const void *a, const void *b)
{
  return ((const sample *)a)->contacts - ((const sample *)b)->contacts;
}

static int fail(rh_status status, const rh_diag *diag)
{
  char text[1024];
  for (int i = 0; i < rh_diag_kept(diag) && i < 5; i++) {
    rh_message m = rh_diag_get(diag, i);
    (void)rh_message_format(&m, text, sizeof text);
    (void)fprintf(stderr, "%s\n", text);
  }
  (void)fprintf(stderr, "haptic: %s\n", rh_status_message(status));
  return rh_status_exit_code(status);
}

// Median and worst of the samples (in order of time) that count.
static void print_some(const sample *s, long n, int least, bool colliding)
{
  long count = 0;
  for (long i = 0; i < n; i++) {
    count += s[i].contacts >= least && (!colliding || s[i].colliding);
  }
  long seen = 0;
  double median = 0;
  double worst = 0;
  for (long i = 0; i < n; i++) {
    if (s[i].contacts >= least && (!colliding || s[i].colliding)) {
      median = seen++ == count / 2 ? (double)s[i].us : median;
      worst = (double)s[i].us;
    }
  }
  printf("\t%ld\t%.2f\t%.1f", count, median, worst);
}

static int measure(const char *path, long ticks)
{
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  rh_scene_world *world = NULL;
  rh_status status = rh_scene_load(path, NULL, 0, diag, &scene);
  status = status == RH_OK ? rh_scene_compile(scene, diag, &model) : status;
  status = status == RH_OK ? rh_scene_world_open(model, HUGE_VAL, diag, &world) : status;
  if (status != RH_OK) {
    return fail(status, diag);
  }
  sample *s = calloc((size_t)ticks, sizeof *s);
  rh_realtime rt = {0};
  rh_live_world w = rh_scene_world_steps(world);
  rh_clock clock = rh_clock_real();
  rh_hand_in hand = {.live = true, .has_wrench = true};
  unsigned long random = 12345;
  rh_haptic_out out;
  bool over = false;
  memset(s, 1, (size_t)ticks * sizeof *s); // every page is there
  rh_scene_world_keep(world, NULL);
  rh_realtime_memory(&rt);
  rh_realtime_thread(&rt);
  int64_t rested = clock.now(NULL);
  for (long i = 0; i < ticks && status == RH_OK; i++) {
    push(i, &random, &hand);
    int64_t begin = clock.now(NULL);
    status = w.tick(w.user, &hand, &out, &over);
    int64_t end = clock.now(NULL);
    s[i] = (sample){(float)(1e-3 * (double)(end - begin)), (short)out.ncontact, out.state == 1};
    if (end - rested > WORK) { // the kernel stops real-time threads that never pause
      clock.sleep(NULL, end + PAUSE);
      rested = clock.now(NULL);
    }
  }
  if (status != RH_OK) {
    return fail(status, diag);
  }
  qsort(s, (size_t)ticks, sizeof *s, by_contacts);
  int most = s[ticks - 1].contacts;
  printf("%d\t%d", s[ticks / 2].contacts, most);
  qsort(s, (size_t)ticks, sizeof *s, by_time);
  printf("\t%.2f\t%.2f\t%.1f", (double)s[ticks / 2].us, (double)s[(long)(0.99 * (double)ticks)].us,
         (double)s[ticks - 1].us);
  print_some(s, ticks, most, false);
  print_some(s, ticks, 1, true);
  printf("\t%s\n", rt.fifo ? "fifo" : "ordinary");
  free(s);
  rh_scene_world_close(world);
  rh_model_destroy(model);
  rh_scene_destroy(scene);
  rh_diag_destroy(diag);
  return 0;
}

// A thread of the same priority that only wakes, every millisecond: what the machine does to any loop
static int wake(double seconds)
{
  rh_clock clock = rh_clock_real();
  rh_realtime rt = {0};
  static rh_spread late;
  rh_realtime_memory(&rt);
  rh_realtime_thread(&rt);
  int64_t start = clock.now(NULL);
  for (long i = 1; i <= (long)(1000 * seconds); i++) {
    int64_t due = start + 1000000 * (int64_t)i;
    clock.sleep(NULL, due);
    rh_spread_add(&late, 1e-9 * (double)(clock.now(NULL) - due));
  }
  printf("woken late by %.1f us in the median, %.1f us at worst (%s)\n",
         1e6 * rh_spread_quantile(&late, 0.5), 1e6 * late.worst, rt.fifo ? "fifo" : "ordinary");
  return 0;
}

int main(int argc, char **argv)
{
  if (argc == 3 && strcmp(argv[1], "write") == 0 && atoi(argv[2]) > 0 && atoi(argv[2]) <= 400) {
    return write_scene(atoi(argv[2]));
  }
  if ((argc == 3 || argc == 4) && strcmp(argv[1], "ticks") == 0) {
    long ticks = argc == 4 ? atol(argv[3]) : 1000000;
    return measure(argv[2], ticks > 0 ? ticks : 1);
  }
  if (argc == 3 && strcmp(argv[1], "wake") == 0) {
    return wake(strtod(argv[2], NULL));
  }
  (void)fprintf(stderr,
                "usage: haptic write FEET; haptic ticks FILE [TICKS]; haptic wake SECONDS\n");
  return 2;
}
