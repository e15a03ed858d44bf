// cmd_paper.c: `routh paper`: redoes figures of the papers that the laws come from, each from its scene, and says how far
// the numbers are from those expected.
#include "figure.h"

#include "base/json.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const rh_figure *const figures[] = {
#define RH_FIGURE_SCENE(paper, name)
#define RH_FIGURE(name) &rh_figure_##name,
#include "figures.def"
#undef RH_FIGURE
#undef RH_FIGURE_SCENE
};

typedef struct paper {
  const char *name, *doc;
} paper;

static const paper papers[] = {
    {"mo", "Marhefka & Orin: simulation of contact using a nonlinear damping model"},
    {"af", "Azad & Featherstone: contact between a rolling sphere and a compliant ground plane"},
};

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

static void number_label(const rh_figure *figure, const rh_number *number, char *buffer,
                         size_t size)
{
  if (figure->sweep != NULL && number->of_sweep == NULL) {
    snprintf(buffer, size, "%s at %.6g", number->name, number->at);
  } else {
    snprintf(buffer, size, "%s", number->name);
  }
}

static rh_status print_numbers(const paper_job *job, const rh_redone *redone)
{
  static const char *const head[] = {"curve",    "number",     "unit",    "got",
                                     "expected", "difference", "allowed", "verdict"};
  const rh_figure *figure = redone->figure;
  rh_table *table = rh_table_create(RH_COUNT(head), 0x78);
  for (int i = 0; i < RH_COUNT(head); i++) {
    rh_table_add(table, "%s", head[i]);
  }
  for (int i = 0; i < figure->nexpect; i++) {
    const rh_number *number = &figure->expect[i];
    char label[2 * RH_NAME_MAX];
    number_label(figure, number, label, sizeof label);
    rh_table_add(table, "%s", figure->run[number->run].label);
    rh_table_add(table, "%s", label);
    rh_table_add(table, "%s", number->unit);
    rh_table_add(table, "%.10g", redone->got[i]);
    rh_table_add(table, "%.10g", number->want);
    rh_table_add(table, "%.1e", redone->got[i] - number->want);
    rh_table_add(table, "%.1e", rh_number_allowed(number));
    rh_table_add(table, "%s", verdict(rh_number_within(number, redone->got[i])));
  }
  rh_status status = rh_table_print(table, stdout, 2, rh_color_allowed(job->args, stdout));
  rh_table_destroy(table);
  return status;
}

static rh_status print_figure(const paper_job *job, const rh_redone *redone)
{
  const rh_figure *figure = redone->figure;
  printf("%s figure %d: %s\n  scene  %s\n", figure->paper, figure->number, figure->title,
         figure->scene.path);
  if (figure->note != NULL) {
    printf("  note   %s\n", figure->note);
  }
  putchar('\n');
  RH_TRY(print_numbers(job, redone));
  printf("\n  %d number%s, %s; the worst is off by %.2g of what is allowed\n", figure->nexpect,
         rh_plural(figure->nexpect), redone->within ? "all within tolerance" : "NOT all within",
         redone->worst);
  return RH_OK;
}

static void add_line(const paper_job *job, const rh_redone *redone)
{
  const rh_figure *figure = redone->figure;
  const rh_number *worst = &figure->expect[redone->worst_at];
  char label[2 * RH_NAME_MAX];
  number_label(figure, worst, label, sizeof label);
  rh_table_add(job->table, "%s %d", figure->paper, figure->number);
  rh_table_add(job->table, "%d", figure->nexpect);
  rh_table_add(job->table, "%s", verdict(redone->within));
  rh_table_add(job->table, "%.2g", redone->worst);
  rh_table_add(job->table, "%s, %s", figure->run[worst->run].label, label);
  rh_table_add(job->table, "%s", figure->title);
}

static void add_failure(paper_job *job, const rh_figure *figure)
{
  if (job->args->json) {
    rh_json_open_object(&job->json, NULL);
    rh_json_string(&job->json, "paper", figure->paper);
    rh_json_integer(&job->json, "figure", figure->number);
    rh_json_bool(&job->json, "within", false);
    rh_json_close(&job->json);
    return;
  }
  rh_table_add(job->table, "%s %d", figure->paper, figure->number);
  rh_table_add(job->table, "%d", figure->nexpect);
  rh_table_add(job->table, "NOT DONE");
  rh_table_add(job->table, "-");
  rh_table_add(job->table, "-");
  rh_table_add(job->table, "%s", figure->title);
}

