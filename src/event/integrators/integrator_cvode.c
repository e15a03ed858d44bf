// Integrator `cvode`: multistep integration of variable order and step by SUNDIALS' CVODE,
// Adams-Moulton or BDF, with its root finder for events. The living heir of the method [WK] cites.
// This file, cvode_jacobian.c and cvode_resizable.c are the only ones that include SUNDIALS.
// Quaternions are brought back to unit length in every result; with BDF also inside the integrator
// (its projection hook does not exist for Adams, where the drift stays below the tolerance between
// two restarts).
// The state may grow and shrink at restarts: see cvode_resizable.h. With frequent restarts by a
// controller it would never leave its first, short steps: there whole intervals are taken at once
// if possible (short_interval.c).
#include "cvode_resizable.h"

#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

enum { METHOD, RTOL, ATOL, MAX_STEP };

enum { ADAMS, BDF, AUTO }; // values of `method`

static const rh_param param[] = {
    {"method", "1", AUTO, 0, AUTO,
     "adams for motion without stiff springs, bdf for stiff ones; auto: adams, and bdf where it "
     "labours",
     RH_CHOICE, 0, "adams|bdf|auto", false},
    {"rtol", "1", 1e-8, 1e-14, 1e-2, "relative tolerance", RH_NUMBER, 0, NULL, false},
    {"atol", "1", 1e-10, 1e-16, 1, "absolute tolerance, in the unit of each state", RH_NUMBER, 0,
     NULL, false},
    {"max_step", "s", HUGE_VAL, RH_TIME_MIN, HUGE_VAL, "longest step", RH_NUMBER, 0, NULL, false},
};

// CVODE bounds the error of each step; over a run those errors add up. Requesting this part of the
// user's tolerance keeps the error of whole runs of a few thousand steps near the tolerance the
// user gave.
static const double SHARE = 0.1;

static const double NEVER = 1e300;

// Steps after which the integrator gives account of its progress, and after which it checks that itself
enum { YIELD_STEPS = 1000, LOOK_STEPS = 250, PART_STEPS = LOOK_STEPS / 2 };

// Where the rate jumps to and fro (a contact point that changes its place from step to step) the
// steps are as short as the tolerance over the jump. It is loosened by this factor at a time.
enum { LOOSER = 10, ROUGH_MAX = 3 };

static const double LOOSE_MAX = 1e6;
static const double RTOL_MAX = 5e-5; // that loosening leads to

// ---- CVODE callbacks

static int call_guard(realtype t, N_Vector y, realtype *g, void *self)
{
  const rh_cvode *s = self;
  const rh_ode *flow = s->flow;
  double *full = rh_arc_full(&s->arc, flow->n, t, N_VGetArrayPointer(y));
  return flow->guard(flow->user, t, full, g);
}

// The tolerance refers to the state, not to the difference. Integrals need no more digits than they
// have.
static int call_weights(N_Vector y, N_Vector weight, void *self)
{
  const rh_cvode *s = self;
  double t = *s->flow->t;
  (void)CVodeGetCurrentTime(s->memory, &t);
  const double *full = rh_arc_full(&s->arc, s->flow->n, t, N_VGetArrayPointer(y));
  double *w = N_VGetArrayPointer(weight);
  bool coarse = s->flow->idle != NULL && s->flow->grain > s->atol;
  for (int i = 0; i < s->flow->n; i++) {
    bool integral = coarse && s->flow->idle(s->flow->user, i);
    w[i] = 1 / (s->loose * (s->rtol * fabs(full[i]) + (integral ? s->flow->grain : s->atol)));
  }
  return 0;
}

// correction := projected y - y; the error estimate is left as it is.
static int call_project(realtype t, N_Vector y, N_Vector correction, realtype tolerance,
                        N_Vector error, void *self)
{
  const rh_cvode *s = self;
  const rh_ode *flow = s->flow;
  (void)tolerance;
  (void)error;
  double *c = N_VGetArrayPointer(correction);
  const double *x = rh_arc_full(&s->arc, flow->n, t, N_VGetArrayPointer(y));
  memcpy(c, x, (size_t)flow->n * sizeof *c);
  flow->project(flow->user, c);
  for (int i = 0; i < flow->n; i++) {
    c[i] -= x[i];
  }
  return 0;
}

