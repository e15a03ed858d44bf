// io.c: runs a program whose n-th call to the system for writing fails. It traces the program (ptrace), so calls from inside
// the C library, SQLite and HDF5 are met as well; programs that it starts are left alone. Linux on x86-64.
//
//   fault_io [OPTION...] PROGRAM [WORD...]      exit status: that of the program, 128 + n when signal n ended it
//     -d FOLDER   only files in this folder count (must be given: the present folder for most)
//     -n N        the N-th call is met, from 1; without it calls are only counted
//     -m MODE     once    it fails
//                 always  it and all behind it fail, but for closing and removing: a disk that is full, or gone
//                 half    if it is a write only half of it is done, and the call behind it fails
//                 kill    the program is killed before it
//     -e ERRNO    how it fails; 28 (ENOSPC) if not given
//     -c FILE     writes there how many calls counted, the name of the call that was met, and how many of them synced
//     -s FOLDER   keeps there what would survive a loss of power: the content of each file when it was last synced, by the
//                 number of its inode, and in `names` the names in the folder (-d) when that was last synced
#define _GNU_SOURCE

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/ptrace.h>

#define TASKS_MAX 128

typedef enum form {
  BY_FILE,
  BY_PATH,
  BY_PATH_AT
} form; // what says which file it is: argument 0, or 0, or 1

typedef struct call {
  long number;
  const char *name;
  form form;
  bool writes;  // bytes; argument 2 says how many
  bool tidies;  // a full disk does not keep one from it
  int flags_at; // argument with flags of opening, -1: none
} call;

static const call calls[] = {
    {SYS_write, "write", BY_FILE, true, false, -1},
    {SYS_pwrite64, "pwrite64", BY_FILE, true, false, -1},
    {SYS_writev, "writev", BY_FILE, false, false, -1},
    {SYS_pwritev, "pwritev", BY_FILE, false, false, -1},
    {SYS_fsync, "fsync", BY_FILE, false, false, -1},
    {SYS_fdatasync, "fdatasync", BY_FILE, false, false, -1},
    {SYS_ftruncate, "ftruncate", BY_FILE, false, false, -1},
    {SYS_fallocate, "fallocate", BY_FILE, false, false, -1},
    {SYS_fchmod, "fchmod", BY_FILE, false, false, -1},
    {SYS_close, "close", BY_FILE, false, true, -1},
    {SYS_open, "open", BY_PATH, false, false, 1},
    {SYS_openat, "openat", BY_PATH_AT, false, false, 2},
    {SYS_creat, "creat", BY_PATH, false, false, -1},
    {SYS_rename, "rename", BY_PATH, false, false, -1},
    {SYS_renameat, "renameat", BY_PATH_AT, false, false, -1},
    {SYS_renameat2, "renameat2", BY_PATH_AT, false, false, -1},
    {SYS_link, "link", BY_PATH, false, false, -1},
    {SYS_linkat, "linkat", BY_PATH_AT, false, false, -1},
    {SYS_mkdir, "mkdir", BY_PATH, false, false, -1},
    {SYS_mkdirat, "mkdirat", BY_PATH_AT, false, false, -1},
    {SYS_unlink, "unlink", BY_PATH, false, true, -1},
    {SYS_unlinkat, "unlinkat", BY_PATH_AT, false, true, -1},
};

typedef enum mode { ONCE, ALWAYS, HALF, KILL } mode;

typedef struct task { // a thread of the program that is within a call
  pid_t id;
  long result; // to be returned, 0: what it returns
  bool syncs;
  int file;
} task;

typedef struct trace {
  pid_t program;
  const char *folder, *shadow, *report;
  char root[PATH_MAX]; // the folder, resolved
  long at, count, syncs;
  int error;
  mode mode;
  bool next_fails; // half of a write is done
  const char *met;
  task task[TASKS_MAX];
  int status; // how the program ended
} trace;

static const call *find_call(long number)
{
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
    if (calls[i].number == number) {
      return &calls[i];
    }
  }
  return NULL;
}

static task *find_task(trace *t, pid_t id)
{
  task *empty = NULL;
  for (int i = 0; i < TASKS_MAX; i++) {
    if (t->task[i].id == id) {
      return &t->task[i];
    }
    empty = empty == NULL && t->task[i].id == 0 ? &t->task[i] : empty;
  }
  if (empty == NULL) {
    fputs("fault_io: too many threads\n", stderr);
    exit(125);
  }
  *empty = (task){.id = id};
  return empty;
}

