// Checks of contacts: bodies that exist and have shapes, laws with sensible parameters, no pair
// given twice.
#include "check.h"

#include "kinds.h"

#include "laws/material.h"

#include <string.h>

// Index of a body of that name; the world follows the last body; RH_NONE: unknown, or "all".
static int body_of(rh_check *c, const char *name)
{
  return strcmp(name, "world") == 0 ? c->names[RH_SECTION_BODIES].count
                                    : rh_check_find(c, RH_SECTION_BODIES, name);
}

// The body it applies to; RH_NONE: all bodies, or none that exists
static int check_body(rh_check *c, int i, const rh_contact_def *def, bool all)
{
  if (all && strcmp(def->body.text, "all") == 0) { // everything
    return RH_NONE;
  }
  if (!all && strcmp(def->body.text, "all") == 0) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "body",
                "can be all only against all; expected body: %s, against: all", def->against.text);
    return RH_NONE;
  }
  if (all && strcmp(def->body.text, "world") == 0) { // everything on the ground
    return body_of(c, "world");
  }
  return rh_check_reference(c, RH_SECTION_CONTACTS, i, "body", RH_SECTION_BODIES);
}

// A shape that a contact names must be one of the body that it names, or of the world.
static void check_shape(rh_check *c, int i, const char *key, const rh_name *name,
                        const rh_name *body)
{
  const rh_contact_def *def = rh_scene_item(c->scene, RH_SECTION_CONTACTS, i);
  if (name->text[0] == 0) {
    return;
  }
  if (strcmp(def->against.text, "all") == 0) {
    rh_complain(c, RH_SECTION_CONTACTS, i, key, "needs two named bodies, not all");
    return;
  }
  int shape = rh_check_reference(c, RH_SECTION_CONTACTS, i, key, RH_SECTION_SHAPES);
  if (shape != RH_NONE) {
    const rh_shape_def *s = rh_scene_item(c->scene, RH_SECTION_SHAPES, shape);
    if (strcmp(s->body.text, body->text) != 0) {
      rh_complain(c, RH_SECTION_CONTACTS, i, key, "'%s' is a shape of %s, not of %s", name->text,
                  s->body.text, body->text);
    }
  }
}

static void check_bodies(rh_check *c, int i, const rh_contact_def *def)
{
  bool all = strcmp(def->against.text, "all") == 0;
  bool ground = strcmp(def->against.text, "world") == 0;
  int body = check_body(c, i, def, all);
  int other = RH_NONE;
  if (!all && !ground) {
    other = rh_check_reference(c, RH_SECTION_CONTACTS, i, "against", RH_SECTION_BODIES);
  } else if (ground) {
    other = body_of(c, "world");
  }
  if (body != RH_NONE && body == other) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "against", "must be another body");
  }
  if (body != RH_NONE && c->shapes.first[body] == RH_NONE) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "body", "has no shape for the contact");
  }
  if (other != RH_NONE && c->shapes.first[other] == RH_NONE) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "against", "has no shape for the contact");
  }
}

static void check_table(rh_check *c, int i, const char *key, const rh_list *table, double most)
{
  const double *x = table->x;
  bool good = table->n % 2 == 0;
  for (int k = 0; k + 1 < table->n && good; k += 2) {
    good = x[k + 1] <= most && (k == 0 || x[k] > x[k - 2]);
  }
  if (!good) {
    rh_complain(c, RH_SECTION_CONTACTS, i, key,
                "must be pairs of a speed and a coefficient of at most %g, speeds rising", most);
  }
}

// Properties that only rigid laws have
static void check_compliant(rh_check *c, int i, const rh_contact_def *def)
{
  const char *key = def->e_speed > 0             ? "e_speed"
                    : def->e_table.n > 0         ? "e_table"
                    : def->mu_impact.n > 0       ? "mu_impact"
                    : def->mu_impact_speed > 0   ? "mu_impact_speed"
                    : def->mu_impact_table.n > 0 ? "mu_impact_table"
                                                 : NULL;
  if (key) {
    rh_complain(c, RH_SECTION_CONTACTS, i, key, "needs a rigid law: %s is compliant",
                def->law.text);
  }
}

