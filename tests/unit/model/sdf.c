// unit_sdf.c: models and worlds from SDF: the same robot in URDF and in SDF, frames and nested models, kinds of joints,
// surfaces; what is refused and where; damaged files. Numbers are closed forms, or those of another route.
#include "test.h"

#include "model/schema.h"

#include <math.h>
#include <routh/routh.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SDF(inside)   "<sdf version='1.9'>\n" inside "</sdf>\n"
#define MODEL(inside) SDF("<model name='m'>\n" inside "</model>\n")
#define LUMP(mass)                                                                                 \
  "<inertial><mass>" mass "</mass><inertia><ixx>0.2</ixx><iyy>0.3</iyy><izz>0.4</izz></inertia>"   \
  "</inertial>"
#define LINK(name, inside) "<link name='" name "'>" LUMP("2") inside "</link>\n"
#define JOINT(name, type, parent, child, inside)                                                   \
  "<joint name='" name "' type='" type "'><parent>" parent "</parent><child>" child                \
  "</child>" inside "</joint>\n"

typedef struct world {
  rh_scene *scene;
  rh_model *model;
  rh_data *data;
  rh_diag *diag;
  rh_status status;
} world;

static world read_as(const char *text, size_t bytes, const char *name)
{
  world w = {.diag = rh_diag_create()};
  w.status = rh_scene_parse(text, bytes, name, NULL, 0, w.diag, &w.scene);
  if (w.status == RH_OK) {
    w.status = rh_scene_compile(w.scene, w.diag, &w.model);
  }
  if (w.status == RH_OK) {
    w.data = rh_data_create(w.model);
    rh_kinematics(w.data);
  }
  return w;
}

static void drop_world(world *w)
{
  rh_data_destroy(w->data);
  rh_model_destroy(w->model);
  rh_scene_destroy(w->scene);
  rh_diag_destroy(w->diag);
}

static world accept_text(const char *text)
{
  world w = read_as(text, strlen(text), "m.sdf");
  ck_assert_msg(w.status == RH_OK, "%s",
                rh_diag_kept(w.diag) > 0 ? rh_diag_get(w.diag, 0).text : "no message");
  return w;
}

static int body_of(const world *w, const char *name)
{
  int body = rh_model_find(w->model, RH_OBJECT_BODY, name);
  ck_assert_msg(body != RH_NONE, "no body %s", name);
  return body;
}

static void check_point(const world *w, const char *body, rh_vec3 at, rh_vec3 want)
{
  rh_vec3 x = rh_point_position(w->data, body_of(w, body), at);
  ck_assert_msg(rh_norm(rh_sub(x, want)) < 1e-14, "%s: %.17g %.17g %.17g", body, x.x, x.y, x.z);
}

// ---- The same robot in two languages

static const char urdf_arm[] =
    "<robot name='r'><link name='world'/>"
    "<link name='a'><inertial><origin xyz='0.1 0 0.2' rpy='0.3 0.1 0'/><mass value='2'/>"
    "<inertia ixx='0.2' iyy='0.3' izz='0.4' ixy='0.01' ixz='0' iyz='0.02'/></inertial></link>"
    "<link name='b'><inertial><origin xyz='0 0.3 0'/><mass value='1'/>"
    "<inertia ixx='0.1' iyy='0.1' izz='0.1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<joint name='ja' type='continuous'><parent link='world'/><child link='a'/>"
    "<origin xyz='0 0 1' rpy='0.2 0 0.5'/><axis xyz='0 0 1'/></joint>"
    "<joint name='jb' type='prismatic'><parent link='a'/><child link='b'/>"
    "<origin xyz='0.5 0 0.1' rpy='0 0.7 0'/><axis xyz='1 2 0'/>"
    "<limit lower='-1' upper='2' effort='5'/><dynamics damping='0.4' "
    "friction='0.2'/></joint></robot>";

