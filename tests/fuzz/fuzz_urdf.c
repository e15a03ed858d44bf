// fuzz_urdf.c: libFuzzer's way into rh_feed_urdf. Built by the preset "fuzz".
#include "fuzz/feed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  rh_feed_urdf(data, size);
  return 0;
}
