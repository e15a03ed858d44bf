// contact.h: contacts of spheres of the tree with planes in lanes: those of collide.c, contact_rows.c,
// articulated_rows.c, gauss_seidel.c and energy.c, their operations in their order. A row belongs to a pair
// that has a contact in some lane; `on` are those lanes.
#ifndef ROUTH_STEPPING_LANES_CONTACT_H
#define ROUTH_STEPPING_LANES_CONTACT_H

#include "tree.h"

// ---- Which spheres touch

LANE_FN void find_contact(const lane_table *t, lane_scratch *s, int k, mask lanes)
{
  const lane_pair *x = &t->pair[k];
  const lane_kin *b = &s->kin[x->body];
  const double h = t->dt;
  const num radius = n_all(x->radius);
  vec p = v_add(b->p, v_rotate(b->R, v_all(x->place)));
  num reach = n_all(h) * (s->reach[x->body][0] + s->reach[x->body][1] * n_all(x->arm)) +
              n_all(2 * h * h * t->weight);
  reach = reach + n_all(t->skin);
  num r = radius + reach;
  const num at[3] = {p.x, p.y, p.z};
  num low[3];
  for (int i = 0; i < 3; i++) {
    low[i] = n_all(0);
    if (x->n[i] != 0) {
      low[i] = n_all(x->n[i]) * (x->n[i] > 0 ? at[i] - r : at[i] + r);
    }
  }
  const vec n = v_all(x->n);
  num phi = v_dot(n, v_sub(p, v_all(x->at))) - radius;
  mask meets = m_not(n_over(low[0] + low[1] + low[2], n_all(x->d)));
  mask on = m_and(lanes, m_and(meets, m_not(n_over(phi, reach))));
  if (m_bits(on) != 0) {
    lane_row *c = &s->row[s->nrow++];
    c->pair = k;
    c->on = on;
    c->phi = phi;
    c->point = v_addscaled(p, -radius, n);
  }
}

// ---- Rows

LANE_FN void rows_of_point(const lane_table *t, const lane_scratch *s, lane_row *c)
{
  const lane_body *b = &t->body[t->pair[c->pair].body];
  vec r = v_sub(c->point, s->kin[0].p);
  int at = 0;
  for (int k = b->run; k < b->run + b->nrun; k++) {
    for (int i = t->run[k].first; i < t->run[k].first + t->run[k].n; i++) {
      const lane_axis *S = &s->S[i];
      vec w = S->ang;
      c->Y[0][at] = S->lin.x + (w.y * r.z - w.z * r.y);
      c->Y[1][at] = S->lin.y + (w.z * r.x - w.x * r.z);
      c->Y[2][at] = S->lin.z + (w.x * r.y - w.y * r.x);
      at++;
    }
  }
}

// Y := Y L^-1
LANE_FN void rows_back(const lane_table *t, const lane_scratch *s, lane_row *c)
{
  const lane_body *b = &t->body[t->pair[c->pair].body];
  const int *path = t->ancestor + t->dof[b->tip].row;
  num *LANE_ALONE Y0 = c->Y[0];
  num *LANE_ALONE Y1 = c->Y[1];
  num *LANE_ALONE Y2 = c->Y[2];
  for (int e = b->depth - 1; e >= 0; e--) {
    const int j = path[e];
    const num *LANE_ALONE row = s->L + t->dof[j].row;
    const num inverse = s->iL[j];
    const num y0 = Y0[e] * inverse;
    const num y1 = Y1[e] * inverse;
    const num y2 = Y2[e] * inverse;
    for (int i = 0; i < e; i++) {
      Y0[i] = Y0[i] - y0 * row[i];
      Y1[i] = Y1[i] - y1 * row[i];
      Y2[i] = Y2[i] - y2 * row[i];
    }
    Y0[e] = y0;
    Y1[e] = y1;
    Y2[e] = y2;
  }
}

