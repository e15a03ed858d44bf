// atlas.c: [Ch] ch. 2.2 and 5: equations of motion of floating trees, Atlas
// landing on its feet, and the number of determined contact forces.
#include "ch.h"

#include <string.h>

enum { NV = 34, POINTS = 16, ROWS = 3 * POINTS, TREE = 13 };

// ---- Equations of motion

static rh_status open_world(const rh_scene_text *scene, rh_model **model, rh_data **d)
{
  *d = NULL;
  RH_TRY(rh_ch_model(scene, NULL, 0, false, model));
  *d = rh_data_create(*model);
  return *d != NULL ? RH_OK : rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
}

// Base by position and roll, pitch, yaw; then joints; velocities; torques of the joints
static void set_state(const rh_ch_case *c, rh_data *d, double *tau)
{
  double rpy[3];
  (void)rh_ch_numbers(c, c->inputs, "base_rpy", rpy, 3);
  rh_mat3 R = rh_rpy_matrix(rpy[0], rpy[1], rpy[2]);
  rh_quat q = rh_quat_of_matrix(&R);
  const double turn[4] = {q.w, q.x, q.y, q.z};
  (void)rh_ch_numbers(c, c->inputs, "base_position", d->q, 3);
  memcpy(d->q + 3, turn, sizeof turn);
  (void)rh_ch_numbers(c, c->inputs, "q", d->q + 7, d->model->nq - 7);
  (void)rh_ch_numbers(c, c->inputs, "nu", d->v, d->model->nv);
  memset(tau, 0, 6 * sizeof *tau);
  (void)rh_ch_numbers(c, c->inputs, "tau", tau + 6, d->model->nv - 6);
  rh_kinematics(d);
  rh_mass_matrix(d);
  rh_mass_factor(d);
}

static void write_motion(rh_data *d, const double *tau, rh_json *json)
{
  double x[NV];
  rh_bias(d, x);
  rh_json_numbers(json, "bias", x, d->model->nv);
  rh_aba(d, tau, x);
  rh_json_numbers(json, "nudot", x, d->model->nv);
  rh_json_number(json, "kinetic_energy", rh_kinetic_energy(d));
  rh_ch_vector(json, "com", rh_centre_of_mass(d));
}

rh_status rh_ch_dynamics(const rh_ch_case *c, rh_json *json)
{
  enum { THREE = 3 };

  rh_model *model = NULL;
  rh_data *d = NULL;
  bool chain = strcmp(rh_ch_word(c, c->inputs, "tree"), "chain4") == 0;
  rh_status status = open_world(chain ? &rh_ch_chain : &rh_ch_humanoid, &model, &d);
  if (status == RH_OK) {
    double tau[TREE];
    double H[TREE * TREE];
    double work[3 * THREE * TREE];
    double W[9 * THREE * THREE];
    double drift[3 * THREE];
    rh_model_point point[THREE];
    set_state(c, d, tau);
    rh_mass_dense(d, H);
    for (int i = 0; i < THREE; i++) {
      int at = rh_ch_item(c, c->inputs, "contact_points", i);
      point[i].body = rh_model_find(model, RH_OBJECT_BODY, rh_ch_word(c, at, "link"));
      (void)rh_ch_numbers(c, at, "local", &point[i].at.x, 3);
      rh_vec3 a = rh_point_bias(d, point[i].body, point[i].at);
      memcpy(drift + (ptrdiff_t)3 * i, &a.x, 3 * sizeof(double));
    }
    rh_contact_inertia(d, THREE, point, work, W);
    rh_json_matrix(json, "M", H, model->nv, model->nv);
    write_motion(d, tau, json);
    rh_json_matrix(json, "contact_inverse_inertia", W, 3 * THREE, 3 * THREE);
    rh_json_numbers(json, "contact_bias_acceleration", drift, 3 * THREE);
  }
  rh_data_destroy(d);
  rh_model_destroy(model);
  return status;
}

typedef struct atlas { // scratch
  double H[NV * NV], W[ROWS * ROWS], work[ROWS * NV];
  double u[ROWS], p[ROWS], after[ROWS], mu[POINTS], e[POINTS];
  rh_model_point point[POINTS];
} atlas;

rh_status rh_ch_atlas(const rh_ch_case *c, rh_json *json)
{
  enum { SOLE = 24 };

  rh_model *model = NULL;
  rh_data *d = NULL;
  rh_status status = open_world(&rh_ch_atlas_scene, &model, &d);
  atlas *a = rh_alloc(sizeof *a);
  if (status == RH_OK && a != NULL) {
    double tau[NV];
    double diagonal[NV];
    double trace[2] = {0};
    double first[9];
    set_state(c, d, tau);
    rh_mass_dense(d, a->H);
    rh_contact_inertia(d, SOLE / 3, model->point, a->work, a->W);
    for (int i = 0; i < NV; i++) {
      diagonal[i] = a->H[i * (NV + 1)];
      trace[0] += diagonal[i];
    }
    for (int i = 0; i < SOLE; i++) {
      trace[1] += a->W[i * (SOLE + 1)];
      first[i % 9] = a->W[i % 9 / 3 * SOLE + i % 3];
    }
    rh_json_number(json, "total_mass", rh_total_mass(model));
    rh_json_numbers(json, "M_diagonal", diagonal, NV);
    rh_json_number(json, "M_trace", trace[0]);
    write_motion(d, tau, json);
    rh_json_matrix(json, "K_left_first_corner", first, 3, 3);
    rh_json_number(json, "K_trace", trace[1]);
    rh_ch_vector(
        json, "l_foot_position",
        rh_point_position(d, rh_model_find(model, RH_OBJECT_BODY, "l_foot"), rh_v3(0, 0, 0)));
    rh_ch_vector(
        json, "r_hand_position",
        rh_point_position(d, rh_model_find(model, RH_OBJECT_BODY, "r_hand"), rh_v3(0, 0, 0)));
  }
  status = status == RH_OK && a == NULL ? rh_refuse(RH_OUT_OF_MEMORY, "out of memory") : status;
  rh_free(a);
  rh_data_destroy(d);
  rh_model_destroy(model);
  return status;
}

