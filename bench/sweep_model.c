// sweep_model.c: what the managers of a sweep cost, measured, and a simulation of the protocol with these costs.
//   sweep_model measure [CASES]   processor time of the manager per case, with 1 to 64 worker processes; of a manager between; of a journal
//   sweep_model model CASES RANKS MANAGERS CASE_TIME [ROW MESSAGE PASS WRITE LATENCY]
//     simulates what src/sweep does: spans of 0.1 s, given out anew when half is left, results every 20 ms; with MANAGERS, spans for all of a
//     manager's workers and messages of at most 32 KiB to rank 0, which has the only journal and writes it in order at the end.
//     ROW, MESSAGE, PASS, WRITE: [s] of a manager's time for a row in messages and journal, for a message, for a result that is passed on, for a
//     row that is written in order; LATENCY: [s] of a message.
// What is left out: ranks that die, other users of the network, disks that are slower than the processor.
#include "recording/journal/journal.h"
#include "sweep/wire.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define SPAN_TIME  0.1  // [s] as in manager.c
#define FLUSH_TIME 0.02 // [s] as in worker.c
#define FLUSH_SIZE 32768 // as in relay.c
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

typedef struct time_use { // of the workers
  double busy, first, last; // [s]
} time_use;

static rh_status add_use(void *user, const rh_journal_row *row)
{
  time_use *u = user;
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
  time_use u = {0, INFINITY, -INFINITY};
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

static double finishing; // [s] own_time() when the last case was there (-Wl,--wrap)

rh_status __real_rh_journal_finish(rh_journal *journal, rh_diag *diag, uint64_t *sum);
rh_status __wrap_rh_journal_finish(rh_journal *journal, rh_diag *diag, uint64_t *sum);

rh_status __wrap_rh_journal_finish(rh_journal *journal, rh_diag *diag, uint64_t *sum)
{
  finishing = own_time();
  return __real_rh_journal_finish(journal, diag, sum);
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
  double used = finishing - begun;
  wall = rh_wall_clock() - wall;
  printf("%4d workers  %8ld cases  %6.2f us of the manager per case: %8.0f cases/s of its processor, %8.0f on the clock; workers at work %.1f %%\n", workers, cases,
         1e6 * used / (double)cases, (double)cases / used, (double)cases / wall, 100 * measure_use(path, workers, diag));
  fflush(stdout);
  rh_plan_free(&plan);
  rh_diag_destroy(diag);
  (void)unlink(path);
}

// What a manager between does with a result: reads it, marks its case, packs it again.
static void measure_pass(long cases)
{
  static rh_plan plan = {.out.n = 6};
  rh_leases *leases = rh_leases_create(cases);
  rh_text said = {0};
  rh_text outbox = {0};
  long passed = 0;
  double begun = own_time();
  for (long i = 0; i < cases;) {
    for (int k = 0; k < 100 && i < cases; k++, i++) {
      rh_case result = {.index = i};
      rh_wire_add_result(&said, &plan, &result);
    }
    size_t at = 0;
    rh_wire head;
    const char *body = NULL;
    bool damaged = false;
    rh_case result;
    while (rh_wire_next(&said, &at, &head, &body, &damaged)) {
      if (rh_wire_result(&plan, body, head.bytes, &result) && rh_leases_done(leases, result.index)) {
        rh_wire_add_result(&outbox, &plan, &result);
        passed++;
      }
    }
    rh_wire_drop(&said, at);
    rh_wire_drop(&outbox, outbox.size);
  }
  printf("a manager between: %.2f us for a result, its packing by the worker included, %zu bytes\n", 1e6 * (own_time() - begun) / (double)passed,
         sizeof(rh_wire) + 16 + 6 * sizeof(double));
  rh_leases_destroy(leases);
  rh_text_free(&said);
  rh_text_free(&outbox);
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
  double row, message, pass, write, latency; // [s]
} costs;

typedef struct event { // a worker has finished a span; or a manager between has a message for rank 0
  double t;
  int worker; // < 0: manager -1 - worker
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

enum { BLOCKS = 16 };

typedef struct manager {
  double free;      // [s] when it has done all that came so far
  double busy;      // [s] of work
  double block[BLOCKS], there[BLOCKS]; // cases from rank 0 that were not given out, and when they come
  int nblock;
  double held;      // cases that rank 0 has given to it and has no results of
  double outbox;    // results
  double strength;  // workers
} manager;

typedef struct worker {
  double at_work;       // cases of the span it is at; 0: it has none
  double next, there;   // of the span behind it, and when that is there
} worker;

typedef struct model {
  costs cost;
  double left;          // cases not given out by rank 0
  double case_time;
  int workers, managers; // managers: 0: none between
  manager *m, root;     // (managers)
  worker *w;            // (workers)
  heap h;
  uint64_t seed;
  double end, computed;
} model;

static double serve_message(manager *m, double t, double work)
{
  m->free = (m->free > t ? m->free : t) + work;
  m->busy += work;
  return m->free;
}

static double span_of(const model *s, double left, double workers, double strength)
{
  return fmax(1, floor(fmin(fmax(1, floor(SPAN_TIME / s->case_time)), left / (4 * workers)) * strength));
}

// Rank 0 gives a manager between cases for all of its workers, whenever it has at most twice as many.
static void fill_manager(model *s, manager *m, double t)
{
  double size = span_of(s, s->left, s->workers, m->strength);
  for (int spans = 0; m->held <= 2 * fmax(size, m->strength) && spans < 4 && s->left > 0 && m->nblock < BLOCKS; spans++) {
    double block = fmin(size, s->left);
    s->left -= block;
    m->held += block;
    m->block[m->nblock] = block;
    m->there[m->nblock++] = t + s->cost.latency;
  }
}

// Cases for a worker of a manager that has time for it at t: at most `size`; *there: when they are there.
static double take_cases(model *s, manager *m, double size, double t, double *there)
{
  *there = t;
  if (s->managers == 0) {
    double cases = fmin(size, s->left);
    s->left -= cases;
    return cases;
  }
  if (m->nblock == 0) {
    return 0;
  }
  double cases = fmin(size, m->block[0]);
  *there = fmax(t, m->there[0]);
  m->block[0] -= cases;
  if (m->block[0] <= 0) {
    m->nblock--;
    memmove(m->block, m->block + 1, (size_t)m->nblock * sizeof *m->block);
    memmove(m->there, m->there + 1, (size_t)m->nblock * sizeof *m->there);
  }
  return cases;
}

static manager *manager_of(model *s, int index)
{
  return s->managers == 0 ? &s->root : &s->m[index % s->managers];
}

static double draw_time(model *s, double cases)
{
  double time = cases * s->case_time * fmax(0.1, 1 + SPREAD * draw_normal(&s->seed) / sqrt(cases));
  s->computed += time;
  return time;
}

// A worker whose manager is free at t gets what it has room for: a span to work at, and one behind it.
static void feed_worker(model *s, int i, double t)
{
  worker *w = &s->w[i];
  manager *m = manager_of(s, i);
  double left = s->left;
  for (int k = 0; s->managers > 0 && k < m->nblock; k++) {
    left = k == 0 ? m->block[0] : left + m->block[k];
  }
  double size = span_of(s, s->managers > 0 ? 2 * left : left, m->strength, 1);
  double there = 0;
  if (w->at_work <= 0) {
    w->at_work = take_cases(s, m, size, t, &there);
    if (w->at_work > 0) {
      push_event(&s->h, (event){there + s->cost.latency + draw_time(s, w->at_work), i});
    }
  }
  if (w->at_work > 0 && w->next <= 0) {
    w->next = take_cases(s, m, size, t, &there);
    w->there = there + s->cost.latency;
  }
}

static void end_span(model *s, int i, double t)
{
  worker *w = &s->w[i];
  manager *m = manager_of(s, i);
  double done = w->at_work;
  double messages = fmax(1, fmin(done, ceil(done * s->case_time / FLUSH_TIME)));
  w->at_work = w->next;
  w->next = 0;
  if (w->at_work > 0) {
    push_event(&s->h, (event){fmax(t, w->there) + draw_time(s, w->at_work), i});
  }
  double each = s->managers > 0 ? s->cost.pass : s->cost.row;
  double there = serve_message(m, t + s->cost.latency, messages * s->cost.message + done * each);
  m->outbox += done;
  s->end = fmax(s->end, there);
  feed_worker(s, i, there);
}

// Results go to rank 0, which gives further cases; the workers that have none get them.
static void pass_results(model *s, int k, double t)
{
  manager *m = &s->m[k];
  double bytes = m->outbox * (double)(sizeof(rh_wire) + 16 + 6 * sizeof(double));
  double messages = ceil(bytes / FLUSH_SIZE);
  if (messages > 0 || m->held <= 0) {
    double sent = serve_message(m, t, messages * s->cost.message);
    double there = serve_message(&s->root, sent + s->cost.latency, fmax(1, messages) * s->cost.message + m->outbox * s->cost.row);
    m->held -= m->outbox;
    m->outbox = 0;
    s->end = fmax(s->end, there);
    fill_manager(s, m, there);
    for (int i = k; i < s->workers && m->nblock > 0; i += s->managers) {
      if (s->w[i].at_work <= 0 || s->w[i].next <= 0) {
        feed_worker(s, i, fmax(m->free, m->there[0]));
      }
    }
  }
  if (m->held > 0 || s->left > 0) {
    push_event(&s->h, (event){fmax(t + FLUSH_TIME, m->free), -1 - k});
  }
}

static void simulate_sweep(model *s)
{
  for (int i = 0; i < s->workers; i++) {
    manager_of(s, i)->strength++;
  }
  for (int k = 0; k < s->managers; k++) {
    fill_manager(s, &s->m[k], serve_message(&s->root, s->cost.latency, s->cost.message));
    push_event(&s->h, (event){FLUSH_TIME * (1 + (double)k / s->managers), -1 - k});
  }
  for (int i = 0; i < s->workers; i++) {
    manager *m = manager_of(s, i);
    feed_worker(s, i, serve_message(m, s->cost.latency, s->cost.message));
  }
  while (s->h.n > 0) {
    event e = pop_event(&s->h);
    if (e.worker < 0) {
      pass_results(s, -1 - e.worker, e.t);
    } else {
      end_span(s, e.worker, e.t);
    }
  }
}

static void print_model(const model *s, double cases)
{
  double busiest = 0;
  for (int k = 0; k < s->managers; k++) {
    busiest = fmax(busiest, s->m[k].busy);
  }
  int ranks = s->workers + (s->managers > 0 ? s->managers + 1 : 0);
  double writing = cases * s->cost.write;
  printf("%.3g cases of %.3g s, %d ranks, %d managers between: %.0f s, use %.1f %%, rank 0 busy %.1f %%, the others at most %.1f %%; then %.0f s "
         "to write the journal in order: %.0f s in all; journal of 8 numbers %.3g GB\n",
         cases, s->case_time, ranks, s->managers, s->end, 100 * s->computed / (s->end * ranks), 100 * s->root.busy / s->end,
         100 * busiest / s->end, writing, s->end + writing, 85e-9 * cases);
}

static double number_at(char **argv, int argc, int i, double usual)
{
  return argc > i ? atof(argv[i]) : usual;
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
    measure_pass(cases);
    measure_rewrite(cases);
    return 0;
  }
  if (argc < 6 || strcmp(argv[1], "model") != 0) {
    fprintf(stderr, "sweep_model measure [CASES] | model CASES RANKS MANAGERS CASE_TIME [ROW MESSAGE PASS WRITE LATENCY]\n");
    return 2;
  }
  double cases = atof(argv[2]);
  int ranks = atoi(argv[3]);
  model s = {.cost = {number_at(argv, argc, 6, 1e-6), number_at(argv, argc, 7, 2.1e-5), number_at(argv, argc, 8, 2e-7),
                      number_at(argv, argc, 9, 1.2e-6), number_at(argv, argc, 10, 2e-5)},
             .left = cases,
             .case_time = atof(argv[5]),
             .managers = atoi(argv[4]),
             .seed = 1};
  s.workers = ranks - (s.managers > 0 ? s.managers + 1 : 0); // without managers between, rank 0 has a worker beside it
  if (s.workers < 1 || s.managers < 0 || s.managers > s.workers) {
    fprintf(stderr, "sweep_model: too few ranks\n");
    return 2;
  }
  s.m = calloc((size_t)s.managers + 1, sizeof *s.m);
  s.w = calloc((size_t)s.workers, sizeof *s.w);
  s.h.e = calloc((size_t)(s.workers + s.managers) + 1, sizeof *s.h.e);
  simulate_sweep(&s);
  print_model(&s, cases);
  free(s.m);
  free(s.w);
  free(s.h.e);
  return 0;
}