// A number of z times those of three rows
LANE_FN void add_products(const lane_row *c, int at, num z, int q, num sum[3][4])
{
  sum[0][q] = sum[0][q] + z * c->Y[0][at];
  sum[1][q] = sum[1][q] + z * c->Y[1][at];
  sum[2][q] = sum[2][q] + z * c->Y[2][at];
}

// Products of three rows with x over the path. `on_path`: x is one of the rows; else it is z. Quarters go on from run to run.
LANE_FN void three_dots(const lane_table *t, const lane_row *c, const num *x, bool on_path, num u[3])
{
  const lane_body *b = &t->body[t->pair[c->pair].body];
  num sum[3][4];
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 4; k++) {
      sum[i][k] = n_all(0);
    }
  }
  int at = 0;
  for (int k = b->run; k < b->run + b->nrun; k++) {
    const int n = t->run[k].n;
    const num *LANE_ALONE z = x + (on_path ? at : t->run[k].first);
    int i = 0;
    for (; i + 4 <= n; i += 4) {
      for (int q = 0; q < 4; q++) {
        add_products(c, at + i + q, z[i + q], q, sum);
      }
    }
    for (int q = 0; q < 3; q++) {
      if (i + q < n) {
        add_products(c, at + i + q, z[i + q], q, sum);
      }
    }
    at += n;
  }
  for (int i = 0; i < 3; i++) {
    u[i] = sum_quarters(sum[i]);
  }
}

LANE_FN void row_inertia(const lane_table *t, const lane_row *c, sym *W)
{
  num x[3];
  num y[3];
  num z[3];
  three_dots(t, c, c->Y[0], true, x);
  three_dots(t, c, c->Y[1], true, y);
  three_dots(t, c, c->Y[2], true, z);
  W->xx = x[0];
  W->yy = y[1];
  W->zz = z[2];
  W->xy = x[1];
  W->xz = x[2];
  W->yz = y[2];
}

LANE_FN void row_frame(const lane_table *t, lane_row *c, sym W)
{
  const num slight = n_all(1e-13);
  const num one = n_all(1);
  const lane_pair *x = &t->pair[c->pair];
  const vec n = v_all(x->n);
  vec t1 = v_all(x->t1);
  vec t2 = v_all(x->t2);
  vec Wn = s_mul(W, n);
  vec W1 = s_mul(W, t1);
  vec W2 = s_mul(W, t2);
  num wn = v_dot(n, Wn);
  num c1 = v_dot(t1, Wn);
  num c2 = v_dot(t2, Wn);
  num s11 = v_dot(t1, W1) - c1 * c1 / wn;
  num s22 = v_dot(t2, W2) - c2 * c2 / wn;
  num s12 = v_dot(t1, W2) - c1 * c2 / wn;
  num most = n_pick(n_over(s11, s22), s11, s22);
  mask turns = n_over(n_abs(s12), slight * most);
  num k = n_all(0.5) * (s22 - s11) / s12;
  num tangent =
      n_pick(n_least(k, n_all(0)), one, n_all(-1)) / (n_abs(k) + n_root(one + k * k));
  num cosine = one / n_root(one + tangent * tangent);
  num sine = tangent * cosine;
  vec turned = v_addscaled(v_scale(cosine, t1), -sine, t2);
  t2 = v_pick(turns, v_addscaled(v_scale(cosine, t2), sine, t1), t2);
  t1 = v_pick(turns, turned, t1);
  s11 = n_pick(turns, s11 - tangent * s12, s11);
  s22 = n_pick(turns, s22 + tangent * s12, s22);
  c1 = n_pick(turns, v_dot(t1, Wn), c1);
  c2 = n_pick(turns, v_dot(t2, Wn), c2);
  num little = slight * wn;
  s22 = n_pick(n_least(slight * most, n_abs(s11 - s22)), s11, s22);
  c->w = wn;
  c->iw = one / wn;
  c->c[0] = n_pick(n_least(little, n_abs(c1)), n_all(0), c1);
  c->c[1] = n_pick(n_least(little, n_abs(c2)), n_all(0), c2);
  c->l[0] = n_greater(s11, little);
  c->l[1] = n_greater(s22, little);
  c->il[0] = one / c->l[0];
  c->il[1] = one / c->l[1];
  c->t1 = t1;
  c->t2 = t2;
}

