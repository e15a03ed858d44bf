// Sine and cosine of many angles at once. Ours and not the C library's for two reasons: a plain loop that the compiler
// turns into vector instructions costs a third, and the library picks its variant by the processor, so that its bits
// differ between machines. Reduction by multiples of pi/2 in three parts, then Taylor's series on
// [-pi/4, pi/4], whose first omitted term is below 1e-17: the error stays below two units in the
// last place.
#include "multibody.h"

#include <stdint.h>

// Beyond this the multiple of pi/2 times its parts would no longer be exact; there the C library is
// called.
static const double LARGE = 1e5;

static const double TWO_OVER_PI = 0x1.45f306dc9c883p-1;
static const double HALF_PI_1 = 0x1.921fb544p0; // 33 bits each: a multiple below 2^20 is exact
static const double HALF_PI_2 = 0x1.0b4611a6p-34;
static const double HALF_PI_3 = 0x1.3198a2e037073p-69;
static const double ROUND =
    0x1.8p52; // adding it rounds to an integer, which is then in the lowest bits

// 1/3!, 1/5! ... and 1/4!, 1/6! ... with their signs
#define S0 (-1.0 / 6)
#define S1 (1.0 / 120)
#define S2 (-1.0 / 5040)
#define S3 (1.0 / 362880)
#define S4 (-1.0 / 39916800)
#define S5 (1.0 / 6227020800.0)
#define S6 (-1.0 / 1307674368000.0)
#define S7 (1.0 / 355687428096000.0)
#define C0 (1.0 / 24)
#define C1 (-1.0 / 720)
#define C2 (1.0 / 40320)
#define C3 (-1.0 / 3628800)
#define C4 (1.0 / 479001600)
#define C5 (-1.0 / 87178291200.0)
#define C6 (1.0 / 20922789888000.0)

typedef union bits {
  double x;
  int64_t i;
} bits;

void rh_trig(int n, const double *restrict q, double *restrict trig)
{
  for (int i = 0; i < n; i++) {
    bits turns = {q[i] * TWO_OVER_PI + ROUND};
    double k = turns.x - ROUND;
    double coarse = q[i] - k * HALF_PI_1;
    double fine = k * HALF_PI_2;
    double r = coarse - fine;
    r += ((coarse - r) - fine) - k * HALF_PI_3;
    double z = r * r;
    double z2 = z * z;
    double z4 = z2 * z2;
    double s = ((S0 + S1 * z) + (S2 + S3 * z) * z2) + ((S4 + S5 * z) + (S6 + S7 * z) * z2) * z4;
    double c = ((C0 + C1 * z) + (C2 + C3 * z) * z2) + ((C4 + C5 * z) + C6 * z2) * z4;
    double half = 0.5 * z;
    double rest = 1 - half;
    double sine = r + r * z * s;
    double cosine =
        rest + (((1 - rest) - half) + z2 * c); // adds back the rounding error of 1 - z/2
    double a = turns.i & 1 ? cosine : sine;    // a quarter turn swaps the two
    double b = turns.i & 1 ? sine : cosine;
    trig[2 * i] = turns.i & 2 ? -a : a;
    trig[2 * i + 1] = (turns.i + 1) & 2 ? -b : b;
  }
  for (int i = 0; i < n; i++) {
    if (!(fabs(q[i]) < LARGE)) {
      trig[2 * i] = sin(q[i]);
      trig[2 * i + 1] = cos(q[i]);
    }
  }
}
