// unit_sweep_faults: what a sweep does when something is wrong: workers that babble, journals that are torn, damaged,
// held by another manager or on a full disk, programs that were stopped for a while, scenes longer than a message.
#include "test.h"

#include "recording/journal/journal.h"
#include "sweep/leases.h"
#include "sweep/mpi/letters.h"
#include "sweep/sweep.h"
#include "sweep/wire.h"

#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static const char still[] = "bodies: [{name: ball, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}]\n"
                            "joints: [{kind: free, child: ball}]\n";

enum { CASES = 400, BABBLE = 77 };

static rh_status run_square(const rh_plan *plan, int64_t index, rh_case *result)
{
  (void)plan;
  *result = (rh_case){.index = index, .value = {(double)index * (double)index}};
  return RH_OK;
}

// A sweep of CASES cases with a journal of its own.
typedef struct bench {
  rh_request request;
  rh_plan plan;
  rh_diag *diag;
  char path[64], log[80];
} bench;

static void set_up(bench *b, const char *name)
{
  *b = (bench){.request = {.quiet = true, .progress = "none"}, .diag = rh_diag_create()};
  rh_plan_asked asked = {.vary = "ball.mass=1:2:400", .out = "until"};
  rh_plan_scene scene = {"still", still, sizeof still - 1, NULL, 0};
  (void)snprintf(b->path, sizeof b->path, "/tmp/routh-%s-%d.rsw", name, (int)getpid());
  (void)snprintf(b->log, sizeof b->log, "%s-wal", b->path);
  (void)unlink(b->path);
  (void)unlink(b->log);
  ck_assert_int_eq(rh_plan_read(&scene, &asked, b->diag, &b->plan), RH_OK);
  b->plan.run = run_square;
}

static void take_down(bench *b)
{
  (void)unlink(b->path);
  (void)unlink(b->log);
  rh_plan_free(&b->plan);
  rh_diag_destroy(b->diag);
}

static rh_status run_journal(bench *b, rh_journal *journal, rh_sweep_counts *counts)
{
  rh_sweep_run run = {.request = &b->request,
                      .diag = b->diag,
                      .plan = &b->plan,
                      .journal = journal,
                      .workers = 2,
                      .lease = (double)INFINITY};
  rh_status status = rh_sweep_simulate(&run);
  *counts = run.counts;
  return status;
}

static char *file_bytes(const char *path, size_t *size)
{
  FILE *file = fopen(path, "rb");
  ck_assert_msg(file != NULL, "%s", path);
  (void)fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char *bytes = malloc(*size + 1);
  ck_assert_uint_eq(fread(bytes, 1, *size, file), *size);
  (void)fclose(file);
  return bytes;
}

static void put_bytes(const char *path, const char *bytes, size_t size)
{
  FILE *file = fopen(path, "wb");
  ck_assert_ptr_nonnull(file);
  ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
  ck_assert_int_eq(fclose(file), 0);
}

// The bytes of the undisturbed sweep.
static char *run_undisturbed(size_t *size)
{
  bench b;
  rh_journal *journal = NULL;
  rh_sweep_counts counts;
  set_up(&b, "reference");
  ck_assert_int_eq(rh_plan_journal(&b.plan, b.path, b.diag, &journal), RH_OK);
  ck_assert_int_eq(run_journal(&b, journal, &counts), RH_OK);
  char *bytes = file_bytes(b.path, size);
  take_down(&b);
  return bytes;
}

static void check_resumed(bench *b, const char *want, size_t nwant)
{
  rh_journal *journal = NULL;
  rh_sweep_counts counts;
  size_t size = 0;
  ck_assert_int_eq(rh_journal_open(b->path, true, b->diag, &journal), RH_OK);
  ck_assert_int_eq(run_journal(b, journal, &counts), RH_OK);
  ck_assert_int_eq(counts.done, CASES);
  char *bytes = file_bytes(b->path, &size);
  ck_assert_uint_eq(size, nwant);
  ck_assert_mem_eq(bytes, want, size);
  free(bytes);
}

// ---- Time

