// articulated.h: trees of joints in the time-stepping engine. The degrees of freedom of all trees
// are in one vector, tree by tree; a stretch of them without a fork begins at a multiple of four,
// and its padding is zero. The path from a body to the root is then a few runs of whole fours.
//
// H^ = H + h D + h^2 K (springs and dampers at the end of the step) is factored as L' L, which
// keeps the zeros between branches [RBDA 6.5]. Sweeps work on z = L v: a row J of a contact becomes
// y = J L^-1, which is zero off the body's path to the root, as J is; u = y z, an impulse p adds
// y' p to z, and W = y y'. H^-1 J' is never formed.
#ifndef ROUTH_STEPPING_ARTICULATED_H
#define ROUTH_STEPPING_ARTICULATED_H

#include "multibody/multibody.h"

struct rh_step_world;
struct rh_step_worker;
struct rh_step_row_general;
struct rh_step_island;
struct rh_found_contact;
struct rh_step_guard;

typedef struct rh_step_run { // part of a path: z ... z + n - 1, n a multiple of four,
  int z, n;
  int on; // of which this many are on it; the others belong to another branch, or to none
} rh_step_run;

typedef struct rh_root_path { // from the root to a body
  int run, nrun;           // in `run`
  int len;                 // sum of their n
  int tip;                 // its last degree of freedom; RH_NONE: the body does not move
} rh_root_path;

typedef struct rh_step_tree {
  int body, nbody;   // bodies: member[body] ...
  int z, nz;         // its part of z
  rh_vec3 origin;    // [m] point that S and inertias are about
  int act, nact;     // actuators: actuator[act] ...
  bool driven;       // actuators may act on it: its own, or those of tendons
  int nlimit, ndry;  // number of limits, of degrees of freedom with dry friction
  int ndof;          // of the model
  bool held;         // some joint is locked
  // initial springs, dampers or gains outweigh the inertia in a step: they must not oscillate
  bool stiff;
  // [N m, N] of the hand, if it holds a body of this tree, about the body's origin
  rh_force pull;
  bool pushed;       // an external force acts on it
  bool stands;       // kinematics match q and v
  bool middle;       // its velocities without rows are those of the midpoint rule
  bool midway;       // it is at the middle of its (sub)step
} rh_step_tree;

typedef struct rh_step_branch { // rows of one side of a contact or loop
  const rh_step_run *run;
  int nrun, len;
  double *Y;                // (rows x len)
  int mobile;               // its tree
} rh_step_branch;

typedef enum rh_step_joint_row_kind { RH_STEP_LIMIT, RH_STEP_DRY } rh_step_joint_row_kind;

typedef struct rh_joint_row { // a row of one degree of freedom
  rh_step_joint_row_kind kind;
  int z;                    // of a degree of freedom: its place in z,
  double sign;              // and the sign of the row there
  rh_step_branch on;
  int dof;                  // of the model
  int tendon;               // it is a row of this tendon; RH_NONE: of the degree of freedom
  double w, iw;             // W and 1/W
  double bias;              // [m/s, rad/s] limit: u + bias >= 0
  double limit, rest;       // [N s, N m s] dry: maximum impulse in motion and at rest
  double u0, p;
  double gap;               // [m, rad] limit: < 0 beyond it
  double e;                 // limit: restitution
  bool shakes;              // limit: contacts with restitution touch its tree, which its impulse may make approach
  int mobile;
} rh_joint_row;

// Sides of a loop or constraint: its two ends and the joints whose speeds take part
enum { RH_TIE_SIDES = 2 + RH_CONSTRAINT_TERMS };

