// fuzz_look.c: libFuzzer's way into rh_feed_look. Built by the preset "fuzz".
#include "fuzz/feed.h"
#include "fuzz/slow.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  rh_slow_begin();
  rh_feed_look(data, size);
  rh_slow_end();
  return 0;
}
