// Shapes that go far in a step.
// A body that something fast hits within the step goes farther than its own velocity takes it: its
// reach is extended along the way on which the impact of the two may send it, and so on along a chain.
//
// No shape goes through another within a step unnoticed. Rows separate shapes that were within
// reach when the step began (collide.c); shapes that pass all the same, above all by a compliant
// law too soft for the speed, are found when the step is done, by the way between its ends
// (collision/pair_passing.c), and end the run with a reason. Only shapes that went far for their
// thickness are examined: in most scenes there are none. A body with an impact in the step may have
// gone farther than the pairs of the step were searched: it is examined with all shapes on whose way it was.
#include "stepping.h"

#include <string.h>

// ---- Bodies that something fast hits in the step

// May a shape go so far in the step that it passes another? A sixteenth of the thinnest: a body may
// leave an impact at twice the speed of the other, and the other may do so too.
static bool is_hurried(const rh_step_world *w)
{
  return w->shapes.farthest - w->shapes.skin > 0.0625 * w->shapes.thinnest;
}

static rh_vec3 velocity_after(const rh_step_world *w, int i)
{
  return rh_add(rh_step_read_vec(w->velocity[i].v), w->body[i].thrown);
}

// Extends the reach of a body that may leave an impact at velocity v. False: it reaches so far.
static bool extend_reach(rh_step_world *w, int i, rh_vec3 v)
{
  rh_vec3 d = rh_scale(w->par.dt, v);
  double way = rh_norm(d) + w->shapes.skin;
  bool farther = false;
  for (int k = 0; k < w->m->nshape; k++) {
    if (w->shapes.of[k].mobile == i && way > (1 + 1e-9) * w->shapes.reach[k]) {
      rh_bounds *box = &w->search->box[k]; // along its way only
      w->shapes.reach[k] = way;
      w->shapes.farthest = rh_greater(w->shapes.farthest, way);
      box->lo = rh_addscaled(box->lo, 1, rh_v3(fmin(d.x, 0), fmin(d.y, 0), fmin(d.z, 0)));
      box->hi = rh_addscaled(box->hi, 1, rh_v3(fmax(d.x, 0), fmax(d.y, 0), fmax(d.z, 0)));
      w->shapes.of[k].placed = w->shapes.of[k].still = false;
      farther = true;
    }
  }
  return farther;
}

// The impact of the two bodies of a contact whose gap closes in the step, along its normal
static bool throw_bodies(rh_step_world *w, const rh_found_contact *t)
{
  const int body[2] = {t->ma, t->mb};
  bool farther = false;
  if (t->ma == 0 || t->mb == 0 || t->ma > w->nfree || t->mb > w->nfree) {
    return false;
  }
  double closing = rh_dot(t->n, rh_sub(velocity_after(w, t->mb), velocity_after(w, t->ma)));
  if (!(closing * w->par.dt > fmax(t->phi, 0) + w->shapes.skin)) {
    return false;
  }
  double e = w->laws.rule[t->rule].law ? 1 : w->m->contact[t->rule].e;
  double p = (1 + e) * closing / (1 / w->body[t->ma].mass + 1 / w->body[t->mb].mass);
  for (int i = 0; i < 2; i++) {
    rh_step_body *c = &w->body[body[i]];
    rh_vec3 gain = rh_addscaled(c->thrown, (i == 0 ? p : -p) / c->mass, t->n);
    if (extend_reach(w, body[i], rh_add(rh_step_read_vec(w->velocity[body[i]].v), gain))) {
      c->thrown = gain;
      farther = true;
    }
  }
  return farther;
}

enum { CHAIN = 16 }; // bodies that throw one another in a step

