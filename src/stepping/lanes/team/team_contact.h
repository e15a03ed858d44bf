// team_contact.h: contacts of spheres of the tree with planes by a team: contact.h, number by number. A contact is a thread's
// where it is found and made; in a sweep all threads take one contact after the other.
#ifndef ROUTH_STEPPING_LANES_TEAM_CONTACT_H
#define ROUTH_STEPPING_LANES_TEAM_CONTACT_H

#include "team_tree.h"

typedef struct team_meets { // contacts found
  unsigned long long on;    // bit k: pair k
  int n;
  vec root; // where the tree stood
} team_meets;

// ---- Which spheres touch

// Does the pair touch? Its distance and point, and how its point accelerates (find_contact, row_bend)
LANE_FN bool pair_meets(const team *g, const lane_pair *x, team_row *c)
{
  const lane_table *t = g->t;
  const lane_kin *b = kin_of(g, x->body);
  const num *reaches = numbers(g, g->k->reach) + 2 * x->body;
  const double h = t->dt;
  const num radius = n_all(x->radius);
  vec p = v_add(b->p, v_rotate(b->R, v_all(x->place)));
  num reach = n_all(h) * (reaches[0] + reaches[1] * n_all(x->arm)) + n_all(2 * h * h * t->weight);
  reach = reach + n_all(t->skin);
  const vec n = v_all(x->n);
  c->phi = v_dot(n, v_sub(p, v_all(x->at))) - radius;
  bool meets = bounds_touch(x, p, radius + reach);
  c->point = v_addscaled(p, -radius, n);
  vec arm = v_sub(v_addscaled(c->point, n_all(x->rounding), n), b->p);
  vec turning = v_add(v_cross(b->cw, arm), v_cross(b->w, v_cross(b->w, arm)));
  c->normal = v_dot(n, v_add(b->c, turning));
  return meets && m_not(n_over(c->phi, reach));
}

// Contacts in the order of their pairs; n may be more than there is memory for. [team_stand]
LANE_FN team_meets team_find_contacts(const team *g)
{
  team_meets found = {0, 0, kin_of(g, 0)->p};
  for (int base = 0; base < g->k->npair; base += TEAM) {
    const int k = base + g->rank;
    team_row c;
    bool on = k < g->k->npair && pair_meets(g, &g->t->pair[k], &c);
    unsigned votes = team_vote(g, on);
    int at = found.n + count_bits(votes & ((1ULL << g->rank) - 1));
    if (on && at < g->k->rows) {
      team_row *to = row_of(g, at);
      to->pair = k;
      to->body = g->t->pair[k].body;
      to->phi = c.phi;
      to->point = c.point;
      to->normal = c.normal;
    }
    found.on |= (unsigned long long)votes << base;
    found.n += count_bits(votes);
  }
  team_wait(g);
  return found;
}

// ---- Rows

// Velocities of the points by those of the joints, along the paths of their bodies (rows_of_point)
LANE_FN void team_point_rows(const team *g, const team_meets *found)
{
  for (int i = 0; i < found->n; i++) {
    const team_row *c = row_of(g, i);
    const lane_body *b = &g->t->body[c->body];
    const int at = g->t->dof[b->tip].row;
    const vec r = v_sub(c->point, found->root);
    num *Y = path_of(g, i);
    for TEAM_EACH (e, b->depth) {
      const lane_axis *S = axis_of(g, g->d->ancestor[at + e]);
      vec w = S->ang;
      Y[e] = S->lin.x + (w.y * r.z - w.z * r.y);
      Y[g->k->deep + e] = S->lin.y + (w.z * r.x - w.x * r.z);
      Y[2 * g->k->deep + e] = S->lin.z + (w.x * r.y - w.y * r.x);
    }
  }
  team_wait(g);
}

// Y := Y L^-1, a thread for each row of a contact (rows_back)
LANE_FN void team_rows_back(const team *g, int n)
{
  const num *L = numbers(g, g->k->L);
  const num *iL = numbers(g, g->k->iL);
  for TEAM_EACH (i, 3 * n) {
    const int contact = i / 3;
    const lane_body *b = &g->t->body[row_of(g, contact)->body];
    const uint8_t *path = g->d->ancestor + g->t->dof[b->tip].row;
    num *LANE_ALONE Y = path_of(g, contact) + (i - 3 * contact) * g->k->deep;
    for (int e = b->depth - 1; e >= 0; e--) {
      const num *LANE_ALONE row = L + g->d->row_at[path[e]];
      const num y = Y[e] * iL[path[e]];
      for (int a = 0; a < e; a++) {
        Y[a] = Y[a] - y * row[a];
      }
      Y[e] = y;
    }
  }
  team_wait(g);
}

