// unit_walk.c: the Atlas walks a few steps: on rigid and compliant ground, with 4 and 8 points a foot, uphill, pushed; footfalls are few events,
// feet come to stand where the plan says, and a fall is seen. The whole walks are scenes/atlas-walk*.yaml.
#include "control/walker.h"
#include "world.h"

#include <math.h>

typedef struct walk_case {
  const char *what, *scene;
  const char *set[8];
  double until;  // [s]
  int steps;     // made by then
  double stride; // [m]
  double apart;  // [m] that feet may be from the plan
  int events;    // a step, at most; 0: not counted
} walk_case;

// Rigid: a footfall is a handful of impacts at one foot, each told for every point of both feet that takes part. 63 a step were seen, 149 in
// the first, whose corners skip a little: two steps together must stay below 200 each.
static const walk_case cases[] = {
    {"rigid", "atlas-walk", {"run.integrator=rk4", "run.dt=0.002"}, 3.5, 2, 0.2, 2e-3, 200},
    {"8 points",
     "atlas-walk",
     {"run.integrator=rk4", "run.dt=0.002", "shapes.4.samples=8", "shapes.7.samples=8"},
     2.3,
     1,
     0.2,
     2e-3,
     400}, // a strike is told for each of sixteen points
    {"Hunt-Crossley", "atlas-walk-hunt-crossley", {"run.until=4"}, 3.9, 2, 0.2, 4e-3, 0},
    {"Azad-Featherstone", "atlas-walk-azad-featherstone", {"run.until=4"}, 3.9, 2, 0.2, 4e-3, 0},
    {"long and fast",
     "atlas-walk",
     {"run.integrator=rk4", "run.dt=0.002", "gait.stride=0.3", "gait.swing=0.5", "gait.shift=0.5",
      "gait.stand=0.3", "gait.adjust=0"},
     2.5,
     2,
     0.3,
     4e-3,
     0},
    {"uphill by 0.1 rad",
     "atlas-walk",
     {"run.integrator=rk4", "run.dt=0.002", "shapes.ground.rpy=[0, -0.1, 0]",
      "joints.pelvis.at=[0, 0, 0.88268]", "joints.l_leg_aky.q=-0.5", "joints.r_leg_aky.q=-0.5"},
     2.5,
     1,
     0.2,
     2e-3,
     0},
};

static rh_model *read_case(const walk_case *c)
{
  char path[400];
  rh_scene *scene = NULL;
  rh_diag *diag = rh_diag_create();
  int n = 0;
  while (n < RH_COUNT(c->set) && c->set[n]) {
    n++;
  }
  snprintf(path, sizeof path, ROUTH_SOURCE_DIR "/scenes/%s.yaml", c->scene);
  rh_status status = rh_scene_load(path, c->set, n, diag, &scene);
  ck_assert_msg(status == RH_OK, "%s: %s", c->what, rh_status_message(status));
  rh_diag_destroy(diag);
  return model_of(scene);
}

static const rh_walker *walker(const rh_sim *sim)
{
  const rh_data *d = rh_sim_view(sim);
  return (const rh_walker *)(d->memory + d->model->controller[0].memory);
}

START_TEST(walks)
{
  const walk_case *c = &cases[_i];
  rh_model *m = read_case(c);
  rh_sim *sim = sim_of(m);
  ck_assert_int_eq(rh_sim_run(sim, c->until), RH_OK);
  const rh_walker *w = walker(sim);
  const rh_data *d = rh_sim_view(sim);
  rh_kinematics(rh_sim_data(sim));
  ck_assert_msg(w->fell == 0, "%s: fell at %g s", c->what, w->fell);
  const rh_walk plan = {.stride = c->stride, .steps = 10};
  rh_mat3 G;
  memcpy(G.m, w->G, sizeof G.m);
  for (int foot = 0; foot < 2; foot++) {
    int body = foot == 0 ? m->controller[0].left : m->controller[0].right;
    rh_vec3 at = rh_unrotate(&G, d->kin[body].p);
    const double *home = w->foot[foot].home;
    ck_assert_msg(w->foot[foot].mode == RH_FOOT_STANDS, "%s: foot %d", c->what, foot);
    near_abs(at.x, home[0] + rh_walk_stand(&plan, foot, c->steps), c->apart);
    near_abs(at.y, home[1], c->apart);
    near_abs(at.z, home[2], c->apart); // on the slope too: z is its normal
  }
  long events = rh_sim_statistics(sim).events;
  ck_assert_msg(c->events == 0 || events < (long)c->events * c->steps + 20, "%s: %ld events",
                c->what, events);
  rh_sim_destroy(sim);
  rh_model_destroy(m);
}

