// world.h: the data of the time-stepping engine: bodies, contacts as found, rows, islands, the
// world and its workers.
//
// A mobile is a unit that moves by itself: a free body (fast, arrays `velocity` and `body`, index
// 1 .. nfree) or a tree of joints (index above nfree). Index 0 is the world, which does not move.
#ifndef ROUTH_STEPPING_WORLD_H
#define ROUTH_STEPPING_WORLD_H

#include "base/pool.h"
#include "geometry/broad.h"
#include "geometry/geometry.h"
#include "complement/blocks.h"
#include "stepping/articulated/articulated.h"
#include "collision/contact_list.h"
#include "contacts/simulation.h"
#include "stepping/tolerances.h"

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
  bool central;             // its centre of mass is the origin of its axes
  bool round;               // all moments of inertia are equal: no gyroscopic moment
  bool forced;              // a or torque include more than gravity
  bool pressed;             // a contact pushed in this (sub)step
  bool eased;               // and all were compliant
  bool near;                // a compliant contact is within reach
  bool midway;              // it is at the middle of its (sub)step; `start` has the start
  bool flies;               // nothing but impacts touches it in this step (impacts/flight.c)
  bool strikes;             // it is at the place of its impact
  unsigned turned;          // number of changes of its inverse inertia in the world
  rh_vec3 v0, w0;           // velocities at the start of the (sub)step
  double ahead;             // [s] time it has flown ahead in this step (impacts/flight.c)
  double size;              // [m] farthest point of its shapes from the centre of mass
  int body, qadr, vadr;     // of the model
  rh_quat q;                // attitude
  rh_mat3 R;
  rh_sym3 Iinv;             // [1/(kg m^2)] inverse of I
  double work;              // [J] done by external forces in this step
  double hand;              // [J] by the hand
  rh_vec3 torque;           // [N m] external, about the centre of mass
  rh_vec3 thrown;           // [m/s] what an impact in this step may add to its velocity (collide.c)
  rh_vec3 com;              // [m] centre of mass, body axes
  rh_vec3 press;            // [N m s] of contacts in this (sub)step, where `midway`
  rh_xform frame;           // joint frame in the world: q and v of the model are in it
  rh_sym3 I;                // [kg m^2] about the centre of mass, body axes
  rh_vec3 v1, w1;           // velocities after the plastic answer to an impact
  rh_vec3 wk;               // spin at the end of the (sub)step without contacts
  rh_step_start start;        // of the step, for a step that may be repeated
  double next;              // [s] in this step: time of its next impact (impacts/flight.c)
  bool stays;               // it is not moved to that place
  int presses;              // contacts that press it at an impact (impacts/groups.c)
  double held; // [1] stiffness of compliant contacts within reach (compliant_impulse.c)
} rh_step_body;

typedef struct rh_step_shape {
  int mobile;
  bool central; // its frame is the body's, at the centre of mass
  bool straight; // its axes are the body's
  double arm;   // [m] farthest point from its mobile's centre of mass
  bool placed;  // its geom is that which contacts of a step were found with
  bool still;   // and its pose and reach are those of the step before, to the bit
} rh_step_shape;

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
  double iw;          // [kg] 1/w; 0: joints hold the normal
  double bias;        // [m/s] u_n + give p_n + bias >= 0
  double p[4];        // [N s] along t1, t2, nothing, n; round: the tangential part in world axes, n
  double mu;          // of this step: at rest, or in motion
  double arm[2];      // [m] round: of the point below the centre of a, above that of b
  double il;          // [kg] round: 1/l of both tangents
} rh_step_row;

// of a contact that is not round: W = J H^-1 J' in t1, t2, n is [diag(l) + c c'/w, c; c', w]
typedef struct rh_step_row_general {
  _Alignas(64) double w;   // [1/kg] including compliance
  double l[2], il[2];      // [1/kg], [kg] 1/l
  double give;             // [1/kg] of a compliant contact; 0: rigid
  double c[2];
  double t1[3], t2[3]; // principal axes of the tangential inertia left when the normal yields
  double ra[3], rb[3];     // [m] point seen from the centres of mass
  double turn[2];          // [m/s] along t1, t2: rest of the velocity at the end (step.c)
  // of free bodies: W^-1 is [il, -h; -h', in], and spins by unit impulses on a and b along t1, t2, n
  double h[2], in;         // [kg]
  double ka[3][3], kb[3][3]; // [1/(kg m)]
  int ba, bb;              // branches of trees, RH_NONE
  unsigned turned[2];      // of the bodies, when it was made
} rh_step_row_general;

