// judge.c: how far the data determine each value. The profile of the likelihood: a value is held off its best place and the
// others are found again; where the sum of squares has risen by the quantile, its interval ends. A value whose profile does
// not rise is not determined, or only together with others: the flattest axes of the linear model say with which.
#include "fit_belief.h"

#include "fit_trial.h"
#include "math/least_squares.h"

#include <math.h>
#include <string.h>

#define FAR   4.6  // a factor of 100 of a logarithm; of a linear value this many of its sizes
#define CLOSE 0.02 // relative, of the root of the rise at which a side ends
#define LOWER 0.02 // of the rise at the ends of an interval: that much lower is another least
#define SURE                                                                                       \
  1e-2 // of the square of a residual of usual size: the rise at an end, 3.8, has that error at most
#define WIDE  2.3  // of the half interval along an axis that is flat
#define LOOSE 0.4  // of an interval: a factor of 1.5
#define TIED  0.95 // correlation
#define SHARE 0.1  // of such an axis: a value that belongs to it

rh_fit_walk rh_fit_walk_begin(const rh_fit_data *data, const rh_fit_problem *problem, int trial)
{
  const rh_fit_series *s = rh_fit_series_of(problem, trial);
  return (rh_fit_walk){data, trial, s->start != NULL ? 1 : 0, -1, s->first - 1};
}

bool rh_fit_walk_next(rh_fit_walk *w)
{
  const rh_fit_trial *trial = &w->data->trial[w->trial];
  for (;;) {
    if (++w->channel == w->data->nchannel) {
      w->channel = 0;
      w->row++;
    }
    if (w->row >= trial->n) {
      return false;
    }
    size_t at = (size_t)(trial->first + w->row) * (size_t)w->data->nchannel + (size_t)w->channel;
    if (isfinite(w->data->value[at])) {
      w->residual++;
      return true;
    }
  }
}

double rh_fit_variance(const rh_fit_work *k)
{
  return k->answer->noise_given ? 1 : k->answer->sum / k->answer->freedom;
}

bool rh_fit_is_flat(const rh_fit_work *k, int axis)
{
  return k->factor * sqrt(rh_fit_variance(k) / k->curve[axis]) > WIDE;
}

bool rh_fit_met_lower(const rh_fit_work *k)
{
  return k->least < k->answer->sum - LOWER * k->factor * k->factor * rh_fit_variance(k);
}

// Half the sum: the search was in another valley altogether, and what is left of its profiles is of no use, if a search
// follows. They go on where less is won: their lowest point of all is the best start of that search.
static bool is_left(const rh_fit_work *k)
{
  return k->moves && k->least < 0.5 * k->answer->sum;
}

double rh_fit_quantile(int freedom)
{
  return freedom > 0 ? rh_fit_student(freedom) : 1.959963984540054;
}

// ---- Profiles

typedef struct held { // the problem without one of its values
  rh_fit_work *k;
  int at;
  double fixed;
  double w[RH_FIT_VALUES];
  double *J;     // (m x n)
  bool exact;    // by slopes of its own; else by those of the best place where these do
  bool straight; // the others were found where the linear model has them
} held;

static void fill_in(held *h, const double *w)
{
  for (int i = 0; i < h->k->n; i++) {
    h->w[i] = i == h->at ? h->fixed : w[i - (i > h->at)];
  }
}

static bool held_residuals(void *user, const double *w, double *r)
{
  held *h = user;
  fill_in(h, w);
  return rh_fit_evaluate(h->k->problem, h->w, r);
}

static bool held_slopes(void *user, const double *w, const double *r, double *J)
{
  held *h = user;
  size_t m = (size_t)h->k->m;
  size_t at = (size_t)h->at;
  fill_in(h, w);
  if (!rh_fit_slopes(h->k->problem, h->w, r, h->J)) {
    return false;
  }
  memcpy(J, h->J, at * m * sizeof *J);
  memcpy(J + at * m, h->J + (at + 1) * m, ((size_t)h->k->n - at - 1) * m * sizeof *J);
  return true;
}

// Those of the best place, without that of the value that is held
static const double *near_slopes(const held *h)
{
  const rh_fit_work *k = h->k;
  size_t m = (size_t)k->m;
  size_t at = (size_t)h->at;
  memcpy(h->J, k->J, at * m * sizeof *h->J);
  memcpy(h->J + at * m, k->J + (at + 1) * m, ((size_t)k->n - at - 1) * m * sizeof *h->J);
  return h->J;
}

