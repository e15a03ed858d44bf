// diag.c: messages with places. Sources are kept so that a message can show its line; every message keeps copies of
// its own, so that it outlives its scene. Overrides are the source "-s", one per line: the place of
// a message about the third override has line 3. A formatted message does not end with a newline.
//
// A lack of memory soon looks like a wrong input. An error added after a failed allocation
// therefore begins with "out of memory: "; earlier errors stay as they are.
#include "alloc.h"
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define KEEP_MAX       1000  // messages
#define TEXT_MAX       1200  // bytes of one message
#define LINE_KEEP      16384 // bytes of a source line that are kept
#define WINDOW         96    // characters of a source line that are shown
#define OVERRIDE_SHOWN 200

typedef struct source {
  char *file;
  char *text;
  size_t bytes;
  size_t at; // start of line `line`: messages mostly come in order, so the search continues there
  int line;
} source;

typedef struct kept {
  rh_message message;
  char *line; // the source line; shared by messages of one line
  bool line_owned;
} kept;

struct rh_diag {
  kept *kept;
  source **source; // pointers, because places hold on to the names inside
  int nkept, nsource;
  int count[RH_NOTE + 1];
  bool lost;        // there was no memory for a message, or for its place
  unsigned refused; // allocations that had failed when the messages began
};

// Represents the lost messages, after the kept ones
static const rh_message lost_message = {.severity = RH_ERROR,
                                        .text = "out of memory; a message was lost"};

rh_diag *rh_diag_create(void)
{
  rh_diag *diag = rh_alloc(sizeof *diag);
  if (diag) {
    diag->refused = rh_alloc_refused();
  }
  return diag;
}

static void drop_messages(rh_diag *diag)
{
  for (int i = 0; i < diag->nkept; i++) {
    rh_free((char *)diag->kept[i].message.text);
    if (diag->kept[i].line_owned) {
      rh_free(diag->kept[i].line);
    }
  }
  rh_free(diag->kept);
  diag->kept = NULL;
  diag->nkept = 0;
}

void rh_diag_clear(rh_diag *diag)
{
  if (diag) {
    drop_messages(diag);
    memset(diag->count, 0, sizeof diag->count);
    diag->lost = false;
    diag->refused = rh_alloc_refused();
  }
}

void rh_diag_destroy(rh_diag *diag)
{
  if (!diag) {
    return;
  }
  drop_messages(diag);
  for (int i = 0; i < diag->nsource; i++) {
    rh_free(diag->source[i]->file);
    rh_free(diag->source[i]->text);
    rh_free(diag->source[i]);
  }
  rh_free(diag->source);
  rh_free(diag);
}

static char *copy_bytes(const char *text, size_t bytes)
{
  char *copy = rh_alloc(bytes + 1);
  if (copy && bytes > 0) {
    memcpy(copy, text, bytes);
  }
  return copy;
}

static source *find_source(const rh_diag *diag, const char *file)
{
  for (int i = diag->nsource - 1; i >= 0; i--) {
    if (diag->source[i]->file == file || strcmp(diag->source[i]->file, file) == 0) {
      return diag->source[i];
    }
  }
  return NULL;
}

static source *add_file(rh_diag *diag, const char *file)
{
  source **grown = rh_realloc(diag->source, (size_t)(diag->nsource + 1) * sizeof(source *));
  if (!grown) {
    return NULL;
  }
  diag->source = grown;
  source *s = rh_alloc(sizeof *s);
  char *name = copy_bytes(file, strlen(file));
  if (!s || !name) {
    rh_free(s);
    rh_free(name);
    return NULL;
  }
  s->file = name;
  s->line = 1;
  diag->source[diag->nsource++] = s;
  return s;
}

const char *rh_diag_add_source(rh_diag *diag, const char *file, const char *text, size_t bytes)
{
  if (!diag || !file) {
    return file;
  }
  source *s = find_source(diag, file);
  s = s ? s : add_file(diag, file);
  if (!s) {
    return NULL;
  }
  rh_free(s->text); // a file read again: the newest text counts
  s->text = copy_bytes(text, bytes);
  s->bytes = s->text ? bytes : 0;
  s->at = 0;
  s->line = 1;
  return s->file;
}

// Moves the source's cursor to the start of a line; false if the source has no such line.
static bool seek_line(source *s, int line)
{
  if (line < s->line / 2) {
    s->at = 0;
    s->line = 1;
  }
  while (s->line < line) {
    const char *end = memchr(s->text + s->at, '\n', s->bytes - s->at);
    if (!end) {
      return false;
    }
    s->at = (size_t)(end - s->text) + 1;
    s->line++;
  }
  while (s->line > line) {
    s->at--; // onto the newline before this line
    while (s->at > 0 && s->text[s->at - 1] != '\n') {
      s->at--;
    }
    s->line--;
  }
  return true;
}

