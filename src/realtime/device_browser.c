// device_browser.c: the mouse in a browser. A separate thread serves one page on loopback and
// receives the mouse position; while its button is down, a hand with spring and damper pulls the
// device to it, in the plane of the page: F = k (mouse - device) - b v, constants of
// haptic.hand_spring. The page gets a picture 30 times a second.
#include "live.h"
#include "page.h"
#include "page_outline.h"
#include "viewer/server.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PERIOD 0.033 // [s] of the pictures

enum { MESSAGE_MAX = 120, CLIENTS_MAX = 4, COUNTS = 4 };

typedef struct mouse {
  int64_t at;  // [ns] when
  double x, y; // [m]
  bool held;
} mouse;

typedef struct browser {
  rh_serve *serve;
  rh_serve_page page;
  rh_sketch *sketch;
  rh_text text;
  char host[64];
  pthread_t thread;
  bool started;
  _Atomic bool stop;
  rh_swap in;      // mouse
  rh_swap view;    // rh_view
  int64_t timeout; // [ns]
  double k, b;
} browser;

// ---- The thread

// "x y held", two numbers and 0 or 1, and nothing else.
static bool read_mouse(const char *text, size_t bytes, mouse *m)
{
  char copy[MESSAGE_MAX + 1];
  if (bytes > MESSAGE_MAX || memchr(text, '\0', bytes) != NULL) {
    return false;
  }
  memcpy(copy, text, bytes);
  copy[bytes] = '\0';
  double number[3];
  const char *at = copy;
  for (int i = 0; i < 3; i++) {
    size_t length = rh_number_read(at, &number[i]);
    if (length == 0 || !(fabs(number[i]) <= 1e6) || at[length] != (i < 2 ? ' ' : '\0')) {
      return false;
    }
    at += length + 1;
  }
  m->x = number[0];
  m->y = number[1];
  m->held = number[2] == 1;
  return number[2] == 0 || number[2] == 1;
}

static bool on_message(void *user, const char *text, size_t bytes)
{
  browser *b = user;
  mouse *m = rh_swap_room(&b->in);
  if (!read_mouse(text, bytes, m)) {
    return false;
  }
  rh_clock clock = rh_clock_real();
  m->at = clock.now(NULL);
  rh_swap_push(&b->in);
  return true;
}

static void *serve_page(void *user)
{
  browser *b = user;
  while (!atomic_load(&b->stop)) {
    rh_serve_wait(b->serve, PERIOD);
    bool fresh;
    const rh_view *view = rh_swap_take(&b->view, &fresh);
    if (fresh && rh_serve_statistics(b->serve).clients > 0) {
      rh_sketch_draw(b->sketch, view, &b->text);
      (void)(!b->text.failed && rh_serve_send(b->serve, b->text.data, b->text.size));
    }
  }
  return NULL;
}

// ---- In the loop's thread

static bool read_hand(void *self, int64_t now, rh_hand_in *in, bool *lost)
{
  browser *b = self;
  bool fresh;
  const mouse *m = rh_swap_take(&b->in, &fresh);
  *lost = m == NULL || now - m->at > b->timeout;
  in->live = true;
  in->has_pose = false;
  in->has_wrench = true;
  memset(in->wrench, 0, sizeof in->wrench);
  if (!*lost && m->held) {
    in->wrench[0] = b->k * (m->x - in->pose[0]) - b->b * in->twist[0];
    in->wrench[1] = b->k * (m->y - in->pose[1]) - b->b * in->twist[1];
    in->wrench[2] = -b->b * in->twist[2];
  }
  return true;
}

static rh_swap *browser_view(void *self)
{
  return &((browser *)self)->view;
}

// ---- Open and close

static void stop_browser_thread(void *self)
{
  browser *b = self;
  if (b->started) {
    atomic_store(&b->stop, true);
    (void)pthread_join(b->thread, NULL);
    b->started = false;
  }
}

