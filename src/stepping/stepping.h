// stepping.h: private interface of the time-stepping engine (layer 6): a world that moves by fixed steps, contacts and impacts in one
// complementarity problem a step (Moreau 1988, Jean 1999). A step of length h, by the numbers of docs/concepts.md:
//   1 free motion (free_body.c)   2 collide with a margin, 3 contacts keep their forces by feature (collide.c, heightfield_sweep.c)   3 islands (island.c), large ones in slices (partition.c)
//   4 rows and their inertia (contact_rows.c)   5 solve (gauss_seidel.c, island_newton.c; energy_limit.c: no energy of it; solution_check.c: what it is worth)
//   9 impacts located inside the step (impact_located.c), those of many bodies in one pass (impact_batch.c)
//   8 positions (free_body.c), contacts that came late (missed_contacts.c), overlaps taken out (position_correction.c)   10 books (energy.c), impacts told (impact_log.c)
// Beside these: trees of joints (tree*.c), loops (loop_rows.c), compliant contacts (compliant.c, compliant_impulse.c), what sleeps (sleep.c), threads (parallel.c).
// The unknowns are velocities at the end of the step and impulses p; for each contact, frame (t1, t2, n), u = J v,
//   0 <= p_n  _|_  u_n + max(phi, 0)/h >= 0,   |p_t| <= mu p_n, and where u_t is not 0: p_t = -mu p_n u_t/|u_t|
// with phi [m] the gap at the start. Coulomb's law is solved as it stands, not by a pyramid or a relaxed cone. A compliant contact gives way to
// its impulse: u_n + p_n/g and another bias in place of the gap (compliant.c).
//
// A mobile is what moves by itself: a free body (the fast kind, arrays `hot` and `cold`, index 1 .. nfree), or a tree of joints (index
// above nfree). Index 0 is the world, which does not move.
#ifndef ROUTH_MOREAU_H
#define ROUTH_MOREAU_H

#include "base/pool.h"
#include "geometry/broad.h"
#include "geometry/manifold.h"
#include "complement/blocks.h"
#include "articulated.h"
#include "contacts/simulation.h"

// [m] of the gap of a touch; located times leave rounding for round shapes, and others are located again
#define RH_MO_CLOSED 1e-10

// Vectors of arrays
static inline rh_vec3 rh_step_read_vec(const double *x)
{
  return rh_v3(x[0], x[1], x[2]);
}

static inline void rh_step_write_vec(rh_vec3 x, double *to)
{
  to[0] = x.x;
  to[1] = x.y;
  to[2] = x.z;
}

typedef struct rh_step_velocity { // what a sweep reads and writes of a free body: two cache lines
  double v[3], w[3];       // [m/s, rad/s] of the centre of mass, world axes
  double im;               // [1/kg] 0: it does not move
  double J[6];             // [1/(kg m^2)] inverse inertia, world axes: xx yy zz xy xz yz
  double spare[3];
} rh_step_velocity;

typedef struct rh_step_start { // of a free body
  rh_vec3 x;
  rh_quat q;
  rh_vec3 v, w;
  double work;
  bool pressed;
} rh_step_start;

typedef struct rh_step_body { // the rest of a free body; what every step needs of a ball comes first
  _Alignas(64) rh_vec3 x;   // [m] centre of mass
  rh_vec3 a;                // [m/s^2] linear acceleration without contacts
  double mass;
  bool plain;               // frame is the identity
  bool round;               // all moments of inertia are equal: no gyroscopic moment
  bool forced;              // a or torque are more than gravity
  bool pressed;             // a contact pushed in this (sub)step
  bool eased;               // and all that did were compliant
  bool near;                // a compliant contact is within reach
  bool flies;               // nothing touches it, and nothing but blows will in this step (impact_batch.c)
  bool strikes;             // it is at the place where it strikes
  rh_vec3 v0, w0;           // velocities at the start of the (sub)step
  double ahead;             // [s] how far it has gone by itself in this step (impact_batch.c)
  double size;              // [m] farthest point of its shapes from the centre of mass
  int body, qadr, vadr;     // of the model
  rh_quat q;                // attitude
  rh_mat3 R;
  rh_vec3 com;              // [m] centre of mass, body axes
  rh_vec3 torque;           // [N m] from outside, about the centre of mass
  double work;              // [J] done by forces from outside in this step
  double hand;              // [J] by the hand
  rh_xform frame;           // joint frame in the world: q and v of the model are in it
  rh_sym3 I, Iinv;          // [kg m^2] about the centre of mass, body axes, and inverse
  rh_vec3 v1, w1;           // velocities after the plastic answer to a blow
  rh_vec3 wk;               // spin at the end of the (sub)step without contacts
  rh_step_start start;        // of the step, where it may have to be taken again
  double next;              // [s] in this step: where it strikes next (impact_batch.c)
  bool stays;               // it is not moved to that place
  double held;              // [1] how stiff compliant contacts within reach are in this (sub)step (compliant_impulse.c)
} rh_step_body;

