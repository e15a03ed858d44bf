// The contact that applies to two bodies, or two shapes of them. A contact names a body (or the
// world, or all) and another, the world, or all; a contact of two bodies may name a shape of each.
// A contact that names more shapes precedes one that names fewer; one that names both bodies
// precedes one with "all"; among those with "all" the first of the scene applies, without
// parent-child pairs, which overlap at their joint. Pairs are never listed: near ones are found in
// every step.
#include "contact_rules.h"
#include "layout.h"

#include "kinds.h"

#include "geometry/geometry.h"
#include "halfspace/tractions.h"
#include "impact/impact.h"
#include "laws/spheres/mindlin.h"

#include <math.h>
#include <string.h>

// ---- Looking up

static int compare_rule_bodies(const rh_model_rule *x, int a, int b)
{
  return x->a != a ? (x->a < a ? -1 : 1) : x->b != b ? (x->b < b ? -1 : 1) : 0;
}

static int shapes_named(const rh_model_rule *x)
{
  return (x->shape_a != RH_NONE) + (x->shape_b != RH_NONE);
}

static bool in_order(const rh_model_rule *x, const rh_model_rule *y)
{
  int by_bodies = compare_rule_bodies(x, y->a, y->b);
  return by_bodies < 0 || (by_bodies == 0 && shapes_named(x) >= shapes_named(y));
}

static bool covers_shape(int named_shape, int shape)
{
  return named_shape == RH_NONE || named_shape == shape;
}

// The contact that names both bodies and applies to these shapes of them, the first of several
static int find_pair_rule(const rh_model_rule *rule, int n, const rh_rule_bodies *who)
{
  bool straight = who->x < who->y;
  int a = straight ? who->x : who->y;
  int b = straight ? who->y : who->x;
  int shape_a = straight ? who->shape_x : who->shape_y;
  int shape_b = straight ? who->shape_y : who->shape_x;
  int lo = 0;
  int hi = n;
  while (lo < hi) {
    int middle = lo + (hi - lo) / 2;
    if (compare_rule_bodies(&rule[middle], a, b) < 0) {
      lo = middle + 1;
    } else {
      hi = middle;
    }
  }
  for (; lo < n && compare_rule_bodies(&rule[lo], a, b) == 0; lo++) {
    if (covers_shape(rule[lo].shape_a, shape_a) && covers_shape(rule[lo].shape_b, shape_b)) {
      return rule[lo].contact;
    }
  }
  return RH_NONE;
}

static int find_contact_rule(const rh_rules *r, const rh_rule_bodies *who)
{
  int x = who->x;
  int y = who->y;
  int contact = x == y ? RH_NONE : find_pair_rule(r->rule, r->nrule, who);
  bool neighbours = x != 0 && y != 0 && (who->parent_x == y || who->parent_y == x);
  if (contact != RH_NONE || x == y || neighbours) {
    return contact;
  }
  int all_x = r->all[x];
  int all_y = r->all[y];
  if (all_x == RH_NONE || all_y == RH_NONE) {
    return all_x == RH_NONE ? all_y : all_x;
  }
  return all_x < all_y ? all_x : all_y;
}

int rh_model_contact_of(const rh_model *m, int x, int y)
{
  rh_rules r = {
      .rule = (rh_model_rule *)m->rules.of, .nrule = m->rules.n, .all = (int *)m->rules.all};
  return find_contact_rule(
      &r, &(rh_rule_bodies){x, y, m->body[x].parent, m->body[y].parent, RH_NONE, RH_NONE});
}

int rh_model_contact_of_shapes(const rh_model *m, int shape, int other)
{
  if (!rh_shape_bounded(m->shape[shape].kind) && !rh_shape_bounded(m->shape[other].kind)) {
    return RH_NONE; // two unbounded shapes never separate
  }
  rh_rules r = {
      .rule = (rh_model_rule *)m->rules.of, .nrule = m->rules.n, .all = (int *)m->rules.all};
  int x = m->shape[shape].body;
  int y = m->shape[other].body;
  return find_contact_rule(
      &r, &(rh_rule_bodies){x, y, m->body[x].parent, m->body[y].parent, shape, other});
}

