// pairs.h: which shapes can meet, from the contacts of a scene.
#ifndef ROUTH_MODEL_PAIRS_H
#define ROUTH_MODEL_PAIRS_H

#include "model/check.h"

#include <routh/model.h>

typedef struct rh_pair_list {
  rh_model_pair *pair; // NULL: only count
  int npair, nslot;
} rh_pair_list;

// Lists the pairs of shapes in the order of the contacts. `carrier` gives the joint that carries each body.
void rh_pairs_list(rh_check *c, const int *carrier, rh_pair_list *list);
// Puts the numbers of the pairs in order of their shapes; `order` has room for 2 npair.
void rh_pairs_sort(const rh_model_pair *pair, int npair, int *order);
// Laws and parameters of a contact. False, and said why: the restitution it asks for cannot be had.
bool rh_pairs_laws(rh_check *c, int contact, rh_model_contact *out);

#endif
