// check.h: what the checks of a scene share; compile goes on with the same names.
#ifndef ROUTH_MODEL_CHECK_H
#define ROUTH_MODEL_CHECK_H

#include "inertia.h"
#include "names.h"

#include <routh/kind.h>

#define RH_FRAMES_MAX        1e8  // frames of one run
#define RH_CONTACTS_COMPARED 2000 // with more contacts than this, doubles are not looked for

typedef struct rh_check {
  const rh_scene *scene;
  rh_diag *diag;
  rh_name_index names[RH_SECTION_COUNT];
  rh_shape_map shapes;
  rh_solid *solid; // what the meshes make, NULL: none, (nsolid); compile takes them over
  int nsolid;
  int errors;
} rh_check;

rh_status rh_check_open(rh_check *c, const rh_scene *scene, rh_diag *diag);
rh_status rh_check_run(rh_check *c);
void rh_check_close(rh_check *c);
rh_status rh_check_meshes(rh_check *c); // check_mesh.c: makes hulls and heightfields, and gives them to the shapes
void rh_check_haptic(rh_check *c); // check_haptic.c: the hand, its tool and its device
// Is it the stepper haptic, with its section?
bool rh_haptic_stepped(const rh_check *c);
// What the model keeps of the section haptic: doubles of memory that it needs (the sizes go to `h`); then all but the bodies.
int rh_haptic_count(const rh_scene *scene, int nslot, rh_model_haptic *h);
void rh_haptic_fill(const rh_haptic_def *def, rh_model_haptic *h, double *trace);
void rh_check_loops(rh_check *c); // check_loops.c: what keeps bodies together
// The loops of the model, but for ends that the start decides; `place` gives a body entry's place. Then these, from kinematics at the start:
// complains about what is open then.
void rh_loops_fill(rh_check *c, const int *place, rh_model_loop *loop);
rh_status rh_loops_start(rh_check *c, const rh_data *d, rh_model_loop *loop);
void rh_check_contacts(rh_check *c); // check_contacts.c: who touches whom, by which laws
rh_status rh_check_start(rh_check *c, const rh_data *d); // check_start.c: what overlaps at the start [kinematics]
rh_status rh_check_tree(rh_check *c); // check_tree.c: joints, and that they make a tree

rh_place rh_check_place(const rh_check *c, rh_section_id id, int index, const char *key);
// "label.key text"; a NULL key speaks of the whole entry.
void rh_complain(rh_check *c, rh_section_id id, int index, const char *key, const char *format, ...)
    RH_PRINTF(5, 6);
int rh_check_find(rh_check *c, rh_section_id wanted, const char *name);
int rh_check_reference(rh_check *c, rh_section_id id, int index, const char *key, rh_section_id wanted);

#endif