// A gap counts as RH_LISTENING_GAP; a clock that goes backwards does not count.
START_TEST(gaps_are_no_silence)
{
  rh_listening watch = {.looked = 100};
  ck_assert_double_eq(rh_listening_time(&watch, 100.5), 0.5);
  ck_assert_double_eq(rh_listening_time(&watch, 5000), 0.5 + RH_LISTENING_GAP);
  ck_assert_double_eq(rh_listening_time(&watch, 4000), 0.5 + RH_LISTENING_GAP);
  ck_assert_double_eq(rh_listening_time(&watch, 4000.25), 0.75 + RH_LISTENING_GAP);
}

END_TEST

// ---- Messages

static bool is_result(const rh_plan *plan, const rh_text *message)
{
  rh_case back;
  rh_wire head;
  size_t at = 0;
  const char *body = NULL;
  bool damaged = false;
  ck_assert(rh_wire_next(message, &at, &head, &body, &damaged));
  return rh_wire_result(plan, body, head.bytes, &back);
}

// A status that is none, a reason with a zero in it or of another length.
START_TEST(results_that_are_none)
{
  static const struct {
    size_t at;
    uint32_t word;
  } damage[] = {{16, 1000}, {16, UINT32_MAX}, {20, 6}, {20, 8}, {20, UINT32_MAX}, {40, 0}};

  rh_plan plan = {.out.n = 2};
  rh_case result = {.index = 5, .status = RH_STOPPED, .reason = "because", .value = {1.5, -2}};
  rh_text sent = {0};
  rh_wire_add_result(&sent, &plan, &result);
  ck_assert(is_result(&plan, &sent));
  for (int i = 0; i < RH_COUNT(damage); i++) {
    uint32_t kept = 0;
    memcpy(&kept, sent.data + damage[i].at, sizeof kept);
    memcpy(sent.data + damage[i].at, &damage[i].word, sizeof kept);
    ck_assert_msg(!is_result(&plan, &sent), "%d", i);
    memcpy(sent.data + damage[i].at, &kept, sizeof kept);
  }
  ck_assert(is_result(&plan, &sent));
  rh_text_free(&sent);
}

END_TEST

// A plan is longer than any other message, and comes in pieces; elsewhere it is none.
START_TEST(long_plans)
{
  static char text[100000];
  rh_plan plan;
  rh_plan back = {0};
  rh_text sent = {0};
  rh_text got = {0};
  rh_diag *diag = rh_diag_create();
  memset(text, '#', sizeof text);
  memcpy(text + sizeof text - sizeof still, "\n", 1);
  memcpy(text + sizeof text - sizeof still + 1, still, sizeof still - 1);
  rh_plan_asked asked = {.vary = "ball.mass=1:2:400", .out = "until"};
  rh_plan_scene scene = {"long", text, sizeof text, NULL, 0};
  ck_assert_int_eq(rh_plan_read(&scene, &asked, diag, &plan), RH_OK);
  rh_wire_add_plan(&sent, &plan);
  ck_assert_uint_gt(sent.size, sizeof text);
  rh_status status = RH_STOPPED;
  for (size_t at = 0; at < sent.size; at += 1000) {
    size_t left = sent.size - at;
    ck_assert(status == RH_STOPPED);
    rh_text_add_bytes(&got, sent.data + at, left < 1000 ? left : 1000);
    ck_assert(rh_wire_plan(&got, &back, &status) == (left > 1000));
  }
  ck_assert_int_eq(status, RH_OK);
  ck_assert_int_eq(back.cases, CASES);
  ck_assert_uint_eq(back.scene_sum, plan.scene_sum);
  size_t at = 0;
  rh_wire head;
  const char *body = NULL;
  bool damaged = false;
  ck_assert(!rh_wire_next(&sent, &at, &head, &body, &damaged));
  ck_assert(damaged);
  rh_text_free(&sent);
  rh_text_free(&got);
  rh_plan_free(&plan);
  rh_plan_free(&back);
  rh_diag_destroy(diag);
}

END_TEST

// An MPI of letters of one byte, of which those with a capital letter never come to their end.
static const struct {
  int from;
  char byte;
} mail[] = {{2, 'a'}, {2, 'B'}, {3, 'c'}, {2, 'd'}, {3, 'e'}};

static int nmail;

static long probe_mail(int *from)
{
  if (nmail == RH_COUNT(mail)) {
    return -1;
  }
  *from = mail[nmail].from;
  return 1;
}

