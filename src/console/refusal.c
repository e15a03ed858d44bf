// refusal.c: the object that --json prints for a refused command. The parts of the program that
// print messages have no arguments, so the collection is a hook, set by main only.
#include "refusal.h"

#include <string.h>

static rh_refusals *hook; // NULL: nothing is collected

// "...; did you mean 'hertz'?" -> "hertz". False: no suggestion.
static bool find_suggestion(const char *text, char name[RH_NAME_MAX])
{
  static const char mark[] = "did you mean '";
  const char *at = strstr(text, mark);
  const char *end = at != NULL ? strstr(at, "'?") : NULL;
  if (end == NULL) {
    return false;
  }
  at += sizeof mark - 1;
  snprintf(name, RH_NAME_MAX, "%.*s", (int)(end - at), at);
  return true;
}

static void json_count(rh_json *json, const char *key, int value)
{
  if (value > 0) {
    rh_json_integer(json, key, value);
  } else {
    rh_json_null(json, key);
  }
}

void rh_json_message(rh_json *json, const rh_message *message)
{
  static const char *const severity[] = {"error", "warning", "note"};
  char name[RH_NAME_MAX];
  rh_json_open_object(json, NULL);
  rh_json_string(json, "severity", severity[message->severity]);
  rh_json_string(json, "file", message->place.file);
  json_count(json, "line", message->place.line);
  json_count(json, "column", message->place.column);
  rh_json_string(json, "message", message->text);
  rh_json_string(json, "suggestion", find_suggestion(message->text, name) ? name : NULL);
  rh_json_string(json, "source", message->source);
  rh_json_close(json);
}

void rh_refusals_begin(rh_refusals *refusals, const char *verb)
{
  *refusals = (rh_refusals){0};
  refusals->json = rh_json_start(&refusals->text, true);
  rh_json_open_object(&refusals->json, NULL);
  rh_json_string(&refusals->json, "routh", RH_VERSION);
  rh_json_string(&refusals->json, "verb", verb);
  rh_json_open_array(&refusals->json, "diagnostics");
  hook = refusals;
}

void rh_refusals_add(const rh_message *message)
{
  if (hook != NULL) {
    rh_json_message(&hook->json, message);
  }
}

void rh_refusals_take_stdout(void)
{
  if (hook != NULL) {
    hook->stdout_taken = true;
  }
}

void rh_refusals_drop(void)
{
  if (hook != NULL) {
    rh_text_free(&hook->text);
    hook = NULL;
  }
}

rh_status rh_refusals_end(rh_status status)
{
  rh_refusals *refusals = hook;
  if (refusals == NULL || status == RH_OK || refusals->stdout_taken) {
    rh_refusals_drop();
    return status;
  }
  hook = NULL;
  rh_json_close(&refusals->json);
  rh_json_string(&refusals->json, "status", rh_status_name(status));
  rh_json_integer(&refusals->json, "exit_code", rh_status_exit_code(status));
  rh_json_end(&refusals->json);
  rh_status printed = rh_text_print(&refusals->text, NULL);
  return printed == RH_OUT_OF_MEMORY ? printed : status;
}
