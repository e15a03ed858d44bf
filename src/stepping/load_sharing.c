// Where all contacts of a small island slide, and share their load in more ways than one, the motion depends on how: each rubs along its own direction.
// Sweeps find the sharing that their order leads to. Of the sharings with the same velocities along the normals that of least norm is taken, as in
// the engine `event`: it treats equal contacts alike, so that what is symmetric remains so. Left out: islands in which a contact sticks too.
#include "contact_kernels.h"

#include "complement/complement.h"
#include "complement/cone.h"

#include <string.h>

enum { MOST = RH_EXAMINE_MAX };

static const double SLOW = 10;   // tolerances: a slower contact has no direction of its own
static const double FINE = 1e-6; // of the tolerance: so small a change of velocities is left

size_t rh_step_least_load_room(void)
{
  return (size_t)9 * MOST * MOST + (size_t)MOST * MOST + (size_t)3 * MOST + rh_lcp_share_room(MOST);
}

typedef struct sliding { // the island with directions of sliding
  double mu[MOST];
  double slide[2 * MOST];
  double u[3 * MOST];
} sliding;

// False: a contact with a force is too slow to have a direction.
static bool find_directions(const rh_blocks *problem, const double *p, double slow, sliding *x)
{
  rh_blocks_velocity(problem, p, x->u);
  for (int i = 0; i < problem->n; i++) {
    double speed = rh_flat_length(x->u[3 * i], x->u[3 * i + 1]);
    bool slides = speed > slow;
    if (!slides && p[3 * i + 2] > 0) {
      return false;
    }
    x->mu[i] = slides ? problem->limit[i] : 0;
    x->slide[2 * i] = slides ? x->u[3 * i] / speed : 0;
    x->slide[2 * i + 1] = slides ? x->u[3 * i + 1] / speed : 0;
  }
  return true;
}

// [m/s] what new impulses change of the velocities
static double largest_change(const rh_blocks *problem, const double *p, const sliding *x)
{
  double u[3 * MOST];
  double change = 0;
  rh_blocks_velocity(problem, p, u);
  for (int r = 0; r < 3 * problem->n; r++) {
    change = fmax(change, fabs(u[r] - x->u[r]));
  }
  return change;
}

bool rh_step_least_load(rh_step_worker *worker, const rh_step_island *s)
{
  rh_step_newton *q = &worker->newton;
  const double tolerance = worker->world->par.tolerance;
  rh_blocks problem;
  sliding x;
  double p[3 * MOST];
  if (s->ncon > MOST || !rh_step_newton_pose(worker, s, &problem) || problem.n > MOST ||
      !find_directions(&problem, q->p, SLOW * tolerance, &x)) {
    return false;
  }
  double *W = q->scratch;
  double *A = W + (size_t)9 * MOST * MOST;
  double *b = A + (size_t)MOST * MOST;
  double *z0 = b + MOST;
  double *z = z0 + MOST;
  if (!rh_step_newton_dense(&problem, W)) {
    return false;
  }
  const rh_cone cone = {problem.n, W, problem.b, x.mu, x.slide};
  const rh_lcp normals = rh_cone_normals(&cone, A, b);
  for (int i = 0; i < problem.n; i++) {
    z0[i] = q->p[3 * i + 2];
  }
  for (int i = 0; i < problem.n; i++) { // contacts with a load are closed, to the last digit
    double along = 0;
    for (int j = 0; j < problem.n; j++) {
      along += A[i * problem.n + j] * z0[j];
    }
    b[i] = z0[i] > 0 ? -along : b[i];
  }
  if (rh_lcp_share(&normals, z0, z + MOST, z, NULL, NULL) == 0) {
    return false;
  }
  rh_cone_spread(&cone, z, p);
  if (!(largest_change(&problem, p, &x) > FINE * tolerance)) {
    return false;
  }
  memcpy(q->p, p, 3 * (size_t)problem.n * sizeof *p);
  rh_step_newton_take_all(worker, s, problem.n);
  return true;
}
