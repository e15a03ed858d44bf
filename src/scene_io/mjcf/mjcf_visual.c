// mjcf_visual.c: what geoms look like: those of the groups 0 to 2, as MuJoCo shows them, with the colour of the geom
// or of its material. Textures are not read. A body whose geoms all touch and have no colours needs no visuals: its
// shapes are drawn.
#include "mjcf_part.h"

#include "model/names.h"
#include "scene_io/visual/look_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN_GROUPS = 3 };

typedef struct material_list {
  const char **name;
  double (*rgba)[4]; // opacity < 0: none
  int *order;
  int n;
} material_list;

static int next_material(const rh_mjcf *m, int element)
{
  int e = element;
  do {
    bool asset = strcmp(rh_mjcf_tag(m, e), "asset") == 0;
    e = rh_xml_following(&m->xml, e, m->root, e == m->root || asset);
  } while (e != RH_NONE && (strcmp(rh_mjcf_tag(m, e), "material") != 0 ||
                            strcmp(rh_mjcf_tag(m, m->xml.element[e].parent), "asset") != 0));
  return e;
}

static bool read_materials(rh_mjcf *m, material_list *list)
{
  size_t n = 1;
  for (int e = next_material(m, m->root); e != RH_NONE; e = next_material(m, e)) {
    n++;
  }
  *list = (material_list){.name = rh_alloc(n * sizeof *list->name),
                          .rgba = rh_alloc(n * sizeof *list->rgba),
                          .order = rh_alloc(2 * n * sizeof *list->order)};
  if (!list->name || !list->rgba || !list->order) {
    m->nodes.status = RH_OUT_OF_MEMORY;
    return false;
  }
  for (int e = next_material(m, m->root); e != RH_NONE; e = next_material(m, e)) {
    const rh_xml_attribute *a = rh_xml_find(&m->xml, e, "name");
    double *rgba = list->rgba[list->n];
    rh_mjcf_scope s;
    rh_mjcf_scope_of(m, e, "material", 0, &s);
    for (int k = 0; k < 4; k++) {
      rgba[k] = 1;
    }
    rgba[3] = rh_mjcf_numbers(m, &s, "rgba", 0, 4, rgba) > 0 ? rgba[3] : -1;
    list->name[list->n++] = a ? a->value : "";
  }
  rh_sort_names(list->name, list->n, list->order);
  return true;
}

static void find_colors(rh_mjcf *m)
{
  material_list list;
  if (read_materials(m, &list)) {
    for (int i = 0; i < m->ngeom; i++) {
      rh_mjcf_geom *g = &m->geom[i];
      int k = g->rgba[3] < 0 && g->material
                  ? rh_find_sorted(list.name, list.order, list.n, g->material)
                  : RH_NONE;
      if (k != RH_NONE) {
        memcpy(g->rgba, list.rgba[k], sizeof g->rgba);
      }
    }
  }
  rh_free(list.name);
  rh_free(list.rgba);
  rh_free(list.order);
}

static bool is_shown(const rh_mjcf_geom *g)
{
  return g->group >= 0 && g->group < SHOWN_GROUPS && g->rgba[3] != 0 && g->type != RH_MJCF_PLANE &&
         g->type != RH_MJCF_HFIELD;
}

// Do its shapes alone show the body as it is?
static bool needs_visuals(const rh_mjcf *m, const rh_mjcf_body *b)
{
  bool any = false;
  bool shown = false;
  for (int k = b->first_geom; k != RH_NONE; k = m->geom[k].next) {
    const rh_mjcf_geom *g = &m->geom[k];
    bool flat = g->type == RH_MJCF_PLANE || g->type == RH_MJCF_HFIELD;
    shown = shown || is_shown(g);
    any = any || (!flat && is_shown(g) != g->shape) ||
          (is_shown(g) && (g->type == RH_MJCF_MESH || g->rgba[3] >= 0));
  }
  return any && shown;
}

// The surface of a mesh as an entry of the scene. False: it is not shown.
static bool put_look(rh_mjcf *m, int index, rh_robot_word *name)
{
  rh_mjcf_mesh *mesh = &m->mesh[index];
  char text[2 * RH_NAME_MAX];
  snprintf(text, sizeof text, "look%d-%.48s", index, mesh->name);
  *name = rh_mjcf_word(text, mesh->place);
  if (mesh->look == 0) {
    rh_look *look = rh_mjcf_read_look(m, index);
    mesh->look = look && look->ntri > 0 && rh_look_put(&m->nodes, look, name) ? 1 : -1;
    rh_free(look);
  }
  return mesh->look > 0;
}

static void put_visual(rh_mjcf *m, const rh_mjcf_geom *g)
{
  static const char *const kinds[] = {[RH_MJCF_SPHERE] = "sphere",
                                      [RH_MJCF_CAPSULE] = "capsule",
                                      [RH_MJCF_ELLIPSOID] = "ellipsoid",
                                      [RH_MJCF_CYLINDER] = "cylinder",
                                      [RH_MJCF_BOX] = "box",
                                      [RH_MJCF_MESH] = "mesh"};
  rh_robot_word mesh = {0};
  const double *s = g->size;
  const double twice[3] = {2 * s[0], 2 * s[1], 2 * s[2]};
  bool rod = g->type == RH_MJCF_CAPSULE || g->type == RH_MJCF_CYLINDER;
  if ((g->type == RH_MJCF_MESH && !put_look(m, g->mesh, &mesh)) || (rod && !(s[1] > 0))) {
    return;
  }
  rh_node_list visual = rh_nodes_entry(&m->nodes, RH_NODE_VISUALS, g->place);
  if (g->body == 0) {
    rh_nodes_put_text(&m->nodes, &visual, "body", "world", g->place);
  } else {
    rh_nodes_put_name(&m->nodes, &visual, "body", &m->body[g->body].name);
  }
  rh_nodes_put_text(&m->nodes, &visual, "kind", kinds[g->type], g->place);
  rh_mjcf_put_at(m, &visual, g);
  if (g->type == RH_MJCF_MESH) {
    rh_nodes_put_name(&m->nodes, &visual, "mesh", &mesh);
  } else if (g->type == RH_MJCF_BOX || g->type == RH_MJCF_ELLIPSOID) {
    bool box = g->type == RH_MJCF_BOX;
    rh_nodes_put_numbers(&m->nodes, &visual, box ? "size" : "semi", box ? twice : s, 3, g->place);
  } else {
    rh_nodes_put_number(&m->nodes, &visual, "radius", s[0], g->place);
    if (rod) {
      rh_nodes_put_number(&m->nodes, &visual, "length", twice[1], g->place);
    }
  }
  if (g->rgba[3] >= 0) {
    double color[4];
    for (int k = 0; k < 4; k++) {
      color[k] = fmin(1, fmax(0, g->rgba[k]));
    }
    rh_nodes_put_numbers(&m->nodes, &visual, "color", color, 4, g->place);
  }
}

void rh_mjcf_emit_visuals(rh_mjcf *m)
{
  find_colors(m);
  for (int b = 0; b < m->nbody; b++) {
    if (!needs_visuals(m, &m->body[b])) {
      continue;
    }
    for (int k = m->body[b].first_geom; k != RH_NONE && m->nodes.status == RH_OK;
         k = m->geom[k].next) {
      if (is_shown(&m->geom[k])) {
        put_visual(m, &m->geom[k]);
      }
    }
  }
}
