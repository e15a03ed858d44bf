// unit_loops.c: the section `loops`: what is refused and where, and that the equations of every row change at the rate they say.
#include "world.h"

#include "model/schema.h"

// ---- What a scene may say

#define WORLD(engine)                                                                              \
  "bodies: [{name: a, mass: 1, inertia: [1, 1, 1, 0, 0, 0]},"                                      \
  " {name: b, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}]\n"                                            \
  "joints: [{kind: revolute, child: a, axis: [0, 0, 1]},"                                          \
  " {kind: free, child: b, q: [1, 0, 0, 1, 0, 0, 0]}]\n"                                           \
  "run: {" engine "}\n"

typedef struct refusal {
  const char *text;    // the scene
  int line, column;    // of a message
  const char *message; // the whole of it
} refusal;

static void check_refusal(const refusal *r)
{
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  bool said = false;
  rh_status status = rh_scene_parse(r->text, strlen(r->text), "f", NULL, 0, diag, &scene);
  if (status == RH_OK) {
    status = rh_scene_compile(scene, diag, &model);
  }
  ck_assert_msg(status == RH_INPUT_REFUSED, "not refused: %s", r->text);
  for (int i = 0; i < rh_diag_kept(diag); i++) {
    rh_message m = rh_diag_get(diag, i);
    said = said || (strcmp(m.text, r->message) == 0 && m.place.line == r->line &&
                    m.place.column == r->column);
  }
  if (!said) {
    say_messages(diag);
  }
  ck_assert_msg(said, "%d:%d: %s", r->line, r->column, r->message);
  rh_model_destroy(model);
  rh_scene_destroy(scene);
  rh_diag_destroy(diag);
}

START_TEST(what_is_refused)
{
#define LOOP(text) WORLD("engine: event") "loops: [{name: l, " text "}]\n"
  static const refusal cases[] = {
      {LOOP("kind: ball, body: c, to: b"), 4, 37, "l.body names no body: 'c'"},
      {LOOP("kind: ball, body: a, to: d"), 4, 44, "l.to names no body: 'd'"},
      {LOOP("kind: ball, body: a, to: a"), 4, 44, "l.to must be another body"},
      {LOOP("kind: ball"), 4, 9, "l.body is missing"},
      {LOOP("kind: ball, body: a, near: b"), 4, 40,
       "l: unknown key 'near'; a ball loop takes name, kind, body, to, at, rpy, to_at, to_rpy"},
      {LOOP("kind: hinge, body: a"), 4, 9, "l.axis must be given and must not be the zero vector"},
      {LOOP("kind: distance, body: a"), 4, 9, "l.to_at is missing: a distance needs both ends"},
      {LOOP("kind: weld, body: a, to_rpy: [1, 2]"), 4, 48, "l.to_rpy takes 3 numbers, got 2"},
      {LOOP("kind: bal, body: a"), 4, 25,
       "l.kind: no loop is called 'bal'; did you mean 'ball'? there are ball, hinge, weld, "
       "distance"},
  };
  for (int i = 0; i < RH_COUNT(cases); i++) {
    check_refusal(&cases[i]);
  }
}

END_TEST

// What only the start shows
START_TEST(what_does_not_close)
{
#define CLOSED(text) WORLD("engine: stepping") "loops: [{name: l, " text "}]\n"
  static const refusal cases[] = {
      {CLOSED("kind: ball, body: b, to: a, to_at: [1, 0, 0.5]"), 4, 9,
       "l is open at the start by 0.5 m and 0 rad: it must close to 0.0001 of either"},
      {CLOSED("kind: weld, body: b, to: a, to_rpy: [0.25, 0, 0]"), 4, 9,
       "l is open at the start by 0 m and 0.25 rad: it must close to 0.0001 of either"},
      {CLOSED("kind: distance, body: b, to_at: [0, 0, 0], length: 2"), 4, 9,
       "l is open at the start by 1 m and 0 rad: it must close to 0.0001 of either"},
      {CLOSED("kind: distance, body: b, to_at: [1, 0, 0]"), 4, 9,
       "l.length must be > 0: the ends coincide"},
      {CLOSED("kind: ball, body: b}]\n"
              "events: [{name: e, joint: a, position: 1"),
       5, 27, "e.joint passes unseen: the engine stepping knows events of time only"},
  };
  for (int i = 0; i < RH_COUNT(cases); i++) {
    check_refusal(&cases[i]);
  }
}

END_TEST

