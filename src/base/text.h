// text.h: a growable text, and numbers as text that reads back to the same bits in every locale.
// Running out of memory is remembered in `failed`: callers add freely and check once, at the end.
#ifndef ROUTH_BASE_TEXT_H
#define ROUTH_BASE_TEXT_H

#include <routh/base.h>

typedef struct rh_text { // all zero: an empty text
  char *data;            // closed by a zero byte; NULL while nothing was added
  size_t size;           // bytes without the closing zero
  size_t room;
  bool failed; // out of memory; the text is empty from then on
} rh_text;

void rh_text_add(rh_text *text, const char *string);
void rh_text_add_bytes(rh_text *text, const char *bytes, size_t count);
void rh_text_addf(rh_text *text, const char *format, ...) RH_PRINTF(2, 3);
void rh_text_add_number(rh_text *text,
                        double value); // "inf", "-inf" and "nan" where it is not finite
void rh_text_pad(rh_text *text, size_t line_start,
                 size_t column);   // blanks up to a column of the present line
char *rh_text_take(rh_text *text); // hands the text over (rh_free); NULL when out of memory
void rh_text_free(rh_text *text);

#define RH_NUMBER_MAX 40 // bytes rh_number_write needs at most

// The shortest of 15, 16 or 17 digits that reads back to the same double, with '.' in every locale.
int rh_number_write(double value, char buffer[RH_NUMBER_MAX]);
// Reads sign, digits, point and exponent, and nothing else: no "nan", "inf", hexadecimal or blanks.
// Returns the number of characters read, 0 if there is no number. `*value` is infinite if the
// number is too large for a double.
size_t rh_number_read(const char *text, double *value);
// Makes a text fit for a terminal, in place: unprintable codes other than newline and tab (cursor,
// colour, direction of writing; damaged bytes) become question marks.
void rh_text_make_printable(char *text);
// Bytes of the UTF-8 character at `text` (1 to 4, at most `left`), 0 if it is damaged. `*code` gets its number.
size_t rh_utf8_next(const char *text, size_t left, unsigned *code);

#endif
