// Names sorted for look-up; equal names keep their order.
#include "names.h"

#include "base/sort.h"

#include <stdio.h>
#include <string.h>

static const char *text_field(const rh_scene *scene, rh_section_id id, int index, const char *key)
{
  int field = rh_section_find_field(&rh_sections[id], key);
  if (field == RH_NONE) {
    return "";
  }
  const char *def = rh_scene_item(scene, id, index);
  return ((const rh_name *)(const void *)(def + rh_sections[id].field[field].offset))->text;
}

// The name of an entry: a joint without a name has its child's; "" if it has none.
static const char *entry_name(const rh_scene *scene, rh_section_id id, int index)
{
  const char *name = text_field(scene, id, index, "name");
  if (id == RH_SECTION_JOINTS && name[0] == 0) {
    return text_field(scene, id, index, "child");
  }
  return name;
}

void rh_scene_label(const rh_scene *scene, rh_section_id id, int index, char *label)
{
  const char *name = entry_name(scene, id, index);
  if (!rh_sections[id].list) {
    snprintf(label, RH_NAME_MAX, "%s", rh_sections[id].name);
  } else if (name[0] == 0) {
    snprintf(label, RH_NAME_MAX, "%s.%d", rh_sections[id].name, index);
  } else {
    snprintf(label, RH_NAME_MAX, "%s", name);
  }
}

static bool name_before(const void *items, int i, int j)
{
  const char *const *name = items;
  return strcmp(name[i], name[j]) < 0;
}

// `order` holds 2 count ints: the result in its first half, merge scratch in its second.
void rh_sort_names(const char *const *name, int count, int *order)
{
  for (int i = 0; i < count; i++) {
    order[i] = i;
  }
  rh_sort_order(order, count, order + count, name_before, name);
}

int rh_find_sorted(const char *const *name, const int *order, int count, const char *wanted)
{
  int lo = 0;
  int hi = count;
  while (lo < hi) { // first whose name is not below the wanted one
    int middle = lo + (hi - lo) / 2;
    if (strcmp(name[order[middle]], wanted) < 0) {
      lo = middle + 1;
    } else {
      hi = middle;
    }
  }
  return lo < count && strcmp(name[order[lo]], wanted) == 0 ? order[lo] : RH_NONE;
}

bool rh_name_index_build(rh_name_index *index, const rh_scene *scene, rh_section_id id)
{
  index->count = rh_scene_count(scene, id);
  index->name = rh_alloc((size_t)index->count * sizeof *index->name);
  index->order = rh_alloc(2 * (size_t)index->count * sizeof *index->order);
  if (!index->name || !index->order) {
    return false;
  }
  for (int i = 0; i < index->count; i++) {
    index->name[i] = entry_name(scene, id, i);
  }
  rh_sort_names(index->name, index->count, index->order);
  return true;
}

void rh_name_index_free(rh_name_index *index)
{
  rh_free(index->name);
  rh_free(index->order);
}

int rh_name_index_find(const rh_name_index *index, const char *name)
{
  return rh_find_sorted(index->name, index->order, index->count, name);
}
