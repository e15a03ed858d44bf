// The sections of a scene: every field of every def struct as one row. A scene has exactly these
// fields (and those of the rows of joints, shapes and engines).
#include "schema.h"

#include "kinds.h"
#include "model/fields/haptic_fields.h"
#include "model/fields/schema_fields.h"
#include "model/fields/visual_fields.h"

#include "impact/impact.h"

#include <routh/kind.h>

#include <math.h>
#include <string.h>

// clang-format off: tables, one row per line

static const rh_schema_field world_field[] = {
    VECTOR(rh_world_def, gravity, "m/s^2", "gravity, world axes"),
    NUMBER(rh_world_def, density, "kg/m^3", 0, 0, 1e9,
           "density of the medium, for bodies with `drag`"),
    NUMBER(rh_world_def, viscosity, "Pa s", 0, 0, 1e9, "viscosity of the medium"),
    VECTOR(rh_world_def, wind, "m/s", "velocity of the medium, world axes"),
};

static const rh_schema_field body_field[] = {
    NAME(rh_body_def, name, "name of the body"),
    NEEDED(rh_body_def, mass, "kg", 0, 1e15,
           "mass; 0 only for a body that carries others or does not move on its joint"),
    VECTOR(rh_body_def, com, "m", "centre of mass, body axes"),
    LIST(rh_body_def, inertia, "kg m^2", 6, -1e15, 1e15,
         "ixx iyy izz ixy ixz iyz about the centre of mass; none: from the shapes"),
    NUMBER(rh_body_def, gravcomp, "1", 0, -1e6, 1e6,
           "part of its weight that a force at its centre of mass carries"),
    LIST(rh_body_def, drag, "m", 3, 0, 1e6,
         "sides of the box about the centre of mass that the medium drags; none: no drag"),
    VECTOR(rh_body_def, drag_rpy, "rad", "attitude of that box: roll, pitch, yaw"),
};

static const rh_schema_field joint_field[] = {
    TEXT(rh_joint_def, name, "name of the joint; none: that of the child"),
    NAME(rh_joint_def, kind, "joint row: see `routh list joints`"),
    TEXT(rh_joint_def, parent, "parent body"),
    NAME(rh_joint_def, child, "child body"),
    VECTOR(rh_joint_def, at, "m",
           "joint frame in the axes of the parent; the frame of the child at q = 0"),
    VECTOR(rh_joint_def, rpy, "rad", "attitude of the joint frame: roll, pitch, yaw; R = Rz Ry Rx"),
    LIST(rh_joint_def, q, "joint", 7, -1e12, 1e12, "initial coordinates"),
    LIST(rh_joint_def, v, "joint/s", 6, -1e12, 1e12, "initial velocities"),
    LIST(rh_joint_def, spring, "N/m, N m/rad", 6, 0, 1e15, "stiffness, one per degree of freedom"),
    LIST(rh_joint_def, rest, "joint", 7, -1e12, 1e12, "coordinates at which the spring is at rest"),
    LIST(rh_joint_def, damper, "N s/m, N m s/rad", 6, 0, 1e15,
         "damping, one per degree of freedom"),
    LIST(rh_joint_def, friction, "N, N m", 6, 0, 1e15,
         "dry friction of a joint in motion, one per degree of freedom"),
    LIST(rh_joint_def, stiction, "N, N m", 6, 0, 1e15,
         "dry friction of a joint at rest; none: as in motion"),
    LIST(rh_joint_def, armature, "kg, kg m^2", 6, 0, 1e15,
         "rotor inertia, one per degree of freedom"),
    LIST(rh_joint_def, limits, "joint", 12, -INF, INF,
         "lower and upper limit, one pair per degree of freedom"),
    NUMBER(rh_joint_def, bounce, "1", 0, 0, 1, "coefficient of restitution at the limits"),
    LIST(rh_joint_def, effort_limits, "N, N m", 2, -INF, INF,
         "least and greatest sum of the efforts of its actuators; none: unlimited"),
    FLAG(rh_joint_def, held, 0, "held fixed from the start, until an event releases it"),
};

static const rh_schema_field loop_field[] = {
    TEXT(rh_loop_def, name, "name of the loop; none: its index in the list"),
    NAME(rh_loop_def, kind, "loop row: see `routh list loops`"),
    NAME(rh_loop_def, body, "one body"),
    TEXT(rh_loop_def, to, "the other: a body, or world"),
    VECTOR(rh_loop_def, at, "m", "end on the body, body axes"),
    VECTOR(rh_loop_def, rpy, "rad", "attitude of that end: roll, pitch, yaw"),
    LIST(rh_loop_def, to_at, "m", 3, -1e12, 1e12,
         "end on the other, its axes; none: the position of the end on the body at the start"),
    LIST(rh_loop_def, to_rpy, "rad", 3, -1e12, 1e12,
         "attitude of that end; none: that of the end on the body at the start"),
};

