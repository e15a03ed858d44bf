// impact.h: impacts (L3). An impact law uses the contact-space inertia, velocities, mu and e; no
// trees or shapes. Frames as everywhere: t1, t2, n; u is the velocity of body a relative to b, p
// the impulse on a, u+ = u- + W p.
#ifndef ROUTH_IMPACT_IMPACT_H
#define ROUTH_IMPACT_IMPACT_H

#include <routh/kind.h>

// ---- One point in a plane: Routh's path in closed form ([WK] ch. 3), planar_path.c

typedef struct rh_planar_in {
  double Ktt, Knn, Ktn; // [1/kg] contact-space inertia: 1/m1, 1/m2, -1/m3
  double S0, C0;        // [m/s] tangential and normal velocity before
  double mu_s, mu_k, e;
  double eta2;          // [1] k_n / k_t of a law with a tangential spring, which has one mu: mu_k; 0: none
} rh_planar_in;

typedef enum rh_planar_case { // [WK] Table 3.1; the words of problem files are in planar_path.c
  RH_CASE_NONE,
  RH_CASE_A, RH_CASE_B, RH_CASE_C, RH_CASE_D, RH_CASE_E,
  RH_CASE_DIRECT_STICK, RH_CASE_DIRECT_SLIDE,
  RH_CASE_TANGENTIAL_STICK, RH_CASE_TANGENTIAL_REVERSE, // C0 = 0: an impact by jamming
  RH_CASE_SPRING, // a law with a tangential spring: its phases are those of tangential/tangential.h
  RH_CASE_RATIO,  // a law with a constant ratio of the impulses: ratio/impulse_ratio.h
  RH_CASE_COUNT
} rh_planar_case;

typedef struct rh_planar_out {
  rh_planar_case kind;
  bool jam;
  double Sf, Cf;   // [m/s] after
  double Pt, Pn;   // [N s]
  double Pc;       // [N s] normal impulse at the end of compression
  double Ps;       // [N s] where slip stops; NaN: never
  double Dn, Dt;   // [J] dissipated along the normal and by friction; T1 - T0 = -(Dn + Dt)
  bool gained;     // kinetic energy was created
  bool normal_gained; // Dn < 0
  // The path in the plane of impulses: corner points (t, n) from the origin to the end, and where compression ends
  int ncorner;
  double corner[4][2];
} rh_planar_out;

void rh_planar_impact(const rh_impact_law *law, const rh_planar_in *in, rh_planar_out *out);
// The same by integrating velocities along the normal impulse: for checks and for the curves.
// `sample` (NULL: none) is called along the way. False: the integration did not end.
typedef void rh_planar_sample(void *user, double Pn, double Pt, double S, double C, double Wn, double Wt);
bool rh_planar_ode(const rh_impact_law *law, const rh_planar_in *in, rh_planar_sample *sample, void *user,
                   rh_planar_out *out);
const char *rh_planar_case_word(rh_planar_case kind); // as in problem files

// ---- One point in space: the impulse path with the slip direction as a state, spatial_path.c

typedef struct rh_point_in {
  double W[9];      // [1/kg] rows t1, t2, n; symmetric; the tangential part may be singular (a slider, a plane)
  double u[3];      // [m/s] before
  double mu_s, mu_k, e;
  double eta2;      // [1] k_n / k_t of a law with a tangential spring, which has one mu: mu_k; 0: none
} rh_point_in;

typedef struct rh_point_out {
  double p[3];      // [N s]
  double u[3];      // [m/s] after
  double Pc, Wc;    // [N s], [J] normal impulse and its work at the (last) end of compression
  double Dn, Dt;    // [J] dissipated along the normal and by friction; T1 - T0 = -(Dn + Dt)
  double e;         // realised: -u_n+ / u_n-; NaN where u_n- = 0
  bool stuck;       // slip stopped on the way and did not begin again
  int shifts;       // times compression began again
  bool gained;
} rh_point_out;

// u_n > 0, or u_n = 0 and no jam: nothing happens, p is zero. u_n = 0 must be exact to be a
// tangential impact. e < 0: it ends in compression, by the law. False: the path did not end within
// its limits (the result is the best so far).
bool rh_point_impact(const rh_impact_law *law, const rh_point_in *in, rh_point_out *out);

typedef struct rh_point_at { // a point of the path
  double p[3], u[3];         // [N s], [m/s]
  double Wn, Wt;             // [J] work so far of the normal impulse and of friction
} rh_point_at;

// Requested points of the path: normal impulses rising from 0; beyond the end: the end.
typedef struct rh_point_want {
  int n;
  const double *pn;
  rh_point_at *at;
} rh_point_want;

typedef enum rh_point_turn { RH_TURN_STOP, RH_TURN_SLIP, RH_TURN_COMPRESSED, RH_TURN_SHIFT } rh_point_turn;

