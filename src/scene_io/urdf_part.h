// urdf_part.h: shared by the files that read URDF: the open element, attributes, places, nodes.
#ifndef ROUTH_SCENE_IO_URDF_PART_H
#define ROUTH_SCENE_IO_URDF_PART_H

#include "urdf.h"
#include "scene_io/xml/nodes.h"
#include "scene_io/xml/robot_mesh.h"
#include "scene_io/xml/xml.h"

#define RH_URDF_DEPTH 32     // elements within each other
#define RH_URDF_FEW   1000   // joints that mimic others, joints of transmissions, materials

typedef struct rh_urdf_vec { // numbers of an attribute
  double x[6];
  int n; // 0: not given
  rh_place place;
} rh_urdf_vec;

typedef struct rh_urdf_link {
  rh_robot_word name;
  bool inertial; // the element was there
  rh_place tag;  // of <inertial>
  rh_urdf_vec mass, xyz, rpy, inertia; // inertia: ixx iyy izz ixy ixz iyz
} rh_urdf_link;

typedef struct rh_urdf_shape {
  const char *kind; // NULL: none yet
  rh_place tag;     // of <collision>, then of the shape
  rh_urdf_vec xyz, rpy, size, radius, length, scale;
  char file[512]; // of a mesh, as in the URDF
  rh_place file_place;
} rh_urdf_shape;

typedef struct rh_urdf_material { // a colour by its name, or a visual that waits for one
  rh_robot_word name;
  double rgba[4];
  bool colored;
  rh_node_list visual; // entry of the scene
} rh_urdf_material;

typedef struct rh_urdf_joint {
  rh_robot_word name, type, parent, child, mimic;
  rh_place tag;
  bool limited; // <limit> was there
  rh_place limit, dynamics;
  rh_urdf_vec xyz, rpy, axis, lower, upper, effort, velocity, damping, friction;
  rh_urdf_vec multiplier, offset; // of mimic
} rh_urdf_joint;

typedef struct rh_urdf_mimic { // a joint that follows another one
  rh_robot_word name, other;
  double multiplier, offset;
  int node;  // its entry in the scene, RH_NONE
  bool done; // its start is known
} rh_urdf_mimic;

typedef enum rh_urdf_state { // what an open element is
  RH_URDF_TOP,
  RH_URDF_ROBOT,
  RH_URDF_LINK,
  RH_URDF_INERTIAL,
  RH_URDF_COLLISION,
  RH_URDF_VISUAL,
  RH_URDF_MATERIAL,
  RH_URDF_GEOMETRY,
  RH_URDF_JOINT,
  RH_URDF_TRANSMISSION,
  RH_URDF_DRIVEN, // joint of a transmission
  RH_URDF_LEAF,   // has attributes only
  RH_URDF_IGNORED // known, without influence on the motion
} rh_urdf_state;

typedef struct rh_urdf rh_urdf;

typedef struct rh_urdf_row { // an element
  rh_urdf_state in, state;
  const char *name;
  const char *attributes; // attributes read, blanks between
  bool once;              // at most once per parent
  void (*start)(rh_urdf *u);
  void (*end)(rh_urdf *u);
} rh_urdf_row;


struct rh_urdf {
  const rh_urdf_row *rows; // the elements that are read, at most 64
  int row_count;
  void *parser; // expat's
  const rh_urdf_text *text;
  rh_nodes nodes; // their status is that of the whole
  const rh_urdf_opt *opt;
  rh_diag *diag;
  bool refused;
  // The open elements
  int depth, skip; // skip: depth of the ignored element that is open, 0: none
  const rh_urdf_row *open[RH_URDF_DEPTH + 1];
  uint64_t seen; // rows met in the elements that are open
  // The present tag
  const char *tag_name;
  const char **attribute; // names and values, NULL at the end
  rh_place tag;
  // The present results
  rh_urdf_link link;
  rh_urdf_shape shape;
  rh_urdf_joint joint;
  rh_urdf_material material; // of the open <visual>, or of the robot
  bool showing;              // in a <visual> or <material>: what is wrong is a warning
  bool spoiled;              // and something is
  // For the root
  rh_robot_word *links, *children;
  int nlink, link_room, nchild, child_room;
  rh_urdf_mimic *mimics;
  int nmimic, mimic_room;
  rh_robot_word *driven; // joints that a transmission names
  int ndriven, driven_room;
  rh_urdf_material *materials, *painted; // known by name; visuals that name one
  int nmaterial, material_room, npainted, painted_room;
  rh_ignored ignored;
};

// ---- urdf_xml.c: the parser, attributes with their places, ignored content

rh_status rh_urdf_parse(rh_urdf *u) RH_CHECK_RESULT;
void rh_urdf_refuse(rh_urdf *u, rh_place place, const char *format, ...) RH_PRINTF(3, 4);
const char *rh_urdf_attribute(const rh_urdf *u, const char *name); // NULL: not there
rh_place rh_urdf_attribute_place(const rh_urdf *u, const char *name);
// A value of an attribute is wrong: refused, or in what only shows a warning.
void rh_urdf_refuse_value(rh_urdf *u, rh_place place, const char *format, ...) RH_PRINTF(3, 4);
// False: absent or an empty text; both are refused.
bool rh_urdf_need_word(rh_urdf *u, const char *name, rh_robot_word *word);
// `n` numbers. False, and `vec` unchanged: absent, or refused.
bool rh_urdf_numbers(rh_urdf *u, const char *name, int n, rh_urdf_vec *vec);
bool rh_urdf_need_numbers(rh_urdf *u, const char *name, int n, rh_urdf_vec *vec);

// ---- urdf_xml.c too: words and numbers

void rh_urdf_put_vec(rh_urdf *u, rh_node_list *map, const char *key, const rh_urdf_vec *vec);
bool rh_urdf_is_world(const rh_robot_word *link);
bool rh_urdf_keep_word(rh_urdf *u, rh_robot_word **list, int *count, int *room,
                       const rh_robot_word *word);

// ---- urdf_joint.c, urdf_mimic.c and urdf_shape.c: results of closed elements

void rh_urdf_end_joint(rh_urdf *u);
void rh_urdf_put_mimics(rh_urdf *u); // after all joints
void rh_urdf_put_driven(rh_urdf *u); // actuators of joints that only a transmission names
void rh_urdf_start_mesh(rh_urdf *u);
bool rh_urdf_find_mesh(const rh_urdf *u, rh_robot_mesh *mesh); // of the shape; false: it has no file
bool rh_urdf_without_size(const rh_urdf_shape *s);

// ---- visual/urdf_visual.c

void rh_urdf_start_visual(rh_urdf *u);
void rh_urdf_end_visual(rh_urdf *u);
void rh_urdf_start_material(rh_urdf *u);
void rh_urdf_start_color(rh_urdf *u);
void rh_urdf_end_material(rh_urdf *u);
void rh_urdf_paint(rh_urdf *u); // colours by name, after all elements

// ---- urdf_shape.c
void rh_urdf_end_collision(rh_urdf *u);

#endif
