// problem_planar.c: the shared part of the kinds planar_impact and generalized_impact.
#include "problem_planar.h"

#include <float.h>
#include <math.h>

#define ROUNDING (4 * DBL_EPSILON) // of the terms of a sum: a smaller velocity counts as zero
#define SINGULAR 1e-13             // det K over its largest term: below, K has no accurate digit

enum { MU_K, MU_S, E, ETA2, LAW };

static const rh_param shared[] = {RH_PLANAR_INPUTS};

bool rh_planar_open(rh_planar_posed *posed, int n)
{
  double *room = rh_alloc(6 * (size_t)n * sizeof(double));
  double **part[] = {&posed->v, &posed->Mv, &posed->Jt, &posed->Jn, &posed->Ut, &posed->Un};
  for (int i = 0; room != NULL && i < RH_COUNT(part); i++) {
    *part[i] = room + (size_t)i * (size_t)n;
  }
  posed->n = n;
  return room != NULL;
}

void rh_planar_close(rh_planar_posed *posed)
{
  rh_free(posed->v);
  *posed = (rh_planar_posed){0};
}

// ---- Inputs

bool rh_planar_number(const rh_inputs *in, int map, const rh_param *param, bool required, double *x)
{
  int node = rh_yaml_find(in->tree, map, param->name);
  if (node == RH_NONE) {
    *x = param->def;
    return !required || rh_input_refuse(in, map, "'%s' is missing: %s", param->name, param->doc);
  }
  return rh_input_value(in, param, node, x);
}

static const rh_impact_law *read_law(const rh_inputs *in)
{
  int node = rh_input_find(in, shared[LAW].name);
  if (node == RH_NONE) {
    (void)rh_input_refuse(in, in->map, "'law' is missing: %s", shared[LAW].doc);
    return NULL;
  }
  const char *name = rh_input_text(in, node, "law");
  const rh_impact_law *law = name != NULL ? rh_impact_law_find(name) : NULL;
  if (name != NULL && law == NULL) {
    const char *names[64];
    int count = 0;
    const rh_impact_law *const *table = rh_impact_law_table(&count);
    count = count < RH_COUNT(names) ? count : RH_COUNT(names);
    for (int i = 0; i < count; i++) {
      names[i] = table[i]->row.name;
    }
    const char *near = rh_nearest_name(name, names, count);
    (void)rh_input_refuse(in, node, "unknown impact law '%.60s'%s%s%s", name,
                          RH_DID_YOU_MEAN(near));
  }
  return law;
}

bool rh_planar_read(const rh_inputs *in, rh_planar_posed *posed)
{
  rh_planar_in *p = &posed->in;
  posed->law = read_law(in);
  bool good = posed->law != NULL;
  good = rh_planar_number(in, in->map, &shared[MU_K], true, &p->mu_k) && good;
  good = rh_planar_number(in, in->map, &shared[MU_S], false, &p->mu_s) && good;
  good = rh_planar_number(in, in->map, &shared[E], true, &p->e) && good;
  good = rh_planar_number(in, in->map, &shared[ETA2], false, &p->eta2) && good;
  int at_rest = rh_input_find(in, shared[MU_S].name);
  if (at_rest == RH_NONE) {
    p->mu_s = p->mu_k;
  }
  if (good && p->mu_s < p->mu_k) {
    good =
        rh_input_refuse(in, at_rest, "mu_s must be at least mu_k = %g, got %g", p->mu_k, p->mu_s);
  }
  return good;
}

// ---- The contact

