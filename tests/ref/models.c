// ref_models.c: robots from URDF. models/atlas.urdf against the reference dynamics of the Atlas and, bit for bit, against
// models/atlas.yaml, which says the same in another language. With ROUTH_DATA set to a folder that holds models/ (public URDF
// files of Atlas, ANYmal B and UR5) and models/facts/ (their dynamics by another program, MuJoCo 2.2.2), those too:
// mass, degrees of freedom, centre of mass, energies, joint limits, mass matrix, bias forces, accelerations. Without it these
// tests say so and check nothing.
#include "answers.h"
#include "test.h"

#include <math.h>
#include <routh/routh.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NV = 40, NAME = 64 };

static rh_model *load(const char *path, const char *const *set, int nset, rh_diag *diag)
{
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  rh_status status = rh_scene_load(path, set, nset, diag, &scene);
  status = status == RH_OK ? rh_scene_compile(scene, diag, &model) : status;
  ck_assert_msg(status == RH_OK, "%s: %s", path,
                rh_diag_kept(diag) > 0 ? rh_diag_get(diag, 0).text : "no message");
  rh_scene_destroy(scene);
  return model;
}

// ---- Our own Atlas

static void compare_atlas(const rh_model *a, const rh_model *b)
{
  double Ha[NV * NV];
  double Hb[NV * NV];
  double bias_a[NV];
  double bias_b[NV];
  rh_data *da = rh_data_create(a);
  rh_data *db = rh_data_create(b);
  for (int i = 0; i < a->nv; i++) {
    int at = a->dof[i].coord;
    if (i >= 6) {
      da->q[at] = db->q[at] = 0.3 * sin(1.7 * i + 0.5);
    }
    da->v[i] = db->v[i] = 0.5 * cos(i);
  }
  memcpy(da->q, (double[]){0.1, 0.2, 0.9, 0.8, 0, 0.6, 0}, 7 * sizeof(double));
  memcpy(db->q, da->q, 7 * sizeof(double));
  rh_kinematics(da);
  rh_kinematics(db);
  rh_mass_matrix(da);
  rh_mass_matrix(db);
  rh_mass_dense(da, Ha);
  rh_mass_dense(db, Hb);
  rh_bias(da, bias_a);
  rh_bias(db, bias_b);
  size_t n = (size_t)a->nv;
  ck_assert_mem_eq(Ha, Hb, n * n * sizeof(double)); // the same numbers in the same order
  ck_assert_mem_eq(bias_a, bias_b, n * sizeof(double));
  rh_data_destroy(da);
  rh_data_destroy(db);
}

START_TEST(atlas_in_two_languages)
{
  rh_diag *diag = rh_diag_create();
  rh_model *a = load(ROUTH_SOURCE_DIR "/models/atlas.urdf", NULL, 0, diag);
  rh_model *b = load(ROUTH_SOURCE_DIR "/models/atlas.yaml", NULL, 0, diag);
  ck_assert_int_eq(rh_diag_count(diag, RH_WARNING), 0);
  ck_assert_int_eq(a->nbody, 30);
  ck_assert_int_eq(a->nv, 34);
  ck_assert_int_eq(a->nactuator, 28);
  ck_assert_int_eq(a->nshape, 22);
  near_abs(rh_total_mass(a), 147.67384, 1e-12); // the sum of 29 masses of three to five digits
  for (int i = 6; i < a->nv; i++) {
    ck_assert(a->dof[i].lower == b->dof[i].lower && a->dof[i].upper == b->dof[i].upper);
    ck_assert(a->actuator[i - 6].lo == b->actuator[i - 6].lo);
    ck_assert(a->actuator[i - 6].hi == b->actuator[i - 6].hi);
  }
  compare_atlas(a, b);
  rh_model_destroy(a);
  rh_model_destroy(b);
  rh_diag_destroy(diag);
}

END_TEST

