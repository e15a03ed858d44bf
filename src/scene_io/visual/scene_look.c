// scene_look.c: the file that a visual mesh of a scene names. Its surface, packed, replaces the name, so that a
// scene that was read needs no other file.
#include "look_file.h"
#include "scene_io/scene_entry.h"

#include <stdio.h>
#include <string.h>

static rh_status take_packed(rh_entry *e, const rh_look *look, int node)
{
  rh_visual_mesh_def *def = e->def;
  rh_text text = {0};
  char why[RH_WHY_MAX];
  rh_status status = rh_look_pack(look, &text);
  if (status == RH_OK && text.size > RH_LOOK_PACKED_MAX) {
    snprintf(why, sizeof why, "needs %zu characters packed, the limit is %d", text.size,
             RH_LOOK_PACKED_MAX);
    rh_entry_refuse(e, node, "file", why);
    rh_text_free(&text);
    return RH_OK;
  }
  if (status == RH_INPUT_REFUSED) {
    rh_entry_refuse(e, node, "file", "has no triangles to show");
    rh_text_free(&text);
    return RH_OK;
  }
  int n = (int)text.size;
  char *x = status == RH_OK ? rh_text_take(&text) : NULL;
  rh_text_free(&text);
  if (!x) {
    return RH_OUT_OF_MEMORY;
  }
  def->data = (rh_packed){n, x};
  memset(&def->file, 0, sizeof def->file);
  int file = rh_section_find_field(e->section, "file");
  e->origin.field[rh_section_find_field(e->section, "data")] = e->origin.field[file];
  e->origin.field[file] = (rh_place){0};
  return RH_OK;
}

rh_status rh_entry_load_look(rh_entry *e)
{
  const rh_visual_mesh_def *def = e->def;
  char where[RH_WHERE_MAX];
  if (def->file.text[0] == '\0' || def->vertices.n > 0 || def->faces.n > 0 || def->data.n > 0) {
    return RH_OK; // two at once are refused by the check
  }
  int node = rh_yaml_find(e->r->tree, e->node, "file");
  if (!rh_entry_find_file(e, "file", def->file.text, where)) {
    return RH_OK;
  }
  rh_look *look = NULL;
  rh_status status = rh_look_read(where, e->r->diag, &look);
  if (status == RH_INPUT_REFUSED || status == RH_OVER_LIMIT) {
    rh_diag_add(e->r->diag, RH_NOTE, rh_entry_place(e->r, node), "it is read for this visual mesh");
    e->r->refused = true;
    return RH_OK;
  }
  status = status == RH_OK ? take_packed(e, look, node) : status;
  rh_free(look);
  return status;
}