typedef struct rh_step_shape {
  int mobile;
  bool central; // its frame is the body's, at the centre of mass
  double arm;   // [m] farthest point from its mobile's centre of mass
} rh_step_shape;

typedef struct rh_step_pair { // of shapes that are near
  int a, b;                 // an unbounded one is b
  int rule;                 // contact of the model
  rh_meet_cache cache;
} rh_step_pair;

// A contact as found, in the order of shapes and features; remembered for the next step, which reads its first cache line alone
typedef struct rh_step_contact {
  _Alignas(64) int a; // shapes; an unbounded one is b
  int b;
  int id;             // feature
  int rule;           // contact of the model
  int ma, mb;         // mobiles
  int home;           // of a list that is looked at again: a contact of the same pair in the step's own
  bool shared;        // what it carries is not determined, as far as that was asked
  rh_vec3 f;          // [N] force on a, mean over the (last) step
  double since;       // [s] when it began to carry a force
  double phi;         // [m] gap; < 0: overlap
  rh_vec3 point, n;   // [m] world, n from b into a
  double stored;      // [J] compliant: in its spring at the end of the step
} rh_step_contact;

// Rows of a contact: what a sweep reads and writes. A `round` one joins bodies whose inertia is a ball's at points straight above their
// centres of mass, as balls do: its W is diag(1/il, 1/il, 1/iw), it needs no tangents, and these two cache lines are all it has.
typedef struct rh_step_row {
  _Alignas(64) int a; // free bodies; 0: the world, or a tree
  int b;
  int any;            // not round: the rest of its rows, index in `any`
  bool round;
  bool jointed;       // a tree takes part
  bool soft;          // compliant; never `round`
  double n[3];
  double iw;          // [kg] 1/w
  double bias;        // [m/s] u_n + give p_n + bias >= 0
  double mu_s;        // at rest
  double p[4];        // [N s] along t1, t2, nothing, n; round: the tangential part in world axes, n
  double mu;          // in motion
  double arm[2];      // [m] round: of the point below the centre of a, above that of b
  double il;          // [kg] round: 1/l of both tangents
} rh_step_row;

typedef struct rh_step_row_general { // of a contact that is not round: W = J H^-1 J' in t1, t2, n is [diag(l) + c c'/w, c; c', w]
  _Alignas(64) double w;   // [1/kg] with what gives way
  double l[2], il[2];      // [1/kg], [kg] 1/l
  double give;             // [1/kg] of a compliant contact; 0: rigid
  double c[2];
  double t1[3], t2[3];     // principal axes of the tangential inertia that is left when the normal gives way
  double ra[3], rb[3];     // [m] point seen from the centres of mass
  int ba, bb;              // branches of trees, RH_NONE
} rh_step_row_general;

typedef struct rh_step_correction { // of a contact in the drift pass
  double want;              // [m/s] pseudo-velocity that it asks for, < 0: it may still close
  double push;              // [N s] normal pseudo-impulse
} rh_step_correction;

