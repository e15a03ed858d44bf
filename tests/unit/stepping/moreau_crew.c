// unit_moreau_crew.c: threads of the engine stepping: worlds of trees, limits, dry friction, loops, free bodies, impacts and compliant contacts have the same bits
// in state, ledger and events for any number of threads; events come in the order of time; a step allocates nothing.
#include "memory.h"
#include "moreau.h"

#include "stepping/stepping.h"

// ---- A yard of machines, some two metres apart so that most are islands of their own

typedef struct yard {
  text bodies, joints, shapes, loops;
  rng r;
} yard;

static void add_ball(yard *y, int i, double x, double z)
{
  put(&y->bodies, "  - {name: ball%d, mass: %.17g}\n", i, rng_in(&y->r, 0.5, 2));
  put(&y->joints,
      "  - {kind: free, child: ball%d, q: [%.17g, 0, %.17g, 1, 0, 0, 0], v: [%.17g, 0, -1, 0, 3, "
      "0]}\n",
      i, x, z, rng_in(&y->r, -0.3, 0.3));
  put(&y->shapes, "  - {body: ball%d, kind: sphere, radius: 0.1}\n", i);
}

// A double pendulum whose joints rub and rebound at their limits
static void add_pendulum(yard *y, int i, double x)
{
  put(&y->bodies,
      "  - {name: a%d, mass: 1, com: [0, 0, -0.2], inertia: [0.02, 0.02, 0.01, 0, 0, 0]}\n"
      "  - {name: b%d, mass: 0.5, com: [0, 0, -0.2], inertia: [0.01, 0.01, 0.01, 0, 0, 0]}\n",
      i, i);
  put(&y->joints,
      "  - {name: ja%d, kind: revolute, child: a%d, at: [%.17g, 0, 2], axis: [0, 1, 0], q: %.17g, "
      "limits: [-0.4, 1.5], bounce: 0.7, friction: 0.02}\n"
      "  - {name: jb%d, kind: revolute, parent: a%d, child: b%d, at: [0, 0, -0.4], axis: [0, 1, "
      "0], limits: [-1, 0.3], damper: 0.01, stiction: 0.05, friction: 0.03}\n",
      i, i, x, rng_in(&y->r, 0.5, 1.4), i, i, i);
}

// A trunk on two legs that falls on the ground and on its hands; it bounces at first
static void add_walker(yard *y, int i, double x)
{
  put(&y->bodies, "  - {name: t%d, mass: 5, inertia: [0.2, 0.2, 0.1, 0, 0, 0]}\n", i);
  put(&y->joints,
      "  - {kind: free, child: t%d, q: [%.17g, 0, %.17g, 1, 0, 0, 0], v: [%.17g, 0, 0, 0.1, 0.4, "
      "0]}\n",
      i, x, rng_in(&y->r, 0.8, 0.9), rng_in(&y->r, -0.2, 0.2));
  put(&y->shapes, "  - {body: t%d, kind: box, size: [0.3, 0.2, 0.4]}\n", i);
  for (int leg = 0; leg < 2; leg++) {
    put(&y->bodies,
        "  - {name: l%d-%d, mass: 1, com: [0, 0, -0.15], inertia: [0.01, 0.01, 0.005, 0, 0, 0]}\n",
        i, leg);
    put(&y->joints,
        "  - {kind: revolute, parent: t%d, child: l%d-%d, at: [%.17g, 0, -0.25], axis: [0, 1, 0], "
        "limits: [-0.8, 0.8], spring: 20, damper: 0.5}\n",
        i, i, leg, leg == 0 ? -0.1 : 0.1);
    put(&y->shapes,
        "  - {body: l%d-%d, kind: capsule, radius: 0.04, length: 0.2, at: [0, 0, -0.15]}\n", i,
        leg);
  }
}

