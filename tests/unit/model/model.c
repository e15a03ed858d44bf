// unit_model.c: what compile refuses, how it says so, and what it makes of a good scene. All through the C builder.
#include "world.h"

#include "model/schema.h"

// ---- A good scene in parts: two arms and a ball with everything on them

enum { BODIES = 3 };

typedef struct parts {
  rh_world_def world;
  rh_body_def body[BODIES];
  rh_joint_def joint[BODIES];
  rh_shape_def shape;
  rh_mesh_def mesh;
  rh_contact_def contact;
  rh_point_def point;
  rh_actuator_def actuator;
  rh_tendon_def tendon;
  rh_tendon_part_def tendon_part;
  rh_force_def force;
  rh_event_def event;
  rh_controller_def controller;
  rh_sensor_def sensor;
  rh_trajectory_def trajectory;
  rh_keyframe_def keyframe;
  rh_visual_def visual;
  rh_visual_mesh_def visual_mesh;
  rh_haptic_def haptic;
  rh_run_def run;
  rh_record_def record;
  int nbody, njoint;
} parts;

static double one_row[] = {0, 1};
static double triangle[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
static double corners[] = {0, 1, 2};

static parts good_parts(void)
{
  parts p = {.world = rh_world_default(), .nbody = BODIES, .njoint = BODIES};
  p.body[0] = body_of("arm", 1, rh_v3(0.5, 0, 0), rh_v3(0.01, 0.1, 0.1));
  p.body[1] = body_of("hand", 2, rh_v3(0, 0, 0), rh_v3(0.1, 0.1, 0.1));
  p.body[2] = body_of("ball", 0.5, rh_v3(0, 0, 0), rh_v3(0, 0, 0));
  p.body[2].inertia.n = 0; // inertia from its shape
  p.joint[0] = joint_of("revolute", "world", "arm", rh_v3(0, 1, 0));
  p.joint[1] = joint_of("spherical", "arm", "hand", rh_v3(0, 0, 0));
  p.joint[2] = joint_of("free", "world", "ball", rh_v3(0, 0, 0));
  p.joint[0].name = rh_name_of("shoulder");
  p.joint[1].name = rh_name_of("wrist");
  p.joint[0].limits = list_of(2, -1, 2);
  p.joint[0].q = list_of(1, 0.5, 0);
  p.shape = rh_shape_default("sphere");
  p.shape.body = rh_name_of("ball");
  p.shape.par[0] = 0.1;
  p.contact = rh_contact_default("hunt-crossley", "coulomb");
  p.contact.body = rh_name_of("ball");
  p.contact.against = rh_name_of("world");
  p.point = rh_point_default();
  p.point.name = rh_name_of("tip");
  p.point.body = rh_name_of("arm");
  p.tendon = rh_tendon_default();
  p.tendon.name = rh_name_of("cord");
  p.tendon_part = rh_tendon_part_default();
  p.tendon_part.tendon = rh_name_of("cord");
  p.tendon_part.kind = RH_TENDON_JOINT;
  p.tendon_part.joint = rh_name_of("shoulder");
  p.actuator = rh_actuator_default();
  p.actuator.name = rh_name_of("motor");
  p.actuator.joint = rh_name_of("shoulder");
  p.actuator.limits = list_of(2, -3, 3);
  p.force = rh_force_default();
  p.force.name = rh_name_of("wind");
  p.force.body = rh_name_of("ball");
  p.force.force[0] = 1;
  p.event = rh_event_default();
  p.event.name = rh_name_of("flip");
  p.event.joint = rh_name_of("shoulder");
  p.event.position = 0.3;
  p.event.actuator = rh_name_of("motor");
  p.event.effort = 1;
  p.mesh = mesh_of("rock");
  p.controller = rh_controller_default("pd");
  p.sensor = rh_sensor_default("imu");
  p.sensor.name = rh_name_of("gyro");
  p.sensor.body = rh_name_of("arm");
  p.trajectory = rh_trajectory_default();
  p.trajectory.actuator = rh_name_of("motor");
  p.trajectory.values = (rh_numbers){2, one_row};
  p.actuator.kp = 1;
  p.keyframe = rh_keyframe_default();
  p.keyframe.keyframe = rh_name_of("folded");
  p.keyframe.joint = rh_name_of("shoulder");
  p.keyframe.q = list_of(1, 1, 0);
  p.visual = rh_visual_default();
  p.visual.body = rh_name_of("arm");
  p.visual.kind = RH_VISUAL_BOX;
  p.visual.size[0] = p.visual.size[1] = p.visual.size[2] = 0.1;
  p.visual_mesh = rh_visual_mesh_default();
  p.visual_mesh.name = rh_name_of("cover");
  p.visual_mesh.vertices = (rh_numbers){9, triangle};
  p.visual_mesh.faces = (rh_numbers){3, corners};
  p.haptic = haptic_of("arm");
  p.run = rh_run_default("event", "cvode");
  p.record = rh_record_default();
  return p;
}

static rh_scene *scene_of(const parts *p)
{
  rh_scene *scene = rh_scene_create();
  rh_scene_set_world(scene, &p->world);
  for (int i = 0; i < p->nbody; i++) {
    ck_assert_int_eq(rh_scene_add_body(scene, &p->body[i]), i);
  }
  for (int i = 0; i < p->njoint; i++) {
    ck_assert_int_eq(rh_scene_add_joint(scene, &p->joint[i]), i);
  }
  ck_assert_int_eq(rh_scene_add_shape(scene, &p->shape), 0);
  add_ground(scene);
  ck_assert_int_eq(rh_scene_add_mesh(scene, &p->mesh), 0);
  ck_assert_int_eq(rh_scene_add_contact(scene, &p->contact), 0);
  ck_assert_int_eq(rh_scene_add_point(scene, &p->point), 0);
  ck_assert_int_eq(rh_scene_add_actuator(scene, &p->actuator), 0);
  ck_assert_int_eq(rh_scene_add_tendon(scene, &p->tendon), 0);
  ck_assert_int_eq(rh_scene_add_tendon_part(scene, &p->tendon_part), 0);
  ck_assert_int_eq(rh_scene_add_force(scene, &p->force), 0);
  ck_assert_int_eq(rh_scene_add_event(scene, &p->event), 0);
  ck_assert_int_eq(rh_scene_add_controller(scene, &p->controller), 0);
  ck_assert_int_eq(rh_scene_add_sensor(scene, &p->sensor), 0);
  ck_assert_int_eq(rh_scene_add_trajectory(scene, &p->trajectory), 0);
  ck_assert_int_eq(rh_scene_add_keyframe(scene, &p->keyframe), 0);
  ck_assert_int_eq(rh_scene_add_visual(scene, &p->visual), 0);
  ck_assert_int_eq(rh_scene_add_visual_mesh(scene, &p->visual_mesh), 0);
  rh_scene_set_haptic(scene, &p->haptic);
  rh_scene_set_run(scene, &p->run);
  rh_scene_set_record(scene, &p->record);
  return scene;
}

// Compiles what must be refused; `words` must all stand in one of the messages. Returns the number of errors.
static int refused(rh_scene *scene, const char *what, const char *const *words)
{
  rh_diag *diag = rh_diag_create();
  rh_model *model = (rh_model *)scene; // not NULL, to see it set
  rh_status status = rh_scene_compile(scene, diag, &model);
  int errors = rh_diag_count(diag, RH_ERROR);
  bool said = false;
  for (int i = 0; i < rh_diag_kept(diag); i++) {
    const char *text = rh_diag_get(diag, i).text;
    bool all = true;
    for (int w = 0; w < 4 && words != NULL && words[w] != NULL; w++) {
      all = all && strstr(text, words[w]) != NULL;
    }
    said = said || all;
  }
  if (status != RH_INPUT_REFUSED || !said) {
    say_messages(diag);
  }
  ck_assert_msg(status == RH_INPUT_REFUSED, "%s: %s", what, rh_status_name(status));
  ck_assert_msg(model == NULL, "%s: there is a model all the same", what);
  ck_assert_msg(errors > 0 && said, "%s: no message says '%s'", what,
                words != NULL ? words[0] : "");
  // Without a diag the verdict is the same.
  ck_assert_int_eq(rh_scene_compile(scene, NULL, &model), RH_INPUT_REFUSED);
  rh_diag_destroy(diag);
  rh_scene_destroy(scene);
  return errors;
}

START_TEST(good_scene_compiles)
{
  parts p = good_parts();
  rh_model *m = model_of(scene_of(&p));
  ck_assert_int_eq(m->nbody, 4);
  ck_assert_int_eq(m->nq, 1 + 4 + 7);
  ck_assert_int_eq(m->nv, 1 + 3 + 6);
  rh_model_destroy(m);
}

END_TEST

// ---- One thing wrong at a time

typedef struct bad_case {
  const char *what;
  void (*spoil)(parts *p);
  const char *words[4]; // what the message must say: the thing, and what was expected
} bad_case;

// One way to spoil a scene a line.
// clang-format off
static void negative_mass(parts *p) { p->body[0].mass = -2; }
static void zero_mass(parts *p) { p->body[1] = body_of("hand", 0, rh_v3(0, 0, 0), rh_v3(0, 0, 0)); }
static void triangle_rule(parts *p) { p->body[1].inertia.x[2] = 0.3; }
static void negative_moment(parts *p) { p->body[1].inertia.x[0] = -0.01; }
static void hidden_negative_moment(parts *p) { p->body[1].inertia.x[3] = 0.2; } // eigenvalues -0.1, 0.1, 0.3
static void slightly_negative_moment(parts *p) { p->body[1].inertia = (rh_list){6, {1, 1, -5e-7}}; }
static void five_moments(parts *p) { p->body[1].inertia.n = 5; }
static void cycle(parts *p) { p->joint[0].parent = rh_name_of("hand"); }
static void unknown_parent(parts *p) { p->joint[1].parent = rh_name_of("arn"); }
static void unknown_child(parts *p) { p->joint[1].child = rh_name_of("nobody-at-all"); }
static void own_parent(parts *p) { p->joint[1].parent = rh_name_of("hand"); }
static void child_is_world(parts *p) { p->joint[1].child = rh_name_of("world"); }
static void twice_the_body(parts *p) { p->body[1].name = rh_name_of("arm"); }
static void twice_the_joint(parts *p) { p->joint[1].name = rh_name_of("shoulder"); }
static void two_joints_on_a_body(parts *p) { p->joint[1].child = rh_name_of("arm"); }
static void body_in_the_air(parts *p) { p->njoint = 2; }
static void name_world(parts *p) { p->body[2].name = rh_name_of("world"); }
static void name_missing(parts *p) { p->body[2].name = rh_name_of(""); }
static void name_with_blank(parts *p) { p->body[2].name = rh_name_of("my ball"); }
static void name_with_dot(parts *p) { p->body[2].name = rh_name_of("a.b"); }
static void name_too_long(parts *p)
{
  p->point.name = rh_name_of("0123456789012345678901234567890123456789012345678901234567890123456789");
}
static void limits_reversed(parts *p) { p->joint[0].limits = list_of(2, 2, -1); }
static void limits_equal(parts *p) { p->joint[0].limits = list_of(2, 0.5, 0.5); }
static void limits_one_number(parts *p) { p->joint[0].limits = list_of(1, 2, 0); }
static void limits_on_quaternion(parts *p) { p->joint[1].limits = list_of(2, -1, 1); }
static void start_outside(parts *p) { p->joint[0].q = list_of(1, 2.5, 0); }
static void start_outside_by_default(parts *p)
{
  p->joint[0].q.n = 0;
  p->joint[0].limits = list_of(2, 1, 2);
}
static void too_many_q(parts *p) { p->joint[0].q = list_of(2, 0.1, 0.2); }
static void too_few_q(parts *p) { p->joint[1].q = (rh_list){3, {1, 0, 0}}; }
static void too_many_v(parts *p) { p->joint[1].v = (rh_list){4, {1, 0, 0, 0}}; }
static void list_past_its_end(parts *p) { p->joint[1].damper.n = RH_LIST_MAX + 1; }
static void list_negative(parts *p) { p->joint[1].damper.n = -1; }
static void quaternion_too_long(parts *p) { p->joint[1].q = (rh_list){4, {1, 1, 0, 0}}; }
static void quaternion_zero(parts *p) { p->joint[1].q = (rh_list){4, {0, 0, 0, 0}}; }
static void rest_zero_quaternion(parts *p) { p->joint[1].rest = (rh_list){4, {0, 0, 0, 0}}; }
static void unequal_springs(parts *p) { p->joint[1].spring = (rh_list){3, {1, 2, 3}}; }
static void unequal_springs_free(parts *p) { p->joint[2].spring = (rh_list){6, {1, 2, 3, 4, 4, 5}}; }
static void negative_spring(parts *p) { p->joint[0].spring = list_of(1, -1, 0); }
static void negative_damper(parts *p) { p->joint[0].damper = list_of(1, -1, 0); }
static void negative_armature(parts *p) { p->joint[0].armature = list_of(1, -1, 0); }
static void bounce_over_one(parts *p) { p->joint[0].bounce = 1.5; }
static void axis_zero(parts *p) { set3(p->joint[0].par, rh_v3(0, 0, 0)); }
static void axes_parallel(parts *p)
{
  p->joint[0] = joint_of("universal", "world", "arm", rh_v3(0, 1, 0));
  p->joint[0].name = rh_name_of("shoulder");
  set3(p->joint[0].par + 3, rh_v3(0, -2, 0));
}
static void unknown_joint_kind(parts *p) { p->joint[0].kind = rh_name_of("hinge"); }
static void unknown_shape_kind(parts *p) { p->shape.kind = rh_name_of("blob"); }
static void unknown_integrator(parts *p) { p->run.integrator = rh_name_of("rk5"); }
static void negative_radius(parts *p) { p->shape.par[0] = -1; }
static void shape_on_nobody(parts *p) { p->shape.body = rh_name_of("bald"); }
static void point_on_nobody(parts *p) { p->point.body = rh_name_of("arn"); }
static void actuator_on_nothing(parts *p) { p->actuator.joint = rh_name_of("sholder"); }
static void actuator_dof(parts *p) { p->actuator.dof = 1; }
static void actuator_dof_negative(parts *p) { p->actuator.dof = -1; }
static void actuator_limits(parts *p) { p->actuator.limits = list_of(2, 3, -3); }
static void actuator_effort(parts *p) { p->actuator.effort = 5; }
static void force_ends_first(parts *p)
{
  p->force.from = 2;
  p->force.until = 1;
}
static void force_frame(parts *p) { p->force.frame = 2; }
static void event_without_trigger(parts *p) { p->event.joint = rh_name_of(""); }
static void event_with_two(parts *p) { p->event.time = list_of(1, 1, 0); }
static void event_two_actions(parts *p) { p->event.stop = true; }
static void event_on_quaternion(parts *p) { p->event.joint = rh_name_of("wrist"); }
static void event_direction(parts *p) { p->event.direction = 3; }
static void event_dof(parts *p) { p->event.dof = 1; }
static void event_effort(parts *p) { p->event.effort = 4; }
static void event_releases_nothing(parts *p)
{
  p->event.actuator = rh_name_of("");
  p->event.effort = 0;
  p->event.release = rh_name_of("wirst");
}
static void every_zero(parts *p) { p->record.every = 0; }
static void every_tiny(parts *p) { p->record.every = 1e-300; }
static void batch_zero(parts *p) { p->record.batch = 0; }
static void until_negative(parts *p) { p->run.until = -1; }
static void rtol_zero(parts *p) { set_par(rh_kind_find("integrators", "cvode"), p->run.integrator_par, "rtol", 0); }
static void method_unknown(parts *p) { set_par(rh_kind_find("integrators", "cvode"), p->run.integrator_par, "method", 7); }
static void method_between(parts *p) { set_par(rh_kind_find("integrators", "cvode"), p->run.integrator_par, "method", 0.5); }
static void dt_zero(parts *p)
{
  p->run = rh_run_default("event", "rk4");
  set_par(rh_kind_find("integrators", "rk4"), p->run.integrator_par, "dt", 0);
}
// A body in the air whose inertia is nowhere said turns without resistance: its rotation has no equation.
static void point_mass_flies(parts *p) { p->body[2].inertia = (rh_list){6, {0}}; }
static void point_mass_flies_off_centre(parts *p)
{
  point_mass_flies(p);
  set3(p->body[2].com, rh_v3(0.3, 0.4, 0.5));
}

static const bad_case bad_cases[] = {
    {"negative mass", negative_mass, {"arm", "mass", "-2", "0"}},
    {"no mass at a tip", zero_mass, {"hand", "mass"}},
    {"triangle rule", triangle_rule, {"hand", "inertia", "triangle"}},
    {"negative moment", negative_moment, {"hand", "inertia", "negative"}},
    {"hidden negative moment", hidden_negative_moment, {"hand", "inertia", "negative"}},
    {"slightly negative moment", slightly_negative_moment, {"hand", "inertia"}},
    {"five moments", five_moments, {"hand", "inertia", "6", "5"}},
    {"cycle", cycle, {"cycle"}},
    {"unknown parent", unknown_parent, {"wrist", "parent", "arn", "did you mean 'arm'"}},
    {"unknown child", unknown_child, {"wrist", "child", "nobody-at-all"}},
    {"own parent", own_parent, {"wrist", "parent"}},
    {"the world as a child", child_is_world, {"wrist", "child"}},
    {"two bodies of one name", twice_the_body, {"arm", "name", "twice"}},
    {"two joints of one name", twice_the_joint, {"shoulder", "name", "twice"}},
    {"two joints on a body", two_joints_on_a_body, {"wrist", "child", "shoulder"}},
    {"body without a joint", body_in_the_air, {"ball", "joint"}},
    {"body named world", name_world, {"world", "name"}},
    {"body without a name", name_missing, {"name", "missing"}},
    {"name with a blank", name_with_blank, {"name", "blank"}},
    {"name with a dot", name_with_dot, {"name"}},
    {"name too long", name_too_long, {"name", "long"}},
    {"limits reversed", limits_reversed, {"shoulder", "limits", "2", "-1"}},
    {"limits equal", limits_equal, {"shoulder", "limits"}},
    {"one limit", limits_one_number, {"shoulder", "limits", "2", "1"}},
    {"limits on a quaternion", limits_on_quaternion, {"wrist", "limits"}},
    {"start outside the limits", start_outside, {"shoulder", "q", "2.5"}},
    {"default start outside the limits", start_outside_by_default, {"shoulder", "q", "[1, 2]"}},
    {"too many q", too_many_q, {"shoulder", "q", "1", "2"}},
    {"too few q", too_few_q, {"wrist", "q", "4", "3"}},
    {"too many v", too_many_v, {"wrist", "v", "3", "4"}},
    {"list past its end", list_past_its_end, {"wrist", "damper"}},
    {"list of length -1", list_negative, {"wrist", "damper"}},
    {"quaternion too long", quaternion_too_long, {"wrist", "q", "unit"}},
    {"quaternion zero", quaternion_zero, {"wrist", "q", "unit"}},
    {"rest quaternion zero", rest_zero_quaternion, {"wrist", "rest", "unit"}},
    {"unequal springs", unequal_springs, {"wrist", "spring", "equal"}},
    {"unequal springs of a free joint", unequal_springs_free, {"ball", "spring", "equal"}},
    {"negative spring", negative_spring, {"shoulder", "spring", "-1"}},
    {"negative damper", negative_damper, {"shoulder", "damper", "-1"}},
    {"negative armature", negative_armature, {"shoulder", "armature", "-1"}},
    {"bounce over one", bounce_over_one, {"shoulder", "bounce", "1.5"}},
    {"axis zero", axis_zero, {"shoulder", "axis"}},
    {"axes parallel", axes_parallel, {"shoulder", "axis"}},
    {"unknown joint", unknown_joint_kind, {"shoulder", "kind", "hinge"}},
    {"unknown shape", unknown_shape_kind, {"kind", "blob"}},
    {"unknown integrator", unknown_integrator, {"integrator", "rk5"}},
    {"negative radius", negative_radius, {"radius", "-1"}},
    {"shape on nobody", shape_on_nobody, {"body", "bald", "ball"}},
    {"point on nobody", point_on_nobody, {"tip", "body", "arn"}},
    {"actuator on nothing", actuator_on_nothing, {"motor", "joint", "sholder", "shoulder"}},
    {"actuator past the joint", actuator_dof, {"motor", "dof", "1"}},
    {"actuator at -1", actuator_dof_negative, {"motor", "dof", "-1"}},
    {"actuator limits reversed", actuator_limits, {"motor", "limits"}},
    {"effort past its limits", actuator_effort, {"motor", "effort", "5"}},
    {"force ends before it begins", force_ends_first, {"wind", "until", "from"}},
    {"force in no frame", force_frame, {"wind", "frame", "world"}},
    {"event without a trigger", event_without_trigger, {"flip", "trigger"}},
    {"event with two triggers", event_with_two, {"flip", "trigger"}},
    {"event with two actions", event_two_actions, {"flip", "one"}},
    {"event on a quaternion", event_on_quaternion, {"flip", "joint"}},
    {"event in no direction", event_direction, {"flip", "direction", "rising"}},
    {"event past the joint", event_dof, {"flip", "dof"}},
    {"event past the actuator's limits", event_effort, {"flip", "effort", "4"}},
    {"event releases nothing", event_releases_nothing, {"flip", "release", "wirst", "wrist"}},
    {"no time between frames", every_zero, {"every", "0"}},
    {"too many frames", every_tiny, {"every"}},
    {"batch of none", batch_zero, {"batch", "0"}},
    {"negative time", until_negative, {"until", "-1"}},
    {"no tolerance", rtol_zero, {"rtol"}},
    {"method unknown", method_unknown, {"method"}},
    {"method between two", method_between, {"method"}},
    {"no step", dt_zero, {"dt", "0"}},
    {"point mass flies", point_mass_flies, {"ball", "inertia"}},
    {"point mass flies off centre", point_mass_flies_off_centre, {"ball", "inertia"}},
};

// clang-format on

START_TEST(bad_scene_is_refused)
{
  const bad_case *c = &bad_cases[_i];
  parts p = good_parts();
  c->spoil(&p);
  (void)refused(scene_of(&p), c->what, c->words);
}

END_TEST

START_TEST(all_errors_at_once)
{
  parts p = good_parts();
  negative_mass(&p);
  limits_reversed(&p);
  unknown_shape_kind(&p);
  actuator_dof(&p);
  rtol_zero(&p);
  ck_assert_int_ge(refused(scene_of(&p), "five errors", (const char *const[]){"mass", NULL}), 5);
}

END_TEST

// ---- No number may be NaN, infinite (unless its range says so) or absurd, wherever it stands

static const double poison[] = {(double)NAN, (double)HUGE_VAL, -(double)HUGE_VAL, 1e308, -1e308};

static void *part_of(parts *p, rh_section_id id)
{
  void *part[] = {&p->world,  &p->body[0],     &p->joint[0], NULL,       NULL,
                  &p->shape,  &p->mesh,        &p->contact,  &p->point,  &p->actuator,
                  &p->tendon, &p->tendon_part, &p->force,    &p->event,  &p->controller,
                  &p->sensor, &p->trajectory,  &p->keyframe, &p->visual, &p->visual_mesh,
                  &p->haptic, &p->run,         &p->record};
  return part[id];
}

static bool allowed(const rh_param *p, double x)
{
  return !isnan(x) && x >= p->lo && x <= p->hi;
}

static int poison_field(rh_section_id id, const rh_schema_field *f, double x)
{
  parts p = good_parts();
  char *at = (char *)part_of(&p, id) + f->offset;
  rh_list *list = (rh_list *)(void *)at;
  switch (f->param.type) {
  case RH_NUMBER:
    *(double *)(void *)at = x;
    break;
  case RH_VECTOR:
    ((double *)(void *)at)[f->param.count - 1] = x;
    break;
  case RH_LIST:
    list->n = list->n > 0 ? list->n : 1;
    list->x[list->n - 1] = x;
    break;
  default: // long lists: unit_scene_mesh_file.c
    return 0;
  }
  if (allowed(&f->param, x)) {
    return 0;
  }
  return refused(scene_of(&p), f->param.name, (const char *const[]){f->param.name, NULL}) > 0;
}

START_TEST(no_number_is_poisoned)
{
  rh_section_id id = (rh_section_id)(_i + 2 * (_i >= RH_SECTION_LOOPS)); // these have their own
  int tried = 0;
  for (int f = 0; f < rh_sections[id].nfield; f++) {
    for (int k = 0; k < RH_COUNT(poison); k++) {
      tried += poison_field(id, &rh_sections[id].field[f], poison[k]);
    }
  }
  parts good = good_parts();
  const rh_row *row = rh_section_row(&rh_sections[id], 0, part_of(&good, id));
  for (int k = 0; row != NULL && k < row->nparam; k++) {
    for (int x = 0; x < RH_COUNT(poison); x++) {
      parts p = good_parts();
      rh_section_par(&rh_sections[id], 0, part_of(&p, id))[rh_row_offset(row, k)] = poison[x];
      if (!allowed(&row->param[k], poison[x])) {
        const char *const words[] = {row->param[k].name, NULL};
        tried += refused(scene_of(&p), words[0], words) > 0;
      }
    }
  }
  ck_assert(tried > 0 || rh_sections[id].nfield < 5 ||
            id == RH_SECTION_VISUAL_MESHES); // long lists only
}

END_TEST

// ---- What a good scene becomes

START_TEST(names_are_found)
{
  parts p = good_parts();
  rh_model *m = model_of(scene_of(&p));
  ck_assert_int_eq(rh_model_find(m, RH_OBJECT_BODY, "world"), 0);
  ck_assert_int_eq(rh_model_count(m, RH_OBJECT_BODY), 4);
  static const rh_object object[] = {
      RH_OBJECT_BODY,  RH_OBJECT_BODY,  RH_OBJECT_BODY,     RH_OBJECT_JOINT, RH_OBJECT_JOINT,
      RH_OBJECT_JOINT, RH_OBJECT_POINT, RH_OBJECT_ACTUATOR, RH_OBJECT_FORCE, RH_OBJECT_EVENT};
  static const char *const names[] = {"arm",  "hand", "ball",  "shoulder", "wrist",
                                      "ball", "tip",  "motor", "wind",     "flip"};
  for (int i = 0; i < RH_COUNT(names); i++) {
    int at = rh_model_find(m, object[i], names[i]);
    ck_assert_msg(at != RH_NONE, "%s is not found", names[i]);
    ck_assert_str_eq(rh_model_name(m, object[i], at), names[i]);
  }
  // A joint's index is that of the body it carries; a joint without a name has its child's.
  ck_assert_int_eq(rh_model_find(m, RH_OBJECT_JOINT, "wrist"),
                   rh_model_find(m, RH_OBJECT_BODY, "hand"));
  ck_assert_int_eq(rh_model_find(m, RH_OBJECT_BODY, "nobody"), RH_NONE);
  ck_assert_int_eq(rh_model_find(m, RH_OBJECT_POINT, ""), RH_NONE);
  rh_model_destroy(m);
}

END_TEST

START_TEST(defaults_of_coordinates)
{
  parts p = good_parts();
  p.joint[1].spring = list_of(1, 7, 0); // one number for all three
  rh_model *m = model_of(scene_of(&p));
  const rh_model_body *hand = &m->body[rh_model_find(m, RH_OBJECT_BODY, "hand")];
  const rh_model_body *ball = &m->body[rh_model_find(m, RH_OBJECT_BODY, "ball")];
  const rh_model_body *arm = &m->body[rh_model_find(m, RH_OBJECT_BODY, "arm")];
  near_array(m->start.q0 + hand->qadr, ((double[4]){1, 0, 0, 0}), 4, 0, 0);
  near_array(m->start.rest + hand->qadr, ((double[4]){1, 0, 0, 0}), 4, 0, 0);
  near_array(m->start.q0 + ball->qadr, ((double[7]){0, 0, 0, 1, 0, 0, 0}), 7, 0, 0);
  near_array(m->start.v0 + ball->vadr, ((double[6]){0}), 6, 0, 0);
  near_abs(m->start.q0[arm->qadr], 0.5, 0);
  near_abs(m->start.rest[arm->qadr], 0, 0); // the spring's rest is zero, not the start
  for (int j = 0; j < 3; j++) {
    near_abs(m->dof[hand->vadr + j].spring, 7, 0);
    ck_assert(m->dof[hand->vadr + j].lower == -HUGE_VAL &&
              m->dof[hand->vadr + j].upper == HUGE_VAL);
    ck_assert_int_eq(m->dof[hand->vadr + j].coord, RH_NONE);
  }
  near_abs(m->dof[arm->vadr].lower, -1, 0);
  near_abs(m->dof[arm->vadr].upper, 2, 0);
  // 0.5 kg of a sphere of 0.1 m
  near_abs(ball->inertia.I.xx, 0.4 * 0.5 * 0.01, 1e-16);
  near_abs(ball->inertia.I.xy, 0, 1e-16);
  near_abs(m->gravity.z, -9.81, 0);
  rh_model_destroy(m);
}

END_TEST

// A quaternion written with six digits is meant to have unit length, and gets it.
START_TEST(quaternion_is_rounded_to_unit)
{
  parts p = good_parts();
  p.joint[1].q = (rh_list){4, {0.707107, 0, 0.707107, 0}};
  rh_model *m = model_of(scene_of(&p));
  const double *q = m->start.q0 + m->body[rh_model_find(m, RH_OBJECT_BODY, "hand")].qadr;
  near_array(q, ((double[4]){sqrt(0.5), 0, sqrt(0.5), 0}), 4, 1e-15, 0);
  rh_model_destroy(m);
}

END_TEST

Suite *rh_suite_unit_model(void)
{
  Suite *suite = suite_create("unit_model");
  TCase *refuse = tcase_create("refused");
  tcase_add_test(refuse, good_scene_compiles);
  tcase_add_loop_test(refuse, bad_scene_is_refused, 0, RH_COUNT(bad_cases));
  tcase_add_test(refuse, all_errors_at_once);
  tcase_add_loop_test(refuse, no_number_is_poisoned, 0, RH_SECTION_COUNT - 2);
  suite_add_tcase(suite, refuse);
  TCase *good = tcase_create("compiled");
  tcase_add_test(good, names_are_found);
  tcase_add_test(good, defaults_of_coordinates);
  tcase_add_test(good, quaternion_is_rounded_to_unit);
  suite_add_tcase(suite, good);
  return suite;
}