typedef struct rh_step_row_info { // of a contact: what a sweep does not need
  _Alignas(64) rh_vec3 u0;  // [m/s] relative velocity before the (sub)step, world axes
  double un;                // its part along n
  double phi;               // [m]
  double e;
  double slide;             // [J] dissipated by sliding in this step
  int touch;                // index in the list of touches
  int rule;                 // contact of the model
  int a, b;                 // shapes
  double kept;              // [J] `slide` where the step may be taken again from
  // ---- where some contact has restitution
  rh_vec3 point;            // [m]
  double p1[4];             // [N s] the plastic answer to a blow
  bool poisson;
  bool struck;              // in one pass with the step: its bias has the restitution (impact_batch.c)
  // ---- compliant contacts: p_n = push + (aim - u_n)/give
  const rh_normal_law *law;
  double radius;            // [m] of curvature
  double h;                 // [s] the (sub)step
  double aim, push;         // [m/s] (of one that is struck: the bias it had) where the tangent touches the law, [N s] and its impulse there
  double damped;            // [J] by its damper in this step
} rh_step_row_info;

#define RH_MO_LATE 32 // points; more wait for position_correction.c

typedef struct rh_step_missed { // contacts that came late in a step of an island
  int n;
  double first;               // of the step: when the first of them closes
  rh_step_contact at[RH_MO_LATE]; // home: the first contact of the pair; in their order
} rh_step_missed;

typedef struct rh_step_material { // a contact of the model
  const rh_normal_law *law; // NULL: rigid
  double mu_s, mu;          // friction at rest, in motion
} rh_step_material;

typedef struct rh_step_check { // of an island in a step, or of a step
  double residual;            // [m/s]
  int free;                   // directions in which impulses are free, at least
  int rule;                   // of its first contact, where there are any
  bool several, unknown;      // velocities are not unique; neither is known but by counting
} rh_step_check;

typedef struct rh_step_check_cache { // of an island that rests, by its lowest mobile: what was found
  uint64_t key;              // of where everything stands; 0: nothing
  uint64_t shared[4];        // a bit for each contact
  int free;
} rh_step_check_cache;

#define RH_MO_PAIRS 128 // of one part of the list of pairs

typedef struct rh_step_share_load { // touches of such a part
  const rh_step_contact *touch;
  int n;
  int at; // where they belong in the list of touches
} rh_step_share_load;

typedef struct rh_step_island {
  int con, ncon;   // contacts con .. con + ncon - 1
  int mob, nmob;   // mobiles member[mob] ...
  int tie, ntie;   // loops trees.tie_order[tie] ...
  int slice, nslice; // slices slice[slice] ...; none: it is one piece
  // What it adds to the books in this step, and how many impacts it has to tell of
  double struck;   // [J] change by impulses along normals
  double work[RH_WORK_COUNT]; // [J] of trees
  int nnote;
  int pierced;     // contact whose law let it in by more than half the thinner shape; RH_NONE
  rh_step_check judged;
} rh_step_island;

typedef struct rh_impact_record { // an impact, told when the step is done
  double t;                 // [s] into the step
  int rule;                 // contact of the model; RH_NONE: a limit,
  int dof;                  // of this degree of freedom
  int a, b;                 // shapes that meet; of a contact
  rh_vec3 point;            // [m]
  double before, after;     // [m/s, rad/s]
  double impulse, friction; // [N s]
  double normal, slide, work; // [J]
  bool counts;              // it shows a restitution of its own
} rh_impact_record;

#define RH_MO_SLICE 64 // contacts of a slice, at least on average

typedef struct rh_step_slice { // of an island (partition.c), and what a pass over it finds
  int con, ncon;             // contacts
  int mob, nmob;             // mobiles
  _Atomic bool taken;        // by a thread, in this pass
  double most, struck;       // the largest of something
  double work;               // [J]
  bool smooth;
} rh_step_slice;

typedef struct rh_step_extra { // a row of an island that is no contact
  int tie, row;              // of a loop; RH_NONE: a line
} rh_step_extra;

typedef struct rh_step_newton { // room for an island as one problem (island_newton.c)
  void *block;              // memory of all that follows
  int contacts, entries;    // blocks and entries it may have
  rh_step_extra *extra;       // blocks behind the contacts (contacts)
  rh_block_kind *kind;      // (contacts)
  double *limit, *b, *p;    // (contacts), (3 contacts)
  bool *shared;             // (contacts)
  int *start, *col;         // (contacts + 1), (entries)
  double *W;                // (9 entries)
  double *room;
} rh_step_newton;

