// report.c: one page of all figures of `routh paper`: a paper, its figures, results and
// expected numbers, claims of the paper and their validity, errata, scenes. It is self-contained;
// the same figures give the same bytes.
#include "console/html.h"
#include "figure.h"

#include <string.h>

#define LONG_TABLE 12 // rows; a longer one is folded

typedef struct section { // of a paper
  rh_text contents, figures, scenes;
  int figure, outside, failed; // figures: all, with a number outside, not done
  int number, number_outside;
  const char *scene[64]; // paths of its scenes
  int nscene;
} section;

struct rh_report {
  const rh_request *request;
  section section[RH_PAPERS_MAX];
};

static const struct {
  const char *paper, *text;
} manual[] = {
    {"mo", rh_doc_mo}, {"af", rh_doc_af}, {"wk", rh_doc_wk}, {"ch", rh_doc_ch}, {"csc", rh_doc_csc},
};

static const char *manual_of(const char *paper)
{
  for (int i = 0; i < RH_COUNT(manual); i++) {
    if (strcmp(manual[i].paper, paper) == 0) {
      return manual[i].text;
    }
  }
  return "";
}

rh_report *rh_report_create(const rh_request *request)
{
  rh_report *report = rh_alloc(sizeof *report);
  if (report != NULL) {
    report->request = request;
  }
  return report;
}

void rh_report_destroy(rh_report *report)
{
  for (int i = 0; report != NULL && i < RH_PAPERS_MAX; i++) {
    rh_text_free(&report->section[i].contents);
    rh_text_free(&report->section[i].figures);
    rh_text_free(&report->section[i].scenes);
  }
  rh_free(report);
}

static section *section_of(rh_report *report, const char *paper)
{
  int i = 0;
  while (strcmp(rh_paper_row(i).name, paper) != 0) {
    i++;
  }
  return &report->section[i];
}

// An element with text in it.
static void put_element(rh_text *to, const char *open, const char *text, const char *close)
{
  rh_text_add(to, open);
  rh_html_text(to, text);
  rh_text_add(to, close);
}

// ---- Numbers

static void put_number(rh_text *to, const rh_found *f)
{
  char got[RH_NUMBER_MAX] = "";
  char want[RH_NUMBER_MAX] = "";
  char far[RH_NUMBER_MAX] = "";
  char allowed[RH_NUMBER_MAX] = "";
  bool word = f->want_word[0] != '\0';
  if (!word) {
    snprintf(got, sizeof got, "%.10g", f->got);
    snprintf(want, sizeof want, "%.10g", f->want);
    snprintf(far, sizeof far, "%.1e", f->got - f->want);
    snprintf(allowed, sizeof allowed, "%.1e", f->allowed);
  }
  rh_text_add(to, f->within ? "<tr>" : "<tr class=\"bad\">");
  put_element(to, "<td>", f->curve, "</td>");
  put_element(to, "<td>", f->name, "</td>");
  put_element(to, "<td>", f->unit != NULL ? f->unit : "", "</td>");
  put_element(to, "<td class=\"n\">", word ? f->got_word : got, "</td>");
  put_element(to, "<td class=\"n\">", word ? f->want_word : want, "</td>");
  put_element(to, "<td class=\"n\">", far, "</td>");
  put_element(to, "<td class=\"n\">", allowed, "</td>");
  rh_text_add(to, f->within ? "<td class=\"ok\">ok</td></tr>\n" : "<td>OUTSIDE</td></tr>\n");
}

static int count_outside(const rh_redone *redone)
{
  int outside = 0;
  for (int i = 0; i < redone->nfound; i++) {
    outside += !redone->found[i].within;
  }
  return outside;
}

