// law_measured.c: parameters of a law from measured points: a table of depth, rate and force (CSV with
// these names, SI) is fitted by least squares over the logarithms of the parameters. Fixed are those
// given with -s, choices, and those that are zero or special by default. Left out: laws with a state
// (a point does not tell it), weights of single points, errors of the depth.
#include "law.h"

#include "base/text.h"
#include "math/least_squares.h"
#include "scene_io/yaml_doc.h"

#include <math.h>
#include <string.h>

enum { DEPTH, RATE, FORCE, COLUMNS, POINTS_MAX = 200000, FEW = 100 };

#define TINY    1e-30 // of a parameter whose range begins at zero
#define DECADES 8     // of the search for a start, up and down

static const char *const column_name[COLUMNS] = {"depth", "rate", "force"};

struct rh_law_measured {
  const char *file;
  const rh_law_job *job;
  int n, left_out;         // points; those not in contact
  double *column[COLUMNS]; // (n)
  double size;             // [N] rms of the forces
  int every;               // points are taken with this stride
  double par[RH_PAR_MAX];
  int nfree, at[RH_FIT_MAX]; // indices of the parameters
  double usual[RH_FIT_MAX];  // logarithms of their usual values
  rh_fit_out fit;            // of their logarithms
};

typedef struct point_file {
  const char *name, *text, *at, *line;
  int row;
  int column[COLUMNS]; // meaning of each column of the file
  rh_diag *diag;
} point_file;

// ---- The file

static rh_status refuse_at(const point_file *t, const char *why)
{
  rh_place place = {
      .file = t->name, .line = t->row, .column = (int)(t->at - t->line) + 1, .length = 1};
  rh_diag_add(t->diag, RH_ERROR, place, "%s", why);
  return RH_INPUT_REFUSED;
}

// To the next line with content; false: there is none.
static bool next_row(point_file *t)
{
  if (t->row > 0) { // the end of the last one
    t->at += strcspn(t->at, "\n");
    t->at += *t->at == '\n';
  }
  while (*t->at != '\0') {
    t->line = t->at;
    t->row++;
    t->at += strspn(t->at, " \t");
    if (*t->at != '\n' && *t->at != '\r' && *t->at != '#' && *t->at != '\0') {
      return true;
    }
    t->at += strcspn(t->at, "\n");
    t->at += *t->at == '\n';
  }
  return false;
}

// After the value of column `c`: a comma before the next, the end of the line after the last.
static bool value_ends(point_file *t, int c)
{
  t->at += strspn(t->at, " \t");
  bool last = c == COLUMNS - 1;
  bool good = last ? *t->at == '\0' || *t->at == '\n' || *t->at == '\r' : *t->at == ',';
  t->at += good && !last;
  t->at += strspn(t->at, " \t");
  return good;
}

static rh_status read_names(point_file *t)
{
  int seen = 0;
  if (!next_row(t)) {
    return refuse_at(t, "is empty; it begins with the names of its columns: depth,rate,force");
  }
  for (int c = 0; c < COLUMNS; c++) {
    size_t length = strcspn(t->at, ", \t\r\n");
    int found = RH_NONE;
    for (int k = 0; k < COLUMNS; k++) {
      bool same = strlen(column_name[k]) == length && memcmp(t->at, column_name[k], length) == 0;
      found = same ? k : found;
    }
    if (found == RH_NONE || (seen & 1 << found) != 0) {
      return refuse_at(t, "the columns are depth, rate and force, each once");
    }
    seen |= 1 << found;
    t->column[c] = found;
    t->at += length;
    if (!value_ends(t, c)) {
      return refuse_at(t, "there are three columns with commas between them: depth,rate,force");
    }
  }
  return RH_OK;
}

static rh_status read_row(point_file *t, double value[COLUMNS])
{
  for (int c = 0; c < COLUMNS; c++) {
    double x = 0;
    size_t length = rh_number_read(t->at, &x);
    if (length == 0 || !isfinite(x) || fabs(x) > 1e18) {
      return refuse_at(t, "must be a finite number up to 1e18");
    }
    value[t->column[c]] = x;
    t->at += length;
    if (!value_ends(t, c)) {
      return refuse_at(t, "a row has three numbers with commas between them");
    }
  }
  return RH_OK;
}

