// Impacts, microseconds each (medians): one point in space along its path, and a robot of 34 degrees of freedom that comes down on one
// sole with 8 points, contact matrices included, by formulation. Prints TSV as the peers do: scene, engine, metric, value.
// `impact MODEL`: models/atlas.yaml.
// `impact MODEL TRIALS [ROW]`: a long check instead. The robot in any pose comes down on one sole or both, 4 or 8 points each, TRIALS times
// by every formulation (or one): how many are not solved, and the worst of the balance of work, of the cones, of what still approaches,
// of energy created and not marked, of the work of friction against that along the course (rows that tell of one, a tenth of the trials), and
// of the same with the points in another order. Relative to the largest; a line a row.
#include "impact/impact.h"

#include <routh/routh.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 301, POINTS = 8, ROWS = 3 * POINTS, NV = 34 };

static double cpu_now(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a;
  double y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *x, int n)
{
  qsort(x, (size_t)n, sizeof *x, compare);
  return x[n / 2];
}

static double next_random(uint64_t *x)
{
  *x = *x * 6364136223846793005u + 1442695040888963407u;
  return (double)(*x >> 11) * 0x1p-53;
}

static double within(uint64_t *x, double lo, double hi)
{
  return lo + (hi - lo) * next_random(x);
}

// W = 1/m - [r] I^-1 [r] of a point of a free body
static void point(uint64_t *x, rh_point_in *in)
{
  rh_vec3 r = rh_v3(within(x, -0.2, 0.2), within(x, -0.2, 0.2), within(x, -0.3, -0.1));
  double I[3] = {within(x, 0.02, 0.05), within(x, 0.02, 0.05), within(x, 0.02, 0.05)};
  for (int j = 0; j < 3; j++) {
    rh_vec3 p = rh_v3(j == 0, j == 1, j == 2);
    rh_vec3 t = rh_cross(r, p);
    rh_vec3 u = rh_addscaled(rh_cross(rh_v3(t.x / I[0], t.y / I[1], t.z / I[2]), r), 0.5, p);
    in->W[j] = u.x;
    in->W[3 + j] = u.y;
    in->W[6 + j] = u.z;
  }
  in->u[0] = within(x, -1, 1);
  in->u[1] = within(x, -1, 1);
  in->u[2] = -1;
  in->mu_s = in->mu_k = within(x, 0, 1);
  in->e = next_random(x);
}

// Each by itself, many times over: they differ (straight slip, curved slip, stick).
static void one_point(const char *label)
{
  enum { EACH = 100 };

  static double us[ROUNDS];
  uint64_t x = 7;
  rh_point_in in;
  rh_point_out out;
  double sum = 0;
  for (int r = 0; r < ROUNDS; r++) {
    point(&x, &in);
    double start = cpu_now();
    for (int i = 0; i < EACH; i++) {
      (void)rh_point_impact(rh_impact_law_find("stronge"), &in, &out);
      sum += out.u[2];
    }
    us[r] = (cpu_now() - start) * 1e6 / EACH;
  }
  if (sum == 0) {
    exit(4);
  }
  printf("impact\t%s\tus_one_point\t%.6g\n", label, median(us, ROUNDS));
  printf("impact\t%s\tus_one_point_slowest\t%.6g\n", label, us[ROUNDS - 1]);
}

typedef struct robot {
  rh_model *model;
  rh_data *d;
  rh_model_point point[POINTS];
  double work[ROWS * NV], W[ROWS * ROWS], u[ROWS], mu[POINTS], e[POINTS], p[ROWS], after[ROWS];
} robot;

static void sole(robot *b)
{
  static const int edge[4][2] = {{0, 1}, {1, 3}, {3, 2}, {2, 0}};
  for (int i = 0; i < 4; i++) {
    b->point[i] = b->model->point[i];
    b->point[4 + i] = b->model->point[edge[i][0]];
    b->point[4 + i].at =
        rh_scale(0.5, rh_add(b->model->point[edge[i][0]].at, b->model->point[edge[i][1]].at));
  }
}

static void strike(robot *b, const rh_formulation *form, const double *par, double *room)
{
  rh_many_out out;
  rh_contact_inertia(b->d, POINTS, b->point, b->work, b->W);
  for (int k = 0; k < POINTS; k++) {
    rh_vec3 u = rh_point_velocity(b->d, b->point[k].body, b->point[k].at);
    b->u[3 * k] = u.x;
    b->u[3 * k + 1] = u.y;
    b->u[3 * k + 2] = u.z;
    b->mu[k] = 0.8;
    b->e[k] = 0.3;
  }
  const rh_many_in in = {.n = POINTS,
                         .W = b->W,
                         .u = b->u,
                         .mu = b->mu,
                         .e = b->e,
                         .law = rh_impact_law_find("poisson")};
  if (!form->strike(&in, par, room, b->p, b->after, &out)) {
    (void)fprintf(stderr, "impact: %s gave up\n", form->row.name);
  }
}

