// What commands print, and where: pages within 80 columns, quiet commands, pictures on standard output, the plot that a run
// suggests, groups of channels. Everything is seen from outside.
#include "program.h"

#include <math.h>
#include <sys/stat.h>

#define SCENES ROUTH_SOURCE_DIR "/scenes/"
#define STOP   SCENES "stop.yaml"
#define BALL   SCENES "ball.yaml"
#define PEG    SCENES "haptic-peg-corner.yaml"
#define IMPACT SCENES "problems/impacts.yaml"

static const char *const verbs[] = {
#define RH_VERB(name) #name,
#include "cli/verbs.def"
#undef RH_VERB
};

enum { NVERB = sizeof verbs / sizeof verbs[0] };

static void record(const char *scene, const char *path)
{
  rh_output output = routh("run", scene, "-q", "--until", "0.3", "-o", path);
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_assert_str_eq(output.out, "");
  ck_assert_str_eq(output.err, "");
  rh_output_free(&output);
}

// ---- Pages

// Characters of UTF-8, not bytes
static void ck_narrow(const char *what, const char *text)
{
  while (*text != '\0') {
    size_t length = strcspn(text, "\n");
    int width = 0;
    for (size_t i = 0; i < length; i++) {
      width += ((unsigned char)text[i] & 0xC0) != 0x80;
    }
    ck_assert_msg(width <= 80, "%s: %d columns: %.*s", what, width, (int)length, text);
    text += length + (text[length] == '\n');
  }
}

static void ck_page(const char *const *words)
{
  char what[256] = "";
  for (int i = 0; words[i] != NULL; i++) {
    (void)snprintf(what + strlen(what), sizeof what - strlen(what), "%s ", words[i]);
  }
  rh_output output = rh_program_run(NULL, words);
  ck_assert_msg(output.exit_code == 0, "%s: %s", what, output.err);
  ck_narrow(what, output.out);
  rh_output_free(&output);
}

START_TEST(pages_are_within_80_columns)
{
  rh_folder_enter();
  ck_page((const char *const[]){"help", NULL});
  ck_page((const char *const[]){"list", NULL});
  ck_page((const char *const[]){"law", NULL});
  ck_page((const char *const[]){"paper", NULL});
  for (int i = 0; i < NVERB; i++) {
    ck_page((const char *const[]){verbs[i], "--help", NULL});
  }
  rh_folder_leave();
}

END_TEST

// The names that the reply of --json has, one after the other; false behind the last.
static bool next_name(const char **at, char *name, size_t size)
{
  static const char mark[] = "\n      \"name\": \""; // of a row, not of its parameters
  *at = strstr(*at, mark);
  if (*at == NULL) {
    return false;
  }
  *at += strlen(mark);
  (void)snprintf(name, size, "%.*s", (int)strcspn(*at, "\""), *at);
  return true;
}

// Every kind; of each kind every row.
START_TEST(lists_are_within_80_columns)
{
  char kind[64];
  char row[64];
  int rows = 0;
  rh_folder_enter();
  rh_output kinds = routh("list", "--json");
  for (const char *at = kinds.out; next_name(&at, kind, sizeof kind);) {
    ck_page((const char *const[]){"list", kind, NULL});
    rh_output list = routh("list", kind, "--json");
    for (const char *in = list.out; next_name(&in, row, sizeof row); rows++) {
      if (rh_test_long() || rows % 8 == 0) {
        ck_page((const char *const[]){"list", kind, "--", row, NULL});
      }
    }
    rh_output_free(&list);
  }
  ck_assert_int_gt(rows, 200);
  rh_output_free(&kinds);
  rh_folder_leave();
}

END_TEST

// ---- Quiet

