// Which shapes can meet. A contact names a body and another, the world, or all: every shape of the one is paired with every
// shape of the other; with "all", bodies that hang on one another directly are left out, for they overlap at their joint.
#include "model/pairs.h"

#include "geom/geom.h"

#include <math.h>
#include <string.h>

typedef struct lister {
  rh_check *check;
  const int *carrier;
  rh_pair_list *list;
  int contact;
} lister;

enum { VALLEY = 4 }; // as in geom/field_pair.c

static const rh_shape *shape_kind(const lister *l, int shape)
{
  const rh_shape_def *def = rh_scene_item(l->check->scene, RH_SECTION_SHAPES, shape);
  return rh_shape_find(def->kind.text);
}

static void add_pair(lister *l, int a, int b)
{
  const rh_shape *ka = shape_kind(l, a);
  const rh_shape *kb = shape_kind(l, b);
  if (!rh_shape_bounded(ka) && !rh_shape_bounded(kb)) {
    return; // two unbounded shapes never come apart
  }
  bool swap = !rh_shape_bounded(ka);
  bool field = ka->mesh == RH_MESH_FIELD || kb->mesh == RH_MESH_FIELD;
  int slots = ka->touches < kb->touches ? ka->touches : kb->touches;
  if (field) { // in a valley every point of the one has several places of contact
    slots = VALLEY * slots < RH_TOUCH_MAX ? VALLEY * slots : RH_TOUCH_MAX;
  }
  if (l->list->pair) {
    rh_model_pair pair = {swap ? b : a, swap ? a : b, l->contact, l->list->nslot, slots};
    l->list->pair[l->list->npair] = pair;
  }
  l->list->npair++;
  l->list->nslot += slots;
}

static void add_bodies(lister *l, int x, int y)
{
  const rh_shape_map *shapes = &l->check->shapes;
  for (int a = shapes->first[x]; a != RH_NONE; a = shapes->next[a]) {
    for (int b = shapes->first[y]; b != RH_NONE; b = shapes->next[b]) {
      add_pair(l, a, b);
    }
  }
}

static bool hangs_on(const lister *l, int x, int y)
{
  const rh_joint_def *joint = rh_scene_item(l->check->scene, RH_SECTION_JOINTS, l->carrier[x]);
  return strcmp(joint->parent.text, l->check->names[RH_SECTION_BODIES].name[y]) == 0;
}

// Has another contact spoken for bodies x and y already: one that names both, or one of y with all?
static bool spoken_for(const lister *l, int x, int y)
{
  const rh_scene *scene = l->check->scene;
  const char *nx = l->check->names[RH_SECTION_BODIES].name[x];
  const char *ny = y < l->check->names[RH_SECTION_BODIES].count
                       ? l->check->names[RH_SECTION_BODIES].name[y]
                       : "world";
  for (int i = 0; i < rh_scene_count(scene, RH_SECTION_CONTACTS); i++) {
    const rh_contact_def *def = rh_scene_item(scene, RH_SECTION_CONTACTS, i);
    bool both = (strcmp(def->body.text, nx) == 0 && strcmp(def->against.text, ny) == 0) ||
                (strcmp(def->body.text, ny) == 0 && strcmp(def->against.text, nx) == 0);
    bool before =
        i < l->contact && strcmp(def->body.text, ny) == 0 && strcmp(def->against.text, "all") == 0;
    if (both || before) {
      return true;
    }
  }
  return false;
}

// Everything body x can meet, but what it hangs on and what another contact speaks for
static void add_all(lister *l, int x)
{
  int nbody = l->check->names[RH_SECTION_BODIES].count;
  for (int y = 0; y < nbody; y++) {
    if (y != x && !hangs_on(l, x, y) && !hangs_on(l, y, x) && !spoken_for(l, x, y)) {
      add_bodies(l, x, y);
    }
  }
  if (!spoken_for(l, x, nbody)) {
    add_bodies(l, x, nbody);
  }
}

