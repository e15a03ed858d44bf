// unit_contact.c: contact in scenes: what must hold whatever the law. Momentum and the third law, the energy account, no
// favoured direction or place, same bits, steppers that agree, two routes to one impact, several shapes, links, limits.
#include "contact_scenes.h"
#include "laws/free_impact.h"

#include <stdlib.h>

static double kinetic(rh_sim *sim)
{
  return rh_sim_ledger(sim).kinetic;
}

// ---- Closed forms and conservation

static rh_model *two_balls(const char *law, const char *friction)
{
  rh_scene *scene = rh_scene_create();
  set_gravity(scene, rh_v3(0, 0, 0));
  start a = {.at = {-0.2, 0.03, 0}, .v = {1, 0, 0.1}, .spin = {3, -5, 20}};
  start b = {.at = {0.2, 0, 0.02}, .v = {-0.5, 0, 0}, .spin = {0, 1, -7}};
  put_ball(scene, "a", 1.0, 0.1, &a);
  put_ball(scene, "b", 0.3, 0.06, &b);
  rh_contact_def c = contact_of("a", "b", law, friction);
  put_contact(scene, &c);
  set_tolerance(scene, 0.6, 1e-10, 1e-13);
  return model_of(scene);
}

START_TEST(momentum)
{
  rh_model *model = two_balls("hunt-crossley", "bristle");
  rh_sim *sim = sim_of(model);
  run_log *log = calloc(1, sizeof *log);
  log_attach(log, sim);
  look(sim);
  rh_force before = rh_momentum(rh_sim_view(sim));
  double energy = kinetic(sim);
  run_to(sim, model->run.until);
  look(sim);
  rh_force after = rh_momentum(rh_sim_view(sim));
  ck_assert_int_eq(log_count(log, RH_EVENT_TOUCH), 1);
  ck_assert_int_eq(log_count(log, RH_EVENT_SEPARATE), 1);
  ck_assert(kinetic(sim) < 0.99 * energy); // they did collide
  // Forces are equal and opposite at one point to the last digit; what is left is the rounding of some hundred steps.
  const double want[6] = {before.ang.x, before.ang.y, before.ang.z,
                          before.lin.x, before.lin.y, before.lin.z};
  const double got[6] = {after.ang.x, after.ang.y, after.ang.z,
                         after.lin.x, after.lin.y, after.lin.z};
  near_array(got, want, 3, 1e-9,
             0); // of spin: the arm to the point moves, so that only the integration keeps it
  near_array(got + 3, want + 3, 3, 1e-12, 0);
  free(log);
  finish(sim, model);
}

END_TEST

// The wrenches of all bodies together, about one point, are nothing, at any state in contact.
START_TEST(third_law)
{
  rh_model *model = two_balls("azad-featherstone", "azad-featherstone");
  rh_sim *sim = sim_of(model);
  rh_data *d = rh_sim_data(sim);
  rng r = {7};
  int touching = 0;
  run_to(sim, 1e-3);
  for (int i = 0; i < 200; i++) {
    set3(d->q, rng_vec3(&r, 0.05));
    set3(d->q + 7, rh_add(rh_v3(d->q[0], d->q[1], d->q[2]), rh_scale(0.15, rng_unit(&r))));
    for (int k = 0; k < model->nv; k++) {
      d->v[k] = rng_in(&r, -1, 1);
    }
    *d->used = 1;
    d->slot[0] = (rh_slot){.used = 1, .a = 0, .b = 1}; // the only feature of two spheres
    look(sim);
    touching += d->contact[0].normal > 0;
    rh_vec3 f = rh_add(d->wrench[1].lin, d->wrench[2].lin);
    rh_vec3 n = rh_add(rh_add(d->wrench[1].ang, rh_cross(d->kin[1].p, d->wrench[1].lin)),
                       rh_add(d->wrench[2].ang, rh_cross(d->kin[2].p, d->wrench[2].lin)));
    double size = fmax(rh_norm(d->wrench[1].lin), 1);
    near_abs(rh_norm(f), 0, 1e-14 * size); // exactly opposite; moments about the origin are rounded
    near_abs(rh_norm(n), 0, 1e-14 * size);
  }
  ck_assert_int_gt(touching, 50);
  finish(sim, model);
}

END_TEST

// ---- Every law with every friction

