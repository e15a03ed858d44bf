/* Routh adapter: S5fd (forward dynamics of H27), S6 (accuracy per cost), and by routh_moreau.c the scenes with contact.
 * Variants of S5fd: "" one revolute joint a hinge, with massless bodies between the hinges of one place;
 * "universal" one universal joint for two hinges of one place.
 * Variants of S6: rk4, euler: the harness's steps, each a run to the next multiple of dt; rk4-run, gbs-run, euler-run, cvode:
 * one run over the 10 s with frames every 0.1 s, the way a user runs it, at the step sizes or tolerances of `points`. */
#include "bench.h"
#include "routh_box.h"
#include "routh_moreau.h"
#include <routh/routh.h>

enum { BODY_MAX = 32, FRAMES = 100 };

typedef struct Part {
  double half[3], mass, at[3], spin[3]; /* box; place of its centre in the world */
  int parent;                           /* -2: free; -1: hinged to the world */
  double anchor[3], axis[3];
  int body; /* in the model */
} Part;

typedef struct World {
  Cfg cfg;
  rh_scene *scene;
  rh_model *model;
  rh_sim *sim;
  rh_data *data;
  Part part[BODY_MAX];
  int nparts;
  long steps;
  int q_first, v_first; /* S5fd: where the hinges start */
  double a[64];
} World;

static void die(const char *what, const rh_diag *diag)
{
  char text[1024];
  fprintf(stderr, "routh: %s\n", what);
  for (int i = 0; diag && i < rh_diag_kept(diag); i++) {
    rh_message m = rh_diag_get(diag, i);
    rh_message_format(&m, text, sizeof text);
    fprintf(stderr, "%s\n", text);
  }
  exit(1);
}

static void *open_world(const Cfg *c)
{
  World *w = calloc(1, sizeof *w);
  rh_world_def def = rh_world_default();
  w->cfg = *c;
  w->scene = rh_scene_create();
  def.gravity[0] = def.gravity[1] = 0;
  def.gravity[2] = -c->g;
  rh_scene_set_world(w->scene, &def);
  return w;
}

static rh_model *compile(rh_scene *scene)
{
  rh_diag *diag = rh_diag_create();
  rh_model *model = NULL;
  if (rh_scene_compile(scene, diag, &model) != RH_OK) {
    die("the scene does not compile", diag);
  }
  rh_diag_destroy(diag);
  return model;
}

static void add_joint(rh_scene *scene, const char *kind, const char *parent, const char *child,
                      const double at[3], const double *par, int npar)
{
  rh_joint_def j = rh_joint_default(kind);
  j.name = rh_name_of(child);
  j.parent = rh_name_of(parent);
  j.child = rh_name_of(child);
  memcpy(j.at, at, sizeof j.at);
  if (npar > 0) {
    memcpy(j.par, par, (size_t)npar * sizeof *par);
  }
  if (rh_scene_add_joint(scene, &j) == RH_NONE) {
    die("out of memory", NULL);
  }
}

/* ---- Boxes and hinges, for S6 */

static int add_box(void *p, const double h[3], double m, const double x[3])
{
  World *w = p;
  Part *b = &w->part[w->nparts];
  memcpy(b->half, h, sizeof b->half);
  memcpy(b->at, x, sizeof b->at);
  b->mass = m;
  b->parent = -2;
  return w->nparts++;
}

static int add_hinge(void *p, int parent, int child, const double at[3], const double axis[3])
{
  Part *b = &((World *)p)->part[child];
  b->parent = parent;
  memcpy(b->anchor, at, sizeof b->anchor);
  memcpy(b->axis, axis, sizeof b->axis);
  return 0;
}

static void set_spin(void *p, int b, const double v[3])
{
  memcpy(((World *)p)->part[b].spin, v, 24);
}

static void name_part(int i, char name[16])
{
  snprintf(name, 16, i < 0 ? "world" : "b%d", i);
}

