// phases.c: what the flights of a body say by themselves. Between contacts its centre of mass moves on a parabola, so the
// place p of its origin, which is measured with its attitude R, is
//   p(t) = a + b t + g t^2 / 2 - R(t) d      (a, b of each flight; g, d of all)
// with gravity g and the offset d of the centre of mass from the origin, body axes: linear least squares, in closed form, which
// need no law of contact and are not chaotic. A row belongs to a flight where the shapes of the scene are further apart at the
// measured pose than a margin (gaps.c). Their errors: flights are independent, rows of one are not (the sandwich over flights).
#include "fit_belief.h"

#include "fit_trial.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

#define ODD 3.0 // times the usual residual: a flight that is none

enum { FLIGHT_LEAST = 8, FLIGHT_MOST = 400, NUMBERS = 6 }; // rows; gravity and offset

typedef struct flight_job {
  const rh_fit_data *data;
  const rh_fit_map *map;
  const int *turn; // columns of the attitude
  int place[3];    // of the place
  rh_fit_gaps gaps;
  double A[NUMBERS * NUMBERS], b[NUMBERS]; // normal equations
  double B[NUMBERS * NUMBERS];             // of the sandwich
  double x[NUMBERS];
  double odd;  // flights with a larger residual are left out
  double *rms; // of each flight (nflight)
  int nflight, room, rows;
  double sum;
} flight_job;

static const double *row_of(const flight_job *f, int row)
{
  return f->data->value + (size_t)row * (size_t)f->data->nchannel;
}

// Takes the best straight line over t out of a column.
static void take_line_out(int n, const double *t, double *y)
{
  double mean[2] = {0, 0};
  double tt = 0;
  double ty = 0;
  for (int k = 0; k < n; k++) {
    mean[0] += t[k] / n;
    mean[1] += y[k] / n;
  }
  for (int k = 0; k < n; k++) {
    tt += (t[k] - mean[0]) * (t[k] - mean[0]);
    ty += (t[k] - mean[0]) * (y[k] - mean[1]);
  }
  double slope = tt > 0 ? ty / tt : 0;
  for (int k = 0; k < n; k++) {
    y[k] -= mean[1] + slope * (t[k] - mean[0]);
  }
}

// Columns of a flight along `axis`: g, d_x, d_y, d_z and p, without lines.
static void fill_columns(const flight_job *f, int first, int n, int axis,
                         double column[5][FLIGHT_MOST])
{
  double t[FLIGHT_MOST];
  for (int k = 0; k < n; k++) {
    const double *value = row_of(f, first + k);
    rh_quat q = {value[f->turn[0]], value[f->turn[1]], value[f->turn[2]], value[f->turn[3]]};
    rh_mat3 R = rh_quat_matrix(rh_quat_unit(q));
    t[k] = f->data->t[first + k] - f->data->t[first];
    column[0][k] = 0.5 * t[k] * t[k];
    for (int j = 0; j < 3; j++) {
      column[1 + j][k] = -R.m[3 * axis + j];
    }
    column[4][k] = value[f->place[axis]];
  }
  for (int j = 0; j < 5; j++) {
    take_line_out(n, t, column[j]);
  }
}

// Adds a flight to the normal equations, or (`solved`) its residuals to what follows from them.
static void add_flight(flight_job *f, int first, int n, bool solved)
{
  double column[5][FLIGHT_MOST];
  double score[NUMBERS] = {0};
  double square = 0;
  for (int axis = 0; axis < 3; axis++) {
    const int at[4] = {axis, 3, 4, 5};
    fill_columns(f, first, n, axis, column);
    for (int k = 0; k < n; k++) {
      double r = column[4][k];
      for (int i = 0; i < 4; i++) {
        r -= solved ? column[i][k] * f->x[at[i]] : 0;
      }
      square += r * r;
      for (int i = 0; i < 4; i++) {
        score[at[i]] += column[i][k] * r;
        for (int j = 0; j < 4 && !solved; j++) {
          f->A[at[i] * NUMBERS + at[j]] += column[i][k] * column[j][k];
        }
      }
    }
  }
  for (int i = 0; i < NUMBERS; i++) {
    f->b[i] += solved ? 0 : score[i];
    for (int j = 0; j < NUMBERS && solved; j++) {
      f->B[i * NUMBERS + j] += score[i] * score[j];
    }
  }
  f->sum += solved ? square : 0;
  f->rows += solved ? n : 0;
  if (solved) {
    f->rms[f->nflight] = sqrt(square / (3 * n));
  }
}

