// recorder_thread.c: the thread between the loop and the disk. The loop copies a state or an event
// into the ring; here they are taken out, hashed and recorded at the speed of the disk. The
// recorder sees the keeper's own world, which gets the states. A frame lost for lack of capacity is
// missing from the recording: the frames are then numbered without a gap, their times have one, and
// the summary reports it.
#include "live.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#define RING_BYTES (32u << 20) // capacity of this size, at least RING_LEAST records

enum { RING_LEAST = 64, RING_MOST = 1 << 15 };

typedef struct record {
  bool is_event;
  double data[]; // an rh_event, or nstate doubles
} record;

struct rh_keeper {
  const rh_model *model;
  rh_recorder *recorder;
  rh_sim *sim; // the recorder's world
  rh_ring ring;
  pthread_t thread;
  bool started;
  _Atomic bool done;   // the loop has ended
  _Atomic bool failed; // the recorder has refused
  _Atomic long lost;
  rh_keeper_counts kept;
};

rh_status rh_keeper_open(const rh_model *model, rh_recorder *recorder, rh_diag *diag,
                         rh_keeper **keeper)
{
  rh_keeper *k = rh_alloc(sizeof *k);
  *keeper = k;
  if (k == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  k->model = model;
  k->recorder = recorder;
  size_t bytes = (size_t)model->layout.nstate * sizeof(double);
  bytes = sizeof(record) + (bytes > sizeof(rh_event) ? bytes : sizeof(rh_event));
  size_t count = RING_BYTES / bytes;
  count = count < RING_LEAST ? RING_LEAST : count > RING_MOST ? RING_MOST : count;
  rh_status status = rh_ring_open(&k->ring, bytes, count) ? RH_OK : RH_OUT_OF_MEMORY;
  if (status == RH_OK) {
    status = rh_sim_create(model, diag, &k->sim);
  }
  if (status != RH_OK) {
    rh_keeper_close(k);
    *keeper = NULL;
  }
  return status;
}

// ---- In the loop's thread

static record *reserve_record(rh_keeper *k)
{
  record *r = rh_ring_room(&k->ring);
  if (r == NULL) {
    atomic_fetch_add_explicit(&k->lost, 1, memory_order_relaxed);
  }
  return r;
}

void rh_keeper_frame(rh_keeper *k, const double *state)
{
  record *r = reserve_record(k);
  if (r != NULL) {
    r->is_event = false;
    memcpy(r->data, state, (size_t)k->model->layout.nstate * sizeof *state);
    rh_ring_push(&k->ring);
  }
}

void rh_keeper_event(rh_keeper *k, const rh_event *event)
{
  record *r = reserve_record(k);
  if (r != NULL) {
    r->is_event = true;
    memcpy(r->data, event, sizeof *event);
    rh_ring_push(&k->ring);
  }
}

bool rh_keeper_failed(const rh_keeper *k)
{
  return atomic_load(&k->failed);
}

// ---- In the keeper's

static rh_status keep_frame(rh_keeper *k, const record *r)
{
  rh_data *data = rh_sim_data(k->sim);
  memcpy(data->state, r->data, (size_t)k->model->layout.nstate * sizeof(double));
  k->kept.hash = rh_data_hash(data, k->kept.hash);
  long index = k->kept.frames++;
  return k->recorder != NULL ? rh_recorder_frame(k->recorder, k->sim, index) : RH_OK;
}

static rh_status keep_event(rh_keeper *k, const record *r)
{
  rh_event event;
  memcpy(&event, r->data, sizeof event);
  k->kept.events++;
  return k->recorder != NULL ? rh_recorder_event(k->recorder, k->sim, &event) : RH_OK;
}

static void keep_all(rh_keeper *k)
{
  const record *r;
  while ((r = rh_ring_next(&k->ring)) != NULL) {
    rh_status status = atomic_load(&k->failed) ? RH_OK
                       : r->is_event           ? keep_event(k, r)
                                               : keep_frame(k, r);
    if (status != RH_OK) {
      atomic_store(&k->failed, true);
    }
    rh_ring_pop(&k->ring);
  }
}

static void *run_recorder_thread(void *user)
{
  rh_keeper *k = user;
  const struct timespec nap = {.tv_nsec = 2000000};
  bool done = false;
  while (!done) {
    done = atomic_load(&k->done); // first: records pushed before it are still taken out
    keep_all(k);
    if (!done) {
      (void)nanosleep(&nap, NULL);
    }
  }
  return NULL;
}

rh_status rh_keeper_start(rh_keeper *k)
{
  k->started = pthread_create(&k->thread, NULL, run_recorder_thread, k) == 0;
  return k->started ? RH_OK : RH_OVER_LIMIT;
}

void rh_keeper_stop(rh_keeper *k)
{
  if (k != NULL && k->started) {
    atomic_store(&k->done, true);
    (void)pthread_join(k->thread, NULL);
    k->started = false;
  }
}

rh_keeper_counts rh_keeper_count(const rh_keeper *k)
{
  rh_keeper_counts kept = k->kept;
  kept.lost = atomic_load(&k->lost);
  return kept;
}

void rh_keeper_close(rh_keeper *k)
{
  if (k != NULL) {
    rh_keeper_stop(k);
    rh_sim_destroy(k->sim);
    rh_ring_close(&k->ring);
    rh_free(k);
  }
}
