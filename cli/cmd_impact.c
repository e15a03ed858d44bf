// cmd_impact.c: `routh impact`: one impact, of a problem file or of a scene, under several impact laws: as a table and, if it
// is planar, as Routh's diagram.
#include "plots/plot.h"
#include "problems/problem_planar.h"
#include "results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Laws

// The laws named in "newton,poisson"; NULL: all of them.
static rh_status name_laws(const char *names, rh_impact_show *show)
{
  int count = 0;
  const rh_impact_law *const *table = rh_impact_law_table(&count);
  show->nlaw = 0;
  for (int i = 0; names == NULL && i < count && i < RH_IMPACT_LAWS; i++) {
    show->law[show->nlaw++] = table[i];
  }
  while (names != NULL) {
    char name[RH_NAME_MAX];
    size_t length = strcspn(names, ",");
    snprintf(name, sizeof name, "%.*s", (int)length, names);
    const rh_impact_law *law = rh_impact_law_find(name);
    if (law == NULL) {
      return rh_refuse_listed("impact", "impact law", name, "impacts");
    }
    if (show->nlaw == RH_IMPACT_LAWS) {
      return rh_refuse(RH_WRONG_USAGE, "impact: the maximum is %d laws at once", RH_IMPACT_LAWS);
    }
    show->law[show->nlaw++] = law;
    names = names[length] == ',' ? names + length + 1 : NULL;
  }
  return RH_OK;
}

static void answer_laws(rh_impact_show *show)
{
  for (int i = 0; i < show->nlaw; i++) {
    rh_planar_impact(show->law[i], &show->in, &show->out[i]);
  }
}

// ---- The command line

static rh_status ask_number(const rh_args *args, const char *option, double hi, double *value)
{
  const char *text = rh_args_text(args, option);
  char why[RH_WHY_MAX];
  double x = 0;
  if (text == NULL) {
    return RH_OK;
  }
  if (!rh_unit_parse(text, "1", &x, why)) {
    return rh_refuse(RH_WRONG_USAGE, "impact: --%s %s: %s", option, text, why);
  }
  if (!(x >= 0 && x <= hi)) {
    return rh_refuse(RH_WRONG_USAGE, "impact: --%s must lie in [0, %g], got %s", option, hi, text);
  }
  *value = x;
  return RH_OK;
}

static rh_status ask_picture(const rh_args *args)
{
  const char *output = rh_args_text(args, "output");
  if (output == NULL) {
    return RH_OK;
  }
  if (args->request.json && strcmp(output, "-") == 0) {
    return rh_refuse(RH_WRONG_USAGE,
                     "impact: --json and a picture cannot both go to standard output");
  }
  return rh_picture_check("impact", output);
}

// Coefficients of the command line; absent ones stay negative.
typedef struct coefficients {
  double e, mu, eta2;
} coefficients;

static rh_status read_options(const rh_args *args, rh_impact_show *show, coefficients *asked)
{
  *asked = (coefficients){-1, -1, -1};
  RH_TRY(name_laws(rh_args_text(args, "law"), show));
  RH_TRY(ask_number(args, "e", 1, &asked->e));
  RH_TRY(ask_number(args, "eta2", 1e8, &asked->eta2));
  return ask_number(args, "mu", 1e6, &asked->mu);
}

static rh_status report_impact(const rh_args *args, const rh_impact_show *show)
{
  const char *output = rh_args_text(args, "output");
  bool streamed = output != NULL && strcmp(output, "-") == 0;
  if (output != NULL) {
    RH_TRY(rh_impact_draw(show, output));
  }
  if (args->request.json) {
    RH_TRY(rh_impact_print_json(show, output));
  } else if (!streamed && !(args->request.quiet && output != NULL)) {
    RH_TRY(rh_impact_print(show, rh_color_allowed(&args->request, stdout)));
  }
  if (output != NULL && !streamed) {
    rh_say(&args->request, "wrote %s", output);
  }
  return RH_OK;
}

static rh_status answer_planar(const rh_args *args, rh_impact_show *show)
{
  answer_laws(show);
  return report_impact(args, show);
}

// ---- Of a problem file

static rh_status impact_of_problem(const rh_args *args, rh_impact_show *show,
                                   const coefficients *asked, rh_diag *diag)
{
  char name[RH_PLANAR_ID_MAX];
  rh_planar_posed posed = {0};
  if (rh_args_text(args, "nth") != NULL || rh_args_flag(args, "curves") || args->request.nset > 0) {
    return rh_refuse(RH_WRONG_USAGE, "impact: --nth, --curves and -s need a scene; %s has problems",
                     rh_file_label(args->request.file[0]));
  }
  rh_status status =
      rh_planar_pose_file(args->request.file[0], rh_args_text(args, "id"), diag, &posed, name);
  rh_diag_print(&args->request, diag, "nothing was computed");
  if (status == RH_OK) {
    show->title = name;
    show->in = posed.in;
    show->T0 = posed.T0;
    show->in.e = asked->e >= 0 ? asked->e : show->in.e;
    show->in.eta2 = asked->eta2 >= 0 ? asked->eta2 : show->in.eta2;
    show->in.mu_s = asked->mu >= 0 ? asked->mu : show->in.mu_s;
    show->in.mu_k = asked->mu >= 0 ? asked->mu : show->in.mu_k;
    status = answer_planar(args, show);
    show->title = NULL;
  } else if (rh_diag_count(diag, RH_ERROR) == 0) {
    (void)rh_refuse(status, "%s: %s", rh_file_label(args->request.file[0]),
                    rh_status_message(status));
  }
  rh_planar_close(&posed);
  return status;
}

