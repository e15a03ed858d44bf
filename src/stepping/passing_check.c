// No shape goes through another within a step unnoticed. Rows separate shapes that were within
// reach when the step began (collide.c); shapes that pass all the same, above all by a compliant
// law too soft for the speed, are found when the step is done, by the way between its ends
// (collision/pair_passing.c), and end the run with a reason. Only shapes that went far for their
// thickness are examined: in most scenes there are none. A body with an impact in the step may have
// gone farther than the pairs of the step were searched: it is checked against all shapes.
#include "passing_check.h"

#include <string.h>

static const double PART = 0.25; // of the thinner shape: a shorter way passes nothing

static bool is_thin(const rh_step_world *w, int shape)
{
  return rh_shape_bounded(w->m->shape[shape].kind);
}

double rh_step_thinnest(const rh_step_world *w)
{
  double thinnest = HUGE_VAL;
  for (int i = 0; i < w->m->nshape; i++) {
    thinnest = is_thin(w, i) ? fmin(thinnest, w->m->shape[i].width) : thinnest;
  }
  return thinnest;
}

// [m] maximum travel of a shape by its velocities at the end
static double way_at_end(const rh_step_world *w, int shape)
{
  int mobile = w->shapes.of[shape].mobile;
  double arm = w->shapes.of[shape].arm;
  if (mobile > w->nfree) {
    const rh_kin_body *k = &w->d->kin[w->m->shape[shape].body];
    return w->par.dt * (rh_norm(k->v.lin) + rh_norm(k->v.ang) * arm);
  }
  const rh_step_velocity *b = &w->velocity[mobile];
  return w->par.dt * (rh_norm(rh_step_read_vec(b->v)) + rh_norm(rh_step_read_vec(b->w)) * arm);
}

// Pairs within reach are known, nothing has moved yet.
void rh_step_pass_begin(rh_step_world *w)
{
  double longest = 0;
  for (int i = 0; i < w->m->nshape; i++) {
    longest = w->shapes.of[i].mobile ? fmax(longest, w->shapes.reach[i]) : longest;
  }
  // half of the half: a body may leave an impact at twice the speed of the other
  w->shapes.hurried = longest - w->shapes.skin > 0.25 * PART * w->shapes.thinnest;
  if (w->shapes.hurried) {
    memcpy(w->shapes.geom_start, w->search->geom, (size_t)w->m->nshape * sizeof *w->search->geom);
  }
}

// The contact of a pair that passed; RH_NONE: it did not
static int check_pair(rh_step_world *w, int a, int b)
{
  rh_step_place(w, a);
  rh_step_place(w, b);
  return rh_pair_passes(w->m, a, b, w->shapes.geom_start, w->search->geom)
             ? rh_shape_pair_of(w->m, a, b).rule
             : RH_NONE;
}

static int check_near(rh_step_world *w)
{
  const rh_model_shape *shape = w->m->shape;
  int found = RH_NONE;
  for (int i = 0; i < w->pairs.near.count && found == RH_NONE; i++) {
    int a = w->pairs.near.pair[i].a;
    int b = w->pairs.near.pair[i].b;
    double way =
        fmax(w->shapes.reach[a], way_at_end(w, a)) + fmax(w->shapes.reach[b], way_at_end(w, b));
    if (is_thin(w, a) && is_thin(w, b) && way > PART * fmin(shape[a].width, shape[b].width)) {
      found = check_pair(w, a, b);
    }
  }
  return found;
}

// Shapes that went farther than the search
static int check_flung(rh_step_world *w)
{
  int found = RH_NONE;
  for (int a = 0; a < w->m->nshape; a++) {
    bool flung = w->shapes.of[a].mobile && is_thin(w, a) && way_at_end(w, a) > w->shapes.reach[a];
    for (int b = 0; flung && b < w->m->nshape && found == RH_NONE; b++) {
      if (is_thin(w, b) && rh_step_may_collide(w, a, b)) {
        found = check_pair(w, a, b);
      }
    }
  }
  return found;
}

int rh_step_passed(rh_step_world *w)
{
  if (!w->shapes.hurried) {
    return RH_NONE;
  }
  rh_step_trees_place(w);
  int found = check_near(w);
  return found != RH_NONE ? found : check_flung(w);
}
