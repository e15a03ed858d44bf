// phases_print.c: what impacts and slides say, for people, on the page and as JSON.
#include "phases.h"

#include "console/html.h"

#include <math.h>
#include <string.h>

static const char *const stick_name[RH_FIT_STICKING] = {"slide", "stick", "reverse",
                                                        "are not clear"};

static void put_number(rh_text *to, const char *name, const rh_fit_measure *m, const char *unit)
{
  if (!m->determined || !isfinite(m->x)) {
    rh_text_addf(to, "    %s: not determined\n", name);
    return;
  }
  rh_text_addf(to, "    %s %.4g%s%s (95 %%: %.4g to %.4g)%s\n", name, m->x,
               unit[0] != '\0' ? " " : "", unit, m->low, m->high,
               m->starts ? ", a start of the search" : "");
}

static const char *unit_of(const char *path)
{
  return strstr(path, ".inertia") != NULL ? "kg m^2" : "m";
}

static void put_trend(rh_text *to, const rh_fit_trend *t)
{
  rh_text_addf(to, "    %s changes with the %s (%.0f %% of its variance, F = %.1f):\n", t->of,
               t->name, 100 * t->share, t->F);
  for (int b = 0; b < RH_FIT_BINS; b++) {
    rh_text_addf(to, "      %.4g to %.4g %s: %.4g +- %.2g\n", t->from[b], t->to[b], t->unit,
                 t->mean[b], 1.96 * t->deviation[b]);
  }
}

static void put_jumps(rh_text *to, const rh_fit_jumps *j)
{
  static const char *const meaning[RH_FIT_LAW_VALUES][2] = {
      {"e", "e"},
      {"mu", "mu"},
      {"eta2", "eta2"},
      {"e_power", "e falls with the speed to the power"},
      {"mu_power", "mu falls with the speed to the power"}};
  rh_text_addf(to, "  %s by %d impacts at %.3g to %.3g m/s:", j->name, j->n, j->speed[0],
               j->speed[1]);
  for (int i = 0; i < RH_FIT_STICKING; i++) {
    rh_text_addf(to, "%s %d %s", i == 0 ? "" : ",", j->count[i], stick_name[i]);
  }
  rh_text_add(to, "\n");
  put_number(to, "ratio of normal velocities", &j->bounce, "");
  if (j->count[RH_FIT_SLIDES] > 1) {
    put_number(to, "friction where they slide", &j->ratio, "");
  }
  if (j->count[RH_FIT_STICKS] + j->count[RH_FIT_REVERSES] > 1) {
    put_number(to, "tangential restitution of the rest", &j->back, "");
  }
  if (j->nvalue > 0) {
    rh_text_addf(to, "   law %s at %.3g m/s (residuals %.3g times their errors):\n", j->law,
                 j->law_speed, j->law_rms);
  }
  for (int i = 0; i < j->nvalue; i++) {
    const char *name = j->value[i].name;
    for (int k = 0; k < RH_FIT_LAW_VALUES; k++) {
      name = strcmp(name, meaning[k][0]) == 0 ? meaning[k][1] : name;
    }
    put_number(to, name, &j->value[i], "");
  }
  for (int i = 0; i < j->ntrend; i++) {
    put_trend(to, &j->trend[i]);
  }
}

static void put_slides(rh_text *to, const char *name, const rh_fit_slides *s)
{
  rh_text_addf(to, "\n  %s by %d windows in which it slides (%d left out; residual %.3g mm):\n",
               name, s->windows, s->left_out, 1e3 * s->noise);
  rh_text_addf(to, "    friction %.4g at %.3g m/s (95 %%: %.4g to %.4g)%s\n", s->level.x, s->middle,
               s->level.low, s->level.high, s->level.starts ? ", a start of the search" : "");
  rh_text_addf(to, "    and %+.3g per m/s (95 %%: %.3g to %.3g)\n", s->slope.x, s->slope.low,
               s->slope.high);
  for (int b = 0; b < s->bins; b++) {
    rh_text_addf(to, "      %.3g to %.3g m/s: %.4g (%.4g to %.4g)\n", s->from[b], s->to[b],
                 s->bin[b].x, s->bin[b].low, s->bin[b].high);
  }
}

static void put_text(rh_text *to, const rh_fit_answer *a)
{
  for (int i = 0; i < a->njoint; i++) {
    const rh_fit_impacts *m = &a->impacts[i];
    if (m->impacts > 0) {
      rh_text_addf(to,
                   "\n  %s by its %d single impacts (%d left out, %d more are not single; balance "
                   "%.3g times its errors):\n",
                   a->joint[i].text, m->impacts, m->left_out, m->crowded, m->rms);
      for (int k = 0; k < m->nmeasure; k++) {
        put_number(to, m->measure[k].name, &m->measure[k], unit_of(m->measure[k].name));
      }
      for (int k = 0; k < m->njumps; k++) {
        put_jumps(to, &m->jumps[k]);
      }
    }
    if (a->slides[i].windows > 0) {
      put_slides(to, a->joint[i].text, &a->slides[i]);
    }
  }
  if (to->data != NULL && a->nvalue > 0) {
    rh_text_add(to, a->phases_start ? "  the search began with these values\n"
                                    : "  the search began with the values of the scene\n");
  }
}

rh_status rh_fit_print_impacts(const rh_fit_job *job, const rh_fit_answer *a)
{
  rh_text to = {0};
  (void)job;
  put_text(&to, a);
  if (to.data != NULL && !to.failed) {
    rh_print("%s", to.data);
  }
  rh_status status = to.failed ? RH_OUT_OF_MEMORY : RH_OK;
  rh_text_free(&to);
  return status;
}

