// The engine's arrays: made once from the model, read from the state and written back to it. Free
// bodies move by their centres of mass; the model uses the origins of bodies, in the frames of
// their joints. Everything is allocated here.
#include "stepping.h"

#include "base/alloc.h"
#include "base/carve.h"
#include "geometry/pair.h"
#include "multibody/multibody.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// ---- Creation

// Bodies with a free joint on the world, no children, and nothing in the joint
static bool is_free(const rh_model *m, int body)
{
  const rh_model_body *b = &m->body[body];
  if (b->parent != 0 || b->nchild > 0 || !b->joint->free || b->gravcomp != 0 ||
      rh_step_in_tendon(m, body) || rh_medium_acts(m, body)) {
    return false;
  }
  for (int k = b->vadr; k < b->vadr + b->nv; k++) {
    const rh_model_dof *f = &m->dof[k];
    if (f->spring != 0 || f->damper != 0 || f->armature != 0 || f->stiction != 0) {
      return false;
    }
  }
  for (int i = 0; i < m->nactuator; i++) {
    const rh_model_transmission *via = &m->actuator[i].via;
    if (via->kind != RH_VIA_DOF && (via->body == body || via->to == body)) {
      return false;
    }
  }
  return true;
}

static rh_sym3 invert_symmetric(const rh_sym3 *s)
{
  double a = s->yy * s->zz - s->yz * s->yz;
  double b = s->xz * s->yz - s->xy * s->zz;
  double c = s->xy * s->yz - s->xz * s->yy;
  double det = s->xx * a + s->xy * b + s->xz * c;
  return (rh_sym3){a / det,
                   (s->xx * s->zz - s->xz * s->xz) / det,
                   (s->xx * s->yy - s->xy * s->xy) / det,
                   b / det,
                   c / det,
                   (s->xy * s->xz - s->xx * s->yz) / det};
}

static bool is_round(const rh_sym3 *I)
{
  double slight = 1e-12 * (I->xx + I->yy + I->zz);
  return fabs(I->xx - I->yy) <= slight && fabs(I->yy - I->zz) <= slight && fabs(I->xy) <= slight &&
         fabs(I->xz) <= slight && fabs(I->yz) <= slight;
}

// The joint's place in the world: its pose at zero coordinates
static rh_xform joint_frame(const rh_model_body *b)
{
  double q[7] = {0, 0, 0, 1, 0, 0, 0};
  rh_kin_body world = {.R = rh_mat3_identity()};
  rh_kin_body body;
  rh_motion S[6];
  b->joint->pose(b->konst, q, NULL, &world, &body, S);
  return (rh_xform){body.R, body.r};
}

static void fill_free(rh_step_world *w, int mobile, int body)
{
  const rh_model_body *b = &w->m->body[body];
  const rh_inertia *in = &b->inertia;
  rh_step_body *c = &w->body[mobile];
  rh_mat3 one = rh_mat3_identity();
  c->body = body;
  c->qadr = b->qadr;
  c->vadr = b->vadr;
  c->mass = in->mass;
  c->com = rh_scale(1 / in->mass, in->h);
  double cc = in->mass * rh_dot(c->com, c->com); // about the centre of mass: I - m (c.c 1 - c c')
  c->I.xx = in->I.xx - cc + in->mass * c->com.x * c->com.x;
  c->I.yy = in->I.yy - cc + in->mass * c->com.y * c->com.y;
  c->I.zz = in->I.zz - cc + in->mass * c->com.z * c->com.z;
  c->I.xy = in->I.xy + in->mass * c->com.x * c->com.y;
  c->I.xz = in->I.xz + in->mass * c->com.x * c->com.z;
  c->I.yz = in->I.yz + in->mass * c->com.y * c->com.z;
  c->Iinv = invert_symmetric(&c->I);
  c->round = is_round(&c->I);
  c->frame = joint_frame(b);
  c->plain = memcmp(&c->frame.R, &one, sizeof one) == 0;
  c->central = rh_dot(c->com, c->com) == 0;
  w->mobile[body] = mobile;
}

static rh_status find_mobiles(rh_step_world *w)
{
  const rh_model *m = w->m;
  for (int i = 1; i < m->nbody; i++) {
    if (is_free(m, i)) {
      fill_free(w, ++w->nfree, i);
    }
  }
  for (int k = 0; k < m->nv; k++) {
    w->laws.impacts = w->laws.impacts || m->dof[k].bounce > 0;
  }
  return rh_step_trees_create(w);
}

