// unit_urdf.c: robots from URDF, small ones written here: what each element becomes, what is left out and said, what is
// refused and where; a scene that includes a robot; damaged and hostile files.
#include "test.h"

#include "model/schema.h"

#include <math.h>
#include <routh/routh.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROBOT(inside) "<robot name='r'>\n" inside "</robot>\n"
#define LUMP(name)                                                                                 \
  "<link name='" name "'><inertial><mass value='2'/>"                                              \
  "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>\n"
#define HANG(name, type, parent, child, inside)                                                    \
  "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child          \
  "'/>" inside "</joint>\n"
#define DATA ROUTH_SOURCE_DIR "/tests/data/"

typedef struct world {
  rh_scene *scene;
  rh_model *model;
  rh_diag *diag;
  rh_status status;
} world;

static world read_as(const char *text, const char *name, const char *const *set, int nset)
{
  world w = {.diag = rh_diag_create()};
  w.status = rh_scene_parse(text, strlen(text), name, set, nset, w.diag, &w.scene);
  if (w.status == RH_OK) {
    w.status = rh_scene_compile(w.scene, w.diag, &w.model);
  }
  return w;
}

static void drop_world(world *w)
{
  rh_model_destroy(w->model);
  rh_scene_destroy(w->scene);
  rh_diag_destroy(w->diag);
}

static world accept_text(const char *text)
{
  world w = read_as(text, "r.urdf", NULL, 0);
  ck_assert_msg(w.status == RH_OK, "%s",
                rh_diag_kept(w.diag) > 0 ? rh_diag_get(w.diag, 0).text : "no message");
  return w;
}

// The message of this severity that holds `part`, NULL if there is none.
static const char *find_message(const world *w, rh_severity severity, const char *part,
                                rh_place *place)
{
  for (int i = 0; i < rh_diag_kept(w->diag); i++) {
    rh_message m = rh_diag_get(w->diag, i);
    if (m.severity == severity && strstr(m.text, part)) {
      *place = m.place;
      return m.text;
    }
  }
  return NULL;
}

static const rh_model_body *body_of(const world *w, const char *name)
{
  int body = rh_model_find(w->model, RH_OBJECT_BODY, name);
  ck_assert_msg(body != RH_NONE, "no body %s", name);
  return &w->model->body[body];
}

// ---- What elements become

START_TEST(one_link)
{
  world w = accept_text(ROBOT(LUMP("a")));
  ck_assert_int_eq(w.model->nbody, 2);
  ck_assert_int_eq(w.model->nv, 6);
  ck_assert_str_eq(body_of(&w, "a")->joint->row.name, "free");
  ck_assert_int_eq(rh_diag_kept(w.diag), 0);
  drop_world(&w);
}

END_TEST

// An inertia in a turned frame: about z by 90 degrees ixx and iyy change places and ixy changes sign.
START_TEST(turned_inertia)
{
  world w = accept_text(
      ROBOT("<link name='a'><inertial><origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/>"
            "<mass value='2'/><inertia ixx='3' iyy='4' izz='5' ixy='0.5' ixz='0.1' iyz='0.2'/>"
            "</inertial></link>"));
  const rh_body_def *b = rh_scene_item(w.scene, RH_SECTION_BODIES, 0);
  const double want[6] = {4, 3, 5, -0.5, -0.2, 0.1};
  near_array(b->inertia.x, want, 6, 1e-15, 0); // the cosine of the angle is 6e-17
  near_array(b->com, ((double[]){1, 2, 3}), 3, 0, 0);
  ck_assert(b->mass == 2);
  drop_world(&w);
}

END_TEST

