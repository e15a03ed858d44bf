// arm.c: the collision map of [CSC] section V: energy loss of an arm of two rods (figs 2,
// 3); claims about two moving bodies, a peg in a hole, different coefficients.
#include "csc.h"
#include "impact/collision_map.h"

#include <string.h>

enum { ARM_POINTS = 3, ARM_NV = 2, ARM_ROOM = 100 };

// ---- Impact of an arm at some points

typedef struct arm_hit {
  int n;
  double J[ARM_POINTS * ARM_NV], X[ARM_POINTS * ARM_NV]; // X = J D^-1
  double W[ARM_POINTS * ARM_POINTS], u[ARM_POINTS];
} arm_hit;

static rh_status open_arm(rh_csc_world *w)
{
  RH_TRY(rh_csc_open(&rh_csc_arm, NULL, 0, NULL, w));
  rh_kinematics(w->d);
  rh_mass_matrix(w->d);
  rh_mass_factor(w->d);
  return RH_OK;
}

static void add_point(const rh_csc_world *w, int link, double r, const double n[2], arm_hit *h)
{
  double full[3 * ARM_NV];
  double *J = h->J + (ptrdiff_t)h->n * ARM_NV;
  double *X = h->X + (ptrdiff_t)h->n * ARM_NV;
  rh_point_jacobian(w->d, link, rh_v3(r, 0, 0), full);
  h->u[h->n] = 0;
  for (int i = 0; i < ARM_NV; i++) {
    J[i] = X[i] = n[0] * full[i] + n[1] * full[ARM_NV + i];
    h->u[h->n] += J[i] * w->d->v[i];
  }
  rh_mass_solve(w->d, X);
  h->n++;
}

typedef struct arm_after {
  double p[ARM_POINTS], qd[ARM_NV];
  rh_collide_out out;
} arm_after;

static arm_after strike_arm(const rh_csc_world *w, const arm_hit *h, double restitution)
{
  arm_after a = {.qd = {w->d->v[0], w->d->v[1]}};
  double room[ARM_ROOM];
  double after[ARM_POINTS];
  const double e[ARM_POINTS] = {restitution, restitution, restitution};
  const rh_collide_in in = {.n = h->n, .nv = ARM_NV, .W = h->W, .u = h->u, .e = e};
  RH_ASSERT(rh_collide_room(ARM_POINTS, ARM_NV) <= ARM_ROOM);
  (void)rh_collide_map(&in, room, a.p, after, &a.out);
  for (int i = 0; i < h->n * ARM_NV; i++) {
    a.qd[i % ARM_NV] += h->X[i] * a.p[i / ARM_NV];
  }
  return a;
}

static arm_hit one_point(const rh_csc_world *w, int link, double r)
{
  const double along[2] = {1, 0};
  arm_hit h = {0};
  add_point(w, link, r, along, &h);
  rh_collide_matrix(h.n, ARM_NV, h.J, h.X, h.W);
  return h;
}

static void answer_arm(const rh_ch_case *c, const rh_csc_world *w, const arm_hit *h, rh_json *json)
{
  enum { MOST = 16 };

  double D[ARM_NV * ARM_NV] = {0};
  double e[MOST];
  int n = rh_ch_numbers(c, c->inputs, "e", e, MOST);
  int rank = 0;
  rh_mass_dense(w->d, D);
  rh_json_matrix(json, "D", D, ARM_NV, ARM_NV);
  rh_json_matrix(json, "J", h->J, h->n, ARM_NV);
  rh_json_numbers(json, "v_n0", h->u, h->n);
  rh_json_number(json, "ke0", rh_kinetic_energy(w->d));
  rh_json_open_array(json, "per_e");
  for (int i = 0; i < n; i++) {
    arm_after a = strike_arm(w, h, e[i]);
    rh_json_open_object(json, NULL);
    rh_json_number(json, "e", e[i]);
    rh_json_numbers(json, "qd", a.qd, ARM_NV);
    rh_json_numbers(json, "p", a.p, h->n);
    rh_json_number(json, "ke_loss", a.out.loss);
    rh_json_close(json);
    rank = a.out.rank > rank ? a.out.rank : rank;
  }
  rh_json_close(json);
  rh_json_integer(json, "rank", rank);
}

