// Collisions ([CSC] section IV): the contacts of a group that collides take impulses at once, J v+
// = -e J v, by the map of impact/collision_map.c, frictionless, without hand or gravity; or, where
// the scene requests it (haptic.collide), by impulses that only push, or with friction, by the
// formulation of the run. For methods by constraints, impulses that keep closed contacts from
// approaching. Rows are contacts; under the split law a contact of two moving bodies is two, with
// friction a contact is three: t1, t2, n.
#include "step.h"

#include "laws/laws.h"

#include <math.h>
#include <string.h>

// ---- Rows

static rh_vec3 row_direction(const rh_haptic *h, const rh_row_of *row)
{
  const rh_contact *c = &h->contact[row->contact].contact;
  return row->axis == 0 ? c->n : row->axis == 1 ? c->t1 : c->t2;
}

static void add_side(const rh_tick *t, int body, rh_vec3 point, rh_vec3 direction, double *row)
{
  const rh_model_body *b = t->h->m->body;
  for (int i = body; i > 0; i = b[i].parent) {
    for (int j = b[i].vadr; j < b[i].vadr + b[i].nv; j++) {
      rh_vec3 r = rh_sub(point, t->d->kin[i].p);
      rh_vec3 v = rh_add(t->d->dyn.S[j].lin, rh_cross(t->d->dyn.S[j].ang, r));
      row[j] += rh_dot(direction, v);
    }
  }
}

static int group_dofs(const rh_tick *t, int group)
{
  const rh_haptic *h = t->h;
  int n = 0;
  for (int k = 0; k < h->m->nv; k++) {
    if (h->group[rh_tree_of(h->m, h->m->dof[k].body)] == group) {
      h->dof[n++] = k;
    }
  }
  return n;
}

static void fill_row(const rh_tick *t, const rh_row_of *row, double *J)
{
  const rh_contact *c = &t->h->contact[row->contact].contact;
  rh_vec3 along = row_direction(t->h, row);
  memset(J, 0, (size_t)t->h->m->nv * sizeof *J);
  if (row->side != 2) {
    add_side(t, c->a, c->point, along, J);
  }
  if (row->side != 1) {
    add_side(t, c->b, c->point, rh_neg(along), J);
  }
}

// Responses of the rows, one by one; or, if there are more rows than degrees of freedom of the
// group, from those of the latter.
static void fill_responses(const rh_tick *t, int n, int ng)
{
  const rh_haptic *h = t->h;
  size_t nv = (size_t)h->m->nv;
  if (n <= ng) {
    for (int i = 0; i < n; i++) {
      rh_impulse_response(t->d, h->J + (size_t)i * nv, h->X + (size_t)i * nv);
    }
    return;
  }
  for (int k = 0; k < ng; k++) {
    double *unit = h->unit + (size_t)k * nv;
    memset(unit, 0, nv * sizeof *unit);
    unit[h->dof[k]] = 1;
    rh_impulse_response(t->d, unit, unit);
  }
  memset(h->X, 0, (size_t)n * nv * sizeof *h->X);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < ng; k++) {
      double x = h->J[(size_t)i * nv + (size_t)h->dof[k]];
      for (int l = 0; l < ng; l++) {
        h->X[(size_t)i * nv + (size_t)h->dof[l]] += x * h->unit[(size_t)k * nv + (size_t)h->dof[l]];
      }
    }
  }
}

// Rows [0, n) of one group: J, X = J H^-1, W. Returns the group's degrees of freedom.
static int fill_group_rows(const rh_tick *t, int n, int group)
{
  const rh_haptic *h = t->h;
  size_t nv = (size_t)h->m->nv;
  int ng = group_dofs(t, group);
  for (int i = 0; i < n; i++) {
    fill_row(t, &h->row[i], h->J + (size_t)i * nv);
  }
  fill_responses(t, n, ng);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < ng; k++) {
      h->Jg[(size_t)i * (size_t)ng + (size_t)k] = h->J[(size_t)i * nv + (size_t)h->dof[k]];
      h->Xg[(size_t)i * (size_t)ng + (size_t)k] = h->X[(size_t)i * nv + (size_t)h->dof[k]];
    }
  }
  rh_collide_matrix(n, ng, h->Jg, h->Xg, h->W);
  return ng;
}

static double row_velocity(const rh_tick *t, int row)
{
  double sum = 0;
  for (int k = 0; k < t->h->m->nv; k++) {
    sum += t->h->J[(size_t)row * (size_t)t->h->m->nv + (size_t)k] * t->d->v[k];
  }
  return sum;
}

