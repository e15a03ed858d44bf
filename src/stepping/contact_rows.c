// Stage 4: the rows of a contact: its frame, the arms of its point, and its inertia W = J H^-1 J'
// [1/kg] (sweeps/contact_frame.c), gap, restitution, friction, and the impulse of the last step.
#include "base/wide.h"
#include "contact_kernels.h"

#include "geometry/pair.h"
#include "model/contact_speed.h"

// Rows of a tree, world axes, are turned into t1, t2, n.
static void turn_rows(rh_step_worker *worker, const rh_step_row *c)
{
  const rh_step_world *w = worker->world;
  const rh_step_row_general *x = &w->general[c->any];
  const rh_vec3 to[3] = {rh_step_read_vec(x->t1), rh_step_read_vec(x->t2), rh_step_read_vec(c->n)};
  rh_step_branch_rotate(worker, x->ba, to);
  rh_step_branch_rotate(worker, x->bb, to);
}

RH_WIDE
static void tree_rows(rh_step_worker *worker, rh_step_row *c, const rh_found_contact *t)
{
  const rh_step_world *w = worker->world;
  const rh_model_shape *shape = w->m->shape;
  rh_step_row_general *x = &w->general[c->any];
  if (t->ma > w->nfree) {
    x->ba = rh_step_branch_make(worker, shape[t->a].body, &t->point, 1);
  }
  if (t->mb > w->nfree) {
    x->bb = rh_step_branch_make(worker, shape[t->b].body, &t->point, -1);
  }
  rh_sym3 W = rh_step_branch_inertia(worker, x->ba, x->bb);
  rh_step_frame_tree(w, c, &W, t->n);
  turn_rows(worker, c);
}

// Is the point straight above (or below) the centre of a body with a ball's inertia?
KERNEL_INLINE bool is_straight_above(const rh_step_world *w, int mobile, rh_vec3 r, rh_vec3 n)
{
  if (mobile == 0) {
    return true;
  }
  rh_vec3 x = rh_cross(r, n);
  return w->body[mobile].round && rh_dot(x, x) <= 1e-26 * rh_dot(r, r);
}

static void round_frame(const rh_step_world *w, rh_step_row *c, rh_vec3 ra, rh_vec3 rb, rh_vec3 n)
{
  const rh_step_velocity *a = &w->velocity[c->a];
  const rh_step_velocity *b = &w->velocity[c->b];
  double inverse = a->im + b->im;
  c->arm[0] = c->a ? -rh_dot(ra, n) : 0;
  c->arm[1] = c->b ? rh_dot(rb, n) : 0;
  c->iw = 1 / inverse;
  c->il = 1 / (inverse + a->J[0] * c->arm[0] * c->arm[0] + b->J[0] * c->arm[1] * c->arm[1]);
  rh_step_write_vec(n, c->n);
}

// The rows of any other contact
static inline void any_frame(rh_step_worker *worker, rh_step_row *c, rh_vec3 ra, rh_vec3 rb,
                             const rh_found_contact *t)
{
  const rh_step_world *w = worker->world;
  rh_step_row_general *x = &w->general[c->any];
  rh_step_write_vec(ra, x->ra);
  rh_step_write_vec(rb, x->rb);
  x->turn[0] = x->turn[1] = 0;
  x->ba = x->bb = RH_NONE;
  x->turned[0] = w->body[c->a].turned;
  x->turned[1] = w->body[c->b].turned;
  if (c->jointed) {
    tree_rows(worker, c, t);
  } else {
    rh_step_frame_free(w, c, t->n);
  }
}

static inline void set_impulse(const rh_step_world *w, rh_step_row *c, rh_vec3 p)
{
  c->p[3] = rh_dot(rh_step_read_vec(c->n), p);
  c->p[3] = c->p[3] > 0 && c->iw > 0 ? c->p[3] : 0;
  if (c->round) {
    rh_step_write_vec(rh_addscaled(p, -rh_dot(rh_step_read_vec(c->n), p), rh_step_read_vec(c->n)),
                      c->p);
  } else {
    const rh_step_row_general *x = &w->general[c->any];
    c->p[0] = x->il[0] > 0 ? rh_dot(rh_step_read_vec(x->t1), p) : 0;
    c->p[1] = x->il[1] > 0 ? rh_dot(rh_step_read_vec(x->t2), p) : 0;
    c->p[2] = 0;
  }
}

