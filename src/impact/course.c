// course.c: the course of an impact at many points, followed in a fictitious time. Normal impulses come at rates lam_i >= 0,
//   springs   lam_i' = -kappa_i u_n,i while lam_i > 0 or u_n,i < 0      (as if on a bed of springs, [Ch] 2.28-2.33*)
//   else      in given proportions, over the points that approach when the event begins
// and friction is Coulomb's at every instant: f_i = -mu_i lam_i u_t/|u_t| where it slips, else the disc problem. For given lam the
// motion is unique although friction is not.
// An event ends, all together, where the work W_n of the normal impulses is (1 - e^2) W_c, W_c that at the end of (the last)
// compression; e^2 is the mean over the points, weighted by their impulses so far. Points that still approach begin another.
// Springs may also be let off one by one, with stiffness kappa_i/e_i^2: then one event does it all.
// What approaches slower than 1e-6 of the first speed, or is left after many events, is stopped in one plastic impact.
// The configuration is frozen. Points come in an order of their own (many.h), so that theirs does not show.
// Left out: e < 0 (an impact that ends in compression; path3.c has it for one point).
#include "impact/course.h"
#include "impact/many.h"

#include <math.h>
#include <string.h>

enum { EVENTS = 200, STEPS = 20000, PATIENCE = 1000, SEARCH = 60 };

#define SLOW  1e-6 // of the first speed: begins no event
#define STILL 1e-9 // of it: is at rest

static double *carve(double **room, size_t n)
{
  double *part = *room;
  *room += n;
  return part;
}

size_t rh_course_room(int n)
{
  size_t N = 3 * (size_t)n;
  size_t size = N + 4 * (size_t)n + 1;
  size_t prox = rh_prox_room(n, (int)N);
  size_t rest = rh_many_plastic_room(n) + rh_many_free_room(n);
  return 2 * N * N + 9 * N + 8 * (size_t)n + (RH_COURSE_ORDER + 1) * size +
         (prox > rest ? prox : rest);
}

static double largest(const double *x, int n)
{
  double most = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(x[i]));
  }
  return most;
}

// ---- Setting out

static void read_points(rh_course *c, const rh_many_in *in)
{
  rh_many_order(in, c->order);
  rh_many_arrange(in, c->order, c->W, c->u0);
  for (int i = 0; i < c->n; i++) {
    int from = (int)c->order[i];
    c->mu[i] = in->mu[from];
    c->e[i] = in->e[from];
    c->kappa[i] = in->weight != NULL ? in->weight[from] : 1;
  }
}

// Stiffness of mean 1, all alike where a point stands for no area (a corner, an edge). The measures.
static void weigh(rh_course *c)
{
  const size_t rows = 3 * (size_t)c->n;
  double sum = 0;
  double most = 0;
  bool known = true;
  for (int i = 0; i < c->n; i++) {
    sum += c->kappa[i];
    known = known && c->kappa[i] > 0;
  }
  for (int i = 0; i < c->n; i++) {
    c->kappa[i] = known ? c->kappa[i] * c->n / sum : 1;
  }
  for (size_t i = 0; i < (size_t)c->n; i++) {
    double row = 0;
    for (size_t j = 0; j < (size_t)c->n; j++) {
      row += fabs(c->W[(3 * i + 2) * rows + 3 * j + 2]) * c->kappa[j];
    }
    c->rate = fmax(c->rate, row);
    double d = fmax(c->W[3 * i * (rows + 1)], c->W[(3 * i + 1) * (rows + 1)]);
    d = fmax(d, c->W[(3 * i + 2) * (rows + 1)]);
    most = fmax(most, d);
  }
  c->rate = sqrt(c->rate);
  c->speed = largest(c->u0, (int)rows);
  c->stiff = sqrt(most);
  c->smooth = largest(c->mu, c->n) == 0;
}

static void open_course(rh_course *c, const rh_many_in *in, double *room)
{
  const size_t n = (size_t)in->n;
  const size_t N = 3 * n;
  const size_t most = N + 4 * n + 1;
  c->n = in->n;
  c->W = carve(&room, N * N);
  c->B = carve(&room, N * N);
  c->u0 = carve(&room, N);
  c->f = carve(&room, N);
  c->u = carve(&room, N);
  c->ft = carve(&room, N);
  c->p = carve(&room, N);
  c->start = carve(&room, N);
  double **const lists[] = {&c->order, &c->mu, &c->e, &c->kappa, &c->split, &c->sigma, &c->radius};
  for (int i = 0; i < RH_COUNT(lists); i++) {
    *lists[i] = carve(&room, n);
  }
  c->y = carve(&room, most);
  c->table = carve(&room, RH_COURSE_ORDER * most);
  c->room = room;
  read_points(c, in);
  weigh(c);
  c->r = rh_basis((int)N, c->W, c->B, c->room);
  c->size = c->r + 4 * c->n + 1;
  memset(c->y, 0, most * sizeof(double));
  memset(c->f, 0, N * sizeof(double));
}

