// law_ask.c: the command line of `routh law`: rows, parameters, mass, speeds, a restitution to fit.
// Options without sense are wrong usage; parameters of the laws are refused as in a scene, all at
// once.
#include "law.h"
#include "plot.h"

#include <math.h>
#include <string.h>

#define SPEED_FROM 0.01 // [m/s] the table without --speed: three decades
#define SPEED_TO   10.0
#define SPEED_ROWS 7
#define FIT_SPEED  1.0 // [m/s] speed of --e without a given speed; the same default as in scenes

// ---- Rows

static rh_status ask_rows(rh_law_job *job)
{
  const char *name = job->args->file[0];
  const char *friction = rh_args_text(job->args, "friction");
  job->law = rh_normal_law_find(name);
  if (job->law == NULL && rh_friction_law_find(name) != NULL) {
    return rh_refuse(
        RH_WRONG_USAGE,
        "law: %s is a friction law; name a normal law too: routh law NAME --friction %s", name,
        name);
  }
  if (job->law == NULL && rh_impact_law_find(name) != NULL) {
    return rh_refuse(RH_WRONG_USAGE, "law: %s is a law of rigid bodies, see routh impact", name);
  }
  if (job->law == NULL) {
    return rh_refuse_listed("law", "law", name, "laws");
  }
  rh_law_values_start(&job->normal, &job->law->row);
  if (friction != NULL) {
    job->friction = rh_friction_law_find(friction);
    if (job->friction == NULL) {
      return rh_refuse_listed("law", "friction law", friction, "frictions");
    }
    if (job->friction->force == NULL) {
      return rh_refuse(RH_WRONG_USAGE, "law: %s is friction of rigid bodies, see routh impact",
                       friction);
    }
    rh_law_values_start(&job->tangential, &job->friction->row);
  } else if (rh_args_flag(job->args, "mu")) {
    return rh_refuse(RH_WRONG_USAGE, "law: --mu needs a friction law: --friction NAME");
  }
  return RH_OK;
}

// ---- Parameters

static void add_names(const rh_row *row, const char *names[2 * RH_PAR_MAX], int *count)
{
  for (int i = 0; i < row->nparam && *count < 2 * RH_PAR_MAX; i++) {
    names[(*count)++] = row->param[i].name;
  }
}

static void unknown_parameter(const rh_law_job *job, const char *name, const char *who,
                              rh_diag *diag)
{
  const char *names[2 * RH_PAR_MAX];
  int count = 0;
  add_names(&job->law->row, names, &count);
  if (job->friction != NULL) {
    add_names(&job->friction->row, names, &count);
  }
  const char *near = rh_nearest_name(name, names, count);
  rh_text text = {0};
  for (int i = 0; i < count; i++) {
    rh_text_addf(&text, "%s%s", i > 0 ? ", " : "", names[i]);
  }
  rh_place place = {.file = rh_diag_add_source(diag, who, "", 0)};
  if (near != NULL) {
    rh_diag_add(diag, RH_ERROR, place, "%s: unknown parameter '%s'; did you mean '%s'?",
                job->law->row.name, name, near);
  } else {
    rh_diag_add(diag, RH_ERROR, place, "%s: unknown parameter '%s'; it has: %s", job->law->row.name,
                name, text.data != NULL ? text.data : "none");
  }
  rh_text_free(&text);
}