START_TEST(kinds_of_joints)
{
  world w = accept_text(ROBOT(
      LUMP("a") LUMP("b") LUMP("c") LUMP("d") LUMP("e") LUMP("f") LUMP("g")
          HANG("jb", "revolute", "a", "b",
               "<origin xyz='1 2 3' rpy='0.1 0.2 0.3'/><axis xyz='0 0 2'/>"
               "<limit lower='-1' upper='2' effort='30' velocity='4'/>"
               "<dynamics damping='0.5' friction='0.25'/>")
              HANG("jc", "continuous", "b", "c", "<axis xyz='0 1 0'/>")
                  HANG("jd", "prismatic", "c", "d", "<limit lower='0.5' upper='2' effort='0'/>")
                      HANG("je", "fixed", "d", "e", "") HANG("jf", "floating", "e", "f", "")
                          HANG("jg", "planar", "f", "g", "<axis xyz='0 1 0'/>")));

  static const struct {
    const char *body, *kind;
    int nv;
  } want[] = {{"a", "free", 6},  {"b", "revolute", 1}, {"c", "revolute", 1}, {"d", "prismatic", 1},
              {"e", "fixed", 0}, {"f", "free", 6},     {"g", "planar", 3}};

  for (int i = 0; i < RH_COUNT(want); i++) {
    ck_assert_str_eq(body_of(&w, want[i].body)->joint->row.name, want[i].kind);
    ck_assert_int_eq(body_of(&w, want[i].body)->nv, want[i].nv);
  }
  const rh_model_dof *b = &w.model->dof[body_of(&w, "b")->vadr];
  ck_assert(b->lower == -1 && b->upper == 2 && b->damper == 0.5 && b->friction == 0.25);
  const rh_model_dof *c = &w.model->dof[body_of(&w, "c")->vadr];
  ck_assert(isinf(c->lower) && isinf(c->upper));
  // The axis of jd is x where none is said, and 0 is out of its limits: it starts at the nearer one.
  const rh_joint_def *d = rh_scene_item(w.scene, RH_SECTION_JOINTS, 2);
  ck_assert(d->par[0] == 1 && d->par[1] == 0 && d->q.n == 1 && d->q.x[0] == 0.5);
  ck_assert_int_eq(w.model->nactuator, 1); // an effort of 0 makes none
  ck_assert(w.model->actuator[0].lo == -30 && w.model->actuator[0].hi == 30);
  drop_world(&w);
}

END_TEST

START_TEST(shapes)
{
  world w = accept_text(ROBOT(
      "<link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
      "iyz='0'/></inertial>"
      "<collision><origin xyz='1 2 3'/><geometry><box size='1 2 3'/></geometry></collision>"
      "<collision><geometry><sphere radius='0.5'/></geometry></collision>"
      "<collision><geometry><cylinder radius='0.5' length='2'/></geometry></collision>"
      "<collision><geometry><capsule radius='0.5' length='2'/></geometry></collision>"
      "<collision><geometry><sphere radius='0'/></geometry></collision>"
      "</link>"));
  static const char *const kind[] = {"box", "sphere", "cylinder", "capsule"};
  ck_assert_int_eq(w.model->nshape, 4);
  for (int i = 0; i < 4; i++) {
    const rh_shape_def *s = rh_scene_item(w.scene, RH_SECTION_SHAPES, i);
    ck_assert_str_eq(s->kind.text, kind[i]);
    ck_assert_str_eq(s->body.text, "a");
  }
  const rh_shape_def *box = rh_scene_item(w.scene, RH_SECTION_SHAPES, 0);
  ck_assert(box->at[2] == 3 && box->par[0] == 1 && box->par[1] == 2 && box->par[2] == 3);
  rh_place place;
  ck_assert_ptr_nonnull(find_message(&w, RH_WARNING, "without size", &place));
  drop_world(&w);
}

END_TEST

