// wk.c: measures and pictures of [WK]: ch. 2, and rigid bodies against compliant ones.
#include "wk.h"
#include "problems/problem_painleve.h"

// ---- Sec. 2.1.2: dependent constraints

// Forces of the supports of a block, of least norm, and the minimum and maximum of each.
void rh_draw_wk_supports(FILE *to, const rh_redone *redone)
{
  static const char *const id[] = {"block_2", "block_4", "block_9"};
  static const char *const title[] = {"two supports: determined", "four supports: two are free",
                                      "nine supports: seven are free"};
  for (int i = 0; i < RH_COUNT(id); i++) {
    const double frame[4] = {i / 3.0, 0, 1 / 3.0, 0.93};
    int n = rh_redone_length(redone, id[i], "lambda_min_norm");
    rh_wk_panel(to, frame, title[i]);
    fprintf(to, "$range << end\n");
    for (int k = 0; k < n; k++) {
      fprintf(to, "%d %.17g %.17g %.17g\n", k + 1,
              rh_redone_answer(redone, id[i], "lambda_min_norm", k),
              rh_redone_cell(redone, id[i], "lambda_range", k, 0),
              rh_redone_cell(redone, id[i], "lambda_range", k, 1));
    }
    fprintf(to,
            "end\nset xrange [0.3:%d.7]\nset yrange [0:27]\nset xtics 1\nset xlabel 'support'\nset "
            "ylabel 'force [N]'\nset key inside top right vertical\n",
            n);
    fputs(
        "plot $range using 1:2:3:4 with yerrorbars pt 0 lw 1.5 lc rgb '#0072B2' title 'possible', "
        "$range using 1:2 with points pt 7 ps 1.2 lc rgb '#D55E00' title 'least norm'\n",
        to);
  }
}

rh_status rh_find_wk_free_forces(rh_redone *redone)
{
  static const char *const id[] = {"block_2", "block_4", "block_9", "table_4"};
  for (int i = 0; i < RH_COUNT(id); i++) {
    RH_TRY(rh_redone_number(redone, id[i], "forces that are free",
                            rh_redone_answer(redone, id[i], "free", 0)));
  }
  return RH_OK;
}

// ---- Sec. 2.1.3: Painleve's rod

static void draw_map(FILE *to, double omega, const double frame[4])
{
  static const char *const color[] = {"#D55E00", "#d8d8d8", "#0072B2"};

  enum { COLUMNS = 60, ROWS = 50 };

  char title[RH_NAME_MAX];
  snprintf(title, sizeof title, "omega = %g rad/s", omega);
  rh_wk_panel(to, frame, title);
  for (int c = 0; c < 3; c++) {
    fprintf(to, "$class%d << end\n", c);
    for (int i = 0; i < COLUMNS * ROWS; i++) {
      rh_rod rod = {.m = 1, .l = 1, .I = 1.0 / 3, .g = 9.81, .slip_sign = -1, .omega = omega};
      rod.theta = (i % COLUMNS + 0.5) * rh_acos(0.0) / COLUMNS;
      int row = i / COLUMNS;
      rod.mu = (row + 0.5) * 3 / ROWS;
      if ((int)rh_rod_solve(&rod).cls == c) {
        fprintf(to, "%.6g %.6g\n", rod.theta * 90 / rh_acos(0.0), rod.mu);
      }
    }
    fputs("0 -1\nend\n", to); // never empty
  }
  fputs("set xrange [0:90]\nset yrange [0:3]\nset xlabel 'angle of the rod [degrees]'\nset ylabel "
        "'mu'\nunset key\nset samples 400\nset label 'one motion' at 12,0.6 front\nset label 'p = "
        "0' at "
        "18,2.6 front\nset label 'mu = 4/3, tan = 2' at 63.4,1.15 center front\n",
        to);
  fputs(
      omega > 0
          ? "set label 'several' at 58,2.4 center front tc rgb 'white'\nset label 'none' at 33,2.7 "
            "center front tc rgb 'white'\n"
          : "set label 'none' at 58,2.4 center front tc rgb 'white'\n",
      to);
  fputs("plot ", to);
  for (int c = 0; c < 3; c++) {
    fprintf(to, "$class%d with points pt 5 ps 0.8 lc rgb '%s', ", c, color[c]);
  }
  fputs(
      "(1 + 3 * cos(x * pi / 180)**2) / (3 * sin(x * pi / 180) * cos(x * pi / 180)) with lines lt "
      "1, "
      "'+' using (63.434948822922):(4.0 / 3) every ::0::0 with points pt 6 ps 1.5 lw 2 lc black\n",
      to);
}

void rh_draw_wk_painleve(FILE *to, const rh_redone *redone)
{
  (void)redone;
  const double left[4] = {0, 0, 0.5, 0.93};
  const double right[4] = {0.5, 0, 0.5, 0.93};
  draw_map(to, 0, left);
  draw_map(to, 4, right);
}

// ---- Sec. 1.3 (3): rigid against compliant

rh_status rh_find_wk_order(rh_redone *redone)
{
  double want = redone->found[2].want;
  double coarse = fabs(redone->found[5].got - want);
  double fine = fabs(redone->found[6].got - want);
  return rh_redone_number(redone, "springs", "order: difference ~ k to the power", // two decades
                          rh_log10(fine / coarse) / 2);
}
