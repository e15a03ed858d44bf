// yaml_doc.h: YAML (and so JSON) text as a tree of nodes with places. All input from outside goes
// through here, so the limits are here too. Aliases are copies (language/anchors.h); tags are refused.
#ifndef ROUTH_SCENE_IO_YAML_DOC_H
#define ROUTH_SCENE_IO_YAML_DOC_H

#include <routh/base.h>

#define RH_FILE_MAX   ((size_t)64 << 20) // bytes of a file
#define RH_TEXT_MAX   ((size_t)512 << 20) // bytes of a scene that is no file: a recording has that of a million bodies
#define RH_NODE_MAX   64000000           // nodes of a tree, keys included
#define RH_NODE_DEPTH 32                 // lists and maps within each other
#define RH_SCALAR_MAX ((size_t)64 << 10) // bytes of one scalar
#define RH_TREE_FILES 34                 // the file itself, "-s", and what it includes

typedef enum rh_node_kind { RH_NODE_SCALAR, RH_NODE_LIST, RH_NODE_MAP } rh_node_kind;

typedef struct rh_node {
  uint8_t kind; // rh_node_kind
  bool quoted;  // a scalar in quotes or of several lines: surely text
  uint8_t file; // index in rh_yaml.file
  int line, column, length;
  int first;     // first child; RH_NONE
  int next;      // next sibling; RH_NONE
  int key;       // scalar that is its key, for the values of a map; RH_NONE
  int count;     // children
  uint32_t text; // start of a scalar's text in rh_yaml.text
} rh_node;

typedef struct rh_yaml { // all zero: an empty tree
  rh_node *node;
  int count, room;
  char *text; // all scalars, each closed by a zero byte
  size_t used, text_room;
  const char *file[RH_TREE_FILES]; // names for places; [1] is "-s"
  char *kept[RH_TREE_FILES];       // those of them that the tree owns
} rh_yaml;

// Reads a whole file, "-" for standard input. `*text` (rh_free) is closed by a zero byte. `*name`
// is its name in messages: `path` itself or a literal. The text is registered with `diag`.
rh_status rh_file_read(const char *path, rh_diag *diag, char **text, size_t *bytes,
                       const char **name) RH_CHECK_RESULT;

// From now on a file of this name is the given text, in this thread; NULL: no longer. Not copied.
void rh_file_give(const char *name, const char *text, size_t bytes);

typedef struct rh_yaml_start { // where a text begins
  int file;                    // index in rh_yaml.file
  int line, column;            // from 0
} rh_yaml_start;

// Adds the document in `text` to the tree. `*root` is its first node, RH_NONE where the text could
// not be read to its end: a refused text may still be walked to find further errors.
rh_status rh_yaml_read(rh_yaml *tree, const char *text, size_t bytes, rh_yaml_start start,
                       rh_diag *diag, int *root) RH_CHECK_RESULT;
void rh_yaml_free(rh_yaml *tree);
// Index in `file` of the file of this name, a new one if needed; RH_NONE: too many, or out of
// memory.
int rh_yaml_add_file(rh_yaml *tree, const char *name);

int rh_yaml_add(rh_yaml *tree,
                rh_node node); // a new node; RH_NONE: out of memory or over the limit
int rh_yaml_add_text(rh_yaml *tree, rh_node node, const char *text, size_t bytes); // a new scalar
void rh_yaml_link(rh_yaml *tree, int parent, int child,
                  int after); // `after`: last child so far, RH_NONE if none
int rh_yaml_find(const rh_yaml *tree, int map,
                 const char *key); // the value, RH_NONE if `map` has no such key
const char *rh_yaml_text(const rh_yaml *tree, int node); // of a scalar
rh_place rh_yaml_place(const rh_yaml *tree, int node);
// Kind of a node, for messages: "a list", "a map", "text", "nothing".
const char *rh_yaml_what(const rh_yaml *tree, int node);
bool rh_yaml_is_null(const rh_yaml *tree,
                     int node); // an empty scalar: "", "~", "null"

#endif