// Frames without mass: at the end of a fixed joint, and between joints that move; a link called world is the world.
START_TEST(links_without_mass)
{
  world w =
      accept_text(ROBOT("<link name='world'/><link name='cross'/><link name='tool'/>" LUMP("a")
                            HANG("j1", "continuous", "world", "cross", "<axis xyz='1 0 0'/>")
                                HANG("j2", "continuous", "cross", "a", "<axis xyz='0 1 0'/>")
                                    HANG("j3", "fixed", "a", "tool", "<origin xyz='0 0 1'/>")));
  ck_assert_int_eq(w.model->nbody, 4);
  ck_assert_int_eq(w.model->nv, 2);
  ck_assert_int_eq(body_of(&w, "cross")->parent, 0);
  rh_data *d = rh_data_create(w.model);
  rh_kinematics(d);
  rh_loads(d);
  rh_forward_dynamics(d);
  ck_assert(isfinite(d->a[0]) && isfinite(d->a[1]));
  rh_data_destroy(d);
  drop_world(&w);
  w = read_as(ROBOT(LUMP("a") "<link name='b'/>" HANG("j", "continuous", "a", "b", "")), "r.urdf",
              NULL, 0);
  ck_assert_int_eq(w.status, RH_INPUT_REFUSED);
  rh_place place;
  ck_assert_ptr_nonnull(find_message(&w, RH_ERROR, "b.mass must be > 0 kg", &place));
  ck_assert_int_eq(place.line, 3);
  drop_world(&w);
}

END_TEST

// What is left out is said: of the motion as warnings, the rest in notes with all their lines.
START_TEST(ignored_things)
{
  world w = accept_text(
      ROBOT(LUMP("a") "<link name='b'><visual><geometry/></visual>\n<inertial><mass value='1'/>"
                      "<inertia ixx='1' iyy='1' izz='2.5' ixy='0' ixz='0' iyz='0'/></inertial>\n"
                      "<visual/></link>\n" HANG("j", "continuous", "a", "b",
                                                "<limit lower='1' effort='2' "
                                                "colour='3'/>") "<transmission><joint "
                                                                "name='x'/></transmission>\n<thing/"
                                                                ">lost\n"));
  rh_place place;
  const char *visual = find_message(&w, RH_WARNING, "a visual without geometry", &place);
  ck_assert_ptr_nonnull(visual);
  ck_assert_ptr_nonnull(strstr(visual, "lines 3, 5"));
  ck_assert_int_eq(place.line, 3);
  ck_assert_int_eq(place.column, 16);
  ck_assert_ptr_nonnull(find_message(&w, RH_WARNING, "a transmission of no joint", &place));
  ck_assert_ptr_nonnull(find_message(&w, RH_NOTE, "attribute colour of <limit>", &place));
  ck_assert_ptr_nonnull(find_message(&w, RH_NOTE, "lower and upper of a continuous joint", &place));
  ck_assert_ptr_nonnull(find_message(&w, RH_WARNING, "<thing> is not known in <robot>", &place));
  ck_assert_ptr_nonnull(find_message(&w, RH_WARNING, "text between", &place));
  // 2.5 > 1 + 1: 0.5 is added to each, and 3 = 1.5 + 1.5.
  ck_assert_ptr_nonnull(find_message(&w, RH_WARNING, "no matter has", &place));
  const rh_body_def *b = rh_scene_item(w.scene, RH_SECTION_BODIES, 1);
  near_array(b->inertia.x, ((double[]){1.5, 1.5, 3, 0, 0, 0}), 6, 1e-15, 0);
  ck_assert_int_eq(rh_diag_count(w.diag, RH_WARNING), 5);
  drop_world(&w);
}

END_TEST

// Equal limits hold a joint.
START_TEST(equal_limits)
{
  world w = accept_text(
      ROBOT(LUMP("a") LUMP("b") HANG("j", "revolute", "a", "b", "<limit lower='1' upper='1'/>")));
  ck_assert(w.model->start.held[rh_model_find(w.model, RH_OBJECT_BODY, "b")]);
  drop_world(&w);
}

END_TEST

// ---- What is refused, and where

typedef struct bad {
  const char *text, *part;
  int line, column; // 0: not looked at
} bad;