static void foot(const char *label, const char *path)
{
  static robot b;
  static double us[ROUNDS];
  rh_scene *scene = NULL;
  int count;
  const rh_formulation *const *table = rh_formulation_table(&count);
  if (rh_scene_load(path, NULL, 0, NULL, &scene) != RH_OK ||
      rh_scene_compile(scene, NULL, &b.model) != RH_OK || b.model->nv != NV) {
    (void)fprintf(stderr, "impact: %s is not the robot\n", path);
    exit(3);
  }
  b.d = rh_data_create(b.model);
  sole(&b);
  for (int f = 0; f < count; f++) {
    double par[RH_PAR_MAX];
    double *room = malloc(table[f]->room(POINTS) * sizeof *room);
    uint64_t x = 11;
    rh_row_defaults(&table[f]->row, par);
    for (int r = 0; r < ROUNDS; r++) {
      for (int i = 0; i < NV; i++) {
        b.d->v[i] = within(&x, -0.1, 0.1);
      }
      b.d->v[2] = -0.5;
      rh_kinematics(b.d);
      rh_mass_matrix(b.d);
      rh_mass_factor(b.d);
      double start = cpu_now();
      strike(&b, table[f], par, room);
      us[r] = (cpu_now() - start) * 1e6;
    }
    printf("impact\t%s\tus_foot_8_%s\t%.6g\n", label, table[f]->row.name, median(us, ROUNDS));
    free(room);
  }
  rh_data_destroy(b.d);
  rh_model_destroy(b.model);
  rh_scene_destroy(scene);
}

// ---- The long check

enum { MOST = 16, MANY = 3 * MOST };

typedef struct question {
  int n;
  double W[MANY * MANY], u[MANY], mu[MOST], e[MOST], weight[MOST];
} question;

typedef struct answer {
  double p[MANY], u[MANY];
  rh_many_out out;
  double Wt; // of friction along the course; NaN: not known
  bool good;
} answer;

typedef struct worst {
  int unsolved, unmarked;
  double work, cone, approach, gained, rub, order;
} worst;

static void pose(rh_data *d, uint64_t *x)
{
  for (int i = 7; i < d->model->nq; i++) {
    d->q[i] = within(x, -0.5, 0.5);
  }
}

static int soles(const rh_model *m, int feet, bool middles, rh_model_point *to)
{
  static const int edge[4][2] = {{0, 1}, {1, 3}, {3, 2}, {2, 0}};
  int n = 0;
  for (int f = 0; f < feet; f++) {
    const rh_model_point *corner = m->point + 4 * f;
    for (int i = 0; i < (middles ? 8 : 4); i++) {
      to[n] = corner[i < 4 ? i : edge[i - 4][0]];
      if (i >= 4) {
        to[n].at = rh_scale(0.5, rh_add(to[n].at, corner[edge[i - 4][1]].at));
      }
      n++;
    }
  }
  return n;
}

static void ask(rh_data *d, uint64_t *x, question *q)
{
  static double work[MANY * NV];
  rh_model_point point[MOST];
  for (int i = 0; i < NV; i++) {
    d->v[i] = within(x, -0.3, 0.3);
  }
  d->v[2] -= 0.5;
  rh_kinematics(d);
  rh_mass_matrix(d);
  rh_mass_factor(d);
  int feet = next_random(x) < 0.5 ? 1 : 2;
  q->n = soles(d->model, feet, next_random(x) < 0.5, point);
  rh_contact_inertia(d, q->n, point, work, q->W);
  double mu = next_random(x) < 0.2 ? 0 : next_random(x);
  double e = next_random(x);
  for (int k = 0; k < q->n; k++) {
    rh_vec3 u = rh_point_velocity(d, point[k].body, point[k].at);
    q->u[3 * k] = u.x;
    q->u[3 * k + 1] = u.y;
    q->u[3 * k + 2] = u.z;
    q->mu[k] = mu;
    q->e[k] = e;
    q->weight[k] = within(x, 0.5, 2);
  }
}

static void reorder(const question *q, const int *to, question *other)
{
  const int N = 3 * q->n;
  other->n = q->n;
  for (int r = 0; r < N; r++) {
    int at = 3 * to[r / 3] + r % 3;
    other->u[at] = q->u[r];
    for (int s = 0; s < N; s++) {
      other->W[at * N + 3 * to[s / 3] + s % 3] = q->W[r * N + s];
    }
  }
  for (int k = 0; k < q->n; k++) {
    other->mu[to[k]] = q->mu[k];
    other->e[to[k]] = q->e[k];
    other->weight[to[k]] = q->weight[k];
  }
}

static void hear(void *user, const rh_many_at *at)
{
  *(double *)user = at->Wt;
}

static void answer_to(const rh_formulation *form, const question *q, bool follow, double *room,
                      answer *a)
{
  const rh_many_trace trace = {hear, &a->Wt};
  double par[RH_PAR_MAX];
  const rh_many_in in = {.n = q->n,
                         .W = q->W,
                         .u = q->u,
                         .mu = q->mu,
                         .e = q->e,
                         .weight = q->weight,
                         .law = rh_impact_law_find("stronge"),
                         .trace = follow ? &trace : NULL};
  rh_row_defaults(&form->row, par);
  a->Wt = (double)NAN;
  a->good = form->strike(&in, par, room, a->p, a->u, &a->out);
}

