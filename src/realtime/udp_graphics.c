// udp_graphics.c: graphics over UDP: a thread that takes the newest view 30 to 60 times a second
// and sends the poses of bodies and their contacts ([CSC] section VII). A lost datagram does no
// harm: the next picture is complete.
#include "datagram.h"
#include "live.h"
#include "net.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct rh_show {
  const rh_model *model;
  rh_data *data;
  double *pose; // (7 nbody)
  int file;
  rh_address to;
  double period; // [s]
  pthread_t thread;
  bool started;
  _Atomic bool stop;
  rh_swap view;
  uint32_t sequence;
  long sent;
};

static void send_entries(rh_show *s, rh_wire_show *part)
{
  const double *entry = part->entry;
  int total = part->total;
  for (int first = 0; first < total || first == 0; first += RH_WIRE_SHOW_ENTRIES) {
    unsigned char bytes[RH_WIRE_SHOW];
    part->first = first;
    part->count = total - first < RH_WIRE_SHOW_ENTRIES ? total - first : RH_WIRE_SHOW_ENTRIES;
    part->entry = entry + (ptrdiff_t)first * (part->contacts ? 6 : 7);
    size_t size = rh_wire_write_show(part, bytes);
    (void)sendto(s->file, bytes, size, 0, (const struct sockaddr *)&s->to.at, s->to.length);
  }
}

static void send_view(rh_show *s, const rh_view *view)
{
  const rh_model *m = s->model;
  memcpy(s->data->state, view->state, (size_t)m->layout.nstate * sizeof(double));
  rh_kinematics(s->data);
  for (int i = 0; i < m->nbody; i++) {
    const rh_kin_body *body = &s->data->kin[i];
    rh_quat q = rh_quat_of_matrix(&body->R);
    const double pose[7] = {body->p.x, body->p.y, body->p.z, q.w, q.x, q.y, q.z};
    memcpy(s->pose + (ptrdiff_t)i * 7, pose, sizeof pose);
  }
  rh_wire_show part = {.sequence = s->sequence++,
                       .total = m->nbody,
                       .t = view->t,
                       .returned = view->out.returned,
                       .entry = s->pose};
  send_entries(s, &part);
  part.contacts = true;
  part.total = view->ncontact;
  part.entry = view->contact[0];
  send_entries(s, &part);
  s->sent++;
}

static void *send_views_thread(void *user)
{
  rh_show *s = user;
  const struct timespec nap = {.tv_nsec = (long)(1e9 * s->period)};
  while (!atomic_load(&s->stop)) {
    (void)nanosleep(&nap, NULL);
    bool fresh;
    const rh_view *view = rh_swap_take(&s->view, &fresh);
    if (fresh) {
      send_view(s, view);
    }
  }
  return NULL;
}

static rh_status start_graphics(rh_show *s, const char *address, rh_diag *diag)
{
  char why[RH_WHY_MAX];
  if (!rh_address_read(address, RH_NONE, &s->to, why)) {
    rh_diag_add(diag, RH_ERROR, RH_NOWHERE, "--show-udp %s", why);
    return RH_WRONG_USAGE;
  }
  s->file = rh_socket_open(s->to.at.ss_family, NULL);
  if (s->file < 0) {
    rh_diag_add(diag, RH_ERROR, RH_NOWHERE, "graphics cannot be sent: %s", strerror(errno));
    return RH_OUTPUT_NOT_WRITTEN;
  }
  size_t bytes = sizeof(rh_view) + (size_t)s->model->layout.nstate * sizeof(double);
  s->data = rh_data_create(s->model);
  s->pose = rh_alloc((size_t)s->model->nbody * 7 * sizeof(double));
  if (s->data == NULL || s->pose == NULL || !rh_swap_open(&s->view, bytes)) {
    return RH_OUT_OF_MEMORY;
  }
  s->started = pthread_create(&s->thread, NULL, send_views_thread, s) == 0;
  return s->started ? RH_OK : RH_OVER_LIMIT;
}

rh_status rh_show_open(const rh_model *model, const char *address, double rate, rh_diag *diag,
                       rh_show **out)
{
  rh_show *s = rh_alloc(sizeof *s);
  *out = s;
  if (s == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  s->model = model;
  s->file = -1;
  s->period = 1 / rate;
  rh_status status = start_graphics(s, address, diag);
  if (status != RH_OK) {
    rh_show_close(s);
    *out = NULL;
  }
  return status;
}

rh_swap *rh_show_view(rh_show *s)
{
  return &s->view;
}

void rh_show_stop(rh_show *s)
{
  if (s != NULL && s->started) {
    atomic_store(&s->stop, true);
    (void)pthread_join(s->thread, NULL);
    s->started = false;
  }
}

long rh_show_sent(const rh_show *s)
{
  return s->sent;
}

void rh_show_close(rh_show *s)
{
  if (s == NULL) {
    return;
  }
  rh_show_stop(s);
  if (s->file >= 0) {
    (void)close(s->file);
  }
  rh_swap_close(&s->view);
  rh_data_destroy(s->data);
  rh_free(s->pose);
  rh_free(s);
}
