// cmd_plot.c: `routh plot`: channels of one or more recordings against time or each other. Channels
// are computed from the recorded states; at most two units, the second on its own axis.
#include "cli.h"
#include "plots/plot.h"

#include <string.h>
#include <unistd.h>

typedef struct plot_job {
  const rh_args *args;
  rh_plot_reader read;
  const char **run; // recordings (read.nrun)
  char x_unit[RH_NAME_MAX];
} plot_job;

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
  if (args->request.quiet) { // for shell completion
    for (int i = 0; i < count; i++) {
      rh_print("%s\n", rh_channel_name(channels, i));
    }
    return RH_OK;
  }
  if (args->request.json) {
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
  rh_status status = rh_table_print(table, stdout, 0, rh_color_allowed(&args->request, stdout));
  rh_table_destroy(table);
  return status;
}

static rh_status read_run(plot_job *job, const char *run)
{
  rh_recording *recording = NULL;
  RH_TRY(rh_recording_open(run, job->read.diag, &recording));
  rh_channels *channels = rh_channels_create(rh_recording_model(recording));
  rh_status status = RH_OK;
  if (channels == NULL) {
    status = rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  } else if (rh_args_flag(job->args, "list")) {
    status = list_channels(job->args, channels);
  } else {
    status = rh_plot_read(&job->read, recording, channels, run);
    int x = rh_channel_find(channels, job->read.against);
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
  if (!job->args->request.json) {
    rh_say(&job->args->request, "wrote %s", output);
    return RH_OK;
  }
  rh_text text = {0};
  rh_json json = rh_json_result(&text);
  rh_json_string(&json, "output", output);
  rh_json_integer(&json, "curves", job->read.plot.ncurve);
  rh_json_integer(&json, "points", job->read.plot.ncurve > 0 ? job->read.plot.curve[0].n : 0);
  rh_json_integer(&json, "events", job->read.plot.nmark);
  rh_json_end(&json);
  return rh_text_print(&text, NULL);
}

static rh_status draw_plot(const plot_job *job, const char *output)
{
  RH_TRY(rh_picture_check("plot", output));
  RH_TRY(rh_plot_draw(&job->read.plot, output));
  return strcmp(output, "-") == 0 ? RH_OK : report_plot(job, output);
}

// Operands: recordings end in .rhr or are files of that form; the rest are channels.
static rh_status sort_operands(plot_job *job)
{
  for (int i = 0; i < job->args->request.nfile; i++) {
    const char *word = job->args->request.file[i];
    bool is_run = rh_file_is_recording(word);
    if (is_run) {
      job->run[job->read.nrun++] = word;
    }
    RH_TRY(rh_words_split(&job->read.words, is_run ? NULL : word));
  }
  for (int i = 0; job->read.nrun == 0 && i < job->args->request.nfile; i++) {
    if (access(job->args->request.file[i], F_OK) == 0) {
      return rh_refuse(RH_WRONG_USAGE,
                       "plot: '%s' is no recording; if it is a scene, run it first: routh run %s",
                       job->args->request.file[i], job->args->request.file[i]);
    }
  }
  if (job->read.nrun == 0) {
    return rh_refuse(RH_WRONG_USAGE, "plot: no recording is given; usage: routh plot %s",
                     job->args->verb->usage);
  }
  if (job->read.words.n == 0 && !rh_args_flag(job->args, "list")) {
    return rh_refuse(RH_WRONG_USAGE, "plot: no channel is given; 'routh plot --list %s' lists them",
                     job->run[0]);
  }
  if (job->read.words.n > RH_CURVE_MAX) {
    return rh_refuse(RH_OVER_LIMIT, "plot: the maximum is %d curves in one plot", RH_CURVE_MAX);
  }
  return RH_OK;
}

static rh_status plot_all(plot_job *job)
{
  RH_TRY(sort_operands(job));
  const char *against = rh_args_text(job->args, "against");
  job->read.against = against != NULL ? against : "t";
  job->read.plot.title = rh_args_text(job->args, "title");
  job->read.plot.x_name = job->read.against;
  job->read.plot.x_unit = job->x_unit;
  for (int i = 0; i < job->read.nrun; i++) {
    RH_TRY(read_run(job, job->run[i]));
  }
  if (rh_args_flag(job->args, "list")) {
    return RH_OK;
  }
  if (job->read.plot.curve[0].n == 0) {
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
  const char **run = rh_alloc(((size_t)args->request.nfile + 1) * sizeof *run);
  rh_diag *diag = rh_diag_create();
  rh_status status = RH_OUT_OF_MEMORY;
  if (job != NULL && run != NULL && diag != NULL) {
    job->args = args;
    job->read.request = &args->request;
    job->read.diag = diag;
    job->read.no_events = rh_args_flag(args, "no-events");
    job->run = run;
    status = plot_all(job);
    rh_diag_print(&args->request, diag, "nothing was drawn");
    rh_plot_reader_free(&job->read);
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
