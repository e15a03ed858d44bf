// kind_damaged_sdf.c: damaged SDF files. Each is made from one good file, in which every element that is read appears, by
// a rule: cut, with a byte that no XML has, with another text in an element, another name of an element or attribute, an
// element twice, left open, or closed in the wrong order. None may crash or be accepted without a word: each is refused
// with the place of the file, and one that is only another word where SDF allows any has a message of its line.
#include "test.h"

#include <ctype.h>
#include <routh/routh.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char good[] =
    "<?xml version='1.0'?>\n"
    "<sdf version='1.9'>\n"
    "<world name='w'>\n"
    "<gravity>0 0 -9.8</gravity>\n"
    "<frame name='table'><pose>0 0 0.5 0 0 0</pose></frame>\n"
    "<model name='ground'>\n"
    "<static>true</static>\n"
    "<link name='floor'>\n"
    "<collision name='c'>\n"
    "<geometry><plane><normal>0 0 1</normal><size>10 10</size></plane></geometry>\n"
    "<surface>\n"
    "<friction><ode><mu>0.6</mu><mu2>0.6</mu2></ode></friction>\n"
    "<bounce><restitution_coefficient>0.2</restitution_coefficient></bounce>\n"
    "<contact><collide_bitmask>3</collide_bitmask></contact>\n"
    "</surface>\n"
    "</collision>\n"
    "</link>\n"
    "</model>\n"
    "<model name='arm' canonical_link='post'>\n"
    "<pose relative_to='table' degrees='true'>0 2 0 0 0 90</pose>\n"
    "<self_collide>false</self_collide>\n"
    "<link name='post'>\n"
    "<gravity>true</gravity>\n"
    "<inertial><mass>5</mass></inertial>\n"
    "<collision name='c'>\n"
    "<pose>0 0 0.1 0 0 0</pose>\n"
    "<geometry><cylinder><radius>0.1</radius><length>0.4</length></cylinder></geometry>\n"
    "</collision>\n"
    "</link>\n"
    "<frame name='shoulder' attached_to='post'><pose>0 0 0.5 0 0 0</pose></frame>\n"
    "<link name='upper'>\n"
    "<pose relative_to='shoulder' rotation_format='quat_xyzw'>0.5 0 0 0 0 0 1</pose>\n"
    "<inertial>\n"
    "<pose>0.1 0 0 0 0 0</pose>\n"
    "<mass>1.5</mass>\n"
    "<inertia><ixx>0.05</ixx><iyy>0.1</iyy><izz>0.1</izz>"
    "<ixy>0.001</ixy><ixz>0</ixz><iyz>0</iyz></inertia>\n"
    "</inertial>\n"
    "<collision "
    "name='ball'><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>\n"
    "<collision name='brick'><geometry><box><size>0.2 0.1 0.3</size></box></geometry></collision>\n"
    "<collision name='pill'>\n"
    "<geometry><capsule><radius>0.1</radius><length>0.4</length></capsule></geometry>\n"
    "</collision>\n"
    "<collision name='egg'><geometry><ellipsoid><radii>0.2 0.1 0.3</radii></ellipsoid></geometry>\n"
    "</collision>\n"
    "</link>\n"
    "<link name='wheel'>\n"
    "<pose>1 0 0.5 0 0 0</pose>\n"
    "<inertial><mass>1</mass></inertial>\n"
    "</link>\n"
    "<joint name='fix' type='fixed'><parent>world</parent><child>post</child></joint>\n"
    "<joint name='turn' type='revolute'>\n"
    "<pose relative_to='shoulder'>0 0 0 0 0 0</pose>\n"
    "<parent>shoulder</parent>\n"
    "<child>upper</child>\n"
    "<axis>\n"
    "<xyz expressed_in='shoulder'>0 1 0</xyz>\n"
    "<initial_position>0.1</initial_position>\n"
    "<limit><lower>-2</lower><upper>2</upper><effort>30</effort></limit>\n"
    "<dynamics>\n"
    "<damping>0.3</damping>\n"
    "<friction>0.1</friction>\n"
    "<spring_reference>0.1</spring_reference>\n"
    "<spring_stiffness>2</spring_stiffness>\n"
    "</dynamics>\n"
    "</axis>\n"
    "</joint>\n"
    "<joint name='roll' type='continuous'>\n"
    "<parent>upper</parent>\n"
    "<child>wheel</child>\n"
    "<axis>\n"
    "<xyz>0 0 1</xyz>\n"
    "<initial_position>0.3</initial_position>\n"
    "<mimic joint='turn'><multiplier>2</multiplier><offset>0.1</offset><reference>0</reference>"
    "</mimic>\n"
    "</axis>\n"
    "</joint>\n"
    "</model>\n"
    "</world>\n"
    "</sdf>\n";

// ---- The judge