static void build_part(World *w, int i)
{
  Part *b = &w->part[i];
  char name[16];
  char parent[16];
  double at[3];
  rh_body_def body = rh_body_default();
  const double *h = b->half;
  name_part(i, name);
  name_part(b->parent < 0 ? -1 : b->parent, parent);
  body.name = rh_name_of(name);
  body.mass = b->mass;
  body.inertia.n = 6;
  for (int k = 0; k < 3; k++) {
    double a = h[(k + 1) % 3];
    double c = h[(k + 2) % 3];
    body.inertia.x[k] = b->mass * (a * a + c * c) / 3;
    body.com[k] = b->parent == -2 ? 0 : b->at[k] - b->anchor[k];
    at[k] = b->parent == -2 ? b->at[k]
                            : b->anchor[k] - (b->parent < 0 ? 0 : w->part[b->parent].anchor[k]);
  }
  if (rh_scene_add_body(w->scene, &body) == RH_NONE) {
    die("out of memory", NULL);
  }
  if (b->parent == -2) {
    rh_joint_def j = rh_joint_default("free");
    j.name = j.child = rh_name_of(name);
    j.parent = rh_name_of("world");
    j.q = (rh_list){7, {at[0], at[1], at[2], 1, 0, 0, 0}};
    j.v = (rh_list){6, {0, 0, 0, b->spin[0], b->spin[1], b->spin[2]}};
    rh_scene_add_joint(w->scene, &j);
  } else {
    add_joint(w->scene, "revolute", parent, name, at, b->axis, 3);
  }
}

/* `integrator` with its accuracy: dt, or rtol with atol = rtol (as the peers' sundials.c). */
static void start(World *w, const char *integrator, double accuracy, double every)
{
  rh_run_def run = rh_run_default("event", integrator);
  rh_record_def record = rh_record_default();
  const rh_row *row = rh_kind_find("integrators", integrator);
  rh_diag *diag = rh_diag_create();
  static const char *const key[] = {"dt", "rtol", "atol"};
  if (!row) {
    die("no such integrator", NULL);
  }
  for (int i = 0; i < w->nparts; i++) {
    build_part(w, i);
  }
  run.until = 1e6;
  for (int i = 0; i < 3; i++) {
    int k = rh_row_find(row, key[i]);
    if (k != RH_NONE) {
      run.integrator_par[rh_row_offset(row, k)] = accuracy;
    }
  }
  record.every = every;
  record.batch = 100000; /* a batch begins with a restart of the integrator */
  rh_scene_set_run(w->scene, &run);
  rh_scene_set_record(w->scene, &record);
  w->model = compile(w->scene);
  if (rh_sim_create(w->model, diag, &w->sim) != RH_OK) {
    die("no simulation", diag);
  }
  rh_diag_destroy(diag);
  w->data = rh_sim_data(w->sim);
  for (int i = 0; i < w->nparts; i++) {
    char name[16];
    name_part(i, name);
    w->part[i].body = rh_model_find(w->model, RH_OBJECT_BODY, name);
  }
}

static void ready(void *p)
{
  World *w = p;
  start(w, strncmp(w->cfg.variant, "euler", 5) == 0 ? "euler" : "rk4", w->cfg.dt, 1);
}

static void step(void *p)
{
  World *w = p;
  if (rh_sim_run(w->sim, (double)++w->steps * w->cfg.dt) != RH_OK) {
    die(rh_sim_reason(w->sim), NULL);
  }
}

static void read_part(const rh_data *d, const Part *b, double s[13])
{
  if (b->parent == -2) {
    const rh_model_body *m = &d->model->body[b->body];
    memcpy(s, d->q + m->qadr, 56);
    memcpy(s + 7, d->v + m->vadr, 48);
    return;
  }
  const rh_kin_body *k = &d->kin[b->body];
  rh_vec3 com = rh_v3(b->at[0] - b->anchor[0], b->at[1] - b->anchor[1], b->at[2] - b->anchor[2]);
  rh_vec3 x = rh_point_position(d, b->body, com);
  rh_vec3 v = rh_point_velocity(d, b->body, com);
  rh_quat q = rh_quat_of_matrix(&k->R);
  double all[13] = {x.x, x.y, x.z, q.w,        q.x,        q.y,       q.z,
                    v.x, v.y, v.z, k->v.ang.x, k->v.ang.y, k->v.ang.z};
  memcpy(s, all, sizeof all);
}

