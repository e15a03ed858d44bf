// stepping.h: scenes for the engine `stepping` as text, run with a look at the world at every frame. Nothing here is under test.
#ifndef ROUTH_TEST_MOREAU_H
#define ROUTH_TEST_MOREAU_H

#include "world.h"

#include <math.h>
#include <stdarg.h>

#define G 9.81
#define DOWN "world: {gravity: [0, 0, -9.81]}\n"
#define FLOOR "{body: world, kind: plane}"

enum { SCENE_MAX = 1 << 16 };

typedef void look(void *user, const rh_sim *sim);

typedef struct text { // a scene that grows
  int n;
  char s[SCENE_MAX];
} text;

__attribute__((format(printf, 2, 3))) static inline void put(text *t, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  int n = vsnprintf(t->s + t->n, (size_t)(SCENE_MAX - t->n), format, list);
  va_end(list);
  ck_assert(n >= 0 && n < SCENE_MAX - t->n);
  t->n += n;
}

typedef struct watched {
  look *fn;
  void *user;
} watched;

static inline rh_status watched_frame(void *user, const rh_sim *sim, long index)
{
  const watched *w = user;
  (void)index;
  w->fn(w->user, sim);
  return RH_OK;
}

static inline rh_model *model_from(const char *scene, const char *const *set, int nset)
{
  rh_diag *diag = rh_diag_create();
  rh_scene *s = NULL;
  rh_status status = rh_scene_parse(scene, strlen(scene), "scene", set, nset, diag, &s);
  if (status != RH_OK) {
    say_messages(diag);
  }
  ck_assert_int_eq(status, RH_OK);
  rh_diag_destroy(diag);
  return model_of(s);
}

// Runs the model to its end, which it must reach, with a look at every frame (NULL: none). The world is kept: finish(sim, model).
static inline rh_sim *watch(const rh_model *model, look *fn, void *user)
{
  rh_sim *sim = sim_of(model);
  watched w = {fn, user};
  rh_observer observer = {&w, watched_frame, NULL, NULL};
  if (fn) {
    rh_sim_observe(sim, &observer);
  }
  rh_status status = rh_sim_run(sim, model->run.until);
  rh_sim_observe(sim, NULL);
  ck_assert_msg(status == RH_OK, "%s: %s", rh_status_name(status), rh_sim_reason(sim));
  near_abs(*rh_sim_view(sim)->t, model->run.until, 1e-9);
  return sim;
}

static inline void watch_text(look *fn, void *user, const char *scene)
{
  rh_model *model = model_from(scene, NULL, 0);
  finish(watch(model, fn, user), model);
}

__attribute__((format(printf, 3, 4))) static inline void watch_scene(look *fn, void *user, const char *format, ...)
{
  static text t;
  va_list list;
  va_start(list, format);
  t.n = vsnprintf(t.s, sizeof t.s, format, list);
  va_end(list);
  ck_assert(t.n > 0 && t.n < SCENE_MAX);
  watch_text(fn, user, t.s);
}

// Energy of motion and of height.
static inline double energy_of(const rh_sim *sim)
{
  rh_ledger l = rh_sim_ledger(sim);
  return l.kinetic + l.potential;
}

// What contacts do to body a and to body b, summed over all that touch the world: the force that carries everything.
static inline rh_vec3 carried(const rh_data *d)
{
  rh_vec3 sum = {0, 0, 0};
  for (int k = 0; k < d->ncontact; k++) {
    const rh_contact *c = &d->contact[k];
    if (c->on && (c->a == 0 || c->b == 0)) {
      rh_vec3 f = rh_add(rh_scale(c->normal, c->n),
                         rh_add(rh_scale(c->friction[0], c->t1), rh_scale(c->friction[1], c->t2)));
      sum = rh_add(sum, rh_scale(c->b == 0 ? 1 : -1, f));
    }
  }
  return sum;
}

#endif
