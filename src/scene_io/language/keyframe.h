// keyframe.h: the start that a scene's `run.keyframe` names.
#ifndef ROUTH_SCENE_IO_LANGUAGE_KEYFRAME_H
#define ROUTH_SCENE_IO_LANGUAGE_KEYFRAME_H

#include "scene_io/yaml_doc.h"

// Puts q, v and efforts of the entries of that keyframe into joints and actuators, and removes the key.
rh_status rh_yaml_keyframe(rh_yaml *tree, int root, rh_diag *diag) RH_CHECK_RESULT;

#endif