static const struct {
  const char *words[12];
  bool prints; // it was asked to
} quiet[] = {
    {{"run", STOP, "--until", "0.3", "-q"}, false},
    {{"run", STOP, "--until", "0.3", "-q", "--no-record"}, false},
    {{"run", "a.rhr", "-q"}, false},
    {{"run", "--resume", "a.rhr", "-q"}, false},
    {{"run", "--resume", "a.rhr", "--until", "0.4", "-q"}, false},
    {{"run", STOP, "--until", "0.3", "-q", "--json", "--no-record"}, true},
    {{"run", BALL, "--until", "1", "-q", "--events", "--no-record"}, true},
    {{"run", STOP, "-q", "--print-scene"}, true},
    {{"check", STOP, "a.rhr", "-q"}, false},
    {{"check", "robot.urdf", "-q"}, false},
    {{"check", STOP, "-q", "--json"}, true},
    {{"export", "a.rhr", "-q"}, false},
    {{"export", "a.rhr", "-q", "-o", "-"}, true},
    {{"plot", "a.rhr", "hinge.q", "-q"}, false},
    {{"plot", "a.rhr", "-q", "--list"}, true},
    {{"compare", "a.rhr", "a.rhr", "-q"}, true},
    {{"compare", BALL, "--laws", "hertz", "-s", "run.until=0.5", "-q"}, true},
    {{"compare", BALL, "--laws", "hertz", "-s", "run.until=0.5", "-q", "-o", "c.svg"}, false},
    {{"law", "hertz", "-q"}, true},
    {{"law", "hertz", "-q", "-o", "l.svg"}, false},
    {{"impact", IMPACT, "-q"}, true},
    {{"impact", IMPACT, "-q", "-o", "i.svg"}, false},
    {{"haptic", PEG, "--dry-run", "-q"}, false},
    {{"solve", "problems.yaml", "-q"}, true},
    {{"solve", "problems.yaml", "-q", "-o", "answer.json"}, false},
    {{"paper", "-q"}, true},
    {{"list", "-q"}, true},
    {{"help", "-q"}, true},
};

