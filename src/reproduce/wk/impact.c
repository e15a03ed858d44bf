// impact.c: measures and pictures of [WK] ch. 3. In addition to the numbers of the problem
// files, claims of the report on all impacts are checked with many random ones: Table 3.1, and the
// effect of each law on the energy.
#include "wk.h"

#include <string.h>

enum { CENSUS = 20000, DOTS = 2500, SEED = 1991 };

// ---- Table 3.1

// Column of the table: 0 compression, 1 restitution, 2 sliding. Friction along F alone, [WK] eq. 3.3*: stops at P_ys, closes
// at P_yc.
static int column_of(const rh_planar_in *in, double *ratio)
{
  double j = in->S0 > 0 ? 1 : -1;
  double Pys = in->S0 / (j * in->mu_k * in->Ktt - in->Ktn);
  double Pyc = -in->C0 / (in->Knn - j * in->mu_k * in->Ktn);
  *ratio = Pys / Pyc;
  if (Pys > 0 && (Pys < Pyc || Pyc < 0)) {
    return 0;
  }
  return Pyc > 0 && Pyc < Pys && Pys <= (1 + in->e) * Pyc ? 1 : 2;
}

// The table's answer. Its rows: friction can hold the stopped contact, or not.
static rh_planar_case table_case(const rh_planar_in *in)
{
  static const rh_planar_case cell[2][3] = {{RH_CASE_C, RH_CASE_D, RH_CASE_E},
                                            {RH_CASE_A, RH_CASE_B, RH_CASE_E}};
  double ratio = 0;
  return cell[in->mu_s * in->Ktt < fabs(in->Ktn)][column_of(in, &ratio)];
}

// Does the tangential velocity after belong to the row of its case?
static bool row_holds(const rh_planar_in *in, const rh_planar_out *out)
{
  double along = in->S0 > 0 ? out->Sf : -out->Sf;
  return out->kind == RH_CASE_E                             ? along > 0
         : out->kind == RH_CASE_A || out->kind == RH_CASE_B ? along < 0
                                                            : fabs(along) < 1e-12;
}

// The number of each case, and the number of those that differ from the table.
static int count_cases(const rh_impact_law *law, int count[RH_CASE_COUNT])
{
  uint64_t seed = SEED;
  int wrong = 0;
  for (int i = 0; i < CENSUS; i++) {
    rh_planar_in in = rh_wk_random(&seed);
    rh_planar_out out;
    rh_planar_impact(law, &in, &out);
    wrong += table_case(&in) != out.kind || !row_holds(&in, &out);
    count[out.kind]++;
  }
  return wrong;
}

static rh_status add_cases(rh_redone *redone, const char *law)
{
  int count[RH_CASE_COUNT] = {0};
  int wrong = count_cases(rh_impact_law_find(law), count);
  RH_TRY(rh_redone_number(redone, law, "20000 random ones that differ from the table", wrong));
  for (int c = 0; c <= RH_CASE_E - RH_CASE_A; c++) {
    char name[RH_NAME_MAX];
    snprintf(name, sizeof name, "of case (%c)", 'a' + c);
    RH_TRY(rh_redone_number(redone, law, name, count[RH_CASE_A + c]));
  }
  return RH_OK;
}

rh_status rh_find_wk_cases(rh_redone *redone)
{
  rh_status status = RH_OK;
  for (int law = 0; law < RH_WK_LAWS && status == RH_OK; law++) {
    status = add_cases(redone, rh_wk_law[law]);
  }
  return status;
}

