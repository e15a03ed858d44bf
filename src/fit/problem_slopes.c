// problem_slopes.c: the slopes of all residuals by the free values: integrated along one run of each trial where they exist
// (event/slopes), differences of runs to both sides elsewhere. Which it is depends on the trial and the values alone, so a
// fit has the same bits with any number of threads.
#include "fit_problem.h"

#include <math.h>
#include <string.h>

#define NEAR 3e-8 // of w, for slopes that are integrated: rounding of states over it is 1e-8

static void do_slope(void *user, int task, int worker)
{
  rh_fit_problem *p = user;
  int trial = task / p->nvalue;
  int i = task % p->nvalue;
  rh_fit_series *s = &p->series[trial];
  rh_fit_task of = rh_fit_task_of(p, trial);
  double *column = p->J + (size_t)i * (size_t)p->m + (size_t)s->first;
  (void)worker;
  if (p->way[trial] == RH_SLOPES_EXIST) {
    return; // integrated
  }
  const double *here = p->r_here != NULL ? p->r_here + s->first : NULL;
  if (!rh_fit_trial_slope(&of, &p->world[1 + 2 * i], p->step[i], here, column)) {
    rh_memory_fail();
  }
}

static void do_projection(void *user, int trial, int worker)
{
  rh_fit_problem *p = user;
  rh_fit_task task = rh_fit_task_of(p, trial);
  (void)worker;
  if (p->way[trial] != RH_SLOPES_EXIST &&
      !rh_fit_trial_project(&task, &p->world[0], p->J + p->series[trial].first, (size_t)p->m,
                            p->nvalue)) {
    rh_memory_fail();
  }
}

static void do_integration(void *user, int trial, int worker)
{
  rh_fit_problem *p = user;
  rh_fit_series *s = &p->series[trial];
  rh_fit_task task = rh_fit_task_of(p, trial);
  const rh_fit_sides sides = {&p->world[0], &p->world[1], p->step, p->nvalue};
  double *J = p->J + s->first;
  size_t nlocal = (size_t)s->nlocal;
  double *A = nlocal > 0 ? rh_alloc(nlocal * (size_t)s->m * sizeof *A) : NULL;
  (void)worker;
  if (p->way[trial] == RH_SLOPES_EXIST) { // left out
    rh_free(A);
    return;
  }
  if (nlocal > 0 && A == NULL) {
    rh_memory_fail();
    return;
  }
  rh_slopes_why why = rh_fit_trial_integrate(&task, &sides, J, (size_t)p->m, A);
  if (why == RH_SLOPES_EXIST && A != NULL) {
    rh_fit_project_out(s, A, J, (size_t)p->m, p->nvalue);
  }
  p->way[trial] = why;
  rh_free(A);
}

// Worlds to both sides of w along value i; where the scene allows one side only, one of them is at w.
static bool make_pair(rh_fit_problem *p, double *w, int i)
{
  double middle = w[i];
  double side[2] = {fmin(middle + RH_FIT_FINE, p->hi[i]), fmax(middle - RH_FIT_FINE, p->lo[i])};
  bool good = true;
  int missing = 0;
  for (int k = 0; k < 2; k++) {
    w[i] = side[k];
    if (!rh_fit_make_world(p, w, &p->world[1 + 2 * i + k])) {
      missing++;
      w[i] = side[k] = middle;
      good = good && rh_fit_make_world(p, w, &p->world[1 + 2 * i + k]);
    }
  }
  w[i] = middle;
  p->step[i] = side[0] - side[1];
  return good && missing < 2 && p->step[i] > 0;
}

// The world to that side of w which the scene allows; the other one is what is here.
static bool make_one(rh_fit_problem *p, double *w, int i)
{
  double middle = w[i];
  double side[2] = {fmin(middle + p->one_sided, p->hi[i]), fmax(middle - p->one_sided, p->lo[i])};
  bool good = false;
  for (int k = 0; k < 2 && !good; k++) {
    w[i] = side[k];
    p->step[i] = side[k] - middle;
    good = side[k] != middle && rh_fit_make_world(p, w, &p->world[1 + 2 * i]);
  }
  w[i] = middle;
  return good;
}

