// articulated.h: trees of joints in the time-stepping engine. The degrees of freedom of all trees stand in one vector, tree by tree; a stretch of them that
// follow one another without a fork begins at a multiple of four, and what is left over is zero. The way from a body to the root is then a
// few runs of whole fours.
//
// H^ = H + h D + h^2 K (springs and dampers at the end of the step) is factored as L' L, which keeps the zeros between branches [RBDA 6.5].
// Sweeps work on z = L v: a row J of a contact becomes y = J L^-1, which is zero off the body's way to the root, as J is; u = y z, an
// impulse p adds y' p to z, and W = y y'. H^-1 J' is never formed.
#ifndef ROUTH_MOREAU_TREE_H
#define ROUTH_MOREAU_TREE_H

#include <routh/kind.h>

struct rh_mo;
struct rh_mo_any;
struct rh_mo_island;

typedef struct rh_mo_run { // part of a way: z ... z + n - 1, n a multiple of four,
  int z, n;
  int on; // of which so many are on it; the others belong to another branch, or to none
} rh_mo_run;

typedef struct rh_mo_way { // from the root to a body
  int run, nrun;           // in `run`
  int len;                 // sum of their n
  int tip;                 // its last degree of freedom; RH_NONE: the body does not move
} rh_mo_way;

typedef struct rh_mo_tree {
  int body, nbody;   // bodies: member[body] ...
  int z, nz;         // its part of z
  rh_vec3 origin;    // [m] point that S and inertias are about
  int act, nact;     // actuators: actuator[act] ...
  int nlimit;        // limits there are
  bool held;         // some joint is locked
  bool stiff;        // springs, dampers or gains as they are at first outweigh the inertia in a step: they must not swing
  rh_force pull;     // [N m, N] of the hand, if it holds a body of this tree, about the body's origin
  bool pushed;       // a force from outside acts on it
  bool stands;       // kinematics are those of q and v
} rh_mo_tree;

typedef struct rh_mo_branch { // rows of one side of a contact or loop
  const rh_mo_run *run;
  int nrun, len;
  double *Y;                // (rows x len)
  int mobile;               // its tree
} rh_mo_branch;

typedef enum rh_mo_line_kind { RH_MO_LIMIT, RH_MO_DRY } rh_mo_line_kind;

typedef struct rh_mo_line { // a row of one degree of freedom
  rh_mo_line_kind kind;
  rh_mo_branch on;
  int dof;                  // of the model
  double w, iw;             // W and 1/W
  double bias;              // [m/s, rad/s] limit: u + bias >= 0
  double limit, rest;       // [N s, N m s] dry: greatest impulse in motion and at rest
  double u0, p;
  double gap;               // [m, rad] limit: < 0 beyond it
  double e;                 // limit: restitution
  int mobile;
} rh_mo_line;

typedef struct rh_mo_tie { // a loop
  int loop;
  int a, b;                // free bodies; 0: none
  rh_mo_branch on[2];      // tree parts, nrun 0: none
  rh_loop_row row[RH_LOOP_ROWS];
  rh_vec3 arm[2];          // [m] ends seen from the centres of mass
  int n;                   // rows
  double D[RH_LOOP_ROWS][RH_LOOP_ROWS]; // Cholesky factor of W; a row that follows from others has a zero on the diagonal
  double bias[RH_LOOP_ROWS], p[RH_LOOP_ROWS], u0[RH_LOOP_ROWS];
} rh_mo_tie;

typedef struct rh_mo_trees {
  int n;             // trees: mobiles nfree + 1 ...
  int nz;            // length of z
  bool stiff;        // a row of H was, since this was set to false
  rh_mo_tree *tree;  // (n)
  int *member;       // bodies, tree by tree, each behind its parent
  int *zadr;         // where the degrees of freedom of a body start (nbody)
  int *dof;          // of the model, RH_NONE: none (nz)
  int *parent;       // next towards the root, RH_NONE (nz)
  int *pos;          // place in the way (nz)
  int *row;          // start of a row of L, root first (nz)
  int *first;        // where its stretch starts (nz)
  rh_mo_way *way;    // of each body (nbody)
  rh_mo_run *run;
  double *S;         // axes about the tree's origin, six arrays (6 nz)
  double *L, *iL;    // rows of the factor; inverse diagonal (nz)
  double *z, *v, *v0; // and velocities at the start (nz)
  double *force;     // [N, N m] all but rows, at the start (nz)
  double *joint;     // of it by joints, springs to the end of the step (nz)
  double *soft;      // [kg, kg m^2] of springs and dampers: h d + h^2 k (nz)
  double *effort;    // [N, N m] of actuators (nz)
  double *grip;      // [N s/m, N m s/rad] and what of it goes with the change of the velocity (nz)
  int *actuator;     // tree by tree (nactuator)
  rh_inertia *Ic;    // composite, about the origin (nbody)
  rh_force *f;       // (nbody)
  void *index, *block, *rows; // memory
  int widest;        // longest way
  int branch_room, line_room, tie_room;
  size_t Y_room;
  // rows of the island that is being stepped: a thread's own (`rows`)
  rh_mo_branch *branch; // of contacts (branch_room)
  int nbranch;
  double *Y;         // their rows (Y_room)
  size_t nY;
  rh_mo_line *line;  // (line_room)
  double *line_Y;    // widest each
  int nline;
  rh_mo_tie *tie;    // loops (tie_room)
  int ntie;
  double *tie_Y;     // (tie_room x 2 x RH_LOOP_ROWS x widest)
  double *scratch;   // (6 widest)
  // and what belongs to the trees again
  int *tie_order;    // loops, island by island (nloop)
  double *pz;        // z of the drift pass (nz)
  double *z0, *z1;   // z before a blow, after the plastic answer (nz)
} rh_mo_trees;

