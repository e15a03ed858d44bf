// Commands that are refused: the object of --json, what is suggested for a name that is in no table, files of other kinds,
// notes on robots. Everything is seen from outside.
#include "program.h"

#define BALL ROUTH_SOURCE_DIR "/scenes/ball.yaml"
#define PEG  ROUTH_SOURCE_DIR "/scenes/haptic-peg-corner.yaml"

static int count_of(const char *text, const char *part)
{
  int count = 0;
  for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part)) {
    count++;
  }
  return count;
}

// ---- --json

typedef struct refused_json {
  const char *words[8];
  int exit_code;
  const char *status;
  const char *holds[2]; // parts of the object
} refused_json;

static const refused_json objects[] = {
    {{"run", "bad.yaml", "--json"},
     3,
     "INPUT_REFUSED",
     {"\"message\": \"rod.mass must be >= 0 kg, got -2\"", "\"column\": 23"}},
    {{"view", "bad.yaml", "--json"},
     3,
     "INPUT_REFUSED",
     {"\"line\": 2", "\"severity\": \"error\""}},
    {{"compare", "bad.yaml", "--laws", "hertz", "--json"},
     3,
     "INPUT_REFUSED",
     {"\"line\": 2", "rod"}},
    {{"impact", "bad.yaml", "--json"}, 3, "INPUT_REFUSED", {"\"line\": 2", "rod"}},
    {{"haptic", "bad.yaml", "--json"}, 3, "INPUT_REFUSED", {"\"line\": 2", "rod"}},
    {{"solve", "bad.yaml", "--json"}, 3, "INPUT_REFUSED", {"this is a scene", "\"line\": 1"}},
    {{"export", "none.rhr", "--json"},
     3,
     "INPUT_REFUSED",
     {"\"file\": \"none.rhr\"", "\"line\": null"}},
    {{"plot", "none.rhr", "x", "--json"}, 3, "INPUT_REFUSED", {"none.rhr", "\"source\": null"}},
    {{"compare", "a.rhr", "b.rhr", "--json"},
     3,
     "INPUT_REFUSED",
     {"a.rhr", "\"verb\": \"compare\""}},
    {{"view", "none.rhr", "--export", "x.html", "--json"},
     3,
     "INPUT_REFUSED",
     {"none.rhr", "view"}},
    {{"run", "--unti", "3", "--json"},
     2,
     "WRONG_USAGE",
     {"\"suggestion\": \"--until\"", "\"exit_code\": 2"}},
    {{"law", "hertx", "--json"}, 2, "WRONG_USAGE", {"\"suggestion\": \"hertz\"", "\"file\": null"}},
    {{"list", "jonts", "--json"}, 2, "WRONG_USAGE", {"\"suggestion\": \"joints\"", "list"}},
    {{"help", "rum", "--json"}, 2, "WRONG_USAGE", {"\"suggestion\": \"run\"", "help"}},
    {{"paper", "xx", "--json"}, 2, "WRONG_USAGE", {"there are mo, af", "paper"}},
    {{"rum", "--json"}, 2, "WRONG_USAGE", {"\"suggestion\": \"run\"", "rum"}},
};

