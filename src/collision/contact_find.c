// Stages 2 to 5: collide, track, contact frames, contact laws. The slots of contacts are decided at
// events and constant in between, so that a step has smooth functions: a slot follows its feature,
// deeper or less deep (contact_match.c), and a point without a slot exerts no force; its touch is
// an event (event_functions.c).
#include "collision.h"

#include "math/tangents.h"

#include <math.h>
#include <string.h>

// Points farther apart than this are of no interest. [m]
static const double FAR = 10;

static rh_vec3 velocity_at(const rh_data *d, int body, rh_vec3 point)
{
  const rh_kin_body *b = &d->kin[body];
  return rh_add(b->v.lin, rh_cross(b->v.ang, rh_sub(point, b->p)));
}

// Stage 4: the point's place and motion
void rh_contact_place(const rh_data *d, const rh_shape_pair *pair, const rh_touch *touch,
                      rh_contact *c)
{
  c->rule = pair->rule;
  c->shape[0] = pair->a;
  c->shape[1] = pair->b;
  c->a = d->model->shape[pair->a].body;
  c->b = d->model->shape[pair->b].body;
  c->point = touch->point;
  c->n = touch->normal;
  c->depth = touch->depth;
  c->radius = touch->radius;
  c->area = touch->area;
  c->id = touch->id;
}

void rh_contact_frame(const rh_data *d, const rh_shape_pair *pair, const rh_touch *touch,
                      rh_contact *c)
{
  rh_contact_place(d, pair, touch, c);
  rh_tangents_of(c->n, &c->t1, &c->t2);
  rh_contact_velocity(d, c);
}

// Velocity of the surface of one of its shapes on the body, world axes; the contact plane has its part
// in it.
static rh_vec3 surface_of(const rh_data *d, const rh_contact *c, int side)
{
  return rh_rotate(&d->kin[side == 0 ? c->a : c->b].R, d->model->shape[c->shape[side]].surface);
}

static rh_vec3 belt_of(const rh_data *d, const rh_contact *c, int side)
{
  rh_vec3 v = surface_of(d, c, side);
  return rh_addscaled(v, -rh_dot(v, c->n), c->n);
}

// Its rate of change in the contact plane: the velocity turns with the body, the plane with the normal.
static rh_vec3 belt_rate(const rh_data *d, const rh_contact *c, int side, rh_vec3 ndot)
{
  rh_vec3 v = surface_of(d, c, side);
  rh_vec3 rate = rh_cross(d->kin[side == 0 ? c->a : c->b].v.ang, v);
  rate = rh_addscaled(rate, -rh_dot(v, c->n), ndot);
  return rh_addscaled(rate, -rh_dot(rate, c->n), c->n);
}

void rh_contact_velocity(const rh_data *d, rh_contact *c)
{
  rh_vec3 v = rh_sub(velocity_at(d, c->a, c->point), velocity_at(d, c->b, c->point));
  if (d->model->belts) {
    c->belt = rh_sub(belt_of(d, c, 0), belt_of(d, c, 1));
    v = rh_add(v, c->belt);
  }
  c->rate = -rh_dot(c->n, v);
  c->slip[0] = rh_dot(c->t1, v);
  c->slip[1] = rh_dot(c->t2, v);
}

// The point itself moves over both surfaces, and the normal turns: with u = v_a - v_b there,
// du/dt = accelerations of the bodies' own points + w_a x c_a - w_b x c_b, and d(n.u)/dt has the
// term dn/dt . u too.
static void point_drift(const rh_data *d, const rh_touch *touch, rh_contact *c)
{
  rh_roll roll = {.ndot = {0, 0, 0}};
  rh_vec3 wa = d->kin[c->a].v.ang;
  rh_vec3 wb = d->kin[c->b].v.ang;
  rh_vec3 slip = rh_addscaled(rh_scale(c->slip[0], c->t1), c->slip[1], c->t2);
  if (d->model->belts) { // that of the bodies
    slip = rh_sub(slip, c->belt);
  }
  if (rh_touch_roll(touch, wa, wb, slip, &roll)) {
    rh_vec3 u = rh_addscaled(slip, -c->rate, c->n);
    c->drift = rh_add(c->drift, rh_sub(rh_cross(wa, roll.ca), rh_cross(wb, roll.cb)));
    c->drift = rh_addscaled(c->drift, rh_dot(roll.ndot, u), c->n);
  }
  if (d->model->belts) {
    c->drift =
        rh_add(c->drift, rh_sub(belt_rate(d, c, 0, roll.ndot), belt_rate(d, c, 1, roll.ndot)));
  }
}

