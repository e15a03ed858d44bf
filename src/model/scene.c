// The store of rh_scene: for every section the entries as given, and the origin of each value.
#include "schema.h"

#include <string.h>

typedef struct scene_list {
  char *item;        // count entries of the section's size
  rh_origin *origin; // NULL as long as every entry came from a program
  int count, room;
} scene_list;

struct rh_scene {
  scene_list list[RH_SECTION_COUNT];
  char **kept; // file names that places point to
  int nkept;
  void **block; // numbers and packed bytes of the entries
  int nblock;
  bool failed; // an entry could not be allocated
};

rh_scene *rh_scene_new(void)
{
  rh_scene *scene = rh_alloc(sizeof *scene);
  for (int id = 0; scene && id < RH_SECTION_COUNT; id++) {
    union {
      rh_world_def world;
      rh_run_def run;
      rh_record_def record;
    } def;

    if (!rh_sections[id].list && !rh_sections[id].optional) {
      rh_section_default((rh_section_id)id, &def);
      if (rh_scene_put(scene, (rh_section_id)id, &def, NULL) == RH_NONE) {
        rh_scene_destroy(scene);
        return NULL;
      }
    }
  }
  return scene;
}

void rh_scene_destroy(rh_scene *scene)
{
  if (!scene) {
    return;
  }
  for (int id = 0; id < RH_SECTION_COUNT; id++) {
    rh_free(scene->list[id].item);
    rh_free(scene->list[id].origin);
  }
  for (int i = 0; i < scene->nkept; i++) {
    rh_free(scene->kept[i]);
  }
  rh_free(scene->kept);
  for (int i = 0; i < scene->nblock; i++) {
    rh_free(scene->block[i]);
  }
  rh_free(scene->block);
  rh_free(scene);
}

const char *rh_scene_keep(rh_scene *scene, const char *text)
{
  for (int i = 0; i < scene->nkept; i++) {
    if (strcmp(scene->kept[i], text) == 0) {
      return scene->kept[i];
    }
  }
  char **kept = rh_realloc(scene->kept, (size_t)(scene->nkept + 1) * sizeof *kept);
  if (!kept) {
    return NULL;
  }
  scene->kept = kept;
  size_t bytes = strlen(text) + 1;
  char *copy = rh_alloc(bytes);
  if (copy) {
    memcpy(copy, text, bytes);
    kept[scene->nkept++] = copy;
  }
  return copy;
}

static bool grow_list(scene_list *list, size_t size, bool origins)
{
  if (list->count == list->room) {
    int room = list->room ? 2 * list->room : 4;
    char *item = rh_realloc(list->item, (size_t)room * size);
    if (!item) {
      return false;
    }
    list->item = item;
    if (list->origin) {
      rh_origin *origin = rh_realloc(list->origin, (size_t)room * sizeof *origin);
      if (!origin) {
        return false;
      }
      list->origin = origin;
    }
    list->room = room;
  }
  if (origins && !list->origin) {
    list->origin = rh_alloc((size_t)list->room * sizeof *list->origin);
    return list->origin != NULL;
  }
  return true;
}

// A copy that lives as long as the scene; NULL: out of memory.
static const void *keep_block(rh_scene *scene, const void *from, size_t bytes)
{
  void **block = rh_realloc(scene->block, (size_t)(scene->nblock + 1) * sizeof *block);
  if (!block) {
    return NULL;
  }
  scene->block = block;
  void *copy = rh_alloc(bytes);
  if (copy) {
    memcpy(copy, from, bytes);
    block[scene->nblock++] = copy;
  }
  return copy;
}

static bool keep_all_numbers(rh_scene *scene, const rh_section *section, char *def)
{
  for (int i = 0; i < section->nfield; i++) {
    void *at = def + section->field[i].offset;
    rh_numbers *numbers = at;
    rh_packed *packed = at;
    if (section->field[i].param.type == RH_PACKED) {
      RH_ASSERT(packed->n >= 0 && (packed->n == 0 || packed->x));
      packed->x = packed->n > 0 ? keep_block(scene, packed->x, (size_t)packed->n) : NULL;
      if (packed->n > 0 && !packed->x) {
        return false;
      }
    }
    if (section->field[i].param.type != RH_NUMBERS) {
      continue;
    }
    RH_ASSERT(numbers->n >= 0 && (numbers->n == 0 || numbers->x));
    numbers->x =
        numbers->n > 0 ? keep_block(scene, numbers->x, (size_t)numbers->n * sizeof(double)) : NULL;
    if (numbers->n > 0 && !numbers->x) {
      return false;
    }
  }
  return true;
}

int rh_scene_put(rh_scene *scene, rh_section_id id, const void *def, const rh_origin *origin)
{
  scene_list *list = &scene->list[id];
  size_t size = rh_sections[id].size;
  if (!grow_list(list, size, origin != NULL)) {
    scene->failed = true;
    return RH_NONE;
  }
  char *item = list->item + (size_t)list->count * size;
  memcpy(item, def, size);
  if (!keep_all_numbers(scene, &rh_sections[id], item)) {
    scene->failed = true;
    return RH_NONE;
  }
  int index = list->count;
  if (!rh_sections[id].list && index > 0) { // a single section keeps the last entry given
    memcpy(list->item, item, size);
    index = 0;
  }
  if (list->origin) {
    list->origin[index] = origin ? *origin : (rh_origin){0};
  }
  list->count = index + 1;
  return index;
}

bool rh_scene_replace(rh_scene *scene, rh_section_id id, int index, const void *def)
{
  size_t size = rh_sections[id].size;
  RH_ASSERT(index >= 0 && index < scene->list[id].count);
  char *item = scene->list[id].item + (size_t)index * size;
  memcpy(item, def, size);
  return keep_all_numbers(scene, &rh_sections[id], item);
}

bool rh_scene_failed(const rh_scene *scene)
{
  return scene->failed;
}

int rh_scene_count(const rh_scene *scene, rh_section_id id)
{
  return scene->list[id].count;
}

const void *rh_scene_item(const rh_scene *scene, rh_section_id id, int index)
{
  RH_ASSERT(index >= 0 && index < scene->list[id].count);
  return scene->list[id].item + (size_t)index * rh_sections[id].size;
}

const rh_origin *rh_scene_origin(const rh_scene *scene, rh_section_id id, int index)
{
  static const rh_origin from_a_program;
  RH_ASSERT(index >= 0 && index < scene->list[id].count);
  return scene->list[id].origin ? &scene->list[id].origin[index] : &from_a_program;
}

// ---- Typed functions for programs. The cookie shows that the def came from its rh_x_default.

static int put_checked(rh_scene *scene, rh_section_id id, const void *def)
{
  union {
    int cookie;
#define RH_SECTION(id, way, name, defaults) rh_##name##_def name;
#include "sections.def"
#undef RH_SECTION
  } fresh;

  rh_section_default(id, &fresh);
  RH_ASSERT(*(const int *)def == fresh.cookie);
  return rh_scene_put(scene, id, def, NULL);
}

#define DEFINE_SET(name, id)                                                                       \
  void rh_scene_set_##name(rh_scene *scene, const rh_##name##_def *def)                            \
  {                                                                                                \
    (void)put_checked(scene, id, def);                                                             \
  }

#define DEFINE_ADD(name, id)                                                                       \
  int rh_scene_add_##name(rh_scene *scene, const rh_##name##_def *def)                             \
  {                                                                                                \
    return put_checked(scene, id, def);                                                            \
  }

#define RH_SECTION(id, way, name, defaults) DEFINE_##way(name, RH_SECTION_##id)
#include "sections.def"
#undef RH_SECTION
