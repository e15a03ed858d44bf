// moreau.h: private interface of the time-stepping engine (layer 6): a world that moves by fixed steps, contacts and impacts in one
// complementarity problem a step (Moreau 1988, Jean 1999). A step of length h, by the numbers of docs/concepts.md:
//   1 free motion (free.c)   2 collide with a margin, 3 contacts keep their forces by feature (meet.c)   3 islands (island.c)
//   4 rows and their inertia (block.c)   5 solve (sweep.c)   9 impacts located inside the step (bounce.c)
//   8 positions (free.c), overlaps taken out (drift.c)   10 books (book.c)
// The unknowns are velocities at the end of the step and impulses p; for each contact, frame (t1, t2, n), u = J v,
//   0 <= p_n  _|_  u_n + max(phi, 0)/h >= 0,   |p_t| <= mu p_n, and where u_t is not 0: p_t = -mu p_n u_t/|u_t|
// with phi [m] the gap at the start. Coulomb's law is solved as it stands, not by a pyramid or a relaxed cone. A compliant contact gives way to
// its impulse: u_n + p_n/g and another bias in place of the gap (soft.c).
//
// A mobile is what moves by itself: a free body (the fast kind, arrays `hot` and `cold`, index 1 .. nfree), or a tree of joints (index
// above nfree). Index 0 is the world, which does not move.
#ifndef ROUTH_MOREAU_H
#define ROUTH_MOREAU_H

#include "base/pool.h"
#include "geom/broad.h"
#include "geom/meet.h"
#include "lcp/blocks.h"
#include "moreau/tree.h"
#include "sim/loop.h"

// [m] of the gap of a touch; located times leave rounding for round shapes, and others are located again
#define RH_MO_CLOSED 1e-10

typedef struct rh_mo_hot { // what a sweep reads and writes of a free body: two cache lines
  double v[3], w[3];       // [m/s, rad/s] of the centre of mass, world axes
  double im;               // [1/kg] 0: it does not move
  double J[6];             // [1/(kg m^2)] inverse inertia, world axes: xx yy zz xy xz yz
  double spare[3];
} rh_mo_hot;

typedef struct rh_mo_cold { // the rest of a free body
  rh_vec3 x;                // [m] centre of mass
  rh_quat q;                // attitude
  rh_mat3 R;
  rh_vec3 a;                // [m/s^2] linear acceleration without contacts
  rh_vec3 torque;           // [N m] from outside, about the centre of mass
  rh_vec3 v0, w0;           // velocities at the start of the (sub)step
  rh_vec3 v1, w1;           // and after the plastic answer to a blow
  rh_sym3 I, Iinv;          // [kg m^2] about the centre of mass, body axes, and inverse
  rh_vec3 com;              // [m] centre of mass, body axes
  rh_xform frame;           // joint frame in the world: q and v of the model are in it
  double mass;
  double work;              // [J] done by forces from outside in this step
  double size;              // [m] farthest point of its shapes from the centre of mass
  int body, qadr, vadr;     // of the model
  bool plain;               // frame is the identity
  bool round;               // all moments of inertia are equal: no gyroscopic moment
  bool forced;              // a or torque are more than gravity
  bool pressed;             // a contact pushed in this (sub)step
  bool eased;               // and all that did were compliant
} rh_mo_cold;

typedef struct rh_mo_shape {
  int mobile;
  bool central; // its frame is the body's, at the centre of mass
  double arm;   // [m] farthest point from its mobile's centre of mass
} rh_mo_shape;

typedef struct rh_mo_pair { // of shapes that are near
  int a, b;                 // an unbounded one is b
  int rule;                 // contact of the model
  rh_meet_cache cache;
} rh_mo_pair;

typedef struct rh_mo_touch { // a contact as found, in the order of shapes and features; remembered for the next step
  int a, b;                  // shapes; an unbounded one is b
  int id;                    // feature
  int rule;                  // contact of the model
  int ma, mb;                // mobiles
  rh_vec3 point, n;          // [m] world, n from b into a
  double phi;                // [m] gap; < 0: overlap
  rh_vec3 f;                 // [N] force on a, mean over the (last) step
  double since;              // [s] when it began to carry a force
  double stored;             // [J] compliant: in its spring at the end of the step
} rh_mo_touch;

