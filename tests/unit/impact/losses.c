// unit_losses.c: what an impact at several points takes at each of them, along the normal and by
// friction. Sums are the kinetic energy lost under every formulation; friction takes and never
// gives where it opposes the slip all along the path; each point's losses are those of an
// integration of the path by plain small steps, of the pairwise impacts of a row of balls, and of
// single points where they do not see each other.
#include "free_body_impact.h"
#include "impact/impact.h"
#include "test.h"

#include <routh/routh.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 4, ROWS = 3 * POINTS };

typedef struct question {
  int n;
  double W[ROWS * ROWS], u[ROWS], mu[POINTS], e[POINTS], weight[POINTS];
} question;

typedef struct answer {
  double p[ROWS], u[ROWS], lost[2 * POINTS];
  rh_many_out out;
} answer;

static bool strike_all(const char *form, const question *q, double tolerance, answer *a)
{
  const rh_formulation *row = rh_formulation_find(form);
  double par[RH_PAR_MAX];
  double *room = malloc(row->room(q->n) * sizeof(double));
  const rh_many_in in = {.n = q->n,
                         .W = q->W,
                         .u = q->u,
                         .mu = q->mu,
                         .e = q->e,
                         .weight = q->weight,
                         .law = rh_impact_law_find("stronge"),
                         .lost = a->lost};
  rh_row_defaults(&row->row, par);
  if (row->row.nparam > 0 && tolerance > 0) {
    par[0] = tolerance;
  }
  bool good = row->strike(&in, par, room, a->p, a->u, &a->out);
  free(room);
  return good;
}

// A body of any inertia that comes down on 2 to 4 points of its base
static void chance_question(uint64_t *state, question *q)
{
  static striker b;
  const double inertia[3] = {within(state, 0.02, 0.05), within(state, 0.02, 0.05),
                             within(state, 0.02, 0.05)};
  double point[3 * POINTS];
  rh_mat3 R = rh_rpy_matrix(within(state, -1, 1), within(state, -1, 1), 0);
  b.n = q->n = 2 + (int)(3 * chance(state));
  b.v = rh_v3(within(state, -1, 1), within(state, -1, 1), -1);
  b.w = rh_v3(within(state, -2, 2), within(state, -2, 2), within(state, -2, 2));
  for (int i = 0; i < 3 * b.n; i++) {
    point[i] = i % 3 == 2 ? -0.15 : within(state, -0.2, 0.2);
  }
  striker_make(&b, 2, inertia, &R, point);
  memcpy(q->W, b.W, 9 * (size_t)(b.n * b.n) * sizeof(double));
  memcpy(q->u, b.u, 3 * (size_t)b.n * sizeof(double));
  for (int i = 0; i < b.n; i++) {
    q->mu[i] = chance(state) < 0.1 ? 0 : within(state, 0, 0.8);
    q->e[i] = chance(state);
    q->weight[i] = within(state, 0.5, 2);
  }
}

static bool approaches(const question *q)
{
  bool any = false;
  for (int i = 0; i < q->n; i++) {
    any = any || q->u[3 * i + 2] < 0;
  }
  return any;
}

// Does friction oppose the slip all along? A sequence: as long as points strike one by one, which
// chance makes them do but for the last impact, a plastic one of what hardly moves.
static bool opposes(const char *form)
{
  return rh_formulation_find(form)->row.nparam > 0 || strcmp(form, "sequential") == 0;
}

START_TEST(sums)
{
  static question q;
  static answer a;
  int count = 0;
  const rh_formulation *row = rh_formulation_table(&count)[_i];
  const char *form = row->row.name;
  uint64_t state = 88172645463325252ULL + (uint64_t)_i;
  for (int i = 0; i < rh_trials(1000); i++) {
    double change = 0;
    double moved = 0;
    double sum[2] = {0};
    chance_question(&state, &q);
    (void)strike_all(form, &q, 0, &a);
    for (int k = 0; k < 3 * q.n; k++) {
      change += 0.5 * a.p[k] * (q.u[k] + a.u[k]);
      moved += fabs(a.p[k]) * (fabs(q.u[k]) + fabs(a.u[k]));
    }
    for (int k = 0; k < 2 * q.n; k++) {
      sum[k % 2] += a.lost[k];
      ck_assert_msg(k % 2 == 0 || !opposes(form) || a.lost[k] >= -1e-14 * moved,
                    "%s, trial %d: friction gave %g of %g J", form, i, -a.lost[k], moved);
      ck_assert_msg(q.mu[k / 2] > 0 || k % 2 == 0 || a.lost[k] == 0, "%s: no friction takes %g J",
                    form, a.lost[k]);
    }
    ck_assert_msg(fabs(sum[0] + sum[1] + change) <= 1e-12 * moved,
                  "%s, trial %d: %.17g + %.17g J of %.17g", form, i, sum[0], sum[1], -change);
    near_abs(sum[0], a.out.Dn, 1e-12 * moved);
    near_abs(sum[1], a.out.Dt, 1e-12 * moved);
    ck_assert(approaches(&q) || (sum[0] == 0 && sum[1] == 0));
  }
}

