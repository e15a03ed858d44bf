// measure.c: the numbers measured on a trial. Events are located by the integrator; between
// frames the cubic through the four nearest ones is used, on the same side of all events: forces
// have kinks there.
#include "figure.h"

#include <string.h>

// Not measurable.
static const double NONE = (double)NAN;

// ---- Which frames

static const rh_event *touch_of(const rh_trial *trial, int which)
{
  return rh_trial_event(trial, RH_EVENT_TOUCH, which > 0 ? which : 1);
}

static const rh_event *part_of(const rh_trial *trial, int which)
{
  const rh_event *touch = touch_of(trial, which);
  return touch != NULL ? rh_trial_next(trial, touch, RH_EVENT_SEPARATE) : NULL;
}

// First frame later than t.
static long frame_after(const rh_trial *trial, double t)
{
  long lo = 0;
  long hi = trial->frames;
  while (lo < hi) {
    long middle = lo + (hi - lo) / 2;
    if (rh_trial_value(trial, middle, 0) > t) {
      hi = middle;
    } else {
      lo = middle + 1;
    }
  }
  return lo;
}

bool rh_trial_contact(const rh_trial *trial, int impact, long *from, long *to)
{
  const rh_event *touch = touch_of(trial, impact);
  const rh_event *part = part_of(trial, impact);
  if (touch == NULL) {
    return false;
  }
  *from = touch->t > 0 ? frame_after(trial, touch->t) : 0;
  *to = part != NULL ? frame_after(trial, part->t) : trial->frames;
  return *to > *from;
}

// ---- Between frames

typedef struct span { // frames [from, to) of a trial
  const rh_trial *trial;
  long from, to;
} span;

// The frames between the events before and after t, if they suffice: forces have kinks at stick and
// slip.
static span smooth_around(const span *s, double t)
{
  span smooth = *s;
  for (long i = 0; i < s->trial->events.count; i++) {
    double at = s->trial->events.event[i].t;
    long frame = frame_after(s->trial, at);
    if (at <= t && frame > smooth.from) {
      smooth.from = frame;
    } else if (at > t && frame < smooth.to) {
      smooth.to = frame;
    }
  }
  return smooth.to - smooth.from >= 4 ? smooth : *s;
}

// The cubic (fewer frames: less) through the frames around t.
static double value_at(const span *whole, int column, double t)
{
  span smooth = smooth_around(whole, t);
  const span *s = &smooth;
  long n = s->to - s->from < 4 ? s->to - s->from : 4;
  long first = frame_after(s->trial, t) - 2;
  first = first < s->from ? s->from : first > s->to - n ? s->to - n : first;
  double sum = 0;
  for (long i = 0; i < n; i++) {
    double weight = 1;
    double ti = rh_trial_value(s->trial, first + i, 0);
    for (long k = 0; k < n; k++) {
      double tk = rh_trial_value(s->trial, first + k, 0);
      weight *= k == i ? 1 : (t - tk) / (ti - tk);
    }
    sum += weight * rh_trial_value(s->trial, first + i, column);
  }
  return n > 0 ? sum : NONE;
}

// Time at which a column first rises (sign 1) or falls (-1) through a level.
static double time_of_crossing(const span *s, int column, double level, double sign)
{
  long i = s->from;
  while (i + 1 < s->to && !(sign * (rh_trial_value(s->trial, i, column) - level) < 0 &&
                            sign * (rh_trial_value(s->trial, i + 1, column) - level) >= 0)) {
    i++;
  }
  if (i + 1 >= s->to) {
    return NONE;
  }
  double lo = rh_trial_value(s->trial, i, 0);
  double hi = rh_trial_value(s->trial, i + 1, 0);
  for (int k = 0; k < 60; k++) {
    double middle = 0.5 * (lo + hi);
    if (sign * (value_at(s, column, middle) - level) < 0) {
      lo = middle;
    } else {
      hi = middle;
    }
  }
  return 0.5 * (lo + hi);
}

