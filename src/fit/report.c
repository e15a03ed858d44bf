// report.c: a page of a fit, one file: the values, their correlations, the measured series with what the scene gives, and the residuals.
// Pictures are drawn as SVG in the page; nothing is loaded from elsewhere.
#include "fit_belief.h"

#include "console/html.h"
#include "fit_trial.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 560, HEIGHT = 200, LOWER = 70, PAGE_TRIALS = 6, POINTS_MOST = 600 };

typedef struct frame { // of a picture
  double t0, t1, y0, y1;
  int height;
} frame;

static void put_point(rh_text *to, const frame *f, double t, double y)
{
  rh_text_addf(to, "%.1f,%.1f ", (t - f->t0) / (f->t1 - f->t0) * WIDTH,
               f->height - (y - f->y0) / (f->y1 - f->y0) * f->height);
}

static void widen_range(double y, double *lo, double *hi)
{
  *lo = fmin(*lo, y);
  *hi = fmax(*hi, y);
}

// Measured points and the line of the scene, with the residuals below them.
static void put_series(rh_text *to, const rh_fit_work *k, int trial, int channel)
{
  const rh_fit_data *d = k->data;
  const rh_fit_trial *of = &d->trial[trial];
  const rh_fit_series *s = rh_fit_series_of(k->problem, trial);
  size_t width = (size_t)d->nchannel;
  frame f = {d->t[of->first], d->t[of->first + of->n - 1], HUGE_VAL, -HUGE_VAL, HEIGHT};
  double off = 0;
  for (int row = 0; row < of->n; row++) {
    double want = d->value[(size_t)(of->first + row) * width + (size_t)channel];
    double got = s->model[(size_t)row * width + (size_t)channel];
    widen_range(got, &f.y0, &f.y1);
    if (isfinite(want)) {
      widen_range(want, &f.y0, &f.y1);
      off = fmax(off, fabs(got - want));
    }
  }
  f.y1 = f.y1 > f.y0 ? f.y1 : f.y0 + 1;
  f.t1 = f.t1 > f.t0 ? f.t1 : f.t0 + 1;
  frame below = {f.t0, f.t1, -fmax(off, 1e-300), fmax(off, 1e-300), LOWER};
  int step = of->n / POINTS_MOST + 1;
  rh_text_addf(to, "<svg viewBox=\"-10 -10 %d %d\" width=\"%d\"><polyline class=\"m\" points=\"",
               WIDTH + 20, HEIGHT + LOWER + 30, WIDTH + 20);
  for (int row = 0; row < of->n; row += step) {
    put_point(to, &f, d->t[of->first + row], s->model[(size_t)row * width + (size_t)channel]);
  }
  rh_text_add(to, "\"/>");
  rh_text off_points = {0};
  for (int row = 0; row < of->n; row += step) {
    double want = d->value[(size_t)(of->first + row) * width + (size_t)channel];
    double t = d->t[of->first + row];
    if (isfinite(want)) {
      rh_text_addf(to, "<circle r=\"1.6\" cx=\"%.1f\" cy=\"%.1f\"/>",
                   (t - f.t0) / (f.t1 - f.t0) * WIDTH,
                   HEIGHT - (want - f.y0) / (f.y1 - f.y0) * HEIGHT);
      put_point(&off_points, &below, t, s->model[(size_t)row * width + (size_t)channel] - want);
    }
  }
  rh_text_addf(to,
               "<g transform=\"translate(0,%d)\"><line x2=\"%d\" y1=\"%d\" y2=\"%d\"/><polyline "
               "class=\"r\" points=\"%s\"/></g></svg>",
               HEIGHT + 10, WIDTH, LOWER / 2, LOWER / 2,
               off_points.data != NULL ? off_points.data : "");
  to->failed = to->failed || off_points.failed;
  rh_text_free(&off_points);
  rh_text_addf(to,
               "<p class=\"s\">%.4g to %.4g over %.4g to %.4g s; below: scene less measured, up to "
               "%.3g</p>\n",
               f.y0, f.y1, f.t0, f.t1, off);
}

static bool has_channel(const rh_fit_data *d, const rh_fit_trial *trial, int channel)
{
  int n = 0;
  for (int row = 0; row < trial->n; row++) {
    n += isfinite(d->value[(size_t)(trial->first + row) * (size_t)d->nchannel + (size_t)channel]);
  }
  return n > 1;
}

