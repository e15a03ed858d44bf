// unit_sweep: the parts of a sweep without processes: designs against their definitions, quantiles
// against erfc, leases under random deaths, the bytes of a journal.
#include "random.h"
#include "test.h"

#include "recording/journal/journal.h"
#include "sweep/leases.h"
#include "sweep/manager.h"
#include "sweep/report.h"
#include "sweep/sobol.h"
#include "sweep/wire.h"

#if __has_include(<hdf5.h>)
#include <hdf5.h>
#else
#include <hdf5/serial/hdf5.h>
#endif
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// The quantile x is correct to about 1e-16 of itself [AS 241], that is to x^2 1e-16 of a small
// probability, which changes by x dx of itself; erfc adds a few units in the last place.
START_TEST(quantiles_against_erfc)
{
  for (int i = 1; i < 4000; i++) {
    double u = i < 2000 ? pow(10, -0.0075 * (2000 - i)) * 0.5 : i / 4000.0;
    double x = rh_normal_quantile(u);
    double back = 0.5 * erfc(-x / sqrt(2));
    ck_assert_msg(fabs(back - u) <= 1e-15 * (1 + x * x) * u, "u = %.17g: %.17g comes back", u,
                  back);
  }
  ck_assert_double_eq(rh_normal_quantile(0.5), 0);
  for (int i = 1; i < 100; i++) { // 1 - u is exact for these
    double u = i / 256.0;
    ck_assert_double_eq(rh_normal_quantile(u), -rh_normal_quantile(1 - u));
  }
}

END_TEST

static rh_plan plan_of(const char *const *spec, int n, rh_design design, int64_t cases)
{
  rh_plan plan = {.design = design, .seed = 7, .cases = cases, .naxis = n};
  for (int i = 0; i < n; i++) {
    ck_assert_int_eq(rh_axis_read(spec[i], &plan.axis[i]), RH_OK);
  }
  plan.sobol = design == RH_SOBOL ? rh_sobol_create(n) : NULL;
  return plan;
}

START_TEST(grids)
{
  static const char *const spec[] = {"a.b=1:3:3", "a.c=x,y", "a.d=5 mm:6 mm:2"};
  rh_plan plan = plan_of(spec, 3, RH_GRID, 12);
  for (int k = 0; k < 12; k++) {
    double value[3];
    char text[40];
    rh_plan_values(&plan, k, value);
    ck_assert_double_eq(value[0], 1 + k / 4);
    ck_assert_double_eq(value[1], k / 2 % 2);
    ck_assert_double_eq(value[2], 5 + k % 2);
    rh_plan_value_text(&plan, 1, value[1], text, sizeof text);
    ck_assert_str_eq(text, k / 2 % 2 == 0 ? "x" : "y");
    rh_plan_value_text(&plan, 2, value[2], text, sizeof text);
    ck_assert_str_eq(text, k % 2 == 0 ? "5 mm" : "6 mm");
  }
  rh_plan_free(&plan);
}

END_TEST

// Of n cases one lies in each of n layers, along every axis, for any n.
START_TEST(latin_layers)
{
  static const char *const spec[] = {"a.b=uniform(0,1)", "a.c=uniform(0,1)", "a.d=uniform(0,1)"};
  static const int count[] = {1, 2, 3, 7, 64, 100, 1000};
  for (int c = 0; c < 7; c++) {
    int n = count[c];
    rh_plan plan = plan_of(spec, 3, RH_LATIN, n);
    char seen[3][1000] = {0};
    for (int k = 0; k < n; k++) {
      double value[3];
      rh_plan_values(&plan, k, value);
      for (int i = 0; i < 3; i++) {
        seen[i][(int)(value[i] * n)]++;
      }
    }
    for (int i = 0; i < 3 * n; i++) {
      ck_assert_int_eq(seen[i / n][i % n], 1);
    }
    rh_plan_free(&plan);
  }
}

END_TEST

