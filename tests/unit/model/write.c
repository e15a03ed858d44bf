// unit_write.c: scenes written out: what is written is what is read, bit for bit, and says where it came from.
#include "test.h"

#include "model/schema.h"

#include <math.h>
#include <routh/routh.h>
#include <stdio.h>
#include <string.h>

// Parses what must be good.
static rh_scene *parse_good(const char *text, const char *const *set, int nset)
{
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  rh_status status = rh_scene_parse(text, strlen(text), "s.yaml", set, nset, diag, &scene);
  if (status != RH_OK) {
    char line[2048];
    rh_message m = rh_diag_get(diag, 0);
    (void)rh_message_format(&m, line, sizeof line);
    ck_abort_msg("%s", line);
  }
  rh_diag_destroy(diag);
  return scene;
}

static void check_packed(void *a, void *b)
{
  rh_packed *x = a;
  rh_packed *y = b;
  ck_assert_int_eq(x->n, y->n);
  ck_assert(x->n == 0 || memcmp(x->x, y->x, (size_t)x->n) == 0);
  memset(x, 0, sizeof *x);
  memset(y, 0, sizeof *y);
}

// Each scene has its own copy of a long list: the numbers are compared, and what points to them is wiped out.
static void check_numbers(void *a, void *b)
{
  rh_numbers *x = a;
  rh_numbers *y = b;
  ck_assert_int_eq(x->n, y->n);
  ck_assert(x->n == 0 || memcmp(x->x, y->x, (size_t)x->n * sizeof(double)) == 0);
  memset(x, 0, sizeof *x);
  memset(y, 0, sizeof *y);
}

static void check_same(const rh_scene *a, const rh_scene *b)
{
  for (int id = 0; id < RH_SECTION_COUNT; id++) {
    int count = rh_scene_count(a, (rh_section_id)id);
    ck_assert_int_eq(rh_scene_count(b, (rh_section_id)id), count);
    for (int i = 0; i < count; i++) {
      union {
        double align;
        char bytes[4096];
      } x, y;

      memcpy(&x, rh_scene_item(a, (rh_section_id)id, i), rh_sections[id].size);
      memcpy(&y, rh_scene_item(b, (rh_section_id)id, i), rh_sections[id].size);
      for (int f = 0; f < rh_sections[id].nfield; f++) {
        if (rh_sections[id].field[f].param.type == RH_PACKED) {
          check_packed(x.bytes + rh_sections[id].field[f].offset,
                       y.bytes + rh_sections[id].field[f].offset);
        } else if (rh_sections[id].field[f].param.type == RH_NUMBERS) {
          check_numbers(x.bytes + rh_sections[id].field[f].offset,
                        y.bytes + rh_sections[id].field[f].offset);
        }
      }
      ck_assert_msg(memcmp(&x, &y, rh_sections[id].size) == 0, "%s[%d] differs",
                    rh_sections[id].name, i);
    }
  }
}

static void check_round_trip(const rh_scene *scene)
{
  for (int places = 0; places < 2; places++) {
    char *text = rh_scene_write(scene, places != 0);
    ck_assert_ptr_nonnull(text);
    rh_scene *again = parse_good(text, NULL, 0);
    check_same(scene, again);
    char *twice = rh_scene_write(again, false);
    ck_assert(places != 0 || strcmp(text, twice) == 0);
    rh_free(twice);
    rh_free(text);
    rh_scene_destroy(again);
  }
}

typedef struct dice {
  uint64_t state;
} dice;

static uint64_t roll(dice *d)
{
  d->state = d->state * 6364136223846793005u + 1442695040888963407u;
  return d->state >> 11;
}

// A number in the range of the parameter, with all its digits.
static double roll_number(dice *d, const rh_param *param)
{
  double lo = fmax(param->lo, -1e3);
  double hi = fmin(param->hi, 1e3);
  double x = lo + (hi - lo) * (double)roll(d) * 0x1p-53;
  if (roll(d) % 8 == 0 && isinf(param->hi)) {
    return HUGE_VAL;
  }
  if (roll(d) % 8 == 0 && isinf(param->lo)) {
    return -HUGE_VAL;
  }
  return param->open && x <= param->lo ? hi : x;
}

