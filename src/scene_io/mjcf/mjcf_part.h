// mjcf_part.h: shared by the files that read MJCF.
//   mjcf.c            the order of the whole; includes and replicas as elements of one tree
//   mjcf_schema.c     elements and attributes that are known, ignored, refused
//   mjcf_value.c      values with the defaults that apply
//   mjcf_settings.c   compiler, option, classes
//   mjcf_tree.c       bodies, frames, joints, geoms, sites
//   mjcf_geom.c       geoms: size, volume, inertia
//   mjcf_mesh.c       mesh assets
//   mjcf_inertia.c    inertias of bodies
//   mjcf_medium.c     boxes of bodies in a fluid
//   mjcf_emit.c       bodies and joints as entries of a scene
//   mjcf_shape.c      shapes
//   mjcf_contact.c    contacts
//   mjcf_actuator.c   actuators
//   mjcf_plugin.c     actuators of the plugin mujoco.pid
//   mjcf_tendon.c     tendons
//   mjcf_equality.c   equalities
//   mjcf_sensor.c     sensors
//   mjcf_visual.c     what geoms look like
//   mjcf_trial.c      mass matrix as drawn
#ifndef ROUTH_SCENE_IO_MJCF_MJCF_PART_H
#define ROUTH_SCENE_IO_MJCF_MJCF_PART_H

#include "mjcf.h"
#include "scene_io/xml/nodes.h"
#include "scene_io/xml/xml.h"

#include <routh/math.h>

#define RH_MJCF_SCOPE 128 // elements of defaults that may apply to one element
#define RH_MJCF_MAX   20000 // bodies, joints, geoms

typedef struct rh_mjcf_class { // of defaults; the first is the outermost one
  const char *name;
  int parent;  // class, RH_NONE
  int element; // XML; the outermost class may have several
} rh_mjcf_class;

typedef struct rh_mjcf_scope { // an element after the elements of defaults that apply to it
  int element[RH_MJCF_SCOPE];
  int count;
  int own; // the element itself
} rh_mjcf_scope;

typedef enum rh_mjcf_tristate { RH_MJCF_FALSE, RH_MJCF_TRUE, RH_MJCF_AUTO } rh_mjcf_tristate;

typedef struct rh_mjcf_settings {
  bool radian, autolimits, balance;
  char eulerseq[4];
  const char *meshdir;
  bool strippath;
  int inertiafromgeom; // rh_mjcf_tristate
  double group[2];     // groups of geoms that have inertia
  double total_mass, bound_mass, bound_inertia;
  double gravity[3];
  double density, viscosity, wind[3];
  bool no_contact, no_limit, no_friction, no_equality, no_actuation, no_spring, no_damper;
  bool no_clamp, no_parent_filter, no_medium;
  bool fit_box;          // primitives have the size of the box about their mesh
  unsigned off_groups; // of actuators, one bit each
} rh_mjcf_settings;

typedef struct rh_mjcf_pose {
  rh_vec3 pos;
  rh_quat quat;
} rh_mjcf_pose;

typedef struct rh_mjcf_body { // the first is the world
  rh_robot_word name;          // of the scene, without the prefix
  const char *file_name;      // in the file, NULL: none
  int element;
  int parent;
  rh_mjcf_pose pose; // in the parent
  bool inertial;     // <inertial> was read
  bool given;        // it has one
  double mass;
  rh_vec3 com;
  rh_sym3 inertia; // about the centre of mass, body axes
  double gravcomp;
  double response; // [1/kg] of its centre of mass as drawn
  int first_joint, last_joint, njoint;
  int first_geom, last_geom;
  int weld; // the body nearest to the world that moves with it; itself if it has joints
  rh_robot_word last; // name of the present end of its chain of joints
} rh_mjcf_body;

typedef enum rh_mjcf_joint_type {
  RH_MJCF_FREE,
  RH_MJCF_BALL,
  RH_MJCF_SLIDE,
  RH_MJCF_HINGE
} rh_mjcf_joint_type;

typedef struct rh_mjcf_joint {
  rh_robot_word name;
  const char *file_name;
  rh_place place;
  int body, next; // next of the same body
  int type;       // rh_mjcf_joint_type
  int qadr, vadr; // in the order of MuJoCo
  rh_vec3 pos, axis;
  bool limited, effort_limited;
  double range[2], effort_range[2];
  double ref, springref, stiffness, damping, armature, friction;
  double springdamper[2];
  double mass; // M_ii as drawn, the inverse of the diagonal of M^-1
  double response;
} rh_mjcf_joint;