// Rows of a contact: what a sweep reads and writes. A `round` one joins bodies whose inertia is a ball's at points straight above their
// centres of mass, as balls do: its W is diag(l, l, w), it needs no tangents, and it lives in the first two cache lines.
typedef struct rh_mo_con {
  _Alignas(64) int a;  // free bodies; 0: the world, or a tree
  int b;
  bool round;
  bool jointed;        // a tree takes part: ba, bb are its branches, RH_NONE
  double n[3];
  double p[4];         // [N s] along t1, t2, nothing, n; round: the tangential part in world axes, n
  double iw;           // [kg] 1/w
  double bias;         // [m/s] u_n + give p_n + bias >= 0
  double mu, mu_s;     // in motion, at rest
  double arm[2];       // [m] round: of the point below the centre of a, above that of b
  double il[2];        // [kg] 1/l; a round contact knows the first, and nothing behind it is read in a sweep
  // W = J H^-1 J' in t1, t2, n is [diag(l) + c c'/w, c; c', w]
  double w, l[2];      // [1/kg] w with what gives way
  double give;         // [1/kg] of a compliant contact, which is never `round`; 0: rigid
  double c[2];
  double t1[3], t2[3]; // principal axes of the tangential inertia that is left when the normal gives way
  double ra[3], rb[3]; // [m] point seen from the centres of mass
  double push;         // [N s] normal pseudo-impulse of the drift pass
  int ba, bb;
} rh_mo_con;

typedef struct rh_mo_side { // of a contact: what a sweep does not need
  rh_vec3 u0;               // [m/s] relative velocity before the (sub)step, world axes
  double un;                // its part along n
  double phi;               // [m]
  rh_vec3 point;            // [m]
  double p1[4];             // [N s] the plastic answer to a blow
  double e;
  int touch;                // index in the list of touches
  int rule;                 // contact of the model
  double slide;             // [J] dissipated by sliding in this step
  bool poisson;
  // compliant contacts: p_n = push + (aim - u_n)/give
  const rh_normal_law *law; // NULL: rigid
  double radius;            // [m] of curvature
  double h;                 // [s] the (sub)step
  double aim, push;         // [m/s] where the tangent touches the law, [N s] and its impulse there
  double damped;            // [J] by its damper in this step
} rh_mo_side;

typedef struct rh_mo_rule { // a contact of the model
  const rh_normal_law *law; // NULL: rigid
  double mu_s, mu;          // friction at rest, in motion
} rh_mo_rule;

typedef struct rh_mo_island {
  int con, ncon;   // contacts con .. con + ncon - 1
  int mob, nmob;   // mobiles member[mob] ...
  int tie, ntie;   // loops trees.tie_order[tie] ...
  double struck;   // [J] change by impulses along normals in this step
  bool later;      // it has an impact to be located: that is done when the others are through
} rh_mo_island;

typedef struct rh_mo_extra { // a row of an island that is no contact
  int tie, row;              // of a loop; RH_NONE: a line
} rh_mo_extra;

typedef struct rh_mo_hard { // room for an island as one problem (hard.c)
  void *block;              // memory of all that follows
  int contacts, entries;    // blocks and entries it may have
  rh_mo_extra *extra;       // blocks behind the contacts (contacts)
  rh_block_kind *kind;      // (contacts)
  double *limit, *b, *p;    // (contacts), (3 contacts)
  int *start, *col;         // (contacts + 1), (entries)
  double *W;                // (9 entries)
  double *room;
} rh_mo_hard;

typedef struct rh_mo_par { // parameters of the stepper, in the order of its row
  double dt;               // [s]
  double tolerance;        // [m/s] of the contact velocities
  double sweeps;           // at most
  double slop;             // [m] overlap that is left alone
  double bounces;          // impacts located in a step, at most
  double threads;
} rh_mo_par;

typedef struct rh_mo_tally { // counts of a run
  long steps, sweeps, contacts, impacts, unsolved;
  long hard;       // islands that were solved by Newton's method
  long drawn;      // impacts whose restitution would have created energy
  double residual; // [m/s] largest left by a solve that ended at its limit
  double deepest;  // [m] overlap
} rh_mo_tally;

