// server.c: the server of server.h. libwebsockets calls back from within rh_serve_wait; its timer
// ends the wait. Not supported: TLS (local use only), compression, anything but text.
#include "server.h"

#include <libwebsockets.h>
#include <string.h>

enum { TOKEN = 32, ADDRESS = 160, OUT_LEAST = 4096, CHUNK = 65536, PIECE = 32768 };

// Headers of every answer, libwebsockets' own refusals included: pages load nothing from elsewhere,
// are not shown inside other pages, do not pass on their address (it holds the token), and are
// neither sniffed nor cached.
#define HEADERS(X)                                                                                 \
  X("content-security-policy:",                                                                    \
    "default-src 'self'; script-src 'unsafe-inline'; img-src 'self' data:; "                       \
    "style-src 'unsafe-inline'; connect-src 'self' ws:; base-uri 'none'; form-action 'none'; "     \
    "frame-ancestors 'none'")                                                                      \
  X("referrer-policy:", "no-referrer")                                                             \
  X("x-content-type-options:", "nosniff")                                                          \
  X("x-frame-options:", "DENY")                                                                    \
  X("cross-origin-resource-policy:", "same-origin")                                                \
  X("cache-control:", "no-store")

#define ONE(name, value) +1
#define ROW(name, value) {NULL, NULL, name, value},

enum { HEADER_COUNT = 0 HEADERS(ONE) };

typedef struct client { // one per connection, owned by libwebsockets
  long seen;            // number of the last message sent to it
  bool joined;
  const char *from; // data to be written, NULL: none
  size_t left;      // [bytes]
  char *body;       // the same, if made for this client
} client;

struct rh_serve {
  rh_serve_setup setup;
  struct lws_context *context;
  struct lws_protocols protocol[2];
  struct lws_protocol_vhost_options header[HEADER_COUNT];
  lws_sorted_usec_list_t timer;
  bool rang;
  char token[TOKEN + 1];
  char address[ADDRESS];
  int port;
  unsigned char *out; // LWS_PRE bytes, then the newest message
  size_t out_bytes, out_room;
  long out_number; // 0: none yet
  rh_serve_stats stats;
};

// ---- Access

static bool has_token(const rh_serve *s, struct lws *wsi)
{
  char given[TOKEN + 16];
  const char *value = lws_get_urlarg_by_name(wsi, "token=", given, (int)sizeof given);
  if (value == NULL || strlen(value) != TOKEN) {
    return false;
  }
  unsigned differ = 0; // all of it is compared, however early it differs
  for (int i = 0; i < TOKEN; i++) {
    differ |= (unsigned)(value[i] ^ s->token[i]);
  }
  return differ == 0;
}

// Our pages have the origin http://HOST:PORT with the host that the browser requested.
static bool own_origin(const rh_serve *s, struct lws *wsi)
{
  char origin[128];
  char want[128];
  if (lws_hdr_copy(wsi, origin, (int)sizeof origin, WSI_TOKEN_ORIGIN) <= 0) {
    return false;
  }
  const char *host[] = {s->setup.address, "localhost"};
  for (int i = 0; i < RH_COUNT(host); i++) {
    (void)snprintf(want, sizeof want, "http://%s:%d", host[i], s->port);
    if (strcmp(origin, want) == 0) {
      return true;
    }
  }
  return false;
}

// ---- Pages

static const rh_serve_page *find_page(const rh_serve *s, const char *path)
{
  for (int i = 0; i < s->setup.npage; i++) {
    if (strcmp(s->setup.page[i].path, path) == 0) {
      return &s->setup.page[i];
    }
  }
  return NULL;
}

// Finds the requested page, or content made on request.
static bool find_body(rh_serve *s, client *c, const char *path, const char **type)
{
  const rh_serve_page *page = find_page(s, path);
  if (page != NULL) {
    *type = page->type;
    c->from = page->text;
    c->left = page->bytes;
    return true;
  }
  if (s->setup.get == NULL || !s->setup.get(s->setup.user, path, type, &c->body, &c->left)) {
    return false;
  }
  c->from = c->body;
  return true;
}

static void drop_body(client *c)
{
  rh_free(c->body);
  c->body = NULL;
  c->from = NULL;
  c->left = 0;
}

