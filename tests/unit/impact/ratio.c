// unit_ratio: impacts in which the impulses have a constant ratio (law brach): against their defining
// equations, in the plane and in space, and that no energy is created.
#include "impacts.h"

static double slip_energy(const rh_planar_in *in, const rh_planar_out *out)
{
  return contact_energy(in, out->Sf, out->Cf);
}

// P_t = -rho d P_n with |rho| <= mu, C_f = -e C_0, velocities by the inertia, losses by the energy.
START_TEST(equations_hold)
{
  const rh_impact_law *law = rh_impact_law_find("brach");
  rng r = {21};
  int stuck = 0;
  int pushed = 0;
  int none = 0;
  for (int i = 0; i < 20000; i++) {
    rh_planar_in in = random_impact(&r);
    rh_planar_out out;
    in.C0 = in.C0 == 0 ? -0.1 : in.C0;
    rh_planar_impact(law, &in, &out);
    double scale = fabs(in.S0) + fabs(in.C0);
    near_abs(out.Cf, -in.e * in.C0, 1e-13 * scale);
    near_abs(in.C0 + in.Knn * out.Pn + in.Ktn * out.Pt, out.Cf, 1e-11 * scale);
    near_abs(in.S0 + in.Ktn * out.Pn + in.Ktt * out.Pt, out.Sf, 1e-10 * scale);
    ck_assert(out.Pn > 0 && fabs(out.Pt) <= in.mu_k * out.Pn * (1 + 1e-12));
    double before = contact_energy(&in, in.S0, in.C0);
    near_abs(before - slip_energy(&in, &out), out.Dn + out.Dt, 1e-9 * before);
    ck_assert(out.Dn >= 0 && out.Dt >= -1e-12 * before && !out.gained);
    bool inside = fabs(out.Pt) < in.mu_k * out.Pn * (1 - 1e-9);
    // Inside the limit friction has ended the slip, or could only push: then it takes nothing.
    ck_assert(!inside || out.Sf == 0 || fabs(out.Dt) <= 1e-9 * before);
    stuck += out.Sf == 0;
    pushed += out.Pt * in.S0 > 0;
    none += out.Pt == 0 && in.mu_k > 0;
  }
  ck_assert(stuck > 1000 && pushed > 10 && none > 10);
}

END_TEST

// A planar impact posed in space, along any direction of the contact plane, is the same.
START_TEST(plane_and_space_agree)
{
  const rh_impact_law *law = rh_impact_law_find("brach");
  rng r = {22};
  for (int i = 0; i < 5000; i++) {
    rh_planar_in in = random_impact(&r);
    rh_planar_out plane;
    rh_point_out space;
    in.C0 = in.C0 == 0 ? -0.1 : in.C0;
    double angle = rng_in(&r, -3, 3);
    double c = cos(angle);
    double s = sin(angle);
    double other = in.Ktt * rng_in(&r, 0.5, 2);
    rh_point_in p = {.mu_s = in.mu_k, .mu_k = in.mu_k, .e = in.e};
    p.W[0] = c * c * in.Ktt + s * s * other;
    p.W[4] = s * s * in.Ktt + c * c * other;
    p.W[1] = p.W[3] = c * s * (in.Ktt - other);
    p.W[2] = p.W[6] = c * in.Ktn;
    p.W[5] = p.W[7] = s * in.Ktn;
    p.W[8] = in.Knn;
    p.u[0] = c * in.S0;
    p.u[1] = s * in.S0;
    p.u[2] = in.C0;
    rh_planar_impact(law, &in, &plane);
    ck_assert(rh_point_impact(law, &p, &space));
    double scale = plane.Pn + fabs(plane.Pt);
    near_abs(space.p[2], plane.Pn, 1e-10 * scale);
    near_abs(c * space.p[0] + s * space.p[1], plane.Pt, 1e-10 * scale);
    near_abs(space.Dt, plane.Dt, 1e-9 * scale);
    near_abs(space.Pc, plane.Pc, 1e-10 * scale);
  }
}

END_TEST

// Textbook: a ball without spin, mass 1, on the ground. Slip ends at mu = 2/7 (S / C) / (1 + e): with
// less friction the change of slip is 7/2 mu (1 + e) C, with more the ball rolls.
START_TEST(ball_on_the_ground)
{
  const rh_impact_law *law = rh_impact_law_find("brach");
  rh_planar_in in = {.Ktt = 3.5, .Knn = 1, .S0 = 2, .C0 = -1, .e = 0.5};
  rh_planar_out out;
  double critical = 2.0 / 7 * 2 / 1.5;
  in.mu_k = in.mu_s = 0.5 * critical;
  rh_planar_impact(law, &in, &out);
  near_rel(out.Sf, 1, 1e-14);
  near_rel(out.Pn, 1.5, 1e-14);
  in.mu_k = in.mu_s = 2 * critical;
  rh_planar_impact(law, &in, &out);
  near_abs(out.Sf, 0, 0);
  near_rel(out.Pt, -2 / 3.5, 1e-14);
  // Here the path of Coulomb's friction ends at the same place: they differ where the slip turns.
  rh_planar_out path;
  rh_planar_impact(rh_impact_law_find("newton"), &in, &path);
  near_rel(path.Pt, out.Pt, 1e-14);
  in.Ktn = -1.6;
  in.mu_k = in.mu_s = 0.3;
  rh_planar_impact(law, &in, &out);
  rh_planar_impact(rh_impact_law_find("newton"), &in, &path);
  ck_assert(fabs(path.Sf - out.Sf) > 1e-3);
}

END_TEST

Suite *rh_suite_unit_ratio(void)
{
  Suite *suite = suite_create("unit_ratio");
  TCase *tests = tcase_create("impulse ratio");
  tcase_add_test(tests, equations_hold);
  tcase_add_test(tests, plane_and_space_agree);
  tcase_add_test(tests, ball_on_the_ground);
  suite_add_tcase(suite, tests);
  return suite;
}
