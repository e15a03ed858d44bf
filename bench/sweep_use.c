// sweep_use.c: which share of its ranks' time a sweep uses: `routh sweep` itself, with local workers or under mpirun, but a
// case burns a given processor time and keeps when. On a busy machine too: the time in which a worker could run, but another
// program had its core, is known to the kernel (the run queue's delay) and is not counted; the time in which it had nothing to
// do, or wrote and read messages, is.
//   [mpirun -n RANKS] sweep_use CASES CASE_TIME [WORKERS [MANAGERS]]     WORKERS: of rank 0 under mpirun (1)
// use = processor time in cases / (time of the workers from their first case to the last, without such delays, + processor
// time of the managers in it). A rank 0 with a worker beside it is one rank: what its manager takes is lost to its worker.
#include "recording/journal/journal.h"
#include "sweep/ranks.h"
#include "sweep/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WORKERS_MAX 1024
#define LOOKS_MAX   100000

static double case_time; // [s]

static double look_at(clockid_t id)
{
  struct timespec now;
  clock_gettime(id, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// [s] in which this thread could run and did not.
static double read_delay(void)
{
  static FILE *file;
  long long run = 0;
  long long delay = 0;
  file = file != NULL ? file : fopen("/proc/thread-self/schedstat", "r");
  if (file == NULL) {
    return 0;
  }
  rewind(file);
  fflush(file);
  return fscanf(file, "%lld %lld", &run, &delay) == 2 ? 1e-9 * (double)delay : 0;
}

// ---- In place of the cases and beside the commits of the program (-Wl,--wrap)

enum { BEGUN, ENDED, RUN_BEGUN, RUN_ENDED, DELAY_BEGUN, DELAY_ENDED, CPU_BEGUN, CPU_ENDED, PROCESS, OUTCOMES };

rh_status __wrap_rh_case_run(const rh_plan *plan, int64_t index, rh_case *result);

rh_status __wrap_rh_case_run(const rh_plan *plan, int64_t index, rh_case *result)
{
  (void)plan;
  *result = (rh_case){.index = index};
  double *v = result->value;
  v[BEGUN] = look_at(CLOCK_MONOTONIC);
  v[RUN_BEGUN] = look_at(CLOCK_THREAD_CPUTIME_ID);
  v[CPU_BEGUN] = look_at(CLOCK_PROCESS_CPUTIME_ID);
  v[DELAY_BEGUN] = read_delay();
  v[PROCESS] = (double)getpid();
  volatile double x = 1;
  while (look_at(CLOCK_THREAD_CPUTIME_ID) - v[RUN_BEGUN] < case_time) {
    for (int i = 0; i < 1000; i++) {
      x = sqrt(x + i);
    }
  }
  v[DELAY_ENDED] = read_delay();
  v[CPU_ENDED] = look_at(CLOCK_PROCESS_CPUTIME_ID);
  v[RUN_ENDED] = look_at(CLOCK_THREAD_CPUTIME_ID);
  v[ENDED] = look_at(CLOCK_MONOTONIC);
  return RH_OK;
}

static struct {
  double t, cpu;
} look[LOOKS_MAX]; // of the manager, at each commit
static int nlook;

bool __real_rh_journal_commit(rh_journal *journal);
bool __wrap_rh_journal_commit(rh_journal *journal);

bool __wrap_rh_journal_commit(rh_journal *journal)
{
  if (nlook < LOOKS_MAX) {
    look[nlook].t = look_at(CLOCK_MONOTONIC);
    look[nlook++].cpu = look_at(CLOCK_PROCESS_CPUTIME_ID);
  }
  return __real_rh_journal_commit(journal);
}

// ---- Evaluation

typedef struct worker {
  double process;
  double first[OUTCOMES], last[OUTCOMES]; // of its first and its last case
  double in_cases;
  long cases;
} worker;

typedef struct crew {
  worker worker[WORKERS_MAX];
  int n;
  double from, to; // [s] cases that do not lie in this time are left out
} crew;

static worker *find_worker(crew *c, double process)
{
  int i = 0;
  while (i < c->n && c->worker[i].process != process) {
    i++;
  }
  if (i == c->n && c->n < WORKERS_MAX) {
    c->worker[c->n++] = (worker){.process = process};
  }
  return i < WORKERS_MAX ? &c->worker[i] : NULL;
}

static rh_status add_case(void *user, const rh_journal_row *row)
{
  crew *c = user;
  const double *v = row->number + 1; // after one varied value
  worker *w = v[BEGUN] >= c->from && v[ENDED] <= c->to ? find_worker(c, v[PROCESS]) : NULL;
  if (w == NULL) {
    return RH_OK;
  }
  if (w->cases == 0 || v[BEGUN] < w->first[BEGUN]) {
    memcpy(w->first, v, sizeof w->first);
  }
  if (w->cases == 0 || v[BEGUN] > w->last[BEGUN]) {
    memcpy(w->last, v, sizeof w->last);
  }
  w->in_cases += v[RUN_ENDED] - v[RUN_BEGUN];
  w->cases++;
  return RH_OK;
}

static void read_cases(const char *path, crew *c, rh_diag *diag)
{
  rh_journal *journal = NULL;
  if (rh_journal_open(path, false, diag, &journal) != RH_OK ||
      rh_journal_read(journal, add_case, c, diag) != RH_OK) {
    exit(1);
  }
  rh_journal_close(journal);
}

// [s] of the processor that the manager took from c->from to c->to.
static double manager_time(const crew *c)
{
  int a = 0;
  int b = nlook - 1;
  while (a + 1 < nlook && look[a + 1].t <= c->from) {
    a++;
  }
  while (b > a + 1 && look[b - 1].t >= c->to) {
    b--;
  }
  return b > a ? (look[b].cpu - look[a].cpu) / (look[b].t - look[a].t) * (c->to - c->from) : 0;
}

static void print_use(const char *path, const char *setup, rh_diag *diag)
{
  static crew all;
  static crew steady;
  all = (crew){.from = -INFINITY, .to = INFINITY};
  read_cases(path, &all, diag);
  steady = (crew){.from = -INFINITY, .to = INFINITY};
  for (int i = 0; i < all.n; i++) { // from the last first case to the first last one
    steady.from = fmax(steady.from, all.worker[i].first[BEGUN]);
    steady.to = fmin(steady.to, all.worker[i].last[ENDED]);
  }
  read_cases(path, &steady, diag);
  double in_cases = 0;
  double clock = 0;
  double delay = 0;
  double run = 0;
  double other = 0;
  long cases = 0;
  for (int i = 0; i < steady.n; i++) {
    const worker *w = &steady.worker[i];
    double t = w->last[ENDED] - w->first[BEGUN];
    double own = w->last[RUN_ENDED] - w->first[RUN_BEGUN];
    in_cases += w->in_cases;
    clock += t;
    delay += w->last[DELAY_ENDED] - w->first[DELAY_BEGUN];
    run += own;
    other += w->last[CPU_ENDED] - w->first[CPU_BEGUN] - own; // threads of MPI
    cases += w->cases;
  }
  double manager = manager_time(&steady);
  double idle = fmax(0, clock - delay - run);
  printf("%s, %d workers, %ld cases of %g ms in %.1f s: use %.2f %%; messages %.2f %%, without work %.2f %%, manager %.2f %% "
         "(%.1f us a case); of the clock %.1f %%\n",
         setup, steady.n, cases, 1e3 * case_time, steady.to - steady.from,
         100 * in_cases / (run + idle + other + manager), 100 * (run - in_cases + other) / (run + idle + other + manager),
         100 * idle / (run + idle + other + manager), 100 * manager / (run + idle + other + manager),
         1e6 * manager / (double)cases, 100 * in_cases / clock);
}

int main(int argc, char **argv)
{
  static const char scene[] = "bodies: [{name: ball, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}]\n"
                              "joints: [{kind: free, child: ball}]\n";
  if (argc < 3) {
    fprintf(stderr, "[mpirun -n RANKS] sweep_use CASES CASE_TIME [WORKERS [MANAGERS]]\n");
    return 2;
  }
  char name[64] = "";
  char path[80] = "";
  const char *rank = getenv("OMPI_COMM_WORLD_RANK");
  bool first = rank == NULL || strcmp(rank, "0") == 0;
  case_time = atof(argv[2]);
  if (first) {
    (void)snprintf(name, sizeof name, "/tmp/sweep_use-%d.yaml", (int)getpid());
    (void)snprintf(path, sizeof path, "/tmp/sweep_use-%d.rsw", (int)getpid());
    FILE *file = fopen(name, "w");
    if (file == NULL || fputs(scene, file) < 0 || fclose(file) != 0) {
      return 1;
    }
  }
  const char *files[] = {name};
  rh_request request = {.quiet = true, .progress = "none", .file = files, .nfile = 1};
  rh_sweep_options asked = {.plan = {.vary = "ball.mass=uniform(1,2)",
                                     .cases = argv[1],
                                     .out = "until,events,verdicts,residue,deepest,peak,steps,first:touch,events:touch"},
                            .output = path,
                            .workers = argc > 3 ? argv[3] : NULL,
                            .managers = argc > 4 ? argv[4] : NULL};
  rh_diag *diag = rh_diag_create();
  rh_status status = rh_sweep_do(&request, &asked, diag);
  rh_diag_print(&request, diag, NULL);
  if (first && status == RH_OK) {
    char setup[64] = "local";
    const char *size = getenv("OMPI_COMM_WORLD_SIZE");
    if (size != NULL) {
      (void)snprintf(setup, sizeof setup, "%s ranks", size);
    }
    print_use(path, setup, diag);
  }
  if (first) {
    (void)unlink(path);
    (void)unlink(name);
  }
  rh_diag_destroy(diag);
  return status == RH_OK ? 0 : 1;
}