// As long as it has a slot, a contact that rounding puts at zero or above is taken to be
// RH_TOL_DEPTH below: the laws are evaluated at their limit there, and nothing jumps between
// touchdown and loss.

// The states of a friction law are the components of a vector in the contact plane. Between events
// it is in the slot in world axes, so that the choice of tangents has no effect.
// The state of a normal law is the component along the normal.
static double states_of(const double *slot, const rh_contact *c, double s[RH_FRICTION_STATES])
{
  rh_vec3 u = {slot[0], slot[1], slot[2]};
  s[0] = rh_dot(c->t1, u);
  s[1] = rh_dot(c->t2, u);
  return rh_dot(c->n, u);
}

static void put_rates(const double *rate, double along, const rh_contact *c, double *slot)
{
  rh_vec3 u = rh_addscaled(rh_scale(rate[0], c->t1), rate[1], c->t2);
  if (along != 0) {
    u = rh_addscaled(u, along, c->n);
  }
  slot[0] = u.x;
  slot[1] = u.y;
  slot[2] = u.z;
}

// Friction of a round contact in cells; the torque about the normal [N m]. Their axes are the
// tangents of the contact.
static double apply_patch(rh_data *d, int slot, const rh_contact *c, const rh_touch *touch,
                          const rh_friction_in *in, rh_friction_out *out)
{
  size_t first = (size_t)slot * (size_t)d->model->layout.ncell;
  rh_vec3 wa = d->kin[c->a].v.ang;
  rh_vec3 wb = d->kin[c->b].v.ang;
  rh_vec3 slip = rh_addscaled(rh_scale(c->slip[0], c->t1), c->slip[1], c->t2);
  rh_roll roll = {.ndot = {0, 0, 0}};
  double torque = 0;
  (void)rh_touch_roll(touch, wa, wb, slip, &roll); // what is not finite stops the run
  rh_vec3 way = rh_scale(0.5, rh_add(roll.ca, roll.cb));
  rh_friction_patch patch = {.point = *in,
                             .spin = rh_dot(c->n, rh_sub(wa, wb)),
                             .roll = {rh_dot(c->t1, way), rh_dot(c->t2, way)},
                             .cell = rh_slot_cells(d, slot)};
  const rh_friction_law *law = d->model->contact[c->rule].friction;
  law->patch(&patch, out, &torque, rh_search(d)->cell_rate + first);
  return torque;
}

// Stage 5: forces, energies, rates. With constants per square metre the laws get the force on one,
// and the point counts for its share of the face. `whole`: result of the normal law for the point
// as part of a face; NULL: it is evaluated here. `touch`: of a point that may be curved.
static void apply_laws(rh_data *d, int slot, rh_contact *c, const rh_normal_out *whole,
                       const rh_touch *touch)
{
  const rh_model_contact *laws = &d->model->contact[c->rule];
  double s[RH_FRICTION_STATES] = {0};
  double *ds = rh_search(d)->slot_rate + (size_t)slot * RH_SLOT_STATES;
  double share = laws->per == 1 && !whole ? c->area : 1;
  double state = states_of(d->s + (size_t)slot * RH_SLOT_STATES, c, s);
  double depth = fmax(c->depth, RH_TOL_DEPTH);
  double hold = rh_contact_hold(d, c);
  rh_normal_in ni = {hold > 0 ? fmax(c->depth, -hold) : depth, c->rate, c->radius, laws->par,
                     &state};
  rh_normal_out no = {0};
  if (whole) {
    no = *whole;
  } else {
    laws->law->force(&ni, &no);
  }
  double normal = no.spring + no.damper;
  rh_friction_in fi = {
      depth, c->rate, fmax(normal, 0), {c->slip[0], c->slip[1]}, laws->friction_par, s, c->radius};
  rh_friction_out fo = {0};
  double torque = 0;
  if (touch && laws->friction->patch && d->model->layout.ncell > 0 && isfinite(c->radius)) {
    torque = apply_patch(d, slot, c, touch, &fi, &fo);
  } else if (laws->friction->force) { // else the engine finds friction with the motion
    laws->friction->force(&fi, &fo);
  }
  c->margin =
      laws->friction->nstate > 0 ? share * fo.margin : 1; // without states there is no stick
  c->normal = share * normal;
  c->stored = share * no.stored;
  c->recoverable = share * fo.stored;
  for (int i = 0; i < 2; i++) {
    c->friction[i] = share * fo.force[i];
  }
  put_rates(fo.ds, no.ds, c, ds);
  ds[RH_SLOT_WORK + RH_CONTACT_NORMAL] = share * no.spring * c->rate - share * no.lost;
  ds[RH_SLOT_WORK + RH_CONTACT_DAMPER] = share * no.damper * c->rate + share * no.lost;
  ds[RH_SLOT_WORK + RH_CONTACT_SPRING] = share * fo.p_spring;
  ds[RH_SLOT_WORK + RH_CONTACT_DRAG] = share * fo.p_damper;
  ds[RH_SLOT_WORK + RH_CONTACT_SLIDE] = share * fo.p_slide;
  if (rh_contact_turns(laws)) {
    rh_contact_set_torque(d, slot, c, rh_scale(fmax(c->normal, 0), rh_contact_turning(d, c)));
  }
  c->torque = rh_addscaled(c->torque, torque, c->n);
}

