// fclib_solve.c: friction problems in FCLIB's layout, solved by a row of the table of solvers. The
// answer has the row that found it, the two error measures (Routh's natural map in m/s; that of
// such files), whether impulses and velocities are unique, and the distance of the velocities from
// the solution in the file.
#include "fclib.h"

#include "complement/complement.h"
#include "console/console.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct work {
  const rh_fclib *file;
  const rh_solver *solver;
  double par[RH_PAR_MAX];
  double *room, *p, *u;
  rh_verdict verdict;
  rh_blocks_report report;
  rh_blocks_rank rank;
  bool ranked;
} work;

static const rh_solver *find_solver(const char *name, rh_status *status)
{
  const rh_solver *solver = rh_solver_find(name);
  if (solver != NULL && solver->blocks != NULL) {
    return solver;
  }
  const char *names[32];
  int count = 0;
  int known = 0;
  const rh_solver *const *table = rh_solver_table(&count);
  for (int i = 0; i < count && known < RH_COUNT(names); i++) {
    if (table[i]->blocks != NULL) {
      names[known++] = table[i]->row.name;
    }
  }
  *status = rh_refuse_name("solve", solver != NULL ? "solver of many contacts" : "solver", name,
                           names, known);
  return NULL;
}

static rh_status read_tolerance(const char *text, const rh_fclib *file, double *tolerance)
{
  double largest = 0;
  for (int i = 0; i < 3 * file->blocks.n; i++) {
    largest = fmax(largest, fabs(file->b[i]));
  }
  *tolerance = 1e-13 * (largest > 0 ? largest : 1);
  if (text != NULL) {
    char *end = NULL;
    *tolerance = strtod(text, &end);
    if (*end != '\0' || end == text || !(*tolerance > 0 && *tolerance <= 1)) {
      return rh_refuse(RH_WRONG_USAGE, "--tolerance must be above 0, at most 1 m/s, got '%.60s'",
                       text);
    }
  }
  return RH_OK;
}

static void write_rank(rh_json *json, const work *w)
{
  if (!w->ranked) {
    return;
  }
  rh_json_integer(json, "open", w->rank.open);
  rh_json_integer(json, "stick", w->rank.stick);
  rh_json_integer(json, "slip", w->rank.slip);
  rh_json_integer(json, "rows", w->rank.rows);
  rh_json_integer(json, "rank", w->rank.rank);
  rh_json_bool(json, "impulses_unique", w->rank.impulses_unique);
  rh_json_bool(json, "velocities_unique", w->rank.velocities_unique);
}

static char *write_answer(const work *w)
{
  rh_text text = {0};
  rh_json json = rh_json_start(&text, true);
  const rh_blocks *q = &w->file->blocks;
  rh_json_open_object(&json, NULL);
  rh_json_string(&json, "verdict", w->verdict == RH_VERDICT_SOLVED ? "solved" : "failed");
  rh_json_string(&json, "solver", w->report.row);
  rh_json_integer(&json, "contacts", q->n);
  rh_json_integer(&json, "iterations", w->report.iterations);
  rh_json_integer(&json, "factors", w->report.factors);
  rh_json_number(&json, "tolerance", w->par[0]);
  rh_json_number(&json, "residual", w->report.residual);
  rh_json_number(&json, "error", rh_fclib_error(q, w->p));
  if (w->file->p != NULL) {
    double off = 0;
    for (int i = 0; i < 3 * q->n; i++) {
      off = fmax(off, fabs(w->u[i] - w->file->u[i]));
    }
    rh_json_number(&json, "stored_error", rh_fclib_error(q, w->file->p));
    rh_json_number(&json, "stored_u_off", off);
  }
  write_rank(&json, w);
  rh_json_matrix(&json, "p", w->p, q->n, 3);
  rh_json_matrix(&json, "u", w->u, q->n, 3);
  rh_json_end(&json);
  return rh_text_take(&text);
}

static rh_status solve_blocks(work *w, char **json)
{
  const rh_blocks *q = &w->file->blocks;
  int entries = q->start[q->n];
  size_t room = w->solver->blocks_room(q->n, entries);
  size_t rank = rh_blocks_rank_room(q->n, entries);
  w->room = rh_alloc((room > rank ? room : rank) * sizeof(double));
  w->p = rh_alloc(3 * (size_t)(q->n + 1) * sizeof(double));
  w->u = rh_alloc(3 * (size_t)(q->n + 1) * sizeof(double));
  rh_status status = RH_OUT_OF_MEMORY;
  if (w->room != NULL && w->p != NULL && w->u != NULL) {
    w->verdict = w->solver->blocks(q, w->par, w->room, w->p, &w->report);
    w->ranked =
        w->verdict == RH_VERDICT_SOLVED && rh_blocks_unique(q, w->p, w->room, &w->rank, NULL);
    rh_blocks_velocity(q, w->p, w->u);
    *json = write_answer(w);
    status = *json == NULL                     ? RH_OUT_OF_MEMORY
             : w->verdict == RH_VERDICT_SOLVED ? RH_OK
                                               : RH_STOPPED;
  }
  rh_free(w->room);
  rh_free(w->p);
  rh_free(w->u);
  return status;
}

rh_status rh_solve_fclib(const char *path, const char *name, const char *tolerance, rh_diag *diag,
                         char **json)
{
  rh_fclib file;
  work w = {.file = &file};
  rh_status status = RH_OK;
  w.solver = find_solver(name != NULL ? name : "auto", &status);
  if (w.solver == NULL) {
    return status;
  }
  rh_row_defaults(&w.solver->row, w.par);
  RH_TRY(rh_fclib_read(path, diag, &file));
  status = read_tolerance(tolerance, &file, &w.par[0]);
  if (status == RH_OK) {
    status = solve_blocks(&w, json);
  }
  if (status == RH_STOPPED) {
    rh_diag_add(diag, RH_ERROR, (rh_place){.file = path},
                "not solved: residual %.3g m/s, tolerance %.3g", w.report.residual, w.par[0]);
  }
  rh_fclib_free(&file);
  return status;
}