static const char sdf_arm[] =
    MODEL("<link name='a'><pose>0 0 1 0.2 0 0.5</pose><inertial><pose>0.1 0 0.2 0.3 0.1 0</pose>"
          "<mass>2</mass><inertia><ixx>0.2</ixx><iyy>0.3</iyy><izz>0.4</izz><ixy>0.01</"
          "ixy><iyz>0.02</iyz>"
          "</inertia></inertial></link>"
          "<link name='b'><pose relative_to='a'>0.5 0 0.1 0 0.7 0</pose>"
          "<inertial><pose>0 0.3 0 0 0 0</pose><mass>1</mass>"
          "<inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial></link>"
          "<joint name='ja' type='continuous'><parent>world</parent><child>a</child>"
          "<axis><xyz>0 0 1</xyz></axis></joint>"
          "<joint name='jb' type='prismatic'><parent>a</parent><child>b</child>"
          "<axis><xyz>1 2 0</xyz><limit><lower>-1</lower><upper>2</upper><effort>5</effort></limit>"
          "<dynamics><damping>0.4</damping><friction>0.2</friction></dynamics></axis></joint>");

START_TEST(two_languages)
{
  world w[2] = {read_as(urdf_arm, sizeof urdf_arm - 1, "r.urdf"), accept_text(sdf_arm)};
  double H[2][4];
  double bias[2][2];
  ck_assert_int_eq(w[0].status, RH_OK);
  for (int k = 0; k < 2; k++) {
    ck_assert_int_eq(w[k].model->nv, 2);
    ck_assert_int_eq(w[k].model->nactuator, 1);
    memcpy(w[k].data->q, ((double[]){0.7, -0.3}), 2 * sizeof(double));
    memcpy(w[k].data->v, ((double[]){1.1, 0.4}), 2 * sizeof(double));
    rh_kinematics(w[k].data);
    rh_mass_matrix(w[k].data);
    rh_mass_dense(w[k].data, H[k]);
    rh_bias(w[k].data, bias[k]);
  }
  near_array(H[1], H[0], 4, 1e-14, 0); // the frames are put together in another order
  near_array(bias[1], bias[0], 2, 1e-13, 0);
  const rh_joint_def *a = rh_scene_item(w[0].scene, RH_SECTION_JOINTS, 1);
  const rh_joint_def *b = rh_scene_item(w[1].scene, RH_SECTION_JOINTS, 1);
  ck_assert(a->limits.x[0] == b->limits.x[0] && a->limits.x[1] == b->limits.x[1]);
  ck_assert(a->damper.x[0] == b->damper.x[0] && a->friction.x[0] == b->friction.x[0]);
  drop_world(&w[0]);
  drop_world(&w[1]);
}

END_TEST

// ---- Frames

// Poses by the formats of a pose, in frames of links, joints, frames and models; by hand.
START_TEST(poses)
{
  world w = accept_text(MODEL(
      "<pose>1 0 0 0 0 0</pose>"
      "<link name='a'><pose degrees='true'>0 2 0 0 0 90</pose></link>"
      "<frame name='f' attached_to='a'><pose>1 0 0 0 0 0</pose></frame>"
      "<frame name='g'><pose relative_to='f'>0 0 1 0 0 0</pose></frame>"
      "<link name='b'><pose relative_to='g'>1 0 0 0 0 0</pose></link>"
      "<link name='c'><pose rotation_format='quat_xyzw'>0 0 3  0.70710678118654757 0 0 "
      "0.70710678118654757</pose></link>"
      "<model name='in'><pose relative_to='f'>0 1 0 0 0 0</pose><link name='d'><pose>0 0 2 0 0 "
      "0</pose></link><frame name='h'><pose>0 0 5 0 0 0</pose></frame></model>"
      "<link name='e'><pose relative_to='in::h'/></link>"));
  check_point(&w, "a", rh_v3(1, 0, 0), rh_v3(1, 3, 0));
  check_point(&w, "b", rh_v3(1, 0, 0), rh_v3(1, 5, 1)); // f: 1 3 0, g: 1 3 1, b: 1 4 1
  check_point(&w, "c", rh_v3(0, 1, 0), rh_v3(1, 0, 4));
  check_point(&w, "in-d", rh_v3(0, 0, 0), rh_v3(0, 3, 2));
  check_point(&w, "e", rh_v3(0, 0, 0), rh_v3(0, 3, 5));
  ck_assert_int_eq(w.model->nv, 30);
  drop_world(&w);
}

