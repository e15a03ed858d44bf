// unit_motions_space.c: how many motions contacts in space have. Planar sets that are part of space
// have the planar number; random sets in space have the same number in the engines event and stepping,
// in the search of polyhedral.c on the mechanism's own matrices, and by trying every combination; a
// block in a slot and a table on free joints; small friction; and what run.select takes.
#include "rigid.h"

#include "complement/lp.h"
#include "complement/motions/cone_motions.h"
#include "planar_modes.h"

enum { FEET = 3, FACETS = 8, MOST = 64 };

static const double MASS = 2, FOOT = 0.1;
static const double INERTIA[3] = {0.3, 0.4, 0.5};

typedef struct stand { // a body at rest on round feet against walls
  int n;
  rh_vec3 at[FEET], normal[FEET];
  double mu;
  rh_vec3 gravity;
} stand;

static rh_vec3 random_direction(rng *r, bool planar)
{
  double angle = rng_in(r, 0, 6.28);
  double z = planar ? 0 : rng_in(r, -1, 1);
  double flat = sqrt(1 - z * z);
  return rh_v3(flat * cos(angle), z, flat * sin(angle));
}

static stand random_stand(rng *r, bool planar)
{
  stand s = {.n = 1 + rng_int(r, FEET), .mu = rng_in(r, 0.1, 1.2)};
  s.gravity = rh_scale(9.81, random_direction(r, planar));
  for (int i = 0; i < s.n; i++) {
    s.at[i] = rh_v3(rng_in(r, -1, 1), planar ? 0 : rng_in(r, -1, 1), rng_in(r, -1, 1));
    s.normal[i] = random_direction(r, planar);
  }
  return s;
}

// ---- By the matrices of the mechanism

typedef struct matrices {
  double W[9 * FEET * FEET], b[3 * FEET], mu[FEET];
  double axis[2 * FEET];
  bool flat[FEET];
} matrices;

static void contact_row(const stand *s, int r, double row[6])
{
  rh_vec3 n = s->normal[r / 3];
  rh_vec3 across = rh_cross(n, fabs(n.y) < 0.9 ? rh_v3(0, 1, 0) : rh_v3(1, 0, 0));
  rh_vec3 t1 = rh_scale(1 / rh_norm(across), across);
  rh_vec3 d = r % 3 == 0 ? t1 : r % 3 == 1 ? rh_cross(n, t1) : n;
  rh_vec3 m = rh_cross(rh_sub(s->at[r / 3], rh_scale(FOOT, n)), d);
  const double x[6] = {d.x, d.y, d.z, m.x, m.y, m.z};
  memcpy(row, x, sizeof x);
}

static void fill_matrices(const stand *s, matrices *m)
{
  int rows = 3 * s->n;
  const double g[3] = {s->gravity.x, s->gravity.y, s->gravity.z};
  for (int r = 0; r < rows; r++) {
    double x[6];
    contact_row(s, r, x);
    m->b[r] = x[0] * g[0] + x[1] * g[1] + x[2] * g[2];
    for (int k = 0; k < rows; k++) {
      double y[6];
      contact_row(s, k, y);
      m->W[r * rows + k] = 0;
      for (int i = 0; i < 6; i++) {
        m->W[r * rows + k] += x[i] * y[i] / (i < 3 ? MASS : INERTIA[i - 3]);
      }
    }
  }
  const rh_cone cone = {s->n, m->W, m->b, m->mu, NULL};
  for (int i = 0; i < s->n; i++) {
    m->mu[i] = s->mu;
    m->flat[i] = rh_cone_axis(&cone, i, m->axis + 2 * i);
  }
}

static rh_motion_count search_motions(const matrices *m, int n)
{
  const rh_polyhedral q = {.n = n,
                           .facets = FACETS,
                           .W = m->W,
                           .b = m->b,
                           .mu_s = m->mu,
                           .mu_k = m->mu,
                           .axis = m->axis,
                           .flat = m->flat,
                           .tries = 100000};
  double *scratch = malloc(rh_polyhedral_scratch(n, FACETS) * sizeof *scratch);
  rh_contact_motion *list = malloc(MOST * sizeof *list);
  rh_motion_count found = rh_polyhedral_find(&q, scratch, list, MOST);
  free(scratch);
  free(list);
  return found;
}

// ---- Every combination: 0 separate, 1 stick, then corners, then sides; points of the programmes that
// are possible, by their accelerations

typedef struct combination {
  int m, n;
  double E[18 * 64], e[18], push[64][3];
  int of[64];
} combination;