// The least sum with value `at` held at `fixed`; `w` (n - 1) is the start of the others and gets their end.
static rh_status hold_value(held *h, double fixed, double *w, double *r, double *J, double *sum)
{
  rh_fit_work *k = h->k;
  const double *lo;
  const double *hi;
  double bound[2][RH_FIT_VALUES];
  rh_fit_bounds(k->problem, &lo, &hi);
  h->fixed = fixed;
  h->straight = false;
  for (int i = 0; i < k->n - 1; i++) {
    bound[0][i] = lo[i + (i >= h->at)];
    bound[1][i] = hi[i + (i >= h->at)];
  }
  rh_fit_found found = {0};
  rh_status status = RH_OK;
  if (k->n > 1) {
    const rh_fit_recall recall = {k->problem, rh_fit_take_search, rh_fit_put_search};
    rh_fit_least least = {
        .m = k->m,
        .n = k->n - 1,
        .user = h,
        .residual = held_residuals,
        .slopes = held_slopes,
        .lo = bound[0],
        .hi = bound[1],
        .most = 30,
        .tolerance = fmax(1e-6, SURE / fmax(k->m - k->n, 1)),
        .recall = &recall,
        .held = rh_fit_hash((uint64_t)(2 * h->at + h->exact) + 1, &h->fixed, sizeof h->fixed),
        .near = h->exact ? NULL : near_slopes(h),
        .bare = true,
        .slope_runs = k->n};
    rh_fit_set_one_sided(k->problem, k->job->differences ? RH_FIT_FINE : 0);
    status = rh_fit_minimise(&least, w, r, J, &found);
    rh_fit_set_one_sided(k->problem, 0);
    h->straight = !h->exact && found.evaluations == 1;
    fill_in(h, w);
  } else {
    fill_in(h, w);
    bool good = rh_fit_evaluate(k->problem, h->w, r);
    for (int i = 0; good && i < k->m; i++) {
      found.sum += r[i] * r[i];
    }
    found.sum = good ? found.sum : HUGE_VAL;
  }
  k->answer->evaluations += found.evaluations + (k->n == 1);
  *sum = status == RH_NOT_FINITE ? HUGE_VAL : found.sum;
  return status == RH_NOT_FINITE ? RH_OK : status;
}

// A point of the profile of value h->at, which is held at w.
static void keep_point(const held *h, double w, double rise)
{
  rh_fit_result *r = &h->k->answer->result[h->at];
  double x = rh_fit_from_search(&h->k->answer->value[h->at], w);
  int at = r->points;
  if (r->points == RH_FIT_CURVE || !isfinite(rise) || !isfinite(x)) {
    return;
  }
  for (int i = 0; i < at; i++) {
    if (r->at[i] == x) { // it was found better
      r->rise[i] = rise;
      return;
    }
  }
  for (; at > 0 && r->at[at - 1] > x; at--) {
    r->at[at] = r->at[at - 1];
    r->rise[at] = r->rise[at - 1];
  }
  r->at[at] = x;
  r->rise[at] = rise;
  r->points++;
}

// The root of the rise of the sum where value h->at is held at w.
static rh_status root_of_rise(held *h, double fixed, double *w, double *room, double *root)
{
  rh_fit_work *k = h->k;
  double sum;
  RH_TRY(hold_value(h, fixed, w, room, room + k->m, &sum));
  double rise = (sum - k->answer->sum) / rh_fit_variance(k);
  *root = sqrt(fmax(rise, 0));
  keep_point(h, fixed, rise / (k->factor * k->factor));
  if (sum < k->least) {
    k->least = sum;
    memcpy(k->least_w, h->w, sizeof k->least_w);
  }
  return RH_OK;
}

// Where the others are (n - 1) when value h->at is moved by `b`: by the linear model, or in proportion to where they were at `last`.
static void predict_others(const held *h, double b, double last, double *w)
{
  const rh_fit_work *k = h->k;
  const rh_fit_answer *a = k->answer;
  const double *lo;
  const double *hi;
  rh_fit_bounds(k->problem, &lo, &hi);
  for (int i = 0; i < k->n - 1; i++) {
    int j = i + (i >= h->at);
    double own = a->result[h->at].deviation;
    double slope = a->correlation[j * k->n + h->at] * a->result[j].deviation / own;
    slope = last != 0 ? (w[i] - k->w[j]) / last : own > 0 ? slope : 0;
    double to = k->w[j] + slope * b;
    w[i] = to > lo[j] && to < hi[j] ? to : k->w[j];
  }
}

