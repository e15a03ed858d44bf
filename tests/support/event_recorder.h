// event_recorder.h: what the tests of events share: the log of the run at hand, a ball above its limit, a pendulum.
#ifndef ROUTH_TEST_EVENT_RECORDER_H
#define ROUTH_TEST_EVENT_RECORDER_H

#include "world.h"

#define G 9.81
#define LOCATED 1e-9 // [s] what the project promises for the time of an event

static run_log story; // of the run at hand; each test is its own process

static inline const rh_event *expect(rh_event_kind kind, int k)
{
  const rh_event *e = log_find(&story, kind, k);
  if (e == NULL) {
    log_print(&story);
  }
  ck_assert_msg(e != NULL, "there is no '%s' number %d", rh_event_word(kind), k);
  return e;
}

static inline void expect_count(rh_event_kind kind, int n)
{
  int found = log_count(&story, kind);
  if (found != n) {
    log_print(&story);
  }
  ck_assert_msg(found == n, "%d times '%s', expected %d", found, rh_event_word(kind), n);
}

static inline void check_order(void)
{
  for (int i = 1; i < story.n; i++) {
    ck_assert_msg(story.event[i].t >= story.event[i - 1].t, "event %d at %.17g after %.17g", i, story.event[i].t,
                  story.event[i - 1].t);
  }
}

// ---- A ball on a vertical slider above its lower limit

#define BALL 2.0 // [kg]

static inline rh_scene *ball_scene(double height, double bounce, rh_joint_def *slide)
{
  rh_scene *scene = rh_scene_create();
  rh_body_def ball = body_of("ball", BALL, rh_v3(0, 0, 0), rh_v3(0.1, 0.1, 0.1));
  *slide = joint_of("prismatic", "world", "ball", rh_v3(0, 0, 1));
  slide->q = list_of(1, height, 0);
  slide->limits = list_of(2, 0, 100);
  slide->bounce = bounce;
  (void)rh_scene_add_body(scene, &ball);
  set_run(scene, "cvode", 5, 1e-11);
  set_frames(scene, 0.05);
  return scene;
}

static inline rh_event_def timed(const char *name, double t)
{
  rh_event_def e = rh_event_default();
  e.name = rh_name_of(name);
  e.time = list_of(1, t, 0);
  return e;
}

static inline void add_switch(rh_scene *scene, const char *name, double t, double effort)
{
  rh_event_def e = timed(name, t);
  e.actuator = rh_name_of("lift");
  e.effort = effort;
  ck_assert_int_ge(rh_scene_add_event(scene, &e), 0);
}

static inline void add_lift(rh_scene *scene, double effort)
{
  rh_actuator_def lift = rh_actuator_default();
  lift.name = rh_name_of("lift");
  lift.joint = rh_name_of("ball");
  lift.effort = effort;
  ck_assert_int_ge(rh_scene_add_actuator(scene, &lift), 0);
}

static inline rh_sim *start(rh_scene *scene, rh_model **model)
{
  *model = model_of(scene);
  rh_sim *sim = sim_of(*model);
  log_attach(&story, sim);
  return sim;
}

// ---- A pendulum

// Time a pendulum (L = 1) takes from rest at angle a down to angle b: sin(theta/2) = k sin(phi) makes it
// the integral of 1 / sqrt(g (1 - k^2 sin^2 phi)) over phi, smooth, so Simpson's rule with 2000 intervals is exact.
static inline double fall_time(double a, double b)
{
  long double k = sinl((long double)a / 2);
  long double from = asinl(sinl((long double)b / 2) / k);
  long double to = acosl(-1.0L) / 2;
  const int n = 2000;
  long double h = (to - from) / n;
  long double sum = 0;
  for (int i = 0; i <= n; i++) {
    long double s = k * sinl(from + i * h);
    long double f = 1 / sqrtl(9.81L * (1 - s * s));
    sum += (i == 0 || i == n ? 1 : i % 2 == 1 ? 4 : 2) * f;
  }
  return (double)(sum * h / 3);
}

static inline rh_scene *pendulum_scene(double angle, rh_joint_def *hinge)
{
  rh_scene *scene = rh_scene_create();
  rh_body_def bob = body_of("bob", 1, rh_v3(0, 0, -1), rh_v3(0, 0, 0));
  *hinge = joint_of("revolute", "world", "bob", rh_v3(0, 1, 0));
  hinge->q = list_of(1, angle, 0);
  (void)rh_scene_add_body(scene, &bob);
  set_run(scene, "cvode", 5, 1e-12);
  return scene;
}

#endif
