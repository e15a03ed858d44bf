// ref_mjcf.c: models in MJCF against numbers of MuJoCo 3.14: poses, M x, bias, passive and actuator forces. The small models
// of tests/data/mjcf each have one thing that importers get wrong. With ROUTH_DATA set to a folder that holds mjcf/ (and next to
// it, or in it, reference/mjcf/) its models are checked too: what is read must agree, what is refused must have a place.
#include "test.h"

#include "multibody/multibody.h"
#include "scene_io/yaml_doc.h"

#include <math.h>
#include <routh/routh.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DATA ROUTH_SOURCE_DIR "/tests/data/mjcf/"

typedef struct reference { // a file of reference numbers, JSON, as a tree of nodes
  rh_yaml tree;
  int root;
} reference;

typedef struct world {
  rh_scene *scene;
  rh_model *model;
  rh_data *data;
  rh_diag *diag;
  rh_status status;
} world;

static reference open_reference(const char *path)
{
  reference r = {0};
  rh_diag *diag = rh_diag_create();
  char *text = NULL;
  size_t bytes = 0;
  const char *name = NULL;
  rh_status status = rh_file_read(path, diag, &text, &bytes, &name);
  ck_assert_msg(status == RH_OK, "%s cannot be read", path);
  status = rh_yaml_read(&r.tree, text, bytes, (rh_yaml_start){0}, diag, &r.root);
  ck_assert_int_eq(status, RH_OK);
  rh_free(text);
  rh_diag_destroy(diag);
  return r;
}

static double number_at(const reference *r, int map, const char *key)
{
  return strtod(rh_yaml_text(&r->tree, rh_yaml_find(&r->tree, map, key)), NULL);
}

// Numbers of a list, lists within it one after another.
static double *numbers_at(const reference *r, int map, const char *key, int n)
{
  double *x = calloc((size_t)n + 1, sizeof *x);
  int list = rh_yaml_find(&r->tree, map, key);
  ck_assert(x != NULL && list != RH_NONE);
  int i = 0;
  for (int v = r->tree.node[list].first; v != RH_NONE; v = r->tree.node[v].next) {
    bool inner = r->tree.node[v].kind == RH_NODE_LIST;
    for (int u = inner ? r->tree.node[v].first : v; u != RH_NONE && i < n;
         u = inner ? r->tree.node[u].next : RH_NONE) {
      x[i++] = strtod(rh_yaml_text(&r->tree, u), NULL);
    }
  }
  ck_assert_msg(i == n, "%s has %d numbers, expected %d", key, i, n);
  return x;
}

static world open_world(const char *path)
{
  world w = {.diag = rh_diag_create()};
  w.status = rh_scene_load(path, NULL, 0, w.diag, &w.scene);
  if (w.status == RH_OK) {
    w.status = rh_scene_compile(w.scene, w.diag, &w.model);
  }
  w.data = w.status == RH_OK ? rh_data_create(w.model) : NULL;
  return w;
}

static void drop_world(world *w)
{
  rh_data_destroy(w->data);
  rh_model_destroy(w->model);
  rh_scene_destroy(w->scene);
  rh_diag_destroy(w->diag);
}

// ---- Velocities and forces: MuJoCo has those of free and ball joints in the axes of the body, Routh in those of the joint

static void turn_speeds(const reference *r, const double *q, bool back, double *v)
{
  int joints = rh_yaml_find(&r->tree, r->root, "joints");
  for (int j = r->tree.node[joints].first; j != RH_NONE; j = r->tree.node[j].next) {
    const char *type = rh_yaml_text(&r->tree, rh_yaml_find(&r->tree, j, "type"));
    int skip = strcmp(type, "free") == 0 ? 3 : 0;
    if (skip == 0 && strcmp(type, "ball") != 0) {
      continue;
    }
    const double *x = q + (int)number_at(r, j, "qposadr") + skip;
    double *w = v + (int)number_at(r, j, "dofadr") + skip;
    rh_mat3 R = rh_quat_matrix((rh_quat){x[0], x[1], x[2], x[3]});
    R = back ? rh_mat3_transpose(&R) : R;
    rh_vec3 turned = rh_rotate(&R, rh_v3(w[0], w[1], w[2]));
    w[0] = turned.x;
    w[1] = turned.y;
    w[2] = turned.z;
  }
}

// Largest difference, row i against sqrt(M_ii) times the largest entry so weighted, or `least`
static double weighted_error(const double *x, const double *y, const double *diagonal, int n,
                             double least)
{
  double worst = 0;
  double size = least;
  for (int i = 0; i < n; i++) {
    worst = fmax(worst, fabs(x[i] - y[i]) / sqrt(diagonal[i]));
    size = fmax(size, fabs(y[i]) / sqrt(diagonal[i]));
  }
  return size > 0 ? worst / size : worst;
}

typedef struct errors {
  double pose, inertia, bias, load;
  double tendon; // [m] of lengths
} errors;

// ---- One state