static const bad refused[] = {
    {"<robot name='r'></robot>", "no links", 1, 1},
    {"<sdf></sdf>", "<sdf> needs the attribute version", 1, 1},
    {"<robot>\n<link name='a'>\n</robot>", "not XML: mismatched tag", 3, 0},
    {"<robot>", "not XML: no element found", 1, 0},
    {"<", "not XML", 1, 0},
    {"<robot a='1' a='2'/>", "duplicate attribute", 1, 0},
    {"<!DOCTYPE r [<!ENTITY a 'aa'>]><robot name='&a;'/>", "document type is not allowed", 1, 0},
    {"<robot name='&a;'/>", "undefined entity", 1, 0},
    {ROBOT("<xacro:macro name='m'/>"), "run xacro first", 2, 1},
    {ROBOT("<link/>"), "<link> needs the attribute name", 2, 1},
    {ROBOT("<link name=''/>"), "<link> needs the attribute name", 2, 1},
    {ROBOT(LUMP("a") LUMP("a")), "a", 3, 0},
    {ROBOT(LUMP("a") LUMP("b")), "a robot has one root", 3, 13},
    {ROBOT(LUMP("a") HANG("j", "fixed", "a", "b", "")), "names no body: 'b'", 3, 0},
    {ROBOT(LUMP("a") LUMP("b") HANG("j", "fixed", "c", "b", "")), "names no body: 'c'", 4, 0},
    {ROBOT(LUMP("a") LUMP("b") HANG("j", "fixed", "b", "a", "") HANG("k", "fixed", "a", "b", "")),
     "cycle", 0, 0},
    {ROBOT(LUMP("a") LUMP("b") LUMP("c") HANG("j", "fixed", "a", "b", "")
               HANG("k", "fixed", "c", "b", "")),
     "a robot has one root", 4, 0},
    {ROBOT(LUMP("a") LUMP("b") HANG("j", "fixed", "a", "b", "") HANG("k", "fixed", "a", "b", "")),
     "is carried already", 5, 0},
    {ROBOT(LUMP("a") LUMP("b") LUMP("c") HANG("j", "fixed", "a", "b", "")
               HANG("j", "fixed", "a", "c", "")),
     "j", 6, 0},
    {ROBOT(LUMP("a") LUMP("b") HANG("j", "revolut", "a", "b", "")), "did you mean 'revolute'", 4,
     23},
    {ROBOT(LUMP("a") LUMP("b") HANG("j", "revolute", "a", "b", "")), "needs <limit>", 4, 1},
    {ROBOT(LUMP("a") LUMP("b") HANG("j", "revolute", "a", "b", "<limit lower='2' upper='1'/>")),
     "lower must not be above upper", 4, 0},
    {ROBOT(LUMP("a") LUMP("b") HANG("j", "revolute", "a", "b", "<limit upper='1' effort='-1'/>")),
     "effort must not be negative", 4, 0},
    {ROBOT(LUMP("a") LUMP("b") HANG("j", "continuous", "a", "b", "<axis xyz='0 0 0'/>")), "axis", 4,
     0},
    {ROBOT(LUMP("a") LUMP("b") HANG("j", "continuous", "a", "b", "<dynamics damping='-1'/>")),
     "damper", 4, 0},
    {ROBOT(LUMP("a") "<joint name='j' type='fixed'><child link='a'/></joint>"), "needs <parent", 3,
     1},
    {ROBOT(LUMP("a") HANG("j", "fixed", "a", "world", "")), "cannot carry the link 'world'", 3, 0},
    {ROBOT("<link name='world'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' "
           "ixz='0' iyz='0'/></inertial></link>"),
     "has no mass", 2, 0},
    {ROBOT("<link name='a'><inertial>\n<mass value='1'/></inertial></link>"), "needs <inertia>", 2,
     0},
    {ROBOT("<link name='a'><inertial/></link>"), "needs <mass>", 2, 0},
    {ROBOT("<link name='a'><inertial>\n <mass value='nan'/></inertial></link>"),
     "must be a finite number", 3, 15},
    {ROBOT("<link name='a'><inertial>\n <mass value='1e999'/></inertial></link>"), "got '1e999'", 3,
     15},
    {ROBOT("<link name='a'><inertial><mass value='-1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' "
           "ixz='0' iyz='0'/></inertial></link>"),
     "a.mass must be >= 0 kg", 2, 0},
    {ROBOT("<link name='a'><inertial><mass value='1'/><inertia ixx='-1' iyy='1' izz='1' ixy='0' "
           "ixz='0' iyz='0'/></inertial></link>"),
     "a principal moment is negative", 2, 0},
    {ROBOT("<link name='a'><inertial><origin xyz='1 2'/></inertial></link>"),
     "three finite numbers", 2, 0},
    {ROBOT("<link name='a'><inertial><origin xyz='1 2 3 4'/></inertial></link>"), "three finite", 2,
     0},
    {ROBOT("<link name='a'><inertial/><inertial/></link>"), "<inertial> appears twice", 2, 0},
    {ROBOT("<link name='a'><collision/></link>"), "needs <geometry>", 2, 16},
    {ROBOT("<link name='a'><collision><geometry><box/></geometry></collision></link>"),
     "<box> needs the attribute size", 2, 0},
    {ROBOT("<link name='a'><collision><geometry><sphere radius='1'/><box size='1 1 1'/></geometry>"
           "</collision></link>"),
     "has a sphere already", 2, 0},
    {ROBOT("<link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' "
           "ixz='0' "
           "iyz='0'/></inertial><collision><geometry><sphere radius='-1'/></geometry></collision>"
           "</link>"),
     "radius must be > 0 m", 2, 0},
    {ROBOT("<link name='a b'/>"), "a b", 2, 0},
};