END_TEST

// A shove sideways that nothing can catch is a fall, and seen as one.
static const walk_case shoved = {"shoved",
                                 "atlas-walk",
                                 {"run.integrator=rk4", "run.dt=0.002", "push.force=[0, -3000, 0]",
                                  "push.from=0.5", "push.until=0.7", "gait.adjust=0"},
                                 3,
                                 0,
                                 0,
                                 0,
                                 0};

static rh_status until_fallen(void *user, const rh_sim *sim)
{
  (void)user;
  return walker(sim)->fell > 0 ? RH_STOPPED : RH_OK;
}

// A shove of 600 N for 0.1 s in the middle of a swing, to the side of the leg that swings, is caught by a step put elsewhere, and by nothing else.
static const walk_case pushed[] = {
    {"caught",
     "atlas-walk-hunt-crossley",
     {"push.force=[0, 600, 0]", "push.from=3.1", "push.until=3.2", "gait.steps=3"},
     5.2,
     3,
     0,
     0,
     0},
    {"not caught",
     "atlas-walk-hunt-crossley",
     {"push.force=[0, 600, 0]", "push.from=3.1", "push.until=3.2", "gait.steps=3", "gait.adjust=0"},
     5.2,
     3,
     0,
     0,
     0},
};

START_TEST(catches_itself)
{
  rh_model *m = read_case(&pushed[_i]);
  rh_sim *sim = sim_of(m);
  rh_sim_observe(sim, &(rh_observer){.poll = until_fallen});
  ck_assert_int_eq(rh_sim_run(sim, pushed[_i].until), _i == 0 ? RH_OK : RH_STOPPED);
  ck_assert((walker(sim)->fell == 0) == (_i == 0));
  rh_sim_destroy(sim);
  rh_model_destroy(m);
}

END_TEST

START_TEST(falls)
{
  rh_model *m = read_case(&shoved);
  rh_sim *sim = sim_of(m);
  rh_sim_observe(sim, &(rh_observer){.poll = until_fallen});
  ck_assert_int_eq(rh_sim_run(sim, shoved.until), RH_STOPPED);
  ck_assert(walker(sim)->fell > 0.5);
  rh_sim_destroy(sim);
  rh_model_destroy(m);
}

END_TEST

// Every point has its least load, the forces carry the weight, and the efforts go with them: H a + h = S' tau + J' F at rest.
START_TEST(least_loads)
{
  rh_model *m = read_case(&cases[0]);
  rh_sim *sim = sim_of(m);
  ck_assert_int_eq(rh_sim_run(sim, 0.01), RH_OK);
  rh_data *d = rh_sim_data(sim);
  rh_kinematics(d);
  rh_footing footing;
  rh_support support = rh_support_find(d, RH_NONE, 0.5, &footing);
  ck_assert_int_eq(support.n, 8);
  for (int i = 0; i < support.n; i++) {
    footing.least[i] = i == 3 ? 400 : 30;
  }
  support.least = footing.least;
  double want[64] = {0};
  double care[64];
  double effort[64];
  double F[24];
  for (int k = 0; k < m->nv; k++) {
    care[k] = 1;
  }
  const rh_balance balance = {.want = want, .care = care, .keep = 100, .settle = 10};
  double *room = rh_alloc(rh_balance_room(m, 8) * sizeof *room);
  rh_mass_matrix(d);
  ck_assert(rh_balance_solve(d, &support, &balance, room, effort, F));
  double sum = 0;
  for (int i = 0; i < 8; i++) {
    sum += F[3 * i + 2];
    ck_assert_double_ge(F[3 * i + 2], footing.least[i] * (1 - 1e-12));
  }
  near_abs(sum, rh_total_mass(m) * 9.81,
           0.01 * rh_total_mass(m)); // it moves with 0.01 m/s^2 at most
  rh_free(room);
  rh_sim_destroy(sim);
  rh_model_destroy(m);
}

END_TEST

Suite *rh_suite_unit_walk(void)
{
  Suite *suite = suite_create("unit_walk");
  TCase *t = tcase_create("all");
  // Under a sanitizer one walk on rigid ground, and one on compliant ground that is pushed
  tcase_add_loop_test(t, walks, 0, RH_TEST_SLOW ? 1 : rh_test_long() ? RH_COUNT(cases) : 3);
  tcase_add_loop_test(t, catches_itself, 0, RH_TEST_SLOW ? 1 : RH_COUNT(pushed));
  if (rh_test_long()) { // ten seconds; that a fall is seen is shown on compliant ground
    tcase_add_test(t, falls);
  }
  tcase_add_test(t, least_loads);
  suite_add_tcase(suite, t);
  return suite;
}