static char *copy_line(source *s, const rh_place *place)
{
  if (!s->text || place->line < 1 || !seek_line(s, place->line)) {
    return NULL;
  }
  const char *start = s->text + s->at;
  const char *end = memchr(start, '\n', s->bytes - s->at);
  size_t bytes = end ? (size_t)(end - start) : s->bytes - s->at;
  if (bytes > 0 && start[bytes - 1] == '\r') {
    bytes--;
  }
  if (place->column >= LINE_KEEP) { // the place lies after the kept part of the line
    return NULL;
  }
  return copy_bytes(start, bytes < LINE_KEEP ? bytes : LINE_KEEP);
}

static kept *new_kept(rh_diag *diag)
{
  if (diag->nkept >= KEEP_MAX) {
    return NULL;
  }
  if ((diag->nkept & (diag->nkept - 1)) == 0) { // at 0, 1, 2, 4, ...: double the capacity
    size_t room = diag->nkept > 0 ? 2 * (size_t)diag->nkept : 1;
    kept *grown = rh_realloc(diag->kept, room * sizeof(kept));
    if (!grown) {
      diag->lost = true;
      return NULL;
    }
    diag->kept = grown;
  }
  kept *k = &diag->kept[diag->nkept];
  *k = (kept){0};
  return k;
}

// Gives the new message its file name and line, both kept by `diag`.
static void attach_source(rh_diag *diag, kept *k)
{
  rh_place *place = &k->message.place;
  const kept *last = diag->nkept > 0 ? k - 1 : NULL;
  source *s = find_source(diag, place->file);
  s = s ? s : add_file(diag, place->file);
  place->file = s ? s->file : NULL;
  if (!s) {
    diag->lost = true;
    return;
  }
  bool same =
      last && last->message.place.file == place->file && last->message.place.line == place->line;
  if (same && last->line && place->column < LINE_KEEP) {
    k->line = last->line;
  } else {
    k->line = copy_line(s, place);
    k->line_owned = k->line != NULL;
  }
  k->message.source = k->line;
}

// The text of a message; the reason "out of memory" appears once.
static bool write_text(char text[TEXT_MAX], bool short_of_memory, const char *format, va_list args)
{
  static const char reason[] = "out of memory";
  int head = short_of_memory ? snprintf(text, TEXT_MAX, "%s: ", reason) : 0;
  int count = vsnprintf(text + head, (size_t)(TEXT_MAX - head), format, args);
  if (count >= TEXT_MAX - head) {
    memcpy(text + TEXT_MAX - 4, "...", 4);
  }
  if (count >= 0 && head > 0 && strstr(text + head, reason)) {
    memmove(text, text + head, strlen(text + head) + 1);
  }
  return count >= 0;
}

void rh_diag_add(rh_diag *diag, rh_severity severity, rh_place place, const char *format, ...)
{
  if (!diag) {
    return;
  }
  bool short_of_memory = severity == RH_ERROR && rh_alloc_refused() != diag->refused;
  diag->count[severity] += diag->count[severity] < INT32_MAX;
  kept *k = new_kept(diag);
  if (!k) {
    return;
  }
  char text[TEXT_MAX];
  va_list args;
  va_start(args, format);
  bool written = write_text(text, short_of_memory, format, args);
  va_end(args);
  char *copy = written ? copy_bytes(text, strlen(text)) : NULL;
  if (!copy) {
    diag->lost = true;
    return;
  }
  k->message = (rh_message){.severity = severity, .place = place, .text = copy};
  if (place.file) {
    attach_source(diag, k);
  }
  diag->nkept++;
}

int rh_diag_count(const rh_diag *diag, rh_severity severity)
{
  return diag ? diag->count[severity] : 0;
}

int rh_diag_kept(const rh_diag *diag)
{
  return diag ? diag->nkept + diag->lost : 0;
}

rh_message rh_diag_get(const rh_diag *diag, int index)
{
  if (!diag || index < 0 || index >= diag->nkept) {
    return diag && diag->lost && index == diag->nkept ? lost_message : (rh_message){.text = ""};
  }
  return diag->kept[index].message;
}

// ---- Formatting

typedef struct output { // as snprintf: counts all bytes, writes those that fit
  char *buffer;
  size_t size, used;
} output;

static void put_bytes(output *out, const char *bytes, size_t count)
{
  for (size_t i = 0; i < count; i++, out->used++) {
    if (out->used + 1 < out->size) {
      out->buffer[out->used] = bytes[i];
    }
  }
}

// Puts at most `limit` characters; control codes and damaged UTF-8 become '?'.
static void put_clean(output *out, const char *text, size_t limit)
{
  size_t left = strlen(text);
  for (size_t i = 0; i < limit && left > 0; i++) {
    unsigned code = 0;
    size_t n = rh_utf8_next(text, left, &code);
    bool control =
        code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x2028 && code < 0x202f);
    if (n == 0 || control) {
      put_bytes(out, code == '\t' ? " " : "?", 1);
      n = n > 0 ? n : 1;
    } else {
      put_bytes(out, text, n);
    }
    text += n;
    left -= n;
  }
}

static void put_text(output *out, const char *text)
{
  put_clean(out, text, SIZE_MAX);
}

static size_t count_characters(const char *text)
{
  size_t count = 0;
  for (size_t left = strlen(text); left > 0; count++) {
    unsigned code;
    size_t n = rh_utf8_next(text, left, &code);
    n = n > 0 ? n : 1;
    text += n;
    left -= n;
  }
  return count;
}

