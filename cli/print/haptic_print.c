// haptic_print.c: output of the real-time loop during the run and at its end, for people and as
// JSON.
#include "haptic.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const state_name[] = {"free", "colliding", "resting"};

static double force_of(const rh_haptic_out *out)
{
  const double *w = out->wrench;
  return sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
}

void rh_haptic_line(const rh_live_status *status, char *text, size_t size)
{
  const rh_ticks *a = &status->account;
  const char *state =
      state_name[status->out.state >= 0 && status->out.state < 3 ? status->out.state : 0];
  snprintf(text, size,
           "%.2f s   tick %.0f us, worst %.0f us   missed %ld   %s   %.2f N%s   returned %.2g J",
           status->t, 1e6 * rh_spread_quantile(&a->busy, 0.5), 1e6 * a->busy.worst, a->missed,
           state, force_of(&status->out), status->safety.gain < 1 ? " (reduced)" : "",
           status->out.returned);
}

// ---- For people

static void print_histogram(const rh_ticks *a, bool paced)
{
  int used = RH_TICK_BINS;
  while (used > 0 && a->busy.bin[used - 1] == 0 && a->late.bin[used - 1] == 0) {
    used--;
  }
  rh_table *table = rh_table_create(paced ? 3 : 2, 0x7);
  rh_table_add(table, "from us");
  rh_table_add(table, "tick");
  if (paced) {
    rh_table_add(table, "late");
  }
  for (int i = 0; i < used; i++) {
    rh_table_add(table, "%.0f", rh_spread_bin(i));
    rh_table_add(table, "%ld", a->busy.bin[i]);
    if (paced) {
      rh_table_add(table, "%ld", a->late.bin[i]);
    }
  }
  (void)rh_table_print(table, stdout, 2, false);
  rh_table_destroy(table);
}

static void print_deadlines(const rh_rt_loop *loop, const rh_live_result *result)
{
  const rh_ticks *a = &loop->account;
  printf("\nTicks\n  median %.3g us   99 %% %.3g us   worst %.4g us at t = %.6g s\n",
         1e6 * rh_spread_quantile(&a->busy, 0.5), 1e6 * rh_spread_quantile(&a->busy, 0.99),
         1e6 * a->busy.worst, a->worst_t);
  if (loop->paced) {
    printf("  woken late by %.3g us in the median, %.4g us at worst\n",
           1e6 * rh_spread_quantile(&a->late, 0.5), 1e6 * a->late.worst);
    rh_print("  deadline %.4g us missed %ld time%s", 1e6 * loop->deadline, a->missed,
             rh_plural(a->missed));
    if (a->missed > 0) {
      rh_print(", by up to %.4g us; %ld period%s omitted", 1e6 * a->overdue, a->dropped,
               rh_plural(a->dropped));
    }
    rh_print("\n  real-time priority %s, memory %s%s%s%s\n", result->realtime.fifo ? "yes" : "no",
             result->realtime.locked ? "locked" : "not locked",
             result->realtime.why[0] != '\0' ? " (" : "", result->realtime.why,
             result->realtime.why[0] != '\0' ? ")" : "");
  }
  print_histogram(a, loop->paced);
}

static void print_device(const rh_haptic_run *run, const rh_rt_loop *loop,
                         const rh_live_result *result)
{
  printf("\nForce\n  peak %.4g N, %.4g N m\n", loop->peak[0], loop->peak[1]);
  printf("\nEnergy\n  the hand put in %.3g J, the world could give %.3g J   returned beyond these: "
         "up to %.3g J\n",
         loop->out.hand_work, loop->out.given, loop->out.returned);
  if (loop->safety.alarms > 0) {
    rh_print("  reduced to zero %ld time%s: a deadline was missed, or the device was silent\n",
             loop->safety.alarms, rh_plural(loop->safety.alarms));
  }
  if (result->shown > 0) {
    rh_print("  %ld picture%s sent to %s\n", result->shown, rh_plural(result->shown),
             run->setup.show);
  }
}

void rh_haptic_summary(const rh_haptic_run *run)
{
  const rh_rt_loop *loop = rh_live_loop(run->live);
  rh_live_result result = rh_live_results(run->live);
  rh_print("%s   %.3f s in %.3f s%s   %ld tick%s at %.6g Hz   device %s\n", run->label, loop->t,
           result.wall, run->setup.dry > 0 ? " (dry run)" : "", loop->ticks, rh_plural(loop->ticks),
           1 / loop->world.dt, run->setup.device->row.name);
  print_deadlines(loop, &result);
  print_device(run, loop, &result);
  printf("\nhash  %016" PRIx64 "\n", result.kept.hash);
  if (run->output != NULL && run->setup.dry == 0) {
    rh_print("wrote %s (%ld frame%s)", run->output, result.kept.frames,
             rh_plural(result.kept.frames));
    if (result.kept.lost > 0) {
      rh_print("; %ld frame%s or events were lost: the disk was too slow", result.kept.lost,
               rh_plural(result.kept.lost));
    }
    putchar('\n');
  }
}

// ---- JSON

char *rh_haptic_note(const rh_haptic_run *run)
{
  rh_text text = {0};
  rh_json json = rh_json_start(&text, false);
  rh_json_open_object(&json, NULL);
  rh_live_report(run->live, &json);
  rh_json_end(&json);
  return rh_text_take(&text);
}

rh_status rh_haptic_json(const rh_haptic_run *run)
{
  const rh_rt_loop *loop = rh_live_loop(run->live);
  rh_live_result result = rh_live_results(run->live);
  char hash[17];
  snprintf(hash, sizeof hash, "%016" PRIx64, result.kept.hash);
  rh_text text = {0};
  rh_json json = rh_json_result(&text);
  rh_json_string(&json, "scene", run->label);
  rh_json_string(&json, "status", rh_status_name(result.ended));
  rh_json_bool(&json, "dry_run", run->setup.dry > 0);
  rh_json_number(&json, "t", loop->t);
  rh_json_number(&json, "wall", result.wall);
  rh_live_report(run->live, &json);
  rh_json_integer(&json, "frames", result.kept.frames);
  rh_json_integer(&json, "events", result.kept.events);
  rh_json_string(&json, "hash", hash);
  rh_json_string(&json, "recording", run->setup.dry == 0 ? run->output : NULL);
  rh_json_end(&json);
  return rh_text_print(&text, NULL);
}
