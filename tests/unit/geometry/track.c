// unit_track.c: contacts over time: the clusters and the sequence of reference/haptic.json (cluster-basic, machine-1),
// features, ties, slots, overflow, restart.
#include "collision/contact_clusters.h"
#include "collision/contact_list.h"

#include "memory.h"
#include "world.h"

enum { SLOTS_MAX = 256 };

typedef struct tracked { // contacts of a world, and what makes them of points
  rh_track *track;
  int slots;
  rh_slot slot[SLOTS_MAX];
  rh_track_memory memory[SLOTS_MAX];
  double next;
} tracked;

static tracked *track_of(double d_cluster, double d_coh, int slots, int points)
{
  rh_track_opt opt = {d_cluster, 0.9, d_coh, slots, points};
  tracked *t = calloc(1, sizeof *t);
  t->slots = slots;
  ck_assert_int_le(slots, SLOTS_MAX);
  ck_assert_int_eq(rh_track_create(&opt, &t->track), RH_OK);
  return t;
}

static void track_end(tracked *t)
{
  rh_track_destroy(t->track);
  free(t);
}

// An update, after which the slots are written as an engine does.
static rh_status update_slots(tracked *t, const rh_contact *p, int n, rh_track_result *r)
{
  const rh_track_array array = {t->slot, t->memory, &t->next};
  rh_status status = rh_track_update(t->track, &array, p, n, r);
  for (int k = 0; k < t->slots; k++) {
    t->slot[k] = r->kept[k] ? t->slot[k] : (rh_slot){0};
  }
  for (int i = 0; i < r->count; i++) {
    const rh_contact *c = &r->contact[i];
    t->slot[r->slot[i]] = (rh_slot){.used = 1, .a = c->shape[0], .b = c->shape[1], .id = c->id};
  }
  return status;
}

static rh_contact point_at(int a, int b, double x, double y, double depth)
{
  rh_contact p = {.shape = {a, b}};
  p.point = rh_v3(x, y, 0);
  p.n = rh_v3(0, 1, 0);
  p.depth = depth;
  p.radius = 1;
  p.id = RH_NONE;
  return p;
}

// One step that has room for everything.
static rh_track_result track_step(tracked *t, const rh_contact *p, int n)
{
  rh_track_result r;
  ck_assert_int_eq(update_slots(t, p, n, &r), RH_OK);
  ck_assert_int_eq(r.dropped, 0);
  return r;
}

// haptic.json, cluster-basic: a b x y nx ny depth
START_TEST(reference_clusters)
{
  static const double raw[6][7] = {{1, 0, 0, 0, 0, 1, 0.001},       {1, 0, 0.0015, 0, 0, 1, 0.002},
                                   {1, 0, 0.003, 0, 0, 1, 0.001},   {1, 0, 0.01, 0, 0, 1, 0.0005},
                                   {1, 0, 0.0102, 0, 1, 0, 0.0004}, {2, 0, 0.0001, 0, 0, 1, 0.001}};
  static const double want[4][7] = {{1, 0, 0.0015, 0, 0, 1, 0.002},
                                    {1, 0, 0.01, 0, 0, 1, 0.0005},
                                    {1, 0, 0.0102, 0, 1, 0, 0.0004},
                                    {2, 0, 0.0001, 0, 0, 1, 0.001}};
  static const int owner[6] = {0, 0, 0, 1, 2, 3};
  tracked *t = track_of(0.002, 0.001, 8, 8);
  rh_contact p[6];
  for (int i = 0; i < 6; i++) {
    p[i] = point_at((int)raw[i][0], (int)raw[i][1], raw[i][2], raw[i][3], raw[i][6]);
    p[i].n = rh_v3(raw[i][4], raw[i][5], 0);
    p[i].area = 1 + i;
  }
  rh_track_result r = track_step(t, p, 6);
  ck_assert_int_eq(r.count, 4);
  ck_assert(memcmp(r.owner, owner, sizeof owner) == 0);
  for (int i = 0; i < 4; i++) {
    const rh_contact *c = &r.contact[i];
    const double got[7] = {c->shape[0], c->shape[1], c->point.x, c->point.y,
                           c->n.x,      c->n.y,      c->depth};
    near_array(got, want[i], 7, 1e-12, 1e-12); // the tolerance of the entry
    ck_assert_int_eq(r.members[i], i == 0 ? 3 : 1);
  }
  near_abs(r.contact[0].area, 1 + 2 + 3, 0); // no part of a face gets lost
  track_end(t);
}

