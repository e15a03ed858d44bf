// ref_sphere.c: the sphere of [AF] that bounces, slips, sticks and rolls, as a scene, against reference numbers that were
// integrated independently of this program (tests/data/sphere_runs.yaml: better than 1e-9 of each value). Every number of an
// entry is compared, each within the tolerance that stands beside it there; a number this file does not know is an error.
//
// Where the forces are largest is found by looking every 2 microseconds, and at every event because a force may have its
// peak at a kink; a parabola through three looks then is good to 1e-6 of the force and to 0.1 microseconds.
#include "contact_scenes.h"
#include "reference.h"

#include <stdlib.h>

#define IMPACTS 16
#define CHANGES 16
#define LOOKS   60000

static const double LOOK = 2e-6;
static const double RADIUS = 0.0165;

// ---- The run

typedef struct change {
  rh_event_kind kind; // MARK: the normal force fell to zero
  double t;
} change;

typedef struct impact {
  double t, v_in, v_out;
  change change[CHANGES];
  int nchange;
} impact;

typedef struct story {
  impact impact[IMPACTS];
  int n;
  double Kn, Dn;
  double drift; // [J] largest residue at any frame
} story;

static rh_status keep_event(void *user, const rh_sim *sim, const rh_event *e)
{
  story *s = user;
  (void)sim;
  if (e->kind == RH_EVENT_TOUCH) {
    ck_assert_int_lt(s->n, IMPACTS);
    s->impact[s->n++] = (impact){.t = e->t, .v_in = e->before};
    return RH_OK;
  }
  ck_assert_int_gt(s->n, 0);
  impact *now = &s->impact[s->n - 1];
  ck_assert_int_lt(now->nchange, CHANGES);
  now->change[now->nchange++] = (change){e->kind, e->t};
  if (e->kind == RH_EVENT_SEPARATE) {
    now->v_out = -e->before;
  }
  return RH_OK;
}

static rh_status keep_drift(void *user, const rh_sim *sim, long index)
{
  story *s = user;
  (void)index;
  s->drift = fmax(s->drift, fabs(rh_sim_ledger(sim).residue));
  return RH_OK;
}

// The law's force, not yet kept from pulling, over the root of the depth: falls through zero where the force ends. [AF] eq. 14
static double unclamped(void *user, const rh_data *d)
{
  const story *s = user;
  return d->contact[0].on && d->contact[0].depth > 0
             ? s->Kn * d->contact[0].depth + s->Dn * d->contact[0].rate
             : 1;
}

static rh_model *sphere_model(const book *b, int entry, double until)
{
  int in = part_of(b, entry, "inputs");
  rh_scene *scene = rh_scene_create();
  set_gravity(scene, rh_v3(0, 0, -given(b, in, "gravity_m_per_s2")));
  double mass = given(b, in, "mass_kg");
  ck_assert(given(b, in, "radius_m") == RADIUS);
  start s = {.at = {0, 0, RADIUS + given(b, in, "release_height_of_bottom_m")},
             .v = {number_of(b, in, "v_x0_m_per_s", 0), number_of(b, in, "v_y0_m_per_s", 0), 0}};
  put_floor(scene);
  put_ball(scene, "ball", mass, RADIUS, &s);
  near_rel(number_of(b, in, "inertia_kg_m2", 0.4 * mass * RADIUS * RADIUS),
           0.4 * mass * RADIUS * RADIUS, 1e-12);
  bool rough = rh_yaml_find(&b->tree, in, "mu") != RH_NONE;
  rh_contact_def c =
      contact_of("ball", "world", "azad-featherstone", rough ? "azad-featherstone" : "none");
  set_law(&c, "Kn", given(b, in, "Kn"));
  set_law(&c, "Dn", given(b, in, "Dn"));
  if (rough) {
    int gate = rh_yaml_find(&b->tree, in, "viscous_friction_where_normal_force_is_zero");
    set_friction(&c, "Kt", given(b, in, "Kt"));
    set_friction(&c, "Dt", given(b, in, "Dt"));
    set_friction(&c, "mu", given(b, in, "mu"));
    set_friction(&c, "Cv", given(b, in, "Cv_N_s_per_m"));
    set_friction(&c, "viscous",
                 gate != RH_NONE && strcmp(rh_yaml_text(&b->tree, gate), "false") == 0);
  }
  put_contact(scene, &c);
  // The total of 0.2 J is compared to 1e-9 of itself at the end of some ten thousand steps, which takes 1e-12. The
  // tangential spring is bent by micrometres, 1e-9 m of which are compared: 1e-14 is far below.
  set_tolerance(scene, until, 1e-12, 1e-14);
  return model_of(scene);
}

