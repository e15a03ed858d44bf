// unit_sort.c: the sort: in order, stable, nothing lost, whatever the length; few comparisons.
#include "test.h"

#include "base/sort.h"

enum { N = 200 };

typedef struct counted {
  int value[N];
  long *asked;
} counted;

static bool smaller(const void *items, int i, int j)
{
  const counted *c = items;
  (*c->asked)++;
  return c->value[i] < c->value[j];
}

// Every length up to N with many equal values: equals in order of their numbers means stable, and strictly rising
// pairs (value, number) mean that none is there twice.
START_TEST(every_length)
{
  unsigned state = 1;
  for (int n = 0; n <= N; n++) {
    int order[N];
    int room[N];
    long asked = 0;
    counted c = {.asked = &asked};
    for (int i = 0; i < n; i++) {
      state = state * 1664525u + 1013904223u;
      c.value[i] = (int)(state >> 28);
      order[i] = i;
    }
    rh_sort_order(order, n, room, smaller, &c);
    for (int i = 1; i < n; i++) {
      int x = order[i - 1];
      int y = order[i];
      ck_assert(x >= 0 && y < N);
      ck_assert(c.value[x] < c.value[y] || (c.value[x] == c.value[y] && x < y));
    }
    int levels = 0;
    for (int width = 1; width < n; width *= 2) {
      levels++;
    }
    ck_assert_int_le(asked, (long)n * levels); // a merge asks at most once an item
  }
}

END_TEST

// A list need not hold every item, nor in order: equals stay as they stood in the list.
START_TEST(part_of_the_items)
{
  long asked = 0;
  const counted c = {.value = {5, 1, 5, 0, 1, 5}, .asked = &asked};
  int order[] = {5, 4, 0, 1, 2};
  const int want[] = {4, 1, 5, 0, 2};
  int room[5];
  rh_sort_order(order, 5, room, smaller, &c);
  ck_assert_mem_eq(order, want, sizeof want);
}

END_TEST

Suite *rh_suite_unit_sort(void)
{
  Suite *suite = suite_create("unit_sort");
  TCase *tcase = tcase_create("sort");
  tcase_add_test(tcase, every_length);
  tcase_add_test(tcase, part_of_the_items);
  suite_add_tcase(suite, tcase);
  return suite;
}
