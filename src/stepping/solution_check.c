// solution_check.c: check of the answer of a step. The common check of src/complement reads
// impulses and velocities when the island has been solved: each contact, limit, dry joint and loop
// by its natural map, in m/s, for any method. That costs less than a sweep.
//
// Is the answer the only one? Velocities below the tolerance are zero: such a contact sticks, or
// touches, whatever it carries now. C has the directions in which impulses can still change at
// constant velocities (three where a contact sticks, one where it slides or has no friction, one of
// a loop, of a limit that is reached, of a joint that dry friction holds). The rank of C'WC, W the
// island's, gives the number of free directions, and that of the linearised problem whether
// velocities are unique near the answer (rh_blocks_unique). Islands too large for its factors are
// only counted: a pair of shapes determines at most six impulses, an island at most its number of
// degrees of freedom; and one more of each compliant contact. Where there are more of them, of
// contacts well inside their cones, impulses are not unique.
// Impacts inside a step are checked, but not for uniqueness. An island at rest that has not changed
// since its last check is not checked again.
#include "contact_kernels.h"

#include "complement/motions/cone_motions.h"

#include <stdio.h>
#include <string.h>

static const double FAR = 1e3; // [m/s] bias of a contact that is open

static double judge_one(rh_block_kind kind, double limit, double d, const double *p,
                        const double *u)
{
  const rh_blocks one = {.n = 1, .kind = &kind, .limit = &limit};
  return rh_block_judge(&one, 0, d, p, u);
}

// ---- The residual

typedef struct seen { // a contact: rows t1, t2, n
  double p[3], u[3];  // [N s], [m/s] with its bias and compliance
  double mu;
  bool shut, sticks; // to the tolerance
} seen;

static seen read_contact(const rh_step_worker *worker, const rh_step_row *c)
{
  const rh_step_world *w = worker->world;
  seen x;
  rh_vec3 f[3];
  rh_step_newton_frame(w, c, f);
  rh_vec3 u = rh_step_velocity_at(worker, c);
  rh_vec3 P = rh_step_impulse(w, c, c->p);
  for (int a = 0; a < 3; a++) {
    x.u[a] = rh_dot(f[a], u);
    x.p[a] = rh_dot(f[a], P);
  }
  for (int a = 0; a < 2 && !c->round; a++) {
    x.u[a] += w->general[c->any].turn[a];
  }
  x.p[2] = c->p[3];
  x.u[2] += (c->bias < FAR ? c->bias : FAR) + (c->soft ? w->general[c->any].give * c->p[3] : 0);
  double slow = w->par.tolerance;
  x.sticks = x.u[0] * x.u[0] + x.u[1] * x.u[1] <= slow * slow;
  x.shut = x.u[2] <= slow;
  x.mu = c->mu;
  return x;
}

// The check's unit of a contact, from the diagonal of its W
static double contact_unit(const rh_step_world *w, const rh_step_row *c)
{
  static const int start[2] = {0, 1};
  static const int col[1] = {0};
  double W[9] = {[8] = c->iw > 0 ? 1 / c->iw : 0};
  if (c->round) {
    W[0] = W[4] = 1 / c->il;
  } else {
    const rh_step_row_general *y = &w->general[c->any];
    W[0] = y->l[0] + y->c[0] * y->c[0] * c->iw;
    W[4] = y->l[1] + y->c[1] * y->c[1] * c->iw;
  }
  const rh_blocks one = {.n = 1, .start = start, .col = col, .W = W};
  return rh_block_unit(&one, 0);
}