rh_status rh_csc_two_link(const rh_ch_case *c, rh_json *json)
{
  rh_csc_world w;
  arm_hit h = {0};
  RH_TRY(open_arm(&w));
  (void)rh_ch_numbers(c, c->inputs, "qd0", w.d->v, ARM_NV);
  rh_kinematics(w.d);
  for (int k = 0; k < ARM_POINTS; k++) {
    int item = rh_ch_item(c, c->inputs, "contacts", k);
    double n[2] = {0};
    if (item == RH_NONE) {
      break;
    }
    (void)rh_ch_numbers(c, item, "n", n, 2);
    add_point(&w, (int)rh_ch_number(c, item, "link"), rh_ch_number(c, item, "r"), n, &h);
  }
  rh_collide_matrix(h.n, ARM_NV, h.J, h.X, h.W);
  answer_arm(c, &w, &h, json);
  rh_csc_close(&w);
  return RH_OK;
}

// ---- Fig. 3

typedef struct arm_place {
  const char *name, *at;
  int link;
  double r;
} arm_place;

static const arm_place places[] = {
    {"tip", "tip.at=[1,0,0]", 2, 1},
    {"middle of link 2", "tip.at=[0.5,0,0]", 2, 0.5},
    {"elbow", "tip.at=[0,0,0]", 2, 0},
};

// Energy loss of the haptic loop in the tick of the impact
static rh_status loop_loss(const arm_place *p, double e, double *loss)
{
  rh_csc_world w;
  rh_haptic_out out;
  char text[RH_NAME_MAX];
  const char *const set[] = {p->at, text};
  snprintf(text, sizeof text, "haptic.e=%.17g", e);
  RH_TRY(rh_csc_open(&rh_csc_arm, set, 2, NULL, &w));
  rh_haptic_tick(w.h, w.d, NULL, &out);
  *loss = out.loss;
  rh_csc_close(&w);
  return RH_OK;
}

rh_status rh_find_csc_arm(rh_redone *redone)
{
  static const double coefficient[] = {0, 0.5, 1};
  for (int i = 0; i < RH_COUNT(places); i++) {
    for (int k = 0; k < RH_COUNT(coefficient); k++) {
      double e = coefficient[k];
      double loss = 0;
      char name[RH_NAME_MAX];
      snprintf(name, sizeof name, "loss in the loop, e = %g [J]", e);
      RH_TRY(loop_loss(&places[i], e, &loss));
      RH_TRY(rh_redone_number(redone, places[i].name, name, loss));
    }
  }
  rh_csc_world w;
  RH_TRY(open_arm(&w));
  arm_hit h = one_point(&w, 2, 1);
  arm_after a = strike_arm(&w, &h, 0);
  double ke0 = rh_kinetic_energy(w.d);
  rh_csc_close(&w);
  RH_TRY(rh_redone_number(redone, "tip, e = 0", "energy left by eq. 18* [J]", ke0 - a.out.loss_24));
  return rh_redone_number(redone, "tip, e = 0", "energy left by eq. 18 as printed [J]",
                          ke0 - 2 * a.out.loss_24);
}

static void draw_restitution(FILE *to, const rh_csc_world *w)
{
  rh_ch_panel(to, 0, 0, 0.5, 0.93, "by restitution, at three places of the impact");
  double ke0 = rh_kinetic_energy(w->d);
  for (int i = 0; i < RH_COUNT(places); i++) {
    arm_hit h = one_point(w, places[i].link, places[i].r);
    fprintf(to, "$e%d << end\n", i);
    for (int k = 0; k <= 100; k++) {
      double e = -1 + 0.02 * k;
      fprintf(to, "%.9g %.9g\n", e, 100 * strike_arm(w, &h, e).out.loss / ke0);
    }
    fputs("end\n", to);
  }
  fputs("set xlabel 'coefficient of restitution e'\nset ylabel 'loss of kinetic energy [%]'\nset "
        "yrange [-2:125]\nset key inside top left vertical Left reverse\nplot ",
        to);
  for (int i = 0; i < RH_COUNT(places); i++) {
    fprintf(to, "%s$e%d with lines lt %d title '%s'", i > 0 ? ", " : "", i, i + 1, places[i].name);
  }
  fputc('\n', to);
}