typedef enum rh_mjcf_geom_type {
  RH_MJCF_PLANE,
  RH_MJCF_HFIELD,
  RH_MJCF_SPHERE,
  RH_MJCF_CAPSULE,
  RH_MJCF_ELLIPSOID,
  RH_MJCF_CYLINDER,
  RH_MJCF_BOX,
  RH_MJCF_MESH
} rh_mjcf_geom_type;

typedef struct rh_mjcf_solver { // contact parameters
  double solref[2], solimp[5], friction[3], margin, gap, solmix;
  int condim, priority;
} rh_mjcf_solver;

typedef struct rh_mjcf_geom {
  rh_robot_word name;
  const char *file_name;
  rh_place place;
  int body, next;
  int type; // rh_mjcf_geom_type
  rh_mjcf_pose pose;
  double size[3];
  int mesh, hfield;
  int group;
  double rgba[4];       // colour of its own; opacity < 0: none
  const char *material; // NULL: none
  int contype, conaffinity;
  bool paired; // a <pair> names it
  bool shape;  // it is a shape of the scene
  rh_mjcf_solver contact;
  double mass;     // [kg]
  rh_vec3 com;     // in the geom's frame
  rh_sym3 inertia; // about it, axes of the geom
} rh_mjcf_geom;

typedef struct rh_mjcf_site {
  const char *file_name;
  rh_robot_word name;
  rh_place place;
  int body;
  rh_mjcf_pose pose;
} rh_mjcf_site;

typedef struct rh_mjcf_tendon {
  rh_robot_word name;
  int element;
  const char *file_name;
  double length; // [m] as drawn
  double mass;   // sum of M_ii / J_i^2 as drawn, over the joints that it moves
  bool limited;
  double range[2];
} rh_mjcf_tendon;

typedef struct rh_mjcf_mesh {
  const char *name;
  rh_place place;
  int element;
  bool measured; // volume and inertia are there
  bool placed;   // its vertices are an entry of the scene
  bool flat;     // it has no hull
  int look;      // how it shows: 0 not asked for yet, 1 an entry of the scene, -1 not at all
  int nvert, ntri;
  rh_vec3 *vert;
  int (*tri)[3];
  double volume; // [m^3], [m^2] of a shell
  rh_vec3 com;
  rh_sym3 inertia; // for density 1
} rh_mjcf_mesh;

typedef struct rh_mjcf_hfield {
  const char *name;
  rh_place place;
  int nrow, ncol;
  double size[4];
  double *height; // 0..1
  bool placed;
} rh_mjcf_hfield;

typedef struct rh_mjcf {
  rh_xml xml;
  int root;
  rh_nodes nodes; // their status is that of the whole
  rh_ignored ignored;
  rh_diag *diag;
  bool refused;
  bool trial; // bodies and joints as drawn, for their inertias
  const rh_mjcf_opt *opt;
  rh_mjcf_settings set;
  rh_mjcf_class *class;
  rh_mjcf_body *body;
  rh_mjcf_joint *joint;
  rh_mjcf_geom *geom;
  rh_mjcf_site *site;
  rh_mjcf_tendon *tendon;
  rh_mjcf_mesh *mesh;
  rh_mjcf_hfield *hfield;
  rh_robot_word *actuator; // their names, in the order of the model
  int nclass, nbody, njoint, ngeom, nsite, nmesh, nhfield, ntendon, nactuator;
  int nq, nv;
  double *qpos;        // coordinates as drawn, in the order of MuJoCo (nq)
  double *start;       // those of the start
  double start_change; // greatest one by an equality, in the pass `start_pass` over all
  int start_pass;
  int (*exclude)[2]; // bodies that do not touch
  int nexclude, ncontact, nloop;
} rh_mjcf;

// ---- mjcf_value.c

