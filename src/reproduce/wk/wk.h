// wk.h: shared by the pictures of [WK] (wk/draw.c).
#ifndef ROUTH_REPRODUCE_WK_WK_H
#define ROUTH_REPRODUCE_WK_WK_H

#include "reproduce/figure.h"
#include "impact/impact.h"
#include "plots/plot.h"

#define RH_WK_LAWS 3

extern const char *const rh_wk_law[RH_WK_LAWS]; // newton, poisson, stronge

// The impact of problem `id`, as in its answer.
rh_planar_in rh_wk_impact(const rh_redone *redone, const char *id);

// A random impact: the next of the sequence of *seed; the same on every machine.
rh_planar_in rh_wk_random(uint64_t *seed);

// A panel of a picture: its frame (left, bottom, width, height over those of the page) and its
// title. Settings of an earlier panel are reset.
void rh_wk_panel(FILE *to, const double frame[4], const char *title);

#endif
