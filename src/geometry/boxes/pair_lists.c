// pair_lists.c: see pair_lists.h. A counting sort by the higher shape, then by the lower one; each part of the list
// counts its own, and a prefix over shapes and parts tells where each part writes. Lists to be merged are cut
// at the same pairs.
#include "pair_lists.h"

#include <string.h>

enum {
  LONG = 4096, // pairs from which on threads share the work
  CUTS = 64,   // parts of a merge
};

static bool use_threads(const rh_pool *pool, int64_t n)
{
  return n > LONG && rh_pool_threads(pool) > 1;
}

static int begin_of(int64_t n, int part, int parts)
{
  return (int)(n * part / parts);
}

// ---- Sorting

typedef struct sorting {
  const rh_pair_sorter *s;
  const rh_shape_pair *from;
  rh_shape_pair *to;
  int count, parts;
  int (*end)(const rh_shape_pair *p);
  int total[RH_PAIR_SORTERS]; // pairs of a range of shapes
} sorting;

static int end_lower(const rh_shape_pair *p)
{
  return rh_pair_lower(p);
}

static int end_higher(const rh_shape_pair *p)
{
  return rh_pair_higher(p);
}

static int *counts_of(const sorting *j, int part)
{
  return j->s->count + (size_t)part * ((size_t)j->s->n + 1);
}

static void count_part(void *user, int task, int worker)
{
  const sorting *j = user;
  int *count = counts_of(j, task);
  (void)worker;
  memset(count, 0, ((size_t)j->s->n + 1) * sizeof *count);
  for (int i = begin_of(j->count, task, j->parts); i < begin_of(j->count, task + 1, j->parts);
       i++) {
    count[j->end(&j->from[i])]++;
  }
}

static void sum_range(void *user, int task, int worker)
{
  sorting *j = user;
  int sum = 0;
  (void)worker;
  for (int p = 0; p < j->parts; p++) {
    const int *count = counts_of(j, p);
    for (int i = begin_of(j->s->n, task, j->parts); i < begin_of(j->s->n, task + 1, j->parts);
         i++) {
      sum += count[i];
    }
  }
  j->total[task] = sum;
}

// Counts become places.
static void place_range(void *user, int task, int worker)
{
  const sorting *j = user;
  int place = 0;
  (void)worker;
  for (int i = 0; j->parts == 1 && i < j->s->n; i++) {
    int here = j->s->count[i];
    j->s->count[i] = place;
    place += here;
  }
  if (j->parts == 1) {
    return;
  }
  for (int r = 0; r < task; r++) {
    place += j->total[r];
  }
  for (int i = begin_of(j->s->n, task, j->parts); i < begin_of(j->s->n, task + 1, j->parts); i++) {
    for (int p = 0; p < j->parts; p++) {
      int *count = counts_of(j, p);
      int here = count[i];
      count[i] = place;
      place += here;
    }
  }
}

static void write_part(void *user, int task, int worker)
{
  const sorting *j = user;
  int *next = counts_of(j, task);
  (void)worker;
  for (int i = begin_of(j->count, task, j->parts); i < begin_of(j->count, task + 1, j->parts);
       i++) {
    j->to[next[j->end(&j->from[i])]++] = j->from[i];
  }
}

static void sort_by(sorting *j)
{
  rh_pool_run(j->s->pool, count_part, j, j->parts);
  rh_pool_run(j->s->pool, sum_range, j, j->parts > 1 ? j->parts : 0);
  rh_pool_run(j->s->pool, place_range, j, j->parts);
  rh_pool_run(j->s->pool, write_part, j, j->parts);
}

void rh_pairs_sort(const rh_pair_sorter *s, rh_shape_pair *list, rh_shape_pair *spare, int count)
{
  int parts = use_threads(s->pool, count) ? RH_PAIR_SORTERS : 1;
  sort_by(&(sorting){s, list, spare, count, parts, end_higher, {0}});
  sort_by(&(sorting){s, spare, list, count, parts, end_lower, {0}});
}

// ---- Merging

typedef struct merging {
  const rh_pair_again *again;
  const rh_shape_pair *old, *found;
  int nold, nfound, parts;
  rh_shape_pair *to;
  int64_t capacity;
  int count[CUTS]; // pairs of a part, then the place of its first one
} merging;

// < 0: x comes first
static int compare_pairs(const rh_shape_pair *x, const rh_shape_pair *y)
{
  int way = rh_pair_lower(x) - rh_pair_lower(y);
  return way != 0 ? way : rh_pair_higher(x) - rh_pair_higher(y);
}

// The first pair of those found that a part of the old list from `at` on has
static int cut_found(const merging *j, int at)
{
  int lo = 0;
  int hi = at == 0 ? 0 : j->nfound;
  while (lo < hi && at < j->nold) {
    int mid = lo + (hi - lo) / 2;
    bool before = compare_pairs(&j->found[mid], &j->old[at]) < 0;
    lo = before ? mid + 1 : lo;
    hi = before ? hi : mid;
  }
  return hi;
}

static inline bool is_searched(const rh_pair_again *x, const rh_shape_pair *p)
{
  return x->is_new[p->a] || x->is_new[p->b] || (x->all && !x->outside[p->a] && !x->outside[p->b]);
}

// Pairs of a part of both lists, from `place` on; `to` NULL: only their number
static int64_t merge_part(const merging *j, int part, rh_shape_pair *to, int64_t place)
{
  int i = begin_of(j->nold, part, j->parts);
  int iend = begin_of(j->nold, part + 1, j->parts);
  int k = cut_found(j, i);
  int kend = part + 1 == j->parts ? j->nfound : cut_found(j, iend);
  int64_t from = place;
  while (i < iend || k < kend) {
    int way = i == iend ? 1 : k == kend ? -1 : compare_pairs(&j->old[i], &j->found[k]);
    const rh_shape_pair *c = way <= 0 ? &j->old[i] : &j->found[k];
    i += way <= 0;
    k += way >= 0;
    if (way < 0 && is_searched(j->again, c)) {
      continue;
    }
    if (to && place < j->capacity) {
      to[place] = *c;
    }
    place++;
  }
  return place - from;
}

static void count_merged(void *user, int task, int worker)
{
  merging *j = user;
  (void)worker;
  j->count[task] = (int)merge_part(j, task, NULL, 0);
}

static void write_merged(void *user, int task, int worker)
{
  const merging *j = user;
  (void)worker;
  (void)merge_part(j, task, j->to, j->count[task]);
}

int64_t rh_pairs_merge(const rh_pair_again *again, const rh_pair_list list[2], rh_shape_pair *to,
                       int capacity, rh_pool *pool)
{
  merging j = {again, list[0].pair, list[1].pair, list[0].n, list[1].n, 1, to, capacity, {0}};
  int64_t count = 0;
  if (j.nold < CUTS || !use_threads(pool, (int64_t)j.nold + j.nfound)) {
    return merge_part(&j, 0, to, 0);
  }
  j.parts = CUTS;
  rh_pool_run(pool, count_merged, &j, CUTS);
  for (int k = 0; k < CUTS; k++) {
    int here = j.count[k];
    j.count[k] = (int)count;
    count += here;
  }
  rh_pool_run(pool, write_merged, &j, CUTS);
  return count;
}