static void get(void *p, int i, double s[13])
{
  World *w = p;
  if (w->part[i].parent != -2) {
    rh_kinematics(w->data);
  }
  read_part(w->data, &w->part[i], s);
}

static void close_world(void *p)
{
  World *w = p;
  if (w->sim) {
    rh_sim_destroy(w->sim);
  } else {
    rh_data_destroy(w->data);
  }
  rh_model_destroy(w->model);
  rh_scene_destroy(w->scene);
  free(w);
}

/* ---- S5fd */

static void add_hum_body(World *w, const char *name, int index)
{
  rh_body_def body = rh_body_default();
  double com[3];
  double I[9];
  body.name = rh_name_of(name);
  if (index < 0) { /* between two hinges of one place */
    body.mass = 0;
    body.inertia = (rh_list){6, {0}};
  } else {
    hum_inertia(index, com, I);
    body.mass = hum_body[index].m;
    memcpy(body.com, com, sizeof com);
    body.inertia = (rh_list){6, {I[0], I[4], I[8], I[1], I[2], I[5]}};
  }
  if (rh_scene_add_body(w->scene, &body) == RH_NONE) {
    die("out of memory", NULL);
  }
}

static void add_limb(World *w, int index)
{
  static const double here[3] = {0, 0, 0};
  const HumBody *b = &hum_body[index];
  const double *at = b->at;
  bool pairs = strcmp(w->cfg.variant, "universal") == 0;
  char parent[32];
  snprintf(parent, sizeof parent, "%s", hum_body[b->parent].name);
  for (const char *s = b->axes; *s;) {
    int n = pairs && strlen(s) == 2 ? 2 : 1;
    char child[32];
    double par[6];
    for (int k = 0; k < n; k++) {
      hum_axis(s[k], par + 3 * k);
    }
    s += n;
    if (*s) {
      snprintf(child, sizeof child, "%s_%d", b->name, (int)(s - b->axes));
      add_hum_body(w, child, -1);
    } else {
      snprintf(child, sizeof child, "%s", b->name);
      add_hum_body(w, child, index);
    }
    add_joint(w->scene, n == 2 ? "universal" : "revolute", parent, child, at, par, 3 * n);
    snprintf(parent, sizeof parent, "%s", child);
    at = here;
  }
}

static void *hum(const Cfg *c)
{
  World *w = open_world(c);
  static const double here[3] = {0, 0, 0};
  add_hum_body(w, hum_body[0].name, 0);
  add_joint(w->scene, "free", "world", hum_body[0].name, here, NULL, 0);
  for (int i = 1; i < HNB; i++) {
    add_limb(w, i);
  }
  w->model = compile(w->scene);
  w->data = rh_data_create(w->model);
  if (!w->data || w->model->nv != 27 || w->model->nq != 28) {
    die("H27 should have 27 degrees of freedom", NULL);
  }
  int root = rh_model_find(w->model, RH_OBJECT_BODY, hum_body[0].name);
  if (w->model->body[root].qadr != 0) {
    die("the root of H27 should come first", NULL);
  }
  return w;
}

static void hum_fd(void *p, const double q[21], const double v[21], double qdd[21])
{
  static const double root[7] = {0, 0, 1.29, 1, 0, 0, 0};
  World *w = p;
  rh_data *d = w->data;
  memcpy(d->q, root, sizeof root);
  memcpy(d->q + 7, q, 168);
  memset(d->v, 0, 48);
  memcpy(d->v + 6, v, 168);
  rh_kinematics(d);
  rh_aba(d, d->tau, w->a);
  memcpy(qdd, w->a + 6, 168);
}

/* ---- S6 as one run: errors are the largest over the frames, and the same run is timed */

typedef struct Watch {
  const World *world;
  int top;
  double e0, L0[3], de, dL, x;
} Watch;

