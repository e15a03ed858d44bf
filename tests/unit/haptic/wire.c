// unit_wire.c: what comes into the real-time loop from outside: datagrams, addresses, recorded hands; good ones read back, all others are
// refused and do no harm.
#include "test.h"

#include "realtime/datagram.h"
#include "realtime/net.h"
#include "scene_io/hand_trace.h"

#include <math.h>
#include <routh/routh.h>
#include <stdio.h>
#include <string.h>

// ---- Datagrams

static rh_wire_in sample(void)
{
  return (rh_wire_in){.sequence = 0xfffffffe,
                      .hand = {.t = 1.25,
                               .live = true,
                               .pose = {0.1, -0.2, 0.3, 0.5, -0.5, 0.5, -0.5},
                               .twist = {1, 2, 3, 4, 5, 6},
                               .wrench = {-1, -2, -3, -4, -5, -6},
                               .has_pose = true,
                               .has_wrench = true}};
}

START_TEST(datagrams_read_back)
{
  unsigned char bytes[RH_WIRE_IN];
  rh_wire_in in = sample();
  rh_wire_in back;
  rh_wire_write(&in, bytes);
  ck_assert_mem_eq(bytes, "RHHI\1\0\7\0\xfe\xff\xff\xff", 12);
  ck_assert_ptr_null(rh_wire_read(bytes, sizeof bytes, &back));
  ck_assert_uint_eq(back.sequence, in.sequence);
  ck_assert(back.hand.live && back.hand.has_pose && back.hand.has_wrench);
  near_array(back.hand.pose, in.hand.pose, 7, 0, 0);
  near_array(back.hand.twist, in.hand.twist, 6, 0, 0);
  near_array(back.hand.wrench, in.hand.wrench, 6, 0, 0);
  unsigned char out[RH_WIRE_OUT];
  rh_wire_out command = {
      .sequence = 7, .answer = 9, .flags = 5, .t = 2, .wrench = {1, 2, 3, 4, 5, 6}};
  command.returned = 1e-3;
  command.worst = 2e-5;
  command.gain = 0.5;
  rh_wire_write_out(&command, out);
  rh_wire_out heard;
  ck_assert_ptr_null(rh_wire_read_out(out, sizeof out, &heard));
  ck_assert(heard.sequence == 7 && heard.answer == 9 && heard.flags == 5);
  near_array(heard.wrench, command.wrench, 6, 0, 0);
  near_abs(heard.gain, 0.5, 0);
  ck_assert_ptr_nonnull(rh_wire_read_out(out, sizeof out - 1, &heard));
}

END_TEST

START_TEST(sequence_numbers_wrap)
{
  ck_assert(rh_wire_newer(2, 1));
  ck_assert(!rh_wire_newer(1, 1));
  ck_assert(!rh_wire_newer(1, 2));
  ck_assert(rh_wire_newer(3, 0xfffffff0));
  ck_assert(!rh_wire_newer(0xfffffff0, 3));
}

END_TEST

START_TEST(wrong_datagrams_are_refused)
{
  unsigned char good[RH_WIRE_IN];
  unsigned char bytes[RH_WIRE_IN + 64] = {0};
  rh_wire_in in = sample();
  rh_wire_in back;
  rh_wire_write(&in, good);
  for (size_t size = 0; size < sizeof bytes; size++) {
    memcpy(bytes, good, size < sizeof good ? size : sizeof good);
    ck_assert((rh_wire_read(bytes, size, &back) == NULL) == (size == RH_WIRE_IN));
  }
  for (int at = 0; at < 16;
       at++) { // any change of the head but for the sequence number, and flags that are known
    for (int bit = 0; bit < 8; bit++) {
      bool free = (at >= 8 && at < 12) || (at == 6 && bit < 3);
      memcpy(bytes, good, sizeof good);
      bytes[at] ^= (unsigned char)(1 << bit);
      ck_assert_msg((rh_wire_read(bytes, RH_WIRE_IN, &back) == NULL) == free, "byte %d bit %d", at,
                    bit);
    }
  }
  static const double wrong[] = {NAN, INFINITY, -INFINITY, 1e7, -1e300};
  for (int k = 0; k < 20; k++) { // t, pose, twist, wrench
    for (int i = 0; i < RH_COUNT(wrong); i++) {
      memcpy(bytes, good, sizeof good);
      memcpy(bytes + 16 + 8 * (size_t)k, &wrong[i],
             8); // this test machine is little-endian, or the next line fails
      ck_assert_ptr_nonnull(rh_wire_read(bytes, RH_WIRE_IN, &back));
    }
  }
  in.hand.pose[3] = 0.9;
  rh_wire_write(&in, bytes);
  ck_assert_str_eq(rh_wire_read(bytes, RH_WIRE_IN, &back),
                   "the quaternion does not have unit length");
}

