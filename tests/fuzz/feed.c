// feed.c: takes any bytes as a scene or as a problem file and follows them as far as they go. Nothing is read from
// or written to disk. What must hold: a refusal says why; an accepted scene can be written, read back and compiled to
// the same counts; its dynamics can be evaluated.
#include "fuzz/feed.h"

#include "problems/problem_runner.h"

#include <routh/routh.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST(condition)                                                                            \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      (void)fprintf(stderr, "fuzz: %s does not hold\n", #condition);                               \
      abort();                                                                                     \
    }                                                                                              \
  } while (0)

// Beyond this one evaluation takes so long that the fuzzer would see little else.
#define DOF_MAX 2000

static void evaluate(const rh_model *model)
{
  if (model->nv > DOF_MAX) {
    return;
  }
  rh_data *data = rh_data_create(model);
  if (data != NULL) {
    rh_kinematics(data);
    rh_loads(data);
    rh_forward_dynamics(data);
    rh_data_destroy(data);
  }
}

static rh_model *read_and_compile(const char *text, size_t bytes, const char *set, rh_scene **scene)
{
  rh_diag *diag = rh_diag_create();
  rh_model *model = NULL;
  MUST(diag != NULL);
  rh_status status =
      rh_scene_parse(text, bytes, "fuzz.yaml", &set, set != NULL ? 1 : 0, diag, scene);
  if (status == RH_OK) {
    MUST(*scene != NULL);
    status = rh_scene_compile(*scene, diag, &model);
    MUST((status == RH_OK) == (model != NULL));
  }
  if (status != RH_OK) {
    MUST(rh_diag_count(diag, RH_ERROR) > 0);
  }
  for (int i = 0; i < rh_diag_kept(diag); i++) {
    char line[512];
    rh_message message = rh_diag_get(diag, i);
    MUST(message.text != NULL && message.text[0] != '\0');
    (void)rh_message_format(&message, line, sizeof line);
  }
  rh_diag_destroy(diag);
  return model;
}

// The first line of an input may be "# -s path=value": an override, as on the command line.
static char *override_of(const char *text, size_t size)
{
  static const char head[] = "# -s ";
  size_t skip = sizeof head - 1;
  if (size < skip || memcmp(text, head, skip) != 0) {
    return NULL;
  }
  const char *end = memchr(text, '\n', size);
  size_t length = (end != NULL ? (size_t)(end - text) : size) - skip;
  char *copy = calloc(length + 1, 1);
  MUST(copy != NULL);
  memcpy(copy, text + skip, length);
  return copy;
}

static void feed(const char *text, size_t size, const char *set)
{
  rh_scene *scene = NULL;
  rh_model *model = read_and_compile(text, size, set, &scene);
  if (model != NULL) {
    evaluate(model);
    char *written = rh_scene_write(scene, (size & 1) != 0);
    MUST(written != NULL);
    rh_scene *again = NULL;
    rh_model *same = read_and_compile(written, strlen(written), NULL, &again);
    MUST(same != NULL);
    MUST(same->nbody == model->nbody && same->nv == model->nv && same->nevent == model->nevent);
    MUST(same->layout.nstate == model->layout.nstate);
    rh_model_destroy(same);
    rh_scene_destroy(again);
    rh_free(written);
  }
  rh_model_destroy(model);
  rh_scene_destroy(scene);
}

void rh_feed_scene(const uint8_t *bytes, size_t size)
{
  char *set = override_of((const char *)bytes, size);
  feed((const char *)bytes, size, set);
  free(set);
}

// A text that begins with < is a robot; meshes that it names are looked for in a folder that is not there.
void rh_feed_urdf(const uint8_t *bytes, size_t size)
{
  char *text = malloc(size + 1);
  MUST(text != NULL);
  text[0] = '<';
  memcpy(text + 1, bytes, size);
  if (size > 0 && bytes[0] == '<') {
    feed((const char *)bytes, size, NULL);
  } else {
    feed(text, size + 1, NULL);
  }
  free(text);
}

// A text that does not begin with the first `head` characters of `open` is what such an element holds.
static void feed_inside(const uint8_t *bytes, size_t size, const char *open, size_t head,
                        const char *close)
{
  size_t before = strlen(open);
  size_t after = strlen(close);
  char *text = malloc(size + before + after + 1);
  MUST(text != NULL);
  if (size > head && memcmp(bytes, open, head) == 0) {
    feed((const char *)bytes, size, NULL);
  } else {
    memcpy(text, open, before);
    memcpy(text + before, bytes, size);
    memcpy(text + before + size, close, after + 1);
    feed(text, size + before + after, NULL);
  }
  free(text);
}

void rh_feed_mjcf(const uint8_t *bytes, size_t size)
{
  feed_inside(bytes, size, "<mujoco>", 7, "</mujoco>");
}

void rh_feed_sdf(const uint8_t *bytes, size_t size)
{
  feed_inside(bytes, size, "<sdf version='1.9'><model name='m'>", 4, "</model></sdf>");
}

void rh_feed_problem(const uint8_t *bytes, size_t size)
{
  rh_diag *diag = rh_diag_create();
  MUST(diag != NULL);
  char *json = NULL;
  rh_status status = rh_solve_text((const char *)bytes, size, "fuzz.json", NULL, NULL, diag, &json);
  if (status == RH_OK) {
    MUST(json != NULL);
  } else {
    MUST(json != NULL || rh_diag_count(diag, RH_ERROR) > 0);
  }
  rh_free(json);
  rh_diag_destroy(diag);
}