// "k=1e6": the law's own parameter, else that of the friction law; "law.k" and "friction.k" are
// unambiguous.
static void set_law_parameter(rh_law_job *job, const char *word, bool late, rh_diag *diag)
{
  static const char *const prefix[] = {"law.", "friction."};
  rh_law_values *values[] = {&job->normal, job->friction != NULL ? &job->tangential : NULL};
  size_t length = strcspn(word, "=");
  char name[RH_NAME_MAX];
  char who[2 * RH_NAME_MAX];
  const char *text = word + length + (word[length] == '=');
  snprintf(name, sizeof name, "%.*s", (int)length, word);
  snprintf(who, sizeof who, "-s %s", word);
  for (int k = 0; k < 2; k++) {
    size_t skip = strlen(prefix[k]);
    bool named = strncmp(name, prefix[k], skip) == 0;
    bool other = strncmp(name, prefix[1 - k], strlen(prefix[1 - k])) == 0;
    int index = values[k] == NULL || other ? RH_NONE
                                           : rh_row_find(values[k]->row, name + (named ? skip : 0));
    if (index != RH_NONE) {
      if (rh_param_is_late(&values[k]->row->param[index]) == late) {
        (void)rh_law_values_give(values[k], index, text, who, diag);
      }
      return;
    }
  }
  if (!late) {
    unknown_parameter(job, name, who, diag);
  }
}

// --mu sets all coefficients of friction: mu, or mu_s at rest and mu_k in motion.
static void ask_mu(rh_law_job *job, rh_diag *diag)
{
  const char *mu = rh_args_text(job->args, "mu");
  int found = 0;
  for (int i = 0; mu != NULL && i < job->friction->row.nparam; i++) {
    const char *name = job->friction->row.param[i].name;
    if (strcmp(name, "mu") == 0 || strncmp(name, "mu_", 3) == 0) {
      (void)rh_law_values_give(&job->tangential, i, mu, "--mu", diag);
      found++;
    }
  }
  if (mu != NULL && found == 0) {
    rh_diag_add(diag, RH_ERROR, (rh_place){.file = "--mu"}, "%s has no coefficient of friction",
                job->friction->row.name);
  }
}

// The laws' own checks of their parameters together.
static void ask_laws(const rh_law_job *job, rh_diag *diag)
{
  const char *why = job->law->check != NULL ? job->law->check(job->normal.par) : NULL;
  if (why != NULL) {
    rh_diag_add(diag, RH_ERROR, RH_NOWHERE, "%s: %s", job->law->row.name, why);
  }
  bool checked = job->friction != NULL && job->friction->check != NULL;
  why = checked ? job->friction->check(job->tangential.par) : NULL;
  if (why != NULL) {
    rh_diag_add(diag, RH_ERROR, RH_NOWHERE, "%s: %s", job->friction->row.name, why);
  }
}

// ---- Numbers of options

// A number over zero with a unit, up to the `length` characters of `text`.
static rh_status ask_number(const char *option, const char *text, size_t length, const char *unit,
                            double *value)
{
  char part[RH_NAME_MAX];
  char why[RH_WHY_MAX] = "is too long";
  snprintf(part, sizeof part, "%.*s", (int)length, text);
  if (length >= sizeof part || !rh_unit_parse(part, unit, value, why)) {
    return rh_refuse(RH_WRONG_USAGE, "law: --%s %s: %s", option, text, why);
  }
  if (!(*value > 0) || !isfinite(*value)) {
    bool bare = strcmp(unit, "1") == 0;
    return rh_refuse(RH_WRONG_USAGE, "law: --%s must be > 0%s%s, got %s", option, bare ? "" : " ",
                     bare ? "" : unit, part);
  }
  return RH_OK;
}

static void spread_speeds(rh_law_job *job, double from, double to, int n)
{
  job->nspeed = n;
  for (int i = 0; i < n; i++) {
    job->speed[i] = i == 0       ? from
                    : i == n - 1 ? to
                                 : from * pow(to / from, (double)i / (double)(n - 1));
  }
}

