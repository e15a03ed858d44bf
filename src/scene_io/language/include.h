// include.h: shared by the files that read what a scene includes. What is included becomes entries of
// the sections of the scene, after its own ones. Included scenes may include others: each has a frame,
// which states its prefix, pose and folder within the scene.
#ifndef ROUTH_SCENE_IO_LANGUAGE_INCLUDE_H
#define ROUTH_SCENE_IO_LANGUAGE_INCLUDE_H

#include "model/schema.h"
#include "scene_io/yaml_doc.h"

#include <routh/math.h>

#define RH_INCLUDES_MAX      10000 // files that a scene includes, one included twice counted twice
#define RH_INCLUDE_DEPTH     16    // scenes within each other
#define RH_INCLUDE_PATH_MAX  4096
#define RH_INCLUDE_BYTES_MAX RH_FILE_MAX // of all scenes that a scene includes

typedef struct rh_placement { // of an included scene in the scene
  bool turned, moved;         // false: the identity, and numbers stay as they are written
  rh_mat3 R;
  rh_vec3 at;
} rh_placement;

typedef struct rh_include_frame { // a scene that includes
  rh_name prefix;
  rh_placement pose;
  int folder; // scalar with its folder, from that of the whole scene; RH_NONE: that one
  int parent; // frame, RH_NONE: the whole scene
  int depth;
  int file; // index in rh_yaml.file
} rh_include_frame;

typedef struct rh_pending_include {
  int map;   // node
  int frame; // that it is in
} rh_pending_include;

typedef struct rh_include_marks { // the last entry of each list of the scene before a file was read
  int last[RH_SECTION_COUNT];     // RH_NONE: none
} rh_include_marks;

typedef struct rh_include {
  rh_yaml *tree;
  int root;
  const char *scene; // folder of the scene, NULL: no files may be read
  rh_diag *diag;
  int *left; // values that repeats may still add
  rh_include_frame *frame;
  rh_pending_include *pending; // the last is the next
  int nframe, frame_room, npending, pending_room, count;
  size_t bytes;           // of scenes read so far
  rh_include_marks marks; // at the end of each list
  rh_include_marks before; // before the present file
  // The present one
  int at_frame;
  int urdf, mjcf, sdf, include_scene; // nodes, RH_NONE
  int prefix, fixed, at, rpy, packages, q, samples, keyframe, contacts, parameters;
} rh_include;

// ---- include_part.c

rh_status rh_include_refuse(const rh_include *in, int node, const char *why);
// Writes the path of a file in the folder of the present frame, from the folder of the whole scene.
bool rh_include_path(const rh_include *in, const char *file, char path[RH_INCLUDE_PATH_MAX]);
rh_status rh_include_put_value(rh_yaml *tree, int map, const char *key, int value);
bool rh_include_has_text(const rh_yaml *tree, int map, const char *key, const char *text);
int rh_include_last(const rh_yaml *tree, int list); // last child, RH_NONE
// First entry of a list that the present file has added; RH_NONE.
int rh_include_first(const rh_include *in, int section);
// The includes of a frame; the first of them is read next.
rh_status rh_include_push(rh_include *in, int node, int frame);

// ---- include_scene.c: entries of a scene's text, with the names that it has in the whole

typedef struct rh_include_text {
  const char *text;
  size_t bytes;
  int file;
} rh_include_text;

rh_status rh_include_read_scene(rh_include *in, const rh_include_text *text, const char *prefix,
                                const char *folder);

// ---- posture.c: the coordinates `q` of the present include, and those that follow from them

rh_status rh_include_put_posture(rh_include *in, const char *prefix);

// ---- place.c: entries that hang on the world, placed

// The pose by `at` and `rpy` (nodes, RH_NONE) within another. False: they are no numbers, reported.
bool rh_placement_read(rh_include *in, int at, int rpy, const rh_placement *within,
                       rh_placement *pose);
// Entries since `before` that are given in axes of the world.
rh_status rh_include_place(rh_include *in, const rh_placement *pose, int node);

#endif
