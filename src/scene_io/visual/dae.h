// dae.h: COLLADA 1.4 and 1.5 files (.dae) as surfaces with colours.
#ifndef ROUTH_SCENE_IO_VISUAL_DAE_H
#define ROUTH_SCENE_IO_VISUAL_DAE_H

#include "geometry/looks/look.h"

// Read: geometries of triangles, trifans, tristrips, polylist and polygons, as the nodes of the scene place
// them; the colour of the diffuse light (or emission) of their materials; the unit of length. The axis that
// points up is not used, as robots are drawn by ROS and Gazebo. Not read: textures, lines, splines, skins' bones,
// lights, cameras, animations. An error has file:line:column.
rh_status rh_dae_parse(const char *text, size_t bytes, const char *name, rh_diag *diag,
                       rh_look **look) RH_CHECK_RESULT;
rh_status rh_dae_read(const char *path, rh_diag *diag, rh_look **look) RH_CHECK_RESULT;

#endif
