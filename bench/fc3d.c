// Friction problems of others, each by every row of Routh that solves blocks and by solvers of Siconos, in one run:
// `fc3d [--limit SECONDS] FILE.hdf5...`. One line a problem and solver: the best time of several solves from zero, whether the answer is
// as exact as the files promise (their measure of error, 3e-12), and what three judges say of it: that measure, Siconos' own
// function, Routh's natural map over the largest |b|. Each solver runs in a process of its own, which is stopped after the limit. At the end
// the time of the row `auto` beside the fastest solver of Siconos that was exact enough.
#include "complement/complement.h"
#include "hdf5/fclib.h"

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsSparseMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#include <cs.h>
#include <fc3d_compute_error.h>
#include <float.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const double PROMISED = 3e-12; // error of the stored solutions, as the files say
static const double ASKED = 1e-13;    // tolerance of our rows, of the largest |b|

typedef struct result {
  double time;                   // [s]
  double error, theirs, ours;    // judges
  int iterations;
  char row[32];                  // that found it
} result;

typedef struct task {
  const rh_fclib *file;
  FrictionContactProblem *problem; // the same for Siconos
  double *q;                       // in their order
  const rh_solver *row;            // NULL: Siconos' solver `id`
  int id;
  const char *name;
} task;

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); // the machine may be busy; all of them have one thread
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int theirs(int row) // n, t1, t2 from t1, t2, n
{
  return row / 3 * 3 + (row % 3 + 1) % 3;
}

// ---- Siconos

static CSparseMatrix *columns(const rh_blocks *b)
{
  CSparseMatrix *triplets = cs_dl_spalloc(3 * b->n, 3 * b->n, (CS_INT)9 * b->start[b->n], 1, 1);
  for (int i = 0; i < b->n; i++) {
    for (int e = b->start[i]; e < b->start[i + 1]; e++) {
      for (int k = 0; k < 9; k++) {
        double x = b->W[9 * (size_t)e + (size_t)k];
        int column = theirs(3 * b->col[e] + k % 3);
        if (x != 0) {
          cs_dl_entry(triplets, theirs(3 * i + k / 3), column, x);
        }
      }
    }
  }
  CSparseMatrix *packed = cs_dl_compress(triplets);
  cs_dl_spfree(triplets);
  return packed;
}

// `blocks`: kept as 3x3 blocks, as Gauss-Seidel likes it; else as sparse columns, as Newton does.
static FrictionContactProblem *pose(const rh_fclib *file, double *q, bool blocks)
{
  int n = file->blocks.n;
  NumericsMatrix *M = NULL;
  if (blocks) {
    SparseBlockStructuredMatrix *S = SBM_new();
    SBM_from_csparse(3, columns(&file->blocks), S);
    M = NM_new_SBM(3 * n, 3 * n, S);
  } else {
    M = NM_create(NM_SPARSE, 3 * n, 3 * n);
    M->matrix2->csc = columns(&file->blocks);
    M->matrix2->origin = NSM_CSC;
  }
  for (int i = 0; i < 3 * n; i++) {
    q[theirs(i)] = file->b[i];
  }
  return frictionContactProblem_new_with_data(3, n, M, q, file->mu);
}

static SolverOptions *options(int id, double tolerance)
{
  SolverOptions *o = solver_options_create(id);
  o->dparam[SICONOS_DPARAM_TOL] = tolerance;
  o->iparam[SICONOS_IPARAM_MAX_ITER] = id == SICONOS_FRICTION_3D_NSGS   ? 1000000
                                       : id == SICONOS_FRICTION_3D_ADMM ? 1000000
                                                                        : 1000;
  return o;
}

// ---- One solver on one problem

