// sdf.c: the order in which SDF is read. The file is one tree of elements; its models, links, joints
// and frames are items with a name, a scope and a pose. Then come entries of the scene.
#include "sdf_part.h"

#include <stdio.h>
#include <string.h>

// ---- Items

// A name of the scene: that of the file after those of the models that hold it, "arm-hand". The model
// itself is left out where it is the only one.
static rh_robot_word name_item(const rh_sdf *s, const rh_sdf_item *item)
{
  char text[4 * RH_NAME_MAX];
  const char *outer = item->scope == RH_NONE ? "" : s->item[item->scope].word.name.text;
  bool bare = item->sort == RH_SDF_MODEL && item->scope == RH_NONE && !s->many;
  (void)snprintf(text, sizeof text, "%s%s%.64s", outer, outer[0] ? "-" : "",
                 bare || !item->name ? "" : item->name);
  bool letter = false;
  for (char *t = text; *t; t++) {
    bool one = (*t >= 'a' && *t <= 'z') || (*t >= 'A' && *t <= 'Z');
    letter = letter || one;
    *t = one || (*t >= '0' && *t <= '9') || *t == '-' ? *t : '_';
  }
  char made[4 * RH_NAME_MAX + 2];
  (void)snprintf(made, sizeof made, "%s%s", letter || bare ? "" : "n", text);
  made[RH_NAME_MAX - 1] = '\0';
  return (rh_robot_word){rh_name_of(made), rh_sdf_place(s, item->element)};
}

static bool item_sort(const char *tag, rh_sdf_sort *sort)
{
  static const char *const tags[] = {"model", "link", "joint", "frame"};
  for (int i = 0; i < RH_COUNT(tags); i++) {
    if (strcmp(tag, tags[i]) == 0) {
      *sort = (rh_sdf_sort)i;
      return true;
    }
  }
  return false;
}

static void add_item(rh_sdf *s, int element, rh_sdf_sort sort)
{
  rh_sdf_item *item = &s->item[s->nitem];
  rh_place place = rh_sdf_place(s, element);
  int parent = s->xml.element[element].parent;
  *item = (rh_sdf_item){.sort = sort,
                        .element = element,
                        .scope = s->owner[parent],
                        .to = RH_NONE,
                        .carrier = RH_NONE,
                        .parent = RH_NONE,
                        .child = RH_SDF_UNKNOWN};
  item->name = rh_sdf_attribute(s, element, "name");
  if (!item->name) {
    rh_sdf_refuse(s, place, "<%.20s> needs the attribute name", rh_sdf_tag(s, element));
  } else if (strstr(item->name, "::") || strcmp(item->name, "world") == 0) {
    rh_sdf_refuse(s, place, "'%.60s' cannot be the name of a %.20s", item->name,
                  rh_sdf_tag(s, element));
  } else if (rh_sdf_find(s, item->scope, item->name) != RH_NONE) {
    rh_sdf_refuse(s, place, "the name '%.60s' is taken here", item->name);
  }
  bool outer = item->scope != RH_NONE && s->item[item->scope].fixed;
  item->fixed = outer || (sort == RH_SDF_MODEL && rh_sdf_flag(s, element, "static", false));
  item->word = name_item(s, item);
  s->owner[element] = s->nitem++;
}

static rh_status collect_items(rh_sdf *s)
{
  size_t n = (size_t)s->xml.count;
  s->owner = rh_alloc(n * sizeof *s->owner);
  s->item = rh_alloc(RH_SDF_ITEMS_MAX * sizeof *s->item);
  if (!s->owner || !s->item) {
    return RH_OUT_OF_MEMORY;
  }
  for (int i = 0; i < s->xml.count; i++) {
    s->owner[i] = RH_NONE;
  }
  int models = 0;
  for (int e = s->root; e != RH_NONE; e = rh_xml_following(&s->xml, e, s->root, true)) {
    int parent = s->xml.element[e].parent;
    bool outer = parent != RH_NONE && strcmp(rh_sdf_tag(s, parent), "model") != 0;
    models += outer && strcmp(rh_sdf_tag(s, e), "model") == 0;
  }
  s->many = models > 1;
  rh_sdf_sort sort = RH_SDF_MODEL;
  int e = s->root;
  while (e != RH_NONE) {
    const char *tag = rh_sdf_tag(s, e);
    bool inside = e == s->root || strcmp(tag, "world") == 0;
    if (item_sort(tag, &sort)) {
      if (s->nitem == RH_SDF_ITEMS_MAX) {
        rh_sdf_refuse(s, rh_sdf_place(s, e),
                      "too many models, links, joints and frames: %d are allowed",
                      RH_SDF_ITEMS_MAX);
        return RH_INPUT_REFUSED;
      }
      add_item(s, e, sort);
      inside = sort == RH_SDF_MODEL;
    }
    e = rh_xml_following(&s->xml, e, s->root, inside);
  }
  return RH_OK;
}

