// schema.h: the sections of a scene as data. Each field of each def struct is one row: name, unit,
// default, range, offset. Defaults, the YAML reader, the writer, --print-scene, range checks and
// manual use it.
#ifndef ROUTH_MODEL_SCHEMA_H
#define ROUTH_MODEL_SCHEMA_H

#include <routh/scene.h>

typedef struct rh_schema_field {
  rh_param param;
  size_t offset; // in the def struct: double, double[], rh_list, int, bool, rh_name, rh_numbers or rh_path, by type
  bool required; // a scene without it is refused
} rh_schema_field;

typedef enum rh_section_id {
#define RH_SECTION(id, way, name, defaults) RH_SECTION_##id,
#include "sections.def"
#undef RH_SECTION
  RH_SECTION_COUNT
} rh_section_id;

#define RH_SELECT_MAX 3

typedef struct rh_selector {          // a field (RH_TEXT) that names a row
  int field;                          // which
  const rh_row *(*row_at)(int index); // the rows by number, NULL after the last
  const char *kind;                   // kind of the rows: "joint"
  size_t par_offset;                  // offset of double par[RH_PAR_MAX] in the def
  // The usual row, which depends on the row of another selector, number `by`. Its result NULL: this selector does not apply, and
  // its field is empty. NULL: it always applies, with the default of its field.
  const char *(*usual)(const void *def);
  int by;
} rh_selector;

enum { RH_RUN_ENGINE, RH_RUN_INTEGRATOR, RH_RUN_FORMULATION }; // selectors of the section run

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): in the order a reader asks
typedef struct rh_section {
  const char *name;     // key at the top of the scene
  const char *item;     // name of one entry in messages: "body"
  const char *doc;
  bool list;            // many entries, or one
  bool optional;        // one, or none
  size_t size;          // of the def struct
  const rh_schema_field *field;
  int nfield;
  rh_selector select[RH_SELECT_MAX]; // fields that name a row, whose parameters follow in the entry
  int nselect;
} rh_section;

extern const rh_section rh_sections[RH_SECTION_COUNT];

// The origin of the values of an entry: a place for each field, then one for each parameter of the
// row, then one for the entry as a whole. file == NULL: the default.
typedef struct rh_origin {
  rh_place field[32];
  rh_place par[RH_SELECT_MAX][RH_PAR_MAX]; // by selector and parameter
  rh_place whole;
  bool refused; // partly refused while it was read: its further errors are not reported
} rh_origin;

// A def with every field at its default (the row's parameters too, if the selector's default names a row).
void rh_section_default(rh_section_id id, void *def);
// Field index by key, RH_NONE if there is none.
int rh_section_find_field(const rh_section *section, const char *name);
// The row of this name, NULL if there is none.
const rh_row *rh_selector_find(const rh_selector *selector, const char *name);
// The row that selector number `which` of `def` names, NULL if there is no such selector or the
// name is unknown; and where its parameters are.
const rh_row *rh_section_row(const rh_section *section, int which, const void *def);
double *rh_section_par(const rh_section *section, int which, void *def);
// The selector that field is, RH_NONE if it is none.
int rh_section_selector_at(const rh_section *section, int field);
// False: another row leaves no place for the row of this selector (an integrator for an engine that has none).
bool rh_selector_applies(const rh_selector *selector, const void *def);

// ---- The store of an rh_scene: entries of each section with their origins.

// Adds an entry (list sections) or replaces the entry (single ones); numbers (rh_numbers) are copied and live as long as
// the scene. `origin` may be NULL. Index or RH_NONE (memory).
int rh_scene_put(rh_scene *scene, rh_section_id id, const void *def, const rh_origin *origin);
// Another def in the place of an entry; false: out of memory
bool rh_scene_replace(rh_scene *scene, rh_section_id id, int index, const void *def);
int rh_scene_count(const rh_scene *scene, rh_section_id id); // single sections: always 1, optional ones 0 or 1
const void *rh_scene_item(const rh_scene *scene, rh_section_id id, int index);
const rh_origin *rh_scene_origin(const rh_scene *scene, rh_section_id id, int index);
// Name of an entry in messages: its own, or "shapes.3". Writes at most RH_NAME_MAX characters.
void rh_scene_label(const rh_scene *scene, rh_section_id id, int index, char *label);
// All checks of a scene whose values were read: ranges, names, the tree, physical possibility. All
// errors are reported. The reader calls it even after its own errors, to report all.
rh_status rh_scene_check(const rh_scene *scene, rh_diag *diag);
// Keeps a copy of a file name as long as the scene lives, for places. NULL when out of memory.
const char *rh_scene_keep(rh_scene *scene, const char *text);
bool rh_scene_failed(const rh_scene *scene); // an entry is missing: it could not be allocated

rh_scene *rh_scene_new(void); // called by rh_scene_create (run/kinds.c); NULL: out of memory

#endif
