// caller.c: the caller of verbs inside another program, one per thread.
#include "caller.h"

#include "scene_io/yaml_doc.h"

#include <string.h>

#define MESSAGES_MAX 1000

static _Thread_local rh_caller *current; // NULL: the program is routh itself

void rh_caller_set(rh_caller *caller)
{
  current = caller;
  rh_file_give(caller != NULL ? caller->name : NULL, caller != NULL ? caller->text : NULL,
               caller != NULL ? caller->bytes : 0);
}

rh_caller *rh_caller_get(void)
{
  return current;
}

static char *copy_text(const char *text)
{
  size_t size = text != NULL ? strlen(text) + 1 : 0;
  char *copy = size > 0 ? rh_alloc(size) : NULL;
  if (copy != NULL) {
    memcpy(copy, text, size);
  }
  return copy;
}

void rh_caller_leave(void)
{
  if (current != NULL) {
    current->stop = NULL;
    current->progress = NULL;
  }
}

void rh_caller_keep(rh_caller *caller, const rh_message *message)
{
  size_t size = ((size_t)caller->nmessage + 1) * sizeof *caller->message;
  rh_message *larger = caller->nmessage < MESSAGES_MAX ? rh_realloc(caller->message, size) : NULL;
  if (larger == NULL) {
    return;
  }
  caller->message = larger;
  rh_message *m = &larger[caller->nmessage++];
  *m = *message;
  m->place.file = copy_text(message->place.file);
  m->text = copy_text(message->text);
  m->source = copy_text(message->source);
}

void rh_caller_pass(const rh_caller *caller, rh_diag *diag)
{
  for (int i = 0; i < caller->nmessage; i++) {
    const rh_message *m = &caller->message[i];
    rh_diag_add(diag, m->severity, m->place, "%s", m->text != NULL ? m->text : "out of memory");
  }
}

void rh_caller_free(rh_caller *caller)
{
  for (int i = 0; i < caller->nmessage; i++) {
    rh_free((char *)caller->message[i].place.file);
    rh_free((char *)caller->message[i].text);
    rh_free((char *)caller->message[i].source);
  }
  rh_free(caller->message);
  caller->message = NULL;
  caller->nmessage = 0;
  rh_text_free(&caller->out);
}
