// scene_read.h: a scene from a tree of nodes: a file of its own, or a part of another file (problem files hold scenes).
#ifndef ROUTH_SCENE_IO_SCENE_READ_H
#define ROUTH_SCENE_IO_SCENE_READ_H

#include "yaml_doc.h"

#include <routh/scene.h>

typedef struct rh_scene_opt {
  const char *const *set; // overrides (nset)
  int nset;
  const char *folder; // folder of files that the scene names, "" is here; NULL: none may be read
} rh_scene_opt;

// Reads the map `root` of the tree as a scene, after the overrides are in the tree. Only RH_OK
// gives a scene.
rh_status rh_scene_from_tree(rh_yaml *tree, int root, const rh_scene_opt *opt, rh_diag *diag,
                             rh_scene **scene) RH_CHECK_RESULT;

// The same, compiled; no files may be read.
rh_status rh_tree_compile(rh_yaml *tree, int root, rh_diag *diag,
                          rh_model **model) RH_CHECK_RESULT;

// Puts "path=value" overrides into the tree, so that they are read and checked like the file.
// Paths: section.entry.field, where the entry is an index or a name; run.until; or name.field where
// one list entry alone has this name. Fields that were absent are added. See scene_override.c.
// `early`: only those of include and parameters, which act before files are included and entries
// repeated; otherwise only the others.
rh_status rh_yaml_override(rh_yaml *tree, int root, const rh_scene_opt *opt, bool early,
                           rh_diag *diag) RH_CHECK_RESULT;

// The node of the value at a path, as above; an error goes to `diag`.
rh_status rh_yaml_look_up(rh_yaml *tree, int root, const char *path, rh_diag *diag, int *node) RH_CHECK_RESULT;

// The text of a scene with the value at a path changed in place (scene_text_edit.c; rh_free). NULL:
// not possible.
char *rh_scene_patch(const char *text, const char *path, const char *value);

// Adds the included robots and scenes to the tree, like entries of the scene (language/include.c).
// `*left`: values that repeats may still add.
rh_status rh_yaml_include(rh_yaml *tree, int root, const char *folder, int *left,
                          rh_diag *diag) RH_CHECK_RESULT;
// Length of the folder's name in the name of a file, without the slash; 0: none, the present
// folder.
size_t rh_folder_length(const char *name);
// old_words.c: keys with a new name since an earlier version
const char *rh_present_word(const char *word); // the present name of a key; `word` itself if it is present
typedef struct rh_stepper_words { // run.stepper in present words
  const char *engine;
  const char *integrator; // NULL: the engine has none
} rh_stepper_words;

rh_stepper_words rh_stepper_now(const char *value);
rh_status rh_yaml_rename_old_words(rh_yaml *tree, int root, rh_diag *diag) RH_CHECK_RESULT;

#endif
