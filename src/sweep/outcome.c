// outcome.c: what a sweep keeps of a case: reductions of series, counts of events, verdicts, energy.
#include "sweep.h"

#include <math.h>
#include <string.h>

// Without --out.
static const char usual[] = "until,events,verdicts,residue,deepest,peak";

static const struct {
  const char *word;
  rh_outcome_kind kind;
  bool of_kind; // "events:touch"
} table[] = {
    {"events", RH_OUT_EVENTS, true},     {"first", RH_OUT_FIRST, true},
    {"verdicts", RH_OUT_VERDICTS, true}, {"residue", RH_OUT_RESIDUE, false},
    {"deepest", RH_OUT_DEEPEST, false},  {"peak", RH_OUT_PEAK, false},
    {"until", RH_OUT_UNTIL, false},      {"steps", RH_OUT_STEPS, false},
};

static const struct {
  const char *word;
  rh_outcome_kind kind;
} reduction[] = {
    {"end", RH_OUT_END}, {"start", RH_OUT_START}, {"min", RH_OUT_MIN},
    {"max", RH_OUT_MAX}, {"mean", RH_OUT_MEAN},   {"rms", RH_OUT_RMS},
};

// ---- Reading

static int find_series(rh_outcomes *outcomes, const char *text, size_t length)
{
  for (int i = 0; i < outcomes->nseries; i++) {
    if (strlen(outcomes->series[i]) == length && strncmp(outcomes->series[i], text, length) == 0) {
      return i;
    }
  }
  char *copy = rh_alloc(length + 1);
  if (copy == NULL) {
    return RH_NONE;
  }
  memcpy(copy, text, length);
  outcomes->series[outcomes->nseries] = copy;
  return outcomes->nseries++;
}

static rh_status read_reduction(rh_outcomes *outcomes, const char *word, rh_outcome *out)
{
  const char *at = strrchr(word, '@');
  const char *names[RH_COUNT(reduction)];
  for (int i = 0; i < RH_COUNT(reduction); i++) {
    names[i] = reduction[i].word;
    if (strcmp(at + 1, reduction[i].word) == 0 && at > word) {
      out->kind = reduction[i].kind;
      out->series = find_series(outcomes, word, (size_t)(at - word));
      return out->series != RH_NONE ? RH_OK : rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
    }
  }
  return rh_refuse_name("sweep", "reduction", at + 1, names, RH_COUNT(names));
}

static rh_status read_event_kind(const char *word, rh_outcome *out)
{
  const char *names[RH_EVENT_COUNT];
  for (int i = 0; i < RH_EVENT_COUNT; i++) {
    names[i] = rh_event_word((rh_event_kind)i);
    if (strcmp(word, names[i]) == 0) {
      out->event = i;
      return RH_OK;
    }
  }
  return rh_refuse_name("sweep", "kind of event", word, names, RH_EVENT_COUNT);
}

static rh_status read_outcome(rh_outcomes *outcomes, const char *word, rh_outcome *out)
{
  *out = (rh_outcome){.name = word, .series = RH_NONE, .event = RH_NONE};
  if (strchr(word, '"') != NULL) {
    return rh_refuse(RH_WRONG_USAGE, "sweep: --out: a name must not hold quotation marks: %s",
                     word);
  }
  if (strchr(word, '@') != NULL) {
    return read_reduction(outcomes, word, out);
  }
  size_t length = strcspn(word, ":");
  const char *names[RH_COUNT(table)];
  for (int i = 0; i < RH_COUNT(table); i++) {
    names[i] = table[i].word;
    if (strlen(table[i].word) != length || strncmp(table[i].word, word, length) != 0) {
      continue;
    }
    out->kind = table[i].kind;
    bool needs = out->kind == RH_OUT_FIRST && word[length] == '\0';
    if (needs || (word[length] == ':' && !table[i].of_kind)) {
      return rh_refuse(RH_WRONG_USAGE, "sweep: --out: '%s' %s", word,
                       needs ? "needs a kind of event: first:touch" : "has no kinds");
    }
    return word[length] == ':' ? read_event_kind(word + length + 1, out) : RH_OK;
  }
  char what[2 * RH_NAME_MAX];
  snprintf(what, sizeof what, "outcome (of a channel: '%.64s@end')", word);
  return rh_refuse_name("sweep", what, word, names, RH_COUNT(names));
}

