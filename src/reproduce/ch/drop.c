// drop.c: drops of [Ch] ch. 2.3 and 3 answered by running them: the scenes are those of
// figs 3.2 and 3.8, with heights, attitudes and coefficients of each reference case. One sample per
// impact: velocities before and after, impulses, and the state after it.
#include "drop.h"

#include <string.h>

static const rh_scene_text central = RH_SCENE_TEXT(ch, central);
static const rh_scene_text tilted = RH_SCENE_TEXT(ch, tilted);

// ---- Sampling

typedef struct watch {
  rh_ch_fall *fall;
  int most;
} watch;

static rh_vec3 in_world(const rh_contact *c, const double *x)
{
  return rh_addscaled(rh_addscaled(rh_scale(x[0], c->t1), x[1], c->t2), x[2], c->n);
}

static void keep_path(const rh_data *d, const rh_impact_contacts *hit, rh_ch_hit *h)
{
  const size_t rows = 3 * (size_t)hit->all;
  const rh_model_contact *law = &d->model->contact[d->contact[hit->slot[hit->first]].rule];
  rh_point_in in = {.mu_s = law->mu_s, .mu_k = law->mu_k, .e = law->e};
  rh_point_log log = {0};
  rh_point_out out;
  for (size_t i = 0; i < 9; i++) {
    size_t at = 3 * (size_t)hit->first;
    in.W[i] = hit->W[(at + i / 3) * rows + at + i % 3];
    in.u[i % 3] = hit->u[at + i % 3];
  }
  h->path = "";
  if (hit->n == 1) {
    bool stops = false;
    (void)rh_point_follow(law->impact, &in, &out, &log);
    for (int i = 0; i < log.n; i++) {
      stops = stops || log.at[i].kind == RH_TURN_STOP;
    }
    h->path = !stops ? "slip" : out.stuck ? "slip>stick" : "slip>reverse";
    if (rh_hypot(in.u[0], in.u[1]) < 1e-12) {
      h->path = out.stuck || rh_hypot(out.u[0], out.u[1]) < 1e-12 ? "stick" : "start-slip";
    }
  }
}

static void keep_hit(const rh_data *d, const rh_event *event, const rh_impact_contacts *hit,
                     rh_ch_hit *h)
{
  const rh_contact *c = &d->contact[event->slot];
  int own = 0;
  for (int i = hit->first; i < hit->first + hit->n; i++) {
    h->p = rh_add(h->p, in_world(&d->contact[hit->slot[i]], hit->p + 3 * (size_t)i));
    own = hit->slot[i] == event->slot ? i : own;
  }
  h->t = event->t;
  h->points = hit->n;
  h->before = in_world(c, hit->u + 3 * (size_t)own);
  h->com = rh_v3(d->q[0], d->q[1], d->q[2]);
  h->q = (rh_quat){d->q[3], d->q[4], d->q[5], d->q[6]};
  h->v = rh_v3(d->v[0], d->v[1], d->v[2]);
  h->w = rh_v3(d->v[3], d->v[4], d->v[5]);
  h->arm = rh_sub(c->point, h->com);
  h->after = rh_add(h->v, rh_cross(h->w, h->arm));
  keep_path(d, hit, h);
}

static rh_status on_event(void *user, const rh_sim *sim, const rh_event *event)
{
  watch *w = user;
  rh_ch_fall *f = w->fall;
  const rh_impact_contacts hit = rh_sim_impact_contacts(sim, event);
  bool same = f->n > 0 && f->hit[f->n - 1].t == event->t; // another contact of the same impact
  if (hit.n == 0 || same) {
    return rh_interrupt_seen() != 0 ? RH_INTERRUPTED : RH_OK;
  }
  f->hit[f->n] = (rh_ch_hit){0};
  keep_hit(rh_sim_view(sim), event, &hit, &f->hit[f->n]);
  return ++f->n == w->most ? RH_INTERRUPTED : RH_OK;
}

// Runs a scene with overrides up to `most` impacts.
static rh_status run_fall(const rh_scene_text *scene, const char *const *set, int nset, int most,
                          rh_ch_fall *f)
{
  rh_model *model = NULL;
  rh_sim *sim = NULL;
  watch w = {f, most};
  rh_observer observer = {.user = &w, .event = on_event};
  f->n = 0;
  RH_TRY(rh_ch_model(scene, set, nset, false, &model));
  rh_status status = rh_sim_create(model, NULL, &sim);
  if (status == RH_OK) {
    rh_sim_observe(sim, &observer);
    status = rh_sim_run(sim, model->run.until);
    status = f->n == most ? RH_OK : status;
  }
  rh_sim_destroy(sim);
  rh_model_destroy(model);
  return status == RH_OK
             ? RH_OK
             : rh_refuse(status, "paper: %s: %s", scene->path, rh_status_message(status));
}

