// urdf.h: robots from URDF. A robot becomes entries of the sections of a scene (bodies, joints, shapes, meshes, actuators), in
// the tree of nodes that a scene is read from: so overrides, checks and places hold for it as for what the scene itself says.
#ifndef ROUTH_IO_URDF_H
#define ROUTH_IO_URDF_H

#include "yaml_doc.h"

typedef struct rh_urdf_opt {
  const char *prefix; // before every name
  bool fixed;         // the base is fixed to the world; otherwise it is free
  int at, rpy;        // nodes: where the base stands; RH_NONE. They become part of the base's joint
  const char *scene;  // folder of the scene, "" is here; NULL: no files may be read
  const char *folder; // folder of the URDF file, from that of the scene or from the root
  const char *packages; // folder in which package://NAME is looked for first, from that of the scene; NULL: none
} rh_urdf_opt;

typedef struct rh_urdf_text {
  const char *text;
  size_t bytes;
  int file; // index in rh_yaml.file
} rh_urdf_text;

// Adds the robot to the map `root`. Everything that is wrong is said; what has no part in the motion is listed in notes, what
// is left out although it has one, in warnings.
rh_status rh_urdf_read(rh_yaml *tree, int root, const rh_urdf_text *text, const rh_urdf_opt *opt,
                       rh_diag *diag) RH_CHECK_RESULT;

// Is this a text in XML rather than YAML?
bool rh_text_is_xml(const char *text, size_t bytes);

#endif