LANE_FN void turn_rows(const lane_table *t, lane_row *c)
{
  const lane_pair *p = &t->pair[c->pair];
  const vec n = v_all(p->n);
  const vec t1 = c->t1;
  const vec t2 = c->t2;
  num *LANE_ALONE Y0 = c->Y[0];
  num *LANE_ALONE Y1 = c->Y[1];
  num *LANE_ALONE Y2 = c->Y[2];
  for (int e = 0; e < t->body[p->body].depth; e++) {
    const num x = Y0[e];
    const num y = Y1[e];
    const num z = Y2[e];
    Y0[e] = t1.x * x + t1.y * y + t1.z * z;
    Y1[e] = t2.x * x + t2.y * y + t2.z * z;
    Y2[e] = n.x * x + n.y * y + n.z * z;
  }
}

// u = Y z
LANE_FN void row_velocity(const lane_table *t, const lane_row *c, const num *z, num u[3])
{
  three_dots(t, c, z, false, u);
}

LANE_FN void row_push(const lane_table *t, const lane_row *c, const num p[3], num *z)
{
  const lane_body *b = &t->body[t->pair[c->pair].body];
  const num px = p[0];
  const num py = p[1];
  const num pz = p[2];
  int at = 0;
  for (int k = b->run; k < b->run + b->nrun; k++) {
    num *LANE_ALONE x = z + t->run[k].first;
    const num *LANE_ALONE Y0 = c->Y[0] + at;
    const num *LANE_ALONE Y1 = c->Y[1] + at;
    const num *LANE_ALONE Y2 = c->Y[2] + at;
    const int n = t->run[k].n;
    for (int i = 0; i < n; i++) {
      num add = px * Y0[i];
      add = add + py * Y1[i];
      add = add + pz * Y2[i];
      x[i] = x[i] + add;
    }
    at += n;
  }
}

LANE_FN vec row_point_velocity(const lane_table *t, const lane_row *c, const num *z)
{
  num u[3];
  row_velocity(t, c, z, u);
  vec x = v_addscaled(v_scale(u[0], c->t1), u[1], c->t2);
  return v_addscaled(x, u[2], v_all(t->pair[c->pair].n));
}

// One row of the path times x, each run by itself
LANE_FN num row_sum(const lane_table *t, const lane_row *c, const num *x)
{
  const lane_body *b = &t->body[t->pair[c->pair].body];
  num u = n_all(0);
  int at = 0;
  for (int k = b->run; k < b->run + b->nrun; k++) {
    num part[4] = {n_all(0), n_all(0), n_all(0), n_all(0)};
    sum_run(c->Y[2] + at, x + t->run[k].first, t->run[k].n, part);
    u = u + sum_quarters(part);
    at += t->run[k].n;
  }
  return u;
}

// Adds p times that row to x.
LANE_FN void row_nudge(const lane_table *t, const lane_row *c, num p, num *x)
{
  const lane_body *b = &t->body[t->pair[c->pair].body];
  int at = 0;
  for (int k = b->run; k < b->run + b->nrun; k++) {
    for (int i = t->run[k].first; i < t->run[k].first + t->run[k].n; i++, at++) {
      x[i] = x[i] + p * c->Y[2][at];
    }
  }
}

