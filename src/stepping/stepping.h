// stepping.h: private interface of the time-stepping engine (layer 6): a world by fixed steps, with
// contacts and impacts in one complementarity problem per step (Moreau 1988, Jean 1999). A step of
// length h, by the numbers of docs/concepts.md:
//   1 free motion (free_body.c)  2 collide with a margin, 3 forces kept by feature (collide.c,
//   heightfield_sweep.c)   3 islands (island.c), large ones sliced (partition.c)  4 rows, inertia
//   (contact_rows.c)   5 solve (gauss_seidel.c, island_newton.c), energy_limit.c, solution_check.c
//   9 impacts located (impact_located.c) or batched (impact_batch.c)  8 positions (free_body.c),
//   missed_contacts.c, position_correction.c   10 energy ledger (energy.c), reports (impact_log.c)
// Also: trees (articulated*.c), loop_rows.c, compliant.c, compliant_impulse.c, sleep.c, parallel.c.
// The unknowns are velocities at the end of the step and impulses p; for each contact, frame (t1, t2, n), u = J v,
//   0 <= p_n  _|_  u_n + max(phi, 0)/h >= 0,   |p_t| <= mu p_n, and where u_t is not 0: p_t = -mu p_n u_t/|u_t|
// with phi [m] the gap at the start. Coulomb's law is solved exactly, not by a pyramid or relaxed
// cone. A compliant contact yields: u_n + p_n/g and another bias in place of the gap (compliant.c).
//
// A mobile is a unit that moves by itself: a free body (fast, arrays `hot` and `cold`, index 1 ..
// nfree) or a tree of joints (index above nfree). Index 0 is the world, which does not move.
#ifndef ROUTH_STEPPING_STEPPING_H
#define ROUTH_STEPPING_STEPPING_H

#include "base/pool.h"
#include "geometry/broad.h"
#include "geometry/manifold.h"
#include "complement/blocks.h"
#include "articulated.h"
#include "contacts/simulation.h"

// [m] largest gap of a touch; located times leave rounding for round shapes, others are redone
#define RH_STEP_CLOSED 1e-10

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