typedef struct rh_step_par { // parameters of the stepper, in the order of its row
  double dt;               // [s]
  double tolerance;        // [m/s] of the contact velocities
  double sweeps;           // at most
  double slop;             // [m] overlap that is left alone
  double bounces;          // impacts located in a step, at most
  double threads;
  double judge;            // rh_step_requested
  double sleep;            // [s] of rest, after which an island sleeps; 0: none does
  double sleep_speed;      // [m/s] at which a body rests for that
} rh_step_par;

typedef enum rh_step_requested { RH_MO_NEVER, RH_MO_FRAMES, RH_MO_STEPS } rh_step_requested; // which steps are judged

typedef struct rh_step_sleep { // what sleeps (sleep.c)
  bool on;                 // something may
  bool fresh;              // the shapes of what sleeps are not placed yet
  int n;                   // mobiles that sleep
  bool *asleep;            // (mobiles)
  bool *still;             // shapes of what sleeps or does not move (nshape)
  rh_vec3 *x;              // where a body was a step ago (mobiles)
  rh_quat *q;
  rh_step_contact *touch;      // contacts of what sleeps that carry a force, in order (room)
  int ntouch;
} rh_step_sleep;

typedef struct rh_step_counts { // counts of a run
  long steps, sweeps, contacts, impacts, unsolved;
  long hard;       // islands that were solved by Newton's method
  long drawn;      // impacts whose restitution would have created energy
  double residual; // [m/s] largest left by a solve that ended at its limit
  double deepest;  // [m] overlap
  double most;     // [N s] largest normal impulse over a step of a contact that lasts,
  double struck;   // and of one that came fast; located impacts are told by themselves
} rh_step_counts;

typedef struct rh_step_world {
  void *block;        // memory of all this
  const rh_model *m;
  rh_sim *sim;
  rh_data *d;
  rh_step_par par;
  double at;          // [s] how far into the step an island that is looked at again has come
  double slow;        // [m/s] what approaches more slowly does not bounce: a hundredth of what gravity gives in a step, or run.rest_speed
  bool fresh;         // read the state again before the next step
  int held;           // mobile that the hand pulls at, with
  rh_force pull;      // [N m, N] about its centre of mass, if it is a free body; 0: none
  bool full;          // more contacts than there is room for
  // mobiles
  int nfree;
  rh_step_velocity *hot;     // (nfree + 1)
  rh_step_body *cold;   // (nfree + 1)
  double (*pseudo)[8];// velocities of the drift pass: linear, angular (nfree + 1)
  int *mobile;        // of each body (nbody)
  rh_step_trees trees;
  // shapes
  const rh_shape *sphere, *plane; // rows that have a short way
  const rh_shape *field;          // and one that has a long one
  rh_step_shape *shape; // (nshape)
  rh_geom *geom;      // (nshape)
  rh_geom *geom_start; // where they were when the step began, if some went far (nshape)
  double thinnest;    // [m] of the bounded shapes
  bool hurried;       // some may have gone through another in this step (passing_check.c)
  rh_bounds *box;     // as far as they may come in a step (nshape)
  double *reach;      // [m] how far a point of a shape can come in a step (nshape)
  int *planes;        // shapes that are planes (nplane)
  int nplane;
  rh_half *half;      // (nplane)
  rh_broad *broad;
  rh_step_pair *pair, *pair_old; // of this step, of the last (pair_room)
  int pair_room;
  bool paired;        // pair_old is there
  rh_broad_result near; // pairs of this step,
  rh_step_share_load *share; // and what was found of them, by parts of the list (pair_room / RH_MO_PAIRS + 1)
  double skin;        // [m] shapes nearer than this are always contacts
  // contacts
  int room;           // contacts there may be
  rh_step_contact *touch, *old; // of this step, of the last (room)
  int ntouch, nold;
  void *rows;         // memory of the next six; pages that nobody asks for take none
  rh_step_row *con;     // island by island; from `look` on those of an island that is looked at again, a thread's own (room + threads x room)
  rh_step_row_general *any;     // likewise
  rh_step_row_info *side;   // likewise
  rh_step_correction *lift;   // likewise
  int *order;         // likewise: index in the list of touches
  rh_step_contact *again; // touches of an island that is looked at again inside a step; before, of parts of the list of pairs (room)
  int nagain;         // of these
  int look;
  rh_step_newton hard;
  rh_step_sleep nap;
  // islands
  int *joined;        // union-find (nfree + 1)
  int *label;         // island of a mobile that is its root (nfree + 1)
  int *member;        // mobiles, island by island (nfree + 1)
  rh_step_island *island; // (nfree + 1)
  int nisland;
  bool edged;         // some shape that moves is no ball
  rh_step_slice *slice; // of large islands (mobiles + room/RH_MO_SLICE)
  int nslice;
  int *layer;         // slice of a mobile in its island (mobiles)
  int *spare;         // for sorting (room)
  bool lively;        // some contact has restitution
  bool soft;          // some contact is compliant
  bool *poisson;      // the law of a rule (ncontact)
  rh_step_material *rule;   // (ncontact)
  double *slide;      // [J] dissipated by sliding in this step, a rule (ncontact)
  // of the island that is stepped: what it adds to the books, its impacts
  double struck;
  double lean;        // [1] of the velocity at the end in that which moves it (compliant_impulse.c); 0: it has no compliant contact
  double work[RH_WORK_COUNT];
  rh_impact_record *note;   // (note_room)
  int nnote, note_room;
  double kept_struck; // books of the island at the point from which it may be taken again
  int kept_notes;
  double kept_most, kept_blow; // of the tally
  // impacts of the step (impact_log.c)
  void *told;         // memory
  rh_impact_record *notes;  // island by island
  int note_depth;     // how many of each contact there is room for,
  int note_each;      // and as if each mobile had so many more
  int *by_time;       // those there are, in order, and room to sort them
  // threads (parallel.c)
  rh_pool *pool;
  struct rh_step_world *crew; // copies of this one, a thread each but the first, with tallies and rooms of their own (threads - 1)
  int *chunk;         // islands that are stepped together: chunk[k] ... chunk[k + 1] - 1 (mobiles + 1)
  rh_step_counts tally;
  rh_step_counts begun;  // as it was before the step
  int pierced;        // of the island that is stepped
  bool judging;       // this step is judged
  rh_step_check judged; // the island that is stepped
  rh_solver_now since; // of the steps judged since the last frame
  rh_step_check_cache *known; // (mobiles)
  char reason[200];
} rh_step_world;