// A ball thrown flat onto the floor; stiffness and damping that give each law a contact of some milliseconds.
static rh_model *slide(const char *law, const char *friction, const char *stepper, double accuracy)
{
  rh_scene *scene = rh_scene_create();
  start s = {.at = {0, 0, 0.105}, .v = {0.8, 0.3, -0.5}, .spin = {0, 0, 4}};
  put_floor(scene);
  put_ball(scene, "ball", 1.0, 0.1, &s);
  rh_contact_def c = contact_of("ball", "world", law, friction);
  const rh_row *row = &rh_friction_law_find(friction)->row;
  int cells = rh_row_find(row, "Estar");
  int shear = cells != RH_NONE ? cells : rh_row_find(row, "Gstar");
  if (shear != RH_NONE) {
    c.friction_par[rh_row_offset(row, shear)] = 5e6; // as of the stiffness K of tsuji
  }
  put_contact(scene, &c);
  set_run(scene, stepper, 0.2, accuracy);
  set_frames(scene, 1e-3);
  return model_of(scene);
}

static rh_status watch_frame(void *user, const rh_sim *sim, long index)
{
  double *worst = user;
  (void)index;
  double residue = fabs(rh_sim_ledger(sim).residue);
  *worst = isfinite(residue) ? fmax(*worst, residue) : HUGE_VAL;
  return RH_OK;
}

// Also between frames, at every stop of the loop.
static rh_status watch_poll(void *user, const rh_sim *sim)
{
  return watch_frame(user, sim, 0);
}

static rh_status watch_event(void *user, const rh_sim *sim, const rh_event *event)
{
  (void)event;
  return watch_frame(user, sim, 0);
}

START_TEST(all_laws)
{
  int nlaw = 0;
  int nfriction = 0;
  const rh_normal_law *const *law = rh_normal_law_table(&nlaw);
  const rh_friction_law *const *friction = rh_friction_law_table(&nfriction);
  ck_assert_int_ge(nlaw * nfriction, 20);
  for (int i = 0; i < nlaw * nfriction; i++) {
    const char *names[2] = {law[i / nfriction]->row.name, friction[i % nfriction]->row.name};
    if (!friction[i % nfriction]->force) {
      continue; // of rigid bodies
    }
    bool cells = friction[i % nfriction]->patch != NULL;
    if (cells && strcmp(names[0], "elastic-patch") != 0) {
      continue; // a rate takes 50 us: one normal law stands for all
    }
    rh_model *model = slide(names[0], names[1], "cvode", 1e-10);
    rh_sim *sim = sim_of(model);
    double worst = 0;
    rh_observer observer = {&worst, watch_frame, watch_event, watch_poll};
    rh_sim_observe(sim, &observer);
    double before = kinetic(sim);
    run_to(sim, (cells ? 0.2 : 1) * model->run.until);
    // Every watt of a law goes into some line, so the account closes as well as the integrator works: 1e-10 of a joule
    // or so in each of some thousand steps.
    // Where a law with adhesion breaks, its force has a vertical slope: that step costs digits.
    double part = law[i / nfriction]->hold ? 1e-7 : 1e-8;
    ck_assert_msg(worst < part * before, "%s with %s: residue %g J of %g J", names[0], names[1],
                  worst, before);
    const double *v = rh_sim_view(sim)->v;
    bool slower = hypot(v[0], v[1]) < 0.85;
    ck_assert_msg(slower == (strcmp(names[1], "none") != 0), "%s with %s: %g m/s", names[0],
                  names[1], hypot(v[0], v[1]));
    ck_assert(hypot(v[0], v[1]) < 0.8545); // sqrt(0.8^2 + 0.3^2), nothing speeds it up
    ck_assert(rh_sim_view(sim)->q[2] > 0.09);
    finish(sim, model);
  }
}

END_TEST

// ---- No favoured direction or place