static void add_row(rh_haptic *h, int *n, rh_row_of row)
{
  if (*n < h->rows) {
    h->row[(*n)++] = row;
  }
}

static int rows_of_group(rh_tick *t, int group, bool split)
{
  rh_haptic *h = t->h;
  int n = 0;
  for (int i = 0; i < h->ncontact; i++) {
    if (h->contact[i].group != group) {
      continue;
    }
    bool two = split && h->pair[i].a != 0 && h->pair[i].b != 0;
    add_row(h, &n, (rh_row_of){i, two ? 1 : 0, 0});
    if (two) {
      add_row(h, &n, (rh_row_of){i, 2, 0});
    }
  }
  return n;
}

// Three rows per contact, in the order of impact/impact.h; contacts beyond the capacity have none.
static int friction_rows_of_group(rh_tick *t, int group)
{
  rh_haptic *h = t->h;
  int n = 0;
  for (int i = 0; i < h->ncontact && n + 3 <= h->rows; i++) {
    for (int k = 0; k < 3 && h->contact[i].group == group; k++) {
      add_row(h, &n, (rh_row_of){i, 0, (k + 1) % 3});
    }
  }
  return n;
}

// ---- Effect of the impulses

// What the hand feels of the impulse of a row, as a wrench over the tick
static void add_row_wrench(const rh_tick *t, int i, double wrench[6])
{
  const rh_haptic *h = t->h;
  const rh_contact *c = &h->contact[h->row[i].contact].contact;
  rh_vec3 f = rh_scale(h->p[i] / h->dt, row_direction(h, &h->row[i]));
  if (h->row[i].side != 2) {
    rh_grip_feel(t, c->a, c->point, f, wrench);
  }
  if (h->row[i].side != 1) {
    rh_grip_feel(t, c->b, c->point, rh_neg(f), wrench);
  }
}

// That of all rows goes to the environment's wrench, and to the contacts.
static void feel_impulses(rh_tick *t, int n)
{
  rh_haptic *h = t->h;
  for (int i = 0; i < n; i++) {
    double w[6] = {0};
    add_row_wrench(t, i, w);
    for (int j = 0; j < 6; j++) {
      t->env[j] += w[j];
      h->contact[h->row[i].contact].felt[j] += w[j];
    }
  }
}

// Velocities, and their energy: kinetic energy changes by 1/2 p'(u + u+).
static void apply_impulses(rh_tick *t, int n)
{
  rh_haptic *h = t->h;
  size_t nv = (size_t)h->m->nv;
  double gain = 0;
  for (int i = 0; i < n; i++) {
    double after = h->u[i];
    for (int j = 0; j < n; j++) {
      after += h->W[(size_t)i * (size_t)n + (size_t)j] * h->p[j];
    }
    h->after[i] = after;
    gain += 0.5 * h->p[i] * (h->u[i] + after);
  }
  for (int i = 0; i < n; i++) {
    rh_haptic_contact *c = &h->contact[h->row[i].contact];
    for (size_t k = 0; k < nv && h->p[i] != 0; k++) {
      t->d->v[k] += h->p[i] * h->X[(size_t)i * nv + k];
    }
    c->work += 0.5 * h->p[i] * (h->u[i] + h->after[i]);
    if (h->row[i].axis != 0) {
      continue;
    }
    c->after = h->row[i].side == 2 ? c->after + h->after[i] : h->after[i];
    c->p += h->row[i].side != 0 ? 0.5 * h->p[i] : h->p[i]; // split: the mean of the two
  }
  h->gain += gain;
}

// ---- Collisions

// A scaled contact keeps its target; u - target then shall be zero.
static bool fill_target(rh_tick *t, int n)
{
  rh_haptic *h = t->h;
  bool any = false;
  for (int i = 0; i < n; i++) {
    any = any || t->slot[h->contact[h->row[i].contact].slot].scaled != 0;
  }
  if (!any || !h->m->haptic.carry) {
    return false;
  }
  for (int i = 0; i < n; i++) {
    const rh_haptic_slot *s = &t->slot[h->contact[h->row[i].contact].slot];
    double target = s->scaled != 0 ? s->target : -h->e[i] * h->u[i];
    if (h->row[i].axis != 0) {
      h->goal[i] = 0; // friction goes on opposing the slip
      continue;
    }
    h->goal[i] = target;
    h->approach[i] = s->scaled != 0 ? h->approach[i] - target : h->approach[i];
    h->e[i] = 0;
  }
  return true;
}

