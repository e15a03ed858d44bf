// cli_events.c: events name the two bodies that meet, whichever engine and law reports them: in the table and the JSON of a run, in its recording, and in the
// page that shows it.
#include "program.h"

#include "recording/recording.h"
#include "scene_io/scene_read.h"

// A ball falls onto a box that lies on the floor.
static const char scene[] = "bodies: [{name: slab, mass: 2}, {name: ball, mass: 1}]\n"
                            "joints:\n"
                            "  - {kind: free, child: slab, q: [0, 0, 0.1, 1, 0, 0, 0]}\n"
                            "  - {kind: free, child: ball, q: [0, 0, 0.4, 1, 0, 0, 0]}\n"
                            "shapes:\n"
                            "  - {body: ball, kind: sphere, radius: 0.1}\n"
                            "  - {body: world, kind: plane}\n"
                            "  - {body: slab, kind: box, size: [1, 1, 0.2]}\n"
                            "contacts: [{name: any, body: all, against: all, %s}]\n"
                            "run: {until: 0.4, %s}\n"
                            "record: {every: 10 ms}\n";

static const struct {
  const char *law, *engine;
} ways[] = {
    {"law: newton, e: 0.5", "integrator: cvode"},
    {"law: newton, e: 0.5", "integrator: rk4"},
    {"law: newton, e: 0.5", "engine: stepping"},
    {"law: hunt-crossley, k: 1e5, alpha: 0.5", "integrator: cvode"},
};

static rh_output run_scene(int way, const char *option)
{
  char text[2000];
  (void)snprintf(text, sizeof text, scene, ways[way].law, ways[way].engine);
  FILE *file = fopen("scene.yaml", "w");
  ck_assert_ptr_nonnull(file);
  ck_assert(fputs(text, file) >= 0 && fclose(file) == 0);
  rh_output output = routh("run", "scene.yaml", "-o", "run.rhr", "--events", option);
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  return output;
}

// Events of a contact in the recording that name these bodies, and those that name none.
static void count_events(const char *first, const char *second, int *named, int *nameless)
{
  rh_diag *diag = rh_diag_create();
  rh_recording *recording = NULL;
  *named = *nameless = 0;
  ck_assert_int_eq(rh_recording_open("run.rhr", diag, &recording), RH_OK);
  const rh_model *model = rh_recording_model(recording);
  for (long i = 0; i < rh_recording_events(recording); i++) {
    rh_event e;
    char want[RH_BODIES_MAX];
    char text[RH_BODIES_MAX];
    ck_assert_int_eq(rh_recording_event(recording, i, &e, diag), RH_OK);
    rh_event_bodies(model, &e, text);
    (void)snprintf(want, sizeof want, "%s on %s", first, second);
    *named += strcmp(text, want) == 0;
    *nameless += text[0] == '\0' && strcmp(e.name, "any") == 0 &&
                 (e.kind == RH_EVENT_IMPACT || e.kind == RH_EVENT_TOUCH);
    ck_assert_msg(strstr(e.note, " on slab") == NULL, "the bodies are still in the note: %s",
                  e.note);
  }
  rh_recording_close(recording);
  rh_diag_destroy(diag);
}

START_TEST(bodies_are_named)
{
  int named;
  int nameless;
  rh_folder_enter();
  rh_output output = run_scene(_i, "-v");
  ck_contains(output.out, "ball on slab");
  rh_output_free(&output);
  output = run_scene(_i, "--json");
  ck_contains(output.out, "\"bodies\": [\n        \"ball\",\n        \"slab\"\n      ]");
  ck_assert(rh_json_valid(output.out));
  rh_output_free(&output);
  count_events("ball", "slab", &named, &nameless);
  ck_assert_int_ge(named, 1);
  ck_assert_int_eq(nameless, 0);
  output = routh("check", "run.rhr");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  rh_output_free(&output);
  output = routh("view", "run.rhr", "--export", "-", "--shallow");
  if (output.exit_code == 0) { // else it was built without its page
    ck_assert_msg(strstr(output.out, "\"bodies\":[\"ball\",\"slab\"]") != NULL,
                  "the page does not name the bodies");
  }
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// Frames within intervals in which contacts are stepped in time have modes that are no whole numbers: the
// recording is sound all the same, and the run is gone on with.
START_TEST(stepped_contacts_are_recorded)
{
  rh_folder_enter();
  rh_output output = routh("run", ROUTH_SOURCE_DIR "/tests/data/storms/limits.yaml", "-o",
                           "run.rhr", "--until", "0.5");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_contains(output.out, "takeover");
  rh_output_free(&output);
  output = routh("check", "run.rhr");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  rh_output_free(&output);
  output = routh("run", "--resume", "run.rhr", "--until", "0.52");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

Suite *rh_suite_cli_events(void)
{
  Suite *suite = suite_create("cli_events");
  TCase *tcase = tcase_create("events");
  tcase_add_loop_test(tcase, bodies_are_named, 0, (int)(sizeof ways / sizeof ways[0]));
  tcase_add_test(tcase, stepped_contacts_are_recorded);
  suite_add_tcase(suite, tcase);
  return suite;
}
