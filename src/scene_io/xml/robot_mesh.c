// robot_mesh.c: a mesh becomes its convex hull. Its file is searched for
//   plain name, file://                from the folder of the robot's file,
//   package://NAME/PATH, model://...   as NAME/PATH in the folder of packages, if given, then in the
//                                      folder of the robot's file and up to eight folders above it.
// A mesh that is missing, or not STL or OBJ, is omitted with a warning: the robot moves without it.
#include "robot_mesh.h"

#include "geometry/hull/hull.h"
#include "scene_io/mesh.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { UP_MAX = 8, WHERE_MAX = 4096 };

// ---- Path of a mesh

// Does this file exist, with the scene's name for it?
static bool mesh_file_exists(const rh_robot_mesh *m, const char *name)
{
  char where[WHERE_MAX];
  struct stat info;
  bool beside = name[0] != '/' && m->scene[0] != '\0';
  int length =
      snprintf(where, sizeof where, "%s%s%s", beside ? m->scene : "", beside ? "/" : "", name);
  return length < WHERE_MAX && strlen(name) < RH_PATH_MAX - 1 && stat(where, &info) == 0 &&
         S_ISREG(info.st_mode);
}

static bool try_mesh_path(const rh_robot_mesh *m, char name[WHERE_MAX], const char *folder, int up,
                          const char *file)
{
  static const char dots[] = "../../../../../../../../";
  int length =
      snprintf(name, WHERE_MAX, "%s%s%.*s%s", folder, folder[0] ? "/" : "", 3 * up, dots, file);
  return length < WHERE_MAX && mesh_file_exists(m, name);
}

static bool find_mesh(const rh_robot_mesh *m, char name[WHERE_MAX])
{
  static const char *const packages[] = {"package://", "model://"};
  static const char local[] = "file://";
  const char *file = m->file;
  if (!m->scene) {
    return false;
  }
  for (int i = 0; i < RH_COUNT(packages); i++) {
    if (strncmp(file, packages[i], strlen(packages[i])) != 0) {
      continue;
    }
    file += strlen(packages[i]);
    if (m->packages && try_mesh_path(m, name, m->packages, 0, file)) {
      return true;
    }
    for (int up = 0; up <= UP_MAX; up++) {
      if (try_mesh_path(m, name, m->folder, up, file)) {
        return true;
      }
    }
    return false;
  }
  file += strncmp(file, local, sizeof local - 1) == 0 ? sizeof local - 1 : 0;
  return try_mesh_path(m, name, file[0] == '/' ? "" : m->folder, 0, file);
}

bool rh_robot_mesh_path(const rh_robot_mesh *m, char where[RH_ROBOT_PATH_MAX])
{
  char name[WHERE_MAX];
  if (!find_mesh(m, name)) {
    return false;
  }
  bool beside = name[0] != '/' && m->scene[0] != '\0';
  snprintf(where, RH_ROBOT_PATH_MAX, "%s%s%s", beside ? m->scene : "", beside ? "/" : "", name);
  return true;
}

static bool known_format(const char *file)
{
  const char *dot = strrchr(file, '.');
  return dot && (strcasecmp(dot, ".stl") == 0 || strcasecmp(dot, ".obj") == 0);
}

// ---- A stretched or mirrored mesh has its vertices written out

static bool is_uniform_scale(const rh_robot_mesh *m)
{
  return !m->scaled ||
         (m->scale[0] > 0 && m->scale[0] == m->scale[1] && m->scale[1] == m->scale[2]);
}

static bool put_vertices(rh_nodes *n, rh_node_list *entry, const rh_robot_mesh *m,
                         const rh_mesh *mesh)
{
  if (mesh->nvert > RH_HULL_POINTS_MAX) {
    rh_diag_add(n->diag, RH_ERROR, m->place, "the mesh has %d vertices; a hull may be made of %d",
                mesh->nvert, RH_HULL_POINTS_MAX);
    return false;
  }
  double *x = rh_alloc(3 * (size_t)mesh->nvert * sizeof *x);
  if (!x) {
    n->status = RH_OUT_OF_MEMORY;
    return true;
  }
  for (int i = 0; i < mesh->nvert; i++) {
    x[3 * i] = m->scale[0] * mesh->vert[i].x;
    x[3 * i + 1] = m->scale[1] * mesh->vert[i].y;
    x[3 * i + 2] = m->scale[2] * mesh->vert[i].z;
  }
  rh_nodes_put_numbers(n, entry, "vertices", x, 3 * mesh->nvert, m->place);
  if (mesh->single) {
    rh_nodes_put_number(n, entry, "tolerance", RH_HULL_TOLERANCE_FLOAT, m->place);
  }
  rh_free(x);
  return true;
}

// False: refused
static bool put_stretched(rh_nodes *n, rh_node_list *entry, const rh_robot_mesh *m,
                          const char *name)
{
  char where[2 * WHERE_MAX];
  bool beside = name[0] != '/' && m->scene[0] != '\0';
  snprintf(where, sizeof where, "%s%s%s", beside ? m->scene : "", beside ? "/" : "", name);
  rh_mesh mesh;
  rh_status status = rh_mesh_read(where, n->diag, &mesh);
  if (status == RH_INPUT_REFUSED || status == RH_OVER_LIMIT) {
    rh_diag_add(n->diag, RH_NOTE, m->place, "it is read for this mesh");
    return false;
  }
  if (status != RH_OK) {
    n->status = status;
    return true;
  }
  bool good = put_vertices(n, entry, m, &mesh);
  rh_mesh_free(&mesh);
  return good;
}

bool rh_robot_mesh_put(rh_nodes *n, rh_ignored *ignored, const rh_robot_mesh *m,
                       char called[RH_NAME_MAX], bool *refused)
{
  char name[WHERE_MAX];
  if (!known_format(m->file)) {
    rh_diag_add(n->diag, RH_WARNING, m->place,
                "the shape is ignored: meshes are read from STL and OBJ files, not '%.80s'",
                m->file);
    return false;
  }
  if (!find_mesh(m, name)) {
    rh_diag_add(n->diag, RH_WARNING, m->place,
                "the shape is ignored: its mesh '%.120s' cannot be found", m->file);
    return false;
  }
  rh_ignored_add(ignored, RH_NOTE, m->shape, "a mesh is replaced by its convex hull");
  rh_node_list entry = rh_nodes_entry(n, RH_NODE_MESHES, m->place);
  rh_robot_word word = {.place = m->place};
  snprintf(called, RH_NAME_MAX, "%.50s-mesh%d", m->owner, n->made);
  word.name = rh_name_of(called);
  rh_nodes_put_name(n, &entry, "name", &word);
  if (is_uniform_scale(m)) {
    rh_nodes_put_text(n, &entry, "file", name, m->place);
    if (m->scaled) {
      rh_nodes_put_number(n, &entry, "scale", m->scale[0], m->scale_place);
    }
  } else if (!put_stretched(n, &entry, m, name)) {
    *refused = true;
  }
  return true;
}
