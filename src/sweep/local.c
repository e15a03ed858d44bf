// local.c: worker processes on this machine, each at the end of a socket. A process that dies closes
// its socket, whatever killed it; a manager that dies closes all of them, and the workers end.
#include "crew.h"

#include "console/caller.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PIECE 65536

typedef struct process {
  pid_t pid;
  int fd; // RH_NONE: it is dead
  rh_text said, unsent;
} process;

typedef struct local {
  rh_crew crew;
  const rh_plan *plan;
  process *process;
  struct pollfd *look;
  int next; // the first one to be looked at, so that all get their turn
} local;

// ---- In the worker

static bool receive_bytes(void *self, bool wait, rh_text *inbox)
{
  int fd = *(const int *)self;
  char piece[4096];
  for (;;) {
    ssize_t n = recv(fd, piece, sizeof piece, wait ? 0 : MSG_DONTWAIT);
    if (n > 0) {
      rh_text_add_bytes(inbox, piece, (size_t)n);
      return true;
    }
    if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
      return false;
    }
    if (errno == EAGAIN) {
      return true;
    }
  }
}

static bool send_bytes(void *self, const rh_text *bytes)
{
  int fd = *(const int *)self;
  for (size_t at = 0; at < bytes->size;) {
    ssize_t n = send(fd, bytes->data + at, bytes->size - at, MSG_NOSIGNAL);
    if (n < 0 && errno != EINTR) {
      return false;
    }
    at += n > 0 ? (size_t)n : 0;
  }
  return true;
}

// Ctrl-C is the manager's, which ends its workers; the sockets of the others must not be held open.
static void become_worker(const local *crew, int fd, pid_t manager)
{
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL); // a case may be long, and nobody wants its result
  if (getppid() != manager) {
    _exit(0);
  }
  struct sigaction ignore = {.sa_handler = SIG_IGN};
  struct sigaction usual = {.sa_handler = SIG_DFL};
  sigaction(SIGINT, &ignore, NULL);
  sigaction(SIGHUP, &usual, NULL);
  sigaction(SIGTERM, &usual, NULL);
  rh_caller_leave();
  for (int i = 0; i < crew->crew.n; i++) {
    if (crew->process[i].fd >= 0) {
      close(crew->process[i].fd);
    }
  }
  rh_line line = {&fd, receive_bytes, send_bytes};
  (void)rh_worker_work(crew->plan, &line);
  _exit(0);
}

// ---- In the manager

static bool start_process(local *crew, process *p)
{
  int end[2];
  *p = (process){.fd = RH_NONE};
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, end) != 0) {
    return false;
  }
  (void)fcntl(end[0], F_SETFD, FD_CLOEXEC);
  (void)fcntl(end[1], F_SETFD, FD_CLOEXEC);
  fflush(stdout);
  fflush(stderr);
  pid_t manager = getpid();
  p->pid = fork();
  if (p->pid == 0) {
    close(end[0]);
    become_worker(crew, end[1], manager);
  }
  close(end[1]);
  if (p->pid < 0) {
    close(end[0]);
    return false;
  }
  p->fd = end[0];
  (void)fcntl(p->fd, F_SETFL, O_NONBLOCK);
  return true;
}

static void bury_process(process *p)
{
  close(p->fd);
  p->fd = RH_NONE;
  kill(p->pid, SIGKILL); // it may only have closed its socket
  while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR) {}
  rh_text_free(&p->unsent);
}

static void push_unsent(process *p)
{
  ssize_t n = send(p->fd, p->unsent.data, p->unsent.size, MSG_NOSIGNAL);
  if (n > 0) {
    rh_wire_drop(&p->unsent, (size_t)n);
  }
}

static void send_to_process(void *self, int worker, const rh_text *bytes)
{
  local *crew = self;
  process *p = &crew->process[worker];
  if (p->fd >= 0) {
    rh_text_add_bytes(&p->unsent, bytes->data, bytes->size);
    if (p->unsent.failed) {
      kill(p->pid, SIGKILL); // it would wait for what it was not sent
    } else {
      push_unsent(p);
    }
  }
}

// Everything it has said; false: its end is closed.
static bool hear_process(process *p)
{
  char piece[PIECE];
  for (;;) {
    ssize_t n = recv(p->fd, piece, sizeof piece, MSG_DONTWAIT);
    if (n > 0) {
      rh_text_add_bytes(&p->said, piece, (size_t)n);
    }
    if (n <= 0) {
      return n < 0 && (errno == EAGAIN || errno == EINTR);
    }
    if (n < (ssize_t)sizeof piece) {
      return true;
    }
  }
}

static int wait_for_process(void *self, int ms, rh_text **said, bool *died)
{
  local *crew = self;
  int n = crew->crew.n;
  for (int i = 0; i < n; i++) {
    const process *p = &crew->process[i];
    bool unsent = p->fd >= 0 && p->unsent.size > 0;
    crew->look[i] =
        (struct pollfd){.fd = p->fd, .events = (short)(unsent ? POLLIN | POLLOUT : POLLIN)};
  }
  *died = false;
  if (poll(crew->look, (nfds_t)n, ms) <= 0) {
    return RH_NONE;
  }
  for (int i = 0; i < n; i++) {
    int at = (crew->next + i) % n;
    process *p = &crew->process[at];
    short seen = crew->look[at].revents;
    if (p->fd < 0 || seen == 0) {
      continue;
    }
    if ((seen & POLLOUT) != 0) {
      push_unsent(p);
    }
    if ((seen & (POLLIN | POLLHUP | POLLERR)) == 0) {
      continue;
    }
    *died = !hear_process(p);
    if (*died) {
      bury_process(p);
    }
    *said = &p->said;
    crew->next = at + 1;
    return at;
  }
  return RH_NONE;
}

static bool replace_process(void *self, int worker)
{
  local *crew = self;
  process *p = &crew->process[worker];
  if (p->fd >= 0) { // it has been silent for too long
    bury_process(p);
  }
  rh_text_free(&p->said);
  return start_process(crew, p);
}

static void end_local(void *self)
{
  local *crew = self;
  for (int i = 0; i < crew->crew.n; i++) {
    if (crew->process[i].fd >= 0) {
      bury_process(&crew->process[i]);
    }
    rh_text_free(&crew->process[i].said);
  }
  rh_free(crew->process);
  rh_free(crew->look);
  rh_free(crew);
}

rh_crew *rh_crew_local(const rh_plan *plan, int n)
{
  local *crew = rh_alloc(sizeof *crew);
  process *p = rh_alloc((size_t)n * sizeof *p);
  struct pollfd *look = rh_alloc((size_t)n * sizeof *look);
  if (crew == NULL || p == NULL || look == NULL) {
    rh_free(crew);
    rh_free(p);
    rh_free(look);
    return NULL;
  }
  *crew = (local){.crew = {crew, 0, send_to_process, wait_for_process, replace_process, end_local},
                  .plan = plan,
                  .process = p,
                  .look = look};
  for (int i = 0; i < n && start_process(crew, &p[crew->crew.n]); i++) {
    crew->crew.n++;
  }
  if (crew->crew.n == 0) {
    end_local(crew);
    return NULL;
  }
  return &crew->crew;
}
