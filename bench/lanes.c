// lanes.c: `lanes [WORLDS [THREADS [CALL]]]`: S5 (peers/humanoid.h), each world with other velocities at its start, in phases of its fall:
// worlds one by one and side by side in lanes, in turns within one run; steps a second of processor time, their ratio, and whether every
// world has the same bits in both. CALL: steps of a call (1). LANES=4: lanes of 256 bits only.
// GPU=1: the second is a GPU's, and seconds are those of the clock (build with -DROUTH_CUDA=ON; WORLDS 8192, CALL 100).
#include <routh/routh.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "peers/humanoid.h"

enum { TEXT = 32768 };

typedef struct text {
  char at[TEXT];
  size_t n;
} text;

static void write_text(text *to, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  to->n += (size_t)vsnprintf(to->at + to->n, TEXT - to->n, format, list);
  va_end(list);
}

// The joints of a body: hinges with massless bodies between them
static void write_joints(text *to, text *bodies, int i)
{
  const HumBody *b = &hum_body[i];
  char at[32];
  snprintf(at, sizeof at, "%s", hum_body[i > 0 ? b->parent : 0].name);
  for (size_t k = 0; k < strlen(b->axes); k++) {
    bool last = k + 1 == strlen(b->axes);
    char child[32];
    double a[3];
    hum_axis(b->axes[k], a);
    snprintf(child, sizeof child, last ? "%s" : "%s-%d", b->name, (int)k);
    if (!last) {
      write_text(bodies, "  - {name: %s, mass: 0, inertia: [0, 0, 0, 0, 0, 0]}\n", child);
    }
    write_text(to,
               "  - {name: %s, kind: revolute, parent: %s, child: %s, at: [%.17g, %.17g, %.17g], "
               "axis: [%g, %g, %g], spring: %g, damper: %g}\n",
               child, at, child, k == 0 ? b->at[0] : 0, k == 0 ? b->at[1] : 0,
               k == 0 ? b->at[2] : 0, a[0], a[1], a[2], HSTIFF, HDAMP);
    snprintf(at, sizeof at, "%s", child);
  }
}

static rh_model *make_humanoid(void)
{
  static text bodies;
  static text joints;
  static text shapes;
  static text contacts;
  static char whole[5 * TEXT];
  for (int i = 0; i < HNB; i++) {
    const HumBody *b = &hum_body[i];
    double c[3];
    double I[9];
    hum_inertia(i, c, I);
    write_joints(&joints, &bodies, i);
    write_text(&bodies,
               "  - {name: %s, mass: %.17g, com: [%.17g, %.17g, %.17g], "
               "inertia: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]}\n",
               b->name, b->m, c[0], c[1], c[2], I[0], I[4], I[8], I[1], I[2], I[5]);
    for (int k = 0; k < 2; k++) {
      const double *x = k == 0 ? b->a : b->b;
      write_text(&shapes, "  - {body: %s, kind: sphere, at: [%g, %g, %g], radius: %g}\n", b->name,
                 x[0], x[1], x[2], b->r);
    }
    write_text(&contacts,
               "  - {body: %s, against: world, law: newton, e: 0, friction: dry, mu_s: 0.7, mu_k: 0.7}\n",
               b->name);
  }
  snprintf(whole, sizeof whole,
           "bodies:\n%sjoints:\n  - {name: base, kind: free, child: torso, q: [0, 0, %g, 1, 0, 0, 0], "
           "v: [%g, %g, %g, %g, %g, %g]}\n%sshapes:\n  - {name: ground, body: world, kind: plane}\n"
           "%scontacts:\n%srun: {engine: stepping, dt: 2 ms, until: 100}\nrecord: {every: 1}\n",
           bodies.at, hum_body[0].at[2], hum_v0[0], hum_v0[1], hum_v0[2], hum_w0[0], hum_w0[1],
           hum_w0[2], joints.at, shapes.at, contacts.at);
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  rh_diag *diag = rh_diag_create();
  if (rh_scene_parse(whole, strlen(whole), "humanoid", NULL, 0, diag, &scene) != RH_OK ||
      rh_scene_compile(scene, diag, &model) != RH_OK) {
    for (int i = 0; i < rh_diag_kept(diag); i++) {
      char line[512];
      rh_message m = rh_diag_get(diag, i);
      rh_message_format(&m, line, sizeof line);
      fprintf(stderr, "%s\n", line);
    }
    exit(1);
  }
  rh_scene_destroy(scene);
  return model;
}