static void tell_story(const book *b, int entry, const rh_model *model, story *s)
{
  int in = part_of(b, entry, "inputs");
  rh_sim *sim = sim_of(model);
  *s = (story){.Kn = given(b, in, "Kn"), .Dn = given(b, in, "Dn")};
  rh_guard guard = {.name = "force zero", .user = s, .direction = -1, .value = unclamped};
  rh_observer observer = {s, keep_drift, keep_event, NULL};
  ck_assert_int_eq(rh_sim_add_guard(sim, &guard), RH_OK);
  rh_sim_observe(sim, &observer);
  run_to(sim, model->run.until);
  rh_sim_destroy(sim);
}

// ---- Looks: the state at given times, from a second run of the same model

typedef struct seen {
  double t;
  double c[3], v[3], spin[3];
  double slip[2]; // velocity of the sphere's lowest point
  double normal, friction[2], u[2], depth;
  double body, spring, damper, drag, slide, spring33, recoverable, total;
} seen;

static seen look_at(rh_sim *sim)
{
  const rh_data *d = rh_sim_view(sim);
  rh_ledger l = rh_sim_ledger(sim);   // brings con up to date
  double work[RH_CONTACT_WORK_COUNT]; // of the contact now, and of those before
  for (int i = 0; i < RH_CONTACT_WORK_COUNT; i++) {
    work[i] = d->s[RH_SLOT_WORK + i] + d->past[i];
  }
  seen x = {.t = *d->t,
            .normal = d->contact[0].normal,
            .friction = {d->contact[0].friction[0], d->contact[0].friction[1]},
            .u = {d->s[0], d->s[1]},
            .depth = d->contact[0].depth,
            .body = l.kinetic + l.potential,
            .spring = d->contact[0].stored,
            .damper = work[RH_CONTACT_DAMPER],
            .drag = work[RH_CONTACT_DRAG],
            .slide = work[RH_CONTACT_SLIDE],
            .spring33 = work[RH_CONTACT_SPRING],
            .recoverable = d->contact[0].recoverable};
  memcpy(x.c, d->q, sizeof x.c);
  memcpy(x.v, d->v, sizeof x.v);
  memcpy(x.spin, d->v + 3, sizeof x.spin);
  x.slip[0] = x.v[0] - RADIUS * x.spin[1];
  x.slip[1] = x.v[1] + RADIUS * x.spin[0];
  x.total = x.body + x.spring + x.damper + x.drag + x.slide + x.spring33;
  return x;
}

static int ascending(const void *a, const void *b)
{
  const double *x = a;
  const double *y = b;
  return (*x > *y) - (*x < *y);
}

typedef struct looks {
  double t[LOOKS];
  seen seen[LOOKS];
  int n;
} looks;

static void want(looks *l, double t)
{
  ck_assert_int_lt(l->n, LOOKS);
  l->t[l->n++] = t;
}

static void look_around(const rh_model *model, looks *l)
{
  rh_sim *sim = sim_of(model);
  qsort(l->t, (size_t)l->n, sizeof *l->t, ascending);
  for (int i = 0; i < l->n; i++) {
    run_to(sim, l->t[i]);
    l->seen[i] = look_at(sim);
  }
  rh_sim_destroy(sim);
}

