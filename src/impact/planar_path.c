// planar_path.c: Routh's path of a planar impact in closed form, [WK] ch. 3. In the plane of impulses the path is made of at most
// two straight pieces: sliding along the line of limiting friction up to the line of sticking, then along that line where
// mu_s holds, or reversed sliding. On each piece S and C are linear in the normal impulse, so works are areas of
// trapezia, and the law gives the end of the path. All cases of Table 3.1 come out of one walk; the
// printed formulas of the cases, corrected, are in the tests. Left out: several points
// (multi_contact.c), space (spatial_path.c).
#include "impact/ratio/impulse_ratio.h"
#include "impact/tangential/tangential.h"

#include <math.h>

#define ROUNDING 1e-13 // of the works that were summed: a smaller gain is zero

static const char *const word[RH_CASE_COUNT] = {
    [RH_CASE_NONE] = "none",
    [RH_CASE_A] = "a",
    [RH_CASE_B] = "b",
    [RH_CASE_C] = "c",
    [RH_CASE_D] = "d",
    [RH_CASE_E] = "e",
    [RH_CASE_DIRECT_STICK] = "direct_stick",
    [RH_CASE_DIRECT_SLIDE] = "direct_slide",
    [RH_CASE_TANGENTIAL_STICK] = "tangential_c",
    [RH_CASE_TANGENTIAL_REVERSE] = "tangential_a",
    [RH_CASE_SPRING] = "spring",
    [RH_CASE_RATIO] = "ratio",
};

typedef struct piece { // effect of one unit of normal impulse
  double t;            // [1] tangential impulse
  double S, C;         // [1/kg] change of the velocities
} piece;

typedef struct walk {
  const rh_impact_law *law;
  const rh_planar_in *in;
  rh_planar_out *out;
  rh_impact_at at;
  double S, Pt, Wt;
  double taken, rubbed; // [J] sum of the sizes of all works, normal and tangential
  bool compressed;      // compression has ended
} walk;

// ---- Pieces

static piece sliding_piece(const rh_planar_in *in, double j)
{
  double t = -j * in->mu_k; // [WK] line F*
  return (piece){
      .t = t, .S = in->Ktn + in->Ktt * t, .C = in->Knn + in->Ktn * t}; // [WK] eq. 3.4, m_x*, m_y
}

// From S = 0: friction holds if it can; otherwise the normal impulse starts a slip.
static piece from_rest(const rh_planar_in *in, bool *sticks)
{
  *sticks = fmax(in->mu_s, in->mu_k) * in->Ktt >= fabs(in->Ktn);
  if (!*sticks) {
    return sliding_piece(in, in->Ktn > 0 ? 1 : -1);
  }
  double t = -in->Ktn / in->Ktt;
  return (piece){.t = t, .S = 0, .C = in->Knn + in->Ktn * t}; // [WK] m_y^sigma*
}

// ---- The walk

static void add_corner(walk *w)
{
  rh_planar_out *o = w->out;
  bool moved = o->ncorner == 0 || o->corner[o->ncorner - 1][1] != w->at.P;
  if (moved && o->ncorner < RH_COUNT(o->corner)) {
    o->corner[o->ncorner][0] = w->Pt;
    o->corner[o->ncorner][1] = w->at.P;
    o->ncorner++;
  }
}

static void go_along_piece(walk *w, const piece *p, double P)
{
  double d = P - w->at.P;
  double normal = (w->at.C + 0.5 * p->C * d) * d; // [WK] eq. 3.6
  double rub = (w->S + 0.5 * p->S * d) * p->t * d;
  w->at.W += normal;
  w->Wt += rub;
  w->taken += fabs(normal);
  w->rubbed += fabs(rub);
  w->at.P = P;
  w->at.C += p->C * d;
  w->S += p->S * d;
  w->Pt += p->t * d;
  add_corner(w);
}