void rh_draw_wk_cases(FILE *to, const rh_redone *redone)
{
  static const char *const color[] = {"#0072B2", "#56B4E9", "#D55E00", "#E69F00", "#909090"};
  static const char *const text[] = {"(a) reverses, compression", "(b) reverses, restitution",
                                     "(c) sticks, compression", "(d) sticks, restitution",
                                     "(e) slides"};
  const double frame[4] = {0, 0, 1, 0.94};
  (void)redone;
  rh_wk_panel(to, frame, "random impacts under Stronge's law, e = 0.5: the lines are the table's");
  for (int c = 0; c < 5; c++) {
    uint64_t seed = SEED;
    fprintf(to, "$case%d << end\n", c);
    for (int i = 0; i < DOTS; i++) {
      rh_planar_in in = rh_wk_random(&seed);
      rh_planar_out out;
      double ratio = 0;
      in.e = 0.5;
      rh_planar_impact(rh_impact_law_find("stronge"), &in, &out);
      (void)column_of(&in, &ratio);
      if ((int)out.kind - (int)RH_CASE_A == c) {
        fprintf(to, "%.6g %.6g\n", ratio, in.mu_k * in.Ktt / fabs(in.Ktn));
      }
    }
    fputs("end\n", to);
  }
  fputs("set xrange [-3:5]\nset yrange [0:4]\nset xlabel 'P_ys / P_yc' noenhanced\nset ylabel 'mu "
        "|m3| / m1'\nset key "
        "outside below horizontal\nset arrow from 1,graph 0 to 1,graph 1 nohead lw 1.5 dt 2 lc "
        "black\nset arrow from "
        "1.5,graph 0 to 1.5,graph 1 nohead lw 1.5 dt 2 lc black\nset arrow from 0,graph 0 to "
        "0,graph 1 nohead lw 1 dt 3 lc "
        "black\nset arrow from graph 0,first 1 to graph 1,first 1 nohead lw 1.5 dt 2 lc black\nset "
        "label '1 + e' at "
        "1.5,graph 1.015 center\nset label 'P_yc < 0: jam' at -2.9,3.8 left noenhanced\nset label "
        "'P_ys < 0' at -2.9,0.15 "
        "left noenhanced\nplot ",
        to);
  for (int c = 0; c < 5; c++) {
    fprintf(to, "%s$case%d with points pt 7 ps 0.35 lc rgb '%s' title '%s'", c > 0 ? ", " : "", c,
            color[c], text[c]);
  }
  fputc('\n', to);
}

// ---- Figs 3.1 to 3.3

// Works by the closed forms of the report, corrected, from the computed impulses: [WK] eqs. 3.7* to
// 3.11*.
static double closed_normal_loss(const rh_planar_in *in, const rh_planar_out *out)
{
  double j = in->S0 > 0 ? 1 : -1;
  double before = in->Knn - j * in->mu_k * in->Ktn; // -1 / m_y+
  double after = 0;                                 // -1 / m_y- or -1 / m_y_sigma
  bool sticks = out->kind == RH_CASE_C || out->kind == RH_CASE_D;
  bool stops = sticks || out->kind == RH_CASE_A || out->kind == RH_CASE_B;
  double Ps = stops ? out->Ps : out->Pn;
  after = sticks ? in->Knn - in->Ktn * in->Ktn / in->Ktt : in->Knn + j * in->mu_k * in->Ktn;
  double rest = out->Pn - Ps;
  double C = in->C0 + before * Ps;
  return -(in->C0 * Ps + 0.5 * before * Ps * Ps) - (C * rest + 0.5 * after * rest * rest);
}

static double closed_friction_loss(const rh_planar_in *in, const rh_planar_out *out)
{
  double j = in->S0 > 0 ? 1 : -1;
  double mu = in->mu_k;
  bool reverses = out->kind == RH_CASE_A || out->kind == RH_CASE_B;
  bool slides = out->kind == RH_CASE_E;
  double Ps = slides ? out->Pn : out->Ps;
  double rest = reverses ? out->Pn - out->Ps : 0;
  double slope = in->Ktn - j * mu * in->Ktt; // of S along F
  double back = in->Ktn + j * mu * in->Ktt;  // and after the reversal
  return j * mu * (in->S0 * Ps + 0.5 * slope * Ps * Ps) - 0.5 * j * mu * back * rest * rest;
}

rh_status rh_find_wk_works(rh_redone *redone)
{
  for (int law = 0; law < RH_WK_LAWS; law++) {
    const rh_impact_law *row = rh_impact_law_find(rh_wk_law[law]);
    uint64_t seed = SEED;
    double worst = 0;
    for (int i = 0; i < CENSUS; i++) {
      rh_planar_in in = rh_wk_random(&seed);
      rh_planar_out out;
      rh_planar_impact(row, &in, &out);
      double size = fabs(in.C0) * out.Pn + fabs(in.S0 * out.Pt) + out.Pn * out.Pn;
      worst = fmax(worst, fabs(out.Dn - closed_normal_loss(&in, &out)) / size);
      worst = fmax(worst, fabs(out.Dt - closed_friction_loss(&in, &out)) / size);
    }
    RH_TRY(rh_redone_number(redone, rh_wk_law[law],
                            "20000 random ones, works against eqs. 3.7* to 3.11*", worst));
  }
  return RH_OK;
}

// ---- Sec. 3.2: energy

typedef struct census {
  int gained,
      normal; // impacts that created energy; whose normal impulse alone returned more than it took
  int wrong;  // that differ from the closed form, of those that end in sticking
} census;

