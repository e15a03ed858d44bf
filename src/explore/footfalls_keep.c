// footfalls_keep.c: footfalls as a text of numbers, stored in the recording of a walk with each
// frame from which it can resume.
#include "footfalls.h"

#include "console/console.h"

#include <stddef.h>
#include <string.h>

enum {
  HEAD = 5, // and two per foot
  HEAD_MAX = HEAD + 2 * RH_FEET_MAX,
  NUMBERS = (int)(sizeof(rh_footfall) / sizeof(double)) + 4
};

// All values of a footfall, one number each; the order is the file's.
static int numbers_of(const rh_footfall *f, double x[NUMBERS])
{
  const double all[] = {f->t,      f->foot,     f->points,  f->impulse, f->friction,
                        f->lost,   f->approach, f->apart,   f->slip,    f->cop[0],
                        f->cop[1], f->mean[0],  f->mean[1], f->carried, f->v[0],
                        f->v[1],   f->v[2],     f->w[0],    f->w[1],    f->w[2],
                        f->at[0],  f->at[1],    f->first,   f->struck,  f->landing};
  memcpy(x, all, sizeof all);
  return RH_COUNT(all);
}

static void footfall_from(const double *x, rh_footfall *f)
{
  *f = (rh_footfall){.t = x[0],
                     .foot = (int)x[1],
                     .points = (int)x[2],
                     .impulse = x[3],
                     .friction = x[4],
                     .lost = x[5],
                     .approach = x[6],
                     .apart = x[7],
                     .slip = x[8],
                     .cop = {x[9], x[10]},
                     .mean = {x[11], x[12]},
                     .carried = x[13],
                     .v = {x[14], x[15], x[16]},
                     .w = {x[17], x[18], x[19]},
                     .at = {x[20], x[21]},
                     .first = x[22],
                     .struck = x[23] > 0,
                     .landing = x[24] > 0};
}

static void add_numbers(rh_text *text, const double *x, int n)
{
  for (int i = 0; i < n; i++) {
    rh_text_add_number(text, x[i]);
    rh_text_add(text, " ");
  }
}

char *rh_footfalls_write(const rh_footfalls *f, long frame)
{
  rh_text text = {0};
  const int n = f->nfoot;
  double head[HEAD_MAX] = {(double)frame, f->fell};
  for (int i = 0; i < n; i++) {
    head[2 + i] = f->stood[i];
    head[2 + n + i] = f->off[i];
  }
  head[2 + 2 * n] = f->dissipated;
  head[3 + 2 * n] = f->last;
  head[4 + 2 * n] = (double)f->count;
  add_numbers(&text, head, HEAD + 2 * n);
  for (long i = 0; i < f->count; i++) {
    double x[NUMBERS];
    add_numbers(&text, x, numbers_of(&f->fall[i], x));
  }
  return rh_text_take(&text);
}

static bool take_numbers(const char **text, double *x, int n)
{
  for (int i = 0; i < n; i++) {
    size_t length = rh_number_read(*text, &x[i]);
    if (length == 0 || (*text)[length] != ' ') {
      return false;
    }
    *text += length + 1;
  }
  return true;
}

rh_status rh_footfalls_read(rh_footfalls *f, const char *text, long frame)
{
  const int n = f->nfoot;
  double head[HEAD_MAX];
  double x[NUMBERS];
  rh_footfall some;
  int each = numbers_of(&(rh_footfall){0}, x);
  size_t most = strlen(text) / 2 / (size_t)each; // a number and a blank take two characters
  if (!take_numbers(&text, head, HEAD + 2 * n) || head[0] != (double)frame ||
      !(head[4 + 2 * n] >= 0) || head[4 + 2 * n] > (double)most) {
    return RH_OK; // not of this frame: counting starts here
  }
  long count = (long)head[4 + 2 * n];
  rh_footfall *fall = count > 0 ? rh_realloc(NULL, (size_t)count * sizeof *fall) : NULL;
  if (count > 0 && fall == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  for (long i = 0; i < count; i++) {
    if (!take_numbers(&text, x, each) || !(x[2] >= 0 && x[2] < 1e6) || !(x[1] >= 0 && x[1] < n)) {
      rh_free(fall);
      return RH_OK;
    }
    footfall_from(x, &some);
    fall[i] = some;
  }
  f->fell = head[1];
  for (int i = 0; i < n; i++) {
    f->stood[i] = head[2 + i] > 0;
    f->off[i] = head[2 + n + i];
  }
  f->dissipated = head[2 + 2 * n];
  f->last = head[3 + 2 * n];
  f->count = f->room = count;
  f->fall = fall;
  return RH_OK;
}
