// unit.c: numbers with units, "30 deg", "2kg", "1.5e3 N/m". Units multiply by a blank or '*', divide by '/' (which
// takes the next unit only) and have powers by '^', fractions too: N/m^1.5. The angle is a dimension of its own, so that rad/s and Hz, or
// degrees and bare numbers, cannot be mixed up. A parameter may allow several units, with commas between them.
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI          3.14159265358979323846
#define NBASE       4 // m kg s rad
#define POWER_MAX   10
#define FACTOR_MAX  16
#define UNIT_LENGTH 64

// SI value = number * up / down.
typedef struct unit {
  const char *name;
  double up, down;
  double dim[NBASE];
  const char *si; // its SI unit
  const char *doc;
} unit;

// Units multiplied: SI value = number * up / down * 10^ten. The tens of whole numbers are counted
// separately and go into the digits that are read: 45.9 g is the double nearest to 0.0459, and 1.23
// min that nearest to 73.8.
typedef struct product {
  double up, down;
  double dim[NBASE];
  int ten;
} product;

// clang-format off
static const unit units[] = {
    {"1", 1, 1, {0, 0, 0, 0}, "1", "a plain number"},
    {"m", 1, 1, {1, 0, 0, 0}, "m", "metre"},
    {"km", 1e3, 1, {1, 0, 0, 0}, "m", "kilometre"},
    {"dm", 1, 10, {1, 0, 0, 0}, "m", "decimetre"},
    {"cm", 1, 100, {1, 0, 0, 0}, "m", "centimetre"},
    {"mm", 1, 1e3, {1, 0, 0, 0}, "m", "millimetre"},
    {"um", 1, 1e6, {1, 0, 0, 0}, "m", "micrometre"},
    {"nm", 1, 1e9, {1, 0, 0, 0}, "m", "nanometre"},
    {"kg", 1, 1, {0, 1, 0, 0}, "kg", "kilogram"},
    {"g", 1, 1e3, {0, 1, 0, 0}, "kg", "gram"},
    {"mg", 1, 1e6, {0, 1, 0, 0}, "kg", "milligram"},
    {"t", 1e3, 1, {0, 1, 0, 0}, "kg", "tonne"},
    {"s", 1, 1, {0, 0, 1, 0}, "s", "second"},
    {"ms", 1, 1e3, {0, 0, 1, 0}, "s", "millisecond"},
    {"us", 1, 1e6, {0, 0, 1, 0}, "s", "microsecond"},
    {"ns", 1, 1e9, {0, 0, 1, 0}, "s", "nanosecond"},
    {"min", 60, 1, {0, 0, 1, 0}, "s", "minute"},
    {"h", 3600, 1, {0, 0, 1, 0}, "s", "hour"},
    {"Hz", 1, 1, {0, 0, -1, 0}, "1/s", "hertz"},
    {"kHz", 1e3, 1, {0, 0, -1, 0}, "1/s", "kilohertz"},
    {"N", 1, 1, {1, 1, -2, 0}, "N", "newton"},
    {"mN", 1, 1e3, {1, 1, -2, 0}, "N", "millinewton"},
    {"kN", 1e3, 1, {1, 1, -2, 0}, "N", "kilonewton"},
    {"MN", 1e6, 1, {1, 1, -2, 0}, "N", "meganewton"},
    {"J", 1, 1, {2, 1, -2, 0}, "J", "joule"},
    {"mJ", 1, 1e3, {2, 1, -2, 0}, "J", "millijoule"},
    {"kJ", 1e3, 1, {2, 1, -2, 0}, "J", "kilojoule"},
    {"MJ", 1e6, 1, {2, 1, -2, 0}, "J", "megajoule"},
    {"W", 1, 1, {2, 1, -3, 0}, "W", "watt"},
    {"kW", 1e3, 1, {2, 1, -3, 0}, "W", "kilowatt"},
    {"MW", 1e6, 1, {2, 1, -3, 0}, "W", "megawatt"},
    {"Pa", 1, 1, {-1, 1, -2, 0}, "Pa", "pascal"},
    {"kPa", 1e3, 1, {-1, 1, -2, 0}, "Pa", "kilopascal"},
    {"MPa", 1e6, 1, {-1, 1, -2, 0}, "Pa", "megapascal"},
    {"GPa", 1e9, 1, {-1, 1, -2, 0}, "Pa", "gigapascal"},
    {"rad", 1, 1, {0, 0, 0, 1}, "rad", "radian"},
    {"mrad", 1, 1e3, {0, 0, 0, 1}, "rad", "milliradian"},
    {"deg", PI, 180, {0, 0, 0, 1}, "rad", "degree"},
    {"rev", 2 * PI, 1, {0, 0, 0, 1}, "rad", "revolution"},
    {"rpm", 2 * PI, 60, {0, 0, -1, 1}, "rad/s", "revolutions a minute"},
};