END_TEST

// The joint lies away from the child's origin and turned: the body turns about it.
START_TEST(joint_away_from_its_child)
{
  world w = accept_text(MODEL(
      LINK("a", "") LINK("b", "<pose>1 0 0 0 0 0</pose>") JOINT("fix", "fixed", "world", "a", "")
          JOINT("j", "revolute", "a", "b",
                "<pose>0 0.5 0 0 1.5707963267948966 0</pose><axis><xyz>1 0 0</xyz></axis>")));
  // The joint's x is -z. It is at (1, 0.5, 0).
  int b = body_of(&w, "b");
  w.data->q[w.model->body[b].qadr] = 1.5707963267948966;
  rh_kinematics(w.data);
  // The link's origin, half a metre below the joint, is turned by -90 degrees about z.
  check_point(&w, "b", rh_v3(0, -0.5, 0), rh_v3(0.5, 0.5, 0));
  const rh_body_def *def = rh_scene_item(w.scene, RH_SECTION_BODIES, 1);
  near_array(def->com, ((double[]){0, -0.5, 0}), 3, 1e-15, 0);
  near_array(def->inertia.x, ((double[]){0.2, 0.3, 0.4, 0, 0, 0}), 6, 0, 0);
  drop_world(&w);
}

END_TEST

static const struct {
  const char *version, *axis;
  double want[3];
} axes[] = {
    // the joint is turned by 90 degrees about z in the model, which is turned by 90 degrees about x
    {"1.9", "<xyz>1 0 0</xyz>", {0, 0, 1}},
    {"1.9", "<xyz expressed_in='__model__'>1 0 0</xyz>", {1, 0, 0}},
    {"1.9", "<xyz expressed_in='a'>0 1 0</xyz>", {0, 0, 1}},
    {"1.9", "<xyz expressed_in='world'>0 0 1</xyz>", {0, 0, 1}},
    {"1.6", "<xyz>1 0 0</xyz><use_parent_model_frame>1</use_parent_model_frame>", {1, 0, 0}},
    {"1.6", "<xyz>1 0 0</xyz>", {0, 0, 1}},
    {"1.4", "<xyz>1 0 0</xyz>", {1, 0, 0}},
};

START_TEST(axes_of_joints)
{
  char text[2048];
  (void)snprintf(
      text, sizeof text,
      "<sdf version='%s'><model name='m'><pose>0 0 0 1.5707963267948966 0 0</pose>"
      "<link name='a'/><link name='b'/><joint name='f' type='fixed'><parent>world</parent>"
      "<child>a</child></joint><joint name='j' type='revolute'><pose>0 0 0 0 0 "
      "1.5707963267948966</pose><parent>a</parent><child>b</child><axis>%s</axis></joint>"
      "</model></sdf>",
      axes[_i].version, axes[_i].axis);
  world w = accept_text(text);
  int b = body_of(&w, "b");
  w.data->v[w.model->body[b].vadr] = 1;
  rh_kinematics(w.data);
  rh_vec3 tip = rh_v3(axes[_i].want[0], axes[_i].want[1], axes[_i].want[2]);
  const rh_joint_def *j = rh_scene_item(w.scene, RH_SECTION_JOINTS, 1);
  rh_vec3 axis = rh_v3(j->par[0], j->par[1], j->par[2]); // axes of the model
  rh_mat3 R = rh_rpy_matrix(1.5707963267948966, 0, 0);
  rh_vec3 in_world = rh_rotate(&R, axis);
  ck_assert_msg(rh_norm(rh_sub(in_world, tip)) < 1e-14, "%g %g %g", in_world.x, in_world.y,
                in_world.z);
  drop_world(&w);
}

END_TEST

// ---- Joints

