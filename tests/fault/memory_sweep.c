// memory_sweep.c: runs the commands of memory.list again and again, each time with another allocation that fails (memory.c),
// once and for good, and checks what comes of it. Allowed are
//   - exit code 6 with a sentence about memory; every file is as before, or as a clean run leaves it, or a whole recording,
//     or the journal of a sweep or of a fit that can be continued;
//   - the exit code of the clean run with its output: the failure was of no consequence.
// Everything else is a failure: a signal, another exit code, another output, files left behind.
//
//   memory_sweep [--sample K] [--jobs J] [--only NAME] PROGRAM PRELOAD SOURCE
//
// --sample K: of each command the first 4 allocations and K spread over the rest; else all. Exit code 1 if anything failed.
#define _GNU_SOURCE
#include "trial.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  FIRST = 4,  // allocations that a sample always has
  FEW = 60,   // of a command that takes long
  SHOWN = 12, // failures of one command that are printed
};

typedef struct tally { // shared by the workers
  long trials, exhausted, unaffected, failed, shown;
} tally;

static char source[PATH_SIZE];
static char *const base = rh_trial_setting.base;
static long sample;
static int jobs = 1;
static tally *shared;

// ---- Checking

// Lines that tell how long something took are no part of the answer.
static bool timed_line(const char *line, size_t length)
{
  static const char *const word[] = {" real time)", "\"wall", "x real time"};
  for (int i = 0; i < 3; i++) {
    if (memmem(line, length, word[i], strlen(word[i])) != NULL) {
      return true;
    }
  }
  return false;
}

static const char *next_line(const char *at, size_t *length)
{
  do {
    at += *length;
    const char *end = strchr(at, '\n');
    *length = end != NULL ? (size_t)(end - at) + 1 : strlen(at);
  } while (*length > 0 && timed_line(at, *length));
  return at;
}

static bool same_text(const content *a, const content *b)
{
  const char *x = a->data;
  const char *y = b->data;
  size_t nx = 0;
  size_t ny = 0;
  do {
    x = next_line(x, &nx);
    y = next_line(y, &ny);
    if (nx != ny || memcmp(x, y, nx) != 0) {
      return false;
    }
  } while (nx > 0);
  return true;
}

static bool whole_recording(const trial *t, const char *name)
{
  size_t length = strlen(name);
  char path[PATH_SIZE];
  char *words[] = {"check", path, NULL};
  char *again[] = {"run", "-q", "--resume", path, NULL};
  trial clean = {.dir = t->dir};
  (void)snprintf(path, sizeof path, "%s", name);
  if (length > 4 && strcmp(name + length - 4, ".rsw") == 0) { // the journal of a sweep goes on
    again[0] = "sweep";
    return run_words(&clean, again) == 0;
  }
  return length > 4 && strcmp(name + length - 4, ".rhr") == 0 && run_words(&clean, words) == 0 &&
         run_words(&clean, again) == 0;
}

// What a fit has kept goes on: the same command, without a failure, gives the clean answer.
static bool continued_fit(const command *c, const trial *t, const char *name, const outcome *clean)
{
  bool kept = false;
  for (int i = 1; c->words[i] != NULL; i++) {
    kept = kept || (strcmp(c->words[i - 1], "--resume") == 0 && strcmp(c->words[i], name) == 0);
  }
  if (!kept || strcmp(c->words[0], "fit") != 0) {
    return false;
  }
  char path[PATH_SIZE];
  trial again = {.dir = t->dir};
  join_path(path, t->dir, "out");
  bool ended = run_words(&again, c->words) == 0;
  content out = read_content(path, "out");
  bool same = ended && same_content(&out, &clean->out);
  free(out.data);
  return same;
}

// NULL: all is well; else what is not.
static const char *check_files(const command *c, const trial *t, const outcome *o,
                               const folder *before, const outcome *whole)
{
  const folder *clean = &whole->left;
  static char why[256];
  for (int i = 0; i < before->n; i++) {
    if (find_file(&o->left, before->file[i].name) == NULL) {
      (void)snprintf(why, sizeof why, "%s is gone", before->file[i].name);
      return why;
    }
  }
  for (int i = 0; i < o->left.n; i++) {
    const content *file = &o->left.file[i];
    const content *old = find_file(before, file->name);
    const content *new = find_file(clean, file->name);
    bool good = (old != NULL && same_content(old, file)) || (new != NULL &&same_content(new, file));
    bool partly = !good && (old != NULL || new != NULL) &&
                  (whole_recording(t, file->name) || continued_fit(c, t, file->name, whole));
    if (!good && !partly) {
      (void)snprintf(why, sizeof why, "%s %s", file->name,
                     old != NULL || new != NULL ? "is half written" : "is left behind");
      return why;
    }
  }
  return NULL;
}