static rh_status read_points(point_file *t, rh_law_measured *m)
{
  double sum = 0;
  RH_TRY(read_names(t));
  while (next_row(t)) {
    double value[COLUMNS];
    RH_TRY(read_row(t, value));
    if (m->n == POINTS_MAX) {
      return refuse_at(t, "more than 200000 points in contact");
    }
    if (!(value[DEPTH] > 0)) {
      m->left_out++;
      continue;
    }
    for (int k = 0; k < COLUMNS; k++) {
      m->column[k][m->n] = value[k];
    }
    sum += value[FORCE] * value[FORCE];
    m->n++;
  }
  m->size = m->n > 0 ? sqrt(sum / m->n) : 0;
  return RH_OK;
}

static rh_status load_points(rh_law_measured *m, rh_diag *diag)
{
  char *text = NULL;
  size_t bytes = 0;
  point_file t = {.diag = diag};
  RH_TRY(rh_file_read(m->file, diag, &text, &bytes, &t.name));
  size_t rows = 1;
  for (size_t i = 0; i < bytes; i++) {
    rows += text[i] == '\n';
  }
  rows = rows < POINTS_MAX ? rows : POINTS_MAX;
  double *block = rh_alloc(COLUMNS * rows * sizeof *block);
  rh_status status = block ? RH_OK : RH_OUT_OF_MEMORY;
  for (int k = 0; block && k < COLUMNS; k++) {
    m->column[k] = block + (size_t)k * rows;
  }
  t.text = t.at = t.line = text;
  status = block ? read_points(&t, m) : status;
  rh_free(text);
  return status;
}

// ---- The fit

static bool find_residuals(void *user, const double *x, double *r)
{
  rh_law_measured *m = user;
  const rh_law_job *job = m->job;
  double par[RH_PAR_MAX];
  memcpy(par, m->par, sizeof par);
  for (int i = 0; i < m->nfree; i++) {
    par[rh_row_offset(&job->law->row, m->at[i])] = rh_exp(x[i]);
  }
  int k = 0;
  for (int i = 0; i < m->n; i += m->every) {
    rh_normal_in in = {m->column[DEPTH][i], m->column[RATE][i], job->radius, par, NULL};
    rh_normal_out out = {0};
    job->law->force(&in, &out);
    r[k] = (out.spring + out.damper - m->column[FORCE][i]) / m->size;
    if (!isfinite(r[k++])) {
      return false;
    }
  }
  return true;
}

static double sum_at(rh_law_measured *m, const double *x, double *r, int n)
{
  double sum = 0;
  if (!find_residuals(m, x, r)) {
    return HUGE_VAL;
  }
  for (int i = 0; i < n; i++) {
    sum += r[i] * r[i];
  }
  return sum;
}

// The best of the decades around the usual values of two parameters at a time (one, where they are the
// same), the others as they are: stiffness and damping cannot be found apart.
static void scan_pair(rh_law_measured *m, const rh_fit_in *in, const int pair[2], double *r)
{
  double *x = m->fit.x;
  int n = (m->n + m->every - 1) / m->every;
  const double first[2] = {m->usual[pair[0]], m->usual[pair[1]]};
  double best[2] = {x[pair[0]], x[pair[1]]};
  double least = sum_at(m, x, r, n);
  int wide = 2 * DECADES + 1;
  for (int k = 0; k < (pair[0] == pair[1] ? wide : wide * wide); k++) {
    const int decade[2] = {k / wide - DECADES, k % wide - DECADES};
    for (int i = pair[0] == pair[1]; i < 2; i++) {
      int p = pair[i];
      x[p] = fmin(fmax(first[i] + decade[i] * rh_log(10), in->lo[p]), in->hi[p]);
    }
    double sum = sum_at(m, x, r, n);
    if (sum < 0.999 * least) { // not for nothing
      least = sum;
      best[0] = x[pair[0]];
      best[1] = x[pair[1]];
    }
  }
  x[pair[0]] = best[0];
  x[pair[1]] = best[1];
}

