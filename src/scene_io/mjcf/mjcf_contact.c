// mjcf_contact.c: which geoms touch, and how: masks, excluded bodies, pairs. MuJoCo's contact pulls a
// constraint towards a_ref = -b v - k r with b = 2 / (dmax T), k = 1 / (dmax T Z)^2 for solref = T Z (or
// k = -solref0 / dmax^2, b = -solref1 / dmax), and lets (1 - d) of the load's acceleration pass, d the
// impedance at the surface (solimp0). A load on the reduced mass m then sinks in by (1 - d) a / (d k): so
// does the linear spring K = m k d / (1 - d) of the law kelvin-voigt; its damper B = 2 Z sqrt(K m) has
// the same damping ratio Z = b / (2 sqrt(k)).
#include "mjcf_part.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct pair_law { // of two geoms
  int condim;
  double mu[3];
  double k, b;    // [N/m], [N s/m]
  double mu_roll; // [1]
} pair_law;

// ---- Parameters of two geoms

static rh_mjcf_solver mix_parameters(const rh_mjcf_geom *a, const rh_mjcf_geom *b)
{
  const rh_mjcf_solver *x = &a->contact;
  const rh_mjcf_solver *y = &b->contact;
  if (x->priority != y->priority) {
    return x->priority > y->priority ? *x : *y;
  }
  rh_mjcf_solver z = *x;
  double sum = x->solmix + y->solmix;
  double w = sum > 1e-15 ? x->solmix / sum : 0.5;
  bool direct = x->solref[0] <= 0 || y->solref[0] <= 0;
  z.condim = x->condim > y->condim ? x->condim : y->condim;
  for (int i = 0; i < 3; i++) {
    z.friction[i] = fmax(x->friction[i], y->friction[i]);
  }
  for (int i = 0; i < 2; i++) {
    z.solref[i] =
        direct ? fmin(x->solref[i], y->solref[i]) : w * x->solref[i] + (1 - w) * y->solref[i];
  }
  for (int i = 0; i < 5; i++) {
    z.solimp[i] = w * x->solimp[i] + (1 - w) * y->solimp[i];
  }
  return z;
}

// A round geom has a radius for the rolling friction, which is a length in MJCF.
static double rolling_radius(const rh_mjcf_geom *a, const rh_mjcf_geom *b)
{
  double r = HUGE_VAL;
  const rh_mjcf_geom *both[2] = {a, b};
  for (int i = 0; i < 2; i++) {
    int type = both[i]->type;
    bool round = type == RH_MJCF_SPHERE || type == RH_MJCF_CAPSULE || type == RH_MJCF_CYLINDER;
    r = round ? fmin(r, both[i]->size[0]) : r;
  }
  return r;
}

static pair_law law_of(rh_mjcf *m, const rh_mjcf_geom *a, const rh_mjcf_geom *b,
                       const rh_mjcf_solver *z)
{
  pair_law law = {.condim = z->condim};
  memcpy(law.mu, z->friction, sizeof law.mu);
  double dmax = fmin(fmax(z->solimp[1], 1e-4), 0.9999);
  double d = fmin(fmax(z->solimp[0], 1e-4), 0.9999);
  double soft = m->body[a->body].response + m->body[b->body].response; // 1/m
  double mass = soft > 0 ? 1 / soft : 1;
  double k;
  double damping; // b
  if (z->solref[0] > 0) {
    double time = z->solref[0];
    double ratio = fmax(z->solref[1], 1e-6);
    k = 1 / (dmax * dmax * time * time * ratio * ratio);
    damping = 2 / (dmax * time);
  } else {
    k = fmax(-z->solref[0], 1e-6) / (dmax * dmax);
    damping = fmax(-z->solref[1], 0) / dmax;
  }
  law.k = fmin(mass * k * d / (1 - d), 1e14);
  law.b = 2 * damping / (2 * sqrt(k)) * sqrt(law.k * mass);
  double radius = rolling_radius(a, b);
  if (law.condim == 6 && law.mu[2] > 0 && radius == HUGE_VAL) {
    rh_ignored_add(&m->ignored, RH_WARNING, a->place,
                   "rolling friction between geoms that are not round is not simulated");
  }
  law.mu_roll = law.condim == 6 && radius < HUGE_VAL ? law.mu[2] / radius : 0;
  if (z->margin != 0 || z->gap != 0) {
    rh_ignored_add(&m->ignored, RH_WARNING, a->place,
                   "margin and gap: contact begins where geoms meet");
  }
  return law;
}

// ---- Entries

