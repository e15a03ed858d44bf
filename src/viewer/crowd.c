// crowd.c: many loose balls of a recording, apart from its other bodies: for the page they are no bodies with names, channels and
// contact points, but places. They come in an order in which any first part of them is spread over all, so that a page that cannot
// keep up takes fewer. Left out: boxes and other shapes, balls of more than one shape, scenes with visuals, tendons or sensors.
#include "viewer.h"

#include <routh/routh.h>

#include <math.h>
#include <string.h>

#define FEWEST 4000 // balls; fewer are bodies like any other

// ---- Which bodies they are

static bool is_loose(const rh_model *m, const int *shapes, int body)
{
  const rh_model_body *b = &m->body[body];
  return shapes[body] == 1 && b->parent == 0 && b->joint &&
         strcmp(((const rh_row *)b->joint)->name, "free") == 0;
}

// Numbers of shapes of each body; those that carry another one get none, and so are no balls.
static void count_shapes(const rh_model *m, int *shapes)
{
  for (int i = 0; i < m->nshape; i++) {
    bool ball = strcmp(m->shape[i].kind->row.name, "sphere") == 0;
    shapes[m->shape[i].body] += ball ? 1 : 2;
  }
  for (int i = 1; i < m->nbody; i++) {
    shapes[m->body[i].parent] = RH_NONE;
  }
}

static int common_divisor(int a, int b)
{
  while (b != 0) {
    int rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// Ball k of the order is the one at k step modulo n: near the golden section, and without a common divisor.
static int find_step(int n)
{
  int step = (int)(0.6180339887 * n);
  while (common_divisor(step, n) != 1) {
    step++;
  }
  return step;
}

rh_status rh_viewer_crowd_create(const rh_model *m, rh_viewer_crowd *crowd)
{
  *crowd = (rh_viewer_crowd){0};
  if (m->nbody <= FEWEST || m->meshes.visuals.n > 0 || m->tendons.n > 0 || m->sensors.n > 0 ||
      m->haptic.on) {
    return RH_OK;
  }
  int *shapes = rh_alloc((size_t)m->nbody * sizeof *shapes);
  int *kept = rh_alloc((size_t)m->nbody * sizeof *kept);
  int *shape = rh_alloc((size_t)m->nbody * sizeof *shape);
  if (!shapes || !kept || !shape) {
    rh_free(shapes);
    rh_free(kept);
    rh_free(shape);
    return RH_OUT_OF_MEMORY;
  }
  count_shapes(m, shapes);
  int n = 0;
  for (int i = 0; i < m->nbody; i++) {
    bool loose = i > 0 && is_loose(m, shapes, i);
    kept[i] = loose ? RH_NONE : i - n;
    n += loose;
  }
  n = 0;
  for (int i = 0; i < m->nshape; i++) {
    if (kept[m->shape[i].body] == RH_NONE) {
      shape[n++] = i;
    }
  }
  rh_free(shapes);
  *crowd = (rh_viewer_crowd){
      .n = n, .step = n >= FEWEST ? find_step(n) : 0, .kept = kept, .shape = shape};
  if (n < FEWEST) {
    rh_viewer_crowd_free(crowd);
  }
  return RH_OK;
}

void rh_viewer_crowd_free(rh_viewer_crowd *crowd)
{
  rh_free(crowd->kept);
  rh_free(crowd->shape);
  *crowd = (rh_viewer_crowd){0};
}

// ---- Where they are

static int shape_at(const rh_viewer_crowd *crowd, long k)
{
  return crowd->shape[k * crowd->step % crowd->n];
}

static rh_vec3 place_of(const rh_data *d, const rh_model_shape *s)
{
  const rh_kin_body *b = &d->kin[s->body];
  return rh_add(b->p, rh_rotate(&b->R, s->place.p));
}

void rh_viewer_crowd_put(const rh_viewer_crowd *crowd, const rh_data *d, long frame,
                         const long span[2], rh_text *out)
{
  long first = span[0] < crowd->n ? span[0] : crowd->n;
  long count = span[1] < crowd->n - first ? span[1] : crowd->n - first;
  const uint32_t word[RH_VIEWER_HEAD - 1] = {RH_VIEWER_CROWD, (uint32_t)frame, (uint32_t)count,
                                             (uint32_t)first, (uint32_t)crowd->n};
  rh_viewer_put_head(out, word);
  for (long k = first; k < first + count; k++) {
    const rh_model_shape *s = &d->model->shape[shape_at(crowd, k)];
    rh_vec3 p = place_of(d, s);
    const double number[] = {p.x, p.y, p.z, s->par[0]};
    for (int i = 0; i < RH_COUNT(number); i++) {
      rh_viewer_put_f32(out, number[i]);
    }
  }
}

void rh_viewer_crowd_widen(const rh_viewer_crowd *crowd, const rh_data *d, double low[3],
                           double high[3])
{
  for (int k = 0; k < crowd->n; k++) {
    const rh_model_shape *s = &d->model->shape[crowd->shape[k]];
    rh_vec3 p = place_of(d, s);
    const double at[3] = {p.x, p.y, p.z};
    for (int i = 0; i < 3; i++) {
      low[i] = fmin(low[i], at[i] - s->par[0]);
      high[i] = fmax(high[i], at[i] + s->par[0]);
    }
  }
}
