// memory_sweep.c: runs the commands of memory.list again and again, each time with another allocation that fails (memory.c),
// once and for good, and checks what comes of it. Allowed are
//   - exit code 6 with a sentence about memory; every file is as before, or as a clean run leaves it, or a whole recording;
//   - the exit code of the clean run with its output: the failure was of no consequence.
// Everything else is a failure: a signal, another exit code, another output, files left behind.
//
//   memory_sweep [--sample K] [--jobs J] [--only NAME] PROGRAM PRELOAD SOURCE
//
// --sample K: of each command the first 8 allocations and K spread over the rest; else all. Exit code 1 if anything failed.
#define _GNU_SOURCE
#include "memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  WORDS_MAX = 48,
  FILES_MAX = 64,
  PATH_SIZE = 512,
  FIRST = 8,      // allocations that a sample always has
  SHOWN = 12,     // failures of one command that are printed
};

typedef struct content {
  char name[128];
  char *data;
  size_t size;
} content;

typedef struct folder {
  content file[FILES_MAX];
  int n;
} folder;

typedef struct outcome {
  int code; // 128 + n: signal n
  content out, err;
  folder left;
} outcome;

typedef struct command {
  char line[2048];
  char name[64];
  char *words[WORDS_MAX];
  char *copies[8]; // "from=to"
  int ncopy;
  bool varies; // its output is another one each time
} command;

typedef struct tally { // shared by the workers
  long trials, exhausted, unaffected, failed, shown;
} tally;

static char program[PATH_SIZE], preload[PATH_SIZE], source[PATH_SIZE], base[PATH_SIZE];
static long sample;
static int jobs = 1;
static tally *shared;

static void stop(const char *what)
{
  (void)fprintf(stderr, "memory_sweep: %s: %s\n", what, strerror(errno));
  exit(2);
}

static void join_path(char *path, const char *dir, const char *name)
{
  if (snprintf(path, PATH_SIZE, "%s/%s", dir, name) >= PATH_SIZE) {
    errno = ENAMETOOLONG;
    stop(name);
  }
}

// ---- Files

static content read_content(const char *path, const char *name)
{
  content c = {0};
  FILE *file = fopen(path, "rb");
  (void)snprintf(c.name, sizeof c.name, "%s", name);
  if (file == NULL) {
    return c;
  }
  struct stat about = {0};
  (void)fstat(fileno(file), &about);
  c.data = calloc((size_t)about.st_size + 1, 1);
  c.size = c.data != NULL ? fread(c.data, 1, (size_t)about.st_size, file) : 0;
  (void)fclose(file);
  return c;
}

static void write_content(const char *path, const content *c)
{
  FILE *file = fopen(path, "wb");
  if (file == NULL || fwrite(c->data, 1, c->size, file) != c->size || fclose(file) != 0) {
    stop(path);
  }
}

static bool same_content(const content *a, const content *b)
{
  return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

static folder read_folder(const char *path)
{
  folder f = {0};
  DIR *dir = opendir(path);
  if (dir == NULL) {
    stop(path);
  }
  for (struct dirent *entry = NULL; (entry = readdir(dir)) != NULL && f.n < FILES_MAX;) {
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
      char name[PATH_SIZE];
      join_path(name, path, entry->d_name);
      f.file[f.n++] = read_content(name, entry->d_name);
    }
  }
  (void)closedir(dir);
  return f;
}

static const content *find_file(const folder *f, const char *name)
{
  for (int i = 0; i < f->n; i++) {
    if (strcmp(f->file[i].name, name) == 0) {
      return &f->file[i];
    }
  }
  return NULL;
}

static void free_folder(folder *f)
{
  for (int i = 0; i < f->n; i++) {
    free(f->file[i].data);
  }
  f->n = 0;
}

static void empty_folder(const char *path)
{
  folder f = read_folder(path);
  for (int i = 0; i < f.n; i++) {
    char name[PATH_SIZE];
    join_path(name, path, f.file[i].name);
    (void)unlink(name);
  }
  free_folder(&f);
}

static void make_folder(const char *path)
{
  if (mkdir(path, 0700) != 0 && errno != EEXIST) {
    stop(path);
  }
}

// ---- Running

typedef struct server { // a program that is loaded once for many trials
  pid_t process;
  int to, from;
} server;

typedef struct trial {
  const char *dir; // holds work/ (the present folder of the program), out, err
  long at;         // allocation that fails; 0: none
  bool for_good;
  const char *count; // file for the number of allocations, or NULL
  bool preloaded;
  const server *server; // NULL: a process of its own
} trial;

static void become(const trial *t, char *const *words)
{
  char path[PATH_SIZE];
  char number[32];
  const char *argv[WORDS_MAX + 2] = {"routh"};
  for (int i = 0; words[i] != NULL; i++) {
    argv[i + 1] = words[i];
  }
  join_path(path, t->dir, "out");
  int out = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  join_path(path, t->dir, "err");
  int err = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  int in = open("/dev/null", O_RDONLY);
  (void)dup2(in, STDIN_FILENO);
  (void)dup2(out, STDOUT_FILENO);
  (void)dup2(err, STDERR_FILENO);
  join_path(path, t->dir, "work");
  if (chdir(path) != 0) {
    _exit(126);
  }
  if (t->preloaded) {
    (void)snprintf(number, sizeof number, "%ld", t->at);
    (void)setenv("LD_PRELOAD", preload, 1);
    (void)setenv("ROUTH_FAULT_AT", number, 1);
    if (t->for_good) {
      (void)setenv("ROUTH_FAULT_FOR_GOOD", "1", 1);
    }
    if (t->count != NULL) {
      (void)setenv("ROUTH_FAULT_COUNT", t->count, 1);
    }
    if (t->server != NULL) {
      (void)setenv("ROUTH_FAULT_SERVE", "1", 1);
    }
  }
  if (t->server == NULL) {
    (void)alarm(RH_FAULT_WATCHDOG);
  }
  (void)execv(program, (char *const *)argv);
  _exit(126);
}