void rh_pairs_list(rh_check *c, const int *carrier, rh_pair_list *list)
{
  list->npair = list->nslot = 0;
  for (int i = 0; i < rh_scene_count(c->scene, RH_SECTION_CONTACTS); i++) {
    const rh_contact_def *def = rh_scene_item(c->scene, RH_SECTION_CONTACTS, i);
    lister l = {c, carrier, list, i};
    int x = rh_check_find(c, RH_SECTION_BODIES, def->body.text);
    if (strcmp(def->against.text, "all") == 0) {
      add_all(&l, x);
    } else if (strcmp(def->against.text, "world") == 0) {
      add_bodies(&l, x, c->names[RH_SECTION_BODIES].count);
    } else {
      add_bodies(&l, x, rh_check_find(c, RH_SECTION_BODIES, def->against.text));
    }
  }
}

// Radius of the body's first shape, as far as it has one
static double radius_of(rh_check *c, int body)
{
  int shape = c->shapes.first[body];
  const rh_shape_def *def = rh_scene_item(c->scene, RH_SECTION_SHAPES, shape);
  const rh_shape *kind = rh_shape_find(def->kind.text);
  return kind->rounding ? kind->rounding(def->par) : HUGE_VAL;
}

bool rh_pairs_laws(rh_check *c, int contact, rh_model_contact *out)
{
  const rh_contact_def *def = rh_scene_item(c->scene, RH_SECTION_CONTACTS, contact);
  out->law = rh_normal_law_find(def->law.text);
  out->friction = rh_friction_law_find(def->friction.text);
  out->per = def->per;
  memcpy(out->par, def->par, sizeof out->par);
  memcpy(out->friction_par, def->friction_par, sizeof out->friction_par);
  if (def->restitution.n == 0) {
    return true;
  }
  int body = rh_check_find(c, RH_SECTION_BODIES, def->body.text);
  const rh_body_def *b = rh_scene_item(c->scene, RH_SECTION_BODIES, body);
  double mass = def->mass > 0 ? def->mass : b->mass;
  int other = rh_check_find(c, RH_SECTION_BODIES, def->against.text);
  if (def->mass == 0 && other != RH_NONE) { // two bodies meet with their reduced mass
    const rh_body_def *o = rh_scene_item(c->scene, RH_SECTION_BODIES, other);
    mass = b->mass * o->mass / (b->mass + o->mass);
  }
  if (out->law->fit(out->par, mass, def->speed, radius_of(c, body), def->restitution.x[0])) {
    return true;
  }
  rh_complain(c, RH_SECTION_CONTACTS, contact, "restitution",
              "of %g at %g m/s cannot be had from %s", def->restitution.x[0], def->speed,
              out->law->row.name);
  return false;
}

static bool stands_before(const rh_model_pair *x, const rh_model_pair *y)
{
  int x0 = x->a < x->b ? x->a : x->b;
  int y0 = y->a < y->b ? y->a : y->b;
  int x1 = x->a + x->b - x0;
  int y1 = y->a + y->b - y0;
  return x0 < y0 || (x0 == y0 && x1 <= y1);
}

// Bottom-up merge: stable, no recursion.
void rh_pairs_sort(const rh_model_pair *pair, int npair, int *order)
{
  int *from = order;
  int *to = order + npair;
  for (int i = 0; i < npair; i++) {
    from[i] = i;
  }
  for (int width = 1; width < npair; width *= 2) {
    for (int left = 0; left < npair; left += 2 * width) {
      int middle = left + width < npair ? left + width : npair;
      int right = left + 2 * width < npair ? left + 2 * width : npair;
      int i = left;
      int j = middle;
      for (int k = left; k < right; k++) {
        bool take = j == right || (i < middle && stands_before(&pair[from[i]], &pair[from[j]]));
        to[k] = take ? from[i++] : from[j++];
      }
    }
    int *swap = from;
    from = to;
    to = swap;
  }
  if (from != order) {
    memcpy(order, from, (size_t)npair * sizeof *order);
  }
}