enum { RH_POINT_TURNS = 32 };

typedef struct rh_point_log { // events on the path, in order
  int n;                      // the first RH_POINT_TURNS of them are kept
  struct {
    // slip stops; begins (at once, or along another direction); compression ends; begins again
    rh_point_turn kind;
    double pn, phi;           // [N s], [rad] direction of the slip that stops or begins
    bool compressing;
  } at[RH_POINT_TURNS];
} rh_point_log;

// The same with the events on the way.
bool rh_point_follow(const rh_impact_law *law, const rh_point_in *in, rh_point_out *out, rh_point_log *log);
// The same, with the path at given normal impulses (NULL: none).
bool rh_point_trace(const rh_impact_law *law, const rh_point_in *in, const rh_point_want *want, rh_point_out *out);
// The coefficient of friction from which on a point without slip sticks (returned). Below it slip begins along `direction`
// and grows by `rate` [1/kg] per unit of normal impulse; both are zero where it sticks.
double rh_point_critical(const double W[9], double mu, double direction[2], double *rate);

// [Ch] 2.18: ratio C_qr of the normal impulses of two slipping points of one body, places P [m], slip directions phi [rad], with
// the sign of its vertical part repaired, or as printed. NaN: 0/0.
typedef struct rh_pair {
  double P_q[3], P_r[3], mu_q, mu_r, phi_q, phi_r;
} rh_pair;

double rh_pair_factor(const rh_pair *pair, bool printed);

// ---- Many points at once, multi_contact.c; one after the other, sequence.c; along a course, impulse_path.c

typedef struct rh_many_at { // a point of a course
  int event;                // index of the event it belongs to
  double P, Wn;             // [N s], [J] sum of the normal impulses so far, and their work
  double Wt;                // [J] and that of friction
  const double *p, *u;      // (3n)
} rh_many_at;

// Called at every step of a course and at the start of each event; other formulations have none.
typedef struct rh_many_trace {
  void (*at)(void *user, const rh_many_at *at);
  void *user;
} rh_many_trace;

// Where a point is and whose it is, for formulations with proportions ([Ch] 2.18*): the impulse p on
// body a is along the axes t1, t2, n at `at`.
typedef struct rh_many_place {
  double at[3], axis[9]; // [m], [1] world; t1, t2, n in turn
  int body[2];           // a and b; RH_NONE: one that does not move
  double factor;         // [1] given normal impulse relative to other points; 0: not given
} rh_many_place;

typedef struct rh_many_in {
  int n;
  const double *W;  // (3n x 3n) rows t1, t2, n per point; symmetric, positive semidefinite
  const double *u;  // (3n)
  const double *mu; // (n)
  const double *e;  // (n)
  const struct rh_impact_law *law; // of all of them
  // (n) k_n / k_t of a law with a tangential spring, for formulations with `springs`; NULL: none
  const double *eta2;
  // (n) stiffness of the points, e.g. their areas, in any unit; all equal: NULL, or one is 0
  const double *weight;
  const rh_many_place *place; // (n) NULL: coplanar points of one body, no factors given
  bool repeated; // e < 0: events follow, each ending in compression, until no point approaches
  const rh_many_trace *trace; // NULL: none
  double *share; // [1] (n) gets the proportions of the normal impulses at first, of one in all; NULL: not wanted
  double *lost; // [J] (2n) gets D_n and D_t of each point, in turn; NULL: not wanted
} rh_many_in;

enum { RH_MANY_EVENTS = 8 };

// Losses of each point are those along the formulation's own path: each piece of it is the impulse
// times the mean velocity, or an integral.
//   sequential    the path of each impact at its point (spatial_path.c)
//   a course      the rates of impulse times the velocities, along the course
//   all together  two straight pieces, compression and restitution; one piece where there is one
//                 problem (Moreau, Newton, plastic rows, cones): half sums, by definition. There
//                 friction opposes the slip at the end of a piece and may have pushed before it.
// They add up to the kinetic energy lost; along a course, and of a single point, friction never
// gives any.
typedef struct rh_many_out { // sums over the points
  double Dn, Dt;  // [J]
  bool gained;    // the law would have created energy
  double scale;   // of the impulses of restitution: 1, or less so that none is gained
  int free;       // directions in which the impulses are not determined (their effect is)
  int impacts;    // 1, or those of a sequence, or the events of a course
  int again;      // along a course: points pressed in again after they had been released
  bool unfactored; // pair factors would pull at a point: points shared as if nothing slipped
  double Wn[RH_MANY_EVENTS]; // [J] work of the normal impulses in the first of these; a sequence: not given
} rh_many_out;

// ---- Formulations of impacts at several points (multi_*.c): velocities alone do not determine the impulse of each point of a
// rigid body; a formulation does. It reads W, u, mu, e and weights, never trees or shapes.

