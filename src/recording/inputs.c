// inputs.c: the table of inputs in a recording: a user's actions during the run, in order, each
// with the frame after which it acted.
#include "private.h"

#include <sqlite3.h>
#include <string.h>

static const char *const words[RH_INPUT_COUNT] = {
#define WORD(name, word, text) word,
    RH_INPUT_LIST(WORD)
#undef WORD
};

const char *rh_input_word(rh_input_kind kind)
{
  RH_ASSERT((int)kind >= 0 && kind < RH_INPUT_COUNT);
  return words[kind];
}

// ---- Writing

bool rh_rec_prepare_input(rh_recorder *r)
{
  if (r->format == RH_REC_FORMAT_OLD) {
    return true;
  }
  r->inputs = (long)rh_rec_integer(r->db, "SELECT max(id) + 1 FROM inputs", 0);
  return sqlite3_prepare_v3(r->db,
                            "INSERT INTO inputs(id, frame, t, kind, name, value) "
                            "VALUES(?, ?, (SELECT t FROM frames WHERE id = ?2), ?, ?, ?)",
                            -1, SQLITE_PREPARE_PERSISTENT, &r->input, NULL) == SQLITE_OK;
}

rh_status rh_recorder_input(rh_recorder *recorder, const rh_input *input)
{
  rh_recorder *r = recorder;
  if (r->failed) {
    return RH_OUTPUT_NOT_WRITTEN;
  }
  if (r->input == NULL || r->next == 0) {
    (void)snprintf(r->error, sizeof r->error, "an input came %s",
                   r->next == 0 ? "before the first frame" : "to a recording of an old format");
    return RH_WRONG_USAGE;
  }
  sqlite3_stmt *s = r->input;
  bool done = sqlite3_bind_int64(s, 1, r->inputs) == SQLITE_OK &&
              sqlite3_bind_int64(s, 2, r->next - 1) == SQLITE_OK &&
              sqlite3_bind_text(s, 3, rh_input_word(input->kind), -1, SQLITE_STATIC) == SQLITE_OK &&
              sqlite3_bind_text(s, 4, input->name, -1, SQLITE_STATIC) == SQLITE_OK &&
              sqlite3_bind_text64(s, 5, input->value, strlen(input->value), SQLITE_STATIC,
                                  SQLITE_UTF8) == SQLITE_OK &&
              rh_rec_run(s);
  if (!done) {
    return rh_rec_fail(r, "an input could not be written");
  }
  r->inputs++;
  return RH_OK;
}

// ---- Reading

static bool read_kind(const char *word, rh_input_kind *kind)
{
  for (int i = 0; word != NULL && i < RH_INPUT_COUNT; i++) {
    if (strcmp(rh_input_word((rh_input_kind)i), word) == 0) {
      *kind = (rh_input_kind)i;
      return true;
    }
  }
  return false;
}

static bool copy_said(rh_recording *r, int column, int i)
{
  const void *text = sqlite3_column_text(r->input, column);
  size_t bytes = text != NULL ? (size_t)sqlite3_column_bytes(r->input, column) : 0;
  char *copy = rh_alloc(bytes + 1);
  if (text == NULL || copy == NULL) {
    rh_free(copy);
    return false;
  }
  memcpy(copy, text, bytes);
  copy[bytes] = '\0';
  rh_free(r->said[i]);
  r->said[i] = copy;
  return true;
}

// Takes the present row of the statement. Returns its error, or NULL.
static const char *take_input_row(rh_recording *r, rh_input *input)
{
  sqlite3_stmt *s = r->input;
  int64_t frame = sqlite3_column_int64(s, 0);
  if (sqlite3_column_type(s, 0) != SQLITE_INTEGER || frame < 0 || frame > LONG_MAX) {
    return "its frame does not exist";
  }
  if (!read_kind((const char *)sqlite3_column_text(s, 1), &input->kind)) {
    return "its kind is not known";
  }
  if (!copy_said(r, 2, 0) || !copy_said(r, 3, 1)) {
    return "its name or value is missing";
  }
  input->frame = (long)frame;
  input->name = r->said[0];
  input->value = r->said[1];
  return NULL;
}

rh_status rh_recording_input(rh_recording *recording, long index, rh_input *input, rh_diag *diag)
{
  rh_recording *r = recording;
  const char *wrong = "it is missing";
  if (index >= 0 && index < r->inputs) {
    (void)sqlite3_bind_int64(r->input, 1, index);
    int step = sqlite3_step(r->input);
    if (step == SQLITE_ROW) {
      wrong = take_input_row(r, input);
    } else if (step != SQLITE_DONE) {
      wrong = sqlite3_errmsg(r->db);
    }
    (void)sqlite3_reset(r->input);
  }
  if (wrong != NULL) {
    rh_diag_add(diag, RH_ERROR, rh_rec_place(r->path), "input %ld cannot be used: %s", index,
                wrong);
  }
  return wrong != NULL ? RH_INPUT_REFUSED : RH_OK;
}

long rh_recording_inputs(const rh_recording *recording)
{
  return recording->inputs;
}

static rh_status keep_changes(rh_recording *r, long from, rh_diag *diag)
{
  long last = 0;
  for (long i = from; i < r->inputs; i++) {
    rh_input input;
    RH_TRY(rh_recording_input(r, i, &input, diag));
    if (input.frame < last) {
      rh_diag_add(diag, RH_ERROR, rh_rec_place(r->path), "input %ld acts before the one before it",
                  i);
      return RH_INPUT_REFUSED;
    }
    last = input.frame;
    bool changes = input.kind == RH_INPUT_SET || input.kind == RH_INPUT_SCENE;
    if (changes && !rh_editions_add(&r->editions, &input)) {
      return RH_OUT_OF_MEMORY;
    }
  }
  return RH_OK;
}

rh_status rh_rec_read_inputs(rh_recording *r, rh_diag *diag)
{
  if (r->format == RH_REC_FORMAT_OLD) {
    return RH_OK;
  }
  if (r->input == NULL &&
      sqlite3_prepare_v3(r->db, "SELECT frame, kind, name, value FROM inputs WHERE id = ?", -1,
                         SQLITE_PREPARE_PERSISTENT, &r->input, NULL) != SQLITE_OK) {
    return rh_rec_refuse_sql(r, diag, "the recording is damaged");
  }
  long before = r->inputs;
  r->inputs = rh_rec_count(r, "inputs", "id");
  if (r->inputs < before) {
    r->inputs = before;
    rh_diag_add(diag, RH_ERROR, rh_rec_place(r->path), "inputs are missing");
    return RH_INPUT_REFUSED;
  }
  return keep_changes(r, before, diag);
}
