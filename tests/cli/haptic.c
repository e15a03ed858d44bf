// cli_haptic.c: `routh haptic` as a user meets it: every device, refusals, signals. How well the machine kept time is never
// asserted: deadlines are set so long that none can be missed where the bits matter.
#include "program.h"

#include "realtime/datagram.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <routh/routh.h>
#include <signal.h>
#include <sys/socket.h>

static const char peg[] = ROUTH_SOURCE_DIR "/scenes/haptic-peg-corner.yaml";

static void hash_of(const char *json, char hash[32])
{
  ck_assert_msg(rh_json_pick(json, "hash", hash, 32), "no hash in:\n%s", json);
}

static rh_output good(rh_output output)
{
  ck_assert_msg(output.exit_code == 0, "exit code %d: %s", output.exit_code, output.err);
  return output;
}

// ---- Hands that repeat

START_TEST(simulated_hand_has_the_bits_of_run)
{
  char live[32];
  char run[32];
  rh_folder_enter();
  rh_output output =
      good(routh("haptic", peg, "--until", "1", "--json", "-o", "a.rhr", "--deadline", "9999"));
  ck_assert_msg(rh_json_valid(output.out), "not JSON:\n%s", output.out);
  hash_of(output.out, live);
  ck_assert_double_eq(rh_json_number_at(output.out, "ticks"), 512);
  ck_assert_double_eq(rh_json_number_at(output.out, "frames"), 513);
  ck_assert_double_eq(rh_json_number_at(output.out, "missed"), 0);
  ck_assert_double_eq(rh_json_number_at(output.out, "lost"), 0);
  rh_output_free(&output);
  output = good(routh("run", peg, "--until", "1", "--json", "-o", "b.rhr"));
  hash_of(output.out, run);
  ck_assert_str_eq(live, run);
  rh_output_free(&output);
  output = good(routh("check", "a.rhr", "b.rhr"));
  rh_output_free(&output);
  rh_recording *recording = NULL;
  ck_assert_int_eq(rh_recording_open("a.rhr", NULL, &recording), RH_OK);
  const char *note = rh_recording_meta(recording, "haptic");
  ck_assert_ptr_nonnull(note);
  ck_assert(rh_json_valid(note));
  ck_assert_double_eq(rh_json_number_at(note, "ticks"), 512);
  rh_recording_close(recording);
  // At another rate, and limited
  output = good(routh("haptic", peg, "--until", "0.6", "--rate", "1000", "--max-force", "15",
                      "--json", "--deadline", "9999"));
  hash_of(output.out, live);
  ck_assert_double_eq(rh_json_number_at(output.out, "ticks"), 600);
  ck_assert_double_le(rh_json_number_at(output.out, "peak_force"), 15 * (1 + 1e-12));
  ck_assert_double_ge(rh_json_number_at(output.out, "peak_force"), 14);
  rh_output_free(&output);
  output = good(routh("run", peg, "--until", "0.6", "--dt", "1 ms", "-s", "haptic.clamp=[15, 1e9]",
                      "--json", "--no-record"));
  hash_of(output.out, run);
  ck_assert_str_eq(live, run);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// The constant force of the scene, as a recorded hand: the same motion, and the recording holds the hand.
START_TEST(recorded_hand)
{
  char live[32];
  char run[32];
  rh_folder_enter();
  FILE *file = fopen("hand.csv", "w");
  ck_assert_ptr_nonnull(file);
  (void)fputs("# constant\nt,fx,fy\n0,-0.32,0.4\n10,-0.32,0.4\n", file);
  (void)fclose(file);
  rh_output output = good(routh("haptic", peg, "--device", "trace", "--trace", "hand.csv",
                                "--until", "0.5", "--json", "-o", "a.rhr", "--deadline", "9999"));
  hash_of(output.out, live);
  rh_output_free(&output);
  output = good(routh("run", peg, "--until", "0.5", "--json", "--no-record"));
  hash_of(output.out, run);
  ck_assert_str_eq(live,
                   run); // the hand is no state: a constant trace pushes as the constant force does
  rh_output_free(&output);
  output = good(routh("run", "--resume", "a.rhr", "--until", "0.75", "--json")); // without the file
  hash_of(output.out, live);
  rh_output_free(&output);
  output = good(routh("run", peg, "--until", "0.75", "--json", "--no-record"));
  hash_of(output.out, run);
  ck_assert_str_eq(live, run);
  rh_output_free(&output);
  file = fopen("hand.csv", "w");
  ck_assert_ptr_nonnull(file);
  (void)fputs("t,fx,fy\n0,-0.32,0.4\n10,-0.32\n", file);
  (void)fclose(file);
  output = routh("haptic", peg, "--device", "trace", "--trace", "hand.csv");
  ck_assert_int_eq(output.exit_code, 3);
  ck_contains(output.err, "hand.csv:3:9: error: 3 numbers separated by commas are expected");
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

START_TEST(dry_run_leaves_nothing)
{
  rh_folder_enter();
  rh_output output = good(routh("haptic", peg, "--dry-run", "-o", "a.rhr"));
  ck_contains(output.out, "(dry run)   1000 ticks at 512 Hz   device sim");
  ck_assert_int_eq(rh_folder_count(), 0);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// ---- Refusals

static const rh_refusal refusals[] = {
    {{"haptic"}, 2, "haptic"},
    {{"haptic", peg, "--device", "glove"}, 2, "there is no device 'glove'; there are sim, trace"},
    {{"haptic", peg, "--device", "browse"}, 2, "did you mean 'browser'?"},
    {{"haptic", peg, "--device", "trace"}, 2, "--device trace needs --trace FILE"},
    {{"haptic", peg, "--trace", "a.csv"}, 2, "--device sim reads no --trace"},
    {{"haptic", peg, "--listen", "127.0.0.1"}, 2, "--device sim does not --listen"},
    {{"haptic", peg, "--rate", "-5"}, 2, "--rate must be > 0 Hz"},
    {{"haptic", peg, "--rate", "1e6"}, 2, "the maximum is 100000 Hz"},
    {{"haptic", peg, "--max-force", "2 kg"}, 2, "--max-force"},
    {{"haptic", peg, "--deadline", "0"}, 2, "--deadline must be > 0 s"},
    {{"haptic", peg, "-o", "-"}, 2, "cannot go to standard output"},
    {{"haptic", peg, "-o", "nowhere/a.rhr"}, 5, "nowhere/a.rhr"},
    {{"haptic", peg, "--show-udp", "here"}, 2, "--show-udp needs ADDRESS:PORT"},
    {{"haptic", peg, "--device", "udp", "--listen", "example.org:80"},
     2,
     "is not a numeric address"},
    {{"haptic", peg, "--device", "browser", "--listen", "127.0.0.1:99999"},
     2,
     "needs ADDRESS[:PORT]"},
    {{"haptic", ROUTH_SOURCE_DIR "/scenes/pendulum.yaml"}, 3, "has no section haptic"},
    {{"haptic", peg, "--device", "trace", "--trace", "none.csv"}, 3, "none.csv"},
};

START_TEST(what_is_refused)
{
  rh_refusal_check(&refusals[_i]);
}

END_TEST

// ---- Live devices: started, talked to, and ended by a signal

static struct sockaddr_in loopback(int port)
{
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return at;
}

static bool readable_now(int file)
{
  struct pollfd wait = {.fd = file, .events = POLLIN};
  return poll(&wait, 1, 0) == 1;
}

static rh_output end_by(pid_t child, int number)
{
  (void)kill(child, number);
  rh_output output = rh_program_wait(child);
  ck_assert_msg(output.exit_code == 128 + number, "exit code %d: %s", output.exit_code, output.err);
  ck_contains(output.err, "interrupted at t = ");
  ck_assert_msg(rh_json_valid(output.out), "not JSON:\n%s", output.out);
  return output;
}

// Sends the datagram with the next sequence number and waits for its answer: the loopback loses none of the two.
static rh_wire_out ask(int file, rh_wire_in *in)
{
  unsigned char bytes[RH_WIRE_IN];
  unsigned char heard[512];
  rh_wire_out out;
  in->sequence++;
  rh_wire_write(in, bytes);
  ck_assert_int_eq(send(file, bytes, sizeof bytes, 0), (ssize_t)sizeof bytes);
  ssize_t size = recv(file, heard, sizeof heard, 0);
  const char *wrong = rh_wire_read_out(heard, size > 0 ? (size_t)size : 0, &out);
  ck_assert_msg(wrong == NULL, "%s", wrong);
  return out;
}

START_TEST(datagram_device)
{
  char text[128];
  rh_folder_enter();
  pid_t child = rh_program_start(
      (const char *const[]){"haptic", peg, "--device", "udp", "--listen", "127.0.0.1:0", "--json",
                            "-o", "udp.rhr", "--timeout", "9999", "--deadline", "9999", NULL});
  rh_program_wait_for(child, "datagrams on udp 127.0.0.1:", text, sizeof text);
  struct sockaddr_in at = loopback((int)strtol(text, NULL, 10));
  int file = socket(AF_INET, SOCK_DGRAM, 0);
  ck_assert_int_eq(connect(file, (struct sockaddr *)&at, sizeof at), 0);
  rh_wire_in in = {.sequence = 7, .hand = {.wrench = {-3, 4, 0, 0, 0, 0}, .has_wrench = true}};
  rh_wire_out first = ask(file, &in);
  unsigned char bytes[RH_WIRE_IN] = "RHHI\2"; // of a version that is not known
  for (int i = 0; i < 5; i++) {
    ck_assert_int_gt(send(file, bytes, (size_t)(i == 0 ? 10 : RH_WIRE_IN), 0), 0);
  }
  uint32_t newest = in.sequence;
  rh_wire_write(&in, bytes); // once more: out of order
  ck_assert_int_gt(send(file, bytes, sizeof bytes, 0), 0);
  rh_wire_out out = first;
  while (!(out.gain == 1 && out.t > 0.3)) { // the force comes up
    out = ask(file, &in);
    ck_assert_uint_eq(out.answer, in.sequence);
    ck_assert(rh_wire_newer(out.sequence, first.sequence));
    rh_program_yield();
  }
  ck_assert_double_eq(out.gain, 1);
  ck_assert_double_gt(out.t, first.t);
  ck_assert_uint_gt(in.sequence, newest);
  int other = socket(AF_INET, SOCK_DGRAM, 0); // somebody else is not heard while the first is there
  ck_assert_int_eq(connect(other, (struct sockaddr *)&at, sizeof at), 0);
  rh_wire_write(&in, bytes);
  ck_assert_int_gt(send(other, bytes, sizeof bytes, 0), 0);
  (void)ask(file, &in); // behind it in the same queue
  ck_assert(!readable_now(other));
  rh_output output = end_by(child, SIGTERM);
  ck_assert_double_eq(rh_json_number_at(output.out, "malformed"), 5);
  ck_assert_double_ge(rh_json_number_at(output.out, "out_of_order"), 1);
  ck_assert_double_eq(rh_json_number_at(output.out, "other_peers"), 1);
  ck_assert_double_gt(rh_json_number_at(output.out, "received"), 2);
  rh_output_free(&output);
  output = good(routh("check", "udp.rhr")); // closed in good order
  ck_assert_int_eq(rh_folder_count(), 1);
  rh_output_free(&output);
  (void)close(file);
  (void)close(other);
  rh_folder_leave();
}

END_TEST

START_TEST(graphics_over_udp)
{
  char text[32];
  rh_folder_enter();
  struct sockaddr_in at = loopback(0);
  socklen_t length = sizeof at;
  int file = socket(AF_INET, SOCK_DGRAM, 0);
  ck_assert_int_eq(bind(file, (struct sockaddr *)&at, sizeof at), 0);
  ck_assert_int_eq(getsockname(file, (struct sockaddr *)&at, &length), 0);
  (void)snprintf(text, sizeof text, "127.0.0.1:%d", ntohs(at.sin_port));
  pid_t child = rh_program_start(
      (const char *const[]){"haptic", peg, "--until", "1000", "--show-udp", text, "--json", NULL});
  bool seen[2] = {false, false};
  for (int i = 0; i < 200 && !(seen[0] && seen[1]); i++) {
    unsigned char bytes[2048];
    ssize_t size = recv(file, bytes, sizeof bytes, 0);
    ck_assert_int_ge(size, RH_WIRE_SHOW_HEAD);
    ck_assert_mem_eq(bytes, "RHSH\1\0", 6);
    int count = bytes[16];
    int kind = bytes[6];
    ck_assert_int_eq(size,
                     RH_WIRE_SHOW_HEAD + count * (kind == 1 ? RH_WIRE_CONTACT : RH_WIRE_BODY));
    if (kind == 0) {
      ck_assert_int_eq(count, 3); // the world, tool and device
      ck_assert_int_eq(bytes[20], 3);
    }
    seen[kind] = true;
  }
  ck_assert(seen[0] && seen[1]);
  rh_output output = end_by(child, SIGINT);
  ck_assert_double_gt(rh_json_number_at(output.out, "pictures"), 0);
  rh_output_free(&output);
  (void)close(file);
  rh_folder_leave();
}

END_TEST

// ---- The page: plain HTTP and WebSocket (RFC 6455) by hand

static int dial(int port)
{
  struct sockaddr_in at = loopback(port);
  int file = socket(AF_INET, SOCK_STREAM, 0);
  ck_assert_int_eq(connect(file, (struct sockaddr *)&at, sizeof at), 0);
  return file;
}

// Reads until `mark` is there or the other side closes.
static size_t hear(int file, const char *mark, char *text, size_t size)
{
  size_t used = 0;
  text[0] = '\0';
  while (used + 1 < size && strstr(text, mark) == NULL) {
    ssize_t got = recv(file, text + used, size - 1 - used, 0);
    if (got <= 0) {
      break;
    }
    used += (size_t)got;
    text[used] = '\0';
    for (size_t i = 0; i < used; i++) { // heads of frames hold zeros
      text[i] = text[i] == '\0' ? ' ' : text[i];
    }
  }
  return used;
}

static int ask_page(int port, const char *path, char *text, size_t size)
{
  char request[512];
  int file = dial(port);
  (void)snprintf(request, sizeof request,
                 "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n", path, port);
  ck_assert_int_gt(send(file, request, strlen(request), 0), 0);
  (void)hear(file, "</html>", text, size);
  (void)close(file);
  int code = 0;
  (void)sscanf(text, "HTTP/1.%*d %d", &code);
  return code;
}

// An open socket, or -1 if it was refused.
static int join(int port, const char *token, const char *origin)
{
  char request[512];
  char text[2048];
  int file = dial(port);
  (void)snprintf(request, sizeof request,
                 "GET /ws?token=%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\n"
                 "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                 "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: routh\r\n%s%s%s\r\n",
                 token, port, origin != NULL ? "Origin: " : "", origin != NULL ? origin : "",
                 origin != NULL ? "\r\n" : "");
  ck_assert_int_gt(send(file, request, strlen(request), 0), 0);
  (void)hear(file, "\r\n\r\n", text, sizeof text);
  if (strncmp(text, "HTTP/1.1 101", 12) == 0) {
    return file;
  }
  (void)close(file);
  return -1;
}

static void say(int file, const char *text)
{
  unsigned char frame[256] = {0x81, 0x80, 1, 2, 3, 4};
  size_t length = strlen(text);
  size_t head = length < 126 ? 6 : 8;
  if (length >= 126) {
    const unsigned char longer[8] = {0x81, 0xfe, 0, (unsigned char)length, 1, 2, 3, 4};
    memcpy(frame, longer, sizeof longer);
  } else {
    frame[1] = (unsigned char)(0x80 | length);
  }
  for (size_t i = 0; i < length; i++) {
    frame[head + i] = (unsigned char)((unsigned char)text[i] ^ frame[head - 4 + i % 4]);
  }
  ck_assert_int_eq(send(file, frame, head + length, MSG_NOSIGNAL), (ssize_t)(head + length));
}

// Reads what is still on its way until the other side closes. It has CLOSING pictures for that: the page sends one each period.
static bool is_closed(int file)
{
  enum { CLOSING = 1000 };

  static char text[65536];
  for (int i = 0; i < CLOSING; i++) {
    if (recv(file, text, sizeof text, 0) <= 0) {
      return true;
    }
  }
  return false;
}

START_TEST(mouse_in_a_browser)
{
  static char text[65536];
  char address[256];
  char token[64];
  char path[128];
  char own[64];
  int port = 0;
  rh_folder_enter();
  pid_t child =
      rh_program_start((const char *const[]){"haptic", peg, "--device", "browser", "--json",
                                             "--timeout", "9999", "--deadline", "9999", NULL});
  rh_program_wait_for(child, "open in a browser: http://127.0.0.1:", address, sizeof address);
  ck_assert_int_eq(sscanf(address, "%d/?token=%63s", &port, token), 2);
  ck_assert_uint_eq(strlen(token), 32);
  (void)snprintf(path, sizeof path, "/?token=%s", token);
  (void)snprintf(own, sizeof own, "http://127.0.0.1:%d", port);
  ck_assert_int_eq(ask_page(port, path, text, sizeof text), 200);
  ck_contains(text, "<canvas");
  ck_assert_int_eq(ask_page(port, "/", text, sizeof text), 403);
  ck_assert_int_eq(ask_page(port, "/?token=00000000000000000000000000000000", text, sizeof text),
                   403);
  (void)snprintf(path, sizeof path, "/../etc/passwd?token=%s", token);
  ck_assert_int_ne(ask_page(port, path, text, sizeof text), 200);
  ck_assert_int_eq(join(port, token, "http://example.org"), -1);
  ck_assert_int_eq(join(port, token, NULL), -1);
  ck_assert_int_eq(join(port, "00000000000000000000000000000000", own), -1);
  int file = join(port, token, own);
  ck_assert_int_ge(file, 0);
  static const char *const wrong[] = {
      "hello",
      "1 2",
      "1 2 1 ",
      "nan 0 1",
      "1 2 3",
      "0.000000000000000000000000000000000000000000000000000000000000000000"
      "000000000000000000000000000000000000000000000000000000000000 0 1"};
  for (int i = 0; i < RH_COUNT(wrong); i++) { // closes who said it, and nobody else
    int other = join(port, token, own);
    ck_assert_int_ge(other, 0);
    say(other, wrong[i]);
    ck_assert_msg(is_closed(other), "'%s' was taken", wrong[i]);
    (void)close(other);
  }
  for (int i = 0; i < 20; i++) {
    say(file, "0.0300 -0.020 1");
  }
  ck_assert_uint_gt(hear(file, "\"shapes\"", text, sizeof text), 0);
  ck_contains(text, "\"returned\"");
  ck_contains(text, "\"planes\"");
  say(file,
      wrong
          [0]); // messages are read in their order: when this one closes, the others have been read
  ck_assert(is_closed(file));
  rh_output output = end_by(child, SIGINT);
  ck_assert_double_eq(rh_json_number_at(output.out, "received"), 20);
  ck_assert_double_eq(rh_json_number_at(output.out, "closed"), RH_COUNT(wrong) + 1);
  ck_assert_double_eq(rh_json_number_at(output.out, "refused"), 5);
  rh_output_free(&output);
  (void)close(file);
  rh_folder_leave();
}

END_TEST

Suite *rh_suite_cli_haptic(void)
{
  Suite *suite = suite_create("cli_haptic");
  TCase *tcase = tcase_create("haptic");
  tcase_add_test(tcase, simulated_hand_has_the_bits_of_run);
  tcase_add_test(tcase, recorded_hand);
  tcase_add_test(tcase, dry_run_leaves_nothing);
  tcase_add_loop_test(tcase, what_is_refused, 0, RH_COUNT(refusals));
  tcase_add_test(tcase, datagram_device);
  tcase_add_test(tcase, graphics_over_udp);
  tcase_add_test(tcase, mouse_in_a_browser);
  suite_add_tcase(suite, tcase);
  return suite;
}
