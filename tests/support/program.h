// program.h: runs the routh program as a user does, in a folder of its own, and looks at what it printed. Also a strict
// reader of JSON that only says yes or no: what --json prints must please every reader.
#ifndef ROUTH_TEST_PROGRAM_H
#define ROUTH_TEST_PROGRAM_H

#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORDS_MAX  64
#define JSON_DEPTH 64

typedef struct rh_output { // what the program printed; texts are closed by a zero
  int exit_code;         // 128 + n when signal n killed it
  char *out, *err;
  size_t nout;
} rh_output;

// Words of the command line after "routh".
#define routh(...)             rh_program_run(NULL, (const char *const[]){__VA_ARGS__, NULL})
#define routh_with(input, ...) rh_program_run(input, (const char *const[]){__VA_ARGS__, NULL})
#define ck_contains(text, part)                                                                    \
  ck_assert_msg(strstr(text, part) != NULL, "'%s' is not in:\n%s", part, text)

// ---- Folders and files

static char folder[] = "/tmp/routh-test-XXXXXX";

// A new empty folder becomes the present one; leave removes it with the files in it.
static inline void rh_folder_enter(void)
{
  memcpy(folder, "/tmp/routh-test-XXXXXX", sizeof folder);
  ck_assert_ptr_nonnull(mkdtemp(folder));
  ck_assert_int_eq(chdir(folder), 0);
}

static inline bool captured(const char *name)
{
  return name[0] == '.'
             ? name[1] == '\0' || (name[1] == '.' && name[2] == '\0')
             : strcmp(name, "out") == 0 || strcmp(name, "err") == 0 || strcmp(name, "in") == 0;
}

static inline int rh_folder_count(void)
{
  DIR *dir = opendir(folder);
  ck_assert_ptr_nonnull(dir);
  int count = 0;
  for (struct dirent *entry = NULL; (entry = readdir(dir)) != NULL;) {
    count += !captured(entry->d_name);
  }
  (void)closedir(dir);
  return count;
}

static inline void rh_folder_leave(void)
{
  DIR *dir = opendir(folder);
  ck_assert_ptr_nonnull(dir);
  for (struct dirent *entry = NULL; (entry = readdir(dir)) != NULL;) {
    (void)unlink(entry->d_name);
  }
  (void)closedir(dir);
  (void)chdir("/");
  (void)rmdir(folder);
}

static inline bool rh_file_there(const char *path)
{
  return access(path, F_OK) == 0;
}

static inline char *rh_file_text(const char *path, size_t *bytes)
{
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    return NULL;
  }
  (void)fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  char *text = calloc((size_t)(size > 0 ? size : 0) + 1, 1);
  ck_assert_ptr_nonnull(text);
  size_t got = fread(text, 1, (size_t)(size > 0 ? size : 0), file);
  (void)fclose(file);
  if (bytes != NULL) {
    *bytes = got;
  }
  return text;
}

// ---- Running

static inline void become(const char *const *words, bool input)
{
  const char *program = getenv("ROUTH_PROGRAM");
#ifdef ROUTH_PROGRAM
  program = program != NULL ? program : ROUTH_PROGRAM;
#endif
  const char *argv[WORDS_MAX] = {"routh"};
  int n = 1;
  for (; words[n - 1] != NULL && n < WORDS_MAX - 1; n++) {
    argv[n] = words[n - 1];
  }
  int in = open(input ? "in" : "/dev/null", O_RDONLY);
  int out = open("out", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  int err = open("err", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  (void)dup2(in, STDIN_FILENO);
  (void)dup2(out, STDOUT_FILENO);
  (void)dup2(err, STDERR_FILENO);
  if (program != NULL) {
    (void)execv(program, (char *const *)argv);
  }
  _exit(126);
}

static inline pid_t start(const char *const *words, bool input)
{
  pid_t child = fork();
  ck_assert_int_ge(child, 0);
  if (child == 0) {
    become(words, input);
  }
  return child;
}

// Output goes into the files "out" and "err" of the folder.
static inline pid_t rh_program_start(const char *const *words)
{
  return start(words, false);
}

static inline rh_output rh_program_wait(pid_t child)
{
  int state = 0;
  while (waitpid(child, &state, 0) < 0) {
    ck_assert_int_eq(errno, EINTR);
  }
  rh_output output = {.exit_code = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state)};
  ck_assert_msg(output.exit_code != 126, "the routh program could not be started: set ROUTH_PROGRAM");
  output.out = rh_file_text("out", &output.nout);
  output.err = rh_file_text("err", NULL);
  ck_assert_ptr_nonnull(output.out);
  ck_assert_ptr_nonnull(output.err);
  return output;
}

// ---- Waiting: for an event or for the end of the program, never for a time; the watchdog of main.c ends what waits in vain.

// The others get the processor between two looks.
static inline void rh_program_yield(void)
{
  (void)nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL); // clock: length does not matter
}

