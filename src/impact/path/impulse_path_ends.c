// impulse_path_ends.c: start and end of the course of an impact (impulse_path.c): its sorted
// points, their scales, the coordinates of proximal.h; and back to impulses and velocities of the
// input.
#include "impact/multi_contact.h"
#include "impulse_path.h"

#include <math.h>
#include <string.h>

static double *carve_array(double **room, size_t n)
{
  double *part = *room;
  *room += n;
  return part;
}

// The longest state: rank 3n.
static size_t longest_state(size_t n)
{
  return 3 * n + 4 * n + 2;
}

size_t rh_impulse_path_room(int n)
{
  size_t N = 3 * (size_t)n;
  size_t size = longest_state((size_t)n);
  size_t prox = rh_prox_room(n, (int)N);
  size_t rest = rh_many_plastic_room(n) + rh_many_free_room(n);
  return 7 * N * N + 16 * N + 22 * (size_t)n + (5 + RH_COURSE_STAGES + RH_COURSE_DENSE) * size +
         (prox > rest ? prox : rest);
}

static double largest_size(const double *x, int n)
{
  double most = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(x[i]));
  }
  return most;
}

static double vector_length(const double *x, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += x[i] * x[i];
  }
  return sqrt(sum);
}

// ---- Setting out

static void read_points(rh_impulse_path *c, const rh_many_in *in)
{
  rh_many_order(in, c->problem.order);
  rh_many_arrange(in, c->problem.order, c->problem.W, c->problem.u0);
  for (int i = 0; i < c->n; i++) {
    int from = (int)c->problem.order[i];
    c->problem.mu[i] = in->mu[from];
    c->problem.e[i] = in->e[from];
    c->problem.kappa[i] = in->weight != NULL ? in->weight[from] : 1;
  }
}

// Stiffness of mean 1, all equal if a point has no area (a corner, an edge). Scales.
static void set_scales(rh_impulse_path *c)
{
  const size_t rows = 3 * (size_t)c->n;
  double sum = 0;
  double most = 0;
  bool known = true;
  for (int i = 0; i < c->n; i++) {
    sum += c->problem.kappa[i];
    known = known && c->problem.kappa[i] > 0;
  }
  for (int i = 0; i < c->n; i++) {
    c->problem.kappa[i] = known ? c->problem.kappa[i] * c->n / sum : 1;
  }
  for (size_t i = 0; i < (size_t)c->n; i++) {
    double row = 0;
    for (size_t j = 0; j < (size_t)c->n; j++) {
      row += fabs(c->problem.W[(3 * i + 2) * rows + 3 * j + 2]) * c->problem.kappa[j];
    }
    c->rate = fmax(c->rate, row);
    double d = fmax(c->problem.W[3 * i * (rows + 1)], c->problem.W[(3 * i + 1) * (rows + 1)]);
    d = fmax(d, c->problem.W[(3 * i + 2) * (rows + 1)]);
    most = fmax(most, d);
  }
  c->rate = sqrt(c->rate);
  c->speed = largest_size(c->problem.u0, (int)rows);
  c->stiff = sqrt(most);
  c->still = 0.1 * c->tolerance * c->speed;
  c->smooth = largest_size(c->problem.mu, c->n) == 0;
  if (c->rule->hertz) { // as stiff as the linear springs at the compression of the first approach
    double approach = 0;
    for (int i = 0; i < c->n; i++) {
      approach = fmax(approach, -c->problem.u0[3 * i + 2]);
    }
    for (int i = 0; i < c->n; i++) {
      c->problem.kappa[i] *= sqrt(c->rate / approach);
    }
  }
}

void rh_impulse_path_open(rh_impulse_path *c, const rh_many_in *in, double *room)
{
  const size_t n = (size_t)in->n;
  const size_t N = 3 * n;
  const size_t most = longest_state(n);
  double **const squares[] = {&c->problem.W, &c->problem.B, &c->stick.Q,
                              &c->stick.BQ,  &c->scratch.H, &c->scratch.across};
  double **const rows[] = {&c->problem.u0,     &c->u,           &c->v,
                           &c->scratch.none,   &c->g,           &c->stick.pull,
                           &c->stick.lean,     &c->scratch.p,   &c->scratch.start,
                           &c->scratch.rate_z, &c->scratch.swap};
  double **const lists[] = {&c->problem.order, &c->problem.mu,     &c->problem.e,
                            &c->problem.kappa, &c->problem.split,  &c->mode,
                            &c->problem.sigma, &c->scratch.radius, &c->back,
                            &c->pairs.group,   &c->pairs.side,     &c->pairs.form,
                            &c->pairs.total,   &c->pairs.part};
  double **const states[] = {&c->y, &c->scratch.next, &c->scratch.try, &c->scratch.begun,
                             &c->scratch.crept};
  c->n = in->n;
  for (int i = 0; i < RH_COUNT(squares); i++) {
    *squares[i] = carve_array(&room, N * N + (squares[i] == &c->scratch.H ? N : 0));
  }
  for (int i = 0; i < RH_COUNT(rows); i++) {
    *rows[i] = carve_array(&room, N);
  }
  for (int i = 0; i < RH_COUNT(lists); i++) {
    *lists[i] = carve_array(&room, n);
  }
  for (int i = 0; i < RH_COUNT(states); i++) {
    *states[i] = carve_array(&room, most);
  }
  c->way = carve_array(&room, 2 * n);
  c->ahead = carve_array(&room, 2 * n);
  c->scratch.traced = carve_array(&room, 2 * N);
  c->scratch.lost = carve_array(&room, 2 * n);
  c->scratch.k = carve_array(&room, RH_COURSE_STAGES * most);
  c->dense = carve_array(&room, RH_COURSE_DENSE * most);
  c->scratch.solver = room;
  read_points(c, in);
  c->repeated = in->repeated;
  c->pairs.place = in->place;
  c->pairs.share = in->share;
  // splits end where slip ends, and their events depend on it; forces of Hertz's law bend sharply
  // where they begin and end
  c->tolerance *= c->rule->hertz ? 0.01 : c->rule->springs ? 1 : 0.3;
  set_scales(c);
  c->r = rh_basis((int)N, c->problem.W, c->problem.B, c->scratch.solver);
  c->moved = c->r + c->n;
  c->size = c->moved + 3 * c->n + 2;
  memset(c->y, 0, most * sizeof(double));
  memset(c->scratch.none, 0, N * sizeof(double));
}

