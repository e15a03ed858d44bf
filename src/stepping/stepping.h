// stepping.h: private interface of the time-stepping engine (layer 6): a world by fixed steps, with
// contacts and impacts in one complementarity problem per step (Moreau 1988, Jean 1999). A step of
// length h, by the numbers of docs/concepts.md:
//   1 free motion (free_body.c)  2 collide with a margin, 3 forces kept by feature (collide.c,
//   heightfield_sweep.c)   3 islands, large ones sliced (islands.c)  4 rows, inertia
//   (contact_rows.c)   5 an island over the step (step.c, step_middle.c): solve (gauss_seidel.c,
//   island_newton.c, load_sharing.c), energy_limit.c, solution_check.c   9 impacts in groups (impacts/groups.c,
//   impacts/flight.c, impacts/law.c)   8 positions (free_body.c), missed_contacts.c,
//   position_correction.c   10 energy ledger (energy.c), reports (impacts/log.c)
// Also: trees (articulated*.c), loop_rows.c, compliant.c, compliant_impulse.c, sleep.c.
// The unknowns are velocities at the end of the step and impulses p; for each contact, frame
// (t1, t2, n), u = J v,
//   0 <= p_n  _|_  u_n + max(phi, 0)/h >= 0,   |p_t| <= mu p_n,
//   and where u_t is not 0: p_t = -mu p_n u_t/|u_t|
// with phi [m] the gap at the start. Coulomb's law is solved exactly, not by a pyramid or relaxed
// cone. A compliant contact yields: u_n + p_n/g and another bias in place of the gap (compliant.c).
#ifndef ROUTH_STEPPING_STEPPING_H
#define ROUTH_STEPPING_STEPPING_H

#include "math/extremes.h"
#include "world.h"

// Of functions that every body or contact of a step calls
#define KERNEL_INLINE static inline __attribute__((always_inline))

// world.c: the engine's arrays from the model; loads and stores the state
rh_status rh_step_create(rh_sim *sim, const double *par, rh_diag *diag,
                         rh_step_world **out) RH_CHECK_RESULT;
const char *rh_step_advice(const rh_model *m); // a setting with a smaller residue, NULL: none
void rh_step_destroy(rh_step_world *w);
// from d->state: positions, velocities, remembered contacts
void rh_step_load_state(rh_step_world *w);
void rh_step_store_state(rh_step_world *w);       // q and v back into d

// free_body.c: free bodies between contacts
// Applies the external forces, at the start of a step.
void rh_step_apply_loads(rh_step_world *w);
// Velocities without contacts at the end of h.
void rh_step_integrate_velocity(rh_step_velocity *hot, rh_step_body *c, double h);
// Positions; `share` [1] of the velocity at the end of h.
void rh_step_integrate_position(rh_step_velocity *hot, rh_step_body *c, double h, double share);
// Half of h along the present velocities.
void rh_step_half_way(rh_step_velocity *hot, rh_step_body *c, double h);
void rh_step_pose(const void *world, int body, rh_xform *pose); // of any body, now
rh_quat rh_step_rotate_by(rh_vec3 phi);                   // rotation by a vector
// R and inverse inertia from q
void rh_step_update_rotation(rh_step_velocity *hot, rh_step_body *c);

// collide.c: which shapes meet, and where
void rh_step_place(const rh_step_world *w, int shape); // its geom at the pose of its body
rh_geom rh_step_placed(const rh_step_world *w, int shape); // that geom; nothing is changed
void rh_step_place_plane(rh_step_world *w, int plane); // its half-space
bool rh_step_may_collide(const void *user, rh_shape_pair *pair); // user is the world
void rh_step_collide(rh_step_world *w);
void rh_step_find_contacts(rh_step_world *w); // of shapes as placed, within their reach
// The contacts of the world, d->slot and d->s, at the end of a step
void rh_step_keep_contacts(rh_step_world *w);
// Touches of the island's pairs into `again`; returns their number: of all pairs anew, or only of
// bodies that are ahead, the others unchanged. The late ones come after those of their pair.
int rh_step_collide_island(rh_step_worker *worker, const rh_step_island *s, double h, bool all,
                           const rh_step_missed *late);
