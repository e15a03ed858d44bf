// chart.c: axes of a picture: a frame, lines at round numbers with their labels.
#include "page.h"

#include "console/html.h"

#include <math.h>

enum { LEFT = 74, RIGHT = 14, TOP = 10, BOTTOM = 42, TICKS = 5 };

double rh_fit_chart_x(const rh_fit_chart *c, double x)
{
  return (x - c->x0) / (c->x1 - c->x0) * c->width;
}

double rh_fit_chart_y(const rh_fit_chart *c, double y)
{
  return c->height - (y - c->y0) / (c->y1 - c->y0) * c->height;
}

void rh_fit_chart_widen(double *lo, double *hi)
{
  double size = fmax(fabs(*lo), fabs(*hi));
  double span = *hi - *lo;
  bool flat = !(span > 1e-12 * size);
  double more = flat ? (size > 0 ? 0.1 * size : 1) : 0.04 * span;
  *lo -= more;
  *hi += more;
}

// 1, 2 or 5 times a power of ten, of which some five are within the span
static double round_step(double span, int ticks)
{
  double least = span / ticks;
  double power = rh_pow(10, floor(rh_log10(least)));
  double part = least / power;
  return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

static void put_ticks(rh_text *to, const rh_fit_chart *c, bool upright)
{
  double lo = upright ? c->y0 : c->x0;
  double hi = upright ? c->y1 : c->x1;
  int pixels = upright ? c->height : c->width;
  double step = round_step(hi - lo, pixels < 120 ? 4 : TICKS);
  for (double n = ceil(lo / step - 1e-9); n * step <= hi + 1e-9 * step; n++) {
    double at = n * step;
    if (upright) {
      double y = rh_fit_chart_y(c, at);
      rh_text_addf(to, "<line class=\"g\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>", c->width, y, y);
      rh_text_addf(to, "<text x=\"-6\" y=\"%.1f\" text-anchor=\"end\">%.6g</text>", y + 4,
                   n == 0 ? 0 : at);
    } else {
      double x = rh_fit_chart_x(c, at);
      rh_text_addf(to, "<line class=\"g\" x1=\"%.1f\" x2=\"%.1f\" y2=\"%d\"/>", x, x, c->height);
      rh_text_addf(to, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.6g</text>", x,
                   c->height + 15, n == 0 ? 0 : at);
    }
  }
}

void rh_fit_chart_begin(rh_text *to, const rh_fit_chart *c, const char *title, const char *text)
{
  rh_text_addf(to,
               "<svg viewBox=\"%d %d %d %d\" width=\"%d\" role=\"img\" aria-labelledby=\"t%d "
               "d%d\"><title id=\"t%d\">",
               -LEFT, -TOP, c->width + LEFT + RIGHT, c->height + TOP + BOTTOM,
               c->width + LEFT + RIGHT, c->id, c->id, c->id);
  rh_html_text(to, title);
  rh_text_addf(to, "</title><desc id=\"d%d\">", c->id);
  rh_html_text(to, text);
  rh_text_addf(to,
               "</desc><clipPath id=\"c%d\"><rect width=\"%d\" height=\"%d\"/></clipPath><rect "
               "class=\"f\" width=\"%d\" height=\"%d\"/>",
               c->id, c->width, c->height, c->width, c->height);
  put_ticks(to, c, false);
  put_ticks(to, c, true);
  rh_text_addf(to, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", c->width / 2, c->height + 33);
  rh_html_text(to, c->x_label);
  rh_text_addf(to,
               "</text><text transform=\"translate(%d,%d) rotate(-90)\" text-anchor=\"middle\">",
               14 - LEFT, c->height / 2);
  rh_html_text(to, c->y_label);
  rh_text_addf(to, "</text><g clip-path=\"url(#c%d)\">\n", c->id);
}

void rh_fit_chart_end(rh_text *to)
{
  rh_text_add(to, "</g></svg>\n");
}
