// datagram.c: datagrams to bytes and back. Input from outside is checked completely before use:
// size, head, version, unknown flags, numbers that are not finite or too large, invalid
// quaternions.
#include "datagram.h"

#include <math.h>
#include <string.h>

#define WIRE_MOST 1e6 // [m, m/s, N, ...] bound of position, velocity and force of a hand

static const char head_in[4] = {'R', 'H', 'H', 'I'};
static const char head_out[4] = {'R', 'H', 'H', 'O'};
static const char head_show[4] = {'R', 'H', 'S', 'H'};

// ---- Numbers

static void put_little_endian(unsigned char *at, uint64_t value, int bytes)
{
  for (int i = 0; i < bytes; i++) {
    at[i] = (unsigned char)(value >> (8 * i));
  }
}

static uint64_t get_little_endian(const unsigned char *at, int bytes)
{
  uint64_t value = 0;
  for (int i = 0; i < bytes; i++) {
    value |= (uint64_t)at[i] << (8 * i);
  }
  return value;
}

static void put_doubles(unsigned char *at, const double *x, int n)
{
  for (int i = 0; i < n; i++) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    put_little_endian(at + (size_t)i * 8, bits, 8);
  }
}

static bool get_doubles(const unsigned char *at, double *x, int n) // all finite and not too large?
{
  bool good = true;
  for (int i = 0; i < n; i++) {
    uint64_t bits = get_little_endian(at + (size_t)i * 8, 8);
    memcpy(&x[i], &bits, sizeof bits);
    good = good && isfinite(x[i]) && fabs(x[i]) <= WIRE_MOST;
  }
  return good;
}

bool rh_wire_newer(uint32_t sequence, uint32_t last)
{
  uint32_t ahead = sequence - last;
  return ahead != 0 && ahead < UINT32_C(0x80000000);
}

static const char *check_head(const unsigned char *bytes, size_t size, const char *head,
                              size_t want)
{
  if (size != want) {
    return "wrong size";
  }
  if (memcmp(bytes, head, 4) != 0) {
    return "wrong head";
  }
  return get_little_endian(bytes + 4, 2) == RH_WIRE_VERSION ? NULL : "unknown version";
}

// ---- From a device

// Normalizes a rounded quaternion; refuses any other.
static bool unit_quaternion(double q[4])
{
  double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  if (!(fabs(square - 1) < 1e-3)) {
    return false;
  }
  for (int i = 0; i < 4; i++) {
    q[i] /= sqrt(square);
  }
  return true;
}

const char *rh_wire_read(const unsigned char *bytes, size_t size, rh_wire_in *in)
{
  *in = (rh_wire_in){0};
  const char *wrong = check_head(bytes, size, head_in, RH_WIRE_IN);
  if (wrong != NULL) {
    return wrong;
  }
  unsigned flags = (unsigned)get_little_endian(bytes + 6, 2);
  if ((flags & ~(unsigned)(RH_WIRE_HAS_POSE | RH_WIRE_HAS_TWIST | RH_WIRE_HAS_WRENCH)) != 0 ||
      get_little_endian(bytes + 12, 4) != 0) {
    return "unknown flags";
  }
  rh_hand_in *hand = &in->hand;
  if (!get_doubles(bytes + 16, &hand->t, 1) || !get_doubles(bytes + 24, hand->pose, 7) ||
      !get_doubles(bytes + 80, hand->twist, 6) || !get_doubles(bytes + 128, hand->wrench, 6)) {
    return "a number is not finite or too large";
  }
  hand->has_pose = (flags & RH_WIRE_HAS_POSE) != 0;
  hand->has_wrench = (flags & RH_WIRE_HAS_WRENCH) != 0;
  if (hand->has_pose && !unit_quaternion(hand->pose + 3)) {
    return "the quaternion does not have unit length";
  }
  if ((flags & RH_WIRE_HAS_TWIST) == 0) {
    memset(hand->twist, 0, sizeof hand->twist);
  }
  hand->live = true;
  in->sequence = (uint32_t)get_little_endian(bytes + 8, 4);
  return NULL;
}

