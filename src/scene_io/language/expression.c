// expression.c: see expression.h. Operators and values wait on two stacks until what follows binds
// less tightly; a function waits like an operator until its parenthesis is closed.
#include "expression.h"

#include "base/text.h"

#include <routh/elementary.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STACK_MAX = 64, MINUS_LEVEL = 4, POWER_LEVEL = 5 };

typedef struct function {
  const char *name;
  int least, most; // arguments
  double (*one)(double);
  double (*two)(double, double);
} function;

static const function functions[] = {
    {"sin", 1, 1, rh_sin, NULL},   {"cos", 1, 1, rh_cos, NULL},     {"tan", 1, 1, rh_tan, NULL},
    {"asin", 1, 1, rh_asin, NULL}, {"acos", 1, 1, rh_acos, NULL},   {"atan", 1, 1, rh_atan, NULL},
    {"sqrt", 1, 1, sqrt, NULL},    {"exp", 1, 1, rh_exp, NULL},     {"log", 1, 1, rh_log, NULL},
    {"floor", 1, 1, floor, NULL},  {"ceil", 1, 1, ceil, NULL},      {"round", 1, 1, round, NULL},
    {"abs", 1, 1, fabs, NULL},     {"atan2", 2, 2, NULL, rh_atan2}, {"min", 1, 8, NULL, fmin},
    {"max", 1, 8, NULL, fmax},     {"if", 3, 3, NULL, NULL},
};

typedef struct binary {
  const char *sign;
  int level; // higher binds more tightly
} binary;

static const binary binaries[] = {
    // longer signs first
    {"==", 1}, {"!=", 1}, {"<=", 1}, {">=", 1}, {"<", 1}, {">", 1},
    {"+", 2},  {"-", 2},  {"*", 3},  {"/", 3},  {"%", 3}, {"^", POWER_LEVEL},
};

typedef struct waiting {
  const char
      *sign; // of an operator; "-1": the sign of a number; "(": a parenthesis; "f": of a function
  int level; // 0: a parenthesis
  const function *call; // that the parenthesis belongs to
  int values;           // on the stack when it was opened
  size_t at;
} waiting;

typedef struct machine {
  const char *text;
  size_t bytes, at;
  const rh_scope *scope;
  double value[STACK_MAX];
  int nvalue;
  waiting wait[STACK_MAX];
  int nwait;
  rh_wrong *wrong;
} machine;

static bool refuse_part(machine *m, size_t at, const char *why)
{
  m->wrong->at = at;
  (void)snprintf(m->wrong->why, sizeof m->wrong->why, "%s", why);
  return false;
}

// ---- Names

size_t rh_expression_word(const char *text)
{
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
  static const char all[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
  return *text && strchr(letters, *text) ? strspn(text, all) : 0;
}

const rh_variable *rh_scope_find(const rh_scope *scope, const char *name, size_t bytes)
{
  for (int i = scope->count - 1; i >= 0; i--) {
    const char *own = scope->list[i].name.text;
    if (strlen(own) == bytes && memcmp(own, name, bytes) == 0) {
      return &scope->list[i];
    }
  }
  return NULL;
}

static bool push_value(machine *m, double value)
{
  if (m->nvalue == STACK_MAX) {
    return refuse_part(m, m->at, "the expression is too long");
  }
  m->value[m->nvalue++] = value;
  return true;
}

static bool push_waiting(machine *m, waiting w)
{
  if (m->nwait == STACK_MAX) {
    return refuse_part(m, m->at, "the expression is nested too deep");
  }
  m->wait[m->nwait++] = w;
  return true;
}

static bool refuse_name(machine *m, size_t length)
{
  char why[RH_WHY_MAX];
  char name[RH_NAME_MAX];
  const char *names[RH_VARIABLES_MAX];
  (void)snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), m->text + m->at);
  for (int i = 0; i < m->scope->count; i++) {
    names[i] = m->scope->list[i].name.text;
  }
  const char *near = rh_nearest_name(name, names, m->scope->count);
  (void)snprintf(why, sizeof why, "nothing is called '%s' here%s%s%s", name, RH_DID_YOU_MEAN(near));
  return refuse_part(m, m->at, why);
}

static bool read_name(machine *m, bool *operand)
{
  size_t length = rh_expression_word(m->text + m->at);
  const char *name = m->text + m->at;
  if (name[length] == '(') {
    for (int i = 0; i < RH_COUNT(functions); i++) {
      if (strlen(functions[i].name) == length && memcmp(functions[i].name, name, length) == 0) {
        waiting w = {"f", 0, &functions[i], m->nvalue, m->at};
        m->at += length + 1;
        return push_waiting(m, w);
      }
    }
    return refuse_part(m, m->at,
                       "no such function; there are sin cos tan asin acos atan atan2 sqrt exp log "
                       "floor ceil round abs min max if");
  }
  const rh_variable *v = rh_scope_find(m->scope, name, length);
  bool pi = !v && length == 2 && memcmp(name, "pi", 2) == 0;
  if (!v && !pi) {
    return refuse_name(m, length);
  }
  if (v && v->text != RH_NONE) {
    return refuse_part(m, m->at, "is a text, which stands in ${...} alone");
  }
  *operand = false;
  bool good = push_value(m, pi ? 3.14159265358979323846 : v->value);
  m->at += length;
  return good;
}

// ---- Operators

