// unit_legs.c: robots with four, six and two legs stand, walk, turn and stop, in both engines: they end
// where the plan ends, all feet as at the start, on forces that carry the weight; feet that stand do not
// slip; impulses are within their cones. The Atlas turns and stops by its own controller.
#include "control/legs.h"
#include "base/tolerances.h"
#include "control/walker.h"
#include "world.h"

#include <routh/robot.h>

#include <math.h>

typedef struct legs_case {
  const char *what, *scene;
  const char *set[8];
  double until;
  double x, y, heading; // of the body in the end, from that of the start
  double apart;         // [m] that feet may be from the plan
  int falls;            // footfalls, each an impact at least; 0: not counted
} legs_case;

// The plan of turning robots: radius stride/turn. A foot is a ball of 20 mm that rolls while the leg
// above it turns, by 0.35 rad at most (0.1 m at a height of 0.3 m): its centre moves by up to 7 mm. It
// is put within `apart` of its place: what computed torque leaves of the error.
static const legs_case cases[] = {
    {"quadruped walks", "quadruped", {"gait.cycles=1", "gait.cycle=1.5"}, 5.8, 0.1, 0, 0, 4e-3, 8},
    {"quadruped trots, turns",
     "quadruped",
     {"gait.gait=trot", "gait.cycle=0.5", "gait.cycles=2", "gait.turn=0.3"},
     3,
     0.1 / 0.3 * 0.5646424733950354,  // sin 0.6
     0.1 / 0.3 * 0.17466438509032167, // 1 - cos 0.6
     0.6,
     4e-3,
     12},
    {"hexapod", "hexapod", {"gait.cycles=1", "gait.cycle=0.6"}, 3.2, 0.1, 0, 0, 4e-3, 12},
    // Atlas has no margin: with other stands, some by 1e-9 s, it falls.
    {"Atlas, chapter 4",
     "atlas-pipeline",
     {"gait.cycle=2", "gait.stand=0.35"},
     7.5,
     0.2,
     0,
     0,
     4e-3,
     4},
    {"quadruped, time steps",
     "quadruped",
     {"run.engine=stepping", "run.dt=0.001", "gait.gait=trot", "gait.cycle=0.5", "gait.cycles=2"},
     3,
     0.2,
     0,
     0,
     4e-3,
     0},
    {"hexapod, time steps",
     "hexapod",
     {"run.engine=stepping", "run.dt=0.001", "gait.cycles=2"},
     5.2,
     0.2,
     0,
     0,
     4e-3,
     0},
    {"hexapod stands", "hexapod", {"gait.cycles=0"}, 1.2, 0, 0, 0, 1e-3, 0},
};

static rh_model *read_scene(const char *what, const char *name, const char *const *set, int most)
{
  char path[512];
  rh_scene *scene = NULL;
  rh_diag *diag = rh_diag_create();
  int n = 0;
  while (n < most && set[n]) {
    n++;
  }
  snprintf(path, sizeof path, ROUTH_SOURCE_DIR "/scenes/%s.yaml", name);
  rh_status status = rh_scene_load(path, set, n, diag, &scene);
  ck_assert_msg(status == RH_OK, "%s: %s", what,
                rh_diag_kept(diag) > 0 ? rh_diag_get(diag, 0).text : "not read");
  rh_diag_destroy(diag);
  return model_of(scene);
}

// ---- Footfalls

enum { POINTS = 48, NV = 40 };

typedef struct footfalls {
  int impacts;     // events
  int balanced;    // impacts whose velocities before are known, of all contacts together
  double t, v[NV]; // at the last event
  rh_data *other;  // a world of the same model
} footfalls;

static void put_state(rh_data *other, const rh_data *d, const double *v)
{
  memcpy(other->q, d->q, (size_t)d->model->nq * sizeof(double));
  memcpy(other->v, v, (size_t)d->model->nv * sizeof(double));
  *other->t = *d->t;
  rh_kinematics(other);
}

