// frame_block.c: worlds as blocks of numbers: poses, ledger, contact points with their forces.
// Little-endian floats suffice for a picture.
#include "viewer.h"

#include <float.h>
#include <math.h>
#include <string.h>

void rh_viewer_put_u32(rh_text *out, uint32_t word)
{
  char byte[4];
  for (int i = 0; i < 4; i++) {
    byte[i] = (char)(word >> (8 * i) & 0xFF);
  }
  rh_text_add_bytes(out, byte, sizeof byte);
}

float rh_viewer_float(double value)
{
  double cut = value > (double)FLT_MAX    ? (double)INFINITY
               : value < -(double)FLT_MAX ? -(double)INFINITY
                                          : value;
  return (float)cut;
}

void rh_viewer_put_f32(rh_text *out, double value)
{
  float small = rh_viewer_float(value);
  uint32_t word;
  memcpy(&word, &small, sizeof word);
  rh_viewer_put_u32(out, word);
}

void rh_viewer_put_f64(rh_text *out, double value)
{
  uint64_t word;
  memcpy(&word, &value, sizeof word);
  rh_viewer_put_u32(out, (uint32_t)(word & 0xFFFFFFFFu));
  rh_viewer_put_u32(out, (uint32_t)(word >> 32));
}

void rh_viewer_put_head(rh_text *out, const uint32_t word[RH_VIEWER_HEAD - 1])
{
  rh_viewer_put_u32(out, RH_VIEWER_MAGIC);
  for (int i = 0; i < RH_VIEWER_HEAD - 1; i++) {
    rh_viewer_put_u32(out, word[i]);
  }
}

static void put_vec(rh_text *out, rh_vec3 v)
{
  rh_viewer_put_f32(out, v.x);
  rh_viewer_put_f32(out, v.y);
  rh_viewer_put_f32(out, v.z);
}

// The quaternion of a rotation matrix by its largest component, to avoid division by small numbers.
static rh_quat quat_of(const rh_mat3 *R)
{
  const double *m = R->m;
  double four[4] = {1 + m[0] + m[4] + m[8], 1 + m[0] - m[4] - m[8], 1 - m[0] + m[4] - m[8],
                    1 - m[0] - m[4] + m[8]};
  int k = 0;
  for (int i = 1; i < 4; i++) {
    k = four[i] > four[k] ? i : k;
  }
  double s = 0.5 / sqrt(fmax(four[k], DBL_MIN));
  double x = m[7] - m[5];
  double y = m[2] - m[6];
  double z = m[3] - m[1];
  rh_quat q;
  switch (k) {
  case 0:
    q = (rh_quat){four[0] * s, x * s, y * s, z * s};
    break;
  case 1:
    q = (rh_quat){x * s, four[1] * s, (m[1] + m[3]) * s, (m[2] + m[6]) * s};
    break;
  case 2:
    q = (rh_quat){y * s, (m[1] + m[3]) * s, four[2] * s, (m[5] + m[7]) * s};
    break;
  default:
    q = (rh_quat){z * s, (m[2] + m[6]) * s, (m[5] + m[7]) * s, four[3] * s};
    break;
  }
  return q;
}

static void put_pose(rh_text *out, const rh_mat3 *R, rh_vec3 p)
{
  rh_quat q = quat_of(R);
  put_vec(out, p);
  rh_viewer_put_f32(out, q.w);
  rh_viewer_put_f32(out, q.x);
  rh_viewer_put_f32(out, q.y);
  rh_viewer_put_f32(out, q.z);
}

static rh_viewer_state state_of(const rh_data *d, int slot)
{
  const rh_contact *c = &d->contact[slot];
  bool rigid = d->model->contact[c->rule].impact != NULL;
  if (rigid) {
    double mode = d->slot[slot].mode;
    return mode == RH_CLOSED_SLIDE   ? RH_VIEWER_SLIP
           : mode == RH_CLOSED_STICK ? RH_VIEWER_STICK
                                     : RH_VIEWER_IDLE;
  }
  return c->normal == 0 ? RH_VIEWER_IDLE : c->margin < 0 ? RH_VIEWER_SLIP : RH_VIEWER_STICK;
}