// The acceleration of the sphere's point towards the plane (contact_rows.c, bend_of)
LANE_FN num row_bend(const lane_table *t, const lane_scratch *s, const lane_row *c)
{
  const lane_pair *x = &t->pair[c->pair];
  const lane_kin *b = &s->kin[x->body];
  const vec n = v_all(x->n);
  vec r = v_sub(v_addscaled(c->point, n_all(x->radius), n), b->p);
  vec turning = v_add(v_cross(b->cw, r), v_cross(b->w, v_cross(b->w, r)));
  return v_dot(n, v_add(b->c, turning));
}

// The force of the last step within the cone
LANE_FN void start_impulse(const lane_pair *x, lane_row *c, vec f)
{
  const num zero = n_all(0);
  num pn = v_dot(v_all(x->n), f);
  pn = n_pick(n_over(pn, zero), pn, zero);
  num p0 = v_dot(c->t1, f);
  num p1 = v_dot(c->t2, f);
  num square = p0 * p0 + p1 * p1 + zero;
  num radius = c->mu * pn;
  mask out = n_over(square, radius * radius);
  num shrink = radius / n_root(square);
  c->p[0] = n_pick(out, shrink * p0, p0);
  c->p[1] = n_pick(out, shrink * p1, p1);
  c->p[2] = pn;
  for (int i = 0; i < 3; i++) {
    c->p[i] = n_pick(c->on, c->p[i], zero);
  }
}

// Friction by the slip at the start; lanes whose contact closes fast have that of impacts, and fail.
LANE_FN mask row_friction(const lane_table *t, lane_row *c)
{
  const lane_pair *x = &t->pair[c->pair];
  c->mu = n_all(x->mu);
  if (x->steady) {
    return m_of(0);
  }
  num slow = n_all(4 * t->tolerance);
  num slip = v_dot(c->u0, c->u0) - c->un * c->un;
  slip = n_pick(n_over(slip, n_all(0)), slip, n_all(0));
  c->mu = n_pick(n_least(slow * slow, slip), n_all(x->mu_s), c->mu);
  return m_and(c->on, n_over(-c->slow, c->un));
}

// The row of a contact for a step of h; lanes that the sweeps cannot step
LANE_FN mask make_row(const lane_table *t, lane_scratch *s, lane_row *c, const num *state)
{
  const num *force = state + LANE_FORCE + 3 * c->pair;
  const lane_pair *x = &t->pair[c->pair];
  const double h = t->dt;
  const num shut = n_all(1e-10);
  sym W;
  rows_of_point(t, s, c);
  rows_back(t, s, c);
  row_inertia(t, c, &W);
  row_frame(t, c, W);
  turn_rows(t, c);
  num gap = n_pick(n_over(c->phi, n_all(2 * 1e-10)), c->phi,
                   n_pick(n_over(c->phi, shut), n_all(2) * (c->phi - shut), n_all(0)));
  c->bias = gap / n_all(h);
  c->u0 = row_point_velocity(t, c, s->z);
  c->un = v_dot(v_all(x->n), c->u0);
  mask closes = n_over(n_all(x->e > 0 ? HUGE_VAL : -t->slow), c->un);
  c->slow = n_pick(closes, n_all(x->slow), n_all(HUGE_VAL));
  mask fails = row_friction(t, c);
  vec f = v_of(force[0], force[1], force[2]);
  c->since = state[LANE_SINCE + c->pair];
  c->f = f;
  start_impulse(x, c, v_scale(n_all(h), f));
  return fails;
}

// Lanes in which the contact has an impact within the step (step.c, first_impact)
LANE_FN mask has_impact(const lane_table *t, const lane_scratch *s, const lane_row *c, mask pressed)
{
  const num inf = n_all(HUGE_VAL);
  const num zero = n_all(0);
  mask may = t->pair[c->pair].e > 0 ? c->on : m_and(c->on, n_over(inf, c->slow));
  if (m_bits(may) == 0) {
    return may;
  }
  mask closed = n_least(n_all(1e-10), c->phi);
  mask strikes = n_over(-c->slow, c->un); // un < -slow
  num a = n_pick(pressed, zero, row_sum(t, c, s->force));
  num disc = c->un * c->un - n_all(2) * a * c->phi;
  num root = n_root(disc);
  num falling = n_all(2) * c->phi / (root - c->un);
  num turning = n_pick(n_over(zero, a), -(root + c->un) / a, inf);
  num when = n_pick(n_over(zero, c->un), falling, turning);
  mask meets = m_and(n_over(disc, c->slow * c->slow), n_least(n_all(t->dt), when));
  mask now = m_or(m_and(closed, strikes), m_and(m_not(closed), meets));
  return m_and(may, now);
}

