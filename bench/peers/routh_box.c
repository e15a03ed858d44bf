/* S7 for Routh: box against box through the call of a time step (src/geometry/geometry.h), margin 0.
 * Variants: (none) rh_collide; touch: rh_collide_surfaces, the call of the event-driven loop; wide: a margin of 1 cm, so that
 * points of boxes that are apart are found too (the verdict counts overlaps only). */
#include "bench.h"

#include "geometry/geometry.h"
#include "routh_box.h"
#include <routh/routh.h>

typedef struct Boxes {
  rh_geom a, b;
  double size[2][RH_PAR_MAX];
  double margin;
  int touch;
} Boxes;

static void *open_boxes(const Cfg *c)
{
  Boxes *w = calloc(1, sizeof *w);
  const rh_shape *box = rh_shape_find("box");
  rh_row_defaults(&box->row, w->size[0]);
  rh_row_defaults(&box->row, w->size[1]);
  w->a = (rh_geom){.kind = box, .par = w->size[0]};
  w->b = (rh_geom){.kind = box, .par = w->size[1]};
  w->margin = strcmp(c->variant, "wide") == 0 ? 0.01 : 0;
  w->touch = strcmp(c->variant, "touch") == 0;
  return w;
}

static void ready_boxes(void *p)
{
  (void)p;
}

static void place(rh_geom *g, double *size, const double h[3], const double p[3], const double R[9])
{
  for (int k = 0; k < 3; k++) {
    size[k] = 2 * h[k];
  }
  memcpy(&g->R, R, sizeof g->R);
  memcpy(&g->p, p, sizeof g->p);
}

static int box_box(void *p, const Pair *pair, double *depth)
{
  Boxes *w = p;
  place(&w->a, w->size[0], pair->ha, pair->pa, pair->Ra);
  place(&w->b, w->size[1], pair->hb, pair->pb, pair->Rb);
  double deepest = -1;
  int n;
  if (w->touch) {
    rh_touch touch[RH_TOUCH_MAX];
    n = rh_collide_surfaces(&w->a, &w->b, w->margin, touch);
    for (int i = 0; i < n; i++) {
      deepest = touch[i].depth > deepest ? touch[i].depth : deepest;
    }
  } else {
    rh_manifold m;
    n = rh_collide(&w->a, &w->b, w->margin, NULL, &m);
    for (int i = 0; i < n; i++) {
      deepest = m.at[i].depth > deepest ? m.at[i].depth : deepest;
    }
  }
  *depth = deepest;
  return deepest > 0 ? n : 0;
}

int routh_box_main(int argc, char **argv)
{
  static const Eng engine = {.name = "routh-" RH_VERSION,
                             .open = open_boxes,
                             .ready = ready_boxes,
                             .boxbox = box_box,
                             .close = free};
  return bench_main(&engine, argc, argv);
}