static void judge(const rh_formulation *form, const question *q, const answer *a, worst *to)
{
  double moved = 0;
  double change = 0;
  double fast = 0;
  double most = 0;
  for (int i = 0; i < 3 * q->n; i++) {
    fast = fmax(fast, fabs(q->u[i]));
    most = fmax(most, fabs(a->p[i]));
    moved += fabs(a->p[i]) * (fabs(q->u[i]) + fabs(a->u[i]));
    change += 0.5 * a->p[i] * (q->u[i] + a->u[i]);
  }
  to->unsolved += !a->good;
  to->work = fmax(to->work, fabs(change + a->out.Dn + a->out.Dt) / moved);
  to->rub = a->Wt == a->Wt ? fmax(to->rub, fabs(a->Wt + a->out.Dt) / moved) : to->rub;
  to->gained = form->passive ? fmax(to->gained, change / moved) : 0;
  to->unmarked += !form->passive && change > 1e-8 * moved && !a->out.gained;
  for (int i = 0; i < q->n; i++) {
    const double *p = a->p + 3 * i;
    double over = hypot(p[0], p[1]) - q->mu[i] * p[2];
    to->cone = fmax(to->cone, fmax(over, -p[2]) / most);
    // without friction compression and restitution together may leave a point approaching: asked again (impact.h)
    if (q->mu[0] > 0 || form->plastic || !(form->by_law || form->alone)) {
      to->approach = fmax(to->approach, -a->u[3 * i + 2] / fast);
    }
  }
}

static void check_row(const rh_formulation *form, rh_data *d, int trials)
{
  static question q;
  static question other;
  static answer a;
  static answer b;
  double *room = malloc(form->room(MOST) * sizeof *room);
  uint64_t x = 5;
  worst w = {0};
  for (int trial = 0; trial < trials; trial++) {
    int to[MOST];
    double fast = 0;
    double apart = 0;
    pose(d, &x);
    ask(d, &x, &q);
    for (int k = 0; k < q.n; k++) {
      int j = (int)((k + 1) * next_random(&x));
      to[k] = to[j];
      to[j] = k;
    }
    answer_to(form, &q, trial % 10 == 0, room, &a);
    judge(form, &q, &a, &w);
    reorder(&q, to, &other);
    answer_to(form, &other, false, room, &b);
    for (int i = 0; i < 3 * q.n; i++) {
      fast = fmax(fast, fabs(q.u[i]));
      apart = fmax(apart, fabs(b.u[3 * to[i / 3] + i % 3] - a.u[i]));
    }
    w.order = fmax(w.order, apart / fast);
    if (getenv("SAY") != NULL && (!a.good || apart > 1e-8 * fast)) {
      printf("%s trial %d: n %d mu %g e %g %s apart %g\n", form->row.name, trial, q.n, q.mu[0],
             q.e[0], a.good ? "" : "not solved", apart);
    }
  }
  printf("%s\t%d\t%d\t%.1e\t%.1e\t%.1e\t%.1e\t%d\t%.1e\t%.1e\n", form->row.name, trials, w.unsolved,
         w.work, w.cone, w.approach, w.gained, w.unmarked, w.rub, w.order);
  (void)fflush(stdout);
  free(room);
}

static void check(const char *path, int trials, const char *row)
{
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  int count;
  const rh_formulation *const *table = rh_formulation_table(&count);
  if (rh_scene_load(path, NULL, 0, NULL, &scene) != RH_OK ||
      rh_scene_compile(scene, NULL, &model) != RH_OK || model->nv != NV) {
    (void)fprintf(stderr, "impact: %s is not the robot\n", path);
    exit(3);
  }
  rh_data *d = rh_data_create(model);
  printf("row\ttrials\tunsolved\twork\tcone\tapproach\tgained\tunmarked\trub\torder\n");
  for (int f = 0; f < count; f++) {
    if (row == NULL || strcmp(row, table[f]->row.name) == 0) {
      check_row(table[f], d, trials);
    }
  }
  rh_data_destroy(d);
  rh_model_destroy(model);
  rh_scene_destroy(scene);
}

int main(int argc, char **argv)
{
  const char *tag = getenv("TAG");
  char label[64];
  if (argc < 2 || argc > 4) {
    (void)fprintf(stderr, "usage: impact MODEL [TRIALS [ROW]]\n");
    return 2;
  }
  if (argc > 2) {
    check(argv[1], atoi(argv[2]), argc > 3 ? argv[3] : NULL);
    return 0;
  }
  (void)snprintf(label, sizeof label, "routh-" RH_VERSION "%s", tag != NULL ? tag : "");
  one_point(label);
  foot(label, argv[1]);
  return 0;
}