START_TEST(kinds_of_joints)
{
  world w = accept_text(MODEL(
      LINK("a", "") LINK("b", "") LINK("c", "") LINK("d", "") LINK("e", "") LINK("f", "")
          JOINT("ab", "ball", "a", "b", "") JOINT("bc", "fixed", "b", "c", "") JOINT(
              "cd", "universal", "c", "d",
              "<axis><xyz>1 0 0</xyz><limit><lower>-1</lower><upper>1</upper></limit></axis>"
              "<axis2><xyz>0 1 0</xyz><dynamics><damping>0.5</damping></dynamics><limit><effort>3"
              "</effort></limit></axis2>")
              JOINT("de", "continuous", "d", "e",
                    "<axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>1</upper></limit></axis>")
                  JOINT("ef", "prismatic", "e", "f",
                        "<axis><xyz>0 0 1</xyz><limit><lower>0.5</lower><upper>1e16</upper></limit>"
                        "<dynamics><spring_stiffness>7</spring_stiffness><spring_reference>0.6"
                        "</spring_reference></dynamics></axis>")));
  static const char *const want[] = {"free",      "spherical", "fixed",
                                     "universal", "revolute",  "prismatic"};
  ck_assert_int_eq(w.model->nbody, 7);
  for (int i = 1; i < 7; i++) {
    ck_assert_str_eq(w.model->body[i].joint->row.name, want[i - 1]);
  }
  const rh_joint_def *cd = rh_scene_item(w.scene, RH_SECTION_JOINTS, 3);
  ck_assert(cd->limits.n == 4 && cd->limits.x[1] == 1 && isinf(cd->limits.x[3]));
  ck_assert(cd->damper.n == 2 && cd->damper.x[1] == 0.5);
  const rh_actuator_def *motor = rh_scene_item(w.scene, RH_SECTION_ACTUATORS, 0);
  ck_assert_str_eq(motor->name.text, "cd-axis2");
  ck_assert(motor->dof == 1 && motor->limits.x[1] == 3);
  const rh_joint_def *de = rh_scene_item(w.scene, RH_SECTION_JOINTS, 4);
  ck_assert_int_eq(de->limits.n, 0);
  const rh_joint_def *ef = rh_scene_item(w.scene, RH_SECTION_JOINTS, 5);
  ck_assert(ef->q.x[0] == 0.5 && isinf(ef->limits.x[1]) && ef->spring.x[0] == 7 &&
            ef->rest.x[0] == 0.6);
  drop_world(&w);
}

END_TEST

// A parallelogram: the fourth joint closes the loop, and has as many equations as the loop row. It falls as a pendulum of
// bars that stay parallel: each upright bar turns, the third one only travels.
START_TEST(closed_loop)
{
  world w = accept_text(SDF(
      "<world name='w'><gravity>0 0 -10</gravity><model name='m'>"
      "<link name='a'><inertial><pose>0 0 -0.5 0 0 0</pose><mass>1</mass><inertia><ixx>0.1</ixx>"
      "<iyy>0.1</iyy><izz>0.1</izz></inertia></inertial></link>"
      "<link name='b'><pose>2 0 0 0 0 0</pose><inertial><pose>0 0 -0.5 0 0 0</pose><mass>1</mass>"
      "<inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial></link>"
      "<link name='c'><pose>0 0 -1 0 0 0</pose><inertial><pose>1 0 0 0 0 "
      "0</pose><mass>3</mass></inertial>"
      "</link>"
      "<joint name='j1' type='revolute'><parent>world</parent><child>a</child><axis><xyz>0 1 "
      "0</xyz>"
      "</axis></joint>"
      "<joint name='j2' type='revolute'><parent>world</parent><child>b</child><axis><xyz>0 1 "
      "0</xyz>"
      "</axis></joint>"
      "<joint name='j3' type='revolute'><parent>a</parent><child>c</child><axis><xyz>0 1 "
      "0</xyz></axis>"
      "</joint>"
      "<joint name='j4' type='revolute'><pose relative_to='b'>0 0 -1 0 0 0</pose><parent>b</parent>"
      "<child>c</child><axis><xyz>0 1 0</xyz></axis></joint></model></world>"));
  const rh_loop_def *loop = rh_scene_item(w.scene, RH_SECTION_LOOPS, 0);
  ck_assert_int_eq(rh_scene_count(w.scene, RH_SECTION_LOOPS), 1);
  ck_assert_str_eq(loop->kind.text, "hinge");
  near_array(loop->at, ((double[]){2, 0, 0}), 3, 1e-15, 0);
  // Small swing: I = 2 (0.1 + 0.25) + 3, stiffness = 2 * 10 * 0.5 + 30; q = 0.01 cos(omega t)
  rh_sim *sim = NULL;
  double *q = NULL;
  ck_assert_int_eq(rh_sim_create(w.model, NULL, &sim), RH_OK);
  q = rh_sim_data(sim)->q;
  int at[3] = {w.model->body[body_of(&w, "a")].qadr, w.model->body[body_of(&w, "b")].qadr,
               w.model->body[body_of(&w, "c")].qadr};
  q[at[0]] = q[at[1]] = 0.01;
  q[at[2]] = -0.01;
  rh_sim_state_changed(sim);
  ck_assert_int_eq(rh_sim_run(sim, 0.5), RH_OK);
  double omega = sqrt(40 / 3.7);
  q = rh_sim_data(sim)->q;
  // The period of a swing of 0.01 is longer by 0.01^2/16: 6e-6 of 1.6 rad.
  ck_assert_msg(fabs(q[at[0]] - 0.01 * cos(omega * 0.5)) < 2e-7, "%g", q[at[0]]);
  ck_assert(fabs(q[at[0]] - q[at[1]]) < 1e-10 && fabs(q[at[0]] + q[at[2]]) < 1e-10);
  rh_sim_destroy(sim);
  drop_world(&w);
}