// Three products of numbers along a path with its rows (three_dots), by one thread. `on_path`: x is one of the rows.
LANE_FN void team_dots(const team *g, int i, const num *x, bool on_path, num u[3])
{
  const team_list *path = g->d->path[row_of(g, i)->body];
  const int deep = g->k->deep;
  const num *Y = path_of(g, i);
  num half[3];
  for (int q = 0; q < 4; q++) {
    num sum[3] = {n_all(0), n_all(0), n_all(0)};
    for (int n = 0; n < path[q].n; n++) {
      const int at = path[q].at[n];
      const num z = x[on_path ? at : path[q].dof[n]];
      sum[0] = sum[0] + z * Y[at];
      sum[1] = sum[1] + z * Y[deep + at];
      sum[2] = sum[2] + z * Y[2 * deep + at];
    }
    for (int m = 0; m < 3; m++) { // (0 + 1) + (2 + 3)
      if (q == 0) {
        u[m] = sum[m];
      } else if (q == 1) {
        u[m] = u[m] + sum[m];
      } else if (q == 2) {
        half[m] = sum[m];
      } else {
        u[m] = u[m] + (half[m] + sum[m]);
      }
    }
  }
}

// The numbers of a row that the functions of contact.h read
LANE_FN void open_row(const team_row *c, lane_row *to)
{
  to->pair = c->pair;
  to->on = true;
  to->phi = c->phi;
  to->un = c->un;
  to->bias = c->bias;
  to->mu = c->mu;
  to->w = c->w;
  to->iw = c->iw;
  to->slow = c->slow;
  for (int k = 0; k < 2; k++) {
    to->c[k] = c->c[k];
    to->l[k] = c->l[k];
    to->il[k] = c->il[k];
    to->turn[k] = n_all(0);
  }
  for (int k = 0; k < 3; k++) {
    to->p[k] = c->p[k];
  }
  to->u0 = c->u0;
  to->t1 = c->t1;
  to->t2 = c->t2;
}

LANE_FN void close_row(const lane_row *c, team_row *to)
{
  to->un = c->un;
  to->bias = c->bias;
  to->mu = c->mu;
  to->w = c->w;
  to->iw = c->iw;
  to->slow = c->slow;
  for (int k = 0; k < 2; k++) {
    to->c[k] = c->c[k];
    to->l[k] = c->l[k];
    to->il[k] = c->il[k];
  }
  for (int k = 0; k < 3; k++) {
    to->p[k] = c->p[k];
  }
  to->u0 = c->u0;
  to->t1 = c->t1;
  to->t2 = c->t2;
}

LANE_FN void turn_path(const team *g, int i, const lane_row *c)
{
  const vec n = v_all(g->t->pair[c->pair].n);
  const int deep = g->k->deep;
  num *Y = path_of(g, i);
  for (int e = 0; e < g->t->body[row_of(g, i)->body].depth; e++) {
    const vec y = v_of(Y[e], Y[deep + e], Y[2 * deep + e]);
    Y[e] = c->t1.x * y.x + c->t1.y * y.y + c->t1.z * y.z;
    Y[deep + e] = c->t2.x * y.x + c->t2.y * y.y + c->t2.z * y.z;
    Y[2 * deep + e] = n.x * y.x + n.y * y.y + n.z * y.z;
  }
}

LANE_FN vec point_velocity(const team *g, int i, const lane_row *c)
{
  num u[3];
  team_dots(g, i, numbers(g, g->k->z), false, u);
  vec x = v_addscaled(v_scale(u[0], c->t1), u[1], c->t2);
  return v_addscaled(x, u[2], v_all(g->t->pair[c->pair].n));
}

// One row of the path times x, each run by itself (row_sum)
LANE_FN num team_row_sum(const team *g, int i, const num *x)
{
  const lane_body *b = &g->t->body[row_of(g, i)->body];
  const num *Y = path_of(g, i) + 2 * g->k->deep;
  num u = n_all(0);
  int at = 0;
  for (int k = b->run; k < b->run + b->nrun; k++) {
    num part[4] = {n_all(0), n_all(0), n_all(0), n_all(0)};
    sum_run(Y + at, x + g->t->run[k].first, g->t->run[k].n, part);
    u = u + sum_quarters(part);
    at += g->t->run[k].n;
  }
  return u;
}