rh_shape_pair rh_shape_pair_of(const rh_model *m, int a, int b)
{
  bool swap = !rh_shape_bounded(m->shape[a].kind);
  return (rh_shape_pair){
      .a = swap ? b : a, .b = swap ? a : b, .rule = rh_model_contact_of_shapes(m, a, b)};
}

bool rh_shapes_meet(const void *model, rh_shape_pair *pair)
{
  *pair = rh_shape_pair_of(model, pair->a, pair->b);
  return pair->rule != RH_NONE;
}

// ---- Building

// Bottom-up merge: stable, no recursion. `spare` has capacity n.
static void sort_rules(rh_model_rule *rule, rh_model_rule *spare, int n)
{
  for (int width = 1; width < n; width *= 2) {
    for (int left = 0; left < n; left += 2 * width) {
      int middle = left + width < n ? left + width : n;
      int right = left + 2 * width < n ? left + 2 * width : n;
      int i = left;
      int j = middle;
      for (int k = left; k < right; k++) {
        bool take = j == right || (i < middle && in_order(&rule[i], &rule[j]));
        spare[k] = take ? rule[i++] : rule[j++];
      }
    }
    memcpy(rule, spare, (size_t)n * sizeof *rule);
  }
}

static int place_of(rh_check *c, const int *place, const char *body)
{
  int entry = rh_check_find(c, RH_SECTION_BODIES, body);
  return entry == RH_NONE ? 0 : place[entry];
}

static int shape_of(rh_check *c, const rh_name *name)
{
  return name->text[0] ? rh_check_find(c, RH_SECTION_SHAPES, name->text) : RH_NONE;
}

static bool is_all(const char *body)
{
  return strcmp(body, "all") == 0;
}

rh_status rh_rules_create(rh_check *c, const int *place, rh_rules *r)
{
  int n = rh_scene_count(c->scene, RH_SECTION_CONTACTS);
  size_t bodies = (size_t)c->names[RH_SECTION_BODIES].count + 1;
  r->nrule = 0;
  r->rule = rh_alloc(2 * (size_t)n * sizeof *r->rule + bodies * sizeof *r->all);
  if (!r->rule) {
    return RH_OUT_OF_MEMORY;
  }
  r->all = (int *)(r->rule + 2 * n);
  for (size_t i = 0; i < bodies; i++) {
    r->all[i] = RH_NONE;
  }
  for (int i = 0; i < n; i++) {
    const rh_contact_def *def = rh_scene_item(c->scene, RH_SECTION_CONTACTS, i);
    int x = place_of(c, place, def->body.text);
    if (is_all(def->against.text)) {
      size_t first = is_all(def->body.text) ? 0 : (size_t)x;
      size_t last = is_all(def->body.text) ? bodies - 1 : (size_t)x;
      for (size_t k = first; k <= last; k++) {
        r->all[k] = r->all[k] == RH_NONE ? i : r->all[k];
      }
    } else {
      int y = place_of(c, place, def->against.text);
      int mine = shape_of(c, &def->shape);
      int theirs = shape_of(c, &def->against_shape);
      bool straight = x < y;
      r->rule[r->nrule++] = (rh_model_rule){.a = straight ? x : y,
                                            .b = straight ? y : x,
                                            .shape_a = straight ? mine : theirs,
                                            .shape_b = straight ? theirs : mine,
                                            .contact = i};
    }
  }
  sort_rules(r->rule, r->rule + n, r->nrule);
  return RH_OK;
}

void rh_rules_destroy(rh_rules *r)
{
  rh_free(r->rule);
  r->rule = NULL;
}

// ---- Maximum number of points

enum { VALLEY = 4 }; // as in geometry/heightfield_pair.c