static rh_status ask_speeds(rh_law_job *job)
{
  const char *text = rh_args_text(job->args, "speed");
  if (text == NULL) {
    spread_speeds(job, SPEED_FROM, SPEED_TO, SPEED_ROWS);
    return RH_OK;
  }
  const char *second = strchr(text, ':');
  double from = 0;
  double to = 0;
  double n = 0;
  if (second == NULL) {
    job->nspeed = 1;
    return ask_number("speed", text, strlen(text), "m/s", &job->speed[0]);
  }
  const char *third = strchr(second + 1, ':');
  if (third == NULL) {
    return rh_refuse(RH_WRONG_USAGE, "law: --speed is V or FROM:TO:N, got '%s'", text);
  }
  RH_TRY(ask_number("speed", text, (size_t)(second - text), "m/s", &from));
  RH_TRY(ask_number("speed", second + 1, (size_t)(third - second - 1), "m/s", &to));
  RH_TRY(ask_number("speed", third + 1, strlen(third + 1), "1", &n));
  if (n != floor(n) || n < 2 || n > RH_LAW_SPEEDS || from >= to) {
    return rh_refuse(RH_WRONG_USAGE,
                     "law: --speed FROM:TO:N needs FROM < TO and N from 2 to %d, got '%s'",
                     RH_LAW_SPEEDS, text);
  }
  spread_speeds(job, from, to, (int)n);
  return RH_OK;
}

// "0.8" or "0.8@2": with its speed, if not the only one of --speed.
static rh_status ask_restitution(rh_law_job *job)
{
  const char *text = rh_args_text(job->args, "e");
  job->wanted = (double)NAN;
  job->wanted_at = job->nspeed == 1 ? job->speed[0] : FIT_SPEED;
  if (text == NULL) {
    return RH_OK;
  }
  size_t length = strcspn(text, "@");
  RH_TRY(ask_number("e", text, length, "1", &job->wanted));
  if (job->wanted > 1) {
    return rh_refuse(RH_WRONG_USAGE, "law: --e must be at most 1, got %.*s", (int)length, text);
  }
  if (text[length] == '@') {
    RH_TRY(ask_number("e", text + length + 1, strlen(text + length + 1), "m/s", &job->wanted_at));
  }
  return RH_OK;
}

static rh_status ask_picture(rh_law_job *job)
{
  const char *svg = rh_args_text(job->args, "svg");
  const char *output = rh_args_text(job->args, "output");
  if (svg != NULL && output != NULL) {
    return rh_refuse(RH_WRONG_USAGE, "law: --svg and --output are given; one picture is drawn");
  }
  job->output = svg != NULL ? svg : output;
  if (job->output == NULL) {
    return RH_OK;
  }
  if (job->args->json && strcmp(job->output, "-") == 0) {
    return rh_refuse(RH_WRONG_USAGE, "law: --json and a picture cannot both go to standard output");
  }
  if (svg != NULL && strcmp(svg, "-") != 0 && !rh_file_has_ending(svg, ".svg")) {
    return rh_refuse(RH_WRONG_USAGE, "law: '%s' does not end in .svg; use -o for others", svg);
  }
  return rh_picture_check("law", job->output);
}

rh_status rh_law_ask(const rh_args *args, rh_diag *diag, rh_law_job *job)
{
  job->args = args;
  job->mass = 1;
  job->radius = 0.05;
  RH_TRY(ask_rows(job));
  const char *mass = rh_args_text(args, "mass");
  const char *radius = rh_args_text(args, "radius");
  if (mass != NULL) {
    RH_TRY(ask_number("mass", mass, strlen(mass), "kg", &job->mass));
  }
  if (radius != NULL && strcmp(radius, "inf") == 0) {
    job->radius = HUGE_VAL; // flat on flat
  } else if (radius != NULL) {
    RH_TRY(ask_number("radius", radius, strlen(radius), "m", &job->radius));
  }
  RH_TRY(ask_speeds(job));
  RH_TRY(ask_restitution(job));
  RH_TRY(ask_picture(job));
  for (int i = 0; i < 2 * args->nset; i++) {
    set_law_parameter(job, args->set[i % args->nset], i >= args->nset, diag);
  }
  ask_mu(job, diag);
  if (rh_diag_count(diag, RH_ERROR) == 0) {
    ask_laws(job, diag);
  }
  return rh_diag_count(diag, RH_ERROR) > 0 ? RH_INPUT_REFUSED : RH_OK;
}