// ---- Which file is it?

static bool in_folder(const trace *t, const char *path)
{
  size_t length = strlen(t->root);
  return strncmp(path, t->root, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static bool file_in_folder(const trace *t, pid_t id, long file)
{
  char link[64];
  char path[PATH_MAX];
  (void)snprintf(link, sizeof link, "/proc/%d/fd/%ld", (int)id, file);
  ssize_t n = readlink(link, path, sizeof path - 1);
  if (n <= 0) {
    return false;
  }
  path[n] = '\0';
  return in_folder(t, path);
}

// Paths that are not absolute are taken to be in the folder: the program runs there.
static bool path_in_folder(const trace *t, pid_t id, unsigned long at)
{
  char path[PATH_MAX] = "";
  char memory[64];
  (void)snprintf(memory, sizeof memory, "/proc/%d/mem", (int)id);
  int file = open(memory, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return false;
  }
  // A page at a time: a path may end where memory does.
  size_t used = 0;
  while (used < sizeof path - 1 && memchr(path, '\0', used) == NULL) {
    size_t part = 256 - (at + used) % 256;
    part = part < sizeof path - 1 - used ? part : sizeof path - 1 - used;
    ssize_t n = pread(file, path + used, part, (off_t)(at + used));
    if (n <= 0) {
      break;
    }
    used += (size_t)n;
  }
  (void)close(file);
  path[sizeof path - 1] = '\0';
  return path[0] != '\0' && (path[0] != '/' || in_folder(t, path));
}

static bool counts(const trace *t, pid_t id, const call *c, const __u64 argument[6])
{
  if (c->flags_at >= 0 && (argument[c->flags_at] & (O_WRONLY | O_RDWR | O_CREAT)) == 0) {
    return false;
  }
  return c->form == BY_FILE ? file_in_folder(t, id, (long)argument[0])
                            : path_in_folder(t, id, argument[c->form == BY_PATH_AT ? 1 : 0]);
}

// ---- What survives a loss of power

static void copy_file(int from, const char *to)
{
  char piece[65536];
  int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  ssize_t n = 0;
  for (off_t at = 0; out >= 0 && (n = pread(from, piece, sizeof piece, at)) > 0; at += n) {
    if (write(out, piece, (size_t)n) != n) {
      perror("fault_io: shadow");
      exit(125);
    }
  }
  (void)close(out);
}

static void keep_names(const trace *t)
{
  char to[PATH_MAX];
  (void)snprintf(to, sizeof to, "%s/names", t->shadow);
  FILE *out = fopen(to, "w");
  DIR *folder = opendir(t->root);
  for (struct dirent *e = NULL; out && folder && (e = readdir(folder)) != NULL;) {
    if (e->d_type == DT_REG) {
      (void)fprintf(out, "%lu %s\n", (unsigned long)e->d_ino, e->d_name);
    }
  }
  if (folder != NULL) {
    (void)closedir(folder);
  }
  if (out != NULL) {
    (void)fclose(out);
  }
}

static void keep_synced(const trace *t, pid_t id, int number)
{
  char path[PATH_MAX];
  struct stat info;
  (void)snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)id, number);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0 || fstat(file, &info) != 0) {
    (void)close(file);
    return;
  }
  if (S_ISDIR(info.st_mode)) {
    keep_names(t);
  } else {
    (void)snprintf(path, sizeof path, "%s/%lu", t->shadow, (unsigned long)info.st_ino);
    copy_file(file, path);
  }
  (void)close(file);
}

// ---- The calls

static void set_register(pid_t id, size_t offset, unsigned long value)
{
  if (ptrace(PTRACE_POKEUSER, id, offset, value) != 0) {
    perror("fault_io: registers");
    exit(125);
  }
}

#define REGISTER(name) (offsetof(struct user, regs) + offsetof(struct user_regs_struct, name))

static void make_fail(const trace *t, task *k, const call *c)
{
  k->result = -t->error;
  if (c->number != SYS_close) { // which closes all the same
    set_register(k->id, REGISTER(orig_rax), (unsigned long)-1);
  }
}

static void enter_call(trace *t, task *k, const call *c, const __u64 argument[6])
{
  bool here = ++t->count == t->at;
  k->syncs = c->number == SYS_fsync || c->number == SYS_fdatasync;
  k->file = (int)argument[0];
  t->syncs += k->syncs;
  if (here) {
    t->met = c->name;
  }
  if (here && t->mode == KILL) {
    (void)kill(t->program, SIGKILL);
  } else if (t->next_fails || (here && t->mode == ONCE) ||
             (t->at > 0 && t->count >= t->at && t->mode == ALWAYS && !c->tidies)) {
    t->next_fails = false;
    make_fail(t, k, c);
  } else if (here && t->mode == HALF && c->writes && argument[2] > 1) {
    t->next_fails = true;
    set_register(k->id, REGISTER(rdx), (unsigned long)argument[2] / 2);
  }
}

