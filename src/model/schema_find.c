// Fields, selectors and rows of the sections of a scene, by name or place, and their defaults.
#include "schema.h"

#include "kinds.h"

#include "impact/impact.h"

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

// ---- Defaults: one number or an empty text per field, and what is more than that

static void default_field(const rh_schema_field *f, void *def)
{
  char *at = (char *)def + f->offset;
  switch (f->param.type) {
  case RH_NUMBER:
    *(double *)(void *)at = f->param.def;
    break;
  case RH_VECTOR:
    for (int i = 0; i < f->param.count; i++) {
      ((double *)(void *)at)[i] = f->param.def;
    }
    break;
  case RH_INTEGER:
  case RH_CHOICE:
    *(int *)(void *)at = (int)f->param.def;
    break;
  case RH_FLAG:
    *(bool *)(void *)at = f->param.def != 0;
    break;
  case RH_LIST:
  case RH_TEXT:
  case RH_NUMBERS:
  case RH_PATH:
  case RH_PACKED:
    break; // empty
  }
}

enum { COOKIE = 0x52685f31 }; // a def that was not made by rh_x_default is caught by this

// The defaults other than one number or an empty text.
static void special_defaults(rh_section_id id, void *def)
{
  if (id == RH_SECTION_WORLD) {
    ((rh_world_def *)def)->gravity[2] = -9.81;
  } else if (id == RH_SECTION_JOINTS) {
    ((rh_joint_def *)def)->parent = rh_name_of("world");
  } else if (id == RH_SECTION_LOOPS) {
    ((rh_loop_def *)def)->to = rh_name_of("world");
  } else if (id == RH_SECTION_CONSTRAINTS) {
    ((rh_constraint_def *)def)->to = rh_name_of("world");
  } else if (id == RH_SECTION_CONTACTS) {
    ((rh_contact_def *)def)->friction = rh_name_of("none");
  } else if (id == RH_SECTION_RUN) {
    int count;
    const rh_engine *engine = rh_kinds_get()->engine_table(&count)[0];
    ((rh_run_def *)def)->engine = rh_name_of(engine->row.name);
    ((rh_run_def *)def)->integrator = rh_name_of(engine->integrator);
    ((rh_run_def *)def)->multi_impact = rh_name_of(rh_formulation_table(&count)[0]->row.name);
  } else if (id == RH_SECTION_HAPTIC) {
    ((rh_haptic_def *)def)->method = rh_name_of("iapb");
    ((rh_haptic_def *)def)->hand = rh_name_of("force");
  }
}

void rh_section_default(rh_section_id id, void *def)
{
  const rh_section *s = &rh_sections[id];
  memset(def, 0, s->size);
  *(int *)def = COOKIE;
  for (int i = 0; i < s->nfield; i++) {
    default_field(&s->field[i], def);
  }
  special_defaults(id, def);
  for (int i = 0; i < s->nselect; i++) {
    const rh_row *row = rh_section_row(s, i, def);
    if (row) {
      rh_row_defaults(row, rh_section_par(s, i, def));
    }
  }
}