static bool take_mail(void *bytes, long n, rh_mpi_post *post)
{
  ck_assert_int_eq(n, 1);
  *(char *)bytes = mail[nmail].byte;
  post->request[0] = (unsigned char)mail[nmail++].byte;
  return true;
}

static bool is_mail_there(rh_mpi_post *post)
{
  ck_assert(post->request[0] != 0); // once true it must not be asked again
  bool there = post->request[0] >= 'a';
  post->request[0] = there ? 0 : post->request[0];
  return there;
}

// A letter whose sender died does not hold up those of others; those behind it come when it is given up.
START_TEST(letters_that_do_not_end)
{
  const rh_mpi mpi = {.probe = probe_mail, .take = take_mail, .posted = is_mail_there};
  rh_letterbox box = {.mpi = &mpi};
  rh_text said[4] = {{0}};
  static const int want[] = {2, RH_NONE, 3, RH_NONE, 3, RH_NONE, RH_NONE};
  nmail = 0;
  for (int i = 0; i < RH_COUNT(want); i++) {
    ck_assert_int_eq(rh_letterbox_take(&box, 1000 + 0.1 * i, said, true), want[i]);
  }
  ck_assert_str_eq(said[2].data, "a");
  ck_assert_str_eq(said[3].data, "ce");
  int got = RH_NONE;
  for (int i = 1; got == RH_NONE && i < 1000; i++) {
    got = rh_letterbox_take(&box, 1001 + i, said, true);
    ck_assert(got == RH_NONE || i >= RH_LETTER_PATIENCE - 1);
  }
  ck_assert_int_eq(got, 2);
  ck_assert_str_eq(said[2].data, "ad");
  for (int i = 0; i < 4; i++) {
    rh_text_free(&said[i]);
  }
  rh_letterbox_free(&box);
}

END_TEST

// ---- Workers that babble

static const char *babble;
static size_t nbabble;

// Writes what is no message to its manager, before the result.
static rh_status run_babbling_case(const rh_plan *plan, int64_t index, rh_case *result)
{
  int kind = 0;
  socklen_t size = sizeof kind;
  for (int fd = 3; index == BABBLE && fd < 256; fd++) {
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &kind, &size) == 0) {
      (void)!write(fd, babble, nbabble);
    }
  }
  return run_square(plan, index, result);
}

static rh_status check_babbled(void *user, const rh_journal_row *row)
{
  int *next = user;
  ck_assert_int_eq(row->index, *next);
  ck_assert_str_eq(row->status, *next == BABBLE ? "STOPPED" : "OK");
  ck_assert(*next == BABBLE || row->number[1] == (double)*next * *next);
  ++*next;
  return RH_OK;
}

// Nonsense; a plan, which only a manager sends; a result that is none, with a status of 1000.
START_TEST(workers_that_babble)
{
  static const uint32_t plan[2] = {RH_WIRE_PLAN, 100000000};
  static const uint32_t result[8] = {RH_WIRE_RESULT, 24, 3, 0, 1000, 0, 0, 0};

  static const struct {
    const void *bytes;
    size_t n;
  } said[] = {{"nonsense nonsense nonsense", 26}, {plan, sizeof plan}, {result, sizeof result}};

  bench b;
  rh_journal *journal = NULL;
  rh_sweep_counts counts;
  babble = said[_i].bytes;
  nbabble = said[_i].n;
  set_up(&b, "babble");
  b.plan.run = run_babbling_case;
  ck_assert_int_eq(rh_plan_journal(&b.plan, b.path, b.diag, &journal), RH_OK);
  ck_assert_int_eq(run_journal(&b, journal, &counts), RH_OK);
  ck_assert_int_eq(counts.lost, 1);
  ck_assert_int_ge(counts.deaths, RH_DEATHS_MAX);
  int next = 0;
  ck_assert_int_eq(rh_journal_open(b.path, false, b.diag, &journal), RH_OK);
  ck_assert_int_eq(rh_journal_read(journal, check_babbled, &next, b.diag), RH_OK);
  ck_assert_int_eq(next, CASES);
  rh_journal_close(journal);
  take_down(&b);
}

END_TEST

// ---- Journals

enum { KEPT = 150, PIECE = 50 }; // cases, in transactions of