// ---- What is looked at

typedef enum watch { WATCH_POWER, WATCH_WORK } watch;

typedef struct event {
  bool compressing;
  double Wc, left; // W_n at the end of compression, and at which the event ends
} event;

static double *work_of(const rh_course *c, double *y)
{
  return y + c->size - 1;
}

// Zero where compression ends, or where the event does; negative before.
static double value(const rh_course *c, const event *e, watch what, double *y)
{
  if (what == WATCH_WORK) {
    return *work_of(c, y) - e->left;
  }
  double sum = 0;
  rh_course_velocities(c, y, c->u);
  for (int i = 0; i < c->n; i++) {
    sum += y[c->r + i] * c->u[3 * i + 2];
  }
  return sum;
}

static double fastest(const rh_course *c)
{
  double most = 0;
  rh_course_velocities(c, c->y, c->u);
  for (int i = 0; i < c->n; i++) {
    most = fmax(most, -c->u[3 * i + 2]);
  }
  return most;
}

static void accept(rh_course *c)
{
  memcpy(c->y, c->table, (size_t)c->size * sizeof(double));
  memcpy(c->f, c->ft, 3 * (size_t)c->n * sizeof(double));
  rh_course_velocities(c, c->y, c->u);
  c->even = c->even || rh_course_slip(c) <= RH_COURSE_SLIP * c->speed;
}

// The step to where the value is zero, between nothing and h, behind which the table stands now.
static void locate(rh_course *c, const event *e, watch what, double h)
{
  double lo = 0;
  double hi = h;
  double at_lo = value(c, e, what, c->y);
  double at_hi = value(c, e, what, c->table);
  int side = 0;
  if (at_hi == 0 || !(at_lo < 0)) {
    return;
  }
  for (int i = 1; i < SEARCH; i++) {
    double mid = (lo * at_hi - hi * at_lo) / (at_hi - at_lo);
    mid = i % 8 == 0 || !(mid > lo && mid < hi) ? 0.5 * (lo + hi) : mid;
    (void)rh_course_step(c, mid);
    double at = value(c, e, what, c->table);
    if (at == 0 || hi - lo <= 1e-13 * h || fabs(at) <= 1e-13 * (at_hi - at_lo)) {
      return;
    }
    if (at > 0) {
      hi = mid;
      at_hi = at;
      at_lo *= side > 0 ? 0.5 : 1; // the end that stays twice counts half
      side = 1;
    } else {
      lo = mid;
      at_lo = at;
      at_hi *= side < 0 ? 0.5 : 1;
      side = -1;
    }
  }
}

// ---- One event

static double mean_square(const rh_course *c)
{
  const double *p = c->y + c->r + c->n;
  double sum = 0;
  double all = 0;
  for (int i = 0; i < c->n; i++) {
    sum += p[3 * i + 2] * c->e[i] * c->e[i];
    all += p[3 * i + 2];
  }
  return all > 0 ? sum / all : 0;
}

static double begin_event(rh_course *c)
{
  const size_t rows = 3 * (size_t)c->n;
  double *lam = c->y + c->r;
  int count = 0;
  double slope = 0;
  double speed = 0;
  *work_of(c, c->y) = 0;
  c->even = c->smooth;
  memset(c->f, 0, rows * sizeof(double));
  rh_course_velocities(c, c->y, c->u);
  for (int i = 0; i < c->n; i++) {
    c->split[i] = c->u[3 * i + 2] < -STILL * c->speed;
    count += c->split[i] > 0;
  }
  for (int i = 0; i < c->n; i++) {
    c->split[i] /= count;
    lam[i] = c->rule->springs ? 0 : c->split[i];
  }
  for (size_t i = 0; i < (size_t)c->n; i++) {
    speed -= c->split[i] * c->u[3 * i + 2];
    for (size_t j = 0; j < (size_t)c->n; j++) {
      slope += c->split[i] * c->W[(3 * i + 2) * rows + 3 * j + 2] * c->split[j];
    }
  }
  return c->rule->springs ? 0.1 / c->rate : 0.1 * speed / slope;
}

// Is what is left in a spring worth while?
static bool pressed(const rh_course *c, int i)
{
  double d = c->W[(3 * (size_t)i + 2) * (3 * (size_t)c->n + 1)];
  return c->y[c->r + i] * d > 0.01 * SLOW * c->speed * c->rate;
}

// Springs: is nothing pressed, and does nothing approach?
static bool open_all(const rh_course *c)
{
  rh_course_velocities(c, c->y, c->u);
  for (int i = 0; i < c->n; i++) {
    if (pressed(c, i) || c->u[3 * i + 2] < -0.1 * SLOW * c->speed) {
      return false;
    }
  }
  return true;
}

