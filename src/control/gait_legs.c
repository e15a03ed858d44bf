// Gaits of any number of legs: a table of phases. The body goes along a circle, s strides on at time
// t: s' rises by a cubic from 0 to 1/T within the first cycle and falls likewise at the end, so that
// s is N strides after N + 1 cycles of duration T,
//   heading psi = N_turn s,  x' = stride s' cos psi,  y' = stride s' sin psi.
// Leg i swings from (j + phase_i) T on for (1 - duty) T and is put down in the frame of the body at
// the middle of its next stance, duty T/2 later. Its share of the weight falls from 1 to 0 before a
// swing and rises after it; the mean of the standing feet, weighted by it, is a place for the zero
// moment point that never leaves the feet ([Ch] 4.4*).
#include <routh/robot.h>

#include <math.h>
#include <string.h>

#define EASE                                                                                       \
  0.1 // least part of a cycle in which a leg takes or leaves its share, where duty allows

// ---- The body

// Integral of the speed up to u of the ramp of one cycle: s' = 3 u^2 - 2 u^3 strides per cycle
static double ramp_strides(double u)
{
  return u * u * u * (1 - 0.5 * u);
}

// Strides made, their rate and second rate
static rh_way strides_at(const rh_gait *gait, double t)
{
  double T = gait->cycle;
  double end = gait->cycles + 1;
  double u = t / T;
  if (gait->cycles == 0 || u <= 0 || u >= end) {
    return (rh_way){u >= end ? gait->cycles : 0, 0, 0};
  }
  if (u < 1) {
    rh_way speed = rh_cubic(u, 1, 0, 1);
    return (rh_way){ramp_strides(u), speed.x / T, speed.v / (T * T)};
  }
  if (u > end - 1) {
    rh_way speed = rh_cubic(end - u, 1, 0, 1);
    return (rh_way){gait->cycles - ramp_strides(end - u), speed.x / T, -speed.v / (T * T)};
  }
  return (rh_way){u - 0.5, 1 / T, 0};
}

// sin(x)/x and (1 - cos x)/x
static void arc_factors(double x, double *ahead, double *aside)
{
  bool small = fabs(x) < 1e-4; // then the next terms are below 1e-17
  *ahead = small ? 1 - x * x / 6 : rh_sin(x) / x;
  *aside = small ? 0.5 * x - x * x * x / 24 : (1 - rh_cos(x)) / x;
}

static void body_at(const rh_gait *gait, double t, rh_way body[3])
{
  rh_way s = strides_at(gait, t);
  double psi = gait->turn * s.x;
  double rate = gait->turn * s.v;
  double c = rh_cos(psi);
  double z = rh_sin(psi);
  double ahead;
  double aside;
  arc_factors(psi, &ahead, &aside);
  double d = gait->stride;
  body[0] = (rh_way){d * s.x * ahead, d * s.v * c, d * (s.a * c - s.v * rate * z)};
  body[1] = (rh_way){d * s.x * aside, d * s.v * z, d * (s.a * z + s.v * rate * c)};
  body[2] = (rh_way){psi, rate, gait->turn * s.a};
}

// ---- The legs

static double swing_start(const rh_gait *gait, int leg, int swing)
{
  return (swing + gait->phase[leg]) * gait->cycle;
}

static double swing_end(const rh_gait *gait, int leg, int swing)
{
  return swing_start(gait, leg, swing) + (1 - gait->duty) * gait->cycle;
}

static double middle_of_stance(const rh_gait *gait, int leg, int swing)
{
  return swing_end(gait, leg, swing) + 0.5 * gait->duty * gait->cycle;
}

// Swings of a leg: until it is put where the body will stop
static int count_swings(const rh_gait *gait, int leg)
{
  double stop = (gait->cycles + 1) * gait->cycle;
  int n = gait->cycles == 0 ? 0 : 1;
  while (n > 0 && middle_of_stance(gait, leg, n - 1) < stop) {
    n++;
  }
  return n;
}

