// figure_value.c: the values of figures in YAML: texts, numbers, and names of runs, scenes, measures and
// pictures. Unknown ones are refused with their place.
#include "figure_read.h"

#include <string.h>

// ---- Functions of C (measures.def)

typedef struct named_function { // one of the four pointers
  const char *name;
  rh_measure *number;
  double (*sweep)(const rh_sweep *sweep);
  rh_status (*figure)(rh_redone *redone);
  void (*picture)(FILE *to, const rh_redone *redone);
  rh_field_kind kind;
  rh_needs needs;
} named_function;

static const named_function functions[] = {
#define RH_NUMBER_MEASURE(x, keys)                                                                 \
  {.kind = RH_FIELD_NUMBER_MEASURE, .name = #x, .number = rh_measure_##x, .needs = (keys)},
#define RH_SWEEP_MEASURE(x)  {.kind = RH_FIELD_SWEEP_MEASURE, .name = #x, .sweep = rh_sweep_##x},
#define RH_FIGURE_MEASURE(x) {.kind = RH_FIELD_FIGURE_MEASURE, .name = #x, .figure = rh_find_##x},
#define RH_FIGURE_PICTURE(x) {.kind = RH_FIELD_PICTURE, .name = #x, .picture = rh_draw_##x},
#include "measures.def"
#undef RH_FIGURE_PICTURE
#undef RH_FIGURE_MEASURE
#undef RH_SWEEP_MEASURE
#undef RH_NUMBER_MEASURE
};

// Index of the word of a node among the names; RH_NONE: refused.
static int find_name(const rh_figure_reader *r, int node, const char *what,
                     const char *const *names, int count)
{
  const char *word = rh_input_text(&r->in, node, what);
  for (int i = 0; word != NULL && i < count; i++) {
    if (strcmp(names[i], word) == 0) {
      return i;
    }
  }
  if (word != NULL) {
    const char *near = rh_nearest_name(word, names, count);
    (void)rh_input_refuse(&r->in, node, "unknown %s '%.60s'%s%s%s", what, word,
                          RH_DID_YOU_MEAN(near));
  }
  return RH_NONE;
}

// ---- Values

static bool read_range(const rh_figure_reader *r, int node, const char *key, double *ends)
{
  const rh_yaml *tree = r->in.tree;
  if (tree->node[node].kind != RH_NODE_LIST || tree->node[node].count != 2) {
    return rh_input_refuse(&r->in, node, "%s must be a list of two numbers", key);
  }
  int child = tree->node[node].first;
  for (int i = 0; i < 2; i++, child = tree->node[child].next) {
    bool scalar = tree->node[child].kind == RH_NODE_SCALAR;
    if (scalar && strcmp(rh_yaml_text(tree, child), "auto") == 0) {
      ends[i] = i == 0 ? -HUGE_VAL : HUGE_VAL;
    } else if (!rh_input_number(&r->in, child, key, "1", &ends[i])) {
      return false;
    }
  }
  return ends[0] < ends[1] || rh_input_refuse(&r->in, node, "%s must rise", key);
}

static bool read_count(const rh_figure_reader *r, int node, const char *key, int *count)
{
  double x = 0;
  if (!rh_input_number(&r->in, node, key, "1", &x)) {
    return false;
  }
  if (x != floor(x) || x < 1 || x > 1e6) {
    return rh_input_refuse(&r->in, node, "%s must be a whole number from 1 on", key);
  }
  *count = (int)x;
  return true;
}

bool rh_figure_read_words(const rh_figure_reader *r, int node, const char *key, const char *words[],
                          int most)
{
  const rh_yaml *tree = r->in.tree;
  if (tree->node[node].kind != RH_NODE_LIST || tree->node[node].count > most) {
    return rh_input_refuse(&r->in, node, "%s must be a list of at most %d texts", key, most);
  }
  int n = 0;
  for (int child = tree->node[node].first; child != RH_NONE; child = tree->node[child].next) {
    words[n] = rh_input_text(&r->in, child, key);
    if (words[n++] == NULL) {
      return false;
    }
  }
  return true;
}

static bool read_run(const rh_figure_reader *r, int node, int *run)
{
  const rh_figure_run *runs = r->figure->run;
  const char *labels[RH_FIGURE_RUNS];
  int n = 0;
  for (; n < RH_FIGURE_RUNS && runs[n].label != NULL; n++) {
    labels[n] = runs[n].label;
  }
  *run = find_name(r, node, "run", labels, n);
  return *run != RH_NONE;
}

static bool read_choice(const rh_figure_reader *r, int node, const char *key,
                        const char *const *words, int count, int *index)
{
  *index = find_name(r, node, key, words, count);
  return *index != RH_NONE;
}

static bool read_scene(const rh_figure_reader *r, int node, rh_scene_text *scene)
{
  const char *name = rh_input_text(&r->in, node, "scene");
  const rh_scene_text *found = name != NULL ? rh_paper_scene(r->to->name, name) : NULL;
  if (found != NULL) {
    *scene = *found;
  } else if (name != NULL) {
    return rh_input_refuse(&r->in, node, "scenes/papers/%s/%.60s.yaml is not in scenes.def",
                           r->to->name, name);
  }
  return found != NULL;
}

static bool read_event(const rh_figure_reader *r, int node, const char **event)
{
  const char *words[RH_EVENT_COUNT];
  for (int i = 0; i < RH_EVENT_COUNT; i++) {
    words[i] = rh_event_word((rh_event_kind)i);
  }
  int index = find_name(r, node, "event", words, RH_EVENT_COUNT);
  *event = index != RH_NONE ? words[index] : NULL;
  return index != RH_NONE;
}

static bool read_function(const rh_figure_reader *r, const rh_figure_field *f, int node, void *at)
{
  const named_function *found[RH_COUNT(functions)];
  const char *names[RH_COUNT(functions)];
  const char *what = f->kind == RH_FIELD_NUMBER_MEASURE   ? "measure"
                     : f->kind == RH_FIELD_SWEEP_MEASURE  ? "measure of a curve"
                     : f->kind == RH_FIELD_FIGURE_MEASURE ? "measure of a figure"
                                                          : "picture";
  int n = 0;
  for (int i = 0; i < RH_COUNT(functions); i++) {
    if (functions[i].kind == f->kind) {
      names[n] = functions[i].name;
      found[n++] = &functions[i];
    }
  }
  int index = find_name(r, node, what, names, n);
  if (index == RH_NONE) {
    return false;
  }
  const named_function *function = found[index];
  const void *pointer = f->kind == RH_FIELD_NUMBER_MEASURE   ? (const void *)&function->number
                        : f->kind == RH_FIELD_SWEEP_MEASURE  ? (const void *)&function->sweep
                        : f->kind == RH_FIELD_FIGURE_MEASURE ? (const void *)&function->figure
                                                             : (const void *)&function->picture;
  memcpy(at, pointer, sizeof function->number);
  return true;
}

static bool read_value(const rh_figure_reader *r, const rh_figure_field *f, int node, void *at)
{
  static const char *const axes[] = {"left", "right"};
  static const char *const holds[] = {"no", "partly", "yes"};
  static const char *const problems[] = {"none", "solve", "book"};
  const rh_yaml *tree = r->in.tree;
  switch (f->kind) {
  case RH_FIELD_TEXT:
    if (tree->node[node].kind != RH_NODE_SCALAR) {
      return rh_input_refuse(&r->in, node, "%s must be text, got %s", f->key,
                             rh_yaml_what(tree, node));
    }
    *(const char **)at = rh_yaml_text(tree, node);
    return true;
  case RH_FIELD_NUMBER:
    return rh_input_number(&r->in, node, f->key, "1", at);
  case RH_FIELD_COUNT:
    return read_count(r, node, f->key, at);
  case RH_FIELD_FLAG:
    return rh_input_flag(&r->in, node, f->key, at);
  case RH_FIELD_RANGE:
    return read_range(r, node, f->key, at);
  case RH_FIELD_WORDS:
    return rh_figure_read_words(r, node, f->key, at, RH_FIGURE_SETS);
  case RH_FIELD_RUN:
    return read_run(r, node, at);
  case RH_FIELD_AXIS:
    return read_choice(r, node, f->key, axes, RH_COUNT(axes), at);
  case RH_FIELD_HOLDS:
    return read_choice(r, node, f->key, holds, RH_COUNT(holds), at);
  case RH_FIELD_PROBLEM:
    return read_choice(r, node, f->key, problems, RH_COUNT(problems), at);
  case RH_FIELD_SCENE:
    return read_scene(r, node, at);
  case RH_FIELD_EVENT:
    return read_event(r, node, at);
  case RH_FIELD_MAPS:
    return true;
  default:
    return read_function(r, f, node, at);
  }
}

bool rh_figure_read_map(const rh_figure_reader *r, int map, const char *what,
                        const rh_figure_field *fields, int count, void *to)
{
  const char *keys[32];
  if (r->in.tree->node[map].kind != RH_NODE_MAP) {
    return rh_input_refuse(&r->in, map, "%s must be a map, got %s", what,
                           rh_yaml_what(r->in.tree, map));
  }
  RH_ASSERT(count <= RH_COUNT(keys));
  char name[RH_NAME_MAX];
  (void)snprintf(name, sizeof name, "key of %s", what);
  for (int i = 0; i < count; i++) {
    keys[i] = fields[i].key;
  }
  bool good = rh_input_keys(&r->in, map, name, keys, count);
  for (int i = 0; i < count; i++) {
    int node = rh_yaml_find(r->in.tree, map, fields[i].key);
    if (node != RH_NONE) {
      good = read_value(r, &fields[i], node, (char *)to + fields[i].offset) && good;
    } else if (fields[i].required) {
      good = rh_input_refuse(&r->in, map, "%s: %s is missing", what, fields[i].key);
    }
  }
  return good;
}

bool rh_figure_check_needs(const rh_figure_reader *r, int node, const rh_number *number)
{
  rh_needs needs = RH_NEEDS_NOTHING;
  for (int i = 0; i < RH_COUNT(functions); i++) {
    needs = functions[i].number == number->measure ? functions[i].needs : needs;
  }
  bool of = needs == RH_NEEDS_OF || needs == RH_NEEDS_OF_BY;
  bool by = needs == RH_NEEDS_BY || needs == RH_NEEDS_OF_BY;
  const char *missing = of && number->what == NULL                         ? "of"
                        : by && number->by == NULL                         ? "by"
                        : needs == RH_NEEDS_EVENT && number->event == NULL ? "event"
                                                                           : NULL;
  return missing == NULL || rh_input_refuse(&r->in, node, "a number: %s is missing", missing);
}
