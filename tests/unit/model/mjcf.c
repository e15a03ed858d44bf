// unit_mjcf.c: models from MJCF, small ones written here: defaults, actuators, equalities, contacts; what is refused and where;
// a scene that includes a model; damaged files. Numbers are closed forms.
#include "mjcf_models.h"

#define ARM(more)                                                                                  \
  "<worldbody><body name='a' pos='0 0 1'><joint name='j' axis='0 1 0' " more                       \
  "/><geom type='sphere' size='0.1' mass='2' pos='1 0 0'/></body></worldbody>"

// ---- Actuators: the effort at q, v for a control

static double effort_at(world *w, double q, double v, double control)
{
  w->data->q[0] = q;
  w->data->v[0] = v;
  w->data->command[0].effort = control;
  rh_kinematics(w->data);
  rh_loads(w->data);
  return w->data->load[0];
}

static const double I = 2 + 0.4 * 2 * 0.01; // [kg m^2] of the arm about its joint

// q = 0.3, v = -0.7, u = 0.5
static const struct {
  const char *text;
  double want;
} servos[] = {
    {"<motor joint='j' gear='3'/>", 3 * 0.5},
    {"<motor joint='j' ctrlrange='-0.2 0.2'/>", 0.2},
    {"<position joint='j'/>", 0.5 - 0.3},
    {"<position joint='j' kp='7' kv='2'/>", 7 * (0.5 - 0.3) + 2 * 0.7},
    {"<position joint='j' kp='7' gear='2'/>", 2 * 7 * (0.5 - 2 * 0.3)},
    {"<position joint='j' kp='7' forcerange='-0.1 0.1'/>", 0.1},
    {"<velocity joint='j' kv='4'/>", 4 * (0.5 + 0.7)},
    {"<general joint='j' gainprm='2' biastype='affine' biasprm='1 -3 -0.5'/>",
     2 * 0.5 + 1 - 3 * 0.3 + 0.5 * 0.7},
    {"<general joint='j' gaintype='affine' gainprm='2 1 3'/>", (2 + 0.3 - 3 * 0.7) * 0.5},
    {"<damper joint='j' kv='4' ctrlrange='0 1'/>", 4 * 0.7 * 0.5},
};

START_TEST(actuators)
{
  char text[1024];
  snprintf(text, sizeof text, MODEL("<compiler angle='radian'/>" ARM("") "<actuator>%s</actuator>"),
           servos[_i].text);
  world w = accept_text(text);
  double got = effort_at(&w, 0.3, -0.7, 0.5);
  ck_assert_msg(fabs(got - servos[_i].want) < 1e-14, "%s: %.17g, expected %.17g", servos[_i].text,
                got, servos[_i].want);
  drop_world(&w);
}

END_TEST

// dampratio 1 of kp on the inertia I: damping 2 sqrt(kp I); with a gear g the inertia is I / g^2
START_TEST(damping_ratio)
{
  world w = accept_text(
      MODEL(ARM("") "<actuator><position joint='j' kp='5' dampratio='1' gear='2'/></actuator>"));
  double want = -4 * 2 * sqrt(5 * I / 4); // gear^2 kv
  near_abs(effort_at(&w, 0, 1, 0), want, 1e-13);
  drop_world(&w);
}

END_TEST

// A class has one record for all actuators: the gain of a default <position> reaches a <general>.
START_TEST(one_record)
{
  world w = accept_text(MODEL("<default><position kp='80'/></default>" ARM(
      "") "<actuator><general joint='j'/></actuator>"));
  near_abs(effort_at(&w, 0.25, 0, 0.5), 80 * (0.5 - 0.25), 1e-13);
  drop_world(&w);
}

END_TEST

// actuatorfrcrange limits the sum of the actuators; damping, springs and gravity compensation are not in it.
START_TEST(limited_sum)
{
  world w = accept_text(MODEL(
      "<compiler angle='radian'/>" ARM("actuatorfrcrange='-3 3' damping='0.5' stiffness='2' "
                                       "springref='0.1'") "<actuator><motor joint='j'/><motor "
                                                          "joint='j'/></actuator>"));
  w.data->command[1].effort = 2;
  near_abs(effort_at(&w, 0.3, -0.7, 5), 3 + 0.5 * 0.7 - 2 * 0.2, 1e-14);
  drop_world(&w);
  w = accept_text(
      MODEL("<worldbody><body name='a' gravcomp='0.25'><joint name='j' axis='0 1 0'/><geom "
            "type='sphere' size='0.1' "
            "mass='2' pos='1 0 0'/></body></worldbody>"));
  near_abs(effort_at(&w, 0.3, 0, 0), -0.25 * 2 * 9.81 * cos(0.3), 1e-14);
  drop_world(&w);
}

