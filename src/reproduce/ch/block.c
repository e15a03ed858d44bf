// block.c: impacts of blocks at many points ([Ch] ch. 3), and the influence of their
// number. The thesis concludes that there is none; each formulation is checked.
#include "ch.h"

#include <string.h>

// ---- A free body

void rh_ch_vector(rh_json *json, const char *key, rh_vec3 x)
{
  const double v[3] = {x.x, x.y, x.z};
  rh_json_numbers(json, key, v, 3);
}

static rh_vec3 vector_at(const double *x)
{
  return rh_v3(x[0], x[1], x[2]);
}

static rh_vec3 spin_of(const rh_ch_body *b, rh_vec3 torque)
{
  rh_vec3 t = rh_unrotate(&b->R, torque);
  return rh_rotate(&b->R, rh_v3(t.x / b->inertia[0], t.y / b->inertia[1], t.z / b->inertia[2]));
}

void rh_ch_block_inertia(rh_ch_body *b, const double dims[3])
{
  for (int k = 0; k < 3; k++) {
    double x = dims[(k + 1) % 3];
    double y = dims[(k + 2) % 3];
    b->inertia[k] = b->mass / 12 * (x * x + y * y);
  }
}

// A unit impulse on each row in turn
void rh_ch_body_make(rh_ch_body *b)
{
  const int rows = 3 * b->n;
  for (int i = 0; i < b->n; i++) {
    b->arm[i] = rh_rotate(&b->R, vector_at(b->point + (ptrdiff_t)3 * i));
    rh_vec3 u = rh_add(b->v, rh_cross(b->w, b->arm[i]));
    b->u[3 * i] = u.x;
    b->u[3 * i + 1] = u.y;
    b->u[3 * i + 2] = u.z;
  }
  for (int j = 0; j < rows; j++) {
    rh_vec3 p = rh_v3(j % 3 == 0, j % 3 == 1, j % 3 == 2);
    rh_vec3 spin = spin_of(b, rh_cross(b->arm[j / 3], p));
    for (int i = 0; i < b->n; i++) {
      rh_vec3 du = rh_addscaled(rh_cross(spin, b->arm[i]), 1 / b->mass, p);
      b->W[(3 * i) * rows + j] = du.x;
      b->W[(3 * i + 1) * rows + j] = du.y;
      b->W[(3 * i + 2) * rows + j] = du.z;
    }
  }
}

void rh_ch_body_after(const rh_ch_body *b, const double *p, rh_vec3 *v, rh_vec3 *w)
{
  *v = b->v;
  *w = b->w;
  for (int i = 0; i < b->n; i++) {
    rh_vec3 at = vector_at(p + (ptrdiff_t)3 * i);
    *v = rh_addscaled(*v, 1 / b->mass, at);
    *w = rh_add(*w, spin_of(b, rh_cross(b->arm[i], at)));
  }
}

// ---- Impact

typedef struct struck {
  double p[RH_CH_ROWS], u[RH_CH_ROWS];
  rh_many_out out;
  rh_vec3 v, w;
  double least; // [J] minimum work on the way: that of compression
} struck;

static void on_way(void *user, const rh_many_at *at)
{
  struck *s = user;
  s->least = fmin(s->least, at->Wn);
}

