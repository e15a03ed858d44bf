// sobol.c: direction numbers of Sobol' sequences, made here and not taken from a table. Dimension 0
// is the sequence of van der Corput; each further one has the next primitive polynomial over GF(2),
// found by its order. The initial numbers are free: of a fixed number of candidates that have
// Sobol's property A (in each of the 2^d parts that halving all sides gives lies one of the first
// 2^d points [Sobol 1976]) the one is kept whose planes with the earlier dimensions are best.
#include "sobol.h"

#include <string.h>

#define DEGREE_MAX 7  // 36 polynomials
#define CANDIDATES 48 // with property A
#define TRIES      100000
#define LEVELS     2

static const int level[LEVELS] = {6, 10}; // planes are judged by their first 64 and 1024 points

static uint64_t mix_bits(uint64_t x) // splitmix64 [Steele, Lea, Flood 2014]
{
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Is x of order 2^degree - 1 modulo the polynomial, whose bits are its coefficients?
static bool is_primitive(unsigned polynomial, int degree)
{
  unsigned power = 1;
  unsigned order = 0;
  do {
    power <<= 1;
    power ^= (power >> degree) != 0 ? polynomial : 0;
    order++;
  } while (power != 1 && power != 0 && order < 1u << degree);
  return power == 1 && order == (1u << degree) - 1;
}

// The primitive polynomial after `polynomial`; all have the coefficient of x^0.
static unsigned next_primitive(unsigned polynomial, int *degree)
{
  for (polynomial += 2;; polynomial += 2) {
    *degree = 31 - __builtin_clz(polynomial);
    if (is_primitive(polynomial, *degree)) {
      return polynomial;
    }
  }
}

// m_k = 2 a_1 m_(k-1) ^ ... ^ 2^s m_(k-s) ^ m_(k-s) [Bratley, Fox 1988, eq. 2.2]; m has `degree`
// initial numbers.
static void fill_directions(uint64_t m[RH_SOBOL_BITS], unsigned polynomial, int degree,
                            uint64_t direction[RH_SOBOL_BITS])
{
  for (int k = degree; k < RH_SOBOL_BITS; k++) {
    m[k] = m[k - degree] ^ (m[k - degree] << degree);
    for (int i = 1; i < degree; i++) {
      m[k] ^= ((polynomial >> (degree - i)) & 1) != 0 ? m[k - i] << i : 0;
    }
  }
  for (int k = 0; k < RH_SOBOL_BITS; k++) {
    direction[k] = m[k] << (RH_SOBOL_BITS - 1 - k);
  }
}

// Adds a row to those in echelon form; false: it depends on them.
static bool add_row(uint64_t *echelon, int *n, uint64_t row)
{
  for (int i = 0; i < *n; i++) {
    uint64_t less = row ^ echelon[i];
    row = less < row ? less : row;
  }
  if (row == 0) {
    return false;
  }
  echelon[(*n)++] = row;
  return true;
}

// Row `digit` of the generating matrix of a dimension: bit k is that digit of direction k.
static uint64_t row_of(const rh_sobol *sobol, int dimension, int digit, int m)
{
  uint64_t row = 0;
  for (int k = 0; k < m; k++) {
    row |= ((sobol->direction[dimension][k] >> (RH_SOBOL_BITS - 1 - digit)) & 1) << k;
  }
  return row;
}

static bool has_property_a(const rh_sobol *sobol, int n)
{
  uint64_t echelon[RH_AXES_MAX];
  int rows = 0;
  for (int j = 0; j < n; j++) {
    if (!add_row(echelon, &rows, row_of(sobol, j, 0, n))) {
      return false;
    }
  }
  return true;
}

// Are the first `total` digits, `first` of them of dimension i, independent?
static bool is_full(const rh_sobol *sobol, const int pair[2], int m, int first, int total)
{
  uint64_t echelon[RH_SOBOL_BITS];
  int rows = 0;
  for (int d = 0; d < total; d++) {
    bool one = d < first;
    uint64_t row = row_of(sobol, pair[one ? 0 : 1], one ? d : d - first, m);
    if (!add_row(echelon, &rows, row)) {
      return false;
    }
  }
  return true;
}

int rh_sobol_quality(const rh_sobol *sobol, int i, int k, int m)
{
  const int pair[2] = {i, k};
  for (int t = 0; t < m; t++) {
    bool full = true;
    for (int first = 0; full && first <= m - t; first++) {
      full = is_full(sobol, pair, m, first, m - t);
    }
    if (full) {
      return t;
    }
  }
  return m;
}

static int judge_dimension(const rh_sobol *sobol, int dimension)
{
  int sum = 0;
  for (int i = 0; i < dimension; i++) {
    for (int l = 0; l < LEVELS; l++) {
      int t = rh_sobol_quality(sobol, i, dimension, level[l]);
      sum += t * t * t; // a bad plane outweighs several fair ones
    }
  }
  return sum;
}

static void choose_initial(rh_sobol *sobol, int dimension, unsigned polynomial, int degree)
{
  uint64_t best[RH_SOBOL_BITS];
  int least = RH_NONE;
  uint64_t state = (uint64_t)dimension << 32;
  for (int tried = 0, found = 0; tried < TRIES && found < CANDIDATES; tried++) {
    uint64_t m[RH_SOBOL_BITS] = {0};
    for (int k = 0; k < degree; k++) { // odd, below 2^(k+1)
      m[k] = (mix_bits(state++) & ((UINT64_C(1) << (k + 1)) - 1)) | 1;
    }
    fill_directions(m, polynomial, degree, sobol->direction[dimension]);
    if (!has_property_a(sobol, dimension + 1)) {
      continue;
    }
    found++;
    int bad = judge_dimension(sobol, dimension);
    if (least == RH_NONE || bad < least) {
      least = bad;
      memcpy(best, sobol->direction[dimension], sizeof best);
    }
  }
  RH_ASSERT(least != RH_NONE);
  memcpy(sobol->direction[dimension], best, sizeof best);
}

rh_sobol *rh_sobol_create(int n)
{
  rh_sobol *sobol = rh_alloc(sizeof *sobol);
  if (sobol == NULL) {
    return NULL;
  }
  unsigned polynomial = 1;
  for (int k = 0; k < RH_SOBOL_BITS; k++) {
    sobol->direction[0][k] = UINT64_C(1) << (RH_SOBOL_BITS - 1 - k);
  }
  for (int j = 1; j < n; j++) {
    int degree = 0;
    polynomial = next_primitive(polynomial, &degree);
    RH_ASSERT(degree <= DEGREE_MAX);
    choose_initial(sobol, j, polynomial, degree);
  }
  return sobol;
}

uint64_t rh_sobol_point(const rh_sobol *sobol, int dimension, uint64_t index)
{
  uint64_t x = 0;
  for (int k = 0; index != 0; k++, index >>= 1) {
    x ^= (index & 1) != 0 ? sobol->direction[dimension][k] : 0;
  }
  return x;
}
