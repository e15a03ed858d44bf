// multi_contact.h: shared by the formulations of impacts at many points (multi_contact_part.c).
#ifndef ROUTH_IMPACT_MULTI_CONTACT_H
#define ROUTH_IMPACT_MULTI_CONTACT_H

#include "impact.h"
#include "complement/complement.h"

size_t rh_many_together_room(int n); // of rh_many_impact alone

// No impulses, nothing lost. False: no point approaches, and that is the result.
bool rh_many_open(const rh_many_in *in, double *p, double *u_after, rh_many_out *out);
// True if any e < 0.
bool rh_many_early(const rh_many_in *in);
// An order of the points that depends on their own data only (n), and W and u in that order.
void rh_many_order(const rh_many_in *in, double *order);
void rh_many_arrange(const rh_many_in *in, const double *order, double *W, double *u);
// A cone problem by the solvers in turn; p: start and result.
bool rh_many_cone(const rh_cone *cone, double *room, double *p);
size_t rh_many_cone_room(int n);
// Velocities under the impulses p; approaching points are stopped in one plastic impact, added to
// p, or left (`leave`).
bool rh_many_plastic(const rh_many_in *in, double *room, double *p, double *u_after, bool leave);
size_t rh_many_plastic_room(int n);
// Losses of each point on a straight way from velocities a to b under impulses p, added to lost
// (2n): D_n and D_t in turn.
void rh_many_add_losses(int n, const double *p, const double *a, const double *b, double *lost);
// Makes the losses of the points add up to the kinetic energy that p takes: the integration error
// goes to friction in proportion, or, where there is none or too little, to the normals in
// proportion to their impulses. The sums go to `out`, the losses to in->lost.
void rh_many_close_losses(const rh_many_in *in, const double *p, const double *u_after,
                          double *lost, rh_many_out *out);
// Directions in which impulses of the points that have one are not determined, friction included where there is some. `p` in
// the given order (NULL: the input's).
int rh_many_free(const rh_many_in *in, const double *p, const double *order, double *room);
size_t rh_many_free_room(int n);

#endif
