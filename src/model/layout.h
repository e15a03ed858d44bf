// layout.h: one block of memory for a model and one for a world's data. The function that assigns
// the arrays runs twice, first to count, then to assign, so that sizes and places agree.
#ifndef ROUTH_MODEL_LAYOUT_H
#define ROUTH_MODEL_LAYOUT_H

#include "geometry/geometry.h"

#include <routh/data.h>
#include <routh/kind.h>
#include <routh/model.h>

#include <stdint.h>

// Contact data of a world, see collision/contact_find.c.
#define RH_UNTRACKED_MAX 64 // touching points without a slot that are stored

typedef struct rh_contact_search { // of collision/
  double leaving;    // [m] deepest overlap of rigid shapes that separate and have no slot; stage 2
  // [m] such overlaps up to this one are ignored: they existed when the integrator began
  double left;
  int nuntracked;         // such points that touch, as far as the capacity allows
  int nparting;           // compliant ones that have just parted, from the end of the array on
  rh_contact *untracked;  // (RH_UNTRACKED_MAX)
  int *order;        // slots in use by the shapes they belong to (norder)
  int norder;
  rh_geom *geom;     // the shapes at their poses (nshape)
  rh_bounds *box;    // bounds of the shapes, then of the space that they sweep (2 nshape)
  struct rh_broad *broad; // pairs of shapes that are near
  struct rh_broad *sweep; // bounded shapes that may meet soon (collision/safe_step.c)
  int pair_capacity;      // of each
  // [m/s] speed that compliant contacts may give each tree, by its lowest body (nbody), scratch of
  // collision/safe_step.c
  double *push_speed;
  double *cell_rate; // rates of the cells' states (nslot ncell) stage 5
  double *slot_rate; // rates of the slots' states (RH_SLOT_STATES nslot) stage 5
} rh_contact_search;

typedef struct rh_rigid_system { // rigid contacts that take part, stage 5; rows t1, t2, n each
  int n;
  // number of rows of forces that depend on others: how dependent contacts share a load is a
  // choice, unless nothing moves there
  int undetermined;
  // contacts of the last island whose sharing the general solver had to find within the cones, 0: of none;
  // and a slot of it
  int searched, searched_slot;
  int *slot;        // island by island (model->nrigid)
  int *joined;      // trees that contacts join have the same lowest one at the end (nbody)
  int *row;         // contact and axis of the rows of a system (2 rh_rigid_rows nrigid)
  // it would slip by its share of the load, but not by another share (model->nrigid)
  bool *held;
  bool *fixed;      // its island cannot move: all stick, and their rows have the rank of all degrees of freedom
  int *was;         // mode of each slot before an event (nslot)
  int *reach;       // bodies that an island acts on, and their places (2 nbody)
  double *J;        // Jacobian of the relative velocity of the examined one (3 x nv)
  double *W;        // J H^-1 J' (3 nrigid x 3 nrigid)
  double *b, *u, *p; // accelerations, velocities; forces or impulses (3 model->nrigid)
  double *slide;    // direction of the slip (2 model->nrigid)
  double *torque;   // that keeps it from rolling and pivoting: along t1, t2, n (3 nrigid)
  rh_contact_impact *impact; // (model->nrigid)
  struct rh_many_place *place; // of the contacts of an impact (model->nrigid)
  double *scratch;  // of the solvers
} rh_rigid_system;

// Maximum number of rows of a rigid contact: t1, t2, n, and its angular velocity
static inline int rh_rigid_rows(const rh_model *m)
{
  return m->layout.nturn > 0 ? 6 : 3;
}

// The pair of two shapes; rule RH_NONE: they never meet. And the same, as a filter of a broad phase.
rh_shape_pair rh_shape_pair_of(const rh_model *m, int a, int b);
bool rh_shapes_meet(const void *model, rh_shape_pair *pair);
rh_geom rh_shape_placed(const rh_data *d, int shape); // a shape at its pose [kinematics]

// Does the engine find contacts by a broad phase of its own?
static inline bool rh_engine_searches(const rh_model *m)
{
  return m->run.engine->keeps_contacts && !m->haptic.on;
}

typedef struct rh_data_internal { // every rh_data is the first member of one
  rh_data data;
  rh_contact_search search;
  rh_rigid_system rigid;
} rh_data_internal;

static inline rh_contact_search *rh_search(const rh_data *d)
{
  return &((rh_data_internal *)(uintptr_t)d)->search;
}

// States of the cells of a slot's contact (model->layout.ncell)
static inline double *rh_slot_cells(const rh_data *d, int slot)
{
  const rh_model_layout *l = &d->model->layout;
  return d->work + l->nwork + (size_t)slot * (size_t)l->ncell;
}

static inline rh_rigid_system *rh_rigid(const rh_data *d)
{
  return &((rh_data_internal *)(uintptr_t)d)->rigid;
}

// A world whose state, tau and fext lie one after the other in `row`, memory of the caller that must
// outlive it (rh_data_row doubles); NULL: in memory of its own, as rh_data_create.
rh_data *rh_data_create_in(const rh_model *m, double *row);
size_t rh_data_row(const rh_model *m);
void rh_data_move(rh_data *d, double *row); // of a world that was made in a row: into another one

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
  rh_model_tendon *tendon;
  rh_model_tendon_part *tendon_part;
  int *tendon_dof;
  rh_model_force *force;
  rh_model_event *event;
  rh_model_controller *controller;
  rh_model_sensor *sensor;
  rh_model_shape *shape;
  rh_model_contact *contact;
  rh_model_rule *rule;
  int *all;
  void **mesh;
  rh_model_visual *visual;
  void **look;
  double *trace;
  double *track;
  const char **name[RH_OBJECT_COUNT];
  int *index[RH_OBJECT_COUNT];
  char *text;
} rh_model_parts;

// Allocates a model with the counts of `counts`; everything else is zero. NULL when out of memory.
// The caller frees it by rh_model_destroy.
rh_model *rh_model_allocate(const rh_model *counts, const rh_layout_sizes *sizes,
                            rh_model_parts *p);

#endif
