// film_shots.c: pictures of recordings without a window: a page with the runs is written into a
// temporary folder, and a headless browser is sent through the requested times.
#include "film_shots.h"

#include "console/refusal.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

static rh_status keep_picture(void *user, int i, const unsigned char *png, size_t bytes)
{
  const rh_film_shots *to = user;
  rh_text name = {0};
  if (to->file != NULL && strcmp(to->file, "-") == 0) {
    rh_refusals_take_stdout();
    (void)fwrite(png, 1, bytes, stdout); // main checks the result
    return RH_OK;
  }
  if (to->file != NULL) {
    rh_text_add(&name, to->file);
  } else {
    rh_text_addf(&name, "%s/%05d.png", to->folder, i);
  }
  rh_status status = name.failed ? rh_refuse(RH_OUT_OF_MEMORY, "out of memory")
                                 : rh_file_write_bytes(name.data, png, bytes);
  rh_text_free(&name);
  return status;
}

// Only the impacts that a picture may show are examined.
static rh_status write_shallow(const rh_film_shots *runs, const rh_shots *shots, rh_diag *diag,
                               const char *path)
{
  double lately = 2 * rh_viewer_model(runs->film[0])->run.every;
  const rh_viewer_limits limits = {.bytes = 40000000,
                                   .shallow = true,
                                   .look = {fmax(shots->t[0] - lately, 0), shots->t[shots->n - 1]}};
  rh_outfile output;
  if (!rh_outfile_open(&output, path)) {
    return rh_file_refuse(path, output.error);
  }
  rh_status status = rh_viewer_write(runs->page, runs->film, runs->n, &limits, diag, output.file);
  return !rh_outfile_close(&output, status == RH_OK) && output.error != 0
             ? rh_file_refuse(path, output.error)
             : status;
}

static rh_status take_in(const rh_film_shots *runs, rh_shots *shots, rh_diag *diag)
{
  rh_text page = {0};
  rh_text_addf(&page, "%s/page.html", shots->folder);
  rh_status status = page.failed ? rh_refuse(RH_OUT_OF_MEMORY, "out of memory")
                                 : write_shallow(runs, shots, diag, page.data);
  shots->page = page.data;
  if (status == RH_OK) {
    status = rh_shots_take(shots);
  }
  rh_text_free(&page);
  return status;
}

static rh_status shoot_pictures(const rh_film_shots *to, rh_shots *shots, rh_diag *diag)
{
  if (to->file == NULL && mkdir(to->folder, 0777) != 0 && errno != EEXIST) {
    return rh_refuse(RH_OUTPUT_NOT_WRITTEN, "%s: %s", to->folder, strerror(errno));
  }
  char *folder = rh_folder_create();
  if (folder == NULL) {
    return RH_OUTPUT_NOT_WRITTEN;
  }
  shots->folder = folder;
  shots->user = (void *)to;
  shots->take = keep_picture;
  rh_status status = take_in(to, shots, diag);
  rh_folder_remove(folder);
  rh_free(folder);
  return status;
}

static rh_status shoot_video(const rh_film_shots *to, rh_shots *shots, rh_diag *diag)
{
  rh_text folder = {0};
  rh_film_shots pictures = *to;
  rh_status status = rh_video_folder(to->video, &folder);
  pictures.folder = folder.data;
  if (status == RH_OK) {
    status = shoot_pictures(&pictures, shots, diag);
    if (status == RH_OK) {
      status = rh_video_make(folder.data, to->rate, to->video);
    } else { // some are no film, and would be in the way of the next try
      rh_folder_remove(folder.data);
    }
  }
  rh_text_free(&folder);
  return status;
}

rh_status rh_film_shoot(const rh_film_shots *to, rh_shots *shots, rh_diag *diag)
{
  return to->video != NULL ? shoot_video(to, shots, diag) : shoot_pictures(to, shots, diag);
}

// ---- Options

// "960x600"
rh_status rh_film_read_size(const char *text, rh_shots *shots)
{
  int used = 0;
  if (text != NULL &&
      (sscanf(text, "%dx%d%n", &shots->width, &shots->height, &used) != 2 || // NOLINT(cert-err34-c)
       text[used] != '\0' || shots->width < 16 || shots->width > 8192 || shots->height < 16 ||
       shots->height > 8192)) {
    return rh_refuse(RH_WRONG_USAGE, "view: --pixels is WIDTHxHEIGHT, 16 to 8192 each, got '%s'",
                     text);
  }
  return RH_OK;
}

// "-60,20,1.5"
rh_status rh_film_read_look(const char *text, double look[3])
{
  static const double most[3] = {720, 90, 100};
  const char *at = text;
  for (int i = 0; text != NULL && i < 3; i++) {
    size_t read = rh_number_read(at, &look[i]);
    at += read;
    if (read == 0 || *at != (i < 2 ? ',' : '\0') || !(look[i] >= -most[i] && look[i] <= most[i]) ||
        (i == 2 && look[i] < 0.01)) {
      return rh_refuse(RH_WRONG_USAGE,
                       "view: --look is AZIMUTH,ELEVATION,NEARER (degrees, times), got '%s'", text);
    }
    at++;
  }
  return RH_OK;
}
