// extremes.h: the smaller and the greater of two numbers, neither of which is NaN: an instruction each,
// where fmin and fmax are calls.
#ifndef ROUTH_MATH_EXTREMES_H
#define ROUTH_MATH_EXTREMES_H

static inline double rh_lesser(double x, double y)
{
  return x < y ? x : y;
}

static inline double rh_greater(double x, double y)
{
  return x > y ? x : y;
}

#endif
