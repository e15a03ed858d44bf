// ref_haptic_run.c: whole runs of the haptic loop against reference numbers that were computed independently: the peg in the corner under
// every method and limit, the linkage in its enclosure. Poses at given ticks, which ticks collide, with how many contacts and what force, metrics.
// The tolerances are those of the reference: 20 times what moving the start by 1e-10 does; found are 1e-15, and for the linkage 1e-9, since
// its rods are 1e-12 m thick here.
#include "haptic.h"

#include "data/haptic_runs.h"
#include "haptic/metrics.h"
#include "run/run.h"

#define IDEAL_SUB 16 // ticks of an ideal to one of 512 Hz

static bool ideal(const peg_run *r)
{
  return strncmp(r->method, "ideal", 5) == 0;
}

static felt peg_world(const peg_run *r)
{
  char text[9][96];
  const char *set[9];
  double dt = 1.0 / 512 / (ideal(r) ? IDEAL_SUB : 1);
  (void)snprintf(text[0], sizeof text[0], "haptic.method=%s", r->method);
  (void)snprintf(text[1], sizeof text[1], "haptic.limits=%s", r->limits);
  (void)snprintf(text[2], sizeof text[2], "haptic.select=%s", r->select);
  for (int i = 0; i < 2; i++) {
    (void)snprintf(text[3 + i], sizeof text[0], "%s.q=[%.17g,%.17g,%.17g]", i ? "device" : "tool",
                   r->q0[0], r->q0[1], r->q0[2]);
  }
  (void)snprintf(text[5], sizeof text[5], "haptic.e=%.17g", r->e);
  (void)snprintf(text[6], sizeof text[6], "run.dt=%.17g", dt);
  (void)snprintf(text[7], sizeof text[7], "wall.friction=threshold");
  (void)snprintf(text[8], sizeof text[8], "contacts.wall.mu=%.17g", r->mu);
  for (int i = 0; i < 9; i++) {
    set[i] = text[i];
  }
  felt f = felt_scene("haptic-peg-corner.yaml", set, 9);
  rh_model_contact *wall =
      (rh_model_contact *)f.m->contact; // the last value, which would be a tenth text
  wall->friction_par[1] = r->vth;
  return f;
}

// The collisions, in their order: tick, contacts of the group, force on the tool
static void check_collision(const peg_run *r, const rh_haptic_out *out, int tick, int *seen)
{
  if (r->ncol == 0 || out->state != RH_STATE_COLLIDING) {
    return;
  }
  ck_assert_int_lt(*seen, r->ncol);
  const double *want = r->col[(*seen)++];
  ck_assert_msg(tick == (int)want[0], "%s: collision %d at tick %d, not %g", r->name, *seen, tick,
                want[0]);
  ck_assert_int_eq(out->ncontact, (int)want[1]);
  const double got[3] = {out->env[0], out->env[1], out->env[5]};
  near_array(got, want + 2, 3, 1e-6,
             1e-6); // of 100 N; poses agree to 1e-8 m at speeds of 0.1 m/s and 512 Hz
}

static void check_pose(const peg_run *r, const felt *f, int k)
{
  const rh_model *m = f->m;
  double got[6];
  memcpy(got, f->d->q + m->body[m->haptic.device].qadr, 3 * sizeof *got);
  memcpy(got + 3, f->d->q + m->body[m->haptic.tool].qadr, 3 * sizeof *got);
  for (int i = 0; i < 6; i++) {
    double tol = i % 3 == 2 ? r->tol_angle : r->tol;
    ck_assert_msg(fabs(got[i] - r->at[k][i]) <= tol, "%s: tick %d, coordinate %d: %.17g, not %.17g",
                  r->name, r->k[k], i, got[i], r->at[k][i]);
  }
}

