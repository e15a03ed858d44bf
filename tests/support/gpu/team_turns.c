// team_turns.c: threads of teams that take turns on one thread of a processor, in an order that a test chooses: what a thread reads
// without having waited for it then differs.
#define LANES 1
#define TEAM  16 // as a GPU may have it too; half as many turns as of 32
#include "team_turns.h"
#include "stepping/lanes/team/team_step.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { STACK = 1 << 18, THREADS = TEAM * LANE_TREES };

enum {
  WAITS = 1,
  GIVES,
  TAKES,
  VOTES,
  COUNTS,
  MEETS,
  AGREES
}; // places; at the last two all teams wait

typedef struct turn {
  ucontext_t context;
  jmp_buf at;
  bool begun, ended;
  double given;
  int kind; // of the place where it waits
} turn;

static struct {
  team_turns *turns;
  turn thread[THREADS];
  char *stack;
  ucontext_t home;
  jmp_buf back;
  int running;
  int steps, taken[LANE_TREES];
  double sums[3 * LANE_TREES];
  team_end end[LANE_TREES];
} all;

// Gives the turn back until all threads have come to a place of this kind.
static __attribute__((noinline)) void wait_here(int kind)
{
  turn *t = &all.thread[all.running];
  t->kind = kind;
  if (setjmp(t->at) == 0) {
    longjmp(all.back, 1);
  }
}

void team_wait(const team *g)
{
  (void)g;
  wait_here(WAITS);
}

static turn *threads_of(const team *g)
{
  return &all.thread[TEAM * g->tree];
}

static double take_of(const team *g, double x, int from)
{
  turn *mine = threads_of(g);
  mine[g->rank].given = x;
  wait_here(GIVES);
  double taken = mine[from].given;
  wait_here(TAKES);
  return taken;
}

num team_take(const team *g, num x, int from)
{
  return take_of(g, x, from);
}

num team_swap(const team *g, num x, int with)
{
  return take_of(g, x, g->rank ^ with);
}

unsigned team_vote(const team *g, bool yes)
{
  const turn *mine = threads_of(g);
  unsigned bits = 0;
  threads_of(g)[g->rank].given = yes;
  wait_here(VOTES);
  for (int i = 0; i < TEAM; i++) {
    bits |= mine[i].given != 0 ? 1U << i : 0;
  }
  wait_here(COUNTS);
  return bits;
}

bool team_agree(const team *g, bool yes)
{
  bool agreed = true;
  threads_of(g)[g->rank].given = yes;
  wait_here(MEETS);
  for (int i = 0; i < TEAM * g->trees; i++) {
    agreed = agreed && all.thread[i].given != 0;
  }
  wait_here(AGREES);
  return agreed;
}

static void run_thread(void)
{
  const team_turns *x = all.turns;
  const int tree = all.running / TEAM;
  team mine = {.t = x->table[tree],
               .d = x->team[tree],
               .k = x->team[tree],
               .m = x->memory[tree],
               .x = x->x + (size_t)tree * LANE_STATE,
               .sums = all.sums,
               .tree = tree,
               .trees = x->trees,
               .rank = all.running % TEAM};
  team_end end;
  int taken = team_run(&mine, all.steps, &end);
  all.taken[tree] = taken;
  all.end[tree] = end;
  all.thread[all.running].ended = true;
  longjmp(all.back, 1);
}

static void give_turn(int i)
{
  turn *t = &all.thread[i];
  all.running = i;
  if (t->ended || setjmp(all.back) != 0) {
    return;
  }
  if (t->begun) {
    longjmp(t->at, 1);
  }
  t->begun = true;
  (void)getcontext(&t->context);
  t->context.uc_stack.ss_sp = all.stack + (size_t)i * STACK;
  t->context.uc_stack.ss_size = STACK;
  t->context.uc_link = &all.home;
  makecontext(&t->context, run_thread, 0);
  (void)setcontext(&t->context);
}

static void choose_order(int order[TEAM])
{
  uint64_t *x = &all.turns->order;
  for (int i = 0; i < TEAM; i++) {
    order[i] = *x == 1 ? TEAM - 1 - i : i;
  }
  for (int i = TEAM - 1; *x > 1 && i > 0; i--) {
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    int k = (int)(*x % (uint64_t)(i + 1));
    int was = order[i];
    order[i] = order[k];
    order[k] = was;
  }
}

static void check_places(int first, int n)
{
  for (int i = first; i < first + n; i++) {
    if (all.thread[i].ended != all.thread[first].ended ||
        all.thread[i].kind != all.thread[first].kind) {
      (void)fprintf(stderr, "a thread of a team waits where others do not\n");
      abort();
    }
  }
}

static bool waits_for_others(const turn *t)
{
  return t->begun && !t->ended && (t->kind == MEETS || t->kind == AGREES);
}

// Each team up to where it waits for the others; then all of them
static bool run_teams(int trees)
{
  bool runs = false;
  for (int tree = 0; tree < trees; tree++) {
    const turn *first = &all.thread[TEAM * tree];
    while (!first->ended && !waits_for_others(first)) {
      int order[TEAM];
      choose_order(order);
      for (int i = 0; i < TEAM; i++) {
        give_turn(TEAM * tree + order[i]);
      }
      check_places(TEAM * tree, TEAM);
    }
    runs = runs || !first->ended;
  }
  check_places(0, TEAM * trees);
  for (int i = 0; runs && i < TEAM * trees; i++) {
    give_turn(i);
  }
  return runs;
}

int team_turns_step(team_turns *turns, int steps)
{
  if (!all.stack) {
    all.stack = malloc((size_t)STACK * THREADS);
  }
  memset(all.thread, 0, sizeof all.thread);
  all.turns = turns;
  all.steps = steps;
  turns->full = turns->hard = false;
  for (int k = 0; k < turns->trees; k++) {
    memset(turns->memory[k], 0xff, (size_t)turns->team[k]->size * sizeof(double)); // not numbers
  }
  while (run_teams(turns->trees)) {}
  for (int k = 0; k < turns->trees; k++) {
    turns->full = turns->full || all.end[k] == TEAM_FULL;
    turns->hard = turns->hard || all.end[k] == TEAM_HARD;
  }
  return all.taken[0];
}