typedef struct rh_mo {
  void *block;        // memory of all this
  const rh_model *m;
  rh_sim *sim;
  rh_data *d;
  rh_mo_par par;
  double at;          // [s] how far into the step an island that is looked at again has come
  bool fresh;         // read the state again before the next step
  bool full;          // more contacts than there is room for
  // mobiles
  int nfree;
  rh_mo_hot *hot;     // (nfree + 1)
  rh_mo_cold *cold;   // (nfree + 1)
  double (*pseudo)[8];// velocities of the drift pass: linear, angular (nfree + 1)
  int *mobile;        // of each body (nbody)
  rh_mo_trees trees;
  // shapes
  const rh_shape *sphere, *plane; // rows that have a short way
  rh_mo_shape *shape; // (nshape)
  rh_geom *geom;      // (nshape)
  rh_bounds *box;     // as far as they may come in a step (nshape)
  double *reach;      // [m] how far a point of a shape can come in a step (nshape)
  int *planes;        // shapes that are planes (nplane)
  int nplane;
  rh_half *half;      // (nplane)
  rh_broad *broad;
  rh_mo_pair *pair, *pair_old; // of this step, of the last (pair_room)
  int pair_room;
  bool paired;        // pair_old is there
  double skin;        // [m] shapes nearer than this are always contacts
  // contacts
  int room;           // contacts there may be
  rh_mo_touch *touch, *old; // of this step, of the last (room)
  int ntouch, nold;
  rh_mo_touch *again; // of an island that is looked at again inside a step (room)
  rh_mo_con *con;     // island by island; from `room` on those of an island that is looked at again (2 room)
  rh_mo_side *side;   // (2 room)
  int *order;         // contacts of `con`: index in the list of touches (2 room)
  int ncon;
  rh_mo_hard hard;
  // islands
  int *joined;        // union-find (nfree + 1)
  int *label;         // island of a mobile that is its root (nfree + 1)
  int *member;        // mobiles, island by island (nfree + 1)
  rh_mo_island *island; // (nfree + 1)
  int nisland;
  bool lively;        // some contact has restitution
  bool soft;          // some contact is compliant
  bool *poisson;      // the law of a rule (ncontact)
  rh_mo_rule *rule;   // (ncontact)
  double *slide;      // [J] dissipated by sliding in this step, a rule (ncontact)
  double *damped;     // [J] by the dampers of compliant contacts, likewise (ncontact)
  double struck;      // [J] change by impulses along normals in this step, of the island that is stepped
  // threads (crew.c)
  rh_pool *pool;
  struct rh_mo *crew; // copies of this one, a thread each but the first, with tallies and room of their own (threads - 1)
  int *chunk;         // islands that are stepped together: chunk[k] ... chunk[k + 1] - 1 (mobiles + 1)
  rh_mo_tally tally;
  char reason[200];
} rh_mo;

// world.c: the engine's arrays from the model; the state to and fro
rh_status rh_mo_create(rh_sim *sim, const double *par, rh_diag *diag, rh_mo **out) RH_CHECK_RESULT;
void rh_mo_destroy(rh_mo *w);
void rh_mo_load(rh_mo *w);        // from d->state: positions, velocities, remembered contacts
void rh_mo_store(rh_mo *w);       // q and v back into d
void rh_mo_store_slots(rh_mo *w); // and the contacts, as far as they carry a force

// free.c: free bodies between contacts
void rh_mo_loads(rh_mo *w);                           // forces from outside, at the start of a step
void rh_mo_kick(rh_mo_hot *hot, rh_mo_cold *c, double h);   // velocities without contacts at the end of h
void rh_mo_drift(rh_mo_hot *hot, rh_mo_cold *c, double h, bool end); // positions; `end`: along the velocity at the end
rh_quat rh_mo_turn_by(rh_vec3 phi);                   // rotation by a vector
void rh_mo_turn(rh_mo_hot *hot, rh_mo_cold *c);       // R and inverse inertia from q

// meet.c: which shapes meet, and where
bool rh_mo_may_meet(const void *user, int a, int b); // shapes; user is the world
void rh_mo_meet(rh_mo *w, double h);
int rh_mo_meet_island(rh_mo *w, const rh_mo_island *s, double h); // touches of its pairs anew, into `again`; how many
// Forces of the island's touches to the n of another list of the same pairs (`out`), or back from it.
void rh_mo_hand_on(rh_mo *w, const rh_mo_island *s, rh_mo_touch *list, int n, bool out);

// island.c
void rh_mo_islands(rh_mo *w);