// A long table is folded, unless it has a number outside.
static void put_numbers(rh_text *to, const rh_redone *redone)
{
  const char *open = redone->nfound <= LONG_TABLE || !redone->within ? " open" : "";
  rh_text_addf(to, "<details%s><summary>%d number%s: got, expected, difference</summary>\n", open,
               redone->nfound, rh_plural(redone->nfound));
  rh_text_add(to, "<div class=\"wide\"><table><thead><tr><th>curve or problem</th><th>number</th>"
                  "<th>unit</th><th class=\"n\">got</th><th class=\"n\">expected</th><th "
                  "class=\"n\">difference</th><th class=\"n\">allowed</th><th>verdict</th></tr>"
                  "</thead><tbody>\n");
  for (int i = 0; i < redone->nfound; i++) {
    put_number(to, &redone->found[i]);
  }
  rh_text_add(to, "</tbody></table></div></details>\n");
}

static void put_verdict(rh_text *to, const rh_redone *redone)
{
  int outside = count_outside(redone);
  const rh_found *worst = &redone->found[redone->worst_at];
  if (outside > 0) {
    rh_text_addf(to, "<p class=\"verdict bad\">%d of %d numbers OUTSIDE tolerance. ", outside,
                 redone->nfound);
  } else {
    rh_text_addf(to, "<p class=\"verdict ok\">%d number%s, all within tolerance. ", redone->nfound,
                 rh_plural(redone->nfound));
  }
  if (redone->nfound > 0) {
    rh_text_addf(to, "<span>Worst: %.2g of the tolerance (", redone->worst);
    rh_html_text(to, worst->curve);
    put_element(to, ", ", worst->name, ")</span>");
  }
  rh_text_add(to, "</p>\n");
}

// ---- Commands

// In single quotes, so that a shell takes it literally.
static void put_set(rh_text *to, const char *set)
{
  rh_text_add(to, " -s &#39;");
  for (const char *quote = NULL; (quote = strchr(set, '\'')) != NULL; set = quote + 1) {
    char *part = rh_alloc((size_t)(quote - set) + 1);
    if (part != NULL) {
      memcpy(part, set, (size_t)(quote - set));
      put_element(to, "", part, "&#39;\\&#39;&#39;");
    }
    rh_free(part);
  }
  put_element(to, "", set, "&#39;");
}

static const rh_scene_text *scene_of(const rh_figure *figure, int run)
{
  return figure->run[run].scene.path != NULL ? &figure->run[run].scene : &figure->scene;
}

// "scenes/papers/mo/fig2.yaml" -> "scene-mo-fig2-yaml"
static void put_scene_id(rh_text *to, const char *path)
{
  const char *prefix = "scenes/papers/";
  path += strncmp(path, prefix, strlen(prefix)) == 0 ? strlen(prefix) : 0;
  rh_text_add(to, "scene-");
  for (; *path != '\0'; path++) {
    bool plain = (*path >= 'a' && *path <= 'z') || (*path >= '0' && *path <= '9');
    rh_text_add_bytes(to, plain ? path : "-", 1);
  }
}

static void put_scene_link(rh_text *to, const char *path)
{
  rh_text_add(to, "<a href=\"#");
  put_scene_id(to, path);
  put_element(to, "\"><code>", path, "</code></a>");
}

// The scene goes to the end of the paper, once.
static void keep_scene(section *s, const rh_scene_text *scene)
{
  for (int i = 0; i < s->nscene; i++) {
    if (strcmp(s->scene[i], scene->path) == 0) {
      return;
    }
  }
  RH_ASSERT(s->nscene < RH_COUNT(s->scene));
  s->scene[s->nscene++] = scene->path;
  rh_text_add(&s->scenes, "<details id=\"");
  put_scene_id(&s->scenes, scene->path);
  put_element(&s->scenes, "\"><summary><code>", scene->path, "</code></summary><pre>");
  put_element(&s->scenes, "", scene->text, "</pre></details>\n");
}

static void put_command(rh_text *to, const rh_report *report, section *s, const rh_figure *figure)
{
  rh_text_add(to, "<p class=\"how\"><code>routh paper ");
  put_element(to, "", figure->paper, " --figure ");
  rh_html_text(to, figure->label);
  for (int i = 0; i < report->request->nset; i++) {
    put_set(to, report->request->set[i]);
  }
  rh_text_add(to, figure->problems ? "</code> problems " : "</code> scene ");
  put_scene_link(to, figure->scene.path);
  keep_scene(s, &figure->scene);
  rh_text_add(to, "</p>\n");
}