static void judge(const task *t, const double *p, result *r)
{
  int n = t->file->blocks.n;
  double *z = calloc((size_t)(3 * n), sizeof(double));
  double *w = calloc((size_t)(3 * n), sizeof(double));
  double size = 0;
  double largest = 0;
  for (int i = 0; i < 3 * n; i++) {
    z[theirs(i)] = p[i];
    size += t->q[i] * t->q[i];
    largest = fmax(largest, fabs(t->q[i]));
  }
  SolverOptions *o = options(SICONOS_FRICTION_3D_NSGS, PROMISED);
  fc3d_compute_error(t->problem, z, w, PROMISED, o, sqrt(size), &r->theirs);
  r->error = rh_fclib_error(&t->file->blocks, p);
  r->ours = rh_blocks_residual(&t->file->blocks, p) / largest;
  free(z);
  free(w);
}

static void solve_ours(const task *t, double *room, double *p, result *r)
{
  double par[RH_PAR_MAX];
  double largest = 0;
  rh_blocks_report report;
  for (int i = 0; i < 3 * t->file->blocks.n; i++) {
    largest = fmax(largest, fabs(t->q[i]));
  }
  rh_row_defaults(&t->row->row, par);
  par[0] = ASKED * largest;
  double start = now();
  (void)t->row->blocks(&t->file->blocks, par, room, p, &report);
  r->time = fmin(r->time, now() - start);
  r->iterations = report.iterations;
  snprintf(r->row, sizeof(r->row), "%s", report.row);
}

static void solve_theirs(const task *t, double tolerance, double *p, result *r)
{
  int n = 3 * t->file->blocks.n;
  double *z = calloc((size_t)n, sizeof(double));
  double *w = calloc((size_t)n, sizeof(double));
  SolverOptions *o = options(t->id, tolerance);
  double start = now();
  (void)fc3d_driver(t->problem, z, w, o);
  r->time = fmin(r->time, now() - start);
  r->iterations = o->iparam[SICONOS_IPARAM_ITER_DONE];
  snprintf(r->row, sizeof(r->row), "%s", t->name);
  for (int i = 0; i < n; i++) {
    p[i] = z[theirs(i)];
  }
  free(z);
  free(w);
}

// Siconos measures its error over other sizes: a tolerance with which the answer is as exact as promised, if there is one.
static double fitting(const task *t, double *p)
{
  double tolerance = PROMISED;
  result r = {.time = HUGE_VAL};
  for (int i = 0; i < 4; i++) {
    solve_theirs(t, tolerance, p, &r);
    if (rh_fclib_error(&t->file->blocks, p) <= PROMISED) {
      return tolerance;
    }
    tolerance *= 0.1;
  }
  return PROMISED;
}

// Again and again for a twentieth of a second, the best counts.
static result solve(const task *t)
{
  const rh_blocks *b = &t->file->blocks;
  result r = {.time = HUGE_VAL};
  double *p = calloc(3 * (size_t)b->n, sizeof(double));
  double *room =
      t->row == NULL ? NULL : malloc(t->row->blocks_room(b->n, b->start[b->n]) * sizeof(double));
  double tolerance = t->row == NULL ? fitting(t, p) : 0;
  double start = now();
  do {
    memset(p, 0, 3 * (size_t)b->n * sizeof(double));
    if (t->row != NULL) {
      solve_ours(t, room, p, &r);
    } else {
      solve_theirs(t, tolerance, p, &r);
    }
  } while (now() - start < 0.05);
  judge(t, p, &r);
  return r;
}

// In a process of its own. False: it was stopped, or stopped itself.
static bool solve_apart(const task *t, int limit, result *r)
{
  int ends[2];
  if (pipe(ends) != 0) {
    return false;
  }
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    alarm((unsigned)limit);
    if (freopen("/dev/null", "w", stdout) == NULL || freopen("/dev/null", "w", stderr) == NULL) {
      _exit(1);
    }
    result answer = solve(t);
    _exit(write(ends[1], &answer, sizeof(answer)) == (ssize_t)sizeof(answer) ? 0 : 1);
  }
  close(ends[1]);
  bool whole = child > 0 && read(ends[0], r, sizeof(*r)) == (ssize_t)sizeof(*r);
  close(ends[0]);
  waitpid(child, NULL, 0);
  return whole;
}