// The reference problems with the URDF in the place of the YAML, whose free joint is called base.
static char *pose_with_urdf(const char *text)
{
  static const char *const change[][2] = {{"../../models/atlas.yaml", "atlas_urdf.yaml"},
                                          {"q: {base:", "q: {pelvis:"}};
  char *out = calloc(2 * strlen(text) + 1, 1);
  char *to = out;
  int changed = 0;
  while (*text) {
    int k = 0;
    while (k < 2 && strncmp(text, change[k][0], strlen(change[k][0])) != 0) {
      k++;
    }
    if (k == 2) {
      *to++ = *text++;
      continue;
    }
    memcpy(to, change[k][1], strlen(change[k][1]));
    to += strlen(change[k][1]);
    text += strlen(change[k][0]);
    changed++;
  }
  ck_assert_int_eq(changed, 4); // two problems
  return out;
}

// As tests/ref/spatial.c: all numbers of the reference are met to 1e-12 of their size.
START_TEST(atlas_reference)
{
  static const char path[] = ROUTH_SOURCE_DIR "/tests/data/atlas_dynamics.yaml";
  static const char *const same[][2] = {
      {"nudot", "a"}, {"bias", "bias"}, {"com", "com"}, {"kinetic_energy", "kinetic_energy"}};
  const double tol = 1e-12;
  answers a = {.diag = rh_diag_create()};
  char *text = NULL;
  char *json = NULL;
  size_t bytes = 0;
  const char *name = NULL;
  ck_assert_int_eq(rh_file_read(path, a.diag, &text, &bytes, &name), RH_OK);
  char *posed = pose_with_urdf(text);
  read_tree(&a.posed, posed, a.diag, &a.list);
  rh_status status = rh_solve_text(posed, strlen(posed), path, NULL, rh_scene_files, a.diag, &json);
  ck_assert_msg(status == RH_OK, "%s", json ? json : "no answer");
  read_tree(&a.answered, json, a.diag, &a.map);
  for (int i = 0; i < 2; i++) {
    double want[NV];
    double x[NV];
    double H[NV * NV];
    for (int k = 0; k < RH_COUNT(same); k++) {
      int n = answers_posed(&a, i, "expected", same[k][0], want, NV);
      ck_assert_int_eq(answers_got(&a, i, same[k][1], x, NV), n);
      near_array(x, want, n, tol, tol);
    }
    ck_assert_int_eq(answers_got(&a, i, "H", H, NV * NV), 34 * 34);
    ck_assert_int_eq(answers_posed(&a, i, "expected", "M_diagonal", want, NV), 34);
    for (int k = 0; k < 34; k++) {
      x[k] = H[k * 34 + k];
    }
    near_array(x, want, 34, tol, tol);
  }
  rh_yaml_free(&a.posed);
  rh_yaml_free(&a.answered);
  rh_diag_destroy(a.diag);
  rh_free(text);
  rh_free(json);
  free(posed);
}

END_TEST

// ---- Public files and their facts

typedef struct fact_joint {
  char name[NAME], kind[NAME], body[NAME];
  int dof;
  double lower, upper;
} fact_joint;

typedef struct facts {
  int nv, njoint, nbody;
  double mass, com[3], potential, kinetic;
  fact_joint joint[NV];
  double bias[NV], qacc[NV], M[NV * NV];
} facts;

static void read_line(const char *line, double *x, int n)
{
  char *end = NULL;
  for (int i = 0; i < n; i++) {
    x[i] = strtod(line, &end);
    ck_assert_ptr_ne(end, line);
    line = end;
  }
}

static void read_joint(const char *line, fact_joint *j)
{
  int limited = 0;
  ck_assert_int_eq(sscanf(line, "joint %63s %63s body %63s dof %d limited %d range %lf %lf",
                          j->name, j->kind, j->body, &j->dof, &limited, &j->lower, &j->upper),
                   7);
}