static void close_browser(void *self)
{
  browser *b = self;
  if (b != NULL) {
    stop_browser_thread(b);
    rh_serve_close(b->serve);
    rh_sketch_close(b->sketch);
    rh_text_free(&b->text);
    rh_swap_close(&b->in);
    rh_swap_close(&b->view);
    rh_free(b);
  }
}

// ADDRESS[:PORT], IPv4 as the server has it.
static rh_status read_listen(browser *b, const char *listen, int *port, rh_diag *diag)
{
  const char *colon = strchr(listen, ':');
  size_t length = colon != NULL ? (size_t)(colon - listen) : strlen(listen);
  char *end = NULL;
  long value =
      colon != NULL && colon[1] >= '0' && colon[1] <= '9' ? strtol(colon + 1, &end, 10) : -1;
  if (length == 0 || length >= sizeof b->host ||
      (colon != NULL && (value < 0 || value > 65535 || *end != '\0'))) {
    rh_diag_add(diag, RH_ERROR, RH_NOWHERE,
                "--listen needs ADDRESS[:PORT], such as 127.0.0.1:8080, got '%s'", listen);
    return RH_WRONG_USAGE;
  }
  memcpy(b->host, listen, length);
  *port = colon != NULL ? (int)value : 0;
  return RH_OK;
}

static rh_status start_browser(browser *b, const rh_device_setup *setup, rh_diag *diag)
{
  int port = 0;
  RH_TRY(read_listen(b, setup->listen != NULL ? setup->listen : "127.0.0.1", &port, diag));
  size_t bytes = sizeof(rh_view) + (size_t)setup->model->layout.nstate * sizeof(double);
  b->sketch = rh_sketch_open(setup->model, setup->rate);
  if (b->sketch == NULL || !rh_swap_open(&b->in, sizeof(mouse)) || !rh_swap_open(&b->view, bytes)) {
    return RH_OUT_OF_MEMORY;
  }
  b->page = (rh_serve_page){"/", "text/html; charset=utf-8", rh_live_page, rh_live_page_size};
  rh_serve_setup how = {.address = b->host,
                        .port = port,
                        .page = &b->page,
                        .npage = 1,
                        .message_max = MESSAGE_MAX,
                        .clients_max = CLIENTS_MAX,
                        .user = b,
                        .message = on_message};
  RH_TRY(rh_serve_open(&how, diag, &b->serve));
  b->started = pthread_create(&b->thread, NULL, serve_page, b) == 0;
  return b->started ? RH_OK : RH_OVER_LIMIT;
}

static rh_status open_browser(const rh_device_setup *setup, rh_diag *diag, void **self)
{
  browser *b = rh_alloc(sizeof *b);
  *self = b;
  if (b == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  const double *spring = setup->model->haptic.hand_spring;
  b->k = spring[0] > 0 ? spring[0] : RH_HAND_K;
  b->b = spring[0] > 0 ? spring[1] : RH_HAND_B;
  b->timeout = (int64_t)(1e9 * setup->timeout);
  rh_status status = start_browser(b, setup, diag);
  if (status != RH_OK) {
    close_browser(b);
    *self = NULL;
  }
  return status;
}

static void print_browser_address(const void *self, char *text, size_t size)
{
  const browser *b = self;
  (void)snprintf(text, size, "open in a browser: %s", rh_serve_address(b->serve));
}

static bool get_browser_count(const void *self, int index, const char **name, long *value)
{
  const browser *b = self;
  static const char *const names[COUNTS] = {"received", "refused", "closed", "sent"};
  rh_serve_stats s = rh_serve_statistics(b->serve);
  const long values[COUNTS] = {s.messages, s.refused, s.closed, s.sent};
  if (index >= COUNTS) {
    return false;
  }
  *name = names[index];
  *value = values[index];
  return true;
}

const rh_device rh_device_browser = {
    .row = {.name = "browser",
            .cite = "",
            .doc = "the mouse, on a page that shows the scene along z; its address is printed"},
    .open = open_browser,
    .close = close_browser,
    .read = read_hand,
    .view = browser_view,
    .say = print_browser_address,
    .quiet = stop_browser_thread,
    .count = get_browser_count,
};
