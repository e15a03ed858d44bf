// mark.c: a library that turns valgrind's counting of instructions on and off, for C and, by ctypes, for Python. Outside of
// valgrind it does nothing.
#include <valgrind/callgrind.h>

void bench_count(int on);

void bench_count(int on)
{
  if (on) {
    CALLGRIND_START_INSTRUMENTATION;
  } else {
    CALLGRIND_STOP_INSTRUMENTATION;
  }
}