static bool is_friction_steady(const rh_model_contact *c)
{
  return c->mu_s == c->mu_k && c->mu_impact[0] == c->mu_k && c->mu_impact[1] == c->mu_k &&
         c->mu_impact_table.n == 0 && !(c->mu_impact_speed > 0) && !(c->v_stribeck > 0);
}

static void read_rules(rh_step_world *w, rh_diag *diag)
{
  const rh_model *m = w->m;
  for (int i = 0; i < m->ncontact; i++) {
    const rh_model_contact *c = &m->contact[i];
    if (c->law) {
      rh_step_compliant_rule(w, i, diag);
      continue;
    }
    w->laws.rule[i] = (rh_step_material){NULL, c->mu_s, c->mu_k, is_friction_steady(c),
                                         c->e_table.n == 0 && !(c->e_speed > 0)};
    w->laws.poisson[i] = c->impact->ratio != RH_E_OF_VELOCITIES;
    w->laws.mixed = w->laws.mixed || w->laws.poisson[i];
    w->laws.impacts = true;
    w->laws.bounces = w->laws.bounces || c->e > 0 || c->e_table.n > 0;
    w->laws.paths = w->laws.paths || rh_step_follows_path(w, i);
  }
}

static void fill_shapes(rh_step_world *w)
{
  const rh_model *m = w->m;
  double size = 0;
  rh_mat3 one = rh_mat3_identity();
  int count;
  const rh_shape *const *kinds = rh_shape_table(&count);
  w->shapes.sphere = kinds[RH_SHAPE_SPHERE];
  w->shapes.plane = kinds[RH_SHAPE_PLANE];
  w->shapes.field = kinds[RH_SHAPE_FIELD];
  rh_kinematics(w->d);
  for (int i = 0; i < m->nshape; i++) {
    const rh_model_shape *s = &m->shape[i];
    rh_step_shape *x = &w->shapes.of[i];
    x->mobile = w->mobile[s->body];
    x->still = x->mobile == 0;
    rh_vec3 from = x->mobile ? rh_sub(s->place.p, w->body[x->mobile].com)
                             : rh_v3(0, 0, 0);  // trees: the origin
    const rh_kin_body *b = &w->d->kin[s->body]; // constant for bodies that do not move
    w->search->geom[i] = (rh_geom){.kind = s->kind,
                                   .par = s->par,
                                   .mesh = s->mesh,
                                   .R = rh_mat3_mul(&b->R, &s->place.R),
                                   .p = rh_add(b->p, rh_rotate(&b->R, s->place.p))};
    x->arm = x->mobile ? rh_norm(from) + s->reach : 0;
    w->body[x->mobile].size = fmax(w->body[x->mobile].size, x->arm);
    x->straight = memcmp(&s->place.R, &one, sizeof one) == 0;
    x->central = x->straight && x->mobile <= w->nfree && rh_dot(from, from) == 0;
    size = x->mobile ? fmax(size, s->reach) : size;
    w->shapes.edged = w->shapes.edged || (x->mobile && s->kind != w->shapes.sphere);
    w->shapes.sampled = w->shapes.sampled || rh_geom_sampled(&w->search->geom[i]);
    w->search->box[i] = rh_geom_bounds(&w->search->geom[i], 0);
    if (s->kind == w->shapes.plane) {
      w->shapes.planes[w->shapes.nplane++] = i;
      rh_step_place_plane(w, w->shapes.nplane - 1);
    }
  }
  w->shapes.skin = 1e-3 * size;
  w->shapes.thinnest = rh_step_thinnest(w);
}

enum { HARD = 256 }; // blocks of an island for Newton's method

// Places of the cells of all large islands: n x m cells, n m <= contacts/RH_STEP_SLICE, are in blocks of
// four, (n + 1)(m + 1) <= 2 n m + 2 places.
static size_t slots_for(int contacts)
{
  return 3 * (size_t)contacts / RH_STEP_SLICE + 4;
}

// Of tasks and of blocks, for every large island
static size_t shares_for(const rh_step_world *w)
{
  return 2 * (size_t)(w->par.threads + 1) * (size_t)(w->contacts.capacity / RH_STEP_LARGE + 1);
}