static const rh_shape *shape_kind(const rh_check *c, int shape)
{
  const rh_shape_def *def = rh_scene_item(c->scene, RH_SECTION_SHAPES, shape);
  return rh_shape_find(def->kind.text);
}

// Samples of the faces of a bounded shape on ground; 0: it has none.
static int samples_of(const rh_check *c, int shape)
{
  const rh_shape_def *def = rh_scene_item(c->scene, RH_SECTION_SHAPES, shape);
  const rh_shape *kind = rh_shape_find(def->kind.text);
  int samples = rh_shape_bounded(kind) ? rh_row_find(&kind->row, "samples") : RH_NONE;
  return samples != RH_NONE ? (int)def->par[rh_row_offset(&kind->row, samples)] : 0;
}

int rh_rules_samples(const rh_check *c, int maximum)
{
  int sum = 0;
  for (int i = 0; i < rh_scene_count(c->scene, RH_SECTION_SHAPES) && sum < maximum; i++) {
    int samples = samples_of(c, i);
    sum += samples > RH_TOUCH_KEPT ? samples : 0;
  }
  return sum < maximum ? sum : maximum;
}

// Maximum points of two shapes; zero if both are unbounded: those never separate.
static int points_of(const rh_check *c, int i, int j)
{
  const rh_shape *a = shape_kind(c, i);
  const rh_shape *b = shape_kind(c, j);
  if (!rh_shape_bounded(a) && !rh_shape_bounded(b)) {
    return 0;
  }
  int points = a->touches < b->touches ? a->touches : b->touches;
  int samples = !rh_shape_bounded(b)   ? samples_of(c, i)
                : !rh_shape_bounded(a) ? samples_of(c, j)
                                       : 0;
  if (a->mesh == RH_MESH_FIELD || b->mesh == RH_MESH_FIELD) {
    // in a valley each point of one shape has several places of contact
    points = VALLEY * points < RH_TOUCH_KEPT ? VALLEY * points : RH_TOUCH_KEPT;
  }
  return points > samples ? points : samples;
}

// Adds the points of two bodies (places), or of their shapes that a contact names (NULL: it names
// none).
static void add_bodies(const rh_rule_count *k, int x, int y, const rh_contact_def *def,
                       rh_rule_points *sum)
{
  int mine = def ? shape_of(k->check, &def->shape) : RH_NONE;
  int theirs = def ? shape_of(k->check, &def->against_shape) : RH_NONE;
  const rh_shape_map *shapes = &k->check->shapes;
  int world = k->check->names[RH_SECTION_BODIES].count;
  for (int a = shapes->first[x ? k->order[x] : world]; a != RH_NONE; a = shapes->next[a]) {
    for (int b = shapes->first[y ? k->order[y] : world]; b != RH_NONE; b = shapes->next[b]) {
      if (!covers_shape(mine, a) || !covers_shape(theirs, b)) {
        continue;
      }
      const rh_shape *ka = shape_kind(k->check, a);
      const rh_shape *kb = shape_kind(k->check, b);
      sum->points += points_of(k->check, a, b);
      sum->thin = sum->thin || (rh_shape_bounded(ka) && rh_shape_bounded(kb));
    }
  }
}

// Adds the points of a body and of those after `first` that the contact applies to.
static void add_others(const rh_rule_count *k, int contact, int x, int first, int enough,
                       rh_rule_points *sum)
{
  int nbody = k->check->names[RH_SECTION_BODIES].count;
  for (int y = first; y <= nbody && sum->points < enough; y++) {
    rh_rule_bodies who = {x, y, k->parent[x], k->parent[y], RH_NONE, RH_NONE};
    if (find_contact_rule(k->rules, &who) == contact) {
      add_bodies(k, x, y, NULL, sum);
    }
  }
}

