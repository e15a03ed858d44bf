// check_start.c: do bodies overlap at the start? Every pair of shapes with a contact, initial
// state.
//
// No law explains the motion of rigid bodies that overlap: any overlap beyond rounding is reported.
// A compliant contact may begin pressed in; its stored energy belongs to the energy at the start.
// It is reported where it is deeper than a tenth of its thinner shape's half width; at the whole
// half width a run ends.
#include "check.h"
#include "layout.h"

#include "geometry/broad.h"
#include "multibody/multibody.h"

#include <math.h>
#include <stdio.h>

static const double ROUNDING =
    1e-6;                          // [m], and fraction of the thinner shape: scenes have six digits
static const double PRESSED = 0.1; // fraction of the half width

enum { REPORTED_MAX = 5, PAIRS_EACH = 64 };

typedef struct overlap {
  double depth; // [m]
  int shape[2], contact;
} overlap;

typedef struct start {
  const rh_model *model;
  rh_geom *geom;               // (nshape)
  rh_bounds *box;              // (nshape)
  overlap worst[REPORTED_MAX]; // the deepest first
  int count;
} start;

static bool may_overlap(const void *user, rh_shape_pair *pair)
{
  const rh_model *m = user;
  const rh_model_shape *shape = m->shape;
  bool moves = m->body[shape[pair->a].body].tree != 0 || m->body[shape[pair->b].body].tree != 0;
  return moves && rh_shapes_meet(m, pair);
}

static double deepest_point(const rh_geom *a, const rh_geom *b)
{
  rh_touch touch[RH_TOUCH_MAX];
  int n = rh_collide_surfaces(a, b, 0, touch);
  double depth = 0;
  for (int i = 0; i < n; i++) {
    depth = fmax(depth, touch[i].depth);
  }
  return depth;
}

static double allowed_depth(const rh_model *m, const rh_model_contact *c, int a, int b)
{
  double half = 0.5 * fmin(m->shape[a].width, m->shape[b].width);
  return c->law == NULL ? ROUNDING * (1 + half) : PRESSED * half;
}

static void keep_overlap(start *s, overlap found)
{
  int at = s->count < REPORTED_MAX ? s->count : REPORTED_MAX;
  for (; at > 0 && s->worst[at - 1].depth < found.depth; at--) {
    if (at < REPORTED_MAX) {
      s->worst[at] = s->worst[at - 1];
    }
  }
  if (at < REPORTED_MAX) {
    s->worst[at] = found;
  }
  s->count++;
}

static void look_at_pair(start *s, const rh_shape_pair *pair)
{
  const rh_model *m = s->model;
  double depth = deepest_point(&s->geom[pair->a], &s->geom[pair->b]);
  if (depth > allowed_depth(m, &m->contact[pair->rule], pair->a, pair->b)) {
    keep_overlap(s, (overlap){depth, {pair->a, pair->b}, pair->rule});
  }
}

static rh_status look_at_all(start *s)
{
  const rh_model *m = s->model;
  rh_broad *broad = NULL;
  int64_t pairs = (int64_t)m->nshape * PAIRS_EACH;
  pairs = pairs < RH_BROAD_PAIRS_MAX ? pairs : RH_BROAD_PAIRS_MAX;
  rh_broad_opt opt = {.n = m->nshape, .pairs = (int)pairs, .filter = may_overlap, .user = m};
  RH_TRY(rh_broad_create(&opt, &broad));
  rh_broad_result found = rh_broad_find(broad, s->box, NULL);
  rh_status status = RH_OK;
  if (found.overflow) {
    status =
        found.found <= RH_BROAD_PAIRS_MAX ? rh_broad_grow(broad, (int)found.found) : RH_OVER_LIMIT;
    found = status == RH_OK ? rh_broad_find(broad, s->box, NULL) : found;
  }
  for (int i = 0; i < found.count; i++) {
    look_at_pair(s, found.pair[i]);
  }
  rh_broad_destroy(broad);
  return status;
}

static void report_overlaps(rh_check *c, const start *s)
{
  const rh_run_def *run = rh_scene_item(c->scene, RH_SECTION_RUN, 0);
  const rh_model *m = s->model;
  for (int i = 0; i < s->count && i < REPORTED_MAX; i++) {
    const overlap *o = &s->worst[i];
    char label[2][RH_NAME_MAX];
    char more[64] = "";
    rh_scene_label(c->scene, RH_SECTION_SHAPES, o->shape[0], label[0]);
    rh_scene_label(c->scene, RH_SECTION_SHAPES, o->shape[1], label[1]);
    if (i == REPORTED_MAX - 1 && s->count > REPORTED_MAX) {
      (void)snprintf(more, sizeof more, "; so do %d more pairs", s->count - REPORTED_MAX);
    }
    rh_diag_add(c->diag, run->strict ? RH_ERROR : RH_WARNING,
                rh_check_place(c, RH_SECTION_CONTACTS, o->contact, NULL),
                "'%s' begins %.4g mm inside '%s' (shapes %s and %s)%s",
                rh_model_name(m, RH_OBJECT_BODY, m->shape[o->shape[0]].body), 1e3 * o->depth,
                rh_model_name(m, RH_OBJECT_BODY, m->shape[o->shape[1]].body), label[0], label[1],
                more);
  }
}

// [kinematics]
rh_status rh_check_start(rh_check *c, const rh_data *d)
{
  const rh_model *m = d->model;
  size_t n = (size_t)m->nshape;
  if (m->ncontact == 0 || n == 0) {
    return RH_OK;
  }
  start s = {.model = m, .geom = rh_alloc(n * sizeof *s.geom), .box = rh_alloc(n * sizeof *s.box)};
  rh_status status = s.geom && s.box ? RH_OK : RH_OUT_OF_MEMORY;
  for (int i = 0; status == RH_OK && i < m->nshape; i++) {
    s.geom[i] = rh_shape_placed(d, i);
    s.box[i] = rh_geom_bounds(&s.geom[i], 0);
  }
  status = status == RH_OK ? look_at_all(&s) : status;
  rh_free(s.geom);
  rh_free(s.box);
  if (status == RH_OK && s.count > 0) {
    const rh_run_def *run = rh_scene_item(c->scene, RH_SECTION_RUN, 0);
    report_overlaps(c, &s);
    status = run->strict ? RH_INPUT_REFUSED : RH_OK;
  }
  return status;
}