START_TEST(no_number_is_poisoned)
{
  static const double poison[] = {(double)NAN, (double)HUGE_VAL, -(double)HUGE_VAL};
  const rh_section *section = &rh_sections[RH_SECTION_LOOPS];
  for (int f = 0; f < section->nfield; f++) {
    for (int k = 0; k < RH_COUNT(poison); k++) {
      rh_loop_def def = rh_loop_default("distance");
      void *at = (char *)&def + section->field[f].offset;
      if (section->field[f].param.type == RH_VECTOR) {
        ((double *)at)[1] = poison[k];
      } else if (section->field[f].param.type == RH_LIST) {
        *(rh_list *)at = (rh_list){3, {0, poison[k], 0}};
      } else {
        def.par[0] = poison[k]; // the length, with one of the names
      }
      rh_scene *scene = rh_scene_create();
      ck_assert_int_eq(rh_scene_add_loop(scene, &def), 0);
      rh_diag *diag = rh_diag_create();
      rh_model *model = NULL;
      bool said = false;
      bool name = section->field[f].param.type == RH_TEXT;
      ck_assert_int_eq(rh_scene_compile(scene, diag, &model), RH_INPUT_REFUSED);
      for (int i = 0; i < rh_diag_kept(diag); i++) {
        said = said || strstr(rh_diag_get(diag, i).text,
                              name ? "length" : section->field[f].param.name) != NULL;
      }
      ck_assert_msg(said, "%s", section->field[f].param.name);
      rh_diag_destroy(diag);
      rh_scene_destroy(scene);
    }
  }
}

END_TEST

// ---- The equations of every row

static rh_xform random_frame(rng *r)
{
  rh_quat q = rng_quat(r);
  return (rh_xform){rh_quat_matrix(q), rng_vec3(r, 1)};
}

// The frame after a time h at constant velocity of its origin and constant angular velocity.
static rh_xform moved(const rh_xform *f, const rh_motion *v, double h)
{
  rh_mat3 turn = rh_quat_matrix(rh_quat_exp(rh_scale(h, v->ang)));
  return (rh_xform){rh_mat3_mul(&turn, &f->R), rh_addscaled(f->p, h, v->lin)};
}

static void check_rates(const rh_loop_kind *kind, rng *r)
{
  double par[RH_PAR_MAX];
  rh_row_defaults(&kind->row, par);
  for (int k = 0; k < 3; k++) { // an axis, or a length
    par[k] = rng_in(r, 0.1, 1);
  }
  const double h = 1e-5;
  rh_xform a = random_frame(r);
  rh_xform b = kind->apart ? random_frame(r) : a;
  rh_motion va = {rng_vec3(r, 1), rng_vec3(r, 1)};
  rh_motion vb = {rng_vec3(r, 1), rng_vec3(r, 1)};
  rh_loop_row now[RH_LOOP_ROWS];
  rh_loop_row later[RH_LOOP_ROWS];
  rh_loop_row before[RH_LOOP_ROWS];
  kind->rows(&a, &b, par, now);
  rh_loop_row rates[RH_LOOP_ROWS] = {0};
  if (kind->rates) {
    kind->rates(&a, &b, &va, &vb, par, rates);
  }
  rh_xform a1 = moved(&a, &va, h);
  rh_xform b1 = moved(&b, &vb, h);
  kind->rows(&a1, &b1, par, later);
  a1 = moved(&a, &va, -h);
  b1 = moved(&b, &vb, -h);
  kind->rows(&a1, &b1, par, before);
  for (int i = 0; i < kind->nrow; i++) {
    double rate =
        rh_dot(now[i].push, rh_sub(va.lin, vb.lin)) + rh_dot(now[i].turn, rh_sub(va.ang, vb.ang));
    // Central differences err by h^2 times a sixth of third derivatives, which are some 1 / length^2 where ends are near.
    near_abs((later[i].gap - before[i].gap) / (2 * h), rate, 1e-7);
    rh_vec3 push = rh_scale(0.5 / h, rh_sub(later[i].push, before[i].push));
    rh_vec3 turn = rh_scale(0.5 / h, rh_sub(later[i].turn, before[i].turn));
    near_abs(rh_norm(rh_sub(push, rates[i].push)), 0, 1e-7);
    near_abs(rh_norm(rh_sub(turn, rates[i].turn)), 0, 1e-7);
    for (int j = 0; j < kind->nrow; j++) {
      near_abs(rh_dot(now[i].push, now[j].push) + rh_dot(now[i].turn, now[j].turn), i == j, 1e-14);
    }
  }
}

START_TEST(rates_of_the_gaps)
{
  int count;
  rng r = {5};
  const rh_loop_kind *const *table = rh_loop_kind_table(&count);
  ck_assert_int_eq(count, 4);
  for (int i = 0; i < count; i++) {
    ck_assert_ptr_eq(rh_loop_kind_find(table[i]->row.name), table[i]);
    for (int k = 0; k < 100; k++) {
      check_rates(table[i], &r);
    }
  }
}

END_TEST

Suite *rh_suite_unit_loops(void)
{
  Suite *suite = suite_create("unit_loops");
  TCase *tcase = tcase_create("loops");
  tcase_add_test(tcase, what_is_refused);
  tcase_add_test(tcase, what_does_not_close);
  tcase_add_test(tcase, no_number_is_poisoned);
  tcase_add_test(tcase, rates_of_the_gaps);
  suite_add_tcase(suite, tcase);
  return suite;
}
