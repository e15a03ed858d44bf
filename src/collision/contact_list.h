// contact_list.h: contacts as found in a step, in the order of their shapes and features, with the memory
// that they keep from step to step.
#ifndef ROUTH_COLLISION_CONTACT_LIST_H
#define ROUTH_COLLISION_CONTACT_LIST_H

#include "collision.h"

// The next step reads only its first cache line.
typedef struct rh_found_contact {
  _Alignas(64) int a; // shapes; an unbounded one is b
  int b;
  int id;             // feature
  int rule;           // contact of the model
  int ma, mb;         // mobiles
  int home;           // in a list found again: a contact of the same pair in the step's own list
  bool shared;        // its load is not determined, as far as that was checked
  rh_vec3 f;          // [N] force on a, mean over the (last) step
  double since;       // [s] when it began to carry a force
  double phi;         // [m] gap; < 0: overlap
  rh_vec3 point, n;   // [m] world, n from b into a
  double stored;      // [J] compliant: in its spring at the end of the step
} rh_found_contact;

// The points of a pair, in the order of their features
static inline void rh_found_put(const rh_manifold *m, rh_found_contact *list)
{
  for (int i = 0; i < m->n; i++) {
    int k = i;
    while (k > 0 && list[k - 1].id > m->at[i].id) {
      list[k] = list[k - 1];
      k--;
    }
    list[k].id = m->at[i].id;
    list[k].point = m->at[i].point;
    list[k].n = m->at[i].normal;
    list[k].phi = -m->at[i].depth;
  }
}

static inline int rh_found_lower(const rh_found_contact *t)
{
  return t->a < t->b ? t->a : t->b;
}

static inline int rh_found_higher(const rh_found_contact *t)
{
  return t->a < t->b ? t->b : t->a;
}

// < 0: x comes first: by the lower, then the higher shape, then by feature
static inline int rh_found_order(const rh_found_contact *x, const rh_found_contact *y)
{
  int a = rh_found_lower(x) - rh_found_lower(y);
  int b = rh_found_higher(x) - rh_found_higher(y);
  return a != 0 ? a : b != 0 ? b : x->id < y->id ? -1 : x->id > y->id;
}

// The first entry of an ordered list that is not before x
static inline int rh_found_first(const rh_found_contact *list, int n, const rh_found_contact *x)
{
  int k = 0;
  while (k < n) {
    int middle = k + (n - k) / 2;
    bool before = rh_found_order(&list[middle], x) < 0;
    k = before ? middle + 1 : k;
    n = before ? n : middle;
  }
  return k;
}

// A contact that was there in the last step keeps its memory (contact_match.c). Both lists are in
// order; the first begins with a pair.
void rh_found_recall(const rh_model *m, rh_found_contact *now, int n, const rh_found_contact *old,
                     int nold);

#endif
