// ref_point.c: impacts at one point in space against the reference numbers: any inertia, balls, rods, corners of blocks, the
// path on the way, e < 0, and the critical coefficient.
#include "data/point.h"
#include "free_body_impact.h"
#include "impact/impact.h"
#include "test.h"

#include <string.h>

static const char *const law_name[] = {"newton", "poisson", "stronge"};

static rh_point_out strike(const char *law, const rh_point_in *in)
{
  rh_point_out out;
  ck_assert(rh_point_impact(rh_impact_law_find(law), in, &out));
  return out;
}

static rh_point_in input_of(const double *W, const double *u, double mu, double e)
{
  rh_point_in in = {.mu_s = mu, .mu_k = mu, .e = e};
  memcpy(in.W, W, sizeof in.W);
  memcpy(in.u, u, sizeof in.u);
  return in;
}

// ---- Reference numbers. They are stated to 1e-6; the other integration they come from shows 1e-11 when compared.

static const double stated = 1e-10;

static void near_case(const rh_point_out *out, const point_case *want)
{
  const double got[10] = {out->u[0], out->u[1], out->u[2], out->p[0], out->p[1],
                          out->p[2], out->Pc,   out->Wc,   -out->Dn,  -out->Dt};
  const double all[10] = {want->after[0], want->after[1], want->after[2], want->p[0], want->p[1],
                          want->p[2],     want->Pc,       want->Wc,       want->Wn,   want->Wt};
  near_array(got, all, 10, stated, stated);
  ck_assert_int_eq(out->shifts, want->shifts);
  ck_assert_int_eq(out->stuck, want->stuck);
}

START_TEST(reference)
{
  for (int i = 0; i < RH_COUNT(point_table); i++) {
    const point_case *c = &point_table[i];
    rh_point_in in = input_of(c->W, c->u, c->mu, c->e);
    rh_point_out out = strike(c->law, &in);
    near_case(&out, c);
  }
}

END_TEST

START_TEST(reference_early)
{
  for (int i = 0; i < RH_COUNT(early_table); i++) {
    const point_case *c = &early_table[i];
    rh_point_in in = input_of(c->W, c->u, c->mu, c->e);
    rh_point_out out = strike(c->law, &in);
    near_array(out.u, c->after, 3, stated, stated);
    near_array(out.p, c->p, 3, stated, stated);
    near_abs(out.Wc, c->Wc, stated);
    near_abs(-out.Dn, c->Wn, stated);
  }
  // Without friction the velocity is -e times that before, still approaching, whatever the law.
  for (int i = 0; i < 3; i++) {
    rh_point_in in = input_of(point_table[0].W, point_table[0].u, 0, -0.25);
    rh_point_out out = strike(law_name[i], &in);
    near_rel(out.u[2], 0.25 * in.u[2], 1e-14);
    in.e = -1;
    out = strike(law_name[i], &in);
    near_abs(out.p[2], 0, 0);
  }
}

END_TEST

START_TEST(reference_trace)
{
  for (int i = 0; i < RH_COUNT(trace_table); i++) {
    const trace_case *c = &trace_table[i];
    rh_point_in in = input_of(c->W, c->u, c->mu, c->e);
    double pn[TRACE_SAMPLES + 1];
    rh_point_at at[TRACE_SAMPLES + 1];
    rh_point_out out;
    for (int k = 0; k < TRACE_SAMPLES; k++) {
      pn[k] = c->sample[k][0];
    }
    pn[TRACE_SAMPLES] = 1e9; // behind the end
    const rh_point_want want = {.n = TRACE_SAMPLES + 1, .pn = pn, .at = at};
    ck_assert(rh_point_trace(rh_impact_law_find("stronge"), &in, &want, &out));
    near_rel(out.p[2], c->end, stated);
    near_rel(at[TRACE_SAMPLES].p[2], c->end, stated);
    for (int k = 0; k < TRACE_SAMPLES; k++) {
      const double *u = at[k].u;
      const double got[5] = {at[k].p[2], sqrt(u[0] * u[0] + u[1] * u[1]), u[2], at[k].Wn,
                             atan2(u[1], u[0])};
      near_array(got, c->sample[k], 5, stated, stated);
    }
  }
}

END_TEST

START_TEST(reference_critical)
{
  for (int i = 0; i < RH_COUNT(critical_table); i++) {
    const critical_case *c = &critical_table[i];
    double d[2];
    double rate;
    near_rel(rh_point_critical(c->W, c->mu, d, &rate), c->critical, 1e-12);
    near_array(d, c->direction, 2, 1e-12, 0);
    near_rel(rate, c->rate, 1e-12);
    (void)rh_point_critical(c->W, c->critical * (1 + 1e-12), d, &rate);
    ck_assert(d[0] == 0 && d[1] == 0 && rate == 0);
  }
}

END_TEST

START_TEST(reference_sphere)
{
  rh_mat3 R = rh_mat3_identity();
  for (int i = 0; i < RH_COUNT(sphere_table); i++) {
    const sphere_case *c = &sphere_table[i];
    double I = c->factor * c->mass * c->radius * c->radius;
    const double inertia[3] = {I, I, I};
    const double point[3] = {0, 0, -c->radius};
    striker b = {.n = 1, .v = vector_of(c->v), .w = vector_of(c->w)};
    rh_vec3 v;
    rh_vec3 w;
    striker_make(&b, c->mass, inertia, &R, point);
    for (int k = 0; k < 3; k++) { // of all laws
      rh_point_in in = input_of(b.W, b.u, c->mu, c->e);
      rh_point_out out = strike(law_name[k], &in);
      striker_after(&b, out.p, &v, &w);
      near_array(out.p, c->p, 3, 1e-12, 1e-12);
      near_array(&v.x, c->v_after, 3, 1e-12, 1e-12);
      near_array(&w.x, c->w_after, 3, 1e-12, 1e-12);
      ck_assert_int_eq(out.stuck, c->stuck);
    }
  }
}

END_TEST

START_TEST(reference_body)
{
  for (int i = 0; i < RH_COUNT(body_table); i++) {
    const body_case *c = &body_table[i];
    rh_mat3 R = rh_rpy_matrix(c->rpy[0], c->rpy[1], c->rpy[2]);
    striker b = {.n = 1, .v = vector_of(c->v), .w = vector_of(c->w)};
    rh_vec3 v;
    rh_vec3 w;
    striker_make(&b, c->mass, c->inertia, &R, c->point);
    near_array(b.W, c->W, 9, 1e-13, 1e-13);
    near_array(b.u, c->u, 3, 1e-13, 1e-13);
    rh_point_in in = input_of(b.W, b.u, c->mu, c->e);
    rh_point_out out = strike(c->law, &in);
    near_case(&out, &c->want);
    striker_after(&b, out.p, &v, &w);
    near_array(&v.x, c->v_after, 3, stated, stated);
    near_array(&w.x, c->w_after, 3, stated, stated);
  }
}

END_TEST

Suite *rh_suite_ref_point(void)
{
  Suite *suite = suite_create("ref_point");
  TCase *reference_numbers = tcase_create("reference");
  tcase_add_test(reference_numbers, reference);
  tcase_add_test(reference_numbers, reference_early);
  tcase_add_test(reference_numbers, reference_trace);
  tcase_add_test(reference_numbers, reference_critical);
  tcase_add_test(reference_numbers, reference_sphere);
  tcase_add_test(reference_numbers, reference_body);
  suite_add_tcase(suite, reference_numbers);
  return suite;
}
