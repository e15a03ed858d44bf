// The convex plastic impact: of all velocities with u_n >= mu |u_t| at every point that nearest to v-; or, the impulses in the product of
// the friction cones that leave the least kinetic energy. Unique, and independent of the number of points within one hull. Its
// artefact: a point that keeps sliding leaves the ground with u_n = mu |u_t|. e is taken as 0.
// By the proximal method in the coordinates of proximal.h: anchors are the impulses of the round before.
#include "multi_contact.h"
#include "proximal.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 40 };

static size_t room_of(int n)
{
  size_t N = 3 * (size_t)n;
  size_t prox = rh_prox_room(n, (int)N);
  size_t rank = rh_many_free_room(n);
  return 2 * N * N + 6 * N + 4 * (size_t)n + (prox > rank ? prox : rank);
}

typedef struct posed {
  double *W, *B, *u, *p, *last, *z, *start, *order, *mu, *inertia, *sigma, *room;
  double speed, most;
} posed;

static double *carve_array(double **room, size_t n)
{
  double *part = *room;
  *room += n;
  return part;
}

static void open_posed(posed *q, const rh_many_in *in, double *room)
{
  const size_t n = (size_t)in->n;
  const size_t N = 3 * n;
  q->W = carve_array(&room, N * N);
  q->B = carve_array(&room, N * N);
  double **const rows[] = {&q->u, &q->p, &q->last, &q->z, &q->start};
  for (int i = 0; i < RH_COUNT(rows); i++) {
    *rows[i] = carve_array(&room, N);
    memset(*rows[i], 0, N * sizeof(double));
  }
  q->order = carve_array(&room, n);
  q->mu = carve_array(&room, n);
  q->inertia = carve_array(&room, n);
  q->sigma = carve_array(&room, n);
  q->room = room;
  rh_many_order(in, q->order);
  rh_many_arrange(in, q->order, q->W, q->u);
  for (size_t i = 0; i < n; i++) {
    double d = 0;
    for (size_t k = 3 * i; k < 3 * i + 3; k++) {
      d = fmax(d, q->W[k * N + k]);
      q->speed = fmax(q->speed, fabs(q->u[k]));
    }
    q->most = fmax(q->most, d);
    q->mu[i] = in->mu[(int)q->order[i]];
    q->inertia[i] = d > 0 ? d : 1;
  }
}

// One round with sigma `size` times that of the point. The change of p over sigma measures a
// velocity out of bounds; returns the largest, infinity where Newton's method failed.
static double run_round(posed *q, rh_prox *x, double size)
{
  double moved = 0;
  const int n = x->n;
  memcpy(q->last, q->p, 3 * (size_t)n * sizeof(double));
  for (int i = 0; i < n; i++) {
    q->sigma[i] = size / q->inertia[i];
  }
  x->small = fmax(1e-12, 1e-17 * size) * q->speed / sqrt(q->most);
  if (!rh_prox_solve(x, q->z, q->p)) {
    return HUGE_VAL;
  }
  for (int i = 0; i < 3 * n; i++) {
    moved = fmax(moved, fabs(q->p[i] - q->last[i]) / q->sigma[i / 3]);
  }
  return moved / q->speed;
}

// Undetermined impulses converge slowly, and the velocities are only as good as the root of the
// residual: so sigma grows, and a last round with a small sigma has less rounding.
static bool solve_rounds(posed *q, int n)
{
  rh_prox x = {.n = n, .B = q->B, .u0 = q->u, .mu = q->mu, .sigma = q->sigma, .start = q->start};
  double size = 1e4;
  double moved = HUGE_VAL;
  x.r = rh_basis(3 * n, q->W, q->B, q->room);
  x.steps = 100;
  x.room = q->room;
  for (int round = 0; round < ROUNDS && moved > 1e-13; round++) {
    moved = run_round(q, &x, size);
    size = fmin(size * (round % 2 == 1 ? 10 : 1), 1e10);
  }
  double last = run_round(q, &x, 1e5);
  return moved <= 1e-10 && last <= 1e-8;
}

static bool cone_impact(const rh_many_in *in, const double *par, double *room, double *p,
                        double *u_after, rh_many_out *out)
{
  const size_t rows = 3 * (size_t)in->n;
  posed q = {.speed = 0};
  (void)par;
  if (!rh_many_open(in, p, u_after, out)) {
    return true;
  }
  open_posed(&q, in, room);
  bool good = solve_rounds(&q, in->n);
  for (size_t i = 0; i < rows; i++) {
    p[3 * (size_t)q.order[i / 3] + i % 3] = q.p[i];
  }
  for (size_t i = 0; i < rows; i++) {
    for (size_t j = 0; j < rows; j++) {
      u_after[i] += in->W[i * rows + j] * p[j];
    }
    *(i % 3 == 2 ? &out->Dn : &out->Dt) -= 0.5 * p[i] * (in->u[i] + u_after[i]);
  }
  if (in->lost != NULL) { // one problem: no path
    rh_many_add_losses(in->n, p, in->u, u_after, in->lost);
  }
  out->Wn[0] = -out->Dn;
  out->impacts = 1;
  out->free = rh_many_free(in, p, NULL, q.room);
  return good;
}

extern const rh_formulation rh_formulation_cone;

const rh_formulation rh_formulation_cone = {
    .row = {.name = "cone",
            .cite = "Anitescu 2006",
            .doc =
                "plastic and convex: least kinetic energy of all impulses in the friction cones"},
    .passive = true,
    .alone = true,
    .plastic = true,
    .room = room_of,
    .strike = cone_impact,
};
