// Impulses at a moment, as in the engine event (impact/impact_contacts.c): a contact that no other
// shares a body with follows the path of its law, where slip may stop or turn on the way; contacts
// that share bodies, up to TOGETHER of them, take the formulation of the run where all have e = 0,
// or where it solves all points together, or each by its path. Other contacts that share bodies,
// those at loops and limits that touch, and larger sets, are one problem without a path
// (impact_groups.c); of laws with a path of their own it is reported.
#include "contact_kernels.h"

#include "impact/impact.h"
#include "model/contact_speed.h"

#include <string.h>

enum { TOGETHER = 32 }; // contacts

typedef struct contact_set { // contacts that share bodies, and their impact
  int n;
  int at[TOGETHER];                          // rows
  double *W, *u, *after, *p, *mu, *e, *eta2; // of rh_many_in
  double *scratch;
} contact_set;

// Doubles of the arrays of n contacts; with a block they are assigned.
static size_t place_set(contact_set *s, size_t n, double *block)
{
  double *at = block;
  double **const array[] = {&s->W, &s->u, &s->after, &s->p, &s->mu, &s->e, &s->eta2};
  const size_t size[] = {9 * n * n, 3 * n, 3 * n, 3 * n, n, n, n};
  size_t used = 0;
  for (int i = 0; i < (int)RH_COUNT(array); i++) {
    *array[i] = block ? at + used : NULL;
    used += size[i];
  }
  s->scratch = block ? at + used : NULL;
  return used;
}

size_t rh_step_impact_scratch(const rh_step_world *w)
{
  contact_set s;
  int n = w->contacts.capacity < TOGETHER ? w->contacts.capacity : TOGETHER;
  return w->laws.impacts ? place_set(&s, (size_t)n, NULL) + rh_formulation_of(&w->m->run)->room(n)
                         : 0;
}

// All contacts that share bodies with contact `first`, itself included; `taken` marks those of the
// view that are in a set.
static void gather_set(const rh_step_worker *worker, const rh_step_island *view, int first,
                       bool *taken, contact_set *s)
{
  const rh_step_world *w = worker->world;
  s->n = 0;
  s->at[s->n++] = first;
  taken[first - view->con] = true;
  for (int i = 0; i < s->n; i++) {
    for (int k = view->con; k < view->con + view->ncon; k++) {
      if (!taken[k - view->con] && rh_step_contacts_share(worker, &w->row[k], &w->row[s->at[i]])) {
        taken[k - view->con] = true;
        s->at[s->n++] = k;
      }
    }
  }
}

static bool closes_fast(const rh_step_row_info *side)
{
  return side->un < -side->slow;
}

static bool set_closes(const rh_step_world *w, const contact_set *s)
{
  bool fast = false;
  for (int i = 0; i < s->n; i++) {
    fast = fast || closes_fast(&w->info[s->at[i]]);
  }
  return fast;
}

// The run's formulation takes all e: those of contacts that do not close, and pass the impulse on, too.
static bool takes_all(const rh_step_world *w)
{
  const rh_formulation *form = rh_formulation_of(&w->m->run);
  return form->together || form->springs;
}

static bool set_has_law(const rh_step_world *w, const contact_set *s)
{
  bool plastic = true;
  for (int i = 0; i < s->n; i++) {
    plastic = plastic && !(closes_fast(&w->info[s->at[i]]) && w->info[s->at[i]].e > 0);
  }
  return s->n == 1 || plastic || takes_all(w);
}

static void fill_contact(rh_step_worker *worker, contact_set *s, int i)
{
  const rh_step_world *w = worker->world;
  const rh_step_row *c = &w->row[s->at[i]];
  const rh_step_row_info *side = &w->info[s->at[i]];
  rh_vec3 f[3];
  rh_vec3 u = rh_step_velocity_at(worker, c);
  u = w->laws.belt ? rh_add(u, w->laws.belt[c->any].v) : u;
  rh_step_newton_frame(w, c, f);
  for (int a = 0; a < 3; a++) {
    s->u[3 * i + a] = rh_dot(f[a], u);
  }
  const rh_model_contact *rule = &w->m->contact[side->rule];
  s->mu[i] = c->mu > 0 ? rh_contact_impact_friction(rule, -side->un, false) : 0;
  s->e[i] = closes_fast(side) || takes_all(w) ? side->e : 0;
  s->eta2[i] = rule->eta2;
  for (int j = 0; j < s->n; j++) {
    double W[9];
    rh_step_contact_pair(worker, c, &w->row[s->at[j]], W);
    for (int a = 0; a < 9; a++) {
      s->W[(3 * i + a / 3) * 3 * s->n + 3 * j + a % 3] = W[a];
    }
  }
}

