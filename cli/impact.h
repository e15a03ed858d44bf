// impact.h: the parts of `routh impact`: one planar impact under several laws, printed and drawn. Everything starts from
// an rh_planar_in, wherever it comes from.
#ifndef ROUTH_CLI_IMPACT_H
#define ROUTH_CLI_IMPACT_H

#include "cli.h"
#include "impact/impact.h"

#define RH_IMPACT_LAWS    8    // side by side
#define RH_IMPACT_SAMPLES 4100 // points of a curve; the integration gives up before

typedef struct rh_impact_curve { // along the normal impulse
  int n;
  double Pn[RH_IMPACT_SAMPLES], Pt[RH_IMPACT_SAMPLES]; // [N s]
  double S[RH_IMPACT_SAMPLES], C[RH_IMPACT_SAMPLES];   // [m/s]
  double Wn[RH_IMPACT_SAMPLES], Wt[RH_IMPACT_SAMPLES]; // [J] work on the bodies
} rh_impact_curve;

typedef struct rh_impact_show {
  const char *title; // what it is an impact of
  rh_planar_in in;
  double T0; // [J] kinetic energy before; not a number: not known
  const rh_impact_law *law[RH_IMPACT_LAWS];
  rh_planar_out out[RH_IMPACT_LAWS];
  int nlaw;
} rh_impact_show;

// The laws named in "newton,poisson"; NULL: all of them.
rh_status rh_impact_laws(const char *names, rh_impact_show *show);
void rh_impact_answer(rh_impact_show *show); // fills in `out`
// The curve under one law; NULL when out of memory, after saying so.
rh_impact_curve *rh_impact_trace(const rh_impact_show *show, int law);

// ---- An impact of a scene (impact_scene.c): of one contact or of several that are struck together

typedef struct rh_impact_seen { // all zero: none
  char title[4 * RH_NAME_MAX];
  double t;                // [s]
  int n;                   // contacts
  double *W, *u;           // [1/kg], [m/s] rows t1, t2, n of each contact (3n x 3n), (3n)
  double *mu_s, *mu_k, *e; // (n)
  rh_name *name;           // of the contacts (n)
  rh_vec3 t1, t2;          // of the first
  double *weight;          // areas that they stand for (n)
  const rh_formulation *form; // how they are struck together
  double form_par[RH_PAR_MAX];
} rh_impact_seen;

// Is the file a map without a list of problems? What cannot be read is a problem file, and refused as such.
bool rh_impact_is_scene(const char *path);
// Runs the scene to its impact number `nth`, from 1. Free in any case.
rh_status rh_impact_run(const rh_model *model, int nth, rh_diag *diag, rh_impact_seen *seen);
void rh_impact_seen_free(rh_impact_seen *seen);
// Is it an impact of one contact in a plane: do slip, coupling and inertia keep one tangential direction? Then it is filled
// in: t points along the greatest positive component of the world's axes.
bool rh_impact_planar(const rh_impact_seen *seen, rh_planar_in *in);
// The answers of the laws of `show` in space (impact_space.c)
rh_status rh_impact_space_print(const rh_impact_show *show, const rh_impact_seen *seen, bool color);
rh_status rh_impact_space_json(const rh_impact_show *show, const rh_impact_seen *seen);

rh_status rh_impact_print(const rh_impact_show *show, bool color);
rh_status rh_impact_print_json(const rh_impact_show *show, const char *output);
rh_status rh_impact_draw(const rh_impact_show *show, const char *output);

#endif