static void put_values(rh_text *to, const rh_fit_answer *a)
{
  rh_text_add(to, "<h2>Values</h2>\n<table><tr><th>value</th><th>found</th><th>from</th><th>to</"
                  "th><th>verdict</th></tr>\n");
  for (int i = 0; i < a->nvalue; i++) {
    const rh_fit_result *r = &a->result[i];
    rh_text_add(to, "<tr><td>");
    rh_html_text(to, a->value[i].name);
    rh_text_addf(to, "</td><td>%.6g</td><td>%.6g</td><td>%.6g</td><td>%s", r->x, r->low, r->high,
                 rh_fit_verdict_word(r->verdict));
    if (r->with[0] != '\0') {
      rh_text_add(to, " with ");
      rh_html_text(to, r->with);
    }
    rh_text_add(to, "</td></tr>\n");
  }
  rh_text_add(to, "</table>\n<h2>Correlations</h2>\n<table>\n");
  for (int i = 0; i < a->nvalue; i++) {
    rh_text_add(to, "<tr><td>");
    rh_html_text(to, a->value[i].name);
    rh_text_add(to, "</td>");
    for (int j = 0; j < a->nvalue; j++) {
      double c = a->correlation[i * a->nvalue + j];
      rh_text_addf(to, "<td style=\"background:rgba(%s,%.2f)\">%.3f</td>",
                   c > 0 ? "200,80,40" : "40,90,200", 0.7 * fabs(c), c);
    }
    rh_text_add(to, "</tr>\n");
  }
  rh_text_add(to, "</table>\n<h2>Residuals by phase</h2>\n<table>\n");
  for (int i = 0; i < RH_FIT_PHASES; i++) {
    if (a->fit.count[i] > 0) {
      rh_text_addf(to, "<tr><td>%s</td><td>%d</td><td>%.4g</td></tr>\n", rh_fit_phase_name[i],
                   a->fit.count[i], sqrt(a->fit.phase[i]));
    }
  }
  rh_text_add(to,
              "</table>\n<p class=\"s\">number of residuals, and their rms over the noise</p>\n");
}

rh_status rh_fit_report(rh_fit_work *k)
{
  const rh_fit_answer *a = k->answer;
  rh_text to = {0};
  rh_fit_set_weights(k->problem, NULL);
  rh_fit_set_noise(k->problem, a->noise);
  if (!rh_fit_evaluate(k->problem, k->w, k->r)) { // the runs that are drawn
    return RH_NOT_FINITE;
  }
  rh_text_add(&to, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>routh "
                   "fit</title><style>\n"
                   "body{font:15px/1.45 sans-serif;max-width:62em;margin:2em auto;padding:0 "
                   "1em;color:#222;background:#fff}\n"
                   "table{border-collapse:collapse}td,th{padding:.15em "
                   ".8em;text-align:right;border-bottom:1px solid #ddd}\n"
                   "td:first-child,th:first-child{text-align:left}.s{color:#666;font-size:13px;"
                   "margin:.1em 0 1.2em}\n"
                   "svg{max-width:100%}.m{fill:none;stroke:#c5481c;stroke-width:1.5}.r{fill:none;"
                   "stroke:#2a5aa8}\n"
                   "circle{fill:#222}line{stroke:#bbb}\n</style></head><body>\n<h1>");
  rh_html_text(&to, k->job->scene);
  rh_text_addf(&to, "</h1>\n<p>%d values from %d trials, %d measured numbers; mean square %.4g",
               a->nvalue, a->trials, a->residuals, a->excess);
  if (a->noise_given) {
    rh_text_addf(&to, ", below %.4g in 95 %% of fits of a true scene: the scene is %s", a->bar,
                 a->excess <= a->bar ? "adequate" : "<b>inadequate</b>");
  }
  rh_text_add(&to, "</p>\n");
  put_values(&to, a);
  int shown = a->trials < PAGE_TRIALS ? a->trials : PAGE_TRIALS;
  rh_text_addf(
      &to,
      "<h2>Series</h2>\n<p>The first %d trials or windows: measured (points), scene (line).</p>\n",
      shown);
  for (int i = 0; i < shown; i++) {
    for (int c = 0; c < a->nchannel; c++) {
      if (has_channel(k->data, &k->data->trial[i], c)) {
        rh_text_add(&to, "<h3>");
        rh_html_text(&to, k->data->trial[i].name);
        rh_text_add(&to, ": ");
        rh_html_text(&to, a->channel[c]);
        rh_text_add(&to, "</h3>\n");
        put_series(&to, k, i, c);
      }
    }
  }
  rh_text_add(&to, "</body></html>\n");
  return rh_text_print(&to, k->job->report);
}