static void json_figure(paper_job *job, const rh_redone *redone)
{
  const rh_figure *figure = redone->figure;
  rh_json *json = &job->json;
  rh_json_open_object(json, NULL);
  rh_json_string(json, "paper", figure->paper);
  rh_json_integer(json, "figure", figure->number);
  rh_json_string(json, "title", figure->title);
  rh_json_string(json, "note", figure->note);
  rh_json_string(json, "scene", figure->scene.path);
  rh_json_bool(json, "within", redone->within);
  rh_json_number(json, "worst", redone->worst);
  rh_json_open_array(json, "numbers");
  for (int i = 0; i < figure->nexpect; i++) {
    const rh_number *number = &figure->expect[i];
    char label[2 * RH_NAME_MAX];
    number_label(figure, number, label, sizeof label);
    rh_json_open_object(json, NULL);
    rh_json_string(json, "curve", figure->run[number->run].label);
    rh_json_string(json, "number", label);
    rh_json_string(json, "unit", number->unit);
    rh_json_number(json, "got", redone->got[i]);
    rh_json_number(json, "expected", number->want);
    rh_json_number(json, "difference", redone->got[i] - number->want);
    rh_json_number(json, "allowed", rh_number_allowed(number));
    rh_json_bool(json, "within", rh_number_within(number, redone->got[i]));
    rh_json_close(json);
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
  size_t size = strlen(job->folder) + 64;
  redone->picture = rh_alloc(size);
  if (redone->picture == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  snprintf(redone->picture, size, "%s%s%s-%d.%s", strcmp(job->folder, ".") == 0 ? "" : job->folder,
           strcmp(job->folder, ".") == 0 ? "" : "/", figure->paper, figure->number,
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

static bool wanted(const rh_figure *figure, const char *name, long number)
{
  return (name == NULL || strcmp(figure->paper, name) == 0) &&
         (number == 0 || figure->number == number);
}

static rh_status do_figures(paper_job *job, const char *name, long number)
{
  for (int i = 0; i < RH_COUNT(figures); i++) {
    if (!wanted(figures[i], name, number)) {
      continue;
    }
    rh_status status = do_figure(job, figures[i], number != 0);
    if (status != RH_OK && (number != 0 || status == RH_INTERRUPTED)) {
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
  static const char *const head[] = {"figure", "numbers", "scene", "what it shows"};
  rh_table *table = rh_table_create(RH_COUNT(head), 0x2);
  for (int i = 0; i < RH_COUNT(head); i++) {
    rh_table_add(table, "%s", head[i]);
  }
  for (int i = 0; i < RH_COUNT(figures); i++) {
    rh_table_add(table, "%s %d", figures[i]->paper, figures[i]->number);
    rh_table_add(table, "%d", figures[i]->nexpect);
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

static rh_status find_number(const rh_args *args, const char *name, long *number)
{
  const char *text = rh_args_text(args, "figure");
  char *end = NULL;
  *number = 0;
  if (text == NULL) {
    return RH_OK;
  }
  *number = strtol(text, &end, 10);
  for (int i = 0; *end == '\0' && *number > 0 && i < RH_COUNT(figures); i++) {
    if (wanted(figures[i], name, *number)) {
      return RH_OK;
    }
  }
  return rh_refuse(RH_WRONG_USAGE, "paper: %s has no figure %s here; 'routh paper' lists them",
                   name, text);
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

static rh_status print_scene(const char *name, long number)
{
  for (int i = 0; i < RH_COUNT(figures); i++) {
    if (number != 0 && wanted(figures[i], name, number)) {
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
  long number = 0;
  if (name == NULL && !all) {
    return rh_args_text(args, "figure") != NULL
               ? rh_refuse(RH_WRONG_USAGE, "paper: --figure needs the name of a paper")
               : list_figures(args);
  }
  paper_job job = {.args = args};
  if (name != NULL) {
    RH_TRY(find_paper(name));
    RH_TRY(find_number(args, name, &number));
  }
  if (rh_args_flag(args, "print-scene")) {
    return print_scene(name, number);
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
  rh_status status = do_figures(&job, name, number);
  if (status == RH_OK) {
    status = finish(&job, number != 0);
  }
  rh_text_free(&job.text);
  rh_table_destroy(job.table);
  return status;
}

static const rh_option option[] = {
    {.name = "figure", .value = "N", .doc = "this figure only, with all its numbers"},
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
    .more = "Without a name the papers and figures are listed. Each figure is run from its scene; "
            "exit status 1 if any number is outside its tolerance. Pictures need gnuplot.",
    .option = option,
    .noption = RH_COUNT(option),
    .example = example,
    .nexample = RH_COUNT(example),
    .words = "mo|af",
    .least = 0,
    .most = 1,
    .run = paper_verb,
};
