// tally.c: the counts of a run in its recording, one row of the table `meta`: their frame, then the
// numbers of the list below. It is rewritten with each frame that a run can resume from, so it is
// that of the last one. An error in it costs only the counts.
#include "base/text.h"
#include "private.h"

#include <math.h>
#include <sqlite3.h>
#include <stddef.h>
#include <string.h>

static const char *const KEY = "tally";
static const double COUNT_MAX = 9007199254740992.0; // 2^53: whole numbers that a double can hold

typedef struct field { // of an rh_sim_tally
  size_t at;
  bool counts; // a long; else a double
} field;

#define COUNT(name)                                                                                \
  {                                                                                                \
    offsetof(rh_sim_tally, name), true                                                             \
  }
#define REAL(name)                                                                                 \
  {                                                                                                \
    offsetof(rh_sim_tally, name), false                                                            \
  }
#define VERDICT(name)                                                                              \
  {                                                                                                \
    offsetof(rh_sim_tally, verdicts) + RH_EVENT_##name * sizeof(long), true                        \
  }

static const field fields[] = {
    COUNT(step.steps),      COUNT(step.rejected),  COUNT(step.evaluations),
    COUNT(step.restarts),   COUNT(impact.impacts), REAL(impact.e_lo),
    REAL(impact.e_hi),      REAL(impact.time_lo),  REAL(impact.time_hi),
    REAL(impact.deepest),   REAL(impact.peak),     REAL(impact.impulse),
    COUNT(solver.judged),   COUNT(solver.over),    COUNT(solver.undetermined),
    COUNT(solver.several),  COUNT(solver.unknown), REAL(solver.residual),
    REAL(solver.tolerance), REAL(solver.free),     COUNT(events),
    COUNT(undetermined),    REAL(several_at),      VERDICT(GAIN),
    VERDICT(JAM),           VERDICT(NOT_UNIQUE),   VERDICT(UNDETERMINED),
    VERDICT(UNSOLVED),      VERDICT(RESIDUE),      VERDICT(RESTITUTION),
    VERDICT(UNRESOLVED),    REAL(residue.bound),   REAL(residue.scale),
    REAL(residue.worst),    REAL(residue.start),   REAL(residue.before),
    COUNT(met[0]),          COUNT(met[1]),         COUNT(met[2]),
    REAL(met_at),           VERDICT(FORMULATION),  COUNT(impact.several),
    COUNT(impact.examined), VERDICT(TAKEOVER),     VERDICT(COARSE),
    COUNT(impact.single),   REAL(parted[0]),       REAL(parted[1]),
    REAL(parted[2]),        REAL(parted[3]),
};

enum { TEXT_MAX = (RH_COUNT(fields) + 1) * (RH_NUMBER_MAX + 1) };

static double get_field(const rh_sim_tally *tally, const field *f)
{
  const char *from = (const char *)tally + f->at;
  if (f->counts) {
    long count;
    memcpy(&count, from, sizeof count);
    return (double)count;
  }
  double value;
  memcpy(&value, from, sizeof value);
  return value;
}

static bool set_field(rh_sim_tally *tally, const field *f, double value)
{
  char *to = (char *)tally + f->at;
  if (!f->counts) {
    memcpy(to, &value, sizeof value);
    return true;
  }
  if (!(fabs(value) <= COUNT_MAX)) {
    return false;
  }
  long count = (long)value;
  memcpy(to, &count, sizeof count);
  return true;
}

// ---- Writing

bool rh_rec_prepare_tally(rh_recorder *r)
{
  return sqlite3_prepare_v3(r->db, "INSERT OR REPLACE INTO meta(key, value) VALUES(?, ?)", -1,
                            SQLITE_PREPARE_PERSISTENT, &r->tally, NULL) == SQLITE_OK;
}