static const char *skip_characters(const char *text, size_t count)
{
  size_t left = strlen(text);
  while (count > 0 && left > 0) {
    unsigned code;
    size_t n = rh_utf8_next(text, left, &code);
    n = n > 0 ? n : 1;
    text += n;
    left -= n;
    count--;
  }
  return text;
}

static void put_source(output *out, const rh_message *m)
{
  char head[32];
  size_t length = count_characters(m->source);
  size_t column = m->place.column > 0 ? (size_t)m->place.column - 1 : 0;
  column = column < length ? column : length;
  size_t start = length > WINDOW && column > WINDOW / 2 ? column - WINDOW / 2 : 0;
  bool cut = length - start > WINDOW;
  snprintf(head, sizeof head, "\n%5d | ", m->place.line);
  put_bytes(out, head, strlen(head));
  put_bytes(out, "...", start > 0 ? 3 : 0);
  put_clean(out, skip_characters(m->source, start), WINDOW);
  put_bytes(out, "...", cut ? 3 : 0);
  if (m->place.column < 1) {
    return;
  }
  put_bytes(out, "\n      | ", 9);
  for (size_t i = start; i < column + (start > 0 ? 3 : 0); i++) {
    put_bytes(out, " ", 1);
  }
  put_bytes(out, "^", 1);
  size_t end = start + WINDOW < length ? start + WINDOW : length;
  for (size_t i = 1; i < (size_t)(m->place.length > 0 ? m->place.length : 1) && column + i < end;
       i++) {
    put_bytes(out, "~", 1);
  }
}

static void put_place(output *out, const rh_message *m)
{
  char number[48];
  put_text(out, m->place.file);
  if (strcmp(m->place.file, "-s") == 0) {
    if (m->source) {
      put_bytes(out, " ", 1);
      put_clean(out, m->source, OVERRIDE_SHOWN);
    }
  } else if (m->place.line > 0 && m->place.column > 0) {
    snprintf(number, sizeof number, ":%d:%d", m->place.line, m->place.column);
    put_bytes(out, number, strlen(number));
  } else if (m->place.line > 0) {
    snprintf(number, sizeof number, ":%d", m->place.line);
    put_bytes(out, number, strlen(number));
  }
  put_bytes(out, ": ", 2);
}

int rh_message_format(const rh_message *message, char *buffer, size_t size)
{
  static const char *const word[] = {"error: ", "warning: ", "note: "};
  output out = {buffer, size, 0};
  if (message->place.file) {
    put_place(&out, message);
  }
  put_text(&out, word[message->severity]);
  put_text(&out, message->text);
  if (message->place.file && message->source && strcmp(message->place.file, "-s") != 0) {
    put_source(&out, message);
  }
  if (size > 0) {
    buffer[out.used < size ? out.used : size - 1] = '\0';
  }
  return (int)out.used;
}

// ---- Nearest name

static int lower_case(char c)
{
  return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

// Edits (insert, drop, replace, swap two neighbours) from a to b, or limit + 1 if there are more than `limit`.
static int edit_distance(const char *a, const char *b, int limit)
{
  int row[3][RH_NAME_MAX + 1];
  int na = (int)strlen(a);
  int nb = (int)strlen(b);
  if (na > RH_NAME_MAX || nb > RH_NAME_MAX || na - nb > limit || nb - na > limit) {
    return limit + 1;
  }
  for (int j = 0; j <= nb; j++) {
    row[0][j] = j;
  }
  for (int i = 1; i <= na; i++) {
    int *now = row[i % 3];
    const int *last = row[(i + 2) % 3];
    const int *before = row[(i + 1) % 3];
    int least = now[0] = i;
    for (int j = 1; j <= nb; j++) {
      int best = last[j - 1] + (lower_case(a[i - 1]) != lower_case(b[j - 1]));
      best = last[j] + 1 < best ? last[j] + 1 : best;
      best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
      if (i > 1 && j > 1 && lower_case(a[i - 1]) == lower_case(b[j - 2]) &&
          lower_case(a[i - 2]) == lower_case(b[j - 1])) {
        best = before[j - 2] + 1 < best ? before[j - 2] + 1 : best;
      }
      now[j] = best;
      least = best < least ? best : least;
    }
    if (least > limit) {
      return limit + 1;
    }
  }
  return row[na % 3][nb];
}

const char *rh_nearest_name(const char *name, const char *const *candidates, int count)
{
  const char *nearest = NULL;
  int length = name ? (int)strnlen(name, RH_NAME_MAX + 1) : 0;
  int limit = length < 5 ? 1 : length < 9 ? 2 : length / 3;
  for (int i = 0; i < count && length > 0; i++) {
    if (!candidates[i]) {
      continue;
    }
    int distance = edit_distance(name, candidates[i], limit);
    if (distance <= limit && distance < length) {
      nearest = candidates[i];
      limit = distance - 1; // only nearer ones from here on: the first of equals stays
    }
  }
  return nearest;
}
