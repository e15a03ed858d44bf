// robot_look.c: surfaces that files of robots name for what only shows. A robot moves without them, so that what
// is missing or damaged is a warning at the name of the file.
#include "look_file.h"
#include "scene_io/xml/robot_mesh.h"

#include <stdio.h>
#include <string.h>

enum {
  PACKED_MAX = 40000000, // characters of all surfaces of a robot: the scene must be read again
  LOST_MAX = 100         // files that cannot be read: the rest is not tried
};

// One entry for a file, by its path.
static rh_robot_word name_of_file(const char *where, rh_place place)
{
  uint64_t h = UINT64_C(0xcbf29ce484222325);
  char text[RH_NAME_MAX];
  char stem[41] = "";
  const char *slash = strrchr(where, '/');
  for (const char *c = where; *c; c++) {
    h = (h ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
  }
  snprintf(stem, sizeof stem, "%.40s", slash ? slash + 1 : where);
  stem[strcspn(stem, ".")] = '\0'; // without its ending
  for (char *c = stem; *c; c++) {
    bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                  (*c >= '0' && *c <= '9') || *c == '-';
    if (!letter) {
      *c = '_';
    }
  }
  snprintf(text, sizeof text, "%.36s-%08llx", stem,
           (unsigned long long)(h ^ h >> 32) & 0xffffffffULL);
  return (rh_robot_word){rh_name_of(text), place};
}

static void warn_lost(rh_nodes *n, const rh_robot_mesh *m, const char *why)
{
  n->lost++;
  rh_diag_add(n->diag, RH_WARNING, m->place, "this visual is not shown: '%.120s' %s%s", m->file,
              why, n->lost == LOST_MAX ? "; other files are not tried any more" : "");
}

rh_status rh_look_read_apart(rh_nodes *n, const rh_robot_mesh *m, const char *where, rh_look **look)
{
  rh_diag *diag = rh_diag_create();
  if (!diag) {
    return RH_OUT_OF_MEMORY;
  }
  rh_status status = rh_look_read(where, diag, look);
  if (status == RH_INPUT_REFUSED || status == RH_OVER_LIMIT) {
    char why[400];
    rh_message first = rh_diag_kept(diag) > 0 ? rh_diag_get(diag, 0) : (rh_message){.text = ""};
    if (first.place.line > 0) {
      snprintf(why, sizeof why, "line %d, column %d: %.200s", first.place.line, first.place.column,
               first.text);
    } else {
      snprintf(why, sizeof why, "%.300s", first.text);
    }
    warn_lost(n, m, why);
  }
  rh_diag_destroy(diag);
  return status;
}

bool rh_look_put(rh_nodes *n, const rh_look *look, const rh_robot_word *name)
{
  rh_text text = {0};
  rh_status status = rh_look_pack(look, &text);
  bool fits = text.size <= RH_LOOK_PACKED_MAX && n->packed + text.size <= PACKED_MAX;
  if (status == RH_OUT_OF_MEMORY) {
    n->status = status;
  } else if (status == RH_OK && fits) {
    n->packed += text.size;
    rh_node_list entry = rh_nodes_entry(n, RH_NODE_VISUAL_MESHES, name->place);
    rh_nodes_put_name(n, &entry, "name", name);
    rh_nodes_put_packed(n, &entry, "data", text.data, text.size, name->place);
  }
  rh_text_free(&text);
  return status == RH_OK && fits;
}

bool rh_robot_look_put(rh_nodes *n, rh_ignored *ignored, const rh_robot_mesh *m,
                       char called[RH_NAME_MAX])
{
  char where[RH_ROBOT_PATH_MAX];
  if (n->lost >= LOST_MAX || n->status != RH_OK) {
    return false;
  }
  if (!rh_look_format(m->file)) {
    rh_ignored_add(ignored, RH_WARNING, m->place,
                   "a visual is not shown: meshes are read from STL, OBJ, MSH and COLLADA files");
    return false;
  }
  if (!rh_robot_mesh_path(m, where)) {
    warn_lost(n, m, "cannot be found");
    return false;
  }
  rh_robot_word name = name_of_file(where, m->place);
  memcpy(called, name.name.text, RH_NAME_MAX);
  if (rh_nodes_has_name(n, RH_NODE_VISUAL_MESHES, &name)) {
    return true;
  }
  rh_look *look = NULL;
  rh_status status = rh_look_read_apart(n, m, where, &look);
  if (status == RH_OUT_OF_MEMORY) {
    n->status = status;
  }
  bool good = status == RH_OK && rh_look_put(n, look, &name);
  if (status == RH_OK && !good && n->status == RH_OK) {
    warn_lost(n, m, "has no triangles to show, or too many for one robot");
  }
  rh_free(look);
  return good;
}
