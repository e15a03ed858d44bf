// control.h: private interface of the control folder: zero moment points, contacts that carry a
// robot, torques by a cone programme. The stages that programs may call are in <routh/robot.h>;
// the same rules hold here: pure functions of a world's state, scratch from the caller.
#ifndef ROUTH_CONTROL_CONTROL_H
#define ROUTH_CONTROL_CONTROL_H

#include <routh/kind.h>
#include <routh/robot.h>

// ZMP that moves from place to place in straight lines, and the matching centre of mass (zmp.c).
// Leg k begins at k `cycle` and lasts `shift`; it leads from place k to place k + 1.
typedef struct rh_zmp {
  double cycle, shift; // [s]
  double omega;        // [1/s] sqrt(g / height of the centre of mass)
  int legs;
  const double *place; // (legs + 1) x 2 [m] x and y
} rh_zmp;

void rh_zmp_com(const rh_zmp *zmp, double t, rh_way com[2], double point[2]); // point: the ZMP itself

// Registers the controller of a shared library (plugins.c, <routh/plugin.h>). False: `why` not, empty
// where none was looked for.
bool rh_plugin_load(const char *name, char why[RH_WHY_MAX]);

// ---- Torques of a floating robot in contact (support_contacts.c, balance_qp.c)

enum { RH_SUPPORT_MAX = 16 }; // maximum points

typedef struct rh_footing { // storage of the contacts found
  rh_model_point point[RH_SUPPORT_MAX];
  rh_mat3 frame[RH_SUPPORT_MAX];
  double least[RH_SUPPORT_MAX];
  int id[RH_SUPPORT_MAX]; // feature of the touching shape
} rh_footing;

// The contact points, by the slots, between moving and fixed bodies; without those of body
// `without` (RH_NONE). (support_contacts.c) [kinematics]
rh_support rh_support_find(const rh_data *d, int without, double mu, rh_footing *footing);

// Axes of the ground: z along the normal of a contact frame, x in the direction of a body
// (support_contacts.c) [kinematics]
rh_mat3 rh_ground_axes(const rh_data *d, int body, const rh_mat3 *frame);

// Vectors in a controller's memory
rh_vec3 rh_kept(const double x[3]);
void rh_keep(double x[3], rh_vec3 v);

typedef struct rh_balance { // wanted motion of a robot, see balance_qp.c
  const rh_task *task;
  int ntask;
  const double *want;  // wanted accelerations of the degrees of freedom (nv)
  const double *care;  // weights of these (nv); > 0
  double keep;         // weight of unmoved contacts
  double settle;       // [1/s] rate at which a moving contact comes to rest
} rh_balance;

enum { RH_BALANCE_EDGES = 4 }; // edges of the pyramid inside each friction cone

size_t rh_balance_room(const rh_model *m, int n);
// Efforts within the actuators' limits and forces within pyramids inside the friction cones that
// come nearest to the wanted accelerations. False: the programme was not solved (efforts are the
// last within limits). [mass_matrix]
bool rh_balance_solve(rh_data *d, const rh_support *support, const rh_balance *want, double *room, double *effort,
                      double *F);

#endif
