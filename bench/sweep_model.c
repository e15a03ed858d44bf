// sweep_model.c: what one manager of a sweep costs, measured, and a simulation of many managers with these costs.
//   sweep_model measure [CASES]   processor time of the manager per case, with 1 to 64 worker processes whose cases cost nothing
//   sweep_model model CASES RANKS MANAGERS CASE_TIME [PER_CASE PER_MESSAGE LATENCY]
//     simulates the protocol of src/sweep (spans of 0.1 s, one more waiting behind, results every 20 ms): one manager, or a root
//     over MANAGERS of them, each with a journal of its own. PER_CASE and PER_MESSAGE: seconds of a manager's time.
// What is left out: ranks that die, other users of the network, disks that are slower than the processor.
#include "recording/journal/journal.h"
#include "sweep/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define SPAN_TIME  0.1  // [s] as in manager.c
#define FLUSH_TIME 0.02 // [s] as in worker.c
#define BLOCK      16   // spans that the root gives to a manager at once, for each of its workers
#define SPREAD     0.3  // standard deviation of the time of a case, of its mean

// ---- Measured

static double sleeping; // [s] of a case

static rh_status pretend_case(const rh_plan *plan, int64_t index, rh_case *result)
{
  *result = (rh_case){.index = index};
  double begun = rh_wall_clock();
  if (sleeping > 0) {
    (void)nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * sleeping)}, NULL);
  }
  for (int i = 0; i < plan->out.n; i++) {
    result->value[i] = sqrt((double)index + i);
  }
  result->value[0] = begun;
  result->value[1] = rh_wall_clock();
  return RH_OK;
}

typedef struct use { // of the workers
  double busy, first, last; // [s]
} use;

static rh_status add_use(void *user, const rh_journal_row *row)
{
  use *u = user;
  double from = row->number[2]; // after two varied values
  double to = row->number[3];
  u->busy += to - from;
  u->first = fmin(u->first, from);
  u->last = fmax(u->last, to);
  return RH_OK;
}

// Share of the workers' time, from the first case to the last, in which they were at a case.
static double measure_use(const char *path, int workers, rh_diag *diag)
{
  rh_journal *journal = NULL;
  use u = {0, INFINITY, -INFINITY};
  if (rh_journal_open(path, false, diag, &journal) != RH_OK || rh_journal_read(journal, add_use, &u, diag) != RH_OK) {
    exit(1);
  }
  rh_journal_close(journal);
  return u.busy / (workers * (u.last - u.first));
}

static double own_time(void) // [s] of the processor, this process alone
{
  struct rusage use;
  getrusage(RUSAGE_SELF, &use);
  return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) + 1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

static void measure_manager(long cases, int workers)
{
  rh_request request = {.quiet = true, .progress = "none"};
  char number[32];
  (void)snprintf(number, sizeof number, "%ld", cases);
  rh_plan_asked asked = {.vary = "floor.mu=uniform(0,0.5)\nball.mass=uniform(0.1,0.2)", .cases = number};
  static const char scene[] = "bodies: [{name: ball, mass: 0.154}]\njoints: [{kind: free, child: ball}]\n"
                              "shapes: [{body: world, kind: plane}, {body: ball, kind: sphere, radius: 0.0165}]\n"
                              "contacts: [{name: floor, body: ball, against: world, law: hertz, friction: coulomb, mu: 0.2}]\n";
  rh_plan_scene text = {"bench", scene, sizeof scene - 1, NULL, 0};
  rh_plan plan;
  rh_diag *diag = rh_diag_create();
  rh_sweep_run run = {.request = &request, .diag = diag, .plan = &plan, .workers = workers, .lease = INFINITY};
  const char *path = "sweep_model.rsw";
  if (rh_plan_read(&text, &asked, diag, &plan) != RH_OK || rh_plan_journal(&plan, path, diag, &run.journal) != RH_OK) {
    fprintf(stderr, "sweep_model: no plan or no journal (is sweep_model.rsw there?)\n");
    exit(1);
  }
  plan.run = pretend_case;
  double begun = own_time();
  double wall = rh_wall_clock();
  if (rh_sweep_simulate(&run) != RH_OK) {
    exit(1);
  }
  double used = own_time() - begun;
  wall = rh_wall_clock() - wall;
  printf("%4d workers  %8ld cases  %6.2f us of the manager per case: %8.0f cases/s of its processor, %8.0f on the clock; workers at work %.1f %%\n", workers, cases,
         1e6 * used / (double)cases, (double)cases / used, (double)cases / wall, 100 * measure_use(path, workers, diag));
  fflush(stdout);
  rh_plan_free(&plan);
  rh_diag_destroy(diag);
  (void)unlink(path);
}