static void roll_name(dice *d, rh_name *name)
{
  static const char *const words[] = {"rod", "b-2", "no",   "null", "x_1",
                                      "-a",  "1e5", "true", "Inf"};
  *name = rh_name_of(words[roll(d) % RH_COUNT(words)]);
}

static int count_words(const char *words)
{
  int n = 1;
  for (; *words; words++) {
    n += *words == '|';
  }
  return n;
}

// The scene takes a copy, so that the same room serves for all.
static void roll_numbers(dice *d, const rh_param *param, rh_numbers *numbers)
{
  static double room[40];
  numbers->n = (int)(roll(d) % (RH_COUNT(room) + 1));
  numbers->x = numbers->n > 0 ? room : NULL;
  for (int i = 0; i < numbers->n; i++) {
    room[i] = roll_number(d, param);
  }
}

static void roll_packed(dice *d, rh_packed *packed)
{
  static char room[2500]; // several lines
  packed->n = (int)(roll(d) % (RH_COUNT(room) + 1));
  packed->x = packed->n > 0 ? room : NULL;
  for (int i = 0; i < packed->n; i++) {
    room[i] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[roll(d) % 64];
  }
}

static void roll_field(dice *d, const rh_schema_field *field, void *def)
{
  void *at = (char *)def + field->offset;
  const rh_param *p = &field->param;
  int n = p->type == RH_LIST ? (int)(roll(d) % (uint64_t)(p->count + 1)) : p->count;
  double *x = p->type == RH_LIST ? ((rh_list *)at)->x : at;
  switch (p->type) {
  case RH_NUMBER:
    *(double *)at = roll_number(d, p);
    break;
  case RH_LIST:
    ((rh_list *)at)->n = n;
    // fall through
  case RH_VECTOR:
    for (int i = 0; i < n; i++) {
      x[i] = roll_number(d, p);
    }
    break;
  case RH_INTEGER: // meshes of a scene that was read are not to be divided any more
    *(int *)at = strcmp(p->name, "parts") == 0 ? 0 : (int)roll_number(d, p);
    break;
  case RH_FLAG:
    *(bool *)at = roll(d) % 2 == 0;
    break;
  case RH_CHOICE:
    *(int *)at = (int)(roll(d) % (uint64_t)count_words(p->choices));
    break;
  case RH_TEXT:
    roll_name(d, at);
    break;
  case RH_NUMBERS:
    roll_numbers(d, p, at);
    break;
  case RH_PACKED:
    roll_packed(d, at);
    break;
  case RH_PATH: // a scene that was read names no file any more: see unit_scene_mesh.c
    break;
  }
}

static void roll_row(dice *d, const rh_section *section, int which, void *def)
{
  const rh_selector *selector = &section->select[which];
  rh_name *name = (rh_name *)(void *)((char *)def + section->field[selector->field].offset);
  int count = 0;
  while (selector->row_at(count)) {
    count++;
  }
  const rh_row *row = selector->row_at((int)(roll(d) % (uint64_t)count));
  *name = rh_name_of(row->name);
  double *par = rh_section_par(section, which, def);
  if (!rh_selector_applies(selector, def)) { // as the reader has it
    memset(name, 0, sizeof *name);
    memset(par, 0, RH_PAR_MAX * sizeof *par);
    return;
  }
  rh_row_defaults(row, par);
  for (int i = 0; i < row->nparam; i++) {
    double *at = par + rh_row_offset(row, i);
    const rh_param *p = &row->param[i];
    for (int j = 0; j < rh_param_size(p); j++) {
      at[j] = p->type == RH_CHOICE    ? (double)(roll(d) % (uint64_t)count_words(p->choices))
              : p->type == RH_INTEGER ? floor(roll_number(d, p))
                                      : roll_number(d, p);
    }
  }
}

