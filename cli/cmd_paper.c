// cmd_paper.c: `routh paper`: redoes figures of the papers that the laws come from, each from its scene, and says how far
// the numbers are from those expected.
#include "figure.h"

#include "base/json.h"

#include <string.h>
#include <sys/stat.h>

static const rh_figure *const figures[] = {
#define RH_FIGURE_SCENE(paper, name)
#define RH_FIGURE_PROBLEMS(paper, name)
#define RH_FIGURE(name) &rh_figure_##name,
#include "figures.def"
#undef RH_FIGURE
#undef RH_FIGURE_PROBLEMS
#undef RH_FIGURE_SCENE
};

static const char *const figure_name[] = {
#define RH_FIGURE_SCENE(paper, name)
#define RH_FIGURE_PROBLEMS(paper, name)
#define RH_FIGURE(name) #name,
#include "figures.def"
#undef RH_FIGURE
#undef RH_FIGURE_PROBLEMS
#undef RH_FIGURE_SCENE
};

typedef struct paper {
  const char *name, *doc;
} paper;

static const paper papers[] = {
    {"mo", "Marhefka & Orin: simulation of contact using a nonlinear damping model"},
    {"af", "Azad & Featherstone: contact between a rolling sphere and a compliant ground plane"},
    {"wk", "Wang & Kumar: mechanical systems with multiple frictional contacts"},
};

int rh_paper_count(void)
{
  return RH_COUNT(papers);
}

rh_row rh_paper_row(int index)
{
  return (rh_row){.name = papers[index].name, .cite = "", .doc = papers[index].doc};
}

int rh_figure_count(void)
{
  return RH_COUNT(figures);
}

const rh_figure *rh_figure_get(int index, const char **name)
{
  *name = figure_name[index];
  return figures[index];
}

typedef struct paper_job {
  const rh_args *args;
  const char *folder;
  rh_text text; // JSON
  rh_json json;
  rh_table *table; // one line a figure
  int done, outside;
  rh_status failed; // why a figure could not be redone, where others were
} paper_job;

// ---- Saying

static const char *verdict(bool within)
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

static rh_status print_numbers(const paper_job *job, const rh_redone *redone)
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
    rh_table_add(table, "%s", verdict(f->within));
  }
  rh_status status = rh_table_print(table, stdout, 2, rh_color_allowed(job->args, stdout));
  rh_table_destroy(table);
  return status;
}

// Which box of [WK] fig. 2.1 an event belongs to.
static const char *box_of(rh_event_kind kind)
{
  switch (kind) {
  case RH_EVENT_TOUCH:
    return "position criterion: a constraint becomes active";
  case RH_EVENT_IMPACT:
    return "impact: velocities jump by the impact law";
  case RH_EVENT_PART:
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
  return kind == RH_EVENT_TOUCH || kind == RH_EVENT_IMPACT || kind == RH_EVENT_PART;
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

// The events of all runs in their order; of a sequence of bounces the first two.
static rh_status print_story(const paper_job *job, const rh_redone *redone)
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
  rh_status status = rh_table_print(table, stdout, 2, rh_color_allowed(job->args, stdout));
  rh_table_destroy(table);
  return status;
}

// Text behind a word, in lines of a bearable length.
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

static rh_status print_figure(const paper_job *job, const rh_redone *redone)
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
    RH_TRY(print_story(job, redone));
    putchar('\n');
  }
  RH_TRY(print_numbers(job, redone));
  printf("\n  %d number%s, %s; the worst is off by %.2g of what is allowed\n", redone->nfound,
         rh_plural(redone->nfound), redone->within ? "all within tolerance" : "NOT all within",
         redone->worst);
  return RH_OK;
}