// ---- Landing

// The corners of the soles, which the model names, and the middles of their edges
static int fill_sole_points(const rh_model *model, int feet, bool middles, rh_model_point *point)
{
  static const int edge[4][2] = {{0, 1}, {1, 3}, {3, 2}, {2, 0}};
  int n = 0;
  for (int f = 0; f < feet; f++) {
    const rh_model_point *corner = model->point + (ptrdiff_t)4 * f;
    for (int i = 0; i < 4; i++) {
      point[n++] = corner[i];
    }
    for (int i = 0; i < 4 && middles; i++) {
      point[n] = corner[edge[i][0]];
      point[n].at = rh_scale(0.5, rh_add(corner[edge[i][0]].at, corner[edge[i][1]].at));
      n++;
    }
  }
  return n;
}

// ---- Number of determined forces

// Rank of a positive semidefinite matrix, by Cholesky with the largest pivot first; destroys it.
static int rank_of(double *W, int n)
{
  double most = 0;
  for (int r = 0; r < n; r++) {
    int at = 0;
    for (int i = 0; i < n; i++) {
      at = W[i * (n + 1)] > W[at * (n + 1)] ? i : at;
    }
    double pivot = W[at * (n + 1)];
    most = fmax(most, pivot);
    if (pivot <= 1e-9 * most) {
      return r;
    }
    for (int i = 0; i < n; i++) {
      double factor = W[i * n + at] / pivot;
      for (int k = 0; k < n && i != at; k++) {
        W[i * n + k] -= factor * W[at * n + k];
      }
    }
    for (int k = 0; k < n; k++) {
      W[at * n + k] = 0;
      W[k * n + at] = 0;
    }
  }
  return n;
}

static rh_status block_ranks(rh_redone *redone)
{
  static const int count[] = {1, 2, 3, 4};
  for (int i = 0; i < RH_COUNT(count); i++) {
    rh_ch_body b = {.R = rh_mat3_identity(), .mass = 2, .n = count[i]};
    const double dims[3] = {0.4, 0.3, 0.2};
    char name[RH_NAME_MAX];
    rh_ch_block_inertia(&b, dims);
    for (int k = 0; k < count[i]; k++) {
      b.point[3 * k] = k % 3 == 0 ? 0.2 : -0.2;
      b.point[3 * k + 1] = k < 2 ? 0.15 : -0.15;
      b.point[3 * k + 2] = -0.1;
    }
    rh_ch_body_make(&b);
    snprintf(name, sizeof name, "rank of J_c, %d point%s, %d rows", count[i], rh_plural(count[i]),
             3 * count[i]);
    RH_TRY(rh_redone_number(redone, "block", name, rank_of(b.W, 3 * count[i])));
  }
  return RH_OK;
}

static rh_status atlas_ranks(rh_redone *redone)
{
  rh_model *model = NULL;
  rh_data *d = NULL;
  rh_status status = open_world(&rh_ch_atlas_scene, &model, &d);
  atlas *a = rh_alloc(sizeof *a);
  for (int i = 0; i < 4 && status == RH_OK && a != NULL; i++) {
    int feet = 1 + i / 2;
    char name[RH_NAME_MAX];
    rh_kinematics(d);
    rh_mass_matrix(d);
    rh_mass_factor(d);
    int n = fill_sole_points(model, feet, i % 2 == 1, a->point);
    rh_contact_inertia(d, n, a->point, a->work, a->W);
    snprintf(name, sizeof name, "rank of J_c, %d points on %s, %d rows", n,
             feet == 1 ? "one foot" : "two feet", 3 * n);
    status = rh_redone_number(redone, "Atlas", name, rank_of(a->W, 3 * n));
  }
  status = status == RH_OK && a == NULL ? rh_refuse(RH_OUT_OF_MEMORY, "out of memory") : status;
  rh_free(a);
  rh_data_destroy(d);
  rh_model_destroy(model);
  return status;
}

rh_status rh_find_ch_ranks(rh_redone *redone)
{
  RH_TRY(block_ranks(redone));
  return atlas_ranks(redone);
}

// Rows of J_c and its rank over the number of points, one foot and two
void rh_draw_ch_ranks(FILE *to, const rh_redone *redone)
{
  (void)redone;
  rh_ch_panel(to, 0, 0, 0.5, 0.93, "Atlas: contact forces, and how many are determined");
  fputs("$rank << end\n\"4, one foot\" 12 6\n\"8, one foot\" 24 6\n\"4, two feet\" 24 12\n\"8, two "
        "feet\" 48 12\nend\nset xrange [-0.6:3.6]\nset "
        "yrange [0:60]\nset style data boxes\nset boxwidth 0.36\nset style fill solid 0.8\nset "
        "xtics rotate by 0\nset ylabel "
        "'number'\nset xlabel 'points a foot'\nset key inside top left vertical\nset label '34 "
        "degrees of freedom' at -0.5,36 font ',9'\nplot $rank "
        "using ($0-0.19):2:xtic(1) lc rgb '#56B4E9' title 'rows of J_c', $rank using ($0+0.19):3 "
        "lc rgb '#D55E00' title "
        "'rank', 34 with lines lw 1 dt 2 lc rgb '#707070' notitle\nset style data lines\n",
        to);
  rh_ch_put_differences(to, redone, 0.5, 0.5);
}
