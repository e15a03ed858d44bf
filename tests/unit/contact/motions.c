// unit_motions.c: how many motions and loads there are. Random planar contact sets: the engines event
// and stepping and the problem friction_modes report as many as the enumeration of all modes on the
// mechanism's own matrices; a block in a slot and an off-centre table; and what run.select takes. Contacts in space: motions_space.c.
#include "rigid.h"

#include "complement/complement.h"
#include "planar_modes.h"
#include "solved.h"

// ---- Random sets: a body in the plane x-z, at rest, on round feet against walls of any slope

enum { FEET = 3, MOST = 64 };

typedef struct stand {
  int n;
  double at[FEET][2], normal[FEET]; // feet, and the angles of the walls' normals
  double mu, gravity[2];
} stand;

static const double MASS = 2, INERTIA = 0.3, FOOT = 0.1;

static stand random_stand(rng *r)
{
  stand s = {.n = 1 + rng_int(r, FEET), .mu = rng_in(r, 0.1, 1.2)};
  double down = rng_in(r, 0, 6.28);
  s.gravity[0] = 9.81 * cos(down);
  s.gravity[1] = 9.81 * sin(down);
  for (int i = 0; i < s.n; i++) {
    s.at[i][0] = rng_in(r, -1, 1);
    s.at[i][1] = rng_in(r, -1, 1);
    s.normal[i] = rng_in(r, 0, 6.28);
  }
  return s;
}

static int write_stand(const stand *s, const char *engine, char *text, size_t size)
{
  int used = snprintf(text, size,
                      "world: {gravity: [%.17g, 0, %.17g]}\n"
                      "bodies: [{name: b, mass: %.17g, inertia: [1, %.17g, 1, 0, 0, 0]}]\n"
                      "joints: [{kind: planar, normal: [0, -1, 0], child: b}]\nshapes:\n",
                      s->gravity[0], s->gravity[1], MASS, INERTIA);
  for (int i = 0; i < s->n; i++) {
    double n[2] = {cos(s->normal[i]), sin(s->normal[i])};
    used += snprintf(text + used, size - (size_t)used,
                     "  - {name: f%d, body: b, kind: sphere, radius: %g, at: [%.17g, 0, %.17g]}\n"
                     "  - {name: w%d, body: world, kind: plane, at: [%.17g, 0, %.17g], rpy: [0, "
                     "%.17g, 0]}\n",
                     i, FOOT, s->at[i][0], s->at[i][1], i, s->at[i][0] - FOOT * n[0],
                     s->at[i][1] - FOOT * n[1], atan2(n[0], n[1]));
  }
  used += snprintf(text + used, size - (size_t)used, "contacts:\n");
  for (int i = 0; i < s->n; i++) {
    used +=
        snprintf(text + used, size - (size_t)used,
                 "  - {name: c%d, body: b, against: world, shape: f%d, against_shape: w%d, law: "
                 "newton, e: 0, friction: dry, mu_s: %.17g, mu_k: %.17g}\n",
                 i, i, i, s->mu, s->mu);
  }
  return used + snprintf(text + used, size - (size_t)used,
                         "run: {until: 1e-3, %s}\nrecord: {every: 1e-3}\n", engine);
}

static int write_rows(char *text, size_t size, const char *key, const double *J, int n)
{
  int used = snprintf(text, size, ", %s: [", key);
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < n; i++) {
      used += snprintf(text + used, size - (size_t)used, "%s%.17g",
                       i == 0 ? k == 0 ? "[" : ", [" : ", ", J[3 * i + k]);
    }
    used += snprintf(text + used, size - (size_t)used, "]");
  }
  return used + snprintf(text + used, size - (size_t)used, "]");
}

// The number that `routh solve` has for the same matrices
static int count_by_solve(const planar_problem *q)
{
  char text[TEXT_MAX];
  int used =
      snprintf(text, sizeof text,
               "- {id: set, kind: friction_modes, inputs: {M: [[%.17g, 0, 0], [0, %.17g, 0], "
               "[0, 0, %.17g]], b: [%.17g, %.17g, 0], mu_s: %.17g",
               q->M[0], q->M[4], q->M[8], q->b[0], q->b[1], q->mu_s[0]);
  used += write_rows(text + used, sizeof text - (size_t)used, "Jn", q->Jn, q->n);
  used += write_rows(text + used, sizeof text - (size_t)used, "Jt", q->Jt, q->n);
  used += snprintf(text + used, sizeof text - (size_t)used, "}}\n");
  ck_assert_int_lt(used, TEXT_MAX);
  solved s = solve(text);
  int count = (int)number(&s, "set", "n_distinct");
  done(&s);
  return count;
}