END_TEST

START_TEST(followers)
{
  world w = accept_text(MODEL(LINK("a", "") LINK("b", "") JOINT("ja", "revolute", "world", "a",
                                                                "<axis><xyz>0 0 1</xyz></axis>")
                                  JOINT("jb", "revolute", "world", "b",
                                        "<axis><xyz>0 0 1</xyz><mimic "
                                        "joint='ja'><multiplier>2</multiplier><offset>0.25</offset>"
                                        "<reference>0.125</reference></mimic></axis>")));
  const rh_constraint_def *c = rh_scene_item(w.scene, RH_SECTION_CONSTRAINTS, 0);
  ck_assert_str_eq(c->joint.text, "jb");
  ck_assert_str_eq(c->joint2.text, "ja");
  near_array(c->par, ((double[]){0.25, 2, 0, 0, 0, 0, 0.125}), 7, 0, 0);
  drop_world(&w);
}

END_TEST

// ---- Worlds

#define BALL(name, x, surface)                                                                     \
  "<model name='" name "'><pose>" x " 0 1 0 0 0</pose><link name='l'><collision "                  \
  "name='c'><geometry><sphere><radius>0.1</radius></sphere></geometry>" surface                    \
  "</collision></link></model>\n"
#define SURFACE(mu, e, mask)                                                                       \
  "<surface><friction><ode><mu>" mu "</mu></ode></friction><bounce><restitution_coefficient>" e    \
  "</restitution_coefficient></bounce><contact><collide_bitmask>" mask                             \
  "</collide_bitmask></contact></surface>"

// Of two surfaces the lesser friction and restitution; masks; static models are the world.
START_TEST(surfaces)
{
  world w = accept_text(SDF(
      "<world name='w'><model name='g'><static>1</static><pose>0 0 0.5 0 0 0</pose><link name='l'>"
      "<pose>0 0 1 0 0 0</pose><collision name='c'><pose>0 0 -1.5 0 0 0</pose><geometry><plane/>"
      "</geometry>" SURFACE("0.5", "0.3", "3") "</collision></link></model>" BALL(
          "a", "0", SURFACE("0.2", "0.9", "1")) BALL("b", "1", SURFACE("0.7", "0.1", "2"))
          BALL("c", "2", "") BALL("d", "3", SURFACE("1", "1", "0")) "</world>"));

  static const struct {
    const char *body, *against;
    double mu, e;
  } want[] = {{"a-l", "world", 0.2, 0.3},
              {"b-l", "world", 0.5, 0.1},
              {"c-l", "world", 0.5, 0},
              {"a-l", "c-l", 0.2, 0},
              {"b-l", "c-l", 0.7, 0}};

  ck_assert_int_eq(rh_scene_count(w.scene, RH_SECTION_CONTACTS), RH_COUNT(want));
  for (int i = 0; i < RH_COUNT(want); i++) {
    const rh_contact_def *c = rh_scene_item(w.scene, RH_SECTION_CONTACTS, i);
    ck_assert_str_eq(c->body.text, want[i].body);
    ck_assert_str_eq(c->against.text, want[i].against);
    ck_assert_msg(c->friction_par[0] == want[i].mu && c->par[0] == want[i].e, "%d: %g %g", i,
                  c->friction_par[0], c->par[0]);
  }
  const rh_shape_def *plane = rh_scene_item(w.scene, RH_SECTION_SHAPES, 0);
  ck_assert_str_eq(plane->body.text, "world");
  near_array(plane->at, ((double[]){0, 0, 0}), 3, 0, 0);
  drop_world(&w);
}