static double residual_of_rows(const rh_step_worker *worker)
{
  const rh_step_world *w = worker->world;
  double worst = 0;
  for (int k = 0; k < worker->rows.njoint; k++) {
    const rh_joint_row *line = &worker->rows.joint[k];
    if (line->bias == HUGE_VAL) { // it takes no part
      continue;
    }
    double p[3] = {line->p, 0, 0};
    double u[3] = {rh_step_branch_row(&line->on, 0, w->trees.z) + line->bias, 0, 0};
    rh_block_kind kind = line->kind == RH_STEP_LIMIT ? RH_BLOCK_LOW : RH_BLOCK_BOX;
    worst = fmax(worst, judge_one(kind, line->u0 == 0 ? line->rest : line->limit, line->w, p, u));
  }
  for (int k = 0; k < worker->rows.nloop; k++) {
    const rh_loop_rows *tie = &worker->rows.loop[k];
    double u[RH_LOOP_ROWS];
    rh_step_loop_velocity(w, tie, u);
    for (int i = 0; i < tie->n; i++) {
      double row[3] = {u[i] + tie->bias[i], 0, 0};
      const double p[3] = {tie->p[i], 0, 0};
      worst = fmax(worst, tie->D[i][i] > 0 ? judge_one(RH_BLOCK_EQUAL, 0, 1, p, row) : 0);
    }
  }
  return worst;
}

static double island_residual(const rh_step_worker *worker, const rh_step_island *s)
{
  const rh_step_world *w = worker->world;
  double worst = residual_of_rows(worker);
  for (int k = s->con; k < s->con + s->ncon; k++) {
    const rh_step_row *c = &w->row[k];
    seen x = read_contact(worker, c);
    worst = fmax(worst, judge_one(RH_BLOCK_CONE, x.mu, contact_unit(w, c), x.p, x.u));
  }
  return worst;
}

// ---- Uniqueness

static int count_dofs(const rh_step_world *w, const rh_step_island *s)
{
  int n = 0;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    int i = w->member[k];
    if (i <= w->nfree) {
      n += w->velocity[i].im > 0 ? 6 : 0;
      continue;
    }
    const rh_step_tree *tree = &w->trees.tree[i - w->nfree - 1];
    for (int z = tree->z; z < tree->z + tree->nz; z++) {
      int dof = w->trees.dof[z];
      n += dof != RH_NONE && w->d->hold[dof] != RH_HOLD_LOCK;
    }
  }
  return n;
}

enum { APART = 6 }; // independent impulses between two bodies

// Minimum number of free directions of the impulses: by counting alone
static int count_free(const rh_step_worker *worker, const rh_step_island *s,
                      const rh_found_contact *touch)
{
  const rh_step_world *w = worker->world;
  const double INSIDE = 1 - 1e-9;
  int rows = 0;
  int apart = 0;
  int soft = 0;
  for (int k = s->con, end; k < s->con + s->ncon; k = end) {
    const rh_found_contact *pair = &touch[w->info[k].touch];
    int here = 0;
    int gives = 0;
    for (end = k; end < s->con + s->ncon; end++) {
      const rh_found_contact *t = &touch[w->info[end].touch];
      if (t->a != pair->a || t->b != pair->b) {
        break;
      }
      seen x = read_contact(worker, &w->row[end]);
      double radius = INSIDE * x.mu * x.p[2];
      bool inside = x.sticks && x.p[0] * x.p[0] + x.p[1] * x.p[1] < radius * radius;
      here += x.p[2] > 0 ? (inside ? 3 : 1) : 0;
      gives += x.p[2] > 0 && w->row[end].soft;
    }
    rows += here;
    apart += here < APART + gives ? here : APART + gives;
    soft += gives;
  }
  int most = count_dofs(w, s) + soft;
  return rows - (apart < most ? apart : most);
}

// Velocities below the tolerance are rest, or touch: b is changed to make them so, and a touching
// contact pushes a little.
static void settle_velocities(const rh_step_worker *worker, const rh_blocks *problem)
{
  const rh_step_world *w = worker->world;
  double slow = w->par.tolerance;
  double *b = worker->newton.b;
  for (int i = 0; i < problem->n; i++) {
    double u[3];
    rh_block_rows_of(problem, i, worker->newton.p, u);
    bool cone = problem->kind[i] == RH_BLOCK_CONE;
    int n = cone ? 2 : 0;
    if (cone && u[0] * u[0] + u[1] * u[1] <= slow * slow) {
      b[3 * i] -= u[0];
      b[3 * i + 1] -= u[1];
    }
    if (cone || problem->kind[i] == RH_BLOCK_LOW) {
      b[3 * i + n] -= u[n] <= slow ? u[n] + slow : 0;
    } else {
      b[3 * i] -= fabs(u[0]) <= slow ? u[0] : 0;
    }
  }
}