static void polygon_corner(const matrices *q, int i, double k, double d[2])
{
  double angle = 2 * acos(-1) * k / FACETS;
  const double *x = q->axis + 2 * i;
  d[0] = cos(angle) * x[0] - sin(angle) * x[1];
  d[1] = cos(angle) * x[1] + sin(angle) * x[0];
}

static void add_corner(const matrices *q, int i, int k, combination *c)
{
  double d[2];
  polygon_corner(q, i, k, d);
  c->of[c->n] = i;
  c->push[c->n][0] = q->mu[i] * d[0];
  c->push[c->n][1] = q->mu[i] * d[1];
  c->push[c->n++][2] = 1;
}

static void pose_combination(const matrices *q, int n, const int *mode, combination *c)
{
  int first[FEET + 1] = {0};
  memset(c, 0, sizeof *c);
  for (int i = 0; i < n; i++) {
    int k = mode[i] - 2;
    int corners = mode[i] == 0 ? 0 : mode[i] == 1 ? FACETS : k < FACETS ? 1 : 2;
    for (int j = 0; j < corners; j++) {
      add_corner(q, i, mode[i] == 1 ? j : k % FACETS + j, c);
    }
    first[i] = c->n;
    c->n += mode[i] == 0 ? 1 : mode[i] == 1 ? 0 : k < FACETS ? 2 : 1;
  }
  for (int r = 0; r < 3 * n; r++) {
    int i = r / 3;
    if (mode[i] == 0 && r % 3 < 2) {
      continue;
    }
    double *row = c->E + c->m * c->n;
    for (int j = 0; j < c->n; j++) {
      const double *w = q->W + r * 3 * n + 3 * c->of[j];
      row[j] = w[0] * c->push[j][0] + w[1] * c->push[j][1] + w[2] * c->push[j][2];
    }
    int k = mode[i] - 2;
    for (int j = 0; j < (mode[i] < 2 ? mode[i] == 0 : k < FACETS ? 2 : 1); j++) {
      double d[2] = {0, 0};
      polygon_corner(q, i, k < FACETS ? k - 0.5 + j : k % FACETS + 0.5, d);
      row[first[i] + j] = mode[i] == 0 ? -1 : r % 3 < 2 ? d[r % 3] : 0;
    }
    c->e[c->m++] = -q->b[r];
  }
}

// Number of different accelerations; -1: they are not determined somewhere
static int count_combinations(const matrices *q, int n)
{
  enum { MODES = 2 + 2 * FACETS };

  static double room[20000];
  double found[MOST][3 * FEET];
  int count = 0;
  int all = n == 1 ? MODES : MODES * MODES;
  for (int at = 0; at < all; at++) {
    const int mode[2] = {at % MODES, at / MODES};
    combination c;
    rh_lp lp;
    bool lost = false;
    double a[2][3 * FEET];
    pose_combination(q, n, mode, &c);
    if (!rh_lp_open(&lp, c.m, c.n, c.E, c.e, 1e-9, room, &lost)) {
      continue;
    }
    for (int side = 0; side < 2; side++) {
      double cost[64];
      double value;
      double x[64];
      for (int j = 0; j < c.n; j++) {
        cost[j] = (side == 0 ? 1 : -1) * (0.3 + sin(j));
      }
      if (rh_lp_least(&lp, cost, &value) == RH_LP_UNBOUNDED) {
        return -1; // of forces, or of accelerations
      }
      rh_lp_point(&lp, x);
      for (int r = 0; r < 3 * n; r++) {
        a[side][r] = q->b[r];
        for (int j = 0; j < c.n; j++) {
          const double *w = q->W + r * 3 * n + 3 * c.of[j];
          a[side][r] += x[j] * (w[0] * c.push[j][0] + w[1] * c.push[j][1] + w[2] * c.push[j][2]);
        }
      }
    }
    bool known = false;
    for (int r = 0; r < 3 * n; r++) {
      if (fabs(a[0][r] - a[1][r]) > 1e-6) {
        return -1;
      }
    }
    for (int k = 0; k < count && !known; k++) {
      known = true;
      for (int r = 0; r < 3 * n; r++) {
        known = known && fabs(a[0][r] - found[k][r]) < 1e-6;
      }
    }
    if (!known && count < MOST) {
      memcpy(found[count++], a[0], sizeof a[0]);
    }
  }
  return count;
}

// ---- By the engines

