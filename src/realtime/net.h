// net.h: numeric addresses and UDP sockets.
#ifndef ROUTH_LIVE_NET_H
#define ROUTH_LIVE_NET_H

#include <routh/base.h>

#include <sys/socket.h>

typedef struct rh_address {
  struct sockaddr_storage at;
  socklen_t length;
} rh_address;

// "127.0.0.1:7000", "[::1]:7000", "10.0.0.2" (then with `port`, if that is not RH_NONE). False, and `why` says so. No name is looked up.
bool rh_address_read(const char *text, int port, rh_address *address, char why[RH_WHY_MAX]);
bool rh_address_same(const rh_address *a, const rh_address *b);
void rh_address_say(const rh_address *address, char *text, size_t size); // "127.0.0.1:7000"
// A UDP socket that never blocks; bound to `local` if that is not NULL, which gets the port that it was given. -1: errno says why
int rh_socket_open(int family, rh_address *local);

#endif
