// run.c: worlds of [CSC]'s figures, and runs of the peg in the corner with their metrics.
#include "csc.h"

#include <string.h>

extern const char rh_scene_haptic_linkage[];
extern const unsigned long rh_scene_haptic_linkage_size;

static const rh_scene_text peg = RH_SCENE_TEXT(csc, peg);
const rh_scene_text rh_csc_arm = RH_SCENE_TEXT(csc, arm);
const rh_scene_text rh_csc_wall = RH_SCENE_TEXT(csc, wall);
const rh_scene_text rh_csc_linkage_scene = {"scenes/haptic-linkage.yaml", rh_scene_haptic_linkage,
                                            &rh_scene_haptic_linkage_size};

// ---- Worlds

void rh_csc_close(rh_csc_world *w)
{
  rh_haptic_destroy(w->h);
  rh_data_destroy(w->d);
  rh_model_destroy(w->m);
  *w = (rh_csc_world){0};
}

static rh_status compile_world(const rh_scene_text *from, const char *const *set, int n,
                               rh_diag *diag, rh_csc_world *w)
{
  rh_scene *scene = NULL;
  rh_status status = rh_scene_parse(from->text, *from->bytes, from->path, set, n, diag, &scene);
  status = status == RH_OK ? rh_scene_compile(scene, diag, &w->m) : status;
  rh_scene_destroy(scene);
  status = status == RH_OK ? rh_haptic_create(w->m, diag, &w->h) : status;
  if (status == RH_OK) {
    w->d = rh_data_create(w->m);
    status = w->d != NULL ? RH_OK : RH_OUT_OF_MEMORY;
  }
  return status;
}

rh_status rh_csc_open(const rh_scene_text *from, const char *const *set, int nset,
                      const rh_request *request, rh_csc_world *w)
{
  int more = request != NULL ? request->nset : 0;
  rh_diag *diag = rh_diag_create();
  const char **all = rh_alloc((size_t)(nset + more + 1) * sizeof *all);
  *w = (rh_csc_world){0};
  rh_status status = diag != NULL && all != NULL ? RH_OK : RH_OUT_OF_MEMORY;
  for (int i = 0; status == RH_OK && i < nset + more; i++) {
    all[i] =
        i < nset ? set[i] : request->set[i - nset]; // the user's come last, and take precedence
  }
  status = status == RH_OK ? compile_world(from, all, nset + more, diag, w) : status;
  if (status != RH_OK) {
    rh_csc_close(w);
    status =
        rh_refuse(status, "paper: %s: %s", from->path,
                  rh_diag_kept(diag) > 0 ? rh_diag_get(diag, 0).text : rh_status_message(status));
  }
  rh_free(all);
  rh_diag_destroy(diag);
  return status;
}

// ---- Runs

rh_csc_ask rh_csc_asked(const char *label, const char *method, const char *limits)
{
  rh_csc_ask ask = {.label = label,
                    .method = method,
                    .limits = limits,
                    .q0 = {0.040, -0.035, 0.15},
                    .until = 6,
                    .sub = 1};
  ask.sub = strncmp(method, "ideal", 5) == 0 ? RH_CSC_SUB : 1;
  return ask;
}

static rh_status open_ask(const rh_csc_ask *ask, const rh_request *request, rh_csc_world *w)
{
  enum { OWN = 9 };

  char text[OWN][2 * RH_NAME_MAX];
  const char *set[OWN + RH_COUNT(ask->set)];
  int n = 0;
  snprintf(text[n++], sizeof *text, "haptic.method=%s", ask->method);
  snprintf(text[n++], sizeof *text, "haptic.limits=%s", ask->limits);
  snprintf(text[n++], sizeof *text, "haptic.select=%s",
           ask->select != NULL ? ask->select : "strict");
  for (int i = 0; i < 2; i++) {
    snprintf(text[n++], sizeof *text, "%s.q=[%.17g,%.17g,%.17g]", i == 0 ? "tool" : "device",
             ask->q0[0], ask->q0[1], ask->q0[2]);
  }
  snprintf(text[n++], sizeof *text, "haptic.e=%.17g", ask->e);
  snprintf(text[n++], sizeof *text, "run.dt=%.17g", 1.0 / RH_CSC_RATE / ask->sub);
  snprintf(text[n++], sizeof *text, "wall.mu=%.17g", ask->mu);
  if (ask->v_threshold > 0) {
    snprintf(text[n++], sizeof *text, "wall.v_threshold=%.17g", ask->v_threshold);
  }
  for (int i = 0; i < n; i++) {
    set[i] = text[i];
  }
  for (int i = 0; i < RH_COUNT(ask->set) && ask->set[i] != NULL; i++) {
    set[n++] = ask->set[i];
  }
  return rh_csc_open(&peg, set, n, request, w);
}

