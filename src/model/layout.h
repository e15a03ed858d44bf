// layout.h: one block of memory for a model and one for a world's data. The function that assigns
// the arrays runs twice, first to count, then to assign, so that sizes and places agree.
#ifndef ROUTH_MODEL_LAYOUT_H
#define ROUTH_MODEL_LAYOUT_H

#include "geometry/geometry.h"

#include <routh/data.h>
#include <routh/model.h>

// Contact data of a world, see collision/contact_find.c.
typedef struct rh_near_pair { // two shapes that are near one another
  int a, b;                   // the unbounded one is b
  int contact;
} rh_near_pair;

typedef struct rh_untracked_contact { // a touching point without a slot
  rh_near_pair pair;
  rh_touch touch;
} rh_untracked_contact;

#define RH_BARE_MAX 64 // maximum that are stored

typedef struct rh_layout_sizes {
  size_t names; // characters of all names with their closing zeros
} rh_layout_sizes;

// Filled by compile; the same memory as the const views in rh_model.
typedef struct rh_model_parts {
  rh_model_body *body;
  rh_model_dof *dof;
  double *q0, *v0, *rest;
  bool *held;
  rh_model_loop *loop;
  rh_model_point *point;
  rh_model_actuator *actuator;
  rh_model_force *force;
  rh_model_event *event;
  rh_model_controller *controller;
  rh_model_shape *shape;
  rh_model_contact *contact;
  rh_model_rule *rule;
  int *all;
  void **mesh;
  double *trace;
  const char **name[RH_OBJECT_COUNT];
  int *index[RH_OBJECT_COUNT];
  char *text;
} rh_model_parts;

// Allocates a model with the counts of `counts`; everything else zero. NULL when out of memory.
rh_model *rh_model_allocate(const rh_model *counts, const rh_layout_sizes *sizes, rh_model_parts *p);

#endif