static const rh_schema_field constraint_field[] = {
    TEXT(rh_constraint_def, name, "name of the constraint; none: its index in the list"),
    NAME(rh_constraint_def, kind, "constraint row: see `routh list constraints`"),
    TEXT(rh_constraint_def, body, "one body, or world; none: it is between joints only"),
    TEXT(rh_constraint_def, to, "the other: a body, or world"),
    VECTOR(rh_constraint_def, at, "m", "end on the body, body axes"),
    VECTOR(rh_constraint_def, rpy, "rad", "attitude of that end: roll, pitch, yaw"),
    VECTOR(rh_constraint_def, to_at, "m", "end on the other, its axes"),
    VECTOR(rh_constraint_def, to_rpy, "rad", "attitude of that end"),
    TEXT(rh_constraint_def, joint, "joint whose speed takes part"),
    TEXT(rh_constraint_def, joint2, "a second joint"),
    TEXT(rh_constraint_def, joint3, "a third joint"),
    TEXT(rh_constraint_def, joint4, "a fourth joint"),
    LIST(rh_constraint_def, dofs, "1", 4, 0, 5,
         "degree of freedom of each of these joints, from 0; none: 0"),
    LIST(rh_constraint_def, coefficients, "m/joint", 4, -1e12, 1e12,
         "factors of their speeds, of the kind rows"),
};

static const rh_schema_field shape_field[] = {
    TEXT(rh_shape_def, name, "name of the shape; may be omitted"),
    NAME(rh_shape_def, body, "body it belongs to"),
    NAME(rh_shape_def, kind, "shape row: see `routh list shapes`"),
    VECTOR(rh_shape_def, at, "m", "its centre, body axes"),
    VECTOR(rh_shape_def, rpy, "rad", "its attitude: roll, pitch, yaw"),
    TEXT(rh_shape_def, mesh, "mesh of a hull or a heightfield"),
    VECTOR(rh_shape_def, surface_velocity, "m/s",
           "velocity of its surface on the body, as of a conveyor belt, body axes"),
};

// As many numbers as can be written and read again within the limits of a file.
static const rh_schema_field mesh_field[] = {
    NAME(rh_mesh_def, name, "name of the mesh"),
    FILE_NAME(rh_mesh_def, file, "STL or OBJ file, relative to the scene: the vertices of a hull"),
    ABOVE(rh_mesh_def, scale, "1", 1, 0, 1e9, "factor on the vertices or heights"),
    NUMBERS(rh_mesh_def, vertices, "m", 300000, "or the vertices of a hull: [[x, y, z], ...]"),
    NUMBER(rh_mesh_def, tolerance, "1", 1e-9, 1e-12, 0.1,
           "vertices outside the hull by less than this part of its size are omitted"),
    NUMBERS(rh_mesh_def, faces, "1", 600000,
            "triangles of a body of parts, of three vertices each, from 0, anticlockwise seen from "
            "outside; a file has its own"),
    INTEGER(rh_mesh_def, parts, 0, 0, 64,
            "convex parts at most that a closed surface is divided into; 0: its hull"),
    NUMBER(rh_mesh_def, concavity, "1", 0.01, 1e-4, 1,
           "depth of the hollows that a part may fill, relative to the longest side of the body"),
    NUMBERS(rh_mesh_def, heights, "m", 1000000,
            "or heights of a heightfield: one row along x after the other along y"),
    INTEGER(rh_mesh_def, nx, 0, 0, 8192, "heights in a row; 0: no heightfield"),
    LIST(rh_mesh_def, size, "m", 2, 0, 1e6,
         "sides of the heightfield along x and y; its centre is the origin"),
};