// Two links on the ground, closed by a pin; a free body on a rod hangs beside them
static void add_linkage(yard *y, int i, double x)
{
  put(&y->bodies,
      "  - {name: c%d, mass: 1, com: [0.2, 0, 0], inertia: [0.01, 0.02, 0.02, 0, 0, 0]}\n"
      "  - {name: d%d, mass: 1, com: [0, 0, 0.2], inertia: [0.01, 0.02, 0.02, 0, 0, 0]}\n"
      "  - {name: bob%d, mass: 1}\n",
      i, i, i);
  put(&y->joints,
      "  - {kind: revolute, child: c%d, at: [%.17g, 0, 1.5], axis: [0, 1, 0]}\n"
      "  - {kind: revolute, parent: c%d, child: d%d, at: [0.4, 0, 0], axis: [0, 1, 0], friction: "
      "0.01}\n"
      "  - {kind: free, child: bob%d, q: [%.17g, 0, 1.2, 1, 0, 0, 0]}\n",
      i, x, i, i, i, x - 0.7);
  put(&y->shapes, "  - {body: bob%d, kind: sphere, radius: 0.1}\n", i);
  put(&y->loops,
      "  - {name: pin%d, kind: distance, body: d%d, at: [0, 0, 0.4], to_at: [%.17g, 0, 2]}\n"
      "  - {name: rod%d, kind: distance, body: bob%d, to_at: [%.17g, 0, 2]}\n",
      i, i, x + 0.5, i, i, x - 0.3);
}

static rh_model *yard_of(uint64_t seed, int machines, int threads)
{
  static yard y;
  static text all;
  y.r = (rng){seed};
  y.bodies.n = y.joints.n = y.shapes.n = y.loops.n = all.n = 0;
  for (int i = 0; i < machines; i++) {
    double x = 2 * i;
    switch (i % 4) {
    case 0:
      add_walker(&y, i, x);
      add_ball(&y, i, x + 0.05, 1.4); // on its head
      break;
    case 1:
      add_pendulum(&y, i, x);
      break;
    case 2:
      add_linkage(&y, i, x);
      break;
    default:
      for (int k = 0; k < 3; k++) {
        add_ball(&y, 100 * i + k, x + 0.01 * k, 0.3 + 0.25 * k);
      }
    }
  }
  put(&all, DOWN "bodies:\n%s", y.bodies.s);
  put(&all, "joints:\n%s", y.joints.s);
  put(&all, "shapes:\n  - " FLOOR "\n%s", y.shapes.s);
  put(&all, "loops:\n%s", y.loops.s);
  put(&all,
      "contacts:\n"
      "  - {body: ball0, against: world, law: hunt-crossley, k: 1e5, n: 1.5, alpha: 0.2, friction: "
      "coulomb, mu: 0.4}\n"
      "  - {body: world, against: all, law: newton, e: 0.6, friction: dry, mu_s: 0.5, mu_k: 0.4}\n"
      "  - {body: all, against: all, law: poisson, e: 0.5, friction: dry, mu_s: 0.3, mu_k: 0.3}\n"
      "run: {until: %.17g, engine: stepping, dt: 2e-3, threads: %d, check_solution: "
      "steps}\nrecord: "
      "{every: "
      "0.02}\n",
      RH_TEST_SLOW ? 0.3 : 1.0, threads);
  return model_from(all.s, NULL, 0);
}

// ---- What a run leaves

typedef struct trace {
  uint64_t hash; // of states, ledger and events, in the order in which they were told
  long events;
  double last; // [s]
  bool back;   // an event was told before an earlier one
} trace;

static void mix(trace *t, const void *x, size_t bytes)
{
  const unsigned char *c = x;
  for (size_t i = 0; i < bytes; i++) {
    t->hash = (t->hash ^ c[i]) * 0x100000001b3u;
  }
}

static rh_status hear(void *user, const rh_sim *sim, const rh_event *e)
{
  trace *t = user;
  const double numbers[] = {e->t,       e->point[0], e->point[1], e->point[2], e->before, e->after,
                            e->impulse, e->friction, e->Dn,       e->Dt,       e->work};
  (void)sim;
  mix(t, e->name, strlen(e->name));
  mix(t, numbers, sizeof numbers);
  t->back = t->back || e->t < t->last;
  t->last = e->t;
  t->events++;
  return RH_OK;
}

