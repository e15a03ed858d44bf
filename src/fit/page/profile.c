// profile.c: pictures of profiles: how far the least sum of squares rises when a value is held off its best place. The root of the rise is
// nearly linear in the value, so between the points that were evaluated it is drawn so.
#include "page.h"

#include "console/html.h"

#include <math.h>

enum { WIDTH = 340, HEIGHT = 160, PIECES = 12 };

#define SHOWN 1.9 // rise that is shown, over that at the ends of the interval

// The root of the rise at point i, negative below the best place
static double signed_root(const rh_fit_result *r, int i)
{
  double root = sqrt(fmax(r->rise[i], 0));
  return r->at[i] < r->x ? -root : root;
}

// From the interval, or from the points to a side without an end.
static void choose_span(const rh_fit_result *r, rh_fit_chart *c)
{
  double low = isfinite(r->low) ? r->low : r->at[0];
  double high = isfinite(r->high) ? r->high : r->at[r->points - 1];
  double more = 0.15 * (high - low);
  c->x0 = isfinite(r->low) ? low - more : low;
  c->x1 = isfinite(r->high) ? high + more : high;
  if (!(c->x1 - c->x0 > 1e-12 * fabs(r->x))) {
    rh_fit_chart_widen(&c->x0, &c->x1);
  }
}

static void put_curve(rh_text *to, const rh_fit_chart *c, const rh_fit_result *r, double level)
{
  rh_text_add(to, "<polyline class=\"m\" points=\"");
  for (int i = 0; i + 1 < r->points; i++) {
    double a = signed_root(r, i);
    double b = signed_root(r, i + 1);
    for (int k = 0; k <= PIECES; k++) {
      double part = (double)k / PIECES;
      double root = a + part * (b - a);
      double x = r->at[i] + part * (r->at[i + 1] - r->at[i]);
      double y = fmin(root * root, 10 * SHOWN) * level;
      rh_text_addf(to, "%.2f,%.2f ", rh_fit_chart_x(c, x), rh_fit_chart_y(c, y));
    }
  }
  rh_text_add(to, "\"/>");
  for (int i = 0; i < r->points; i++) {
    if (r->rise[i] <= SHOWN) {
      rh_text_addf(to, "<circle r=\"2.4\" cx=\"%.2f\" cy=\"%.2f\"/>", rh_fit_chart_x(c, r->at[i]),
                   rh_fit_chart_y(c, r->rise[i] * level));
    }
  }
}

static void put_interval(rh_text *to, const rh_fit_chart *c, const rh_fit_result *r, double level)
{
  double a = isfinite(r->low) ? rh_fit_chart_x(c, r->low) : 0;
  double b = isfinite(r->high) ? rh_fit_chart_x(c, r->high) : c->width;
  double y = rh_fit_chart_y(c, level);
  rh_text_addf(to, "<rect class=\"i\" x=\"%.2f\" width=\"%.2f\" height=\"%d\"/>", a, b - a,
               c->height);
  rh_text_addf(to, "<line class=\"l\" x2=\"%d\" y1=\"%.2f\" y2=\"%.2f\"/>", c->width, y, y);
  rh_text_addf(to, "<text class=\"w\" x=\"%d\" y=\"%.2f\">95 %%</text>", 4, y - 4);
  for (int side = 0; side < 2; side++) {
    double end = side == 0 ? r->low : r->high;
    double x = side == 0 ? a : b;
    if (isfinite(end)) {
      rh_text_addf(to, "<line class=\"l\" x1=\"%.2f\" x2=\"%.2f\" y1=\"%.2f\" y2=\"%d\"/>", x, x, y,
                   c->height);
    }
  }
}

static void put_profile(rh_text *to, const rh_fit_value *v, const rh_fit_result *r, double level,
                        int id)
{
  rh_fit_chart c = {.width = WIDTH,
                    .height = HEIGHT,
                    .y0 = 0,
                    .y1 = SHOWN * level,
                    .x_label = v->name,
                    .y_label = "rise of the sum",
                    .id = id};
  rh_text text = {0};
  choose_span(r, &c);
  rh_text_addf(&text, "Least at %.6g. ", r->x);
  if (isfinite(r->low)) {
    rh_text_addf(&text, "It has risen by %.4g at %.6g, the lower end of the 95 %% interval. ",
                 level, r->low);
  }
  if (isfinite(r->high)) {
    rh_text_addf(&text, "It has risen by %.4g at %.6g, the upper end of the 95 %% interval. ",
                 level, r->high);
  }
  rh_text_addf(&text, "Verdict: %s.", rh_fit_verdict_word(r->verdict));
  rh_text_add(to, "<figure>");
  rh_fit_chart_begin(to, &c, v->name, text.data != NULL ? text.data : "");
  put_interval(to, &c, r, level);
  put_curve(to, &c, r, level);
  rh_fit_chart_end(to);
  rh_text_add(to, "<figcaption class=\"s\">");
  rh_html_text(to, text.data != NULL ? text.data : "");
  rh_text_add(to, "</figcaption></figure>\n");
  to->failed = to->failed || text.failed;
  rh_text_free(&text);
}

void rh_fit_put_profiles(rh_text *to, const rh_fit_answer *a, double level)
{
  int shown = 0;
  for (int i = 0; i < a->nvalue; i++) {
    shown += a->result[i].profiled && a->result[i].points > 1;
  }
  if (shown == 0) {
    return;
  }
  rh_text_addf(
      to,
      "<h2>Profiles</h2>\n<p>How far the least sum of squares%s rises when a value is held "
      "off its best place and the others are found again: the points were evaluated. The 95 "
      "%% interval (shaded) is where it rises by less than %.4g.</p>\n<div class=\"p\">\n",
      a->noise_given ? " of the residuals over their noise" : ", over the variance of a residual,",
      level);
  for (int i = 0; i < a->nvalue; i++) {
    if (a->result[i].profiled && a->result[i].points > 1) {
      put_profile(to, &a->value[i], &a->result[i], level, 100000 + i);
    }
  }
  rh_text_add(to, "</div>\n");
}