static void read_facts(const char *path, facts *f)
{
  static char line[1 << 16];
  FILE *file = fopen(path, "r");
  ck_assert_msg(file != NULL, "%s cannot be read", path);
  int row = RH_NONE;
  *f = (facts){0};
  while (fgets(line, sizeof line, file)) {
    if (row != RH_NONE) {
      ck_assert_int_lt(row, f->nv);
      read_line(line, f->M + (ptrdiff_t)row++ * f->nv, f->nv);
    } else if (strncmp(line, "nv ", 3) == 0) {
      f->nv = (int)strtol(line + 3, NULL, 10);
      ck_assert_int_le(f->nv, NV);
    } else if (strncmp(line, "mass ", 5) == 0) {
      read_line(line + 5, &f->mass, 1);
    } else if (strncmp(line, "com ", 4) == 0) {
      read_line(line + 4, f->com, 3);
    } else if (strncmp(line, "potential ", 10) == 0) {
      read_line(line + 10, &f->potential, 1);
    } else if (strncmp(line, "kinetic ", 8) == 0) {
      read_line(line + 8, &f->kinetic, 1);
    } else if (strncmp(line, "body ", 5) == 0) {
      f->nbody++;
    } else if (strncmp(line, "joint ", 6) == 0) {
      read_joint(line, &f->joint[f->njoint++]);
    } else if (strncmp(line, "bias ", 5) == 0) {
      read_line(line + 5, f->bias, f->nv);
    } else if (strncmp(line, "qacc ", 5) == 0) {
      read_line(line + 5, f->qacc, f->nv);
    } else if (strncmp(line, "M", 1) == 0) {
      row = 0;
    }
  }
  (void)fclose(file);
  ck_assert_int_eq(row, f->nv);
}

// Puts the state of the facts into `d` and makes T with v = T v', v' the velocities of the facts in their order: a free joint
// has its angular velocity in the body's axes there, in the world's here. Then T' H T and T' bias are those of the facts.
static void set_pose(const facts *f, rh_data *d, double *T)
{
  const rh_model *m = d->model;
  memset(T, 0, (size_t)f->nv * (size_t)f->nv * sizeof *T);
  for (int j = 0; j < f->njoint; j++) {
    const fact_joint *k = &f->joint[j];
    bool root = strcmp(k->kind, "free") == 0;
    int body = rh_model_find(m, root ? RH_OBJECT_BODY : RH_OBJECT_JOINT, root ? k->body : k->name);
    ck_assert_msg(body != RH_NONE, "no joint %s", k->name);
    const rh_model_body *b = &m->body[body];
    if (root) {
      rh_quat q = rh_quat_unit((rh_quat){0.9, 0.1, -0.2, 0.3});
      rh_mat3 R = rh_quat_matrix(q);
      memcpy(d->q + b->qadr, (double[]){0.1, 0.2, 0.9, q.w, q.x, q.y, q.z}, 7 * sizeof(double));
      rh_vec3 w = rh_rotate(&R, rh_v3(0.4, 0.5, -0.6));
      memcpy(d->v + b->vadr, (double[]){0.3, -0.2, 0.1, w.x, w.y, w.z}, 6 * sizeof(double));
      for (int i = 0; i < 3; i++) {
        T[(b->vadr + i) * f->nv + k->dof + i] = 1;
        for (int c = 0; c < 3; c++) {
          T[(b->vadr + 3 + i) * f->nv + k->dof + 3 + c] = R.m[3 * i + c];
        }
      }
    } else {
      ck_assert_int_eq(b->nv, 1);
      d->q[b->qadr] = 0.3 * sin(1.7 * j + 0.5);
      d->v[b->vadr] = 0.5 * cos(j);
      T[b->vadr * f->nv + k->dof] = 1;
      near_abs(m->dof[b->vadr].lower, k->lower, 1e-8); // the facts give them to nine digits
      near_abs(m->dof[b->vadr].upper, k->upper, 1e-8);
    }
  }
}

// T' A T, or T' a for one column.
static void transform(const double *T, const double *A, int n, int columns, double *out)
{
  static double half[NV * NV];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < columns; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++) {
        sum += T[k * n + i] * A[k * columns + j];
      }
      half[i * columns + j] = sum;
    }
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < columns; j++) {
      double sum = 0;
      for (int k = 0; k < n && columns > 1; k++) {
        sum += half[i * columns + k] * T[k * n + j];
      }
      out[i * columns + j] = columns > 1 ? sum : half[i];
    }
  }
}