// Maximum magnitude of a column, by the parabola through the three frames around the maximum.
static double peak_of(const span *s, int column, double *t)
{
  long top = s->from;
  for (long i = s->from; i < s->to; i++) {
    if (fabs(rh_trial_value(s->trial, i, column)) > fabs(rh_trial_value(s->trial, top, column))) {
      top = i;
    }
  }
  double y = rh_trial_value(s->trial, top, column);
  *t = rh_trial_value(s->trial, top, 0);
  if (top == s->from || top + 1 >= s->to) {
    return fabs(y);
  }
  double h = rh_trial_value(s->trial, top + 1, 0) - *t;
  double before = rh_trial_value(s->trial, top - 1, column);
  double after = rh_trial_value(s->trial, top + 1, column);
  double curve = before - 2 * y + after;
  double slope = 0.5 * (after - before);
  *t -= curve != 0 ? h * slope / curve : 0;
  return fabs(curve != 0 ? y - 0.5 * slope * slope / curve : y);
}

// The contact of a number; false if there was none.
static bool contact_of(const rh_trial *trial, const rh_number *number, span *s)
{
  s->trial = trial;
  return rh_trial_contact(trial, number->which, &s->from, &s->to);
}

// ---- Of events

double rh_measure_restitution(const rh_trial *trial, const rh_figure *figure,
                              const rh_number *number)
{
  return rh_measure_rebound(trial, figure, number) / rh_measure_touch_speed(trial, figure, number);
}

double rh_measure_rebound(const rh_trial *trial, const rh_figure *figure, const rh_number *number)
{
  (void)figure;
  const rh_event *part = part_of(trial, number->which);
  return part != NULL ? -part->before : NONE;
}

double rh_measure_touch_time(const rh_trial *trial, const rh_figure *figure,
                             const rh_number *number)
{
  (void)figure;
  const rh_event *touch = touch_of(trial, number->which);
  return touch != NULL ? touch->t : NONE;
}

double rh_measure_touch_speed(const rh_trial *trial, const rh_figure *figure,
                              const rh_number *number)
{
  (void)figure;
  const rh_event *touch = touch_of(trial, number->which);
  return touch != NULL ? touch->before : NONE;
}

double rh_measure_contact(const rh_trial *trial, const rh_figure *figure, const rh_number *number)
{
  const rh_event *part = part_of(trial, number->which);
  return part != NULL ? part->t - rh_measure_touch_time(trial, figure, number) : NONE;
}

// From touchdown to the first or the last event of a kind before separation.
static double event_within(const rh_trial *trial, int which, rh_event_kind kind, bool last)
{
  const rh_event *touch = touch_of(trial, which);
  const rh_event *part = part_of(trial, which);
  double found = NONE;
  for (const rh_event *e = touch; e != NULL && (e = rh_trial_next(trial, e, kind)) != NULL;) {
    if (part != NULL && e->t > part->t) {
      break;
    }
    found = e->t - touch->t;
    if (!last) {
      break;
    }
  }
  return found;
}

double rh_measure_stick(const rh_trial *trial, const rh_figure *figure, const rh_number *number)
{
  (void)figure;
  return event_within(trial, number->which, RH_EVENT_STICK, false);
}

double rh_measure_slip(const rh_trial *trial, const rh_figure *figure, const rh_number *number)
{
  (void)figure;
  return event_within(trial, number->which, RH_EVENT_SLIP, true);
}

double rh_measure_touches(const rh_trial *trial, const rh_figure *figure, const rh_number *number)
{
  (void)figure;
  (void)number;
  int n = 0;
  while (rh_trial_event(trial, RH_EVENT_TOUCH, n + 1) != NULL) {
    n++;
  }
  return n;
}

double rh_measure_last_touch(const rh_trial *trial, const rh_figure *figure,
                             const rh_number *number)
{
  int n = (int)rh_measure_touches(trial, figure, number);
  return n > 0 ? rh_trial_event(trial, RH_EVENT_TOUCH, n)->t : NONE;
}

double rh_measure_loss(const rh_trial *trial, const rh_figure *figure, const rh_number *number)
{
  (void)figure;
  (void)number;
  return trial->ledger.contact_damper;
}