static int begin_page(rh_serve *s, struct lws *wsi, client *c, const char *path)
{
  const char *type = NULL;
  bool allowed = has_token(s, wsi);
  drop_body(c);
  if (!allowed || !find_body(s, c, path, &type)) {
    s->stats.refused += !allowed;
    unsigned code = allowed ? HTTP_STATUS_NOT_FOUND : HTTP_STATUS_FORBIDDEN;
    return lws_return_http_status(wsi, code, NULL) != 0 || lws_http_transaction_completed(wsi) != 0
               ? -1
               : 0;
  }
  unsigned char head[LWS_PRE + 1024];
  unsigned char *start = head + LWS_PRE;
  unsigned char *at = start;
  unsigned char *end = head + sizeof head - 1;
  if (lws_add_http_common_headers(wsi, HTTP_STATUS_OK, type, c->left, &at, end) != 0 ||
      lws_finalize_write_http_header(wsi, start, &at, end) != 0) {
    return -1;
  }
  (void)lws_callback_on_writable(wsi);
  return 0;
}

// As much as can be sent at once; the rest later.
static int write_page(struct lws *wsi, client *c)
{
  unsigned char piece[LWS_PRE + PIECE];
  if (c == NULL || c->from == NULL) {
    return 0;
  }
  size_t bytes = c->left < PIECE ? c->left : PIECE;
  bool last = bytes == c->left;
  memcpy(piece + LWS_PRE, c->from, bytes);
  int written =
      lws_write(wsi, piece + LWS_PRE, bytes, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP);
  c->from += bytes;
  c->left -= bytes;
  if (written < 0) {
    return -1;
  }
  if (last) {
    drop_body(c);
    return lws_http_transaction_completed(wsi) != 0 ? -1 : 0;
  }
  (void)lws_callback_on_writable(wsi);
  return 0;
}

// ---- Messages

static int take_message(rh_serve *s, struct lws *wsi, const char *text, size_t bytes)
{
  bool whole = lws_is_first_fragment(wsi) && lws_is_final_fragment(wsi) &&
               lws_remaining_packet_payload(wsi) == 0;
  bool good = whole && bytes <= s->setup.message_max && !lws_frame_is_binary(wsi) &&
              s->setup.message != NULL && s->setup.message(s->setup.user, text, bytes);
  s->stats.messages += good;
  s->stats.closed += !good;
  return good ? 0 : -1;
}

static int write_message(rh_serve *s, struct lws *wsi, client *c)
{
  if (c->seen == s->out_number) {
    return 0;
  }
  c->seen = s->out_number;
  int written = lws_write(wsi, s->out + LWS_PRE, s->out_bytes, LWS_WRITE_TEXT);
  return written < (int)s->out_bytes ? -1 : 0;
}

static int join_client(rh_serve *s, client *c)
{
  if (s->stats.clients >= s->setup.clients_max) {
    s->stats.refused++;
    return -1;
  }
  c->joined = true;
  s->stats.clients++;
  return 0;
}

static int call_back(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                     size_t bytes)
{
  struct lws_context *context = lws_get_context(wsi);
  rh_serve *s = context != NULL ? lws_context_user(context) : NULL;
  client *c = user;
  if (s == NULL) {
    return 0;
  }
  switch (reason) {
  case LWS_CALLBACK_HTTP:
    return begin_page(s, wsi, c, in);
  case LWS_CALLBACK_HTTP_WRITEABLE:
    return write_page(wsi, c);
  case LWS_CALLBACK_CLOSED_HTTP:
    if (c != NULL) {
      drop_body(c);
    }
    return 0;
  case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
    if (!has_token(s, wsi) || !own_origin(s, wsi)) {
      s->stats.refused++;
      return -1;
    }
    return 0;
  case LWS_CALLBACK_ESTABLISHED:
    return join_client(s, c);
  case LWS_CALLBACK_CLOSED:
    s->stats.clients -= c->joined;
    return 0;
  case LWS_CALLBACK_RECEIVE:
    return take_message(s, wsi, in, bytes);
  case LWS_CALLBACK_SERVER_WRITEABLE:
    return write_message(s, wsi, c);
  default:
    return 0;
  }
}

// ---- Open

static void link_headers(struct lws_protocol_vhost_options header[HEADER_COUNT])
{
  static const struct lws_protocol_vhost_options row[] = {HEADERS(ROW)};
  for (int i = 0; i < HEADER_COUNT; i++) {
    header[i] = row[i];
    header[i].next = i + 1 < HEADER_COUNT ? &header[i + 1] : NULL;
  }
}