// CVODE clones its matrix at the first call: a dummy step makes it do so now, so that a run
// allocates nothing.
static void warm_up(rh_cvode *s)
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
  rh_cvode *s = self;
  if (code < 0) {
    snprintf(s->reason, sizeof s->reason, "%s: %.200s", function, text);
  }
}

// ---- Life

static void close_cvode(void *self)
{
  rh_cvode *s = self;
  if (!s) {
    return;
  }
  for (int i = 0; i < RH_COUNT(s->engine); i++) {
    rh_cvode_engine *e = &s->engine[i];
    if (e->memory) {
      CVodeFree(&e->memory);
    }
    if (e->nonlinear) {
      SUNNonlinSolFree(e->nonlinear);
    }
    if (e->linear) {
      SUNLinSolFree(e->linear);
    }
  }
  if (s->nmatrix > 0) {
    SUNMatDestroy(s->matrix[0]);
  }
  for (int i = 0; i < RH_COUNT(s->error); i++) {
    if (s->error[i]) {
      N_VDestroy(s->error[i]);
    }
  }
  if (s->y) {
    N_VDestroy(s->y);
  }
  if (s->context) {
    SUNContext_Free(&s->context);
  }
  rh_free(s->entries);
  rh_free(s->columns_at);
  rh_free(s->active);
  rh_free(s->arc.base);
  rh_free(s->spare);
  rh_free(s->watched.y);
  rh_free(s->hop_room);
  rh_free(s);
}

// Adams: fixed-point iteration. BDF: Newton, with a dense Jacobian while that is cheap, matrix-free beyond.
static bool attach_solver(rh_cvode *s, rh_cvode_engine *e, bool bdf)
{
  if (!bdf) {
    e->nonlinear = SUNNonlinSol_FixedPoint(s->y, 0, s->context);
    return e->nonlinear && CVodeSetNonlinearSolver(e->memory, e->nonlinear) == CV_SUCCESS;
  }
  SUNMatrix matrix = NULL;
  if (e == &s->engine[RH_ENGINE_BDF]) {
    matrix = rh_cvode_matrix(s);
    rh_cvode_set_size(s, rh_cvode_dense_room(s)); // the solver takes its size from them
    e->linear = matrix ? rh_cvode_solver(s, matrix) : NULL;
  } else {
    e->linear = SUNLinSol_SPGMR(s->y, SUN_PREC_NONE, 0, s->context);
  }
  return e->linear && CVodeSetLinearSolver(e->memory, e->linear, matrix) == CV_SUCCESS &&
         (!matrix || CVodeSetJacFn(e->memory, rh_cvode_jacobian) == CV_SUCCESS) &&
         CVodeSetProjFn(e->memory, call_project) == CV_SUCCESS;
}

static bool bound_step(rh_cvode *s, double longest)
{
  return CVodeSetMaxStep(s->memory, isfinite(longest) ? longest : 0) == CV_SUCCESS; // 0: no bound
}

static bool set_up(rh_cvode *s, rh_cvode_engine *e, const double *par)
{
  const rh_ode *flow = s->flow;
  bool bdf = e != &s->engine[RH_ENGINE_ADAMS];
  void *m = e->memory = CVodeCreate(bdf ? CV_BDF : CV_ADAMS, s->context);
  bool ok = m && CVodeSetErrHandlerFn(m, keep_message, s) == CV_SUCCESS;
  ok = ok && CVodeInit(m, rh_cvode_rate, *flow->t, s->y) == CV_SUCCESS;
  ok = ok && CVodeSetUserData(m, s) == CV_SUCCESS;
  s->rtol = fmax(SHARE * par[RTOL], 4 * DBL_EPSILON);
  s->atol = SHARE * par[ATOL];
  ok = ok && CVodeWFtolerances(m, call_weights) == CV_SUCCESS;
  ok = ok && CVodeSetMaxNumSteps(m, PART_STEPS) == CV_SUCCESS;
  ok = ok && attach_solver(s, e, bdf);
  if (flow->nguard > 0) {
    ok = ok && CVodeRootInit(m, flow->nguard, call_guard) == CV_SUCCESS;
    ok = ok && CVodeSetRootDirection(m, (int *)flow->direction) == CV_SUCCESS; // only read there
    ok = ok && CVodeSetNoInactiveRootWarn(m) == CV_SUCCESS;
  }
  rh_cvode_set_size(s, flow->n);
  return ok && !s->failed;
}