// The end of the interval of value h->at to one side (sign): w there, infinite if the sum does not rise enough. The root of
// the rise is nearly linear in w: a secant finds it. The others are found by slopes of the best place, at the end by their own too.
static rh_status find_side(held *h, double sign, double *room, double *end)
{
  rh_fit_work *k = h->k;
  const double *lo;
  const double *hi;
  rh_fit_bounds(k->problem, &lo, &hi);
  double w0 = k->w[h->at];
  double limit = fmin(FAR, sign > 0 ? hi[h->at] - w0 : w0 - lo[h->at]);
  double a = 0;
  double fa = 0;
  double b = fmin(k->factor * k->answer->result[h->at].deviation, limit);
  double w[RH_FIT_VALUES];
  double last = 0;
  *end = sign * HUGE_VAL;
  double over = HUGE_VAL; // a place beyond the end
  h->exact = k->n == 1;   // there are no others
  for (int turn = 0; turn < 10 && limit > 0; turn++) {
    double fb;
    if (sign * b != last) {
      predict_others(h, sign * b, last, w);
    }
    RH_TRY(root_of_rise(h, w0 + sign * b, w, room, &fb));
    if (is_left(k)) {
      return RH_OK;
    }
    last = sign * b;
    bool linear = turn == 0 && h->straight; // the rise and the others: nothing is left to be found
    if (fabs(fb - k->factor) < CLOSE * k->factor && !linear) {
      h->exact = true;
      RH_TRY(root_of_rise(h, w0 + sign * b, w, room, &fb));
    }
    if (fabs(fb - k->factor) < CLOSE * k->factor) {
      *end = w0 + sign * b;
      return RH_OK;
    }
    if (fb < k->factor && b >= limit) {
      return RH_OK;
    }
    double next;
    if (fb >= k->factor) {
      over = fmin(over, b);
      next = a + (b - a) * (isfinite(fb) && fb > fa ? (k->factor - fa) / (fb - fa) : 0.5);
      next = fmin(fmax(next, a + 0.1 * (b - a)), a + 0.95 * (b - a));
    } else {
      double slope = fb > fa && b > a ? (fb - fa) / (b - a) : 0;
      next = slope > 0 ? b + (k->factor - fb) / slope : 3 * b;
      next = fmin(next, isfinite(over) ? 0.5 * (b + over) + 0.45 * (over - b) : fmin(5 * b, limit));
      a = b;
      fa = fb;
    }
    b = next;
  }
  *end = limit > 0 ? w0 + sign * b : *end;
  return RH_OK;
}

static rh_status profile_value(rh_fit_work *k, int at, double *room)
{
  rh_fit_result *result = &k->answer->result[at];
  const rh_fit_value *v = &k->answer->value[at];
  held h = {.k = k, .at = at, .J = room + (size_t)k->m * (size_t)(k->n + 1)};
  keep_point(&h, k->w[at], 0);
  for (int side = 0; side < 2 && !is_left(k); side++) {
    double end;
    rh_fit_tell(k, v->name);
    RH_TRY(find_side(&h, side == 0 ? -1 : 1, room, &end));
    double x = isfinite(end) ? rh_fit_from_search(v, end) : end;
    *(side == 0 ? &result->low : &result->high) = x;
  }
  result->profiled = true;
  return RH_OK;
}

