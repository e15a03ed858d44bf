// visual_fields.h: the fields of the sections `visuals` and `visual_meshes`, as schema.c has those of the others.
#ifndef ROUTH_MODEL_FIELDS_VISUAL_FIELDS_H
#define ROUTH_MODEL_FIELDS_VISUAL_FIELDS_H

#include "geometry/looks/look.h"
#include "model/schema.h"

#include "schema_fields.h"

// clang-format off: tables, one row per line

static const rh_schema_field visual_field[] = {
    TEXT(rh_visual_def, name, "name of the visual; may be omitted"),
    NAME(rh_visual_def, body, "body that it shows, or world"),
    CHOICE(rh_visual_def, kind, "box|sphere|cylinder|capsule|ellipsoid|mesh",
           "what is drawn in the place of the shapes of the body"),
    VECTOR(rh_visual_def, at, "m", "its centre, body axes"),
    VECTOR(rh_visual_def, rpy, "rad", "its attitude: roll, pitch, yaw"),
    VECTOR(rh_visual_def, size, "m", "sides of a box"),
    NUMBER(rh_visual_def, radius, "m", 0, 0, 1e12, "of a sphere, a cylinder or a capsule"),
    NUMBER(rh_visual_def, length, "m", 0, 0, 1e12, "of a cylinder or a capsule, along z, without its ends"),
    VECTOR(rh_visual_def, semi, "m", "semi-axes of an ellipsoid"),
    TEXT(rh_visual_def, mesh, "visual mesh that it is"),
    {{"scale", "1", 1, -1e9, 1e9, "factors on the mesh along x, y, z; below 0: mirrored", RH_VECTOR, 3, NULL, false},
     offsetof(rh_visual_def, scale), false},
    LIST(rh_visual_def, color, "1", 4, 0, 1,
         "red, green, blue (sRGB), and opacity; none: the colours of the mesh, or that of the body"),
};

// As many numbers as can be written and read again within the limits of a file.
static const rh_schema_field visual_mesh_field[] = {
    NAME(rh_visual_mesh_def, name, "name of the visual mesh"),
    FILE_NAME(rh_visual_mesh_def, file,
              "STL, OBJ, MSH or COLLADA (.dae) file, relative to the scene"),
    NUMBERS(rh_visual_mesh_def, vertices, "m", 3 * RH_LOOK_TRIANGLES_MAX, "or vertices: [[x, y, z], ...]"),
    NUMBERS(rh_visual_mesh_def, faces, "1", 3 * RH_LOOK_TRIANGLES_MAX,
            "and triangles, of three vertices each, from 0, anticlockwise seen from outside"),
    PACKED(rh_visual_mesh_def, data, RH_LOOK_PACKED_MAX,
           "or both packed, as a scene is written that was read from files"),
};

// clang-format on

#endif
