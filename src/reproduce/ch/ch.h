// ch.h: shared by the figures of [Ch]. Reference numbers of a figure are in a book, a file in
// the form of problem files (ch/book.c); each kind of case has a function that answers it.
#ifndef ROUTH_REPRODUCE_CH_CH_H
#define ROUTH_REPRODUCE_CH_CH_H

#include "reproduce/figure.h"
#include "explore/impacts/impact.h"
#include "plots/plot.h"

enum { RH_CH_POINTS = 16, RH_CH_ROWS = 3 * RH_CH_POINTS };

// ---- Cases (ch/book.c)

typedef struct rh_ch_case { // one case of a book
  const rh_yaml *tree;
  int inputs, expected; // maps
} rh_ch_case;

typedef rh_status rh_ch_answer_fn(const rh_ch_case *c, rh_json *json); // into the open object

rh_ch_answer_fn rh_ch_trace, rh_ch_early, rh_ch_critical, rh_ch_pair, rh_ch_sphere, rh_ch_rod,
    rh_ch_corner;                                                              // ch/point.c
rh_ch_answer_fn rh_ch_central, rh_ch_edge, rh_ch_rocking, rh_ch_rocking_split; // ch/block.c
rh_ch_answer_fn rh_ch_bounce, rh_ch_tilted, rh_ch_corner_drop;                 // ch/drop.c
rh_ch_answer_fn rh_ch_torque;                                                  // ch/control.c
rh_ch_answer_fn rh_ch_dynamics, rh_ch_atlas;                                   // ch/atlas.c

// A number, up to `most` numbers of a list of any depth (returns their number), a word, an item of
// a list
double rh_ch_number(const rh_ch_case *c, int map, const char *key);
int rh_ch_numbers(const rh_ch_case *c, int map, const char *key, double *x, int most);
const char *rh_ch_word(const rh_ch_case *c, int map, const char *key);
int rh_ch_item(const rh_ch_case *c, int map, const char *key, int at); // RH_NONE: there is none
rh_ch_case rh_ch_case_at(const rh_yaml *tree, int node);
// A case of a book by its id; the tree must be kept and freed.
rh_status rh_ch_open(const rh_scene_text *book, const char *id, rh_yaml *tree, rh_ch_case *c);

// A model of a scene inside the program, with overrides; a world of it. Reports errors.
rh_status rh_ch_model(const rh_scene_text *from, const char *const *set, int nset, bool driven,
                      rh_model **model);

extern const rh_scene_text rh_ch_atlas_scene, rh_ch_chain, rh_ch_humanoid;

// ---- Impact of a free body on the ground at some points (ch/block.c)

typedef struct rh_ch_body {
  double mass, inertia[3]; // principal
  rh_mat3 R;
  rh_vec3 v, w;
  int n;
  double point[RH_CH_ROWS]; // body axes
  double mu, e;
  // made of these
  rh_vec3 arm[RH_CH_POINTS];
  double W[RH_CH_ROWS * RH_CH_ROWS], u[RH_CH_ROWS];
} rh_ch_body;

void rh_ch_body_make(rh_ch_body *b);
void rh_ch_block_inertia(rh_ch_body *b, const double dims[3]);
void rh_ch_body_after(const rh_ch_body *b, const double *p, rh_vec3 *v, rh_vec3 *w);
void rh_ch_vector(rh_json *json, const char *key, rh_vec3 x);

// ---- Pictures (ch/draw.c)

// A panel: its frame (left, bottom, width, height over those of the page) and its title; resets
// earlier settings.
void rh_ch_panel(FILE *to, double left, double low, double wide, double high, const char *title);
void rh_ch_put_differences(FILE *to, const rh_redone *redone, double left, double wide);

#endif
