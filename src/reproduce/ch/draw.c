// draw.c: shared by the pictures of [Ch].
#include "ch.h"

void rh_ch_panel(FILE *to, double left, double low, double wide, double high, const char *title)
{
  fprintf(
      to,
      "unset arrow\nunset label\nunset xzeroaxis\nunset object\nset autoscale\nset xtics autofreq "
      "format '%%g' "
      "noenhanced\nset ytics autofreq nomirror format '%%g'\nunset y2tics\nunset y2label\nset "
      "border 3\nunset "
      "logscale\nset origin %.4f,%.4f\nset size noratio %.4f,%.4f\nset offsets 0,0,0,0\nset title ",
      left, low, wide, high);
  rh_gnuplot_quote(to, title);
  fputs(" noenhanced\nset key noenhanced\n", to);
}

void rh_ch_put_differences(FILE *to, const rh_redone *redone, double left, double wide)
{
  rh_ch_panel(to, left, 0, wide, 0.93, "difference of each number over its tolerance");
  fputs("$off << end\n", to);
  for (int i = 0; i < redone->nfound; i++) {
    const rh_found *f = &redone->found[i];
    double off = f->allowed > 0 ? fabs(f->got - f->want) / f->allowed : 0;
    fprintf(to, "%d %.9g\n", i + 1, fmax(off, 1e-12));
  }
  fputs("end\nset logscale y\nset yrange [5e-13:1e3]\nset format y '%.0e'\nset xlabel "
        "'number'\nset ylabel 'difference / "
        "allowed'\nset key inside top right\nplot $off using 1:2 with points pt 7 ps 0.8 lc rgb "
        "'#0072B2' title "
        "'numbers', 1 with lines lw 1.5 dt 2 lc rgb '#D55E00' title 'allowed'\nunset format\n",
        to);
}

void rh_draw_ch_differences(FILE *to, const rh_redone *redone)
{
  rh_ch_put_differences(to, redone, 0, 1);
}