// ---- The solution

// The impulse of a slip (gauss_seidel.c, find_slip_impulse) in the lanes `run`
LANE_CALL void slip_impulse(const lane_row *c, mask run, const num q[2], num pn0, num p[3])
{
  const num zero = n_all(0);
  const num half = n_all(0.5);
  const num inf = n_all(HUGE_VAL);
  const num tiny = n_all(1e-15);
  const num mu = c->mu;
  const mask slips = run;
  num lo = zero;
  num hi = inf;
  num size = n_root(q[0] * q[0] + q[1] * q[1]);
  num a = size / (mu * pn0) - half * (c->l[0] + c->l[1]);
  num found[3] = {zero, zero, zero};
  num length = zero;
  a = n_pick(n_over(a, zero), a, zero);
  for (int k = 0; k < 40 && m_bits(run) != 0; k++) {
    num i0 = n_all(1) / (c->l[0] + a);
    num i1 = n_all(1) / (c->l[1] + a);
    num p0 = -q[0] * i0;
    num p1 = -q[1] * i1;
    num p3 = pn0 - c->iw * (c->c[0] * p0 + c->c[1] * p1);
    num far = n_root(p0 * p0 + p1 * p1);
    found[0] = n_pick(run, p0, found[0]);
    found[1] = n_pick(run, p1, found[1]);
    found[2] = n_pick(run, p3, found[2]);
    length = n_pick(run, far, length);
    num radius = mu * p3;
    num off = radius - far;
    mask pushes = n_over(p3, zero);
    num d0 = -p0 * i0;
    num d1 = -p1 * i1;
    num radius_rate = -mu * c->iw * (c->c[0] * d0 + c->c[1] * d1);
    num length_rate = (p0 * d0 + p1 * d1) / far;
    num newton = a - off * far / (radius_rate * far - radius * length_rate);
    num next = n_pick(pushes, newton, a);
    mask done = m_and(pushes, m_or(n_least(tiny * radius, n_abs(off)),
                                   n_least(tiny * (a + c->l[0]), n_abs(newton - a))));
    run = m_and(run, m_not(done));
    mask below = n_over(zero, off);
    lo = n_pick(below, a, lo);
    hi = n_pick(below, hi, a);
    mask inside = m_and(n_over(next, lo), n_over(hi, next));
    num other = n_pick(n_over(inf, hi), half * (lo + hi), n_all(2) * a + c->l[0] + c->l[1]);
    next = n_pick(inside, next, other);
    run = m_and(run, m_and(n_over(next, lo), n_over(hi, next)));
    a = next;
  }
  num pn = n_pick(n_over(found[2], zero), found[2], zero);
  num shrink = n_pick(n_over(length, zero), mu * pn / length, zero);
  p[0] = n_pick(slips, found[0] * shrink, p[0]);
  p[1] = n_pick(slips, found[1] * shrink, p[1]);
  p[2] = n_pick(slips, pn, p[2]);
}