static rh_collide_in collision_input(rh_haptic *h, int n, int nv)
{
  const rh_model_haptic *k = &h->m->haptic;
  return (rh_collide_in){.n = n,
                         .nv = nv,
                         .W = h->W,
                         .u = h->u,
                         .e = h->e,
                         .approach = h->approach,
                         .select = (rh_collide_select)k->select,
                         .closed = k->closed};
}

static void note_limits(rh_tick *t, int n, const rh_limited *l, double scale, bool kept)
{
  rh_haptic *h = t->h;
  const rh_model_haptic *k = &h->m->haptic;
  bool spread = k->limits == RH_LIMITS_SPREAD && l->scaled;
  for (int i = 0; i < n; i++) {
    rh_haptic_contact *c = &h->contact[h->row[i].contact];
    rh_haptic_slot *s = &t->slot[c->slot];
    if (h->row[i].axis != 0) {
      continue;
    }
    if (!c->struck || !spread) {
      s->scaled = 0;
    } else if (!k->carry) {
      s->scaled = 1;
      s->target = 0;
    } else {
      double goal = kept ? h->goal[i] : -scale * h->e[i] * h->u[i];
      s->target = s->scaled != 0 ? s->target : goal;
      s->scaled = 1;
    }
  }
}

// Impulses with friction: a single contact along the path of Stronge's law, which creates no energy,
// several by the formulation of the run; the same as an impact of rigid bodies by the engine `event`.
static bool resolve_friction(rh_haptic *h, const double *u, int n, rh_collide_out *out)
{
  const rh_model_run *run = &h->m->run;
  rh_many_out many = {0};
  int contacts = n / 3;
  double *mu = h->scratch;
  double *e = mu + contacts;
  for (int i = 0; i < contacts; i++) {
    mu[i] = h->m->contact[h->contact[h->row[3 * i].contact].contact.rule].mu_impact[1];
    e[i] = h->e[3 * i + 2];
  }
  double mu_s = h->m->contact[h->contact[h->row[0].contact].contact.rule].mu_impact[0];
  rh_many_in in = {
      .n = contacts, .W = h->W, .u = u, .mu = mu, .e = e, .law = &rh_impact_law_stronge};
  *out = (rh_collide_out){.scale = 1};
  bool good = rh_impact_solve(run, &in, mu_s, e + contacts, h->p, h->after, &many);
  for (int i = 0; i < n; i++) {
    good = good && isfinite(h->p[i]);
  }
  for (int i = 0; i < n; i++) {
    h->p[i] = good ? h->p[i] : 0;
  }
  return good;
}

size_t rh_haptic_friction_room(const rh_model *m, int rows)
{
  return 2 * (size_t)(rows / 3) + rh_formulation_of(&m->run)->room(rows / 3 > 0 ? rows / 3 : 1);
}

// Impulses h->p of n rows with the velocities u [ng: degrees of freedom]; not found: none
static void resolve_rows(rh_haptic *h, const double *u, int n, int ng, rh_collide_out *out)
{
  rh_collide_in in = collision_input(h, n, ng);
  in.u = u;
  *out = (rh_collide_out){.scale = 1};
  switch (h->m->haptic.collide) {
  case RH_COLLIDE_BY_FRICTION:
    h->unresolved += n > 0 && !resolve_friction(h, u, n, out);
    for (int i = 0; i < n; i++) {
      h->contact[h->row[i].contact].struck = h->approach[i - i % 3 + 2] < 0 || h->p[i] != 0;
    }
    return;
  case RH_COLLIDE_BY_PUSH:
    h->unresolved += !rh_collide_unilateral(&in, h->scratch, h->p, h->after, out);
    break;
  default:
    (void)rh_collide_map(&in, h->scratch, h->p, h->after, out); // not finite: no impulse
  }
  for (int i = 0; i < n; i++) {
    h->contact[h->row[i].contact].struck = rh_collide_takes(&in, i);
  }
}

