// cvode_resizable.h: a state that grows and shrinks, for CVODE, which does not support that. Its
// vectors and matrices are ours: those of SUNDIALS, allocated once for the longest possible state,
// and all set to their present length at a restart.
#ifndef ROUTH_EVENT_CVODE_RESIZABLE_H
#define ROUTH_EVENT_CVODE_RESIZABLE_H

#include "event/parabola.h"
#include "event/integrator.h"

#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sundials/sundials_nonlinearsolver.h>
#include <sunmatrix/sunmatrix_dense.h>

enum { RH_DENSE_MAX = 512, RH_VECTORS_MAX = 128, RH_MATRICES_MAX = 2 };

typedef struct rh_cvode_engine { // an integrator with its solver
  void *memory;
  SUNNonlinearSolver nonlinear;
  SUNLinearSolver linear;
} rh_cvode_engine;

// the last: BDF where the state is too long for a dense Jacobian
enum { RH_ENGINE_ADAMS, RH_ENGINE_BDF, RH_ENGINE_LONG };

struct rh_cvode;

typedef struct rh_vector_content {
  struct _N_VectorContent_Serial serial;
  struct rh_cvode *owner; // NULL: free
  double *own;                 // (capacity)
} rh_vector_content;

typedef struct rh_matrix_content {
  struct _SUNMatrixContent_Dense dense;
  struct rh_cvode *owner;
} rh_matrix_content;

typedef struct rh_cvode {
  const rh_ode *flow;
  SUNContext context;
  rh_cvode_engine engine[3]; // RH_ENGINE_ADAMS ...; those that the method needs
  int method;
  bool labours;     // Adams was slow, so BDF is in use
  void *memory;     // of the engine in use
  N_Vector error[2]; // estimated errors of the last step, and their weights
  N_Vector y;       // wraps flow->y, or the difference to the arc
  rh_arc arc;
  double rtol, atol;
  double loose;     // factor on both where the rate is not continuous and the steps would be too short
  int rough;        // times in a row that many steps led nowhere
  double loosened;  // [s] when that factor was last raised
  struct {
    double t;      // [s]
    long rejected; // since the restart
    int parts;     // of LOOK_STEPS, since then
    double *y;     // state when it was last compared (capacity),
    long steps;    // since the restart, 0: it is not known
  } watched;        // the last look at the steps
  int capacity;     // maximum length of the state
  N_Vector vector[RH_VECTORS_MAX]; // all vectors, with y (nvector)
  int nvector;
  rh_vector_content content[RH_VECTORS_MAX];
  double *spare;                  // (capacity)
  bool failed;                    // there was no memory for a vector
  SUNMatrix matrix[RH_MATRICES_MAX]; // all matrices (nmatrix)
  int nmatrix;
  rh_matrix_content matrices[RH_MATRICES_MAX];
  double *entries;     // of the matrices
  double **columns_at; // and their columns
  int *active;         // states that are not idle (nactive), then the pivots of the factor
  int nactive;
  double max_step;
  rh_short_interval hop;
  double *hop_room;
  bool fresh;
  double gave_up;    // [s] time of its last restart at order one
  bool bounded;     // the next step is the first, and must be short
  double began;     // [s] time of the last restart
  double looked_at; // [s] time at which the integrator last ran out of steps
  char reason[256];
  rh_step_stats before; // sums up to the last restart, which sets CVODE's own counters to zero
  long restarts;
  struct {
    bool whole;         // with the columns of coordinates
    long failed;        // solves of CVODE that failed, up to the last one
    long columns;       // evaluations, which CVODE does not count
  } jacobian;
} rh_cvode;

// the one that wraps flow->y, or the difference; all others are its copies
N_Vector rh_cvode_vector(rh_cvode *s);
SUNMatrix rh_cvode_matrix(rh_cvode *s); // the first; NULL: no memory
// A dense solver that factors active states.
SUNLinearSolver rh_cvode_solver(rh_cvode *s, SUNMatrix matrix);
int rh_cvode_dense_room(const rh_cvode *s);
// The Jacobian leaves out the column of state i
bool rh_cvode_leaves_out(const rh_cvode *s, int i);
void rh_cvode_set_size(rh_cvode *s, int n);

// ---- cvode_jacobian.c
int rh_cvode_rate(realtype t, N_Vector y, N_Vector ydot, void *self);
// NOLINTNEXTLINE(readability-function-size): the parameters are CVODE's
int rh_cvode_jacobian(realtype t, N_Vector y, N_Vector ydot, SUNMatrix J, void *self, N_Vector a,
                      N_Vector b, N_Vector c);

#endif
