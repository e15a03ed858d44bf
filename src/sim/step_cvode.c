// Stepper `cvode`: multistep integration of variable order and step by SUNDIALS' CVODE, Adams-Moulton or BDF, with its
// root finder for events. The living heir of the method [WK] cites. This is the only file that includes SUNDIALS.
// Quaternions are brought back to unit length in every result; with BDF also inside the integrator (its projection hook
// does not exist for Adams, where the drift stays below the tolerance between two restarts).
#include <routh/kind.h>

#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <float.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

enum { METHOD, RTOL, ATOL, MAX_STEP };

static const rh_param param[] = {
    {"method", "1", 0, 0, 1, "adams for motion without stiff springs, bdf for stiff ones",
     RH_CHOICE, 0, "adams|bdf", false},
    {"rtol", "1", 1e-8, 1e-14, 1e-2, "relative tolerance", RH_NUMBER, 0, NULL, false},
    {"atol", "1", 1e-10, 1e-16, 1, "absolute tolerance, in the unit of each state", RH_NUMBER, 0,
     NULL, false},
    {"max_step", "s", HUGE_VAL, 0, HUGE_VAL, "longest step", RH_NUMBER, 0, NULL, true},
};

// CVODE bounds the error of each step; over a run those errors add up. Asking it for this part of what the user wants
// keeps the error of whole runs of a few thousand steps near the tolerance the user gave.
static const double SHARE = 0.1;

static const double NEVER = 1e300;

enum { DENSE_MAX = 300, YIELD_STEPS = 1000 };

typedef struct cvode_stepper {
  const rh_flow *flow;
  SUNContext context;
  void *memory;
  N_Vector y; // wraps flow->y
  SUNNonlinearSolver nonlinear;
  SUNLinearSolver linear;
  SUNMatrix matrix;
  double max_step;
  bool fresh;
  bool bounded;     // the step to come is the first, and must be short
  double looked_at; // [s] where the integrator stood when it last ran out of steps
  char reason[256];
  rh_step_stats before; // sums up to the last restart, which sets CVODE's own counters to zero
  long restarts;
  long columns; // evaluations for Jacobians, which CVODE does not count
} cvode_stepper;

// ---- What CVODE calls

static int call_rate(realtype t, N_Vector y, N_Vector ydot, void *self)
{
  const rh_flow *flow = ((cvode_stepper *)self)->flow;
  return flow->rate(flow->user, t, N_VGetArrayPointer(y), N_VGetArrayPointer(ydot));
}

static int call_guard(realtype t, N_Vector y, realtype *g, void *self)
{
  const rh_flow *flow = ((cvode_stepper *)self)->flow;
  return flow->guard(flow->user, t, N_VGetArrayPointer(y), g);
}

// correction := projected y - y; the error estimate is left as it is.
static int call_project(realtype t, N_Vector y, N_Vector correction, realtype tolerance,
                        N_Vector error, void *self)
{
  const rh_flow *flow = ((cvode_stepper *)self)->flow;
  (void)t;
  (void)tolerance;
  (void)error;
  double *c = N_VGetArrayPointer(correction);
  const double *x = N_VGetArrayPointer(y);
  memcpy(c, x, (size_t)flow->n * sizeof *c);
  flow->project(flow->user, c);
  for (int i = 0; i < flow->n; i++) {
    c[i] -= x[i];
  }
  return 0;
}

// The Jacobian by differences, one column at a time. CVODE's own does the same but allocates at every call.
// NOLINTNEXTLINE(readability-function-size): the parameters are CVODE's
static int call_jacobian(realtype t, N_Vector y, N_Vector ydot, SUNMatrix J, void *self, N_Vector a,
                         N_Vector b, N_Vector c)
{
  const rh_flow *flow = ((cvode_stepper *)self)->flow;
  (void)b;
  (void)c;
  double *x = N_VGetArrayPointer(y);
  const double *f0 = N_VGetArrayPointer(ydot);
  double *f1 = N_VGetArrayPointer(a);
  for (int j = 0; j < flow->n; j++) {
    double *column = SUNDenseMatrix_Column(J, j);
    double kept = x[j];
    x[j] += 1.5e-8 * fmax(fabs(kept), 1e-3); // square root of rounding
    double step = x[j] - kept;
    int result = flow->rate(flow->user, t, x, f1);
    ((cvode_stepper *)self)->columns++;
    x[j] = kept;
    if (result != 0) {
      return result;
    }
    for (int i = 0; i < flow->n; i++) {
      column[i] = (f1[i] - f0[i]) / step;
    }
  }
  return 0;
}

// CVODE clones its matrix at the first call: a step into nowhere makes it do so now, so that a run allocates nothing.
static void warm_up(cvode_stepper *s)
{
  double t = *s->flow->t;
  N_Vector nowhere = N_VClone(s->y);
  if (nowhere) {
    (void)CVode(s->memory, t + 1, nowhere, &t, CV_ONE_STEP);
    N_VDestroy(nowhere);
  }
  s->reason[0] = 0;
}