typedef enum verdict { REFUSED, SAID, SILENT } verdict; // SAID: taken, with a message of its own

typedef struct tally {
  int count, failed;
} tally;

// `line` > 0: an error, or a warning, must be of this line. The good file has no warning.
static verdict judge_file(const char *text, size_t bytes, int line)
{
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  rh_status status = rh_scene_parse(text, bytes, "m.sdf", NULL, 0, diag, &scene);
  if (status == RH_OK) {
    status = rh_scene_compile(scene, diag, &model);
  }
  bool placed = false;
  for (int i = 0; i < rh_diag_kept(diag); i++) {
    rh_message m = rh_diag_get(diag, i);
    bool here = m.place.file != NULL && strcmp(m.place.file, "m.sdf") == 0 && m.place.line > 0 &&
                m.place.column > 0;
    bool right = line == 0 || m.place.line == line;
    bool about = m.severity == RH_ERROR || (status == RH_OK && m.severity == RH_WARNING);
    placed = placed || (about && here && right);
  }
  rh_model_destroy(model);
  rh_scene_destroy(scene);
  rh_diag_destroy(diag);
  if (status == RH_INPUT_REFUSED && placed) {
    return REFUSED;
  }
  return status == RH_OK && placed ? SAID : SILENT;
}

static int line_of(size_t at)
{
  int line = 1;
  for (size_t i = 0; i < at; i++) {
    line += good[i] == '\n';
  }
  return line;
}

static void check_file(tally *t, const char *text, size_t bytes, int line, const char *what)
{
  t->count++;
  if (judge_file(text, bytes, line) != REFUSED) {
    t->failed++;
    (void)fprintf(stderr, "not refused with its place: %s\n", what);
  }
}

// A file in which something is not read: refused, as something else needs it, or taken with a warning of its line
static void expect_words(tally *t, const char *text, int line, const char *what)
{
  size_t bytes = strlen(text);
  t->count++;
  if (judge_file(text, bytes, 0) != REFUSED && judge_file(text, bytes, line) != SAID) {
    t->failed++;
    (void)fprintf(stderr, "accepted without a word: %s\n", what);
  }
}

static void expect_none_failed(const tally *t, int least)
{
  ck_assert_int_ge(t->count, least);
  ck_assert_msg(t->failed == 0, "%d of %d damaged files", t->failed, t->count);
}

// The good file with `put` in place of its bytes [from, to)
static char *with_text(size_t from, size_t to, const char *put)
{
  size_t size = sizeof good - 1;
  size_t length = strlen(put);
  char *text = malloc(size + length + 1);
  ck_assert_ptr_nonnull(text);
  memcpy(text, good, from);
  memcpy(text + from, put, length);
  memcpy(text + from + length, good + to, size - to + 1);
  return text;
}

// ---- The parts of the good file

typedef struct element {
  size_t open, name, inside; // '<', its name, after its '>'
  size_t close, end;         // of "</name>" its '<', and after its '>'
  size_t length;             // of the name
  bool leaf;                 // it holds a text only
} element;

static bool find_element(size_t from, element *e)
{
  const char *at = good + from;
  while ((at = strchr(at, '<')) != NULL && !isalpha((unsigned char)at[1])) {
    at++;
  }
  if (at == NULL) {
    return false;
  }
  e->open = (size_t)(at - good);
  e->name = e->open + 1;
  e->length = strcspn(at + 1, " >");
  e->inside = (size_t)(strchr(at, '>') - good) + 1;
  char tag[80];
  (void)snprintf(tag, sizeof tag, "<%.*s", (int)e->length, good + e->name);
  char back[80];
  (void)snprintf(back, sizeof back, "</%.*s>", (int)e->length, good + e->name);
  int depth = 1;
  const char *to = good + e->inside;
  while (depth > 0) { // of elements of the same name
    const char *inner = strstr(to, tag);
    const char *outer = strstr(to, back);
    bool deeper = inner != NULL && inner < outer;
    bool same = deeper && (inner[strlen(tag)] == ' ' || inner[strlen(tag)] == '>');
    depth += deeper ? (int)same : -1;
    to = deeper ? inner + 1 : outer + 1;
  }
  e->close = (size_t)(to - 1 - good);
  e->end = e->close + strlen(back);
  e->leaf = strcspn(good + e->inside, "<") == e->close - e->inside;
  return true;
}

static bool is_named(const element *e, const char *words)
{
  char word[40];
  (void)snprintf(word, sizeof word, " %.*s ", (int)e->length, good + e->name);
  return strstr(words, word) != NULL;
}

