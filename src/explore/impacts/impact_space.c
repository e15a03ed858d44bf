// impact_space.c: a non-planar impact of a scene, under several laws: one contact along its path in
// space (impact/spatial_path.c), several together or in sequence (impact/multi_contact.c). Rows t1,
// t2, n of each contact.
#include "impact.h"

#include <string.h>

bool rh_impact_law_defined(const rh_impact_law *law, const rh_impact_seen *seen)
{
  return seen->e[0] >= law->row.param[0].lo;
}

static bool open_response(rh_impact_response *a, const rh_formulation *form, int n)
{
  *a = (rh_impact_response){.many = {.scale = 1, .impacts = 1}};
  a->p = rh_alloc(3 * (size_t)n * sizeof *a->p);
  a->u = rh_alloc(3 * (size_t)n * sizeof *a->u);
  a->lost = rh_alloc(2 * (size_t)n * sizeof *a->lost);
  a->share = rh_alloc((size_t)n * sizeof *a->share);
  a->scratch = rh_alloc(form->room(n) * sizeof *a->scratch);
  return a->p != NULL && a->u != NULL && a->lost != NULL && a->share != NULL && a->scratch != NULL;
}

void rh_impact_response_free(rh_impact_response *a)
{
  rh_free(a->p);
  rh_free(a->u);
  rh_free(a->lost);
  rh_free(a->share);
  rh_free(a->scratch);
}

static void answer_contacts(const rh_impact_law *law, const rh_impact_seen *seen,
                            rh_impact_response *a)
{
  const rh_many_in in = {.n = seen->n,
                         .W = seen->W,
                         .u = seen->u,
                         .mu = seen->mu_k,
                         .e = seen->e,
                         .law = law,
                         .eta2 = seen->eta2,
                         .weight = seen->weight,
                         .place = seen->place,
                         .repeated = seen->repeated,
                         .share = a->share,
                         .lost = a->lost};
  a->solved = seen->n == 1 && !seen->form->alone
                  ? rh_impact_solve_one(&in, seen->mu_s[0], a->p, a->u, &a->many)
                  : seen->form->strike(&in, seen->form_par, a->scratch, a->p, a->u, &a->many);
  a->Dn = a->many.Dn;
  a->Dt = a->many.Dt;
  a->gained = a->many.gained;
}

bool rh_impact_respond(const rh_impact_law *law, const rh_impact_seen *seen, rh_impact_response *a)
{
  if (!open_response(a, seen->form, seen->n)) {
    return false;
  }
  memset(a->share, 0, (size_t)seen->n * sizeof *a->share);
  answer_contacts(law, seen, a);
  return true;
}