static void choose_engine(rh_cvode *s)
{
  bool fits = s->flow->n <= RH_DENSE_MAX;
  int use = s->method == BDF     ? (fits ? RH_ENGINE_BDF : RH_ENGINE_LONG)
            : s->labours && fits ? RH_ENGINE_BDF
                                 : RH_ENGINE_ADAMS;
  s->memory = s->engine[use].memory;
}

static bool set_up_all(rh_cvode *s, const double *par)
{
  s->method = (int)par[METHOD];
  bool ok = s->method == BDF || set_up(s, &s->engine[RH_ENGINE_ADAMS], par);
  if (ok && s->method != ADAMS) {
    ok = set_up(s, &s->engine[RH_ENGINE_BDF], par);
  }
  if (ok && s->method == BDF && s->capacity > RH_DENSE_MAX) {
    ok = set_up(s, &s->engine[RH_ENGINE_LONG], par);
  }
  for (int i = RH_ENGINE_BDF; ok && i < RH_COUNT(s->engine); i++) {
    s->memory = s->engine[i].memory;
    bool fits = i == RH_ENGINE_LONG || s->flow->n <= RH_DENSE_MAX;
    if (s->memory && fits) {
      warm_up(s);
    }
  }
  choose_engine(s);
  return ok && !s->failed && bound_step(s, s->max_step);
}

static bool make_arc(rh_cvode *s)
{
  size_t n = (size_t)s->capacity;
  s->arc.on = s->flow->arc != NULL;
  s->arc.base = s->arc.on ? rh_alloc(4 * n * sizeof(double)) : NULL;
  s->arc.slope = s->arc.base ? s->arc.base + n : NULL;
  s->arc.bend = s->arc.base ? s->arc.base + 2 * n : NULL;
  s->arc.full = s->arc.base ? s->arc.base + 3 * n : NULL;
  return s->arc.base || !s->arc.on;
}

static rh_status open_cvode(const rh_ode *flow, const double *par, rh_diag *diag, void **self)
{
  rh_cvode *s = rh_alloc(sizeof *s);
  *self = s;
  if (!s) {
    return RH_OUT_OF_MEMORY;
  }
  s->flow = flow;
  s->fresh = true;
  s->loose = 1;
  s->loosened = -NEVER;
  s->capacity = flow->capacity > flow->n ? flow->capacity : flow->n;
  s->max_step = par[MAX_STEP];
  s->spare = rh_alloc((size_t)s->capacity * sizeof(double));
  s->watched.y = rh_alloc((size_t)s->capacity * sizeof(double));
  s->hop_room = rh_alloc(rh_short_interval_room(flow) * sizeof(double));
  if (s->spare && s->watched.y && s->hop_room && make_arc(s) &&
      SUNContext_Create(NULL, &s->context) == 0) {
    s->y = rh_cvode_vector(s);
  }
  for (int i = 0; i < RH_COUNT(s->error) && s->y; i++) {
    s->error[i] = N_VClone(s->y);
  }
  if (!s->y || !s->error[0] || !s->error[1] || !set_up_all(s, par)) {
    rh_diag_add(diag, RH_ERROR, RH_NOWHERE,
                "out of memory: the integrator CVODE could not be set up%s%s",
                s->reason[0] ? ": " : "", s->reason);
    close_cvode(s);
    *self = NULL;
    return RH_OUT_OF_MEMORY;
  }
  s->hop = (rh_short_interval){.rtol = s->rtol, .atol = s->atol};
  rh_short_interval_open(flow, s->hop_room, &s->hop);
  return RH_OK;
}

