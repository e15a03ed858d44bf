// cmd_sweep.c: `routh sweep`: many cases of one scene, on all cores or on a cluster.
#include "cli.h"
#include "sweep/report.h"
#include "sweep/run.h"

static rh_status sweep_verb(const rh_args *args)
{
  const rh_sweep_options asked = {
      .plan = {.vary = rh_args_text(args, "vary"),
               .out = rh_args_text(args, "out"),
               .design = rh_args_text(args, "design"),
               .cases = rh_args_text(args, "cases"),
               .seed = rh_args_text(args, "seed")},
      .output = rh_args_text(args, "output"),
      .resume = rh_args_text(args, "resume"),
      .workers = rh_args_text(args, "workers"),
      .lease = rh_args_text(args, "lease"),
      .managers = rh_args_text(args, "managers"),
      .one = rh_args_text(args, "case"),
      .exported = rh_args_text(args, "export"),
      .picture = {rh_args_text(args, "plot"), rh_args_text(args, "over"), rh_args_text(args, "of")},
  };
  rh_diag *diag = rh_diag_create();
  if (diag == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  rh_status status = rh_sweep_do(&args->request, &asked, diag);
  rh_diag_print(&args->request, diag, status == RH_OK ? NULL : "the sweep was not run");
  rh_diag_destroy(diag);
  return status;
}

static const rh_option option[] = {
    {.name = "vary",
     .value = "PATH=VALUES",
     .repeats = true,
     .doc =
         "a scene value and its values: A,B,... or LO:HI:N or uniform(LO,HI), loguniform(LO,HI), "
         "normal(MEAN,DEVIATION); repeat it for further ones"},
    {.name = "out",
     .value = "NAME,...",
     .many = true,
     .doc =
         "what is kept of a case: CHANNEL@end, start, min, max, mean or rms; events, events:KIND, "
         "first:KIND, verdicts, residue, deepest, peak, until, steps"},
    {.name = "design",
     .value = "NAME",
     .choices = "grid|random|latin|sobol",
     .doc = "which cases there are; default: grid, with --cases or a distribution sobol"},
    {.name = "cases", .value = "N", .doc = "number of cases of a design that is no grid"},
    {.name = "seed", .value = "N", .doc = "of random, latin and sobol; default: 1"},
    {.name = "workers",
     .value = "N",
     .doc = "processes; default: one per core; 0: none, all cases in this one"},
    {.name = "lease",
     .value = "T",
     .doc = "after this time without a result a worker's cases go to another one"},
    {.name = "managers",
     .value = "N",
     .doc = "under MPI: ranks that stand between the first and the others; default: 0"},
    {.name = "case", .value = "K", .doc = "run only this case, print it and keep nothing"},
    {.name = "resume", .value = "FILE.rsw", .doc = "continue this sweep"},
    {.name = "export", .value = "FILE", .doc = "also write the results as FILE.csv or FILE.h5"},
    {.name = "plot", .value = "FILE", .doc = "also draw the results: FILE.svg or FILE.png"},
    {.name = "of",
     .value = "NAME,...",
     .many = true,
     .doc = "outcomes that --plot draws; default: the first"},
    {.name = "over",
     .value = "PATH[,PATH]",
     .many = true,
     .doc = "the varied value of the horizontal axis of --plot, or the two of a map; default: the "
            "first two"},
    RH_OPTION_SET,
    RH_OPTION_OUTPUT("name of the journal; default: that of the scene with .rsw, in this folder"),
    RH_OPTION_PROGRESS,
};

static const rh_example example[] = {
    {"sweep ball.yaml --vary floor.mu=0:0.5:11 --out ball.vx@end", "eleven values of the friction"},
    {"sweep --resume ball.rsw --export ball.csv",
     "continue what was cut off; a table of all cases"},
};

const rh_verb rh_verb_sweep = {
    .row = {.name = "sweep",
            .cite = "",
            .doc = "Run many cases of a scene: grids, random and Sobol designs."},
    .group = "Simulate",
    .usage = "[SCENE | FILE.rsw]",
    .more = "Results go into a journal, an SQLite file with one row per case. A case that is "
            "refused or stops is a "
            "row too. The finished journal has the same bytes for any number of workers.",
    .option = option,
    .noption = RH_COUNT(option),
    .example = example,
    .nexample = RH_COUNT(example),
    .ending = "yaml|yml|json|urdf|xml|sdf|rsw",
    .least = 0,
    .most = 1,
    .run = sweep_verb,
};