static void find_start(rh_law_measured *m, const rh_fit_in *in, double *r)
{
  m->every = m->n > FEW ? m->n / FEW : 1;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < m->nfree; i++) {
      for (int k = i + (i + 1 < m->nfree); k < m->nfree; k++) {
        const int pair[2] = {i, k};
        scan_pair(m, in, pair, r);
      }
    }
  }
  m->every = 1;
}

// Does the parameter change the force at any point? Material constants do not where a stiffness is
// given.
static bool has_effect(const rh_law_measured *m, const rh_law_job *job, int index)
{
  const rh_row *row = &job->law->row;
  double par[2][RH_PAR_MAX];
  memcpy(par[0], m->par, sizeof par[0]);
  memcpy(par[1], m->par, sizeof par[1]);
  par[1][rh_row_offset(row, index)] *= 0.5;
  for (int i = 0; i < m->n; i++) {
    double force[2];
    for (int k = 0; k < 2; k++) {
      rh_normal_in in = {m->column[DEPTH][i], m->column[RATE][i], job->radius, par[k], NULL};
      rh_normal_out out = {0};
      job->law->force(&in, &out);
      force[k] = out.spring + out.damper;
    }
    if (force[0] != force[1]) {
      return true;
    }
  }
  return false;
}

static void find_free(rh_law_measured *m, const rh_law_job *job, double *lo, double *hi)
{
  const rh_row *row = &job->law->row;
  for (int i = 0; i < row->nparam && m->nfree < RH_FIT_MAX; i++) {
    const rh_param *p = &row->param[i];
    double value = m->par[rh_row_offset(row, i)];
    bool given = strcmp(job->normal.from[i], "default") != 0;
    if (p->type == RH_NUMBER && !given && value > 0 && isfinite(value) && has_effect(m, job, i)) {
      m->usual[m->nfree] = rh_log(value);
      lo[m->nfree] = rh_log(fmax(p->lo, TINY));
      hi[m->nfree] = rh_log(fmin(p->hi, 1 / TINY));
      m->fit.x[m->nfree] = rh_log(value);
      m->at[m->nfree++] = i;
    }
  }
}

static rh_status fit_points(rh_law_measured *m, rh_law_job *job)
{
  double lo[RH_FIT_MAX];
  double hi[RH_FIT_MAX];
  memcpy(m->par, job->normal.par, sizeof m->par);
  find_free(m, job, lo, hi);
  if (m->nfree == 0) {
    return rh_refuse(RH_INPUT_REFUSED, "law: --fit: every parameter of %s is given",
                     job->law->row.name);
  }
  if (m->n <= 2 * m->nfree || !(m->size > 0)) {
    return rh_refuse(RH_INPUT_REFUSED,
                     "law: --fit %s: %d points in contact with a force of %g N do not give %d "
                     "parameters; at least %d are needed, or give some with -s",
                     m->file, m->n, m->size, m->nfree, 2 * m->nfree + 1);
  }
  double *room = rh_alloc(rh_fit_room(m->n, m->nfree) * sizeof *room);
  if (!room) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  rh_fit_in in = {m->n, m->nfree, find_residuals, m, lo, hi, room};
  find_start(m, &in, room);
  bool good = rh_fit_run(&in, &m->fit);
  rh_free(room);
  if (!good) {
    return rh_refuse(RH_NOT_FINITE, "law: --fit %s: %s has no finite force at these points",
                     m->file, job->law->row.name);
  }
  for (int i = 0; i < m->nfree; i++) {
    job->normal.par[rh_row_offset(&job->law->row, m->at[i])] = rh_exp(m->fit.x[i]);
    job->normal.from[m->at[i]] = "--fit";
  }
  return RH_OK;
}

