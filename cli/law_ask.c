// law_ask.c: the command line of `routh law`: rows, parameters, mass, speeds, a restitution to fit.
// Options without sense are wrong usage; parameters of the laws are refused as in a scene, all at
// once.
#include "plots/plot.h"
#include "results.h"

#include <math.h>
#include <string.h>

#define SPEED_FROM 0.01 // [m/s] the table without --speed: three decades
#define SPEED_TO   10.0
#define SPEED_ROWS 7
#define FIT_SPEED  1.0 // [m/s] speed of --e without a given speed; the same default as in scenes

// ---- Rows

static rh_status ask_rows(const rh_args *args, rh_law_job *job)
{
  const char *name = args->request.file[0];
  const char *friction = rh_args_text(args, "friction");
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
  if (job->law->hold != NULL) {
    return rh_refuse(RH_WRONG_USAGE,
                     "law: a contact under %s holds on across a gap; see routh solve, problem kind "
                     "jkr_impact",
                     name);
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
  } else if (rh_args_flag(args, "mu")) {
    return rh_refuse(RH_WRONG_USAGE, "law: --mu needs a friction law: --friction NAME");
  }
  return RH_OK;
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
                                 : from * rh_pow(to / from, (double)i / (double)(n - 1));
  }
}

static rh_status ask_speeds(const rh_args *args, rh_law_job *job)
{
  const char *text = rh_args_text(args, "speed");
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
static rh_status ask_restitution(const rh_args *args, rh_law_job *job)
{
  const char *text = rh_args_text(args, "e");
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

static rh_status ask_picture(const rh_args *args, rh_law_job *job)
{
  const char *svg = rh_args_text(args, "svg");
  const char *output = rh_args_text(args, "output");
  if (svg != NULL && output != NULL) {
    return rh_refuse(RH_WRONG_USAGE, "law: --svg and --output are given; one picture is drawn");
  }
  job->output = svg != NULL ? svg : output;
  if (job->output == NULL) {
    return RH_OK;
  }
  if (args->request.json && strcmp(job->output, "-") == 0) {
    return rh_refuse(RH_WRONG_USAGE, "law: --json and a picture cannot both go to standard output");
  }
  if (svg != NULL && strcmp(svg, "-") != 0 && !rh_file_has_ending(svg, ".svg")) {
    return rh_refuse(RH_WRONG_USAGE, "law: '%s' does not end in .svg; use -o for others", svg);
  }
  return rh_picture_check("law", job->output);
}

rh_status rh_law_ask(const rh_args *args, rh_diag *diag, rh_law_job *job)
{
  job->request = &args->request;
  job->mass = 1;
  job->radius = 0.05;
  RH_TRY(ask_rows(args, job));
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
  RH_TRY(ask_speeds(args, job));
  RH_TRY(ask_restitution(args, job));
  RH_TRY(ask_picture(args, job));
  for (int i = 0; i < 2 * args->request.nset; i++) {
    rh_law_set(job, args->request.set[i % args->request.nset], i >= args->request.nset, diag);
  }
  if (rh_args_flag(args, "mu")) {
    rh_law_set_mu(job, rh_args_text(args, "mu"), diag);
  }
  if (rh_diag_count(diag, RH_ERROR) == 0) {
    rh_law_check(job, diag);
  }
  const char *fit = rh_args_text(args, "fit");
  if (fit != NULL && !isnan(job->wanted)) {
    return rh_refuse(RH_WRONG_USAGE, "law: --fit and --e both set the damping; give one of them");
  }
  if (fit != NULL && rh_diag_count(diag, RH_ERROR) == 0) {
    RH_TRY(rh_law_measure(job, fit, diag));
  }
  return rh_diag_count(diag, RH_ERROR) > 0 ? RH_INPUT_REFUSED : RH_OK;
}