static census energy_of(const rh_impact_law *law, bool newton)
{
  census count = {0};
  uint64_t seed = SEED;
  for (int i = 0; i < CENSUS; i++) {
    rh_planar_in in = rh_wk_random(&seed);
    rh_planar_out out;
    rh_planar_impact(law, &in, &out);
    count.gained += out.gained;
    count.normal += out.normal_gained;
    double rule = 2 * in.S0 * in.C0 * in.Ktn - in.Knn * in.S0 * in.S0 -
                  (1 - in.e * in.e) * in.Ktt * in.C0 * in.C0;
    bool sticks = out.kind == RH_CASE_C || out.kind == RH_CASE_D;
    count.wrong += newton && sticks && out.gained != (rule > 0);
  }
  return count;
}

static rh_status add_energy(rh_redone *redone, const char *law, const census *c)
{
  RH_TRY(rh_redone_number(redone, law, "20000 random ones, energy created", c->gained));
  return rh_redone_number(redone, law, "20000 random ones, D_n < 0", c->normal);
}

rh_status rh_find_wk_energy(rh_redone *redone)
{
  census n = energy_of(rh_impact_law_find("newton"), true);
  census p = energy_of(rh_impact_law_find("poisson"), false);
  census s = energy_of(rh_impact_law_find("stronge"), false);
  RH_TRY(add_energy(redone, "newton", &n));
  RH_TRY(
      rh_redone_number(redone, "newton", "that differ from the rule of docs/impacts.md", n.wrong));
  RH_TRY(add_energy(redone, "poisson", &p));
  return add_energy(redone, "stronge", &s);
}

// Loss of one impact against e.
static void draw_loss(FILE *to, const rh_redone *redone)
{
  static const char *const id = "two_d_gain/newton";
  const double frame[4] = {0, 0, 0.5, 0.93};
  rh_planar_in in = rh_wk_impact(redone, id);
  rh_wk_panel(to, frame, "T1 - T0 of the impact two_d_gain");
  for (int law = 0; law < RH_WK_LAWS; law++) {
    fprintf(to, "$law%d << end\n", law);
    for (int i = 0; i <= 100; i++) {
      rh_planar_out out;
      in.e = 0.01 * i;
      rh_planar_impact(rh_impact_law_find(rh_wk_law[law]), &in, &out);
      fprintf(to, "%.4g %.9g\n", in.e, -(out.Dn + out.Dt));
    }
    fputs("end\n", to);
  }
  fputs("set xlabel 'e'\nset ylabel 'energy [J]'\nset xzeroaxis lt 1 lw 0.8 dt solid lc rgb "
        "'#909090'\nset key inside top left vertical\nset "
        "offsets 0,0,graph 0.05,graph 0.05\nplot ",
        to);
  for (int law = 0; law < RH_WK_LAWS; law++) {
    fprintf(to, "%s$law%d with lines lt %d title '%s'", law > 0 ? ", " : "", law, law + 1,
            rh_wk_law[law]);
  }
  fputc('\n', to);
}

// D_n and D_t of random impacts over the kinetic energy of the contact motion, 1/2 u' K^-1 u.
static void draw_census(FILE *to)
{
  const double frame[4] = {0.5, 0, 0.5, 0.93};
  static const char *const color[RH_WK_LAWS] = {"#CC79A7", "#56B4E9", "#E69F00"};
  rh_wk_panel(to, frame, "random impacts: left of the line energy is created");
  for (int law = 0; law < RH_WK_LAWS; law++) {
    uint64_t seed = SEED;
    fprintf(to, "$law%d << end\n", law);
    for (int i = 0; i < DOTS; i++) {
      rh_planar_in in = rh_wk_random(&seed);
      rh_planar_out out;
      rh_planar_impact(rh_impact_law_find(rh_wk_law[law]), &in, &out);
      double E = 0.5 *
                 (in.Knn * in.S0 * in.S0 - 2 * in.Ktn * in.S0 * in.C0 + in.Ktt * in.C0 * in.C0) /
                 (in.Ktt * in.Knn - in.Ktn * in.Ktn);
      fprintf(to, "%.6g %.6g\n", out.Dn / E, out.Dt / E);
    }
    fputs("end\n", to);
  }
  fputs("set xrange [-1:1]\nset yrange [0:1]\nset xlabel 'D_n / E' noenhanced\nset ylabel 'D_t / "
        "E' noenhanced\nset key outside below horizontal\n"
        "plot ",
        to);
  for (int law = RH_WK_LAWS - 1; law >= 0; law--) {
    fprintf(to, "$law%d with points pt 7 ps 0.3 lc rgb '%s' title '%s', ", law, color[law],
            rh_wk_law[law]);
  }
  fputs("-x with lines lt 1 title 'D_n + D_t = 0' noenhanced\n", to);
}

void rh_draw_wk_energy(FILE *to, const rh_redone *redone)
{
  draw_loss(to, redone);
  draw_census(to);
}
