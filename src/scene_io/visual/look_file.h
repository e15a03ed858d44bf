// look_file.h: surfaces that only show, from files: STL, OBJ and MSH (mesh.h), COLLADA (dae.h). All are untrusted.
#ifndef ROUTH_SCENE_IO_VISUAL_LOOK_FILE_H
#define ROUTH_SCENE_IO_VISUAL_LOOK_FILE_H

#include "geometry/looks/look.h"
#include "scene_io/mesh.h"
#include "scene_io/xml/robot_mesh.h"

bool rh_look_format(const char *file); // by the ending of its name
// What a mesh is as a surface without colours.
rh_status rh_look_of_mesh(const rh_mesh *mesh, rh_look **look) RH_CHECK_RESULT;
// The surface of a file. With more than RH_LOOK_TRIANGLES_MAX triangles it is simplified.
rh_status rh_look_read(const char *path, rh_diag *diag, rh_look **look) RH_CHECK_RESULT;

// Reads a file that a robot names, with messages of its own: what refuses the file is a warning at its name, with
// the status of the refusal.
rh_status rh_look_read_apart(rh_nodes *n, const rh_robot_mesh *m, const char *where,
                             rh_look **look) RH_CHECK_RESULT;
// An entry of `visual_meshes`. False: all surfaces of the robot would be too big, or out of memory.
bool rh_look_put(rh_nodes *n, const rh_look *look, const rh_robot_word *name);

// mtl.c: colours (Kd, d or Tr) of the materials that the triangles of an OBJ file name, from the file of its name
// that ends with .mtl, or those that it names. One that is missing or damaged gives none.
rh_status rh_look_paint(rh_look **look, const rh_mesh *mesh, const char *path) RH_CHECK_RESULT;

#endif