// world.c: the engine's arrays from the model; the state to and fro
rh_status rh_step_create(rh_sim *sim, const double *par, rh_diag *diag, rh_step_world **out) RH_CHECK_RESULT;
void rh_step_destroy(rh_step_world *w);
void rh_step_load_state(rh_step_world *w);        // from d->state: positions, velocities, remembered contacts
void rh_step_store_state(rh_step_world *w);       // q and v back into d
void rh_step_store_slots(rh_step_world *w); // and the contacts, as far as they carry a force
rh_xform rh_step_pose(const rh_step_world *w, int body);

// free_body.c: free bodies between contacts
void rh_step_apply_loads(rh_step_world *w);                           // forces from outside, at the start of a step
void rh_step_integrate_velocity(rh_step_velocity *hot, rh_step_body *c, double h);   // velocities without contacts at the end of h
void rh_step_integrate_position(rh_step_velocity *hot, rh_step_body *c, double h, double share); // positions; [1] the share of the velocity at the end
rh_quat rh_step_rotate_by(rh_vec3 phi);                   // rotation by a vector
void rh_step_update_rotation(rh_step_velocity *hot, rh_step_body *c);       // R and inverse inertia from q

// collide.c: which shapes meet, and where
void rh_step_place(rh_step_world *w, int shape); // its geom, where its body stands
bool rh_step_may_collide(const void *user, int a, int b); // shapes; user is the world
void rh_step_collide(rh_step_world *w);
// Touches of the island's pairs into `again`; how many: of all anew, or only of those of bodies that are ahead, and the others as they were.
// The late ones come behind those of their pair.
int rh_step_collide_island(rh_step_world *w, const rh_step_island *s, double h, bool all, const rh_step_missed *late);
void rh_step_pressed(rh_step_world *w); // which bodies have carried something
int rh_step_collide_pair(rh_step_world *w, int a, int b, rh_step_contact *list);   // touches of two shapes as they stand; how many
int rh_step_contact_order(const rh_step_contact *x, const rh_step_contact *y); // < 0: x comes first
// Forces of the island's touches to the n of another list of the same pairs (`out`), or back from it.
void rh_step_copy_forces(rh_step_world *w, const rh_step_island *s, rh_step_contact *list, int n, bool out);

