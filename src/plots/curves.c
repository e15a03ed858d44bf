// curves.c: the curves of a plot from recordings: channels, computed from the recorded states,
// against time or each other; at most two units, the second on its own axis.
#include "plot.h"

#include <string.h>

static rh_status add_curve(rh_plot_reader *job, const char *label, const char *run, long n)
{
  rh_plot *plot = &job->plot;
  if (plot->ncurve == RH_CURVE_MAX) {
    return rh_refuse(RH_OVER_LIMIT, "plot: the maximum is %d curves in one plot", RH_CURVE_MAX);
  }
  rh_curve *c = &plot->curve[plot->ncurve];
  size_t size = strlen(label) + strlen(run) + 4;
  size_t bytes = (size_t)(n > 0 ? n : 1) * sizeof(double);
  c->label = rh_alloc(size);
  c->x = rh_alloc(bytes);
  c->y = rh_alloc(bytes);
  plot->ncurve++;
  if (c->label == NULL || c->x == NULL || c->y == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  snprintf(c->label, size, job->nrun > 1 ? "%s (%s)" : "%s", label, run);
  c->n = n;
  return RH_OK;
}

// The axis of this unit; the first two units have one each.
static rh_status find_axis(rh_plot_reader *job, const char *channel, const char *unit, int *axis)
{
  for (int i = 0; i < 2; i++) {
    if (job->unit[i] == NULL) {
      size_t size = strlen(unit) + 1;
      job->unit[i] = rh_alloc(size);
      if (job->unit[i] == NULL) {
        return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
      }
      memcpy(job->unit[i], unit, size);
      job->plot.unit[i] = job->unit[i];
    }
    if (strcmp(job->unit[i], unit) == 0) {
      *axis = i;
      return RH_OK;
    }
  }
  return rh_refuse(RH_WRONG_USAGE,
                   "plot: %s has a third unit [%s]; a plot has two axes ([%s] and [%s])", channel,
                   unit, job->unit[0], job->unit[1]);
}

static rh_status read_frames(rh_plot_reader *job, rh_recording *recording,
                             const rh_channels *channels, int first)
{
  int n = job->words.n;
  long frames = rh_recording_frames(recording);
  int index[RH_CURVE_MAX + 1];
  double value[RH_CURVE_MAX + 1];
  index[0] = rh_channel_find(channels, job->against);
  for (int k = 0; k < n; k++) {
    index[k + 1] = rh_channel_find(channels, job->words.word[k]);
  }
  rh_status status = RH_OK;
  for (long i = 0; status == RH_OK && i < frames; i++) {
    rh_data *world = NULL;
    status = rh_recording_world(recording, i, &world, NULL, job->diag);
    if (status == RH_OK) {
      rh_channels_read(channels, world, index, n + 1, value);
    }
    for (int k = 0; status == RH_OK && k < n; k++) {
      job->plot.curve[first + k].x[i] = value[0];
      job->plot.curve[first + k].y[i] = value[k + 1];
    }
  }
  return status;
}

static rh_status read_marks(rh_plot_reader *job, rh_recording *recording)
{
  rh_plot *plot = &job->plot;
  long events = rh_recording_events(recording);
  if (strcmp(job->against, "t") != 0 || job->no_events) {
    return RH_OK;
  }
  if (plot->nmark + events > RH_MARK_MAX) {
    rh_say(job->request, "routh: %ld events are too many to mark; only the curves are drawn",
           plot->nmark + events);
    plot->nmark = 0;
    return RH_OK;
  }
  for (long i = 0; i < events; i++) {
    rh_event event;
    RH_TRY(rh_recording_event(recording, i, &event, job->diag));
    plot->mark[plot->nmark++] = (rh_mark){.t = event.t, .kind = event.kind};
  }
  return RH_OK;
}

rh_status rh_plot_read(rh_plot_reader *job, rh_recording *recording, const rh_channels *channels,
                       const char *run)
{
  RH_TRY(rh_channels_known(recording, (const char *const *)job->words.word, job->words.n));
  RH_TRY(rh_channels_known(recording, &job->against, 1));
  int first = job->plot.ncurve;
  for (int k = 0; k < job->words.n; k++) {
    const char *name = job->words.word[k];
    const char *unit = rh_channel_unit(channels, rh_channel_find(channels, name));
    RH_TRY(add_curve(job, name, run, rh_recording_frames(recording)));
    RH_TRY(find_axis(job, name, unit, &job->plot.curve[first + k].axis));
  }
  RH_TRY(read_frames(job, recording, channels, first));
  return read_marks(job, recording);
}

void rh_plot_reader_free(rh_plot_reader *job)
{
  for (int i = 0; i < job->plot.ncurve; i++) {
    rh_free(job->plot.curve[i].label);
    rh_free(job->plot.curve[i].x);
    rh_free(job->plot.curve[i].y);
  }
  rh_free(job->unit[0]);
  rh_free(job->unit[1]);
  rh_words_free(&job->words);
}