static const rh_event *event_of(const rh_trial *trial, const rh_number *number)
{
  int which = number->which > 0 ? number->which : 1;
  for (long i = 0; i < trial->events.count; i++) {
    const rh_event *e = &trial->events.event[i];
    if (e->t >= number->at && strcmp(rh_event_word(e->kind), number->event) == 0 && --which == 0) {
      return e;
    }
  }
  return NULL;
}

double rh_measure_event(const rh_trial *trial, const rh_figure *figure, const rh_number *number)
{
  (void)figure;
  const rh_event *event = event_of(trial, number);
  return event != NULL ? event->t : NONE;
}

double rh_measure_event_after(const rh_trial *trial, const rh_figure *figure,
                              const rh_number *number)
{
  (void)figure;
  const rh_event *event = event_of(trial, number);
  return event != NULL ? event->after : NONE;
}

// ---- Of the frames of one contact

double rh_measure_peak(const rh_trial *trial, const rh_figure *figure, const rh_number *number)
{
  span s;
  double t = 0;
  return contact_of(trial, number, &s) ? peak_of(&s, rh_figure_column(figure, number->what), &t)
                                       : NONE;
}

double rh_measure_peak_time(const rh_trial *trial, const rh_figure *figure, const rh_number *number)
{
  span s;
  double t = NONE;
  if (contact_of(trial, number, &s)) {
    (void)peak_of(&s, rh_figure_column(figure, number->what), &t);
  }
  return t - rh_measure_touch_time(trial, figure, number);
}

static double value_at_crossing(const rh_trial *trial, const rh_figure *figure,
                                const rh_number *number, double sign)
{
  span s;
  if (!contact_of(trial, number, &s)) {
    return NONE;
  }
  double t = time_of_crossing(&s, rh_figure_column(figure, number->by), number->at, sign);
  return isnan(t) ? NONE : value_at(&s, rh_figure_column(figure, number->what), t);
}

double rh_measure_rising(const rh_trial *trial, const rh_figure *figure, const rh_number *number)
{
  return value_at_crossing(trial, figure, number, 1);
}

double rh_measure_falling(const rh_trial *trial, const rh_figure *figure, const rh_number *number)
{
  return value_at_crossing(trial, figure, number, -1);
}

double rh_measure_deepest_time(const rh_trial *trial, const rh_figure *figure,
                               const rh_number *number)
{
  span s;
  if (!contact_of(trial, number, &s)) {
    return NONE;
  }
  return time_of_crossing(&s, rh_figure_column(figure, number->by), 0, -1) -
         rh_measure_touch_time(trial, figure, number);
}

// A force that is cut is zero from one frame to the next: the cubic through the last four frames
// before it is extrapolated to its zero.
double rh_measure_ceases(const rh_trial *trial, const rh_figure *figure, const rh_number *number)
{
  span s;
  if (!contact_of(trial, number, &s)) {
    return NONE;
  }
  int column = rh_figure_column(figure, number->what);
  while (s.to > s.from && !(rh_trial_value(trial, s.to - 1, column) > 0)) {
    s.to--;
  }
  if (s.to - s.from < 4) {
    return NONE;
  }
  double lo = rh_trial_value(trial, s.to - 1, 0);
  double hi = 2 * lo - rh_trial_value(trial, s.to - 2, 0);
  for (int k = 0; k < 60; k++) {
    double middle = 0.5 * (lo + hi);
    if (value_at(&s, column, middle) > 0) {
      lo = middle;
    } else {
      hi = middle;
    }
  }
  return lo - rh_measure_touch_time(trial, figure, number);
}

// Trapezoids; at touchdown and separation both are zero.
double rh_measure_area(const rh_trial *trial, const rh_figure *figure, const rh_number *number)
{
  span s;
  double sum = 0;
  double y = 0;
  double x = 0;
  if (!contact_of(trial, number, &s)) {
    return NONE;
  }
  int what = rh_figure_column(figure, number->what);
  int by = rh_figure_column(figure, number->by);
  for (long i = s.from; i < s.to; i++) {
    double y1 = rh_trial_value(trial, i, what);
    double x1 = rh_trial_value(trial, i, by);
    sum += 0.5 * (y + y1) * (x1 - x);
    y = y1;
    x = x1;
  }
  return sum - 0.5 * y * x;
}