// Every field of every section at random, whether it makes sense or not: what is written is what is read.
START_TEST(test_write_random)
{
  dice d = {(uint64_t)_i + 1};
  rh_scene *scene = rh_scene_create();
  for (int id = 0; id < RH_SECTION_COUNT; id++) {
    const rh_section *section = &rh_sections[id];
    for (int i = 0; i < 5; i++) {
      union {
        double align;
        char bytes[4096];
      } def;

      ck_assert_uint_le(section->size, sizeof def);
      rh_section_default((rh_section_id)id, &def);
      for (int f = 0; f < section->nfield; f++) {
        roll_field(&d, &section->field[f], &def);
      }
      for (int k = 0; k < section->nselect; k++) {
        roll_row(&d, section, k, &def);
      }
      ck_assert_int_ne(rh_scene_put(scene, (rh_section_id)id, &def, NULL), RH_NONE);
    }
  }
  check_round_trip(scene);
  rh_scene_destroy(scene);
}

END_TEST

static const char pendulum[] =
    "bodies:\n"
    "  - {name: rod, mass: 1.5kg, com: [50 cm, 0, 0], inertia: [1, 2, 2, 0, 0, 0]}\n"
    "  - {mass: 250 g, name: bob}\n"
    "joints:\n"
    "  - {axis: [0, 1, 0], q: 30 deg, kind: revolute, child: rod, name: hinge, limits: [-inf, 1]}\n"
    "  - {kind: prismatic, parent: rod, child: bob, held: yes, spring: 2 kN/m}\n"
    "shapes: [{body: bob, kind: box, size: [10 mm, 0.2, 0.3]}]\n"
    "forces: [{name: wind, body: rod, force: [1, 2, 3], frame: body}]\n"
    "run: {rtol: 1e-7, until: 2 min, integrator: cvode, method: bdf}\n";

START_TEST(test_write_places)
{
  static const char *const set[] = {"rod.mass=2"};
  rh_scene *scene = parse_good(pendulum, set, 1);
  check_round_trip(scene);
  char *text = rh_scene_write(scene, true);
  static const char *const lines[] = {
      "world:\n  gravity: [0, 0, -9.81]                        # default\n",
      "\nbodies:\n  - name: rod                                   # s.yaml:2\n",
      "\n    mass: 2                                     # -s\n",
      "\n    inertia: []                                 # default\n",
      "\n    limits: [-.inf, 1]                          # s.yaml:5\n",
      "\n    until: .inf                                 # default\n",
      "\n    size: [0.01, 0.2, 0.3]                      # s.yaml:7\n",
      "\n  method: bdf                                   # s.yaml:9\n",
  };
  for (int i = 0; i < RH_COUNT(lines); i++) {
    ck_assert_msg(strstr(text, lines[i]) != NULL, "'%s' is not in\n%s", lines[i], text);
  }
  rh_free(text);
  rh_scene_destroy(scene);
}

END_TEST

START_TEST(test_write_default)
{
  rh_scene *scene = rh_scene_create();
  check_round_trip(scene);
  rh_body_def body = rh_body_default();
  body.name = rh_name_of("bad \"name\\ \x01\xff: #");
  body.com[1] = NAN; // cannot be said: left out
  rh_scene_add_body(scene, &body);
  char *text = rh_scene_write(scene, false);
  ck_assert_ptr_nonnull(strstr(text, "name: \"bad \\\"name\\\\ ??: #\"\n"));
  ck_assert_ptr_null(strstr(text, "com:"));
  rh_free(text);
  rh_scene_destroy(scene);
}

END_TEST

Suite *rh_suite_unit_write(void)
{
  Suite *suite = suite_create("unit_write");
  TCase *writing = tcase_create("writing");
  tcase_add_loop_test(writing, test_write_random, 0, 20);
  tcase_add_test(writing, test_write_places);
  tcase_add_test(writing, test_write_default);
  suite_add_tcase(suite, writing);
  return suite;
}