static void carve_all(rh_carver *c, rh_step_world *w)
{
  const rh_model *m = w->m;
  int mobiles = m->nbody;
  (void)rh_carve(c, 1, sizeof *w);
  RH_CARVE(w->velocity, mobiles);
  RH_CARVE(w->body, mobiles);
  RH_CARVE(w->pseudo, mobiles);
  RH_CARVE(w->mobile, m->nbody);
  RH_CARVE(w->shapes.of, m->nshape);
  RH_CARVE(w->shapes.geom_start, m->nshape);
  RH_CARVE(w->shapes.reach, m->nshape);
  RH_CARVE(w->shapes.planes, m->nshape);
  RH_CARVE(w->shapes.half, m->nshape);
  RH_CARVE(w->pairs.part, w->search->pair_capacity / RH_STEP_PAIRS + 1);
  RH_CARVE(w->contacts.now, w->contacts.capacity);
  RH_CARVE(w->parts.joined, mobiles);
  RH_CARVE(w->parts.label, mobiles);
  RH_CARVE(w->member, mobiles);
  RH_CARVE(w->island, mobiles);
  RH_CARVE(w->result, mobiles);
  RH_CARVE(w->checks.known, mobiles);
  RH_CARVE(w->parts.slice, slots_for(w->contacts.capacity));
  RH_CARVE(w->parts.visit, slots_for(w->contacts.capacity));
  RH_CARVE(w->parts.share, shares_for(w));
  RH_CARVE(w->parts.passes, 1);
  RH_CARVE(w->parts.after, slots_for(w->contacts.capacity));
  RH_CARVE(w->parts.done, slots_for(w->contacts.capacity));
  RH_CARVE(w->parts.layer, mobiles);
  RH_CARVE(w->parts.spare, w->contacts.capacity);
  RH_CARVE(w->parts.cell, w->contacts.capacity);
  RH_CARVE(w->parts.amount, w->contacts.capacity + 8); // sums of a part, at least
  RH_CARVE(w->parts.count,
           2 * RH_STEP_SORTERS * (slots_for(w->contacts.capacity) + RH_STEP_SORTED));
  RH_CARVE(w->parts.sum, w->par.threads);
  RH_CARVE(w->parts.extent, w->par.threads);
  RH_CARVE(w->laws.slide, m->ncontact);
  RH_CARVE(w->laws.rule, m->ncontact);
  RH_CARVE(w->parts.chunk, mobiles + 1);
  RH_CARVE(w->laws.poisson, m->ncontact);
  RH_CARVE(w->worker, w->par.threads);
  if (m->layout.nrested > 0) {
    RH_CARVE(w->sleep.asleep, mobiles);
    RH_CARVE(w->sleep.still, m->nshape);
    RH_CARVE(w->sleep.x, mobiles);
    RH_CARVE(w->sleep.q, mobiles);
    RH_CARVE(w->sleep.stored, m->nslot);
  }
}

static bool has_turns(const rh_model *m)
{
  bool any = false;
  for (int i = 0; i < m->ncontact; i++) {
    any = any || rh_contact_turns(&m->contact[i]);
  }
  return any;
}

// Contacts, with scratch for each thread to examine an island again
static void carve_rows(rh_carver *c, rh_step_world *w)
{
  size_t threads = (size_t)w->par.threads;
  size_t room = (size_t)w->contacts.capacity;
  RH_CARVE(w->row, room + threads * room);
  RH_CARVE(w->general, room + threads * room);
  RH_CARVE(w->info, room + threads * room);
  if (w->m->belts) {
    RH_CARVE(w->laws.belt, room + threads * room);
  }
  if (has_turns(w->m)) {
    RH_CARVE(w->laws.turn, room + threads * room);
  }
  RH_CARVE(w->correction, room + threads * room);
  RH_CARVE(w->order, room + threads * room);
  for (size_t k = 0; k < threads; k++) {
    RH_CARVE(w->worker[k].again, room);
  }
}

static rh_status make_rows(rh_step_world *w)
{
  if (w->contacts.capacity > INT_MAX / ((int)w->par.threads + 1)) {
    return RH_OVER_LIMIT;
  }
  rh_carver c = {NULL, 0};
  carve_rows(&c, w);
  w->rows = rh_realloc(NULL, c.used + RH_CACHE_LINE);
  if (!w->rows) {
    return RH_OUT_OF_MEMORY;
  }
  c = (rh_carver){rh_first_line(w->rows), 0};
  carve_rows(&c, w);
  return RH_OK;
}