double rh_measure_after(const rh_trial *trial, const rh_figure *figure, const rh_number *number)
{
  span s;
  if (!contact_of(trial, number, &s)) {
    return NONE;
  }
  double t = rh_measure_touch_time(trial, figure, number) + number->at;
  return value_at(&s, rh_figure_column(figure, number->what), t);
}

double rh_measure_apex(const rh_trial *trial, const rh_figure *figure, const rh_number *number)
{
  const rh_event *part = part_of(trial, number->which);
  const rh_event *next = part != NULL ? rh_trial_next(trial, part, RH_EVENT_TOUCH) : NULL;
  if (next == NULL) {
    return NONE;
  }
  span s = {trial, frame_after(trial, part->t), frame_after(trial, next->t)};
  double t = 0;
  return s.to > s.from ? peak_of(&s, rh_figure_column(figure, number->what), &t) : NONE;
}

// ---- Of all frames

double rh_measure_at(const rh_trial *trial, const rh_figure *figure, const rh_number *number)
{
  span s = {trial, 0, trial->frames};
  return value_at(&s, rh_figure_column(figure, number->what), number->at);
}

double rh_measure_start(const rh_trial *trial, const rh_figure *figure, const rh_number *number)
{
  return trial->frames > 0 ? rh_trial_value(trial, 0, rh_figure_column(figure, number->what))
                           : NONE;
}

double rh_measure_end(const rh_trial *trial, const rh_figure *figure, const rh_number *number)
{
  int column = rh_figure_column(figure, number->what);
  return trial->frames > 0 ? rh_trial_value(trial, trial->frames - 1, column) : NONE;
}

static void range_of(const rh_trial *trial, int column, double *lo, double *hi)
{
  *lo = HUGE_VAL;
  *hi = -HUGE_VAL;
  for (long i = 0; i < trial->frames; i++) {
    double x = rh_trial_value(trial, i, column);
    *lo = fmin(*lo, x);
    *hi = fmax(*hi, x);
  }
}

double rh_measure_lowest(const rh_trial *trial, const rh_figure *figure, const rh_number *number)
{
  double lo = 0;
  double hi = 0;
  range_of(trial, rh_figure_column(figure, number->what), &lo, &hi);
  return lo;
}

double rh_measure_drift(const rh_trial *trial, const rh_figure *figure, const rh_number *number)
{
  double lo = 0;
  double hi = 0;
  range_of(trial, rh_figure_column(figure, number->what), &lo, &hi);
  return hi - lo;
}

// ---- Of a sweep

static void line_through(const rh_sweep *sweep, double *intercept, double *slope)
{
  double sx = 0;
  double sy = 0;
  double sxx = 0;
  double sxy = 0;
  double n = sweep->n;
  for (int i = 0; i < sweep->n; i++) {
    double x = rh_log10(sweep->x[i]);
    sx += x;
    sy += sweep->y[i];
    sxx += x * x;
    sxy += x * sweep->y[i];
  }
  *slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
  *intercept = (sy - *slope * sx) / n;
}

double rh_sweep_intercept(const rh_sweep *sweep)
{
  double intercept = 0;
  double slope = 0;
  line_through(sweep, &intercept, &slope);
  return intercept;
}

double rh_sweep_slope(const rh_sweep *sweep)
{
  double intercept = 0;
  double slope = 0;
  line_through(sweep, &intercept, &slope);
  return slope;
}

double rh_sweep_misfit(const rh_sweep *sweep)
{
  double intercept = 0;
  double slope = 0;
  double worst = 0;
  line_through(sweep, &intercept, &slope);
  for (int i = 0; i < sweep->n; i++) {
    worst = fmax(worst, fabs(sweep->y[i] - intercept - slope * rh_log10(sweep->x[i])));
  }
  return worst;
}