// The first contact of the island, for reports
static void name_island(rh_step_worker *worker, const rh_step_island *s)
{
  const rh_step_world *w = worker->world;
  bool found = s->ncon > 0 && s->con < w->contacts.capacity; // not examined again
  const rh_found_contact *first = found ? &w->contacts.now[w->order[s->con]] : NULL;
  worker->result.check.rule = s->ncon > 0 ? w->info[s->con].rule : RH_NONE;
  worker->result.check.shape[0] = first ? first->a : RH_NONE;
  worker->result.check.shape[1] = first ? first->b : RH_NONE;
}

static void note_free_directions(rh_step_worker *worker, const rh_step_island *s, int free)
{
  if (free > worker->result.check.free) {
    worker->result.check.free = free;
    name_island(worker, s);
  }
}

// Free bodies without any velocity: then free directions depend only on their positions.
static bool island_rests(const rh_step_world *w, const rh_step_island *s)
{
  bool rests = s->nloop == 0 && !w->laws.compliant && s->ncon <= 4 * 64;
  for (int k = s->mob; rests && k < s->mob + s->nmob; k++) {
    const rh_step_velocity *b = &w->velocity[w->member[k]];
    rests = w->member[k] <= w->nfree && b->v[0] == 0 && b->v[1] == 0 && b->v[2] == 0 &&
            b->w[0] == 0 && b->w[1] == 0 && b->w[2] == 0;
  }
  return rests;
}

static void mix_hash(uint64_t *key, const double *x, int n)
{
  for (int i = 0; i < n; i++) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    *key = (*key ^ bits) * 0x9e3779b97f4a7c15U;
    *key ^= *key >> 29;
  }
}

static uint64_t key_of(const rh_step_world *w, const rh_step_island *s,
                       const rh_found_contact *touch)
{
  uint64_t key = (uint64_t)s->ncon;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    const rh_step_body *c = &w->body[w->member[k]];
    const double x[] = {w->member[k], c->x.x, c->x.y, c->x.z, c->q.w, c->q.x, c->q.y, c->q.z};
    mix_hash(&key, x, RH_COUNT(x));
  }
  for (int k = s->con; k < s->con + s->ncon; k++) {
    const rh_found_contact *t = &touch[w->info[k].touch];
    const double x[] = {t->a,       t->b,       t->id,  w->row[k].bias, t->point.x,
                        t->point.y, t->point.z, t->n.x, t->n.y,         t->n.z};
    mix_hash(&key, x, RH_COUNT(x));
  }
  return key | 1;
}

// ---- Islands of few contacts: all motions

enum { EXAMINED = RH_EXAMINE_MAX }; // contacts

static const double STILL = 1e-8; // of the largest velocity: polyhedral.c is exact to 1e-9

size_t rh_step_motions_room(void)
{
  size_t room = rh_polyhedral_scratch(EXAMINED, RH_FACETS_MAX);
  size_t free = rh_cone_free_room(EXAMINED);
  return room > free ? room : free;
}

// Free directions of the load of the planar motion nearest to velocities u: the motion itself, since
// what the solver found is off by its tolerance.
static int count_planar_free(rh_step_worker *worker, const rh_blocks *problem, const rh_cone *cone,
                             const rh_cone_motions *m)
{
  double u[3 * EXAMINED];
  double apart;
  double fastest = 0;
  rh_blocks_velocity(problem, worker->newton.p, u);
  const double *p = m->motion[rh_cone_motions_nearest(m, u, &apart)].p;
  rh_blocks_velocity(problem, p, u);
  for (int r = 0; r < 3 * problem->n; r++) {
    fastest = fmax(fastest, fabs(problem->b[r]));
  }
  return rh_cone_free(cone, p, u, STILL * fastest, worker->newton.scratch);
}