// Properties that only compliant laws have
static void check_rigid(rh_check *c, int i, const rh_contact_def *def)
{
  if (def->stiffness_per == 1) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "stiffness_per", "cannot be area: %s is rigid",
                def->law.text);
  }
  if (def->impact_law.text[0] != 0) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "impact_law", "needs a compliant law: %s is rigid",
                def->law.text);
  }
}

static double par_of(const rh_row *row, const double *par, const char *name)
{
  int at = rh_row_find(row, name);
  return at == RH_NONE ? 0 : par[rh_row_offset(row, at)];
}

// A friction law with a shear modulus takes it from the materials of the normal law, or its own.
static void check_shear(rh_check *c, int i, const rh_contact_def *def)
{
  const rh_normal_law *law = rh_normal_law_find(def->law.text);
  const rh_friction_law *friction = rh_friction_law_find(def->friction.text);
  bool shear = friction && rh_row_find(&friction->row, "Gstar") != RH_NONE;
  const char *name = shear ? "Gstar" : "Estar";
  if (law && friction && rh_row_find(&friction->row, name) != RH_NONE &&
      par_of(&friction->row, def->friction_par, name) == 0 &&
      par_of(&law->row, def->par, "E") == 0) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "friction", "%s needs %s, or E and nu of the normal law",
                friction->row.name, name);
  }
}

static void check_laws(rh_check *c, int i, const rh_contact_def *def)
{
  const rh_normal_law *law = rh_normal_law_find(def->law.text);
  const rh_friction_law *friction = rh_friction_law_find(def->friction.text);
  const char *why = law && law->check ? law->check(def->par) : NULL;
  if (why) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "law", "%s", why);
  }
  why = friction && friction->check ? friction->check(def->friction_par) : NULL;
  if (why) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "friction", "%s", why);
  }
  check_shear(c, i, def);
  if (rh_impact_law_find(def->law.text)) {
    check_rigid(c, i, def);
    check_table(c, i, "e_table", &def->e_table, 1);
    check_table(c, i, "mu_impact_table", &def->mu_impact_table, 1e6);
  } else if (friction && !friction->force && !rh_check_sticks(c)) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "friction",
                "%s goes with a rigid law, or with an engine that finds stick itself (stepping)",
                friction->row.name);
  }
  if (law) {
    check_compliant(c, i, def);
  }
  if (def->impact_law.text[0] != 0 && !rh_impact_law_find(def->impact_law.text)) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "impact_law",
                "is no impact law: see `routh list impacts`");
  }
  if (def->stiffness_per != 0 && def->stiffness_per != 1) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "stiffness_per", "must be point or area");
  }
}

// Is it curved at every point of contact?
static bool is_round(const rh_shape *kind)
{
  return kind->support && kind->touches <= 2;
}

// Does the contact apply to shape s, or does it name another?
static bool speaks_for(rh_check *c, const rh_name *named, int s)
{
  return named->text[0] == 0 || rh_check_find(c, RH_SECTION_SHAPES, named->text) == s;
}

// Maximum number of contact points of the shapes of a body, or of the named shape
static int points_of(rh_check *c, int body, const rh_name *named, bool *round)
{
  int points = 0;
  for (int s = c->shapes.first[body]; s != RH_NONE; s = c->shapes.next[s]) {
    const rh_shape_def *def = rh_scene_item(c->scene, RH_SECTION_SHAPES, s);
    const rh_shape *kind = rh_shape_find(def->kind.text);
    if (!speaks_for(c, named, s)) {
      continue;
    }
    points += kind ? kind->touches : 0;
    *round = *round || (kind && is_round(kind));
  }
  return points;
}

// Can the law be fitted to it? Only the first error is reported: all others would follow from it.
static void check_restitution(rh_check *c, int i, const rh_contact_def *def, int points)
{
  const rh_normal_law *law = rh_normal_law_find(def->law.text);
  bool all = strcmp(def->against.text, "all") == 0;
  bool many = all && rh_check_find(c, RH_SECTION_BODIES, def->body.text) == RH_NONE;
  if (def->restitution.n == 0) {
    return;
  }
  if (rh_impact_law_find(def->law.text)) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "restitution", "of %s is its parameter e",
                def->law.text);
  } else if (law && !law->fit) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "restitution", "cannot be set for %s: it has no damping",
                law->row.name);
  } else if (many && def->mass == 0) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "restitution",
                "cannot be fitted for all bodies at once: state the mass");
  } else if (def->mass == 0 && (def->stiffness_per == 1 || points > 1)) {
    rh_complain(
        c, RH_SECTION_CONTACTS, i, "restitution",
        "needs mass too: the mass that one contact point, or a square metre of face, carries");
  }
}