END_TEST

// ---- The path by small steps

typedef struct rule {
  const char *form;
  bool springs, local;
} rule;

typedef struct walk { // along the path, by plain steps of Heun's method in time
  const question *q;
  const rule *rule;
  double u[ROWS], lam[POINTS], lost[2 * POINTS], back[POINTS];
  double Wn;
} walk;

// Rates of velocities and works; springs: of lam too. All points that bear slip.
static void rates(const walk *w, const double *u, const double *lam, double *du, double *lost)
{
  const question *q = w->q;
  const int rows = 3 * q->n;
  double f[ROWS] = {0};
  for (int i = 0; i < q->n; i++) {
    double s = hypot(u[3 * i], u[3 * i + 1]);
    f[3 * i] = -q->mu[i] * lam[i] * u[3 * i] / s;
    f[3 * i + 1] = -q->mu[i] * lam[i] * u[3 * i + 1] / s;
    f[3 * i + 2] = lam[i];
    lost[2 * i] = -lam[i] * u[3 * i + 2];
    lost[2 * i + 1] = q->mu[i] * lam[i] * s;
  }
  for (int i = 0; i < rows; i++) {
    du[i] = 0;
    for (int j = 0; j < rows; j++) {
      du[i] += q->W[i * rows + j] * f[j];
    }
  }
}

static void stiffness(const question *q, double *kappa)
{
  double sum = 0;
  for (int i = 0; i < q->n; i++) {
    sum += q->weight[i];
  }
  for (int i = 0; i < q->n; i++) {
    kappa[i] = q->weight[i] * q->n / sum;
  }
}

// One step; the normal work over it is returned.
static double take_step(walk *w, const double *kappa, double h)
{
  const question *q = w->q;
  double u[ROWS];
  double lam[POINTS];
  double du[2][ROWS];
  double lost[2][2 * POINTS];
  double dlam[2][POINTS] = {{0}};
  double work = 0;
  memcpy(u, w->u, sizeof u);
  memcpy(lam, w->lam, sizeof lam);
  for (int s = 0; s < 2; s++) {
    rates(w, u, lam, du[s], lost[s]);
    for (int i = 0; i < q->n && w->rule->springs; i++) {
      double soft = w->back[i] > 0 ? q->e[i] * q->e[i] : 1;
      bool open = w->lam[i] == 0 && w->u[3 * i + 2] >= 0;
      dlam[s][i] = open ? 0 : -kappa[i] * u[3 * i + 2] / soft;
    }
    for (int i = 0; i < 3 * q->n; i++) {
      u[i] = w->u[i] + h * du[s][i];
    }
    for (int i = 0; i < q->n; i++) {
      lam[i] = fmax(w->lam[i] + h * dlam[s][i], 0);
    }
  }
  for (int i = 0; i < 3 * q->n; i++) {
    w->u[i] += 0.5 * h * (du[0][i] + du[1][i]);
  }
  for (int i = 0; i < q->n; i++) {
    w->lam[i] = fmax(w->lam[i] + 0.5 * h * (dlam[0][i] + dlam[1][i]), 0);
    w->back[i] = w->rule->local && w->u[3 * i + 2] > 0 && w->lam[i] > 0;
  }
  for (int i = 0; i < 2 * q->n; i++) {
    double part = 0.5 * h * (lost[0][i] + lost[1][i]);
    w->lost[i] += part;
    work -= i % 2 == 0 ? part : 0;
  }
  return work;
}

// One event, up to where e^2 of the work of compression is given back; or until all springs are let
// off.
static void follow(walk *w, double h)
{
  const question *q = w->q;
  double kappa[POINTS];
  double Wc = 0;
  stiffness(q, kappa);
  for (int i = 0; i < q->n && !w->rule->springs; i++) {
    w->lam[i] = 1.0 / q->n;
  }
  for (int step = 0; step < 10000000; step++) {
    double before = w->Wn;
    double bearing = 0;
    w->Wn += take_step(w, kappa, h);
    for (int i = 0; i < q->n; i++) {
      bearing = fmax(bearing, w->lam[i]);
    }
    if (w->Wn < before) {
      Wc = w->Wn;
    } else if (!w->rule->local && w->Wn >= (1 - q->e[0] * q->e[0]) * Wc) {
      return;
    }
    if (w->rule->springs && step > 0 && bearing == 0) {
      return;
    }
  }
  ck_abort_msg("the path does not end");
}

// Two or three points that slip all along: fast at first, little friction. One e, so that all end
// together.
static void slipping(uint64_t *state, question *q)
{
  do {
    chance_question(state, q);
    double e = within(state, 0.3, 0.9);
    for (int i = 0; i < q->n; i++) {
      q->u[3 * i] += 3;
      q->mu[i] = within(state, 0.05, 0.25);
      q->e[i] = e;
    }
  } while (q->n > 3 || !(q->u[2] < -0.2 && q->u[5] < -0.2 && (q->n < 3 || q->u[8] < -0.2)));
}

