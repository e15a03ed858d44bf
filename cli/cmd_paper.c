// cmd_paper.c: `routh paper`: repeats figures of the papers of the laws, each from its scene, and
// reports the difference of the numbers from those expected.
#include "results.h"

#include <string.h>
#include <sys/stat.h>

typedef struct paper_job {
  const rh_args *args;
  const char *folder;
  char *page;        // file of the report; NULL: none, pictures go into the folder
  rh_report *report; // NULL: none
  rh_progress progress;
  rh_text text; // JSON
  rh_json json;
  rh_table *table; // one line per figure
  int done, outside;
  rh_status failed; // why a figure failed, where others did not
} paper_job;

// ---- Printing

static void add_line(const paper_job *job, const rh_redone *redone)
{
  const rh_figure *figure = redone->figure;
  const rh_found *worst = &redone->found[redone->worst_at];
  rh_table_add(job->table, "%s %s", figure->paper, figure->label);
  rh_table_add(job->table, "%d", redone->nfound);
  rh_table_add(job->table, "%s", rh_within_word(redone->within));
  rh_table_add(job->table, "%.2g", redone->worst);
  rh_table_add(job->table, "%s, %s", worst->curve, worst->name);
  rh_table_add(job->table, "%s", figure->title);
}

static void add_failure(paper_job *job, const rh_figure *figure)
{
  if (job->report != NULL) {
    rh_report_failure(job->report, figure);
  }
  if (job->args->request.json) {
    rh_json_open_object(&job->json, NULL);
    rh_json_string(&job->json, "paper", figure->paper);
    rh_json_string(&job->json, "figure", figure->label);
    rh_json_bool(&job->json, "within", false);
    rh_json_close(&job->json);
    return;
  }
  rh_table_add(job->table, "%s %s", figure->paper, figure->label);
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
  static const char *const holds[] = {
      [RH_CLAIM_FAILS] = "no", [RH_CLAIM_PARTLY] = "partly", [RH_CLAIM_HOLDS] = "yes"};
  const rh_figure *figure = redone->figure;
  rh_json *json = &job->json;
  rh_json_open_object(json, NULL);
  rh_json_string(json, "paper", figure->paper);
  rh_json_string(json, "figure", figure->label);
  rh_json_string(json, "title", figure->title);
  rh_json_string(json, "note", figure->note);
  rh_json_string(json, "claim", figure->claim);
  rh_json_string(json, "claim_holds", figure->claim != NULL ? holds[figure->claim_holds] : NULL);
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

// ---- Repeating figures

static rh_status draw_figure(const paper_job *job, rh_redone *redone)
{
  const rh_figure *figure = redone->figure;
  size_t size = strlen(job->folder) + 2 * RH_NAME_MAX;
  redone->picture = rh_alloc(size);
  if (redone->picture == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  snprintf(redone->picture, size, "%s%s%s-%s.%s", strcmp(job->folder, ".") == 0 ? "" : job->folder,
           strcmp(job->folder, ".") == 0 ? "" : "/", figure->paper, figure->label,
           rh_args_flag(job->args, "png") ? "png" : "svg");
  return rh_redone_draw(redone, redone->picture);
}

// Draws a picture into the page.
static rh_status report_figure(const paper_job *job, const rh_redone *redone)
{
  rh_text svg = {0};
  if (rh_args_flag(job->args, "no-picture")) {
    rh_report_figure(job->report, redone, NULL);
    return RH_OK;
  }
  rh_status status = rh_redone_render(redone, &svg);
  if (status == RH_OK) {
    rh_report_figure(job->report, redone, svg.data);
  }
  rh_text_free(&svg);
  return status;
}

static rh_status tell_figure(paper_job *job, const rh_redone *redone, bool alone)
{
  if (job->args->request.json) {
    json_figure(job, redone);
  } else if (alone) {
    RH_TRY(rh_redone_print(&job->args->request, redone));
  } else {
    add_line(job, redone);
  }
  if (redone->picture != NULL) {
    rh_say(&job->args->request, "wrote %s", redone->picture);
  }
  return RH_OK;
}

static rh_status do_figure(paper_job *job, const rh_figure *figure, bool alone)
{
  rh_redone *redone = rh_alloc(sizeof *redone);
  if (redone == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  rh_status status = rh_figure_redo(&job->args->request, figure, redone);
  if (status == RH_OK && job->report != NULL) {
    status = report_figure(job, redone);
  } else if (status == RH_OK && !rh_args_flag(job->args, "no-picture")) {
    status = draw_figure(job, redone);
  }
  rh_progress_end(&job->progress);
  if (status == RH_OK) {
    status = tell_figure(job, redone, alone);
  }
  job->done++;
  job->outside += status == RH_OK && !redone->within;
  rh_redone_free(redone);
  rh_free(redone);
  return status;
}

static bool is_wanted(const rh_figure *figure, const char *name, const char *only)
{
  return (name == NULL || strcmp(figure->paper, name) == 0) &&
         (only == NULL || strcmp(figure->label, only) == 0);
}

static void tell_progress(paper_job *job, const rh_figure *figure, int of)
{
  char what[2 * RH_NAME_MAX];
  snprintf(what, sizeof what, "%s %s", figure->paper, figure->label);
  rh_progress_count(&job->progress, job->done, of, what);
}

// After a failed figure the others are still useful, unless nothing can be written.
static bool goes_on(const paper_job *job, rh_status status, bool alone)
{
  return !alone && status != RH_INTERRUPTED &&
         (job->report == NULL || status != RH_OUTPUT_NOT_WRITTEN);
}

static rh_status do_figures(paper_job *job, const char *name, const char *only)
{
  int of = 0;
  for (int i = 0; i < rh_figure_count(); i++) {
    of += is_wanted(rh_figure_get(i), name, only);
  }
  job->progress = rh_progress_begin(&job->args->request, 0, of);
  for (int i = 0; i < rh_figure_count(); i++) {
    if (!is_wanted(rh_figure_get(i), name, only)) {
      continue;
    }
    if (of > 1) {
      tell_progress(job, rh_figure_get(i), of);
    }
    rh_status status = do_figure(job, rh_figure_get(i), only != NULL);
    if (status != RH_OK && !goes_on(job, status, only != NULL)) {
      return status;
    }
    if (status != RH_OK) {
      job->failed = status;
      add_failure(job, rh_figure_get(i));
    }
  }
  return RH_OK;
}

static rh_status finish_paper(paper_job *job, bool alone)
{
  if (job->args->request.json) {
    rh_json_end(&job->json);
    RH_TRY(rh_text_print(&job->text, NULL));
  } else if (!alone) {
    RH_TRY(rh_table_print(job->table, stdout, 0, rh_color_allowed(&job->args->request, stdout)));
    printf("%d figure%s, %d outside tolerance\n", job->done, rh_plural(job->done), job->outside);
  }
  if (job->report != NULL) {
    RH_TRY(rh_report_write(job->report, job->page));
    rh_say(&job->args->request, "wrote %s", job->page);
  }
  return job->failed != RH_OK ? job->failed : job->outside > 0 ? RH_OUTSIDE_TOLERANCE : RH_OK;
}

// ---- Options

static rh_status list_figures(const rh_args *args)
{
  if (args->request.json) {
    const char *kind = "papers";
    const rh_verb *list = rh_verb_find("list");
    return list->run(
        &(rh_args){.verb = list, .request = {.file = &kind, .nfile = 1, .json = true}});
  }
  static const char *const head[] = {"figure", "scene or problems", "contents"};
  rh_table *table = rh_table_headed(head, RH_COUNT(head), 0);
  for (int i = 0; i < rh_figure_count(); i++) {
    rh_table_add(table, "%s %s", rh_figure_get(i)->paper, rh_figure_get(i)->label);
    rh_table_add(table, "%s", rh_figure_get(i)->scene.path);
    rh_table_add(table, "%s", rh_figure_get(i)->title);
  }
  for (int i = 0; i < rh_paper_count(); i++) {
    int column = printf("%-4s", rh_paper_row(i).name);
    rh_wrap(stdout, rh_paper_row(i).doc, 4, &column);
    putchar('\n');
  }
  putchar('\n');
  rh_status status = rh_table_print_page(table, 0, rh_color_allowed(&args->request, stdout));
  rh_table_destroy(table);
  return status;
}

static rh_status find_paper(const char *name)
{
  const char *names[RH_PAPERS_MAX];
  for (int i = 0; i < rh_paper_count(); i++) {
    names[i] = rh_paper_row(i).name;
    if (strcmp(name, names[i]) == 0) {
      return RH_OK;
    }
  }
  return rh_refuse_name("paper", "paper", name, names, rh_paper_count());
}

static rh_status find_figure(const char *name, const char *only)
{
  const char *names[RH_FIGURES_MAX];
  char what[RH_NAME_MAX + 16];
  int n = 0;
  for (int i = 0; i < rh_figure_count(); i++) {
    if (is_wanted(rh_figure_get(i), name, only)) {
      return RH_OK;
    }
    if (strcmp(rh_figure_get(i)->paper, name) == 0) {
      names[n] = rh_figure_get(i)->label;
      n++;
    }
  }
  snprintf(what, sizeof what, "figure of %s", name);
  return rh_refuse_name("paper", what, only, names, n);
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

// Reported now, not after all the work.
static rh_status try_to_write(const char *page)
{
  rh_outfile output;
  if (!rh_outfile_open(&output, page)) {
    return rh_file_refuse(page, output.error);
  }
  (void)rh_outfile_close(&output, false);
  return output.error == 0 ? RH_OK : rh_file_refuse(page, output.error);
}

// `everything`: a page is written in any case.
static rh_status find_output(paper_job *job, bool everything)
{
  const char *output = rh_args_text(job->args, "output");
  bool page = output != NULL && rh_file_has_ending(output, ".html");
  if (!page) {
    RH_TRY(find_folder(job->args, &job->folder));
  }
  if (!page && !everything) {
    return RH_OK;
  }
  if (rh_args_flag(job->args, "png")) {
    return rh_refuse(RH_WRONG_USAGE, "paper: the pictures of a page are SVG; omit --png");
  }
  size_t size = (output == NULL ? 0 : strlen(output)) + sizeof "/papers.html";
  job->page = rh_alloc(size);
  job->report = rh_report_create(&job->args->request);
  if (job->page == NULL || job->report == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  snprintf(job->page, size, "%s%s%s", output == NULL ? "" : output,
           output == NULL || page ? "" : "/", page ? "" : "papers.html");
  return try_to_write(job->page);
}

static rh_status print_scene(const char *name, const char *only)
{
  for (int i = 0; i < rh_figure_count(); i++) {
    if (only != NULL && is_wanted(rh_figure_get(i), name, only)) {
      return rh_file_write(NULL, rh_figure_get(i)->scene.text);
    }
  }
  return rh_refuse(RH_WRONG_USAGE, "paper: --print-scene needs --figure N");
}

static rh_status do_job(paper_job *job, const char *name, const char *only)
{
  static const char *const head[] = {"figure",        "numbers",  "verdict",
                                     "worst/allowed", "which is", "title"};
  job->table = rh_table_headed(head, RH_COUNT(head), 0xA);
  job->json = rh_json_start(&job->text, true);
  rh_json_open_object(&job->json, NULL);
  rh_json_string(&job->json, "routh", RH_VERSION);
  rh_json_open_array(&job->json, "figures");
  rh_status status = do_figures(job, name, only);
  if (status == RH_OK) {
    status = finish_paper(job, only != NULL);
  }
  rh_text_free(&job->text);
  rh_table_destroy(job->table);
  return status;
}

static rh_status paper_verb(const rh_args *args)
{
  RH_TRY(rh_papers_load());
  const char *name = args->request.nfile > 0 ? args->request.file[0] : NULL;
  bool everything = name != NULL && strcmp(name, "all") == 0;
  bool all = everything || rh_args_flag(args, "all");
  const char *only = rh_args_text(args, "figure");
  name = everything ? NULL : name;
  if (name == NULL && only != NULL) {
    return rh_refuse(RH_WRONG_USAGE, "paper: --figure needs the name of a paper");
  }
  if (name == NULL && !all) {
    return list_figures(args);
  }
  if (name != NULL) {
    RH_TRY(find_paper(name));
    RH_TRY(find_figure(name, only));
  }
  if (rh_args_flag(args, "print-scene")) {
    return print_scene(name, only);
  }
  paper_job job = {.args = args};
  rh_status status = find_output(&job, everything);
  if (status == RH_OK) {
    status = do_job(&job, name, only);
  }
  rh_report_destroy(job.report);
  rh_free(job.page);
  return status;
}

static const rh_option option[] = {
    {.name = "figure",
     .value = "N",
     .from = "figures",
     .doc = "this figure (2.1), table (t3.1) or section (s3.2) only, with all numbers"},
    {.name = "all", .doc = "every figure of every paper"},
    {.name = "output",
     .letter = 'o',
     .value = "DIR|FILE",
     .doc = "folder of the pictures, or FILE.html: one page of all"},
    {.name = "png", .doc = "pictures as PNG instead of SVG"},
    {.name = "no-picture", .doc = "numbers only"},
    RH_OPTION_SET,
    RH_OPTION_PROGRESS,
    {.name = "print-scene", .doc = "print the scene of the figure; run nothing"},
};

static const rh_example example[] = {
    {"paper mo --figure 4", "one figure: numbers, differences, picture mo-4.svg"},
    {"paper mo --figure 3 -s ground.n=1.5", "e does not depend on n: still within tolerance"},
    {"paper af --no-picture", "all figures of a paper, one line each"},
    {"paper all -o papers.html", "one page: pictures, numbers, claims, errata"},
};

const rh_verb rh_verb_paper = {
    .row = {.name = "paper",
            .cite = "",
            .doc = "Redo figures of the papers and measure the difference."},
    .group = "Trust",
    .usage = "[NAME|all]",
    .more = "Without a name the papers and figures are listed; all makes one page of all papers, "
            "papers.html. Each figure is run from its scene, "
            "or its problems are solved; "
            "exit status 1 if any number is outside its tolerance. Pictures need gnuplot.",
    .option = option,
    .noption = RH_COUNT(option),
    .example = example,
    .nexample = RH_COUNT(example),
    .words = "all|mo|af|wk|ch|csc",
    .least = 0,
    .most = 1,
    .run = paper_verb,
};
