// starts.c: where a trial begins: as the scene does, as was measured, or near that; a joint may have another start than the others.
#include "fit_trial.h"

#include <string.h>

static const char *const start_name[] = {"scene", "data", "fit"};

rh_fit_start rh_fit_start_named(const char *name)
{
  int found = 0;
  for (int i = 0; i < RH_COUNT(start_name); i++) {
    found = strcmp(name, start_name[i]) == 0 ? i : found;
  }
  return (rh_fit_start)found;
}

rh_fit_start rh_fit_start_of(const rh_fit_job *job, const rh_model *m, int joint)
{
  const char *name[] = {rh_model_name(m, RH_OBJECT_JOINT, joint),
                        rh_model_name(m, RH_OBJECT_BODY, joint)};
  for (int i = 0; i < job->starts.n; i++) {
    const char *word = job->starts.word[i];
    size_t length = strcspn(word, "=");
    for (int k = 0; k < 2 && word[length] == '='; k++) {
      if (strlen(name[k]) == length && strncmp(word, name[k], length) == 0) {
        return rh_fit_start_named(word + length + 1);
      }
    }
  }
  return job->start;
}

bool rh_fit_starts_measured(const rh_fit_job *job)
{
  bool measured = job->start != RH_FIT_START_SCENE;
  for (int i = 0; i < job->starts.n; i++) {
    const char *word = job->starts.word[i];
    size_t length = strcspn(word, "=");
    measured = measured ||
               (word[length] == '=' && rh_fit_start_named(word + length + 1) != RH_FIT_START_SCENE);
  }
  return measured;
}

static bool is_joint(const rh_model *m, const char *word, size_t length)
{
  for (int i = 1; i < m->nbody; i++) {
    const char *joint = rh_model_name(m, RH_OBJECT_JOINT, i);
    const char *body = rh_model_name(m, RH_OBJECT_BODY, i);
    if ((strlen(joint) == length && strncmp(word, joint, length) == 0) ||
        (strlen(body) == length && strncmp(word, body, length) == 0)) {
      return true;
    }
  }
  return false;
}

rh_status rh_fit_check_starts(const rh_fit_job *job, const rh_model *model)
{
  for (int i = 0; i < job->starts.n; i++) {
    const char *word = job->starts.word[i];
    size_t length = strcspn(word, "=");
    const char *how = word[length] == '=' ? word + length + 1 : word;
    if (strcmp(how, start_name[rh_fit_start_named(how)]) != 0) {
      return rh_refuse(RH_WRONG_USAGE,
                       "fit: --start takes scene, data or fit, or JOINT=scene, ..., got '%s'",
                       word);
    }
    if (model != NULL && word[length] == '=' && !is_joint(model, word, length)) {
      return rh_refuse(RH_WRONG_USAGE, "fit: --start %s: the scene has no such joint or body",
                       word);
    }
  }
  return RH_OK;
}