// ---- Answers

rh_status rh_ch_bounce(const rh_ch_case *c, rh_json *json)
{
  char place[RH_NAME_MAX];
  char e_text[RH_NAME_MAX];
  char rest[RH_NAME_MAX];
  double e = rh_ch_number(c, c->inputs, "e");
  double threshold = rh_ch_number(c, c->inputs, "threshold");
  double times[8] = {0};
  double rebound[8] = {0};
  double work = 0;
  rh_ch_fall f;
  int n = 0;
  snprintf(place, sizeof place, "fly.q=[0, 0, %.17g, 1, 0, 0, 0]",
           0.1 + rh_ch_number(c, c->inputs, "height"));
  snprintf(e_text, sizeof e_text, "ground.e=%.17g", e);
  snprintf(rest, sizeof rest, "run.rest_speed=%.17g",
           1e-3 * threshold); // the sequence itself is needed
  const char *set[] = {place, e_text, rest, "run.until=2.5", "run.multi_impact=moreau"};
  RH_TRY(run_fall(&central, set, RH_COUNT(set), RH_CH_HITS, &f));
  do {
    if (n < 8) {
      times[n] = f.hit[n].t;
      rebound[n] = f.hit[n].after.z;
    }
    work += 0.5 * f.hit[n].p.z * (f.hit[n].before.z + f.hit[n].after.z);
    n++;
  } while (n < f.n && f.hit[n - 1].after.z >= threshold);
  rh_json_integer(json, "impacts", n);
  rh_json_numbers(json, "times", times, 8);
  rh_json_numbers(json, "rebound", rebound, 8);
  // The rest is a geometric series: t + 2 v / (g (1 - e)).
  rh_json_number(json, "zeno_time",
                 f.hit[n - 1].t +
                     2 * f.hit[n - 1].after.z / (rh_ch_number(c, c->inputs, "g") * (1 - e)));
  rh_json_number(json, "total_normal_work", work);
  return RH_OK;
}

static void answer_edge(const rh_ch_hit *h, double Wn, rh_json *json)
{
  rh_mat3 R = rh_quat_matrix(h->q);
  const double p[2] = {h->p.x, h->p.z};
  const double state[6] = {h->com.x, h->com.z, 2 * rh_atan2(h->q.y, h->q.w),
                           h->v.x,   h->v.z,   h->w.y};
  rh_json_open_object(json, NULL);
  rh_json_number(json, "t", h->t);
  rh_json_string(json, "edge", rh_unrotate(&R, h->arm).x > 0 ? "+x" : "-x");
  rh_json_number(json, "vn_pre", h->before.z);
  rh_json_number(json, "vt_pre", h->before.x);
  rh_json_number(json, "vn_post", h->after.z);
  rh_json_number(json, "vt_post", h->after.x);
  rh_json_numbers(json, "p", p, 2);
  rh_json_number(json, "Wn", Wn);
  rh_json_numbers(json, "state", state, 6);
  rh_json_close(json);
}

// The normal work of each of the first impacts, along its course
static rh_status normal_works(const char *const *set, int nset, int n, double *Wn)
{
  rh_model *model = NULL;
  rh_impact_seen *seen = rh_alloc((size_t)n * sizeof *seen);
  RH_TRY(rh_ch_model(&tilted, set, nset, false, &model));
  rh_status status = seen == NULL ? rh_refuse(RH_OUT_OF_MEMORY, "out of memory")
                                  : rh_impact_run(model, (rh_impact_range){1, n}, NULL, seen);
  for (int i = 0; i < n && status == RH_OK; i++) {
    rh_impact_course course = {0};
    status = rh_impact_follow(&seen[i], &course);
    Wn[i] = status == RH_OK ? course.Wn[course.samples - 1] : 0;
    rh_impact_course_free(&course);
  }
  for (int i = 0; i < n && seen != NULL; i++) {
    rh_impact_seen_free(&seen[i]);
  }
  rh_free(seen);
  rh_model_destroy(model);
  return status;
}