// ---- The whole

static void read_version(rh_sdf *s)
{
  double x[2] = {0, 0};
  const rh_xml_attribute *a = rh_xml_find(&s->xml, s->root, "version");
  char text[16];
  if (!a) {
    rh_sdf_refuse(s, rh_sdf_place(s, s->root), "<sdf> needs the attribute version");
    return;
  }
  (void)snprintf(text, sizeof text, "%s", a->value);
  char *dot = strchr(text, '.');
  if (dot) {
    *dot = ' ';
  }
  if (rh_xml_numbers(text, 2, x) != 2 || x[0] != 1) {
    rh_sdf_refuse(s, a->place, "version must be 1.0 to 1.12, got '%.20s'", a->value);
  }
  s->old_axes = x[1] < 5;
}

static void read_gravity(rh_sdf *s)
{
  int count = 0;
  for (int e = rh_sdf_child(s, s->root, "world"); e != RH_NONE; e = rh_sdf_next(s, e)) {
    double g[3];
    int gravity = rh_sdf_child(s, e, "gravity");
    if (count++ > 0) {
      rh_sdf_refuse(s, rh_sdf_place(s, e), "a file may have one world");
      return;
    }
    if (!rh_sdf_numbers(s, gravity, 3, g)) {
      continue;
    }
    rh_place place = rh_sdf_place(s, gravity);
    rh_node_list world = rh_nodes_map(&s->nodes, "world", place);
    if (world.node != RH_NONE && rh_yaml_find(s->nodes.tree, world.node, "gravity") == RH_NONE) {
      rh_nodes_put_numbers(&s->nodes, &world, "gravity", g, 3, place);
    }
  }
}

static rh_status read_all(rh_sdf *s, const rh_sdf_file *file)
{
  const char *name = s->nodes.tree->file[file->file];
  s->xml.texts = true;
  RH_TRY(rh_xml_read(&s->xml, file->text, file->bytes, name, s->diag, &s->root));
  if (strcmp(rh_sdf_tag(s, s->root), "sdf") != 0) {
    rh_sdf_refuse(s, rh_sdf_place(s, s->root), "an SDF file begins with <sdf>, got <%.40s>",
                  rh_sdf_tag(s, s->root));
    return RH_INPUT_REFUSED;
  }
  read_version(s);
  RH_TRY(rh_sdf_expand_includes(s));
  if (!rh_sdf_check_schema(s)) {
    return RH_INPUT_REFUSED;
  }
  RH_TRY(collect_items(s));
  if (s->nitem == 0) {
    rh_sdf_refuse(s, rh_sdf_place(s, s->root), "the file has no model");
  }
  static void (*const steps[])(rh_sdf *) = {
      read_gravity,       rh_sdf_find_poses,  rh_sdf_read_joints,   rh_sdf_emit_bodies,
      rh_sdf_emit_joints, rh_sdf_emit_shapes, rh_sdf_emit_contacts, rh_sdf_emit_visuals};
  for (int i = 0; i < RH_COUNT(steps); i++) {
    if (s->nodes.status != RH_OK || s->refused) {
      break;
    }
    steps[i](s);
  }
  return s->nodes.status != RH_OK ? s->nodes.status : s->refused ? RH_INPUT_REFUSED : RH_OK;
}

rh_status rh_sdf_read(rh_yaml *tree, int root, const rh_sdf_file *file, const rh_sdf_opt *opt,
                      rh_diag *diag)
{
  rh_sdf *s = rh_alloc(sizeof *s);
  if (!s) {
    return RH_OUT_OF_MEMORY;
  }
  *s = (rh_sdf){.opt = opt, .diag = diag, .ignored = {.diag = diag}};
  rh_nodes_init(&s->nodes, tree, root, opt->prefix, diag);
  rh_status status = read_all(s, file);
  rh_ignored_report(&s->ignored);
  rh_xml_free(&s->xml);
  rh_free(s->owner);
  rh_free(s->item);
  rh_free(s->shape);
  rh_free(s);
  return status;
}

bool rh_text_is_sdf(const char *text, size_t bytes)
{
  return rh_xml_begins_with(text, bytes, "sdf");
}