// Rolling and pivoting friction of a contact (friction/turn_rows.c), along t1, t2, n
typedef struct rh_step_turn {
  double limit[2];         // [m] of the torque over the normal impulse: rolling, pivoting; 0: none
  rh_vec3 axis[3];
  double p[3], kept[3];    // [N m s] on a; of the safe answer
  double before[3];        // [rad/s] of a relative to b before the (sub)step
  double stick[3];         // [kg m^2] inverse of the inertia in the plane: 11, 22, 12
  double roll, pivot;      // [kg m^2] 1/(largest inertia in the plane), 1/(that about n)
  double length;           // [m] of the larger body
  int ba, bb;              // branches of trees, RH_NONE
} rh_step_turn;

typedef struct rh_step_belt { // of a contact: surfaces that move on their bodies (friction/belt_rows.c)
  rh_vec3 v;               // [m/s] of a's surface relative to b's, in the contact plane, world axes
  double work, kept;       // [J] of the drives in this step; where the step may be repeated from
} rh_step_belt;

typedef struct rh_step_correction { // of a contact in the drift pass
  double want;              // [m/s] pseudo-velocity wanted, < 0: it may still close
  double push;              // [N s] normal pseudo-impulse
} rh_step_correction;

typedef struct rh_step_row_info { // of a contact: data that a sweep does not need; three cache lines
  _Alignas(64) rh_vec3 u0;  // [m/s] relative velocity before the (sub)step, world axes
  double un;                // its part along n
  double phi;               // [m]
  double e;
  double slide;             // [J] dissipated by sliding in this step
  int touch;                // index in the list of touches
  int rule;                 // contact of the model
  int a, b;                 // shapes
  bool lasts;               // it touched before, and moves steadily; at the middle of a step
  bool poisson;
  bool has_impact; // it is of the group of impacts being solved (impacts/groups.c)
  bool on_path;    // and that impact followed the path of its law or formulation
  bool split;      // p1 has its losses
  double kept;              // [J] `slide` where the step may be repeated from
  // ---- where there can be impacts
  double slow;              // [m/s] a slower approach is no impact
  rh_vec3 point;            // [m]
  double p1[4];             // [N s] the plastic answer to an impact; [J] D_n, D_t of one by its law
  // ---- compliant contacts: p_n = push + (aim - u_n)/give
  double radius;            // [m] of curvature
  double h;                 // [s] the (sub)step
  double aim, push; // [m/s] point of the tangent on the law (impact: former bias), [N s] impulse
  double damped;            // [J] by its damper in this step
} rh_step_row_info;

#define RH_STEP_LATE 32 // points; the rest: position_correction.c

typedef struct rh_step_missed { // late contacts in a step of an island
  int n;
  double first;               // [1] of the step: the first of them closes
  rh_found_contact at[RH_STEP_LATE]; // home: the first contact of the pair; in their order
} rh_step_missed;

typedef struct rh_step_material { // a contact of the model
  const rh_normal_law *law; // NULL: rigid
  double mu_s, mu;          // friction at rest, in motion
  bool steady;              // one coefficient at rest, in motion and in impacts of any speed
  bool equal;               // restitution is e of the model at every speed
} rh_step_material;

typedef struct rh_step_check { // of an island in a step, or of a step
  double residual;            // [m/s]
  int free;                   // minimum number of directions in which impulses are free
  int rule, shape[2];         // of its first contact, where there are any
  bool several, unknown;      // velocities are not unique; the island is too large to be checked
  int motions;                // number of motions that fit it, where they were counted; else 0
  bool more;                  // there may be more of them
  bool uncounted;             // contacts with friction whose motions were not counted
} rh_step_check;

typedef struct rh_step_check_cache { // result for an island at rest, by its lowest mobile
  uint64_t key;              // hash of all positions; 0: none
  uint64_t shared[4];        // a bit for each contact
  int free;
  bool uncounted;
} rh_step_check_cache;

#define RH_STEP_PAIRS 128 // of one part of the list of pairs

typedef struct rh_step_share_load { // touches of such a part
  const rh_found_contact *touch;
  int n;
  int at; // their place in the list of touches
} rh_step_share_load;