void rh_mjcf_refuse(rh_mjcf *m, rh_place place, const char *format, ...) RH_PRINTF(3, 4);
// One more entry of an array in the memory of the tree; NULL: out of memory, or over the limit.
void *rh_mjcf_grow(rh_mjcf *m, void **array, int *count, size_t size);
rh_robot_word rh_mjcf_word(const char *text, rh_place place); // a name of a scene
const char *rh_mjcf_tag(const rh_mjcf *m, int element);
rh_place rh_mjcf_place(const rh_mjcf *m, int element);
// An element and the defaults of its class for elements of this name ("actuator": for all actuators).
void rh_mjcf_scope_of(rh_mjcf *m, int element, const char *tag, int class, rh_mjcf_scope *scope);
rh_mjcf_scope rh_mjcf_alone(int element); // without defaults
int rh_mjcf_class_of(rh_mjcf *m, int element, const char *attribute, int otherwise);
const rh_xml_attribute *rh_mjcf_find(const rh_mjcf *m, const rh_mjcf_scope *s, const char *name);
const char *rh_mjcf_text(const rh_mjcf *m, const rh_mjcf_scope *s, const char *name); // NULL
// Numbers of an attribute over those of the defaults; `x` keeps what no one gives. The number given,
// 0: absent or refused.
int rh_mjcf_numbers(rh_mjcf *m, const rh_mjcf_scope *s, const char *name, int least, int most,
                    double *x);
double rh_mjcf_number(rh_mjcf *m, const rh_mjcf_scope *s, const char *name, double otherwise);
// Index of the value among the words "a|b|c".
int rh_mjcf_choice(rh_mjcf *m, const rh_mjcf_scope *s, const char *name, const char *words,
                   int otherwise);
rh_vec3 rh_mjcf_vector(rh_mjcf *m, const rh_mjcf_scope *s, const char *name);
rh_mjcf_pose rh_mjcf_pose_of(rh_mjcf *m, const rh_mjcf_scope *s); // pos and any orientation
rh_mjcf_pose rh_mjcf_compose(rh_mjcf_pose a, rh_mjcf_pose b);
rh_vec3 rh_mjcf_turn(rh_quat q, rh_vec3 a);
rh_quat rh_mjcf_along(rh_vec3 z); // the shortest turn of the z axis to it
rh_quat rh_mjcf_euler(const rh_mjcf *m, const double *x);
double rh_mjcf_angle(const rh_mjcf *m, double angle); // [rad]
void rh_mjcf_rpy(rh_quat q, double rpy[3]);

// ---- The steps, in this order

bool rh_mjcf_check_schema(rh_mjcf *m);
void rh_mjcf_read_settings(rh_mjcf *m);
void rh_mjcf_read_meshes(rh_mjcf *m);
void rh_mjcf_read_tree(rh_mjcf *m);
void rh_mjcf_make_inertias(rh_mjcf *m);
void rh_mjcf_measure_tree(rh_mjcf *m);
void rh_mjcf_emit_tree(rh_mjcf *m);
void rh_mjcf_emit_tendons(rh_mjcf *m);
void rh_mjcf_emit_actuators(rh_mjcf *m);
void rh_mjcf_close_start(rh_mjcf *m); // coordinates at which equalities of joints hold
void rh_mjcf_emit_equalities(rh_mjcf *m);
void rh_mjcf_emit_sensors(rh_mjcf *m);
void rh_mjcf_emit_keyframes(rh_mjcf *m);
void rh_mjcf_emit_visuals(rh_mjcf *m);
void rh_mjcf_mark_pairs(rh_mjcf *m); // and excluded bodies
void rh_mjcf_emit_shapes(rh_mjcf *m);
void rh_mjcf_emit_contacts(rh_mjcf *m);

// ---- Parts

void rh_mjcf_read_geom(rh_mjcf *m, rh_mjcf_geom *g, const rh_mjcf_scope *s, rh_mjcf_pose frame);
// Principal moments of a body and their axes, as MuJoCo takes them; box in a fluid.
void rh_mjcf_put_drag(rh_mjcf *m, rh_node_list *body, const rh_mjcf_body *b);
void rh_mjcf_put_medium(rh_mjcf *m, rh_node_list *world);
bool rh_mjcf_touches(const rh_mjcf *m, const rh_mjcf_geom *g);
int rh_mjcf_find_mesh(const rh_mjcf *m, const char *name);
bool rh_mjcf_measure_mesh(rh_mjcf *m, int mesh); // false: refused
// Its surface (rh_free) with scale, refpos and refquat; NULL: it cannot be read, which is a warning.
struct rh_look *rh_mjcf_read_look(rh_mjcf *m, int mesh);
void rh_mjcf_put_at(rh_mjcf *m, rh_node_list *shape, const rh_mjcf_geom *g); // the pose of a geom

typedef struct rh_mjcf_pid { // force = kp e + ki (integral of e) - kd (speed), e = control - length
  double kp, ki, kd;
  double most; // of ki times the integral; negative: no limit
} rh_mjcf_pid;

bool rh_mjcf_read_pid(rh_mjcf *m, int actuator, rh_mjcf_pid *pid); // false: refused

#endif
