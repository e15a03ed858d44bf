// inertia.h: the inertia of a scene's body, as stated or from its shapes, and whether matter can have it; the size of shapes.
#ifndef ROUTH_MODEL_INERTIA_H
#define ROUTH_MODEL_INERTIA_H

#include "geometry/mesh_shape.h"
#include "names.h"

#include <routh/math.h>
#include <routh/model.h>

typedef struct rh_shape_map { // shapes of each body (the world behind the last): first[body], then next[shape], RH_NONE at the end
  int *first, *next;
  const rh_solid **solid; // what a shape is made of; NULL: no mesh, or none that is good (check_mesh.c)
} rh_shape_map;

bool rh_shape_map_build(rh_shape_map *map, const rh_scene *scene, const rh_name_index *bodies);
void rh_shape_map_free(rh_shape_map *map);

// About the body's origin, body axes. False: it is not possible, `why` says why.
bool rh_body_inertia(const rh_scene *scene, const rh_shape_map *shapes, int body, rh_inertia *inertia,
                     const char **why);

// How thin a shape is and how far it reaches, seen along its axes: its `width` and `reach`.
void rh_shape_measure(rh_model_shape *shape);

#endif