// The force of the last step, within the cone
static inline void start_impulse(const rh_step_world *w, rh_step_row *c, rh_vec3 p)
{
  set_impulse(w, c, p);
  double square = rh_dot(rh_step_read_vec(c->p), rh_step_read_vec(c->p));
  double radius = c->mu * c->p[3];
  if (square > radius * radius) {
    rh_step_write_vec(rh_scale(radius / sqrt(square), rh_step_read_vec(c->p)), c->p);
  }
}

// Rows of a tree before they were turned: the inverse turn has columns for rows.
static void turn_back(rh_step_worker *worker, const rh_step_row *c)
{
  const rh_step_world *w = worker->world;
  const rh_step_row_general *x = &w->general[c->any];
  rh_vec3 back[3];
  for (int i = 0; i < 3; i++) {
    back[i] = rh_v3(x->t1[i], x->t2[i], c->n[i]);
  }
  rh_step_branch_rotate(worker, x->ba, back);
  rh_step_branch_rotate(worker, x->bb, back);
}

void rh_step_rows_give(rh_step_worker *worker, rh_step_row *c, double give)
{
  const rh_step_world *w = worker->world;
  rh_step_row_general *x = &w->general[c->any];
  rh_vec3 n = rh_step_read_vec(c->n);
  rh_vec3 P = rh_step_impulse(w, c, c->p);
  x->give = give;
  if (c->jointed) {
    turn_back(worker, c);
    rh_sym3 W = rh_step_branch_inertia(worker, x->ba, x->bb);
    rh_step_frame_tree(w, c, &W, n);
    turn_rows(worker, c);
  } else {
    rh_step_frame_free(w, c, n);
  }
  set_impulse(w, c, P);
}

// Overlapping parts of one robot near the axis of their joint hardly move along their normal, and
// friction there would press them in ever more: they have none.
static bool hardly_gives(const rh_step_row_general *x)
{
  return x->w < 1e-3 * fmax(x->l[0], x->l[1]);
}

// Of impacts where it closes fast; else static friction where the contact does not slide at the start of the step, else kinetic: the
// coefficient of the whole step, so that no iterate of a solver, and no path of impulses, decides.
static double friction_of(const rh_step_world *w, const rh_found_contact *t, const rh_step_row *c,
                          const rh_step_row_info *s)
{
  const rh_step_material *rule = &w->laws.rule[t->rule];
  if (t->ma == t->mb && hardly_gives(&w->general[c->any])) {
    return 0;
  }
  if (rule->steady) {
    return rule->mu;
  }
  rh_vec3 u = w->laws.belt ? rh_add(s->u0, w->laws.belt[c->any].v) : s->u0;
  double slip = rh_dot(u, u) - s->un * s->un;
  slip = slip > 0 ? slip : 0;
  double slow = RH_STEP_STICKS * w->par.tolerance;
  bool sticks = slip <= slow * slow;
  if (!c->soft && s->un < -s->slow) { // an impact
    return rh_contact_impact_friction(&w->m->contact[t->rule], -s->un, sticks);
  }
  if (sticks) {
    return rule->mu_s;
  }
  bool falls = !c->soft && w->m->contact[t->rule].v_stribeck > 0;
  return falls ? rh_contact_sliding(&w->m->contact[t->rule], sqrt(slip)) : rule->mu;
}

static bool same_vec(const double x[3], rh_vec3 y)
{
  return x[0] == y.x && x[1] == y.y && x[2] == y.z;
}

// Row k is that of the step before, of the same rigid bodies in the same place: its frame and inertia
// are what they were.
static bool frame_stands(const rh_step_world *w, int k, const rh_found_contact *t)
{
  const rh_step_row *c = &w->row[k];
  const rh_step_row_general *x = &w->general[k];
  return k < w->contacts.nrow && !c->round && c->any == k && c->a == t->ma && c->b == t->mb &&
         !c->jointed && !c->soft && x->turned[0] == w->body[t->ma].turned &&
         x->turned[1] == w->body[t->mb].turned &&
         same_vec(x->ra, rh_sub(t->point, w->body[t->ma].x)) &&
         same_vec(x->rb, rh_sub(t->point, w->body[t->mb].x)) && same_vec(c->n, t->n);
}

