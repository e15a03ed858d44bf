// datagram.h: the datagrams of devices and of graphics. docs/haptic-loop.md has the tables of
// fields for the other end. All numbers are little-endian on every machine; doubles are IEEE 754. A
// datagram has one exact size.
#ifndef ROUTH_REALTIME_DATAGRAM_H
#define ROUTH_REALTIME_DATAGRAM_H

#include "haptic/haptic.h"

#include <routh/base.h>

enum {
  RH_WIRE_VERSION = 1,
  RH_WIRE_IN = 176,       // [bytes] from a device
  RH_WIRE_OUT = 112,      // [bytes] to a device
  RH_WIRE_SHOW_HEAD = 48, // [bytes] of graphics, then the entries
  RH_WIRE_BODY = 56,      // [bytes] pose of a body
  RH_WIRE_CONTACT = 48,   // [bytes] point and force of a contact
  RH_WIRE_SHOW_ENTRIES = 20, // maximum entries of a datagram: it must fit into one packet
  RH_WIRE_SHOW = RH_WIRE_SHOW_HEAD + RH_WIRE_SHOW_ENTRIES * RH_WIRE_BODY,
};

enum { RH_WIRE_HAS_POSE = 1, RH_WIRE_HAS_TWIST = 2, RH_WIRE_HAS_WRENCH = 4 }; // flags of a datagram from a device
enum { RH_WIRE_STATE = 3, RH_WIRE_DECAYED = 4, RH_WIRE_STALE = 8 };          // flags of one to a device

typedef struct rh_wire_in {
  uint32_t sequence;
  rh_hand_in hand;
} rh_wire_in;

typedef struct rh_wire_out {
  uint32_t sequence, answer; // its own; that of the newest datagram from the device
  unsigned flags;            // RH_WIRE_*
  double t;                  // [s] simulated
  double wrench[6];          // [N, N m] to be rendered
  double returned;           // [J] returned to the hand so far
  double worst;              // [s] longest tick so far
  double gain;               // on the wrench, applied already
} rh_wire_out;

typedef struct rh_wire_show { // one datagram of graphics
  uint32_t sequence;          // one for all datagrams of a picture
  bool contacts;              // entries are contacts, not bodies
  int first, count, total;    // entries in this datagram; of the whole picture
  double t;                   // [s]
  double returned;            // [J]
  const double *entry;        // 7 per body: x y z qw qx qy qz; 6 per contact: point, force
} rh_wire_show;

// NULL: valid. Else the error of the datagram; `in` is undefined then.
const char *rh_wire_read(const unsigned char *bytes, size_t size, rh_wire_in *in);
void rh_wire_write(const rh_wire_in *in, unsigned char bytes[RH_WIRE_IN]); // the other end of it: tests, other programs
void rh_wire_write_out(const rh_wire_out *out, unsigned char bytes[RH_WIRE_OUT]);
const char *rh_wire_read_out(const unsigned char *bytes, size_t size, rh_wire_out *out);
size_t rh_wire_write_show(const rh_wire_show *show, unsigned char bytes[RH_WIRE_SHOW]); // bytes of it
// Is `sequence` newer than `last`? They wrap around.
bool rh_wire_newer(uint32_t sequence, uint32_t last);

#endif
