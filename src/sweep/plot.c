// plot.c: pictures of a sweep: an outcome over one varied value as a curve, over two as a map. Cases
// without the outcome are gaps.
#include "report.h"

#include "plots/plot.h"
#include "recording/journal/journal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POINTS_MAX 1000000 // drawn; of more cases every second, third, ...
#define CURVES_MAX 16
#define FEW        200 // points that are marked on a curve

typedef struct point {
  double x, y;
  double z[CURVES_MAX];
} point;

typedef struct drawing {
  const rh_journal *journal;
  int x, y;            // columns; y RH_NONE: curves
  int out[CURVES_MAX]; // (nout)
  int nout;
  bool map; // the points are those of a grid with equal steps
  point *point;
  long n, room;
  int64_t cases, step;
} drawing;

static int find_column(const rh_journal *journal, const char *name)
{
  for (int i = 0; i < rh_journal_columns(journal); i++) {
    rh_journal_column column = rh_journal_column_at(journal, i);
    if (!column.text && strcmp(column.name, name) == 0) {
      return i;
    }
  }
  return RH_NONE;
}

static rh_status refuse_column(const rh_journal *journal, const char *word)
{
  const char *names[RH_AXES_MAX + RH_OUTCOMES_MAX];
  int n = 0;
  for (int i = 0; i < rh_journal_columns(journal) && n < RH_COUNT(names); i++) {
    rh_journal_column column = rh_journal_column_at(journal, i);
    if (!column.text) {
      names[n++] = column.name;
    }
  }
  return rh_refuse_name("sweep", "column of numbers", word, names, n);
}

static int count_axes(const rh_journal *journal)
{
  const char *vary = rh_journal_meta(journal, "vary");
  int n = vary != NULL && *vary != '\0';
  for (const char *c = vary; c != NULL && *c != '\0'; c++) {
    n += *c == '\n';
  }
  return n;
}

// Without words: the first outcome over the first one or two values that are numbers.
static rh_status choose_columns(drawing *d, const rh_words *over, const rh_words *of)
{
  int axes = count_axes(d->journal);
  int *place[2] = {&d->x, &d->y};
  int found = 0;
  d->x = d->y = RH_NONE;
  for (int i = 0; over->n == 0 && i < axes && found < 2; i++) {
    if (!rh_journal_column_at(d->journal, i).text) {
      *place[found++] = i;
    }
  }
  for (int i = 0; i < over->n && i < 2; i++) {
    *place[i] = find_column(d->journal, over->word[i]);
    if (*place[i] == RH_NONE) {
      return refuse_column(d->journal, over->word[i]);
    }
  }
  if (d->x == RH_NONE || over->n > 2) {
    return rh_refuse(RH_WRONG_USAGE, "sweep: --over needs one or two columns of numbers");
  }
  if (of->n == 0) {
    d->out[d->nout++] = axes;
  }
  for (int i = 0; i < of->n; i++) {
    int column = find_column(d->journal, of->word[i]);
    if (column == RH_NONE) {
      return refuse_column(d->journal, of->word[i]);
    }
    if (d->nout == CURVES_MAX || (d->y != RH_NONE && d->nout == 1)) {
      return rh_refuse(RH_WRONG_USAGE, "sweep: --of: %s",
                       d->y != RH_NONE ? "a map shows one outcome" : "too many curves");
    }
    d->out[d->nout++] = column;
  }
  return RH_OK;
}

static rh_status take_point(void *user, const rh_journal_row *row)
{
  drawing *d = user;
  if (d->cases++ % d->step != 0) {
    return RH_OK;
  }
  if (d->n == d->room) {
    long room = d->room == 0 ? 1024 : 2 * d->room;
    point *larger = rh_realloc(d->point, (size_t)room * sizeof *larger);
    if (larger == NULL) {
      return RH_OUT_OF_MEMORY;
    }
    d->point = larger;
    d->room = room;
  }
  point *p = &d->point[d->n++];
  *p = (point){row->number[d->x], d->y != RH_NONE ? row->number[d->y] : 0, {0}};
  for (int i = 0; i < d->nout; i++) {
    p->z[i] = row->number[d->out[i]];
  }
  return RH_OK;
}

static int compare_numbers(double a, double b)
{
  return (a > b) - (a < b);
}

static int compare_points(const void *a, const void *b)
{
  const point *p = a;
  const point *q = b;
  int order = compare_numbers(p->y, q->y);
  return order != 0 ? order : compare_numbers(p->x, q->x);
}

// Equal steps: the cells of a picture. Its last digits are those of lo + (hi - lo) i / (n - 1).
static bool is_even(const drawing *d, long first, long stride, long n, bool vertical)
{
  const point *p = d->point;
  double from = vertical ? p[first].y : p[first].x;
  const point *last = &p[first + stride * (n - 1)];
  double step = ((vertical ? last->y : last->x) - from) / (double)(n - 1);
  bool even = n > 1;
  for (long i = 0; even && i < n; i++) {
    const point *q = &p[first + stride * i];
    even = fabs((vertical ? q->y : q->x) - from - step * (double)i) < 1e-9 * fabs(step);
  }
  return even;
}

// Rows of equally many points at the same places: a grid of one point each.
static bool is_grid(const drawing *d)
{
  long width = 1;
  while (width < d->n && d->point[width].y == d->point[0].y) {
    width++;
  }
  bool grid = d->n > width && width > 1 && d->n % width == 0;
  for (long i = 0; grid && i < d->n; i++) {
    grid = d->point[i].x == d->point[i % width].x && d->point[i].y == d->point[i - i % width].y &&
           (i % width == 0 || d->point[i].x > d->point[i - 1].x);
  }
  return grid && is_even(d, 0, 1, width, false) && is_even(d, 0, width, d->n / width, true);
}