static void draw_places(FILE *to, const rh_csc_world *w)
{
  static const double coefficient[] = {0, 0.5, 0.8};
  rh_ch_panel(to, 0.5, 0, 0.5, 0.93, "by the place, from the base to the tip");
  double ke0 = rh_kinetic_energy(w->d);
  for (int i = 0; i <= RH_COUNT(coefficient); i++) { // the last: as printed
    fprintf(to, "$r%d << end\n", i);
    for (int k = 1; k <= 200; k++) {
      int link = k <= 100 ? 1 : 2;
      arm_hit h = one_point(w, link, 0.01 * (k - 100 * (link - 1)));
      double loss = strike_arm(w, &h, i < RH_COUNT(coefficient) ? coefficient[i] : 0).out.loss;
      fprintf(to, "%.9g %.9g\n", 0.01 * k, 100 * (i < RH_COUNT(coefficient) ? 1 : 2) * loss / ke0);
    }
    fputs("end\n", to);
  }
  fputs("set xlabel 'distance from the base [m]'\nset ylabel ''\nset xrange [0:2]\nset yrange "
        "[-2:210]\nset key inside top left vertical Left reverse\nplot ",
        to);
  for (int i = 0; i < RH_COUNT(coefficient); i++) {
    fprintf(to, "$r%d with lines lt %d title 'e = %g', ", i, i + 1, coefficient[i]);
  }
  fputs("$r3 with lines lw 1.5 dt 2 lc rgb '#606060' title 'e = 0, eq. 18 as printed', 100 with "
        "lines lw 0.8 dt solid lc rgb '#a0a0a0' notitle\n",
        to);
}

void rh_draw_csc_arm(FILE *to, const rh_redone *redone)
{
  rh_csc_world w;
  (void)redone;
  if (open_arm(&w) == RH_OK) {
    draw_restitution(to, &w);
    draw_places(to, &w);
    rh_csc_close(&w);
  }
}

// ---- Section V: two moving bodies

typedef struct pair_after {
  double v[2], momentum, energy;
} pair_after;

// Two bodies of 1 kg on a line, the first at v, the second at w
static pair_after collide_two(bool split, double e, double v, double w)
{
  const double coefficient[2] = {e, e};
  const double W[4] = {split ? 1 : 2, 0, 0, 1};
  const double u[2] = {split ? -v : w - v, w};
  const double approach[2] = {w - v, w - v};
  const rh_collide_in in = {.n = split ? 2 : 1,
                            .nv = 2,
                            .W = W,
                            .u = u,
                            .e = coefficient,
                            .approach = split ? approach : NULL,
                            .select = split ? RH_COLLIDE_ALL : RH_COLLIDE_STRICT};
  double room[ARM_ROOM];
  double p[2] = {0};
  double after[2];
  rh_collide_out out;
  (void)rh_collide_map(&in, room, p, after, &out);
  pair_after a = {.v = {v - p[0], w + (split ? p[1] : p[0])}};
  a.momentum = a.v[0] + a.v[1];
  a.energy = (a.v[0] * a.v[0] + a.v[1] * a.v[1]) / 2;
  return a;
}

// ---- Groups and velocities at random

static double uniform_random(uint64_t *seed, double lo, double hi)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return lo + (hi - lo) * ((double)(*seed >> 11) * 0x1p-53);
}

