// draw.c: pictures of the runs of the peg: paths of the hand, forces on it, metrics.
#include "csc.h"

#include <string.h>

// The ideals are drawn in grey, below the others.
static void put_line(FILE *to, const rh_csc_run *run, int at)
{
  static const char *const color[] = {"#D55E00", "#0072B2", "#009E73", "#CC79A7"};
  bool other = strcmp(run->ask.method, "ideal-moreau") == 0;
  if (run->ask.sub > 1) {
    fprintf(to, "lw %s dt %s lc rgb '%s' ", other ? "1.6" : "5", other ? "3" : "solid",
            other ? "#505050" : "#c0c0c0");
  } else {
    fprintf(to, "lw 1.6 dt solid lc rgb '%s' ", color[at % RH_COUNT(color)]);
  }
}

// `columns` NULL: the legend alone
static void put_lines(FILE *to, const rh_csc_set *set, const char *columns)
{
  int at = 0;
  for (int i = 0; i < set->n; i++) {
    fputs(i > 0 ? ", " : "", to);
    if (columns != NULL) {
      fprintf(to, "$run%d using %s with lines ", i, columns);
    } else {
      fputs("NaN with lines ", to);
    }
    put_line(to, &set->run[i], at);
    at += set->run[i].ask.sub == 1;
    fputs(columns != NULL ? "notitle" : "title ", to);
    if (columns == NULL) {
      rh_gnuplot_quote(to, set->run[i].ask.label);
    }
  }
  fputc('\n', to);
}

static void put_legend(FILE *to, const rh_csc_set *set)
{
  rh_ch_panel(to, 0, 0, 1, 0.06, "");
  fputs("unset border\nunset tics\nset xlabel ''\nset ylabel ''\nset xrange [0:1]\nset yrange "
        "[0:1]\nset key center center horizontal maxrows 1 inside\nplot ",
        to);
  put_lines(to, set, NULL);
  fputs("set key maxrows auto\nset border 3\nset tics\n", to);
}

static void put_runs(FILE *to, const rh_csc_set *set)
{
  for (int i = 0; i < set->n; i++) {
    const rh_csc_run *r = &set->run[i];
    fprintf(to, "$run%d << end\n", i);
    for (int k = 0; k < r->n && k < 3 * RH_CSC_RATE; k++) { // t, x, y, angle, fx, fy, torque
      fprintf(to, "%.7g %.6g %.6g %.6g %.6g %.6g %.6g\n", (k + 1.0) / RH_CSC_RATE,
              1e3 * r->hand[k][0], 1e3 * r->hand[k][1], r->hand[k][2], r->wrench[k][0],
              r->wrench[k][1], r->wrench[k][2]);
    }
    fputs("end\n", to);
  }
}

static void put_peg(FILE *to, int i, const double at[3])
{
  static const double corner[5][2] = {
      {10.5, 5.25}, {-10.5, 5.25}, {-10.5, -5.25}, {10.5, -5.25}, {10.5, 5.25}};
  fprintf(to, "$peg%d << end\n", i);
  for (int k = 0; k < 5; k++) {
    fprintf(to, "%.6g %.6g\n",
            1e3 * at[0] + rh_cos(at[2]) * corner[k][0] - rh_sin(at[2]) * corner[k][1],
            1e3 * at[1] + rh_sin(at[2]) * corner[k][0] + rh_cos(at[2]) * corner[k][1]);
  }
  fputs("end\n", to);
}

void rh_draw_csc_paths(FILE *to, const rh_redone *redone)
{
  const rh_csc_set *set = redone->kept;
  put_runs(to, set);
  put_peg(to, 0, set->run[0].ask.q0);
  put_peg(to, 1, set->run[0].hand[set->run[0].n - 1]);
  rh_ch_panel(to, 0, 0.42, 0.5, 0.52, "the peg, pushed into the corner; paths of the hand");
  fputs("set xlabel 'x [mm]'\nset ylabel 'y [mm]'\nset xrange [-4:56]\nset yrange [-46:4]\nset "
        "object 1 rectangle from -4,-46 to 0,4 fillcolor rgb '#d8d8d8' fillstyle solid noborder "
        "behind\nset object 2 rectangle from -4,0 to 56,4 fillcolor rgb '#d8d8d8' fillstyle solid "
        "noborder behind\nunset key\nplot $peg0 with lines lw 1 dt 2 lc rgb '#606060', $peg1 with "
        "lines lw 1 lc rgb '#606060', ",
        to);
  put_lines(to, set, "2:3");
  rh_ch_panel(to, 0.5, 0.42, 0.5, 0.52, "near the corner; the cross: flush");
  fputs("unset object\nset xlabel 'x [mm]'\nset ylabel ''\nset xrange [8:14]\nset yrange "
        "[-8:-3.5]\nunset key\n$flush << end\n10.5 -5.25\nend\nplot $flush with points pt 2 ps 1.4 "
        "lw 1.5 lc rgb '#404040', ",
        to);
  put_lines(to, set, "2:3");
  rh_ch_panel(to, 0, 0.05, 1, 0.36, "");
  fputs("set xlabel 'time [s]'\nset ylabel 'angle [rad]'\nset xrange [0:3]\nunset key\nset offsets "
        "0,0,graph 0.05,0\nset "
        "xzeroaxis lt 1 lw 0.6 dt solid lc rgb '#808080'\nplot ",
        to);
  put_lines(to, set, "1:4");
  put_legend(to, set);
}

