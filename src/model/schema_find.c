// Fields, selectors and rows of the sections of a scene, by name or place.
#include "schema.h"

#include <string.h>

int rh_section_find_field(const rh_section *section, const char *name)
{
  for (int i = 0; i < section->nfield; i++) {
    if (strcmp(section->field[i].param.name, name) == 0) {
      return i;
    }
  }
  return RH_NONE;
}

const rh_row *rh_selector_find(const rh_selector *selector, const char *name)
{
  for (int i = 0; selector->row_at(i); i++) {
    if (strcmp(selector->row_at(i)->name, name) == 0) {
      return selector->row_at(i);
    }
  }
  return NULL;
}

const rh_row *rh_section_row(const rh_section *section, int which, const void *def)
{
  if (which >= section->nselect) {
    return NULL;
  }
  const rh_selector *selector = &section->select[which];
  if (!rh_selector_applies(selector, def)) {
    return NULL;
  }
  const void *name = (const char *)def + section->field[selector->field].offset;
  return rh_selector_find(selector, ((const rh_name *)name)->text);
}

double *rh_section_par(const rh_section *section, int which, void *def)
{
  return (double *)(void *)((char *)def + section->select[which].par_offset);
}

int rh_section_selector_at(const rh_section *section, int field)
{
  for (int i = 0; i < section->nselect; i++) {
    if (section->select[i].field == field) {
      return i;
    }
  }
  return RH_NONE;
}

bool rh_selector_applies(const rh_selector *selector, const void *def)
{
  return selector->usual == NULL || selector->usual(def) != NULL;
}

const char *rh_scene_section(int index, bool *list)
{
  bool known = index >= 0 && index < RH_SECTION_COUNT;
  if (known && list) {
    *list = rh_sections[index].list;
  }
  return known ? rh_sections[index].name : NULL;
}