// of an island in a step; added and reported in the order of islands
typedef struct rh_step_result {
  double impact_work;         // [J] change of the energy by impulses along normals
  double drive_work;          // [J] of driven constraints
  double work[RH_WORK_COUNT]; // [J] of trees
  int nimpact;                // impacts in its part of the log
  rh_passed_pair pierced;     // shapes pressed in by more than half the thinner one
  rh_step_check check;
} rh_step_result;

typedef struct rh_step_island {
  int con, ncon;   // contacts con .. con + ncon - 1
  int mob, nmob;   // mobiles member[mob] ...
  int loop, nloop; // loops trees.loop_order[loop] ...
  int slice, nslice; // slices slice[slice] ...; none: it is one piece
  int columns, rows; // of the cells that they are (slices.c)
  int share;         // its place in parts.share
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
  bool alone;               // nothing else of its island touches then
  bool single;              // nothing else presses its bodies then
  bool pathless;            // its law or formulation has a path, which was not followed
  double gained, moved;     // [J] by the impacts of its group, if the island gained energy; of this
} rh_impact_record;

#define RH_STEP_LARGE 4096 // contacts from which on slices pay
#define RH_STEP_COLOURS 4
#define RH_STEP_SLICE 32   // contacts of a slice, at least on average
#define RH_STEP_SORTERS 16 // parts in which a list is sorted into slices, or islands
#define RH_STEP_SORTED 4096 // these islands, at most

// A cell of an island (slices.c), an island in one piece, or some of their contacts and bodies; and the
// results of a pass over it
typedef struct rh_step_slice {
  int con, ncon;             // contacts
  int mob, nmob;             // mobiles
  double largest, largest_impact; // maximum of the quantity of the pass
  double pressed;            // [m] deepest overlap of contacts that press or close, likewise
  double work, other;        // [J] and another sum
  bool smooth;
  bool cell;                 // of a large island: contacts and bodies are prefetched
  double deepest;            // [m] overlap of rigid contacts
  double spare[7];
} rh_step_slice;

typedef struct rh_step_sum { // results of a pass over the cells that a thread visited
  _Alignas(64) rh_step_slice of;
  uint64_t pass;             // its number; of another pass, there are none yet
} rh_step_sum;

typedef struct rh_step_extent { // of bodies
  _Alignas(64) double lo[3], hi[3]; // [m] of their centres
  double large[2];                // [m] the two largest sizes
} rh_step_extent;

typedef struct rh_step_extra { // a row of an island other than a contact
  int loop, row; // of a loop; RH_NONE: of a joint
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
  double *scratch;
} rh_step_newton;

typedef struct rh_step_par { // parameters of the engine stepping, in the order of its row
  double dt;               // [s]
  double tolerance;        // [m/s] of the contact velocities
  double iterations;       // maximum number
  double slop;             // [m] overlap that is not corrected
  double impacts_per_step; // maximum number of impacts located in a step
  double threads;
  double check_solution;   // rh_step_requested: which steps are checked
  double sleep;            // [s] of rest, after which an island sleeps; 0: none does
  double sleep_speed;      // [m/s] maximum, for a body at rest
  double midpoint;         // rh_step_midpoint: trees that are solved at the middle of their steps
} rh_step_par;

// Trees that are solved at the middle of their steps. The usual ones have actuators, or so few degrees
// of freedom that it costs little.
typedef enum rh_step_midpoint {
  RH_STEP_NO_TREES,
  RH_STEP_USUAL_TREES,
  RH_STEP_ALL_TREES
} rh_step_midpoint;

enum { RH_STEP_SMALL_TREE = 8 };

typedef enum rh_step_requested { RH_STEP_NEVER, RH_STEP_FRAMES, RH_STEP_STEPS } rh_step_requested;

typedef struct rh_step_sleep { // sleeping mobiles (sleep.c)
  bool on;                 // sleep is possible
  bool fresh;              // shapes of sleeping mobiles are not placed yet where they rest
  int n;                   // mobiles that sleep
  bool *asleep;            // (mobiles)
  bool *still;             // shapes that sleep or do not move (nshape)
  rh_vec3 *x;              // positions of bodies one step ago (mobiles)
  rh_quat *q;
  int ncontact;            // contacts of sleeping mobiles
  double *stored;          // [J] in the springs of sleeping contacts, by slots (nslot)
} rh_step_sleep;

