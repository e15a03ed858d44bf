// alloc.h: what the rest of the library may ask of the hooks.
#ifndef ROUTH_BASE_HOOK_H
#define ROUTH_BASE_HOOK_H

#include <routh/base.h>

unsigned rh_alloc_refused(void); // how often rh_alloc and rh_realloc have returned NULL, in all threads

#endif