// Motions that a run reports; 1 where it reports none
static int run_stand(const stand *s, const char *engine)
{
  char text[TEXT_MAX];
  int used =
      snprintf(text, sizeof text,
               "world: {gravity: [%.17g, %.17g, %.17g]}\n"
               "bodies: [{name: b, mass: %.17g, inertia: [%g, %g, %g, 0, 0, 0]}]\n"
               "joints: [{kind: free, child: b}]\nshapes:\n",
               s->gravity.x, s->gravity.y, s->gravity.z, MASS, INERTIA[0], INERTIA[1], INERTIA[2]);
  for (int i = 0; i < s->n; i++) {
    rh_vec3 n = s->normal[i];
    rh_vec3 wall = rh_sub(s->at[i], rh_scale(FOOT, n));
    // the plane's normal z goes to n: by the angle from z about y, then about z
    used +=
        snprintf(text + used, sizeof text - (size_t)used,
                 "  - {name: f%d, body: b, kind: sphere, radius: %g, at: [%.17g, %.17g, %.17g]}\n"
                 "  - {name: w%d, body: world, kind: plane, at: [%.17g, %.17g, %.17g], rpy: [0, "
                 "%.17g, %.17g]}\n",
                 i, FOOT, s->at[i].x, s->at[i].y, s->at[i].z, i, wall.x, wall.y, wall.z,
                 atan2(hypot(n.x, n.y), n.z), atan2(n.y, n.x));
  }
  used += snprintf(text + used, sizeof text - (size_t)used, "contacts:\n");
  for (int i = 0; i < s->n; i++) {
    used +=
        snprintf(text + used, sizeof text - (size_t)used,
                 "  - {name: c%d, body: b, against: world, shape: f%d, against_shape: w%d, law: "
                 "newton, e: 0, friction: dry, mu_s: %.17g, mu_k: %.17g}\n",
                 i, i, i, s->mu, s->mu);
  }
  used += snprintf(text + used, sizeof text - (size_t)used,
                   "run: {until: 1e-3, examine: 8, %s}\nrecord: {every: 1e-3}\n", engine);
  ck_assert_int_lt(used, TEXT_MAX);
  play("%s", text);
  int found = 1;
  for (int k = 0; k < told.n && k < TALE_MAX; k++) {
    const rh_event *e = &told.at[k].e;
    found = e->kind == RH_EVENT_NOT_UNIQUE ? (int)e->after : found;
  }
  return found;
}

START_TEST(random_space)
{
  rng r = {1992};
  int several = 0;
  int compared = 0;
  for (int trial = 0; trial < rh_trials(200); trial++) {
    stand s = random_stand(&r, false);
    matrices m;
    fill_matrices(&s, &m);
    rh_motion_count found = search_motions(&m, s.n);
    ck_assert(found.complete);
    int all = s.n <= 2 ? count_combinations(&m, s.n) : -1;
    compared += all >= 0;
    ck_assert_msg(all < 0 || found.continuum || all == found.count,
                  "trial %d: %d motions, of all combinations %d", trial, found.count, all);
    if (found.count == 0) { // none: an impact without collision follows
      continue;
    }
    int event = run_stand(&s, FINE);
    int steps = run_stand(&s, "engine: stepping, dt: 1e-3");
    ck_assert_msg(event == found.count && steps == found.count,
                  "trial %d: %d motions%s, event %d, stepping %d", trial, found.count,
                  found.continuum ? " and others" : "", event, steps);
    several += found.count > 1;
  }
  (void)printf("sets in space: %d with several motions, %d compared with all combinations\n",
               several, compared);
  ck_assert_int_gt(several, 0);
  ck_assert_int_gt(compared, 0);
}

END_TEST

// A planar set on a free body: nothing drives it across the plane, so its motions are those in it.
START_TEST(planar_in_space)
{
  rng r = {1991};
  for (int trial = 0; trial < 200; trial++) {
    stand s = random_stand(&r, true);
    matrices m;
    fill_matrices(&s, &m);
    double J[2][3 * FEET];
    double M[9] = {MASS, 0, 0, 0, MASS, 0, 0, 0, INERTIA[1]};
    double b[3] = {MASS * s.gravity.x, MASS * s.gravity.z, 0};
    const double none[FEET] = {0};
    const int slip[FEET] = {0};
    for (int i = 0; i < s.n; i++) {
      double row[2][6];
      contact_row(&s, 3 * i + 2, row[0]);
      contact_row(&s, 3 * i, row[1]);
      for (int k = 0; k < 2; k++) {
        J[k][3 * i] = row[k][0];
        J[k][3 * i + 1] = row[k][2];
        J[k][3 * i + 2] = row[k][4];
      }
    }
    const planar_problem q = {3, s.n, M, b, J[0], J[1], none, none, m.mu, m.mu, slip};
    double *room = calloc(planar_room(3, MOST), sizeof *room);
    planar_answer *answer = calloc(MOST, sizeof *answer);
    bool continuum = false;
    int count = find_planar_modes(&q, room, answer, MOST, &continuum);
    rh_motion_count found = search_motions(&m, s.n);
    ck_assert_msg(found.complete && found.count == count && found.continuum == continuum,
                  "trial %d: in the plane %d %d, in space %d %d", trial, count, continuum,
                  found.count, found.continuum);
    free(room);
    free(answer);
  }
}