static void collide_group(rh_tick *t, int group)
{
  rh_haptic *h = t->h;
  const rh_model_haptic *k = &h->m->haptic;
  rh_collide_out out;
  int n = k->collide == RH_COLLIDE_BY_FRICTION ? friction_rows_of_group(t, group)
                                               : rows_of_group(t, group, k->split);
  int ng = fill_group_rows(t, n, group);
  for (int i = 0; i < n; i++) {
    const rh_haptic_contact *c = &h->contact[h->row[i].contact];
    h->u[i] = row_velocity(t, i);
    h->e[i] = h->m->contact[c->contact.rule].e;
    h->approach[i] = h->row[i].side == 0 ? h->u[i] : c->before;
  }
  bool kept = fill_target(t, n);
  for (int i = 0; kept && i < n; i++) {
    h->shifted[i] = h->u[i] - h->goal[i];
  }
  resolve_rows(h, kept ? h->shifted : h->u, n, ng, &out);
  double asked[6] = {0};
  for (int i = 0; i < n; i++) {
    add_row_wrench(t, i, asked);
  }
  bool mine = h->group[rh_tree_of(h->m, k->tool)] == group;
  rh_limited l = {.alpha = 1, .e_eff = k->e};
  if (mine) {
    t->collides = true;
    l = rh_haptic_limit((rh_haptic_limits)k->limits, k->limit, k->e, asked);
    t->now->e_eff = l.e_eff;
  }
  note_limits(t, n, &l, out.scale, kept);
  for (int i = 0; i < n; i++) {
    h->p[i] *= l.alpha;
  }
  feel_impulses(t, n);
  apply_impulses(t, n);
  t->now->negative += out.negative;
}

void rh_haptic_apply_collisions(rh_tick *t)
{
  rh_haptic *h = t->h;
  bool any = false;
  for (int i = 0; i < h->ncontact; i++) {
    any = any || h->state[h->contact[i].group] == RH_STATE_COLLIDING;
  }
  if (!any) {
    return;
  }
  rh_loads(t->d);
  rh_forward_dynamics(t->d);
  for (int g = 1; g < h->m->nbody; g++) {
    if (h->group[g] == g && rh_tree_of(h->m, g) == g && h->state[g] == RH_STATE_COLLIDING) {
      collide_group(t, g);
    }
  }
  t->now->collisions++;
}

// ---- Constraints

// Overlapping bodies are separated by the least displacement, measured by the inertia, that
// contacts which only push can give: part of the way until the next tick. The rows are those of the
// velocities.
static void move_apart(rh_tick *t, int n, const rh_collide_in *rows)
{
  rh_haptic *h = t->h;
  size_t nv = (size_t)h->m->nv;
  rh_collide_in in = *rows;
  rh_collide_out out;
  for (int i = 0; i < n; i++) {
    h->shifted[i] = -h->contact[h->row[i].contact].contact.depth;
  }
  in.u = in.approach = h->shifted;
  (void)rh_collide_unilateral(&in, h->scratch, h->p, h->after, &out); // none found: it is unchanged
  for (int i = 0; i < n; i++) {
    for (size_t k = 0; k < nv; k++) {
      h->way[k] += h->p[i] * h->X[(size_t)i * nv + k] / h->dt;
    }
  }
}

static void constrain_group(rh_tick *t, int group, bool glue)
{
  rh_haptic *h = t->h;
  rh_collide_out out;
  int n = rows_of_group(t, group, false);
  int ng = fill_group_rows(t, n, group);
  for (int i = 0; i < n; i++) {
    h->approach[i] = h->u[i] = row_velocity(t, i);
    h->e[i] = 0;
  }
  rh_collide_in in = collision_input(h, n, ng);
  in.select = glue ? RH_COLLIDE_CLOSED : RH_COLLIDE_ALL;
  if (glue) {
    (void)rh_collide_map(&in, h->scratch, h->p, h->after, &out);
  } else {
    move_apart(t, n, &in);
    (void)rh_collide_unilateral(&in, h->scratch, h->p, h->after, &out);
  }
  for (int i = 0; i < n; i++) {
    h->contact[h->row[i].contact].struck = h->contact[h->row[i].contact].struck || glue;
  }
  feel_impulses(t, n);
  apply_impulses(t, n);
  t->now->negative += glue ? out.negative : 0;
}

// Closed contacts do not approach. Glued: if one is new and approaches, all of its group that do
// not separate stop ([CSC] 15); only then they push.
void rh_haptic_hold_contacts(rh_tick *t, bool glue)
{
  rh_haptic *h = t->h;
  memset(h->way, 0, (size_t)h->m->nv * sizeof *h->way);
  for (int g = 1; g < h->m->nbody; g++) {
    if (h->group[g] != g || rh_tree_of(h->m, g) != g || h->state[g] == RH_STATE_FREE) {
      continue;
    }
    if (glue && h->state[g] == RH_STATE_COLLIDING) {
      constrain_group(t, g, true);
      t->now->collisions++;
    }
    constrain_group(t, g, false);
  }
}