static const char *check_same(const command *c, const outcome *o, const outcome *clean)
{
  if (c->varies) {
    return NULL;
  }
  if (!same_text(&o->out, &clean->out)) {
    return "another standard output";
  }
  if (!same_text(&o->err, &clean->err)) {
    return "another standard error";
  }
  for (int i = 0; i < clean->left.n; i++) {
    const content *file = find_file(&o->left, clean->left.file[i].name);
    if (file == NULL || !same_content(file, &clean->left.file[i])) {
      return "another file";
    }
  }
  return o->left.n != clean->left.n ? "a file is left behind" : NULL;
}

// Does a clean run report this too? The source line of a message may be lost.
static bool reported_by(const outcome *clean, const char *line, size_t length)
{
  const char *text = memmem(line, length, "error: ", 7);
  text = text != NULL ? text : line;
  return memmem(clean->err.data, clean->err.size, text, length - (size_t)(text - line)) != NULL;
}

// A line such as "routh: 2 errors; nothing was run" or "routh: arm.urdf: 1 error, 2 warnings"
static bool counts_errors(const char *line, size_t length)
{
  const char *word = memmem(line, length, " error", 6);
  return strncmp(line, "routh: ", 7) == 0 && word != NULL && word[-1] >= '0' && word[-1] <= '9';
}

// With exit code 6 every error is one about memory, or one that a clean run reports too.
static const char *check_errors(const outcome *o, const outcome *clean)
{
  static char why[256];
  size_t length = 0;
  if (strstr(o->err.data, "memory") == NULL) {
    return "exit code 6 without a sentence about memory";
  }
  for (const char *at = next_line(o->err.data, &length); length > 0; at = next_line(at, &length)) {
    bool count = counts_errors(at, length);
    bool error = memmem(at, length, "error:", 6) != NULL || memmem(at, length, "routh:", 6) != NULL;
    if (error && !count && memmem(at, length, "memory", 6) == NULL &&
        !reported_by(clean, at, length)) {
      (void)snprintf(why, sizeof why, "blames something else: %.*s", (int)length - 1, at);
      return why;
    }
  }
  return NULL;
}

static const char *check_outcome(const command *c, const trial *t, const outcome *o,
                                 const outcome *clean, const folder *before)
{
  static char why[64];
  if (o->code == 6) {
    const char *blamed = check_errors(o, clean);
    return blamed != NULL ? blamed : check_files(c, t, o, before, clean);
  }
  if (o->code != clean->code) {
    (void)snprintf(why, sizeof why, o->code > 128 ? "signal %d" : "exit code %d",
                   o->code > 128 ? o->code - 128 : o->code);
    return why;
  }
  return check_same(c, o, clean);
}

static void try_one(const command *c, const trial *t, const outcome *clean, const folder *before)
{
  outcome o = run_trial(c, t);
  const char *why = check_outcome(c, t, &o, clean, before);
  (void)__atomic_add_fetch(&shared->trials, 1, __ATOMIC_RELAXED);
  if (why == NULL) {
    long *kind = o.code == 6 ? &shared->exhausted : &shared->unaffected;
    (void)__atomic_add_fetch(kind, 1, __ATOMIC_RELAXED);
  } else {
    (void)__atomic_add_fetch(&shared->failed, 1, __ATOMIC_RELAXED);
    if (__atomic_add_fetch(&shared->shown, 1, __ATOMIC_RELAXED) <= SHOWN) {
      (void)printf("  %s: allocation %ld%s: %s (exit code %d): %.*s\n", c->name, t->at,
                   t->for_good ? " for good" : "", why, o.code, (int)strcspn(o.err.data, "\n"),
                   o.err.data);
      (void)fflush(stdout);
    }
  }
  free_outcome(&o);
}

// ---- Commands

