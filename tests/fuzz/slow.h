// slow.h: an input on which a fuzz target spends too much processor time is a failure, like a crash. libFuzzer's own -timeout counts
// the wall clock, which on a busy machine says nothing about the input.
#ifndef ROUTH_FUZZ_SLOW_H
#define ROUTH_FUZZ_SLOW_H

#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#ifdef __OPTIMIZE__
#define RH_SLOW_SECONDS 10
#else
#define RH_SLOW_SECONDS 30
#endif

static inline void rh_slow_found(int number)
{
  static const char text[] = "fuzz: one input takes too much processor time\n";
  (void)number;
  (void)!write(STDERR_FILENO, text, sizeof text - 1);
  abort(); // libFuzzer keeps the input
}

static inline void rh_slow_set(time_t seconds)
{
  static timer_t timer;
  static int made;
  if (!made) {
    struct sigaction act = {.sa_handler = rh_slow_found};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGXCPU};
    if (sigaction(SIGXCPU, &act, NULL) != 0 ||
        timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) != 0) {
      abort();
    }
    made = 1;
  }
  const struct itimerspec when = {.it_value = {.tv_sec = seconds}};
  (void)timer_settime(timer, 0, &when, NULL);
}

static inline void rh_slow_begin(void)
{
  rh_slow_set(RH_SLOW_SECONDS);
}

static inline void rh_slow_end(void)
{
  rh_slow_set(0);
}

#endif
