// many.h: what the formulations of impacts at many points share (many_part.c).
#ifndef ROUTH_IMPACT_MANY_H
#define ROUTH_IMPACT_MANY_H

#include "impact/impact.h"
#include "lcp/lcp.h"

size_t rh_many_together_room(int n); // of rh_many_impact alone

// No impulses, nothing lost. False: no point approaches, and that is the answer.
bool rh_many_open(const rh_many_in *in, double *p, double *u_after, rh_many_out *out);
// Is e < 0 anywhere?
bool rh_many_early(const rh_many_in *in);
// An order of the points that depends on nothing but their own data (n), and W and u in that order.
void rh_many_order(const rh_many_in *in, double *order);
void rh_many_arrange(const rh_many_in *in, const double *order, double *W, double *u);
// A cone problem by the solvers in turn; p: start and answer.
bool rh_many_cone(const rh_cone *cone, double *room, double *p);
size_t rh_many_cone_room(int n);
// Velocities under the impulses p; what still approaches is stopped in one plastic impact, which is added to p, or left as it is.
bool rh_many_plastic(const rh_many_in *in, double *room, double *p, double *u_after, bool leave);
size_t rh_many_plastic_room(int n);
// Directions in which impulses of the points that have one are not determined, friction included where there is some. `p` in
// the given order (NULL: the input's).
int rh_many_free(const rh_many_in *in, const double *p, const double *order, double *room);
size_t rh_many_free_room(int n);

#endif
