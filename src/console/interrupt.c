// interrupt.c: the signals that end a run in good order.
#include "caller.h"
#include "console.h"

#include <signal.h>

static volatile sig_atomic_t seen;

static void on_signal(int number)
{
  seen = number;
}

void rh_interrupt_catch(void)
{
  static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
  if (rh_caller_get() != NULL || seen != 0) {
    return; // the signals are the caller's, or the next one kills
  }
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < RH_COUNT(caught); i++) {
    struct sigaction before;
    bool ignored = sigaction(caught[i], NULL, &before) == 0 && before.sa_handler == SIG_IGN;
    if (!ignored || caught[i] != SIGHUP) { // nohup needs it ignored
      sigaction(caught[i], &action, NULL);
    }
  }
}

int rh_interrupt_seen(void)
{
  const rh_caller *caller = rh_caller_get();
  if (caller != NULL && caller->ended) {
    return SIGINT;
  }
  if (caller != NULL) {
    return caller->stop != NULL && caller->stop(caller->user) ? SIGINT : 0;
  }
  return seen;
}
