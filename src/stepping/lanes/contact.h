// contact.h: contacts of shapes of the tree with planes in lanes: those of collide.c, contact_rows.c, sweeps/contact_frame.c
// and articulated_rows.c, their operations in their order. A row belongs to a pair
// that has a contact in some lane; `on` are those lanes.
#ifndef ROUTH_STEPPING_LANES_CONTACT_H
#define ROUTH_STEPPING_LANES_CONTACT_H

#include "shapes.h"

// ---- Which features touch

LANE_FN void find_contact(const lane_table *t, lane_scratch *s, int k, mask lanes)
{
  const lane_pose *pose = &s->pose;
  num phi;
  vec point;
  mask on = place_feature(&t->pair[k], pose, pose->reach, &phi, &point);
  on = m_and(lanes, m_and(pose->near, on));
  if (m_bits(on) != 0) {
    lane_row *c = &s->row[s->nrow++];
    c->pair = k;
    c->on = on;
    c->phi = phi;
    c->reach = pose->reach;
    c->point = point;
  }
}

// Lanes in which a pair has features with the forces of the last step that are gone, and others are new: forces pass on
// to the nearest (contact_memory.c, recall_nearest), which lanes leave to their worlds. `row`: the first row of the pair
LANE_FN mask features_changed(const lane_table *t, const lane_scratch *s, const num *x, int first,
                              int row)
{
  const num zero = n_all(0);
  mask gone = m_of(0);
  mask fresh = m_of(0);
  mask any = m_of(0);
  for (int k = first; k < first + t->pair[first].features; k++) {
    const num *f = x + LANE_FORCE + 3 * k;
    mask held = n_over(f[0] * f[0] + f[1] * f[1] + f[2] * f[2], zero);
    mask on = m_of(0);
    if (row < s->nrow && s->row[row].pair == k) {
      on = s->row[row++].on;
    }
    any = m_or(any, on);
    gone = m_or(gone, m_and(held, m_not(on)));
    fresh = m_or(fresh, m_and(on, m_not(held)));
  }
  return m_and(any, m_and(gone, fresh));
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
  num across = v_dot(t1, W1) + v_dot(t2, W2);
  mask moves = n_over(wn, slight * across);
  wn = n_pick(moves, wn, n_pick(n_over(across, n_all(0)), across, one));
  num c1 = v_dot(t1, Wn);
  num c2 = v_dot(t2, Wn);
  num s11 = v_dot(t1, W1) - c1 * c1 / wn;
  num s22 = v_dot(t2, W2) - c2 * c2 / wn;
  num s12 = v_dot(t1, W2) - c1 * c2 / wn;
  num most = n_greater(n_pick(n_over(s11, s22), s11, s22), n_all(0));
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
  c->iw = n_pick(moves, one / wn, n_all(0));
  c->c[0] = n_pick(n_least(little, n_abs(c1)), n_all(0), c1);
  c->c[1] = n_pick(n_least(little, n_abs(c2)), n_all(0), c2);
  c->l[0] = n_greater(s11, little);
  c->l[1] = n_greater(s22, little);
  c->il[0] = n_pick(n_over(s11, n_all(1e-9) * wn), one / c->l[0], n_all(0));
  c->il[1] = n_pick(n_over(s22, n_all(1e-9) * wn), one / c->l[1], n_all(0));
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
  vec r = v_sub(v_addscaled(c->point, n_all(x->rounding), n), b->p);
  vec turning = v_add(v_cross(b->cw, r), v_cross(b->w, v_cross(b->w, r)));
  return v_dot(n, v_add(b->c, turning));
}

// The force of the last step within the cone
LANE_FN void start_impulse(const lane_pair *x, lane_row *c, vec f)
{
  const num zero = n_all(0);
  num pn = v_dot(v_all(x->n), f);
  pn = n_pick(m_and(n_over(pn, zero), n_over(c->iw, zero)), pn, zero);
  num p0 = n_pick(n_over(c->il[0], zero), v_dot(c->t1, f), zero);
  num p1 = n_pick(n_over(c->il[1], zero), v_dot(c->t2, f), zero);
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
  num slow = n_all(RH_STEP_STICKS * t->tolerance);
  num slip = v_dot(c->u0, c->u0) - c->un * c->un;
  slip = n_pick(n_over(slip, n_all(0)), slip, n_all(0));
  c->mu = n_pick(n_least(slow * slow, slip), n_all(x->mu_s), c->mu);
  return m_and(c->on, n_over(-c->slow, c->un));
}

// Rows of the contact's point by the present factor, their inertia, and its axes
LANE_FN void make_frame(const lane_table *t, const lane_scratch *s, lane_row *c)
{
  sym W;
  rows_of_point(t, s, c);
  rows_back(t, s, c);
  row_inertia(t, c, &W);
  row_frame(t, c, W);
  turn_rows(t, c);
  c->turn[0] = c->turn[1] = n_all(0);
}

// The row of a contact for a step of h; lanes that the sweeps cannot step
LANE_FN mask make_row(const lane_table *t, lane_scratch *s, lane_row *c, const num *state)
{
  const num *force = state + LANE_FORCE + 3 * c->pair;
  const lane_pair *x = &t->pair[c->pair];
  const double h = t->dt;
  const num shut = n_all(RH_STEP_SHUT);
  make_frame(t, s, c);
  num gap = n_pick(n_over(c->phi, n_all(2 * RH_STEP_SHUT)), c->phi,
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
  const num zero = n_all(0);
  mask may =
      t->pair[c->pair].e > 0 ? c->on : m_and(c->on, n_over(n_all(HUGE_VAL), c->slow));
  if (m_bits(may) == 0) {
    return may;
  }
  num a = n_pick(pressed, zero, row_sum(t, c, s->force));
  return m_and(may, closes_in(t->dt, c->slow, c->phi, c->un, a));
}

#endif