// Along every axis the first 2^m points lie one in each of 2^m layers; shifted digits keep that.
// Of the planes of the first 8 axes none is worse than t = 5 in 1024 points: 32 boxes hold all.
START_TEST(sobol_nets)
{
  char spec[RH_AXES_MAX][24];
  const char *list[RH_AXES_MAX];
  static char seen[1024];
  for (int i = 0; i < RH_AXES_MAX; i++) {
    (void)snprintf(spec[i], sizeof spec[i], "a.b%d=uniform(0,1)", i);
    list[i] = spec[i];
  }
  rh_plan plan = plan_of(list, RH_AXES_MAX, RH_SOBOL, 1024);
  for (int i = 0; i < RH_AXES_MAX; i++) {
    memset(seen, 0, sizeof seen);
    for (int k = 0; k < 1024; k++) {
      double value[RH_AXES_MAX];
      rh_plan_values(&plan, k, value);
      seen[(int)(value[i] * 1024)]++;
    }
    for (int k = 0; k < 1024; k++) {
      ck_assert_int_eq(seen[k], 1);
    }
  }
  for (int i = 0; i < 8; i++) {
    for (int k = 0; k < i; k++) {
      ck_assert_int_le(rh_sobol_quality(plan.sobol, k, i, 10), 5);
    }
  }
  ck_assert_int_eq(rh_sobol_quality(plan.sobol, 0, 1, 10), 0); // as Sobol's own first two
  rh_plan_free(&plan);
}

END_TEST

// The mean of a product of 5 factors, whose integral is 1: the error of a Sobol sequence of 4096
// points against the deviation of as many random ones, sqrt((4/3)^5 - 1) / 64 = 0.028.
START_TEST(sobol_integrates)
{
  static const char *const spec[] = {"a.b=uniform(0,2)", "a.c=uniform(0,2)", "a.d=uniform(0,2)",
                                     "a.e=uniform(0,2)", "a.f=uniform(0,2)"};
  rh_plan plan = plan_of(spec, 5, RH_SOBOL, 4096);
  double sum = 0;
  for (int k = 0; k < 4096; k++) {
    double value[5];
    rh_plan_values(&plan, k, value);
    sum += value[0] * value[1] * value[2] * value[3] * value[4];
  }
  ck_assert_double_lt(fabs(sum / 4096 - 1), 0.028 / 10);
  rh_plan_free(&plan);
}

END_TEST

static const char *const bad_axis[] = {
    "a.b",
    "=1",
    "a.b=",
    "a.b=1:2",
    "a.b=1:2:0",
    "a.b=1:2:1",
    "a.b=1:2:2.5",
    "a.b=1,,2",
    "a.b=foo(1,2)",
    "a.b=uniform(1)",
    "a.b=uniform(2,1)",
    "a.b=uniform(1,2",
    "a.b=uniform(1,2)x",
    "a.b=normal(0,0)",
    "a.b=loguniform(0,1)",
    "a.b=uniform(1 mm,2 cm)",
    "a.b=1e999:2:2",
    "a b=1,2",
};

START_TEST(bad_axes)
{
  rh_axis axis;
  ck_assert_int_eq(rh_axis_read(bad_axis[_i], &axis), RH_WRONG_USAGE);
  rh_axis_free(&axis);
}

END_TEST

// Workers take spans, finish some of them and die, by lot; in the end every case is done once.
START_TEST(leases_lose_nothing)
{
  uint64_t seed = 100 + (uint64_t)_i;
  int64_t cases = 1 + (int64_t)(500 * fabs(lot(&seed)));
  rh_leases *leases = rh_leases_create(cases);
  int done[501] = {0};
  rh_case_span held[4] = {{0, 0}};
  int64_t most = 1 + (int64_t)(20 * fabs(lot(&seed)));
  for (int step = 0; rh_leases_left(leases) > 0; step++) {
    int worker = (int)(4 * fabs(lot(&seed)));
    double what = lot(&seed);
    rh_case_span *span = &held[worker];
    if (what < -0.9) {
      ck_assert_int_eq(rh_leases_died(leases, worker), RH_NONE);
      *span = (rh_case_span){0, 0};
    } else if (span->n == 0) {
      *span = rh_leases_take(leases, worker, most, step);
    } else {
      done[span->first] += rh_leases_done(leases, span->first);
      span->first++;
      span->n--;
    }
    int silent = rh_leases_silent(leases, step, 500); // slow, but not dead: it may still finish
    if (silent != RH_NONE) {
      (void)rh_leases_died(leases, silent);
    }
    ck_assert_int_lt(step, 100000);
  }
  for (int k = 0; k < cases; k++) {
    ck_assert_int_eq(done[k], 1);
  }
  rh_leases_destroy(leases);
}