static rh_status see(void *user, const rh_sim *sim, long index)
{
  trace *t = user;
  (void)index;
  const rh_data *d = rh_sim_view(sim);
  uint64_t hash = rh_data_hash(d, 0);
  rh_ledger l = rh_sim_ledger(sim);
  mix(t, &hash, sizeof hash);
  mix(t, d->work, (size_t)d->model->layout.nwork * sizeof *d->work);
  mix(t, &l.kinetic, sizeof l.kinetic);
  mix(t, &l.residue, sizeof l.residue);
  return RH_OK;
}

static trace trace_of(rh_model *model, bool frugal, rh_status want)
{
  trace t = {.hash = 0xcbf29ce484222325u};
  rh_sim *sim = sim_of(model);
  rh_observer observer = {&t, see, hear, NULL};
  rh_sim_observe(sim, &observer);
  if (frugal) { // when it has begun
    ck_assert_int_eq(rh_sim_run(sim, 0.01), RH_OK);
    memory_watch(0);
  }
  rh_status status = rh_sim_run(sim, model->run.until);
  if (frugal) {
    ck_assert_int_eq(the_memory.calls, 0);
    rh_hook_set_allocator(NULL);
  }
  ck_assert_msg(status == want, "%s", rh_sim_reason(sim));
  rh_step_counts tally = ((rh_step_world *)sim->engine)->tally;
  mix(&t, &tally, sizeof tally);
  const double stats[] = {sim->impact.e_lo, sim->impact.e_hi, sim->impact.peak,
                          sim->checked.residual};
  const long counts[] = {sim->checked.over, sim->checked.undetermined, sim->checked.several};
  mix(&t, stats, sizeof stats);
  mix(&t, counts, sizeof counts);
  rh_sim_observe(sim, NULL);
  finish(sim, model);
  return t;
}

static const int crews[] = {2, 3, 5};

START_TEST(threads_change_no_bit)
{
  for (uint64_t seed = 1; seed <= 3; seed++) {
    trace one = trace_of(yard_of(seed, 12, 1), false, RH_OK);
    ck_assert_int_gt(one.events, 20); // limits and contacts both strike
    ck_assert(!one.back);
    for (size_t k = 0; k < RH_COUNT(crews); k++) {
      trace other = trace_of(yard_of(seed, 12, crews[k]), false, RH_OK);
      ck_assert_int_eq(one.events, other.events);
      ck_assert_msg(one.hash == other.hash, "seed %d, %d threads", (int)seed, crews[k]);
    }
  }
}

END_TEST

START_TEST(a_step_allocates_nothing)
{
  (void)trace_of(yard_of(7, 12, 3), true, RH_OK);
}

END_TEST

// ---- Many shapes and pairs: the parts of a step before there are islands are shared out too

static rh_scene *ground(void)
{
  rh_scene *s = rh_scene_create();
  rh_world_def world = rh_world_default();
  rh_shape_def floor = rh_shape_default("plane");
  set3(world.gravity, rh_v3(0, 0, -G));
  rh_scene_set_world(s, &world);
  floor.body = rh_name_of("world");
  ck_assert_int_ge(rh_scene_add_shape(s, &floor), 0);
  return s;
}