// Are the velocities of the last event those before the impact? Between two impacts of an instant contacts may come to rest that
// would hop less than 1e-12 m, which is no event.
static bool knows_before(const footfalls *f, const rh_data *d, const rh_impact_contacts *hit)
{
  put_state(f->other, d, f->v);
  for (int i = hit->first; i < hit->first + hit->n; i++) {
    const rh_contact *c = &d->contact[hit->slot[i]];
    const rh_kin_body *k = &f->other->kin[c->a];
    rh_vec3 u = rh_point_velocity(f->other, c->a, rh_unrotate(&k->R, rh_sub(c->point, k->p)));
    if (fabs(rh_dot(u, c->n) - hit->u[3 * i + 2]) > RH_TOL_SLIP) {
      return false;
    }
  }
  return f->t == *d->t;
}

// The impulses of an impact are the change of momentum of the whole robot, along and about the world's origin (1 m off at most),
// and all of them together take energy.
// An event takes away slip of up to RH_TOL_SLIP of contacts that stick.
static void check_momentum(const footfalls *f, const rh_data *d, const rh_impact_contacts *hit)
{
  rh_force sum = {0};
  for (int i = hit->first; i < hit->first + hit->n; i++) {
    const rh_contact *c = &d->contact[hit->slot[i]];
    const double *p = hit->p + (ptrdiff_t)3 * i;
    rh_vec3 F = rh_scale(p[2], c->n);
    F = rh_addscaled(rh_addscaled(F, p[0], c->t1), p[1], c->t2);
    sum.lin = rh_add(sum.lin, F);
    sum.ang = rh_add(sum.ang, rh_cross(c->point, F));
  }
  put_state(f->other, d, f->v);
  rh_force before = rh_momentum(f->other);
  double energy = rh_kinetic_energy(f->other);
  put_state(f->other, d, d->v);
  rh_force after = rh_momentum(f->other);
  rh_vec3 lin = rh_sub(rh_sub(after.lin, before.lin), sum.lin);
  rh_vec3 ang = rh_sub(rh_sub(after.ang, before.ang), sum.ang);
  double most = rh_total_mass(d->model) * RH_TOL_SLIP;
  near_abs(rh_norm(lin), 0, most);
  near_abs(rh_norm(ang), 0, most);
  ck_assert_double_le(rh_kinetic_energy(f->other), energy * (1 + 1e-12) + most * RH_TOL_SLIP);
}

// [J] kinetic energy with the velocities a + share b
static double energy_with(rh_data *other, const double *a, double share, const double *b)
{
  for (int k = 0; k < other->model->nv; k++) {
    other->v[k] = (a ? a[k] : 0) + share * (b ? b[k] : 0);
  }
  rh_kinematics(other);
  return rh_kinetic_energy(other);
}

// Is the joint at its stop, whose impulse no contact has?
static bool is_at_stop(const rh_data *d, int k)
{
  const rh_model_dof *f = &d->model->dof[k];
  return f->coord != RH_NONE && fmin(d->q[f->coord] - f->lower, f->upper - d->q[f->coord]) <= 1e-9;
}

// The same for every degree of freedom: M (v+ - v-) = J' p, by nothing but kinetic energies and velocities of points:
// x' M y = T(x + y) - T(x) - T(y) for any x, here one unit velocity after the other, and x' J' p is the power of the impulses at the
// velocities of their points under x. Soles too, but not joints at a stop. Joints differ by what RH_TOL_SLIP of slip moves.
static void check_balance(const footfalls *f, const rh_data *d, const rh_impact_contacts *hit)
{
  rh_data *other = f->other;
  double change[NV];
  double most = 0;
  put_state(other, d, f->v);
  for (int k = 0; k < d->model->nv; k++) {
    change[k] = d->v[k] - f->v[k];
    most = fmax(most, fabs(change[k]));
  }
  double own = energy_with(other, NULL, 1, change);
  for (int k = 0; k < d->model->nv; k++) {
    double unit[NV] = {0};
    unit[k] = most; // sums without loss of digits
    double whole = energy_with(other, change, 1, unit);
    double power = 0;
    double alone = energy_with(other, NULL, 1, unit);
    for (int i = hit->first; i < hit->first + hit->n; i++) {
      const rh_contact *c = &d->contact[hit->slot[i]];
      const rh_kin_body *b = &other->kin[c->a];
      const double *p = hit->p + (ptrdiff_t)3 * i;
      rh_vec3 F = rh_addscaled(rh_addscaled(rh_scale(p[2], c->n), p[0], c->t1), p[1], c->t2);
      power +=
          rh_dot(F, rh_point_velocity(other, c->a, rh_unrotate(&b->R, rh_sub(c->point, b->p))));
    }
    double slip = RH_TOL_SLIP * sqrt(2 * alone * rh_total_mass(d->model));
    double bar = slip + 1e-12 * (own + alone);
    if (!is_at_stop(d, k)) {
      near_abs(whole - own - alone, power, bar);
    }
  }
  put_state(other, d, f->v);
}