// Maximum number of approaching contacts, of six of a peg in a straight hole, over many motions
static int most_approaching(void)
{
  static const double at[6][4] = {// r, n
                                  {-0.00525, -0.0105, 0, 1}, {0.00525, -0.0105, 0, 1},
                                  {-0.00525, -0.0105, 1, 0}, {-0.00525, 0.0105, 1, 0},
                                  {0.00525, -0.0105, -1, 0}, {0.00525, 0.0105, -1, 0}};
  uint64_t seed = 1;
  int most = 0;
  for (int k = 0; k < 20000; k++) {
    double v[3] = {uniform_random(&seed, -1, 1), uniform_random(&seed, -1, 1),
                   uniform_random(&seed, -200, 200)};
    int n = 0;
    for (int i = 0; i < 6; i++) {
      double x = v[0] - v[2] * at[i][1];
      double y = v[1] + v[2] * at[i][0];
      n += at[i][2] * x + at[i][3] * y < 0;
    }
    most = n > most ? n : most;
  }
  return most;
}

enum { GROUPS = 5000, CONTACTS = 8, FREEDOM = 6, GROUP_ROOM = 1000 };

typedef struct random_group {
  int n;
  double W[CONTACTS * CONTACTS], u[CONTACTS], e[CONTACTS];
} random_group;

static void make_group(uint64_t *seed, random_group *g)
{
  double J[CONTACTS * FREEDOM];
  double X[CONTACTS * FREEDOM];
  double inertia[FREEDOM];
  double v[FREEDOM];
  g->n = 2 + (int)uniform_random(seed, 0, CONTACTS - 1);
  for (int i = 0; i < FREEDOM; i++) {
    inertia[i] = uniform_random(seed, 0.5, 2);
    v[i] = uniform_random(seed, -1, 1);
  }
  for (int k = 0; k < g->n; k++) {
    double *row = J + (ptrdiff_t)k * FREEDOM;
    g->u[k] = 0;
    g->e[k] = uniform_random(seed, 0, 1);
    for (int i = 0; i < FREEDOM; i++) {
      row[i] = uniform_random(seed, -1, 1);
      g->u[k] += row[i] * v[i];
    }
    double sign = g->u[k] > 0 ? -1 : 1; // all approach
    g->u[k] *= sign;
    for (int i = 0; i < FREEDOM; i++) {
      row[i] *= sign;
      X[k * FREEDOM + i] = row[i] / inertia[i];
    }
  }
  rh_collide_matrix(g->n, FREEDOM, J, X, g->W);
}

// Groups that gain energy, by a rule for different coefficients
static int count_energy_gains(rh_collide_rule rule, bool one)
{
  uint64_t seed = 2005;
  int gained = 0;
  RH_ASSERT(rh_collide_room(CONTACTS, FREEDOM) <= GROUP_ROOM);
  for (int k = 0; k < GROUPS; k++) {
    random_group g;
    double room[GROUP_ROOM];
    double p[CONTACTS];
    double after[CONTACTS];
    rh_collide_out out;
    make_group(&seed, &g);
    for (int i = 1; one && i < g.n; i++) {
      g.e[i] = g.e[0];
    }
    const rh_collide_in in = {.n = g.n, .nv = FREEDOM, .W = g.W, .u = g.u, .e = g.e, .rule = rule};
    gained += !rh_collide_map(&in, room, p, after, &out) || out.gained;
  }
  return gained;
}