// The impulse of a contact that moves at u (gauss_seidel.c, find_impulse)
LANE_FN void find_impulse(const lane_row *c, mask lanes, const num u[3], num p[3])
{
  const num zero = n_all(0);
  num un = u[2] + c->bias;
  num qn = c->iw * (un - c->c[0] * c->p[0] - c->c[1] * c->p[1]) - c->p[2];
  mask closed = m_not(n_least(qn, zero));
  mask rough = n_over(c->mu, zero);
  num e0 = u[0] - c->c[0] * c->iw * un;
  num e1 = u[1] - c->c[1] * c->iw * un;
  num p0 = c->p[0] - e0 * c->il[0];
  num p1 = c->p[1] - e1 * c->il[1];
  num p3 = -qn - c->iw * (c->c[0] * p0 + c->c[1] * p1);
  num radius = c->mu * p3;
  mask slips = m_or(n_over(zero, p3), n_over(p0 * p0 + p1 * p1, radius * radius));
  mask rubs = m_and(closed, rough);
  p[0] = n_pick(rubs, p0, zero);
  p[1] = n_pick(rubs, p1, zero);
  p[2] = n_pick(closed, n_pick(rough, p3, -qn), zero);
  slips = m_and(m_and(slips, rubs), lanes);
  if (m_bits(slips) != 0) {
    const num q[2] = {e0 - c->l[0] * c->p[0], e1 - c->l[1] * c->p[1]};
    slip_impulse(c, slips, q, -qn, p);
  }
}

// One contact in turn in the lanes `lanes`; the largest change of its velocity
LANE_FN num visit_row(const lane_table *t, lane_row *c, num *z, mask lanes)
{
  num u[3];
  num p[3];
  num d[3];
  lanes = m_and(lanes, c->on);
  row_velocity(t, c, z, u);
  find_impulse(c, lanes, u, p);
  for (int i = 0; i < 3; i++) {
    p[i] = n_pick(lanes, p[i], c->p[i]);
    d[i] = p[i] - c->p[i];
    c->p[i] = p[i];
  }
  num change = n_greater(c->w * n_abs(d[2]),
                         n_greater(c->l[0] * n_abs(d[0]), c->l[1] * n_abs(d[1])));
  change = n_pick(lanes, change, n_all(0));
  if (m_bits(n_over(change, n_all(0))) != 0) {
    row_push(t, c, d, z);
  }
  return change;
}

// Sweeps until each lane of `lanes` is within the tolerance; lanes that are not solved so
// (gauss_seidel.c, sweep_to_tolerance)
LANE_CALL mask solve_rows(const lane_table *t, lane_scratch *s, mask lanes)
{
  enum { CIRCLE = 24, TRIED = 8, MOST = 400 };

  const num zero = n_all(0);
  const num one = n_all(1);
  const num tolerance = n_all(t->tolerance);
  num change[2] = {zero, zero};
  mask run = lanes;
  mask failed = m_of(0);
  num count = zero;
  for (int k = 0; k < MOST && m_bits(run) != 0; k++) {
    num now = zero;
    for (int i = 0; i < s->nrow; i++) {
      lane_row *c = &s->row[k % 2 == 1 ? s->nrow - 1 - i : i];
      if (m_bits(m_and(c->on, run)) != 0) {
        now = n_greater(now, visit_row(t, c, s->z, run));
      }
    }
    count = n_pick(run, count + one, count);
    num before = change[k % 2];
    num square = k > 1 ? n_pick(n_over(before, now), now / before, one) : one;
    num r = n_root(square);
    change[k % 2] = now;
    num left = n_all(20) * now;
    if (k >= 2) {
      num rate = r / (one - r);
      left = n_pick(n_over(one, r), now * n_greater(one, rate), n_all(1e3) * now);
    }
    mask done = m_or(n_same(now, zero), m_not(n_over(left, tolerance)));
    done = k >= CIRCLE ? m_or(done, n_least(tolerance, now)) : done;
    run = m_and(run, m_not(done));
    if (k >= TRIED) { // now square^200 > tolerance: Newton's method would take over
      num x = square * square;
      num x8 = x * x;
      x8 = x8 * x8;
      num x64 = x8 * x8;
      x64 = x64 * x64;
      x64 = x64 * x64;
      num far = now * (x64 * x64 * x64 * x8);
      failed = m_or(failed, m_and(run, n_least(far, tolerance * n_all(1 - 1e-6))));
    }
    run = m_and(run, m_not(failed));
  }
  s->sweeps = count;
  return m_or(failed, run);
}