END_TEST

// haptic.json, machine-1: per step a b x y of each contact, and the index of the previous contact that it is (-1: new).
START_TEST(reference_sequence)
{
  static const struct {
    double c[3][4];
    int n;
    int match[3];
  } steps[] = {
      {{{0}}, 0, {0}},
      {{{1, 0, 0, 0}}, 1, {-1}},
      {{{1, 0, 0.0005, 0}}, 1, {0}},
      {{{1, 0, 0.001, 0}, {2, 1, 0.05, 0.02}}, 2, {0, -1}},
      {{{1, 0, 0.0012, 0}, {2, 1, 0.051, 0.02}, {3, 0, 0.2, 0}}, 3, {0, 1, -1}},
      {{{1, 0, 0.005, 0}, {3, 0, 0.2, 0}}, 2, {-1, 2}},
      {{{3, 2, 0.21, 0.03}, {1, 0, 0.0052, 0}}, 2, {-1, 0}},
      {{{2, 1, 0.05, 0.02}}, 1, {-1}},
  };

  tracked *t = track_of(0.001, 0.002, 4, 4);
  int64_t before[3] = {0};
  int count = 0;
  for (int k = 0; k < RH_COUNT(steps); k++) {
    rh_contact p[3];
    for (int i = 0; i < steps[k].n; i++) {
      const double *c = steps[k].c[i];
      p[i] = point_at((int)c[0], (int)c[1], c[2], c[3], 1e-4);
    }
    rh_track_result r = track_step(t, p, steps[k].n);
    ck_assert_int_eq(r.count, steps[k].n);
    int kept = 0;
    int64_t now[3] = {0};
    for (int i = 0; i < r.count; i++) {
      int64_t number = (int64_t)t->memory[r.slot[i]].number;
      int match = -1;
      for (int j = 0; j < count; j++) {
        match = before[j] == number ? j : match;
      }
      ck_assert_int_eq(match, steps[k].match[i]);
      ck_assert(r.fresh[i] == (match < 0));
      kept += match >= 0;
      now[i] = number;
    }
    ck_assert_int_eq(r.nborn, r.count - kept);
    ck_assert_int_eq(r.nlost, count - kept);
    memcpy(before, now, sizeof before);
    count = r.count;
  }
  track_end(t);
}

END_TEST

static int slot_of(const rh_track_result *r, int point)
{
  return r->slot[r->owner[point]];
}

START_TEST(features_before_distance)
{
  tracked *t = track_of(0, 0.001, 8, 8);
  rh_contact p[2] = {point_at(0, 1, 0, 0, 1e-4), point_at(0, 1, 1e-4, 0, 1e-4)};
  p[0].id = 5;
  p[1].id = 9;
  rh_track_result r = track_step(t, p, 2);
  int five = slot_of(&r, 0);
  int nine = slot_of(&r, 1);
  // The two change places: the features say who is who, and further than d_coh.
  p[0].point.x = 1e-4;
  p[1].point.x = -1;
  r = track_step(t, p, 2);
  ck_assert_int_eq(slot_of(&r, 0), five);
  ck_assert_int_eq(slot_of(&r, 1), nine);
  // A feature that is new takes over the contact that is nearest.
  p[0].id = 6;
  r = track_step(t, p, 2);
  ck_assert_int_eq(slot_of(&r, 0), five);
  ck_assert_int_eq(r.nborn, 0);
  // Another pair never does, at the same place and with the same feature.
  p[0].shape[1] = 2;
  r = track_step(t, p, 2);
  ck_assert_int_eq(r.nborn, 1);
  ck_assert_int_eq(r.nlost, 1);
  ck_assert_int_eq(r.lost[0], five);
  ck_assert_int_ne(slot_of(&r, 0), five); // a slot rests a step if others are free
  track_end(t);
}