rh_vec3 rh_contact_turning(const rh_data *d, const rh_contact *c)
{
  const rh_model_contact *laws = &d->model->contact[c->rule];
  rh_vec3 w = rh_sub(d->kin[c->a].v.ang, d->kin[c->b].v.ang);
  double spin = rh_dot(c->n, w);
  rh_vec3 roll = rh_addscaled(w, -spin, c->n);
  double against =
      laws->mu_roll * rh_contact_roll_radius(c) / rh_hypot(rh_norm(roll), laws->turn_speed);
  double pivot = laws->mu_pivot * spin / rh_hypot(spin, laws->turn_speed);
  return rh_addscaled(rh_scale(-against, roll), -pivot, c->n);
}

void rh_contact_set_torque(rh_data *d, int slot, rh_contact *c, rh_vec3 torque)
{
  double *rate = rh_search(d)->slot_rate + (size_t)slot * RH_SLOT_STATES + RH_SLOT_WORK;
  c->torque = torque;
  rate[RH_CONTACT_SLIDE] -= rh_dot(torque, rh_sub(d->kin[c->a].v.ang, d->kin[c->b].v.ang));
}

void rh_contact_push(rh_data *d, const rh_contact *c)
{
  rh_vec3 f = rh_scale(c->normal, c->n);
  f = rh_addscaled(f, c->friction[0], c->t1);
  f = rh_addscaled(f, c->friction[1], c->t2);
  rh_force on_a = {rh_cross(rh_sub(c->point, d->kin[c->a].p), f), f};
  rh_force on_b = {rh_cross(rh_sub(c->point, d->kin[c->b].p), rh_neg(f)), rh_neg(f)};
  on_a.ang = rh_add(on_a.ang, c->torque);
  on_b.ang = rh_sub(on_b.ang, c->torque);
  d->wrench[c->a] = rh_force_add(d->wrench[c->a], on_a);
  d->wrench[c->b] = rh_force_add(d->wrench[c->b], on_b);
  if (d->model->belts) {
    d->power[RH_WORK_ACTUATOR] -= rh_dot(f, c->belt); // of the drives of the belts
  }
}

// ---- Faces

typedef struct flat_points { // the slots of a pair's points that lie on a flat face
  int slot[RH_TOUCH_MAX];
  int n;
} flat_points;

static bool is_part_of_face(const rh_data *d, const rh_contact *c)
{
  return d->model->contact[c->rule].law->face && c->area > 0 && isinf(c->radius);
}

