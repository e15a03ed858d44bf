// kind_haptic.c: every row of the haptic tables must keep what routh/kind.h promises. Methods, each under every coupling that goes with it: the tool stays out
// but for what penalties need, a passive hand gets nothing back, the same bits twice and from a copy of the state, no memory, clamps that hold. Hands: the same
// bits, and nothing from one that only the outside moves. A peg in a corner, without gravity.
#include "haptic.h"

#include <routh/kind.h>

typedef struct pairing { // a method under a coupling
  const rh_haptic_method *method;
  const rh_haptic_coupling *coupling;
} pairing;

enum { TICKS = 1024 };

// Number _i counts couplings first; the loops of the suite ask for all.
static pairing pairing_of(int i)
{
  int methods = 0;
  int couplings = 0;
  const rh_haptic_method *const *method = rh_haptic_method_table(&methods);
  const rh_haptic_coupling *const *coupling = rh_haptic_coupling_table(&couplings);
  pairing p = {method[i / couplings], coupling[i % couplings]};
  return p;
}

static int pairings(void)
{
  int methods = 0;
  int couplings = 0;
  (void)rh_haptic_method_table(&methods);
  (void)rh_haptic_coupling_table(&couplings);
  return methods * couplings;
}

static felt peg(const pairing *p, const char *more)
{
  char text[2][96];
  const char *const set[3] = {text[0], text[1], more};
  (void)snprintf(text[0], sizeof text[0], "haptic.method=%s", p->method->row.name);
  (void)snprintf(text[1], sizeof text[1], "haptic.coupling=%s", p->coupling->row.name);
  return felt_scene("haptic-peg-corner.yaml", set, more ? 3 : 2);
}

static void check_head(const rh_row *row, const rh_row *found)
{
  ck_assert(row->name[0] != 0 && row->doc[0] != 0 && row->cite != NULL);
  ck_assert_ptr_eq(row, found);
  for (int k = 0; k < row->nparam; k++) {
    const rh_param *p = &row->param[k];
    ck_assert(rh_unit_known(p->unit) && p->doc[0] != 0);
  }
}

START_TEST(heads)
{
  int n = 0;
  const rh_haptic_method *const *method = rh_haptic_method_table(&n);
  for (int i = 0; i < n; i++) {
    check_head(&method[i]->row, &rh_haptic_method_find(method[i]->row.name)->row);
    ck_assert(method[i]->meet || method[i]->hold);
    const rh_haptic_coupling *own = rh_haptic_coupling_find(method[i]->coupling);
    ck_assert_ptr_nonnull(own);
    ck_assert(!(own->feels && method[i]->hold));
  }
  const rh_haptic_coupling *const *coupling = rh_haptic_coupling_table(&n);
  for (int i = 0; i < n; i++) {
    check_head(&coupling[i]->row, &rh_haptic_coupling_find(coupling[i]->row.name)->row);
  }
  const rh_haptic_hand *const *hand = rh_haptic_hand_table(&n);
  for (int i = 0; i < n; i++) {
    check_head(&hand[i]->row, &rh_haptic_hand_find(hand[i]->row.name)->row);
    ck_assert(!hand[i]->needs_trace || hand[i]->width > 1);
  }
  ck_assert_ptr_null(rh_haptic_method_find("no-such-row"));
  ck_assert_ptr_null(rh_haptic_coupling_find("no-such-row"));
  ck_assert_ptr_null(rh_haptic_hand_find("no-such-row"));
}

END_TEST

// Those that do not go together are refused, and say so.
START_TEST(refused)
{
  pairing p = pairing_of(_i);
  char text[2][96];
  const char *const set[3] = {text[0], text[1], "haptic.device=''"};
  rh_scene *scene = NULL;
  (void)snprintf(text[0], sizeof text[0], "haptic.method=%s", p.method->row.name);
  (void)snprintf(text[1], sizeof text[1], "haptic.coupling=%s", p.coupling->row.name);
  for (int without = 0; without < 2; without++) {
    rh_model *m = NULL;
    rh_diag *diag = rh_diag_create();
    ck_assert_int_eq(rh_scene_load(ROUTH_SOURCE_DIR "/scenes/haptic-peg-corner.yaml", set,
                                   2 + without, diag, &scene),
                     RH_OK);
    rh_status status = rh_scene_compile(scene, diag, &m);
    bool good = !(without && p.coupling->needs_device);
    ck_assert_msg(status == (good ? RH_OK : RH_INPUT_REFUSED), "%s, %s", text[0], text[1]);
    ck_assert(good || strstr(rh_diag_get(diag, 0).text, "coupling"));
    rh_scene_destroy(scene);
    rh_model_destroy(m);
    rh_diag_destroy(diag);
  }
}

