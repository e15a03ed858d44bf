// figure_read.c: the figures of a paper from YAML: scenes/papers/<paper>/figures.yaml. Every key of a
// map is a row of a table here; all errors are reported with their place.
#include "figure_read.h"

#include <string.h>

#define READ(r, map, what, fields, to)                                                             \
  rh_figure_read_map((r), (map), (what), (fields), RH_COUNT(fields), (to))

// ---- Parts of a figure

static bool read_one_run(const rh_figure_reader *r, int node, int i)
{
  static const rh_figure_field fields[] = {
      RH_KEY_NEEDED(rh_figure_run, label, "label", TEXT),
      RH_KEY(rh_figure_run, scene, "scene", SCENE),
      RH_KEY(rh_figure_run, set, "set", WORDS),
  };
  rh_figure_run run = {0}; // it is no run of the figure while it is read
  bool good = READ(r, node, "a run", fields, &run);
  for (int k = 0; good && k < i; k++) {
    if (strcmp(r->figure->run[k].label, run.label) == 0) {
      good = rh_input_refuse(&r->in, node, "there is another run '%.60s'", run.label);
    }
  }
  run.label = run.label != NULL ? run.label : "";
  r->figure->run[i] = run;
  return good;
}

static bool read_panel(const rh_figure_reader *r, int node, int i)
{
  static const rh_figure_field fields[] = {
      RH_KEY_NEEDED(rh_panel, x, "x", TEXT),
      RH_KEY(rh_panel, x_unit, "x_unit", TEXT),
      RH_KEY_NEEDED(rh_panel, y, "y", TEXT),
      RH_KEY(rh_panel, y_unit, "y_unit", TEXT),
      RH_KEY(rh_panel, y2, "y2", TEXT),
      RH_KEY(rh_panel, y2_unit, "y2_unit", TEXT),
      RH_KEY(rh_panel, log_x, "log_x", FLAG),
      RH_KEY(rh_panel, x_lo, "x_range", RANGE),
      RH_KEY(rh_panel, y_lo, "y_range", RANGE),
      RH_KEY(rh_panel, line, "line", NUMBER),
      RH_KEY(rh_panel, line_name, "line_name", TEXT),
      RH_KEY(rh_panel, key, "key", TEXT),
      RH_KEY(rh_panel, label_ends, "label_ends", FLAG),
  };
  rh_panel *panel = &r->figure->panel[i];
  *panel = (rh_panel){.x_unit = "", .y_unit = "", .y2_unit = ""};
  return READ(r, node, "a panel", fields, panel);
}

static bool read_trace(const rh_figure_reader *r, int node, int i)
{
  static const rh_figure_field fields[] = {
      RH_KEY(rh_trace, panel, "panel", COUNT),
      RH_KEY(rh_trace, axis, "axis", AXIS),
      RH_KEY(rh_trace, run, "run", RUN),
      RH_KEY(rh_trace, label, "label", TEXT),
      RH_KEY(rh_trace, x, "x", TEXT),
      RH_KEY(rh_trace, y, "y", TEXT),
      RH_KEY(rh_trace, x_scale, "x_scale", NUMBER),
      RH_KEY(rh_trace, y_scale, "y_scale", NUMBER),
      RH_KEY(rh_trace, impact, "impact", COUNT),
      RH_KEY(rh_trace, from, "from", NUMBER),
      RH_KEY(rh_trace, until, "until", NUMBER),
  };
  const rh_figure *figure = r->figure;
  rh_trace *trace = &r->figure->trace[i];
  *trace = (rh_trace){.panel = 1, .run = RH_NONE};
  bool good = READ(r, node, "a trace", fields, trace);
  trace->panel--; // the first one is 1 in the file
  bool swept = figure->sweep.set != NULL;
  if (good && (trace->panel >= RH_FIGURE_PANELS || figure->panel[trace->panel].x == NULL)) {
    return rh_input_refuse(&r->in, node, "there is no panel %d", trace->panel + 1);
  }
  if (good && (swept || trace->x == NULL || trace->y == NULL) &&
      !(swept && trace->x == NULL && trace->y == NULL)) {
    return rh_input_refuse(&r->in, node, "a trace has x and y, and none of them in a sweep");
  }
  return good;
}