// Coupled points: their places are those in the plane of the first.
static void apply_face(rh_data *d, const flat_points *f)
{
  rh_normal_in in[RH_TOUCH_MAX];
  rh_normal_out out[RH_TOUCH_MAX] = {0};
  double at[2 * RH_TOUCH_MAX];
  double area[RH_TOUCH_MAX];
  const rh_contact *first = &d->contact[f->slot[0]];
  const rh_model_contact *laws = &d->model->contact[first->rule];
  for (int i = 0; i < f->n; i++) {
    const rh_contact *c = &d->contact[f->slot[i]];
    rh_vec3 from = rh_sub(c->point, first->point);
    in[i] = (rh_normal_in){fmax(c->depth, RH_TOL_DEPTH), c->rate, c->radius, laws->par, NULL};
    at[2 * i] = rh_dot(first->t1, from);
    at[2 * i + 1] = rh_dot(first->t2, from);
    area[i] = c->area;
  }
  laws->law->face(in, f->n, at, area, out);
  for (int i = 0; i < f->n; i++) {
    rh_contact *c = &d->contact[f->slot[i]];
    apply_laws(d, f->slot[i], c, &out[i], NULL);
    rh_contact_push(d, c);
  }
}

// ---- Pairs

// No point of `a` is closer to a plane than its centre less its reach. Far away that suffices.
static bool far_from_plane(const rh_data *d, const rh_shape_pair *pair, double *gap)
{
  const rh_geom *plane = &rh_search(d)->geom[pair->b];
  rh_vec3 up = rh_v3(plane->R.m[2], plane->R.m[5], plane->R.m[8]);
  if (rh_shape_bounded(plane->kind) || plane->kind->mesh != RH_MESH_NONE) {
    return false;
  }
  *gap =
      rh_dot(up, rh_sub(rh_search(d)->geom[pair->a].p, plane->p)) - d->model->shape[pair->a].reach;
  return *gap > d->model->near;
}

// Rigid shapes that overlap by no more than this may be separating after an impact; with more
// overlap and no slot they met since the last check, and normal and rate may be of the other side.
// [m]
static double slight_overlap(const rh_data *d, const rh_shape_pair *pair)
{
  static const double SLIGHT = 1e-4; // of the thinner shape
  const rh_model_shape *shape = d->model->shape;
  double thin = fmin(shape[pair->a].width, shape[pair->b].width);
  return fmax(fmax(10 * RH_TOL_GAP, SLIGHT * thin), rh_search(d)->left);
}

// Points that part take the places that touching ones leave free.
static void note_parting(rh_data *d, const rh_touch *touch, rh_contact *c)
{
  rh_contact_search *s = rh_search(d);
  if (s->nuntracked + s->nparting < RH_UNTRACKED_MAX) {
    c->on = true;
    point_drift(d, touch, c);
    s->untracked[RH_UNTRACKED_MAX - ++s->nparting] = *c;
  }
}

static rh_contact *place_of_touching(rh_contact_search *s)
{
  bool full = s->nuntracked + s->nparting == RH_UNTRACKED_MAX;
  if (full && s->nparting == 0) {
    return NULL;
  }
  s->nparting -= full;
  return &s->untracked[s->nuntracked++];
}

// A point without a slot: its distance, or that it touches. One that has just separated does not
// count until it is clear of the rounding; one of rigid bodies not before it returns. One that
// overlaps by rounding and neither approaches nor leaves must not count as a gap: below zero from
// the start it would hide every other that closes. It closes as its speed passes RH_TOL_SLIP,
// smoothly: the missing speed, taken for a second, is its gap.
static void note_bare(rh_data *d, const rh_shape_pair *pair, const rh_touch *touch)
{
  rh_contact c = {.on = false};
  bool rigid = rh_contact_rigid(d, pair->rule);
  double gap = -touch->depth;
  if (rigid ? touch->depth > -RH_TOL_DEPTH && touch->depth <= slight_overlap(d, pair)
            : fabs(touch->depth) <= RH_TOL_DEPTH) {
    rh_contact_frame(d, pair, touch, &c);
    if (c.rate < (rigid ? -RH_TOL_SEPARATION : 0)) {
      rh_search(d)->leaving = fmax(rh_search(d)->leaving, touch->depth);
      if (!rigid) {
        note_parting(d, touch, &c);
      }
      return;
    }
    gap = rigid && touch->depth < RH_TOL_GAP ? fmax(gap, RH_TOL_SLIP - c.rate) : gap;
  }
  d->gap = fmin(d->gap, gap);
  rh_contact *bare = touch->depth > -RH_TOL_GAP ? place_of_touching(rh_search(d)) : NULL;
  if (bare) {
    *bare = (rh_contact){.on = true};
    rh_contact_frame(d, pair, touch, bare);
    if (!rigid && bare->rate < 0) {
      point_drift(d, touch, bare);
    }
  }
}

