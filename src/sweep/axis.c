// axis.c: one varied value of a sweep: lists, ranges and distributions.
#include "sweep.h"

#include <math.h>
#include <string.h>

// ---- Reading

static rh_status refuse_axis(const char *spec, const char *why)
{
  return rh_refuse(
      RH_WRONG_USAGE,
      "sweep: --vary %s: %s; expected PATH=A,B,..., PATH=LO:HI:N, PATH=uniform(LO,HI), "
      "PATH=loguniform(LO,HI) or PATH=normal(MEAN,DEVIATION)",
      spec, why);
}

// A number with an optional unit up to one of the characters of `end`. Units must agree.
static const char *read_number(rh_axis *axis, const char *at, const char *end, double *value)
{
  at += strspn(at, " ");
  size_t digits = rh_number_read(at, value);
  if (digits == 0 || !isfinite(*value)) {
    return NULL;
  }
  at += digits;
  at += strspn(at, " ");
  size_t length = strcspn(at, end);
  size_t used = length;
  while (used > 0 && at[used - 1] == ' ') {
    used--;
  }
  char unit[RH_AXIS_UNIT_MAX];
  if (used >= sizeof unit || at[length] == '\0') {
    return NULL;
  }
  snprintf(unit, sizeof unit, "%.*s", (int)used, at);
  if (used > 0 && axis->unit[0] != '\0' && strcmp(axis->unit, unit) != 0) {
    return NULL;
  }
  if (used > 0) {
    memcpy(axis->unit, unit, sizeof unit);
  }
  return at + length + 1;
}

static rh_status read_distribution(rh_axis *axis, const char *text, size_t head)
{
  static const struct {
    const char *word;
    rh_axis_kind kind;
  } known[] = {
      {"uniform", RH_AXIS_UNIFORM}, {"loguniform", RH_AXIS_LOGUNIFORM}, {"normal", RH_AXIS_NORMAL}};

  int found = RH_NONE;
  for (int i = 0; i < RH_COUNT(known); i++) {
    found = strlen(known[i].word) == head && strncmp(known[i].word, text, head) == 0 ? i : found;
  }
  if (found == RH_NONE) {
    return refuse_axis(axis->spec, "unknown distribution");
  }
  axis->kind = known[found].kind;
  const char *at = read_number(axis, text + head + 1, ",", &axis->a);
  at = at != NULL ? read_number(axis, at, ")", &axis->b) : NULL;
  if (at == NULL || *at != '\0') {
    return refuse_axis(axis->spec, "a distribution has two numbers, with the same unit if any");
  }
  if (axis->kind == RH_AXIS_NORMAL && !(axis->b > 0)) {
    return refuse_axis(axis->spec, "the deviation must be > 0");
  }
  if (axis->kind != RH_AXIS_NORMAL && !(axis->b > axis->a)) {
    return refuse_axis(axis->spec, "the upper end must be above the lower one");
  }
  if (axis->kind == RH_AXIS_LOGUNIFORM && !(axis->a > 0)) {
    return refuse_axis(axis->spec, "the lower end must be > 0");
  }
  return RH_OK;
}

static rh_status read_range(rh_axis *axis, const char *text)
{
  axis->kind = RH_AXIS_RANGE;
  const char *at = read_number(axis, text, ":", &axis->a);
  at = at != NULL ? read_number(axis, at, ":", &axis->b) : NULL;
  double n = 0;
  size_t digits = at != NULL ? rh_number_read(at, &n) : 0;
  if (digits == 0 || at[digits] != '\0') {
    return refuse_axis(axis->spec, "a range is LO:HI:N");
  }
  if (!(n >= 1 && n <= RH_AXIS_POINTS && n == floor(n))) {
    return refuse_axis(axis->spec, "the number of points is a whole number from 1 to 10000000");
  }
  axis->n = (long)n;
  if (axis->n == 1 && axis->a != axis->b) {
    return refuse_axis(axis->spec, "a range of two ends has at least 2 points");
  }
  return RH_OK;
}

static rh_status read_list(rh_axis *axis, const char *text)
{
  axis->kind = RH_AXIS_LIST;
  RH_TRY(rh_words_split(&axis->words, text));
  if (axis->words.n == 0) {
    return refuse_axis(axis->spec, "no value is given");
  }
  axis->n = axis->words.n;
  for (int i = 0; i < axis->words.n; i++) {
    double x = 0;
    size_t digits = rh_number_read(axis->words.word[i], &x);
    axis->numbers = axis->numbers && digits > 0 && axis->words.word[i][digits] == '\0';
  }
  return RH_OK;
}

static char *copy_text(const char *text, size_t length)
{
  char *copy = rh_alloc(length + 1);
  if (copy != NULL) {
    memcpy(copy, text, length);
  }
  return copy;
}