static void rows_of(rh_step_worker *worker, int k, const rh_found_contact *t, double h)
{
  const rh_step_world *w = worker->world;
  rh_step_row *c = &w->row[k];
  rh_step_row_info *s = &w->info[k];
  bool stands = !w->laws.belt && frame_stands(w, k, t);
  c->a = t->ma > w->nfree ? 0 : t->ma;
  c->b = t->mb > w->nfree ? 0 : t->mb;
  c->any = k;
  rh_vec3 ra = rh_sub(t->point, w->body[c->a].x);
  rh_vec3 rb = rh_sub(t->point, w->body[c->b].x);
  c->jointed = t->ma > w->nfree || t->mb > w->nfree;
  const rh_step_material *rule = &w->laws.rule[t->rule];
  c->soft = rule->law != NULL;
  bool driven = w->laws.belt && rh_step_belt_make(w, k, t);
  c->round = !c->jointed && !c->soft && !driven && is_straight_above(w, c->a, ra, t->n) &&
             is_straight_above(w, c->b, rb, t->n);
  s->phi = t->phi;
  s->rule = t->rule;
  s->a = t->a;
  s->b = t->b;
  s->slide = 0;
  if (c->round) {
    round_frame(w, c, ra, rb, t->n);
  } else if (stands && !c->soft) {
    w->general[k].turn[0] = w->general[k].turn[1] = 0;
  } else {
    w->general[k].give = c->soft ? rh_step_compliant_first(worker, s) : 0;
    any_frame(worker, c, ra, rb, t);
  }
  double gap = t->phi > 2 * RH_STEP_SHUT ? t->phi
               : t->phi > RH_STEP_SHUT   ? 2 * (t->phi - RH_STEP_SHUT)
                                         : 0;
  c->bias = gap > 0 ? gap / h : 0;
  if (c->soft) {
    rh_step_compliant_bias(w, c, s);
  }
  if (w->laws.compliant) {
    s->damped = 0;
  }
  s->u0 = rh_step_velocity_at(worker, c);
  s->un = rh_dot(rh_step_read_vec(c->n), s->u0);
  const rh_model_contact *law = &w->m->contact[t->rule];
  s->e = c->soft ? 0 : rule->equal ? law->e : rh_contact_restitution(law, -s->un);
  if (w->laws.impacts) {
    s->point = t->point;
    s->slow = s->e > 0 || s->un < -w->slow ? rh_step_slow(w, t) : HUGE_VAL;
    s->poisson = w->laws.poisson[t->rule];
    s->has_impact = false;
    s->on_path = s->split = false;
  }
  c->mu = friction_of(w, t, c, s);
  start_impulse(w, c, rh_scale(h, t->f));
  if (w->laws.turn) {
    rh_step_turn_make(worker, k, t);
  }
}

// [m/s] change of the velocity at a contact within h by a steady force and gravity
static double steady_change(const rh_step_world *w, const rh_step_row *c, rh_vec3 f, double h)
{
  const rh_step_row_general *x = &w->general[c->any];
  double weight = c->jointed ? w->weight : 0; // of a tree
  weight += rh_norm(w->body[c->a].a) + rh_norm(w->body[c->b].a);
  double inverse = c->round ? 1 / c->iw + 2 / c->il : x->w + x->l[0] + x->l[1]; // [1/kg]
  return h * (inverse * rh_norm(f) + weight);
}

bool rh_step_rows_midway(rh_step_worker *worker, int k, const rh_found_contact *t, double h)
{
  const rh_step_world *w = worker->world;
  rh_step_row *c = &w->row[k];
  rh_step_row_general *x = &w->general[k];
  rh_step_row_info *s = &w->info[k];
  rh_vec3 P = rh_step_impulse(w, c, c->p);
  rh_vec3 first = rh_addscaled(s->u0, -s->un, rh_step_read_vec(c->n));
  double un = s->un;
  rh_vec3 belt = w->laws.belt ? w->laws.belt[k].v : rh_v3(0, 0, 0);
  if (w->laws.belt) {
    (void)rh_step_belt_make(w, k, t);
    belt = rh_sub(w->laws.belt[k].v, belt);
  }
  rh_vec3 ra = rh_sub(t->point, w->body[c->a].x);
  rh_vec3 rb = rh_sub(t->point, w->body[c->b].x);
  c->round = c->round && c->mu == 0 && !w->laws.turn && is_straight_above(w, c->a, ra, t->n) &&
             is_straight_above(w, c->b, rb, t->n); // balls that are not turned at all
  x->give = 0;
  if (c->round) {
    round_frame(w, c, ra, rb, t->n);
  } else {
    any_frame(worker, c, ra, rb, t);
  }
  s->u0 = rh_step_velocity_at(worker, c);
  s->un = rh_dot(t->n, s->u0);
  s->point = t->point;
  rh_vec3 turned = rh_add(rh_addscaled(rh_sub(s->u0, first), -un, t->n), belt);
  if (!c->round) {
    x->turn[0] += rh_dot(rh_step_read_vec(x->t1), turned);
    x->turn[1] += rh_dot(rh_step_read_vec(x->t2), turned);
  }
  c->bias += s->un - un;
  start_impulse(w, c, P);
  if (w->laws.turn) {
    rh_step_turn_midway(worker, k, t);
  }
  bool carried = rh_dot(t->f, t->f) > 0;
  bool jumps = rh_norm(turned) > steady_change(w, c, t->f, h);
  s->lasts = !jumps && (carried || t->phi <= w->par.slop);
  if (s->lasts && c->bias < HUGE_VAL && fabs(t->phi) <= RH_STEP_SMALL * w->par.slop) {
    c->bias = RH_STEP_RETURN * t->phi / (t->phi > 0 ? h : w->par.dt) + s->un - un;
  }
  return !(carried && jumps);
}