// `next`: the first of the slots, in their order, that does not belong to an earlier pair
static void pair_contacts(rh_data *d, const rh_shape_pair *pair, void *next)
{
  rh_touch touch[RH_TOUCH_MAX];
  int owner[RH_TOUCH_MAX];
  flat_points flat = {.n = 0};
  double gap;
  rh_slot_run run = rh_slots_of_pair(d, pair, next);
  if (run.n == 0 && far_from_plane(d, pair, &gap)) {
    d->gap = fmin(d->gap, gap);
    return;
  }
  bool open = !rh_shape_bounded(rh_search(d)->geom[pair->b].kind);
  int n = rh_collide_surfaces(&rh_search(d)->geom[pair->a], &rh_search(d)->geom[pair->b],
                              open ? FAR : d->model->near, touch);
  rh_slots_match(d, pair, &run, touch, n, owner);
  for (int i = 0; i < n; i++) {
    if (owner[i] == RH_NONE) {
      note_bare(d, pair, &touch[i]);
      continue;
    }
    rh_contact *c = &d->contact[owner[i]];
    c->on = true;
    rh_contact_frame(d, pair, &touch[i], c);
    if (rh_slot_rigid(d, owner[i])) {
      point_drift(d, &touch[i], c);
    } else if (is_part_of_face(d, c)) {
      flat.slot[flat.n++] = owner[i];
    } else {
      apply_laws(d, owner[i], c, NULL, &touch[i]);
      rh_contact_push(d, c);
    }
  }
  if (flat.n > 0) {
    apply_face(d, &flat);
  }
}

// The engine stepping keeps in a slot its contact's last place and the force on a, mean over
// the last step, in world axes (its first states).
static void kept_contact(rh_data *d, int slot)
{
  const rh_slot *s = &d->slot[slot];
  const double *f = d->s + (size_t)slot * RH_SLOT_STATES + RH_SLOT_FRICTION;
  rh_contact *c = &d->contact[slot];
  rh_shape_pair pair = {.a = (int)s->a, .b = (int)s->b, .rule = (int)s->contact};
  const rh_kin_body *b = &d->kin[d->model->shape[pair.b].body];
  rh_touch touch = {.id = (int)s->id, .radius = HUGE_VAL};
  rh_vec3 force = {f[0], f[1], f[2]};
  touch.point = rh_slot_point(d, slot);
  touch.normal = rh_rotate(&b->R, rh_v3(s->n[0], s->n[1], s->n[2]));
  c->on = true;
  rh_contact_frame(d, &pair, &touch, c);
  c->normal = rh_dot(c->n, force);
  c->friction[0] = rh_dot(c->t1, force);
  c->friction[1] = rh_dot(c->t2, force);
  c->shared = s->mode == RH_CLOSED_SHARED;
}

void rh_contacts(rh_data *d)
{
  const rh_model *m = d->model;
  int used = rh_slots_used(d);
  int next = 0;
  memset(d->contact, 0, (size_t)(used > d->ncontact ? used : d->ncontact) * sizeof *d->contact);
  memset(rh_search(d)->slot_rate, 0,
         RH_SLOT_STATES * (size_t)used * sizeof *rh_search(d)->slot_rate);
  memset(rh_search(d)->cell_rate, 0,
         (size_t)(m->layout.ncell * m->nslot) * sizeof *rh_search(d)->cell_rate);
  d->ncontact = used;
  rh_search(d)->nuntracked = 0;
  rh_search(d)->nparting = 0;
  rh_search(d)->leaving = 0;
  d->gap = FAR;
  if (rh_engine_searches(m)) {
    for (int k = 0; k < used; k++) {
      const rh_slot *s = &d->slot[k];
      bool right = s->a >= 0 && s->a < m->nshape && s->b >= 0 && s->b < m->nshape;
      if (right && rh_slot_contact(d, k) != RH_NONE) {
        kept_contact(d, k);
      }
    }
  } else if (m->nslot > 0) {
    rh_slots_sort(d);
    rh_near_each(d, pair_contacts, &next);
  }
}
