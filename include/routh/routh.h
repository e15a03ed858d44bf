// routh/routh.h: the whole of Routh, contact and impact dynamics of articulated bodies. Start here.
//
//   rh_scene (editable) -> rh_scene_compile -> rh_model (immutable) -> rh_sim (moves one rh_data)
//
// base.h states the rules of ownership, NULL and threads that hold for all functions.
#ifndef ROUTH_H
#define ROUTH_H

#include <routh/base.h>
#include <routh/elementary.h>
#include <routh/math.h>
#include <routh/scene.h>
#include <routh/model.h>
#include <routh/data.h>
#include <routh/law.h>
#include <routh/kind.h>
#include <routh/robot.h>
#include <routh/sim.h>
#include <routh/batch.h>
#include <routh/record.h>

#define RH_VERSION "0.3.0"

#endif