bool rh_rec_put_tally(rh_recorder *r, const rh_sim *sim)
{
  rh_sim_tally tally;
  char text[TEXT_MAX];
  int used = snprintf(text, sizeof text, "%ld", r->next);
  rh_sim_tally_get(sim, &tally);
  for (int i = 0; i < RH_COUNT(fields); i++) {
    text[used++] = ' ';
    used += rh_number_write(get_field(&tally, &fields[i]), text + used);
  }
  return sqlite3_bind_text(r->tally, 1, KEY, -1, SQLITE_STATIC) == SQLITE_OK &&
         sqlite3_bind_text(r->tally, 2, text, used, SQLITE_STATIC) == SQLITE_OK &&
         rh_rec_run(r->tally);
}

// ---- Reading

// Takes a number and the blank before it from the text.
static bool take_number(const char **text, double *value)
{
  static const struct {
    const char *word;
    double value;
  } special[] = {{"inf", HUGE_VAL}, {"-inf", -HUGE_VAL}, {"nan", (double)NAN}};

  *text += **text == ' ';
  size_t length = rh_number_read(*text, value);
  for (int i = 0; length == 0 && i < RH_COUNT(special); i++) {
    size_t n = strlen(special[i].word);
    if (strncmp(*text, special[i].word, n) == 0) {
      *value = special[i].value;
      length = n;
    }
  }
  *text += length;
  return length > 0;
}

static bool read_text(const char *text, long index, rh_sim_tally *tally)
{
  double value = 0;
  *tally = (rh_sim_tally){0};
  bool good = take_number(&text, &value) && value == (double)index;
  for (int i = 0; good && i < RH_COUNT(fields); i++) {
    good = take_number(&text, &value) && set_field(tally, &fields[i], value);
  }
  return good && *text == '\0';
}

static bool read_tally(rh_recording *r, long index, rh_sim_tally *tally)
{
  sqlite3_stmt *s = NULL;
  bool good = sqlite3_prepare_v2(r->db, "SELECT value FROM meta NOT INDEXED WHERE key = ?", -1, &s,
                                 NULL) == SQLITE_OK &&
              sqlite3_bind_text(s, 1, KEY, -1, SQLITE_STATIC) == SQLITE_OK &&
              sqlite3_step(s) == SQLITE_ROW;
  const char *text = good ? (const char *)sqlite3_column_text(s, 0) : NULL;
  good = text != NULL && read_text(text, index, tally);
  (void)sqlite3_finalize(s);
  return good;
}

static int64_t ask_events(rh_recording *r, const char *what, long frame, const char *kind)
{
  char sql[160];
  (void)snprintf(sql, sizeof sql, "SELECT %s FROM events WHERE frame <= %ld%s%s%s", what, frame,
                 kind ? " AND kind = '" : "", kind ? kind : "", kind ? "'" : "");
  return rh_rec_integer(r->db, sql, RH_NONE);
}

long rh_recording_events_until(rh_recording *recording, long frame)
{
  int64_t count = ask_events(recording, "count(*)", frame, NULL);
  return count < 0 ? 0 : count < recording->events ? (long)count : recording->events;
}

// Where the recording has no counts of the frame, only those of the events are available.
void rh_recording_count_on(rh_recording *recording, long index, rh_sim *sim)
{
  rh_recording *r = recording;
  rh_sim_tally tally;
  bool kept = read_tally(r, index, &tally);
  if (!kept) {
    rh_sim_tally_get(sim, &tally);
    tally.events = rh_recording_events_until(r, index);
  }
  for (int kind = 0; kind < RH_EVENT_COUNT; kind++) {
    if (!rh_event_is_verdict((rh_event_kind)kind)) {
      continue;
    }
    const char *word = rh_event_word((rh_event_kind)kind);
    rh_event first;
    int64_t id = ask_events(r, "min(id)", index, word);
    if (id >= 0 && rh_recording_event(r, (long)id, &first, NULL) == RH_OK) {
      rh_sim_first_verdict(sim, &first);
      tally.verdicts[kind] =
          kept ? tally.verdicts[kind] : (long)ask_events(r, "count(*)", index, word);
    }
  }
  rh_sim_tally_set(sim, &tally);
}