// The row of a contact, by one thread (make_row); true: the sweeps cannot step it.
LANE_FN bool team_make_row(const team *g, int i)
{
  const lane_table *t = g->t;
  team_row *to = row_of(g, i);
  const lane_pair *x = &t->pair[to->pair];
  const num *force = g->x + LANE_FORCE + 3 * to->pair;
  const num *Y = path_of(g, i);
  const int deep = g->k->deep;
  const num shut = n_all(RH_STEP_SHUT);
  num a[3];
  num b[3];
  num c3[3];
  team_dots(g, i, Y, true, a);
  team_dots(g, i, Y + deep, true, b);
  team_dots(g, i, Y + 2 * deep, true, c3);
  sym W;
  W.xx = a[0];
  W.yy = b[1];
  W.zz = c3[2];
  W.xy = a[1];
  W.xz = a[2];
  W.yz = b[2];
  lane_row c;
  c.pair = to->pair;
  c.on = true;
  c.phi = to->phi;
  row_frame(t, &c, W);
  turn_path(g, i, &c);
  num gap = n_pick(n_over(c.phi, n_all(2 * RH_STEP_SHUT)), c.phi,
                   n_pick(n_over(c.phi, shut), n_all(2) * (c.phi - shut), n_all(0)));
  c.bias = gap / n_all(t->dt);
  num add = n_all(0.5 * t->dt) * to->normal;
  c.bias = n_pick(n_over(n_all(0), to->normal), c.bias + add, c.bias);
  c.u0 = point_velocity(g, i, &c);
  c.un = v_dot(v_all(x->n), c.u0);
  bool closes = n_over(n_all(x->e > 0 ? HUGE_VAL : -t->slow), c.un);
  c.slow = n_pick(closes, n_all(x->slow), n_all(HUGE_VAL));
  bool fails = row_friction(t, &c);
  start_impulse(x, &c, v_scale(n_all(t->dt), v_of(force[0], force[1], force[2])));
  close_row(&c, to);
  return fails;
}

// Has the contact an impact within the step, if it touches `pressed` or not (has_impact)? By one thread
LANE_FN bool team_has_impact(const team *g, int i, bool pressed)
{
  const lane_table *t = g->t;
  const team_row *c = row_of(g, i);
  if (!(t->pair[c->pair].e > 0 || c->slow < HUGE_VAL)) {
    return false;
  }
  num a = pressed ? n_all(0) : team_row_sum(g, i, numbers(g, g->k->force));
  return closes_in(t->dt, c->slow, c->phi, c->un, a);
}

// All rows; false: the step has an impact (make_rows).
LANE_FN bool team_make_rows(const team *g, const team_meets *found)
{
  bool fails = false;
  bool pressed = g->x[LANE_PRESSED] > 0;
  team_point_rows(g, found);
  team_rows_back(g, found->n);
  for TEAM_EACH (i, found->n) {
    fails = team_make_row(g, i) || fails;
    const num *f = g->x + LANE_FORCE + 3 * row_of(g, i)->pair;
    pressed = pressed || n_abs(f[0]) + n_abs(f[1]) + n_abs(f[2]) != 0;
  }
  pressed = team_any(g, pressed);
  for TEAM_EACH (i, found->n) {
    fails = team_has_impact(g, i, pressed) || fails;
  }
  team_wait(g);
  return !team_any(g, fails);
}

// ---- The solution

// The velocity of a contact in all threads: a thread for each quarter of each of the three sums
LANE_FN void team_velocity(const team *g, int i, int body, const num *z, num u[3])
{
  const num *Y = path_of(g, i);
  const int line = g->rank >> 2 < 3 ? g->rank >> 2 : 2;
  const team_list *path = &g->d->path[body][g->rank & 3];
  num sum = n_all(0);
  Y += line * g->k->deep;
  for (int n = 0; n < path->n; n++) {
    sum = sum + z[path->dof[n]] * Y[path->at[n]];
  }
  sum = sum + team_swap(g, sum, 1);
  sum = sum + team_swap(g, sum, 2);
  u[0] = team_take(g, sum, 0);
  u[1] = team_take(g, sum, 4);
  u[2] = team_take(g, sum, 8);
}

// z += p Y (row_push)
LANE_FN void team_push(const team *g, int i, int body, const num p[3], num *z)
{
  const lane_body *b = &g->t->body[body];
  const uint8_t *path = g->d->ancestor + g->t->dof[b->tip].row;
  const num *Y = path_of(g, i);
  for TEAM_EACH (e, b->depth) {
    num add = p[0] * Y[e];
    add = add + p[1] * Y[g->k->deep + e];
    add = add + p[2] * Y[2 * g->k->deep + e];
    z[path[e]] = z[path[e]] + add;
  }
  team_wait(g);
}

