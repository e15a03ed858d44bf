// ranks.c: the ranks of MPI as workers of a sweep. Rank 0 manages, and may have worker processes of
// its own. Open MPI tells nobody of a rank that dies (and ends all others unless mpirun has
// --enable-recovery); its leases end, and that is enough. Nobody waits inside MPI, which would keep
// a core busy and would wait for the dead.
#include "ranks.h"

#include "sweep/mpi/letters.h"

#include <dlfcn.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NAP_NS         200000 // [ns] between two looks
#define PING_TIME      1.0    // [s] an idle worker shows that it is there
#define PARTING        5.0    // [s] the last messages may take
#define END_PATIENCE   60     // [s] for all to end
#define START_PATIENCE 5      // times the time of a lease, for MPI to start
#define PLAN_PATIENCE  10     // the manager may have a long journal to read first
#define POSTS_MAX      16     // messages on their way to one rank

bool rh_ranks_launched(void)
{
  static const char *const sign[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"};
  bool launched = false;
  for (int i = 0; i < RH_COUNT(sign); i++) {
    launched = launched || getenv(sign[i]) != NULL;
  }
  return launched;
}

// The module lies in the library folder beside the program's: of the build, or as installed.
static void *load_module(void)
{
  static const char *const folder[] = {"lib", ROUTH_LIBDIR};
  char program[PATH_MAX];
  char path[PATH_MAX + 64];
  ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
  program[n > 0 ? n : 0] = '\0';
  char *slash = strrchr(program, '/');
  void *module = NULL;
  for (int i = 0; module == NULL && slash != NULL && i < RH_COUNT(folder); i++) {
    *slash = '\0';
    (void)snprintf(path, sizeof path, "%s/../%s/routh/routh_mpi.so", program, folder[i]);
    module = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  }
  return module;
}

static void give_up_start(int number)
{
  static const char text[] = "routh: sweep: MPI does not start: not all ranks have come\n";
  (void)number;
  (void)!write(STDERR_FILENO, text, sizeof text - 1);
  _exit(rh_status_exit_code(RH_STOPPED));
}

rh_status rh_ranks_begin(double patience, const rh_mpi **mpi)
{
  *mpi = NULL;
  void *module = load_module();
  if (module == NULL) {
    return rh_refuse(
        RH_INPUT_REFUSED,
        "sweep: started by MPI, but routh was built without it: install libopenmpi-dev, "
        "and build it again (%s)",
        dlerror());
  }
  rh_mpi_begin_fn *begin = NULL;
  void *symbol = dlsym(module, "rh_mpi_begin");
  memcpy(&begin, &symbol, sizeof begin);
  struct sigaction action = {.sa_handler = give_up_start};
  sigaction(SIGALRM, &action, NULL);
  (void)alarm((unsigned)fmin(START_PATIENCE * fmax(patience, 1), 1e6));
  *mpi = begin != NULL ? begin() : NULL;
  (void)alarm(0);
  if (*mpi == NULL || (*mpi)->version != RH_MPI_MODULE_VERSION) {
    return rh_refuse(RH_INPUT_REFUSED, "sweep: MPI does not start");
  }
  return RH_OK;
}

static void end_alone(int number)
{
  (void)number;
  _exit(0);
}

void rh_ranks_end(const rh_mpi *mpi)
{
  struct sigaction action = {.sa_handler = end_alone};
  fflush(stdout);
  sigaction(SIGALRM, &action, NULL);
  (void)alarm(END_PATIENCE);
  mpi->end();
  (void)alarm(0);
}

static void wait_briefly(void)
{
  (void)nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
}

// ---- The manager's side

typedef struct ranks {
  rh_crew crew;
  const rh_mpi *mpi;
  rh_crew *local;
  int nlocal;
  rh_text *said;     // (size) by rank
  int *rank;         // (crew.n - nlocal) of the workers that are ranks
  int *worker;       // (size) RH_NONE: a rank above
  rh_letter *letter; // (size x POSTS_MAX)
  rh_letterbox box;
} ranks;

static void send_to_rank(ranks *r, int rank, const rh_text *bytes)
{
  for (int i = 0; i < POSTS_MAX; i++) {
    rh_letter *l = &r->letter[rank * POSTS_MAX + i];
    if (rh_letter_gone(r->mpi, l)) {
      (void)rh_letter_post(r->mpi, rank, bytes, l);
      return;
    }
  } // it takes nothing: it is dead, or its leases will end
}

static void send_to_worker(void *self, int worker, const rh_text *bytes)
{
  ranks *r = self;
  if (worker < r->nlocal) {
    r->local->send(r->local->self, worker, bytes);
  } else {
    send_to_rank(r, r->rank[worker - r->nlocal], bytes);
  }
}

static int wait_for_worker(void *self, int ms, rh_text **said, bool *died)
{
  ranks *r = self;
  double begun = rh_wall_clock();
  *died = false;
  do {
    int from = rh_letterbox_take(&r->box, rh_wall_clock(), r->said, true);
    if (from != RH_NONE) {
      *said = &r->said[from];
      return r->worker[from];
    }
    if (r->local == NULL) {
      wait_briefly();
      continue;
    }
    int worker = r->local->wait(r->local->self, 1, said, died);
    if (worker != RH_NONE) {
      return worker;
    }
  } while (rh_wall_clock() - begun < 0.001 * ms);
  return RH_NONE;
}

static bool replace_worker(void *self, int worker)
{
  const ranks *r = self;
  return worker < r->nlocal && r->local->replace(r->local->self, worker);
}

// The last messages are on their way for a while yet.
static void end_ranks(void *self)
{
  ranks *r = self;
  double begun = rh_wall_clock();
  bool gone = false;
  while (!gone && rh_wall_clock() - begun < PARTING) {
    gone = true;
    for (int i = 0; i < r->mpi->size * POSTS_MAX; i++) {
      gone = rh_letter_gone(r->mpi, &r->letter[i]) && gone;
    }
    (void)rh_letterbox_take(&r->box, rh_wall_clock(), r->said, true);
    if (!gone) {
      wait_briefly();
    }
  }
  if (r->local != NULL) {
    r->local->end(r->local->self);
  }
  for (int i = 0; i < r->mpi->size; i++) {
    rh_text_free(&r->said[i]);
  }
  rh_free(r->said);
  rh_free(r->rank);
  rh_free(r->worker);
  rh_letterbox_free(&r->box);
  rh_free(r->letter); // bytes that are still on their way stay: MPI reads them
  rh_free(r);
}

// The rank above a rank.
static int find_parent(int rank, int managers)
{
  return rank <= managers || managers == 0 ? 0 : 1 + (rank - managers - 1) % managers;
}

static void list_ranks(ranks *r, int managers)
{
  int n = 0;
  for (int i = 0; i < r->mpi->size; i++) {
    bool below = i > 0 && find_parent(i, managers) == r->mpi->rank;
    r->worker[i] = below ? r->nlocal + n : RH_NONE;
    if (below) {
      r->rank[n++] = i;
    }
  }
  r->crew.n = r->nlocal + n;
}

static rh_crew *allocate_ranks(const rh_mpi *mpi, rh_crew *local)
{
  size_t size = (size_t)mpi->size;
  ranks *r = rh_alloc(sizeof *r);
  if (r == NULL) {
    return NULL;
  }
  *r = (ranks){.crew = {r, 0, send_to_worker, wait_for_worker, replace_worker, end_ranks},
               .mpi = mpi,
               .box = {.mpi = mpi},
               .nlocal = local != NULL ? local->n : 0,
               .said = rh_alloc(size * sizeof *r->said),
               .letter = rh_alloc(size * POSTS_MAX * sizeof *r->letter),
               .rank = rh_alloc(size * sizeof *r->rank),
               .worker = rh_alloc(size * sizeof *r->worker)};
  if (r->said == NULL || r->letter == NULL || r->rank == NULL || r->worker == NULL) {
    rh_free(r->said);
    rh_free(r->letter);
    rh_free(r->rank);
    rh_free(r->worker);
    rh_free(r);
    return NULL;
  }
  r->local = local;
  return &r->crew;
}

rh_crew *rh_crew_ranks(const rh_mpi *mpi, const rh_plan *plan, rh_crew *local, int managers)
{
  rh_text packed = {0};
  rh_wire_add_plan(&packed, plan);
  rh_crew *crew = packed.failed ? NULL : allocate_ranks(mpi, local);
  if (crew != NULL) {
    ranks *r = crew->self;
    list_ranks(r, managers);
    for (int i = 0; i < crew->n - r->nlocal; i++) {
      send_to_rank(r, r->rank[i], &packed);
    }
  }
  rh_text_free(&packed);
  return crew;
}

rh_text *rh_ranks_above(rh_crew *crew)
{
  const ranks *r = crew->self;
  return &r->said[0];
}

void rh_ranks_dismiss(const rh_mpi *mpi)
{
  rh_text stop = {0};
  rh_letter *l = rh_alloc((size_t)mpi->size * sizeof *l);
  rh_wire_add_stop(&stop, true);
  bool gone = l == NULL || stop.failed;
  for (int i = 1; !gone && i < mpi->size; i++) {
    (void)rh_letter_post(mpi, i, &stop, &l[i]);
  }
  for (double begun = rh_wall_clock(); !gone && rh_wall_clock() - begun < PARTING;) {
    gone = true;
    for (int i = 1; i < mpi->size; i++) {
      gone = rh_letter_gone(mpi, &l[i]) && gone;
    }
  }
  rh_text_free(&stop);
  rh_free(l);
}

// ---- The worker's side

typedef struct post_line {
  const rh_mpi *mpi;
  int above; // the rank that it works for
  double patience;
  rh_letterbox box;
  rh_listening watch;
  double heard, pinged; // [s] of the watch
} post_line;

static bool send_letter(void *self, const rh_text *bytes)
{
  post_line *p = self;
  rh_letter l = {0};
  if (!rh_letter_post(p->mpi, p->above, bytes, &l)) {
    return false;
  }
  for (double begun = rh_listening_time(&p->watch, rh_wall_clock()); !rh_letter_gone(p->mpi, &l);) {
    if (rh_listening_time(&p->watch, rh_wall_clock()) - begun > p->patience) {
      return false;
    }
    wait_briefly();
  }
  p->pinged = p->watch.counted;
  return true;
}

static bool ping_manager(post_line *p)
{
  rh_text hello = {0};
  rh_wire_add(&hello, RH_WIRE_HELLO, NULL, 0);
  bool sent = !hello.failed && send_letter(p, &hello);
  rh_text_free(&hello);
  return sent;
}

static bool receive_letter(void *self, bool wait, rh_text *inbox)
{
  post_line *p = self;
  for (;;) {
    double now = rh_listening_time(&p->watch, rh_wall_clock());
    if (rh_letterbox_take(&p->box, p->watch.looked, inbox, false) != RH_NONE) {
      p->heard = now;
      return true;
    }
    if (!wait) {
      p->heard = now; // it is at work: silence is counted from the end of it
      return true;
    }
    if (now - p->heard > p->patience || (now - p->pinged > PING_TIME && !ping_manager(p))) {
      return false;
    }
    wait_briefly();
  }
}

static bool work_for_plan(post_line *p, const rh_plan *plan, int managers)
{
  rh_line line = {p, receive_letter, send_letter};
  if (p->mpi->rank > managers) {
    return rh_worker_work(plan, &line);
  }
  rh_crew *crew = rh_crew_ranks(p->mpi, plan, NULL, managers);
  if (crew == NULL) {
    return false;
  }
  ranks *r = crew->self;
  r->box = p->box; // what has begun to come is the crew's
  p->box = (rh_letterbox){.mpi = p->mpi};
  return rh_relay_work(plan, crew, &line, p->patience);
}

rh_status rh_ranks_work(const rh_mpi *mpi, double patience, int managers, bool *together)
{
  post_line p = {.mpi = mpi,
                 .above = find_parent(mpi->rank, managers),
                 .patience = PLAN_PATIENCE * patience,
                 .box = {.mpi = mpi},
                 .watch = {.looked = rh_wall_clock()}};
  rh_text inbox = {0};
  rh_plan plan = {0};
  bool more = true;
  rh_status status = RH_STOPPED; // the manager was never heard
  while (more && receive_letter(&p, true, &inbox)) {
    more = rh_wire_plan(&inbox, &plan, &status);
  }
  p.patience = patience;
  *together = status == RH_OK;
  if (status == RH_OK && plan.cases > 0) {
    *together = work_for_plan(&p, &plan, managers);
  }
  rh_letterbox_free(&p.box);
  rh_text_free(&inbox);
  rh_plan_free(&plan);
  return status;
}
