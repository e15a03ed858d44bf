// robot_mesh.h: meshes that files of robots name, as entries of a scene.
#ifndef ROUTH_SCENE_IO_XML_ROBOT_MESH_H
#define ROUTH_SCENE_IO_XML_ROBOT_MESH_H

#include "nodes.h"
#include "xml.h"

typedef struct rh_robot_mesh {
  const char *scene;    // folder of the scene, "" is here; NULL: no files may be read
  const char *folder;   // folder of the robot's file, from that of the scene or from the root
  const char *packages; // first folder of package://NAME, from that of the scene; NULL: none
  const char *file;     // as in the robot's file
  rh_place place, shape;
  bool scaled;
  double scale[3];
  rh_place scale_place;
  const char *owner; // link, for the name of the mesh
} rh_robot_mesh;

// Adds the mesh; `called` gets its name. False: it is omitted, with a warning, or `*refused`.
bool rh_robot_mesh_put(rh_nodes *n, rh_ignored *ignored, const rh_robot_mesh *mesh,
                       char called[RH_NAME_MAX], bool *refused);

// The same of a surface that only shows, also COLLADA; with the colours of the file. What is missing or cannot be
// read is a warning: false.
bool rh_robot_look_put(rh_nodes *n, rh_ignored *ignored, const rh_robot_mesh *mesh,
                       char called[RH_NAME_MAX]);
// The path of the file, from the present folder. False: it cannot be found.
enum { RH_ROBOT_PATH_MAX = 8200 };
bool rh_robot_mesh_path(const rh_robot_mesh *mesh, char where[RH_ROBOT_PATH_MAX]);

#endif