static void keep_message(int code, const char *module, const char *function, char *text, void *self)
{
  (void)module;
  cvode_stepper *s = self;
  if (code < 0) {
    snprintf(s->reason, sizeof s->reason, "%s: %.200s", function, text);
  }
}

// ---- Life

static void close(void *self)
{
  cvode_stepper *s = self;
  if (!s) {
    return;
  }
  if (s->memory) {
    CVodeFree(&s->memory);
  }
  if (s->nonlinear) {
    SUNNonlinSolFree(s->nonlinear);
  }
  if (s->linear) {
    SUNLinSolFree(s->linear);
  }
  if (s->matrix) {
    SUNMatDestroy(s->matrix);
  }
  if (s->y) {
    N_VDestroy(s->y);
  }
  if (s->context) {
    SUNContext_Free(&s->context);
  }
  rh_free(s);
}

// Adams: fixed-point iteration. BDF: Newton, with a dense Jacobian while that is cheap, matrix-free beyond.
static bool attach_solver(cvode_stepper *s, bool bdf)
{
  sunindextype n = s->flow->n;
  if (!bdf) {
    s->nonlinear = SUNNonlinSol_FixedPoint(s->y, 0, s->context);
    return s->nonlinear && CVodeSetNonlinearSolver(s->memory, s->nonlinear) == CV_SUCCESS;
  }
  if (n <= DENSE_MAX) {
    s->matrix = SUNDenseMatrix(n, n, s->context);
    s->linear = s->matrix ? SUNLinSol_Dense(s->y, s->matrix, s->context) : NULL;
  } else {
    s->linear = SUNLinSol_SPGMR(s->y, SUN_PREC_NONE, 0, s->context);
  }
  return s->linear && CVodeSetLinearSolver(s->memory, s->linear, s->matrix) == CV_SUCCESS &&
         (!s->matrix || CVodeSetJacFn(s->memory, call_jacobian) == CV_SUCCESS) &&
         CVodeSetProjFn(s->memory, call_project) == CV_SUCCESS;
}

static bool bound_step(cvode_stepper *s, double longest)
{
  return CVodeSetMaxStep(s->memory, isfinite(longest) ? longest : 0) == CV_SUCCESS; // 0: no bound
}

static bool set_up(cvode_stepper *s, const double *par)
{
  const rh_flow *flow = s->flow;
  bool bdf = par[METHOD] == 1;
  void *m = s->memory;
  bool ok = CVodeSetErrHandlerFn(m, keep_message, s) == CV_SUCCESS;
  ok = ok && CVodeInit(m, call_rate, *flow->t, s->y) == CV_SUCCESS;
  ok = ok && CVodeSetUserData(m, s) == CV_SUCCESS;
  double rtol = fmax(SHARE * par[RTOL], 4 * DBL_EPSILON);
  ok = ok && CVodeSStolerances(m, rtol, SHARE * par[ATOL]) == CV_SUCCESS;
  ok = ok && CVodeSetMaxNumSteps(m, YIELD_STEPS) == CV_SUCCESS;
  ok = ok && bound_step(s, s->max_step);
  ok = ok && attach_solver(s, bdf);
  if (flow->nguard > 0) {
    ok = ok && CVodeRootInit(m, flow->nguard, call_guard) == CV_SUCCESS;
    ok = ok && CVodeSetRootDirection(m, (int *)flow->direction) == CV_SUCCESS; // only read there
    ok = ok && CVodeSetNoInactiveRootWarn(m) == CV_SUCCESS;
  }
  return ok;
}

static rh_status open(const rh_flow *flow, const double *par, rh_diag *diag, void **self)
{
  cvode_stepper *s = rh_alloc(sizeof *s);
  *self = s;
  if (!s) {
    return RH_OUT_OF_MEMORY;
  }
  s->flow = flow;
  s->fresh = true;
  s->max_step = par[MAX_STEP];
  if (SUNContext_Create(NULL, &s->context) == 0) {
    s->y = N_VMake_Serial(flow->n, flow->y, s->context);
    s->memory = CVodeCreate(par[METHOD] == 1 ? CV_BDF : CV_ADAMS, s->context);
  }
  if (!s->y || !s->memory || !set_up(s, par)) {
    rh_diag_add(diag, RH_ERROR, RH_NOWHERE, "the integrator CVODE could not be set up%s%s",
                s->reason[0] ? ": " : "", s->reason);
    close(s);
    *self = NULL;
    return RH_OUT_OF_MEMORY;
  }
  if (s->matrix) {
    warm_up(s);
  }
  return RH_OK;
}

