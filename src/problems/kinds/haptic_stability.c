// Which walls a sampled haptic loop renders stably ([CSC] VI): a tool pressed against a wall of
// stiffness k and damping b at a lever r from its centre, a device joined to it by four channels, a
// hand that is a force. Over a tick, semi-implicit, x = (y, angle) of tool and of device:
//   F = -k y_c - b v_c, y_c = y + r angle;  tool: F, r F and the coupling; device: F, r F (torque
//   feedback: only where there is one) less the coupling;  v += dt F/m, x += dt v.
// Stable: the spectral radius of this linear map is at most 1. And the energy that one collision of
// restitution e gives to the device: p v + p^2/2m with the force alone, which is what [CSC]'s claim
// that "unstable interaction may arise due to the lack of torque feedback" rests on.
#include "problems/problem_matrix.h"

#include <math.h>
#include <string.h>

enum { N = 8, MAPS = 64 };

enum {
  M_TOOL,
  I_TOOL,
  M_DEVICE,
  I_DEVICE,
  LEVER,
  WALL_B,
  COUPLING_K,
  COUPLING_B,
  TURN_K,
  TURN_B,
  NUMBERS
};

#define POSITIVE(NAME, UNIT, DOC)                                                                  \
  {                                                                                                \
    NAME, UNIT, 1, 1e-12, 1e12, DOC, RH_NUMBER, 0, NULL, false                                     \
  }
#define FROM_ZERO(NAME, UNIT, DEFAULT, DOC)                                                        \
  {                                                                                                \
    NAME, UNIT, DEFAULT, 0, 1e15, DOC, RH_NUMBER, 0, NULL, false                                   \
  }

static const rh_param input[] = {
    POSITIVE("m_tool", "kg", "mass of the tool"),
    POSITIVE("I_tool", "kg m^2", "its inertia about the centre"),
    POSITIVE("m_device", "kg", "mass of the device"),
    POSITIVE("I_device", "kg m^2", "its inertia"),
    FROM_ZERO("lever", "m", 0, "distance of the contact from the centre, along the wall"),
    FROM_ZERO("b", "N s/m", 0, "damping of the wall"),
    FROM_ZERO("K", "N/m", 100, "stiffness of the coupling"),
    FROM_ZERO("B", "N s/m", 70, "its damping"),
    FROM_ZERO("K_turn", "N m/rad", 0.5, "its stiffness about the centre"),
    FROM_ZERO("B_turn", "N m s/rad", 0.375, "its damping about the centre"),
    {"rates", "1/s", 0, 0, 0, "ticks per second", RH_LIST, 0, NULL, false},
    {"k", "N/m", 0, 0, 0, "stiffnesses of the wall", RH_LIST, 0, NULL, false},
    FROM_ZERO("e", "1", 0, "restitution of the collision, 0 to 1"),
    {"v", "m/s", 0, -1e6, 1e6, "velocity of the centre before it (< 0: approach)", RH_NUMBER, 0,
     NULL, false},
    {"omega", "rad/s", 0, -1e6, 1e6, "and rate of rotation", RH_NUMBER, 0, NULL, false},
};

static const rh_output output[] = {
    {"radius", "1", "rates x k",
     "spectral radius with force and torque feedback; above 1: unstable"},
    {"radius_force_only", "1", "rates x k", "the same without torque feedback"},
    {"k_stable", "N/m", "rates x 2",
     "largest stable stiffness of the wall, with and without torque feedback; 1e12: any"},
    {"kick", "J", "2",
     "energy that the collision gives to the device, with and without torque feedback"},
};

typedef struct loop { // numbers of a problem
  double x[NUMBERS];
} loop;

// The map of a tick: rows y_t, a_t, y_d, a_d, then their velocities
static void fill_map(const loop *l, double k, double dt, bool torque, double A[N * N])
{
  const double *x = l->x;
  const double inertia[4] = {x[M_TOOL], x[I_TOOL], x[M_DEVICE], x[I_DEVICE]};
  const double felt[4] = {1, x[LEVER], 1, torque ? x[LEVER] : 0}; // of the wall's force
  const double stiff[2] = {x[COUPLING_K], x[TURN_K]};
  const double damp[2] = {x[COUPLING_B], x[TURN_B]};
  memset(A, 0, N * N * sizeof *A);
  for (int i = 0; i < 4; i++) {
    double *v = A + (ptrdiff_t)(4 + i) * N;
    double scale = dt / inertia[i];
    double sign = i < 2 ? 1 : -1;
    for (int j = 0; j < 2; j++) { // the wall acts by the tool's place
      double arm = j == 0 ? 1 : x[LEVER];
      v[j] -= scale * felt[i] * k * arm;
      v[4 + j] -= scale * felt[i] * x[WALL_B] * arm;
    }
    int c = i % 2;
    v[2 + c] += scale * sign * stiff[c];
    v[c] -= scale * sign * stiff[c];
    v[6 + c] += scale * sign * damp[c];
    v[4 + c] -= scale * sign * damp[c];
    v[4 + i] += 1;
    for (int j = 0; j < N; j++) {
      A[i * N + j] = (i == j) + dt * v[j];
    }
  }
}