// "name [+from=to ...] [varies] [few]: words"; @S is the source, @G the folder of given files.
static bool parse_command(char *text, command *c)
{
  *c = (command){0};
  text[strcspn(text, "\n")] = '\0';
  if (text[0] == '#' || text[0] == '\0') {
    return false;
  }
  size_t used = 0;
  for (const char *at = text; *at != '\0' && used + PATH_SIZE < sizeof c->line; at++) {
    bool place = at[0] == '@' && (at[1] == 'S' || at[1] == 'G');
    if (place) {
      used += (size_t)snprintf(c->line + used, PATH_SIZE, at[1] == 'S' ? "%s" : "%s/given",
                               at[1] == 'S' ? source : base);
      at++;
    } else {
      c->line[used++] = *at;
    }
  }
  c->line[used] = '\0';
  char *colon = strstr(c->line, ": ");
  if (colon == NULL) {
    errno = EINVAL;
    stop(text);
  }
  *colon = '\0';
  int n = 0;
  for (char *word = strtok(c->line, " "); word != NULL; word = strtok(NULL, " ")) {
    if (word[0] == '+' && c->ncopy < 8) {
      c->copies[c->ncopy++] = word + 1;
    } else if (strcmp(word, "varies") == 0) {
      c->varies = true;
    } else if (strcmp(word, "few") == 0) {
      c->few = true;
    } else {
      (void)snprintf(c->name, sizeof c->name, "%s", word);
    }
  }
  for (char *word = strtok(colon + 2, " "); word != NULL && n < WORDS_MAX - 1;
       word = strtok(NULL, " ")) {
    c->words[n++] = word;
  }
  return true;
}

static long count_allocations(const command *c, const char *dir, outcome *clean)
{
  char count[PATH_SIZE];
  join_path(count, dir, "count");
  (void)unlink(count);
  trial t = {.dir = dir, .count = count, .preloaded = true};
  *clean = run_trial(c, &t);
  content text = read_content(count, "count");
  long n = text.data != NULL ? strtol(text.data, NULL, 10) : 0;
  free(text.data);
  outcome again = run_trial(c, &t);
  const char *why = again.code != clean->code ? "another exit code" : check_same(c, &again, clean);
  if (n == 0 || why != NULL || clean->code == 6 || clean->code > 128) {
    (void)printf("  %s: exit code %d, %ld allocations, twice not the same: %s\n%s", c->name,
                 clean->code, n, why != NULL ? why : "no", clean->err.data);
    shared->failed++;
  }
  free_outcome(&again);
  return n;
}

static bool choose_allocation(const command *c, long at, long n)
{
  long count = sample == 0 && c->few ? FEW : sample;
  if (count == 0 || (at <= FIRST && !c->few)) {
    return true;
  }
  long step = n / count;
  return step <= 1 || (at + c->name[strlen(c->name) - 1]) % step == 0;
}

static void sweep_part(const command *c, int part, const outcome *clean, long n)
{
  char name[32];
  char dir[PATH_SIZE];
  char work[PATH_SIZE];
  (void)snprintf(name, sizeof name, "part%d", part);
  join_path(dir, base, name);
  make_folder(dir);
  join_path(work, dir, "work");
  make_folder(work);
  place_copies(c, work);
  folder before = read_folder(work);
  trial loaded = {.dir = dir, .preloaded = true};
  server program_server = start_server(&loaded, c->words);
  long index = 0;
  for (long at = 1; at <= n; at++) {
    if (!choose_allocation(c, at, n) || index++ % jobs != part) {
      continue;
    }
    for (int for_good = 0; for_good < 2; for_good++) {
      trial t = {.dir = dir, .at = at, .for_good = for_good == 1, .server = &program_server};
      try_one(c, &t, clean, &before);
    }
  }
  end_server(&program_server);
  free_folder(&before);
}

