/* Scenes S1-S8 and P1, P2, written once against a small engine interface.
 * An adapter fills in Eng and calls bench_main(). Definitions: README.md. */
#ifndef BENCH_H
#define BENCH_H
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/resource.h>
#ifdef __cplusplus
extern "C" {
#endif

#define GRAV 9.81
#define PI 3.14159265358979323846

typedef struct {
  double dt, g;          /* step; gravity g along -z */
  double mu_bg, mu_bb;   /* friction body-ground, body-body */
  double rest;           /* Newton restitution, all pairs */
  int collide;           /* 0: no collision detection at all */
  int spring;            /* S5: joint springs and dampers on */
  const char *scene;     /* "S1" ... */
  const char *variant;   /* solver choice, "" = default */
} Cfg;

typedef struct { double ha[3], hb[3], pa[3], pb[3], qa[4], qb[4], Ra[9], Rb[9]; } Pair;

typedef struct {
  const char *name;
  int planar;            /* works in the x-z plane only */
  void *(*open)(const Cfg *);
  void (*plane)(void *, const double n[3], double d);        /* half-space n.x >= d */
  int  (*sphere)(void *, double r, double m, const double p[3]);
  int  (*box)(void *, const double h[3], double m, const double p[3]);
  int  (*hinge)(void *, int parent, int child, const double at[3], const double axis[3]);
  void (*spin)(void *, int b, const double w[3]);            /* initial angular velocity */
  void (*ready)(void *);
  void (*force)(void *, int b, const double f[3]);           /* for the next step, at the c.o.m. */
  void (*step)(void *);
  void (*get)(void *, int b, double s[13]);                  /* x, q(wxyz), v, w (world) */
  int  (*ncon)(void *);
  void (*close)(void *);
  /* S5 */
  void *(*hum)(const Cfg *);                                 /* world with the H27 tree */
  void (*hum_get)(void *, int b, double s[13]);              /* body frame origin pose and velocity */
  void (*hum_fd)(void *, const double q[21], const double v[21], double qdd[21]); /* root at rest */
  /* S7 */
  int (*boxbox)(void *, const Pair *, double *depth);        /* contacts; deepest penetration */
  /* variable-step engines: advance by dt inside step() at their own tolerance */
  void (*run)(void *, int n);                                /* many steps in one call, for the speed passes; NULL: step() */
  double (*weight)(void *);                                  /* N: what planes carried in the last step, along z; NULL: not known */
} Eng;

static const Eng *E_;
static char label_[96];
static double base_rss_;
static long bench_warn_;   /* adapters count engine warnings here */
static int watched_;       /* 1: this pass is for accuracy, not for speed: forces may be asked for */
static double push_[3];    /* S4, S8: the pushing force, for engines that take it with the scene */

static double cpu_(void) { struct timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec; }
static double wall_(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec; }
static double rss_(void) { struct rusage u; getrusage(RUSAGE_SELF, &u); return (double)u.ru_maxrss; }
static void emit(const char *sc, const char *m, double v) { printf("%s\t%s\t%s\t%.6g\n", sc, label_, m, v); fflush(stdout); }

/* deterministic uniform [0,1): 64-bit LCG, upper 53 bits */
static unsigned long long seed_ = 42;
static double rnd(void) { seed_ = seed_ * 6364136223846793005ULL + 1442695040888963407ULL; return (double)(seed_ >> 11) * (1.0 / 9007199254740992.0); }

static int cmpd_(const void *a, const void *b) { double x = *(const double *)a, y = *(const double *)b; return (x > y) - (x < y); }
static double norm3(const double a[3]) { return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }
static void q2R(const double q[4], double R[9]) {
  double w = q[0], x = q[1], y = q[2], z = q[3];
  R[0] = 1 - 2 * (y * y + z * z); R[1] = 2 * (x * y - w * z); R[2] = 2 * (x * z + w * y);
  R[3] = 2 * (x * y + w * z); R[4] = 1 - 2 * (x * x + z * z); R[5] = 2 * (y * z - w * x);
  R[6] = 2 * (x * z - w * y); R[7] = 2 * (y * z + w * x); R[8] = 1 - 2 * (x * x + y * y);
}

#include "humanoid.h"

/* ---- timing: fresh runs of the bare step loop ---- */
typedef void *(*Build)(const Cfg *, int *nb);
static double capcpu_ = 30;      /* seconds per pass */
static void timing(const char *sc, Build build, const Cfg *c, int n, int pushed, const double F[3]) {
  double rate[99], wall[99], tot = 0, part = 1; int reps = 0;
  const char *e = getenv("REPS"); int want = e ? atoi(e) : 5; watched_ = 0;
  /* at least REPS runs unless the time limit forbids it; short scenes repeat until they have used 2 s */
  for (; reps < 99 && (reps == 0 || (reps < want ? tot * (reps + 1) / reps < 2.5 * capcpu_ : tot < 2 && !e)); reps++) {
    int nb, i = 0; void *w = build(c, &nb);
    double w0 = wall_(), t0 = cpu_();
    for (i = 0; E_->run && i < n;) { /* the force, if any, came with the scene */
      int k = n - i < 100 ? n - i : 100; E_->run(w, k); i += k;
      if (cpu_() - t0 > 2 * capcpu_) break;
    }
    for (; !E_->run && i < n; i++) {
      if (pushed >= 0) E_->force(w, pushed, F);
      E_->step(w);
      if ((i < 16 || (i & 63) == 0) && cpu_() - t0 > 2 * capcpu_) { i++; break; }
    }
    double t = cpu_() - t0;
    wall[reps] = i / (wall_() - w0);
    rate[reps] = i / t; tot += t; if (i < n) part = (double)i / n;
    E_->close(w);
  }
  qsort(wall, (size_t)reps, sizeof *wall, cmpd_); emit(sc, "wall_steps_per_s", wall[reps / 2]); /* for engines with threads */
  qsort(rate, (size_t)reps, sizeof *rate, cmpd_);
  emit(sc, "steps_per_s", rate[reps / 2]);
  emit(sc, "steps_per_s_min", rate[0]);
  emit(sc, "steps_per_s_max", rate[reps - 1]);
  emit(sc, "runs", reps);
  if (part < 1) emit(sc, "timed_part", part); /* time limit hit: the rate covers only the first part of the scene */
  emit(sc, "rss_peak_kb", rss_());
  emit(sc, "rss_base_kb", base_rss_);
}

/* ICOUNT=1: run the scene once and nothing else; ICOUNT=0: only build it (for instruction counts under an emulator);
 * SPEED=1: only the speed passes. True: that was all. */
static int most_(int n) { const char *e = getenv("STEPS"); return e && atoi(e) < n ? atoi(e) : n; } /* STEPS=N: no pass takes more steps (S3, P) */
static int only_(const char *sc, Build build, const Cfg *c, int n, int pushed, const double F[3]) {
  const char *e = getenv("ICOUNT"); int nb, i;
  if (getenv("SPEED")) { timing(sc, build, c, n, pushed, F); return 1; }
  if (!e) return 0;
  void *w = build(c, &nb); for (i = 0; i < n * atoi(e); i++) { if (pushed >= 0) E_->force(w, pushed, F); E_->step(w); } printf("ran\t%d\n", n); E_->close(w); return 1;
}

/* ---- S1: bounce ---- */
static void *s1_build(const Cfg *c, int *nb) {
  static const double up[3] = {0, 0, 1}; double p[3] = {0, 0, 1.1};
  void *w = E_->open(c); E_->plane(w, up, 0); *nb = 1; E_->sphere(w, 0.1, 1, p); E_->ready(w); return w;
}
static double s1_exact(double t) { /* gap below the sphere; e = 1/2, h = 1 */
  double tf = sqrt(2 / GRAV), v = GRAV * tf, t0 = tf, e = 0.5;
  if (t < tf) return 1 - 0.5 * GRAV * t * t;
  for (int k = 0; k < 60; k++) { v *= e; double T = 2 * v / GRAV; if (t < t0 + T) { double s = t - t0; return v * s - 0.5 * GRAV * s * s; } t0 += T; }
  return 0;
}
static void s1(const char *variant) {
  Cfg c = {1e-3, GRAV, 0.5, 0.5, 0.5, 1, 0, "S1", variant}; int nb, n = 5000; if (only_("S1", s1_build, &c, n, -1, NULL)) return;
  void *w = s1_build(&c, &nb);
  double s[13], e2 = 0, pen = 0, gain = 0, E0 = 1.0 * GRAV * 1.0, apex[3] = {0, 0, 0}, pv = 0; int down = 0;
  double zmax = 0;
  for (int i = 0; i < n; i++) {
    E_->step(w); E_->get(w, 0, s);
    double z = s[2] - 0.1, E = 0.5 * s[9] * s[9] + GRAV * z, d = z - s1_exact((i + 1) * c.dt);
    if (-z > pen) pen = -z;
    if ((E - E0) / E0 > gain) gain = (E - E0) / E0;
    e2 += d * d;
    if (pv <= 0 && s[9] > 1e-3) { down++; zmax = 0; }
    if (down && z > zmax) { zmax = z; if (down <= 3) apex[down - 1] = zmax; }
    pv = s[9];
  }
  emit("S1", "apex1_m(exact0.25)", apex[0]);
  emit("S1", "apex2_m(exact0.0625)", apex[1]);
  emit("S1", "e_first", sqrt(apex[0] > 0 ? apex[0] : 0));
  emit("S1", "traj_rms_m", sqrt(e2 / n));
  emit("S1", "energy_gain_rel", gain);
  emit("S1", "max_pen_m", pen);
  emit("S1", "rest_gap_m(exact0)", s[2] - 0.1);
  emit("S1", "rest_speed", fabs(s[9]));
  E_->close(w);
  timing("S1", s1_build, &c, n, -1, NULL);
}

/* ---- S2: stack of ten cubes ---- */
static void *s2_build(const Cfg *c, int *nb) {
  static const double up[3] = {0, 0, 1}, h[3] = {0.1, 0.1, 0.1}; void *w = E_->open(c); E_->plane(w, up, 0); *nb = 10;
  for (int i = 0; i < 10; i++) { double p[3] = {0.002 * sin(i), E_->planar ? 0 : 0.002 * cos(2 * i), 0.1 + 0.2 * i}; E_->box(w, h, 1, p); }
  E_->ready(w); return w;
}
static void s2(const char *sc, double dt, const char *variant) {
  Cfg c = {dt, GRAV, 0.5, 0.5, 0, 1, 0, "S2", variant}; int nb, n = (int)(10 / dt + 0.5); if (only_(sc, s2_build, &c, n, -1, NULL)) return;
  watched_ = 1;
  void *w = s2_build(&c, &nb);
  double s[13], drift = 0, vmax = 0, sag = 0, w0 = cpu_(); int i, k, stands = 1, nc = 0;
  for (i = 0; i < n; i++) {
    E_->step(w);
    if (E_->ncon) nc = E_->ncon(w);
    if (i >= n - (int)(1 / dt)) for (k = 0; k < 10; k++) { E_->get(w, k, s); double v = norm3(s + 7); if (v > vmax) vmax = v; }
    if (cpu_() - w0 > 2 * capcpu_) { i++; break; }
  }
  for (k = 0; k < 10; k++) {
    E_->get(w, k, s);
    double dx = s[0] - 0.002 * sin(k), dy = s[1] - (E_->planar ? 0 : 0.002 * cos(2 * k)), d = sqrt(dx * dx + dy * dy);
    if (!(d < 1e9)) d = 1e9;
    if (d > drift) drift = d;
    double z = 0.1 + 0.2 * k - s[2]; if (k == 9) sag = z;
    if (!(fabs(z) < 0.2 && d < 0.1)) stands = 0; /* within one box height and half a box width */
  }
  emit(sc, "stands", stands);
  emit(sc, "max_drift_m", drift);
  emit(sc, "sag_top_m", sag);
  emit(sc, "vmax_last_s", vmax);
  emit(sc, "contacts", nc);
  if (E_->weight) emit(sc, "weight_relerr", fabs(E_->weight(w) / (10 * GRAV) - 1));
  if (i < n) emit(sc, "t_reached", i * dt);
  E_->close(w);
  timing(sc, s2_build, &c, n, -1, NULL);
}

/* ---- S3a: 6x6x6 frictionless spheres (SimBenchmark '666'); S3b: 666 spheres in a bin ---- */
static void *s3a_build(const Cfg *c, int *nb) {
  static const double up[3] = {0, 0, 1}; void *w = E_->open(c); seed_ = 42; E_->plane(w, up, 0);
  for (int i = 0; i < 6; i++) for (int j = 0; j < 6; j++) for (int k = 0; k < 6; k++) {
    double p[3]; p[0] = 0.21 * i + 1e-3 * rnd(); p[1] = 0.21 * j + 1e-3 * rnd(); p[2] = 0.21 * k + 1e-3 * rnd() + 0.101;
    E_->sphere(w, 0.1, 10, p);
  }
  *nb = 216; E_->ready(w); return w;
}
static const double binw_[4][4] = {{1, 0, 0, -0.4}, {-1, 0, 0, -0.4}, {0, 1, 0, -0.4}, {0, -1, 0, -0.4}};
static void *s3b_build(const Cfg *c, int *nb) {
  static const double up[3] = {0, 0, 1}; void *w = E_->open(c); seed_ = 42; E_->plane(w, up, 0);
  for (int k = 0; k < 4; k++) if (!E_->planar || k < 2) E_->plane(w, binw_[k], binw_[k][3]);
  for (int i = 0; i < 666; i++) {
    int a = i % 6, b = i / 6 % 6, l = i / 36; double p[3];
    p[0] = -0.3 + 0.12 * a + 1e-3 * rnd(); p[1] = -0.3 + 0.12 * b + 1e-3 * rnd(); p[2] = 0.06 + 0.11 * l + 1e-3 * rnd();
    if (E_->planar) { p[1] = 0; p[0] = -0.33 + 0.11 * (i % 7) + 1e-3 * rnd(); p[2] = 0.06 + 0.11 * (i / 7); }
    E_->sphere(w, 0.05, 0.5, p);
  }
  *nb = 666; E_->ready(w); return w;
}
/* 10 000 of them, equally deep in a bin that is wider: 23 x 23 a layer, walls as near */
static const double wide_[4][4] = {{1, 0, 0, -1.42}, {-1, 0, 0, -1.42}, {0, 1, 0, -1.42}, {0, -1, 0, -1.42}};
static void *s3c_build(const Cfg *c, int *nb) {
  static const double up[3] = {0, 0, 1}; void *w = E_->open(c); seed_ = 42; E_->plane(w, up, 0);
  for (int k = 0; k < 4; k++) E_->plane(w, wide_[k], wide_[k][3]);
  for (int i = 0; i < 10000; i++) {
    int a = i % 23, b = i / 23 % 23, l = i / 529; double p[3];
    p[0] = -1.32 + 0.12 * a + 1e-3 * rnd(); p[1] = -1.32 + 0.12 * b + 1e-3 * rnd(); p[2] = 0.06 + 0.11 * l + 1e-3 * rnd();
    E_->sphere(w, 0.05, 0.5, p);
  }
  *nb = 10000; E_->ready(w); return w;
}
static double s3_pen(void *w, int nb, double r, int bin, double *sum2) { /* deepest overlap, all pairs */
  double *x = (double *)malloc(sizeof(double) * 3 * (size_t)nb), s[13], m = 0; *sum2 = 0;
  for (int i = 0; i < nb; i++) { E_->get(w, i, s); memcpy(x + 3 * i, s, 24); if (!(fabs(s[0]) < 1e6)) m = 1e9; }
  for (int i = 0; i < nb; i++) {
    double d = r - x[3 * i + 2]; if (d > 0) { *sum2 += d * d; if (d > m) m = d; }
    if (bin) for (int k = 0; k < (E_->planar ? 2 : 4); k++) { const double *b = bin == 2 ? wide_[k] : binw_[k]; d = r + b[3] - b[0] * x[3 * i] - b[1] * x[3 * i + 1]; if (d > m) m = d; }
    for (int j = i + 1; j < nb; j++) {
      double a = x[3 * i] - x[3 * j], b = x[3 * i + 1] - x[3 * j + 1], e = x[3 * i + 2] - x[3 * j + 2], q = a * a + b * b + e * e;
      if (q < 4 * r * r) { d = 2 * r - sqrt(q); *sum2 += d * d; if (d > m) m = d; }
    }
  }
  free(x); return m;
}
static void s3(const char *sc, int bin, const char *variant) {
  Cfg c = {1e-3, GRAV, bin ? 0.5 : 0, bin ? 0.5 : 0, 0, 1, 0, "S3", variant};
  Build bld = bin == 2 ? s3c_build : bin ? s3b_build : s3a_build; int every = bin == 2 ? 200 : 10, nb, n = most_(3000), i, ns = 0, ncmax = 0; if (only_(sc, bld, &c, n, -1, NULL)) return;
  void *w = bld(&c, &nb);
  double pmax = 0, acc = 0, s2, p = 0, r = bin ? 0.05 : 0.1, w0 = cpu_(), ke = 0, pend = 0, s[13], m = bin ? 0.5 : 10;
  for (i = 0; i < n; i++) {
    if (i % every == 0) { p = s3_pen(w, nb, r, bin, &s2); acc += s2; ns++; if (p > pmax) pmax = p; }
    E_->step(w);
    if (E_->ncon) { int k = E_->ncon(w); if (k > ncmax) ncmax = k; }
    if (cpu_() - w0 > 2 * capcpu_) { i++; break; }
  }
  pend = s3_pen(w, nb, r, bin, &s2); if (pend > pmax) pmax = pend;
  for (int k = 0; k < nb; k++) { E_->get(w, k, s); ke += 0.5 * m * (s[7] * s[7] + s[8] * s[8] + s[9] * s[9]); }
  emit(sc, "max_pen_m", pmax);
  emit(sc, "end_pen_m", pend);
  emit(sc, "mean_sum_pen2_m2", acc / ns);
  emit(sc, "end_kinetic_J", ke);
  emit(sc, "max_contacts", ncmax);
  if (i < n) emit(sc, "t_reached", i * c.dt);
  E_->close(w);
  timing(sc, bld, &c, n, -1, NULL);
}

/* ---- S4: SimBenchmark 'rolling' ---- */
static void *s4_build(const Cfg *c, int *nb) {
  static const double up[3] = {0, 0, 1}, h[3] = {10, 10, 0.5}; double p[3] = {0, 0, 0.5 - 2e-5}; void *w = E_->open(c);
  E_->plane(w, up, 0); E_->box(w, h, 10, p);
  for (int i = 0; i < 5; i++) for (int j = 0; j < 5; j++) { p[0] = 2.0 * i - 4; p[1] = 2.0 * j - 4; p[2] = 1.5 - 6e-5; E_->sphere(w, 0.5, 1, p); }
  *nb = 26; E_->ready(w); return w;
}
static void s4(const char *variant) {
  static const double dir[2][3] = {{0.5, 0.866025403784439, 0}, {0, 1, 0}}; static const char *mn[2] = {"vel_mse_xy", "vel_mse_y"}, *rn[2] = {"vel_relerr_box_xy", "vel_relerr_box_y"}, *bn[2] = {"vel_relerr_ball_xy", "vel_relerr_ball_y"};
  Cfg c = {1e-3, GRAV, 0.4, 0.8, 0, 1, 0, "S4", variant}; int nb, n = 4000; double F[3] = {0, 0, 0};
  double f1 = 0.4 * 35 * GRAV, f2 = (150 - f1) / 10 / (3.5 + 2.5), a1 = (150 - f1 - 25 * f2) / 10, a2 = f2;
  for (int j = 0; j < 3; j++) push_[j] = F[j] = 150 * dir[0][j];
  if (only_("S4", s4_build, &c, n, 0, F)) return;
  for (int k = 0; k < 2; k++) {
    for (int j = 0; j < 3; j++) push_[j] = F[j] = 150 * dir[k][j];
    void *w = s4_build(&c, &nb); double e = 0, s[13], b[13], w0 = cpu_(); int i;
    for (i = 0; i < n; i++) {
      E_->get(w, 0, b); E_->get(w, 1, s);
      for (int j = 0; j < 3; j++) { double x = b[7 + j] - a1 * i * c.dt * dir[k][j], y = s[7 + j] - a2 * i * c.dt * dir[k][j]; e += x * x + y * y; }
      E_->force(w, 0, F); E_->step(w);
      if (cpu_() - w0 > 2 * capcpu_) { i++; break; }
    }
    E_->get(w, 0, b); E_->get(w, 1, s);
    emit("S4", mn[k], e / i);
    double T = i * c.dt, vb = 0, vs = 0;
    for (int j = 0; j < 3; j++) { double x = b[7 + j] - a1 * T * dir[k][j], y = s[7 + j] - a2 * T * dir[k][j]; vb += x * x; vs += y * y; }
    emit("S4", rn[k], sqrt(vb) / (a1 * T)); emit("S4", bn[k], sqrt(vs) / (a2 * T));
    if (i < n) emit("S4", "t_reached", T);
    E_->close(w);
  }
  for (int j = 0; j < 3; j++) push_[j] = F[j] = 150 * dir[0][j];
  timing("S4", s4_build, &c, n, 0, F);
}

/* ---- S5: humanoid H27 ---- */
static void *s5_build(const Cfg *c, int *nb) { *nb = HNB; return E_->hum(c); }
static void s5(const char *sc, double dt, const char *variant) {
  Cfg c = {dt, GRAV, 0.7, 0.7, 0, 1, 1, "S5", variant}; int nb, n = (int)(5 / dt + 0.5), i, nc = 0; if (only_(sc, s5_build, &c, n, -1, NULL)) return;
  void *w = s5_build(&c, &nb);
  double s[13], R[9], pen = 0, pend = 0, vmax = 0, w0 = cpu_(), zmax = 0;
  for (i = 0; i < n; i++) {
    E_->step(w); if (E_->ncon) nc = E_->ncon(w);
    pend = 0; vmax = 0; zmax = 0;
    for (int b = 0; b < HNB; b++) {
      E_->hum_get(w, b, s); q2R(s + 3, R); double v = norm3(s + 7); if (v > vmax || v != v) vmax = v;
      if (!(fabs(s[2]) < 1e3)) pend = 1e9;
      for (int k = 0; k < 2; k++) { const double *p = k ? hum_body[b].b : hum_body[b].a; double z = s[2] + R[6] * p[0] + R[7] * p[1] + R[8] * p[2]; if (z > zmax) zmax = z; if (hum_body[b].r - z > pend) pend = hum_body[b].r - z; }
    }
    if (pend > pen) pen = pend;
    if (cpu_() - w0 > 2 * capcpu_) { i++; break; }
  }
  emit(sc, "max_pen_m", pen); emit(sc, "end_pen_m", pend); emit(sc, "end_vmax", vmax); emit(sc, "end_zmax_m", zmax); emit(sc, "end_contacts", nc);
  if (i < n) emit(sc, "t_reached", i * dt);
  E_->close(w);
  timing(sc, s5_build, &c, n, -1, NULL);
}
static void s5fd(const char *variant) {
  Cfg c = {2e-3, GRAV, 0.7, 0.7, 0, 0, 0, "S5fd", variant}; static double q[1000][21], v[1000][21], a[21]; void *w = E_->hum(&c);
  double us[25], chk = 0; seed_ = 7;
  for (int i = 0; i < 1000; i++) for (int k = 0; k < 21; k++) { q[i][k] = rnd() - 0.5; v[i][k] = 2 * rnd() - 1; }
  if (getenv("ICOUNT")) { for (int i = 0; i < 100 * atoi(getenv("ICOUNT")); i++) E_->hum_fd(w, q[i % 1000], v[i % 1000], a); printf("ran\t%d\n", 100 * atoi(getenv("ICOUNT"))); E_->close(w); return; }
  E_->hum_fd(w, q[0], v[0], a); for (int k = 0; k < 21; k++) chk += a[k] * a[k];
  emit("S5fd", "joint_acc_l2_state0", sqrt(chk));
  E_->hum_fd(w, q[999], v[999], a); chk = 0; for (int k = 0; k < 21; k++) chk += a[k] * a[k];
  emit("S5fd", "joint_acc_l2_state999", sqrt(chk));
  for (int r = 0; r < 25; r++) { double t = cpu_(); for (int k = 0; k < 5; k++) for (int i = 0; i < 1000; i++) E_->hum_fd(w, q[i], v[i], a); us[r] = (cpu_() - t) / 5000 * 1e6; }
  qsort(us, 25, sizeof *us, cmpd_); emit("S5fd", "us_per_call", us[12]); emit("S5fd", "us_per_call_min", us[0]); emit("S5fd", "us_per_call_max", us[24]);
  E_->close(w);
}

/* ---- S6: torque-free body and double pendulum, energy and state error against dt ---- */
static const double toph_[3] = {0.05, 0.1, 0.15}, topw_[3] = {0.01, 5, 0.01};
static void top_rhs_(const double I[3], const double y[7], double d[7]) { /* w(body), q */
  const double *w = y, *q = y + 3;
  d[0] = (I[1] - I[2]) * w[1] * w[2] / I[0]; d[1] = (I[2] - I[0]) * w[2] * w[0] / I[1]; d[2] = (I[0] - I[1]) * w[0] * w[1] / I[2];
  d[3] = 0.5 * (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]); d[4] = 0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
  d[5] = 0.5 * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]); d[6] = 0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
}
static void dp_rhs_(const double y[4], double d[4]) { /* absolute angles below the horizontal, uniform rods L = 1, m = 1, box inertia */
  double I = (0.5 * 0.5 + 0.05 * 0.05) / 3, a = y[0], b = y[1], u = y[2], v = y[3], c = cos(a - b), s = sin(a - b);
  double m11 = I + 0.25 + 1, m12 = 0.5 * c, m22 = I + 0.25, f1 = -0.5 * s * v * v + 1.5 * GRAV * cos(a), f2 = 0.5 * s * u * u + 0.5 * GRAV * cos(b), D = m11 * m22 - m12 * m12;
  d[0] = u; d[1] = v; d[2] = (m22 * f1 - m12 * f2) / D; d[3] = (m11 * f2 - m12 * f1) / D;
}
static void rk4_(int n, const double *I, double *y, double h) {
  double k[4][7], t[7]; int i;
#define RHS_(Y, D) (I ? top_rhs_(I, Y, D) : dp_rhs_(Y, D))
  RHS_(y, k[0]); for (i = 0; i < n; i++) t[i] = y[i] + 0.5 * h * k[0][i];
  RHS_(t, k[1]); for (i = 0; i < n; i++) t[i] = y[i] + 0.5 * h * k[1][i];
  RHS_(t, k[2]); for (i = 0; i < n; i++) t[i] = y[i] + h * k[2][i];
  RHS_(t, k[3]); for (i = 0; i < n; i++) y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
}
static void top_inertia_(double I[3]) { for (int k = 0; k < 3; k++) { double a = toph_[(k + 1) % 3], b = toph_[(k + 2) % 3]; I[k] = (a * a + b * b) / 3; } }
static const double *top_ref_(void) { /* orientation at t = 10 */
  static double y[7] = {0.01, 5, 0.01, 1, 0, 0, 0}; static int done; double I[3];
  if (!done) { top_inertia_(I); for (int i = 0; i < 1000000; i++) rk4_(7, I, y, 1e-5); done = 1; }
  return y + 3;
}
static const double *dp_ref_(void) { /* tip x,z at t = 2 */
  static double r[2]; static int done;
  if (!done) { double y[4] = {0, 0, 0, 0}; for (int i = 0; i < 200000; i++) rk4_(4, NULL, y, 1e-5); r[0] = cos(y[0]) + cos(y[1]); r[1] = -sin(y[0]) - sin(y[1]); done = 1; }
  return r;
}
static double qangle_(const double a[4], const double b[4]) { /* angle of conj(a) b */
  double w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3], v[3] = {a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2], a[0] * b[2] + a[1] * b[3] - a[2] * b[0] - a[3] * b[1], a[0] * b[3] - a[1] * b[2] + a[2] * b[1] - a[3] * b[0]};
  return 2 * atan2(norm3(v), fabs(w));
}
static void *s6a_build(const Cfg *c, int *nb) { static const double o[3] = {0, 0, 0}; void *w = E_->open(c); *nb = 1; E_->box(w, toph_, 1, o); E_->spin(w, 0, topw_); E_->ready(w); return w; }
static void *s6b_build(const Cfg *c, int *nb) {
  static const double h[3] = {0.5, 0.05, 0.05}, p[2][3] = {{0.5, 0, 0}, {1.5, 0, 0}}, at[2][3] = {{0, 0, 0}, {1, 0, 0}}, ax[3] = {0, 1, 0};
  void *w = E_->open(c); *nb = 2; E_->box(w, h, 1, p[0]); E_->box(w, h, 1, p[1]); E_->hinge(w, -1, 0, at[0], ax); E_->hinge(w, 0, 1, at[1], ax); E_->ready(w); return w;
}
static double s6_time_(Build b, const Cfg *c, int n) { double t[15], s = 0; int r; for (r = 0; r < 15 && (r < 3 || s < 0.2); r++) { int nb; void *w = b(c, &nb); double t0 = cpu_(); for (int i = 0; i < n; i++) E_->step(w); s += t[r] = cpu_() - t0; E_->close(w); if (s > 3) { r++; break; } } qsort(t, (size_t)r, sizeof *t, cmpd_); return t[r / 2]; }
static void s6(const char *variant) {
  static const int ns[5] = {1000, 3200, 10000, 32000, 100000}; double I[3], s[13], R[9]; char sc[32]; top_inertia_(I);
  const char *most = getenv("S6_STEPS"); /* leave out finer steps than these many */
  for (int k = 0; k < 5 && (!most || ns[k] <= atoi(most)); k++) {
    int n = ns[k], nb; double dt = 10.0 / n;
    if (!E_->planar && E_->spin) {
      Cfg c = {dt, 0, 0, 0, 0, 0, 0, "S6a", variant}; void *w = s6a_build(&c, &nb); double e0 = 0, L0[3] = {0, 0, 0}, de = 0, dL = 0;
      for (int i = 0; i <= n; i++) {
        if (i) E_->step(w);
        E_->get(w, 0, s); q2R(s + 3, R); double wb[3], L[3], e = 0, d = 0;
        for (int j = 0; j < 3; j++) { wb[j] = R[j] * s[10] + R[3 + j] * s[11] + R[6 + j] * s[12]; e += 0.5 * I[j] * wb[j] * wb[j]; }
        for (int j = 0; j < 3; j++) L[j] = R[3 * j] * I[0] * wb[0] + R[3 * j + 1] * I[1] * wb[1] + R[3 * j + 2] * I[2] * wb[2];
        if (!i) { e0 = e; memcpy(L0, L, sizeof L); }
        for (int j = 0; j < 3; j++) d += (L[j] - L0[j]) * (L[j] - L0[j]);
        if (!(fabs(e - e0) / e0 <= de)) de = fabs(e - e0) / e0;
        if (!(sqrt(d) / norm3(L0) <= dL)) dL = sqrt(d) / norm3(L0);
      }
      E_->close(w); snprintf(sc, sizeof sc, "S6a_dt%g", dt);
      emit(sc, "energy_relerr_max", de); emit(sc, "angmom_relerr_max", dL); emit(sc, "angle_err_end_rad", qangle_(s + 3, top_ref_())); emit(sc, "cpu_s", s6_time_(s6a_build, &c, n));
    }
    if (E_->hinge) {
      Cfg c = {dt, GRAV, 0, 0, 0, 0, 0, "S6b", variant}; void *w = s6b_build(&c, &nb); double de = 0, tip = 0, gap = 0, Iy = (0.25 + 0.0025) / 3; int i2 = n / 5;
      for (int i = 1; i <= n; i++) {
        E_->step(w); double e = 0, end[2][3], b0[2][3];
        for (int b = 0; b < 2; b++) {
          E_->get(w, b, s); q2R(s + 3, R); e += 0.5 * (s[7] * s[7] + s[8] * s[8] + s[9] * s[9]) + 0.5 * Iy * s[11] * s[11] + GRAV * s[2];
          for (int j = 0; j < 3; j++) { end[b][j] = s[j] + 0.5 * R[3 * j]; b0[b][j] = s[j] - 0.5 * R[3 * j]; }
        }
        if (!(fabs(e) / 19.62 <= de)) de = fabs(e) / 19.62;
        for (int j = 0; j < 3; j++) { double d = fabs(end[0][j] - b0[1][j]); if (d > gap) gap = d; d = fabs(b0[0][j]); if (d > gap) gap = d; }
        if (i == i2) { const double *r = dp_ref_(); tip = hypot(end[1][0] - r[0], end[1][2] - r[1]); }
      }
      E_->close(w); snprintf(sc, sizeof sc, "S6b_dt%g", dt);
      emit(sc, "energy_err_max_rel", de); emit(sc, "tip_err_2s_m", tip); emit(sc, "joint_gap_max_m", gap); emit(sc, "cpu_s", s6_time_(s6b_build, &c, n));
    }
  }
}