START_TEST(integrated)
{
  static const rule rules[] = {
      {"fixed-split", false, false}, {"winkler-global", true, false}, {"winkler", true, true}};
  static question q;
  static answer a;
  const rule *r = &rules[_i];
  uint64_t state = 20261116;
  int met = 0;
  for (int i = 0; i < 6; i++) {
    walk w = {.q = &q, .rule = r};
    slipping(&state, &q);
    memcpy(w.u, q.u, sizeof w.u);
    ck_assert(strike_all(r->form, &q, 1e-10, &a));
    follow(&w, r->springs ? 1e-5 : 2e-6);
    if (a.out.impacts > 1) {
      continue; // another event: only the first is followed here
    }
    met++;
    // Heun's error, and the end of the path and the springs' is known to a step: 1e-5 of the time
    // it takes, some 1
    near_array(a.lost, w.lost, 2 * q.n, 3e-5, 1e-4);
    near_array(a.u, w.u, 3 * q.n, 1e-4, 1e-4);
  }
  ck_assert_int_ge(met, 3);
}

END_TEST

// ---- Sequences

// Three equal balls in a row: pairwise impacts, in a loop of its own; a pair loses m (1 - e^2)/4 of
// its speed of approach squared.
START_TEST(row_of_balls)
{
  const double e = 0.5;
  double v[3] = {1, 0, 0};
  double want[2] = {0};
  question q = {.n = 2, .mu = {0, 0}, .e = {e, e}, .weight = {1, 1}};
  answer a;
  for (int i = 0; i < 6; i++) { // one kilogram each; tangents do not couple
    for (int j = 0; j < 6; j++) {
      q.W[6 * i + j] = i % 3 != j % 3 ? 0 : i == j ? 2 : i % 3 == 2 ? -1 : 0;
    }
  }
  q.u[2] = -1;
  ck_assert(strike_all("sequential", &q, 0, &a));
  for (int k = 0; k < 1000; k++) {
    double w[2] = {v[0] - v[1], v[1] - v[2]};
    int i = w[0] >= w[1] ? 0 : 1;
    if (w[i] <= 1e-9) {
      break;
    }
    double middle = 0.5 * (v[i] + v[i + 1]);
    want[i] += 0.25 * (1 - e * e) * w[i] * w[i];
    v[i] = middle - 0.5 * e * w[i];
    v[i + 1] = middle + 0.5 * e * w[i];
  }
  const double losses[] = {want[0], 0, want[1], 0};
  near_array(a.lost, losses, 4, 1e-12, 0);
}

END_TEST

// Points that do not see each other: each as if it were alone, whichever comes first.
START_TEST(apart)
{
  static question q;
  answer a;
  uint64_t state = 5;
  for (int trial = 0; trial < 50; trial++) {
    double want[4];
    q = (question){.n = 2};
    for (int i = 0; i < 2; i++) {
      static striker b;
      const double inertia[3] = {within(&state, 0.02, 0.05), 0.03, within(&state, 0.02, 0.05)};
      const double point[3] = {within(&state, -0.2, 0.2), within(&state, -0.2, 0.2), -0.15};
      rh_mat3 R = rh_mat3_identity();
      rh_point_out out;
      rh_point_in in = {.mu_s = within(&state, 0, 0.8), .e = chance(&state)};
      b.n = 1;
      b.v = rh_v3(within(&state, -1, 1), within(&state, -1, 1), -2);
      b.w = rh_v3(within(&state, -1, 1), within(&state, -1, 1), within(&state, -1, 1));
      striker_make(&b, 2, inertia, &R, point);
      in.mu_k = in.mu_s;
      memcpy(in.W, b.W, sizeof in.W);
      memcpy(in.u, b.u, sizeof in.u);
      ck_assert(rh_point_impact(rh_impact_law_find("stronge"), &in, &out));
      want[2 * i] = out.Dn;
      want[2 * i + 1] = out.Dt;
      q.mu[i] = in.mu_s;
      q.e[i] = in.e;
      q.weight[i] = 1;
      for (int k = 0; k < 9; k++) {
        q.W[6 * (3 * i + k / 3) + 3 * i + k % 3] = in.W[k];
      }
      memcpy(q.u + (ptrdiff_t)3 * i, in.u, sizeof in.u);
    }
    ck_assert(strike_all("sequential", &q, 0, &a));
    near_array(a.lost, want, 4, 1e-11, 0);
  }
}

END_TEST

Suite *rh_suite_unit_losses(void)
{
  int count = 0;
  (void)rh_formulation_table(&count);
  Suite *suite = suite_create("unit_losses");
  TCase *tests = tcase_create("losses");
  tcase_add_loop_test(tests, sums, 0, count);
  tcase_add_loop_test(tests, integrated, 0, 3);
  tcase_add_test(tests, row_of_balls);
  tcase_add_test(tests, apart);
  suite_add_tcase(suite, tests);
  return suite;
}