// What every pass over bodies and contacts reads; not the scratch of threads, of which little is used
static void ask_for_large_pages(const rh_step_world *w)
{
  const size_t room = (size_t)w->contacts.capacity;
  const size_t mobiles = (size_t)w->m->nbody;
  rh_alloc_in_large_pages(w->velocity, mobiles * sizeof *w->velocity);
  rh_alloc_in_large_pages(w->body, mobiles * sizeof *w->body);
  rh_alloc_in_large_pages(w->contacts.now, room * sizeof *w->contacts.now);
  rh_alloc_in_large_pages(w->row, room * sizeof *w->row);
  rh_alloc_in_large_pages(w->general, room * sizeof *w->general);
  rh_alloc_in_large_pages(w->info, room * sizeof *w->info);
  rh_alloc_in_large_pages(w->worker[0].again, room * sizeof *w->worker[0].again);
  rh_alloc_in_large_pages(w->d->slot, (size_t)w->m->nslot * sizeof *w->d->slot);
}

// ---- Workers

rh_status rh_step_workers_create(rh_step_world *w, int newton_blocks)
{
  int threads = (int)w->par.threads;
  for (int k = 0; k < threads; k++) {
    rh_step_worker *worker = &w->worker[k];
    worker->world = w;
    worker->again_at = (k + 1) * w->contacts.capacity;
    RH_TRY(rh_step_newton_create(&worker->newton, newton_blocks));
    RH_TRY(rh_step_tree_rows_create(&w->trees, &worker->rows));
    worker->impact_scratch = rh_realloc(NULL, rh_step_impact_scratch(w) * sizeof(double));
    RH_TRY(worker->impact_scratch ? RH_OK : RH_OUT_OF_MEMORY);
  }
  rh_step_trees_measure(w);
  w->pool = threads > 1 ? rh_pool_create(threads) : NULL;
  if (w->pool) {
    rh_pool_set_graph(w->pool, &(rh_pool_graph){(void *)w->parts.after, w->parts.done,
                                                (int)slots_for(w->contacts.capacity)});
  }
  return threads > 1 && !w->pool ? RH_OUT_OF_MEMORY : RH_OK;
}

void rh_step_workers_destroy(rh_step_world *w)
{
  for (int k = 0; k < (int)w->par.threads; k++) {
    rh_step_newton_destroy(&w->worker[k].newton);
    rh_step_tree_rows_destroy(&w->worker[k].rows);
    rh_free(w->worker[k].impact_scratch);
  }
  rh_pool_destroy(w->pool);
}

static void read_par(rh_step_par *p, const double *par)
{
  *p =
      (rh_step_par){par[0], par[1], par[2], par[3], par[4], par[5], par[6], par[7], par[8], par[9]};
}

// Is the tree of a body solved at the middle of its steps by default?
static bool is_usual(const rh_model *m, int body)
{
  bool driven = false;
  int n = 0;
  for (int k = 0; !driven && k < m->nactuator; k++) {
    int dof = m->actuator[k].dof;
    driven = dof != RH_NONE && m->body[m->dof[dof].body].tree == m->body[body].tree;
  }
  for (int k = 0; k < m->nv; k++) {
    n += m->body[m->dof[k].body].tree == m->body[body].tree;
  }
  return driven || n <= RH_STEP_SMALL_TREE;
}

const char *rh_step_advice(const rh_model *m)
{
  rh_step_par par;
  read_par(&par, m->run.engine_par);
  bool soft = m->tendons.n > 0 || m->nloop > 0 || m->ncontact == 0;
  for (int i = 0; !soft && i < m->ncontact; i++) {
    soft = m->contact[i].law != NULL; // compliant: order two by its own rule
  }
  for (int i = 1; !soft && i < m->nbody && par.midpoint < RH_STEP_ALL_TREES; i++) {
    bool tree = m->body[i].tree != 0 && !is_free(m, i);
    if (tree && (par.midpoint == RH_STEP_NO_TREES || !is_usual(m, i))) {
      return "midpoint all";
    }
  }
  return NULL;
}

