// contact_rules.h: the contact of a scene that applies to two bodies, and the maximum number of
// points.
#ifndef ROUTH_MODEL_CONTACT_RULES_H
#define ROUTH_MODEL_CONTACT_RULES_H

#include "check.h"

#include <routh/model.h>

typedef struct rh_rules {
  rh_model_rule *rule; // contacts that name two bodies, sorted by them (nrule)
  int nrule;
  int *all;            // contact of each body with all others, RH_NONE (places of bodies, the world's is 0)
} rh_rules;

typedef struct rh_rule_bodies { // two bodies and their parents; places
  int x, y, parent_x, parent_y;
  int shape_x, shape_y;         // their shapes, RH_NONE: none of them
} rh_rule_bodies;

typedef struct rh_rule_count { // input of the count
  rh_check *check;
  const rh_rules *rules;
  const int *place;  // of a body entry
  const int *order;  // body entry at a place
  const int *parent; // of a place
} rh_rule_count;

typedef struct rh_rule_points {
  int points;
  bool thin; // two bounded shapes, which might pass through one another, can meet
} rh_rule_points;

rh_status rh_rules_create(rh_check *c, const int *place, rh_rules *r) RH_CHECK_RESULT;
void rh_rules_destroy(rh_rules *r);
// Samples of the faces that have more than others keep, of all shapes together; at most `maximum`.
int rh_rules_samples(const rh_check *c, int maximum);
// Maximum points of a contact's shapes together; counting stops at `enough`.
rh_rule_points rh_rules_points(const rh_rule_count *k, int contact, int enough);
// Has a rigid contact rolling or pivoting friction?
bool rh_rules_turn(const rh_scene *scene);
// States of the cells of one contact: the largest number of any friction law of the scene.
int rh_rules_cells(const rh_scene *scene);
// Laws and parameters of a contact. False, with a message: its restitution cannot be reached.
bool rh_rules_laws(rh_check *c, const rh_model *m, int contact, rh_model_contact *out);
// [m] greatest gap across which contacts of shapes of this size hold on
double rh_rules_hold(const rh_model_contact *contact, int n, double size);

#endif
