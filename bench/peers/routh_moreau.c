/* Contact scenes of the harness by Routh's engine `stepping`, through the public interface: scene, compile, rh_sim_run. */
#include "routh_moreau.h"
#include "../scene_parts.h"

typedef struct Stepped {
  Cfg cfg;
  double push[3];
  rh_scene *scene;
  rh_model *model;
  rh_sim *sim;
  rh_data *data;
  int n, room;
  int *body; /* in the model */
  long steps;
} Stepped;

void *moreau_open(const Cfg *c, const double push[3])
{
  Stepped *w = calloc(1, sizeof *w);
  rh_world_def def = rh_world_default();
  w->cfg = *c;
  memcpy(w->push, push, sizeof w->push);
  w->scene = rh_scene_create();
  def.gravity[0] = def.gravity[1] = 0;
  def.gravity[2] = -c->g;
  rh_scene_set_world(w->scene, &def);
  return w;
}

static rh_name name_of(int i)
{
  char name[16];
  snprintf(name, sizeof name, "b%d", i);
  return rh_name_of(name);
}

/* ---- Shapes and contacts */

void moreau_plane(void *p, const double n[3], double d)
{
  Stepped *w = p;
  rh_shape_def s = rh_shape_default("plane");
  s.body = rh_name_of("world");
  for (int k = 0; k < 3; k++) {
    s.at[k] = d * n[k];
  }
  s.rpy[1] = atan2(hypot(n[0], n[1]), n[2]);
  s.rpy[2] = n[0] == 0 && n[1] == 0 ? 0 : atan2(n[1], n[0]);
  check_added(rh_scene_add_shape(w->scene, &s));
}

static void add_contact(Stepped *w, rh_name body, const char *against, double mu)
{
  const char *friction = mu > 0 ? "dry" : "none";
  rh_contact_def c = rh_contact_default("newton", friction);
  c.body = body;
  c.against = rh_name_of(against);
  set_parameter(&rh_impact_law_find("newton")->row, c.par, "e", w->cfg.rest);
  if (mu > 0) {
    const rh_row *row = &rh_friction_law_find(friction)->row;
    set_parameter(row, c.friction_par, "mu_s", mu);
    set_parameter(row, c.friction_par, "mu_k", mu);
  }
  check_added(rh_scene_add_contact(w->scene, &c));
}

static int add_free(Stepped *w, const rh_shape_def *shape, double m, const double p[3])
{
  rh_body_def body = rh_body_default();
  rh_joint_def j = rh_joint_default("free");
  rh_name name = name_of(w->n);
  body.name = name;
  body.mass = m; /* inertia: of the shape */
  check_added(rh_scene_add_body(w->scene, &body));
  j.name = j.child = name;
  j.parent = rh_name_of("world");
  j.q = (rh_list){7, {p[0], p[1], p[2], 1, 0, 0, 0}};
  check_added(rh_scene_add_joint(w->scene, &j));
  rh_shape_def s = *shape;
  s.body = name;
  check_added(rh_scene_add_shape(w->scene, &s));
  if (w->cfg.collide && w->cfg.mu_bg != w->cfg.mu_bb) {
    add_contact(w, name, "world", w->cfg.mu_bg);
    add_contact(w, name, "all", w->cfg.mu_bb);
  } else if (w->cfg.collide && w->n == 0) { /* one rule for all pairs */
    add_contact(w, rh_name_of("all"), "all", w->cfg.mu_bb);
  }
  return w->n++;
}

int moreau_sphere(void *p, double r, double m, const double at[3])
{
  rh_shape_def s = rh_shape_default("sphere");
  set_parameter(&rh_shape_find("sphere")->row, s.par, "radius", r);
  return add_free(p, &s, m, at);
}

int moreau_box(void *p, const double h[3], double m, const double at[3])
{
  rh_shape_def s = rh_shape_default("box");
  const rh_row *row = &rh_shape_find("box")->row;
  int first = rh_row_offset(row, rh_row_find(row, "size"));
  for (int k = 0; k < 3; k++) {
    s.par[first + k] = 2 * h[k];
  }
  return add_free(p, &s, m, at);
}

/* ---- Running */