// It is still to be waited for.
static inline bool rh_program_ended(pid_t child)
{
  siginfo_t info = {0};
  return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
}

// Waits until the program has written `mark` and a line end after it to standard error. Gives what is between the two.
static inline void rh_program_wait_for(pid_t child, const char *mark, char *text, size_t size)
{
  for (bool last = false;; rh_program_yield()) {
    char *written = rh_file_text("err", NULL);
    const char *at = written != NULL ? strstr(written, mark) : NULL;
    if (at != NULL && strchr(at, '\n') != NULL) {
      at += strlen(mark);
      (void)snprintf(text, size, "%.*s", (int)strcspn(at, "\n"), at);
      free(written);
      return;
    }
    ck_assert_msg(!last, "the program ended without '%s':\n%s", mark, written);
    free(written);
    last = rh_program_ended(child); // what it wrote before is looked at once more
  }
}

static inline void rh_file_put(const char *path, const char *text)
{
  FILE *file = fopen(path, "wb");
  ck_assert_ptr_nonnull(file);
  ck_assert_int_ge(fputs(text, file), 0);
  ck_assert_int_eq(fclose(file), 0);
}

// `input` is standard input; NULL: nothing.
static inline rh_output rh_program_run(const char *input, const char *const *words)
{
  if (input != NULL) {
    rh_file_put("in", input);
  }
  return rh_program_wait(start(words, input != NULL));
}

static inline void rh_output_free(rh_output *output)
{
  free(output->out);
  free(output->err);
  *output = (rh_output){0};
}

// ---- Refusals: a command line that is not done, and what is said about it

typedef struct rh_refusal {
  const char *words[8];
  int exit_code;
  const char *says;
} rh_refusal;

static inline bool asks_json(const char *const *words)
{
  while (*words != NULL && strcmp(*words, "--json") != 0) {
    words++;
  }
  return *words != NULL;
}

static inline bool rh_json_valid(const char *text);

// Said on standard error, nothing on standard output but the object of --json, and nothing is left behind.
static inline void rh_refusal_check(const rh_refusal *r)
{
  rh_folder_enter();
  rh_output output = rh_program_run(NULL, r->words);
  ck_assert_msg(output.exit_code == r->exit_code, "exit code %d, want %d: %s", output.exit_code,
                r->exit_code, output.err);
  ck_contains(output.err, r->says);
  if (asks_json(r->words)) {
    ck_assert_msg(rh_json_valid(output.out), "not JSON:\n%s", output.out);
    ck_contains(output.out, "\"diagnostics\": [");
  } else {
    ck_assert_str_eq(output.out, "");
  }
  ck_assert_int_eq(rh_folder_count(), 0);
  rh_output_free(&output);
  rh_folder_leave();
}

// ---- JSON, RFC 8259, without recursion: `open` holds the brackets that are not closed yet.

static inline const char *blank(const char *c)
{
  return c + strspn(c, " \t\r\n");
}

static inline const char *string(const char *c)
{
  if (*c != '"') {
    return NULL;
  }
  for (c++; *c != '"'; c++) {
    if ((unsigned char)*c < 0x20) {
      return NULL;
    }
    if (*c == '\\') {
      c++;
      bool good = *c == 'u' ? strspn(c + 1, "0123456789abcdefABCDEF") >= 4
                            : *c != '\0' && strchr("\"\\/bfnrt", *c);
      if (!good) {
        return NULL;
      }
      c += *c == 'u' ? 4 : 0;
    }
  }
  return c + 1;
}

