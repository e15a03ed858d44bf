// Controllers in shared libraries: the same bits as the row that the library repeats; what is not loaded, and why.
#include "scene_text.h"

#include <routh/plugin.h>

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCENE(kind)                                                                                \
  "bodies: [{name: p, mass: 1, com: [0.3, 0, 0], inertia: [1, 1, 1, 0, 0, 0]}]\n"                  \
  "joints: [{name: j, kind: revolute, child: p, axis: [0, 1, 0]}]\n"                               \
  "actuators: [{name: m, joint: j}]\n"                                                             \
  "controllers: [{kind: " kind ", kp: 20, kd: 3}]\n"

static double position_after(const char *text)
{
  rh_scene *scene = parse_good_scene(text, NULL, 0);
  rh_model *model = NULL;
  rh_sim *sim = NULL;
  ck_assert_int_eq(rh_scene_compile(scene, NULL, &model), RH_OK);
  ck_assert_int_eq(rh_sim_create(model, NULL, &sim), RH_OK);
  ck_assert_int_eq(rh_sim_run(sim, 1), RH_OK);
  double q = rh_sim_view(sim)->q[0];
  rh_sim_destroy(sim);
  rh_model_destroy(model);
  rh_scene_destroy(scene);
  return q;
}

START_TEST(as_the_row)
{
  rh_hook_set_plugins(ROUTH_TEST_PLUGINS);
  double q = position_after(SCENE("test-spring"));
  ck_assert(q == position_after(SCENE("pd")));
  ck_assert(q != 0);
  ck_assert(q == position_after(SCENE("test-spring"))); // it is there already
}

END_TEST

static const char *say_refusal(const char *text, char note[512])
{
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  ck_assert_int_eq(rh_scene_parse(text, strlen(text), "s", NULL, 0, diag, &scene),
                   RH_INPUT_REFUSED);
  note[0] = '\0';
  bool refused = false;
  for (int i = 0; i < rh_diag_kept(diag); i++) {
    rh_message m = rh_diag_get(diag, i);
    ck_assert_int_eq(m.place.line, 4);
    refused = refused || m.severity == RH_ERROR;
    if (m.severity == RH_NOTE) {
      (void)snprintf(note, 512, "%s", m.text);
    }
  }
  ck_assert(refused);
  rh_diag_destroy(diag);
  return note;
}

START_TEST(what_is_not_loaded)
{
  char note[512];
  rh_hook_set_plugins(NULL);
  ck_assert_str_eq(say_refusal(SCENE("test-spring"), note), "");
  rh_hook_set_plugins("plugins");
  ck_assert_ptr_nonnull(strstr(say_refusal(SCENE("test-spring"), note), "absolute path"));
  rh_hook_set_plugins(ROUTH_TEST_PLUGINS);
  ck_assert_ptr_nonnull(strstr(say_refusal(SCENE("nothing"), note), "has no file nothing.so"));
  ck_assert_ptr_nonnull(
      strstr(say_refusal(SCENE("test-old"), note), "another version of the interface"));
  ck_assert_str_eq(say_refusal(SCENE("../plugins/test-spring"), note), "");
}

END_TEST

static void write_file(const char *path, const char *text, mode_t mode)
{
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  (void)fputs(text, file);
  (void)fclose(file);
  ck_assert_int_eq(chmod(path, mode), 0);
}

START_TEST(files_that_are_not_trusted)
{
  char folder[] = "/tmp/routh-plugins-XXXXXX";
  char path[3][64];
  char note[512];
  ck_assert_ptr_nonnull(mkdtemp(folder));
  for (int i = 0; i < 3; i++) {
    (void)snprintf(path[i], sizeof path[i], "%s/%s.so", folder,
                   (const char *[]){"text", "open", "link"}[i]);
  }
  write_file(path[0], "no library", 0600);
  write_file(path[1], "no library", 0666);
  ck_assert_int_eq(symlink(ROUTH_TEST_PLUGINS "/test-spring.so", path[2]), 0);
  rh_hook_set_plugins(folder);
  ck_assert_ptr_nonnull(strstr(say_refusal(SCENE("text"), note), "text.so: "));
  ck_assert_ptr_nonnull(strstr(say_refusal(SCENE("open"), note), "written by others"));
  ck_assert_ptr_nonnull(strstr(say_refusal(SCENE("link"), note), "not a plain file"));
  for (int i = 0; i < 3; i++) {
    (void)unlink(path[i]);
  }
  (void)rmdir(folder);
}

END_TEST

Suite *rh_suite_unit_plugins(void)
{
  Suite *suite = suite_create("unit_plugins");
  TCase *tests = tcase_create("plugins");
  tcase_add_test(tests, as_the_row);
  tcase_add_test(tests, what_is_not_loaded);
  tcase_add_test(tests, files_that_are_not_trusted);
  suite_add_tcase(suite, tests);
  return suite;
}
