// trial.c: see trial.h.
#define _GNU_SOURCE
#include "trial.h"

#include "memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

setting rh_trial_setting;

void stop(const char *what)
{
  (void)fprintf(stderr, "memory_sweep: %s: %s\n", what, strerror(errno));
  exit(2);
}

void join_path(char *path, const char *dir, const char *name)
{
  if (snprintf(path, PATH_SIZE, "%s/%s", dir, name) >= PATH_SIZE) {
    errno = ENAMETOOLONG;
    stop(name);
  }
}

// ---- Files

content read_content(const char *path, const char *name)
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

void write_content(const char *path, const content *c)
{
  FILE *file = fopen(path, "wb");
  if (file == NULL || fwrite(c->data, 1, c->size, file) != c->size || fclose(file) != 0) {
    stop(path);
  }
}

bool same_content(const content *a, const content *b)
{
  return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

folder read_folder(const char *path)
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

const content *find_file(const folder *f, const char *name)
{
  for (int i = 0; i < f->n; i++) {
    if (strcmp(f->file[i].name, name) == 0) {
      return &f->file[i];
    }
  }
  return NULL;
}

void free_folder(folder *f)
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

void make_folder(const char *path)
{
  if (mkdir(path, 0700) != 0 && errno != EEXIST) {
    stop(path);
  }
}

// ---- Running

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
    (void)setenv("LD_PRELOAD", rh_trial_setting.preload, 1);
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
    (void)alarm(RH_FAULT_WATCHDOG); // clock: a watchdog, for a program that hangs
  }
  (void)execv(rh_trial_setting.program, (char *const *)argv);
  _exit(126);
}

int run_words(const trial *t, char *const *words)
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

server start_server(const trial *t, char *const *words)
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

void end_server(const server *s)
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
void place_copies(const command *c, const char *work)
{
  empty_folder(work);
  for (int i = 0; i < c->ncopy; i++) {
    char from[PATH_SIZE];
    char to[PATH_SIZE];
    char name[PATH_SIZE];
    const char *equals = strchr(c->copies[i], '=');
    (void)snprintf(name, sizeof name, "%.*s", (int)(equals - c->copies[i]), c->copies[i]);
    join_path(from, rh_trial_setting.base, "given");
    join_path(to, from, name);
    content file = read_content(to, name);
    join_path(to, work, equals + 1);
    write_content(to, &file);
    free(file.data);
  }
}

outcome run_trial(const command *c, const trial *t)
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

void free_outcome(outcome *o)
{
  free(o->out.data);
  free(o->err.data);
  free_folder(&o->left);
}
