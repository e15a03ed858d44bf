// cmd_law.c: `routh law`: a single contact law: its parameters, free impacts over a range of
// speeds, the damping for a wanted restitution, a picture.
#include "results.h"

#include <string.h>

// Without a name: the tables of the laws, as `routh list` shows them.
static rh_status list_laws(const rh_args *args)
{
  const rh_verb *list = rh_verb_find("list");
  const char *kind[] = {"laws", "frictions"};
  rh_status status = RH_OK;
  for (int i = 0; status == RH_OK && i < (args->request.json ? 1 : 2); i++) {
    rh_args one = {.verb = list,
                   .request = {.file = &kind[i],
                               .nfile = 1,
                               .json = args->request.json,
                               .quiet = args->request.quiet,
                               .no_color = args->request.no_color}};
    if (i > 0) {
      puts("\nfriction, with any of them (--friction NAME):");
    }
    status = list->run(&one);
  }
  return status;
}

static rh_status answer_law(rh_law_job *job)
{
  RH_TRY(rh_law_fit(job));
  if (job->measured != NULL && !job->request->json) { // first: an impact may be refused
    RH_TRY(rh_law_measured_print(job->measured, rh_color_allowed(job->request, stdout)));
  }
  for (int i = 0; i < job->nspeed; i++) {
    if (job->request->json && !rh_law_shot_room(&job->shot[i])) {
      return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
    }
    RH_TRY(rh_law_shoot(job, job->speed[i], &job->shot[i]));
  }
  if (job->friction != NULL) {
    job->slip = rh_alloc(sizeof *job->slip);
    if (job->slip == NULL) {
      return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
    }
    RH_TRY(rh_law_rub(job, job->slip));
  }
  bool streamed = job->output != NULL && strcmp(job->output, "-") == 0;
  if (job->output != NULL) {
    RH_TRY(rh_law_draw(job));
  }
  if (job->request->json) {
    RH_TRY(rh_law_print_json(job));
  } else if (!streamed && !(job->request->quiet && job->output != NULL)) {
    RH_TRY(rh_law_print(job, rh_color_allowed(job->request, stdout)));
  }
  if (job->output != NULL && !streamed) {
    rh_say(job->request, "wrote %s", job->output);
  }
  return RH_OK;
}

static rh_status law_verb(const rh_args *args)
{
  if (args->request.nfile == 0) {
    return list_laws(args);
  }
  rh_law_job *job = rh_alloc(sizeof *job);
  rh_diag *diag = rh_diag_create();
  rh_status status = RH_OUT_OF_MEMORY;
  if (job != NULL && diag != NULL) {
    status = rh_law_ask(args, diag, job);
    rh_diag_print(&args->request, diag, "nothing was computed");
    if (status == RH_OK) {
      status = answer_law(job);
    }
    for (int i = 0; i < RH_LAW_SPEEDS; i++) {
      rh_law_shot_free(&job->shot[i]);
    }
    rh_free(job->slip);
    rh_law_measured_free(job->measured);
  } else {
    rh_refuse(status, "out of memory");
  }
  rh_diag_destroy(diag);
  rh_free(job);
  return status;
}

static const rh_option option[] = {
    {.name = "speed",
     .value = "FROM:TO:N",
     .doc = "impact speeds, spaced by equal ratios, or V for one; default: 0.01:10:7 (m/s)"},
    {.name = "mass", .value = "M", .doc = "mass of the body; default: 1 kg"},
    {.name = "radius", .value = "R", .doc = "radius of curvature, or inf; default: 0.05 m"},
    {.name = "e",
     .value = "X[@V]",
     .doc = "fit the damping for restitution X at speed V; default: that of --speed V, or 1 m/s"},
    {.name = "fit",
     .value = "FILE",
     .doc = "fit the parameters not given by -s to measured points: CSV with depth,rate,force, SI"},
    {.name = "friction",
     .value = "NAME",
     .from = "frictions",
     .doc = "add a friction law, in slow motion to and fro"},
    {.name = "mu", .value = "X", .doc = "coefficient of friction, at rest and in motion"},
    {.name = "set",
     .letter = 's',
     .value = "NAME=VALUE",
     .set = "",
     .doc = "change a parameter: -s k=1e6 -s friction.k=2e5; 'routh list laws NAME' shows them"},
    {.name = "svg", .value = "FILE", .doc = "as -o, SVG only"},
    RH_OPTION_OUTPUT("picture FILE.svg or FILE.png; - is standard output (SVG, no table)"),
};

static const rh_example example[] = {
    {"law hunt-crossley -s alpha=0.3 -o law.svg", "force loops and restitution over speed"},
    {"law hunt-crossley --fit loop.csv -s n=1", "k and alpha from a measured loop"},
    {"law kelvin-voigt --mass 50 --speed 0.5 --e 0.8", "damping that gives e = 0.8 at 0.5 m/s"},
};

const rh_verb rh_verb_law = {
    .row = {.name = "law",
            .cite = "",
            .doc = "A contact law by itself: force loops, e(v), contact time, losses."},
    .group = "One contact",
    .usage = "[NAME]",
    .more = "Without a name the laws are listed. A row of the table is one free impact: "
            "restitution, contact time, greatest depth and force, energy lost. The picture shows "
            "force against depth, e against speed and, with --friction, friction against "
            "displacement. Pictures need gnuplot.",
    .option = option,
    .noption = RH_COUNT(option),
    .example = example,
    .nexample = RH_COUNT(example),
    .from = "laws",
    .least = 0,
    .most = 1,
    .run = law_verb,
};