END_TEST

// Links of one model touch where it says so, but for those that a joint joins.
START_TEST(self_collision)
{
  static const char pattern[] =
      "<sdf version='1.9'><model name='m'><self_collide>%d</self_collide><link name='a'><collision "
      "name='c'><geometry><sphere><radius>1</radius></sphere></geometry></collision></link>"
      "<link name='b'><collision name='c'><geometry><sphere><radius>1</radius></sphere></geometry>"
      "</collision></link><link name='c'><collision name='c'><geometry><sphere><radius>1</radius>"
      "</sphere></geometry></collision></link><joint name='j' type='ball'><parent>a</parent>"
      "<child>b</child></joint></model></sdf>";
  for (int self = 0; self < 2; self++) {
    char text[2048];
    (void)snprintf(text, sizeof text, pattern, self);
    world w = accept_text(text);
    ck_assert_int_eq(rh_scene_count(w.scene, RH_SECTION_CONTACTS), self ? 2 : 0);
    drop_world(&w);
  }
}

END_TEST

// A scene that includes a model, with its own gravity, pose and prefix.
START_TEST(included)
{
  static const char text[] = "world: {gravity: [0, 0, -1]}\n"
                             "include: {sdf: sdf/world.sdf, prefix: p_, at: [0, 0, 5], contacts: "
                             "no, q: {arm-turn: 0.5}}\n";
  world w = read_as(text, sizeof text - 1, ROUTH_SOURCE_DIR "/tests/data/x.yaml");
  ck_assert_msg(w.status == RH_OK, "%s", rh_diag_get(w.diag, 0).text);
  ck_assert_int_eq(rh_scene_count(w.scene, RH_SECTION_CONTACTS), 0);
  const rh_world_def *def = rh_scene_item(w.scene, RH_SECTION_WORLD, 0);
  ck_assert(def->gravity[2] == -1);
  check_point(&w, "p_box-link", rh_v3(0, 0, 0), rh_v3(1, 0, 6));
  const rh_shape_def *plane = rh_scene_item(w.scene, RH_SECTION_SHAPES, 0);
  ck_assert(plane->at[2] == 5);
  ck_assert(w.data->q[w.model->body[body_of(&w, "p_arm-upper")].qadr] == 0.5);
  drop_world(&w);
}

END_TEST

// ---- Refused, warned of