// The place of a foot after `made` swings
static rh_foothold place_after(const rh_gait *gait, int leg, int made)
{
  rh_way body[3];
  if (made == 0) {
    return (rh_foothold){0, 0, 0};
  }
  body_at(gait, middle_of_stance(gait, leg, made - 1), body);
  return (rh_foothold){body[0].x, body[1].x, body[2].x};
}

// Part of a cycle between a touchdown and the next time at which another leg leaves
static double shortest_gap(const rh_gait *gait)
{
  double least = 1;
  for (int i = 0; i < gait->legs; i++) {
    for (int j = 0; j < gait->legs; j++) {
      double gap = gait->phase[j] - (gait->phase[i] + 1 - gait->duty);
      gap -= floor(gap);
      least = i != j ? fmin(least, gap) : least;
    }
  }
  return least;
}

double rh_gait_ease(const rh_gait *gait)
{
  return fmin(fmax(shortest_gap(gait), EASE), 0.5 * gait->duty) * gait->cycle;
}

static double share_of_load(const rh_gait *gait, int leg, int made, int swings, double t)
{
  double ease = rh_gait_ease(gait);
  double leaves = made < swings ? swing_start(gait, leg, made) - t : HUGE_VAL;
  double stood = made > 0 ? t - swing_end(gait, leg, made - 1) : HUGE_VAL;
  return rh_cubic(fmin(leaves, stood), ease, 0, 1).x;
}

static void leg_at(const rh_gait *gait, int leg, double t, rh_leg_at *at)
{
  int swings = count_swings(gait, leg);
  int made = 0;
  while (made < swings && t >= swing_end(gait, leg, made)) {
    made++;
  }
  *at = (rh_leg_at){.swing = made};
  at->swings = made < swings && t >= swing_start(gait, leg, made);
  at->from = place_after(gait, leg, made);
  at->to = at->swings ? place_after(gait, leg, made + 1) : at->from;
  double since = at->swings ? swing_start(gait, leg, made)
                 : made > 0 ? swing_end(gait, leg, made - 1)
                            : 0;
  at->into = t - since;
  at->load = at->swings ? 0 : share_of_load(gait, leg, made, swings, t);
}

void rh_gait_plan(const rh_gait *gait, double t, rh_gait_at *at)
{
  memset(at, 0, sizeof *at);
  body_at(gait, t, at->body);
  for (int i = 0; i < gait->legs; i++) {
    leg_at(gait, i, t, &at->leg[i]);
  }
  at->over = t >= rh_gait_end(gait);
}

double rh_gait_end(const rh_gait *gait)
{
  double end = 0;
  for (int i = 0; i < gait->legs; i++) {
    int swings = count_swings(gait, i);
    end = swings > 0 ? fmax(end, swing_end(gait, i, swings - 1)) : end;
  }
  return end;
}

// ---- Gaits by name

static const struct {
  const char *name;
  int legs;
  double duty;
  double phase[RH_LEGS_MAX]; // left front, right front, left next, right next, ...
} table[] = {
    {"walk", 2, 0.7, {0.5, 0}},
    {"walk", 4, 0.8, {0.25, 0.75, 0, 0.5}},
    {"walk", 6, 0.85, {1.0 / 3, 5.0 / 6, 1.0 / 6, 2.0 / 3, 0, 0.5}},
    {"trot", 4, 0.6, {0, 0.5, 0.5, 0}},
    {"pace", 4, 0.6, {0, 0.5, 0, 0.5}},
    {"bound", 4, 0.6, {0, 0, 0.5, 0.5}},
    {"tripod", 6, 0.6, {0, 0.5, 0.5, 0, 0, 0.5}},
};

bool rh_gait_phases(const char *name, int legs, double *phase, double *duty)
{
  for (int i = 0; i < RH_COUNT(table); i++) {
    if (legs == table[i].legs && strcmp(name, table[i].name) == 0) {
      memcpy(phase, table[i].phase, (size_t)legs * sizeof *phase);
      *duty = table[i].duty;
      return true;
    }
  }
  return false;
}
