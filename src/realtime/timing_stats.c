// timing_stats.c: distributions of times by their logarithm, and the gain of the commanded force.
#include "timing_stats.h"

#include <math.h>

static int octave_of(uint64_t n) // 0 for 0 and 1
{
  int octave = 0;
  while (n > 1) {
    n /= 2;
    octave++;
  }
  return octave;
}

static int fine_of(uint64_t ns)
{
  int octave = octave_of(ns);
  if (octave >= RH_TICK_OCTAVES) {
    return RH_TICK_OCTAVES * RH_TICK_FINE - 1;
  }
  uint64_t base = (uint64_t)1 << octave;
  uint64_t part = ns > base ? (ns - base) * RH_TICK_FINE / base : 0;
  return octave * RH_TICK_FINE + (int)part;
}

static double fine_middle(int index) // [s]
{
  double base = ldexp(1, index / RH_TICK_FINE);
  return 1e-9 * base * (1 + (index % RH_TICK_FINE + 0.5) / RH_TICK_FINE);
}

void rh_spread_add(rh_spread *spread, double seconds)
{
  double ns = fmin(fmax(1e9 * seconds, 0), 1e15);
  uint64_t us = (uint64_t)(ns / 1000);
  int bin = us == 0 ? 0 : 1 + octave_of(us);
  spread->bin[bin < RH_TICK_BINS ? bin : RH_TICK_BINS - 1]++;
  spread->fine[fine_of((uint64_t)ns)]++;
  spread->count++;
  spread->sum += seconds;
  spread->worst = fmax(spread->worst, seconds);
}

double rh_spread_quantile(const rh_spread *spread, double share)
{
  double want = share * (double)spread->count;
  double seen = 0;
  for (int i = 0; i < RH_TICK_OCTAVES * RH_TICK_FINE && spread->count > 0; i++) {
    seen += (double)spread->fine[i];
    if (spread->fine[i] > 0 && seen >= want) {
      return fmin(fine_middle(i), spread->worst);
    }
  }
  return 0;
}

double rh_spread_bin(int bin)
{
  return bin == 0 ? 0 : ldexp(1, bin - 1);
}

// ---- The gain

void rh_safety_step(rh_safety *safety, double dt, bool alarm)
{
  if (alarm && !safety->falling) {
    safety->falling = true;
    safety->alarms++;
  }
  if (safety->falling) {
    double next = safety->gain - (safety->decay > dt ? dt / safety->decay : 1);
    safety->gain = next > 1e-9 ? next : 0; // steps of a tenth do not add up to one
    safety->falling = alarm || safety->gain > 0;
  } else if (safety->gain < 1) {
    safety->gain = fmin(1, safety->gain + (safety->recover > dt ? dt / safety->recover : 1));
  }
}
