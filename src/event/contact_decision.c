// contact_decision.c: sets up and solves that problem: which contacts stick, slide, or carry nothing
// ([WK] 2.5, 2.8-2.10); and whether the present modes still hold.
#include "contact_decision.h"

#include "complement/complement.h"
#include "complement/cone.h"

#include <float.h>
#include <math.h>
#include <string.h>

// The same for contacts at their cones that others keep from slipping: its effect on the time of a
// slip must be below 1e-9 s.
static const double KEPT = 1e-11;

int rh_decision_size(const rh_decision *x)
{
  return x->end - x->first;
}

int rh_decision_slot(const rh_decision *x, int i)
{
  return rh_rigid(x->d)->slot[x->first + i];
}

const rh_model_contact *rh_decision_law(const rh_decision *x, int i)
{
  const rh_data *d = x->d;
  return &d->model->contact[d->contact[rh_decision_slot(x, i)].rule];
}

// `anew`: a contact that slips slides, whatever its former mode; otherwise its present mode counts,
// along d->slide: a slip that has just begun has no direction of its own yet.
void rh_decision_open(rh_data *d, int first, int end, bool anew, rh_decision *x)
{
  size_t n = (size_t)(end - first);
  double *at = rh_rigid(d)->scratch;
  *x = (rh_decision){.d = d, .first = first, .end = end};
  x->W = at;
  x->b = x->W + 9 * n * n;
  x->mu = x->b + 3 * n;
  x->slide = x->mu + n;
  x->p = x->slide + 2 * n;
  x->u = x->p + 3 * n;
  x->scratch = x->u + 3 * n;
  rh_rigid_block(d, first, end, x->W);
  memcpy(x->b, rh_rigid(d)->b + 3 * first, 3 * n * sizeof *x->b);
  memset(x->p, 0, 3 * n * sizeof *x->p);
  for (int i = 0; i < (int)n; i++) {
    const rh_contact *c = &d->contact[rh_decision_slot(x, i)];
    double speed = rh_hypot(c->slip[0], c->slip[1]);
    bool slips =
        anew ? speed > RH_TOL_SLIP : rh_slot_mode(d, rh_decision_slot(x, i)) == RH_CLOSED_SLIDE;
    x->mu[i] =
        slips ? rh_contact_sliding(rh_decision_law(x, i), speed) : rh_decision_law(x, i)->mu_s;
    for (int k = 0; k < 2; k++) {
      x->slide[2 * i + k] = !slips ? 0
                            : anew ? c->slip[k] / speed
                                   : rh_rigid(d)->slide[2 * (first + i) + k];
    }
  }
}

bool rh_decision_slides(const rh_decision *x, int i)
{
  return x->slide[2 * i] != 0 || x->slide[2 * i + 1] != 0;
}

static double largest_normal_force(const rh_decision *x)
{
  double maximum = 0;
  for (int i = 0; i < rh_decision_size(x); i++) {
    maximum = fmax(maximum, x->p[3 * i + 2]);
  }
  return maximum;
}

// Bodies that fall together have only rounding as acceleration at their contact: gravity is the
// least scale.
static double scale_of(const rh_decision *x)
{
  double scale = rh_norm(x->d->model->gravity);
  for (int r = 0; r < 3 * rh_decision_size(x); r++) {
    scale = fmax(scale, fabs(x->b[r]));
  }
  return scale;
}

// Accelerations up to this are zero. Bodies that fall together have only rounding, which is a part
// of gravity.
double rh_decision_still(const rh_decision *x)
{
  return RH_DECISION_STILL * fmax(scale_of(x), rh_norm(x->d->model->gravity));
}

static void fill_accelerations(rh_decision *x)
{
  int rows = 3 * rh_decision_size(x);
  for (int r = 0; r < rows; r++) {
    double sum = x->b[r];
    for (int s = 0; s < rows; s++) {
      sum += x->W[(size_t)r * rows + s] * x->p[s];
    }
    x->u[r] = sum;
  }
}

// Contacts at the edge of the cone that begin to move: they slide, from now on with mu_k. True if
// the friction of any thereby changes, so that the problem is another.
static bool begin_slides(rh_decision *x)
{
  bool changed = false;
  double some = RH_DECISION_NOTHING * largest_normal_force(x);
  double still = rh_decision_still(x);
  for (int i = 0; i < rh_decision_size(x); i++) {
    const double *p = x->p + 3 * (size_t)i;
    const double *a = x->u + 3 * (size_t)i;
    double moves = rh_hypot(a[0], a[1]);
    if (rh_decision_slides(x, i) || p[2] <= some || moves <= still) {
      continue;
    }
    x->slide[2 * i] = a[0] / moves;
    x->slide[2 * i + 1] = a[1] / moves;
    double mu = rh_contact_sliding(rh_decision_law(x, i), 0);
    changed = changed || x->mu[i] != mu;
    x->mu[i] = mu;
  }
  return changed;
}