END_TEST

// Whatever comes, it is refused or what is taken is finite and within bounds.
START_TEST(random_datagrams_do_no_harm)
{
  unsigned char good[RH_WIRE_IN];
  unsigned char bytes[RH_WIRE_IN];
  rh_wire_in in = sample();
  rh_wire_write(&in, good);
  uint64_t random = 88172645463325252u;
  long taken = 0;
  bool sound = true; // one assert at the end: they are slow
  for (int i = 0; i < 100000; i++) {
    memcpy(bytes, good, sizeof good);
    for (int k = 0; k < 1 + i % 4; k++) {
      random ^= random << 13;
      random ^= random >> 7;
      random ^= random << 17;
      bytes[16 + random % (RH_WIRE_IN - 16)] ^= (unsigned char)(random >> 40);
    }
    rh_wire_in back;
    if (rh_wire_read(bytes, sizeof bytes, &back) == NULL) {
      taken++;
      double square = 0;
      for (int k = 0; k < 7; k++) {
        sound = sound && fabs(back.hand.pose[k]) <= 1e6;
        square += k >= 3 ? back.hand.pose[k] * back.hand.pose[k] : 0;
      }
      for (int k = 0; k < 6; k++) {
        sound = sound && fabs(back.hand.wrench[k]) <= 1e6 && fabs(back.hand.twist[k]) <= 1e6;
      }
      sound = sound && fabs(square - 1) < 1e-12;
    }
  }
  ck_assert(sound);
  ck_assert_int_gt(taken, 1000); // low bits of mantissas
}

END_TEST

START_TEST(graphics_in_parts)
{
  unsigned char bytes[RH_WIRE_SHOW];
  double pose[7 * RH_WIRE_SHOW_ENTRIES] = {1, 2, 3, 1, 0, 0, 0};
  rh_wire_show show = {
      .sequence = 5, .first = 40, .count = 20, .total = 61, .t = 1.5, .entry = pose};
  ck_assert_uint_eq(rh_wire_write_show(&show, bytes), RH_WIRE_SHOW);
  ck_assert_mem_eq(bytes, "RHSH\1\0\0\0\5\0\0\0\x28\0\0\0\x14\0\0\0\x3d\0\0\0", 24);
  show.contacts = true;
  show.count = 0;
  ck_assert_uint_eq(rh_wire_write_show(&show, bytes), RH_WIRE_SHOW_HEAD);
  ck_assert_uint_eq(bytes[6], 1);
  ck_assert_int_le(RH_WIRE_SHOW, 1232); // fits into the least packet that IPv6 must carry
}

END_TEST

// ---- Addresses

START_TEST(addresses)
{
  static const struct {
    const char *text, *said; // NULL: refused
  } row[] = {{"127.0.0.1", "127.0.0.1:9"},
             {"127.0.0.1:7000", "127.0.0.1:7000"},
             {"[::1]:80", "[::1]:80"},
             {"::1", "[::1]:9"},
             {"0.0.0.0:0", "0.0.0.0:0"},
             {"localhost:80", NULL},
             {"127.0.0.1:", NULL},
             {"127.0.0.1:70000", NULL},
             {"127.0.0.1:8x", NULL},
             {"", NULL},
             {":80", NULL},
             {"[::1", NULL},
             {"127.0.0.1:-1", NULL},
             {"[::1]80", NULL}};

  for (int i = 0; i < RH_COUNT(row); i++) {
    rh_address address;
    char why[RH_WHY_MAX] = "";
    char text[100];
    bool good = rh_address_read(row[i].text, 9, &address, why);
    ck_assert_msg(good == (row[i].said != NULL), "'%s': %s", row[i].text, why);
    if (good) {
      rh_address_say(&address, text, sizeof text);
      ck_assert_str_eq(text, row[i].said);
    } else {
      ck_assert_str_ne(why, "");
    }
  }
  rh_address address;
  char why[RH_WHY_MAX];
  ck_assert(!rh_address_read("127.0.0.1", RH_NONE, &address, why));
}

END_TEST

