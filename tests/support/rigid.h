// rigid.h: scenes with rigid contact as text, and what their runs tell, with the state at every event. Nothing here is
// under test.
#ifndef ROUTH_TEST_RIGID_H
#define ROUTH_TEST_RIGID_H

#include "world.h"

#include <math.h>
#include <stdarg.h>

#define G 9.81
#define LOCATED 1e-9 // [s] what the project promises for the time of an event

enum { TEXT_MAX = 8192, TALE_MAX = 600, TALE_Q = 28 };

// Tight enough that what is left of an event's time is far below LOCATED.
#define FINE "rtol: 1e-12, atol: 1e-14"
#define FLAT_FLOOR "{body: world, kind: plane}"
#define DOWN "world: {gravity: [0, 0, -9.81]}\n"

typedef struct moment { // an event, and the state when it was told
  rh_event e;
  double q[TALE_Q], v[TALE_Q];
  double normal, friction; // [N] of its contact, before what the event changed
} moment;

typedef struct tale {
  moment at[TALE_MAX]; // the first of them
  int n;               // of all
  int count[RH_EVENT_COUNT];
  double residue;      // [J] largest at any frame
  rh_status status;
  char reason[256];
  double t, q[TALE_Q], v[TALE_Q];
  int sticks, slides, idle; // contacts at the end
  double energy;            // [J] at the end
} tale;

static tale told; // of the run at hand; each test is its own process

static inline void tale_state(const rh_sim *sim, double *q, double *v)
{
  const rh_data *d = rh_sim_view(sim);
  for (int i = 0; i < d->model->nq && i < TALE_Q; i++) {
    q[i] = d->q[i];
  }
  for (int i = 0; i < d->model->nv && i < TALE_Q; i++) {
    v[i] = d->v[i];
  }
}

static inline rh_status tale_event(void *user, const rh_sim *sim, const rh_event *e)
{
  tale *t = user;
  if (t->n < TALE_MAX) {
    moment *m = &t->at[t->n];
    m->e = *e;
    tale_state(sim, m->q, m->v);
    if (e->slot != RH_NONE) {
      const rh_contact *c = &rh_sim_view(sim)->contact[e->slot];
      m->normal = c->normal;
      m->friction = hypot(c->friction[0], c->friction[1]);
    }
  }
  t->n++;
  t->count[e->kind]++;
  return RH_OK;
}

static inline rh_status tale_frame(void *user, const rh_sim *sim, long index)
{
  tale *t = user;
  (void)index;
  double residue = fabs(rh_sim_ledger(sim).residue);
  t->residue = residue <= t->residue ? t->residue : residue;
  return RH_OK;
}

static inline void tale_modes(const rh_data *d, tale *t)
{
  for (int k = 0; k < d->ncontact; k++) {
    if (d->contact[k].on) {
      int mode = (int)d->slot[k].mode;
      t->sticks += mode == RH_CLOSED_STICK;
      t->slides += mode == RH_CLOSED_SLIDE;
      t->idle += mode == RH_CLOSED_IDLE;
    }
  }
}

static inline rh_model *model_text(const char *format, va_list list)
{
  char text[TEXT_MAX];
  int n = vsnprintf(text, sizeof text, format, list);
  ck_assert(n > 0 && n < TEXT_MAX);
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  rh_status status = rh_scene_parse(text, (size_t)n, "scene", NULL, 0, diag, &scene);
  if (status != RH_OK) {
    say_messages(diag);
  }
  ck_assert_int_eq(status, RH_OK);
  rh_diag_destroy(diag);
  return model_of(scene);
}

// One run of a model, into `told`.
static inline void tell(rh_model *model)
{
  rh_sim *sim = sim_of(model);
  memset(&told, 0, sizeof told);
  rh_observer observer = {&told, tale_frame, tale_event, NULL};
  rh_sim_observe(sim, &observer);
  told.status = rh_sim_run(sim, model->run.until);
  (void)snprintf(told.reason, sizeof told.reason, "%s", rh_sim_reason(sim));
  told.t = *rh_sim_view(sim)->t;
  tale_state(sim, told.q, told.v);
  rh_ledger l = rh_sim_ledger(sim);
  told.energy = l.kinetic + l.potential;
  tale_modes(rh_sim_view(sim), &told);
  rh_sim_destroy(sim);
}

// Runs a scene given as text, which must go well.
__attribute__((format(printf, 1, 2))) static inline void play(const char *format, ...)
{
  va_list list;
  va_start(list, format);
  rh_model *model = model_text(format, list);
  va_end(list);
  tell(model);
  rh_model_destroy(model);
  ck_assert_msg(told.status == RH_OK, "%s: %s", rh_status_name(told.status), told.reason);
}

static inline void tale_print(void)
{
  for (int i = 0; i < told.n && i < 40; i++) {
    const rh_event *e = &told.at[i].e;
    (void)fprintf(stderr, "  %.15f %s %s %g -> %g %s\n", e->t, rh_event_word(e->kind), e->name, e->before, e->after,
                  e->note);
  }
}

// The k-th event of a kind (from 0).
static inline const moment *nth(rh_event_kind kind, int k)
{
  for (int i = 0; i < told.n && i < TALE_MAX; i++) {
    if (told.at[i].e.kind == kind && k-- == 0) {
      return &told.at[i];
    }
  }
  tale_print();
  ck_abort_msg("no such '%s' event", rh_event_word(kind));
}

static inline void count_is(rh_event_kind kind, int n)
{
  if (told.count[kind] != n) {
    tale_print();
  }
  ck_assert_msg(told.count[kind] == n, "%d times '%s', expected %d", told.count[kind], rh_event_word(kind), n);
}

// No verdict on the way.
static inline void no_verdicts(void)
{
  count_is(RH_EVENT_GAIN, 0);
  count_is(RH_EVENT_JAM, 0);
  count_is(RH_EVENT_NOT_UNIQUE, 0);
  count_is(RH_EVENT_UNSOLVED, 0);
}

#endif
