// Controllers of a model: their rows, parameters and bodies, and where their memory is.
#include "model/check.h"
#include "model/kinds.h"

#include <math.h>
#include <string.h>

static int body_index(rh_check *check, const int *place, const char *name)
{
  int entry = rh_check_find(check, RH_SECTION_BODIES, name);
  return entry == RH_NONE ? 0 : place[entry];
}

static void fill_feet(rh_check *check, const int *place, const rh_controller_def *def,
                      rh_model_controller *k)
{
  const char *name[RH_FEET_MAX];
  k->nfoot = k->kind->legs ? rh_controller_feet(def, name) : 0;
  for (int i = 0; i < RH_FEET_MAX; i++) {
    k->foot[i] = i < k->nfoot ? body_index(check, place, name[i]) : RH_NONE;
    k->phase[i] = i < def->phases.n ? def->phases.x[i] : (double)NAN;
  }
}

void rh_compile_controllers(rh_check *check, const int *place, int n,
                            rh_model_controller *controller)
{
  int memory = 0;
  for (int i = 0; i < n; i++) {
    const rh_controller_def *def = rh_scene_item(check->scene, RH_SECTION_CONTROLLERS, i);
    rh_model_controller *k = &controller[i];
    k->kind = rh_kinds_get()->controller_find(def->kind.text);
    k->period = def->rate > 0 ? 1 / def->rate : 0;
    bool walks = k->kind->walks;
    bool upright = walks || k->kind->legs;
    k->left = walks ? body_index(check, place, def->left.text) : RH_NONE;
    k->right = walks ? body_index(check, place, def->right.text) : RH_NONE;
    k->trunk = upright ? body_index(check, place, def->trunk.text) : RH_NONE;
    fill_feet(check, place, def, k);
    k->memory = memory;
    memory += k->kind->nmemory;
    memcpy(k->par, def->par, sizeof k->par);
  }
}
