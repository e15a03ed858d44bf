// memory.h: an allocator that counts what is out and fails when told to, for the tests of what allocates and what must not.
#ifndef ROUTH_TEST_MEMORY_H
#define ROUTH_TEST_MEMORY_H

#include <routh/base.h>
#include <stdlib.h>

typedef struct memory {
  long calls;   // allocations and growths since memory_watch
  long out;     // blocks not given back
  long fail_at; // this call and all behind it fail (from 1), 0: none
} memory;

static memory the_memory;

static inline void *memory_resize(void *user, void *block, size_t bytes)
{
  memory *m = user;
  if (bytes == 0) {
    m->out -= block != NULL;
    free(block);
    return NULL;
  }
  m->calls++;
  if (m->fail_at > 0 && m->calls >= m->fail_at) {
    return NULL;
  }
  void *grown = realloc(block, bytes);
  m->out += block == NULL && grown != NULL;
  return grown;
}

static inline void memory_watch(long fail_at)
{
  static const rh_allocator allocator = {memory_resize, &the_memory};
  the_memory.calls = 0;
  the_memory.fail_at = fail_at;
  rh_hook_set_allocator(&allocator);
}

#endif