static tally begin_tally(void)
{
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  ck_assert_int_eq(rh_scene_parse(good, sizeof good - 1, "m.sdf", NULL, 0, diag, &scene), RH_OK);
  rh_model *model = NULL;
  ck_assert_int_eq(rh_scene_compile(scene, diag, &model), RH_OK);
  for (int i = 0; i < rh_diag_kept(diag); i++) {
    ck_assert_int_ne(rh_diag_get(diag, i).severity, RH_WARNING);
  }
  tally t = {0, 0};
  rh_model_destroy(model);
  rh_scene_destroy(scene);
  rh_diag_destroy(diag);
  return t;
}

// ---- The cases

START_TEST(cut)
{
  tally t = begin_tally();
  for (size_t n = 0; n + sizeof "</sdf>" < sizeof good; n++) {
    char what[64];
    (void)snprintf(what, sizeof what, "cut at byte %zu", n);
    check_file(&t, good, n, 0, what);
  }
  expect_none_failed(&t, 1000);
}

END_TEST

// Bytes that no XML may have there, wherever they are
START_TEST(wrong_bytes)
{
  static const char bytes[] = {'<', '&', '\xff', '\x01', '\0'};
  tally t = begin_tally();
  for (size_t at = (size_t)rh_trials(4) % 4; at + 8 < sizeof good; at += 4) {
    for (int k = 0; k < RH_COUNT(bytes); k++) {
      char text[sizeof good];
      char what[64];
      memcpy(text, good, sizeof good);
      text[at] = bytes[k];
      (void)snprintf(what, sizeof what, "byte 0x%02x at %zu", (unsigned char)bytes[k], at);
      if (good[at] != bytes[k]) {
        check_file(&t, text, sizeof good - 1, 0, what);
      }
    }
  }
  expect_none_failed(&t, 1000);
}

END_TEST

static const char *const wrong_texts[] = {"",      "nan",   "1e999", "abc",   "0x1F",
                                          "1,5",   "--1",   "1 2;",  "1e",    "1 2 3 4 5 6 7 8 9",
                                          "maybe", "1 abc", "0..5",  "+-0.5", "nobody"};

// Another text in an element: no number, too many of them, no link of this name.
START_TEST(wrong_values)
{
  tally t = begin_tally();
  element e;
  for (size_t at = 0; find_element(at, &e); at = e.inside) {
    for (int k = 0; e.leaf && k < RH_COUNT(wrong_texts); k++) {
      bool empty_pose = is_named(&e, " pose ") && wrong_texts[k][0] == '\0'; // the identity
      char what[160];
      (void)snprintf(what, sizeof what, "'%s' in <%.*s>, line %d", wrong_texts[k], (int)e.length,
                     good + e.name, line_of(e.open));
      char *text = with_text(e.inside, e.close, wrong_texts[k]);
      if (!empty_pose) {
        check_file(&t, text, strlen(text), line_of(e.open), what);
      }
      free(text);
    }
  }
  expect_none_failed(&t, 400);
}

END_TEST

// A number less than it takes
START_TEST(number_missing)
{
  tally t = begin_tally();
  element e;
  for (size_t at = 0; find_element(at, &e); at = e.inside) {
    size_t last = e.close;
    while (last > e.inside && good[last] != ' ') {
      last--;
    }
    char what[120];
    (void)snprintf(what, sizeof what, "a number less in <%.*s>, line %d", (int)e.length,
                   good + e.name, line_of(e.open));
    if (e.leaf && last > e.inside) {
      char *text = with_text(last, e.close, "");
      check_file(&t, text, strlen(text), line_of(e.open), what);
      free(text);
    }
  }
  expect_none_failed(&t, 10);
}

END_TEST

// Numbers that no body, joint or shape has
START_TEST(impossible_values)
{
  static const struct {
    const char *names, *text;
  } row[] = {{" mass ixx radius length ", "-1"},
             {" mass radius length ", "0"},
             {" mass radius length mu damping ", "1e300"},
             {" mu restitution_coefficient damping friction spring_stiffness ", "-0.1"},
             {" restitution_coefficient ", "1.5"},
             {" lower ", "3"},
             {" upper ", "-3"},
             {" ixx ", "0.5"}, // more than iyy + izz
             {" ixy ", "0.5"},
             {" xyz normal ", "0 0 0"},
             {" radii ", "0.2 0 0.3"},
             {" size ", "0.2 -0.1 0.3"},
             {" parent child ", "table"}};

  tally t = begin_tally();
  element e;
  for (size_t at = 0; find_element(at, &e); at = e.inside) {
    bool plane = e.leaf && is_named(&e, " size ") && strncmp(good + e.inside, "10", 2) == 0;
    bool floor = line_of(e.open) < 20; // its constants are mixed with those of the other surface
    for (int k = 0; e.leaf && !plane && k < RH_COUNT(row); k++) {
      char what[120];
      (void)snprintf(what, sizeof what, "'%s' in <%.*s>, line %d", row[k].text, (int)e.length,
                     good + e.name, line_of(e.open));
      if (is_named(&e, row[k].names) && !(floor && strcmp(row[k].text, "1e300") == 0)) {
        char *text = with_text(e.inside, e.close, row[k].text);
        check_file(&t, text, strlen(text), 0, what);
        free(text);
      }
    }
  }
  expect_none_failed(&t, 30);
}