// The impulses of the set, kept in its rows. False: they were not found.
static bool solve_set(rh_step_worker *worker, contact_set *s)
{
  const rh_step_world *w = worker->world;
  int fastest = s->at[0];
  rh_many_out out;
  (void)place_set(s, (size_t)s->n, worker->impact_scratch);
  for (int i = 0; i < s->n; i++) {
    fill_contact(worker, s, i);
    fastest = w->info[s->at[i]].un < w->info[fastest].un ? s->at[i] : fastest;
  }
  const rh_model_contact *rule = &w->m->contact[w->info[fastest].rule];
  const rh_many_in in = {.n = s->n,
                         .W = s->W,
                         .u = s->u,
                         .mu = s->mu,
                         .e = s->e,
                         .law = rule->impact,
                         .eta2 = s->eta2};
  double mu_s = rh_contact_impact_friction(rule, -w->info[fastest].un, true);
  if (!rh_impact_solve(&w->m->run, &in, mu_s, s->scratch, s->p, s->after, &out)) {
    return false;
  }
  for (int i = 0; i < s->n; i++) {
    rh_step_row *c = &w->row[s->at[i]];
    const double *p = s->p + (size_t)3 * (size_t)i;
    rh_vec3 f[3];
    rh_step_newton_frame(w, c, f);
    rh_vec3 along = rh_addscaled(rh_scale(p[0], f[0]), p[1], f[1]);
    c->p[0] = c->round ? along.x : p[0];
    c->p[1] = c->round ? along.y : p[1];
    c->p[2] = c->round ? along.z : 0;
    c->p[3] = p[2];
  }
  return true;
}

static bool solve_sets(rh_step_worker *worker, const rh_step_island *view)
{
  const rh_step_world *w = worker->world;
  bool taken[TOGETHER] = {false};
  bool good = true;
  for (int k = view->con; good && k < view->con + view->ncon; k++) {
    contact_set s;
    if (!taken[k - view->con]) {
      gather_set(worker, view, k, taken, &s);
      good = !set_closes(w, &s) || (set_has_law(w, &s) && solve_set(worker, &s));
    }
  }
  return good;
}

bool rh_step_follows_path(const rh_step_world *w, int rule)
{
  const rh_impact_law *law = w->m->contact[rule].impact;
  return law->tangential_spring || law->impulse_ratio || rh_formulation_of(&w->m->run)->springs;
}

bool rh_step_impact_by_law(rh_step_worker *worker, const rh_step_island *view)
{
  const rh_step_world *w = worker->world;
  if (rh_formulation_of(&w->m->run)->alone || rh_step_joint_rows_closed(worker) > 0 ||
      worker->rows.nloop > 0 || view->ncon > TOGETHER) {
    return false;
  }
  bool good = solve_sets(worker, view);
  for (int k = view->con; k < view->con + view->ncon; k++) {
    rh_step_row *c = &w->row[k];
    if (good && c->p[3] > 0) {
      rh_step_push(worker, c, rh_step_impulse(w, c, c->p));
    } else if (!good) {
      memset(c->p, 0, sizeof c->p);
    }
  }
  return good;
}

void rh_step_impact_friction(const rh_step_world *w, const rh_step_island *view)
{
  for (int k = view->con; k < view->con + view->ncon; k++) {
    rh_step_row *c = &w->row[k];
    const rh_model_contact *rule = &w->m->contact[w->info[k].rule];
    double mu = rh_contact_impact_friction(rule, -w->info[k].un, false);
    bool one = rule->mu_impact_table.n > 0 || rule->mu_impact[0] == rule->mu_impact[1];
    c->mu = c->mu > 0 && one ? mu : c->mu; // else as found with the rows
  }
}