// Changes of each curve in its scene.
static void put_runs(rh_text *to, section *s, const rh_figure *figure)
{
  int n = 0;
  bool changes = false;
  for (; n < RH_FIGURE_RUNS && figure->run[n].label != NULL; n++) {
    changes = changes || figure->run[n].set[0] != NULL || figure->run[n].scene.path != NULL;
  }
  if (!changes && figure->sweep.set == NULL) {
    return;
  }
  rh_text_addf(to, "<details><summary>%d run%s of the scene", n, rh_plural(n));
  if (figure->sweep.set != NULL) {
    put_element(to, ", each over <code>", figure->sweep.set, "</code>");
    rh_text_addf(to, " from %g to %g", figure->sweep.from, figure->sweep.to);
  }
  rh_text_add(to, "</summary><ul class=\"runs\">\n");
  for (int i = 0; i < n; i++) {
    const rh_scene_text *scene = scene_of(figure, i);
    put_element(to, "<li>", figure->run[i].label[0] != '\0' ? figure->run[i].label : "the same",
                ": ");
    put_scene_link(to, scene->path);
    keep_scene(s, scene);
    rh_text_add(to, "<code>");
    for (int k = 0; k < RH_FIGURE_SETS && figure->run[i].set[k] != NULL; k++) {
      put_set(to, figure->run[i].set[k]);
    }
    rh_text_add(to, "</code></li>\n");
  }
  rh_text_add(to, "</ul></details>\n");
}

// ---- A figure

static void put_head(section *s, const rh_figure *figure, const char *verdict)
{
  char place[RH_NAME_MAX];
  rh_figure_place(figure, place, sizeof place);
  rh_text_addf(&s->figures, "<section class=\"figure\" id=\"%s-%s\">\n<h3>", figure->paper,
               figure->label);
  put_element(&s->figures, "<span>", place, "</span> ");
  put_element(&s->figures, "", figure->title, "</h3>\n");
  bool good = strcmp(verdict, "ok") == 0;
  rh_text_addf(&s->contents, "<li class=\"%s\"><a href=\"#%s-%s\">", good ? "ok" : "bad",
               figure->paper, figure->label);
  put_element(&s->contents, "", place, "</a> ");
  put_element(&s->contents, "<span>", figure->title, "</span>");
  put_element(&s->contents, good ? "<i>" : "<b>", verdict, good ? "</i></li>\n" : "</b></li>\n");
}

static void put_claim(rh_text *to, const rh_figure *figure)
{
  static const struct {
    const char *kind, *word;
  } verdict[] = {
      [RH_CLAIM_FAILS] = {"bad", "Does not hold as printed"},
      [RH_CLAIM_PARTLY] = {"part", "Holds in part"},
      [RH_CLAIM_HOLDS] = {"ok", "Holds"},
  };

  if (figure->claim != NULL) {
    rh_text_addf(to, "<p class=\"claim %s\"><b>%s.</b> ", verdict[figure->claim_holds].kind,
                 verdict[figure->claim_holds].word);
    put_element(to, "", figure->claim, "</p>\n");
  }
  if (figure->reference != NULL) {
    put_element(to, "<p class=\"note\"><b>Expected.</b> ", figure->reference, "</p>\n");
  }
  if (figure->note != NULL) {
    put_element(to, "<p class=\"note\"><b>Note.</b> ", figure->note, "</p>\n");
  }
}

