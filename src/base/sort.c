// sort.c: merge sort from the bottom up: runs of 1, 2, 4 ... items are merged to and fro between
// two arrays.
#include "sort.h"

#include <string.h>

static int min_int(int a, int b)
{
  return a < b ? a : b;
}

void rh_sort_order(int *order, int n, int *room, rh_before *before, const void *items)
{
  int *from = order;
  int *to = room;
  for (int width = 1; width < n; width *= 2) {
    for (int left = 0; left < n; left += 2 * width) {
      int middle = min_int(left + width, n);
      int right = min_int(middle + width, n);
      int i = left;
      int j = middle;
      for (int k = left; k < right; k++) {
        bool first = j == right || (i < middle && !before(items, from[j], from[i]));
        to[k] = first ? from[i++] : from[j++];
      }
    }
    int *swap = from;
    from = to;
    to = swap;
  }
  if (from != order) {
    memcpy(order, from, (size_t)n * sizeof *order);
  }
}
