// Impulses at a moment, as in the engine event (impact/impact_contacts.c): a contact that no other
// shares a body with follows the path of its law, where slip may stop or turn on the way; contacts
// that share bodies, up to TOGETHER of them, take the formulation of the run where all have e = 0,
// or where it solves all points together, or each by its path, or along one course of a few
// of them, and `simultaneous` where an impulse or energy gives e. Other contacts that share bodies,
// those of joints at limits, and larger sets, are one problem without a path (impacts/groups.c); of
// laws and formulations with a path of their own it is reported. Dry joints have no impulse in an
// instant.
#include "stepping/contact_kernels.h"

#include "base/tolerances.h"
#include "impact/impact.h"
#include "math/dense.h"
#include "model/contact_speed.h"

#include <math.h>
#include <string.h>

enum {
  TOGETHER = 32, // contacts
  COURSE = 8,    // contacts of a course, whose time grows with the cube of their number;
  RUBBING = 3,   // with friction a course of four points takes as long as a hundred steps
};

typedef struct contact_set { // contacts that share bodies, and their impact
  int n;
  bool course;                                      // it may follow that of the formulation
  int at[TOGETHER];                                 // rows
  double *W, *u, *after, *p, *mu, *e, *eta2, *lost; // of rh_many_in
  double *scratch;
} contact_set;

// Doubles of the arrays of n contacts; with a block they are assigned.
static size_t place_set(contact_set *s, size_t n, double *block)
{
  double *at = block;
  double **const array[] = {&s->W, &s->u, &s->after, &s->p, &s->mu, &s->e, &s->eta2, &s->lost};
  const size_t size[] = {9 * n * n, 3 * n, 3 * n, 3 * n, n, n, n, 2 * n};
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
  size_t room = rh_impact_room(rh_formulation_of(&w->m->run), n);
  return w->laws.impacts ? place_set(&s, (size_t)n, NULL) + room : 0;
}

