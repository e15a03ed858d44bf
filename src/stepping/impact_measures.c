// impact_measures.c: which contacts have an impact within a step, and the energies of an island before and after.
#include "stepping.h"

// [m/s] slower touches have no restitution: a hundredth of the change by gravity in a step
double rh_step_slow(const rh_step_world *w)
{
  return w->slow;
}

double rh_step_pull(const rh_step_worker *worker, const rh_step_row *c)
{
  const rh_step_world *w = worker->world;
  rh_vec3 a = {0, 0, 0};
  if (c->a && !w->body[c->a].pressed) {
    a = w->body[c->a].a;
  }
  if (c->b && !w->body[c->b].pressed) {
    a = rh_sub(a, w->body[c->b].a);
  }
  double sum = rh_dot(rh_step_read_vec(c->n), a);
  const int branch[2] = {w->general[c->any].ba, w->general[c->any].bb};
  for (int i = 0; c->jointed && i < 2; i++) {
    const rh_step_branch *b = branch[i] == RH_NONE ? NULL : &worker->rows.branch[branch[i]];
    sum += b && !w->body[b->mobile].pressed ? rh_step_branch_row(b, 2, w->trees.force) : 0;
  }
  return sum;
}

double rh_step_closes(const rh_step_world *w, double phi, double u, double a, double h)
{
  double slow = rh_step_slow(w);
  if (phi <= RH_STEP_CLOSED) {
    return u < -slow ? 0 : HUGE_VAL;
  }
  double disc = u * u - 2 * a * phi;
  if (disc <= slow * slow) { // its speed there is the root of it
    return HUGE_VAL;
  }
  double root = sqrt(disc);
  double t = u < 0 ? 2 * phi / (root - u) : a < 0 ? -(root + u) / a : HUGE_VAL;
  return t <= h ? t : HUGE_VAL;
}

double rh_step_kinetic(const rh_step_world *w, int i, rh_vec3 v, rh_vec3 spin)
{
  const rh_step_body *c = &w->body[i];
  rh_vec3 b = rh_unrotate(&c->R, spin);
  return 0.5 * (c->mass * rh_dot(v, v) + rh_dot(b, rh_sym3_mul(&c->I, b)));
}

double rh_step_energy(const rh_step_world *w, const rh_step_island *s)
{
  double sum = 0;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    int i = w->member[k];
    sum += i > w->nfree ? rh_step_tree_energy(w, i, w->trees.z)
                        : rh_step_kinetic(w, i, rh_step_read_vec(w->velocity[i].v),
                                          rh_step_read_vec(w->velocity[i].w));
  }
  return sum;
}