// The velocities that the impact began with, v+ - M^-1 J' p: those of the last event (check_balance), less what held contacts of their
// slip and approach of up to RH_TOL_SLIP. Over a sole of 0.1 m that is 1e-8 rad/s of a joint.
static void find_before(const footfalls *f, const rh_data *d, const rh_impact_contacts *hit,
                        double *v)
{
  double J[3 * NV];
  const int nv = d->model->nv;
  put_state(f->other, d, f->v);
  rh_mass_matrix(f->other);
  rh_mass_factor(f->other);
  memset(v, 0, NV * sizeof *v);
  for (int i = hit->first; i < hit->first + hit->n; i++) {
    const rh_contact *c = &d->contact[hit->slot[i]];
    const rh_kin_body *b = &f->other->kin[c->a];
    const double *p = hit->p + (ptrdiff_t)3 * i;
    rh_vec3 F = rh_addscaled(rh_addscaled(rh_scale(p[2], c->n), p[0], c->t1), p[1], c->t2);
    rh_point_jacobian(f->other, c->a, rh_unrotate(&b->R, rh_sub(c->point, b->p)), J);
    for (int k = 0; k < nv; k++) {
      v[k] -= J[k] * F.x + J[nv + k] * F.y + J[2 * nv + k] * F.z;
    }
  }
  rh_mass_solve(f->other, v);
  for (int k = 0; k < nv; k++) {
    v[k] += d->v[k];
  }
}

// The stage of the thesis, `impact_sequence` of `routh solve`, gives the same velocities after from those before:
// both solve the contacts to 1e-6 of the largest velocity. Not of soles: how their points share the load is free, and by friction the
// slip of a sole with little load depends on it (1e-4 of the largest velocity here). Nor with a joint at its stop, which the stage does
// not know.
static void check_stage(const footfalls *f, const rh_data *d, const rh_impact_contacts *hit)
{
  static double scratch[1 << 18];
  rh_model_point point[POINTS];
  double mu[POINTS];
  double e[POINTS];
  double p[3 * POINTS];
  double u[3 * POINTS];
  double v[NV];
  double before[NV];
  find_before(f, d, hit, before);
  put_state(f->other, d, before);
  for (int i = 0; i < hit->n; i++) {
    const rh_contact *c = &d->contact[hit->slot[hit->first + i]];
    const rh_kin_body *k = &f->other->kin[c->a];
    point[i] = (rh_model_point){.body = c->a, .at = rh_unrotate(&k->R, rh_sub(c->point, k->p))};
    mu[i] = 0.8;
    e[i] = 0;
  }
  const rh_impact_points in = {.n = hit->n, .point = point, .mu = mu, .e = e, .law = "newton"};
  rh_impact_sequence out = {.p = p, .u = u, .v = v};
  ck_assert_uint_le(rh_impact_points_scratch(d->model, hit->n), RH_COUNT(scratch));
  ck_assert_int_eq(rh_impact_points_solve(f->other, &in, scratch, &out), RH_OK);
  ck_assert(out.solved);
  double most = 0;
  for (int k = 0; k < d->model->nv; k++) {
    most = fmax(most, fabs(v[k] - before[k]));
  }
  for (int k = 0; k < d->model->nv; k++) {
    near_abs(d->v[k], v[k], 1e-5 * most + RH_TOL_SLIP);
  }
}

