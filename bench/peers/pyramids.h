/* P1, P2: pyramids of cubes one box thick, after Box3D's benchmarks "large pyramid" and "many pyramids". A row of n cubes of side 1 carries one of n - 1, each
 * on two; cubes touch one another from the start, and the exact motion is none. Part of bench.h. */
#ifndef BENCH_PYRAMIDS_H
#define BENCH_PYRAMIDS_H

typedef struct { const char *name; int base, along, across, steps; } Pyramids; /* cubes in the lowest row; pyramids along x and y */
static const Pyramids pyramid_row_[] = {{"P1", 100, 1, 1, 500}, {"P2", 10, 14, 14, 200}};

static const Pyramids *pyramid_scene_(const char *name) {
  for (int k = 0; k < 2; k++) if (!strcmp(pyramid_row_[k].name, name)) return &pyramid_row_[k];
  return NULL;
}
static const double half_[3] = {0.5, 0.5, 0.5};
static int one_pyramid_(const Pyramids *p) { return p->base * (p->base + 1) / 2; }
static int row_start_(const Pyramids *p, int row) { return row * p->base - row * (row - 1) / 2; } /* cubes below a row */
static void cube_place_(const Pyramids *p, int which, int row, int k, double x[3]) {
  x[0] = (p->base + 1.0) * (which % p->along) - 0.5 * (p->base + 1.0) * (p->along - 1) + 0.5 * row + k + 0.5 - 0.5 * p->base;
  x[1] = 5.0 * (which / p->along) - 2.5 * (p->across - 1); x[2] = row + 0.5;
}
static void *pyramids_build(const Cfg *c, int *nb) {
  static const double up[3] = {0, 0, 1}; const Pyramids *p = pyramid_scene_(c->scene); double x[3]; void *w = E_->open(c); E_->plane(w, up, 0); *nb = 0;
  for (int i = 0; i < p->along * p->across; i++) for (int r = 0; r < p->base; r++) for (int k = 0; k < p->base - r; k++) {
    cube_place_(p, i, r, k, x); E_->box(w, half_, 100, x); ++*nb;
  }
  E_->ready(w); return w;
}
/* Depth of two cubes, by the axes of both: negative apart */
static double cube_depth_(void *w, int a, int b) {
  Pair q; double s[13]; int axis;
  memcpy(q.ha, half_, sizeof half_); memcpy(q.hb, half_, sizeof half_);
  E_->get(w, a, s); memcpy(q.pa, s, 24); q2R(s + 3, q.Ra); E_->get(w, b, s); memcpy(q.pb, s, 24); q2R(s + 3, q.Rb);
  return sat_depth(&q, &axis);
}
/* Deepest overlap of the cubes that are neighbours in the pyramid, and with the ground */
static double pyramids_pen_(const Pyramids *p, void *w) {
  double m = 0, s[13], R[9], d;
  for (int i = 0; i < p->along * p->across; i++) for (int r = 0; r < p->base; r++) for (int k = 0; k < p->base - r; k++) {
    int me = i * one_pyramid_(p) + row_start_(p, r) + k, above = i * one_pyramid_(p) + row_start_(p, r + 1);
    if (k + 1 < p->base - r && (d = cube_depth_(w, me, me + 1)) > m) m = d;
    for (int j = k - 1; j <= k; j++) if (j >= 0 && j < p->base - r - 1 && (d = cube_depth_(w, me, above + j)) > m) m = d;
    if (r == 0) { E_->get(w, me, s); q2R(s + 3, R); d = 0.5 * (fabs(R[6]) + fabs(R[7]) + fabs(R[8])) - s[2]; if (d > m) m = d; }
  }
  return m;
}
static void pyramids(const char *sc, const char *variant) {
  const Pyramids *p = pyramid_scene_(sc); Cfg c = {1.0 / 60, GRAV, 0.6, 0.6, 0, 1, 0, sc, variant}; int nb, n = most_(p->steps), i, stands = 1;
  double s[13], x[3], pen = 0, end = 0, shift = 0, sag = 0, vmax = 0, w0 = cpu_(); if (only_(sc, pyramids_build, &c, n, -1, NULL)) return;
  void *w = pyramids_build(&c, &nb);
  for (i = 0; i < n; i++) { E_->step(w); if (i % 10 == 9 || i == n - 1) { end = pyramids_pen_(p, w); if (end > pen) pen = end; } if (cpu_() - w0 > 20 * capcpu_) { i++; break; } }
  for (int k = 0, g = 0; g < p->along * p->across; g++) for (int r = 0; r < p->base; r++) for (int j = 0; j < p->base - r; j++, k++) {
    cube_place_(p, g, r, j, x); E_->get(w, k, s); double d = 0, v = norm3(s + 7);
    for (int q = 0; q < 3; q++) d += (s[q] - x[q]) * (s[q] - x[q]);
    d = d < 1e18 ? sqrt(d) : 1e9; if (d > shift) shift = d; if (d > 0.5) stands = 0; if (v > vmax) vmax = v; if (x[2] - s[2] > sag) sag = x[2] - s[2];
  }
  emit(sc, "stands", stands); emit(sc, "max_pen_m", pen); emit(sc, "end_pen_m", end); emit(sc, "max_shift_m", shift); emit(sc, "sag_m", sag); emit(sc, "end_vmax", vmax);
  if (E_->ncon) emit(sc, "contacts", E_->ncon(w));
  if (i < n) emit(sc, "t_reached", i * c.dt);
  E_->close(w);
  timing(sc, pyramids_build, &c, n, -1, NULL);
}
#endif
