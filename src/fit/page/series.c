// series.c: measured and simulated series of a trial, their difference with the noise that was to be expected, bars of the phases.
#include "page.h"

#include "console/html.h"
#include "fit/fit_trial.h"

#include <math.h>

enum { WIDTH = 620, HEIGHT = 190, LOWER = 80, POINTS_MOST = 600, BAR = 26 };

typedef struct drawn { // one channel of one trial
  const rh_fit_work *k;
  const rh_fit_trial *trial;
  const rh_fit_series *series;
  int channel, step;
  double off; // largest difference
} drawn;

static double time_of(const drawn *d, int row)
{
  return d->k->data->t[d->trial->first + row];
}

static double measured_at(const drawn *d, int row)
{
  size_t width = (size_t)d->k->data->nchannel;
  return d->k->data->value[(size_t)(d->trial->first + row) * width + (size_t)d->channel];
}

static double model_at(const drawn *d, int row)
{
  size_t width = (size_t)d->k->data->nchannel;
  return d->series->model[(size_t)row * width + (size_t)d->channel];
}

static rh_fit_chart chart_of(drawn *d, const char *label)
{
  rh_fit_chart c = {.width = WIDTH,
                    .height = HEIGHT,
                    .x0 = time_of(d, 0),
                    .x1 = time_of(d, d->trial->n - 1),
                    .y0 = HUGE_VAL,
                    .y1 = -HUGE_VAL,
                    .x_label = "t [s]",
                    .y_label = label};
  d->off = 0;
  for (int row = 0; row < d->trial->n; row++) {
    double want = measured_at(d, row);
    double got = model_at(d, row);
    c.y0 = fmin(c.y0, isfinite(want) ? fmin(got, want) : got);
    c.y1 = fmax(c.y1, isfinite(want) ? fmax(got, want) : got);
    d->off = isfinite(want) ? fmax(d->off, fabs(got - want)) : d->off;
  }
  rh_fit_chart_widen(&c.y0, &c.y1);
  if (!(c.x1 > c.x0)) {
    rh_fit_chart_widen(&c.x0, &c.x1);
  }
  return c;
}

// Where the scene is in contact the area is shaded.
static void put_contacts(rh_text *to, const drawn *d, const rh_fit_chart *c)
{
  for (int row = 0; row < d->trial->n;) {
    int first = row;
    while (row < d->trial->n && d->series->phase[row] == RH_FIT_PHASES - 1) {
      row++;
    }
    if (row > first) {
      double a = rh_fit_chart_x(c, time_of(d, first));
      double b = rh_fit_chart_x(c, time_of(d, row - 1));
      rh_text_addf(to, "<rect class=\"k\" x=\"%.1f\" width=\"%.1f\" height=\"%d\"/>", a - 1,
                   b - a + 2, c->height);
    }
    row += row == first;
  }
}

static void put_upper(rh_text *to, const drawn *d, const rh_fit_chart *c)
{
  put_contacts(to, d, c);
  for (int row = 0; row < d->trial->n; row += d->step) {
    if (isfinite(measured_at(d, row))) {
      rh_text_addf(to, "<circle r=\"1.8\" cx=\"%.1f\" cy=\"%.1f\"/>",
                   rh_fit_chart_x(c, time_of(d, row)), rh_fit_chart_y(c, measured_at(d, row)));
    }
  }
  rh_text_add(to, "<polyline class=\"m\" points=\"");
  for (int row = 0; row < d->trial->n; row += d->step) {
    rh_text_addf(to, "%.1f,%.1f ", rh_fit_chart_x(c, time_of(d, row)),
                 rh_fit_chart_y(c, model_at(d, row)));
  }
  rh_text_add(to, "\"/>");
}

static void put_lower(rh_text *to, const drawn *d, const rh_fit_chart *c, double noise)
{
  double top = rh_fit_chart_y(c, 2 * noise);
  double zero = rh_fit_chart_y(c, 0);
  put_contacts(to, d, c);
  rh_text_addf(to, "<rect class=\"i\" y=\"%.1f\" width=\"%d\" height=\"%.1f\"/>", top, c->width,
               rh_fit_chart_y(c, -2 * noise) - top);
  rh_text_addf(to, "<line class=\"z\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>", c->width, zero, zero);
  for (int row = 0; row < d->trial->n; row += d->step) {
    if (isfinite(measured_at(d, row))) {
      double x = rh_fit_chart_x(c, time_of(d, row));
      double y = rh_fit_chart_y(c, model_at(d, row) - measured_at(d, row));
      rh_text_addf(to, "<line class=\"r\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", x, x,
                   zero, y);
      rh_text_addf(to, "<circle class=\"r\" r=\"1.4\" cx=\"%.1f\" cy=\"%.1f\"/>", x, y);
    }
  }
}

