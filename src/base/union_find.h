// union_find.h: union-find over indices, without a rank, since chains stay short. The lowest
// index of a group is its name, so that the result does not depend on the order of the joins.
#ifndef ROUTH_BASE_UNION_FIND_H
#define ROUTH_BASE_UNION_FIND_H

static inline void rh_join_none(int *joined, int n) // each is a group of its own
{
  for (int i = 0; i < n; i++) {
    joined[i] = i;
  }
}

static inline int rh_join_lowest(const int *joined, int i) // the group of i
{
  while (joined[i] != i) {
    i = joined[i];
  }
  return i;
}

static inline void rh_join(int *joined, int i, int j)
{
  int x = rh_join_lowest(joined, i);
  int y = rh_join_lowest(joined, j);
  joined[x > y ? x : y] = x < y ? x : y;
}

#endif
