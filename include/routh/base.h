// routh/base.h: status codes, hooks, messages, and the rows and parameters of every kind.
//
// Rules of all functions of Routh, where the comment of one states nothing else:
// - Ownership. An object made by rh_x_create, rh_x_open, rh_scene_load, rh_scene_parse or
//   rh_scene_compile belongs to the caller, who frees it by rh_x_destroy or rh_x_close; these
//   accept NULL. After an error the result is NULL. Texts of tables (names, units, messages of a
//   status) last as long as the program; other results that are pointers belong to the object they
//   were read from and last as long as it.
// - Arguments are read during the call only: definitions, texts and states are copied.
// - NULL is not allowed, except for an rh_diag: without one the messages are dropped.
// - Threads. An object is used by one thread at a time; different objects may be used at the same
//   time. An rh_model is never written after rh_scene_compile and may be shared by threads. Hooks
//   are set and rows are registered by one thread before all other calls.
#ifndef ROUTH_BASE_H
#define ROUTH_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define RH_API __attribute__((visibility("default")))
#define RH_CHECK_RESULT __attribute__((warn_unused_result))
#define RH_PRINTF(format_at, first) __attribute__((format(printf, format_at, first)))
#else
#define RH_API
#define RH_CHECK_RESULT
#define RH_PRINTF(format_at, first)
#endif

#define RH_NONE (-1) // "no index"
#define RH_COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

// ---- Status: one list makes the enum, the names, the messages and the exit codes of the program.

#define RH_STATUS_LIST(X)                                             \
  X(OK, 0, "done")                                                    \
  X(OUTSIDE_TOLERANCE, 1, "the result lies outside its tolerance")    \
  X(WRONG_USAGE, 2, "wrong usage")                                    \
  X(INPUT_REFUSED, 3, "the input was refused")                        \
  X(STOPPED, 4, "the run was stopped")                                \
  X(NOT_FINITE, 4, "a number is no longer finite")                    \
  X(TOLERANCE_NOT_REACHED, 4, "the step size underflowed its limit")  \
  X(OUTPUT_NOT_WRITTEN, 5, "the output could not be written")         \
  X(OUT_OF_MEMORY, 6, "out of memory")                                \
  X(OVER_LIMIT, 6, "a limit was exceeded")                            \
  X(INTERRUPTED, 130, "interrupted")

typedef enum rh_status {
#define RH_STATUS_ENUM(name, code, text) RH_##name,
  RH_STATUS_LIST(RH_STATUS_ENUM)
#undef RH_STATUS_ENUM
} rh_status;

// Any thread; the texts last as long as the program.
RH_API const char *rh_status_name(rh_status status);    // "INPUT_REFUSED"
RH_API const char *rh_status_message(rh_status status); // "the input was refused"
RH_API int rh_status_exit_code(rh_status status);       // 3

#define RH_TRY(expression)                     \
  do {                                         \
    rh_status rh_try_status_ = (expression);   \
    if (rh_try_status_ != RH_OK) {             \
      return rh_try_status_;                   \
    }                                          \
  } while (0)

// ---- Hooks: set them before anything else is called. The library allocates only through these.

typedef struct rh_allocator { // copied by rh_hook_set_allocator; `user` must outlive all objects
  // As realloc; bytes == 0 frees and returns NULL. Called by every thread that uses the library.
  void *(*resize)(void *user, void *block, size_t bytes);
  void *user;
} rh_allocator;

typedef void rh_assert_fn(const char *condition, const char *file, int line);

RH_API void rh_hook_set_allocator(const rh_allocator *allocator); // NULL: that of the C library
RH_API void rh_hook_set_assert(rh_assert_fn *handler);            // NULL: print and abort
// Memory of the hook's allocator, any thread. The caller frees a block by rh_free.
RH_API void *rh_alloc(size_t bytes); // zeroed; NULL when out of memory
// `block` NULL: a new one. NULL when out of memory: the old block is still the caller's. New bytes
// are not zeroed.
RH_API void *rh_realloc(void *block, size_t bytes);
RH_API void rh_free(void *block); // NULL is allowed
RH_API void rh_assert_failed(const char *condition, const char *file, int line); // calls the hook