END_TEST

START_TEST(nearest_first_and_ties)
{
  tracked *t = track_of(0, 1.5, 8, 8);
  rh_contact p[3] = {point_at(0, 1, 0, 0, 1), point_at(0, 1, 1, 0, 1), point_at(0, 1, 3, 0, 1)};
  rh_track_result r = track_step(t, p, 3);
  int old[3] = {slot_of(&r, 0), slot_of(&r, 1), slot_of(&r, 2)};
  // 0.9 is nearest to the second although it comes last; 0.5 gets the first, 2 gets what is left.
  rh_contact q[3] = {point_at(0, 1, 0.5, 0, 1), point_at(0, 1, 2, 0, 1), point_at(0, 1, 0.9, 0, 1)};
  r = track_step(t, q, 3);
  ck_assert_int_eq(slot_of(&r, 0), old[0]);
  ck_assert_int_eq(slot_of(&r, 1), old[2]);
  ck_assert_int_eq(slot_of(&r, 2), old[1]);
  // Two points as far from one contact as the other: the earlier point takes the older contact.
  track_end(t);
  t = track_of(0, 1.5, 8, 8);
  rh_contact a[2] = {point_at(0, 1, -1, 0, 1), point_at(0, 1, 1, 0, 1)};
  r = track_step(t, a, 2);
  int first = slot_of(&r, 0);
  int second = slot_of(&r, 1);
  rh_contact b[2] = {point_at(0, 1, 0, 1, 1), point_at(0, 1, 0, -1, 1)};
  r = track_step(t, b, 2);
  ck_assert_int_eq(slot_of(&r, 0), first);
  ck_assert_int_eq(slot_of(&r, 1), second);
  track_end(t);
}

END_TEST

// At d_coh exactly it is the same contact, a little further it is not; d_cluster itself is apart.
START_TEST(limits_of_distance)
{
  tracked *t = track_of(0.25, 0.5, 8, 8);
  rh_contact p = point_at(0, 1, 0, 0, 1);
  (void)track_step(t, &p, 1);
  p.point.x = 0.5;
  rh_track_result r = track_step(t, &p, 1);
  ck_assert_int_eq(r.nborn, 0);
  p.point.x = 1.0000001;
  r = track_step(t, &p, 1);
  ck_assert_int_eq(r.nborn, 1);
  rh_contact two[2] = {point_at(0, 1, 5, 0, 1), point_at(0, 1, 5.25, 0, 1)};
  r = track_step(t, two, 2);
  ck_assert_int_eq(r.count, 2);
  two[1].point.x = 5.2499;
  r = track_step(t, two, 2);
  ck_assert_int_eq(r.count, 1);
  // Points that do not touch yet: the plain mean. One that does: it alone counts.
  two[0].depth = two[1].depth = -0.1;
  r = track_step(t, two, 2);
  near_abs(r.contact[0].point.x, 5.12495, 1e-14); // one rounding
  two[1].depth = 0.1;
  r = track_step(t, two, 2);
  near_abs(r.contact[0].point.x, 5.2499, 1e-14);
  track_end(t);
}

END_TEST

enum { MANY = 60 };

static void shuffle(rng *r, const rh_contact *p, rh_contact *q, int *place)
{
  for (int i = 0; i < MANY; i++) {
    place[i] = i;
  }
  for (int i = MANY - 1; i > 0; i--) {
    int k = rng_int(r, i + 1);
    int keep = place[i];
    place[i] = place[k];
    place[k] = keep;
  }
  for (int i = 0; i < MANY; i++) {
    q[place[i]] = p[i];
  }
}