// All flights; `known`: the residual of each from the pass before, by which odd ones are left out.
static bool walk_flights(flight_job *f, bool solved, bool known)
{
  int count = 0;
  f->nflight = 0;
  for (int i = 0; i < f->data->ntrial; i++) {
    const rh_fit_trial *trial = &f->data->trial[i];
    int end = trial->first + trial->n;
    for (int row = trial->first; row < end;) {
      int first = row;
      int most = end - first < FLIGHT_MOST ? end : first + FLIGHT_MOST;
      row = rh_fit_end_of_flight(&f->gaps, first, most);
      int n = row - first;
      row += n == 0;
      bool before = first == trial->first && i > 0 && f->data->trial[i - 1].from == trial->from;
      if (n < FLIGHT_LEAST || before) { // the window before this one has the flight too
        continue;
      }
      if (count == f->room) {
        int room = f->room == 0 ? 64 : 2 * f->room;
        double *larger = rh_realloc(f->rms, (size_t)room * sizeof *larger);
        if (larger == NULL) {
          return false;
        }
        f->rms = larger;
        f->room = room;
      }
      f->nflight = count;
      if (!known || f->rms[count] <= f->odd) {
        add_flight(f, first, n, solved);
      }
      count++;
    }
  }
  f->nflight = count;
  return true;
}

static bool solve_flights(flight_job *f)
{
  double room[4 * NUMBERS * NUMBERS + 16 * NUMBERS];
  double A[NUMBERS * NUMBERS];
  memcpy(A, f->A, sizeof A);
  if (sizeof room / sizeof *room < rh_lstsq_room(NUMBERS, NUMBERS)) {
    return false;
  }
  return rh_lstsq(NUMBERS, NUMBERS, A, f->b, 1e-9, room, f->x, NULL) == NUMBERS;
}

static void start_pass(flight_job *f)
{
  memset(f->A, 0, sizeof f->A);
  memset(f->b, 0, sizeof f->b);
  memset(f->B, 0, sizeof f->B);
  f->sum = 0;
  f->rows = 0;
}

static double median_of(const double *x, int n)
{
  double low = 0;
  double high = 0;
  for (int i = 0; i < n; i++) {
    high = fmax(high, x[i]);
  }
  for (int turn = 0; turn < 60; turn++) { // by halves: no order is needed
    double middle = 0.5 * (low + high);
    int below = 0;
    for (int i = 0; i < n; i++) {
      below += x[i] <= middle;
    }
    *(2 * below >= n ? &high : &low) = middle;
  }
  return high;
}

// Deviations by the sandwich A^-1 B A^-1.
static void find_deviations(const flight_job *f, double *deviation)
{
  double L[NUMBERS * NUMBERS];
  memcpy(L, f->A, sizeof L);
  bool good = rh_cholesky(NUMBERS, L);
  for (int i = 0; i < NUMBERS; i++) {
    double row[NUMBERS] = {0};
    double sum = 0;
    row[i] = 1;
    if (good) {
      rh_cholesky_solve(NUMBERS, L, row);
    }
    for (int j = 0; j < NUMBERS; j++) {
      for (int k = 0; k < NUMBERS; k++) {
        sum += row[j] * f->B[j * NUMBERS + k] * row[k];
      }
    }
    deviation[i] = good ? sqrt(fmax(sum, 0)) : HUGE_VAL;
  }
}

static bool find_flights(flight_job *f, rh_fit_flights *flights)
{
  for (int pass = 0; pass < 2; pass++) {
    start_pass(f);
    if (!walk_flights(f, false, pass > 0) || !solve_flights(f) ||
        !walk_flights(f, true, pass > 0)) {
      return false;
    }
    f->odd = ODD * median_of(f->rms, f->nflight);
  }
  double deviation[NUMBERS];
  find_deviations(f, deviation);
  int used = 0;
  for (int i = 0; i < f->nflight; i++) {
    used += f->rms[i] <= f->odd;
  }
  flights->flights = used;
  flights->left_out = f->nflight - used;
  flights->rows = f->rows;
  flights->rms = sqrt(f->sum / (3 * fmax(f->rows, 1)));
  for (int i = 0; i < 3; i++) {
    flights->gravity[i] = f->x[i];
    flights->com[i] = f->x[3 + i];
    flights->gravity_deviation[i] = deviation[i];
    flights->com_deviation[i] = deviation[3 + i];
  }
  return true;
}

rh_status rh_fit_find_flights(const rh_fit_work *k, const rh_fit_world *world)
{
  const rh_fit_map *map = rh_fit_map_of(k->problem);
  double *gap = map->nturn > 0 ? rh_alloc((size_t)(k->data->nrow + 1) * sizeof *gap) : NULL;
  if (map->nturn == 0) {
    return RH_OK;
  }
  rh_status status = gap != NULL ? rh_fit_find_gaps(k->data, map, world, gap) : RH_OUT_OF_MEMORY;
  if (status != RH_OK) {
    rh_free(gap);
    return status;
  }
  for (int i = 0; i < map->nturn && i < RH_FIT_JOINTS; i++) {
    rh_fit_flights *flights = &k->answer->flights[i];
    flight_job f = {.data = k->data,
                    .map = map,
                    .turn = map->turn[i],
                    .gaps = {gap, k->data->t, rh_fit_flight_margin(k->data, map)},
                    .odd = HUGE_VAL};
    if (rh_fit_place_of(k->problem, i, f.place) && !find_flights(&f, flights)) {
      *flights = (rh_fit_flights){0}; // too few, or none turns
    }
    rh_free(f.rms);
  }
  rh_free(gap);
  return RH_OK;
}
