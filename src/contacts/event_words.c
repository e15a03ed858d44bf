// Words and texts of events: their kind, and the bodies that meet.
#include "simulation.h"

#include <stdio.h>

static const struct {
  const char *word, *text;
} event_row[] = {

#define ROW(name, word, text) {word, text},
    RH_EVENT_LIST(ROW)
#undef ROW
};

const char *rh_event_word(rh_event_kind kind)
{
  RH_ASSERT((int)kind >= 0 && kind < RH_EVENT_COUNT);
  return event_row[kind].word;
}

void rh_event_bodies(const rh_model *model, const rh_event *event, char text[RH_BODIES_MAX])
{
  text[0] = '\0';
  if (event->body[0] != event->body[1] && event->body[0] >= 0 && event->body[1] >= 0) {
    (void)snprintf(text, RH_BODIES_MAX, "%s on %s",
                   rh_model_name(model, RH_OBJECT_BODY, event->body[0]),
                   rh_model_name(model, RH_OBJECT_BODY, event->body[1]));
  }
}

const char *rh_event_text(rh_event_kind kind)
{
  RH_ASSERT((int)kind >= 0 && kind < RH_EVENT_COUNT);
  return event_row[kind].text;
}

bool rh_event_is_impulse(rh_event_kind kind)
{
  return kind == RH_EVENT_IMPACT || kind == RH_EVENT_JAM || kind == RH_EVENT_BOUNCE ||
         kind == RH_EVENT_CATCH;
}

bool rh_event_is_verdict(rh_event_kind kind)
{
  return kind >= RH_EVENT_GAIN && kind < RH_EVENT_STOP; // the list has them together
}

bool rh_event_is_error(rh_event_kind kind)
{
  return kind == RH_EVENT_RESIDUE || kind == RH_EVENT_RESTITUTION || kind == RH_EVENT_UNRESOLVED;
}
