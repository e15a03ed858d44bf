// impulse_path_stiff.c: a step of the course of an impact (impulse_path.c) where a point hardly slips. The rate at which its friction turns,
// mu lam/|u_t|, is then beyond all others, and an explicit step would have to be as short. By the
// Rosenbrock method of Hairer and Wanner (RODAS, order 4(3), stiffly accurate, L-stable), with the
// exact derivatives:
//   dz'   = (1 - QQ') sum_i (w_i dlam_i - mu_i lam_i/|u_t| t_i t_i' dz)    w_i = B_n' - mu_i B_t' d,  t_i = B_t' d across
//   dlam' = -k_i B_n dz
// so that a system of r rows is solved per stage: (1/(g h) - J) U = f + ... with lam eliminated.
// Works and impulses by Simpson's rule, dense output by cubic polynomials.
#include "impulse_path.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

enum { STAGES = 6 };

static const double GAMMA = 0.25;
static const double A[5][5] = {
    {0},
    {1.544},
    {0.9466785280815826, 0.2557011698983284},
    {3.314825187068521, 2.896124015972201, 0.9986419139977817},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950}};
static const double C[6][5] = {
    {0},
    {-5.6688},
    {-2.430093356833875, -0.2063599157091915},
    {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
    {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
    {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136,
     -6.058818238834054}};

bool rh_impulse_path_is_stiff(const rh_impulse_path *c, double h, double most)
{
  const size_t rows = 3 * (size_t)c->n;
  double fastest = 0;
  if (c->smooth || (c->rule->by_slip && !c->even)) {
    return false;
  }
  for (int i = 0; i < c->n; i++) {
    const double *u = c->v + (ptrdiff_t)3 * i;
    double s = u[0] * u[0] + u[1] * u[1];
    double d = fmax(c->problem.W[3 * (size_t)i * (rows + 1)],
                    c->problem.W[(3 * (size_t)i + 1) * (rows + 1)]);
    d *= c->problem.mu[i] * rh_impulse_path_force(c, i, c->y[c->r + i]);
    bool slips = c->mode[i] == RH_COURSE_SLIP && s > 0;
    fastest = slips && d * d > fastest * s ? d * d / s : fastest;
  }
  return h * sqrt(fastest) > most;
}

// -x' over u_n
static double compression_rate(const rh_impulse_path *c, int i)
{
  bool moves = c->rule->springs && (c->rule->hertz || c->mode[i] != RH_COURSE_OPEN);
  return moves ? rh_impulse_path_gain(c, i) / rh_impulse_path_soft(c, i) : 0;
}

// x := (1 - QQ') x, of x (r x columns)
static void project_off_held(const rh_impulse_path *c, double *x, int columns)
{
  for (int q = 0; q < c->stick.held; q++) {
    const double *row = c->stick.Q + (size_t)q * (size_t)c->r;
    for (int j = 0; j < columns; j++) {
      double sum = 0;
      for (int k = 0; k < c->r; k++) {
        sum += row[k] * x[k * columns + j];
      }
      for (int k = 0; k < c->r; k++) {
        x[k * columns + j] -= sum * row[k];
      }
    }
  }
}

// w of point i (r); t (r) where it slips: true
static bool slope_derivatives(const rh_impulse_path *c, int i, double *w, double *t)
{
  const int r = c->r;
  const double *b = c->problem.B + (size_t)(3 * i) * (size_t)r;
  const double *d = c->way + (ptrdiff_t)2 * i;
  memcpy(w, b + 2 * (ptrdiff_t)r, (size_t)r * sizeof(double));
  if (c->mode[i] == RH_COURSE_STICK || c->problem.mu[i] == 0) {
    return false;
  }
  for (int k = 0; k < r; k++) {
    w[k] -= c->problem.mu[i] * (d[0] * b[k] + d[1] * b[r + k]);
    t[k] = d[0] * b[r + k] - d[1] * b[k];
  }
  return true;
}

// c->H: the matrix, factorised
static bool factorise_system(rh_impulse_path *c, double h)
{
  const int r = c->r;
  double *M = c->scratch.H;
  double *t = c->scratch.rate_z;
  memset(M, 0, (size_t)r * (size_t)r * sizeof(double));
  for (int i = 0; i < c->n; i++) {
    const double *u = c->v + (ptrdiff_t)3 * i;
    const double *b = c->problem.B + (size_t)(3 * i + 2) * (size_t)r;
    double *w = c->scratch.across + (size_t)i * (size_t)r;
    if (c->mode[i] == RH_COURSE_OPEN) {
      continue;
    }
    double s = sqrt(u[0] * u[0] + u[1] * u[1]);
    double lam = rh_impulse_path_force(c, i, c->y[r + i]);
    double turn = slope_derivatives(c, i, w, t) && s > 0 ? c->problem.mu[i] * lam / s : 0;
    double press =
        GAMMA * h * compression_rate(c, i) * rh_impulse_path_force_slope(c, i, c->y[r + i]);
    for (int row = 0; row < r; row++) {
      double a = press * w[row];
      double across = turn > 0 ? turn * t[row] : 0;
      for (int col = 0; col < r; col++) {
        M[row * r + col] += a * b[col] + (turn > 0 ? across * t[col] : 0);
      }
    }
  }
  project_off_held(c, M, r);
  for (int k = 0; k < r; k++) {
    M[k * r + k] += 1 / (GAMMA * h);
  }
  return rh_lu(r, M, (int *)(void *)c->scratch.swap);
}

// x := (1/(GAMMA h) - J)^-1 x, x = (z, lam)
static void solve_stage(rh_impulse_path *c, double h, double *x)
{
  const int r = c->r;
  double *sum = c->scratch.start;
  memset(sum, 0, (size_t)r * sizeof(double));
  for (int i = 0; i < c->n && c->rule->springs; i++) {
    const double *w = c->scratch.across + (size_t)i * (size_t)r;
    if (c->mode[i] != RH_COURSE_OPEN) {
      double more = rh_impulse_path_force_slope(c, i, c->y[r + i]) * x[r + i];
      for (int k = 0; k < r; k++) {
        sum[k] += GAMMA * h * more * w[k];
      }
    }
  }
  project_off_held(c, sum, 1);
  for (int k = 0; k < r; k++) {
    x[k] += sum[k];
  }
  rh_lu_solve(r, c->scratch.H, (const int *)(const void *)c->scratch.swap, x);
  for (int i = 0; i < c->n; i++) {
    const double *b = c->problem.B + (size_t)(3 * i + 2) * (size_t)r;
    double rate = compression_rate(c, i);
    double un = 0;
    for (int k = 0; k < r && rate != 0; k++) {
      un += b[k] * x[k];
    }
    x[r + i] = GAMMA * h * (x[r + i] - rate * un);
  }
}

static double error_of(const rh_impulse_path *c, const double *x)
{
  double square = 0;
  double worst = 0;
  for (int k = 0; k < c->r; k++) {
    square += x[k] * x[k];
  }
  for (int i = 0; i < c->n; i++) {
    worst = fmax(worst, rh_impulse_path_speed_of(c, i, fabs(x[c->r + i])));
  }
  double error = c->stiff * sqrt(square);
  error = error == error ? fmax(error, worst) : error; // fmax would lose a NaN
  return error / (c->tolerance * c->speed);
}

// Impulses and works after the step, from the slopes at its ends and in its middle
static void integrate_works(rh_impulse_path *c, double h)
{
  const double *k = c->scratch.k;
  const double *last = k + (size_t)(RH_COURSE_STAGES - 1) * (size_t)c->size;
  double *middle = c->dense;
  for (int i = 0; i < c->moved; i++) {
    c->scratch.try[i] = 0.5 * (c->y[i] + c->scratch.next[i]) + 0.125 * h * (k[i] - last[i]);
  }
  rh_impulse_path_slope(c, c->scratch.try, middle, false);
  for (int i = c->moved; i < c->size; i++) {
    c->scratch.next[i] = c->y[i] + h / 6 * (k[i] + 4 * middle[i] + last[i]);
  }
}

double rh_impulse_path_step_stiff(rh_impulse_path *c, double h)
{
  const size_t size = (size_t)c->size;
  double *f = c->scratch.k + (RH_COURSE_STAGES - 1) * size;
  double *U = c->dense; // one row per stage; not dense yet
  c->turned = c->thick = false;
  c->stiffly = true;
  if (!factorise_system(c, h)) {
    return HUGE_VAL;
  }
  memcpy(c->scratch.next, c->y, size * sizeof(double));
  for (int s = 0; s < STAGES; s++) {
    double *own = s < STAGES - 1 ? U + (size_t)s * size : c->scratch.k + size;
    if (s < 5) {
      memcpy(c->scratch.next, c->y, size * sizeof(double));
    }
    for (int j = 0; j < s; j++) {
      double a = s < 5 ? A[s][j] : j == 4 ? 1 : 0;
      for (int i = 0; i < c->moved && a != 0; i++) {
        c->scratch.next[i] += a * U[(size_t)j * size + (size_t)i];
      }
    }
    rh_impulse_path_slope(c, c->scratch.next, s == 0 ? c->scratch.k : f, s == 0);
    memcpy(own, s == 0 ? c->scratch.k : f, size * sizeof(double));
    for (int j = 0; j < s; j++) {
      for (int i = 0; i < c->moved; i++) {
        own[i] += C[s][j] / h * U[(size_t)j * size + (size_t)i];
      }
    }
    solve_stage(c, h, own);
  }
  for (int i = 0; i < c->moved; i++) {
    c->scratch.next[i] += c->scratch.k[size + (size_t)i];
  }
  double error = error_of(c, c->scratch.k + size);
  c->turned = false;
  rh_impulse_path_slope(c, c->scratch.next, f, false);
  if (c->turned || !(error <= 1)) {
    return c->turned ? HUGE_VAL : error;
  }
  integrate_works(c, h);
  return error;
}