typedef struct rh_step_counts { // counts of a run
  long steps, sweeps, contacts, impacts, unsolved;
  long newton;     // islands that were solved by Newton's method
  long limited;    // impacts whose restitution would have created energy
  double residual; // [m/s] largest left by a solve that ended at its limit
  double deepest;  // [m] overlap
  double largest_load;   // [N s] largest normal impulse over a step of a lasting contact,
  double largest_impact;  // and of a fast one; located impacts are reported separately
} rh_step_counts;

typedef struct rh_step_shapes {
  const rh_shape *sphere, *plane; // kinds with a fast path
  const rh_shape *field;          // and one with a slow path
  rh_step_shape *of;  // (nshape)
  rh_geom *geom_start; // poses at the start of the step, if some moved far (nshape)
  double *reach;      // [m] greatest travel of a point of a shape in a step (nshape)
  int *planes;        // shapes that are planes (nplane)
  int nplane;
  rh_half *half;      // (nplane)
  double thinnest;    // [m] of the bounded shapes
  double farthest;    // [m] greatest reach of a shape that moves, in this step
  double skin;        // [m] shapes nearer than this are always contacts
  bool hurried;       // some may have passed through another in this step (missed_contacts.c)
  bool edged;         // some moving shape is no ball
  bool sampled;       // some pair may have RH_TOUCH_MAX points: rh_geom_sampled
} rh_step_shapes;

typedef struct rh_step_pairs { // of shapes within reach
  rh_broad_result near; // of this step,
  rh_step_share_load *part; // their contacts, by parts (pair_capacity/RH_STEP_PAIRS + 1)
} rh_step_pairs;

typedef struct rh_step_contacts { // as found in this step
  int capacity;
  rh_found_contact *now; // (capacity)
  int n;
  int former; // those found before, of which the last are still there
  int nrow; // rows of the step before, which contacts that rest keep
} rh_step_contacts;

typedef struct rh_step_laws {
  bool impacts;       // some contact is rigid, or some limit bounces
  bool compliant;     // some contact is compliant
  bool bounces;       // some rigid one has restitution
  bool *poisson;      // the impact law of a rule (ncontact)
  bool mixed;         // it is that of some rule
  bool paths;         // impacts follow paths one by one: a law has one of its own, or the formulation
  rh_step_material *rule; // (ncontact)
  double *slide;      // [J] dissipated by sliding in this step, per rule (ncontact)
  // of contacts, by row.any (as the rows)
  rh_step_belt *belt; // NULL: no surface moves on its body
  rh_step_turn *turn; // NULL: no rule has rolling or pivoting friction
} rh_step_laws;

typedef struct rh_step_parts { // scratch of islands and slices
  _Atomic int *joined; // union-find (mobiles)
  int *label;         // island of a mobile that is its root (mobiles)
  // islands that are stepped together: chunk[k] ... chunk[k + 1] - 1 (mobiles + 1)
  int *chunk;
  rh_step_slice *slice; // of large islands (rh_step_slots)
  int nslice;
  int *visit;         // slots in the order of the threads' tasks (rh_step_slots)
  int *share;         // tasks of the threads, by large islands, and blocks (rh_step_shares)
  _Atomic int (*after)[RH_POOL_AFTER]; // tasks that a task follows (rh_step_slots)
  _Atomic uint64_t *done; // of the tasks (rh_step_slots)
  uint64_t *passes;   // over slices, so far (1)
  int *layer;         // island of a mobile; then its column and row there (mobiles)
  int *spare, *cell;  // for sorting; island of a contact (capacity)
  double *amount;     // of contacts, to be added (capacity)
  int *count;         // likewise (2 RH_STEP_SORTERS (rh_step_slots + RH_STEP_SORTED))
  rh_step_sum *sum;   // of each thread
  rh_step_extent *extent; // likewise
} rh_step_parts;

typedef struct rh_step_log { // impacts of the step (impacts/log.c)
  void *memory;
  rh_impact_record *impact; // island by island
  int per_contact;    // capacity of impacts per contact,
  int per_mobile;     // and contacts more per mobile
  int *by_time;       // all impacts in order, and scratch to sort them
} rh_step_log;

typedef struct rh_step_hand { // the hand of a live run
  int mobile;         // 0: none
  bool loads;         // a load may act on a free body in this step, besides gravity
  rh_force pull;      // [N m, N] about its centre of mass, if it is a free body
} rh_step_hand;

