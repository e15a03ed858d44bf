// Impulses of a group of impacts at a moment, by the contacts' own law, as in the engine event: a
// single contact follows its path, several that are joined by bodies take the formulation of
// run.multi_impact (impact/impact_contacts.c). Contacts that touch and do not approach take part.
//
// Not so where limits, dry friction or loops take impulses at the same moment, and in groups of more
// than RH_STEP_LAW_MAX contacts: impact_groups.c solves those by Newton's or Poisson's rule.
#include "contact_kernels.h"

#include "impact/impact.h"

#include <string.h>

// Arrays of a group of n contacts; those of the formulation follow.
typedef struct group_arrays {
  double *W, *u, *p, *after, *mu, *e; // (9 n^2), (3 n) x 3, (n) x 2
  double *scratch;
} group_arrays;

static size_t array_size(int n)
{
  size_t k = (size_t)n;
  return 9 * k * k + 9 * k + 2 * k;
}

static group_arrays place_arrays(double *memory, int n)
{
  size_t k = (size_t)n;
  group_arrays a = {.W = memory};
  a.u = a.W + 9 * k * k;
  a.p = a.u + 3 * k;
  a.after = a.p + 3 * k;
  a.mu = a.after + 3 * k;
  a.e = a.mu + k;
  a.scratch = memory + array_size(n);
  return a;
}

size_t rh_step_law_doubles(const rh_model *m)
{
  return array_size(RH_STEP_LAW_MAX) + rh_formulation_of(&m->run)->room(RH_STEP_LAW_MAX);
}

// ---- Contacts that bodies join

// label: the first contact of those that a contact is joined to
static void label_contacts(const rh_step_worker *worker, const rh_step_island *view, int *label)
{
  const rh_step_row *con = worker->world->row + view->con;
  for (int i = 0; i < view->ncon; i++) {
    label[i] = i;
    for (int j = 0; j < i; j++) {
      double W[9];
      if (label[j] == label[i] || !rh_step_contact_pair(worker, &con[i], &con[j], W)) {
        continue;
      }
      int low = label[i] < label[j] ? label[i] : label[j];
      int high = label[i] < label[j] ? label[j] : label[i];
      for (int k = 0; k <= i; k++) {
        label[k] = label[k] == high ? low : label[k];
      }
    }
  }
}

// The joined contacts with a label; returns their number.
static int list_contacts(const int *label, int n, int which, int *list)
{
  int count = 0;
  for (int i = 0; i < n; i++) {
    if (label[i] == which) {
      list[count++] = i;
    }
  }
  return count;
}

// ---- The law

// The contact that closes fastest; RH_NONE: none closes fast enough for an impact.
static int fastest_contact(const rh_step_world *w, const rh_step_island *view, const int *list,
                           int n)
{
  int found = RH_NONE;
  double fastest = 0;
  for (int i = 0; i < n; i++) {
    const rh_step_row_info *side = &w->info[view->con + list[i]];
    if (side->un < fmin(fastest, -side->slow)) {
      fastest = side->un;
      found = list[i];
    }
  }
  return found;
}

static void fill_arrays(const rh_step_worker *worker, const rh_step_island *view, const int *list,
                        int n, const group_arrays *a)
{
  const rh_step_world *w = worker->world;
  memset(a->W, 0, 9 * (size_t)n * (size_t)n * sizeof *a->W);
  for (int i = 0; i < n; i++) {
    const rh_step_row *c = &w->row[view->con + list[i]];
    rh_vec3 f[3];
    rh_vec3 u = rh_step_velocity_at(worker, c);
    u = w->belt ? rh_add(u, w->belt[c->any].v) : u;
    rh_step_newton_frame(w, c, f);
    a->mu[i] = w->m->contact[w->info[view->con + list[i]].rule].mu_impact[1];
    a->e[i] = w->info[view->con + list[i]].e;
    for (int k = 0; k < 3; k++) {
      a->u[3 * i + k] = rh_dot(f[k], u);
    }
    for (int j = 0; j < n; j++) {
      double block[9];
      if (!rh_step_contact_pair(worker, c, &w->row[view->con + list[j]], block)) {
        continue;
      }
      for (int k = 0; k < 9; k++) {
        a->W[(3 * i + k / 3) * 3 * n + 3 * j + k % 3] = block[k];
      }
    }
  }
}

static void give_impulse(rh_step_worker *worker, int row, const double p[3])
{
  const rh_step_world *w = worker->world;
  rh_step_row *c = &w->row[row];
  rh_vec3 f[3];
  rh_step_newton_frame(w, c, f);
  rh_vec3 along = rh_addscaled(rh_scale(p[0], f[0]), p[1], f[1]);
  rh_step_push(worker, c, rh_addscaled(along, p[2], f[2]));
  c->p[0] = c->round ? along.x : p[0];
  c->p[1] = c->round ? along.y : p[1];
  c->p[2] = c->round ? along.z : 0;
  c->p[3] = p[2];
}

// The contacts `list` of the view, which bodies join
static void solve_joined(rh_step_worker *worker, const rh_step_island *view, const int *list, int n)
{
  const rh_step_world *w = worker->world;
  group_arrays a = place_arrays(worker->law_memory, n);
  int fastest = fastest_contact(w, view, list, n);
  if (fastest == RH_NONE) {
    return;
  }
  const rh_impact_law *law = w->m->contact[w->info[view->con + fastest].rule].impact;
  fill_arrays(worker, view, list, n, &a);
  const rh_many_in in = {.n = n, .W = a.W, .u = a.u, .mu = a.mu, .e = a.e, .law = law};
  double mu_s = w->m->contact[w->info[view->con + list[0]].rule].mu_impact[0];
  rh_many_out out;
  bool good = rh_impact_solve(&w->m->run, &in, mu_s, a.scratch, a.p, a.after, &out);
  worker->tally.unsolved += !good;
  for (int i = 0; i < n; i++) {
    give_impulse(worker, view->con + list[i], a.p + 3 * (size_t)i);
  }
}

bool rh_step_impact_by_law(rh_step_worker *worker, const rh_step_island *view)
{
  int label[RH_STEP_LAW_MAX];
  int list[RH_STEP_LAW_MAX];
  if (!worker->law_memory || view->ncon > RH_STEP_LAW_MAX || worker->rows.njoint > 0 ||
      worker->rows.nloop > 0) {
    return false;
  }
  label_contacts(worker, view, label);
  for (int i = 0; i < view->ncon; i++) {
    int n = list_contacts(label, view->ncon, i, list);
    if (n > 0) {
      solve_joined(worker, view, list, n);
    }
  }
  return true;
}