// ---- Of a scene

// "3" or "3..8"
static rh_status ask_nth(const rh_args *args, rh_impact_range *range)
{
  const char *text = rh_args_text(args, "nth");
  char *end = NULL;
  long first = text == NULL ? 1 : strtol(text, &end, 10);
  long last = first;
  bool good = text == NULL || end != text;
  if (good && text != NULL && strncmp(end, "..", 2) == 0) {
    const char *second = end + 2;
    last = strtol(second, &end, 10);
    good = end != second;
  }
  if (!good || (text != NULL && *end != '\0') || first < 1 || first > 1000000 || last < first) {
    return rh_refuse(RH_WRONG_USAGE,
                     "impact: --nth must be a whole number from 1 on, or two: 3..8; got %s", text);
  }
  if (last - first >= RH_IMPACT_ROWS) {
    return rh_refuse(RH_WRONG_USAGE, "impact: the maximum is %d impacts at once", RH_IMPACT_ROWS);
  }
  *range = (rh_impact_range){(int)first, (int)(last - first) + 1};
  return RH_OK;
}

static rh_status answer_seen(const rh_args *args, rh_impact_show *show, const rh_impact_seen *seen)
{
  bool curves = rh_args_flag(args, "curves");
  const char *output = curves ? NULL : rh_args_text(args, "output");
  show->title = seen->title;
  show->T0 = (double)NAN;
  if (rh_impact_planar(seen, &show->in) && !curves) {
    return answer_planar(args, show);
  }
  RH_TRY(args->request.json
             ? rh_impact_space_json(show, seen)
             : rh_impact_space_print(show, seen, rh_color_allowed(&args->request, stdout)));
  return output == NULL
             ? RH_OK
             : rh_refuse(
                   RH_INPUT_REFUSED,
                   "impact: Routh's diagram is of one contact in a plane; this impact is not, "
                   "and nothing was drawn; --curves draws its course");
}

static rh_status have_courses(const rh_impact_seen *seen, int n)
{
  for (int i = 0; i < n; i++) {
    if (!rh_impact_has_course(&seen[i])) {
      return rh_refuse(RH_INPUT_REFUSED,
                       "impact: --curves: the formulation '%s' has no course in time; use one that "
                       "has: -s run.multi_impact=winkler-global (or winkler, fixed-split, thesis)",
                       seen[i].form->row.name);
    }
  }
  return RH_OK;
}

static rh_status draw_courses(const rh_args *args, const rh_impact_seen *seen, int n)
{
  const char *output = rh_args_text(args, "output");
  RH_TRY(rh_impact_draw_courses(seen, n, output));
  if (strcmp(output, "-") != 0) {
    rh_say(&args->request, "wrote %s", output);
  }
  return RH_OK;
}

// The table of each, unless a picture goes to standard output; then the courses.
static rh_status answer_all(const rh_args *args, rh_impact_show *show, const coefficients *asked,
                            rh_impact_seen *seen, int n)
{
  const char *output = rh_args_text(args, "output");
  bool curves = rh_args_flag(args, "curves");
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < seen[k].n; i++) {
      seen[k].e[i] = asked->e >= 0 ? asked->e : seen[k].e[i];
      seen[k].eta2[i] = asked->eta2 >= 0 ? asked->eta2 : seen[k].eta2[i];
      seen[k].mu_s[i] = asked->mu >= 0 ? asked->mu : seen[k].mu_s[i];
      seen[k].mu_k[i] = asked->mu >= 0 ? asked->mu : seen[k].mu_k[i];
    }
  }
  if (curves) {
    RH_TRY(have_courses(seen, n));
  }
  bool alone = curves && (args->request.quiet || strcmp(output, "-") == 0); // the picture
  for (int k = 0; k < n && !alone; k++) {
    RH_TRY(answer_seen(args, show, &seen[k]));
  }
  return curves ? draw_courses(args, seen, n) : RH_OK;
}

static rh_status ask_several(const rh_args *args, int count)
{
  bool curves = rh_args_flag(args, "curves");
  if (curves && rh_args_text(args, "output") == NULL) {
    return rh_refuse(RH_WRONG_USAGE, "impact: --curves needs -o FILE.svg or FILE.png");
  }
  if (count > 1 && args->request.json) {
    return rh_refuse(RH_WRONG_USAGE, "impact: --json prints one impact; --nth has %d", count);
  }
  if (count > 1 && !curves && rh_args_text(args, "output") != NULL) {
    return rh_refuse(RH_WRONG_USAGE,
                     "impact: Routh's diagram is of one impact; --curves draws several");
  }
  return RH_OK;
}

