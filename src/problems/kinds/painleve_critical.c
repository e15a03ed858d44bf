// Critical values of Painleve's rod: p < 0 with k = I / (m l^2) means k tan^2 - mu tan + 1 + k < 0,
// so there are such angles for mu > 2 sqrt(k (1 + k)), between the roots; the first is atan(mu / (2
// k)).
#include "problems/problem_painleve.h"

#include <math.h>

enum { MOST = 1000 };

static const rh_param input[] = {
    RH_ROD_INPUTS,
    {.name = "mu",
     .unit = "1",
     .type = RH_LIST,
     .doc = "coefficients of friction for which the angles are computed; default: none"},
};

static const rh_output output[] = {
    {"mu_critical", "1", "", "below this friction p > 0 at every angle"},
    {"theta_critical", "rad", "", "the angle at which p reaches zero first"},
    {"intervals", "1", "maps",
     "mu, theta_range: angles between which p < 0, null if there are none"},
};

static void write_one(double k, double mu, rh_json *json)
{
  double root = mu * mu - 4 * k * (1 + k);
  rh_json_open_object(json, NULL);
  rh_json_number(json, "mu", mu);
  if (root > 0) {
    double far = 0.5 * (mu + sqrt(root)); // the smaller root by the product of both, k (1 + k)
    const double range[2] = {rh_atan((1 + k) / far), rh_atan(far / k)};
    rh_json_numbers(json, "theta_range", range, 2);
  } else {
    rh_json_null(json, "theta_range");
  }
  rh_json_close(json);
}

static rh_status solve_painleve_critical(const rh_inputs *in, rh_answer *answer)
{
  rh_rod rod;
  rh_block mu = {0};
  bool good = rh_rod_read(in, &rod);
  if (rh_input_given(in, "mu")) {
    good = rh_input_list(in, "mu", RH_NONE, MOST, &mu) && good;
  }
  for (int i = 0; good && i < mu.rows; i++) {
    if (mu.x[i] < 0) {
      good = rh_input_refuse(in, rh_input_find(in, "mu"), "mu[%d] must be >= 0", i);
    }
  }
  if (!good) {
    rh_block_free(&mu);
    return RH_INPUT_REFUSED;
  }
  double k = rod.I / (rod.m * rod.l * rod.l);
  double critical = 2 * sqrt(k * (1 + k));
  good = rh_answer_number(answer, "mu_critical", critical) &&
         rh_answer_number(answer, "theta_critical", rh_atan(critical / (2 * k)));
  rh_text *part = good ? rh_answer_add_part(answer, "intervals") : NULL;
  if (part != NULL) {
    rh_json json = rh_json_start(part, false);
    rh_json_open_array(&json, NULL);
    for (int i = 0; i < mu.rows; i++) {
      write_one(k, mu.x[i], &json);
    }
    rh_json_close(&json);
  }
  rh_block_free(&mu);
  return part == NULL || part->failed ? RH_OUT_OF_MEMORY : RH_OK;
}

const rh_problem rh_problem_painleve_critical = {
    .row = {"painleve_critical", "[WK] 2.4",
            "friction and angles from which Painleve's rod has no unique motion", input,
            RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_painleve_critical,
};