static bool has_stops(const rh_data *d)
{
  int stops = 0;
  for (int k = 0; k < d->model->nv; k++) {
    stops += is_at_stop(d, k);
  }
  return stops > 0;
}

// Impulses of impacts press, and friction is within its cone: mu is 0.8. The simultaneous formulation's
// error is 1e-6 of the largest. Engine event: the first event of an impact checks it as a whole.
static rh_status check_impact(void *user, const rh_sim *sim, const rh_event *event)
{
  footfalls *f = user;
  const rh_data *d = rh_sim_view(sim);
  if (event->kind == RH_EVENT_IMPACT) {
    ck_assert_double_ge(event->impulse, -1e-9);
    ck_assert_double_le(event->friction, 0.8 * event->impulse * (1 + 1e-6) + 1e-9);
    f->impacts++;
  }
  rh_impact_contacts hit = rh_sim_impact_contacts(sim, event);
  // of all contacts together where they are known
  ck_assert(event->kind != RH_EVENT_IMPACT || hit.n > 0 || event->Dn + event->Dt >= -1e-9);
  bool changed = memcmp(f->v, d->v, (size_t)d->model->nv * sizeof(double)) != 0;
  if (event->kind == RH_EVENT_IMPACT && hit.n > 0 && changed && knows_before(f, d, &hit)) {
    check_momentum(f, d, &hit);
    check_balance(f, d, &hit);
    if (d->contact[event->slot].area == 0 && !has_stops(d)) {
      check_stage(f, d, &hit);
    }
    f->balanced++;
  }
  f->t = *d->t;
  memcpy(f->v, d->v, (size_t)d->model->nv * sizeof(double));
  return RH_OK;
}

// ---- Walks

// The forces of the ground at rest
static rh_vec3 sum_of_forces(const rh_data *d)
{
  rh_vec3 sum = {0};
  for (int i = 0; i < rh_slots_used(d); i++) {
    const rh_contact *c = &d->contact[i];
    if (c->on) {
      rh_vec3 f = rh_scale(c->normal, c->n);
      f = rh_addscaled(rh_addscaled(f, c->friction[0], c->t1), c->friction[1], c->t2);
      sum = rh_add(sum, f);
    }
  }
  return sum;
}

