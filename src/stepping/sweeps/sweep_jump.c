// Slow sweeps. Changes of impulses by two sweeps, forward and backward, become parallel where sweeps are
// slow: each is r times the one before. The rest of this series, r/(1 - r) times the last one, is added at
// once, within the cones (Aitken 1926); sweeps go on from there. Of free bodies only.
#include "stepping/contact_kernels.h"

#include <string.h>

enum { NUMBERS = 4 }; // of a contact's impulse

static void note_impulses(const rh_step_world *w, const rh_step_island *s, double *to)
{
  for (int k = 0; k < s->ncon; k++) {
    memcpy(to + (size_t)NUMBERS * k, w->row[s->con + k].p, NUMBERS * sizeof *to);
  }
}

// p + gain (p - before), within the cone
static void find_ahead(const rh_step_row *c, const double *before, double gain, double p[NUMBERS])
{
  for (int j = 0; j < NUMBERS; j++) {
    p[j] = c->p[j] + gain * (c->p[j] - before[j]);
  }
  p[3] = p[3] > 0 ? p[3] : 0;
  double square = p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
  double radius = c->mu * p[3];
  double shrink = square > radius * radius ? radius / sqrt(square) : 1;
  for (int j = 0; j < 3; j++) {
    p[j] *= shrink;
  }
}

// From the impulses two and four sweeps ago; false: they do not change in this way.
static bool jump_ahead(const rh_step_world *w, const rh_step_island *s, const double *former,
                       const double *before)
{
  static const double LEAST = 0.4;
  static const double MOST = 0.98; // beyond it little is known of r

  double along = 0;
  double square = 0;
  for (int k = 0; k < s->ncon; k++) {
    const double *x = former + (size_t)NUMBERS * k;
    const double *y = before + (size_t)NUMBERS * k;
    const double *z = w->row[s->con + k].p;
    for (int j = 0; j < NUMBERS; j++) {
      along += (y[j] - x[j]) * (z[j] - y[j]);
      square += (y[j] - x[j]) * (y[j] - x[j]);
    }
  }
  if (!(along > LEAST * square)) {
    return false;
  }
  double r = along < MOST * square ? along / square : MOST;
  for (int k = 0; k < s->ncon; k++) {
    rh_step_row *c = &w->row[s->con + k];
    double p[NUMBERS];
    find_ahead(c, before + (size_t)NUMBERS * k, r / (1 - r), p);
    const double more[NUMBERS] = {p[0] - c->p[0], p[1] - c->p[1], p[2] - c->p[2], p[3] - c->p[3]};
    rh_step_free_push(w, c, rh_step_impulse(w, c, more));
    memcpy(c->p, p, sizeof p);
  }
  return true;
}

enum { PAIR = 2 }; // sweeps

bool rh_step_hurry_sweeps(rh_step_worker *worker, const rh_step_island *s, int since)
{
  const rh_step_world *w = worker->world;
  double *list[2] = {worker->newton.W, worker->newton.W + (size_t)NUMBERS * s->ncon};
  int pairs = (since + 1) / PAIR; // complete ones
  if (since % PAIR == 0) {
    return false;
  }
  if (pairs <= 2) {
    note_impulses(w, s, list[pairs - 1]);
    return false;
  }
  return jump_ahead(w, s, list[(pairs - 1) % 2], list[pairs % 2]);
}