static double dot(const double *a, const double *b, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

// J v, or zero where the sum is within rounding: bodies that slide on each other do not approach.
static double rounded_velocity(const double *J, const double *v, int n)
{
  double sum = 0;
  double size = 0;
  for (int i = 0; i < n; i++) {
    sum += J[i] * v[i];
    size += fabs(J[i] * v[i]);
  }
  return fabs(sum) <= ROUNDING * size ? 0 : sum;
}

bool rh_planar_prepare(const rh_inputs *in, rh_planar_posed *posed)
{
  rh_planar_in *p = &posed->in;
  int n = posed->n;
  p->Ktt = dot(posed->Jt, posed->Ut, n);
  p->Knn = dot(posed->Jn, posed->Un, n);
  p->Ktn = dot(posed->Jt, posed->Un, n);
  p->S0 = rounded_velocity(posed->Jt, posed->v, n);
  p->C0 = rounded_velocity(posed->Jn, posed->v, n);
  posed->T0 = 0.5 * dot(posed->v, posed->Mv, n);
  if (!(isfinite(p->Ktt * p->Knn) && isfinite(p->S0) && isfinite(p->C0))) {
    return rh_input_refuse(in, in->map,
                           "the numbers are too large: the contact has no finite "
                           "inertia or velocity");
  }
  double det = p->Ktt * p->Knn - p->Ktn * p->Ktn;
  if (!(p->Ktt > 0 && p->Knn > 0 && det > SINGULAR * p->Ktt * p->Knn)) {
    return rh_input_refuse(in, in->map,
                           "the contact cannot move in two directions: its inertia J M^-1 J' is "
                           "singular (%g, %g, %g 1/kg)",
                           p->Ktt, p->Ktn, p->Knn);
  }
  return true;
}

// ---- Answer

static double velocity_after(const rh_planar_posed *posed, const rh_planar_out *out, int i)
{
  return posed->v[i] + posed->Ut[i] * out->Pt + posed->Un[i] * out->Pn;
}

// T1 = v1' (M v0 + J' P) / 2.
static double energy_after(const rh_planar_posed *posed, const rh_planar_out *out)
{
  double T1 = 0;
  for (int i = 0; i < posed->n; i++) {
    double momentum = posed->Mv[i] + posed->Jt[i] * out->Pt + posed->Jn[i] * out->Pn;
    T1 += 0.5 * velocity_after(posed, out, i) * momentum;
  }
  return T1;
}

static bool answer_numbers(const rh_planar_posed *posed, const rh_planar_out *out,
                           rh_answer *answer)
{
  const rh_planar_in *p = &posed->in;

  const struct {
    const char *name;
    double value;
    bool absent;
  } number[] = {
      {.name = "S_0", .value = p->S0},
      {.name = "C_0", .value = p->C0},
      {.name = "S_f", .value = out->Sf},
      {.name = "C_f", .value = out->Cf},
      {.name = "P_t", .value = out->Pt},
      {.name = "P_n", .value = out->Pn},
      {.name = "P_c", .value = out->Pc},
      {.name = "P_s", .value = out->Ps, .absent = isnan(out->Ps)},
      {.name = "D_n", .value = out->Dn},
      {.name = "D_t", .value = out->Dt},
      {.name = "T0", .value = posed->T0},
      {.name = "T1", .value = energy_after(posed, out)},
      {.name = "inv_m1", .value = p->Ktt},
      {.name = "inv_m2", .value = p->Knn},
      {.name = "inv_m3", .value = 0 - p->Ktn},
  };

  bool good = true;
  for (int i = 0; i < RH_COUNT(number); i++) {
    good = (number[i].absent ? rh_answer_null(answer, number[i].name)
                             : rh_answer_number(answer, number[i].name, number[i].value)) &&
           good;
  }
  return good;
}

rh_status rh_planar_answer(const rh_planar_posed *posed, rh_answer *answer)
{
  rh_planar_out out;
  rh_planar_impact(posed->law, &posed->in, &out);
  bool good = rh_answer_word(answer, "case", rh_planar_case_word(out.kind));
  good = rh_answer_flag(answer, "jam", out.jam) && good;
  good = answer_numbers(posed, &out, answer) && good;
  double *v = rh_answer_add(answer, "v", 1, posed->n, 1, 1);
  for (int i = 0; v != NULL && i < posed->n; i++) {
    v[i] = velocity_after(posed, &out, i);
  }
  good = rh_answer_flag(answer, "energy_created", out.gained) && good && v != NULL;
  good = rh_answer_flag(answer, "normal_work_positive", out.normal_gained) && good;
  return good ? RH_OK : RH_OUT_OF_MEMORY;
}