static void put_body(rh_mjcf *m, rh_node_list *entry, const char *key, int body, rh_place place)
{
  if (body == 0) {
    rh_nodes_put_text(&m->nodes, entry, key, "world", place);
  } else {
    rh_nodes_put_name(&m->nodes, entry, key, &m->body[body].name);
  }
}

static void put_contact(rh_mjcf *m, const rh_mjcf_geom *a, const rh_mjcf_geom *b,
                        const pair_law *law, bool shapes)
{
  if (a->body == 0) { // the world comes second
    const rh_mjcf_geom *swap = a;
    a = b;
    b = swap;
  }
  rh_node_list entry = rh_nodes_entry(&m->nodes, RH_NODE_CONTACTS, a->place);
  put_body(m, &entry, "body", a->body, a->place);
  put_body(m, &entry, "against", b->body, a->place);
  if (shapes) {
    rh_nodes_put_name(&m->nodes, &entry, "shape", &a->name);
    rh_nodes_put_name(&m->nodes, &entry, "against_shape", &b->name);
  }
  rh_nodes_put_text(&m->nodes, &entry, "law", "kelvin-voigt", a->place);
  rh_nodes_put_number(&m->nodes, &entry, "k", law->k, a->place);
  rh_nodes_put_number(&m->nodes, &entry, "b", law->b, a->place);
  if (law->condim >= 3) {
    rh_nodes_put_text(&m->nodes, &entry, "friction", "coulomb", a->place);
    rh_nodes_put_number(&m->nodes, &entry, "mu", law->mu[0], a->place);
  }
  if (law->condim >= 4 && law->mu[1] > 0) {
    rh_nodes_put_number(&m->nodes, &entry, "mu_pivot", law->mu[1], a->place);
  }
  if (law->mu_roll > 0) {
    rh_nodes_put_number(&m->nodes, &entry, "mu_roll", law->mu_roll, a->place);
  }
  if (m->ncontact++ == 0) {
    rh_diag_add(m->diag, RH_NOTE, a->place,
                "contacts have the law kelvin-voigt with k and b derived from solref, solimp and "
                "the masses, here k = %.6g N/m, b = %.6g N s/m; see docs/mjcf.md",
                law->k, law->b);
  }
}

// ---- Pairs

static int find_geom(const rh_mjcf *m, const char *name)
{
  for (int i = 0; i < m->ngeom; i++) {
    if (m->geom[i].file_name && strcmp(m->geom[i].file_name, name) == 0) {
      return i;
    }
  }
  return RH_NONE;
}

static int find_body(const rh_mjcf *m, const char *name)
{
  for (int i = 0; i < m->nbody; i++) {
    if (m->body[i].file_name && strcmp(m->body[i].file_name, name) == 0) {
      return i;
    }
  }
  return RH_NONE;
}

// Two names of an element, as indices by `find`. False: refused.
static bool read_two(rh_mjcf *m, int element, const char *const key[2], int at[2],
                     int (*find)(const rh_mjcf *, const char *))
{
  for (int i = 0; i < 2; i++) {
    const rh_xml_attribute *a = rh_xml_find(&m->xml, element, key[i]);
    at[i] = a ? find(m, a->value) : RH_NONE;
    if (at[i] == RH_NONE) {
      rh_mjcf_refuse(m, a ? a->place : rh_mjcf_place(m, element),
                     "%s must name one of the model%s%.60s%s", key[i], a ? ", got '" : "",
                     a ? a->value : "", a ? "'" : "");
      return false;
    }
  }
  return true;
}

static const char *const geom_keys[2] = {"geom1", "geom2"};
static const char *const body_keys[2] = {"body1", "body2"};

static int next_contact(const rh_mjcf *m, int element, const char *tag)
{
  int e = element == RH_NONE ? m->root : element;
  do {
    e = rh_xml_following(&m->xml, e, m->root, true);
  } while (e != RH_NONE && (strcmp(rh_mjcf_tag(m, e), tag) != 0 ||
                            strcmp(rh_mjcf_tag(m, m->xml.element[e].parent), "contact") != 0));
  return e;
}

void rh_mjcf_mark_pairs(rh_mjcf *m)
{
  int at[2];
  int e = next_contact(m, RH_NONE, "pair");
  for (; e != RH_NONE && !m->set.no_contact; e = next_contact(m, e, "pair")) {
    if (read_two(m, e, geom_keys, at, find_geom)) {
      m->geom[at[0]].paired = m->geom[at[1]].paired = true;
    }
  }
  for (e = next_contact(m, RH_NONE, "exclude"); e != RH_NONE; e = next_contact(m, e, "exclude")) {
    int *two = NULL;
    if (read_two(m, e, body_keys, at, find_body)) {
      two = rh_mjcf_grow(m, (void **)&m->exclude, &m->nexclude, sizeof m->exclude[0]);
    }
    if (two) {
      two[0] = at[0];
      two[1] = at[1];
    }
  }
}