START_TEST(refusals)
{
  const bad *b = &refused[_i];
  world w = read_as(b->text, "r.urdf", NULL, 0);
  rh_place place = {0};
  ck_assert_msg(w.status == RH_INPUT_REFUSED, "%s was taken", b->text);
  const char *text = find_message(&w, RH_ERROR, b->part, &place);
  ck_assert_msg(text != NULL, "%s: no '%s', but '%s'", b->text, b->part,
                rh_diag_kept(w.diag) > 0 ? rh_diag_get(w.diag, 0).text : "nothing");
  ck_assert_msg(b->line == 0 || place.line == b->line, "%s: line %d", text, place.line);
  ck_assert_msg(b->column == 0 || place.column == b->column, "%s: column %d", text, place.column);
  if (b->line > 0) {
    ck_assert_str_eq(place.file, "r.urdf");
  }
  drop_world(&w);
}

END_TEST

// Deep nesting, many elements, long names, other encodings: refused or taken, in time.
START_TEST(large_things)
{
  enum { SIZE = 1 << 21 };

  char *text = calloc(SIZE + 64, 1);
  rh_place place;
  size_t n = (size_t)sprintf(text, "<robot>");
  while (n < SIZE) {
    n += (size_t)sprintf(text + n, "<a>");
  }
  world w = read_as(text, "r.urdf", NULL, 0);
  ck_assert_ptr_nonnull(find_message(&w, RH_ERROR, "nested too deeply", &place));
  drop_world(&w);
  n = (size_t)sprintf(text, "<robot>");
  for (int i = 0; i < 20000; i++) { // a chain
    n += (size_t)sprintf(text + n, "<t%d/><link name='l%d'/>", i, i);
  }
  sprintf(text + n, "</robot>");
  w = read_as(text, "r.urdf", NULL, 0);
  ck_assert_int_eq(w.status, RH_INPUT_REFUSED);
  ck_assert_ptr_nonnull(find_message(&w, RH_ERROR, "one root", &place));
  drop_world(&w);
  n = (size_t)sprintf(text, "<robot><link name='");
  memset(text + n, 'x', 100000);
  sprintf(text + n + 100000, "'/></robot>");
  w = read_as(text, "r.urdf", NULL, 0);
  ck_assert_int_eq(w.status, RH_INPUT_REFUSED);
  drop_world(&w);
  free(text);
}