static void sweep_command(const command *c)
{
  char dir[PATH_SIZE];
  char work[PATH_SIZE];
  outcome clean;
  tally was = *shared;
  join_path(dir, base, "clean");
  make_folder(dir);
  join_path(work, dir, "work");
  make_folder(work);
  shared->shown = 0;
  long n = count_allocations(c, dir, &clean);
  (void)fflush(stdout);
  for (int part = 0; part < jobs; part++) {
    if (fork() == 0) {
      sweep_part(c, part, &clean, n);
      _exit(0);
    }
  }
  int state = 0;
  while (wait(&state) > 0) {
    shared->failed += !(WIFEXITED(state) && WEXITSTATUS(state) == 0);
  }
  (void)printf("%-24s %6ld allocations %6ld trials %6ld exit code 6 %6ld unaffected %5ld failed\n",
               c->name, n, shared->trials - was.trials, shared->exhausted - was.exhausted,
               shared->unaffected - was.unaffected, shared->failed - was.failed);
  (void)fflush(stdout);
  free_outcome(&clean);
}

// "given": makes a file that commands find. Run once, without failures, in the folder of given files.
static void make_given(const command *c)
{
  char dir[PATH_SIZE];
  char work[PATH_SIZE];
  char given[PATH_SIZE];
  join_path(given, base, "given");
  make_folder(given);
  join_path(dir, base, "clean");
  make_folder(dir);
  join_path(work, dir, "work");
  make_folder(work);
  trial t = {.dir = dir};
  outcome o = run_trial(c, &t);
  if (o.code != 0) {
    (void)fprintf(stderr, "memory_sweep: given files: exit code %d: %s", o.code, o.err.data);
    exit(2);
  }
  for (int i = 0; i < o.left.n; i++) {
    char path[PATH_SIZE];
    join_path(path, given, o.left.file[i].name);
    write_content(path, &o.left.file[i]);
  }
  free_outcome(&o);
}

static void remove_all(void)
{
  char words[PATH_SIZE + 16];
  (void)snprintf(words, sizeof words, "rm -rf '%s'", base);
  if (system(words) != 0) {
    (void)fprintf(stderr, "memory_sweep: %s was not removed\n", base);
  }
}

static void sweep_list(const char *only)
{
  char path[PATH_SIZE];
  char text[1024];
  command c;
  join_path(path, source, "tests/fault/memory.list");
  FILE *list = fopen(path, "r");
  if (list == NULL) {
    stop(path);
  }
  while (fgets(text, sizeof text, list) != NULL) {
    if (!parse_command(text, &c)) {
      continue;
    }
    if (strcmp(c.name, "given") == 0) {
      make_given(&c);
    } else if (only != NULL ? strncmp(c.name, only, strlen(only)) == 0 : sample == 0 || !c.few) {
      sweep_command(&c);
    }
  }
  (void)fclose(list);
}

// The path of a file that is there, if it has at most PATH_SIZE - 1 bytes
static bool resolve_path(const char *name, char path[PATH_SIZE])
{
  char *full = realpath(name, NULL);
  bool good = full != NULL && strlen(full) < PATH_SIZE;
  if (good) {
    (void)snprintf(path, PATH_SIZE, "%s", full);
  }
  free(full);
  return good;
}

int main(int argc, char **argv)
{
  const char *only = NULL;
  int at = 1;
  for (; at + 1 < argc && argv[at][0] == '-'; at += 2) {
    sample = strcmp(argv[at], "--sample") == 0 ? strtol(argv[at + 1], NULL, 10) : sample;
    jobs = strcmp(argv[at], "--jobs") == 0 ? (int)strtol(argv[at + 1], NULL, 10) : jobs;
    only = strcmp(argv[at], "--only") == 0 ? argv[at + 1] : only;
  }
  if (argc - at != 3 || jobs < 1 || !resolve_path(argv[at], rh_trial_setting.program) ||
      !resolve_path(argv[at + 1], rh_trial_setting.preload) ||
      !resolve_path(argv[at + 2], source)) {
    (void)fprintf(
        stderr,
        "Usage: memory_sweep [--sample K] [--jobs J] [--only NAME] PROGRAM PRELOAD SOURCE\n");
    return 2;
  }
  (void)snprintf(base, PATH_SIZE, "/tmp/routh-memory-XXXXXX");
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (mkdtemp(base) == NULL || shared == MAP_FAILED) {
    stop(base);
  }
  sweep_list(only);
  (void)printf("memory_sweep: %ld trials: %ld exit code 6, %ld unaffected, %ld failed\n",
               shared->trials, shared->exhausted, shared->unaffected, shared->failed);
  remove_all();
  return shared->failed > 0 ? 1 : 0;
}
