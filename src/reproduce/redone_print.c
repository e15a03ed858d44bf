// redone_print.c: a repeated figure, for people: its numbers, and the events of its runs.
#include "figure.h"

#include <string.h>

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

static rh_status print_numbers(const rh_request *request, const rh_redone *redone)
{
  static const char *const head[] = {"curve",    "number",     "unit",    "got",
                                     "expected", "difference", "allowed", "verdict"};
  rh_table *table = rh_table_headed(head, RH_COUNT(head), 0x78);
  for (int i = 0; i < redone->nfound; i++) {
    const rh_found *f = &redone->found[i];
    rh_table_add(table, "%s", f->curve);
    rh_table_add(table, "%s", f->name);
    rh_table_add(table, "%s", f->unit);
    add_values(table, f);
    rh_table_add(table, "%s", rh_within_word(f->within));
  }
  rh_status status = rh_table_print(table, stdout, 2, rh_color_allowed(request, stdout));
  rh_table_destroy(table);
  return status;
}

static rh_status print_story(const rh_request *request, const rh_redone *redone)
{
  rh_table *table = rh_redone_story(redone);
  rh_status status = rh_table_print(table, stdout, 2, rh_color_allowed(request, stdout));
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

rh_status rh_redone_print(const rh_request *request, const rh_redone *redone)
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
    RH_TRY(print_story(request, redone));
    putchar('\n');
  }
  RH_TRY(print_numbers(request, redone));
  printf("\n  %d number%s, %s; the worst is off by %.2g of what is allowed\n", redone->nfound,
         rh_plural(redone->nfound), redone->within ? "all within tolerance" : "NOT all within",
         redone->worst);
  return RH_OK;
}