static const rh_schema_field contact_field[] = {
    TEXT(rh_contact_def, name, "name of the contact; none: its index in the list"),
    NAME(rh_contact_def, body,
         "one body; with against: all also world (all contacts of the ground) or all (all "
         "contacts)"),
    NAME(rh_contact_def, against,
         "the other: a body, world, or all (all others that this body can meet)"),
    NAME(rh_contact_def, law,
         "compliant or rigid law: see `routh list laws`, `routh list impacts`"),
    TEXT(rh_contact_def, friction, "friction law: see `routh list frictions`"),
    TEXT(rh_contact_def, pulse,
         "engine haptic: course of impulses: see `routh list pulses`; none: haptic.pulse"),
    CHOICE(rh_contact_def, stiffness_per, "point|area",
           "the laws' constants hold for each contact point, or for each square metre of face"),
    LIST(rh_contact_def, restitution, "1", 1, 0, 1,
         "wanted restitution: the damping of the law is set for it"),
    ABOVE(rh_contact_def, speed, "m/s", 1, 0, 1e6, "impact speed for this restitution"),
    NUMBER(rh_contact_def, mass, "kg", 0, 0, 1e15,
           "mass for this restitution; 0: that of the body, or the reduced mass of two bodies"),
    TEXT(rh_contact_def, impact_law,
         "of a compliant law: impact law of fast contacts, applied before the compliant law; none"),
    LIST(rh_contact_def, impact_e, "1", 1, -1, 1,
         "restitution of that (none: 0); below 0, impact_law stronge: it ends in compression and "
         "the law takes over; under the engine haptic of the contact's "
         "collisions (none: haptic.e)"),
    NUMBER(rh_contact_def, impact_speed, "m/s", 1e-3, 0, 1e6, "slower contacts have no impact"),
    NUMBER(rh_contact_def, e_speed, "m/s", 0, 0, 1e12,
           "of a rigid law: above this speed e falls with the fourth root of the speed; 0: never"),
    LIST(rh_contact_def, e_table, "1", RH_LIST_MAX, 0, 1e12,
         "of a rigid law: [v1, e1, v2, e2, ...], e at speeds [m/s], linear in between; replaces e"),
    LIST(rh_contact_def, mu_impact, "1", 1, 0, 1e6,
         "of a rigid law: friction of impacts; none: that of contacts"),
    NUMBER(rh_contact_def, mu_impact_speed, "m/s", 0, 0, 1e12,
           "above this speed of approach it falls with the speed^-mu_impact_power; 0: never"),
    NUMBER(rh_contact_def, mu_impact_power, "1", 0.5, 0, 10, "exponent of that"),
    LIST(rh_contact_def, mu_impact_table, "1", RH_LIST_MAX, 0, 1e12,
         "as e_table: [v1, mu1, ...], friction of impacts; replaces mu_impact"),
    NUMBER(rh_contact_def, pair_factor, "1", 0, 0, 1e6,
           "in an impact at several points, normal impulse of each of its points relative to those "
           "of other contacts "
           "(thesis, fixed-split); 0: by the formulation"),
    NUMBER(rh_contact_def, mu_roll, "1", 0, 0, 1e6,
           "rolling friction: a torque of mu_roll times the radius of curvature times the normal "
           "force against rolling"),
    NUMBER(rh_contact_def, mu_pivot, "m", 0, 0, 1e6,
           "pivoting friction: a torque of mu_pivot times the normal force against spin about the "
           "normal"),
    ABOVE(rh_contact_def, turn_speed, "rad/s", 1e-3, 0, 1e6,
          "below this angular velocity these torques fall with it: a held body creeps with less"),
    TEXT(rh_contact_def, shape, "shape of the body to which it applies; none: all of them"),
    TEXT(rh_contact_def, against_shape,
         "shape of the other to which it applies; none: all of them"),
};

static const rh_schema_field point_field[] = {
    NAME(rh_point_def, name, "name of the point"),
    NAME(rh_point_def, body, "body it belongs to"),
    VECTOR(rh_point_def, at, "m", "position, body axes"),
};

