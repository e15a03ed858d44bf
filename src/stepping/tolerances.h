// tolerances.h: numbers that decide how a step is taken, for single worlds and for lanes of them.
#ifndef ROUTH_STEPPING_TOLERANCES_H
#define ROUTH_STEPPING_TOLERANCES_H

// [m] largest gap of a touch; located times leave rounding for round shapes, others are redone
#define RH_STEP_CLOSED 1e-10
#define RH_STEP_SHUT 1e-10   // [m] smaller gaps are zero: rounding of positions must not move resting bodies
#define RH_STEP_STICKS 4.0   // times the tolerance of contact velocities: a slower slip is none
#define RH_STEP_HELD 1e-9    // [m, rad] of the gap of a limit that a joint rests on
#define RH_STEP_LASTING 4.0  // times the slop: gap of a contact that lasts, at most

// [1] part r of the gap or overlap of a contact that lasts that its velocity at the end of the step
// removes in a step. z^2 - (1 - r/2) z + r/2 = 0 for the ratio z of successive gaps: none swings
// below r = 0.34.
#define RH_STEP_RETURN 0.3
#define RH_STEP_SMALL 4.0     // times the slop: larger ones are left to position_correction.c
#define RH_STEP_GAINED 1e-4   // of the energy, in a step: the contacts do not move steadily

// [rad] of a body of a tree in one part of a step: the midpoint rule, bias taken twice, fails in energy at several times this
#define RH_STEP_TREE_TURN 0.1
#define RH_STEP_SLIGHT 1e-3     // [rad/s] of a body: slower trees have the bias of the start
#define RH_STEP_FLAT 1e-10      // [m] a gap that changes by no more than this in a step lasts
#define RH_STEP_WATCHED 1e-2    // [rad] of a body in a step: slower trees are not watched
#define RH_STEP_SHARE_FREE 1e-4 // of the kinetic energy: of trees that nothing presses,
#define RH_STEP_SHARE 1e-3      // and of others, whose impulses act at the start of a part
#define RH_STEP_NUDGE 0.05 // [rad, m] maximum motion of a joint per step to remove overlap: near its axis a contact hardly moves

#endif