// Bodies that have carried a load are known as `pressed` once contacts are found: of loops it is not
// known, they press too.
static inline bool rh_step_marks_pressed(const rh_step_world *w)
{
  return w->laws.impacts && w->m->nloop == 0;
}
// touches of two shapes at their present poses; returns their number
int rh_step_collide_pair(rh_step_worker *worker, int a, int b, rh_found_contact *list);
// Copies the forces of the island's touches to the n of another list of the same pairs (`out`), or
// back from it.
void rh_step_copy_forces(const rh_step_world *w, const rh_step_island *s, rh_found_contact *list,
                         int n, bool out);

// heightfield_sweep.c: points along several cells; m has those at the start. Returns the number.
int rh_step_sweep_heightfield(const rh_step_world *w, const rh_shape_pair *pair, double margin,
                              rh_manifold *m);

// islands.c: islands, threads
static inline int rh_step_mobiles(const rh_step_world *w)
{
  return w->nfree + w->trees.n;
}
// Free bodies in parts, for threads: each has those that it solved in the step before, by islands and cells. One thread goes by
// their numbers. Body k; above nfree: a tree.
static inline int rh_step_body_at(const rh_step_world *w, int k)
{
  return w->pool ? w->member[k] : 1 + k;
}

static inline int rh_step_end_of_bodies(const rh_step_world *w, int part, int size)
{
  int n = w->pool ? rh_step_mobiles(w) : w->nfree;
  return (part + 1) * size < n ? (part + 1) * size : n;
}

static inline int rh_step_parts_of_bodies(const rh_step_world *w, int size)
{
  return w->nfree > 0 ? ((w->pool ? rh_step_mobiles(w) : w->nfree) + size - 1) / size : 0;
}

// Mobiles from .. end - 1 are alone; those of contacts from .. end - 1 are together, and `parts.cell` has one
// of them. Several threads may do it at the same time.
void rh_step_islands_begin(const rh_step_world *w, int from, int end);
void rh_step_islands_join(const rh_step_world *w, int from, int end);
void rh_step_islands(rh_step_world *w); // [collide]

// slices.c: large islands in cells
void rh_step_slices(rh_step_world *w);

// The place of a cell: its block, and its colour
static inline int rh_step_slot(const rh_step_island *s, int x, int y)
{
  int blocks = (s->columns + 1) / 2;
  return RH_STEP_COLOURS * (y / 2 * blocks + x / 2) + x % 2 + 2 * (y % 2);
}

// passes.c: passes over an island
void rh_step_slices_share(rh_step_world *w, const rh_step_island *s); // its blocks, to threads
void rh_step_slices_list(const rh_step_world *w, const rh_step_island *s, int share); // its tasks

typedef void rh_step_pass(rh_step_worker *worker, rh_step_slice *slice, const void *user);

typedef enum rh_step_way {
  RH_STEP_ANYHOW,
  RH_STEP_SUMMED, // likewise; the result has sums, in a fixed order
  RH_STEP_APART   // slices with a common body never at once
} rh_step_way;

rh_step_slice rh_step_over_slices(rh_step_worker *worker, const rh_step_island *s,
                                  rh_step_pass *pass, const void *user, rh_step_way way);

// A pass over an island, and its result
static inline rh_step_slice rh_step_for_each_slice(rh_step_worker *worker, const rh_step_island *s,
                                                   rh_step_pass *pass, const void *user,
                                                   rh_step_way way)
{
  if (s->nslice > 0) {
    return rh_step_over_slices(worker, s, pass, user, way);
  }
  rh_step_slice whole; // what a pass finds is set by it
  whole.con = s->con;
  whole.ncon = s->ncon;
  whole.mob = s->mob;
  whole.nmob = s->nmob;
  whole.cell = false;
  pass(worker, &whole, user);
  return whole;
}

// contact_rows.c: rows of the contacts, from the touches order[k] of a list
void rh_step_rows(rh_step_worker *worker, const rh_step_island *s, const rh_found_contact *touch,
                  double h);
