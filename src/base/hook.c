// The allocator and the assert handler: the only mutable globals, set before anything else is called.
#include <routh/base.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *resize_by_c_library(void *user, void *block, size_t bytes)
{
  (void)user;
  if (bytes == 0) {
    free(block);
    return NULL;
  }
  return realloc(block, bytes);
}

static rh_allocator allocator = {resize_by_c_library, NULL};
static rh_assert_fn *assert_handler;

void rh_hook_set_allocator(const rh_allocator *a)
{
  allocator = a ? *a : (rh_allocator){resize_by_c_library, NULL};
}

void rh_hook_set_assert(rh_assert_fn *handler)
{
  assert_handler = handler;
}

void *rh_alloc(size_t bytes)
{
  if (bytes == 0) {
    bytes = 1; // so that NULL always means out of memory
  }
  void *block = allocator.resize(allocator.user, NULL, bytes);
  return block ? memset(block, 0, bytes) : NULL;
}

void *rh_realloc(void *block, size_t bytes)
{
  return allocator.resize(allocator.user, block, bytes ? bytes : 1);
}

void rh_free(void *block)
{
  if (block) {
    (void)allocator.resize(allocator.user, block, 0);
  }
}

void rh_assert_failed(const char *condition, const char *file, int line)
{
  if (assert_handler) {
    assert_handler(condition, file, line);
    return;
  }
  fprintf(stderr, "%s:%d: broken promise: %s\n", file, line, condition);
  abort();
}