static void emit_pairs(rh_mjcf *m)
{
  int at[2];
  for (int e = next_contact(m, RH_NONE, "pair"); e != RH_NONE; e = next_contact(m, e, "pair")) {
    rh_mjcf_scope s;
    if (!read_two(m, e, geom_keys, at, find_geom)) {
      return;
    }
    rh_mjcf_scope_of(m, e, "pair", 0, &s);
    const rh_mjcf_geom *a = &m->geom[at[0]];
    const rh_mjcf_geom *b = &m->geom[at[1]];
    rh_mjcf_solver z = mix_parameters(a, b);
    double friction[5] = {z.friction[0], z.friction[0], z.friction[1], z.friction[2],
                          z.friction[2]};
    z.condim = (int)rh_mjcf_number(m, &s, "condim", z.condim);
    z.margin = rh_mjcf_number(m, &s, "margin", z.margin);
    (void)rh_mjcf_numbers(m, &s, "solref", 1, 2, z.solref);
    (void)rh_mjcf_numbers(m, &s, "solimp", 1, 5, z.solimp);
    (void)rh_mjcf_numbers(m, &s, "friction", 1, 5, friction);
    z.friction[0] = friction[0];
    z.friction[1] = friction[2];
    z.friction[2] = friction[3];
    pair_law law = law_of(m, a, b, &z);
    if (a->shape && b->shape && a->body != b->body) {
      put_contact(m, a, b, &law, true);
    }
  }
}

// ---- All geoms

static bool is_excluded(const rh_mjcf *m, int a, int b)
{
  for (int i = 0; i < m->nexclude; i++) {
    const int *two = m->exclude[i];
    if ((two[0] == a && two[1] == b) || (two[0] == b && two[1] == a)) {
      return true;
    }
  }
  return false;
}

// Bodies that move together do not touch, nor do parent and child.
static bool bodies_touch(const rh_mjcf *m, int a, int b)
{
  int x = m->body[a].weld;
  int y = m->body[b].weld;
  int above_x = x == 0 ? 0 : m->body[m->body[x].parent].weld;
  int above_y = y == 0 ? 0 : m->body[m->body[y].parent].weld;
  bool kin = x != 0 && y != 0 && (above_x == y || above_y == x);
  return x != y && (!kin || m->set.no_parent_filter) && !is_excluded(m, a, b);
}

static bool masks_match(const rh_mjcf_geom *a, const rh_mjcf_geom *b)
{
  return (a->contype & b->conaffinity) != 0 || (b->contype & a->conaffinity) != 0;
}

static bool same_law(const pair_law *x, const pair_law *y)
{
  return x->condim == y->condim && memcmp(x->mu, y->mu, sizeof x->mu) == 0 && x->k == y->k &&
         x->b == y->b && x->mu_roll == y->mu_roll;
}

// The contacts of two bodies: one entry where all their shapes touch alike, else one for each pair.
static void emit_bodies(rh_mjcf *m, int a, int b)
{
  pair_law first = {0};
  bool alike = true;
  int n = 0;
  for (int write = 0; write < 2 && m->nodes.status == RH_OK; write++) {
    for (int i = m->body[a].first_geom; i != RH_NONE; i = m->geom[i].next) {
      for (int k = m->body[b].first_geom; k != RH_NONE; k = m->geom[k].next) {
        const rh_mjcf_geom *x = &m->geom[i];
        const rh_mjcf_geom *y = &m->geom[k];
        if (!x->shape || !y->shape) {
          continue;
        }
        if (!masks_match(x, y)) {
          alike = false;
          continue;
        }
        rh_mjcf_solver z = mix_parameters(x, y);
        pair_law law = law_of(m, x, y, &z);
        alike = alike && (n == 0 || same_law(&first, &law));
        first = n++ == 0 ? law : first;
        if (write == 1) {
          put_contact(m, x, y, &law, !alike);
        }
        if (write == 1 && alike) {
          return;
        }
      }
    }
  }
}

void rh_mjcf_emit_contacts(rh_mjcf *m)
{
  if (m->set.no_contact || !m->opt->contacts) {
    return;
  }
  emit_pairs(m);
  for (int a = 0; a < m->nbody; a++) {
    for (int b = a + 1; b < m->nbody && m->nodes.status == RH_OK; b++) {
      bool shapes = m->body[a].first_geom != RH_NONE && m->body[b].first_geom != RH_NONE;
      if (shapes && bodies_touch(m, a, b)) {
        emit_bodies(m, a, b);
      }
    }
  }
}
