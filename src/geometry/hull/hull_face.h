// hull_face.h: interface of hull_face.c, which joins triangles to faces.
#ifndef ROUTH_GEOMETRY_HULL_FACE_H
#define ROUTH_GEOMETRY_HULL_FACE_H

#include "hull_build.h"

typedef struct rh_hull_faces {
  int nface;
  int *first; // face i has the points loop[first[i] .. first[i+1] - 1] (nface + 1), (rh_free)
  int *loop;
  int *meet; // number of faces at a point: >= 3 at a corner, 0: no corner (points)
} rh_hull_faces;

// Joins the triangles that lie in one plane to within `slack` [m]. Where a joined face is no simple
// polygon its triangles stay separate. Points at which fewer than three faces meet are left out of
// the loops. All zero when it fails.
rh_status rh_hull_join(const rh_vec3 *point, int n, const rh_hull_skin *skin, double slack,
                       rh_hull_faces *faces) RH_CHECK_RESULT;

#endif