// After a step of h that was good: true, it is over. The table is accepted, or a part of it.
static bool look(rh_course *c, event *e, double h)
{
  if (c->rule->local) {
    accept(c);
    return open_all(c);
  }
  if (e->compressing && value(c, e, WATCH_POWER, c->table) >= 0) {
    locate(c, e, WATCH_POWER, h);
    accept(c);
    e->compressing = false;
    e->Wc = *work_of(c, c->y);
    e->left = (1 - mean_square(c)) * e->Wc; // [Ch] 2.33*
    return e->left <= e->Wc;
  }
  bool ends = !e->compressing && *work_of(c, c->table) >= e->left;
  if (ends) {
    locate(c, e, WATCH_WORK, h);
  }
  accept(c);
  if (!ends && !e->compressing && value(c, e, WATCH_POWER, c->y) < 0) {
    e->compressing = true; // a shift: what is stored later counts
  }
  return ends || (!e->compressing && c->rule->springs && open_all(c));
}

// Of row i, under the impulses of now
static double acceleration(const rh_course *c, int i)
{
  const double *w = c->W + (size_t)i * 3 * (size_t)c->n;
  double sum = 0;
  for (int j = 0; j < c->n; j++) {
    sum += w[3 * j] * c->f[3 * j] + w[3 * j + 1] * c->f[3 * j + 1] + w[3 * j + 2] * c->y[c->r + j];
  }
  return sum;
}

// There are places where something new begins, and the error of a step across them is not seen. Such a step is to be a small one; the
// one before goes most of the way. `t`: when it will be.
static double shorten(double h, double t, double least)
{
  return t < h ? fmin(h, fmax(0.9 * t, least)) : h;
}

// Point i opens, or is let off.
static double cut_normal(const rh_course *c, int i, double h)
{
  double lam = c->y[c->r + i];
  double un = c->u[3 * i + 2];
  bool local = c->rule->local;
  double least = 0.1 * sqrt(c->tolerance) / c->rate;
  least *= local ? fmax(c->e[i], sqrt(c->tolerance)) : 1;
  if (!pressed(c, i)) {
    return h;
  }
  if (local && un > -STILL * c->speed) { // a stiff spring
    h = fmin(h, 0.2 * fmax(c->e[i], sqrt(c->tolerance)) / c->rate);
  }
  if (un > 0) {
    return shorten(h, lam * (local ? c->e[i] * c->e[i] : 1) / (c->kappa[i] * un), least);
  }
  double up = local ? acceleration(c, 3 * i + 2) : 0;
  return up > 0 ? shorten(h, -un / up, least) : h;
}

static double slip_inertia(const rh_course *c, int i)
{
  const size_t next = 3 * (size_t)c->n + 1;
  return c->W[3 * (size_t)i * next] + c->W[(3 * (size_t)i + 1) * next];
}

// Point i ceases to slip, or turns about: friction jumps, and what it does until then is wrong by as much.
static double cut_slip(const rh_course *c, int i, double h)
{
  const double *u = c->u + (ptrdiff_t)3 * i;
  double limit = c->mu[i] * c->y[c->r + i];
  double slip = u[0] * u[0] + u[1] * u[1];
  double d = slip_inertia(c, i);
  if (!(limit * d > 0) || sqrt(slip) <= 1e-7 * c->speed) {
    return h;
  }
  double slower = -(u[0] * acceleration(c, 3 * i) + u[1] * acceleration(c, 3 * i + 1));
  return slower > 0 ? shorten(h, slip / slower, 0.1 * c->tolerance * c->speed / (limit * d)) : h;
}

static double cut(const rh_course *c, double h)
{
  rh_course_velocities(c, c->y, c->u);
  for (int i = 0; i < c->n; i++) {
    h = c->rule->springs ? cut_normal(c, i, h) : h;
    h = c->smooth ? h : cut_slip(c, i, h);
  }
  return h;
}

// Has a point stopped or turned about within the step, and is the step not small?
static bool turned(rh_course *c, double h)
{
  bool any = false;
  rh_course_velocities(c, c->y, c->u);
  rh_course_velocities(c, c->table, c->p);
  for (int i = 0; i < c->n && !c->smooth; i++) {
    const double *a = c->u + (ptrdiff_t)3 * i;
    const double *b = c->p + (ptrdiff_t)3 * i;
    double from = sqrt(a[0] * a[0] + a[1] * a[1]);
    double to = sqrt(b[0] * b[0] + b[1] * b[1]);
    double push = c->table[c->r + i] * c->mu[i] * slip_inertia(c, i);
    any = any || (from > 1e-7 * c->speed && h * push > 0.2 * c->tolerance * c->speed &&
                  a[0] * b[0] + a[1] * b[1] < 0.5 * from * to + 1e-8 * c->speed * from);
  }
  return any;
}