// Lanes with three or more loaded contacts that all slide (gauss_seidel.c, load_slides)
LANE_FN mask all_slide(const lane_scratch *s)
{
  enum { MOST = 12 }; // RH_EXAMINE_MAX

  const num zero = n_all(0);
  const num one = n_all(1);
  mask holds = m_of(0);
  num loaded = zero;
  num count = zero;
  for (int i = 0; i < s->nrow; i++) {
    const lane_row *c = &s->row[i];
    num most = c->mu * c->p[2] * n_all(1 - 1e-9);
    num square = c->p[0] * c->p[0] + c->p[1] * c->p[1] + zero;
    mask presses = m_and(c->on, n_over(c->p[2], zero));
    mask sticks = m_or(n_same(c->mu, zero), n_over(most * most, square));
    holds = m_or(holds, m_and(presses, sticks));
    loaded = n_pick(presses, loaded + one, loaded);
    count = n_pick(c->on, count + one, count);
  }
  return m_and(m_not(holds), m_and(n_least(loaded, n_all(3)), n_least(n_all(MOST), count)));
}

LANE_FN vec row_impulse(const lane_table *t, const lane_row *c)
{
  vec P = v_scale(c->p[2], v_all(t->pair[c->pair].n));
  P = v_addscaled(P, c->p[0], c->t1);
  return v_addscaled(P, c->p[1], c->t2);
}

// The impulses of the last step
LANE_FN void warm_start(const lane_table *t, lane_scratch *s)
{
  for (int i = 0; i < s->nrow; i++) {
    const lane_row *c = &s->row[i];
    mask presses = m_and(c->on, n_over(c->p[2], n_all(0)));
    if (m_bits(presses) != 0) {
      vec P = row_impulse(t, c);
      num p[3] = {v_dot(c->t1, P), v_dot(c->t2, P), v_dot(v_all(t->pair[c->pair].n), P)};
      for (int k = 0; k < 3; k++) {
        p[k] = n_pick(presses, p[k], n_all(0));
      }
      row_push(t, c, p, s->z);
    }
  }
}

// Work, forces and losses of a contact (energy.c, record_slice)
LANE_FN void record_row(const lane_table *t, lane_scratch *s, lane_row *c, num now)
{
  const num zero = n_all(0);
  const num half = n_all(0.5);
  mask presses = m_and(c->on, n_over(c->p[2], zero));
  c->slide = zero;
  if (m_bits(presses) == 0) {
    c->f = v_of(zero, zero, zero);
    c->since = zero;
    return;
  }
  vec u = row_point_velocity(t, c, s->z);
  vec P = row_impulse(t, c);
  num whole = half * v_dot(P, v_add(c->u0, u));
  num normal = half * c->p[2] * (c->un + v_dot(v_all(t->pair[c->pair].n), u));
  c->slide = n_pick(presses, zero - (whole - normal), zero);
  s->impact_work = n_pick(presses, s->impact_work + normal, s->impact_work);
  mask held = n_over(v_dot(c->f, c->f), zero);
  c->since = n_pick(presses, n_pick(held, c->since, now), zero);
  mask fast = m_and(presses, m_and(n_over(zero, c->un), n_over(-c->slow, c->un)));
  mask calm = m_and(presses, m_not(fast));
  s->impact = n_pick(fast, n_greater(c->p[2], s->impact), s->impact);
  s->load = n_pick(calm, n_greater(c->p[2], s->load), s->load);
  vec f = v_scale(n_all(1 / t->dt), P);
  c->f = v_pick(presses, f, v_of(zero, zero, zero));
}

#endif
