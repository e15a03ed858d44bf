// humanoid_scene.h: S5 (peers/humanoid.h) as a model and as a batch of worlds, for the programs that measure those.
#ifndef ROUTH_BENCH_HUMANOID_SCENE_H
#define ROUTH_BENCH_HUMANOID_SCENE_H

#include "batch_parts.h"

#include <math.h>
#include <stdarg.h>

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

typedef struct scene_text {
  text bodies, joints, shapes, contacts;
} scene_text;

// The joints of a body: hinges with massless bodies between them. `mark`: of the humanoid
static void write_joints(scene_text *to, int i, const char *mark)
{
  const HumBody *b = &hum_body[i];
  char at[40];
  snprintf(at, sizeof at, "%s%s", hum_body[i > 0 ? b->parent : 0].name, mark);
  for (size_t k = 0; k < strlen(b->axes); k++) {
    bool last = k + 1 == strlen(b->axes);
    char child[40];
    double a[3];
    hum_axis(b->axes[k], a);
    if (last) {
      snprintf(child, sizeof child, "%s%s", b->name, mark);
    } else {
      snprintf(child, sizeof child, "%s%s-%d", b->name, mark, (int)k);
      write_text(&to->bodies, "  - {name: %s, mass: 0, inertia: [0, 0, 0, 0, 0, 0]}\n", child);
    }
    write_text(&to->joints,
               "  - {name: %s, kind: revolute, parent: %s, child: %s, at: [%.17g, %.17g, %.17g], "
               "axis: [%g, %g, %g], spring: %g, damper: %g}\n",
               child, at, child, k == 0 ? b->at[0] : 0, k == 0 ? b->at[1] : 0,
               k == 0 ? b->at[2] : 0, a[0], a[1], a[2], HSTIFF, HDAMP);
    snprintf(at, sizeof at, "%s", child);
  }
}

static void write_humanoid(scene_text *to, double x, const char *mark)
{
  write_text(&to->joints,
             "  - {name: base%s, kind: free, child: torso%s, q: [%g, 0, %g, 1, 0, 0, 0], "
             "v: [%g, %g, %g, %g, %g, %g]}\n",
             mark, mark, x, hum_body[0].at[2], hum_v0[0], hum_v0[1], hum_v0[2], hum_w0[0],
             hum_w0[1], hum_w0[2]);
  for (int i = 0; i < HNB; i++) {
    const HumBody *b = &hum_body[i];
    double c[3];
    double I[9];
    hum_inertia(i, c, I);
    write_joints(to, i, mark);
    write_text(&to->bodies,
               "  - {name: %s%s, mass: %.17g, com: [%.17g, %.17g, %.17g], "
               "inertia: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]}\n",
               b->name, mark, b->m, c[0], c[1], c[2], I[0], I[4], I[8], I[1], I[2], I[5]);
    for (int k = 0; k < 2; k++) {
      const double *at = k == 0 ? b->a : b->b;
      write_text(&to->shapes, "  - {body: %s%s, kind: sphere, at: [%g, %g, %g], radius: %g}\n",
                 b->name, mark, at[0], at[1], at[2], b->r);
    }
    write_text(&to->contacts,
               "  - {body: %s%s, against: world, law: newton, e: 0, friction: dry, mu_s: 0.7, "
               "mu_k: 0.7}\n",
               b->name, mark);
  }
}

// `humanoids` of a world, two metres apart; they touch only the ground.
static rh_model *make_humanoids(int humanoids)
{
  static scene_text part;
  static char whole[5 * TEXT];
  memset(&part, 0, sizeof part);
  for (int i = 0; i < humanoids; i++) {
    const char *const marks[] = {"", "-b", "-c", "-d"};
    write_humanoid(&part, 2 * i, marks[i]);
  }
  snprintf(whole, sizeof whole,
           "bodies:\n%sjoints:\n%sshapes:\n  - {name: ground, body: world, kind: plane}\n"
           "%scontacts:\n%srun: {engine: stepping, dt: 2 ms, until: 100}\nrecord: {every: 1}\n",
           part.bodies.at, part.joints.at, part.shapes.at, part.contacts.at);
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  rh_diag *diag = rh_diag_create();
  if (rh_scene_parse(whole, strlen(whole), "humanoid", NULL, 0, diag, &scene) != RH_OK ||
      rh_scene_compile(scene, diag, &model) != RH_OK) {
    stop_with("the humanoid does not compile", diag);
  }
  rh_scene_destroy(scene);
  rh_diag_destroy(diag);
  return model;
}

// Up to 0.5 m/s and 1.5 rad/s of a torso, 0.5 rad/s of joints, by a fixed sequence of numbers
static rh_batch *make_batch(const rh_model *model, int worlds, int threads, int widest)
{
  rh_batch *batch = create_batch(model, worlds, threads, widest);
  uint64_t x = UINT64_C(88172645463325252);
  for (int i = 0; i < worlds; i++) {
    double *v = find_velocities(batch, model, i);
    for (int k = 0; k < model->nv; k++) {
      x ^= x << 13;
      x ^= x >> 7;
      x ^= x << 17;
      v[k] += ((double)(x >> 11) / 9007199254740992.0 - 0.5) *
              (k % (HNQ + 6) >= 3 && k % (HNQ + 6) < 6 ? 3 : 1);
    }
  }
  return batch;
}

#endif
