// stability.c: [CSC] sec. VI: the map of rates and stiffnesses that a haptic loop renders stably, from
// the answers of haptic_stability. Circles are the closed form with torque feedback.
#include "csc.h"

enum { LEVERS = 3 };

static const char *const id[LEVERS] = {"lever 0", "lever 10.5 mm", "lever 50 mm"};

// (4/(1/m + r^2/I) - 2 b dt)/dt^2
static double stable_stiffness(const rh_redone *redone, int lever, double rate)
{
  double r = rh_redone_given(redone, id[lever], "lever");
  double m = rh_redone_given(redone, id[lever], "m_tool");
  double I = rh_redone_given(redone, id[lever], "I_tool");
  double b = rh_redone_given(redone, id[lever], "b");
  return (4 / (1 / m + r * r / I) - 2 * b / rate) * rate * rate;
}

void rh_draw_csc_stability(FILE *to, const rh_redone *redone)
{
  static const double rate[] = {128, 256, 512, 1000, 2000, 4000}; // of the problem file
  for (int k = 0; k < LEVERS; k++) {
    rh_ch_panel(to, k / 3.0, 0, 1 / 3.0, 0.93, id[k]);
    fputs("$map << end\n", to);
    for (int i = 0; i < RH_COUNT(rate); i++) {
      fprintf(to, "%g %.8g %.8g %.8g\n", rate[i], rh_redone_cell(redone, id[k], "k_stable", i, 0),
              rh_redone_cell(redone, id[k], "k_stable", i, 1),
              stable_stiffness(redone, k, rate[i]));
    }
    fputs("end\nset logscale xy\nset xrange [128:4000]\nset yrange [1e4:2e8]\nset xtics (128, 256, "
          "512, 1000, 2000, 4000)\nset ytics format '10^{%T}'\nset xlabel 'rate [1/s]'\nset ylabel "
          "'stiffness of the wall [N/m]'\nset key inside bottom right\nset label 1 'stable' at "
          "700,5e4 front\nset label 2 'unstable' at 180,5e7 front\n",
          to);
    fputs(
        "plot $map using 1:2:(1e4) with filledcurves fs solid 0.2 noborder lc rgb '#56B4E9' "
        "notitle, $map using 1:2 with lines lw 2 lc rgb '#0072B2' title 'force and torque', $map "
        "using 1:3 with lines dt 2 lw 2 lc rgb '#D55E00' title 'force alone', $map using 1:4 with "
        "points pt 6 lc black title 'closed form'\nunset label 1\nunset label 2\nunset "
        "logscale\nset format y\nset xtics autofreq\nset ytics autofreq\n",
        to);
  }
}