// Between the best place and the ends, and beyond these
rh_status rh_fit_trace_profiles(rh_fit_work *k)
{
  static const double part[] = {0.5, 1.25};
  const double *lo;
  const double *hi;
  double *room = rh_alloc((size_t)k->m * (size_t)(2 * k->n + 2) * sizeof *room);
  rh_status status = room != NULL ? RH_OK : RH_OUT_OF_MEMORY;
  rh_fit_set_weights(k->problem, NULL); // parts of the trials may have been left out
  rh_fit_set_noise(k->problem, k->answer->noise);
  rh_fit_bounds(k->problem, &lo, &hi);
  for (int i = 0; i < 4 * k->n && status == RH_OK; i++) {
    const int at = i / 4;
    const rh_fit_result *r = &k->answer->result[at];
    held h = {.k = k, .at = at, .J = room + (size_t)k->m * (size_t)(k->n + 1)};
    double end = i % 4 < 2 ? r->low : r->high;
    if (!r->profiled || !isfinite(end)) {
      continue;
    }
    double w0 = k->w[at];
    double reach = rh_fit_to_search(&k->answer->value[at], end) - w0;
    double fixed = fmin(fmax(w0 + part[i % 2] * reach, lo[at]), hi[at]);
    double w[RH_FIT_VALUES];
    double root;
    for (int j = 0; j < k->n - 1; j++) {
      w[j] = k->w[j + (j >= at)];
    }
    status = root_of_rise(&h, fixed, w, room, &root);
  }
  rh_free(room);
  return status;
}

// ---- Verdicts

// The value with the largest share, besides `at`, of the flattest axis that `at` belongs to.
static bool find_partner(const rh_fit_work *k, int at)
{
  rh_fit_answer *a = k->answer;
  rh_fit_result *result = &a->result[at];
  for (int axis = 0; axis < k->n && rh_fit_is_flat(k, axis); axis++) {
    double own = k->axis[at * k->n + axis];
    int best = RH_NONE;
    for (int j = 0; j < k->n; j++) {
      double share = fabs(k->axis[j * k->n + axis]);
      bool more = best == RH_NONE || share > fabs(k->axis[best * k->n + axis]);
      best = j != at && share > SHARE && more ? j : best;
    }
    if (fabs(own) > SHARE && best != RH_NONE) {
      result->verdict = RH_FIT_COMBINED;
      result->low = -HUGE_VAL;
      result->high = HUGE_VAL;
      memcpy(result->with, a->value[best].name, sizeof result->with);
      result->power = own / k->axis[best * k->n + axis];
      return true;
    }
  }
  return false;
}

// Where a valley ends within the intervals no axis is flat. What lies along it is named all the same: of a wide interval the value
// that it is most correlated with.
static void name_tie(const rh_fit_work *k, int i)
{
  rh_fit_answer *a = k->answer;
  rh_fit_result *result = &a->result[i];
  const rh_fit_value *v = &a->value[i];
  bool ends = isfinite(result->low) && isfinite(result->high);
  if (ends && rh_fit_to_search(v, result->high) - rh_fit_to_search(v, result->low) < LOOSE) {
    return;
  }
  double most = TIED;
  for (int j = 0; j < k->n; j++) {
    double both = fabs(a->correlation[i * k->n + j]);
    if (j != i && both > most) {
      most = both;
      memcpy(result->with, a->value[j].name, sizeof result->with);
    }
  }
}

static void give_verdict(const rh_fit_work *k, int i)
{
  rh_fit_result *result = &k->answer->result[i];
  const rh_fit_value *v = &k->answer->value[i];
  double w = k->w[i];
  if (find_partner(k, i)) {
    return;
  }
  // An end further off than FAR is none: the value may be smaller or larger by a factor of 100.
  bool low = isfinite(result->low) && rh_fit_to_search(v, result->low) > w - 0.999 * FAR;
  bool high = isfinite(result->high) && rh_fit_to_search(v, result->high) < w + 0.999 * FAR;
  if (v->bounded) {
    low = low && result->low > v->lo;
    high = high && result->high < v->hi;
  }
  result->low = low ? result->low : -HUGE_VAL;
  result->high = high ? result->high : HUGE_VAL;
  result->verdict = low && high ? RH_FIT_DETERMINED
                    : low       ? RH_FIT_ABOVE
                    : high      ? RH_FIT_BELOW
                                : RH_FIT_NOT_DETERMINED;
  name_tie(k, i);
}

rh_status rh_fit_judge(rh_fit_work *k)
{
  rh_status status = RH_OK;
  k->least = k->answer->sum;
  if (k->job->profile) {
    double *room = rh_alloc((size_t)k->m * (size_t)(2 * k->n + 2) * sizeof *room);
    status = room != NULL ? RH_OK : RH_OUT_OF_MEMORY;
    for (int i = 0; i < k->n && status == RH_OK && !is_left(k); i++) {
      status = find_partner(k, i) ? RH_OK : profile_value(k, i, room);
    }
    rh_free(room);
  }
  for (int i = 0; i < k->n; i++) {
    give_verdict(k, i);
  }
  return status;
}