typedef struct rh_loop_rows { // a loop, or a constraint on velocities
  int loop;
  int nside;
  int mobile[RH_TIE_SIDES];        // free bodies; 0: none
  rh_step_branch on[RH_TIE_SIDES]; // tree parts, nrun 0: none
  // rows of free bodies: of the velocity of the centre of mass, of the angular velocity
  rh_vec3 lin[RH_TIE_SIDES][RH_LOOP_ROWS], ang[RH_TIE_SIDES][RH_LOOP_ROWS];
  rh_tie tie;
  int n;                   // rows
  // Cholesky factor of W; a dependent row has a zero on the diagonal
  double D[RH_LOOP_ROWS][RH_LOOP_ROWS];
  double bias[RH_LOOP_ROWS], p[RH_LOOP_ROWS], u0[RH_LOOP_ROWS];
} rh_loop_rows;

typedef struct rh_step_trees {
  int n;             // trees: mobiles nfree + 1 ...
  int nz;            // length of z
  rh_step_tree *tree;  // (n)
  int *member;       // bodies, tree by tree, each after its parent
  int *zadr;         // first degree of freedom of a body (nbody)
  int *dof;          // of the model, RH_NONE: none (nz)
  int *parent;       // next towards the root, RH_NONE (nz)
  int *pos;          // place in the path (nz)
  int *row;          // start of a row of L, root first (nz)
  int *first;        // start of its stretch (nz)
  rh_root_path *way;    // of each body (nbody)
  rh_step_run *run;
  double *S;         // axes about the tree's origin, six arrays (6 nz)
  double *L, *iL;    // rows of the factor; inverse diagonal (nz)
  double *z, *v, *v0; // and velocities at the start (nz)
  double *force;     // [N, N m] all but rows, at the start (nz)
  double *joint;     // joint part of it, springs at the end of the step (nz)
  double *soft;      // [kg, kg m^2] of springs and dampers: h d + h^2 k (nz)
  double *effort;    // [N, N m] of actuators (nz)
  double *grip;      // [N s/m, N m s/rad] its derivative by the velocity (nz)
  int *actuator;     // tree by tree (nactuator)
  rh_inertia *Ic;    // composite, about the origin (nbody)
  rh_force *f;       // (nbody)
  void *index, *block; // memory
  int widest;        // length of the longest path
  struct { // rows of a worker
    int branch, joint, loop;
    size_t Y;
  } capacity;
  int sides;         // maximum number of sides of a loop or constraint
  int *loop_order;    // loops, island by island (nloop)
  double *pz;        // z of the drift pass (nz)
  double *z0, *z1;   // scratch; z of the safe answer (nz)
  struct {            // at the start of a step that may be repeated
    double *ahead;    // coordinates, where a tree looks ahead within it (model nq)
    double *q, *v;    // (model nq), velocities (nz)
    struct rh_step_start *body; // free bodies of their islands (nbody)
  } start;
  struct {
    rh_step_branch *on; // runs of the trees of each tendon (tendons.n)
    double *damp;       // [N, N m] of their dampers, against the motion (nz)
  } tendons;
} rh_step_trees;

typedef struct rh_step_tree_rows { // rows of the island that a worker steps
  void *memory;
  rh_step_branch *branch; // of contacts (capacity.branch)
  int nbranch;
  double *Y;         // their rows (capacity.Y)
  size_t nY;
  rh_joint_row *joint;  // (capacity.joint)
  double *joint_Y;    // widest each
  int njoint;
  rh_loop_rows *loop;    // loops (capacity.loop)
  int nloop;
  double *loop_Y;     // (capacity.loop x sides x RH_LOOP_ROWS x widest)
  double *scratch;   // (6 widest)
  bool stiff;        // a row of H was stiff, since this was set to false
} rh_step_tree_rows;