rh_rule_points rh_rules_points(const rh_rule_count *k, int contact, int enough)
{
  const rh_contact_def *def = rh_scene_item(k->check->scene, RH_SECTION_CONTACTS, contact);
  int x = place_of(k->check, k->place, def->body.text);
  rh_rule_points sum = {0};
  if (!is_all(def->against.text)) {
    add_bodies(k, x, place_of(k->check, k->place, def->against.text), def, &sum);
    return sum;
  }
  if (!is_all(def->body.text)) {
    add_others(k, contact, x, 0, enough, &sum);
  } else {
    int nbody = k->check->names[RH_SECTION_BODIES].count;
    for (x = 0; x <= nbody && sum.points < enough; x++) {
      add_others(k, contact, x, x + 1, enough, &sum);
    }
  }
  sum.thin = sum.thin || sum.points >= enough; // shapes not examined may be thin
  return sum;
}

// ---- Laws

bool rh_rules_turn(const rh_scene *scene)
{
  for (int i = 0; i < rh_scene_count(scene, RH_SECTION_CONTACTS); i++) {
    const rh_contact_def *def = rh_scene_item(scene, RH_SECTION_CONTACTS, i);
    if (rh_impact_law_find(def->law.text) && (def->mu_roll > 0 || def->mu_pivot > 0)) {
      return true;
    }
  }
  return false;
}

int rh_rules_cells(const rh_scene *scene)
{
  int most = 0;
  for (int i = 0; i < rh_scene_count(scene, RH_SECTION_CONTACTS); i++) {
    const rh_contact_def *def = rh_scene_item(scene, RH_SECTION_CONTACTS, i);
    const rh_friction_law *law = rh_friction_law_find(def->friction.text);
    most = law && law->patch && law->ncell > most ? law->ncell : most;
  }
  return most;
}

// Effective radius 1 / (1/ra + 1/rb) of the shapes that a contact names, or else of the first
// shapes of two bodies, where they are round; without the other ("all"), the radius of the one.
static double radius_of(rh_check *c, const rh_contact_def *contact, int body, int other)
{
  const int pair[2] = {body, other};
  const rh_name *const name[2] = {&contact->shape, &contact->against_shape};
  double curvature = 0;
  for (int i = 0; i < 2; i++) {
    int first = pair[i] != RH_NONE ? c->shapes.first[pair[i]] : RH_NONE;
    int shape = name[i]->text[0] ? shape_of(c, name[i]) : first;
    if (shape != RH_NONE) {
      const rh_shape_def *def = rh_scene_item(c->scene, RH_SECTION_SHAPES, shape);
      const rh_shape *kind = rh_shape_find(def->kind.text);
      double round = rh_shape_rounding(kind, def->par);
      curvature += round > 0 ? 1 / round : 0;
    }
  }
  return curvature > 0 ? 1 / curvature : HUGE_VAL;
}

// The friction cone of rigid bodies, from any friction law of the contact: mu_s and mu_k, or mu for
// both.
static void friction_cone(const rh_friction_law *law, const double *par, double *mu_s, double *mu_k)
{
  int at_rest = rh_row_find(&law->row, "mu_s");
  int moving = rh_row_find(&law->row, "mu_k");
  int both = rh_row_find(&law->row, "mu");
  at_rest = at_rest == RH_NONE ? both : at_rest;
  moving = moving == RH_NONE ? both : moving;
  *mu_s = at_rest == RH_NONE ? 0 : par[rh_row_offset(&law->row, at_rest)];
  *mu_k = moving == RH_NONE ? 0 : par[rh_row_offset(&law->row, moving)];
}

// The number `name` of a friction law's parameters; NULL: it has none of that name
static double *friction_number(rh_model_contact *c, const char *name)
{
  int at = rh_row_find(&c->friction->row, name);
  return at == RH_NONE ? NULL : &c->friction_par[rh_row_offset(&c->friction->row, at)];
}

