// sdf_visual.c: visuals with the diffuse colour of their material. A robot moves without them: what is wrong with one
// is a warning. Textures, scripts of materials and physically based ones are not read.
#include "sdf_part.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
  const char *tag;
  int sizes;
  const char *size[2]; // elements that it needs, above 0
} kinds[] = {{"box", 1, {"size", ""}},
             {"sphere", 1, {"radius", ""}},
             {"cylinder", 2, {"radius", "length"}},
             {"capsule", 2, {"radius", "length"}},
             {"ellipsoid", 1, {"radii", ""}},
             {"mesh", 0, {"", ""}}};

static bool has_sizes(rh_sdf *s, int element, int kind)
{
  for (int i = 0; i < kinds[kind].sizes; i++) {
    const char *tag = kinds[kind].size[i];
    bool three = strcmp(tag, "size") == 0 || strcmp(tag, "radii") == 0;
    double x[3] = {1, 1, 1};
    int child = rh_sdf_child(s, element, tag);
    bool given = child != RH_NONE && rh_sdf_numbers(s, child, three ? 3 : 1, x);
    if (!given || !(x[0] > 0 && x[1] > 0 && x[2] > 0)) {
      return false;
    }
  }
  return true;
}

// False: it has none.
static bool read_color(rh_sdf *s, int visual, double c[4])
{
  int diffuse = rh_sdf_child(s, rh_sdf_child(s, visual, "material"), "diffuse");
  double clear = rh_sdf_number(s, visual, "transparency", 0);
  c[3] = 1;
  if (diffuse == RH_NONE || !rh_sdf_numbers(s, diffuse, 4, c)) {
    return false;
  }
  c[3] *= 1 - clear;
  for (int k = 0; k < 4; k++) {
    c[k] = fmin(1, fmax(0, c[k]));
  }
  return true;
}

// The entry, after all that could be wrong with it.
static void put_entry(rh_sdf *s, int visual, int link, int kind, int element)
{
  const rh_sdf_item *item = &s->item[link];
  rh_place place = rh_sdf_place(s, visual);
  char mesh[RH_NAME_MAX] = "";
  rh_sdf_mesh found = {0};
  bool file = strcmp(kinds[kind].tag, "mesh") == 0;
  if (file && (!rh_sdf_find_mesh(s, element, item->word.name.text, &found) || s->spoiled ||
               !rh_robot_look_put(&s->nodes, &s->ignored, &found.mesh, mesh))) {
    return;
  }
  rh_sdf_pose pose = rh_sdf_world_pose(s, visual, item->scope, link);
  pose = item->fixed ? pose : rh_sdf_within(&item->body, &pose);
  double color[4];
  bool colored = read_color(s, visual, color);
  if (s->spoiled) {
    return;
  }
  rh_node_list entry = rh_nodes_entry(&s->nodes, RH_NODE_VISUALS, place);
  if (item->fixed) {
    rh_nodes_put_text(&s->nodes, &entry, "body", "world", place);
  } else {
    rh_nodes_put_name(&s->nodes, &entry, "body", &item->word);
  }
  rh_nodes_put_text(&s->nodes, &entry, "kind", kinds[kind].tag, rh_sdf_place(s, element));
  rh_sdf_put_pose(s, &entry, &pose, place);
  if (file) {
    rh_robot_word word = {rh_name_of(mesh), place};
    const double *x = found.mesh.scale;
    rh_nodes_put_name(&s->nodes, &entry, "mesh", &word);
    if (found.mesh.scaled && x[0] != 0 && x[1] != 0 && x[2] != 0) {
      rh_nodes_put_numbers(&s->nodes, &entry, "scale", x, 3, found.mesh.scale_place);
    }
  } else {
    rh_sdf_put_sizes(s, element, &entry);
  }
  if (colored) {
    rh_nodes_put_numbers(&s->nodes, &entry, "color", color, 4, place);
  }
}

static void put_visual(rh_sdf *s, int visual, int link)
{
  int geometry = rh_sdf_child(s, visual, "geometry");
  int element = RH_NONE;
  int k = 0;
  while (k < RH_COUNT(kinds) && (element = rh_sdf_child(s, geometry, kinds[k].tag)) == RH_NONE) {
    k++;
  }
  if (element == RH_NONE) { // <empty/>, a plane, or one that is not known, which is reported
    return;
  }
  if (rh_sdf_child(s, element, "submesh") != RH_NONE) {
    rh_ignored_add(&s->ignored, RH_WARNING, rh_sdf_place(s, visual),
                   "a visual with <submesh> is not shown");
    return;
  }
  if (!has_sizes(s, element, k)) {
    rh_ignored_add(&s->ignored, RH_WARNING, rh_sdf_place(s, visual),
                   "a visual without size is not shown");
    return;
  }
  put_entry(s, visual, link, k, element);
}

void rh_sdf_emit_visuals(rh_sdf *s)
{
  s->showing = true;
  for (int i = 0; i < s->nitem && s->nodes.status == RH_OK; i++) {
    int visual =
        s->item[i].sort == RH_SDF_LINK ? rh_sdf_child(s, s->item[i].element, "visual") : RH_NONE;
    for (; visual != RH_NONE && s->nodes.status == RH_OK; visual = rh_sdf_next(s, visual)) {
      s->spoiled = false;
      put_visual(s, visual, i);
    }
  }
  s->showing = false;
}
