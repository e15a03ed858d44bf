// Impact of a robot at points that meet fixed ground: u = J v, W = J H^-1 J' ([Ch] 2.5), the
// impulses by a formulation (src/impact), v+ = v + H^-1 J'p. Points that are left approaching start
// another impact ([Ch] appendix B*), until none does.
#include <routh/robot.h>

#include "impact/impact.h"

#include <math.h>
#include <string.h>

#define REST   1e-9 // of the first approach: slower points do not approach
#define REPEAT 100  // impacts of a formulation at most

static size_t largest_scratch(int n)
{
  int count;
  const rh_formulation *const *row = rh_formulation_table(&count);
  size_t most = 0;
  for (int i = 0; i < count; i++) {
    size_t size = row[i]->room(n);
    most = size > most ? size : most;
  }
  return most;
}

size_t rh_impact_points_scratch(const rh_model *m, int n)
{
  size_t rows = 3 * (size_t)n;
  size_t inertia = rows * (size_t)m->nv;
  size_t solve = largest_scratch(n);
  return rows * rows + 2 * rows + (inertia > solve ? inertia : solve) + 4 * (size_t)m->nv;
}

static double fastest_approach(const double *u, int n)
{
  double most = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, -u[3 * i + 2]);
  }
  return most;
}

static void add_impact(const rh_many_out *one, rh_impact_sequence *out)
{
  for (int i = 0; i < one->impacts && i < RH_MANY_EVENTS; i++) {
    if (out->impacts + i < RH_IMPACT_WORKS) {
      out->Wn[out->impacts + i] = one->Wn[i];
    }
  }
  out->impacts += one->impacts;
  out->free = one->free > out->free ? one->free : out->free;
  out->Dn += one->Dn;
  out->Dt += one->Dt;
}

// One point goes along the path of its law, as in the engine event; several by the formulation.
static bool solve_once(const rh_impact_points *in, const rh_formulation *form,
                       const rh_many_in *many, double *work, double *p, rh_impact_sequence *out)
{
  double par[RH_PAR_MAX];
  rh_many_out one = {0};
  bool solved;
  if (in->n == 1 && !form->alone) {
    solved = rh_impact_solve_one(many, in->mu[0], p, out->u, &one);
    one.Wn[0] = -one.Dn;
  } else {
    rh_row_defaults(&form->row, par);
    solved = form->strike(many, par, work, p, out->u, &one);
  }
  add_impact(&one, out);
  return solved;
}

static bool any_early(const rh_impact_points *in)
{
  for (int i = 0; i < in->n; i++) {
    if (in->e[i] < 0) {
      return true;
    }
  }
  return false;
}

// v := v + H^-1 J'p
static void apply_impulses(const rh_data *d, const rh_impact_points *in, const double *p,
                           double *work, double *v)
{
  int nv = d->model->nv;
  double *J = work;
  double *x = J + (ptrdiff_t)3 * nv;
  for (int i = 0; i < in->n; i++) {
    const double *at = p + (ptrdiff_t)3 * i;
    rh_point_jacobian(d, in->point[i].body, in->point[i].at, J);
    for (int k = 0; k < nv; k++) {
      x[k] = J[k] * at[0] + J[nv + k] * at[1] + J[2 * nv + k] * at[2];
    }
    rh_mass_solve(d, x);
    for (int k = 0; k < nv; k++) {
      v[k] += x[k];
    }
  }
}

rh_status rh_impact_points_solve(const rh_data *d, const rh_impact_points *in, double *scratch,
                                 rh_impact_sequence *out)
{
  const rh_formulation *form =
      in->formulation ? rh_formulation_find(in->formulation) : rh_formulation_of(&d->model->run);
  const rh_impact_law *law = rh_impact_law_find(in->law ? in->law : "stronge");
  if (form == NULL || law == NULL) {
    return RH_INPUT_REFUSED;
  }
  size_t rows = 3 * (size_t)in->n;
  double *W = scratch;
  double *before = W + rows * rows;
  double *p = before + rows;
  double *work = p + rows;
  *out = (rh_impact_sequence){.p = out->p, .u = out->u, .v = out->v, .solved = true};
  rh_contact_inertia(d, in->n, in->point, work, W);
  for (int i = 0; i < in->n; i++) {
    rh_vec3 u = rh_point_velocity(d, in->point[i].body, in->point[i].at);
    memcpy(out->u + (ptrdiff_t)3 * i, &u.x, 3 * sizeof(double));
  }
  memcpy(out->v, d->v, (size_t)d->model->nv * sizeof(double));
  memset(out->p, 0, rows * sizeof(double));
  const rh_many_in many = {
      .n = in->n, .W = W, .u = before, .mu = in->mu, .e = in->e, .law = law, .weight = in->weight};
  double rest = REST * fastest_approach(out->u, in->n);
  for (int k = 0; k < REPEAT && fastest_approach(out->u, in->n) > rest; k++) {
    memcpy(before, out->u, rows * sizeof(double));
    out->solved = solve_once(in, form, &many, work, p, out) && out->solved;
    for (size_t i = 0; i < rows; i++) {
      out->p[i] += p[i];
    }
    if (any_early(in)) {
      break; // it ends in compression: the points go on approaching
    }
  }
  apply_impulses(d, in, out->p, work, out->v);
  return RH_OK;
}
