// video.c: numbered pictures as one video file, by ffmpeg, which is looked for as ROUTH_FFMPEG or on the path.
#include "browser.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_FOUND = 127, ENDING_MAX = 8 };

// The ending of a video's name, which tells ffmpeg its format; NULL: there is none.
static const char *ending_of(const char *file)
{
  const char *slash = strrchr(file, '/');
  const char *dot = strrchr(slash != NULL ? slash : file, '.');
  size_t letters =
      dot != NULL
          ? strspn(dot + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
          : 0;
  bool good = letters > 0 && letters <= ENDING_MAX && dot[1 + letters] == '\0' && dot > file &&
              dot[-1] != '/';
  return good ? dot : NULL;
}

rh_status rh_video_folder(const char *file, rh_text *folder)
{
  const char *ending = ending_of(file);
  if (ending == NULL) {
    return rh_refuse(RH_WRONG_USAGE,
                     "view: --video needs a name whose ending is a format: run.mp4, got '%s'",
                     file);
  }
  rh_text_add_bytes(folder, file, (size_t)(ending - file));
  rh_text_add(folder, "-frames");
  if (folder->failed) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  if (mkdir(folder->data, 0777) != 0) {
    return rh_refuse(RH_OUTPUT_NOT_WRITTEN, "%s: %s%s", folder->data, strerror(errno),
                     errno == EEXIST ? ": the pictures go there; remove it" : "");
  }
  return RH_OK;
}

// In the child: runs ffmpeg in the folder of the pictures, so that no name is taken for a pattern.
static void become_ffmpeg(const char *folder, const char *rate, const char *output)
{
  const char *own = getenv("ROUTH_FFMPEG");
  bool picture = strstr(output, ".gif") != NULL;
  const char *arg[] = {"ffmpeg",
                       "-y",
                       "-nostdin",
                       "-loglevel",
                       "error",
                       "-framerate",
                       rate,
                       "-i",
                       "%05d.png",
                       "-vf",
                       "pad=ceil(iw/2)*2:ceil(ih/2)*2", // most formats need even sides
                       picture ? output : "-pix_fmt",
                       picture ? NULL : "yuv420p", // what all players know
                       output,
                       NULL};
  signal(SIGPIPE, SIG_DFL);
  if (chdir(folder) == 0) {
    execvp(own != NULL && own[0] != '\0' ? own : "ffmpeg", (char *const *)arg);
  }
  _exit(NOT_FOUND);
}

// The exit status of ffmpeg; -1: it could not be started or was killed.
static int run_ffmpeg(const char *folder, const char *rate, const char *output)
{
  int code = 0;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    become_ffmpeg(folder, rate, output);
  }
  while (child > 0 && waitpid(child, &code, 0) < 0 && errno == EINTR) {
    // again
  }
  return child > 0 && WIFEXITED(code) ? WEXITSTATUS(code) : -1;
}

rh_status rh_video_make(const char *folder, double rate, const char *file)
{
  char number[RH_NUMBER_MAX];
  rh_text made = {0};
  rh_text output = {0};
  rh_number_write(rate, number);
  rh_text_addf(&output, "video%s", ending_of(file));
  rh_text_addf(&made, "%s/%s", folder, output.failed ? "" : output.data);
  if (output.failed || made.failed) {
    rh_text_free(&output);
    rh_text_free(&made);
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  int code = run_ffmpeg(folder, number, output.data);
  rh_status status = RH_OK;
  if (code == NOT_FOUND) {
    status =
        rh_refuse(RH_OUTPUT_NOT_WRITTEN,
                  "view: %s was not made: ffmpeg is not there (ROUTH_FFMPEG may name it); the "
                  "pictures are kept: ffmpeg -framerate %s -i %s/%%05d.png -pix_fmt yuv420p %s",
                  file, number, folder, file);
  } else if (code != 0 || rename(made.data, file) != 0) {
    status =
        rh_refuse(RH_OUTPUT_NOT_WRITTEN, "view: %s was not made: %s; the pictures are kept in %s",
                  file, code != 0 ? "ffmpeg failed" : strerror(errno), folder);
  } else {
    rh_folder_remove(folder);
  }
  rh_text_free(&output);
  rh_text_free(&made);
  return status;
}