static inline const char *digits(const char *c)
{
  size_t n = strspn(c, "0123456789");
  return n > 0 ? c + n : NULL;
}

static inline const char *number(const char *c)
{
  c += *c == '-';
  c = *c == '0' ? c + 1 : digits(c);
  if (c != NULL && *c == '.') {
    c = digits(c + 1);
  }
  if (c != NULL && (*c == 'e' || *c == 'E')) {
    c += c[1] == '-' || c[1] == '+' ? 2 : 1;
    c = digits(c);
  }
  return c;
}

static inline const char *scalar(const char *c)
{
  static const char *const word[] = {"true", "false", "null"};
  for (int i = 0; i < 3; i++) {
    if (strncmp(c, word[i], strlen(word[i])) == 0) {
      return c + strlen(word[i]);
    }
  }
  return *c == '"' ? string(c) : number(c);
}

static inline const char *key(const char *c)
{
  c = string(blank(c));
  c = c != NULL ? blank(c) : NULL;
  return c != NULL && *c == ':' ? c + 1 : NULL;
}

typedef struct rh_json_walk {
  const char *at;        // NULL: something was wrong
  char open[JSON_DEPTH]; // what closes each open bracket
  int depth;
} rh_json_walk;

// Passes one scalar or one empty bracket, or goes into a bracket. True: a value has ended.
static inline bool pass_value(rh_json_walk *walk)
{
  const char *c = blank(walk->at);
  if (*c != '{' && *c != '[') {
    walk->at = scalar(c);
    return true;
  }
  char close = *c == '{' ? '}' : ']';
  c = blank(c + 1);
  if (*c == close) {
    walk->at = c + 1;
    return true;
  }
  bool room = walk->depth < JSON_DEPTH;
  if (room) {
    walk->open[walk->depth++] = close;
  }
  walk->at = !room ? NULL : close == '}' ? key(c) : c;
  return false;
}

// Behind a value: closes brackets, then wants a comma. True: the outermost value has ended.
static inline bool pass_end(rh_json_walk *walk)
{
  const char *c = blank(walk->at);
  for (; walk->depth > 0 && *c == walk->open[walk->depth - 1]; c = blank(c + 1)) {
    walk->depth--;
  }
  bool done = walk->depth == 0;
  bool object = !done && walk->open[walk->depth - 1] == '}';
  walk->at = done ? c : *c != ',' ? NULL : object ? key(c + 1) : c + 1;
  return done;
}

static inline bool rh_json_valid(const char *text)
{
  rh_json_walk walk = {.at = text};
  bool done = false;
  while (!done && walk.at != NULL) {
    bool ended = pass_value(&walk);
    done = ended && walk.at != NULL && pass_end(&walk);
  }
  return done && *walk.at == '\0';
}

// The text of the first value with this key, up to its comma or bracket: enough for numbers and plain strings.
static inline bool rh_json_pick(const char *text, const char *name, char *value, size_t size)
{
  char quoted[128];
  (void)snprintf(quoted, sizeof quoted, "\"%s\":", name);
  const char *at = strstr(text, quoted);
  if (at == NULL) {
    return false;
  }
  at = blank(at + strlen(quoted));
  at += *at == '"';
  size_t length = strcspn(at, "\",}]\n");
  (void)snprintf(value, size, "%.*s", (int)length, at);
  return true;
}

// The first number with this key; it must be there.
static inline double rh_json_number_at(const char *text, const char *name)
{
  char value[64];
  ck_assert_msg(rh_json_pick(text, name, value, sizeof value), "no '%s' in:\n%s", name, text);
  return strtod(value, NULL);
}

// The number with this key in the object that is named so
static inline double rh_json_named_number(const char *text, const char *name, const char *key)
{
  char quoted[128];
  (void)snprintf(quoted, sizeof quoted, "\"name\": \"%s\"", name);
  const char *at = strstr(text, quoted);
  ck_assert_msg(at != NULL, "no %s in:\n%s", name, text);
  return rh_json_number_at(at, key);
}

#endif
