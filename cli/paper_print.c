// paper_print.c: a repeated figure, for people: its numbers, and the events of its runs.
#include "figure.h"

#include <string.h>

const char *rh_within_word(bool within)
{
  return within ? "ok" : "OUTSIDE";
}

static void add_values(rh_table *table, const rh_found *f)
{
  if (f->want_word[0] != '\0') {
    rh_table_add(table, "%s", f->got_word);
    rh_table_add(table, "%s", f->want_word);
    rh_table_add(table, "-");
    rh_table_add(table, "-");
  } else {
    rh_table_add(table, "%.10g", f->got);
    rh_table_add(table, "%.10g", f->want);
    rh_table_add(table, "%.1e", f->got - f->want);
    rh_table_add(table, "%.1e", f->allowed);
  }
}

static rh_status print_numbers(const rh_args *args, const rh_redone *redone)
{
  static const char *const head[] = {"curve",    "number",     "unit",    "got",
                                     "expected", "difference", "allowed", "verdict"};
  rh_table *table = rh_table_create(RH_COUNT(head), 0x78);
  for (int i = 0; i < RH_COUNT(head); i++) {
    rh_table_add(table, "%s", head[i]);
  }
  for (int i = 0; i < redone->nfound; i++) {
    const rh_found *f = &redone->found[i];
    rh_table_add(table, "%s", f->curve);
    rh_table_add(table, "%s", f->name);
    rh_table_add(table, "%s", f->unit);
    add_values(table, f);
    rh_table_add(table, "%s", rh_within_word(f->within));
  }
  rh_status status = rh_table_print(table, stdout, 2, rh_color_allowed(&args->request, stdout));
  rh_table_destroy(table);
  return status;
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
  rh_table *table = rh_table_create(RH_COUNT(head), 0x32);
  for (int i = 0; i < RH_COUNT(head); i++) {
    rh_table_add(table, "%s", head[i]);
  }
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

static rh_status print_story(const rh_args *args, const rh_redone *redone)
{
  rh_table *table = rh_redone_story(redone);
  rh_status status = rh_table_print(table, stdout, 2, rh_color_allowed(&args->request, stdout));
  rh_table_destroy(table);
  return status;
}

// Text after a word, in lines of limited length.
static void print_wrapped(const char *word, const char *text)
{
  enum { WIDTH = 110, INDENT = 9 };

  int column = INDENT;
  printf("  %-*s", INDENT - 2, word);
  while (*text != '\0') {
    int length = (int)strcspn(text, " ");
    if (column > INDENT && column + length > WIDTH) {
      printf("\n%*s", INDENT, "");
      column = INDENT;
    }
    printf("%s%.*s", column > INDENT ? " " : "", length, text);
    column += length + 1;
    text += length;
    text += *text == ' ';
  }
  putchar('\n');
}

rh_status rh_redone_print(const rh_args *args, const rh_redone *redone)
{
  const rh_figure *figure = redone->figure;
  char place[RH_NAME_MAX];
  rh_figure_place(figure, place, sizeof place);
  printf("%s %s: %s\n", figure->paper, place, figure->title);
  print_wrapped(figure->problems ? "file" : "scene", figure->scene.path);
  if (figure->note != NULL) {
    print_wrapped("note", figure->note);
  }
  if (figure->claim != NULL) {
    print_wrapped("claim", figure->claim);
  }
  putchar('\n');
  if (figure->story) {
    RH_TRY(print_story(args, redone));
    putchar('\n');
  }
  RH_TRY(print_numbers(args, redone));
  printf("\n  %d number%s, %s; the worst is off by %.2g of what is allowed\n", redone->nfound,
         rh_plural(redone->nfound), redone->within ? "all within tolerance" : "NOT all within",
         redone->worst);
  return RH_OK;
}