// Elastic constants of a friction law (`Gstar`; `Estar`, `shear`, `beta`), where the first is zero:
// those of the materials of the normal law.
static void shear_of_materials(rh_model_contact *c)
{
  static const char *const name[4] = {"E", "nu", "E2", "nu2"};
  double x[4];
  double *shear = friction_number(c, "Gstar");
  double *normal = friction_number(c, "Estar");
  bool known = (shear || normal) && c->law;
  for (int i = 0; i < 4 && known; i++) {
    int at = rh_row_find(&c->law->row, name[i]);
    known = at != RH_NONE;
    x[i] = known ? c->par[rh_row_offset(&c->law->row, at)] : 0;
  }
  if (known && shear && *shear == 0 && x[0] > 0) {
    *shear = rh_effective_shear(x[0], x[1], x[2], x[3]);
  }
  if (known && normal && *normal == 0 && x[0] > 0) {
    rh_elastic_pair pair =
        rh_elastic_pair_of((double[]){x[0], x[2]}, (double[]){x[1], isinf(x[2]) ? 0 : x[3]});
    *normal = pair.Estar;
    *friction_number(c, "shear") = pair.shear;
    *friction_number(c, "beta") = pair.beta;
  }
}

// Restitution of a compliant contact: its own, or that of all collisions of the engine haptic
static double impact_e(const rh_check *c, const rh_contact_def *def)
{
  double usual = 0;
  if (rh_check_ends_early(c)) {
    usual = ((const rh_haptic_def *)rh_scene_item(c->scene, RH_SECTION_HAPTIC, 0))->e;
  }
  return def->impact_e.n == 1 ? def->impact_e.x[0] : usual;
}

// Ratio of stiffnesses of an impact law with a tangential spring: its own; of the impacts of a
// compliant contact, which have no parameters, the usual one
static double impact_eta2(const rh_impact_law *law, const rh_contact_def *def, bool rigid)
{
  int eta2 = law != NULL && law->tangential_spring ? rh_row_find(&law->row, "eta2") : RH_NONE;
  if (eta2 == RH_NONE) {
    return 0;
  }
  return rigid ? def->par[rh_row_offset(&law->row, eta2)] : law->row.param[eta2].def;
}

// Refuses a formulation of impacts that does not follow the path of a contact's law.
static bool paths_followed(rh_check *c, const rh_model *m, const rh_model_contact *laws,
                           int contact)
{
  const rh_formulation *form = rh_formulation_of(&m->run);
  int count = 0;
  int other = 0;
  char label[RH_NAME_MAX];
  bool ratio = laws->impact != NULL && laws->impact->impulse_ratio;
  if ((laws->eta2 == 0 && !ratio) || form->springs || (m->nslot < 2 && !form->alone)) {
    return true;
  }
  const rh_formulation *const *table = rh_formulation_table(&count);
  while (other + 1 < count && !table[other]->springs) {
    other++;
  }
  rh_scene_label(c->scene, RH_SECTION_CONTACTS, contact, label);
  rh_complain(c, RH_SECTION_RUN, 0, "multi_impact",
              "cannot be %s: contact '%s' has %s (%s), which this formulation does "
              "not follow%s; use %s",
              form->row.name, label, ratio ? "a ratio of impulses" : "a tangential spring",
              laws->impact->row.name,
              form->alone ? "" : " where a scene can touch at several points",
              table[other]->row.name);
  return false;
}

// Refuses a formulation that knows no impact that ends in compression, for a contact with e < 0.
static bool early_followed(rh_check *c, const rh_model *m, const rh_model_contact *laws,
                           int contact)
{
  const rh_formulation *form = rh_formulation_of(&m->run);
  char label[RH_NAME_MAX];
  if (laws->impact == NULL || laws->e >= 0 || form->early || (m->nslot < 2 && !form->alone)) {
    return true;
  }
  rh_scene_label(c->scene, RH_SECTION_CONTACTS, contact, label);
  rh_complain(c, RH_SECTION_RUN, 0, "multi_impact",
              "cannot be %s: contact '%s' has e < 0, impacts that end in compression, which are "
              "defined by winkler-global, fixed-split and thesis",
              form->row.name, label);
  return false;
}

