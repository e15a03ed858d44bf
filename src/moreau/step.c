// One step of a world: collide, islands, and each island by itself over the step.
#include "moreau/moreau.h"

// The impulses of the last step, in full
static void warm(rh_mo *w, const rh_mo_island *s)
{
  for (int k = s->con; k < s->con + s->ncon; k++) {
    const rh_mo_con *c = &w->con[k];
    if (c->p[3] > 0) {
      rh_mo_push(w, c, rh_mo_impulse(c, c->p));
    }
  }
}

static void kick(rh_mo *w, int i, double h)
{
  if (i > w->nfree) {
    rh_mo_tree_kick(w, i, h);
  } else {
    rh_mo_kick(&w->hot[i], &w->cold[i], h);
  }
}

static void drift(rh_mo *w, int i, double h, bool smooth)
{
  if (i > w->nfree) {
    rh_mo_tree_drift(w, i, h);
    return;
  }
  rh_mo_cold *c = &w->cold[i];
  const rh_mo_hot *b = &w->hot[i];
  bool end = c->pressed && !smooth;
  if (c->forced) {
    rh_mo_book_force(w, i, h);
  }
  if (end && !c->eased) { // see book.c
    rh_vec3 short_of = rh_scale(0.5 * h * c->mass, rh_sub(rh_v3(b->v[0], b->v[1], b->v[2]), c->v0));
    w->struck -= rh_dot(w->m->gravity, short_of);
  }
  rh_mo_drift(&w->hot[i], c, h, end);
}

// The world, mobile 0, is not moved, and belongs to all islands: nobody writes it.
static void press(rh_mo *w, int mobile, const rh_normal_law *law)
{
  rh_mo_cold *c = &w->cold[mobile];
  if (mobile != 0) {
    c->eased = law && (c->eased || !c->pressed);
    c->pressed = true;
  }
}

static void mark(rh_mo *w, const rh_mo_island *s, const rh_mo_touch *touch)
{
  for (int k = s->con; k < s->con + s->ncon; k++) {
    const rh_mo_con *c = &w->con[k];
    const rh_mo_touch *t = &touch[w->side[k].touch];
    if (c->p[3] > 0) {
      press(w, t->ma, w->side[k].law);
      press(w, t->mb, w->side[k].law);
    }
  }
}

static const double STILL = 1e-4; // of the tolerance

// An island that is pressed everywhere and moves by far less than the solver's tolerance rests: then it has no velocity, and creeps by nothing.
static void calm(rh_mo *w, const rh_mo_island *s)
{
  const int *member = w->member + s->mob;
  double slow = STILL * w->par.tolerance;
  for (int i = 0; i < s->nmob; i++) {
    const rh_mo_hot *b = &w->hot[member[i]];
    const rh_mo_cold *c = &w->cold[member[i]];
    if (member[i] > w->nfree) {
      if (!c->pressed || !rh_mo_tree_rests(w, member[i], slow)) {
        return;
      }
      continue;
    }
    double arm = c->size;
    double v = b->v[0] * b->v[0] + b->v[1] * b->v[1] + b->v[2] * b->v[2];
    double spin = b->w[0] * b->w[0] + b->w[1] * b->w[1] + b->w[2] * b->w[2];
    if (!c->pressed || v + arm * arm * spin > slow * slow) {
      return;
    }
  }
  for (int i = 0; i < s->nmob; i++) {
    rh_mo_hot *b = &w->hot[member[i]];
    if (member[i] > w->nfree) {
      rh_mo_tree_stop(w, member[i]);
      continue;
    }
    for (int k = 0; k < 3; k++) {
      b->v[k] = b->w[k] = 0;
    }
  }
}

void rh_mo_substep(rh_mo *w, const rh_mo_island *s, rh_mo_touch *touch, double h)
{
  const int *member = w->member + s->mob;
  for (int i = 0; i < s->nmob; i++) {
    kick(w, member[i], h);
  }
  warm(w, s);
  rh_mo_ties_warm(w);
  rh_mo_solve(w, s);
  if (w->soft) {
    rh_mo_soft_solve(w, s);
  }
  mark(w, s, touch);
  if (s->ntie == 0) {
    calm(w, s);
  }
  bool smooth = rh_mo_book_contacts(w, s, touch, h) && s->ntie == 0; // loops follow the chord
  rh_mo_lines_settle(w);
  rh_mo_ties_settle(w, h);
  for (int i = 0; i < s->nmob; i++) {
    drift(w, member[i], h, smooth);
  }
  rh_mo_part(w, s, h);
}

static bool has_rows(const rh_mo *w, const rh_mo_island *s, double h)
{
  bool any = s->ncon > 0 || s->ntie > 0;
  for (int k = s->mob; !any && k < s->mob + s->nmob; k++) {
    int tree = w->member[k] - w->nfree - 1;
    any = tree >= 0 && (w->trees.tree[tree].stiff || rh_mo_limits_near(w, w->member[k], h));
  }
  return any;
}

void rh_mo_step_island(rh_mo *w, rh_mo_island *s, double h, bool locate)
{
  w->struck = 0;
  s->struck = 0;
  s->later = false;
  if (!has_rows(w, s, h)) { // it is one mobile by itself
    int i = w->member[s->mob];
    if (i > w->nfree) {
      rh_mo_tree_fly(w, i, h);
    } else {
      kick(w, i, h);
      drift(w, i, h, true);
    }
    s->struck = w->struck;
    return;
  }
  rh_mo_rows(w, s, w->touch, h);
  if (w->lively && rh_mo_first_impact(w, s, h) < HUGE_VAL) {
    s->later = !locate;
    if (locate) {
      rh_mo_bounce(w, s, h);
    }
  } else {
    rh_mo_substep(w, s, w->touch, h);
  }
  s->struck = w->struck;
}

void rh_mo_step(rh_mo *w)
{
  double h = w->par.dt;
  rh_mo_book_begin(w);
  rh_mo_loads(w);
  rh_mo_trees_stand(w);
  rh_mo_meet(w, h);
  if (w->soft && *w->d->t == 0) {
    rh_mo_soft_begin(w);
  }
  rh_mo_islands(w);
  rh_mo_crew_step(w, h);
  rh_mo_book_end(w);
  w->tally.steps++;
  w->tally.contacts += w->ntouch;
  w->sim->impact.deepest = fmax(w->sim->impact.deepest, w->tally.deepest);
  rh_mo_touch *last = w->old;
  w->old = w->touch;
  w->nold = w->ntouch;
  w->touch = last;
}