/* ---- S7: box-box ---- */
#define NPAIR 10000
static double sat_depth(const Pair *p, int *axis) { /* exact minimum translation; <0 separated */
  double t[3], best = 1e300; int ba = -1; for (int j = 0; j < 3; j++) t[j] = p->pb[j] - p->pa[j];
  for (int k = 0; k < 15; k++) {
    double a[3], l;
    if (k < 3) for (int j = 0; j < 3; j++) a[j] = p->Ra[3 * j + k];
    else if (k < 6) for (int j = 0; j < 3; j++) a[j] = p->Rb[3 * j + k - 3];
    else { int u = (k - 6) / 3, v = (k - 6) % 3; double A[3] = {p->Ra[u], p->Ra[3 + u], p->Ra[6 + u]}, B[3] = {p->Rb[v], p->Rb[3 + v], p->Rb[6 + v]};
      a[0] = A[1] * B[2] - A[2] * B[1]; a[1] = A[2] * B[0] - A[0] * B[2]; a[2] = A[0] * B[1] - A[1] * B[0]; }
    l = norm3(a); if (l < 1e-9) continue;
    double ra = 0, rb = 0, d = fabs(t[0] * a[0] + t[1] * a[1] + t[2] * a[2]);
    for (int j = 0; j < 3; j++) { ra += p->ha[j] * fabs(p->Ra[j] * a[0] + p->Ra[3 + j] * a[1] + p->Ra[6 + j] * a[2]); rb += p->hb[j] * fabs(p->Rb[j] * a[0] + p->Rb[3 + j] * a[1] + p->Rb[6 + j] * a[2]); }
    d = (ra + rb - d) / l; if (d < best) { best = d; ba = k; } if (d < 0) { *axis = k; return d; }
  }
  *axis = ba; return best;
}
static Pair *pairs_(void) {
  Pair *p = (Pair *)malloc(NPAIR * sizeof *p); seed_ = 1234;
  for (int i = 0; i < NPAIR; i++) {
    double q[2][4];
    for (int j = 0; j < 3; j++) { p[i].ha[j] = 0.05 + 0.15 * rnd(); p[i].hb[j] = 0.05 + 0.15 * rnd(); p[i].pa[j] = 0; p[i].pb[j] = 0.8 * (rnd() - 0.5); }
    for (int b = 0; b < 2; b++) { double n = 0; for (int j = 0; j < 4; j++) { q[b][j] = 2 * rnd() - 1; n += q[b][j] * q[b][j]; } for (int j = 0; j < 4; j++) q[b][j] /= sqrt(n); }
    memcpy(p[i].qa, q[0], 32); memcpy(p[i].qb, q[1], 32); q2R(p[i].qa, p[i].Ra); q2R(p[i].qb, p[i].Rb);
  }
  return p;
}
static void s7(const char *variant) {
  Pair *p = pairs_(); Cfg c = {1e-3, 0, 0, 0, 0, 1, 0, "S7", variant}; void *w = E_->open(&c); E_->ready(w);
  double depth, rate[5], e2 = 0; int hits = 0, bad = 0, pts = 0, nd = 0, ax;
  if (getenv("ICOUNT")) { for (int i = 0; i < NPAIR * atoi(getenv("ICOUNT")); i++) pts += E_->boxbox(w, &p[i % NPAIR], &depth); printf("ran\t%d\n", NPAIR); E_->close(w); free(p); return; }
  for (int i = 0; i < NPAIR; i++) {
    depth = 0; int n = E_->boxbox(w, &p[i], &depth); double ex = sat_depth(&p[i], &ax);
    if ((n > 0) != (ex > 0) && fabs(ex) > 1e-4) bad++;
    if (n > 0) { hits++; pts += n; }
    if (n > 0 && ex > 0 && depth > 0) { e2 += (depth - ex) * (depth - ex); nd++; }
  }
  emit("S7", "hit_fraction", (double)hits / NPAIR); emit("S7", "wrong_verdicts", bad); emit("S7", "points_per_hit", hits ? (double)pts / hits : 0);
  if (nd) emit("S7", "depth_rms_err_m", sqrt(e2 / nd));
  for (int r = 0; r < 5; r++) { double t0 = cpu_(); int k, n = 0; for (k = 0; cpu_() - t0 < 0.4; k++) for (int i = 0; i < NPAIR; i++) n += E_->boxbox(w, &p[i], &depth); rate[r] = (double)k * NPAIR / (cpu_() - t0); if (n < 0) puts(""); }
  qsort(rate, 5, sizeof *rate, cmpd_); emit("S7", "queries_per_s", rate[2]); emit("S7", "queries_per_s_min", rate[0]); emit("S7", "queries_per_s_max", rate[4]);
  E_->close(w); free(p);
}

