// sequence.c: impacts at many points, one after the other. impact.h defines their order, and why
// the result does not depend on the order of the points. It gives Newton's cradle; simultaneous
// impacts would move all its balls.
#include "complement/cone.h"
#include "multi_contact.h"

#include <math.h>
#include <string.h>

#define TIE   1e-9 // approaches that differ relatively by less are equal
#define FAINT 1e-9 // of the first approach: slower points are stopped
#define REST  1e-12
#define LIMIT 200 // impacts per point on average

typedef struct sequence {
  const rh_many_in *in;
  double *u;              // now (3n)
  double *index;          // of the points of one impact (n)
  double *W, *v, *mu, *e; // theirs
  double *p, *after;
  double *part; // losses of the points of one impact (2n)
  double *lost; // and of all so far (2n)
  double *room; // of rh_many_impact
} sequence;

size_t rh_many_room(int n)
{
  size_t N = 3 * (size_t)n;
  return N * N + 4 * N + 7 * (size_t)n + rh_many_together_room(n);
}

static void open_sequence(sequence *s, const rh_many_in *in, double *room)
{
  size_t n = (size_t)in->n;
  size_t rows = 3 * n;
  s->in = in;
  s->W = room;
  s->u = s->W + rows * rows;
  s->v = s->u + rows;
  s->p = s->v + rows;
  s->after = s->p + rows;
  s->index = s->after + rows;
  s->mu = s->index + n;
  s->e = s->mu + n;
  s->part = s->e + n;
  s->lost = s->part + 2 * n;
  s->room = s->lost + 2 * n;
  memset(s->lost, 0, 2 * n * sizeof(double));
  memcpy(s->u, in->u, rows * sizeof(double));
}

static double fastest_approach(const sequence *s)
{
  double most = 0;
  for (int i = 0; i < s->in->n; i++) {
    most = fmax(most, -s->u[3 * i + 2]);
  }
  return most;
}

// The points that approach at `speed` or faster; all of them without restitution where `plastic` is set.
static int gather_points(sequence *s, double speed, bool plastic)
{
  const rh_many_in *in = s->in;
  const size_t rows = 3 * (size_t)in->n;
  int count = 0;
  for (int i = 0; i < in->n; i++) {
    if (-s->u[3 * i + 2] >= speed) {
      s->mu[count] = in->mu[i];
      s->e[count] = plastic ? 0 : in->e[i];
      s->index[count++] = i;
    }
  }
  for (int i = 0; i < 3 * count; i++) {
    size_t row = 3 * (size_t)s->index[i / 3] + (size_t)(i % 3);
    s->v[i] = s->u[row];
    for (int j = 0; j < 3 * count; j++) {
      size_t column = 3 * (size_t)s->index[j / 3] + (size_t)(j % 3);
      s->W[(size_t)i * 3 * (size_t)count + (size_t)j] = in->W[row * rows + column];
    }
  }
  return count;
}

static bool strike_one(sequence *s, rh_many_out *sum)
{
  const double *eta2 = s->in->eta2;
  rh_point_in in = {.mu_s = s->mu[0],
                    .mu_k = s->mu[0],
                    .e = s->e[0],
                    .eta2 = eta2 != NULL ? eta2[(int)s->index[0]] : 0};
  rh_point_out out;
  memcpy(in.W, s->W, sizeof in.W);
  memcpy(in.u, s->v, sizeof in.u);
  bool good = rh_point_impact(s->in->law, &in, &out);
  memcpy(s->p, out.p, sizeof out.p);
  s->part[0] = out.Dn;
  s->part[1] = out.Dt;
  sum->gained = sum->gained || out.gained;
  return good;
}

static bool strike_some(sequence *s, int count, rh_many_out *sum)
{
  const rh_many_in in = {
      .n = count, .W = s->W, .u = s->v, .mu = s->mu, .e = s->e, .law = s->in->law, .lost = s->part};
  rh_many_out out;
  bool good = rh_many_impact(&in, s->room, s->p, s->after, &out);
  sum->gained = sum->gained || out.gained;
  sum->scale = fmin(sum->scale, out.scale);
  sum->free = out.free > sum->free ? out.free : sum->free;
  return good;
}

// Error in Coulomb's law [m/s] of the last impact, a plastic one of all points. Its velocities may
// be rounding of those of the first; then no solver can meet a tolerance relative to them.
static double coulomb_error(const sequence *s, int count)
{
  const rh_cone cone = {.n = count, .W = s->W, .b = s->v, .mu = s->mu};
  return rh_cone_residual(&cone, s->p) * rh_lcp_size(3 * count, s->v);
}

static bool apply_impact(sequence *s, int count, double *p, rh_many_out *sum)
{
  const size_t rows = 3 * (size_t)s->in->n;
  bool good = count == 1 ? strike_one(s, sum) : strike_some(s, count, sum);
  for (int j = 0; j < 3 * count; j++) {
    size_t column = 3 * (size_t)s->index[j / 3] + (size_t)(j % 3);
    p[column] += s->p[j];
    for (size_t i = 0; i < rows; i++) {
      s->u[i] += s->in->W[i * rows + column] * s->p[j];
    }
  }
  for (int j = 0; j < 2 * count; j++) {
    s->lost[2 * (size_t)s->index[j / 2] + (size_t)(j % 2)] += s->part[j];
  }
  sum->impacts++;
  return good;
}

bool rh_many_sequence(const rh_many_in *in, double *room, double *p, double *u_after,
                      rh_many_out *out)
{
  sequence s;
  const size_t rows = 3 * (size_t)in->n;
  bool good = true;
  open_sequence(&s, in, room);
  memset(out, 0, sizeof *out);
  memset(p, 0, rows * sizeof(double));
  out->scale = 1;
  if (in->lost != NULL) {
    memset(in->lost, 0, 2 * (size_t)in->n * sizeof(double));
  }
  if (rh_many_early(in)) {
    memcpy(u_after, in->u, rows * sizeof(double));
    return false;
  }
  const double first = fastest_approach(&s);
  double now = first;
  for (int i = 0; i < LIMIT * in->n && now > FAINT * first && good; i++) {
    good = apply_impact(&s, gather_points(&s, now * (1 - TIE), false), p, out);
    now = fastest_approach(&s);
  }
  if (good && now > REST * first) {
    int count = gather_points(&s, -HUGE_VAL, true);
    good = apply_impact(&s, count, p, out) || coulomb_error(&s, count) <= FAINT * first;
  }
  memcpy(u_after, s.u, rows * sizeof(double));
  rh_many_close_losses(in, p, u_after, s.lost, out);
  return good;
}