void rh_report_figure(rh_report *report, const rh_redone *redone, const char *svg)
{
  const rh_figure *figure = redone->figure;
  section *s = section_of(report, figure->paper);
  rh_text *to = &s->figures;
  char name[2 * RH_NAME_MAX];
  snprintf(name, sizeof name, "%s-%s", figure->paper, figure->label);
  put_head(s, figure, rh_within_word(redone->within));
  put_verdict(to, redone);
  put_claim(to, figure);
  if (svg != NULL) {
    put_element(to, "<div class=\"picture\" role=\"img\" aria-label=\"", figure->title, "\">\n");
    rh_html_svg(to, svg, name);
    rh_text_add(to, "</div>\n");
  }
  if (figure->story) {
    rh_table *story = rh_redone_story(redone);
    rh_text_add(to, "<details><summary>Events in their order</summary><div class=\"wide\">\n");
    rh_table_html(story, to);
    rh_text_add(to, "</div></details>\n");
    rh_table_destroy(story);
  }
  put_numbers(to, redone);
  put_runs(to, s, figure);
  put_command(to, report, s, figure);
  rh_text_add(to, "</section>\n");
  s->figure++;
  s->outside += !redone->within;
  s->number += redone->nfound;
  s->number_outside += count_outside(redone);
}

void rh_report_failure(rh_report *report, const rh_figure *figure)
{
  section *s = section_of(report, figure->paper);
  put_head(s, figure, "NOT DONE");
  rh_text_add(&s->figures, "<p class=\"verdict bad\">NOT DONE: it could not be redone.</p>\n");
  put_claim(&s->figures, figure);
  put_command(&s->figures, report, s, figure);
  rh_text_add(&s->figures, "</section>\n");
  s->figure++;
  s->failed++;
}

// ---- The page

// Claims, errata and scenes after the figures of a paper, each with its count.
static void put_claims(rh_text *to, const char *paper, const char *heading, const char *kind)
{
  rh_text_addf(to, "<h3 id=\"%s-%s\">", paper, kind);
  rh_text_addf(to, "%s</h3>\n<ul class=\"points %s\">\n", heading, kind);
  rh_html_points(to, manual_of(paper), heading);
  rh_text_add(to, "</ul>\n");
}

static void put_section(rh_text *to, const section *s, rh_row paper)
{
  rh_text_addf(to, "<article id=\"%s\">\n<h2>", paper.name);
  put_element(to, "<span>", rh_paper_cite(paper.name), "</span> ");
  put_element(to, "", paper.doc, "</h2>\n");
  put_claims(to, paper.name, "What holds", "holds");
  put_claims(to, paper.name, "What does not", "not");
  rh_text_add(to, "<h3>Figures, tables and sections redone</h3>\n<ul class=\"contents\">\n");
  rh_text_add(to, s->contents.data);
  rh_text_add(to, "</ul>\n");
  rh_text_add(to, s->figures.data);
  rh_text_addf(to, "<section class=\"errata\" id=\"%s-errata\"><h3>Errata</h3>\n", paper.name);
  rh_text_add(to, "<div class=\"wide\"><table><thead><tr><th>where</th><th>printed</th><th>right, "
                  "and used</th><th>how it is known</th><th>file</th></tr></thead><tbody>\n");
  rh_html_rows(to, rh_doc_errata, rh_paper_cite(paper.name));
  rh_text_add(to, "</tbody></table></div></section>\n");
  rh_text_add(to, "<section class=\"scenes\"><h3>Scenes and problems</h3>\n");
  rh_text_add(to, s->scenes.data);
  rh_text_add(to, "</section>\n</article>\n");
}

static int count_points(const char *paper, const char *heading)
{
  rh_text none = {0};
  int n = rh_html_points(&none, manual_of(paper), heading);
  rh_text_free(&none);
  return n;
}

static int count_errata(const char *paper)
{
  rh_text none = {0};
  int n = rh_html_rows(&none, rh_doc_errata, rh_paper_cite(paper));
  rh_text_free(&none);
  return n;
}