// heightfield_sweep.c: points of a heightfield on a way of several cells; m has those at its start. How many then.
int rh_step_sweep_heightfield(const rh_step_world *w, const rh_step_pair *pair, double margin, rh_manifold *m);

// island.c
void rh_step_islands(rh_step_world *w);

// partition.c: large islands are cut
typedef void rh_step_pass(struct rh_step_world *w, rh_step_slice *slice, const void *user);
void rh_step_slices(rh_step_world *w);
rh_step_slice rh_step_over_slices(rh_step_world *w, const rh_step_island *s, rh_step_pass *pass, const void *user, bool apart);

// A pass over an island, and what it found. `apart`: slices that share a body are never visited at once.
static inline rh_step_slice rh_step_for_each_slice(rh_step_world *w, const rh_step_island *s, rh_step_pass *pass,
                                     const void *user, bool apart)
{
  if (s->nslice > 0) {
    return rh_step_over_slices(w, s, pass, user, apart);
  }
  rh_step_slice whole = {.con = s->con, .ncon = s->ncon, .mob = s->mob, .nmob = s->nmob};
  pass(w, &whole, user);
  return whole;
}

// contact_rows.c: rows of the contacts, from the touches order[k] of a list
void rh_step_rows(rh_step_world *w, const rh_step_island *s, const rh_step_contact *touch, double h);
void rh_step_rows_give(rh_step_world *w, rh_step_row *c, double give);       // the same rows, giving way otherwise
void rh_step_push(rh_step_world *w, const rh_step_row *c, rh_vec3 P);        // an impulse on both mobiles
void rh_step_arms(const rh_step_world *w, const rh_step_row *c, rh_vec3 r[2]); // [m] its point seen from the centres of free bodies a and b
rh_vec3 rh_step_free_velocity(const rh_step_world *w, const rh_step_row *c); // of free bodies alone
void rh_step_free_push(rh_step_world *w, const rh_step_row *c, rh_vec3 P);
rh_vec3 rh_step_velocity_at(const rh_step_world *w, const rh_step_row *c);      // of a relative to b, world axes
rh_vec3 rh_step_impulse(const rh_step_world *w, const rh_step_row *c, const double p[4]); // on a, world axes

// compliant_impulse.c: a compliant law over a step
typedef struct rh_step_mean_impulse { // of a contact that ends at some velocity
  double p;                 // [N s]
  double z;                 // [m] depth at the end
  double took;              // [J] by its damper
} rh_step_mean_impulse;
void rh_step_mean_impulse_begin(rh_step_world *w, const rh_step_island *s, const rh_step_contact *touch, double h); // before the rows: w->lean
rh_step_mean_impulse rh_step_mean_impulse_at(const rh_step_world *w, const rh_step_row_info *s, double u);
double rh_step_mean_impulse_parts(const rh_step_world *w, const rh_step_row_info *s); // [m/s] velocity at the end from which on there is no impulse
bool rh_step_mean_impulse_fits(const rh_step_world *w, const rh_step_island *s, double h); // no rigid contact is passed. [solve]
rh_normal_out rh_step_law(const rh_step_world *w, const rh_step_row_info *s, double depth, double rate);

// compliant.c: compliant contacts
rh_status rh_step_compliant_rule(rh_step_world *w, int i, rh_diag *diag) RH_CHECK_RESULT;
double rh_step_compliant_first(const rh_step_world *w, rh_step_row_info *s); // the tangent at the start: `give`
double rh_step_compliant_within(double give, double w); // not so soft that digits are lost
void rh_step_compliant_bias(const rh_step_world *w, rh_step_row *c, const rh_step_row_info *s);
void rh_step_compliant_solve(rh_step_world *w, const rh_step_island *s, double h); // until tangents are laws. [solve]
void rh_step_compliant_ledger(rh_step_world *w, int k, double u, rh_step_contact *t);
double rh_step_compliant_stored(const rh_step_world *w, const rh_step_contact *t); // [J] in its spring, at rest
void rh_step_compliant_begin(rh_step_world *w);

