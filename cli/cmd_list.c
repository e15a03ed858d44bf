// cmd_list.c: `routh list`: the tables, from the same rows that read scenes. Also the reference
// pages (Markdown).
#include "tables.h"

#include "catalog/print.h"

#include <string.h>

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
    RH_TRY(rh_listed_print_parameters(entry, markdown, color));
  }
  return entry->noutput > 0 ? rh_listed_print_outputs(entry, markdown, color) : RH_OK;
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

// ---- The verb

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
    return args->request.json ? rh_listing_json(NULL, RH_NONE, rh_listing_get)
                              : rh_listings_print(rh_listing_get, color);
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
    return rh_listing_json(listing, only, rh_listing_get);
  }
  if (only != RH_NONE) {
    rh_listed entry = {0};
    listing->get(only, &entry);
    return print_entry(listing, &entry, markdown, color);
  }
  if (strcmp(listing->name, "sections") != 0) {
    return rh_listing_print_rows(listing, markdown, color);
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
