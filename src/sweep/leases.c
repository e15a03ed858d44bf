// leases.c: spans of cases given out to workers.
#include "leases.h"

#include <math.h>
#include <string.h>

double rh_listening_time(rh_listening *watch, double now)
{
  watch->counted += fmax(0, fmin(now - watch->looked, RH_LISTENING_GAP));
  watch->looked = now;
  return watch->counted;
}

typedef struct lease {
  rh_case_span span;
  int64_t left;   // not done
  int64_t number; // in the order in which they were given out
  int worker;
  double since;
} lease;

typedef struct returned {
  rh_case_span span;
  int64_t most; // at once
} returned;

typedef struct suspect { // a case that was alone when its worker died
  int64_t index;
  int deaths;
} suspect;

struct rh_leases {
  int64_t cases, left;
  int64_t next;       // never given out from here on
  unsigned char *bit; // done
  lease *lease;       // by their first cases; no two overlap
  int nlease, room;
  int64_t given; // leases so far
  int64_t *held; // by worker: cases given out to it and not done
  int nheld;
  returned *back;
  int nback, back_room;
  suspect *suspect;
  int nsuspect, suspect_room;
};

rh_leases *rh_leases_create(int64_t cases)
{
  rh_leases *l = rh_alloc(sizeof *l);
  unsigned char *bit = rh_alloc((size_t)(cases / 8) + 1);
  if (l == NULL || bit == NULL) {
    rh_free(l);
    rh_free(bit);
    return NULL;
  }
  *l = (rh_leases){.cases = cases, .left = cases, .bit = bit};
  return l;
}

void rh_leases_destroy(rh_leases *leases)
{
  if (leases != NULL) {
    rh_free(leases->bit);
    rh_free(leases->lease);
    rh_free(leases->held);
    rh_free(leases->back);
    rh_free(leases->suspect);
    rh_free(leases);
  }
}

static bool is_done(const rh_leases *l, int64_t index)
{
  return (l->bit[index / 8] >> (index % 8) & 1) != 0;
}

static void drop_lease(rh_leases *l, int at)
{
  l->nlease--;
  memmove(&l->lease[at], &l->lease[at + 1], (size_t)(l->nlease - at) * sizeof *l->lease);
}

