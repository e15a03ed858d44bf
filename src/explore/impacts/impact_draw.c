// impact_draw.c: the picture of an impact: Routh's diagram, [WK] fig. 3.2, and below it velocities
// and works against the normal impulse, [WK] fig. 3.3. The path is the same under every law; only
// its end differs.
#include "impact.h"
#include "plots/plot.h"

#include <math.h>
#include <string.h>

#define WIDTH  980 // [pixel]
#define HEIGHT 1080
#define SHARE  0.57 // of the height, for the diagram
#define ASPECT 1.15 // of the diagram's frame, width over height: for one scale on both axes

#define ROOM 0.14 // of the width of the diagram, for a label

#define STICKING    "#009E73"
#define COMPRESSION "#D55E00"
#define FRICTION    "#0072B2"

typedef struct drawing {
  const rh_impact_show *show;
  rh_impact_curve *curve; // under the law that goes farthest
  rh_impact_curve
      *spring[RH_IMPACT_LAWS]; // of laws with a tangential spring, which have their own; else NULL
  int longest;
  double left, right, top; // [N s] of the diagram
  bool one_scale;
} drawing;

static const char *const law_color[] = {"#CC79A7", "#56B4E9", "#E69F00", "#505050"};
static const int law_point[] = {9, 5, 7, 13}; // filled triangle, square, circle, diamond

// ---- Lines of the diagram

static double sticking_at(const rh_planar_in *in, double Pn)
{
  return -(in->S0 + in->Ktn * Pn) / in->Ktt; // [WK] eq. 3.3b*
}

static double compression_at(const rh_planar_in *in, double Pt)
{
  return -(in->C0 + in->Ktn * Pt) / in->Knn; // [WK] eq. 3.3a*
}

// The friction line F is P_t = -slip_direction mu P_n.
static double slip_direction(const rh_planar_in *in)
{
  return in->S0 != 0 ? (in->S0 > 0 ? 1 : -1) : in->Ktn > 0 ? 1 : -1;
}

// The window: the paths, and the near parts of the lines.
static void set_window(drawing *d)
{
  const rh_planar_in *in = &d->show->in;
  double high = 0;
  double low = 0;
  for (int i = 0; i < d->show->nlaw; i++) {
    d->top = fmax(d->top, 1.15 * d->show->out[i].Pn);
  }
  const double want[] = {in->mu_k * d->top, -in->mu_k * d->top, sticking_at(in, 0),
                         sticking_at(in, d->top)};
  for (int i = 0; i < RH_COUNT(want); i++) {
    double x = fmin(fmax(want[i], -0.8 * d->top), 0.8 * d->top);
    high = fmax(high, x);
    low = fmin(low, x);
  }
  for (int i = 0; i < d->show->nlaw; i++) {
    for (int k = 0; k < d->show->out[i].ncorner; k++) {
      high = fmax(high, d->show->out[i].corner[k][0]);
      low = fmin(low, d->show->out[i].corner[k][0]);
    }
  }
  for (int i = 0; i < d->show->nlaw; i++) {
    for (int k = 0; d->spring[i] != NULL && k < d->spring[i]->n; k++) {
      high = fmax(high, d->spring[i]->Pt[k]);
      low = fmin(low, d->spring[i]->Pt[k]);
    }
  }
  double margin = 0.06 * (high - low) + 0.02 * d->top;
  d->left = low - margin;
  d->right = high + margin;
  double more = ASPECT * 1.05 * d->top - (d->right - d->left);
  d->one_scale = more >= 0;
  if (more > 0) {
    d->left -= more / 2;
    d->right += more / 2;
  }
}

static void put_text(FILE *to, const char *word, const char *text)
{
  fputs(word, to);
  fputc(' ', to);
  rh_gnuplot_quote(to, text);
  fputs(" noenhanced\n", to);
}