#define RH_ASSERT(condition) \
  ((condition) ? (void)0 : rh_assert_failed(#condition, __FILE__, __LINE__))

// ---- Messages: a function that refuses its input reports the reason to an rh_diag, with its
// place.

typedef enum rh_severity { RH_ERROR, RH_WARNING, RH_NOTE } rh_severity;

typedef struct rh_place {
  const char *file; // name as the user gave it, "-s" for an override, NULL: none; not owned
  int line, column; // from 1; 0: unknown
  int length;       // characters to underline; 0: one
} rh_place;

typedef struct rh_message {
  rh_severity severity;
  rh_place place;
  const char *text;   // what is wrong, and what was expected
  const char *source; // the line of the file, NULL if not known
} rh_message;

typedef struct rh_diag rh_diag;

// In all functions of this group `diag` may be NULL: nothing is kept then, and the counts are 0.
RH_API rh_diag *rh_diag_create(void);        // NULL when out of memory; the caller destroys it
RH_API void rh_diag_destroy(rh_diag *diag);
RH_API void rh_diag_clear(rh_diag *diag);    // drops all messages; sources are kept
// Registers the text of a file so that messages can show the line; both are copied. Returns the
// name kept for places, valid until the diag is destroyed; `file` itself without a diag; NULL when
// out of memory.
RH_API const char *rh_diag_add_source(rh_diag *diag, const char *file, const char *text,
                                      size_t bytes);
// Copies the formatted text; place.file must last as long as the diag. Messages past 1000 are only
// counted. An error that comes after an allocation has failed (since the diag was created or
// cleared) begins with "out of memory: ".
RH_API void rh_diag_add(rh_diag *diag, rh_severity severity, rh_place place, const char *format,
                        ...) RH_PRINTF(4, 5);
RH_API int rh_diag_count(const rh_diag *diag, rh_severity severity); // all that were added
RH_API int rh_diag_kept(const rh_diag *diag);                        // all that can be read back
// Its texts are valid until the diag is cleared or destroyed. An index out of range: empty text.
RH_API rh_message rh_diag_get(const rh_diag *diag, int index);
// "file:line:column: error: text", the source line and a caret. Returns the length of the whole;
// writes at most `size` bytes with the closing zero. `buffer` may be NULL if `size` is 0.
RH_API int rh_message_format(const rh_message *message, char *buffer, size_t size);
// The candidate nearest to `name` (edit distance at most 2, or a third of its length), one of the
// pointers in `candidates`; NULL: none is near. `name` and candidates may be NULL.
RH_API const char *rh_nearest_name(const char *name, const char *const *candidates, int count);
// Three arguments for "%s%s%s" after an unknown name: the name that may have been meant, nothing if
// `near` is NULL.
#define RH_DID_YOU_MEAN(near)                                                                      \
  (near) ? "; did you mean '" : "", (near) ? (near) : "", (near) ? "'?" : ""

#define RH_NOWHERE ((rh_place){0})

// ---- Parameters and rows: the values of a scene, with unit, default, range and a line of text.

typedef enum rh_value_type {
  RH_NUMBER, // one double
  RH_VECTOR, // `count` doubles
  RH_LIST,   // up to `count` doubles, see rh_list
  RH_INTEGER,
  RH_FLAG,   // yes or no
  RH_CHOICE, // one of the words in `choices`; the value is its index
  RH_TEXT,   // a name, see rh_name
  RH_NUMBERS, // any number of doubles up to `count`, see rh_numbers
  RH_PATH,   // name of a file, see rh_path
  RH_PACKED, // many bytes as text, up to `count` characters, see rh_packed
} rh_value_type;

typedef struct rh_param {
  const char *name;    // key in the scene
  const char *unit;    // SI unit, "1" for none; "joint": that of the joint's coordinate (rad or m);
                       // "N/m^n": n is another parameter of the row
  double def;          // default (every component of a vector)
  double lo, hi;       // allowed range, both ends allowed
  const char *doc;     // one line
  rh_value_type type;
  int count;           // RH_VECTOR, RH_LIST, RH_NUMBERS: how many numbers (at most); RH_PACKED: characters
  const char *choices; // RH_CHOICE: "adams|bdf"
  bool open;           // the lower end itself is not allowed (mass > 0)
} rh_param;

#define RH_LIST_MAX 12
#define RH_NAME_MAX 64 // with the closing zero
#define RH_PATH_MAX 256

typedef struct rh_list { // numbers, one per degree of freedom; one number alone stands for all
  int n;
  double x[RH_LIST_MAX];
} rh_list;

typedef struct rh_name {
  char text[RH_NAME_MAX];
} rh_name;

typedef struct rh_numbers { // a long list, the caller's; a scene copies it when it is added
  int n;
  const double *x;
} rh_numbers;

typedef struct rh_packed { // bytes in base64, the caller's; a scene copies them when they are added
  int n;         // characters: A-Z a-z 0-9 + /, without padding
  const char *x;
} rh_packed;

typedef struct rh_path {
  char text[RH_PATH_MAX];
} rh_path;

// A copy of `text`; NULL: empty. A longer text is cut to 255 or 63 characters with '~' at the end,
// which rh_scene_compile reports as an error.
RH_API rh_path rh_path_of(const char *text);
RH_API rh_name rh_name_of(const char *text);

typedef struct rh_row { // the head of every descriptor of every kind
  const char *name;     // as in scenes and on the command line
  const char *cite;     // "[MO] eq. 6", "" if it is our own
  const char *doc;      // one line
  const rh_param *param;
  int nparam;
} rh_row;

#define RH_PAR_MAX 16 // numbers a row's parameters may take, all together

// Pure functions of a row, any thread.
RH_API int rh_param_size(const rh_param *param);             // doubles it takes in par[]
RH_API int rh_row_find(const rh_row *row, const char *name); // index of the parameter or RH_NONE
RH_API int rh_row_offset(const rh_row *row, int index);      // where it starts in par[]
// Writes all RH_PAR_MAX numbers.
RH_API void rh_row_defaults(const rh_row *row, double par[RH_PAR_MAX]);
// Is `value` finite and in range? If not, `why` (RH_WHY_MAX bytes) gets "must be > 0 kg, got -2".
RH_API bool rh_param_check(const rh_param *param, double value, char *why);
#define RH_WHY_MAX 256

// The unit of a parameter with the values in force: "N/m^n" is "N/m^1.5" for n = 1.5; a power is the
// one-letter name of a parameter of the row. Returns
// `text` (RH_UNIT_MAX bytes) or a text of the row. Such a parameter is late: it is read after the
// others.
RH_API const char *rh_param_unit(const rh_row *row, int index, const double *par, char *text);
RH_API bool rh_param_is_late(const rh_param *param);
#define RH_UNIT_MAX 128

RH_API const char *rh_version(void); // of the library that runs, "0.3.0"; RH_VERSION: the headers'

// ---- Units: "2 kg", "30 deg", "1.5e3 N/m" are numbers with a unit; a bare number is SI.

// Pure functions, any thread. Reads a number with an optional unit that must have the dimension of
// `unit`. False: `why` (RH_WHY_MAX bytes, or NULL) gets the reason, and `*value` is not written.
RH_API bool rh_unit_parse(const char *text, const char *unit, double *value, char *why);
RH_API bool rh_unit_known(const char *unit); // can this unit text be read?
RH_API int rh_unit_count(void);
// "deg" with `*si` "rad" and `*doc` "degree"; 0 <= index < rh_unit_count.
RH_API const char *rh_unit_name(int index, const char **si, const char **doc);

#ifdef __cplusplus
}
#endif
#endif