static void keep_tick(rh_csc_run *run, const rh_csc_world *w, int k, const rh_haptic_out *out)
{
  const rh_model *m = w->m;
  memcpy(run->hand[k], w->d->q + m->body[m->haptic.device].qadr, sizeof *run->hand);
  memcpy(run->tool[k], w->d->q + m->body[m->haptic.tool].qadr, sizeof *run->tool);
  if (out->state == RH_STATE_COLLIDING && run->ask.sub == 1) {
    const double hit[5] = {k, out->ncontact, out->env[0], out->env[1], out->env[5]};
    memcpy(run->hit[run->nhit++], hit, sizeof hit);
  }
}

static void run_ticks(rh_csc_run *run, const rh_csc_world *w, rh_metrics *metrics)
{
  for (int k = 0; k < run->n; k++) {
    rh_haptic_out out = {0};
    for (int i = 0; i < run->ask.sub; i++) {
      rh_haptic_tick(w->h, w->d, NULL, &out);
      rh_metrics_add(metrics, w->d);
      for (int c = 0; c < 3; c++) {
        run->wrench[k][c] += out.wrench[c < 2 ? c : 5] / run->ask.sub;
      }
    }
    keep_tick(run, w, k, &out);
  }
}

// The goal of the metrics is the peg flush in its corner.
rh_status rh_csc_go(const rh_csc_ask *ask, const rh_request *request, rh_csc_run *run)
{
  rh_csc_world w = {0};
  rh_metrics *metrics = NULL;
  rh_metrics_opt opt = rh_metrics_default();
  opt.goal = rh_v3(0.0105, -0.00525, 0);
  opt.window = 1.0 / RH_CSC_RATE;
  *run = (rh_csc_run){.ask = *ask, .n = (int)lround(ask->until * RH_CSC_RATE)};
  RH_TRY(open_ask(ask, request, &w));
  size_t n = (size_t)run->n;
  run->hand = rh_alloc(n * sizeof *run->hand);
  run->tool = rh_alloc(n * sizeof *run->tool);
  run->wrench = rh_alloc(n * sizeof *run->wrench);
  run->hit = rh_alloc(n * sizeof *run->hit);
  rh_status status = run->hand != NULL && run->tool != NULL && run->wrench != NULL &&
                             run->hit != NULL && w.m->haptic.device != RH_NONE
                         ? rh_metrics_create(w.m, &opt, &metrics)
                         : RH_OUT_OF_MEMORY;
  if (status == RH_OK) {
    run_ticks(run, &w, metrics);
    run->r = rh_metrics_read(metrics);
  }
  rh_metrics_destroy(metrics);
  rh_csc_close(&w);
  return status == RH_OK ? RH_OK : rh_refuse(status, "out of memory");
}

void rh_csc_run_free(rh_csc_run *run)
{
  rh_free(run->hand);
  rh_free(run->tool);
  rh_free(run->wrench);
  rh_free(run->hit);
  *run = (rh_csc_run){0};
}

static void put_hand(rh_data *d, const double at[3])
{
  const rh_model *m = d->model;
  memcpy(d->q + m->body[m->haptic.device].qadr, at, 3 * sizeof *at);
  rh_kinematics(d);
}