// A body that is hit by a fast one within the step reaches farther than by its own velocity.
void rh_step_find_thrown(rh_step_world *w)
{
  w->shapes.hurried = is_hurried(w);
  for (int i = 1; w->shapes.hurried && i <= w->nfree; i++) {
    w->body[i].thrown = rh_v3(0, 0, 0);
  }
  for (int round = 0; w->shapes.hurried && round < CHAIN; round++) {
    bool farther = false;
    for (int k = 0; k < w->contacts.n; k++) {
      farther = throw_bodies(w, &w->contacts.now[k]) || farther;
    }
    if (!farther) {
      return;
    }
    rh_step_find_contacts(w);
  }
}

// ---- Shapes that went through one another

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

enum { SHAPES = 64 }; // of a task

static int end_of_shapes(const rh_step_world *w, int task)
{
  return (task + 1) * SHAPES < w->m->nshape ? (task + 1) * SHAPES : w->m->nshape;
}

static int tasks_of_shapes(const rh_step_world *w)
{
  return (w->m->nshape + SHAPES - 1) / SHAPES;
}

static void keep_some(rh_step_worker *worker, int task)
{
  const rh_step_world *w = worker->world;
  int from = task * SHAPES;
  memcpy(w->shapes.geom_start + from, w->search->geom + from,
         (size_t)(end_of_shapes(w, task) - from) * sizeof *w->search->geom);
}

void rh_step_pass_begin(rh_step_world *w)
{
  rh_step_parallel_for(w, keep_some, tasks_of_shapes(w));
}

static double larger_of(double a, rh_vec3 b)
{
  return rh_greater(a, rh_greater(b.x, rh_greater(b.y, b.z)));
}

// [m] on its straight way, with a turn, a shape leaves the box of its search by no more than this: a turn by x takes
// matrices apart by 2^1.5 sin(x/2) >= 2^1.5 x/pi. The box of a body that was thrown is long in one direction only.
static double way_out(const rh_step_world *w, int shape)
{
  const rh_geom *from = &w->shapes.geom_start[shape];
  const rh_geom to = rh_step_placed(w, shape);
  const rh_bounds *box = &w->search->box[shape];
  int mobile = w->shapes.of[shape].mobile;
  double radius = w->m->shape[shape].reach;
  double square = 0;
  if (mobile <= w->nfree && rh_norm(w->body[mobile].thrown) > 0) {
    rh_vec3 all = rh_v3(radius, radius, radius);
    double out = larger_of(0, rh_sub(box->lo, rh_sub(from->p, all)));
    out = larger_of(out, rh_sub(box->lo, rh_sub(to.p, all)));
    out = larger_of(out, rh_sub(rh_add(from->p, all), box->hi));
    return larger_of(out, rh_sub(rh_add(to.p, all), box->hi));
  }
  for (int k = 0; k < 9; k++) {
    double apart = to.R.m[k] - from->R.m[k];
    square += apart * apart;
  }
  double turn = 1.12 * sqrt(square);
  return rh_norm(rh_sub(to.p, from->p)) + turn * radius - w->shapes.reach[shape];
}

static void measure_some(rh_step_worker *worker, int task)
{
  const rh_step_world *w = worker->world;
  for (int i = task * SHAPES; i < end_of_shapes(w, task); i++) {
    if (w->shapes.of[i].mobile && is_thin(w, i)) {
      worker->flung = rh_greater(worker->flung, way_out(w, i));
    }
  }
}

// Notes the pair if it passed and is the first one so far, by a and then by b.
static void check_pair(const rh_step_world *w, int a, int b, rh_passed_pair *first)
{
  if (first->contact != RH_NONE &&
      (a > first->shape[0] || (a == first->shape[0] && b > first->shape[1]))) {
    return;
  }
  const rh_geom to[2] = {rh_step_placed(w, a), rh_step_placed(w, b)};
  if (rh_pair_passes(w->m, (int[]){a, b},
                     (const rh_geom *[]){&w->shapes.geom_start[a], &w->shapes.geom_start[b]},
                     (const rh_geom *[]){&to[0], &to[1]})) {
    *first = (rh_passed_pair){rh_shape_pair_of(w->m, a, b).rule, {a, b}, 0};
  }
}

