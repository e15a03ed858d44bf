// scene_write.c: a scene as YAML with every value in force, one per line, defaults and the rows'
// parameters included. Numbers read back to the same bits, so a written scene reads back bit for
// bit. Infinite numbers are written .inf and -.inf; an empty name is "", an empty list []. NaN has
// no form in a scene and is omitted, as are empty sections.
#include "base/text.h"
#include "model/schema.h"

#include <math.h>
#include <string.h>

#define COMMENT_COLUMN 48
#define FULL_MAX       10000 // bodies; of more the defaults would be most of the text

typedef struct writer {
  rh_text out;
  bool places;
  bool brief; // only what is not the default
  const rh_section *section;
  const rh_origin *origin;
  bool first; // the next line begins a list entry
} writer;

// ---- Values

static void add_number(rh_text *out, double value)
{
  if (isinf(value)) {
    rh_text_add(out, value > 0 ? ".inf" : "-.inf");
  } else {
    rh_text_add_number(out, value);
  }
}

enum { A_LINE = 6 }; // numbers per line of a long list

// A long list, broken into lines; `*start` gets the start of the last line.
static void add_long_list(rh_text *out, const rh_numbers *list, size_t *start)
{
  rh_text_add(out, "[");
  for (int i = 0; i < list->n; i++) {
    bool turn = i > 0 && i % A_LINE == 0;
    rh_text_add(out, turn ? ",\n" : i > 0 ? ", " : "");
    if (turn) {
      *start = out->size;
      rh_text_add(out, "      ");
    }
    add_number(out, list->x[i]);
  }
  rh_text_add(out, "]");
}

enum { PACKED_LINE = 1000 }; // characters of packed bytes per line

static void add_packed(rh_text *out, const rh_packed *packed, size_t *start)
{
  rh_text_add(out, "[");
  for (int i = 0; i < packed->n; i += PACKED_LINE) {
    int n = packed->n - i < PACKED_LINE ? packed->n - i : PACKED_LINE;
    rh_text_add(out, i > 0 ? ",\n" : "");
    if (i > 0) {
      *start = out->size;
      rh_text_add(out, "      ");
    }
    rh_text_add(out, "\"");
    rh_text_add_bytes(out, packed->x + i, (size_t)n);
    rh_text_add(out, "\"");
  }
  rh_text_add(out, "]");
}

static void add_numbers(rh_text *out, const double *x, int n)
{
  rh_text_add(out, "[");
  for (int i = 0; i < n; i++) {
    rh_text_add(out, i > 0 ? ", " : "");
    add_number(out, x[i]);
  }
  rh_text_add(out, "]");
}

// Words that YAML readers do not take as text.
static bool plain_word(const char *text)
{
  static const char *const special[] = {"null", "true", "false", "yes", "no", "on",
                                        "off",  "y",    "n",     "inf", "nan"};
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
  if (!*text || !strchr(letters, *text)) {
    return false;
  }
  for (int i = 0; i < RH_COUNT(special); i++) {
    size_t j = 0;
    while (special[i][j] && (text[j] | 0x20) == special[i][j]) {
      j++;
    }
    if (!special[i][j] && !text[j]) {
      return false;
    }
  }
  return strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") ==
         strlen(text);
}

// `most`: bytes at `text`
static void add_quoted(rh_text *out, const char *text, size_t most)
{
  rh_text_add(out, "\"");
  for (size_t left = strnlen(text, most); left > 0;) { // values of programs may hold any byte
    unsigned code = 0;
    size_t n = rh_utf8_next(text, left, &code);
    if (n == 0 || code < 0x20 || (code >= 0x7f && code < 0xa0)) {
      rh_text_add(out, "?");
      n = n > 0 ? n : 1;
    } else {
      rh_text_add(out, code == '"' || code == '\\' ? "\\" : "");
      rh_text_add_bytes(out, text, n);
    }
    text += n;
    left -= n;
  }
  rh_text_add(out, "\"");
}