END_TEST

// An element of another name, and one that is missing
START_TEST(wrong_elements)
{
  tally t = begin_tally();
  element e;
  for (size_t at = 0; find_element(at, &e); at = e.inside) {
    char what[120];
    char name[80];
    int line = line_of(e.open);
    (void)snprintf(what, sizeof what, "<x%.*s>, line %d", (int)e.length, good + e.name, line);
    (void)snprintf(name, sizeof name, "</x%.*s>", (int)e.length, good + e.name);
    char *inner = with_text(e.close, e.end, name);
    char *text = malloc(strlen(inner) + 2);
    ck_assert_ptr_nonnull(text);
    (void)sprintf(text, "%.*sx%s", (int)e.name, inner, inner + e.name);
    expect_words(&t, text, line, what);
    free(text);
    free(inner);
    text = with_text(e.close, e.end, ""); // left open
    check_file(&t, text, strlen(text), 0, what);
    free(text);
    text = with_text(e.end - 1, e.end, ""); // "</name" without ">"
    check_file(&t, text, strlen(text), 0, what);
    free(text);
    text = with_text(e.open, e.inside, ""); // closed but not opened
    check_file(&t, text, strlen(text), 0, what);
    free(text);
  }
  expect_none_failed(&t, 200);
}

END_TEST

START_TEST(elements_twice)
{
  tally t = begin_tally();
  element e;
  for (size_t at = 0; find_element(at, &e); at = e.inside) {
    char what[120];
    char twice[sizeof good + 1];
    (void)snprintf(what, sizeof what, "<%.*s> twice, line %d", (int)e.length, good + e.name,
                   line_of(e.open));
    (void)snprintf(twice, sizeof twice, "%.*s", (int)(e.end - e.open), good + e.open);
    char *text = with_text(e.end, e.end, twice);
    check_file(&t, text, strlen(text), 0, what);
    free(text);
  }
  expect_none_failed(&t, 80);
}

END_TEST

// Attributes: each with no quotes, another name, without a value, a value that nothing has
START_TEST(wrong_attributes)
{
  static const char *const values[] = {"nobody", "a::b", "world", "-1", "nan"};
  tally t = begin_tally();
  for (const char *at = strstr(good, "<sdf"); (at = strchr(at, '=')) != NULL; at++) {
    size_t quote = (size_t)(at + 1 - good);
    size_t end = (size_t)(strchr(good + quote + 1, '\'') - good);
    size_t name = (size_t)(at - good);
    while (good[name - 1] != ' ') {
      name--;
    }
    int line = line_of(name);
    char what[120];
    (void)snprintf(what, sizeof what, "%.*s, line %d", (int)(end + 1 - name), good + name, line);
    char *text = with_text(quote, quote + 1, "");
    check_file(&t, text, strlen(text), 0, what);
    free(text);
    text = with_text(end, end + 1, "");
    check_file(&t, text, strlen(text), 0, what);
    free(text);
    text = with_text(name, name, "x");
    expect_words(&t, text, 0, what);
    free(text);
    bool named = strncmp(good + name, "name=", 5) == 0;
    for (int k = 0; k < RH_COUNT(values); k++) {
      bool any = strncmp(good + name - 10, "collision ", 10) == 0 || line < 4; // any name but a::b
      bool allowed = (named && k != 1 && (k != 2 || any)) ||
                     (strchr("ra", good[name]) != NULL && k == 2) || // relative_to='world'
                     (strncmp(good + name, "expressed_in", 12) == 0 && k == 2);
      text = with_text(quote + 1, end, values[k]);
      (void)snprintf(what, sizeof what, "'%s' for %.*s, line %d", values[k], (int)(end + 1 - name),
                     good + name, line);
      if (!allowed) {
        check_file(&t, text, strlen(text), 0, what);
      }
      free(text);
    }
  }
  expect_none_failed(&t, 100);
}

END_TEST

Suite *rh_suite_kind_damaged_sdf(void)
{
  Suite *suite = suite_create("kind_damaged_sdf");
  TCase *tcase = tcase_create("sdf");
  tcase_add_test(tcase, cut);
  tcase_add_test(tcase, wrong_bytes);
  tcase_add_test(tcase, wrong_values);
  tcase_add_test(tcase, number_missing);
  tcase_add_test(tcase, impossible_values);
  tcase_add_test(tcase, wrong_elements);
  tcase_add_test(tcase, elements_twice);
  tcase_add_test(tcase, wrong_attributes);
  suite_add_tcase(suite, tcase);
  return suite;
}
