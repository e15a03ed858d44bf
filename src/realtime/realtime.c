// realtime.c: machine settings for a thread that wakes in time: fixed priority above all ordinary
// threads, and memory that is never paged out. Neither is required; both may be refused to ordinary
// users.
#include "live.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { PRIORITY = 80, STACK = 256 * 1024 }; // [bytes] of stack per tick

static void add_failure(rh_realtime *rt, const char *what, int error)
{
  size_t used = strlen(rt->why);
  (void)snprintf(rt->why + used, sizeof rt->why - used, "%s%s: %s", used > 0 ? "; " : "", what,
                 strerror(error));
}

void rh_realtime_memory(rh_realtime *rt)
{
  rt->locked = mlockall(MCL_CURRENT) == 0;
  if (!rt->locked) {
    add_failure(rt, "memory is not locked", errno);
  }
}

void rh_realtime_release(void)
{
  (void)munlockall();
}

static void touch_stack(void)
{
  volatile unsigned char room[STACK];
  for (size_t i = 0; i < sizeof room; i += 1024) {
    room[i] = 0;
  }
}

void rh_realtime_thread(rh_realtime *rt)
{
  touch_stack();
#ifdef __linux__
  (void)prctl(PR_SET_TIMERSLACK, 1L, 0L, 0L,
              0L); // [ns] otherwise an ordinary thread may wake 50 us late
#endif
  struct sched_param how = {.sched_priority = PRIORITY};
  int error = pthread_setschedparam(pthread_self(), SCHED_FIFO, &how);
  rt->fifo = error == 0;
  if (error != 0) {
    add_failure(rt, "no real-time priority", error);
  }
}