rh_status rh_ch_tilted(const rh_ch_case *c, rh_json *json)
{
  enum { HITS = 8 };

  char place[2 * RH_NAME_MAX];
  char coefficient[3][RH_NAME_MAX];
  double Wn[HITS];
  rh_ch_fall f;
  double pitch = rh_ch_number(c, c->inputs, "pitch");
  double mu = rh_ch_number(c, c->inputs, "mu");
  snprintf(place, sizeof place, "fly.q=[0, 0, %.17g, %.17g, 0, %.17g, 0]",
           rh_ch_number(c, c->inputs, "clearance") + 0.1 * rh_cos(pitch) + 0.2 * rh_sin(pitch),
           rh_cos(0.5 * pitch), rh_sin(0.5 * pitch));
  snprintf(coefficient[0], RH_NAME_MAX, "ground.e=%.17g", rh_ch_number(c, c->inputs, "e"));
  snprintf(coefficient[1], RH_NAME_MAX, "ground.mu_s=%.17g", mu);
  snprintf(coefficient[2], RH_NAME_MAX, "ground.mu_k=%.17g", mu);
  const char *set[] = {place, coefficient[0], coefficient[1], coefficient[2]};
  RH_TRY(run_fall(&tilted, set, RH_COUNT(set), HITS, &f));
  RH_TRY(normal_works(set, RH_COUNT(set), HITS, Wn));
  rh_json_open_array(json, "impacts");
  for (int i = 0; i < HITS; i++) {
    answer_edge(&f.hit[i], Wn[i], json);
  }
  rh_json_close(json);
  return RH_OK;
}

static void answer_corner(const rh_ch_hit *h, rh_json *json)
{
  rh_mat3 R = rh_quat_matrix(h->q);
  const double q[4] = {h->q.w, h->q.x, h->q.y, h->q.z};
  rh_json_open_object(json, NULL);
  rh_json_number(json, "t", h->t);
  rh_vec3 at = rh_unrotate(&R, h->arm);
  rh_ch_vector(json, "corner", rh_v3(at.x / 0.2, at.y / 0.15, at.z / 0.1));
  rh_ch_vector(json, "v_pre", h->before);
  rh_ch_vector(json, "v_post", h->after);
  rh_ch_vector(json, "p", h->p);
  rh_json_string(json, "path", h->path);
  rh_ch_vector(json, "com", h->com);
  rh_json_numbers(json, "quat", q, 4);
  rh_ch_vector(json, "v_com", h->v);
  rh_ch_vector(json, "omega_world", h->w);
  rh_json_close(json);
}

rh_status rh_ch_corner_drop(const rh_ch_case *c, rh_json *json)
{
  enum { HITS = 4 };

  char place[4 * RH_NAME_MAX];
  char speed[4 * RH_NAME_MAX];
  char coefficient[3][RH_NAME_MAX];
  double rpy[3];
  double v[6];
  double lowest = 0;
  double mu = rh_ch_number(c, c->inputs, "mu");
  rh_ch_fall f;
  (void)rh_ch_numbers(c, c->inputs, "rpy", rpy, 3);
  (void)rh_ch_numbers(c, c->inputs, "v_com", v, 3);
  (void)rh_ch_numbers(c, c->inputs, "omega", v + 3, 3);
  rh_mat3 R = rh_rpy_matrix(rpy[0], rpy[1], rpy[2]);
  rh_quat q = rh_quat_of_matrix(&R);
  for (int k = 0; k < 8; k++) {
    rh_vec3 at = rh_v3(k & 1 ? 0.2 : -0.2, k & 2 ? 0.15 : -0.15, k & 4 ? 0.1 : -0.1);
    lowest = fmin(lowest, rh_rotate(&R, at).z);
  }
  snprintf(place, sizeof place, "fly.q=[0, 0, %.17g, %.17g, %.17g, %.17g, %.17g]",
           rh_ch_number(c, c->inputs, "clearance") - lowest, q.w, q.x, q.y, q.z);
  snprintf(speed, sizeof speed, "fly.v=[%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]", v[0], v[1],
           v[2], v[3], v[4], v[5]);
  snprintf(coefficient[0], RH_NAME_MAX, "ground.e=%.17g", rh_ch_number(c, c->inputs, "e"));
  snprintf(coefficient[1], RH_NAME_MAX, "ground.mu_s=%.17g", mu);
  snprintf(coefficient[2], RH_NAME_MAX, "ground.mu_k=%.17g", mu);
  const char *set[] = {place, speed, coefficient[0], coefficient[1], coefficient[2]};
  RH_TRY(run_fall(&tilted, set, RH_COUNT(set), HITS, &f));
  rh_json_open_array(json, "impacts");
  for (int i = 0; i < HITS; i++) {
    answer_corner(&f.hit[i], json);
  }
  rh_json_close(json);
  return RH_OK;
}