END_TEST

// A tool that came with speed v is stopped by a spring k on the way v sqrt(m/k), if nothing damps it, and F/k is what the hand then needs; that its contact
// has, and a tick's way besides. m is that of tool and device, which a coupling may bring along.
START_TEST(stays_out)
{
  pairing p = pairing_of(_i);
  felt f = peg(&p, NULL);
  rh_haptic_out out;
  double fastest = 0;
  double deepest = 0;
  int met = 0;
  for (int k = 0; k < TICKS; k++) {
    rh_haptic_tick(f.h, f.d, NULL, &out);
    double turn = 0.012 * fabs(f.d->v[2]); // of a corner
    fastest = fmax(fastest, hypot(f.d->v[0], f.d->v[1]) + turn);
    deepest = fmax(deepest, f.d->haptic->depth);
    met += out.ncontact > 0;
  }
  double most = fastest * (sqrt(4.0 / 1000) + 1.0 / 512) + hypot(0.32, 0.4) / 1000;
  ck_assert_msg(deepest < most, "%s, %s: %g m, not %g", p.method->row.name, p.coupling->row.name,
                deepest, most);
  ck_assert_int_gt(met, TICKS / 4);
  felt_end(&f);
}

END_TEST

static double roll(uint64_t *state) // -1 to 1
{
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) * 0x1p-52 - 1;
}

static void push(rh_hand_in *in, int tick, uint64_t *seed)
{
  if (tick % 64 == 0) { // mostly into the corner
    in->wrench[0] = -0.3 + 0.6 * roll(seed);
    in->wrench[1] = 0.3 + 0.6 * roll(seed);
    in->wrench[5] = 0.01 * roll(seed);
  }
}

// From rest, without gravity, what the hand has put in stays positive.
START_TEST(passive)
{
  pairing p = pairing_of(_i);
  felt f = peg(&p, NULL);
  rh_hand_in in = {.live = true, .has_wrench = true};
  rh_haptic_out out = {0};
  uint64_t seed = 4711;
  for (int k = 0; k < (RH_TEST_SLOW ? 2 : 8) * TICKS; k++) {
    push(&in, k, &seed);
    rh_haptic_tick(f.h, f.d, &in, &out);
  }
  ck_assert_msg(out.returned <= 1e-12, "%s, %s: %g J of %g J", p.method->row.name,
                p.coupling->row.name, out.returned, out.hand_work);
  near_abs(out.given, 0, 0);
  ck_assert(isfinite(f.d->v[0]));
  felt_end(&f);
}

END_TEST

static void *no_memory(void *user, void *block, size_t bytes)
{
  (void)user;
  (void)block;
  ck_assert_msg(bytes == 0, "a tick allocates");
  return NULL;
}

// Twice, and from copies of the state on the way, in flight, in collisions and at rest; without memory.
START_TEST(same_bits)
{
  pairing p = pairing_of(_i);
  felt f = peg(&p, "haptic.limits=spread");
  felt g = peg(&p, "haptic.limits=spread");
  rh_haptic_out out;
  rh_allocator none = {.resize = no_memory};
  rh_hook_set_allocator(&none);
  bool same = true;
  for (int k = 0; k < TICKS; k++) {
    rh_haptic_tick(f.h, f.d, NULL, &out);
    if (k > TICKS / 2 && k % 50 == 23) {
      memcpy(g.d->state, f.d->state, (size_t)f.m->layout.nstate * sizeof(double));
    } else {
      rh_haptic_tick(g.h, g.d, NULL, &out);
    }
    same = same && rh_data_hash(f.d, 0) == rh_data_hash(g.d, 0);
  }
  rh_hook_set_allocator(NULL);
  ck_assert_msg(same, "%s, %s", p.method->row.name, p.coupling->row.name);
  felt_end(&f);
  felt_end(&g);
}

