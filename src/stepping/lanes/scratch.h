// scratch.h: what a step of lanes keeps between its parts.
#ifndef ROUTH_STEPPING_LANES_SCRATCH_H
#define ROUTH_STEPPING_LANES_SCRATCH_H

#include "num.h"
#include "table.h"

#include <routh/batch.h>

typedef struct lane_kin { // of a body
  num R[9];
  vec p, w, v, cw, c; // origin; velocity and rh_kin_body.c, angular and linear
} lane_kin;

typedef struct lane_force {
  vec ang, lin;
} lane_force;

typedef struct lane_mass { // composite, about the tree's origin
  vec h;
  sym I;
} lane_mass;

typedef struct lane_axis {
  vec ang, lin;
} lane_axis;

typedef struct lane_row { // of a contact
  int pair;
  mask on, lasts;
  num phi, reach, un, bias, mu, w, iw, c[2], l[2], il[2], turn[2], p[3], slow; // p: t1, t2, n
  num p_start[3];
  num slide, since;
  vec u0, t1, t2, f, point;
  num Y[3][LANE_DEEP];
} lane_row;

typedef struct lane_line { // of a degree of freedom (joint_rows.c): a limit, or dry friction
  int dof;
  bool dry;
  double side, limit, rest; // 1: the lower limit, -1: the upper one; limit, rest: of dry friction
  mask on;
  num w, iw, bias, u0, p, p_start, gap;
  num Y[LANE_DEEP];
} lane_line;

typedef struct lane_pose { // of a shape, seen from a plane
  num R[9];
  vec p, normal;           // its place; the plane's normal in its axes
  num height, reach;       // of its place above the plane; how far its points may come in the step
  num below;               // of a box: its lowest point, from its place
  num rim[2];              // of a cylinder: direction of the lowest point of a rim
  mask near;               // the plane may be within reach
} lane_pose;

typedef enum lane_work { LANE_DAMPED, LANE_DRIVEN, LANE_OUTSIDE } lane_work; // as RH_WORK_DAMPER ...

typedef struct lane_scratch {
  lane_kin kin[LANE_BODIES];
  num sine[LANE_DOFS], cosine[LANE_DOFS];
  lane_axis S[LANE_DOFS];
  lane_mass Ic[LANE_BODIES];
  lane_force f[LANE_BODIES];
  num motion, rest; // [J] of the account of articulated_guard.c
  num spin;               // [rad/s] of the fastest body
  num L[LANE_ENTRIES], iL[LANE_DOFS];
  num z[LANE_DOFS], force[LANE_DOFS], joint[LANE_DOFS], soft[LANE_DOFS], v[LANE_DOFS];
  num effort[LANE_DOFS], grip[LANE_DOFS]; // of actuators
  num next_q[LANE_COORDS], next_v[LANE_DOFS];
  lane_pose pose;
  int nrow;
  lane_row row[LANE_PAIRS];
  int nline; // more than LANE_LINES: they do not fit
  lane_line line[LANE_LINES];
  num reach[LANE_BODIES][2]; // |v|, |w|
  num load, impact, deepest, sweeps, newton, count, impact_work, slide[LANE_RULES];
  num work[3]; // [J] in the step: lane_work
  mask watched;
  mask ahead; // forces are those of the middle of the step
  int ends; // of steps of some lanes, in this step
  num z_start[LANE_DOFS];
  lane_help *help; // NULL: none
} lane_scratch;

#endif
