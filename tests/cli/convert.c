// cli_convert.c: `routh convert`: the written scene runs to the same hash as the original, without the original's files.
#include "program.h"

static const char *const originals[] = {
    "/models/atlas.urdf",
    "/tests/data/sdf/world.sdf",
    "/scenes/ball.yaml",
    "/scenes/default.yaml",
    "/scenes/haptic-socket-mesh.yaml",
    "/tests/data/language/all.yaml",
    "/tests/data/mjcf/trap_mesh.xml",
    "/tests/data/mjcf/trap_joints.xml",
    "/tests/data/robot/arm.urdf",
};

static void find_hash(const char *file, char hash[32])
{
  rh_output output = routh("run", file, "--until", "0.02", "--no-record", "--json", "-q");
  ck_assert_msg(output.exit_code == 0, "%s: %s", file, output.err);
  ck_assert(rh_json_pick(output.out, "hash", hash, 32));
  rh_output_free(&output);
}

START_TEST(converted_models_run_alike)
{
  char path[1024];
  char hash[2][32];
  (void)snprintf(path, sizeof path, "%s%s", ROUTH_SOURCE_DIR, originals[_i]);
  rh_folder_enter();
  rh_output output = routh("convert", path, "-o", "scene.yaml");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  rh_output_free(&output);
  find_hash(path, hash[0]);
  find_hash("scene.yaml", hash[1]);
  ck_assert_str_eq(hash[0], hash[1]);
  rh_folder_leave();
}

END_TEST

// What is not used of a model stands at the head, with its place; -s is in the result; JSON has the scene.
START_TEST(what_is_written)
{
  static const char robot[] =
      "<robot name='r'>\n"
      "<link name='a'><inertial><mass value='2'/>"
      "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>\n"
      "<gazebo name='t'/>\n"
      "</robot>\n";
  rh_folder_enter();
  rh_output output = routh_with(robot, "convert", "-", "-s", "a.mass=3");
  ck_assert_int_eq(output.exit_code, 0);
  ck_contains(output.out, "# From standard input");
  ck_contains(output.out, "# standard input:3:1: ");
  ck_contains(output.out, "gazebo");
  ck_contains(output.out, "    mass: 3\n");
  ck_assert_ptr_null(strstr(output.out, "gravcomp"));
  rh_output_free(&output);
  output = routh_with(robot, "convert", "--json", "-");
  ck_assert(rh_json_valid(output.out));
  ck_contains(output.out, "\"scene\": \"# From");
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

START_TEST(what_is_refused)
{
  rh_folder_enter();
  rh_file_put("a.yaml", "run: {until: 1}\n");
  rh_output output = routh("convert", "a.yaml", "-o", "a.yaml");
  ck_assert_int_eq(output.exit_code, 2);
  ck_contains(output.err, "would be written over");
  rh_output_free(&output);
  output = routh("convert", "b.yaml", "-o", "c.yaml");
  ck_assert_int_eq(output.exit_code, 3);
  ck_contains(output.err, "No such file");
  rh_output_free(&output);
  rh_file_put("a.yaml", "bodies: [{name: a, mass: -1}]\n");
  output = routh("convert", "a.yaml", "-o", "c.yaml");
  ck_assert_int_eq(output.exit_code, 3);
  ck_contains(output.err, "a.yaml:1:26: error");
  ck_contains(output.err, "nothing was written");
  ck_assert_int_ne(access("c.yaml", F_OK), 0);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

Suite *rh_suite_cli_convert(void)
{
  Suite *suite = suite_create("cli_convert");
  TCase *tests = tcase_create("convert");
  tcase_add_loop_test(tests, converted_models_run_alike, 0, sizeof originals / sizeof *originals);
  tcase_add_test(tests, what_is_written);
  tcase_add_test(tests, what_is_refused);
  suite_add_tcase(suite, tests);
  return suite;
}
