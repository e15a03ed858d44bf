// A cylinder on an elastic half-plane cut into strips, pressed with a given load. [WK] 4.2, 4.6
#include "problem_patch.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

enum { R, ESTAR, P, N, WIDTH };

static const rh_param input[] = {
    RH_PATCH_R, RH_PATCH_ESTAR, RH_PATCH_P, RH_PATCH_N, RH_PATCH_WIDTH,
};

static const rh_output output[] = {
    {"p_max", "Pa", "", "greatest pressure of a strip"},
    {"p0", "Pa", "", "greatest pressure of Hertz"},
    {"a", "m", "", "half-width of Hertz"},
    {"half_width", "m", "", "half the width of the strips in contact"},
    {"h", "m", "", "width of a strip"},
};

enum { STRIPS = RH_PATCH_MAX };

typedef struct line { // lengths over Hertz's a, displacements over a^2 / R, forces over E* a^2 / R
  double kernel[2 * STRIPS - 1], gap[STRIPS], f[STRIPS];
  double room[10 * STRIPS];
} line;

static rh_status press_line(const rh_inputs *in, int n, double h, line *l)
{
  double delta = 0;
  RH_ASSERT(rh_press_room(n) <= (size_t)RH_COUNT(l->room));
  rh_patch patch = rh_patch_line(n, h, 1, l->kernel);
  for (int i = 0; i < n; i++) {
    double x = (i - 0.5 * (n - 1)) * h;
    l->gap[i] = 0.5 * x * x;
  }
  rh_press_task task = {l->gap, PI / 4, 1e-12, 0}; // the load: a^2 = 4 P R / (pi E*)
  rh_patch_result result = rh_patch_press(&patch, &task, l->room, l->f, &delta);
  return result.solved ? RH_OK : rh_patch_failed(in);
}

static rh_status solve_patch_line(const rh_inputs *in, rh_answer *answer)
{
  double value[RH_PAR_MAX];
  if (!rh_plain_inputs(in, value)) {
    return RH_INPUT_REFUSED;
  }
  line *l = rh_alloc(sizeof *l);
  if (l == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  int n = (int)value[N];
  double h = 2 * value[WIDTH] / n;
  rh_status status = press_line(in, n, h, l);
  double most = 0;
  int strips = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, l->f[i]);
    strips += l->f[i] > 0;
  }
  rh_free(l);
  rh_hertz hertz = rh_hertz_line(value[R], value[ESTAR], value[P]);
  double a = hertz.radius;
  const double number[] = {most / h * value[ESTAR] * a / value[R], hertz.peak, a,
                           0.5 * strips * h * a, h * a};
  for (int i = 0; status == RH_OK && i < RH_COUNT(number); i++) {
    status = rh_answer_number(answer, output[i].name, number[i]) ? RH_OK : RH_OUT_OF_MEMORY;
  }
  return status;
}

const rh_problem rh_problem_patch_line = {
    .row = {"patch_line", "[WK] 4.6-4.7", "a cylinder on elastic ground divided into strips", input,
            RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_patch_line,
};