// Rows of contact k at the middle of a step of h, where it is t; its gap stays that of the start.
// False: it has jumped there.
bool rh_step_rows_midway(rh_step_worker *worker, int k, const rh_found_contact *t, double h);
// The frame along n and the inertia in it, W of trees alone is `tree` (sweeps/contact_frame.c)
void rh_step_frame_tree(const rh_step_world *w, rh_step_row *c, const rh_sym3 *tree, rh_vec3 n);
void rh_step_frame_free(const rh_step_world *w, rh_step_row *c, rh_vec3 n); // of free bodies
// Contacts of trees with the ground aim above it where their paths over h bend towards it. [rows]
void rh_step_rows_bend(rh_step_worker *worker, const rh_step_island *s,
                       const rh_found_contact *touch, double h);
// Rows of a contact with another compliance.
void rh_step_rows_give(rh_step_worker *worker, rh_step_row *c, double give);

// friction/belt_rows.c: surfaces that move on their bodies
// Velocities at contact k, where it is t; false: zero. [shapes placed]
bool rh_step_belt_make(const rh_step_world *w, int k, const rh_found_contact *t);
// True: at a contact of the island surfaces move.
bool rh_step_island_driven(const rh_step_world *w, const rh_step_island *s);
double rh_step_island_drive(const rh_step_world *w, const rh_step_island *s); // [J] of its impulses
static inline double rh_step_belt_drive(const rh_step_world *w, const rh_step_row *c, rh_vec3 P)
{
  return w->laws.belt ? -rh_dot(P, w->laws.belt[c->any].v) : 0; // [J]
}

// friction/turn_rows.c: rolling and pivoting friction
static inline bool rh_step_turns(const rh_step_world *w, const rh_step_row *c)
{
  return w->laws.turn && (w->laws.turn[c->any].limit[0] > 0 || w->laws.turn[c->any].limit[1] > 0);
}
void rh_step_turn_make(rh_step_worker *worker, int k, const rh_found_contact *t); // [rows]
void rh_step_turn_midway(rh_step_worker *worker, int k, const rh_found_contact *t); // [rows]
bool rh_step_island_turns(const rh_step_world *w, const rh_step_island *s);
void rh_step_turns_release(const rh_step_world *w, const rh_step_island *s); // no torques
// The torque of a contact that presses with c->p; [m/s] the change of the surfaces' velocity.
double rh_step_turn_visit(rh_step_worker *worker, const rh_step_row *c);
void rh_step_turn_start(rh_step_worker *worker, const rh_step_row *c); // as known, then visited
rh_vec3 rh_step_turn_torque(const rh_step_world *w, const rh_step_row *c); // [N m s] on a
double rh_step_turn_loss(const rh_step_worker *worker, const rh_step_row *c); // [J] dissipated
// The two answers of energy_limit.c: keeps the torque, mixes it, sets it to zero (`stop`: also takes
// it from the velocities).
void rh_step_turn_keep(rh_step_turn *x);
void rh_step_turn_mix(rh_step_turn *x, double share);
void rh_step_turn_drop(rh_step_worker *worker, const rh_step_row *c, bool stop);

// Contacts whose rows and bodies are in the nearest cache anyway: of them nothing is prefetched.
enum { RH_STEP_FEW = 64 };

static inline bool rh_step_is_large(const rh_step_slice *s)
{
  return s->cell || s->ncon > RH_STEP_FEW;
}

// Prefetches the bodies of contact k of a large island.
static inline void rh_step_prefetch_bodies(const rh_step_world *w, int k, int end)
{
  if (k >= 0 && k < end) {
    __builtin_prefetch(&w->velocity[w->row[k].a]);
    __builtin_prefetch(&w->velocity[w->row[k].b]);
  }
}

// Prefetches mobile k of a large island, for a pass over its bodies.
static inline void rh_step_prefetch_member(const rh_step_world *w, const rh_step_slice *s, int k)
{
  enum { LINE = 64, LINES = 5 };

  if (s->cell && k < s->mob + s->nmob) {
    const char *c = (const char *)&w->body[w->member[k]];
    __builtin_prefetch(&w->velocity[w->member[k]]);
    for (int line = 0; line < LINES; line++) {
      __builtin_prefetch(c + LINE * line);
    }
  }
}

// sweeps/general_visit.c: the impulse of a contact that moves at u (t1, t2, n), as a visit finds it
void rh_step_local(const rh_step_row *c, const rh_step_row_general *x, const double u[3],
                   double p[4]);
