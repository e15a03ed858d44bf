// impact_course.c: an impact of a scene followed along the normal impulse: one point by its path
// (impact/spatial_path.c), several by the formulation's course (impact/impulse_path.c). Watched
// points are included.
#include "impact.h"

#include <math.h>
#include <string.h>

enum { PATH = 300 }; // samples of a path

// Drawn curves need short steps of a course.
#define FINE 1e-9

bool rh_impact_has_course(const rh_impact_seen *seen)
{
  static const char *const name[] = {"winkler", "winkler-global", "fixed-split", "thesis"};
  for (int i = 0; i < RH_COUNT(name); i++) {
    if (strcmp(seen->form->row.name, name[i]) == 0) {
      return true;
    }
  }
  return seen->n == 1 && !seen->form->alone;
}

static bool make_room(rh_impact_course *c)
{
  if (c->samples < c->room) {
    return true;
  }
  int room = c->room == 0 ? 256 : 2 * c->room;
  const size_t size = (size_t)room;
  double *P = rh_realloc(c->P, size * sizeof *P);
  c->P = P != NULL ? P : c->P;
  double *Wn = rh_realloc(c->Wn, size * sizeof *Wn);
  c->Wn = Wn != NULL ? Wn : c->Wn;
  int *event = rh_realloc(c->event, size * sizeof *event);
  c->event = event != NULL ? event : c->event;
  double *u = rh_realloc(c->u, 3 * size * (size_t)c->n * sizeof *u);
  c->u = u != NULL ? u : c->u;
  bool good = P != NULL && Wn != NULL && event != NULL && u != NULL;
  c->room = good ? room : c->room;
  return good;
}

typedef struct keeper {
  const rh_impact_seen *seen;
  rh_impact_course *course;
  bool full; // out of memory
} keeper;

static void keep_course_sample(void *user, const rh_many_at *at)
{
  keeper *k = user;
  rh_impact_course *c = k->course;
  const rh_impact_seen *seen = k->seen;
  if (k->full || !make_room(c)) {
    k->full = true;
    return;
  }
  double *u = c->u + (size_t)c->samples * 3 * (size_t)c->n;
  c->P[c->samples] = at->P;
  c->Wn[c->samples] = at->Wn;
  c->event[c->samples++] = at->event;
  memcpy(u, at->u, 3 * (size_t)seen->n * sizeof *u);
  u += (ptrdiff_t)3 * seen->n;
  for (int r = 0; r < 3 * seen->nwatch; r++) {
    const double *W = seen->Ww + (ptrdiff_t)r * 3 * seen->n;
    u[r] = seen->uw[r];
    for (int s = 0; s < 3 * seen->n; s++) {
      u[r] += W[s] * at->p[s];
    }
  }
}

static void follow_one(keeper *k)
{
  const rh_impact_seen *seen = k->seen;
  rh_point_in in = {
      .mu_s = seen->mu_s[0], .mu_k = seen->mu_k[0], .e = seen->e[0], .eta2 = seen->eta2[0]};
  rh_point_out out;
  double pn[PATH];
  rh_point_at at[PATH];
  memcpy(in.W, seen->W, sizeof in.W);
  memcpy(in.u, seen->u, sizeof in.u);
  k->course->solved = rh_point_impact(seen->law, &in, &out);
  for (int i = 0; i < PATH; i++) {
    pn[i] = out.p[2] * i / (PATH - 1);
  }
  (void)rh_point_trace(seen->law, &in, &(rh_point_want){PATH, pn, at}, &out);
  for (int i = 0; i < PATH; i++) {
    keep_course_sample(k, &(rh_many_at){.P = pn[i], .Wn = at[i].Wn, .p = at[i].p, .u = at[i].u});
  }
}

static void follow_many(keeper *k, double *room, double *p, double *u)
{
  const rh_impact_seen *seen = k->seen;
  const rh_many_trace trace = {keep_course_sample, k};
  const double par[RH_PAR_MAX] = {FINE};
  rh_many_out out;
  const rh_many_in in = {.n = seen->n,
                         .W = seen->W,
                         .u = seen->u,
                         .mu = seen->mu_k,
                         .e = seen->e,
                         .law = seen->law,
                         .eta2 = seen->eta2,
                         .weight = seen->weight,
                         .place = seen->place,
                         .repeated = seen->repeated,
                         .trace = &trace};
  k->course->solved = seen->form->strike(&in, par, room, p, u, &out);
}

rh_status rh_impact_follow(const rh_impact_seen *seen, rh_impact_course *course)
{
  *course = (rh_impact_course){.n = seen->n + seen->nwatch, .struck = seen->n};
  keeper k = {.seen = seen, .course = course};
  if (seen->n == 1 && !seen->form->alone) {
    follow_one(&k);
  } else {
    double *room = rh_alloc(seen->form->room(seen->n) * sizeof *room);
    double *both = rh_alloc(6 * (size_t)seen->n * sizeof *both);
    k.full = room == NULL || both == NULL;
    if (!k.full) {
      follow_many(&k, room, both, both + (ptrdiff_t)3 * seen->n);
    }
    rh_free(room);
    rh_free(both);
  }
  return k.full ? rh_refuse(RH_OUT_OF_MEMORY, "out of memory") : RH_OK;
}

void rh_impact_course_free(rh_impact_course *course)
{
  rh_free(course->P);
  rh_free(course->Wn);
  rh_free(course->event);
  rh_free(course->u);
  *course = (rh_impact_course){0};
}