static rh_status restart(void *self)
{
  cvode_stepper *s = self;
  s->fresh = true;
  return RH_OK;
}

static rh_step_stats counters(const cvode_stepper *s)
{
  rh_step_stats c = {0};
  long failed = 0;
  long tried = 0;
  (void)CVodeGetNumSteps(s->memory, &c.steps);
  (void)CVodeGetNumErrTestFails(s->memory, &failed);
  (void)CVodeGetNumNonlinSolvConvFails(s->memory, &tried);
  (void)CVodeGetNumRhsEvals(s->memory, &c.evaluations);
  c.rejected = failed + tried;
  return c;
}

static void stats(const void *self, rh_step_stats *sum)
{
  const cvode_stepper *s = self;
  rh_step_stats now = counters(s);
  sum->steps = s->before.steps + now.steps;
  sum->rejected = s->before.rejected + now.rejected;
  sum->evaluations = s->before.evaluations + now.evaluations;
  sum->evaluations += s->columns;
  sum->restarts = s->restarts;
}

static bool begin_again(cvode_stepper *s)
{
  rh_step_stats sum = {0};
  if (s->restarts > 0) { // the first time there is only the warm-up behind us
    stats(s, &sum);
  }
  bool ok = CVodeReInit(s->memory, *s->flow->t, s->y) == CV_SUCCESS;
  s->bounded = s->flow->first_step < s->max_step;
  ok = ok && bound_step(s, fmin(s->flow->first_step, s->max_step));
  s->before = sum;
  s->before.evaluations -= sum.evaluations > 0 ? s->columns : 0; // added anew by stats
  s->restarts++;
  s->fresh = false;
  s->looked_at = -NEVER;
  return ok;
}

static rh_advance fail(int code, rh_status *status)
{
  *status = code == CV_RHSFUNC_FAIL || code == CV_FIRST_RHSFUNC_ERR || code == CV_REPTD_RHSFUNC_ERR
                ? RH_NOT_FINITE
                : RH_TOLERANCE_NOT_REACHED;
  return RH_ADVANCE_FAILED;
}

// Steps so short that the clock hardly moves over a thousand of them lead nowhere.
static bool is_stuck(cvode_stepper *s)
{
  double t = 0;
  (void)CVodeGetCurrentTime(s->memory, &t);
  bool stuck = t - s->looked_at < YIELD_STEPS * 4 * DBL_EPSILON * fmax(fabs(t), 1e-3);
  s->looked_at = t;
  return stuck;
}

// The first step after a restart is taken alone when it is bounded: a flight shorter than it would be missed.
static int integrate(cvode_stepper *s, double t_out, double t_limit, double *t)
{
  if (s->bounded) {
    (void)CVodeSetStopTime(s->memory, fmin(t_limit, t_out));
    int code = CVode(s->memory, t_out, s->y, t, CV_ONE_STEP);
    s->bounded = code < 0;
    if (code != CV_SUCCESS || *t >= t_out) {
      return code;
    }
    (void)bound_step(s, s->max_step);
  }
  (void)CVodeSetStopTime(s->memory,
                         fmin(t_limit, NEVER)); // always: an old stop time would stay in force
  return CVode(s->memory, t_out, s->y, t, CV_NORMAL);
}

static rh_advance advance(void *self, double t_out, double t_limit, int *hit, rh_status *status)
{
  cvode_stepper *s = self;
  const rh_flow *flow = s->flow;
  *status = RH_OK;
  if (s->fresh && t_out - *flow->t <= 4 * DBL_EPSILON * fmax(fabs(*flow->t), fabs(t_out))) {
    *flow->t = t_out; // nearer than the clock can tell
    return RH_ADVANCE_REACHED;
  }
  if (s->fresh && !begin_again(s)) {
    return fail(CV_ILL_INPUT, status);
  }
  double t = *flow->t;
  int code = integrate(s, t_out, t_limit, &t);
  *flow->t = t; // CVODE gives the y it has reached, also when it stops early
  flow->project(flow->user, flow->y);
  if (code == CV_TOO_MUCH_WORK && !is_stuck(s)) {
    return RH_ADVANCE_YIELD;
  }
  if (code < 0) {
    return fail(code, status);
  }
  if (code == CV_ROOT_RETURN) {
    (void)CVodeGetRootInfo(s->memory, hit);
    return RH_ADVANCE_EVENT;
  }
  return RH_ADVANCE_REACHED;
}

static const char *reason(const void *self)
{
  return ((const cvode_stepper *)self)->reason;
}

const rh_stepper rh_stepper_cvode = {
    .row = {"cvode", "[WK] ch. 2", "multistep of variable order and step (SUNDIALS CVODE)", param,
            RH_COUNT(param)},
    .open = open,
    .restart = restart,
    .advance = advance,
    .reason = reason,
    .stats = stats,
    .close = close,
};