bool rh_rules_laws(rh_check *c, const rh_model *m, int contact, rh_model_contact *out)
{
  const rh_contact_def *def = rh_scene_item(c->scene, RH_SECTION_CONTACTS, contact);
  out->law = rh_normal_law_find(def->law.text);
  out->impact = rh_impact_law_find(out->law ? def->impact_law.text : def->law.text);
  out->impact_speed = def->impact_speed;
  out->e_speed = def->e_speed;
  out->e_table = def->e_table;
  out->pair_factor = def->pair_factor;
  out->mu_roll = def->mu_roll;
  out->mu_pivot = def->mu_pivot;
  out->turn_speed = def->turn_speed;
  out->friction = rh_friction_law_find(def->friction.text);
  out->per = def->stiffness_per;
  memcpy(out->par, def->par, sizeof out->par);
  memcpy(out->friction_par, def->friction_par, sizeof out->friction_par);
  const rh_haptic_pulse *pulse = rh_kinds_get()->haptic_pulse_find(def->pulse.text);
  out->pulse_row = pulse ? &pulse->row : NULL;
  memcpy(out->pulse_par, def->pulse_par, sizeof out->pulse_par);
  out->e = out->law ? impact_e(c, def) : def->par[0];
  out->eta2 = impact_eta2(out->impact, def, out->law == NULL);
  for (int i = 1; i < def->e_table.n; i += 2) {
    out->e = i == 1 ? def->e_table.x[i] : fmax(out->e, def->e_table.x[i]);
  }
  if (out->impact || rh_check_ends_early(c)) {
    friction_cone(out->friction, out->friction_par, &out->mu_s, &out->mu_k);
    int stribeck = out->friction->force ? RH_NONE : rh_row_find(&out->friction->row, "v_stribeck");
    bool given = def->mu_impact.n == 1;
    out->v_stribeck =
        stribeck == RH_NONE ? 0 : out->friction_par[rh_row_offset(&out->friction->row, stribeck)];
    out->mu_impact[0] = given ? def->mu_impact.x[0] : out->mu_s;
    out->mu_impact[1] = given ? def->mu_impact.x[0] : out->mu_k;
    out->mu_impact_speed = def->mu_impact_speed;
    out->mu_impact_power = def->mu_impact_power;
    out->mu_impact_table = def->mu_impact_table;
  }
  if (!paths_followed(c, m, out, contact) || !early_followed(c, m, out, contact)) {
    return false;
  }
  shear_of_materials(out);
  if (!out->law || def->restitution.n == 0) {
    return true;
  }
  int body = rh_check_find(c, RH_SECTION_BODIES, def->body.text);
  double mass = def->mass;
  if (mass == 0) { // given next to "all"
    mass = ((const rh_body_def *)rh_scene_item(c->scene, RH_SECTION_BODIES, body))->mass;
  }
  int other = rh_check_find(c, RH_SECTION_BODIES, def->against.text);
  if (def->mass == 0 && other != RH_NONE) { // two bodies meet with their reduced mass
    const rh_body_def *o = rh_scene_item(c->scene, RH_SECTION_BODIES, other);
    mass = mass * o->mass / (mass + o->mass);
  }
  int ground = strcmp(def->against.text, "world") == 0 ? c->names[RH_SECTION_BODIES].count : other;
  double radius = radius_of(c, def, body, ground);
  if (out->law->fit(out->par, mass, def->speed, radius, def->restitution.x[0])) {
    return true;
  }
  rh_complain(c, RH_SECTION_CONTACTS, contact, "restitution",
              "of %g at %g m/s cannot be reached by %s", def->restitution.x[0], def->speed,
              out->law->row.name);
  return false;
}

double rh_rules_hold(const rh_model_contact *contact, int n, double size)
{
  double longest = 0;
  for (int i = 0; i < n; i++) {
    const rh_normal_law *law = contact[i].law;
    bool holds = law && law->hold && size > 0;
    longest = holds ? fmax(longest, law->hold(contact[i].par, 10 * size)) : longest;
  }
  return isfinite(longest) ? longest : 0;
}