// A visit of a contact that is not round, of free bodies (`hot`: their velocities) or with a tree; [m/s] the
// largest change of its velocity (sweeps/general_visit.c)
double rh_step_visit_free(rh_step_velocity *hot, rh_step_row *c, const rh_step_row_general *x);
double rh_step_visit_tree(rh_step_worker *worker, rh_step_row *c);
// After sweep `since` (0, 1, ...) from the start or a jump: true, the impulses of the island, which has no
// trees and loops and is small enough for Newton's method, jumped ahead (sweeps/sweep_jump.c).
bool rh_step_hurry_sweeps(rh_step_worker *worker, const rh_step_island *s, int since);
// The impulses of the last step, in full. [m/s] velocity that closes the gap of one with a load [rows]
double rh_step_warm_start(rh_step_worker *worker, const rh_step_island *s);
void rh_step_solve(rh_step_worker *worker, const rh_step_island *s);
// From no impulses, without friction, and overlaps are left as they are: what has a solution where a jam has none
void rh_step_sweep_smooth(rh_step_worker *worker, const rh_step_island *s);
// To rounding: impacts. [m/s] what is left, as the sweeps have it
double rh_step_solve_fully(rh_step_worker *worker, const rh_step_island *s);

// island_newton.c: an island by Newton's method; the residual [m/s], HUGE_VAL: too large. [rows]
rh_status rh_step_newton_create(rh_step_newton *q, int contacts) RH_CHECK_RESULT;
void rh_step_newton_destroy(rh_step_newton *q);
// The island as a problem, its impulses in newton.p; false: it is too large.
bool rh_step_newton_pose(rh_step_worker *worker, const rh_step_island *s, rh_blocks *problem);
size_t rh_step_motions_room(void); // solution_check.c: doubles of scratch to count motions
double rh_step_solve_newton(rh_step_worker *worker, const rh_step_island *s, double tolerance);
// rows t1, t2, n of a contact
void rh_step_newton_frame(const rh_step_world *w, const rh_step_row *c, rh_vec3 f[3]);
// limits, dry friction and loops in it
int rh_step_newton_list(rh_step_worker *worker, int ncon); // number of blocks; RH_NONE: too many
bool rh_step_contacts_share(const rh_step_worker *worker, const rh_step_row *x,
                            const rh_step_row *y); // a mobile
// W (3 x 3) of two contacts that share a mobile
void rh_step_contact_pair(const rh_step_worker *worker, const rh_step_row *x, const rh_step_row *y,
                          double *W);
bool rh_step_newton_pair(const rh_step_worker *worker, const rh_step_row *con, int ncon,
                         const int at[2], double *W);
void rh_step_newton_fill(rh_step_worker *worker, const rh_step_extra *e, int at);
void rh_step_newton_take(rh_step_worker *worker, const rh_step_extra *e, int at);
void rh_step_newton_take_all(rh_step_worker *worker, const rh_step_island *s, int n); // newton.p
// W of few contacts and nothing else in full (3n x 3n); false: it is another problem.
bool rh_step_newton_dense(const rh_blocks *problem, double *W);

// piles/hand_down.c: weights are handed down through a pile that the impulses of the last step do not
// hold, in a step of h. True: they hold it to rounding, and solve all rows; `gap` of the warm start.
bool rh_step_hand_down(rh_step_worker *worker, const rh_step_island *s, double h, double gap);

// load_sharing.c: the load of least norm of contacts that all slide; false: nothing was changed. [rows]
bool rh_step_least_load(rh_step_worker *worker, const rh_step_island *s);
size_t rh_step_least_load_room(void); // doubles of scratch

// energy_limit.c: the limit on energy
double rh_step_energy(const rh_step_world *w, const rh_step_island *s); // [J] of its motion
// Copies the present answer to the safe one.
void rh_step_answer_keep(const rh_step_world *w, const rh_step_island *s);
// Exchanges the present answer and the safe one.
void rh_step_answer_swap(const rh_step_world *w, const rh_step_island *s);
typedef struct rh_step_limit {
  // [J] of the answer at `share`
  double (*energy)(const rh_step_world *w, const rh_step_island *s, double share, double h);
  double h;     // [s] for `energy`
  double bound; // [J] maximum energy of the answer
  double slack; // [J] tolerance of that
  // an answer with more energy is replaced by the one of least energy between the two, else by
  // that at the bound
  bool least;
} rh_step_limit;
// Limits the energy of the answer; true: it was replaced.
bool rh_step_limit_energy(const rh_step_world *w, const rh_step_island *s,
                          const rh_step_limit *limit);