// Counts the motions, and in the plane the free directions of the load of the one that was found,
// elsewhere RH_NONE. False: not all motions are known.
static bool count_motions(rh_step_worker *worker, const rh_blocks *problem, int *free)
{
  rh_step_check *j = &worker->result.check;
  double W[9 * EXAMINED * EXAMINED];
  rh_cone_motions m;
  if (!rh_step_newton_dense(problem, W)) {
    return false;
  }
  const rh_cone cone = {problem->n, W, problem->b, problem->limit, NULL};
  const rh_model_run *run = &worker->world->m->run;
  const rh_motion_limits limits = {run->facets, run->examine};
  if (!rh_cone_motions_find(&cone, problem->limit, limits, worker->newton.scratch, &m) ||
      m.found.count == 0) {
    return false;
  }
  bool several = m.found.count > 1;
  *free = m.facets == 0 ? count_planar_free(worker, problem, &cone, &m) : RH_NONE;
  j->several = j->several || several || m.found.continuum;
  j->motions = several && m.found.count > j->motions ? m.found.count : j->motions;
  j->more = j->more || (several && !m.found.complete);
  return several || m.found.complete;
}

static bool has_friction(const rh_blocks *problem)
{
  bool rough = false;
  for (int i = 0; i < problem->n; i++) {
    rough = rough || (problem->kind[i] == RH_BLOCK_CONE && problem->limit[i] > 0);
  }
  return rough;
}

static void check_uniqueness(rh_step_worker *worker, const rh_step_island *s,
                             rh_found_contact *touch)
{
  const rh_step_world *w = worker->world;
  rh_step_check *j = &worker->result.check;
  rh_blocks problem;
  rh_blocks_rank rank = {0};
  bool *shared = worker->newton.shared;
  rh_step_check_cache *last = &w->checks.known[w->member[s->mob]];
  uint64_t key = island_rests(w, s) ? key_of(w, s, touch) : 0;
  if (key != 0 && key == last->key) {
    note_free_directions(worker, s, last->free);
    j->uncounted = j->uncounted || last->uncounted;
    for (int i = 0; i < s->ncon; i++) {
      touch[w->info[s->con + i].touch].shared = last->shared[i / 64] >> (i % 64) & 1;
    }
    return;
  }
  bool known = rh_step_newton_pose(worker, s, &problem);
  if (known && problem.n == 0) {
    return;
  }
  int free = RH_NONE;
  bool counted = known && count_motions(worker, &problem, &free);
  bool uncounted = known && !counted && has_friction(&problem);
  j->uncounted = j->uncounted || uncounted;
  if (j->motions > 0) {
    name_island(worker, s);
  }
  if (known) {
    settle_velocities(worker, &problem);
    known = rh_blocks_unique(&problem, worker->newton.p, worker->newton.scratch, &rank, shared);
  }
  free = free != RH_NONE ? free
         : known         ? rank.rows - rank.rank - rank.inert
                         : count_free(worker, s, touch);
  j->unknown = j->unknown || !known;
  j->several = j->several || (known && !counted && !rank.velocities_unique);
  note_free_directions(worker, s, free);
  *last = (rh_step_check_cache){
      .key = known && !j->several ? key : 0, .free = free, .uncounted = uncounted};
  for (int i = 0; i < s->ncon; i++) {
    touch[w->info[s->con + i].touch].shared = known && shared[i];
    last->shared[i / 64 % 4] |= (uint64_t)(known && shared[i]) << (i % 64);
  }
}

void rh_step_check_solution(rh_step_worker *worker, const rh_step_island *s,
                            rh_found_contact *touch)
{
  worker->result.check.residual = fmax(worker->result.check.residual, island_residual(worker, s));
  if (touch) {
    check_uniqueness(worker, s, touch);
  }
}

// ---- The step

// All islands together: the worst residual, free directions, and the numbers of islands with
// several answers or without a check.
static rh_step_check sum_up(const rh_step_world *w, int *several, int *unknown)
{
  rh_step_check all = {.rule = RH_NONE, .shape = {RH_NONE, RH_NONE}};
  for (int i = 0; i < w->nisland; i++) {
    const rh_step_check *j = &w->result[i].check;
    all.residual = fmax(all.residual, j->residual);
    if (all.free == 0 && j->free > 0) {
      all.rule = j->rule;
      memcpy(all.shape, j->shape, sizeof all.shape);
    }
    all.free += j->free;
    all.motions = j->motions > all.motions ? j->motions : all.motions;
    if (all.rule == RH_NONE && j->motions > 0) {
      all.rule = j->rule;
      memcpy(all.shape, j->shape, sizeof all.shape);
    }
    all.more = all.more || j->more;
    all.uncounted = all.uncounted || j->uncounted;
    *several += j->several;
    *unknown += j->unknown;
  }
  return all;
}

