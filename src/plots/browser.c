// browser.c: pictures without a window: Chromium opens the page with #shots=..., the page becomes a list of pictures in base64
// (web/src/shots.ts), and the browser prints it (--dump-dom).
#define _XOPEN_SOURCE 700 // nftw, mkdtemp

#include "browser.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define BATCH     24 // pictures per start of the browser
#define ADDRESS   2048
#define NOT_FOUND 127

// ---- Folders

char *rh_folder_create(void)
{
  const char *base = getenv("TMPDIR");
  rh_text name = {0};
  rh_text_addf(&name, "%s/routh-view-XXXXXX", base != NULL && base[0] == '/' ? base : "/tmp");
  char *folder = rh_text_take(&name);
  if (folder == NULL || mkdtemp(folder) == NULL) {
    rh_refuse(RH_OUTPUT_NOT_WRITTEN, "view: %s: %s", folder != NULL ? folder : "a folder",
              strerror(errno));
    rh_free(folder);
    return NULL;
  }
  return folder;
}

static int remove_one(const char *path, const struct stat *found, int type, struct FTW *where)
{
  (void)found;
  (void)type;
  (void)where;
  return remove(path);
}

void rh_folder_remove(const char *folder)
{
  (void)nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

// ---- The browser

// In the child: executes the browser, or exits.
static void become_browser(const rh_shots *shots, const char *address, int out)
{
  char profile[ADDRESS];
  const char *name[] = {getenv("ROUTH_BROWSER"), "chromium", "chromium-browser", "google-chrome"};
  snprintf(profile, sizeof profile, "--user-data-dir=%s/profile", shots->folder);
  const char *arg[] = {"chromium",
                       "--headless",
                       "--disable-gpu",
                       "--use-gl=angle",
                       "--use-angle=swiftshader",
                       "--enable-unsafe-swiftshader",
                       "--disable-quic",
                       "--no-first-run",
                       "--disable-background-networking",
                       "--disable-component-update",
                       "--disable-sync",
                       "--virtual-time-budget=10000",
                       profile,
                       "--dump-dom",
                       geteuid() == 0 ? "--no-sandbox"
                                      : address, // its sandbox does not run as root
                       geteuid() == 0 ? address : NULL,
                       NULL};
  signal(SIGPIPE, SIG_DFL);
  if (dup2(out, STDOUT_FILENO) < 0 || freopen("/dev/null", "w", stderr) == NULL) {
    _exit(NOT_FOUND);
  }
  for (int i = 0; i < RH_COUNT(name); i++) {
    if (name[i] != NULL && name[i][0] != '\0') {
      execvp(name[i], (char *const *)arg);
    }
  }
  _exit(NOT_FOUND);
}

static rh_status read_all(int in, rh_text *text)
{
  char piece[65536];
  for (;;) {
    ssize_t got = read(in, piece, sizeof piece);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return text->failed ? rh_refuse(RH_OUT_OF_MEMORY, "out of memory") : RH_OK;
    }
    rh_text_add_bytes(text, piece, (size_t)got);
  }
}

static rh_status run_browser(const rh_shots *shots, const char *address, rh_text *text)
{
  int end[2];
  if (pipe(end) != 0) {
    return rh_refuse(RH_OUT_OF_MEMORY, "view: %s", strerror(errno));
  }
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    close(end[0]);
    become_browser(shots, address, end[1]);
  }
  close(end[1]);
  rh_status status =
      child > 0 ? read_all(end[0], text) : rh_refuse(RH_OUT_OF_MEMORY, "view: %s", strerror(errno));
  close(end[0]);
  int code = 0;
  while (child > 0 && waitpid(child, &code, 0) < 0 && errno == EINTR) {
    // again
  }
  if (status == RH_OK && WIFEXITED(code) && WEXITSTATUS(code) == NOT_FOUND) {
    return rh_refuse(RH_OUTPUT_NOT_WRITTEN,
                     "view: pictures need Chromium (Debian: apt install chromium); "
                     "ROUTH_BROWSER may name it");
  }
  return status;
}

// ---- Its output

static int digit_of(char c)
{
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const char *at = c != '\0' ? strchr(digit, c) : NULL;
  return at != NULL ? (int)(at - digit) : -1;
}

// In place; returns the bytes, 0 if it is not base64.
static size_t decode_base64(char *text, size_t length)
{
  size_t bytes = 0;
  unsigned word = 0;
  int bits = 0;
  for (size_t i = 0; i < length && text[i] != '='; i++) {
    int d = digit_of(text[i]);
    if (d < 0) {
      return 0;
    }
    word = word << 6 | (unsigned)d;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      text[bytes++] = (char)(word >> bits & 0xFF);
    }
  }
  return bytes;
}

static rh_status take_pictures(const rh_shots *shots, rh_text *text, int first, int n)
{
  static const char mark[] = "id=\"shots\">\n";
  char *at = text->data != NULL ? strstr(text->data, mark) : NULL;
  if (at == NULL) {
    return rh_refuse(RH_OUTPUT_NOT_WRITTEN, "view: the browser gave no picture");
  }
  at += strlen(mark);
  for (int i = 0; i < n; i++) {
    size_t length = strcspn(at, "\n<");
    char *next = at + length + 1;
    size_t bytes = at[length] == '\n' ? decode_base64(at, length) : 0;
    if (bytes < 8 || memcmp(at, "\x89PNG", 4) != 0) {
      return rh_refuse(RH_OUTPUT_NOT_WRITTEN, "view: the browser gave no picture for %g s",
                       shots->t[first + i]);
    }
    RH_TRY(shots->take(shots->user, first + i, (const unsigned char *)at, bytes));
    at = next;
  }
  return RH_OK;
}

static void add_numbers(rh_text *text, const char *name, const double *x, int n)
{
  rh_text_add(text, name);
  for (int i = 0; i < n; i++) {
    rh_text_add(text, i > 0 ? "," : "");
    rh_text_add_number(text, x[i]);
  }
}

rh_status rh_shots_take(const rh_shots *shots)
{
  for (int first = 0; first < shots->n; first += BATCH) {
    int n = shots->n - first < BATCH ? shots->n - first : BATCH;
    rh_text address = {0};
    rh_text text = {0};
    rh_text_addf(&address, "file://%s#size=%dx%d", shots->page, shots->width, shots->height);
    if (shots->look[2] > 0) {
      add_numbers(&address, "&look=", shots->look, 3);
    }
    rh_text_add(&address, shots->no_arrows ? "&arrows=no" : "");
    add_numbers(&address, "&shots=", shots->t + first, n);
    rh_status status = address.failed ? rh_refuse(RH_OUT_OF_MEMORY, "out of memory")
                                      : run_browser(shots, address.data, &text);
    if (status == RH_OK) {
      status = take_pictures(shots, &text, first, n);
    }
    rh_text_free(&address);
    rh_text_free(&text);
    RH_TRY(status);
  }
  return RH_OK;
}
