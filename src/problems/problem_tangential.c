// problem_tangential.c: the shared part of the kinds tangential_impact and tangential_impact3.
#include "problem_tangential.h"
#include "problem_matrix.h"

#include <math.h>
#include <string.h>

enum { MU, E, ETA2 };

#define ROUNDING 1e-9 // of the largest product: a matrix that is symmetric and semidefinite to this

static const rh_param shared[] = {RH_TANGENTIAL_INPUTS};

bool rh_tangential_read(const rh_inputs *in, rh_tangential_in *posed)
{
  bool good = rh_input_one(in, &shared[MU], true, &posed->mu);
  good = rh_input_one(in, &shared[E], true, &posed->e) && good;
  return rh_input_one(in, &shared[ETA2], true, &posed->eta2) && good;
}

static double determinant_of_three(const double *W)
{
  return W[0] * (W[4] * W[8] - W[5] * W[7]) - W[1] * (W[3] * W[8] - W[5] * W[6]) +
         W[2] * (W[3] * W[7] - W[4] * W[6]);
}

static bool check_inertia(const rh_inputs *in, const double *W, int n)
{
  double product = 1;
  bool good = W[n * n - 1] > 0;
  for (int i = 0; i < n; i++) {
    product *= W[i * n + i];
    good = good && W[i * n + i] >= 0;
    for (int j = 0; j < i; j++) {
      double size = sqrt(fabs(W[i * n + i] * W[j * n + j]));
      good = good && fabs(W[i * n + j] - W[j * n + i]) <= ROUNDING * size;
      good = good && fabs(W[i * n + j]) <= size * (1 + ROUNDING);
    }
  }
  good = good && (n < 3 || determinant_of_three(W) >= -ROUNDING * product);
  return good || rh_input_refuse(in, rh_input_find(in, "W"),
                                 "W must be symmetric and positive semidefinite, with W_nn > 0");
}

bool rh_tangential_read_point(const rh_inputs *in, rh_tangential_in *posed)
{
  int n = posed->dim;
  rh_block W = {0};
  rh_block u = {0};
  bool good = rh_input_matrix(in, "W", n, n, n, &W) && check_inertia(in, W.x, n);
  good = rh_input_list(in, "u0", n, n, &u) && good;
  if (good) {
    memcpy(posed->W, W.x, (size_t)(n * n) * sizeof *posed->W);
    memcpy(posed->u, u.x, (size_t)n * sizeof *posed->u);
  }
  rh_block_free(&W);
  rh_block_free(&u);
  return good;
}

// ---- Answer

typedef struct mode_list {
  rh_json json;
  bool planar;
} mode_list;

static void write_mode(void *user, const rh_tangential_phase *phase)
{
  mode_list *list = user;
  rh_json_open_object(&list->json, NULL);
  rh_json_string(&list->json, "mode", phase->slips ? "slip" : "stick");
  if (list->planar) {
    rh_json_number(&list->json, "dir", phase->dir);
  }
  rh_json_number(&list->json, "tau0", phase->tau0);
  rh_json_number(&list->json, "tau1", phase->tau1);
  rh_json_close(&list->json);
}

static bool answer_vector(rh_answer *answer, const char *name, const double *x, int n)
{
  double *to = rh_answer_add(answer, name, 1, n, 1, 1);
  if (to != NULL) {
    memcpy(to, x, (size_t)n * sizeof *x);
  }
  return to != NULL;
}

rh_status rh_tangential_answer(const rh_inputs *in, const rh_tangential_in *posed,
                               rh_tangential_out *out, rh_answer *answer)
{
  rh_text *text = rh_answer_add_part(answer, "modes");
  if (text == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  mode_list list = {.json = rh_json_start(text, false), .planar = posed->dim == 2};
  const rh_tangential_watch watch = {.phase = write_mode, .user = &list};
  rh_json_open_array(&list.json, NULL);
  bool ended = rh_tangential_impact(posed, &watch, out);
  rh_json_close(&list.json);
  if (!ended) {
    (void)rh_input_refuse(in, in->map, "the impact did not end");
    return RH_STOPPED;
  }
  bool good = answer_vector(answer, "u", out->u, posed->dim) &&
              answer_vector(answer, "p", out->p, posed->dim) &&
              rh_answer_number(answer, "D_n", out->Dn) &&
              rh_answer_number(answer, "D_t", out->Dt) &&
              rh_answer_number(answer, "E_spring", out->spring) &&
              (isnan(out->tau_c) ? rh_answer_null(answer, "tau_c")
                                 : rh_answer_number(answer, "tau_c", out->tau_c)) &&
              rh_answer_number(answer, "tau_f", out->tau_f);
  return good && !text->failed ? RH_OK : RH_OUT_OF_MEMORY;
}