#include "pyramids.h"

/* ---- S8: a block that is pushed, but not enough to slide ---- */
static void *s8_build(const Cfg *c, int *nb) {
  static const double up[3] = {0, 0, 1}, h[3] = {0.1, 0.1, 0.1}, p[3] = {0, 0, 0.1};
  void *w = E_->open(c); E_->plane(w, up, 0); E_->box(w, h, 1, p); *nb = 1; E_->ready(w); return w;
}
static void s8(const char *variant) {
  Cfg c = {1e-3, GRAV, 0.5, 0.5, 0, 1, 0, "S8", variant}; int nb, n = 10000; double s[13], z[13], F[3] = {3.2, 2.4, 0}; /* 4 N of 4.905 */
  memcpy(push_, F, sizeof F); if (only_("S8", s8_build, &c, n, 0, F)) return;
  watched_ = 1; void *w = s8_build(&c, &nb);
  for (int i = 0; i < n; i++) { if (i == n / 10) E_->get(w, 0, z); if (E_->force) E_->force(w, 0, F); E_->step(w); }
  E_->get(w, 0, s);
  emit("S8", "creep_m", hypot(s[0] - z[0], s[1] - z[1])); emit("S8", "slip_m", hypot(s[0], s[1])); emit("S8", "sink_m", 0.1 - s[2]);
  if (E_->weight) emit("S8", "weight_relerr", fabs(E_->weight(w) / GRAV - 1));
  E_->close(w);
  timing("S8", s8_build, &c, n, 0, F);
}