// articulated.c: finds the trees
// of moving bodies that are not free; numbers them in w->mobile
rh_status rh_step_trees_create(struct rh_step_world *w) RH_CHECK_RESULT;
void rh_step_trees_measure(struct rh_step_world *w); // which trees are stiff [workers]
rh_status rh_step_tree_rows_create(const rh_step_trees *t, rh_step_tree_rows *rows) RH_CHECK_RESULT;
void rh_step_tree_rows_destroy(rh_step_tree_rows *rows);
void rh_step_trees_destroy(rh_step_trees *t);
void rh_step_trees_load(struct rh_step_world *w); // which joints are locked
// Updates the kinematics if they do not match q and v.
void rh_step_tree_place(const struct rh_step_world *w, int i);
void rh_step_trees_place(struct rh_step_world *w);                   // the same for all trees
// True: the hand holds a body of the tree.
bool rh_step_hand_holds(const struct rh_step_world *w, const rh_step_tree *tree);
// External forces: sets d->wrench, tree->pushed and tree->pull.
void rh_step_tree_forces_outside(const struct rh_step_world *w, rh_step_tree *tree);
// articulated_factor.c: H^ = L' L, in place
void rh_step_tree_factor(const rh_step_trees *t, const rh_step_tree *tree);
void rh_step_tree_load(const struct rh_step_world *w, const rh_step_tree *tree);   // z := L v
void rh_step_tree_unload(const struct rh_step_world *w, const rh_step_tree *tree); // v := L^-1 z
// articulated_motion.c: i is a mobile
// H^, L, z and forces at the present coordinates; `part` is 1, or 1/2 for the midpoint rule. [place]
void rh_step_tree_make_at(struct rh_step_worker *worker, rh_step_tree *tree, double h, double part);
// The forces once more, at other velocities. [make_at]
void rh_step_tree_bias_again(const struct rh_step_world *w, const rh_step_tree *tree);
void rh_step_tree_advance(const struct rh_step_world *w, rh_step_tree *tree, double h); // d->q
void rh_step_tree_give_velocity(const struct rh_step_world *w, const rh_step_tree *tree); // d->v
// Work of forces over h, by the mean velocity
void rh_step_tree_add_work(struct rh_step_worker *worker, const rh_step_tree *tree, double h,
                           double part);
// Sets H^, L, z and the forces; those of a tree that turns are of the middle of the step. [place]
void rh_step_tree_make(struct rh_step_worker *worker, int i, double h);
// z without contacts at the end of h. [make]
void rh_step_tree_integrate_velocity(const struct rh_step_world *w, int i, double h);
// Velocities from z, positions along them.
// `share` of the velocity at the end, if it is pressed
void rh_step_tree_integrate_position(struct rh_step_worker *worker, int i, double h, double share);
bool rh_step_tree_glides(const struct rh_step_world *w, int i); // may it move by its mean velocity?
void rh_step_tree_settle(const struct rh_step_world *w, int i);            // v of z
// Positions along the velocities of the drift pass.
void rh_step_tree_nudge(const struct rh_step_world *w, int i, double h);
// True: by its energy it is slower than `slow` [m/s].
bool rh_step_tree_rests(const struct rh_step_world *w, int i, double slow);
void rh_step_tree_stop(const struct rh_step_world *w, int i);              // z := 0
// [J] kinetic energy including the springs of the step: z z/2.
double rh_step_tree_energy(const struct rh_step_world *w, int i, const double *z);
// [s] in which no body of a tree turns too far for one part of a step; HUGE_VAL: none turns. [place]
double rh_step_tree_turn_time(const struct rh_step_world *w, int i);
double rh_step_tree_turns(const struct rh_step_world *w, int i); // [rad/s] of its fastest body [place]
// Its coordinates to (model nq), or back from there.
void rh_step_tree_copy_coordinates(const struct rh_step_world *w, const rh_step_tree *tree,
                                   double *kept, bool back);
// a whole step of a tree without contact, in `finer` times as many parts as its turning needs
void rh_step_tree_move_free(struct rh_step_worker *worker, int i, double h, int finer);
// The same of a tree whose joints rest on limits. False: it was not moved, as a limit is reached.
bool rh_step_tree_move_held(struct rh_step_worker *worker, int i, double h, int finer);
// A tree at the middle of its (sub)step, with contacts that last (step_middle.c).
// May it be solved there? [make]
bool rh_step_tree_may_middle(const struct rh_step_world *w, int i, double h);
// Half of h along v0; H^, L, z, forces and rows of joints there. Branches of contacts begin anew.
void rh_step_trees_to_middle(struct rh_step_worker *worker, const struct rh_step_island *s,
                             double h);