// The same throw onto a plane that is turned and moved with everything else.
static void thrown(const rh_mat3 *R, rh_vec3 move, double *local)
{
  rh_scene *scene = rh_scene_create();
  set_gravity(scene, rh_rotate(R, rh_v3(0, 0, -9.81)));
  start s = {.at = rh_add(rh_rotate(R, rh_v3(0, 0, 0.2)), move),
             .v = rh_rotate(R, rh_v3(0.8, 0.3, -0.5)),
             .spin = rh_rotate(R, rh_v3(1, 2, 4))};
  rh_shape_def plane = shape_of("world", "plane", 0, NULL);
  set3(plane.at, move);
  set3(plane.rpy, rpy_of(R));
  rh_scene_add_shape(scene, &plane);
  put_ball(scene, "ball", 1.0, 0.1, &s);
  rh_contact_def c = contact_of("ball", "world", "hunt-crossley", "azad-featherstone");
  put_contact(scene, &c);
  set_tolerance(scene, 0.6, 1e-10, 1e-13);
  rh_model *model = model_of(scene);
  rh_sim *sim = sim_of(model);
  run_to(sim, model->run.until);
  const rh_data *d = rh_sim_view(sim);
  set3(local, rh_unrotate(R, rh_sub(rh_v3(d->q[0], d->q[1], d->q[2]), move)));
  set3(local + 3, rh_unrotate(R, rh_v3(d->v[0], d->v[1], d->v[2])));
  set3(local + 6, rh_unrotate(R, rh_v3(d->v[3], d->v[4], d->v[5])));
  finish(sim, model);
}

START_TEST(turned_and_moved)
{
  rh_mat3 upright = rh_quat_matrix((rh_quat){1, 0, 0, 0});
  double want[9];
  rng r = {3};
  thrown(&upright, rh_v3(0, 0, 0), want);
  ck_assert(want[3] < 0.75); // it has rubbed
  for (int i = 0; i < 8; i++) {
    // upside down among them, where the contact frame is chosen anew
    rh_quat q = i == 0   ? (rh_quat){0, 1, 0, 0}
                : i == 1 ? (rh_quat){1e-4, 1, 0, 0}
                : i == 2 ? (rh_quat){3e-3, 1, 1e-3, 0}
                         : rng_quat(&r);
    rh_mat3 R = rh_quat_matrix(rh_quat_unit(q));
    rh_vec3 move = rng_vec3(&r, 3);
    double got[9];
    thrown(&R, move, got);
    // Errors are measured coordinate by coordinate, so other axes give other steps: the tolerance of 1e-10, some
    // hundredfold over four impacts, is what two runs may differ by; spins are larger than speeds by 1/r = 10.
    near_array(got, want, 9, 3e-8, 0);
  }
}

END_TEST

// A ball that rolls over the top of another: the normal turns through straight up. Upside down it passes straight down,
// where no choice of tangents is continuous; nothing of that may be felt.
static void rolled(bool upside_down, double *local)
{
  rh_mat3 R = rh_quat_matrix(upside_down ? (rh_quat){0, 1, 0, 0} : (rh_quat){1, 0, 0, 0});
  rh_scene *scene = rh_scene_create();
  set_gravity(scene, rh_rotate(&R, rh_v3(0, 0, -9.81)));
  start s = {.at = rh_rotate(&R, rh_v3(-0.02, 0.004, 1.0997)),
             .v = rh_rotate(&R, rh_v3(0.5, 0, 0))};
  put_sphere(scene, "world", 1.0);
  put_ball(scene, "ball", 1.0, 0.1, &s);
  rh_contact_def c = contact_of("ball", "world", "hunt-crossley", "bristle");
  put_contact(scene, &c);
  set_tolerance(scene, 0.1, 1e-10, 1e-13);
  rh_model *model = model_of(scene);
  rh_sim *sim = sim_of(model);
  run_to(sim, model->run.until);
  const rh_data *d = rh_sim_view(sim);
  set3(local, rh_unrotate(&R, rh_v3(d->q[0], d->q[1], d->q[2])));
  set3(local + 3, rh_unrotate(&R, rh_v3(d->v[3], d->v[4], d->v[5])));
  finish(sim, model);
}

START_TEST(over_the_pole)
{
  double want[6];
  double got[6];
  rolled(false, want);
  rolled(true, got);
  ck_assert(want[4] > 2); // it does roll
  // As above. Tangents that turn about the normal would carry the bent spring along: its 1e-5 m times 1e6 N/m are 10 N.
  near_array(got, want, 6, 1e-7, 0);
}

END_TEST

// ---- Same bits