static clockid_t watch = CLOCK_PROCESS_CPUTIME_ID;

static double seconds_now(void)
{
  struct timespec now;
  (void)clock_gettime(watch, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Up to 0.5 m/s and 1.5 rad/s of the torso, 0.5 rad/s of joints, by a fixed sequence of numbers
static rh_batch *make_batch(const rh_model *model, int worlds, int threads, int widest)
{
  rh_batch *batch = NULL;
  uint64_t x = UINT64_C(88172645463325252);
  if (rh_batch_create(model, worlds, threads, NULL, &batch) != RH_OK ||
      rh_batch_set_lanes(batch, widest) != RH_OK) {
    exit(1);
  }
  for (int i = 0; i < worlds; i++) {
    double *v = rh_batch_rows(batch) + (size_t)i * rh_batch_stride(batch) + 1 + model->nq;
    for (int k = 0; k < model->nv; k++) {
      x ^= x << 13;
      x ^= x >> 7;
      x ^= x << 17;
      v[k] += ((double)(x >> 11) / 9007199254740992.0 - 0.5) * (k >= 3 && k < 6 ? 3 : 1);
    }
  }
  return batch;
}

static double spend(rh_batch *batch, int steps, int call)
{
  double begun = seconds_now();
  for (int k = 0; k < steps; k += call) {
    (void)rh_batch_step(batch, call < steps - k ? call : steps - k);
  }
  return seconds_now() - begun;
}

// Worlds with other bits
static int compare_worlds(rh_batch *a, rh_batch *b)
{
  int other = 0;
  for (int i = 0; i < rh_batch_count(a); i++) {
    other += memcmp(rh_batch_rows(a) + (size_t)i * rh_batch_stride(a),
                    rh_batch_rows(b) + (size_t)i * rh_batch_stride(b),
                    rh_batch_stride(a) * sizeof(double)) != 0;
  }
  return other;
}

static int given(int argc, char **argv, int k, int otherwise)
{
  return argc > k ? atoi(argv[k]) : otherwise;
}

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    int steps;
  } phase[] = {{"falls", 80}, {"lands", 420}, {"tumbles", 500}, {"lies", 1500}};
  int worlds = given(argc, argv, 1, 1024);
  int threads = given(argc, argv, 2, 1);
  int call = given(argc, argv, 3, 1);
  const char *widest = getenv("LANES");
  rh_model *model = make_humanoid();
  rh_batch *single = make_batch(model, worlds, threads, 0);
  rh_batch *side = make_batch(model, worlds, threads, widest ? atoi(widest) : 8);
  bool gpu = getenv("GPU") != NULL;
  if (gpu && rh_batch_set_gpu(side, true) != RH_OK) {
    fprintf(stderr, "no GPU, or built without ROUTH_CUDA\n");
    return 1;
  }
  watch = gpu ? CLOCK_MONOTONIC : watch;
  double all[2] = {0, 0};
  int steps = 0;
  int other = 0;
  printf("%d humanoids, %d threads, %d steps a call, %d lanes%s\n", worlds, threads, call,
         rh_batch_lanes(side), gpu ? ", GPU" : "");
  for (int k = 0; k < 4; k++) {
    double lanes = rh_batch_lane_steps(side);
    double one = spend(single, phase[k].steps, call);
    double many = spend(side, phase[k].steps, call);
    double n = (double)worlds * phase[k].steps;
    all[0] += one;
    all[1] += many;
    steps += phase[k].steps;
    other += compare_worlds(single, side);
    printf("%-8s %5d steps  one by one %8.0f /s  lanes %8.0f /s  ratio %5.2f  in lanes %5.1f %%\n",
           phase[k].name, phase[k].steps, n / one, n / many, one / many,
           100 * (rh_batch_lane_steps(side) - lanes) / n);
    (void)fflush(stdout);
  }
  printf("%-8s %5d steps  one by one %8.0f /s  lanes %8.0f /s  ratio %5.2f  worlds with other bits: %d\n", "all",
         steps, (double)worlds * steps / all[0], (double)worlds * steps / all[1], all[0] / all[1],
         other);
  rh_batch_destroy(single);
  rh_batch_destroy(side);
  rh_model_destroy(model);
  return other != 0;
}