static void add_push(Stepped *w)
{
  rh_force_def f = rh_force_default();
  if (norm3(w->push) > 0) {
    f.name = rh_name_of("push");
    f.body = name_of(0);
    memcpy(f.force, w->push, sizeof f.force);
    check_added(rh_scene_add_force(w->scene, &f));
  }
}

/* What the variant asks for behind the first word: -T2, -t9, -s20; -n4 below */
static void set_options(const char *variant, const rh_row *row, double *par)
{
  const char *threads = strstr(variant, "-T");
  const char *tolerance = strstr(variant, "-t");
  const char *sweeps = strstr(variant, "-s");
  if (threads) {
    set_parameter(row, par, "threads", atof(threads + 2));
  }
  if (tolerance) {
    set_parameter(row, par, "tolerance", pow(10, -atof(tolerance + 2)));
  }
  if (sweeps) {
    set_parameter(row, par, "iterations", atof(sweeps + 2));
  }
}

static double parts_of_step(const char *variant)
{
  const char *parts = strstr(variant, "-n");
  return parts ? atof(parts + 2) : 1;
}

void moreau_ready(void *p)
{
  Stepped *w = p;
  rh_run_def run = rh_run_default("stepping", NULL);
  rh_record_def record = rh_record_default();
  const rh_engine *row = rh_engine_find("stepping");
  rh_diag *diag = rh_diag_create();
  if (!row) {
    stop_with("no engine stepping", NULL);
  }
  add_push(w);
  run.until = 1e6;
  if (w->cfg.scene[0] == 'P') { /* cubes of a pyramid touch at their edges too */
    run.contacts = 24 * w->n < 200000 ? 24 * w->n : 200000;
  }
  set_parameter(&row->row, run.par, "dt", w->cfg.dt / parts_of_step(w->cfg.variant));
  set_options(w->cfg.variant, &row->row, run.par);
  record.every = 1; /* contact forces are told with frames */
  rh_scene_set_run(w->scene, &run);
  rh_scene_set_record(w->scene, &record);
  if (rh_scene_compile(w->scene, diag, &w->model) != RH_OK) {
    stop_with("the scene does not compile", diag);
  }
  if (rh_sim_create(w->model, diag, &w->sim) != RH_OK) {
    stop_with("no simulation", diag);
  }
  rh_diag_destroy(diag);
  w->data = rh_sim_data(w->sim);
  w->body = calloc((size_t)w->n + 1, sizeof *w->body);
  for (int i = 0; i < w->n; i++) {
    w->body[i] = rh_model_find(w->model, RH_OBJECT_BODY, name_of(i).text);
  }
}

void moreau_run(void *p, int n)
{
  Stepped *w = p;
  w->steps += n;
  if (rh_sim_run(w->sim, (double)w->steps * w->cfg.dt) != RH_OK) {
    stop_with(rh_sim_reason(w->sim), NULL);
  }
}

void moreau_step(void *p)
{
  moreau_run(p, 1);
}

void moreau_get(void *p, int b, double s[13])
{
  Stepped *w = p;
  const rh_model_body *m = &w->model->body[w->body[b]];
  memcpy(s, w->data->q + m->qadr, 56);
  memcpy(s + 7, w->data->v + m->vadr, 48);
}

int moreau_ncon(void *p)
{
  const rh_data *d = ((Stepped *)p)->data;
  int n = 0;
  for (int k = 0; k < d->ncontact; k++) {
    n += d->contact[k].on;
  }
  return n;
}

/* What the world carries of all bodies */
double moreau_weight(void *p)
{
  const rh_data *d = ((Stepped *)p)->data;
  double sum = 0;
  for (int k = 0; k < d->ncontact; k++) {
    const rh_contact *c = &d->contact[k];
    if (c->on && (c->a == 0 || c->b == 0)) {
      double f = c->normal * c->n.z + c->friction[0] * c->t1.z + c->friction[1] * c->t2.z;
      sum += c->b == 0 ? f : -f;
    }
  }
  return sum;
}

void moreau_close(void *p)
{
  Stepped *w = p;
  rh_sim_destroy(w->sim);
  rh_model_destroy(w->model);
  rh_scene_destroy(w->scene);
  free(w->body);
  free(w);
}

/* ---- H27 */