START_TEST(resumed)
{
  rh_model *model = slide("azad-featherstone", "azad-featherstone", "cvode", 1e-9);
  rh_model short_batches = *model;
  short_batches.run.batch = 1; // a frame a batch: every frame is a place to go on from
  short_batches.run.every = 4e-4;
  double *state = calloc((size_t)model->layout.nstate, sizeof *state);
  rh_sim *sim = sim_of(&short_batches);
  long index = 0;
  for (int k = 1; rh_sim_view(sim)->contact[0].normal <= 1; k++) { // into the first contact
    ck_assert_int_lt(k, 400);
    run_to(sim, k * short_batches.run.every);
    look(sim);
    index = k;
  }
  memcpy(state, rh_sim_view(sim)->state, (size_t)model->layout.nstate * sizeof *state);
  ck_assert(state[0] > 0 && rh_sim_view(sim)->s[0] != 0); // the spring is bent
  run_to(sim, model->run.until);
  uint64_t whole = rh_data_hash(rh_sim_view(sim), 0);
  rh_sim *again = sim_of(&short_batches);
  rh_sim_resume(again, index, state);
  run_to(again, model->run.until);
  ck_assert_uint_eq(rh_data_hash(rh_sim_view(again), 0), whole);
  rh_sim_destroy(again);
  rh_sim *twice = sim_of(&short_batches);
  run_to(twice, model->run.until);
  ck_assert_uint_eq(rh_data_hash(rh_sim_view(twice), 0), whole);
  rh_sim_destroy(twice);
  free(state);
  finish(sim, model);
}

END_TEST

// ---- Steppers

static double off(const char *stepper, double dt, const double *want, int n)
{
  rh_model *model = slide("hunt-crossley", "bristle", stepper, dt);
  rh_sim *sim = sim_of(model);
  double worst = 0;
  run_to(sim, model->run.until);
  for (int i = 0; i < n; i++) {
    worst = fmax(worst, fabs(rh_sim_view(sim)->y[i] - want[i]));
  }
  finish(sim, model);
  return worst;
}

START_TEST(steppers_agree)
{
  double want[13];
  rh_model *model = slide("hunt-crossley", "bristle", "cvode", 1e-12);
  rh_sim *sim = sim_of(model);
  run_to(sim, model->run.until);
  memcpy(want, rh_sim_view(sim)->y, sizeof want);
  finish(sim, model);
  double rk4[2] = {off("rk4", 2e-4, want, 13), off("rk4", 5e-5, want, 13)};
  double euler[2] = {off("euler", 2e-4, want, 13), off("euler", 5e-5, want, 13)};
  // Every change of the law (touch, stick, slip, part) is located and stepped from, so the orders hold across contact: 4
  // and 1, that is 256 and 4 for a quarter of the step. Half of that is asked of the one, whose error also has kinks of
  // the damper in it, and nearly all of the other.
  ck_assert_msg(rk4[1] < rk4[0] / 100 && rk4[1] < 1e-7, "rk4: %g, %g", rk4[0], rk4[1]);
  ck_assert_msg(euler[1] < euler[0] / 3 && euler[1] < 1e-2, "euler: %g, %g", euler[0], euler[1]);
  double gbs = off("gbs", 2e-4, want, 13); // order 6 at least
  ck_assert_msg(gbs < rk4[0], "gbs: %g", gbs);
}

END_TEST

// ---- Two routes: one impact by the loop, and by the integrator the laws have for themselves

START_TEST(impact_by_two_routes)
{
  int n = 0;
  const rh_normal_law *const *law = rh_normal_law_table(&n);
  for (int i = 0; i < n; i++) {
    if (law[i]->hold) {
      continue; // the laws' own integrator ends at depth 0; see ref_spheres
    }
    rh_scene *scene = rh_scene_create();
    start s = {.at = {0, 0, 0.11}, .v = {0, 0, -1}};
    put_floor(scene);
    put_ball(scene, "ball", 0.5, 0.1, &s);
    rh_contact_def c = contact_of("ball", "world", law[i]->row.name, "none");
    put_contact(scene, &c);
    set_tolerance(scene, 0.2, 1e-12, 1e-15);
    rh_model *model = model_of(scene);
    rh_sim *sim = sim_of(model);
    run_log *log = calloc(1, sizeof *log);
    log_attach(log, sim);
    run_to(sim, model->run.until);
    const rh_event *touch = log_find(log, RH_EVENT_TOUCH, 0);
    const rh_event *part = log_find(log, RH_EVENT_SEPARATE, 0);
    ck_assert(touch != NULL && part != NULL);
    near_rel(touch->before, sqrt(1 + 2 * 9.81 * 0.01), 1e-12); // free fall
    rh_impact1_in in = {.law = law[i],
                        .par = c.par,
                        .mass = 0.5,
                        .speed = touch->before,
                        .gravity = 9.81,
                        .radius = 0.1};
    rh_impact1_out out;
    ck_assert_int_eq(rh_impact1(&in, &out), RH_OK);
    // Both promise far more than 1e-8: 1e-12 a step here, twelve digits there.
    near_rel(-part->before, out.rebound_speed, 1e-8);
    near_rel(part->t - touch->t, out.time_of_return, 1e-8);
    rh_sim *once = sim_of(model);
    run_to(once, part->t);
    // What a law with a state still holds at the end of the contact is recorded with the event.
    rh_ledger lost = rh_sim_ledger(once);
    near_abs(lost.contact_damper - lost.event, out.energy_loss, 1e-8 * 0.5);
    rh_sim_destroy(once);
    free(log);
    finish(sim, model);
  }
}

