// spatial_path.h: shared by the files of the impulse path in space: the state on the path and its
// spans, polynomials.
#ifndef ROUTH_IMPACT_SPATIAL_PATH_H
#define ROUTH_IMPACT_SPATIAL_PATH_H

#include "impact.h"

enum { RH_SPAN_ORDER = 24 };                   // of the series
enum { PT1, PT2, PN, CN, WN, WT, U1, U2, NY }; // the state: impulse, normal velocity, work, slip

#define RH_SLIP_ROUNDING 1e-16 // an error relative to the slip

typedef struct rh_span { // a stretch of the path: polynomials of its length, which is tau times `rate`, or p_n
  int order;             // even
  double end;            // infinite: slip does not stop on it
  double q[RH_SPAN_ORDER + 1][NY];
  // beta not 0: last + r^beta q(r) + r^(2 beta) work(r), the latter of WN and WT. beta > 0: slip stops at the end, r^beta = 1 - length;
  // beta < 0: slip continues, r^beta = 1 + length
  double beta;
  double last[NY], work[RH_SPAN_ORDER + 1][2];
  double way[2]; // direction of the slip there
} rh_span;

typedef struct rh_path3 {
  const rh_impact_law *law;
  const rh_point_in *in;
  double e;
  double Wtt[3], Wtn[2], Wnn; // Wtt: 11, 12, 22
  double mu_s, mu;
  double speed;               // [m/s] of u before: the scale of velocities
  double rate;                // [1/kg] of turning and stopping
  double y[NY];               // the present state
  bool compressing, ended;
  bool early;                 // e < 0: it ends in compression
  double Pc, Wc;
  int shifts;
  bool stuck;
  double way[2];              // last direction of the slip
  int nwant, done;            // samples wanted and taken
  const double *want;
  rh_point_at *sample;
  rh_point_log *log;          // NULL: none is kept
} rh_path3;

void rh_span_at(const rh_span *s, double x, double y[NY]);
typedef struct rh_span_spot { // on a span: variable of its series, and r^beta
  double r, q;
} rh_span_spot;

rh_span_spot rh_span_spot_at(const rh_span *s, double x);
double rh_span_one(const rh_span *s, int i, rh_span_spot at); // one of the state
// A line: p_n grows by x, slip by f x along the direction d, friction is ft per unit of p_n.
void rh_span_line(const rh_path3 *m, const double d[2], double f, const double ft[2], rh_span *s);
void rh_span_stick(const rh_path3 *m, rh_span *s); // a line without slip
void rh_span_curve(const rh_path3 *m, rh_span *to); // slip that turns
bool rh_span_tail(const rh_path3 *m, double slip, rh_span *to); // the rest of slip; false: it is too early

#endif
