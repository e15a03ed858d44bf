// mesh_shape.h: meshes as the shapes hull and heightfield need them.
#ifndef ROUTH_GEOMETRY_MESH_SHAPE_H
#define ROUTH_GEOMETRY_MESH_SHAPE_H

#include <routh/kind.h>

typedef struct rh_solid_numbers { // source of a mesh
  rh_mesh_sort sort;
  const double *x; // vertices, three numbers each, or heights (n)
  int n;
  double scale;     // factor on them
  double tolerance; // of a hull, relative to its size
  int nx;           // of a field: heights in a row,
  double size[2];   // [m] and its sides
} rh_solid_numbers;

typedef struct rh_solid {
  void *mesh;     // rh_hull or rh_heightfield (rh_free); NULL: none
  rh_vec3 middle; // [m] middle of the bounds of a hull, its origin, in the frame of the vertices
} rh_solid;

// RH_INPUT_REFUSED, RH_OVER_LIMIT: `*why` is the reason.
rh_status rh_solid_create(const rh_solid_numbers *numbers, rh_solid *solid, const char **why) RH_CHECK_RESULT;

#endif
