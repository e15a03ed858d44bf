// kind_walls.c: nothing goes through a thin wall in silence, under any engine and integrator: it stays on its side, or the run ends with a reason.
// ROUTH_TEST_TRIALS=5000 makes it the long check that bench/README.md names; ROUTH_SHOW prints the counts, and writes the scenes that failed.
#include "random_walls.h"

#include <stdarg.h>
#include <stdlib.h>

typedef struct tally {
  int bounced, stopped, reported, silent;
  int quiet; // of those that bounced: no event
  int cut;   // of those that bounced: the run took long
} tally;

typedef struct watch {
  long events;
  bool cut;
} watch;

static rh_status watch_event(void *user, const rh_sim *sim, const rh_event *event)
{
  (void)sim;
  (void)event;
  ((watch *)user)->events++;
  return RH_OK;
}

// A run whose contact is too stiff for its integrator may take very long; on which side it is by then will do.
static rh_status watch_labour(void *user, const rh_sim *sim)
{
  enum { LONG = 20000 };

  watch *w = user;
  w->cut = rh_sim_statistics(sim).step.evaluations > LONG;
  return w->cut ? RH_INTERRUPTED : RH_OK;
}

static void show_scene(const page *p, const char *what, int index)
{
  char path[100];
  (void)snprintf(path, sizeof path, "wall-%s-%d.yaml", what, index);
  FILE *file = getenv("ROUTH_SHOW") ? fopen(path, "w") : NULL;
  if (file) {
    (void)fwrite(p->text, 1, (size_t)p->n, file);
    (void)fclose(file);
  }
}

static rh_model *compile(const page *p)
{
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  rh_status status = rh_scene_parse(p->text, (size_t)p->n, "wall", NULL, 0, diag, &scene);
  status = status == RH_OK ? rh_scene_compile(scene, diag, &model) : status;
  if (status != RH_OK) {
    say_messages(diag);
    (void)fprintf(stderr, "%s\n", p->text);
  }
  ck_assert_int_eq(status, RH_OK);
  rh_scene_destroy(scene);
  rh_diag_destroy(diag);
  return model;
}

static void run_wall(wall_case *c, int index, tally *sum)
{
  static page p;
  watch seen = {0};
  rh_observer observer = {.user = &seen, .event = watch_event, .poll = watch_labour};
  write_wall(c, &p);
  show_scene(&p, "now", 0);
  rh_model *model = compile(&p);
  rh_sim *sim = sim_of(model);
  rh_sim_observe(sim, &observer);
  double before = side_of(c, rh_sim_data(sim));
  rh_status status = rh_sim_run(sim, c->until);
  double after = side_of(c, rh_sim_data(sim));
  status = seen.cut ? RH_OK : status;
  bool passed = before * after < 0;
  sum->stopped += status != RH_OK;
  sum->bounced += status == RH_OK && !passed;
  sum->cut += seen.cut && !passed;
  sum->quiet += status == RH_OK && !passed && seen.events == 0;
  sum->reported += status == RH_OK && passed && seen.events > 0;
  sum->silent += status == RH_OK && passed && seen.events == 0;
  if (status != RH_OK) {
    ck_assert_msg(rh_sim_reason(sim)[0] != 0, "stopped without a reason");
  } else if (passed) {
    show_scene(&p, seen.events > 0 ? "reported" : "silent", index);
  }
  finish(sim, model);
}

static int trials(void)
{
  const char *wanted = getenv("ROUTH_TEST_TRIALS"); // more of them by hand
  return wanted ? atoi(wanted) : 200;
}

// By the old word, which names engines and integrators alike.
static const char *const steppers[] = {"cvode", "rk4", "euler", "gbs", "haptic", "moreau"};

