// kinds.c: where the model finds the kinds of higher folders.
#include "kinds.h"

#include "schema.h"

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

const rh_engine *rh_engine_of(const rh_run_def *run)
{
  return rh_kinds_get()->engine_find(run->engine.text);
}

const rh_row *rh_integrator_of(const rh_run_def *run)
{
  return rh_section_row(&rh_sections[RH_SECTION_RUN], RH_RUN_INTEGRATOR, run);
}
