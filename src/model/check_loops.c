// Loops: bodies that exist and can move, ends that meet at the start. The start decides the
// undefined parts of an end.
#include "check.h"

#include "multibody/multibody.h"

#include <string.h>

// Maximum distance, or angle, of the ends at the start: values written with five digits count as
// closed. The engine closes the rest.
static const double OPEN_MAX = 1e-4;

static bool is_world(const rh_name *name)
{
  return strcmp(name->text, "world") == 0;
}

static void check_end(rh_check *c, int i, const char *key, const rh_list *list)
{
  if (list->n != 0 && list->n != 3) {
    rh_complain(c, RH_SECTION_LOOPS, i, key, "takes 3 numbers, got %d", list->n);
  }
}

static void check_loop(rh_check *c, int i)
{
  const rh_loop_def *def = rh_scene_item(c->scene, RH_SECTION_LOOPS, i);
  const rh_loop_kind *kind = rh_loop_kind_find(def->kind.text);
  int body = rh_check_reference(c, RH_SECTION_LOOPS, i, "body", RH_SECTION_BODIES);
  int to = is_world(&def->to) ? RH_NONE
                              : rh_check_reference(c, RH_SECTION_LOOPS, i, "to", RH_SECTION_BODIES);
  if (body != RH_NONE && body == to) {
    rh_complain(c, RH_SECTION_LOOPS, i, "to", "must be another body");
  }
  const char *why = kind && kind->check ? kind->check(def->par) : NULL;
  if (why) {
    rh_complain(c, RH_SECTION_LOOPS, i, kind->row.param[0].name, "%s", why);
  }
  check_end(c, i, "to_at", &def->to_at);
  check_end(c, i, "to_rpy", &def->to_rpy);
  if (kind && kind->apart && def->to_at.n == 0) {
    rh_complain(c, RH_SECTION_LOOPS, i, "to_at", "is missing: a %s needs both ends",
                kind->row.name);
  }
}

void rh_check_loops(rh_check *c)
{
  int n = rh_scene_count(c->scene, RH_SECTION_LOOPS);
  for (int i = 0; i < n; i++) {
    check_loop(c, i);
  }
}

int rh_loops_count_rows(const rh_scene *scene)
{
  int rows = 0;
  for (int i = 0; i < rh_scene_count(scene, RH_SECTION_LOOPS); i++) {
    const rh_loop_def *def = rh_scene_item(scene, RH_SECTION_LOOPS, i);
    rows += rh_loop_kind_find(def->kind.text)->nrow;
  }
  return rows;
}

static int place_of(rh_check *c, const int *place, const rh_name *name)
{
  int entry = rh_check_find(c, RH_SECTION_BODIES, name->text);
  return entry == RH_NONE ? 0 : place[entry];
}

static rh_xform frame_of(const double *at, const double *rpy)
{
  return (rh_xform){rh_rpy_matrix(rpy[0], rpy[1], rpy[2]), {at[0], at[1], at[2]}};
}

void rh_loops_fill(rh_check *c, const int *place, rh_model_loop *loop)
{
  for (int i = 0; i < rh_scene_count(c->scene, RH_SECTION_LOOPS); i++) {
    const rh_loop_def *def = rh_scene_item(c->scene, RH_SECTION_LOOPS, i);
    loop[i].kind = rh_loop_kind_find(def->kind.text);
    loop[i].nrow = loop[i].kind->nrow;
    loop[i].a = place_of(c, place, &def->body);
    loop[i].b = place_of(c, place, &def->to);
    loop[i].in_a = frame_of(def->at, def->rpy);
    loop[i].in_b = frame_of(def->to_at.x, def->to_rpy.x);
    memcpy(loop[i].par, def->par, sizeof loop[i].par);
  }
}

// Undefined in the scene: the end on b is where the end on a is.
static void fill_open(const rh_data *d, const rh_loop_def *def, rh_model_loop *loop)
{
  rh_xform end[2];
  const rh_kin_body *b = &d->kin[loop->b];
  rh_mat3 back = rh_mat3_transpose(&b->R);
  rh_loop_ends(loop, &d->kin[loop->a], b, end);
  if (def->to_at.n == 0) {
    loop->in_b.p = rh_unrotate(&b->R, rh_sub(end[0].p, b->p));
  }
  if (def->to_rpy.n == 0) {
    loop->in_b.R = rh_mat3_mul(&back, &end[0].R);
  }
  if (loop->kind->start) {
    loop->kind->start(&end[0], &end[1], loop->par);
  }
}

rh_status rh_loops_start(rh_check *c, const rh_data *d, rh_model_loop *loop)
{
  const rh_model *m = d->model;
  int before = c->errors;
  for (int i = 0; i < m->nloop - m->layout.nconstraint; i++) {
    fill_open(d, rh_scene_item(c->scene, RH_SECTION_LOOPS, i), &loop[i]);
    rh_loop_row row[RH_LOOP_ROWS];
    rh_loop_stand(d, i, row);
    double far = rh_loop_open(loop[i].kind, row, false);
    double turned = rh_loop_open(loop[i].kind, row, true);
    if (m->body[loop[i].a].tree == 0 && m->body[loop[i].b].tree == 0) {
      rh_complain(c, RH_SECTION_LOOPS, i, NULL, "is between bodies that do not move");
    } else if (!(far <= OPEN_MAX && turned <= OPEN_MAX)) {
      rh_complain(c, RH_SECTION_LOOPS, i, NULL,
                  "is open at the start by %g m and %g rad: it must close to %g of either", far,
                  turned, OPEN_MAX);
    }
    if (loop[i].kind->apart && !(loop[i].par[0] > 0)) {
      rh_complain(c, RH_SECTION_LOOPS, i, loop[i].kind->row.param[0].name,
                  "must be > 0: the ends coincide");
    }
  }
  return c->errors == before ? RH_OK : RH_INPUT_REFUSED;
}
