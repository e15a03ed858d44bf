// unit_at_rest.c: structures whose contacts all stick and leave their bodies no motion, under the engine event: nothing of them
// moves, not by one bit, until a force that grows lets them slip or tip, at the time that statics gives.
#include "rigid.h"

#include <stdlib.h>

// ---- A box on the floor that a growing force pushes

#define SIDE  0.2 // [m] of its face
#define BOX   1.5 // [kg]
#define SLIDE 0.5 // [kg] of each of the two parts that carry the joint by which it is pushed

enum { FORWARD, UP, TURN }; // its degrees of freedom

// The force rises by `rise` N/s; it acts `height` above the floor.
static void push_box(double mu, double height, double rise, double until)
{
  play(DOWN "bodies:\n"
            "  - {name: a, mass: %g}\n"
            "  - {name: b, mass: %g}\n"
            "  - {name: box, mass: %g, com: [0, 0, %.17g], inertia: [0.01, 0.01, 0.01, 0, 0, 0]}\n"
            "joints:\n"
            "  - {name: x, kind: prismatic, axis: [1, 0, 0], child: a}\n"
            "  - {name: z, kind: prismatic, axis: [0, 0, 1], parent: a, child: b, q: %.17g}\n"
            "  - {name: y, kind: revolute, axis: [0, 1, 0], parent: b, child: box}\n"
            "shapes: [" FLAT_FLOOR
            ", {body: box, kind: box, size: [%g, %g, 0.1], at: [0, 0, %.17g]}]\n"
            "contacts: [{body: box, against: world, law: newton, e: 0, friction: dry, mu_s: %g, "
            "mu_k: %g}]\n"
            "actuators: [{name: push, joint: x, gain: [1]}]\n"
            "trajectories: [{actuator: push, values: [[0, 0], [100, %.17g]]}]\n"
            "run: {until: %.17g, " FINE "}\n",
       SLIDE, SLIDE, BOX, 0.05 - height, height, SIDE, SIDE, 0.05 - height, mu, 0.8 * mu,
       100 * rise, until);
}

static void nothing_moved(const moment *m, double height)
{
  const double at[3] = {0, height, 0};
  for (int k = 0; k < 3; k++) {
    ck_assert_msg(m->q[k] == at[k] && m->v[k] == 0, "q%d = %.17g, v = %g", k, m->q[k], m->v[k]);
  }
}

// It slips at mu_s of its weight, and from then on dv/dt = (F - mu_k weight) / mass: however slowly the force grows.
START_TEST(a_box_slips_in_time)
{
  static const double rises[] = {40, 4, 0.5};
  double mu = 0.3;
  double rise = rises[_i];
  double weight = (BOX + SLIDE) * G;
  double slip = mu * weight / rise;
  double on = 0.1;
  push_box(mu, 0.05, rise, slip + on);
  const moment *m = nth(RH_EVENT_SLIP, 0);
  near_abs(m->e.t, slip, LOCATED);
  nothing_moved(m, 0.05);
  near_rel(told.v[FORWARD], (0.2 * mu * weight * on + 0.5 * rise * on * on) / (BOX + 2 * SLIDE),
           1e-7);
}

END_TEST

// Above the height side / (2 mu) it tips instead, at weight side / (2 height).
START_TEST(a_box_tips_in_time)
{
  double rise = 20;
  double height = 0.09;
  double tip = (BOX + SLIDE) * G * SIDE / (2 * height) / rise;
  push_box(1.5, height, rise, tip + 0.05);
  const moment *m = nth(RH_EVENT_SEPARATE, 0);
  near_abs(m->e.t, tip, LOCATED);
  nothing_moved(m, height);
  ck_assert_double_gt(told.q[TURN], 1e-5); // over the edge ahead
  count_is(RH_EVENT_SLIP, 0);
}

END_TEST

// A box that lands: what impacts and the integrator have left of its velocity is gone.
START_TEST(a_box_that_lands_stands)
{
  play(DOWN "bodies: [{name: box, mass: 2}]\n"
            "joints: [{kind: free, child: box, q: [0, 0, 0.06, 0.9961946980917455, 0, "
            "0.08715574274765817, 0]}]\n"
            "shapes: [" FLAT_FLOOR ", {body: box, kind: box, size: [0.1, 0.07, 0.04]}]\n"
            "contacts: [{body: box, against: world, law: newton, e: 0.2, friction: dry, mu_s: 0.6, "
            "mu_k: 0.5}]\n"
            "run: {until: 3, rtol: 1e-9}\n");
  for (int k = 0; k < 6; k++) {
    ck_assert_msg(told.v[k] == 0, "v%d = %g", k, told.v[k]);
  }
  near_abs(told.q[2], 0.02, 1e-10);
  ck_assert_double_lt(told.residue, 1e-8);
}

