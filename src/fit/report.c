// report.c: a page of a fit, one file: the values with their profiles and correlations, the measured series with what the scene gives, and
// the residuals. Pictures are drawn as SVG in the page (page/); nothing is loaded from elsewhere.
#include "fit_belief.h"

#include "console/html.h"
#include "fit/page/page.h"

#include <math.h>
#include <string.h>

enum { PAGE_TRIALS = 6 };

static const char style[] =
    "body{font:15px/1.45 sans-serif;max-width:62em;margin:2em auto;padding:0 1em;color:#222;"
    "background:#fff}\n"
    "table{border-collapse:collapse}td,th{padding:.15em .8em;text-align:right;border-bottom:1px "
    "solid #ddd}\n"
    "td:first-child,th:first-child{text-align:left}.s{color:#555;font-size:13px;margin:.1em 0 "
    "1.2em}\n"
    "svg{max-width:100%;height:auto;display:block}svg text{font:12px sans-serif;fill:#444}"
    "figure{margin:0;max-width:428px}.p{display:flex;flex-wrap:wrap;gap:0 1em}\n"
    ".f{fill:none;stroke:#999}.g{stroke:#e4e4e4}.m{fill:none;stroke:#c5481c;stroke-width:1.6}"
    ".i{fill:#2a5aa8;fill-opacity:.11}.k{fill:#000;fill-opacity:.07}\n"
    ".l{stroke:#2a5aa8;stroke-dasharray:5 3}.z{stroke:#999}line.r{stroke:#2a5aa8;stroke-opacity:.5}"
    "circle.r{fill:#2a5aa8}circle{fill:#222}.b{fill:#c5481c}text.w{fill:#2a5aa8}\n";

static bool has_channel(const rh_fit_data *d, const rh_fit_trial *trial, int channel)
{
  int n = 0;
  for (int row = 0; row < trial->n; row++) {
    n += isfinite(d->value[(size_t)(trial->first + row) * (size_t)d->nchannel + (size_t)channel]);
  }
  return n > 1;
}

static void put_number(rh_text *to, double x)
{
  if (isfinite(x)) {
    rh_text_addf(to, "<td>%.6g</td>", x);
  } else {
    rh_text_add(to, "<td>-</td>"); // the interval has no end there
  }
}

static void put_values(rh_text *to, const rh_fit_answer *a)
{
  rh_text_add(to, "<h2>Values</h2>\n<table><tr><th>value</th><th>found</th><th>from</th><th>to</"
                  "th><th>verdict</th></tr>\n");
  for (int i = 0; i < a->nvalue; i++) {
    const rh_fit_result *r = &a->result[i];
    rh_text_add(to, "<tr><td>");
    rh_html_text(to, a->value[i].name);
    rh_text_add(to, "</td>");
    put_number(to, r->x);
    put_number(to, r->low);
    put_number(to, r->high);
    rh_text_addf(to, "<td>%s", rh_fit_verdict_word(r->verdict));
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
  rh_text_add(to, "</table>\n");
}

static void put_phases(rh_text *to, const rh_fit_answer *a)
{
  rh_text_add(to, "<h2>Residuals by phase</h2>\n");
  rh_fit_put_phases(to, &a->fit);
  rh_text_add(to, "<table><tr><th>where</th><th>residuals</th><th>rms over noise</th></tr>\n");
  for (int i = 0; i < RH_FIT_PHASES; i++) {
    if (a->fit.count[i] > 0) {
      rh_text_addf(to, "<tr><td>%s</td><td>%d</td><td>%.4g</td></tr>\n", rh_fit_phase_name[i],
                   a->fit.count[i], sqrt(a->fit.phase[i]));
    }
  }
  rh_text_add(to, "</table>\n");
  rh_fit_page_impacts(to, a);
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
  rh_text_addf(&to,
               "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta "
               "name=\"viewport\" content=\"width=device-width\"><title>routh fit</title><style>\n"
               "%s</style></head><body>\n<h1>",
               style);
  rh_html_text(&to, k->job->scene);
  rh_text_addf(&to, "</h1>\n<p>%d value%s from %d trial%s, %d measured numbers; mean square %.4g",
               a->nvalue, rh_plural(a->nvalue), a->trials, rh_plural(a->trials), a->residuals,
               a->excess);
  if (a->noise_given) {
    rh_text_addf(&to, ", below %.4g in 95 %% of fits of a true scene: the scene is %s", a->bar,
                 a->excess <= a->bar ? "adequate" : "<b>inadequate</b>");
  }
  rh_text_add(&to, "</p>\n");
  put_values(&to, a);
  rh_fit_put_profiles(&to, a, k->factor * k->factor);
  put_phases(&to, a);
  int shown = a->trials < PAGE_TRIALS ? a->trials : PAGE_TRIALS;
  rh_text_addf(&to,
               "<h2>Series</h2>\n<p>The first %d trial%s or window%s: measured (points), scene "
               "(line); grey: in contact.</p>\n",
               shown, rh_plural(shown), rh_plural(shown));
  for (int i = 0; i < shown; i++) {
    for (int c = 0; c < a->nchannel; c++) {
      if (has_channel(k->data, &k->data->trial[i], c)) {
        rh_text_add(&to, "<h3>");
        rh_html_text(&to, k->data->trial[i].name);
        rh_text_add(&to, ": ");
        rh_html_text(&to, a->channel[c]);
        rh_text_add(&to, "</h3>\n");
        rh_fit_put_series(&to, k, i, c);
      }
    }
  }
  rh_text_add(&to, "</body></html>\n");
  return rh_text_print(&to, k->job->report);
}
