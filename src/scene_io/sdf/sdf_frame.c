// sdf_frame.c: names of SDF and poses. The pose of an item is given in a frame that is an item itself,
// and so on up to the world; the chain of an item is walked up to one whose pose in the world is known,
// then down again. A ring is refused.
#include "sdf_part.h"

#include <string.h>

// ---- Names

static int find_here(const rh_sdf *s, int scope, const char *name, size_t length)
{
  for (int i = 0; i < s->nitem; i++) {
    const rh_sdf_item *item = &s->item[i];
    if (item->scope == scope && item->name && strlen(item->name) == length &&
        memcmp(item->name, name, length) == 0) {
      return i;
    }
  }
  return RH_NONE;
}

int rh_sdf_find(const rh_sdf *s, int scope, const char *name)
{
  if (strcmp(name, "__model__") == 0) {
    return scope;
  }
  for (;;) {
    const char *end = strstr(name, "::");
    int found = find_here(s, scope, name, end ? (size_t)(end - name) : strlen(name));
    if (!end && found != RH_NONE) {
      return found;
    }
    if (end && strcmp(end, "::__model__") == 0) {
      return found;
    }
    if (!end || found == RH_NONE || s->item[found].sort != RH_SDF_MODEL) {
      return RH_NONE;
    }
    scope = found;
    name = end + 2;
  }
}

// The link that stands for a model: the one it names, else its first one, of inner models too.
static int find_canonical(const rh_sdf *s, int model)
{
  const char *name = rh_sdf_attribute(s, s->item[model].element, "canonical_link");
  if (name) {
    return rh_sdf_find(s, model, name);
  }
  for (int i = 0; i < s->nitem; i++) {
    int scope = s->item[i].sort == RH_SDF_LINK ? s->item[i].scope : RH_NONE;
    while (scope != RH_NONE && scope != model) {
      scope = s->item[scope].scope;
    }
    if (scope == model) {
      return i;
    }
  }
  return RH_NONE;
}

static int canonical_link(const rh_sdf *s, int model)
{
  int *known = &s->item[model].child;
  if (*known == RH_SDF_UNKNOWN) {
    *known = find_canonical(s, model);
  }
  return *known;
}

int rh_sdf_link_of(const rh_sdf *s, int item)
{
  for (int hops = 0; item != RH_NONE && hops <= s->nitem; hops++) {
    const rh_sdf_item *at = &s->item[item];
    if (at->sort == RH_SDF_LINK) {
      return item;
    }
    const char *name =
        at->sort == RH_SDF_FRAME ? rh_sdf_attribute(s, at->element, "attached_to") : NULL;
    item = at->sort == RH_SDF_JOINT   ? at->child
           : at->sort == RH_SDF_MODEL ? canonical_link(s, item)
           : name                     ? rh_sdf_find(s, at->scope, name)
           : at->scope != RH_NONE     ? canonical_link(s, at->scope)
                                      : RH_NONE;
  }
  return RH_NONE;
}

// ---- Frames

// The frame of an attribute of an element: an item, RH_NONE: the world. False: refused.
static bool read_frame(rh_sdf *s, int element, const char *attribute, int scope, int *frame)
{
  const rh_xml_attribute *a = element == RH_NONE ? NULL : rh_xml_find(&s->xml, element, attribute);
  if (!a || !a->value[0]) {
    return true;
  }
  *frame = strcmp(a->value, "world") == 0 ? RH_NONE : rh_sdf_find(s, scope, a->value);
  if (*frame == RH_NONE && strcmp(a->value, "world") != 0) {
    rh_sdf_refuse(s, a->place, "%s='%.80s': there is no such frame here", attribute, a->value);
    return false;
  }
  return true;
}

static void read_item_frame(rh_sdf *s, int i)
{
  rh_sdf_item *item = &s->item[i];
  int pose = rh_sdf_child(s, item->element, "pose");
  item->to = item->scope;
  if (item->sort == RH_SDF_FRAME) {
    (void)read_frame(s, item->element, "attached_to", item->scope, &item->to);
  } else if (item->sort == RH_SDF_JOINT) {
    const char *child = rh_sdf_text(s, item->element, "child");
    int found = child ? rh_sdf_find(s, item->scope, child) : RH_NONE;
    item->to = found; // none is refused with the joint
  }
  (void)read_frame(s, pose, "frame", item->scope, &item->to);
  (void)read_frame(s, pose, "relative_to", item->scope, &item->to);
  item->pose = rh_sdf_read_pose(s, item->element);
}

static void find_pose(rh_sdf *s, int i, int *stack)
{
  int depth = 0;
  for (int at = i; at != RH_NONE && s->item[at].state != 2; at = s->item[at].to) {
    if (s->item[at].state == 1) {
      rh_sdf_refuse(s, rh_sdf_place(s, s->item[at].element),
                    "the pose of '%.60s' is given in a frame that depends on it",
                    s->item[at].word.name.text);
      return;
    }
    s->item[at].state = 1;
    stack[depth++] = at;
  }
  while (depth > 0) {
    rh_sdf_item *item = &s->item[stack[--depth]];
    item->world =
        item->to == RH_NONE ? item->pose : rh_sdf_compose(&s->item[item->to].world, &item->pose);
    item->state = 2;
  }
}

static void check_canonical(rh_sdf *s, int model)
{
  const rh_xml_attribute *a = rh_xml_find(&s->xml, s->item[model].element, "canonical_link");
  if (a && a->value[0] && rh_sdf_find(s, model, a->value) == RH_NONE) {
    rh_sdf_refuse(s, a->place, "canonical_link='%.80s': there is no such link here", a->value);
  }
}

void rh_sdf_find_poses(rh_sdf *s)
{
  int *stack = rh_alloc((size_t)(s->nitem + 1) * sizeof *stack);
  if (!stack) {
    s->nodes.status = RH_OUT_OF_MEMORY;
    return;
  }
  for (int i = 0; i < s->nitem; i++) {
    read_item_frame(s, i);
    check_canonical(s, i);
  }
  for (int i = 0; i < s->nitem && !s->refused; i++) {
    find_pose(s, i, stack);
  }
  rh_free(stack);
}

rh_sdf_pose rh_sdf_world_pose(rh_sdf *s, int element, int scope, int usual)
{
  int pose = rh_sdf_child(s, element, "pose");
  int frame = usual;
  (void)read_frame(s, pose, "frame", scope, &frame);
  (void)read_frame(s, pose, "relative_to", scope, &frame);
  rh_sdf_pose own = rh_sdf_read_pose(s, element);
  return frame == RH_NONE ? own : rh_sdf_compose(&s->item[frame].world, &own);
}