static int bench_main(const Eng *e, int argc, char **argv) {
  const char *sc = argc > 1 ? argv[1] : "", *v = argc > 2 ? argv[2] : ""; E_ = e;
  snprintf(label_, sizeof label_, *v ? "%s%s/%s" : "%s%s", e->name, getenv("TAG") ? getenv("TAG") : "", v); base_rss_ = rss_();
  if (getenv("CAP")) capcpu_ = atof(getenv("CAP"));
  if (!strcmp(sc, "S1")) s1(v);
  else if (!strcmp(sc, "S2")) s2("S2_dt0.001", 1e-3, v);
  else if (!strcmp(sc, "S2c")) s2("S2_dt1/240", 1.0 / 240, v);
  else if (!strcmp(sc, "S3a")) s3("S3a", 0, v);
  else if (!strcmp(sc, "S3b")) s3("S3b", 1, v);
  else if (!strcmp(sc, "S3c") && !e->planar) s3("S3c", 2, v);
  else if (!strcmp(sc, "S4")) s4(v);
  else if (!strcmp(sc, "S5") && e->hum) s5("S5_dt0.002", 2e-3, v);
  else if (!strcmp(sc, "S5c") && e->hum) s5("S5_dt0.005", 5e-3, v);
  else if (!strcmp(sc, "S5fd") && e->hum_fd) s5fd(v);
  else if (!strcmp(sc, "S6")) s6(v);
  else if (!strcmp(sc, "S7") && e->boxbox) s7(v);
  else if (sc[0] == 'P' && pyramid_scene_(sc) && e->box && !e->planar) pyramids(sc, v);
  else if (!strcmp(sc, "S8") && (e->force || e->run) && e->box) s8(v);
  else { fprintf(stderr, "%s: scene %s not available\n", e->name, sc); return 2; }
  if (bench_warn_) emit(sc, "engine_warnings", (double)bench_warn_);
  return 0;
}
#ifdef __cplusplus
}
#endif
#endif