static bool make_near_pair(rh_fit_problem *p, double *w, int i)
{
  double middle = w[i];
  bool good = true;
  double side[2] = {middle + NEAR, middle - NEAR};
  for (int k = 0; k < 2 && good; k++) {
    w[i] = side[k];
    good = rh_fit_make_world(p, w, &p->world[1 + 2 * i + k]);
  }
  w[i] = middle;
  p->step[i] = side[0] - side[1];
  return good;
}

static void free_sides(rh_fit_problem *p)
{
  for (int i = 1; i <= 2 * p->nvalue; i++) {
    rh_fit_world_free(&p->world[i]);
  }
}

// Trials that are left out have none.
static void leave_out(rh_fit_problem *p, int trial)
{
  const rh_fit_series *s = &p->series[trial];
  p->way[trial] = p->weight[trial] == 0 ? RH_SLOPES_EXIST : RH_SLOPES_SCENE;
  for (int i = 0; i < p->nvalue && p->weight[trial] == 0; i++) {
    double *column = p->J + (size_t)i * (size_t)p->m + (size_t)s->first;
    memset(column, 0, (size_t)s->m * sizeof *column);
  }
}

// Slopes of all trials where they exist; `way` tells which.
static void integrate_slopes(rh_fit_problem *p, double *w)
{
  bool good = p->integrate && p->r_here == NULL && rh_slopes_suit(p->world[0].model);
  for (int i = 0; i < p->data->ntrial; i++) {
    leave_out(p, i);
  }
  for (int i = 0; i < p->nvalue && good; i++) {
    good = make_near_pair(p, w, i);
  }
  if (good) {
    rh_pool_run(p->pool, do_integration, p, p->data->ntrial);
  }
  free_sides(p);
}

// The slopes of the others
static bool difference_slopes(rh_fit_problem *p, double *w)
{
  bool good = true;
  bool any = false;
  for (int i = 0; i < p->data->ntrial; i++) {
    any = any || p->way[i] != RH_SLOPES_EXIST;
  }
  for (int i = 0; i < p->nvalue && good && any; i++) {
    good = p->r_here != NULL ? make_one(p, w, i) : make_pair(p, w, i);
  }
  if (good && any) {
    rh_pool_run(p->pool, do_slope, p, p->data->ntrial * p->nvalue);
  }
  if (good && any && p->starts) {
    rh_pool_run(p->pool, do_projection, p, p->data->ntrial);
  }
  free_sides(p);
  return good;
}

static bool find_slopes(rh_fit_problem *p, const double *w, const double *r, double *J)
{
  p->r_here = p->one_sided > 0 ? r : NULL;
  double at[RH_FIT_VALUES];
  bool good = rh_fit_make_world(p, w, &p->world[0]);
  memcpy(at, w, (size_t)p->nvalue * sizeof *w);
  p->J = J;
  if (good) {
    integrate_slopes(p, at);
    good = difference_slopes(p, at);
  }
  for (int i = 0; i < p->nvalue; i++) {
    double *end = J + (size_t)(i + 1) * (size_t)p->m - p->nvalue;
    memset(end, 0, (size_t)p->nvalue * sizeof *end);
    end[i] = RH_FIT_TETHER;
  }
  rh_fit_world_free(&p->world[0]);
  return good && !rh_memory_failed();
}

bool rh_fit_slopes(void *problem, const double *w, const double *r, double *J)
{
  rh_fit_problem *p = problem;
  rh_fit_entry e = rh_fit_entry_of(p, RH_FIT_SLOPES, (uint64_t)(1e9 * p->one_sided), w, p->nvalue);
  e.n[0] = p->m * p->nvalue;
  e.part[0] = J;
  e.n[1] = p->data->ntrial;
  e.part[1] = p->way;
  if (rh_fit_journal_take(p->journal, &e)) {
    return true;
  }
  bool good = find_slopes(p, w, r, J);
  if (good && rh_interrupt_seen() == 0) {
    rh_fit_journal_put(p->journal, &e);
  }
  return good;
}