END_TEST

// Without friction, and with little of it, a motion is unique: contacts that are independent, and
// mu below the root of the least over the largest eigenvalue of W.
START_TEST(unique_motions)
{
  rng r = {7};
  for (int trial = 0; trial < 100; trial++) {
    stand s = random_stand(&r, false);
    s.n = s.n > 2 ? 2 : s.n;
    s.mu = trial % 2 == 0 ? 0 : 1e-3;
    matrices m;
    fill_matrices(&s, &m);
    rh_motion_count found = search_motions(&m, s.n);
    ck_assert_msg(found.complete && found.count == 1 && !found.continuum, "trial %d: %d %d", trial,
                  found.count, found.continuum);
  }
}

END_TEST

// ---- A slot and a table

#define SLOT                                                                                       \
  "bodies: [{name: b, mass: 1}]\njoints: [{name: b, kind: free, child: b}]\n"                      \
  "shapes: [{body: b, kind: box, size: [0.1, 0.1, 0.1]}, {body: world, kind: plane, at: [-0.05, "  \
  "0, 0], rpy: [0, 1.5707963267948966, 0]}, {body: world, kind: plane, at: [0.05, 0, 0], rpy: "    \
  "[0, -1.5707963267948966, 0]}]\n"                                                                \
  "contacts: [{name: w, body: b, against: world, law: newton, e: 0, friction: dry, mu_s: 0.5, "    \
  "mu_k: 0.5}]\nrun: {until: 1e-3, examine: 8, %s}\nrecord: {every: 1e-3}\n"
#define TABLE                                                                                      \
  "bodies: [{name: t, mass: 4, com: [0.17, 0.10, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}]\n"        \
  "joints: [{name: t, kind: free, child: t, q: [0, 0, 0.05, 1, 0, 0, 0]}]\n"                       \
  "shapes: [{body: world, kind: plane}, {body: t, kind: box, size: [0.4, 0.3, 0.1]}]\n"            \
  "contacts: [{name: f, body: t, against: world, law: newton, e: 0, friction: dry, mu_s: 0.4, "    \
  "mu_k: 0.4}]\nrun: {until: 1e-2, examine: 8, %s}\n"

#define LEGS                                                                                       \
  "bodies: [{name: t, mass: 3, com: [0.05, -0.04, 0.1], inertia: [0.1, 0.2, 0.15, 0, 0, 0]}]\n"    \
  "joints: [{name: t, kind: free, child: t, q: [0, 0, 0.06, 1, 0, 0, 0]}]\n"                       \
  "shapes: [{body: world, kind: plane}, {body: t, kind: box, size: [0.5, 0.35, 0.12]}]\n"          \
  "contacts: [{name: f, body: t, against: world, law: newton, e: 0, friction: dry, mu_s: 0.7, "    \
  "mu_k: 0.5}]\nrun: {until: 2e-2, examine: %s, %s}\n"

static const char *first_note(rh_event_kind kind)
{
  for (int k = 0; k < told.n && k < TALE_MAX; k++) {
    if (told.at[k].e.kind == kind) {
      return told.at[k].e.note;
    }
  }
  return "none";
}

static double first_reported(rh_event_kind kind)
{
  for (int k = 0; k < told.n && k < TALE_MAX; k++) {
    if (told.at[k].e.kind == kind) {
      return told.at[k].e.after;
    }
  }
  return 0;
}

START_TEST(slot_and_table)
{
  static const char *const engine[] = {"engine: event, facets: 4",
                                       "engine: stepping, dt: 1e-3, facets: 4"};
  double motions[2];
  for (int i = 0; i < 2; i++) {
    play(SLOT, engine[i]);
    motions[i] = first_reported(RH_EVENT_NOT_UNIQUE);
    play(TABLE, engine[i]);
    near_abs(first_reported(RH_EVENT_NOT_UNIQUE), 0, 0); // it stands, whatever its load
  }
  (void)printf("a block in a slot in space: %g motions and those between\n", motions[0]);
  ck_assert_int_gt((int)motions[0], 1);
  near_abs(motions[0], motions[1], 0);
}