static void check_near(rh_step_worker *worker, int task)
{
  const rh_step_world *w = worker->world;
  const rh_model_shape *shape = w->m->shape;
  rh_shape_pair *pair[RH_STEP_PAIRS];
  int from = task * RH_STEP_PAIRS;
  int left = w->pairs.near.candidates - from;
  int n = rh_broad_list(w->search->broad, w->search->box, from,
                        from + (left < RH_STEP_PAIRS ? left : RH_STEP_PAIRS), pair);
  for (int i = 0; i < n; i++) {
    int a = pair[i]->a;
    int b = pair[i]->b;
    double way =
        fmax(w->shapes.reach[a], way_at_end(w, a)) + fmax(w->shapes.reach[b], way_at_end(w, b));
    if (is_thin(w, a) && is_thin(w, b) && way > PART * fmin(shape[a].width, shape[b].width)) {
      check_pair(w, a, b, &worker->passed[0]);
    }
  }
}

typedef struct flight {
  rh_step_worker *worker;
  int shape;
} flight;

static void check_met(void *user, int b)
{
  const flight *f = user;
  const rh_step_world *w = f->worker->world;
  if (is_thin(w, b) && rh_step_may_collide(w, &(rh_shape_pair){.a = f->shape, .b = b})) {
    check_pair(w, f->shape, b, &f->worker->passed[1]);
  }
}

// Shapes that went farther than the search, with all on whose way they were
static void check_flung(rh_step_worker *worker, int task)
{
  const rh_step_world *w = worker->world;
  double out = 2 * w->worker[0].flung; // of both
  for (int a = task * SHAPES; a < end_of_shapes(w, task); a++) {
    if (w->shapes.of[a].mobile && is_thin(w, a) && way_at_end(w, a) > w->shapes.reach[a]) {
      flight f = {worker, a};
      rh_bounds box = w->search->box[a];
      box.lo = rh_sub(box.lo, rh_v3(out, out, out));
      box.hi = rh_add(box.hi, rh_v3(out, out, out));
      rh_broad_near(w->search->broad, &box, check_met, &f);
    }
  }
}

static void check_some(rh_step_worker *worker, int task)
{
  int shapes = tasks_of_shapes(worker->world);
  if (task < shapes) {
    check_flung(worker, task);
  } else {
    check_near(worker, task - shapes);
  }
}

// The first pair of all threads
static rh_passed_pair first_passed(const rh_step_world *w, int which)
{
  rh_passed_pair first = {.contact = RH_NONE};
  for (int k = 0; k < (int)w->par.threads; k++) {
    const rh_passed_pair *x = &w->worker[k].passed[which];
    bool before = x->shape[0] < first.shape[0] ||
                  (x->shape[0] == first.shape[0] && x->shape[1] < first.shape[1]);
    if (x->contact != RH_NONE && (first.contact == RH_NONE || before)) {
      first = *x;
    }
  }
  return first;
}

rh_passed_pair rh_step_passed(rh_step_world *w)
{
  int threads = (int)w->par.threads;
  double flung = 0;
  for (int k = 0; k < threads; k++) {
    w->worker[k].flung = 0;
    w->worker[k].passed[0].contact = w->worker[k].passed[1].contact = RH_NONE;
  }
  rh_step_trees_place(w);
  rh_step_parallel_for(w, measure_some, tasks_of_shapes(w));
  for (int k = 0; k < threads; k++) {
    flung = rh_greater(flung, w->worker[k].flung);
  }
  w->worker[0].flung = flung;
  int pairs = (w->pairs.near.candidates + RH_STEP_PAIRS - 1) / RH_STEP_PAIRS;
  rh_step_parallel_for(w, check_some, tasks_of_shapes(w) + pairs);
  rh_passed_pair found = first_passed(w, 0);
  return found.contact != RH_NONE ? found : first_passed(w, 1);
}