static bool read_number(const rh_figure_reader *r, int node, int i)
{
  static const rh_figure_field fields[] = {
      RH_KEY(rh_number, run, "run", RUN),
      RH_KEY_NEEDED(rh_number, name, "name", TEXT),
      RH_KEY(rh_number, unit, "unit", TEXT),
      RH_KEY(rh_number, measure, "measure", NUMBER_MEASURE),
      RH_KEY(rh_number, of_sweep, "curve", SWEEP_MEASURE),
      RH_KEY(rh_number, what, "of", TEXT),
      RH_KEY(rh_number, by, "by", TEXT),
      RH_KEY(rh_number, at, "at", NUMBER),
      RH_KEY(rh_number, event, "event", EVENT),
      RH_KEY(rh_number, which, "which", COUNT),
      RH_KEY_NEEDED(rh_number, want, "expect", NUMBER),
      RH_KEY(rh_number, absolute, "absolute", NUMBER),
      RH_KEY(rh_number, relative, "relative", NUMBER),
  };
  rh_number *number = &r->figure->number[i];
  *number = (rh_number){.unit = ""};
  bool good = READ(r, node, "a number", fields, number);
  bool swept = r->figure->sweep.set != NULL;
  if (good && r->figure->run[0].label == NULL) {
    return rh_input_refuse(&r->in, node, "a number is of a run, and the figure has none");
  }
  if (good && swept != (number->measure == NULL)) {
    return rh_input_refuse(&r->in, node,
                           swept ? "in a sweep the number is measured by the sweep"
                                 : "a number: measure is missing");
  }
  if (good && !swept && number->of_sweep != NULL) {
    return rh_input_refuse(&r->in, node, "curve is for a sweep");
  }
  return good && (swept || rh_figure_check_needs(r, node, number));
}

static bool read_expected(const rh_figure_reader *r, int node, int i)
{
  static const rh_figure_field fields[] = {
      RH_KEY_NEEDED(rh_expected, curve, "curve", TEXT),
      RH_KEY_NEEDED(rh_expected, name, "name", TEXT),
      RH_KEY(rh_expected, want, "expect", NUMBER),
      RH_KEY(rh_expected, absolute, "absolute", NUMBER),
      RH_KEY(rh_expected, relative, "relative", NUMBER),
      RH_KEY(rh_expected, holds, "holds", FLAG),
  };
  rh_expected *row = &r->figure->expected[i];
  *row = (rh_expected){.want = (double)NAN};
  bool good = READ(r, node, "a row of expected", fields, row);
  if (good && isnan(row->want) == (rh_yaml_find(r->in.tree, node, "holds") == RH_NONE)) {
    return rh_input_refuse(&r->in, node, "expect (a number) or holds (a claim), one of them");
  }
  for (int k = 0; k < i && good; k++) {
    const rh_expected *other = &r->figure->expected[k];
    if (strcmp(other->curve, row->curve) == 0 && strcmp(other->name, row->name) == 0) {
      return rh_input_refuse(&r->in, node, "'%s', '%s' is expected twice", row->curve, row->name);
    }
  }
  return good;
}

static bool read_sweep(const rh_figure_reader *r, int node)
{
  static const rh_figure_field fields[] = {
      RH_KEY_NEEDED(rh_figure_sweep, set, "set", TEXT),
      RH_KEY_NEEDED(rh_figure_sweep, from, "from", NUMBER),
      RH_KEY_NEEDED(rh_figure_sweep, to, "to", NUMBER),
      RH_KEY_NEEDED(rh_figure_sweep, n, "n", COUNT),
      RH_KEY(rh_figure_sweep, log, "log", FLAG),
      RH_KEY_NEEDED(rh_figure_sweep, value, "measure", NUMBER_MEASURE),
  };
  rh_figure_sweep *sweep = &r->figure->sweep;
  if (!READ(r, node, "a sweep", fields, sweep)) {
    return false;
  }
  return (sweep->n >= 2 && sweep->n <= RH_SWEEP_MAX && (!sweep->log || sweep->from > 0)) ||
         rh_input_refuse(&r->in, node, "n must be from 2 to %d, and from > 0 with log",
                         RH_SWEEP_MAX);
}

