// cmd_list.c: `routh list`: the tables, from the same rows that read scenes. Also the reference
// pages (Markdown).
#include "tables.h"

#include <string.h>

static rh_status print_parameters(const rh_listed *entry, bool markdown, bool color)
{
  static const char *const head[] = {"name", "value", "unit", "default", "range", "meaning"};
  rh_table *table = rh_table_headed(head, RH_COUNT(head), 0);
  for (int i = 0; i < rh_listed_nparam(entry); i++) {
    const rh_param *param = rh_listed_param(entry, i);
    char text[3][256];
    rh_param_kind(param, text[0], sizeof text[0]);
    rh_param_default(entry, i, text[1], sizeof text[1]);
    rh_param_range(param, text[2], sizeof text[2]);
    const char *unit = param->unit == NULL || strcmp(param->unit, "1") == 0 ? "" : param->unit;
    const char *quote = markdown ? "`" : "";
    rh_table_add(table, "%s%s%s", quote, param->name, quote);
    rh_table_add(table, "%s", text[0]);
    rh_table_add(table, "%s", unit);
    rh_table_add(table, "%s", text[1]);
    rh_table_add(table, "%s", text[2]);
    rh_table_add(table, "%s", param->doc);
  }
  rh_status status =
      markdown ? rh_table_markdown(table, stdout) : rh_table_print_page(table, 2, color);
  rh_table_destroy(table);
  return status;
}

static rh_status print_outputs(const rh_listed *entry, bool markdown, bool color)
{
  static const char *const head[] = {"output", "shape", "unit", "meaning"};
  rh_table *table = rh_table_headed(head, RH_COUNT(head), 0);
  for (int i = 0; i < entry->noutput; i++) {
    const rh_output *output = &entry->output[i];
    rh_table_add(table, "%s", output->name);
    rh_table_add(table, "%s", output->shape);
    rh_table_add(table, "%s", strcmp(output->unit, "1") == 0 ? "" : output->unit);
    rh_table_add(table, "%s", output->doc);
  }
  putchar('\n');
  rh_status status =
      markdown ? rh_table_markdown(table, stdout) : rh_table_print_page(table, 2, color);
  rh_table_destroy(table);
  return status;
}

// "free - no constraint: position and unit quaternion; dof 6 ([RBDA] 4.5)", from the line of text on
static void entry_text(const rh_listing *listing, const rh_listed *entry, rh_text *text)
{
  const rh_row *row = &entry->row;
  rh_text_add(text, row->doc);
  if (listing->title != NULL && entry->extra[0] != '\0') {
    rh_text_addf(text, "; %s %s", listing->title, entry->extra);
  }
  if (row->cite != NULL && row->cite[0] != '\0') {
    rh_text_addf(text, " (%s)", row->cite);
  }
}

// One complete row.
static rh_status print_entry(const rh_listing *listing, const rh_listed *entry, bool markdown,
                             bool color)
{
  const rh_row *row = &entry->row;
  rh_text text = {0};
  entry_text(listing, entry, &text);
  if (text.failed) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  if (markdown) {
    printf("\n### %s\n\n%s\n\n", row->name, text.data);
  } else {
    int column = (int)strlen(row->name) + 2;
    printf("%s%s%s -", color ? "\033[1m" : "", row->name, color ? "\033[0m" : "");
    rh_wrap(stdout, text.data, 4, &column);
    puts("");
  }
  rh_text_free(&text);
  if (rh_listed_nparam(entry) > 0) {
    RH_TRY(print_parameters(entry, markdown, color));
  }
  return entry->noutput > 0 ? print_outputs(entry, markdown, color) : RH_OK;
}

static void add_names(rh_table *table, const rh_listed *entry)
{
  rh_text text = {0};
  for (int i = 0; i < rh_listed_nparam(entry); i++) {
    rh_text_addf(&text, "%s%s", i > 0 ? ", " : "", rh_listed_param(entry, i)->name);
  }
  rh_table_add(table, "%s", text.data != NULL ? text.data : "-");
  rh_text_free(&text);
}