// Towers of three, some of boxes, that fall together; contacts > 0: no room for more
static rh_model *towers_of(int towers, int contacts, int threads)
{
  rh_scene *s = ground();
  rng r = {42};
  rh_run_def run = rh_run_default("stepping", NULL);
  rh_contact_def c = rh_contact_default("newton", "dry");
  rh_row row = rh_engine_find("stepping")->row;
  for (int i = 0; i < 3 * towers; i++) {
    char name[16];
    rh_body_def body = rh_body_default();
    rh_joint_def j = rh_joint_default("free");
    bool box = i % 4 == 0;
    rh_shape_def shape = rh_shape_default(box ? "box" : "sphere");
    (void)snprintf(name, sizeof name, "b%d", i);
    body.name = j.name = j.child = shape.body = rh_name_of(name);
    body.mass = rng_in(&r, 0.5, 1);
    j.parent = rh_name_of("world");
    j.q = (rh_list){7, {i / 3 % 20, i / 60, 0.12 + 0.22 * (i % 3), 1, 0, 0, 0}};
    j.v = (rh_list){6, {rng_in(&r, -0.1, 0.1), 0, -0.5, 0, 0, rng_in(&r, -1, 1)}};
    for (int k = 0; k < (box ? 3 : 1); k++) {
      shape.par[k] = box ? 0.2 : 0.1;
    }
    ck_assert_int_ge(rh_scene_add_body(s, &body), 0);
    ck_assert_int_ge(rh_scene_add_joint(s, &j), 0);
    ck_assert_int_ge(rh_scene_add_shape(s, &shape), 0);
  }
  c.body = c.against = rh_name_of("all");
  c.par[0] = 0.3;
  ck_assert_int_ge(rh_scene_add_contact(s, &c), 0);
  run.until = 0.04;
  run.contacts = contacts;
  run.par[rh_row_offset(&row, rh_row_find(&row, "dt"))] = 2e-3;
  run.par[rh_row_offset(&row, rh_row_find(&row, "threads"))] = threads;
  rh_scene_set_run(s, &run);
  return model_of(s);
}

START_TEST(many_shapes)
{
  for (int tight = 0; tight < 2; tight++) { // the second time it must stop, and in the same state
    int contacts = tight ? 180 : 0;
    rh_status want = tight ? RH_STOPPED : RH_OK;
    trace one = trace_of(towers_of(120, contacts, 1), false, want);
    for (size_t k = 0; k < RH_COUNT(crews); k++) {
      trace other = trace_of(towers_of(120, contacts, crews[k]), false, want);
      ck_assert_int_eq(one.events, other.events);
      ck_assert_msg(one.hash == other.hash, "tight %d, %d threads", tight, crews[k]);
    }
  }
}

END_TEST

// ---- Fast bodies

// Balls and swinging rods meet plates so fast that what passes must be looked for.
static rh_model *volley_of(int threads)
{
  static text t;
  t.n = 0;
  put(&t, DOWN "bodies:\n");
  for (int i = 0; i < 24; i++) {
    put(&t,
        "  - {name: p%d, mass: 5}\n  - {name: b%d, mass: 0.2}\n"
        "  - {name: r%d, mass: 1, com: [0, 0, -0.3], inertia: [0.04, 0.04, 0.001, 0, 0, 0]}\n",
        i, i, i);
  }
  put(&t, "joints:\n");
  for (int i = 0; i < 24; i++) {
    double far = 0.3 + 0.02 * (i % 3);
    put(&t,
        "  - {kind: free, child: p%d, q: [0, %d, 1, 1, 0, 0, 0]}\n"
        "  - {kind: free, child: b%d, q: [%g, %d, 1, 1, 0, 0, 0], v: [30, 0, 0, 0, 5, 0]}\n"
        "  - {kind: revolute, child: r%d, at: [1, %g, 1], axis: [0, 1, 0], q: %g, v: 25}\n",
        i, i, i, -far, i, i, i + 0.5, 0.1 * i);
  }
  put(&t, "shapes:\n  - " FLOOR "\n");
  for (int i = 0; i < 24; i++) {
    put(&t,
        "  - {body: p%d, kind: box, size: [0.03, 0.3, 0.3]}\n"
        "  - {body: b%d, kind: sphere, radius: 0.02}\n"
        "  - {body: r%d, kind: capsule, radius: 0.02, length: 0.5, at: [0, 0, -0.3]}\n",
        i, i, i);
  }
  put(&t, "contacts:\n  - {body: all, against: all, law: newton, e: 0.5, friction: dry, mu_s: 0.3, "
          "mu_k: 0.3}\n");
  put(&t, "run: {until: 0.06, engine: stepping, dt: 1e-3, threads: %d}\nrecord: {every: 0.01}\n",
      threads);
  return model_from(t.s, NULL, 0);
}

START_TEST(fast_bodies)
{
  trace one = trace_of(volley_of(1), false, RH_OK);
  for (size_t k = 0; k < RH_COUNT(crews); k++) {
    trace other = trace_of(volley_of(crews[k]), false, RH_OK);
    ck_assert_msg(one.hash == other.hash, "%d threads", crews[k]);
  }
}

