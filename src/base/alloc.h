// alloc.h: the part of the hooks that the rest of the library uses.
#ifndef ROUTH_BASE_ALLOC_H
#define ROUTH_BASE_ALLOC_H

#include <routh/base.h>

unsigned rh_alloc_refused(void); // count of NULL returns of rh_alloc and rh_realloc, all threads

// As rh_realloc of NULL, with its first bytes zeroed; of a large block pages that nobody uses take no memory.
void *rh_alloc_begun(size_t bytes, size_t zeroed);

// As calloc, of the allocator that rh_hook_set_allocator was given last: one that takes fresh pages of the system
// leaves those that nobody uses without memory. Without one, large blocks are set to zero like small ones.
typedef void *rh_zeroed_fn(size_t bytes);
void rh_alloc_set_zeroed(rh_zeroed_fn *zeroed);

// Asks the system for large pages in the part of a block that is not in use yet, where it has some: arrays of many
// megabytes that are read out of order then cost fewer searches for pages. Nothing else changes.
void rh_alloc_in_large_pages(void *from, size_t bytes);

#endif
