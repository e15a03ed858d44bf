// Which models lanes can step, and their tables.
#include "lanes.h"

#include "math/tangents.h"

#include <string.h>

// ---- Models

static bool joint_fits(const rh_model *m, int body)
{
  const rh_model_body *b = &m->body[body];
  bool free = b->joint->free && b->parent == 0;
  bool hinge = b->joint->turning && b->nv == 1;
  bool fits = free || hinge || b->joint->nq == 0;
  for (int k = b->vadr; k < b->vadr + b->nv; k++) {
    const rh_model_dof *f = &m->dof[k];
    fits =
        fits && f->stiction == 0 && f->friction == 0 && !isfinite(f->lower) && !isfinite(f->upper);
    fits = fits && (hinge || (f->spring == 0 && f->damper == 0));
  }
  return fits && b->gravcomp == 0 && !rh_medium_acts(m, body);
}

// Springs or dampers: the step is taken at its start (rh_step_tree_make), and not at its middle
// (rh_step_tree_may_middle).
static bool tree_fits(const rh_step_world *w)
{
  const rh_model *m = w->m;
  const rh_step_tree *tree = w->trees.tree;
  bool forced = false;
  bool fits = w->nfree == 0 && w->trees.n == 1 && tree->nbody <= LANE_BODIES &&
              tree->ndof <= LANE_DOFS && m->nq <= LANE_COORDS && m->nv == tree->ndof &&
              !tree->stiff && w->trees.capacity.Y > 0;
  for (int k = 0; fits && k < tree->nbody; k++) {
    int i = w->trees.member[tree->body + k];
    fits = joint_fits(m, i) && (m->body[i].parent == 0) == (k == 0);
  }
  for (int k = 0; k < m->nv; k++) {
    forced = forced || m->dof[k].spring != 0 || m->dof[k].damper != 0;
  }
  bool middle = w->par.midpoint == RH_STEP_ALL_TREES ||
                (w->par.midpoint == RH_STEP_USUAL_TREES && tree->ndof <= RH_STEP_SMALL_TREE);
  return fits && forced && !middle;
}

static bool rules_fit(const rh_step_world *w)
{
  const rh_model *m = w->m;
  bool fits = m->ncontact <= LANE_RULES;
  for (int i = 0; fits && i < m->ncontact; i++) {
    fits = !m->contact[i].law && w->laws.rule[i].equal && !(m->contact[i].v_stribeck > 0);
  }
  return fits && !w->laws.compliant && !w->laws.belt && !w->laws.turn;
}

static bool run_fits(const rh_step_world *w)
{
  const rh_model *m = w->m;
  bool plain = m->nactuator == 0 && m->ncontroller == 0 && m->nforce == 0 && m->nevent == 0 &&
               m->sensors.n == 0 && m->nloop == 0 && m->tendons.n == 0 && !m->run.hand &&
               !m->haptic.on && m->layout.nrested == 0 && m->layout.ncell == 0;
  return plain && w->par.threads == 1 && w->par.check_solution != RH_STEP_STEPS &&
         w->par.impacts_per_step >= 1 && w->worker[0].newton.contacts >= LANE_PAIRS;
}

// ---- The table

static void copy_numbers(double *to, const double *from, int n)
{
  memcpy(to, from, (size_t)n * sizeof *to);
}

static void fill_body(const rh_step_world *w, lane_table *t, int k, const int *place)
{
  enum { PLACE_R = 0, PLACE_P = 9, AXIS = 12, COS = 15, SIN = 24, ALONG = 33 }; // joint.c

  int i = w->trees.member[w->trees.tree->body + k];
  const rh_model_body *b = &w->m->body[i];
  const rh_inertia *in = &b->inertia;
  lane_body *x = &t->body[k];
  x->joint = b->joint->free ? LANE_FREE : b->nv == 1 ? LANE_HINGE : LANE_FIXED;
  x->along = x->joint == LANE_HINGE ? (int)b->konst[ALONG] : -1;
  x->parent = b->parent == 0 ? -1 : place[b->parent];
  x->q = b->qadr;
  x->dof = t->ndof;
  x->ndof = b->nv;
  x->heavy = in->mass > 0;
  x->mass = x->heavy ? in->mass : 0;
  const double h[3] = {in->h.x, in->h.y, in->h.z};
  const double I[6] = {in->I.xx, in->I.yy, in->I.zz, in->I.xy, in->I.xz, in->I.yz};
  copy_numbers(x->h, h, 3);
  copy_numbers(x->I, I, 6);
  copy_numbers(x->place_R, b->konst + PLACE_R, 9);
  copy_numbers(x->place_p, b->konst + PLACE_P, 3);
  copy_numbers(x->axis, b->konst + AXIS, 3);
  copy_numbers(x->cosine, b->konst + COS, 9);
  copy_numbers(x->sine, b->konst + SIN, 9);
  for (int j = 0; j < b->nv; j++) {
    const rh_model_dof *f = &w->m->dof[b->vadr + j];
    t->dof[t->ndof++] = (lane_dof){.body = k,
                                   .v = b->vadr + j,
                                   .seat = w->trees.zadr[i] + j - w->trees.tree->z,
                                   .spring = f->spring,
                                   .damper = f->damper,
                                   .armature = f->armature,
                                   .rest = x->joint == LANE_HINGE ? w->m->start.rest[b->qadr] : 0};
  }
  t->mass += x->mass;
}

