// A guess for the impulses of a pile at rest: weights handed down from body to body. Sweeps pass a load
// on by about a body a sweep, and shares of it between columns far more slowly; this passes all of it in
// one go. Bodies that hardly moved before the step are visited from above, each after all that it
// carries: the momentum that the impulses so far leave it is taken by the contacts that hold it from
// below, by the smallest changes that balance force and moment,
//   d_i = l + o x r_i,   sum d_i = -m v,   sum r_i x d_i = -I w,
// none of which pulls; what friction cannot take stays. The bodies below receive the opposite. Where every body stands on
// what is below it (stacks, walls, pyramids) nothing moves after that, to rounding, and the first sweep
// finds all contacts solved. Elsewhere (arches, bodies wedged between others) momentum is left; if that is not much less
// than before, the impulses stay those of the last step. Sweeps decide in either case: this is where they
// begin, not an answer.
// Cf. the shock propagation of Guendelman, Bridson and Fedkiw 2003, which is an answer: there a body below is heavy, and receives
// nothing.
#include "stepping/contact_kernels.h"

enum { HOLDERS = 32, ROUNDS = 6 }; // contacts below a body; times that some of them let go

static const double STEEP = 0.3; // [1] least upright part of the normal of a contact that holds
// [1] of the speed of a step of fall: a body that rested before, a gap that closes;
static const double SLOW = 0.1;
// [1] of its energy: what the impulses of the last step leave to a pile that they hold. Balls stand by arches, which weights do not go
// through: of balls alone only piles that nothing holds are worth a try.
static const double HELD = 1e-6;
static const double HELD_BALLS = 0.3;
static const double BETTER = 0.1; // [1] of the energy that was left
static const double STILL = 1e-5; // [1] of the tolerance: what rounding leaves

typedef struct pile {
  const rh_step_world *w;
  const rh_step_island *s;
  rh_vec3 up;
  double fall; // [m/s] speed of a step of fall
  int *first;  // of a body: its holders in `holder`
  int *waits;  // contacts of bodies above it that were not visited
  int *holder; // contacts, body by body
  int end;     // of `holder`
  int *queue;  // bodies in the order of visits
} pile;

typedef struct holder { // a contact that holds a body from below
  int row;
  double sign;     // of its impulse on the body
  rh_vec3 n, r, p; // normal towards the body, [m] point from its centre, [N s] impulse on it
  rh_vec3 d;       // [N s] change
  bool off;        // it carries nothing
} holder;

static bool is_slow(const pile *x, int i)
{
  const rh_step_body *c = &x->w->body[i];
  double slow = SLOW * x->fall;
  return i > 0 && rh_dot(c->v0, c->v0) + c->size * c->size * rh_dot(c->w0, c->w0) <= slow * slow;
}

// The body that row k holds from below; 0: none
static int upper_of(const pile *x, int k)
{
  const rh_step_row *c = &x->w->row[k];
  double rise = rh_dot(rh_step_read_vec(c->n), x->up);
  int upper = rise > STEEP ? c->a : rise < -STEEP ? c->b : 0;
  int lower = upper == c->a ? c->b : c->a;
  bool below = upper > 0 && c->bias <= SLOW * x->fall && is_slow(x, upper) &&
               (lower == 0 || is_slow(x, lower));
  return below ? upper : 0;
}

// Lists the holders of each body, and the bodies that carry nothing: their number.
static int list_holders(pile *x)
{
  const rh_step_world *w = x->w;
  const rh_step_island *s = x->s;
  int n = 0;
  int at = s->con;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    x->first[w->member[k]] = x->waits[w->member[k]] = 0;
  }
  for (int k = s->con; k < s->con + s->ncon; k++) {
    int upper = upper_of(x, k);
    if (upper > 0) {
      x->first[upper]++;
      x->waits[w->row[k].a + w->row[k].b - upper] += w->row[k].a > 0 && w->row[k].b > 0;
    }
  }
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    int i = w->member[k];
    at += x->first[i];
    x->first[i] = at;
    if (x->waits[i] == 0) {
      x->queue[s->con + n++] = i;
    }
  }
  x->end = at;
  for (int k = s->con + s->ncon - 1; k >= s->con; k--) {
    int upper = upper_of(x, k);
    if (upper > 0) {
      x->holder[--x->first[upper]] = k;
    }
  }
  return n;
}