END_TEST

// A case that kills its worker is found, and given up after RH_DEATHS_MAX deaths alone; the spans
// it was in are halved, so that takes at most log2 of the span further ones.
START_TEST(deadly_cases_are_given_up)
{
  enum { CASES = 1000, DEADLY = 617 };

  rh_leases *leases = rh_leases_create(CASES);
  int deaths = 0;
  int64_t lost = RH_NONE;
  while (rh_leases_left(leases) > 0) {
    rh_case_span span = rh_leases_take(leases, 0, 64, 0);
    ck_assert_int_gt(span.n, 0);
    for (; span.n > 0; span.first++, span.n--) {
      if (span.first == DEADLY) {
        deaths++;
        lost = rh_leases_died(leases, 0);
        break;
      }
      (void)rh_leases_done(leases, span.first);
    }
    if (lost != RH_NONE) {
      ck_assert_int_eq(lost, DEADLY);
      (void)rh_leases_done(leases, lost);
    }
  }
  ck_assert_int_eq(lost, DEADLY);
  ck_assert_int_le(deaths, RH_DEATHS_MAX + 7);
  rh_leases_destroy(leases);
}

END_TEST

// ---- Journals

static char *bytes_of(const char *path, size_t *size)
{
  FILE *file = fopen(path, "rb");
  ck_assert_ptr_nonnull(file);
  (void)fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char *bytes = malloc(*size);
  ck_assert_uint_eq(fread(bytes, 1, *size, file), *size);
  (void)fclose(file);
  return bytes;
}

static void fill_journal(const char *path, uint64_t seed, int cases)
{
  const char *const key[] = {"vary", "cases", "a"};
  const char *const value[] = {"a.b=1,2", "1000", "text"};
  const rh_journal_column column[] = {{"a.b", false}, {"word", true}};
  const rh_journal_form form = {key, value, 3, column, 2};
  rh_journal *journal = NULL;
  static int order[5000];
  rh_diag *diag = rh_diag_create();
  ck_assert_int_eq(rh_journal_create(path, &form, diag, &journal), RH_OK);
  for (int i = 0; i < cases; i++) {
    int k = seed != 0 ? (int)(i * fabs(lot(&seed))) : i;
    order[i] = order[k];
    order[k] = i;
  }
  for (int i = 0; i < cases; i++) {
    double number[2] = {order[i] % 7 == 0 ? (double)NAN : sqrt(order[i]), 0};
    const char *text[2] = {"", order[i] % 3 == 0 ? "x" : "a longer, \"quoted\" word"};
    rh_journal_row row = {order[i], "OK", "", number, text};
    ck_assert(rh_journal_add(journal, &row));
    if (seed != 0 && i % 100 == 50) { // continued by another process
      ck_assert(rh_journal_commit(journal));
      rh_journal_close(journal);
      ck_assert_int_eq(rh_journal_open(path, true, diag, &journal), RH_OK);
    }
  }
  uint64_t sum = 0;
  ck_assert_int_eq(rh_journal_finish(journal, diag, &sum), RH_OK);
  rh_diag_destroy(diag);
}