static void watch_top(Watch *t, const double s[13], long index)
{
  double I[3];
  double R[9];
  double w[3];
  double L[3];
  double e = 0;
  double d = 0;
  top_inertia_(I);
  q2R(s + 3, R);
  for (int j = 0; j < 3; j++) {
    w[j] = R[j] * s[10] + R[3 + j] * s[11] + R[6 + j] * s[12];
    e += 0.5 * I[j] * w[j] * w[j];
  }
  for (int j = 0; j < 3; j++) {
    L[j] = R[3 * j] * I[0] * w[0] + R[3 * j + 1] * I[1] * w[1] + R[3 * j + 2] * I[2] * w[2];
  }
  if (index == 0) {
    t->e0 = e;
    memcpy(t->L0, L, sizeof L);
  }
  for (int j = 0; j < 3; j++) {
    d += (L[j] - t->L0[j]) * (L[j] - t->L0[j]);
  }
  t->de = fmax(t->de, fabs(e - t->e0) / t->e0);
  t->dL = fmax(t->dL, sqrt(d) / norm3(t->L0));
  if (index == FRAMES) {
    t->x = qangle_(s + 3, top_ref_());
  }
}

static rh_status watch(void *user, const rh_sim *sim, long index)
{
  Watch *t = user;
  const rh_data *d = rh_sim_view(sim);
  double s[13];
  double R[9];
  double e = 0;
  if (t->top) {
    read_part(d, &t->world->part[0], s);
    watch_top(t, s, index);
    return RH_OK;
  }
  rh_kinematics((rh_data *)d);
  for (int b = 0; b < 2; b++) {
    read_part(d, &t->world->part[b], s);
    e += 0.5 * (s[7] * s[7] + s[8] * s[8] + s[9] * s[9]) + 0.5 * (0.2525 / 3) * s[11] * s[11] +
         GRAV * s[2];
  }
  t->de = fmax(t->de, fabs(e) / 19.62);
  if (index == FRAMES / 5) {
    const double *r = dp_ref_();
    q2R(s + 3, R);
    t->x = hypot(s[0] + 0.5 * R[0] - r[0], s[2] + 0.5 * R[6] - r[1]);
  }
  return RH_OK;
}

static World *one_world(int top, const char *variant, const char *integrator, double accuracy)
{
  static const double o[3] = {0, 0, 0};
  static const double half[3] = {0.5, 0.05, 0.05};
  static const double at[2][3] = {{0.5, 0, 0}, {1.5, 0, 0}};
  static const double anchor[2][3] = {{0, 0, 0}, {1, 0, 0}};
  static const double axis[3] = {0, 1, 0};
  Cfg c = {1, top ? 0 : GRAV, 0, 0, 0, 0, 0, top ? "S6a" : "S6b", variant};
  World *w = open_world(&c);
  if (top) {
    add_box(w, toph_, 1, o);
    set_spin(w, 0, topw_);
  } else {
    for (int b = 0; b < 2; b++) {
      add_box(w, half, 1, at[b]);
      add_hinge(w, b - 1, b, anchor[b], axis);
    }
  }
  start(w, integrator, accuracy, 10.0 / FRAMES);
  return w;
}

static void one_point(int top, const char *variant, const char *integrator, double accuracy)
{
  double t[15];
  double sum = 0;
  int n = 0;
  char name[32];
  Watch watched = {0};
  World *w = one_world(top, variant, integrator, accuracy);
  rh_observer observer = {.user = &watched, .frame = watch};
  watched.world = w;
  watched.top = top;
  rh_sim_observe(w->sim, &observer);
  if (rh_sim_run(w->sim, 10) != RH_OK) {
    die(rh_sim_reason(w->sim), NULL);
  }
  long calls = rh_sim_statistics(w->sim).step.evaluations;
  close_world(w);
  for (; n < 15 && (n < 3 || sum < 0.2); n++) {
    w = one_world(top, variant, integrator, accuracy);
    double t0 = cpu_();
    if (rh_sim_run(w->sim, 10) != RH_OK) {
      die(rh_sim_reason(w->sim), NULL);
    }
    t[n] = cpu_() - t0;
    sum += t[n];
    close_world(w);
  }
  qsort(t, (size_t)n, sizeof *t, cmpd_);
  snprintf(name, sizeof name, "%s_%s%g", top ? "S6a" : "S6b",
           strcmp(integrator, "cvode") == 0 ? "tol" : "dt", accuracy);
  emit(name, top ? "energy_relerr_max" : "energy_err_max_rel", watched.de);
  if (top) {
    emit(name, "angmom_relerr_max", watched.dL);
  }
  emit(name, top ? "angle_err_end_rad" : "tip_err_2s_m", watched.x);
  emit(name, "rhs_calls", (double)calls);
  emit(name, "cpu_s", t[n / 2]);
}