static bool read_picture(const rh_figure_reader *r, int node)
{
  static const rh_figure_field fields[] = {
      RH_KEY_NEEDED(rh_figure, program, "draw", PICTURE),
      RH_KEY_NEEDED(rh_figure, height, "height", COUNT),
  };
  return READ(r, node, "a picture", fields, r->figure);
}

typedef bool part_reader(const rh_figure_reader *r, int node, int index);

// A list of maps, read one by one; *count: its length.
static bool read_parts(const rh_figure_reader *r, int map, const char *key, int most,
                       part_reader *read, int *count)
{
  const rh_yaml *tree = r->in.tree;
  int list = rh_yaml_find(tree, map, key);
  *count = 0;
  if (list == RH_NONE) {
    return true;
  }
  if (tree->node[list].kind != RH_NODE_LIST || tree->node[list].count > most) {
    return rh_input_refuse(&r->in, list, "%s must be a list of at most %d maps", key, most);
  }
  bool good = true;
  for (int node = tree->node[list].first; node != RH_NONE; node = tree->node[node].next) {
    good = read(r, node, (*count)++) && good;
  }
  return good;
}

static int list_length(const rh_figure_reader *r, int map, const char *key)
{
  int list = rh_yaml_find(r->in.tree, map, key);
  return list != RH_NONE && r->in.tree->node[list].kind == RH_NODE_LIST
             ? r->in.tree->node[list].count
             : 0;
}

// Memory for the numbers and series; false: out of memory.
static bool reserve_lists(const rh_figure_reader *r, int map)
{
  rh_figure *figure = r->figure;
  figure->number = rh_alloc(((size_t)list_length(r, map, "numbers") + 1) * sizeof *figure->number);
  figure->expected =
      rh_alloc(((size_t)list_length(r, map, "expected") + 1) * sizeof *figure->expected);
  figure->series = rh_alloc(((size_t)list_length(r, map, "series") + 1) * sizeof *figure->series);
  return figure->number != NULL && figure->expected != NULL && figure->series != NULL;
}

static bool read_series(const rh_figure_reader *r, int map)
{
  int node = rh_yaml_find(r->in.tree, map, "series");
  r->figure->nseries = list_length(r, map, "series");
  return node == RH_NONE ||
         rh_figure_read_words(r, node, "series", r->figure->series, RH_SERIES_MAX);
}

// What must go together.
static bool check_figure(const rh_figure_reader *r, int map)
{
  const rh_figure *f = r->figure;
  bool good = true;
  if ((f->claim != NULL) != (rh_yaml_find(r->in.tree, map, "claim_holds") != RH_NONE)) {
    good = rh_input_refuse(&r->in, map, "claim and claim_holds go together");
  }
  if ((f->nnumber > 0 || f->nexpected > 0) != (f->reference != NULL)) {
    good = rh_input_refuse(
        &r->in, map, "expected numbers and their reference, where they are from, go together");
  }
  if (f->nexpected > 0 && f->more == NULL) {
    good = rh_input_refuse(&r->in, map,
                           "expected is of numbers that a measure finds: measure is missing");
  }
  if (f->program != NULL && f->panel[0].x != NULL) {
    good = rh_input_refuse(&r->in, map, "a figure has panels or a picture, not both");
  }
  for (const rh_figure *other = r->to->figure; other < f; other++) {
    bool both = f->label != NULL && other->label != NULL;
    if (both && strcmp(other->label, f->label) == 0) {
      good = rh_input_refuse(&r->in, map, "there is another figure '%.60s'", f->label);
    }
  }
  return good;
}

static void name_figure(rh_figure *figure)
{
  (void)snprintf(figure->name, sizeof figure->name, "%s_%s", figure->paper, figure->label);
  for (char *c = figure->name; *c != '\0'; c++) {
    if (*c == '.') {
      *c = '_';
    }
  }
}