// Along a piece, at most up to the normal impulse `stop`. True: the impact ended before.
static bool follow_piece(walk *w, const piece *p, double stop)
{
  if (!w->compressed) {
    double Pc = p->C > 0 ? w->at.P - w->at.C / p->C : HUGE_VAL; // [WK] P_yc*
    if (Pc > stop) {
      go_along_piece(w, p, stop);
      return false;
    }
    go_along_piece(w, p, Pc);
    w->at.C = 0;
    w->at.Pc = Pc;
    w->at.Wc = w->at.W;
    w->compressed = true;
  }
  double end = fmax(w->law->end(&w->at, p->C, w->in->e), w->at.P);
  go_along_piece(w, p, fmin(end, stop));
  return end <= stop;
}

// The case, [WK] Table 3.1.
static rh_planar_case walk_all(walk *w)
{
  const rh_planar_in *in = w->in;
  double j = in->S0 > 0 ? 1 : -1;
  bool sticks = false;
  piece after = from_rest(in, &sticks);
  if (in->S0 == 0) {
    w->out->Ps = 0;
    (void)follow_piece(w, &after, HUGE_VAL);
    return sticks ? RH_CASE_DIRECT_STICK : RH_CASE_DIRECT_SLIDE;
  }
  piece first = sliding_piece(in, j);
  double Ps = j * first.S < 0 ? -in->S0 / first.S : HUGE_VAL; // F meets S, [WK] eq. 3.3b*
  w->out->jam = first.C < 0;
  if (follow_piece(w, &first, Ps)) {
    return RH_CASE_E;
  }
  bool compressed = w->compressed;
  w->out->Ps = Ps;
  w->S = 0;
  (void)follow_piece(w, &after, HUGE_VAL);
  if (in->C0 == 0) {
    return sticks ? RH_CASE_TANGENTIAL_STICK : RH_CASE_TANGENTIAL_REVERSE;
  }
  if (compressed) {
    return sticks ? RH_CASE_D : RH_CASE_B;
  }
  return sticks ? RH_CASE_C : RH_CASE_A;
}

// Bodies that approach meet. Bodies that only slide on each other do so where sliding would press them together ever
// harder (a jam): no finite force can keep them apart then.
static bool bodies_meet(const rh_planar_in *in)
{
  if (in->C0 == 0 && in->S0 != 0) {
    return sliding_piece(in, in->S0 > 0 ? 1 : -1).C < 0;
  }
  return in->C0 < 0;
}

void rh_planar_impact(const rh_impact_law *law, const rh_planar_in *in, rh_planar_out *out)
{
  RH_ASSERT(in->Ktt > 0 && in->Knn > 0 && in->Ktt * in->Knn > in->Ktn * in->Ktn);
  walk w = {.law = law, .in = in, .out = out, .at = {.C = in->C0, .C0 = in->C0}, .S = in->S0};
  if (rh_tangential_applies(law, in->eta2)) {
    (void)rh_tangential_planar(in, NULL, NULL, out);
    return;
  }
  if (rh_ratio_applies(law, in->C0)) {
    rh_ratio_planar(in, NULL, NULL, out);
    return;
  }
  *out = (rh_planar_out){.kind = RH_CASE_NONE, .Ps = (double)NAN};
  add_corner(&w);
  if (bodies_meet(in)) {
    out->kind = walk_all(&w);
  }
  out->Sf = w.S;
  out->Cf = w.at.C;
  out->Pt = w.Pt;
  out->Pn = w.at.P;
  out->Pc = w.at.Pc;
  out->Dn = 0 - w.at.W;
  out->Dt = 0 - w.Wt;
  out->gained = out->Dn + out->Dt < -ROUNDING * (w.taken + w.rubbed);
  out->normal_gained = out->Dn < -ROUNDING * w.taken;
}

const char *rh_planar_case_word(rh_planar_case kind)
{
  return word[kind];
}