// A label next to a place of the diagram: right of it (side 1) or left (-1), or where it fits.
static void put_label(const drawing *d, FILE *to, const char *text, const char *color,
                      const double at[2], int side)
{
  double room = ROOM * (d->right - d->left);
  side = at[0] + room > d->right ? -1 : at[0] - room < d->left ? 1 : side;
  fputs("set label ", to);
  rh_gnuplot_quote(to, text);
  fprintf(to, " at %.17g,%.17g %s offset char %g,0 front noenhanced tc rgb '%s'\n", at[0],
          fmin(at[1], 0.97 * d->top), side > 0 ? "left" : "right", 0.9 * side, color);
}

// A straight line from (x, y) to (x2, y2), as a data block.
static void put_line(FILE *to, const char *name, double x, double y, double x2, double y2)
{
  const double xs[2] = {x, x2};
  const double ys[2] = {y, y2};
  rh_gnuplot_data(to, name, xs, ys, 2);
}

// A label near the upper end of a line from (x, 0) to (x2, top), on the side to which it leans: no
// other line is there.
static void label_line(const drawing *d, FILE *to, const char *text, const char *color,
                       const double x[2])
{
  double share = 0.9;
  double end = x[0] + share * (x[1] - x[0]);
  double inner = 0.02 * (d->right - d->left);
  if (end > d->right - inner || end < d->left + inner) {
    double limit = end > d->right - inner ? d->right - inner : d->left + inner;
    share = (limit - x[0]) / (x[1] - x[0]);
  }
  const double at[2] = {x[0] + share * (x[1] - x[0]), share * d->top};
  if (share > 0.02 && share < 1 && at[0] > d->left && at[0] < d->right) {
    put_label(d, to, text, color, at, x[1] >= x[0] ? 1 : -1);
  }
}

// Distance of a point, along P_t, from the nearest of the other lines and of the path.
static double point_clearance(const drawing *d, double x, double y)
{
  const rh_planar_in *in = &d->show->in;
  double least = fmin(fabs(x - sticking_at(in, y)), fabs(fabs(x) - in->mu_k * y));
  for (int i = 0; i < d->curve->n; i++) {
    if (fabs(d->curve->Pn[i] - y) < 0.06 * d->top) {
      least = fmin(least, fabs(x - d->curve->Pt[i]));
    }
  }
  return least;
}

// On the line of maximum compression, at the widest gap.
static void label_compression(const drawing *d, FILE *to)
{
  enum { PLACES = 25 };

  double best = -1;
  double at[2] = {0, 0};
  for (int i = 0; i <= PLACES; i++) {
    double x = d->left + (ROOM + 0.01 + (0.98 - 2 * ROOM) * i / PLACES) * (d->right - d->left);
    double y = compression_at(&d->show->in, x);
    double room = y > 0.03 * d->top && y < 0.9 * d->top ? point_clearance(d, x, y) : -1;
    if (room > best) {
      best = room;
      at[0] = x;
      at[1] = y + 0.03 * d->top;
    }
  }
  if (best >= 0) {
    put_label(d, to, "C = 0", COMPRESSION, at, d->show->in.Ktn < 0 ? -1 : 1);
  }
}

static void put_lines(const drawing *d, FILE *to)
{
  const rh_planar_in *in = &d->show->in;
  double limit = -slip_direction(in) * in->mu_k * d->top;
  const double sticking[2] = {sticking_at(in, 0), sticking_at(in, d->top)};
  const double friction[2] = {0, limit};
  put_line(to, "sticking", sticking[0], 0, sticking[1], d->top);
  put_line(to, "compression", d->left, compression_at(in, d->left), d->right,
           compression_at(in, d->right));
  put_line(to, "friction", 0, 0, limit, d->top);
  put_line(to, "other", 0, 0, -limit, d->top);
  label_line(d, to, "S = 0", STICKING, sticking);
  label_line(d, to, "F", FRICTION, friction);
  label_compression(d, to);
}

// ---- Panels

static const char *color_of(int law)
{
  return law_color[law % RH_COUNT(law_color)];
}

