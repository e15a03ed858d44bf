// laws.h: what the tests of contact laws share: random parameters of a row, the state of a
// contact with friction.
#ifndef ROUTH_TEST_LAWS_H
#define ROUTH_TEST_LAWS_H

#include "world.h"

#include <math.h>

// The number of a row's parameter.
static inline double *par_at(const rh_row *row, double *par, const char *name)
{
  int index = rh_row_find(row, name);
  ck_assert_msg(index != RH_NONE, "%s has no parameter %s", row->name, name);
  return &par[rh_row_offset(row, index)];
}

static inline bool has_par(const rh_row *row, const char *name)
{
  return rh_row_find(row, name) != RH_NONE;
}

// Numbers up to three times larger or smaller than their defaults, choices at will; what is zero or special stays.
static inline void random_par(rng *r, const rh_row *row, double par[RH_PAR_MAX])
{
  rh_row_defaults(row, par);
  for (int i = 0; i < row->nparam; i++) {
    const rh_param *p = &row->param[i];
    double *x = &par[rh_row_offset(row, i)];
    if (p->type == RH_CHOICE) {
      *x = rng_int(r, (int)p->hi + 1);
    } else if (*x > 0 && isfinite(*x)) {
      *x = fmin(p->hi, fmax(p->lo, *x * pow(3, rng_in(r, -1, 1))));
    }
  }
}

static inline void check_head(const rh_row *row)
{
  int numbers = 0;
  ck_assert(row->name[0] != '\0' && row->doc[0] != '\0' && row->cite != NULL);
  for (int k = 0; k < row->nparam; k++) {
    const rh_param *p = &row->param[k];
    ck_assert(p->name[0] != '\0' && p->doc[0] != '\0');
    ck_assert_msg(rh_unit_known(p->unit), "unit '%s' of %s", p->unit, p->name);
    ck_assert(p->lo < p->hi && p->lo <= p->def && p->def <= p->hi);
    ck_assert(!p->open || p->def > p->lo);
    ck_assert((p->type == RH_CHOICE) == (p->choices != NULL));
    ck_assert_int_eq(rh_row_find(row, p->name), k);
    numbers += rh_param_size(p);
  }
  ck_assert_int_le(numbers, RH_PAR_MAX);
}

// ---- Friction

typedef struct state { // a contact somewhere, with all the law needs
  const rh_friction_law *law;
  double par[RH_PAR_MAX];
  double s[RH_FRICTION_STATES];
  rh_friction_in in;
} state;

static inline void fix(state *x) // after a copy
{
  x->in.par = x->par;
  x->in.s = x->s;
}

static inline rh_friction_out ask(state *x)
{
  rh_friction_out out;
  memset(&out, 0xff, sizeof(out)); // not a number, wherever the law leaves something out
  fix(x);
  x->law->force(&x->in, &out);
  return out;
}

static inline double size_of(const double *v)
{
  return hypot(v[0], v[1]);
}

#endif
