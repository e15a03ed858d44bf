// check.h: shared by the checks of a scene; compile uses the same names.
#ifndef ROUTH_MODEL_CHECK_H
#define ROUTH_MODEL_CHECK_H

#include "inertia.h"
#include "layout.h"
#include "names.h"

#include <routh/kind.h>

#define RH_FRAMES_MAX        1e8  // frames of one run
#define RH_CONTACTS_COMPARED 2000 // with more contacts, duplicates are not searched

typedef struct rh_check {
  const rh_scene *scene;
  rh_diag *diag;
  rh_name_index names[RH_SECTION_COUNT];
  rh_shape_map shapes;
  rh_solid *solid; // made from meshes, NULL: none, (nsolid); compile takes ownership
  int nsolid;
  int errors;
} rh_check;

rh_status rh_check_open(rh_check *c, const rh_scene *scene, rh_diag *diag);
rh_status rh_check_run(rh_check *c);
void rh_check_close(rh_check *c);
rh_status rh_check_meshes(rh_check *c); // check_mesh.c: makes hulls and heightfields, and gives them to the shapes
void rh_check_haptic(rh_check *c); // check_haptic.c: the hand, its tool and its device
void rh_check_engine(rh_check *c); // check_engine.c: the engine and its integrator, by the engine's capabilities
// Does the engine take restitution below 0, by the section haptic?
bool rh_check_ends_early(const rh_check *c);
// Does the engine find friction with the motion, or does it need a force that depends on the slip?
bool rh_check_sticks(const rh_check *c);
// The haptic section in the model: doubles of memory that it needs (sizes go to `h`); then all
// fields but the bodies.
int rh_haptic_count(const rh_scene *scene, int nslot, rh_model_haptic *h);
void rh_haptic_fill(const rh_haptic_def *def, rh_model_haptic *h, double *trace);
void rh_check_actuators(rh_check *c); // actuators/check_actuators.c
// The joint that a key refers to, with that degree of freedom; NULL: reported
const rh_joint *rh_check_joint(rh_check *c, rh_section_id id, int index, const char *key, int dof);
void rh_check_trajectories(rh_check *c); // actuators/trajectories.c
void rh_check_keyframes(rh_check *c); // keyframes/check_keyframes.c
int rh_trajectories_count(const rh_scene *scene); // numbers of all
void rh_trajectories_fill(rh_check *c, rh_model_actuator *actuator, double *track);
void rh_check_sensors(rh_check *c); // sensors/check_sensors.c
// Sizes of the sensors, and their numbers in the state; then the sensors
int rh_sensors_count(const rh_scene *scene, bool located, int nv, rh_model_sensors *s);
void rh_sensors_fill(rh_check *c, const int *place, const rh_model *m, rh_model_sensor *sensor);
void rh_check_loops(rh_check *c); // check_loops.c: loop closures
int rh_loops_count_rows(const rh_scene *scene);
// The loops of the model, except ends that the start decides; `place` gives a body entry's place.
// Then these ends, from kinematics at the start: reports loops that are open there.
void rh_loops_fill(rh_check *c, const int *place, rh_model_loop *loop);
rh_status rh_loops_start(rh_check *c, const rh_data *d, rh_model_loop *loop);
// check_constraints.c: the same of constraints on velocities, which follow the loops; their
// velocities at the start, and rows that depend on others.
void rh_check_constraints(rh_check *c);
void rh_constraints_count(const rh_scene *scene, int *n, int *rows);
void rh_constraints_fill(rh_check *c, const int *place, const rh_model *m, rh_model_loop *loop);
rh_status rh_constraints_start(rh_check *c, rh_data *d);
// check_tendons.c: sizes are those of an empty model with its coordinates
void rh_check_tendons(rh_check *c);
int rh_tendons_count_stops(const rh_scene *scene); // with limits or dry friction
void rh_tendons_count(rh_check *c, const int *place, const int *parent, rh_model *n);
void rh_tendons_fill(rh_check *c, const int *place, rh_model *m, const rh_model_parts *p);
void rh_tendons_start(rh_check *c, rh_data *d, rh_model_tendon *tendon); // [kinematics]
// visuals/visuals.c: values and references; their numbers; then the visuals, and the meshes, which the
// model owns
void rh_check_visuals(rh_check *c);
void rh_visuals_count(const rh_scene *scene, rh_model_visuals *v);
rh_status rh_visuals_fill(rh_check *c, const int *place, const rh_model_parts *p);
void rh_check_contacts(rh_check *c); // check_contacts.c: contact pairs and their laws
// Check_start.c: overlaps at the start [kinematics]
rh_status rh_check_start(rh_check *c, const rh_data *d);
rh_status rh_check_tree(rh_check *c); // check_tree.c: joints, and that they make a tree

rh_place rh_check_place(const rh_check *c, rh_section_id id, int index, const char *key);
// "label.key text"; a NULL key refers to the whole entry.
void rh_complain(rh_check *c, rh_section_id id, int index, const char *key, const char *format, ...)
    RH_PRINTF(5, 6);
int rh_check_find(rh_check *c, rh_section_id wanted, const char *name);
int rh_check_reference(rh_check *c, rh_section_id id, int index, const char *key, rh_section_id wanted);

// Names of the feet of a controller; returns their number.
int rh_controller_feet(const rh_controller_def *def, const char *name[RH_FEET_MAX]);
// actuators/compile_actuators.c: the actuators of a checked scene; `place` as below
void rh_compile_actuators(rh_check *c, const int *place, const rh_model_body *body, int n,
                          rh_model_actuator *actuator);
// controllers/compile_controllers.c: the controllers of a checked scene; `place`: of each body in the model
void rh_compile_controllers(rh_check *check, const int *place, int n,
                            rh_model_controller *controller);

#endif