static rh_status strike_body(const rh_ch_body *b, const char *form, const double *weight, struck *s)
{
  const rh_formulation *row = rh_formulation_find(form);
  const rh_many_trace trace = {on_way, s};
  double mu[RH_CH_POINTS];
  double e[RH_CH_POINTS];
  double par[RH_PAR_MAX];
  for (int i = 0; i < b->n; i++) {
    mu[i] = b->mu;
    e[i] = b->e;
  }
  rh_row_defaults(&row->row, par);
  double *room = rh_alloc(row->room(b->n) * sizeof *room);
  if (room == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  const rh_many_in in = {.n = b->n,
                         .W = b->W,
                         .u = b->u,
                         .mu = mu,
                         .e = e,
                         .law = rh_impact_law_find("stronge"),
                         .weight = weight,
                         .trace = &trace};
  s->least = 0;
  bool solved = row->strike(&in, par, room, s->p, s->u, &s->out);
  rh_free(room);
  rh_ch_body_after(b, s->p, &s->v, &s->w);
  return solved ? RH_OK : rh_refuse(RH_STOPPED, "paper: %s did not find the impulses", form);
}

static void read_block(const rh_ch_case *c, const char *points, rh_ch_body *b)
{
  double dims[3];
  *b = (rh_ch_body){.R = rh_mat3_identity()};
  b->mass = rh_ch_number(c, c->inputs, "mass");
  b->mu = rh_ch_number(c, c->inputs, "mu");
  b->e = rh_ch_number(c, c->inputs, "e");
  (void)rh_ch_numbers(c, c->inputs, "dims", dims, 3);
  (void)rh_ch_numbers(c, c->inputs, "v_com", &b->v.x, 3);
  (void)rh_ch_numbers(c, c->inputs, "omega", &b->w.x, 3);
  b->n = rh_ch_numbers(c, c->inputs, points, b->point, RH_CH_ROWS) / 3;
  rh_ch_block_inertia(b, dims);
}

rh_status rh_ch_central(const rh_ch_case *c, rh_json *json)
{
  rh_ch_body b;
  struck s;
  double sum = 0;
  read_block(c, "points", &b);
  rh_ch_body_make(&b);
  RH_TRY(strike_body(&b, "winkler-global", NULL, &s));
  for (int i = 0; i < b.n; i++) {
    sum += s.p[3 * i + 2];
  }
  rh_ch_vector(json, "v_com", s.v);
  rh_ch_vector(json, "omega", s.w);
  rh_json_number(json, "total_normal_impulse", sum);
  rh_json_number(json, "W_n_compression", s.least);
  rh_json_number(json, "W_n", -s.out.Dn);
  return RH_OK;
}

rh_status rh_ch_edge(const rh_ch_case *c, rh_json *json)
{
  rh_ch_body b;
  struck s;
  double sum[3] = {0};
  read_block(c, "points_body", &b);
  b.R = rh_rpy_matrix(0, rh_ch_number(c, c->inputs, "pitch"), 0);
  rh_ch_body_make(&b);
  RH_TRY(strike_body(&b, "winkler-global", NULL, &s));
  for (int i = 0; i < 3 * b.n; i++) {
    sum[i % 3] += s.p[i];
  }
  rh_ch_vector(json, "v_com", s.v);
  rh_ch_vector(json, "omega", s.w);
  rh_json_numbers(json, "total_impulse", sum, 3);
  rh_json_number(json, "W_n", -s.out.Dn);
  return RH_OK;
}

// ---- A base of 4, 8, 9 or 16 points

static int base_points(double hx, double hy, double z, int count, double *point)
{
  int side = count == 16 ? 4 : count == 4 ? 2 : 3;
  int n = 0;
  for (int i = 0; i < side; i++) {
    for (int j = 0; j < side; j++) {
      if (count == 8 && i == 1 && j == 1) {
        continue;
      }
      point[3 * n] = hx * (2.0 * i / (side - 1) - 1);
      point[3 * n + 1] = hy * (2.0 * j / (side - 1) - 1);
      point[3 * n + 2] = z;
      n++;
    }
  }
  return n;
}

// Rocks about its edge at -x, which is at rest; the edge at +x lands.
static void rocking_block(const double dims[3], double rate, int count, rh_ch_body *b)
{
  *b = (rh_ch_body){.R = rh_mat3_identity(), .mass = 2, .mu = 2};
  rh_ch_block_inertia(b, dims);
  b->v = rh_v3(0.5 * rate * dims[2], 0, -0.5 * rate * dims[0]);
  b->w = rh_v3(0, rate, 0);
  b->n = base_points(0.5 * dims[0], 0.5 * dims[1], -0.5 * dims[2], count, b->point);
  rh_ch_body_make(b);
}

rh_status rh_ch_rocking(const rh_ch_case *c, rh_json *json)
{
  rh_ch_body b;
  struck s;
  double dims[3];
  (void)rh_ch_numbers(c, c->inputs, "dims", dims, 3);
  rocking_block(dims, rh_ch_number(c, c->inputs, "omega_before"), 4, &b);
  RH_TRY(strike_body(&b, "coulomb", NULL, &s));
  rh_json_number(json, "omega_after", s.w.y);
  return RH_OK;
}

rh_status rh_ch_rocking_split(const rh_ch_case *c, rh_json *json)
{
  rh_ch_body b;
  struck s;
  read_block(c, "points", &b);
  rh_ch_body_make(&b);
  RH_TRY(strike_body(&b, "fixed-split", NULL, &s));
  rh_json_number(json, "omega_after", s.w.y);
  return RH_OK;
}

static const int counts[] = {4, 8, 9, 16};
static const double tall[3] = {0.2, 0.4, 0.6};

enum { COUNTS = RH_COUNT(counts) };

// Velocities after, of the same motion with 4 and with 16 points: the maximum distances of those of
// the centre [m/s] and of the angular ones [rad/s], over many motions.
static rh_status farthest_velocities(const char *form, double mu, double e, double far[2])
{
  enum { MOTIONS = 100 };

  uint64_t seed = 2015;
  far[0] = far[1] = 0;
  for (int m = 0; m < MOTIONS; m++) {
    struck s[2];
    double x[6];
    for (int k = 0; k < 6; k++) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      x[k] = 2 * ((double)(seed >> 11) * 0x1p-53) - 1;
    }
    for (int i = 0; i < 2; i++) {
      rh_ch_body b = {.R = rh_mat3_identity(), .mass = 2, .mu = mu, .e = e};
      const double dims[3] = {0.4, 0.3, 0.2};
      rh_ch_block_inertia(&b, dims);
      b.v = rh_v3(x[0], x[1], -1.2 + 0.2 * x[2]);
      b.w = rh_v3(x[3], x[4], x[5]);
      b.n = base_points(0.2, 0.15, -0.1, i == 0 ? 4 : 16, b.point);
      rh_ch_body_make(&b);
      RH_TRY(strike_body(&b, form, NULL, &s[i]));
    }
    far[0] = fmax(far[0], rh_norm(rh_sub(s[0].v, s[1].v)));
    far[1] = fmax(far[1], rh_norm(rh_sub(s[0].w, s[1].w)));
  }
  return RH_OK;
}

