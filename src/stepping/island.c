// Stage 3: islands: mobiles joined by contacts move together and independently of all others.
// Union-find over the contacts; islands in the order of their lowest mobile, contacts within one in
// the order found, so that nothing depends on threads or on the past.
#include "stepping.h"

#include <string.h>

static int find_root(int *joined, int i)
{
  while (joined[i] != i) {
    joined[i] = joined[joined[i]];
    i = joined[i];
  }
  return i;
}

// The lower root stays.
static void join_mobiles(int *joined, int a, int b)
{
  int x = find_root(joined, a);
  int y = find_root(joined, b);
  joined[x < y ? y : x] = x < y ? x : y;
}

static void number_islands(rh_step_world *w)
{
  w->nisland = 0;
  for (int i = 1; i <= w->nfree + w->trees.n; i++) {
    int r = find_root(w->parts.joined, i);
    if (r == i) {
      w->parts.label[i] = w->nisland;
      w->island[w->nisland++] = (rh_step_island){0};
    }
    w->island[w->parts.label[r]].nmob++;
  }
}

static void place_all(rh_step_world *w)
{
  int con = 0;
  int mob = 0;
  int tie = 0;
  for (int k = 0; k < w->nisland; k++) {
    rh_step_island *s = &w->island[k];
    s->con = con;
    s->mob = mob;
    s->tie = tie;
    con += s->ncon;
    mob += s->nmob;
    tie += s->ntie;
    s->ncon = s->nmob = s->ntie = 0;
  }
  for (int i = 1; i <= w->nfree + w->trees.n; i++) {
    rh_step_island *s = &w->island[w->parts.label[w->parts.joined[i]]];
    w->member[s->mob + s->nmob++] = i;
  }
}

static rh_step_island *island_of_loop(const rh_step_world *w, int loop)
{
  int a = w->mobile[w->m->loop[loop].a];
  int b = w->mobile[w->m->loop[loop].b];
  return &w->island[w->parts.label[w->parts.joined[a ? a : b]]];
}

void rh_step_islands(rh_step_world *w)
{
  for (int i = 0; i <= w->nfree + w->trees.n; i++) {
    w->parts.joined[i] = i;
  }
  for (int k = 0; k < w->contacts.n; k++) {
    const rh_step_contact *t = &w->contacts.now[k];
    if (t->ma != 0 && t->mb != 0) {
      join_mobiles(w->parts.joined, t->ma, t->mb);
    }
  }
  for (int k = 0; k < w->m->nloop; k++) {
    int a = w->mobile[w->m->loop[k].a];
    int b = w->mobile[w->m->loop[k].b];
    if (a != 0 && b != 0) {
      join_mobiles(w->parts.joined, a, b);
    }
  }
  for (int i = 1; i <= w->nfree + w->trees.n; i++) {
    w->parts.joined[i] = find_root(w->parts.joined, i);
  }
  number_islands(w);
  for (int k = 0; k < w->contacts.n; k++) {
    const rh_step_contact *t = &w->contacts.now[k];
    w->island[w->parts.label[w->parts.joined[t->ma ? t->ma : t->mb]]].ncon++;
  }
  for (int k = 0; k < w->m->nloop; k++) {
    island_of_loop(w, k)->ntie++;
  }
  place_all(w);
  for (int k = 0; k < w->m->nloop; k++) {
    rh_step_island *s = island_of_loop(w, k);
    w->trees.tie_order[s->tie + s->ntie++] = k;
  }
  for (int k = 0; k < w->contacts.n; k++) {
    const rh_step_contact *t = &w->contacts.now[k];
    rh_step_island *s = &w->island[w->parts.label[w->parts.joined[t->ma ? t->ma : t->mb]]];
    w->order[s->con + s->ncon++] = k;
  }
}
