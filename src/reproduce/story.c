// story.c: the events of the runs of a figure in their order.
#include "figure.h"

const char *rh_within_word(bool within)
{
  return within ? "ok" : "OUTSIDE";
}

// The box of [WK] fig. 2.1 of an event.
static const char *box_of(rh_event_kind kind)
{
  switch (kind) {
  case RH_EVENT_TOUCH:
    return "position criterion: a constraint becomes active";
  case RH_EVENT_IMPACT:
    return "impact: velocities jump by the impact law";
  case RH_EVENT_SEPARATE:
    return "force or speed criterion: a constraint becomes inactive";
  case RH_EVENT_STICK:
    return "velocity criterion: sliding ends";
  case RH_EVENT_SLIP:
    return "friction limit: rolling or rest ends";
  case RH_EVENT_JAM:
    return "no finite force: an impulse (Kilmister and Reeve)";
  default:
    return "";
  }
}

static bool of_bounce(rh_event_kind kind)
{
  return kind == RH_EVENT_TOUCH || kind == RH_EVENT_IMPACT || kind == RH_EVENT_SEPARATE;
}

static void add_event(rh_table *table, const char *run, const rh_event *e)
{
  rh_table_add(table, "%s", run);
  rh_table_add(table, "%.9g", e->t);
  rh_table_add(table, "%s", rh_event_word(e->kind));
  rh_table_add(table, "%s", e->name);
  rh_table_add(table, "%.6g", e->before);
  rh_table_add(table, "%.6g", e->after);
  rh_table_add(table, "%s", box_of(e->kind));
}

static void add_gap(rh_table *table, long bounces)
{
  static const char *const cell[] = {"", "..."};
  for (int i = 0; i < 6; i++) {
    rh_table_add(table, "%s", cell[i == 1 || i == 2]);
  }
  rh_table_add(table, "%ld more impacts, ever smaller, until it rests", bounces);
}

rh_table *rh_redone_story(const rh_redone *redone)
{
  enum { BOUNCES = 2 };

  static const char *const head[] = {"run",    "t [s]", "event",          "contact",
                                     "before", "after", "box of fig. 2.1"};
  rh_table *table = rh_table_headed(head, RH_COUNT(head), 0x32);
  for (int run = 0; run < redone->nrun; run++) {
    const rh_events *events = &redone->trial[run].events;
    long bounces = 0;
    for (long i = 0; i < events->count; i++) {
      const rh_event *e = &events->event[i];
      bounces = of_bounce(e->kind) ? bounces + (e->kind == RH_EVENT_IMPACT) : 0;
      bool last = i + 1 == events->count || !of_bounce(events->event[i + 1].kind);
      if (bounces <= BOUNCES && !(bounces == BOUNCES && e->kind == RH_EVENT_TOUCH)) {
        add_event(table, i == 0 ? redone->figure->run[run].label : "", e);
      } else if (last) {
        add_gap(table, bounces - BOUNCES);
      }
    }
  }
  return table;
}