static bool show(const task *t, const char *problem, int limit, result *r)
{
  if (!solve_apart(t, limit, r)) {
    printf("%-36s %5d %-22s  no answer in %d s, or it stopped itself\n", problem, t->file->blocks.n,
           t->name, limit);
    return false;
  }
  bool exact = r->error <= PROMISED;
  printf("%-36s %5d %-22s %-6s %10.3f ms %8d  %9.1e %9.1e %9.1e  %s\n", problem, t->file->blocks.n,
         t->name, exact ? "exact" : "short", 1e3 * r->time, r->iterations, r->error, r->theirs,
         r->ours, t->row != NULL && strcmp(r->row, t->row->row.name) != 0 ? r->row : "");
  fflush(stdout);
  return exact;
}

// ---- All of them

typedef struct score {
  int problems, faster;
  double best_ours, best_theirs; // of this problem
} score;

static void one_file(const char *path, int limit, score *s)
{
  static const struct {
    int id;
    bool blocks;
    const char *name;
  } peers[] = {{SICONOS_FRICTION_3D_NSGS, true, "siconos NSGS"},
               {SICONOS_FRICTION_3D_NSN_AC, false, "siconos NSN_AC"},
               {SICONOS_FRICTION_3D_NSN_FB, false, "siconos NSN_FB"},
               {SICONOS_FRICTION_3D_PROX, false, "siconos PROX"},
               {SICONOS_FRICTION_3D_ADMM, false, "siconos ADMM"}};
  rh_fclib file;
  rh_diag *diag = rh_diag_create();
  if (rh_fclib_read(path, diag, &file) != RH_OK) {
    printf("%s: cannot be read\n", path);
    rh_diag_destroy(diag);
    return;
  }
  rh_diag_destroy(diag);
  const char *name = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
  double *q = calloc(3 * (size_t)file.blocks.n, sizeof(double));
  FrictionContactProblem *posed[2] = {pose(&file, q, false), pose(&file, q, true)};
  int count = 0;
  const rh_solver *const *rows = rh_solver_table(&count);
  result r;
  s->problems++;
  s->best_ours = HUGE_VAL;
  s->best_theirs = HUGE_VAL;
  for (int i = 0; i < count; i++) {
    const task t = {&file, posed[0], q, rows[i], 0, rows[i]->row.name};
    if (rows[i]->blocks != NULL && show(&t, name, limit, &r) && strcmp(t.name, "auto") == 0) {
      s->best_ours = r.time;
    }
  }
  for (int i = 0; i < RH_COUNT(peers); i++) {
    const task t = {&file, posed[peers[i].blocks], q, NULL, peers[i].id, peers[i].name};
    if (show(&t, name, limit, &r)) {
      s->best_theirs = fmin(s->best_theirs, r.time);
    }
  }
  bool faster = s->best_ours < s->best_theirs;
  s->faster += faster;
  printf("%-36s auto %.3f ms, best of Siconos %.3f ms: %.1f times as fast%s\n\n", name,
         1e3 * s->best_ours, 1e3 * s->best_theirs, s->best_theirs / s->best_ours,
         faster ? "" : "  SLOWER");
  free(q);
  rh_fclib_free(&file);
}

int main(int argc, char **argv)
{
  int limit = 20;
  int first = 1;
  if (argc > 2 && strcmp(argv[1], "--limit") == 0) {
    limit = atoi(argv[2]);
    first = 3;
  }
  if (first >= argc || limit < 1) {
    fprintf(stderr, "usage: fc3d [--limit SECONDS] FILE.hdf5...\n");
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  numerics_set_verbose(0);
  score s = {0};
  printf("%-36s %5s %-22s %-6s %13s %8s  %9s %9s %9s\n", "problem", "n", "solver", "", "time",
         "steps", "error", "siconos", "natural");
  for (int i = first; i < argc; i++) {
    one_file(argv[i], limit, &s);
  }
  printf("%d problems, on %d of them `auto` is faster than every solver of Siconos that was exact\n",
         s.problems, s.faster);
  return s.faster == s.problems ? 0 : 1;
}