static rh_status impact_of_scene(const rh_args *args, rh_impact_show *show,
                                 const coefficients *asked, rh_diag *diag)
{
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  rh_impact_seen seen[RH_IMPACT_ROWS] = {0};
  rh_impact_range range = {0};
  if (rh_args_text(args, "id") != NULL) {
    return rh_refuse(RH_WRONG_USAGE, "impact: --id needs a problem file; %s is a scene",
                     rh_file_label(args->request.file[0]));
  }
  RH_TRY(ask_nth(args, &range));
  RH_TRY(ask_several(args, range.count));
  rh_status status = rh_scene_from(&args->request, args->request.file[0], diag, &scene);
  status = status == RH_OK ? rh_scene_compile(scene, diag, &model) : status;
  rh_diag_print(&args->request, diag, "nothing was run");
  if (status != RH_OK && rh_diag_count(diag, RH_ERROR) == 0) {
    (void)rh_refuse(status, "%s: %s", rh_file_label(args->request.file[0]),
                    rh_status_message(status));
  }
  status =
      status == RH_OK ? rh_impact_check_rigid(model, rh_file_label(args->request.file[0])) : status;
  status = status == RH_OK ? rh_impact_run(model, range, diag, seen) : status;
  status = status == RH_OK ? answer_all(args, show, asked, seen, range.count) : status;
  for (int i = 0; i < range.count; i++) {
    rh_impact_seen_free(&seen[i]);
  }
  rh_model_destroy(model);
  rh_scene_destroy(scene);
  return status;
}

// ---- The verb

static rh_status impact_verb(const rh_args *args)
{
  rh_impact_show show = {0};
  coefficients asked;
  RH_TRY(ask_picture(args));
  RH_TRY(read_options(args, &show, &asked));
  rh_diag *diag = rh_diag_create();
  if (diag == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  rh_status status = rh_impact_is_scene(args->request.file[0])
                         ? impact_of_scene(args, &show, &asked, diag)
                         : impact_of_problem(args, &show, &asked, diag);
  rh_diag_destroy(diag);
  return status;
}

static const rh_option option[] = {
    {.name = "id", .value = "ID", .doc = "problem of the file; default: the first planar impact"},
    {.name = "nth",
     .value = "K",
     .doc = "impact of the scene, from 1, or several: 1..6; default: the first"},
    {.name = "curves",
     .doc = "draw the course of the impact: velocities and work against the impulse"},
    {.name = "law",
     .value = "NAMES",
     .from = "impacts",
     .many = true,
     .doc = "impact laws, separated by commas; default: all"},
    {.name = "e",
     .value = "X",
     .doc = "coefficient of restitution; default: that of the problem or contact"},
    {.name = "mu", .value = "X", .doc = "coefficient of friction, at rest and in motion"},
    {.name = "eta2",
     .value = "X",
     .doc =
         "normal over tangential stiffness, of the law bistiff; default: the contact's, or 1.214"},
    RH_OPTION_OUTPUT("picture FILE.svg or FILE.png; - is standard output (SVG, no table)"),
    RH_OPTION_SET,
};

static const rh_example example[] = {
    {"impact impacts.yaml -o routh.svg", "the first one, all laws, a picture"},
    {"impact impacts.yaml --id rod --law newton,stronge --e 1", "one problem, two laws"},
    {"impact scene.yaml --nth 3", "the third impact of a scene"},
    {"impact scene.yaml --nth 1..6 --curves -o six.svg", "courses of the first six, one row each"},
};

const rh_verb rh_verb_impact = {
    .row = {.name = "impact",
            .cite = "[WK] ch. 3",
            .doc = "An impact with friction under each impact law; Routh's diagram."},
    .group = "One contact",
    .usage = "FILE",
    .more = "FILE has problems of kind planar_impact or generalized_impact, as 'routh solve' reads "
            "them, or is a scene with rigid contacts, which is run up to its impact; - is standard "
            "input (problems). The law that it names is ignored. The picture shows the plane of "
            "impulses with the lines of sticking, greatest compression and limiting friction, the "
            "path and its end under each law (a law with a tangential spring has a path of its "
            "own); below, velocities and works against the normal "
            "impulse. An impact of a scene that is not planar, or of several contacts, has no such "
            "picture; --curves draws normal velocity, slip speed and direction of all its points, "
            "also of named points without impact, and the normal work, against the normal impulse, "
            "if the formulation of the scene follows these. Pictures need gnuplot.",
    .option = option,
    .noption = RH_COUNT(option),
    .example = example,
    .nexample = RH_COUNT(example),
    .ending = "yaml|yml|json|urdf",
    .least = 1,
    .most = 1,
    .run = impact_verb,
};