END_TEST

// Every beginning of a good file, and every file with one byte changed: never a crash, and a refusal says why.
START_TEST(damaged)
{
  static const char good[] = ROBOT(LUMP("a") LUMP("b") HANG(
      "j", "revolute", "a", "b",
      "<origin xyz='1 2 3' rpy='0 0 0'/><axis xyz='0 0 1'/><limit lower='-1' upper='2' "
      "effort='30'/><dynamics damping='0.5'/>"));
  char text[sizeof good];
  for (size_t i = 0; i < 2 * (sizeof good - 1); i++) {
    memcpy(text, good, sizeof good);
    if (i < sizeof good - 1) {
      text[i] = '\0';
    } else {
      text[i - (sizeof good - 1)] ^= (char)(1 + i % 31);
    }
    if (text[0] != '<') {
      continue;
    }
    world w = read_as(text, "r.urdf", NULL, 0);
    ck_assert(w.status == RH_OK || rh_diag_count(w.diag, RH_ERROR) > 0);
    drop_world(&w);
  }
}

END_TEST

// ---- In a scene

START_TEST(included)
{
  static const char text[] =
      "include:\n"
      "  - {urdf: robot/arm.urdf, prefix: l_, fixed: yes, at: [0, 1, 0]}\n"
      "  - {urdf: robot/arm.urdf, prefix: r_, at: [0, -1, 0], rpy: [0, 0, 90 deg]}\n"
      "bodies:\n  - {name: ball, mass: 1}\n"
      "joints:\n  - {kind: free, child: ball}\n"
      "shapes:\n  - {body: ball, kind: sphere, radius: 0.1}\n"
      "contacts:\n  - {body: ball, against: r_hand, law: newton, e: 0.5}\n";
  const char *const set[] = {"l_shoulder.q=0.25", "r_base.q=[0,0,5,1,0,0,0]", "bodies.0.mass=3",
                             "l_hand.mass=4"};
  world w = read_as(text, DATA "x.yaml", set, RH_COUNT(set));
  ck_assert_msg(w.status == RH_OK, "%s",
                rh_diag_kept(w.diag) > 0 ? rh_diag_get(w.diag, 0).text : "no message");
  ck_assert_str_eq(body_of(&w, "l_base")->joint->row.name, "fixed");
  ck_assert_str_eq(body_of(&w, "r_base")->joint->row.name, "free");
  rh_data *d = rh_data_create(w.model);
  rh_kinematics(d);
  int base = rh_model_find(w.model, RH_OBJECT_BODY, "r_base");
  rh_vec3 x = rh_point_position(d, base, rh_v3(1, 0, 0));
  near_array(&x.x, ((double[]){0, 0, 5}), 3, 1e-15,
             0); // at (0, -1, 5), turned: its x is the world's y
  ck_assert(d->q[body_of(&w, "l_hand")->qadr] == 0.25);
  ck_assert(body_of(&w, "ball")->inertia.mass == 3); // the scene's own entries keep their numbers
  ck_assert(body_of(&w, "l_hand")->inertia.mass == 4);
  ck_assert_int_eq(w.model->meshes.n,
                   4); // two meshes each: by relative path, and mirrored by package path
  rh_data_destroy(d);
  // What is written needs no other file.
  char *written = rh_scene_write(w.scene, true);
  world again = read_as(written, "nowhere/y.yaml", NULL, 0);
  ck_assert_int_eq(again.status, RH_OK);
  ck_assert_int_eq(again.model->layout.nstate, w.model->layout.nstate);
  rh_free(written);
  drop_world(&again);
  drop_world(&w);
}