// Minimum residual by rounding, in units of the check: accelerations are known to that of their scale, and large
// forces between bodies of very different masses cancel in the rows.
static double rounding_residual(const rh_decision *x)
{
  size_t rows = 3 * (size_t)rh_decision_size(x);
  double maximum = scale_of(x);
  for (size_t r = 0; r < rows; r++) {
    double sum = 0;
    for (size_t s = 0; s < rows; s++) {
      sum += fabs(x->W[r * rows + s] * x->p[s]);
    }
    maximum = fmax(maximum, sum);
  }
  return 64 * DBL_EPSILON * maximum / rh_lcp_size((int)rows, x->b);
}

static rh_verdict solve_once(rh_decision *x)
{
  const rh_solver *solver = &rh_solver_alart_curnier;
  double par[RH_PAR_MAX];
  rh_row_defaults(&solver->row, par);
  rh_cone problem = {rh_decision_size(x), x->W, x->b, x->mu, x->slide};
  rh_verdict verdict = solver->cone(&problem, par, x->scratch, x->p);
  fill_accelerations(x);
  bool good = rh_cone_residual(&problem, x->p) <= rounding_residual(x);
  return good ? RH_VERDICT_SOLVED
              : verdict; // joints that hold a normal leave it rounding, which no force takes away
}

// Contacts above which the loads of an island at rest are searched for in as many unknowns as its inertia has rank: the
// general method takes time as the cube of their rows, which below is less than a millisecond or two.
enum { MANY = 24 };

// Forces of least norm within the cones that keep many contacts at rest. False: none found this way.
static bool find_loads(rh_decision *x)
{
  if (rh_decision_size(x) <= MANY) {
    return false;
  }
  const rh_cone problem = {rh_decision_size(x), x->W, x->b, x->mu, x->slide};
  bool found = rh_cone_loads(&problem, KEPT * scale_of(x), x->scratch, x->p);
  if (!found) {
    memset(x->p, 0, 3 * (size_t)rh_decision_size(x) * sizeof *x->p);
  }
  return found;
}

// The same where all stick
static bool stick_holds(rh_decision *x)
{
  bool all = true;
  for (int i = 0; i < rh_decision_size(x); i++) {
    all = all && rh_slot_mode(x->d, rh_decision_slot(x, i)) == RH_CLOSED_STICK;
  }
  return all && find_loads(x);
}

// A structure of many contacts that is at rest stays there where it can: close to the limit of its friction the general
// method leaves slips of the size of its rounding. Forces to start from mean that another motion is asked for.
static bool stay_at_rest(rh_decision *x)
{
  for (int i = 0; i < rh_decision_size(x); i++) {
    const double *p = x->p + 3 * (size_t)i;
    if (rh_decision_slides(x, i) || p[0] != 0 || p[1] != 0 || p[2] != 0) {
      return false;
    }
  }
  if (!find_loads(x)) {
    return false;
  }
  fill_accelerations(x);
  return true;
}

rh_verdict rh_decision_solve(rh_decision *x)
{
  if (stay_at_rest(x)) {
    return RH_VERDICT_SOLVED;
  }
  rh_verdict verdict = solve_once(x);
  for (int i = 0; i < rh_decision_size(x) && verdict == RH_VERDICT_SOLVED && begin_slides(x); i++) {
    verdict = solve_once(x);
  }
  return verdict;
}

// Do forces within the cones keep the contacts as they are?
static bool modes_hold(rh_decision *x)
{
  double still = KEPT * scale_of(x);
  if (solve_once(x) != RH_VERDICT_SOLVED) {
    return false;
  }
  for (int i = 0; i < rh_decision_size(x); i++) {
    const double *a = x->u + 3 * (size_t)i;
    bool sticks = rh_slot_mode(x->d, rh_decision_slot(x, i)) == RH_CLOSED_STICK;
    if (fabs(a[2]) > still || (sticks && rh_hypot(a[0], a[1]) > still)) {
      return false;
    }
  }
  return true;
}

// The general solver takes long: rh_storm_count_searches counts it.
static void note_search(rh_data *d, int first, int end)
{
  rh_rigid(d)->searched = rh_rigid(d)->searched < 0 ? rh_rigid(d)->searched : end - first;
  rh_rigid(d)->searched_slot = rh_rigid(d)->slot[first];
}

bool rh_rigid_holds(rh_data *d, int first, int end)
{
  rh_decision x;
  rh_decision_open(d, first, end, false, &x);
  if (!stick_holds(&x)) {
    note_search(d, first, end);
    if (!modes_hold(&x)) {
      return false;
    }
  }
  memcpy(rh_rigid(d)->p + 3 * first, x.p, 3 * (size_t)(end - first) * sizeof *x.p);
  return true;
}

void rh_slide_keep(rh_data *d, int slot, const double slide[2])
{
  const rh_contact *c = &d->contact[slot];
  rh_vec3 s = rh_addscaled(rh_scale(slide[0], c->t1), slide[1], c->t2);
  double *kept = d->s + (size_t)slot * RH_SLOT_STATES + RH_SLOT_FRICTION;
  kept[0] = s.x;
  kept[1] = s.y;
  kept[2] = s.z;
}
