// unit_moreau_piles.c: piles of boxes at rest from a start without forces. Weights are handed down: nothing moves in the first step, and
// the load of every face is that of statics; what cannot stand falls.
#include "moreau.h"
#include "stepping/world.h"

enum { MOST = 400 };

typedef struct box_at {
  double x, z;
} box_at;

static const double H = 1.0 / 60; // [s]

// Cubes of side 1 and 100 kg on the ground
static rh_model *pile_of(const box_at *box, int n, int threads)
{
  static text t;
  t.n = 0;
  put(&t, DOWN "bodies:\n");
  for (int i = 0; i < n; i++) {
    put(&t, "  - {name: b%d, mass: 100}\n", i);
  }
  put(&t, "joints:\n");
  for (int i = 0; i < n; i++) {
    put(&t, "  - {name: b%d, kind: free, child: b%d, q: [%.17g, 0, %.17g, 1, 0, 0, 0]}\n", i, i,
        box[i].x, box[i].z);
  }
  put(&t, "shapes:\n  - " FLOOR "\n");
  for (int i = 0; i < n; i++) {
    put(&t, "  - {body: b%d, kind: box, size: [1, 1, 1]}\n", i);
  }
  put(&t,
      "contacts:\n  - {name: c, body: all, against: all, law: newton, e: 0, friction: dry, mu_s: "
      "0.6, mu_k: 0.6}\n"
      "run: {until: 1 s, engine: stepping, dt: %.17g, threads: %d, contacts: 20000, "
      "check_solution: steps}\n"
      "record: {every: %.17g}\n",
      H, threads, H);
  return model_from(t.s, NULL, 0);
}

static int pyramid(box_at *box, int base)
{
  int n = 0;
  for (int row = 0; row < base; row++) {
    for (int k = 0; k < base - row; k++) {
      box[n++] = (box_at){0.5 * row + k, row + 0.5};
    }
  }
  return n;
}

// A single column, each box shifted by `step` against the one below, to and fro within +-`most`
static int column(box_at *box, int n, double step, double most)
{
  double x = 0;
  for (int i = 0; i < n; i++) {
    box[i] = (box_at){x, i + 0.5};
    step = fabs(x + step) > most ? -step : step;
    x += step;
  }
  return n;
}

typedef struct face {
  double N, M; // [N] carried at a height, [N m] its moment about x = 0
} face;

// What the contacts at a height carry
static face face_at(const rh_data *d, double z)
{
  face f = {0, 0};
  for (int k = 0; k < d->ncontact; k++) {
    const rh_contact *c = &d->contact[k];
    if (c->on && fabs(c->point.z - z) < 1e-6 && fabs(c->n.z) > 0.5) {
      ck_assert_double_ge(c->normal, 0);
      f.N += c->normal;
      f.M += c->normal * c->point.x;
    }
  }
  return f;
}

static void check_rest(const rh_sim *sim, const box_at *box, int n)
{
  const rh_data *d = rh_sim_view(sim);
  for (int i = 0; i < n; i++) {
    const double *q = d->q + (size_t)7 * (size_t)i;
    ck_assert(q[0] == box[i].x && q[1] == 0 && q[2] == box[i].z && q[3] == 1);
  }
  for (int k = 0; k < 6 * n; k++) {
    ck_assert(d->v[k] == 0);
  }
  ck_assert_double_le(d->solver->residual,
                      1e-9); // [m/s] rounding of loads of 1e4 N s on 100 kg: 1e-13
}

// Statics: the faces at a height carry all that is above them, with its moment. 1e-10 of the load: rounding, and no more.
static void check_loads(const rh_sim *sim, const box_at *box, int n)
{
  const rh_data *d = rh_sim_view(sim);
  for (int row = 0; row < (int)(box[n - 1].z + 0.5); row++) {
    double N = 0;
    double M = 0;
    for (int i = 0; i < n; i++) {
      N += box[i].z > row ? 100 * G : 0;
      M += box[i].z > row ? 100 * G * box[i].x : 0;
    }
    face f = face_at(d, row);
    near_abs(f.N, N, 1e-10 * N);
    near_abs(f.M, M, 1e-9 * N);
  }
}