static void measure_rewrite(long cases)
{
  const rh_journal_column column[8] = {{"a", false}, {"b", false}, {"c", false}, {"d", false}, {"e", false}, {"f", false}, {"g", false}, {"h", false}};
  const char *const key[] = {"vary"};
  const rh_journal_form form = {key, key, 1, column, 8};
  rh_journal *journal = NULL;
  rh_diag *diag = rh_diag_create();
  const char *path = "sweep_model.rsw";
  if (rh_journal_create(path, &form, diag, &journal) != RH_OK) {
    exit(1);
  }
  double begun = own_time();
  for (long i = 0; i < cases; i++) {
    double number[8];
    const char *text[8] = {0};
    for (int k = 0; k < 8; k++) {
      number[k] = sqrt((double)i + k);
    }
    rh_journal_row row = {i, "OK", "", number, text};
    if (!rh_journal_add(journal, &row) || (i % 1000 == 999 && !rh_journal_commit(journal))) {
      exit(1);
    }
  }
  double added = own_time();
  uint64_t sum = 0;
  if (rh_journal_finish(journal, diag, &sum) != RH_OK) {
    exit(1);
  }
  FILE *file = fopen(path, "rb");
  (void)fseek(file, 0, SEEK_END);
  printf("journal of 8 numbers: %.2f us to add a case, %.2f us to write it in order, %.1f bytes a case\n", 1e6 * (added - begun) / (double)cases,
         1e6 * (own_time() - added) / (double)cases, (double)ftell(file) / (double)cases);
  (void)fclose(file);
  (void)unlink(path);
  rh_diag_destroy(diag);
}

// ---- Simulated

typedef struct costs {
  double per_case, per_message, latency; // [s]
} costs;

typedef struct event { // a worker has finished a span
  double t;
  int worker;
} event;

typedef struct heap {
  event *e;
  int n;
} heap;

static void push_event(heap *h, event e)
{
  int i = h->n++;
  for (; i > 0 && h->e[(i - 1) / 2].t > e.t; i = (i - 1) / 2) {
    h->e[i] = h->e[(i - 1) / 2];
  }
  h->e[i] = e;
}

static event pop_event(heap *h)
{
  event top = h->e[0];
  event last = h->e[--h->n];
  int i = 0;
  for (int k = 1; k < h->n; k = 2 * i + 1) {
    k += k + 1 < h->n && h->e[k + 1].t < h->e[k].t;
    if (h->e[k].t >= last.t) {
      break;
    }
    h->e[i] = h->e[k];
    i = k;
  }
  h->e[i] = last;
  return top;
}

static double draw_normal(uint64_t *seed) // the sum of 12 even ones
{
  double sum = -6;
  for (int i = 0; i < 12; i++) {
    *seed = *seed * 6364136223846793005U + 1442695040888963407U;
    sum += (double)(*seed >> 11) * 0x1p-53;
  }
  return sum;
}

typedef struct manager {
  double free;    // [s] when it has done all that came so far
  double busy;    // [s] of work
  double cases;   // from the root, not given out
  double pending; // [s] when the next block of the root is there
  double done;    // rows of its journal
} manager;

typedef struct model {
  costs cost;
  double left; // cases not given out by the root
  double case_time;
  int workers, managers;
  manager *m; // (managers)
  manager root;
  double *waiting; // (workers) [s] when the span behind the present one is there
  double *next;    // (workers) its cases
  uint64_t seed;
} model;

static double serve_message(manager *m, double t, double work)
{
  m->free = (m->free > t ? m->free : t) + work;
  m->busy += work;
  return m->free;
}

// Cases for a manager at time t; with one manager it has them all.
static void fill_manager(model *s, manager *m, double t)
{
  int own = s->workers / s->managers + 1;
  double block = fmin(s->left, fmax(1, fmin(BLOCK * own * SPAN_TIME / s->case_time, s->left / (4 * s->managers))));
  if (s->managers == 1 || block < 1) {
    return;
  }
  double there = serve_message(&s->root, t + s->cost.latency, s->cost.per_message) + s->cost.latency;
  s->left -= block;
  m->cases += block;
  m->pending = there;
}

// A span for a worker that asks at time t; the results that come with it are kept first.
static double give_span(model *s, int worker, double t, double results, double messages)
{
  manager *m = &s->m[worker % s->managers];
  double there = serve_message(m, t + s->cost.latency, messages * s->cost.per_message + results * s->cost.per_case);
  m->done += results;
  double all = s->managers == 1 ? s->left : m->cases + s->left / s->managers;
  double own = (double)s->workers / s->managers;
  double size = fmin(SPAN_TIME / s->case_time, all / (4 * own));
  size = fmax(1, floor(size));
  if (s->managers > 1 && m->cases < size * own) { // ahead of need
    fill_manager(s, m, there);
  }
  double *from = s->managers == 1 ? &s->left : &m->cases;
  size = fmin(size, *from);
  *from -= size;
  s->next[worker] = size;
  s->waiting[worker] = fmax(there, m->cases <= 0 && s->managers > 1 ? m->pending : there) + s->cost.latency;
  return size;
}

