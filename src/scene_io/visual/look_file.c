// look_file.c: see look_file.h.
#include "look_file.h"

#include "dae.h"

#include <string.h>
#include <strings.h>

static bool has_ending(const char *file, const char *ending)
{
  const char *dot = strrchr(file, '.');
  return dot && strcasecmp(dot, ending) == 0;
}

bool rh_look_format(const char *file)
{
  return has_ending(file, ".stl") || has_ending(file, ".obj") || has_ending(file, ".msh") ||
         has_ending(file, ".dae");
}

rh_status rh_look_of_mesh(const rh_mesh *mesh, rh_look **look)
{
  rh_look *made = rh_look_create(mesh->nvert, mesh->ntri, 1);
  *look = made;
  if (!made) {
    return RH_OUT_OF_MEMORY;
  }
  for (int i = 0; i < mesh->nvert; i++) {
    made->vert[3 * i] = mesh->vert[i].x;
    made->vert[3 * i + 1] = mesh->vert[i].y;
    made->vert[3 * i + 2] = mesh->vert[i].z;
  }
  if (mesh->ntri > 0) {
    memcpy(made->tri, mesh->tri, (size_t)mesh->ntri * sizeof *made->tri);
  }
  rh_look_measure(made);
  return RH_OK;
}

// Fewer triangles until there are few enough.
static rh_status fit_look(rh_look **look)
{
  for (int level = 1; (*look)->ntri > RH_LOOK_TRIANGLES_MAX; level++) {
    rh_look *less = rh_look_simplify(*look, (*look)->edge * level);
    if (!less) {
      return RH_OUT_OF_MEMORY;
    }
    rh_free(*look);
    *look = less;
  }
  return RH_OK;
}

rh_status rh_look_read(const char *path, rh_diag *diag, rh_look **look)
{
  *look = NULL;
  rh_status status = RH_OK;
  if (has_ending(path, ".dae")) {
    status = rh_dae_read(path, diag, look);
  } else {
    rh_mesh mesh;
    RH_TRY(rh_mesh_read(path, diag, &mesh));
    status = rh_look_of_mesh(&mesh, look);
    status = status == RH_OK && mesh.npaint > 0 ? rh_look_paint(look, &mesh, path) : status;
    rh_mesh_free(&mesh);
  }
  if (status == RH_OK && (*look)->ntri == 0) {
    rh_diag_add(diag, RH_ERROR, (rh_place){.file = path}, "has no triangles to show");
    status = RH_INPUT_REFUSED;
  }
  status = status == RH_OK ? fit_look(look) : status;
  if (status != RH_OK) {
    rh_free(*look);
    *look = NULL;
  }
  return status;
}
