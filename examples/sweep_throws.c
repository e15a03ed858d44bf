// sweep_throws.c: a throw at several speeds over floors of several frictions: many cases of one scene by a program. What is kept of each case
// is read from the journal, which a sweep that was cut off continues.
// Built by ./test; by hand: cc -std=c17 sweep_throws.c $(pkg-config --cflags --libs routh_studies) -o sweep_throws
#include <routh/routh.h>
#include <routh/sweep.h>

#include <stdio.h>

static const char scene[] =
    "bodies: [{name: box, mass: 1, inertia: [0.01, 0.01, 0.01, 0, 0, 0]}]\n"
    "joints: [{name: j, kind: free, child: box, q: [0, 0, 0.05, 1, 0, 0, 0], v: [1, 0, 0, 0, 0, 0]}]\n"
    "shapes: [{body: world, kind: plane}, {body: box, kind: box, size: [0.2, 0.2, 0.1]}]\n"
    "contacts: [{name: floor, body: box, against: world, law: newton, e: 0, friction: dry, mu_s: 0.3, mu_k: 0.3}]\n"
    "run: {engine: stepping, dt: 1e-3, until: 1.5}\n";

static bool print_case(void *user, const rh_swept *row)
{
  (void)user;
  printf("%s:", row->status);
  for (int i = 0; i < row->columns; i++) {
    printf(" %s %.4g", row->name[i], row->number[i]);
  }
  printf("\n");
  return true; // the next one too
}

int main(int count, char **word)
{
  const char *journal = count > 1 ? word[1] : "throws.rsw";
  const rh_sweep_setup setup = {
      .scene = "throws.yaml",
      .text = scene,
      .vary = (const char *const[]){"j.v.0=1,2", "floor.mu_k=0.2:0.3:3"},
      .nvary = 2,
      .out = "j.x@end,events",
      .journal = journal,
  };
  rh_sweep_done done;
  rh_diag *diag = rh_diag_create();
  rh_status status = rh_sweep_make(&setup, &(rh_sweep_work){.workers = 2}, &done, diag);
  if (status == RH_OK) {
    status = rh_sweep_read(journal, print_case, NULL, diag);
  }
  for (int i = 0; i < rh_diag_kept(diag); i++) {
    rh_message message = rh_diag_get(diag, i);
    fprintf(stderr, "%s\n", message.text);
  }
  rh_diag_destroy(diag);
  return rh_status_exit_code(status);
}