START_TEST(legs_walk)
{
  const legs_case *c = &cases[_i];
  rh_model *m = read_scene(c->what, c->scene, c->set, 8);
  rh_sim *sim = sim_of(m);
  footfalls falls = {.t = -1, .other = rh_data_create(m)};
  double height = rh_sim_view(sim)->q[2];
  rh_sim_observe(sim, &(rh_observer){.user = &falls, .event = check_impact});
  ck_assert_int_eq(rh_sim_run(sim, c->until), RH_OK);
  rh_data *d = rh_sim_data(sim);
  const rh_legs *w = (const rh_legs *)(d->memory + m->controller[0].memory);
  const rh_model_controller *k = &m->controller[0];
  rh_kinematics(d);
  ck_assert_msg(w->started == 1 && w->fell == 0, "%s: fell at %g s", c->what, w->fell);
  rh_vec3 middle = {0};
  for (int i = 0; i < k->nfoot; i++) {
    middle = rh_addscaled(middle, 1.0 / k->nfoot, rh_kept(w->leg[i].home));
  }
  for (int i = 0; i < k->nfoot; i++) {
    rh_vec3 at = rh_point_position(d, k->foot[i], rh_kept(w->leg[i].at));
    rh_vec3 arm = rh_sub(rh_kept(w->leg[i].home), middle);
    double x = middle.x + c->x + cos(c->heading) * arm.x - sin(c->heading) * arm.y;
    double y = middle.y + c->y + sin(c->heading) * arm.x + cos(c->heading) * arm.y;
    const double *put = w->leg[i].stand;
    ck_assert_msg(hypot(put[0] - x, put[1] - y) < c->apart, "%s: foot %d at %g %g, not %g %g",
                  c->what, i, put[0], put[1], x, y);
    // it does not slip: it is where it was put, but for its rolling
    ck_assert_double_le(hypot(at.x - put[0], at.y - put[1]), 7e-3);
    ck_assert_int_eq((int)w->leg[i].mode, RH_LEG_STANDS);
  }
  double turned = 2 * atan2(d->q[6], d->q[3]); // of the base, about z
  near_abs(turned, c->heading, 0.01);          // kp e against friction: millimetres at 0.3 m
  double weight = rh_total_mass(m) * 9.81;
  m->run.engine->evaluate(d);
  rh_vec3 F = sum_of_forces(d);
  near_abs(F.z, weight, 1e-3 * weight); // it moves with 0.01 m/s^2 at most
  near_abs(d->q[2], height, c->apart);  // it stands as at the start, and is at rest
  near_abs(sqrt(2 * rh_kinetic_energy(d) / rh_total_mass(m)), 0, 2e-3);
  rh_residue_stats energy = rh_sim_statistics(sim).residue;
  ck_assert_msg(energy.worst <= energy.bound, "%s: residue %g of %g", c->what, energy.worst,
                energy.bound);
  near_abs(hypot(F.x, F.y), 0, 1e-3 * weight);
  ck_assert(falls.impacts > 0 || w->leg[0].from[2] == 0); // it walked: feet came down
  ck_assert_int_ge(falls.balanced, c->falls);
  rh_data_destroy(falls.other);
  rh_sim_destroy(sim);
  rh_model_destroy(m);
}

END_TEST

// The two engines end at the same place.
START_TEST(engines_agree)
{
  static const char *const set[2][8] = {{"gait.gait=trot", "gait.cycle=0.5", "gait.cycles=1"},
                                        {"gait.gait=trot", "gait.cycle=0.5", "gait.cycles=1",
                                         "run.engine=stepping", "run.dt=0.0005"}};
  double q[2][32];
  for (int i = 0; i < 2; i++) {
    rh_model *m = read_scene("both", "quadruped", set[i], 8);
    rh_sim *sim = sim_of(m);
    ck_assert_int_eq(rh_sim_run(sim, 2.2), RH_OK);
    memcpy(q[i], rh_sim_view(sim)->q, (size_t)m->nq * sizeof(double));
    rh_sim_destroy(sim);
    rh_model_destroy(m);
  }
  for (int k = 0; k < 19; k++) {
    // Touchdowns differ by a decision, 2 ms at up to 0.5 m/s: a foot 1 mm elsewhere turns a knee by
    // 5 mrad (0.18 m).
    near_abs(q[0][k], q[1][k], k < 7 ? 2e-3 : 5e-3);
  }
}

END_TEST