// The symmetric 3 x 3 system K x = b; directions without stiffness stay zero.
static rh_vec3 solve_symmetric(const double K[6], rh_vec3 b)
{
  double slight = 1e-10 * (K[0] + K[1] + K[2]);
  double i0 = K[0] > slight ? 1 / K[0] : 0;
  double l1 = K[3] * i0;
  double l2 = K[4] * i0;
  double d1 = K[1] - l1 * K[3];
  double i1 = d1 > slight ? 1 / d1 : 0;
  double e = K[5] - l1 * K[4];
  double l3 = e * i1;
  double d2 = K[2] - l2 * K[4] - l3 * e;
  double i2 = d2 > slight ? 1 / d2 : 0;
  double y1 = b.y - l1 * b.x;
  double z = (b.z - l2 * b.x - l3 * y1) * i2;
  double y = y1 * i1 - l3 * z;
  return rh_v3(b.x * i0 - l1 * y - l2 * z, y, z);
}

// The smallest changes of the holders that are on with the force P and the moment L
static void share_load(holder *h, int n, rh_vec3 P, rh_vec3 L)
{
  double K[6] = {0, 0, 0, 0, 0, 0};
  rh_vec3 centre = rh_v3(0, 0, 0);
  int on = 0;
  for (int i = 0; i < n; i++) {
    if (h[i].off) {
      h[i].d = rh_scale(-1, h[i].p);
      P = rh_sub(P, h[i].d);
      L = rh_sub(L, rh_cross(h[i].r, h[i].d));
    } else {
      centre = rh_add(centre, h[i].r);
      on++;
    }
  }
  centre = rh_scale(1.0 / rh_greater(on, 1), centre);
  for (int i = 0; i < n; i++) {
    rh_vec3 r = rh_sub(h[i].r, centre);
    double square = h[i].off ? 0 : rh_dot(r, r);
    double one = h[i].off ? 0 : 1;
    K[0] += square - one * r.x * r.x;
    K[1] += square - one * r.y * r.y;
    K[2] += square - one * r.z * r.z;
    K[3] -= one * r.x * r.y;
    K[4] -= one * r.x * r.z;
    K[5] -= one * r.y * r.z;
  }
  rh_vec3 turn = solve_symmetric(K, rh_sub(L, rh_cross(centre, P)));
  P = rh_scale(1.0 / rh_greater(on, 1), P);
  for (int i = 0; i < n; i++) {
    if (!h[i].off) {
      h[i].d = rh_add(P, rh_cross(turn, rh_sub(h[i].r, centre)));
    }
  }
}

// Contacts that would pull let go. True: some did.
static bool let_go(holder *h, int n)
{
  bool any = false;
  for (int i = 0; i < n; i++) {
    if (!h[i].off && rh_dot(h[i].n, h[i].p) + rh_dot(h[i].n, h[i].d) < 0) {
      h[i].off = any = true;
    }
  }
  return any;
}

// An impulse within the cone of friction
static rh_vec3 limit_to_cone(rh_vec3 p, rh_vec3 n, double mu)
{
  double pn = rh_dot(p, n);
  rh_vec3 t = rh_addscaled(p, -pn, n);
  double square = rh_dot(t, t);
  pn = pn > 0 ? pn : 0;
  double shrink = square > mu * mu * pn * pn ? mu * pn / sqrt(square) : 1;
  return rh_add(rh_scale(pn, n), rh_scale(shrink, t));
}

static void set_row(const rh_step_world *w, rh_step_row *c, rh_vec3 p)
{
  rh_vec3 n = rh_step_read_vec(c->n);
  c->p[3] = rh_greater(rh_dot(p, n), 0);
  if (c->round) {
    rh_step_write_vec(rh_addscaled(p, -rh_dot(p, n), n), c->p);
  } else {
    c->p[0] = rh_dot(p, rh_step_read_vec(w->general[c->any].t1));
    c->p[1] = rh_dot(p, rh_step_read_vec(w->general[c->any].t2));
  }
}

// Is place k of the list one of the holders of body i?
static bool is_holder_of(const pile *x, int k, int i)
{
  return k < x->end && upper_of(x, x->holder[k]) == i;
}

static int read_holders(const pile *x, int i, holder *h)
{
  const rh_step_world *w = x->w;
  int n = 0;
  for (int k = x->first[i]; n < HOLDERS && is_holder_of(x, k, i); k++, n++) {
    const rh_step_row *c = &w->row[x->holder[k]];
    rh_vec3 r[2];
    rh_step_arms(w, c, r);
    double sign = c->a == i ? 1 : -1;
    h[n] = (holder){.row = x->holder[k],
                    .sign = sign,
                    .n = rh_scale(sign, rh_step_read_vec(c->n)),
                    .r = c->a == i ? r[0] : r[1],
                    .p = rh_scale(sign, rh_step_impulse(w, c, c->p))};
  }
  return n;
}

