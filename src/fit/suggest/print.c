// print.c: what was chosen and taken over, for people and as JSON, with a command that repeats it; the scene found as a file.
#include "suggest.h"

#include <math.h>
#include <string.h>

#define DEGREES (180 / 3.14159265358979323846)

// ---- The scene

rh_status rh_suggest_write(const rh_suggester *sg)
{
  rh_fit_scene text = {0};
  rh_suggest_fit now = {0};
  rh_scene *scene = NULL;
  rh_status status = rh_suggest_read_scene(sg, &now, &text, &scene);
  if (status == RH_OK) {
    sg->to->scene = rh_scene_write_brief(scene);
    status = sg->to->scene != NULL ? RH_OK : RH_OUT_OF_MEMORY;
  }
  rh_scene_destroy(scene);
  rh_fit_scene_close(&text);
  rh_suggest_close(&now);
  return status == RH_OK && sg->job->write != NULL ? rh_file_write(sg->job->write, sg->to->scene)
                                                   : status;
}

// ---- For people

static void add_left(rh_table *table, const rh_fit_answer *a, const rh_fit_score *score)
{
  rh_table_add(table, "%.4g", sqrt(score->excess));
  for (int i = 0; i < a->njoint && i < 2; i++) {
    rh_table_add(table, "%.4g mm", 1e3 * score->place[i]);
    rh_table_add(table, "%.4g deg", score->turn[i] * DEGREES);
  }
}

static void add_blanks(rh_table *table, int n, const char *text)
{
  for (int i = 0; i < n; i++) {
    rh_table_add(table, "%s", text);
  }
}

static rh_status print_changes(const rh_fit_job *job, const rh_fit_suggestions *s,
                               const rh_fit_answer *a)
{
  const char *head[8] = {"change", "one step", "left out"};
  char name[4][RH_NAME_MAX + 8];
  int columns = 3;
  for (int i = 0; i < a->njoint && i < 2; i++) {
    (void)snprintf(name[2 * i], sizeof name[0], "%s place", a->joint[i].text);
    (void)snprintf(name[2 * i + 1], sizeof name[0], "%s turn", a->joint[i].text);
    head[columns++] = name[2 * i];
    head[columns++] = name[2 * i + 1];
  }
  head[columns++] = "";
  rh_table *table = rh_table_headed(head, columns, 0x7E);
  rh_table_add(table, "none");
  rh_table_add(table, "%s", "");
  add_left(table, a, &s->before);
  rh_table_add(table, "%s", "");
  for (int i = 0; i < s->n; i++) {
    const rh_fit_change *c = &s->change[i];
    rh_table_add(table, "%s", c->name);
    rh_table_add(table, c->failed ? "-" : "%.3f", c->reach);
    if (c->tried) {
      add_left(table, a, &c->left);
    } else {
      add_blanks(table, columns - 3, "-");
    }
    if (c->taken > 0) {
      rh_table_add(table, "taken over, number %d", c->taken);
    } else {
      rh_table_add(table, "%s", "");
    }
  }
  rh_print("changes of the scene, each with those taken over before it: part of the sum of squares "
           "that one step leaves; rms over noise of whole trials left out:\n");
  rh_status status = rh_table_print(table, stdout, 2, rh_color_allowed(job->request, stdout));
  rh_table_destroy(table);
  return status;
}

static void print_chosen(const rh_fit_job *job, const rh_fit_suggestions *s, const rh_fit_answer *a)
{
  rh_print("\nchosen by the data:\n");
  for (int i = 0; i < a->njoint; i++) {
    if (s->measured[i] > 0) {
      rh_print("  the places of %s have a noise of %.3g mm by its flights\n", a->joint[i].text,
               1e3 * s->measured[i]);
    }
  }
  if (s->chose_noise) {
    rh_print("  --noise: residuals are weighed by what the scene leaves of them\n");
  }
  if (s->chose_window) {
    rh_print(
        "  --window contacts:%.6g: from flight to flight, of each half the length of a trial at "
        "most\n",
        s->window);
  }
  if (s->chose_robust) {
    rh_print("  %s: %.0f %% of the residuals are beyond two deviations (4.6 %% of normal ones)\n",
             s->robust ? "--robust" : "no --robust", 100 * s->odd);
  }
  if (job->free.n == 0) {
    rh_print("  --free: restitution and friction of the contacts, and what was taken over\n");
  }
}

static void print_words(const char *option, char *const *word, int n)
{
  for (int i = 0; i < n; i++) {
    rh_print(i == 0 ? " \\\n    %s '%s" : ",%s%s", i == 0 ? option : "", word[i]);
  }
  rh_print("%s", n > 0 ? "'" : "");
}