// [J] kinetic energy of the answer at `share`.
// [J] of a tree of it.
double rh_step_tree_energy_between(const rh_step_world *w, int i, double share);
double rh_step_energy_between(const rh_step_world *w, const rh_step_island *s, double share,
                              double h);
// Limits the energy of impulses that may not solve their rows.
void rh_step_limit_unsolved(rh_step_worker *worker, const rh_step_island *s);
// Keeps the velocities without contacts of an island with trees: its energy [J], < 0: no trees.
double rh_step_limit_begin(const rh_step_world *w, const rh_step_island *s);
// The same for a step: `free` is the result of rh_step_limit_begin, h [s] the (sub)step. [solve]
void rh_step_limit_step(rh_step_worker *worker, const rh_step_island *s, double free, double h);

// contact_rows.c
// [m/s^2] acceleration along n of the bodies that no contact presses.
double rh_step_pull(const rh_step_worker *worker, const rh_step_row *c);
// free_body.c
// [J] kinetic energy of a free body.
double rh_step_kinetic(const rh_step_world *w, int i, rh_vec3 v, rh_vec3 spin);
// Time at which gap phi closes, at u with acceleration a; HUGE_VAL: not in h, or slower than `slow`.
double rh_step_closes(double slow, double phi, double u, double a, double h);
// collide.c: the island with the n contacts of `again`, after all others
rh_step_island rh_step_examine_again(rh_step_worker *worker, const rh_step_island *s, int n);

// impacts/flight.c: places of impacts
// Flying bodies of an island move to their impacts. Returns the number of touches then, in `again`.
int rh_step_fly_to_impacts(rh_step_worker *worker, const rh_step_island *s, double h,
                           const rh_step_missed *late);
void rh_step_end_flight(const rh_step_world *w, const rh_step_island *s);

// impacts/law.c: the impulses of the contacts that touch at a moment, by their law and the formulation
// of the run. False: there are rows of other sorts, too many contacts, or no solution; nothing was
// done. The doubles of scratch that a worker needs for it.
size_t rh_step_impact_scratch(const rh_step_world *w);
bool rh_step_impact_by_law(rh_step_worker *worker, const rh_step_island *view);
// Impacts of this rule follow a path that no problem without one can replace: that of the law, or
// of the run's formulation.
bool rh_step_follows_path(const rh_step_world *w, int rule);
double rh_step_path_error(const rh_step_world *w); // [1] of the kinetic energy, which it may give
// The answer is changed, and so its losses; `far`: it is that of a path no more.
void rh_step_leave_path(const rh_step_world *w, const rh_step_island *view, bool far);
// The impact of a contact did not follow the path that its law or the formulation has for it.
// `single`: nothing else pressed its bodies.
bool rh_step_left_path(const rh_step_world *w, const rh_step_row_info *side, bool single);
// At a moment contacts that do not close have the friction of impacts, too.
void rh_step_impact_friction(const rh_step_world *w, const rh_step_island *view);

// step.c: steps an island over h, with its impacts, where trees turn in `finer` times as many parts as
// that needs; the velocities of a part of the step alone [rows]
void rh_step_island_over(rh_step_worker *worker, const rh_step_island *s, double h, int finer);
void rh_step_substep_solve(rh_step_worker *worker, const rh_step_island *s, double h);
void rh_step_move_free(rh_step_worker *worker, int i, double h); // a free body without contact
// A tree by itself, with joints that rest on their limits and none that reaches one, over h or a part
// of it. False: it is none, and was not moved.
bool rh_step_moves_held(rh_step_worker *worker, const rh_step_island *s, double h, int finer);