END_TEST

// What goes to the device is within the clamps whoever makes it, and fades.
START_TEST(clamps)
{
  pairing p = pairing_of(_i);
  felt f = peg(&p, "haptic.clamp=[0.5,0.002]");
  rh_hand_in in = {.live = true, .has_wrench = true, .wrench = {-0.32, 0.4}};
  rh_haptic_out out;
  double most = 0;
  double turn = 0;
  for (int k = 0; k < TICKS; k++) {
    in.fade = k < TICKS / 2 ? 0 : 1;
    rh_haptic_tick(f.h, f.d, &in, &out);
    most = fmax(most, hypot(out.wrench[0], out.wrench[1]));
    turn = fmax(turn, fabs(out.wrench[5]));
    ck_assert(in.fade == 0 || hypot(out.wrench[0], out.wrench[5]) == 0);
  }
  ck_assert(most <= 0.5 * (1 + 1e-12) && turn <= 0.002 * (1 + 1e-12));
  felt_end(&f);
}

END_TEST

// ---- Hands

// Number i of the rows: the time, small numbers, and of poses (t x y z qw qx qy qz) the quaternion of no turn
static double trace_number(int width, int i)
{
  int column = i % width;
  if (column == 0) {
    return i / width;
  }
  return width == 8 && column >= 4 ? column == 4 : 0.01;
}

static felt held(const rh_haptic_hand *hand)
{
  char text[3][128];
  const char *set[3] = {text[0], text[1], text[2]};
  int n = 1;
  (void)snprintf(text[0], sizeof text[0], "haptic.hand=%s", hand->row.name);
  if (hand->needs_spring) {
    (void)snprintf(text[n++], sizeof text[0], "haptic.hand_spring=[200,40,1,0.2]");
  }
  if (hand->width > 0) { // two rows, the numbers small; a pose is not turned
    size_t at = (size_t)snprintf(text[n], sizeof text[0], "haptic.trace=[");
    for (int i = 0; i < 2 * hand->width; i++) {
      at += (size_t)snprintf(text[n] + at, sizeof text[0] - at, "%s%g", i ? "," : "",
                             trace_number(hand->width, i));
    }
    (void)snprintf(text[n++] + at, sizeof text[0] - at, "]");
  }
  return felt_scene("haptic-peg-corner.yaml", set, n);
}

START_TEST(hands)
{
  int count = 0;
  const rh_haptic_hand *hand = rh_haptic_hand_table(&count)[_i];
  ck_assert_int_lt(_i, count);
  felt f = held(hand);
  felt g = held(hand);
  rh_haptic_out out;
  double most = 0;
  for (int k = 0; k < TICKS; k++) {
    rh_haptic_tick(f.h, f.d, NULL, &out);
    rh_haptic_tick(g.h, g.d, NULL, &out);
    most = fmax(most, hypot(hypot(out.hand[0], out.hand[1]), out.hand[5]));
  }
  ck_assert(rh_data_hash(f.d, 0) == rh_data_hash(g.d, 0));
  ck_assert_msg((most > 0) == (hand->wrench != NULL), "%s: %g N", hand->row.name, most);
  ck_assert(isfinite(f.d->v[0]) && out.returned <= 1e-12);
  felt_end(&f);
  felt_end(&g);
}

END_TEST

Suite *rh_suite_kind_haptic(void)
{
  Suite *suite = suite_create("kind_haptic");
  TCase *rows = tcase_create("rows");
  int count = 0;
  tcase_add_test(rows, heads);
  tcase_add_loop_test(rows, refused, 0, pairings());
  tcase_add_loop_test(rows, stays_out, 0, pairings());
  tcase_add_loop_test(rows, passive, 0, pairings());
  tcase_add_loop_test(rows, same_bits, 0, pairings());
  tcase_add_loop_test(rows, clamps, 0, pairings());
  (void)rh_haptic_hand_table(&count);
  tcase_add_loop_test(rows, hands, 0, count);
  suite_add_tcase(suite, rows);
  return suite;
}