// The bodies of contact k of large islands come from memory: they are asked for in time.
static inline void rh_step_prefetch_bodies(const rh_step_world *w, int k, int end)
{
  if (k >= 0 && k < end) {
    __builtin_prefetch(&w->hot[w->con[k].a]);
    __builtin_prefetch(&w->hot[w->con[k].b]);
  }
}

// gauss_seidel.c
// The impulse of a contact that moves at u (t1, t2, n)
void rh_step_local(const rh_step_row *c, const rh_step_row_general *x, const double u[3], double p[4]);
void rh_step_solve(rh_step_world *w, const rh_step_island *s);
void rh_step_solve_fully(rh_step_world *w, const rh_step_island *s); // to rounding: impacts

// island_newton.c: an island by Newton's method; what is left [m/s], HUGE_VAL: it is too large. [rows]
rh_status rh_step_newton_create(rh_step_newton *q, int contacts) RH_CHECK_RESULT;
void rh_step_newton_destroy(rh_step_newton *q);
bool rh_step_newton_pose(rh_step_world *w, const rh_step_island *s, rh_blocks *problem); // as it stands, its impulses in hard.p; false: it is too large
double rh_step_solve_newton(rh_step_world *w, const rh_step_island *s, double tolerance);
void rh_step_newton_frame(const rh_step_world *w, const rh_step_row *c, rh_vec3 f[3]); // rows t1, t2, n of a contact
// island_newton_rows.c: limits, dry friction and loops in it
int rh_step_newton_list(rh_step_world *w, int ncon); // how many blocks; RH_NONE: too many
bool rh_step_newton_pair(const rh_step_world *w, const rh_step_row *con, int ncon, const int at[2], double *W);
void rh_step_newton_fill(rh_step_world *w, const rh_step_extra *e, int at);
void rh_step_newton_take(rh_step_world *w, const rh_step_extra *e, int at);

// energy_limit.c: impulses that would create energy are made less. [solve]
void rh_step_energy_limit(rh_step_world *w, const rh_step_island *s);
// Velocities without contacts are kept, of an island with trees: its energy [J], < 0: it has none.
double rh_step_energy_limit_begin(rh_step_world *w, const rh_step_island *s);
// The same as rh_step_energy_limit, with what rh_step_energy_limit_begin said; h [s] is the (sub)step.
void rh_step_energy_limit_unsolved(rh_step_world *w, const rh_step_island *s, double free, double h);

// impact_located.c
double rh_step_energy(const rh_step_world *w, const rh_step_island *s); // [J] of its motion
double rh_step_slow(const rh_step_world *w);
double rh_step_kinetic(const rh_step_world *w, int i, rh_vec3 v, rh_vec3 spin); // [J] of a free body
// The largest share of the way from the plastic answer (energy e0) to the elastic one (e1; eh halfway) at which there is no more energy than before.
double rh_step_energy_limited_share(double e0, double eh, double e1, double before);
double rh_step_pull(const rh_step_world *w, const rh_step_row *c); // [m/s^2] along n, of what is not held up
// When the gap phi closes, moving at u and gaining a; HUGE_VAL: not in h, or too slowly.
double rh_step_closes(const rh_step_world *w, double phi, double u, double a, double h);
rh_step_island rh_step_examine_again(rh_step_world *w, const rh_step_island *s, int n); // the island with the n contacts of `again`, behind all others
double rh_step_first_impact(const rh_step_world *w, const rh_step_island *s, double h); // [s] HUGE_VAL: none. [rows]
void rh_step_impacts_located(rh_step_world *w, const rh_step_island *s, double h); // the island over h, impacts located. [rows]

// solution_check.c: what the island's answer is worth [solve]; touch NULL: of an impact
void rh_step_check_solution(rh_step_world *w, const rh_step_island *s, rh_step_contact *touch);
void rh_step_diagnosis(rh_step_world *w);       // when all islands of a judged step are through
void rh_step_diagnosis_store(rh_step_world *w); // into d->solver, at a frame

