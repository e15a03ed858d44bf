// `routh sweep`, seen from outside: results against closed forms, the same bytes for any number of
// workers and after kills, MPI where it is there.
#include "program.h"

#include <math.h>
#include <signal.h>

// Thrown upwards from the origin: z = v t - g t^2 / 2, without contacts.
static const char thrown[] = "bodies: [{name: ball, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}]\n"
                             "joints: [{kind: free, child: ball, v: [0, 0, 1, 0, 0, 0]}]\n"
                             "world: {gravity: [0, 0, -9.81]}\n"
                             "run: {until: 1, rtol: 1e-10}\n"
                             "record: {every: 0.01}\n";

#define BALL ROUTH_SOURCE_DIR "/scenes/ball.yaml"
#define SWEEP                                                                                      \
  "sweep", BALL, "--vary", "floor.mu=uniform(0,0.5)", "--vary", "ball.q.2=normal(20 mm,1 mm)",     \
      "--cases", "300", "-s", "run.until=0.03", "--out", "ball.vx@end,events,residue"

// Line `line` (from 0) of a CSV file, column `column`.
static double csv_cell(const char *csv, int line, int column)
{
  for (; line > 0; line--) {
    csv = strchr(csv, '\n') + 1;
  }
  for (; column > 0; column--) {
    csv = strchr(csv, ',') + 1;
  }
  return strtod(csv, NULL);
}

// The n-th "value": (from 0).
static double value_at(const char *text, int n)
{
  for (int i = 0; i <= n; i++) {
    text = strstr(text, "\"value\": ");
    ck_assert_ptr_nonnull(text);
    text += 9;
  }
  return strtod(text, NULL);
}

static void run_well(rh_output output)
{
  ck_assert_msg(output.exit_code == 0, "%d: %s", output.exit_code, output.err);
  rh_output_free(&output);
}

static void check_same(const char *a, const char *b)
{
  size_t size[2];
  char *bytes[2] = {rh_file_text(a, &size[0]), rh_file_text(b, &size[1])};
  ck_assert_ptr_nonnull(bytes[0]);
  ck_assert_ptr_nonnull(bytes[1]);
  ck_assert_uint_eq(size[0], size[1]);
  ck_assert_int_eq(memcmp(bytes[0], bytes[1], size[0]), 0);
  free(bytes[0]);
  free(bytes[1]);
}

// Integrated to 1e-10. Trapezia of h = 0.01 s see a parabola too low by h^2 / 12 of the second
// derivative, g: 8.2e-5 m, and that is taken off.
START_TEST(reductions_against_closed_forms)
{
  rh_folder_enter();
  rh_file_put("thrown.yaml", thrown);
  run_well(routh("sweep", "thrown.yaml", "--vary", "ball.v.2=1:9:5", "--vary",
                 "world.gravity.2=-10,-2", "-q", "--out",
                 "ball.z@end,ball.z@start,ball.z@mean,ball.vz@min,ball.vz@max,ball.vz@rms,2*ball.z+"
                 "1@end,events,until",
                 "--export", "t.csv"));
  char *csv = rh_file_text("t.csv", NULL);
  ck_assert_ptr_nonnull(csv);
  for (int k = 0; k < 10; k++) {
    double v = 1 + 2 * (k / 2);
    double g = k % 2 == 0 ? 10 : 2;
    double line[12];
    for (int i = 0; i < 12; i++) {
      line[i] = csv_cell(csv, k + 1, i == 0 ? 0 : i + 2);
    }
    const double want[12] = {k,
                             v,
                             -g,
                             v - g / 2,
                             0,
                             v / 2 - g / 6 - 1e-4 * g / 12,
                             v - g,
                             v,
                             sqrt(v * v - v * g + g * g / 3 + 1e-4 * g * g / 6),
                             2 * v - g + 1,
                             0,
                             1};
    for (int i = 0; i < 12; i++) {
      ck_assert_msg(fabs(line[i] - want[i]) < 1e-8, "case %d, column %d: %.12g, want %.12g", k, i,
                    line[i], want[i]);
    }
  }
  free(csv);
  rh_folder_leave();
}

END_TEST

