// No shape goes through another within a step in silence. Rows keep apart what was within reach when the step began (collide.c); what their
// answer or a late contact let through all the same, a compliant law too soft for the speed above all, is found when the step is
// done, by the way between its ends (collision/pair_passing.c), and ends the run with a reason. Looked at are only shapes that went far for
// their thickness: in most scenes there are none. A body that was hit within the step may have gone farther than the pairs of the
// step were looked for: it is checked against all shapes.
#include "passing_check.h"

#include <string.h>

static const double PART = 0.25; // of the thinner shape: a way that short passes nothing

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

// [m] how far a shape could come by its velocities at the end
static double way_at_end(const rh_step_world *w, int shape)
{
  int mobile = w->shape[shape].mobile;
  double arm = w->shape[shape].arm;
  if (mobile > w->nfree) {
    const rh_kin_body *k = &w->d->kin[w->m->shape[shape].body];
    return w->par.dt * (rh_norm(k->v.lin) + rh_norm(k->v.ang) * arm);
  }
  const rh_step_velocity *b = &w->hot[mobile];
  return w->par.dt * (rh_norm(rh_step_read_vec(b->v)) + rh_norm(rh_step_read_vec(b->w)) * arm);
}

// What is within reach is known, nothing has moved yet.
void rh_step_pass_begin(rh_step_world *w)
{
  double longest = 0;
  for (int i = 0; i < w->m->nshape; i++) {
    longest = w->shape[i].mobile ? fmax(longest, w->reach[i]) : longest;
  }
  // half of the half: a body that is hit may leave twice as fast as what hit it
  w->hurried = longest - w->skin > 0.25 * PART * w->thinnest;
  if (w->hurried) {
    memcpy(w->geom_start, w->geom, (size_t)w->m->nshape * sizeof *w->geom);
  }
}

// The contact of a pair that passed; RH_NONE: it did not
static int check_pair(rh_step_world *w, int a, int b)
{
  rh_step_place(w, a);
  rh_step_place(w, b);
  return rh_pair_passes(w->m, a, b, w->geom_start, w->geom) ? rh_near_pair_of(w->m, a, b).contact
                                                            : RH_NONE;
}

static int check_near(rh_step_world *w)
{
  const rh_model_shape *shape = w->m->shape;
  int found = RH_NONE;
  for (int i = 0; i < w->near.count && found == RH_NONE; i++) {
    int a = w->near.pair[i].a;
    int b = w->near.pair[i].b;
    double way = fmax(w->reach[a], way_at_end(w, a)) + fmax(w->reach[b], way_at_end(w, b));
    if (is_thin(w, a) && is_thin(w, b) && way > PART * fmin(shape[a].width, shape[b].width)) {
      found = check_pair(w, a, b);
    }
  }
  return found;
}

// Shapes that went farther than was looked for
static int check_flung(rh_step_world *w)
{
  int found = RH_NONE;
  for (int a = 0; a < w->m->nshape; a++) {
    bool flung = w->shape[a].mobile && is_thin(w, a) && way_at_end(w, a) > w->reach[a];
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
  if (!w->hurried) {
    return RH_NONE;
  }
  rh_step_trees_place(w);
  int found = check_near(w);
  return found != RH_NONE ? found : check_flung(w);
}
