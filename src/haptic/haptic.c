// The loop's memory: created once, with all data of a tick. See haptic.h.
#include "step.h"

#include <string.h>

static void *carve_piece(char *start, size_t *used, size_t count, size_t size)
{
  void *at = start ? start + *used : NULL;
  *used += (count * size + 15) / 16 * 16;
  return at;
}

// Assigns the memory from `start` on; with NULL only counts. Returns the size.
static size_t lay_out_memory(rh_haptic *h, char *start)
{
  const rh_model *m = h->m;
  size_t used = 0;
  size_t slots = (size_t)m->nslot;
  size_t rows = (size_t)h->rows;
  size_t nv = (size_t)m->nv;
  size_t nbody = (size_t)m->nbody;
  size_t room = rh_collide_room(h->rows, m->nv);
  size_t other = rh_collide_unilateral_room(h->rows);
  if (m->haptic.collide == RH_COLLIDE_BY_FRICTION) {
    size_t friction = rh_haptic_friction_room(m, h->rows);
    other = other > friction ? other : friction;
  }
#define PIECE(pointer, count) (h->pointer = carve_piece(start, &used, (count), sizeof *h->pointer))
  PIECE(point, (size_t)h->point_capacity);
  PIECE(id, (size_t)h->point_capacity);
  PIECE(contact, slots);
  PIECE(pair, slots);
  PIECE(group, nbody);
  PIECE(state, nbody);
  PIECE(dof, nv);
  PIECE(row, rows);
  PIECE(J, rows * nv);
  PIECE(X, rows * nv);
  PIECE(unit, nv * nv);
  PIECE(Jg, rows * nv);
  PIECE(Xg, rows * nv);
  PIECE(W, rows * rows);
  PIECE(u, rows);
  PIECE(e, rows);
  PIECE(approach, rows);
  PIECE(p, rows);
  PIECE(after, rows);
  PIECE(goal, rows);
  PIECE(shifted, rows);
  PIECE(scratch, room > other ? room : other);
  PIECE(way, nv);
  PIECE(body, nbody);
  PIECE(grip.at_device, nbody);
  double *numbers = carve_piece(start, &used, rh_grip_size(m), sizeof(double));
  if (start) {
    rh_grip_carve(m, numbers, &h->grip);
  }
#undef PIECE
  return used;
}

static double greatest_e(const rh_model *m)
{
  double e = m->haptic.e;
  for (int i = 0; i < m->ncontact; i++) {
    e = m->contact[i].e > e ? m->contact[i].e : e;
  }
  return e;
}

// The hand's pose at the start, the grip; and whether the device is heavy enough.
static rh_status look_at_start(rh_haptic *h, rh_diag *diag)
{
  const rh_model *m = h->m;
  const rh_model_haptic *k = &m->haptic;
  rh_data *d = rh_data_create(m);
  if (!d) {
    return RH_OUT_OF_MEMORY;
  }
  rh_kinematics(d);
  int body = k->device != RH_NONE ? k->device : k->tool;
  h->home_p = d->kin[body].p;
  h->home_R = d->kin[body].R;
  if (!rh_grip_open(h, d, greatest_e(m)) && !k->passive) {
    rh_diag_add(diag, RH_WARNING, RH_NOWHERE,
                "device '%s' is lighter than (1 + e)/2 of tool '%s': a collision can give energy "
                "to the hand, unless haptic.passive is set",
                rh_model_name(m, RH_OBJECT_BODY, k->device),
                rh_model_name(m, RH_OBJECT_BODY, k->tool));
  }
  rh_data_destroy(d);
  return RH_OK;
}

rh_status rh_haptic_create(const rh_model *m, rh_diag *diag, rh_haptic **out)
{
  *out = NULL;
  if (!m->haptic.on) {
    rh_diag_add(diag, RH_ERROR, RH_NOWHERE, "the scene has no section haptic");
    return RH_INPUT_REFUSED;
  }
  if (m->nv > RH_HAPTIC_NV_MAX) {
    rh_diag_add(diag, RH_ERROR, RH_NOWHERE,
                "the scene has %d degrees of freedom; the maximum of the engine haptic is %d",
                m->nv, RH_HAPTIC_NV_MAX);
    return RH_OVER_LIMIT;
  }
  rh_haptic counted = {.m = m, .point_capacity = 4 * m->nslot + RH_TOUCH_KEPT};
  bool friction = m->haptic.collide == RH_COLLIDE_BY_FRICTION;
  counted.rows = (friction ? 3 : m->haptic.split ? 2 : 1) * m->nslot;
  counted.rows = counted.rows < RH_ROWS_MAX ? counted.rows : RH_ROWS_MAX;
  counted.point_capacity =
      counted.point_capacity < RH_TRACK_MAX ? counted.point_capacity : RH_TRACK_MAX;
  size_t bytes = lay_out_memory(&counted, NULL);
  size_t head = (sizeof(rh_haptic) + 15) / 16 * 16;
  rh_haptic *h = rh_alloc(head + bytes);
  if (!h) {
    return RH_OUT_OF_MEMORY;
  }
  *h = counted;
  (void)lay_out_memory(h, (char *)h + head);
  h->dt = m->run.engine_par[0];
  rh_track_opt opt = {.d_cluster = m->haptic.d_cluster,
                      .cos_cluster = m->haptic.cos_cluster,
                      .d_coh = m->haptic.d_coh,
                      .slots = m->nslot,
                      .points = h->point_capacity};
  rh_status status = rh_track_create(&opt, &h->track);
  if (status == RH_OK) {
    status = look_at_start(h, diag);
  }
  if (status != RH_OK) {
    rh_haptic_destroy(h);
    return status;
  }
  *out = h;
  return RH_OK;
}

void rh_haptic_destroy(rh_haptic *h)
{
  if (h) {
    rh_track_destroy(h->track);
  }
  rh_free(h);
}

double rh_haptic_dt(const rh_haptic *h)
{
  return h->dt;
}

const rh_haptic_contact *rh_haptic_contacts(const rh_haptic *h, int *count)
{
  *count = h->ncontact;
  return h->contact;
}

double rh_haptic_gain(const rh_haptic *h)
{
  return h->gain;
}