static void add_hum_body(Stepped *w, const char *name, int index)
{
  rh_body_def body = rh_body_default();
  double com[3];
  double I[9];
  body.name = rh_name_of(name);
  body.inertia = (rh_list){6, {0}};
  if (index >= 0) { /* else it is massless, between two hinges of one place */
    hum_inertia(index, com, I);
    body.mass = hum_body[index].m;
    memcpy(body.com, com, sizeof com);
    body.inertia = (rh_list){6, {I[0], I[4], I[8], I[1], I[2], I[5]}};
  } else {
    body.mass = 0;
  }
  check_added(rh_scene_add_body(w->scene, &body));
  if (index < 0) {
    return;
  }
  for (int k = 0; k < 2; k++) {
    rh_shape_def s = rh_shape_default("sphere");
    s.body = body.name;
    memcpy(s.at, k ? hum_body[index].b : hum_body[index].a, sizeof s.at);
    set_parameter(&rh_shape_find("sphere")->row, s.par, "radius", hum_body[index].r);
    check_added(rh_scene_add_shape(w->scene, &s));
  }
  add_contact(w, body.name, "world", w->cfg.mu_bg);
}

static void add_hum_joint(Stepped *w, const char *parent, const char *child, const double at[3],
                          const char *axes)
{
  int n = (int)strlen(axes);
  rh_joint_def j = rh_joint_default(n == 2 ? "universal" : "revolute");
  j.name = j.child = rh_name_of(child);
  j.parent = rh_name_of(parent);
  memcpy(j.at, at, sizeof j.at);
  for (int k = 0; k < n; k++) {
    hum_axis(axes[k], j.par + 3 * k);
  }
  if (w->cfg.spring) {
    j.spring = (rh_list){n, {HSTIFF, HSTIFF}};
    j.damper = (rh_list){n, {HDAMP, HDAMP}};
  }
  check_added(rh_scene_add_joint(w->scene, &j));
}

/* Two hinges of one place are a universal joint; a third one in front of them has a massless body behind it. */
static void add_limb(Stepped *w, int index)
{
  static const double here[3] = {0, 0, 0};
  const HumBody *b = &hum_body[index];
  const char *parent = hum_body[b->parent].name;
  const double *at = b->at;
  const char *axes = b->axes;
  char between[32];
  if (strlen(axes) == 3) {
    char first[2] = {axes[0], 0};
    snprintf(between, sizeof between, "%s_1", b->name);
    add_hum_body(w, between, -1);
    add_hum_joint(w, parent, between, at, first);
    parent = between;
    at = here;
    axes++;
  }
  add_hum_body(w, b->name, index);
  add_hum_joint(w, parent, b->name, at, axes);
}

void *moreau_hum(const Cfg *c)
{
  static const double none[3] = {0, 0, 0};
  static const double up[3] = {0, 0, 1};
  Stepped *w = moreau_open(c, none);
  const double *at = hum_body[0].at;
  rh_joint_def j = rh_joint_default("free");
  moreau_plane(w, up, 0);
  add_hum_body(w, hum_body[0].name, 0);
  j.name = j.child = rh_name_of(hum_body[0].name);
  j.parent = rh_name_of("world");
  j.q = (rh_list){7, {at[0], at[1], at[2], 1, 0, 0, 0}};
  j.v = (rh_list){6, {hum_v0[0], hum_v0[1], hum_v0[2], hum_w0[0], hum_w0[1], hum_w0[2]}};
  check_added(rh_scene_add_joint(w->scene, &j));
  for (int i = 1; i < HNB; i++) {
    add_limb(w, i);
  }
  moreau_ready(w);
  w->body = realloc(w->body, HNB * sizeof *w->body);
  for (int i = 0; i < HNB; i++) {
    w->body[i] = rh_model_find(w->model, RH_OBJECT_BODY, hum_body[i].name);
  }
  return w;
}

void moreau_hum_get(void *p, int b, double s[13])
{
  Stepped *w = p;
  if (b == 0) { /* the harness asks for all bodies, the root first */
    rh_kinematics(w->data);
  }
  const rh_kin_body *k = &w->data->kin[w->body[b]];
  rh_quat q = rh_quat_of_matrix(&k->R);
  double all[13] = {k->p.x,     k->p.y,     k->p.z,     q.w,        q.x,        q.y,       q.z,
                    k->v.lin.x, k->v.lin.y, k->v.lin.z, k->v.ang.x, k->v.ang.y, k->v.ang.z};
  memcpy(s, all, sizeof all);
}