static void compare_facts(const facts *f, rh_data *d, const double tol[2])
{
  static double T[NV * NV], H[NV * NV], M[NV * NV];
  double bias[NV];
  double x[NV];
  double a[NV];
  const int n = f->nv;
  set_pose(f, d, T);
  rh_kinematics(d);
  rh_mass_matrix(d);
  rh_mass_dense(d, H);
  transform(T, H, n, n, M);
  near_array(M, f->M, n * n, tol[0], tol[1]);
  rh_bias(d, bias);
  transform(T, bias, n, 1, x);
  near_array(x, f->bias, n, tol[0], tol[1]);
  for (int i = 0; i < n; i++) { // H T a' + bias = 0
    a[i] = 0;
    for (int k = 0; k < n; k++) {
      a[i] += T[i * n + k] * f->qacc[k];
    }
  }
  rh_inverse_dynamics(d, a, x);
  double largest = 0;
  for (int i = 0; i < n; i++) {
    largest = fmax(largest, fabs(f->qacc[i]));
  }
  const double none[NV] = {0};
  near_array(x, none, n, 40 * largest * (tol[0] + 1e-11), 0); // a sum of products with 12 digits
  rh_vec3 c = rh_centre_of_mass(d);
  near_array(&c.x, f->com, 3, 1e-12, 1e-12); // 15 digits are given
  near_rel(rh_potential_energy(d), f->potential, 1e-12);
  near_abs(rh_kinetic_energy(d), f->kinetic, tol[0] + 1e-12 * f->kinetic);
}

static void check_robot(const char *file, const char *fact, int nbody, const double tol[2])
{
  const char *folder = getenv("ROUTH_DATA");
  char path[1024];
  static facts f;
  if (!folder) {
    (void)fprintf(stderr, "ref_models: ROUTH_DATA is not set: %s is not checked\n", fact);
    return;
  }
  (void)snprintf(path, sizeof path, "%s/models/facts/%s.txt", folder, fact);
  read_facts(path, &f);
  (void)snprintf(path, sizeof path, "%s/models/%s", folder, file);
  rh_diag *diag = rh_diag_create();
  rh_model *model = load(path, NULL, 0, diag);
  ck_assert_int_eq(rh_diag_count(diag, RH_ERROR), 0);
  ck_assert_int_eq(model->nbody - 1, nbody);
  ck_assert_int_eq(model->nbody - 1, f.nbody);
  ck_assert_int_eq(model->nv, f.nv);
  near_rel(rh_total_mass(model), f.mass, 1e-12);
  rh_data *data = rh_data_create(model);
  compare_facts(&f, data, tol);
  rh_data_destroy(data);
  rh_model_destroy(model);
  rh_diag_destroy(diag);
}

// The facts have twelve digits of numbers that are sums of larger ones. Their inertias are kept as principal axes, whose search
// ends when a turn has 1 - cos < 1e-12, an angle of 1.4e-6: for the trunk of this robot that is 1.2e-9 kg m^2. (The same early
// end put into the inertias of the file brings M to within 5e-11 of the facts.)
START_TEST(atlas_of_drake)
{
  check_robot("atlas/atlas_minimal_contact.urdf", "atlas", 60, (double[]){2e-9, 1e-11});
}

END_TEST

// ANYmal's base link has an inertia of 1e-6 that no matter has; both programs change it, each in its way: 3e-6 about each
// axis here, to 1e-6 on the diagonal there.
START_TEST(anymal)
{
  check_robot("anymal_b/anymal.urdf", "anymal_b", 23, (double[]){5e-6, 1e-11});
}

END_TEST

START_TEST(ur5)
{
  check_robot("ur5/ur5_robot.urdf", "ur5", 10, (double[]){1e-9, 1e-11});
}

END_TEST

Suite *rh_suite_ref_models(void)
{
  Suite *suite = suite_create("ref_models");
  TCase *own = tcase_create("own");
  tcase_add_test(own, atlas_in_two_languages);
  tcase_add_test(own, atlas_reference);
  suite_add_tcase(suite, own);
  TCase *public = tcase_create("public");
  tcase_add_test(public, atlas_of_drake);
  tcase_add_test(public, anymal);
  tcase_add_test(public, ur5);
  suite_add_tcase(suite, public);
  return suite;
}
