#include "impulse_ratio.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 64 };

typedef struct ray { // along the slip, see impulse_ratio.h
  double S, A;
  double a, w, b;
} ray;

typedef struct straight { // the result along the ray
  double rho, P;
  double slip; // after
  bool stuck;
} straight;

// rho at which the slip after is s; infinity: none is large enough
static double ratio_of_slip(const ray *r, double s)
{
  double top = (r->S - s) * r->b + r->A * r->w;
  double bottom = (r->S - s) * r->w + r->A * r->a;
  if (bottom > 0) {
    return top / bottom;
  }
  return top < 0 ? -HUGE_VAL : HUGE_VAL;
}

static straight solve_ray(const ray *r, double mu)
{
  straight x = {0};
  double alone = r->S + r->A * r->w / r->b; // slip after the normal impulse alone
  if (alone >= 0) {
    double ends = ratio_of_slip(r, 0);
    x.rho = fmin(mu, ends);
    x.stuck = ends <= mu;
  } else if (alone < -r->S) {
    x.rho = fmax(-mu, ratio_of_slip(r, -r->S));
    x.stuck = r->S == 0 && x.rho > -mu;
  }
  x.P = r->A / (r->b - x.rho * r->w);
  x.slip = x.stuck ? 0 : r->S + x.P * (r->w - x.rho * r->a);
  return x;
}

void rh_ratio_point(const rh_point_in *in, const rh_point_want *want, rh_point_out *out)
{
  const double *W = in->W;
  double d[2] = {in->u[0], in->u[1]};
  double S = rh_hypot(d[0], d[1]);
  double size = S;
  if (size == 0) {
    d[0] = W[6];
    d[1] = W[7];
    size = rh_hypot(d[0], d[1]);
  }
  d[0] = size > 0 ? d[0] / size : 1;
  d[1] = size > 0 ? d[1] / size : 0;
  ray r = {.S = S,
           .A = -(1 + in->e) * in->u[2],
           .a = d[0] * (W[0] * d[0] + W[1] * d[1]) + d[1] * (W[3] * d[0] + W[4] * d[1]),
           .w = W[6] * d[0] + W[7] * d[1],
           .b = W[8]};
  straight x = solve_ray(&r, in->mu_k);
  const double unit[3] = {-x.rho * d[0], -x.rho * d[1], 1};
  double rate[3]; // of the velocities, per unit of normal impulse
  for (int i = 0; i < 3; i++) {
    rate[i] = W[3 * i] * unit[0] + W[3 * i + 1] * unit[1] + W[3 * i + 2];
  }
  *out = (rh_point_out){.Pc = -in->u[2] / rate[2], .e = in->e, .stuck = x.stuck};
  out->Wc = 0.5 * in->u[2] * out->Pc;
  out->Dn = -0.5 * x.P * (1 - in->e) * in->u[2];
  out->Dt = 0.5 * x.rho * x.P * (r.S + x.slip);
  for (int i = 0; i < 3; i++) {
    out->p[i] = x.P * unit[i];
    out->u[i] = in->u[i] + x.P * rate[i];
  }
  out->u[2] = -in->e * in->u[2];
  for (int k = 0; want != NULL && k < want->n; k++) {
    double P = fmin(want->pn[k], x.P);
    rh_point_at *at = &want->at[k];
    for (int i = 0; i < 3; i++) {
      at->p[i] = P * unit[i];
      at->u[i] = in->u[i] + P * rate[i];
    }
    at->Wn = P * (in->u[2] + 0.5 * P * rate[2]);
    at->Wt = -x.rho * P * (r.S + 0.5 * P * (r.w - x.rho * r.a));
  }
}

// NOLINTNEXTLINE(readability-function-size): as rh_planar_ode
void rh_ratio_planar(const rh_planar_in *in, rh_planar_sample *sample, void *user,
                     rh_planar_out *out)
{
  double way = in->S0 != 0 ? copysign(1, in->S0) : copysign(1, in->Ktn);
  ray r = {.S = fabs(in->S0),
           .A = -(1 + in->e) * in->C0,
           .a = in->Ktt,
           .w = way * in->Ktn,
           .b = in->Knn};
  straight x = solve_ray(&r, in->mu_k);
  double normal = r.b - x.rho * r.w;
  double tangential = r.w - x.rho * r.a;
  *out = (rh_planar_out){.kind = RH_CASE_RATIO,
                         .Sf = way * x.slip,
                         .Cf = -in->e * in->C0,
                         .Pt = -way * x.rho * x.P,
                         .Pn = x.P,
                         .Pc = -in->C0 / normal,
                         .Ps = x.stuck ? x.P : (double)NAN,
                         .Dn = -0.5 * x.P * (1 - in->e) * in->C0,
                         .Dt = 0.5 * x.rho * x.P * (r.S + x.slip),
                         .ncorner = 2};
  out->corner[1][0] = out->Pt;
  out->corner[1][1] = out->Pn;
  for (int i = 0; sample != NULL && i <= SAMPLES; i++) {
    double P = x.P * i / SAMPLES;
    sample(user, P, -way * x.rho * P, way * (r.S + P * tangential), in->C0 + P * normal,
           P * (in->C0 + 0.5 * P * normal), -x.rho * P * (r.S + 0.5 * P * tangential));
  }
}