static rh_status restart_cvode(void *self)
{
  rh_cvode *s = self;
  s->fresh = true;
  s->labours = false;
  bool kept = !s->flow->anew && *s->flow->t - s->loosened < YIELD_STEPS * s->flow->least_step;
  s->loose = s->flow->anew ? 1 : kept ? s->loose : fmax(s->loose / LOOSER, 1);
  s->rough = 0;
  s->gave_up = -NEVER;
  bool first = s->flow->anew || s->hop.longest == 0 || s->hop.longest > s->flow->pace;
  s->hop.longest = first ? s->flow->pace : s->hop.longest;
  return RH_OK;
}

static rh_step_stats read_counters(const rh_cvode *s)
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

static void sum_stats(const void *self, rh_step_stats *sum)
{
  const rh_cvode *s = self;
  rh_step_stats now = s->restarts > 0 ? read_counters(s) : (rh_step_stats){0}; // before: a warm-up
  sum->steps = s->before.steps + now.steps;
  sum->rejected = s->before.rejected + now.rejected;
  sum->evaluations = s->before.evaluations + now.evaluations;
  sum->steps += s->hop.steps;
  sum->evaluations += s->jacobian.columns + s->hop.evaluations;
  sum->restarts = s->restarts;
}

// The state starts on another arc: there is no difference yet.
static void begin_arc(rh_cvode *s)
{
  const rh_ode *flow = s->flow;
  if (s->arc.on) {
    s->arc.t = *flow->t;
    memcpy(s->arc.base, flow->y, (size_t)flow->n * sizeof *s->arc.base);
    flow->arc(flow->user, *flow->t, flow->y, s->arc.slope, s->arc.bend);
    N_VConst(0, s->y);
  }
}

static bool begin_again(rh_cvode *s)
{
  rh_step_stats sum = {0};
  sum_stats(s, &sum);
  rh_cvode_set_size(s, s->flow->n);
  choose_engine(s);
  begin_arc(s);
  bool ok = CVodeReInit(s->memory, *s->flow->t, s->y) == CV_SUCCESS;
  s->bounded = s->flow->first_step < s->max_step;
  ok = ok && bound_step(s, fmin(s->flow->first_step, s->max_step));
  s->before = sum;
  s->before.steps -= s->hop.steps; // added by sum_stats
  s->before.evaluations -= s->jacobian.columns + s->hop.evaluations;
  s->restarts++;
  s->fresh = false;
  s->looked_at = -NEVER;
  s->began = *s->flow->t;
  s->watched.t = s->began;
  s->watched.rejected = 0;
  s->watched.parts = 0;
  s->watched.steps = 0;
  s->jacobian.whole = false;
  s->jacobian.failed = 0;
  return ok;
}

static rh_advance fail_advance(int code, rh_status *status)
{
  *status = code == CV_RHSFUNC_FAIL || code == CV_FIRST_RHSFUNC_ERR || code == CV_REPTD_RHSFUNC_ERR
                ? RH_NOT_FINITE
                : RH_TOLERANCE_NOT_REACHED;
  return RH_ADVANCE_FAILED;
}

// Steps so short that the clock hardly moves over a thousand of them make no progress.
static bool is_stuck(rh_cvode *s)
{
  double t = 0;
  (void)CVodeGetCurrentTime(s->memory, &t);
  bool stuck = t - s->looked_at < YIELD_STEPS * 4 * DBL_EPSILON * fmax(fabs(t), 1e-3);
  s->looked_at = t;
  return stuck;
}

