// haptic_fields.h: the fields of the section `haptic`, as schema.c has those of the others.
#ifndef ROUTH_MODEL_FIELDS_HAPTIC_FIELDS_H
#define ROUTH_MODEL_FIELDS_HAPTIC_FIELDS_H

#include "model/schema.h"

#include "schema_fields.h"

// clang-format off: a table, one row per line

static const rh_schema_field haptic_field[] = {
    NAME(rh_haptic_def, tool, "body that the hand moves"),
    TEXT(rh_haptic_def, device,
         "body in the hand, of another tree than the tool; none: the hand holds the tool"),
    TEXT(rh_haptic_def, method, "method row, the response of contacts: see `routh list methods`"),
    TEXT(rh_haptic_def, coupling,
         "coupling row, device to tool: see `routh list couplings`; none: that of the method"),
    TEXT(rh_haptic_def, hand, "hand row, the motion of the hand: see `routh list hands`"),
    NUMBER(rh_haptic_def, e, "1", 0, -1, 1, "restitution of collisions without their own"),
    CHOICE(rh_haptic_def, collide, "map|push|friction",
           "collisions: equalities; impulses that only push; with friction, by run.multi_impact"),
    CHOICE(rh_haptic_def, select, "strict|closed|all",
           "contacts of a collision: those that approach, those that do not separate, all"),
    NUMBER(rh_haptic_def, closed, "m/s", 1e-3, 0, 1e3, "slower contacts do not separate"),
    FLAG(rh_haptic_def, split, 0, "two moving bodies: each reverses its own velocity"),
    FLAG(rh_haptic_def, both, 0, "penalties act in collisions too"),
    ABOVE(rh_haptic_def, d_coh, "m", 1e-3, 0, 1e3,
          "a contact that moved by no more than this in a tick is the same one"),
    NUMBER(rh_haptic_def, d_cluster, "m", 5e-4, 0, 1e3,
           "points of two shapes closer than this are one contact"),
    NUMBER(rh_haptic_def, cos_cluster, "1", 0.9, -1, 1,
           "if the cosine of the angle between their normals is not less"),
    LIST(rh_haptic_def, four_channel, "N/m, N s/m, N m/rad, N m s/rad", 4, 0, 1e9,
         "stiffness and damping of device to tool, along, about; none: 100, 70, 0.5, 0.375"),
    LIST(rh_haptic_def, coupler, "N/m, N s/m, N m/rad, N m s/rad", 4, 0, 1e9,
         "the same of the unilateral coupler, for cb-uc; none: 1000, 50, 2.5, 0.125"),
    CHOICE(rh_haptic_def, limits, "none|saturate|scale|spread",
           "treatment of forces that the device cannot give"),
    LIST(rh_haptic_def, limit, "N, N m", 2, 0, 1e9,
         "greatest component of force, of torque, for `limits`"),
    FLAG(rh_haptic_def, carry, 1,
         "spread: the separation speed of the first tick is kept; no: each tick computes it again"),
    FLAG(rh_haptic_def, passive, 0, "an impulse gives the device no more energy than the tool"),
    LIST(rh_haptic_def, clamp, "N, N m", 2, 0, 1e9,
         "maximum force and torque sent to the device; none: no bound"),
    CHOICE(rh_haptic_def, pulse, "flat|half-sine|triangle",
           "time course of an impulse sent to the device; its integral is kept"),
    INTEGER(rh_haptic_def, pulse_ticks, 1, 1, RH_PULSE_MAX, "its duration in ticks"),
    VECTOR(rh_haptic_def, push, "N", "force of the hand, world axes"),
    VECTOR(rh_haptic_def, twist, "N m", "torque of the hand"),
    VECTOR(rh_haptic_def, grip, "m", "point of action, body axes"),
    NUMBER(rh_haptic_def, observer, "1/s", 0, 0, 1e9,
           "bandwidth of an observer of the hand's force by the motion; 0: a sensor measures it"),
    LIST(rh_haptic_def, hand_spring, "N/m, N s/m, N m/rad, N m s/rad", 4, 0, 1e9,
         "stiffness and damping of a hand that is a spring, along and about"),
    FILE_NAME(rh_haptic_def, trace_file,
              "CSV file of a recorded hand, relative to the scene: the rows of `trace`"),
    NUMBERS(rh_haptic_def, trace, "s, N, N m, m", 800000,
            "or its rows. hand trace: t, fx, fy, fz, tx, ty, tz; hand spring: t, x, y, z, qw, qx, "
            "qy, qz"),
};

// clang-format on

#endif