// Reported at first occurrence, and at each increase.
static void report_increase(const rh_step_world *w, rh_event_kind kind, int number,
                            const rh_step_check *all, const char *note)
{
  double *reported = &w->d->solver->reported[kind == RH_EVENT_NOT_UNIQUE];
  if (number > *reported) {
    const char *name =
        all->rule == RH_NONE ? "" : rh_model_name(w->m, RH_OBJECT_CONTACT, all->rule);
    rh_event e = rh_sim_event(w->sim, kind, name, RH_NONE);
    if (all->shape[0] != RH_NONE) {
      rh_event_name_bodies(w->m, &e, w->m->shape[all->shape[0]].body,
                           w->m->shape[all->shape[1]].body);
    }
    e.after = number;
    snprintf(e.note, sizeof e.note, "%s", note);
    rh_sim_emit_diagnosis(w->sim, &e);
  }
  *reported = number == 0 || number > *reported ? number : *reported;
}

static void report_all(const rh_step_world *w, const rh_step_check *all, int several, int unknown)
{
  char note[RH_NOTE_MAX];
  char motion[80] = "";
  if (several + unknown == 0 && all->uncounted) {
    snprintf(motion, sizeof motion, "; motions far from it were not counted (run.examine is %d)",
             w->m->run.examine);
  } else if (several + unknown == 0) {
    snprintf(motion, sizeof motion, ", the motion is unique");
  }
  snprintf(note, sizeof note,
           "the load of %d contacts is free in %s%d direction%s; that nearest to the last step's "
           "was taken%s",
           w->contacts.n, unknown > 0 ? "at least " : "", all->free, all->free == 1 ? "" : "s",
           motion);
  report_increase(w, RH_EVENT_UNDETERMINED, all->free, all, note);
  snprintf(
      note, sizeof note,
      "near the solution there are others with other velocities, in %d island%s: they depend on "
      "how sliding contacts share the load; of least norm where all of few slide, else as found",
      several, several == 1 ? "" : "s");
  if (all->motions > 0) {
    snprintf(note, sizeof note,
             "%s%d motions fit the contacts of an island%s; the one that the solver found was used",
             all->more ? "at least " : "", all->motions,
             several == 1 ? "" : ", and several those of others");
  }
  report_increase(w, RH_EVENT_NOT_UNIQUE, all->motions > several ? all->motions : several, all,
                  note);
}

void rh_step_diagnosis(rh_step_world *w)
{
  rh_solver_stats *x = &w->sim->checked;
  rh_solver_now *since = &w->checks.since;
  int several = 0;
  int unknown = 0;
  rh_step_check all = sum_up(w, &several, &unknown);
  x->judged++;
  x->over += all.residual > w->par.tolerance;
  x->undetermined += all.free > 0;
  x->several += several > 0;
  x->unknown += unknown > 0;
  x->residual = fmax(x->residual, all.residual);
  x->tolerance = w->par.tolerance;
  x->free = fmax(x->free, all.free);
  since->checked++;
  since->residual = fmax(since->residual, all.residual);
  since->undetermined = fmax(since->undetermined, all.free);
  since->several = fmax(since->several, several);
  since->unknown = fmax(since->unknown, unknown);
  report_all(w, &all, several, unknown);
}

void rh_step_diagnosis_store(rh_step_world *w)
{
  rh_solver_now *now = w->d->solver;
  rh_solver_now last = w->checks.since;
  last.contacts = w->contacts.n;
  for (int i = 0; i < w->nisland; i++) {
    last.islands += w->island[i].ncon > 0 || w->island[i].nloop > 0;
  }
  last.sweeps = (double)(w->tally.sweeps - w->checks.begun.sweeps);
  last.newton = (double)(w->tally.newton - w->checks.begun.newton);
  last.reported[0] = now->reported[0];
  last.reported[1] = now->reported[1];
  *now = last;
  w->checks.since = (rh_solver_now){0};
}
