// draw.c: pictures of [WK] ch. 3 and their shared parts. Colours as those of `routh
// impact`.
#include "wk.h"

#include <string.h>

const char *const rh_wk_law[RH_WK_LAWS] = {"newton", "poisson", "stronge"};

static const char *const law_color[RH_WK_LAWS] = {"#CC79A7", "#56B4E9", "#E69F00"};
static const int law_point[RH_WK_LAWS] = {9, 5, 7};

static const char *const case_id[] = {"rod_a", "rod_b", "rod_c", "rod_d", "rod_e"};
static const char *const case_text[] = {"(a) reverses in compression",
                                        "(b) reverses in restitution", "(c) sticks in compression",
                                        "(d) sticks in restitution", "(e) slides throughout"};

enum { CASES = RH_COUNT(case_id) };

// ---- Shared

rh_planar_in rh_wk_impact(const rh_redone *redone, const char *id)
{
  rh_planar_in in = {.Ktt = rh_redone_answer(redone, id, "inv_m1", 0),
                     .Knn = rh_redone_answer(redone, id, "inv_m2", 0),
                     .Ktn = -rh_redone_answer(redone, id, "inv_m3", 0),
                     .S0 = rh_redone_answer(redone, id, "S_0", 0),
                     .C0 = rh_redone_answer(redone, id, "C_0", 0),
                     .mu_k = rh_redone_given(redone, id, "mu_k"),
                     .mu_s = rh_redone_given(redone, id, "mu_s"),
                     .e = rh_redone_given(redone, id, "e")};
  return in;
}

// In [0, 1), by the upper bits of a linear congruence (Knuth's MMIX).
static double next_random(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-53;
}

rh_planar_in rh_wk_random(uint64_t *seed)
{
  rh_planar_in in = {.Ktt = 0.3 + 3 * next_random(seed), .Knn = 0.3 + 3 * next_random(seed)};
  in.Ktn = 0.98 * sqrt(in.Ktt * in.Knn) * (2 * next_random(seed) - 1);
  in.S0 = 4 * next_random(seed) - 2;
  in.C0 = -0.05 - 2 * next_random(seed);
  in.mu_k = 2 * next_random(seed);
  in.mu_s = in.mu_k;
  in.e = next_random(seed);
  return in;
}

void rh_wk_panel(FILE *to, const double frame[4], const char *title)
{
  fprintf(
      to,
      "unset arrow\nunset label\nunset xzeroaxis\nset clip two\nunset object\nset autoscale\nset "
      "xtics autofreq noenhanced\nset "
      "ytics autofreq\nunset "
      "logscale\nset origin %.4f,%.4f\nset size noratio %.4f,%.4f\nset offsets 0,0,0,0\nset title ",
      frame[0], frame[1], frame[2], frame[3]);
  rh_gnuplot_quote(to, title);
  fputs(" noenhanced\nset key noenhanced\n", to);
}

// Frame of panel i of six, the last of which is for the legend.
static void frame_of(int i, double frame[4])
{
  frame[0] = i % 3 / 3.0;
  frame[1] = i < 3 ? 0.48 : 0;
  frame[2] = 1 / 3.0;
  frame[3] = 0.48;
}

// The end of the farthest law, and the ends of all.
static double ends_of(const rh_planar_in *in, rh_planar_out out[RH_WK_LAWS], int *longest)
{
  *longest = 0;
  for (int i = 0; i < RH_WK_LAWS; i++) {
    rh_planar_impact(rh_impact_law_find(rh_wk_law[i]), in, &out[i]);
    *longest = out[i].Pn > out[*longest].Pn ? i : *longest;
  }
  return 1.12 * out[*longest].Pn;
}

static void put_ends(FILE *to, const rh_planar_out out[RH_WK_LAWS])
{
  for (int i = 0; i < RH_WK_LAWS; i++) {
    fprintf(to, "$end%d << end\n%.17g %.17g %.17g %.17g\nend\n", i, out[i].Pt, out[i].Pn, out[i].Sf,
            out[i].Cf);
  }
}

static void plot_ends(FILE *to, const char *columns, const char *title)
{
  for (int i = 0; i < RH_WK_LAWS; i++) {
    fprintf(to, ", $end%d using %s with points pt %d ps %.1f lc rgb '%s' ", i, columns,
            law_point[i], 1.7 - 0.35 * i, law_color[i]);
    fprintf(to, title != NULL ? "title '%s ends'" : "notitle", rh_wk_law[i]);
  }
}