// Few, and so many contacts that the island is in cells
START_TEST(a_pyramid_stands)
{
  static const int bases[] = {8, 27};
  static box_at box[MOST];
  int n = pyramid(box, bases[_i]);
  rh_model *model = pile_of(box, n, 1);
  rh_sim *sim = sim_of(model);
  ck_assert_int_eq(rh_sim_run(sim, H), RH_OK);
  const rh_step_world *w = sim->engine;
  ck_assert_int_eq(w->parts.nslice > 0, _i == 1);
  check_rest(sim, box, n);
  check_loads(sim, box, n);
  long first = w->tally.sweeps;
  ck_assert_int_le(first, 2); // without: 16 sweeps, and boxes fall by millimetres
  ck_assert_int_eq(rh_sim_run(sim, 10 * H), RH_OK);
  check_rest(sim, box, n);
  check_loads(sim, box, n);
  ck_assert_int_le(w->tally.sweeps - first, 9);
  finish(sim, model);
}

END_TEST

// The load of a face is off its middle, and some of its points carry nothing.
START_TEST(a_crooked_column_stands)
{
  static box_at box[MOST];
  int n = column(box, 40, _i == 0 ? 0.11 : 0.23, 0.3);
  rh_model *model = pile_of(box, n, 1);
  rh_sim *sim = sim_of(model);
  ck_assert_int_eq(rh_sim_run(sim, 3 * H), RH_OK);
  check_rest(sim, box, n);
  check_loads(sim, box, n);
  finish(sim, model);
}

END_TEST

// The centre of mass of what is above the first face is beside it: it tips over (as one body about its edge: at 0.023 rad/s then).
START_TEST(a_leaning_column_falls)
{
  static box_at box[MOST];
  int n = column(box, 24, 0.1, 10);
  rh_model *model = pile_of(box, n, 1);
  rh_sim *sim = sim_of(model);
  ck_assert_int_eq(rh_sim_run(sim, 40 * H), RH_OK);
  const rh_data *d = rh_sim_view(sim);
  const double *top = d->v + (size_t)6 * (size_t)(n - 1);
  ck_assert_double_gt(top[0], 0.3);
  ck_assert_double_lt(top[2], -0.03);
  finish(sim, model);
}

END_TEST

static uint64_t hash_of(int threads)
{
  static box_at box[MOST];
  uint64_t hash = 1469598103934665603U; // FNV-1a
  int n = pyramid(box, 27);
  box[n - 1].z += 0.01; // the top lands
  rh_model *model = pile_of(box, n, threads);
  rh_sim *sim = sim_of(model);
  ck_assert_int_eq(rh_sim_run(sim, 6 * H), RH_OK);
  const rh_data *d = rh_sim_view(sim);
  const unsigned char *of[] = {(const unsigned char *)d->q, (const unsigned char *)d->v};
  for (int k = 0; k < 2; k++) {
    for (size_t i = 0; i < (size_t)(7 - k) * (size_t)n * sizeof(double); i++) {
      hash = (hash ^ of[k][i]) * 1099511628211U;
    }
  }
  finish(sim, model);
  return hash;
}

START_TEST(threads_change_no_bit)
{
  uint64_t one = hash_of(1);
  ck_assert(hash_of(2) == one);
  ck_assert(hash_of(5) == one);
}

END_TEST

Suite *rh_suite_unit_moreau_piles(void)
{
  Suite *suite = suite_create("unit_moreau_piles");
  TCase *tc = tcase_create("piles");
  tcase_add_loop_test(tc, a_pyramid_stands, 0, 2);
  tcase_add_loop_test(tc, a_crooked_column_stands, 0, 2);
  tcase_add_test(tc, a_leaning_column_falls);
  tcase_add_test(tc, threads_change_no_bit);
  suite_add_tcase(suite, tc);
  return suite;
}