// Leaves the journal of a manager that was killed after so many cases.
static void leave_torn(bench *b, int cases)
{
  pid_t child = fork();
  if (child == 0) {
    rh_journal *journal = NULL;
    bool good = rh_plan_journal(&b->plan, b->path, b->diag, &journal) == RH_OK;
    for (int i = 0; good && i < cases; i++) {
      rh_case result;
      (void)run_square(&b->plan, i, &result);
      good = rh_plan_keep(&b->plan, &result, journal) &&
             (i % PIECE != PIECE - 1 || rh_journal_commit(journal));
    }
    _exit(good ? 0 : 1);
  }
  int state = 1;
  ck_assert_int_eq(waitpid(child, &state, 0), child);
  ck_assert_int_eq(state, 0);
}

static void count_index(void *user, int64_t index)
{
  int *count = user;
  ck_assert_int_eq(index, *count);
  ++*count;
}

// The log is cut anywhere, or a byte of it is another one: whole transactions remain, the first ones, and the sweep that
// is continued ends with the same bytes.
START_TEST(torn_journals)
{
  size_t nwant = 0;
  size_t nfile = 0;
  size_t nlog = 0;
  char *want = run_undisturbed(&nwant);
  bench b;
  size_t nempty = 0;
  set_up(&b, "torn");
  leave_torn(&b, 0);
  free(file_bytes(b.log, &nempty)); // before the end of this there is no journal
  take_down(&b);
  set_up(&b, "torn");
  leave_torn(&b, KEPT);
  char *file = file_bytes(b.path, &nfile);
  char *log = file_bytes(b.log, &nlog);
  int seen[KEPT / PIECE + 1] = {0};
  for (int k = 0; k <= 20; k++) {
    bool cut = k % 2 == 0;
    size_t at = nempty + (nlog - nempty) * (size_t)k / 20;
    put_bytes(b.path, file, nfile);
    put_bytes(b.log, log, cut ? at : nlog);
    if (!cut) {
      char *other = malloc(nlog);
      memcpy(other, log, nlog);
      other[at < nlog ? at : nlog - 1] ^= 0x40;
      put_bytes(b.log, other, nlog);
      free(other);
    }
    rh_journal *journal = NULL;
    int count = 0;
    ck_assert_msg(rh_journal_open(b.path, true, b.diag, &journal) == RH_OK, "cut at %zu of %zu", at,
                  nlog);
    ck_assert_int_eq(rh_journal_indices(journal, count_index, &count, b.diag), RH_OK);
    ck_assert_int_eq(count % PIECE, 0);
    ck_assert_int_le(count, KEPT);
    seen[count / PIECE]++;
    rh_journal_close(journal);
    check_resumed(&b, want, nwant);
  }
  ck_assert_int_gt(seen[KEPT / PIECE], 0);
  ck_assert_int_lt(seen[KEPT / PIECE], 21);
  free(file);
  free(log);
  free(want);
  take_down(&b);
}

END_TEST

static rh_status open_damaged(bench *b, const char *sql)
{
  sqlite3 *db = NULL;
  rh_journal *journal = NULL;
  rh_plan plan = {0};
  rh_sweep_counts counts;
  leave_torn(b, KEPT);
  ck_assert_int_eq(sqlite3_open(b->path, &db), SQLITE_OK);
  ck_assert_int_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
  ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
  ck_assert_int_eq(rh_journal_open(b->path, true, b->diag, &journal), RH_OK);
  rh_status status = rh_plan_again(journal, b->diag, &plan);
  if (status == RH_OK) {
    status = run_journal(b, journal, &counts);
  } else {
    rh_journal_close(journal);
  }
  rh_plan_free(&plan);
  return status;
}