static const seen *seen_at(const looks *l, double t)
{
  for (int i = 0; i < l->n; i++) {
    if (l->t[i] == t) {
      return &l->seen[i];
    }
  }
  ck_abort_msg("nobody looked at %.17g s", t);
  return NULL;
}

static double exit_of(const impact *x)
{
  for (int i = 0; i < x->nchange; i++) {
    if (x->change[i].kind == RH_EVENT_SEPARATE) {
      return x->change[i].t;
    }
  }
  return HUGE_VAL;
}

static double apex_of(const impact *x, double g)
{
  return exit_of(x) + x->v_out / g;
}

static const double series_every = 0.05;
static const double first_every = 2e-4;

static looks *plan(const story *s, double until, double g, int impacts)
{
  looks *l = calloc(1, sizeof *l);
  for (int i = 0; i <= 20; i++) {
    want(l, fmin(i * series_every, until));
  }
  for (int i = 1; i <= 12; i++) {
    want(l, s->impact[0].t + i * first_every);
  }
  for (int i = 0; i < impacts; i++) {
    const impact *x = &s->impact[i];
    for (double t = x->t; t < exit_of(x); t += LOOK) {
      want(l, t);
    }
    for (int k = 0; k < x->nchange; k++) {
      want(l, x->change[k].t);
    }
    want(l, apex_of(x, g));
  }
  return l;
}

// ---- Largest values

static double normal_of(const seen *x)
{
  return x->normal;
}

static double friction_of(const seen *x)
{
  return hypot(x->friction[0], x->friction[1]);
}

static double friction_x_of(const seen *x)
{
  return fabs(x->friction[0]);
}

// Largest value between two times, and when. A parabola through the look and its neighbours lies on top only where they
// have about the distance they should; beside an event the look itself is the answer.
static double largest(const looks *l, double from, double to, double (*value)(const seen *),
                      double *when)
{
  int top = -1;
  for (int i = 1; i < l->n - 1; i++) {
    if (l->t[i] > from && l->t[i] < to && (top < 0 || value(&l->seen[i]) > value(&l->seen[top]))) {
      top = i;
    }
  }
  ck_assert_int_gt(top, 0);
  double h = l->t[top] - l->t[top - 1];
  double y[3] = {value(&l->seen[top - 1]), value(&l->seen[top]), value(&l->seen[top + 1])};
  *when = l->t[top];
  if (fabs(h - LOOK) > 1e-9 || fabs(l->t[top + 1] - l->t[top] - LOOK) > 1e-9) {
    return y[1];
  }
  double slope = (y[2] - y[0]) / 2;
  double bend = y[2] - 2 * y[1] + y[0];
  *when += bend < 0 ? -h * slope / bend : 0;
  return bend < 0 ? y[1] - slope * slope / (2 * bend) : y[1];
}

// ---- Comparing

static const char *word_of(rh_event_kind kind)
{
  return kind == RH_EVENT_STICK      ? "stick"
         : kind == RH_EVENT_SLIP     ? "slip"
         : kind == RH_EVENT_SEPARATE ? "exit"
                                     : "force zero";
}

static void meet_changes(const book *b, int list, const impact *x)
{
  int k = 0;
  for (int node = b->tree.node[list].first; node != RH_NONE; node = b->tree.node[node].next, k++) {
    const char *kind = rh_yaml_text(&b->tree, part_of(b, node, "kind"));
    ck_assert_msg(k < x->nchange, "impact at %.9f s: %s is missing", x->t, kind);
    ck_assert_msg(strcmp(kind, word_of(x->change[k].kind)) == 0,
                  "impact at %.9f s: change %d is %s at +%.9f, want %s", x->t, k,
                  word_of(x->change[k].kind), x->change[k].t - x->t, kind);
    meet(b, part_of(b, node, "after_touchdown_s"), kind, x->change[k].t - x->t);
  }
  ck_assert_msg(k == x->nchange, "impact at %.9f s: %s at +%.9f is too many", x->t,
                word_of(x->change[k].kind), x->change[k].t - x->t);
}

