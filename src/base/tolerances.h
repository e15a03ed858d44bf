// tolerances.h: bounds below which all engines take a value as zero. Each is above rounding and
// below any measurement.
#ifndef ROUTH_BASE_TOLERANCES_H
#define ROUTH_BASE_TOLERANCES_H

#define RH_TOL_DEPTH      1e-12 // [m] a contact is lost this much later than it was found; rounding of depths is below it
#define RH_TOL_SEPARATION 1e-12 // [m/s] rigid bodies that separate or slip more slowly than this do so by rounding
#define RH_TOL_GAP        1e-9  // [m] a gap that closed, but for rounding and the accuracy of event times
#define RH_TOL_SLIP       1e-9  // [m/s] a slower slip is numerical error of a slip that has ended
#define RH_TOL_FORCE      1e-11 // part of the weight, and of gravity, that rounding may leave
#define RH_TOL_RANK       1e-11 // rows whose pivots are below this part of the largest follow from the others
#define RH_TOL_RESTITUTION 1e-6 // [1] of the speed of a rebound: far above the error of an impact, far below what is measured
#define RH_TOL_RIGID_GAP  1e-10 // [m] a rigid contact without force may open or close by this before it is examined again

#endif
