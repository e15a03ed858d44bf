// ref_mjcf.c: models in MJCF against numbers of MuJoCo 3.14: poses, M x, bias, passive and actuator forces. The small models
// of tests/data/mjcf each have one thing that importers get wrong. With ROUTH_DATA set to a folder that holds mjcf/ (and next to
// it, or in it, reference/mjcf/) its models are checked too: what is read must agree, what is refused must have a place.
#include "mjcf_models.h"

#define DATA ROUTH_SOURCE_DIR "/tests/data/mjcf/"

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
  double tendon;   // [m] of lengths
  double equality; // residuals of those of joints and tendons
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

// Constraints stand in the order of the file, those of joints and tendons only.
static void compare_equalities(const reference *r, int state, const world *w, errors *e)
{
  int list = rh_yaml_find(&r->tree, r->root, "equalities");
  int found = rh_yaml_find(&r->tree, state, "equality");
  int loop = 0;
  int i = 0;
  for (int v = r->tree.node[list].first; v != RH_NONE; v = r->tree.node[v].next, i++) {
    char key[16];
    snprintf(key, sizeof key, "%d", i);
    const char *type = rh_yaml_text(&r->tree, rh_yaml_find(&r->tree, v, "type"));
    if ((strcmp(type, "joint") != 0 && strcmp(type, "tendon") != 0) ||
        rh_yaml_find(&r->tree, found, key) == RH_NONE) {
      continue;
    }
    while (loop < w->model->nloop && w->model->loop[loop].kind) {
      loop++;
    }
    ck_assert_int_lt(loop, w->model->nloop);
    const rh_model_loop *l = &w->model->loop[loop++];
    double *want = numbers_at(r, found, key, 1);
    rh_constraint_rows rows[2];
    rh_constraint_stand(w->data, l, &w->data->kin[l->a], &w->data->kin[l->b], rows);
    e->equality = fmax(e->equality, fabs(rows[0].gap[0] - want[0]));
    free(want);
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
    compare_equalities(&r, s, w, &e);
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

static const char *const trap[] = {
    "trap_actuator", "trap_defaults", "trap_equality",   "trap_euler",
    "trap_frames",   "trap_inertia",  "trap_joints",     "trap_mesh",
    "trap_passive",  "trap_tendon",   "trap_total_mass",
};

START_TEST(traps)
{
  char path[512];
  snprintf(path, sizeof path, DATA "%s.xml", trap[_i]);
  world w = open_world(path);
  ck_assert_msg(w.status == RH_OK, "%s: %s", trap[_i],
                rh_diag_kept(w.diag) > 0 ? rh_diag_get(w.diag, 0).text : "?");
  snprintf(path, sizeof path, DATA "%s.json", trap[_i]);
  errors e = compare_model(&w, path);
  ck_assert_msg(e.tendon < 1e-10 && e.equality < 1e-10, "%s: tendon %g, equality %g", trap[_i],
                e.tendon, e.equality);
  ck_assert_msg(e.pose < 1e-12 && e.inertia < 1e-10 && e.bias < 1e-10 && e.load < 1e-10,
                "%s: pose %g, M x %g, bias %g, load %g", trap[_i], e.pose, e.inertia, e.bias,
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

// MuJoCo stops the iteration for principal axes at 1e-12 kg m^2: up to 2e-6 may show where bodies have meshes, several geoms or a
// full inertia; elsewhere 1e-10.
static double inertia_bar(const reference *r)
{
  static const char *const rounded[] = {"composed inertia", "full inertia", "mass from mesh files"};
  int list = rh_yaml_find(&r->tree, r->root, "features");
  for (int v = r->tree.node[list].first; v != RH_NONE; v = r->tree.node[v].next) {
    for (int i = 0; i < RH_COUNT(rounded); i++) {
      if (strcmp(rh_yaml_text(&r->tree, v), rounded[i]) == 0) {
        return 2e-6;
      }
    }
  }
  return 1e-10;
}

static int check_public(const char *folder, const char *name, const char *file)
{
  char path[2048];
  snprintf(path, sizeof path, "%s/mjcf/%s", folder, file);
  world w = open_world(path);
  int read = w.status == RH_OK;
  if (!read) {
    ck_assert_msg(refused_with_place(&w), "%s is refused without a place", name);
    (void)fprintf(stderr, "ref_mjcf: %s is refused: %s\n", name, rh_diag_get(w.diag, 0).text);
  } else {
    snprintf(path, sizeof path, "%s/../reference/mjcf/%s.json", folder, name);
    reference r = open_reference(path);
    double bar = inertia_bar(&r);
    rh_yaml_free(&r.tree);
    errors e = compare_model(&w, path);
    if (getenv("ROUTH_TEST_TABLE")) {
      (void)fprintf(stderr,
                    "%-28s pose %.1e, M x %.1e, bias %.1e, load %.1e, tendon %.1e, equality %.1e\n",
                    name, e.pose, e.inertia, e.bias, e.load, e.tendon, e.equality);
    }
    ck_assert_msg(e.pose < 1e-12 && e.inertia < bar && e.bias < bar && e.load < bar,
                  "%s: pose %g, M x %g, bias %g, load %g", name, e.pose, e.inertia, e.bias, e.load);
    ck_assert_msg(e.tendon < 1e-10 && e.equality < 1e-10,
                  "%s: length of a tendon %g, residual of an equality %g", name, e.tendon,
                  e.equality);
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
  ck_assert_int_ge(read, all - 1);
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