END_TEST

// Posture and samples of the scene come on top of what the file says; another robot of the same file has its own.
START_TEST(postures)
{
  static const char text[] = "include:\n"
                             "  - {urdf: ../../models/atlas.urdf, prefix: a_, samples: 8, q: "
                             "{l_leg_kny: 0.5, pelvis: [0, 0, 2, 1, 0, 0, 0]}}\n"
                             "  - {urdf: ../../models/atlas.urdf, prefix: b_}\n";
  const char *const set[] = {"joints.b_l_leg_kny.q=0.25"};
  world w = read_as(text, DATA "x.yaml", set, RH_COUNT(set));
  ck_assert_int_eq(w.status, RH_OK);
  ck_assert(w.model->start.q0[body_of(&w, "a_l_lleg")->qadr] == 0.5);
  ck_assert(w.model->start.q0[body_of(&w, "a_r_lleg")->qadr] == 0);
  ck_assert(w.model->start.q0[body_of(&w, "b_l_lleg")->qadr] == 0.25);
  ck_assert(w.model->start.q0[body_of(&w, "a_pelvis")->qadr + 2] == 2);
  int boxes[2] = {0};
  for (int i = 0; i < w.model->nshape; i++) {
    const rh_model_shape *s = &w.model->shape[i];
    if (strcmp(s->kind->row.name, "box") == 0) {
      const char *body = rh_model_name(w.model, RH_OBJECT_BODY, s->body);
      boxes[body[0] == 'b']++;
      ck_assert(s->par[3] == (body[0] == 'a' ? 8 : 4));
    }
  }
  ck_assert(boxes[0] > 0 && boxes[0] == boxes[1]);
  drop_world(&w);
}

END_TEST

// A mesh that is mirrored has its hull on the other side.
START_TEST(meshes)
{
  rh_diag *diag = rh_diag_create();
  world w = {.diag = diag};
  ck_assert_int_eq(rh_scene_load(DATA "robot/arm.urdf", NULL, 0, diag, &w.scene), RH_OK);
  ck_assert_int_eq(rh_scene_count(w.scene, RH_SECTION_MESHES), 2);
  const rh_mesh_def *a = rh_scene_item(w.scene, RH_SECTION_MESHES, 0);
  const rh_mesh_def *b = rh_scene_item(w.scene, RH_SECTION_MESHES, 1);
  ck_assert_int_eq(a->vertices.n, b->vertices.n);
  ck_assert(a->scale == 0.5);
  for (int i = 0; i < a->vertices.n; i++) {
    ck_assert(b->vertices.x[i] == (i % 3 == 1 ? -2 : 1) * a->vertices.x[i]);
  }
  rh_place place;
  ck_assert_ptr_nonnull(find_message(&w, RH_WARNING, "'absent.stl' cannot be found", &place));
  ck_assert_ptr_nonnull(find_message(&w, RH_WARNING, "not 'hand.dae'", &place));
  ck_assert_ptr_nonnull(find_message(&w, RH_NOTE, "is replaced by its convex hull", &place));
  drop_world(&w);
}

END_TEST

static const bad bad_scene[] = {
    {"include: 3\n", "must be a map", 1, 10},
    {"include: {urdf: no.urdf}\n", "No such file", 0, 0},
    {"include: {}\n", "urdf, mjcf, sdf or scene must name a file", 1, 10},
    {"include: {urdf: robot/arm.urdf, prefx: a}\n", "did you mean 'prefix'", 1, 33},
    {"include: {urdf: robot/arm.urdf, fixed: 3}\n", "fixed must be yes or no", 1, 40},
    {"include: {urdf: robot/arm.urdf, at: [1, 2]}\n", "at must be a list of 3 numbers", 1, 0},
    {"include: [{urdf: robot/arm.urdf}, {urdf: robot/arm.urdf}]\n", "base", 0, 0},
    {"include: {urdf: robot/broken.urdf}\n", "not XML: mismatched tag", 3, 0},
    {"bodies: 3\ninclude: {urdf: robot/arm.urdf}\n", "bodies must be a list", 1, 9},
    {"include: {urdf: x.yaml}\n", "", 0, 0},
    {"include: {urdf: robot/arm.urdf, q: 3}\n", "q must be a map of joints", 1, 36},
    {"include: {urdf: robot/arm.urdf, prefix: a_, q: {elbow: 3}}\n", "has no joint 'a_elbow'", 1,
     49},
    {"include: {urdf: robot/arm.urdf, q: {shoulder: x}}\n", "shoulder.q", 1, 0},
    {"include: {urdf: ../../models/atlas.urdf, samples: 65}\n", "samples", 1, 0},
};