static void meet_impact(const book *b, int node, const looks *l, const impact *x, double g)
{
  double when = 0;
  double friction_when = 0;
  double out = exit_of(x);
  double normal = largest(l, x->t, out, normal_of, &when);
  double friction = largest(l, x->t, out, friction_of, &friction_when);
  double friction_x = largest(l, x->t, out, friction_x_of, &friction_when);
  const seen *after = seen_at(l, out);
  const answer a[] = {
      {"time_s", x->t},
      {"v_in_m_per_s", x->v_in},
      {"e", x->v_out / x->v_in},
      {"peak_normal_force_N", normal},
      {"time_of_peak_normal_after_touchdown_s", when - x->t},
      {"apex_bottom_height_after_m", seen_at(l, apex_of(x, g))->c[2] - RADIUS},
      {"peak_friction_magnitude_N", friction},
      {"peak_abs_friction_x_N", friction_x},
      {"v_x_after_m_per_s", after->v[0]},
      {"v_y_after_m_per_s", after->v[1]},
      {"omega_x_after_rad_per_s", after->spin[0]},
      {"omega_y_after_rad_per_s", after->spin[1]},
      {"Vsph_x_after_m_per_s", after->slip[0]},
      {"Vsph_y_after_m_per_s", after->slip[1]},
  };
  char where[64];
  (void)snprintf(where, sizeof where, "impact at %.4f s:", x->t);
  meet_all(b, node, where, a, RH_COUNT(a));
  meet_changes(b, part_of(b, node, "changes"), x);
}

static void meet_energies(const book *b, int map, const char *where, const seen *x)
{
  const answer a[] = {
      {"body", x->body},
      {"normal_spring", x->spring},
      {"normal_damper", x->damper},
      {"tangential_damper", x->drag},
      {"clutch", x->slide},
      {"tangential_spring_eq33", x->spring33},
      {"total", x->total},
      {"tangential_spring_recoverable", x->recoverable},
  };
  meet_all(b, map, where, a, RH_COUNT(a));
}

static double column_of(const seen *x, const char *key, double t0)
{
  const answer a[] = {
      {"time_s", x->t},
      {"after_touchdown_s", x->t - t0},
      {"bottom_height_m", x->c[2] - RADIUS},
      {"c_x_m", x->c[0]},
      {"c_y_m", x->c[1]},
      {"v_x_m_per_s", x->v[0]},
      {"v_y_m_per_s", x->v[1]},
      {"Vsph_x_m_per_s", x->slip[0]},
      {"Vsph_y_m_per_s", x->slip[1]},
      {"normal_force_N", x->normal},
      {"friction_x_N", x->friction[0]},
      {"friction_y_N", x->friction[1]},
      {"u_x_m", x->u[0]},
      {"u_y_m", x->u[1]},
  };
  for (int i = 0; i < RH_COUNT(a); i++) {
    if (strcmp(a[i].key, key) == 0) {
      return a[i].value;
    }
  }
  ck_abort_msg("column %s: nothing to compare with", key);
  return 0;
}

// A table of columns whose row k was seen at t0 + first + k * every.
typedef struct table {
  double t0, first, every;
} table;

