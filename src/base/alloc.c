// The allocator, the assert handler (both set before any other call) and the count of refused
// allocations: the only mutable globals.
#define _DEFAULT_SOURCE // madvise
#include "alloc.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <stdint.h>
#include <sys/mman.h>
#endif

// [byte] From here on a zeroed block is asked for as such: it is made of fresh pages, which are zero.
#define FRESH ((size_t)1 << 20)

static void *resize_by_c_library(void *user, void *block, size_t bytes)
{
  (void)user;
  if (bytes == 0) {
    free(block);
    return NULL;
  }
  return realloc(block, bytes);
}

static void *zero_by_c_library(size_t bytes)
{
  return calloc(1, bytes);
}

static rh_allocator allocator = {resize_by_c_library, NULL};
static rh_zeroed_fn *fresh_block = zero_by_c_library; // NULL: the allocator has none
static rh_assert_fn *assert_handler;
static atomic_uint refused;

void rh_hook_set_allocator(const rh_allocator *a)
{
  allocator = a ? *a : (rh_allocator){resize_by_c_library, NULL};
  fresh_block = a ? NULL : zero_by_c_library;
}

void rh_alloc_set_zeroed(rh_zeroed_fn *zeroed)
{
  fresh_block = zeroed;
}

void rh_hook_set_assert(rh_assert_fn *handler)
{
  assert_handler = handler;
}

static void count_refusal(const void *block)
{
  if (!block) {
    atomic_fetch_add_explicit(&refused, 1, memory_order_relaxed);
  }
}

static void *resize_or_count(void *block, size_t bytes)
{
  void *resized = allocator.resize(allocator.user, block, bytes);
  count_refusal(resized);
  return resized;
}

unsigned rh_alloc_refused(void)
{
  return atomic_load_explicit(&refused, memory_order_relaxed);
}

void *rh_alloc(size_t bytes)
{
  if (bytes == 0) {
    bytes = 1; // so that NULL always means out of memory
  }
  return rh_alloc_begun(bytes, bytes);
}

void *rh_alloc_begun(size_t bytes, size_t zeroed)
{
  if (fresh_block && zeroed >= FRESH) {
    void *fresh = fresh_block(bytes);
    count_refusal(fresh);
    return fresh;
  }
  void *block = resize_or_count(NULL, bytes);
  return block ? memset(block, 0, zeroed) : NULL;
}

void *rh_realloc(void *block, size_t bytes)
{
  return resize_or_count(block, bytes ? bytes : 1);
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

void rh_alloc_in_large_pages(void *from, size_t bytes)
{
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  const uintptr_t large = (uintptr_t)1 << 21; // [byte] on most processors
  uintptr_t at = (uintptr_t)from;
  uintptr_t begin = (at + large - 1) / large * large;
  uintptr_t end = (at + bytes) / large * large;
  if (end > begin) { // a hint, which may be refused
    (void)madvise((char *)from + (begin - at), end - begin, MADV_HUGEPAGE);
  }
#else
  (void)from;
  (void)bytes;
#endif
}