// ---- Impulses

// `rounds` of least 1/2 |B'p - z|^2, each nearer to it, from sigma `size` on that grows. Returns
// the residual relative to z.
static double approach_impulses(rh_impulse_path *c, const double *y, double size, int rounds)
{
  const rh_prox x = {.n = c->n,
                     .r = c->r,
                     .B = c->problem.B,
                     .u0 = c->scratch.none,
                     .radius = c->scratch.radius,
                     .sigma = c->problem.sigma,
                     .start = c->scratch.start,
                     .small = 1e-13 * vector_length(y, c->r),
                     .steps = 40,
                     .room = c->scratch.solver};
  double left = HUGE_VAL;
  memset(c->scratch.p, 0, 3 * (size_t)c->n * sizeof(double));
  memset(c->scratch.rate_z, 0, (size_t)c->r * sizeof(double));
  for (int round = 0; round < rounds && left > 1e-11; round++) {
    for (int i = 0; i < c->n; i++) {
      c->problem.sigma[i] = size * c->scratch.radius[i] / c->speed;
    }
    (void)rh_prox_solve(&x, c->scratch.rate_z, c->scratch.p);
    left = vector_length(c->scratch.rate_z, c->r) / vector_length(y, c->r);
    size = fmin(10 * size, 1e5);
  }
  return left;
}

// The state has z and normal impulses only. Friction consistent with z is found within the discs.
// p: c->p.
void rh_impulse_path_gather(rh_impulse_path *c, const double *y)
{
  for (int k = 0; k < c->r; k++) {
    c->scratch.start[k] = -y[k];
  }
  for (int i = 0; i < c->n; i++) {
    double pn = fmax(y[c->moved + i], 0);
    const double *b = c->problem.B + (size_t)(3 * i + 2) * (size_t)c->r;
    c->scratch.radius[i] = c->problem.mu[i] * pn;
    for (int k = 0; k < c->r; k++) {
      c->scratch.start[k] += b[k] * pn;
    }
  }
  memset(c->scratch.p, 0, 3 * (size_t)c->n * sizeof(double));
  if (!c->smooth && vector_length(y, c->r) > 0 && approach_impulses(c, y, 1e5, 5) > 1e-7) {
    (void)approach_impulses(c, y, 0.1, 20);
  }
  for (int i = 0; i < c->n; i++) {
    c->scratch.p[3 * i + 2] = fmax(y[c->moved + i], 0);
  }
}

// Losses along the course, and of the plastic impact after it: impulses c->p were q and velocities
// u before that. Friction that gives energy there is rounding.
static void gather_losses(rh_impulse_path *c, const double *q, const double *u)
{
  const double *Wn = c->y + c->moved + c->n;
  const double *Wt = Wn + c->n;
  for (int i = 0; i < c->n; i++) {
    double *lost = c->scratch.lost + (ptrdiff_t)2 * (int)c->problem.order[i];
    lost[0] = -Wn[i];
    lost[1] = -Wt[i];
    for (int k = 3 * i; k < 3 * i + 3; k++) {
      lost[k % 3 != 2] -= 0.5 * (c->scratch.p[k] - q[k]) * (u[k] + c->u[k]);
    }
    lost[1] = fmax(lost[1], 0);
  }
}

// Stops points that still approach; rounding gains no energy. Computed in the order of the course,
// then put in that of the input.
bool rh_impulse_path_settle(rh_impulse_path *c, const rh_many_in *in, double *p, double *u_after,
                            rh_many_out *out)
{
  const rh_many_in own = {
      .n = c->n, .W = c->problem.W, .u = c->problem.u0, .mu = c->problem.mu, .e = c->problem.e};
  double *q = c->scratch.p;
  double change = 0;
  double turn = 0;
  double moved = 0;
  rh_impulse_path_gather(c, c->y);
  double *before = c->scratch.traced; // no more reports
  double *u = before + (ptrdiff_t)3 * c->n;
  memcpy(before, q, 3 * (size_t)c->n * sizeof(double));
  rh_impulse_path_velocities(c, c->y, u);
  bool good = rh_many_plastic(&own, c->scratch.solver, q, c->u, in->e[0] < 0 && !in->repeated);
  for (int i = 0; i < 3 * c->n; i++) {
    change += 0.5 * q[i] * (c->problem.u0[i] + c->u[i]);
    turn += q[i] * c->problem.u0[i];
    moved += 0.5 * q[i] * (c->u[i] - c->problem.u0[i]);
  }
  bool less = change > 0 && turn < 0;
  double scale = less ? -turn / moved : 1;
  for (int i = 0; i < 3 * c->n; i++) {
    int to = 3 * (int)c->problem.order[i / 3] + i % 3;
    p[to] = scale * q[i];
    u_after[to] = less ? c->problem.u0[i] + scale * (c->u[i] - c->problem.u0[i]) : c->u[i];
  }
  gather_losses(c, before, u);
  rh_many_close_losses(in, p, u_after, c->scratch.lost, out);
  out->free = rh_many_free(&own, q, NULL, c->scratch.solver);
  return good;
}