static bool run_event(rh_course *c)
{
  event e = {.compressing = true};
  double h = begin_event(c);
  const double least = 1e-11 * h;
  for (int i = 0; i < STEPS; i++) {
    c->even = c->even || i > PATIENCE; // proportions by slip may hunt for ever
    double used = cut(c, h);
    double error = rh_course_step(c, used);
    if (isnan(error)) {
      return false;
    }
    double factor = error > 0 ? 0.9 * pow(error, -1.0 / RH_COURSE_ORDER) : 4;
    h = used < h && error <= 1 ? h : used * fmin(fmax(factor, 0.1), 4);
    if (!(error <= 1) && used > least) {
      continue;
    }
    if (turned(c, used)) {
      h = 0.3 * used;
      continue;
    }
    if (look(c, &e, used)) {
      return true;
    }
  }
  return false;
}

// ---- All

// Extrapolation has left friction of dependent points anywhere, and only what it does all together is right: impulses within the discs
// that do the same. Least 1/2 |B'p - z|^2.
static void gather(rh_course *c)
{
  double *q = c->y + c->r + c->n;
  double *z = c->table;
  rh_prox x = {.n = c->n,
               .r = c->r,
               .B = c->B,
               .u0 = c->u,
               .radius = c->radius,
               .sigma = c->sigma,
               .start = c->start,
               .steps = 40,
               .room = c->room};
  double most = 0;
  memset(c->u, 0, 3 * (size_t)c->n * sizeof(double));
  memset(z, 0, (size_t)c->r * sizeof(double));
  for (int k = 0; k < c->r; k++) {
    c->start[k] = -c->y[k];
  }
  for (int i = 0; i < c->n; i++) {
    double pn = fmax(q[3 * i + 2], 0);
    const double *b = c->B + (size_t)(3 * i + 2) * (size_t)c->r;
    c->radius[i] = c->mu[i] * pn;
    c->sigma[i] = 1e5 * c->radius[i] / c->speed;
    most = fmax(most, c->radius[i]);
    q[3 * i + 2] = pn;
    memcpy(c->p + (ptrdiff_t)3 * i, q + (ptrdiff_t)3 * i, 3 * sizeof(double));
    for (int k = 0; k < c->r; k++) {
      c->start[k] += b[k] * pn;
    }
  }
  x.small = 1e-10 * most * c->stiff;
  for (int round = 0; round < 5; round++) {
    (void)rh_prox_solve(&x, z, c->p);
  }
  for (int i = 0; i < 3 * c->n; i++) {
    q[i] = i % 3 == 2 ? q[i] : c->p[i];
  }
}

// Back to the order of the input; what still approaches is stopped, and rounding gains nothing.
static bool settle(rh_course *c, const rh_many_in *in, double *p, double *u_after, rh_many_out *out)
{
  const double *q = c->y + c->r + c->n;
  double change = 0;
  double turn = 0;
  double moved = 0;
  if (!c->smooth) {
    gather(c);
  }
  for (int i = 0; i < 3 * c->n; i++) {
    p[3 * (int)c->order[i / 3] + i % 3] = q[i];
  }
  bool good = rh_many_plastic(in, c->room, p, u_after);
  for (int i = 0; i < 3 * c->n; i++) {
    change += 0.5 * p[i] * (in->u[i] + u_after[i]);
    turn += p[i] * in->u[i];
    moved += 0.5 * p[i] * (u_after[i] - in->u[i]);
  }
  if (change > 0 && turn < 0) {
    double scale = -turn / moved;
    for (int i = 0; i < 3 * c->n; i++) {
      p[i] *= scale;
      u_after[i] = in->u[i] + scale * (u_after[i] - in->u[i]);
    }
    change = 0;
  }
  out->Dt = -change - out->Dn;
  return good;
}

bool rh_course_run(const rh_many_in *in, const rh_course_rule *rule, double tolerance, double *room,
                   double *p, double *u_after, rh_many_out *out)
{
  rh_course c = {.rule = rule, .tolerance = tolerance};
  if (!rh_many_open(in, p, u_after, out)) {
    return true;
  }
  open_course(&c, in, room);
  bool good = true;
  double first = fastest(&c);
  double now = first;
  for (int i = 0; i < EVENTS && good && now > SLOW * first; i++) {
    good = run_event(&c);
    double W = *work_of(&c, c.y);
    out->Dn -= W;
    if (out->impacts < RH_MANY_EVENTS) {
      out->Wn[out->impacts] = W;
    }
    out->impacts++;
    now = fastest(&c);
  }
  out->free = rh_many_free(in, c.y + c.r + c.n, c.order, c.room);
  return settle(&c, in, p, u_after, out) && good;
}