static bool follows_course(const rh_step_world *w, const contact_set *s)
{
  bool rubs = false;
  for (int i = 0; i < s->n; i++) {
    rubs = rubs || w->row[s->at[i]].mu > 0;
  }
  return s->n > 1 && s->n <= (rubs ? RUBBING : COURSE);
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
  s->course = follows_course(w, s);
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
static bool takes_all(const rh_step_world *w, const contact_set *s)
{
  const rh_formulation *form = rh_formulation_of(&w->m->run);
  return form->together || form->springs || s->course;
}

// Contacts that bounce by velocities alone have no path: they stay with the one problem of all.
static bool set_has_law(const rh_step_world *w, const contact_set *s)
{
  bool plastic = true;
  bool impulses = false;
  for (int i = 0; i < s->n; i++) {
    const rh_step_row_info *side = &w->info[s->at[i]];
    plastic = plastic && !(closes_fast(side) && side->e > 0);
    impulses = impulses || side->poisson;
  }
  return s->n == 1 || plastic || impulses || takes_all(w, s);
}

// The formulation of a set: the run's where all are plastic, or where it takes all e; else compression
// and restitution of all points at once.
static bool solve_impact(const rh_step_world *w, const rh_many_in *in, double mu_s,
                         const contact_set *s, rh_many_out *out)
{
  bool plastic = true;
  for (int i = 0; i < in->n; i++) {
    plastic = plastic && in->e[i] == 0;
  }
  if (in->n == 1 || plastic || takes_all(w, s)) {
    return rh_impact_solve(&w->m->run, in, mu_s, s->scratch, s->p, s->after, out);
  }
  return rh_many_impact(in, s->scratch, s->p, s->after, out);
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
  s->e[i] = closes_fast(side) || takes_all(w, s) ? side->e : 0;
  s->eta2[i] = rule->eta2;
  for (int j = 0; j < s->n; j++) {
    double W[9];
    rh_step_contact_pair(worker, c, &w->row[s->at[j]], W);
    for (int a = 0; a < 9; a++) {
      s->W[(3 * i + a / 3) * 3 * s->n + 3 * j + a % 3] = W[a];
    }
  }
}

// ---- Loops and constraints on velocities: rows whose velocity is zero after the impact, so that the contacts see
// W - Wcl Wll^+ Wlc and the velocities that the rows leave. All contacts of the island are one set.

enum { TIED = 24 }; // rows

typedef struct tied_rows {
  int n;                         // rows
  int block[TIED];               // their places among the blocks
  double A[TIED * TIED];         // their own W
  double W[TIED * 3 * TOGETHER]; // effect of the contacts on them (n x 3 contacts)
  double
      X[TIED * 3 * TOGETHER]; // impulses of the rows for a unit of each of the contacts', negative
  double x[TIED];             // and for the velocities that they have
} tied_rows;

// A x = b, by least squares: rows may depend on one another.
static void answer_rows(const tied_rows *t, const double *b, double *x)
{
  double A[TIED * TIED];
  double room[16 * TIED];
  memcpy(A, t->A, (size_t)t->n * (size_t)t->n * sizeof *A);
  RH_ASSERT(rh_lstsq_room(t->n, t->n) <= RH_COUNT(room));
  (void)rh_lstsq(t->n, t->n, A, b, RH_TOL_RANK, room, x, NULL);
}

// Numbers of the rows among all blocks; those of dry joints have no impulse in an instant. False: too many.
static bool list_rows(const rh_blocks *q, int ncon, tied_rows *t)
{
  t->n = 0;
  for (int i = ncon; i < q->n; i++) {
    if (q->kind[i] == RH_BLOCK_EQUAL) {
      if (t->n == TIED) {
        return false;
      }
      t->block[t->n++] = i;
    }
  }
  return true;
}

static int place_of_block(const tied_rows *t, int block)
{
  for (int i = 0; i < t->n; i++) {
    if (t->block[i] == block) {
      return i;
    }
  }
  return RH_NONE;
}

static void fill_row(const rh_blocks *q, int ncon, tied_rows *t, int i)
{
  for (int k = q->start[t->block[i]]; k < q->start[t->block[i] + 1]; k++) {
    const double *W = q->W + (size_t)9 * (size_t)k;
    int other = place_of_block(t, q->col[k]);
    if (other != RH_NONE) {
      t->A[i * t->n + other] = W[0];
    } else if (q->col[k] < ncon) {
      memcpy(t->W + (ptrdiff_t)i * 3 * ncon + 3 * (ptrdiff_t)q->col[k], W, 3 * sizeof *W);
    }
  }
}

// False: they are not in blocks, or too many.
static bool gather_rows(rh_step_worker *worker, const rh_step_island *view, tied_rows *t)
{
  rh_blocks q;
  double u[TIED];
  int ncon = view->ncon;
  memset(t, 0, sizeof *t);
  if (!rh_step_newton_pose(worker, view, &q) || !list_rows(&q, ncon, t)) {
    return false;
  }
  for (int i = 0; i < t->n; i++) {
    u[i] = q.b[(ptrdiff_t)3 * t->block[i]];
    fill_row(&q, ncon, t, i);
  }
  for (int k = 0; k < 3 * ncon; k++) {
    double b[TIED];
    double x[TIED];
    for (int i = 0; i < t->n; i++) {
      b[i] = t->W[i * 3 * ncon + k];
    }
    answer_rows(t, b, x);
    for (int i = 0; i < t->n; i++) {
      t->X[i * 3 * ncon + k] = x[i];
    }
  }
  answer_rows(t, u, t->x);
  return true;
}

// Takes the rows out of the problem of the contacts.
static void reduce_set(const tied_rows *t, contact_set *s)
{
  int rows = 3 * s->n;
  for (int r = 0; r < rows; r++) {
    for (int i = 0; i < t->n; i++) {
      s->u[r] -= t->W[i * rows + r] * t->x[i];
      for (int k = 0; k < rows; k++) {
        s->W[r * rows + k] -= t->W[i * rows + r] * t->X[i * rows + k];
      }
    }
  }
}

// ---- Sets

// The impulses of the set, kept in its rows. `tied`: rows that are taken out first; NULL: none. False: they were not found.
static bool solve_set(rh_step_worker *worker, contact_set *s, const tied_rows *tied)
{
  const rh_step_world *w = worker->world;
  int fastest = s->at[0];
  rh_many_out out;
  (void)place_set(s, (size_t)s->n, worker->impact_scratch);
  for (int i = 0; i < s->n; i++) {
    fill_contact(worker, s, i);
    fastest = w->info[s->at[i]].un < w->info[fastest].un ? s->at[i] : fastest;
  }
  if (tied) {
    reduce_set(tied, s);
  }
  const rh_model_contact *rule = &w->m->contact[w->info[fastest].rule];
  const rh_many_in in = {.n = s->n,
                         .W = s->W,
                         .u = s->u,
                         .mu = s->mu,
                         .e = s->e,
                         .law = rule->impact,
                         .eta2 = s->eta2,
                         .lost = s->lost};
  double mu_s = rh_contact_impact_friction(rule, -w->info[fastest].un, true);
  if (!solve_impact(w, &in, mu_s, s, &out)) {
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
    w->info[s->at[i]].on_path = in.n == 1 || takes_all(w, s);
    w->info[s->at[i]].split = true;
    memcpy(w->info[s->at[i]].p1, s->lost + (size_t)2 * (size_t)i, 2 * sizeof *s->lost);
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
      good = !set_closes(w, &s) || (set_has_law(w, &s) && solve_set(worker, &s, NULL));
    }
  }
  return good;
}