// block.c: rows of the contacts, from the touches order[k] of a list
void rh_mo_rows(rh_mo *w, const rh_mo_island *s, const rh_mo_touch *touch, double h);
void rh_mo_rows_give(rh_mo *w, rh_mo_con *c, double give);       // the same rows, giving way otherwise
void rh_mo_push(rh_mo *w, const rh_mo_con *c, rh_vec3 P);        // an impulse on both mobiles
rh_vec3 rh_mo_free_velocity(const rh_mo *w, const rh_mo_con *c); // of free bodies alone
void rh_mo_free_push(rh_mo *w, const rh_mo_con *c, rh_vec3 P);
rh_vec3 rh_mo_velocity(const rh_mo *w, const rh_mo_con *c);      // of a relative to b, world axes
rh_vec3 rh_mo_impulse(const rh_mo_con *c, const double p[4]);    // on a, world axes

// soft.c: compliant contacts
rh_status rh_mo_soft_rule(rh_mo *w, int i, rh_diag *diag) RH_CHECK_RESULT;
double rh_mo_soft_first(const rh_mo *w, const rh_mo_touch *t, rh_mo_side *s, double h); // the tangent at the start: `give`
double rh_mo_soft_within(double give, double w); // not so soft that digits are lost
void rh_mo_soft_bias(rh_mo_con *c, const rh_mo_side *s);
void rh_mo_soft_solve(rh_mo *w, const rh_mo_island *s); // until tangents are laws. [solve]
void rh_mo_soft_book(rh_mo *w, int k, double u, rh_mo_touch *t);
void rh_mo_soft_begin(rh_mo *w);

// sweep.c
void rh_mo_local(const rh_mo_con *c, const double u[3], double p[4]); // the impulse of a contact that moves at u (t1, t2, n)
void rh_mo_solve(rh_mo *w, const rh_mo_island *s);
void rh_mo_solve_fully(rh_mo *w, const rh_mo_island *s); // to rounding: impacts

// hard.c: an island by Newton's method; what is left [m/s], HUGE_VAL: it is too large. [rows]
rh_status rh_mo_hard_create(rh_mo_hard *q, int contacts) RH_CHECK_RESULT;
void rh_mo_hard_destroy(rh_mo_hard *q);
double rh_mo_solve_hard(rh_mo *w, const rh_mo_island *s, double tolerance);
void rh_mo_hard_frame(const rh_mo_con *c, rh_vec3 f[3]); // rows t1, t2, n of a contact
// hard_rows.c: limits, dry friction and loops in it
int rh_mo_hard_list(rh_mo *w, int ncon); // how many blocks; RH_NONE: too many
bool rh_mo_hard_pair(const rh_mo *w, const rh_mo_con *con, int ncon, const int at[2], double *W);
void rh_mo_hard_fill(rh_mo *w, const rh_mo_extra *e, int at);
void rh_mo_hard_take(rh_mo *w, const rh_mo_extra *e, int at);

// bounce.c
double rh_mo_slow(const rh_mo *w);
// When the gap phi closes, moving at u and gaining a; HUGE_VAL: not in h, or too slowly.
double rh_mo_closes(const rh_mo *w, double phi, double u, double a, double h);
double rh_mo_first_impact(const rh_mo *w, const rh_mo_island *s, double h); // [s] HUGE_VAL: none. [rows]
void rh_mo_bounce(rh_mo *w, const rh_mo_island *s, double h); // the island over h, impacts located. [rows]

// drift.c: overlaps are moved out. [rows]
void rh_mo_part(rh_mo *w, const rh_mo_island *s, double h);

// book.c: the ledger, events
void rh_mo_book_begin(rh_mo *w);
// [solve] and forces for the next step. True: bodies may move by their mean velocities, no gap is passed by that.
bool rh_mo_book_contacts(rh_mo *w, const rh_mo_island *s, rh_mo_touch *touch, double h);
void rh_mo_book_blow(rh_mo *w, int k, double fastest);        // contact k was struck; [m/s] fastest of those struck with it, < 0
void rh_mo_book_force(rh_mo *w, int i, double h); // what forces from outside did to a free body in a (sub)step
void rh_mo_book_end(rh_mo *w);

// crew.c: islands over h, shared out among threads
rh_status rh_mo_crew_create(rh_mo *w) RH_CHECK_RESULT;
void rh_mo_crew_destroy(rh_mo *w);
void rh_mo_crew_step(rh_mo *w, double h);

// step.c: an island over h without looking again [rows]; one step of w->par.dt
void rh_mo_substep(rh_mo *w, const rh_mo_island *s, rh_mo_touch *touch, double h);
void rh_mo_step_island(rh_mo *w, rh_mo_island *s, double h, bool locate); // not `locate`: it is marked where an impact is to be
void rh_mo_step(rh_mo *w);

#endif
