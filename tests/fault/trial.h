// trial.h: one run of the program in a folder of its own, with or without an allocation that fails, and what it leaves behind.
#ifndef ROUTH_FAULT_TRIAL_H
#define ROUTH_FAULT_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum {
  WORDS_MAX = 48,
  FILES_MAX = 64,
  PATH_SIZE = 512,
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
  bool few;    // only a sample of its allocations fail, always
} command;

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

// Set once, before anything is run: the program, the library to preload, the folder in which all happens.
typedef struct setting {
  char program[PATH_SIZE], preload[PATH_SIZE], base[PATH_SIZE];
} setting;

extern setting rh_trial_setting;

void stop(const char *what); // prints why the sweep itself cannot go on, and ends it
void join_path(char *path, const char *dir, const char *name);
void make_folder(const char *path);
content read_content(const char *path, const char *name);
void write_content(const char *path, const content *c);
bool same_content(const content *a, const content *b);
folder read_folder(const char *path);
const content *find_file(const folder *f, const char *name);
void free_folder(folder *f);
void place_copies(const command *c, const char *work); // the files that the command finds
int run_words(const trial *t, char *const *words);     // exit code; 128 + n: signal n
outcome run_trial(const command *c, const trial *t);
void free_outcome(outcome *o);
server start_server(const trial *t, char *const *words);
void end_server(const server *s);

#endif