bool rh_step_follows_path(const rh_step_world *w, int rule)
{
  const rh_impact_law *law = w->m->contact[rule].impact;
  return law->tangential_spring || law->impulse_ratio || rh_formulation_of(&w->m->run)->springs;
}

// Formulations with a path of their own, of all points along one course, have a tolerance.
static bool has_course(const rh_step_world *w)
{
  const rh_formulation *form = rh_formulation_of(&w->m->run);
  return !form->together && !form->springs;
}

double rh_step_path_error(const rh_step_world *w)
{
  return has_course(w) ? w->m->run.multi_impact_par[0] : 1e-13;
}

void rh_step_leave_path(const rh_step_world *w, const rh_step_island *view, bool far)
{
  for (int k = view->con; k < view->con + view->ncon; k++) {
    w->info[k].split = false;
    w->info[k].on_path = w->info[k].on_path && !far;
  }
}

bool rh_step_left_path(const rh_step_world *w, const rh_step_row_info *side, bool single)
{
  bool course = has_course(w) && !single && side->e > 0;
  return !side->on_path && (course || rh_step_follows_path(w, side->rule));
}

static void push_rows(rh_step_worker *worker, const tied_rows *t, const contact_set *s, int ncon)
{
  int rows = 3 * s->n;
  for (int i = 0; i < t->n; i++) {
    double p = -t->x[i];
    for (int k = 0; k < rows; k++) {
      p -= t->X[i * rows + k] * s->p[k];
    }
    worker->newton.p[(ptrdiff_t)3 * t->block[i]] = p;
    rh_step_newton_take(worker, &worker->newton.extra[t->block[i] - ncon], t->block[i]);
  }
}

static bool solve_tied(rh_step_worker *worker, const rh_step_island *view)
{
  const rh_step_world *w = worker->world;
  tied_rows t;
  contact_set s = {.n = view->ncon};
  for (int i = 0; i < s.n; i++) {
    s.at[i] = view->con + i;
  }
  s.course = follows_course(w, &s);
  if (!set_closes(w, &s) || !set_has_law(w, &s) || !gather_rows(worker, view, &t) ||
      !solve_set(worker, &s, &t)) {
    return false;
  }
  push_rows(worker, &t, &s, view->ncon);
  return true;
}

bool rh_step_impact_by_law(rh_step_worker *worker, const rh_step_island *view)
{
  const rh_step_world *w = worker->world;
  if (rh_formulation_of(&w->m->run)->alone || rh_step_joint_rows_closed(worker) > 0 ||
      view->ncon > TOGETHER) {
    return false;
  }
  bool good = worker->rows.nloop > 0 ? solve_tied(worker, view) : solve_sets(worker, view);
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
