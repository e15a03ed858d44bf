// cmd_plot.c: `routh plot`: channels of one or more recordings against time or each other. Channels
// are computed from the recorded states; at most two units, the second on its own axis.
#include "plot.h"

#include "base/json.h"

#include <string.h>
#include <unistd.h>

typedef struct plot_job {
  const rh_args *args;
  rh_diag *diag;
  rh_plot plot;
  const char **run; // recordings
  int nrun;
  rh_words words; // channels
  const char *against;
  char *unit[2];
  char x_unit[RH_NAME_MAX];
} plot_job;

// ---- Reading

static rh_status add_curve(plot_job *job, const char *label, const char *run, long n)
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
static rh_status find_axis(plot_job *job, const char *channel, const char *unit, int *axis)
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

static rh_status read_frames(plot_job *job, rh_recording *recording, const rh_channels *channels,
                             int first)
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

static rh_status read_marks(plot_job *job, rh_recording *recording)
{
  rh_plot *plot = &job->plot;
  long events = rh_recording_events(recording);
  if (strcmp(job->against, "t") != 0 || rh_args_flag(job->args, "no-events")) {
    return RH_OK;
  }
  if (plot->nmark + events > RH_MARK_MAX) {
    rh_say(job->args, "routh: %ld events are too many to mark; only the curves are drawn",
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

static rh_status read_curves(plot_job *job, rh_recording *recording, const rh_channels *channels,
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

static const char *group_word(const rh_channels *channels, int index)
{
  static const char *const word[] = {
#define ENTRY(id, name, by_default, text) name,
      RH_CHANNEL_GROUP_LIST(ENTRY)
#undef ENTRY
          ""};
  return word[rh_channel_group(channels, index)];
}

static rh_status list_channels(const rh_args *args, const rh_channels *channels)
{
  int count = rh_channels_count(channels);
  if (args->quiet) { // for shell completion
    for (int i = 0; i < count; i++) {
      rh_print("%s\n", rh_channel_name(channels, i));
    }
    return RH_OK;
  }
  if (args->json) {
    rh_text text = {0};
    rh_json json = rh_json_start(&text, true);
    rh_json_open_object(&json, NULL);
    rh_json_string(&json, "routh", RH_VERSION);
    rh_json_open_array(&json, "channels");
    for (int i = 0; i < count; i++) {
      rh_json_open_object(&json, NULL);
      rh_json_string(&json, "name", rh_channel_name(channels, i));
      rh_json_string(&json, "unit", rh_channel_unit(channels, i));
      rh_json_string(&json, "group", group_word(channels, i));
      rh_json_close(&json);
    }
    rh_json_end(&json);
    return rh_text_print(&text, NULL);
  }
  rh_table *table = rh_table_create(3, 0);
  rh_table_add(table, "channel");
  rh_table_add(table, "unit");
  rh_table_add(table, "group");
  for (int i = 0; i < count; i++) {
    rh_table_add(table, "%s", rh_channel_name(channels, i));
    rh_table_add(table, "%s", rh_channel_unit(channels, i));
    rh_table_add(table, "%s", group_word(channels, i));
  }
  rh_status status = rh_table_print(table, stdout, 0, rh_color_allowed(args, stdout));
  rh_table_destroy(table);
  return status;
}

static rh_status read_run(plot_job *job, const char *run)
{
  rh_recording *recording = NULL;
  RH_TRY(rh_recording_open(run, job->diag, &recording));
  rh_channels *channels = rh_channels_create(rh_recording_model(recording));
  rh_status status = RH_OK;
  if (channels == NULL) {
    status = rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  } else if (rh_args_flag(job->args, "list")) {
    status = list_channels(job->args, channels);
  } else {
    status = read_curves(job, recording, channels, run);
    int x = rh_channel_find(channels, job->against);
    const char *unit = x != RH_NONE ? rh_channel_unit(channels, x) : "";
    snprintf(job->x_unit, sizeof job->x_unit, "%s", unit);
  }
  rh_channels_destroy(channels);
  rh_recording_close(recording);
  return status;
}

// ---- Drawing

static rh_status report_plot(const plot_job *job, const char *output)
{
  if (!job->args->json) {
    rh_say(job->args, "wrote %s", output);
    return RH_OK;
  }
  rh_text text = {0};
  rh_json json = rh_json_start(&text, true);
  rh_json_open_object(&json, NULL);
  rh_json_string(&json, "routh", RH_VERSION);
  rh_json_string(&json, "output", output);
  rh_json_integer(&json, "curves", job->plot.ncurve);
  rh_json_integer(&json, "points", job->plot.ncurve > 0 ? job->plot.curve[0].n : 0);
  rh_json_integer(&json, "events", job->plot.nmark);
  rh_json_end(&json);
  return rh_text_print(&text, NULL);
}

static rh_status draw_plot(const plot_job *job, const char *output)
{
  RH_TRY(rh_picture_check("plot", output));
  RH_TRY(rh_plot_draw(&job->plot, output));
  return strcmp(output, "-") == 0 ? RH_OK : report_plot(job, output);
}

// Operands: recordings end in .rhr or are files of that form; the rest are channels.
static rh_status sort_operands(plot_job *job)
{
  for (int i = 0; i < job->args->nfile; i++) {
    const char *word = job->args->file[i];
    bool is_run = rh_file_is_recording(word);
    if (is_run) {
      job->run[job->nrun++] = word;
    }
    RH_TRY(rh_words_split(&job->words, is_run ? NULL : word));
  }
  for (int i = 0; job->nrun == 0 && i < job->args->nfile; i++) {
    if (access(job->args->file[i], F_OK) == 0) {
      return rh_refuse(RH_WRONG_USAGE,
                       "plot: '%s' is no recording; if it is a scene, run it first: routh run %s",
                       job->args->file[i], job->args->file[i]);
    }
  }
  if (job->nrun == 0) {
    return rh_refuse(RH_WRONG_USAGE, "plot: no recording is given; usage: routh plot %s",
                     job->args->verb->usage);
  }
  if (job->words.n == 0 && !rh_args_flag(job->args, "list")) {
    return rh_refuse(RH_WRONG_USAGE, "plot: no channel is given; 'routh plot --list %s' lists them",
                     job->run[0]);
  }
  if (job->words.n > RH_CURVE_MAX) {
    return rh_refuse(RH_OVER_LIMIT, "plot: the maximum is %d curves in one plot", RH_CURVE_MAX);
  }
  return RH_OK;
}

static rh_status plot_all(plot_job *job)
{
  RH_TRY(sort_operands(job));
  const char *against = rh_args_text(job->args, "against");
  job->against = against != NULL ? against : "t";
  job->plot.title = rh_args_text(job->args, "title");
  job->plot.x_name = job->against;
  job->plot.x_unit = job->x_unit;
  for (int i = 0; i < job->nrun; i++) {
    RH_TRY(read_run(job, job->run[i]));
  }
  if (rh_args_flag(job->args, "list")) {
    return RH_OK;
  }
  if (job->plot.curve[0].n == 0) {
    return rh_refuse(RH_INPUT_REFUSED, "plot: %s holds no frames", job->run[0]);
  }
  const char *output = rh_args_text(job->args, "output");
  char *made = rh_file_beside(job->run[0], ".svg");
  if (made == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  rh_status status = draw_plot(job, output != NULL ? output : made);
  rh_free(made);
  return status;
}

static rh_status plot_verb(const rh_args *args)
{
  plot_job *job = rh_alloc(sizeof *job);
  const char **run = rh_alloc(((size_t)args->nfile + 1) * sizeof *run);
  rh_diag *diag = rh_diag_create();
  rh_status status = RH_OUT_OF_MEMORY;
  if (job != NULL && run != NULL && diag != NULL) {
    job->args = args;
    job->diag = diag;
    job->run = run;
    status = plot_all(job);
    rh_diag_print(args, diag, "nothing was drawn");
    for (int i = 0; i < job->plot.ncurve; i++) {
      rh_free(job->plot.curve[i].label);
      rh_free(job->plot.curve[i].x);
      rh_free(job->plot.curve[i].y);
    }
    rh_words_free(&job->words);
    rh_free(job->unit[0]);
    rh_free(job->unit[1]);
  } else {
    rh_refuse(status, "out of memory");
  }
  rh_diag_destroy(diag);
  rh_free(run);
  rh_free(job);
  return status;
}

static const rh_option option[] = {
    {.name = "against",
     .value = "CHANNEL",
     .from = "channels",
     .doc = "channel of the horizontal axis; default: the time"},
    {.name = "title", .value = "TEXT", .doc = "a line above the plot"},
    {.name = "list", .doc = "list the channels of the recording; draw nothing"},
    {.name = "no-events", .doc = "do not mark the events"},
    RH_OPTION_OUTPUT("FILE.svg or FILE.png; default: the name of the recording with .svg; - is "
                     "standard output (SVG)"),
};

static const rh_example example[] = {
    {"plot stop.rhr hinge.q,hinge.v -o stop.png", "two channels over time, events marked"},
    {"plot soft.rhr hard.rhr hinge.v --against hinge.q", "phase plane of two runs"},
};

const rh_verb rh_verb_plot = {
    .row = {.name = "plot",
            .cite = "",
            .doc = "Draw channels of recordings, over time or each other."},
    .group = "Simulate",
    .usage = "RUN.rhr ... CHANNEL[,CHANNEL...]",
    .more = "Curves differ in dashes as well as in colour. A plot has at most two units: the "
            "second has an axis of its own. Needs gnuplot.",
    .option = option,
    .noption = RH_COUNT(option),
    .example = example,
    .nexample = RH_COUNT(example),
    .ending = "rhr",
    .from = "channels",
    .least = 1,
    .most = 1000000,
    .run = plot_verb,
};