static void add_line(const paper_job *job, const rh_redone *redone)
{
  const rh_figure *figure = redone->figure;
  const rh_found *worst = &redone->found[redone->worst_at];
  char label[RH_NAME_MAX];
  rh_table_add(job->table, "%s %s", figure->paper, rh_figure_label(figure, label));
  rh_table_add(job->table, "%d", redone->nfound);
  rh_table_add(job->table, "%s", verdict(redone->within));
  rh_table_add(job->table, "%.2g", redone->worst);
  rh_table_add(job->table, "%s, %s", worst->curve, worst->name);
  rh_table_add(job->table, "%s", figure->title);
}

static void add_failure(paper_job *job, const rh_figure *figure)
{
  char label[RH_NAME_MAX];
  rh_figure_label(figure, label);
  if (job->args->json) {
    rh_json_open_object(&job->json, NULL);
    rh_json_string(&job->json, "paper", figure->paper);
    rh_json_string(&job->json, "figure", label);
    rh_json_bool(&job->json, "within", false);
    rh_json_close(&job->json);
    return;
  }
  rh_table_add(job->table, "%s %s", figure->paper, label);
  rh_table_add(job->table, "-");
  rh_table_add(job->table, "NOT DONE");
  rh_table_add(job->table, "-");
  rh_table_add(job->table, "-");
  rh_table_add(job->table, "%s", figure->title);
}

static void json_found(rh_json *json, const rh_found *f)
{
  rh_json_open_object(json, NULL);
  rh_json_string(json, "curve", f->curve);
  rh_json_string(json, "number", f->name);
  rh_json_string(json, "unit", f->unit);
  if (f->want_word[0] != '\0') {
    rh_json_string(json, "got", f->got_word);
    rh_json_string(json, "expected", f->want_word);
  } else {
    rh_json_number(json, "got", f->got);
    rh_json_number(json, "expected", f->want);
    rh_json_number(json, "difference", f->got - f->want);
    rh_json_number(json, "allowed", f->allowed);
  }
  rh_json_bool(json, "within", f->within);
  rh_json_close(json);
}

static void json_figure(paper_job *job, const rh_redone *redone)
{
  const rh_figure *figure = redone->figure;
  rh_json *json = &job->json;
  char label[RH_NAME_MAX];
  rh_json_open_object(json, NULL);
  rh_json_string(json, "paper", figure->paper);
  rh_json_string(json, "figure", rh_figure_label(figure, label));
  rh_json_string(json, "title", figure->title);
  rh_json_string(json, "note", figure->note);
  rh_json_string(json, "claim", figure->claim);
  rh_json_string(json, "scene", figure->scene.path);
  rh_json_bool(json, "within", redone->within);
  rh_json_number(json, "worst", redone->worst);
  rh_json_open_array(json, "numbers");
  for (int i = 0; i < redone->nfound; i++) {
    json_found(json, &redone->found[i]);
  }
  rh_json_close(json);
  rh_json_string(json, "picture", redone->picture);
  rh_json_close(json);
}

// ---- Doing