END_TEST

// Of a table in space the note states whether motions were counted: not by default, and with a
// run.examine of as many contacts.
START_TEST(counted_or_not)
{
  static const char *const engine[] = {"engine: event", "engine: stepping, dt: 1e-3"};

  static const struct {
    const char *examine, *note;
  } all[] = {{"0", "not counted (run.examine is 0)"},
             {"3", "not counted (run.examine is 3)"},
             {"4", "the motion is unique"},
             {"12", "the motion is unique"}};

  for (int i = 0; i < RH_COUNT(engine); i++) {
    for (int k = 0; k < RH_COUNT(all); k++) {
      play(LEGS, all[k].examine, engine[i]);
      const char *note = first_note(RH_EVENT_UNDETERMINED);
      ck_assert_msg(strstr(note, all[k].note) != NULL, "%s, examine %s: %s", engine[i],
                    all[k].examine, note);
      ck_assert_ptr_null(strstr(note, "no other motion was found"));
    }
  }
}

END_TEST

// ---- Choices: Painleve's rod in space, on a free joint, leaves the ground or is pressed on it.

#define PAINLEVE                                                                                   \
  "bodies: [{name: rod, mass: 1, inertia: [0.3333333333333333, 0.3333333333333333, "               \
  "0.3333333333333333, 0, 0, 0]}]\n"                                                               \
  "joints: [{kind: free, child: rod, q: [0, 0, 0.8944271909999159, 1, 0, 0, 0], v: [%s, %s, "      \
  "0, 0, 0, 0]}]\n"                                                                                \
  "shapes: [{body: world, kind: plane}, {body: rod, kind: sphere, radius: 0.01, at: [%s, "         \
  "-0.8844271909999159]}]\n"                                                                       \
  "contacts: [{name: c, body: rod, against: world, law: newton, e: 0, friction: dry, mu_s: 1.6, "  \
  "mu_k: 1.6}]\nforces: [{name: up, body: rod, force: [0, 0, 15]}]\n"                              \
  "run: {until: 1e-3, examine: 8, " FINE ", select: %s}\n"

START_TEST(select_motion)
{
  // along x, and turned by the angle of a 3-4-5 triangle
  static const char *const vx[] = {"-1", "-0.6"};
  static const char *const vy[] = {"0", "-0.8"};
  static const char *const foot[] = {"-0.4472135954999579, 0",
                                     "-0.26832815729997474, -0.35777087639996635"};
  double rise[2];
  double brake[2];
  for (int k = 0; k < 2; k++) {
    play(PAINLEVE, vx[k], vy[k], foot[k], "least-norm");
    ck_assert_int_eq((int)first_reported(RH_EVENT_NOT_UNIQUE), 2);
    rise[k] = told.q[2];
    play(PAINLEVE, vx[k], vy[k], foot[k], "stiff-limit");
    near_abs(told.q[2], rise[k], 1e-12);
    play(PAINLEVE, vx[k], vy[k], foot[k], "largest-dissipation");
    ck_assert_int_eq(told.slides, 1);
    brake[k] = hypot(told.v[0], told.v[1]);
    ck_assert_msg(fabs(brake[k] - 1) > 1e-2, "it is braked: %g", brake[k]);
  }
  near_abs(rise[0], rise[1], 1e-12); // whatever the direction
  near_rel(brake[0], brake[1], 1e-9);
}

END_TEST

START_TEST(select_stop)
{
  char text[TEXT_MAX];
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  (void)snprintf(text, sizeof text, SLOT, "engine: event, select: stop, facets: 4");
  ck_assert_int_eq(rh_scene_parse(text, strlen(text), "f", NULL, 0, diag, &scene), RH_OK);
  rh_diag_destroy(diag);
  rh_model *model = model_of(scene);
  tell(model);
  rh_model_destroy(model);
  ck_assert_msg(told.status != RH_OK && strstr(told.reason, "run.select: stop") != NULL, "%s",
                told.reason);
}

END_TEST

Suite *rh_suite_unit_motions_space(void)
{
  Suite *suite = suite_create("unit_motions_space");
  TCase *tests = tcase_create("motions in space");
  tcase_add_test(tests, random_space);
  tcase_add_test(tests, planar_in_space);
  tcase_add_test(tests, unique_motions);
  tcase_add_test(tests, slot_and_table);
  tcase_add_test(tests, counted_or_not);
  tcase_add_test(tests, select_motion);
  tcase_add_test(tests, select_stop);
  suite_add_tcase(suite, tests);
  return suite;
}