static void compare_poses(const reference *r, int state, const world *w, errors *e)
{
  int list = rh_yaml_find(&r->tree, r->root, "bodies");
  int nbody = r->tree.node[list].count;
  double *pos = numbers_at(r, state, "xpos", 3 * nbody);
  double *quat = numbers_at(r, state, "xquat", 4 * nbody);
  double size = 1;
  for (int i = 0; i < 3 * nbody; i++) {
    size = fmax(size, fabs(pos[i]));
  }
  int i = 0;
  for (int v = r->tree.node[list].first; v != RH_NONE; v = r->tree.node[v].next, i++) {
    int name = rh_yaml_find(&r->tree, v, "name");
    char text[256];
    snprintf(text, sizeof text, "%s",
             rh_yaml_is_null(&r->tree, name) ? "" : rh_yaml_text(&r->tree, name));
    for (char *t = text; *t; t++) {
      bool plain = (*t >= 'a' && *t <= 'z') || (*t >= 'A' && *t <= 'Z') ||
                   (*t >= '0' && *t <= '9') || *t == '-';
      *t = (char)(plain ? *t : '_');
    }
    if (text[0] == '\0') {
      snprintf(text, sizeof text, "body%d", i);
    }
    int body = i == 0 ? 0 : rh_model_find(w->model, RH_OBJECT_BODY, text);
    ck_assert_msg(body != RH_NONE, "there is no body %s", text);
    rh_mat3 R =
        rh_quat_matrix((rh_quat){quat[4 * i], quat[4 * i + 1], quat[4 * i + 2], quat[4 * i + 3]});
    for (int k = 0; k < 3 && i > 0; k++) { // the origin, and points 1 m off
      rh_vec3 at = rh_v3(k == 1, k == 2, 0);
      rh_vec3 want = rh_add(rh_v3(pos[3 * i], pos[3 * i + 1], pos[3 * i + 2]), rh_rotate(&R, at));
      e->pose = fmax(e->pose, rh_norm(rh_sub(rh_point_position(w->data, body, at), want)) / size);
    }
  }
  free(pos);
  free(quat);
}

static void compare_forces(const reference *r, int state, const world *w, errors *e)
{
  int nv = w->model->nv;
  double *q = numbers_at(r, state, "qpos", w->model->nq);
  double *x = numbers_at(r, r->root, "x", 2 * nv);
  double *want = numbers_at(r, state, "Mx", 2 * nv);
  double *diagonal = numbers_at(r, state, "diagM", nv);
  double *bias = numbers_at(r, state, "qfrc_bias", nv);
  double *passive = numbers_at(r, state, "qfrc_passive", nv);
  double *driven = numbers_at(r, state, "qfrc_actuator", nv);
  double *H = calloc((size_t)nv * (size_t)nv, sizeof *H);
  double *y = calloc((size_t)nv, sizeof *y);
  ck_assert(H != NULL && y != NULL);
  double size = 0;
  rh_mass_dense(w->data, H);
  for (int k = 0; k < 2; k++) {
    turn_speeds(r, q, false, x + k * nv);
    for (int i = 0; i < nv; i++) {
      y[i] = 0;
      for (int j = 0; j < nv; j++) {
        y[i] += H[i * nv + j] * x[k * nv + j];
      }
    }
    turn_speeds(r, q, true, y);
    e->inertia = fmax(e->inertia, weighted_error(y, want + k * nv, diagonal, nv, 0));
    for (int i = 0; i < nv; i++) {
      size = fmax(size, fabs(want[k * nv + i]) / sqrt(diagonal[i]));
    }
  }
  rh_bias(w->data, y);
  turn_speeds(r, q, true, y);
  e->bias = fmax(e->bias, weighted_error(y, bias, diagonal, nv, size));
  rh_loads(w->data);
  memcpy(y, w->data->load, (size_t)nv * sizeof *y);
  turn_speeds(r, q, true, y);
  for (int i = 0; i < nv; i++) {
    passive[i] += driven[i];
    size = fmax(size, fabs(bias[i]) / sqrt(diagonal[i]));
  }
  e->load = fmax(e->load, weighted_error(y, passive, diagonal, nv, size));
  double *all[] = {q, x, want, diagonal, bias, passive, driven, H, y};
  for (int i = 0; i < RH_COUNT(all); i++) {
    free(all[i]);
  }
}