rh_status rh_outcomes_read(const char *list, rh_outcomes *outcomes)
{
  *outcomes = (rh_outcomes){0};
  RH_TRY(rh_words_split(&outcomes->words, list != NULL ? list : usual));
  if (outcomes->words.n > RH_OUTCOMES_MAX) {
    return rh_refuse(RH_OVER_LIMIT, "sweep: --out: at most %d outcomes", RH_OUTCOMES_MAX);
  }
  for (int i = 0; i < outcomes->words.n; i++) {
    for (int k = 0; k < i; k++) {
      if (strcmp(outcomes->words.word[i], outcomes->words.word[k]) == 0) {
        return rh_refuse(RH_WRONG_USAGE, "sweep: --out: '%s' is given twice",
                         outcomes->words.word[i]);
      }
    }
    RH_TRY(read_outcome(outcomes, outcomes->words.word[i], &outcomes->outcome[i]));
    outcomes->n = i + 1;
  }
  return RH_OK;
}

void rh_outcomes_free(rh_outcomes *outcomes)
{
  for (int i = 0; i < outcomes->nseries; i++) {
    rh_free(outcomes->series[i]);
  }
  rh_words_free(&outcomes->words);
  *outcomes = (rh_outcomes){0};
}

// ---- Measuring

// Frames are equally far apart, but the last one may be nearer; so a mean is over time, by
// trapezia.
static double mean_series(const rh_trial *trial, int column, bool squares)
{
  double sum = 0;
  double t0 = rh_trial_value(trial, 0, 0);
  double t1 = rh_trial_value(trial, trial->frames - 1, 0);
  for (long i = 0; i < trial->frames; i++) {
    double before = i > 0 ? rh_trial_value(trial, i - 1, 0) : t0;
    double after = i + 1 < trial->frames ? rh_trial_value(trial, i + 1, 0) : t1;
    double x = rh_trial_value(trial, i, column);
    sum += (squares ? x * x : x) * 0.5 * (after - before);
  }
  double first = rh_trial_value(trial, 0, column);
  double mean = t1 > t0 ? sum / (t1 - t0) : squares ? first * first : first;
  return squares ? sqrt(mean) : mean;
}

static double reduce_series(const rh_trial *trial, const rh_outcome *out)
{
  int column = out->series + 1;
  if (trial->frames == 0) {
    return (double)NAN;
  }
  if (out->kind == RH_OUT_MEAN || out->kind == RH_OUT_RMS) {
    return mean_series(trial, column, out->kind == RH_OUT_RMS);
  }
  double start = rh_trial_value(trial, 0, column);
  double least = start;
  double greatest = start;
  for (long i = 1; i < trial->frames; i++) {
    double x = rh_trial_value(trial, i, column);
    least = fmin(least, x);
    greatest = fmax(greatest, x);
  }
  return out->kind == RH_OUT_START ? start
         : out->kind == RH_OUT_MIN ? least
         : out->kind == RH_OUT_MAX ? greatest
                                   : rh_trial_value(trial, trial->frames - 1, column);
}

static double count_events(const rh_trial *trial, const rh_outcome *out)
{
  long count = 0;
  for (long i = 0; i < trial->events.count; i++) {
    const rh_event *event = &trial->events.event[i];
    bool counts = out->kind != RH_OUT_VERDICTS || rh_event_is_verdict(event->kind);
    count += counts && (out->event == RH_NONE || (int)event->kind == out->event);
  }
  return (double)count;
}

static double measure_outcome(const rh_trial *trial, const rh_outcome *out)
{
  const rh_event *first = NULL;
  switch (out->kind) {
  case RH_OUT_EVENTS:
  case RH_OUT_VERDICTS:
    return count_events(trial, out);
  case RH_OUT_FIRST:
    first = rh_trial_event(trial, (rh_event_kind)out->event, 1);
    return first != NULL ? first->t : (double)NAN;
  case RH_OUT_RESIDUE:
    return trial->stats.residue.worst;
  case RH_OUT_DEEPEST:
    return trial->deepest;
  case RH_OUT_PEAK:
    return trial->peak;
  case RH_OUT_UNTIL:
    return trial->t_end;
  case RH_OUT_STEPS:
    return (double)trial->stats.step.steps;
  default:
    return reduce_series(trial, out);
  }
}

void rh_outcomes_measure(const rh_outcomes *outcomes, const rh_trial *trial, double *value)
{
  for (int i = 0; i < outcomes->n; i++) {
    value[i] = measure_outcome(trial, &outcomes->outcome[i]);
  }
}
