// What impacts and slides of thrown boxes say by themselves (routh fit): synthetic tosses of known truth with noise, and measured ones.
#include "fit/fit_belief.h"
#include "program.h"

#include <math.h>
#include <routh/routh.h>

#define RATE  148.0 // [1/s] rows
#define PLACE 5e-5  // [m] noise
#define TURN  5e-4  // [rad]

enum { TOSSES = 40, ROWS = 150 };

// Numbers of the truth: where they stand in the scene below
#define SCENE                                                                                      \
  "world: {gravity: [0, 0, -9.61]}\n"                                                              \
  "bodies: [{name: b, mass: 0.37, com: [%s], inertia: [%s, 0, 0, 0]}]\n"                           \
  "joints: [{name: j, kind: free, child: b, q: [0, 0, %.17g, %.17g, %.17g, %.17g, %.17g], v: "     \
  "[%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]}]\n"                                                 \
  "shapes: [{body: world, kind: plane}, {body: b, kind: box, size: [0.1, 0.1, 0.1], "              \
  "round: %s}]\n"                                                                                  \
  "contacts: [{name: floor, body: b, against: world, law: stronge, e: %s, friction: dry, mu_s: "   \
  "%.17g, mu_k: %.17g, v_stribeck: %.17g, mu_impact: [%s]}]\n"                                     \
  "run: {until: 1.2}\n"

#define MU_K     0.2
#define MU_S     0.28
#define STRIBECK 0.4 // [m/s]

typedef struct toss { // without noise
  int n;
  double row[ROWS][7];
} toss;

static double next_number(unsigned long long *seed) // in (0, 1)
{
  *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return ((double)(*seed >> 11) + 0.5) / 9007199254740992.0;
}

static double next_normal(unsigned long long *seed) // Box and Muller
{
  double u = next_number(seed);
  return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * next_number(seed));
}

static void write_scene(char *text, size_t size, bool truth, unsigned long long *seed)
{
  double q[4];
  double v[6];
  double norm = 0;
  for (int i = 0; i < 4; i++) {
    q[i] = next_normal(seed);
    norm += q[i] * q[i];
  }
  for (int i = 0; i < 6; i++) {
    v[i] = next_normal(seed) * (i < 3 ? 0.1 : 5);
  }
  double way = 6.283185307179586 * next_number(seed);
  int n = snprintf(text, size, SCENE, truth ? "0.001, -0.002, 0.004" : "0, 0, 0",
                   truth ? "8e-4, 9e-4, 1e-3" : "8.5e-4, 8.5e-4, 8.5e-4", 0.2, q[0] / sqrt(norm),
                   q[1] / sqrt(norm), q[2] / sqrt(norm), q[3] / sqrt(norm), v[0] + cos(way),
                   v[1] + sin(way), v[2], v[3], v[4], v[5], truth ? "0.003" : "0.001",
                   truth ? "0.35" : "0.5", truth ? MU_S : 0.2, truth ? MU_K : 0.2,
                   truth ? STRIBECK : 0.0, truth ? "0.16" : "0.3");
  ck_assert_int_lt(n, (int)size);
}

static void run_toss(unsigned long long *seed, toss *to)
{
  char text[2000];
  write_scene(text, sizeof text, true, seed);
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  rh_sim *sim = NULL;
  ck_assert_int_eq(rh_scene_parse(text, strlen(text), "toss", NULL, 0, NULL, &scene), RH_OK);
  ck_assert_int_eq(rh_scene_compile(scene, NULL, &model), RH_OK);
  ck_assert_int_eq(rh_sim_create(model, NULL, &sim), RH_OK);
  for (to->n = 0; to->n < ROWS; to->n++) {
    ck_assert_int_eq(rh_sim_run(sim, to->n / RATE), RH_OK);
    memcpy(to->row[to->n], rh_sim_view(sim)->q, sizeof to->row[0]);
  }
  rh_sim_destroy(sim);
  rh_model_destroy(model);
  rh_scene_destroy(scene);
}