END_TEST

// springdamper: time constant T and damping ratio z on the inertia I
START_TEST(spring_damper)
{
  world w = accept_text(MODEL(ARM("springdamper='0.2 0.5'")));
  near_abs(w.model->dof[0].spring, I / (0.04 * 0.25), 1e-12);
  near_abs(w.model->dof[0].damper, 2 * I / 0.2, 1e-12);
  drop_world(&w);
}

END_TEST

// ---- Equalities, contacts, start

START_TEST(coupled_joints)
{
  world w = accept_text(
      MODEL("<compiler angle='radian'/><worldbody><body><joint name='a' axis='0 1 0' "
            "ref='0.1'/><geom size='0.1' pos='1 0 0'/></body>"
            "<body><joint name='b' axis='0 1 0' ref='0.4'/><geom size='0.1' pos='1 0 "
            "0'/></body></worldbody>"
            "<equality><joint joint1='b' joint2='a' polycoef='0.2 -2 0.5 0 0'/></equality>"));
  const rh_constraint_def *c = rh_scene_item(w.scene, RH_SECTION_CONSTRAINTS, 0);
  ck_assert_str_eq(c->kind.text, "coupling");
  near_abs(w.data->q[0], 0.1, 0);
  near_abs(w.data->q[1], 0.4 + 0.2, 1e-15); // where it holds
  drop_world(&w);
}

END_TEST

// A ball on a plane: reduced mass m, default solref and solimp: k = m 1/(0.95 0.02)^2 0.9/0.1, b for a damping ratio of 1
START_TEST(contact_law)
{
  world w = accept_text(
      MODEL("<worldbody><geom name='floor' type='plane' size='1 1 1'/><body name='ball' pos='0 0 "
            "1'><freejoint/>"
            "<geom size='0.1' mass='3' condim='6' friction='0.7 0.02 0.001'/></body></worldbody>"));
  const rh_contact_def *c = rh_scene_item(w.scene, RH_SECTION_CONTACTS, 0);
  ck_assert_str_eq(c->law.text, "kelvin-voigt");
  double k = 3 / (0.019 * 0.019) * 9;
  near_abs(c->par[0], k, 1e-6);
  near_abs(c->par[1], 2 * sqrt(k * 3), 1e-9);
  near_abs(c->friction_par[0], 1, 1e-15); // the larger one: that of the plane
  near_abs(c->mu_pivot, 0.02, 1e-15);
  near_abs(c->mu_roll, 0.001 / 0.1, 1e-15);
  drop_world(&w);
}

END_TEST

#define BALLS(masks)                                                                               \
  "<worldbody><body name='a'><freejoint/><geom size='0.1' name='x' " masks "/></body>"             \
  "<body name='b' pos='1 0 0'><freejoint/><geom name='y' size='0.1'/></body></worldbody>"

START_TEST(masks)
{
  static const struct {
    const char *text;
    int contacts;
  } cases[] = {
      {MODEL(BALLS("")), 1},
      {MODEL(BALLS("contype='2' conaffinity='2'")), 0},
      {MODEL(BALLS("contype='3' conaffinity='0'")), 1},
      {MODEL(BALLS("") "<contact><exclude body1='a' body2='b'/></contact>"), 0},
      {MODEL(BALLS("contype='0' conaffinity='0'") "<contact><pair geom1='x' geom2='y'/></contact>"),
       1},
      {MODEL("<option><flag contact='disable'/></option>" BALLS("")), 0},
  };

  for (int i = 0; i < RH_COUNT(cases); i++) {
    world w = accept_text(cases[i].text);
    ck_assert_msg(rh_scene_count(w.scene, RH_SECTION_CONTACTS) == cases[i].contacts, "case %d", i);
    drop_world(&w);
  }
}

END_TEST