// By the matrices of the mechanism: coordinates x, z and the angle about -y
static int count_modes(const stand *s, bool *continuum, bool *determinate)
{
  double M[9] = {MASS, 0, 0, 0, MASS, 0, 0, 0, INERTIA};
  double b[3] = {MASS * s->gravity[0], MASS * s->gravity[1], 0};
  double J[2][3 * FEET];
  double none[FEET] = {0};
  double mu[FEET];
  int slip[FEET] = {0};
  for (int i = 0; i < s->n; i++) {
    double n[2] = {cos(s->normal[i]), sin(s->normal[i])};
    double r[2] = {s->at[i][0] - FOOT * n[0], s->at[i][1] - FOOT * n[1]};
    double t[2] = {n[1], -n[0]};
    mu[i] = s->mu;
    for (int k = 0; k < 2; k++) {
      const double *d = k == 0 ? n : t;
      J[k][3 * i] = d[0];
      J[k][3 * i + 1] = d[1];
      J[k][3 * i + 2] = r[0] * d[1] - r[1] * d[0];
    }
  }
  const planar_problem q = {3, s->n, M, b, J[0], J[1], none, none, mu, mu, slip};
  double *room = calloc(planar_room(3, MOST), sizeof *room);
  planar_answer *answer = calloc(MOST, sizeof *answer);
  int count = find_planar_modes(&q, room, answer, MOST, continuum);
  *determinate = count == 0 || answer[0].determinate;
  ck_assert_int_eq(count_by_solve(&q), count);
  free(room);
  free(answer);
  return count;
}

// Motions and free directions of the load that a run reports; 1 and 0 where it reports none
static void run_stand(const stand *s, const char *engine, int found[2])
{
  char text[TEXT_MAX];
  ck_assert_int_lt(write_stand(s, engine, text, sizeof text), TEXT_MAX);
  play("%s", text);
  found[0] = 1;
  found[1] = 0;
  for (int k = 0; k < told.n && k < TALE_MAX; k++) {
    const rh_event *e = &told.at[k].e;
    found[0] = e->kind == RH_EVENT_NOT_UNIQUE ? (int)e->after : found[0];
    found[1] = e->kind == RH_EVENT_UNDETERMINED ? (int)e->after : found[1];
  }
}

START_TEST(random_sets)
{
  rng r = {1991};
  int several = 0;
  int shared = 0;
  for (int trial = 0; trial < 200; trial++) {
    stand s = random_stand(&r);
    bool continuum;
    bool determinate;
    int count = count_modes(&s, &continuum, &determinate);
    if (count == 0) { // none: an impact without collision follows
      continue;
    }
    int event[2];
    int steps[2];
    run_stand(&s, FINE, event);
    run_stand(&s, "engine: stepping, dt: 1e-3", steps);
    ck_assert_msg(event[0] == count && steps[0] == count,
                  "trial %d: %d motions, event %d, stepping %d", trial, count, event[0], steps[0]);
    if (count == 1 && !continuum) {
      ck_assert_msg(event[1] == steps[1] && (event[1] == 0) == determinate,
                    "trial %d: free directions of the load: event %d, stepping %d, determinate %d",
                    trial, event[1], steps[1], determinate);
      shared += event[1] > 0;
    }
    several += count > 1 || continuum;
  }
  (void)printf("200 sets: %d with several motions, %d with a load that is not determined\n",
               several, shared);
  ck_assert_int_gt(several, 0);
  ck_assert_int_gt(shared, 0);
}

END_TEST

// ---- A slot and a table

#define SLOT                                                                                       \
  "bodies: [{name: b, mass: 1}]\n"                                                                 \
  "joints: [{name: b, kind: planar, child: b, normal: [0, -1, 0]}]\n"                              \
  "shapes: [{body: b, kind: box, size: [0.1, 0.1, 0.1]}, {body: world, kind: plane, at: [-0.05, "  \
  "0, 0], rpy: [0, 1.5707963267948966, 0]}, {body: world, kind: plane, at: [0.05, 0, 0], rpy: "    \
  "[0, "                                                                                           \
  "-1.5707963267948966, 0]}]\n"                                                                    \
  "contacts: [{name: w, body: b, against: world, law: newton, e: 0, friction: dry, mu_s: 0.5, "    \
  "mu_k: 0.5}]\nrun: {until: 0.1, %s}\n"
#define TABLE                                                                                      \
  "bodies: [{name: t, mass: 4, com: [0.17, 0.10, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}]\n"        \
  "joints: [{name: t, kind: free, child: t, q: [0, 0, 0.05, 1, 0, 0, 0]}]\n"                       \
  "shapes: [{body: world, kind: plane}, {body: t, kind: box, size: [0.4, 0.3, 0.1]}]\n"            \
  "contacts: [{name: f, body: t, against: world, law: newton, e: 0}]\nrun: {until: 0.2, %s}\n"

static double reported_count(rh_event_kind kind)
{
  double after = 0;
  for (int k = 0; k < told.n && k < TALE_MAX; k++) {
    after = told.at[k].e.kind == kind ? told.at[k].e.after : after;
  }
  return after;
}