static const rh_schema_field actuator_field[] = {
    NAME(rh_actuator_def, name, "name of the actuator"),
    TEXT(rh_actuator_def, joint, "joint it drives, or"),
    TEXT(rh_actuator_def, tendon,
         "tendon it pulls at, of length l / gear; neither: it acts on `body`"),
    INTEGER(rh_actuator_def, dof, 0, 0, 5, "degree of freedom of the joint, from 0"),
    NUMBER(rh_actuator_def, effort, "N, N m", 0, -1e15, 1e15, "force or torque at the start"),
    NUMBER(rh_actuator_def, kp, "N/m, N m/rad", 0, 0, 1e15, "gain on the distance to the target"),
    NUMBER(rh_actuator_def, kd, "N s/m, N m s/rad", 0, 0, 1e15,
           "gain on the difference to the speed of the target"),
    LIST(rh_actuator_def, target, "joint", 1, -1e12, 1e12,
         "target position; none: the position of the joint when the command is given"),
    NUMBER(rh_actuator_def, rate, "joint/s", 0, -1e12, 1e12, "speed of the target from then on"),
    NUMBER(rh_actuator_def, accel, "joint/s^2", 0, -1e12, 1e12, "acceleration of the target"),
    LIST(rh_actuator_def, limits, "N, N m", 2, -INF, INF,
         "least and greatest effort; none: unlimited"),
    NUMBER(rh_actuator_def, gear, "1", 1, -1e12, 1e12,
           "of a servo: its length l is gear q, its speed w is gear v, the effort is gear f"),
    LIST(rh_actuator_def, gain, "1", 3, -1e15, 1e15,
         "of a servo: the force f is (g0 + g1 l + g2 w) u + bias, u the command `effort`"),
    LIST(rh_actuator_def, bias, "1", 3, -1e15, 1e15, "of a servo: bias b0 + b1 l + b2 w"),
    LIST(rh_actuator_def, control_range, "1", 2, -INF, INF,
         "of a servo: least and greatest u; none: unlimited"),
    LIST(rh_actuator_def, axis, "1", 6, -1e12, 1e12,
         "force and torque for the effort 1: on a free joint or a body; on a ball joint: torque"),
    CHOICE(rh_actuator_def, axes, "joint|body",
           "axes of the torque on a joint: those of the joint, or of the body that it carries"),
    TEXT(rh_actuator_def, body, "body it acts on along `axis`, instead of a joint"),
    VECTOR(rh_actuator_def, at, "m", "where it acts, body axes"),
    VECTOR(rh_actuator_def, rpy, "rad", "attitude of the axes of `axis`: roll, pitch, yaw"),
    TEXT(rh_actuator_def, to,
         "body that it acts back on; `axis` is then in the axes of its end there"),
    VECTOR(rh_actuator_def, to_at, "m", "where it acts on that one, body axes"),
    VECTOR(rh_actuator_def, to_rpy, "rad", "attitude of its end there"),
    CHOICE(rh_actuator_def, dynamics, "none|integrator|filter|integral",
           "state x: of a servo dx/dt = u, or (u - x) / time_constant, in the place of u; or the "
           "integral of target - q, of a servo u - l, for `ki`"),
    ABOVE(rh_actuator_def, time_constant, "s", 1, 0, 1e9, "of a filter"),
    NUMBER(rh_actuator_def, ki, "N/(m s), N m/(rad s)", 0, 0, 1e15,
           "of an integral: gain on it, in addition to kp and kd"),
    LIST(rh_actuator_def, state_range, "1", 2, -INF, INF,
         "least and greatest state; none: unlimited"),
    NUMBER(rh_actuator_def, stall, "N, N m", 0, 0, 1e15,
           "of a DC motor: greatest effort at rest, which falls with the speed; 0: no such limit"),
    ABOVE(rh_actuator_def, no_load_speed, "joint/s", 1, 0, 1e15,
          "of a DC motor: speed of the joint at which no effort is left"),
};

static const rh_schema_field tendon_field[] = {
    NAME(rh_tendon_def, name, "name of the tendon"),
    NUMBER(rh_tendon_def, spring, "N/m", 0, 0, 1e15, "stiffness"),
    LIST(rh_tendon_def, rest, "m", 2, -1e12, 1e12,
         "rest length, or least and greatest, between which the spring has no force; none: the "
         "length at the start"),
    NUMBER(rh_tendon_def, damper, "N s/m", 0, 0, 1e15, "damping"),
    LIST(rh_tendon_def, limits, "m", 2, -INF, INF, "least and greatest length; none: unlimited"),
    NUMBER(rh_tendon_def, friction, "N", 0, 0, 1e15, "dry friction along it"),
    LIST(rh_tendon_def, effort_limits, "N", 2, -INF, INF,
         "least and greatest sum of the efforts of its actuators; none: unlimited"),
};