rh_status rh_csc_rms(const rh_csc_run *a, const rh_csc_run *b, double *rms)
{
  rh_csc_world w = {0};
  double sum = 0;
  RH_TRY(open_ask(&a->ask, NULL, &w));
  rh_data *other = rh_data_create(w.m);
  int n = a->n < b->n ? a->n : b->n;
  for (int k = 0; k < n && other != NULL; k++) {
    put_hand(w.d, a->hand[k]);
    put_hand(other, b->hand[k]);
    sum += rh_metrics_distance2(w.d, other);
  }
  *rms = sqrt(sum / fmax(n, 1));
  rh_status status = other != NULL ? RH_OK : rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  rh_data_destroy(other);
  rh_csc_close(&w);
  return status;
}

static void drop_set(void *kept)
{
  rh_csc_set *set = kept;
  for (int i = 0; i < set->n; i++) {
    rh_csc_run_free(&set->run[i]);
  }
  rh_yaml_free(&set->page);
  rh_free(set);
}

rh_status rh_csc_keep(rh_redone *redone, const rh_csc_ask *ask, int n)
{
  rh_csc_set *set = rh_alloc(sizeof *set);
  if (set == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  redone->kept = set;
  redone->drop = drop_set;
  for (; set->n < n; set->n++) {
    rh_status status = rh_csc_go(&ask[set->n], redone->request, &set->run[set->n]);
    if (status != RH_OK) {
      rh_csc_run_free(&set->run[set->n]);
      return status;
    }
  }
  return RH_OK;
}

// ---- Reference runs

static void answer_ticks(const rh_csc_run *run, const double *tick, int n, rh_json *json)
{
  rh_json_open_array(json, "places");
  for (int i = 0; i < n; i++) {
    int k = (int)tick[i] - 1;
    const double at[4] = {run->hand[k][0], run->hand[k][1], run->tool[k][0], run->tool[k][1]};
    rh_json_numbers(json, NULL, at, 4);
  }
  rh_json_close(json);
  rh_json_open_array(json, "angles");
  for (int i = 0; i < n; i++) {
    int k = (int)tick[i] - 1;
    const double at[2] = {run->hand[k][2], run->tool[k][2]};
    rh_json_numbers(json, NULL, at, 2);
  }
  rh_json_close(json);
}

static void answer_metrics(const rh_metrics_result *r, rh_json *json)
{
  rh_json_open_object(json, "metrics");
  rh_json_number(json, "pen_hand", r->pen_hand);
  rh_json_number(json, "pen_tool", r->pen_tool);
  rh_json_integer(json, "bounces", r->bounces);
  rh_json_number(json, "t_pos", r->t_pos);
  rh_json_number(json, "t_ang", r->t_ang);
  rh_json_number(json, "t_settle", r->t_settle);
  rh_json_number(json, "peak_fx", r->peak[0]);
  rh_json_number(json, "peak_fy", r->peak[1]);
  rh_json_number(json, "peak_tau", r->peak[5]);
  rh_json_close(json);
}

rh_status rh_csc_peg_case(const rh_ch_case *c, rh_json *json)
{
  enum { TICKS = 12 };

  rh_csc_run run;
  double tick[TICKS];
  rh_csc_ask ask =
      rh_csc_asked("", rh_ch_word(c, c->inputs, "method"), rh_ch_word(c, c->inputs, "limits"));
  ask.select = rh_ch_word(c, c->inputs, "select");
  ask.until = rh_ch_number(c, c->inputs, "until");
  ask.e = rh_ch_number(c, c->inputs, "e");
  ask.mu = rh_ch_number(c, c->inputs, "mu");
  ask.v_threshold = rh_ch_number(c, c->inputs, "v_threshold");
  (void)rh_ch_numbers(c, c->inputs, "q0", ask.q0, 3);
  int n = rh_ch_numbers(c, c->inputs, "ticks", tick, TICKS);
  rh_status status = rh_csc_go(&ask, NULL, &run);
  if (status == RH_OK) {
    answer_metrics(&run.r, json);
    rh_json_numbers(json, "final", run.hand[run.n - 1], 3);
    answer_ticks(&run, tick, n, json);
    rh_json_integer(json, "n_collision_steps", run.nhit);
    rh_json_open_array(json, "collisions");
    for (int i = 0; i < run.nhit; i++) {
      rh_json_numbers(json, NULL, run.hit[i], 5);
    }
    rh_json_close(json);
  }
  rh_csc_run_free(&run);
  return status;
}