// The same points in another order make the same clusters.
START_TEST(order_does_not_matter)
{
  rng r = {7};
  tracked *one = track_of(0.1, 0.1, MANY, MANY);
  tracked *two = track_of(0.1, 0.1, MANY, MANY);
  double worst = 0;
  bool same = true;
  for (int round = 0; round < 50; round++) {
    rh_contact p[MANY];
    rh_contact q[MANY];
    int place[MANY];
    for (int i = 0; i < MANY; i++) {
      p[i] = point_at(rng_int(&r, 3), 3, rng_in(&r, 0, 1), rng_in(&r, 0, 1), rng_in(&r, 0, 1));
      p[i].id = i;
    }
    shuffle(&r, p, q, place);
    rh_track_result x = track_step(one, p, MANY);
    rh_track_result y = track_step(two, q, MANY);
    ck_assert_int_eq(x.count, y.count);
    for (int i = 0; i < MANY; i++) {
      int a = x.owner[i];
      int b = y.owner[place[i]];
      same = same && x.members[a] == y.members[b] && x.contact[a].id == y.contact[b].id;
      worst = fmax(worst, rh_norm(rh_sub(x.contact[a].point, y.contact[b].point)));
    }
  }
  ck_assert(same);
  near_abs(worst, 0, 1e-14); // summed in another order
  track_end(one);
  track_end(two);
}

END_TEST

START_TEST(overflow_is_told)
{
  tracked *t = track_of(0, 0.1, 3, 5);
  rh_contact p[7];
  for (int i = 0; i < 7; i++) {
    p[i] = point_at(0, 1, i, 0, 1);
  }
  rh_track_result r = track_step(t, p + 1, 2);
  int kept[2] = {slot_of(&r, 0), slot_of(&r, 1)};
  // Three slots, two of them held by points 1 and 2: of the others point 0 gets the last one.
  ck_assert_int_eq(update_slots(t, p, 5, &r), RH_OVER_LIMIT);
  ck_assert_int_eq(r.dropped, 2);
  ck_assert_int_eq(r.count, 3);
  ck_assert_int_eq(slot_of(&r, 1), kept[0]);
  ck_assert_int_eq(slot_of(&r, 2), kept[1]);
  ck_assert_int_eq(r.owner[3], RH_NONE);
  ck_assert_int_eq(r.owner[4], RH_NONE);
  // More points than there is room for
  ck_assert_int_eq(update_slots(t, p, 7, &r), RH_OVER_LIMIT);
  ck_assert_int_eq(r.dropped, 2 + 2);
  // All three leave and others come: the slots are lost and taken in one step, the numbers are new.
  for (int i = 0; i < 3; i++) {
    p[i].point.y = 5;
  }
  r = track_step(t, p, 3);
  ck_assert_int_eq(r.nlost, 3);
  ck_assert_int_eq(r.nborn, 3);
  for (int i = 0; i < 3; i++) {
    ck_assert(t->memory[i].number >= 3);
  }
  r = track_step(t, NULL, 0);
  ck_assert_int_eq(r.nlost, 3);
  ck_assert_int_eq(r.count, 0);
  track_end(t);
}

END_TEST

static int random_points(rng *r, rh_contact *p, int most)
{
  int n = rng_int(r, most + 1);
  for (int i = 0; i < n; i++) {
    p[i] = point_at(rng_int(r, 4), 4, 0.1 * rng_int(r, 20), 0.1 * rng_int(r, 3), 1e-3);
    p[i].id = rng_int(r, 6) - 1;
  }
  return n;
}