END_TEST

// A ball on a slope of 1e-7 and a block on one too steep for it have no such rest: they move from the start.
START_TEST(what_moves_moves)
{
  double a = _i ? 0.4 : 1e-7;
  play("world: {gravity: [%.17g, 0, %.17g]}\n"
       "bodies: [{name: b, mass: 3}]\n"
       "joints: [{kind: free, child: b, q: [0, 0, 0.2, 1, 0, 0, 0]}]\n"
       "shapes: [" FLAT_FLOOR ", {body: b, %s}]\n"
       "contacts: [{body: b, against: world, law: newton, e: 0, friction: dry, mu_s: 0.3, mu_k: "
       "0.3}]\n"
       "run: {until: 0.5, " FINE "}\n",
       G * sin(a), -G * cos(a),
       _i ? "kind: box, size: [0.5, 0.5, 0.4]" : "kind: sphere, radius: 0.2");
  near_rel(told.v[0], 0.5 * (_i ? G * (sin(a) - 0.3 * cos(a)) : 5.0 / 7 * G * sin(a)), 1e-9);
}

END_TEST

// A box that begins a millimetre deep does not stay there: its overlap is removed as (1 + k t) exp(-k t), k = 10/s.
START_TEST(a_box_inside_comes_out)
{
  play(DOWN "bodies: [{name: box, mass: 2}]\n"
            "joints: [{kind: free, child: box, q: [0, 0, 0.049, 1, 0, 0, 0]}]\n"
            "shapes: [" FLAT_FLOOR ", {body: box, kind: box, size: [0.2, 0.2, 0.1]}]\n"
            "contacts: [{body: box, against: world, law: newton, e: 0, friction: dry, mu_s: 0.5, "
            "mu_k: 0.5}]\n"
            "run: {until: 0.5, " FINE "}\n");
  near_abs(told.q[2], 0.05 - 0.001 * 6 * exp(-5), 1e-9);
}

END_TEST

// ---- A house of cards in space

enum { CARDS = 15, ROOM = 16384 };

#define CARDS_NEED 0.39985 // the least friction: unit_apps

typedef struct house {
  char bodies[ROOM], joints[ROOM], shapes[ROOM], contacts[ROOM], text[4 * ROOM];
  double q[7 * CARDS];
  int n;
} house;

__attribute__((format(printf, 2, 3))) static void add_text(char *to, const char *format, ...)
{
  size_t n = strlen(to);
  va_list list;
  va_start(list, format);
  int more = vsnprintf(to + n, ROOM - n, format, list);
  va_end(list);
  ck_assert(more > 0 && n + (size_t)more < ROOM);
}

// A card whose middle line leans by `lean` from upright, or level: two balls at each end, or a box.
static void add_card(house *h, double x, double z, double lean, double mu)
{
  bool level = lean == 0;
  const double q[7] = {x, 0, z, cos(lean / 2), 0, sin(lean / 2), 0};
  memcpy(h->q + 7 * (size_t)h->n, q, sizeof q);
  add_text(h->bodies, "  - {name: c%d, mass: 2 g, inertia: [%g, 1.36e-6, %g, 0, 0, 0]}\n", h->n,
           level ? 4.2e-7 : 1.78e-6, level ? 1.77e-6 : 4.2e-7);
  add_text(h->joints, "  - {kind: free, child: c%d, q: [%.17g, 0, %.17g, %.17g, 0, %.17g, 0]}\n",
           h->n, q[0], q[2], q[3], q[5]);
  for (int k = 0; k < 4 && !level; k++) {
    add_text(h->shapes, "  - {body: c%d, kind: sphere, radius: 1 mm, at: [0, %g, %g]}\n", h->n,
             k % 2 ? 0.02 : -0.02, k < 2 ? 0.044 : -0.044);
  }
  if (level) {
    add_text(h->shapes, "  - {body: c%d, kind: box, size: [0.09, 0.048, 0.002]}\n", h->n);
  }
  add_text(
      h->contacts,
      "  - {body: c%d, against: all, law: newton, e: 0, friction: dry, mu_s: %.17g, mu_k: %.17g}\n",
      h->n, mu, mu);
  h->n++;
}