// One contact in turn; the largest change of its velocity (visit_row)
LANE_FN num team_visit(const team *g, int i, num *z)
{
  team_row *to = row_of(g, i);
  num u[3];
  num p[3];
  num d[3];
  lane_row c;
  open_row(to, &c);
  team_velocity(g, i, to->body, z, u);
  find_impulse(&c, true, u, p);
  team_wait(g);
  for (int k = 0; k < 3; k++) {
    d[k] = p[k] - c.p[k];
    if (g->rank == k) {
      to->p[k] = p[k];
    }
  }
  num change =
      n_greater(c.w * n_abs(d[2]), n_greater(c.l[0] * n_abs(d[0]), c.l[1] * n_abs(d[1])));
  if (change > 0) {
    team_push(g, i, to->body, d, z);
  }
  return change;
}

// Sweeps to the tolerance; false: they do not solve it so (solve_rows).
LANE_FN bool team_solve(const team *g, int n, num *sweeps)
{
  enum { CIRCLE = 24, TRIED = 8, MOST = 400 };

  const num one = n_all(1);
  const num tolerance = n_all(g->t->tolerance);
  num *z = numbers(g, g->k->z);
  num change[2] = {n_all(0), n_all(0)};
  for (int k = 0; k < MOST; k++) {
    num now = n_all(0);
    for (int i = 0; i < n; i++) {
      now = n_greater(now, team_visit(g, k % 2 == 1 ? n - 1 - i : i, z));
    }
    team_wait(g);
    num before = change[k % 2];
    num square = k > 1 && before > now ? now / before : one;
    num r = n_root(square);
    change[k % 2] = now;
    num left = n_all(20) * now;
    if (k >= 2) {
      left = one > r ? now * n_greater(one, r / (one - r)) : n_all(1e3) * now;
    }
    *sweeps = n_all(k + 1);
    if (now == 0 || !(left > tolerance) || (k >= CIRCLE && tolerance >= now)) {
      return true;
    }
    if (k >= TRIED) { // now square^200 > tolerance: Newton's method would take over
      if (now * power_200(square) >= tolerance * n_all(1 - 1e-6)) {
        return false;
      }
    }
  }
  return false;
}

// Three or more loaded contacts that all slide (all_slide)
LANE_FN bool team_all_slide(const team *g, int n)
{
  enum { MOST = 12 }; // RH_EXAMINE_MAX

  bool holds = false;
  int loaded = 0;
  for (int base = 0; base < n; base += TEAM) {
    const int i = base + g->rank;
    bool presses = false;
    if (i < n) {
      const team_row *c = row_of(g, i);
      num most = c->mu * c->p[2] * n_all(1 - 1e-9);
      num square = c->p[0] * c->p[0] + c->p[1] * c->p[1] + n_all(0);
      presses = c->p[2] > 0;
      holds = holds || (presses && (c->mu == 0 || most * most > square));
    }
    loaded += count_bits(team_vote(g, presses));
  }
  return !team_any(g, holds) && loaded >= 3 && n <= MOST;
}

LANE_FN vec team_impulse(const team *g, const team_row *c)
{
  vec P = v_scale(c->p[2], v_all(g->t->pair[c->pair].n));
  P = v_addscaled(P, c->p[0], c->t1);
  return v_addscaled(P, c->p[1], c->t2);
}

// The impulses of the last step (warm_start)
LANE_FN void team_warm_start(const team *g, int n)
{
  num *z = numbers(g, g->k->z);
  for (int i = 0; i < n; i++) {
    const team_row *c = row_of(g, i);
    if (c->p[2] > 0) {
      vec P = team_impulse(g, c);
      const num p[3] = {v_dot(c->t1, P), v_dot(c->t2, P), v_dot(v_all(g->t->pair[c->pair].n), P)};
      team_push(g, i, c->body, p, z);
    }
  }
}

// Work and losses of a contact, by one thread (record_row)
LANE_FN void team_record(const team *g, int i)
{
  const num half = n_all(0.5);
  team_row *c = row_of(g, i);
  c->slide = c->normal = n_all(0);
  if (c->p[2] > 0) {
    lane_row r;
    open_row(c, &r);
    vec u = point_velocity(g, i, &r);
    vec P = team_impulse(g, c);
    num whole = half * v_dot(P, v_add(c->u0, u));
    c->normal = half * c->p[2] * (c->un + v_dot(v_all(g->t->pair[c->pair].n), u));
    c->slide = n_all(0) - (whole - c->normal);
  }
}

#endif
