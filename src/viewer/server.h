// server.h: a small server for pages and WebSocket messages (libwebsockets), for users of this
// machine: it listens on loopback by default. Its address holds a random token: without it neither
// page nor socket is served, and a socket from a page of another origin is refused as well. A
// message that is too long or that the owner rejects closes that client only. All runs in one
// thread, the owner's.
#ifndef ROUTH_VIEWER_SERVER_H
#define ROUTH_VIEWER_SERVER_H

#include <routh/base.h>

typedef struct rh_serve rh_serve;

typedef struct rh_serve_page {
  const char *path; // "/"
  const char *type; // "text/html; charset=utf-8"
  const char *text;
  size_t bytes;
} rh_serve_page;

typedef struct rh_serve_setup {
  const char *address; // numeric, of the interface to listen on; NULL: 127.0.0.1
  int port;            // 0: any that is free
  const rh_serve_page *page; // must stay as long as the server
  int npage;
  size_t message_max;  // [bytes] maximum message of a client
  int clients_max;
  void *user;
  // False: that client is closed; NULL: no messages allowed
  bool (*message)(void *user, const char *text, size_t bytes);
  // Content at a path that is no page, made on request (rh_free). False: none. NULL: pages only.
  bool (*get)(void *user, const char *path, const char **type, char **body, size_t *bytes);
} rh_serve_setup;

typedef struct rh_serve_stats {
  int clients;           // now
  long messages;         // received
  long refused, closed;  // without token or of another origin; clients closed for a bad message
  long sent;             // messages to all
} rh_serve_stats;

rh_status rh_serve_open(const rh_serve_setup *setup, rh_diag *diag, rh_serve **serve) RH_CHECK_RESULT;
const char *rh_serve_address(const rh_serve *serve); // "http://127.0.0.1:40123/?token=..."
void rh_serve_wait(rh_serve *serve, double seconds); // serves requests for this time
// A text to all clients, from the next rh_serve_wait on. A slow client gets only the newest. False:
// out of memory.
bool rh_serve_send(rh_serve *serve, const char *text, size_t bytes);
rh_serve_stats rh_serve_statistics(const rh_serve *serve);
void rh_serve_close(rh_serve *serve); // NULL is allowed

#endif
