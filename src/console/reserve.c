// reserve.c: memory for the libraries when no more is available. Several of them (CVODE, HDF5)
// crash when an allocation fails, others report an error of the file. So the program replaces
// malloc and related functions: where the system refuses, a block comes from a reserve that is part
// of the program, and the library continues. When the reserve is used up as well, the program ends
// with exit code 6 and a message; recordings are then complete up to their last commit, as after a
// kill.
//
// Routh's own code does not use the reserve: rh_alloc returns NULL, and the operation ends with
// RH_OUT_OF_MEMORY. After that the exit code is 6, whatever the verb returns: no incomplete answer
// counts as complete.
//
// Not with sanitizers, which replace malloc themselves.
#define _GNU_SOURCE
#include "console.h"

#include "base/alloc.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// NOLINTBEGIN: names and parameters are those of glibc
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#if !defined(SANITIZED) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) &&      \
    defined(__GLIBC__)

#ifndef RESERVE_BYTES
#define RESERVE_BYTES (64 << 20) // unused pages take no memory
#endif

enum { GRAIN = 16 }; // alignment of malloc

// ---- The reserve: consecutive blocks with heads; the first free one of sufficient size is taken.

typedef struct head {
  size_t
      bytes; // of the block, without the head; 0 in the head after the last block: all that follows is free
  size_t used; // 1: taken
} head;

_Static_assert(sizeof(head) == GRAIN, "blocks stay aligned");

static _Alignas(4096) unsigned char reserve[RESERVE_BYTES];
static atomic_flag busy = ATOMIC_FLAG_INIT;

static head *next_head(head *h)
{
  return (head *)(void *)((unsigned char *)(h + 1) + h->bytes);
}

static bool from_reserve(const void *block)
{
  return (const unsigned char *)block >= reserve &&
         (const unsigned char *)block < reserve + RESERVE_BYTES;
}

static void lock_reserve(void)
{
  while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire)) {}
}

static void unlock_reserve(void)
{
  atomic_flag_clear_explicit(&busy, memory_order_release);
}

// Joins the free blocks after a free one. The last one joins the free rest.
static void join_free(head *h)
{
  for (head *after = next_head(h); after->used == 0; after = next_head(h)) {
    if (after->bytes == 0) {
      memset(h, 0, sizeof *h);
      return;
    }
    h->bytes += sizeof(head) + after->bytes;
  }
}

// A block of a multiple of GRAIN bytes; NULL: the reserve is used up.
static void *take_block(size_t bytes)
{
  const unsigned char *end = reserve + RESERVE_BYTES - sizeof(head);
  for (head *h = (head *)(void *)reserve;; h = next_head(h)) {
    if (h->used == 0 && h->bytes > 0) {
      join_free(h);
    }
    if (h->used == 0 && h->bytes == 0) {
      size_t left = (size_t)(end - (unsigned char *)(h + 1));
      if ((unsigned char *)(h + 1) >= end || bytes > left) {
        return NULL;
      }
      *h = (head){bytes, 1};
      *next_head(h) = (head){0};
      return h + 1;
    }
    if (h->used == 0 && h->bytes >= bytes) {
      if (h->bytes >= bytes + 2 * sizeof(head)) { // the rest stays free
        size_t rest = h->bytes - bytes - sizeof(head);
        h->bytes = bytes;
        *next_head(h) = (head){rest, 0};
      }
      h->used = 1;
      return h + 1;
    }
  }
}

// Never NULL: without the reserve the program ends.
static void *take_from_reserve(size_t alignment, size_t bytes)
{
  static const char sentence[] = "routh: out of memory\n";
  size_t padded = bytes <= RESERVE_BYTES ? (bytes / GRAIN + 1) * GRAIN : 2 * RESERVE_BYTES;
  size_t spare = alignment > GRAIN ? alignment + 2 * sizeof(head) : 0;
  lock_reserve();
  unsigned char *block = take_block(padded + spare);
  if (block != NULL && (uintptr_t)block % alignment != 0) { // a free block before the aligned one
    head *before = (head *)(void *)block - 1;
    unsigned char *at = block + sizeof(head) + GRAIN;
    at += (alignment - (uintptr_t)at % alignment) % alignment;
    head *h = (head *)(void *)at - 1;
    h->bytes = (size_t)((unsigned char *)next_head(before) - at);
    h->used = 1;
    before->bytes = (size_t)((unsigned char *)h - block);
    before->used = 0;
    block = at;
  }
  unlock_reserve();
  if (block == NULL) {
    (void)!write(STDERR_FILENO, sentence, sizeof sentence - 1);
    _exit(rh_status_exit_code(RH_OUT_OF_MEMORY));
  }
  return block;
}

static void give_to_reserve(void *block)
{
  lock_reserve();
  head *h = (head *)block - 1;
  h->used = 0;
  join_free(h);
  unlock_reserve();
}