rh_status rh_step_create(rh_sim *sim, const double *par, rh_diag *diag, rh_step_world **out)
{
  const rh_model *m = sim->model;
  rh_step_world head = {.m = m,
                        .sim = sim,
                        .d = sim->data,
                        .search = rh_search(sim->data),
                        .contacts.capacity = m->nslot + RH_TOUCH_MAX};
  int blocks = head.contacts.capacity;
  for (int k = 0; k < m->nv; k++) { // limits and dry friction, up to HARD
    blocks +=
        2 * (isfinite(m->dof[k].lower) || isfinite(m->dof[k].upper)) + (m->dof[k].stiction > 0);
  }
  for (int k = 0; k < m->nloop; k++) {
    blocks += m->loop[k].nrow;
  }
  rh_carver c = {NULL, 0};
  read_par(&head.par, par);
  carve_all(&c, &head);
  char *block = rh_alloc(c.used + RH_CACHE_LINE);
  if (!block) {
    return RH_OUT_OF_MEMORY;
  }
  char *lines = rh_first_line(block);
  c = (rh_carver){lines, 0};
  carve_all(&c, &head);
  rh_step_world *w = (rh_step_world *)(void *)lines;
  *w = head;
  w->block = block;
  w->fresh = true;
  w->sleep.on = m->layout.nrested > 0;
  w->slow = fmax(m->run.rest_speed, 0.01 * w->par.dt * rh_norm(m->gravity));
  rh_status status = make_rows(w);
  if (status == RH_OK) {
    ask_for_large_pages(w);
  }
  status = status == RH_OK ? find_mobiles(w) : status;
  for (int i = 0; status == RH_OK && i < rh_step_mobiles(w); i++) {
    w->member[i] = i + 1;
  }
  if (status == RH_OK) {
    read_rules(w, diag);
  }
  status = status == RH_OK ? rh_step_workers_create(w, blocks < HARD ? blocks : HARD) : status;
  status = status == RH_OK ? rh_step_impact_records_create(w) : status;
  if (status == RH_OK && m->nslot > 0) {
    fill_shapes(w);
    rh_broad_opt opt = {m->nshape,
                        w->shapes.nplane,
                        w->shapes.planes,
                        w->search->pair_capacity,
                        rh_step_may_collide,
                        w,
                        w->pool};
    rh_broad_destroy(w->search->broad); // a scene with a haptic section has one for its ticks
    w->search->broad = NULL;
    status = rh_broad_create(&opt, &w->search->broad);
  }
  if (status == RH_OK && m->nslot > 0 && w->sleep.on) {
    rh_broad_still(w->search->broad, w->sleep.still);
  }
  if (status != RH_OK) {
    rh_step_destroy(w);
    return status;
  }
  *out = w;
  return RH_OK;
}

void rh_step_destroy(rh_step_world *w)
{
  if (w) {
    rh_step_workers_destroy(w);
    rh_step_trees_destroy(&w->trees);
    rh_free(w->log.memory);
    rh_free(w->rows);
  }
  rh_free(w ? w->block : NULL);
}

// ---- The state

static void load_free(rh_step_world *w, int mobile)
{
  rh_step_body *c = &w->body[mobile];
  rh_step_velocity *b = &w->velocity[mobile];
  const double *q = w->d->q + c->qadr;
  const double *v = w->d->v + c->vadr;
  rh_vec3 p = rh_step_read_vec(q);
  rh_vec3 lin = rh_step_read_vec(v);
  rh_vec3 ang = rh_step_read_vec(v + 3);
  c->q = (rh_quat){q[3], q[4], q[5], q[6]};
  if (!c->plain) {
    p = rh_rotate(&c->frame.R, p);
    c->q = rh_quat_mul(rh_quat_of_matrix(&c->frame.R), c->q);
    lin = rh_rotate(&c->frame.R, lin);
    ang = rh_rotate(&c->frame.R, ang);
  }
  b->im = w->d->hold[c->vadr] != RH_HOLD_NONE ? 0 : 1 / c->mass;
  rh_step_update_rotation(b, c);
  rh_vec3 arm = rh_rotate(&c->R, c->com);
  c->x = rh_add(rh_add(p, c->frame.p), arm);
  rh_step_write_vec(rh_add(lin, rh_cross(ang, arm)), b->v);
  rh_step_write_vec(ang, b->w);
}

void rh_step_load_state(rh_step_world *w)
{
  w->contacts.nrow = 0;
  for (int i = 1; i <= w->nfree; i++) {
    load_free(w, i);
  }
  rh_slots_pack(w->d);
  rh_step_trees_load(w);
  rh_step_sleep_load(w);
  w->fresh = false;
}
