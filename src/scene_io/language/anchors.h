// anchors.h: anchors (&name), aliases (*name) and merge keys (<<) of YAML. An alias is a copy of what
// its anchor marks; the sum of all copies of a file is bounded, so that nested aliases stay harmless.
#ifndef ROUTH_SCENE_IO_LANGUAGE_ANCHORS_H
#define ROUTH_SCENE_IO_LANGUAGE_ANCHORS_H

#include "scene_io/yaml_doc.h"

#define RH_ANCHORS_MAX 256     // of a file
#define RH_COPIES_MAX  1000000 // values that the aliases of a file may add
#define RH_REPEATS_MAX 8000000 // values that the repeats of a scene may add: two hundred thousand balls
#define RH_MERGE_MAX   128     // keys of a map and of what is merged into it

typedef struct rh_anchor {
  uint32_t hash; // of its name
  int key;       // scalar with its name
  int node;      // what it marks
} rh_anchor;

typedef struct rh_anchors { // all zero but `left`: none
  rh_anchor *list;
  int count, room;
  int left; // values that may still be copied
} rh_anchors;

// A copy of a node with all that it holds; the keys are shared. `levels`: lists and maps within each
// other that it may have; `*left`: values that may still be copied. RH_INPUT_REFUSED: too many of
// either; nothing is reported.
rh_status rh_yaml_copy(rh_yaml *tree, int node, int levels, int *left, int *copy) RH_CHECK_RESULT;

// A later anchor of the same name replaces the earlier one. False: too many, or out of memory.
bool rh_anchors_add(rh_anchors *anchors, rh_yaml *tree, const char *name, int node);
int rh_anchors_find(const rh_anchors *anchors, const rh_yaml *tree, const char *name); // RH_NONE
void rh_anchors_free(rh_anchors *anchors);

// Replaces the key << of a map by the keys of the maps that it names; keys of the map itself, then
// those of the first map have priority. False: refused, and reported.
bool rh_yaml_merge(rh_yaml *tree, int map, rh_diag *diag);

#endif