// missed_contacts.c: contacts that come late
bool rh_step_may_be_missed(const rh_step_world *w, const rh_step_island *s);
void rh_step_start_keep(rh_step_world *w, const rh_step_island *s);
void rh_step_start_again(rh_step_world *w, const rh_step_island *s);
bool rh_step_missed_find(rh_step_world *w, const rh_step_island *s, double h, rh_step_missed *late); // into the list, which has those known; true: there are

// impact_batch.c: impacts of an island of many free bodies, in one pass
bool rh_step_use_batch_impacts(const rh_step_world *w, const rh_step_island *s); // is it one? [rows]
void rh_step_impact_batch(rh_step_world *w, const rh_step_island *s, double h, const rh_step_missed *late); // over h. [rows]
void rh_step_move_free_on(rh_step_world *w, int i, double h); // a body that blows alone have pressed, at the start of h. [solve]

// position_correction.c: overlaps are moved out. [rows]
void rh_step_correct_positions(rh_step_world *w, const rh_step_island *s, double h);

// energy.c: the ledger
void rh_step_ledger_begin(rh_step_world *w);
// [solve] and forces for the next step. True: bodies may move by their mean velocities, no gap is passed by that.
bool rh_step_ledger_contacts(rh_step_world *w, const rh_step_island *s, rh_step_contact *touch, double h);
// Contact k was struck; [m/s] fastest of those struck with it, < 0; [m/s] what its relative velocity gained since.
rh_impact_record *rh_step_ledger_impact(rh_step_world *w, int k, double fastest, rh_vec3 since); // NULL: nothing to tell of
rh_step_row_info *rh_step_home(const rh_step_world *w, int k);               // where contact k books
void rh_step_ledger_force(rh_step_world *w, int i, double h); // what forces from outside did to a free body in a (sub)step
int rh_step_ledger_end(rh_step_world *w); // how many impacts are to be told

// sleep.c: islands that rest
static inline bool rh_step_asleep(const rh_step_world *w, int mobile)
{
  return w->nap.n > 0 && w->nap.asleep[mobile];
}
void rh_step_wake(rh_step_world *w, int mobile);     // and all that sleep with it
void rh_step_sleep_load(rh_step_world *w);           // [load]
void rh_step_sleep_weigh(rh_step_world *w);          // what its contacts store, when shapes are placed after that
bool rh_step_sleep_begin(rh_step_world *w);          // [loads] forces wake; true: all mobiles sleep on
void rh_step_sleep_end(rh_step_world *w, double h);  // who rests, who sleeps from now on

// impact_log.c: impacts of a step, kept until all islands are through
rh_status rh_step_impact_records_create(rh_step_world *w) RH_CHECK_RESULT;
void rh_step_impact_records_begin(rh_step_world *w, const rh_step_island *s); // of the island that is stepped
rh_impact_record *rh_step_impact_record_add(rh_step_world *w, int rule, int dof);
void rh_step_impact_records_report(rh_step_world *w);

// parallel.c: threads
rh_status rh_step_parallel_create(rh_step_world *w) RH_CHECK_RESULT;
void rh_step_parallel_destroy(rh_step_world *w);
typedef void rh_step_task(rh_step_world *w, int task); // w is the thread's own copy: what it writes there but tally and full is lost
void rh_step_parallel_run(rh_step_world *w, rh_step_task *task, int n);  // tasks 0 to n - 1, in no order; there is a crew

static inline void rh_step_parallel_for(rh_step_world *w, rh_step_task *task, int n)
{
  if (w->crew && n > 1) {
    rh_step_parallel_run(w, task, n);
    return;
  }
  for (int i = 0; i < n; i++) {
    task(w, i);
  }
}

void rh_step_parallel_step(rh_step_world *w); // islands over a step

// step.c: an island over h without looking again [rows]; one step of w->par.dt
void rh_step_substep(rh_step_world *w, const rh_step_island *s, rh_step_contact *touch, double h);
void rh_step_substep_solve(rh_step_world *w, const rh_step_island *s, double h); // its two halves: velocities,
void rh_step_substep_move(rh_step_world *w, const rh_step_island *s, rh_step_contact *touch, double h); // positions
void rh_step_move_free(rh_step_world *w, int i, double h); // a free body that nothing touches
void rh_step_step_island(rh_step_world *w, rh_step_island *s, double h);
void rh_step_advance(rh_step_world *w);

#endif
