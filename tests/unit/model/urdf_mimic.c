// unit_urdf_mimic.c: joints of URDF that follow others, and joints that only a transmission names.
#include "program.h"

#include "model/schema.h"

#include <math.h>
#include <routh/routh.h>
#include <stdio.h>
#include <string.h>

#define ROBOT(inside) "<robot name='r'>\n" inside "</robot>\n"
#define LUMP(name)                                                                                 \
  "<link name='" name "'><inertial><mass value='2'/>"                                              \
  "<inertia ixx='2' iyy='2' izz='3' ixy='0' ixz='0' iyz='0'/></inertial></link>\n"
#define TURN(name, child, inside)                                                                  \
  "<joint name='" name "' type='continuous'><parent link='world'/><child link='" child             \
  "'/><axis xyz='0 0 1'/>" inside "</joint>\n"

typedef struct robot {
  rh_scene *scene;
  rh_model *model;
  rh_diag *diag;
  rh_status status;
} robot;

static robot read_robot(const char *text, const char *const *set, int nset)
{
  robot r = {.diag = rh_diag_create()};
  r.status = rh_scene_parse(text, strlen(text), "r.urdf", set, nset, r.diag, &r.scene);
  if (r.status == RH_OK) {
    r.status = rh_scene_compile(r.scene, r.diag, &r.model);
  }
  return r;
}

static void drop_robot(robot *r)
{
  rh_model_destroy(r->model);
  rh_scene_destroy(r->scene);
  rh_diag_destroy(r->diag);
}

static const char three[] =
    ROBOT("<link name='world'/>" LUMP("a") LUMP("b") LUMP("c")
              TURN("jc", "c", "<mimic joint='jb' multiplier='-3'/>")
                  TURN("jb", "b", "<mimic joint='ja' multiplier='2' offset='0.5'/>")
                      TURN("ja", "a", "<limit effort='100'/>"));

// Followers of followers, named before what they follow. Each starts where it belongs, and the inertia that the effort of
// the first joint sees is I + 2^2 I + 6^2 I: q = t^2 tau / (2 * 41 I).
START_TEST(followers)
{
  static const char *const engines[] = {"run.engine=event", "run.engine=stepping"};
  const char *const set[] = {engines[_i], "ja.effort=12.3", "run.until=0.5"};
  robot r = read_robot(three, set, 3);
  ck_assert_msg(r.status == RH_OK, "%s", rh_diag_get(r.diag, 0).text);
  const rh_constraint_def *c = rh_scene_item(r.scene, RH_SECTION_CONSTRAINTS, 0);
  ck_assert_int_eq(rh_scene_count(r.scene, RH_SECTION_CONSTRAINTS), 2);
  ck_assert_str_eq(c->kind.text, "coupling");
  ck_assert_int_eq(rh_diag_count(r.diag, RH_WARNING), 0);
  rh_sim *sim = NULL;
  ck_assert_int_eq(rh_sim_create(r.model, NULL, &sim), RH_OK);
  const rh_data *d = rh_sim_data(sim);
  int qa = r.model->body[rh_model_find(r.model, RH_OBJECT_BODY, "a")].qadr;
  int qb = r.model->body[rh_model_find(r.model, RH_OBJECT_BODY, "b")].qadr;
  int qc = r.model->body[rh_model_find(r.model, RH_OBJECT_BODY, "c")].qadr;
  ck_assert(d->q[qa] == 0 && d->q[qb] == 0.5 && d->q[qc] == -1.5);
  ck_assert_int_eq(rh_sim_run(sim, 0.5), RH_OK);
  double want = 12.3 * 0.25 / (2 * 41 * 3);
  // Stepping is of the first order in dt = 1 ms: t dt / 2 of the acceleration.
  double bound = _i == 0 ? 1e-8 : 12.3 / (41 * 3) * 0.5 * 1e-3;
  ck_assert_msg(fabs(d->q[qa] - want) < bound, "%.12g, not %.12g", d->q[qa], want);
  ck_assert_msg(fabs(d->q[qb] - 0.5 - 2 * d->q[qa]) < 1e-9, "%g", d->q[qb]);
  ck_assert_msg(fabs(d->q[qc] + 3 * d->q[qb]) < 1e-9, "%g", d->q[qc]);
  rh_sim_destroy(sim);
  drop_robot(&r);
}

END_TEST

