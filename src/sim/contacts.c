// Stages 2 to 5: collide, track, contact frames, contact laws. Which contact point owns which slot is settled at events and
// stays so in between, so that a step sees smooth functions: a slot follows its feature, deeper or less deep, and a point
// that has no slot yet exerts no force; that it comes is an event (guard.c).
#include "geom/bvh.h"
#include "sim/loop.h"

#include <math.h>
#include <string.h>

// Points farther apart than this are of no interest. [m]
static const double FAR = 10;

rh_geom rh_shape_placed(const rh_data *d, int shape)
{
  const rh_model_shape *s = &d->model->shape[shape];
  const rh_kin_body *b = &d->kin[s->body];
  rh_geom g = {.kind = s->kind, .par = s->par, .mesh = s->mesh};
  g.R = rh_mat3_mul(&b->R, &s->place.R);
  g.p = rh_add(b->p, rh_rotate(&b->R, s->place.p));
  return g;
}

// Any tangents will do: a friction law's states are kept as vectors of the world, see apply_laws.
static void frame_of(rh_vec3 n, rh_vec3 *t1, rh_vec3 *t2)
{
  double sign = n.z >= 0 ? 1 : -1;
  double k = -1 / (sign + n.z);
  double xy = n.x * n.y * k;
  *t1 = rh_v3(1 + sign * n.x * n.x * k, sign * xy, -sign * n.x);
  *t2 = rh_v3(xy, sign + n.y * n.y * k, -n.y);
}

static rh_vec3 velocity_at(const rh_data *d, int body, rh_vec3 point)
{
  const rh_kin_body *b = &d->kin[body];
  return rh_add(b->v.lin, rh_cross(b->v.ang, rh_sub(point, b->p)));
}

// Stage 4: where the point is, and how it moves
static void fill_frame(rh_data *d, const rh_model_pair *pair, const rh_touch *touch, rh_contact *c)
{
  c->a = d->model->shape[pair->a].body;
  c->b = d->model->shape[pair->b].body;
  c->point = touch->point;
  c->n = touch->normal;
  c->depth = touch->depth;
  c->radius = touch->radius;
  c->area = touch->area;
  frame_of(c->n, &c->t1, &c->t2);
  rh_vec3 v = rh_sub(velocity_at(d, c->a, c->point), velocity_at(d, c->b, c->point));
  c->rate = -rh_dot(c->n, v);
  c->slip[0] = rh_dot(c->t1, v);
  c->slip[1] = rh_dot(c->t2, v);
}

// As long as it has a slot, a contact that rounding puts at zero or above is taken to be a hair below: the laws are
// asked for their limit there, and nothing jumps between touchdown and loss. [m]
static const double SHALLOW = 1e-12;

// The states of a friction law are the components of a vector in the contact plane. Between events it stands in the slot
// in world axes, so that it does not matter how the tangents are chosen.
static void states_of(const double *slot, const rh_contact *c, double s[RH_FRICTION_STATES])
{
  rh_vec3 u = {slot[0], slot[1], slot[2]};
  s[0] = rh_dot(c->t1, u);
  s[1] = rh_dot(c->t2, u);
}

static void put_rates(const double *rate, const rh_contact *c, double *slot)
{
  rh_vec3 u = rh_addscaled(rh_scale(rate[0], c->t1), rate[1], c->t2);
  slot[0] = u.x;
  slot[1] = u.y;
  slot[2] = u.z;
}

// Stage 5: forces, energies, rates. With constants a square metre the laws see the force on one, and the point counts for
// its share of the face.
static void apply_laws(rh_data *d, const rh_model_pair *pair, int slot, rh_contact *c)
{
  const rh_model_contact *laws = &d->model->contact[pair->contact];
  double s[RH_FRICTION_STATES] = {0};
  double *ds = d->slot_rate + (size_t)slot * RH_SLOT_STATES;
  double share = laws->per == 1 ? c->area : 1;
  states_of(d->s + (size_t)slot * RH_SLOT_STATES, c, s);
  double depth = fmax(c->depth, SHALLOW);
  rh_normal_in ni = {depth, c->rate, c->radius, laws->par};
  rh_normal_out no = {0};
  laws->law->force(&ni, &no);
  double normal = no.spring + no.damper;
  rh_friction_in fi = {
      depth, c->rate, fmax(normal, 0), {c->slip[0], c->slip[1]}, laws->friction_par, s};
  rh_friction_out fo = {0};
  laws->friction->force(&fi, &fo);
  c->margin =
      laws->friction->nstate > 0 ? share * fo.margin : 1; // without states there is no stick
  c->normal = share * normal;
  c->stored = share * no.stored;
  c->recoverable = share * fo.stored;
  for (int i = 0; i < 2; i++) {
    c->friction[i] = share * fo.force[i];
  }
  put_rates(fo.ds, c, ds);
  ds[RH_SLOT_WORK + RH_CONTACT_NORMAL] = share * no.spring * c->rate;
  ds[RH_SLOT_WORK + RH_CONTACT_DAMPER] = share * no.damper * c->rate;
  ds[RH_SLOT_WORK + RH_CONTACT_SPRING] = share * fo.p_spring;
  ds[RH_SLOT_WORK + RH_CONTACT_DRAG] = share * fo.p_damper;
  ds[RH_SLOT_WORK + RH_CONTACT_SLIDE] = share * fo.p_slide;
}