// scenes/card-house.yaml in space
static rh_model *model_house(house *h, double mu)
{
  double lean = 25 * acos(-1) / 180;
  double rise = 0.088 * cos(lean);
  double reach = 0.001 + 0.044 * sin(lean);
  memset(h, 0, sizeof *h);
  for (int storey = 0; storey < 3; storey++) {
    double base = storey * (rise + 0.004);
    for (int i = 0; i < 3 - storey; i++) {
      double x = 0.0902 * (i - 0.5 * (2 - storey));
      add_card(h, x - reach, base + 0.001 + rise / 2, lean, mu);
      add_card(h, x + reach, base + 0.001 + rise / 2, -lean, mu);
    }
    for (int i = 0; i < 2 - storey; i++) {
      add_card(h, 0.0902 * (i - 0.5 * (1 - storey)), base + rise + 0.003, 0, mu);
    }
  }
  (void)snprintf(h->text, sizeof h->text,
                 "bodies:\n%sjoints:\n%sshapes:\n  - {body: world, kind: plane}\n%scontacts:\n%s"
                 "record: {every: 10 ms}\n",
                 h->bodies, h->joints, h->shapes, h->contacts);
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  rh_status status = rh_scene_parse(h->text, strlen(h->text), "house", NULL, 0, diag, &scene);
  say_messages(diag);
  ck_assert_int_eq(status, RH_OK);
  rh_diag_destroy(diag);
  return model_of(scene);
}

static house cards;

static void run_house(double mu, double until)
{
  rh_model *model = model_house(&cards, mu);
  rh_sim *sim = sim_of(model);
  memset(&told, 0, sizeof told);
  rh_observer observer = {&told, tale_frame, tale_event, NULL};
  rh_sim_observe(sim, &observer);
  ck_assert_int_eq(rh_sim_run(sim, until), RH_OK);
  const rh_data *d = rh_sim_view(sim);
  double moved = 0;
  double speed = 0;
  double weight = 0;
  for (int k = 0; k < 7 * CARDS; k++) {
    moved = fmax(moved, fabs(d->q[k] - cards.q[k]));
    speed = k < 6 * CARDS ? fmax(speed, fabs(d->v[k])) : speed;
  }
  for (int k = 0; k < d->ncontact; k++) {
    weight += d->contact[k].on && (d->contact[k].a == 0 || d->contact[k].b == 0)
                  ? d->contact[k].normal
                  : 0;
  }
  told.q[0] = moved;
  told.v[0] = speed;
  told.energy = weight;
  rh_sim_destroy(sim);
  rh_model_destroy(model);
}

// 144 rows of 48 contacts hold 90 degrees of freedom: 54 contradict one another as soon as anything moves. The turn of a card is
// normalised at each step: its last bit may change, and no more than that.
// Close to the limit too, where loads within the cones are hardly to be found.
START_TEST(a_house_of_cards_in_space_stands)
{
  double long_time = rh_test_long() ? 10 : 1;
  run_house((_i ? 1.0004 : 1.01) * CARDS_NEED, RH_TEST_SLOW || _i ? 0.1 : long_time);
  ck_assert_double_le(told.q[0], 2e-16);
  ck_assert_msg(told.v[0] == 0, "%g", told.v[0]);
  near_rel(told.energy, CARDS * 0.002 * G, 1e-12);
  count_is(RH_EVENT_TOUCH, 48);
  count_is(RH_EVENT_SLIP, 0);
  count_is(RH_EVENT_SEPARATE, 0);
  count_is(RH_EVENT_TAKEOVER, 0);
}

END_TEST

START_TEST(a_house_of_cards_in_space_comes_down)
{
  run_house(0.99 * CARDS_NEED, 0.02);
  ck_assert_double_gt(told.q[0], 1e-6); // with 1 % of g at the most: 2e-5
}

END_TEST

Suite *rh_suite_unit_at_rest(void)
{
  Suite *suite = suite_create("unit_at_rest");
  TCase *tcase = tcase_create("at_rest");
  tcase_add_loop_test(tcase, a_box_slips_in_time, 0, 3);
  tcase_add_test(tcase, a_box_tips_in_time);
  tcase_add_test(tcase, a_box_that_lands_stands);
  tcase_add_test(tcase, a_box_inside_comes_out);
  tcase_add_loop_test(tcase, what_moves_moves, 0, 2);
  tcase_add_loop_test(tcase, a_house_of_cards_in_space_stands, 0, 2);
  tcase_add_test(tcase, a_house_of_cards_in_space_comes_down);
  suite_add_tcase(suite, tcase);
  return suite;
}