// A block lands flat and spins about the vertical: friction takes mu P times the mean distance of the
// points from the axis, weighted as they share P.
static rh_status spin_after(const char *form, int count, double *spin)
{
  static const double dims[3] = {0.4, 0.3, 0.2};
  static const double simpson[4] = {1, 3, 3, 1};
  double weight[16];
  struck s;
  rh_ch_body b = {.R = rh_mat3_identity(), .mass = 2, .mu = 0.2, .e = 0.5};
  rh_ch_block_inertia(&b, dims);
  b.v = rh_v3(0, 0, -1);
  b.w = rh_v3(0, 0, 4);
  b.n = base_points(0.2, 0.15, -0.1, count, b.point);
  for (int i = 0; i < count; i++) {
    weight[i] = count == 16 ? simpson[i % 4] * simpson[i / 4] : 1;
  }
  rh_ch_body_make(&b);
  RH_TRY(strike_body(&b, form, weight, &s));
  *spin = s.w.z;
  return RH_OK;
}

// Friction and the number of points: 4 against 16
static rh_status find_spins(rh_redone *redone)
{
  static const char *const form[] = {"fixed-split", "winkler-global", "moreau"};
  for (int f = 0; f < RH_COUNT(form); f++) {
    for (int count = 4; count <= 16; count += 12) {
      char curve[RH_NAME_MAX];
      char name[RH_NAME_MAX];
      double spin;
      snprintf(curve, sizeof curve, "%s, e = 0.5, mu = 0.2", form[f]);
      snprintf(name, sizeof name, "spin after, %d points", count);
      RH_TRY(spin_after(form[f], count, &spin));
      RH_TRY(rh_redone_number(redone, curve, name, spin));
    }
  }
  return RH_OK;
}

// The even split, the cones and Moreau's rule, for which only the hull counts without friction.
rh_status rh_find_ch_counts(rh_redone *redone)
{
  for (int i = 0; i < COUNTS; i++) {
    rh_ch_body b;
    struck s;
    char name[RH_NAME_MAX];
    rocking_block(tall, 1, counts[i], &b);
    snprintf(name, sizeof name, "rate kept, %d points", counts[i]);
    RH_TRY(strike_body(&b, "fixed-split", NULL, &s));
    RH_TRY(rh_redone_number(redone, "fixed-split", name, s.w.y));
    RH_TRY(strike_body(&b, "coulomb", NULL, &s));
    RH_TRY(rh_redone_number(redone, "coulomb", name, s.w.y));
  }
  double far[2];
  RH_TRY(farthest_velocities("moreau", 0, 0.5, far));
  RH_TRY(rh_redone_number(redone, "moreau, e = 0.5", "100 motions, 16 points from 4",
                          fmax(far[0], far[1])));
  RH_TRY(farthest_velocities("moreau", 0.4, 0.5, far));
  RH_TRY(rh_redone_claim(redone, "moreau, e = 0.5, mu = 0.4", "100 motions, 16 points as 4",
                         fmax(far[0], far[1]) < 1e-6));
  RH_TRY(find_spins(redone));
  RH_TRY(farthest_velocities("cone", 0.4, 0, far));
  return rh_redone_number(redone, "cone, e = 0", "100 motions, 16 points from 4",
                          fmax(far[0], far[1]));
}

void rh_draw_ch_counts(FILE *to, const rh_redone *redone)
{
  static const char *const form[] = {"coulomb", "cone", "winkler-global", "fixed-split"};
  (void)redone;
  rh_ch_panel(to, 0, 0, 1, 0.93, "a 0.2 x 0.6 m block rocks, e = 0: part of its rate that is left");
  for (int f = 0; f < RH_COUNT(form); f++) {
    fprintf(to, "$f%d << end\n", f);
    for (int i = 0; i < COUNTS; i++) {
      rh_ch_body b;
      struck s;
      rocking_block(tall, 1, counts[i], &b);
      if (strike_body(&b, form[f], NULL, &s) == RH_OK) {
        fprintf(to, "%d %.9g\n", counts[i], s.w.y);
      }
    }
    fputs("end\n", to);
  }
  fputs("set xlabel 'points under the base'\nset ylabel 'rate after / before'\nset xtics (4, 8, 9, "
        "16)\nset xrange "
        "[3:17]\nset offsets 0,0,graph 0.1,graph 0.1\nset key outside below horizontal\nplot ",
        to);
  for (int f = 0; f < RH_COUNT(form); f++) {
    fprintf(to, "%s$f%d with linespoints lt %d pt %d ps %.1f title '%s'", f > 0 ? ", " : "", f,
            f + 1, f == 0 ? 6 : 5 + f, f == 0 ? 1.8 : 1.1, form[f]);
  }
  fputs(", 0.85 with lines lw 1 dt 3 lc rgb '#707070' title '1 - 1.5 a^2/(a^2 + c^2)'\n", to);
}
