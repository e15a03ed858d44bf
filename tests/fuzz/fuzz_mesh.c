// fuzz_mesh.c: libFuzzer's way into rh_feed_mesh. Built by the preset "fuzz".
#include "fuzz/feed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  rh_feed_mesh(data, size);
  return 0;
}