static void check_faces(rh_check *c, int i, const rh_contact_def *def)
{
  int body = body_of(c, def->body.text);
  bool round = false;
  int points = body == RH_NONE ? 1 : points_of(c, body, &def->shape, &round);
  if (def->stiffness_per == 1 && round) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "stiffness_per",
                "cannot be area: the body has a shape without flat faces");
  }
  check_restitution(c, i, def, points);
}

typedef enum surface { // of a shape where it touches
  SURFACE_CURVED,      // everywhere
  SURFACE_ROUNDED,     // at its edges and corners
  SURFACE_GROUND,      // without edges and corners that touch
  SURFACE_SHARP
} surface;

static surface surface_of(const rh_shape *kind, const double *par)
{
  int samples = rh_row_find(&kind->row, "samples");
  double number = samples != RH_NONE ? par[rh_row_offset(&kind->row, samples)] : 4;
  bool mesh = kind->mesh == RH_MESH_HULL;
  bool inner = mesh ? number > 3 : number != 4 && number != 8; // points within faces
  if (is_round(kind)) {
    return SURFACE_CURVED;
  }
  if (!rh_shape_bounded(kind)) {
    return SURFACE_GROUND;
  }
  return rh_shape_rounding(kind, par) > 0 && !inner ? SURFACE_ROUNDED : SURFACE_SHARP;
}

// Is a side curved at every point where the two can touch?
static bool meet_curved(surface a, surface b)
{
  bool rounded = a == SURFACE_ROUNDED || b == SURFACE_ROUNDED;
  return a == SURFACE_CURVED || b == SURFACE_CURVED ||
         (rounded && a != SURFACE_SHARP && b != SURFACE_SHARP);
}

// The next shape of a body, or the named one, from s on; RH_NONE: there is no other
static int next_shape(rh_check *c, const rh_name *named, int s, surface *found)
{
  for (; s != RH_NONE; s = c->shapes.next[s]) {
    const rh_shape_def *def = rh_scene_item(c->scene, RH_SECTION_SHAPES, s);
    const rh_shape *kind = rh_shape_find(def->kind.text);
    if (kind && speaks_for(c, named, s)) {
      *found = surface_of(kind, def->par);
      return s;
    }
  }
  return RH_NONE;
}

// Two shapes of the bodies, or the named ones, that can touch where neither is curved
static bool find_flat_pair(rh_check *c, const rh_contact_def *def, int body, int other,
                           int shape[2])
{
  surface of[2];
  int mine = next_shape(c, &def->shape, c->shapes.first[body], &of[0]);
  for (; mine != RH_NONE; mine = next_shape(c, &def->shape, c->shapes.next[mine], &of[0])) {
    const rh_name *named = &def->against_shape;
    int theirs = next_shape(c, named, c->shapes.first[other], &of[1]);
    for (; theirs != RH_NONE; theirs = next_shape(c, named, c->shapes.next[theirs], &of[1])) {
      if (!meet_curved(of[0], of[1])) {
        shape[0] = mine;
        shape[1] = theirs;
        return true;
      }
    }
  }
  return false;
}

static void say_flat(rh_check *c, int i, const rh_normal_law *law, const int shape[2], bool all)
{
  char label[2][RH_NAME_MAX];
  rh_scene_label(c->scene, RH_SECTION_SHAPES, shape[0], label[0]);
  rh_scene_label(c->scene, RH_SECTION_SHAPES, shape[1], label[1]);
  if (!all) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "law",
                "has no stiffness by E where flat meets flat: shapes %s and %s", label[0],
                label[1]);
  } else { // another contact may apply to these two
    rh_diag_add(c->diag, RH_WARNING, rh_check_place(c, RH_SECTION_CONTACTS, i, "law"),
                "%s has no stiffness by E where flat meets flat, as shapes %s and %s can",
                law->row.name, label[0], label[1]);
  }
}