START_TEST(quiet_commands_print_what_was_asked_for)
{
  rh_folder_enter();
  record(STOP, "a.rhr");
  rh_file_put("robot.urdf", "<robot name='r'><material/><link name='a'><inertial><mass value='1'/>"
                            "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
                            "</inertial></link></robot>\n");
  rh_file_put("problems.yaml", "- {id: a, kind: lcp, inputs: {A: [[1]], b: [-1]}}\n");
  rh_output output = rh_program_run(NULL, quiet[_i].words);
  ck_assert_msg(output.exit_code == 0, "exit code %d: %s", output.exit_code, output.err);
  ck_assert_str_eq(output.err, "");
  ck_assert_msg((output.out[0] != '\0') == quiet[_i].prints, "printed: %s", output.out);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// What makes --strict refuse a scene is an error, and printed.
START_TEST(quiet_and_strict_say_why)
{
  rh_folder_enter();
  rh_file_put("robot.urdf", "<robot name='r'><colour/><link name='a'><inertial><mass value='1'/>"
                            "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
                            "</inertial></link></robot>\n");
  rh_output output = routh("run", "robot.urdf", "-q", "--no-record", "--until", "0.1");
  ck_assert_int_eq(output.exit_code, 0);
  ck_assert_str_eq(output.err, "");
  rh_output_free(&output);
  output = routh("run", "robot.urdf", "-q", "--no-record", "--strict");
  ck_assert_int_eq(output.exit_code, 3);
  ck_contains(output.err, "warning: <colour> is not known");
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// ---- Standard output

// A browser of our own prints what a page with one picture would.
START_TEST(a_picture_on_standard_output)
{
  rh_folder_enter();
  record(STOP, "a.rhr");
  rh_file_put("browser", "#!/bin/sh\nprintf 'id=\"shots\">\\niVBORw0KGgpmYWtl\\n</pre>'\n");
  ck_assert_int_eq(chmod("browser", 0755), 0);
  ck_assert_int_eq(setenv("ROUTH_BROWSER", "./browser", 1), 0);
  rh_output output = routh("view", "a.rhr", "--png", "-");
  if (output.exit_code == 5 && strstr(output.err, "built without its page") != NULL) {
    printf("view --png - was not tried: no page in this build\n");
  } else {
    ck_assert_msg(output.exit_code == 0, "%s", output.err);
    ck_assert_uint_eq(output.nout, 12);
    ck_assert_mem_eq(output.out, "\x89PNG\r\n\x1a\nfake", 12);
    ck_assert_str_eq(output.err, "");
  }
  ck_assert(!rh_file_there("-"));
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

static const struct {
  const char *words[12];
  const char *begins; // standard output has this, from its first byte, and nothing else
} streamed[] = {
    {{"plot", "a.rhr", "hinge.q", "-o", "-"}, "<?xml"},
    {{"law", "hertz", "-o", "-"}, "<?xml"},
    {{"law", "hertz", "--svg", "-"}, "<?xml"},
    {{"impact", IMPACT, "-o", "-"}, "<?xml"},
    {{"compare", BALL, "--laws", "hertz", "-s", "run.until=0.5", "-o", "-"}, "<?xml"},
    {{"export", "a.rhr", "-o", "-"}, "# routh: "},
    {{"solve", "problems.yaml", "-o", "-"}, "{"},
    {{"check", STOP, "--json", "-o", "-"}, "{"},
    {{"check", STOP, "--print-scene", "-o", "-"}, ""},
    {{"run", STOP, "--print-scene", "-o", "-"}, ""},
    {{"run", SCENES "stack.yaml", "--until", "0.05", "--no-record", "--dump", "-"}, "["},
};

START_TEST(outputs_on_standard_output)
{
  rh_folder_enter();
  record(STOP, "a.rhr");
  rh_file_put("problems.yaml", "- {id: a, kind: lcp, inputs: {A: [[1]], b: [-1]}}\n");
  int before = rh_folder_count();
  rh_output output = rh_program_run(NULL, streamed[_i].words);
  ck_assert_msg(output.exit_code == 0, "exit code %d: %s", output.exit_code, output.err);
  size_t length = strlen(streamed[_i].begins);
  ck_assert_msg(strncmp(output.out, streamed[_i].begins, length) == 0, "printed: %.200s",
                output.out);
  ck_assert_msg(output.nout > length, "nothing was printed");
  if (streamed[_i].begins[0] == '<') {
    const char *end = strstr(output.out, "</svg>");
    ck_assert_ptr_nonnull(end);
    ck_assert_uint_le(strlen(end), strlen("</svg>\n\n"));
  } else if (streamed[_i].begins[0] == '{' || streamed[_i].begins[0] == '[') {
    ck_assert_msg(rh_json_valid(output.out), "not JSON:\n%.400s", output.out);
  }
  ck_assert_ptr_null(strstr(output.err, "wrote"));
  ck_assert_int_eq(rh_folder_count(), before);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

static const rh_refusal not_streamed[] = {
    {{"run", "-o", "-"}, 2, "a recording cannot go to standard output"},
    {{"run", "--json", "--dump", "-"}, 2, "cannot both go to standard output"},
    {{"view", BALL, "-o", "-"}, 2, "a recording cannot go to standard output"},
    {{"haptic", PEG, "-o", "-"}, 2, "a recording cannot go to standard output"},
    {{"law", "hertz", "--json", "-o", "-"}, 2, "cannot both go to standard output"},
    {{"impact", IMPACT, "--json", "-o", "-"}, 2, "cannot both go to standard output"},
    {{"compare", BALL, "--laws", "hertz", "--json", "-o", "-"}, 2, "cannot both go to standard"},
};

START_TEST(what_cannot_go_to_standard_output)
{
  rh_refusal_check(&not_streamed[_i]);
}

END_TEST

START_TEST(many_pictures_cannot_go_to_standard_output)
{
  rh_folder_enter();
  record(STOP, "a.rhr");
  rh_output output = routh("view", "a.rhr", "--frames", "-");
  ck_assert_int_eq(output.exit_code, 2);
  ck_contains(output.err, "--frames needs a folder");
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// ---- The plot that a run suggests

static const struct {
  const char *joints; // of two bodies
  const char *plots;  // NULL: nothing moves, nothing is suggested
} suggested[] = {
    {"  - {name: still, kind: free, child: a, at: [5, 0, 0]}\n"
     "  - {name: fall, kind: prismatic, child: b, axis: [0, 0, 1], v: [1]}\n",
     " fall.q\n"},
    {"  - {name: still, kind: prismatic, child: a, axis: [1, 0, 0]}\n"
     "  - {name: spin, kind: free, child: b, v: [0, 0, 0, 0, 0, 1]}\n",
     " spin.q"},
    {"  - {name: slow, kind: prismatic, child: a, axis: [1, 0, 0], v: [0.5]}\n"
     "  - {name: fast, kind: revolute, child: b, axis: [0, 0, 1], v: [2]}\n",
     " fast.q\n"},
    {"  - {name: one, kind: prismatic, child: a, axis: [1, 0, 0]}\n"
     "  - {name: two, kind: prismatic, child: b, axis: [0, 1, 0]}\n",
     NULL},
};

START_TEST(the_plot_suggested_is_of_what_moves)
{
  char text[1024];
  (void)snprintf(text, sizeof text,
                 "world: {gravity: [0, 0, 0]}\n"
                 "bodies:\n"
                 "  - {name: a, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}\n"
                 "  - {name: b, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}\n"
                 "joints:\n%s"
                 "run: {until: 1}\n",
                 suggested[_i].joints);
  rh_folder_enter();
  rh_output output = routh_with(text, "run", "-", "-o", "a.rhr");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_contains(output.out, "next  routh view a.rhr");
  const char *plot = strstr(output.out, "routh plot a.rhr");
  ck_assert_msg((plot != NULL) == (suggested[_i].plots != NULL), "%s", output.out);
  if (plot != NULL) {
    ck_contains(plot, suggested[_i].plots);
    char channel[64];
    (void)snprintf(channel, sizeof channel, "%.*s", (int)strcspn(plot + 17, "\n"), plot + 17);
    rh_output again = routh("export", "a.rhr", "--channels", channel, "-o", "-"); // it is there
    ck_assert_msg(again.exit_code == 0, "%s", again.err);
    rh_output_free(&again);
  }
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// ---- Groups of channels

static int columns_of(const char *csv)
{
  const char *head = strstr(csv, "\nt [s]");
  ck_assert_ptr_nonnull(head);
  int columns = 1;
  for (const char *c = head + 1; *c != '\n'; c++) {
    columns += *c == ',';
  }
  return columns;
}

START_TEST(csv_has_the_usual_groups)
{
  rh_folder_enter();
  record(BALL, "a.rhr");
  rh_output output = routh("export", "a.rhr", "-o", "-");
  int usual = columns_of(output.out);
  ck_contains(output.out, "ball.z [m]");
  ck_contains(output.out, "energy.kinetic [J]");
  ck_contains(output.out, ".normal [N]");
  ck_assert_ptr_null(strstr(output.out, "momentum.x"));
  ck_assert_ptr_null(strstr(output.out, ".slip1"));
  rh_output_free(&output);
  output = routh("export", "a.rhr", "-o", "-", "--groups", "all");
  int all = columns_of(output.out);
  ck_contains(output.out, "momentum.x");
  rh_output_free(&output);
  ck_assert_int_gt(all, usual);
  output = routh("export", "a.rhr", "-o", "-", "--groups", "bodies");
  ck_contains(output.out, "\nt [s],ball.px [m],ball.py [m],ball.pz [m]\n");
  rh_output_free(&output);
  output =
      routh("export", "a.rhr", "-o", "-", "--groups", "bodies", "--channels", "ball.z,ball.px");
  ck_contains(output.out, "\nt [s],ball.px [m],ball.py [m],ball.pz [m],ball.z [m]\n");
  rh_output_free(&output);
  output = routh("export", "a.rhr", "-o", "a.csv");
  ck_contains(output.err, "--groups all exports all");
  rh_output_free(&output);
  output = routh("export", "a.rhr", "-o", "a.h5", "--json"); // all, as before
  ck_assert_double_eq(rh_json_number_at(output.out, "channels"), all - 1);
  rh_output_free(&output);
  output = routh("export", "a.rhr", "-o", "-", "--groups", "haptic");
  ck_assert_int_eq(output.exit_code, 3);
  ck_contains(output.err, "has no channel of haptic");
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// The groups share out the channels: their columns are those of all.
START_TEST(every_channel_is_in_one_group)
{
  int sum = 0;
  char name[64];
  rh_folder_enter();
  record(SCENES "stack.yaml", "a.rhr");
  rh_output output = routh("export", "a.rhr", "-o", "-", "--groups", "all");
  int all = columns_of(output.out) - 1;
  rh_output_free(&output);
  rh_output groups = routh("list", "groups", "--json");
  for (const char *at = groups.out; next_name(&at, name, sizeof name);) {
    output = routh("export", "a.rhr", "-o", "-", "--groups", name);
    sum += output.exit_code == 0 ? columns_of(output.out) - 1 : 0;
    rh_output_free(&output);
  }
  ck_assert_int_eq(sum, all);
  rh_output_free(&groups);
  rh_folder_leave();
}

END_TEST

// ---- What the README says of moreau

static const char moments[] =
    "bodies: [{name: a, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}]\n"
    "joints: [{name: j, kind: prismatic, child: a, axis: [0, 0, 1], q: [1], limits: [0, 2]}]\n"
    "actuators: [{name: m, joint: j}]\n"
    "forces: [{name: f, body: a, force: [0, 0, 1], from: 0.0432, until: 0.0777}]\n"
    "events: [{name: e, time: 0.1234, actuator: m, effort: 1}]\n";

// Moments wait for the end of the step they fall in; a stop without bounce is no event, one with bounce is located.
START_TEST(what_moreau_does_not_locate)
{
  rh_folder_enter();
  rh_output output = routh_with(moments, "run", "-", "--no-record", "--until", "1", "--engine",
                                "stepping", "--dt", "0.01");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_contains(output.out, "0.050000000  force-on");
  ck_contains(output.out, "0.080000000  force-off");
  ck_contains(output.out, "0.130000000  switch");
  ck_assert_ptr_null(strstr(output.out, "catch"));
  rh_output_free(&output);
  output = routh_with(moments, "run", "-", "--no-record", "--until", "1");
  ck_contains(output.out, "0.043200000  force-on");
  ck_contains(output.out, "0.123400000  switch");
  ck_contains(output.out, "catch");
  rh_output_free(&output);
  output = routh_with(moments, "run", "-", "--json", "--no-record", "--until", "0.5", "--engine",
                      "stepping", "--dt", "0.01", "-s", "j.bounce=0.5");
  const char *bounce = strstr(output.out, "\"bounce\"");
  ck_assert_msg(bounce != NULL, "%s", output.out);
  while (strncmp(bounce, "\"t\":", 4) != 0) {
    bounce--;
  }
  double steps = rh_json_number_at(bounce, "t") / 0.01;
  ck_assert_msg(fabs(steps - round(steps)) > 0.01, "the bounce is at a step: %g", steps);
  rh_output_free(&output);
  output = routh_with(moments, "check", "-", "-s", "run.engine=stepping", "-s", "events.0.joint=j",
                      "-s", "events.0.position=0.5");
  ck_assert_int_eq(output.exit_code, 3);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

#define ADD(test, table)                                                                           \
  tcase_add_loop_test(tcase, test, 0, (int)(sizeof(table) / sizeof((table)[0])))

// A ball flies at 1 m/s at a wall 10 mm thick, 0.485 m away: it strikes once, whatever the frames.
START_TEST(a_thin_wall_is_struck_at_every_interval)
{
  static const char scene[] =
      "world: {gravity: [0, 0, 0]}\n"
      "bodies: [{name: ball, mass: 0.1}]\n"
      "joints: [{kind: free, child: ball, q: [0, 0, 0, 1, 0, 0, 0], v: [1, 0, 0, 0, 0, 0]}]\n"
      "shapes:\n"
      "  - {body: world, kind: box, size: [0.01, 2, 2], at: [0.5, 0, 0]}\n"
      "  - {body: ball, kind: sphere, radius: 0.01}\n"
      "contacts: [{name: wall, body: ball, against: world, law: newton, e: 0.5}]\n"
      "run: {until: 1}\n";
  static const char *const stepper[] = {"run.integrator=cvode", "run.integrator=rk4",
                                        "run.integrator=euler", "run.integrator=gbs",
                                        "run.engine=stepping"};
  static const char *const every[] = {"0.01", "0.02", "0.05", "0.3", "1"};
  rh_folder_enter();
  for (int i = 0; i < (int)(sizeof stepper / sizeof *stepper); i++) {
    for (int k = 0; k < (int)(sizeof every / sizeof *every); k++) {
      const char *words[] = {"run",      "-",      "--every",     every[k], "-s",
                             stepper[i], "--json", "--no-record", NULL};
      rh_output output = rh_program_run(scene, words);
      ck_assert_msg(output.exit_code == 0, "%s: %s", stepper[i], output.err);
      ck_assert_msg(strstr(output.out, "\"impacts\": 1,") != NULL, "%s --every %s:\n%s", stepper[i],
                    every[k], output.out);
      rh_output_free(&output);
    }
  }
  rh_folder_leave();
}

END_TEST

Suite *rh_suite_cli_output(void)
{
  Suite *suite = suite_create("cli_output");
  TCase *tcase = tcase_create("output");
  tcase_add_test(tcase, pages_are_within_80_columns);
  tcase_add_test(tcase, lists_are_within_80_columns);
  ADD(quiet_commands_print_what_was_asked_for, quiet);
  tcase_add_test(tcase, quiet_and_strict_say_why);
  tcase_add_test(tcase, a_picture_on_standard_output);
  ADD(outputs_on_standard_output, streamed);
  ADD(what_cannot_go_to_standard_output, not_streamed);
  tcase_add_test(tcase, many_pictures_cannot_go_to_standard_output);
  ADD(the_plot_suggested_is_of_what_moves, suggested);
  tcase_add_test(tcase, csv_has_the_usual_groups);
  tcase_add_test(tcase, every_channel_is_in_one_group);
  tcase_add_test(tcase, what_moreau_does_not_locate);
  tcase_add_test(tcase, a_thin_wall_is_struck_at_every_interval);
  suite_add_tcase(suite, tcase);
  return suite;
}
