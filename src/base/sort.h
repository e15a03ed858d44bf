// sort.h: the one sort of the library. Stable, without recursion; the caller provides the scratch.
#ifndef ROUTH_BASE_SORT_H
#define ROUTH_BASE_SORT_H

#include <routh/base.h>

typedef bool rh_before(const void *items, int i, int j); // item i before item j? False for equals

// Sorts the n numbers of items in `order`; equals keep their order. `room`: n ints.
void rh_sort_order(int *order, int n, int *room, rh_before *before, const void *items);

#endif
