// kind_rigid.c: every impact law in the loop, on every sort of body dropped on a plane with any attitude, spin, friction and e.
// What must hold of each: nothing sinks in, the restitution is the law's, energy is not created (but by Newton's law, which says so),
// the account closes, momentum is balanced, and the bouncing comes to an end.
#include "contact_scenes.h"
#include "geometry/pair.h"
#include "model/schema.h"
#include "run/run.h"

#include <stdlib.h>

enum { TRIALS = 2 };

static const double MASS = 1.5;
static const double GRAVITY = 9.81;

typedef struct kind {
  const char *shape;
  int n;
  double par[4];
} kind;

static const kind kinds[] = {
    {"sphere", 1, {0.1}},
    {"box", 4, {0.3, 0.2, 0.1, 4}},
    {"box", 4, {0.3, 0.2, 0.1, 8}},
    {"box", 4, {0.3, 0.2, 0.1, 16}},
    {"capsule", 2, {0.05, 0.2}},
    {"cylinder", 2, {0.08, 0.15}},
    {"ellipsoid", 3, {0.15, 0.1, 0.07}},
};

typedef struct drop { // one run and what is kept of it
  const rh_impact_law *law;
  const kind *kind;
  uint64_t seed;
  double e, mu;
  bool together; // formulation `simultaneous`; else the usual one, whose e is that of the works
  run_log log;
  double energy;
  rh_vec3 v0;
  double spin0;       // about the vertical
  double sum_p;       // [N s] of all impacts
  bool carried;       // a contact has pushed for a while
  double booked;      // [J] least of the ledger's events so far
  double last_impact; // [s]
  int gains;
  // the worst of the run
  double deepest, residue, created, slide, momentum, spin, worst_e;
} drop;

static double lowest(const rh_sim *sim)
{
  const rh_data *d = rh_sim_view(sim);
  rh_geom g = rh_shape_placed(d, 1);
  rh_vec3 down = rh_v3(0, 0, -1);
  return g.p.z + rh_geom_support(&g, down).z - rh_geom_rounding(&g);
}

// Angular momentum about the vertical through the centre of mass, which is the body's origin
static double vertical_spin(const rh_sim *sim)
{
  const rh_data *d = rh_sim_view(sim);
  rh_force h = rh_momentum(d);
  return h.ang.z - rh_cross(d->kin[1].p, h.lin).z;
}

static void keep_worst(double x, double *worst)
{
  *worst = x <= *worst ? *worst : x; // not a number is the worst
}

static rh_status on_frame(void *user, const rh_sim *sim, long index)
{
  drop *x = user;
  const rh_data *d = rh_sim_view(sim);
  rh_ledger l = rh_sim_ledger(sim);
  x->energy = index == 0 ? l.kinetic + l.potential : x->energy;
  x->spin0 = index == 0 ? vertical_spin(sim) : x->spin0;
  keep_worst(-lowest(sim), &x->deepest);
  keep_worst(fabs(l.residue), &x->residue);
  keep_worst(l.event - x->booked, &x->created);
  x->booked = fmin(x->booked, l.event);
  for (int k = 0; k < d->ncontact; k++) {
    x->carried = x->carried || d->contact[k].on;
  }
  if (!x->carried) {
    double want = MASS * (x->v0.z - GRAVITY * *d->t) + x->sum_p;
    keep_worst(fabs(MASS * d->v[2] - want), &x->momentum);
  }
  if (x->mu == 0) {
    keep_worst(hypot(d->v[0] - x->v0.x, d->v[1] - x->v0.y), &x->slide);
    keep_worst(fabs(vertical_spin(sim) - x->spin0), &x->spin);
  }
  return RH_OK;
}

// Newton's law is about velocities, at each point. The others say the same where friction does not matter: without any, and on a ball.
// Where points deform one after the other, each returns e^2 of its own work, and velocities may be greater.
static double off_law(const drop *x, const rh_event *e)
{
  bool newton = strcmp(x->law->row.name, "newton") == 0;
  bool exact = x->mu == 0 || newton || x->kind == &kinds[0];
  exact = exact && (x->together || x->kind == &kinds[0]);
  return exact && e->before < 0 ? fmax(0, -e->after - x->e * e->before) : 0;
}

static rh_status on_event(void *user, const rh_sim *sim, const rh_event *e)
{
  drop *x = user;
  (void)log_event(&x->log, sim, e);
  const rh_data *d = rh_sim_view(sim);
  for (int k = 0; k < d->ncontact;
       k++) { // what closed earlier has carried a force that is not counted
    x->carried = x->carried || (d->slot[k].used != 0 && d->slot[k].since < e->t);
  }
  if (e->kind == RH_EVENT_IMPACT) {
    x->sum_p += e->impulse;
    x->last_impact = e->t;
    x->worst_e = fmax(x->worst_e, off_law(x, e));
  }
  x->gains += e->kind == RH_EVENT_GAIN;
  return RH_OK;
}

static const double UNTIL = 3;