// z as at the start; `known`: with forces at the mean velocity of the present answer.
void rh_step_tree_restart(struct rh_step_worker *worker, int i, bool known);
void rh_step_tree_leave_middle(const struct rh_step_world *w, int i); // q and v as at the start
// articulated_guard.c: steps whose energy does not close are repeated in shorter parts
// Is the energy of the island to be watched over h, as a tree of it turns? [place]
bool rh_step_island_watched(const struct rh_step_world *w, const struct rh_step_island *s, double h);
void rh_step_guard_begin(struct rh_step_worker *worker, const struct rh_step_island *s,
                         struct rh_step_guard *g);
// After a step of h: does its energy close?
bool rh_step_guard_closes(const struct rh_step_worker *worker, const struct rh_step_island *s,
                          const struct rh_step_guard *g, double h);
void rh_step_guard_again(struct rh_step_worker *worker, const struct rh_step_island *s,
                         const struct rh_step_guard *g); // back to its start, without rows
// articulated_rows.c
// Index of the branch of a point, or of the body's rotation (NULL), rows x, y, z; RH_NONE: it does not
// move.
int rh_step_branch_make(struct rh_step_worker *worker, int body, const rh_vec3 *point, double sign);
// Contact-space inertia of one or two branches.
rh_sym3 rh_step_branch_inertia(const struct rh_step_worker *worker, int a, int b);
// Turns its rows to these axes.
void rh_step_branch_rotate(struct rh_step_worker *worker, int branch, const rh_vec3 to[3]);
void rh_step_branch_velocity(const rh_step_branch *b, const double *z, double u[3]);
void rh_step_branch_push(const rh_step_branch *b, double *z, const double p[3]);
// adds the part of trees at a contact: t1, t2, n
void rh_step_tree_velocity(const struct rh_step_worker *worker,
                           const struct rh_step_row_general *c, double u[3]);
void rh_step_tree_push(struct rh_step_worker *worker, const struct rh_step_row_general *c,
                       const double p[3]);
// Adds the effect of impulses at contact y on x through trees to W (3 x 3); is there an effect?
void rh_step_tree_pair(const struct rh_step_worker *worker, const struct rh_step_row_general *x,
                       const struct rh_step_row_general *y, double *W);
bool rh_step_tree_shared(const struct rh_step_worker *worker, const struct rh_step_row_general *x,
                         const struct rh_step_row_general *y);
// length of their common path
int rh_step_branch_common(const rh_step_branch *a, const rh_step_branch *b);
// One row times z.
double rh_step_branch_row(const rh_step_branch *b, int row, const double *z);
// Adds p times one row to z.
void rh_step_branch_nudge(const rh_step_branch *b, int row, double *z, double p);
// Rows (n x way.len) of a path: sets entries off the path to zero; multiplies them by L^-1.
void rh_step_rows_clip(const struct rh_step_world *w, const rh_step_tree *tree,
                       const rh_root_path *way, int n, double *J);
void rh_step_rows_back(const rh_step_trees *t, const rh_root_path *way, int n, double *x);
// Rows of a point's velocity, x y z, and of its body's rotation (3 x len each; the second may be
// NULL).
void rh_step_rows_point(const rh_step_trees *t, const rh_root_path *way, rh_vec3 r, double *point,
                        double *turn);
