// fuzz_problem.c: libFuzzer's way into rh_feed_problem. Built by the preset "fuzz". Memory comes in pieces of 128 kB at most: the
// largest patch that is allowed (128 x 128 cells) takes a second or two, and minutes under the fuzzer; here it finds no room and says so.
#include "fuzz/feed.h"
#include "fuzz/slow.h"

#include <routh/base.h>

#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const size_t MOST = 128 << 10;

static void *resize(void *user, void *block, size_t bytes)
{
  (void)user;
  if (bytes == 0) {
    free(block);
    return NULL;
  }
  return bytes > MOST ? NULL : realloc(block, bytes);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  (void)argc;
  (void)argv;
  rh_hook_set_allocator(&(rh_allocator){resize, NULL});
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  rh_slow_begin();
  rh_feed_problem(data, size);
  rh_slow_end();
  return 0;
}
