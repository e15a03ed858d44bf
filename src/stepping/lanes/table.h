// table.h: a model as lanes need it: one tree of hinges, slides and fixed joints, on a free joint or fixed, with
// actuators, limits and dry friction, spheres, boxes, capsules and cylinders of its bodies on planes that do not move. Plain numbers without pointers, the same for all worlds, so that a
// GPU may have a copy. Degrees of freedom are numbered as in z of articulated.h, without its padding.
#ifndef ROUTH_STEPPING_LANES_TABLE_H
#define ROUTH_STEPPING_LANES_TABLE_H

#include <stdbool.h>

enum {
  LANE_BODIES = 40,
  LANE_DOFS = 40,
  LANE_COORDS = 41,
  LANE_RUNS = 160,
  LANE_ENTRIES = 600, // of the factor
  LANE_PAIRS = 64,
  LANE_RULES = 32,
  LANE_DEEP = 24,     // degrees of freedom on the longest path
  LANE_WORKS = 4,
  LANE_TREES = 4,
  LANE_ACTUATORS = 40,
  LANE_COMMAND_SIZE = 8, // RH_COMMAND_SIZE, and what controllers ask for
  LANE_LINES = 64,    // rows of single degrees of freedom in a step
};

typedef enum lane_joint { LANE_FIXED, LANE_HINGE, LANE_PRISMATIC, LANE_FREE } lane_joint;

typedef struct lane_body { // in the order of the tree: after its parent
  int joint, along; // along: an axis of the parent, -1: any
  int parent;       // -1: the world
  int q, dof, ndof; // its first coordinate, degree of freedom
  int run, nrun;    // its path from the root: runs of degrees of freedom, with its own
  int depth, tip;   // their number, the last of them
  bool heavy;
  double mass, h[3], I[6]; // as rh_inertia
  double place_R[9], place_p[3], axis[3], cosine[9], sine[9];
} lane_body;

typedef struct lane_run { // consecutive degrees of freedom: a quarter of every sum over them has every fourth
  int first, n;
} lane_run;

typedef struct lane_dof {
  int body;             // of the table
  int v;                // in the model
  int row, depth;       // of L: its row, root first, and its place in it, the last
  int seat;             // in z, with its padding
  double spring, damper, armature, rest;
  int coord;            // of its limits; -1: it has none
  double lower, upper, bounce, near; // near: beside what its speed takes it in a step
  double friction, stiction;
} lane_dof;

typedef struct lane_actuator { // of one degree of freedom, as rh_model_actuator
  int index, dof, q;
  bool servo;
  double lo, hi, stall, no_load_speed, gear, gain[3], bias[3], control_lo, control_hi;
} lane_actuator;

typedef enum lane_shape { LANE_SPHERE, LANE_BOX, LANE_CAPSULE, LANE_CYLINDER } lane_shape;

typedef struct lane_pair { // a feature of a shape, and a plane, in the order of their shapes
  int a, b, body;       // shapes; the first one's body in the table
  int rule;             // of the table
  long order;           // among the pairs of all trees
  int kind, id;         // lane_shape; of the feature
  int first, features;  // of its pair: the first feature; of that: their number, else 0
  bool straight;        // the shape has the axes of its body
  double place[3], turn[9], arm; // of the shape on its body
  double radius, rounding, side[3]; // side: half of a box, [2] the length of a capsule
  double point[3];      // of the feature, in the axes of the shape
  double n[3], at[3], d; // the plane: normal, point, half-space
  double t1[3], t2[3];  // tangents
  double slow;          // [m/s] of an approach that is no impact
  bool steady;
  double mu_s, mu, e;
} lane_pair;