// [N m s]
static rh_vec3 turn_of(const rh_step_world *w, int i)
{
  const rh_step_body *c = &w->body[i];
  rh_vec3 spin = rh_unrotate(&c->R, rh_step_read_vec(w->velocity[i].w));
  return rh_rotate(&c->R, rh_sym3_mul(&c->I, spin));
}

// The momentum of a body goes to the contacts that hold it.
static void hand_down(const pile *x, int i)
{
  const rh_step_world *w = x->w;
  holder h[HOLDERS];
  int n = read_holders(x, i, h);
  if (n == 0) {
    return;
  }
  rh_vec3 P = rh_scale(-w->body[i].mass, rh_step_read_vec(w->velocity[i].v));
  rh_vec3 L = rh_scale(-1, turn_of(w, i));
  for (int k = 0; k < ROUNDS; k++) {
    share_load(h, n, P, L);
    if (!let_go(h, n)) {
      break;
    }
  }
  for (int k = 0; k < n; k++) {
    rh_step_row *c = &w->row[h[k].row];
    rh_vec3 p = limit_to_cone(rh_add(h[k].p, h[k].d), h[k].n, c->mu);
    rh_step_free_push(w, c, rh_scale(h[k].sign, rh_sub(p, h[k].p)));
    set_row(w, c, rh_scale(h[k].sign, p));
  }
}

// Bodies below that carry no other one that was not visited are next.
static int release_lower(const pile *x, int i, int n)
{
  const rh_step_world *w = x->w;
  for (int k = x->first[i]; is_holder_of(x, k, i); k++) {
    const rh_step_row *c = &w->row[x->holder[k]];
    int lower = c->a + c->b - i;
    if (lower > 0 && --x->waits[lower] == 0) {
      x->queue[x->s->con + n++] = lower;
    }
  }
  return n;
}

// Energy of what should rest, at most, and its mass; the largest speed of all bodies
static void measure_unrest(rh_step_worker *worker, rh_step_slice *s, const void *user)
{
  const rh_step_world *w = worker->world;
  const pile *x = user;
  double largest = 0;
  s->work = s->other = 0;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    int i = w->member[k];
    const rh_step_body *c = &w->body[i];
    const rh_step_velocity *b = &w->velocity[i];
    double turn = b->w[0] * b->w[0] + b->w[1] * b->w[1] + b->w[2] * b->w[2];
    double move = b->v[0] * b->v[0] + b->v[1] * b->v[1] + b->v[2] * b->v[2];
    double square = move + c->size * c->size * turn;
    largest = rh_greater(largest, square);
    if (is_slow(x, i)) {
      s->work += 0.5 * c->mass * square;
      s->other += c->mass;
    }
  }
  s->largest = largest;
}

static rh_step_slice unrest_of(rh_step_worker *worker, const pile *x)
{
  return rh_step_for_each_slice(worker, x->s, measure_unrest, x, RH_STEP_SUMMED);
}

// Free bodies and rigid contacts
static bool may_be_pile(const rh_step_world *w, const rh_step_island *s)
{
  return s->nmob <= s->ncon && s->con + s->ncon <= w->contacts.capacity && w->weight > 0 &&
         !w->laws.compliant && !w->laws.belt && !w->laws.turn && s->nloop == 0 &&
         !(w->trees.n > 0 && rh_step_island_trees(w, s));
}

bool rh_step_hand_down(rh_step_worker *worker, const rh_step_island *s, double h, double gap)
{
  const rh_step_world *w = worker->world;
  const double still = STILL * w->par.tolerance;
  bool closed = gap <= still; // there may be no loads
  if (!may_be_pile(w, s) || (!w->shapes.edged && !closed)) {
    return false;
  }
  pile x = {.w = w,
            .s = s,
            .up = rh_scale(-1 / w->weight, w->m->gravity),
            .fall = w->weight * h,
            .first = w->parts.label,
            .waits = w->parts.layer,
            .holder = w->parts.spare,
            .queue = w->parts.cell};
  const rh_step_slice before = unrest_of(worker, &x);
  const double held = w->shapes.edged ? HELD : HELD_BALLS;
  if (before.work <= held * 0.5 * x.fall * x.fall * before.other) {
    return before.largest <= still * still && closed;
  }
  rh_step_answer_keep(w, s);
  int n = list_holders(&x);
  for (int k = 0; k < n; k++) {
    int i = x.queue[s->con + k];
    hand_down(&x, i);
    n = release_lower(&x, i, n);
  }
  if (unrest_of(worker, &x).work > BETTER * before.work) {
    rh_step_answer_swap(w, s);
  }
  return false;
}
