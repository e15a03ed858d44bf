// scene_mesh.c: the file that a mesh of a scene names. Its vertices replace its name, so that a
// scene that was read needs no other file: written scenes and recordings are complete.
#include "geometry/hull/hull.h"
#include "mesh.h"
#include "scene_entry.h"

#include <stdio.h>
#include <string.h>

static int field_of(const rh_entry *e, const char *key)
{
  return rh_section_find_field(e->section, key);
}

static rh_status take_vertices(rh_entry *e, const rh_mesh *mesh, int node)
{
  rh_mesh_def *def = e->def;
  if (mesh->nvert > RH_HULL_POINTS_MAX) {
    char why[RH_WHY_MAX];
    snprintf(why, sizeof why, "has %d vertices; a hull may be made of %d", mesh->nvert,
             RH_HULL_POINTS_MAX);
    rh_entry_refuse(e, node, "file", why);
    return RH_OK;
  }
  double *x = rh_alloc(3 * (size_t)mesh->nvert * sizeof *x);
  if (!x) {
    return RH_OUT_OF_MEMORY;
  }
  for (int i = 0; i < mesh->nvert; i++) {
    x[3 * i] = mesh->vert[i].x;
    x[3 * i + 1] = mesh->vert[i].y;
    x[3 * i + 2] = mesh->vert[i].z;
  }
  def->vertices = (rh_numbers){3 * mesh->nvert, x};
  memset(&def->file, 0, sizeof def->file);
  e->origin.field[field_of(e, "vertices")] = e->origin.field[field_of(e, "file")];
  e->origin.field[field_of(e, "file")] = (rh_place){0};
  if (mesh->single && !e->origin.field[field_of(e, "tolerance")].file) {
    def->tolerance = RH_HULL_TOLERANCE_FLOAT;
    e->origin.field[field_of(e, "tolerance")] = e->origin.field[field_of(e, "vertices")];
  }
  return RH_OK;
}

rh_status rh_entry_load_mesh(rh_entry *e)
{
  const rh_mesh_def *def = e->def;
  char where[RH_WHERE_MAX];
  if (def->file.text[0] == '\0' || def->vertices.n > 0 || def->heights.n > 0) {
    return RH_OK; // two at once are refused by the check
  }
  int node = rh_yaml_find(e->r->tree, e->node, "file");
  if (!rh_entry_find_file(e, "file", def->file.text, where)) {
    return RH_OK;
  }
  rh_mesh mesh;
  rh_status status = rh_mesh_read(where, e->r->diag, &mesh);
  if (status == RH_INPUT_REFUSED || status == RH_OVER_LIMIT) {
    rh_diag_add(e->r->diag, RH_NOTE, rh_entry_place(e->r, node), "it is read for this mesh");
    e->r->refused = true;
    return RH_OK;
  }
  if (status == RH_OK) {
    status = take_vertices(e, &mesh, node);
    rh_mesh_free(&mesh);
  }
  return status;
}