// All rows, one line each.
static rh_status print_rows(const rh_listing *listing, bool markdown, bool color)
{
  bool params = false;
  for (int i = 0; i < listing->count(); i++) {
    rh_listed entry = {0};
    listing->get(i, &entry);
    params = params || rh_listed_nparam(&entry) > 0;
  }
  rh_table *table = rh_table_create(2 + (listing->title != NULL) + params, 0);
  rh_table_add(table, "name");
  if (listing->title != NULL) {
    rh_table_add(table, "%s", listing->title);
  }
  if (params) {
    rh_table_add(table, "parameters");
  }
  rh_table_add(table, "meaning");
  for (int i = 0; i < listing->count(); i++) {
    rh_listed entry = {0};
    listing->get(i, &entry);
    rh_table_add(table, "%s", entry.row.name);
    if (listing->title != NULL) {
      rh_table_add(table, "%s", entry.extra);
    }
    if (params) {
      add_names(table, &entry);
    }
    rh_table_add(table, "%s", entry.row.doc);
  }
  rh_status status =
      markdown ? rh_table_markdown(table, stdout) : rh_table_print_page(table, 0, color);
  rh_table_destroy(table);
  return status;
}

static rh_status print_all_entries(const rh_listing *listing, bool markdown, bool color)
{
  for (int i = 0; i < listing->count(); i++) {
    rh_listed entry = {0};
    listing->get(i, &entry);
    if (i > 0 && !markdown) {
      putchar('\n');
    }
    RH_TRY(print_entry(listing, &entry, markdown, color));
  }
  return RH_OK;
}

// docs/ref/scene.md: the sections, then the rows of their selectors.
static rh_status print_scene_reference(void)
{
  static const char *const chosen[] = {
      "joints",  "loops",       "shapes",      "laws",    "frictions", "impacts", "formulations",
      "engines", "integrators", "controllers", "methods", "couplings", "hands",   "pulses"};
  puts("# Scene reference\n\nMade by `routh list sections --markdown`; `../scenes.md` explains how "
       "to use it.\n\n"
       "## Sections");
  RH_TRY(print_all_entries(rh_listing_find("sections"), true, false));
  for (int i = 0; i < RH_COUNT(chosen); i++) {
    const rh_listing *listing = rh_listing_find(chosen[i]);
    printf("\n## Rows: %s\n", listing->name);
    RH_TRY(print_all_entries(listing, true, false));
  }
  return RH_OK;
}

// ---- JSON

static void json_parameters(rh_json *json, const rh_listed *entry)
{
  rh_json_open_array(json, "parameters");
  for (int i = 0; i < rh_listed_nparam(entry); i++) {
    const rh_param *param = rh_listed_param(entry, i);
    char kind[256];
    char value[256];
    rh_param_kind(param, kind, sizeof kind);
    rh_param_default(entry, i, value, sizeof value);
    rh_json_open_object(json, NULL);
    rh_json_string(json, "name", param->name);
    rh_json_string(json, "value", kind);
    rh_json_string(json, "unit", param->unit);
    rh_json_string(json, "default", value);
    rh_json_number(json, "least", param->lo);
    rh_json_number(json, "greatest", param->hi);
    rh_json_string(json, "doc", param->doc);
    rh_json_close(json);
  }
  rh_json_close(json);
}

static void json_outputs(rh_json *json, const rh_listed *entry)
{
  rh_json_open_array(json, "outputs");
  for (int i = 0; i < entry->noutput; i++) {
    rh_json_open_object(json, NULL);
    rh_json_string(json, "name", entry->output[i].name);
    rh_json_string(json, "shape", entry->output[i].shape);
    rh_json_string(json, "unit", entry->output[i].unit);
    rh_json_string(json, "doc", entry->output[i].doc);
    rh_json_close(json);
  }
  rh_json_close(json);
}

static void json_entry(rh_json *json, const rh_listing *listing, const rh_listed *entry)
{
  rh_json_open_object(json, NULL);
  rh_json_string(json, "name", entry->row.name);
  rh_json_string(json, "doc", entry->row.doc);
  rh_json_string(json, "cite", entry->row.cite);
  if (listing->title != NULL) {
    rh_json_string(json, listing->title, entry->extra);
  }
  json_parameters(json, entry);
  if (entry->noutput > 0) {
    json_outputs(json, entry);
  }
  rh_json_close(json);
}