// The unit of a varied value stands in what was asked.
static void name_axis(FILE *to, const drawing *d, const char *label, int column)
{
  const char *line = rh_journal_meta(d->journal, "vary");
  char spec[RH_WHY_MAX * 4];
  rh_axis axis = {0};
  for (int i = 0; line != NULL && i < column && *line != '\0'; i++) {
    line += strcspn(line, "\n");
    line += *line == '\n';
  }
  size_t length = line != NULL ? strcspn(line, "\n") : 0;
  if (length > 0 && length < sizeof spec) {
    snprintf(spec, sizeof spec, "%.*s", (int)length, line);
    (void)rh_axis_read(spec, &axis);
  }
  rh_gnuplot_axis(to, label, rh_journal_column_at(d->journal, column).name, axis.unit);
  rh_axis_free(&axis);
}

// ---- gnuplot

static void put_map(FILE *to, const drawing *d)
{
  fputs("set palette defined (0 '#0d0887', 0.25 '#7e03a8', 0.5 '#cc4778', 0.75 '#f89540', 1 "
        "'#f0f921')\n",
        to);
  name_axis(to, d, "ylabel", d->y);
  rh_gnuplot_axis(to, "cblabel", rh_journal_column_at(d->journal, d->out[0]).name, "");
  fputs("unset key\nset offsets 0, 0, 0, 0\n$map << end_of_map\n", to);
  for (long i = 0; i < d->n; i++) {
    const point *p = &d->point[i];
    if (isfinite(p->z[0])) {
      fprintf(to, "%.17g %.17g %.17g\n", p->x, p->y, p->z[0]);
    } else if (d->map) {
      fprintf(to, "%.17g %.17g NaN\n", p->x, p->y);
    }
  }
  fputs("end_of_map\n", to);
  fputs(d->map ? "set datafile missing 'NaN'\nset autoscale fix\nplot $map using 1:2:3 with image "
                 "pixels\n"
               : "plot $map using 1:2:3 with points pt 7 ps 0.4 lc palette\n",
        to);
}

static void put_curves(FILE *to, const drawing *d)
{
  const char *label = d->nout == 1 ? rh_journal_column_at(d->journal, d->out[0]).name : "";
  rh_gnuplot_axis(to, "ylabel", label, "");
  bool line = true; // one value of the curve for each of the axis
  for (long i = 1; i < d->n; i++) {
    line = line && d->point[i].x > d->point[i - 1].x;
  }
  for (int k = 0; k < d->nout; k++) {
    fprintf(to, "$curve%d << end_of_curve\n", k);
    for (long i = 0; i < d->n; i++) {
      const point *p = &d->point[i];
      if (isfinite(p->x) && isfinite(p->z[k])) {
        fprintf(to, "%.17g %.17g\n", p->x, p->z[k]);
      } else if (line) {
        fputc('\n', to);
      }
    }
    fputs("end_of_curve\n", to);
  }
  fputs("plot ", to);
  for (int k = 0; k < d->nout; k++) {
    fprintf(to, "%s$curve%d using 1:2 with %s title ", k > 0 ? ", " : "", k,
            !line         ? "points pt 7 ps 0.4"
            : d->n <= FEW ? "linespoints pt 7 ps 0.4"
                          : "lines");
    rh_gnuplot_quote(to, rh_journal_column_at(d->journal, d->out[k]).name);
  }
  fputc('\n', to);
}

static void put_picture(FILE *to, const void *user)
{
  const drawing *d = user;
  name_axis(to, d, "xlabel", d->x);
  if (d->y != RH_NONE) {
    put_map(to, d);
  } else {
    put_curves(to, d);
  }
}

// ---- The whole

static rh_status draw_journal(drawing *d, rh_journal *journal, const char *output, rh_diag *diag)
{
  const char *cases = rh_journal_meta(journal, "cases");
  int64_t count = cases != NULL ? strtoll(cases, NULL, 10) : 0;
  d->step = 1 + count / POINTS_MAX;
  RH_TRY(rh_journal_read(journal, take_point, d, diag));
  if (d->n == 0) {
    return rh_refuse(RH_INPUT_REFUSED, "sweep: there is no case to draw");
  }
  qsort(d->point, (size_t)d->n, sizeof *d->point, compare_points);
  d->map = d->y != RH_NONE && is_grid(d);
  rh_picture picture = {720, 480, put_picture, d};
  return rh_picture_draw(&picture, output);
}

rh_status rh_sweep_draw(const char *path, const rh_sweep_picture *asked, rh_diag *diag)
{
  rh_words over = {0};
  rh_words of = {0};
  rh_journal *journal = NULL;
  drawing *d = rh_alloc(sizeof *d);
  if (d == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  rh_status status = rh_words_split(&over, asked->over);
  status = status == RH_OK ? rh_words_split(&of, asked->of) : status;
  status = status == RH_OK ? rh_journal_open(path, false, diag, &journal) : status;
  if (status == RH_OK) {
    d->journal = journal;
    status = choose_columns(d, &over, &of);
  }
  if (status == RH_OK) {
    status = draw_journal(d, journal, asked->output, diag);
  }
  rh_journal_close(journal);
  rh_words_free(&over);
  rh_words_free(&of);
  rh_free(d->point);
  rh_free(d);
  return status;
}