rh_status rh_axis_read(const char *spec, rh_axis *axis)
{
  *axis = (rh_axis){.numbers = true};
  const char *equals = strchr(spec, '=');
  axis->spec = copy_text(spec, strlen(spec));
  axis->path = copy_text(spec, equals != NULL ? (size_t)(equals - spec) : 0);
  if (axis->spec == NULL || axis->path == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  if (equals == NULL || equals == spec || equals[1] == '\0') {
    return refuse_axis(spec, "there is no value");
  }
  if (strpbrk(axis->path, "\"; ") != NULL || strlen(axis->path) >= 4 * RH_NAME_MAX) {
    return refuse_axis(spec, "the path is not section.entry.field, entry.field or section.field");
  }
  const char *text = equals + 1;
  size_t head = strspn(text, "abcdefghijklmnopqrstuvwxyz");
  if (head > 0 && text[head] == '(') {
    return read_distribution(axis, text, head);
  }
  return strchr(text, ':') != NULL ? read_range(axis, text) : read_list(axis, text);
}

void rh_axis_free(rh_axis *axis)
{
  rh_words_free(&axis->words);
  rh_free(axis->spec);
  rh_free(axis->path);
  *axis = (rh_axis){0};
}

// ---- Values

double rh_axis_point(const rh_axis *axis, long point)
{
  if (axis->kind == RH_AXIS_LIST) {
    double x = (double)point;
    if (axis->numbers) {
      (void)rh_number_read(axis->words.word[point], &x);
    }
    return x;
  }
  // Both ends are met exactly.
  return point == axis->n - 1 && axis->n > 1
             ? axis->b
             : axis->a +
                   (axis->b - axis->a) * ((double)point / (double)(axis->n - 1 + (axis->n == 1)));
}

double rh_axis_at(const rh_axis *axis, double u)
{
  switch (axis->kind) {
  case RH_AXIS_UNIFORM:
    return axis->a + (axis->b - axis->a) * u;
  case RH_AXIS_LOGUNIFORM:
    return axis->a * rh_pow(axis->b / axis->a, u);
  case RH_AXIS_NORMAL:
    return axis->a + axis->b * rh_normal_quantile(u);
  default:
    break;
  }
  long point = (long)(u * (double)axis->n);
  return rh_axis_point(axis, point < axis->n ? point : axis->n - 1);
}

static double ratio_at(const double p[8], const double q[7], double r)
{
  double over = p[7];
  double under = q[6];
  for (int i = 6; i >= 0; i--) {
    over = over * r + p[i];
    under = i > 0 ? under * r + q[i - 1] : under * r + 1;
  }
  return over / under;
}

// PPND16, relative error about 1e-16 [Wichura 1988, algorithm AS 241].
double rh_normal_quantile(double u)
{
  static const double a[8] = {3.3871328727963666080e0,  1.3314166789178437745e+2,
                              1.9715909503065514427e+3, 1.3731693765509461125e+4,
                              4.5921953931549871457e+4, 6.7265770927008700853e+4,
                              3.3430575583588128105e+4, 2.5090809287301226727e+3};
  static const double b[7] = {4.2313330701600911252e+1, 6.8718700749205790830e+2,
                              5.3941960214247511077e+3, 2.1213794301586595867e+4,
                              3.9307895800092710610e+4, 2.8729085735721942674e+4,
                              5.2264952788528545610e+3};
  static const double c[8] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                              5.76949722146069140550e0,  3.64784832476320460504e0,
                              1.27045825245236838258e0,  2.41780725177450611770e-1,
                              2.27238449892691845833e-2, 7.74545014278341407640e-4};
  static const double d[7] = {2.05319162663775882187e0,  1.67638483018380384940e0,
                              6.89767334985100004550e-1, 1.48103976427480074590e-1,
                              1.51986665636164571966e-2, 5.47593808499534494600e-4,
                              1.05075007164441684324e-9};
  static const double e[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                              1.78482653991729133580e0,  2.96560571828504891230e-1,
                              2.65321895265761230930e-2, 1.24266094738807843860e-3,
                              2.71155556874348757815e-5, 2.01033439929228813265e-7};
  static const double f[7] = {5.99832206555887937690e-1, 1.36929880922735805310e-1,
                              1.48753612908506148525e-2, 7.86869131145613259100e-4,
                              1.84631831751005468180e-5, 1.42151175831644588870e-7,
                              2.04426310338993978564e-15};
  double q = u - 0.5;
  if (fabs(q) <= 0.425) {
    return q * ratio_at(a, b, 0.180625 - q * q);
  }
  double r = sqrt(-rh_log(q < 0 ? u : 1 - u));
  double x = r <= 5 ? ratio_at(c, d, r - 1.6) : ratio_at(e, f, r - 5);
  return q < 0 ? -x : x;
}