static void put_point(rh_text *out, const rh_data *d, int slot)
{
  const rh_contact *c = &d->contact[slot];
  rh_vec3 force = rh_scale(c->normal, c->n);
  force = rh_addscaled(force, c->friction[0], c->t1);
  force = rh_addscaled(force, c->friction[1], c->t2);
  put_vec(out, c->point);
  put_vec(out, c->n);
  put_vec(out, force);
  const double rest[] = {state_of(d, slot), c->rule, slot, c->depth, c->area, c->a, c->b};
  for (int i = 0; i < RH_COUNT(rest); i++) {
    rh_viewer_put_f32(out, rest[i]);
  }
}

void rh_viewer_ledger_channels(const rh_channels *channels, int index[RH_VIEWER_LEDGER])
{
  int n = 0;
#define FIND(name, text) index[n++] = rh_channel_find(channels, "energy." #name);
  RH_LEDGER_LIST(FIND)
#undef FIND
}

void rh_viewer_add(rh_viewer_block *block, const rh_channels *channels, rh_data *data)
{
  int index[RH_VIEWER_LEDGER];
  double ledger[RH_VIEWER_LEDGER];
  rh_viewer_ledger_channels(channels, index);
  rh_channels_read(channels, data, index, RH_VIEWER_LEDGER,
                   ledger); // evaluates kinematics and forces
  rh_viewer_add_read(block, data, ledger);
}

void rh_viewer_add_read(rh_viewer_block *block, const rh_data *data,
                        const double ledger[RH_VIEWER_LEDGER])
{
  rh_viewer_put_f64(&block->t, *data->t);
  for (int i = 1; i < data->model->nbody; i++) {
    put_pose(&block->pose, &data->kin[i].R, data->kin[i].p);
  }
  for (int i = 0; i < RH_VIEWER_LEDGER; i++) {
    rh_viewer_put_f32(&block->ledger, ledger[i]);
  }
  rh_viewer_put_u32(&block->start, (uint32_t)block->points);
  for (int k = 0; k < data->ncontact; k++) {
    if (data->contact[k].on) {
      put_point(&block->point, data, k);
      block->points++;
    }
  }
  rh_viewer_add_devices(&block->device, data);
  block->count++;
}

void rh_viewer_add_kept(rh_viewer_block *block, const rh_data *data, const rh_viewer_crowd *crowd,
                        double t, const rh_ledger *ledger)
{
#define ENTRY(name, text) ledger->name,
  const double entry[] = {RH_LEDGER_LIST(ENTRY)};
#undef ENTRY
  rh_viewer_put_f64(&block->t, t);
  for (int i = 1; data && i < data->model->nbody; i++) {
    if (crowd->kept[i] != RH_NONE) {
      put_pose(&block->pose, &data->kin[i].R, data->kin[i].p);
    }
  }
  for (int i = 0; i < RH_COUNT(entry); i++) {
    rh_viewer_put_f32(&block->ledger, entry[i]);
  }
  rh_viewer_put_u32(&block->start, (uint32_t)block->points);
  block->count++;
}

bool rh_viewer_finish(rh_viewer_block *block, rh_viewer_kind kind, const uint32_t first_stride[2],
                      int bodies, rh_text *out)
{
  size_t devices = block->count > 0 ? block->device.size / 4 / (size_t)block->count : 0;
  const uint32_t word[RH_VIEWER_HEAD - 1] = {
      (uint32_t)kind,   first_stride[0],         (uint32_t)block->count, first_stride[1],
      (uint32_t)bodies, (uint32_t)block->points, (uint32_t)devices};
  rh_viewer_put_u32(&block->start, (uint32_t)block->points);
  rh_text *part[] = {&block->t,     &block->pose,  &block->ledger,
                     &block->start, &block->point, &block->device};
  rh_viewer_put_head(out, word);
  for (int i = 0; i < RH_COUNT(part); i++) {
    out->failed = out->failed || part[i]->failed;
    if (part[i]->size > 0) {
      rh_text_add_bytes(out, part[i]->data, part[i]->size);
    }
  }
  rh_viewer_block_free(block);
  return !out->failed;
}

void rh_viewer_block_free(rh_viewer_block *block)
{
  rh_text_free(&block->t);
  rh_text_free(&block->pose);
  rh_text_free(&block->ledger);
  rh_text_free(&block->start);
  rh_text_free(&block->point);
  rh_text_free(&block->device);
  *block = (rh_viewer_block){0};
}
