// contact_scenes.h: scenes with contact in a few lines, for the tests of contact. Nothing here is under test.
#ifndef ROUTH_TEST_CONTACT_SCENES_H
#define ROUTH_TEST_CONTACT_SCENES_H

#include "world.h"

#include <math.h>

// A shape with its first numbers: radius, or lengths of the sides and samples.
static inline rh_shape_def shape_of(const char *body, const char *kind, int n, const double *par)
{
  rh_shape_def s = rh_shape_default(kind);
  s.body = rh_name_of(body);
  for (int i = 0; i < n; i++) {
    s.par[i] = par[i];
  }
  return s;
}

static inline void put_floor(rh_scene *scene)
{
  rh_shape_def plane = shape_of("world", "plane", 0, NULL);
  ck_assert_int_ge(rh_scene_add_shape(scene, &plane), 0);
}

static inline void put_sphere(rh_scene *scene, const char *body, double radius)
{
  rh_shape_def s = shape_of(body, "sphere", 1, &radius);
  ck_assert_int_ge(rh_scene_add_shape(scene, &s), 0);
}

static inline void put_box(rh_scene *scene, const char *body, rh_vec3 size, int samples)
{
  double par[4] = {size.x, size.y, size.z, samples};
  rh_shape_def s = shape_of(body, "box", 4, par);
  ck_assert_int_ge(rh_scene_add_shape(scene, &s), 0);
}

typedef struct start { // of a free body
  rh_vec3 at, v, spin;
} start;

static inline void put_free(rh_scene *scene, const rh_body_def *body, const start *s)
{
  rh_joint_def joint = joint_of("free", "world", body->name.text, rh_v3(0, 0, 0));
  joint.q = (rh_list){7, {s->at.x, s->at.y, s->at.z, 1, 0, 0, 0}};
  joint.v = (rh_list){6, {s->v.x, s->v.y, s->v.z, s->spin.x, s->spin.y, s->spin.z}};
  add(scene, body, &joint);
}

// A solid ball and its sphere.
static inline void put_ball(rh_scene *scene, const char *name, double mass, double radius,
                            const start *s)
{
  double inertia = 0.4 * mass * radius * radius;
  rh_body_def body = body_of(name, mass, rh_v3(0, 0, 0), rh_v3(inertia, inertia, inertia));
  put_free(scene, &body, s);
  put_sphere(scene, name, radius);
}

// A solid block and its box.
static inline void put_block(rh_scene *scene, const char *name, double mass, rh_vec3 size,
                             const start *s)
{
  double x = size.x * size.x * mass / 12;
  double y = size.y * size.y * mass / 12;
  double z = size.z * size.z * mass / 12;
  rh_body_def body = body_of(name, mass, rh_v3(0, 0, 0), rh_v3(y + z, x + z, x + y));
  put_free(scene, &body, s);
}

static inline rh_contact_def contact_of(const char *body, const char *against, const char *law,
                                        const char *friction)
{
  rh_contact_def c = rh_contact_default(law, friction);
  c.name = rh_name_of("touch");
  c.body = rh_name_of(body);
  c.against = rh_name_of(against);
  return c;
}

static inline void set_law(rh_contact_def *c, const char *name, double value)
{
  const rh_normal_law *law = rh_normal_law_find(c->law.text);
  ck_assert_msg(rh_row_find(&law->row, name) != RH_NONE, "%s has no %s", c->law.text, name);
  set_par(&law->row, c->par, name, value);
}

static inline void set_friction(rh_contact_def *c, const char *name, double value)
{
  const rh_friction_law *law = rh_friction_law_find(c->friction.text);
  ck_assert_msg(rh_row_find(&law->row, name) != RH_NONE, "%s has no %s", c->friction.text, name);
  set_par(&law->row, c->friction_par, name, value);
}

static inline void put_contact(rh_scene *scene, const rh_contact_def *c)
{
  ck_assert_int_ge(rh_scene_add_contact(scene, c), 0);
}

static inline void set_tolerance(rh_scene *scene, double until, double rtol, double atol)
{
  rh_run_def run = rh_run_default("event", "cvode");
  const rh_row *row = rh_kind_find("integrators", "cvode");
  run.until = until;
  set_par(row, run.integrator_par, "rtol", rtol);
  set_par(row, run.integrator_par, "atol", atol);
  rh_scene_set_run(scene, &run);
}

// The same with the method for stiff springs.
static inline void set_stiff(rh_scene *scene, double until, double rtol, double atol)
{
  rh_run_def run = rh_run_default("event", "cvode");
  const rh_row *row = rh_kind_find("integrators", "cvode");
  run.until = until;
  set_par(row, run.integrator_par, "method", 1);
  set_par(row, run.integrator_par, "rtol", rtol);
  set_par(row, run.integrator_par, "atol", atol);
  rh_scene_set_run(scene, &run);
}

// Stages 1 to 5 for the present state.
static inline void look(rh_sim *sim)
{
  rh_data *d = rh_sim_data(sim);
  rh_kinematics(d);
  rh_loads(d);
  rh_contacts(d);
}

#endif