// Books: a slot is in use exactly if it is in the list; numbers are never given twice; what is kept was there before.
// The contacts are all that is kept: with a copy of them another track goes on as the first does. Nothing is allocated.
START_TEST(long_run_and_restart)
{
  enum { SLOTS = 24, POINTS = 40 };

  rng r = {12};
  tracked *t = track_of(0.05, 0.15, SLOTS, POINTS);
  tracked *again = track_of(0.05, 0.15, SLOTS, POINTS);
  int64_t number[SLOTS] = {0};
  bool used[SLOTS] = {false};
  int64_t most = -1;
  bool good = true;
  memory_watch(0);
  for (int k = 0; k < 2000; k++) {
    rh_contact p[POINTS + 5];
    int n = random_points(&r, p, POINTS + 5);
    memcpy(again->slot, t->slot, sizeof t->slot);
    memcpy(again->memory, t->memory, sizeof t->memory);
    again->next = t->next;
    rh_track_result x;
    rh_track_result y;
    rh_status status = update_slots(t, p, n, &x);
    good = good && status == update_slots(again, p, n, &y);
    good = good && (status == RH_OVER_LIMIT) == (x.dropped > 0);
    good = good && x.count == y.count && x.nborn == y.nborn && x.nlost == y.nlost;
    good = good && memcmp(x.slot, y.slot, (size_t)x.count * sizeof(int)) == 0;
    for (int i = 0; i < x.nlost; i++) {
      good = good && used[x.lost[i]];
      used[x.lost[i]] = false;
    }
    for (int i = 0; i < x.nborn; i++) {
      int64_t given = (int64_t)t->memory[x.born[i]].number;
      good = good && !used[x.born[i]] && given == most + 1;
      most++;
      used[x.born[i]] = true;
      number[x.born[i]] = given;
    }
    int count = 0;
    for (int i = 0; i < SLOTS; i++) {
      bool taken = t->slot[i].used != 0;
      good = good && taken == used[i] &&
             (taken ? t->memory[i].number == (double)number[i] : t->memory[i].number == 0);
      count += used[i];
    }
    good = good && count == x.count;
  }
  ck_assert(good);
  ck_assert_int_eq(the_memory.calls, 0);
  rh_hook_set_allocator(NULL);
  track_end(again);
  track_end(t);
}

END_TEST

// A damaged state: a slot whose numbers are no contact's is free, and its contact is new.
START_TEST(damaged_slots_are_free)
{
  const rh_contact p[2] = {point_at(0, 1, 0, 0, 1), point_at(0, 1, 1, 0, 1)};
  const double bad[] = {(double)NAN, -1, 0.5, 1e10, HUGE_VAL};
  for (int i = 0; i < 4 * RH_COUNT(bad); i++) {
    tracked *t = track_of(0, 0.1, 4, 4);
    (void)track_step(t, p, 2);
    double *field[4] = {&t->slot[1].a, &t->slot[1].b, &t->memory[1].number, &t->next};
    *field[i % 4] = bad[i / 4];
    rh_track_result r = track_step(t, p, 2);
    bool count = i % 4 == 3 && bad[i / 4] == 1e10; // one that is possible
    bool all = i % 4 == 3 && !count;
    ck_assert_int_eq(r.count, 2);
    ck_assert_msg(r.nborn == (count ? 0
                              : all ? 2
                                    : 1),
                  "field %d is %g: %d are new", i % 4, bad[i / 4], r.nborn);
    ck_assert(isfinite(t->next) && t->memory[1].number < t->next);
    track_end(t);
  }
}

END_TEST

START_TEST(wrong_options)
{
  rh_track *t = NULL;
  rh_track_opt opt = rh_track_default();
  ck_assert_int_eq(rh_track_create(&opt, &t), RH_OK);
  rh_track_destroy(t);
  opt.d_coh = (double)NAN;
  ck_assert_int_eq(rh_track_create(&opt, &t), RH_WRONG_USAGE);
  opt = rh_track_default();
  opt.d_cluster = -1;
  ck_assert_int_eq(rh_track_create(&opt, &t), RH_WRONG_USAGE);
  opt = rh_track_default();
  opt.slots = RH_TRACK_MAX + 1;
  ck_assert_int_eq(rh_track_create(&opt, &t), RH_OVER_LIMIT);
  opt.slots = 0; // no slots at all: everything is dropped, and said to be
  ck_assert_int_eq(rh_track_create(&opt, &t), RH_OK);
  rh_contact p = point_at(0, 1, 0, 0, 1);
  double next = 0;
  const rh_track_array none = {.next = &next};
  rh_track_result r;
  ck_assert_int_eq(rh_track_update(t, &none, &p, 1, &r), RH_OVER_LIMIT);
  ck_assert_int_eq(r.dropped, 1);
  rh_track_destroy(t);
  rh_track_destroy(NULL);
}

END_TEST

