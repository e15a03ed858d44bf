// A sphere meets a surface under the adhesive law of Johnson, Kendall and Roberts: contact forms at
// d = 0 and breaks at d_min; the work between is lost (Thornton and Ning 1998). Not counted: waves,
// plasticity, attraction before touch.
#include "problem_jkr.h"

static const rh_param input[] = {
    RH_JKR_INPUTS,
    {.name = "m",
     .unit = "kg",
     .lo = 0,
     .hi = 1e15,
     .doc = "mass, 1 / (1/m1 + 1/m2); required",
     .open = true},
    {.name = "v",
     .unit = "m/s",
     .lo = 0,
     .hi = 1e12,
     .doc = "speed of approach; required",
     .open = true},
};

enum { MASS = 3, SPEED };

static const rh_output output[] = {
    {"sticks", "1", "flag", "it does not leave"},
    {"v_stick", "m/s", "", "greatest speed at which it sticks"},
    {"work_lost", "J", "", "work between contact and loss"},
    {"v_rebound", "m/s", "", "speed after"},
    {"e", "1", "", "v_rebound / v"},
    {"max_depth", "m", "", "of the first approach"},
    {"max_force", "N", "", "of the first approach"},
    {"max_radius", "m", "", "radius of contact, of the first approach"},
    {"contact_time", "s", "", "from d = 0 to d_min; null if it sticks"},
};

// Radius of contact at which the kinetic energy is spent
static double greatest_radius(const rh_jkr *j, double zero, double energy)
{
  double lo = zero;
  double hi = 2 * zero;
  while (rh_jkr_energy(j, hi) - rh_jkr_energy(j, zero) < energy && hi < 1e150) {
    hi *= 2;
  }
  // F < 0 at first: the energy falls below that at d = 0 and rises again, so that the upper zero is
  // sought, above the radius without load.
  lo = rh_jkr_mark(j, 9.0 / 2);
  hi = fmax(hi, lo);
  for (int i = 0; i < 200 && lo < hi; i++) {
    double middle = 0.5 * (lo + hi);
    bool less = rh_jkr_energy(j, middle) - rh_jkr_energy(j, zero) < energy;
    if (middle <= lo || middle >= hi) {
      break;
    }
    lo = less ? middle : lo;
    hi = less ? hi : middle;
  }
  return 0.5 * (lo + hi);
}

// Time between the radii `top`, where the speed is zero, and `a`: a = top - (top - a) s^2 removes the
// root at `top`; Gauss's rule of five points on equal parts of s.
static double travel_time(const rh_jkr *j, double top, double a, double mass)
{
  static const double at[5] = {0.5 - 0.45308992296933193, 0.5 - 0.26923465505284155, 0.5,
                               0.5 + 0.26923465505284155, 0.5 + 0.45308992296933193};
  static const double weight[5] = {0.11846344252809454, 0.23931433524968324, 0.28444444444444444,
                                   0.23931433524968324, 0.11846344252809454};

  enum { PARTS = 2000 };

  double whole = rh_jkr_energy(j, top);
  double sum = 0;
  for (int i = 0; i < 5 * PARTS; i++) {
    double s = (i / 5 + at[i % 5]) / PARTS;
    double here = top - (top - a) * s * s;
    double speed = sqrt(2 / mass * fmax(whole - rh_jkr_energy(j, here), 0));
    double slope = fmax(rh_jkr_slope(j, here), 0);
    sum += speed > 0 ? weight[i % 5] * slope * 2 * s * (top - a) / (speed * PARTS) : 0;
  }
  return sum;
}

static rh_status solve_jkr_impact(const rh_inputs *in, rh_answer *answer)
{
  rh_jkr j;
  double m;
  double v;
  bool good = rh_jkr_read(in, input, &j);
  good = rh_input_one(in, &input[MASS], true, &m) && good;
  good = rh_input_one(in, &input[SPEED], true, &v) && good;
  if (!good) {
    return RH_INPUT_REFUSED;
  }
  double zero = rh_jkr_mark(&j, 2);
  double least = rh_jkr_mark(&j, 0.125);
  double lost = rh_jkr_energy(&j, least) - rh_jkr_energy(&j, zero);
  double top = greatest_radius(&j, zero, 0.5 * m * v * v);
  double stick = sqrt(2 * lost / m);
  bool sticks = v <= stick;
  double rebound = sticks ? 0 : sqrt((v - stick) * (v + stick));
  bool written = rh_answer_flag(answer, "sticks", sticks) &&
                 rh_answer_number(answer, "v_stick", stick) &&
                 rh_answer_number(answer, "work_lost", lost) &&
                 rh_answer_number(answer, "v_rebound", rebound) &&
                 rh_answer_number(answer, "e", rebound / v) &&
                 rh_answer_number(answer, "max_depth", rh_jkr_depth(&j, top)) &&
                 rh_answer_number(answer, "max_force", rh_jkr_force(&j, top)) &&
                 rh_answer_number(answer, "max_radius", top);
  double time = sticks ? 0 : travel_time(&j, top, zero, m) + travel_time(&j, top, least, m);
  written = written && (sticks ? rh_answer_null(answer, "contact_time")
                               : rh_answer_number(answer, "contact_time", time));
  return written ? RH_OK : RH_OUT_OF_MEMORY;
}

const rh_problem rh_problem_jkr_impact = {
    .row = {"jkr_impact", "Johnson, Kendall and Roberts 1971; Thornton and Ning 1998",
            "impact of an adhesive elastic sphere", input, RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_jkr_impact,
};