typedef struct lane_table {
  int tree, first_q;    // of the model: which tree, its first coordinate
  int rule[LANE_RULES]; // of the model
  int nbody, ndof, nq, npair, nrule, nentry, nwork, nact, nlimit, ndry;
  bool stiff;  // as of rh_step_tree
  bool middle; // contacts that last are solved at the middle of a step
  bool impacts;
  bool forced; // springs, dampers or actuators: forces of a step at its start are those of its start
  bool plain;  // hinges, fixed joints and spheres, no actuators, limits or dry friction, neither stiff nor middle
  int iterations;
  double dt, tolerance, slop, gravity[3], weight, slow, skin, mass;
  lane_body body[LANE_BODIES];
  lane_dof dof[LANE_DOFS];
  lane_run run[LANE_RUNS];
  int ancestor[LANE_ENTRIES]; // of a row of L
  lane_pair pair[LANE_PAIRS];
  lane_actuator act[LANE_ACTUATORS];
} lane_table;

// ---- The state of a group of worlds: numbers of LANES worlds side by side

enum {
  LANE_T = 0,
  LANE_UNTIL,  // [s] a step may not come so far
  LANE_PRESSED, // 1: a contact pressed in the last step
  LANE_DEEPEST, // of the tally
  LANE_LOAD,
  LANE_IMPACT,
  LANE_SWEEPS,  // since loaded,
  LANE_STEPS,
  LANE_MEETINGS, // contacts,
  LANE_NEWTON,  // solutions by Newton's method
  LANE_LAST,    // sweeps of the last step, its solutions by Newton's method, its contacts
  LANE_LAST_NEWTON,
  LANE_CONTACTS,
  LANE_CAUSE,   // why the last step was left to the world (rh_lane_cause)
  LANE_BASE,    // energy of events
  LANE_ALL,     // of all trees of a world that has several; it is with the first one, as their work is
  LANE_WORK,
  LANE_SLIDE = LANE_WORK + LANE_WORKS,
  LANE_Q = LANE_SLIDE + LANE_RULES,
  LANE_V = LANE_Q + LANE_COORDS,
  LANE_TAU = LANE_V + LANE_DOFS,
  LANE_FORCE = LANE_TAU + LANE_DOFS, // of each pair, on the sphere
  LANE_SINCE = LANE_FORCE + 3 * LANE_PAIRS,
  LANE_POINT = LANE_SINCE + LANE_PAIRS,
  LANE_COMMAND = LANE_POINT + 3 * LANE_PAIRS, // of actuators
  LANE_STATE = LANE_COMMAND + LANE_COMMAND_SIZE * LANE_ACTUATORS
};

typedef struct lane_row_copy { // a row of lane_row in one lane
  int pair;
  double w, iw, bias, mu, c[2], l[2], il[2], turn[2], p[3], t1[3], t2[3], Y[3][LANE_DEEP];
} lane_row_copy;

typedef struct lane_line_copy { // of lane_line
  int dof;
  bool dry;
  double side, w, iw, bias, limit, rest, u0, p, gap, Y[LANE_DEEP];
} lane_line_copy;

// What the sweeps of lanes do not solve: the rows of one lane as they were before the first sweep, and z; then the solution
typedef struct lane_problem {
  int n, nline;
  lane_row_copy row[LANE_PAIRS];
  lane_line_copy line[LANE_LINES];
  double z[LANE_DOFS];
  double sweeps, newton;
} lane_problem;

typedef struct lane_help { // who solves it
  void *user;
  bool (*solve)(void *user, int lane, lane_problem *problem); // false: it has no solution as good
  lane_problem problem;
} lane_help;

typedef struct lane_kernel { // the step at some width
  int width;
  unsigned long scratch; // bytes
  // Steps those lanes of `state` whose bits are set; returns those that it moved. `stands`: kinematics in
  // scratch are those of the state.
  int (*step)(const lane_table *table, double *state, void *scratch, lane_help *help, int lanes,
              bool *stands);
} lane_kernel;

extern const lane_kernel rh_lanes_1, rh_lanes_4, rh_lanes_8;

#endif
