// Variants of the collision map outside the hard loop: contacts that push only, and friction. The first is a complementarity problem of
// the normals for the active-set solver, then the impulses of least norm; the second calls a
// formulation. Both iterate.
#include "complement/complement.h"
#include "impact/collision_map.h"
#include "impact/map/collision_map_part.h"

#include <math.h>
#include <string.h>

typedef struct pushed {
  int m;
  double *row;                 // selected rows (m)
  double *W, *b;               // theirs (m x m), (m)
  double *z, *start, *plastic; // (m), (m), (n)
  double *room;
} pushed;

static size_t max_size(size_t a, size_t b)
{
  return a > b ? a : b;
}

size_t rh_collide_unilateral_room(int n)
{
  size_t m = (size_t)n;
  return m * m + 5 * m + max_size(rh_solver_active_set.room(n), rh_lcp_share_room(n));
}

static pushed lay_out(const rh_collide_in *in, double *room)
{
  pushed w = {.m = 0};
  size_t n = (size_t)in->n;
  w.row = room;
  w.b = w.row + n;
  w.z = w.b + n;
  w.start = w.z + n;
  w.plastic = w.start + n;
  w.W = w.plastic + n;
  w.room = w.W + n * n;
  for (int i = 0; i < in->n; i++) {
    if (rh_collide_takes(in, i)) {
      w.row[w.m++] = i;
    }
  }
  for (int i = 0; i < w.m; i++) {
    for (int k = 0; k < w.m; k++) {
      w.W[(size_t)i * w.m + k] = in->W[(size_t)w.row[i] * n + (size_t)w.row[k]];
    }
  }
  return w;
}

// Least 1/2 p'Wp + p'(u + e u), p >= 0; `restitution` false: e = 0. Of solutions the least; p by
// all rows.
static bool solve_push(const rh_collide_in *in, pushed *w, bool restitution, double *p)
{
  double par[RH_PAR_MAX];
  const rh_solver *solver = &rh_solver_active_set;
  rh_row_defaults(&solver->row, par);
  memset(p, 0, (size_t)in->n * sizeof(double));
  for (int i = 0; i < w->m; i++) {
    int row = (int)w->row[i];
    w->b[i] = in->u[row] * (restitution ? 1 + in->e[row] : 1);
  }
  const rh_qp qp = {.n = w->m, .H = w->W, .g = w->b};
  const rh_lcp lcp = {.n = w->m, .A = w->W, .b = w->b};
  if (w->m == 0) {
    return true;
  }
  if (solver->qp(&qp, par, w->room, w->start) != RH_VERDICT_SOLVED) {
    return false;
  }
  (void)rh_lcp_share(&lcp, w->start, w->room, w->z, NULL, NULL);
  for (int i = 0; i < w->m; i++) {
    p[(int)w->row[i]] = w->z[i];
  }
  return true;
}

bool rh_collide_unilateral(const rh_collide_in *in, double *room, double *p, double *u_after,
                           rh_collide_out *out)
{
  pushed w = lay_out(in, room);
  *out = (rh_collide_out){.scale = 1};
  bool good = solve_push(in, &w, true, p);
  if (!good) { // opposed contacts of different e may be infeasible; a plastic impact is not
    good = solve_push(in, &w, false, p);
    out->scale = 0;
  }
  if (good) {
    rh_collide_account(in, p, u_after, out);
  }
  if (good && out->gained && out->scale > 0) {
    good = solve_push(in, &w, false, w.plastic);
    out->scale = rh_collide_spare(in, w.plastic, p, u_after);
    rh_collide_account(in, p, u_after, out);
  }
  if (!good) {
    memset(p, 0, (size_t)in->n * sizeof(double));
    memcpy(u_after, in->u, (size_t)in->n * sizeof(double));
    *out = (rh_collide_out){.scale = 1, .chosen = w.m};
    return false;
  }
  for (int i = 0; i < w.m; i++) {
    int row = (int)w.row[i];
    out->unmet = fmax(out->unmet, -(u_after[row] + out->scale * in->e[row] * in->u[row]));
  }
  return true;
}

// NOLINTNEXTLINE(readability-function-size): each is a plain part of the problem
bool rh_collide_friction(const rh_many_in *in, const rh_formulation *form, const double *par,
                         double *room, double *p, double *u_after, rh_collide_out *out)
{
  rh_many_out many = {0};
  bool good = form->strike(in, par, room, p, u_after, &many);
  *out = (rh_collide_out){.scale = many.scale, .gained = many.gained, .loss = many.Dn + many.Dt};
  for (int i = 0; i < in->n; i++) {
    out->chosen += in->u[3 * i + 2] < 0;
    out->negative += p[3 * i + 2] < 0;
  }
  return good;
}