// A posture of the first joint moves its followers too; with a prefix, and one of them given.
START_TEST(postures)
{
  static const char with[] = "include: {urdf: mimic.urdf, prefix: p_, q: {ja: 0.25}}\n";
  static const char both[] =
      "include: {urdf: mimic.urdf, prefix: p_, q: {ja: 0.25, jb: 1, jc: 30}}\n";
  rh_folder_enter();
  rh_file_put("mimic.urdf", three);
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  ck_assert_int_eq(rh_scene_parse(with, sizeof with - 1, "s.yaml", NULL, 0, diag, &scene), RH_OK);
  static const double want[] = {-3, 1, 0.25}; // jc, jb, ja
  for (int i = 0; i < RH_COUNT(want); i++) {
    const rh_joint_def *j = rh_scene_item(scene, RH_SECTION_JOINTS, i);
    ck_assert_msg(j->q.n == 1 && j->q.x[0] == want[i], "%s: %g", j->name.text, j->q.x[0]);
  }
  rh_scene_destroy(scene);
  ck_assert_int_eq(rh_scene_parse(both, sizeof both - 1, "s.yaml", NULL, 0, diag, &scene), RH_OK);
  const rh_joint_def *jc = rh_scene_item(scene, RH_SECTION_JOINTS, 0);
  ck_assert(jc->q.x[0] == 30); // as it is given; the check of the constraint refuses it
  rh_scene_destroy(scene);
  rh_diag_destroy(diag);
  rh_folder_leave();
}

END_TEST

static const struct {
  const char *text, *message;
  int line;
} wrong[] = {
    {ROBOT("<link name='world'/>" LUMP("a") TURN("ja", "a", "<mimic joint='ja'/>")),
     "joint 'ja' would follow itself", 3},
    {ROBOT("<link name='world'/>" LUMP("a") LUMP("b") TURN("ja", "a", "<mimic joint='jb'/>")
               TURN("jb", "b", "<mimic joint='ja'/>")),
     "would follow itself", 4},
    {ROBOT("<link name='world'/>" LUMP("a") TURN("ja", "a", "<mimic joint='jx'/>")),
     "joint 'ja' follows 'jx', which is no joint of the robot", 3},
    {ROBOT("<link name='world'/>" LUMP("a") TURN("ja", "a", "<mimic/>")),
     "<mimic> needs the attribute joint", 3},
    {ROBOT("<link name='world'/>" LUMP("a") TURN("ja", "a", "<mimic joint='ja' offset='x'/>")),
     "offset of <mimic> must be a finite number", 3},
};

START_TEST(wrong_followers)
{
  robot r = read_robot(wrong[_i].text, NULL, 0);
  ck_assert_int_eq(r.status, RH_INPUT_REFUSED);
  rh_message m = rh_diag_get(r.diag, 0);
  ck_assert_msg(strstr(m.text, wrong[_i].message), "%s", m.text);
  ck_assert_int_eq(m.place.line, wrong[_i].line);
  ck_assert_int_gt(m.place.column, 0);
  drop_robot(&r);
}

END_TEST

// A joint with a maximum effort has its actuator; one that only a transmission names gets one without limits.
START_TEST(transmissions)
{
  robot r = read_robot(
      ROBOT("<link name='world'/>" LUMP("a") LUMP("b") TURN("ja", "a", "<limit effort='7'/>")
                TURN("jb", "b", "") "<transmission name='t'><type>x</type><joint name='jb'>"
                                    "<hardwareInterface>y</hardwareInterface></joint>"
                                    "<actuator name='m'/></transmission>"
                                    "<transmission name='u'><joint name='ja'/></transmission>"),
      NULL, 0);
  ck_assert_int_eq(r.status, RH_OK);
  ck_assert_int_eq(rh_scene_count(r.scene, RH_SECTION_ACTUATORS), 2);
  const rh_actuator_def *a = rh_scene_item(r.scene, RH_SECTION_ACTUATORS, 0);
  const rh_actuator_def *b = rh_scene_item(r.scene, RH_SECTION_ACTUATORS, 1);
  ck_assert(a->limits.n == 2 && a->limits.x[1] == 7 && b->limits.n == 0);
  ck_assert_str_eq(b->joint.text, "jb");
  ck_assert_str_eq(b->name.text, "jb");
  ck_assert_int_eq(rh_diag_count(r.diag, RH_WARNING), 0);
  drop_robot(&r);
}

END_TEST

Suite *rh_suite_unit_urdf_mimic(void)
{
  Suite *suite = suite_create("unit_urdf_mimic");
  TCase *tcase = tcase_create("mimic");
  tcase_add_loop_test(tcase, followers, 0, 2);
  tcase_add_loop_test(tcase, wrong_followers, 0, RH_COUNT(wrong));
  tcase_add_test(tcase, postures);
  tcase_add_test(tcase, transmissions);
  suite_add_tcase(suite, tcase);
  return suite;
}