static void put_ends(const drawing *d, FILE *to)
{
  for (int i = 0; i < d->show->nlaw; i++) {
    const rh_planar_out *out = &d->show->out[i];
    fprintf(to, "$end%d << end_of_curve\n%.17g %.17g %.17g %.17g %.17g %.17g\nend_of_curve\n", i,
            out->Pt, out->Pn, out->Sf, out->Cf, 0 - out->Dn, 0 - out->Dt);
  }
}

// The end of each law, drawn over the curve in columns x:y of its block; larger below smaller, so
// that equal ends remain visible.
static void plot_ends(const drawing *d, FILE *to, const char *columns, bool titled)
{
  for (int i = 0; titled && i < d->show->nlaw; i++) {
    if (d->spring[i] != NULL) {
      char text[2 * RH_NAME_MAX];
      snprintf(text, sizeof text, "path of %s", d->show->law[i]->row.name);
      fprintf(to, ", $spring%d using 1:2 with lines lw 2 dt solid lc rgb '%s' title ", i,
              color_of(i));
      rh_gnuplot_quote(to, text);
    }
  }
  for (int i = 0; i < d->show->nlaw; i++) {
    fprintf(to, ", $end%d using %s with points pt %d ps %.2f lw 1.5 lc rgb '%s' ", i, columns,
            law_point[i % RH_COUNT(law_point)], 2.1 - 0.45 * i / (d->show->nlaw > 3 ? 2 : 1),
            color_of(i));
    char text[2 * RH_NAME_MAX];
    snprintf(text, sizeof text, "%s ends", d->show->law[i]->row.name);
    fputs(titled ? "title " : "notitle", to);
    if (titled) {
      rh_gnuplot_quote(to, text);
    }
  }
  fputc('\n', to);
}

static void put_corners(const drawing *d, FILE *to)
{
  const rh_planar_out *out = &d->show->out[d->longest];
  rh_gnuplot_data(to, "path", d->curve->Pt, d->curve->Pn, d->curve->n);
  double x[RH_COUNT(out->corner)];
  double y[RH_COUNT(out->corner)];
  int n = 0;
  for (int i = 0; i < out->ncorner; i++) {
    double Pn = out->corner[i][1];
    bool slip = Pn > 0 && Pn == out->Ps;
    bool turn = Pn > 0 && Pn == out->Pc;
    const double at[2] = {out->corner[i][0], Pn};
    if (slip || turn) {
      x[n] = at[0];
      y[n++] = at[1];
      put_label(d, to, slip ? "P_s" : "P_c", "#000000", at,
                !slip && fabs(out->Ps - out->Pc) < 0.05 * d->top ? -1 : 1);
    }
  }
  rh_gnuplot_data(to, "corners", x, y, n);
  for (int i = 0; i < d->show->nlaw; i++) {
    char name[RH_NAME_MAX];
    snprintf(name, sizeof name, "spring%d", i);
    if (d->spring[i] != NULL) {
      rh_gnuplot_data(to, name, d->spring[i]->Pt, d->spring[i]->Pn, d->spring[i]->n);
    }
  }
}

static bool sticking_seen(const drawing *d)
{
  double low = sticking_at(&d->show->in, 0);
  double high = sticking_at(&d->show->in, d->top);
  return fmax(low, high) > d->left && fmin(low, high) < d->right;
}