static const rh_schema_field tendon_part_field[] = {
    NAME(rh_tendon_part_def, tendon, "tendon that it is a part of, in the order of its path"),
    CHOICE(rh_tendon_part_def, kind, "point|sphere|cylinder|pulley|joint",
           "the path passes through a point, is wrapped about a sphere or a cylinder, counts by "
           "1/divisor after a pulley; or a term of a sum of joint coordinates"),
    TEXT(rh_tendon_part_def, body, "body of a point, sphere or cylinder; or world"),
    VECTOR(rh_tendon_part_def, at, "m", "its place, body axes"),
    VECTOR(rh_tendon_part_def, rpy, "rad", "attitude of a cylinder, whose axis is z"),
    NUMBER(rh_tendon_part_def, radius, "m", 0, 0, 1e12, "of a sphere or a cylinder"),
    LIST(rh_tendon_part_def, side, "m", 3, -1e12, 1e12,
         "point on whose side the path passes; within the radius: the path passes inside"),
    TEXT(rh_tendon_part_def, side_body, "body of that point; none: body"),
    ABOVE(rh_tendon_part_def, divisor, "1", 1, 0, 1e12, "of a pulley"),
    TEXT(rh_tendon_part_def, joint, "joint of a sum"),
    INTEGER(rh_tendon_part_def, dof, 0, 0, 5, "degree of freedom of the joint, from 0"),
    NUMBER(rh_tendon_part_def, coefficient, "m/joint", 1, -1e12, 1e12, "factor of its coordinate"),
};

static const rh_schema_field force_field[] = {
    NAME(rh_force_def, name, "name of the force"),
    NAME(rh_force_def, body, "body it acts on"),
    VECTOR(rh_force_def, at, "m", "point of action, body axes"),
    VECTOR(rh_force_def, force, "N", "force"),
    VECTOR(rh_force_def, torque, "N m", "torque"),
    CHOICE(rh_force_def, frame, "world|body", "axes in which force and torque are given"),
    NUMBER(rh_force_def, from, "s", 0, 0, 1e9, "time at which it begins"),
    NUMBER(rh_force_def, until, "s", INF, 0, INF, "time at which it ceases"),
};

static const rh_schema_field event_field[] = {
    NAME(rh_event_def, name, "name of the event"),
    LIST(rh_event_def, time, "s", 1, 0, 1e9, "trigger: this time"),
    TEXT(rh_event_def, joint, "or trigger: this joint passes `position`"),
    INTEGER(rh_event_def, dof, 0, 0, 5, "degree of freedom of the joint, from 0"),
    NUMBER(rh_event_def, position, "joint", 0, -1e12, 1e12, "position of the trigger"),
    CHOICE(rh_event_def, direction, "either|rising|falling", "direction of the passage"),
    FLAG(rh_event_def, once, 0, "only the first time"),
    TEXT(rh_event_def, release, "action: release this joint"),
    TEXT(rh_event_def, hold, "or hold this joint fixed"),
    TEXT(rh_event_def, actuator, "or give this actuator a command"),
    NUMBER(rh_event_def, effort, "N, N m", 0, -1e15, 1e15, "this command"),
    NUMBER(rh_event_def, kp, "N/m, N m/rad", 0, 0, 1e15, "gain on the distance to the target"),
    NUMBER(rh_event_def, kd, "N s/m, N m s/rad", 0, 0, 1e15,
           "gain on the difference to the speed of the target"),
    LIST(rh_event_def, target, "joint", 1, -1e12, 1e12,
         "target position; none: the position of the joint when the command is given"),
    NUMBER(rh_event_def, rate, "joint/s", 0, -1e12, 1e12, "speed of the target from then on"),
    NUMBER(rh_event_def, accel, "joint/s^2", 0, -1e12, 1e12, "acceleration of the target"),
    FLAG(rh_event_def, stop, 0, "or end the run"),
};

static const rh_schema_field controller_field[] = {
    TEXT(rh_controller_def, name, "name of the controller; none: its index in the list"),
    NAME(rh_controller_def, kind, "controller row: see `routh list controllers`"),
    NUMBER(rh_controller_def, rate, "1/s", 0, 0, 1e6,
           "evaluations per second, with constant efforts in between; 0: continuous"),
    TEXT(rh_controller_def, left, "body that is the left foot, for rows that walk"),
    TEXT(rh_controller_def, right, "body that is the right foot"),
    TEXT(rh_controller_def, trunk, "body that is kept upright"),
    TEXT(rh_controller_def, foot, "body that is a foot, for rows with legs: left front"),
    TEXT(rh_controller_def, foot2, "right front"),
    TEXT(rh_controller_def, foot3, "the next on the left"),
    TEXT(rh_controller_def, foot4, "the next on the right"),
    TEXT(rh_controller_def, foot5, "the last on the left"),
    TEXT(rh_controller_def, foot6, "the last on the right"),
    LIST(rh_controller_def, phases, "1", 6, 0, 1,
         "part of the cycle at which each foot leaves the ground; none: those of the gait"),
};

