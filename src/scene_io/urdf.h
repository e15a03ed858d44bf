// urdf.h: robots from URDF. A robot becomes entries of the sections of a scene (bodies, joints,
// shapes, meshes, actuators), in the tree of nodes that a scene is read from: overrides, checks and
// places apply to it as to the scene's own entries.
#ifndef ROUTH_SCENE_IO_URDF_H
#define ROUTH_SCENE_IO_URDF_H

#include "yaml_doc.h"

typedef struct rh_urdf_opt {
  const char *prefix; // before every name
  bool fixed;         // the base is fixed to the world; otherwise it is free
  int at, rpy;        // nodes: pose of the base; RH_NONE. They move to the base's joint
  const char *scene;  // folder of the scene, "" is here; NULL: no files may be read
  const char *folder; // folder of the URDF file, from that of the scene or from the root
  const char *packages; // first folder of package://NAME, from that of the scene; NULL: none
} rh_urdf_opt;

typedef struct rh_urdf_text {
  const char *text;
  size_t bytes;
  int file; // index in rh_yaml.file
} rh_urdf_text;

// Adds the robot to the map `root`. All errors are reported; notes list elements without influence
// on the motion, warnings list unsupported ones with influence.
rh_status rh_urdf_read(rh_yaml *tree, int root, const rh_urdf_text *text, const rh_urdf_opt *opt,
                       rh_diag *diag) RH_CHECK_RESULT;

// Is this text XML rather than YAML?
bool rh_text_is_xml(const char *text, size_t bytes);

#endif