END_TEST

// Every ball and plate jumps, some of them far.
static void fling_bodies(rh_step_world *w, uint64_t seed)
{
  rng r = {seed};
  for (int i = 1; i <= w->nfree; i++) {
    double most = i % 5 == 0 ? 1 : 0.02;
    rh_vec3 way = rh_v3(rng_in(&r, -most, most), rng_in(&r, -most, most), rng_in(&r, -0.1, 0.1));
    rh_step_write_vec(rh_scale(1 / w->par.dt, way), w->velocity[i].v);
    w->body[i].x = rh_add(w->body[i].x, way);
  }
}

// All pairs examined one by one. Returns the number that passed.
static int count_passed(const rh_step_world *w, const rh_passed_pair *found)
{
  int n = 0;
  bool has = false;
  for (int a = 0; a < w->m->nshape; a++) {
    for (int b = a + 1; b < w->m->nshape; b++) {
      rh_shape_pair pair = {.a = a, .b = b};
      const rh_geom to[2] = {rh_step_placed(w, a), rh_step_placed(w, b)};
      const rh_geom *const from[2] = {&w->shapes.geom_start[a], &w->shapes.geom_start[b]};
      if (rh_step_may_collide(w, &pair) &&
          rh_pair_passes(w->m, (int[]){a, b}, from, (const rh_geom *[]){&to[0], &to[1]})) {
        has = has || (found->shape[0] == a && found->shape[1] == b) ||
              (found->shape[0] == b && found->shape[1] == a);
        n++;
      }
    }
  }
  ck_assert(has == (found->contact != RH_NONE));
  return n;
}

// What passed is found on the ways of the fast ones alone, the same pair by any number of threads.
START_TEST(what_passed)
{
  int passed = 0;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    rh_passed_pair one = {.contact = RH_NONE};
    for (int threads = 1; threads <= 3; threads++) {
      rh_model *model = volley_of(threads);
      rh_sim *sim = sim_of(model);
      ck_assert_int_eq(rh_sim_run(sim, 2e-3), RH_OK);
      rh_step_world *w = sim->engine;
      rh_step_collide(w);
      rh_step_pass_begin(w);
      fling_bodies(w, seed);
      rh_passed_pair found = rh_step_passed(w);
      int n = count_passed(w, &found);
      ck_assert((n > 0) == (found.contact != RH_NONE));
      one = threads == 1 ? found : one;
      ck_assert_int_eq(one.contact, found.contact);
      ck_assert(found.contact == RH_NONE ||
                (found.shape[0] == one.shape[0] && found.shape[1] == one.shape[1]));
      passed += n > 0;
      finish(sim, model);
    }
  }
  ck_assert_int_gt(passed, 6); // and in some nothing
  ck_assert_int_lt(passed, 60);
}

END_TEST

// ---- One large island

enum { SIDE = 12 };

// A block of balls that touch, on the floor; a corner is pushed. `apart`: its columns, one in three of one ball, do not touch
static rh_model *block_of(double e, int threads, bool apart)
{
  rh_scene *s = ground();
  rh_run_def run = rh_run_default("stepping", NULL);
  rh_contact_def c = rh_contact_default("newton", "dry");
  rh_row row = rh_engine_find("stepping")->row;
  const int layer = SIDE * SIDE * (apart ? 4 : 1);
  for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
    char name[16];
    rh_body_def body = rh_body_default();
    rh_joint_def j = rh_joint_default("free");
    rh_shape_def shape = rh_shape_default("sphere");
    (void)snprintf(name, sizeof name, "b%d", i);
    body.name = j.name = j.child = shape.body = rh_name_of(name);
    body.mass = 1;
    j.parent = rh_name_of("world");
    j.q = (rh_list){
        7,
        {0.2 * (i % SIDE), 0.2 * (i / SIDE % SIDE), 0.1 + 0.2 * (i / (SIDE * SIDE)), 1, 0, 0, 0}};
    if (apart) {
      int column = i % layer;
      j.q.x[0] = 0.21 * (column % 24);
      j.q.x[1] = 0.21 * (column / 24);
      j.q.x[2] = 0.1 + (column % 3 == 0 ? 0.23 : 0.2) * (i / layer);
    }
    j.v = (rh_list){6, {i == 0 ? 2 : 0, 0, 0, 0, 0, 0}};
    shape.par[0] = 0.1;
    ck_assert_int_ge(rh_scene_add_body(s, &body), 0);
    ck_assert_int_ge(rh_scene_add_joint(s, &j), 0);
    ck_assert_int_ge(rh_scene_add_shape(s, &shape), 0);
  }
  c.body = c.against = rh_name_of("all");
  c.par[0] = e;
  ck_assert_int_ge(rh_scene_add_contact(s, &c), 0);
  run.until = 0.01;
  run.par[rh_row_offset(&row, rh_row_find(&row, "dt"))] = 1e-3;
  run.par[rh_row_offset(&row, rh_row_find(&row, "threads"))] = threads;
  rh_scene_set_run(s, &run);
  return model_of(s);
}

