// sdf_part.h: shared by the files that read SDF.
//   sdf.c          the order of the whole; models, links, joints and frames as items
//   sdf_include.c  files that it includes
//   sdf_schema.c   elements that are read, noted, refused
//   sdf_value.c    values of elements
//   sdf_frame.c    names, poses in the world
//   sdf_tree.c     bodies
//   sdf_joint.c    joints
//   sdf_shape.c    shapes
//   sdf_visual.c   visuals
//   sdf_contact.c  contacts
#ifndef ROUTH_SCENE_IO_SDF_SDF_PART_H
#define ROUTH_SCENE_IO_SDF_SDF_PART_H

#include "sdf.h"
#include "scene_io/xml/nodes.h"
#include "scene_io/xml/robot_mesh.h"
#include "scene_io/xml/xml.h"

#define RH_SDF_ITEMS_MAX 10000 // models, links, joints, frames
#define RH_SDF_PAIRS_MAX 20000 // contacts of the scene
#define RH_SDF_TOUCH_MAX 4000  // collisions that touch
#define RH_SDF_LOOPS_MAX 1000  // joints that close loops

#define RH_SDF_UNKNOWN   (-2)  // not found yet

typedef struct rh_sdf_pose { // x in the outer frame = R x + p
  rh_mat3 R;
  rh_vec3 p;
} rh_sdf_pose;

typedef enum rh_sdf_sort { RH_SDF_MODEL, RH_SDF_LINK, RH_SDF_JOINT, RH_SDF_FRAME } rh_sdf_sort;

typedef struct rh_sdf_item {
  rh_sdf_sort sort;
  const char *name;   // in the file
  rh_robot_word word; // in the scene, without the prefix
  int element;
  int scope;         // model that holds it; RH_NONE: the world
  rh_sdf_pose pose;  // as it is given, in the frame of `to`
  int to;            // item, RH_NONE: the world
  int state;         // of `world`, 0: unknown, 1: being found, 2: known
  rh_sdf_pose world; // in the world
  bool fixed;        // in a static model
  // Links
  int carrier;      // joint that carries it in the tree; RH_NONE
  rh_sdf_pose body; // frame of its body in the world
  // Joints: links, RH_NONE: the world. Models: `child` is the link that stands for them
  int parent, child;
} rh_sdf_item;

typedef struct rh_sdf_shape { // a collision that touches
  rh_robot_word name;
  int link;
  double mu, e;
  unsigned mask;
} rh_sdf_shape;

typedef struct rh_sdf {
  rh_xml xml;
  int root;
  rh_nodes nodes; // their status is that of the whole
  rh_ignored ignored;
  rh_diag *diag;
  const rh_sdf_opt *opt;
  bool refused;
  bool showing;  // in a visual: what is wrong is a warning
  bool spoiled;  // and something is
  bool old_axes; // before version 1.5: axes of joints in the frame of the model
  bool many;     // several models of the world: their names are parts of the names
  int *owner;    // item of each element, RH_NONE
  rh_sdf_item *item;
  rh_sdf_shape *shape;
  int loop[RH_SDF_LOOPS_MAX]; // joints that close loops
  int nitem, nshape, shape_room, nloop;
} rh_sdf;

// ---- sdf_value.c

void rh_sdf_refuse(rh_sdf *s, rh_place place, const char *format, ...) RH_PRINTF(3, 4);
const char *rh_sdf_tag(const rh_sdf *s, int element);
rh_place rh_sdf_place(const rh_sdf *s, int element);
int rh_sdf_child(const rh_sdf *s, int element, const char *tag); // the first one, RH_NONE; also of RH_NONE
int rh_sdf_next(const rh_sdf *s, int element); // the next one of the same tag
const char *rh_sdf_text(const rh_sdf *s, int element, const char *tag); // of a child; NULL: none
const char *rh_sdf_attribute(const rh_sdf *s, int element, const char *name); // NULL: none or empty
// Numbers of the text of an element; false: absent, or refused.
bool rh_sdf_numbers(rh_sdf *s, int element, int n, double *x);
double rh_sdf_number(rh_sdf *s, int element, const char *tag, double otherwise);
bool rh_sdf_flag(rh_sdf *s, int element, const char *tag, bool otherwise);
rh_sdf_pose rh_sdf_identity(void);
rh_sdf_pose rh_sdf_read_pose(rh_sdf *s, int element); // of its child <pose>, without its frame
rh_sdf_pose rh_sdf_compose(const rh_sdf_pose *a, const rh_sdf_pose *b);
rh_sdf_pose rh_sdf_within(const rh_sdf_pose *a, const rh_sdf_pose *b); // b as seen from a
void rh_sdf_put_pose(rh_sdf *s, rh_node_list *map, const rh_sdf_pose *pose, rh_place place);

// ---- The steps

rh_status rh_sdf_expand_includes(rh_sdf *s); // sdf_include.c
bool rh_sdf_check_schema(rh_sdf *s);
// sdf_frame.c. An item by its name in a scope, "a::b" too; RH_NONE.
int rh_sdf_find(const rh_sdf *s, int scope, const char *name);
int rh_sdf_link_of(const rh_sdf *s, int item); // that the item moves with; RH_NONE: the world
// Pose in the world of the child <pose> of an element, in the frame that it names, or that of `usual`.
rh_sdf_pose rh_sdf_world_pose(rh_sdf *s, int element, int scope, int usual);
void rh_sdf_find_poses(rh_sdf *s);
void rh_sdf_read_joints(rh_sdf *s); // sdf_joint.c: what they join
void rh_sdf_emit_bodies(rh_sdf *s); // sdf_tree.c
void rh_sdf_emit_joints(rh_sdf *s);
void rh_sdf_emit_shapes(rh_sdf *s);
void rh_sdf_emit_visuals(rh_sdf *s);
void rh_sdf_emit_contacts(rh_sdf *s);

// ---- sdf_shape.c

typedef struct rh_sdf_mesh {
  rh_robot_mesh mesh; // its file is `name`
  char name[RH_PATH_MAX];
} rh_sdf_mesh;

// The file of a <mesh>; false: refused.
bool rh_sdf_find_mesh(rh_sdf *s, int element, const char *owner, rh_sdf_mesh *found);
// Sizes of a geometry's element, as keys of a shape or a visual
void rh_sdf_put_sizes(rh_sdf *s, int element, rh_node_list *shape);

#endif