// A force or torque in two panels: during collisions, and the part below `near` over a longer time.
static void put_force(FILE *to, const rh_csc_set *set, int row, const char *name, double near)
{
  for (int i = 0; i < 2; i++) {
    rh_ch_panel(to, i == 0 ? 0 : 0.5, row == 0 ? 0.5 : 0.06, 0.5, row == 0 ? 0.44 : 0.44,
                i == 0 ? "collisions" : "small forces, longer");
    fputs("set xlabel 'time [s]'\nset ylabel ", to);
    rh_gnuplot_quote(to, i == 0 ? name : "");
    fputs("\nunset key\nset xzeroaxis lt 1 lw 0.6 dt solid lc rgb '#808080'\n", to);
    if (i == 0) {
      fputs("set xrange [0.5:0.9]\nset offsets 0,0,graph 0.05,graph 0.05\nplot ", to);
    } else {
      fprintf(to, "set xrange [0.4:3]\nset yrange [%g:%g]\nplot ", row == 0 ? -near / 4 : -near,
              near);
    }
    put_lines(to, set, row == 0 ? "1:5" : "1:7");
  }
}

void rh_draw_csc_forces(FILE *to, const rh_redone *redone)
{
  put_runs(to, redone->kept);
  put_force(to, redone->kept, 0, "force on the hand, x [N]", 8);
  put_force(to, redone->kept, 1, "torque on the hand [N m]", 0.06);
  put_legend(to, redone->kept);
}

static void put_bars(FILE *to, const rh_redone *redone, int panel, const char *title,
                     const char *const name[2])
{
  const rh_csc_set *set = redone->kept;
  rh_ch_panel(to, panel % 2 == 0 ? 0 : 0.5, panel < 2 ? 0.48 : 0, 0.5, panel < 2 ? 0.46 : 0.48,
              title);
  fputs("$bars << end\n", to);
  for (int i = 0; i < set->n; i++) {
    const rh_csc_run *r = &set->run[i];
    const double value[4][2] = {{1e3 * r->r.pen_hand, 1e3 * r->r.pen_tool},
                                {r->r.t_pos, r->r.t_ang},
                                {fmax(r->r.peak[0], r->r.peak[1]), 100 * r->r.peak[5]},
                                {1e3 * r->rms[0], 1e3 * r->rms[1]}};
    fprintf(to, "\"%s\" %.6g %.6g\n", r->ask.label, value[panel][0], value[panel][1]);
  }
  fputs("end\nset style data histograms\nset style histogram clustered gap 1\nset style fill solid "
        "0.9 noborder\nset boxwidth 0.9\nset xlabel ''\nset ylabel ''\nset xtics rotate by -28 "
        "font ',9'\nset key inside top left vertical Left reverse\nset offsets 0,0,graph 0.22,0\n",
        to);
  fputs(panel == 2 ? "set logscale y\nset yrange [1:2000]\n" : "set yrange [0:*]\n", to);
  fprintf(to,
          "plot $bars using 2:xtic(1) lc rgb '#0072B2' title '%s', $bars using 3 lc rgb '#E69F00' "
          "title '%s'\n",
          name[0], name[1]);
  fputs("set style data points\nset xtics norotate font ',11'\n", to);
}

void rh_draw_csc_metrics(FILE *to, const rh_redone *redone)
{
  static const char *const name[4][2] = {{"of the hand", "of the tool"},
                                         {"place", "angle"},
                                         {"force [N]", "torque [0.01 N m]"},
                                         {"to the ideal by eq. 15", "to the unilateral ideal"}};
  put_bars(to, redone, 0, "deepest penetration [mm]", name[0]);
  put_bars(to, redone, 1, "settled [s]; 6: not within 6 s", name[1]);
  put_bars(to, redone, 2, "maximum force and torque on the hand", name[2]);
  put_bars(to, redone, 3, "rms distance of the hand's corners [mm]", name[3]);
}