typedef struct rh_formulation {
  rh_row row;
  bool by_law;  // it evaluates the contacts' impact law; the others have a rule of their own
  bool springs; // it follows a law with a path of its own (tangential springs, a ratio), point by point
  bool passive; // it creates no energy; by_law: if the law does not
  bool plastic; // it takes e as 0
  bool early;   // it accepts e < 0, equal at all points: the impact ends in compression and leaves them approaching
  bool shares;  // normal impulses in proportions, which the scene may give (pair_factor)
  bool together; // all points are one problem without an order, as in a time step
  bool alone;   // it also applies to a single point, which otherwise follows the law along its path
  size_t (*room)(int n); // doubles of scratch for n points
  // Impulses p and velocities after (3n each). Independent of the order of the points. False: p is the best found.
  bool (*strike)(const rh_many_in *in, const double *par, double *room, double *p, double *u_after,
                 rh_many_out *out);
} rh_formulation;

// The formulation of a model; NULL: it has none. Every rh_row of it is the first member of one.
static inline const rh_formulation *rh_formulation_of(const rh_model_run *run)
{
  return (const rh_formulation *)(const void *)run->multi_impact;
}

// impact_contacts.c: the impulses of contacts that touch at one instant: of a single one along the
// path of its law (mu_s: its friction at rest), of several by the formulation of the run.
bool rh_impact_solve_one(const rh_many_in *in, double mu_s, double *p, double *u_after,
                         rh_many_out *out);
bool rh_impact_solve(const rh_model_run *run, const rh_many_in *in, double mu_s, double *scratch,
                     double *p, double *u_after, rh_many_out *out);

const rh_formulation *const *rh_formulation_table(int *count);
const rh_formulation *rh_formulation_find(const char *name);
// of contacts that the event engine steps in time (event/storm)
extern const rh_formulation rh_formulation_simultaneous;

typedef struct rh_many_spread { // one impact under all formulations
  int contact;                         // the point whose normal impulse depends most on them
  double least, largest;               // [N s] of it, as far as velocities determine it
  const rh_formulation *least_row, *largest_row;
  // their difference over the largest normal impulse of any point; where that is less than
  // RH_COMPARE_PART: over that of the point itself, as far as it moves it
  double part;
  int rows;    // formulations that gave a result
} rh_many_spread;

enum { RH_COMPARE_MAX = 32 }; // points of an impact that is compared in a run

#define RH_COMPARE_PART 0.05 // a difference that is reported

// Plastic rows count only if e is 0 at all points. Courses are followed to 1e-4 of the velocities.
void rh_many_compare(const rh_many_in *in, double *room, rh_many_spread *spread);
size_t rh_many_compare_room(int n);

// The part of impulses p that the velocities determine (their projection on the rows of J, or the least impulses that do the same);
// the rest has no effect. Both (3n); they may be one. `room`: rh_many_determined_room doubles.
void rh_many_determined(const rh_many_in *in, double *room, const double *p, double *determined);
size_t rh_many_determined_room(int n);

// Formulations are rows (multi_contact.def, routh/kind.h); these are two of them.
size_t rh_many_room(int n); // doubles, for both
// All points together. The result does not depend on the order of the points. p, u_after: (3n).
// False: the solver failed, and p is its best.
// Without friction: [WK] 2.7 corrected, compression and then e times its impulse at each point;
// "newton": u_n+ >= -e u_n- (Moreau), which is the same for one e. In either a point that receded
// before may then approach: call again.
// With friction: a plastic impact (u_n = 0 where p_n > 0), then restitution with normal impulses of
// e times those of compression, or more where a point would approach again, and friction on the
// velocities after each of the two. "newton": u_n+ >= -e u_n- where it approached, u_n+ >= 0
// elsewhere, in one. The path of the impulses between is not examined, so that "stronge" is
// "poisson" here, and one point may get another result than by rh_point_impact if its slip stops or
// turns.
// Energy that poisson or stronge would create is not: the impulses of restitution are made less,
// all in one proportion. Newton's result is kept as it is, because a smaller one would not have the
// velocities of the law; `gained` is set, and the caller must report it.
bool rh_many_impact(const rh_many_in *in, double *room, double *p, double *u_after, rh_many_out *out);
size_t rh_impact_room(const rh_formulation *form, int n); // doubles of scratch of rh_impact_solve
// One point after the other by rh_point_impact, the fastest approach first; those that approach equally fast (to 1e-9) together,
// as above, so that the order of the points does not matter. Points that still approach after many
// impacts, or slower than 1e-9 of the fastest at first, are stopped in one plastic impact.
bool rh_many_sequence(const rh_many_in *in, double *room, double *p, double *u_after, rh_many_out *out);

#endif
