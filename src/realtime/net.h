// net.h: numeric addresses and UDP sockets.
#ifndef ROUTH_REALTIME_NET_H
#define ROUTH_REALTIME_NET_H

#include <routh/base.h>

#include <sys/socket.h>

typedef struct rh_address {
  struct sockaddr_storage at;
  socklen_t length;
} rh_address;

// "127.0.0.1:7000", "[::1]:7000", "10.0.0.2" (then with `port`, unless RH_NONE). False: see `why`.
// No name is resolved.
bool rh_address_read(const char *text, int port, rh_address *address, char why[RH_WHY_MAX]);
bool rh_address_same(const rh_address *a, const rh_address *b);
void rh_address_say(const rh_address *address, char *text, size_t size); // "127.0.0.1:7000"
// A non-blocking UDP socket; bound to `local` unless NULL, which gets its port. -1: see errno
int rh_socket_open(int family, rh_address *local);

#endif