// Rows with noise: of the attitude a turn by a small vector, to first order
static void write_tosses(const char *name, const toss *list, int n, unsigned long long seed)
{
  FILE *to = fopen(name, "w");
  ck_assert_ptr_nonnull(to);
  (void)fprintf(to, "trial,t,j.x,j.y,j.z,j.qw,j.qx,j.qy,j.qz\n");
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < list[k].n; i++) {
      const double *q = list[k].row[i];
      double a[3];
      for (int c = 0; c < 3; c++) {
        a[c] = 0.5 * TURN * next_normal(&seed);
      }
      (void)fprintf(to, "%d,%.17g", k, i / RATE);
      for (int c = 0; c < 3; c++) {
        (void)fprintf(to, ",%.17g", q[c] + PLACE * next_normal(&seed));
      }
      const double *p = q + 3;
      (void)fprintf(to, ",%.17g,%.17g,%.17g,%.17g\n",
                    p[0] - a[0] * p[1] - a[1] * p[2] - a[2] * p[3],
                    p[1] + a[0] * p[0] + a[1] * p[3] - a[2] * p[2],
                    p[2] - a[0] * p[3] + a[1] * p[0] + a[2] * p[1],
                    p[3] + a[0] * p[2] - a[1] * p[1] + a[2] * p[0]);
    }
  }
  ck_assert_int_eq(fclose(to), 0);
}

// ---- What the phases say of them

typedef struct phases_said { // by data of a file
  rh_fit_answer answer;
  rh_fit_work work;
  rh_fit_data data;
} phases_said;

static char data_file[] = "tosses.csv";
static char noise_words[][16] = {"j.x=1e-4", "j.y=1e-4", "j.z=1e-4", "j.q*=1e-3"};

// As routh fit begins, without a run of the scene
static void ask_phases(phases_said *p)
{
  char *file[] = {data_file};
  char *noise[] = {noise_words[0], noise_words[1], noise_words[2], noise_words[3]};
  const rh_request request = {0};
  const rh_fit_job job = {.request = &request,
                          .scene = "box.yaml",
                          .data = {file, 1},
                          .noise = {noise, 4},
                          .start = RH_FIT_START_DATA,
                          .threads = 1};
  *p = (phases_said){0};
  p->work =
      (rh_fit_work){.job = &job, .data = &p->data, .answer = &p->answer, .diag = rh_diag_create()};
  ck_assert_int_eq(rh_fit_read_data(&job, p->work.diag, &p->data), RH_OK);
  ck_assert_int_eq(rh_fit_open(&job, &p->data, p->work.diag, &p->work.problem), RH_OK);
  rh_fit_name_joints(p->work.problem, &p->answer);
  ck_assert_int_eq(rh_fit_begin_by_phases(&p->work), RH_OK);
  rh_fit_close(p->work.problem);
  rh_fit_free_data(&p->data);
  rh_diag_destroy(p->work.diag);
}

typedef struct tally {
  int n, covered;
} tally;

static void note_interval(const rh_fit_measure *list, int n, const char *name, double truth,
                          tally *t)
{
  for (int i = 0; i < n; i++) {
    if (strcmp(list[i].name, name) == 0) {
      ck_assert_msg(list[i].determined, "%s is not determined", name);
      t->n++;
      t->covered += list[i].low <= truth && truth <= list[i].high;
      return;
    }
  }
  ck_abort_msg("no %s", name);
}

static double sliding_friction(double v)
{
  return MU_K + (MU_S - MU_K) * exp(-(v / STRIBECK) * (v / STRIBECK));
}

static void note_all(const rh_fit_answer *a, tally *body, tally *law, tally *slides)
{
  static const struct {
    const char *name;
    double truth;
  } want[] = {{"bodies.b.com[0]", 0.001},    {"bodies.b.com[1]", -0.002},
              {"bodies.b.com[2]", 0.004},    {"bodies.b.inertia[0]", 8e-4},
              {"bodies.b.inertia[1]", 9e-4}, {"bodies.b.inertia[2]", 1e-3},
              {"shapes.1.round", 0.003}};

  const rh_fit_impacts *m = &a->impacts[0];
  for (int i = 0; i < RH_COUNT(want); i++) {
    note_interval(m->measure, m->nmeasure, want[i].name, want[i].truth, body);
  }
  ck_assert_int_eq(m->njumps, 1);
  note_interval(m->jumps[0].value, m->jumps[0].nvalue, "e", 0.35, law);
  note_interval(m->jumps[0].value, m->jumps[0].nvalue, "mu", 0.16, law);
  note_interval(m->jumps[0].value, m->jumps[0].nvalue, "e_power", 0, law);
  note_interval(m->jumps[0].value, m->jumps[0].nvalue, "mu_power", 0, law);
  const rh_fit_slides *s = &a->slides[0];
  ck_assert_int_ge(s->bins, 2);
  for (int i = 0; i < s->bins;
       i++) { // the mean over the speeds of the part lies between those at its ends
    slides->n++;
    slides->covered += s->bin[i].low <= sliding_friction(s->from[i]) &&
                       sliding_friction(s->to[i]) <= s->bin[i].high;
  }
}