static rh_status check_row(void *user, const rh_journal_row *row)
{
  int *next = user;
  ck_assert_int_eq(row->index, *next);
  if (*next % 7 == 0) {
    ck_assert_double_nan(row->number[0]);
  } else {
    ck_assert_double_eq(row->number[0], sqrt(*next));
  }
  ck_assert_str_eq(row->text[1], *next % 3 == 0 ? "x" : "a longer, \"quoted\" word");
  ++*next;
  return RH_OK;
}

START_TEST(journals_have_the_same_bytes)
{
  char path[2][64];
  char *bytes[2];
  size_t size[2];
  for (int i = 0; i < 2; i++) {
    (void)snprintf(path[i], sizeof path[i], "/tmp/routh-journal-%d-%d.rsw", (int)getpid(), i);
    fill_journal(path[i], i == 0 ? 0 : 99, 1000);
    bytes[i] = bytes_of(path[i], &size[i]);
  }
  ck_assert_uint_eq(size[0], size[1]);
  ck_assert_mem_eq(bytes[0], bytes[1], size[0]);
  rh_diag *diag = rh_diag_create();
  rh_journal *journal = NULL;
  int next = 0;
  ck_assert_int_eq(rh_journal_open(path[1], false, diag, &journal), RH_OK);
  ck_assert(rh_journal_finished(journal));
  ck_assert_str_eq(rh_journal_meta(journal, "a"), "text");
  ck_assert_int_eq(rh_journal_read(journal, check_row, &next, diag), RH_OK);
  ck_assert_int_eq(next, 1000);
  rh_journal_close(journal);
  for (int i = 0; i < 2; i++) {
    rh_journal *other = NULL; // a file that is there is never replaced
    const rh_journal_form form = {0};
    ck_assert_int_ne(rh_journal_create(path[i], &form, diag, &other), RH_OK);
    ck_assert_int_eq(unlink(path[i]), 0);
    free(bytes[i]);
  }
  rh_diag_destroy(diag);
}

END_TEST

static hid_t open_set(hid_t file, const char *name)
{
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  ck_assert_int_ge(set, 0);
  hid_t space = H5Dget_space(set);
  ck_assert_int_eq(H5Sget_simple_extent_npoints(space), 5000);
  (void)H5Sclose(space);
  return set;
}

static void check_hdf5(const char *path)
{
  static int64_t index[5000];
  static double number[5000];
  static char *word[5000];
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t text = H5Tcopy(H5T_C_S1);
  ck_assert_int_ge(file, 0);
  (void)H5Tset_size(text, H5T_VARIABLE);
  (void)H5Tset_cset(text, H5T_CSET_UTF8);
  hid_t set[3] = {open_set(file, "case"), open_set(file, "columns/a.b"),
                  open_set(file, "columns/word")};
  ck_assert_int_ge(H5Dread(set[0], H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, index), 0);
  ck_assert_int_ge(H5Dread(set[1], H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, number), 0);
  ck_assert_int_ge(H5Dread(set[2], text, H5S_ALL, H5S_ALL, H5P_DEFAULT, word), 0);
  for (int i = 0; i < 5000; i++) {
    const char *const words[] = {"", word[i]};
    rh_journal_row row = {index[i], "OK", "", &number[i], words};
    int next = i;
    ck_assert_int_eq(check_row(&next, &row), RH_OK);
  }
  for (int i = 0; i < 3; i++) {
    (void)H5Dclose(set[i]);
  }
  (void)H5Tclose(text);
  (void)H5Fclose(file);
}

// 5000 rows are more than one block of them.
START_TEST(journals_as_hdf5)
{
  char path[2][64];
  (void)snprintf(path[0], sizeof path[0], "/tmp/routh-journal-%d.rsw", (int)getpid());
  (void)snprintf(path[1], sizeof path[1], "/tmp/routh-journal-%d.h5", (int)getpid());
  fill_journal(path[0], 0, 5000);
  rh_diag *diag = rh_diag_create();
  ck_assert_int_eq(rh_sweep_export(path[0], path[1], diag), RH_OK);
  check_hdf5(path[1]);
  ck_assert_int_eq(rh_sweep_export(path[0], "/tmp/x.txt", diag), RH_WRONG_USAGE);
  (void)unlink(path[0]);
  (void)unlink(path[1]);
  rh_diag_destroy(diag);
}