// The command that repeats the last fit from its end
static void print_command(const rh_fit_job *job, const rh_fit_suggestions *s,
                          const rh_fit_answer *a)
{
  static const char *const start[] = {"scene", "data", "fit"};
  rh_print("\nthe same by hand:\n  routh fit %s", job->scene);
  print_words("--data", job->data.word, job->data.n);
  print_words("--test", job->test.word, job->test.n);
  print_words("--rename", job->rename.word, job->rename.n);
  print_words("--channels", job->channels.word, job->channels.n);
  rh_print(" \\\n    --start %s", start[job->start]);
  for (int i = 0; i < job->starts.n; i++) {
    if (strchr(job->starts.word[i], '=') != NULL) {
      rh_print(",%s", job->starts.word[i]);
    }
  }
  rh_print(" --quick%s", s->robust ? " --robust" : "");
  if (s->at_contacts) {
    rh_print(s->window > 0 ? " --window contacts:%.6g" : " --window contacts", s->window);
  } else if (s->window > 0) {
    rh_print(" --window %.6g", s->window);
  }
  if (job->every > 0) {
    rh_print(" --every %.6g", job->every);
  }
  if (s->chose_noise) {
    for (int c = 0; c < a->nchannel; c++) {
      rh_print(c == 0 ? " \\\n    --noise '%s=%.6g" : ",%s=%.6g", a->channel[c], s->noise[c]);
    }
    rh_print("'");
  } else {
    print_words("--noise", job->noise.word, job->noise.n);
  }
  for (int i = 0; i < job->request->nset; i++) {
    rh_print(" \\\n    -s '%s'", job->request->set[i]);
  }
  for (int turn = 1; turn <= s->taken; turn++) {
    for (int i = 0; i < s->n; i++) {
      for (int k = 0; s->change[i].taken == turn && k < s->change[i].nset; k++) {
        rh_print(" \\\n    -s '%s'", s->change[i].set[k]);
      }
    }
  }
  for (int i = 0; i < s->found.n; i++) {
    rh_print(" \\\n    -s '%s'", s->found.word[i]);
  }
  print_words("--free", s->free.word, s->free.n);
  rh_print("\n\n");
}

rh_status rh_fit_print_suggestions(const rh_fit_job *job, const rh_fit_suggestions *s,
                                   const rh_fit_answer *a)
{
  RH_TRY(print_changes(job, s, a));
  print_chosen(job, s, a);
  print_command(job, s, a);
  if (job->write != NULL) {
    rh_print("the scene found is in %s\n\n", job->write);
  }
  return RH_OK;
}

// ---- As JSON

static void put_strings(rh_json *json, const char *key, char *const *word, int n)
{
  rh_json_open_array(json, key);
  for (int i = 0; i < n; i++) {
    rh_json_string(json, NULL, word[i]);
  }
  rh_json_close(json);
}

static void put_errors(rh_json *json, const char *key, const rh_fit_answer *a,
                       const rh_fit_score *score)
{
  rh_json_open_array(json, key);
  for (int i = 0; i < a->njoint && score != NULL; i++) {
    rh_json_open_object(json, NULL);
    rh_json_string(json, "name", a->joint[i].text);
    rh_json_number(json, "place", score->place[i]);
    rh_json_number(json, "turn", score->turn[i]);
    rh_json_close(json);
  }
  rh_json_close(json);
}

static void put_change(rh_json *json, const rh_fit_suggestions *s, const rh_fit_answer *a,
                       const rh_fit_change *c)
{
  rh_json_open_object(json, NULL);
  rh_json_string(json, "change", c->name);
  rh_json_open_array(json, "set");
  for (int k = 0; k < c->nset; k++) {
    rh_json_string(json, NULL, c->set[k]);
  }
  rh_json_close(json);
  rh_json_open_array(json, "free");
  for (int k = 0; k < c->nfree; k++) {
    rh_json_string(json, NULL, c->free[k]);
  }
  rh_json_close(json);
  rh_json_integer(json, "taken", c->taken);
  rh_json_bool(json, "fitted", c->tried);
  rh_json_number(json, "step", c->failed ? HUGE_VAL : c->reach);
  rh_json_number(json, "excess", c->tried ? c->left.excess : HUGE_VAL);
  rh_json_number(json, "before", s->before.excess);
  put_errors(json, "joints", a, c->tried ? &c->left : NULL);
  rh_json_close(json);
}

void rh_fit_put_suggestions(rh_json *json, const rh_fit_suggestions *s, const rh_fit_answer *a)
{
  if (s == NULL) {
    return;
  }
  rh_json_open_array(json, "suggestions");
  for (int i = 0; i < s->n; i++) {
    put_change(json, s, a, &s->change[i]);
  }
  rh_json_close(json);
  rh_json_open_object(json, "chosen");
  rh_json_bool(json, "noise", s->chose_noise);
  rh_json_bool(json, "robust", s->robust);
  rh_json_bool(json, "at_contacts", s->at_contacts);
  rh_json_number(json, "window", s->window);
  rh_json_number(json, "odd", s->odd);
  rh_json_number(json, "before", s->before.excess);
  rh_json_number(json, "after", s->after.excess);
  put_errors(json, "joints_before", a, &s->before);
  put_errors(json, "joints_after", a, &s->after);
  rh_json_numbers(json, "flight_noise", s->measured, a->njoint);
  put_strings(json, "set", s->found.word, s->found.n);
  put_strings(json, "free", s->free.word, s->free.n);
  rh_json_string(json, "scene", s->scene);
  rh_json_close(json);
}