// A box of 10 N slides at 1 m/s with mu = 0.2 and stops after v^2/(2 mu g) = 0.25 m; the moment of friction at half its height presses a front corner with
// (10 + 2 mu 10 h/a)/4 = 2.75 N. By every engine, those that locate nothing too: there overlap and force are what the engine reports.
START_TEST(engines)
{
  rh_folder_enter();
  rh_file_put(
      "slide.yaml",
      "world: {gravity: [0, 0, -10]}\n"
      "bodies: [{name: b, mass: 1, inertia: [0.01, 0.01, 0.01, 0, 0, 0]}]\n"
      "joints: [{kind: free, child: b, q: [0, 0, 0.1, 1, 0, 0, 0], v: [1, 0, 0, 0, 0, 0]}]\n"
      "shapes: [{body: world, kind: plane}, {body: b, kind: box, size: [0.4, 0.4, 0.2]}]\n"
      "contacts: [{name: floor, body: b, against: world, law: newton, e: 0, friction: dry, "
      "mu_s: 0.2, mu_k: 0.2}]\n"
      "run: {until: 0.7}\nrecord: {every: 0.1}\n");
  run_well(routh("sweep", "slide.yaml", "--vary", "run.engine=event,stepping", "-q", "--out",
                 "b.x@end,deepest,peak", "--export", "t.csv"));
  char *csv = rh_file_text("t.csv", NULL);
  ck_assert_ptr_nonnull(csv);
  for (int k = 0; k < 2; k++) {
    ck_assert_msg(fabs(csv_cell(csv, k + 1, 4) - 0.25) < 1e-6, "%s", csv);
    ck_assert_msg(fabs(csv_cell(csv, k + 1, 5)) < 1e-9, "%s", csv);
    ck_assert_msg(fabs(csv_cell(csv, k + 1, 6) - 2.75) < 1e-6, "%s", csv);
  }
  free(csv);
  rh_folder_leave();
}

END_TEST