// articulated.c: which trees there are
rh_status rh_mo_trees_create(struct rh_mo *w) RH_CHECK_RESULT; // what is no free body and moves; numbers them in w->mobile
rh_status rh_mo_trees_lend(const rh_mo_trees *t, rh_mo_trees *to) RH_CHECK_RESULT; // the same trees with rows of its own, for a thread
void rh_mo_trees_destroy(rh_mo_trees *t);
void rh_mo_trees_load(struct rh_mo *w); // which joints are locked
void rh_mo_tree_stand(struct rh_mo *w, int i);             // kinematics, where they are not those of q and v
void rh_mo_trees_stand(struct rh_mo *w);                   // of all trees
// articulated_motion.c: i is a mobile
void rh_mo_tree_make(struct rh_mo *w, int i, double h);    // H^, L, z, forces [stand]
void rh_mo_tree_kick(struct rh_mo *w, int i, double h);    // z without contacts at the end of h [make]
void rh_mo_tree_drift(struct rh_mo *w, int i, double h);   // v of z, positions along them
void rh_mo_tree_settle(struct rh_mo *w, int i);            // v of z
void rh_mo_tree_nudge(struct rh_mo *w, int i, double h);   // positions along the velocities of the drift pass
bool rh_mo_tree_rests(const struct rh_mo *w, int i, double slow); // slower than this [m/s] by its energy?
void rh_mo_tree_stop(struct rh_mo *w, int i);              // z := 0
double rh_mo_tree_energy(const struct rh_mo *w, int i, const double *z); // [J] of motion, springs of the step with it: z z/2
void rh_mo_tree_fly(struct rh_mo *w, int i, double h);     // a whole step of a tree that nothing touches
// articulated_rows.c
int rh_mo_branch_make(struct rh_mo *w, int body, rh_vec3 point, double sign); // rows x y z; RH_NONE: it does not move
rh_sym3 rh_mo_branch_inertia(const struct rh_mo *w, int a, int b);            // of one or two branches
void rh_mo_branch_turn(struct rh_mo *w, int branch, const rh_vec3 to[3]);     // its rows along these axes
void rh_mo_branch_velocity(const rh_mo_branch *b, const double *z, double u[3]);
void rh_mo_branch_push(const rh_mo_branch *b, double *z, const double p[3]);
void rh_mo_tree_velocity(const struct rh_mo *w, const struct rh_mo_any *c, double u[3]); // adds what trees do at a contact: t1 t2 n
void rh_mo_tree_push(struct rh_mo *w, const struct rh_mo_any *c, const double p[3]);
// What impulses at contact y do at x through trees, added to W (3 x 3); and whether they can do anything.
void rh_mo_tree_pair(const struct rh_mo *w, const struct rh_mo_any *x, const struct rh_mo_any *y, double *W);
bool rh_mo_tree_shared(const struct rh_mo *w, const struct rh_mo_any *x, const struct rh_mo_any *y);
int rh_mo_branch_common(const rh_mo_branch *a, const rh_mo_branch *b);            // how far their ways are one
double rh_mo_branch_row(const rh_mo_branch *b, int row, const double *z);        // one row times z
void rh_mo_branch_nudge(const rh_mo_branch *b, int row, double *z, double p);    // z += p times one row
// Rows (n x way.len) of a way: what is no part of it set to zero; then times L^-1.
void rh_mo_rows_clip(const struct rh_mo *w, const rh_mo_tree *tree, const rh_mo_way *way, int n, double *J);
void rh_mo_rows_back(const rh_mo_trees *t, const rh_mo_way *way, int n, double *x);
// Rows of a point's velocity, x y z, and of the turning of its body (3 x len each; the second may be NULL).
void rh_mo_rows_point(const rh_mo_trees *t, const rh_mo_way *way, rh_vec3 r, double *point, double *turn);
// joint_rows.c
bool rh_mo_limits_near(const struct rh_mo *w, int i, double h); // may one be reached in h?
void rh_mo_dry_make(struct rh_mo *w, int i, double h);      // dry friction of a tree
void rh_mo_lines_make(struct rh_mo *w, int i, double h);    // and limits
double rh_mo_lines_visit(struct rh_mo *w);
void rh_mo_lines_settle(struct rh_mo *w);
void rh_mo_lines_rest(struct rh_mo *w);
double rh_mo_lines_first(const struct rh_mo *w, double h);   // [s] when a limit with restitution is reached, HUGE_VAL
void rh_mo_lines_let_fly(struct rh_mo *w, double t);        // what is about to strike is not held back
bool rh_mo_lines_fast(const struct rh_mo *w);               // does a limit strike now?
void rh_mo_lines_aim(struct rh_mo *w, bool newton);         // for a blow: plastic, then with restitution
void rh_mo_lines_strike(struct rh_mo *w);                   // for a blow: no time passes
void rh_mo_lines_tell(struct rh_mo *w);                     // after it
// loop_rows.c: loops of the island that is being stepped
void rh_mo_ties_make(struct rh_mo *w, const struct rh_mo_island *s, double h);
void rh_mo_ties_warm(struct rh_mo *w);
double rh_mo_ties_visit(struct rh_mo *w);
void rh_mo_ties_settle(struct rh_mo *w, double h);
void rh_mo_ties_strike(struct rh_mo *w);
void rh_mo_tie_velocity(const struct rh_mo *w, const rh_mo_tie *tie, double *u);
void rh_mo_tie_push(struct rh_mo *w, const rh_mo_tie *tie, const double *p);

#endif