static void add_word(rh_text *out, const char *text)
{
  if (plain_word(text)) {
    rh_text_add(out, text);
  } else {
    add_quoted(out, text, RH_NAME_MAX);
  }
}

static void add_choice(rh_text *out, const char *choices, int index)
{
  for (int i = 0; i < index && *choices; i++) {
    choices += strcspn(choices, "|");
    choices += *choices == '|';
  }
  rh_text_add_bytes(out, choices, strcspn(choices, "|"));
}

// `*start`: start of the line; a value may have several lines.
static void add_field(rh_text *out, const rh_schema_field *field, const void *def, size_t *start)
{
  const void *at = (const char *)def + field->offset;
  switch (field->param.type) {
  case RH_NUMBER:
    add_number(out, *(const double *)at);
    return;
  case RH_VECTOR:
    add_numbers(out, at, field->param.count);
    return;
  case RH_LIST:
    add_numbers(out, ((const rh_list *)at)->x, ((const rh_list *)at)->n);
    return;
  case RH_INTEGER:
    rh_text_addf(out, "%d", *(const int *)at);
    return;
  case RH_FLAG:
    rh_text_add(out, *(const bool *)at ? "yes" : "no");
    return;
  case RH_CHOICE:
    add_choice(out, field->param.choices, *(const int *)at);
    return;
  case RH_TEXT:
    add_word(out, ((const rh_name *)at)->text);
    return;
  case RH_NUMBERS:
    add_long_list(out, at, start);
    return;
  case RH_PATH:
    add_quoted(out, ((const rh_path *)at)->text, RH_PATH_MAX);
    return;
  case RH_PACKED:
    add_packed(out, at, start);
    return;
  }
}

static void add_par(rh_text *out, const rh_param *param, const double *par)
{
  if (param->type == RH_VECTOR || param->type == RH_LIST) {
    add_numbers(out, par, param->count);
  } else if (param->type == RH_FLAG) {
    rh_text_add(out, *par != 0 ? "yes" : "no");
  } else if (param->type == RH_CHOICE) {
    add_choice(out, param->choices, (int)*par);
  } else {
    add_number(out, *par);
  }
}

// Is there a NaN among the numbers of a field?
static bool contains_nan(const rh_schema_field *field, const void *def)
{
  const void *at = (const char *)def + field->offset;
  const double *x = at;
  int n = field->param.type == RH_NUMBER   ? 1
          : field->param.type == RH_VECTOR ? field->param.count
                                           : 0;
  if (field->param.type == RH_LIST) {
    x = ((const rh_list *)at)->x;
    n = ((const rh_list *)at)->n;
  } else if (field->param.type == RH_NUMBERS) {
    x = ((const rh_numbers *)at)->x;
    n = ((const rh_numbers *)at)->n;
  }
  for (int i = 0; i < n; i++) {
    if (isnan(x[i])) {
      return true;
    }
  }
  return false;
}

// ---- Lines

static size_t begin_line(writer *w, const char *key)
{
  size_t start = w->out.size;
  rh_text_addf(&w->out, "%s%s: ", !w->section->list ? "  " : w->first ? "  - " : "    ", key);
  w->first = false;
  return start;
}

// `usual`: the value is the default.
static void end_line(writer *w, size_t start, const rh_place *place, bool usual)
{
  if (w->places) {
    rh_text_add(&w->out, " ");
    rh_text_pad(&w->out, start, COMMENT_COLUMN);
    if (place->file && strcmp(place->file, "-s") != 0) {
      rh_text_add(&w->out, "# ");
      for (const char *c = place->file; *c; c++) { // a file name must not end the comment
        rh_text_add_bytes(&w->out, (unsigned char)*c < 0x20 || *c == 0x7f ? "?" : c, 1);
      }
      rh_text_addf(&w->out, ":%d", place->line);
    } else {
      rh_text_add(&w->out, place->file ? "# -s" : usual ? "# default" : "# program");
    }
  }
  rh_text_add(&w->out, "\n");
}