// clang-format on

static const unit *find_unit(const char *name, size_t length)
{
  for (int i = 0; i < RH_COUNT(units); i++) {
    if (strlen(units[i].name) == length && memcmp(units[i].name, name, length) == 0) {
      return &units[i];
    }
  }
  return NULL;
}

static bool is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static const char *skip_blank(const char *text)
{
  while (*text == ' ' || *text == '\t') {
    text++;
  }
  return text;
}

static const char *explain_unknown(const char *text, size_t length, char *why)
{
  char name[UNIT_LENGTH + 1] = {0};
  const char *names[RH_COUNT(units)];
  memcpy(name, text, length > 0 ? length : strnlen(text, 1));
  for (int i = 0; i < RH_COUNT(units); i++) {
    names[i] = units[i].name;
  }
  const char *near = rh_nearest_name(name, names, RH_COUNT(units));
  snprintf(why, RH_WHY_MAX, "unknown unit '%s'%s%s%s", name, RH_DID_YOU_MEAN(near));
  return NULL;
}

// Reads the power after '^'. Returns its length, 0 after writing `why`.
static size_t read_power(const char *text, double *power, char *why)
{
  size_t length = rh_number_read(text, power);
  if (length == 0 || text[0] == '+' || !(fabs(*power) > 0 && fabs(*power) <= POWER_MAX)) {
    snprintf(why, RH_WHY_MAX, "a power of a unit is a number up to %d, with or without '-'",
             POWER_MAX);
    return 0;
  }
  return length;
}

// Takes the tens out of a whole number; returns their number.
static int take_tens(double *x)
{
  int tens = 0;
  while (*x >= 10 && fmod(*x, 10) == 0) {
    *x /= 10;
    tens++;
  }
  return tens;
}

// x^part, 0 < part < 1: a product of square roots of square roots, which are the same bits everywhere. Parts of units' powers
// are mostly 1/2.
static double power_part(double x, double part)
{
  double y = 1;
  for (double root = sqrt(x); part > 0; root = sqrt(root)) {
    part *= 2;
    if (part >= 1) {
      y *= root;
      part -= 1;
    }
  }
  return y;
}

// Multiplies u^power into `sum`. Whole powers are products, which keep the bits of the usual
// decimal numbers.
static void multiply_power(product *sum, const unit *u, double power)
{
  for (int i = 0; i < NBASE; i++) {
    sum->dim[i] += power * u->dim[i];
  }
  double up = power > 0 ? u->up : u->down;
  double down = power > 0 ? u->down : u->up;
  int whole = (int)fabs(power);
  double left = fabs(power) - whole;
  bool exact = up == floor(up) && down == floor(down); // the others have a pi in them
  if (left > 0) {
    sum->up *= power_part(up, left);
    sum->down *= power_part(down, left);
  }
  if (exact) {
    sum->ten += whole * (take_tens(&up) - take_tens(&down));
  }
  for (int i = 0; i < whole; i++) {
    sum->up *= up;
    sum->down *= down;
  }
}