void rh_fit_page_impacts(rh_text *to, const rh_fit_answer *a)
{
  rh_text text = {0};
  put_text(&text, a);
  if (text.data != NULL) {
    rh_text_add(to, "<h2>Impacts and slides by themselves</h2>\n<pre>");
    rh_html_text(to, text.data);
    rh_text_add(to, "</pre>\n");
  }
  to->failed = to->failed || text.failed;
  rh_text_free(&text);
}

// ---- JSON

static void put_measure(rh_json *json, const char *key, const rh_fit_measure *m)
{
  rh_json_open_object(json, key);
  rh_json_string(json, "name", m->name[0] != '\0' ? m->name : key != NULL ? key : "mu");
  rh_json_number(json, "value", m->determined ? m->x : HUGE_VAL);
  rh_json_number(json, "low", m->determined ? m->low : HUGE_VAL);
  rh_json_number(json, "high", m->determined ? m->high : HUGE_VAL);
  rh_json_bool(json, "determined", m->determined);
  rh_json_bool(json, "starts", m->starts);
  rh_json_close(json);
}

static void put_trend_json(rh_json *json, const rh_fit_trend *t)
{
  rh_json_open_object(json, NULL);
  rh_json_string(json, "of", t->of);
  rh_json_string(json, "by", t->name);
  rh_json_string(json, "unit", t->unit);
  rh_json_number(json, "share", t->share);
  rh_json_number(json, "F", t->F);
  rh_json_numbers(json, "from", t->from, RH_FIT_BINS);
  rh_json_numbers(json, "to", t->to, RH_FIT_BINS);
  rh_json_numbers(json, "mean", t->mean, RH_FIT_BINS);
  rh_json_numbers(json, "deviation", t->deviation, RH_FIT_BINS);
  rh_json_close(json);
}

static void put_jumps_json(rh_json *json, const rh_fit_jumps *j)
{
  static const char *const count[RH_FIT_STICKING] = {"slide", "stick", "reverse", "unclear"};
  rh_json_open_object(json, NULL);
  rh_json_string(json, "contact", j->name);
  rh_json_integer(json, "impacts", j->n);
  rh_json_numbers(json, "speed", j->speed, 2);
  for (int i = 0; i < RH_FIT_STICKING; i++) {
    rh_json_integer(json, count[i], j->count[i]);
  }
  put_measure(json, "bounce", &j->bounce);
  put_measure(json, "ratio", &j->ratio);
  put_measure(json, "back", &j->back);
  rh_json_string(json, "law", j->law[0] != '\0' ? j->law : NULL);
  rh_json_number(json, "law_speed", j->nvalue > 0 ? j->law_speed : HUGE_VAL);
  rh_json_number(json, "law_rms", j->nvalue > 0 ? j->law_rms : HUGE_VAL);
  rh_json_open_array(json, "values");
  for (int i = 0; i < j->nvalue; i++) {
    put_measure(json, NULL, &j->value[i]);
  }
  rh_json_close(json);
  rh_json_open_array(json, "trends");
  for (int i = 0; i < j->ntrend; i++) {
    put_trend_json(json, &j->trend[i]);
  }
  rh_json_close(json);
  rh_json_close(json);
}

static void put_slides_json(rh_json *json, const rh_fit_answer *a, int i)
{
  const rh_fit_slides *s = &a->slides[i];
  rh_json_open_object(json, NULL);
  rh_json_string(json, "joint", a->joint[i].text);
  rh_json_integer(json, "windows", s->windows);
  rh_json_integer(json, "left_out", s->left_out);
  rh_json_number(json, "residual", s->noise);
  rh_json_number(json, "speed", s->middle);
  put_measure(json, "friction", &s->level);
  put_measure(json, "slope", &s->slope);
  rh_json_numbers(json, "from", s->from, s->bins);
  rh_json_numbers(json, "to", s->to, s->bins);
  rh_json_open_array(json, "bins");
  for (int b = 0; b < s->bins; b++) {
    put_measure(json, NULL, &s->bin[b]);
  }
  rh_json_close(json);
  rh_json_close(json);
}

void rh_fit_put_impacts(rh_json *json, const rh_fit_answer *a)
{
  rh_json_open_array(json, "impacts");
  for (int i = 0; i < a->njoint; i++) {
    const rh_fit_impacts *m = &a->impacts[i];
    if (m->impacts == 0) {
      continue;
    }
    rh_json_open_object(json, NULL);
    rh_json_string(json, "joint", a->joint[i].text);
    rh_json_integer(json, "impacts", m->impacts);
    rh_json_integer(json, "left_out", m->left_out);
    rh_json_integer(json, "crowded", m->crowded);
    rh_json_bool(json, "by_rows", m->by_rows);
    rh_json_numbers(json, "noise", m->noise, 2);
    rh_json_number(json, "rms", m->rms);
    rh_json_open_array(json, "values");
    for (int k = 0; k < m->nmeasure; k++) {
      put_measure(json, NULL, &m->measure[k]);
    }
    rh_json_close(json);
    rh_json_open_array(json, "contacts");
    for (int k = 0; k < m->njumps; k++) {
      put_jumps_json(json, &m->jumps[k]);
    }
    rh_json_close(json);
    rh_json_close(json);
  }
  rh_json_close(json);
  rh_json_open_array(json, "slides");
  for (int i = 0; i < a->njoint; i++) {
    if (a->slides[i].windows > 0) {
      put_slides_json(json, a, i);
    }
  }
  rh_json_close(json);
  rh_json_bool(json, "phases_start", a->phases_start);
}