static void put_diagram(const drawing *d, FILE *to)
{
  fprintf(to, "set origin 0,%g\nset size 1,%g\n", 1 - SHARE - 0.025, SHARE);
  put_text(to, "set title offset 0,0", "Routh's diagram: the plane of impulses");
  rh_gnuplot_axis(to, "xlabel", "tangential impulse P_t", "N s");
  rh_gnuplot_axis(to, "ylabel", "normal impulse P_n", "N s");
  fputs("set key outside right top vertical noenhanced Left reverse samplen 2.5 spacing 1.15\n"
        "set yzeroaxis lt 1 lw 0.8 dt solid lc rgb '#909090'\nset offsets 0,0,0,0\nset clip two\n",
        to);
  fprintf(to, "set xrange [%.17g:%.17g]\nset yrange [0:%.17g]\n%s", d->left, d->right,
          1.05 * d->top, d->one_scale ? "set size ratio -1\n" : "");
  put_lines(d, to);
  put_corners(d, to);
  fprintf(to,
          "plot $sticking using 1:2 with lines lw 1.8 dt (12,4) lc rgb '" STICKING
          "' title 'sticking: S = 0%s', ",
          sticking_seen(d) ? "" : " (out of view)");
  fputs("$compression using 1:2 with lines lw 1.8 dt (3,3) lc rgb '" COMPRESSION
        "' title 'greatest compression: C = 0', "
        "$friction using 1:2 with lines lw 1.8 dt (12,4,3,4) lc rgb '" FRICTION
        "' title 'limiting friction F', "
        "$other using 1:2 with lines lw 0.8 dt (12,4,3,4) lc rgb '" FRICTION "' notitle, "
        "$path using 1:2 with lines lw 3 dt solid lc rgb '#000000' title 'path of the impact', "
        "$corners using 1:2 with points pt 6 ps 1.1 lw 2 lc rgb '#000000' "
        "title 'P_s slip stops, P_c C = 0'",
        to);
  plot_ends(d, to, "1:2", true);
  fputs("unset label\nset size noratio\nunset yzeroaxis\nset autoscale\n", to);
}

// Vertical lines where slip stops and where compression ends.
static void put_marks(const drawing *d, FILE *to)
{
  const rh_planar_out *out = &d->show->out[d->longest];

  const struct {
    double at;
    const char *text;
  } mark[] = {{out->Pc, "P_c"}, {out->Ps, "P_s"}};

  bool close = fabs(out->Pc - out->Ps) < 0.1 * d->top;
  for (int i = 0; i < RH_COUNT(mark); i++) {
    bool first = mark[i].at < mark[1 - i].at;
    if (isfinite(mark[i].at) && mark[i].at > 0) {
      fprintf(to,
              "set arrow from first %.17g, graph 0 to first %.17g, graph 1 nohead back lw 0.8 dt 3 "
              "lc rgb '#707070'\nset label '%s' at first %.17g, graph 1.03 %s noenhanced tc rgb "
              "'#505050'\n",
              mark[i].at, mark[i].at, mark[i].text, mark[i].at,
              !close  ? "center"
              : first ? "right"
                      : "left");
    }
  }
}

typedef struct panel {
  const char *title, *y_name, *y_unit;
  const double *y[2];
  const char *name[2];
  const char *ends[2]; // columns of the blocks of the ends
  double x;            // of its left side, of the width of the picture
} panel;

static void put_panel(const drawing *d, FILE *to, const panel *p)
{
  fprintf(to, "set origin %g,0\nset size 0.5,%g\n", p->x, 1 - SHARE - 0.05);
  put_text(to, "set title offset 0,0.9", p->title);
  rh_gnuplot_axis(to, "xlabel", "normal impulse P_n", "N s");
  rh_gnuplot_axis(to, "ylabel", p->y_name, p->y_unit);
  fprintf(to,
          "set xrange [0:%.17g]\nset offsets 0,0,graph 0.06,graph 0.06\nset xzeroaxis lt 1 lw 0.8 "
          "dt solid lc rgb "
          "'#909090'\nset key bottom center horizontal outside noenhanced\n",
          d->top);
  put_marks(d, to);
  rh_gnuplot_data(to, "one", d->curve->Pn, p->y[0], d->curve->n);
  rh_gnuplot_data(to, "two", d->curve->Pn, p->y[1], d->curve->n);
  fputs("plot $one using 1:2 with lines lw 2 dt solid lc rgb '" FRICTION "' title ", to);
  rh_gnuplot_quote(to, p->name[0]);
  fputs(", $two using 1:2 with lines lw 2 dt (12,4) lc rgb '" COMPRESSION "' title ", to);
  rh_gnuplot_quote(to, p->name[1]);
  char columns[RH_NAME_MAX];
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < d->show->nlaw; k++) {
      snprintf(columns, sizeof columns, "2:%s", p->ends[i]);
      fprintf(to, ", $end%d using %s with points pt %d ps %.2f lw 1.5 lc rgb '%s' notitle", k,
              columns, law_point[k % RH_COUNT(law_point)],
              1.5 - 0.3 * k / (d->show->nlaw > 3 ? 2 : 1), color_of(k));
    }
  }
  fputs("\nunset arrow\nunset label\nset autoscale\n", to);
}