// A tree at a moment, where springs, dampers and actuators have no time to act
static void make_tree_now(rh_step_worker *worker, int i)
{
  rh_step_tree *tree = &worker->world->trees.tree[i - worker->world->nfree - 1];
  rh_step_tree_place(worker->world, i);
  tree->middle = false;
  rh_step_tree_make_at(worker, tree, 0, 1);
}

// Trees at their poses, for a step of h: only those of one island at a time.
static void make_trees(rh_step_worker *worker, const rh_step_island *s, double h)
{
  const rh_step_world *w = worker->world;
  worker->rows.nbranch = worker->rows.njoint = worker->rows.nloop = 0;
  worker->rows.nY = 0;
  for (int i = s->mob; w->m->tendons.n > 0 && i < s->mob + s->nmob; i++) {
    if (w->member[i] > w->nfree) {
      rh_step_tree_place(w, w->member[i]);
    }
  }
  for (int i = s->mob; w->m->tendons.n > 0 && i < s->mob + s->nmob; i++) {
    rh_step_tendons_update(w, w->member[i]);
  }
  for (int i = s->mob; i < s->mob + s->nmob; i++) {
    if (w->member[i] > w->nfree) {
      if (worker->moment) {
        make_tree_now(worker, w->member[i]);
      } else {
        rh_step_tree_make(worker, w->member[i], h);
      }
      rh_step_joint_rows_make(worker, w->member[i], h);
    }
  }
  for (int i = s->mob; w->m->tendons.n > 0 && i < s->mob + s->nmob; i++) {
    rh_step_tendon_rows_make(worker, w->member[i], h);
  }
  rh_step_loops_make(worker, s, h);
}

// Prefetches a touch and its bodies, for large islands.
static inline void ask_for_touch(const rh_found_contact *t)
{
  __builtin_prefetch(t);
  __builtin_prefetch(&t->phi);
}

static inline void ask_for_bodies(const rh_step_world *w, const rh_found_contact *t)
{
  __builtin_prefetch(&w->body[t->ma]);
  __builtin_prefetch(&w->velocity[t->ma]);
  __builtin_prefetch(&w->body[t->mb]);
  __builtin_prefetch(&w->velocity[t->mb]);
}

enum { AHEAD = 4 }; // contacts

typedef struct start_of {
  const rh_found_contact *touch;
  double h;
} start_of;

static void rows_of_slice(rh_step_worker *worker, rh_step_slice *s, const void *user)
{
  const rh_step_world *w = worker->world;
  const start_of *at = user;
  bool many = rh_step_is_large(s);
  for (int k = s->con; k < s->con + s->ncon; k++) {
    if (many && k + 2 * AHEAD < s->con + s->ncon) {
      ask_for_touch(&at->touch[w->order[k + 2 * AHEAD]]);
      ask_for_bodies(w, &at->touch[w->order[k + AHEAD]]);
    }
    rows_of(worker, k, &at->touch[w->order[k]], at->h);
    w->info[k].touch = w->order[k];
  }
}

// ---- Faces that a tree holds

enum { FACE = 3 }; // points of a pair, at least

static const double CORNER = 0.6; // of the load of a face: one point carries it