static size_t bytes_of(const rh_param *param)
{
  switch (param->type) {
  case RH_NUMBER:
    return sizeof(double);
  case RH_VECTOR:
    return (size_t)param->count * sizeof(double);
  case RH_LIST:
    return sizeof(rh_list);
  case RH_INTEGER:
  case RH_CHOICE:
    return sizeof(int);
  case RH_FLAG:
    return sizeof(bool);
  case RH_NUMBERS:
  case RH_PACKED:
    return sizeof(int); // none, the default, or some
  case RH_PATH:
    return sizeof(rh_path);
  case RH_TEXT:
    break;
  }
  return sizeof(rh_name);
}

static void write_row(writer *w, int which, const char *def)
{
  const rh_row *row = rh_section_row(w->section, which, def);
  size_t offset = w->section->select[which].par_offset;
  const double *par = (const double *)(const void *)(def + offset);
  double usual[RH_PAR_MAX];
  if (row) {
    rh_row_defaults(row, usual);
  }
  for (int i = 0; row && i < row->nparam; i++) {
    int at = rh_row_offset(row, i);
    size_t bytes = (size_t)rh_param_size(&row->param[i]) * sizeof(double);
    bool same = memcmp(par + at, usual + at, bytes) == 0;
    if (!w->brief || !same) {
      size_t start = begin_line(w, row->param[i].name);
      add_par(&w->out, &row->param[i], par + at);
      end_line(w, start, &w->origin->par[which][i], same);
    }
  }
}

static void write_entry(writer *w, rh_section_id id, const char *def)
{
  union {
    double align;
    char bytes[4096];
  } usual;

  const rh_section *section = w->section;
  RH_ASSERT(section->size <= sizeof usual);
  rh_section_default(id, &usual);
  w->first = true;
  for (int i = 0; i < section->nfield; i++) {
    const rh_schema_field *field = &section->field[i];
    size_t at = field->offset;
    int which = rh_section_selector_at(section, i);
    bool applies = which == RH_NONE || rh_selector_applies(&section->select[which], def);
    bool same = memcmp(def + at, usual.bytes + at, bytes_of(&field->param)) == 0;
    bool empty = which != RH_NONE && !((const rh_name *)(const void *)(def + at))->text[0];
    bool brief = w->brief && same && (which == RH_NONE || empty) && !field->required;
    if (applies && !brief && !contains_nan(field, def)) {
      size_t start = begin_line(w, field->param.name);
      add_field(&w->out, field, def, &start);
      end_line(w, start, &w->origin->field[i], same);
    }
  }
  for (int which = 0; which < section->nselect; which++) {
    write_row(w, which, def);
  }
}

static char *write_scene(const rh_scene *scene, bool places, bool brief)
{
  writer w = {.places = places, .brief = brief};
  for (int id = 0; id < RH_SECTION_COUNT; id++) {
    int count = rh_scene_count(scene, (rh_section_id)id);
    size_t start = w.out.size;
    w.section = &rh_sections[id];
    if (count > 0) {
      rh_text_addf(&w.out, "%s:\n", w.section->name);
    }
    size_t head = w.out.size;
    for (int i = 0; i < count; i++) {
      w.origin = rh_scene_origin(scene, (rh_section_id)id, i);
      write_entry(&w, (rh_section_id)id, rh_scene_item(scene, (rh_section_id)id, i));
    }
    if (brief && w.out.size == head && w.out.data) { // all is default
      w.out.size = start;
      w.out.data[start] = '\0';
    }
  }
  char *text = rh_text_take(&w.out);
  if (!text) {
    rh_text_free(&w.out);
  }
  return text;
}

char *rh_scene_write(const rh_scene *scene, bool places)
{
  return write_scene(scene, places, rh_scene_count(scene, RH_SECTION_BODIES) > FULL_MAX);
}

char *rh_scene_write_brief(const rh_scene *scene)
{
  return write_scene(scene, false, true);
}
