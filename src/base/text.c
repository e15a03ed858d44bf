// text.c: see text.h. The C library reads and prints numbers in the locale of the program; here the
// decimal sign is replaced on input and output, so that a program that calls setlocale still reads
// the same scenes.
#include "text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reserve_bytes(rh_text *text, size_t count)
{
  if (text->failed || count > SIZE_MAX / 4 - text->size) {
    text->failed = true;
    return false;
  }
  if (text->size + count + 1 <= text->room) {
    return true;
  }
  size_t room = 2 * (text->size + count) + 64;
  char *data = rh_realloc(text->data, room);
  if (!data) {
    rh_text_free(text);
    text->failed = true;
    return false;
  }
  text->data = data;
  text->room = room;
  return true;
}

void rh_text_add_bytes(rh_text *text, const char *bytes, size_t count)
{
  if (!reserve_bytes(text, count)) {
    return;
  }
  if (count > 0) {
    memcpy(text->data + text->size, bytes, count);
  }
  text->size += count;
  text->data[text->size] = '\0';
}

void rh_text_add(rh_text *text, const char *string)
{
  rh_text_add_bytes(text, string, strlen(string));
}

void rh_text_addf(rh_text *text, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  int count = vsnprintf(NULL, 0, format, args);
  va_end(args);
  if (count < 0 || !reserve_bytes(text, (size_t)count)) {
    return;
  }
  va_start(args, format);
  vsnprintf(text->data + text->size, (size_t)count + 1, format, args);
  va_end(args);
  text->size += (size_t)count;
}

void rh_text_add_number(rh_text *text, double value)
{
  char number[RH_NUMBER_MAX];
  rh_number_write(value, number);
  rh_text_add(text, number);
}

void rh_text_pad(rh_text *text, size_t line_start, size_t column)
{
  while (!text->failed && text->size - line_start < column) {
    rh_text_add_bytes(text, " ", 1);
  }
}

char *rh_text_take(rh_text *text)
{
  rh_text_add_bytes(text, "", 0); // even an empty text is a string
  char *data = text->failed ? NULL : text->data;
  if (data) {
    *text = (rh_text){0};
  }
  return data;
}

void rh_text_free(rh_text *text)
{
  rh_free(text->data);
  *text = (rh_text){0};
}

// ---- Numbers

int rh_number_write(double value, char buffer[RH_NUMBER_MAX])
{
  if (!isfinite(value)) {
    return snprintf(buffer, RH_NUMBER_MAX, "%s", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
  }
  int count = 0;
  for (int digits = 15; digits <= 17; digits++) {
    count = snprintf(buffer, RH_NUMBER_MAX, "%.*g", digits, value);
    for (int i = 0; i < count;
         i++) { // the only character that is no digit, sign or exponent is the decimal sign
      if (!strchr("0123456789+-e", buffer[i])) {
        buffer[i] = '.';
      }
    }
    double back;
    if (digits == 17 || (rh_number_read(buffer, &back) > 0 && back == value)) {
      break;
    }
  }
  return count;
}

static size_t count_digits(const char *text)
{
  size_t n = 0;
  while (text[n] >= '0' && text[n] <= '9') {
    n++;
  }
  return n;
}

// Length of the number at `text`; `*point` gets the index of its decimal sign, or the length.
static size_t measure_number(const char *text, size_t *point, size_t *digits)
{
  size_t n = text[0] == '+' || text[0] == '-' ? 1 : 0;
  size_t whole = count_digits(text + n);
  size_t fraction = 0;
  n += whole;
  size_t at = SIZE_MAX;
  if (text[n] == '.') {
    at = n;
    fraction = count_digits(text + n + 1);
    n += 1 + fraction;
  }
  *digits = whole + fraction;
  if (*digits == 0) {
    return 0;
  }
  if (text[n] == 'e' || text[n] == 'E') {
    size_t sign = text[n + 1] == '+' || text[n + 1] == '-' ? 1 : 0;
    size_t power = count_digits(text + n + 1 + sign);
    n += power > 0 ? 1 + sign + power : 0;
  }
  *point = at == SIZE_MAX ? n : at;
  return n;
}

// Up to 15 digits and powers of ten up to 22 are exact doubles, so one product or quotient is rounded once.
static bool read_short(const char *text, size_t length, size_t point, double *value)
{
  static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  double sum = 0;
  long scale = 0;
  size_t i = text[0] == '+' || text[0] == '-' ? 1 : 0;
  for (; i < length && text[i] != 'e' && text[i] != 'E'; i++) {
    if (i != point) {
      sum = 10 * sum + (text[i] - '0');
      scale -= i > point ? 1 : 0;
    }
  }
  if (i < length) {
    if (length - i > 5) { // more than three digits of exponent
      return false;
    }
    scale += strtol(text + i + 1, NULL, 10);
  }
  if (scale < -22 || scale > 22) {
    return false;
  }
  sum = scale < 0 ? sum / power[-scale] : sum * power[scale];
  *value = text[0] == '-' ? -sum : sum;
  return true;
}

size_t rh_number_read(const char *text, double *value)
{
  size_t point = 0;
  size_t digits = 0;
  size_t length = measure_number(text, &point, &digits);
  if (length == 0 || length > 700) { // no double needs more digits than that
    return 0;
  }
  if (digits <= 15 && read_short(text, length, point, value)) {
    return length;
  }
  char sample[16];
  char copy[720];
  size_t sign = (size_t)snprintf(sample, sizeof sample, "%.1f", 1.5);
  sign = sign > 2 && sign < sizeof sample ? sign - 2
                                          : 1; // the decimal sign of the locale: between 1 and 5
  size_t n = 0;
  for (size_t i = 0; i < length; i++) {
    if (i == point) {
      memcpy(copy + n, sample + 1, sign);
      n += sign;
    } else {
      copy[n++] = text[i];
    }
  }
  copy[n] = '\0';
  *value = strtod(copy, NULL);
  return length;
}

size_t rh_utf8_next(const char *text, size_t left, unsigned *code)
{
  static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
  unsigned first = left > 0 ? (unsigned char)text[0] : 0xff;
  *code = first;
  if (first < 0x80) {
    return 1;
  }
  size_t count = first >= 0xf0 && first < 0xf8 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first >= 0xf8 || count > left) {
    return 0;
  }
  unsigned sum = first & (0x7fU >> count);
  for (size_t i = 1; i < count; i++) {
    unsigned next = (unsigned char)text[i];
    if ((next & 0xc0) != 0x80) {
      return 0;
    }
    sum = (sum << 6) | (next & 0x3f);
  }
  if (sum < least[count] || sum > 0x10ffff || (sum >= 0xd800 && sum < 0xe000)) {
    return 0;
  }
  *code = sum;
  return count;
}

static bool is_printable(unsigned code)
{
  bool turns = (code >= 0x200e && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
               (code >= 0x2066 && code <= 0x2069);
  return code == '\n' || code == '\t' ||
         (code >= 0x20 && !(code >= 0x7f && code < 0xa0) && !turns && code != 0xfeff);
}

void rh_text_make_printable(char *text)
{
  size_t left = strlen(text);
  while (left > 0) {
    unsigned code = 0;
    size_t n = rh_utf8_next(text, left, &code);
    if (n == 0 || !is_printable(code)) {
      n = n > 0 ? n : 1;
      memset(text, '?', n);
    }
    text += n;
    left -= n;
  }
}