END_TEST

// ---- Several shapes, links, limits

// A plate on four spheres under it: a quarter of the weight each, or by the lever where the weight is off centre.
START_TEST(union_of_spheres)
{
  static const double k = 1e5;
  static const double shift = 0.03;
  rh_scene *scene = rh_scene_create();
  start s = {.at = {0, 0, 0.0202}};
  rh_body_def foot = body_of("foot", 2, rh_v3(shift, 0, 0.05), rh_v3(0.02, 0.02, 0.03));
  put_floor(scene);
  put_free(scene, &foot, &s);
  for (int i = 0; i < 4; i++) {
    double r = 0.02;
    rh_shape_def ball = shape_of("foot", "sphere", 1, &r);
    ball.at[0] = i & 1 ? 0.1 : -0.1;
    ball.at[1] = i & 2 ? 0.05 : -0.05;
    rh_scene_add_shape(scene, &ball);
  }
  rh_contact_def c = contact_of("foot", "world", "kelvin-voigt", "bristle");
  set_law(&c, "k", k);
  set_law(&c, "b", 500);
  put_contact(scene, &c);
  set_tolerance(scene, 3, 1e-9, 1e-13);
  rh_model *model = model_of(scene);
  ck_assert_int_eq(model->nslot, 4);
  rh_sim *sim = sim_of(model);
  run_to(sim, model->run.until);
  look(sim);
  double sum = 0;
  for (int i = 0; i < 4; i++) {
    const rh_contact *con = &rh_sim_view(sim)->contact[i];
    double side = con->point.x > 0 ? 1 : -1;
    double lever = shift / 0.1;
    ck_assert(con->on);
    // Tilted by a milliradian, the arms change by 1e-6 of themselves and the centre of mass, 5 cm up, leans by 1e-5 m.
    near_rel(con->normal, 2 * 9.81 / 4 * (1 + side * lever), 1e-3);
    sum += con->normal;
  }
  near_rel(sum, 2 * 9.81, 1e-8); // at rest after 3 s: damping rate k, b: 500 * 4 / 2 / 2 = 500 1/s
  finish(sim, model);
}

END_TEST

// A chain adrift folds until its last link strikes the first: forces within, so momentum stays.
START_TEST(links_of_a_robot)
{
  rh_scene *scene = rh_scene_create();
  set_gravity(scene, rh_v3(0, 0, 0));
  start s = {.v = {0.3, -0.1, 0.2}};
  rh_body_def base = body_of("base", 2, rh_v3(0, 0, 0), rh_v3(0.02, 0.02, 0.02));
  put_free(scene, &base, &s);
  rh_body_def link = body_of("upper", 0.5, rh_v3(0.1, 0, 0), rh_v3(1e-3, 2e-3, 2e-3));
  rh_joint_def elbow = joint_of("revolute", "base", "upper", rh_v3(0, 0, 1));
  add(scene, &link, &elbow);
  link.name = rh_name_of("fore");
  rh_joint_def wrist = joint_of("revolute", "upper", "fore", rh_v3(0, 0, 1));
  wrist.at[0] = 0.2;
  wrist.q = (rh_list){1, {1.5}};
  wrist.v = (rh_list){1, {6}};
  add(scene, &link, &wrist);
  put_sphere(scene, "base", 0.05);
  double r = 0.03;
  rh_shape_def tip = shape_of("fore", "sphere", 1, &r);
  tip.at[0] = 0.2;
  rh_scene_add_shape(scene, &tip);
  rh_contact_def c = contact_of("fore", "base", "hunt-crossley", "coulomb");
  put_contact(scene, &c);
  set_tolerance(scene, 1.0, 1e-11, 1e-13);
  rh_model *model = model_of(scene);
  rh_sim *sim = sim_of(model);
  run_log *log = calloc(1, sizeof *log);
  log_attach(log, sim);
  look(sim);
  rh_force before = rh_momentum(rh_sim_view(sim));
  run_to(sim, model->run.until);
  look(sim);
  rh_force after = rh_momentum(rh_sim_view(sim));
  ck_assert_int_ge(log_count(log, RH_EVENT_SEPARATE), 1);
  // The integrator does not know momentum: its tolerance of 1e-11 over some hundred steps.
  near_abs(rh_norm(rh_sub(after.lin, before.lin)), 0, 1e-9);
  near_abs(rh_norm(rh_sub(after.ang, before.ang)), 0, 1e-9);
  ck_assert_msg(log->worst_residue < 1e-9, "residue %g J", log->worst_residue);
  free(log);
  finish(sim, model);
}

