// results.h: printed results of `routh run`, `law`, `impact`, `compare` and `paper`: for people, and as
// JSON.
#ifndef ROUTH_CLI_RESULTS_H
#define ROUTH_CLI_RESULTS_H

#include "cli.h"
#include "compare/compare.h"
#include "explore/impacts/impact.h"
#include "explore/law.h"
#include "explore/run.h"
#include "reproduce/figure.h"

// summary.c: the end of a run
void rh_run_summary(const rh_run *run);
rh_status rh_run_json(const rh_run *run);
// Fills in the job from the command line; reports errors (law_ask.c).
rh_status rh_law_ask(const rh_args *args, rh_diag *diag, rh_law_job *job);
// impact_print.c: planar impacts, and impacts in space
rh_status rh_impact_print(const rh_impact_show *show, bool color);
rh_status rh_impact_print_json(const rh_impact_show *show, const char *output);
rh_status rh_impact_space_print(const rh_impact_show *show, const rh_impact_seen *seen, bool color);
rh_status rh_impact_space_json(const rh_impact_show *show, const rh_impact_seen *seen);
// compare_print.c: laws, haptic methods, recordings
rh_status rh_compare_print(const rh_compare_job *job);
rh_status rh_compare_json(const rh_compare_job *job);
// cmd_fit.c: what a fit and a ranking ask for; free in any case
typedef struct rh_fit_arguments {
  rh_words data, test, free, noise, rename, channels, starts; // the options lend all but the first two
  rh_fit_options options;
} rh_fit_arguments;
rh_status rh_fit_read_arguments(const rh_args *args, rh_fit_arguments *given);
void rh_fit_arguments_free(rh_fit_arguments *given);
rh_status rh_methods_print(const rh_request *request, const rh_compared_methods *j);
rh_status rh_methods_json(const rh_request *request, const rh_compared_methods *j);
rh_status rh_runs_print(const rh_request *request, const rh_run_pair *p);
rh_status rh_runs_json(const rh_run_pair *p);

// Options of verbs that compare a scene with measured series (cmd_fit.c, cmd_compare.c)
#define RH_OPTIONS_OF_DATA \
    {.name = "free", \
     .value = "PATH,...", \
     .many = true, \
     .doc = "values to find, as after -s: floor.mu_k=0.05:0.5"}, \
    {.name = "start", \
     .value = "FROM,...", \
     .many = true, \
     .doc = "trials begin by scene, data or fit; JOINT=FROM"}, \
    {.name = "noise", \
     .value = "CH=X,...", \
     .many = true, \
     .doc = "deviation of a channel (SI): hinge.q=1e-3, j.q*=0.01"}, \
    {.name = "rename", \
     .value = "A=B,...", \
     .many = true, \
     .doc = "column A of the data is channel B; - leaves it out"}, \
    {.name = "channels", \
     .value = "CH,...", \
     .many = true, \
     .doc = "channels that count, j.*; of a recording: its joints"}, \
    {.name = "every", .value = "T", .doc = "leave out rows closer than T [s] to the one before"}, \
    {.name = "window", \
     .value = "HOW", \
     .doc = "windows: T [s]; contacts: flight to flight; contacts:T"}, \
    {.name = "threads", .value = "N", .doc = "threads; the result does not depend on them"}, \
    {.name = "robust", \
     .doc = "residuals of more than two deviations count less"}

#endif
