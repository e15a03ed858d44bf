// unit_caller.c: the functions of verbs inside another program: output, messages, a file in memory and the question whether to
// stop are the caller's, of its thread alone.
#include "console/caller.h"
#include "problems/problem_runner.h"
#include "test.h"

#include <pthread.h>
#include <string.h>

static const char file[] =
    "[{id: a, kind: lcp, inputs: {A: [[2]], b: [-1]}},\n {id: b, kind: lcpp}]\n";

static bool stop_always(void *user)
{
  (*(int *)user)++;
  return true;
}

START_TEST(output_and_messages)
{
  rh_caller caller = {.name = "mine", .text = file, .bytes = sizeof file - 1};
  rh_diag *diag = rh_diag_create();
  char *json = NULL;
  rh_caller_set(&caller);
  ck_assert_int_eq(rh_solve_file("mine", NULL, diag, &json), RH_INPUT_REFUSED);
  ck_assert_ptr_nonnull(strstr(json, "\"z\": [0.5]"));
  ck_assert_int_eq(rh_file_write(NULL, json), RH_OK);
  ck_assert_int_eq(rh_refuse(RH_STOPPED, "number %d", 7), RH_STOPPED);
  rh_diag_print(&(rh_request){0}, diag, "nothing");
  rh_caller_set(NULL);
  ck_assert_str_eq(caller.out.data, json);
  ck_assert_int_eq(caller.nmessage, 1 + rh_diag_kept(diag));
  ck_assert_str_eq(caller.message[0].text, "number 7");
  rh_diag_destroy(diag); // the messages are copies
  ck_assert_str_eq(caller.message[1].place.file, "mine");
  ck_assert_int_eq(caller.message[1].place.line, 2);
  ck_assert_ptr_nonnull(strstr(caller.message[1].source, "lcpp"));
  rh_free(json);
  rh_caller_free(&caller);
}

END_TEST

// Without a caller the file is not there.
static void *look_elsewhere(void *user)
{
  char *json = NULL;
  *(bool *)user = rh_caller_get() == NULL && rh_solve_file("mine", NULL, NULL, &json) != RH_OK &&
                  json == NULL && rh_interrupt_seen() == 0;
  return NULL;
}

START_TEST(one_thread)
{
  int asked = 0;
  bool alone = false;
  rh_caller caller = {
      .name = "mine", .text = file, .bytes = sizeof file - 1, .stop = stop_always, .user = &asked};
  pthread_t thread;
  char *json = NULL;
  rh_caller_set(&caller);
  ck_assert_int_eq(pthread_create(&thread, NULL, look_elsewhere, &alone), 0);
  ck_assert_int_eq(pthread_join(thread, NULL), 0);
  ck_assert_int_eq(rh_solve_file("mine", NULL, NULL, &json), RH_INTERRUPTED);
  rh_caller_set(NULL);
  ck_assert(alone);
  ck_assert_int_eq(asked, 1);
  ck_assert_int_eq(rh_interrupt_seen(), 0);
  rh_free(json);
  rh_caller_free(&caller);
}

END_TEST

Suite *rh_suite_unit_caller(void)
{
  Suite *suite = suite_create("unit_caller");
  TCase *tests = tcase_create("caller");
  tcase_add_test(tests, output_and_messages);
  tcase_add_test(tests, one_thread);
  suite_add_tcase(suite, tests);
  return suite;
}
