// print.c: the tables of `routh list`, for people and as JSON.
#include "print.h"

#include <stdio.h>
#include <string.h>

rh_status rh_listed_print_parameters(const rh_listed *entry, bool markdown, bool color)
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

rh_status rh_listed_print_outputs(const rh_listed *entry, bool markdown, bool color)
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
rh_status rh_listing_print_rows(const rh_listing *listing, bool markdown, bool color)
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

rh_status rh_listings_print(rh_listing_at *at, bool color)
{
  rh_table *table = rh_table_create(3, 2);
  rh_table_add(table, "kind");
  rh_table_add(table, "rows");
  rh_table_add(table, "meaning");
  const rh_listing *kind = NULL;
  for (int i = 0; (kind = at(i)) != NULL; i++) {
    rh_table_add(table, "%s", kind->name);
    rh_table_add(table, "%d", kind->count());
    rh_table_add(table, "%s", kind->doc);
  }
  rh_status status = rh_table_print_page(table, 0, color);
  rh_table_destroy(table);
  return status;
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

rh_status rh_listing_json(const rh_listing *listing, int only, rh_listing_at *at)
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
  for (int i = 0; listing == NULL && (kind = at(i)) != NULL; i++) {
    rh_json_open_object(&json, NULL);
    rh_json_string(&json, "name", kind->name);
    rh_json_string(&json, "doc", kind->doc);
    rh_json_integer(&json, "rows", kind->count());
    rh_json_close(&json);
  }
  rh_json_end(&json);
  return rh_text_print(&text, NULL);
}
