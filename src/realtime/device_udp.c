// device_udp.c: hardware, or another program, over UDP. A separate thread reads the socket, checks
// each datagram (datagram.c) and puts the newest into a swap for the loop; each valid one is
// answered at once with the last command of the loop. So the peer sets the pace of the exchange,
// and the loop never waits.
//
// One peer at a time: the first with a valid datagram, until it is silent for the timeout.
// Datagrams older than the last one (by sequence number) are dropped. All dropped ones are counted.
#include "datagram.h"
#include "live.h"
#include "net.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PORT = 7401, WAIT_MS = 20, BUFFER = 512 };

typedef struct heard {
  rh_wire_in in;
  int64_t at; // [ns] when
} heard;

enum { TAKEN, WRONG, OLD, FOREIGN, SENT, COUNTS };

static const char *const count_name[COUNTS] = {"received", "malformed", "out_of_order",
                                               "other_peers", "sent"};

typedef struct udp {
  int file;
  rh_address local;
  pthread_t thread;
  bool started;
  _Atomic bool stop;
  rh_swap in;      // heard
  rh_swap out;     // rh_device_out
  int64_t timeout; // [ns]
  // Of the thread
  rh_address peer;
  int64_t last_at; // 0: no peer
  uint32_t last, sequence;
  long count[COUNTS];
} udp;

// ---- The thread

static void send_answer(udp *u, const rh_address *to)
{
  bool fresh;
  const rh_device_out *now = rh_swap_take(&u->out, &fresh);
  rh_wire_out out = {.sequence = u->sequence++, .answer = u->last};
  if (now != NULL) {
    out.flags = ((unsigned)now->state & RH_WIRE_STATE) | (now->gain < 1 ? RH_WIRE_DECAYED : 0U);
    out.t = now->t;
    out.returned = now->returned;
    out.worst = now->worst;
    out.gain = now->gain;
    memcpy(out.wrench, now->wrench, sizeof out.wrench);
  }
  unsigned char bytes[RH_WIRE_OUT];
  rh_wire_write_out(&out, bytes);
  ssize_t done =
      sendto(u->file, bytes, sizeof bytes, 0, (const struct sockaddr *)&to->at, to->length);
  u->count[SENT] += done == (ssize_t)sizeof bytes;
}

static void take_datagram(udp *u, const unsigned char *bytes, size_t size, const rh_address *from)
{
  heard *h = rh_swap_room(&u->in);
  rh_clock clock = rh_clock_real();
  int64_t now = clock.now(NULL);
  bool alone = u->last_at == 0 || now - u->last_at > u->timeout; // no peer
  if (rh_wire_read(bytes, size, &h->in) != NULL) {
    u->count[WRONG]++;
    return;
  }
  if (!alone && !rh_address_same(from, &u->peer)) {
    u->count[FOREIGN]++;
    return;
  }
  if (!alone && !rh_wire_newer(h->in.sequence, u->last)) {
    u->count[OLD]++;
    return;
  }
  u->peer = *from;
  u->last = h->in.sequence;
  u->last_at = h->at = now;
  u->count[TAKEN]++;
  rh_swap_push(&u->in);
  send_answer(u, from);
}

static void *exchange_datagrams(void *user)
{
  udp *u = user;
  while (!atomic_load(&u->stop)) {
    struct pollfd wait = {.fd = u->file, .events = POLLIN};
    (void)poll(&wait, 1, WAIT_MS);
    unsigned char bytes[BUFFER];
    rh_address from = {.length = sizeof from.at};
    ssize_t size;
    while ((size = recvfrom(u->file, bytes, sizeof bytes, 0, (struct sockaddr *)&from.at,
                            &from.length)) >= 0) {
      take_datagram(u, bytes, (size_t)size, &from);
      from = (rh_address){.length = sizeof from.at};
    }
  }
  return NULL;
}

// ---- In the loop's thread

static bool read_hand(void *self, int64_t now, rh_hand_in *in, bool *lost)
{
  udp *u = self;
  bool fresh;
  const heard *h = rh_swap_take(&u->in, &fresh);
  double t = in->t;
  *lost = h == NULL || now - h->at > u->timeout;
  *in = *lost ? (rh_hand_in){.live = true, .has_wrench = true} : h->in.hand; // gone: zero wrench
  in->t = t;
  return true;
}

static void write_out(void *self, const rh_device_out *out)
{
  udp *u = self;
  *(rh_device_out *)rh_swap_room(&u->out) = *out;
  rh_swap_push(&u->out);
}

// ---- Open and close

// From here on the caller owns the counters.
static void stop_udp_thread(void *self)
{
  udp *u = self;
  if (u->started) {
    atomic_store(&u->stop, true);
    (void)pthread_join(u->thread, NULL);
    u->started = false;
  }
}

static void close_udp(void *self)
{
  udp *u = self;
  if (u == NULL) {
    return;
  }
  stop_udp_thread(u);
  if (u->file >= 0) {
    (void)close(u->file);
  }
  rh_swap_close(&u->in);
  rh_swap_close(&u->out);
  rh_free(u);
}

static rh_status start_udp(udp *u, const rh_device_setup *setup, rh_diag *diag)
{
  char why[RH_WHY_MAX];
  if (!rh_address_read(setup->listen != NULL ? setup->listen : "127.0.0.1", PORT, &u->local, why)) {
    rh_diag_add(diag, RH_ERROR, RH_NOWHERE, "--listen %s", why);
    return RH_WRONG_USAGE;
  }
  u->file = rh_socket_open(u->local.at.ss_family, &u->local);
  if (u->file < 0) {
    rh_address_say(&u->local, why, sizeof why);
    rh_diag_add(diag, RH_ERROR, RH_NOWHERE, "cannot listen on %s: %s", why, strerror(errno));
    return RH_OUTPUT_NOT_WRITTEN;
  }
  if (!rh_swap_open(&u->in, sizeof(heard)) || !rh_swap_open(&u->out, sizeof(rh_device_out))) {
    return RH_OUT_OF_MEMORY;
  }
  u->started = pthread_create(&u->thread, NULL, exchange_datagrams, u) == 0;
  return u->started ? RH_OK : RH_OVER_LIMIT;
}

static rh_status open_udp(const rh_device_setup *setup, rh_diag *diag, void **self)
{
  udp *u = rh_alloc(sizeof *u);
  *self = u;
  if (u == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  u->file = -1;
  u->timeout = (int64_t)(1e9 * setup->timeout);
  rh_status status = start_udp(u, setup, diag);
  if (status != RH_OK) {
    close_udp(u);
    *self = NULL;
  }
  return status;
}

static void print_udp_address(const void *self, char *text, size_t size)
{
  const udp *u = self;
  char at[80];
  rh_address_say(&u->local, at, sizeof at);
  (void)snprintf(text, size, "device: datagrams on udp %s", at);
}

static bool get_udp_count(const void *self, int index, const char **name, long *value)
{
  const udp *u = self;
  if (index >= COUNTS) {
    return false;
  }
  *name = count_name[index];
  *value = u->count[index];
  return true;
}

const rh_device rh_device_udp = {
    .row = {.name = "udp",
            .cite = "",
            .doc = "hardware or another program: datagrams on UDP (--listen ADDRESS[:PORT])"},
    .open = open_udp,
    .close = close_udp,
    .read = read_hand,
    .write = write_out,
    .say = print_udp_address,
    .quiet = stop_udp_thread,
    .count = get_udp_count,
};
