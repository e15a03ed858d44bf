// unit_sweep_library.c: routh/sweep.h: a sweep by a program: closed forms of its cases, an end by its progress and what is continued, rows
// that are read, messages.
#include "test.h"

#include <math.h>
#include <routh/routh.h>
#include <routh/sweep.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char fall[] =
    "bodies: [{name: b, mass: 1}]\n"
    "joints: [{name: j, kind: prismatic, child: b, axis: [0, 0, 1], v: [0]}]\n"
    "world: {gravity: [0, 0, -10]}\nrun: {until: 0.5}\nrecord: {every: 0.1}\n";

static char folder[40];
static char path[3][80];

static void make_folder(void)
{
  (void)snprintf(folder, sizeof folder, "/tmp/routh-sweep-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
  for (int i = 0; i < 3; i++) {
    (void)snprintf(path[i], sizeof path[i], "%s/%d.rsw", folder, i);
  }
}

static void remove_folder(void)
{
  for (int i = 0; i < 3; i++) {
    (void)unlink(path[i]);
  }
  (void)rmdir(folder);
}

static rh_sweep_setup make_setup(const char *journal)
{
  static const char *const vary[] = {"j.v.0=0:5:6", "b.mass=1,2"};
  return (rh_sweep_setup){.scene = "fall.yaml",
                          .text = fall,
                          .vary = vary,
                          .nvary = 2,
                          .out = "j.q@end,steps",
                          .journal = journal};
}

typedef struct seen {
  int rows, most;
  double worst;
} seen;

// q = v t - g t^2/2 at 0.5 s; runs have a tolerance of 1e-6.
static bool check_row(void *user, const rh_swept *row)
{
  seen *s = user;
  ck_assert_int_eq(row->index, s->rows);
  ck_assert_int_eq(row->columns, 4);
  ck_assert_str_eq(row->name[0], "j.v.0");
  ck_assert_str_eq(row->name[2], "j.q@end");
  ck_assert_str_eq(row->status, "OK");
  double v = (double)(row->index / 2);
  near_abs(row->number[0], v, 0);
  near_rel(row->number[1], 1 + (double)(row->index % 2), 0);
  s->worst = fmax(s->worst, fabs(row->number[2] - (v * 0.5 - 10 * 0.125)));
  return ++s->rows < s->most;
}

START_TEST(cases_and_rows)
{
  make_folder();
  const rh_sweep_setup setup = make_setup(path[0]);
  rh_sweep_done done;
  seen s = {.most = 100};
  ck_assert_int_eq(rh_sweep_make(&setup, &(rh_sweep_work){0}, &done, NULL), RH_OK);
  ck_assert_int_eq(done.cases, 12);
  ck_assert_int_eq(done.done, 12);
  ck_assert_int_eq(done.before, 0);
  ck_assert_int_eq(done.failed, 0);
  ck_assert_int_eq(rh_sweep_read(path[0], check_row, &s, NULL), RH_OK);
  ck_assert_int_eq(s.rows, 12);
  near_abs(s.worst, 0, 1e-5);
  s = (seen){.most = 5};
  ck_assert_int_eq(rh_sweep_read(path[0], check_row, &s, NULL), RH_OK);
  ck_assert_int_eq(s.rows, 5);
  ck_assert_int_eq(rh_sweep_continue(path[0], &(rh_sweep_work){0}, &done, NULL), RH_OK);
  ck_assert_int_eq(done.before, 12); // it is complete
  remove_folder();
}

END_TEST

static bool end_it(void *user, int64_t done, int64_t of)
{
  ck_assert(done >= 0 && done <= of && of == 12);
  return ++*(int *)user > 1;
}

static size_t read_bytes(const char *name, char *bytes, size_t room)
{
  FILE *from = fopen(name, "rb");
  ck_assert_ptr_nonnull(from);
  size_t n = fread(bytes, 1, room, from);
  ck_assert_int_eq(fclose(from), 0);
  return n;
}

// The progress ends it before its end; continued, by two processes, the journal has the bytes of one that was never cut off.
START_TEST(ends_and_continues)
{
  static char one[200000];
  static char two[200000];
  make_folder();
  rh_sweep_setup setup = make_setup(path[0]);
  rh_sweep_done done;
  int calls = 0;
  const rh_sweep_work ended = {0, end_it, &calls};
  const rh_sweep_work two_workers = {.workers = 2};
  ck_assert_int_eq(rh_sweep_make(&setup, &(rh_sweep_work){0}, &done, NULL), RH_OK);
  setup.journal = path[1];
  ck_assert_int_eq(rh_sweep_make(&setup, &ended, &done, NULL), RH_INTERRUPTED);
  ck_assert(done.done < 12 && done.cases == 12);
  int64_t before = done.done;
  ck_assert_int_eq(rh_sweep_continue(path[1], &two_workers, &done, NULL), RH_OK);
  ck_assert_int_eq(done.done, 12);
  ck_assert_int_eq(done.before, before);
  size_t n = read_bytes(path[0], one, sizeof one);
  ck_assert_int_eq(read_bytes(path[1], two, sizeof two), n);
  ck_assert_int_eq(memcmp(one, two, n), 0);
  remove_folder();
}

END_TEST

static bool count_words(void *user, const rh_swept *row)
{
  int *n = user;
  *n += strcmp(row->word[0], "gbs") == 0 && isnan(row->number[0]);
  *n += strcmp(row->word[0], "no-such") == 0 && strcmp(row->status, "INPUT_REFUSED") == 0 &&
                strstr(row->reason, "no-such") != NULL && isnan(row->number[2])
            ? 10
            : 0;
  return true;
}

// Words as values, a case that is refused, a Latin square with a seed.
START_TEST(words_and_designs)
{
  make_folder();
  rh_sweep_done done;
  int n = 0;
  rh_sweep_setup setup = make_setup(path[0]);
  setup.vary = (const char *const[]){"run.integrator=gbs,no-such,cvode", "b.mass=1,2"};
  setup.set = (const char *const[]){"run.until=0.2"};
  setup.nset = 1;
  ck_assert_int_eq(rh_sweep_make(&setup, &(rh_sweep_work){0}, &done, NULL), RH_OK);
  ck_assert_int_eq(done.failed, 2);
  ck_assert_int_eq(rh_sweep_read(path[0], count_words, &n, NULL), RH_OK);
  ck_assert_int_eq(n, 2 + 20);
  setup = make_setup(path[1]);
  setup.vary = (const char *const[]){"b.mass=uniform(1,2)"};
  setup.nvary = 1;
  setup.design = "latin";
  setup.cases = 5;
  setup.seed = 7;
  ck_assert_int_eq(rh_sweep_make(&setup, &(rh_sweep_work){0}, &done, NULL), RH_OK);
  ck_assert_int_eq(done.cases, 5);
  remove_folder();
}

END_TEST

static void check_refused(const rh_sweep_setup *setup, rh_status want, const char *why)
{
  rh_sweep_done done;
  rh_diag *diag = rh_diag_create();
  ck_assert_int_eq(rh_sweep_make(setup, &(rh_sweep_work){0}, &done, diag), want);
  ck_assert_int_ge(rh_diag_kept(diag), 1);
  rh_message message = rh_diag_get(diag, 0);
  ck_assert_msg(strstr(message.text, why) != NULL, "'%s' is not in '%s'", why, message.text);
  ck_assert_int_eq(done.done, 0);
  rh_diag_destroy(diag);
}

START_TEST(refusals)
{
  make_folder();
  rh_sweep_done done;
  rh_sweep_setup setup = make_setup(path[0]);
  ck_assert_int_eq(rh_sweep_make(&setup, &(rh_sweep_work){0}, &done, NULL), RH_OK);
  check_refused(&setup, RH_OUTPUT_NOT_WRITTEN, "there is a file of this name");
  setup = make_setup(path[1]);
  setup.nvary = 0;
  check_refused(&setup, RH_WRONG_USAGE, "nothing is varied");
  setup = make_setup(path[1]);
  setup.vary = (const char *const[]){"b.masss=1,2"};
  setup.nvary = 1;
  check_refused(&setup, RH_INPUT_REFUSED, "masss");
  setup = make_setup(path[1]);
  setup.text = NULL;
  setup.scene = "/none/such.yaml";
  check_refused(&setup, RH_INPUT_REFUSED, "No such file");
  ck_assert_int_eq(rh_sweep_continue("/none/such.rsw", &(rh_sweep_work){0}, &done, NULL),
                   RH_INPUT_REFUSED);
  ck_assert_int_eq(rh_sweep_read("/none/such.rsw", check_row, NULL, NULL), RH_INPUT_REFUSED);
  remove_folder();
}

END_TEST

Suite *rh_suite_unit_sweep_library(void)
{
  Suite *suite = suite_create("unit_sweep_library");
  TCase *tests = tcase_create("sweep_library");
  tcase_add_test(tests, cases_and_rows);
  tcase_add_test(tests, ends_and_continues);
  tcase_add_test(tests, words_and_designs);
  tcase_add_test(tests, refusals);
  suite_add_tcase(suite, tests);
  return suite;
}
