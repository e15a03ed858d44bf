// random_contact_problems.h: problems of many contacts by lot, as time stepping poses them: bodies with mass and inertia, blocks between two of them
// (or one and the world), W = J M^-1 J' in 3x3 entries, b = J v + speeds of their own. The same seed gives the same problem.
#ifndef ROUTH_TEST_RANDOM_CONTACT_PROBLEMS_H
#define ROUTH_TEST_RANDOM_CONTACT_PROBLEMS_H

#include "complement/complement.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HEAP_BODIES = 160, HEAP_BLOCKS = 480, HEAP_ENTRIES = 24000 };

typedef struct heap_block {
  int body[2];        // RH_NONE: the world
  double J[2][3][6];  // rows of each: angular, linear
} heap_block;

typedef struct heap {
  rh_blocks blocks;
  int bodies;
  double at[HEAP_BODIES][3];
  double inverse[HEAP_BODIES][6]; // of inertias and mass
  double v[HEAP_BODIES][6];       // without contact
  heap_block made[HEAP_BLOCKS];
  rh_block_kind kind[HEAP_BLOCKS];
  double limit[HEAP_BLOCKS];
  double b[3 * HEAP_BLOCKS];
  int start[HEAP_BLOCKS + 1];
  int col[HEAP_ENTRIES];
  double W[9 * HEAP_ENTRIES];
} heap;

typedef enum recipe {
  HEAP_STACK,     // boxes on each other, four corners each
  HEAP_RATIO,     // the same, each ten times as heavy as the one below, up to 1e4
  HEAP_SPHERES,   // a lattice of balls
  HEAP_WALL,      // bricks in bond: dependent
  HEAP_DOUBLE,    // balls, every contact there twice
  HEAP_ROUGH,     // bricks with mu from 2 to 10
  HEAP_JAMMED,    // long rods at mu just below what leaves them without an answer [Painleve]
  HEAP_CHAINS,    // chains with balls, limits, dry joints and contacts
  HEAP_SMOOTH,    // bricks and chains without friction: convex, the velocities are unique
  HEAP_RECIPES,
} recipe;

MAYBE_UNUSED static int heap_body(heap *h, double x, double y, double z, double mass, double radius)
{
  int k = h->bodies++;
  h->at[k][0] = x;
  h->at[k][1] = y;
  h->at[k][2] = z;
  for (int i = 0; i < 3; i++) {
    h->inverse[k][i] = 1 / (0.4 * mass * radius * radius);
    h->inverse[k][3 + i] = 1 / mass;
  }
  h->v[k][5] = -0.01; // g h at 1 ms
  return k;
}

// A block at `point` in the frame t1, t2, n (rows of `axes`). Of one row it has the first axis.
MAYBE_UNUSED static int heap_add(heap *h, rh_block_kind kind, double limit, const int body[2],
                                 const double *point, double axes[3][3])
{
  int k = h->blocks.n++;
  heap_block *block = &h->made[k];
  memset(block, 0, sizeof(*block));
  block->body[0] = body[0];
  block->body[1] = body[1];
  h->kind[k] = kind;
  h->limit[k] = limit;
  for (int w = 0; w < 2; w++) {
    for (int i = 0; i < rh_block_rows(kind) && block->body[w] != RH_NONE; i++) {
      const double *at = h->at[block->body[w]];
      const double r[3] = {point[0] - at[0], point[1] - at[1], point[2] - at[2]};
      double sign = w == 0 ? 1 : -1;
      double *row = block->J[w][i];
      const double *e = axes[i];
      row[0] = sign * (r[1] * e[2] - r[2] * e[1]);
      row[1] = sign * (r[2] * e[0] - r[0] * e[2]);
      row[2] = sign * (r[0] * e[1] - r[1] * e[0]);
      for (int j = 0; j < 3; j++) {
        row[3 + j] = sign * e[j];
      }
    }
  }
  return k;
}

// Axes t1, t2, n about n.
MAYBE_UNUSED static void heap_axes(const double *n, double axes[3][3])
{
  double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  int least = fabs(n[0]) < fabs(n[1]) ? 0 : 1;
  double a[3] = {least == 0, least == 1, 0};
  for (int i = 0; i < 3; i++) {
    axes[2][i] = n[i] / length;
  }
  double along = a[0] * axes[2][0] + a[1] * axes[2][1];
  double size = 0;
  for (int i = 0; i < 3; i++) {
    axes[0][i] = a[i] - along * axes[2][i];
    size += axes[0][i] * axes[0][i];
  }
  for (int i = 0; i < 3; i++) {
    axes[0][i] /= sqrt(size);
  }
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3;
    int k = (i + 2) % 3;
    axes[1][i] = axes[2][j] * axes[0][k] - axes[2][k] * axes[0][j];
  }
}

MAYBE_UNUSED static int heap_touch(heap *h, double mu, int a, int b, const double *point, const double *n)
{
  double axes[3][3];
  heap_axes(n, axes);
  return heap_add(h, RH_BLOCK_CONE, mu, (const int[2]){a, b}, point, axes);
}