// Columns that the plan has not, or not so; rows that the plan has not; a plan that is none.
START_TEST(damaged_journals)
{
  static const char *const damage[] = {
      "ALTER TABLE cases ADD COLUMN more REAL",
      "ALTER TABLE cases RENAME COLUMN until TO since",
      "ALTER TABLE cases DROP COLUMN until; ALTER TABLE cases ADD COLUMN until TEXT",
      "INSERT INTO cases(\"case\", status, reason) VALUES(400, 'OK', '')",
      "INSERT INTO cases(\"case\", status, reason) VALUES(-1, 'OK', '')",
      "DELETE FROM meta WHERE key = 'vary'",
      "UPDATE meta SET value = 'ball.mass' WHERE key = 'vary'",
      "UPDATE meta SET value = value || ' ' WHERE key = 'scene_sum'; UPDATE meta SET value = '5' "
      "WHERE key = 'scene_sum'",
  };
  for (int i = 0; i < RH_COUNT(damage); i++) {
    bench b;
    set_up(&b, "damaged");
    rh_status status = open_damaged(&b, damage[i]);
    ck_assert_msg(status == RH_INPUT_REFUSED || status == RH_WRONG_USAGE, "%s: %d", damage[i],
                  (int)status);
    take_down(&b);
  }
}

END_TEST

// One manager holds the journal: another is refused, and does no harm.
START_TEST(second_managers)
{
  bench b;
  rh_journal *journal = NULL;
  size_t nwant = 0;
  char *want = run_undisturbed(&nwant);
  set_up(&b, "second");
  ck_assert_int_eq(rh_plan_journal(&b.plan, b.path, b.diag, &journal), RH_OK);
  pid_t child = fork();
  if (child == 0) {
    rh_journal *other = NULL;
    bool refused = true;
    for (int adds = 0; adds < 2; adds++) { // one that reads first
      rh_status status = rh_journal_open(b.path, adds == 1, b.diag, &other);
      refused = refused && status == (adds == 1 ? RH_OUTPUT_NOT_WRITTEN : RH_INPUT_REFUSED) &&
                other == NULL && strstr(rh_diag_get(b.diag, adds).text, "in use") != NULL;
    }
    _exit(refused ? 0 : 1);
  }
  int state = 1;
  ck_assert_int_eq(waitpid(child, &state, 0), child);
  ck_assert_int_eq(state, 0);
  rh_journal_close(journal);
  check_resumed(&b, want, nwant);
  free(want);
  take_down(&b);
}

END_TEST

// Files may not grow beyond a limit, as on a full disk: the sweep stops with the word for it, wherever that comes, what was
// committed is still there, and the sweep is continued.
START_TEST(full_disks)
{
  size_t nwant = 0;
  char *want = run_undisturbed(&nwant);
  int stopped = 0;
  for (rlim_t limit = 14000; limit <= 38000; limit += 4000) {
    bench b;
    set_up(&b, "full");
    pid_t child = fork();
    if (child == 0) {
      rh_journal *journal = NULL;
      rh_sweep_counts counts;
      const struct rlimit size = {limit, limit};
      const struct sigaction ignore = {.sa_handler = SIG_IGN};
      (void)sigaction(SIGXFSZ, &ignore, NULL);
      bool good = rh_plan_journal(&b.plan, b.path, b.diag, &journal) == RH_OK &&
                  setrlimit(RLIMIT_FSIZE, &size) == 0;
      rh_status status = good ? run_journal(&b, journal, &counts) : RH_STOPPED;
      _exit(status == RH_OK ? 0 : status == RH_OUTPUT_NOT_WRITTEN ? 1 : 2);
    }
    int state = 2;
    ck_assert_int_eq(waitpid(child, &state, 0), child);
    ck_assert(WIFEXITED(state) && WEXITSTATUS(state) < 2);
    if (WEXITSTATUS(state) == 1) {
      stopped++;
      check_resumed(&b, want, nwant);
    }
    take_down(&b);
  }
  ck_assert_int_gt(stopped, 0);
  free(want);
}

END_TEST

Suite *rh_suite_unit_sweep_faults(void)
{
  Suite *suite = suite_create("unit_sweep_faults");
  TCase *tcase = tcase_create("sweep_faults");
  tcase_add_test(tcase, gaps_are_no_silence);
  tcase_add_test(tcase, results_that_are_none);
  tcase_add_test(tcase, long_plans);
  tcase_add_test(tcase, letters_that_do_not_end);
  tcase_add_loop_test(tcase, workers_that_babble, 0, 3);
  tcase_add_test(tcase, torn_journals);
  tcase_add_test(tcase, damaged_journals);
  tcase_add_test(tcase, second_managers);
  tcase_add_test(tcase, full_disks);
  suite_add_tcase(suite, tcase);
  return suite;
}