static const struct {
  const char *text, *message;
  int line, column;
} wrong[] = {
    {"<sdf/>", "<sdf> needs the attribute version", 1, 1},
    {"<sdf version='2.0'><model name='m'><link name='a'/></model></sdf>", "version must be 1.0 to",
     1, 15},
    {"<sdf version='1.9'/>", "the file has no model", 1, 1},
    {SDF("<model><link name='a'/></model>"), "<model> needs the attribute name", 2, 1},
    {MODEL("<link name='a'/>\n<link name='a'/>"), "the name 'a' is taken here", 4, 1},
    {MODEL("<link name='a::b'/>"), "cannot be the name of a link", 3, 1},
    {MODEL("<link name='a'><pose>1 2 3</pose></link>"), "<pose> must be 6 finite numbers", 3, 22},
    {MODEL("<link name='a'><pose>1 2 3 0 0 nan</pose></link>"), "<pose> must be 6 finite numbers",
     3, 22},
    {MODEL("<link name='a'><pose relative_to='x'/></link>"),
     "relative_to='x': there is no such frame", 3, 35},
    {MODEL("<frame name='f'><pose relative_to='g'/></frame>\n<frame name='g'><pose "
           "relative_to='f'/></frame><link name='a'/>"),
     "is given in a frame that depends on it", 3, 1},
    {MODEL("<link name='a'><pose>0 0 0 0 0 0</pose>\n<pose/></link>"), "<pose> appears twice", 4,
     1},
    {MODEL("<link name='a'><inertial auto='true'/></link>"), "inertias are not computed", 3, 32},
    {MODEL("<link name='a'><inertial>"
           "<mass>-1</mass></inertial></link>"),
     "mass must be", 3, 0},
    {MODEL("<link name='a'><inertial><mass>x</mass></inertial></link>"),
     "<mass> must be 1 finite number", 3, 32},
    {MODEL("<link name='a'><kinematic>true</kinematic></link>"), "a kinematic link is not read", 3,
     16},
    {MODEL("<link name='a'><gravity>maybe</gravity></link>"), "<gravity> must be true or false", 3,
     25},
    {MODEL("<link name='a'>text</link>"), "<link> holds elements, not text", 3, 16},
    {MODEL("<link name='a'>text<pose/></link>"), "there must be no text between the elements", 3,
     16},
    {MODEL("<link name='a'/><link name='b'/>\n" JOINT("j", "screw", "a", "b", "")), "type must be",
     4, 23},
    {MODEL("<link name='a'/>\n" JOINT("j", "fixed", "a", "b", "")), "there is no link or frame 'b'",
     4, 55},
    {MODEL("<link name='a'/>\n" JOINT("j", "fixed", "a", "world", "")), "cannot carry the world", 4,
     1},
    {MODEL("<link name='a'/>\n" JOINT("j", "fixed", "a", "a", "")), "joins a link with itself", 4,
     1},
    {MODEL("<link name='a'/>\n<joint name='j' type='fixed'><child>a</child></joint>"),
     "needs <parent> and <child>", 4, 1},
    {MODEL("<link name='a'/>\n" JOINT("j", "revolute", "world", "a", "")), "needs <axis>", 4, 1},
    {MODEL("<link name='a'/>\n" JOINT(
         "j", "revolute", "world", "a",
         "<axis><xyz>0 0 1</xyz><limit><lower>2</lower><upper>1</upper></limit></axis>")),
     "lower must not be above upper", 4, 0},
    {MODEL("<link name='a'/>\n" JOINT("j", "revolute", "world", "a",
                                      "<axis><xyz expressed_in='q'>0 0 1</xyz></axis>")),
     "expressed_in='q': there is no such frame", 4, 0},
    {MODEL("<link name='a'/><link name='b'/>\n" JOINT("j", "fixed", "a", "b", "")
               JOINT("k", "fixed", "b", "a", "")),
     "", 0, 0},
    {MODEL("<link name='a'><collision name='c'/></link>"), "<collision> needs <geometry>", 3, 16},
    {MODEL("<link name='a'><collision name='c'><geometry><mesh/></geometry></collision></link>"),
     "needs the <uri>", 3, 0},
    {MODEL("<include><uri>model://no_such</uri></include>"),
     "the model 'model://no_such' cannot be found", 3, 15},
    {SDF("<world name='w'><actor name='x'/></world>"), "<actor> in <world> is not read", 2, 17},
    {SDF("<world name='w'><model name='m'><link name='a'/></model></world>\n<world name='v'/>"),
     "a file may have one world", 3, 1},
    {"<!DOCTYPE x><sdf version='1.9'/>", "a document type is not allowed", 1, 12},
    {"<sdf version='1.9'><model name='m'>", "not XML", 1, 0},
};