// At least 95 % of the intervals cover the truth; three deviations of the binomial distribution are allowed, with as many
// independent numbers as data sets (those of one set share their noise).
static void check_cover(const char *name, const tally *t, int sets)
{
  double share = (double)t->covered / t->n;
  (void)fprintf(stderr, "cli_fit_phases: %s: %.1f %% of %d intervals cover the truth\n", name,
                100 * share, t->n);
  ck_assert_msg(share >= 0.95 - 3 * sqrt(0.95 * 0.05 / sets), "%s: %.3f", name, share);
}

// Tosses of a box by a scene with other values: the centre of mass in the centre, equal moments of inertia, sharper edges, and other
// coefficients.
START_TEST(intervals_cover_truth)
{
  static toss list[TOSSES];
  static phases_said said;
  char text[2000];
  unsigned long long seed = 7;
  int sets = rh_trials(24);
  tally body = {0, 0};
  tally law = {0, 0};
  tally slides = {0, 0};
  for (int i = 0; i < TOSSES; i++) {
    run_toss(&seed, &list[i]);
  }
  rh_folder_enter();
  write_scene(text, sizeof text, false, &seed);
  rh_file_put("box.yaml", text);
  for (int k = 0; k < sets; k++) {
    write_tosses(data_file, list, TOSSES, 100 + (unsigned long long)k);
    ask_phases(&said);
    note_all(&said.answer, &body, &law, &slides);
  }
  check_cover("centre of mass, inertia, edges", &body, sets);
  check_cover("restitution and friction of impacts", &law, sets);
  check_cover("friction of slides", &slides, sets);
  rh_folder_leave();
}

END_TEST

static const char *value_at(const char *text, const char *name)
{
  char word[100];
  (void)snprintf(word, sizeof word, "\"name\": \"%s\"", name);
  const char *at = strstr(text, word);
  ck_assert_msg(at != NULL, "no %s in:\n%s", name, text);
  return at;
}