void rh_wire_write(const rh_wire_in *in, unsigned char bytes[RH_WIRE_IN])
{
  const rh_hand_in *hand = &in->hand;
  unsigned flags = (hand->has_pose ? RH_WIRE_HAS_POSE | RH_WIRE_HAS_TWIST : 0U) |
                   (hand->has_wrench ? (unsigned)RH_WIRE_HAS_WRENCH : 0U);
  memset(bytes, 0, RH_WIRE_IN);
  memcpy(bytes, head_in, 4);
  put_little_endian(bytes + 4, RH_WIRE_VERSION, 2);
  put_little_endian(bytes + 6, flags, 2);
  put_little_endian(bytes + 8, in->sequence, 4);
  put_doubles(bytes + 16, &hand->t, 1);
  put_doubles(bytes + 24, hand->pose, 7);
  put_doubles(bytes + 80, hand->twist, 6);
  put_doubles(bytes + 128, hand->wrench, 6);
}

// ---- To a device

void rh_wire_write_out(const rh_wire_out *out, unsigned char bytes[RH_WIRE_OUT])
{
  memset(bytes, 0, RH_WIRE_OUT);
  memcpy(bytes, head_out, 4);
  put_little_endian(bytes + 4, RH_WIRE_VERSION, 2);
  put_little_endian(bytes + 6, out->flags, 2);
  put_little_endian(bytes + 8, out->sequence, 4);
  put_little_endian(bytes + 12, out->answer, 4);
  put_doubles(bytes + 16, &out->t, 1);
  put_doubles(bytes + 24, out->wrench, 6);
  put_doubles(bytes + 72, &out->returned, 1);
  put_doubles(bytes + 80, &out->worst, 1);
  put_doubles(bytes + 88, &out->gain, 1);
}

const char *rh_wire_read_out(const unsigned char *bytes, size_t size, rh_wire_out *out)
{
  *out = (rh_wire_out){0};
  const char *wrong = check_head(bytes, size, head_out, RH_WIRE_OUT);
  if (wrong != NULL) {
    return wrong;
  }
  out->flags = (unsigned)get_little_endian(bytes + 6, 2);
  out->sequence = (uint32_t)get_little_endian(bytes + 8, 4);
  out->answer = (uint32_t)get_little_endian(bytes + 12, 4);
  bool good = get_doubles(bytes + 16, &out->t, 1) && get_doubles(bytes + 24, out->wrench, 6) &&
              get_doubles(bytes + 72, &out->returned, 1) &&
              get_doubles(bytes + 80, &out->worst, 1) && get_doubles(bytes + 88, &out->gain, 1);
  return good ? NULL : "a number is not finite or too large";
}

// ---- Graphics

size_t rh_wire_write_show(const rh_wire_show *show, unsigned char bytes[RH_WIRE_SHOW])
{
  int numbers = show->contacts ? 6 : 7;
  RH_ASSERT(show->count >= 0 && show->count <= RH_WIRE_SHOW_ENTRIES);
  memset(bytes, 0, RH_WIRE_SHOW_HEAD);
  memcpy(bytes, head_show, 4);
  put_little_endian(bytes + 4, RH_WIRE_VERSION, 2);
  put_little_endian(bytes + 6, show->contacts ? 1 : 0, 2);
  put_little_endian(bytes + 8, show->sequence, 4);
  put_little_endian(bytes + 12, (uint64_t)show->first, 4);
  put_little_endian(bytes + 16, (uint64_t)show->count, 4);
  put_little_endian(bytes + 20, (uint64_t)show->total, 4);
  put_doubles(bytes + 24, &show->t, 1);
  put_doubles(bytes + 32, &show->returned, 1);
  put_doubles(bytes + RH_WIRE_SHOW_HEAD, show->entry, numbers * show->count);
  return (size_t)RH_WIRE_SHOW_HEAD + (size_t)(numbers * show->count) * 8;
}