// "N", "m^2", "1": one unit with its power, multiplied into `sum`. Returns the rest, NULL after
// writing `why`.
static const char *read_factor(const char *text, bool below, product *sum, char *why)
{
  size_t length = text[0] == '1' ? 1 : 0;
  while (length < UNIT_LENGTH && is_letter(text[length])) {
    length++;
  }
  const unit *u = find_unit(text, length);
  if (!u) {
    return explain_unknown(text, length, why);
  }
  const char *end = text + length;
  double power = 1;
  if (*end == '^') {
    size_t power_length = read_power(end + 1, &power, why);
    if (power_length == 0) {
      return NULL;
    }
    end += 1 + power_length;
  }
  multiply_power(sum, u, below ? -power : power);
  return end;
}

// A whole unit text up to `stop` or the end.
static const char *read_unit(const char *text, char stop, product *sum, char *why)
{
  *sum = (product){.up = 1, .down = 1};
  bool below = false;
  text = skip_blank(text);
  for (int i = 0; i < FACTOR_MAX; i++) {
    text = read_factor(text, below, sum, why);
    if (!text) {
      return NULL;
    }
    const char *next = skip_blank(text);
    if (*next == '\0' || *next == stop) {
      return next;
    }
    if (*next != '*' && *next != '/' && next == text) { // "kg2": neither an operator nor a blank
      snprintf(why, RH_WHY_MAX, "unexpected '%.8s' in the unit; powers are written m^2", next);
      return NULL;
    }
    below = *next == '/';
    text = *next == '*' || *next == '/' ? skip_blank(next + 1) : next;
  }
  snprintf(why, RH_WHY_MAX, "the unit has too many parts");
  return NULL;
}

// Units that a parameter's unit text allows: "joint" is the unit of a joint's coordinate, one of
// two.
static const char *allowed_units(const char *unit_text)
{
  if (!unit_text || !*unit_text) {
    return "1";
  }
  if (strcmp(unit_text, "joint") == 0) {
    return "rad, m";
  }
  if (strcmp(unit_text, "joint/s^2") == 0) {
    return "rad/s^2, m/s^2";
  }
  return strcmp(unit_text, "joint/s") == 0 ? "rad/s, m/s" : unit_text;
}

static bool same_dimension(const product *a, const product *b)
{
  static const double SAME = 1e-9; // fractions such as 1.3 add up to within rounding
  for (int i = 0; i < NBASE; i++) {
    if (fabs(a->dim[i] - b->dim[i]) > SAME) {
      return false;
    }
  }
  return true;
}

// Does `got` have the dimension of one of the units in `allowed`?
static bool dimension_fits(const product *got, const char *allowed)
{
  char why[RH_WHY_MAX];
  product one;
  while (allowed) {
    allowed = read_unit(allowed, ',', &one, why);
    if (allowed && same_dimension(got, &one)) {
      return true;
    }
    allowed = allowed && *allowed == ',' ? allowed + 1 : NULL;
  }
  return false;
}

bool rh_unit_known(const char *unit_text)
{
  char why[RH_WHY_MAX];
  char plain[RH_UNIT_MAX];
  product one;
  const char *text = allowed_units(unit_text);
  size_t length = 0;
  for (; *text && length + 1 < sizeof plain; text++) {
    if (text[0] == '^' && text[1] >= 'a' && text[1] <= 'z') {
      text++; // any number is valid for the other parameter
    } else {
      plain[length++] = *text;
    }
  }
  plain[length] = '\0';
  text = plain;
  do {
    text = read_unit(text, ',', &one, why);
    if (!text || one.up != one.down || one.ten != 0) { // parameters are in SI
      return false;
    }
  } while (*text++ == ',');
  return true;
}

static bool explain_number(const char *text, char *why)
{
  static const char *const special[] = {"nan", ".nan", "inf", ".inf", "infinity"};
  const char *word = text + (*text == '-' || *text == '+');
  for (int i = 0; i < RH_COUNT(special); i++) {
    size_t j = 0;
    while (word[j] && special[i][j] && (word[j] | 0x20) == (special[i][j] | 0x20)) {
      j++;
    }
    if (!word[j] && !special[i][j]) {
      snprintf(why, RH_WHY_MAX, "must be finite");
      return false;
    }
  }
  snprintf(why, RH_WHY_MAX,
           *text ? "must be a number, got '%.40s'" : "must be a number, got nothing", text);
  return false;
}