static errors compare_model(const world *w, const char *numbers)
{
  errors e = {0};
  reference r = open_reference(numbers);
  rh_data *d = w->data;
  ck_assert_int_eq(w->model->nq, (int)number_at(&r, r.root, "nq"));
  ck_assert_int_eq(w->model->nv, (int)number_at(&r, r.root, "nv"));
  ck_assert_int_eq(w->model->nactuator, (int)number_at(&r, r.root, "nu"));
  int states = rh_yaml_find(&r.tree, r.root, "states");
  for (int s = r.tree.node[states].first; s != RH_NONE; s = r.tree.node[s].next) {
    double *q = numbers_at(&r, s, "qpos", w->model->nq);
    double *v = numbers_at(&r, s, "qvel", w->model->nv);
    double *u = numbers_at(&r, s, "ctrl", w->model->nactuator);
    turn_speeds(&r, q, false, v);
    memcpy(d->q, q, (size_t)w->model->nq * sizeof *q);
    memcpy(d->v, v, (size_t)w->model->nv * sizeof *v);
    for (int i = 0; i < w->model->nactuator; i++) {
      d->command[i].effort = u[i];
    }
    rh_kinematics(d);
    rh_mass_matrix(d);
    compare_poses(&r, s, w, &e);
    if (w->model->nv > 0) {
      compare_forces(&r, s, w, &e);
    }
    if (w->model->tendons.n > 0) {
      double *length = numbers_at(&r, s, "ten_length", w->model->tendons.n);
      for (int i = 0; i < w->model->tendons.n; i++) {
        e.tendon = fmax(e.tendon, fabs(rh_tendon_length(d, i) - length[i]));
      }
      free(length);
    }
    free(q);
    free(v);
    free(u);
  }
  rh_yaml_free(&r.tree);
  return e;
}

// ---- The tests

// `inertia`: 1e-10 wanted; MuJoCo stops the iteration for principal axes at 1e-12 kg m^2, which may show up to 2e-6 where bodies
// have meshes, several geoms or a full inertia.
static const struct {
  const char *name;
  double inertia;
} trap[] = {
    {"trap_euler", 1e-10}, {"trap_inertia", 1e-10}, {"trap_total_mass", 1e-10},
    {"trap_mesh", 1e-10},  {"trap_joints", 1e-10},  {"trap_frames", 1e-10},
};

START_TEST(traps)
{
  char path[512];
  snprintf(path, sizeof path, DATA "%s.xml", trap[_i].name);
  world w = open_world(path);
  ck_assert_msg(w.status == RH_OK, "%s: %s", trap[_i].name,
                rh_diag_kept(w.diag) > 0 ? rh_diag_get(w.diag, 0).text : "?");
  snprintf(path, sizeof path, DATA "%s.json", trap[_i].name);
  errors e = compare_model(&w, path);
  ck_assert_msg(e.pose < 1e-12 && e.inertia < trap[_i].inertia && e.bias < trap[_i].inertia &&
                    e.load < trap[_i].inertia,
                "%s: pose %g, M x %g, bias %g, load %g", trap[_i].name, e.pose, e.inertia, e.bias,
                e.load);
  drop_world(&w);
}

END_TEST

static bool refused_with_place(const world *w)
{
  for (int i = 0; i < rh_diag_kept(w->diag); i++) {
    rh_message m = rh_diag_get(w->diag, i);
    if (m.severity == RH_ERROR && m.place.file && m.place.line > 0) {
      return true;
    }
  }
  return false;
}

// NAME,FILE pairs of the README's table
static bool next_model(FILE *file, char name[128], char path[256])
{
  char line[1024];
  while (fgets(line, sizeof line, file)) {
    if (sscanf(line, "| %127s | %255s |", name, path) == 2 && strstr(path, ".xml")) {
      return true;
    }
  }
  return false;
}

static int check_public(const char *folder, const char *name, const char *file)
{
  char path[2048];
  snprintf(path, sizeof path, "%s/mjcf/%s", folder, file);
  world w = open_world(path);
  int read = w.status == RH_OK;
  if (!read) {
    ck_assert_msg(refused_with_place(&w), "%s is refused without a place", name);
  } else {
    snprintf(path, sizeof path, "%s/../reference/mjcf/%s.json", folder, name);
    errors e = compare_model(&w, path);
    ck_assert_msg(e.pose < 1e-12 && e.inertia < 2e-6 && e.bias < 2e-6 && e.load < 2e-6,
                  "%s: pose %g, M x %g, bias %g, load %g", name, e.pose, e.inertia, e.bias, e.load);
    ck_assert_msg(e.tendon < 1e-10, "%s: length of a tendon %g", name, e.tendon);
  }
  drop_world(&w);
  return read;
}

START_TEST(public_models)
{
  const char *folder = getenv("ROUTH_DATA");
  char path[2048];
  char name[128];
  char file[256];
  snprintf(path, sizeof path, "%s/mjcf/README.md", folder ? folder : "");
  FILE *list = folder ? fopen(path, "r") : NULL;
  if (!list) {
    (void)fprintf(stderr,
                  "ref_mjcf: ROUTH_DATA/mjcf is not there: public models are not checked\n");
    return;
  }
  int read = 0;
  int all = 0;
  for (; next_model(list, name, file); all++) {
    read += check_public(folder, name, file);
  }
  (void)fclose(list);
  (void)fprintf(stderr, "ref_mjcf: %d of %d public models read\n", read, all);
  ck_assert_int_ge(read, all / 2);
}

END_TEST

Suite *rh_suite_ref_mjcf(void)
{
  Suite *suite = suite_create("ref_mjcf");
  TCase *models = tcase_create("models");
  tcase_set_timeout(models, 300); // clock: a watchdog
  tcase_add_loop_test(models, traps, 0, RH_COUNT(trap));
  tcase_add_test(models, public_models);
  suite_add_tcase(suite, models);
  return suite;
}