// impacts/groups.c: impacts of an island
typedef struct rh_step_progress { // of an island in its step
  const rh_step_island *s;
  rh_step_island view;     // its contacts now,
  rh_found_contact *touch; // and their list
  double h, left;          // [s] the step, and what is left of it
  double span;             // [s] of its rows, where they are those of its contacts now; else 0
  bool moments;            // impacts at moments: a part ends where a late contact closes
  bool whole;              // impacts in one group, over all of the step
  int cuts;                // times that its part may still be cut where a contact closes
} rh_step_progress;
// On the way to an impact at t a contact about to have one does not act: its bodies fly. Those that
// rest act. [rows]
void rh_step_release_impacts(rh_step_worker *worker, const rh_step_island *s, double t, double left);
// One group per step, with the step itself. [rows]
bool rh_step_has_one_group(const rh_step_worker *worker, const rh_step_island *s);
// The impacts of a group, together with a step over the span [s]; 0: at a moment. [rows]
void rh_step_solve_group(rh_step_worker *worker, const rh_step_island *view, double span);
// The impact of all contacts that touch now, if one approaches fast; `strikes`: one is expected
void rh_step_impact_now(rh_step_worker *worker, rh_step_progress *x, bool strikes);

// solution_check.c: check of the island's answer [solve]; touch NULL: of an impact
void rh_step_check_solution(rh_step_worker *worker, const rh_step_island *s,
                            rh_found_contact *touch);
void rh_step_diagnosis(rh_step_world *w);       // after all islands of a checked step
void rh_step_diagnosis_store(rh_step_world *w); // into d->solver, at a frame

// fast_shapes.c: shapes that go far in a step
// Bodies that something fast hits reach farther; contacts are found again with them.
void rh_step_find_thrown(rh_step_world *w);
double rh_step_thinnest(const rh_step_world *w); // [m] width of the thinnest bounded shape
// Where some shape is hurried: pairs within reach are known, nothing has moved yet;
void rh_step_pass_begin(rh_step_world *w);
// the first pair that passed
rh_passed_pair rh_step_passed(rh_step_world *w);

// missed_contacts.c: late contacts
void rh_step_start_keep(rh_step_worker *worker, const rh_step_island *s);
void rh_step_start_again(rh_step_worker *worker, const rh_step_island *s);
// adds new ones to the list; true: there are some
bool rh_step_missed_find(const rh_step_world *w, const rh_step_island *s, double h,
                         rh_step_missed *late);

// position_correction.c: removes overlap. [rows]
void rh_step_correct_positions(rh_step_worker *worker, const rh_step_island *s, double h,
                               double deepest);

// energy.c: the ledger
void rh_step_ledger_begin(rh_step_world *w);
// [solve] and forces for the next step. True: mean velocities pass no gap.
bool rh_step_ledger_contacts(rh_step_worker *worker, const rh_step_island *s,
                             rh_found_contact *touch, double h);
// Impact at contact k; [m/s] fastest approach, < 0; [m/s] gain of its velocity since. NULL: none
rh_impact_record *rh_step_ledger_impact(rh_step_worker *worker, int k, double fastest,
                                        rh_vec3 since);
void rh_step_ledger_force(const rh_step_world *w, int i, double h); // work of external forces
int rh_step_ledger_end(rh_step_world *w); // number of impacts to report

// sleep.c: islands that rest
static inline bool rh_step_asleep(const rh_step_world *w, int mobile)
{
  return w->sleep.n > 0 && w->sleep.asleep[mobile];
}
bool rh_step_slot_sleeps(const rh_step_world *w, int slot); // it is one of mobiles that sleep
int rh_step_sleeping_slots(const rh_step_world *w, int *slot); // ascending; returns their number
void rh_step_wake(rh_step_world *w, int mobile);     // and its sleeping island
void rh_step_sleep_load(rh_step_world *w);           // [load]
void rh_step_sleep_weigh(rh_step_world *w); // energy in its contacts, when shapes are placed later
// [loads] forces wake; true: all mobiles stay asleep
bool rh_step_sleep_begin(rh_step_world *w);
void rh_step_sleep_end(rh_step_world *w, double h);  // rest times, islands to sleep

// impacts/log.c: impacts of a step, kept until all islands have finished
rh_status rh_step_impact_records_create(rh_step_world *w) RH_CHECK_RESULT;
// Begins the records of the island.
void rh_step_impact_records_begin(rh_step_worker *worker, const rh_step_island *s);
rh_impact_record *rh_step_impact_record_add(rh_step_worker *worker, int rule, int dof);
void rh_step_impact_records_report(rh_step_world *w);

