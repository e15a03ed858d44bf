// kinds.c: where the model finds the kinds of higher folders.
#include "kinds.h"

#include <stdatomic.h>

static _Atomic(const rh_kinds *) known_kinds;

void rh_kinds_set(const rh_kinds *kinds)
{
  atomic_store(&known_kinds, kinds);
}

const rh_kinds *rh_kinds_get(void)
{
  const rh_kinds *kinds = atomic_load(&known_kinds);
  RH_ASSERT(kinds != NULL); // rh_scene_create has set them
  return kinds;
}
