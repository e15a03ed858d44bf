// device_trace.c: a recorded hand in place of the scene's own: forces push the device, a pose is
// the target of a hand with spring and damper (haptic.hand_spring). The rows become part of the
// scene, and so of the recording: it can be repeated without the file.
#include "live.h"
#include "model/schema.h"
#include "scene_io/hand_trace.h"

enum { POSE_WIDTH = RH_TRACE_POSE };

static rh_status put_in(const rh_device_setup *setup, rh_scene *scene, rh_diag *diag)
{
  rh_hand_trace trace;
  RH_TRY(rh_hand_trace_read(setup->file, diag, &trace));
  rh_haptic_def def = *(const rh_haptic_def *)rh_scene_item(scene, RH_SECTION_HAPTIC, 0);
  def.hand = rh_name_of(trace.width == POSE_WIDTH ? "spring" : "trace");
  def.trace_file = rh_path_of("");
  def.trace = (rh_numbers){.n = trace.rows * trace.width, .x = trace.row};
  if (trace.width == POSE_WIDTH &&
      def.hand_spring.n == 0) { // a hand's stiffness and damping, roughly
    def.hand_spring = (rh_list){4, {RH_HAND_K, RH_HAND_B, RH_HAND_K_TURN, RH_HAND_B_TURN}};
  }
  rh_scene_set_haptic(scene, &def);
  rh_free(trace.row);
  return RH_OK;
}

const rh_device rh_device_trace = {
    .row = {.name = "trace",
            .cite = "",
            .doc = "a recorded hand: CSV of times and forces, or times and poses (--trace FILE)"},
    .repeats = true,
    .needs_file = true,
    .scene = put_in,
};