END_TEST

// A ball on a rail falls on elastic ground; a stop catches it 5 mm deep and sends it back with half the speed.
static run_log *fall_on_stop(double depth_of_stop, double *residue)
{
  rh_scene *scene = rh_scene_create();
  rh_body_def body = body_of("ball", 1, rh_v3(0, 0, 0), rh_v3(0.004, 0.004, 0.004));
  rh_joint_def rail = joint_of("prismatic", "world", "ball", rh_v3(0, 0, 1));
  rail.q = (rh_list){1, {0.2}};
  rail.limits = (rh_list){2, {0.1 - depth_of_stop, HUGE_VAL}};
  rail.bounce = 0.5;
  add(scene, &body, &rail);
  put_floor(scene);
  put_sphere(scene, "ball", 0.1);
  rh_contact_def c = contact_of("ball", "world", "kelvin-voigt", "none");
  set_law(&c, "k", 2e4);
  set_law(&c, "b", 0);
  put_contact(scene, &c);
  set_tolerance(scene, 0.2, 1e-11, 1e-13);
  rh_model *model = model_of(scene);
  rh_sim *sim = sim_of(model);
  run_log *log = calloc(1, sizeof *log);
  log_attach(log, sim);
  run_to(sim, model->run.until);
  *residue = log->worst_residue;
  finish(sim, model);
  return log;
}

START_TEST(stop_and_contact)
{
  static const double z[] = {5e-3, 1e-4, 0}; // the last: floor and stop are met at one instant
  for (int i = 0; i < RH_COUNT(z); i++) {
    double residue = 0;
    run_log *log = fall_on_stop(z[i], &residue);
    const rh_event *bounce = log_find(log, RH_EVENT_BOUNCE, 0);
    ck_assert(bounce != NULL);
    double in = 2 * 9.81 * (0.1 + z[i]) - 2e4 * z[i] * z[i]; // squares of speeds, by energy
    double out = 0.25 * in - 2 * 9.81 * z[i] + 2e4 * z[i] * z[i];
    near_rel(-bounce->before, sqrt(in),
             1e-9); // 1e-11 a step, and the spring's energy is a third of the fall's
    near_rel(bounce->after, 0.5 * sqrt(in), 1e-9);
    const rh_event *part = log_find(log, RH_EVENT_SEPARATE, 0);
    if (z[i] > 0) {
      ck_assert(part != NULL);
      near_rel(-part->before, sqrt(out), 1e-9);
      ck_assert_int_eq(log_count(log, RH_EVENT_TOUCH), 1);
    } else { // turned round before the ground pushed: whatever is told, it comes in pairs
      ck_assert_int_eq(log_count(log, RH_EVENT_TOUCH), log_count(log, RH_EVENT_SEPARATE));
    }
    ck_assert_msg(residue < 1e-9, "stop %g m deep: residue %g J", z[i], residue);
    free(log);
  }
}

END_TEST

Suite *rh_suite_unit_contact(void)
{
  Suite *suite = suite_create("unit_contact");
  TCase *tests = tcase_create("contact");
  tcase_add_test(tests, momentum);
  tcase_add_test(tests, third_law);
  tcase_add_test(tests, all_laws);
  tcase_add_test(tests, turned_and_moved);
  tcase_add_test(tests, over_the_pole);
  tcase_add_test(tests, resumed);
  tcase_add_test(tests, steppers_agree);
  tcase_add_test(tests, impact_by_two_routes);
  tcase_add_test(tests, union_of_spheres);
  tcase_add_test(tests, links_of_a_robot);
  tcase_add_test(tests, stop_and_contact);
  suite_add_tcase(suite, tests);
  return suite;
}
