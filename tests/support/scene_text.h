// scene_text.h: scenes from texts in a test: those that must be good, those that are refused and where, two that
// must mean the same.
#ifndef ROUTH_TESTS_SCENE_TEXT_H
#define ROUTH_TESTS_SCENE_TEXT_H

#include "test.h"

#include "model/schema.h"

#include <routh/routh.h>
#include <stdio.h>
#include <string.h>

static inline rh_scene *parse_scene(const char *text, const char *const *set, int nset,
                                    rh_diag *diag)
{
  rh_scene *scene = NULL;
  rh_status status = rh_scene_parse(text, strlen(text), "s.yaml", set, nset, diag, &scene);
  ck_assert_int_eq(status == RH_OK, scene != NULL);
  ck_assert_int_eq(status == RH_OK, rh_diag_count(diag, RH_ERROR) == 0);
  ck_assert(status == RH_OK || status == RH_INPUT_REFUSED);
  return scene;
}

// Parses what must be good.
static inline rh_scene *parse_good_scene(const char *text, const char *const *set, int nset)
{
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = parse_scene(text, set, nset, diag);
  if (!scene) {
    char line[2048];
    rh_message m = rh_diag_get(diag, 0);
    (void)rh_message_format(&m, line, sizeof line);
    ck_abort_msg("%s", line);
  }
  rh_diag_destroy(diag);
  return scene;
}

typedef struct refusal {
  const char *text;    // the scene
  const char *set;     // an override, NULL
  int line, column;    // of the message
  const char *message; // how it begins
} refusal;

static inline void check_refusal(const refusal *r)
{
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = parse_scene(r->text, &r->set, r->set ? 1 : 0, diag);
  ck_assert_msg(scene == NULL, "taken: %s", r->text);
  rh_message m = rh_diag_get(diag, 0);
  ck_assert_msg(strncmp(m.text, r->message, strlen(r->message)) == 0, "said '%s', wanted '%s'",
                m.text, r->message);
  ck_assert_msg(m.place.line == r->line && m.place.column == r->column,
                "'%s' at %d:%d, wanted %d:%d", m.text, m.place.line, m.place.column, r->line,
                r->column);
  rh_diag_destroy(diag);
}

// Both texts give the same values in force, word by word.
static inline void check_same_scene(const char *text, const char *other, const char *const *set,
                                    int nset)
{
  rh_scene *scene[2] = {parse_good_scene(text, set, nset), parse_good_scene(other, NULL, 0)};
  char *written[2] = {rh_scene_write(scene[0], false), rh_scene_write(scene[1], false)};
  ck_assert_str_eq(written[0], written[1]);
  for (int i = 0; i < 2; i++) {
    rh_free(written[i]);
    rh_scene_destroy(scene[i]);
  }
}

#endif
