// Impulses at a moment where every contact stands alone, no two on one moving body: each follows the
// path of its law, as in the engine event (impact/impact_contacts.c), where slip may stop or turn on
// the way. Contacts that share a body, and those at limits, dry joints and loops, are one problem
// without a path (impact_groups.c).
#include "contact_kernels.h"

#include "impact/impact.h"

static bool stands_alone(const rh_step_worker *worker, const rh_step_island *view, int k)
{
  const rh_step_world *w = worker->world;
  for (int i = view->con; i < view->con + view->ncon; i++) {
    if (i != k && rh_step_contacts_share(worker, &w->row[i], &w->row[k])) {
      return false;
    }
  }
  return true;
}

static void give_impulse(rh_step_worker *worker, rh_step_row *c, const rh_vec3 f[3],
                         const double p[3])
{
  rh_vec3 along = rh_addscaled(rh_scale(p[0], f[0]), p[1], f[1]);
  rh_step_push(worker, c, rh_addscaled(along, p[2], f[2]));
  c->p[0] = c->round ? along.x : p[0];
  c->p[1] = c->round ? along.y : p[1];
  c->p[2] = c->round ? along.z : 0;
  c->p[3] = p[2];
}

static void follow_law(rh_step_worker *worker, int k)
{
  const rh_step_world *w = worker->world;
  rh_step_row *c = &w->row[k];
  const rh_step_row_info *side = &w->info[k];
  const rh_model_contact *rule = &w->m->contact[side->rule];
  rh_vec3 f[3];
  double W[9];
  rh_vec3 u = rh_step_velocity_at(worker, c);
  u = w->laws.belt ? rh_add(u, w->laws.belt[c->any].v) : u;
  rh_step_newton_frame(w, c, f);
  rh_step_contact_pair(worker, c, c, W);
  const double before[3] = {rh_dot(f[0], u), rh_dot(f[1], u), rh_dot(f[2], u)};
  const rh_many_in in = {
      .n = 1, .W = W, .u = before, .mu = &rule->mu_impact[1], .e = &side->e, .law = rule->impact};
  double p[3];
  double after[3];
  rh_many_out out;
  worker->tally.unsolved += !rh_impact_solve_one(&in, rule->mu_impact[0], p, after, &out);
  give_impulse(worker, c, f, p);
}

bool rh_step_impact_by_law(rh_step_worker *worker, const rh_step_island *view)
{
  const rh_step_world *w = worker->world;
  if (rh_formulation_of(&w->m->run)->alone || worker->rows.njoint > 0 || worker->rows.nloop > 0) {
    return false;
  }
  for (int k = view->con; k < view->con + view->ncon; k++) {
    if (!stands_alone(worker, view, k)) {
      return false;
    }
  }
  for (int k = view->con; k < view->con + view->ncon; k++) {
    if (w->info[k].un < -w->info[k].slow) {
      follow_law(worker, k);
    }
  }
  return true;
}
