// fit_swing.c: stiffness and damping of a spring from measured positions: a fit by a program, with its progress, the intervals of what is
// found and a verdict on the scene. Needs librouth_studies, which has all of librouth too.
// Built by ./test; by hand: cc -std=c17 fit_swing.c $(pkg-config --cflags --libs routh_studies) -lm -o fit_swing
#include <routh/fit.h>
#include <routh/routh.h>

#include <math.h>
#include <stdio.h>

enum { ROWS = 100 };

static const char scene[] = "world: {gravity: [0, 0, 0]}\n"
                            "bodies: [{name: b, mass: 2}]\n"
                            "joints: [{name: s, kind: prismatic, child: b, axis: [1, 0, 0], q: [0.1], "
                            "spring: [60], damper: [1]}]\n"
                            "run: {until: 2}\n";

static bool tell(void *user, int done, int of, const char *next)
{
  (void)user;
  fprintf(stderr, "%d of %d: %s\n", done + 1, of, next);
  return true; // go on
}

static void print_result(const rh_fit *fit)
{
  rh_fit_summary all = rh_fit_get_summary(fit);
  for (int i = 0; i < all.values; i++) {
    rh_fitted v = rh_fit_get_value(fit, i);
    printf("%s %.4f, 95 %% %.4f to %.4f, %s\n", v.name, v.value, v.low, v.high,
           rh_fit_verdict_word(v.verdict));
  }
  printf("squares over the noise: %.3f of at most %.3f: the scene is %s\n", all.excess, all.bar,
         all.adequate ? "adequate" : "inadequate");
}

int main(void)
{
  // What was measured: m = 2 kg, k = 50 N/m, d = 0.8 N s/m, and an error of 1 mm
  double t[ROWS];
  double x[ROWS];
  unsigned seed = 1;
  const double a = 0.2;
  const double w = sqrt(25 - a * a);
  for (int i = 0; i < ROWS; i++) {
    double error = 0;
    for (int k = 0; k < 12; k++) { // twelve uniform numbers are nearly normal
      seed = seed * 1664525u + 1013904223u;
      error += seed / 4294967296.0 - 0.5;
    }
    t[i] = 0.02 * i;
    x[i] = 0.1 * exp(-a * t[i]) * (cos(w * t[i]) + a / w * sin(w * t[i])) + 1e-3 * error;
  }
  const rh_measured swing = {"swing", ROWS, 1, (const char *const[]){"s.q [m]"}, t, x};
  const rh_fit_options options = {
      .free = (const char *const[]){"s.spring[0]", "s.damper[0]=0.1:10"},
      .nfree = 2,
      .noise = (const char *const[]){"s.q=1e-3"},
      .nnoise = 1,
      .progress = tell,
  };
  rh_diag *diag = rh_diag_create();
  rh_fit *fit = NULL;
  rh_status status = rh_fit_create("swing.yaml", scene, diag, &fit);
  if (status == RH_OK) {
    status = rh_fit_add_series(fit, &swing, false);
  }
  if (status == RH_OK) {
    status = rh_fit_find(fit, &options, diag);
  }
  if (status == RH_OK) {
    print_result(fit);
  }
  for (int i = 0; i < rh_diag_kept(diag); i++) {
    rh_message message = rh_diag_get(diag, i);
    fprintf(stderr, "%s\n", message.text);
  }
  rh_fit_destroy(fit);
  rh_diag_destroy(diag);
  return rh_status_exit_code(status);
}