START_TEST(bad_includes)
{
  const bad *b = &bad_scene[_i];
  world w = read_as(b->text, DATA "x.yaml", NULL, 0);
  rh_place place = {0};
  ck_assert_int_eq(w.status, RH_INPUT_REFUSED);
  const char *text = find_message(&w, RH_ERROR, b->part, &place);
  ck_assert_msg(text != NULL, "%s: no '%s', but '%s'", b->text, b->part,
                rh_diag_kept(w.diag) > 0 ? rh_diag_get(w.diag, 0).text : "nothing");
  ck_assert_msg(b->line == 0 || place.line == b->line, "%s: line %d", text, place.line);
  ck_assert_msg(b->column == 0 || place.column == b->column, "%s: column %d", text, place.column);
  drop_world(&w);
}

END_TEST

// Running out of memory at any allocation is a status, never a crash.
static int left;

static void *scarce(void *user, void *block, size_t bytes)
{
  (void)user;
  if (bytes == 0) {
    free(block);
    return NULL;
  }
  return left-- > 0 ? realloc(block, bytes) : NULL;
}

START_TEST(out_of_memory)
{
  static const char text[] =
      ROBOT(LUMP("a") LUMP("b") HANG("j", "continuous", "a", "b", "<limit effort='1'/>"));
  const rh_allocator few = {scarce, NULL};
  rh_status status = RH_OUT_OF_MEMORY;
  int n = 0;
  for (; status == RH_OUT_OF_MEMORY && n < 2000; n++) {
    rh_scene *scene = NULL;
    left = n;
    rh_hook_set_allocator(&few);
    status = rh_scene_parse(text, sizeof text - 1, "r.urdf", NULL, 0, NULL, &scene);
    rh_hook_set_allocator(NULL);
    rh_scene_destroy(scene);
  }
  ck_assert_int_eq(status, RH_OK);
  ck_assert_int_gt(n, 20);
}

END_TEST

Suite *rh_suite_unit_urdf(void)
{
  Suite *suite = suite_create("unit_urdf");
  TCase *robots = tcase_create("robots");
  tcase_add_test(robots, one_link);
  tcase_add_test(robots, turned_inertia);
  tcase_add_test(robots, kinds_of_joints);
  tcase_add_test(robots, shapes);
  tcase_add_test(robots, links_without_mass);
  tcase_add_test(robots, ignored_things);
  tcase_add_test(robots, equal_limits);
  suite_add_tcase(suite, robots);
  TCase *wrong = tcase_create("refused");
  tcase_add_loop_test(wrong, refusals, 0, RH_COUNT(refused));
  tcase_add_test(wrong, large_things);
  tcase_add_test(wrong, damaged);
  tcase_add_test(wrong, out_of_memory);
  suite_add_tcase(suite, wrong);
  TCase *scenes = tcase_create("scenes");
  tcase_add_test(scenes, included);
  tcase_add_test(scenes, postures);
  tcase_add_test(scenes, meshes);
  tcase_add_loop_test(scenes, bad_includes, 0, RH_COUNT(bad_scene));
  suite_add_tcase(suite, scenes);
  return suite;
}