static double span_time(model *s, double cases)
{
  return cases * s->case_time * fmax(0.1, 1 + SPREAD * draw_normal(&s->seed) / sqrt(cases));
}

static void simulate_sweep(model *s, double cases)
{
  heap h = {calloc((size_t)s->workers + 1, sizeof(event)), 0};
  double *at_work = calloc((size_t)s->workers, sizeof *at_work);
  double end = 0;
  double computed = 0;
  for (int i = 0; i < s->workers; i++) { // two spans at the start
    give_span(s, i, 0, 0, 1);
    at_work[i] = s->next[i];
    double begun = s->waiting[i];
    give_span(s, i, 0, 0, 0);
    if (at_work[i] > 0) {
      double time = span_time(s, at_work[i]);
      computed += time;
      push_event(&h, (event){begun + time, i});
    }
  }
  while (h.n > 0) {
    event e = pop_event(&h);
    int i = e.worker;
    double finished = at_work[i];
    double ready = fmax(e.t, s->waiting[i]);
    at_work[i] = s->next[i];
    give_span(s, i, e.t, finished, fmax(1, fmin(finished, ceil(finished * s->case_time / FLUSH_TIME))));
    end = fmax(end, fmax(e.t, s->m[i % s->managers].free));
    if (at_work[i] > 0) {
      double time = span_time(s, at_work[i]);
      computed += time;
      push_event(&h, (event){ready + time, i});
    } else if (s->next[i] > 0) { // it had to wait for it
      at_work[i] = s->next[i];
      s->next[i] = 0;
      double time = span_time(s, at_work[i]);
      computed += time;
      push_event(&h, (event){fmax(ready, s->waiting[i]) + time, i});
    }
  }
  double busiest = 0;
  double rows = 0;
  for (int k = 0; k < s->managers; k++) {
    busiest = fmax(busiest, s->m[k].busy);
    rows = fmax(rows, s->m[k].done);
  }
  int ranks = s->workers + (s->managers > 1 ? s->managers + 1 : 0);
  printf("%.3g cases of %.3g s, %d ranks, %d manager%s: %.1f s, %.1f %% of the ranks' time is used; managers busy %.1f %%, root %.2f %%; %.3g rows in the "
         "largest journal\n",
         cases, s->case_time, ranks, s->managers, s->managers > 1 ? "s and a root" : "", end, 100 * computed / (end * ranks), 100 * busiest / end,
         100 * s->root.busy / end, rows);
  free(h.e);
  free(at_work);
}

int main(int argc, char **argv)
{
  if (argc >= 2 && strcmp(argv[1], "measure") == 0) {
    long cases = argc > 2 ? atol(argv[2]) : 200000;
    puts("cases that take no time:");
    for (int workers = 1; workers <= 64; workers *= 4) {
      measure_manager(cases, workers);
    }
    puts("cases that sleep for 10 ms:");
    sleeping = 0.01;
    for (int workers = 2; workers <= 64; workers *= 2) {
      measure_manager(500 * workers, workers);
    }
    measure_rewrite(cases);
    return 0;
  }
  if (argc < 6 || strcmp(argv[1], "model") != 0) {
    fprintf(stderr, "sweep_model measure [CASES] | model CASES RANKS MANAGERS CASE_TIME [PER_CASE PER_MESSAGE LATENCY]\n");
    return 2;
  }
  double cases = atof(argv[2]);
  int ranks = atoi(argv[3]);
  int managers = atoi(argv[4]);
  model s = {.cost = {argc > 6 ? atof(argv[6]) : 2.2e-6, argc > 7 ? atof(argv[7]) : 2.1e-5, argc > 8 ? atof(argv[8]) : 2e-5},
             .left = cases,
             .case_time = atof(argv[5]),
             .managers = managers,
             .workers = ranks - (managers > 1 ? managers + 1 : 0), // rank 0 has a worker beside it
             .seed = 1};
  s.m = calloc((size_t)managers, sizeof *s.m);
  s.waiting = calloc((size_t)s.workers, sizeof *s.waiting);
  s.next = calloc((size_t)s.workers, sizeof *s.next);
  for (int k = 0; k < managers; k++) {
    fill_manager(&s, &s.m[k], 0);
  }
  simulate_sweep(&s, cases);
  free(s.m);
  free(s.waiting);
  free(s.next);
  return 0;
}