// The legend alone, in place of the sixth panel.
static void put_legend(FILE *to, const char *lines)
{
  double frame[4];
  frame_of(5, frame);
  rh_wk_panel(to, frame, "");
  fputs("unset border\nunset tics\nset xrange [0:1]\nset yrange [0:1]\nset xlabel ''\nset ylabel "
        "''\nset "
        "key center center vertical inside\n",
        to);
  fprintf(to, "plot %s", lines);
  for (int i = 0; i < RH_WK_LAWS; i++) {
    fprintf(to, ", NaN with points pt %d ps %.1f lc rgb '%s' title '%s ends'", law_point[i],
            1.7 - 0.35 * i, law_color[i], rh_wk_law[i]);
  }
  fputs("\nset border 3\nset tics\n", to);
}

// A round step that divides `width` into about four.
static double step_of(double width)
{
  double step = rh_pow(10, floor(rh_log10(width / 4)));
  return width / 4 > 5 * step ? 5 * step : width / 4 > 2 * step ? 2 * step : step;
}

// ---- Fig. 3.2

static void put_line(FILE *to, const char *name, const double x[2], const double y[2])
{
  rh_gnuplot_data(to, name, x, y, 2);
}

static void draw_diagram(FILE *to, const rh_planar_in *in)
{
  rh_planar_out out[RH_WK_LAWS];
  int longest = 0;
  double top = ends_of(in, out, &longest);
  double way = in->S0 > 0 ? 1 : -1;
  double low = 0;
  double high = 0;
  const double rise[2] = {0, top};
  const double sticking[2] = {-in->S0 / in->Ktt, -(in->S0 + in->Ktn * top) / in->Ktt};
  const double friction[2] = {0, -way * in->mu_k * top};
  for (int i = 0; i < 2; i++) {
    low = fmin(low, fmin(fmax(sticking[i], -0.7 * top), friction[i]));
    high = fmax(high, fmax(fmin(sticking[i], 0.7 * top), friction[i]));
  }
  double margin = 0.08 * (high - low) + 0.02 * top;
  const double wide[2] = {low - margin, high + margin};
  const double compression[2] = {-(in->C0 + in->Ktn * wide[0]) / in->Knn,
                                 -(in->C0 + in->Ktn * wide[1]) / in->Knn};
  put_line(to, "sticking", sticking, rise);
  put_line(to, "compression", wide, compression);
  put_line(to, "friction", friction, rise);
  double x[4];
  double y[4];
  for (int i = 0; i < out[longest].ncorner; i++) {
    x[i] = out[longest].corner[i][0];
    y[i] = out[longest].corner[i][1];
  }
  rh_gnuplot_data(to, "path", x, y, out[longest].ncorner);
  put_ends(to, out);
  fprintf(to,
          "set xtics %.6g\nset xrange [%.6g:%.6g]\nset yrange [0:%.6g]\nset xlabel 'P_t [N s]' "
          "noenhanced\nset "
          "ylabel 'P_n [N s]' noenhanced\nunset key\n",
          step_of(wide[1] - wide[0]), wide[0], wide[1], top);
  fputs("plot $sticking with lines lw 1.5 dt solid lc rgb '#009E73', $compression with lines lw "
        "1.5 dt solid lc rgb "
        "'#D55E00', $friction with lines lw 1.5 dt solid lc rgb '#0072B2', $path with lines lw 3 "
        "dt solid lc rgb '#303030'",
        to);
  plot_ends(to, "1:2", NULL);
  fputc('\n', to);
}

void rh_draw_wk_diagrams(FILE *to, const rh_redone *redone)
{
  for (int i = 0; i < CASES; i++) {
    double frame[4];
    char id[RH_NAME_MAX];
    frame_of(i, frame);
    snprintf(id, sizeof id, "%s/stronge", case_id[i]);
    rh_planar_in in = rh_wk_impact(redone, id);
    rh_wk_panel(to, frame, case_text[i]);
    draw_diagram(to, &in);
  }
  put_legend(to,
             "NaN with lines lw 1.5 dt solid lc rgb '#009E73' title 'sticking, S = 0', NaN with "
             "lines lw 1.5 dt solid lc "
             "rgb '#D55E00' title 'greatest compression, C = 0', NaN with lines lw 1.5 dt solid lc "
             "rgb '#0072B2' title "
             "'limiting friction F', NaN with lines lw 3 dt solid lc rgb '#303030' title 'path'");
}

// ---- Fig. 3.3

typedef struct curve {
  FILE *to;
} curve;

// It is an rh_planar_sample. NOLINTNEXTLINE(readability-function-size)
static void put_sample(void *user, double Pn, double Pt, double S, double C, double Wn, double Wt)
{
  (void)Pt;
  (void)Wn;
  (void)Wt;
  fprintf(((curve *)user)->to, "%.9g %.9g %.9g\n", Pn, S, C);
}