// The impulses of a pair, contacts k .. end - 1, start as equal shares where one point had all of
// them. Sweeps give the load of a face that cannot turn to its first point, and a corner does not
// hold a turn; shares that are not right are corrected by the solution.
static void share_face(const rh_step_world *w, int k, int end)
{
  rh_vec3 sum = {0, 0, 0};
  double load = 0;
  double most = 0;
  for (int i = k; i < end; i++) {
    const rh_step_row *c = &w->row[i];
    sum = rh_add(sum, rh_step_impulse(w, c, c->p));
    load += c->p[3];
    most = fmax(most, c->p[3]);
  }
  for (int i = k; end - k >= FACE && most > CORNER * load && i < end; i++) {
    start_impulse(w, &w->row[i], rh_scale(1.0 / (end - k), sum));
  }
}

static void share_faces(const rh_step_world *w, const rh_step_island *s)
{
  for (int k = s->con; k < s->con + s->ncon;) {
    const rh_step_row_info *first = &w->info[k];
    int end = k + 1;
    while (end < s->con + s->ncon && w->info[end].a == first->a && w->info[end].b == first->b) {
      end++;
    }
    if (w->row[k].jointed && (w->row[k].a || w->row[k].b)) {
      share_face(w, k, end);
    }
    k = end;
  }
}

void rh_step_rows(rh_step_worker *worker, const rh_step_island *s, const rh_found_contact *touch,
                  double h)
{
  const rh_step_world *w = worker->world;
  if (w->trees.n > 0 || w->m->nloop > 0) {
    make_trees(worker, s, h);
  }
  if (w->laws.compliant) {
    rh_step_mean_impulse_begin(worker, s, touch, h);
  }
  const start_of at = {touch, h};
  (void)rh_step_for_each_slice(worker, s, rows_of_slice, &at, RH_STEP_ANYHOW);
  if (w->trees.n > 0) {
    share_faces(w, s);
  }
  if (w->laws.bounces && worker->rows.njoint > 0) {
    rh_step_joint_rows_shake(worker, s, touch);
  }
}

// ---- Paths of contacts of trees

// [m/s^2] acceleration along n, away from the ground, of a shape of a tree at touch t, were its joints
// not accelerated: of the centre of its rounding, which the gap to flat ground follows. `side` [1] is
// -1 where n points at the ground.
static double bend_of(const rh_step_world *w, const rh_found_contact *t, int shape, double side)
{
  const rh_kin_body *b = &w->d->kin[w->m->shape[shape].body];
  double radius = rh_geom_rounding(&w->search->geom[shape]);
  rh_vec3 r = rh_sub(rh_addscaled(t->point, side * radius, t->n), b->p);
  rh_vec3 turning = rh_add(rh_cross(b->c.ang, r), rh_cross(b->v.ang, rh_cross(b->v.ang, r)));
  return side * rh_dot(t->n, rh_add(b->c.lin, turning));
}

// Joints move along their velocities at the end of h, points on paths that bend: a gap becomes
// phi + h u + h^2 a/2, a of bend_of. Where a < 0 a contact with the ground aims above it by as much, so
// that its path is a chord, not a tangent, and impulses do no work: u turns from h a/2 to -h a/2. Where
// a > 0 the gap that is left closes in the next step.
void rh_step_rows_bend(rh_step_worker *worker, const rh_step_island *s,
                       const rh_found_contact *touch, double h)
{
  const rh_step_world *w = worker->world;
  for (int k = s->con; k < s->con + s->ncon; k++) {
    rh_step_row *c = &w->row[k];
    const rh_found_contact *t = &touch[w->info[k].touch];
    if (c->jointed && !c->soft && (t->ma == 0 || t->mb == 0)) {
      double bend = t->mb == 0 ? bend_of(w, t, t->a, 1) : bend_of(w, t, t->b, -1);
      c->bias += bend < 0 ? 0.5 * h * bend : 0;
    }
  }
}

double rh_step_pull(const rh_step_worker *worker, const rh_step_row *c)
{
  const rh_step_world *w = worker->world;
  rh_vec3 a = {0, 0, 0};
  if (c->a && !w->body[c->a].pressed) {
    a = w->body[c->a].a;
  }
  if (c->b && !w->body[c->b].pressed) {
    a = rh_sub(a, w->body[c->b].a);
  }
  double sum = rh_dot(rh_step_read_vec(c->n), a);
  const int branch[2] = {w->general[c->any].ba, w->general[c->any].bb};
  for (int i = 0; c->jointed && i < 2; i++) {
    const rh_step_branch *b = branch[i] == RH_NONE ? NULL : &worker->rows.branch[branch[i]];
    sum += b && !w->body[b->mobile].pressed ? rh_step_branch_row(b, 2, w->trees.force) : 0;
  }
  return sum;
}
