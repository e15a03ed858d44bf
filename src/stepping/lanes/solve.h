// solve.h: sweeps over the rows of lanes and what their impulses did: those of gauss_seidel.c, sweeps/general_visit.c and energy.c, their operations
// in their order.
#ifndef ROUTH_STEPPING_LANES_SOLVE_H
#define ROUTH_STEPPING_LANES_SOLVE_H

#include "contact.h"

// The impulse of a slip (general_visit.c, find_slip_impulse) in the lanes `run`
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

// The impulse of a contact that moves at u (general_visit.c, find_impulse)
LANE_FN void find_impulse(const lane_row *c, mask lanes, const num u[3], num p[3])
{
  const num zero = n_all(0);
  num un = u[2] + c->bias;
  num qn = c->iw * (un - c->c[0] * c->p[0] - c->c[1] * c->p[1]) - c->p[2];
  mask closed = m_not(n_least(qn, zero));
  mask rough = n_over(c->mu, zero);
  num e0 = u[0] + c->turn[0] - c->c[0] * c->iw * un;
  num e1 = u[1] + c->turn[1] - c->c[1] * c->iw * un;
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

LANE_FN num power_200(num x)
{
  num x4 = x * x * (x * x);
  num x8 = x4 * x4;
  num x32 = x8 * x8 * (x8 * x8);
  num x64 = x32 * x32;
  return x64 * x64 * x64 * x8;
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
    num now = visit_lines(t, s, run);
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
      num far = now * power_200(square);
      failed = m_or(failed, m_and(run, n_least(far, tolerance * n_all(1 - 1e-6))));
    }
    run = m_and(run, m_not(failed));
  }
  s->count = count;
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
  mask presses = m_and(c->on, m_not(n_same(c->p[2], zero)));
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