START_TEST(any_number_of_workers)
{
  rh_folder_enter();
  run_well(routh(SWEEP, "-o", "a.rsw", "-q", "--workers", "0", "--export", "a.csv"));
  run_well(routh(SWEEP, "-o", "b.rsw", "-q", "--workers", "1"));
  run_well(routh(SWEEP, "-o", "c.rsw", "-q", "--workers", "5", "--export", "c.h5"));
  check_same("a.rsw", "b.rsw");
  check_same("a.rsw", "c.rsw");
  run_well(
      routh("sweep", "--resume", "c.rsw", "-q", "--export", "d.h5")); // it is complete, and stays
  check_same("a.rsw", "c.rsw");
  check_same("c.h5", "d.h5");
  rh_output output = routh("sweep", "c.rsw", "--case", "123", "--json");
  char *csv = rh_file_text("a.csv", NULL);
  ck_assert_ptr_nonnull(csv);
  ck_assert_double_eq(value_at(output.out, 0), csv_cell(csv, 124, 3));
  ck_assert_double_eq(value_at(output.out, 1), csv_cell(csv, 124, 4));
  ck_assert_double_eq(value_at(output.out, 2), csv_cell(csv, 124, 5));
  free(csv);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// A case that is refused, and one that stops, are results like others.
START_TEST(failures_are_results)
{
  rh_folder_enter();
  rh_output output = routh("sweep", BALL, "--vary", "ball.mass=0.1,-1,0.2", "--vary",
                           "run.residue=1e-3,1e-15", "-s", "run.strict=true", "-s",
                           "run.until=0.05", "-s", "ball.q.2=20 mm", "-o", "f.rsw", "--json");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_assert_msg(rh_json_valid(output.out), "not JSON:\n%s", output.out);
  ck_assert_double_eq(rh_json_number_at(output.out, "done"), 6);
  ck_contains(output.out, "INPUT_REFUSED");
  ck_contains(output.out, "must be >= 0");
  ck_contains(output.out, "STOPPED");
  ck_assert_double_eq(rh_json_number_at(output.out, "failed"), 4);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// ---- Kills

static pid_t start_sweep(const char *path, bool resume)
{
  const char *const fresh[] = {SWEEP, "-o", path, "-q", "--workers", "2", NULL};
  const char *const again[] = {"sweep", "--resume", path, "-q", "--workers", "2", NULL};
  return rh_program_start(resume ? again : fresh);
}

// The youngest child of a process, 0: it has none.
static pid_t child_of(pid_t parent)
{
  char path[64];
  (void)snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
  char *text = rh_file_text(path, NULL);
  pid_t child = 0;
  FILE *file = fopen(path, "r");
  int pid = 0;
  while (file != NULL && fscanf(file, "%d", &pid) == 1) {
    child = pid;
  }
  if (file != NULL) {
    (void)fclose(file);
  }
  free(text);
  return child;
}

static long size_of(const char *path)
{
  struct stat info;
  return stat(path, &info) == 0 ? (long)info.st_size : -1;
}

// Workers and the manager are killed as soon as the journal has grown; the sweep is continued, and
// its journal is that of an undisturbed one.
START_TEST(kills)
{
  rh_folder_enter();
  run_well(routh(SWEEP, "-o", "a.rsw", "-q", "--workers", "0"));
  bool over = false;
  for (int round = 0; !over; round++) {
    long before = size_of("b.rsw-wal");
    pid_t manager = start_sweep("b.rsw", round > 0);
    while (!rh_program_ended(manager) && child_of(manager) == 0) {
      rh_program_yield();
    }
    pid_t worker = child_of(manager);
    if (worker != 0) {
      (void)kill(worker, SIGKILL);
    }
    while (!rh_program_ended(manager) &&
           size_of("b.rsw-wal") <= (before > 16384 ? before : 16384) && round < 4) {
      rh_program_yield();
    }
    if (round < 4) {
      (void)kill(manager, SIGKILL);
    }
    rh_output output = rh_program_wait(manager);
    over = output.exit_code == 0;
    ck_assert_msg(over || output.exit_code == 128 + SIGKILL, "%d: %s", output.exit_code,
                  output.err);
    rh_output_free(&output);
  }
  check_same("a.rsw", "b.rsw");
  rh_folder_leave();
}

END_TEST

// Killed before each of its calls that write: what is left is continued to the bytes of an undisturbed sweep, or there
// is no journal yet and nothing else that a new one minds.
START_TEST(killed_at_every_call)
{
#ifdef ROUTH_FAULT_IO
#define FEW                                                                                        \
  "sweep", BALL, "--vary", "floor.mu=0.1,0.2", "-s", "run.until=0.01", "-q", "--workers", "0"
  const char *program = getenv("ROUTH_PROGRAM");
  rh_folder_enter();
  run_well(routh(FEW, "-o", "a.rsw"));
  int killed = 0;
  int fresh = 0;
  for (int n = 1; killed == n - 1; n++) {
    char command[1024];
    (void)snprintf(command, sizeof command,
                   "'%s' -d \"$PWD\" -m kill -n %d '%s' sweep '%s' --vary floor.mu=0.1,0.2 -s "
                   "run.until=0.01 -q --workers 0 -o b.rsw > out 2> err < /dev/null",
                   ROUTH_FAULT_IO, n, program != NULL ? program : ROUTH_PROGRAM, BALL);
    int status = system(command); // NOLINT: the words are those of this file
    killed += WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGKILL;
    if (!rh_file_there("b.rsw")) {
      fresh++;
      run_well(routh(FEW, "-o", "b.rsw"));
    } else {
      run_well(routh("sweep", "--resume", "b.rsw", "-q"));
    }
    check_same("a.rsw", "b.rsw");
    ck_assert(!rh_file_there("b.rsw-wal") && !rh_file_there("b.rsw-journal"));
    (void)unlink("b.rsw");
  }
  ck_assert_int_ge(killed, 30);
  ck_assert_int_le(fresh, killed / 2);
  rh_folder_leave();
#endif
}

END_TEST

START_TEST(interrupted_and_continued)
{
  rh_folder_enter();
  run_well(routh(SWEEP, "-o", "a.rsw", "-q", "--workers", "0"));
  pid_t manager = start_sweep("b.rsw", false);
  while (!rh_program_ended(manager) && size_of("b.rsw-wal") <= 16384) {
    rh_program_yield();
  }
  (void)kill(manager, SIGINT);
  rh_output output = rh_program_wait(manager);
  ck_assert_msg(output.exit_code == 130 || output.exit_code == 0, "%d: %s", output.exit_code,
                output.err);
  rh_output_free(&output);
  run_well(routh("sweep", "--resume", "b.rsw", "-q"));
  check_same("a.rsw", "b.rsw");
  rh_folder_leave();
}

END_TEST

// ---- MPI

static bool has_mpi(void)
{
  char module[512];
  const char *program = getenv("ROUTH_PROGRAM");
#ifdef ROUTH_PROGRAM
  program = program != NULL ? program : ROUTH_PROGRAM;
#endif
  (void)snprintf(module, sizeof module, "%.*s../lib/routh/routh_mpi.so",
                 program != NULL ? (int)(strrchr(program, '/') - program + 1) : 0,
                 program != NULL ? program : "");
  bool there = system("command -v mpirun > /dev/null 2>&1") == 0 &&
               access(module, R_OK) == 0; // NOLINT: of the test
  if (!there) {
    (void)fprintf(stderr, "cli_sweep: Open MPI is not here; sweeps under mpirun are not tested\n");
  }
  return there;
}

static int run_ranks(const char *ranks, const char *rest)
{
  char command[2048];
  const char *program = getenv("ROUTH_PROGRAM");
#ifdef ROUTH_PROGRAM
  program = program != NULL ? program : ROUTH_PROGRAM;
#endif
  // Session folders of its own: another mpirun that ends on this machine clears those in /tmp away.
  (void)snprintf(command, sizeof command,
                 "mkdir -p tmp; TMPDIR=$PWD/tmp OMPI_ALLOW_RUN_AS_ROOT=1 "
                 "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe "
                 "-n %s '%s' %s > out 2> err < /dev/null; status=$?; rm -rf tmp; exit $status",
                 ranks, program, rest);
  return system(command); // NOLINT: the words are those of this file
}

#define SWEEP_WORDS                                                                                \
  "sweep '" BALL "' --vary 'floor.mu=uniform(0,0.5)' --vary 'ball.q.2=normal(20 mm,1 mm)' "        \
  "--cases 300 -s run.until=0.03 --out ball.vx@end,events,residue -q "

// Two ranks, the first with a worker beside it; ranks alone; two managers between.
START_TEST(ranks_of_mpi)
{
  if (!has_mpi()) {
    return;
  }
  rh_folder_enter();
  run_well(routh(SWEEP, "-o", "a.rsw", "-q", "--workers", "0"));
  ck_assert_int_eq(run_ranks("2", SWEEP_WORDS "-o b.rsw"), 0);
  check_same("a.rsw", "b.rsw");
  ck_assert_int_eq(run_ranks("3", SWEEP_WORDS "-o c.rsw --workers 0"), 0);
  check_same("a.rsw", "c.rsw");
  ck_assert_int_eq(run_ranks("6", SWEEP_WORDS "-o e.rsw --workers 0 --managers 2"), 0);
  check_same("a.rsw", "e.rsw");
  size_t size = 0;
  char *ball = rh_file_text(BALL, &size); // longer than any message but a plan
  char *text = calloc(size + 10001, 1);
  memcpy(text, ball, size);
  memset(text + size, '#', 10000);
  rh_file_put("long.yaml", text);
  free(text);
  free(ball);
#define LONG_SCENE "sweep long.yaml --vary floor.mu=0:0.5:20 -s run.until=0.03 -q "
  run_well(routh("sweep", "long.yaml", "--vary", "floor.mu=0:0.5:20", "-s", "run.until=0.03", "-q",
                 "-o", "f.rsw"));
  ck_assert_int_eq(run_ranks("2", LONG_SCENE "-o g.rsw"), 0);
  check_same("f.rsw", "g.rsw");
  ck_assert_int_ne(run_ranks("2", "sweep '" BALL "' --vary floor.mux=1,2 -o d.rsw -q"),
                   0); // and it ends
  ck_assert(!rh_file_there("d.rsw"));
  rh_folder_leave();
}

END_TEST

#define LONG_WORDS                                                                                 \
  "sweep '" BALL "' --vary 'floor.mu=uniform(0,0.5)' --cases 1500 -s run.until=0.03 --out "        \
  "ball.vx@end -q "

// Ranks that Slurm starts by itself, a batch job in which mpirun finds its ranks from Slurm, and one that is cancelled
// as soon as its journal has grown, and continued.
static const char jobs[] =
    "set -e\n"
    "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 TMPDIR=$PWD/tmp\n"
    "mkdir -p tmp\n"
    "srun --mpi=pmix -n 2 \"$1\" " SWEEP_WORDS "-o b.rsw\n"
    "cat > job <<'END'\n"
    "#!/bin/sh\n"
    "mpirun \"$1\" " SWEEP_WORDS "-o c.rsw\n"
    "touch done\n"
    "END\n"
    "sbatch -n 3 -o job.out job \"$1\"\n"
    "until [ -f done ]; do sleep 0.1; done\n" // clock: looks again
    "[ -f c.rsw ] || cat job.out\n"
    "cat > job <<'END'\n"
    "#!/bin/sh\n"
    "mpirun \"$1\" " LONG_WORDS "-o d.rsw\n"
    "touch over\n"
    "END\n"
    "id=$(sbatch --parsable -n 2 -o cancelled.out job \"$1\")\n"
    "until [ -f over ] || [ $(stat -c %s d.rsw-wal 2> stat.err || echo 0) -gt 16384 ]; do sleep "
    "0.02; done\n" // clock: looks again
    "scancel $id\n"
    "while squeue -h -j $id 2> squeue.err | grep -q .; do sleep 0.1; done\n" // clock: looks again
    "turns=0\n" // its processes end a little after it
    "until srun --mpi=pmix -n 3 \"$1\" sweep --resume d.rsw -q; do turns=$((turns + 1)); [ $turns "
    "-lt 50 ] || { ls -l; cat cancelled.out; exit 1; }; done\n"
    "\"$1\" " LONG_WORDS "-o e.rsw\n"
    "rm -rf tmp\n";

// A Slurm of one node that is controller and compute node, by tests/slurm_node.
START_TEST(slurm)
{
  if (!has_mpi()) {
    return;
  }
  rh_folder_enter();
  char command[1024];
  const char *program = getenv("ROUTH_PROGRAM");
  rh_file_put("jobs", jobs);
  (void)snprintf(command, sizeof command,
                 "'" ROUTH_SOURCE_DIR "/tests/slurm_node' sh jobs '%s' > slurm.out 2>&1",
                 program != NULL ? program : ROUTH_PROGRAM);
  int status = system(command); // NOLINT: of the test
  char *out = rh_file_text("slurm.out", NULL);
  bool made = rh_file_there("b.rsw") && rh_file_there("c.rsw") && rh_file_there("d.rsw");
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
    (void)fprintf(stderr, "cli_sweep: sweeps under Slurm are not tested: %s", out);
  } else {
    if (status != 0 || !made) { // messages of the framework are short
      (void)fprintf(stderr, "cli_sweep: slurm: %d\n%s", status, out);
    }
    ck_assert_int_eq(status, 0);
    run_well(routh(SWEEP, "-o", "a.rsw", "-q", "--workers", "0"));
    check_same("a.rsw", "b.rsw");
    check_same("a.rsw", "c.rsw");
    check_same("e.rsw", "d.rsw");
  }
  free(out);
  rh_folder_leave();
}

END_TEST

static const rh_refusal refusals[] = {
    {{"sweep", BALL}, 2, "nothing is varied"},
    {{"sweep", BALL, "--vary", "floor.mu=0:1"}, 2, "a range is LO:HI:N"},
    {{"sweep", BALL, "--vary", "floor.mux=0,1"}, 3, "did you mean 'mu'"},
    {{"sweep", BALL, "--vary", "floor.mu=0,1", "--out", "ball.vq@end"},
     2,
     "did you mean 'ball.vx'"},
    {{"sweep", BALL, "--vary", "floor.mu=0,1", "--out", "ball.vx@ende", "--json"},
     2,
     "did you mean 'end'"},
    {{"sweep", BALL, "--vary", "floor.mu=uniform(0,1)"}, 2, "--cases N is needed"},
    {{"sweep", BALL, "--vary", "floor.mu=0,1", "--cases", "5", "--design=grid"},
     2,
     "states the number of cases"},
    {{"sweep", BALL, "--vary", "floor.mu=0,1", "--vary", "floor.mu=2"}, 2, "is varied twice"},
    {{"sweep", BALL, "--vary", "floor.mu=0,1", "--case", "2"}, 2, "from 0 to 1"},
    {{"sweep", "--resume", "none.rsw"}, 3, "cannot be read"},
    {{"sweep", "--resume", "none.rsw", "--vary", "floor.mu=1"}, 2, "cannot be changed"},
    {{"sweep", BALL, "--vary", "floor.mu=0,1", "--export", "a.txt"}, 2, "FILE.csv or FILE.h5"},
    {{"sweep", BALL, "--vary", "floor.mu=0,1", "--workers", "-1"}, 2, "--workers needs"},
};

START_TEST(wrong_usage_is_said)
{
  rh_refusal_check(&refusals[_i]);
}

END_TEST

Suite *rh_suite_cli_sweep(void)
{
  Suite *suite = suite_create("cli_sweep");
  TCase *tcase = tcase_create("sweep");
  tcase_add_test(tcase, reductions_against_closed_forms);
  tcase_add_test(tcase, engines);
  tcase_add_test(tcase, any_number_of_workers);
  tcase_add_test(tcase, failures_are_results);
  tcase_add_test(tcase, kills);
  tcase_add_test(tcase, killed_at_every_call);
  tcase_add_test(tcase, interrupted_and_continued);
  tcase_add_test(tcase, ranks_of_mpi);
  tcase_add_test(tcase, slurm);
  tcase_add_loop_test(tcase, wrong_usage_is_said, 0, (int)(sizeof refusals / sizeof refusals[0]));
  suite_add_tcase(suite, tcase);
  return suite;
}