END_TEST

// ---- Workers

static const char still[] = "bodies: [{name: ball, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}]\n"
                            "joints: [{kind: free, child: ball}]\n";

static rh_status run_deadly_case(const rh_plan *plan, int64_t index, rh_case *result)
{
  (void)plan;
  *result = (rh_case){.index = index, .value = {(double)index * (double)index}};
  if (index == 77 || index == 230) {
    (void)raise(SIGKILL);
  }
  return RH_OK;
}

static rh_status check_deadly(void *user, const rh_journal_row *row)
{
  int *next = user;
  bool deadly = *next == 77 || *next == 230;
  ck_assert_int_eq(row->index, *next);
  ck_assert_str_eq(row->status, deadly ? "STOPPED" : "OK");
  ck_assert(deadly ? isnan(row->number[1]) : row->number[1] == (double)*next * *next);
  ++*next;
  return RH_OK;
}

// Two of 400 cases kill their process: each is given up after RH_DEATHS_MAX deaths alone, no other is.
START_TEST(deadly_cases_in_processes)
{
  rh_request request = {.quiet = true, .progress = "none"};
  rh_plan_asked asked = {.vary = "ball.mass=1:2:400", .out = "until"};
  rh_plan_scene scene = {"still", still, sizeof still - 1, NULL, 0};
  rh_plan plan;
  char path[64];
  rh_diag *diag = rh_diag_create();
  (void)snprintf(path, sizeof path, "/tmp/routh-deadly-%d.rsw", (int)getpid());
  rh_sweep_run run = {
      .request = &request, .diag = diag, .plan = &plan, .workers = 3, .lease = (double)INFINITY};
  ck_assert_int_eq(rh_plan_read(&scene, &asked, diag, &plan), RH_OK);
  ck_assert_int_eq(rh_plan_journal(&plan, path, diag, &run.journal), RH_OK);
  plan.run = run_deadly_case;
  ck_assert_int_eq(rh_sweep_simulate(&run), RH_OK);
  ck_assert_int_eq(run.counts.lost, 2);
  ck_assert_int_eq(run.counts.failed, 2);
  ck_assert_int_ge(run.counts.deaths, 2 * RH_DEATHS_MAX);
  rh_journal *journal = NULL;
  int next = 0;
  ck_assert_int_eq(rh_journal_open(path, false, diag, &journal), RH_OK);
  ck_assert_int_eq(rh_journal_read(journal, check_deadly, &next, diag), RH_OK);
  ck_assert_int_eq(next, 400);
  rh_journal_close(journal);
  (void)unlink(path);
  rh_plan_free(&plan);
  rh_diag_destroy(diag);
}

END_TEST

// Messages arrive in pieces of any length; what is none is found.
START_TEST(messages_in_pieces)
{
  rh_text sent = {0};
  rh_text got = {0};
  rh_plan plan = {.out.n = 2};
  rh_case result = {.index = 5, .status = RH_STOPPED, .reason = "because", .value = {1.5, -2}};
  for (int i = 0; i < 3; i++) {
    rh_wire_add_result(&sent, &plan, &result);
    rh_wire_add(&sent, RH_WIRE_HELLO, NULL, 0);
  }
  int results = 0;
  for (size_t at = 0; at < sent.size; at++) {
    rh_text_add_bytes(&got, sent.data + at, 1);
    size_t taken = 0;
    rh_wire head;
    const char *body = NULL;
    bool damaged = false;
    while (rh_wire_next(&got, &taken, &head, &body, &damaged)) {
      rh_case back = {0};
      if (head.kind == RH_WIRE_RESULT) {
        ck_assert(rh_wire_result(&plan, body, head.bytes, &back));
        ck_assert(back.index == 5 && back.status == RH_STOPPED && back.value[1] == -2);
        ck_assert_str_eq(back.reason, "because");
        ck_assert(!rh_wire_result(&plan, body, head.bytes - 1, &back));
        results++;
      }
    }
    ck_assert(!damaged);
    rh_wire_drop(&got, taken);
  }
  ck_assert_int_eq(results, 3);
  ck_assert_uint_eq(got.size, 0);
  rh_text_add_bytes(&got, "nonsense nonsense", 17);
  size_t taken = 0;
  rh_wire head;
  const char *body = NULL;
  bool damaged = false;
  ck_assert(!rh_wire_next(&got, &taken, &head, &body, &damaged));
  ck_assert(damaged);
  rh_text_free(&sent);
  rh_text_free(&got);
}

