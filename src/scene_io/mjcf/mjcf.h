// mjcf.h: models from MJCF, the format of MuJoCo. A model becomes entries of the sections of a scene
// in the tree of nodes that a scene is read from: overrides, checks and places apply to it as to the
// scene's own entries. docs/mjcf.md states what is read and how it is mapped.
#ifndef ROUTH_SCENE_IO_MJCF_MJCF_H
#define ROUTH_SCENE_IO_MJCF_MJCF_H

#include "scene_io/yaml_doc.h"

#include <routh/model.h>
#include <routh/scene.h>

typedef struct rh_mjcf_opt {
  const char *prefix;   // before every name
  const char *scene;    // folder of the scene, "" is here; NULL: no files may be read
  const char *folder;   // folder of the MJCF file, from that of the scene or from the root
  const char *keyframe; // the model starts at this one; NULL: as drawn
  bool contacts;        // its contacts are entries of the scene
  // compiles a tree of bodies and joints as a scene: rh_tree_compile
  rh_status (*compile)(rh_yaml *tree, int root, rh_diag *diag, rh_model **model);
} rh_mjcf_opt;

typedef struct rh_mjcf_file {
  const char *text;
  size_t bytes;
  int file; // index in rh_yaml.file
} rh_mjcf_file;

// Adds the model to the map `root`. All errors are reported; notes list what has no influence on the
// motion. What would have influence and cannot be read is refused.
rh_status rh_mjcf_read(rh_yaml *tree, int root, const rh_mjcf_file *file, const rh_mjcf_opt *opt,
                       rh_diag *diag) RH_CHECK_RESULT;

// Does this XML text begin with <mujoco>?
bool rh_text_is_mjcf(const char *text, size_t bytes);

#endif
