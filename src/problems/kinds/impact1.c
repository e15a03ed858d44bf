// One impact at one point in space, by its contact-space inertia K: the impulse path of Keller and
// Stronge with friction, along which the direction of slip turns; its events are listed in order.
// Rows t1, t2, n.
#include "impact/impact.h"
#include "problems/problem_matrix.h"

#include <math.h>
#include <string.h>

static const rh_param input[] = {
    {.name = "K", .unit = "1/kg", .type = RH_TEXT, .doc = "3 rows of 3 numbers, symmetric"},
    {.name = "v", .unit = "m/s", .type = RH_LIST, .doc = "velocity before (3)"},
    {.name = "mu", .unit = "1", .def = 0, .lo = 0, .hi = 1e6, .doc = "friction; required"},
    {.name = "e",
     .unit = "1",
     .def = 0,
     .lo = -1,
     .hi = 1,
     .doc = "coefficient of restitution; < 0: the impact ends in compression; required"},
    {.name = "law",
     .unit = "1",
     .type = RH_TEXT,
     .doc = "energetic, poisson or newton; default: energetic"},
};

enum { K, V, MU, E, LAW };

static const rh_output output[] = {
    {"v", "m/s", "3", "velocity after"},
    {"p", "N s", "3", "impulse"},
    {"p_n_compression", "N s", "", "normal impulse at the (last) end of compression"},
    {"W_n_compression", "J", "", "its work there"},
    {"W_n", "J", "", "work of the normal impulse in all"},
    {"W_t", "J", "", "work of friction"},
    {"path", "1", "word",
     "slip, slip>stick, slip>reverse, stick, start-slip (from rest), free (no friction)"},
    {"shifts", "1", "", "number of times that compression began again"},
    {"slip_speed", "m/s", "", "after"},
    {"slip_angle", "rad", "", "its direction; null where there is none"},
    {"events", "N s, rad", "list", "{kind, pn, phi, phase} on the path, in its order"},
};

static const rh_impact_law *read_law(const rh_inputs *in)
{
  static const char *const word[] = {"energetic", "stronge", "poisson", "newton"};
  int node = rh_input_find(in, "law");
  const char *name = node == RH_NONE ? word[0] : rh_input_text(in, node, "law");
  for (int i = 0; i < RH_COUNT(word) && name != NULL; i++) {
    if (strcmp(name, word[i]) == 0) {
      return rh_impact_law_find(i == 0 ? "stronge" : word[i]);
    }
  }
  if (name != NULL) {
    (void)rh_input_refuse(in, node, "law must be one of energetic, poisson, newton");
  }
  return NULL;
}

static bool check_inertia(const rh_inputs *in, const double *W)
{
  bool good = W[0] >= 0 && W[4] >= 0 && W[8] > 0;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < i; j++) {
      double size = sqrt(fabs(W[4 * i] * W[4 * j]));
      good = good && fabs(W[3 * i + j] - W[3 * j + i]) <= 1e-9 * size;
      good = good && fabs(W[3 * i + j]) <= size * (1 + 1e-9);
    }
  }
  return good || rh_input_refuse(in, rh_input_find(in, "K"),
                                 "K must be symmetric and positive semidefinite, K[2][2] > 0");
}

static bool read_all(const rh_inputs *in, rh_point_in *point)
{
  rh_block W = {0};
  rh_block u = {0};
  bool good = rh_input_matrix(in, "K", 3, 3, 3, &W) && check_inertia(in, W.x);
  good = rh_input_list(in, "v", 3, 3, &u) && good;
  good = rh_input_one(in, &input[MU], true, &point->mu_k) && good;
  good = rh_input_one(in, &input[E], true, &point->e) && good;
  point->mu_s = point->mu_k;
  if (good) {
    memcpy(point->W, W.x, sizeof point->W);
    memcpy(point->u, u.x, sizeof point->u);
  }
  rh_block_free(&W);
  rh_block_free(&u);
  return good;
}

static const char *path_of(const rh_point_in *in, const rh_point_out *out, const rh_point_log *log)
{
  bool slips = in->u[0] != 0 || in->u[1] != 0;
  bool stops = false;
  bool begins = false;
  for (int i = 0; i < log->n; i++) {
    stops = stops || log->at[i].kind == RH_TURN_STOP;
    begins = begins || log->at[i].kind == RH_TURN_SLIP;
  }
  if (in->mu_k == 0) {
    return "free";
  }
  if (!slips) {
    return begins ? "start-slip" : "stick";
  }
  return !stops ? "slip" : out->stuck ? "slip>stick" : "slip>reverse";
}

static bool write_events(const rh_point_log *log, rh_answer *answer)
{
  static const char *const word[] = {"stop", "reverse", "compression_end", "shift"};
  rh_text *text = rh_answer_add_part(answer, "events");
  if (text == NULL) {
    return false;
  }
  rh_json json = rh_json_start(text, false);
  rh_json_open_array(&json, NULL);
  for (int i = 0; i < log->n; i++) {
    rh_point_turn kind = log->at[i].kind;
    rh_json_open_object(&json, NULL);
    rh_json_string(&json, "kind", word[kind]);
    rh_json_number(&json, "pn", log->at[i].pn);
    if (kind == RH_TURN_STOP || kind == RH_TURN_SLIP) {
      rh_json_number(&json, "phi", log->at[i].phi);
    }
    if (kind == RH_TURN_STOP) {
      rh_json_string(&json, "phase", log->at[i].compressing ? "compression" : "restitution");
    }
    rh_json_close(&json);
  }
  rh_json_close(&json);
  return !text->failed;
}

static bool answer_all(const rh_point_in *in, const rh_point_out *out, const rh_point_log *log,
                       rh_answer *answer)
{
  double *v = rh_answer_add(answer, "v", 1, 3, 1, 1);
  double *p = rh_answer_add(answer, "p", 1, 3, 1, 1);
  double slip = rh_hypot(out->u[0], out->u[1]);
  if (v == NULL || p == NULL) {
    return false;
  }
  memcpy(v, out->u, sizeof out->u);
  memcpy(p, out->p, sizeof out->p);
  return rh_answer_number(answer, "p_n_compression", out->Pc) &&
         rh_answer_number(answer, "W_n_compression", out->Wc) &&
         rh_answer_number(answer, "W_n", -out->Dn) && rh_answer_number(answer, "W_t", -out->Dt) &&
         rh_answer_word(answer, "path", path_of(in, out, log)) &&
         rh_answer_number(answer, "shifts", out->shifts) &&
         rh_answer_number(answer, "slip_speed", slip) &&
         (slip > 0 ? rh_answer_number(answer, "slip_angle", rh_atan2(out->u[1], out->u[0]))
                   : rh_answer_null(answer, "slip_angle")) &&
         write_events(log, answer);
}

static rh_status solve_impact1(const rh_inputs *in, rh_answer *answer)
{
  rh_point_in point = {.mu_k = 0};
  rh_point_out out;
  rh_point_log log;
  const rh_impact_law *law = read_law(in);
  if (!read_all(in, &point) || law == NULL) {
    return RH_INPUT_REFUSED;
  }
  if (!rh_point_follow(law, &point, &out, &log)) {
    (void)rh_input_refuse(in, in->map, "the impact did not end");
    return RH_STOPPED;
  }
  return answer_all(&point, &out, &log, answer) ? RH_OK : RH_OUT_OF_MEMORY;
}

const rh_problem rh_problem_impact1 = {
    .row = {"impact1", "[Ch] 2.21-2.33*", "one impact at one point in space, by its inertia", input,
            RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_impact1,
};