/* Variants that end in -run, and cvode; false: the variant is one of the harness's own. */
static bool run_points(const char *variant)
{
  static const double dt[] = {0.1,    0.05,    0.025, 0.0125, 0.01,   0.005,
                              0.0025, 0.00125, 0.001, 5e-4,   2.5e-4, 1e-4};
  static const double tol[] = {1e-3, 1e-4,  1e-5,  1e-6,  1e-7, 1e-8,
                               1e-9, 1e-10, 1e-11, 1e-12, 1e-13};
  bool cvode = strncmp(variant, "cvode", 5) == 0;
  char integrator[16];
  if (!cvode && !strstr(variant, "-run")) {
    return false;
  }
  snprintf(integrator, sizeof integrator, "%.*s", (int)strcspn(variant, "-"), variant);
  snprintf(label_, sizeof label_, "routh-" RH_VERSION "%s/%s", getenv("TAG") ? getenv("TAG") : "",
           variant);
  for (int top = 1; top >= 0; top--) {
    for (int k = 0; k < (cvode ? RH_COUNT(tol) : RH_COUNT(dt)); k++) {
      one_point(top, variant, integrator, cvode ? tol[k] : dt[k]);
    }
  }
  return true;
}

/* ---- Contact, by the engine stepping; the pushing force comes with the scene */

static void *open_stepped(const Cfg *c)
{
  static const double none[3] = {0, 0, 0};
  bool pushed = strcmp(c->scene, "S4") == 0 || strcmp(c->scene, "S8") == 0;
  return moreau_open(c, pushed ? push_ : none);
}

static void pushed_already(void *p, int b, const double f[3])
{
  (void)p;
  (void)b;
  (void)f;
}

static int stepped(int argc, char **argv)
{
  bool bulk = strncmp(argv[2], "moreau-run", 10) == 0;
  const Eng engine = {
      .name = "routh-" RH_VERSION,
      .open = open_stepped,
      .plane = moreau_plane,
      .sphere = moreau_sphere,
      .box = moreau_box,
      .ready = moreau_ready,
      .force = pushed_already,
      .step = moreau_step,
      .run = bulk ? moreau_run : NULL,
      .get = moreau_get,
      .ncon = moreau_ncon,
      .weight = moreau_weight,
      .close = moreau_close,
      .hum = moreau_hum,
      .hum_get = moreau_hum_get,
  };
  return bench_main(&engine, argc, argv);
}

int main(int argc, char **argv)
{
  static const Eng engine = {
      .name = "routh-" RH_VERSION,
      .open = open_world,
      .box = add_box,
      .hinge = add_hinge,
      .spin = set_spin,
      .ready = ready,
      .step = step,
      .get = get,
      .close = close_world,
      .hum = hum,
      .hum_fd = hum_fd,
  };
  const char *scene = argc > 1 ? argv[1] : "";
  if (strcmp(scene, "S7") == 0) {
    return routh_box_main(argc, argv);
  }
  if (argc > 2 && strncmp(argv[2], "moreau", 6) == 0) {
    return stepped(argc, argv);
  }
  if (strcmp(scene, "S5fd") != 0 && strcmp(scene, "S6") != 0) {
    fprintf(stderr, "routh: scene %s wants a variant moreau...\n", scene);
    return 2;
  }
  if (strcmp(scene, "S6") == 0 && argc > 2 && run_points(argv[2])) {
    return 0;
  }
  return bench_main(&engine, argc, argv);
}
