// pressed.h: a step of lanes whose trees have rows: contacts, limits, dry friction. It is taken at its start, or at its middle
// where contacts last (step.c, step_middle.c).
#ifndef ROUTH_STEPPING_LANES_PRESSED_H
#define ROUTH_STEPPING_LANES_PRESSED_H

#include "middle.h"

// The lanes that it moves; `*rest` becomes those whose middle does not fit.
LANE_FN mask take_step(const lane_table *t, lane_scratch *s, num *x, mask lanes, mask *rest,
                       const lane_account *before, bool *stands)
{
  const bool middle = m_bits(*rest) != 0;
  const double part = middle ? 0.5 : 1;
  num q[LANE_COORDS];
  num v[LANE_DOFS];
  mask solved = lanes;
  if (middle) {
    solved = go_to_middle(t, s, x, q, lanes);
  } else {
    bend_rows(t, s);
  }
  const mask steady = solved;
  for (int k = 0; k < (middle ? MIDDLE_ROUNDS : 1) && m_bits(solved) != 0; k++) {
    if (k > 0) {
      restart_middle(t, s, x, q);
    }
    solved = solve_step(t, s, x, solved, middle);
  }
  *rest = m_and(*rest, m_not(steady));
  if (middle) {
    *rest = m_or(*rest, leave_middle(t, s, x, &solved));
  }
  if (m_bits(solved) == 0) {
    return solved;
  }
  mask pressed = settle_rows(t, s, x, part);
  mask last = pressed; // the velocity at the end moves the tree, else the mean
  if (!t->forced) {
    last = m_and(pressed, m_not(rows_glide(t, s)));
  }
  for (int j = 0; j < t->ndof; j++) {
    num mean = n_all(0.5) * (s->v[j] + s->next_v[j]);
    v[j] = middle ? s->next_v[j] : n_pick(last, s->next_v[j], mean);
  }
  advance_tree(t, middle ? q : x + LANE_Q, v, n_all(part * t->dt), s->next_q);
  lift_overlap(t, s, x, solved);
  solved = end_step(t, s, x, solved, before, stands);
  put(x + LANE_PRESSED, solved, n_pick(pressed, n_all(1), n_all(0)));
  return solved;
}

// Lanes with rows over the step, at the place where s->kin are; `*stands`: s->kin are those of the end. Where contacts last the
// middle is tried first; the others, and those it does not fit, begin again.
LANE_CALL mask step_pressed(const lane_table *t, lane_scratch *s, num *x, mask lanes,
                            const lane_account *before, bool *stands)
{
  mask moved = m_of(0);
  bool middle = t->middle;
  for (;;) {
    if (t->forced) {
      make_tree(t, s, x, x + LANE_Q, 1);
    } else {
      make_tree_ahead(t, s, x);
    }
    lanes = make_rows(t, s, x, lanes);
    mask rest = m_of(0);
    if (middle) {
      rest = contacts_last(t, s, lanes);
    }
    middle = m_bits(rest) != 0;
    mask others = middle ? m_and(lanes, m_not(rest)) : m_of(0);
    if (m_bits(lanes) != 0) {
      moved = m_or(moved, take_step(t, s, x, middle ? rest : lanes, &rest, before, stands));
    }
    lanes = m_or(others, rest);
    if (!middle || m_bits(lanes) == 0) {
      return moved;
    }
    middle = false;
    stand_tree(t, s, x + LANE_Q, x + LANE_V);
    *stands = false;
    mask changed; // as before
    (void)find_contacts(t, s, x, lanes, &changed);
  }
}

#endif