typedef struct rh_step_checks { // of solutions (solution_check.c)
  bool on;            // this step is checked
  rh_solver_now since; // of the steps checked since the last frame
  rh_step_check_cache *known; // (mobiles)
  rh_step_counts begun; // the world's counts before the step
} rh_step_checks;

// The world. While workers step islands it is read-only: they write the arrays that belong to their
// island, and their own memory.
typedef struct rh_step_world {
  // memory of the arrays; `rows` that of the rows, of which unused pages take none
  void *block, *rows;
  const rh_model *m;
  rh_sim *sim;
  rh_data *d;
  rh_step_par par;
  double h;           // [s] of this step: par.dt, or a part of it
  // [m/s] slower approaches have no restitution: 1/100 of gravity in a step, or run.rest_speed; at
  // contacts also what a step of free fall gives along their normal (rh_step_slow)
  double slow;
  double weight;      // [m/s^2] magnitude of gravity
  bool fresh;         // read the state again before the next step
  bool full;          // more contacts than the capacity
  rh_step_hand hand;
  // mobiles
  int nfree;
  rh_step_velocity *velocity; // (nfree + 1)
  rh_step_body *body; // (nfree + 1)
  double (*pseudo)[8]; // velocities of the position correction: linear, angular (nfree + 1)
  int *mobile;        // of each body (nbody)
  rh_step_trees trees;
  rh_step_sleep sleep;
  // contacts
  rh_contact_search *search; // shapes and pairs of the world, of d
  rh_step_shapes shapes;
  rh_step_pairs pairs;
  rh_step_contacts contacts;
  // by islands; from `worker.again_at` on of islands found again (capacity + threads x capacity)
  rh_step_row *row;
  rh_step_row_general *general; // likewise
  rh_step_row_info *info; // likewise
  rh_step_correction *correction; // likewise
  int *order;         // likewise: index in the list of contacts
  rh_step_laws laws;
  // islands
  rh_step_island *island; // (nfree + 1)
  rh_step_result *result; // of each island (nfree + 1)
  int nisland;
  int *member;        // mobiles, island by island (nfree + 1)
  rh_step_parts parts;
  rh_step_log log;
  rh_step_checks checks;
  // threads
  rh_pool *pool;      // NULL: there is one
  struct rh_step_worker *worker; // one per thread (par.threads)
  rh_step_counts tally; // sum of the workers' counts, after a step
  char reason[256];
} rh_step_world;

typedef struct rh_step_kept { // results at the point from which a step may be repeated
  double impact_work, drive_work;
  int nimpact;
  double largest_load, largest_impact; // of the tally
} rh_step_kept;

typedef struct rh_step_account { // of an island with trees, before or after a step
  double sum;        // [J] its energy and all that was lost, less what was put in
  double motion;     // [J] kinetic energy
  double mass;
} rh_step_account;

typedef struct rh_step_guard { // of a step that may be repeated (articulated_guard.c)
  rh_step_account before;
  rh_step_counts counts;
  double impact_work, drive_work, work[RH_WORK_COUNT]; // of the result
  int nimpact;
} rh_step_guard;

// A thread's own memory, and the result of the island that it steps
typedef struct rh_step_worker {
  const rh_step_world *world;
  rh_step_result result;
  rh_step_kept kept;
  rh_step_tree_rows rows;
  rh_step_newton newton;
  rh_step_counts tally; // since the run began
  double at;          // [s] time in the step of an island that is examined again
  bool midway;        // the island is at the middle of its (sub)step
  bool moment;        // rows are those of an impact
  bool diverged;        // the last solution of a step did; rh_step_limit_step takes another
  double gained, moved; // [J] of the present group of impacts, until they are recorded
  double lean;        // [1] share of the end velocity (compliant_impulse.c); 0: not compliant
  rh_impact_record *impact; // part of the log of the island (impact_capacity)
  int impact_capacity;
  double *impact_scratch; // (impacts/law.c)
  // contacts of an island found again; before, of parts of pairs (contacts.capacity)
  rh_found_contact *again;
  int nagain;         // their number
  int again_at;       // their rows in the world's arrays
  double deepest;     // [m] overlap of rigid contacts of the island, after the ledger
  double farthest;    // [m] reach of the shapes that it placed
  double flung;       // [m] farther than its reach, at most
  rh_passed_pair passed[2]; // the first ones, of those within reach and of others
  bool driven;        // a load acts on one of its free bodies
  bool infinite;      // one of them has a velocity that is no number
  bool full;          // more contacts than the capacity
} rh_step_worker;

#endif