// ---- W and b

MAYBE_UNUSED static bool heap_entry(const heap *h, int i, int j, double *W)
{
  bool any = false;
  memset(W, 0, 9 * sizeof(double));
  for (int w = 0; w < 4; w++) {
    const heap_block *x = &h->made[i];
    const heap_block *y = &h->made[j];
    int body = x->body[w / 2];
    if (body == RH_NONE || body != y->body[w % 2]) {
      continue;
    }
    any = true;
    for (int k = 0; k < 9; k++) {
      for (int c = 0; c < 6; c++) {
        W[k] += x->J[w / 2][k / 3][c] * h->inverse[body][c] * y->J[w % 2][k % 3][c];
      }
    }
  }
  return any;
}

// b of block i: J v of its bodies on top of what is there.
MAYBE_UNUSED static void heap_speeds(heap *h, int i)
{
  for (int w = 0; w < 2; w++) {
    int body = h->made[i].body[w];
    for (int k = 0; k < 18 && body != RH_NONE; k++) {
      h->b[3 * i + k / 6] += h->made[i].J[w][k / 6][k % 6] * h->v[body][k % 6];
    }
  }
}

MAYBE_UNUSED static void heap_finish(heap *h, uint64_t *seed, double push)
{
  int n = h->blocks.n;
  int at = 0;
  for (int k = 0; k < 6 * h->bodies; k++) {
    h->v[k / 6][k % 6] += push * lot(seed);
  }
  for (int i = 0; i < n; i++) {
    h->start[i] = at;
    for (int j = 0; j < n; j++) {
      if (heap_entry(h, i, j, h->W + (ptrdiff_t)9 * at)) {
        h->col[at++] = j;
      }
    }
    heap_speeds(h, i);
  }
  h->start[n] = at;
  h->blocks = (rh_blocks){n, h->kind, h->limit, h->start, h->col, h->W, h->b};
}

// ---- Recipes

static const double heap_up[3] = {0, 0, 1};

// Corners lo, hi of the face between body[0] and body[1] below it, at height z.
MAYBE_UNUSED static void heap_corners(heap *h, double mu, const int body[2], double z, const double lo[2],
                                      const double hi[2])
{
  for (int c = 0; c < 4; c++) {
    const double point[3] = {c & 1 ? hi[0] : lo[0], c & 2 ? hi[1] : lo[1], z};
    heap_touch(h, mu, body[0], body[1], point, heap_up);
  }
}

MAYBE_UNUSED static void heap_stack(heap *h, double ratio, uint64_t *seed)
{
  int boxes = 3 + (int)(3.5 * (1 + lot(seed)));
  double mass = 1;
  double before[2] = {0, 0};
  for (int k = 0; k < boxes; k++) {
    double x[2];
    double lo[2];
    double hi[2];
    lots(seed, x, 2);
    x[0] *= 0.1;
    x[1] *= 0.1;
    int box = heap_body(h, x[0], x[1], k + 0.5, mass, 0.7);
    for (int i = 0; i < 2; i++) {
      lo[i] = fmax(x[i], k > 0 ? before[i] : x[i]) - 0.5;
      hi[i] = fmin(x[i], k > 0 ? before[i] : x[i]) + 0.5;
      before[i] = x[i];
    }
    const int pair[2] = {box, k > 0 ? box - 1 : RH_NONE};
    heap_corners(h, 0.5 + 0.3 * lot(seed), pair, k, lo, hi);
    mass = fmin(mass * ratio, 1e4);
  }
}

// Half way between two balls.
MAYBE_UNUSED static void heap_kiss(heap *h, double mu, int ball, int other)
{
  double n[3];
  double point[3];
  for (int c = 0; c < 3; c++) {
    n[c] = h->at[ball][c] - h->at[other][c];
    point[c] = 0.5 * (h->at[ball][c] + h->at[other][c]);
  }
  heap_touch(h, mu, ball, other, point, n);
}

MAYBE_UNUSED static void heap_lattice(heap *h, int twice, uint64_t *seed)
{
  int side = 2 + (int)(1.0 * (1 + lot(seed)));
  double mu = 0.4 + 0.3 * lot(seed);
  for (int k = 0; k < side * side * side; k++) {
    const int at[3] = {k % side, k / side % side, k / (side * side)};
    const int step[3] = {1, side, side * side};
    double by[3]; // one after the other: arguments have no order
    lots(seed, by, 3);
    int ball = heap_body(h, at[0] + 0.1 * by[0], at[1] + 0.1 * by[1], at[2] + 0.5, exp(by[2]), 0.5);
    const double foot[3] = {h->at[ball][0], h->at[ball][1], 0};
    for (int i = 0; i < 4 * (1 + twice); i++) {
      if (i % 4 == 3 && at[2] == 0) {
        heap_touch(h, mu, ball, RH_NONE, foot, heap_up);
      } else if (i % 4 < 3 && at[i % 4] > 0) {
        heap_kiss(h, mu, ball, ball - step[i % 4]);
      }
    }
  }
}

