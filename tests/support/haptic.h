// haptic.h: worlds for the tests of the haptic loop: a scene of the repository, or a text, with values set.
#ifndef ROUTH_TEST_HAPTIC_H
#define ROUTH_TEST_HAPTIC_H

#include "haptic/haptic.h"
#include "test.h"

#include <math.h>
#include <routh/routh.h>
#include <stdio.h>
#include <string.h>

typedef struct felt { // a world with its loop
  rh_model *m;
  rh_data *d;
  rh_haptic *h;
  int warnings;
} felt;

static inline felt felt_of(rh_scene *scene, rh_diag *diag)
{
  felt f = {0};
  rh_status status = scene ? rh_scene_compile(scene, diag, &f.m) : RH_INPUT_REFUSED;
  ck_assert_msg(status == RH_OK, "%s",
                rh_diag_kept(diag) > 0 ? rh_diag_get(diag, 0).text : "no message");
  rh_scene_destroy(scene);
  ck_assert_int_eq(rh_haptic_create(f.m, diag, &f.h), RH_OK);
  f.d = rh_data_create(f.m);
  ck_assert_ptr_nonnull(f.d);
  f.warnings = (int)rh_diag_count(diag, RH_WARNING);
  rh_diag_destroy(diag);
  return f;
}

static inline felt felt_scene(const char *name, const char *const *set, int n)
{
  char path[512];
  rh_scene *scene = NULL;
  rh_diag *diag = rh_diag_create();
  (void)snprintf(path, sizeof path, "%s/scenes/%s", ROUTH_SOURCE_DIR, name);
  rh_status status = rh_scene_load(path, set, n, diag, &scene);
  ck_assert_msg(status == RH_OK, "%s: %s", name,
                rh_diag_kept(diag) > 0 ? rh_diag_get(diag, 0).text : "no message");
  return felt_of(scene, diag);
}

static inline felt felt_text(const char *text)
{
  rh_scene *scene = NULL;
  rh_diag *diag = rh_diag_create();
  rh_status status = rh_scene_parse(text, strlen(text), "text", NULL, 0, diag, &scene);
  ck_assert_msg(status == RH_OK, "%s",
                rh_diag_kept(diag) > 0 ? rh_diag_get(diag, 0).text : "no message");
  return felt_of(scene, diag);
}

static inline void felt_end(felt *f)
{
  rh_haptic_destroy(f->h);
  rh_data_destroy(f->d);
  rh_model_destroy(f->m);
}

#endif
