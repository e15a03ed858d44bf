// routh/elementary.h: elementary functions with the same bits on every machine, from every compiler and with any C library,
// for all that moves a state; the C library's own are rounded as each sees fit. Errors are below one unit in the last place
// (docs/elementary.md), special values those of C17 Annex F. errno and the floating-point exceptions are left alone.
// sqrt, fabs, floor, ceil, rint, round, trunc, fmod, remainder, fma, ldexp, frexp and copysign are exact by the standard and
// taken from the C library.
#ifndef ROUTH_ELEMENTARY_H
#define ROUTH_ELEMENTARY_H

#include <routh/base.h>

#ifdef __cplusplus
extern "C" {
#endif

RH_API double rh_sin(double x);
RH_API double rh_cos(double x);
RH_API void rh_sincos(double x, double *sine, double *cosine); // both, with the bits of each
RH_API double rh_tan(double x);
RH_API double rh_asin(double x);
RH_API double rh_acos(double x);
RH_API double rh_atan(double x);
RH_API double rh_atan2(double y, double x);
RH_API double rh_exp(double x);
RH_API double rh_expm1(double x); // exp(x) - 1
RH_API double rh_log(double x);
RH_API double rh_log10(double x);
RH_API double rh_log1p(double x); // log(1 + x)
RH_API double rh_pow(double x, double y);
RH_API double rh_tanh(double x);
RH_API double rh_asinh(double x);
RH_API double rh_acosh(double x);
RH_API double rh_atanh(double x);
RH_API double rh_cbrt(double x);
RH_API double rh_hypot(double x, double y);

#ifdef __cplusplus
}
#endif
#endif