// The Atlas walks along a circle: three steps of 0.3 rad, feet together, and stands.
START_TEST(atlas_turns)
{
  static const char *const set[] = {"run.integrator=rk4", "run.dt=0.002",    "gait.steps=3",
                                    "gait.turn=0.3",      "gait.stand=0.35", "run.residue=0.01",
                                    "gait.adjust=0"};
  rh_model *m = read_scene("Atlas turns", "atlas-turn", set, 7);
  rh_sim *sim = sim_of(m);
  footfalls falls = {.t = -1, .other = rh_data_create(m)};
  rh_sim_observe(sim, &(rh_observer){.user = &falls, .event = check_impact});
  ck_assert_int_eq(rh_sim_run(sim, 4.6), RH_OK);
  ck_assert_int_ge(falls.balanced, 3);
  rh_data_destroy(falls.other);
  rh_data *d = rh_sim_data(sim);
  const rh_walker *w = (const rh_walker *)(d->memory + m->controller[0].memory);
  const rh_walk plan = {.duration = 0.5, .stride = 0.2, .steps = 3, .turn = 0.3};
  rh_kinematics(d);
  ck_assert(w->fell == 0);
  rh_vec3 sole[2];
  for (int foot = 0; foot < 2; foot++) {
    int body = foot == 0 ? m->controller[0].left : m->controller[0].right;
    rh_foothold to = rh_walk_place(&plan, foot, 3);
    near_abs(to.turn, 0.6, 1e-15); // two frames on
    rh_vec3 from = rh_add(rh_kept(w->foot[foot].home), rh_kept(w->foot[foot].sole));
    rh_vec3 other = rh_add(rh_kept(w->foot[1 - foot].home), rh_kept(w->foot[1 - foot].sole));
    rh_vec3 arm = rh_scale(0.5, rh_sub(from, other));
    rh_vec3 middle = rh_scale(0.5, rh_add(from, other));
    rh_vec3 now = rh_unrotate((const rh_mat3 *)w->foot[foot].turn, rh_kept(w->foot[foot].sole));
    sole[foot] = rh_add(d->kin[body].p, rh_rotate(&d->kin[body].R, now));
    near_abs(sole[foot].x, middle.x + to.x + cos(0.6) * arm.x - sin(0.6) * arm.y, 4e-3);
    near_abs(sole[foot].y, middle.y + to.y + sin(0.6) * arm.x + cos(0.6) * arm.y, 4e-3);
    near_abs(
        hypot(d->kin[body].p.x - w->foot[foot].stand[0], d->kin[body].p.y - w->foot[foot].stand[1]),
        0, 1e-3); // no slip
    near_abs(atan2(d->kin[body].R.m[3], d->kin[body].R.m[0]), 0.6, 0.01);
  }
  rh_vec3 between = rh_sub(sole[0], sole[1]); // together: at right angles to the heading
  near_abs(between.x * cos(0.6) + between.y * sin(0.6), 0, 4e-3);
  m->run.engine->evaluate(d);
  double weight = rh_total_mass(m) * 9.81;
  near_abs(sum_of_forces(d).z, weight, 0.01 * weight); // it sways with 0.1 m/s^2 at most
  rh_sim_destroy(sim);
  rh_model_destroy(m);
}

END_TEST

START_TEST(refused)
{
  static const struct {
    const char *set, *why;
  } bad[] = {{"gait.gait=tripod", "not known for its number of feet"},
             {"gait.phases=[0, 0.5]", "takes 4 numbers"},
             {"gait.foot4=\"\"", "has a gait that is not known"},
             {"gait.foot3=\"\"", "is given, but not the one before"},
             {"gait.foot=nothing", "nothing"},
             {"gait.kind=pd", "does not use"}};

  for (int i = 0; i < RH_COUNT(bad); i++) {
    rh_scene *scene = NULL;
    rh_model *m = NULL;
    rh_diag *diag = rh_diag_create();
    rh_status status =
        rh_scene_load(ROUTH_SOURCE_DIR "/scenes/quadruped.yaml", &bad[i].set, 1, diag, &scene);
    status = status == RH_OK ? rh_scene_compile(scene, diag, &m) : status;
    ck_assert_int_eq(status, RH_INPUT_REFUSED);
    bool said = false;
    for (int k = 0; k < rh_diag_kept(diag); k++) {
      said = said || strstr(rh_diag_get(diag, k).text, bad[i].why);
    }
    ck_assert_msg(said, "%s: %s", bad[i].set, rh_diag_get(diag, 0).text);
    rh_scene_destroy(scene);
    rh_diag_destroy(diag);
  }
}

END_TEST

Suite *rh_suite_unit_legs(void);

Suite *rh_suite_unit_legs(void)
{
  Suite *suite = suite_create("unit_legs");
  TCase *tests = tcase_create("legs");
  tcase_add_loop_test(tests, legs_walk, 0, RH_COUNT(cases));
  tcase_add_test(tests, engines_agree);
  tcase_add_test(tests, atlas_turns);
  tcase_add_test(tests, refused);
  suite_add_tcase(suite, tests);
  return suite;
}