// Many steps, a third of them rejected, that led nowhere, and that several times: the tolerance
// cannot be met. The first time it takes four times as many: the
// end of a contact with a memory needs such. Implicit steps need no such length for stiffness: if they are shorter still, a
// tenth is enough.
static void watch_roughness(rh_cvode *s)
{
  static const double NOWHERE = 0.1; // of the least useful step
  static const double RECENT = 1e5;  // such steps
  rh_step_stats now = read_counters(s);
  double t = 0;
  (void)CVodeGetCurrentTime(s->memory, &t);
  double mean = (t - s->watched.t) / LOOK_STEPS;
  long rejected = now.rejected - s->watched.rejected;
  double least = s->flow->least_step;
  bool nowhere = mean < NOWHERE * least;
  bool rough = (rejected > LOOK_STEPS / 3 && (nowhere || (mean < least && s->loose == 1))) ||
               (rejected > LOOK_STEPS / 10 && nowhere && s->labours);
  double most = fmin(LOOSE_MAX, fmax(RTOL_MAX / s->rtol, LOOSER));
  s->watched.t = t;
  s->watched.rejected = now.rejected;
  s->rough = rough ? s->rough + 1 : 0;
  bool known = s->loose > 1 || t - s->loosened < RECENT * least;
  int needed = (known ? 1 : YIELD_STEPS / LOOK_STEPS) * ROUGH_MAX;
  if (s->rough >= needed && s->loose < most) {
    s->loose = fmin(s->loose * LOOSER, most);
    s->rough = 0;
    s->fresh = true;
    s->labours = false;
    s->loosened = t;
  }
}

// Where the state moves by no more than errors over many steps, as that of a body at rest on a stiff
// contact, accuracy does not ask for them: Adams is at the limit of its stability. Then BDF is used,
// until the next event.
static void watch_rest(rh_cvode *s)
{
  static const double ERRORS = 10; // times the tolerance
  long steps = read_counters(s).steps;
  bool may = s->method == AUTO && !s->labours && s->loose == 1 && !s->arc.on;
  if (!may || s->flow->n > RH_DENSE_MAX || steps - s->watched.steps < LOOK_STEPS) {
    return;
  }
  const double *y = s->flow->y;
  double *last = s->watched.y;
  bool still = s->watched.steps > 0;
  for (int i = 0; i < s->flow->n; i++) {
    still = still && fabs(y[i] - last[i]) <= ERRORS * (s->rtol * fabs(y[i]) + s->atol);
    last[i] = y[i];
  }
  s->watched.steps = steps;
  s->labours = s->labours || still;
  s->fresh = s->fresh || still;
}

// The history of the steps so far may prevent the next: it is dropped once per place, and the run
// goes on from there at order one.
static bool tries_again(rh_cvode *s, int code)
{
  bool again = (code == CV_ERR_FAILURE || code == CV_CONV_FAILURE) && *s->flow->t > s->gave_up;
  s->gave_up = again ? *s->flow->t : s->gave_up;
  s->fresh = s->fresh || again;
  return again;
}

// Adams is slow where something decays faster than its steps, as the direction of a slip that begins, or one that friction
// smoothed at small speeds holds back: steps are many, and many are rejected, or they
// advance slowly. Then BDF is used, until the next event. Where the rate jumps its Jacobian has no meaning, and Newton's
// iterations would evaluate it at every attempt.
static void watch_labour(rh_cvode *s, double t)
{
  enum { FIRST = 100, MANY = 200, PART = 10, MANY_SLOW = 1000 };

  rh_step_stats now = read_counters(s);
  bool slow = t - s->began < (double)now.steps * s->flow->least_step;
  bool rejects = now.rejected > now.steps / PART;
  bool labours = (now.steps > (slow ? FIRST : MANY) && rejects) || (slow && now.steps >= MANY_SLOW);
  if (s->method == AUTO && !s->labours && s->loose == 1 && s->flow->n <= RH_DENSE_MAX && labours) {
    s->labours = true;
    s->fresh = true;
  }
}

