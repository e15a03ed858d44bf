// team.h: a tree of a world stepped by a team of threads of a GPU, TEAM of them side by side in a warp: what the step of
// lanes does for one world (step.h), in the memory that the threads share. Independent numbers are found side by side, sums
// are added by one thread each in the order of the engine: same bits. Without nvcc the same source runs on threads that take
// turns (tests/support/gpu/team_turns.c): tests have no GPU.
#ifndef ROUTH_STEPPING_LANES_TEAM_H
#define ROUTH_STEPPING_LANES_TEAM_H

#include "stepping/lanes/finish.h"
#include "team_table.h"

#ifndef TEAM
#define TEAM 32 // threads
#endif

typedef struct team {
  const lane_table *t; // where threads read different parts of it,
  const team_table *d;
  const team_table *k; // and where all read the same one
  num *m;              // memory of the world
  num *x;              // its state (LANE_STATE)
  num *sums;           // what each tree of a world of several adds to its energies
  int tree, trees;     // of the world: a team each
  int rank;            // of this thread
  unsigned mask;       // threads of the warp that belong to the team
} team;

// What threads wrote before, all of them read afterwards.
#ifdef __CUDACC__
LANE_FN void team_wait(const team *g)
{
  __syncwarp(g->mask);
}

LANE_FN num team_take(const team *g, num x, int from) // that of another thread
{
  return __shfl_sync(g->mask, x, from, TEAM);
}

LANE_FN num team_swap(const team *g, num x, int with) // of the thread whose rank differs by that bit
{
  return __shfl_xor_sync(g->mask, x, with, TEAM);
}

LANE_FN unsigned team_vote(const team *g, bool yes) // bit i: of thread i
{
  unsigned all = __ballot_sync(g->mask, yes);
  return TEAM == 32 ? all : all >> (threadIdx.x % 32 / TEAM * TEAM) & ((1U << TEAM % 32) - 1U);
}

LANE_FN bool team_agree(const team *g, bool yes) // of all teams of a world of several trees
{
  return __syncthreads_and(yes) != 0;
}

LANE_FN int count_bits(unsigned long long x)
{
  return __popcll(x);
}
#else
void team_wait(const team *g);
num team_take(const team *g, num x, int from);
num team_swap(const team *g, num x, int with);
unsigned team_vote(const team *g, bool yes);
bool team_agree(const team *g, bool yes);

LANE_FN int count_bits(unsigned long long x)
{
  return __builtin_popcountll(x);
}
#endif

LANE_FN bool team_any(const team *g, bool yes)
{
  return team_vote(g, yes) != 0;
}

LANE_FN num team_most(const team *g, num x)
{
  for (int with = 1; with < TEAM; with *= 2) {
    x = n_greater(x, team_swap(g, x, with));
  }
  return x;
}

// Numbers i < n of this thread
#define TEAM_EACH(i, n) (int i = g->rank; i < (n); i += TEAM)

// ---- Memory of a world. Strides are odd: threads side by side then use different banks.

typedef struct team_row { // of a contact
  num phi, un, bias, mu, w, iw, c[2], l[2], il[2], p[3], slow;
  num slide, normal; // [J] losses of friction, of the normal direction
  vec u0, t1, t2, point;
  int pair, body;
} team_row;

LANE_FN lane_kin *kin_of(const team *g, int i)
{
  return (lane_kin *)(void *)(g->m + g->k->kin + TEAM_KIN * i);
}

LANE_FN lane_axis *axis_of(const team *g, int j)
{
  return (lane_axis *)(void *)(g->m + g->k->S) + j; // side by side for stand_free
}

LANE_FN lane_mass *mass_of(const team *g, int i)
{
  return (lane_mass *)(void *)(g->m + g->k->Ic + TEAM_MASS * i);
}

LANE_FN lane_force *force_of(const team *g, int i)
{
  return (lane_force *)(void *)(g->m + g->k->f + TEAM_AXIS * i);
}

LANE_FN team_row *row_of(const team *g, int i)
{
  return (team_row *)(void *)(g->m + g->k->row + TEAM_ROW * i);
}

// The rows of a contact along the path of its body, each of `deep` numbers
LANE_FN num *path_of(const team *g, int i)
{
  return g->m + g->k->Y + 3 * g->k->deep * i;
}

LANE_FN num *numbers(const team *g, int at)
{
  return g->m + at;
}

#endif