static void draw_lines(FILE *to, const rh_planar_in *in)
{
  rh_planar_out out[RH_WK_LAWS];
  rh_planar_out same;
  int longest = 0;
  double top = ends_of(in, out, &longest);
  curve c = {to};
  fputs("$curve << end\n", to);
  (void)rh_planar_ode(rh_impact_law_find(rh_wk_law[longest]), in, put_sample, &c, &same);
  fputs("end\n", to);
  put_ends(to, out);
  fprintf(to,
          "set xtics %.6g\nset xrange [0:%.6g]\nset xlabel 'P_n [N s]' noenhanced\nset ylabel "
          "'velocity "
          "[m/s]'\nset xzeroaxis lt 1 lw 0.8 dt solid lc rgb '#909090'\nunset key\n",
          step_of(top), top);
  fputs("set offsets 0,0,graph 0.06,graph 0.06\n", to);
  const double Pc = out[longest].Pc;
  const double Ps = out[longest].Ps;
  fprintf(to, "set arrow from %.9g, graph 0 to %.9g, graph 1 nohead back dt 3 lc rgb '#D55E00'\n",
          Pc, Pc);
  if (isfinite(Ps)) {
    fprintf(to, "set arrow from %.9g, graph 0 to %.9g, graph 1 nohead back dt 3 lc rgb '#0072B2'\n",
            Ps, Ps);
  }
  fputs("plot $curve using 1:2 with lines lw 2 dt solid lc rgb '#0072B2', $curve using 1:3 with "
        "lines lw 2 dt (12,4) lc rgb "
        "'#D55E00'",
        to);
  plot_ends(to, "2:3", NULL);
  plot_ends(to, "2:4", NULL);
  fputc('\n', to);
}

void rh_draw_wk_velocities(FILE *to, const rh_redone *redone)
{
  for (int i = 0; i < CASES; i++) {
    double frame[4];
    char id[RH_NAME_MAX];
    frame_of(i, frame);
    snprintf(id, sizeof id, "%s/stronge", case_id[i]);
    rh_planar_in in = rh_wk_impact(redone, id);
    rh_wk_panel(to, frame, case_text[i]);
    draw_lines(to, &in);
  }
  put_legend(to, "NaN with lines lw 2 dt solid lc rgb '#0072B2' title 'S, tangential', NaN with "
                 "lines lw 2 dt (12,4) lc rgb "
                 "'#D55E00' title 'C, normal', NaN with lines dt 3 lc rgb '#0072B2' title 'slip "
                 "stops, P_s', NaN with lines dt "
                 "3 lc rgb '#D55E00' title 'compression ends, P_c'");
}

// ---- Fig. 3.1

// Normal and tangential velocity after, under each law.
void rh_draw_wk_two(FILE *to, const rh_redone *redone)
{
  static const char *const id[] = {"two_a",  "two_b",  "two_c",  "two_d",     "two_e",
                                   "kane_1", "kane_2", "kane_3", "disc_slide"};
  static const char *const what[] = {"C_f", "S_f"};
  static const char *const title[] = {"normal velocity after, over that before",
                                      "tangential velocity after, over the normal one before"};
  for (int p = 0; p < 2; p++) {
    const double frame[4] = {0, p == 0 ? 0.47 : 0, 1, 0.47};
    rh_wk_panel(to, frame, title[p]);
    fputs("set xtics (", to);
    for (int i = 0; i < RH_COUNT(id); i++) {
      fprintf(to, "%s'%s' %d", i > 0 ? ", " : "", id[i], i);
    }
    fputs(") noenhanced\n", to);
    for (int law = 0; law < RH_WK_LAWS; law++) {
      fprintf(to, "$law%d << end\n", law);
      for (int i = 0; i < RH_COUNT(id); i++) {
        char full[RH_NAME_MAX];
        snprintf(full, sizeof full, "%s/%s", id[i], rh_wk_law[law]);
        fprintf(to, "%d %.9g\n", i,
                rh_redone_answer(redone, full, what[p], 0) /
                    fabs(rh_redone_answer(redone, full, "C_0", 0)));
      }
      fputs("end\n", to);
    }
    fprintf(to,
            "set xrange [-0.6:%d.4]\nset offsets 0,0,graph 0.05,graph 0.05\nset xlabel ''\nset "
            "ylabel ''\nset xzeroaxis lt 1 lw 0.8 dt solid lc rgb '#909090'\nset key outside right "
            "top vertical\nplot ",
            RH_COUNT(id) - 1);
    for (int law = 0; law < RH_WK_LAWS; law++) {
      fprintf(to, "%s$law%d using ($1 + %g):2 with impulses lw 6 dt solid lc rgb '%s' title '%s'",
              law > 0 ? ", " : "", law, 0.15 * (law - 1), law_color[law], rh_wk_law[law]);
    }
    fputc('\n', to);
  }
}