static void on_stop(trace *t, pid_t id)
{
  struct ptrace_syscall_info info = {0};
  task *k = find_task(t, id);
  if (ptrace(PTRACE_GET_SYSCALL_INFO, id, sizeof info, &info) < 0) {
    return; // it has died meanwhile
  }
  if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
    const call *c = find_call((long)info.entry.nr);
    k->result = 0;
    k->syncs = false;
    if (c != NULL && counts(t, id, c, info.entry.args)) {
      enter_call(t, k, c, info.entry.args);
    }
  } else if (info.op == PTRACE_SYSCALL_INFO_EXIT) {
    if (k->result != 0) {
      set_register(id, REGISTER(rax), (unsigned long)k->result);
    } else if (k->syncs && t->shadow != NULL && info.exit.rval == 0) {
      keep_synced(t, id, k->file);
    }
    k->result = 0;
    k->syncs = false;
  }
}

// Waits for one stop of one thread. False: the program has ended.
static bool follow(trace *t)
{
  int status = 0;
  pid_t id = waitpid(-1, &status, __WALL);
  if (id < 0) {
    return errno == EINTR;
  }
  if (WIFEXITED(status) || WIFSIGNALED(status)) {
    find_task(t, id)->id = 0;
    if (id == t->program) {
      t->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    return id != t->program;
  }
  int number = WSTOPSIG(status);
  if (number == (SIGTRAP | 0x80)) {
    on_stop(t, id);
    number = 0;
  } else if (number == SIGTRAP || number == SIGSTOP) {
    number = 0; // a new thread, or our own
  }
  (void)ptrace(PTRACE_SYSCALL, id, 0, number);
  return true;
}

static bool start(trace *t, char **words)
{
  t->program = fork();
  if (t->program == 0) {
    (void)ptrace(PTRACE_TRACEME, 0, 0, 0);
    (void)raise(SIGSTOP);
    (void)execvp(words[0], words);
    perror(words[0]);
    _exit(127);
  }
  int status = 0;
  return t->program > 0 && waitpid(t->program, &status, 0) == t->program &&
         ptrace(PTRACE_SETOPTIONS, t->program, 0,
                PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL) == 0 &&
         ptrace(PTRACE_SYSCALL, t->program, 0, 0) == 0;
}

static bool read_mode(const char *word, mode *m)
{
  static const char *const name[] = {"once", "always", "half", "kill"};
  for (int i = 0; i < 4; i++) {
    if (strcmp(word, name[i]) == 0) {
      *m = (mode)i;
      return true;
    }
  }
  return false;
}

static bool read_options(trace *t, int argc, char **argv)
{
  for (int o = 0; (o = getopt(argc, argv, "+d:n:m:e:c:s:")) != -1;) {
    switch (o) {
    case 'd':
      t->folder = optarg;
      break;
    case 'n':
      t->at = atol(optarg);
      break;
    case 'e':
      t->error = atoi(optarg);
      break;
    case 'c':
      t->report = optarg;
      break;
    case 's':
      t->shadow = optarg;
      break;
    case 'm':
      if (!read_mode(optarg, &t->mode)) {
        return false;
      }
      break;
    default:
      return false;
    }
  }
  return t->folder != NULL && realpath(t->folder, t->root) != NULL && optind < argc;
}

int main(int argc, char **argv)
{
  static trace t = {.error = ENOSPC, .met = "none"};
  if (!read_options(&t, argc, argv)) {
    fputs("usage: fault_io -d FOLDER [-n N] [-m once|always|half|kill] [-e ERRNO] [-c FILE] "
          "[-s FOLDER] PROGRAM [WORD...]\n",
          stderr);
    return 125;
  }
  if (!start(&t, argv + optind)) {
    perror("fault_io: cannot trace");
    return 125;
  }
  while (follow(&t)) {}
  FILE *report = t.report != NULL ? fopen(t.report, "w") : NULL;
  if (report != NULL) {
    (void)fprintf(report, "%ld %s %ld\n", t.count, t.met, t.syncs);
    (void)fclose(report);
  }
  return t.status;
}