// The first lease that begins after `index`.
static int find_behind(const rh_leases *l, int64_t index)
{
  int low = 0;
  int high = l->nlease;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (l->lease[middle].span.first > index) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

bool rh_leases_done(rh_leases *leases, int64_t index)
{
  if (index < 0 || index >= leases->cases || is_done(leases, index)) {
    return false;
  }
  leases->bit[index / 8] |= (unsigned char)(1 << index % 8);
  leases->left--;
  int at = find_behind(leases, index) - 1;
  lease *given = at >= 0 ? &leases->lease[at] : NULL;
  if (given != NULL && index < given->span.first + given->span.n) {
    leases->held[given->worker]--;
    given->left--;
    if (given->left == 0) {
      drop_lease(leases, at);
    }
  }
  return true;
}

int64_t rh_leases_left(const rh_leases *leases)
{
  return leases->left;
}

int64_t rh_leases_held(const rh_leases *leases, int worker)
{
  return worker < leases->nheld ? leases->held[worker] : 0;
}

// A larger array of `size` bytes each; false: out of memory.
static bool make_room(void **array, int n, int *room, size_t size)
{
  if (n < *room) {
    return true;
  }
  int more = *room == 0 ? 64 : 2 * *room;
  void *larger = rh_realloc(*array, (size_t)more * size);
  if (larger != NULL) {
    *array = larger;
    *room = more;
  }
  return larger != NULL;
}

static bool know_worker(rh_leases *l, int worker)
{
  if (worker < l->nheld) {
    return true;
  }
  int more = 2 * worker + 16;
  int64_t *larger = rh_realloc(l->held, (size_t)more * sizeof *larger);
  if (larger == NULL) {
    return false;
  }
  memset(larger + l->nheld, 0, (size_t)(more - l->nheld) * sizeof *larger);
  l->held = larger;
  l->nheld = more;
  return true;
}

static void insert_lease(rh_leases *l, lease given)
{
  int at = find_behind(l, given.span.first);
  memmove(&l->lease[at + 1], &l->lease[at], (size_t)(l->nlease - at) * sizeof *l->lease);
  l->lease[at] = given;
  l->nlease++;
  l->held[given.worker] += given.span.n;
}

// The first run of cases in `span` that are not done, at most `most`; the span begins after it.
static rh_case_span cut_span(const rh_leases *l, rh_case_span *span, int64_t most)
{
  int64_t end = span->first + span->n;
  int64_t from = span->first;
  while (from < end && is_done(l, from)) {
    from++;
  }
  int64_t to = from;
  while (to < end && to - from < most && !is_done(l, to)) {
    to++;
  }
  *span = (rh_case_span){to, end - to};
  return (rh_case_span){from, to - from};
}

rh_case_span rh_leases_take(rh_leases *leases, int worker, int64_t most, double now)
{
  rh_case_span span = {0, 0};
  if (most < 1 || !know_worker(leases, worker) ||
      !make_room((void **)&leases->lease, leases->nlease, &leases->room, sizeof *leases->lease)) {
    return span;
  }
  while (span.n == 0 && leases->nback > 0) {
    returned *back = &leases->back[leases->nback - 1];
    span = cut_span(leases, &back->span, most < back->most ? most : back->most);
    leases->nback -= back->span.n == 0;
  }
  if (span.n == 0) {
    rh_case_span fresh = {leases->next, leases->cases - leases->next};
    span = cut_span(leases, &fresh, most);
    leases->next = fresh.first;
  }
  if (span.n > 0) {
    insert_lease(leases, (lease){span, span.n, leases->given++, worker, now});
  }
  return span;
}

// A span comes back; where there is no memory for it, it is found again from the start.
static void return_span(rh_leases *l, rh_case_span span, int64_t most)
{
  if (make_room((void **)&l->back, l->nback, &l->back_room, sizeof *l->back)) {
    l->back[l->nback++] = (returned){span, most > 1 ? most : 1};
  } else {
    l->next = span.first < l->next ? span.first : l->next;
  }
}

void rh_leases_clear(rh_leases *leases)
{
  leases->next = leases->cases;
}

bool rh_leases_add(rh_leases *leases, rh_case_span span)
{
  if (span.first < 0 || span.n < 1 || span.n > leases->cases - span.first ||
      !make_room((void **)&leases->back, leases->nback, &leases->back_room, sizeof *leases->back)) {
    return false;
  }
  leases->back[leases->nback++] = (returned){span, span.n};
  return true;
}

int64_t rh_leases_waiting(const rh_leases *leases)
{
  int64_t waiting = 0;
  for (int i = 0; i < leases->nback; i++) {
    waiting += leases->back[i].span.n;
  }
  return waiting;
}

static int64_t count_death(rh_leases *l, int64_t index)
{
  for (int i = 0; i < l->nsuspect; i++) {
    if (l->suspect[i].index == index) {
      return ++l->suspect[i].deaths >= RH_DEATHS_MAX ? index : RH_NONE;
    }
  }
  if (make_room((void **)&l->suspect, l->nsuspect, &l->suspect_room, sizeof *l->suspect)) {
    l->suspect[l->nsuspect++] = (suspect){index, 1};
  }
  return RH_NONE;
}

// The worker's oldest lease, RH_NONE: it has none.
static int find_oldest(const rh_leases *l, int worker)
{
  int oldest = RH_NONE;
  for (int i = 0; i < l->nlease; i++) {
    bool asked = worker == RH_NONE || l->lease[i].worker == worker;
    if (asked && (oldest == RH_NONE || l->lease[i].number < l->lease[oldest].number)) {
      oldest = i;
    }
  }
  return oldest;
}

int64_t rh_leases_died(rh_leases *leases, int worker)
{
  int64_t lost = RH_NONE;
  bool oldest = true; // it was at work on this one
  for (int i = 0; (i = find_oldest(leases, worker)) != RH_NONE;) {
    lease given = leases->lease[i];
    drop_lease(leases, i);
    leases->held[worker] -= given.left;
    if (oldest && given.span.n == 1) {
      lost = count_death(leases, given.span.first);
    }
    if (lost == RH_NONE || lost != given.span.first) {
      return_span(leases, given.span, oldest ? given.span.n / 2 : given.span.n);
    }
    oldest = false;
  }
  return lost;
}

int rh_leases_silent(const rh_leases *leases, double now, double age)
{
  int oldest = find_oldest(leases, RH_NONE);
  bool silent = oldest != RH_NONE && now - leases->lease[oldest].since > age;
  return silent ? leases->lease[oldest].worker : RH_NONE;
}