static void put_summary_row(rh_text *to, const section *s, rh_row paper)
{
  rh_text_addf(to, "<tr%s><td><a href=\"#%s\">", s->outside + s->failed > 0 ? " class=\"bad\"" : "",
               paper.name);
  put_element(to, "", rh_paper_cite(paper.name), "</a> <span>");
  put_element(to, "", paper.doc, "</span></td>");
  rh_text_addf(to, "<td class=\"n\">%d</td><td class=\"n\">%d</td><td class=\"n\">%d</td>",
               s->figure, s->number, s->number - s->number_outside);
  rh_text_addf(to, "<td class=\"n\"><a href=\"#%s-holds\">%d</a></td>", paper.name,
               count_points(paper.name, "What holds"));
  rh_text_addf(to, "<td class=\"n\"><a href=\"#%s-not\">%d</a></td>", paper.name,
               count_points(paper.name, "What does not"));
  rh_text_addf(to, "<td class=\"n\"><a href=\"#%s-errata\">%d</a></td>", paper.name,
               count_errata(paper.name));
  rh_text_addf(to, "<td>%s</td></tr>\n",
               s->failed > 0    ? "NOT DONE"
               : s->outside > 0 ? "OUTSIDE"
                                : "ok");
}

static void put_summary(rh_text *to, const rh_report *report)
{
  section all = {0};
  rh_text_add(to, "<div class=\"wide\"><table class=\"summary\"><thead><tr><th>paper</th><th "
                  "class=\"n\">figures</th><th class=\"n\">numbers</th><th class=\"n\">within "
                  "tolerance</th><th class=\"n\">claims that hold</th><th class=\"n\">that do "
                  "not</th><th class=\"n\">errata</th><th>verdict</th></tr></thead><tbody>\n");
  for (int i = 0; i < rh_paper_count(); i++) {
    const section *s = &report->section[i];
    if (s->figure > 0) {
      put_summary_row(to, s, rh_paper_row(i));
    }
    all.figure += s->figure;
    all.number += s->number;
    all.number_outside += s->number_outside;
    all.failed += s->failed;
  }
  rh_text_add(to, "</tbody></table></div>\n");
  bool good = all.number_outside + all.failed == 0;
  rh_text_addf(to, "<p class=\"verdict %s\">%d figure%s, %d number%s: ", good ? "ok" : "bad",
               all.figure, rh_plural(all.figure), all.number, rh_plural(all.number));
  if (good) {
    rh_text_add(to, "all within tolerance.</p>\n");
  } else {
    rh_text_addf(to, "%d OUTSIDE tolerance", all.number_outside);
    if (all.failed > 0) {
      rh_text_addf(to, ", %d figure%s NOT DONE", all.failed, rh_plural(all.failed));
    }
    rh_text_add(to, ".</p>\n");
  }
}

static void put_page(rh_text *to, const rh_report *report)
{
  rh_text_add(to, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
                  "name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta "
                  "name=\"color-scheme\" content=\"light dark\">\n<title>Papers redone</title>\n"
                  "<style>\n");
  rh_text_add(to, rh_report_css);
  rh_text_add(to, "</style>\n</head>\n<body>\n<main>\n<h1>Papers redone</h1>\n");
  rh_text_add(to,
              "<p>Figures, tables and claims of the papers that Routh " RH_VERSION
              " is built on, each run anew from its scene and compared with numbers that were "
              "derived independently of the program: closed forms and reference computations "
              "(circles in the pictures, where they are points of a curve). A claim that does "
              "not hold, or holds in part only, is marked; printed equations that are wrong are "
              "listed in the errata, with the correct ones.</p>\n");
  put_summary(to, report);
  for (int i = 0; i < rh_paper_count(); i++) {
    if (report->section[i].figure > 0) {
      put_section(to, &report->section[i], rh_paper_row(i));
    }
  }
  rh_text_add(to, "</main>\n</body>\n</html>\n");
}

rh_status rh_report_write(const rh_report *report, const char *path)
{
  if (rh_memory_failed()) { // a figure may be missing for that reason: the older page stays
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory; %s is not written", path);
  }
  rh_text page = {0};
  for (int i = 0; i < rh_paper_count(); i++) {
    const section *s = &report->section[i];
    if (s->contents.failed || s->figures.failed || s->scenes.failed) {
      return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
    }
  }
  put_page(&page, report);
  return rh_text_print(&page, path);
}