// ---- Recorded hands

START_TEST(traces_are_read)
{
  rh_hand_trace trace;
  static const char forces[] = "# a hand\n\nt, fy ,tz\n 0 , 1, 2\n0.5,3,4 \r\n1,5,-6e-1";
  ck_assert_int_eq(rh_hand_trace_parse(forces, sizeof forces - 1, "a.csv", NULL, &trace), RH_OK);
  static const double want[] = {0, 0, 1, 0, 0, 0, 2, 0.5, 0, 3, 0, 0, 0, 4, 1, 0, 5, 0, 0, 0, -0.6};
  ck_assert_int_eq(trace.width, 7);
  ck_assert_int_eq(trace.rows, 3);
  near_array(trace.row, want, 21, 0, 0);
  rh_free(trace.row);
  static const char poses[] = "x,t\n0.1,0\n0.2,2\n";
  ck_assert_int_eq(rh_hand_trace_parse(poses, sizeof poses - 1, "a.csv", NULL, &trace), RH_OK);
  static const double place[] = {0, 0.1, 0, 0, 1, 0, 0, 0, 2, 0.2, 0, 0, 1, 0, 0, 0};
  ck_assert_int_eq(trace.width, 8);
  near_array(trace.row, place, 16, 0, 0);
  rh_free(trace.row);
}

END_TEST

static const struct {
  const char *text, *says;
} wrong_trace[] = {
    {"", "a.csv: error: is empty"},
    {"# nothing\n\n", "a.csv: error: is empty"},
    {"t,fx\n", "a.csv: error: has no rows"},
    {"t,gx\n0,1\n", "a.csv:1:3: error: there is no column 'gx'"},
    {"t,fx,fx\n0,1,1\n", "a.csv:1:6: error: column 'fx' appears twice"},
    {"t,fx fy\n0,1\n", "a.csv:1:6: error: a comma goes between"},
    {"fx,fy\n0,1\n", "a.csv:1:1: error: a trace has t, and either"},
    {"t\n0\n", "a.csv:1:1: error: a trace has t, and either"},
    {"t,fx,x\n0,1,2\n", "a.csv:1:1: error: a trace has t, and either"},
    {"t,fx\n0,1\n1\n", "a.csv:3:2: error: 2 numbers separated by commas are expected"},
    {"t,fx\n0,1,2\n", "a.csv:2:4: error: 2 numbers separated by commas are expected"},
    {"t,fx\n0,one\n", "a.csv:2:3: error: column 'fx' needs a number"},
    {"t,fx\n0,nan\n", "a.csv:2:3: error: column 'fx' needs a number"},
    {"t,fx\n0,1e9\n", "a.csv:2:3: error: column 'fx' must lie between"},
    {"t,fx\n0,1\n0,2\n", "a.csv:3:1: error: time must grow from row to row"},
    {"t,qw\n0,0.5\n", "a.csv:2:1: error: the quaternion must have unit length"},
};

START_TEST(wrong_traces_are_refused_with_their_place)
{
  rh_diag *diag = rh_diag_create();
  rh_hand_trace trace;
  const char *text = wrong_trace[_i].text;
  ck_assert_int_eq(rh_hand_trace_parse(text, strlen(text), "a.csv", diag, &trace),
                   RH_INPUT_REFUSED);
  ck_assert_ptr_null(trace.row);
  rh_message m = rh_diag_get(diag, 0);
  char said[1024];
  (void)rh_message_format(&m, said, sizeof said);
  ck_assert_msg(strncmp(said, wrong_trace[_i].says, strlen(wrong_trace[_i].says)) == 0, "said: %s",
                said);
  rh_diag_destroy(diag);
}

END_TEST

Suite *rh_suite_unit_wire(void)
{
  Suite *suite = suite_create("unit_wire");
  TCase *tcase = tcase_create("wire");
  tcase_add_test(tcase, datagrams_read_back);
  tcase_add_test(tcase, sequence_numbers_wrap);
  tcase_add_test(tcase, wrong_datagrams_are_refused);
  tcase_add_test(tcase, random_datagrams_do_no_harm);
  tcase_add_test(tcase, graphics_in_parts);
  tcase_add_test(tcase, addresses);
  tcase_add_test(tcase, traces_are_read);
  tcase_add_loop_test(tcase, wrong_traces_are_refused_with_their_place, 0, RH_COUNT(wrong_trace));
  suite_add_tcase(suite, tcase);
  return suite;
}
