// dae_part.h: shared by dae.c (nodes and what they place) and dae_mesh.c (geometries).
#ifndef ROUTH_SCENE_IO_VISUAL_DAE_PART_H
#define ROUTH_SCENE_IO_VISUAL_DAE_PART_H

#include "dae.h"
#include "scene_io/mesh_part.h"
#include "scene_io/xml/xml.h"

#define RH_DAE_NUMBERS_MAX 30000000 // numbers read in all, with those of geometries that are placed again
#define RH_DAE_STEPS_MAX   100000000
#define RH_DAE_NODES_MAX   20000    // nodes placed, with those that stand for others
#define RH_DAE_DEPTH       64       // nodes within each other

typedef struct rh_dae_frame { // x in the outer frame = m x + p
  rh_mat3 m;
  rh_vec3 p;
} rh_dae_frame;

typedef struct rh_dae {
  rh_xml xml;
  int root;
  const char *file;
  rh_diag *diag;
  rh_status status; // the first failure
  const char **id;  // sorted by `order` (nid)
  int *element, *order, nid;
  long numbers;     // read so far
  long steps;       // from element to element
  rh_mesh mesh;     // result
  rh_mesh_job job;  // that makes it
  rh_look_part part[RH_LOOK_PARTS_MAX];
  int npart;
} rh_dae;

// Reports an error; the whole is refused.
void rh_dae_refuse(rh_dae *d, rh_place place, const char *format, ...) RH_PRINTF(3, 4);
const char *rh_dae_attribute(const rh_dae *d, int element, const char *name); // "" if there is none
int rh_dae_child(rh_dae *d, int element, const char *tag); // the first one, RH_NONE; also of RH_NONE
int rh_dae_next(rh_dae *d, int element); // the next one of the same tag
// The element that an attribute refers to as "#id"; RH_NONE: there is none.
int rh_dae_target(const rh_dae *d, int element, const char *name);
// The numbers of the text of an element (rh_free); NULL: none, or refused.
double *rh_dae_numbers(rh_dae *d, int element, int *count);

// dae_mesh.c: the triangles of a geometry in a frame; `instance` is the element that places it, which says
// what its materials are.
void rh_dae_add_geometry(rh_dae *d, int geometry, int instance, const rh_dae_frame *frame);

#endif