// Its path from the root: runs of degrees of freedom without a fork, as those of z
static bool fill_path(const rh_step_world *w, lane_table *t, int k, const int *number, int *used)
{
  int i = w->trees.member[w->trees.tree->body + k];
  const rh_root_path *way = &w->trees.way[i];
  lane_body *x = &t->body[k];
  x->run = *used;
  x->nrun = way->nrun;
  x->depth = 0;
  x->tip = way->tip == RH_NONE ? 0 : number[way->tip];
  if (*used + way->nrun > LANE_RUNS) {
    return false;
  }
  for (int r = 0; r < way->nrun; r++) {
    const rh_step_run *run = &w->trees.run[way->run + r];
    t->run[(*used)++] = (lane_run){number[run->z], run->on};
    x->depth += run->on;
  }
  return x->depth <= LANE_DEEP;
}

static bool fill_rows(const rh_step_world *w, lane_table *t, const int *number)
{
  for (int j = 0; j < t->ndof; j++) {
    lane_dof *d = &t->dof[j];
    int z = w->trees.tree->z + d->seat;
    d->depth = 0;
    for (int a = w->trees.parent[z]; a != RH_NONE; a = w->trees.parent[a]) {
      d->depth++;
    }
    d->row = t->nentry;
    t->nentry += d->depth + 1;
    if (t->nentry > LANE_ENTRIES) {
      return false;
    }
    int e = d->depth;
    for (int a = z; a != RH_NONE; a = w->trees.parent[a]) {
      t->ancestor[d->row + e--] = number[a];
    }
  }
  return true;
}

static bool fill_tree(const rh_step_world *w, lane_table *t)
{
  int place[LANE_BODIES * 4] = {0}; // of a body of the model
  int number[LANE_DOFS * 8] = {0};  // of a place in z
  int used = 0;
  bool fits = w->m->nbody <= LANE_BODIES * 4 && w->trees.nz <= LANE_DOFS * 8;
  t->nbody = w->trees.tree->nbody;
  t->nq = w->m->nq;
  t->nv = w->m->nv;
  for (int k = 0; fits && k < t->nbody; k++) {
    place[w->trees.member[w->trees.tree->body + k]] = k;
  }
  for (int k = 0; fits && k < t->nbody; k++) {
    fill_body(w, t, k, place);
  }
  for (int j = 0; fits && j < t->ndof; j++) {
    number[w->trees.tree->z + t->dof[j].seat] = j;
  }
  for (int k = 0; fits && k < t->nbody; k++) {
    fits = fill_path(w, t, k, number, &used);
  }
  return fits && fill_rows(w, t, number);
}

// A sphere of the tree and a plane that does not move; false: they meet, but are something else.
static bool fill_pair(const rh_step_world *w, lane_table *t, rh_shape_pair pair)
{
  const rh_model *m = w->m;
  if (!rh_step_may_collide(w, &pair)) {
    return true;
  }
  const rh_model_shape *a = &m->shape[pair.a];
  const rh_model_shape *b = &m->shape[pair.b];
  if (a->kind != w->shapes.sphere || b->kind != w->shapes.plane || b->body != 0 ||
      t->npair == LANE_PAIRS) {
    return false;
  }
  const rh_geom *plane = &w->search->geom[pair.b];
  const rh_model_contact *law = &m->contact[pair.rule];
  rh_vec3 n = rh_v3(plane->R.m[2], plane->R.m[5], plane->R.m[8]);
  rh_vec3 t1;
  rh_vec3 t2;
  rh_tangents_of(n, &t1, &t2);
  double fall = w->par.dt * fabs(rh_dot(n, m->gravity));
  lane_pair *x = &t->pair[t->npair++];
  *x = (lane_pair){.a = pair.a,
                   .b = pair.b,
                   .rule = pair.rule,
                   .place = {a->place.p.x, a->place.p.y, a->place.p.z},
                   .radius = a->par[0],
                   .arm = w->shapes.of[pair.a].arm,
                   .n = {n.x, n.y, n.z},
                   .at = {plane->p.x, plane->p.y, plane->p.z},
                   .d = rh_dot(n, plane->p),
                   .t1 = {t1.x, t1.y, t1.z},
                   .t2 = {t2.x, t2.y, t2.z},
                   .slow = fall > w->slow ? fall : w->slow,
                   .steady = w->laws.rule[pair.rule].steady,
                   .mu_s = w->laws.rule[pair.rule].mu_s,
                   .mu = w->laws.rule[pair.rule].mu,
                   .e = law->e};
  for (int k = 0; k < t->nbody; k++) {
    x->body = w->trees.member[w->trees.tree->body + k] == a->body ? k : x->body;
  }
  return true;
}

static bool fill_pairs(const rh_step_world *w, lane_table *t)
{
  bool fits = w->shapes.nplane > 0;
  for (int a = 0; fits && a < w->m->nshape; a++) {
    for (int b = a + 1; fits && b < w->m->nshape; b++) {
      fits = fill_pair(w, t, (rh_shape_pair){.a = a, .b = b});
    }
  }
  return fits && t->npair > 0 && t->npair <= w->m->nslot;
}

bool rh_lanes_fill_table(const rh_step_world *w, lane_table *t)
{
  const rh_model *m = w->m;
  if (!run_fits(w) || !tree_fits(w) || !rules_fit(w)) {
    return false;
  }
  t->nrule = m->ncontact;
  t->nwork = m->layout.nwork;
  t->dt = w->par.dt;
  t->tolerance = w->par.tolerance;
  t->slop = w->par.slop;
  t->gravity[0] = m->gravity.x;
  t->gravity[1] = m->gravity.y;
  t->gravity[2] = m->gravity.z;
  t->weight = rh_norm(m->gravity);
  t->slow = w->slow;
  t->skin = w->shapes.skin;
  return fill_tree(w, t) && fill_pairs(w, t);
}