static void push(rh_data *d, const rh_contact *c)
{
  rh_vec3 f = rh_scale(c->normal, c->n);
  f = rh_addscaled(f, c->friction[0], c->t1);
  f = rh_addscaled(f, c->friction[1], c->t2);
  rh_force on_a = {rh_cross(rh_sub(c->point, d->kin[c->a].p), f), f};
  rh_force on_b = {rh_cross(rh_sub(c->point, d->kin[c->b].p), rh_neg(f)), rh_neg(f)};
  d->wrench[c->a] = rh_force_add(d->wrench[c->a], on_a);
  d->wrench[c->b] = rh_force_add(d->wrench[c->b], on_b);
}

// The slot of a pair that follows this feature, RH_NONE if none does.
static int slot_of(const rh_data *d, const rh_model_pair *pair, int id)
{
  for (int k = pair->slot; k < pair->slot + pair->nslot; k++) {
    if (d->touch[k] == id + 1) {
      return k;
    }
  }
  return RH_NONE;
}

int rh_pair_collide(const rh_data *d, const rh_model_pair *pair, rh_touch *touch)
{
  rh_geom a = rh_shape_placed(d, pair->a);
  rh_geom b = rh_shape_placed(d, pair->b);
  return rh_collide(&a, &b, FAR, touch);
}

static void pair_contacts(rh_data *d, int p)
{
  const rh_model_pair *pair = &d->model->pair[p];
  rh_touch touch[RH_TOUCH_MAX];
  int n = rh_pair_collide(d, pair, touch);
  d->gap[p] = FAR;
  for (int i = 0; i < n; i++) {
    int slot = slot_of(d, pair, touch[i].id);
    if (slot == RH_NONE) {
      d->gap[p] = fmin(d->gap[p], -touch[i].depth);
      continue;
    }
    rh_contact *c = &d->con[slot];
    c->on = true;
    fill_frame(d, pair, &touch[i], c);
    apply_laws(d, pair, slot, c);
    push(d, c);
  }
}

// How near shapes must come before the broad phase hands them on. [m]
static const double NEAR = 0.1;

static int lower(const rh_model_pair *pair)
{
  return pair->a < pair->b ? pair->a : pair->b;
}

static int higher(const rh_model_pair *pair)
{
  return pair->a < pair->b ? pair->b : pair->a;
}

// Both lists are in order of the shapes: one walk along the two finds the pairs that are near and have a contact law.
static void near_contacts(rh_data *d)
{
  const rh_model *m = d->model;
  for (int i = 0; i < m->nshape; i++) {
    rh_geom g = rh_shape_placed(d, i);
    d->box[i] = rh_geom_bounds(&g, 0.5 * NEAR);
  }
  rh_bvh_result near = rh_bvh_find(d->broad, d->box, NULL, NULL);
  RH_ASSERT(!near.overflow || near.found > m->npair); // pairs without a law may fill the room
  int n = 0;
  for (int k = 0; k < m->npair; k++) {
    int p = m->pair_order[k];
    const rh_model_pair *pair = &m->pair[p];
    d->gap[p] = NEAR;
    while (n < near.count && (near.pair[n].a < lower(pair) ||
                              (near.pair[n].a == lower(pair) && near.pair[n].b < higher(pair)))) {
      n++;
    }
    bool found = n < near.count && near.pair[n].a == lower(pair) && near.pair[n].b == higher(pair);
    if (found || near.overflow) {
      pair_contacts(d, p);
    }
  }
}

void rh_contacts(rh_data *d)
{
  const rh_model *m = d->model;
  memset(d->con, 0, (size_t)m->nslot * sizeof *d->con);
  memset(d->slot_rate, 0, RH_SLOT_STATES * (size_t)m->nslot * sizeof *d->slot_rate);
  if (d->broad) {
    near_contacts(d);
    return;
  }
  for (int p = 0; p < m->npair; p++) {
    pair_contacts(d, p);
  }
}

// ---- For resolve.c: slots are given and taken at events

static int free_slot(const rh_data *d, const rh_model_pair *pair)
{
  for (int k = pair->slot; k < pair->slot + pair->nslot; k++) {
    if (d->touch[k] == 0) {
      return k;
    }
  }
  return RH_NONE;
}

void rh_slot_release(rh_data *d, int slot)
{
  d->touch[slot] = 0;
  memset(d->s + (size_t)slot * RH_SLOT_STATES + RH_SLOT_FRICTION, 0,
         (RH_SLOT_WORK - RH_SLOT_FRICTION) * sizeof *d->s);
}

int rh_slot_claim(rh_data *d, int p, double depth_above)
{
  const rh_model_pair *pair = &d->model->pair[p];
  rh_touch touch[RH_TOUCH_MAX];
  int n = rh_pair_collide(d, pair, touch);
  for (int i = 0; i < n; i++) {
    rh_contact c;
    if (touch[i].depth <= depth_above || slot_of(d, pair, touch[i].id) != RH_NONE) {
      continue;
    }
    fill_frame(d, pair, &touch[i], &c);
    int slot = free_slot(d, pair);
    bool parts = c.rate < 0 &&
                 touch[i].depth <= SHALLOW; // what overlaps has a contact, whichever way it moves
    if (parts || slot == RH_NONE) {
      continue;
    }
    rh_slot_release(d, slot); // from rest
    d->touch[slot] = touch[i].id + 1;
    return slot;
  }
  return RH_NONE;
}