// Every contact is in one slice, and so is every body, and slices of one colour share no body.
START_TEST(slices_share_no_body)
{
  rh_model *model = block_of(0, 1, false);
  rh_sim *sim = sim_of(model);
  ck_assert_int_eq(rh_sim_run(sim, 2e-3), RH_OK);
  const rh_step_world *w = sim->engine;
  int *seen = calloc((size_t)w->nfree + 1, sizeof *seen); // the slice of its colour that has it
  int contacts = 0;
  int bodies = 0;
  ck_assert_int_eq(w->nisland, 1);
  ck_assert_int_ge(w->parts.nslice, 4);
  for (int colour = 0; colour < 4; colour++) {
    memset(seen, 0, ((size_t)w->nfree + 1) * sizeof *seen);
    for (int i = colour; i < w->parts.nslice; i += 4) {
      contacts += w->parts.slice[i].ncon;
      bodies += w->parts.slice[i].nmob;
      for (int k = 2 * w->parts.slice[i].con;
           k < 2 * (w->parts.slice[i].con + w->parts.slice[i].ncon); k++) {
        int body = k % 2 == 0 ? w->row[k / 2].a : w->row[k / 2].b;
        ck_assert(body == 0 || seen[body] == 0 || seen[body] == i + 1);
        seen[body] = i + 1;
      }
    }
  }
  ck_assert_int_eq(contacts, w->contacts.n);
  ck_assert_int_eq(bodies, w->nfree);
  free(seen);
  finish(sim, model);
}

END_TEST

START_TEST(a_large_island)
{
  for (int lively = 0; lively < 2; lively++) {
    trace one = trace_of(block_of(0.3 * lively, 1, false), false, RH_OK);
    for (size_t k = 0; k < RH_COUNT(crews); k++) {
      trace other = trace_of(block_of(0.3 * lively, crews[k], false), false, RH_OK);
      ck_assert_msg(one.hash == other.hash, "e %g, %d threads", 0.3 * lively, crews[k]);
    }
  }
}

END_TEST

// Islands that threads find and list together
START_TEST(many_islands)
{
  trace one = trace_of(block_of(0, 1, true), false, RH_OK);
  for (size_t k = 0; k < RH_COUNT(crews); k++) {
    trace other = trace_of(block_of(0, crews[k], true), false, RH_OK);
    ck_assert_msg(one.hash == other.hash, "%d threads", crews[k]);
  }
}

END_TEST

Suite *rh_suite_unit_moreau_crew(void)
{
  Suite *suite = suite_create("unit_moreau_crew");
  TCase *tc = tcase_create("crew");
  tcase_add_test(tc, threads_change_no_bit);
  tcase_add_test(tc, a_step_allocates_nothing);
  tcase_add_test(tc, many_shapes);
  tcase_add_test(tc, fast_bodies);
  tcase_add_test(tc, what_passed);
  tcase_add_test(tc, slices_share_no_body);
  tcase_add_test(tc, a_large_island);
  tcase_add_test(tc, many_islands);
  suite_add_tcase(suite, tc);
  return suite;
}
