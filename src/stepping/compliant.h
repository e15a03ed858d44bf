// compliant.h: compliant contacts within a time step.
#ifndef ROUTH_STEPPING_COMPLIANT_H
#define ROUTH_STEPPING_COMPLIANT_H

#include "stepping.h"

// compliant_impulse.c: a compliant law over a step
typedef struct rh_step_mean_impulse { // of a contact that ends at some velocity
  double p;                 // [N s]
  double z;                 // [m] depth at the end
  double took;              // [J] by its damper
} rh_step_mean_impulse;
void rh_step_mean_impulse_begin(rh_step_worker *worker, const rh_step_island *s, const rh_step_contact *touch, double h); // before the rows: w->lean
rh_step_mean_impulse rh_step_mean_impulse_at(const rh_step_worker *worker, const rh_step_row_info *s, double u);
double rh_step_mean_impulse_parts(const rh_step_worker *worker, const rh_step_row_info *s); // [m/s] velocity at the end from which on there is no impulse
bool rh_step_mean_impulse_fits(const rh_step_worker *worker, const rh_step_island *s, double h); // no rigid contact is passed. [solve]
rh_normal_out rh_step_law(const rh_step_world *w, const rh_step_row_info *s, double depth, double rate);

// compliant_law.c and compliant.c: compliant contacts
void rh_step_compliant_rule(rh_step_world *w, int i, rh_diag *diag);
double rh_step_compliant_first(const rh_step_worker *worker, rh_step_row_info *s); // the tangent at the start: `give`
double rh_step_compliant_tangent(const rh_step_worker *worker, rh_step_row_info *s, double u); // at velocity u; sets p and the velocity
double rh_step_compliant_within(double give, double w); // limits the compliance, to keep digits
void rh_step_compliant_bias(const rh_step_world *w, rh_step_row *c, const rh_step_row_info *s);
void rh_step_compliant_solve(rh_step_worker *worker, const rh_step_island *s, double h); // until tangents are laws. [solve]
void rh_step_compliant_ledger(rh_step_worker *worker, int k, double u, rh_step_contact *t);
double rh_step_compliant_stored(const rh_step_world *w, const rh_step_contact *t); // [J] in its spring, at rest
void rh_step_compliant_begin(rh_step_world *w);

#endif