// Bricks of length 2: each stands on two, or on the floor.
MAYBE_UNUSED static void heap_wall(heap *h, double mu, uint64_t *seed)
{
  int wide = 2 + (int)(1.5 * (1 + lot(seed)));
  int below = 0;
  for (int row = 0; row < wide; row++) {
    int first = h->bodies;
    for (int k = 0; k < wide - row; k++) {
      double x = 2 * k + row;
      int brick = heap_body(h, x, 0, row + 0.5, 1 + 0.5 * lot(seed), 0.8);
      for (int side = 0; side < 2; side++) {
        const double lo[2] = {x - 1 + side, -0.5};
        const double hi[2] = {x + side, 0.5};
        const int pair[2] = {brick, row > 0 ? below + k + side : RH_NONE};
        heap_corners(h, mu, pair, row, lo, hi);
      }
    }
    below = first;
  }
}

// Rods of length 2 that stand on the floor aslant, some on one that lies: mu a little below -W_nn/W_nt.
MAYBE_UNUSED static void heap_rods(heap *h, uint64_t *seed)
{
  int rods = 2 + (int)(4.5 * (1 + lot(seed)));
  int plate = heap_body(h, 0, 0, 0.1, 5, 2);
  for (int c = 0; c < 4; c++) {
    const double point[3] = {c & 1 ? 3 : -3, c & 2 ? 3 : -3, 0};
    heap_touch(h, 0.5, plate, RH_NONE, point, heap_up);
  }
  for (int k = 0; k < rods; k++) {
    double angle = 1 + 0.2 * lot(seed);
    double c = cos(angle);
    double s = sin(angle);
    int rod = heap_body(h, 0.3 * k - c, 0.5 * k, 0.2 + s, 1, 0.5 + 0.4 * (1 + lot(seed)) / 2);
    double turn = h->inverse[rod][0];
    double critical = (1 + turn * c * c) / (turn * c * s);
    const double point[3] = {0.3 * k, 0.5 * k, 0.2};
    heap_touch(h, (0.7 + 0.25 * lot(seed)) * critical, rod, k % 2 ? plate : RH_NONE, point, heap_up);
    h->v[rod][3] = lot(seed);
  }
}

// Links of length 1 joined by balls, the ends on the floor; a limit, a dry joint and a held row somewhere.
MAYBE_UNUSED static void heap_chains(heap *h, double mu, uint64_t *seed)
{
  double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int chain = 0; chain < 3; chain++) {
    int links = 2 + (int)(2.5 * (1 + lot(seed)));
    for (int k = 0; k < links; k++) {
      int link = heap_body(h, k, 2 * chain, 0.1, exp(lot(seed)), 0.4);
      const double joint[3] = {k - 0.5, 2 * chain, 0.1};
      double by[2];
      lots(seed, by, 2);
      const double foot[3] = {k + 0.2 * by[0], 2 * chain + 0.1 * by[1], 0};
      if (k > 0) {
        heap_add(h, RH_BLOCK_BALL, 0, (const int[2]){link, link - 1}, joint, axes);
      } else if (chain == 0) {
        heap_add(h, RH_BLOCK_EQUAL, 0, (const int[2]){link, RH_NONE}, joint, axes);
      }
      heap_touch(h, mu, link, RH_NONE, foot, heap_up);
      const int pair[2] = {link, k > 0 ? link - 1 : RH_NONE};
      int low = heap_add(h, k % 2 ? RH_BLOCK_LOW : RH_BLOCK_BOX, 0.002, pair, foot, axes);
      h->b[3 * low] = 0.01 * (k % 2) * lot(seed); // an angle that is still free, over h
    }
  }
}

// To be freed.
MAYBE_UNUSED static heap *heap_make(recipe how, uint64_t *seed)
{
  heap *h = calloc(1, sizeof(*h));
  double rough = how == HEAP_ROUGH ? 6 + 4 * lot(seed) : how == HEAP_SMOOTH ? 0 : 0.5 + 0.4 * lot(seed);
  switch (how) {
  case HEAP_STACK:
  case HEAP_RATIO:
    heap_stack(h, how == HEAP_RATIO ? 10 : 1, seed);
    break;
  case HEAP_SPHERES:
  case HEAP_DOUBLE:
    heap_lattice(h, how == HEAP_DOUBLE, seed);
    break;
  case HEAP_JAMMED:
    heap_rods(h, seed);
    break;
  case HEAP_CHAINS:
    heap_chains(h, rough, seed);
    break;
  default:
    heap_wall(h, rough, seed);
    if (how == HEAP_SMOOTH) {
      heap_chains(h, 0, seed);
    }
  }
  heap_finish(h, seed, lot(seed) > 0 ? 0.1 : 0);
  return h;
}

#endif
