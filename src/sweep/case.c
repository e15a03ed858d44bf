// case.c: one case of a sweep, run in memory. Whatever comes of it is its result: a scene that is
// refused and a run that stops have their status and reason.
#include "sweep.h"

#include <math.h>
#include <string.h>

#define SET_MAX 840 // letters of an override: a path and a value

// The overrides of the case come last, so that they take precedence.
static rh_status read_case_scene(const rh_plan *plan, int64_t index, rh_diag *diag,
                                 rh_scene **scene)
{
  double value[RH_AXES_MAX];
  size_t nset = (size_t)plan->set.n + (size_t)plan->naxis;
  const char **set = rh_alloc(nset * sizeof *set + 1);
  char *text = rh_alloc((size_t)plan->naxis * SET_MAX + 1);
  rh_status status = RH_OUT_OF_MEMORY;
  if (set != NULL && text != NULL) {
    for (int i = 0; i < plan->set.n; i++) {
      set[i] = plan->set.word[i];
    }
    rh_plan_values(plan, index, value);
    for (int i = 0; i < plan->naxis; i++) {
      char *at = text + (size_t)i * SET_MAX;
      int head = snprintf(at, SET_MAX, "%s=", plan->axis[i].path);
      rh_plan_value_text(plan, i, value[i], at + head, SET_MAX - (size_t)head);
      set[plan->set.n + i] = at;
    }
    status = rh_scene_parse(plan->scene_text, plan->scene_bytes, plan->scene_name, set, (int)nset,
                            diag, scene);
  }
  rh_free(set);
  rh_free(text);
  return status;
}

rh_status rh_case_compile(const rh_plan *plan, int64_t index, rh_diag *diag, rh_model **model)
{
  rh_scene *scene = NULL;
  *model = NULL;
  RH_TRY(read_case_scene(plan, index, diag, &scene));
  rh_status status = rh_scene_compile(scene, diag, model);
  rh_scene_destroy(scene);
  return status;
}

// The first error, without its place, which is a line of the scene or of the overrides.
static void keep_reason(const rh_diag *diag, rh_case *result)
{
  for (int i = 0; i < rh_diag_kept(diag); i++) {
    rh_message message = rh_diag_get(diag, i);
    if (message.severity == RH_ERROR) {
      snprintf(result->reason, sizeof result->reason, "%s", message.text);
      return;
    }
  }
  snprintf(result->reason, sizeof result->reason, "%s", rh_status_message(result->status));
}

rh_status rh_case_run(const rh_plan *plan, int64_t index, rh_case *result)
{
  *result = (rh_case){.index = index};
  for (int i = 0; i < plan->out.n; i++) {
    result->value[i] = (double)NAN;
  }
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  if (diag == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  rh_trial trial = {0};
  result->status = read_case_scene(plan, index, diag, &scene);
  if (result->status == RH_OK) {
    result->status =
        rh_trial_run(scene, (const char *const *)plan->out.series, plan->out.nseries, diag, &trial);
  }
  bool measured = result->status == RH_OK;
  if (!measured) {
    keep_reason(diag, result);
  } else if (trial.ended != RH_OK) {
    result->status = trial.ended;
    snprintf(result->reason, sizeof result->reason, "%s", trial.reason);
  }
  if (measured) {
    rh_outcomes_measure(&plan->out, &trial, result->value);
  }
  rh_trial_free(&trial);
  rh_scene_destroy(scene);
  rh_diag_destroy(diag);
  return result->status == RH_INTERRUPTED || result->status == RH_OUT_OF_MEMORY ? result->status
                                                                                : RH_OK;
}