static rh_status print_json(const rh_listing *listing, int only)
{
  rh_text text = {0};
  rh_json json = rh_json_result(&text);
  rh_json_string(&json, "kind", listing != NULL ? listing->name : "kinds");
  rh_json_open_array(&json, "rows");
  for (int i = 0; listing != NULL && i < listing->count(); i++) {
    rh_listed entry = {0};
    listing->get(i, &entry);
    if (only == RH_NONE || only == i) {
      json_entry(&json, listing, &entry);
    }
  }
  const rh_listing *kind = NULL;
  for (int i = 0; listing == NULL && (kind = rh_listing_get(i)) != NULL; i++) {
    rh_json_open_object(&json, NULL);
    rh_json_string(&json, "name", kind->name);
    rh_json_string(&json, "doc", kind->doc);
    rh_json_integer(&json, "rows", kind->count());
    rh_json_close(&json);
  }
  rh_json_end(&json);
  return rh_text_print(&text, NULL);
}

// ---- The verb

static rh_status print_kinds(bool color)
{
  rh_table *table = rh_table_create(3, 2);
  rh_table_add(table, "kind");
  rh_table_add(table, "rows");
  rh_table_add(table, "meaning");
  const rh_listing *kind = NULL;
  for (int i = 0; (kind = rh_listing_get(i)) != NULL; i++) {
    rh_table_add(table, "%s", kind->name);
    rh_table_add(table, "%d", kind->count());
    rh_table_add(table, "%s", kind->doc);
  }
  rh_status status = rh_table_print_page(table, 0, color);
  rh_table_destroy(table);
  return status;
}

static rh_status unknown_kind(const char *word)
{
  const char *names[32];
  int count = 0;
  for (const rh_listing *kind = NULL; (kind = rh_listing_get(count)) != NULL && count < 32;) {
    names[count++] = kind->name;
  }
  return rh_refuse_name("list", "kind", word, names, count);
}

static rh_status find_row(const rh_listing *listing, const char *word, int *index)
{
  const char *names[256];
  int count = listing->count();
  count = count > RH_COUNT(names) ? RH_COUNT(names) : count;
  for (int i = 0; i < count; i++) {
    rh_listed entry = {0};
    listing->get(i, &entry);
    names[i] = entry.row.name;
    if (strcmp(names[i], word) == 0) {
      *index = i;
      return RH_OK;
    }
  }
  char what[RH_NAME_MAX];
  snprintf(what, sizeof what, "entry of %s", listing->name);
  return rh_refuse_name("list", what, word, names, count);
}

static rh_status list_verb(const rh_args *args)
{
  bool color = rh_color_allowed(&args->request, stdout);
  bool markdown = rh_args_flag(args, "markdown");
  if (args->request.nfile == 0) {
    return args->request.json ? print_json(NULL, RH_NONE) : print_kinds(color);
  }
  const rh_listing *listing = rh_listing_find(args->request.file[0]);
  if (listing == NULL) {
    return unknown_kind(args->request.file[0]);
  }
  int only = RH_NONE;
  if (args->request.nfile == 2) {
    RH_TRY(find_row(listing, args->request.file[1], &only));
  }
  if (args->request.json) {
    return print_json(listing, only);
  }
  if (only != RH_NONE) {
    rh_listed entry = {0};
    listing->get(only, &entry);
    return print_entry(listing, &entry, markdown, color);
  }
  if (strcmp(listing->name, "sections") != 0) {
    return print_rows(listing, markdown, color);
  }
  return markdown ? print_scene_reference() : print_all_entries(listing, false, color);
}

static const rh_option option[] = {
    {.name = "markdown", .doc = "as a page of the manual"},
};

static const rh_example example[] = {
    {"list sections joints", "all fields of a joint, with units, defaults and ranges"},
    {"list joints revolute", "one row in full"},
};

#define WORD(id, text, further) #id "|"

const rh_verb rh_verb_list = {
    .row = {.name = "list",
            .cite = "",
            .doc = "What there is: sections, joints, shapes, engines, ..."},
    .group = "Trust",
    .usage = "[KIND [NAME]]",
    .more = "Without a kind the kinds are listed. The tables are those that read scenes, so they "
            "are complete.",
    .option = option,
    .noption = RH_COUNT(option),
    .example = example,
    .nexample = RH_COUNT(example),
    .words = RH_LISTINGS(WORD) "verbs|",
    .least = 0,
    .most = 2,
    .run = list_verb,
};