static int run_words(const trial *t, char *const *words)
{
  (void)fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    become(t, words);
  }
  int state = 0;
  if (child < 0 || waitpid(child, &state, 0) < 0) {
    stop("fork");
  }
  return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

static server start_server(const trial *t, char *const *words)
{
  int in[2];
  int out[2];
  server s = {0};
  if (pipe(in) != 0 || pipe(out) != 0) {
    stop("pipe");
  }
  s.process = fork();
  if (s.process == 0) {
    trial served = *t;
    served.server = &s;
    (void)dup2(in[0], RH_FAULT_IN);
    (void)dup2(out[1], RH_FAULT_OUT);
    for (int i = 0; i < 2; i++) {
      (void)close(in[i]);
      (void)close(out[i]);
    }
    become(&served, words);
  }
  (void)close(in[0]);
  (void)close(out[1]);
  s.to = in[1];
  s.from = out[0];
  return s;
}

static void end_server(const server *s)
{
  int state = 0;
  (void)close(s->to);
  (void)close(s->from);
  (void)waitpid(s->process, &state, 0);
}

static int ask_server(const trial *t)
{
  rh_fault_request request = {.at = t->at, .for_good = t->for_good};
  int state = 0;
  if (write(t->server->to, &request, sizeof request) != sizeof request ||
      read(t->server->from, &state, sizeof state) != sizeof state) {
    stop("the server");
  }
  return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

// Places the files that the command finds.
static void place_copies(const command *c, const char *work)
{
  empty_folder(work);
  for (int i = 0; i < c->ncopy; i++) {
    char from[PATH_SIZE];
    char to[PATH_SIZE];
    char name[PATH_SIZE];
    const char *equals = strchr(c->copies[i], '=');
    (void)snprintf(name, sizeof name, "%.*s", (int)(equals - c->copies[i]), c->copies[i]);
    join_path(from, base, "given");
    join_path(to, from, name);
    content file = read_content(to, name);
    join_path(to, work, equals + 1);
    write_content(to, &file);
    free(file.data);
  }
}

static outcome run_trial(const command *c, const trial *t)
{
  outcome o = {0};
  char work[PATH_SIZE];
  char path[PATH_SIZE];
  join_path(work, t->dir, "work");
  place_copies(c, work);
  o.code = t->server != NULL ? ask_server(t) : run_words(t, c->words);
  o.left = read_folder(work);
  join_path(path, t->dir, "out");
  o.out = read_content(path, "out");
  join_path(path, t->dir, "err");
  o.err = read_content(path, "err");
  return o;
}

static void free_outcome(outcome *o)
{
  free(o->out.data);
  free(o->err.data);
  free_folder(&o->left);
}

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
  return length > 4 && strcmp(name + length - 4, ".rhr") == 0 && run_words(&clean, words) == 0 &&
         run_words(&clean, again) == 0;
}

// NULL: all is well; else what is not.
static const char *check_files(const trial *t, const outcome *o, const folder *before,
                               const folder *clean)
{
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
    bool good = (old != NULL && same_content(old, file)) || (new != NULL && same_content(new, file));
    if (!good && !((old != NULL || new != NULL) && whole_recording(t, file->name))) {
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

// With exit code 6 every error is one about memory, or one that a clean run reports too.
static const char *check_errors(const outcome *o, const outcome *clean)
{
  static char why[256];
  size_t length = 0;
  if (strstr(o->err.data, "memory") == NULL) {
    return "exit code 6 without a sentence about memory";
  }
  for (const char *at = next_line(o->err.data, &length); length > 0; at = next_line(at, &length)) {
    bool count = strncmp(at, "routh: ", 7) == 0 && at[7] >= '0' && at[7] <= '9'; // "routh: 2 errors"
    bool error = memmem(at, length, "error:", 6) != NULL || memmem(at, length, "routh:", 6) != NULL;
    if (error && !count && memmem(at, length, "memory", 6) == NULL &&
        memmem(clean->err.data, clean->err.size, at, length) == NULL) {
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
    return blamed != NULL ? blamed : check_files(t, o, before, &clean->left);
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
                   t->for_good ? " for good" : "", why, o.code,
                   (int)strcspn(o.err.data, "\n"), o.err.data);
      (void)fflush(stdout);
    }
  }
  free_outcome(&o);
}

// ---- Commands

// "name [+from=to ...] [varies]: words"; @S is the source, @G the folder of given files.
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

static bool chosen(long at, long n, const char *name)
{
  if (sample == 0 || at <= FIRST) {
    return true;
  }
  long step = (n - FIRST) / (sample > 0 ? sample : 1);
  step = step > 0 ? step : 1;
  return (at + (unsigned char)name[strlen(name) - 1]) % step == 0;
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
    if (!chosen(at, n, c->name) || index++ % jobs != part) {
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
    } else if (only == NULL || strncmp(c.name, only, strlen(only)) == 0) {
      sweep_command(&c);
    }
  }
  (void)fclose(list);
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
  if (argc - at != 3 || jobs < 1 || realpath(argv[at], program) == NULL ||
      realpath(argv[at + 1], preload) == NULL || realpath(argv[at + 2], source) == NULL) {
    (void)fprintf(stderr, "Usage: memory_sweep [--sample K] [--jobs J] [--only NAME] PROGRAM PRELOAD SOURCE\n");
    return 2;
  }
  (void)snprintf(base, sizeof base, "/tmp/routh-memory-XXXXXX");
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