static void put_picture(FILE *to, const void *user)
{
  const drawing *d = user;
  const rh_planar_in *in = &d->show->in;
  const rh_planar_out *out = &d->show->out[d->longest];
  char text[8 * RH_NAME_MAX];
  snprintf(text, sizeof text,
           "%s: case %s%s, S_0 = %.4g m/s, C_0 = %.4g m/s, mu = %g%s%.4g, e = %g", d->show->title,
           rh_planar_case_word(out->kind), out->jam ? " (jam)" : "", in->S0, in->C0, in->mu_k,
           in->mu_s != in->mu_k ? ", at rest " : "", in->mu_s, in->e);
  if (in->mu_s == in->mu_k) {
    snprintf(text, sizeof text, "%s: case %s%s, S_0 = %.4g m/s, C_0 = %.4g m/s, mu = %g, e = %g",
             d->show->title, rh_planar_case_word(out->kind), out->jam ? " (jam)" : "", in->S0,
             in->C0, in->mu_k, in->e);
  }
  put_text(to, "set multiplot title", text);
  put_ends(d, to);
  put_diagram(d, to);
  const panel velocities = {
      "velocities of the contact",    "velocity", "m/s", {d->curve->S, d->curve->C},
      {"S, tangential", "C, normal"}, {"3", "4"}, 0};
  const panel works = {"work on the bodies",
                       "work",
                       "J",
                       {d->curve->Wn, d->curve->Wt},
                       {"W_n, normal", "W_t, friction"},
                       {"5", "6"},
                       0.5};
  put_panel(d, to, &velocities);
  put_panel(d, to, &works);
  fputs("unset multiplot\n", to);
}

static bool has_own_path(const rh_impact_show *show, int law)
{
  return show->out[law].kind == RH_CASE_SPRING || show->out[law].kind == RH_CASE_RATIO;
}

// The law whose path is drawn as that of the impact: the farthest of those that have none of their own, if any.
static int longest_path(const rh_impact_show *show)
{
  int found = 0;
  for (int i = 1; i < show->nlaw; i++) {
    bool simpler = has_own_path(show, found) && !has_own_path(show, i);
    bool same = has_own_path(show, found) == has_own_path(show, i);
    found = simpler || (same && show->out[i].Pn > show->out[found].Pn) ? i : found;
  }
  return found;
}

rh_status rh_impact_draw(const rh_impact_show *show, const char *output)
{
  drawing d = {.show = show, .longest = longest_path(show)};
  if (show->out[d.longest].kind == RH_CASE_NONE) {
    return rh_refuse(RH_INPUT_REFUSED, "impact: %s: the bodies do not approach; nothing is drawn",
                     show->title);
  }
  rh_status status = RH_OK;
  d.curve = rh_impact_trace(show, d.longest);
  for (int i = 0; i < show->nlaw; i++) {
    d.spring[i] = has_own_path(show, i) ? rh_impact_trace(show, i) : NULL;
    status = has_own_path(show, i) && d.spring[i] == NULL ? RH_OUT_OF_MEMORY : status;
  }
  status = d.curve == NULL ? RH_OUT_OF_MEMORY : status;
  if (status == RH_OK) {
    set_window(&d);
    rh_picture picture = {.width = WIDTH, .height = HEIGHT, .program = put_picture, .user = &d};
    status = rh_picture_draw(&picture, output);
  }
  for (int i = 0; i < show->nlaw; i++) {
    rh_free(d.spring[i]);
  }
  rh_free(d.curve);
  return status;
}
