// nodes.h: entries of a scene's sections, written into the tree of nodes that the scene is read
// from, by the readers of robots.
#ifndef ROUTH_SCENE_IO_XML_NODES_H
#define ROUTH_SCENE_IO_XML_NODES_H

#include "scene_io/yaml_doc.h"

#include <routh/math.h>

#define RH_NODES_MAX 200000 // entries of one robot

#define RH_NODE_SECTION_LIST(X)                                                                    \
  X(BODIES, bodies)                                                                                \
  X(JOINTS, joints)                                                                                \
  X(SHAPES, shapes)                                                                                \
  X(MESHES, meshes)                                                                                \
  X(ACTUATORS, actuators)                                                                          \
  X(LOOPS, loops)                                                                                  \
  X(CONSTRAINTS, constraints)                                                                      \
  X(CONTACTS, contacts)                                                                            \
  X(TENDONS, tendons)                                                                              \
  X(TENDON_PARTS, tendon_parts)                                                                    \
  X(SENSORS, sensors)                                                                              \
  X(POINTS, points)                                                                                \
  X(KEYFRAMES, keyframes)                                                                          \
  X(VISUALS, visuals)                                                                              \
  X(VISUAL_MESHES, visual_meshes)

#define RH_NODE_SECTION_ID(section, name) RH_NODE_##section,
typedef enum rh_node_section {
  RH_NODE_SECTION_LIST(RH_NODE_SECTION_ID) RH_NODE_SECTIONS
} rh_node_section;

typedef struct rh_node_list { // a list or a map that grows
  int node, last;
} rh_node_list;

typedef struct rh_robot_word { // a name of the file
  rh_name name;
  rh_place place;
} rh_robot_word;

typedef struct rh_nodes {
  rh_yaml *tree;
  int root;           // map of the scene
  const char *prefix; // before every name
  rh_diag *diag;
  rh_status status; // out of memory, over a limit
  rh_node_list section[RH_NODE_SECTIONS];
  int made;
  size_t packed; // characters of surfaces that only show
  int lost;      // files of such that could not be read
} rh_nodes;

// Roll, pitch and yaw of R = Rz Ry Rx; where the pitch is a right angle, one of the others is 0.
void rh_nodes_angles(const rh_mat3 *R, double rpy[3]);

void rh_nodes_init(rh_nodes *n, rh_yaml *tree, int root, const char *prefix, rh_diag *diag);
int rh_nodes_file(const rh_nodes *n, rh_place place); // index of its file in the tree

// A new entry of a section. Its node is RH_NONE where the scene's section is no list, or after a failure.
rh_node_list rh_nodes_entry(rh_nodes *n, rh_node_section section, rh_place place);
// A section that is one map, created if the scene has none; RH_NONE where it is no map.
rh_node_list rh_nodes_map(rh_nodes *n, const char *section, rh_place place);
// The scene's own entry of that section under the robot's name for it, none: {RH_NONE, RH_NONE}.
rh_node_list rh_nodes_own_entry(rh_nodes *n, rh_node_section section, const rh_robot_word *word);
bool rh_nodes_has_name(const rh_nodes *n, rh_node_section section, const rh_robot_word *word);
void rh_nodes_put_text(rh_nodes *n, rh_node_list *map, const char *key, const char *text,
                       rh_place place);
// With the prefix.
void rh_nodes_put_name(rh_nodes *n, rh_node_list *map, const char *key, const rh_robot_word *word);
void rh_nodes_put_number(rh_nodes *n, rh_node_list *map, const char *key, double value,
                         rh_place place);
void rh_nodes_put_numbers(rh_nodes *n, rh_node_list *map, const char *key, const double *x,
                          int count, rh_place place);
// A text of any length, in pieces.
void rh_nodes_put_packed(rh_nodes *n, rh_node_list *map, const char *key, const char *text,
                         size_t length, rh_place place);
// An existing node that is in no map any more, with its key.
void rh_nodes_put_node(rh_nodes *n, rh_node_list *map, int node);

#endif