static bool read_figure(const rh_figure_reader *r, int map)
{
  static const rh_figure_field fields[] = {
      RH_KEY_NEEDED(rh_figure, label, "figure", TEXT),
      RH_KEY_NEEDED(rh_figure, title, "title", TEXT),
      RH_KEY(rh_figure, note, "note", TEXT),
      RH_KEY(rh_figure, claim, "claim", TEXT),
      RH_KEY(rh_figure, claim_holds, "claim_holds", HOLDS),
      RH_KEY(rh_figure, reference, "reference", TEXT),
      RH_KEY_NEEDED(rh_figure, scene, "scene", SCENE),
      RH_KEY(rh_figure, problems, "problems", PROBLEM),
      RH_KEY(rh_figure, fixed, "fixed", FLAG),
      RH_KEY(rh_figure, story, "story", FLAG),
      RH_KEY(rh_figure, more, "measure", FIGURE_MEASURE),
      RH_KEY_MAPS("runs"),
      RH_KEY_MAPS("sweep"),
      RH_KEY_MAPS("panels"),
      RH_KEY_MAPS("traces"),
      RH_KEY_MAPS("series"),
      RH_KEY_MAPS("numbers"),
      RH_KEY_MAPS("expected"),
      RH_KEY_MAPS("picture"),
  };
  rh_figure *f = r->figure;
  int count = 0;
  f->paper = r->to->name;
  bool good = READ(r, map, "a figure", fields, f);
  if (r->in.tree->node[map].kind != RH_NODE_MAP) {
    return false;
  }
  int sweep = rh_yaml_find(r->in.tree, map, "sweep");
  int picture = rh_yaml_find(r->in.tree, map, "picture");
  good = read_parts(r, map, "runs", RH_FIGURE_RUNS, read_one_run, &count) && good;
  good = (sweep == RH_NONE || read_sweep(r, sweep)) && good;
  good = read_parts(r, map, "panels", RH_FIGURE_PANELS, read_panel, &count) && good;
  good = read_parts(r, map, "traces", RH_FIGURE_TRACES, read_trace, &f->ntrace) && good;
  good = read_parts(r, map, "numbers", RH_FIGURE_NUMBERS, read_number, &f->nnumber) && good;
  good = read_parts(r, map, "expected", RH_FIGURE_NUMBERS, read_expected, &f->nexpected) && good;
  good = read_series(r, map) && good;
  good = (picture == RH_NONE || read_picture(r, picture)) && good;
  good = check_figure(r, map) && good;
  if (good) {
    name_figure(f);
  }
  return good;
}

// ---- A paper

static rh_status read_paper(rh_figure_reader *r, int root)
{
  static const rh_figure_field fields[] = {
      RH_KEY_NEEDED(rh_figures, name, "paper", TEXT),
      RH_KEY_NEEDED(rh_figures, cite, "cite", TEXT),
      RH_KEY_NEEDED(rh_figures, doc, "doc", TEXT),
      {"figures", 0, RH_FIELD_MAPS, true},
  };
  rh_figures *to = r->to;
  bool good = READ(r, root, "a paper", fields, to);
  if (!good) {
    return RH_INPUT_REFUSED;
  }
  int list = rh_yaml_find(&to->tree, root, "figures");
  int count = list_length(r, root, "figures");
  if (count == 0) {
    (void)rh_input_refuse(&r->in, list, "figures must be a list of figures");
    return RH_INPUT_REFUSED;
  }
  to->figure = rh_alloc((size_t)count * sizeof *to->figure);
  if (to->figure == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  for (int node = to->tree.node[list].first; node != RH_NONE; node = to->tree.node[node].next) {
    r->figure = &to->figure[to->n++];
    if (!reserve_lists(r, node)) {
      return RH_OUT_OF_MEMORY;
    }
    good = read_figure(r, node) && good;
  }
  return good ? RH_OK : RH_INPUT_REFUSED;
}

rh_status rh_figures_read(const rh_scene_text *from, rh_diag *diag, rh_figures *figures)
{
  *figures = (rh_figures){.tree = {.file[0] = from->path}};
  rh_figure_reader r = {.in = {.tree = &figures->tree, .diag = diag}, .to = figures};
  int root = RH_NONE;
  (void)rh_diag_add_source(diag, from->path, from->text, *from->bytes);
  RH_TRY(rh_yaml_read(&figures->tree, from->text, *from->bytes, (rh_yaml_start){0}, diag, &root));
  return read_paper(&r, root);
}

void rh_figures_free(rh_figures *figures)
{
  for (int i = 0; i < figures->n; i++) {
    rh_free(figures->figure[i].number);
    rh_free(figures->figure[i].expected);
    rh_free(figures->figure[i].series);
  }
  rh_free(figures->figure);
  rh_yaml_free(&figures->tree);
  *figures = (rh_figures){0};
}