// The same as problems: the slot by coordinates x, z, turn and two corners on each wall; the table by its
// height and turns, corners relative to the centre of mass
#define PROBLEMS                                                                                   \
  "- {id: slot, kind: friction_modes, inputs: {M: [[1, 0, 0], [0, 1, 0], [0, 0, "                  \
  "0.0016666666666666668]], b: [0, -9.81, 0], Jn: [[1, 1, -1, -1], [0, 0, 0, 0], [-0.05, 0.05, "   \
  "0.05, -0.05]], Jt: [[0, 0, 0, 0], [-1, -1, 1, 1], [0.05, 0.05, 0.05, 0.05]], mu_s: 0.5}}\n"     \
  "- {id: table, kind: lcp_frictionless, inputs: {M: [[4, 0, 0], [0, 0.1, 0], [0, 0, 0.1]], b: "   \
  "[-39.24, 0, 0], G: [[1, 1, 1, 1], [0.05, 0.05, -0.25, -0.25], [-0.03, 0.37, -0.03, 0.37]]}}\n"

// Motions, and free directions of the load: event, stepping and `routh solve` agree.
START_TEST(slot_and_table)
{
  solved s = solve(PROBLEMS);
  double count = number(&s, "slot", "n_distinct");
  double free_directions = number(&s, "table", "free");
  done(&s);
  static const char *const engine[] = {"engine: event", "engine: stepping, dt: 1e-3"};
  double motions[2];
  for (int i = 0; i < 2; i++) {
    play(SLOT, engine[i]);
    motions[i] = reported_count(RH_EVENT_NOT_UNIQUE);
    // It falls without a load; but as it slides, walls that press and brake it are a motion, too: of the loads of 8 points two can be told apart, by the
    // force across and the moment. Time stepping has reported it with `several`.
    near_abs(reported_count(RH_EVENT_UNDETERMINED), i == 0 ? 8 - 2 : 0, 0);
    play(TABLE, engine[i]);
    near_abs(reported_count(RH_EVENT_NOT_UNIQUE), 0, 0); // without friction it is unique
    near_abs(reported_count(RH_EVENT_UNDETERMINED), free_directions, 0);
    near_abs(motions[i], count, 0);
  }
  near_abs(count, 2, 0); // it falls, or is held
  near_abs(free_directions, 1, 0);
}

END_TEST

// ---- Choices

START_TEST(select_stop)
{
  static const char *const engine[] = {"engine: event, select: stop",
                                       "engine: stepping, dt: 1e-3, select: stop"};
  for (int i = 0; i < 2; i++) {
    char text[TEXT_MAX];
    rh_diag *diag = rh_diag_create();
    rh_scene *scene = NULL;
    (void)snprintf(text, sizeof text, SLOT, engine[i]);
    ck_assert_int_eq(rh_scene_parse(text, strlen(text), "f", NULL, 0, diag, &scene), RH_OK);
    rh_diag_destroy(diag);
    rh_model *model = model_of(scene);
    tell(model);
    rh_model_destroy(model);
    ck_assert_msg(told.status != RH_OK && strstr(told.reason, "run.select: stop") != NULL, "%s: %s",
                  engine[i], told.reason);
  }
}

END_TEST

// Painleve's rod slides where two motions fit: it leaves the ground, or is pressed on it.
#define PAINLEVE                                                                                   \
  "bodies: [{name: rod, mass: 1, inertia: [0.3333333333333333, 0.3333333333333333, "               \
  "0.3333333333333333, 0, 0, 0]}]\n"                                                               \
  "joints: [{kind: planar, normal: [0, -1, 0], child: rod, q: [0, 0.8944271909999159, 0], v: "     \
  "[-1, "                                                                                          \
  "0, 0]}]\n"                                                                                      \
  "shapes: [{body: world, kind: plane}, {body: rod, kind: sphere, radius: 0.01, at: "              \
  "[-0.4472135954999579, 0, -0.8844271909999159]}]\n"                                              \
  "contacts: [{name: c, body: rod, against: world, law: newton, e: 0, friction: dry, mu_s: 1.6, "  \
  "mu_k: 1.6}]\nforces: [{name: up, body: rod, force: [0, 0, 15]}]\n"                              \
  "run: {until: 1e-3, " FINE ", select: %s}\n"

START_TEST(select_motion)
{
  play(PAINLEVE, "least-norm");
  ck_assert_int_eq((int)reported_count(RH_EVENT_NOT_UNIQUE), 2);
  double leaves = told.q[1];
  play(PAINLEVE, "stiff-limit"); // springs without load: nothing presses it
  near_abs(told.q[1], leaves, 1e-12);
  play(PAINLEVE, "largest-dissipation");
  ck_assert_msg(fabs(told.v[0] - -1) > 1e-2, "it is braked: %g", told.v[0]);
  ck_assert_int_eq(told.slides, 1);
}

END_TEST

Suite *rh_suite_unit_motions(void)
{
  Suite *suite = suite_create("unit_motions");
  TCase *tests = tcase_create("motions");
  tcase_add_test(tests, random_sets);
  tcase_add_test(tests, slot_and_table);
  tcase_add_test(tests, select_stop);
  tcase_add_test(tests, select_motion);
  suite_add_tcase(suite, tests);
  return suite;
}