// A free joint of <joint> takes defaults, a <freejoint> does not; an empty name gives the body's.
START_TEST(free_joints)
{
  world w =
      accept_text(MODEL("<default><joint damping='0.5'/></default><worldbody><body "
                        "name='a'><joint type='free'/><geom size='0.1'/></body>"
                        "<body name='b.c/d'><freejoint/><geom size='0.1'/></body></worldbody>"));
  ck_assert(w.model->dof[0].damper == 0.5 && w.model->dof[6].damper == 0);
  ck_assert_int_ne(rh_model_find(w.model, RH_OBJECT_JOINT, "b_c_d"), RH_NONE);
  drop_world(&w);
}

END_TEST

// A ball of mass 1 and radius r in a medium is a box with the sides r sqrt(2.4), as that has its inertia.
START_TEST(medium)
{
  world w =
      accept_text(MODEL("<option density='1.2' viscosity='0.1' wind='0 0 1'/><worldbody><body "
                        "name='a'><freejoint/><geom size='0.1' mass='1'/></body></worldbody>"));
  rh_data *d = rh_data_create(w.model);
  ck_assert_ptr_nonnull(d);
  double side = 0.1 * sqrt(2.4);
  d->v[0] = 2;
  d->v[4] = -3;
  rh_kinematics(d);
  rh_loads(d);
  double drag = 0.5 * 1.2 * side * side;
  double turn = 1.2 * 2 * pow(side, 5) / 64 * 9 + acos(-1.0) * side * side * side * 0.1 * 3;
  double viscous = 3 * acos(-1.0) * side * 0.1;
  ck_assert_double_eq_tol(d->load[0], -4 * drag - 2 * viscous, 1e-14); // a few roundings
  ck_assert_double_eq_tol(d->load[2], drag + viscous, 1e-14);
  ck_assert_double_eq_tol(d->load[4], turn, 1e-14);
  double lost = (4 * drag + 2 * viscous) * 2 + turn * 3;
  ck_assert_double_eq_tol(d->power[RH_WORK_DAMPER], lost + drag + viscous, 1e-13);
  ck_assert_double_eq_tol(d->power[RH_WORK_EXTERNAL], drag + viscous, 1e-14);
  rh_data_destroy(d);
  drop_world(&w);
}

END_TEST

// A force at a site 0.2 m from the origin, along z of the site, which is x of the body; an activation.
START_TEST(site_with_state)
{
  world w = accept_text(MODEL(
      "<worldbody><body name='a'><freejoint/><geom size='0.1' mass='1'/><site name='s' pos='0 "
      "0.2 0' zaxis='1 0 0'/></body></worldbody><actuator><general site='s' gear='0 0 1 0 0 0' "
      "dyntype='filter' dynprm='0.1' gainprm='4' actrange='0 2'/></actuator>"));
  rh_data *d = rh_data_create(w.model);
  ck_assert_ptr_nonnull(d);
  ck_assert_int_eq(w.model->layout.nact, 1);
  d->command[0].effort = 3; // moves the state only
  rh_kinematics(d);
  rh_loads(d);
  ck_assert(d->load[0] == 0);
  d->control.act[0] = 0.5;
  d->v[0] = 3;
  rh_kinematics(d);
  rh_loads(d);
  ck_assert_double_eq_tol(d->load[0], 2, 1e-15);
  ck_assert_double_eq_tol(d->load[5], -0.4, 1e-15);
  ck_assert_double_eq_tol(d->power[RH_WORK_ACTUATOR], 6, 1e-14);
  d->control.act[0] = 5; // beyond its range
  rh_loads(d);
  ck_assert_double_eq_tol(d->load[0], 8, 1e-14);
  rh_data_destroy(d);
  drop_world(&w);
}

END_TEST

// ---- Refusals: line and column of each