static void check_metrics(const peg_run *r, const rh_metrics *x)
{
  rh_metrics_result m = rh_metrics_read(x);
  const double got[9] = {m.pen_hand, m.pen_tool, m.bounces, m.t_pos,  m.t_ang,
                         m.t_settle, m.peak[0],  m.peak[1], m.peak[5]};
  for (int i = ideal(r) ? 2 : 0; i < 9; i++) { // penetrations of an ideal are step error
    double tol = r->metrics_abs + r->metrics_rel * fabs(r->metric[i]);
    ck_assert_msg(fabs(got[i] - r->metric[i]) <= tol, "%s: metric %d is %.9g, not %.9g", r->name, i,
                  got[i], r->metric[i]);
  }
}

START_TEST(peg)
{
  const peg_run *r = &peg_runs[_i];
  felt f = peg_world(r);
  rh_haptic_out out;
  rh_metrics *x;
  rh_metrics_opt opt = rh_metrics_default();
  opt.goal = rh_v3(0.0105, -0.00525, 0);
  opt.window = 1.0 / 512;
  ck_assert_int_eq(rh_metrics_create(f.m, &opt, &x), RH_OK);
  int sub = ideal(r) ? IDEAL_SUB : 1;
  int ticks = (int)lround(r->T * 512);
  int sample = 0;
  int seen = 0;
  for (int k = 0; k < ticks; k++) {
    for (int i = 0; i < sub; i++) {
      rh_haptic_tick(f.h, f.d, NULL, &out);
      rh_metrics_add(x, f.d);
    }
    check_collision(r, &out, k, &seen);
    if (sample < 12 && k + 1 == r->k[sample]) {
      check_pose(r, &f, sample++);
    }
  }
  ck_assert_int_eq(sample, 12);
  ck_assert_int_eq(seen, r->ncol);
  check_metrics(r, x);
  rh_metrics_destroy(x);
  felt_end(&f);
}

END_TEST

// Contacts of the groups in which something was struck
static int contacts_that_collide(const felt *f)
{
  int n;
  int count = 0;
  const rh_haptic_contact *c = rh_haptic_contacts(f->h, &n);
  for (int i = 0; i < n; i++) {
    bool with = false;
    for (int j = 0; j < n; j++) {
      with = with || (c[j].struck && c[j].group == c[i].group);
    }
    count += with;
  }
  return count;
}

START_TEST(linkage)
{
  const linkage_run *r = &linkage_runs[_i];
  char text[2][64];
  const char *const set[2] = {text[0], text[1]};
  (void)snprintf(text[0], sizeof text[0], "haptic.e=%.17g", r->e);
  (void)snprintf(text[1], sizeof text[1], "haptic.split=%s", r->split);
  felt f = felt_scene("haptic-linkage.yaml", set, 2);
  rh_haptic_out out;
  int sample = 0;
  int collisions = 0;
  for (int k = 0; k < (int)lround(r->T * 512); k++) {
    rh_haptic_tick(f.h, f.d, NULL, &out);
    int grouped = contacts_that_collide(&f);
    if (grouped > 0) {
      ck_assert_int_lt(collisions, r->ncol);
      ck_assert_int_eq(k, (int)r->col[collisions][0]);
      ck_assert_int_eq(grouped, (int)r->col[collisions][1]);
      near_abs(rh_haptic_gain(f.h), r->col[collisions][2], r->tol); // 1e-2 J change with the speeds
      collisions++;
    }
    if (sample < 12 && k + 1 == r->k[sample]) {
      near_array(f.d->q, r->at[sample], 9, r->tol, 0);
      near_array(f.d->v, r->at[sample] + 9, 9, r->tol, 0);
      sample++;
    }
  }
  ck_assert_int_eq(sample, 12);
  ck_assert_int_eq(collisions, r->ncollision);
  felt_end(&f);
}

END_TEST

Suite *rh_suite_ref_haptic_run(void)
{
  Suite *suite = suite_create("ref_haptic_run");
  TCase *runs = tcase_create("runs");
  tcase_add_loop_test(runs, peg, 0, RH_COUNT(peg_runs));
  tcase_add_loop_test(runs, linkage, 0, RH_COUNT(linkage_runs));
  suite_add_tcase(suite, runs);
  return suite;
}
