// patch.c: figures of [WK] ch. 4: the compliant patch against Hertz, and against Cattaneo and Mindlin.
#include "wk.h"

static const char *const sphere[] = {"sphere_8", "sphere_16", "sphere_32", "sphere_64"};
static const double cells[] = {8, 16, 32, 64};

enum { SPHERES = RH_COUNT(sphere), SHIFTS = 10 };

static double off_by(const rh_redone *redone, int i, const char *got, const char *want)
{
  return fabs(rh_redone_answer(redone, sphere[i], got, 0) /
                  rh_redone_answer(redone, sphere[i], want, 0) -
              1);
}

// ---- Fig. 4.1

// The finest patch is nearest to Hertz. The edge of the contact is between cells, so that the error
// of the load does not fall smoothly.
rh_status rh_find_wk_hertz(rh_redone *redone)
{
  for (int i = 0; i < SPHERES; i++) {
    RH_TRY(rh_redone_number(redone, sphere[i], "load over Hertz's, less 1",
                            off_by(redone, i, "F", "F_hertz")));
    RH_TRY(rh_redone_number(redone, sphere[i], "peak over Hertz's, less 1",
                            off_by(redone, i, "p_max", "p0_hertz")));
  }
  return RH_OK;
}

static void draw_pressure(FILE *to, const rh_redone *redone)
{
  const double frame[4] = {0, 0, 0.56, 0.93};
  double a = rh_redone_answer(redone, sphere[0], "a_hertz", 0);
  double p0 = rh_redone_answer(redone, sphere[0], "p0_hertz", 0);
  rh_wk_panel(to, frame, "pressure along the row next to the middle");
  for (int i = 0; i < SPHERES; i++) {
    double h = rh_redone_answer(redone, sphere[i], "h", 0);
    int n = rh_redone_length(redone, sphere[i], "row_forces");
    fprintf(to, "$row%d << end\n", i);
    for (int k = 0; k < n; k++) {
      fprintf(to, "%.9g %.9g\n", (k + 0.5 - 0.5 * n) * h / a,
              rh_redone_answer(redone, sphere[i], "row_forces", k) / (h * h) / p0);
    }
    fputs("end\n", to);
  }
  fputs("set xlabel 'x / a'\nset ylabel 'p / p_0' noenhanced\nset xrange [-1.2:1.2]\nset yrange "
        "[0:1.08]\nset samples 600\nset key "
        "inside bottom center vertical\nplot ",
        to);
  for (int i = 0; i < SPHERES; i++) {
    fprintf(to, "$row%d with histeps lt %d title '%g x %g cells', ", i, i + 2, cells[i], cells[i]);
  }
  fputs("abs(x) < 1 ? sqrt(1 - x * x) : 0 with lines lt 1 title 'Hertz'\n", to);
}

static void draw_convergence(FILE *to, const rh_redone *redone)
{
  const double frame[4] = {0.56, 0, 0.44, 0.93};
  rh_wk_panel(to, frame, "distance from Hertz");
  fputs("$off << end\n", to);
  for (int i = 0; i < SPHERES; i++) {
    fprintf(to, "%g %.6g %.6g\n", cells[i], off_by(redone, i, "F", "F_hertz"),
            off_by(redone, i, "p_max", "p0_hertz"));
  }
  fputs("end\nset logscale xy\nset xrange [6:80]\nset xtics (8,16,32,64)\nset xlabel 'cells along "
        "a side'\nset ylabel ''\nset format "
        "y '10^{%T}'\nset key inside bottom left vertical\nplot $off using 1:2 with linespoints lt "
        "2 pt 7 "
        "title 'load', $off using "
        "1:3 with linespoints lt 3 pt 5 title 'peak pressure', 5.76 / x**2 with lines lt 1 lw 1 "
        "title '(h/a)^2' noenhanced\nset format "
        "y\n",
        to);
}

void rh_draw_wk_patch(FILE *to, const rh_redone *redone)
{
  draw_pressure(to, redone);
  draw_convergence(to, redone);
}

// ---- Sec. 4.2: tangential

static void shift_id(int i, char id[RH_NAME_MAX])
{
  snprintf(id, RH_NAME_MAX, "shift_%d", i + 1);
}

// Q over mu P at a share of the shift of full slip: 1 - (1 - s)^(3/2).
static double mindlin_at(double s)
{
  return s < 1 ? 1 - rh_pow(1 - s, 1.5) : 1;
}

static double full_slip(const rh_redone *redone)
{
  return rh_redone_row(redone, "mindlin", "rows", 0, "full_slip_delta");
}

static double load_of(const rh_redone *redone, const char *id)
{
  return rh_redone_answer(redone, id, "Q", 0) /
         (rh_redone_given(redone, id, "mu") * rh_redone_answer(redone, id, "P", 0));
}

rh_status rh_find_wk_mindlin(rh_redone *redone)
{
  for (int i = 0; i < SHIFTS; i++) {
    char id[RH_NAME_MAX];
    shift_id(i, id);
    double s = rh_redone_given(redone, id, "delta_t") / full_slip(redone);
    RH_TRY(rh_redone_number(redone, id, "Q / (mu P) less Cattaneo and Mindlin's",
                            load_of(redone, id) - mindlin_at(s)));
  }
  return RH_OK;
}

void rh_draw_wk_tangential(FILE *to, const rh_redone *redone)
{
  static const char *const title[] = {"tangential load", "part that sticks"};
  for (int p = 0; p < 2; p++) {
    const double frame[4] = {0.5 * p, 0, 0.5, 0.93};
    rh_wk_panel(to, frame, title[p]);
    fputs("$patch << end\n", to);
    for (int i = 0; i < SHIFTS; i++) {
      char id[RH_NAME_MAX];
      shift_id(i, id);
      double s = rh_redone_given(redone, id, "delta_t") / full_slip(redone);
      fprintf(to, "%.9g %.9g\n", s,
              p == 0 ? load_of(redone, id) : rh_redone_answer(redone, id, "c_over_a_cells", 0));
    }
    fputs("end\nset xlabel 'shift / shift of full slip'\nset xrange [0:1.1]\nset yrange "
          "[0:1.1]\nset samples 600\n",
          to);
    fputs(p == 0 ? "set ylabel 'Q / (mu P)'\nset key inside bottom right vertical\n"
                 : "set ylabel 'c / a'\nset key inside bottom left vertical\n",
          to);
    fputs(p == 0
              ? "plot x < 1 ? 1 - (1 - x)**1.5 : 1 with lines lt 1 title 'Cattaneo and Mindlin', "
              : "plot x < 1 ? sqrt(1 - x) : 0 with lines lt 1 title 'Cattaneo and Mindlin', ",
          to);
    fputs("$patch with points pt 7 ps 1.2 lc rgb '#D55E00' title 'patch, 24 x 24 cells'\n", to);
  }
}