rh_status rh_law_measure(rh_law_job *job, const char *file, rh_diag *diag)
{
  if (job->law->nstate > 0 || job->law->face != NULL) {
    return rh_refuse(RH_WRONG_USAGE,
                     "law: --fit: the force of %s is no function of depth and rate of a point",
                     job->law->row.name);
  }
  job->measured = rh_alloc(sizeof *job->measured);
  if (job->measured == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  job->measured->file = file;
  job->measured->job = job;
  job->measured->every = 1;
  RH_TRY(load_points(job->measured, diag));
  return fit_points(job->measured, job);
}

void rh_law_measured_free(rh_law_measured *m)
{
  if (m != NULL) {
    rh_free(m->column[0]);
    rh_free(m);
  }
}

// ---- Output

static const char *missing_reason(const rh_law_measured *m, int i)
{
  const rh_param *p = &m->job->law->row.param[m->at[i]];
  double value = rh_exp(m->fit.x[i]);
  if (value <= fmax(p->lo, TINY) * (1 + 1e-9) || value >= p->hi * (1 - 1e-9)) {
    return "the best value is at the end of its range";
  }
  return isinf(m->fit.half[i]) ? "another value, with others of the parameters, fits as well"
                               : "its interval is wider than a factor of e";
}

rh_status rh_law_measured_print(const rh_law_measured *m, bool color)
{
  static const char *const head[] = {"fitted", "value", "from", "to", "(95 %)"};
  const rh_row *row = &m->job->law->row;
  rh_print("fitted to %s: %d point%s in contact, %d left out\n", m->file, m->n, rh_plural(m->n),
           m->left_out);
  printf("  residual %.4g N rms, %.3g %% of the force%s\n", m->fit.rms * m->size, 100 * m->fit.rms,
         m->fit.converged ? "" : "; the search has not converged");
  rh_table *table = rh_table_headed(head, RH_COUNT(head), 0xE);
  for (int i = 0; i < m->nfree; i++) {
    double half = m->fit.half[i];
    rh_table_add(table, "%s", row->param[m->at[i]].name);
    rh_table_add(table, "%.6g", rh_exp(m->fit.x[i]));
    rh_table_add(table, half < 100 ? "%.6g" : "-", rh_exp(m->fit.x[i] - half));
    rh_table_add(table, half < 100 ? "%.6g" : "-", rh_exp(m->fit.x[i] + half));
    rh_table_add(table, "%s", m->fit.determined[i] ? "" : "not determined");
  }
  rh_status status = rh_table_print(table, stdout, 2, color);
  rh_table_destroy(table);
  putchar('\n');
  for (int i = 0; i < m->nfree; i++) {
    if (!m->fit.determined[i]) {
      const char *name = row->param[m->at[i]].name;
      rh_say(m->job->request,
             "warning: %s: these points do not determine %s: %s; give it: -s %s=VALUE", row->name,
             name, missing_reason(m, i), name);
    }
  }
  return status;
}

void rh_law_measured_json(rh_json *json, const rh_law_measured *m)
{
  rh_json_open_object(json, "measured");
  rh_json_string(json, "file", m->file);
  rh_json_integer(json, "points", m->n);
  rh_json_integer(json, "left_out", m->left_out);
  rh_json_number(json, "residual", m->fit.rms * m->size);
  rh_json_number(json, "relative_residual", m->fit.rms);
  rh_json_bool(json, "converged", m->fit.converged);
  rh_json_integer(json, "rank", m->fit.rank);
  rh_json_open_array(json, "fitted");
  for (int i = 0; i < m->nfree; i++) {
    rh_json_open_object(json, NULL);
    rh_json_string(json, "name", m->job->law->row.param[m->at[i]].name);
    rh_json_number(json, "value", rh_exp(m->fit.x[i]));
    rh_json_number(json, "low", rh_exp(m->fit.x[i] - m->fit.half[i]));
    rh_json_number(json, "high", rh_exp(m->fit.x[i] + m->fit.half[i]));
    rh_json_bool(json, "determined", m->fit.determined[i]);
    rh_json_close(json);
  }
  rh_json_close(json);
  rh_json_close(json);
}