// |A^n|^(1/n) for n = 2^SQUARES, which is the radius to some 1e-5
static double spectral_radius(double A[N * N])
{
  enum { SQUARES = 22 };

  double grown = 0; // log of the factors taken out
  double B[N * N];
  double most = 0;
  for (int s = 0; s <= SQUARES; s++) {
    most = 0;
    for (int i = 0; i < N * N; i++) {
      most = fmax(most, fabs(A[i]));
    }
    if (!(most > 0) || !isfinite(most)) {
      return most > 0 ? HUGE_VAL : 0;
    }
    grown += rh_log(most) / ldexp(1, s);
    for (int i = 0; i < N * N; i++) {
      A[i] /= most;
    }
    for (int i = 0; i < N && s < SQUARES; i++) {
      for (int j = 0; j < N; j++) {
        B[i * N + j] = 0;
        for (int k = 0; k < N; k++) {
          B[i * N + j] += A[i * N + k] * A[k * N + j];
        }
      }
    }
    if (s < SQUARES) {
      memcpy(A, B, sizeof B);
    }
  }
  return rh_exp(grown);
}

static double radius_of(const loop *l, double k, double dt, bool torque)
{
  double A[N * N];
  fill_map(l, k, dt, torque, A);
  return spectral_radius(A);
}

// A pair of eigenvalues 1 (rest anywhere along the wall) grows with n: |A^n|^(1/n) = 1 + 1e-5
static const double STABLE = 1 + 2e-5;

static double largest_stable(const loop *l, double dt, bool torque)
{
  double lo = 0;
  double hi = 1e12;
  if (radius_of(l, hi, dt, torque) <= STABLE) {
    return hi;
  }
  for (int i = 0; i < 100; i++) {
    double middle = lo > 1 ? sqrt(lo * hi) : 0.5 * (lo + hi);
    if (radius_of(l, middle, dt, torque) <= STABLE) {
      lo = middle;
    } else {
      hi = middle;
    }
  }
  return lo;
}

// Energy of the device after an impulse p of the tool's collision, less that before
static double kick_energy(const loop *l, double e, double v, double omega, bool torque)
{
  const double *x = l->x;
  double r = x[LEVER];
  double approach = v + r * omega;
  double p = approach < 0 ? -(1 + e) * approach / (1 / x[M_TOOL] + r * r / x[I_TOOL]) : 0;
  double turned = torque ? r * p * omega + 0.5 * r * r * p * p / x[I_DEVICE] : 0;
  return p * v + 0.5 * p * p / x[M_DEVICE] + turned;
}

static bool read_numbers(const rh_inputs *in, loop *l, double collision[3])
{
  bool good = true;
  for (int i = 0; i < NUMBERS; i++) {
    l->x[i] = input[i].def;
    good = rh_input_one(in, &input[i], i < LEVER, &l->x[i]) && good;
  }
  for (int i = 0; i < 3; i++) {
    collision[i] = 0;
    good = rh_input_one(in, &input[NUMBERS + 2 + i], false, &collision[i]) && good;
  }
  if (good && collision[0] > 1) {
    good =
        rh_input_refuse(in, rh_input_find(in, "e"), "e must lie in [0, 1], got %g", collision[0]);
  }
  return good;
}

static bool read_list(const rh_inputs *in, const char *name, rh_block *list)
{
  bool good = rh_input_list(in, name, RH_NONE, MAPS, list);
  for (int i = 0; good && i < list->rows; i++) {
    good = (list->x[i] > 0 && list->x[i] <= 1e12) ||
           rh_input_refuse(in, rh_input_find(in, name), "%s[%d] must lie in (0, 1e12], got %g",
                           name, i, list->x[i]);
  }
  return good;
}

static rh_status answer_map(const loop *l, const rh_block *rates, const rh_block *k,
                            const double collision[3], rh_answer *answer)
{
  double *radius = rh_answer_add(answer, "radius", 2, rates->rows, k->rows, 1);
  double *alone = rh_answer_add(answer, "radius_force_only", 2, rates->rows, k->rows, 1);
  double *stable = rh_answer_add(answer, "k_stable", 2, rates->rows, 2, 1);
  double *kick = rh_answer_add(answer, "kick", 1, 2, 1, 1);
  if (!radius || !alone || !stable || !kick) {
    return RH_OUT_OF_MEMORY;
  }
  for (int i = 0; i < rates->rows; i++) {
    double dt = 1 / rates->x[i];
    for (int j = 0; j < k->rows; j++) {
      radius[i * k->rows + j] = radius_of(l, k->x[j], dt, true);
      alone[i * k->rows + j] = radius_of(l, k->x[j], dt, false);
    }
    stable[2 * i] = largest_stable(l, dt, true);
    stable[2 * i + 1] = largest_stable(l, dt, false);
  }
  kick[0] = kick_energy(l, collision[0], collision[1], collision[2], true);
  kick[1] = kick_energy(l, collision[0], collision[1], collision[2], false);
  return RH_OK;
}

static rh_status solve_haptic_stability(const rh_inputs *in, rh_answer *answer)
{
  loop l;
  double collision[3];
  rh_block rates = {0};
  rh_block k = {0};
  bool good = read_numbers(in, &l, collision);
  good = read_list(in, "rates", &rates) && good;
  good = read_list(in, "k", &k) && good;
  rh_status status = good ? answer_map(&l, &rates, &k, collision, answer) : RH_INPUT_REFUSED;
  rh_block_free(&rates);
  rh_block_free(&k);
  return status;
}

const rh_problem rh_problem_haptic_stability = {
    .row = {"haptic_stability", "[CSC] VI",
            "stable rates and stiffnesses of a haptic loop, with and without torque feedback",
            input, RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_haptic_stability,
};