START_TEST(json_of_what_is_refused)
{
  const refused_json *r = &objects[_i];
  char status[64];
  rh_folder_enter();
  rh_file_put("bad.yaml", "bodies:\n  - {name: rod, mass: -2, colour: red}\n");
  rh_output output = rh_program_run(NULL, r->words);
  ck_assert_msg(output.exit_code == r->exit_code, "exit code %d: %s", output.exit_code, output.err);
  ck_assert_msg(rh_json_valid(output.out), "not JSON:\n%s", output.out);
  ck_assert(rh_json_pick(output.out, "status", status, sizeof status));
  ck_assert_str_eq(status, r->status);
  ck_contains(output.out, "\"diagnostics\": [");
  ck_contains(output.out, r->holds[0]);
  ck_contains(output.out, r->holds[1]);
  ck_assert_msg(output.err[0] != '\0', "standard error has nothing for people");
  ck_assert_ptr_null(strstr(output.err, "\"diagnostics\""));
  ck_assert_int_eq(rh_folder_count(), 1);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// All messages are there, although people are shown 20; the object is printed once.
START_TEST(json_has_every_diagnostic)
{
  char text[4096] = "bodies:\n";
  for (int i = 0; i < 30; i++) {
    (void)snprintf(text + strlen(text), sizeof text - strlen(text), "  - {name: b%d, mass: -1}\n",
                   i);
  }
  rh_folder_enter();
  rh_output run = routh_with(text, "run", "--json", "-");
  ck_assert_int_eq(run.exit_code, 3);
  ck_assert(rh_json_valid(run.out));
  ck_assert_int_ge(count_of(run.out, "\"severity\": \"error\""), 30);
  ck_assert_int_eq(count_of(run.err, ": error: "), 20);
  rh_output_free(&run);
  run = routh_with(text, "run", "--verbose", "-"); // -v: all for people too
  ck_assert_int_ge(count_of(run.err, ": error: "), 30);
  rh_output_free(&run);
  run = routh_with(text, "check", "--json", "-");
  ck_assert(rh_json_valid(run.out));
  ck_assert_int_eq(count_of(run.out, "\"diagnostics\": ["), 1);
  rh_output_free(&run);
  rh_folder_leave();
}

END_TEST

// A run that stopped prints its own object, and no second one.
START_TEST(json_of_a_run_that_stopped_is_one_object)
{
  rh_folder_enter();
  rh_output output = routh("run", ROUTH_SOURCE_DIR "/scenes/stop.yaml", "--json", "--no-record",
                           "--until", "0.1", "--dump", "x.json");
  ck_assert_int_eq(output.exit_code, 2); // no rigid contact is closed
  ck_assert_msg(rh_json_valid(output.out), "not one object:\n%s", output.out);
  ck_contains(output.out, "\"hash\"");
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// ---- Names

static const rh_refusal names[] = {
    {{"compare", BALL, "--laws", "foo"}, 2, "there is no law 'foo'; there are kelvin-voigt"},
    {{"compare", BALL, "--laws", "hertz,hertx"}, 2, "did you mean 'hertz'? there are kelvin-voigt"},
    {{"compare", BALL, "--laws", "hunt-crossley:alpa=1"}, 2, "did you mean 'alpha'?"},
    {{"compare", BALL, "--frictions", "dri"}, 2, "there is no friction 'dri'; did you mean 'dry'?"},
    {{"compare", BALL, "--laws", "hertz", "--channel", "ball.pq"}, 2, "did you mean 'ball.p"},
    {{"compare", PEG, "--methods", "foo"}, 2, "there is no haptic method 'foo'; there are "},
    {{"compare", PEG, "--methods", "iapb:spred"}, 2, "did you mean 'spread'?"},
    {{"law", "foo"}, 2, "there is no law 'foo'; there are kelvin-voigt"},
    {{"law", "hertz", "--friction", "coulom"}, 2, "did you mean 'coulomb'? there are none"},
    {{"impact", BALL, "--law", "newto"}, 2, "did you mean 'newton'? there are newton, poisson"},
    {{"haptic", PEG, "--device", "foo"}, 2, "there is no device 'foo'; there are sim"},
    {{"haptic", PEG, "--device", "udb"}, 2, "did you mean 'udp'?"},
    {{"export", "x.rhr", "--format", "cvs"}, 2, "there is no format 'cvs'; did you mean 'csv'?"},
    {{"export", "x.rhr", "--groups", "energi"}, 2, "did you mean 'energy'? there are joints"},
    {{"run", "--progress", "jsn"}, 2, "got 'jsn'; did you mean 'json'?"},
    {{"run", "--stepper", "cvod"}, 3, "did you mean 'cvode'? there are cvode"},
    {{"run", "-s", "run.multi_impact=winkle"}, 3, "did you mean 'winkler'?"},
    {{"paper", "foo"}, 2, "there is no paper 'foo'; there are mo"},
    {{"paper", "mo", "--figure", "99"}, 2, "there is no figure of mo '99'; there are 2, 3"},
    {{"list", "foo"}, 2, "there is no kind 'foo'; there are sections"},
    {{"list", "joints", "foo"}, 2, "there is no entry of joints 'foo'; there are fixed, revolute"},
    {{"foo"}, 2, "unknown verb 'foo'; there are run, view"},
    {{"compare", BALL}, 2, "no laws are given"},
    {{"compare", BALL, BALL}, 2, "one scene at a time"},
    {{"compare", "a.rhr"}, 2, "with a second one"},
    {{"compare", "a.rhr", "--laws", "hertz"}, 2, "need a scene, not a recording"},
    {{"plot", BALL, "ball.z"}, 2, "is no recording; if it is a scene, run it first"},
    {{"export", BALL, "-o", "x.csv"}, 3, "not a recording of Routh; `routh run SCENE`"},
    {{"solve", BALL}, 3, "this is a scene, which `routh run` reads"},
    {{"run", ROUTH_SOURCE_DIR "/scenes/problems/impacts.yaml"}, 3, "which `routh solve` answers"},
};

START_TEST(names_that_are_in_no_table)
{
  rh_refusal_check(&names[_i]);
}

END_TEST

// ---- Files of other kinds

static const struct {
  const char *text;
  const char *says;
} foreign[] = {
    {"<?xml version='1.0'?>\n<mujoco model='x'/>\n",
     ":2:1: error: this is an MJCF file (MuJoCo); include: {mjcf: FILE} reads such"},
    {"<?xml version='1.0'?>\n<!-- a comment -->\n  <sdf version='1.6'/>\n",
     ":3:3: error: this is an SDF file (Gazebo); include: {sdf: FILE} reads such"},
    {"<COLLADA version='1.4.1'/>", ":1:1: error: this is a COLLADA file"},
    {"<launch/>", ":1:1: error: this is a launch file of ROS"},
    {"<garden/>", ":1:1: error: a URDF file begins with <robot>, got <garden>"},
    {"<robot name='r' xmlns:xacro='x'>\n<xacro:include filename='a'/>\n</robot>",
     ":2:1: error: <xacro:include> is of xacro"},
    {"<robot name='r'>\n<link name='a'>\n<inertial>\n<mass "
     "value='${m}'/></inertial></link></robot>",
     "got '${m}': this is of xacro"},
    {"\x89PNG\r\n\x1a\n", "is a PNG picture"},
    {"\x1f\x8b packed", "is packed with gzip"},
};

// As a scene (of which MJCF and SDF are kinds), and where a scene includes a robot.
START_TEST(files_of_other_kinds_are_named)
{
  static const char *const files[] = {"robot.xml", "scene.yaml"};
  rh_folder_enter();
  rh_file_put("robot.xml", foreign[_i].text);
  rh_file_put("scene.yaml", "include: {urdf: robot.xml}\n");
  for (int k = strstr(foreign[_i].text, "<mujoco ") || strstr(foreign[_i].text, "<sdf ") ? 1 : 0;
       k < 2; k++) {
    rh_output output = routh("check", files[k]);
    ck_assert_int_eq(output.exit_code, 3);
    ck_contains(output.err, foreign[_i].says);
    ck_contains(output.err, "robot.xml");
    rh_output_free(&output);
  }
  rh_folder_leave();
}

END_TEST

START_TEST(a_recording_where_a_scene_belongs)
{
  static const char *const words[][5] = {
      {"impact", "a.rhr"}, {"haptic", "a.rhr"}, {"solve", "a.rhr"}};
  rh_folder_enter();
  rh_output made = routh("run", "-q", "--until", "0.1", "-o", "a.rhr");
  ck_assert_int_eq(made.exit_code, 0);
  rh_output_free(&made);
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    rh_output output = rh_program_run(NULL, words[i]);
    ck_assert_int_eq(output.exit_code, 3);
    ck_contains(output.err, "a.rhr: error: is a recording");
    rh_output_free(&output);
  }
  rh_folder_leave();
}

END_TEST

// ---- Notes on robots

static const char robot[] =
    "<robot name='r'>\n"
    "  <material name='grey'/>\n"
    "  <link name='base'><inertial><mass value='1'/>\n"
    "    <inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>\n"
    "    <collision><geometry><sphere radius='0.1'/></geometry></collision></link>\n"
    "  <sensor/>\n"
    "  <gazebo/>\n"
    "</robot>\n";

static const char scene[] = "include: {urdf: robot.urdf, at: [0, 0, 1]}\n"
                            "shapes: [{name: floor, kind: plane, body: world}]\n"
                            "contacts: [{name: feet, body: base, against: world, law: hertz}]\n"
                            "run: {until: 0.1}\n";

START_TEST(notes_on_robots_are_counted)
{
  static const char *const words[][8] = {
      {"run", "scene.yaml", "--no-record"},
      {"check", "scene.yaml"},
      {"check", "robot.urdf"},
      {"compare", "scene.yaml", "--laws", "hertz,kelvin-voigt,hunt-crossley"},
  };
  rh_folder_enter();
  rh_file_put("robot.urdf", robot);
  rh_file_put("scene.yaml", scene);
  rh_output output = rh_program_run(NULL, words[_i]);
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_assert_int_eq(count_of(output.err, "2 notes on robot.urdf; -v prints them\n"), 1);
  ck_assert_int_eq(count_of(output.err, "note: "), 0);
  rh_output_free(&output);
  const char *more[10] = {NULL};
  int n = 0;
  for (; words[_i][n] != NULL; n++) {
    more[n] = words[_i][n];
  }
  more[n] = "-v";
  output = rh_program_run(NULL, more);
  ck_assert_int_eq(output.exit_code, 0);
  ck_assert_int_eq(count_of(output.err, ": note: "), 2);
  ck_assert_int_eq(count_of(output.err, "-v prints"), 0);
  rh_output_free(&output);
  more[n] = "-q";
  output = rh_program_run(NULL, more);
  ck_assert_int_eq(output.exit_code, 0);
  ck_assert_str_eq(output.err, "");
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// Where an error is explained by a note, the note is there without -v.
START_TEST(a_note_that_explains_an_error_is_shown)
{
  rh_folder_enter();
  rh_file_put("robot.urdf", "<robot name='r'><gazebo/>\n<link/></robot>\n");
  rh_file_put("scene.yaml", scene);
  rh_output output = routh("check", "scene.yaml");
  ck_assert_int_eq(output.exit_code, 3);
  ck_contains(output.err, "scene.yaml:1:17: note: it is included here");
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

Suite *rh_suite_cli_refused(void)
{
  Suite *suite = suite_create("cli_refused");
  TCase *tcase = tcase_create("refused");
  tcase_add_loop_test(tcase, json_of_what_is_refused, 0, (int)(sizeof objects / sizeof objects[0]));
  tcase_add_test(tcase, json_has_every_diagnostic);
  tcase_add_test(tcase, json_of_a_run_that_stopped_is_one_object);
  tcase_add_loop_test(tcase, names_that_are_in_no_table, 0, (int)(sizeof names / sizeof names[0]));
  tcase_add_loop_test(tcase, files_of_other_kinds_are_named, 0,
                      (int)(sizeof foreign / sizeof foreign[0]));
  tcase_add_test(tcase, a_recording_where_a_scene_belongs);
  tcase_add_loop_test(tcase, notes_on_robots_are_counted, 0, 4);
  tcase_add_test(tcase, a_note_that_explains_an_error_is_shown);
  suite_add_tcase(suite, tcase);
  return suite;
}
