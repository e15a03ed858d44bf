// impact.h: one impact under several laws: planar, along the normal impulse, or in space; of a
// problem or of a scene that runs up to it.
#ifndef ROUTH_EXPLORE_IMPACT_H
#define ROUTH_EXPLORE_IMPACT_H

#include "console/console.h"
#include "impact/tangential/tangential.h"
#include "laws/laws.h"

#define RH_IMPACT_LAWS    8    // side by side
#define RH_IMPACT_MODES   64
#define RH_IMPACT_ROWS    12   // impacts of a scene at once
#define RH_IMPACT_SAMPLES 4100 // points of a curve; the integration stops earlier

typedef struct rh_impact_curve { // along the normal impulse
  int n;
  double Pn[RH_IMPACT_SAMPLES], Pt[RH_IMPACT_SAMPLES]; // [N s]
  double S[RH_IMPACT_SAMPLES], C[RH_IMPACT_SAMPLES];   // [m/s]
  double Wn[RH_IMPACT_SAMPLES], Wt[RH_IMPACT_SAMPLES]; // [J] work on the bodies
} rh_impact_curve;

typedef struct rh_impact_show {
  const char *title; // origin of the impact
  rh_planar_in in;
  double T0; // [J] kinetic energy before; NaN: unknown
  const rh_impact_law *law[RH_IMPACT_LAWS];
  rh_planar_out out[RH_IMPACT_LAWS];
  int nlaw;
} rh_impact_show;

// Phases of stick and slip under a law with a tangential spring (impact_trace.c); the others have none.
typedef struct rh_impact_modes {
  int n; // the first RH_IMPACT_MODES of them are kept
  rh_tangential_phase phase[RH_IMPACT_MODES];
} rh_impact_modes;

void rh_impact_find_modes(const rh_impact_show *show, int law, rh_impact_modes *modes);

// The curve under one law (impact_trace.c); NULL when out of memory, which is reported.
rh_impact_curve *rh_impact_trace(const rh_impact_show *show, int law);

// ---- An impact of a scene (impact_scene.c): of one contact or of several at once

typedef struct rh_impact_seen { // all zero: none
  char title[4 * RH_NAME_MAX];
  double t;                // [s]
  int n;                   // contacts
  double *W, *u;           // [1/kg], [m/s] rows t1, t2, n of each contact (3n x 3n), (3n)
  double *mu_s, *mu_k, *e, *eta2; // (n)
  rh_name *name;           // of the contacts (n)
  rh_vec3 *at;             // [m] their places, world (n)
  rh_vec3 t1, t2;          // of the first
  double *turn;            // [rad] from the world's x, in the plane of each contact, to its t1 (n)
  const rh_impact_law *law;   // of the first
  double *weight;          // areas that they represent (n)
  rh_many_place *place;    // (n)
  bool repeated;           // e < 0: events follow until none approaches
  const rh_formulation *form; // formulation for several contacts
  double form_par[RH_PAR_MAX];
  int nwatch;       // named points of the scene without an impact
  rh_name *watched; // (nwatch)
  double *Ww, *uw;  // their velocities: rows in the axes of the first contact (3 nwatch x 3n), (3 nwatch)
} rh_impact_seen;

// Is the file a map without a list of problems? An unreadable file counts as a problem file.
bool rh_impact_is_scene(const char *path);

// Refuses a model without rigid contacts; `label` names its scene.
rh_status rh_impact_check_rigid(const rh_model *model, const char *label);

typedef struct rh_impact_range { // impacts of a scene, from 1
  int first, count;
} rh_impact_range;

// Runs the scene through these impacts; fewer are an error. Free all in any case.
rh_status rh_impact_run(const rh_model *model, rh_impact_range range, rh_diag *diag,
                        rh_impact_seen *seen);
void rh_impact_seen_free(rh_impact_seen *seen);
// Is it an impact of one contact in a plane: do slip, coupling and inertia share one tangential
// direction? Then it is filled in: t points along the greatest positive component of the world's
// axes.
bool rh_impact_planar(const rh_impact_seen *seen, rh_planar_in *in);
// Response of the named points of the scene to the last impact (impact_watch.c). False: out of
// memory.
bool rh_impact_watch(const rh_data *after, const rh_impact_contacts *hit, rh_impact_seen *seen);

// ---- The course of an impact along the normal impulse (impact_course.c), [Ch] figs 3.5 to 3.14

typedef struct rh_impact_course { // all zero: none
  int n;                          // points: those of the impact, then the watched ones
  int struck;
  int samples, room;
  double *P, *Wn; // [N s], [J] sum of the normal impulses, and their work (samples)
  int *event;     // (samples)
  double *u;      // [m/s] t1, t2, n of each point (samples x 3n)
  bool solved;
} rh_impact_course;

// Does the formulation have one?
bool rh_impact_has_course(const rh_impact_seen *seen);
rh_status rh_impact_follow(const rh_impact_seen *seen, rh_impact_course *course); // free in any case
void rh_impact_course_free(rh_impact_course *course);

// Panels in gnuplot commands (impact_panels.c): frame: left, bottom, width, height over those of
// the page.
typedef struct rh_impact_panel {
  double frame[4];
  const char *title;
} rh_impact_panel;

void rh_impact_put_velocities(FILE *to, const rh_impact_panel *panel, const rh_impact_seen *seen,
                              const rh_impact_course *course);
void rh_impact_put_work(FILE *to, const rh_impact_panel *panel, const rh_impact_course *course);
void rh_impact_put_legend(FILE *to, const double frame[4]);
// The courses of all these impacts, one row of two panels each.
rh_status rh_impact_draw_courses(const rh_impact_seen *seen, int n, const char *output);

// Routh's diagram, velocities and works of a planar impact (impact_draw.c).
rh_status rh_impact_draw(const rh_impact_show *show, const char *output);

// ---- The response under one law in space (impact_space.c)

typedef struct rh_impact_response { // capacity n contacts; rows t1, t2, n of each
  double *p, *u;                    // [N s], [m/s] after (3n)
  double *lost;                     // [J] D_n and D_t of each contact in turn (2n)
  double *share;                    // [1] of the normal impulses at first (n); 0: no proportions
  double *scratch;
  double Dn, Dt;
  bool gained, solved;
  rh_many_out many;
} rh_impact_response;

// Is the law defined for the e of the impact? Few are for e < 0.
bool rh_impact_law_defined(const rh_impact_law *law, const rh_impact_seen *seen);
// False: out of memory, not reported. Free in any case.
bool rh_impact_respond(const rh_impact_law *law, const rh_impact_seen *seen, rh_impact_response *a);
void rh_impact_response_free(rh_impact_response *a);

#endif