static rh_status draw_figure(const paper_job *job, rh_redone *redone)
{
  const rh_figure *figure = redone->figure;
  if (rh_args_flag(job->args, "no-picture")) {
    return RH_OK;
  }
  size_t size = strlen(job->folder) + 2 * RH_NAME_MAX;
  redone->picture = rh_alloc(size);
  if (redone->picture == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  char label[RH_NAME_MAX];
  snprintf(redone->picture, size, "%s%s%s-%s.%s", strcmp(job->folder, ".") == 0 ? "" : job->folder,
           strcmp(job->folder, ".") == 0 ? "" : "/", figure->paper, rh_figure_label(figure, label),
           rh_args_flag(job->args, "png") ? "png" : "svg");
  return rh_redone_draw(redone, redone->picture);
}

static rh_status tell_figure(paper_job *job, const rh_redone *redone, bool alone)
{
  if (job->args->json) {
    json_figure(job, redone);
  } else if (alone) {
    RH_TRY(print_figure(job, redone));
  } else {
    add_line(job, redone);
  }
  if (redone->picture != NULL) {
    rh_say(job->args, "wrote %s", redone->picture);
  }
  return RH_OK;
}

static rh_status do_figure(paper_job *job, const rh_figure *figure, bool alone)
{
  rh_redone *redone = rh_alloc(sizeof *redone);
  if (redone == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  rh_status status = rh_figure_redo(job->args, figure, redone);
  if (status == RH_OK) {
    status = draw_figure(job, redone);
  }
  if (status == RH_OK) {
    status = tell_figure(job, redone, alone);
  }
  job->done++;
  job->outside += status == RH_OK && !redone->within;
  rh_redone_free(redone);
  rh_free(redone);
  return status;
}

static bool wanted(const rh_figure *figure, const char *name, const char *only)
{
  char label[RH_NAME_MAX];
  return (name == NULL || strcmp(figure->paper, name) == 0) &&
         (only == NULL || strcmp(rh_figure_label(figure, label), only) == 0);
}

static rh_status do_figures(paper_job *job, const char *name, const char *only)
{
  for (int i = 0; i < RH_COUNT(figures); i++) {
    if (!wanted(figures[i], name, only)) {
      continue;
    }
    rh_status status = do_figure(job, figures[i], only != NULL);
    if (status != RH_OK && (only != NULL || status == RH_INTERRUPTED)) {
      return status;
    }
    if (status != RH_OK) { // the others are worth having
      job->failed = status;
      add_failure(job, figures[i]);
    }
  }
  return RH_OK;
}

static rh_status finish(paper_job *job, bool alone)
{
  if (job->args->json) {
    rh_json_end(&job->json);
    RH_TRY(rh_text_print(&job->text, NULL));
  } else if (!alone) {
    RH_TRY(rh_table_print(job->table, stdout, 0, rh_color_allowed(job->args, stdout)));
    printf("%d figure%s, %d outside tolerance\n", job->done, rh_plural(job->done), job->outside);
  }
  return job->failed != RH_OK ? job->failed : job->outside > 0 ? RH_OUTSIDE_TOLERANCE : RH_OK;
}

// ---- Asking

static rh_status list_figures(const rh_args *args)
{
  static const char *const head[] = {"figure", "scene or problems", "what it shows"};
  rh_table *table = rh_table_create(RH_COUNT(head), 0);
  for (int i = 0; i < RH_COUNT(head); i++) {
    rh_table_add(table, "%s", head[i]);
  }
  for (int i = 0; i < RH_COUNT(figures); i++) {
    char label[RH_NAME_MAX];
    rh_table_add(table, "%s %s", figures[i]->paper, rh_figure_label(figures[i], label));
    rh_table_add(table, "%s", figures[i]->scene.path);
    rh_table_add(table, "%s", figures[i]->title);
  }
  for (int i = 0; i < RH_COUNT(papers); i++) {
    printf("%s  %s\n", papers[i].name, papers[i].doc);
  }
  putchar('\n');
  rh_status status = rh_table_print(table, stdout, 0, rh_color_allowed(args, stdout));
  rh_table_destroy(table);
  return status;
}

static rh_status find_paper(const char *name)
{
  const char *names[RH_COUNT(papers)];
  for (int i = 0; i < RH_COUNT(papers); i++) {
    names[i] = papers[i].name;
    if (strcmp(name, names[i]) == 0) {
      return RH_OK;
    }
  }
  const char *near = rh_nearest_name(name, names, RH_COUNT(papers));
  return rh_refuse(RH_WRONG_USAGE, "paper: there is no paper '%s'%s%s%s; 'routh paper' lists them",
                   name, near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                   near != NULL ? "'?" : "");
}

static rh_status find_figure(const char *name, const char *only)
{
  for (int i = 0; i < RH_COUNT(figures); i++) {
    if (wanted(figures[i], name, only)) {
      return RH_OK;
    }
  }
  return rh_refuse(RH_WRONG_USAGE, "paper: %s has no figure %s here; 'routh paper' lists them",
                   name, only);
}

static rh_status find_folder(const rh_args *args, const char **folder)
{
  struct stat info;
  *folder = rh_args_text(args, "output");
  if (*folder == NULL) {
    *folder = ".";
  } else if (stat(*folder, &info) != 0 || !S_ISDIR(info.st_mode)) {
    return rh_refuse(RH_OUTPUT_NOT_WRITTEN, "paper: '%s' is not a folder", *folder);
  }
  return RH_OK;
}

static rh_status print_scene(const char *name, const char *only)
{
  for (int i = 0; i < RH_COUNT(figures); i++) {
    if (only != NULL && wanted(figures[i], name, only)) {
      fputs(figures[i]->scene.text, stdout);
      return RH_OK;
    }
  }
  return rh_refuse(RH_WRONG_USAGE, "paper: --print-scene needs --figure N");
}

static rh_status paper_verb(const rh_args *args)
{
  const char *name = args->nfile > 0 ? args->file[0] : NULL;
  bool all = rh_args_flag(args, "all");
  const char *only = rh_args_text(args, "figure");
  if (name == NULL && !all) {
    return only != NULL ? rh_refuse(RH_WRONG_USAGE, "paper: --figure needs the name of a paper")
                        : list_figures(args);
  }
  paper_job job = {.args = args};
  if (name != NULL) {
    RH_TRY(find_paper(name));
    RH_TRY(find_figure(name, only));
  }
  if (rh_args_flag(args, "print-scene")) {
    return print_scene(name, only);
  }
  RH_TRY(find_folder(args, &job.folder));
  job.table = rh_table_create(6, 0xA);
  static const char *const head[] = {"figure",        "numbers",  "verdict",
                                     "worst/allowed", "which is", "title"};
  for (int i = 0; i < RH_COUNT(head); i++) {
    rh_table_add(job.table, "%s", head[i]);
  }
  job.json = rh_json_start(&job.text, true);
  rh_json_open_object(&job.json, NULL);
  rh_json_string(&job.json, "routh", RH_VERSION);
  rh_json_open_array(&job.json, "figures");
  rh_status status = do_figures(&job, name, only);
  if (status == RH_OK) {
    status = finish(&job, only != NULL);
  }
  rh_text_free(&job.text);
  rh_table_destroy(job.table);
  return status;
}

static const rh_option option[] = {
    {.name = "figure",
     .value = "N",
     .doc = "this figure (2.1), table (t3.1) or section (s3.2) only, with all numbers"},
    {.name = "all", .doc = "every figure of every paper"},
    {.name = "output", .letter = 'o', .value = "DIR", .doc = "where the pictures go; else here"},
    {.name = "png", .doc = "pictures as PNG instead of SVG"},
    {.name = "no-picture", .doc = "numbers only"},
    RH_OPTION_SET,
    {.name = "print-scene", .doc = "print the scene of the figure; run nothing"},
};

static const rh_example example[] = {
    {"paper mo --figure 4", "one figure: numbers, differences, picture mo-4.svg"},
    {"paper mo --figure 3 -s ground.n=1.5", "e does not depend on n: still within tolerance"},
    {"paper af --no-picture", "all figures of a paper, one line each"},
};

const rh_verb rh_verb_paper = {
    .row = {.name = "paper",
            .cite = "",
            .doc = "Redo figures of the papers and measure the difference."},
    .group = "Trust",
    .usage = "[NAME]",
    .more = "Without a name the papers and figures are listed. Each figure is run from its scene, "
            "or its problems are solved; "
            "exit status 1 if any number is outside its tolerance. Pictures need gnuplot.",
    .option = option,
    .noption = RH_COUNT(option),
    .example = example,
    .nexample = RH_COUNT(example),
    .words = "mo|af|wk",
    .least = 0,
    .most = 1,
    .run = paper_verb,
};
