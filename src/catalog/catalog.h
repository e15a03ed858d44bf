// catalog.h: all tables of the program in one form: entries with a name, a line of text and
// parameters.
#ifndef ROUTH_CATALOG_CATALOG_H
#define ROUTH_CATALOG_CATALOG_H

#include "console/console.h"
#include "problems/problem_runner.h"
#include "model/schema.h"

typedef struct rh_listed { // one row of one table
  rh_row row;              // name, cite, doc, parameters
  const rh_schema_field *field;   // sections: their fields, instead of row.param
  int nfield;
  rh_section_id section;   // meaningful with `field`
  char extra[RH_NAME_MAX]; // content of the column `title`
  const rh_output *output; // problems: their outputs
  int noutput;
} rh_listed;

typedef struct rh_listing { // one table
  const char *name;
  const char *doc;
  const char *title; // title of the further column; NULL: none
  int (*count)(void);
  void (*get)(int index, rh_listed *entry);
} rh_listing;

#define RH_LISTINGS(X)                                                                             \
  X(sections, "sections of a scene: every field, its unit, default and range", NULL)              \
  X(joints, "joints between two bodies", "dof")                                        \
  X(loops, "constraints between bodies in addition to their joints", "equations")                     \
  X(constraints, "constraints on velocities, nonholonomic or not", "rows")                            \
  X(shapes, "shapes of bodies, for contact and inertia", NULL)                                             \
  X(laws, "normal contact laws; `routh law NAME` shows the effect of one", NULL)                       \
  X(frictions, "friction laws; each can be used with any normal law", NULL)                                \
  X(impacts, "impact laws; `routh impact` shows their effects", NULL)                               \
  X(controllers, "controllers of actuators", NULL)                                                    \
  X(sensors, "sensors", NULL)                                                                        \
  X(formulations, "formulations of impacts at several points at once", NULL)                       \
  X(engines, "how contacts become motion", NULL)                                                   \
  X(integrators, "how the engine event integrates between events", NULL)                           \
  X(solvers, "solvers of complementarity problems", NULL)                                      \
  X(methods, "response of a tool to contacts, in a haptic scene", "coupling")           \
  X(couplings, "link of device and tool, in a haptic scene", NULL)                         \
  X(hands, "motion of the hand, in a haptic scene", NULL)                                          \
  X(pulses, "time course of an impulse at the device, in a haptic scene", NULL)                    \
  X(devices, "devices of `routh haptic`", NULL)                                       \
  X(events, "kinds of events in summaries and recordings", NULL)                   \
  X(problems, "kinds of problems that `routh solve` answers", NULL)                                \
  X(papers, "papers, and their figures that `routh paper` reproduces", "arguments")                \
  X(groups, "groups of channels, for `routh export --groups`", "default")                          \
  X(exports, "formats that `routh export` writes", NULL)                                           \
  X(units, "units of numbers; a number without unit is SI", "SI")

const rh_listing *rh_catalog_get(int index); // NULL after the last
int rh_listed_nparam(const rh_listed *entry);
const rh_param *rh_listed_param(const rh_listed *entry, int index);

// Words for a parameter: "3 numbers", "[0, 0, 0]", "> 0".
void rh_param_kind(const rh_param *param, char *buffer, size_t size);
void rh_param_default(const rh_listed *entry, int index, char *buffer, size_t size);
void rh_param_range(const rh_param *param, char *buffer, size_t size);

#endif