static const rh_schema_field sensor_field[] = {
    NAME(rh_sensor_def, name, "name of the sensor"),
    NAME(rh_sensor_def, kind, "sensor row: see `routh list sensors`"),
    TEXT(rh_sensor_def, body, "body it is on, or world"),
    TEXT(rh_sensor_def, shape, "of touch and contact: shape, in the place of a body"),
    TEXT(rh_sensor_def, joint, "joint, of kinds at a joint"),
    INTEGER(rh_sensor_def, dof, 0, 0, 5, "degree of freedom of the joint, from 0"),
    VECTOR(rh_sensor_def, at, "m",
           "its place, axes of the body; of a joint: of the body that the joint carries"),
    VECTOR(rh_sensor_def, rpy, "rad", "attitude of its axes: roll, pitch, yaw"),
    LIST(rh_sensor_def, noise, "unit", 2, 0, 1e15,
         "standard deviation of all numbers, or of the first three and of the others; none: 0"),
    NUMBER(rh_sensor_def, delay, "s", 0, 0, 1e9, "time after which a sample is read"),
    NUMBER(rh_sensor_def, rate, "1/s", 0, 0, 1e9,
           "samples per second, constant in between; 0: continuous, without noise and delay"),
};

static const rh_schema_field trajectory_field[] = {
    TEXT(rh_trajectory_def, name, "name of the trajectory; may be omitted"),
    TEXT(rh_trajectory_def, actuator,
         "actuator that it drives; none: each that a column of `file` names"),
    FILE_NAME(rh_trajectory_def, file,
              "CSV file, relative to the scene: a column t [s], and one for each actuator"),
    NUMBERS(rh_trajectory_def, values, "s, joint", 800000,
            "or rows [t, value]: the control of a servo, else the target; linear between two rows"),
    FLAG(rh_trajectory_def, periodic, 0, "begins anew after the last row"),
    NUMBER(rh_trajectory_def, from, "s", 0, -1e9, 1e9, "when its time 0 is"),
};

static const rh_schema_field keyframe_field[] = {
    NAME(rh_keyframe_def, keyframe, "name of the keyframe; its entries have the same"),
    TEXT(rh_keyframe_def, joint, "joint, with"),
    LIST(rh_keyframe_def, q, "joint", 7, -1e12, 1e12, "its coordinates; none: those of the scene"),
    LIST(rh_keyframe_def, v, "joint/s", 6, -1e12, 1e12, "its velocities; none: those of the scene"),
    TEXT(rh_keyframe_def, actuator, "or actuator, with"),
    NUMBER(rh_keyframe_def, effort, "N, N m", 0, -1e15, 1e15, "its effort, or control of a servo"),
};

static const rh_schema_field run_field[] = {
    NUMBER(rh_run_def, until, "s", 5, RH_TIME_MIN, 1e9, "length of the run"),
    TEXT(rh_run_def, engine, "engine row: see `routh list engines`"),
    TEXT(rh_run_def, integrator,
         "integrator row, of the engine event only: see `routh list integrators`"),
    TEXT(rh_run_def, multi_impact,
         "formulation of impacts at several points: see `routh list formulations`"),
    NUMBER(rh_run_def, rest_speed, "joint/s", 1e-6, 0, 1e6,
           "a joint at its limit or a rigid body that rebounds slower than this stays there; a "
           "rigid contact that slips slower after an impact sticks"),
    NUMBER(rh_run_def, residue, "1", 0, 0, HUGE_VAL,
           "residue of the energy ledger, of the largest energy moved so far, above which there is "
           "a verdict; 0: that of the engine, 1e-6 (event), 1e-3 (stepping), 5e-2 (haptic); inf: "
           "none"),
    CHOICE(rh_run_def, select, "least-norm|largest-dissipation|stiff-limit|stop",
           "where several motions fit rigid contacts: that of least load, of largest dissipation, "
           "the limit of stiff springs, or the run ends"),
    INTEGER(
        rh_run_def, facets, 8, 4, 16,
        "where motions of rigid contacts are counted in space: facets of the cone of friction, a "
        "multiple of 4"),
    INTEGER(rh_run_def, examine, 0, 0, 12,
            "contacts of an island up to which its motions are counted in space, which takes up to "
            "0.5 s; 0: only those in a plane are counted"),
    CHOICE(rh_run_def, unresolved, "refine|refuse|accept",
           "steps too long for a compliant contact: divide them, end the run, or take them with a "
           "verdict"),
    FLAG(rh_run_def, strict, 0,
         "a verdict (no solution, several, undetermined forces, energy gained or not explained) "
         "ends the run"),
    INTEGER(rh_run_def, seed, 0, 0, 2147483647, "of the noise of sensors"),
    FLAG(rh_run_def, hand, 0,
         "a hand can pull at bodies while it runs, and is part of the state: set by `routh view`"),
    INTEGER(rh_run_def, contacts, 0, 0, 8000000,
            "maximum number of contact points at a time; 0: as many as possible, or 16 plus 12 per "
            "shape; beyond 200 000 of them 4 per shape"),
};

