// unit_sdf_include.c: files that SDF includes: name, pose and static of the include count; what is refused and where; a
// model that includes itself.
#include "program.h"

#include "model/schema.h"

#include <math.h>
#include <routh/routh.h>

typedef struct world {
  rh_scene *scene;
  rh_model *model;
  rh_diag *diag;
  rh_status status;
} world;

static world load_world(const char *path)
{
  world w = {.diag = rh_diag_create()};
  w.status = rh_scene_load(path, NULL, 0, w.diag, &w.scene);
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

START_TEST(included_models)
{
  world w = load_world(ROUTH_SOURCE_DIR "/tests/data/sdf/balls.sdf");
  ck_assert_msg(w.status == RH_OK, "%s", rh_diag_get(w.diag, 0).text);
  rh_data *d = rh_data_create(w.model);
  rh_kinematics(d);

  static const struct {
    const char *body;
    double at[3];
  } want[] = {{"ball-link", {9, 9, 9}}, {"second-link", {1, 0, 2}}};

  ck_assert_int_eq(w.model->nbody, 1 + RH_COUNT(want));
  for (int i = 0; i < RH_COUNT(want); i++) {
    int body = rh_model_find(w.model, RH_OBJECT_BODY, want[i].body);
    ck_assert_int_ne(body, RH_NONE);
    rh_vec3 x = rh_point_position(d, body, rh_v3(0, 0, 0));
    near_array(&x.x, want[i].at, 3, 0, 0);
  }
  const rh_shape_def *fixed = rh_scene_item(w.scene, RH_SECTION_SHAPES, 2);
  ck_assert_str_eq(fixed->body.text, "world");
  near_array(fixed->at, ((double[]){1, 0, 0.5}), 3, 0, 0);
  const rh_origin *origin = rh_scene_origin(w.scene, RH_SECTION_BODIES, 1);
  ck_assert_ptr_nonnull(strstr(origin->whole.file, "ball/model.sdf"));
  ck_assert_int_eq(origin->whole.line, 4);
  rh_data_destroy(d);
  drop_world(&w);
}

END_TEST

#define MODEL(inside) "<sdf version='1.9'><model name='m'>" inside "</model></sdf>\n"

static const struct {
  const char *main, *part;
  const char *message, *file;
  int column;
} wrong[] = {
    {MODEL("<include/>"), "", "<include> needs a <uri>", "main.sdf", 36},
    {MODEL("<include><uri>model://none</uri></include>"), "",
     "the model 'model://none' cannot be found", "main.sdf", 50},
    {MODEL("<include><uri>part.sdf</uri><plugin/></include>"), MODEL("<link name='a'/>"),
     "<plugin> in <include> is not read", "main.sdf", 64},
    {MODEL("<include><uri>part.sdf</uri></include>"), "<robot/>", "an included file holds <sdf>",
     "part.sdf", 1},
    {MODEL("<include><uri>part.sdf</uri></include>"), "<sdf version='1.4'><model name='x'/></sdf>",
     "must both be older than version 1.5", "part.sdf", 1},
    {MODEL("<include><uri>part.sdf</uri></include>"), "<sdf", "not XML", "part.sdf", 0},
    {MODEL("<include><uri>part.sdf</uri></include>"), MODEL("<link name='a'><pose>x</pose></link>"),
     "<pose> must be 6 finite numbers", "part.sdf", 57},
    {MODEL("<include><uri>part.sdf</uri></include><include><uri>part.sdf</uri></include>"),
     MODEL("<link name='a'/>"), "the name 'm' is taken here", "main.sdf", 0},
    {MODEL("<include><uri>part.sdf</uri></include>"),
     MODEL("<include><uri>part.sdf</uri></include>"), "too many includes: 1000 are allowed",
     "part.sdf", 0},
};

START_TEST(wrong_includes)
{
  rh_folder_enter();
  rh_file_put("main.sdf", wrong[_i].main);
  rh_file_put("part.sdf", wrong[_i].part);
  world w = load_world("main.sdf");
  ck_assert_int_eq(w.status, RH_INPUT_REFUSED);
  rh_message m = rh_diag_get(w.diag, 0);
  ck_assert_msg(strstr(m.text, wrong[_i].message), "%s", m.text);
  ck_assert_msg(strcmp(m.place.file, wrong[_i].file) == 0, "%s: %s", m.text, m.place.file);
  ck_assert_msg(wrong[_i].column == 0 || m.place.column == wrong[_i].column, "%s: column %d",
                m.text, m.place.column);
  drop_world(&w);
  rh_folder_leave();
}

END_TEST

Suite *rh_suite_unit_sdf_include(void)
{
  Suite *suite = suite_create("unit_sdf_include");
  TCase *tcase = tcase_create("include");
  tcase_add_test(tcase, included_models);
  tcase_add_loop_test(tcase, wrong_includes, 0, RH_COUNT(wrong));
  suite_add_tcase(suite, tcase);
  return suite;
}
