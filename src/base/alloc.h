// alloc.h: the part of the hooks that the rest of the library uses.
#ifndef ROUTH_BASE_ALLOC_H
#define ROUTH_BASE_ALLOC_H

#include <routh/base.h>

unsigned rh_alloc_refused(void); // count of NULL returns of rh_alloc and rh_realloc, all threads

#endif