static const rh_schema_field record_field[] = {
    NUMBER(rh_record_def, every, "s", 0.01, RH_TIME_MIN, 1e9, "time between frames"),
    INTEGER(rh_record_def, batch, 100, 1, 1000000,
            "frames committed together; a run can be resumed where a batch ends"),
    CHOICE(rh_record_def, sync, "checkpoint|batch|frame",
           "time at which frames are synced to the disk"),
    CHOICE(rh_record_def, impact_rows, "all|none",
           "impacts that have a row of their own; none: they are only counted"),
};

// clang-format on

#define ROW_AT(function, type, table)                                                              \
  static const rh_row *function(int index)                                                         \
  {                                                                                                \
    int count;                                                                                     \
    const type *const *row = table(&count);                                                        \
    return index < count ? &row[index]->row : NULL;                                                \
  }

ROW_AT(joint_row, rh_joint, rh_joint_table)
ROW_AT(loop_row, rh_loop_kind, rh_loop_kind_table)
ROW_AT(constraint_row, rh_constraint_kind, rh_constraint_kind_table)
ROW_AT(shape_row, rh_shape, rh_shape_table)
ROW_AT(engine_row, rh_engine, rh_kinds_get()->engine_table)
ROW_AT(controller_row, rh_controller, rh_kinds_get()->controller_table)
ROW_AT(sensor_row, rh_sensor_kind, rh_kinds_get()->sensor_table)
ROW_AT(formulation_row, rh_formulation, rh_formulation_table)
ROW_AT(method_row, rh_haptic_method, rh_kinds_get()->haptic_method_table)
ROW_AT(coupling_row, rh_haptic_coupling, rh_kinds_get()->haptic_coupling_table)
ROW_AT(hand_row, rh_haptic_hand, rh_kinds_get()->haptic_hand_table)
ROW_AT(pulse_row, rh_haptic_pulse, rh_kinds_get()->haptic_pulse_table)

ROW_AT(normal_row, rh_normal_law, rh_normal_law_table)
ROW_AT(impact_row, rh_impact_law, rh_impact_law_table)
ROW_AT(friction_row, rh_friction_law, rh_friction_law_table)

// The integrators of all engines.
static const rh_row *integrator_row(int index)
{
  int count;
  const rh_engine *const *engine = rh_kinds_get()->engine_table(&count);
  for (int i = 0; i < count; i++) {
    for (int k = 0; engine[i]->integrator_row && engine[i]->integrator_row(k); k++) {
      if (index-- == 0) {
        return engine[i]->integrator_row(k);
      }
    }
  }
  return NULL;
}

// An unknown engine is reported elsewhere; its integrator is read as that of the first engine.
static const char *usual_integrator(const void *def)
{
  int count;
  const rh_engine *engine = rh_engine_of(def);
  return engine ? engine->integrator : rh_kinds_get()->engine_table(&count)[0]->integrator;
}

// The laws of a contact: compliant ones, then rigid ones.
static const rh_row *law_row(int index)
{
  int count;
  (void)rh_normal_law_table(&count);
  return index < count ? normal_row(index) : impact_row(index - count);
}

// clang-format off: one row per section
#define FIELDS(f) f, RH_COUNT(f)
#define PLAIN     {{0}}, 0