// Material constants make a stiffness only with a radius of curvature, or of a whole face.
static void check_curved(rh_check *c, int i, const rh_contact_def *def)
{
  const rh_normal_law *law = rh_normal_law_find(def->law.text);
  int world = c->names[RH_SECTION_BODIES].count;
  bool all = strcmp(def->against.text, "all") == 0;
  bool any = all && strcmp(def->body.text, "all") == 0;
  int body = any ? 0 : body_of(c, def->body.text);
  int last_body = any ? world : body;
  const rh_friction_law *friction = rh_friction_law_find(def->friction.text);
  bool curved = friction && friction->curved;
  if (!law || law->face || body == RH_NONE ||
      !(curved || rh_normal_law_wants_radius(law, def->par))) {
    return;
  }
  int first = all ? 0 : body_of(c, def->against.text);
  int last = all ? world : first;
  for (; body <= last_body; body++) {
    for (int other = first; other != RH_NONE && other <= last; other++) {
      int shape[2];
      if (other != body && find_flat_pair(c, def, body, other, shape)) {
        say_flat(c, i, law, shape, all);
        return;
      }
    }
  }
}

typedef enum clash { CLASH_NONE, CLASH_SAME, CLASH_OPEN } clash;

// Do two contacts apply to the same shapes of the same bodies; or is it undecided which one does,
// because one names a shape of the one body and the other a shape of the other?
static clash compare_pairs(const rh_contact_def *x, const rh_contact_def *y)
{
  bool straight =
      strcmp(x->body.text, y->body.text) == 0 && strcmp(x->against.text, y->against.text) == 0;
  bool crossed =
      strcmp(x->body.text, y->against.text) == 0 && strcmp(x->against.text, y->body.text) == 0;
  const char *mine = straight ? y->shape.text : y->against_shape.text;
  const char *theirs = straight ? y->against_shape.text : y->shape.text;
  if (!straight && !crossed) {
    return CLASH_NONE;
  }
  if (strcmp(x->shape.text, mine) == 0 && strcmp(x->against_shape.text, theirs) == 0) {
    return CLASH_SAME;
  }
  bool one = x->shape.text[0] && !x->against_shape.text[0] && !mine[0] && theirs[0];
  bool two = !x->shape.text[0] && x->against_shape.text[0] && mine[0] && !theirs[0];
  return one || two ? CLASH_OPEN : CLASH_NONE;
}

// No pair has two contacts.
static void check_pairs(rh_check *c, int i, const rh_contact_def *def)
{
  for (int j = 0; j < i; j++) {
    clash found = compare_pairs(def, rh_scene_item(c->scene, RH_SECTION_CONTACTS, j));
    int line = rh_scene_origin(c->scene, RH_SECTION_CONTACTS, j)->whole.line;
    if (found == CLASH_SAME) {
      rh_complain(c, RH_SECTION_CONTACTS, i, "against",
                  "and body have a contact already, at line %d", line);
      return;
    }
    if (found == CLASH_OPEN) {
      rh_complain(c, RH_SECTION_CONTACTS, i, def->shape.text[0] ? "shape" : "against_shape",
                  "leaves open whether this contact or that at line %d applies: name the shapes of "
                  "both bodies in one of them",
                  line);
      return;
    }
  }
}

void rh_check_contacts(rh_check *c)
{
  int n = rh_scene_count(c->scene, RH_SECTION_CONTACTS);
  for (int i = 0; i < n; i++) {
    const rh_contact_def *def = rh_scene_item(c->scene, RH_SECTION_CONTACTS, i);
    check_bodies(c, i, def);
    check_shape(c, i, "shape", &def->shape, &def->body);
    check_shape(c, i, "against_shape", &def->against_shape, &def->against);
    check_laws(c, i, def);
    check_faces(c, i, def);
    check_curved(c, i, def);
    if (n <= RH_CONTACTS_COMPARED) {
      check_pairs(c, i, def);
    }
  }
}