void rh_fit_put_series(rh_text *to, const rh_fit_work *k, int trial, int channel)
{
  const rh_fit_trial *of = &k->data->trial[trial];
  drawn d = {.k = k,
             .trial = of,
             .series = rh_fit_series_of(k->problem, trial),
             .channel = channel,
             .step = of->n / POINTS_MOST + 1};
  double noise = k->answer->noise[channel];
  const char *unit = k->data->unit[channel];
  char label[RH_NAME_MAX + RH_UNIT_MAX + 40];
  char text[200];
  (void)snprintf(label, sizeof label, "%s%s%s%s", k->answer->channel[channel],
                 unit[0] != '\0' ? " [" : "", unit, unit[0] != '\0' ? "]" : "");
  rh_fit_chart upper = chart_of(&d, label);
  rh_fit_chart lower = upper;
  upper.id = 2 * (trial * RH_FIT_CHANNELS + channel);
  lower.id = upper.id + 1;
  lower.height = LOWER;
  lower.y1 = 1.15 * fmax(d.off, 2 * noise);
  lower.y0 = -lower.y1;
  lower.y_label = "difference";
  upper.x_label = "";
  (void)snprintf(text, sizeof text,
                 "Measured points and the line of the scene over %.4g to %.4g s, %.4g to %.4g.",
                 upper.x0, upper.x1, upper.y0, upper.y1);
  rh_fit_chart_begin(to, &upper, label, text);
  put_upper(to, &d, &upper);
  rh_fit_chart_end(to);
  (void)snprintf(text, sizeof text,
                 "The scene less the measured points, at most %.3g; two deviations are %.3g.",
                 d.off, 2 * noise);
  rh_fit_chart_begin(to, &lower, "Difference", text);
  put_lower(to, &d, &lower, noise);
  rh_fit_chart_end(to);
  rh_text_addf(to,
               "<p class=\"s\">Below: scene less measured, at most %.3g; the band is two "
               "deviations to each side, %.3g.</p>\n",
               d.off, 2 * noise);
}

void rh_fit_put_phases(rh_text *to, const rh_fit_score *score)
{
  double most = 1;
  int n = 0;
  for (int i = 0; i < RH_FIT_PHASES; i++) {
    most = score->count[i] > 0 ? fmax(most, sqrt(score->phase[i])) : most;
    n += score->count[i] > 0;
  }
  rh_text_addf(
      to,
      "<svg viewBox=\"-180 0 780 %d\" width=\"780\" role=\"img\" aria-labelledby=\"tp "
      "dp\"><title id=\"tp\">Residuals by phase</title><desc id=\"dp\">Bars of the root mean "
      "square of the residuals over their noise in each phase; the line is 1. The table "
      "below has the numbers.</desc>\n",
      n * BAR + 8);
  double unit = 500 / most;
  int row = 0;
  for (int i = 0; i < RH_FIT_PHASES; i++) {
    if (score->count[i] > 0) {
      double rms = sqrt(score->phase[i]);
      int y = BAR * row++;
      rh_text_addf(to, "<text x=\"-8\" y=\"%d\" text-anchor=\"end\">", y + 18);
      rh_html_text(to, rh_fit_phase_name[i]);
      rh_text_addf(to,
                   "</text><rect class=\"b\" y=\"%d\" width=\"%.1f\" height=\"%d\"/><text "
                   "x=\"%.1f\" y=\"%d\">%.3g</text>\n",
                   y + 6, rms * unit, BAR - 10, fmax(rms, 1) * unit + 6, y + 18, rms);
    }
  }
  rh_text_addf(to, "<line class=\"l\" x1=\"%.1f\" x2=\"%.1f\" y2=\"%d\"/></svg>\n", unit, unit,
               n * BAR + 4);
}
