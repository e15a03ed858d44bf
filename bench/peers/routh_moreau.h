/* Contact scenes of the harness by Routh's engine `stepping`: the functions of Eng, for routh.c.
 * Variants: "moreau" a call of rh_sim_run for every step, as the peers are stepped; "moreau-run" the same steps, many in one call,
 * which is how a user runs a scene. Behind either: -T2 (threads), -t9 (tolerance 1e-9 m/s), -s20 (sweeps), -n4 (each
 * step of the scene in four, as Box3D's substeps). */
#ifndef ROUTH_MOREAU_BENCH_H
#define ROUTH_MOREAU_BENCH_H

#include "bench.h"

void *moreau_open(const Cfg *c, const double push[3]); /* a force on body 0 from the start */
void moreau_plane(void *w, const double n[3], double d);
int moreau_sphere(void *w, double r, double m, const double p[3]);
int moreau_box(void *w, const double h[3], double m, const double p[3]);
void moreau_ready(void *w);
void moreau_step(void *w);
void moreau_run(void *w, int n);
void moreau_get(void *w, int b, double s[13]);
int moreau_ncon(void *w);
double moreau_weight(void *w);
void moreau_close(void *w);
void *moreau_hum(const Cfg *c);
void moreau_hum_get(void *w, int b, double s[13]);

#endif