rh_status rh_step_workers_create(rh_step_world *w, int newton_blocks) RH_CHECK_RESULT;
void rh_step_workers_destroy(rh_step_world *w);
typedef void rh_step_task(rh_step_worker *worker, int task);
// Runs the tasks 0 to n - 1 in no fixed order; only with w->pool.
void rh_step_parallel_run(rh_step_world *w, rh_step_task *task, int n);

static inline void rh_step_parallel_for(rh_step_world *w, rh_step_task *task, int n)
{
  if (w->pool && n > 1) {
    rh_step_parallel_run(w, task, n);
    return;
  }
  for (int i = 0; i < n; i++) {
    task(&w->worker[0], i);
  }
}

// step_middle.c: an island solved at the middle of its step
bool rh_step_island_trees(const rh_step_world *w, const rh_step_island *s); // has it some?
// Moves the island to the middle of a step of h, and the rows of its contacts with it. False: they do
// not move steadily. [rows]
bool rh_step_to_middle(rh_step_worker *worker, const rh_step_island *s,
                       const rh_found_contact *touch, double h);
// Velocities as at the start
void rh_step_middle_restart(rh_step_worker *worker, const rh_step_island *s);
// The moments of the present impulses on the bodies; in the first round they are not known
void rh_step_middle_moments(const rh_step_world *w, const rh_step_island *s, bool known);
// Contacts of an island with trees that approach fast do not act until they have closed. [rows]
void rh_step_middle_release(const rh_step_world *w, const rh_step_island *s);
// True: no contact began in the step; `*share` of it (1 before the call), if they are released, until
// the first of those closes; NULL: none is. [solve]
bool rh_step_middle_fits(const rh_step_worker *worker, const rh_step_island *s, double h,
                         double *share);
// Back to the start, without rows.
void rh_step_leave_middle(rh_step_worker *worker, const rh_step_island *s);
// The contacts as they were there, for those who read them
void rh_step_keep_middle(const rh_step_world *w, const rh_step_island *s, rh_found_contact *touch);

// compliant_impulse.c: a compliant law over a step
typedef struct rh_step_mean_impulse { // of a contact that ends at some velocity
  double p;                 // [N s]
  double z;                 // [m] depth at the end
  double took;              // [J] by its damper
} rh_step_mean_impulse;
// Sets worker->lean, before the rows.
void rh_step_mean_impulse_begin(rh_step_worker *worker, const rh_step_island *s,
                                const rh_found_contact *touch, double h);
rh_step_mean_impulse rh_step_mean_impulse_at(const rh_step_worker *worker,
                                             const rh_step_row_info *s, double u);
// [m/s] velocity at the end above which there is no impulse.
double rh_step_mean_impulse_parts(const rh_step_worker *worker, const rh_step_row_info *s);
// True: no rigid contact is passed. [solve]
bool rh_step_mean_impulse_fits(const rh_step_worker *worker, const rh_step_island *s, double h);
rh_normal_out rh_step_law(const rh_step_world *w, const rh_step_row_info *s, double depth,
                          double rate);
// [s] run.dt, or as short a part of it as the compliant contacts need that move in the time `left`:
// of these `*contact`. [collide]
double rh_step_resolved(rh_step_world *w, double left, int *contact);

// compliant.c: compliant contacts
void rh_step_compliant_rule(rh_step_world *w, int i, rh_diag *diag);
// The compliance `give` of the tangent at the start.
double rh_step_compliant_first(const rh_step_worker *worker, rh_step_row_info *s);
// [kg] -dp/du of the tangent at velocity u: 1/give; sets s->push and s->aim.
double rh_step_compliant_tangent(const rh_step_worker *worker, rh_step_row_info *s, double u);
double rh_step_compliant_within(double give, double w); // limits the compliance, to keep digits
void rh_step_compliant_bias(const rh_step_world *w, rh_step_row *c, const rh_step_row_info *s);
// Repeats the solution until the tangents agree with the laws. [solve]
void rh_step_compliant_solve(rh_step_worker *worker, const rh_step_island *s, double h);
void rh_step_compliant_ledger(rh_step_worker *worker, int k, double u, rh_found_contact *t);
// [J] energy in its spring, at rest.
double rh_step_compliant_stored(const rh_step_world *w, const rh_found_contact *t);
void rh_step_compliant_begin(rh_step_world *w);

#endif