// `left`: steps until account is given of the progress
// The first step after a restart is taken alone when it is bounded: a shorter flight would be
// missed.
static int integrate_to(rh_cvode *s, double t_out, double t_limit, int *left, double *t)
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
  int code = CV_TOO_MUCH_WORK;
  for (; *left > 0 && code == CV_TOO_MUCH_WORK && !s->fresh; *left -= PART_STEPS) {
    code = CVode(s->memory, t_out, s->y, t, CV_NORMAL);
    bool look = code == CV_TOO_MUCH_WORK && ++s->watched.parts == LOOK_STEPS / PART_STEPS;
    if (look) {
      s->watched.parts = 0;
      watch_roughness(s);
    }
    if (code == CV_TOO_MUCH_WORK) {
      watch_labour(s, *t);
      watch_rest(s);
    }
  }
  return code;
}

// CVODE gives the y it has reached, also when it stops early.
static void read_state(rh_cvode *s, double t)
{
  const rh_ode *flow = s->flow;
  *flow->t = t;
  if (s->arc.on) {
    memcpy(flow->y, rh_arc_full(&s->arc, flow->n, t, N_VGetArrayPointer(s->y)),
           (size_t)flow->n * sizeof *flow->y);
    s->fresh = s->fresh || rh_arc_spent(&s->arc, flow->n, t, flow->y);
  }
  flow->project(flow->user, flow->y);
}

// Closer than the clock resolves
static bool is_at(double t, double t_out)
{
  return t_out - t <= 4 * DBL_EPSILON * fmax(fabs(t), fabs(t_out));
}

static rh_advance advance_cvode(void *self, double t_out, double t_limit, int *hit,
                                rh_status *status)
{
  rh_cvode *s = self;
  const rh_ode *flow = s->flow;
  *status = RH_OK;
  if (s->fresh && is_at(*flow->t, t_out)) {
    *flow->t = t_out;
    return RH_ADVANCE_REACHED;
  }
  if (s->fresh && t_out <= *flow->t + s->max_step && rh_short_interval_to(&s->hop, flow, t_out)) {
    return RH_ADVANCE_REACHED;
  }
  int code = CV_TOO_MUCH_WORK;
  for (int left = YIELD_STEPS;
       left > 0 && code == CV_TOO_MUCH_WORK && !(s->fresh && is_at(*flow->t, t_out));) {
    if (s->fresh && !begin_again(s)) {
      return fail_advance(CV_ILL_INPUT, status);
    }
    double t = *flow->t;
    code = integrate_to(s, t_out, t_limit, &left, &t);
    read_state(s, t);
  }
  watch_labour(s, *flow->t);
  watch_rest(s);
  if ((code == CV_TOO_MUCH_WORK && !is_stuck(s)) || tries_again(s, code)) {
    return RH_ADVANCE_YIELD;
  }
  if (code < 0) {
    return fail_advance(code, status);
  }
  if (code == CV_ROOT_RETURN) {
    (void)CVodeGetRootInfo(s->memory, hit);
    return RH_ADVANCE_EVENT;
  }
  return RH_ADVANCE_REACHED;
}

static int worst_state(const void *self)
{
  const rh_cvode *s = self;
  int found = RH_NONE;
  double maximum = 0;
  if (CVodeGetEstLocalErrors(s->memory, s->error[0]) != CV_SUCCESS ||
      CVodeGetErrWeights(s->memory, s->error[1]) != CV_SUCCESS) {
    return RH_NONE;
  }
  const double *e = N_VGetArrayPointer(s->error[0]);
  const double *w = N_VGetArrayPointer(s->error[1]);
  for (int i = 0; i < s->flow->n; i++) {
    if (fabs(e[i] * w[i]) > maximum) {
      maximum = fabs(e[i] * w[i]);
      found = i;
    }
  }
  return found;
}

static double loose_factor(const void *self)
{
  return ((const rh_cvode *)self)->loose;
}

static const char *failure_reason(const void *self)
{
  return ((const rh_cvode *)self)->reason;
}

const rh_integrator rh_integrator_cvode = {
    .row = {"cvode", "[WK] ch. 2", "multistep of variable order and step (SUNDIALS CVODE)", param,
            RH_COUNT(param)},
    .open = open_cvode,
    .restart = restart_cvode,
    .advance = advance_cvode,
    .reason = failure_reason,
    .stats = sum_stats,
    .worst = worst_state,
    .loose = loose_factor,
    .close = close_cvode,
};