static void meet_table(const book *b, int node, const looks *l, table at)
{
  int columns = part_of(b, node, "columns");
  int tolerance = part_of(b, node, "tolerance");
  for (int c = b->tree.node[columns].first; c != RH_NONE; c = b->tree.node[c].next) {
    const char *key = rh_yaml_text(&b->tree, b->tree.node[c].key);
    int tol = rh_yaml_find(&b->tree, tolerance, key);
    double allowed = 1e-12; // the times themselves
    ck_assert(tol == RH_NONE || sscanf(rh_yaml_text(&b->tree, tol), "abs %lf", &allowed) == 1);
    int k = 0;
    for (int row = b->tree.node[c].first; row != RH_NONE; row = b->tree.node[row].next, k++) {
      double t = at.t0 + (at.first + k) * at.every;
      char what[80];
      char why[RH_TEST_WHY_MAX];
      double got = column_of(seen_at(l, t), key, at.t0);
      double wanted = number(b, row);
      (void)snprintf(what, sizeof what, "%s at %.4f s", key, t);
      if (!rh_test_near(what, &got, &wanted, 1, (double[2]){allowed, 0}, why)) {
        ck_abort_msg("%s", why);
      }
    }
    ck_assert_int_gt(k, 10);
  }
}

// ---- Tests

static void meet_run(const book *b, const char *id)
{
  int entry = entry_of(b, id);
  int in = part_of(b, entry, "inputs");
  int expected = part_of(b, entry, "expected");
  int impacts = part_of(b, expected, "impacts");
  double g = given(b, in, "gravity_m_per_s2");
  double until = given(b, in, "end_time_s");
  story s;
  rh_model *model = sphere_model(b, entry, until);
  tell_story(b, entry, model, &s);
  ck_assert_int_eq(s.n, (int)given(b, expected, "touchdowns_until_sustained_contact"));
  ck_assert(s.drift <= given(b, expected, "audit_drift_allowed_J"));
  ck_assert_msg(s.drift < 1e-9, "the energy account drifts by %g J", s.drift);
  looks *l = plan(&s, until, g, b->tree.node[impacts].count);
  look_around(model, l);
  int k = 0;
  for (int node = b->tree.node[impacts].first; node != RH_NONE; node = b->tree.node[node].next) {
    meet_impact(b, node, l, &s.impact[k++], g);
  }
  const seen *end = seen_at(l, until);
  const answer a[] = {
      {"time_of_last_touchdown_s", s.impact[s.n - 1].t},
      {"static_penetration_m", end->depth},
      {"total_energy_J", end->total},
      {"final_v_x_m_per_s", end->v[0]},
      {"final_v_y_m_per_s", end->v[1]},
      {"final_c_x_m", end->c[0]},
      {"final_c_y_m", end->c[1]},
      {"rolling_rule_v_x_m_per_s", 5.0 / 7 * number_of(b, in, "v_x0_m_per_s", 0)},
      {"rolling_rule_v_y_m_per_s", 5.0 / 7 * number_of(b, in, "v_y0_m_per_s", 0)},
  };
  meet_all(b, expected, id, a, RH_COUNT(a));
  meet_energies(b, part_of(b, expected, "energy_after_first_impact_J"), "after the first impact",
                seen_at(l, exit_of(&s.impact[0])));
  meet_energies(b, part_of(b, expected, "energy_at_end_J"), "at the end", end);
  meet_table(b, part_of(b, expected, "series"), l, (table){0, 0, series_every});
  int first = rh_yaml_find(&b->tree, expected, "first_contact");
  if (first != RH_NONE) {
    meet_table(b, first, l, (table){s.impact[0].t, 1, first_every});
    // Rolling without slip ends at 5/7 of the speed, whatever the law: angular momentum about the line it touches.
    near_abs(end->v[0], 5.0 / 7 * 0.5, 1e-6);
    near_abs(end->v[1], 5.0 / 7 * 0.5, 1e-6);
  }
  free(l);
  rh_model_destroy(model);
}

static const char *const runs[] = {"sphere_bounce_10cm", "sphere_roll_com10cm_no_viscous",
                                   "sphere_roll_com10cm_viscous_as_printed",
                                   "sphere_roll_com10cm_viscous_gated",
                                   "sphere_roll_bottom10cm_viscous_as_printed"};

START_TEST(whole_runs)
{
  book *b = book_open(ROUTH_SOURCE_DIR "/tests/data/sphere_runs.yaml");
  meet_run(b, runs[_i]);
  book_close(b);
}