static double join_values(const char *sign, double a, double b)
{
  switch (sign[0]) {
  case '+':
    return a + b;
  case '-':
    return a - b;
  case '*':
    return a * b;
  case '/':
    return a / b;
  case '%': // of the sign of b: (i - 1) % n is an index too
    return a - b * floor(a / b);
  case '^':
    return rh_pow(a, b);
  case '=':
    return a == b;
  case '!':
    return a != b;
  case '<':
    return sign[1] == '=' ? a <= b : a < b;
  default:
    return sign[1] == '=' ? a >= b : a > b;
  }
}

static bool apply_last(machine *m)
{
  waiting w = m->wait[--m->nwait];
  bool minus = strcmp(w.sign, "-1") == 0;
  double *top = &m->value[m->nvalue - 1];
  if (minus) {
    *top = -*top;
    return true;
  }
  m->nvalue--;
  top--;
  *top = join_values(w.sign, top[0], top[1]);
  return isfinite(*top) || refuse_part(m, w.at, "the result is no finite number");
}

// Operators that bind at least as tightly as `level` act now; of equal ones, ^ waits.
static bool apply_tighter(machine *m, int level)
{
  while (m->nwait > 0 && m->wait[m->nwait - 1].level > 0 &&
         (m->wait[m->nwait - 1].level > level ||
          (m->wait[m->nwait - 1].level == level && level != POWER_LEVEL))) {
    if (!apply_last(m)) {
      return false;
    }
  }
  return true;
}

static bool call_function(machine *m, const waiting *w)
{
  const function *f = w->call;
  int n = m->nvalue - w->values;
  double *x = &m->value[w->values];
  if (n < f->least || n > f->most) {
    char why[RH_WHY_MAX];
    (void)snprintf(why, sizeof why, "%s takes %d argument%s, got %d", f->name, f->least,
                   f->least == 1 ? "" : "s", n);
    return refuse_part(m, w->at, why);
  }
  double result = f->one ? f->one(x[0]) : f->two ? x[0] : x[0] != 0 ? x[1] : x[2];
  for (int i = 1; f->two && i < n; i++) {
    result = f->two(result, x[i]);
  }
  m->nvalue = w->values;
  return isfinite(result) ? push_value(m, result)
                          : refuse_part(m, w->at, "the result is no finite number");
}

// ',' and ')'
static bool close_part(machine *m, bool comma, bool *operand)
{
  if (!apply_tighter(m, 1)) {
    return false;
  }
  const waiting *w = m->nwait > 0 ? &m->wait[m->nwait - 1] : NULL;
  if (!w || (comma && !w->call)) {
    return refuse_part(m, m->at,
                       comma ? "',' belongs in the arguments of a function"
                             : "there is no '(' for this ')'");
  }
  m->at++;
  *operand = comma;
  if (comma) {
    return true;
  }
  waiting closed = m->wait[--m->nwait];
  return !closed.call || call_function(m, &closed);
}

static bool read_operator(machine *m, bool *operand)
{
  char c = m->text[m->at];
  if (c == ')' || c == ',') {
    return close_part(m, c == ',', operand);
  }
  for (int i = 0; i < RH_COUNT(binaries); i++) {
    size_t length = strlen(binaries[i].sign);
    if (strncmp(m->text + m->at, binaries[i].sign, length) == 0) {
      waiting w = {binaries[i].sign, binaries[i].level, NULL, 0, m->at};
      if (!apply_tighter(m, w.level)) {
        return false;
      }
      m->at += length;
      *operand = true;
      return push_waiting(m, w);
    }
  }
  return refuse_part(m, m->at, "an operator is expected: + - * / % ^ == != < <= > >=");
}

static bool read_operand(machine *m, bool *operand)
{
  char c = m->text[m->at];
  double value = 0;
  if (c == '-' || c == '+' || c == '(') {
    waiting w = {c == '(' ? "(" : "-1", c == '(' ? 0 : MINUS_LEVEL, NULL, 0, m->at};
    m->at++;
    return c == '+' || push_waiting(m, w);
  }
  if ((c >= '0' && c <= '9') || c == '.') {
    size_t length = rh_number_read(m->text + m->at, &value);
    if (length == 0 || !isfinite(value)) {
      return refuse_part(m, m->at, "is no number");
    }
    *operand = false;
    m->at += length;
    return push_value(m, value);
  }
  if (rh_expression_word(m->text + m->at) > 0) {
    return read_name(m, operand);
  }
  return refuse_part(m, m->at, "a number, a name, a function or '(' is expected");
}

bool rh_expression_read(const char *text, size_t bytes, const rh_scope *scope, double *value,
                        rh_wrong *wrong)
{
  machine m = {.text = text, .bytes = bytes, .scope = scope, .wrong = wrong};
  bool operand = true; // one is expected next, not an operator
  for (;;) {
    m.at += strspn(text + m.at, " ");
    if (m.at >= bytes) {
      break;
    }
    if (!(operand ? read_operand(&m, &operand) : read_operator(&m, &operand))) {
      return false;
    }
  }
  if (operand) {
    return refuse_part(&m, bytes, "the expression ends where a number is expected");
  }
  if (!apply_tighter(&m, 1)) {
    return false;
  }
  if (m.nwait > 0) {
    return refuse_part(&m, m.wait[m.nwait - 1].at, "this '(' is not closed");
  }
  *value = m.value[0] + 0.0; // no -0
  return true;
}