END_TEST

// A crew whose clock goes on by a second whenever it is waited for, and whose second worker first speaks after so many seconds.
typedef struct slow_crew {
  rh_crew crew;
  rh_manager *m;
  int turns, late;
  rh_text said, told;
} slow_crew;

static void tell_slow(void *self, int worker, const rh_text *bytes)
{
  slow_crew *s = self;
  (void)worker;
  rh_text_add_bytes(&s->told, bytes->data, bytes->size);
}

static int wait_for_slow(void *self, int ms, rh_text **said, bool *died)
{
  slow_crew *s = self;
  (void)ms;
  *died = false;
  *said = &s->said;
  s->m->watch.looked -=
      1; // of which RH_LISTENING_GAP counts, however long this test was kept waiting
  s->turns++;
  if (s->turns != 1 && s->turns != s->late) {
    return RH_NONE;
  }
  rh_wire_add(&s->said, RH_WIRE_HELLO, NULL, 0);
  return s->turns == 1 ? 0 : 1;
}

static bool replace_no_slow(void *self, int worker)
{
  (void)self;
  (void)worker;
  return false;
}

static void end_slow(void *self)
{
  slow_crew *s = self;
  rh_text_free(&s->said);
  rh_text_free(&s->told);
}

static bool ends_together(int late, double lease)
{
  rh_plan plan = {.cases = 1};
  slow_crew s = {.crew = {&s, 2, tell_slow, wait_for_slow, replace_no_slow, end_slow},
                 .late = late};
  rh_manager m = {.plan = &plan, .leases = rh_leases_create(1), .crew = &s.crew, .lease = lease};
  s.m = &m;
  ck_assert(rh_manager_begin(&m) && rh_leases_done(m.leases, 0));
  bool together = rh_manager_dismiss(&m, true);
  rh_manager_end(&m);
  rh_leases_destroy(m.leases);
  return together;
}

// A sweep that is over before all its ranks have spoken waits for them for the time of a lease: MPI is to be ended by all.
START_TEST(late_workers_are_waited_for)
{
  ck_assert(ends_together(2, 60));
  ck_assert(ends_together(55, 60));
  ck_assert(!ends_together(70, 60));
  ck_assert(ends_together(4, (double)INFINITY));
  ck_assert(!ends_together(10, (double)INFINITY));
}

END_TEST

Suite *rh_suite_unit_sweep(void)
{
  Suite *suite = suite_create("unit_sweep");
  TCase *tcase = tcase_create("sweep");
  tcase_add_test(tcase, quantiles_against_erfc);
  tcase_add_test(tcase, grids);
  tcase_add_test(tcase, latin_layers);
  tcase_add_test(tcase, sobol_nets);
  tcase_add_test(tcase, sobol_integrates);
  tcase_add_loop_test(tcase, bad_axes, 0, RH_COUNT(bad_axis));
  tcase_add_loop_test(tcase, leases_lose_nothing, 0, 40);
  tcase_add_test(tcase, deadly_cases_are_given_up);
  tcase_add_test(tcase, journals_have_the_same_bytes);
  tcase_add_test(tcase, journals_as_hdf5);
  tcase_add_test(tcase, deadly_cases_in_processes);
  tcase_add_test(tcase, messages_in_pieces);
  tcase_add_test(tcase, late_workers_are_waited_for);
  suite_add_tcase(suite, tcase);
  return suite;
}
