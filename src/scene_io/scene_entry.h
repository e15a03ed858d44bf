// scene_entry.h: shared by the files that read a scene: the present record, its values, its
// messages.
#ifndef ROUTH_SCENE_IO_SCENE_ENTRY_H
#define ROUTH_SCENE_IO_SCENE_ENTRY_H

#include "yaml_doc.h"
#include "model/schema.h"

typedef struct rh_reader {
  const rh_yaml *tree;
  rh_diag *diag;
  rh_scene *scene;
  const char *file[RH_TREE_FILES]; // names of the tree's files, kept by the scene
  const char *folder;  // folder of files that the scene names, "" is here; NULL: none may be read
  bool refused;
  bool no_memory; // for a long list
} rh_reader;

typedef struct rh_entry { // one record while it is read
  rh_reader *r;
  const rh_section *section;
  int node;
  int index;         // within its list
  const rh_row *row[RH_SELECT_MAX]; // NULL: none, or its name was refused
  void *def;
  rh_origin origin;
} rh_entry;

rh_place rh_entry_place(const rh_reader *r, int node);

// Messages (scene_errors.c). `why` follows the name of the value: "must be ...", "is missing",
// "unknown unit".
void rh_entry_refuse(const rh_entry *e, int node, const char *key, const char *why);
void rh_entry_refuse_row(const rh_entry *e, int which, int node, const char *name);
void rh_entry_refuse_key(const rh_entry *e, int key_node);
void rh_entry_refuse_choice(const rh_entry *e, const rh_param *param, int node);
// Index of `word` in "one|two|three", RH_NONE if it is not there.
int rh_word_index(const char *words, const char *word);

// Values (scene_value.c). Errors are reported; the def then keeps its default there.
bool rh_entry_read_name(const rh_entry *e, const rh_schema_field *field, int node, rh_name *name);
void rh_entry_read_field(rh_entry *e, int index, int node);
void rh_entry_read_par(rh_entry *e, int which, int index, int node);
// The reader owns the long lists (rh_numbers) of a def until the scene has its copy.
void rh_entry_free_numbers(const rh_entry *e);

// scene_file.c: path of the file that the value of `key` names, from the folder of the scene.
// False: reported.
enum { RH_WHERE_MAX = 4096 + RH_PATH_MAX };
bool rh_entry_find_file(const rh_entry *e, const char *key, const char *name, char where[RH_WHERE_MAX]);

// scene_trace.c: replaces the name of a recorded hand's CSV file by its rows.
rh_status rh_entry_load_trace(rh_entry *e) RH_CHECK_RESULT;

// scene_trajectory.c: replaces the name of a trajectory's CSV file by its rows: a trajectory for each column.
rh_status rh_entry_load_trajectory(rh_entry *e) RH_CHECK_RESULT;

// scene_mesh.c: replaces the name of a mesh's file by its vertices, and its triangles where it is to be
// divided; replaces meshes of parts, and their shapes, by those of each part.
rh_status rh_entry_load_mesh(rh_entry *e) RH_CHECK_RESULT;
// visual/scene_look.c: replaces the name of a visual mesh's file by its surface, packed.
rh_status rh_entry_load_look(rh_entry *e) RH_CHECK_RESULT;
rh_status rh_scene_divide_meshes(rh_scene *scene, rh_diag *diag) RH_CHECK_RESULT;

#endif
