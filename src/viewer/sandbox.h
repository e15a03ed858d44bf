// sandbox.h: a scene that is edited while it runs (L6): shapes are dropped onto a ground, under one
// contact law that can be changed. The text of the scene is authoritative: every edit rewrites it,
// and the scene reader and the model checks accept or refuse it; a refused edit changes nothing.
// Remaining bodies keep their state.
#ifndef ROUTH_VIEWER_SANDBOX_H
#define ROUTH_VIEWER_SANDBOX_H

#include "viewer.h"

#define RH_SANDBOX_MAX  60 // bodies
#define RH_SANDBOX_NAME "sandbox"

// ---- Contents (sandbox.c)

typedef struct rh_sandbox_kind { // shapes that can be dropped
  const char *name;              // of its bodies: "ball"
  const char *shape;             // row of the shape table
  int sizes;                     // numbers in its size
} rh_sandbox_kind;

typedef struct rh_sandbox_thing {
  char name[RH_NAME_MAX];
  const rh_sandbox_kind *kind;
  // [m] radius; sides; radius and length: the parameters of the shape in their order, the others 0
  double size[RH_PAR_MAX];
  double density;  // [kg/m^3]
  double q[7];     // initial pose: x y z [m], quaternion w x y z
  double v[6];     // [m/s, rad/s] initial velocity
} rh_sandbox_thing;

typedef struct rh_sandbox_law { // a row of the impact laws or of the normal laws
  const rh_row *row;
  const struct rh_normal_law *normal; // NULL: rigid
  const rh_row *friction;             // of the friction laws: the matching one
  double par[RH_PAR_MAX], friction_par[RH_PAR_MAX];
} rh_sandbox_law;

#define RH_SANDBOX_LAWS 16 // maximum

typedef struct rh_sandbox_world {
  rh_sandbox_thing thing[RH_SANDBOX_MAX];
  int n;
  long made; // bodies so far, for their names
  rh_sandbox_law law[RH_SANDBOX_LAWS];
  int nlaw, chosen;
  double e, mu; // [1]
  double g;     // [m/s^2]
} rh_sandbox_world;

void rh_sandbox_begin(rh_sandbox_world *world); // one ball above the ground
int rh_sandbox_find(const rh_sandbox_world *world, const char *name); // a thing, RH_NONE
// Adds the text of the scene. `now` (NULL: none) holds q and v of each thing, 13 numbers, at time
// t; without it they are at their initial poses, and there is a pulling hand, as in a live run.
void rh_sandbox_write(const rh_sandbox_world *world, const double *now, double t, rh_text *out);

typedef enum rh_sandbox_edit { // result of an edit
  RH_SANDBOX_MALFORMED,        // not an edit
  RH_SANDBOX_REFUSED,          // see `why`
  RH_SANDBOX_VALUES,           // other values, the same bodies
  RH_SANDBOX_BODIES,           // other bodies
  RH_SANDBOX_ANEW,             // all back to their initial poses, at t = 0
} rh_sandbox_edit;

// "add KIND X Y Z QW QX QY QZ VX VY VZ DENSITY SIZE..." "remove NAME" "undo" "clear" "reset" "law
// NAME" "set NAME VALUE": e, mu, g, and as contacts.0.NAME, the path in /values, any parameter of
// the law and its friction. `now` as above. The world is changed only if the edit is neither
// malformed nor refused.
rh_sandbox_edit rh_sandbox_read(rh_sandbox_world *world, const char *line, const double *now,
                                rh_text *why);

// ---- Running it (sandbox_run.c)

typedef struct rh_sandbox rh_sandbox;

// `clock` and `patience` as for rh_viewer_live_patience; NULL: none.
rh_status rh_sandbox_create(rh_viewer_clock *clock, double patience, rh_diag *diag,
                            rh_sandbox **sandbox) RH_CHECK_RESULT;
void rh_sandbox_destroy(rh_sandbox *sandbox); // NULL is allowed
// An edit, or a message for a live run; false: neither
bool rh_sandbox_say(rh_sandbox *sandbox, const char *text, size_t bytes);
void rh_sandbox_go_on(rh_sandbox *sandbox, double seconds);
rh_viewer *rh_sandbox_film(const rh_sandbox *sandbox); // a new one after an edit of bodies
const rh_sandbox_world *rh_sandbox_things(const rh_sandbox *sandbox);
// Its state, as members of the open object: `number` of the film, `refused` and count, bodies,
// laws, e, mu, g.
void rh_sandbox_put(const rh_sandbox *sandbox, struct rh_json *json);
// As rh_viewer_answer, where the film's number selects the run: an expired run gives an empty text.
rh_status rh_sandbox_answer(const rh_sandbox *sandbox, const char *path, rh_diag *diag, rh_text *out, const char **type);
// At the last frame; false: out of memory
bool rh_sandbox_scene(const rh_sandbox *sandbox, rh_text *out);

#endif
