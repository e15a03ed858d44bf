// repeat.h: `parameters`, "${...}" and `repeat` of a scene: entries of lists as often as they are
// wanted, with expressions of their index.
#ifndef ROUTH_SCENE_IO_LANGUAGE_REPEAT_H
#define ROUTH_SCENE_IO_LANGUAGE_REPEAT_H

#include "scene_io/yaml_doc.h"

#define RH_PARAMETERS_MAX 64
#define RH_INDEXES_MAX    4 // of one repeat

// Replaces expressions by their values and repeats by their entries, in the map `root`; `*left` is the
// number of values that may still be added. `templates` stays as it is: aliases have copied it.
rh_status rh_yaml_expand(rh_yaml *tree, int root, int *left, rh_diag *diag) RH_CHECK_RESULT;

#endif