// ---- The next allocator: that of the C library, or a preloaded one

typedef struct allocator {
  void *(*malloc)(size_t bytes);
  void *(*calloc)(size_t count, size_t bytes);
  void *(*realloc)(void *block, size_t bytes);
  void *(*memalign)(size_t alignment, size_t bytes);
  void (*free)(void *block);
  size_t (*usable)(void *block);
} allocator;

static allocator next;
static bool finding;

static void find_symbol(void *function, const char *name)
{
  *(void **)function = dlsym(RTLD_NEXT, name);
  if (*(void **)function == NULL) {
    abort();
  }
}

// False: the search is still running, in a function that allocates; the first call precedes all
// threads.
static bool find_next(void)
{
  if (next.usable == NULL && !finding) {
    finding = true;
    find_symbol((void *)&next.malloc, "malloc");
    find_symbol((void *)&next.calloc, "calloc");
    find_symbol((void *)&next.realloc, "realloc");
    find_symbol((void *)&next.memalign, "memalign");
    find_symbol((void *)&next.free, "free");
    find_symbol((void *)&next.usable, "malloc_usable_size");
    finding = false;
  }
  return next.usable != NULL;
}

static void *take_aligned(size_t alignment, size_t bytes)
{
  int before = errno;
  void *block = find_next() ? next.memalign(alignment, bytes) : NULL;
  if (block == NULL) {
    errno = before;
    block = take_from_reserve(alignment, bytes);
  }
  return block;
}

// ---- Functions for the libraries

#pragma GCC visibility push(default)

void *malloc(size_t bytes)
{
  int before = errno;
  void *block = find_next() ? next.malloc(bytes) : NULL;
  if (block == NULL) {
    errno = before;
    block = take_from_reserve(GRAIN, bytes);
  }
  return block;
}

void *calloc(size_t count, size_t bytes)
{
  int before = errno;
  size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all)) {
    errno = ENOMEM;
    return NULL;
  }
  void *block = find_next() ? next.calloc(count, bytes) : NULL;
  if (block == NULL) {
    errno = before;
    block = memset(take_from_reserve(GRAIN, all), 0, all);
  }
  return block;
}

void free(void *block)
{
  if (from_reserve(block)) {
    give_to_reserve(block);
  } else if (block != NULL && find_next()) {
    next.free(block);
  }
}

void *realloc(void *block, size_t bytes)
{
  if (block == NULL) {
    return malloc(bytes);
  }
  if (bytes == 0) {
    free(block);
    return NULL;
  }
  int before = errno;
  bool reserved = from_reserve(block);
  void *grown = reserved ? NULL : next.realloc(block, bytes);
  if (grown != NULL) {
    return grown;
  }
  errno = before;
  size_t had = malloc_usable_size(block);
  if (reserved && bytes <= had) {
    return block;
  }
  grown = reserved ? malloc(bytes) : take_from_reserve(GRAIN, bytes);
  memcpy(grown, block, had < bytes ? had : bytes);
  free(block);
  return grown;
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
  return take_aligned(alignment, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
  return take_aligned(alignment, bytes);
}

int posix_memalign(void **block, size_t alignment, size_t bytes)
{
  if (alignment == 0 || alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0) {
    return EINVAL;
  }
  *block = take_aligned(alignment, bytes);
  return 0;
}

size_t malloc_usable_size(void *block)
{
  if (block == NULL) {
    return 0;
  }
  return from_reserve(block) ? ((head *)block - 1)->bytes : next.usable(block);
}

#pragma GCC visibility pop

static void *resize_next(void *block, size_t bytes)
{
  if (bytes == 0) {
    next.free(block);
    return NULL;
  }
  return next.realloc(block, bytes);
}

static void *zero_next(size_t bytes)
{
  return next.calloc(1, bytes);
}

#else

static void *resize_next(void *block, size_t bytes)
{
  if (bytes == 0) {
    free(block);
    return NULL;
  }
  return realloc(block, bytes);
}

static void *zero_next(size_t bytes)
{
  return calloc(1, bytes);
}

static bool find_next(void)
{
  return true;
}

#endif

// NOLINTEND
// ---- Functions for Routh: without the reserve

static void *resize_own(void *user, void *block, size_t bytes)
{
  (void)user;
  void *resized = resize_next(block, bytes);
  if (resized == NULL && bytes > 0) {
    rh_memory_fail();
  }
  return resized;
}

static void *zero_own(size_t bytes)
{
  void *block = zero_next(bytes);
  if (block == NULL) {
    rh_memory_fail();
  }
  return block;
}

void rh_memory_begin(void)
{
  static const rh_allocator own = {resize_own, NULL};
  (void)find_next();
  rh_hook_set_allocator(&own);
  rh_alloc_set_zeroed(zero_own);
}
