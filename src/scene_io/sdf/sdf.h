// sdf.h: models and worlds from SDF, the format of Gazebo. What a file holds becomes entries of the
// sections of a scene in the tree of nodes that a scene is read from: overrides, checks and places apply
// to it as to the scene's own entries. docs/sdf.md states what is read and how it is mapped.
#ifndef ROUTH_SCENE_IO_SDF_SDF_H
#define ROUTH_SCENE_IO_SDF_SDF_H

#include "scene_io/yaml_doc.h"

typedef struct rh_sdf_opt {
  const char *prefix;   // before every name
  const char *scene;    // folder of the scene, "" is here; NULL: no files may be read
  const char *folder;   // folder of the SDF file, from that of the scene or from the root
  const char *packages; // first folder of model://NAME, from that of the scene; NULL: none
  bool contacts;        // its contacts are entries of the scene
} rh_sdf_opt;

typedef struct rh_sdf_file {
  const char *text;
  size_t bytes;
  int file; // index in rh_yaml.file
} rh_sdf_file;

// Adds what the file holds to the map `root`. All errors are reported; notes list what has no influence
// on the motion, warnings what has some.
rh_status rh_sdf_read(rh_yaml *tree, int root, const rh_sdf_file *file, const rh_sdf_opt *opt,
                      rh_diag *diag) RH_CHECK_RESULT;

bool rh_text_is_sdf(const char *text, size_t bytes); // does this XML text begin with <sdf>?

#endif