START_TEST(nothing_passes_in_silence)
{
  const int count = RH_COUNT(steppers);
  tally sum = {0};
  for (int i = _i; i < trials(); i += count) {
    wall_case c = random_wall((uint64_t)i, steppers[_i]);
    run_wall(&c, i, &sum);
  }
  if (getenv("ROUTH_SHOW")) {
    (void)printf("%-7s bounced %d (%d without an event, %d cut short), stopped with a reason %d, "
                 "passed with a report %d, passed in silence %d\n",
                 steppers[_i], sum.bounced, sum.quiet, sum.cut, sum.stopped, sum.reported,
                 sum.silent);
  }
  ck_assert_int_eq(sum.silent, 0);
}

END_TEST

// ---- Frames

enum { EVENTS = 64, STATES = 32 };

typedef struct story { // of a run: its end, and its events
  rh_status status;
  int n;
  double time[EVENTS];
  int nq, nv;
  double state[STATES];
} story;

static rh_status keep_event(void *user, const rh_sim *sim, const rh_event *event)
{
  story *s = user;
  (void)sim;
  bool at_frame = event->kind == RH_EVENT_RESIDUE; // the ledger is checked at frames
  if (s->n < EVENTS && !at_frame) {
    s->time[s->n++] = event->t;
  }
  return RH_OK;
}

static story run_story(const page *p, double until)
{
  story s = {.n = 0};
  rh_observer observer = {.user = &s, .event = keep_event};
  rh_model *model = compile(p);
  rh_sim *sim = sim_of(model);
  rh_sim_observe(sim, &observer);
  s.status = rh_sim_run(sim, until);
  const rh_data *d = rh_sim_view(sim);
  s.nq = model->nq;
  s.nv = model->nv;
  memcpy(s.state, d->q, (size_t)s.nq * sizeof *d->q);
  memcpy(s.state + s.nq, d->v, (size_t)s.nv * sizeof *d->v);
  finish(sim, model);
  return s;
}

// How often a frame is kept changes no bit of what happens, as long as no batch ends (a resumed run begins there). cvode looks for
// events up to a frame and then behind it, so that it finds them elsewhere within its tolerance, 1e-8 of what moves.
static void check_same(const story *s, const story *first, bool bits)
{
  ck_assert_int_eq(s->status, first->status);
  ck_assert_int_eq(s->n, first->n);
  for (int i = 0; i < s->n; i++) {
    near_abs(s->time[i], first->time[i], bits ? 0 : 1e-9);
  }
  for (int i = 0; i < s->nq + s->nv && s->status == RH_OK; i++) {
    double slack = bits ? 0 : 1e-6 * (1 + fabs(first->state[i]));
    near_abs(s->state[i], first->state[i], slack);
  }
}

START_TEST(frames_change_nothing)
{
  static const double parts[] = {60.7, 1, 2, 3.3, 13.1}; // of the run
  static page p;
  for (int i = 0; i < 12; i++) {
    story first = {.n = 0};
    wall_case plain = random_wall((uint64_t)(1000 + i), steppers[_i]);
    for (int k = 0; k < RH_COUNT(parts); k++) {
      wall_case c = plain;
      c.until *= strcmp(steppers[_i], "haptic") == 0 ? 4 : 1; // a frame is no shorter than a tick
      c.every = fmax(c.until / parts[k], strcmp(steppers[_i], "haptic") == 0 ? c.dt : 0);
      write_wall(&c, &p);
      story s = run_story(&p, c.until);
      first = k == 0 ? s : first;
      check_same(&s, &first, strcmp(steppers[_i], "cvode") != 0);
    }
  }
}

END_TEST

Suite *rh_suite_kind_walls(void)
{
  const int count = RH_COUNT(steppers);
  Suite *suite = suite_create("kind_walls");
  TCase *tcase = tcase_create("walls");
  tcase_add_loop_test(tcase, nothing_passes_in_silence, 0, count);
  tcase_add_loop_test(tcase, frames_change_nothing, 0, count);
  suite_add_tcase(suite, tcase);
  return suite;
}
