// noise.c: normal deviates by a hash of seed, sensor, sample and part. There is no generator whose
// state could depend on the order of calls: a resumed run and any number of threads have the same.
#include "sensors.h"

#include <math.h>
#include <stdint.h>

// A permutation of 64-bit numbers after which near ones have nothing in common: splitmix64 [Steele,
// Lea, Flood 2014].
static uint64_t mix_bits(uint64_t x)
{
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

static double unit_interval(uint64_t x) // open at both ends
{
  return ((double)(x >> 11) + 0.5) * 0x1p-53;
}

double rh_sensor_noise(const rh_noise_key *key)
{
  static const double TURN = 6.28318530717958647692;
  uint64_t x = mix_bits((uint64_t)key->seed);
  x = mix_bits(x ^ (uint64_t)key->sensor);
  x = mix_bits(x ^ (uint64_t)key->sample);
  x = mix_bits(x ^ (uint64_t)key->part);
  return sqrt(-2 * rh_log(unit_interval(x))) *
         rh_cos(TURN * unit_interval(mix_bits(x))); // Box, Muller
}
