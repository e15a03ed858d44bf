// rigid_rest.c: structures at rest. Where the contacts of an island all stick and their rows leave its bodies no motion, a
// box on its face or a house of cards, the velocities are zero, and so are the accelerations, whatever the forces within the
// modes: E a = 0, E of the rank of all degrees of freedom. Rounding of the forces leaves 1e-14 of gravity of them, and such
// a structure would creep: the rows of its many contacts then contradict one another by as much as it has moved, which adds
// to what is left, and so on, as exp(t). So both are set to zero: the velocities at events, the accelerations while the
// velocities are exactly zero. Loads that grow release it at the event at which a contact leaves its cone.
#include "rigid.h"

#include "base/union_find.h"
#include "multibody/multibody.h"

#include <math.h>

static int lowest_tree(const rh_data *d, int body)
{
  int tree = d->model->body[body].tree;
  return tree == 0 ? 0 : rh_join_lowest(rh_rigid(d)->joined, tree);
}

// The lowest tree of the island of contact i
static int island_tree(const rh_data *d, int i)
{
  const rh_contact *c = &d->contact[rh_rigid(d)->slot[i]];
  int tree = lowest_tree(d, c->a);
  return tree != 0 ? tree : lowest_tree(d, c->b);
}

int rh_rigid_freedom(const rh_data *d, int first)
{
  const rh_model *m = d->model;
  int tree = island_tree(d, first);
  int n = 0;
  for (int k = 0; k < m->nv; k++) {
    n += d->hold[k] == RH_HOLD_NONE && lowest_tree(d, m->dof[k].body) == tree;
  }
  return d->dyn.rows ? RH_NONE : n;
}

static bool is_zero(rh_vec3 x)
{
  return x.x == 0 && x.y == 0 && x.z == 0;
}

// Neither inside nor apart by more than the time of an event explains, which the contact's forces would have to remove
static bool is_closed(const rh_contact *c)
{
  return fabs(c->depth) <= RH_TOL_GAP;
}

bool rh_rigid_still(const rh_data *d, int first, int end)
{
  const rh_model *m = d->model;
  int tree = island_tree(d, first);
  for (int i = first; i < end; i++) {
    const rh_contact *c = &d->contact[rh_rigid(d)->slot[i]];
    if (!is_closed(c) || c->slip[0] != 0 || c->slip[1] != 0 || c->rate != 0 || !is_zero(c->drift)) {
      return false;
    }
  }
  for (int k = 0; k < m->nv; k++) {
    if (d->v[k] != 0 && lowest_tree(d, m->dof[k].body) == tree) {
      return false;
    }
  }
  return true;
}

// Sets values of the degrees of freedom of an island to zero; true if any was not.
static bool clear_island(const rh_data *d, int first, double *x)
{
  int tree = island_tree(d, first);
  bool any = false;
  for (int k = 0; k < d->model->nv; k++) {
    if (lowest_tree(d, d->model->dof[k].body) == tree) {
      any = any || x[k] != 0;
      x[k] = 0;
    }
  }
  return any;
}

void rh_rigid_rest(rh_data *d)
{
  for (int first = 0, end; first < rh_rigid(d)->n; first = end) {
    end = rh_rigid_island(d, first);
    if (rh_rigid(d)->fixed[first] && rh_rigid_still(d, first, end)) {
      (void)clear_island(d, first, d->a);
    }
  }
}

// [m/s] no point of the body within the contact's distance of its origin is faster
static double speed_at(const rh_data *d, int body, rh_vec3 point)
{
  const rh_kin_body *k = &d->kin[body];
  return rh_norm(k->v.lin) + rh_norm(k->v.ang) * rh_norm(rh_sub(point, k->p));
}

// Slower than any slip, which is what sticking means: such velocities are what impulses and steps left by rounding.
static bool is_slow(const rh_data *d, int first, int end)
{
  for (int i = first; i < end; i++) {
    const rh_contact *c = &d->contact[rh_rigid(d)->slot[i]];
    if (!is_closed(c) ||
        fmax(speed_at(d, c->a, c->point), speed_at(d, c->b, c->point)) > RH_TOL_SLIP) {
      return false;
    }
  }
  return true;
}

bool rh_rigid_stop(rh_data *d)
{
  bool any = false;
  for (int first = 0, end; first < rh_rigid(d)->n; first = end) {
    end = rh_rigid_island(d, first);
    if (rh_rigid(d)->fixed[first] && is_slow(d, first, end)) {
      any = clear_island(d, first, d->v) || any;
    }
  }
  return any;
}