static bool make_token(char token[TOKEN + 1])
{
  unsigned char bytes[TOKEN / 2];
  FILE *file = fopen("/dev/urandom", "rb");
  bool done = file != NULL && fread(bytes, 1, sizeof bytes, file) == sizeof bytes;
  if (file != NULL) {
    (void)fclose(file);
  }
  for (int i = 0; done && i < TOKEN / 2; i++) {
    (void)snprintf(token + 2 * i, 3, "%02x", bytes[i]);
  }
  return done;
}

static rh_status refuse_to_serve(rh_diag *diag, const rh_serve *s, const char *why)
{
  rh_diag_add(diag, RH_ERROR, RH_NOWHERE, "cannot serve pages on %s port %d: %s", s->setup.address,
              s->setup.port, why);
  return RH_OUTPUT_NOT_WRITTEN;
}

static rh_status start_server(rh_serve *s, rh_diag *diag)
{
  s->protocol[0] = (struct lws_protocols){.name = "routh",
                                          .callback = call_back,
                                          .per_session_data_size = sizeof(client),
                                          .rx_buffer_size = CHUNK,
                                          .tx_packet_size = CHUNK};
  struct lws_context_creation_info info = {.port = s->setup.port,
                                           .iface = s->setup.address,
                                           .protocols = s->protocol,
                                           .headers = s->header,
                                           .user = s,
                                           .gid = (gid_t)-1,
                                           .uid = (uid_t)-1,
                                           .options = LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND |
                                                      LWS_SERVER_OPTION_DISABLE_IPV6 |
                                                      LWS_SERVER_OPTION_VALIDATE_UTF8,
                                           .vhost_name = "routh"};
  lws_set_log_level(0, NULL);
  link_headers(s->header);
  if (!make_token(s->token)) {
    return refuse_to_serve(diag, s, "random numbers are not available");
  }
  s->context = lws_create_context(&info);
  struct lws_vhost *host =
      s->context != NULL ? lws_get_vhost_by_name(s->context, info.vhost_name) : NULL;
  if (host == NULL) {
    return refuse_to_serve(diag, s, "it is in use, or not permitted");
  }
  s->port = lws_get_vhost_listen_port(host);
  (void)snprintf(s->address, sizeof s->address, "http://%s:%d/?token=%s", s->setup.address, s->port,
                 s->token);
  return RH_OK;
}

rh_status rh_serve_open(const rh_serve_setup *setup, rh_diag *diag, rh_serve **serve)
{
  rh_serve *s = rh_alloc(sizeof *s);
  *serve = s;
  if (s == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  s->setup = *setup;
  s->setup.address = setup->address != NULL ? setup->address : "127.0.0.1";
  rh_status status = start_server(s, diag);
  if (status != RH_OK) {
    rh_serve_close(s);
    *serve = NULL;
  }
  return status;
}

const char *rh_serve_address(const rh_serve *serve)
{
  return serve->address;
}

// ---- Run

static void ring_timer(lws_sorted_usec_list_t *timer)
{
  rh_serve *s = lws_container_of(timer, rh_serve, timer);
  s->rang = true;
  lws_cancel_service(s->context); // otherwise it may wait for one more event before it returns
}

void rh_serve_wait(rh_serve *s, double seconds)
{
  s->rang = false;
  lws_sul_schedule(s->context, 0, &s->timer, ring_timer, (lws_usec_t)(1e6 * seconds) + 1);
  while (!s->rang && lws_service(s->context, 0) >= 0) {
    // until the timer rings
  }
}

bool rh_serve_send(rh_serve *s, const char *text, size_t bytes)
{
  if (bytes > s->out_room) {
    size_t room = bytes > OUT_LEAST ? 2 * bytes : OUT_LEAST;
    unsigned char *larger = rh_realloc(s->out, LWS_PRE + room);
    if (larger == NULL) {
      return false;
    }
    s->out = larger;
    s->out_room = room;
  }
  memcpy(s->out + LWS_PRE, text, bytes);
  s->out_bytes = bytes;
  s->out_number++;
  s->stats.sent++;
  (void)lws_callback_on_writable_all_protocol(s->context, &s->protocol[0]);
  return true;
}

rh_serve_stats rh_serve_statistics(const rh_serve *s)
{
  return s->stats;
}

void rh_serve_close(rh_serve *s)
{
  if (s != NULL) {
    if (s->context != NULL) {
      lws_context_destroy(s->context);
    }
    rh_free(s->out);
    rh_free(s);
  }
}