// Where the user frees values that the phases determine, the search begins there, and says so; the found ones are those of the truth
// within the noise, from starts a factor of two off. Windows of 60 ms after a flight have one impact or two.
START_TEST(search_begins_with_phases)
{
  static toss list[TOSSES];
  char text[2000];
  unsigned long long seed = 11;
  for (int i = 0; i < TOSSES / 2; i++) {
    run_toss(&seed, &list[i]);
  }
  rh_folder_enter();
  write_scene(text, sizeof text, false, &seed);
  rh_file_put("box.yaml", text);
  write_tosses(data_file, list, TOSSES / 2, 3);
  rh_output output =
      routh("fit", "box.yaml", "--data", data_file, "--start", "data", "--window", "contacts:0.06",
            "--free", "floor.e=0.05:0.9,b.com[2]=-0.02:0.02", "--noise",
            "j.x=5e-5,j.y=5e-5,j.z=5e-5,j.q*=5e-4", "--quick", "-o", "a.html");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_contains(output.out, "single impacts");
  ck_contains(output.out, "law stronge");
  ck_contains(output.out, ", a start of the search");
  ck_contains(output.out, "the search began with these values");
  rh_output_free(&output);
  char *page = rh_file_text("a.html", NULL);
  ck_assert_ptr_nonnull(page);
  ck_contains(page, "Impacts and slides by themselves");
  free(page);
  output = routh("fit", "box.yaml", "--data", data_file, "--start", "data", "--window",
                 "contacts:0.06", "--noise", "j.x=5e-5,j.y=5e-5,j.z=5e-5,j.q*=5e-4", "--json");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  near_abs(rh_json_number_at(value_at(output.out, "e"), "value"), 0.35, 0.01);
  near_abs(rh_json_number_at(value_at(output.out, "bodies.b.com[2]"), "value"), 0.004, 2e-4);
  ck_contains(output.out, "\"phases_start\": false");
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// Impacts of a ball given by rows, whose restitution is 0.6 at x < 0 and 0.4 beyond: that is said, and the ball is found, by a scene with
// an inertia 30 % off; tests/data/fit/knocks.csv has noise of 3e-3 m/s and 0.05 rad/s in 60 impacts, so inertia to 1 % and mu to 2 %.
START_TEST(restitution_by_place)
{
  static const char scene[] = ROUTH_SOURCE_DIR "/tests/data/fit/knocks.yaml";
  static const char data[] = ROUTH_SOURCE_DIR "/tests/data/fit/knocks.csv";
  rh_folder_enter();
  rh_output output =
      routh("fit", scene, "--data", data, "--start", "data", "--noise",
            "j.v*=0.003,j.w*=0.05,j.x=1e-3,j.y=1e-3,j.z=1e-3,j.q*=1e-3", "--quick", "--json");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  const char *trends = strstr(output.out, "\"trends\": [");
  ck_assert_ptr_nonnull(trends);
  ck_contains(trends, "\"of\": \"restitution\"");
  const char *by = strstr(trends, "\"by\": \"");
  ck_assert(by != NULL && strncmp(by, "\"by\": \"place x\"", 15) == 0);
  ck_assert(rh_json_number_at(trends, "share") > 0.7);
  near_abs(rh_json_number_at(value_at(output.out, "bodies.ball.inertia[1]"), "value"), 1e-4, 1e-6);
  const char *ratio = strstr(output.out, "\"ratio\": {");
  ck_assert_ptr_nonnull(ratio);
  near_abs(rh_json_number_at(ratio, "value"), 0.2, 0.004);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// ---- Measured tosses of a cube, with ROUTH_DATA set to a folder that holds cube_toss (its README)

// The first 100 of them, by a plain box with the published values, centre of mass in the centre. By other means (docs/fit.md): the centre
// of mass 5 mm off, friction in impacts 0.165, in slides 0.20 to 0.23 and rising with the speed. The bars: 1 mm, since contacts of the soft
// table last a row and more; 0.01 (three deviations); intervals of the parts.
START_TEST(measured_tosses)
{
  static const char cube[] =
      "world: {gravity: [0, 0, -9.61]}\n"
      "bodies: [{name: cube, mass: 0.37, com: [0, 0, 0], inertia: [8.1e-4, 8.1e-4, 8.1e-4, 0, 0, "
      "0]}]\n"
      "joints: [{name: j, kind: free, child: cube, q: [0, 0, 1, 1, 0, 0, 0]}]\n"
      "shapes: [{body: world, kind: plane}, {name: box, body: cube, kind: box, size: [0.1026, "
      "0.1026, 0.1026], round: 0.001}]\n"
      "contacts: [{name: floor, body: cube, against: world, law: stronge, e: 0.125, friction: dry, "
      "mu_s: 0.18, mu_k: 0.18}]\n"
      "run: {until: 1}\n";
  const char *data = getenv("ROUTH_DATA");
  char command[1200];
  rh_folder_enter();
  (void)snprintf(command, sizeof command,
                 "gzip -dc '%s/cube_toss/train.csv.gz' 2>/dev/null | head -n 10600 > tosses.csv",
                 data != NULL ? data : "");
  struct stat file;
  if (data == NULL || system(command) != 0 || stat("tosses.csv", &file) != 0 ||
      file.st_size < 100000) {
    (void)fprintf(stderr, "cli_fit_phases: ROUTH_DATA is not set, or has no cube_toss: measured "
                          "tosses are not checked\n");
    rh_folder_leave();
    return;
  }
  rh_file_put("cube.yaml", cube);
  rh_output output = routh(
      "fit", "cube.yaml", "--data", "tosses.csv", "--rename",
      "toss=trial,x=j.x,y=j.y,z=j.z,qw=j.qw,qx=j.qx,qy=j.qy,qz=j.qz,vx=-,vy=-,vz=-,wx=-,wy=-,wz=-",
      "--start", "data", "--noise", "j.q*=0.01,j.x=3e-4,j.y=3e-4,j.z=3e-4", "--json");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  const char *impacts = strstr(output.out, "\"impacts\": [");
  const char *slides = strstr(output.out, "\"slides\": [");
  ck_assert(impacts != NULL && slides != NULL);
  double com = rh_json_number_at(value_at(impacts, "bodies.cube.com[2]"), "value");
  double mu = rh_json_number_at(value_at(impacts, "mu"), "value");
  double level = rh_json_number_at(value_at(slides, "mu"), "value");
  double slope = rh_json_number_at(value_at(slides, "mu over speed"), "low");
  (void)fprintf(stderr,
                "cli_fit_phases: cube: centre of mass %.2f mm, friction in impacts %.3f, in slides "
                "%.3f, rising by more than %.3f per m/s\n",
                1e3 * com, mu, level, slope);
  near_abs(com, 0.0055, 0.001);
  near_abs(mu, 0.165, 0.01);
  near_abs(level, 0.215, 0.01);
  ck_assert(slope > 0);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

Suite *rh_suite_cli_fit_phases(void)
{
  Suite *suite = suite_create("cli_fit_phases");
  TCase *tests = tcase_create("phases");
  tcase_add_test(tests, intervals_cover_truth);
  tcase_add_test(tests, search_begins_with_phases);
  tcase_add_test(tests, restitution_by_place);
  tcase_add_test(tests, measured_tosses);
  suite_add_tcase(suite, tests);
  return suite;
}
