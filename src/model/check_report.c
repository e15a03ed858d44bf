// check_report.c: what every check of a scene uses: the place of a value, errors, references by name.
#include "check.h"

#include <stdarg.h>
#include <stdio.h>

rh_place rh_check_place(const rh_check *c, rh_section_id id, int index, const char *key)
{
  const rh_section *s = &rh_sections[id];
  const rh_origin *origin = rh_scene_origin(c->scene, id, index);
  int field = key ? rh_section_find_field(s, key) : RH_NONE;
  if (field != RH_NONE && origin->field[field].file) {
    return origin->field[field];
  }
  for (int i = 0; i < s->nselect; i++) {
    const rh_row *row = rh_section_row(s, i, rh_scene_item(c->scene, id, index));
    int par = row && key ? rh_row_find(row, key) : RH_NONE;
    if (par != RH_NONE && origin->par[i][par].file) {
      return origin->par[i][par];
    }
  }
  return origin->whole;
}

void rh_complain(rh_check *c, rh_section_id id, int index, const char *key, const char *format, ...)
{
  char label[RH_NAME_MAX];
  char text[512];
  va_list list;
  c->errors++;
  if (rh_scene_origin(c->scene, id, index)->refused) {
    return;
  }
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  rh_scene_label(c->scene, id, index, label);
  rh_diag_add(c->diag, RH_ERROR, rh_check_place(c, id, index, key), "%s%s%s %s", label,
              key ? "." : "", key ? key : "", text);
}

int rh_check_find(rh_check *c, rh_section_id wanted, const char *name)
{
  return rh_name_index_find(&c->names[wanted], name);
}

// A name that must be known; reports the nearest known name otherwise.
int rh_check_reference(rh_check *c, rh_section_id id, int index, const char *key,
                       rh_section_id wanted)
{
  const rh_section *s = &rh_sections[id];
  const char *def = rh_scene_item(c->scene, id, index);
  const char *name =
      ((const rh_name *)(const void *)(def + s->field[rh_section_find_field(s, key)].offset))->text;
  int found = rh_check_find(c, wanted, name);
  if (found != RH_NONE) {
    return found;
  }
  if (name[0] == 0) {
    rh_complain(c, id, index, key, "is missing: name a %s", rh_sections[wanted].item);
    return RH_NONE;
  }
  const char *near = rh_nearest_name(name, c->names[wanted].name, c->names[wanted].count);
  rh_complain(c, id, index, key, "names no %s: '%s'%s%s%s", rh_sections[wanted].item, name,
              RH_DID_YOU_MEAN(near));
  return RH_NONE;
}
