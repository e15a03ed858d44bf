// memory.c: a library to be preloaded (LD_PRELOAD) that makes chosen allocations of a program fail. Allocations are counted
// from the first line of main on; what the dynamic linker and the constructors of libraries take is not counted.
//
//   ROUTH_FAULT_AT=N        the N-th allocation fails (from 1); 0 or unset: none
//   ROUTH_FAULT_FOR_GOOD=1  and all after it
//   ROUTH_FAULT_COUNT=FILE  the number of allocations is written to FILE when the program ends
//   ROUTH_FAULT_TRACE=FILE  the call chain of the first allocation that failed is written to FILE
//   ROUTH_FAULT_SERVE=1     the program is loaded once and run again and again: each `rh_fault_request` on file descriptor 198 is
//                           answered by the state of a copy (as waitpid gives it) on 199; it writes to ../out and ../err
//
// Children that the program starts (gnuplot) run without it.
#define _GNU_SOURCE
#include "memory.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

// NOLINTBEGIN: names and parameters are those of glibc
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *block, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);

typedef int main_function(int argc, char **argv, char **environment);

int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*linker_fini)(void), void *stack_end);

#pragma GCC visibility push(default)

static atomic_bool counting;
static atomic_long taken;
static long fail_at;
static bool for_good;
static const char *count_file;
static const char *trace_file;
static main_function *real_main;
static pid_t owner;

static void write_trace(void)
{
  void *frame[48];
  atomic_store(&counting, false);
  int file = open(trace_file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file >= 0) {
    backtrace_symbols_fd(frame, backtrace(frame, 48), file);
    (void)close(file);
  }
  atomic_store(&counting, true);
}

// Counts an allocation. True: it must fail.
static bool must_fail(void)
{
  if (!atomic_load(&counting)) {
    return false;
  }
  long n = atomic_fetch_add(&taken, 1) + 1;
  if (fail_at == 0 || n < fail_at || (n > fail_at && !for_good)) {
    return false;
  }
  if (n == fail_at && trace_file != NULL) {
    write_trace();
  }
  errno = ENOMEM;
  return true;
}

void *malloc(size_t bytes)
{
  return must_fail() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
  return must_fail() ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *block, size_t bytes)
{
  return bytes > 0 && must_fail() ? NULL : __libc_realloc(block, bytes);
}

void *reallocarray(void *block, size_t count, size_t bytes)
{
  size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all)) {
    errno = ENOMEM;
    return NULL;
  }
  return realloc(block, all);
}

void *memalign(size_t alignment, size_t bytes)
{
  return must_fail() ? NULL : __libc_memalign(alignment, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
  return must_fail() ? NULL : __libc_memalign(alignment, bytes);
}

int posix_memalign(void **block, size_t alignment, size_t bytes)
{
  int before = errno;
  if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) {
    return EINVAL;
  }
  void *made = must_fail() ? NULL : __libc_memalign(alignment, bytes);
  errno = before; // it is the result that says why
  if (made == NULL) {
    return ENOMEM;
  }
  *block = made;
  return 0;
}

static void write_count(void)
{
  atomic_store(&counting, false);
  if (count_file == NULL || getpid() != owner) {
    return;
  }
  FILE *file = fopen(count_file, "w");
  if (file != NULL) {
    (void)fprintf(file, "%ld\n", atomic_load(&taken));
    (void)fclose(file);
  }
}

static void redirect(const char *path, int to)
{
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  (void)dup2(file, to);
  (void)close(file);
}

// Returns in each copy that is to run the program; the server itself ends here.
static void serve(void)
{
  rh_fault_request request;
  while (read(RH_FAULT_IN, &request, sizeof request) == sizeof request) {
    pid_t copy = fork();
    if (copy == 0) {
      (void)close(RH_FAULT_IN);
      (void)close(RH_FAULT_OUT);
      redirect("../out", STDOUT_FILENO);
      redirect("../err", STDERR_FILENO);
      (void)alarm(RH_FAULT_WATCHDOG); // clock: a watchdog, for a program that hangs
      fail_at = request.at;
      for_good = request.for_good != 0;
      return;
    }
    int state = -1;
    if (copy < 0 || waitpid(copy, &state, 0) < 0 ||
        write(RH_FAULT_OUT, &state, sizeof state) != sizeof state) {
      break;
    }
  }
  _exit(0);
}

static int counted_main(int argc, char **argv, char **environment)
{
  const char *at = getenv("ROUTH_FAULT_AT");
  void *frame[4];
  fail_at = at != NULL ? strtol(at, NULL, 10) : 0;
  for_good = getenv("ROUTH_FAULT_FOR_GOOD") != NULL;
  count_file = getenv("ROUTH_FAULT_COUNT");
  trace_file = getenv("ROUTH_FAULT_TRACE");
  if (trace_file != NULL) {
    (void)backtrace(frame, 4); // loads what it needs, now
  }
  (void)unsetenv("LD_PRELOAD");
  if (getenv("ROUTH_FAULT_SERVE") != NULL) {
    serve();
  }
  owner = getpid();
  (void)atexit(write_count); // before what main registers: called after it
  atomic_store(&counting, true);
  return real_main(argc, argv, environment);
}

int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*linker_fini)(void), void *stack_end)
{
  typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void),
                             void (*)(void), void *);
  start_function *start = NULL;
  *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
  real_main = main;
  return start(counted_main, argc, argv, init, fini, linker_fini, stack_end);
}

#pragma GCC visibility pop
// NOLINTEND
