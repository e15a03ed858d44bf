// Checks of contacts: bodies that exist and have shapes, laws whose parameters make sense, no pair said twice.
#include "model/check.h"

#include "contact/material.h"

#include <string.h>

// Index of a body of that name; the world is behind the last body; RH_NONE: unknown, or "all".
static int body_of(rh_check *c, const char *name)
{
  return strcmp(name, "world") == 0 ? c->names[RH_SECTION_BODIES].count
                                    : rh_check_find(c, RH_SECTION_BODIES, name);
}

// Which body it speaks for; RH_NONE: all of them, or none that there is
static int check_body(rh_check *c, int i, const rh_contact_def *def, bool all)
{
  if (all && strcmp(def->body.text, "all") == 0) { // everything
    return RH_NONE;
  }
  if (all && strcmp(def->body.text, "world") == 0) { // everything on the ground
    return body_of(c, "world");
  }
  return rh_check_reference(c, RH_SECTION_CONTACTS, i, "body", RH_SECTION_BODIES);
}

static void check_bodies(rh_check *c, int i, const rh_contact_def *def)
{
  bool all = strcmp(def->against.text, "all") == 0;
  bool ground = strcmp(def->against.text, "world") == 0;
  bool many = all && rh_check_find(c, RH_SECTION_BODIES, def->body.text) == RH_NONE;
  int body = check_body(c, i, def, all);
  int other = RH_NONE;
  if (many && def->restitution.n > 0 && def->mass == 0) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "restitution",
                "cannot be fitted for all bodies at once: say for which mass");
  }
  if (!all && !ground) {
    other = rh_check_reference(c, RH_SECTION_CONTACTS, i, "against", RH_SECTION_BODIES);
  } else if (ground) {
    other = body_of(c, "world");
  }
  if (body != RH_NONE && body == other) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "against", "must be another body");
  }
  if (body != RH_NONE && c->shapes.first[body] == RH_NONE) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "body", "has no shape to touch with");
  }
  if (other != RH_NONE && c->shapes.first[other] == RH_NONE) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "against", "has no shape to touch with");
  }
}

// What only compliant laws can have
static void check_rigid(rh_check *c, int i, const rh_contact_def *def)
{
  if (def->per == 1) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "per", "cannot be area: %s is rigid", def->law.text);
  }
  if (def->restitution.n == 1) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "restitution", "of %s is its parameter e",
                def->law.text);
  }
  if (def->strike.text[0] != 0) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "strike", "goes with a compliant law only: %s is rigid",
                def->law.text);
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
  if (rh_impact_law_find(def->law.text)) {
    check_rigid(c, i, def);
  } else if (friction && !friction->force) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "friction", "%s goes with a rigid law only",
                friction->row.name);
  }
  if (def->strike.text[0] != 0 && !rh_impact_law_find(def->strike.text)) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "strike", "is no impact law: see `routh list impacts`");
  }
  if (def->strike_e.n == 1 && def->strike_e.x[0] < 0 && !rh_haptic_stepped(c)) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "strike_e",
                "must lie in 0 .. 1; below 0, contacts that are let through in part, it is for the "
                "stepper haptic");
  }
  if (law && def->restitution.n == 1 && !law->fit) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "restitution",
                "cannot be asked of %s: it has no damping", law->row.name);
  }
  if (def->per != 0 && def->per != 1) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "per", "must be point or area");
  }
}

// Is it curved wherever it can be touched?
static bool is_round(const rh_shape *kind)
{
  return kind->support && kind->touches <= 2;
}

// Contact points that the shapes of a body can have at most
static int points_of(rh_check *c, int body, bool *round)
{
  int points = 0;
  for (int s = c->shapes.first[body]; s != RH_NONE; s = c->shapes.next[s]) {
    const rh_shape_def *def = rh_scene_item(c->scene, RH_SECTION_SHAPES, s);
    const rh_shape *kind = rh_shape_find(def->kind.text);
    points += kind ? kind->touches : 0;
    *round = *round || (kind && is_round(kind));
  }
  return points;
}

static void check_faces(rh_check *c, int i, const rh_contact_def *def)
{
  int body = body_of(c, def->body.text);
  bool round = false;
  int points = body == RH_NONE ? 1 : points_of(c, body, &round);
  if (def->per == 1 && round) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "per",
                "cannot be area: the body has a shape without flat faces");
  }
  if (def->restitution.n == 1 && def->mass == 0 && (def->per == 1 || points > 1)) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "restitution",
                "needs mass beside it: the mass that one contact point, or a square metre of face, "
                "carries");
  }
}

// A shape of a body that can touch with a flat face, an edge or a corner, RH_NONE if all are round
static int flat_shape(rh_check *c, int body)
{
  for (int s = c->shapes.first[body]; s != RH_NONE; s = c->shapes.next[s]) {
    const rh_shape_def *def = rh_scene_item(c->scene, RH_SECTION_SHAPES, s);
    const rh_shape *kind = rh_shape_find(def->kind.text);
    if (kind && !is_round(kind)) {
      return s;
    }
  }
  return RH_NONE;
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
  } else { // another contact may speak for these two
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
  if (!law || law->face || body == RH_NONE || !rh_normal_law_wants_radius(law, def->par)) {
    return;
  }
  int first = all ? 0 : body_of(c, def->against.text);
  int last = all ? world : first;
  for (; body <= last_body; body++) {
    int mine = flat_shape(c, body);
    for (int other = first; mine != RH_NONE && other != RH_NONE && other <= last; other++) {
      int theirs = other == body ? RH_NONE : flat_shape(c, other);
      if (theirs != RH_NONE) {
        say_flat(c, i, law, (const int[2]){mine, theirs}, all);
        return;
      }
    }
  }
}

static bool same_pair(const rh_contact_def *x, const rh_contact_def *y)
{
  bool straight =
      strcmp(x->body.text, y->body.text) == 0 && strcmp(x->against.text, y->against.text) == 0;
  bool crossed =
      strcmp(x->body.text, y->against.text) == 0 && strcmp(x->against.text, y->body.text) == 0;
  return straight || crossed;
}

void rh_check_contacts(rh_check *c)
{
  int n = rh_scene_count(c->scene, RH_SECTION_CONTACTS);
  for (int i = 0; i < n; i++) {
    const rh_contact_def *def = rh_scene_item(c->scene, RH_SECTION_CONTACTS, i);
    check_bodies(c, i, def);
    check_laws(c, i, def);
    check_faces(c, i, def);
    check_curved(c, i, def);
    for (int j = 0; j < i && n <= RH_CONTACTS_COMPARED; j++) {
      if (same_pair(def, rh_scene_item(c->scene, RH_SECTION_CONTACTS, j))) {
        rh_complain(c, RH_SECTION_CONTACTS, i, "against",
                    "and body have a contact already, at line %d",
                    rh_scene_origin(c->scene, RH_SECTION_CONTACTS, j)->whole.line);
        break;
      }
    }
  }
}