static bool explain_unit(const char *got, const char *allowed, char *why)
{
  if (strcmp(allowed, "1") == 0) {
    snprintf(why, RH_WHY_MAX, "unit '%.40s' does not fit: it is a number without unit", got);
    return false;
  }
  const char *comma = strchr(allowed, ',');
  int first = comma ? (int)(comma - allowed) : (int)strlen(allowed);
  snprintf(why, RH_WHY_MAX, "unit '%.40s' does not fit: it is measured in %.*s%s%.60s", got, first,
           allowed, comma ? " or" : "", comma ? comma + 1 : "");
  return false;
}

// The number of `length` characters at `text`, times `factor` times 10^ten, rounded once.
static double read_scaled(const char *text, size_t length, unsigned factor, int ten)
{
  enum { DIGITS = 600, CARRY = 10 };

  char copy[DIGITS + CARRY + 32];
  char digit[DIGITS];
  int count = 0;
  long shift = ten;
  bool fraction = false;
  size_t i = text[0] == '+' || text[0] == '-' ? 1 : 0;
  for (; i < length && text[i] != 'e' && text[i] != 'E'; i++) {
    if (text[i] == '.') {
      fraction = true;
    } else if (count < DIGITS) { // a digit after the 600th changes no double
      digit[count++] = text[i];
      shift -= fraction;
    } else {
      shift += !fraction;
    }
  }
  if (i < length) {
    bool minus = text[i + 1] == '-';
    long power = 0;
    for (i += text[i + 1] == '-' || text[i + 1] == '+' ? 2 : 1; i < length; i++) {
      power = power < 100000 ? 10 * power + (text[i] - '0') : power;
    }
    shift += minus ? -power : power;
  }
  unsigned long carry = 0;
  int at = DIGITS + CARRY;
  copy[at] = '\0';
  while (count > 0 || carry > 0) {
    carry += count > 0 ? (unsigned long)(digit[--count] - '0') * factor : 0;
    copy[--at] = (char)('0' + carry % 10);
    carry /= 10;
  }
  snprintf(copy + DIGITS + CARRY, 32, "e%ld", shift);
  double value = 0;
  (void)rh_number_read(copy + at, &value);
  return text[0] == '-' ? -value : value;
}

bool rh_unit_parse(const char *text, const char *unit_text, double *value, char *why)
{
  char local[RH_WHY_MAX];
  why = why ? why : local;
  text = skip_blank(text);
  double number = 0;
  size_t length = rh_number_read(text, &number);
  if (length == 0) {
    return explain_number(text, why);
  }
  const char *rest = skip_blank(text + length);
  product u = {.up = 1, .down = 1};
  if (*rest) {
    if (!is_letter(*rest) && !(rest > text + length && *rest == '1')) {
      snprintf(why, RH_WHY_MAX, "must be a number, got '%.40s'", text);
      return false;
    }
    const char *end = read_unit(rest, '\0', &u, why);
    if (!end) {
      return false;
    }
    if (!dimension_fits(&u, allowed_units(unit_text))) {
      return explain_unit(rest, allowed_units(unit_text), why);
    }
  }
  bool whole = u.up == floor(u.up) && u.up <= 1e6;
  bool scaled = u.ten != 0 || (whole && u.up > 1);
  double result = !scaled ? number * u.up / u.down
                  : whole ? read_scaled(text, length, (unsigned)u.up, u.ten) / u.down
                          : read_scaled(text, length, 1, u.ten) * u.up / u.down;
  if (!isfinite(result)) {
    snprintf(why, RH_WHY_MAX, "is too large: a number must be below 1.8e308");
    return false;
  }
  *value = result;
  return true;
}

int rh_unit_count(void)
{
  return RH_COUNT(units);
}

const char *rh_unit_name(int index, const char **si, const char **doc)
{
  RH_ASSERT(index >= 0 && index < RH_COUNT(units));
  *si = units[index].si;
  *doc = units[index].doc;
  return units[index].name;
}
