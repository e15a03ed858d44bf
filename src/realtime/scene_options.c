// scene_options.c: values of a scene that options of a real-time run change: rate and limits of
// force.
#include "live.h"

#include "console/console.h"
#include "model/schema.h"

bool rh_live_has_tool(const rh_scene *scene)
{
  return rh_scene_count(scene, RH_SECTION_HAPTIC) > 0;
}

rh_status rh_live_set_rate(rh_scene *scene, double rate)
{
  if (rate == 0) {
    return RH_OK;
  }
  if (rate > 1e5) {
    return rh_refuse(RH_WRONG_USAGE, "haptic: --rate: the maximum is 100000 Hz");
  }
  rh_run_def def = *(const rh_run_def *)rh_scene_item(scene, RH_SECTION_RUN, 0);
  const rh_engine *engine = rh_engine_find(def.engine.text);
  int dt = engine != NULL ? rh_row_find(&engine->row, "dt") : RH_NONE;
  if (dt == RH_NONE) {
    return rh_refuse(RH_INPUT_REFUSED, "haptic: the engine '%s' has no dt that --rate could set",
                     def.engine.text);
  }
  def.par[rh_row_offset(&engine->row, dt)] = 1 / rate;
  rh_scene_set_run(scene, &def);
  return RH_OK;
}

void rh_live_clamps(const rh_scene *scene, double clamp[2])
{
  const rh_haptic_def *def = rh_scene_item(scene, RH_SECTION_HAPTIC, 0);
  bool given = def->clamp.n == 2;
  clamp[0] = given ? def->clamp.x[0] : 1e9;
  clamp[1] = given ? def->clamp.x[1] : 1e9;
}

void rh_live_set_clamps(rh_scene *scene, const double clamp[2])
{
  rh_haptic_def def = *(const rh_haptic_def *)rh_scene_item(scene, RH_SECTION_HAPTIC, 0);
  if (clamp[0] < 1e9 || clamp[1] < 1e9) {
    def.clamp = (rh_list){2, {clamp[0], clamp[1]}};
    rh_scene_set_haptic(scene, &def);
  }
}