END_TEST

static const char *const active[] = {"not_passive_Dt3.1_mu50", "not_passive_Dt31_mu5"};

// One impact of a law that is known to add energy: the motion of the contact point has more after it than before.
START_TEST(energy_added)
{
  book *b = book_open(ROUTH_SOURCE_DIR "/tests/data/sphere_runs.yaml");
  int entry = entry_of(b, active[_i]);
  story s;
  rh_model *model = sphere_model(
      b, entry, 0.2); // the first impact is over at 0.133 s, the second at 0.29 s begins
  tell_story(b, entry, model, &s);
  ck_assert_int_eq(s.n, 1);
  looks *l = calloc(1, sizeof *l);
  want(l, 0);
  want(l, exit_of(&s.impact[0]));
  look_around(model, l);
  const seen *before = &l->seen[0];
  const seen *after = &l->seen[1];
  // The rest of the tangential energy, that of rolling, is bound by angular momentum: 7/10 m (5/7 v0)^2.
  double mass = 0.154;
  double rolling = 0.7 * mass * pow(5.0 / 7 * before->v[0], 2);
  double energy[2];
  for (int i = 0; i < 2; i++) {
    const seen *x = &l->seen[i];
    energy[i] = 0.5 * mass * (x->v[0] * x->v[0] + 0.4 * pow(RADIUS * x->spin[1], 2)) - rolling;
  }
  const answer a[] = {
      {"contact_point_velocity_ratio", fabs(after->slip[0] / before->slip[0])},
      {"tangential_energy_ratio", energy[1] / energy[0]},
      {"tangential_spring_eq33_J", after->spring33},
      {"tangential_damper_J", after->drag},
      {"clutch_J", after->slide},
  };
  meet_all(b, part_of(b, entry, "expected"), active[_i], a, RH_COUNT(a));
  ck_assert(energy[1] > energy[0]);
  near_abs(after->total, before->total,
           1e-9); // the account closes all the same: its own line went below zero
  free(l);
  rh_model_destroy(model);
  book_close(b);
}

END_TEST

// Behind the tenth touchdown nothing happens any more: the sphere stands where spring and weight agree.
START_TEST(rest)
{
  book *b = book_open(ROUTH_SOURCE_DIR "/tests/data/sphere_runs.yaml");
  int entry = entry_of(b, "sphere_bounce_10cm");
  story s;
  rh_model *model = sphere_model(b, entry, 20);
  tell_story(b, entry, model, &s);
  ck_assert_int_eq(s.n, 10);
  ck_assert_int_eq(s.impact[9].nchange, 0); // no chatter
  looks *l = calloc(1, sizeof *l);
  for (int i = 2; i <= 20; i++) {
    want(l, i);
  }
  look_around(model, l);
  double still = pow(0.154 * 9.81 / 8.5e6, 2.0 / 3); // Kn z^1.5 = m g
  for (int i = 0; i < l->n; i++) {
    // The last swing has died down by exp(-20) at 2 s. What remains is what the integrator may leave: its absolute
    // tolerance, 1e-13 in each of a few thousand steps.
    near_abs(l->seen[i].depth, still, 1e-11);
    ck_assert(l->seen[i].c[0] == 0 && l->seen[i].c[1] == 0);
  }
  ck_assert_msg(s.drift < 1e-9, "the energy account drifts by %g J", s.drift);
  free(l);
  rh_model_destroy(model);
  book_close(b);
}

END_TEST

Suite *rh_suite_ref_sphere(void)
{
  Suite *suite = suite_create("ref_sphere");
  TCase *tests = tcase_create("sphere");
  tcase_add_loop_test(tests, whole_runs, 0, RH_COUNT(runs));
  tcase_add_loop_test(tests, energy_added, 0, RH_COUNT(active));
  tcase_add_test(tests, rest);
  suite_add_tcase(suite, tests);
  return suite;
}