typedef struct rh_step_velocity { // velocities of a free body for a sweep: two cache lines
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

typedef struct rh_step_body { // the rest of a free body; the data of a ball's step come first
  _Alignas(64) rh_vec3 x;   // [m] centre of mass
  rh_vec3 a;                // [m/s^2] linear acceleration without contacts
  double mass;
  bool plain;               // frame is the identity
  bool round;               // all moments of inertia are equal: no gyroscopic moment
  bool forced;              // a or torque include more than gravity
  bool pressed;             // a contact pushed in this (sub)step
  bool eased;               // and all were compliant
  bool near;                // a compliant contact is within reach
  bool flies;               // nothing but impacts touches it in this step (impact_batch.c)
  bool strikes;             // it is at the place of its impact
  rh_vec3 v0, w0;           // velocities at the start of the (sub)step
  double ahead;             // [s] time it has flown ahead in this step (impact_batch.c)
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
  rh_vec3 v1, w1;           // velocities after the plastic answer to an impact
  rh_vec3 wk;               // spin at the end of the (sub)step without contacts
  rh_step_start start;        // of the step, for a step that may be repeated
  double next;              // [s] in this step: time of its next impact (impact_batch.c)
  bool stays;               // it is not moved to that place
  double held; // [1] stiffness of compliant contacts within reach (compliant_impulse.c)
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

// A contact as found, by shapes and features; the next step reads only its first cache line
typedef struct rh_step_contact {
  _Alignas(64) int a; // shapes; an unbounded one is b
  int b;
  int id;             // feature
  int rule;           // contact of the model
  int ma, mb;         // mobiles
  int home;           // in a list found again: a contact of the same pair in the step's own list
  bool shared;        // its load is not determined, as far as that was checked
  rh_vec3 f;          // [N] force on a, mean over the (last) step
  double since;       // [s] when it began to carry a force
  double phi;         // [m] gap; < 0: overlap
  rh_vec3 point, n;   // [m] world, n from b into a
  double stored;      // [J] compliant: in its spring at the end of the step
} rh_step_contact;

// Rows of a contact for sweeps. A `round` one joins bodies with a ball's inertia at points straight
// above their centres of mass: W = diag(1/il, 1/il, 1/iw), no tangents, just these two cache lines.
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
  _Alignas(64) double w;   // [1/kg] including compliance
  double l[2], il[2];      // [1/kg], [kg] 1/l
  double give;             // [1/kg] of a compliant contact; 0: rigid
  double c[2];
  double t1[3], t2[3]; // principal axes of the tangential inertia left when the normal yields
  double ra[3], rb[3];     // [m] point seen from the centres of mass
  int ba, bb;              // branches of trees, RH_NONE
} rh_step_row_general;

typedef struct rh_step_correction { // of a contact in the drift pass
  double want;              // [m/s] pseudo-velocity wanted, < 0: it may still close
  double push;              // [N s] normal pseudo-impulse
} rh_step_correction;

typedef struct rh_step_row_info { // of a contact: data that a sweep does not need
  _Alignas(64) rh_vec3 u0;  // [m/s] relative velocity before the (sub)step, world axes
  double un;                // its part along n
  double phi;               // [m]
  double e;
  double slide;             // [J] dissipated by sliding in this step
  int touch;                // index in the list of touches
  int rule;                 // contact of the model
  int a, b;                 // shapes
  double kept;              // [J] `slide` where the step may be repeated from
  // ---- where some contact has restitution
  rh_vec3 point;            // [m]
  double p1[4];             // [N s] the plastic answer to an impact
  bool poisson;
  bool struck; // impact in the step's pass: its bias has the restitution (impact_batch.c)
  // ---- compliant contacts: p_n = push + (aim - u_n)/give
  const rh_normal_law *law;
  double radius;            // [m] of curvature
  double h;                 // [s] the (sub)step
  double aim, push; // [m/s] point of the tangent on the law (impact: former bias), [N s] impulse
  double damped;            // [J] by its damper in this step
} rh_step_row_info;

#define RH_STEP_LATE 32 // points; the rest: position_correction.c

typedef struct rh_step_missed { // late contacts in a step of an island
  int n;
  double first;               // [1] of the step: the first of them closes
  rh_step_contact at[RH_STEP_LATE]; // home: the first contact of the pair; in their order
} rh_step_missed;

typedef struct rh_step_material { // a contact of the model
  const rh_normal_law *law; // NULL: rigid
  double mu_s, mu;          // friction at rest, in motion
} rh_step_material;

typedef struct rh_step_check { // of an island in a step, or of a step
  double residual;            // [m/s]
  int free;                   // directions in which impulses are free, at least
  int rule;                   // of its first contact, where there are any
  bool several, unknown;      // velocities are not unique; both are known by counting only
} rh_step_check;

typedef struct rh_step_check_cache { // result for an island at rest, by its lowest mobile
  uint64_t key;              // hash of all positions; 0: none
  uint64_t shared[4];        // a bit for each contact
  int free;
} rh_step_check_cache;

#define RH_STEP_PAIRS 128 // of one part of the list of pairs

typedef struct rh_step_share_load { // touches of such a part
  const rh_step_contact *touch;
  int n;
  int at; // their place in the list of touches
} rh_step_share_load;

typedef struct rh_step_island {
  int con, ncon;   // contacts con .. con + ncon - 1
  int mob, nmob;   // mobiles member[mob] ...
  int tie, ntie;   // loops trees.tie_order[tie] ...
  int slice, nslice; // slices slice[slice] ...; none: it is one piece
  // Its contribution to the energy ledger in this step, and the number of its impacts
  double struck;   // [J] change by impulses along normals
  double work[RH_WORK_COUNT]; // [J] of trees
  int nnote;
  int pierced;     // contact pressed in by more than half the thinner shape; RH_NONE
  rh_step_check judged;
} rh_step_island;

typedef struct rh_impact_record { // an impact, reported at the end of the step
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

#define RH_STEP_SLICE 64 // contacts of a slice, at least on average

typedef struct rh_step_slice { // of an island (partition.c), and the results of a pass over it
  int con, ncon;             // contacts
  int mob, nmob;             // mobiles
  _Atomic bool taken;        // by a thread, in this pass
  double most, struck;       // the largest of something
  double work;               // [J]
  bool smooth;
} rh_step_slice;

typedef struct rh_step_extra { // a row of an island other than a contact
  int tie, row;              // of a loop; RH_NONE: a line
} rh_step_extra;

typedef struct rh_step_newton { // memory for an island as one problem (island_newton.c)
  void *block;              // memory of the following arrays
  int contacts, entries;    // maximum number of blocks and entries
  rh_step_extra *extra;       // blocks after the contacts (contacts)
  rh_block_kind *kind;      // (contacts)
  double *limit, *b, *p;    // (contacts), (3 contacts)
  bool *shared;             // (contacts)
  int *start, *col;         // (contacts + 1), (entries)
  double *W;                // (9 entries)
  double *room;
} rh_step_newton;

typedef struct rh_step_par { // parameters of the engine, in the order of its row
  double dt;               // [s]
  double tolerance;        // [m/s] of the contact velocities
  double sweeps;           // at most
  double slop;             // [m] overlap that is not corrected
  double bounces;          // impacts located in a step, at most
  double threads;
  double judge;            // rh_step_requested: which steps are checked
  double sleep;            // [s] of rest, after which an island sleeps; 0: none does
  double sleep_speed;      // [m/s] at most, for a body at rest
} rh_step_par;

typedef enum rh_step_requested { RH_STEP_NEVER, RH_STEP_FRAMES, RH_STEP_STEPS } rh_step_requested;

typedef struct rh_step_sleep { // sleeping mobiles (sleep.c)
  bool on;                 // sleep is possible
  bool fresh;              // the shapes of sleeping mobiles are not placed yet
  int n;                   // mobiles that sleep
  bool *asleep;            // (mobiles)
  bool *still;             // shapes that sleep or do not move (nshape)
  rh_vec3 *x;              // positions of bodies one step ago (mobiles)
  rh_quat *q;
  rh_step_contact *touch;      // contacts of sleeping mobiles that carry a force, in order (room)
  int ntouch;
} rh_step_sleep;

typedef struct rh_step_counts { // counts of a run
  long steps, sweeps, contacts, impacts, unsolved;
  long hard;       // islands that were solved by Newton's method
  long drawn;      // impacts whose restitution would have created energy
  double residual; // [m/s] largest left by a solve that ended at its limit
  double deepest;  // [m] overlap
  double most;     // [N s] largest normal impulse over a step of a lasting contact,
  double struck;   // and of a fast one; located impacts are reported separately
} rh_step_counts;

typedef struct rh_step_world {
  void *block;        // memory of all arrays
  const rh_model *m;
  rh_sim *sim;
  rh_data *d;
  rh_step_par par;
  double at;          // [s] time in the step of an island that is examined again
  double slow; // [m/s] least bounce speed: 1/100 of gravity in a step, or run.rest_speed
  bool fresh;         // read the state again before the next step
  int held;           // mobile that the hand pulls, with
  rh_force pull;      // [N m, N] about its centre of mass, if it is a free body; 0: none
  bool full;          // more contacts than the capacity
  // mobiles
  int nfree;
  rh_step_velocity *hot;     // (nfree + 1)
  rh_step_body *cold;   // (nfree + 1)
  double (*pseudo)[8];// velocities of the drift pass: linear, angular (nfree + 1)
  int *mobile;        // of each body (nbody)
  rh_step_trees trees;
  // shapes
  const rh_shape *sphere, *plane; // shapes with a fast path
  const rh_shape *field;          // and one with a slow path
  rh_step_shape *shape; // (nshape)
  rh_geom *geom;      // (nshape)
  rh_geom *geom_start; // poses at the start of the step, if some went far (nshape)
  double thinnest;    // [m] of the bounded shapes
  bool hurried;       // some may have gone through another in this step (passing_check.c)
  rh_bounds *box;     // reach in a step (nshape)
  double *reach;      // [m] greatest travel of a point of a shape in a step (nshape)
  int *planes;        // shapes that are planes (nplane)
  int nplane;
  rh_half *half;      // (nplane)
  rh_broad *broad;
  rh_step_pair *pair, *pair_old; // of this step, of the last (pair_room)
  int pair_room;
  bool paired;        // pair_old is valid
  rh_broad_result near; // pairs of this step,
  rh_step_share_load *share; // their touches, by parts (pair_room/RH_STEP_PAIRS + 1)
  double skin;        // [m] shapes nearer than this are always contacts
  // contacts
  int room;           // capacity of contacts
  rh_step_contact *touch, *old; // of this step, of the last (room)
  int ntouch, nold;
  void *rows;         // memory of the next six; unused pages take none
  rh_step_row *con; // by islands; from `look` on of islands found again (room + threads x room)
  rh_step_row_general *any;     // likewise
  rh_step_row_info *side;   // likewise
  rh_step_correction *lift;   // likewise
  int *order;         // likewise: index in the list of touches
  rh_step_contact *again; // touches of an island found again; before, of parts of pairs (room)
  int nagain;         // their number
  int look;
  rh_step_newton hard;
  rh_step_sleep nap;
  // islands
  int *joined;        // union-find (nfree + 1)
  int *label;         // island of a mobile that is its root (nfree + 1)
  int *member;        // mobiles, island by island (nfree + 1)
  rh_step_island *island; // (nfree + 1)
  int nisland;
  bool edged;         // some moving shape is no ball
  rh_step_slice *slice; // of large islands (mobiles + room/RH_STEP_SLICE)
  int nslice;
  int *layer;         // slice of a mobile in its island (mobiles)
  int *spare;         // for sorting (room)
  bool lively;        // some contact has restitution
  bool soft;          // some contact is compliant
  bool *poisson;      // the law of a rule (ncontact)
  rh_step_material *rule;   // (ncontact)
  double *slide;      // [J] dissipated by sliding in this step, per rule (ncontact)
  // of the island that is stepped: its part of the energy ledger, its impacts
  double struck;
  double lean; // [1] share of the end velocity (compliant_impulse.c); 0: not compliant
  double work[RH_WORK_COUNT];
  rh_impact_record *note;   // (note_room)
  int nnote, note_room;
  double kept_struck; // ledger of the island at the point from which the step may be repeated
  int kept_notes;
  double kept_most, kept_blow; // of the tally
  // impacts of the step (impact_log.c)
  void *told;         // memory
  rh_impact_record *notes;  // island by island
  int note_depth;     // capacity of impacts per contact,
  int note_each;      // and as many contacts more per mobile
  int *by_time;       // all impacts in order, and scratch to sort them
  // threads (parallel.c)
  rh_pool *pool;
  struct rh_step_world *crew; // copies, one per thread but the first, with own tally (threads - 1)
  int *chunk;         // islands that are stepped together: chunk[k] ... chunk[k + 1] - 1 (mobiles + 1)
  rh_step_counts tally;
  rh_step_counts begun;  // state before the step
  int pierced;        // of the island that is stepped
  bool judging;       // this step is checked
  rh_step_check judged; // the island that is stepped
  rh_solver_now since; // of the steps checked since the last frame
  rh_step_check_cache *known; // (mobiles)
  char reason[200];
} rh_step_world;

// world.c: the engine's arrays from the model; loads and stores the state
rh_status rh_step_create(rh_sim *sim, const double *par, rh_diag *diag, rh_step_world **out) RH_CHECK_RESULT;
void rh_step_destroy(rh_step_world *w);
void rh_step_load_state(rh_step_world *w);        // from d->state: positions, velocities, remembered contacts
void rh_step_store_state(rh_step_world *w);       // q and v back into d
void rh_step_store_slots(rh_step_world *w); // and the contacts that carry a force
rh_xform rh_step_pose(const rh_step_world *w, int body);

// free_body.c: free bodies between contacts
void rh_step_apply_loads(rh_step_world *w);                           // forces from outside, at the start of a step
void rh_step_integrate_velocity(rh_step_velocity *hot, rh_step_body *c, double h);   // velocities without contacts at the end of h
void rh_step_integrate_position(rh_step_velocity *hot, rh_step_body *c, double h, double share); // positions; [1] the share of the velocity at the end
rh_quat rh_step_rotate_by(rh_vec3 phi);                   // rotation by a vector
void rh_step_update_rotation(rh_step_velocity *hot, rh_step_body *c);       // R and inverse inertia from q

// collide.c: which shapes meet, and where
void rh_step_place(rh_step_world *w, int shape); // its geom at the pose of its body
bool rh_step_may_collide(const void *user, int a, int b); // shapes; user is the world
void rh_step_collide(rh_step_world *w);
// Touches of the island's pairs into `again`; returns their number: of all pairs anew, or only of
// bodies that are ahead, the others unchanged. The late ones come after those of their pair.
int rh_step_collide_island(rh_step_world *w, const rh_step_island *s, double h, bool all, const rh_step_missed *late);
void rh_step_pressed(rh_step_world *w); // marks bodies that have carried a load
int rh_step_collide_pair(rh_step_world *w, int a, int b, rh_step_contact *list);   // touches of two shapes as they stand; how many
int rh_step_contact_order(const rh_step_contact *x, const rh_step_contact *y); // < 0: x comes first
// Forces of the island's touches to the n of another list of the same pairs (`out`), or back from it.
void rh_step_copy_forces(rh_step_world *w, const rh_step_island *s, rh_step_contact *list, int n, bool out);

// heightfield_sweep.c: points along several cells; m has those at the start. Returns the number.
int rh_step_sweep_heightfield(const rh_step_world *w, const rh_step_pair *pair, double margin, rh_manifold *m);

// island.c
void rh_step_islands(rh_step_world *w);

// partition.c: large islands in slices
typedef void rh_step_pass(struct rh_step_world *w, rh_step_slice *slice, const void *user);
void rh_step_slices(rh_step_world *w);
rh_step_slice rh_step_over_slices(rh_step_world *w, const rh_step_island *s, rh_step_pass *pass, const void *user, bool apart);

// A pass over an island, and its result. `apart`: slices with a common body never run at once.
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
void rh_step_rows_give(rh_step_world *w, rh_step_row *c, double give); // with another compliance
void rh_step_push(rh_step_world *w, const rh_step_row *c, rh_vec3 P);        // an impulse on both mobiles
void rh_step_arms(const rh_step_world *w, const rh_step_row *c, rh_vec3 r[2]); // [m] its point seen from the centres of free bodies a and b
rh_vec3 rh_step_free_velocity(const rh_step_world *w, const rh_step_row *c); // of free bodies alone
void rh_step_free_push(rh_step_world *w, const rh_step_row *c, rh_vec3 P);
rh_vec3 rh_step_velocity_at(const rh_step_world *w, const rh_step_row *c);      // of a relative to b, world axes
rh_vec3 rh_step_impulse(const rh_step_world *w, const rh_step_row *c, const double p[4]); // on a, world axes

// Prefetches the bodies of contact k of a large island.
static inline void rh_step_prefetch_bodies(const rh_step_world *w, int k, int end)
{
  if (k >= 0 && k < end) {
    __builtin_prefetch(&w->hot[w->con[k].a]);
    __builtin_prefetch(&w->hot[w->con[k].b]);
  }
}

// gauss_seidel.c: the impulse of a contact that moves at u (t1, t2, n)
void rh_step_local(const rh_step_row *c, const rh_step_row_general *x, const double u[3], double p[4]);
void rh_step_solve(rh_step_world *w, const rh_step_island *s);
void rh_step_solve_fully(rh_step_world *w, const rh_step_island *s); // to rounding: impacts

// island_newton.c: an island by Newton's method; the residual [m/s], HUGE_VAL: too large. [rows]
rh_status rh_step_newton_create(rh_step_newton *q, int contacts) RH_CHECK_RESULT;
void rh_step_newton_destroy(rh_step_newton *q);
bool rh_step_newton_pose(rh_step_world *w, const rh_step_island *s, rh_blocks *problem); // as it stands, its impulses in hard.p; false: it is too large
double rh_step_solve_newton(rh_step_world *w, const rh_step_island *s, double tolerance);
void rh_step_newton_frame(const rh_step_world *w, const rh_step_row *c, rh_vec3 f[3]); // rows t1, t2, n of a contact
// island_newton_rows.c: limits, dry friction and loops in it
int rh_step_newton_list(rh_step_world *w, int ncon); // number of blocks; RH_NONE: too many
bool rh_step_newton_pair(const rh_step_world *w, const rh_step_row *con, int ncon, const int at[2], double *W);
void rh_step_newton_fill(rh_step_world *w, const rh_step_extra *e, int at);
void rh_step_newton_take(rh_step_world *w, const rh_step_extra *e, int at);

// energy_limit.c: reduces impulses that would create energy. [solve]
void rh_step_energy_limit(rh_step_world *w, const rh_step_island *s);
// Keeps the velocities without contacts of an island with trees: its energy [J], < 0: no trees.
double rh_step_energy_limit_begin(rh_step_world *w, const rh_step_island *s);
// As rh_step_energy_limit, with the result of rh_step_energy_limit_begin; h [s] is the (sub)step.
void rh_step_energy_limit_unsolved(rh_step_world *w, const rh_step_island *s, double free, double h);

// impact_located.c
double rh_step_energy(const rh_step_world *w, const rh_step_island *s); // [J] of its motion
double rh_step_slow(const rh_step_world *w);
double rh_step_kinetic(const rh_step_world *w, int i, rh_vec3 v, rh_vec3 spin); // [J] of a free body
// Largest share of the way from the plastic (e0) to the elastic (e1; eh halfway) energy <= before
double rh_step_energy_limited_share(double e0, double eh, double e1, double before);
double rh_step_pull(const rh_step_world *w, const rh_step_row *c); // [m/s^2] along n, unsupported
// Time at which gap phi closes, at u with acceleration a; HUGE_VAL: not in h, or slowly.
double rh_step_closes(const rh_step_world *w, double phi, double u, double a, double h);
// the island with the n contacts of `again`, after all others
rh_step_island rh_step_examine_again(rh_step_world *w, const rh_step_island *s, int n);
double rh_step_first_impact(const rh_step_world *w, const rh_step_island *s, double h); // [s] HUGE_VAL: none. [rows]
void rh_step_impacts_located(rh_step_world *w, const rh_step_island *s, double h); // the island over h, impacts located. [rows]

// solution_check.c: check of the island's answer [solve]; touch NULL: of an impact
void rh_step_check_solution(rh_step_world *w, const rh_step_island *s, rh_step_contact *touch);
void rh_step_diagnosis(rh_step_world *w);       // when all islands of a checked step are through
void rh_step_diagnosis_store(rh_step_world *w); // into d->solver, at a frame

// missed_contacts.c: late contacts
bool rh_step_may_be_missed(const rh_step_world *w, const rh_step_island *s);
void rh_step_start_keep(rh_step_world *w, const rh_step_island *s);
void rh_step_start_again(rh_step_world *w, const rh_step_island *s);
// adds new ones to the list; true: there are some
bool rh_step_missed_find(rh_step_world *w, const rh_step_island *s, double h, rh_step_missed *late);

// impact_batch.c: impacts of an island of many free bodies, in one pass
bool rh_step_use_batch_impacts(const rh_step_world *w, const rh_step_island *s); // is it one? [rows]
void rh_step_impact_batch(rh_step_world *w, const rh_step_island *s, double h, const rh_step_missed *late); // over h. [rows]
void rh_step_move_free_on(rh_step_world *w, int i, double h); // pressed only by impacts. [solve]

// position_correction.c: removes overlap. [rows]
void rh_step_correct_positions(rh_step_world *w, const rh_step_island *s, double h);

// energy.c: the ledger
void rh_step_ledger_begin(rh_step_world *w);
// [solve] and forces for the next step. True: mean velocities pass no gap.
bool rh_step_ledger_contacts(rh_step_world *w, const rh_step_island *s, rh_step_contact *touch, double h);
// Impact at contact k; [m/s] fastest approach, < 0; [m/s] gain of its velocity since. NULL: none
rh_impact_record *rh_step_ledger_impact(rh_step_world *w, int k, double fastest, rh_vec3 since);
rh_step_row_info *rh_step_home(const rh_step_world *w, int k); // the record of contact k
void rh_step_ledger_force(rh_step_world *w, int i, double h); // work of external forces
int rh_step_ledger_end(rh_step_world *w); // number of impacts to report

// sleep.c: islands that rest
static inline bool rh_step_asleep(const rh_step_world *w, int mobile)
{
  return w->nap.n > 0 && w->nap.asleep[mobile];
}
void rh_step_wake(rh_step_world *w, int mobile);     // and its sleeping island
void rh_step_sleep_load(rh_step_world *w);           // [load]
void rh_step_sleep_weigh(rh_step_world *w); // energy in its contacts, when shapes are placed later
bool rh_step_sleep_begin(rh_step_world *w);          // [loads] forces wake; true: all mobiles sleep on
void rh_step_sleep_end(rh_step_world *w, double h);  // rest times, islands to sleep

// impact_log.c: impacts of a step, kept until all islands are through
rh_status rh_step_impact_records_create(rh_step_world *w) RH_CHECK_RESULT;
void rh_step_impact_records_begin(rh_step_world *w, const rh_step_island *s); // of the island that is stepped
rh_impact_record *rh_step_impact_record_add(rh_step_world *w, int rule, int dof);
void rh_step_impact_records_report(rh_step_world *w);

// parallel.c: threads
rh_status rh_step_parallel_create(rh_step_world *w) RH_CHECK_RESULT;
void rh_step_parallel_destroy(rh_step_world *w);
typedef void rh_step_task(rh_step_world *w, int task); // own copy: only tally and `full` count
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

// step.c: an island over h without a second look [rows]; one step of w->par.dt
void rh_step_substep(rh_step_world *w, const rh_step_island *s, rh_step_contact *touch, double h);
void rh_step_substep_solve(rh_step_world *w, const rh_step_island *s, double h); // its two halves: velocities,
void rh_step_substep_move(rh_step_world *w, const rh_step_island *s, rh_step_contact *touch, double h); // positions
void rh_step_move_free(rh_step_world *w, int i, double h); // a free body without contact
void rh_step_step_island(rh_step_world *w, rh_step_island *s, double h);
void rh_step_advance(rh_step_world *w);

#endif
