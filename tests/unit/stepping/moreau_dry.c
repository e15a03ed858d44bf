// unit_moreau_dry.c: dry friction between bodies that are compliant along the normal, under the
// stepper `moreau`: a block on a slope holds without creep below atan mu and slides with g (sin -
// mu cos) above it, whatever the normal law; the books close.
#include "moreau.h"

#define MASS 2.0

typedef struct slope {
  int law;
  double angle, mu_s, mu_k;
  double v;    // [m/s] down the slope at the start
  double late; // [m] how far it was at half time
  bool rigid;
} slope;

// With four corners K z^n each, all carry the same.
static const struct {
  const char *text;
  double K, n;
} laws[] = {{"law: kelvin-voigt, k: 1e5, b: 500", 1e5, 1},
            {"law: hunt-crossley, n: 1.5, k: 1e7, alpha: 2", 1e7, 1.5},
            {"law: hertz, K: 1e7", 1e7, 1.5},
            {"law: lankarani-nikravesh, K: 1e7, e: 0.5, v: 1", 1e7, 1.5}};

static void keep_way(void *user, const rh_sim *sim)
{
  slope *s = user;
  const rh_data *d = rh_sim_view(sim);
  if (*d->t <= 1) {
    s->late = d->q[0];
  }
}

// A flat block where its springs carry it; friction tilts it a little from there.
static rh_sim *slide(slope *s, rh_model **model)
{
  char scene[2048];
  double load = 0.25 * MASS * G * cos(s->angle);
  double depth = s->rigid ? 0 : pow(load / laws[s->law].K, 1 / laws[s->law].n);
  snprintf(scene, sizeof scene,
           "world: {gravity: [%.17g, 0, %.17g]}\nbodies: [{name: b, mass: 2}]\n"
           "joints: [{kind: free, child: b, q: [0, 0, %.17g, 1, 0, 0, 0], v: [%.17g, 0, 0, 0, 0, "
           "0]}]\n"
           "shapes: [" FLOOR ", {body: b, kind: box, size: [0.4, 0.4, 0.05]}]\n"
           "contacts: [{body: b, against: world, %s, friction: dry, mu_s: %.17g, mu_k: %.17g}]\n"
           "run: {until: 2, engine: stepping, dt: 1e-3}\nrecord: {every: 0.01}\n",
           G * sin(s->angle), -G * cos(s->angle), 0.025 - depth, s->v,
           s->rigid ? "law: newton, e: 0" : laws[s->law].text, s->mu_s, s->mu_k);
  *model = model_from(scene, NULL, 0);
  return watch(*model, keep_way, s);
}

// Friction holds: once the springs have settled nothing moves, not by a nanometre in a second.
START_TEST(holds)
{
  slope s = {.law = _i, .angle = 0.4, .mu_s = 0.5, .mu_k = 0.45};
  rh_model *model;
  rh_sim *sim = slide(&s, &model);
  const rh_data *d = rh_sim_view(sim);
  bool damped = strstr(laws[_i].text, "hertz") == NULL;
  ck_assert(fabs(s.late) < 1e-3);                  // what it gave while it sank in
  near_abs(d->q[0], s.late, damped ? 1e-9 : 1e-4); // Hertz swings for ever, and tilts
  finish(sim, model);
}

END_TEST

// Above it slides. The sum of the normal impulses is m g cos t but for m v_n at the end, so that v
// = g (sin - mu cos) t to mu v_n.
START_TEST(slides)
{
  slope s = {.law = _i, .angle = 0.5, .mu_s = 0.35, .mu_k = 0.3};
  rh_model *model;
  rh_sim *sim = slide(&s, &model);
  const rh_data *d = rh_sim_view(sim);
  double a = G * (sin(s.angle) - s.mu_k * cos(s.angle));
  double swing = s.mu_k * fabs(d->v[2]);
  double held = s.mu_s * G * 1e-3; // the first step decides whether it holds
  near_abs(d->v[0], 2 * a, swing + held + 1e-6);
  near_abs(d->q[0], 2 * a, 0.5 * 2e-3 * a + 2 * held + 1e-3); // t^2/2 = 2 s^2; it sinks in at first
  rh_ledger l = rh_sim_ledger(sim);
  double lost = s.mu_k * MASS * G * cos(s.angle) * d->q[0];
  double moved = 0.5 * MASS * d->v[0] * d->v[0];
  ck_assert_msg(fabs(l.residue) <= 1e-3 * (lost + moved), "residue %g of %g J", l.residue, lost);
  finish(sim, model);
}

END_TEST

// What moves already is braked with mu_k and goes on, though mu_s would hold it at rest.
START_TEST(in_motion)
{
  slope s = {.angle = 0.4, .mu_s = 0.5, .mu_k = 0.3, .v = 0.5};
  rh_model *model;
  rh_sim *sim = slide(&s, &model);
  const rh_data *d = rh_sim_view(sim);
  near_abs(d->v[0], 0.5 + 2 * G * (sin(s.angle) - s.mu_k * cos(s.angle)), 1e-4);
  finish(sim, model);
}

END_TEST

// A rigid block of the same shape does the same.
START_TEST(as_rigid)
{
  double v[2];
  for (int i = 0; i < 2; i++) {
    slope s = {.angle = 0.6, .mu_s = 0.3, .mu_k = 0.3, .rigid = i == 1};
    rh_model *model;
    rh_sim *sim = slide(&s, &model);
    v[i] = rh_sim_view(sim)->v[0];
    finish(sim, model);
  }
  near_abs(v[0], v[1], 1e-4);
}

END_TEST

Suite *rh_suite_unit_moreau_dry(void)
{
  Suite *suite = suite_create("unit_moreau_dry");
  TCase *tests = tcase_create("dry");
  tcase_add_loop_test(tests, holds, 0, RH_COUNT(laws));
  tcase_add_loop_test(tests, slides, 0, RH_COUNT(laws));
  tcase_add_test(tests, in_motion);
  tcase_add_test(tests, as_rigid);
  suite_add_tcase(suite, tests);
  return suite;
}