static const struct {
  const char *text, *part;
  int line, column;
} refused[] = {
    {"<mujoco>\n<worldbody><blob/></worldbody></mujoco>", "<blob> in <worldbody>", 2, 12},
    {"<mujoco>\n<worldbody><geom size='1' fluidshape='ellipsoid'/></worldbody></mujoco>",
     "fluidshape", 2, 39},
    {"<mujoco>\n<worldbody><geom size='a'/></worldbody></mujoco>", "finite number", 2, 24},
    {"<mujoco>\n<worldbody><geom size='-1'/></worldbody></mujoco>", "positive", 2, 24},
    {"<mujoco>\n<worldbody><geom class='c'/></worldbody></mujoco>", "no class 'c'", 2, 25},
    {"<mujoco>\n<worldbody><body><geom size='1' colour='red'/></body></worldbody></mujoco>",
     "colour", 2, 41},
    {"<mujoco>\n<include file='x.xml'/></mujoco>", "cannot", 0, 0},
    {"<mujoco>\n<compiler autolimits='false'/>\n" ARM("range='0 1'") "</mujoco>", "autolimits", 3,
     75},
    {"<mujoco>\n" ARM("") "<actuator>\n<motor joint='k'/></actuator></mujoco>", "no joint 'k'", 3,
     15},
    {"<mujoco>\n" ARM("") "<actuator>\n<muscle joint='j'/></actuator></mujoco>", "<muscle>", 3, 1},
    {"<mujoco>\n<worldbody><body><freejoint/><joint/><geom size='1'/></body></worldbody></mujoco>",
     "free joint", 2, 30},
    {"<mujoco>\n<!DOCTYPE a><worldbody/></mujoco>", "XML", 2, 3},
    {"<mujoco>\ntext</mujoco>", "no text", 2, 1},
    {"<mujoco>\n<worldbody><body quat='0 0 0 0'/></worldbody></mujoco>", "quaternion", 2, 24},
    {"<mujoco>\n<compiler eulerseq='xyw'/></mujoco>", "eulerseq", 2, 21},
};

START_TEST(refusals)
{
  rh_place place = {0};
  world w = read_as(refused[_i].text, strlen(refused[_i].text));
  ck_assert_int_eq(w.status, RH_INPUT_REFUSED);
  if (refused[_i].line > 0) {
    ck_assert_msg(find_message(&w, RH_ERROR, refused[_i].part, &place) != NULL,
                  "no message with %s; first: %s", refused[_i].part,
                  rh_diag_kept(w.diag) > 0 ? rh_diag_get(w.diag, 0).text : "none");
    ck_assert_msg(place.line == refused[_i].line && place.column == refused[_i].column,
                  "%s at %d:%d", refused[_i].part, place.line, place.column);
  }
  drop_world(&w);
}

END_TEST

// ---- Damage: cut anywhere, or with one byte changed, a file is read or refused with a place

START_TEST(damaged)
{
  static const char good[] =
      MODEL("<default><joint damping='1'/><default class='c'><geom type='box' size='.1 .2 "
            ".3'/></default></default>"
            "<worldbody><body name='a' childclass='c' euler='10 20 30'><joint name='j' range='-90 "
            "90'/><geom/>"
            "<body name='b' pos='1 0 0'><joint name='k' type='slide'/><geom "
            "class='c'/></body></body></worldbody>"
            "<actuator><position joint='j' kp='3'/></actuator><equality><joint joint1='k' "
            "joint2='j'/></equality>");
  static const char bytes[] = "<>'\"= -9e\0x";
  unsigned state = 12345;
  char text[sizeof good];
  for (int i = 0; i < 600; i++) {
    state = 1664525u * state + 1013904223u;
    size_t at = (state >> 8) % (sizeof good - 1);
    memcpy(text, good, sizeof good);
    size_t length = i % 2 == 0 ? at : sizeof good - 1;
    text[at] = bytes[(state >> 4) % (sizeof bytes - 1)];
    world w = read_as(text, length);
    ck_assert(w.status == RH_OK ||
              (w.status == RH_INPUT_REFUSED && rh_diag_count(w.diag, RH_ERROR) > 0));
    ck_assert(i % 2 == 1 || at + 2 >= sizeof good - 1 ||
              w.status != RH_OK); // all but the last newline
    drop_world(&w);
  }
}

END_TEST

Suite *rh_suite_unit_mjcf(void)
{
  Suite *suite = suite_create("unit_mjcf");
  TCase *models = tcase_create("models");
  tcase_add_loop_test(models, actuators, 0, RH_COUNT(servos));
  tcase_add_test(models, damping_ratio);
  tcase_add_test(models, one_record);
  tcase_add_test(models, limited_sum);
  tcase_add_test(models, spring_damper);
  tcase_add_test(models, coupled_joints);
  tcase_add_test(models, contact_law);
  tcase_add_test(models, masks);
  tcase_add_test(models, free_joints);
  tcase_add_test(models, medium);
  tcase_add_test(models, site_with_state);
  suite_add_tcase(suite, models);
  TCase *wrong = tcase_create("refused");
  tcase_add_loop_test(wrong, refusals, 0, RH_COUNT(refused));
  tcase_add_test(wrong, damaged);
  suite_add_tcase(suite, wrong);
  return suite;
}
