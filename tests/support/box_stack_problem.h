// box_stack_problem.h: cone problems as they are in life: boxes of side 1 on each other and on the ground, four contacts each (one box on
// four corners is dependent already), W = J M^-1 J', b = J (accelerations without contact).
#ifndef ROUTH_TEST_BOX_STACK_PROBLEM_H
#define ROUTH_TEST_BOX_STACK_PROBLEM_H

#include "complement/complement.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BOXES = 10, POINTS = 4 * BOXES, ROWS = 3 * POINTS, SPEEDS = 6 * BOXES };

typedef struct stack {
  rh_cone cone;
  double W[ROWS * ROWS], b[ROWS], mu[POINTS], slide[2 * POINTS];
  double J[ROWS * SPEEDS];
  double inverse[SPEEDS]; // of the masses
  double a[SPEEDS];       // accelerations without contact: angular, linear
  double at[BOXES][3];
} stack;

typedef enum what {
  STEADY = 0,
  SHIFTED = 1,  // boxes of different mass, not quite above each other, and frictions
  TILTED = 2,   // gravity aslant
  PUSHED = 4,   // each box pushed and turned
  SLIDING = 8,  // some contacts slide along a given direction
  SMOOTH = 16,  // some have no friction
} what;

MAYBE_UNUSED static void add_rows(stack *s, int k, int box, const double point[3])
{
  for (int w = 0; w < 2; w++) {
    int body = box - w;
    if (body < 0) {
      continue;
    }
    double sign = w == 0 ? 1 : -1;
    double r[3];
    for (int i = 0; i < 3; i++) {
      r[i] = point[i] - s->at[body][i];
    }
    const double moment[3][3] = {{0, r[2], -r[1]}, {-r[2], 0, r[0]}, {r[1], -r[0], 0}}; // r x t1, t2, n
    for (int i = 0; i < 3; i++) {
      double *row = s->J + (ptrdiff_t)(3 * k + i) * SPEEDS + (ptrdiff_t)6 * body;
      for (int j = 0; j < 3; j++) {
        row[j] += sign * moment[i][j];
        row[3 + j] += sign * (i == j);
      }
    }
  }
}

MAYBE_UNUSED static void choose(stack *s, int k, unsigned how, uint64_t *seed)
{
  s->mu[k] = how & SHIFTED ? 0.5 + 0.5 * lot(seed) : 0.5;
  if ((how & SMOOTH) && k % 4 == 0) {
    s->mu[k] = 0;
  }
  if ((how & SLIDING) && lot(seed) > 0) {
    double angle = 3.14 * lot(seed);
    s->slide[2 * k] = cos(angle);
    s->slide[2 * k + 1] = sin(angle);
    s->mu[k] *= 0.3; // more may leave it without an answer
  }
}

MAYBE_UNUSED static void finish_stack(stack *s, int contacts, unsigned how)
{
  int n = 3 * contacts;
  for (int i = 0; i < n; i++) {
    const double *row = s->J + (ptrdiff_t)i * SPEEDS;
    for (int v = 0; v < SPEEDS; v++) {
      s->b[i] += row[v] * s->a[v];
    }
    for (int j = 0; j < n; j++) {
      for (int v = 0; v < SPEEDS; v++) {
        s->W[i * n + j] += row[v] * s->inverse[v] * s->J[j * SPEEDS + v];
      }
    }
  }
  s->cone = (rh_cone){.n = contacts, .W = s->W, .b = s->b, .mu = s->mu};
  s->cone.slide = how & SLIDING ? s->slide : NULL;
}

MAYBE_UNUSED static void place(stack *s, int k, unsigned how, double tilt, uint64_t *seed)
{
  double mass = how & SHIFTED ? exp(lot(seed)) : 1;
  for (int i = 0; i < 3; i++) {
    s->inverse[6 * k + i] = 6 / mass;
    s->inverse[6 * k + 3 + i] = 1 / mass;
    s->at[k][i] = i == 2 ? k + 0.5 : how & SHIFTED ? 0.2 * lot(seed) : 0;
  }
  s->a[6 * k + 3] = 10 * sin(tilt);
  s->a[6 * k + 5] = -10 * cos(tilt);
  for (int i = 0; i < 6 && (how & PUSHED); i++) {
    s->a[6 * k + i] += 10 * lot(seed);
  }
}

// To be freed.
MAYBE_UNUSED static stack *stack_make(int boxes, unsigned how, uint64_t *seed)
{
  stack *s = calloc(1, sizeof(*s));
  double tilt = how & TILTED ? 0.8 * lot(seed) : 0;
  for (int k = 0; k < boxes; k++) {
    double lo[2];
    double hi[2];
    place(s, k, how, tilt, seed);
    for (int i = 0; i < 2; i++) {
      double below = s->at[k > 0 ? k - 1 : k][i];
      lo[i] = fmax(s->at[k][i], below) - 0.5;
      hi[i] = fmin(s->at[k][i], below) + 0.5;
    }
    for (int c = 0; c < 4; c++) {
      const double point[3] = {c & 1 ? hi[0] : lo[0], c & 2 ? hi[1] : lo[1], k};
      choose(s, 4 * k + c, how, seed);
      add_rows(s, 4 * k + c, k, point);
    }
  }
  finish_stack(s, 4 * boxes, how);
  return s;
}

#endif
