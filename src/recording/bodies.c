// bodies.c: the note of an event begins with its bodies: "ball on world: the impulse pulls". So a
// recording has them in words, older programs read it, and older recordings, without them, are read
// as well.
#include "private.h"

#include <stdio.h>
#include <string.h>

// The body that a text begins with, up to `end`; RH_NONE: none.
static int body_before(const rh_model *model, const char *text, const char *end)
{
  char name[RH_NAME_MAX];
  size_t length = (size_t)(end - text);
  if (length == 0 || length >= sizeof name) {
    return RH_NONE;
  }
  memcpy(name, text, length);
  name[length] = '\0';
  return rh_model_find(model, RH_OBJECT_BODY, name);
}

const char *rh_rec_take_bodies(const rh_model *model, const char *note, rh_event *event)
{
  static const char on[] = " on ";
  const char *middle = strstr(note, on);
  event->body[0] = event->body[1] = RH_NONE;
  if (middle == NULL) {
    return note;
  }
  const char *second = middle + strlen(on);
  const char *colon = strstr(second, ": ");
  const char *end = colon != NULL ? colon : second + strlen(second);
  int a = body_before(model, note, middle);
  int b = body_before(model, second, end);
  if (a == RH_NONE || b == RH_NONE) {
    return note; // an ordinary note
  }
  event->body[0] = a;
  event->body[1] = b;
  return colon != NULL ? colon + 2 : end;
}

// A name has no blanks in it, so the reader finds it again.
void rh_rec_put_bodies(const rh_model *model, const rh_event *event, char *note, size_t size)
{
  char bodies[RH_BODIES_MAX];
  rh_event_bodies(model, event, bodies);
  bool both = bodies[0] != '\0' && event->note[0] != '\0';
  (void)snprintf(note, size, "%s%s%s", bodies, both ? ": " : "", event->note);
}