static void at_origin(const void *user, int body, rh_xform *pose)
{
  (void)user;
  (void)body;
  *pose = (rh_xform){.R = {{1, 0, 0, 0, 1, 0, 0, 0, 1}}};
}

// Contacts of two time steps follow the same rule: the feature at any distance, else the nearest within a
// quarter of the thinner shape whose normal is alike; contacts of other pairs do not matter.
START_TEST(contacts_of_two_steps)
{
  rh_model_shape shape[3] = {{.width = 1}, {.width = 0.4}, {.width = 1}};
  const rh_model_contact rule = {.e = 0};
  const rh_model m = {.shape = shape, .nshape = 3, .contact = &rule, .ncontact = 1, .nslot = 7};
  const rh_vec3 up = {0, 0, 1};
  // in no order, with a gap and with two that are no contacts of the model
  rh_slot slot[] = {
      {.used = 1, .a = 0, .b = 2, .id = 9, .at = {1, 0, 0}, .n = {0, 0, 1}, .since = 4},
      {.used = 1, .a = 0, .b = 1, .id = 7, .at = {2, 0, 0}, .n = {1, 0, 0}, .since = 3},
      {.used = 0},
      {.used = 1, .a = 0, .b = 1, .id = 2, .at = {0, 0, 0}, .n = {0, 0, 1}, .since = 1},
      {.used = 1, .a = 0, .b = 3, .id = 2, .since = 5},
      {.used = 1, .a = NAN, .b = 1, .id = 2, .since = 6},
      {.used = 1, .a = 0, .b = 1, .id = 5, .at = {1, 0, 0}, .n = {0, 0, 1}, .since = 2},
  };
  double s[RH_COUNT(slot) * RH_SLOT_STATES] = {0};
  double used = RH_COUNT(slot);
  rh_data d = {.model = &m, .slot = slot, .s = s, .used = &used};
  rh_found_contact now[] = {
      {.a = 0, .b = 1, .id = 1, .point = {1.09, 0, 0}, .n = up}, // within 0.1 m of feature 5
      {.a = 0, .b = 1, .id = 2, .point = {3, 0, 0}, .n = up},    // the same feature
      {.a = 0, .b = 1, .id = 3, .point = {1.08, 0, 0}, .n = up}, // nearer to feature 5
      {.a = 0, .b = 1, .id = 6, .point = {2, 0, 0}, .n = up},    // another normal
      {.a = 0, .b = 2, .id = 9, .point = {1.08, 0, 0}, .n = up},
  };
  const double since[] = {0, 1, 2, 0, 4};
  for (int k = 0; k < RH_COUNT(slot); k++) {
    s[k * RH_SLOT_STATES + RH_SLOT_FRICTION] = slot[k].since; // its force goes with it
  }
  rh_slots_pack(&d);
  ck_assert(used == 4 && slot[4].used == 0 && s[4 * RH_SLOT_STATES + RH_SLOT_FRICTION] == 0);
  rh_found_recall(&d, (rh_poses){at_origin, NULL}, now, RH_COUNT(now));
  for (int i = 0; i < RH_COUNT(now); i++) {
    ck_assert_msg(now[i].since == since[i] && now[i].f.x == since[i], "contact %d is of %g s", i,
                  now[i].since);
  }
}

END_TEST

Suite *rh_suite_unit_track(void)
{
  Suite *suite = suite_create("unit_track");
  TCase *tcase = tcase_create("track");
  tcase_add_test(tcase, reference_clusters);
  tcase_add_test(tcase, reference_sequence);
  tcase_add_test(tcase, features_before_distance);
  tcase_add_test(tcase, nearest_first_and_ties);
  tcase_add_test(tcase, limits_of_distance);
  tcase_add_test(tcase, order_does_not_matter);
  tcase_add_test(tcase, overflow_is_told);
  tcase_add_test(tcase, long_run_and_restart);
  tcase_add_test(tcase, damaged_slots_are_free);
  tcase_add_test(tcase, contacts_of_two_steps);
  tcase_add_test(tcase, wrong_options);
  suite_add_tcase(suite, tcase);
  return suite;
}
