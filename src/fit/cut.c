// cut.c: trials cut into windows, each of which begins as measured (multiple shooting): of one length, or from flight to flight.
#include "fit_belief.h"

#include <math.h>
#include <string.h>

enum { FLYING_LEAST = 4 }; // rows of a flight in which a window may begin

// A window of rows a to b of a trial
static rh_status add_window(rh_fit_data *cut, const rh_fit_trial *trial, int a, int b)
{
  RH_TRY(rh_fit_add_trial(cut, trial->name, strlen(trial->name)));
  rh_fit_trial *window = &cut->trial[cut->ntrial - 1];
  window->first = a;
  window->n = b - a + 1;
  window->from = trial->from;
  return RH_OK;
}

static rh_status cut_by_length(rh_fit_data *cut, const rh_fit_data *data, const rh_fit_trial *trial,
                               double length)
{
  int end = trial->first + trial->n;
  for (int a = trial->first; a < end - 1;) {
    int b = a + 1;
    while (b + 1 < end && data->t[b] - data->t[a] < length * (1 - 1e-9)) {
      b++;
    }
    if (b == end - 1 && data->t[b] - data->t[a] < 0.5 * length &&
        a > trial->first) { // a rest belongs to the window before it
      cut->trial[cut->ntrial - 1].n += b - a;
    } else {
      RH_TRY(add_window(cut, trial, a, b));
    }
    a = b;
  }
  return RH_OK;
}

// A window begins in the first row of the trial and of each flight that is long enough, and ends with the next such flight.
static rh_status cut_by_flights(rh_fit_data *cut, const rh_fit_trial *trial,
                                const rh_fit_gaps *gaps)
{
  int end = trial->first + trial->n;
  int begun = trial->first;
  int smooth = 0;
  for (int row = trial->first; row < end;) {
    int first = row;
    row = rh_fit_end_of_flight(gaps, first, end);
    int n = row - first;
    if (first == trial->first) {
      smooth = n > FLYING_LEAST ? n : 0;
    } else if (n >= FLYING_LEAST) {
      RH_TRY(add_window(cut, trial, begun, row - 1));
      cut->trial[cut->ntrial - 1].smooth = smooth;
      begun = first;
      smooth = n;
    }
    row += n == 0; // a row in contact
  }
  if (end - begun > FLYING_LEAST) {
    RH_TRY(add_window(cut, trial, begun, end - 1));
    cut->trial[cut->ntrial - 1].smooth = smooth;
  }
  return RH_OK;
}

static void take_over(rh_fit_data *data, rh_fit_data *cut, rh_status status)
{
  if (status == RH_OK && cut->ntrial > 0) {
    rh_free(data->trial);
    data->trial = cut->trial;
    data->ntrial = cut->ntrial;
    data->room_trial = cut->room_trial;
  } else {
    rh_free(cut->trial);
  }
}

rh_status rh_fit_cut(rh_fit_data *data, double length)
{
  rh_fit_data cut = {0};
  rh_status status = RH_OK;
  for (int i = 0; i < data->ntrial && status == RH_OK; i++) {
    status = cut_by_length(&cut, data, &data->trial[i], length);
  }
  take_over(data, &cut, status);
  return status;
}

rh_status rh_fit_cut_at_contacts(rh_fit_data *data, rh_fit_problem *problem, double most)
{
  const rh_fit_map *map = rh_fit_map_of(problem);
  rh_fit_data cut = {0};
  rh_fit_world world = {0};
  double *gap = rh_alloc(((size_t)data->nrow + 1) * sizeof *gap);
  const rh_fit_gaps gaps = {gap, data->t, rh_fit_flight_margin(data, map)};
  rh_status status = gap != NULL ? RH_OK : RH_OUT_OF_MEMORY;
  if (status == RH_OK && !rh_fit_make_start(problem, &world)) {
    status = RH_NOT_FINITE;
  }
  if (status == RH_OK) {
    status = rh_fit_find_gaps(data, map, &world, gap);
  }
  for (int i = 0; i < data->ntrial && status == RH_OK; i++) {
    status = cut_by_flights(&cut, &data->trial[i], &gaps);
  }
  for (int i = 0; i < cut.ntrial && most > 0; i++) {
    rh_fit_trial *window = &cut.trial[i];
    while (window->n > 2 &&
           data->t[window->first + window->n - 1] - data->t[window->first] > most) {
      window->n--;
    }
  }
  take_over(data, &cut, status);
  rh_fit_world_free(&world);
  rh_free(gap);
  return status;
}