// The selectors' first numbers are their places among the fields.
const rh_section rh_sections[RH_SECTION_COUNT] = {
    {"world", "world", "properties of the world", false, false, sizeof(rh_world_def),
     FIELDS(world_field), PLAIN},
    {"bodies", "body", "rigid bodies; each is carried by one joint", true, false,
     sizeof(rh_body_def), FIELDS(body_field), PLAIN},
    {"joints",
     "joint",
     "joints between bodies",
     true,
     false,
     sizeof(rh_joint_def),
     FIELDS(joint_field),
     {{1, joint_row, "joint", offsetof(rh_joint_def, par), NULL, 0}},
     1},
    {"loops",
     "loop",
     "constraints between bodies in addition to their joints",
     true,
     false,
     sizeof(rh_loop_def),
     FIELDS(loop_field),
     {{1, loop_row, "loop", offsetof(rh_loop_def, par), NULL, 0}},
     1},
    {"constraints",
     "constraint",
     "constraints on velocities: blades, rolling, transmissions, rows of one's own",
     true,
     false,
     sizeof(rh_constraint_def),
     FIELDS(constraint_field),
     {{1, constraint_row, "constraint", offsetof(rh_constraint_def, par), NULL, 0}},
     1},
    {"shapes",
     "shape",
     "shapes of bodies, for contact and inertia",
     true,
     false,
     sizeof(rh_shape_def),
     FIELDS(shape_field),
     {{2, shape_row, "shape", offsetof(rh_shape_def, par), NULL, 0}},
     1},
    {"meshes", "mesh", "vertices of hulls, heights of heightfields", true, false,
     sizeof(rh_mesh_def), FIELDS(mesh_field), PLAIN},
    {"contacts",
     "contact",
     "pairs of bodies in contact, and their laws",
     true,
     false,
     sizeof(rh_contact_def),
     FIELDS(contact_field),
     {{3, law_row, "law", offsetof(rh_contact_def, par), NULL, 0},
      {4, friction_row, "friction", offsetof(rh_contact_def, friction_par), NULL, 0},
      {5, pulse_row, "pulse", offsetof(rh_contact_def, pulse_par), NULL, 0}},
     3},
    {"points", "point", "named points on bodies", true, false, sizeof(rh_point_def),
     FIELDS(point_field), PLAIN},
    {"actuators", "actuator", "motors on joints and tendons", true, false, sizeof(rh_actuator_def),
     FIELDS(actuator_field), PLAIN},
    {"tendons", "tendon", "lengths of paths or of joint coordinates, with forces along them", true,
     false, sizeof(rh_tendon_def), FIELDS(tendon_field), PLAIN},
    {"tendon_parts", "tendon_part", "parts of tendons", true, false, sizeof(rh_tendon_part_def),
     FIELDS(tendon_part_field), PLAIN},
    {"forces", "force", "constant forces on bodies", true, false, sizeof(rh_force_def),
     FIELDS(force_field), PLAIN},
    {"events", "event", "actions at given times or positions", true, false, sizeof(rh_event_def),
     FIELDS(event_field), PLAIN},
    {"controllers",
     "controller",
     "controllers of the actuators",
     true,
     false,
     sizeof(rh_controller_def),
     FIELDS(controller_field),
     {{1, controller_row, "controller", offsetof(rh_controller_def, par), NULL, 0}},
     1},
    {"sensors",
     "sensor",
     "readings of the world, with noise, delay and rate",
     true,
     false,
     sizeof(rh_sensor_def),
     FIELDS(sensor_field),
     {{1, sensor_row, "sensor", offsetof(rh_sensor_def, par), NULL, 0}},
     1},
    {"trajectories", "trajectory", "values over time that drive actuators", true, false,
     sizeof(rh_trajectory_def), FIELDS(trajectory_field), PLAIN},
    {"keyframes", "keyframe", "named starts", true, false, sizeof(rh_keyframe_def),
     FIELDS(keyframe_field), PLAIN},
    {"visuals", "visual", "what bodies look like in pictures; nothing else depends on them", true,
     false, sizeof(rh_visual_def), FIELDS(visual_field), PLAIN},
    {"visual_meshes", "visual_mesh", "surfaces of triangles for visuals", true, false,
     sizeof(rh_visual_mesh_def), FIELDS(visual_mesh_field), PLAIN},
    {"haptic",
     "haptic",
     "haptic interaction: hand, device and tool",
     false,
     true,
     sizeof(rh_haptic_def),
     FIELDS(haptic_field),
     {{2, method_row, "method", offsetof(rh_haptic_def, method_par), NULL, 0},
      {3, coupling_row, "coupling", offsetof(rh_haptic_def, coupling_par), NULL, 0},
      {4, hand_row, "hand", offsetof(rh_haptic_def, hand_par), NULL, 0}},
     3},
    {"run",
     "run",
     "how long, and by which engine",
     false,
     false,
     sizeof(rh_run_def),
     FIELDS(run_field),
     {{1, engine_row, "engine", offsetof(rh_run_def, par), NULL, 0},
      {2, integrator_row, "integrator", offsetof(rh_run_def, integrator_par), usual_integrator,
       RH_RUN_ENGINE},
      {3, formulation_row, "formulation", offsetof(rh_run_def, multi_impact_par), NULL, 0}},
     3},
    {"record", "record", "recorded data", false, false, sizeof(rh_record_def), FIELDS(record_field),
     PLAIN},
};

// clang-format on