static rh_model *drop_model(drop *x)
{
  rng r = {x->seed};
  rh_scene *scene = rh_scene_create();
  put_floor(scene);
  rh_body_def body = rh_body_default();
  body.name = rh_name_of("body");
  body.mass = MASS;
  rh_joint_def joint = joint_of("free", "world", "body", rh_v3(0, 0, 0));
  rh_quat q = rng_quat(&r);
  x->v0 = rng_vec3(&r, 1);
  rh_vec3 w = rng_vec3(&r, 6);
  joint.q = (rh_list){7, {0, 0, rng_in(&r, 0.25, 0.4), q.w, q.x, q.y, q.z}};
  joint.v = (rh_list){6, {x->v0.x, x->v0.y, x->v0.z, w.x, w.y, w.z}};
  x->e = rng_int(&r, 4) == 0 ? 0 : rng_in(&r, 0, 0.6);
  x->mu = rng_int(&r, 4) == 0 ? 0 : rng_in(&r, 0, 1);
  add(scene, &body, &joint);
  rh_shape_def s = shape_of("body", x->kind->shape, x->kind->n, x->kind->par);
  ck_assert_int_ge(rh_scene_add_shape(scene, &s), 0);
  rh_contact_def c = contact_of("body", "world", x->law->row.name, "dry");
  set_par(&x->law->row, c.par, "e", x->e);
  set_friction(&c, "mu_s", x->mu);
  set_friction(&c, "mu_k", x->mu);
  put_contact(scene, &c);
  // A slip that has just begun turns into its direction at a rate of mu g over the slip: stiff.
  set_stiff(scene, UNTIL, 1e-10, 1e-12);
  if (x->law->tangential_spring || x->law->impulse_ratio) { // followed point by point only
    rh_run_def run = *(const rh_run_def *)rh_scene_item(scene, RH_SECTION_RUN, 0);
    run.multi_impact = rh_name_of("sequential");
    rh_scene_set_run(scene, &run);
  }
  set_frames(scene, 5e-3);
  if (x->together) {
    rh_run_def run = *(const rh_run_def *)rh_scene_item(scene, RH_SECTION_RUN, 0);
    run.multi_impact = rh_name_of("simultaneous");
    rh_scene_set_run(scene, &run);
  }
  return model_of(scene);
}

static void say(const drop *x)
{
  fprintf(stderr,
          "%s, %s %g, seed %llu: e %.3f, mu %.3f: deepest %.1e m, residue %.1e, created %.1e of "
          "%.2f J, momentum "
          "%.1e %.1e %.1e, off the law by %.1e m/s, last impact %.3f s of %d events\n",
          x->law->row.name, x->kind->shape, x->kind->par[3], (unsigned long long)x->seed, x->e,
          x->mu, x->deepest, x->residue, x->created, x->energy, x->slide, x->momentum, x->spin,
          x->worst_e, x->last_impact, x->log.n);
}

// Measured: 7e-11 m, 2e-9 of the energy; momentum to rounding, spin 1e-10 after seconds on a face. With e = 0.6 all bounces of a drop of
// 0.4 m take 1.2 s, but a body that lands on one end turns some of its spin into height.
static void check(const drop *x)
{
  bool newton = strcmp(x->law->row.name, "newton") == 0;
  bool good = x->deepest < 1e-9 && x->residue < 1e-8 * x->energy;
  good = good && (x->created < 1e-12 * x->energy || (newton && x->gains > 0));
  good = good && x->slide < 1e-9 && x->spin < 1e-9 && x->momentum < 1e-12 && x->worst_e < 1e-9;
  good = good && x->last_impact < UNTIL - 0.5 && x->log.n < LOG_MAX;
  if (!good) {
    say(x);
  }
  ck_assert_msg(good, "%s, %s, seed %llu", x->law->row.name, x->kind->shape,
                (unsigned long long)x->seed);
}

static void run_drop(drop *x)
{
  rh_model *model = drop_model(x);
  rh_sim *sim = sim_of(model);
  rh_observer observer = {x, on_frame, on_event, NULL};
  rh_sim_observe(sim, &observer);
  run_to(sim, UNTIL);
  finish(sim, model);
  check(x);
}

START_TEST(drops)
{
  int count = 0;
  const rh_impact_law *const *table = rh_impact_law_table(&count);
  ck_assert_int_eq(count, 5);
  drop *x = malloc(sizeof *x);
  for (int i = 0; i < count; i++) {
    for (int trial = 0; trial < TRIALS; trial++) {
      memset(x, 0, sizeof *x);
      x->law = table[i];
      x->kind = &kinds[_i];
      x->together = trial % 2 == 0 && !x->law->tangential_spring && !x->law->impulse_ratio;
      x->seed = (uint64_t)(1000 * _i + trial);
      run_drop(x);
    }
  }
  free(x);
}

END_TEST

// Drops that once stopped: a slip so slow that its direction turned faster than any step
START_TEST(drops_that_stalled)
{
  static const struct {
    int kind;
    uint64_t seed;
  } once[] = {{3, 3003}, {6, 6002}};

  int count = 0;
  if (!rh_test_long()) {
    return; // some ten seconds each
  }
  const rh_impact_law *const *table = rh_impact_law_table(&count);
  drop *x = malloc(sizeof *x);
  for (int i = 0; i < 3; i++) {
    memset(x, 0, sizeof *x);
    x->law = table[i];
    x->kind = &kinds[once[_i].kind];
    x->seed = once[_i].seed;
    run_drop(x);
  }
  free(x);
}

END_TEST

Suite *rh_suite_kind_rigid(void)
{
  Suite *suite = suite_create("kind_rigid");
  TCase *tcase = tcase_create("rigid");
  tcase_add_loop_test(tcase, drops, 0, RH_COUNT(kinds));
  tcase_add_loop_test(tcase, drops_that_stalled, 0, 2);
  suite_add_tcase(suite, tcase);
  return suite;
}