rh_status rh_find_csc_map(rh_redone *redone)
{
  pair_after split = collide_two(true, 1, 1, 0);
  pair_after still = collide_two(true, 0, 1, 0);
  pair_after moved = collide_two(true, 0, 3, 2); // the same, seen from a frame at -2 m/s
  pair_after right = collide_two(false, 1, 1, 0);
  const char *two = "1 kg at 1 m/s onto 1 kg at rest";
  RH_TRY(rh_redone_number(redone, two, "momentum after, eq. 12, e = 1", right.momentum));
  RH_TRY(rh_redone_number(redone, two, "momentum after, eq. 13, 14, e = 1", split.momentum));
  RH_TRY(rh_redone_number(redone, two, "energy after, eq. 12, e = 1", right.energy));
  RH_TRY(rh_redone_number(redone, two, "momentum after, eq. 13, 14, e = 0", still.momentum));
  RH_TRY(rh_redone_number(redone, "the same, both 2 m/s faster", "speed after, eq. 13, 14, e = 0",
                          moved.v[0])); // 2.5 m/s by eq. 12
  RH_TRY(rh_redone_number(redone, "peg in a straight hole, 20000 motions",
                          "maximum number of 6 contacts that approach", most_approaching()));
  RH_TRY(rh_redone_number(redone, "5000 random groups", "gain energy, one e",
                          count_energy_gains(RH_COLLIDE_CLAMPED, true)));
  RH_TRY(rh_redone_number(redone, "5000 random groups", "gain energy, unequal e, clamped",
                          count_energy_gains(RH_COLLIDE_CLAMPED, false)));
  return rh_redone_claim(redone, "5000 random groups", "gain no energy, unequal e, naive",
                         count_energy_gains(RH_COLLIDE_NAIVE, false) == 0);
}

// ---- Its picture

static void draw_pair(FILE *to)
{
  rh_ch_panel(to, 0, 0, 0.5, 0.93, "1 kg at 1 m/s onto 1 kg at rest");
  for (int s = 0; s < 2; s++) {
    fprintf(to, "$law%d << end\n", s);
    for (int k = 0; k <= 20; k++) {
      pair_after a = collide_two(s > 0, 0.05 * k, 1, 0);
      fprintf(to, "%.9g %.9g %.9g\n", 0.05 * k, a.momentum, a.energy);
    }
    fputs("end\n", to);
  }
  fputs("set xlabel 'coefficient of restitution e'\nset ylabel 'momentum [N s], energy [J] "
        "after'\nset yrange [-1.2:1.9]\nset key inside top left vertical Left reverse\nplot $law0 "
        "using 1:2 with lines dt solid lc rgb '#0072B2' title 'momentum, relative law (12)', $law0 "
        "using 1:3 with lines "
        "dt 2 lc rgb '#0072B2' title 'energy, relative law', $law1 using 1:2 with lines dt solid "
        "lc rgb '#D55E00' title 'momentum, "
        "split law (13, 14)', $law1 using 1:3 with lines dt 2 lc rgb '#D55E00' title 'energy, "
        "split law'\n",
        to);
}

static void draw_per_contact(FILE *to, const rh_redone *redone)
{
  static const char *const id[] = {"pce-bar", "pce-slender", "pce-corner4"};
  static const char *const rule[] = {"naive", "clamped", "sqrt"};
  static const char *const color[] = {"#D55E00", "#0072B2", "#E69F00"};
  rh_ch_panel(to, 0.5, 0, 0.5, 0.93, "unequal e: energy left by three rules");
  fputs("$rules << end\n", to);
  for (int i = 0; i < RH_COUNT(id); i++) {
    fprintf(to, "\"%s\"", id[i]);
    for (int k = 0; k < RH_COUNT(rule); k++) {
      fprintf(to, " %.9g",
              rh_redone_part(redone, id[i], rule[k], "ke1") /
                  rh_redone_answer(redone, id[i], "ke0", 0));
    }
    fputc('\n', to);
  }
  fputs("end\nset style data histograms\nset style histogram clustered gap 1\nset style fill solid "
        "0.9 noborder\nset boxwidth 0.9\nset xtics font ',10'\nset xlabel ''\nset ylabel 'energy "
        "after / before'\nset "
        "logscale y\nset yrange [0.1:20]\nset key inside top right vertical\nplot ",
        to);
  for (int k = 0; k < RH_COUNT(rule); k++) {
    fprintf(to, "%s$rules using %d:xtic(1) lc rgb '%s' title '%s'", k > 0 ? ", " : "", k + 2,
            color[k], rule[k]);
  }
  fputs(", 1 with lines lw 1.2 dt 2 lc rgb '#606060' notitle\nset style data points\n", to);
}

void rh_draw_csc_map(FILE *to, const rh_redone *redone)
{
  draw_pair(to);
  draw_per_contact(to, redone);
}