// x := L^-T x of a tree at z ... z + nz - 1
void rh_step_tree_back(const rh_step_trees *t, int z, int nz, double *x);
// tendon_rows.c: i is a mobile
bool rh_step_in_tendon(const rh_model *m, int body); // does a tendon change with its joint?
int rh_step_tendons_runs(struct rh_step_world *w);   // their number; adds to capacities
void rh_step_tendons_lay_out(struct rh_step_world *w, rh_step_run *run);
// The mobile of degree of freedom number k of a tendon
int rh_step_tendon_mobile(const struct rh_step_world *w, int tendon, int k);
// Length, speed and gradient of the tendons whose first tree this is. [place of all their trees]
void rh_step_tendons_update(const struct rh_step_world *w, int i);
void rh_step_tendon_forces(const struct rh_step_world *w, const rh_step_tree *tree); // [update]
bool rh_step_tendons_near(const struct rh_step_world *w, int i, double h); // limits [place]
void rh_step_tendon_dry_make(struct rh_step_worker *worker, int i, double h);
void rh_step_tendon_rows_make(struct rh_step_worker *worker, int i, double h); // and limits
void rh_step_tendon_mark_pressed(const struct rh_step_world *w, int tendon);
// joint_rows.c
// True: a limit may be reached in h.
bool rh_step_limits_near(const struct rh_step_world *w, int i, double h);
// Rows of dry friction of a tree.
void rh_step_dry_make(struct rh_step_worker *worker, int i, double h);
void rh_step_joint_rows_make(struct rh_step_worker *worker, int i, double h);    // and limits
double rh_step_joint_rows_visit(struct rh_step_worker *worker);
void rh_step_joint_rows_settle(struct rh_step_worker *worker);
void rh_step_joint_rows_again(struct rh_step_worker *worker); // at other coordinates [factor]
void rh_step_joint_rows_warm(struct rh_step_worker *worker);  // the present impulses act on z
void rh_step_joint_rows_rest(struct rh_step_worker *worker);
bool rh_step_limits_glide(const struct rh_step_worker *worker, double h); // mean velocities pass none
bool rh_step_limits_last(const struct rh_step_worker *worker, double h); // and those that press last
// [s] first impact at a limit with restitution, HUGE_VAL
double rh_step_joint_rows_first(const struct rh_step_worker *worker, double h);
// limits about to be hit do not act
void rh_step_joint_rows_release(struct rh_step_worker *worker, double t);
bool rh_step_joint_rows_fast(const struct rh_step_worker *worker); // true: there is an impact now
// The limits of a tree that a bouncing contact touches have impacts, too, whatever their restitution [rows]
void rh_step_joint_rows_shake(struct rh_step_worker *worker, const struct rh_step_island *s,
                              const struct rh_found_contact *touch);
bool rh_step_joint_rows_first_alone(const struct rh_step_worker *worker); // such a limit has an impact now
// for an impact: plastic, then with restitution
void rh_step_joint_rows_aim(struct rh_step_worker *worker, bool newton);
void rh_step_joint_rows_impact(struct rh_step_worker *worker); // for an impact: no time passes
// May it move over h without reaching another limit than those on which it rests?
bool rh_step_limits_may_last(const struct rh_step_world *w, int i, double h);
// Rows of the limits on which the joints of a tree rest, beside others; [v0]
void rh_step_limits_hold(struct rh_step_worker *worker, int i, double h);
// Are those rows solved, and is no limit passed? [unload]
bool rh_step_limits_kept(struct rh_step_worker *worker, int i);
void rh_step_limits_rest(struct rh_step_worker *worker); // joints that they hold have no velocity
int rh_step_joint_rows_closed(const struct rh_step_worker *worker); // number of limits that touch
// After it; `alone`: a limit is all that touches
void rh_step_joint_rows_report(struct rh_step_worker *worker, bool alone);
// loop_rows.c: loops of the island that is being stepped
void rh_step_loops_make(struct rh_step_worker *worker, const struct rh_step_island *s, double h);
void rh_step_loops_to_middle(struct rh_step_worker *worker, double h); // [trees to the middle]
void rh_step_loops_warm(struct rh_step_worker *worker);
double rh_step_loops_visit(struct rh_step_worker *worker);
void rh_step_loops_settle(struct rh_step_worker *worker, double h);
void rh_step_loops_impact(struct rh_step_worker *worker);
void rh_step_loop_velocity(const struct rh_step_world *w, const rh_loop_rows *tie, double *u);
void rh_step_loop_apply(const struct rh_step_world *w, const rh_loop_rows *tie, const double *p);

#endif
