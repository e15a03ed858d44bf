// inertia.h: the inertia of a scene's body, given or from its shapes, and its check; size of
// shapes.
#ifndef ROUTH_MODEL_INERTIA_H
#define ROUTH_MODEL_INERTIA_H

#include "geometry/mesh_shape.h"
#include "names.h"

#include <routh/math.h>
#include <routh/model.h>

// shapes of each body (the world comes last): first[body], then next[shape], RH_NONE at the end
typedef struct rh_shape_map {
  int *first, *next;
  const rh_solid **solid; // solid of a shape; NULL: no mesh, or an invalid one (check_mesh.c)
} rh_shape_map;

bool rh_shape_map_build(rh_shape_map *map, const rh_scene *scene, const rh_name_index *bodies);
void rh_shape_map_free(rh_shape_map *map);

// About the body's origin, body axes. False: not possible, `why` has the reason.
bool rh_body_inertia(const rh_scene *scene, const rh_shape_map *shapes, int body, rh_inertia *inertia,
                     const char **why);

// Width and reach of a shape along its axes: its `width` and `reach`.
void rh_shape_measure(rh_model_shape *shape);

// Does a mass or inertia resist the joint of a body? [aba]
bool rh_joint_feels_inertia(const rh_data *d, int body);

#endif