START_TEST(refused)
{
  world w = read_as(wrong[_i].text, strlen(wrong[_i].text), "m.sdf");
  ck_assert_msg(w.status == RH_INPUT_REFUSED, "%s was taken", wrong[_i].text);
  rh_message m = rh_diag_get(w.diag, 0);
  ck_assert_msg(strstr(m.text, wrong[_i].message), "'%s': %s", m.text, wrong[_i].text);
  ck_assert_msg(wrong[_i].line == 0 || m.place.line == wrong[_i].line, "%s: line %d", m.text,
                m.place.line);
  ck_assert_msg(wrong[_i].column == 0 || m.place.column == wrong[_i].column, "%s: column %d",
                m.text, m.place.column);
  ck_assert_str_eq(m.place.file, "m.sdf");
  drop_world(&w);
}

END_TEST

START_TEST(ignored_things)
{
  world w = accept_text(
      MODEL("<plugin name='p' filename='q'/>\n<link name='a'><visual name='v'/>\n<visual name='u'/>"
            "<thing/><velocity_decay><linear>0.1</linear></velocity_decay>"
            "<collision name='c'><geometry><heightmap/></geometry></collision></link>"));

  static const struct {
    rh_severity severity;
    const char *text;
  } want[] = {{RH_WARNING, "<plugin> is not simulated; line 3"},
              {RH_WARNING, "<thing> is not known in <link> and not used; line 5"},
              {RH_WARNING, "<velocity_decay> is not simulated; line 5"},
              {RH_WARNING, "<heightmap> is not simulated; line 5"}};

  for (int i = 0; i < RH_COUNT(want); i++) {
    bool found = false;
    for (int k = 0; k < rh_diag_kept(w.diag); k++) {
      rh_message m = rh_diag_get(w.diag, k);
      found = found || (m.severity == want[i].severity && strcmp(m.text, want[i].text) == 0);
    }
    ck_assert_msg(found, "no '%s'", want[i].text);
  }
  ck_assert_int_eq(rh_diag_kept(w.diag), RH_COUNT(want));
  drop_world(&w);
}

END_TEST

// 1000 files: beginnings of a good one, and it with bytes changed or parts removed. None crashes; what is refused says why.
START_TEST(damaged)
{
  size_t size = sizeof sdf_arm - 1;
  uint32_t seed = 12345;
  int taken = 0;
  for (int i = 0; i < 1000; i++) {
    char text[sizeof sdf_arm];
    size_t bytes = size;
    memcpy(text, sdf_arm, sizeof sdf_arm);
    seed = seed * 1664525u + 1013904223u;
    size_t at = (seed >> 8) % size;
    if (i % 3 == 0) {
      bytes = at;
    } else if (i % 3 == 1) {
      text[at] ^= (char)(1 + (seed >> 3) % 31);
    } else {
      size_t cut = 1 + (seed >> 20) % 40;
      cut = at + cut > size ? size - at : cut;
      memmove(text + at, text + at + cut, size - at - cut);
      bytes = size - cut;
    }
    world w = read_as(text, bytes, "m.sdf");
    ck_assert(w.status == RH_OK || rh_diag_count(w.diag, RH_ERROR) > 0);
    taken += w.status == RH_OK;
    drop_world(&w);
  }
  ck_assert_int_lt(taken, 400); // a name or a digit that is another one is no damage
}

END_TEST

Suite *rh_suite_unit_sdf(void)
{
  Suite *suite = suite_create("unit_sdf");
  TCase *tcase = tcase_create("read");
  tcase_add_test(tcase, two_languages);
  tcase_add_test(tcase, poses);
  tcase_add_test(tcase, joint_away_from_its_child);
  tcase_add_loop_test(tcase, axes_of_joints, 0, RH_COUNT(axes));
  tcase_add_test(tcase, kinds_of_joints);
  tcase_add_test(tcase, closed_loop);
  tcase_add_test(tcase, followers);
  tcase_add_test(tcase, surfaces);
  tcase_add_test(tcase, self_collision);
  tcase_add_test(tcase, included);
  suite_add_tcase(suite, tcase);
  TCase *bad = tcase_create("wrong");
  tcase_add_loop_test(bad, refused, 0, RH_COUNT(wrong));
  tcase_add_test(bad, ignored_things);
  tcase_add_test(bad, damaged);
  suite_add_tcase(suite, bad);
  return suite;
}
